"""Logistic regression, without and with differential privacy.

A classifier is a vector ``theta`` of d weights; it predicts +1 where ``X @ theta`` is 0 or more and -1 elsewhere.
Each row of X is one person; labels are -1 and +1.  An intercept is a column of ones in X.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import gaussian_sigma
from dp_helpers.renyi import dp_sgd_epsilon
from dp_helpers.validation import Rng


@dataclass(frozen=True, eq=False)
class PrivateClassifier:
    """What private training gives; made by `noisy_gradient_descent` and `dp_sgd`.

    Attributes
    ----------
    theta : numpy.ndarray, shape (d,)
        The weights.
    epsilon, delta : float
        The total cost of training, for the neighbours that the training function names.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 2))
    >>> fit = dp.noisy_gradient_descent(X, np.sign(X[:, 0]), iterations=10, clip=1, epsilon=1, delta=1e-5, rng=rng)
    >>> fit.theta.shape, fit.epsilon, fit.delta
    ((2,), 1.0, 1e-05)
    """

    theta: np.ndarray
    epsilon: float
    delta: float


def logistic_loss(theta: ArrayLike, X: ArrayLike, y: ArrayLike):
    """Return the logistic loss ln(1 + e^(-y x . theta)) of each row.

    The mean over the rows is what training makes small.  One row's loss is at most ln 2 where its label is predicted
    right, and ln 2 for theta = 0.

    Parameters
    ----------
    theta : array or list, shape (d,)
        Weights.
    X : array or DataFrame, shape (n, d)
        One row a person.
    y : array, Series or list, shape (n,)
        Labels, -1 or 1.

    Returns
    -------
    array, or Series for a DataFrame, shape (n,)
        The losses, in nats.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The elements of statistical learning, Section 10.6.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.logistic_loss([1.0, 0.0], [[0, 1], [2, 0]], [1, -1]).round(4)
    array([0.6931, 2.1269])
    """
    rows, labels = _examples(X, y)
    return _per_row(X, np.logaddexp(0, -labels * (rows @ _weights(theta, X, rows))))


def logistic_gradients(theta: ArrayLike, X: ArrayLike, y: ArrayLike):
    """Return the gradient of the logistic loss by theta, one for each row: -y x / (1 + e^(y x . theta)).

    The gradient of a row is at most as long as the row itself.

    Parameters
    ----------
    theta, X, y
        As `logistic_loss`.

    Returns
    -------
    array, or DataFrame for a DataFrame, shape (n, d)
        The gradients.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The elements of statistical learning, Section 4.4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.logistic_gradients([0.0, 0.0], [[3, 4], [2, 0]], [1, -1])
    array([[-1.5, -2. ],
           [ 1. ,  0. ]])
    """
    rows, labels = _examples(X, y)
    slopes = -labels * _surprise(labels * (rows @ _weights(theta, X, rows)))
    return _per_row(X, slopes[:, None] * rows)


def predict(theta: ArrayLike, X: ArrayLike):
    """Return the label that theta predicts for each row: 1 where ``X @ theta`` is 0 or more, else -1.

    Parameters
    ----------
    theta : array or list, shape (d,)
        Weights.
    X : array or DataFrame, shape (n, d)
        One row a person.

    Returns
    -------
    array, or Series for a DataFrame, shape (n,)
        Labels, as floats.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The elements of statistical learning, Section 4.4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.predict([1.0, -1.0], [[2, 1], [1, 2], [1, 1]])
    array([ 1., -1.,  1.])
    """
    rows = check.numbers("X", X, ndim=2)
    return _per_row(X, np.where(rows @ _weights(theta, X, rows) >= 0, 1.0, -1.0))


def accuracy(theta: ArrayLike, X: ArrayLike, y: ArrayLike) -> float:
    """Return the share of rows whose label theta predicts right.

    Parameters
    ----------
    theta, X, y
        As `logistic_loss`; at least one row.

    Returns
    -------
    float
        Between 0 and 1.  It is an exact statistic of X and y, not a private one.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The elements of statistical learning, Section 2.4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.accuracy([1.0, -1.0], [[2, 1], [1, 2]], [1, 1])
    0.5
    """
    _, labels = _examples(X, y, empty=False)
    return float((np.asarray(predict(theta, X)) == labels).mean())


def gradient_descent(X: ArrayLike, y: ArrayLike, *, iterations: int, rate: float = 1.0) -> np.ndarray:
    """Return the weights after some steps down the gradient of the mean logistic loss, from theta = 0.

    Not private: see `noisy_gradient_descent`.

    Parameters
    ----------
    X : array or DataFrame, shape (n, d)
        One row a person, at least one.
    y : array, Series or list, shape (n,)
        Labels, -1 or 1.
    iterations : int
        Number of steps, at least 1.
    rate : float
        Step size, above 0.  Steps up to 8 / (mean squared length of the rows) never overshoot.

    Returns
    -------
    array, shape (d,)
        The weights.

    References
    ----------
    Nesterov (2018), Lectures on convex optimization, Section 1.2.3.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> X, y = [[1, 2], [1, -1]], [1, -1]
    >>> dp.accuracy(dp.gradient_descent(X, y, iterations=10), X, y)
    1.0
    """
    rows, labels = _examples(X, y, empty=False)
    iterations = check.integer("iterations", iterations, minimum=1)
    rate = check.positive("rate", rate)
    unlimited = np.full(labels.size, np.inf)
    theta = np.zeros(rows.shape[1])
    for _ in range(iterations):
        with np.errstate(over="ignore", invalid="ignore"):
            theta -= rate * _clipped_sum(theta, rows, labels, unlimited) / labels.size
    if not np.isfinite(theta).all():
        raise ValueError(f"rate must be smaller for such an X: the weights are beyond floats at {rate!r}")
    return theta


def noisy_gradient_descent(
    X: ArrayLike,
    y: ArrayLike,
    *,
    iterations: int,
    clip: float,
    epsilon: float,
    delta: float,
    rate: float = 1.0,
    rng: Rng = None,
) -> PrivateClassifier:
    """Return a logistic regression after noisy steps over all rows: (epsilon, delta)-differentially private.

    Neighbours are add/remove-one.  In each step every row's gradient is shortened to length ``clip`` if it is longer,
    so that their sum has L2 sensitivity ``clip``, and gets Gaussian noise.  The number of rows is not taken as public:
    it is counted once, with noise, and the noisy count (at least 1) divides every sum.  That makes iterations + 1
    Gaussian releases, each with the same noise in proportion to its sensitivity; together they are one Gaussian
    release of a vector of sensitivity sqrt(iterations + 1), whose noise is calibrated exactly.  The guarantee covers
    the weights after every step.

    Under replace-one a sum changes by up to 2 ``clip``, because a gradient may turn into its opposite: the same
    release then costs more, at most the epsilon of half the noise.

    Parameters
    ----------
    X : array or DataFrame, shape (n, d)
        One row a person, possibly none.  What makes X of the raw data must treat each row by itself, or be public.
    y : array, Series or list, shape (n,)
        Labels, -1 or 1.
    iterations : int
        Number of steps, at least 1, public.
    clip : float
        The longest gradient of a row, above 0, public.  No gradient is longer than its row.
    epsilon, delta : float
        The cost of all steps and of the count: epsilon above 0, delta above 0 and below 1.
    rate : float
        Step size, above 0.

    Returns
    -------
    PrivateClassifier
        With ``theta``, and ``epsilon`` and ``delta`` as given.

    References
    ----------
    Song, Chaudhuri & Sarwate (2013), Stochastic gradient descent with differentially private updates, GlobalSIP.
    Abadi et al. (2016), Deep learning with differential privacy, CCS (clipping).
    Dong, Roth & Su (2022), Gaussian differential privacy, JRSS-B (exact composition).

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> X = rng.uniform(-1, 1, (5000, 3))
    >>> y = np.sign(X[:, 0])
    >>> fit = dp.noisy_gradient_descent(X, y, iterations=20, clip=1.0, epsilon=1.0, delta=1e-5, rng=rng)
    >>> dp.accuracy(fit.theta, X, y) > 0.9, fit.epsilon, fit.delta
    (True, 1.0, 1e-05)
    """
    rows, labels = _examples(X, y)
    iterations = check.integer("iterations", iterations, minimum=1)
    clip, rate = check.positive("clip", clip), check.positive("rate", rate)
    sigma = gaussian_sigma(sensitivity=(iterations + 1) ** 0.5, epsilon=epsilon, delta=delta)
    _refuse_overflow(iterations * max(sigma, 1), clip=clip, rate=rate)
    rng = check.generator(rng)

    count = max(labels.size + sigma * rng.standard_normal(), 1.0)
    limits = _slope_limits(rows, clip)
    theta = np.zeros(rows.shape[1])
    for _ in range(iterations):
        noise = sigma * clip * rng.standard_normal(theta.size)
        theta -= rate * (_clipped_sum(theta, rows, labels, limits) + noise) / count
    return PrivateClassifier(theta, float(epsilon), float(delta))


def dp_sgd(
    X: ArrayLike,
    y: ArrayLike,
    *,
    steps: int,
    batch: int,
    clip: float,
    sigma: float,
    rate: float,
    delta: float = 1e-05,
    rng: Rng = None,
) -> PrivateClassifier:
    """Return a logistic regression trained by DP-SGD: noisy steps over random batches.

    In each step every row is taken with probability q = batch / n, independently, so batches vary in size and may be
    empty.  The gradients of the rows taken are shortened to length ``clip`` where they are longer and added up;
    Gaussian noise of deviation sigma clip is added, and the result divided by ``batch``, whatever the size was.  The
    cost is that of `dp_sgd_epsilon`, and covers the weights after every step.

    The number of rows n, and with it q, is public here.  Neighbours are data sets of which one has a row that the
    other lacks, at the same q; a row of zeros, which has no gradient, does as much as no row.  Under replace-one the
    same training costs more, because a gradient may turn into its opposite.

    The rows are drawn as a binomial number of rows without replacement, the same distribution in less time.

    Parameters
    ----------
    X : array or DataFrame, shape (n, d)
        One row a person, at least one.  What makes X of the raw data must treat each row by itself, or be public.
    y : array, Series or list, shape (n,)
        Labels, -1 or 1.
    steps : int
        Number of steps, at least 1.
    batch : int
        Mean number of rows in a step, 1 to n.
    clip : float
        The longest gradient of a row, above 0.
    sigma : float
        Noise multiplier, above 0; `noise_multiplier` finds it for an epsilon.
    rate : float
        Step size, above 0.
    delta : float
        The delta at which ``epsilon`` of the result is stated, above 0 and below 1.  It doesn't influence training.

    Returns
    -------
    PrivateClassifier
        With ``theta``, ``epsilon`` of all steps at ``delta``, and ``delta``.

    References
    ----------
    Abadi et al. (2016), Deep learning with differential privacy, CCS.
    Mironov, Talwar & Zhang (2019), Renyi differential privacy of the sampled Gaussian mechanism, arXiv:1908.10530.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> X = rng.uniform(-1, 1, (5000, 3))
    >>> y = np.sign(X[:, 0])
    >>> fit = dp.dp_sgd(X, y, steps=200, batch=100, clip=1.0, sigma=1.5, rate=1.0, rng=rng)
    >>> dp.accuracy(fit.theta, X, y) > 0.9, round(fit.epsilon, 2), fit.delta
    (True, 0.97, 1e-05)
    """
    rows, labels = _examples(X, y, empty=False)
    steps = check.integer("steps", steps, minimum=1)
    batch = check.integer("batch", batch, minimum=1)
    if batch > labels.size:
        raise ValueError(f"batch must be at most the number of rows, {labels.size}, got {batch!r}")
    clip, rate = check.positive("clip", clip), check.positive("rate", rate)
    q = batch / labels.size
    epsilon = dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta)
    _refuse_overflow(steps, clip=clip, rate=rate, sigma=sigma)
    rng = check.generator(rng)

    limits = _slope_limits(rows, clip)
    theta = np.zeros(rows.shape[1])
    for _ in range(steps):
        taken = rng.choice(labels.size, size=rng.binomial(labels.size, q), replace=False, shuffle=False)
        noise = sigma * clip * rng.standard_normal(theta.size)
        theta -= rate * (_clipped_sum(theta, rows[taken], labels[taken], limits[taken]) + noise) / batch
    return PrivateClassifier(theta, epsilon, float(delta))


# The gradient of a row is a number, its slope, times the row: so its length needs no matrix of gradients.


def _surprise(margins) -> np.ndarray:
    """Return 1 / (1 + e^margin): near 1 for a row whose label theta gets badly wrong, near 0 for a clear hit."""
    return 1 / (1 + np.exp(np.minimum(margins, 700)))


def _slope_limits(rows, clip) -> np.ndarray:
    """Return the slope above which the gradient of each row is longer than ``clip``."""
    # A row of zeros has no gradient to clip; one whose length is beyond float64 gets the slope 0.
    with np.errstate(divide="ignore", over="ignore"):
        return clip / np.sqrt(np.einsum("ij,ij->i", rows, rows))


def _clipped_sum(theta, rows, labels, limits) -> np.ndarray:
    """Return the sum of the clipped gradients at theta."""
    with np.errstate(over="ignore", invalid="ignore"):
        margins = labels * (rows @ theta)
    # fmin, so that a row whose margin is beyond float64, and so not a number, does not escape the clipping.
    return -(labels * np.fmin(_surprise(margins), limits)) @ rows


# Arguments and results.


def _refuse_overflow(noisy_steps, **factors) -> None:
    """Refuse factors with which all steps together might leave float64, whatever the rows and the noise are."""
    if math.log10(noisy_steps) + sum(math.log10(max(factor, 1)) for factor in factors.values()) > 290:
        name = max(factors, key=factors.__getitem__)
        raise ValueError(
            f"{name} must be smaller: clip, rate, noise and steps may multiply to 1e290, got {factors[name]!r}"
        )


def _examples(X, y, *, empty=True) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y as arrays of floats, after checking that they fit."""
    rows = check.numbers("X", X, ndim=2)
    labels = check.numbers("y", y)
    if len(rows) == 0 and not empty:
        raise ValueError("X must have at least one row, got none")
    labels = labels[check.pairing("y", y, "X", X)]
    wrong = np.abs(labels) != 1
    if wrong.any():
        raise ValueError(f"y must hold -1 and 1 only, got {labels[wrong][0]:g}")
    return rows, labels


def _weights(theta, X, rows) -> np.ndarray:
    """Return theta as an array, in the order of the columns of X."""
    weights = check.numbers("theta", theta)
    if weights.size != rows.shape[1]:
        raise ValueError(f"theta must have a weight for each of the {rows.shape[1]} columns of X, got {weights.size}")
    if isinstance(theta, pd.Series) and isinstance(X, pd.DataFrame):
        return weights[check.labels_on("theta", theta.index, "the columns of X", X.columns)]
    return weights


def _per_row(X, values):
    """Return ``values``, which has a number or a row for each row of X, with the labels of X."""
    if not isinstance(X, pd.DataFrame):
        return values
    return pd.Series(values, index=X.index) if values.ndim == 1 else check.like(X, values)
