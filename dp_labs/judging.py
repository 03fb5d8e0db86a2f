"""What the labs' checks share: an answer's type, tables of answers, and whether draws follow a distribution."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from dp_helpers.queries import clip_norm

CLOSE = "close: round later, and give three digits."


class NotYet(AssertionError):
    """Raised by a lab's or an assignment's check: the answer is not right yet; the message says what to look at."""


def number(answer) -> float:
    """Return the answer as a float, or say that a number is wanted."""
    if isinstance(answer, tuple) and len(answer) > 1 and all(type(part) is int for part in answer):
        thousands = len(answer) > 2 or (answer[0] and answer[1] > 99)  # 27,202, not 0,5
        written = ("" if thousands else ".").join(map(str, answer))
        raise NotYet(f"write {written}, {'without the comma' if thousands else 'with a point'}.")
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (Real, np.number)):
        raise NotYet(f"give a number, not {type(answer).__name__}.")
    return float(answer)


def finite(answer) -> float:
    """Return what the reader's function returned as a finite number, or say that it isn't one."""
    if answer is None:
        raise NotYet("your function returned nothing: does it end in return?")
    given = number(answer)
    if not math.isfinite(given):
        raise NotYet(f"your function returned {given}; a finite number is wanted.")
    return given


def pair(answer, what: str) -> tuple[float, float]:
    """Return the two numbers of the reader's answer, or say that two are wanted."""
    if isinstance(answer, str) or not hasattr(answer, "__len__") or len(answer) != 2:
        raise NotYet(f"return {what} as a pair, not {type(answer).__name__}.")
    first, second = answer
    return number(first), number(second)


def one_each(given, n: int, what: str, whose: str) -> np.ndarray:
    """Return what the reader's function returned as an array of n finite numbers, such as a count for each day."""
    if given is None:
        raise NotYet("your function returned nothing: it needs a return.")
    try:
        given = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise NotYet(f"return a list of numbers, one for each {whose}.") from None
    if given.shape != (n,):
        raise NotYet(f"return one {what} for each {whose}, {n} in all; your answer has shape {given.shape}.")
    if not np.isfinite(given).all():
        raise NotYet(f"some of your {what}s are not finite numbers.")
    return given


def function(answer) -> Callable:
    """Return the answer, or say that a function is wanted."""
    if not callable(answer):
        raise NotYet(f"give the function itself, not {type(answer).__name__}.")
    return answer


def close(given: float, right: float) -> bool:
    """Tell whether a number that the reader computed is right to half a percent."""
    return math.isclose(given, right, rel_tol=5e-3)


def expect(given, right, mistakes: Iterable[tuple], otherwise: str, same: Callable = close) -> None:
    """Refuse what isn't the ``same`` as ``right``, with the sentence of the mistake that leads to it.

    ``mistakes`` are pairs (what it leads to, sentence); ``otherwise`` is said if it is none of them.
    """
    if not same(given, right):
        raise NotYet(next((sentence for wrong, sentence in mistakes if same(given, wrong)), otherwise))


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
        (
            np.clip(each, -bound, bound).sum(axis=0),
            "you clip coordinate by coordinate; the length of each one has to be at most the bound.",
        ),
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
    mistake to the sentence that names it; ``otherwise`` is said to all others.
    """

    right: float | tuple[float, float]
    praise: str
    mistakes: Mapping[float, str] = field(default_factory=dict)
    otherwise: str = "that isn't it yet."
    digits: int = 3

    def __call__(self, answer) -> str:
        """Judge an answer as `dp_helpers.check` does."""
        given = number(answer)
        low, high = self.right if isinstance(self.right, tuple) else (self.right, self.right)
        if low <= given <= high or any(_within(given, end, self.digits) for end in (low, high)):
            return self.praise
        for wrong, sentence in self.mistakes.items():
            if close(given, wrong):
                raise NotYet(sentence)
        if _nearly(given, low) or _nearly(given, high):
            raise NotYet(CLOSE)
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
            answer = [answer.get(name) for name in self.names]
        try:
            given = [number(entry) for entry in answer]
        except TypeError:
            given = []
        if len(given) != len(self.names):
            raise NotYet(f"give {len(self.names)} numbers: {', '.join(self.names)}.")
        wrong = [
            (name, a, b)
            for name, a, b in zip(self.names, given, self.right, strict=True)
            if not _within(a, b, self.digits)
        ]
        if not wrong:
            return self.praise
        for numbers, sentence in self.mistakes:
            if all(b is None or close(a, b) for a, b in zip(given, numbers, strict=True)):
                raise NotYet(sentence)
        if all(_nearly(a, b) for _, a, b in wrong):
            raise NotYet(CLOSE)
        raise NotYet(self.otherwise.format(name=wrong[0][0]))


@dataclass(frozen=True)
class ChoiceLab:
    """A lab that asks for one of several ``options``; each wrong one is mapped to the sentence that says why not."""

    right: str
    options: Mapping[str, str]
    praise: str

    def __call__(self, answer) -> str:
        """Judge an answer, one of the options as a string, as `dp_helpers.check` does."""
        given = str(answer).strip().lower()
        if given == self.right.lower():
            return self.praise
        for option, sentence in self.options.items():
            if given == option.lower():
                raise NotYet(sentence)
        raise NotYet(f"give one of {', '.join(map(repr, sorted([self.right, *self.options])))}.")


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
        if not isinstance(answer, (set, frozenset, list, tuple, range, np.ndarray)):
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
        if isinstance(answer, (set, frozenset, list, tuple)):
            raise NotYet(self.lines(answer))
        return self.mended(answer)


def draws_from(draw: Callable[[np.random.Generator], Iterable]) -> None:
    """Refuse an answer that draws from anything else than the generator it gets: the same one has to give the same.

    ``draw`` uses the answer so often that another source doesn't repeat itself by chance.
    """
    one, again = (list(draw(np.random.default_rng(0))) for _ in range(2))
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


def laplace_cdf(x: np.ndarray, scale: float) -> np.ndarray:
    """Return the distribution function of Laplace noise."""
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)
