"""How much privacy a noisy search for the first large answers spends, judged by where it stops.

The search gets many equal answers below its threshold.  With Laplace noise of one scale on the threshold and of
another on the answers, the number of answers up to the first pass has a known distribution, whose two parameters tell
what the search costs.  So the noise may be drawn in any way, and split between threshold and answers in any way.
"""

from collections.abc import Callable
from functools import cache
from time import process_time

import numpy as np
from scipy import special

from dp_helpers.audit import lower_limit, upper_limit

from .judges import ALARM
from .judging import NotYet, laplace_cdf

FIRST = 60  # a search that has not stopped here is not watched any longer
_STREAMS = {10: 1, 0: 6, -6: 8}  # how far all answers are below the threshold, at epsilon = 1; their share of the runs
_EDGES = np.array([0, 1, 2, 3, 5, 8, 12, 18, 27, 40, FIRST])
_RATIOS = np.geomspace(0.05, 20, 97)  # scale of the threshold's noise / that of the answers'
_COSTS = np.concatenate([np.linspace(0.2, 1, 25), np.geomspace(1.03, 6, 25)])  # as a multiple of what is allowed
_CERTAIN = 25  # a difference of logarithms that is no chance
_MISFIT = 50  # of the best scales from the runs themselves; of Laplace noise it is 14 to 20, give or take 4


def judge_search(find: Callable, epsilon: float, rng, *, limit: int = 1, where: str = "", runs: int) -> None:
    """Refuse a search that spends more than ``epsilon``, or many times less, or has no Laplace noise.

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
    runs : int
        How many streams of answers below the threshold it gets; of those on it and above it, which take few draws, it
        gets more.  Where a draw takes long, it gets fewer of all.

    Notes
    -----
    Likelihood ratios: the best private pair of scales against the best pair, and that against the runs' own shares.
    A private search with Laplace noise is refused with probability below 1e-7.
    """
    firsts, started = {far: [] for far in _STREAMS}, process_time()
    for _ in range(runs // 20):
        for far, times in _STREAMS.items():
            found = (find([-far * limit / epsilon] * FIRST, rng) for _ in range(20 * times))
            firsts[far] += [[*passes, FIRST][0] for passes in found]
        if process_time() - started > 1:
            break
    if len(set(firsts[10])) == 1:
        raise NotYet(f"{where}every run of your search ends at the same place: draw noise from rng, in each run.")
    counts = {far: np.histogram(stops, np.append(_EDGES, np.inf))[0] for far, stops in firsts.items()}
    at_once, all_of_them = int(counts[0][0]), len(firsts[0])
    if not (lower_limit(at_once, all_of_them, ALARM) < 0.56 and upper_limit(at_once, all_of_them, ALARM) > 0.44):
        raise NotYet("an answer at the threshold should pass about every second time.")
    threshold = 1.0 if limit == 1 or _keeps_threshold(find) else float(limit)  # how far it has to move, in all
    fit = sum(_logarithms(threshold, 2.0 * limit, far * limit) @ count for far, count in counts.items())
    if fit.max() - fit[_COSTS > 0.4].max() > _CERTAIN:
        raise NotYet(f"{where}your noise is several times what is needed: scales are proportional to sensitivity.")
    itself = sum(special.xlogy(count, count / count.sum()).sum() for count in counts.values())
    if fit.max() - fit[_COSTS <= 1].max() > _CERTAIN:
        if fit.max() - fit[:, _RATIOS > 0.2].max() > 6:
            raise NotYet(f"{where}you stop as if the threshold had no noise, or one for each answer: draw it once.")
        if fit.max() - fit[:, _RATIOS < 5].max() > 6:
            raise NotYet(f"{where}equal answers all pass or all fail: each of them needs noise of its own.")
        cost = _COSTS[fit.max(axis=1).argmax()]
        if cost > 1.05 or itself - fit.max() <= _MISFIT:
            spent = f"spends ε = {cost * epsilon:.2g}, and it may spend {epsilon:.2g}: there is too little noise."
            raise NotYet(f"{where}by where it stops, your search {spent}")
    if itself - fit.max() > _MISFIT:
        raise NotYet("you don't stop as with Laplace noise: without a δ it has to be that, with its long tails.")


def judge_ends(find: Callable) -> None:
    """Refuse a search whose noise has an end: where one draw goes far out, the place where an answer passes stays.

    The search's ε has to be tiny, so that rounded noise moves, too.
    """
    for draw in range(3):
        near, far = ({_passes_from(find, [], draw, np.exp(-k) / 2) for k in some} for some in ((1, 2, 3), (9, 10, 11)))
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
    bits = np.random.MT19937(7)
    state = _with_double(bits.state, draw, double)
    for _ in range(55):
        bits.state = state
        middle = (low + high) / 2
        answers = [*before, middle, -_HIGH, -_HIGH][:2]
        low, high = (low, middle) if len(before) in find(answers, np.random.Generator(bits)) else (middle, high)
    return high


def _with_double(state, place, double) -> dict:
    """Return the state of fixed bits, but for the double that a generator draws at this place."""
    upper, lower = divmod(int(double * 2**53), 2**26)
    state["state"]["key"][2 * place : 2 * place + 2] = [_untempered(upper << 5), _untempered(lower << 6)]
    state["state"]["pos"] = 0
    return state


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
    noise = np.linspace(-14, 14, 141)  # the threshold's
    weights = np.exp(-np.abs(noise)) / np.exp(-np.abs(noise)).sum()
    found = np.empty((len(_COSTS), len(_RATIOS), len(_EDGES)))
    for i, cost in enumerate(_COSTS):
        scale = (threshold / _RATIOS + answers) / cost  # of the answers' noise
        stay = laplace_cdf(_RATIOS[:, None] * noise + (distance / scale)[:, None], 1.0)
        alive = weights @ np.exp(np.log(stay)[:, :, None] * _EDGES)
        found[i] = np.append(-np.diff(alive, axis=1), alive[:, -1:], axis=1)
    return np.log(np.maximum(found, 1e-12))
