"""What the protocols share: a public domain, the way from answers to an estimate, and checks along it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.local.bits import coins
from dp_helpers.validation import Rng

BLOCK_BYTES = 2**20  # reports held at a time, few enough to stay in the processor's cache


class Protocol(ABC):
    """A way to count the answers of people who each randomize their own."""

    domain: pd.Index
    epsilon: float

    def encode(self, values: ArrayLike):
        """Return the position of each answer in the domain.

        Parameters
        ----------
        values : array or Series of shape (n,)
            Each person's answer, from the domain.

        Returns
        -------
        array or Series like ``values``, of whole numbers from 0 to d - 1
        """
        return check.like(values, self._codes(values))

    def aggregate(self, reports: ArrayLike) -> pd.Series:
        """Return the estimated number of people behind each answer of the domain, from their reports.

        The estimates are unbiased and not rounded; single ones may be negative or above n.

        Parameters
        ----------
        reports : array
            What `perturb` returned, one report for each person.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.

        Raises
        ------
        ValueError
            If p equals q, which leaves nothing to estimate from.
        """
        return self.estimate_from(self.tally(reports), np.shape(reports)[0])

    def estimate(self, values: ArrayLike, rng: Rng = None) -> pd.Series:
        """Return the estimated count of each answer after every person has randomized their own.

        The same as ``aggregate(perturb(encode(values), rng))`` in distribution, one block of people at a time, so that
        the reports of all people are never held together.

        Parameters
        ----------
        values : array of shape (n,)
            Each person's true answer, from the domain.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.
        """
        codes = self._codes(values)
        self._check_informative()
        rng = check.generator(rng)
        tally = np.sum([self._tally(self._report(block, rng)) for block in self._blocks(codes)], axis=0)
        return self._series(self._unbiased(tally, codes.size), "estimate")

    def simulate(self, counts: ArrayLike, n: int, rng: Rng = None) -> pd.Series:
        """Draw an estimate from the true counts, without making the single reports.

        The distribution is that of `estimate` on any n answers with these counts; the class says which sums of
        reports are drawn at once.  The time depends on d, not on n.

        Parameters
        ----------
        counts : pandas.Series or array of shape (d,)
            How many people hold each answer: an array in the order of the domain, or a Series indexed by answers,
            where an answer left out counts 0.  Whole numbers that sum to n.
        n : int
            The number of people.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.
        """
        n = check.integer("n", n, minimum=0, maximum=2**62)
        counts = self._true_counts(counts, n)
        self._check_informative()
        tally = self._draw_tally(counts, n, check.generator(rng))
        return self._series(self._unbiased(tally, n), "estimate")

    def variance(self, n: float, count: ArrayLike):
        """Return the variance of the estimated count of an answer that ``count`` of ``n`` people hold.

        Over the randomness of the reports alone.  With p and q it is
        [count p(1-p) + (n-count) q(1-q)] / (p-q)^2, infinite where they are equal; for `HistogramEncoding`
        8 n / epsilon^2.

        Parameters
        ----------
        n : int, or a float that is whole
            The number of people; a share of them, such as 50,000 / 4, will do.
        count : number or array
            The true count, between 0 and n; for randomized response the count of "yes".

        Returns
        -------
        float, or an array or Series like ``count``
        """
        n = check.whole("n", n, minimum=0)
        held = check.within("count", check.numbers("count", count, ndim=None), 0, n)
        return check.like(count, np.asarray(self._variance(n, held)))

    def tally(self, reports: ArrayLike) -> pd.Series:
        """Return the sum of the reports for each answer of the domain: with p and q, how many reports support it.

        Tallies of separate batches may be added before `estimate_from`.

        Parameters
        ----------
        reports : array
            What `perturb` returned, one report for each person.

        Returns
        -------
        pandas.Series
            Indexed by the domain; whole numbers, but for `HistogramEncoding` floats.
        """
        blocks = self._blocks(self._reports("reports", reports))
        return self._series(np.sum([self._tally(block) for block in blocks], axis=0), "reports")

    def estimate_from(self, tally: ArrayLike, n: int) -> pd.Series:
        """Return the estimated number of people behind each answer: with p and q, (tally - nq) / (p - q).

        Parameters
        ----------
        tally : pandas.Series or array of shape (d,)
            From `tally`, or the sum of several.
        n : int
            How many people reported, in all the batches together.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.

        Raises
        ------
        ValueError
            If p equals q, which leaves nothing to estimate from.
        """
        n = check.integer("n", n, minimum=0)
        sums = self._on_domain("tally", tally)
        self._check_tally(sums, n)
        self._check_informative()
        return self._series(self._unbiased(sums, n), "estimate")

    # A protocol adds `perturb`, and fills in these.

    @abstractmethod
    def _report(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the reports of people whose answers stand at these positions of the domain."""

    @abstractmethod
    def _reports(self, name: str, reports) -> np.ndarray:
        """Return reports that came from outside, checked."""

    @abstractmethod
    def _tally(self, reports: np.ndarray) -> np.ndarray:
        """Return the sum of the reports for each answer."""

    @abstractmethod
    def _draw_tally(self, counts: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw what `_tally` would return for n people with these true counts."""

    @abstractmethod
    def _unbiased(self, tally: np.ndarray, n: int) -> np.ndarray:
        """Return the estimates."""

    @abstractmethod
    def _variance(self, n: int, held: np.ndarray) -> np.ndarray:
        """Return the variance of an estimate, in the shape of ``held``."""

    @abstractmethod
    def _check_tally(self, tally: np.ndarray, n: int) -> None:
        """Raise an error if n reports cannot have this tally."""

    @abstractmethod
    def _check_informative(self) -> None:
        """Raise an error if the reports don't depend on the answers."""

    def _report_bytes(self) -> int:
        """Return about how many bytes one person takes while their report is made."""
        return self.domain.size

    def _blocks(self, people: np.ndarray):
        rows = max(1, BLOCK_BYTES // self._report_bytes())
        return (people[start : start + rows] for start in range(0, max(1, len(people)), rows))  # nobody is one block

    def _codes(self, values) -> np.ndarray:
        return check.codes("values", values, self.domain)

    def _positions(self, name: str, values) -> np.ndarray:
        positions = check.integers(name, values)
        return check.within(f"{name}, positions in the domain,", positions, 0, self.domain.size - 1)

    def _on_domain(self, name: str, sums) -> np.ndarray:
        if isinstance(sums, pd.Series):
            positions = check.codes(name, sums.index, self.domain)
            if not sums.index.is_unique:
                raise ValueError(f"{name} must not have an answer twice in its index")
            given = check.numbers(name, sums)
            sums = np.zeros(self.domain.size)
            sums[positions] = given
        numbers = check.numbers(name, sums)
        if numbers.size != self.domain.size:
            raise ValueError(f"{name} must have one number for each of {self.domain.size} answers, got {numbers.size}")
        return numbers

    def _true_counts(self, counts, n: int) -> np.ndarray:
        numbers = self._on_domain("counts", counts)
        if (numbers < 0).any() or (numbers != np.floor(numbers)).any():
            raise ValueError(f"counts must be whole numbers, 0 or above, got {numbers.tolist()}")
        if numbers.sum() != n:
            raise ValueError(f"counts must sum to n = {n}, got {numbers.sum():g}")
        return numbers.astype(np.int64)

    def _series(self, numbers: np.ndarray, name: str) -> pd.Series:
        return pd.Series(numbers, index=self.domain, name=name)


class SupportProtocol(Protocol):
    """A protocol whose reports "support" answers: with probability p when the answer is true and q when it is not.

    Among n people, c of whom hold the answer, cp + (n - c)q reports support it on average; the estimate follows.
    """

    p: float
    q: float

    def _draw_tally(self, counts, n, rng):
        """Draw the supports of each answer as two binomial numbers, where a report's supports are independent."""
        return rng.binomial(counts, self.p) + rng.binomial(n - counts, self.q)

    def _unbiased(self, tally, n):
        return (tally - n * self.q) / (self.p - self.q)

    def _variance(self, n, held):
        if self.p == self.q:
            return np.full(held.shape, math.inf)
        return (held * self.p * (1 - self.p) + (n - held) * self.q * (1 - self.q)) / (self.p - self.q) ** 2

    def _check_tally(self, tally, n):
        check.within("tally", tally, 0, n)

    def _check_informative(self):
        if self.p == self.q:
            raise ValueError(f"p and q must differ, got {self.p:g} for both: such reports say nothing of the answers")


class OneAnswerProtocol(SupportProtocol):
    """A protocol whose report is one answer of the domain, the only one it supports."""

    def _check_tally(self, tally, n):
        super()._check_tally(tally, n)
        if tally.sum() != n:
            raise ValueError(f"tally must sum to n = {n}, got {tally.sum():g}")


class OneHotProtocol(Protocol):
    """A protocol whose device works with one number for each possible answer: 1 for the person's own, else 0."""

    def encode(self, values: ArrayLike) -> np.ndarray:
        """Return one row of bits for each person, 1 in the column of the answer.

        Parameters
        ----------
        values : array of shape (n,)
            Each person's answer, from the domain.

        Returns
        -------
        numpy.ndarray of shape (n, d), dtype uint8
        """
        codes = self._codes(values)
        bits = np.zeros((codes.size, self.domain.size), dtype=np.uint8)
        bits[np.arange(codes.size), codes] = 1
        return bits

    def _encoded(self, encoded) -> np.ndarray:
        """Return the position of the 1 in each row that came from outside, checked."""
        bits = self._in_columns("encoded", encoded, check.bits("encoded", encoded, ndim=2))
        wrong = np.count_nonzero(bits, axis=1) != 1
        if wrong.any():
            raise ValueError(
                f"encoded must have exactly one 1 in each row, got {bits[wrong][0].sum()} in row {wrong.argmax()}"
            )
        return bits.argmax(axis=1)

    def _in_columns(self, name: str, given, array: np.ndarray) -> np.ndarray:
        """Return ``array``, the numbers of ``given``, with its columns in the domain's order."""
        if array.shape[1] != self.domain.size:
            raise ValueError(f"{name} must have {self.domain.size} columns, one an answer, got shape {array.shape}")
        return array[:, check.columns_on(name, given, "the domain", self.domain)]


class BitsProtocol(OneHotProtocol, SupportProtocol):
    """A protocol that reports a bit for each possible answer, each 1 with probability p or q on its own."""

    def perturb(self, encoded: ArrayLike, rng: Rng = None) -> np.ndarray:
        """Return what each person reports: their row with every bit randomized.

        Parameters
        ----------
        encoded : array of shape (n, d)
            From `encode`: a single 1 in each row.

        Returns
        -------
        numpy.ndarray of shape (n, d), dtype uint8
        """
        codes = self._encoded(encoded)
        return self._report(codes, check.generator(rng)).view(np.uint8)

    def _report(self, codes, rng):
        bits = coins(self.q, (self.domain.size, codes.size), rng)  # one answer's bits lie side by side: fast to count
        bits[codes, np.arange(codes.size)] = coins(self.p, codes.shape, rng)
        return bits.T

    def _reports(self, name, reports):
        return self._in_columns(name, reports, check.bits(name, reports, ndim=2))

    def _tally(self, reports):
        if reports.strides[0] == reports.itemsize:  # as `_report` makes them; a column at once takes half the time
            return np.array([np.count_nonzero(bits) for bits in reports.T])
        return np.count_nonzero(reports, axis=0)
