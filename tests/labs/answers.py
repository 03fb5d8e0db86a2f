"""Wrong answers to labs that are a right one with a mistake in it, and noise for answers."""

import inspect
from collections.abc import Callable

import numpy as np


def patched(answer: Callable, *changes: str) -> Callable:
    """Return the answer with other texts in the places of some, each of which its code has once: old, new, old, new."""
    code = inspect.getsource(answer)
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        if code.count(old) != 1:
            raise ValueError(f"{answer.__name__} has {old!r} {code.count(old)} times")
        code = code.replace(old, new)
    names = dict(answer.__globals__)
    exec(code, names)
    return names[answer.__name__]


def inverse(scale, rng):
    """Return Laplace noise by the inverse of its distribution function."""
    side = rng.random() - 0.5
    return -scale * np.sign(side) * np.log1p(-2 * abs(side))
