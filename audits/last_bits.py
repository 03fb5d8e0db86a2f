"""Chapter 16's event, which looks at the last bits of an answer near 0."""

import numpy as np


def fine(answers) -> np.ndarray:
    """Tell which are near 0, and no multiple of 2**-53."""
    near = np.abs(answers) < 1 / 4
    return near & ((np.asarray(answers) * 2.0**53) % 1 != 0)


def count_fine(run, one, zero, trials) -> tuple[int, int]:
    """Return how many of so many answers are fine on data whose exact answer is 1, and on data where it is 0.

    If the two data sets are neighbours and epsilon is 1, neither share may be more than e times the other.
    """
    return tuple(int(fine(np.array([run(data) for _ in range(trials)])).sum()) for data in (one, zero))
