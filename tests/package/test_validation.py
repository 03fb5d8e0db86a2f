import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dp_helpers import validation as check

NOT_NUMBERS = [True, np.True_, None, "1", [1.0], np.array(1.0), 1j, np.complex128(1), Decimal(1)]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("nan"), 10**400]


def refused(error, message, function, *arguments, **options):
    with pytest.raises(error, match=rf"^{re.escape(message)}"):
        function(*arguments, **options)


# ---------------------------------------------------------------- single numbers


@pytest.mark.parametrize(
    "function",
    [
        check.finite,
        check.positive,
        check.probability,
        lambda name, value: check.above(name, value, 0),
        lambda name, value: check.at_least(name, value, 0),
    ],
    ids=["finite", "positive", "probability", "above", "at_least"],
)
def test_numbers_come_back_as_floats_and_others_are_refused(function):
    for value in (1, 0.5, np.int8(1), np.float32(0.5), Fraction(1, 2)):
        number = function("x", value)
        assert type(number) is float
        assert number == value
    for value in NOT_NUMBERS:
        refused(TypeError, f"x must be a number, got {value!r}", function, "x", value)
    for value in NOT_FINITE:
        refused(ValueError, f"x must be a finite number, got {value!r}", function, "x", value)


def test_ranges_of_numbers():
    refused(ValueError, "x must be above 0, got 0", check.positive, "x", 0)
    refused(ValueError, "x must be above 0, got -2.5", check.positive, "x", -2.5)
    refused(ValueError, "x must be above 1, got 1", check.above, "x", 1, 1)
    assert check.at_least("x", 1, 1) == 1.0
    refused(ValueError, "x must be at least 1, got 0.5", check.at_least, "x", 0.5, 1)


@pytest.mark.parametrize(("zero", "allowed"), [(True, "["), (False, "(")])
@pytest.mark.parametrize(("one", "closing"), [(True, "]"), (False, ")")])
def test_a_probability_may_or_may_not_be_0_or_1(zero, allowed, one, closing):
    message = f"x must be in {allowed}0, 1{closing}, got"
    for value in (-1e-9, 1 + 1e-9, *([] if zero else [0]), *([] if one else [1])):
        refused(ValueError, f"{message} {value!r}", check.probability, "x", value, zero=zero, one=one)
    for value in (0.5, *([0] if zero else []), *([1] if one else [])):
        assert check.probability("x", value, zero=zero, one=one) == value


def test_integer():
    assert type(check.integer("k", np.uint8(3), minimum=1, maximum=3)) is int
    assert check.integer("k", -3, minimum=-3) == -3
    for value in (1.0, True, np.True_, None, "1", math.nan, [1]):
        refused(TypeError, f"k must be a whole number, got {value!r}", check.integer, "k", value, minimum=1)
    refused(ValueError, "k must be at least 1, got 0", check.integer, "k", 0, minimum=1)
    refused(ValueError, "k must be at most 3, got 4", check.integer, "k", 4, minimum=1, maximum=3)


def test_choice():
    assert check.choice("kind", "b", ("a", "b")) == "b"
    refused(ValueError, "kind must be one of 'a', 'b', got 'c'", check.choice, "kind", "c", ("a", "b"))


def test_bounds():
    assert check.bounds(-1, np.float32(2)) == (-1.0, 2.0)
    refused(ValueError, "lower must be below upper, got lower=2 and upper=2", check.bounds, 2, 2)
    refused(ValueError, "lower and upper must be less than 1.8e308 apart", check.bounds, -1e308, 1e308)
    refused(TypeError, "lower must be a number, got None", check.bounds, None, 2)
    refused(ValueError, "upper must be a finite number, got inf", check.bounds, 0, math.inf)


def test_generator():
    rng = np.random.default_rng(1)
    assert check.generator(rng) is rng
    assert check.generator(None).random() != check.generator(None).random()
    for wrong in (1, np.random.PCG64(1), "seed"):
        refused(TypeError, f"rng must be a numpy.random.Generator or None, got {wrong!r}", check.generator, wrong)


# ---------------------------------------------------------------- arrays of numbers


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2], dtype=np.uint8),
        pd.Series([1, 2]),
        pd.Series([1, 2], dtype="Int64"),
        pd.Series([1, 2], dtype=object),
        pd.Series([Decimal(1), Fraction(4, 2)], dtype=object),
        pd.Index([1, 2]),
    ],
    ids=["list", "tuple", "array", "series", "nullable", "object", "decimal", "index"],
)
def test_numbers(values):
    array = check.numbers("x", values)
    assert array.dtype == np.float64
    assert array.tolist() == [1.0, 2.0]


def test_numbers_takes_booleans_as_0_and_1_and_any_shape_on_request():
    assert check.numbers("x", [True, False]).tolist() == [1.0, 0.0]
    assert check.numbers("x", 5, ndim=None).shape == ()
    assert check.numbers("x", np.ones((2, 3)), ndim=2).shape == (2, 3)
    assert check.numbers("x", []).shape == (0,)
    mixed = pd.DataFrame({"bool": [True], "int": [2], "float": [0.5]})
    assert check.numbers("x", mixed, ndim=2).tolist() == [[1.0, 2.0, 0.5]]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (["1", "2"], TypeError, "x must hold numbers only, got dtype"),
        (pd.Series(["1", "2"]), TypeError, "x must hold numbers only, got 0"),
        (pd.Series([1, "2"], dtype=object), TypeError, "x must hold numbers only, got 0"),
        (pd.DataFrame({"a": [1], "b": ["2"]}), TypeError, "x must hold numbers only, got    a  b"),
        (pd.to_datetime(["2020-01-01"]), TypeError, "x must hold numbers only, got dtype"),
        ([1j], TypeError, "x must hold numbers only, got dtype complex128"),
        ({"a": 1}, TypeError, "x must hold numbers only, got {'a': 1}"),
        (iter([1, 2]), TypeError, "x must hold numbers only, got <list_iterator"),
        (list("x" * 100), TypeError, "x must hold numbers only, got dtype"),
        ([[1], [1, 2]], ValueError, "x must have rows of one length, got [[1], [1, 2]]"),
        ([1, math.nan, math.inf], ValueError, "x must hold finite numbers only, got nan (2 such)"),
        ([None, 1], ValueError, "x must hold finite numbers only, got nan (1 such)"),
        (pd.Series([1, None], dtype="Int64"), ValueError, "x must hold finite numbers only, got nan (1 such)"),
        (3, ValueError, "x must have 1 dimension, got shape ()"),
        ([[1]], ValueError, "x must have 1 dimension, got shape (1, 1)"),
    ],
)
def test_numbers_refuses(values, error, message):
    refused(error, message, check.numbers, "x", values)


def test_numbers_refuses_empty_on_request():
    refused(ValueError, "x must not be empty", check.numbers, "x", [], empty=False)
    refused(ValueError, "x must have 2 dimensions, got shape (0,)", check.numbers, "x", [], ndim=2)


@pytest.mark.parametrize(
    "values",
    [[1, 2], np.array([1, 2], dtype=np.uint8), pd.Series([1, 2], dtype="Int64"), pd.Series([1, 2], dtype=object)],
)
def test_integers(values):
    array = check.integers("x", values)
    assert array.dtype == np.int64
    assert array.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1.0], TypeError, "x must hold whole numbers only, of an integer type, got [1.0]"),
        ([True], TypeError, "x must hold whole numbers only"),
        ([1, None], ValueError, "x must hold whole numbers only, got a missing value (1 such)"),
        (pd.Series([1, None], dtype="Int64"), ValueError, "x must hold whole numbers only, got a missing value"),
        (["1"], TypeError, "x must hold whole numbers only"),
        ([2**62 + 1], ValueError, f"x must hold whole numbers of at most {2**62} in size, got"),
        ([-(2**62) - 1], ValueError, "x must hold whole numbers of at most"),
        ([10**30, 1], ValueError, "x must hold whole numbers of at most"),
        (3, ValueError, "x must have 1 dimension, got shape ()"),
        ([[1], [1, 2]], ValueError, "x must have rows of one length"),
    ],
)
def test_integers_refuses(values, error, message):
    refused(error, message, check.integers, "x", values)


def test_integers_refuses_empty_on_request():
    assert check.integers("x", []).dtype == np.int64
    refused(ValueError, "x must not be empty", check.integers, "x", [], empty=False)


@pytest.mark.parametrize("values", [[1, 0], [True, False], np.array([1, 0], dtype=np.uint8), pd.Series([1.0, 0.0])])
def test_bits(values):
    truth = check.bits("x", values)
    assert truth.dtype == bool
    assert truth.tolist() == [True, False]


def test_bits_refuses():
    refused(ValueError, "x must be 0 or 1 only, got 2", check.bits, "x", [0, 1, 2])
    refused(ValueError, "x must be 0 or 1 only, got 0.5", check.bits, "x", [0.5])
    refused(ValueError, "x must be 0 or 1 only, got -1", check.bits, "x", np.array([0, -1], dtype=np.int8))
    refused(TypeError, "x must hold numbers only", check.bits, "x", ["1"])
    refused(ValueError, "x must have 2 dimensions, got shape (1,)", check.bits, "x", [1], ndim=2)
    refused(ValueError, "x must not be empty", check.bits, "x", [], empty=False)


def test_within():
    array = np.array([1.0, 3.0])
    assert check.within("x", array, 1, 3) is array
    assert check.within("x", array, 1) is array
    assert check.within("x", np.array([]), 0, 1).size == 0
    refused(ValueError, "x must be between 1 and 2, got 3", check.within, "x", array, 1, 2)
    refused(ValueError, "x must be at least 2, got 1", check.within, "x", array, 2)
    refused(ValueError, "x must be between 0 and 1, got 2.5", check.within, "x", np.array(2.5), 0, 1)


@pytest.mark.parametrize("values", [[1, 2], range(2), np.zeros(2), pd.Series([1, 2]), pd.array([1, 2])])
def test_shaped(values):
    check.shaped("x", values, empty=False)
    check.shaped("x", values, None)
    refused(ValueError, "x must have 2 dimensions", check.shaped, "x", values, 2)
    refused(ValueError, "x must not be empty", check.shaped, "x", values[:0], empty=False)


def test_what_belongs_together_is_as_many_and_has_one_index():
    numbers, rows = pd.Series([1, 2], index=["a", "b"]), pd.DataFrame({"age": [30, 40]}, index=["a", "b"])
    for one, other in [(numbers, numbers), (numbers, rows), (numbers, [3, 4]), (np.zeros(2), rows), (range(2), [1, 2])]:
        assert check.pairing("x", one, "y", other) == slice(None)
    refused(ValueError, "x must be as many as y, got 1 and 2", check.pairing, "x", [1], "y", numbers)
    for other in (numbers[::-1], rows[::-1]):
        refused(ValueError, "x must have the index of y, got two different", check.pairing, "x", numbers, "y", other)


@pytest.mark.parametrize("members", [["b", "a"], ("b", "a"), np.array(["b", "a"]), pd.Index(["b", "a"])])
def test_labels_that_are_the_members_of_a_list_are_matched(members):
    numbers = pd.Series([1, 2], index=["a", "b"])
    assert numbers.to_numpy()[check.pairing("x", numbers, "y", members)].tolist() == [2, 1]


def test_a_numbering_that_may_or_may_not_be_labels_is_refused():
    numbers = pd.Series([1, 2])
    assert check.pairing("x", numbers, "y", [0, 1]) == check.pairing("x", numbers, "y", [5, 4]) == slice(None)
    refused(ValueError, "x must say whether its numbering is that of y", check.pairing, "x", numbers, "y", [1, 0])


def test_like_gives_the_form_back():
    assert type(check.like(3, np.asarray(2.5))) is float
    assert type(check.like(np.int64(3), np.asarray(2))) is int
    assert check.like([1, 2], np.array([3, 4])).tolist() == [3, 4]
    series = pd.Series([1, 2], index=["a", "b"], name="n")
    pd.testing.assert_series_equal(check.like(series, np.array([3, 4])), pd.Series([3, 4], index=["a", "b"], name="n"))
    frame = pd.DataFrame({"x": [1]}, index=["a"])
    pd.testing.assert_frame_equal(check.like(frame, np.array([[5.0]])), pd.DataFrame({"x": [5.0]}, index=["a"]))


# ---------------------------------------------------------------- tables and answers


def test_frame():
    data = pd.DataFrame({"age": [1], "sex": ["F"]})
    assert check.frame("data", data, ["age"]) is data
    refused(TypeError, "data must be a pandas DataFrame, got list", check.frame, "data", [1])
    refused(ValueError, "data has no column 'zip'; it has 'age', 'sex'", check.frame, "data", data, ["age", "zip"])
    assert check.frame("data", data) is data
    assert check.frame("data", data[:0]).empty
    refused(ValueError, "data must have at least one row, got none", check.frame, "data", data[:0], empty=False)


def test_column_names():
    assert check.column_names("on", "age") == ["age"]
    assert check.column_names("on", 3) == [3]
    assert check.column_names("on", pd.Index(["a", "b"])) == ["a", "b"]
    refused(ValueError, "on must name at least one column, got none", check.column_names, "on", [])
    refused(ValueError, "on must not name a column twice, got ['a', 'a']", check.column_names, "on", ["a", "a"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["b", "a"], ["b", "a"]),
        (range(3), [0, 1, 2]),
        (np.array([2.5, 1.5]), [2.5, 1.5]),
        (pd.Series(["b", "a"]), ["b", "a"]),
        (pd.Index([True, False]), [True, False]),
        ((letter for letter in "ba"), ["b", "a"]),
        ([1, "a"], [1, "a"]),
        ([("a", 1), ("b", 2)], [("a", 1), ("b", 2)]),
    ],
    ids=["list", "range", "array", "series", "index", "generator", "mixed", "tuples"],
)
def test_domain_keeps_the_order(values, expected):
    assert check.domain("domain", values).tolist() == expected


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("abc", TypeError, "domain must be a list of answers, got 'abc'"),
        (3, TypeError, "domain must be a list of answers, got 3"),
        ({"a", "b"}, TypeError, "domain must be a list of answers, got {"),
        ([["a"], ["b"]], TypeError, "domain must hold hashable answers only, got [['a'], ['b']]"),
        ([], ValueError, "domain must hold at least one answer, got none"),
        (["a", None], ValueError, "domain must not hold missing values"),
        ([1.0, math.nan], ValueError, "domain must not hold missing values"),
        (["a", "b", "a"], ValueError, "domain must not hold an answer twice, got 'a' again"),
        (np.zeros((2, 2)), ValueError, "domain must have 1 dimension, got shape (2, 2)"),
    ],
)
def test_domain_refuses(values, error, message):
    refused(error, message, check.domain, "domain", values)


@pytest.mark.parametrize(
    ("values", "domain", "expected"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([], ["a"], []),
        ([1.0, 2.0], [2, 1], [1, 0]),
        ([1, "a"], ["a", 1], [1, 0]),
        ([("a", 2)], [("a", 1), ("a", 2)], [1]),
        (pd.Series(["b", "a"], dtype="category"), ["a", "b"], [1, 0]),
        (np.array(["b"]), ["a", "b"], [1]),
    ],
)
def test_codes_are_positions(values, domain, expected):
    assert check.codes("values", values, check.domain("domain", domain)).tolist() == expected


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (["a", "z", "y"], ValueError, "values must hold answers of the menu only, got 'z' (2 such)"),
        (["a", None], ValueError, "values must not be missing (1 such): drop these rows, or give a missing answer"),
        ("a", TypeError, "values must be a list of answers, got 'a'"),
        (3, TypeError, "values must be a list of answers, got 3"),
        ([["a"]], TypeError, "values must hold hashable answers only, got [['a']]"),
        ([["a"]] * 100, TypeError, "values must hold hashable answers only, got [['a'], "),
        (np.array([["a"]]), ValueError, "values must have 1 dimension, got shape (1, 1)"),
    ],
)
def test_codes_refuses(values, error, message):
    refused(error, message, check.codes, "values", values, pd.Index(["a", "b"]), "menu")
