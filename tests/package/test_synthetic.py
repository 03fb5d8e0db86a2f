import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_numbers import EXACT, P_VALUE, generator
from reference import reference
from scipy import optimize, stats

import dp_helpers as dp
from dp_helpers import synthetic

PEOPLE = pd.DataFrame({"sex": ["F", "M", "F", "F"], "smokes": [True, False, False, True], "age": [30, 41, 30, 99]})
CATEGORIES = {"age": [41, 30, 99], "sex": ["M", "F"], "smokes": [False, True], "shoe size": [40, 41]}


def series(values, **names):
    return pd.Series(values, index=pd.MultiIndex.from_product(names.values(), names=names))


# ---------------------------------------------------------------- marginals


def test_marginal_of_one_column():
    marginal = dp.noisy_marginal(PEOPLE, "age", categories=CATEGORIES, epsilon=EXACT, rng=generator(1))
    expected = pd.Series([1.0, 2.0, 1.0], index=pd.Index([41, 30, 99], name="age"), name="count")
    pd.testing.assert_series_equal(marginal.round(6), expected, check_exact=True)
    same = dp.noisy_marginal(PEOPLE, ["age"], categories=[41, 30, 99], epsilon=EXACT, rng=generator(1))
    pd.testing.assert_series_equal(same, marginal)


def test_marginal_of_several_columns_has_all_combinations_in_public_order():
    marginal = dp.noisy_marginal(
        PEOPLE, ["sex", "age", "smokes"], categories=CATEGORIES, epsilon=EXACT, rng=generator(2)
    )
    index = pd.MultiIndex.from_product([["M", "F"], [41, 30, 99], [False, True]], names=["sex", "age", "smokes"])
    expected = pd.Series(0.0, index=index, name="count")
    for row in PEOPLE.itertuples():
        expected[row.sex, row.age, row.smokes] += 1
    pd.testing.assert_series_equal(marginal.round(6), expected)


@pytest.mark.parametrize("columns", [["sex"], ["sex", "smokes", "age"]])
def test_noise_does_not_depend_on_the_number_of_columns(columns):
    rng = generator(3)
    nobody = PEOPLE.iloc[:0]
    noise = [dp.noisy_marginal(nobody, columns, categories=CATEGORIES, epsilon=0.5, rng=rng) for _ in range(400)]
    assert stats.kstest(np.ravel(noise), stats.laplace(scale=2).cdf).pvalue > P_VALUE
    first, last = np.array(noise)[:, 0], np.array(noise)[:, -1]  # each cell has its own
    assert abs(stats.pearsonr(first, last).statistic) < 5.5 / math.sqrt(400)


def test_a_missing_answer_needs_a_symbol():
    data = pd.DataFrame({"job": ["cook", None, "cook"]})
    with pytest.raises(ValueError, match=r"^data\['job'\] must not be missing \(1 such\): drop these rows, or give"):
        dp.noisy_marginal(data, "job", categories=["cook"], epsilon=1.0)
    filled = data.fillna({"job": "unknown"})
    marginal = dp.noisy_marginal(filled, "job", categories=["cook", "unknown"], epsilon=EXACT)
    assert marginal.round(6).tolist() == [2, 1]


# ---------------------------------------------------------------- sampling from a marginal


def test_rows_are_independent_draws_in_proportion_to_the_counts():
    marginal = series([5.0, -3.0, 2.5, 0.0, 7.5, 10.0], sex=["F", "M"], age=[30, 41, 99])
    n = 100_000
    rows = dp.sample_marginal(marginal, n, generator(5))
    assert list(rows.columns) == ["sex", "age"]
    assert isinstance(rows.index, pd.RangeIndex)
    positive = marginal[marginal > 0]
    cells = pd.MultiIndex.from_frame(rows)
    codes = positive.index.get_indexer(cells)
    assert codes.min() == 0  # none from a cell without a positive count
    shares = positive / positive.sum()
    assert stats.chisquare(np.bincount(codes), n * shares).pvalue > P_VALUE
    # A row tells nothing about the next one, and the order nothing about the cell.
    pairs = np.bincount(codes[0::2] * 4 + codes[1::2], minlength=16)
    assert stats.chisquare(pairs, n / 2 * np.outer(shares, shares).ravel()).pvalue > P_VALUE
    halves = np.array([np.bincount(half, minlength=4) for half in np.split(codes, 2)])
    assert stats.chi2_contingency(halves).pvalue > P_VALUE


@given(hnp.arrays(float, st.integers(1, 40), elements=st.floats(-1, 1e6)), st.integers(0, 2**32))
def test_sampling_follows_the_distribution_function(counts, seed):
    # Inverting the distribution function by a guide table is the same as by bisection.
    n = 200
    rows = dp.sample_marginal(pd.Series(counts), n, generator(seed))[0]
    positive = np.maximum(counts, 0) if (counts > 0).any() else np.ones_like(counts)
    positive = positive / positive.max()
    ends = np.cumsum(positive / positive.sum())
    expected = np.searchsorted(ends / ends[-1], generator(seed).random(n), side="right")
    np.testing.assert_array_equal(rows, expected)


def test_without_a_positive_count_all_cells_are_equally_likely():
    rows = dp.sample_marginal(pd.Series([-1.0, 0.0, -5.0, -2.0]), 10_000, generator(6))
    assert stats.chisquare(np.bincount(rows[0])).pvalue > P_VALUE


@pytest.mark.parametrize(
    "answers",
    [[1, 2], ["a", "b"], [0.5, 1.5], [False, True], pd.interval_range(0, 2), pd.Categorical(["x", "y"]), [1, "a"]],
    ids=["integers", "text", "floats", "booleans", "intervals", "categories", "mixed"],
)
def test_sampled_columns_keep_the_type_of_the_answers(answers):
    index = pd.Index(answers, name="answer")
    rows = dp.sample_marginal(pd.Series([1.0, 1.0], index=index), 50, generator(7))
    assert rows["answer"].dtype == index.dtype
    assert set(rows["answer"]) == set(index)


def test_a_crosstab_is_a_marginal_too():
    table = dp.private_crosstab(
        PEOPLE["sex"], PEOPLE["age"], row_categories=["F", "M"], column_categories=[30, 41, 99], epsilon=EXACT
    )
    rows = dp.sample_marginal(table, 40_000, generator(8))
    assert list(rows.columns) == ["sex", "age"]
    exact = PEOPLE.value_counts(["sex", "age"])
    assert dp.total_variation(rows.value_counts(["sex", "age"]), exact) < 0.01
    assert dp.total_variation(table, exact) < 1e-9


def test_a_table_may_be_sampled_with_no_rows():
    rows = dp.sample_marginal(series([1.0, 2.0], sex=["F", "M"]), 0)
    assert rows.shape == (0, 1)


# ---------------------------------------------------------------- range queries


def test_range_query_includes_both_ends():
    marginal = pd.Series([1.0, 2.0, 4.0, 8.0], index=[20, 17, 19, 18])
    assert dp.range_query(marginal, 17, 18) == 10
    assert dp.range_query(marginal, 18.5, 100) == 5
    assert dp.range_query(marginal, 19, 19) == 4
    assert dp.range_query(marginal, 21, 30) == 0
    assert type(dp.range_query(marginal, 17, 18)) is float


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("range.sd"))
def test_range_query_adds_up_the_noise(inputs, value, tolerance):
    width, epsilon, runs, rng = inputs["w"], inputs["eps"], 3000, generator(9)
    ages, nobody = range(17, 91), pd.DataFrame({"age": pd.Series([], dtype=int)})
    answers = [
        dp.range_query(dp.noisy_marginal(nobody, "age", categories=ages, epsilon=epsilon, rng=rng), 30, 29 + width)
        for _ in range(runs)
    ]
    # The variance of a sample variance of Laplace sums is at most 5 sd^4 / runs.
    assert np.var(answers) == pytest.approx(value**2, rel=5.5 * math.sqrt(5 / runs))
    assert abs(np.mean(answers)) < 5.5 * value / math.sqrt(runs)


# ---------------------------------------------------------------- total variation

COUNTS = hnp.arrays(float, 5, elements=st.floats(0, 1e6)).filter(lambda counts: counts.max() > 1e-3)


@given(COUNTS, COUNTS, COUNTS)
def test_total_variation_is_the_largest_difference_of_a_set(a, b, c):
    sets = np.array(list(itertools.product([0, 1], repeat=5)))
    assert dp.total_variation(a, b) == pytest.approx((sets @ (a / a.sum() - b / b.sum())).max(), abs=1e-12)
    assert dp.total_variation(a, b) == dp.total_variation(b, a)
    assert dp.total_variation(a, 7 * a) < 1e-12
    assert dp.total_variation(a, c) <= dp.total_variation(a, b) + dp.total_variation(b, c) + 1e-12


def test_total_variation_matches_cells_by_their_labels():
    a = PEOPLE.value_counts(["sex", "smokes"])
    assert dp.total_variation(a, a.iloc[::-1]) == 0
    b = series([0, 0, 0, 3.0], sex=["M", "F"], smokes=[False, True])
    assert dp.total_variation(a, b) == pytest.approx(0.5)  # two of four rows are elsewhere
    assert dp.total_variation(a, b.drop(("M", True))) == pytest.approx(0.5)
    crosstab = pd.crosstab(PEOPLE["sex"], PEOPLE["smokes"])
    assert dp.total_variation(crosstab, a) == 0
    assert dp.total_variation(pd.Series([1, 1], index=["x", "y"]), pd.Series([2], index=["z"])) == 1
    with pytest.raises(
        ValueError, match=r"^b must have the columns of a, \['sex', 'smokes'\], got \['smokes', 'sex'\]"
    ):
        dp.total_variation(a, PEOPLE.value_counts(["smokes", "sex"]))


def test_negative_counts_are_no_counts():
    assert dp.total_variation([3.0, -2.0, 1.0], [3.0, 0.0, 1.0]) == 0
    assert dp.total_variation([[1, 0], [0, 1]], [[0, 1], [1, 0]]) == 1


# ---------------------------------------------------------------- the tree


def two_categories(names, categories=(0, 1)):
    return {name: list(categories) for name in names}


def chain(n, seed):
    """Return columns a, b, c and d: b depends on a, c on b, and d on nothing."""
    rng = generator(seed)
    a = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.8, b % 2, rng.integers(0, 2, n))
    return pd.DataFrame({"a": a, "b": b, "c": np.array(["no", "yes"])[c], "d": rng.integers(0, 4, n)})


CHAIN = {"a": range(3), "b": [2, 1, 0], "c": ["no", "yes"], "d": range(4)}


def fit(data, categories, *, epsilon=1.0, delta=1e-5, seed=0):
    return dp.MarginalTree.fit(data, categories=categories, epsilon=epsilon, delta=delta, rng=generator(seed))


def test_tree_of_much_data_is_the_data():
    data = chain(200_000, 10)
    tree = fit(data, CHAIN, epsilon=100.0)
    assert {frozenset(edge) for edge in tree.two_way} >= {frozenset("ab"), frozenset("bc")}
    assert tree.total == pytest.approx(200_000, rel=1e-4)
    for (parent, child), table in tree.two_way.items():
        assert list(table.index) == list(CHAIN[parent])
        assert list(table.columns) == list(CHAIN[child])
        assert dp.total_variation(table, data.value_counts([parent, child])) < 2e-3
        np.testing.assert_allclose(table.sum(axis=1), tree.one_way[parent], atol=1e-5)
        np.testing.assert_allclose(table.sum(axis=0), tree.one_way[child], atol=1e-5)
    for name, shares in tree.one_way.items():
        assert dp.total_variation(shares, data[name].value_counts()) < 1e-3
        assert shares.sum() == pytest.approx(1)


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_edges_join_all_columns_parents_first(columns, seed):
    rng = generator(seed)
    names = [f"column {i}" for i in range(columns)]
    data = pd.DataFrame(rng.integers(0, 2, (30, columns)), columns=names)
    tree = fit(data, two_categories(names, [0, 1, 2]), epsilon=0.5, seed=seed)
    reached = {names[0]}
    for parent, child in tree.two_way:
        assert parent in reached
        assert child not in reached
        reached.add(child)
    assert reached == set(names)
    assert tree.total >= 1
    for estimate in (*tree.one_way.values(), *tree.two_way.values()):
        assert np.asarray(estimate).min() >= 0
        assert np.asarray(estimate).sum() == pytest.approx(1, abs=1e-3)
    assert (tree.epsilon, tree.delta) == (0.5, 1e-5)


def rho_of(epsilon, delta):
    return optimize.brentq(lambda rho: dp.zcdp_to_dp(rho, delta=delta) - epsilon, 1e-6, 100)


@pytest.mark.parametrize(("columns", "parts"), [(1, 1), (2, 2), (4, 3)])
def test_noise_of_the_one_way_marginals(columns, parts):
    # The difference of two categories' shares isn't touched by the correction of the sum.
    names = list("abcd")[:columns]
    answers = {name: np.arange(800) // 2**i % 2 for i, name in enumerate(names)}
    data = pd.DataFrame({**answers, "a": np.repeat([0, 1], [300, 500])})
    trees = [fit(data, two_categories(names), seed=seed) for seed in range(400)]
    differences = np.array([(t.one_way["a"][1] - t.one_way["a"][0]) * t.total - 200 for t in trees])
    sigma = math.sqrt(columns / (2 * rho_of(1.0, 1e-5) / parts))
    assert stats.kstest(differences, stats.norm(scale=math.sqrt(2) * sigma).cdf).pvalue > P_VALUE
    # Each marginal's sum has variance 2 sigma^2; their mean is the total.
    totals = np.array([tree.total for tree in trees])
    assert stats.kstest(totals - 800, stats.norm(scale=sigma * math.sqrt(2 / columns)).cdf).pvalue > P_VALUE


def test_noise_of_the_two_way_marginals():
    # Neither the correction of the sum nor that of the margins touches the interaction, when all cells are as large.
    data = pd.DataFrame({"a": np.repeat([0, 1], 2000), "b": np.tile([0, 1], 2000)})
    trees = [fit(data, two_categories("ab"), seed=seed) for seed in range(400)]
    tables = np.array([tree.two_way["a", "b"].to_numpy() * tree.total for tree in trees])
    interactions = tables[:, 0, 0] - tables[:, 0, 1] - tables[:, 1, 0] + tables[:, 1, 1]
    sigma = math.sqrt(1 / (2 * rho_of(1.0, 1e-5) / 2))
    assert stats.kstest(interactions, stats.norm(scale=0.999 * 2 * sigma).cdf).pvalue > P_VALUE


def test_edges_are_chosen_by_the_exponential_mechanism():
    # Two of three pairs are chosen.  The columns depend on each other so weakly that chance decides.
    n, epsilon, runs = 4_000, 0.1, 1000
    signs = np.array(list(itertools.product([-1, 1], repeat=3)))
    pairs, scores = [("a", "b"), ("a", "c"), ("b", "c")], [900, 756, 840]
    products = np.array([signs[:, i] * signs[:, j] for i, j in ((0, 1), (0, 2), (1, 2))])
    interactions = np.array(scores) / n @ products
    cells = np.repeat(signs, np.round(n / 8 * (1 + interactions)).astype(int), axis=0)
    data = pd.DataFrame(cells, columns=list("abc"))

    e = math.sqrt(8 * rho_of(epsilon, 1e-5) / 3 / 2)  # a third of rho, for two rounds
    first = dp.exponential_probabilities(scores, sensitivity=1, epsilon=e)
    missing = np.zeros(3)  # the probability that each pair is the one left out
    for i, j, k in itertools.permutations(range(3)):
        missing[k] += first[i] * dp.exponential_probabilities([scores[j], scores[k]], sensitivity=1, epsilon=e)[0]
    trees = [fit(data, two_categories("abc", [-1, 1]), epsilon=epsilon, seed=seed) for seed in range(runs)]
    chosen = [{tuple(sorted(edge)) for edge in tree.two_way} for tree in trees]
    observed = np.array([sum(pair not in edges for edges in chosen) for pair in pairs]) / runs
    assert 0.05 < missing.min() < 0.3 < missing.max()
    # The noise of part 1 blurs the scores a little.
    np.testing.assert_allclose(observed, missing, atol=5.5 * math.sqrt(0.25 / runs) + 0.02)


# ---------------------------------------------------------------- sampling from the tree


def test_rows_of_the_tree_are_independent_draws():
    tree = fit(chain(20_000, 12), {name: CHAIN[name] for name in "abc"}, epsilon=20.0, seed=1)
    n = 100_000
    rows = tree.sample(n, generator(13))
    assert list(rows.columns) == ["a", "b", "c"]
    assert rows["c"].dtype == pd.Index(["no", "yes"]).dtype
    conditional = {edge: table.div(table.sum(axis=1), axis=0) for edge, table in tree.two_way.items()}
    cells = list(itertools.product(*(CHAIN[name] for name in "abc")))
    expected = []
    for cell in cells:
        answer = dict(zip("abc", cell, strict=True))
        chance = tree.one_way["a"][answer["a"]]
        for (parent, child), table in conditional.items():
            chance *= table.loc[answer[parent], answer[child]]
        expected.append(n * chance)
    codes = pd.MultiIndex.from_tuples(cells).get_indexer(pd.MultiIndex.from_frame(rows))
    likely = np.array(expected) > 5
    observed = np.bincount(codes, minlength=len(cells))
    seen, law = [np.append(counts[likely], counts[~likely].sum() + 1e-9) for counts in (observed, np.array(expected))]
    assert stats.chisquare(seen, law * seen.sum() / law.sum()).pvalue > P_VALUE
    halves = np.array([np.bincount(half, minlength=len(cells))[likely] for half in np.split(codes, 2)])
    assert stats.chi2_contingency(halves).pvalue > P_VALUE


def test_sample_of_an_answer_that_nobody_has():
    data = pd.DataFrame({"a": [0] * 5000 + [1] * 5000, "b": [0] * 5000 + [1] * 5000})
    rows = fit(data, {"a": [0, 1, 2], "b": [2, 1, 0]}, epsilon=EXACT).sample(2000, generator(14))
    assert (rows["a"] == rows["b"]).mean() > 0.99
    assert (rows < 2).all(axis=None)


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_all_that_a_tree_measures_and_chooses_costs_what_it_promises(columns, monkeypatch):
    """Each measurement costs its rho, each choice of a pair epsilon^2 / 8 (Cesar & Rogers 2021); they add up."""
    spent = []

    def measured(exact, *, sensitivity, rho, rng):
        spent.append(rho / sensitivity**2)  # a row is in one cell
        return dp.gaussian_mechanism_zcdp(exact, sensitivity=sensitivity, rho=rho, rng=rng)

    def chosen(pairs, scores, *, sensitivity, epsilon, rng):
        spent.append((epsilon / sensitivity) ** 2 / 8 if len(pairs) > 1 else 0)  # a row moves a score by 1
        return dp.exponential_mechanism(pairs, scores, sensitivity=sensitivity, epsilon=epsilon, rng=rng)

    monkeypatch.setattr(synthetic, "gaussian_mechanism_zcdp", measured)
    monkeypatch.setattr(synthetic, "exponential_mechanism", chosen)
    data = pd.DataFrame(generator(16).integers(2, size=(50, columns)), columns=list("abcde")[:columns])
    fit(data, {name: [0, 1] for name in data}, epsilon=0.5, delta=1e-6)
    assert len(spent) == columns + 2 * (columns - 1)
    assert dp.zcdp_to_dp(sum(spent), delta=1e-6) == pytest.approx(0.5, rel=1e-6)


def test_a_tree_of_nobody_of_one_column_and_of_two():
    nobody = fit(PEOPLE.iloc[:0], {"sex": ["F", "M"], "age": [30, 41]})
    assert nobody.sample(20, generator(15)).shape == (20, 2)
    one = fit(PEOPLE, {"sex": ["F", "M"]}, epsilon=EXACT)
    assert (one.two_way, round(one.total, 3)) == ({}, 4)
    assert one.one_way["sex"].round(6).tolist() == [0.75, 0.25]
    assert one.sample(0).shape == (0, 1)
    single = fit(PEOPLE, {"sex": ["F", "M"], "smokes": [False, True]}).two_way
    assert list(single) == [("sex", "smokes")]


def test_correlations_of_the_census_are_kept():
    census = dp.load_census()
    columns = ["Education", "Marital Status", "Relationship", "Sex", "Target"]
    tree = fit(census, {name: dp.CENSUS_DOMAINS[name] for name in columns}, epsilon=1.0)
    rows = tree.sample(len(census), generator(16))
    assert abs(tree.total - len(census)) < 200

    def distances(rows):
        return [
            dp.total_variation(census.value_counts(list(pair)), rows.value_counts(list(pair)))
            for pair in itertools.combinations(columns, 2)
        ]

    rng = generator(17)
    apart = pd.DataFrame({name: rng.permutation(census[name]) for name in columns})
    assert np.mean(distances(rows)) < 0.06 < 0.1 < np.mean(distances(apart))
    assert max(dp.total_variation(census[name].value_counts(), rows[name].value_counts()) for name in columns) < 0.02


# ---------------------------------------------------------------- bad input


def test_too_many_cells_are_refused_with_advice():
    categories = {"age": range(10_000), "pay": range(10_000)}
    data = pd.DataFrame({"age": [1], "pay": [1]})
    message = r"^categories must have at most 10000000 combinations, got 100000000 of 'age' and 'pay': bin numbers"
    with pytest.raises(ValueError, match=message):
        dp.noisy_marginal(data, ["age", "pay"], categories=categories, epsilon=1.0)
    with pytest.raises(ValueError, match=message):
        dp.MarginalTree.fit(data, categories=categories, epsilon=1.0, delta=1e-5)


@pytest.mark.parametrize("names", [["area", "area"], [1, None], [None, 0], [1, 1.0]])
def test_levels_that_share_a_name_are_refused_as_one_column_would_be_lost(names):
    index = pd.MultiIndex.from_product([["N", "S"]] * 2, names=names)
    with pytest.raises(ValueError, match="marginal must have levels of different names, got "):
        dp.sample_marginal(pd.Series([1.0, 2, 3, 4], index=index), 3)
    assert dp.sample_marginal(pd.Series([1.0, 2, 3, 4], index=index.rename([None, None])), 3).shape == (3, 2)
