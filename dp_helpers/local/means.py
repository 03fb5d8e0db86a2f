"""The mean of a number that each person randomizes on their own device."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import laplace_scale
from dp_helpers.validation import Rng

_BLOCK = 2**16  # people at a time


def laplace_mean(values: ArrayLike, *, lower: float, upper: float, epsilon: float, rng: Rng = None) -> float:
    """Return the mean of reports that carry Laplace noise each: epsilon-locally differentially private.

    Each person clips their value into the bounds and adds Laplace noise of scale (upper - lower) / epsilon, the
    farthest that two values can be apart divided by epsilon.  Neighbours are any two values of one person
    (replace-one); n is public.  The mean of the reports is an unbiased estimate of the mean of the clipped values, for
    every n; the report of a single person is the estimate from that person alone.

    A report has variance 2 (upper - lower)^2 / epsilon^2, and the estimate that divided by n.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        One number for each person; at least one.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter of each person's report, above 0.

    Returns
    -------
    float
        In the unit of ``values``; any number may come out.

    References
    ----------
    Duchi, Jordan & Wainwright (2018), Minimax optimal procedures for locally private estimation, Journal of the
    American Statistical Association 113.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> ages = np.full(10_000, 40)
    >>> estimate = dp.laplace_mean(ages, lower=0, upper=100, epsilon=1.0, rng=np.random.default_rng(1))
    >>> abs(estimate - 40) < 5 * (2 * 100**2 / 10_000) ** 0.5
    True
    """
    return _mean_of_reports(_laplace, values, lower, upper, epsilon, rng)


def duchi_mean(values: ArrayLike, *, lower: float, upper: float, epsilon: float, rng: Rng = None) -> float:
    """Return the mean of reports that are one of two numbers each: epsilon-locally differentially private.

    With m the middle between the bounds and h half their distance, each person clips their value x into the bounds
    and reports m + hc or m - hc, c = (e^epsilon + 1) / (e^epsilon - 1).  The first has probability
    1/2 + (x - m) / (2hc), which is e^epsilon times as large at the upper bound as at the lower one.  Neighbours are
    any two values of one person (replace-one); n is public.  The mean of the reports is an unbiased estimate of the
    mean of the clipped values, for every n; the report of a single person is the estimate from that person alone.

    A report has variance (hc)^2 - (x - m)^2, largest for a value in the middle; the estimate has the average of these
    divided by n.  It is smaller than that of `laplace_mean` in the worst case up to epsilon 2.32.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        One number for each person; at least one.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter of each person's report, above 0.

    Returns
    -------
    float
        In the unit of ``values``, between m - hc and m + hc.

    References
    ----------
    Duchi, Jordan & Wainwright (2018), Minimax optimal procedures for locally private estimation, Journal of the
    American Statistical Association 113.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> report = dp.duchi_mean([40], lower=0, upper=100, epsilon=np.log(3), rng=np.random.default_rng(1))
    >>> round(report) in (-50, 150)  # from one person
    True
    """
    return _mean_of_reports(_duchi, values, lower, upper, epsilon, rng)


def piecewise_mean(values: ArrayLike, *, lower: float, upper: float, epsilon: float, rng: Rng = None) -> float:
    """Return the mean of reports that most likely fall near the value: epsilon-locally differentially private.

    In units in which the bounds are -1 and 1, and with C = (e^(epsilon/2) + 1) / (e^(epsilon/2) - 1), each person
    clips their value x into the bounds and reports a number between -C and C.  Its density is e^epsilon times as high
    on the piece of length C - 1 that starts at (C + 1) x / 2 - (C - 1) / 2 as it is elsewhere.  Neighbours are any two
    values of one person (replace-one); n is public.  The mean of the reports is an unbiased estimate of the mean of
    the clipped values, for every n; the report of a single person is the estimate from that person alone.

    With u = e^(epsilon/2), a report has in these units the variance x^2 / (u - 1) + (u + 3) / (3 (u - 1)^2), largest
    for a value at a bound; the estimate has the average of these divided by n, times ((upper - lower) / 2)^2.  The
    largest variance is smaller than that of `duchi_mean` from epsilon 1.29 on.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        One number for each person; at least one.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter of each person's report, above 0.

    Returns
    -------
    float
        In the unit of ``values``, between m - hC and m + hC with m the middle of the bounds and h half their distance.

    References
    ----------
    Wang, Xiao, Yang, Zhao, Hui, Shin, Shin & Yu (2019), Collecting and analyzing multidimensional data with local
    differential privacy, ICDE.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> ages = np.full(10_000, 40)
    >>> estimate = dp.piecewise_mean(ages, lower=0, upper=100, epsilon=4.0, rng=np.random.default_rng(1))
    >>> 38 < estimate < 42
    True
    """
    return _mean_of_reports(_piecewise, values, lower, upper, epsilon, rng)


def _mean_of_reports(report, values, lower, upper, epsilon, rng) -> float:
    """Return the mean of everybody's ``report(x, epsilon, rng)``, where x is their value scaled to [-1, 1]."""
    numbers = check.numbers("values", values, empty=False)
    lower, upper = check.bounds(lower, upper)
    epsilon = check.positive("epsilon", epsilon)
    rng = check.generator(rng)
    laplace_scale(sensitivity=upper - lower, epsilon=epsilon)  # refuses reports beyond float64
    half = upper / 2 - lower / 2
    middle = lower + half
    total = 0.0
    for start in range(0, numbers.size, _BLOCK):
        x = (np.clip(numbers[start : start + _BLOCK], lower, upper) - middle) / half
        total += report(x, epsilon, rng).sum()
    return float(middle + half * (total / numbers.size))


# Reports of people with values x in [-1, 1], each an unbiased estimate of x.


def _laplace(x: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return x + 2 / epsilon * (rng.standard_exponential(x.size) - rng.standard_exponential(x.size))


def _duchi(x: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    slope = check.truthful(epsilon, math.tanh(epsilon / 2))  # 1 / c
    return np.where(rng.random(x.size) < 0.5 + x * slope / 2, 1.0, -1.0) / slope


def _piecewise(x: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    shrink = math.exp(-epsilon / 2)
    inside = check.truthful(epsilon, 1 / (1 + shrink))
    largest = 1 / math.tanh(epsilon / 4)  # C
    piece = 2 * shrink / -math.expm1(-epsilon / 2)  # C - 1
    start = (largest + 1) / 2 * x - piece / 2
    # The piece has probability ``inside``.  The rest has length C + 1: skip the piece when it comes.
    near = start + piece * rng.random(x.size)
    far = -largest + (largest + 1) * rng.random(x.size)
    far[far >= start] += piece
    return np.where(rng.random(x.size) < inside, near, far)
