"""How much privacy a noisy search for the first large answer spends, judged by where it stops.

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


def judge_search(stops: list[int | None], distance: float, epsilon: float, *, threshold=1.0, answers=2.0) -> float:
    """Refuse a search that spends more than ``epsilon``; return how the scales of its two noises compare.

    Parameters
    ----------
    stops : list of int or None
        How many answers did not pass before the first that did, in independent runs; None: none of `FIRST`.
    distance : float
        How far below the threshold the answers are.
    epsilon : float
        What the search may spend.
    threshold, answers : float
        How far the noise of the threshold and that of the answers has to move between neighbours, in all.

    Returns
    -------
    float
        The scale of the threshold's noise divided by that of the answers', as far as the stops show it.

    Notes
    -----
    A likelihood ratio: the best private pair of scales against the best pair.  A private search is refused with
    probability below 1e-8.  Of 4,000 searches, ones with noise smaller by a factor of 1.2 are.
    """
    if len(set(stops)) == 1:
        raise NotYet("every run of your search ends at the same place: draw its noise from rng, anew in each run.")
    numbers = [FIRST if stop is None else min(stop, FIRST) for stop in stops]
    counts = np.histogram(numbers, np.append(_EDGES, np.inf))[0]
    fit = _logarithms(threshold, answers, distance * epsilon) @ counts
    best_cost, best_ratio = np.unravel_index(fit.argmax(), fit.shape)
    if fit.max() - fit[_COSTS <= 1].max() < 17:
        return _RATIOS[best_ratio]
    if fit.max() - fit[:, _RATIOS > 0.3].max() > 6:
        raise NotYet("you stop as if the threshold had no noise, or a new noise for each answer: it needs one, once.")
    if fit.max() - fit[:, _RATIOS < 5].max() > 6:
        raise NotYet("equal answers all pass or all fail: each of them needs noise of its own.")
    raise NotYet(
        f"by where it stops, your search spends ε = {_COSTS[best_cost] * epsilon:.2g}, and it may spend {epsilon:.2g}: "
        "there is too little noise."
    )


def judge_tails(stop: Callable[[list[float]], object], epsilon: float) -> None:
    """Refuse a search whose noise has short tails, such as normal noise: without a delta no epsilon covers it.

    ``stop`` gets answers of sensitivity 1, with the threshold 0, and returns None if none of them passes.  One of 50
    answers that are 28 / epsilon too low passes in 0.8% of the runs or more with Laplace noise, however a private
    search splits epsilon, and in 0.02% with normal noise of the same standard deviations.  A private search is refused
    with probability below 1e-6.
    """
    if sum(stop([-28 / epsilon] * 50) is not None for _ in range(4_000)) < 8:
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
