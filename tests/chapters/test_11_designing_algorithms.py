"""What chapter 11 says, derived again; its short algorithms against independent ones."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from chapters.chance import another, streams
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import dp_helpers as dp

CHAPTER = "11-designing-algorithms"
FAILURE = 1e-6
YEARS = np.arange(17, 91)


@pytest.fixture(scope="module")
def page(page):
    """The page's functions with what they take from the page's set-up."""
    page |= {"years": YEARS, "rng": np.random.default_rng(1100)}
    return page


@pytest.fixture(scope="module")
def ages(census):
    return census["Age"].to_numpy()


def rms(errors, axis=None):
    return np.sqrt(np.square(errors).mean(axis=axis))


def strategy_of(page, cells, fan):
    """Return the matrix of a tree, column by column: what each person is counted in."""
    return np.array([np.concatenate(page["tree"](person, fan)) for person in np.eye(cells)]).T


# ---------------------------------------------------------------- asking for what you want


def test_range_sums_are_those_of_all_ranges(page):
    counts = [3, 1, 4, 1, 5]
    ranges = [(low, high) for low in range(5) for high in range(low, 5)]
    assert page["range_sums"](counts).tolist() == [sum(counts[low : high + 1]) for low, high in ranges]


def test_asking_for_each_range_costs_hundreds_of_times_the_error(page):
    effects = [page["range_sums"](person).sum() for person in np.eye(74)]
    assert effects == [(i + 1) * (74 - i) for i in range(74)] and max(effects) == 37 * 38
    widths = page["range_sums"](np.ones(74))
    asked, added = math.sqrt(2) * max(effects), math.sqrt(2 * widths.mean())
    assert asked / added > 200
    # As printed, with any seed: one draw for each range, and a hundred releases of the counts.
    printed = [rms([page["range_sums"](noise) for noise in rng.laplace(0, 1, (100, 74))]) for rng in streams(11)]
    assert 0.9 * asked / another(printed)[1] > 200


def test_one_age_is_in_nine_of_fifteen_ranges_and_in_1406_of_2775():
    for ages, person, inside, every in [(range(1, 6), 3, 9, 15), (range(17, 91), 53, 1_406, 2_775)]:
        ranges = [(low, high) for low in ages for high in ages if low <= high]
        assert len(ranges) == every and sum(low <= person <= high for low, high in ranges) == inside
        assert max(sum(low <= age <= high for low, high in ranges) for age in ages) == inside


def test_the_planners_two_ways_differ_a_hundredfold_in_error(page, ages):
    counts = np.bincount(ages, minlength=91)[YEARS]
    thirties = (YEARS >= 30) & (YEARS < 40)
    page |= {"counts": counts, "thirties": thirties}
    exact = counts[thirties].sum()
    assert 8_000 < exact < 9_000  # "about 8,500"
    at_a_tenth = np.array([page["two_ways"](0.1, seed)[1:] for seed in range(12)]) - exact
    assert 10 < rms(at_a_tenth[:, 0]) < 100 and 5_000 < rms(at_a_tenth[:, 1]) < 60_000


# ---------------------------------------------------------------- problem 1


def test_one_person_changes_the_three_sums_by_at_most_two_and_a_half():
    t = np.linspace(-1, 1, 2001)
    assert (1 + abs(t) + abs(t**2 - 0.5)).max() == pytest.approx(2.5)
    assert (1 + abs(t) + t**2).max() == pytest.approx(3)


def test_moments_noise_and_values(page):
    assert np.allclose(page["moments"](np.array([40, 60]), 1e12, np.random.default_rng(0)), [2, 50, 10])
    assert np.allclose(page["moments"](np.array([-5, 300]), 1e12, np.random.default_rng(0)), [2, 50, 50])
    rng = np.random.default_rng(1101)
    counts = [page["moments"](np.full(1000, 30), 0.5, rng)[0] for _ in range(4_000)]
    assert stats.kstest(counts, stats.laplace(1000, 5).cdf).pvalue > FAILURE
    # Their three noises hide a person of any age.
    old = np.full(3, 100)
    found = dp.audit(lambda x, g: np.array(page["moments"](x, 1, g)), old, old[1:], trials=3_000, rng=rng)
    assert found.epsilon_lower_bound <= 1


def test_which_summary_is_best(page, ages):
    page["rng"] = rng = np.random.default_rng(1102)
    truth = len(ages), ages.mean(), ages.std(), np.median(ages)
    designs = [page[name] for name in ("separately", "sums_and_median", "from_histogram")]
    runs = {design: np.array([design(ages, 1, rng) for _ in range(400)]) for design in designs}
    apart, sums, cells = (rms(runs[design] - truth, axis=0) for design in designs)
    squares = [np.square(runs[design] - truth) for design in designs]
    # A mean of 400 squares is normal: five deviations lie between what the page calls worse and better.
    for worse, better, place in [(0, 1, 1), (0, 1, 2), (2, 0, 0), (2, 1, 0), (0, 2, 1)]:
        gap = squares[worse][:, place].mean() - squares[better][:, place].mean()
        assert gap > 5 * math.sqrt((squares[worse][:, place].var() + squares[better][:, place].var()) / 400)
    assert cells[0] > max(apart[0], sums[0])  # the worst count
    assert cells[1] < 0.8 * apart[1]  # Predict: a better mean than the separate one
    assert cells[3] == 0 < min(apart[3], sums[3])
    # The exact median has hundreds of people on either side to spare, and noise of some dozen.
    below, up_to = (ages < truth[3]).sum(), (ages <= truth[3]).sum()
    assert min(len(ages) / 2 - below, up_to - len(ages) / 2) > 200 > 12 * math.sqrt(2 * 74) / math.sqrt(2)


def test_forecast_of_the_histograms_mean(page, ages):
    page["rng"] = rng = np.random.default_rng(1103)
    means = np.array([page["from_histogram"](ages, 1, rng)[1] for _ in range(2_000)])
    forecast = math.sqrt(2 * ((YEARS - ages.mean()) ** 2).sum()) / len(ages)
    # The square of an error has a kurtosis below 10: its mean is within 6 sd of the forecast.
    assert rms(means - ages.mean()) == pytest.approx(forecast, rel=0.2)


# ---------------------------------------------------------------- problem 2


def test_one_histogram_beats_ten_selections(page, census):
    gains = np.bincount(census["Capital Gain"], minlength=100_000)
    top, rng = np.argsort(-gains)[:10], np.random.default_rng(1104)
    found = {
        (name, e): np.mean([np.isin(page[name](gains, 10, e, rng), top).sum() for _ in range(10)])
        for name, e in itertools.product(("most_common", "in_rounds"), (1, 0.1))
    }
    for e in (1, 0.1):
        assert found["most_common", e] > found["in_rounds", e] + 1
    assert np.sort(gains)[-1] > len(census) / 2 and top[0] == 0  # most people have 0


def test_in_rounds_finds_different_places(page):
    counts = np.array([5, 900, 40, 700, 600])
    assert page["in_rounds"](counts, 3, 100, np.random.default_rng(0)) == [1, 3, 4]
    assert page["most_common"](counts, 3, 100, np.random.default_rng(0)).tolist() == [1, 3, 4]


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.02), (0.5, 0.2)])
def test_thresholded_histogram_lets_single_values_through_with_probability_delta(page, epsilon, delta):
    rng, words = np.random.default_rng(1105), pd.Series(["rain"] * 60 + ["wrasse"])
    shown = sum("wrasse" in page["frequent"](words, epsilon, delta, rng).index for _ in range(1_000))
    assert stats.binomtest(shown, 1_000, delta).pvalue > FAILURE


def test_thresholded_histogram_is_ordered_by_noisy_counts_and_hides_single_values(page, census):
    found = page["frequent"](census["Capital Gain"], 1, 1e-6, np.random.default_rng(1106))
    assert found.is_monotonic_decreasing and found.index[0] == 0
    occurring = census["Capital Gain"].value_counts()
    assert occurring.min() == 1 < occurring[found.index].min()


# ---------------------------------------------------------------- problem 3


@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 2**31))
def test_consistency_is_least_squares(page, cells, fan, seed):
    tree, consistent, rng = page["tree"], page["consistent"], np.random.default_rng(seed)
    levels = page["noisy_tree"](rng.integers(0, 50, cells), fan, 1.0, rng)
    size = len(levels[0])
    assert size >= cells and (size == 1 or size // fan < cells)
    strategy = np.vstack([np.kron(np.eye(size // fan**h), np.ones(fan**h)) for h in range(len(levels))])
    exact = rng.integers(0, 50, size)
    assert np.allclose(np.concatenate(tree(exact, fan)), strategy @ exact)
    assert np.allclose(consistent(levels, fan), np.linalg.pinv(strategy) @ np.concatenate(levels))


def test_one_person_is_counted_once_on_each_level(page):
    for cells, fan in [(8, 2), (9, 3), (64, 8), (10, 4)]:
        strategy = strategy_of(page, cells, fan)
        levels = len(page["tree"](np.zeros(cells), fan))
        assert (strategy.sum(axis=0) == levels).all() and set(strategy.ravel()) == {0, 1}
    rng = np.random.default_rng(1107)
    nodes = np.concatenate([np.concatenate(page["noisy_tree"](np.zeros(8), 2, 0.5, rng)) for _ in range(600)])
    assert stats.kstest(nodes, stats.laplace(0, 4 / 0.5).cdf).pvalue > FAILURE


@given(st.integers(0, 63), st.integers(1, 64), st.sampled_from([2, 4, 8]))
def test_nodes_needed_is_the_smallest_number(page, low, length, fan):
    high = min(low + length, 64)
    covered, used = low, 0
    while covered < high:  # greedily, the largest node that begins here and fits
        width = max(fan**h for h in range(7) if covered % fan**h == 0 and covered + fan**h <= high)
        covered, used = covered + width, used + 1
    assert page["nodes_needed"](low, high, fan) == used


def test_when_a_tree_pays(page):
    """The table on the path, from the strategies and by simulation: no draw decides it."""

    def errors(first, last, cells, fan):
        levels = len(page["tree"](np.zeros(cells), fan))
        return math.sqrt(2 * (last - first)), levels * math.sqrt(2 * page["nodes_needed"](first, last, fan))

    added, tree = errors(1, 7, 8, 2)
    assert (round(added, 1), round(tree, 1)) == (3.5, 11.3)
    whole = errors(0, 8, 8, 2)  # self-check: nor does the root pay
    assert whole[0] == 4 and whole[1] == pytest.approx(5.66, abs=0.01)
    added, tree = errors(2087, 2088, 4096, 16)
    assert tree > added
    added, tree = errors(2087, 2609, 4096, 16)
    assert 0.8 < tree / added < 1  # "level at a decade"
    added, tree = errors(0, 2609, 4096, 16)
    assert tree < added / 3


@pytest.fixture(scope="module")
def errors(page):
    """Return, by (cells, children), lengths and standard deviations: cells added, as measured, consistent."""

    def typical(cells, fan):
        rng, levels = np.random.default_rng([11, cells, fan]), len(page["tree"](np.zeros(cells), fan))
        lengths, measured = np.unique(np.geomspace(1, cells // 2, 9).astype(int)), []
        for length in lengths:
            starts = np.linspace(0, cells - length, 40).astype(int).tolist()
            nodes = np.mean([page["nodes_needed"](low, low + length, fan) for low in starts])
            measured.append(levels * math.sqrt(2 * nodes))
        table = np.zeros(cells)
        trees = [page["consistent"](page["noisy_tree"](table, fan, 1, rng), fan) for _ in range(100)]
        ends = np.cumsum(np.pad(np.array(trees)[:, :cells], ((0, 0), (1, 0))), axis=1)
        return lengths, np.sqrt(2 * lengths), measured, np.array([(ends[:, w:] - ends[:, :-w]).std() for w in lengths])

    return {(cells, fan): typical(cells, fan) for cells in (64, 4096) for fan in (2, 8, 16, 64)}


def test_simulated_errors_are_the_formulas(page, errors):
    for fan in (2, 8, 64):
        strategy = strategy_of(page, 64, fan)
        lengths, _, _, final = errors[64, fan]
        for length, error in zip(lengths, final, strict=True):
            ranges = np.array([np.eye(64)[s : s + length].sum(axis=0) for s in range(65 - length)])
            assert error == pytest.approx(page["expected_error"](ranges, strategy, 1), rel=0.25)


def test_how_many_children_a_node_should_have(errors):
    def crossing(fan):
        lengths, plain, _, final = errors[4096, fan]
        assert ((final < plain) == (lengths >= lengths[np.argmax(final < plain)])).all()
        first = np.argmax(final < plain)
        return lengths[first - 1], lengths[first]

    low, high = crossing(2)
    assert high > 200 and low < 800  # several hundred cells
    assert all((errors[64, fan][3] > 0.99 * errors[64, fan][1]).all() for fan in (2, 8, 16, 64))
    lengths, plain, _, final = errors[4096, 16]
    assert 100 < np.interp(0, plain - final, lengths) < 200
    assert 0.25 < final[-1] / plain[-1] < 0.4  # about a third
    ends = {fan: errors[4096, fan][3] for fan in (2, 8, 16, 64)}
    for best in (8, 16):
        assert (ends[best] < ends[2]).all()
        assert ends[best][-2:].mean() < ends[64][-2:].mean()


def test_consistency_never_hurts(errors):
    for *_, measured, final in errors.values():
        assert (final < 1.08 * np.array(measured)).all()  # simulated: within its noise


# ---------------------------------------------------------------- problem 4


def test_expected_error_is_that_of_a_simulation(page):
    rng = np.random.default_rng(1108)
    workload, strategy = np.tril(np.ones((8, 8))), page["tree_strategy"](8, 2)
    x, scale = rng.integers(0, 30, 8), 4 / 0.5
    noise = rng.laplace(0, scale, (20_000, len(strategy)))
    answers = (strategy @ x + noise) @ np.linalg.pinv(strategy).T @ workload.T
    assert page["expected_error"](workload, strategy, 0.5) == pytest.approx(rms(answers - workload @ x), rel=0.05)
    assert np.allclose(answers.mean(axis=0), workload @ x, atol=1)  # no bias


def test_tree_strategy_is_the_tree(page):
    for fan in (2, 8):
        assert (page["tree_strategy"](64, fan) == strategy_of(page, 64, fan)).all()


def test_each_workload_has_the_best_strategy_that_the_page_names(page):
    error, eye = page["expected_error"], np.eye(64)
    prefixes, ranges = np.tril(np.ones((64, 64))), np.array([page["range_sums"](cell) for cell in eye]).T
    trees = [page["tree_strategy"](64, fan) for fan in (2, 8)]
    for workload, best in [(eye, eye), (ranges, eye), (prefixes, trees[1])]:
        others = [error(workload, s, 1) for s in (eye, prefixes, *trees) if s is not best]
        assert error(workload, best, 1) < min(others)
        assert error(workload, prefixes, 1) == max(others)


# ---------------------------------------------------------------- problem 5


def test_one_row_changes_one_answer_and_empty_chunks_answer(page):
    table = pd.DataFrame({"x": [1.0, 2, 3]})
    answers = page["chunk_answers"](table, lambda part: part["x"].sum(), 50, -1.0, np.random.default_rng(2))
    assert len(answers) == 50 and answers.count(-1.0) >= 47 and sum(a for a in answers if a > 0) == 6
    other = table.assign(x=[1.0, 20, 3])
    changed = page["chunk_answers"](other, lambda part: part["x"].sum(), 50, -1.0, np.random.default_rng(2))
    assert sum(a != b for a, b in zip(answers, changed, strict=True)) == 1


def test_mean_depends_on_the_bounds_and_median_hardly(page, census):
    page["rng"] = rng = np.random.default_rng(1109)
    slopes = np.array(page["chunk_answers"](census, page["slope"], 300, 0.0, rng))
    truth = page["slope"](census)
    error = {
        (name, bound): rms(np.array([page[name](slopes, bound) for _ in range(200)]) - truth)
        for name in ("averaged", "middle")
        for bound in (2, 1000)
    }
    assert max(error["averaged", 2], error["middle", 2]) < 0.06  # both do well
    assert error["averaged", 1000] > 100 * error["averaged", 2]
    assert error["middle", 1000] < 2 * error["middle", 2] + 0.02
    assert np.abs(slopes).max() < 10


def test_aggregators_cost_one_epsilon_under_replace_one(page):
    page["rng"] = rng = np.random.default_rng(1110)
    answers = np.zeros(300)
    noise = [page["averaged"](answers, 10) for _ in range(4_000)]
    assert stats.kstest(noise, stats.laplace(0, 20 / 300).cdf).pvalue > FAILURE
    pair = np.array([-1.0, -1, -1, 1, 1]), np.array([-1.0, -1, 1, 1, 1])
    found = dp.audit(lambda x, g: page["middle"](x, 1), *pair, trials=3_000, rng=rng)
    assert found.epsilon_lower_bound <= 1


def test_education_wins_the_vote(page, census):
    page["columns"] = columns = ["Age", "Education-Num", "Hours per week", "Capital Gain"]
    numbers = census[columns].assign(rich=census["Target"] == ">50K")
    ballots = page["chunk_answers"](numbers, page["closest"], 100, columns[0], np.random.default_rng(1111))
    votes = [ballots.count(column) for column in columns]
    assert sum(votes) == 100 and votes[1] - max(votes[:1] + votes[2:]) > 25
    # With Laplace noise of scale 2 on both, a gap g is overturned with probability (2 + g/2) e^(-g/2) / 4.
    assert 3 * (2 + 12.5) * math.exp(-12.5) / 4 < 1e-4


# ---------------------------------------------------------------- find the bug


def test_tuned_errors_are_right_but_the_choice_leaks(page):
    rng = np.random.default_rng(1113)
    for a, b in [(5, 7), (5, 8), (20, 3)]:
        town = np.repeat([0, 1], [a, b])
        halves = (a - b) ** 2 / 4 + 1 / 2
        answers = np.array([page["tuned"](town, rng) for _ in range(20_000)])
        expected = min(halves, 2)
        # Both districts have the same expected squared error; its relative error is below 10% here.
        assert np.square(answers - (a, b)).mean() == pytest.approx(expected, rel=0.1)
        assert (answers[:, 0] == answers[:, 1]).all() == (halves < 2)
    town = np.repeat([0, 1], [5, 8])
    found = dp.audit(page["equal"], town, town[:-1], trials=3_000, rng=rng)
    assert found.epsilon_lower_bound > 5
