from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dp_helpers as dp

PEOPLE = pd.DataFrame(
    {
        "age": [30, 30, 40, 40, 40, 50],
        "zip": ["0541", "0541", None, "0542", None, "0541"],
        "illness": ["flu", "cold", "flu", "flu", "asthma", "flu"],
    },
    index=list("uvwxyz"),
)


def test_sizes_are_indexed_by_the_quasi_identifiers():
    sizes = dp.equivalence_classes(PEOPLE, ["age", "illness"])
    assert sizes.to_dict() == {(30, "cold"): 1, (30, "flu"): 1, (40, "asthma"): 1, (40, "flu"): 2, (50, "flu"): 1}
    assert sizes.index.names == ["age", "illness"]
    assert sizes.index.is_monotonic_increasing
    assert sizes.name == "size"
    assert sizes.dtype == np.int64


@pytest.mark.parametrize("column", ["age", ["age"]])
def test_one_column_may_be_named_alone(column):
    assert dp.equivalence_classes(PEOPLE, column).to_dict() == {30: 2, 40: 3, 50: 1}


def test_missing_values_agree_with_each_other():
    sizes = dp.equivalence_classes(PEOPLE, ["zip", "age"])
    missing = sizes[sizes.index.get_level_values("zip").isna()]
    assert missing.tolist() == [2]
    assert sizes.sum() == len(PEOPLE)


def test_only_observed_classes_are_listed():
    categories = PEOPLE.assign(illness=pd.Categorical(PEOPLE["illness"], categories=["flu", "cold", "asthma", "gout"]))
    assert dp.equivalence_classes(categories, "illness").to_dict() == {"flu": 4, "cold": 1, "asthma": 1}
    assert dp.equivalence_classes(categories, ["age", "illness"]).min() == 1


def test_empty_table_has_no_classes():
    assert dp.equivalence_classes(PEOPLE.iloc[:0], ["age", "zip"]).size == 0


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None]), st.integers(0, 1)), min_size=1))
def test_sizes_are_what_counting_row_by_row_gives(rows):
    data = pd.DataFrame(rows, columns=["x", "y", "z"])
    sizes = dp.equivalence_classes(data, ["x", "y"])
    found = {(x, None if pd.isna(y) else y): size for (x, y), size in sizes.items()}
    assert found == Counter((x, y) for x, y, _ in rows)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((PEOPLE, "height"), ValueError, "data has no column 'height'; it has 'age', 'zip', 'illness'"),
        ((PEOPLE, []), ValueError, "quasi_identifiers must name at least one column"),
        ((PEOPLE, ["age", "age"]), ValueError, "quasi_identifiers must not name a column twice"),
        ((PEOPLE["age"], "age"), TypeError, "data must be a pandas DataFrame, got Series"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        dp.equivalence_classes(*arguments)
