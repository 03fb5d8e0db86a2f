"""Private selection: pick a good candidate by its score, without giving away the scores.

The candidates are public; their scores come from the data.  ``sensitivity`` is the largest change of any one score
between neighbouring data sets, and each guarantee is for the neighbour relation that it was computed for.  Scores are
*monotonic* if, between any two neighbours, all of them move in the same direction or stay: counts under
add/remove-one do, counts under replace-one and distances to a target do not.  Monotonic scores need half the noise.

Only the candidate is paid for.  Its score, published as well, costs extra.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import laplace_scale
from dp_helpers.validation import Rng


def exponential_probabilities(scores: ArrayLike, *, sensitivity: float, epsilon: float, monotonic: bool = False):
    """Return the probability with which the exponential mechanism picks each candidate.

    Proportional to e^(epsilon score / (2 sensitivity)), without the 2 for monotonic scores.  The largest score is
    subtracted first, so that scores of any size neither overflow nor lose their differences.

    Parameters
    ----------
    scores : Series, array or list, shape (n,)
        One finite number for each candidate; larger is better.  A candidate that must never be picked is left out
        (whether it may be picked must not depend on the data).
    sensitivity : float
        Largest change of a score between neighbours, in the unit of the scores; above 0.
    epsilon : float
        Privacy parameter, above 0.
    monotonic : bool
        Whether the scores are monotonic, as defined at the top of this module.

    Returns
    -------
    array or Series, shape (n,)
        They sum to 1; same index as ``scores``.

    References
    ----------
    McSherry & Talwar (2007), Mechanism design via differential privacy, FOCS.
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Section 3.4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.exponential_probabilities([0, 1, 2.5], sensitivity=1, epsilon=2).round(3)
    array([0.063, 0.171, 0.766])
    """
    array = check.numbers("scores", scores, empty=False)
    weights = np.exp(_exponents(array, sensitivity, epsilon, monotonic))
    return check.like(scores, weights / weights.sum())


def exponential_mechanism(
    candidates: Collection,
    scores: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    monotonic: bool = False,
    size: int | None = None,
    rng: Rng = None,
):
    """Return a candidate, drawn with the chances of `exponential_probabilities`: epsilon-differentially private.

    With n candidates, the score of the result falls more than (2 sensitivity / epsilon) (ln n + t) short of the best
    one with probability at most e^-t.

    Parameters
    ----------
    candidates : list, tuple, range, array, Series or Index, shape (n,)
        The public candidates, of any type, in the order of ``scores``.
    scores : Series, array or list, shape (n,)
        One finite number for each candidate; larger is better.  A Series whose labels are the candidates, in any
        order, is matched by them; two Series must have the same index.
    sensitivity : float
        Largest change of a score between neighbours, in the unit of the scores; above 0.
    epsilon : float
        Privacy parameter of one draw, above 0.
    monotonic : bool
        Whether the scores are monotonic, as defined at the top of this module.
    size : int, optional
        Number of independent draws, at least 1, which together cost ``size`` times epsilon.  None: one draw.

    Returns
    -------
    object, or array of shape (size,)
        The candidate (a Python number where it is one), or with ``size`` an array of candidates: of objects, unless
        they are an array or all of one plain type.

    References
    ----------
    McSherry & Talwar (2007), Mechanism design via differential privacy, FOCS.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> votes = {"library": 40, "park": 90, "pool": 10}
    >>> rng = np.random.default_rng(1)
    >>> dp.exponential_mechanism(
    ...     list(votes), list(votes.values()), sensitivity=1, epsilon=1.0, monotonic=True, rng=rng
    ... )
    'park'
    """
    array = _scores_of(candidates, scores)
    exponents = _exponents(array, sensitivity, epsilon, monotonic)
    if size is not None:
        size = check.integer("size", size, minimum=1)
    rng = check.generator(rng)
    # A uniform point on a line where each candidate owns a stretch as long as its weight.
    ends = np.cumsum(np.exp(exponents, out=exponents), out=exponents)
    drawn = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
    return _at(candidates, drawn) if size is None else _as_array(candidates)[drawn]


def report_noisy_max(
    candidates: Collection,
    scores: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    noise: str = "laplace",
    monotonic: bool = False,
    rng: Rng = None,
):
    """Return the candidate whose score is largest after noise of scale 2 sensitivity / epsilon: epsilon-private.

    Monotonic scores get noise of half the scale.  The factor 2 is needed otherwise: as the best candidate's score
    falls, another's may rise.  The noise is

    - "laplace", as in Dwork and Roth's book;
    - "gumbel", which picks with exactly the chances of the `exponential_mechanism`: it is another way to run it,
      a race;
    - "exponential", one-sided, which picks with exactly the chances of permute-and-flip and whose expected score is
      never below that of the exponential mechanism.

    Parameters
    ----------
    candidates : list, tuple, range, array, Series or Index, shape (n,)
        The public candidates, of any type, in the order of ``scores``.
    scores : Series, array or list, shape (n,)
        One finite number for each candidate; larger is better.  A Series whose labels are the candidates, in any
        order, is matched by them; two Series must have the same index.
    sensitivity : float
        Largest change of a score between neighbours, in the unit of the scores; above 0.
    epsilon : float
        Privacy parameter, above 0.
    noise : {"laplace", "gumbel", "exponential"}
        The distribution of the noise.
    monotonic : bool
        Whether the scores are monotonic, as defined at the top of this module.

    Returns
    -------
    object
        The candidate, a Python number where it is one.  The noisy maximum stays secret: it is not paid for.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, Claim 3.9 (Laplace, counts).
    McKenna & Sheldon (2020), Permute-and-flip: a new mechanism for differentially private selection, NeurIPS.
    Ding, Kifer et al. (2021), The permute-and-flip mechanism is identical to report-noisy-max with exponential noise.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> rng = np.random.default_rng(1)
    >>> dp.report_noisy_max([20, 40, 60], [-10.0, -1.0, -30.0], sensitivity=1, epsilon=2.0, rng=rng)
    40
    """
    array = _scores_of(candidates, scores)
    exponents = _exponents(array, sensitivity, epsilon, monotonic)
    check.choice("noise", noise, ("laplace", "gumbel", "exponential"))
    rng = check.generator(rng)
    exponents += _noise(noise, array.size, rng)
    return _at(candidates, np.argmax(exponents))


def _noise(kind, n, rng) -> np.ndarray:
    """Return noise of scale 1, from exponential variables because these are the fastest."""
    noise = rng.standard_exponential(n)
    if kind == "laplace":  # exactly the law of a difference of two
        noise -= rng.standard_exponential(n)
    elif kind == "gumbel":  # exactly the law of minus the logarithm
        np.negative(np.log(noise, out=noise), out=noise)
    return noise


def _exponents(scores, sensitivity, epsilon, monotonic) -> np.ndarray:
    """Return how far each score lies below the best, in units of the noise scale: 0 for the best, others negative."""
    scale = laplace_scale(sensitivity=sensitivity, epsilon=epsilon)
    check.choice("monotonic", monotonic, (True, False))
    with np.errstate(over="ignore"):  # so hopeless that its weight is 0
        exponents = scores / 2  # halves, because the difference itself may overflow
        exponents -= scores.max() / 2
        exponents /= scale
        if monotonic:
            exponents *= 2
    return exponents


def _scores_of(candidates, scores) -> np.ndarray:
    """Return ``scores`` as an array, after checking it and ``candidates``."""
    array = check.numbers("scores", scores, empty=False)
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, _LISTS):
        raise TypeError(f"candidates must be a list or an array of candidates, got {type(candidates).__name__}")
    check.unmasked("candidates", candidates)
    check.shaped("candidates", candidates)
    return array[check.pairing("scores", scores, "candidates", candidates)]


_LISTS = (Sequence, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)


def _at(candidates, position):
    chosen = candidates.iloc[position] if isinstance(candidates, pd.Series) else candidates[position]
    return chosen.item() if isinstance(chosen, (np.number, np.bool_, np.str_)) else chosen


def _as_array(candidates) -> np.ndarray:
    if hasattr(candidates, "dtype"):
        return np.asarray(candidates)
    if {type(candidate) for candidate in candidates} in _PLAIN:
        return np.array(candidates)
    # NumPy would make text of the candidates 1 and "a", and a table of candidates that are tuples.
    return np.fromiter(candidates, dtype=object, count=len(candidates))


_PLAIN = ({int}, {float}, {bool}, {str})
