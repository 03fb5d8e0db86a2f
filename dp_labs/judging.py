"""What the labs' checks share: an answer's type, tables of answers, and whether draws follow a distribution."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from unittest import mock

import numpy as np
import pandas as pd

from dp_helpers.queries import clip_norm

CLOSE = "close: round later, and give {} digits."
LISTS = set, frozenset, list, tuple, range, np.ndarray, pd.Series, pd.Index  # of line numbers
NONE = "give {}, not None; if your function gave nothing, it needs a return."


class NotYet(AssertionError):
    """Raised by a lab's or an assignment's check: the answer is not right yet; the message says what to look at."""


def number(answer) -> float:
    """Return the answer as a float, or say that a number is wanted."""
    if answer is None:
        raise NotYet(NONE.format("a number"))
    if isinstance(answer, tuple) and len(answer) > 1 and all(type(part) is int for part in answer):
        thousands = len(answer) > 2 or (answer[0] and answer[1] > 99)  # 27,202, not 0,5
        written = ("" if thousands else ".").join(map(str, answer))
        raise NotYet(f"write {written}, {'without the comma' if thousands else 'with a point'}.")
    if isinstance(answer, (np.ndarray, pd.Series)) and answer.size == 1:
        answer = answer.item()
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (Real, Decimal, np.integer, np.floating)):
        raise NotYet(f"give a number, not {type(answer).__name__}.")
    return float(answer)


def _no_nan(given: float) -> float:
    if math.isnan(given):
        raise NotYet("nan is no number: a step before it has no result, such as 0 / 0 or ∞ - ∞.")
    return given


def finite(answer) -> float:
    """Return what the reader's function returned as a finite number, or say that it isn't one."""
    given = number(answer)
    if not math.isfinite(given):
        raise NotYet(f"your function returned {given}; a finite number is wanted.")
    return given


def truth(answer) -> bool:
    """Return the reader's True or False, or say that one of them is wanted."""
    if not isinstance(answer, (bool, np.bool_)):
        raise NotYet(f"return True or False, not {type(answer).__name__ if np.ndim(answer) else repr(answer)}.")
    return bool(answer)


def pair(answer, what: str) -> tuple:
    """Return the two parts of the reader's answer, such as "(low, high)", or say that two are wanted."""
    if answer is None:
        raise NotYet(NONE.format(f"a pair, {what}"))
    if isinstance(answer, (str, Mapping)) or not hasattr(answer, "__len__") or len(answer) != 2:
        raise NotYet(f"give a pair, {what}, not {type(answer).__name__}.")
    return tuple(answer)


def array(answer, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return the reader's array or list of finite numbers; ``what`` says which, such as "one count for each day"."""
    if answer is None:
        raise NotYet(NONE.format(what))
    try:
        given = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise NotYet(f"give {what}: a list or an array of numbers.") from None
    if given.shape != shape:
        raise NotYet(f"give {what}: an array of shape {shape}, not {given.shape}.")
    if not np.isfinite(given).all():
        raise NotYet("some of your numbers are not finite.")
    return given


def binary(answer, shape: tuple[int, ...], what: str, otherwise: str) -> np.ndarray:
    """Return the reader's `array` of zeros and ones, or of False and True; ``otherwise`` is said of other numbers."""
    given = array(answer, shape, what)
    if not np.isin(given, [0, 1]).all():
        raise NotYet(otherwise)
    return given.astype(int)


def recoded(coarsen: Callable, table: pd.DataFrame, sources: Mapping[str, str], some: np.ndarray) -> pd.DataFrame:
    """Return what ``coarsen`` makes of a table: each column by its source alone, also if only ``some`` rows are there.

    ``sources`` maps the columns that are wanted to those that they are made of.
    """
    coarse, again = (coarsen(part.copy()) for part in (table, table.iloc[some]))
    for part, people in ((coarse, len(table)), (again, len(some))):
        if not isinstance(part, pd.DataFrame) or not set(sources) <= set(part.columns):
            raise NotYet(f"return a DataFrame with the columns {', '.join(sources)}.")
        if len(part) != people:
            raise NotYet(f"keep all {people:,} people of a table; yours has {len(part):,} rows.")
    shuffled = set(coarse.index) == set(table.index) and not coarse.index.equals(table.index)
    if shuffled or coarse.index.dtype.kind not in "iu" or not coarse.index.is_unique:
        raise NotYet("your rows stand in another order, or under other names: keep the table's, and nothing beside.")
    for rough, fine in sources.items():
        if coarse[rough].isna().any():
            raise NotYet(f"some values of {rough} are missing in your table; give them a coarser value.")
        values = coarse[rough].astype(str).to_numpy()
        if pd.Series(values).groupby(table[fine].to_numpy()).nunique().max() > 1:
            raise NotYet(f"{rough} may depend on {fine} alone; people with the same {fine} get different values.")
        if (values[some] != again[rough].astype(str).to_numpy()).any():
            raise NotYet(f"{rough} may depend on {fine} alone; with other people in the table, yours changes.")
    return coarse


def function(answer) -> Callable:
    """Return the answer, or say that a function is wanted."""
    if not callable(answer):
        raise NotYet(f"give the function itself, not {type(answer).__name__}.")
    return answer


def close(given: float, right: float) -> bool:
    """Tell whether a number that the reader computed is right to half a percent."""
    return math.isclose(given, right, rel_tol=5e-3)


def about(given: float, right: float) -> bool:
    """Tell whether a probability is right to half a percent, or to three decimals."""
    return close(given, right) or abs(given - right) <= 5.1e-4


def expect(given, right, mistakes: Iterable[tuple], otherwise: str, same: Callable = close, where: str = "") -> None:
    """Refuse what isn't the ``same`` as ``right``, with the sentence of the mistake that leads to it.

    ``mistakes`` are pairs (what it leads to, sentence); ``otherwise`` is said if it is none of them.  ``where`` begins
    the sentence.
    """
    if not same(given, right):
        why = next((sentence for wrong, sentence in mistakes if same(given, wrong)), otherwise)
        raise NotYet(f"{where} {why}".lstrip())


def alike(given, right) -> bool:
    """Tell whether two vectors are equal, up to rounding and next to no noise."""
    return np.allclose(given, right, rtol=1e-5, atol=1e-6)


def clipping_mistakes(each: np.ndarray, bound: float) -> list[tuple]:
    """Return what usual mistakes make of the sum of the clipped rows of ``each``, with their sentences."""
    total, lengths = each.sum(axis=0), np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-300)
    return [
        (total, "you don't clip these: a single long one may move the sum by any amount."),
        (clip_norm(total[None], bound)[0], "you clip the sum; clip each one before adding up."),
        (clip_norm(total[None], len(each) * bound)[0], "you clip the average; clip each one before adding up."),
        (np.clip(each, -bound, bound).sum(axis=0), "you clip coordinate by coordinate; the length is what counts."),
        ((each / lengths * bound).sum(axis=0), "you stretch short ones to the bound; clipping only shortens."),
    ]


def _within(given: float, right: float, digits: int) -> bool:
    """Tell whether ``given`` is ``right`` to half a percent, or to this number of significant digits."""
    unit = 10.0 ** (math.floor(math.log10(abs(right))) - digits + 1) if right else 0.01
    return abs(given - right) <= max(5e-3 * abs(right), 0.5 * unit * (1 + 1e-9) if digits < 3 or not right else 0)


def _nearly(given: float, right: float) -> bool:
    """Tell whether ``given`` is ``right`` to two digits or to 3%: no mistake in the method, only in the rounding."""
    return _within(given, right, 2) or math.isclose(given, right, rel_tol=0.03)


@dataclass(frozen=True)
class NumberLab:
    """A lab that asks for one number, as a table: the website reads it, and answers without a kernel.

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
            raise NotYet(self.lines(answer))
        return self.mended(answer)


def barred(name: str, why: str):
    """Return a decorator under which a function of the package refuses, as the lab's task is to write what it does."""
    return mock.patch(f"dp_helpers.{name}", mock.Mock(side_effect=NotYet(why)))


def fresh(draw: Callable[[np.random.Generator], object], runs: int = 11) -> None:
    """Refuse an answer that draws from anything else than the generator it gets: the same one has to give the same.

    ``draw`` uses the answer so often that in all ``runs`` another source doesn't repeat itself by chance.
    """
    one, again = ([repr(draw(rng)) for _ in range(runs)] for rng in map(np.random.default_rng, (0, 0)))
    if one != again:
        raise NotYet("the same rng gave another answer: draw from rng, and from nothing else.")


def margin(draws: int, failure: float = 1e-9) -> float:
    """Return how far a share among ``draws`` may be off (Hoeffding), except with probability ``failure``.

    The same bound holds for the largest distance between an empirical and the true distribution function
    (Dvoretzky, Kiefer, Wolfowitz 1956; Massart 1990).
    """
    return math.sqrt(math.log(2 / failure) / (2 * draws))


def follows(draws: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Tell whether ``draws`` may come from the distribution with this ``cdf``."""
    ordered = np.sort(draws)
    below, up_to = np.searchsorted(ordered, ordered, "left"), np.searchsorted(ordered, ordered, "right")
    expected = cdf(ordered)
    distance = max((up_to / len(draws) - expected).max(), (expected - below / len(draws)).max())
    return distance <= margin(len(draws))


def laplace_steps(steps: int) -> np.ndarray:
    """Return Laplace noise of scale 1 in so many equally likely steps."""
    middle = (np.arange(steps) + 0.5) / steps
    return np.where(middle < 0.5, np.log(2 * middle), -np.log(2 * (1 - middle)))


def laplace_cdf(x: np.ndarray, scale: float) -> np.ndarray:
    """Return the distribution function of Laplace noise."""
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)
