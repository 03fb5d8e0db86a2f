"""Renyi and zero-concentrated differential privacy: what a mechanism costs, and what that is in (epsilon, delta).

A mechanism M is (alpha, e)-RDP if the Renyi divergence of order alpha between M(x) and M(x') is at most e for all
neighbours x and x', in both directions.  It is rho-zCDP if that holds with e = rho alpha at every order alpha above 1.
Both add up over adaptive releases, order by order, and are turned into (epsilon, delta) once, at the end.

The guarantee holds for the neighbour relation, add/remove-one or replace-one, of the sensitivity that was used.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.numerics import bisect


def rdp_gaussian(alpha: ArrayLike, *, sigma: float, sensitivity: float = 1.0):
    """Return the Renyi divergence bound of the Gaussian mechanism, alpha sensitivity^2 / (2 sigma^2).

    Parameters
    ----------
    alpha : float, list, array or Series
        Orders, above 1.
    sigma : float
        Standard deviation of the noise, above 0, in the unit of the query.
    sensitivity : float
        L2 sensitivity, above 0, in the same unit.

    Returns
    -------
    float, array or Series
        One bound for each order, in nats.

    References
    ----------
    Mironov (2017), Renyi differential privacy, CSF, Proposition 7.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.rdp_gaussian([2, 8], sigma=2.0)
    array([0.25, 1.  ])
    """
    orders = _orders("alpha", alpha)
    with np.errstate(over="ignore"):
        return check.like(alpha, np.asarray(orders * zcdp_gaussian(sigma=sigma, sensitivity=sensitivity)))


def rdp_laplace(alpha: ArrayLike, *, scale: float, sensitivity: float = 1.0):
    """Return the Renyi divergence bound of the Laplace mechanism, exact for one number.

    With x = sensitivity / scale, it is
    ln(alpha / (2 alpha - 1) e^((alpha - 1) x) + (alpha - 1) / (2 alpha - 1) e^(-alpha x)) / (alpha - 1).
    It rises with the order, from x + e^(-x) - 1 near 1 towards x, the epsilon of pure differential privacy.

    Parameters
    ----------
    alpha : float, list, array or Series
        Orders, above 1.
    scale : float
        Scale b of the noise, above 0, in the unit of the query.
    sensitivity : float
        Sensitivity of the query, one number, above 0, in the same unit.

    Returns
    -------
    float, array or Series
        One bound for each order, in nats.  It is exact to 1e-6 of its size, and never below the exact value by more
        than rounding.

    References
    ----------
    Mironov (2017), Renyi differential privacy, CSF, Proposition 6.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.rdp_laplace(2, scale=1.0), 4)
    0.6191
    """
    orders = _orders("alpha", alpha)
    epsilon = check.positive("sensitivity", sensitivity) / check.positive("scale", scale)
    excess = orders - 1
    return check.like(alpha, _two_sided(orders, epsilon, weight=1 / (2 + 1 / excess), half_rate=0.5 + excess))


def rdp_randomized_response(alpha: ArrayLike, *, p: float):
    """Return the Renyi divergence of randomized response, which tells the truth with probability ``p``.

    It is ln(p^alpha (1 - p)^(1 - alpha) + (1 - p)^alpha p^(1 - alpha)) / (alpha - 1), for the answers of one person
    with "yes" and with "no" (replace-one, as always in the local model).

    Parameters
    ----------
    alpha : float, list, array or Series
        Orders, above 1.
    p : float
        Probability that the true answer is reported, otherwise the opposite is; above 0 and below 1.  1/2 gives 0.

    Returns
    -------
    float, array or Series
        One bound for each order, in nats, with the precision of `rdp_laplace`.

    References
    ----------
    Mironov (2017), Renyi differential privacy, CSF, Proposition 5.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.rdp_randomized_response(10, p=0.75), 4)
    1.0666
    """
    orders = _orders("alpha", alpha)
    p = check.probability("p", p, zero=False, one=False)
    rarer = min(p, 1 - p)
    epsilon = math.log1p((1 - 2 * rarer) / rarer)
    return check.like(alpha, _two_sided(orders, epsilon, weight=rarer, half_rate=orders - 1))


def rdp_subsampled_gaussian(alpha: ArrayLike, *, q: float, sigma: float):
    """Return the Renyi divergence bound of one step of DP-SGD: Poisson sampling, then the Gaussian mechanism.

    Every row enters the sample with probability ``q``, independently of all others; the answer on the sample has
    L2 sensitivity 1 and gets noise of deviation ``sigma``.  Neighbours are add/remove-one; the bound holds for both
    directions and is attained.  It is ln(A) / (alpha - 1), where A is the mean of (1 - q + q e^L)^alpha and
    L = (2z - 1) / (2 sigma^2) for z ~ N(0, sigma^2).

    With m the whole part of alpha and f the rest, the power m expands into m + 1 terms with normal means,

        A = sum over k of C(m, k) (1 - q)^(m - k) q^k e^((k^2 - k) / (2 sigma^2)) G(k),
        G(k) = mean of (1 - q + q e^L)^f for z ~ N(k, sigma^2),

    and G is 1 for a whole order.  All terms are positive and summed as logarithms.  G is integrated with the
    trapezoidal rule, whose error is below rounding here.

    Parameters
    ----------
    alpha : float, list, array or Series
        Orders, above 1; up to 100,000 unless q is 0 or 1.
    q : float
        Sampling probability, in [0, 1].
    sigma : float
        Standard deviation of the noise relative to the sensitivity (the noise multiplier), above 0.

    Returns
    -------
    float, array or Series
        One bound for each order, in nats.  Below a ``sigma`` of 0.01, orders that are not whole get an upper bound:
        ln(A) is convex in alpha, and interpolated linearly between whole orders.

    References
    ----------
    Mironov, Talwar & Zhang (2019), Renyi differential privacy of the sampled Gaussian mechanism, arXiv:1908.10530.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.rdp_subsampled_gaussian([2, 2.5, 8], q=0.01, sigma=1.0).round(5)
    array([0.00017, 0.00022, 0.00089])
    """
    orders = _orders("alpha", alpha)
    q = check.probability("q", q)
    sigma = check.positive("sigma", sigma)
    if q == 0:
        return check.like(alpha, np.zeros_like(orders))
    if q == 1 or sigma < _SAMPLING_IS_NOTHING:
        return rdp_gaussian(alpha, sigma=sigma)
    if orders.size and orders.max() > _LARGEST_ORDER:
        raise ValueError(f"alpha must be at most {_LARGEST_ORDER} for 0 < q < 1, got {orders.max():g}")
    log_moments = _log_moments(np.atleast_1d(orders), q, sigma).reshape(orders.shape)
    return check.like(alpha, log_moments / (orders - 1))


def rdp_to_dp(alphas: ArrayLike, rdp: ArrayLike, *, delta: float, tight: bool = True) -> tuple[float, float]:
    """Return the smallest epsilon that Renyi bounds give at ``delta``, and the order that gives it.

    A mechanism with divergence at most e at order alpha is (epsilon, delta)-differentially private for

        epsilon = e + ln((alpha - 1) / alpha) - (ln delta + ln alpha) / (alpha - 1)    (improved),
        epsilon = e + ln(1 / delta) / (alpha - 1)                                      (older),

    or 0 where that is negative.  The improved one is also 0 where 1 - e^-e <= delta^2: there delta alone is at least
    the total variation distance (the Bretagnolle-Huber inequality; the divergence of order 1 is at most e).  Every
    order gives a valid epsilon; the smallest is returned, so more orders are never worse.  If the best order is the
    first or the last, a wider range may do better.  Neither form is the last word: the smallest epsilon that follows
    from one order alone has no closed form, and is smaller (Asoodeh et al.).

    Parameters
    ----------
    alphas : float, list, array or Series, shape (k,)
        Orders, above 1.
    rdp : float, list, array or Series, shape (k,)
        The bound at each order, at least 0, in nats; leave out an order that has none.
    delta : float
        Above 0 and below 1.
    tight : bool
        False for the older, larger conversion that is found in textbooks.

    Returns
    -------
    epsilon : float
        The smallest of all orders.
    alpha : float
        The order it comes from.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS, Prop. 12 (improved).
    Balle, Barthe, Gaboardi, Hsu & Sato (2020), Hypothesis testing interpretations and Renyi differential privacy,
    AISTATS, Theorem 21 (improved).
    Asoodeh, Liao, Calmon, Kosut & Sankar (2020), A better bound gives a hundred rounds, ISIT.
    Canonne (2022), A short note on an inequality between KL and TV, arXiv:2202.07198 (Bretagnolle & Huber 1979).
    Mironov (2017), Renyi differential privacy, CSF, Proposition 3 (older).

    Examples
    --------
    One hundred releases with Gaussian noise of deviation 10, at sensitivity 1:

    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> alphas = np.arange(2, 65)
    >>> epsilon, alpha = dp.rdp_to_dp(alphas, 100 * dp.rdp_gaussian(alphas, sigma=10.0), delta=1e-5)
    >>> round(epsilon, 3), alpha
    (4.753, 5.0)
    """
    orders, bounds = bounds_of_orders(alphas, rdp)
    delta = check.probability("delta", delta, zero=False, one=False)
    check.choice("tight", tight, (True, False))
    epsilons = np.maximum(bounds + _conversion(orders, delta, tight), 0.0)
    if tight:
        epsilons[_covered(bounds, delta)] = 0.0
    best = int(np.argmin(epsilons))
    return float(epsilons[best]), float(orders[best])


def zcdp_gaussian(*, sigma: float, sensitivity: float = 1.0) -> float:
    """Return the rho of the Gaussian mechanism, sensitivity^2 / (2 sigma^2).

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, above 0, in the unit of the query.
    sensitivity : float
        L2 sensitivity, above 0, in the same unit.

    Returns
    -------
    float
        The mechanism is rho-zCDP.

    References
    ----------
    Bun & Steinke (2016), Concentrated differential privacy, TCC, Proposition 1.6.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.zcdp_gaussian(sigma=10.0)
    0.005
    """
    relative = check.positive("sigma", sigma) / check.positive("sensitivity", sensitivity)
    if relative < 1e-150:
        raise ValueError(f"sigma must be at least 1e-150 times the sensitivity, got {sigma!r}")
    return 1 / (2 * relative * relative)


def zcdp_to_dp(rho: float, *, delta: float, tight: bool = True) -> float:
    """Return the epsilon at ``delta`` of a rho-zCDP mechanism.

    The improved form is that of `rdp_to_dp` with e = rho alpha, at the best of all orders alpha above 1.  The older is
    rho + 2 sqrt(rho ln(1 / delta)).

    Parameters
    ----------
    rho : float
        0 or more; the sum over all releases.
    delta : float
        Above 0 and below 1.
    tight : bool
        False for the older, larger conversion that is found in textbooks.

    Returns
    -------
    float
        Epsilon.

    References
    ----------
    Bun & Steinke (2016), Concentrated differential privacy, TCC, Proposition 1.3 (older).
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS (improved).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.zcdp_to_dp(0.5, delta=1e-5), 3), round(dp.zcdp_to_dp(0.5, delta=1e-5, tight=False), 3)
    (4.728, 5.299)
    """
    rho = check.at_least("rho", rho, 0)
    delta = check.probability("delta", delta, zero=False, one=False)
    check.choice("tight", tight, (True, False))
    log_delta = math.log(delta)
    if rho == 0 or (tight and _covered(rho, delta)):
        return 0.0
    if not tight:
        return rho + 2 * math.sqrt(rho) * math.sqrt(-log_delta)
    # The derivative by t = alpha - 1 is rho + ln(delta (1 + t)) / t^2, which has one root.
    furthest = math.sqrt(-log_delta) / math.sqrt(rho)
    _, t = bisect(lambda t: rho * t * t < -log_delta - math.log1p(t), 0.0, furthest)
    return max(rho * (1 + t) - math.log1p(1 / t) - (log_delta + math.log1p(t)) / t, 0.0)


def dp_sgd_epsilon(*, q: float, sigma: float, steps: int, delta: float) -> float:
    """Return the epsilon at ``delta`` of all of DP-SGD, by Renyi accounting at the best of all orders.

    Every step takes each row with probability ``q``, sums their clipped gradients, and adds Gaussian noise of
    deviation ``sigma`` times the clipping bound.  Neighbours are add/remove-one with the same ``q``.  The orders up
    to 4,097, fractions included, are searched.  The result is a valid bound, not the exact epsilon: numerical
    accounting (`PrivacyLoss.subsampled_gaussian`) comes out some 10% lower at usual noise, and far lower where sigma
    is small (q = 0.001, sigma = 0.6, 1,000 steps, delta = 1e-5: 1.43 in place of 2.54).

    Parameters
    ----------
    q : float
        Sampling probability of a row in a step, in [0, 1].
    sigma : float
        Noise multiplier, above 0.
    steps : int
        At least 1.
    delta : float
        Above 0 and below 1.

    Returns
    -------
    float
        Epsilon of the release of every iterate.

    References
    ----------
    Abadi et al. (2016), Deep learning with differential privacy, CCS.
    Mironov, Talwar & Zhang (2019), Renyi differential privacy of the sampled Gaussian mechanism, arXiv:1908.10530.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.dp_sgd_epsilon(q=0.01, sigma=1.1, steps=10_000, delta=1e-5), 3)
    5.632
    """
    q = check.probability("q", q)
    sigma = check.positive("sigma", sigma)
    times = check.finite("steps", check.integer("steps", steps, minimum=1))
    delta = check.probability("delta", delta, zero=False, one=False)
    if q == 0:
        return 0.0
    if q == 1 or sigma < _SAMPLING_IS_NOTHING:
        return zcdp_to_dp(times * zcdp_gaussian(sigma=sigma), delta=delta)
    return _best_epsilon(q, sigma, times, delta)


def noise_multiplier(*, q: float, steps: int, epsilon: float, delta: float) -> float:
    """Return the smallest sigma with which DP-SGD costs at most (epsilon, delta) by `dp_sgd_epsilon`.

    Parameters
    ----------
    q : float
        Sampling probability of a row in a step, above 0 and at most 1.
    steps : int
        At least 1.
    epsilon, delta : float
        What all steps may cost together, under add/remove-one: epsilon above 0 and at most 1e200, delta
        above 0 and below 1.

    Returns
    -------
    float
        The noise multiplier, at most 1e-7 of itself above the smallest.

    References
    ----------
    Abadi et al. (2016), Deep learning with differential privacy, CCS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.noise_multiplier(q=0.01, steps=1_000, epsilon=1.0, delta=1e-5), 3)
    1.513
    """
    q = check.probability("q", q, zero=False)
    steps = check.integer("steps", steps, minimum=1)
    epsilon = check.positive("epsilon", epsilon)
    delta = check.probability("delta", delta, zero=False, one=False)

    def too_low(sigma):
        return dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta) > epsilon

    if epsilon > 1e200:
        raise ValueError(f"epsilon must be at most 1e200, got {epsilon!r}")
    above = 1.0
    while too_low(above):
        above *= 2
    while not too_low(above / 2):
        above /= 2
    return bisect(too_low, above / 2, above, precision=1e-7)[1]


# Checks.


def _orders(name, alpha) -> np.ndarray:
    orders = check.numbers(name, alpha, ndim=None)
    if orders.ndim > 1:
        raise ValueError(f"{name} must be one order or a list of orders, got shape {orders.shape}")
    if (orders <= 1).any():
        raise ValueError(f"{name} must be above 1, got {orders.min():g}")
    return orders


def bounds_of_orders(alphas, rdp) -> tuple[np.ndarray, np.ndarray]:
    """Return the arguments ``alphas`` and ``rdp`` of a conversion, checked."""
    orders = np.atleast_1d(_orders("alphas", alphas))
    bounds = check.within("rdp", np.atleast_1d(check.numbers("rdp", rdp, ndim=None)), 0)
    if orders.size == 0:
        raise ValueError("alphas must not be empty")
    if bounds.shape != orders.shape:
        raise ValueError(f"rdp must have one bound for each of alphas, got shapes {bounds.shape} and {orders.shape}")
    if np.ndim(rdp) and np.ndim(alphas):
        bounds = bounds[check.pairing("rdp", rdp, "alphas", alphas)]
    return orders, bounds


# Divergences.

_LARGEST_ORDER = 100_000
_SAMPLING_IS_NOTHING = 1e-100  # with so little noise, the ln(q) that sampling takes off is below rounding


def _two_sided(orders, epsilon, weight, half_rate) -> np.ndarray:
    """Return epsilon + ln(1 - weight + weight e^(-2 half_rate epsilon)) / (orders - 1), for pure mechanisms.

    Where the result is tiny, the difference would be rounding only; there alpha epsilon^2 / 2 bounds every
    epsilon-differentially private mechanism from above (Bun & Steinke 2016), and is as good as exact.
    """
    with np.errstate(over="ignore"):
        exact = epsilon + np.log1p(weight * np.expm1(-2 * (half_rate * epsilon))) / (orders - 1)
        return np.where(orders * epsilon < 1e-6, orders * epsilon * epsilon / 2, exact)


def _conversion(orders, delta, tight):
    """Return by how much epsilon at ``delta`` exceeds the Renyi bound of each order."""
    if tight:
        return np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
    return -math.log(delta) / (orders - 1)


def _covered(bounds, delta):
    """Return where delta is at least the total variation distance that a Renyi bound allows, sqrt(1 - e^-bound)."""
    return -np.expm1(-bounds) <= delta * delta


def _log_moments(orders, q, sigma) -> np.ndarray:
    """Return ln(A) of `rdp_subsampled_gaussian` for each order, for 0 < q < 1."""
    whole = np.floor(orders).astype(int)
    if sigma < 0.01 and (orders > whole).any():
        low, high = _log_moments(whole, q, sigma), _log_moments(whole + 1, q, sigma)
        return low + (orders - whole) * (high - low)
    # Orders that agree in their fraction share G.  Rounding lets 2.1 and 3.1 meet, and moves an order by 1e-12 at
    # most; next to 1 that would be too much.
    fraction = np.where(orders > 1.01, np.round(orders - whole, 12), orders - whole)
    fractions, row = np.unique(fraction, return_inverse=True)
    last = np.zeros(fractions.size, dtype=int)
    np.maximum.at(last, row, whole)
    k = np.arange(whole.max(initial=1) + 1)
    c = k * (k - 1) / (2 * sigma * sigma) + _log_fractional_moments(fractions, last, q, sigma)

    result = np.empty(orders.shape)
    per_block = max(1, 2**20 // k.size)
    for start in range(0, orders.size, per_block):
        block = slice(start, start + per_block)
        result[block] = _log_binomial_mean(whole[block], c[row[block]], q)
    return result


def _log_binomial_mean(m, c, q) -> np.ndarray:
    """Return ln of the mean of e^c(k) for a binomial k of ``m`` and ``q``, for each of ``m`` and row of ``c``.

    The mean of e^c(k) - 1 is precise even where it is next to 0.  Of all c(k) only c(0) is negative; the others are
    summed as logarithms, because they may be huge.
    """
    k = np.arange(c.shape[1])
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(k[1:]))])
    gains = np.maximum(c, 0)
    with np.errstate(divide="ignore"):  # ln(0) where c(k) is 0
        log_terms = gains + np.log(-np.expm1(-gains)) + k * (math.log(q) - math.log1p(-q)) - log_factorial
        log_terms = np.where(k <= m[:, None], log_terms - log_factorial[np.maximum(m[:, None] - k, 0)], -np.inf)
        peak = np.maximum(log_terms.max(axis=1), -1e300)
        log_sum = peak + np.log(np.exp(log_terms - peak[:, None]).sum(axis=1))
    log_none = m * math.log1p(-q)  # the probability that k is 0
    return np.logaddexp(log_none + log_factorial[m] + log_sum, np.log1p(np.exp(log_none) * np.expm1(c[:, 0])))


def _log_fractional_moments(fractions, last, q, sigma) -> np.ndarray:
    """Return ln(G(k)) of `rdp_subsampled_gaussian`, one row for each of ``fractions``, for k from 0 to its ``last``.

    The integrand is analytic in a strip of width pi sigma on both sides of the real axis of x = (z - k) / sigma, so
    the trapezoidal rule converges exponentially, here to 1e-16.
    """
    result = np.zeros((fractions.size, last.max(initial=1) + 1))
    end = last[fractions > 0].max(initial=-1) + 1
    if end == 0:
        return result
    step = min(0.5, 0.55 * sigma)
    x = np.arange(-9, 9 + 2 / sigma, step)
    log_weight = math.log(step / math.sqrt(2 * math.pi)) - x * x / 2
    per_block = max(1, 2**20 // x.size)
    for start in range(0, end, per_block):
        k = np.arange(start, min(start + per_block, end))[:, None]
        loss = (2 * k - 1) / (2 * sigma * sigma) + x / sigma
        # For a loss above 500, q (e^loss - 1) is q e^loss, and 1 beside it doesn't count.
        log_ratio = np.log1p(q * np.expm1(np.minimum(loss, 500))) + np.maximum(loss - 500, 0)
        for row in np.flatnonzero((fractions > 0) & (last >= start)):
            needed = log_ratio[: last[row] + 1 - start]
            result[row, start : start + len(needed)] = _log_mean_exp(fractions[row] * needed, log_weight)
    return result


def _log_mean_exp(exponents, log_weights) -> np.ndarray:
    """Return ln of the mean of e^exponents in each row, with weights that add up to 1; precise even next to 0."""
    centre = exponents[:, np.argmax(log_weights), None]
    rises = exponents - centre
    if rises.max() < 600:
        return centre.ravel() + np.log1p(np.expm1(rises) @ np.exp(log_weights))
    rises += log_weights  # first, lest e^rises overflows
    peak = rises.max(axis=1)
    return centre.ravel() + peak + np.log(np.exp(rises - peak[:, None]).sum(axis=1))


# The search for the best order.

_HIGHEST_ORDER = 2**12 + 1


@functools.lru_cache(maxsize=256)
def _best_epsilon(q, sigma, steps, delta) -> float:
    """Return the smallest epsilon over all orders up to ``_HIGHEST_ORDER``, for 0 < q < 1.

    Times alpha - 1, epsilon is a convex function of alpha (ln(A) is, and so are the terms of the conversion), hence
    it falls up to the best order and rises from there on.  Ever finer grids of ln(alpha - 1) close in on it.  Orders
    above 200 are tried only if the best of the others is the highest; whole ones, which take less time, are as good.
    """
    low, high, highest = math.log(1e-9), math.log(200), math.log(_HIGHEST_ORDER - 1)
    while high - low > 1e-3:
        grid = np.linspace(low, high, 17)
        orders = 1 + np.exp(grid)
        orders[orders > 201] = np.rint(orders[orders > 201])
        bounds = steps * _log_moments(orders, q, sigma) / (orders - 1)
        if _covered(bounds, delta).any():
            return 0.0
        epsilons = bounds + _conversion(orders, delta, tight=True)
        best = int(np.argmin(epsilons))
        if grid[best] == math.log(200):
            low, high = grid[15], highest
        else:
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, 16)]
    return max(float(epsilons[best]), 0.0)
