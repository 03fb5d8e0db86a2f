"""How numbers between stops are mixed, by Python and by the page alike: a cubic through the nearest four."""

import numpy as np


def coordinates(stops, *, log: bool):
    """Return where the stops are along the way on which numbers are mixed."""
    return np.log(stops) if log else np.asarray(stops, float)


def nearest_four(line, place: float) -> list[tuple[int, float]]:
    """Return the stops around a place on the ``line``, each with its weight, as ``explore.js`` does.

    Lagrange's cubic through the nearest four, wherever they are; of fewer than four stops, the straight line.
    """
    line = np.asarray(line, float)
    low = int(np.clip(np.searchsorted(line, place, "right") - 1, 0, len(line) - 2))
    first, count = (low, 2) if len(line) < 4 else (int(np.clip(low - 1, 0, len(line) - 4)), 4)
    stops = range(first, first + count)
    return [(k, float(np.prod([(place - line[j]) / (line[k] - line[j]) for j in stops if j != k]))) for k in stops]
