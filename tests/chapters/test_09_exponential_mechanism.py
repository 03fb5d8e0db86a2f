"""What chapter 9 says, derived again; its short mechanisms against the package."""

import itertools
import math
import random  # noqa: F401 (a patched answer draws from it)

import numpy as np
import pytest
from chapters.chance import proven
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import dp_helpers as dp

CHAPTER = "09-exponential-mechanism"
FAILURE = 1e-6

STATUSES = dp.CENSUS_DOMAINS["Marital Status"]
BOUNDS = np.array([1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000])
ONE_VOTE = {"sensitivity": 1, "epsilon": 1, "monotonic": True}


@pytest.fixture(scope="module")
def counts(census):
    return census["Marital Status"].value_counts().reindex(STATUSES, fill_value=0)


@pytest.fixture(scope="module")
def chances(page):
    return page["chances"]


def largest_loss(p, q):
    return max(abs(math.log(a / b)) for a, b in zip(p, q, strict=True))


# ---------------------------------------------------------------- the mechanism and its factor


def test_the_chances_are_those_computed_by_hand(chances):
    assert chances([2, 1, 0], sensitivity=1, epsilon=2 * math.log(2)) == pytest.approx([4 / 7, 2 / 7, 1 / 7])


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(0.5, 10), st.floats(0.01, 2), st.booleans())
def test_the_pages_chances_are_the_packages(page_chances, scores, sensitivity, epsilon, monotonic):
    setting = {"sensitivity": sensitivity, "epsilon": epsilon, "monotonic": monotonic}
    expected = np.exp(epsilon * np.array(scores) / (sensitivity if monotonic else 2 * sensitivity))
    p = page_chances(scores, **setting)
    assert p == pytest.approx(dp.exponential_probabilities(scores, **setting))
    assert p == pytest.approx(expected / expected.sum())


@pytest.fixture(scope="module")
def page_chances(page):
    return page["chances"]


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-1, 1)), min_size=2, max_size=8), st.floats(0.1, 3), st.booleans()
)
def test_no_chance_changes_by_more_than_the_theorem_says(page_chances, pairs, epsilon, monotonic):
    before = np.array([score for score, _ in pairs])
    change = np.array([abs(move) if monotonic else move for _, move in pairs])
    setting = {"sensitivity": 1, "epsilon": epsilon, "monotonic": monotonic}
    losses = np.log(page_chances(before, **setting) / page_chances(before + change, **setting))
    assert np.abs(losses).max() <= epsilon + 1e-9


def test_the_packages_choice_follows_the_pages_chances(page):
    rng, scores, runs = np.random.default_rng(901), [0.0, 2.0, -1.0], 20_000
    law = page["chances"](scores, 1.5, 0.75)
    drawn = dp.exponential_mechanism(["a", "b", "c"], scores, sensitivity=1.5, epsilon=0.75, size=runs, rng=rng)
    seen = [list(drawn).count(name) for name in "abc"]
    assert stats.chisquare(seen, runs * law).pvalue > FAILURE


def test_the_factor_2_is_needed_in_general_and_wasted_on_monotonic_scores(page):
    loss = page["loss"]
    for n in (2, 10, 1000, 100_000):
        before = np.zeros(n)
        falls, stays = np.full(n, -1.0), np.zeros(n)
        falls[0] = stays[0] = 1
        general = loss(before, falls)
        assert general == pytest.approx(abs(0.5 + math.log(n / (math.exp(0.5) + (n - 1) * math.exp(-0.5))))) or n == 2
        assert general < 1 and loss(before, stays) < 0.5
        assert loss(before, stays, monotonic=True) < 1
    assert general > 0.999 and loss(before, stays, monotonic=True) > 0.999
    assert 0.499 < loss(before, stays) < 0.5


# ---------------------------------------------------------------- the marital status


def test_the_most_common_marital_status(counts):
    ordered = counts.sort_values(ascending=False)
    lead = ordered.iloc[0] - ordered.iloc[1]
    assert counts.idxmax() == "Married-civ-spouse" and len(STATUSES) == 7 and 2000 < lead < 10_000

    def right(epsilon):
        return dp.exponential_probabilities(counts, **ONE_VOTE | {"epsilon": epsilon}).max()

    assert right(1) > 1 - 1e-9
    assert 0.95 < right(0.001) < 0.995  # the runner-up stands a chance
    assert right(0.0001) < 0.5
    half = dp.exponential_probabilities(counts, **ONE_VOTE | {"epsilon": 0.001})
    assert half["Never-married"] / half.max() == pytest.approx(math.exp(-0.001 * lead))


def test_scores_in_thousands_with_the_sensitivity_of_one(page, counts):
    thousands = counts / 1000
    careless = page["chances"](thousands, sensitivity=1, epsilon=1, monotonic=True)
    assert 0.95 < careless.max() < 0.995  # wrong now and then
    real = 0
    for status in STATUSES:
        less = counts - (counts.index == status)
        real = max(real, largest_loss(careless, page["chances"](less / 1000, sensitivity=1, epsilon=1, monotonic=True)))
    assert 0.0008 < real <= 0.001
    assert page["chances"](thousands, sensitivity=0.001, epsilon=1).max() > 1 - 1e-9
    # Its epsilon, as defined: the sensitivity is 0.001 and 1 was passed; and the other way round.
    assert (0.001 / 1, 1 / 0.001) == (0.001, 1000)
    assert thousands.max() / (2 * 0.001) > 1000 and thousands.max() / 0.002 > math.log(np.finfo(float).max)
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(thousands / (2 * 0.001))
        assert np.isnan((weights / weights.sum())["Married-civ-spouse"])


def test_slider_how_epsilon_moves_the_choice(page, census):
    page |= {"census": census, "statuses": STATUSES, "one_vote": ONE_VOTE}
    p = page["status_chances"]
    epsilons = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]
    assert p(0.03, 500).max() < 0.9 < 0.95 < p(0.05, 500).max()
    leads = [np.subtract(*census["Marital Status"].head(rows).value_counts().iloc[:2]) for rows in (500, 5000)]
    assert 55 <= leads[0] <= 75 and 9 <= leads[1] / leads[0] <= 12 and 0.02 < math.exp(-0.05 * 65) < 0.04
    for epsilon in epsilons:
        for rows in (50, 500, 5000):
            if epsilon >= 0.001 and (epsilon / 10) in epsilons:
                many = p(epsilon / 10, 10 * rows).max()
                assert abs(p(epsilon, rows).max() - many) < 0.2
    assert p(1e-9, 500).to_numpy() == pytest.approx(np.full(7, 1 / 7), abs=1e-6)
    assert round(100 / 7, 1) == 14.3


# ---------------------------------------------------------------- utility


@given(st.lists(st.floats(-30, 0), min_size=1, max_size=20), st.floats(0.1, 3), st.floats(0, 5), st.booleans())
def test_the_utility_theorem_holds(page_chances, scores, epsilon, t, monotonic):
    short = (1 if monotonic else 2) / epsilon * (math.log(len(scores)) + t)
    p = page_chances(scores, sensitivity=1, epsilon=epsilon, monotonic=monotonic)
    assert p[np.array(scores) < max(scores) - short].sum() <= math.exp(-t) + 1e-12


def test_the_hardest_scores_come_close(page_chances):
    for t in (0, 1, 2, 4):
        scores = np.append(0, np.full(99, -4 * (math.log(100) + t)))
        missed = 1 - page_chances(scores, sensitivity=1, epsilon=0.5)[0]
        x = 0.99 * math.exp(-t)
        assert missed == pytest.approx(x / (1 + x))
        assert missed > 0.85 * math.exp(-t) or t < 2
    assert math.log(7) + math.log(1000) == pytest.approx(9, abs=0.2)
    assert math.log(1e6) == pytest.approx(3 * math.log(100))


# ---------------------------------------------------------------- report noisy max


LAWS = {"laplace": stats.laplace, "gumbel": stats.gumbel_r, "exponential": stats.expon}


def best_wins(rivals, gap, noise):
    """Return how often the best beats equal rivals, by integration; ``gap`` is in noise scales."""
    edges, law = np.union1d(np.linspace(-40, 60, 401), gap), LAWS[noise]
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2
    z = (edges[:-1, None] + edges[1:, None]) / 2 + half * nodes
    return float((law.pdf(z - gap) * law.cdf(z) ** rivals * weights * half).sum())


@pytest.mark.parametrize("noise", LAWS)
@pytest.mark.parametrize("rivals", [1, 10])
def test_formula_race_and_package_agree(page, noise, rivals):
    rng, scores = np.random.default_rng(902), np.append(2.0, np.zeros(rivals))
    formula = best_wins(rivals, 1.0, noise)
    race = int((page["noisy_max"](scores, 2.0, noise, rng, 100_000) == 0).sum())
    assert stats.binomtest(race, 100_000, formula).pvalue > FAILURE
    setting = {"sensitivity": 1, "epsilon": 1.0, "noise": noise, "rng": rng}
    package = sum(dp.report_noisy_max(range(rivals + 1), scores, **setting) == 0 for _ in range(10_000))
    assert stats.binomtest(package, 10_000, formula).pvalue > FAILURE


@pytest.mark.parametrize("gap", [0.0, 0.3, 1.0, 4.0, 12.0])
def test_the_formulas_for_two(gap):
    assert best_wins(1, gap, "laplace") == pytest.approx(1 - (2 + gap) / 4 * math.exp(-gap), abs=5e-6)
    assert best_wins(1, gap, "gumbel") == pytest.approx(1 / (1 + math.exp(-gap)), abs=5e-6)
    assert best_wins(1, gap, "exponential") == pytest.approx(1 - math.exp(-gap) / 2, abs=5e-6)


def test_gumbel_noise_is_the_exponential_mechanism(page):
    rng, scores = np.random.default_rng(903), np.array([3.0, 1.0, 0.0, 2.5])
    law = dp.exponential_probabilities(scores, sensitivity=1, epsilon=1)
    for winners in (
        page["noisy_max"](scores, 2.0, "gumbel", rng, 100_000),
        (np.log(rng.exponential(size=(100_000, 4))) - scores / 2).argmin(axis=1),  # the race of the clocks
    ):
        assert stats.chisquare(np.bincount(winners, minlength=4), 100_000 * law).pvalue > FAILURE


# ---------------------------------------------------------------- quantiles and bounds


@given(st.lists(st.integers(0, 20), max_size=9), st.integers(0, 20), st.sampled_from([0.25, 0.5, 0.75, 0.99]))
def test_quantile_scores_have_their_sensitivity(page_scores, values, new, q):
    years = np.arange(21)
    change = page_scores([*values, new], years, q) - page_scores(values, years, q)
    assert np.abs(change).max() <= max(q, 1 - q) + 1e-9


@pytest.fixture(scope="module")
def page_scores(page):
    return page["quantile_scores"]


def test_the_sensitivity_is_reached_and_the_scores_are_not_monotonic(page_scores):
    years = np.arange(21)
    change = page_scores([5, 5, 15, 15, 1], years, 0.5) - page_scores([5, 5, 15, 15], years, 0.5)
    assert change.max() == 0.5 and change.min() == -0.5


def test_quartiles_of_the_ages(page_scores, census):
    ages, years = census["Age"].to_numpy(), np.arange(101)
    for q in (0.25, 0.5, 0.75):
        scores = page_scores(ages, years, q)
        right = years[scores == 0]
        assert np.quantile(ages, q) in right
        p = dp.exponential_probabilities(scores, sensitivity=max(q, 1 - q), epsilon=0.1)
        assert p[right].sum() > 0.9 and p[abs(years - right[0]) <= 1].sum() > 0.9999
    scores = page_scores(ages, years, 0.5)
    assert dp.exponential_probabilities(scores, sensitivity=0.5, epsilon=0.01)[int(np.median(ages))] > 0.9


def test_which_clipping_bound(page_scores, census):
    gains = census["Capital Gain"].to_numpy(float)
    above = (gains[:, None] > BOUNDS).sum(axis=0)
    lost = np.array([np.maximum(gains - bound, 0).sum() for bound in BOUNDS])
    assert gains.max() <= 99_999  # five digits
    keep = dp.exponential_probabilities(page_scores(gains, BOUNDS, 0.99), sensitivity=1, epsilon=0.1)
    leave = dp.exponential_probabilities(-abs(above - 10), sensitivity=1, epsilon=0.1)
    assert (BOUNDS[keep.argmax()], BOUNDS[leave.argmax()]) == (20_000, 100_000)
    error = lost + BOUNDS / 0.1
    assert leave.max() > 0.99 and error.argmin() == leave.argmax()
    assert (keep * error).sum() / gains.sum() > 0.25 > 8 * (leave * error).sum() / gains.sum()
    top = np.sort(gains)[-len(gains) // 100 :]
    assert top.sum() > 0.3 * gains.sum()  # one percent of the people hold a large part


# ---------------------------------------------------------------- candidates, Laplace, infinitely many


def test_candidates_from_the_data_are_caught(page):
    rng = np.random.default_rng(905)
    page |= {"statuses": STATUSES, "one_vote": ONE_VOTE}
    four = np.array(["Never-married"] * 3 + ["Widowed"])
    found = dp.audit(page["from_the_data"], four, four[:3], trials=4_000, rng=rng)
    assert found.epsilon_lower_bound > 3.5
    assert proven(1 / (1 + math.e), 0, 10_000) > 5  # with any seed
    honest = dp.audit(page["from_the_form"], four, four[:3], trials=2_000, rng=rng)
    assert honest.epsilon_lower_bound <= 1
    drawn = {page["from_the_data"](four[:3], rng) for _ in range(200)}
    assert drawn == {"Never-married"}
    p = page["chances"]([(four == status).sum() for status in STATUSES], **ONE_VOTE)
    q = page["chances"]([(four[:3] == status).sum() for status in STATUSES], **ONE_VOTE)
    assert min(*p, *q) > 0 and largest_loss(p, q) <= 1


def test_the_laplace_mechanism_as_an_instance(chances):
    grid = np.arange(-6000, 6001) / 100
    for factor, sensitivity, error, real in [(1, 1, 2, 0.5), (2, 2, 2, 0.5), (2, 1, 1, 1)]:
        p = chances(-factor * abs(grid), sensitivity=sensitivity, epsilon=1)
        assert (p * abs(grid)).sum() == pytest.approx(error, abs=0.005)
        moved = chances(-factor * abs(grid - 1), sensitivity=sensitivity, epsilon=1)
        assert largest_loss(p, moved) == pytest.approx(real, abs=0.005)
    p = chances(-abs(grid), sensitivity=1, epsilon=1)
    assert np.abs(np.cumsum(p) - stats.laplace(scale=2).cdf(grid + 0.005)).max() < 1e-4


@pytest.mark.parametrize("q", [0.3, 0.5])
def test_the_pages_intervals_are_the_packages_quantile(page, q):
    rng, values, runs = np.random.default_rng(906), np.array([2.0, 3.0, 3.0, 7.0, 12.0]), 10_000
    p = page["interval_chances"](values, q, 0, 10, 1.5)
    drawn = [dp.private_quantile(values, q, lower=0, upper=10, epsilon=1.5, rng=rng) for _ in range(runs)]
    seen = np.histogram(drawn, [0, 2, 3, 7, 10])[0]
    assert p[2] == 0 == p[5] and p.sum() == pytest.approx(1)
    assert stats.chisquare(seen, runs * p[[0, 1, 3, 4]]).pvalue > FAILURE


def test_a_careless_bound_wins(page, census):
    intervals = page["interval_chances"]
    assert intervals([4, 6], 0.5, 0, 10, math.log(2)) == pytest.approx([1 / 3] * 3)
    ages = census["Age"].to_numpy()
    last = [intervals(ages[:50], 0.5, 0, upper, 0.5)[-1] for upper in (100, 10**4, 10**6, 10**9)]
    assert last == sorted(last) and last[0] < 0.001 and last[1] < 0.1 and last[3] > 0.99
    exact, rng = np.median(ages), np.random.default_rng(907)
    for _ in range(50):
        assert abs(dp.private_quantile(ages, 0.5, lower=0, upper=100, epsilon=0.1, rng=rng) - exact) <= 1


# ---------------------------------------------------------------- find the bug, self-check


def test_the_bug_costs_more_than_its_epsilon_and_mended_it_does_not(page):
    rng = np.random.default_rng(908)
    all_for_b, one_for_a = ["B"] * 4, ["A"] + ["B"] * 3
    found = dp.audit(page["favourite"], all_for_b, one_for_a, trials=40_000, rng=rng).epsilon_lower_bound
    exact = math.log((2 + 2) * math.exp(-2) / ((2 + 4) * math.exp(-4)))
    assert 1.25 < found <= exact < 2
    assert proven((2 + 2) * math.exp(-2) / 4, (2 + 4) * math.exp(-4) / 4, 40_000) > 1  # with any seed
    assert dp.audit(page["mended"], all_for_b, one_for_a, trials=5_000, rng=rng).epsilon_lower_bound <= 1
    losses = {}
    for g in (2, 5, 10, 20, 40):
        losses[g] = 2 - math.log(1 + 2 / g)
        a_wins = [(2 + gap) * math.exp(-gap) / 4 for gap in (g, g - 2)]
        assert math.log(a_wins[1] / a_wins[0]) == pytest.approx(losses[g])
    assert [round(value, 3) for value in losses.values()] == [1.307, 1.664, 1.818, 1.905, 1.951]
    # The same from the distribution itself, and the cure for every number of votes.
    for g, scale in itertools.product((2, 5, 29), (1, 2)):
        a = [
            integrate.quad(lambda z, gap=gap: stats.laplace.pdf(z) * stats.laplace.sf(z + gap), -60, 0)[0]
            + integrate.quad(lambda z, gap=gap: stats.laplace.pdf(z) * stats.laplace.sf(z + gap), 0, 60)[0]
            for gap in (g / scale, (g - 2) / scale)
        ]
        loss = math.log(a[1] / a[0])
        assert loss > 1.3 if scale == 1 else loss <= 1
    # Under add/remove, with the scale 1, the gap moves by one.
    assert all(math.log((2 + g - 1) * math.e / (2 + g)) <= 1 for g in range(1, 60))


def test_the_packing_bound_and_what_the_mechanism_needs(chances):
    for m in (10, 1000, 10**6):
        needed, enough = math.log(m / 2), 2 * math.log(m - 1)
        assert 2 < enough / needed < 3
        wins = [chances([k] + [0] * (m - 1), 1, 1)[0] for k in (needed, enough - 0.01, enough)]
        assert wins[0] < 0.5 and wins[1] < 0.5 <= wins[2] + 1e-12
        # Without its 2, under add/remove, half as much is enough.
        assert chances([enough / 2] + [0] * (m - 1), 1, 1, True)[0] == pytest.approx(0.5)


# ---------------------------------------------------------------- labs


def by_arrival(scores, scale):
    """Return the chances of permute-and-flip: each candidate arrives at a uniform time, and rivals before it lose."""
    p = np.exp((np.array(scores) - max(scores)) / scale)
    return p * [integrate.quad(lambda t, i=i: np.prod(1 - t * np.delete(p, i)), 0, 1)[0] for i in range(len(p))]


def test_permute_and_flip_is_the_race_with_exponential_noise(page):
    rng, scores, runs = np.random.default_rng(910), [0.0, -1.0, -3.0, -1.0], 100_000
    race = np.bincount(page["noisy_max"](scores, 1.5, "exponential", rng, runs), minlength=4)
    assert stats.chisquare(race, runs * by_arrival(scores, 1.5)).pvalue > FAILURE
    flips = [page["permute_then_flip"](scores, 1, 4 / 3, rng) for _ in range(20_000)]
    assert stats.chisquare(np.bincount(flips, minlength=4), 20_000 * by_arrival(scores, 1.5)).pvalue > FAILURE
    # Never worse in expected score than the exponential mechanism.
    for scores in rng.normal(0, 2, size=(50, 6)):
        p = np.exp(scores / 1.5)
        assert scores @ by_arrival(scores, 1.5) >= scores @ (p / p.sum()) - 1e-12


# ---------------------------------------------------------------- the band


def test_one_euro_of_noise_nearly_halves_the_takings():
    fans = np.repeat([12, 20], [40, 8])
    prices = 12 + stats.laplace.ppf((np.arange(40_000) + 0.5) / 40_000)
    earned = prices * (fans[:, None] >= prices).sum(axis=0)
    assert 0.5 < earned.mean() / (12 * 48) < 0.6
    assert earned.std() / 100 / (12 * 48) < 0.01  # the page's mean of 10,000 draws is as near


def test_a_private_price_takes_almost_all_that_the_best_one_would(page):
    fans, prices = np.repeat([12, 20], [40, 8]), np.arange(1, 21)
    earned = prices * (fans[:, None] >= prices).sum(axis=0)
    p = page["chances"](earned, 20, 1, monotonic=True)
    assert p @ earned > 0.98 * 576 and 0.88 < p[11] < 0.92 and p[10] > 0.8 * (1 - p[11])
    # One fan more or less moves every price's earnings one way, by no more than the highest price.
    for limit in range(21):
        moves = prices * (limit >= prices)
        assert moves.min() >= 0 and moves.max() <= 20
