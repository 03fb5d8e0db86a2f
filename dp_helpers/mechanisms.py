"""Additive noise: the Laplace, geometric and Gaussian mechanisms.

Every mechanism adds independent noise to each coordinate of ``value``, the exact answer of a query.  ``value`` may be
one number, a list, an array of any shape, a Series or a DataFrame; in each case it counts as one vector, and
``sensitivity`` is that of the whole vector: the largest distance, in the norm that the mechanism names, between the
answers on two neighbouring data sets.  The guarantee holds for the neighbour relation, add/remove-one or
replace-one, that the sensitivity was computed for.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import functools
import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.numerics import bisect
from dp_helpers.validation import Rng


def laplace_mechanism(value: ArrayLike, *, sensitivity: float, epsilon: float, rng: Rng = None):
    """Return ``value`` plus Laplace noise of scale ``sensitivity / epsilon``: epsilon-differentially private.

    The noise has mean 0 and variance 2 (sensitivity / epsilon)^2 in each coordinate.  It is drawn as the difference of
    two exponential variables, which is exactly Laplace and faster than inverting the distribution function.

    Parameters
    ----------
    value : float, list, array, Series or DataFrame
        The exact answer, any shape, in the unit of the query.
    sensitivity : float
        L1 sensitivity of the whole of ``value``, in the same unit; above 0.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float, array, Series or DataFrame
        Same shape, index and columns as ``value``; an array for a list, a Python float for a number.

    Warnings
    --------
    The guarantee is that of real numbers.  The low bits of float64 noise give away part of ``value`` (Mironov 2012),
    and noise finer than the spacing of floats around ``value`` is rounded away.  For counts, `geometric_mechanism`
    is the remedy.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.
    Mironov (2012), On significance of the least significant bits for differential privacy, CCS.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> noisy = dp.laplace_mechanism(100, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    >>> type(noisy), abs(noisy - 100) < 40
    (<class 'float'>, True)
    """
    array = check.numbers("value", value, ndim=None, empty=False)
    scale = laplace_scale(sensitivity=sensitivity, epsilon=epsilon)
    rng = check.generator(rng)
    noise = np.asarray(rng.standard_exponential(array.shape))
    noise -= rng.standard_exponential(array.shape)
    return check.like(value, _scaled_and_added(noise, scale, array))


def laplace_scale(*, sensitivity: float, epsilon: float) -> float:
    """Return the scale of the noise of `laplace_mechanism`, ``sensitivity / epsilon``.

    The scale b is the mean absolute error of each coordinate; the standard deviation is sqrt(2) b.

    Parameters
    ----------
    sensitivity : float
        L1 sensitivity, in the unit of the query; above 0.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    float
        In the unit of ``sensitivity``.

    References
    ----------
    Dwork, McSherry, Nissim & Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.laplace_scale(sensitivity=1, epsilon=0.5)
    2.0
    """
    sensitivity, epsilon = check.positive("sensitivity", sensitivity), check.positive("epsilon", epsilon)
    return _representable(sensitivity / epsilon, sensitivity=sensitivity, epsilon=epsilon)


def geometric_mechanism(value: ArrayLike, *, sensitivity: float, epsilon: float, rng: Rng = None):
    """Return ``value`` plus two-sided geometric noise (discrete Laplace): epsilon-differentially private, in integers.

    With a = e^(-epsilon / sensitivity), the noise z has probability (1 - a) / (1 + a) a^|z|, mean 0 and variance 2a /
    (1 - a)^2, a little less than Laplace noise. Every integer can come out whatever ``value`` is, so the low bits give
    nothing away, unlike those of float noise.

    Parameters
    ----------
    value : int, list, array, Series or DataFrame
        The exact answer, any shape, of an integer type and at most 2^62 in size.
    sensitivity : int
        L1 sensitivity of the whole of ``value``, at least 1.
    epsilon : float
        Privacy parameter, above 0; ``sensitivity / epsilon`` may be at most 2^53.

    Returns
    -------
    int, array, Series or DataFrame
        Same shape, index and columns as ``value``, of type int64; an array for a list, a Python int for a number.

    Raises
    ------
    TypeError
        If ``value`` or ``sensitivity`` is not of an integer type (2.0 is not).

    References
    ----------
    Ghosh, Roughgarden & Sundararajan (2009), Universally utility-maximizing privacy mechanisms, STOC.
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS (the sampler).

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> dp.geometric_mechanism([3, 0, 7], sensitivity=1, epsilon=1.0, rng=np.random.default_rng(1)).dtype
    dtype('int64')
    """
    array = check.integers("value", value, ndim=None, empty=False)
    sensitivity = check.integer("sensitivity", sensitivity, minimum=1)
    rate = check.positive("epsilon", epsilon) / check.finite("sensitivity", sensitivity)
    if rate < 2**-53:
        raise ValueError(f"sensitivity / epsilon must be at most 2**53, got {sensitivity!r} / {epsilon!r}")
    rng = check.generator(rng)
    return check.like(value, array + _geometric(rate, array.shape, rng) - _geometric(rate, array.shape, rng))


def gaussian_sigma(*, sensitivity: float, epsilon: float, delta: float, method: str = "analytic") -> float:
    """Return the standard deviation of the noise that makes the Gaussian mechanism (epsilon, delta)-private.

    Method "analytic" gives the smallest one, for any epsilon: it solves the exact privacy profile, with
    s = sigma / sensitivity,

        delta = Phi(1 / (2s) - epsilon s) - e^epsilon Phi(-1 / (2s) - epsilon s),

    by bisection.  Method "classical" is sensitivity sqrt(2 ln(1.25 / delta)) / epsilon, which is proved for epsilon
    below 1 only, and is larger.

    Parameters
    ----------
    sensitivity : float
        L2 sensitivity, in the unit of the query; above 0.
    epsilon : float
        Privacy parameter, above 0; below 1 for method "classical".
    delta : float
        Privacy parameter, above 0 and below 1: no Gaussian noise gives pure differential privacy.
    method : {"analytic", "classical"}
        The calibration.

    Returns
    -------
    float
        In the unit of ``sensitivity``.

    Raises
    ------
    ValueError
        If ``epsilon`` is 1 or more with method "classical", for which nothing is proved there.

    References
    ----------
    Balle & Wang (2018), Improving the Gaussian mechanism for differential privacy, ICML, Theorem 8 (analytic).
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Appendix A (classical).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.gaussian_sigma(sensitivity=1, epsilon=0.5, delta=1e-5), 4)
    7.0318
    >>> round(dp.gaussian_sigma(sensitivity=1, epsilon=0.5, delta=1e-5, method="classical"), 4)
    9.6896
    """
    check.choice("method", method, ("analytic", "classical"))
    sensitivity, epsilon = check.positive("sensitivity", sensitivity), check.positive("epsilon", epsilon)
    delta = check.probability("delta", delta, zero=False, one=False)
    if method == "analytic":
        return _representable(sensitivity * _analytic_sigma(epsilon, delta), sensitivity=sensitivity, epsilon=epsilon)
    if epsilon >= 1:
        raise ValueError(f"epsilon must be below 1 for method 'classical', got {epsilon!r}; use method 'analytic'")
    sigma = sensitivity * math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon
    return _representable(sigma, sensitivity=sensitivity, epsilon=epsilon)


def gaussian_mechanism(
    value: ArrayLike, *, sensitivity: float, epsilon: float, delta: float, method: str = "analytic", rng: Rng = None
):
    """Return ``value`` plus Gaussian noise of deviation `gaussian_sigma`: (epsilon, delta)-differentially private.

    Parameters
    ----------
    value : float, list, array, Series or DataFrame
        The exact answer, any shape, in the unit of the query.
    sensitivity : float
        L2 sensitivity of the whole of ``value``, in the same unit; above 0.
    epsilon, delta : float
        Privacy parameters: epsilon above 0 (below 1 for method "classical"), delta above 0 and below 1.
    method : {"analytic", "classical"}
        The calibration, as in `gaussian_sigma`.

    Returns
    -------
    float, array, Series or DataFrame
        Same shape, index and columns as ``value``; an array for a list, a Python float for a number.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.

    References
    ----------
    Balle & Wang (2018), Improving the Gaussian mechanism for differential privacy, ICML.
    Dwork, Kenthapadi, McSherry, Mironov & Naor (2006), Our data, ourselves, EUROCRYPT.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> dp.gaussian_mechanism(np.zeros((2, 3)), sensitivity=1, epsilon=1, delta=1e-5, rng=rng).shape
    (2, 3)
    """
    array = check.numbers("value", value, ndim=None, empty=False)
    sigma = gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta, method=method)
    return _add_gaussian(value, array, sigma, rng)


def gaussian_mechanism_zcdp(value: ArrayLike, *, sensitivity: float, rho: float, rng: Rng = None):
    """Return ``value`` plus Gaussian noise of deviation sensitivity / sqrt(2 rho): rho-zCDP.

    Zero-concentrated differential privacy.

    Parameters
    ----------
    value : float, list, array, Series or DataFrame
        The exact answer, any shape, in the unit of the query.
    sensitivity : float
        L2 sensitivity of the whole of ``value``, in the same unit; above 0.
    rho : float
        Privacy parameter, above 0.

    Returns
    -------
    float, array, Series or DataFrame
        Same shape, index and columns as ``value``; an array for a list, a Python float for a number.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.

    References
    ----------
    Bun & Steinke (2016), Concentrated differential privacy, TCC, Proposition 1.6.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> type(dp.gaussian_mechanism_zcdp(100, sensitivity=1, rho=0.1, rng=np.random.default_rng(1)))
    <class 'float'>
    """
    array = check.numbers("value", value, ndim=None, empty=False)
    sensitivity, rho = check.positive("sensitivity", sensitivity), check.positive("rho", rho)
    sigma = _representable(sensitivity / math.sqrt(2 * rho), sensitivity=sensitivity, rho=rho)
    return _add_gaussian(value, array, sigma, rng)


def gaussian_mechanism_rdp(value: ArrayLike, *, sensitivity: float, alpha: float, epsilon: float, rng: Rng = None):
    """Return ``value`` plus Gaussian noise of deviation sensitivity sqrt(alpha / (2 epsilon)): (alpha, epsilon)-RDP.

    Renyi differential privacy of one order.  The same noise is (a, a epsilon / alpha)-RDP at every other order a.

    Parameters
    ----------
    value : float, list, array, Series or DataFrame
        The exact answer, any shape, in the unit of the query.
    sensitivity : float
        L2 sensitivity of the whole of ``value``, in the same unit; above 0.
    alpha : float
        Order of the Renyi divergence, above 1.
    epsilon : float
        Bound on the divergence of that order, above 0.

    Returns
    -------
    float, array, Series or DataFrame
        Same shape, index and columns as ``value``; an array for a list, a Python float for a number.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.

    References
    ----------
    Mironov (2017), Renyi differential privacy, CSF, Proposition 7.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> type(dp.gaussian_mechanism_rdp(100, sensitivity=1, alpha=20, epsilon=0.1, rng=np.random.default_rng(1)))
    <class 'float'>
    """
    rho = check.positive("epsilon", epsilon) / check.above("alpha", alpha, 1)
    if rho < sys.float_info.min:
        raise ValueError(f"epsilon must be at least 1e-307 times alpha, got {epsilon!r}")
    return gaussian_mechanism_zcdp(value, sensitivity=sensitivity, rho=rho, rng=rng)


def _add_gaussian(value, array, sigma, rng):
    noise = np.asarray(check.generator(rng).standard_normal(array.shape))
    return check.like(value, _scaled_and_added(noise, sigma, array))


def _scaled_and_added(noise, scale, array) -> np.ndarray:
    noise *= scale  # in place: for a million values, fresh memory costs as much as the arithmetic
    noise += array
    return noise


def _representable(scale, **given) -> float:
    # A scale that underflows to 0 would release the exact answer, and noise that overflows be no number.
    if not sys.float_info.min <= scale <= 1e305:
        values = ", ".join(f"{name}={value!r}" for name, value in given.items())
        raise ValueError(
            f"{' and '.join(given)} must give a noise scale between 1e-307 and 1e305, got {values}: scale {scale!r}"
        )
    return scale


def _geometric(rate, shape, rng) -> np.ndarray:
    """Draw integers z >= 0 with P(z >= k) = e^(-rate k).

    floor(E / rate) for an exponential E has this law, but at small rates the grid of floats shows in it.  A geometric
    number is therefore drawn as block * high + low, which are independent: high is geometric with rate near 1, low
    is below block and has probability proportional to e^(-rate low), by rejection from uniform integers.
    """
    block = 2 ** max(0, math.floor(-math.log2(rate)))
    high = np.floor(rng.standard_exponential(shape) / (rate * block)).astype(np.int64)
    if block == 1:
        return high
    low = np.empty(high.size, dtype=np.int64)
    waiting = np.arange(high.size)
    while waiting.size:
        proposal = rng.integers(block, size=waiting.size)
        accepted = rng.random(waiting.size) < np.exp(-rate * proposal)  # at least 1/e of them
        low[waiting[accepted]] = proposal[accepted]
        waiting = waiting[~accepted]
    return block * high + low.reshape(shape)


# Points of the integral in _analytic_sigma, equally spaced in ln x: the trapezoidal rule, exact to 14 digits here.
_STEP = 1 / 16
_X = np.exp(np.arange(-36, 4, _STEP))


@functools.lru_cache(maxsize=256)
def _analytic_sigma(epsilon: float, delta: float) -> float:
    """Return the smallest deviation for (epsilon, delta) at sensitivity 1.

    The exact delta is E[(1 - e^(epsilon - loss))_+], where the privacy loss is normal with mean 1 / (2 sigma^2) and
    variance 1 / sigma^2.  Standardised, with u = epsilon sigma - 1 / (2 sigma) and phi the normal density, this is
    the integral of phi(u + x) (1 - e^(-x / sigma)) over x > 0, which equals the difference of the two Phi terms in
    gaussian_sigma but has no cancellation and no overflow.  It falls as u grows, and is at most e^(-u^2 / 2) / 2 for
    u > 0, which gives the bracket.
    """
    log_delta = math.log(delta)

    def delta_is_too_large(u):
        return _scaled_delta(u, 1 / _sigma_at(u, epsilon)) > math.exp(log_delta + u * u / 2)

    _, u = bisect(delta_is_too_large, -10.0, math.sqrt(-2 * log_delta))
    return _sigma_at(u, epsilon)


def _scaled_delta(u, mu) -> float:
    """Return the integral of `_analytic_sigma`, mu being 1 / sigma, without its factor e^(-u^2 / 2)."""
    density = np.exp(-_X * (u + _X / 2)) / math.sqrt(2 * math.pi)
    return float(_STEP * (_X * density * -np.expm1(-_X * mu)).sum())


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the exact delta at ``epsilon`` of Gaussian noise of deviation sensitivity / ``mu``."""
    u = epsilon / mu - mu / 2
    return 1.0 if u < -9 else math.exp(-u * u / 2) * _scaled_delta(u, mu)


def _sigma_at(u, epsilon) -> float:
    # The positive root of epsilon sigma^2 - u sigma - 1/2 = 0, in the form that does not cancel.
    root = math.hypot(u, math.sqrt(2) * math.sqrt(epsilon))
    return (u + root) / epsilon / 2 if u > 0 else 1 / (root - u)
