"""Local differential privacy: each person randomizes their own answer, and nobody ever holds the true ones.

A protocol is an object.  `encode` turns answers into what a person's device works with, `perturb` randomizes it on
that device, `tally` counts the reports for each possible answer, and `estimate_from` takes the randomness out of the
counts on average.  `aggregate` is the last two steps, `estimate` all of them, and `simulate` draws an estimate
directly from the true counts, with the same distribution.

Every protocol here is epsilon-locally differentially private: for any two answers of one person and any report, the
probabilities of that report differ at most by the factor e^epsilon.  Neighbours are therefore two answers of the same
person (replace-one); the number of people is public, and so is the domain, the list of possible answers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import pandas as pd

from dp_helpers import validation as check

_BLOCK_CELLS = 2**19  # bits held at a time, few enough to stay in the processor's cache


class _Protocol(ABC):
    """What the protocols share: a public domain, support chances p and q, and the estimate that follows from them.

    A report "supports" an answer with probability p when the answer is true and q when it is not, so among n people,
    c of whom hold the answer, cp + (n - c)q reports support it on average.
    """

    domain: pd.Index
    epsilon: float
    p: float
    q: float

    def aggregate(self, reports) -> pd.Series:
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
            If a report is not one that `perturb` makes, or if p equals q, which leaves nothing to estimate from.
        """
        return self.estimate_from(self.tally(reports), len(reports))

    def estimate(self, values, rng=None) -> pd.Series:
        """Return the estimated count of each answer after every person has randomized their own.

        The same as ``aggregate(perturb(encode(values), rng))`` in distribution, one block of people at a time, so that
        the reports of all people are never held together.

        Parameters
        ----------
        values : array of shape (n,)
            Each person's true answer, from the domain.
        rng : numpy.random.Generator, optional
            None: fresh entropy.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.

        Raises
        ------
        ValueError
            If an answer is missing or outside the domain, or if p equals q.
        """
        codes = self._codes(values)
        self._check_informative()
        rng = check.generator(rng)
        rows = max(1, _BLOCK_CELLS // self.domain.size)
        counts = np.zeros(self.domain.size, dtype=np.int64)
        for start in range(0, codes.size, rows):
            counts += self._count(self._report(codes[start : start + rows], rng))
        return self.estimate_from(self._series(counts, "reports"), codes.size)

    def simulate(self, counts, n, rng=None) -> pd.Series:
        """Draw an estimate from the true counts, without making the single reports.

        The distribution is exactly that of `estimate` on any n answers with these counts; the sums of the
        reported bits are drawn as binomial numbers, so the time does not depend on n.

        Parameters
        ----------
        counts : pandas.Series or array of shape (d,)
            How many people hold each answer: an array in the order of the domain, or a Series indexed by answers,
            where an answer left out counts 0.  Whole numbers that sum to n.
        n : int
            The number of people.
        rng : numpy.random.Generator, optional
            None: fresh entropy.

        Returns
        -------
        pandas.Series
            Floats, indexed by the domain.

        Raises
        ------
        ValueError
            If the counts don't fit the domain or don't sum to n, or if p equals q.
        """
        n = check.integer("n", n, minimum=0)
        counts = self._true_counts(counts, n)
        self._check_informative()
        return self.estimate_from(self._series(self._draw_counts(counts, n, check.generator(rng)), "reports"), n)

    def variance(self, n, count):
        """Return the variance of the estimated count of an answer that ``count`` of ``n`` people hold.

        It is [count p(1-p) + (n-count) q(1-q)] / (p-q)^2, over the randomness of the reports alone; infinite where p
        equals q.

        Parameters
        ----------
        n : int
            The number of people.
        count : number or array
            The true count, between 0 and n; for randomized response the count of "yes".

        Returns
        -------
        float, or an array or Series like ``count``
        """
        n = check.integer("n", n, minimum=0)
        held = check.numbers("count", count, ndim=None)
        if ((held < 0) | (held > n)).any():
            raise ValueError(f"count must be between 0 and n = {n}, got {held[(held < 0) | (held > n)][0]:g}")
        if self.p == self.q:
            result = np.full(held.shape, math.inf)
        else:
            result = (held * self.p * (1 - self.p) + (n - held) * self.q * (1 - self.q)) / (self.p - self.q) ** 2
        return check.like(count, result)

    def tally(self, reports) -> pd.Series:
        """Return how many of the reports support each answer of the domain.

        Tallies of separate batches may be added before `estimate_from`.

        Parameters
        ----------
        reports : array
            What `perturb` returned, one report for each person.

        Returns
        -------
        pandas.Series
            Whole numbers, indexed by the domain.

        Raises
        ------
        ValueError
            If a report is not one that `perturb` makes.
        """
        return self._series(self._count(self._reports("reports", reports)), "reports")

    def estimate_from(self, tally, n) -> pd.Series:
        """Return the estimated number of people behind each answer, (tally - nq) / (p - q).

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
            If the tally does not fit the domain or n, or if p equals q.
        """
        n = check.integer("n", n, minimum=0)
        support = self._on_domain("tally", tally)
        if (support < 0).any() or (support > n).any():
            raise ValueError(f"tally must be between 0 and n = {n}, got {support.min():g} to {support.max():g}")
        self._check_informative()
        return self._series(self._unbiased(support, n), "estimate")

    # A protocol adds `encode` and `perturb`, and fills in these four.

    @abstractmethod
    def _report(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the reports of people whose answers stand at these positions of the domain."""

    @abstractmethod
    def _reports(self, name: str, reports) -> np.ndarray:
        """Return reports that came from outside, checked."""

    @abstractmethod
    def _count(self, reports: np.ndarray) -> np.ndarray:
        """Return the number of reports that support each answer."""

    @abstractmethod
    def _draw_counts(self, counts: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw what `_count` would return for n people with these true counts."""

    def _unbiased(self, tally: np.ndarray, n: int) -> np.ndarray:
        return (tally - n * self.q) / (self.p - self.q)

    def _codes(self, values) -> np.ndarray:
        return check.codes("values", values, self.domain)

    def _check_informative(self) -> None:
        if self.p == self.q:
            raise ValueError(
                f"p and q must differ, got {self.p:g} for both: the reports don't depend on the answers, "
                "so there is nothing to estimate from"
            )

    def _on_domain(self, name: str, counts) -> np.ndarray:
        if isinstance(counts, pd.Series):
            check.codes(name, counts.index, self.domain)
            if not counts.index.is_unique:
                raise ValueError(f"{name} must not have an answer twice in its index")
            counts = counts.reindex(self.domain, fill_value=0)
        numbers = check.numbers(name, counts)
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


class RandomizedResponse(_Protocol):
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

    Raises
    ------
    ValueError
        If a probability is outside [0, 1].

    References
    ----------
    Warner (1965), Randomized response, Journal of the American Statistical Association 60.  The two coins: Dwork &
    Roth (2014), The algorithmic foundations of differential privacy, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> survey = RandomizedResponse.two_coins()
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

    def __init__(self, *, truth, yes=0.5):
        self.truth = check.probability("truth", truth)
        self.yes = check.probability("yes", yes)
        self.domain = pd.Index([False, True], name="answer")
        self.p = self.truth + (1 - self.truth) * self.yes
        self.q = (1 - self.truth) * self.yes
        self.epsilon = _coin_epsilon(self.truth, self.yes)

    @classmethod
    def from_epsilon(cls, epsilon) -> RandomizedResponse:
        """Return Warner's protocol for this epsilon: the true answer with probability e^epsilon / (1 + e^epsilon).

        Its second coin is fair, the best one for a given epsilon, and the variance does not depend on the true count.

        Parameters
        ----------
        epsilon : float
            Above 0.

        Raises
        ------
        ValueError
            If epsilon is not finite and above 0.

        Examples
        --------
        >>> round(RandomizedResponse.from_epsilon(np.log(3)).p, 4)
        0.75
        """
        return cls(truth=math.tanh(check.positive("epsilon", epsilon) / 2))

    @classmethod
    def two_coins(cls) -> RandomizedResponse:
        """Return the protocol of two fair coins: epsilon = ln 3."""
        return cls(truth=0.5)

    @classmethod
    def biased_coin(cls, noise) -> RandomizedResponse:
        """Return the protocol whose first coin makes the answer random with probability ``noise``.

        epsilon = ln((2 - noise) / noise): infinite at noise 0, and 0 at noise 1, where nothing can be estimated.

        Parameters
        ----------
        noise : float
            Probability of a random answer, in [0, 1]; a random answer is "yes" in half the cases.

        Raises
        ------
        ValueError
            If noise is outside [0, 1].

        Examples
        --------
        >>> round(RandomizedResponse.biased_coin(0.9).epsilon, 4)
        0.2007
        """
        return cls(truth=1 - check.probability("noise", noise))

    def __repr__(self) -> str:
        return f"RandomizedResponse(truth={self.truth:g}, yes={self.yes:g})"

    def encode(self, values):
        """Return the answers as booleans.

        Parameters
        ----------
        values : array or Series of shape (n,)
            True or 1 for "yes", False or 0 for "no".

        Returns
        -------
        array or Series like ``values``, of dtype bool

        Raises
        ------
        ValueError
            If an answer is missing or is neither yes nor no.
        """
        return check.like(values, self._codes(values).astype(bool))

    def perturb(self, encoded, rng=None):
        """Return what each person reports.

        Parameters
        ----------
        encoded : array or Series of shape (n,)
            From `encode`.
        rng : numpy.random.Generator, optional
            None: fresh entropy.

        Returns
        -------
        array or Series like ``encoded``, of dtype bool
        """
        codes = self._reports("encoded", encoded)
        return check.like(encoded, self._report(codes, check.generator(rng)))

    def _codes(self, values):
        return self._reports("values", values)

    def _report(self, codes, rng):
        return (codes & _coins(self.p, codes.shape, rng)) | (~codes & _coins(self.q, codes.shape, rng))

    def _reports(self, name, reports):
        if pd.isna(reports).any():
            raise ValueError(f"{name} must be True or False, not missing; a third answer needs another protocol")
        return _bits(name, reports, ndim=1)

    def _count(self, reports):
        yes = np.count_nonzero(reports)
        return np.array([reports.size - yes, yes])

    def _draw_counts(self, counts, n, rng):
        yes = rng.binomial(counts[1], self.p) + rng.binomial(counts[0], self.q)
        return np.array([n - yes, yes])

    def _unbiased(self, tally, n):
        if tally.sum() != n:
            raise ValueError(f"tally must sum to n = {n}, got {tally.sum():g}")
        yes = (tally[1] - n * self.q) / (self.p - self.q)
        return np.array([n - yes, yes])


class UnaryEncoding(_Protocol):
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

    Raises
    ------
    ValueError
        If the domain is empty, has an answer twice or a missing one, or if q is above p.

    Notes
    -----
    `perturb` and `estimate` draw one random byte for each bit, which settles whether it is below the threshold except
    for one value in 256; these ties draw more.  The bits are independent with exactly the chances p and q (as far as
    floating-point numbers can say).

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> protocol = UnaryEncoding(["blue", "green", "red"], p=0.75, q=0.25)
    >>> round(protocol.epsilon, 4)
    2.1972
    >>> protocol.encode(["red", "blue"])
    array([[0, 0, 1],
           [1, 0, 0]], dtype=uint8)
    >>> protocol.estimate_from([40, 40, 30], 100).tolist()
    [30.0, 30.0, 10.0]
    """

    def __init__(self, domain, *, p, q):
        self.domain = check.domain("domain", domain)
        self.epsilon = unary_epsilon(p, q)
        self.p, self.q = float(p), float(q)

    @classmethod
    def symmetric(cls, domain, epsilon) -> UnaryEncoding:
        """Return symmetric unary encoding (SUE): all bits flip with the same probability, 1 / (1 + e^(epsilon/2)).

        Parameters
        ----------
        domain : list of d answers
            Public, all different.
        epsilon : float
            Above 0.

        Raises
        ------
        ValueError
            If epsilon is not finite and above 0, or the domain is not one.

        Examples
        --------
        >>> round(UnaryEncoding.symmetric(["a", "b"], 2 * np.log(3)).p, 4)
        0.75
        """
        flip = _logistic(-check.positive("epsilon", epsilon) / 2)
        return cls(domain, p=1 - flip, q=flip)

    @classmethod
    def optimized(cls, domain, epsilon) -> UnaryEncoding:
        """Return optimized unary encoding (OUE): p = 1/2 and q = 1 / (1 + e^epsilon).

        Its variance is the smallest that unary encoding reaches for rare answers.

        Parameters
        ----------
        domain : list of d answers
            Public, all different.
        epsilon : float
            Above 0.

        Raises
        ------
        ValueError
            If epsilon is not finite and above 0, or the domain is not one.

        Examples
        --------
        >>> round(UnaryEncoding.optimized(["a", "b"], np.log(9)).q, 4)
        0.1
        """
        return cls(domain, p=0.5, q=_logistic(-check.positive("epsilon", epsilon)))

    def __repr__(self) -> str:
        return f"UnaryEncoding({self.domain.size} answers, p={self.p:g}, q={self.q:g})"

    def encode(self, values) -> np.ndarray:
        """Return one row of bits for each person, 1 in the column of the answer.

        Parameters
        ----------
        values : array of shape (n,)
            Each person's answer, from the domain.

        Returns
        -------
        numpy.ndarray of shape (n, d), dtype uint8

        Raises
        ------
        ValueError
            If an answer is missing or outside the domain.
        """
        codes = self._codes(values)
        bits = np.zeros((codes.size, self.domain.size), dtype=np.uint8)
        bits[np.arange(codes.size), codes] = 1
        return bits

    def perturb(self, encoded, rng=None) -> np.ndarray:
        """Return what each person reports: their row with every bit randomized.

        Parameters
        ----------
        encoded : array of shape (n, d)
            From `encode`: a single 1 in each row.
        rng : numpy.random.Generator, optional
            None: fresh entropy.

        Returns
        -------
        numpy.ndarray of shape (n, d), dtype uint8

        Raises
        ------
        ValueError
            If ``encoded`` has another shape, other values than 0 and 1, or a row without exactly one 1.
        """
        bits = self._reports("encoded", encoded)
        wrong = np.count_nonzero(bits, axis=1) != 1
        if wrong.any():
            raise ValueError(
                f"encoded must have exactly one 1 in each row, got {bits[wrong][0].sum()} in row {wrong.argmax()}"
            )
        return self._report(bits.argmax(axis=1), check.generator(rng)).view(np.uint8)

    def _report(self, codes, rng):
        bits = _coins(self.q, (self.domain.size, codes.size), rng)  # one answer's bits lie side by side: fast to count
        bits[codes, np.arange(codes.size)] = _coins(self.p, codes.shape, rng)
        return bits.T

    def _reports(self, name, reports):
        bits = _bits(name, reports, ndim=2)
        if bits.shape[1] != self.domain.size:
            raise ValueError(
                f"{name} must have {self.domain.size} columns, one for each answer, got shape {bits.shape}"
            )
        return bits

    def _count(self, reports):
        if reports.flags.f_contiguous:  # as `_report` makes them; counting a whole column is twice as fast
            return np.array([np.count_nonzero(bits) for bits in reports.T])
        return np.count_nonzero(reports, axis=0)

    def _draw_counts(self, counts, n, rng):
        return rng.binomial(counts, self.p) + rng.binomial(n - counts, self.q)


def unary_epsilon(p, q) -> float:
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

    Raises
    ------
    ValueError
        If a probability is outside [0, 1] or q is above p.

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation, USENIX Security.

    Examples
    --------
    >>> round(unary_epsilon(0.75, 0.25), 4)
    2.1972
    """
    p, q = check.probability("p", p), check.probability("q", q)
    if q > p:
        raise ValueError(
            f"q must not be above p, got p={p:g} and q={q:g}: a set bit must be reported at least as often"
        )
    if p == q:
        return 0.0
    if p == 1 or q == 0:
        return math.inf
    return math.log(p) - math.log(q) + math.log1p(-q) - math.log1p(-p)


def _coins(chance: float, shape, rng: np.random.Generator) -> np.ndarray:
    """Return independent booleans, each True with probability ``chance``, for about one random byte each.

    A byte below the whole part of 256 * chance is True, one above is False, and one equal to it, a tie, is True with
    the probability that is left over: together exactly ``chance``.
    """
    cells = math.prod(shape)
    words = rng.integers(0, 2**64, size=-(-cells // 8), dtype=np.uint64)
    bytes_ = words.view(np.uint8)[:cells]
    rest, whole = math.modf(256 * chance)
    coins = bytes_ < int(whole)
    ties = np.flatnonzero(bytes_ == int(whole))
    coins[ties] = rng.random(ties.size) < rest
    return coins.reshape(shape)


def _bits(name: str, values, *, ndim: int) -> np.ndarray:
    """Return zeros and ones as booleans."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "bui"  # no need of a copy in floats
    array = values if whole else check.numbers(name, values, ndim=None)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got shape {array.shape}")
    bits = array.astype(bool, copy=False)
    if (bits != array).any():
        raise ValueError(f"{name} must be 0 or 1 only, got {array[bits != array][0]}")
    return bits


def _coin_epsilon(truth: float, yes: float) -> float:
    if truth == 0:
        return 0.0
    least = (1 - truth) * min(yes, 1 - yes)  # probability of the rarer random answer
    return math.log1p(truth / least) if least > 0 else math.inf


def _logistic(x: float) -> float:
    """Return 1 / (1 + e^-x) for x at most 0, without overflow."""
    return math.exp(x) / (1 + math.exp(x))
