"""Changes that are drawn: of each family of ``reviews/families`` a version with a story, names, numbers and a verdict.

A family's functions are real code with stand-in names (``values``, ``BOUND``), in whose places ``draw`` puts others.
The same code may keep its promise and break it: what decides is drawn, too, and often stands outside the code.
"""

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

import dp_helpers as dp
from reviews import families
from reviews.evidence import NoNoise, additive_loss, gaussian_epsilon, largest_ratio
from reviews.review import Item, Review


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What a family draws.

    ``words`` replaces stand-in names in the code and in the lines of ``review``; ``code`` has the functions by name.
    ``pairs`` are neighbours on which ``loss(version, which, data, neighbour)`` computes ε exactly, and ``post`` makes
    the output of what ``released`` draws.
    """

    title: str
    words: Mapping[str, Any]
    code: Mapping[str, Callable]
    review: Review
    pairs: list
    loss: Callable | None = None
    post: Callable | None = None


@dataclass(frozen=True)
class Version(Item):
    """A drawn change: an item whose code was filled in."""

    drawn: Drawn
    sources: Mapping[str, str]

    def code(self, which: str) -> list[str]:
        """Return the lines of ``before``, ``after`` or ``mended``, as a reader sees them."""
        return re.sub(r"^def \w+\(", "def release(", self.sources[which]).splitlines()

    def loss(self, which: str, data, neighbour, **more) -> float:
        """Return the exact ε of one of the functions on two tables."""
        if self.drawn.loss:
            return self.drawn.loss(self, which, data, neighbour, **more)
        return additive_loss(lambda table, rng: self.run(which, table, rng, **more), data, neighbour)


def make(family: ModuleType, form: str, rng: np.random.Generator) -> Version:
    """Return a version of a family with this verdict."""
    drawn = family.draw(rng, form)
    sources = {name: filled(inspect.getsource(function), drawn.words) for name, function in drawn.code.items()}
    module = ModuleType(family.__name__, drawn.title)
    for name, text in sources.items():
        space = {"np": np, "pd": pd, "dp": dp}
        exec(re.sub(r"^def \w+\(", f"def {name}(", text), space)
        setattr(module, name, space[name])
    review = drawn.review
    lines = {name: tuple(filled(line, drawn.words) for line in getattr(review, name)) for name in ("lines", "also")}
    return Version(module, Review(**(vars(review) | lines)), drawn, sources)


def filled(text: str, words: Mapping[str, Any]) -> str:
    """Return code with other names and numbers in the places of those that stand in for them."""
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b"
    return re.sub(pattern, lambda found: str(words[found[0]]), text) if words else text


def pick(rng: np.random.Generator, choices):
    """Return one of the choices as it is, and not as an array's."""
    return choices[int(rng.integers(len(choices)))]


@cache
def load_families() -> tuple[ModuleType, ...]:
    """Return all families, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(families.__path__))
    return tuple(importlib.import_module(f"reviews.families.{name}") for name in names)


def draw_ten(rng: np.random.Generator) -> list[Version]:
    """Return ten versions of ten families: of one or two nothing can be said, four to six break their promise."""
    every = [*load_families()]
    undecided = [family for family in every if "can't be said" in family.FORMS]
    chosen = [undecided[place] for place in rng.permutation(len(undecided))[: rng.integers(1, 3)]]
    others = [family for family in every if family not in chosen]
    others = [others[place] for place in rng.permutation(len(others))[: 10 - len(chosen)]]
    breaks = int(rng.integers(4, 7))
    forms = ["can't be said"] * len(chosen) + ["breaks"] * breaks + ["keeps"] * (len(others) - breaks)
    versions = [make(family, form, rng) for family, form in zip(chosen + others, forms, strict=True)]
    return [versions[place] for place in rng.permutation(10)]


def gaussian_loss(version: Version, which: str, data, neighbour) -> float:
    """Return the ε, at the version's δ, of normal noise of one size on each number."""
    answers, sigmas = [], []
    for table in (data, neighbour):
        rng = NoNoise()
        answers.append(np.asarray(version.run(which, table, rng)))
        sigmas += rng.deviations
    if len(sigmas) != 2 or sigmas[0] != sigmas[1]:
        raise ValueError(f"noise must be drawn once, and be the same on both tables, got deviations {sigmas}")
    return gaussian_epsilon(math.dist(*answers) / sigmas[0], version.review.delta)


def chosen_loss(version: Version, which: str, data, neighbour) -> float:
    """Return the ε of one choice by ``rng.choice``: the largest log ratio of a candidate's chances."""
    chances = []

    class Recorder(NoNoise):
        """Stands for a generator; it writes the chances down."""

        def choice(self, number, p):
            """Return the first."""
            chances.append(np.asarray(p))
            return 0

    for table in (data, neighbour):
        version.run(which, table, Recorder())
    return largest_ratio(*chances)
