"""How numbers between stops are mixed, by Python and by the page alike: by the polynomial through the nearest."""

import numpy as np


def coordinates(stops, *, log: bool):
    """Return where the stops are along the way on which numbers are mixed."""
    return np.log(stops) if log else np.asarray(stops, float)


def nearest(line, place: float, count: int = 4) -> list[tuple[int, float]]:
    """Return the stops around a place on the ``line``, each with its weight, as ``explore.js`` does.

    Lagrange's polynomial through the nearest, wherever they are: a cubic through four; of fewer stops, a straight line.
    """
    line = np.asarray(line, float)
    low = int(np.clip(np.searchsorted(line, place, "right") - 1, 0, len(line) - 2))
    if len(line) < count:
        stops = range(low, low + 2)
    else:
        first = int(np.clip(low + 1 - count // 2, 0, len(line) - count))
        stops = range(first, first + count)
    return [(k, float(np.prod([(place - line[j]) / (line[k] - line[j]) for j in stops if j != k]))) for k in stops]
