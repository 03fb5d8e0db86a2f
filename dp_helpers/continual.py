"""Continual release: a running count that is published after every step, and never ends up too expensive.

The values are a stream: one for each step, between 0 and 1.  Neighbours differ in one step by at most 1 (event-level
privacy): a person who is in several steps is protected as a group is, once for each of them.  The guarantee covers all
counts together, and also when later values depend on counts that were published before.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.validation import Rng


def continual_counts(
    values: ArrayLike, *, epsilon: float | None = None, rho: float | None = None, method: str = "tree", rng: Rng = None
):
    """Return the noisy sum of the values up to each step: epsilon-differentially private, or rho-zCDP.

    All methods add noise that is shared between steps.

    - "tree": every node of a binary tree over the steps gets noise once, and a sum needs at most one node of each of
      its h = floor(log2 T) + 1 levels.  One value is in h nodes, so the noise has scale h / epsilon (Laplace), or
      deviation sqrt(h / (2 rho)) (Gaussian).
    - "honaker": the same tree and noise, but a node is also estimated by its two halves, and the estimates are
      averaged by their variances.  Up to half the variance for the same price.
    - "square_root": with A the matrix of ones on and below the diagonal, the noise is A^(1/2) z, z independent.  Made
      for ``rho``: the largest deviation grows like ln(T) / pi times that of one release; with Laplace noise, which
      follows the largest sum of a column, it is much larger than the tree's.

    Parameters
    ----------
    values : list, array or Series, shape (T,)
        One for each step, between 0 and 1; their number is public.
    epsilon : float, optional
        Above 0: Laplace noise.  Give either this or ``rho``.
    rho : float, optional
        Above 0: Gaussian noise.
    method : {"tree", "honaker", "square_root"}
        How the noise is shared.

    Returns
    -------
    array or Series, shape (T,)
        The noisy counts, as floats, perhaps negative and falling; rounding them costs nothing.

    References
    ----------
    Dwork, Naor, Pitassi & Rothblum (2010), Differential privacy under continual observation, STOC.
    Chan, Shi & Song (2011), Private and continual release of statistics, TISSEC 14.
    Honaker (2015), Efficient use of differentially private binary trees, TPDP.
    Henzinger, Upadhyay & Upadhyay (2023), Almost tight error bounds on differentially private continual counting, SODA.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> days = np.ones(1000)
    >>> counts = dp.continual_counts(days, rho=0.5, method="square_root", rng=np.random.default_rng(1))
    >>> counts.shape, bool(abs(counts - np.arange(1, 1001)).max() < 20)
    ((1000,), True)
    """
    stream = check.within("values", check.numbers("values", values, empty=False), 0, 1)
    if (epsilon is None) == (rho is None):
        raise ValueError(f"epsilon or rho must be given, and not both, got epsilon={epsilon!r} and rho={rho!r}")
    name, given = ("rho", rho) if epsilon is None else ("epsilon", epsilon)
    price = check.positive(name, given)
    scale = 1 / math.sqrt(2 * price) if epsilon is None else 1 / price
    if not 1e-300 <= scale <= 1e300:
        raise ValueError(f"{name} must give noise of a scale between 1e-300 and 1e300, got {given!r}")
    check.choice("method", method, ("tree", "honaker", "square_root"))
    rng = check.generator(rng)

    def noise(size, l1, l2):
        """Draw noise for sums of which one event changes some, by ``l1`` in all and by ``l2`` in Euclidean length."""
        if epsilon is not None:
            return l1 * scale * (rng.standard_exponential(size) - rng.standard_exponential(size))
        return l2 * scale * rng.standard_normal(size)

    if method == "square_root":
        error = _square_root(stream.size, noise)
    else:
        error = _tree(stream.size, noise, halves=method == "honaker")
    return check.like(values, np.cumsum(stream) + error)


def _square_root(steps, noise) -> np.ndarray:
    """Return A^(1/2) z: z convolved with the first column of A^(1/2), f_0 = 1 and f_k = f_(k - 1) (1 - 1 / (2k))."""
    column = np.cumprod(np.concatenate([[1.0], 1 - 0.5 / np.arange(1, steps)]))
    z = noise(steps, column.sum(), math.sqrt(column @ column))
    size = 2 * steps  # room enough that the circle of the transform does not close
    return np.fft.irfft(np.fft.rfft(column, size) * np.fft.rfft(z, size), size)[:steps]


def _tree(steps, noise, *, halves) -> np.ndarray:
    """Return for each prefix the noise of the nodes that make it up: one for each 1 in the step's binary number."""
    levels = steps.bit_length()
    ends = np.arange(1, steps + 1)
    error = np.zeros(steps)
    below, variance = np.zeros(0), 1.0
    for level in range(levels):
        node = noise(steps >> level, levels, math.sqrt(levels))
        if halves and level:
            # Own noise has variance 1, the sum of two halves 2 variance: weights by the inverse.
            own = 2 * variance / (2 * variance + 1)
            node = own * node + (1 - own) * below[: 2 * node.size].reshape(-1, 2).sum(axis=1)
            variance = own
        below = node
        # A prefix of t steps ends with the node number (t >> level) of this level if that number is odd.
        used = (ends >> level) % 2 == 1
        error[used] += node[(ends[used] >> level) - 1]
    return error
