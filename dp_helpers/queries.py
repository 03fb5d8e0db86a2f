"""Clipping, and private counts, sums, means, histograms, cross tables and quantiles.

One row of the data is one person.  Neighbours are add/remove-one; every function also says what its release costs
when one row is replaced.  The bounds, the categories and the order of both are public: they must be chosen without
looking at the data.  Noise is Laplace noise, so that counts come out as floats, perhaps negative; rounding or raising
them to 0 afterwards costs no privacy (and raising to 0 adds a bias).

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import laplace_mechanism
from dp_helpers.validation import Rng


def clip(values: ArrayLike, lower: float, upper: float):
    """Return ``values`` with everything below ``lower`` raised to it, and everything above ``upper`` lowered to it.

    Clipping each row's value by bounds that do not depend on the data is what gives a sum a finite sensitivity:
    ``max(|lower|, |upper|)`` for add/remove-one, ``upper - lower`` for replace-one.

    Parameters
    ----------
    values : float, list, array, Series or DataFrame
        Finite numbers, any shape.  A missing value is an error: a rule for it belongs in the analysis.
    lower, upper : float
        The bounds, in the unit of ``values``; lower below upper.

    Returns
    -------
    float, array, Series or DataFrame
        Floats, of the same shape, index and columns as ``values``; an array for a list, a Python float for a number.

    References
    ----------
    Amin, Kulesza, Munoz & Vassilvitskii (2019), Bounding user contributions, ICML (bias against noise).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.clip([-5, 30, 200], 0, 100)
    array([  0.,  30., 100.])
    """
    array = check.numbers("values", values, ndim=None)
    lower, upper = check.bounds(lower, upper)
    return check.like(values, np.asarray(np.clip(array, lower, upper)))


def clip_norm(vectors: ArrayLike, bound: float, *, ord: int = 2):
    """Return ``vectors`` with each row that is longer than ``bound`` scaled down to that length.

    The sum of the rows then has sensitivity ``bound`` in the norm ``ord`` for add/remove-one, and twice that for
    replace-one (up to float rounding).  Directions stay; rows within the bound stay as they are, so do rows of zeros.

    Parameters
    ----------
    vectors : array or DataFrame, shape (n, d)
        Finite numbers, one row for each person.  A single vector v is ``v[None, :]``.
    bound : float
        The largest norm of a row, above 0, in the unit of ``vectors``.
    ord : {1, 2, numpy.inf}
        The norm: sum of absolute values, Euclidean, or largest absolute value.

    Returns
    -------
    array or DataFrame, shape (n, d)
        Floats, same index and columns.

    References
    ----------
    Abadi et al. (2016), Deep learning with differential privacy, CCS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.clip_norm([[3.0, 4.0], [0.3, 0.4]], 1.0)
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    array = check.numbers("vectors", vectors, ndim=2)
    if array.shape[1] == 0:
        raise ValueError(f"vectors must have at least one column, got shape {array.shape}")
    bound = check.positive("bound", bound)
    ord = check.choice("ord", ord, (1, 2, np.inf))
    # Divided by its largest entry, a row has a norm of at least 1, which neither overflows nor underflows.
    peak = np.abs(array).max(axis=1, keepdims=True)
    peak[peak == 0] = 1.0
    norm = np.maximum(np.linalg.norm(array / peak, ord=ord, axis=1, keepdims=True), 1.0)
    with np.errstate(over="ignore"):  # an infinite allowance is right for a row of tiny numbers
        factor = np.minimum(bound / peak / norm, 1.0)
    return check.like(vectors, array * factor)


def private_count(data: Collection, *, epsilon: float, rng: Rng = None) -> float:
    """Return the noisy number of rows of ``data``: epsilon-differentially private.

    Sensitivity 1, Laplace noise of scale 1 / epsilon.  Under replace-one the number of rows of a whole table is
    public; the count of the rows with some property, ``data[condition]``, has sensitivity 1 there too.

    Parameters
    ----------
    data : DataFrame, Series, Index, array, list or tuple
        The rows to count, possibly none; rows with missing values count.  Booleans are refused: to count where a
        condition holds, select first, ``private_count(data[condition])``.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float
        The noisy count, not rounded, perhaps negative.

    Raises
    ------
    TypeError
        If ``data`` holds booleans only, of which it is unclear whether all or the true ones count.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> count = dp.private_count(["Ada", "Bob", "Cleo"], epsilon=1.0, rng=np.random.default_rng(1))
    >>> abs(count - 3) < 20
    True
    """
    dimensions = data.ndim if hasattr(data, "ndim") else 1
    if not isinstance(data, (pd.DataFrame, pd.Series, pd.Index, np.ndarray, list, tuple)) or dimensions == 0:
        raise TypeError(f"data must be a table, an array or a list of rows, got {type(data).__name__}")
    check.unmasked("data", data)
    if _booleans_only(data):
        raise TypeError("data must be the rows to count, got booleans: pass data[condition], not the condition")
    return laplace_mechanism(len(data), sensitivity=1, epsilon=epsilon, rng=rng)


def private_sum(values: ArrayLike, *, lower: float, upper: float, epsilon: float, rng: Rng = None) -> float:
    """Return the noisy sum of ``values`` clipped to [lower, upper]: epsilon-differentially private.

    Adding or removing a row changes the clipped sum by at most ``max(|lower|, |upper|)``, the sensitivity used here,
    with Laplace noise.  It is not upper - lower: with bounds 20 and 80 a row adds up to 80, not 60.  (Replacing a row
    changes the sum by upper - lower at most, so the release is replace-one private for
    ``epsilon (upper - lower) / max(|lower|, |upper|)``.)

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, possibly none.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float
        In the unit of ``values``.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> total = dp.private_sum([25, 40, 300], lower=0, upper=100, epsilon=1.0, rng=np.random.default_rng(1))
    >>> abs(total - 165) < 2000
    True
    """
    array = check.numbers("values", values)
    lower, upper = _summable(lower, upper)
    total = np.clip(array, lower, upper).sum()
    return laplace_mechanism(total, sensitivity=max(abs(lower), abs(upper)), epsilon=epsilon, rng=rng)


def private_mean(values: ArrayLike, *, lower: float, upper: float, epsilon: float, rng: Rng = None) -> float:
    """Return the noisy mean of ``values`` clipped to [lower, upper]: epsilon-differentially private.

    The number of rows is not taken as public: the mean is a noisy sum over a noisy count.  Each value is first
    centred, by subtracting the middle of the bounds, so that the sum has sensitivity (upper - lower) / 2 only, and
    both get Laplace noise for epsilon / 2.  Of all splits the equal one has the smallest worst error: when the true
    mean is at a bound, the errors of sum and count weigh the same.  The count is raised to 1 where it is smaller and
    the quotient is clipped to the bounds, which is post-processing.  The result is not unbiased.

    For replace-one the release is private for epsilon too: the count does not change, and the centred sum by at most
    upper - lower, which costs 2 (epsilon / 2).

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, possibly none.
    lower, upper : float
        Clipping bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter of the whole release, above 0.

    Returns
    -------
    float
        Between ``lower`` and ``upper``, in the unit of ``values``.

    References
    ----------
    McSherry (2009), Privacy integrated queries, SIGMOD (averages from noisy parts).

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> ages = np.full(10_000, 40)
    >>> round(dp.private_mean(ages, lower=0, upper=100, epsilon=1.0, rng=np.random.default_rng(1)))
    40
    """
    array = check.numbers("values", values)
    lower, upper = _summable(lower, upper)
    epsilon = check.positive("epsilon", epsilon)
    rng = check.generator(rng)
    half = upper / 2 - lower / 2
    middle = lower + half
    centred = np.clip(array - middle, -half, half)
    total = laplace_mechanism(centred.sum(), sensitivity=half, epsilon=epsilon / 2, rng=rng)
    count = laplace_mechanism(array.size, sensitivity=1, epsilon=epsilon / 2, rng=rng)
    return clip(middle + total / max(count, 1.0), lower, upper)


def private_histogram(values: ArrayLike, *, categories: ArrayLike, epsilon: float, rng: Rng = None) -> pd.Series:
    """Return a noisy count for each of ``categories``: epsilon-differentially private, the whole histogram.

    Adding or removing a row changes one count by 1, so the vector of counts has L1 sensitivity 1 and each count gets
    Laplace noise of scale 1 / epsilon.  Replacing a row can change two counts: the release is then private for
    2 epsilon.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        One answer for each person, each in ``categories``, possibly none.
    categories : list, array or Index, shape (d,)
        The possible answers, public, each once and none missing.  They fix the order of the result; a category that
        nobody has gets a noisy 0.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    pandas.Series, shape (d,)
        Noisy counts, named "count", with ``categories`` as index; not rounded, perhaps negative.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> counts = dp.private_histogram(
    ...     ["yes", "no", "yes"], categories=["yes", "no", "maybe"], epsilon=1.0, rng=np.random.default_rng(1)
    ... )
    >>> list(counts.index)
    ['yes', 'no', 'maybe']
    """
    index = check.domain("categories", categories)
    counts = np.bincount(check.codes("values", values, index, "categories"), minlength=index.size)
    exact = pd.Series(counts, index=_named_after(values, index), name="count")
    return laplace_mechanism(exact, sensitivity=1, epsilon=epsilon, rng=rng)


def private_crosstab(
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    row_categories: ArrayLike,
    column_categories: ArrayLike,
    epsilon: float,
    rng: Rng = None,
) -> pd.DataFrame:
    """Return a noisy count for each pair of categories: epsilon-differentially private, the whole table.

    As `private_histogram`, over pairs: L1 sensitivity 1 under add/remove-one, so each cell gets Laplace noise of
    scale 1 / epsilon; under replace-one the release is private for 2 epsilon.

    Parameters
    ----------
    rows, columns : Series, array or list, shape (n,)
        Two answers for each person, in the same order of persons; two Series must have the same index.
    row_categories, column_categories : list, array or Index
        The possible answers, public, each once and none missing.  They fix the order of the result.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    pandas.DataFrame
        Noisy counts, with ``row_categories`` as index and ``column_categories`` as columns; not rounded, perhaps
        negative.

    References
    ----------
    Barak et al. (2007), Privacy, accuracy, and consistency too, PODS.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> dp.private_crosstab(
    ...     ["F", "M", "F"], [1, 2, 2], row_categories=["F", "M"], column_categories=[1, 2, 3], epsilon=1.0
    ... ).shape
    (2, 3)
    """
    row_index = check.domain("row_categories", row_categories)
    column_index = check.domain("column_categories", column_categories)
    row_codes = check.codes("rows", rows, row_index, "row_categories")
    column_codes = check.codes("columns", columns, column_index, "column_categories")
    column_codes = column_codes[check.pairing("columns", columns, "rows", rows)]
    shape = (row_index.size, column_index.size)
    counts = np.bincount(row_codes * shape[1] + column_codes, minlength=shape[0] * shape[1]).reshape(shape)
    exact = pd.DataFrame(counts, index=_named_after(rows, row_index), columns=_named_after(columns, column_index))
    return laplace_mechanism(exact, sensitivity=1, epsilon=epsilon, rng=rng)


def private_quantile(
    values: ArrayLike, quantile: float, *, lower: float, upper: float, epsilon: float, rng: Rng = None
) -> float:
    """Return a noisy quantile of ``values`` clipped to [lower, upper]: epsilon-differentially private.

    Exponential mechanism over all real numbers between the bounds.  The score of a number is minus the distance
    between its rank, how many values lie below it, and ``quantile`` times n; adding or removing a row changes it by
    max(quantile, 1 - quantile) at most.  The score is constant between two neighbours in the sorted values, so an
    interval is drawn, with probability proportional to its length times e^(epsilon score / (2 sensitivity)), then a
    uniform number in it: exactly the exponential mechanism.  Without any values the result is uniform.  Under
    replace-one the score changes by 1 at most, and the release is private for
    epsilon / max(quantile, 1 - quantile).

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        Finite numbers, one for each person, possibly none.  Many equal values cover no length: the result falls
        beside them, and where all are equal it can fall anywhere.  A little random noise, independent for each value
        and added before the call, cures that and costs no privacy.
    quantile : float
        Between 0 (smallest) and 1 (largest); 0.5 is the median.
    lower, upper : float
        Bounds, in the unit of ``values``, public; lower below upper.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float
        Between ``lower`` and ``upper``, in the unit of ``values``.

    References
    ----------
    Smith (2011), Privacy-preserving statistical estimation with optimal convergence rates, STOC.
    McSherry & Talwar (2007), Mechanism design via differential privacy, FOCS.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> values = np.linspace(0, 100, 10_001)
    >>> rng = np.random.default_rng(1)
    >>> round(dp.private_quantile(values, 0.25, lower=0, upper=1000, epsilon=1.0, rng=rng))
    25
    """
    array = check.numbers("values", values)
    quantile = check.probability("quantile", quantile)
    lower, upper = check.bounds(lower, upper)
    epsilon = check.positive("epsilon", epsilon)
    rng = check.generator(rng)
    ends = np.concatenate([[lower], np.sort(np.clip(array, lower, upper)), [upper]])
    lengths = np.diff(ends)
    ranks = np.flatnonzero(lengths)  # interval i has i values below it; equal values leave intervals without length
    scores = -np.abs(ranks - quantile * array.size)
    log_weights = np.log(lengths[ranks]) + epsilon / (2 * max(quantile, 1 - quantile)) * scores
    weights = np.exp(log_weights - log_weights.max())
    rank = rng.choice(ranks, p=weights / weights.sum())
    return float(rng.uniform(ends[rank], ends[rank + 1]))


def _booleans_only(data) -> bool:
    if isinstance(data, pd.DataFrame):
        return data.shape[1] > 0 and all(_booleans_only(column) for _, column in data.items())
    if isinstance(getattr(data, "dtype", None), pd.CategoricalDtype):
        data = data.dtype.categories
    return getattr(data, "ndim", 1) == 1 and pd.api.types.infer_dtype(data) == "boolean"


def _summable(lower, upper) -> tuple[float, float]:
    """Return the bounds; a sum of values between them must not overflow, however many they are."""
    low, high = check.bounds(lower, upper)
    if max(-low, high) > 1e280:
        raise ValueError(f"lower and upper must be at most 1e280 in size, got lower={lower!r} and upper={upper!r}")
    return low, high


def _named_after(values, index: pd.Index) -> pd.Index:
    name = getattr(values, "name", None)
    return index if name is None else index.rename(name)
