"""What a change to review consists of, and the list of all of them.

A file of ``reviews/items`` has the functions ``before``, ``after`` and, where the change breaks its promise,
``mended``.  They take data, parameters and ``rng``; readers see them as one function ``release``.  Of what is sound,
either the additive noise can be read off it (or off ``released``, which ``post`` takes to the output), or
``sound_epsilon`` computes its loss.  ``broken_epsilon`` computes what a broken one really has, without an audit.
"""

import difflib
import importlib
import inspect
import itertools
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from reviews import items

VERDICTS = ("keeps", "breaks", "can't be said")
KINDS = (
    "sensitivity",
    "unit",
    "composition",
    "sampling",
    "data-dependent parameter",
    "randomness",
    "post-processing",
    "floats",
)


@dataclass(frozen=True, kw_only=True)
class Review:
    """A change, what it must keep, the answer and the evidence.

    ``lines`` are the lines of the new code on which it hangs, ``also`` those that are accepted, too.  ``completions``
    has, of a change of which nothing can be said, what would make it keep and break its promise: in words, and as
    arguments, or as ``data`` and ``neighbour``.
    """

    change: str
    promise: str
    unit: str
    public: str
    parameters: Mapping[str, Any]
    parameters_before: Mapping[str, Any] | None = None
    delta: float = 0.0
    verdict: str
    lines: tuple[str, ...]
    also: tuple[str, ...] = ()
    reason: str
    mending: str = ""
    kind: str
    chapter: int
    first: bool = False
    source: str
    data: Any
    neighbour: Any
    event: str = ""
    happens: Callable[[Any], bool] | None = None
    trials: int = 0
    completions: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None

    @property
    def epsilon(self) -> float:
        """Return the ε that is claimed."""
        return self.parameters["epsilon"]


@dataclass(frozen=True)
class Item:
    """A review with its module, from which its code is read."""

    module: ModuleType
    review: Review

    @property
    def name(self) -> str:
        """Return the name that stays when the order changes: the file's, without its number."""
        return re.sub(r"^r\d+_", "", self.module.__name__.rpartition(".")[2]).replace("_", "-")

    @property
    def title(self) -> str:
        """Return the title, without its full stop."""
        return self.module.__doc__.strip().removesuffix(".")

    def code(self, which: str) -> list[str]:
        """Return the lines of ``before``, ``after`` or ``mended``, as a reader sees them."""
        source = inspect.getsource(getattr(self.module, which)).rstrip()
        return re.sub(r"^def \w+\(", "def release(", source).splitlines()  # ``mended`` may be ``before``

    def diff(self) -> list[tuple[str, str]]:
        """Return the change: pairs of a sign (" ", "-", "+") and a line, without lines that only separate."""
        compared = difflib.ndiff(self.code("before"), self.code("after"))
        lines = [(line[0], line[2:]) for line in compared if line[0] != "?" and line[2:].strip()]
        runs = itertools.groupby(lines, key=lambda line: line[0] == " ")
        # What goes stands before what comes in its place.
        return [line for same, run in runs for line in (run if same else sorted(run, key=lambda line: line[0] == "+"))]

    def right_lines(self) -> list[int]:
        """Return the places in the change of the lines that are accepted: all of them, where it keeps its promise."""
        accepted, keeps = {*self.review.lines, *self.review.also}, self.review.verdict == "keeps"
        new = [(place, line.strip()) for place, (sign, line) in enumerate(self.diff()) if sign != "-"]
        return [place for place, line in new if keeps or line in accepted]

    def line(self) -> int:
        """Return the place of the line that the answer names."""
        return [line.strip() if sign != "-" else "" for sign, line in self.diff()].index(self.review.lines[0])

    def run(self, which: str, data, rng, **more):
        """Return what ``before``, ``after``, ``mended`` or ``released`` makes of these data."""
        parameters = self.review.parameters
        if which == "before" and self.review.parameters_before is not None:
            parameters = self.review.parameters_before
        return getattr(self.module, which)(data, **parameters, **more, rng=rng)


@cache
def load() -> tuple[Item, ...]:
    """Return all items in their order."""
    names = sorted(module.name for module in pkgutil.iter_modules(items.__path__))
    modules = [importlib.import_module(f"reviews.items.{name}") for name in names]
    return tuple(Item(module, module.REVIEW) for module in modules)
