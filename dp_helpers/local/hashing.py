"""Local hashing: each person reports on a short hash of their answer instead of the answer."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.direct import direct_probabilities, keep_or_redraw
from dp_helpers.local.protocol import SupportProtocol
from dp_helpers.numerics import splitmix64
from dp_helpers.validation import Rng

_MOST_VALUES = 2**20  # of a hash, so that all of them are equally likely


class LocalHashing(SupportProtocol):
    """A random hash of one's answer to g values, and direct encoding among these values (optimized local hashing, OLH).

    Each person picks a hash function at random and applies it to their answer.  They report the function, as a seed of
    64 bits, and the hash value or another one, by direct encoding among the g values.  A report supports all answers
    that its function maps to its value.  A report takes 64 + log2(g) bits, whatever d; the price is paid by who adds
    the reports up, one hash for each person and answer.

    Guarantee: epsilon-local differential privacy (any two answers of one person): the seed says nothing about the
    answer, and given the seed the value is direct encoding's.  It doesn't depend on the quality of the hash.

    The number of values with the smallest variance for rare answers is g = round(e^epsilon) + 1 (here at most
    2^20); the variance is then that of `UnaryEncoding.optimized` up to the rounding of g.

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
    g : int
        Number of values of the hash.
    p, q : float
        Probability that a report supports an answer when it is true, e^epsilon / (e^epsilon + g - 1), and when it
        isn't, 1 / g.
    domain : pandas.Index
        The possible answers.

    Notes
    -----
    The hash family is the random number generator SplitMix64: the answer at position i of the domain gets output i of
    the generator started at the person's seed, scaled to 0, ..., g - 1.  Over a random seed each single output is
    exactly uniform on 64 bits; different outputs behave as independent in every test known to us.

    `simulate` takes them as independent.  An answer that is not the person's own is then supported with probability
    1 / g, independently of all others, whatever the value reported; so the supports of each answer are the sum of two
    binomial numbers, and are drawn as such: O(d).

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.
    Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> protocol = dp.LocalHashing(["blue", "green", "red"], epsilon=np.log(9))
    >>> protocol.g, round(protocol.p, 4), round(protocol.q, 4)
    (10, 0.5, 0.1)
    >>> reports = protocol.perturb(protocol.encode(["red", "blue"]), np.random.default_rng(1))
    >>> reports.shape, reports[:, 1].max() < 10
    ((2, 2), np.True_)
    >>> protocol.estimate_from([50, 30, 10], 100).round(4).tolist()
    [100.0, 50.0, 0.0]
    """

    def __init__(self, domain: ArrayLike, *, epsilon: float) -> None:
        self.domain = check.domain("domain", domain)
        self.epsilon = check.positive("epsilon", epsilon)
        self.g = min(round(math.exp(min(self.epsilon, 100))) + 1, _MOST_VALUES)
        self.p, self._other = direct_probabilities(self.g, self.epsilon)
        self.q = 1 / self.g

    def __repr__(self) -> str:
        return f"LocalHashing({self.domain.size} answers, epsilon={self.epsilon:g}, g={self.g})"

    def perturb(self, encoded: ArrayLike, rng: Rng = None) -> np.ndarray:
        """Return what each person reports: the seed of their hash function, and a hash value, the right or another.

        Parameters
        ----------
        encoded : array of shape (n,)
            From `encode`.

        Returns
        -------
        numpy.ndarray of shape (n, 2), dtype uint64
            Seeds in column 0, values from 0 to g - 1 in column 1.
        """
        codes = self._positions("encoded", encoded)
        return self._report(codes, check.generator(rng))

    def _report(self, codes, rng):
        seeds = rng.integers(2**64, size=codes.size, dtype=np.uint64)
        values = keep_or_redraw(_hash(seeds, codes.astype(np.uint64), self.g), self.g, self.p - self._other, rng)
        return np.array([seeds, values]).T

    def _reports(self, name, reports):
        array = check.unsigned(name, reports)
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(f"{name} must have 2 columns, seeds and values, got shape {array.shape}")
        array = array[:, check.columns_on(name, reports, "seed and value", pd.Index(["seed", "value"]))]
        check.within(f"the values of {name}", array[:, 1], 0, self.g - 1)
        return array

    def _report_bytes(self):
        return 64

    def _tally(self, reports):
        seeds, values = np.ascontiguousarray(reports.T)
        answers = np.arange(self.domain.size, dtype=np.uint64)[:, np.newaxis]
        return np.array([np.count_nonzero(_hash(seeds, answer, self.g) == values) for answer in answers])


def _hash(seeds: np.ndarray, positions: np.ndarray, g: int) -> np.ndarray:
    """Return the hash values of the answers at these positions: outputs of SplitMix64, scaled to 0, ..., g - 1."""
    return (splitmix64(seeds, positions) >> np.uint64(32)) * np.uint64(g) >> np.uint64(32)
