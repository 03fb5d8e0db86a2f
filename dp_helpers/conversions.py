"""From one way to say a guarantee to another: delta at an epsilon, rho for (epsilon, delta), rho of pure privacy.

`rdp_to_dp` and `zcdp_to_dp`, in `renyi`, give epsilon at a delta; here stand the other directions.  All hold for the
neighbour relation of the guarantee that is given.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import gaussian_sigma
from dp_helpers.numerics import bisect
from dp_helpers.renyi import bounds_of_orders, zcdp_gaussian, zcdp_to_dp


def rdp_to_delta(alphas: ArrayLike, rdp: ArrayLike, *, epsilon: float) -> tuple[float, float]:
    """Return the smallest delta that Renyi bounds give at ``epsilon``, and the order that gives it.

    A mechanism with divergence at most e at order alpha is (epsilon, delta)-differentially private for

        delta = e^((alpha - 1) (e - epsilon)) (1 - 1 / alpha)^(alpha - 1) / alpha,

    and for delta = sqrt(1 - e^-e) whatever epsilon is (the Bretagnolle-Huber inequality).  It is `rdp_to_dp` solved for
    delta.

    Parameters
    ----------
    alphas : float, list, array or Series, shape (k,)
        Orders, above 1.
    rdp : float, list, array or Series, shape (k,)
        The bound at each order, at least 0, in nats; leave out an order that has none.
    epsilon : float
        At least 0.

    Returns
    -------
    delta : float
        The smallest of all orders, at most 1.
    alpha : float
        The order it comes from.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS, Prop. 12.
    Canonne (2022), A short note on an inequality between KL and TV, arXiv:2202.07198.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> alphas = np.arange(2, 65)
    >>> delta, alpha = dp.rdp_to_delta(alphas, dp.rdp_gaussian(alphas, sigma=1.0), epsilon=4.76)
    >>> f"{delta:.0e}", alpha
    ('1e-05', 5.0)
    """
    orders, bounds = bounds_of_orders(alphas, rdp)
    epsilon = check.at_least("epsilon", epsilon, 0)
    with np.errstate(over="ignore"):
        logs = (orders - 1) * (bounds - epsilon + np.log1p(-1 / orders)) - np.log(orders)
    deltas = np.minimum(np.exp(np.minimum(logs, 0.0)), np.sqrt(-np.expm1(-bounds)))
    best = int(np.argmin(deltas))
    return float(deltas[best]), float(orders[best])


def zcdp_to_delta(rho: float, *, epsilon: float) -> float:
    """Return the delta at ``epsilon`` of a rho-zCDP mechanism: that of `rdp_to_delta` at the best of all orders.

    Parameters
    ----------
    rho : float
        0 or more; the sum over all releases.
    epsilon : float
        At least 0.

    Returns
    -------
    float
        Delta, at most 1.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> f"{dp.zcdp_to_delta(0.5, epsilon=4.728):.1e}"
    '1.0e-05'
    """
    rho, epsilon = check.at_least("rho", rho, 0), check.at_least("epsilon", epsilon, 0)
    if rho == 0:
        return 0.0
    # A larger rho and a smaller epsilon are on the safe side, and keep all numbers within floats.
    more, less = max(rho, 1e-200), min(epsilon, 1e100)
    # The derivative of ln delta by t = alpha - 1 is rho (1 + 2t) - epsilon + ln(t / (1 + t)), which rises with t.
    furthest = less / (2 * more) + 1 / math.sqrt(2 * more)
    _, t = bisect(lambda t: more * (1 + 2 * t) - math.log1p(1 / t) < less, 1e-300, max(furthest, 2e-300))
    log_delta = t * (more * (1 + t) - less) - t * math.log1p(1 / t) - math.log1p(t)
    return min(math.exp(min(log_delta, 0.0)), math.sqrt(-math.expm1(-rho)))


def largest_rho(*, epsilon: float, delta: float) -> float:
    """Return the largest rho for which `zcdp_to_dp` gives ``epsilon`` at ``delta``.

    It is what all releases together may cost under zero-concentrated privacy, if the whole is to be (epsilon, delta).

    Parameters
    ----------
    epsilon : float
        Above 0.
    delta : float
        Above 0 and below 1.

    Returns
    -------
    float
        Rho, at most 1e-9 of itself below the largest.

    References
    ----------
    Canonne, Kamath & Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.largest_rho(epsilon=1.0, delta=1e-6), 4)
    0.0244
    """
    epsilon, delta = check.positive("epsilon", epsilon), check.probability("delta", delta, zero=False, one=False)
    return _largest_rho(epsilon, delta)


def pure_to_zcdp(epsilon: float, *, bounded_range: bool = False) -> float:
    """Return the rho of an epsilon-differentially private mechanism: epsilon^2 / 2, or epsilon^2 / 8.

    Parameters
    ----------
    epsilon : float
        At least 0, of a pure guarantee: delta is 0.
    bounded_range : bool
        Whether the privacy losses of all outputs, for any two neighbours, lie in an interval of length epsilon, and not
        only within epsilon of 0.  The exponential mechanism has that property, with ``monotonic`` scores and without;
        Laplace noise and randomized response have it for twice their epsilon only.

    Returns
    -------
    float
        The mechanism is rho-zCDP.

    References
    ----------
    Bun & Steinke (2016), Concentrated differential privacy, TCC, Proposition 1.4 (epsilon^2 / 2).
    Cesar & Rogers (2021), Bounding, concentrating, and truncating: unifying privacy loss composition for data
    analytics, ALT (epsilon^2 / 8).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.pure_to_zcdp(1.0), dp.pure_to_zcdp(1.0, bounded_range=True)
    (0.5, 0.125)
    """
    epsilon = check.at_least("epsilon", epsilon, 0)
    if epsilon > 1e150:
        raise ValueError(f"epsilon must be at most 1e150, got {epsilon!r}")
    return epsilon * epsilon / (8 if check.choice("bounded_range", bounded_range, (True, False)) else 2)


@functools.lru_cache(maxsize=256)
def _largest_rho(epsilon, delta) -> float:
    # A Gaussian mechanism calibrated exactly has too large a rho; the textbook conversion gives too small a one.
    above = zcdp_gaussian(sigma=gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta))
    log = -math.log(delta)
    below = (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2
    return bisect(lambda rho: zcdp_to_dp(rho, delta=delta) <= epsilon, below, above, precision=1e-9)[0]
