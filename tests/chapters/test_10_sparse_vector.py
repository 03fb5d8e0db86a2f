"""What chapter 10 says, derived again; its short mechanisms against the package."""

import itertools
import math

import numpy as np
import pytest
from chapters.chance import proven
from scipy import integrate, stats

import dp_helpers as dp

CHAPTER = "10-sparse-vector"
FAILURE = 1e-6


@pytest.fixture(scope="module")
def ages(census):
    return census["Age"].to_numpy(float)


@pytest.fixture(scope="module")
def gains(census):
    return census["Capital Gain"].to_numpy(float)


def pattern_probability(answers, pattern, threshold_scale, answer_scale):
    """Return the probability that exactly these answers pass one noisy threshold around 0, all with fresh noise."""
    t = np.linspace(-80, 80, 8_001)
    chance = stats.laplace.pdf(t, scale=threshold_scale)
    for answer, passes in zip(answers, pattern, strict=True):
        noise = stats.laplace(answer, answer_scale)
        chance = chance * (noise.sf(t) if passes else noise.cdf(t))
    return integrate.trapezoid(chance, t)


def loss(here, there, pattern, *scales):
    return math.log(pattern_probability(here, pattern, *scales) / pattern_probability(there, pattern, *scales))


def tally(results, outcomes):
    counts = [sum(result == outcome for result in results) for outcome in outcomes]
    assert sum(counts) == len(results)
    return counts


# ---------------------------------------------------------------- a hundred noisy sums


def test_the_naive_search_ends_by_luck(page, ages):
    page["bounds"] = bounds = np.arange(1, 1000, 10)
    sums = np.array([np.minimum(ages, bound).sum() for bound in bounds])
    assert page["first_small_gain"](sums) == 101
    assert 100 * 91 == 9_100
    rng = np.random.default_rng(1001)
    ends = [page["first_small_gain"](sums + rng.laplace(0, bounds * 100)) for _ in range(4_000)]
    shares = np.sort(np.bincount(ends) / 4_000)
    assert shares[-1] < 0.6 and (shares > 0.05).sum() >= 3
    # The gain is small compared with the noise where the loop ends.
    assert (np.diff(sums)[bounds[1:] >= 81] < 9_100 / 3).all()


# ---------------------------------------------------------------- the first figure


def test_the_clinic_finds_day_nine_and_at_small_epsilon_stops_early(page):
    page["patients"] = counts = [12, 18, 9, 15, 22, 11, 17, 14, 80, 19]
    assert min(abs(count - 50) for count in counts) >= 28
    stops = {e: [page["one_run"](e, seed)[2] for seed in range(12)] for e in (0.1, 1)}
    assert stops[1] == [8] * 12
    assert sum(stop is not None and stop < 8 for stop in stops[0.1]) > 6
    rng = np.random.default_rng(1015)
    runs = [dp.above_threshold(counts, threshold=50, epsilon=0.1, rng=rng) for _ in range(2_000)]
    assert np.mean([stop is not None and stop < 8 for stop in runs]) > 0.5 + 0.06


# ---------------------------------------------------------------- AboveThreshold


def test_predict_the_loss_stays_at_one(page):
    page["noise"] = np.linspace(-150, 150, 60_001)
    losses = [math.log(page["stop_at_end"](0, 1, k) / page["stop_at_end"](1, 0, k)) for k in (1, 10, 1_000, 1_000_000)]
    assert losses[0] == pytest.approx(loss([0, 1], [1, 0], [False, True], 2, 4), abs=1e-3)
    assert losses[-2:] == pytest.approx([1, 1], abs=1e-3) and (np.diff(losses) >= -1e-9).all()


def test_the_pages_above_threshold_is_the_packages_and_the_formula(page):
    rng = np.random.default_rng(1002)
    answers, runs = [-3.0, 2, 0, 5], 8_000
    ours = [page["above_threshold"](answers, 1, 0.7, rng) for _ in range(runs)]
    theirs = [dp.above_threshold(answers, threshold=1, epsilon=0.7, rng=rng) for _ in range(runs)]
    shifted = [answer - 1 for answer in answers]
    chances = [page["stop_probability"](shifted[: i + 1], 2 / 0.7, 4 / 0.7) for i in range(4)]
    expected = np.array([*chances, 1 - sum(chances)]) * runs
    for results in (ours, theirs):
        observed = tally(results, [0, 1, 2, 3, None])
        assert stats.chisquare(observed, expected).pvalue > FAILURE


def test_the_pages_formula(page):
    for answers, scales in itertools.product([[1], [0, 0, 1], [2, -1, 0]], [(2, 4), (2, 2), (1, 2)]):
        pattern = [False] * (len(answers) - 1) + [True]
        right = pattern_probability(answers, pattern, *scales)
        assert page["stop_probability"](answers, *scales) == pytest.approx(right, rel=1e-4)


def test_the_argument_wastes_nothing_and_monotonic_answers_cost_three_quarters(page):
    price = page["price"]
    assert price(100, 1, 2, 4) == pytest.approx(1, abs=1e-4)
    assert price(100, 0, 2, 4) == pytest.approx(0.75, abs=1e-4)
    assert price(100, 0, 2, 2) == pytest.approx(1, abs=1e-4)
    assert price(100, 0, 1, 2) == pytest.approx(1.5, abs=1e-4)
    # Nothing that moves one way costs more than 3/4: two groups of answers and the last, each moves or stays.
    worst = 0
    for a, b, last in [(0, 0, 0), (0, 0, -8), (6, 0, 0)]:
        answers = [a] * 10 + [b] * 10 + [last]
        for rises in itertools.product((0, 1), repeat=3):
            moved = [a + rises[0]] * 10 + [b + rises[1]] * 10 + [last + rises[2]]
            for end in (False, True):
                worst = max(worst, abs(loss(answers, moved, [False] * 20 + [end], 2, 4)))
    assert 0.74 < worst <= 0.7501


# ---------------------------------------------------------------- long streams


def test_early_stops_follow_the_formula_and_come_with_length(page):
    rng, early_stop = np.random.default_rng(1005), page["early_stop"]
    for k in (10, 100):
        stops = [dp.above_threshold([-100] * k, threshold=0, epsilon=0.1, rng=rng) is not None for _ in range(3_000)]
        assert stats.binomtest(sum(stops), 3_000, early_stop(k, 100, 0.1)).pvalue > FAILURE
    assert [round(early_stop(k, 100, 0.1), 2) for k in (10, 30, 100)] == [0.37, 0.70, 0.94]
    assert early_stop(300, 100, 0.1) > 0.99 and early_stop(1000, 100, 0.1) > 0.999
    # The page's 500 runs of each length: longer streams stop more often, with any seed.
    stops = [stats.binom(500, early_stop(k, 100, 0.1)) for k in (10, 30, 100)]
    assert all(few.isf(FAILURE / 6) < many.ppf(FAILURE / 6) for few, many in itertools.pairwise(stops))


def test_slider_early_stops(page):
    early_stop, promised = page["early_stop"], page["promised"]
    lengths, epsilons = [1, 10, 100, 1_000, 10_000, 100_000], [0.1, 0.15, 0.2, 0.3, 0.5]
    distances = np.linspace(0, 200, 801)  # at ε = 1, where all of it is at its largest

    def half_way(k):
        return distances[np.argmax([early_stop(k, d, 1) <= 0.5 for d in distances])]

    steps = np.diff([half_way(k) for k in lengths[1:]])
    assert np.allclose(steps, 4 * math.log(10), atol=0.6) and 9 < 4 * math.log(10) < 9.5
    for k, epsilon in itertools.product(lengths, epsilons):
        assert early_stop(k, 40, epsilon) == pytest.approx(early_stop(k, 80, epsilon / 2), rel=1e-6)
        assert 0 < early_stop(k, promised(k, epsilon), epsilon) < 0.001  # far below 5%
        assert promised(k, epsilon) == pytest.approx(8 * (math.log(k) + math.log(40)) / epsilon)
        assert promised(k, epsilon) < 1_300  # in the figure
        chances = [early_stop(k, d, epsilon) for d in np.linspace(0, 1300, 11)]
        assert (np.diff(chances) <= 1e-12).all()  # falls from the left


def test_a_distance_of_alpha_is_enough_on_both_sides(page):
    early_stop, promised = page["early_stop"], page["promised"]
    assert [round(promised(k, 1)) for k in (1_000, 1_000_000)] == [85, 140]
    t = np.linspace(-60, 60, 6_001)  # noise of the threshold
    for k in (1, 10, 1_000, 1_000_000):
        passes = stats.laplace.cdf(promised(k, 1) - t, scale=4)
        missed = 1 - integrate.trapezoid(stats.laplace.pdf(t, scale=2) * passes, t)
        early = early_stop(k, promised(k, 1), 1)
        assert early < 0.001 and early + missed < 0.05


# ---------------------------------------------------------------- a clipping bound


def test_what_a_person_changes(page, ages):
    clip_change, minus_above = page["clip_change"], page["minus_above"]
    for person in (0, 0.3, 1, 17, 63.5, 1e9):
        changes = [clip_change(np.append(ages[:50], person), b) - clip_change(ages[:50], b) for b in range(0, 120, 7)]
        assert min(changes) >= -1 - 1e-9 and max(changes) <= 1e-9
    bounds = np.arange(1, 120, 7)
    expected = [-(ages > bound).sum() for bound in bounds]
    assert minus_above(ages, bounds) == expected == [clip_change(ages, b) for b in bounds]
    # A single sum is as sensitive as its bound.
    assert np.minimum(np.append(ages, 1e9), 500).sum() - np.minimum(ages, 500).sum() == 500


@pytest.fixture(scope="module")
def means(page, gains):
    """Return runs of auto_mean for Capital Gain by (list, epsilon)."""
    lists = {"fine": np.arange(1, 150_000, 5), "doubling": 2 ** np.arange(21)}
    page |= {"rng": np.random.default_rng(1006), "gains": gains}
    found = {}
    for (name, bounds), epsilon in itertools.product(lists.items(), (0.1, 1)):
        above = len(gains) - np.searchsorted(np.sort(gains), bounds, "right")
        found[name, epsilon] = [page["clipped_mean"](bounds, above, epsilon) for _ in range(200)]
    return found


def test_the_fine_list_stops_too_early(means, gains):
    assert len(range(1, 150_000, 5)) == 30_000 and 2**20 > 1_000_000
    exact = gains.mean()
    quantiles = {key: np.percentile([run for run in runs if run], [5, 50, 95]) for key, runs in means.items()}
    assert 1_070 < exact < 1_085  # "about 1,078"
    assert quantiles["fine", 0.1][2] < 0.75 * exact
    assert quantiles["fine", 0.1][2] - quantiles["fine", 0.1][0] < exact - quantiles["fine", 0.1][1]  # runs agree
    low, middle, high = quantiles["doubling", 0.1]
    assert low < exact < high and abs(middle - exact) < 0.2 * exact
    # The middle of the page's 60 runs is far nearer than any of the fine list's, with any seed.
    bad = np.sum([run is not None and run < quantiles["fine", 0.1][2] for run in means["doubling", 0.1]])
    assert stats.binom(60, stats.beta.isf(1e-3, bad + 1, 200 - bad)).sf(29) < FAILURE
    assert high - low > quantiles["fine", 0.1][2] - quantiles["fine", 0.1][0]  # noisier
    for name in ("fine", "doubling"):
        assert abs(quantiles[name, 1][1] - exact) < 0.02 * exact


def test_the_fine_search_stops_thousands_of_answers_too_early(gains):
    rng, bounds = np.random.default_rng(1016), np.arange(1, 150_000, 5)
    answers = np.searchsorted(np.sort(gains), bounds, "right") - len(gains)
    search = {"threshold": -100, "epsilon": 0.1 / 3, "monotonic": True, "rng": rng}
    places = [dp.above_threshold(answers, **search) for _ in range(100)]
    assert np.median([place for place in places if place is not None]) < 99_999 / 5 - 5_000


def test_capital_gains_stand_at_one_number(gains):
    assert gains.max() == 99_999 and (gains == 99_999).sum() < 200
    assert ((gains > 30_000) & (gains < 99_999)).sum() < 20


def test_the_same_function_finds_a_bound_for_ages(page, ages):
    rng = np.random.default_rng(1007)
    runs = [page["auto_mean"](ages, 2 ** np.arange(21), 1, rng) for _ in range(100)]
    found = [run for run in runs if run is not None]
    assert len(found) == 100 and sum(bound == 128 for bound, _ in found) > 85
    assert abs(np.median([mean for _, mean in found]) - ages.mean()) < 0.2


def test_the_right_bound_passes_in_99_of_100_searches():
    # Threshold and answer have noise of scale 2/ε each; the answer is 10/ε, or five scales, above the threshold.
    passes = 1 - (2 + 5) / 4 * math.exp(-5)
    assert 0.985 < passes < 0.995
    rng = np.random.default_rng(1018)
    search = {"threshold": -30, "epsilon": 1 / 3, "monotonic": True, "rng": rng}
    found = sum(dp.above_threshold([0], **search) == 0 for _ in range(4_000))
    assert stats.binomtest(found, 4_000, passes).pvalue > FAILURE


def test_the_whole_of_auto_mean_keeps_its_epsilon(page):
    rng = np.random.default_rng(1008)

    def bound(values, rng):
        result = page["auto_mean"](np.asarray(values), 2 ** np.arange(4), 1.0, rng)
        return None if result is None else result[0]

    assert dp.audit(bound, [3.0] * 12, [3.0] * 13, trials=3_000, rng=rng).epsilon_lower_bound <= 1


def test_none_where_every_candidate_is_too_small(page):
    rng, rich = np.random.default_rng(1009), np.full(32_561, 200_000.0)
    assert all(page["auto_mean"](rich, 2 ** np.arange(18), 1, rng) is None for _ in range(20))


def test_three_bounds_in_a_row(page, gains):
    rng, doubling = np.random.default_rng(1017), 2 ** np.arange(21)
    answers = page["minus_above"](gains, doubling)
    found = [dp.sparse(answers, threshold=-30, limit=3, epsilon=1, rng=rng) for _ in range(200)]
    assert np.mean([places == [17, 18, 19] for places in found]) > 0.8


# ---------------------------------------------------------------- more than one


def test_the_pages_sparse_is_the_packages(page):
    rng, runs, answers = np.random.default_rng(1010), 4_000, [0.0, 6, -3, 4]
    ours = [tuple(page["sparse"](answers, 2, 2, 1.5, rng)) for _ in range(runs)]
    theirs = [tuple(dp.sparse(answers, threshold=2, limit=2, epsilon=1.5, rng=rng)) for _ in range(runs)]
    outcomes = sorted(set(ours) | set(theirs))
    table = [tally(ours, outcomes), tally(theirs, outcomes)]
    assert all(len(outcome) <= 2 for outcome in outcomes) and len(outcomes) > 6
    assert stats.chi2_contingency(table).pvalue > FAILURE


@pytest.mark.parametrize(("low", "high"), [(30, 31), (17, 91), (40, 60)])
def test_the_pages_range_begins_with_its_low_end(page, census, ages, low, high):
    assert page["in_range"](census, low, high) == sum(low <= age < high for age in ages)


# ---------------------------------------------------------------- broken versions


BROKEN = [
    ("only_threshold_noise", [0, 1], [1, 0], 1_000),
    ("never_stops", [0] * 40, [1] * 20 + [-1] * 20, 1_000),
    ("noise_for_one_pass", [0, 0, 1, 1, 1], [1, 1, 0, 0, 0], 25_000),
    ("last_noise", [0] * 5 + [1], [1] * 5 + [0], 50_000),
]


@pytest.mark.parametrize(("name", "here", "there", "trials"), BROKEN)
def test_broken_versions_are_caught_and_the_honest_one_is_not(page, name, here, there, trials):
    assert max(abs(a - b) for a, b in zip(here, there, strict=True)) == 1
    rng = np.random.default_rng(1012)
    assert dp.audit(page[name], here, there, trials=trials, rng=rng).epsilon_lower_bound > 1
    assert dp.audit(page["honest"], here, there, trials=2_000, rng=rng).epsilon_lower_bound <= 1


def test_with_any_seed_the_broken_versions_are_beyond_their_claim():
    """By one event of each, which an audit finds at least."""
    assert proven((1 - math.exp(-1 / 2)) / 2, 0, 4_000) > 3  # 0 fails and 1 passes
    passes = [False, False, True, True, True]
    pair = ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    assert proven(*(pattern_probability(answers, passes, 4, 4 / 3) for answers in pair), 40_000) > 1
    t = np.linspace(-80, 6.5, 20_001)  # a published answer of 6.5 at most, after five that failed

    def published(earlier, last):
        failed = stats.laplace.pdf(t, scale=2) * stats.laplace.cdf(t - earlier, scale=2) ** 5
        below = integrate.cumulative_trapezoid(failed, t, initial=0)
        return integrate.trapezoid(below * stats.laplace.pdf(t - last, scale=2), t)

    assert proven(published(0, 1), published(1, 0), 160_000) > 1


@pytest.mark.parametrize("c", [1, 3])
def test_noise_for_one_pass_costs_as_much_as_the_page_says(c):
    cost = loss([0] * 60 + [1] * c, [1] * 60 + [0] * c, [False] * 60 + [True] * c, 4, 4 / 3)
    assert cost <= (1 + 6 * c) / 4 + 1e-6 and cost == pytest.approx((1 + 6 * c) / 4, rel=0.02)


# ---------------------------------------------------------------- everything, or only what is large


def test_numeric_sparse_has_the_noise_of_everything_at_one_pass_in_nine():
    rng, runs = np.random.default_rng(1013), 4_000
    for k, c in [(10, 5), (90, 10), (1_000, 1)]:
        answers = [1e6] * c  # all of them pass
        said = [dp.numeric_sparse(answers, threshold=0, limit=c, epsilon=1, rng=rng) for _ in range(runs // c)]
        errors = [abs(value - 1e6) for run in said for _, value in run]
        assert np.mean(errors) == pytest.approx(9 * c, rel=0.12)  # the mean size of noise of this scale
        assert (9 * c < k) == (k > 90) and (9 * c == k) == (k == 90)
    assert 50 < 1_000 / np.mean(errors) < 200  # a hundred times smaller


def test_ages_rise_to_the_threshold(ages):
    answers = [-(ages > 2**place).sum() for place in range(8)]
    assert all(answer < -32_000 for answer in answers[:5]) and answers[5] < -15_000 and answers[-1] == 0
    assert -2_000 < answers[6] < -300  # beside a threshold of about -30


def test_a_gap_of_alpha_is_enough(page):
    # α for one run of the search, whose ε is 8/9 · ε/c.
    c, k = 10, 1_000
    alpha = 8 * (math.log(k) + math.log(2 / 0.05)) / (8 / 9 / c)
    assert page["early_stop"](k, alpha, 8 / 9 / c) < 0.05
