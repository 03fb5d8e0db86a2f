"""Zeros and ones: independent coins for about a random byte each, and the check of bits from outside."""

from __future__ import annotations

import math

import numpy as np

from dp_helpers import validation as check


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
    balls = rng.poisson(
        -cells * math.log1p(-rest / (256 - whole))
    )  # a cell is hit with probability rest / (256 - whole)
    heads[rng.integers(cells, size=balls)] = True
    return heads.reshape(shape)


def zeros_and_ones(name: str, values, *, ndim: int) -> np.ndarray:
    """Return ``values`` as booleans; they must all be 0 or 1."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "bui"  # no need of a copy in floats
    array = values if whole else check.numbers(name, values, ndim=None)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, got shape {array.shape}")
    bits = array.astype(bool, copy=False)
    if (bits != array).any():
        raise ValueError(f"{name} must be 0 or 1 only, got {array[bits != array][0]}")
    return bits
