"""Checks of arguments, called first by every public function.

Each check returns the value in the form the caller computes with, or raises an error that names the
parameter, what it was given and what is allowed.  Wrong types raise ``TypeError``, wrong values ``ValueError``.
"""

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Number, Real
from types import NoneType

import numpy as np
import pandas as pd

Rng = np.random.Generator | None  # the type of every ``rng``: None draws fresh entropy


def positive(name: str, value) -> float:
    """Return ``value`` as a float; it must be finite and above 0."""
    return above(name, value, 0)


def above(name: str, value, limit: float) -> float:
    """Return ``value`` as a float; it must be finite and above ``limit``."""
    number = finite(name, value)
    if number <= limit:
        raise ValueError(f"{name} must be above {limit:g}, got {value!r}")
    return number


def at_least(name: str, value, minimum: float) -> float:
    """Return ``value`` as a float; it must be finite and at least ``minimum``."""
    number = finite(name, value)
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum:g}, got {value!r}")
    return number


def finite(name: str, value) -> float:
    """Return ``value`` as a float; it must be a finite real number."""
    # Python's own numbers are told at once; every audit asks hundreds of thousands of times.
    if type(value) not in (float, int) and (isinstance(value, _NO_NUMBERS) or not isinstance(value, Real)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:  # a whole number above 1e308
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def probability(name: str, value, *, zero: bool = True, one: bool = True) -> float:
    """Return ``value`` as a float between 0 and 1; ``zero`` and ``one`` say whether the ends are allowed."""
    number = finite(name, value)
    if not 0 <= number <= 1 or (number == 0 and not zero) or (number == 1 and not one):
        allowed = f"{'[' if zero else '('}0, 1{']' if one else ')'}"
        raise ValueError(f"{name} must be in {allowed}, got {value!r}")
    return number


def truthful(epsilon: float, chance: float) -> float:
    """Return the chance of a true report at this epsilon; float64 must tell it from 1, or nobody would ever lie."""
    if chance == 1:
        raise ValueError(f"epsilon must leave a lie a chance that float64 tells from 0, got {epsilon!r}")
    return chance


def integer(name: str, value, *, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as an int; it must be a whole number from ``minimum`` to ``maximum``, where that is given."""
    if isinstance(value, _NO_NUMBERS) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    number = int(value)
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value!r}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value!r}")
    return number


def whole(name: str, value, *, minimum: int) -> int:
    """Return ``value`` as an int, as `integer` does; a float that is whole will do, such as 50_000 / 4."""
    number = finite(name, value)
    return integer(
        name, value if isinstance(value, Integral) or not number.is_integer() else int(number), minimum=minimum
    )


def choice(name: str, value, allowed: Iterable):
    """Return the one of ``allowed`` that ``value`` is; True isn't 1, nor False 0."""
    options = list(allowed)
    comparable = pd.api.types.is_scalar(value) and not pd.isna(value)  # an array and pd.NA can't be looked for
    truth = isinstance(value, (bool, np.bool_))
    if not comparable or value not in options or truth != isinstance(options[0], bool):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return options[options.index(value)]


def bounds(lower, upper) -> tuple[float, float]:
    """Return ``(lower, upper)`` as floats; both must be finite and lower below upper."""
    low, high = finite("lower", lower), finite("upper", upper)
    if low >= high:
        raise ValueError(f"lower must be below upper, got lower={lower!r} and upper={upper!r}")
    if not math.isfinite(high - low):
        raise ValueError(f"lower and upper must be less than 1.8e308 apart, got lower={lower!r} and upper={upper!r}")
    if high - low < 1e-300:
        raise ValueError(f"lower and upper must be at least 1e-300 apart, got lower={lower!r} and upper={upper!r}")
    return low, high


def generator(rng) -> np.random.Generator:
    """Return ``rng``, or a generator with fresh entropy for None."""
    if rng is None:
        return np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator or None, got {rng!r}")
    return rng


def numbers(name: str, values, *, ndim: int | None = 1, empty: bool = True) -> np.ndarray:
    """Return ``values`` as a float64 array of finite numbers with ``ndim`` dimensions (None: any number of them)."""
    array = _array(name, values)
    if array.dtype == object:
        # An object column may well hold numbers only; text such as "39" is refused, though NumPy would convert it.
        array = array.copy()
        array[pd.isna(array)] = None  # pd.NA, which isn't a number, is then refused as not finite
        kinds = set(map(type, array.flat))
        if np.timedelta64 in kinds or not all(issubclass(kind, _NUMERIC_TYPES) for kind in kinds):
            raise TypeError(f"{name} must hold numbers only, got {_sample(values)}")
        try:
            array = array.astype(np.float64)
        except OverflowError:  # a whole number above 1e308
            raise ValueError(f"{name} must hold finite numbers only, of at most 1.8e308 in size") from None
    # An empty list has float dtype; strings, dates and complex numbers are refused, booleans count as 0 and 1.
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} must hold numbers only, got dtype {array.dtype}")
    shaped(name, array, ndim, empty=empty)
    array = array.astype(np.float64, copy=False)
    right = np.isfinite(array)
    if not right.all():
        raise ValueError(f"{name} must hold finite numbers only, got {array[~right][0]} ({int((~right).sum())} such)")
    return array


def integers(name: str, values, *, ndim: int | None = 1, largest: int = 2**62, empty: bool = True) -> np.ndarray:
    """Return ``values`` as an int64 array of ``ndim`` dimensions (None: any); none beyond ``largest`` in size."""
    array = _array(name, values)
    kind = pd.api.types.infer_dtype(array.ravel(), skipna=False) if array.dtype == object else array.dtype.kind
    if kind not in ("integer", "i", "u") and array.size:
        if pd.isna(array).any():
            raise ValueError(f"{name} must hold whole numbers only, got a missing value ({pd.isna(array).sum()} such)")
        raise TypeError(f"{name} must hold whole numbers only, of an integer type, got {_sample(values)}")
    shaped(name, array, ndim, empty=empty)
    if array.size and (array.max() > largest or array.min() < -largest):
        raise ValueError(f"{name} must hold whole numbers of at most {largest} in size, got {_sample(values)}")
    return array.astype(np.int64)


def unsigned(name: str, values) -> np.ndarray:
    """Return ``values`` as a uint64 array of any shape; they must be whole numbers from 0 to 2^64 - 1."""
    array = _array(name, values)
    if array.dtype.kind == "f":  # what NumPy makes of whole numbers where only some are beyond 2^63
        array = np.asarray(values.astype(object) if isinstance(values, pd.DataFrame) else values, dtype=object)
    kind = pd.api.types.infer_dtype(array.ravel(), skipna=False) if array.dtype == object else array.dtype.kind
    if kind not in ("integer", "i", "u") and array.size:
        raise TypeError(f"{name} must hold whole numbers only, got {_sample(values)}")
    return within(name, array, 0, 2**64 - 1).astype(np.uint64, copy=False)


def bits(name: str, values, *, ndim: int = 1, empty: bool = True) -> np.ndarray:
    """Return ``values`` as a boolean array of ``ndim`` dimensions; they must all be 0 or 1."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "bui"  # no need of a copy in floats
    array = _array(name, values) if whole else numbers(name, values, ndim=None)
    shaped(name, array, ndim, empty=empty)
    truth = array.astype(bool, copy=False)
    if (truth != array).any():
        raise ValueError(f"{name} must be 0 or 1 only, got {array[truth != array][0]}")
    return truth


def within(name: str, array: np.ndarray, low: float, high: float = math.inf) -> np.ndarray:
    """Return ``array``; all its numbers must lie from ``low`` to ``high``."""
    outside = (array < low) | (array > high)
    if outside.any():
        allowed = f"at least {low}" if high == math.inf else f"between {low} and {high}"
        raise ValueError(f"{name} must be {allowed}, got {array[outside][0]:.15g}")
    return array


def shaped(name: str, values, ndim: int | None = 1, *, empty: bool = True) -> None:
    """Refuse ``values`` that have not ``ndim`` dimensions (None: any number), as a list has one; or that are none."""
    if ndim is not None and getattr(values, "ndim", 1) != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim != 1)}, got shape {np.shape(values)}")
    if not empty and np.size(values) == 0:
        raise ValueError(f"{name} must not be empty")


def pairing(name: str, values, other_name: str, others) -> slice | np.ndarray:
    """Return what to index the numbers of ``values`` with, so that they stand in the order of ``others``.

    Where both have an index it must be the same.  A labelled one beside a list is matched where its labels are the
    list's members, and refused where only some are.  All else goes by position, and must be as many.
    """
    if len(values) != len(others):
        raise ValueError(f"{name} must be as many as {other_name}, got {len(values)} and {len(others)}")
    labelled = (pd.Series, pd.DataFrame)
    if isinstance(values, labelled) and isinstance(others, labelled):
        if not values.index.equals(others.index):
            raise ValueError(f"{name} must have the index of {other_name}, got two different ones")
    elif isinstance(values, labelled) and np.ndim(others) == 1:
        members = pd.Index(others if hasattr(others, "dtype") else list(others), tupleize_cols=False)
        found = _places(name, values.index, other_name, members)
        if found is not None:
            return found
        names = members.is_unique and not isinstance(values.index, pd.RangeIndex)  # rather than a column of data
        if names and not values.index.equals(members) and values.index.isin(members).any():
            raise ValueError(
                f"{name} must have the labels of {other_name} or none of them, got {_sample(list(values.index))}: "
                f"pass an array where it stands in the order of {other_name}"
            )
    return slice(None)


def columns_on(name: str, table, other_name: str, members: pd.Index) -> slice | np.ndarray:
    """Return what to index the columns of ``table`` with, so that they stand in the order of ``members``.

    Only a DataFrame has labels; columns that are numbered from 0, as a file's without a header, go by position.
    """
    if not isinstance(table, pd.DataFrame):
        return slice(None)
    return labels_on(name, table.columns, other_name, members)


def labels_on(name: str, labels: pd.Index, other_name: str, members: pd.Index) -> slice | np.ndarray:
    """Return what to index values with these ``labels`` with, so that they stand in the order of ``members``."""
    found = _places(name, labels, other_name, members)
    if found is not None:
        return found
    numbered = list(map(str, labels)) == list(map(str, range(len(labels))))
    if not numbered and not labels.equals(members):
        raise ValueError(f"{name} must be labelled by {other_name}, got the labels {_sample(list(labels))}")
    return slice(None)


def _places(name, labels: pd.Index, other_name: str, members: pd.Index) -> np.ndarray | None:
    """Return where each of ``members`` stands in ``labels``, or None where they aren't the same in another order."""
    if labels.equals(members) or len(labels) != len(members) or not (labels.is_unique and members.is_unique):
        return None
    places = labels.get_indexer(members)
    if (places < 0).any():
        return None
    if isinstance(labels, pd.RangeIndex):  # perhaps nobody's labels
        raise ValueError(
            f"{name} must say whether its numbering is that of {other_name}, which stand in another order: "
            f"pass an array, in their order"
        )
    return places


def like(original, array: np.ndarray):
    """Return ``array`` in the form of ``original``: same index and columns, or a Python number; for a list an array."""
    if isinstance(original, pd.DataFrame):
        return pd.DataFrame(array, index=original.index, columns=original.columns)
    if isinstance(original, pd.Series):
        return pd.Series(array, index=original.index, name=original.name)
    return array.item() if array.ndim == 0 else array


def frame(name: str, data, columns=None, *, empty: bool = True) -> pd.DataFrame:
    """Return ``data``; it must be a DataFrame that has all of ``columns``, and a row unless it may be ``empty``."""
    if not isinstance(data, pd.DataFrame):
        given = f"{type(data).__module__.split('.')[0]}.{type(data).__name__}"
        way = ": turn it into one with .to_pandas()" if hasattr(data, "to_pandas") else ""
        raise TypeError(f"{name} must be a pandas DataFrame, got {given.removeprefix('builtins.')}{way}")
    if columns is not None:
        missing = [column for column in columns if column not in data.columns]
        if missing:
            raise ValueError(f"{name} has no column {missing[0]!r}; it has {', '.join(map(repr, data.columns))}")
    if len(data) == 0 and not empty:
        raise ValueError(f"{name} must have at least one row, got none")
    return data


def column_names(name: str, columns) -> list:
    """Return ``columns`` as a list without repeats; one name is a list of one."""
    if isinstance(columns, (set, frozenset)):  # whose order, hence that of an output, would be arbitrary
        raise TypeError(f"{name} must be a list of names, got {_sample(columns)}")
    names = [columns] if isinstance(columns, str) or not isinstance(columns, Iterable) else list(columns)
    if not names:
        raise ValueError(f"{name} must name at least one column, got none")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must not name a column twice, got {names!r}")
    return names


def domain(name: str, values) -> pd.Index:
    """Return the public list of possible answers as an Index: at least one answer, none missing, none twice."""
    index = _index(name, values)
    if index.dtype == object and not all(map(pd.api.types.is_hashable, index)):
        raise TypeError(f"{name} must hold hashable answers only, got {_sample(values)}")
    if index.size == 0:
        raise ValueError(f"{name} must hold at least one answer, got none")
    if index.hasnans or (index.dtype == object and any(map(_lacks_a_part, index))):
        raise ValueError(f"{name} must not hold missing values; give a missing answer a symbol of its own")
    if not index.is_unique:
        raise ValueError(f"{name} must not hold an answer twice, got {index[index.duplicated()][0]!r} again")
    if isinstance(index, pd.IntervalIndex) and index.is_overlapping:
        raise ValueError(f"{name} must not hold intervals that overlap, got {_sample(list(index))}")
    return index


def _lacks_a_part(value) -> bool:
    return isinstance(value, tuple) and any(pd.api.types.is_scalar(part) and pd.isna(part) for part in value)


def of_kinds(name: str, index: pd.Index, other_name: str, others: pd.Index) -> None:
    """Refuse ``index`` if it holds a value of a kind that none of ``others`` is of: it could never be found there."""
    known = kinds(others)
    for value in index if known else ():
        if kind(value) not in known:
            raise TypeError(
                f"{name} must be of the kind of {other_name}, {' or '.join(sorted(known))}, "
                f"got {value!r}, which is a {kind(value)}"
            )
    of_types(name, index, other_name, others)


def of_types(name: str, index: pd.Index, other_name: str, others: pd.Index) -> None:
    """Refuse a number of another type than those of ``others`` that these can only come near, or take for another.

    The Decimal 0.1 is no float, nor is the float 0.1 a float32; and from 2^53 on, floats skip whole numbers.
    """
    types = _number_types(others)
    if not types or _number_types(index) <= types:
        return
    for value in np.asarray(index):
        if kind(value) == "number" and not any(_is_one(value, its_type) for its_type in types):
            names = " or ".join(sorted(its_type.__name__ for its_type in types))
            raise TypeError(
                f"{name} must be of the type of {other_name}, {names}, got {value!r}, which is none exactly: "
                f"turn one of them into the other's type"
            )


def _number_types(index: pd.Index) -> set[type]:
    """Return the types of the numbers of an index; all whole ones are int, as they are compared as what they are."""
    types = set(map(type, index)) if index.dtype == object else {index.dtype.type}
    names = {float: (float, np.float64), int: (int, np.integer)}
    known = {kept for kept, same in names.items() if any(issubclass(each, same) for each in types)} - {bool}
    return known | types & {np.float32, Decimal, Fraction}


def _is_one(value, its_type) -> bool:
    """Tell whether a number is one of another type, and all whole numbers about it are, too."""
    if not isinstance(value, (Real, Decimal)) or not math.isfinite(value):
        return True
    exact = _exactly(value)
    if exact.denominator == 1:
        return its_type in (Decimal, Fraction) or isinstance(value, Integral) == (its_type is int) or abs(exact) < 2**53
    if its_type is int:  # a number between them is simply not there
        return True
    nearest = its_type(str(float(value) if isinstance(value, Fraction) else value))
    return _exactly(nearest) == exact


def _exactly(number) -> Fraction:
    return Fraction(float(number) if isinstance(number, np.floating) else number)


def kinds(index: pd.Index) -> set[str]:
    """Return the kinds of the values of an index."""
    index = index.categories if isinstance(index, pd.CategoricalIndex) else index
    return set(map(kind, index if index.dtype == object else index[:1]))


def kind(value) -> str:
    """Return what a value is: only values of one kind can be equal to a reader, so True isn't 1, nor text a date."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, (bool, np.bool_)):
        return "truth value"
    if isinstance(value, (timedelta, np.timedelta64)):  # the latter is a number to Python
        return "span of time"
    if isinstance(value, (Number, Decimal)):
        return "number"
    if isinstance(value, tuple):
        return f"tuple of {', '.join(map(kind, value))}"
    if isinstance(value, pd.Interval):
        return f"interval closed {value.closed}"
    if isinstance(value, (datetime, np.datetime64)):
        return "time with a time zone" if getattr(value, "tzinfo", None) is not None else "time"
    return f"period of {value.freqstr}" if isinstance(value, pd.Period) else type(value).__name__


def told_apart_by_type(index: pd.Index):
    """Return a value that the index holds as text, too, such as 1 beside "1"; None where there is none."""
    if index.dtype != object:
        return None
    texts = {value for value in index if isinstance(value, str)}
    return next((value for value in index if not isinstance(value, str) and _written(value) & texts), None)


def _written(value) -> set[str]:
    """Return how a value may be written as text: a whole float without its point, a day without its midnight."""
    if isinstance(value, bytes):
        return {value.decode("latin-1")}
    text = str(value)
    return {text, f"{text}.0", text.removesuffix(".0"), text.removesuffix(" 00:00:00")}


def codes(name: str, values, categories: pd.Index, domain_name: str = "domain") -> np.ndarray:
    """Return the position in ``categories`` of each of ``values``, an integer array; each must be there."""
    answers = _index(name, values, copy=False)
    if {answers.dtype.kind, categories.dtype.kind} in ({"i", "f"}, {"u", "f"}):
        of_types(domain_name, categories, name, answers)
    positions = np.empty(answers.size, dtype=np.intp)
    try:
        for start in range(0, answers.size, _BLOCK):  # get_indexer needs several times the memory of its result
            positions[start : start + _BLOCK] = categories.get_indexer(answers[start : start + _BLOCK])
    except TypeError:  # a list or a dict among the answers
        raise TypeError(f"{name} must hold hashable answers only, got {_sample(values)}") from None
    outside = positions < 0
    if outside.any():
        first, such = answers[outside][0], int(outside.sum())
        if pd.isna(first):
            raise ValueError(
                f"{name} must not be missing ({such} such): drop these rows, or give a missing answer "
                f"a symbol of its own in the {domain_name}"
            )
        raise ValueError(f"{name} must hold answers of the {domain_name} only, got {first!r} ({such} such)")
    return positions


_BLOCK = 2**16  # answers looked up at a time
_FLOATS_WITHOUT_INDEX = {np.float16, np.longdouble}  # pandas has an index for float32 and float64 only

# Integral to Python or to NumPy, but epsilon=True is a mistake, and a span of time is as many of any unit.
_NO_NUMBERS = (bool, np.bool_, np.timedelta64)

# None stands for a missing number, which is then refused as not finite.
_NUMERIC_TYPES = (Real, Decimal, np.bool_, NoneType)


def unmasked(name: str, values) -> None:
    """Refuse a masked array, and a list of some: NumPy forgets the mask, and what it hides would count."""
    if np.ma.isMaskedArray(values) or (isinstance(values, (list, tuple)) and any(map(np.ma.isMaskedArray, values))):
        raise TypeError(f"{name} must not be a masked array: leave out what is masked, with .compressed()")


def _array(name: str, values) -> np.ndarray:
    unmasked(name, values)
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} must have rows of one length, got {_sample(values)}") from None


def _index(name: str, values, *, copy: bool = True) -> pd.Index:
    # A set is refused because its order, hence the order of an output, would be arbitrary.
    if isinstance(values, (str, bytes, set, frozenset)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of answers, got {_sample(values)}")
    unmasked(name, values)
    shaped(name, values)
    if not isinstance(values, (np.ndarray, pd.Index, pd.Series, pd.api.extensions.ExtensionArray)):
        # A list; or another library's, whose values Arrow calls its pylist.
        values = (
            values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        )  # not through np.asarray, which would turn the answers 1 and "a" both into text
        if not _FLOATS_WITHOUT_INDEX.isdisjoint(map(type, values)):
            values = [float(value) if type(value) in _FLOATS_WITHOUT_INDEX else value for value in values]
    elif values.dtype.type in _FLOATS_WITHOUT_INDEX:
        values = np.asarray(values, dtype=np.float64)
    index = pd.Index(values, copy=copy, tupleize_cols=False)
    # Categories are looked for as what they are.
    return index.astype(index.categories.dtype) if isinstance(index, pd.CategoricalIndex) else index


def _sample(values) -> str:
    text = repr(values)
    return text if len(text) <= 80 else text[:77] + "..."
