"""Direct encoding: report an answer, the true one or any other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.bits import coins
from dp_helpers.local.protocol import OneAnswerProtocol
from dp_helpers.validation import Rng


class DirectEncoding(OneAnswerProtocol):
    """The true answer with probability p, otherwise one of the d - 1 other answers, all equally likely.

    Also known as k-ary or generalized randomized response (GRR); with two answers it is Warner's protocol.  An answer
    is reported as its position in the domain: ``protocol.domain[reports]`` are the reported answers.

    Guarantee: epsilon-local differential privacy (any two answers of one person).  A report is e^epsilon times as
    likely from the person whose answer it is, with p, as from anybody else, with q: p = e^epsilon q and
    p + (d - 1) q = 1 give p = e^epsilon / (e^epsilon + d - 1) and q = 1 / (e^epsilon + d - 1).

    Per person, the variance for a rare answer is (e^epsilon + d - 2) / (e^epsilon - 1)^2: it grows with d, and beyond
    3 e^epsilon + 2 answers `UnaryEncoding.optimized` does better.

    Parameters
    ----------
    domain : list of d answers
        Public, all different; a missing answer needs a symbol of its own.  With a single answer there is nothing to
        hide: everybody reports it.
    epsilon : float
        Above 0.

    Attributes
    ----------
    epsilon : float
        As given.
    p, q : float
        Probability that an answer is reported by a person who holds it, and by one who doesn't.
    domain : pandas.Index
        The possible answers.

    Notes
    -----
    With probability p - q a person reports the truth, otherwise any of the d answers, their own included, all equally
    likely: the same distribution, since the truth then has probability (p - q) + q and each other answer q.  `perturb`
    and `estimate` draw that for each person.  `simulate` draws how many of those who hold an answer keep it as a
    binomial number, and where the reports of all others fall as one multinomial draw: exact, and in O(d).

    References
    ----------
    Kairouz, Oh & Viswanath (2014), Extremal mechanisms for local differential privacy, NIPS.
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> protocol = dp.DirectEncoding(["blue", "green", "red"], epsilon=np.log(8))
    >>> round(protocol.p, 4), round(protocol.q, 4)
    (0.8, 0.1)
    >>> protocol.encode(["red", "blue"])
    array([2, 0])
    >>> protocol.estimate_from([45, 31, 24], 100).round(4).tolist()
    [50.0, 30.0, 20.0]
    """

    def __init__(self, domain: ArrayLike, *, epsilon: float) -> None:
        self.domain = check.domain("domain", domain)
        self.epsilon = check.positive("epsilon", epsilon)
        self.p, self.q = direct_probabilities(self.domain.size, self.epsilon)

    def __repr__(self) -> str:
        return f"DirectEncoding({self.domain.size} answers, epsilon={self.epsilon:g})"

    def perturb(self, encoded: ArrayLike, rng: Rng = None):
        """Return what each person reports: a position in the domain, their own or another.

        Parameters
        ----------
        encoded : array or Series of shape (n,)
            From `encode`.

        Returns
        -------
        array or Series like ``encoded``, of whole numbers from 0 to d - 1
        """
        codes = self._positions("encoded", encoded)
        return check.like(encoded, self._report(codes, check.generator(rng)))

    def _report(self, codes, rng):
        return keep_or_redraw(codes, self.domain.size, self.p - self.q, rng)

    def _reports(self, name, reports):
        return self._positions(name, reports)

    def _report_bytes(self):
        return 32

    def _tally(self, reports):
        return np.bincount(reports, minlength=self.domain.size)

    def _draw_tally(self, counts, n, rng):
        kept = rng.binomial(counts, self.p - self.q)
        return kept + rng.multinomial(n - kept.sum(), np.full(counts.size, 1 / counts.size))


def direct_probabilities(size: int, epsilon: float, *, parts: int = 1) -> tuple[float, float]:
    """Return p and q of direct encoding among ``size`` answers, for one of the equal ``parts`` of epsilon."""
    odds = math.exp(-epsilon / parts)  # cannot overflow, unlike e^epsilon
    check.truthful(epsilon, 1 / (1 + odds))
    return 1 / (1 + (size - 1) * odds), odds / (1 + (size - 1) * odds)


def keep_or_redraw(codes: np.ndarray, size: int, keep: float, rng: np.random.Generator) -> np.ndarray:
    """Return each code with probability ``keep``, and otherwise one of all ``size`` codes, its own included."""
    return np.where(coins(keep, codes.shape, rng), codes, rng.integers(size, size=codes.size, dtype=codes.dtype))
