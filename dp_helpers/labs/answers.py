"""What the labs' checks share: an answer's type, and whether draws follow a distribution."""

import math
from collections.abc import Callable
from numbers import Real

import numpy as np


class NotYet(Exception):
    """Raised by a lab's check: the answer is not right yet; the message says what to look at."""


def number(answer) -> float:
    """Return the answer as a float, or say that a number is wanted."""
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (Real, np.number)):
        raise NotYet(f"give a number, not {type(answer).__name__}.")
    return float(answer)


def function(answer) -> Callable:
    """Return the answer, or say that a function is wanted."""
    if not callable(answer):
        raise NotYet(f"give the function itself, not {type(answer).__name__}.")
    return answer


def close(given: float, right: float) -> bool:
    """Tell whether a number that the reader computed is right to half a percent."""
    return math.isclose(given, right, rel_tol=5e-3)


def margin(draws: int, failure: float = 1e-9) -> float:
    """Return how far a share among ``draws`` may be off (Hoeffding), except with probability ``failure``.

    The same bound holds for the largest distance between an empirical and the true distribution function
    (Dvoretzky, Kiefer, Wolfowitz 1956; Massart 1990).
    """
    return math.sqrt(math.log(2 / failure) / (2 * draws))


def follows(draws: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Tell whether ``draws`` may come from the distribution with this ``cdf``."""
    ordered = np.sort(draws)
    below, up_to = np.searchsorted(ordered, ordered, "left"), np.searchsorted(ordered, ordered, "right")
    expected = cdf(ordered)
    distance = max((up_to / len(draws) - expected).max(), (expected - below / len(draws)).max())
    return distance <= margin(len(draws))


def laplace_cdf(x: np.ndarray, scale: float) -> np.ndarray:
    """Return the distribution function of Laplace noise."""
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)
