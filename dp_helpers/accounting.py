"""What several releases cost together: composition, group privacy and a privacy ledger.

All parts of one total must be stated for the same neighbour relation, add/remove-one unless said otherwise; the total
then holds for it, too.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import math
import threading

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check

_MOST_RELEASES = 10_000_000  # of optimal_composition, which holds an array of half that length


class BudgetExceeded(Exception):
    """A release would cost more than what is left of a `PrivacyLedger`'s budget.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> try:
    ...     dp.PrivacyLedger(1.0).spend(2.0, label="mean income")
    ... except dp.BudgetExceeded as refusal:
    ...     print(refusal)
    'mean income' costs epsilon 2 and delta 0; left are epsilon 1 and delta 0
    """


class PrivacyLedger:
    """A privacy budget and the list of what was spent of it.

    Call `spend` before each release.  The ledger adds up epsilons and deltas, which is sequential composition: all
    releases together are (epsilon, delta)-differentially private for the ledger's totals, for the neighbour relation
    that the single releases share, even if each query and each cost is chosen after seeing the answers so far (Rogers,
    Roth, Ullman & Vadhan 2016).

    A total may pass the budget by a relative 1e-12, so that ten times 0.1 fits into 1.0: a decimal fraction is rounded
    when it becomes a float, and the rounding is not the reader's mistake.

    Threads may share a ledger: together they spend no more than its budget.

    Parameters
    ----------
    epsilon : float
        The budget, at least 0.
    delta : float
        The budget, in [0, 1).  Epsilon and delta must not both be 0.

    Attributes
    ----------
    spent : tuple of float
        (epsilon, delta) of all releases so far.
    remaining : tuple of float
        (epsilon, delta) that is left, never below 0.

    References
    ----------
    Dwork, Kenthapadi, McSherry, Mironov & Naor (2006), Our data, ourselves, EUROCRYPT (composition).
    Rogers, Roth, Ullman & Vadhan (2016), Privacy odometers and filters, NIPS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> ledger = dp.PrivacyLedger(1.0)
    >>> ledger.spend(0.75, label="histogram of ages")
    >>> ledger.remaining
    (0.25, 0.0)
    >>> ledger.spend(0.5, label="mean income")
    Traceback (most recent call last):
    dp_helpers.accounting.BudgetExceeded: 'mean income' costs epsilon 0.5 and delta 0; left are epsilon 0.25 and delta 0
    """

    def __init__(self, epsilon: float, delta: float = 0.0) -> None:
        self._budget = _cost(epsilon, delta)
        self._entries: list[tuple[str, float, float]] = []
        self._lock = threading.Lock()  # held from the look at what is left until the entry

    def __getstate__(self) -> dict:
        return {name: value for name, value in vars(self).items() if name != "_lock"}  # a lock can't be pickled

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state, _lock=threading.Lock())

    @property
    def spent(self) -> tuple[float, float]:
        """(epsilon, delta) of all releases so far."""
        return _total(self._entries)

    @property
    def remaining(self) -> tuple[float, float]:
        """(epsilon, delta) that is left, never below 0."""
        epsilon, delta = (max(0.0, budget - spent) for budget, spent in zip(self._budget, self.spent, strict=True))
        return epsilon, delta

    def spend(self, epsilon: float, delta: float = 0.0, *, label: str) -> None:
        """Enter the cost of a release, before it is made.

        Parameters
        ----------
        epsilon : float
            Cost of the release, at least 0.
        delta : float
            Cost of the release, in [0, 1).  Epsilon and delta must not both be 0.
        label : str
            What is released.

        Raises
        ------
        BudgetExceeded
            If the total would pass the budget.  Nothing is entered then.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> ledger = dp.PrivacyLedger(1.0, delta=1e-5)
        >>> ledger.spend(0.5, 1e-6, label="count")
        """
        cost = _cost(epsilon, delta)
        if not isinstance(label, str):
            raise TypeError(f"label must be a string, got {label!r}")
        if not label:
            raise ValueError("label must not be empty, got ''")
        with self._lock:
            total = _total([*self._entries, (label, *cost)])
            if any(spent > budget * (1 + 1e-12) for spent, budget in zip(total, self._budget, strict=True)):
                left = self.remaining
                raise BudgetExceeded(
                    f"{label!r} costs epsilon {cost[0]:g} and delta {cost[1]:g}; "
                    f"left are epsilon {left[0]:g} and delta {left[1]:g}"
                )
            self._entries.append((label, *cost))

    def table(self) -> pd.DataFrame:
        """Return the releases in order, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns ``label``, ``epsilon``, ``delta``, and the running totals ``total epsilon`` and ``total delta``.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> ledger = dp.PrivacyLedger(1.0)
        >>> ledger.spend(0.25, label="count")
        >>> ledger.spend(0.5, label="sum")
        >>> ledger.table()[["label", "epsilon", "total epsilon"]]
           label  epsilon  total epsilon
        0  count     0.25           0.25
        1    sum     0.50           0.75
        """
        rows = [(*entry, *_total(self._entries[: i + 1])) for i, entry in enumerate(self._entries)]
        table = pd.DataFrame(rows, columns=["label", "epsilon", "delta", "total epsilon", "total delta"])
        return table.astype({name: float for name in table.columns if name != "label"})


def sequential_composition(epsilons: ArrayLike, deltas: ArrayLike | None = None) -> tuple[float, float]:
    """Return the cost (epsilon, delta) of several releases about the same data: the sums.

    Each release may be chosen after seeing the ones before.  For pure differential privacy (no deltas) no smaller
    epsilon holds for all mechanisms.

    Parameters
    ----------
    epsilons : list or array, shape (k,)
        Epsilon of each release, at least 0; k at least 1.
    deltas : list or array, shape (k,), optional
        Delta of each release, in [0, 1); None: all 0.

    Returns
    -------
    tuple of float
        (epsilon, delta); delta is at most 1, which promises nothing.

    References
    ----------
    Dwork, Kenthapadi, McSherry, Mironov & Naor (2006), Our data, ourselves, EUROCRYPT.
    McSherry (2009), Privacy integrated queries, SIGMOD.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.sequential_composition([0.25, 0.5], [0, 1e-5])
    (0.75, 1e-05)
    """
    each_epsilon, each_delta = _costs(epsilons, deltas)
    try:
        return math.fsum(each_epsilon), min(1.0, math.fsum(each_delta))
    except OverflowError:
        raise ValueError(f"epsilons must add up to less than 1.8e308, got {epsilons!r}") from None


def parallel_composition(epsilons: ArrayLike, deltas: ArrayLike | None = None) -> tuple[float, float]:
    """Return the cost (epsilon, delta) of one release about each of several disjoint parts of the data: the maxima.

    For add/remove-one only, and only if a fixed rule puts each row into its part by looking at nothing but that row:
    one row then changes one part.  Replacing a row removes it from one part and adds it to another, which costs up to
    the sum of the two largest; where it can also stay and change within its part, as with a histogram of each part, up
    to twice the largest.

    Parameters
    ----------
    epsilons : list or array, shape (k,)
        Epsilon of the release about each part, at least 0; k at least 1.
    deltas : list or array, shape (k,), optional
        Delta of each release, in [0, 1); None: all 0.

    Returns
    -------
    tuple of float
        (epsilon, delta).

    References
    ----------
    McSherry (2009), Privacy integrated queries, SIGMOD, Theorem 4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.parallel_composition([0.25, 0.5])
    (0.5, 0.0)
    """
    each_epsilon, each_delta = _costs(epsilons, deltas)
    return float(each_epsilon.max()), float(each_delta.max())


def group_privacy(epsilon: float, delta: float, *, size: int) -> tuple[float, float]:
    """Return what an (epsilon, delta) guarantee for one row promises to a group of ``size`` rows.

    The result is (size epsilon, delta (e^(size epsilon) - 1) / (e^epsilon - 1)), for data sets ``size`` steps of the
    original neighbour relation apart.

    Parameters
    ----------
    epsilon : float
        Privacy parameter for one row, at least 0.
    delta : float
        Privacy parameter for one row, in [0, 1).
    size : int
        Rows in the group, at least 1.

    Returns
    -------
    tuple of float
        (epsilon, delta); delta is at most 1, which promises nothing.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Theorem 2.2.
    Vadhan (2017), The complexity of differential privacy, Lemma 2.2 (which rounds delta up).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> epsilon, delta = dp.group_privacy(0.5, 1e-6, size=4)
    >>> epsilon, round(delta, 8)
    (2.0, 9.85e-06)
    """
    epsilon = check.at_least("epsilon", epsilon, 0)
    delta = check.probability("delta", delta, one=False)
    size = check.integer("size", size, minimum=1)
    total = check.finite("size", size) * epsilon
    if not math.isfinite(total):
        raise ValueError(f"size * epsilon must be a finite number, got size={size!r} and epsilon={epsilon!r}")
    if delta == 0:
        return total, 0.0
    if epsilon == 0:
        return total, min(1.0, size * delta)
    # (e^total - 1) / (e^epsilon - 1), in logarithms because e^total may overflow.
    log_steps = total - epsilon + math.log(-math.expm1(-total)) - math.log(-math.expm1(-epsilon))
    return total, math.exp(min(0.0, math.log(delta) + log_steps))


def amplification_by_sampling(epsilon: float, delta: float, *, q: float) -> tuple[float, float]:
    """Return what an (epsilon, delta) mechanism promises if it is run on a random sample of the rows.

    That is (ln(1 + q (e^epsilon - 1)), q delta).  It holds in two cases, each for the neighbour relation of the
    guarantee that the mechanism itself has:

    - add/remove-one, where each row enters the sample with probability q, independently (Poisson sampling);
    - replace-one, where the sample is m of the n rows, drawn without replacement, and q = m / n.

    Which rows were drawn must stay secret.  Many releases, each of a sample of its own, add up as any releases do; for
    Gaussian noise `PrivacyLoss.subsampled_gaussian` and `dp_sgd_epsilon` say more.

    Parameters
    ----------
    epsilon : float
        Privacy parameter of the mechanism on all rows that it is given, at least 0.
    delta : float
        Likewise, in [0, 1).
    q : float
        Probability with which a row is in the sample, in [0, 1].

    Returns
    -------
    tuple of float
        (epsilon, delta) for all rows.

    References
    ----------
    Balle, Barthe & Gaboardi (2018), Privacy amplification by subsampling, NeurIPS, Theorems 8 and 9.
    Li, Qardaji & Su (2012), On sampling, anonymization, and differential privacy, ASIACCS.

    Examples
    --------
    One row of a hundred, on which the mechanism has epsilon 1:

    >>> import dp_helpers as dp
    >>> epsilon, delta = dp.amplification_by_sampling(1.0, 1e-6, q=0.01)
    >>> round(epsilon, 4), delta
    (0.017, 1e-08)
    """
    epsilon = check.at_least("epsilon", epsilon, 0)
    delta = check.probability("delta", delta, one=False)
    q = check.probability("q", q)
    if q == 0:
        return 0.0, 0.0
    if epsilon > 500:  # e^epsilon may overflow; ln(q + (1 - q) e^-epsilon) doesn't
        return epsilon + math.log(q + (1 - q) * math.exp(-epsilon)), q * delta
    return math.log1p(q * math.expm1(epsilon)), q * delta


def advanced_composition(epsilon: float, delta: float, *, k: int, delta_prime: float) -> tuple[float, float]:
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
    releases = check.finite("k", check.integer("k", k, minimum=1))
    delta_prime = check.probability("delta_prime", delta_prime, zero=False, one=False)
    mean = releases * epsilon * math.expm1(epsilon) if epsilon < 700 else math.inf
    spread = epsilon * math.sqrt(2 * releases * -math.log(delta_prime))
    return spread + mean, min(1.0, releases * delta + delta_prime)


def optimal_composition(epsilon: float, delta: float, *, k: int, delta_total: float) -> float:
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
    k = check.integer("k", k, minimum=1, maximum=_MOST_RELEASES)
    if k * epsilon > 1e300:
        raise ValueError(f"k * epsilon must be at most 1e300, got k={k!r} and epsilon={epsilon!r}")
    delta_total = check.probability("delta_total", delta_total, one=False)
    log_no_failure = k * math.log1p(-delta)
    d = -math.expm1(math.log1p(-delta_total) - log_no_failure)
    if d < -1e-15:  # not for the rounding of 1 - (1 - delta)^k
        failures = -math.expm1(log_no_failure)
        raise ValueError(f"delta_total must be at least {failures:.6g}, which k deltas cost, got {delta_total!r}")
    if d <= 0:  # nothing left for the privacy loss to exceed epsilon with: the sum, without rounding
        return k * epsilon
    false = np.arange(k // 2 + 1)
    log_choose = np.concatenate([[0.0], np.cumsum(np.log((k - false[1:] + 1) / false[1:]))])
    log_truth = -math.log1p(math.exp(-epsilon))
    log_lie = log_truth - epsilon
    log_p = np.logaddexp.accumulate(log_choose + (k - false) * log_truth + false * log_lie)
    log_q = np.logaddexp.accumulate(log_choose + (k - false) * log_lie + false * log_truth)
    with np.errstate(divide="ignore"):  # ln(0) where P is d or less
        log_share = np.minimum(math.log(d) - log_p, 0)
        best = np.max(log_p + np.log(-np.expm1(log_share)) - log_q)
    return min(max(float(best), 0.0), k * epsilon)


def _costs(epsilons, deltas) -> tuple[np.ndarray, np.ndarray]:
    epsilons = check.within("epsilons", check.numbers("epsilons", epsilons, empty=False), 0)
    deltas = epsilons * 0 if deltas is None else check.numbers("deltas", deltas)
    check.pairing("deltas", deltas, "epsilons", epsilons)  # of arrays: no total depends on their order
    wrong = (deltas < 0) | (deltas >= 1)
    if wrong.any():
        raise ValueError(f"deltas must be in [0, 1), got {deltas[wrong][0]}")
    return epsilons, deltas


def _cost(epsilon, delta) -> tuple[float, float]:
    cost = _cost_of_one(epsilon, delta)
    if cost == (0, 0):
        # Epsilon 0 with some delta is a guarantee (total variation at most delta); both 0 is no release at all.
        raise ValueError(f"epsilon and delta must not both be 0, got epsilon={epsilon!r} and delta={delta!r}")
    return cost


def _total(entries) -> tuple[float, float]:
    # math.fsum rounds once, however many entries there are.
    return math.fsum(entry[1] for entry in entries), math.fsum(entry[2] for entry in entries)


def _cost_of_one(epsilon, delta) -> tuple[float, float]:
    return check.at_least("epsilon", epsilon, 0), check.probability("delta", delta, one=False)
