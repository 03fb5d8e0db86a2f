"""The sparse vector technique: find which of many answers pass a threshold, and pay only for those that do.

``sensitivity`` is the largest change of any one answer between neighbouring data sets, and each guarantee is for the
neighbour relation that it was computed for.  The answers may be chosen one at a time, each after seeing what happened
to those before it.

They may come as an array, a list or a Series, or from any other iterable, such as a generator, which is asked for
one answer at a time and for none after the last that is needed.  Noise is drawn in blocks.  For arrays, most blocks
need one draw: the largest noise of a block has a known distribution, and where even that noise on the largest answer
stays below the noisy threshold, no answer of the block can pass.  Otherwise the rest of the noise is drawn given its
maximum.  The distribution of the result is exactly that of the loop over single answers.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Set, Sized

import numpy as np
import pandas as pd

from dp_helpers import validation as check
from dp_helpers.mechanisms import laplace_mechanism, laplace_scale
from dp_helpers.validation import Rng


def above_threshold(
    answers: Iterable[float],
    *,
    threshold: float,
    epsilon: float,
    sensitivity: float = 1.0,
    monotonic: bool = False,
    rng: Rng = None,
) -> int | None:
    """Return the index of the first answer that passes a noisy threshold: epsilon-differentially private.

    The guarantee does not depend on how many answers there are. The threshold gets Laplace noise of scale 2 sensitivity
    / epsilon, once, and each answer noise of scale 4 sensitivity / epsilon; the first noisy answer that reaches the
    noisy threshold ends the search.  With k answers and probability at least 1 - beta, no answer above threshold +
    alpha is missed before the end, and none below threshold - alpha ends it, where alpha = 8 sensitivity (ln k + ln(2 /
    beta)) / epsilon.

    If the answers are monotonic (between any two neighbours all of them move in the same direction or stay, as counts
    do under add/remove-one), the noise of the answers is halved, to 2 sensitivity / epsilon.  That of the threshold
    is not: the answers before the end may all rise by ``sensitivity`` while the last one stays, and both scales
    halved would then cost 3/2 epsilon.

    Parameters
    ----------
    answers : array, Series, list, or any iterable of numbers
        Finite numbers, in the unit of the query, possibly none.  A missing one is an error: in a collection always,
        in an iterator when it is reached.
    threshold : float
        The public threshold, in the same unit.
    epsilon : float
        Privacy parameter, above 0.
    sensitivity : float
        Largest change of an answer between neighbours, in the same unit; above 0.
    monotonic : bool
        Whether the answers are monotonic.

    Returns
    -------
    int or None
        Counted from 0.  None: all answers were looked at and none passed, which costs epsilon too.  Why the answer
        passed, and by how much, stays secret.

    References
    ----------
    Dwork, Naor, Reingold, Rothblum & Vadhan (2009), On the complexity of differentially private data release, STOC.
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Algorithm 1, Theorems 3.23, 3.24.
    Lyu, Su & Li (2017), Understanding the sparse vector technique for differential privacy, PVLDB (monotonic).

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> dp.above_threshold([3, 10, 400, 20, 900], threshold=200, epsilon=1.0, rng=rng)
    2
    >>> print(dp.above_threshold([3, 10], threshold=200, epsilon=1.0, rng=rng))
    None
    """
    check.choice("monotonic", monotonic, (True, False))
    passes = _passes(answers, threshold, epsilon, sensitivity, monotonic, rng)
    index, _ = next(passes, (None, None))
    return index


def sparse(
    answers: Iterable[float], *, threshold: float, limit: int, epsilon: float, sensitivity: float = 1.0, rng: Rng = None
) -> list[int]:
    """Return the indices of the first ``limit`` answers that pass a noisy threshold: epsilon-differentially private.

    `above_threshold` is run up to ``limit`` times, each time with fresh noise for epsilon / limit, and goes on behind
    the answer that passed last.  Answers that do not pass cost nothing.

    Parameters
    ----------
    answers : array, Series, list, or any iterable of numbers
        Finite numbers, in the unit of the query, possibly none.  A missing one is an error: in a collection always,
        in an iterator when it is reached.
    threshold : float
        The public threshold, in the same unit.
    limit : int
        Stop after so many passes; at least 1.
    epsilon : float
        Privacy parameter of the whole release, above 0.
    sensitivity : float
        Largest change of an answer between neighbours, in the same unit; above 0.

    Returns
    -------
    list of int
        Rising, counted from 0, at most ``limit``; fewer if the answers end first.

    Notes
    -----
    One threshold for all runs, with more noise in the answers, is a little more accurate (Lyu, Su & Li 2017).  This
    is the simpler form of Dwork & Roth: plain composition of `above_threshold`.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Algorithm 2 and Theorem 3.25.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> dp.sparse([3, 10, 900, 20, 900, 900], threshold=450, limit=2, epsilon=1.0, rng=rng)
    [2, 4]
    """
    epsilon_of_run = _share(epsilon, limit)
    passes = _passes(answers, threshold, epsilon_of_run, sensitivity, False, rng)
    return [index for _, (index, _) in zip(range(limit), passes, strict=False)]


def numeric_sparse(
    answers: Iterable[float], *, threshold: float, limit: int, epsilon: float, sensitivity: float = 1.0, rng: Rng = None
) -> list[tuple[int, float]]:
    """Return index and noisy value of the first ``limit`` answers that pass: epsilon-differentially private.

    The indices are found by `sparse` with 8/9 of epsilon; the answers there get fresh Laplace noise of scale 9 limit
    sensitivity / epsilon, for the last ninth.  The noise that decided the comparison is never published: it would give
    away the noisy threshold.

    Parameters
    ----------
    answers : array, Series, list, or any iterable of numbers
        Finite numbers, in the unit of the query, possibly none.  A missing one is an error: in a collection always,
        in an iterator when it is reached.
    threshold : float
        The public threshold, in the same unit.
    limit : int
        Stop after so many passes; at least 1.
    epsilon : float
        Privacy parameter of the whole release, above 0.
    sensitivity : float
        Largest change of an answer between neighbours, in the same unit; above 0.

    Returns
    -------
    list of (int, float)
        Pairs of index, counted from 0 and rising, and noisy answer, in the unit of the query; at most ``limit``.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Algorithm 3 and Theorem 3.27.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> pairs = dp.numeric_sparse([3, 900, 20, 900], threshold=450, limit=2, epsilon=1.0, rng=rng)
    >>> [index for index, _ in pairs], all(abs(value - 900) < 400 for _, value in pairs)
    ([1, 3], True)
    """
    epsilon_of_run = _share(epsilon, limit)
    rng = check.generator(rng)
    passes = _passes(answers, threshold, 8 / 9 * epsilon_of_run, sensitivity, False, rng)
    return [
        (index, laplace_mechanism(answer, sensitivity=sensitivity, epsilon=epsilon_of_run / 9, rng=rng))
        for _, (index, answer) in zip(range(limit), passes, strict=False)
    ]


def _share(epsilon, limit) -> float:
    """Return the part of ``epsilon`` for each of ``limit`` runs."""
    check.integer("limit", limit, minimum=1)
    return check.positive("epsilon", epsilon) / check.finite("limit", limit)


def _passes(answers, threshold, epsilon, sensitivity, monotonic, rng) -> Iterator[tuple[int, float]]:
    """Check the arguments, and return an iterator over (index, answer) of the answers that pass.

    Each pass ends a run of AboveThreshold, for ``epsilon``, and the next answer starts another with fresh noise.
    """
    # Everything is measured from the threshold, in units of the scale of the answers' noise.
    unit = (2 if monotonic else 4) * laplace_scale(sensitivity=sensitivity, epsilon=epsilon)
    threshold_scale = 1.0 if monotonic else 0.5
    threshold = check.finite("threshold", threshold)
    rng = check.generator(rng)
    if isinstance(answers, (str, bytes, Mapping, Set, pd.DataFrame)) or not isinstance(answers, Iterable):
        raise TypeError(f"answers must be an ordered collection of numbers, got {type(answers).__name__}")
    check.shaped("answers", answers)
    if isinstance(answers, Sized):  # a collection, whose answers are all there
        numbers = check.numbers("answers", answers if hasattr(answers, "dtype") else list(answers))
        return _array_passes(numbers, threshold, unit, threshold_scale, rng)
    return _stream_passes(answers, threshold, unit, threshold_scale, rng)


def _stream_passes(answers, threshold, unit, threshold_scale, rng):
    noise = _laplace_noise(rng)
    level = None  # the noisy threshold, drawn when a run has its first answer
    for index, answer in enumerate(answers):
        # The check costs more than all the rest, so the usual good answer takes a shorter way.
        good = isinstance(answer, float) and math.isfinite(answer)
        number = float(answer) if good else check.finite("answers", answer)
        if level is None:
            level = threshold_scale * next(noise)
        if (number - threshold) / unit + next(noise) >= level:
            yield index, number
            level = None


def _laplace_noise(rng) -> Iterator[float]:
    """Yield Laplace noise of scale 1 for ever."""
    size = 128
    while True:
        yield from (rng.standard_exponential(size) - rng.standard_exponential(size)).tolist()
        size = min(2 * size, 4096)


def _array_passes(answers, threshold, unit, threshold_scale, rng):
    start, size, level = 0, _FIRST_BLOCK, None
    while start < len(answers):
        block = answers[start : start + size]
        if level is None:
            level = threshold_scale * (rng.standard_exponential() - rng.standard_exponential())
        with np.errstate(over="ignore"):
            gaps = (block - threshold) / unit
        first = _first_pass(gaps, level, rng)
        if first is None:
            start, size = start + block.size, min(2 * size, _LARGEST_BLOCK)
        else:
            yield start + first, float(block[first])
            start, size, level = start + first + 1, _FIRST_BLOCK, None


# Small at first, for a pass that comes soon; later as large as fits the processor's cache.
_FIRST_BLOCK = 256
_LARGEST_BLOCK = 2**16


def _first_pass(gaps, level, rng) -> int | None:
    """Return the first position where gap plus Laplace noise of scale 1 reaches ``level``, or None.

    The noise is a falling function of an exponential variable, so that the largest noise belongs to the smallest of
    n such variables, which is exponential too, with mean 1/n.  The others exceed it by exponential variables again,
    because these have no memory.
    """
    smallest = rng.standard_exponential() / gaps.size
    if gaps.max() + _laplace(smallest) < level:
        return None
    exponentials = smallest + rng.standard_exponential(gaps.size)
    exponentials[rng.integers(gaps.size)] = smallest
    passed = np.flatnonzero(gaps + _laplace(exponentials) >= level)
    return int(passed[0]) if passed.size else None


def _laplace(exponential):
    """Return the Laplace variable of scale 1 whose distribution function has the value e^-exponential."""
    return np.where(exponential > _LN_2, _LN_2 - exponential, -np.log(-2 * np.expm1(-np.minimum(exponential, _LN_2))))


_LN_2 = np.log(2)
