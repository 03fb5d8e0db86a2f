"""What an answer is: its type and form, the mistakes that lead to a wrong one, and what it may not use."""

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from numbers import Real
from types import CodeType, FunctionType

import numpy as np
import pandas as pd

import dp_helpers

SALTED = "Python's hash of a text is another one in every session. Take one from hashlib."
NONE = "give {}, not None; if your function gave nothing, it needs a return."


class NotYet(AssertionError):
    """Raised by a lab's or an assignment's check: the answer is not right yet; the message says what to look at."""


class Found(NotYet):
    """Raised by a lab's check: the answer names what is wrong, and doesn't mend it yet."""


def number(answer) -> float:
    """Return the answer as a float, or say that a number is wanted."""
    _unmasked(answer)
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


def _unmasked(answer) -> None:
    if np.ma.isMaskedArray(answer):  # NumPy forgets the mask, and what it hides would count
        raise NotYet("give numbers without a mask: leave out what is masked, with .compressed().")


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


def pair(answer, description: str) -> tuple:
    """Return the two parts of the reader's answer, such as "(low, high)", or say that two are wanted."""
    if answer is None:
        raise NotYet(NONE.format(f"a pair, {description}"))
    if isinstance(answer, (str, Mapping)) or not hasattr(answer, "__len__") or len(answer) != 2:
        raise NotYet(f"give a pair, {description}, not {type(answer).__name__}.")
    return tuple(answer)


def array(answer, shape: tuple[int, ...], description: str) -> np.ndarray:
    """Return the reader's array or list of finite numbers; ``description`` is such as "one count for each day"."""
    _unmasked(answer)
    if answer is None:
        raise NotYet(NONE.format(description))
    try:
        given = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise NotYet(f"give {description}: a list or an array of numbers.") from None
    if given.shape != shape:
        raise NotYet(f"give {description}: an array of shape {shape}, not {given.shape}.")
    if not np.isfinite(given).all():
        raise NotYet("some of your numbers are not finite.")
    return given


def binary(answer, shape: tuple[int, ...], description: str, otherwise: str) -> np.ndarray:
    """Return the reader's `array` of zeros and ones, or of False and True; ``otherwise`` is said of other numbers."""
    given = array(answer, shape, description)
    if not np.isin(given, [0, 1]).all():
        raise NotYet(otherwise)
    return given.astype(int)


def recoded(coarsen: Callable, table: pd.DataFrame, sources: Mapping[str, str], rows: np.ndarray) -> pd.DataFrame:
    """Return what ``coarsen`` makes of a table: each column by its source alone, also if only these ``rows`` are there.

    ``sources`` maps the columns that are wanted to those that they are made of.
    """
    coarse, coarse_rows = (coarsen(part.copy()) for part in (table, table.iloc[rows]))
    for part, people in ((coarse, len(table)), (coarse_rows, len(rows))):
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
        if (values[rows] != coarse_rows[rough].astype(str).to_numpy()).any():
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


def _own_functions(answer) -> dict[int, FunctionType]:
    """Return the functions of an answer: itself, those in it, and those beside it that their codes name."""
    found, left = {}, [answer]
    while left:
        part = left.pop()
        for wrapper in ("func", "__func__", "__wrapped__"):  # of a partial, of a method, of lru_cache
            part = getattr(part, wrapper, part)
        if not isinstance(part, FunctionType):  # an object that may be called
            part = vars(type(part)).get("__call__")
        if isinstance(part, FunctionType) and id(part) not in found:
            found[id(part)] = part
            values = read_by(part).values()
            left += [value for value in values if _beside(value, part)]
    return found


def _beside(value, function) -> bool:
    """Tell whether a value is a function from where another one is: the reader's own, and no library's."""
    return getattr(getattr(value, "__wrapped__", value), "__globals__", None) is function.__globals__


def _codes(function) -> list[CodeType]:
    """Return a function's code, and that of the functions in it."""
    codes = [function.__code__]
    for code in codes:
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
    return codes


def read_by(function) -> dict[str, object]:
    """Return what a function finds outside itself: the variables beside it that its code names, and its defaults."""
    names = {name for code in _codes(function) for name in code.co_names}
    found = {name: value for name, value in function.__globals__.items() if name in names}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found |= {name: cell.cell_contents for name, cell in cells}
    return found | {f"a default of {function.__name__}": value for value in function.__defaults__ or ()}


def reads(answer) -> dict[str, object]:
    """Return what an answer's functions find outside themselves."""
    return {name: value for part in _own_functions(answer).values() for name, value in read_by(part).items()}


def uses(answer, *names: str) -> bool:
    """Tell whether an answer's functions name one of these functions of Python."""
    codes = [code for part in _own_functions(answer).values() for code in _codes(part)]
    return any(name in code.co_names for name in names for code in codes)


@contextmanager
def without_salted_hash(answer):
    """Refuse an answer that takes Python's hash of a text, while it is called: each process has another one.

    That of numbers is the same everywhere.
    """

    def hashed(value):
        if _holds_text(value):
            raise NotYet(SALTED)
        return hash(value)

    if uses(answer, "__hash__"):
        raise NotYet(SALTED)
    spaces = {id(part.__globals__): part.__globals__ for part in _own_functions(answer).values()}
    changed = [space for space in spaces.values() if "hash" not in space]
    for space in changed:
        space["hash"] = hashed
    try:
        yield
    finally:
        for space in changed:
            del space["hash"]


def _holds_text(value) -> bool:
    parts = value if isinstance(value, (tuple, frozenset)) else ()
    return isinstance(value, (str, bytes)) or any(map(_holds_text, parts))


def alike(given, right) -> bool:
    """Tell whether two vectors are equal, up to rounding and next to no noise."""
    return np.allclose(given, right, rtol=1e-5, atol=1e-6)


@contextmanager
def replaced(answer, name: str, by):
    """Let a public function of dp_helpers be another one, also where an answer has it by its name alone."""
    real, parts = getattr(dp_helpers, name), answer if isinstance(answer, (tuple, list)) else (answer,)
    spaces = [vars(dp_helpers), *(getattr(part, "__globals__", {}) for part in parts)]
    places = [(space, key) for space in spaces for key, value in space.items() if value is real]
    for space, key in places:
        space[key] = by
    try:
        yield
    finally:
        for space, key in places:
            space[key] = real


PROTOCOLS = (
    "DirectEncoding",
    "HistogramEncoding",
    "LocalHashing",
    "RandomizedResponse",
    "ThresholdHistogramEncoding",
    "UnaryEncoding",
)


class _Refusing:
    """Stands for a function or a class that the lab asks to write."""

    def __init__(self, why):
        self._why = why

    def __call__(self, *args, **named):
        raise NotYet(self._why)

    def __getattr__(self, name):
        raise NotYet(self._why)


def barred(*names: str, why: str) -> Callable:
    """Return a decorator of a check under which these functions of the package refuse: the task is to write one."""

    def barring(check):
        @functools.wraps(check)
        def barred_check(answer):
            with ExitStack() as stack:
                for name in names:
                    stack.enter_context(replaced(answer, name, _Refusing(why)))
                return check(answer)

        return barred_check

    return barring


def leaves_alone(call: Callable, given: np.ndarray) -> None:
    """Refuse an answer that changes the array that it is given."""
    kept = given.copy()
    call(kept)
    if not np.array_equal(kept, given):
        raise NotYet("your function must leave its input as it is: it changed the array that it was given.")
