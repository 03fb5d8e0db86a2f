"""Unary encoding: one bit for each possible answer, every bit randomized on its own."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.direct import direct_probabilities
from dp_helpers.local.protocol import BitsProtocol


class UnaryEncoding(BitsProtocol):
    """One bit for each possible answer, a single one of them set, and every bit randomized on its own.

    The bit of the person's answer is reported as 1 with probability p, each other bit with probability q.  `encode`
    makes a matrix of shape (n, d) with one row for each person and one column for each answer of the domain;
    `perturb` returns another such matrix.

    Guarantee: epsilon-local differential privacy (any two answers of one person) with
    epsilon = ln(p (1 - q) / ((1 - p) q)), see `unary_epsilon`: two answers differ in two bits.

    Parameters
    ----------
    domain : list of d answers
        Public, all different; a missing answer needs a symbol of its own.
    p, q : float
        Probability of reporting 1 for the bit of the answer, and for any other bit; q at most p, both in [0, 1].

    Attributes
    ----------
    epsilon : float
        The guarantee: 0 where p equals q, infinite where p is 1 or q is 0.
    p, q : float
        As given.
    domain : pandas.Index
        The possible answers.

    Notes
    -----
    `perturb` and `estimate` draw one random byte for each bit, which settles whether it is below the threshold except
    for one value in 256; these ties draw more.  The bits are independent with exactly the chances p and q (as far as
    floating-point numbers can say).  `simulate` draws the number of ones in each column as the sum of two binomial
    numbers, those of the people who hold the answer and of the others: the same distribution, in a time that doesn't
    depend on n.

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> protocol = dp.UnaryEncoding(["blue", "green", "red"], p=0.75, q=0.25)
    >>> round(protocol.epsilon, 4)
    2.1972
    >>> protocol.encode(["red", "blue"])
    array([[0, 0, 1],
           [1, 0, 0]], dtype=uint8)
    >>> protocol.estimate_from([40, 40, 30], 100).tolist()
    [30.0, 30.0, 10.0]
    """

    def __init__(self, domain: ArrayLike, *, p: float, q: float) -> None:
        self.domain = check.domain("domain", domain)
        self.epsilon = unary_epsilon(p, q)
        self.p, self.q = float(p), float(q)

    @classmethod
    def symmetric(cls, domain: ArrayLike, epsilon: float) -> UnaryEncoding:
        """Return symmetric unary encoding (SUE): all bits flip with the same probability, 1 / (1 + e^(epsilon/2)).

        Parameters
        ----------
        domain : list of d answers
            Public, all different.
        epsilon : float
            Above 0.

        Examples
        --------
        >>> import numpy as np
        >>> import dp_helpers as dp
        >>> round(dp.UnaryEncoding.symmetric(["a", "b"], 2 * np.log(3)).p, 4)
        0.75
        """
        p, q = direct_probabilities(2, check.positive("epsilon", epsilon), parts=2)
        return cls(domain, p=p, q=q)

    @classmethod
    def optimized(cls, domain: ArrayLike, epsilon: float) -> UnaryEncoding:
        """Return optimized unary encoding (OUE): p = 1/2 and q = 1 / (1 + e^epsilon).

        Its variance is the smallest that unary encoding reaches for rare answers.

        Parameters
        ----------
        domain : list of d answers
            Public, all different.
        epsilon : float
            Above 0.

        Examples
        --------
        >>> import numpy as np
        >>> import dp_helpers as dp
        >>> round(dp.UnaryEncoding.optimized(["a", "b"], np.log(9)).q, 4)
        0.1
        """
        _, q = direct_probabilities(2, check.positive("epsilon", epsilon))
        return cls(domain, p=0.5, q=q)

    def __repr__(self) -> str:
        return f"UnaryEncoding({self.domain.size} answers, p={self.p:g}, q={self.q:g})"


def unary_epsilon(p: float, q: float) -> float:
    """Return the epsilon of unary encoding with these bit probabilities: ln(p (1 - q) / ((1 - p) q)).

    Two different answers differ in two bits, so the factors p/q and (1 - q)/(1 - p) both count (local model, any two
    answers of one person).

    Parameters
    ----------
    p, q : float
        Probability of reporting 1 for the bit of the answer, and for any other bit; q at most p, both in [0, 1].

    Returns
    -------
    float
        0 where p equals q, infinite where p is 1 or q is 0.

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.unary_epsilon(0.75, 0.25), 4)
    2.1972
    """
    p, q = check.probability("p", p), check.probability("q", q)
    if q > p:
        raise ValueError(f"q must not be above p, got p={p:g} and q={q:g}: a set bit is to be reported more often")
    if p == q:
        return 0.0
    if p == 1 or q == 0:
        return math.inf
    return math.log(p) - math.log(q) + math.log1p(-q) - math.log1p(-p)
