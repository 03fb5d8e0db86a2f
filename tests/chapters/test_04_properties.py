"""What chapter 4 says, derived again; its short histogram against the package."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from chapters.chance import proven
from chapters.chapter_notebook import read
from scipy import integrate, stats

import dp_helpers as dp

CHAPTER = "04-properties"
FAILURE = 1e-6
ORDER = ["Education", "Sex", "Race", "Marital Status", "Relationship", "Target"]


def bound(mechanism, data, neighbour, seed, trials=20_000):
    """Return what an audit proves, wrong with probability 1e-6 at most."""
    rng = np.random.default_rng(seed)
    return dp.audit(mechanism, data, neighbour, trials=trials, confidence=1 - FAILURE, rng=rng).epsilon_lower_bound


# Forty pages.


def test_forty_pages_give_her_away(page):
    share = page["share_right"]
    for pages, epsilon in itertools.product([1, 2, 13, 40], [0.025, 0.1, 0.5, 1]):
        assert share(pages, epsilon) < 1 / (1 + np.exp(-pages * epsilon))  # the bound for the sum
    assert share(40, 0.025) < 0.54 < 0.73 < 1 / (1 + np.exp(-1))
    assert share(14, 0.5) > 0.8 > share(13, 0.5) and share(40, 0.08) < 0.6 < share(40, 0.1)
    # One page is Laplace noise on its side of ½.
    assert [share(1, epsilon) for epsilon in (0.1, 1)] == pytest.approx(
        [stats.laplace.cdf(0.05), stats.laplace.cdf(0.5)], abs=1e-5
    )


@pytest.mark.parametrize(("pages", "epsilon"), [(2, 1.0), (14, 0.5), (40, 0.08), (40, 0.5)])
def test_no_attacker_of_the_pages_does_better(page, pages, epsilon):
    """The likelihood of all pages decides as the average does, and is right as often as the figure says."""
    rng, rounds = np.random.default_rng(421), 100_000
    left = rng.integers(0, 2, (rounds, 1)) + rng.laplace(0, 1 / epsilon, (rounds, pages))
    there = np.random.default_rng(421).integers(0, 2, rounds)
    evidence = (stats.laplace.logpdf(left, 1, 1 / epsilon) - stats.laplace.logpdf(left, 0, 1 / epsilon)).sum(axis=1)
    clear = abs(evidence) > 1e-9
    assert ((np.clip(left, 0, 1).mean(axis=1) > 0.5) == (evidence > 0))[clear].all()
    right = ((evidence > 0) == there)[clear].mean() * clear.mean() + (1 - clear.mean()) / 2
    assert abs(right - page["share_right"](pages, epsilon)) < np.sqrt(np.log(2 / FAILURE) / (2 * rounds))


# Ann and Bob.


@pytest.mark.parametrize("y", [-3.0, -0.4, 0.0, 1.7])
def test_bobs_density_is_that_of_the_average_of_two_draws(page, y):
    def draws(u):  # the average is y if the draws are u and 2y - u
        return stats.laplace.pdf(u) * stats.laplace.pdf(2 * y - u)

    convolved = 2 * integrate.quad(draws, -40, 40, points=[0, 2 * y])[0]
    assert np.exp(page["log_bob"](y)) == pytest.approx(convolved, rel=1e-7)
    assert np.exp(page["log_ann"](y)) == pytest.approx(stats.laplace(scale=1 / 2).pdf(y))


def test_bob_costs_two_and_neither_more_nor_less(page):
    y = np.concatenate([np.linspace(-1e6, 1e6, 400_001), np.linspace(-20, 20, 4_001)])
    for name in ("log_ann", "log_bob"):
        loss = page[name](y) - page[name](y - 1)
        assert abs(loss).max() <= 2 + 1e-8
        assert loss.max() > 2 - 1e-5 and loss.min() < -2 + 1e-5
    # "never quite gets there": strictly below 2 at all answers.
    near = np.linspace(-1e4, 1e4, 100_001)
    assert abs(page["log_bob"](near) - page["log_bob"](near - 1)).max() < 2
    assert page["log_bob"](0) - page["log_bob"](-1) == pytest.approx(2 - np.log(3))
    losses = [page["log_bob"](y) - page["log_bob"](y - 1) for y in (0, -5, -50, -500)]
    assert losses == pytest.approx([0.901, 1.833, 1.980, 1.998], abs=5e-4)


def test_what_is_smaller_for_bob_is_the_excess(page):
    def excess(log_density):
        gap = lambda y: max(np.exp(log_density(y - 1)) - np.e * np.exp(log_density(y)), 0)  # noqa: E731
        return integrate.quad(gap, -20, 30, points=[0, 0.5, 1], limit=500)[0]

    assert excess(page["log_ann"]) == pytest.approx(1 - np.exp(-1 / 2), abs=1e-6)
    assert excess(page["log_bob"]) == pytest.approx(0.134, abs=5e-4)
    # Variances: 2 (1/2)^2 for Ann, 2/2 for Bob, whose single draws have 2, four times Ann's.
    second = lambda y: y**2 * np.exp(page["log_bob"](y))  # noqa: E731
    assert 2 * integrate.quad(second, 0, 60)[0] == pytest.approx(1)
    assert stats.laplace(scale=1 / 2).var() == pytest.approx(1 / 2)


def test_the_two_ratios_are_nearer_to_e_squared_than_to_e():
    """The Predict's output, of two million draws each, in any run of the cell; and whose deviation is larger."""
    far = {"Ann": (np.exp(-6) / 2, np.exp(-2)), "Bob": (2 * np.exp(-6), 2.5 / 2 * np.exp(-2))}
    for beyond_3, go_on in far.values():  # the chance to lie beyond 3, and of these beyond 4
        many = stats.binom(2_000_000, beyond_3).ppf([FAILURE / 4, 1 - FAILURE / 4])
        assert all(n / stats.binom(n, go_on).isf(FAILURE / 4) > (np.e + np.e**2) / 2 for n in many)
    # A squared deviation of Laplace noise is known to sqrt(5 / n), so both to less than one percent.
    assert 5 * np.sqrt(5 / 2_000_000) / 2 < 0.01


def test_audits_prove_more_than_is_claimed_whatever_the_seed():
    """The quarters, by the first count less the second plus the third."""
    noise = np.random.default_rng(420).laplace(size=(3, 1_000_000)).sum(axis=0)
    with_the_youngest, without = ((noise > 4 - shift).mean() for shift in (3, 0))
    assert proven(with_the_youngest, without, trials=10_000) > 1.2


# Parts.


def test_the_pages_histogram_has_independent_noise_of_its_own_in_each_cell(page):
    values, categories = pd.Series(["x", "y", "x"]), ["z", "x", "y"]
    rng = np.random.default_rng(405)
    ours = np.array([page["noisy_histogram"](values, categories, 0.5, rng) for _ in range(1_000)])
    for column, exact in enumerate([0, 2, 1]):
        assert stats.kstest(ours[:, column], stats.laplace(exact, 2).cdf).pvalue > FAILURE
    assert abs(np.corrcoef(ours.T) - np.eye(3)).max() < 0.17  # five deviations
    assert list(page["noisy_histogram"](values, categories, 1.0, rng).index) == categories


def test_a_histogram_costs_one_or_two_epsilon(page):
    sex = pd.Series(["Female", "Male"] * 50)
    woman = sex.index[sex == "Female"][0]
    replaced = sex.mask(sex.index == woman, "Male")
    assert (sex != replaced).sum() == 1
    women, men = (sex == "Female").sum(), (sex == "Male").sum()

    def histogram(data, rng):
        return page["noisy_histogram"](data, ["Female", "Male"], 1, rng)

    def both_cells(data, rng):
        counts = histogram(data, rng)
        return min(counts["Male"] - men, women - counts["Female"])

    removed = bound(histogram, sex, sex.drop(woman), 406, trials=2_000)
    assert 0.4 < removed <= 1
    assert 1 < bound(both_cells, sex, replaced, 407, trials=2_000) <= 2


GROUPS = (0.2, 0.5, 0.3)  # the ε of the three groups in the page's table


def largest_loss(answers, relation):
    """Return the most that one row of a small table can cost, if each group answers so and adds Laplace noise.

    ``answers`` turns the rows of a group into a list of numbers.  The loss of a vector with independent Laplace noise
    is the sum of its moves, each times its ε.
    """
    rows = list(itertools.product(range(3), range(3)))  # a row is in one group, and has one of three values
    worst = 0.0
    for table in itertools.combinations_with_replacement(rows, 2):
        for neighbour in [table[:1]] if relation == "add/remove" else [(table[0], row) for row in rows]:
            cost = 0.0
            for group, epsilon in enumerate(GROUPS):
                one, other = (answers([value for of, value in rows if of == group]) for rows in (table, neighbour))
                cost += epsilon * np.abs(np.subtract(one, other)).sum()
            worst = max(worst, cost)
    return worst


def test_the_table_of_three_groups_is_the_largest_loss_of_any_small_table():
    title = "| three groups, at ε = 0.2, 0.5 and 0.3 | one count in each | a histogram in each |"
    (table,) = [cell.source for cell in read(CHAPTER).cells if title in cell.source]
    said = {
        name: costs.split(" | ") for name, costs in re.findall(r"^\| ([^|]+) \| ([\d.]+ \| [\d.]+) \|$", table, re.M)
    }
    one_count, histogram = (lambda values: [values.count(1)]), (lambda values: [values.count(k) for k in range(3)])
    for relation in ("add/remove", "replace-one"):
        true = [largest_loss(answers, relation) for answers in (one_count, histogram)]
        assert [float(cost) for cost in said.pop(f"disjoint, {relation}")] == pytest.approx(true)
    assert said == {"the same people in each, add/remove": ["1.0", "1.0"]} and sum(GROUPS) == 1


def test_the_labels_leak(page, census):
    few = census[census["Country"].isin(["Scotland", "Hungary", "Holand-Netherlands"])]
    without = few[few["Country"] != "Holand-Netherlands"]
    assert (census["Country"] == "Holand-Netherlands").sum() == 1 == len(few) - len(without)
    result = dp.audit(page["as_it_comes"], few, without, trials=1_000, rng=np.random.default_rng(408))
    assert result.epsilon_lower_bound > 4
    assert result.event.startswith("labels of output")
    assert set(result.table()["hits"]) == {0, 500}  # with certainty


def test_the_order_leaks_with_every_row_present(page):
    tied = pd.DataFrame({"Country": [*"AAAAA", *"BBBBB", *"CC"]})
    one_more = pd.concat([tied, pd.DataFrame({"Country": ["B"]})], ignore_index=True)
    result = dp.audit(page["as_it_comes"], one_more, tied, trials=1_000, rng=np.random.default_rng(409))
    assert result.epsilon_lower_bound > 4
    assert set(page["as_it_comes"](tied, np.random.default_rng(1)).index) == {"A", "B", "C"}


def test_the_eight_youngest_ages(census):
    assert census.drop_duplicates("Age").nsmallest(8, "Age")["Age"].tolist() == list(range(17, 25))


def test_quarters_are_not_parts(page):
    eight = pd.DataFrame({"Age": range(17, 25), "Target": [">50K" if k in (0, 4) else "<=50K" for k in range(8)]})

    class Silent:
        laplace = staticmethod(lambda *_: 0.0)

    before, after = page["by_quarter"](eight, Silent), page["by_quarter"](eight.iloc[1:], Silent)
    assert (before, after) == ([1, 0, 1, 0], [0, 1, 0, 0])

    def all_three(data, rng):
        first, second, third, _ = page["by_quarter"](data, rng)
        return min(first - 1, 0 - second, third - 1)

    assert 1.2 < bound(all_three, eight, eight.iloc[1:], 411, trials=2_000) <= 3


def test_quarters_whose_age_limits_are_written_down_are_parts():
    """The page's cure: whoever leaves, of any few people, one count of four moves, by one."""
    rng = np.random.default_rng(412)
    for _ in range(200):
        ages, paid = rng.integers(17, 91, 9), rng.integers(0, 2, 9)
        counts = [
            np.histogram(ages[rows], [17, 28, 37, 48, 91], weights=paid[rows])[0] for rows in (slice(9), slice(1, 9))
        ]
        assert np.abs(counts[0] - counts[1]).sum() <= 1


# The tables.


def test_domains_cover_the_census(census):
    for column in ORDER:
        assert census[column].isin(dp.CENSUS_DOMAINS[column]).all()


def test_education_and_its_small_cells(census):
    counts = census["Education"].value_counts()
    assert counts.index[-1] == "Preschool" and 24 < counts["Preschool"] < 100  # a few dozen people
    by_sex = census.groupby(["Education", "Sex"]).size().unstack(fill_value=0)
    assert (by_sex.max(axis=1) < counts.loc[by_sex.index]).all()  # smaller cells, so larger percentages


@pytest.fixture(scope="module")
def cells(census):
    sizes = {}
    for k in range(1, 7):
        table = pd.MultiIndex.from_product([dp.CENSUS_DOMAINS[column] for column in ORDER[:k]])
        found = census.groupby(ORDER[:k]).size()
        counts = found.to_numpy()
        sizes[k] = np.sort(np.concatenate([counts, np.zeros(len(table) - len(counts), int)]))[::-1]
    return sizes


def test_slider_says_what_is_true(page, cells):
    page["cells"] = cells
    assert [len(counts) for counts in cells.values()] == [16, 32, 160, 1120, 6720, 13440]
    for k, epsilon in itertools.product(range(1, 7), [0.01, 0.1, 2]):
        share = cells[k][1 / epsilon > cells[k] / 10].sum() / cells[k].sum()
        assert page["drowned"](k, epsilon) == pytest.approx(share)
    # "Three. With the fourth it is nearly a fifth."
    assert page["drowned"](3, 0.1) < 0.1
    assert 0.17 < page["drowned"](4, 0.1) < 0.2
    # Ten times the people at a tenth of the epsilon.
    page["cells"] = {3: 10 * cells[3]}
    at_a_tenth = page["drowned"](3, 0.1)
    page["cells"] = cells
    assert at_a_tenth == pytest.approx(page["drowned"](3, 1.0))


# The ledger.


def test_every_release_of_the_page_asks_the_ledger_first():
    code = [cell.source for cell in read(CHAPTER).cells if cell.cell_type == "code"]
    labs = next(i for i, source in enumerate(code) if "check(" in source)
    released = re.compile(r"= dp\.private_(count|histogram|crosstab)\(")
    releases = [source for source in code[:labs] if released.search(source)]
    assert len(releases) == 3
    for source in releases:
        cost = re.search(r"budget\.spend\(([\d.]+)", source)
        assert cost and cost.start() < released.search(source).start()
        assert f"epsilon={cost[1]}" in source
