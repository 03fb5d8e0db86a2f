"""What k equal releases cost together when a small delta is allowed: advanced and optimal composition."""

import math

import numpy as np

from dp_helpers import validation as check


def advanced_composition(epsilon, delta, *, k, delta_prime) -> tuple[float, float]:
    """Return the cost of k releases of (epsilon, delta) each, by the advanced composition theorem.

    It is (epsilon sqrt(2k ln(1 / delta_prime)) + k epsilon (e^epsilon - 1), k delta + delta_prime), for every
    neighbour relation that the releases share, and also when each is chosen after seeing the ones before.  It is an
    upper bound, and above the k epsilon of `sequential_composition` unless epsilon is below ln 2 and
    k > 2 ln(1 / delta_prime) / (2 - e^epsilon)^2; `optimal_composition` is never above either.

    Parameters
    ----------
    epsilon : float
        Cost of one release, at least 0.
    delta : float
        Cost of one release, in [0, 1).
    k : int
        Number of releases, at least 1.
    delta_prime : float
        The delta that is added for the smaller epsilon, above 0 and below 1.

    Returns
    -------
    tuple of float
        (epsilon, delta) of all k releases; delta is at most 1, which promises nothing, and epsilon is infinite where
        e^epsilon is beyond float64.

    Raises
    ------
    TypeError
        If a parameter is not a number, or ``k`` not a whole one.
    ValueError
        If a parameter is outside its range.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Theorem 3.20.
    Dwork, Rothblum & Vadhan (2010), Boosting and differential privacy, FOCS, Theorem III.3.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> epsilon, delta = dp.advanced_composition(0.1, 0, k=1000, delta_prime=1e-6)
    >>> round(epsilon, 3), delta
    (27.14, 1e-06)
    """
    epsilon, delta = _cost_of_one(epsilon, delta)
    k = check.finite("k", check.integer("k", k, minimum=1))
    delta_prime = check.probability("delta_prime", delta_prime, zero=False, one=False)
    mean = k * epsilon * math.expm1(epsilon) if epsilon < 700 else math.inf
    spread = epsilon * math.sqrt(2 * k * -math.log(delta_prime))
    return spread + mean, min(1.0, k * delta + delta_prime)


def optimal_composition(epsilon, delta, *, k, delta_total) -> float:
    """Return the smallest epsilon that k releases of (epsilon, delta) each have together, at ``delta_total``.

    No smaller number holds for all mechanisms, since the worst of them, k-fold randomized response (which fails
    openly with probability delta), attains it.  A particular mechanism may cost less.  It holds for every neighbour
    relation that the releases share, and also when each is chosen after seeing the ones before.

    Of k reports of randomized response, l of them false, one world is likelier than the other by a factor of
    e^((k - 2l) epsilon), so the most telling events are "at most L false reports".  With their probabilities P(L) and
    Q(L) in the two worlds, epsilon is the largest ln((P(L) - d) / Q(L)), where
    1 - d = (1 - delta_total) / (1 - delta)^k.

    Parameters
    ----------
    epsilon : float
        Cost of one release, at least 0.
    delta : float
        Cost of one release, in [0, 1).
    k : int
        Number of releases, 1 to 10,000,000.
    delta_total : float
        Delta of all releases together, from 1 - (1 - delta)^k, below which there is no epsilon, to below 1.

    Returns
    -------
    float
        Epsilon, between 0 and k times that of one release.

    Raises
    ------
    TypeError
        If a parameter is not a number, or ``k`` not a whole one.
    ValueError
        If a parameter is outside its range.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), The composition theorem for differential privacy, ICML, Theorem 3.3; between the
    epsilons listed there the same argument gives every delta.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.optimal_composition(0.1, 0, k=1000, delta_total=1e-6), 3)
    19.345
    """
    epsilon, delta = _cost_of_one(epsilon, delta)
    k = check.integer("k", k, minimum=1)
    if k > _MOST_RELEASES:
        raise ValueError(f"k must be at most {_MOST_RELEASES}, got {k!r}")
    if k * epsilon > 1e300:
        raise ValueError(f"k * epsilon must be at most 1e300, got k={k!r} and epsilon={epsilon!r}")
    delta_total = check.probability("delta_total", delta_total, one=False)
    log_no_failure = k * math.log1p(-delta)
    d = -math.expm1(math.log1p(-delta_total) - log_no_failure)
    if d < -1e-15:  # not for the rounding of 1 - (1 - delta)^k
        raise ValueError(
            f"delta_total must be at least {-math.expm1(log_no_failure):.6g}, which k failures of probability delta "
            f"cost, got {delta_total!r}"
        )
    false = np.arange(k // 2 + 1)
    log_choose = np.concatenate([[0.0], np.cumsum(np.log((k - false[1:] + 1) / false[1:]))])
    log_truth = -math.log1p(math.exp(-epsilon))
    log_lie = log_truth - epsilon
    log_p = np.logaddexp.accumulate(log_choose + (k - false) * log_truth + false * log_lie)
    log_q = np.logaddexp.accumulate(log_choose + (k - false) * log_lie + false * log_truth)
    with np.errstate(divide="ignore"):  # ln(0) where P is d or less
        log_share = np.minimum(np.log(max(d, 0.0)) - log_p, 0)
        best = np.max(log_p + np.log(-np.expm1(log_share)) - log_q)
    return min(max(float(best), 0.0), k * epsilon)


_MOST_RELEASES = 10_000_000


def _cost_of_one(epsilon, delta) -> tuple[float, float]:
    return check.at_least("epsilon", epsilon, 0), check.probability("delta", delta, one=False)
