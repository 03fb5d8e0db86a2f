"""Many rows a person: what bounding keeps, what one person can change, which groups appear, and the noise."""

import collections
import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference
from scipy import stats

import dp_helpers as dp

COLUMNS = {"person": "person", "group": "page"}
TABLES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ABCDE"), st.integers(-9, 9)), max_size=40)
BOUNDS = st.integers(1, 4)


def table(rows):
    """Return a table of visits: person, page, value, and the moment, which is unique."""
    return pd.DataFrame(rows, columns=["person", "page", "value"]).assign(moment=range(len(rows)))


def people_and_pages(**visited):
    return table([(person, page, 1) for person, pages in visited.items() for page in pages])


# ------------------------------------------------------------------------------------------- bounding


@given(
    rows=TABLES, most_groups=BOUNDS, most_rows=BOUNDS, order=st.sampled_from([None, "moment"]), seed=st.integers(0, 99)
)
def test_bounding_keeps_as_much_as_the_bounds_allow_and_no_more(rows, most_groups, most_rows, order, seed):
    data = table(rows)
    bounds = {"most_groups": most_groups, "most_rows": most_rows, "order": order}
    kept = dp.bound_contributions(data, **COLUMNS, **bounds, rng=np.random.default_rng(seed))
    pd.testing.assert_frame_equal(kept, data.loc[kept.index])
    assert kept.index.is_monotonic_increasing
    for person, mine in data.groupby("person"):
        left = kept[kept["person"] == person]
        assert left["page"].nunique() == min(most_groups, mine["page"].nunique())
        for page, rows_left in left.groupby("page"):
            assert len(rows_left) == min(most_rows, (mine["page"] == page).sum())


@given(rows=TABLES, most_groups=BOUNDS, most_rows=BOUNDS)
def test_by_their_order_the_first_groups_and_rows_stay(rows, most_groups, most_rows):
    data = table(rows).sample(frac=1, random_state=1)  # the order is that of the moments, not of the rows
    kept = dp.bound_contributions(data, **COLUMNS, most_groups=most_groups, most_rows=most_rows, order="moment")
    expected = []
    for _, mine in data.sort_values("moment").groupby("person"):
        for page in mine["page"].drop_duplicates()[:most_groups]:
            expected += mine.index[mine["page"] == page][:most_rows].tolist()
    assert sorted(kept.index) == sorted(expected)


def test_without_a_bound_on_rows_all_of_a_kept_group_stay():
    data = people_and_pages(Ada="AAABBBBB", Bob="C")
    for seed in range(5):
        kept = dp.bound_contributions(data, **COLUMNS, most_groups=1, rng=np.random.default_rng(seed))
        assert "".join(kept["page"]) in ("AAAC", "BBBBBC")


@pytest.mark.parametrize("others", [{}, {"Bob": "A", "Cleo": "AAAA", "Dan": "BA"}])
@pytest.mark.parametrize("order", [None, "day"])
def test_each_choice_of_hers_is_equally_likely_whatever_others_do(others, order):
    # Two of her four groups: six choices; and one of the three rows in a group. A row alone decides nothing: order is
    # level. A cell is off by five deviations with probability below 6e-7.
    hers = "ABBBCD"  # her rows are the first ones
    data = people_and_pages(Ada=hers, **others).assign(day=1)
    rng, runs = np.random.default_rng(3), 600
    pages, rows = collections.Counter(), collections.Counter()
    for _ in range(runs):
        bounds = {"most_groups": 2, "most_rows": 1, "order": order}
        mine = dp.bound_contributions(data, **COLUMNS, **bounds, rng=rng).index.intersection(range(len(hers)))
        pages["".join(hers[row] for row in mine)] += 1
        rows.update(row for row in mine if hers[row] == "B")
    assert set(pages) == {"".join(two) for two in itertools.combinations("ABCD", 2)}
    for count, chance in [*((c, 1 / 6) for c in pages.values()), *((c, 1 / 6) for c in rows.values())]:
        assert abs(count - runs * chance) < 5 * math.sqrt(runs * chance * (1 - chance))


def test_the_number_of_rows_in_a_group_gives_it_no_better_chance():
    data = people_and_pages(Ada="A" * 30 + "B")
    rng = np.random.default_rng(4)
    kept = [dp.bound_contributions(data, **COLUMNS, most_groups=1, rng=rng)["page"].iloc[0] for _ in range(400)]
    assert abs(kept.count("B") - 200) < 5 * math.sqrt(100)  # fails by chance with probability below 6e-7


# ------------------------------------------------------------------------------------------- sums and counts


def exactly(function, data, *names, **given):
    """Return a release whose noise is too small to matter."""
    price = {"epsilon": 1e12, "rng": np.random.default_rng(5)}
    return function(data, *names, **COLUMNS, **given, **price)


@given(rows=TABLES, most_rows=BOUNDS)
def test_counts_of_people_within_the_bounds(rows, most_rows):
    data = table(rows)
    counts = exactly(dp.private_group_counts, data, keys=list("EDCBA"), most_groups=5, most_rows=most_rows)
    assert list(counts.index) == list("EDCBA") and counts.name == "count" and counts.index.name == "page"
    for page, count in counts.items():
        own = collections.Counter(person for person, visited, _ in rows if visited == page)
        assert count == pytest.approx(sum(min(most_rows, n) for n in own.values()), abs=1e-6)


@given(rows=TABLES, lower=st.integers(-9, 0), width=st.integers(1, 20))
def test_sums_clip_what_a_person_adds_to_a_group(rows, lower, width):
    data = table(rows)
    bounds = {"lower": lower, "upper": lower + width}
    sums = exactly(dp.private_group_sums, data, "value", keys=list("ABCDE"), most_groups=5, **bounds)
    assert sums.name == "value"
    for page, total in sums.items():
        own = collections.Counter()
        for person, visited, value in rows:
            if visited == page:
                own[person] += value
        assert total == pytest.approx(sum(min(max(v, lower), lower + width) for v in own.values()), abs=1e-6)


@given(rows=TABLES, most_groups=BOUNDS, most_rows=BOUNDS)
def test_no_person_changes_more_than_the_bounds_say(rows, most_groups, most_rows):
    # Others are within the bounds already, so that nothing of theirs is chosen anew, and what changes is hers.
    others = table([row for row in rows if row[0] != 0])
    others = dp.bound_contributions(others, **COLUMNS, most_groups=most_groups, rng=np.random.default_rng(6))
    hers = table([row for row in rows if row[0] == 0])
    bounds = {"keys": list("ABCDE"), "most_groups": most_groups, "most_rows": most_rows}
    both = (exactly(dp.private_group_counts, data, **bounds) for data in (others, pd.concat([others, hers])))
    change = np.abs(np.subtract(*both))
    assert change.max() <= most_rows + 1e-6
    assert (change > 0.5).sum() <= most_groups
    assert change.sum() <= most_groups * most_rows + 1e-6


def test_rows_of_other_groups_are_left_out_before_a_person_is_bounded():
    data = people_and_pages(**{f"visitor {k}": "ABCDEFGH" for k in range(30)})
    for seed in range(3):
        price = {"epsilon": 1e12, "rng": np.random.default_rng(seed)}
        counts = dp.private_group_counts(data, **COLUMNS, keys=["H", "Z"], most_groups=1, **price)
        assert counts.round().tolist() == [30, 0]


EMPTY, MANY = people_and_pages(), [f"page {k}" for k in range(10_000)]


@pytest.mark.parametrize(("most_groups", "most_rows", "epsilon"), [(1, 1, 1.0), (7, 1, 0.5), (3, 4, 2.0)])
def test_laplace_noise_has_scale_l0_linf_over_epsilon(most_groups, most_rows, epsilon):
    # The mean of |noise| is the scale b, with deviation b / 100: more than 5 of them with probability below 6e-7.
    given = {"keys": MANY, "epsilon": epsilon, "rng": np.random.default_rng(7)}
    counts = dp.private_group_counts(EMPTY, **COLUMNS, most_groups=most_groups, most_rows=most_rows, **given)
    sums = dp.private_group_sums(
        EMPTY, "value", **COLUMNS, most_groups=most_groups, lower=-float(most_rows), upper=0.5, **given
    )
    for noise in (counts, sums):
        assert noise.abs().mean() == pytest.approx(most_groups * most_rows / epsilon, rel=0.05)
        assert stats.kstest(noise / noise.abs().mean(), stats.laplace.cdf).pvalue > 1e-6


@pytest.mark.parametrize(("most_groups", "most_rows"), [(1, 1), (100, 1), (9, 4)])
def test_normal_noise_grows_with_the_root_of_l0(most_groups, most_rows):
    given = {"keys": MANY, "epsilon": 1.0, "delta": 1e-6, "rng": np.random.default_rng(8)}
    counts = dp.private_group_counts(EMPTY, **COLUMNS, most_groups=most_groups, most_rows=most_rows, **given)
    sigma = math.sqrt(most_groups) * most_rows * dp.gaussian_sigma(sensitivity=1, epsilon=1.0, delta=1e-6)
    assert counts.std() == pytest.approx(sigma, rel=0.05)  # its deviation is 1 / sqrt(20,000) of it: 7 of them
    assert stats.kstest(counts / sigma, stats.norm.cdf).pvalue > 1e-6


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("wikimedia.sigma"))
def test_the_root_of_l0_is_wikimedias(inputs, value, tolerance):
    sensitivity = math.sqrt(inputs["most_groups"])
    given = {"sensitivity": sensitivity, "rho": inputs["rho"], "rng": np.random.default_rng(9)}
    noise = dp.gaussian_mechanism_zcdp(np.zeros(100_000), **given)
    assert sensitivity / math.sqrt(2 * inputs["rho"]) == pytest.approx(value, rel=0, abs=tolerance)
    assert noise.std() == pytest.approx(value, rel=0.015)  # 6.7 deviations


# ------------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("partition.optimal"))
def test_probabilities_of_a_key_agree_with_the_reference(inputs, value, tolerance):
    epsilon, delta = inputs["epsilon"], inputs["delta"]
    if "people" in inputs:
        found = dp.key_probabilities(inputs["people"], epsilon=epsilon, delta=delta)
    else:
        smallest = {12: 0.5, 26: 0.5, 7: 0.5, 23: 1, 51: 1, 13: 1}[value]
        found = int(np.argmax(dp.key_probabilities(range(100), epsilon=epsilon, delta=delta) >= smallest))
    assert found == pytest.approx(value, rel=0, abs=tolerance)


def by_recursion(most, epsilon, delta):
    chances = [0.0]
    for _ in range(most):
        p = chances[-1]
        chances.append(min(math.exp(epsilon) * p + delta, 1 - math.exp(-epsilon) * (1 - p - delta), 1))
    return np.array(chances)


@given(log_epsilon=st.floats(-9, 3), log_delta=st.floats(-60, -1e-3))
def test_the_closed_form_is_the_recursion(log_epsilon, log_delta):
    epsilon, delta = math.exp(log_epsilon), math.exp(log_delta)
    found = dp.key_probabilities(range(200), epsilon=epsilon, delta=delta)
    expected = by_recursion(199, epsilon, delta)
    assert found[0] == 0
    assert found[1:] == pytest.approx(expected[1:], rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-16, 1.0, 700.0, 1e300])
@pytest.mark.parametrize("delta", [5e-324, 1e-300, 1e-9, 0.5, 1 - 1e-16])
def test_extreme_prices_give_chances(epsilon, delta):
    chances = dp.key_probabilities([0, 1, 2, 3, 1000, 2**62], epsilon=epsilon, delta=delta)
    assert chances[0] == 0 and (np.diff(chances) >= 0).all() and chances[-1] <= 1
    assert chances[1] == pytest.approx(delta, rel=1e-9)


def test_chances_keep_the_form_of_what_they_are_asked_for():
    series = pd.Series([0, 30], index=["news", "jobs"])
    assert dp.key_probabilities(series, epsilon=1, delta=1e-5).to_dict() == {"news": 0, "jobs": 1}
    assert type(dp.key_probabilities(3, epsilon=1, delta=1e-5)) is float
    assert dp.key_probabilities(np.ones((2, 3), dtype=int), epsilon=1, delta=1e-5).shape == (2, 3)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("threshold.laplace"))
def test_the_threshold_of_keys_agrees_with_the_reference(inputs, value, tolerance):
    assert dp.key_threshold(**inputs) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("most_groups", [1, 5])
@pytest.mark.parametrize("delta", [1e-9, 0.01, 0.6, 0.999])
def test_alone_in_a_group_passes_the_threshold_with_a_share_of_delta_at_most(most_groups, delta):
    above = dp.key_threshold(most_groups=most_groups, epsilon=0.7, delta=delta) - 1
    chance = stats.laplace.sf(above, scale=most_groups / 0.7)
    assert chance <= delta / most_groups * (1 + 1e-9)
    assert delta / most_groups > 0.5 or chance == pytest.approx(delta / most_groups)


def selected(data, runs, seed, **given):
    """Return how often each group came out, of so many selections."""
    rng, found = np.random.default_rng(seed), collections.Counter()
    for _ in range(runs):
        keys = dp.select_keys(data, **COLUMNS, **given, rng=rng)
        assert keys.is_monotonic_increasing and keys.name == "page"
        found.update(keys)
    return found


# Groups of 1 to 7 people; everybody is in one of them.
SIZES = {chr(ord("A") + k - 1): k for k in range(1, 8)}
CROWD = people_and_pages(**{f"{page}{k}": page for page, size in SIZES.items() for k in range(size)})


@pytest.mark.parametrize("method", ["threshold", "optimal"])
def test_how_often_a_group_of_each_size_is_selected(method):
    epsilon, delta, runs = 1.0, 0.02, 1500
    found = selected(CROWD, runs, 10, most_groups=1, epsilon=epsilon, delta=delta, method=method)
    for page, size in SIZES.items():
        if method == "optimal":
            chance = by_recursion(size, epsilon, delta)[-1]
        else:
            chance = stats.laplace.sf(1 + math.log(1 / (2 * delta)) / epsilon - size, scale=1 / epsilon)
        # Seven of five and a half deviations: failure below 1e-6.
        assert abs(found[page] - runs * chance) <= 5.5 * math.sqrt(runs * chance * (1 - chance)) + 1e-9


@pytest.mark.parametrize("method", ["threshold", "optimal"])
def test_delta_is_split_over_the_groups_of_a_person(method):
    # She is alone in 20 groups. At least one comes out with probability 1 - (1 - delta / 20)^20, just below delta.
    data, delta, runs = people_and_pages(Ada="ABCDEFGHIJKLMNOPQRST"), 0.1, 800
    rng, given_away = np.random.default_rng(11), 0
    for _ in range(runs):
        bounds = {"most_groups": 20, "epsilon": 1.0, "delta": delta}
        given_away += len(dp.select_keys(data, **COLUMNS, **bounds, method=method, rng=rng)) > 0
    chance = 1 - (1 - delta / 20) ** 20
    assert chance < delta
    assert abs(given_away - runs * chance) < 5 * math.sqrt(runs * chance * (1 - chance))


@pytest.mark.parametrize("method", ["threshold", "optimal"])
def test_groups_that_a_person_does_not_keep_do_not_give_her_away(method):
    # She is alone in 300 groups and counts in one of them. The 299 that nobody counts in have noise, too: where they
    # may come out, they do so in two runs of three.
    data = people_and_pages(Ada=map(str, range(300)))
    delta, runs = 0.01, 200
    given = {"most_groups": 1, "epsilon": 1.0, "delta": delta, "method": method}
    rng = np.random.default_rng(14)
    given_away = sum(len(dp.select_keys(data, **COLUMNS, **given, rng=rng)) > 0 for _ in range(runs))
    assert stats.binom.sf(given_away - 1, runs, delta) > 1e-6


@pytest.mark.parametrize("method", ["threshold", "optimal"])
def test_people_count_in_a_selection_and_not_rows(method):
    data = people_and_pages(Ada="A" * 5000, **{f"visitor {k}": "BC" for k in range(200)})
    given = {"most_groups": 2, "epsilon": 1.0, "delta": 1e-9, "method": method}
    assert selected(data, 100, 12, **given) == {"B": 100, "C": 100}  # Ada shows with probability 5e-8


def test_a_tiny_delta_is_kept_although_uniform_floats_are_coarse():
    # A uniform float is 0 with probability 2^-53, and then below any delta; the largest exponential is about 44.
    class Rare(np.random.Generator):
        def random(self, size=None):
            return np.zeros(size)

        def standard_exponential(self, size=None):
            return np.full(size, 44.0)

    rng = Rare(np.random.PCG64(1))
    given = {"most_groups": 1, "epsilon": 1.0, "delta": 1e-300, "method": "optimal", "rng": rng}
    assert dp.select_keys(people_and_pages(Ada="A"), **COLUMNS, **given).tolist() == []


def test_nobody_gets_no_keys_and_their_counts_are_refused():
    given = {**COLUMNS, "most_groups": 1, "epsilon": 1.0}
    keys = dp.select_keys(EMPTY, **given, delta=1e-6)
    assert len(keys) == 0
    with pytest.raises(ValueError, match="keys must hold at least one answer, got none"):
        dp.private_group_counts(EMPTY, keys=keys, **given)


# ------------------------------------------------------------------------------------------- kinds of tables


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_kinds_of_columns_make_no_difference(kind):
    data = people_and_pages(Ada="AAB", Bob="BC")
    given = {**COLUMNS, "keys": list("ABC"), "most_groups": 2, "epsilon": 1.0}
    plain = dp.private_group_counts(data, **given, rng=np.random.default_rng(13))
    other = dp.private_group_counts(data.astype({"page": kind}), **given, rng=np.random.default_rng(13))
    pd.testing.assert_series_equal(plain, other)


def test_keys_of_another_kind_than_the_groups_are_refused_as_nothing_would_be_counted():
    data = people_and_pages(Ada="AAB").assign(page=[1, 2, 3])
    given = {**COLUMNS, "most_groups": 2, "epsilon": 1.0}
    with pytest.raises(TypeError, match="keys must be of the kind of column 'page', number, got '1', which is a text"):
        dp.private_group_counts(data, keys=["1", "2"], **given)
    assert dp.private_group_counts(data, keys=[1, 2.5], **given).index.tolist() == [1, 2.5]


def test_groups_of_two_columns_are_as_pandas_has_them():
    data = people_and_pages(Ada="AAB", Bob="BC").assign(day=[1, 1, 2, 2, 2])
    given = {"person": "person", "group": ["day", "page"], "most_groups": 3, "epsilon": 1e9}
    keys = [(2, "B"), (1, "A"), (9, "A")]
    counts = dp.private_group_counts(data, keys=keys, most_rows=2, **given, rng=np.random.default_rng(1)).round()
    assert counts.index.names == ["day", "page"]
    assert counts.to_dict() == {(2, "B"): 2, (1, "A"): 2, (9, "A"): 0}
    index = pd.MultiIndex.from_tuples(keys)
    again = dp.private_group_counts(data, keys=index, most_rows=2, **given, rng=np.random.default_rng(1)).round()
    pd.testing.assert_series_equal(counts, again)
    exact = data.groupby(["day", "page"])["person"].nunique()
    found = dp.select_keys(data, **given | {"epsilon": 1e3}, delta=0.5, rng=np.random.default_rng(2))
    assert set(found) <= set(exact.index)
    assert found.names == ["day", "page"]
    kept = dp.bound_contributions(data, person="person", group=["day", "page"], most_groups=1, most_rows=1)
    assert kept["person"].tolist() == ["Ada", "Bob"]
    alone = dp.private_group_counts(data, **given | {"group": ["page"]}, keys=["A"], rng=np.random.default_rng(1))
    assert alone.index.name == "page"


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        (["A", "B"], ValueError, "keys must hold a tuple of 2 for each group of .*, got 'A'"),
        ([(1, "A", 2)], ValueError, "keys must hold a tuple of 2"),
        ([("1", "A")], TypeError, "keys must be of the kind of column 'day', number, got '1', which is a text"),
        ([(1, None)], ValueError, "keys must not hold missing values"),
    ],
)
def test_keys_that_are_no_groups_of_two_columns_are_refused(keys, error, message):
    data = people_and_pages(Ada="AAB").assign(day=[1, 1, 2])
    with pytest.raises(error, match=message):
        dp.private_group_counts(data, person="person", group=["day", "page"], keys=keys, most_groups=1, epsilon=1.0)


@pytest.mark.parametrize("name", [0, ("visits", "page"), None])
def test_columns_have_any_name_that_pandas_allows(name):
    data = people_and_pages(Ada="AAB", Bob="BC").rename(columns={"page": "other"})
    data[name] = data.pop("other")
    data.columns = pd.Index(data.columns, tupleize_cols=False)
    given = {"person": "person", "group": name, "keys": ["A", "B"], "most_groups": 2, "epsilon": 1e9}
    counts = dp.private_group_counts(data, **given, rng=np.random.default_rng(1)).round()
    assert counts.to_dict() == {"A": 1, "B": 2}
    assert counts.index.name == name


def test_a_name_that_two_columns_have_is_refused():
    data = people_and_pages(Ada="AAB")[["person", "page", "page"]]
    with pytest.raises(ValueError, match="data must have one column of each name, got 2 named 'page'"):
        dp.select_keys(data, **COLUMNS, most_groups=1, epsilon=1.0, delta=1e-6)


def test_categories_are_kept_in_their_own_order():
    months = ["Jan", "Feb", "Mar", "Apr"]
    data = people_and_pages(Ada="DCBA").assign(month=pd.Categorical(months[::-1], months, ordered=True))
    kept = dp.bound_contributions(data, **COLUMNS, most_groups=1, order="month")
    assert kept["month"].tolist() == ["Jan"]  # by the alphabet it were April


def test_tables_and_keys_of_other_libraries_are_taken_or_said_to_be_turned_into_pandas():
    class Frame:
        def to_pandas(self):
            raise AssertionError("the table is for the caller to turn")

    class Keys(list):
        dtype = "String"  # polars has dtypes of its own

    with pytest.raises(
        TypeError, match=r"data must be a pandas DataFrame, got .*Frame: turn it into one with .to_pandas"
    ):
        dp.select_keys(Frame(), **COLUMNS, most_groups=1, epsilon=1.0, delta=1e-6)
    given = {**COLUMNS, "most_groups": 2, "epsilon": 1e9, "rng": np.random.default_rng(1)}
    assert dp.private_group_counts(people_and_pages(Ada="AB"), keys=Keys("AB"), **given).round().tolist() == [1, 1]


@pytest.mark.parametrize("name", ["most_groups", "most_rows"])
def test_numbers_too_large_for_floats_are_refused(name):
    given = {**COLUMNS, "keys": ["A"], "most_groups": 1, "epsilon": 1.0} | {name: 10**400}
    with pytest.raises(ValueError, match=f"{name} must be at most 9007199254740992"):
        dp.private_group_counts(people_and_pages(Ada="A"), **given)


def test_values_that_cannot_be_compared_or_hashed_are_refused():
    data = people_and_pages(Ada="ABC").assign(page=pd.Series([1, "B", (3,)], dtype=object))
    with pytest.raises(TypeError, match="group must name a column whose values can be sorted, got 'page'"):
        dp.select_keys(data, **COLUMNS, most_groups=1, epsilon=1.0, delta=1e-6)
    with pytest.raises(TypeError, match="order must name a column whose values can be sorted, got 'page'"):
        dp.bound_contributions(data, person="person", group="moment", most_groups=1, order="page")
    data["page"] = [["A"], ["B"], ["C"]]
    with pytest.raises(TypeError, match="group must be a column of hashable values, got 'page'"):
        dp.select_keys(data, **COLUMNS, most_groups=1, epsilon=1.0, delta=1e-6)


def test_the_order_of_rows_tells_nothing():
    data = people_and_pages(**{f"visitor {k}": "CAB" for k in range(100)})
    given = {**COLUMNS, "most_groups": 3, "epsilon": 5.0, "delta": 1e-6}
    for order in (data, data[::-1]):
        assert dp.select_keys(order, **given, rng=np.random.default_rng(14)).tolist() == ["A", "B", "C"]


def test_the_table_stays_as_it_was():
    data = people_and_pages(Ada="AAB", Bob="BC")
    before = pickle.dumps(data)
    dp.bound_contributions(data, **COLUMNS, most_groups=1)
    dp.private_group_sums(data, "value", **COLUMNS, keys=["A"], most_groups=1, lower=0, upper=1, epsilon=1.0)
    dp.select_keys(data, **COLUMNS, most_groups=1, epsilon=1.0, delta=1e-6)
    assert pickle.dumps(data) == before
