"""What a release will look like, planned before any data are read: from a few rounded numbers, by formulas alone.

The page "Plan a release" computes the same (`book/_static/planning.js`); a test holds the two together.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import math
from dataclasses import dataclass

import numpy as np

from dp_helpers import validation as check
from dp_helpers.grouping import key_threshold
from dp_helpers.mechanisms import gaussian_sigma, laplace_scale
from dp_helpers.noise_accuracy import gaussian_accuracy, laplace_accuracy

_STRATA = 200
_SINGLE = 60  # so many of the largest groups one by one, then by ever larger handfuls
_FLATTENED = 2  # the head of the sizes: shares fall as 1 / (rank + 2)^skew


@dataclass(frozen=True)
class CountsPlan:
    """What `plan_group_counts` returns: expected values, and no randomness.

    Attributes
    ----------
    people : numpy.ndarray, shape (k,)
        How many people a group has, the largest first; groups of like size stand together.
    groups : numpy.ndarray, shape (k,)
        How many groups are of that size.
    kept : numpy.ndarray, shape (k,)
        What is counted in such a group once each person is bounded: people, or their rows.
    appears : numpy.ndarray, shape (k,)
        The chance that such a group is published.
    published : float
        How many groups are, in the mean.
    dropped, dropped_of_heavy : float
        The share of rows (or of people in groups) that bounding drops, in all and for the tenth with the most groups.
    scale : float
        Of the Laplace noise of a count, or the deviation of normal noise.
    width : float
        Nineteen of twenty counts are at most that far off, besides what bounding drops.
    threshold : float or None
        The noisy number of people from which a group is published.
    known : int or None
        People in the smallest group whose count is known to a tenth, at 19 of 20; None if no group's is.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> plan = dp.plan_group_counts(people=5000, groups=800, largest_share=0.25, most_groups=3, epsilon=2, delta=1e-6)
    >>> round(plan.published), round(plan.width)
    (46, 9)
    """

    people: np.ndarray
    groups: np.ndarray
    kept: np.ndarray
    appears: np.ndarray
    published: float
    dropped: float
    dropped_of_heavy: float
    scale: float
    width: float
    threshold: float | None
    known: int | None


def plan_group_counts(
    *,
    people: int,
    groups: int,
    groups_of_a_person: tuple[float, float, float] = (3, 14, 45),
    rows_in_a_group: tuple[float, float, float] = (1, 3, 6),
    largest_share: float,
    most_groups: int,
    most_rows: int | None = None,
    epsilon: float,
    delta: float | None = None,
    noise_delta: float | None = None,
) -> CountsPlan:
    """Return what counts by group will look like, if each person is bounded and noise is added.

    The release is `select_keys` with one half of epsilon and with delta, then `private_group_counts` with the other
    half; without a delta the list of groups is public, and the counts get the whole epsilon.  With ``noise_delta`` the
    counts have normal noise, for which a person's L0 groups weigh sqrt(L0) only; both deltas add up.

    The plan is that of a synthetic twin: in how many groups a person is follows the three numbers that are given, with
    a heavy tail behind; a group of rank r draws people with weight 1 / (r + 2)^a, and a is such that the largest has
    its share.  On the book's visits the groups published are within a tenth, and what is dropped within four
    hundredths.  The numbers that are given are answers about people themselves: take rounded ones, public ones, or last
    year's.

    Parameters
    ----------
    people, groups : int
        How many there are: people at least 1, groups from 2 to 1,000,000.
    groups_of_a_person, rows_in_a_group : tuple of float
        In how many groups a person is, and how many rows he or she has in one: for a person at the middle, for 1 in 10,
        and for 1 in 100.  At least 1, and rising.
    largest_share : float
        The share of all people who are in the largest group, above 0 and below 1.
    most_groups : int
        In how many groups a person may count (L0), at least 1.
    most_rows : int, optional
        How many rows he or she may count in each (L-infinity), at least 1.  None: people are counted, not rows.
    epsilon : float
        Above 0.
    delta : float, optional
        For finding the groups, above 0 and below 1.  None: the list of groups is public.
    noise_delta : float, optional
        For normal noise of the counts, above 0 and below 1.  None: Laplace noise, which takes none.

    Returns
    -------
    CountsPlan

    References
    ----------
    Amin, Kulesza, Munoz & Vassilvitskii (2019), Bounding user contributions, ICML (bias against noise).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> given = {"people": 5000, "groups": 800, "largest_share": 0.25, "epsilon": 2, "delta": 1e-6}
    >>> [round(dp.plan_group_counts(**given, most_groups=most).published) for most in (1, 3, 10, 30)]
    [61, 46, 21, 7]
    """
    people = check.integer("people", people, minimum=1)
    groups = check.integer("groups", groups, minimum=2, maximum=1_000_000)
    in_groups = _three("groups_of_a_person", groups_of_a_person)
    rows = _three("rows_in_a_group", rows_in_a_group)
    largest_share = check.probability("largest_share", largest_share, zero=False, one=False)
    most_groups = check.integer("most_groups", most_groups, minimum=1)
    if most_rows is not None:
        most_rows = check.integer("most_rows", most_rows, minimum=1)
    epsilon = check.positive("epsilon", epsilon)
    if delta is not None:
        delta = check.probability("delta", delta, zero=False, one=False)
    half = epsilon / 2 if delta else epsilon
    noise = _noise(most_groups, most_rows or 1, half, noise_delta)
    threshold = key_threshold(most_groups=most_groups, epsilon=half, delta=delta) if delta else None
    twin = _twin(groups, in_groups, largest_share)
    return _planned(people, *twin, rows, most_groups, most_rows, half, noise, threshold)


@dataclass(frozen=True)
class FewPlan:
    """What `plan_count` and `plan_mean` return: widths within which 19 of 20 answers lie, in the unit of the answer.

    Attributes
    ----------
    noise : float
        Off the exact answer, by the noise.
    luck : float
        Off what one wants to know, by the luck of the draw: other people of the kind would have answered otherwise.
    width : float
        By both together, sqrt(noise^2 + luck^2).
    useful_from : int
        From so many people on the noise varies no more than the luck of the draw.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.plan_count(people=100, share=0.5, epsilon=1).useful_from
    8
    """

    noise: float
    luck: float
    width: float
    useful_from: int


def plan_count(*, people: int, share: float, epsilon: float) -> FewPlan:
    """Return how far off a `private_count` of those who say yes will be, and how far off it is by luck anyway.

    The noise has variance 2 / epsilon^2; of n people who say yes with chance p each, the number varies by n p (1 - p).
    They are level at n = 2 / (epsilon^2 p (1 - p)).

    Parameters
    ----------
    people : int
        How many are asked, at least 1; one answer each.
    share : float
        Of them who say yes, about, above 0 and below 1: a rounded, public or last year's share.
    epsilon : float
        Above 0 (add/remove-one).

    Returns
    -------
    FewPlan
        In people.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> plan = dp.plan_count(people=40, share=0.2, epsilon=0.5)
    >>> round(plan.noise, 1), round(plan.luck, 1), plan.useful_from
    (6.0, 5.0, 50)
    """
    people = check.integer("people", people, minimum=1)
    share = check.probability("share", share, zero=False, one=False)
    scale = laplace_scale(sensitivity=1, epsilon=epsilon)
    noise = laplace_accuracy(scale=scale, confidence=0.95)
    luck = gaussian_accuracy(sigma=math.sqrt(people * share * (1 - share)), confidence=0.95)
    return FewPlan(noise, luck, math.hypot(noise, luck), math.ceil(2 * scale**2 / (share * (1 - share)) - 1e-9))


def plan_mean(*, people: int, lower: float, upper: float, mean: float, spread: float, epsilon: float) -> FewPlan:
    """Return how far off a `private_mean` will be, and how far off it is by luck anyway.

    `private_mean` divides a noisy sum, off by noise of scale (upper - lower) / epsilon, by a noisy number of people,
    which weighs the more the farther the mean lies from the middle of the bounds.  Its noise varies by

        2 ((upper - lower)^2 + 4 (mean - middle)^2) / (epsilon n)^2,

    to the first order, good from about n = 20 / epsilon on; the mean of n people by spread^2 / n.

    Parameters
    ----------
    people : int
        At least 1, public or not; one value each.
    lower, upper : float
        Bounds of a value, public; lower below upper.
    mean, spread : float
        About where the values lie, between the bounds, and their standard deviation, above 0 and at most
        sqrt((upper - mean) (mean - lower)), which no values within the bounds exceed.  Take rounded, public or last
        year's numbers.
    epsilon : float
        Above 0 (add/remove-one).

    Returns
    -------
    FewPlan
        In the unit of the values.

    References
    ----------
    McSherry (2009), Privacy integrated queries, SIGMOD (averages from noisy parts).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> plan = dp.plan_mean(people=200, lower=0, upper=100, mean=40, spread=15, epsilon=1)
    >>> round(plan.noise, 2), round(plan.luck, 2), plan.useful_from
    (1.53, 2.08, 93)
    """
    people = check.integer("people", people, minimum=1)
    lower, upper = check.bounds(lower, upper)
    mean = check.finite("mean", mean)
    if not lower < mean < upper:
        raise ValueError(f"mean must be between lower and upper, {lower!r} and {upper!r}, got {mean!r}")
    spread, epsilon = check.positive("spread", spread), check.positive("epsilon", epsilon)
    most = math.sqrt((upper - mean) * (mean - lower))
    if spread > most * (1 + 1e-9):
        raise ValueError(f"spread must be at most {most:.4g}, that of values at the bounds, got {spread!r}")
    deviation = math.sqrt(2) * math.hypot(upper - lower, 2 * mean - lower - upper) / epsilon  # of the noise, times n
    noise = laplace_accuracy(scale=deviation / math.sqrt(2), confidence=0.95) / people
    luck = gaussian_accuracy(sigma=spread / math.sqrt(people), confidence=0.95)
    return FewPlan(noise, luck, math.hypot(noise, luck), math.ceil((deviation / spread) ** 2 - 1e-9))


def _noise(most_groups, most_rows, epsilon, delta) -> tuple[float, float]:
    """Return the scale of `private_group_counts` and the width within which 19 of 20 counts lie."""
    if delta is None:
        scale = laplace_scale(sensitivity=most_groups * most_rows, epsilon=epsilon)
        return scale, laplace_accuracy(scale=scale, confidence=0.95)
    delta = check.probability("noise_delta", delta, zero=False, one=False)
    sigma = gaussian_sigma(sensitivity=math.sqrt(most_groups) * most_rows, epsilon=epsilon, delta=delta)
    return sigma, gaussian_accuracy(sigma=sigma, confidence=0.95)


def _planned(people, counts, times, weights, rows, most_groups, most_rows, half, noise, threshold) -> CountsPlan:
    in_all = people * weights.mean(axis=0)
    kept_people = people * (np.minimum(1, most_groups / counts)[:, None] * weights).mean(axis=0)
    each = _strata(rows)
    kept_rows = 1.0 if most_rows is None else np.minimum(each, most_rows).mean()
    share_of_rows = 1.0 if most_rows is None else kept_rows / each.mean()
    heavy = counts[-_STRATA // 10 :]
    scale, width = noise
    appears = np.ones(times.size)
    if threshold is not None:
        beyond = (kept_people - threshold) / (most_groups / half)
        appears = np.where(beyond < 0, np.exp(np.minimum(beyond, 0)) / 2, 1 - np.exp(-np.maximum(beyond, 0)) / 2)
    known = np.flatnonzero(kept_people * kept_rows >= 10 * width)
    return CountsPlan(
        people=in_all,
        groups=times,
        kept=kept_people * kept_rows,
        appears=appears,
        published=float(times @ appears),
        dropped=float(1 - np.minimum(counts, most_groups).sum() / counts.sum() * share_of_rows),
        dropped_of_heavy=float(1 - np.minimum(heavy, most_groups).sum() / heavy.sum() * share_of_rows),
        scale=scale,
        width=width,
        threshold=threshold,
        known=math.ceil(in_all[known[-1]]) if known.size else None,
    )


def _three(name, given) -> np.ndarray:
    """Return three rising numbers of at least 1."""
    three = check.numbers(name, given)
    if three.size != 3 or three[0] < 1 or (np.diff(three) < 0).any():
        raise ValueError(f"{name} must be three numbers of at least 1 that rise, got {given!r}")
    return three


def _strata(three) -> np.ndarray:
    """Return the values of 200 equal shares of people, from their middle, 1 in 10 and 1 in 100."""
    tail = -np.log1p(-(np.arange(_STRATA) + 0.5) / _STRATA)
    knots, logs = np.log([1, 2, 10, 100]), np.log([1, *three])
    slope = (logs[3] - logs[2]) / (knots[3] - knots[2])
    return np.maximum(1, np.floor(np.exp(np.interp(tail, knots, logs) + slope * np.maximum(tail - knots[3], 0)) + 0.5))


def _ranks(groups) -> tuple[np.ndarray, np.ndarray]:
    """Return a rank for each handful of groups, and how many groups are in it."""
    ends = [*range(1, min(groups, _SINGLE) + 1)]
    while ends[-1] < groups:
        ends.append(min(groups, math.ceil(ends[-1] * 1.06)))
    starts = np.array([0, *ends[:-1]])
    return (starts + np.array(ends) + 1) / 2, np.array(ends) - starts


def _twin(groups, in_groups, largest_share) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each stratum's number of groups, how many groups a handful has, and the chance to be in one of it."""
    counts = np.minimum(_strata(in_groups), groups)
    ranks, times = _ranks(groups)
    low, high = 0.0, 4.0
    for _ in range(30):
        skew = (low + high) / 2
        weights = _chances(counts, (ranks + _FLATTENED) ** -skew, times)
        low, high = (skew, high) if weights[:, 0].mean() < largest_share else (low, skew)
    return counts, times, weights


def _chances(counts, popularity, times) -> np.ndarray:
    """Return 1 - e^(-c popularity) with the c at which a person is in as many groups as counted."""
    unique, row = np.unique(counts, return_inverse=True)
    low, high = np.full(unique.size, -20.0), np.full(unique.size, 40.0)
    for _ in range(50):
        middle = (low + high) / 2
        found = -np.expm1(-np.exp(middle)[:, None] * popularity) @ times
        low, high = np.where(found < unique, middle, low), np.where(found < unique, high, middle)
    return -np.expm1(-np.exp(high)[:, None] * popularity)[row]
