"""Two small algorithms that several modules need: a bisection, and the mixing of bits of SplitMix64."""

from collections.abc import Callable

import numpy as np


def bisect(too_low: Callable[[float], bool], below: float, above: float, *, precision: float = 0.0):
    """Return the two ends between which ``too_low`` turns from True to False, as close together as floats allow.

    With a ``precision`` the ends may stay that far apart, as a part of the upper one.

    >>> bisect(lambda x: x * x < 2, 0.0, 2.0, precision=1e-3)[1] > 2**0.5
    True
    """
    while above - below > precision * abs(above) and below < (middle := (below + above) / 2) < above:
        if too_low(middle):
            below = middle
        else:
            above = middle
    return below, above


def splitmix64(seeds: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the numbers at these positions, from 0, of the streams of the random number generator SplitMix64.

    Seeds and positions are arrays of uint64; over a random seed, each number is uniform on 64 bits.

    References
    ----------
    Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
    """
    state = seeds + (positions + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state ^= state >> np.uint64(30)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    state *= np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state
