"""How much privacy a noisy search for the first large answers spends, judged by where it stops.

The search gets many equal answers below its threshold.  With Laplace noise of one scale on the threshold and of
another on the answers, the number of answers up to the first pass has a known distribution, whose two parameters tell
what the search costs.  So the noise may be drawn in any way, and split between threshold and answers in any way.
"""

from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from unittest import mock

import numpy as np

from .judging import NotYet, laplace_cdf

FIRST = 60  # a search that has not stopped here is not watched any longer
_EDGES = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 38, 48, FIRST])
_RATIOS = np.sort(np.append(np.geomspace(0.05, 20, 25), 0.5))  # scale of the threshold's noise / that of the answers'
_COSTS = np.concatenate([np.linspace(0.2, 1, 21), np.geomspace(1.05, 8, 30)])  # as a multiple of what is allowed


@contextmanager
def by_hand(what: str):
    """Let the package's searches refuse meanwhile: the task is to write one."""
    with mock.patch("dp_helpers.sparse_vector._passes", side_effect=NotYet(what)):
        yield


def judge_search(find: Callable, epsilon: float, *, limit: int = 1, where: str = "", runs: int = 6_000) -> None:
    """Refuse a search that spends more than ``epsilon``, or many times less.

    Parameters
    ----------
    find : callable
        Takes answers of sensitivity 1, and returns the positions of those that pass the threshold 0.
    epsilon : float
        What the search may spend.
    limit : int
        How many answers may pass.  A threshold that is drawn anew after each pass pays as often.
    where : str
        Begins the sentences.

    Notes
    -----
    A likelihood ratio: the best private pair of scales against the best pair, for answers below the threshold, where a
    low threshold and a high answer look alike, and on it, where they don't.  A private search is refused with
    probability below 1e-7.  Of 6,000 runs, a price of 9/8 is.
    """
    found = {far: [find([-far / epsilon] * (FIRST * min(limit, 2))) for _ in range(runs)] for far in (10 * limit, 0)}
    if len({tuple(passes) for passes in found[10 * limit]}) == 1:
        raise NotYet(
            f"{where}every run of your search ends at the same place: draw its noise from rng, anew in each run."
        )
    firsts = {far: [min([*passes, FIRST][0], FIRST) for passes in runs] for far, runs in found.items()}
    counts = {far: np.histogram(stops, np.append(_EDGES, np.inf))[0] for far, stops in firsts.items()}
    ratio = _judge_scales(counts, 1.0, 2.0 * limit, epsilon, where)
    # A threshold that stays ties the two gaps together, by 0.05 or more where it shows; one that is drawn anew doesn't.
    twice = [(passes[0], passes[1] - passes[0] - 1) for passes in found[10 * limit] if passes[1:] and passes[0] < FIRST]
    known = len(twice) > 500 and 2 * ratio**2 / (2 * ratio**2 + 1.64) > 0.15
    if known and np.corrcoef(np.log1p(np.minimum(twice, FIRST)).T)[0, 1] < 0.05 - 5 / np.sqrt(len(twice)):
        _judge_scales(counts, float(limit), 2.0 * limit, epsilon, where)


def _judge_scales(counts, threshold, answers, epsilon, where) -> float:
    """Return the scale of the threshold's noise divided by that of the answers', or refuse both.

    ``threshold`` and ``answers`` are how far the two noises have to move between neighbours, in all.
    """
    fit = sum(_logarithms(threshold, answers, far) @ count for far, count in counts.items())
    best_cost, best_ratio = np.unravel_index(fit.argmax(), fit.shape)
    if fit.max() - fit[_COSTS > 0.4].max() > 17:
        raise NotYet(
            f"{where}you stop far too early: that is several times the noise of the definition. Both scales are "
            "proportional to the sensitivity."
        )
    if fit.max() - fit[_COSTS <= 1].max() < 17:
        return _RATIOS[best_ratio]
    if fit.max() - fit[:, _RATIOS > 0.2].max() > 6:
        raise NotYet("you stop as if the threshold had no noise, or a new noise for each answer: it needs one, once.")
    if fit.max() - fit[:, _RATIOS < 5].max() > 6:
        raise NotYet("equal answers all pass or all fail: each of them needs noise of its own.")
    raise NotYet(
        f"{where}by where it stops, your search spends ε = {_COSTS[best_cost] * epsilon:.2g}, and it may spend "
        f"{epsilon:.2g}: there is too little noise."
    )


def judge_tails(find: Callable, epsilon: float) -> None:
    """Refuse a search whose noise has short tails, such as normal noise: without a delta no epsilon covers it.

    One of 50 answers that are 28 / epsilon too low passes in 0.8% of the runs or more with Laplace noise, however a
    private search splits epsilon, and in 0.02% with normal noise of the same standard deviations.  A private search is
    refused with probability below 1e-6.
    """
    if sum(len(find([-28 / epsilon] * 50)) > 0 for _ in range(4_000)) < 8:
        raise NotYet("large noise comes up too rarely: without a δ it has to be Laplace noise, with its long tails.")


@cache
def _logarithms(threshold, answers, distance) -> np.ndarray:
    """Return the logarithm of the probability of each bin, for each cost and ratio, at epsilon = 1."""
    middle = (np.arange(200) + 0.5) / 200  # the threshold's noise, in 200 equally likely steps
    noise = np.where(middle < 0.5, np.log(2 * middle), -np.log(2 * (1 - middle)))
    found = np.empty((len(_COSTS), len(_RATIOS), len(_EDGES)))
    for i, cost in enumerate(_COSTS):
        scale = (threshold / _RATIOS + answers) / cost  # of the answers' noise
        stay = laplace_cdf(_RATIOS[:, None] * noise + (distance / scale)[:, None], 1.0)
        alive = np.exp(np.log(stay)[:, :, None] * _EDGES).mean(axis=1)
        found[i] = np.append(-np.diff(alive, axis=1), alive[:, -1:], axis=1)
    return np.log(np.maximum(found, 1e-12))
