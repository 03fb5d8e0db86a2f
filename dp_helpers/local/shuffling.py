"""What mixing the reports of many people adds to the privacy that each report has already."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dp_helpers import validation as check
from dp_helpers.numerics import bisect

_BLOCKS = 500  # numbers of clones looked at one by one; more of them are taken together, on the safe side
_LEFT_OUT = 1e-3  # share of delta for numbers of clones that are hardly ever that small
_MOST_PEOPLE = 10**12  # up to here the binomial tails are right to nine digits


def shuffled_epsilon(*, epsilon: float, n: int, delta: float, method: str = "numerical") -> float:
    """Return the epsilon of n local reports whose senders and order nobody knows: the shuffle model.

    Each of n people sends one report that is ``epsilon``-locally differentially private, made alike by all, and a
    shuffler strips the names and mixes the reports.  The mixed reports are (result, ``delta``)-differentially private
    (replace-one: one person's answer, for the whole table); against the shuffler itself each person keeps the local
    ``epsilon``, which is also what is returned where a bound does not apply or is larger.

    The numerical bound: each other report is, with probability e^-epsilon, a "clone" that might as well be yours.  Of C
    clones, binomial(n - 1, e^-epsilon), half show each of two sides; that hides on which side you are.  The divergence
    of the two laws that remain is summed.  The closed form follows from the same clones by coarser inequalities.

    Parameters
    ----------
    epsilon : float
        Of each report, local, above 0.
    n : int
        How many people report, public; from 1 to 10^12.
    delta : float
        In (0, 1).
    method : {"numerical", "closed form"}
        The closed form holds for epsilon up to ln(n / (16 ln(2 / delta))).

    Returns
    -------
    float
        An upper bound, at most ``epsilon``; at least ``epsilon / n``, also where ``delta`` alone allows everything.

    References
    ----------
    Feldman, McMillan & Talwar (2021), Hiding among the clones, FOCS: theorems 3.1 (closed form) and 3.2 (numerical).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.shuffled_epsilon(epsilon=1.0, n=32_561, delta=1e-6), 3)
    0.028
    >>> round(dp.shuffled_epsilon(epsilon=1.0, n=32_561, delta=1e-6, method="closed form"), 3)
    0.124
    """
    local = check.positive("epsilon", epsilon)
    n = check.integer("n", n, minimum=1, maximum=_MOST_PEOPLE)
    delta = check.probability("delta", delta, zero=False, one=False)
    check.choice("method", method, ("numerical", "closed form"))
    if min(local, delta) < 1e-300:  # no float holds what is computed here
        return local
    if method == "closed form":
        return min(local, _closed_form(local, n, delta))
    if _delta(local, 0.0, n, delta) <= delta:
        return local / n
    # The local promise holds without any delta.
    return bisect(lambda total: _delta(local, total, n, delta) > delta, local / n, local, precision=1e-4)[1]


def _closed_form(local: float, n: int, delta: float) -> float:
    if local > math.log(n / (16 * (math.log(2) - math.log(delta)))):
        return local
    odds = math.exp(local)
    spread = 8 * math.sqrt(odds * (math.log(4) - math.log(delta)) / n) + 8 * odds / n
    return math.log1p(math.tanh(local / 2) * spread)


def _delta(local: float, epsilon: float, n: int, delta: float) -> float:
    """Return a bound on the delta of shuffled reports at this epsilon, never too small."""
    from scipy import special, stats  # loaded here, because they take longer to load than this whole package

    honest, advantage = 1 / (1 + math.exp(-local)), math.tanh(local / 2)  # of your report, and honest less dishonest
    clones, chances = _clones(local, n, delta)
    # Of the clones and you, x stand on your side.  The two laws of x mirror each other, and their ratio grows with x,
    # so the worst event is "x is at least first".
    gain = math.expm1(min(epsilon, 700.0))  # no overflow; a smaller epsilon has the larger delta
    share = (advantage + gain * honest) / (advantage * (2 + gain))
    others = np.minimum(np.ceil((clones + 1) * share) - 1, clones)  # first, less you
    just, more = stats.binom.pmf(others, clones, 0.5), np.zeros(clones.size)
    more[others < clones] = special.betainc(others + 1, clones - others, 0.5)[others < clones]
    # In one world "at least first" has probability more + honest just, in the other more + (1 - honest) just.
    worst = advantage * just - gain * (more + (1 - honest) * just)
    return float(chances @ np.maximum(worst, 0)) + _LEFT_OUT * delta


@lru_cache(maxsize=8)
def _clones(local: float, n: int, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of clones and their chances; fewer clones hide less, so each block counts as its smallest."""
    from scipy import stats

    law = stats.binom(n - 1, math.exp(-local))
    low = int(law.ppf(_LEFT_OUT * delta))
    high = int(law.isf(1e-9)) + 1
    starts = np.unique(np.linspace(low, high, min(high - low, _BLOCKS) + 1).astype(int))
    ends = np.append(law.cdf(starts[1:] - 1), 1.0)
    return starts, np.diff(ends, prepend=law.cdf(low - 1))
