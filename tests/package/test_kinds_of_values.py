"""Keys of one kind among values of another: matched as pandas matches them, or refused; never a silent 0."""

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dp_helpers as dp

DAYS = ["2024-01-01", "2024-01-02"]
COLUMNS = {
    "whole numbers": [1, 2],
    "floats": [1.0, 2.0],
    "whole numbers as objects": pd.Series([1, 2], dtype=object),
    "nullable whole numbers": pd.Series([1, 2], dtype="Int64"),
    "categories of numbers": pd.Series([1, 2]).astype("category"),
    "text": ["1", "2"],
    "categories of text": pd.Series(["1", "2"]).astype("category"),
    "truth values": [True, False],
    "nullable truth values": pd.Series([True, False], dtype="boolean"),
    "days as text": DAYS,
    "times": pd.to_datetime(DAYS),
    "dates": [datetime.date.fromisoformat(day) for day in DAYS],
    "times in a zone": pd.to_datetime(DAYS).tz_localize("Europe/Berlin"),
    "periods of days": pd.PeriodIndex(DAYS, freq="D"),
    "periods of months": pd.PeriodIndex(["2024-01", "2024-02"], freq="M"),
    "spans": pd.to_timedelta([1, 2], unit="D"),
    "bytes": [b"1", b"2"],
    "intervals": pd.IntervalIndex.from_breaks([0, 1, 2]),
}
# Two columns whose values pandas finds in each other are of one kind.
SAME = [
    {"whole numbers", "floats", "whole numbers as objects", "nullable whole numbers", "categories of numbers"},
    {"text", "categories of text"},
    {"truth values", "nullable truth values"},
]
pytestmark = pytest.mark.filterwarnings("ignore:.*datetime.date")  # pandas stops to take dates for times
RELEASED = {"most_groups": 1, "epsilon": 1e9}


def one_kind(column, keys):
    return column == keys or any({column, keys} <= kinds for kinds in SAME)


def other_words(column, keys):
    """Whether both are text, but not the same."""
    return "days as text" in (column, keys) and {column, keys} & SAME[1]


def expected(column, keys):
    if other_words(column, keys):
        return [0, 0]
    return [3, 0] if keys == "periods of months" != column else [2, 1]  # pandas finds a day in its month


def visits(column):
    """Return three rows: two people in the first group, one in the second."""
    return pd.DataFrame(
        {"person": [1, 2, 3], "group": pd.Series(COLUMNS[column]).iloc[[0, 0, 1]].reset_index(drop=True)}
    )


def counted(column, keys):
    rng = np.random.default_rng(1)
    return dp.private_group_counts(visits(column), person="person", group="group", keys=keys, **RELEASED, rng=rng)


def summed(column, keys):
    data, rng = visits(column).assign(value=1.0), np.random.default_rng(1)
    given = {"person": "person", "group": "group", "keys": keys, "lower": 0, "upper": 1}
    return dp.private_group_sums(data, "value", **given, **RELEASED, rng=rng)


def in_a_histogram(column, keys):
    return dp.private_histogram(visits(column)["group"], categories=keys, epsilon=1e9, rng=np.random.default_rng(1))


def in_a_marginal(column, keys):
    given = {"categories": {"group": keys}, "epsilon": 1e9, "rng": np.random.default_rng(1)}
    return dp.noisy_marginal(visits(column), "group", **given)


def by_direct_encoding(column, keys):
    protocol = dp.DirectEncoding(keys, epsilon=1.0)
    return protocol.tally(protocol.encode(visits(column)["group"]))


@pytest.mark.parametrize("release", [counted, summed, in_a_histogram, in_a_marginal, by_direct_encoding])
@pytest.mark.parametrize("column", COLUMNS)
def test_keys_are_found_as_pandas_finds_them_or_refused(release, column):
    for keys, values in COLUMNS.items():
        try:
            found = release(column, list(values))
        except (TypeError, ValueError):
            assert not one_kind(column, keys), keys
        else:
            assert np.round(np.asarray(found, dtype=float)).tolist() == expected(column, keys), keys


def test_a_single_key_of_another_kind_is_refused_too():
    with pytest.raises(TypeError, match="keys must be of the kind of column 'group', number, got '2', which is a text"):
        counted("whole numbers", [1, "2"])
    with pytest.raises(TypeError, match="got True, which is a truth value"):
        counted("whole numbers as objects", [True, 2])


def test_a_table_without_rows_has_no_kind():
    data = pd.DataFrame({"person": [], "group": []})
    given = {"person": "person", "group": "group", **RELEASED, "rng": np.random.default_rng(1)}
    assert dp.private_group_counts(data, keys=["a", "b"], **given).round().tolist() == [0, 0]
    assert dp.private_group_counts(data, keys=[1, 2], **given).round().tolist() == [0, 0]


@pytest.mark.parametrize(
    "twins",
    [
        *[
            ["1", 1],
            [1.0, "1.0"],
            [1.0, "1"],
            ["7", "8", np.int64(7)],
            ["1/2", Fraction(1, 2)],
            ["2.5", Decimal("2.5")],
        ],
        *[["True", True], ["ada", b"ada"], [DAYS[0], pd.Timestamp(DAYS[0])], [datetime.date(2024, 1, 1), DAYS[0]]],
        [uuid.UUID(int=7), str(uuid.UUID(int=7))],
    ],
)
@pytest.mark.parametrize("column", ["person", "group"])
def test_one_person_or_group_as_text_and_as_something_else_is_refused(twins, column):
    data = pd.DataFrame({"person": range(len(twins)), "group": "a"}).assign(**{column: pd.Series(twins, dtype=object)})
    with pytest.raises(ValueError, match=f"{column} must not hold the same value as a .* and as text"):
        dp.select_keys(data, person="person", group="group", most_groups=1, epsilon=1, delta=1e-6)


NUMBERS = {
    "floats": [0.1, 2.5],
    "short floats": pd.Series([0.1, 2.5], dtype="float32"),
    "decimals": [Decimal("0.1"), Decimal("2.5")],
    "fractions": [Fraction(1, 10), Fraction(5, 2)],
    "large whole numbers": [2**53 + 1, 7],
    "large floats": [2.0**53, 7.0],
}


@pytest.mark.parametrize("release", [counted, summed, in_a_histogram, in_a_marginal, by_direct_encoding])
@pytest.mark.parametrize("column", NUMBERS)
def test_numbers_of_other_types_are_equal_or_refused(release, column, monkeypatch):
    monkeypatch.setitem(COLUMNS, column, NUMBERS[column])
    for keys, values in NUMBERS.items():
        if ("large" in keys) != ("large" in column):
            continue
        if keys == column or {keys, column} == {"decimals", "fractions"}:
            assert np.round(np.asarray(release(column, values), dtype=float)).tolist() == [2, 1]
        else:
            with pytest.raises((TypeError, ValueError)):
                release(column, values)


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        (pd.IntervalIndex.from_breaks([0, 1, 2], closed="left"), pd.IntervalIndex.from_breaks([0, 1, 2])),
        ([("a", 1), ("b", 2)], [("a", "1"), ("b", "2")]),
        ([("a", 1), ("b", 0)], [("a", True), ("b", False)]),
        ([("a", 1), ("b", 0)], [("a", np.nan), ("b", 0)]),
    ],
)
def test_parts_of_keys_are_of_one_kind_too(column, keys, monkeypatch):
    monkeypatch.setitem(COLUMNS, "own", pd.Series(column))
    with pytest.raises((TypeError, ValueError), match="keys must"):
        counted("own", keys)


@pytest.mark.parametrize("known", COLUMNS)
def test_linked_rows_agree_or_the_kinds_are_refused(known):
    for released in COLUMNS:
        tables = [pd.DataFrame({"on": pd.Series(COLUMNS[name])}) for name in (known, released)]
        try:
            rows = dp.link(*tables, "on")
        except (TypeError, ValueError):
            assert known != released
        else:
            assert rows.index.tolist() == ([] if other_words(known, released) else [0, 1]), released


@pytest.mark.parametrize("known", ["floats", "short floats", "decimals"])
@pytest.mark.parametrize("released", ["floats", "short floats", "decimals"])
def test_numbers_of_other_types_are_not_silently_unlinked(known, released):
    tables = [pd.DataFrame({"on": pd.Series(NUMBERS[name])}) for name in (known, released)]
    if known == released:
        assert dp.link(*tables, "on").index.tolist() == [0, 1]
    else:
        with pytest.raises(TypeError, match="'on' of known must be of the type of released"):
            dp.link(*tables, "on")


def test_whole_numbers_that_floats_cannot_tell_apart_are_not_linked():
    ids, other = [2**53 + 1, 5], [float(2**53), 5.0]
    for first, second in ((ids, other), (other, ids)):
        with pytest.raises(ValueError, match="'id' must be whole numbers in known and released, got floats in one"):
            dp.link(pd.DataFrame({"id": first}), pd.DataFrame({"id": second}), "id")
    assert len(dp.link(pd.DataFrame({"id": [5]}), pd.DataFrame({"id": [5.0]}), "id")) == 1
