"""Labs as tables: numbers or lines that are right, and those that are wrong with a sentence each.

The website reads them, and answers without a kernel.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .answers import Found, NotYet, close, number

CLOSE = "close: round later, and give {} digits."
LISTS = set, frozenset, list, tuple, range, np.ndarray, pd.Series, pd.Index  # of line numbers


def _no_nan(given: float) -> float:
    if math.isnan(given):
        raise NotYet("nan is no number: a step before it has no result, such as 0 / 0 or ∞ - ∞.")
    return given


def _within(given: float, right: float, digits: int) -> bool:
    """Tell whether ``given`` is ``right`` to half a percent, or to this number of significant digits."""
    unit = 10.0 ** (math.floor(math.log10(abs(right))) - digits + 1) if right else 0.01
    return abs(given - right) <= max(5e-3 * abs(right), 0.5 * unit * (1 + 1e-9) if digits < 3 or not right else 0)


def _nearly(given: float, right: float) -> bool:
    """Tell whether ``given`` is ``right`` to two digits or to 3%: no mistake in the method, only in the rounding."""
    return _within(given, right, 2) or math.isclose(given, right, rel_tol=0.03)


@dataclass(frozen=True)
class NumberLab:
    """A lab that asks for one number.

    ``right`` is a number, or a pair (low, high) between which every number is right.  It has to be given to
    ``digits`` significant digits (3: half a percent).  ``mistakes`` maps numbers that somebody may come to by a
    mistake to the sentence that names it, also where such a number lies next to what is right; ``otherwise`` is said to
    all others.
    """

    right: float | tuple[float, float]
    praise: str
    mistakes: Mapping[float, str] = field(default_factory=dict)
    otherwise: str = "that isn't it yet."
    digits: int = 3

    def __call__(self, answer) -> str:
        """Judge an answer as `dp_helpers.check` does."""
        given = _no_nan(number(answer))
        low, high = self.right if isinstance(self.right, tuple) else (self.right, self.right)
        right = low <= given <= high or any(_within(given, end, self.digits) for end in (low, high))
        for wrong, sentence in self.mistakes.items():
            if math.isclose(given, wrong, rel_tol=1e-3 if right else 5e-3):
                raise NotYet(sentence)
        if right:
            return self.praise
        if _nearly(given, low) or _nearly(given, high):
            raise NotYet(CLOSE.format("two" if self.digits == 2 else "three"))
        raise NotYet(self.otherwise)


@dataclass(frozen=True)
class NumbersLab:
    """A lab that asks for several numbers, each with a name; otherwise as `NumberLab`.

    A mistake is a pair: the numbers, in which None stands for any, and the sentence.  ``otherwise`` may name the
    first number that is wrong as ``{name}``.
    """

    names: Sequence[str]
    right: Sequence[float]
    praise: str
    mistakes: Sequence[tuple[Sequence[float | None], str]] = ()
    otherwise: str = "look again at {name}."
    digits: int = 3

    def __call__(self, answer) -> str:
        """Judge an answer, a list or array in the order of the names, as `dp_helpers.check` does."""
        if isinstance(answer, Mapping):
            answer = [answer[name] for name in self.names if name in answer]
        if isinstance(answer, pd.Series) and set(answer.index) == set(self.names):
            answer = answer[list(self.names)]
        if isinstance(answer, pd.DataFrame) and 1 in answer.shape:  # iterated, it gives names
            answer = answer.to_numpy().ravel()
        try:
            given = [_no_nan(number(entry)) for entry in answer]
        except TypeError:
            given = []
        if len(given) != len(self.names):
            raise NotYet(f"give {len(self.names)} numbers: {', '.join(self.names)}.")
        both = [*zip(given, self.right, strict=True)]
        wrong = [name for name, (a, b) in zip(self.names, both, strict=True) if not _within(a, b, self.digits)]
        if not wrong:
            return self.praise
        for numbers, sentence in self.mistakes:
            if all(b is None or close(a, b) for a, b in zip(given, numbers, strict=True)):
                raise NotYet(sentence)
        if all(_nearly(a, b) for a, b in both):
            raise NotYet(CLOSE.format("two" if self.digits == 2 else "three"))
        raise NotYet(self.otherwise.format(name=wrong[0]))


@dataclass(frozen=True)
class LinesLab:
    """A lab that asks which of a program's ``lines`` are wrong; they count from 1.

    ``hints`` has the wrong ones, and what is said while one is missing; ``harmless`` has the innocent ones, and why
    they are.  A line that is in neither may be given or not.
    """

    lines: int
    hints: Mapping[int, str]
    harmless: Mapping[int, str]
    praise: str

    def __call__(self, answer) -> str:
        """Judge an answer, a set of line numbers, as `dp_helpers.check` does."""
        if not isinstance(answer, LISTS):
            raise NotYet("give a set of line numbers, such as {2, 5}.")
        given = {number(line) for line in answer}
        if not given <= set(range(1, self.lines + 1)):
            raise NotYet(f"the lines have the numbers 1 to {self.lines}.")
        for line, sentence in self.harmless.items():
            if line in given:
                raise NotYet(sentence)
        for line, hint in self.hints.items():
            if line not in given:
                raise NotYet(f"there is more to find: {hint}")
        return self.praise


@dataclass(frozen=True)
class MendLab:
    """A lab that asks to mend a program; its wrong ``lines`` may be given first, as on the website."""

    lines: LinesLab
    mended: Callable

    def __call__(self, answer) -> str:
        """Judge a mended program, or say whether the lines are found."""
        if isinstance(answer, LISTS):
            raise Found(self.lines(answer))
        return self.mended(answer)
