"""What chapter 7 says, derived again; its short mechanisms against the package."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chapters.chance import proven
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import dp_helpers as dp

CHAPTER = "07-local-sensitivity"
FAILURE = 1e-6
DELTA = 1e-6
BOUNDS = {"lower": 0, "upper": 100}
TWO_OLD, ONE_OLD = np.array([20.0, 20, 20, 90, 90]), np.array([20.0, 20, 20, 20, 90])


@pytest.fixture(scope="module")
def ages(census):
    return census["Age"].to_numpy(float)


def beta(epsilon, delta=DELTA):
    return math.log1p(epsilon / (2 * math.log(2 / delta)))


# ---------------------------------------------------------------- noise for the table at hand


def test_nobody_moves_the_median_of_the_census(ages):
    ordered, middle = np.sort(ages), (len(ages) - 1) // 2
    assert len(ages) % 2 == 1  # an odd number, as the page's formulas want
    assert ordered[middle - 1] == ordered[middle] == ordered[middle + 1] == np.median(ages)
    assert 200 < (ages == np.median(ages)).sum() < 1000  # many hundreds
    # It takes hundreds of replacements to move it.
    below, above = (ages < np.median(ages)).sum(), (ages > np.median(ages)).sum()
    assert min(middle - below, len(ages) - 1 - above - middle) > 200


def test_the_clubs_noise_tells_them_apart(page):
    rng = np.random.default_rng(701)
    release = page["noise_for_this_table"]
    assert {release(ONE_OLD, rng) for _ in range(50)} == {20.0}
    noise = np.array([release(TWO_OLD, rng) for _ in range(5_000)]) - 20
    assert stats.kstest(noise, stats.laplace(scale=70).cdf).pvalue > FAILURE
    for mechanism in (release, page["with_floor"]):
        assert dp.audit(mechanism, TWO_OLD, ONE_OLD, trials=10_000, rng=rng).epsilon_lower_bound > 4


def test_a_floor_of_a_year_is_beyond_the_claim_with_any_seed():
    """The log of the ratio at distance z is z - z/70 - ln 70 in the tails: here by answers 8 years off."""
    assert round(math.log(70), 1) == 4.2 < proven(math.exp(-8 / 70), math.exp(-8), 10_000)


def test_noise_for_this_table_gives_the_club_away(page):
    """Noise for this table gives the club away at every ε, noise for the worst table at none; both clubs come up."""
    titles = set()
    for seed in range(6):
        axes = page["five_medians"](1, "this table", "shown", seed).axes[0]
        dots = axes.lines[1]
        titles.add(title := axes.get_title())
        assert (title == "it has one of 90") == (np.ptp(dots.get_xdata()) == 0)
        worst = [page["five_medians"](1, "the worst table", club, seed).axes[0] for club in ("shown", "hidden")]
        assert np.ptp(worst[0].lines[1].get_xdata()) > 0 and worst[1].get_title() == "which club is it?"
    assert titles == {"it has one of 90", "it has two of 90"}
    plt.close("all")
    assert page["median_sensitivity"](ONE_OLD, 0, 0, 100) == 0 < page["median_sensitivity"](TWO_OLD, 0, 0, 100) == 70


# ---------------------------------------------------------------- propose-test-release


def test_the_test_on_the_median(page, ages):
    rows_to_trouble, threshold = page["rows_to_trouble"], 2 * math.log(1 / (2 * DELTA))
    assert [rows_to_trouble([1, 2, 4, 7, 8], bound, 0, 10) for bound in (2, 4, 5, 10)] == [0, 1, 2, math.inf]
    # Nothing but D = 0 at both tables where a neighbour's median is farther than the bound.
    for club in (TWO_OLD, ONE_OLD):
        assert (rows_to_trouble(club, 1, 0, 100) == 0) == (page["median_sensitivity"](club, 0, 0, 100) > 1)
    assert abs(rows_to_trouble(TWO_OLD, 1, 0, 100) - rows_to_trouble(ONE_OLD, 1, 0, 100)) <= 1
    # The census passes with any seed; the 501 people practically never do.
    census, few = (rows_to_trouble(x, 0.01, 0, 100) for x in (ages, ages[:501]))
    assert 26 < threshold < 26.5 and few < 10 and round(math.log(1 / 0.02), 1) == 3.9  # of the path, and of its figure
    assert stats.laplace.sf((threshold - few) / 2) < 1e-4 and stats.laplace.sf((census - threshold) / 2) < 1e-6
    assert 6 < 2 * 0.01 * 365 < 8  # a week


# ---------------------------------------------------------------- smooth sensitivity


def test_median_sensitivity_is_that_of_all_tables_so_far_away(page):
    grid = (0, 1, 4, 9, 10)
    for table in [(1, 4, 9), (0, 1, 10), (4, 4, 4), (1, 4, 4, 9, 10), (0, 0, 4, 9, 9)]:
        n, reached = len(table), {tuple(sorted(table))}
        for k in range(n if n == 3 else 2):
            local = 0
            for other in reached:
                neighbours = [(*other[:i], new, *other[i + 1 :]) for i in range(n) for new in grid]
                local = max(local, max(abs(np.median(x) - np.median(other)) for x in neighbours))
            assert page["median_sensitivity"](table, k, 0, 10) == local
            reached |= {tuple(sorted((*x[:i], new, *x[i + 1 :]))) for x in reached for i in range(n) for new in grid}


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9), st.floats(0.01, 3), st.floats(0, 10))
def test_the_pages_smooth_sensitivity_is_the_packages_and_smooth(page_smooth, values, b, new):
    values = values if len(values) % 2 else values[1:] or [0.0]
    values = values if len(values) % 2 else [*values, 5.0]
    smooth = page_smooth(values, b, 0, 10)
    assert smooth == pytest.approx(dp.smooth_sensitivity_median(values, lower=0, upper=10, beta=b), abs=1e-9)
    neighbour = page_smooth([new, *values[1:]], b, 0, 10)
    assert smooth <= math.exp(b) * neighbour + 1e-9 and neighbour <= math.exp(b) * smooth + 1e-9


@pytest.fixture(scope="module")
def page_smooth(page):
    return page["smooth_sensitivity"]


def test_smooth_sensitivity_may_equal_the_local_one(page):
    example = [1, 2, 4, 7, 8]
    assert [page["median_sensitivity"](example, k, 0, 10) for k in (0, 1, 5)] == [3, 5, 10]
    assert 5 * math.exp(-2) < 3 == page["smooth_sensitivity"](example, 2.0, 0, 10)


def test_smoothing_ends_the_attack_on_the_clubs(page):
    """At a price: their noise is larger than that for the worst table."""
    both = [page["smooth_sensitivity"](club, beta(1), 0, 100) for club in (TWO_OLD, ONE_OLD)]
    assert both[0] == pytest.approx(both[1]) and round(both[0]) == 84


def test_the_median_age_of_the_census_is_nearly_free(ages):
    assert dp.smooth_sensitivity_median(ages, **BOUNDS, beta=beta(1)) < 1e-4 / 2 / 20  # exact to four decimals
    assert dp.smooth_sensitivity_median(ages, **BOUNDS, beta=beta(0.1)) < 1


def test_slider_which_distance_decides(page, ages):
    sizes, epsilons = [51, 101, 201, 301, 501, 1001], [0.1, 0.2, 0.5, 1, 2, 5]
    page["ages"], page["delta"], page["gaps"] = ages, DELTA, {}
    gaps = {n: page["discounted"](1, n)[1] for n in sizes}
    for k in (0, 1, 20, 51):  # the figure's fast version against the page's loop
        assert gaps[51][k] == page["median_sensitivity"](ages[:51], k, 0, 100)
    assert all(gap[-1] == 100 and (np.diff(gap) >= 0).all() for gap in gaps.values())  # climbs to 100 years
    terms = {(e, n): np.exp(-beta(e) * np.arange(n + 1)) * gaps[n] for e in epsilons for n in sizes}
    decides = {key: values.argmax() for key, values in terms.items()}
    for (e, n), values in terms.items():
        assert values.max() == pytest.approx(dp.smooth_sensitivity_median(ages[:n], **BOUNDS, beta=beta(e)))
        assert (values <= gaps[n]).all()
    assert [decides[0.1, n] for n in (51, 101, 201)] == [51, 101, 201]
    # From about 300 people on, half of the table: one side of the median.
    assert [decides[0.1, n] / n for n in (301, 501, 1001)] == pytest.approx([0.5] * 3, abs=0.01)
    assert decides[1, 1001] < 10 and 10 < beta(1) * 1001 < 100
    assert decides[5, 201] < 10 < decides[0.5, 201]
    assert terms[5, 201].max() < 1


# ---------------------------------------------------------------- sample-and-aggregate


def test_the_pages_chunks_are_the_packages(page):
    rng = np.random.default_rng(705)
    values, runs = np.array([0.0, 5, 5, 6, 30]), 4_000
    setting = {"chunks": 4, "lower": 0, "upper": 10, "epsilon": 2.0, "rng": rng}
    ours = [page["chunked"](values, np.median, **setting) for _ in range(runs)]
    theirs = [dp.sample_and_aggregate(values, np.median, **setting) for _ in range(runs)]
    assert stats.ks_2samp(ours, theirs).pvalue > FAILURE


def test_600_chunks_are_right_to_a_fraction_of_a_year(ages):
    rng = np.random.default_rng(706)
    for statistic in (np.mean, np.median):
        answer = dp.sample_and_aggregate(ages, statistic, chunks=600, **BOUNDS, epsilon=1e9, rng=rng)
        assert abs(answer - statistic(ages)) < 0.4
    assert 100 / 600 < 0.2 and 50 < len(ages) / 600 < 60


# ---------------------------------------------------------------- shortcuts, routes


def test_the_textbooks_beta_breaks_the_promise_at_a_large_epsilon(page):
    # The event of the page: farther than 3 from 0.5.
    tables, epsilon, delta = [[0, 0, 1, 28.51, 28.51], [0, 0, 0, 1, 28.51]], 20, 0.1
    ratio = epsilon / (2 * math.log(2 / delta))
    for b, least in [(ratio, 0.337), (math.log1p(ratio), 0.0)]:
        laws = [stats.laplace(np.median(x), 2 * page["smooth_sensitivity"](x, b, 0, 28.51) / epsilon) for x in tables]
        chances = [law.sf(3.5) + law.cdf(-2.5) for law in laws]
        assert max(chances[0] - math.exp(epsilon) * chances[1], 0) == pytest.approx(least, abs=5e-4)


def mean_errors(ages):
    """Return the expected error of the routes to the mean, by simulation of the noise alone."""
    rng = np.random.default_rng(707)
    n, runs = len(ages), 400_000
    total, count = rng.laplace(0, 1, (2, runs))
    return {
        "plain": np.abs((ages.sum() + 200 * total) / (n + 2 * count) - ages.mean()).mean(),
        "centred": np.abs(50 + ((ages - 50).sum() + 100 * total) / (n + 2 * count) - ages.mean()).mean(),
        "tested": 2 * 0.005,
        "tight": 2 * 0.0031,
        "doubled": 0.005,
    }


def test_the_global_route_wins_for_the_mean(page, ages):
    errors = mean_errors(ages)
    assert errors["doubled"] < 0.85 * errors["plain"] < errors["plain"] < 0.8 * errors["tested"]
    assert 0.8 < errors["tight"] / errors["plain"] < 1.1  # about level
    assert 1.7 < errors["tight"] / errors["centred"] < 2.4  # twice as good
    assert 10 * errors["tested"] < 100 / 600


def test_the_smoothed_route_wins_for_the_median_of_the_census_only(ages):
    rng, some = np.random.default_rng(709), ages[:501]

    def error(table, runs=400):
        exact, half = np.median(table), {"epsilon": 0.5, "rng": rng}
        return np.mean([abs(dp.private_quantile(table, 0.5, **BOUNDS, **half) - exact) for _ in range(runs)])

    def smoothed(table):
        return 2 * dp.smooth_sensitivity_median(table, **BOUNDS, beta=beta(1))

    assert smoothed(ages) < 0.001 < 0.1 < error(ages, 100) < 1
    assert error(some) < 1.2 < smoothed(some) < 100 / 30 < 100
    assert 1 / 525_600 < smoothed(ages) < 10 / 525_600  # years: "a minute or two"


# ---------------------------------------------------------------- find the bug, ledger, self-check


def test_slices_shift_and_scattered_chunks_do_not(page):
    rng = np.random.default_rng(710)
    flats = np.tile([20.0, 20, 20, 90, 90, 90], 4)
    with_first = [np.ptp(flats[i : i + 3]) for i in range(0, 24, 3)]
    without = [np.ptp(flats[1:][i : i + 3]) for i in range(0, 23, 3)]
    assert (len(with_first), len(without)) == (8, 8)
    assert set(with_first) == {0} and sum(value > 0 for value in without) == 7
    assert 60 < np.mean(without) < 62
    found = dp.audit(page["sliced"], flats, flats[1:], trials=10_000, rng=rng).epsilon_lower_bound
    assert found > 3
    halfway = np.mean(without) / 2 / 12.5
    assert proven(stats.laplace.sf(-halfway), stats.laplace.sf(halfway), 10_000) > 2  # with any seed
    honest = dp.audit(page["scattered"], flats, flats[1:], trials=1_000, rng=rng).epsilon_lower_bound
    assert honest <= 1


@pytest.mark.parametrize("people", [1, 5, 8, 9, 17, 24, 25, 63, 64, 65])
def test_under_replace_one_slices_keep_their_promise_however_many_people_there_are(page, people):
    """The noise is for as many slices as there are, 5 for 9 people: the largest ratio of densities is e at most."""

    class Kept:
        def laplace(self, _, scale):
            self.scale = scale
            return 0.0

    rng = np.random.default_rng(712)
    for _ in range(50):
        house, kept = rng.choice([0.0, 50, 100], people), Kept()
        other = house.copy()
        other[rng.integers(people)] = rng.choice([0.0, 100])
        moved = abs(page["sliced"](house, kept) - page["sliced"](other, kept))
        assert moved <= kept.scale * (1 + 1e-12)


def test_what_the_oldest_of_a_chunk_says(ages):
    chunks = np.array_split(np.random.default_rng(711).permutation(ages), 600)
    assert np.mean([chunk.max() for chunk in chunks]) < ages.max() - 5
