"""Histogram encoding: one noisy number for each possible answer, reported as it is or compared with a threshold."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.bits import coins
from dp_helpers.local.protocol import BitsProtocol, OneHotProtocol
from dp_helpers.local.unary import unary_epsilon
from dp_helpers.mechanisms import laplace_scale
from dp_helpers.validation import Rng


class HistogramEncoding(OneHotProtocol):
    """A number for each possible answer, 1 for the person's own and 0 for the others, each with Laplace noise (SHE).

    The counts are estimated by adding the reports up: the noise has mean 0.  `encode` makes a matrix of shape (n, d),
    `perturb` returns another, of floats.  A report doesn't support an answer or not, so there are no p and q.  For
    the same epsilon, `ThresholdHistogramEncoding` and `UnaryEncoding.optimized` have a smaller variance for rare
    answers.

    Guarantee: epsilon-local differential privacy (any two answers of one person).  Two answers differ in two entries,
    by 1 each: the sensitivity is 2, and the noise has scale 2 / epsilon.

    The variance of an estimate is 8 / epsilon^2 per person, whatever the true count.

    Parameters
    ----------
    domain : list of d answers
        Public, all different; a missing answer needs a symbol of its own.
    epsilon : float
        Above 0.

    Attributes
    ----------
    epsilon : float
        As given.
    domain : pandas.Index
        The possible answers.

    Notes
    -----
    `perturb` and `estimate` draw each person's noise as an exponential variable with a random sign, which is exactly
    Laplace.  So is the difference of two exponential variables; `simulate` draws the sum over n people as the
    difference of two gamma variables of shape n, each exactly the sum of n exponential ones: O(d).

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> protocol = dp.HistogramEncoding(["blue", "green", "red"], epsilon=2.0)
    >>> protocol.perturb(protocol.encode(["red", "blue"]), np.random.default_rng(1)).shape
    (2, 3)
    >>> protocol.variance(1_000, 300)
    2000.0
    >>> estimate = protocol.estimate(["red"] * 700 + ["blue"] * 300, np.random.default_rng(1))
    >>> bool((abs(estimate - [300, 0, 700]) < 5 * 2000**0.5).all())
    True
    """

    def __init__(self, domain: ArrayLike, *, epsilon: float) -> None:
        self.domain = check.domain("domain", domain)
        self.epsilon = check.positive("epsilon", epsilon)
        self._scale = laplace_scale(sensitivity=2, epsilon=self.epsilon)

    def __repr__(self) -> str:
        return f"HistogramEncoding({self.domain.size} answers, epsilon={self.epsilon:g})"

    def perturb(self, encoded: ArrayLike, rng: Rng = None) -> np.ndarray:
        """Return what each person reports: their row with Laplace noise of scale 2 / epsilon on every entry.

        Parameters
        ----------
        encoded : array of shape (n, d)
            From `encode`: a single 1 in each row.

        Returns
        -------
        numpy.ndarray of shape (n, d), dtype float64
        """
        codes = self._encoded(encoded)
        return self._report(codes, check.generator(rng))

    def _report(self, codes, rng):
        numbers = rng.standard_exponential((self.domain.size, codes.size))
        numbers *= coins(0.5, numbers.shape, rng) - 0.5  # a sign
        numbers *= 2 * self._scale
        numbers[codes, np.arange(codes.size)] += 1
        return numbers.T

    def _reports(self, name, reports):
        return self._in_columns(name, reports, check.numbers(name, reports, ndim=2))

    def _report_bytes(self):
        return 16 * self.domain.size

    def _tally(self, reports):
        return reports.sum(axis=0)

    def _draw_tally(self, counts, n, rng):
        return counts + self._scale * (rng.standard_gamma(n, counts.size) - rng.standard_gamma(n, counts.size))

    def _unbiased(self, tally, n):
        return tally.astype(np.float64)

    def _variance(self, n, held):
        return np.full(held.shape, 8 * n / self.epsilon / self.epsilon)

    def _check_tally(self, tally, n):
        """Noisy numbers may add up to anything."""

    def _check_informative(self):
        """The reports always depend on the answers."""


class ThresholdHistogramEncoding(BitsProtocol):
    """Histogram encoding whose device only reports which of its noisy numbers are above a threshold (THE).

    With noise Z from the Laplace distribution of scale 2 / epsilon, the bit of the person's answer is 1 with
    probability p = P[1 + Z > theta], any other bit with probability q = P[Z > theta]:
    p = 1 - e^(-epsilon (1 - theta) / 2) / 2 for theta up to 1, e^(-epsilon (theta - 1) / 2) / 2 beyond, and
    q = e^(-epsilon theta / 2) / 2 for theta from 0.  The best theta for rare answers lies between 1/2 and 1.

    Guarantee: epsilon-local differential privacy (any two answers of one person), from the noise; comparing with a
    public threshold is post-processing.  The bits alone spend less than epsilon, namely
    ``unary_epsilon(protocol.p, protocol.q)``: 3.15 for epsilon = 5 and theta = 1.  The rest of epsilon is wasted, and
    `UnaryEncoding.optimized`, which reports bits, too, has a smaller variance for the same epsilon.

    Parameters
    ----------
    domain : list of d answers
        Public, all different; a missing answer needs a symbol of its own.
    epsilon : float
        Above 0.
    theta : float, optional
        The threshold, finite.  None: the one with the smallest variance for rare answers, q (1 - q) / (p - q)^2 per
        person, which is 1 - (2 / epsilon) ln(3 / (1 + a + sqrt(1 - a + a^2))) with a = e^(-epsilon / 2).

    Attributes
    ----------
    epsilon : float
        As given.
    theta : float
        The threshold.
    p, q : float
        Probability of reporting 1 for the bit of the answer, and for any other bit.
    domain : pandas.Index
        The possible answers.

    Notes
    -----
    `perturb` and `estimate` draw each bit directly with its probability p or q, `simulate` the number of ones in each
    column as the sum of two binomial numbers: the same distributions as from noisy numbers that are compared.

    Where the formula for theta comes from: p = 1 - a / (4q) for theta between 0 and 1, so that the variance is a
    function of q alone, whose derivative is 0 where q^2 - (1 + a) q + 3a/4 = 0.

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> protocol = dp.ThresholdHistogramEncoding(["blue", "green", "red"], epsilon=5.0)
    >>> round(protocol.theta, 4)
    0.8465
    >>> at_one = dp.ThresholdHistogramEncoding(["blue", "green", "red"], epsilon=5.0, theta=1)
    >>> round(at_one.p, 4), round(at_one.q, 4)
    (0.5, 0.041)
    >>> protocol.variance(1_000, 0) < at_one.variance(1_000, 0)
    True
    """

    def __init__(self, domain: ArrayLike, *, epsilon: float, theta: float | None = None) -> None:
        self.domain = check.domain("domain", domain)
        self.epsilon = check.positive("epsilon", epsilon)
        self.theta = _best_threshold(self.epsilon) if theta is None else check.finite("theta", theta)
        self.p = _laplace_above(self.epsilon / 2 * (self.theta - 1))
        self.q = _laplace_above(self.epsilon / 2 * self.theta)
        if math.isinf(unary_epsilon(self.p, self.q)):
            raise ValueError(
                f"theta must leave both values of a bit chances that float64 tells from 0 and 1 at epsilon="
                f"{self.epsilon!r}, got {self.theta!r}"
            )

    def __repr__(self) -> str:
        return (
            f"ThresholdHistogramEncoding({self.domain.size} answers, epsilon={self.epsilon:g}, theta={self.theta:.4g})"
        )


def _best_threshold(epsilon: float) -> float:
    a = math.exp(-epsilon / 2)
    return 1 - 2 / epsilon * math.log(3 / (1 + a + math.sqrt(1 - a + a * a)))


def _laplace_above(x: float) -> float:
    """Return the probability that Laplace noise of scale 1 is above x."""
    return math.exp(-x) / 2 if x >= 0 else 1 - math.exp(x) / 2
