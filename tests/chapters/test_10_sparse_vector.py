"""What chapter 10 says, derived again; its short mechanisms against the package; its labs."""

import itertools
import math

import numpy as np
import pytest
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


# ---------------------------------------------------------------- AboveThreshold


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


def test_it_asks_for_no_more_than_it_needs(ages):
    counts = [(ages > limit).sum() for limit in (80, 60, 50)]
    assert max(counts[:2]) < 5_000 - 1_000 and counts[2] > 5_000 + 1_000
    # Noise of scale 2 and 4: a thousand is never reached.
    asked = []
    stream = (asked.append(limit) or (ages > limit).sum() for limit in (80, 60, 50, 40, 30))
    found = dp.above_threshold(stream, threshold=5_000, epsilon=1, rng=np.random.default_rng(1003))
    assert found == 2 and asked == [80, 60, 50]


def test_the_argument_wastes_nothing_and_monotonic_answers_cost_three_quarters(page):
    price = page["price"]
    assert price(100, 1, 2, 4) == pytest.approx(1, abs=1e-4)
    assert price(100, 0, 2, 4) == pytest.approx(0.75, abs=1e-4)
    assert price(100, 0, 2, 2) == pytest.approx(1, abs=1e-4)
    assert price(100, 0, 1, 2) == pytest.approx(1.5, abs=1e-4)
    # Nothing that moves one way costs more than 3/4: two groups of answers and the last, each moves or stays.
    worst = 0
    for a, b, last in [(0, 0, 0), (0, 0, -8), (5, 5, 0), (-8, 0, 3), (6, 0, 0)]:
        answers = [a] * 10 + [b] * 10 + [last]
        for rises in itertools.product((0, 1), repeat=3):
            moved = [a + rises[0]] * 10 + [b + rises[1]] * 10 + [last + rises[2]]
            for end in (False, True):
                worst = max(worst, abs(loss(answers, moved, [False] * 20 + [end], 2, 4)))
    assert 0.74 < worst <= 0.7501


def test_the_packages_monotonic_noise():
    rng = np.random.default_rng(1004)
    results = [dp.above_threshold([0, 1], threshold=0, epsilon=1, monotonic=True, rng=rng) for _ in range(8_000)]
    first, second = (pattern_probability([0, 1][: k + 1], [False] * k + [True], 2, 2) for k in range(2))
    expected = np.array([first, second, 1 - first - second]) * 8_000
    assert stats.chisquare(tally(results, [0, 1, None]), expected).pvalue > FAILURE


# ---------------------------------------------------------------- long streams


def test_early_stops_follow_the_formula_and_come_with_length(page):
    rng, early_stop = np.random.default_rng(1005), page["early_stop"]
    for k in (10, 100):
        stops = [dp.above_threshold([-100] * k, threshold=0, epsilon=0.1, rng=rng) is not None for _ in range(3_000)]
        assert stats.binomtest(sum(stops), 3_000, early_stop(k, 100, 0.1)).pvalue > FAILURE
    assert [round(early_stop(k, 100, 0.1), 2) for k in (10, 30, 100)] == [0.37, 0.70, 0.94]
    assert early_stop(300, 100, 0.1) > 0.99 and early_stop(1000, 100, 0.1) > 0.999


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


# ---------------------------------------------------------------- a clipping bound


def test_what_a_person_changes(page, ages):
    clip_change, minus_above = page["clip_change"], page["minus_above"]
    for person in (0, 0.3, 1, 17, 63.5, 1e9):
        changes = [clip_change(np.append(ages[:50], person), b) - clip_change(ages[:50], b) for b in range(0, 120, 7)]
        assert min(changes) >= -1 - 1e-9 and max(changes) <= 1e-9
    bounds = np.arange(1, 120, 7)
    expected = [-(ages > bound).sum() for bound in bounds]
    assert minus_above(ages, bounds).tolist() == expected == [clip_change(ages, b) for b in bounds]
    # A single sum is as sensitive as its bound.
    assert np.minimum(np.append(ages, 1e9), 500).sum() - np.minimum(ages, 500).sum() == 500


@pytest.fixture(scope="module")
def means(page, gains):
    """Return runs of auto_mean for Capital Gain by (list, epsilon)."""
    rng, lists = np.random.default_rng(1006), {"fine": np.arange(1, 150_000, 5), "doubling": 2 ** np.arange(21)}
    return {
        (name, epsilon): [page["auto_mean"](gains, candidates, epsilon, rng) for _ in range(200)]
        for name, candidates in lists.items()
        for epsilon in (0.1, 1)
    }


def test_the_fine_list_stops_too_early(means, gains):
    assert len(range(1, 150_000, 5)) == 30_000 and 2**20 > 1_000_000
    exact = gains.mean()
    quantiles = {key: np.percentile([run[1] for run in runs if run], [5, 50, 95]) for key, runs in means.items()}
    bounds = {key: np.median([run[0] for run in runs if run]) for key, runs in means.items()}
    assert quantiles["fine", 0.1][2] < 0.75 * exact
    assert quantiles["fine", 0.1][2] - quantiles["fine", 0.1][0] < exact - quantiles["fine", 0.1][1]  # runs agree
    assert (99_999 - bounds["fine", 0.1]) / 5 > 5_000  # thousands of answers too early
    low, middle, high = quantiles["doubling", 0.1]
    assert low < exact < high and abs(middle - exact) < 0.2 * exact
    assert high - low > quantiles["fine", 0.1][2] - quantiles["fine", 0.1][0]  # noisier
    for name in ("fine", "doubling"):
        assert abs(quantiles[name, 1][1] - exact) < 0.02 * exact
    assert 99_999 <= bounds["fine", 1] < bounds["doubling", 1] == 131_072


def test_capital_gains_stand_at_one_number(gains):
    assert gains.max() == 99_999 and (gains == 99_999).sum() < 200
    assert ((gains > 30_000) & (gains < 99_999)).sum() < 20


def test_the_same_function_finds_a_bound_for_ages(page, ages):
    rng = np.random.default_rng(1007)
    runs = [page["auto_mean"](ages, 2 ** np.arange(21), 1, rng) for _ in range(100)]
    found = [run for run in runs if run is not None]
    assert len(found) > 80 and np.median([bound for bound, _ in found]) == 128
    assert abs(np.median([mean for _, mean in found]) - ages.mean()) < 0.2


def test_the_whole_of_auto_mean_keeps_its_epsilon(page):
    rng = np.random.default_rng(1008)

    def bound(values, rng):
        result = page["auto_mean"](np.asarray(values), 2 ** np.arange(4), 1.0, rng)
        return None if result is None else result[0]

    assert dp.audit(bound, [3.0] * 12, [3.0] * 13, trials=3_000, rng=rng).epsilon_lower_bound <= 1


def test_none_and_a_random_bound(page):
    rng, rich, fine = np.random.default_rng(1009), np.full(32_561, 200_000.0), np.arange(1, 150_000, 5)
    assert all(page["auto_mean"](rich, fine, 1, rng) is None for _ in range(20))
    drawn = [page["bound_or_any"](rich, fine, 1, rng) for _ in range(500)]
    assert stats.kstest(drawn, stats.uniform(0, 150_000).cdf).pvalue > FAILURE
    assert np.minimum(rich, drawn[0]).mean() == drawn[0]  # the mean is the bound


# ---------------------------------------------------------------- more than one


def test_the_pages_sparse_is_the_packages(page):
    rng, runs, answers = np.random.default_rng(1010), 4_000, [0.0, 6, -3, 4]
    ours = [tuple(page["sparse"](answers, 2, 2, 1.5, rng)) for _ in range(runs)]
    theirs = [tuple(dp.sparse(answers, threshold=2, limit=2, epsilon=1.5, rng=rng)) for _ in range(runs)]
    outcomes = sorted(set(ours) | set(theirs))
    table = [tally(ours, outcomes), tally(theirs, outcomes)]
    assert all(len(outcome) <= 2 for outcome in outcomes) and len(outcomes) > 6
    assert stats.chi2_contingency(table).pvalue > FAILURE


def test_ten_ranges_are_better_answered_outright(page, census, ages):
    assert 9 * 5 / 1 == 45 and 5 / (1 / 2) == 10 == 10 / 1
    rng = np.random.default_rng(1011)
    values = [dp.numeric_sparse([1e6] * 5, threshold=0, limit=5, epsilon=1, rng=rng) for _ in range(500)]
    errors = [value - 1e6 for run in values for _, value in run]
    assert stats.kstest(errors, stats.laplace(scale=45).cdf).pvalue > FAILURE
    for low, high in [(30, 31), (17, 91), (40, 60)]:
        assert page["in_range"](census, low, high) == sum(low <= age < high for age in ages)


# ---------------------------------------------------------------- broken versions

BROKEN = [
    ("only_threshold_noise", [0, 1], [1, 0], 2_000),
    ("never_stops", [0] * 40, [1] * 20 + [-1] * 20, 3_000),
    ("noise_for_one_pass", [0, 0, 1, 1, 1], [1, 1, 0, 0, 0], 40_000),
    ("last_noise", [0] * 5 + [1], [1] * 5 + [0], 80_000),
]


@pytest.mark.parametrize(("name", "here", "there", "trials"), BROKEN)
def test_broken_versions_are_caught_and_the_honest_one_is_not(page, name, here, there, trials):
    assert max(abs(a - b) for a, b in zip(here, there, strict=True)) == 1
    rng = np.random.default_rng(1012)
    assert dp.audit(page[name], here, there, trials=trials, rng=rng).epsilon_lower_bound > 1
    assert dp.audit(page["honest"], here, there, trials=2_000, rng=rng).epsilon_lower_bound <= 1


def test_what_the_broken_versions_cost():
    assert (1 + 6 * 3) / 4 == 4.75
    for c in (1, 3):
        pattern = [False] * 60 + [True] * c
        cost = loss([0] * 60 + [1] * c, [1] * 60 + [0] * c, pattern, 4, 4 / 3)
        assert cost <= (1 + 6 * c) / 4 + 1e-6
        assert cost == pytest.approx((1 + 6 * c) / 4, rel=0.02)
    # Without a stop the price grows with the length.
    costs = [loss([0] * 2 * n, [1] * n + [-1] * n, [False] * n + [True] * n, 2, 2) for n in (2, 5, 10, 20)]
    assert np.diff(costs).min() > 0 and costs[-1] > 2 * costs[1]


def test_a_small_published_noise_costs_without_limit():
    def density(value, earlier, last, k):
        t = np.linspace(-80, value, 40_001)
        inner = integrate.trapezoid(stats.laplace.pdf(t, scale=2) * stats.laplace.cdf(t - earlier, scale=2) ** k, t)
        return inner * stats.laplace.pdf(value - last, scale=2)

    costs = [math.log(density(-3, 0, 1, k) / density(-3, 1, 0, k)) for k in (1, 5, 20)]
    assert costs[1] > 1.5 and costs[2] > 3 * costs[1]


# ---------------------------------------------------------------- everything, or only what is large


def test_slider_when_it_pays(page):
    shares, limits = [0.1, 0.3, 1, 3, 10, 30], [1, 3, 10, 30, 100, 300]
    for share in shares:
        answers = page["stream"](share)
        assert (answers >= 10_000).sum() == round(10 * share) and (answers > 1_000).sum() == round(10 * share)
        assert len(answers) == 1_000 and answers.min() >= 0 and answers.max() < 12_000
    error = {(share, c): page["mean_error"](share, c) for share in shares for c in limits}
    assert min(limits, key=lambda c: error[1, c]) == 10
    assert error[1, 3] > 10 * error[1, 10] and error[1, 100] > 5 * error[1, 10]
    diagonal = [error[share, c] for share, c in zip(shares, limits, strict=True)]
    assert 700 < diagonal[4] < 1_100 and diagonal[5] > 1_500  # level at 10%, worse at 30%
    assert max(diagonal[:4]) < 400
    assert diagonal[0] < 40
    # On average over many runs: about 9.
    rng = np.random.default_rng(1013)
    runs = [dp.numeric_sparse(page["stream"](0.1), threshold=5_000, limit=1, epsilon=1, rng=rng) for _ in range(4_000)]
    truth = page["stream"](0.1).max()
    assert 50 < 1_000 / np.mean([abs(run[0][1] - truth) for run in runs]) < 200
    # Limit 300: small answers pass, a dozen or so, and the large one is off by thousands.
    places = page["stream"](0.1) >= 10_000
    said = [page["published"](0.1, 300, seed) != 0 for seed in range(10)]
    assert 5 < np.mean([(run & ~places).sum() for run in said]) < 25
    assert np.mean([run[places].all() for run in said]) >= 0.8
    assert 1_000 < 4 * 300 * 9 / 8 < 3_000 and error[0.1, 300] > 1_000


def test_a_gap_of_alpha_is_enough(page):
    # α for one run of the search, whose ε is 8/9 · ε/c.
    c, k = 10, 1_000
    alpha = 8 * (math.log(k) + math.log(2 / 0.05)) / (8 / 9 / c)
    assert page["early_stop"](k, alpha, 8 / 9 / c) < 0.05


# ---------------------------------------------------------------- find the bug, the ledger, questions


def test_the_search_reads_the_wrong_table(page, census):
    page["census"] = census
    ranges = [(30, 50), (40, 42), (35, 69)]
    inside = [page["inside"](census, *r) for r in ranges]
    assert inside[0] > 9_500 and inside[2] > 9_500 and inside[1] < 8_500
    found, counts = page["large_ranges"](ranges, census[:0], 2, 9_000, 1, np.random.default_rng(1014))
    assert found == [0, 2] and abs(counts).max() < 100


def test_ranges_without_a_whole_number():
    lowers = range(30, 50)
    shares = [np.mean([not any(low < age < high for age in range(100)) for high in range(low, 70)]) for low in lowers]
    assert (
        np.mean(shares) == pytest.approx(np.mean([2 / (70 - low) for low in lowers])) == pytest.approx(0.068, abs=5e-4)
    )
    assert all(any(low <= age < high for age in range(100)) for low in lowers for high in range(low + 1, 71))


def test_self_check_and_labs_numbers():
    assert 4 * 2 / 0.5 == 16
    assert 20 < 9 * 10
    assert 160 < 8 * (math.log(1000) + math.log(40)) / 0.5 < 180
    assert 1 + 2 * (1 / 3 + 2 / 3) + 1 + 1 / 2 < 5  # the ledger's budget


# ---------------------------------------------------------------- labs


def search(answers, threshold, sensitivity, epsilon, rng, *, scales=(2, 4), fresh=False, last=None, greedy=False):
    """Return AboveThreshold's position, with each mistake on request."""
    if greedy:
        answers = list(answers)
    unit = sensitivity / epsilon
    level = threshold + rng.laplace(0, scales[0] * unit)
    for i, answer in enumerate(answers):
        if fresh:
            level = threshold + rng.laplace(0, scales[0] * unit)
        if answer + rng.laplace(0, scales[1] * unit) >= level:
            return i
    return last


def by_package(answers, threshold, sensitivity, epsilon, rng):
    return dp.above_threshold(answers, threshold=threshold, sensitivity=sensitivity, epsilon=epsilon, rng=rng)


def no_sensitivity(answers, threshold, sensitivity, epsilon, rng):
    return search(answers, threshold, 1, epsilon, rng)


def wrong_search(**mistakes):
    return lambda *args: search(*args, **mistakes)


def large(answers, threshold, limit, epsilon, rng, *, search=0.5, shared=False, more=0, shown=False, guess=False):
    """Return positions and values, with each mistake on request."""
    part = search * epsilon / limit
    found, level = [], threshold + rng.laplace(0, 2 / part)
    for i, answer in enumerate(answers):
        noise = rng.laplace(0, 4 / part)
        if answer + noise >= level:
            value = rng.laplace(0, 2 * limit / epsilon)
            if shown:  # the deciding noise, at the right scale for the value
                value = noise / (4 / part) * 2 * limit / epsilon
            found.append((i, answer + value))
            if not shared:
                level = threshold + rng.laplace(0, 2 / part)
        if len(found) == limit + more:
            break
    return [(0, threshold)] if guess and not found else found


def wrong_large(**mistakes):
    return lambda *args: large(*args, **mistakes)


def as_printed(answers, threshold, limit, epsilon, rng):
    """Return what the program of lab 10.4 does."""
    level = threshold + rng.laplace(0, 2 / epsilon)
    found = []
    for index, answer in enumerate(answers):
        noisy = answer + rng.laplace(0, 4 / epsilon)
        if noisy >= level:
            found.append((index, noisy))
        if len(found) > limit:
            break
    if not found:
        found = [(rng.integers(len(answers)), threshold)]
    return found


def first_mended(answers, threshold, limit, epsilon, rng):
    """Return positions and values after the first mistakes are mended, with the noise that decided."""
    level = threshold + rng.laplace(0, 2 / epsilon)
    found = []
    for index, answer in enumerate(answers):
        noisy = answer + rng.laplace(0, 4 / epsilon)
        if noisy >= level:
            found.append((index, noisy))
        if len(found) == limit:
            break
    return found


def find(values, epsilon, rng, *, threshold=20.0, top=31, step=1, extra=None):
    """Return a bound by doubling, with each mistake on request."""
    candidates = 2.0 ** np.arange(0, top, step)
    answers = [-(values > candidate).sum() for candidate in candidates]
    found = dp.above_threshold(answers, threshold=-threshold / epsilon, epsilon=epsilon, monotonic=True, rng=rng)
    return extra if found is None else float(candidates[found])


def wrong_find(**mistakes):
    return lambda *args: find(*args, **mistakes)


RIGHT = [
    ("10.1", 8 * math.log(40_000) / 0.5),
    ("10.1", 169.6),
    ("10.2", 0.6),
    ("10.3", search),
    ("10.3", by_package),
    ("10.4", large),
    ("10.4", wrong_large(shared=True)),  # one threshold for all passes is private as well
    ("10.4", lambda a, t, c, e, r: [
        (i, a[i] + r.laplace(0, 2 * c / e)) for i in dp.sparse(a, threshold=t, limit=c, epsilon=e / 2, rng=r)]),
    ("10.5", find),
    ("10.5", wrong_find(threshold=12.0)),
]  # fmt: skip

WRONG = [
    ("10.1", 8 * math.log(40) / 0.5, "single count"),
    ("10.1", 4 * math.log(40_000), "division by ε"),
    ("10.1", 16 * (math.log(1000) + math.log(2 / 0.95)), "probability of a mistake"),
    ("10.1", 16 * (3 + math.log10(40)), "natural"),
    ("10.1", 170.9, "Δ = 1"),
    ("10.2", 0.4, "has to move, too"),
    ("10.2", 0.8, "by 1 only"),
    ("10.2", 1.2, "both scales halved"),
    ("10.2", 0.5, "add the two"),
    ("10.3", 3, "give the function itself"),
    ("10.3", wrong_search(last=0), "if no answer passes, return None"),
    ("10.3", lambda *args: (search(*args) or 0) + 1, "you return 3"),
    ("10.3", lambda *args: search(*args) is not None, "not True"),
    ("10.3", wrong_search(greedy=True), "go on asking"),
    ("10.3", wrong_search(scales=(2, 2)), "both scales"),
    ("10.3", no_sensitivity, "at sensitivity 5"),
    ("10.3", wrong_search(fresh=True), "where is noise drawn"),
    ("10.3", wrong_search(scales=(1, 2)), "both scales"),
    ("10.4", as_printed, "looks like a success"),
    ("10.4", wrong_large(guess=True), "looks like a success"),
    ("10.4", wrong_large(more=1), "you return 4 positions"),
    ("10.4", lambda a, t, c, e, r: [(i + 1, v) for i, v in large(a, t, c, e, r)], "are at 0, 2, 3"),
    ("10.4", first_mended, "fresh noise of scale 3"),
    ("10.4", wrong_large(shown=True), "lean to one side"),
    ("10.4", wrong_large(search=1.5), "too little noise"),
    ("10.4", wrong_large(search=1.0), "too little noise"),
    ("10.5", lambda values, epsilon, rng: None, "you often return None"),
    ("10.5", lambda values, epsilon, rng: 50.0, "more than 100 people above"),
    ("10.5", lambda values, epsilon, rng: 1e9, "far too high"),
    ("10.5", wrong_find(threshold=0.0, step=2), "far too high"),
    ("10.5", wrong_find(extra=2.0**30), "return None"),
    ("10.5", wrong_find(top=17), "you often return None"),
    ("10.5", lambda values, epsilon, rng: (values.max() if len(values) and values.max() < 1e11 else None)
     if len(values) else 1.0, "one person of"),
]  # fmt: skip
