"""Exact accounting: trade-off curves, and the distribution of the privacy loss, composed numerically.

The privacy loss of an output y is ln P(y) / Q(y), where P and Q are the laws of the output on two neighbours and y is
drawn from P.  Its distribution says all there is to say about the pair: delta(epsilon) is the mean of
(1 - e^(epsilon - loss))_+, and the losses of independent releases add up.  A release that is chosen after seeing the
ones before keeps the bound if each is dominated by a fixed pair (Zhu, Dong & Wang 2022).

Every guarantee is for the neighbours that the pair stands for, in both orders: all releases on P against all on Q, and
all on Q against all on P.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import gaussian_delta
from dp_helpers.numerics import bisect


def trade_off_gaussian(false_alarms: ArrayLike, *, mu: float):
    """Return the smallest share of misses of anyone who guesses from an output with Gaussian noise.

    The guesser says which of two neighbours was used.  At a rate alpha of false alarms the best test misses with rate
    Phi(Phi^-1(1 - alpha) - mu), where mu = sensitivity / sigma.  A mechanism with no better test is mu-GDP; releases
    of mu_1, mu_2, ... together are sqrt(mu_1^2 + mu_2^2 + ...)-GDP.

    Parameters
    ----------
    false_alarms : float, list, array or Series
        Rates alpha, between 0 and 1.
    mu : float
        L2 sensitivity over the noise's deviation, at least 0.

    Returns
    -------
    float, array or Series
        One rate of misses for each of ``false_alarms``.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy, JRSS-B.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.trade_off_gaussian([0.01, 0.05, 0.5], mu=1.0).round(4)
    array([0.9076, 0.7405, 0.1587])
    """
    alpha = check.within("false_alarms", check.numbers("false_alarms", false_alarms, ndim=None), 0, 1)
    mu = check.at_least("mu", mu, 0)
    inside = (alpha > 0) & (alpha < 1)
    misses = np.asarray(1 - alpha)
    misses[inside] = _upper_tail(np.array([NormalDist().inv_cdf(rate) for rate in alpha[inside]]) + mu)
    return check.like(false_alarms, misses)


def trade_off_laplace(false_alarms: ArrayLike, *, epsilon: float):
    """Return the smallest share of misses of anyone who guesses from a number with Laplace noise.

    At a rate alpha of false alarms it is 1 - e^epsilon alpha up to alpha = e^-epsilon / 2, then e^-epsilon / (4 alpha)
    up to 1/2, and e^-epsilon (1 - alpha) from there on.

    Parameters
    ----------
    false_alarms : float, list, array or Series
        Rates alpha, between 0 and 1.
    epsilon : float
        Sensitivity over the noise's scale, at least 0.

    Returns
    -------
    float, array or Series
        One rate of misses for each of ``false_alarms``.

    References
    ----------
    Dong, Roth & Su (2022), Gaussian differential privacy, JRSS-B.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.trade_off_laplace([0.05, 0.3, 0.5], epsilon=1.0).round(4)
    array([0.8641, 0.3066, 0.1839])
    """
    alpha = check.within("false_alarms", check.numbers("false_alarms", false_alarms, ndim=None), 0, 1)
    odds = math.exp(-check.at_least("epsilon", epsilon, 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        misses = np.select([alpha < odds / 2, alpha <= 0.5], [1 - alpha / odds, odds / (4 * alpha)], odds * (1 - alpha))
    # Also where e^-epsilon underflows.
    return check.like(false_alarms, np.where(alpha == 0, 1.0, misses))


class PrivacyLoss:
    """The privacy loss of one release or of many: how much any output tells two neighbours apart.

    Made by its constructors (`laplace`, `gaussian`, `randomized_response`, `subsampled_gaussian`,
    `from_probabilities`), added up by `compose` and `compose_self`.  `epsilon` and `delta` are never below the truth,
    and `epsilon_bounds` and `delta_bounds` show how close they are.  What is never below the truth holds up to the
    rounding of floats in the probabilities of the single release, some 1e-13 of each.

    The bounds on epsilon lie within 0.1% of each other for usual trainings and for 10^4 releases or fewer; those on
    delta within a few per cent, because delta falls steeply.  They are looser, but on the safe side, where

    - samples are rare and steps many: q = 1e-4, sigma = 0.5, a million steps and delta = 1e-8 give (5.53, 6.40), of
      which the upper is 0.25% above the truth and the lower 13% below it;
    - epsilon is far below 0.1: q = 1e-6, sigma = 1, a million steps and delta = 1e-12 give (0.007, 0.010);
    - there are a billion releases: the lower bound may be 0;
    - a delta is asked for far beyond the likely losses: that of one step of q = 1e-6, sigma = 1 at epsilon = 0.01 is
      1.5e-25, and the upper bound 2.5e-11.

    Notes
    -----
    Losses are moved to a grid, convolved by the fast Fourier transform, and summed up.  Four things make the result a
    bound.  (1) The mass of each cell of the grid goes to its two ends, so that it keeps its probability under P and
    under Q: this dominates the original (Doroshenko et al. 2022).  (2) Mass beyond the grid's top counts as infinite
    loss, mass below its bottom as the lowest one.  (3) The transform wraps around; what wraps from above the window
    is bounded by Chernoff's inequality and added.  (4) So is a bound on the transform's rounding.

    For small delta the loss is tilted first: weighted by e^(tilt loss), which moves the window to where the answer
    lies, and undone at the end.  The tilt is the order, less 1, at which Renyi accounting would find its epsilon.

    For the lower bound each cell's mass is merged at its centre, less the little that the merged loss falls short.

    References
    ----------
    Sommer, Meiser & Mohammadi (2019), Privacy loss classes, PoPETs.
    Koskela, Jalko & Honkela (2020), Computing tight differential privacy guarantees using FFT, AISTATS.
    Doroshenko, Ghazi, Kamath, Kumar & Manurangsi (2022), Connect the dots, PoPETs.
    Zhu, Dong & Wang (2022), Optimal accounting of differential privacy via characteristic function, AISTATS.

    Examples
    --------
    A hundred answers with Laplace noise of scale 10 cost 10 by adding up, and at delta = 1e-6 no more than

    >>> import dp_helpers as dp
    >>> hundred = dp.PrivacyLoss.laplace(scale=10.0).compose_self(100)
    >>> round(hundred.epsilon(1e-6), 2)
    4.69
    """

    def __init__(self, _counts: dict | None = None) -> None:
        self._counts: dict = _counts or {}

    def __repr__(self) -> str:
        return f"PrivacyLoss({sum(self._counts.values())} releases)"

    @classmethod
    def laplace(cls, *, scale: float, sensitivity: float = 1.0) -> PrivacyLoss:
        """Return the privacy loss of one number with Laplace noise.

        Parameters
        ----------
        scale : float
            Scale of the noise, above 0, in the unit of the query.
        sensitivity : float
            Sensitivity of the query, above 0, in the same unit.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> round(dp.PrivacyLoss.laplace(scale=1.0).delta(0.5), 4)
        0.2212
        """
        return cls({_Laplace(_ratio("scale", scale, sensitivity)): 1})

    @classmethod
    def gaussian(cls, *, sigma: float, sensitivity: float = 1.0) -> PrivacyLoss:
        """Return the privacy loss of a release with Gaussian noise, of one number or of many together.

        Parameters
        ----------
        sigma : float
            Standard deviation of the noise, above 0, in the unit of the query.
        sensitivity : float
            L2 sensitivity of the query, above 0, in the same unit.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> round(dp.PrivacyLoss.gaussian(sigma=1.0).delta(1.0), 6)
        0.126937
        """
        return cls({_Gaussian(_ratio("sigma", sigma, sensitivity)): 1})

    @classmethod
    def randomized_response(cls, *, epsilon: float) -> PrivacyLoss:
        """Return the privacy loss of one yes-or-no answer that is true with odds e^epsilon to 1 (replace-one).

        Parameters
        ----------
        epsilon : float
            Above 0.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> round(dp.PrivacyLoss.randomized_response(epsilon=0.5).compose_self(20).epsilon(1e-5), 2)
        9.86
        """
        epsilon = check.positive("epsilon", epsilon)
        truth, lie = 1 / (1 + math.exp(-epsilon)), math.exp(-epsilon) / (1 + math.exp(-epsilon))
        return cls({_Atoms((epsilon, -epsilon), (truth, lie), (lie, truth), unit=epsilon): 1})

    @classmethod
    def subsampled_gaussian(cls, *, q: float, sigma: float) -> PrivacyLoss:
        """Return the privacy loss of one step of DP-SGD: Poisson sampling, then Gaussian noise.

        Neighbours are add/remove-one.  Adding and removing a row are not alike; both are followed through all
        compositions, and the worse one counts.

        Parameters
        ----------
        q : float
            Probability with which each row enters the sample, in [0, 1].
        sigma : float
            Standard deviation of the noise relative to the L2 sensitivity (the noise multiplier), above 0.

        Examples
        --------
        What a thousand steps cost, where Renyi accounting (`dp_sgd_epsilon`) says 1.71:

        >>> import dp_helpers as dp
        >>> step = dp.PrivacyLoss.subsampled_gaussian(q=0.01, sigma=1.1)
        >>> round(step.compose_self(1_000).epsilon(1e-5), 2)
        1.52
        """
        q = check.probability("q", q)
        mu = _ratio("sigma", sigma, 1.0)
        if q in (0, 1):
            return cls({_Gaussian(mu): 1} if q == 1 else {})
        return cls({_Sampled(q, 1 / mu): 1})

    @classmethod
    def from_probabilities(cls, p: ArrayLike, q: ArrayLike, *, both_orders: bool = False) -> PrivacyLoss:
        """Return the privacy loss of a mechanism with finitely many outputs, from their probabilities.

        Without ``both_orders`` the composition is no bound where one release may have ``p`` on the one neighbour and
        the next ``p`` on the other: under replace-one and in the local model, unless the pair is its own mirror image.

        Parameters
        ----------
        p, q : list, array or Series, shape (d,)
            Probability of each output on the one and on the other of two neighbours.  Each must sum to 1.  ``p`` is the
            same neighbour in all releases, such as the data with the row (add/remove-one).
        both_orders : bool
            Whether to take the pair that dominates (``p``, ``q``) and (``q``, ``p``): its delta is the larger of the
            two at each epsilon.  Compositions then bound any choice of orders, also one made after seeing earlier
            outputs.

        References
        ----------
        Zhu, Dong & Wang (2022), Optimal accounting of differential privacy via characteristic function, AISTATS.

        Examples
        --------
        Two yes-or-no answers, "yes" with probability 5/8 if it is true and 1/8 if not, of which the second may be
        about the other order.  The worst choice has delta 0.420: what dominates both orders is a bound, no least one:

        >>> import dp_helpers as dp
        >>> coins = [5 / 8, 3 / 8], [1 / 8, 7 / 8]
        >>> round(dp.PrivacyLoss.from_probabilities(*coins).compose_self(2).delta(1.0), 3)
        0.383
        >>> round(dp.PrivacyLoss.from_probabilities(*coins, both_orders=True).compose_self(2).delta(1.0), 3)
        0.491
        """
        law_p, law_q = _law("p", p), _law("q", q)
        law_q = law_q[check.pairing("q", q, "p", p)]
        if check.choice("both_orders", both_orders, (True, False)):
            law_p, law_q = _mirrored(law_p, law_q)
        both = (law_p > 0) & (law_q > 0)
        losses = tuple((np.log(law_p[both]) - np.log(law_q[both])).tolist())
        only_p, only_q = float(law_p[law_q == 0].sum()), float(law_q[law_p == 0].sum())
        return cls({_Atoms(losses, tuple(law_p[both].tolist()), tuple(law_q[both].tolist()), only_p, only_q): 1})

    def compose(self, other: PrivacyLoss) -> PrivacyLoss:
        """Return the privacy loss of this release and another one about the same data.

        Parameters
        ----------
        other : PrivacyLoss
            Of the same neighbour relation, and with the same neighbour first; it may be chosen after seeing this one.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> both = dp.PrivacyLoss.gaussian(sigma=3).compose(dp.PrivacyLoss.laplace(scale=2))
        >>> round(both.epsilon(1e-6), 2)
        1.9
        """
        if not isinstance(other, PrivacyLoss):
            raise TypeError(f"other must be a PrivacyLoss, got {other!r}")
        pairs = self._counts | other._counts
        return PrivacyLoss({pair: self._counts.get(pair, 0) + other._counts.get(pair, 0) for pair in pairs})

    def compose_self(self, k: int) -> PrivacyLoss:
        """Return the privacy loss of ``k`` such releases about the same data.

        Parameters
        ----------
        k : int
            At least 1 and at most 10^9.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> dp.PrivacyLoss.gaussian(sigma=100).compose_self(10_000)
        PrivacyLoss(10000 releases)
        """
        k = check.integer("k", k, minimum=1, maximum=10**9)
        return PrivacyLoss({pair: count * k for pair, count in self._counts.items()})

    def epsilon(self, delta: float) -> float:
        """Return an epsilon that all releases together have at ``delta``; never below the smallest one.

        Parameters
        ----------
        delta : float
            In [0, 1).

        Returns
        -------
        float
            At least 0; infinite where no epsilon does.
        """
        return self._epsilon(check.probability("delta", delta, one=False), upper=True)

    def delta(self, epsilon: float) -> float:
        """Return a delta that all releases together have at ``epsilon``; never below the smallest one.

        Parameters
        ----------
        epsilon : float
            At least 0.

        Returns
        -------
        float
            Between 0 and 1.
        """
        return self._delta(check.at_least("epsilon", epsilon, 0), upper=True)

    def epsilon_bounds(self, delta: float) -> tuple[float, float]:
        """Return a lower and an upper bound on the smallest epsilon at ``delta``, in [0, 1).

        Raises
        ------
        ArithmeticError
            If the lower came out above the upper, which is a mistake in this class: no number is better than a wrong
            one.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> step = dp.PrivacyLoss.subsampled_gaussian(q=0.01, sigma=1.1)
        >>> low, high = step.compose_self(1_000).epsilon_bounds(1e-5)
        >>> 0 < high - low < 0.01
        True
        """
        delta = check.probability("delta", delta, one=False)
        return _in_order(self._epsilon(delta, upper=False), self._epsilon(delta, upper=True))

    def delta_bounds(self, epsilon: float) -> tuple[float, float]:
        """Return a lower and an upper bound on the smallest delta at ``epsilon``, at least 0.

        Raises
        ------
        ArithmeticError
            As by `epsilon_bounds`.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> low, high = dp.PrivacyLoss.laplace(scale=2).compose_self(30).delta_bounds(5.0)
        >>> low <= high < 1.01 * low
        True
        """
        epsilon = check.at_least("epsilon", epsilon, 0)
        return _in_order(self._delta(epsilon, upper=False), self._delta(epsilon, upper=True))

    def _epsilon(self, delta, *, upper) -> float:
        return max((_epsilon_of(pairs, delta, upper) for pairs in self._orders()), default=0.0)

    def _delta(self, epsilon, *, upper) -> float:
        return max((_delta_of(pairs, epsilon, upper) for pairs in self._orders()), default=0.0)

    def _orders(self) -> list[dict]:
        """Return the pairs with their counts in one order and, where it differs, in the other."""
        pairs = {pair: count for pair, count in self._counts.items() if not isinstance(pair, _Gaussian)}
        squares = [count * pair.mu**2 for pair, count in self._counts.items() if isinstance(pair, _Gaussian)]
        if squares:  # Gaussian releases are one, exactly
            pairs[_Gaussian(math.sqrt(math.fsum(squares)))] = 1
        exchanged = {pair.exchanged(): count for pair, count in pairs.items()}
        return [pairs] if exchanged == pairs else [pairs, exchanged] if pairs else []


def _in_order(lower, upper) -> tuple[float, float]:
    if lower > upper:
        raise ArithmeticError(f"the lower bound came out above the upper one: {lower!r}, {upper!r}")
    return lower, upper


def _ratio(name, noise, sensitivity) -> float:
    """Return the sensitivity in units of the noise."""
    noise, sensitivity = check.positive(name, noise), check.positive("sensitivity", sensitivity)
    if not 1e-100 <= sensitivity / noise <= 1e100:
        raise ValueError(f"{name} must be between 1e-100 and 1e100 times the sensitivity, got {noise!r}")
    return sensitivity / noise


def _law(name, values) -> np.ndarray:
    chances = check.numbers(name, values, empty=False)
    if (chances < 0).any() or abs(chances.sum() - 1) > 1e-9:
        raise ValueError(f"{name} must be probabilities that sum to 1, got {chances.min():g} and sum {chances.sum():g}")
    return chances / chances.sum()


def _mirrored(p, q) -> tuple[np.ndarray, np.ndarray]:
    """Return the pair that dominates (``p``, ``q``) and (``q``, ``p``), its own mirror image.

    What tests reach, a share x of Q and y of P, is bounded by the upper hull of both curves; its edges are the outputs
    of the pair.  Sums are exact, since a hull takes differences.
    """
    laws = [[Fraction(chance) for chance in law.tolist()] for law in (p, q)]
    exact_p, exact_q = ([chance / sum(law) for chance in law] for law in laws)
    points = [(Fraction(0), Fraction(0))]
    for first, second in ((exact_p, exact_q), (exact_q, exact_p)):
        likelier = [i for i, (y, x) in enumerate(zip(first, second, strict=True)) if y > x]  # the rest mirrors these
        likelier.sort(key=[x / y if y else Fraction(0) for x, y in zip(second, first, strict=True)].__getitem__)
        points += zip(*(accumulate([law[i] for i in likelier]) for law in (second, first)), strict=True)
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in sorted(points):
        while len(hull) > 1 and _turns_left(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    edges = [(y - b, x - a) for (a, b), (x, y) in pairwise(hull) if y - b > x - a]
    level = 1 - sum(rise + run for rise, run in edges)  # what both worlds give alike
    dominating = np.array([*(rise for rise, _ in edges), level, *(run for _, run in reversed(edges))], dtype=float)
    return dominating, dominating[::-1]


def _turns_left(a, b, c) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0])


class _Pair:
    """The laws of the loss of one release under P and under Q.

    `masses` returns the probabilities of the cells between ``edges``, the first from minus infinity and the last to
    infinity; `reach` an interval that holds all losses but a probability of ``tail`` at most.
    """

    unit: float | None = None  # all losses are whole multiples of it
    infinite = 0.0  # probability under P of what Q never gives
    largest = math.inf

    def exchanged(self) -> _Pair:
        """Return the pair with P and Q exchanged: where they are mirror images, itself."""
        return self


@dataclass(frozen=True)
class _Gaussian(_Pair):
    mu: float

    def reach(self, tail):
        width = self.mu * math.sqrt(-2 * math.log(tail))
        return -(self.mu**2) / 2 - width, self.mu**2 / 2 + width

    def masses(self, edges):
        z = edges / self.mu
        return _normal_masses(z - self.mu / 2), _normal_masses(z + self.mu / 2)


@dataclass(frozen=True)
class _Laplace(_Pair):
    unit: float  # the epsilon of one release, where half of the outputs are

    @property
    def largest(self):
        return self.unit

    def reach(self, tail):
        return -self.unit, self.unit

    def masses(self, edges):
        inside = (edges >= -self.unit) & (edges < self.unit)
        loss = np.clip(edges, -self.unit, self.unit)
        below = np.where(inside, np.exp((loss - self.unit) / 2) / 2, edges >= self.unit)
        above = np.where(inside, np.exp((-loss - self.unit) / 2) / 2, edges < -self.unit)
        return np.diff(below, prepend=0, append=1), -np.diff(above, prepend=1, append=0)


@dataclass(frozen=True)
class _Atoms(_Pair):
    losses: tuple
    p: tuple
    q: tuple
    infinite: float = 0.0
    infinite_back: float = 0.0
    unit: float | None = None

    @property
    def largest(self):
        return max(self.losses, default=0.0)

    def exchanged(self):
        if self.unit:  # randomized response
            return self
        back = tuple(-loss for loss in reversed(self.losses))
        return _Atoms(back, self.q[::-1], self.p[::-1], self.infinite_back, self.infinite)

    def reach(self, tail):
        return min(self.losses, default=0.0), max(self.losses, default=0.0)

    def masses(self, edges):
        # An edge within rounding of a loss is that loss.
        cell = np.searchsorted(edges, np.array(self.losses) * (1 - 1e-15 * np.sign(self.losses)))
        return tuple(np.bincount(cell, weights=law, minlength=edges.size + 1) for law in (self.p, self.q))


@dataclass(frozen=True)
class _Sampled(_Pair):
    """Output x: P is (1 - q) N(0, sigma^2) + q N(1, sigma^2), Q is N(0, sigma^2), or the two exchanged."""

    q: float
    sigma: float
    removes: bool = True

    @property
    def largest(self):
        return math.inf if self.removes else -math.log1p(-self.q)

    def exchanged(self):
        return _Sampled(self.q, self.sigma, not self.removes)

    def reach(self, tail):
        # Whoever is sampled, with probability q, lies about 1, all others about 0.
        others = self.sigma * math.sqrt(-2 * math.log(tail))
        sampled = 1 + self.sigma * math.sqrt(2 * max(math.log(self.q) - math.log(tail), 0))
        highest = (2 * max(others, sampled) - 1) / (2 * self.sigma**2)
        loss = math.log1p(-self.q) + math.log1p(self.q / (1 - self.q) * math.exp(min(highest, 700)))
        loss = max(loss, highest + math.log(self.q))
        return (math.log1p(-self.q), loss) if self.removes else (-loss, -math.log1p(-self.q))

    def masses(self, edges):
        if not self.removes:
            p, q = _Sampled(self.q, self.sigma).masses(-edges[::-1])
            return q[::-1], p[::-1]
        # The loss ln(1 - q + q e^((2x - 1) / (2 sigma^2))) rises with x.
        above = np.maximum(edges - math.log1p(-self.q), 0)
        with np.errstate(divide="ignore"):
            logarithm = above + np.log(-np.expm1(-above)) + math.log1p(-self.q) - math.log(self.q)
        z = self.sigma * logarithm + 1 / (2 * self.sigma)
        without = _normal_masses(z)
        return (1 - self.q) * without + self.q * _normal_masses(z - 1 / self.sigma), without


def _upper_tail(z) -> np.ndarray:
    return np.fromiter(map(math.erfc, (z / math.sqrt(2)).tolist()), float, z.size) / 2  # SciPy's has errors far out


def _normal_masses(z) -> np.ndarray:
    """Return the standard normal probabilities between rising ``z`` and beyond, each to 1e-16 of a tail."""
    middle = int(np.searchsorted(z, 0.0, side="right"))  # the cell that ends at the first z above 0
    tail = np.concatenate([[0.0], _upper_tail(np.abs(z)), [0.0]])  # below z, and from there on above
    masses = np.diff(tail)
    masses[middle] = 1 - tail[middle + 1] - tail[middle]
    masses[middle + 1 :] *= -1
    return np.maximum(masses, 0.0)


# One release on a grid.


def _spread(pair, edges) -> tuple[np.ndarray, float]:
    """Return the probability of each of ``edges``, and of infinity, with a loss that dominates that of ``pair``."""
    p, q = pair.masses(edges)
    inner = p[1:-1]
    with np.errstate(divide="ignore", over="ignore"):
        excess = inner - np.exp(edges[:-1] + np.log(q[1:-1]))  # P - e^edge Q
    raised = np.clip(excess / -np.expm1(-np.diff(edges)), 0, inner)
    mass = np.append(inner - raised, 0.0)
    mass[1:] += raised
    mass[0] += p[0]
    return mass, float(p[-1]) + pair.infinite


def _merged(pair, grid, step, tilt) -> tuple[np.ndarray, float]:
    """Return the probability of each of ``grid - shift``, and ``shift``, with a loss that ``pair`` dominates."""
    p, q = pair.masses(grid[:-1] + step / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        short = np.where(p > 0, grid - (np.log(p) - np.log(q)), -np.inf)  # 0 but for the slope of the density
    short[0], short[-1] = np.inf, step
    # A cell that falls short by more than the shift goes to the next lower one; the shift costs the least on average.
    weights = p * np.exp(np.clip(tilt * (grid - grid[np.argmax(p)]), -700, 300))
    order = np.argsort(-short)
    moved = np.cumsum(weights[order]) - weights[order]
    shift = float(short[order][np.argmin(np.maximum(short[order], 0) + step * moved / weights.sum())])
    shift = min(max(shift, 0.0), step)
    stays = short <= shift
    mass = np.where(stays, p, 0.0)
    mass[:-1] += np.where(stays, 0.0, p)[1:]
    return mass, shift


# Many releases: the convolution.

_ACCURACY = 1e-4  # of epsilon that the grid may cost, or ten times that of delta
_LEAST_CELLS, _MOST_CELLS = 2**15, 2**19  # of a window, or of a single release
_PRECISION = 2.3e-16  # of a float
_LEAST_RARE = 1e-60  # losses rarer than this are never looked at
_OUTSIDE = 25.0  # about e^-25 of the tilted law may lie outside the window, and is accounted for
# Tilts that are looked at, in units of one over the deviation of the sum of all losses.
_FALLING, _RISING = -np.geomspace(10, 0.01, 10), np.geomspace(1e-3, 100, 91)
_TILTS = np.concatenate([_FALLING, [0.0], _RISING])
_NO_TILT = _FALLING.size  # the place of 0
_CHOICES = slice(_NO_TILT, -5)  # the five largest only show how little lies above the window
_LOOKS = 4  # at a delta that isn't known beforehand


@dataclass(frozen=True)
class _Plan:
    """Where to look: the tilt, two others that show how little lies outside, the window, the grid, the rarest loss."""

    tilts: np.ndarray
    low: float
    high: float
    step: float
    widest: float
    tail: float


def _plan(pairs, *, log_delta=None, epsilon=None, tilted=True) -> _Plan:
    """Return the plan for the epsilon at e^``log_delta`` or the delta at ``epsilon``, from a look on a coarse grid.

    What it finds decides how close the bounds are, not whether they hold.
    """
    releases = sum(pairs.values())
    if epsilon is None:
        tail = _rare(log_delta, releases)
        look = _look(pairs, tail)
        best = look.for_epsilon(log_delta) if tilted else _NO_TILT
    else:
        # Losses far rarer than delta may have huge moments, which say nothing of delta.  So what is found with them
        # serves to leave them out.
        rare = _LEAST_RARE
        for _ in range(_LOOKS):
            look = _look(pairs, rare)
            best, log_delta = look.for_delta(epsilon)
            tail, rare = rare, _rare(log_delta, releases)
    tilts, moments = look.tilts, look.moments
    tilt, moment = tilts[best], moments[best]
    lows = (moment - moments[:best] - _OUTSIDE) / (tilt - tilts[:best])
    highs = (moments[best + 1 :] - moment + _OUTSIDE) / (tilts[best + 1 :] - tilt)
    below, above = int(np.argmax(lows)), int(np.argmin(highs))
    low, high = lows[below], highs[above]

    # Spreading a cell adds step^2 / 12 to the mean of a loss, and (1 + tilt) times that to epsilon.
    deviation = look.deviation
    cost = _ACCURACY * (max(look.means[best], deviation / 10) if epsilon is None else 10 / max(tilt, 1 / deviation))
    step = min(math.sqrt(12 * cost / releases / (1 + tilt)), (high - low) / _LEAST_CELLS)
    widest = max([high - low, *(top - bottom for bottom, top in (pair.reach(tail) for pair in pairs))])
    return _Plan(tilts[[best, below, best + 1 + above]], low, high, step, widest, tail)


@dataclass(frozen=True)
class _Look:
    """The sum of all losses on a coarse grid: its deviation, and for each of ``tilts`` ln of its moment, and more."""

    deviation: float
    tilts: np.ndarray
    moments: np.ndarray
    means: np.ndarray
    falls: np.ndarray  # By the saddlepoint, ln delta is about moment - tilt epsilon - fall.

    def for_epsilon(self, log_delta) -> int:
        """Return the place of the tilt above 0 at which the least epsilon for delta is found."""
        tilts, logs = self.tilts[_CHOICES][1:], (self.moments - self.falls)[_CHOICES][1:]
        return _NO_TILT + 1 + int(np.argmin((logs - log_delta) / tilts))

    def for_delta(self, epsilon) -> tuple[int, float]:
        """Return the place of the tilt at which the least delta at ``epsilon`` is found, and about its logarithm."""
        logs = self.moments - self.tilts * epsilon
        best = _NO_TILT + int(np.argmin(logs[_CHOICES]))
        return best, float(logs[best] - self.falls[best])


def _look(pairs, rare) -> _Look:
    """Look at the sum of all losses but for those as ``rare``."""
    coarse = []
    for pair, count in pairs.items():
        bottom, top = pair.reach(rare)
        far = max(-bottom, top) or 1.0
        distances = np.geomspace(1e-8 * far, far, 1000)
        edges = np.concatenate([-distances[::-1], [0.0], distances])
        coarse.append((count, edges, *_spread(pair, edges)))
    deviation = math.sqrt(sum(count * np.average(edges**2, weights=mass) for count, edges, mass, _ in coarse))
    tilts = _TILTS / deviation
    moments, means, variances = np.zeros((3, tilts.size))
    for count, edges, mass, _ in coarse:
        logs = _moments(edges, mass, tilts)
        law = _tilted(edges, mass, tilts[:, None], logs[:, None])
        mean = law @ edges
        moments, means = moments + count * logs, means + count * mean
        variances += count * np.maximum(law @ edges**2 - mean**2, 0)
    # delta is about e^(moment - tilt epsilon) / (sqrt(2 pi variance) tilt (1 + tilt)).
    falls = np.log(np.maximum(2.5 * np.sqrt(variances) * tilts * (1 + tilts), 1))
    return _Look(deviation, tilts, moments, means, falls)


def _rare(log_delta, releases) -> float:
    """Return a probability that is nothing beside delta, even in so many releases."""
    return math.exp(max(min(log_delta, 0.0) - math.log(releases) - 20, -690))


def _tilted(losses, mass, tilt, moment) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.exp(tilt * losses + np.log(mass) - moment)


def _moments(losses, mass, tilts) -> np.ndarray:
    """Return ln of the mean of e^(tilt loss) for each tilt."""
    with np.errstate(divide="ignore"):
        exponents = np.multiply.outer(tilts, losses) + np.log(mass)
    peak = exponents.max(axis=1, keepdims=True)
    return (peak + np.log(np.exp(exponents - peak).sum(axis=1, keepdims=True))).ravel()


class _Power:
    """Laws on the whole numbers modulo ``cells``, convolved by the Fourier transform as often as wanted.

    Each law is moved so that its largest mass lies at 0, and 1 is taken off there.  The transform z of what is left is
    as small as the rest of the mass, and so is its rounding; 1 + z to a high power is exact where most of the mass lies
    in one cell, as with rare samples.
    """

    def __init__(self, cells) -> None:
        self.cells, self.moved = cells, 0
        # Of the product of all transforms: ln of its size, its angle, its relative error.
        self.size, self.angle, self.error = np.zeros((3, cells // 2 + 1))

    def convolve(self, index, weights, count) -> None:
        """Convolve with ``count`` times the law that has ``weights``, of sum 1, at ``index``."""
        rest = np.bincount(index % self.cells, weights=weights, minlength=self.cells)
        most = int(np.argmax(rest))
        rest = np.roll(rest, -most)
        rest[0] = -rest[1:].sum()
        z = np.fft.rfft(rest)
        distance = np.maximum(
            np.abs(1 + z), _PRECISION
        )  # from 0; an error of less than a float's, which is counted below
        # Where z is small, ln |1 + z| comes of z alone; elsewhere that would cancel, most where 1 + z is near 0.
        near = np.log1p(np.maximum(2 * z.real + np.abs(z) ** 2, -0.75)) / 2
        self.size += count * np.where(np.abs(z) < 0.5, near, np.log(distance))
        self.angle += count * np.arctan2(z.imag, 1 + z.real)
        # The transform is off by log2(cells) roundings of the sum of |rest|, 2 |rest[0]|.  Each step after it is off by
        # some roundings of z where z is small, and of 1 + z elsewhere: 20 of z are more than all of them.
        of_z = _PRECISION * (2 * math.log2(self.cells) * -rest[0] + 20 * np.abs(z))
        self.error += count * of_z / distance
        self.moved += count * most

    def law(self, window) -> tuple[np.ndarray, float]:
        """Return the law at the numbers ``window``, and what rounding may have done to all of them together."""
        size = np.exp(self.size)
        law = np.fft.irfft(size * np.exp(1j * self.angle), self.cells)
        # By Cauchy and Schwarz the sum of all errors is at most the length of the transform's errors (Parseval).
        # ln of the size has roundings of its own, which weigh the more the larger it is.
        forth = math.sqrt(2) * np.linalg.norm(size * (self.error + _PRECISION * (4 - self.size)))
        back = _PRECISION * math.log2(self.cells) * math.sqrt(self.cells) * np.linalg.norm(law)
        return law[(window - self.moved) % self.cells], float(forth + back)


class _Curve:
    """delta as a function of epsilon, near one place: from the tilted law of the sum, and what is known of the rest."""

    def __init__(self, pairs, plan, *, upper):
        # The lower bound loses more on a grid of the same step.
        step, tilt = (1 if upper else 1 / 4) * max(plan.step, plan.widest / _MOST_CELLS), plan.tilts[0]
        units = {pair.unit for pair in pairs}
        if len(units) == 1 and None not in units:  # the two atoms of randomized response or Laplace, on the grid
            [unit] = units
            step = unit / math.ceil(unit / step)
        cells = 2 ** math.ceil(math.log2((plan.high - plan.low) / step + 2))
        moments, log_finite, shift = np.zeros(3), 0.0, 0.0
        power = _Power(cells)
        for pair, count in pairs.items():
            bottom, top = pair.reach(plan.tail)
            index = np.arange(math.floor(bottom / step) - 1, math.ceil(top / step) + 2)
            losses = index * step
            if upper:
                mass, infinite = _spread(pair, losses)
            else:
                (mass, short), infinite = _merged(pair, losses, step, tilt), pair.infinite
                shift += count * short
            logs = _moments(losses, mass, plan.tilts)
            moments += count * logs
            log_finite += count * math.log1p(-infinite)
            power.convolve(index, _tilted(losses, mass, tilt, logs[0]), count)
        window = math.floor(plan.low / step) + np.arange(cells)
        law, rounding = power.law(window)

        # What lies outside the window, by Chernoff's inequality.
        losses = window * step
        ends = losses[[0, -1]]
        outside = np.exp(np.minimum(moments[1:] - moments[0] - (plan.tilts[1:] - tilt) * ends, 0))

        self.tilt, self.moment, self.upper = tilt, moments[0] + tilt * -shift, upper
        self.losses, self.infinite, self.rounding = losses - shift, -math.expm1(log_finite), rounding
        self.below, self.above = outside.tolist()
        self.chances = law * self._untilted(self.losses)

    def _untilted(self, losses):
        return np.exp(np.clip(self.moment - self.tilt * losses, -700, 700))

    def _bound(self, within, epsilon, first):
        """Turn the sum over the window, which begins at ``first``, into a bound, for one or many epsilon."""
        most = self._untilted(epsilon)  # Chernoff's bound on a loss above epsilon
        if not self.upper:
            return np.clip(self.infinite + within - most * (self.rounding + self.below + self.above), 0.0, 1.0)
        missing = self._untilted(self.losses[-1]) * self.above
        unsure = most * (self.rounding + np.where(np.asarray(first) == 0, self.below, 0.0))
        return np.clip(self.infinite + np.minimum(within + missing + unsure, most), 0.0, 1.0)

    def delta(self, epsilon) -> float:
        first = int(np.searchsorted(self.losses, epsilon, side="right"))
        within = self.chances[first:] @ -np.expm1(epsilon - self.losses[first:])
        return float(self._bound(within, epsilon, first))

    def _discounted(self) -> np.ndarray:
        """Return for each loss s of the window the sum of the chances of s and above, times e^(s - loss)."""
        step = float(self.losses[1] - self.losses[0])
        # In parts of 250 at most, because e^700 is what a float holds; all sizes are powers of 2.
        size = min(2 ** max(0, math.floor(math.log2(250 / step))), self.losses.size)
        falls = np.exp(-step * np.arange(size + 1))
        parts = self.chances.reshape(-1, size) * falls[:-1]
        sums = np.cumsum(parts[:, ::-1], axis=1)[:, ::-1] / falls[:-1]
        carried, carries = 0.0, []
        for first in sums[::-1, 0].tolist():
            carries.append(carried)
            carried = first + carried * float(falls[-1])
        return (sums + np.multiply.outer(carries[::-1], falls[:0:-1])).ravel()

    def epsilon(self, delta) -> float | None:
        """Return where the bound on delta falls to ``delta``, or None if that is not in the window."""
        losses = self.losses
        deltas = self._bound(np.cumsum(self.chances[::-1])[::-1] - self._discounted(), losses, 1)
        too_much = np.flatnonzero(deltas > delta)
        if too_much.size == 0 or too_much[-1] == losses.size - 1:
            return 0.0 if too_much.size == 0 and losses[0] <= 0 else None
        last = too_much[-1]
        share = (deltas[last] - delta) / (deltas[last] - deltas[last + 1])
        return float(losses[last] + math.log1p(share * math.expm1(losses[last + 1] - losses[last])))


def _epsilon_of(pairs, delta, upper) -> float:
    infinite, largest = _extremes(pairs)
    if delta < infinite:
        return math.inf
    if delta == infinite or largest <= 0:
        return max(largest, 0.0)
    match [*pairs]:
        case [_Gaussian(mu)]:
            return _gaussian_epsilon(mu, delta)
    # Both are bounds: without a tilt rounding is too much for a small delta, with one for a loss of rare huge values.
    curves = [_Curve(pairs, _plan(pairs, log_delta=math.log(delta), tilted=t), upper=upper) for t in (True, False)]
    found = [epsilon for curve in curves if (epsilon := curve.epsilon(delta)) is not None]
    if upper:  # a little more than found, since losses and probabilities of the single release are rounded, too
        return min([largest, *(max(epsilon, 0.0) * (1 + 1e-10) for epsilon in found)])
    return min(max([0.0, *found]), largest)


def _delta_of(pairs, epsilon, upper) -> float:
    infinite, largest = _extremes(pairs)
    # The largest loss and an epsilon that is meant to be it may be rounded differently, such as ln(2/3) - ln(1/3) and
    # ln(2).  So close to it delta is infinite's own, but for less than the rounding of a probability.
    rounding = 4 * _PRECISION * (largest + sum(pairs.values()))
    if infinite == 1 or epsilon >= largest - rounding:
        return infinite
    match [*pairs]:
        case [_Gaussian(mu)]:
            return gaussian_delta(epsilon, mu)
    plan = _plan(pairs, epsilon=epsilon)
    most = _Curve(pairs, plan, upper=True).delta(epsilon)
    if upper or most == 0:
        return most
    # A plan by about the right delta is at times the better one; the lower bound needs it more.
    plans = plan, _plan(pairs, log_delta=math.log(most))
    return max(_Curve(pairs, plan, upper=False).delta(epsilon) for plan in plans)


def _extremes(pairs) -> tuple[float, float]:
    """Return the probability of an infinite loss, and the largest finite one."""
    largest = math.fsum(count * pair.largest for pair, count in pairs.items())
    if any(pair.infinite == 1 for pair in pairs):
        return 1.0, largest
    log_finite = math.fsum(count * math.log1p(-pair.infinite) for pair, count in pairs.items())
    return max(0.0, -math.expm1(log_finite)), largest  # not -0.0


def _gaussian_epsilon(mu, delta) -> float:
    """Return the exact epsilon at ``delta`` of Gaussian noise: where `gaussian_delta` falls to it."""
    if gaussian_delta(0.0, mu) <= delta:
        return 0.0
    highest = mu * mu / 2 + mu * math.sqrt(-2 * math.log(delta))
    return bisect(lambda epsilon: gaussian_delta(epsilon, mu) > delta, 0.0, highest)[1]
