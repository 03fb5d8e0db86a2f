"""Checks of arguments: each names the argument, what it was given and what is allowed."""

import math
from collections.abc import Iterable
from numbers import Integral, Real


def number(name: str, value) -> float:
    """Return ``value`` as a float; it must be a finite real number."""
    # bool is an Integral to Python, but a slider from False to True is a mistake.
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def whole(name: str, value, *, minimum: int) -> int:
    """Return ``value`` as an int; it must be a whole number, at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value!r}")
    return int(value)


def one_of(name: str, value, allowed: Iterable):
    """Return ``value``; it must be one of ``allowed``."""
    options = list(allowed)
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def sentence(name: str, text) -> str:
    """Return the text on one line; it must be a text that isn't empty."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a sentence, got {text!r}")
    if not text.strip():
        raise ValueError(f"{name} must be a sentence, got an empty text")
    return " ".join(text.split())
