"""How much privacy a noisy search for the first large answers spends, judged by where it stops.

The search gets many equal answers below its threshold.  With Laplace noise of one scale on the threshold and of
another on the answers, the number of answers up to the first pass has a known distribution, whose two parameters tell
what the search costs.  So the noise may be drawn in any way, and split between threshold and answers in any way.
"""

from collections.abc import Callable
from functools import cache
from itertools import islice

import numpy as np

from dp_helpers.audit import lower_limit, upper_limit

from .judges import ALARM
from .judging import NotYet, laplace_cdf, laplace_steps

FIRST = 60  # a search that has not stopped here is not watched any longer
_EDGES = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 38, 48, FIRST])
_RATIOS = np.sort(np.append(np.geomspace(0.05, 20, 25), 0.5))  # scale of the threshold's noise / that of the answers'
_COSTS = np.concatenate([np.linspace(0.2, 1, 21), np.geomspace(1.05, 8, 30)])  # as a multiple of what is allowed


def judge_search(find: Callable, epsilon: float, rng, *, limit: int = 1, where: str = "", runs: int = 3_000) -> None:
    """Refuse a search that spends more than ``epsilon``, or many times less.

    Parameters
    ----------
    find : callable
        Takes answers of sensitivity 1 and a generator, and returns the positions of those that pass the threshold 0.
    epsilon : float
        What the search may spend.
    rng : Generator
        What it draws from.
    limit : int
        How many answers may pass.  A threshold that is drawn anew after each pass pays as often.
    where : str
        Begins the sentences.

    Notes
    -----
    A likelihood ratio: the best private pair of scales against the best pair, for answers below the threshold, where a
    low threshold and a high answer look alike, and on it, where they don't.  A private search is refused with
    probability below 1e-7.  Of 4,000 runs, a price of 6/5 isn't accepted.
    """
    found = {far: [find([-far / epsilon] * FIRST, rng) for _ in range(runs)] for far in (10 * limit, 0)}
    if len({tuple(passes) for passes in found[10 * limit]}) == 1:
        raise NotYet(
            f"{where}every run of your search ends at the same place: draw its noise from rng, anew in each run."
        )
    firsts = {far: [[*passes, FIRST][0] for passes in runs] for far, runs in found.items()}
    counts = {far: np.histogram(stops, np.append(_EDGES, np.inf))[0] for far, stops in firsts.items()}
    if not (lower_limit(counts[0][0], runs, ALARM) < 0.56 and upper_limit(counts[0][0], runs, ALARM) > 0.44):
        raise NotYet("an answer at the threshold should pass about every second time.")
    threshold = 1.0 if limit == 1 or _keeps_threshold(find) else float(limit)  # how far it has to move, in all
    fit = sum(_logarithms(threshold, 2.0 * limit, far) @ count for far, count in counts.items())
    best_cost = fit.max(axis=1).argmax()
    if fit.max() - fit[_COSTS > 0.4].max() > 17:
        raise NotYet(
            f"{where}you stop far too early: that is several times the noise of the definition. Both scales are "
            "proportional to the sensitivity."
        )
    if fit.max() - fit[_COSTS <= 1].max() < 17:
        return
    if fit.max() - fit[:, _RATIOS > 0.2].max() > 6:
        raise NotYet("you stop as if the threshold had no noise, or a new noise for each answer: it needs one, once.")
    if fit.max() - fit[:, _RATIOS < 5].max() > 6:
        raise NotYet("equal answers all pass or all fail: each of them needs noise of its own.")
    raise NotYet(
        f"{where}by where it stops, your search spends ε = {_COSTS[best_cost] * epsilon:.2g}, and it may spend "
        f"{epsilon:.2g}: there is too little noise."
    )


def judge_tails(find: Callable, epsilon: float, rng) -> None:
    """Refuse a search whose noise has short tails, such as normal noise: without a delta no epsilon covers it.

    One of 50 answers that are 28 / epsilon too low passes in 0.8% of the runs or more with Laplace noise, however a
    private search splits epsilon, and in 0.02% with normal noise of the same standard deviations.  A private search is
    refused with probability below 1e-6.
    """
    passes = (1 for _ in range(4_000) if len(find([-28 / epsilon] * 50, rng)) > 0)
    if len(list(islice(passes, 8))) < 8:
        raise NotYet("large noise comes up too rarely: without a δ it has to be Laplace noise, with its long tails.")


def judge_ends(find: Callable) -> None:
    """Refuse a search whose noise has an end: where one draw goes far out, the place where an answer passes stays.

    The search's ε has to be tiny, so that rounded noise moves, too.
    """
    for draw in range(3):
        near, far = (
            {_passes_from(find, [], draw, np.exp(-scales) / 2) for scales in some} for some in ((1, 2, 3), (9, 10, 11))
        )
        if len(near) == 3 and len(far) == 1:
            raise NotYet("your noise has an end: an answer beyond it gives one of two neighbours away.")


def _keeps_threshold(find) -> bool:
    """Tell whether the first two answers pass by one noisy threshold: some draw moves where both of them do, alike."""
    moves = [
        [np.subtract(*[_passes_from(find, before, draw, double) for double in (0.3, 0.6)]) for before in ([], [_HIGH])]
        for draw in range(4)
    ]
    return any(abs(first) > 1e-6 and np.isclose(first, second, rtol=1e-4) for first, second in moves)


_HIGH = 1e12  # passes for certain


def _passes_from(find, before, draw, double) -> float:
    """Return from where on an answer passes that comes after some, if one of the generator's doubles is given."""
    low, high = -_HIGH / 10, _HIGH / 10
    for _ in range(70):
        middle = (low + high) / 2
        answers = [*before, middle, -_HIGH, -_HIGH][:2]
        low, high = (low, middle) if len(before) in find(answers, _with_double(draw, double)) else (middle, high)
    return high


def _with_double(place, double) -> np.random.Generator:
    """Return a generator of fixed bits, but for the double that it draws at this place."""
    bits = np.random.MT19937(7)
    state = bits.state
    upper, lower = divmod(int(double * 2**53), 2**26)
    state["state"]["key"][2 * place : 2 * place + 2] = [_untempered(upper << 5), _untempered(lower << 6)]
    state["state"]["pos"] = 0
    bits.state = state
    return np.random.Generator(bits)


def _untempered(word) -> int:
    """Return the word of the Mersenne Twister's state that it puts out as ``word``."""
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    found = word
    for _ in range(4):
        found = word ^ ((found << 7) & 0x9D2C5680)
    word = found
    for _ in range(2):
        found = word ^ (found >> 11)
    return found


@cache
def _logarithms(threshold, answers, distance) -> np.ndarray:
    """Return the logarithm of the probability of each bin, for each cost and ratio, at epsilon = 1."""
    noise = laplace_steps(200)  # the threshold's
    found = np.empty((len(_COSTS), len(_RATIOS), len(_EDGES)))
    for i, cost in enumerate(_COSTS):
        scale = (threshold / _RATIOS + answers) / cost  # of the answers' noise
        stay = laplace_cdf(_RATIOS[:, None] * noise + (distance / scale)[:, None], 1.0)
        alive = np.exp(np.log(stay)[:, :, None] * _EDGES).mean(axis=1)
        found[i] = np.append(-np.diff(alive, axis=1), alive[:, -1:], axis=1)
    return np.log(np.maximum(found, 1e-12))
