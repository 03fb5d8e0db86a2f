import datetime
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference
from scipy import stats

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


@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_a_missing_value_is_apart_from_the_others_in_any_column(dtype):
    data = pd.DataFrame({"zip": ["0541", None, "0541", None, "0542"], "age": [30, 30, 30, 30, 40]})
    data = data.astype({"zip": dtype})
    assert dp.k_anonymity(data.head(4), ["zip", "age"]) == 2
    assert dp.k_anonymity(data, ["zip", "age"]) == 1
    assert dp.l_diversity(data, "age", "zip") == 1
    assert dp.l_diversity(data.head(4), "age", "zip") == 2


def test_all_that_means_missing_is_one_value():
    data = pd.DataFrame({"zip": pd.Series([None, np.nan, pd.NA, pd.NaT], dtype=object)})
    assert dp.k_anonymity(data, "zip") == 4


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


# Tables of two quasi-identifiers, one of them text with gaps and with a space in its name, and a secret.
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", None]), st.integers(0, 4)), min_size=1, max_size=30
)
KNOWN = ["age", "home town"]


def table(rows):
    return pd.DataFrame(rows, columns=[*KNOWN, "secret"]).astype({"home town": object})


def classes_of(rows):
    """Return the secrets of each class, grouped by hand."""
    found = {}
    for age, town, secret in rows:
        found.setdefault((age, town), []).append(secret)
    return list(found.values())


# The largest k, and making k larger.


@given(ROWS, st.integers(1, 6))
def test_k_is_what_comparing_all_rows_gives(rows, k):
    equal = [sum(row[:2] == other[:2] for other in rows) for row in rows]
    data = table(rows)
    assert dp.k_anonymity(data, KNOWN) == min(equal)
    stay = [i for i, size in enumerate(equal) if size >= k]
    pd.testing.assert_frame_equal(dp.suppress(data, KNOWN, k), data.iloc[stay])


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    data, shuffled = table(rows), table(random.sample(rows, len(rows)))
    for measure in (
        lambda data: dp.k_anonymity(data, KNOWN),
        lambda data: dp.l_diversity(data, KNOWN, "secret"),
        lambda data: dp.l_diversity(data, KNOWN, "secret", kind="entropy"),
        lambda data: dp.t_closeness(data, KNOWN, "secret"),
        lambda data: dp.t_closeness(data.astype({"secret": str}), KNOWN, "secret"),
    ):
        assert measure(data) == pytest.approx(measure(shuffled), rel=1e-12, abs=1e-12)


def test_k_of_one_column_and_of_many():
    assert dp.k_anonymity(PEOPLE, "illness") == 1
    assert dp.k_anonymity(PEOPLE.head(2), "age") == 2
    # Sixty columns of two values: far more classes are possible than a 64-bit number can tell apart.
    wide = pd.DataFrame(np.repeat(np.random.default_rng(1).integers(0, 2, size=(50, 70)), 3, axis=0))
    assert dp.k_anonymity(wide, list(wide.columns)) == 3
    assert dp.k_anonymity(pd.concat([wide, wide.head(2)]), list(wide.columns)) == 3


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_all_kinds_of_columns_are_told_apart(dtype):
    data = PEOPLE.astype({"illness": dtype, "zip": dtype})
    assert sorted(dp.equivalence_classes(data, ["zip", "illness"])) == [1, 1, 1, 1, 2]
    assert dp.suppress(data, ["zip", "illness"], 2).index.tolist() == ["u", "z"]
    assert dp.suppress(data, "zip", 2).index.tolist() == list("uvwyz")  # those who miss it agree


def test_suppressing_keeps_or_drops_everything_at_the_ends():
    pd.testing.assert_frame_equal(dp.suppress(PEOPLE, "age", 1), PEOPLE)
    nothing = dp.suppress(PEOPLE, "age", 4)
    assert nothing.columns.tolist() == PEOPLE.columns.tolist() and len(nothing) == 0


# Coarser values.


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1), st.integers(0, 8))
def test_generalizing_goes_down_to_a_multiple(values, depth):
    step = 10**depth
    generalized = dp.generalize(pd.DataFrame({"x": values}), {"x": depth})["x"]
    assert generalized.tolist() == [value // step * step for value in values]
    assert generalized.dtype == np.int64
    floats = dp.generalize(pd.DataFrame({"x": np.array(values) + 0.5}), {"x": depth})["x"]
    assert floats.tolist() == [value // step * step if depth else value + 0.5 for value in values]


def test_numbers_just_below_a_multiple_stay_below():
    x = np.nextafter([30.0, 1e15], 0)
    assert dp.generalize(pd.DataFrame({"x": x}), {"x": 1})["x"].tolist() == [20.0, 1e15 - 10]
    assert dp.generalize(pd.DataFrame({"x": np.array([-128], dtype=np.int8)}), {"x": 2})["x"].tolist() == [-200]


def test_generalizing_leaves_the_rest_alone():
    data = PEOPLE.assign(height=[171.5, np.nan, 180, 165, 162, 190])
    before = data.copy()
    generalized = dp.generalize(data, {"height": 1, "age": 0})
    assert generalized["height"].tolist()[0] == 170 and np.isnan(generalized["height"].iloc[1])
    pd.testing.assert_frame_equal(generalized.drop(columns="height"), data.drop(columns="height"))
    pd.testing.assert_frame_equal(data, before)
    nullable = dp.generalize(pd.DataFrame({"x": pd.array([15, None], dtype="Int32")}), {"x": 1})["x"]
    assert nullable.dtype == "Int64" and nullable[0] == 10 and nullable.isna().tolist() == [False, True]
    pd.testing.assert_frame_equal(dp.generalize(data, {}), data)


def test_a_hierarchy_is_climbed_level_by_level():
    first = {"flu": "virus", "cold": "virus", "asthma": "airways"}
    once = dp.generalize_hierarchy(PEOPLE, {"illness": first})
    assert once["illness"].tolist() == ["virus", "virus", "virus", "virus", "airways", "virus"]
    twice = dp.generalize_hierarchy(
        once, {"illness": dict.fromkeys(["virus", "airways"], "ill"), "age": {30: 3, 40: 4, 50: 5}}
    )
    assert twice["illness"].tolist() == ["ill"] * 6 and twice["age"].tolist() == [3, 3, 4, 4, 4, 5]
    pd.testing.assert_frame_equal(once.drop(columns="illness"), PEOPLE.drop(columns="illness"))


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_a_hierarchy_keeps_what_is_missing(dtype):
    level = pd.Series(["054"] * 3, index=["0541", "0542", "0543"])
    coarser = dp.generalize_hierarchy(PEOPLE.astype({"zip": dtype}), {"zip": level})["zip"]
    assert coarser.isna().tolist() == PEOPLE["zip"].isna().tolist()
    assert set(coarser.dropna()) == {"054"}
    numbers = dp.generalize_hierarchy(PEOPLE, {"zip": {"0541": 1, "0542": 2}})["zip"]
    assert numbers.fillna(0).tolist() == [1, 1, 0, 2, 0, 1]


# The secret within a class.


@given(ROWS)
def test_diversity_is_what_the_definitions_give(rows):
    groups = [Counter(secrets) for secrets in classes_of(rows)]
    assert dp.l_diversity(table(rows), KNOWN, "secret") == min(map(len, groups))
    entropy = min(stats.entropy(list(counts.values())) for counts in groups)
    varied = dp.l_diversity(table(rows), KNOWN, "secret", kind="entropy")
    assert varied == pytest.approx(math.exp(entropy), rel=1e-12)
    assert 1 <= varied <= dp.l_diversity(table(rows), KNOWN, "secret") + 1e-9


def salaries(*secrets):
    """Return salaries of 3k to 11k in classes: the ones given, and one of all others."""
    rest = set(range(3, 12)).difference(*secrets)
    groups = [*map(list, secrets), sorted(rest)]
    rows = [(name, salary) for name, group in enumerate(groups) for salary in group]
    return pd.DataFrame(rows, columns=["class", "salary"])


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ldiv.distinct"))
def test_distinct_diversity_agrees_with_the_reference(inputs, value, tolerance):
    data = pd.DataFrame(inputs["rows"], columns=["class", "secret"])
    assert dp.l_diversity(data, "class", "secret") == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ldiv.entropy"))
def test_entropy_diversity_agrees_with_the_reference(inputs, value, tolerance):
    counts = np.rint(np.array(inputs["p"]) * 100).astype(int)
    data = pd.DataFrame({"class": 1, "secret": np.repeat(np.arange(len(counts)), counts)})
    assert dp.l_diversity(data, "class", "secret", kind="entropy") == pytest.approx(value, rel=0, abs=tolerance)


def test_closeness_of_the_papers_salaries():
    # Li, Li & Venkatasubramanian (2007), section 4: {3k, 4k, 5k} and {6k, 8k, 11k} among 3k to 11k.
    table_of_the_paper = salaries([3, 4, 5], [6, 8, 11])
    assert dp.t_closeness(table_of_the_paper, "class", "salary") == pytest.approx(0.375, abs=1e-12)
    better = salaries([6, 8, 11], [3, 7, 10])
    assert dp.t_closeness(better, "class", "salary") == pytest.approx(1 / 6, abs=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("tclose"))
def test_closeness_agrees_with_the_references(inputs, value, tolerance):
    # A class with the shares P in a table with the shares Q: what the class lacks is in a second class.
    size, rows = (3, 9) if len(inputs["P"]) == 9 else (10, 100)
    counts = np.rint(np.array(inputs["P"]) * size).astype(int)
    others = np.rint(np.array(inputs["Q"]) * rows).astype(int) - counts
    secrets = np.repeat(np.tile(np.arange(len(counts)), 2), np.concatenate([counts, others]))
    data = pd.DataFrame({"class": np.repeat([0, 1], [counts.sum(), others.sum()]), "secret": secrets})
    if size == 10:  # the equal distance
        data = data.astype({"secret": str})
    assert dp.t_closeness(data, "class", "secret") == pytest.approx(value, rel=0, abs=tolerance)


@given(ROWS)
def test_closeness_is_what_the_definitions_give(rows):
    everybody = [secret for *_, secret in rows]
    values = sorted(set(everybody))
    overall = np.array([everybody.count(value) / len(rows) for value in values])
    equal, ordered = [], []
    for secrets in classes_of(rows):
        share = np.array([secrets.count(value) / len(secrets) for value in values])
        equal.append(abs(share - overall).sum() / 2)
        ranks = np.arange(len(values))
        ordered.append(stats.wasserstein_distance(ranks, ranks, share, overall) / max(len(values) - 1, 1))
    data = table(rows)
    assert dp.t_closeness(data, KNOWN, "secret") == pytest.approx(max(ordered), abs=1e-12)
    assert dp.t_closeness(data.astype({"secret": str}), KNOWN, "secret") == pytest.approx(max(equal), abs=1e-12)


def test_the_order_of_the_secret_decides_the_distance():
    data = salaries([3, 4, 5], [6, 8, 11])
    ordered, equal = 0.375, 2 / 3

    def closeness(dtype):
        return dp.t_closeness(data.astype({"salary": dtype}), "class", "salary")

    assert closeness(float) == closeness("Int64") == closeness("datetime64[s]") == pytest.approx(ordered)
    assert closeness("category") == closeness(str) == pytest.approx(equal)
    # By rank and not by size: stretching the scale changes nothing.
    assert dp.t_closeness(data.assign(salary=data["salary"] ** 5), "class", "salary") == pytest.approx(ordered)
    # The order of a categorical is the declared one, which here puts the class {3, 4, 5} in the middle.
    middle = pd.CategoricalDtype([20, 6, 7, 8, 3, 4, 5, 9, 10, 11], ordered=True)
    cumulative = np.cumsum(np.repeat([-1, 2, -1], 3) / 9)
    expected = abs(cumulative).sum() / 8
    assert dp.t_closeness(data[data["class"] != 1].astype({"salary": middle}), "class", "salary") < equal
    two = data.assign(**{"class": data["salary"].isin([3, 4, 5])}).astype({"salary": middle})
    assert dp.t_closeness(two, "class", "salary") == pytest.approx(expected)


@pytest.mark.parametrize(
    "made",
    [
        int,
        float,
        Decimal,
        lambda number: Fraction(number, 3),
        lambda number: datetime.date(2026, 1, number),
        datetime.time,
        lambda number: datetime.datetime(2026, 1, number),
        np.float16,
        np.longdouble,
        lambda number: pd.Timestamp(2026, 1, number),
        lambda number: pd.Timedelta(days=number),
        lambda number: pd.Period(f"2026-{number:02}"),
        lambda number: pd.Interval(number, number + 1),
    ],
)
@pytest.mark.parametrize("dtype", [None, object])
def test_closeness_goes_by_values_not_by_the_type_of_the_column(made, dtype):
    salary = pd.Series([made(number) for number in [3, 4, 5, 6, 8, 11, 7, 9, 10]], dtype=dtype)
    data = pd.DataFrame({"class": list("aaabbbccc"), "salary": salary})
    assert dp.t_closeness(data, "class", "salary") == pytest.approx(0.375)
    data["salary"] = pd.Series([None, *salary[1:]], dtype=dtype)
    with pytest.raises(ValueError, match="sensitive must not be missing where its values are ordered"):
        dp.t_closeness(data, "class", "salary")


def test_two_values_have_one_distance_and_one_has_none():
    data = pd.DataFrame({"class": [0, 0, 1, 1], "secret": [True, True, True, False]})
    assert dp.t_closeness(data, "class", "secret") == pytest.approx(0.25)
    assert dp.t_closeness(data.astype({"secret": int}), "class", "secret") == pytest.approx(0.25)
    assert dp.t_closeness(data.assign(secret=1), "class", "secret") == 0
    assert dp.t_closeness(data.assign(secret="x"), "class", "secret") == 0
    assert dp.t_closeness(data.assign(**{"class": 0}), "class", "secret") == pytest.approx(0, abs=1e-15)
    apart = data.assign(secret=["x", "x", "y", None])
    assert dp.t_closeness(apart, "class", "secret") == pytest.approx(0.5)


def test_closeness_of_many_classes_and_values():
    # Against the table of all classes by all values, which the function never builds.
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"class": rng.integers(0, 300, 5_000), "secret": rng.normal(size=5_000).round(2)})
    shares = pd.crosstab(data["class"], data["secret"], normalize="index")
    overall = data["secret"].value_counts(normalize=True).sort_index()
    difference = shares.sub(overall, axis=1).to_numpy()
    ordered = abs(difference.cumsum(axis=1)).sum(axis=1).max() / (len(overall) - 1)
    assert dp.t_closeness(data, "class", "secret") == pytest.approx(ordered, rel=1e-10)
    equal = abs(difference).sum(axis=1).max() / 2
    assert dp.t_closeness(data.astype({"secret": str}), "class", "secret") == pytest.approx(equal, rel=1e-10)


# Bad input.

TWICE = pd.concat([PEOPLE, PEOPLE[["age"]]], axis=1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: dp.k_anonymity(TWICE, "age"), ValueError, "data must have one column of each name, got 2 named 'age'"),
        (lambda: dp.k_anonymity(PEOPLE.assign(age=[[1]] * 6), "age"), TypeError, "data must hold hashable values"),
        (lambda: dp.generalize(PEOPLE, {"age": 19}), ValueError, r"depths\['age'\] must be at most 18, got 19"),
        (lambda: dp.generalize(PEOPLE, {"zip": 1}), TypeError, "data must hold numbers in the columns of depths"),
        (lambda: dp.generalize(PEOPLE.isna(), {"age": 1}), TypeError, "data must hold numbers .* got bool in 'age'"),
        (lambda: dp.generalize(PEOPLE.assign(age=np.inf), {"age": 1}), ValueError, "data must hold finite numbers"),
        (lambda: dp.generalize(PEOPLE.assign(age=2**63 - 1), {"age": 1}), ValueError, "of at most 2\\^62 in size"),
        (lambda: dp.generalize_hierarchy(PEOPLE, {"age": {30: 3}}), ValueError, r"no coarser value for 40 \(2 such\)"),
        (lambda: dp.l_diversity(PEOPLE, ["age"], "age"), ValueError, "sensitive must not be a quasi-identifier"),
        (lambda: dp.t_closeness(PEOPLE, "age", "age"), ValueError, "sensitive must not be a quasi-identifier"),
        (lambda: dp.t_closeness(PEOPLE.assign(pay=[1, 2, 3, None, 4, 5]), "age", "pay"), ValueError, "1 such in 'pay'"),
    ],
)
def test_what_has_no_answer_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---------------------------------------------------------------- tables whose index or columns are awkward


AWKWARD = [dp.equivalence_classes, dp.uniqueness, dp.k_anonymity]


@pytest.mark.parametrize("function", AWKWARD)
def test_an_index_may_have_the_name_of_a_column(function):
    table = pd.DataFrame({"zip": ["1", "1", "2"], "age": [3, 3, 4]})
    expected = function(table, ["zip", "age"])
    assert np.array_equal(function(table.set_index("zip", drop=False), ["zip", "age"]), expected)
    linked = dp.link(table.set_index("zip", drop=False), table.set_index("age", drop=False), ["zip", "age"])
    assert len(linked) == 5


@pytest.mark.parametrize("function", [*AWKWARD, lambda table, on: dp.link(table, table, on)])
def test_a_column_that_cannot_be_grouped_is_named(function):
    twice = pd.DataFrame([[1, 2], [1, 2]], columns=["zip", "zip"])
    with pytest.raises(ValueError, match="must have one column of each name, got 2 named 'zip'"):
        function(twice, ["zip"])
    with pytest.raises(TypeError, match="must hold hashable values, got others in the column 'zip'"):
        function(pd.DataFrame({"zip": [[1], [2]]}), ["zip"])


def test_names_of_columns_have_an_order():
    with pytest.raises(TypeError, match="quasi_identifiers must be a list of names, got"):
        dp.equivalence_classes(pd.DataFrame({"a": [1], "b": [2]}), {"a", "b"})


def test_a_level_leaves_what_is_missing():
    table = pd.DataFrame({"a": ["x", None, "y"], "b": [1.0, 2.0, np.nan]}, index=[7, 5, 5])
    coarse = dp.generalize_hierarchy(table, {"a": {"x": 1, "y": 2}, "b": {1.0: "low", 2.0: "low"}})
    assert coarse["a"].tolist()[::2] == [1, 2]
    assert coarse["b"].tolist()[:2] == ["low", "low"]
    assert coarse.isna().equals(table.isna())
