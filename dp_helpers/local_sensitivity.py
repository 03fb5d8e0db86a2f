"""Local sensitivity put to use: propose-test-release, smooth sensitivity, sample-and-aggregate.

The local sensitivity of a query is its largest change from *this* data set to a neighbour.  It is often far below the
global sensitivity, but noise of that scale is not private: the scale itself tells the data apart.  The three
frameworks here get most of the gain all the same.  The bounds are public: they must be chosen without looking at the
data, and values outside are moved to the nearer bound.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import laplace_mechanism, laplace_scale
from dp_helpers.validation import Rng


def propose_test_release_mean(
    values: ArrayLike, *, lower: float, upper: float, bound: float, epsilon: float, delta: float, rng: Rng = None
) -> float | None:
    """Return a noisy mean of ``values`` clipped to [lower, upper], or None: (epsilon, delta)-differentially private.

    Neighbours are add/remove-one.  The analyst proposes a ``bound`` on the local sensitivity.  The test asks how many
    rows would have to go before the local sensitivity could exceed it.  With u = upper - lower, it is at most
    u / (n - k) after k changes, additions or removals, so that distance is n - ceil(u / bound) + 1, or 0 where this
    is negative, and infinite for a bound of u or more.  Adding or removing a row changes it by 1.

    Test and release cost epsilon / 2 each: the distance gets Laplace noise of scale 2 / epsilon and must reach
    2 ln(1 / (2 delta)) / epsilon, which at distance 0 happens with probability delta; the mean then gets Laplace
    noise of scale 2 bound / epsilon.  The result is not clipped.  The whole cost is paid for None as well.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, possibly none: the mean of no values counts as the middle of the bounds.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    bound : float
        The proposed bound on the local sensitivity, public, in the unit of ``values``; above 0.
    epsilon, delta : float
        Privacy parameters of the whole release: epsilon above 0, delta above 0 and below 1.

    Returns
    -------
    float or None
        In the unit of ``values``; None if the test fails.

    References
    ----------
    Dwork & Lei (2009), Differential privacy and robust statistics, STOC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> setting = dict(lower=0, upper=100, epsilon=1.0, delta=1e-6, rng=rng)
    >>> round(dp.propose_test_release_mean(np.full(10_000, 40), bound=0.02, **setting))
    40
    >>> print(dp.propose_test_release_mean(np.full(10_000, 40), bound=0.01, **setting))
    None
    """
    array = check.numbers("values", values)
    lower, upper = check.bounds(lower, upper)
    bound, epsilon = check.positive("bound", bound), check.positive("epsilon", epsilon)
    delta = check.probability("delta", delta, zero=False, one=False)
    rng = check.generator(rng)
    if not _test_passes(array.size, (upper - lower) / bound, epsilon / 2, delta, rng):
        return None
    mean = np.clip(array, lower, upper).mean() if array.size else lower / 2 + upper / 2
    return laplace_mechanism(mean, sensitivity=bound, epsilon=epsilon / 2, rng=rng)


def _test_passes(n, ratio, epsilon, delta, rng) -> bool:
    """Return whether the noisy distance of ``n`` rows to a local sensitivity of range / ``ratio`` is large enough."""
    if ratio <= 1:
        return True  # no data set has a local sensitivity above the range
    fewest = math.ceil(min(ratio, n + 1))  # rows that keep the local sensitivity within the bound
    distance = max(0, n - fewest + 1)
    return laplace_mechanism(distance, sensitivity=1, epsilon=epsilon, rng=rng) >= -math.log(2 * delta) / epsilon


def smooth_sensitivity_median(values: ArrayLike, *, lower: float, upper: float, beta: float) -> float:
    """Return the beta-smooth sensitivity of the median of ``values`` clipped to [lower, upper].

    Neighbours are replace-one, so that the number n of values is public.  The median is the value of rank
    m = ceil(n / 2): for an even n the lower of the two in the middle.  With the values in rising order, x_1 to x_n,
    and x_i = lower for i < 1 and upper for i > n, its local sensitivity is at most

        A(k) = max over t = 0, ..., k + 1 of x_(m+t) - x_(m+t-k-1)

    after k replacements, and the smooth sensitivity is the largest e^(-beta k) A(k) over k = 0, ..., n.  It is at
    least the local sensitivity A(0), and differs by a factor of at most e^beta between neighbours, which makes it,
    unlike A(0), fit to set a noise scale.  It is not private itself.

    In other words it is the largest (x_j - x_i) e^(-beta (j - i - 1)) over i <= m <= j.  The best j rises with i,
    which finds the exact maximum in O(n log n) steps.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, at least one.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    beta : float
        How fast the weight of a replacement falls, above 0.

    Returns
    -------
    float
        In the unit of ``values``, between 0 and upper - lower.  (It is never 0, but may be too small for a float.)

    References
    ----------
    Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis, STOC.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.smooth_sensitivity_median([1, 2, 4, 7, 8], lower=0, upper=10, beta=2.0)
    3.0
    """
    ordered, middle = _ordered(values, lower, upper)
    return _smooth_sensitivity(ordered, middle, check.positive("beta", beta))


def private_median(
    values: ArrayLike, *, lower: float, upper: float, epsilon: float, delta: float, rng: Rng = None
) -> float:
    """Return a noisy median of ``values`` clipped to [lower, upper]: (epsilon, delta)-differentially private.

    Neighbours are replace-one, so that the number of values is public.  The median, for an even number the lower of
    the two values in the middle, gets Laplace noise of scale 2 S / epsilon, where S is its smooth sensitivity
    (`smooth_sensitivity_median`) for beta = ln(1 + epsilon / (2 ln(2 / delta))).  The result is not clipped.

    Moving the noise by S costs epsilon / 2.  Where the neighbour's scale is smaller by a factor e^beta, z scales from
    the centre cost another (e^beta - 1) z - beta, less than epsilon / 2 unless z > ln(2 / delta), which happens with
    probability delta / 2.  (The textbook's beta, epsilon / (2 ln(2 / delta)), is nearly the same for a small epsilon,
    and breaks the promise for a large one, from about 8 on.)

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, at least one.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon, delta : float
        Privacy parameters: epsilon above 0, delta above 0 and below 1.

    Returns
    -------
    float
        In the unit of ``values``.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.  Where most values
    are equal, S may be so small that all the noise is rounded away.

    References
    ----------
    Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis, STOC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> ages = np.arange(10_000) % 100
    >>> rng = np.random.default_rng(1)
    >>> 40 < dp.private_median(ages, lower=0, upper=100, epsilon=1.0, delta=1e-6, rng=rng) < 60
    True
    """
    ordered, middle = _ordered(values, lower, upper)
    lower, upper = ordered[0], ordered[-1]
    epsilon, delta = check.positive("epsilon", epsilon), check.probability("delta", delta, zero=False, one=False)
    laplace_scale(sensitivity=upper - lower, epsilon=epsilon / 2)  # no smooth sensitivity gives a larger one
    rng = check.generator(rng)
    beta = math.log1p(epsilon / (2 * (math.log(2) - math.log(delta))))
    scale = 2 * _smooth_sensitivity(ordered, middle, beta) / epsilon
    return float(ordered[middle]) + scale * laplace_mechanism(0.0, sensitivity=1, epsilon=1, rng=rng)


def _ordered(values, lower, upper) -> tuple[np.ndarray, int]:
    """Return x_0 = lower, the clipped values x_1 to x_n in rising order, x_(n+1) = upper; and the median's rank."""
    array = check.numbers("values", values, empty=False)
    lower, upper = check.bounds(lower, upper)
    return np.concatenate([[lower], np.sort(np.clip(array, lower, upper)), [upper]]), (array.size + 1) // 2


def _smooth_sensitivity(x, m, beta) -> float:
    """Return the largest (x[j] - x[i]) e^(-beta (j - i - 1)) over i <= m <= j.

    Raising x[i] makes a larger j no worse, so the best j rises with i.  The rows i are solved in the order of a
    binary search, a level at a time; each row needs to try only the j between the best ones of the solved rows
    around it, which makes about as many tries in a level as there are j.
    """
    with np.errstate(over="ignore"):
        decay = np.exp(-beta * np.maximum(np.arange(x.size) - 1.0, 0.0))  # at j = i the difference is 0 anyway
    # best[i + 1] is the best j of row i; the ends stand for rows outside.
    best = np.full(m + 3, m)
    best[-1] = x.size - 1
    largest = 0.0
    stride = 1 << ((m + 1).bit_length() - 1)  # the largest power of 2 up to m + 1, the number of rows
    while stride:
        solve = np.arange(stride, m + 2, 2 * stride)
        first, last = best[solve - stride], best[np.minimum(solve + stride, m + 2)]
        tries = last - first + 1
        starts = np.cumsum(tries) - tries
        j = np.arange(tries.sum()) - np.repeat(starts - first, tries)
        i = np.repeat(solve - 1, tries)
        changes = (x[j] - x[i]) * decay[j - i]
        peaks = np.maximum.reduceat(changes, starts)
        at_peak = np.flatnonzero(changes == np.repeat(peaks, tries))
        best[solve] = j[at_peak[np.searchsorted(at_peak, starts)]]
        largest = max(largest, float(peaks.max()))
        stride //= 2
    return largest


def sample_and_aggregate(
    values: ArrayLike, statistic: Callable, *, chunks: int, lower: float, upper: float, epsilon: float, rng: Rng = None
) -> float:
    """Return the noisy mean of ``statistic`` over random chunks of the data: epsilon-differentially private.

    Each place in the table is given one of the chunks at random, whatever the rows say: a row more or less leaves all
    others where they are, a row that is replaced stays in its chunk, and either changes the answer of one chunk.  The
    answers are clipped to [lower, upper], so their mean has sensitivity (upper - lower) / chunks, for add/remove-one
    and replace-one alike, and gets Laplace noise of that scale over epsilon.  (Had the chunk followed from what the
    row says, such as a hash of a name, replacing a row could change two answers, and cost 2 epsilon.)  Nothing needs
    to be known about the statistic, but it should be close on a chunk to what it is on all the data.

    Parameters
    ----------
    values : Series, array, list or DataFrame, shape (n,) or (n, d)
        Finite numbers, one row for each person, possibly none.
    statistic : callable
        Called with the rows of a chunk, in their order: part of the Series or DataFrame, or an array.  It must return
        a finite number for any chunk that is not empty, and may look at nothing else of the data.
    chunks : int
        Number of chunks, public, from 1 to 1,000,000.  A chunk that stays empty counts with the middle of the bounds.
    lower, upper : float
        Bounds of the answers, in the unit of ``statistic``, public; lower below upper.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float
        In the unit of ``statistic``.

    References
    ----------
    Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis, STOC.
    Mohan, Thakurta, Shi, Song & Culler (2012), GUPT: privacy preserving data analysis made easy, SIGMOD.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> ages = np.arange(10_000) % 100
    >>> rng = np.random.default_rng(1)
    >>> 40 < dp.sample_and_aggregate(ages, np.median, chunks=100, lower=0, upper=100, epsilon=1.0, rng=rng) < 60
    True
    """
    array = check.numbers("values", values, ndim=None)
    if array.ndim == 0:
        raise ValueError(f"values must have rows, got the single number {values!r}")
    if not callable(statistic):
        raise TypeError(f"statistic must be callable, got {statistic!r}")
    chunks = check.integer("chunks", chunks, minimum=1, maximum=1_000_000)
    lower, upper = check.bounds(lower, upper)
    epsilon = check.positive("epsilon", epsilon)
    rng = check.generator(rng)

    chunk_of_row = rng.integers(chunks, size=len(array), dtype=np.min_scalar_type(chunks - 1))
    rows = np.argsort(chunk_of_row, kind="stable")
    ends = np.cumsum(np.bincount(chunk_of_row, minlength=chunks))
    table = values.iloc if isinstance(values, (pd.Series, pd.DataFrame)) else array
    answers = [
        check.finite("statistic", statistic(table[chunk])) if chunk.size else lower / 2 + upper / 2
        for chunk in np.split(rows, ends[:-1])
    ]
    mean = np.clip(answers, lower, upper).mean()
    return laplace_mechanism(mean, sensitivity=(upper - lower) / chunks, epsilon=epsilon, rng=rng)
