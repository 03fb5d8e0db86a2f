"""Independent coins, for about a random byte each."""

from __future__ import annotations

import math

import numpy as np


def coins(chance: float, shape, rng: np.random.Generator) -> np.ndarray:
    """Return independent booleans, each True with probability ``chance``, for about one random byte each.

    A byte that is below the whole part of 256 * chance is True.  That is short of ``chance`` by less than 1/256, which
    "balls" make up for: a Poisson number of them, each thrown at any cell, turns the cells that are hit True, each
    independently of the others.  Together the probability is exactly ``chance``.
    """
    if chance > 0.5:
        return ~coins(1 - chance, shape, rng)
    cells = math.prod(shape)
    words = rng.integers(2**64, size=-(-cells // 8), dtype=np.uint64)
    rest, whole = math.modf(256 * chance)
    heads = words.view(np.uint8)[:cells] < int(whole)
    # So many that a cell is hit with probability rest / (256 - whole).
    balls = rng.poisson(-cells * math.log1p(-rest / (256 - whole)))
    heads[rng.integers(cells, size=balls)] = True
    return heads.reshape(shape)
