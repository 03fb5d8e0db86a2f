"""Randomized response: a yes/no question, each answer behind a coin."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.bits import coins
from dp_helpers.local.protocol import OneAnswerProtocol
from dp_helpers.validation import Rng


class RandomizedResponse(OneAnswerProtocol):
    """Answers to a yes/no question, each behind a coin: honest with probability ``truth``, else "yes" by chance.

    A second coin says "yes" with probability ``yes`` when the first one forbids the honest answer.  The domain is
    (False, True), True for "yes".

    Guarantee: epsilon-local differential privacy (any two answers of one person) with
    epsilon = ln(1 + truth / ((1 - truth) min(yes, 1 - yes))).  It is 0 for truth 0, where nothing can be estimated,
    and infinite, no privacy, for truth 1 and for a second coin that always falls on the same side.

    Parameters
    ----------
    truth : float
        Probability of an honest answer, in [0, 1].
    yes : float
        Probability of "yes" otherwise, in [0, 1].

    Attributes
    ----------
    epsilon : float
        The guarantee.
    p, q : float
        Probability that "yes" is reported when the honest answer is yes, and when it is no.
    domain : pandas.Index
        False and True.

    References
    ----------
    Warner (1965), Randomized response, Journal of the American Statistical Association 60.  The two coins: Dwork &
    Roth (2014), The algorithmic foundations of differential privacy, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> survey = dp.RandomizedResponse.two_coins()
    >>> round(survey.epsilon, 4), survey.p, survey.q
    (1.0986, 0.75, 0.25)
    >>> reports = [True, True, False, True]
    >>> survey.tally(reports)[True], survey.aggregate(reports)[True]
    (np.int64(3), np.float64(4.0))
    >>> honest = np.arange(10_000) < 3_000
    >>> error = survey.estimate(honest, np.random.default_rng(1))[True] - 3_000
    >>> bool(abs(error) < 5 * survey.variance(10_000, 3_000) ** 0.5)
    True
    """

    def __init__(self, *, truth: float, yes: float = 0.5) -> None:
        self.truth = check.probability("truth", truth)
        self.yes = check.probability("yes", yes)
        self.domain = pd.Index([False, True], name="answer")
        self.p = self.truth + (1 - self.truth) * self.yes
        self.q = (1 - self.truth) * self.yes
        self.epsilon = _coin_epsilon(self.truth, self.yes)

    @classmethod
    def from_epsilon(cls, epsilon: float) -> RandomizedResponse:
        """Return Warner's protocol for this epsilon: the true answer with probability e^epsilon / (1 + e^epsilon).

        Its second coin is fair, the best one for a given epsilon, and the variance does not depend on the true count.

        Parameters
        ----------
        epsilon : float
            Above 0.

        Examples
        --------
        >>> import numpy as np
        >>> import dp_helpers as dp
        >>> round(dp.RandomizedResponse.from_epsilon(np.log(3)).p, 4)
        0.75
        """
        epsilon = check.positive("epsilon", epsilon)
        return cls(truth=check.truthful(epsilon, math.tanh(epsilon / 2)))

    @classmethod
    def two_coins(cls) -> RandomizedResponse:
        """Return the protocol of two fair coins: epsilon = ln 3."""
        return cls(truth=0.5)

    @classmethod
    def biased_coin(cls, noise: float) -> RandomizedResponse:
        """Return the protocol whose first coin makes the answer random with probability ``noise``.

        epsilon = ln((2 - noise) / noise): infinite at noise 0, and 0 at noise 1, where nothing can be estimated.

        Parameters
        ----------
        noise : float
            Probability of a random answer, in [0, 1]; a random answer is "yes" in half the cases.

        Examples
        --------
        >>> import dp_helpers as dp
        >>> round(dp.RandomizedResponse.biased_coin(0.9).epsilon, 4)
        0.2007
        """
        return cls(truth=1 - check.probability("noise", noise))

    def __repr__(self) -> str:
        return f"RandomizedResponse(truth={self.truth:g}, yes={self.yes:g})"

    def encode(self, values: ArrayLike):
        """Return the answers as booleans.

        Parameters
        ----------
        values : array or Series of shape (n,)
            True or 1 for "yes", False or 0 for "no".

        Returns
        -------
        array or Series like ``values``, of dtype bool
        """
        return check.like(values, self._codes(values).astype(bool))

    def perturb(self, encoded: ArrayLike, rng: Rng = None):
        """Return what each person reports.

        Parameters
        ----------
        encoded : array or Series of shape (n,)
            From `encode`.

        Returns
        -------
        array or Series like ``encoded``, of dtype bool
        """
        codes = self._reports("encoded", encoded)
        return check.like(encoded, self._report(codes, check.generator(rng)))

    def _codes(self, values):
        return self._reports("values", values)

    def _report(self, codes, rng):
        return (codes & coins(self.p, codes.shape, rng)) | (~codes & coins(self.q, codes.shape, rng))

    def _reports(self, name, reports):
        if np.ndim(reports) == 1 and pd.Series(reports).isna().any():
            raise ValueError(f"{name} must be True or False, not missing; a third answer needs another protocol")
        return check.bits(name, reports)

    def _tally(self, reports):
        yes = np.count_nonzero(reports)
        return np.array([reports.size - yes, yes])

    def _draw_tally(self, counts, n, rng):
        yes = rng.binomial(counts[1], self.p) + rng.binomial(counts[0], self.q)
        return np.array([n - yes, yes])

    def _unbiased(self, tally, n):
        yes = super()._unbiased(tally[1], n)  # p and q are those of "yes"
        return np.array([n - yes, yes])


def _coin_epsilon(truth: float, yes: float) -> float:
    if truth == 0:
        return 0.0
    least = (1 - truth) * min(yes, 1 - yes)  # probability of the rarer random answer
    return math.log1p(truth / least) if least > 0 else math.inf
