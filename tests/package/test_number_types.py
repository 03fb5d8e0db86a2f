"""A number means the same in every type that a caller may hold: over all public functions, by the table ``CALLS``."""

import ast
import copy
import pickle
from array import array
from collections import deque
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_bad_input import CALLS, Anything, arguments

import dp_helpers as dp

WHOLE = [np.int8, np.int16, np.int32, np.int64, np.uint8]
TYPES = [*WHOLE, np.float16, np.float32, np.longdouble]


def given_as(wanted):
    """Return name and parameter of each call in the table whose right value is ``wanted``."""
    return [
        (name, parameter)
        for name, (_, given) in CALLS.items()
        if "," not in name  # a variant of another call
        for parameter, right in given.items()
        if not isinstance(right, Anything) and wanted(right[0])
    ]


def is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def holds_numbers(value):
    return isinstance(value, list) and np.asarray(value).dtype.kind in "if"


def tried(kind, value):
    """Return numbers that this type can hold: the right value, and where it is of whole numbers its ends."""
    if kind not in WHOLE:
        return [float(kind(value))]
    ends = [np.iinfo(kind).min, *([np.iinfo(kind).max] if kind in (np.int8, np.uint8) else [])]  # not 2^31 steps
    held = range(np.iinfo(kind).min, np.iinfo(kind).max + 1)
    return [int(number) for number in [value, *ends] if number == int(number) and int(number) in held]


SLOW_ABOVE_A_FEW = ("shuffled_epsilon", "epsilon"), ("audit", "trials"), ("noise_multiplier", "epsilon")


def outcome(name, parameter, value):
    """Return what the call returns, with fresh randomness of one seed, or the type of its refusal."""
    function = copy.deepcopy(CALLS[name][0])  # with its object: a ledger remembers
    try:
        return pickle.dumps(function(**arguments(name, **{parameter: value})))
    except (TypeError, ValueError, dp.BudgetExceeded) as refused:
        return type(refused)


@pytest.mark.parametrize(("name", "parameter"), given_as(is_number))
@pytest.mark.filterwarnings("error")  # NumPy warns where its numbers wrap
def test_a_number_of_any_type_means_the_number(name, parameter):
    value = CALLS[name][1][parameter][0]
    expected = {}
    for kind in TYPES:
        for number in tried(kind, value):
            if (name, parameter) in SLOW_ABOVE_A_FEW and number > 100:
                continue
            known = type(number), number  # 2.0 is refused where a whole number is wanted
            if known not in expected:
                expected[known] = outcome(name, parameter, number)
            assert outcome(name, parameter, kind(number)) == expected[known], (kind, number)


@pytest.mark.parametrize(("name", "parameter"), given_as(holds_numbers))
def test_an_array_of_any_type_means_its_numbers(name, parameter):
    values = np.array(CALLS[name][1][parameter][0])
    for known, kinds in [(np.int64, WHOLE), (np.float64, [kind for kind in TYPES if kind not in WHOLE])]:
        expected = outcome(name, parameter, values.astype(known))  # floats are refused where whole numbers are wanted
        for kind in kinds:
            if np.array_equal(values.astype(kind), values):
                assert outcome(name, parameter, values.astype(kind)) == expected, kind


def read_only(values):
    values = np.array(values)
    values.setflags(write=False)
    return values


# A name for each: lists, arrays as they come from files and other programs, and what pandas and Python hold numbers in.
SAME_NUMBERS = {
    "tuple": lambda values: tuple(values.tolist()),
    "objects": lambda values: values.astype(object),
    "read-only": read_only,
    "every other": lambda values: np.repeat(values, 2, axis=0)[::2],
    "backwards": lambda values: values[::-1].copy()[::-1],
    "by columns": np.asfortranarray,
    "other byte order": lambda values: values.astype(values.dtype.newbyteorder()),
    "row by row": list,
}
OTHER_FORMS = {
    "nullable": lambda values: pd.array(values),
    "Index": pd.Index,
    "Series": lambda values: pd.Series(values, index=[f"row {i}" for i in range(len(values))]),
    "twice the same label": lambda values: pd.Series(values, index=["row"] * len(values)),
    "categories": lambda values: pd.Categorical(values, categories=[*dict.fromkeys(values), 99]),
    "sparse": pd.arrays.SparseArray,
    "Fraction": lambda values: [Fraction(value) for value in values.tolist()],
    "Decimal": lambda values: [Decimal(value) for value in values.tolist()],
    "array": lambda values: array("d" if values.dtype.kind == "f" else "q", values.tolist()),
    "deque": lambda values: deque(values.tolist()),
}


def plain(result):
    """Return what a call returned as lists and numbers: the form, and what labels it has, follow what was given."""
    if isinstance(result, (np.ndarray, pd.Series, pd.Index, pd.DataFrame)):
        return np.asarray(result).tolist()
    return str(vars(result) if hasattr(result, "__dict__") else result)


def plain_outcome(name, parameter, value):
    try:
        return plain(copy.deepcopy(CALLS[name][0])(**arguments(name, **{parameter: value})))
    except (TypeError, ValueError) as refused:
        return type(refused)


@pytest.mark.parametrize(("name", "parameter"), given_as(holds_numbers))
@pytest.mark.filterwarnings("error")
def test_a_list_in_any_form_means_its_numbers_or_is_refused(name, parameter):
    values = np.array(CALLS[name][1][parameter][0])
    expected = plain_outcome(name, parameter, values)
    for form, given in (SAME_NUMBERS | (OTHER_FORMS if values.ndim == 1 else {})).items():
        found = plain_outcome(name, parameter, given(values))
        assert found == expected or (form in OTHER_FORMS and isinstance(found, type)), form


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_the_noise_of_a_sum_follows_the_smallest_number_of_a_type(kind):
    low = np.iinfo(kind).min
    sums = [
        dp.private_sum([], lower=kind(low), upper=kind(10), epsilon=1.0, rng=np.random.default_rng(seed))
        for seed in range(1000)
    ]
    # The mean size of Laplace noise has a spread of its scale / sqrt(1000): six of these, beyond 1e-6.
    assert np.mean(np.abs(sums)) / -float(low) == pytest.approx(1, abs=0.19)


# ---------------------------------------------------------------- what a check returns is what is computed with

RETURN_A_NUMBER = {"positive", "above", "at_least", "finite", "probability", "integer", "bounds", "_summable"}


def test_what_a_check_returns_is_what_is_computed_with():
    found = [
        f"{path.name}, {function.name}: {name}"
        for path in Path(dp.__file__).parent.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for name in checked_and_used_raw(function)
    ]
    assert not found, f"assign what the check returns to the same name: {found}"


def checked_and_used_raw(function):
    """Return the function's arguments that a check turns into numbers and that are then read as they came."""
    nodes = list(ast.walk(function))
    arguments = {argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]}
    checks = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and (getattr(node.func, "attr", None) or getattr(node.func, "id", None)) in RETURN_A_NUMBER
    ]
    # A message may quote what was given, and None is no number.
    harmless = [node for node in nodes if isinstance(node, (ast.JoinedStr, ast.Raise)) or is_compared_with_none(node)]
    apart = {id(part) for node in [*checks, *harmless] for part in ast.walk(node)}
    checked = {part.id for node in checks for part in node.args if isinstance(part, ast.Name)} & arguments
    kept = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    read = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in apart}
    return sorted((checked & read) - kept)


def is_compared_with_none(node):
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))


def test_the_reader_of_functions_finds_a_raw_argument():
    wrong = "def f(upper):\n    low = check.positive('upper', upper)\n    return abs(upper)"
    right = "def f(upper):\n    upper = check.positive('upper', upper)\n    return abs(upper)"
    assert [checked_and_used_raw(ast.parse(source).body[0]) for source in (wrong, right)] == [["upper"], []]
