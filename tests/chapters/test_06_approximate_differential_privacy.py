"""What chapter 6 says, derived again; its short mechanisms against the package."""

import itertools
import math

import numpy as np
import pytest
from labs.chapter_06 import sigma
from scipy import integrate, optimize, stats

import dp_helpers as dp

CHAPTER = "06-approximate-differential-privacy"
FAILURE = 1e-6
QUESTIONS = 10
TABLES = math.comb(QUESTIONS, 2)


def integrated_delta(p, q, epsilon, low, high, points=None):
    """Return the least delta of two densities at epsilon, by its definition as an integral."""
    excess = integrate.quad(lambda y: max(0.0, p(y) - math.exp(epsilon) * q(y)), low, high, points=points, limit=500)
    return excess[0]


def short_form(epsilon, k, delta):
    return 2 * epsilon * math.sqrt(2 * k * math.log(1 / delta))


def test_45_tables_by_laplace_noise_drown_small_cells(page, census):
    exact = census.groupby(["Race", "Target"]).size()
    assert len(exact) == 10
    assert 12 <= exact.min() < 45 * math.sqrt(2) and np.sort(exact)[1] < 60  # "some dozens"
    assert exact.max() > 100 * 45 * math.sqrt(2)  # "nothing to the largest groups"
    assert 63 < 45 * math.sqrt(2) < 65
    assert 0.25 < stats.laplace(25, 45).cdf(0) < 0.33  # "negative in more than a quarter"
    assert len(exact) == 10 and np.sort(exact)[2] > 200  # two small groups, three larger ones in the first figure
    assert 0.5 * math.exp(-exact.min() / 5) < 1 / 200
    # One person is in one cell of each pair's table.
    names = ["Age", "Workclass", "Education", "Marital Status", "Occupation"]
    names += ["Relationship", "Race", "Sex", "Country", "Target"]
    pairs = list(itertools.combinations(names, 2))
    assert len(pairs) == TABLES == 45
    few = census.head(200)
    moves = [
        few.groupby(list(pair)).size().sub(few.iloc[1:].groupby(list(pair)).size(), fill_value=0) for pair in pairs
    ]
    assert sum(move.abs().sum() for move in moves) == sum((move**2).sum() for move in moves) == 45


def test_what_two_bells_show(page):
    area = page["excess_of_bells"]
    for s, epsilon in [(1, 1), (0.5, 4), (4, 4), (2, 0)]:
        assert area(s, epsilon) == pytest.approx(page["gaussian_delta"](epsilon, s), abs=1e-6)
    assert area(1, 1) == pytest.approx(0.13, abs=0.005)
    assert area(1.8, 1) > 0.01 > area(1.9, 1)
    assert 2.9 < sigma(1, 1e-6) / math.sqrt(2) < 3.1  # "three times the standard deviation of Laplace noise"


def test_the_lottery_draws_each_row_with_its_probability(page, census):
    # One row more: with probability delta it is among the winners, and nothing else changes.
    n = len(census)
    assert 30_000 < n < 40_000
    assert 0.028 < 1 - (1 - 1e-6) ** n < 0.035  # "about 3 in 100"
    rng = np.random.default_rng(601)
    winners = [len(page["lottery"](np.arange(1_000), 0.02, rng)) for _ in range(2_000)]
    assert stats.binomtest(sum(winners), 2_000_000, 0.02).pvalue > FAILURE


def test_the_catastrophe_keeps_its_promise_and_its_floor(page):
    rng = np.random.default_rng(602)
    runs = [page["catastrophe"](np.arange(3), 1, 0.3, rng) for _ in range(20_000)]
    whole = sum(isinstance(answer, np.ndarray) for answer in runs)
    assert stats.binomtest(whole, 20_000, 0.3).pvalue > FAILURE
    noisy = [answer for answer in runs if not isinstance(answer, np.ndarray)]
    assert stats.kstest(noisy, stats.laplace(3, 1).cdf).pvalue > FAILURE
    # The bell through the same point, on to 10⁻⁹.
    bell = sigma(1, 1e-6)
    assert page["gaussian_delta"](1, bell) == pytest.approx(1e-6)
    assert page["gaussian_delta"](1.4, bell) < 1e-9 < page["gaussian_delta"](1.2, bell)


def test_the_exact_delta_of_a_bell(page):
    gaussian_delta = page["gaussian_delta"]
    for epsilon, s, move in [(0, 0.5, 1), (1, 1, 1), (0.5, 3, 2), (2, 1.2, 1)]:
        p, q = stats.norm(move, s).pdf, stats.norm(0, s).pdf
        border = epsilon * s**2 / move + move / 2
        right = integrated_delta(p, q, epsilon, -40, 40, [border])
        assert gaussian_delta(epsilon, s, move) == pytest.approx(right, abs=1e-9)
        # The other order is the same, and a smaller move needs less.
        assert integrated_delta(q, p, epsilon, -40, 40, [move - border]) == pytest.approx(right, abs=1e-9)
        assert gaussian_delta(epsilon, s, move / 2) < gaussian_delta(epsilon, s, move)
    assert gaussian_delta(0, 0.5) == pytest.approx(0.6827, abs=1e-4)
    for epsilon, delta in [(0.1, 1e-5), (1, 1e-5), (5, 1e-3), (20, 1e-9)]:
        assert gaussian_delta(epsilon, sigma(epsilon, delta)) == pytest.approx(delta, rel=1e-6)


def test_the_audit_forgives_delta_and_nothing_else(page):
    few, rng = list(range(20)), np.random.default_rng(604)
    forgiving, strict = (
        dp.audit(page["bell_count"], few, few[1:], trials=20_000, delta=d, rng=rng).epsilon_lower_bound
        for d in (0.05, 0)
    )
    assert 0.5 < forgiving <= 1 < strict


def test_where_the_classical_sigma_is_false(page):
    def classical(epsilon, delta):
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon

    def excess(epsilon, delta):
        return math.log(page["gaussian_delta"](epsilon, classical(epsilon, delta)) / delta)

    crossings = {
        delta: optimize.brentq(excess, 3, 15, args=(delta,)) for delta in (1e-10, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2)
    }
    assert crossings[1e-2] == pytest.approx(6.77, abs=0.01)
    assert crossings[1e-5] == pytest.approx(8.42, abs=0.01)
    assert crossings[1e-9] == pytest.approx(9.62, abs=0.01)
    assert list(crossings.values()) == sorted(crossings.values(), reverse=True)  # a smaller delta moves it outwards
    for delta, crossing in crossings.items():
        assert all(excess(epsilon, delta) < 0 for epsilon in np.linspace(0.05, crossing - 0.01, 50))
        assert all(excess(epsilon, delta) > 0 for epsilon in np.linspace(crossing + 0.01, 20, 50))
    assert 0.28 < classical(1, 1e-5) / sigma(1, 1e-5) - 1 < 0.32
    assert 0.5 < classical(0.1, 1e-5) / sigma(0.1, 1e-5) - 1 < 0.6
    assert page["gaussian_delta"](20, classical(20, 1e-5)) > 100 * 1e-5
    with pytest.raises(ValueError, match="epsilon"):
        dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-5, method="classical")


def test_one_count_needs_no_bell_at_the_epsilon_and_delta_of_the_page():
    """From ε = 0.05 up and δ = 10⁻³ down Laplace noise is the smaller one; elsewhere it needn't be."""
    for epsilon in np.geomspace(0.05, 50, 25):
        for delta in 10.0 ** -np.arange(3, 13):
            assert sigma(epsilon, delta) > math.sqrt(2) / epsilon
    assert sigma(0.3, 1e-2) < math.sqrt(2) / 0.3 and sigma(0.003, 1e-3) < math.sqrt(2) / 0.003


def test_laplace_against_gaussian(page):
    laplace, gaussian = math.sqrt(2) * 45, sigma(1, 1e-6, math.sqrt(45))
    assert gaussian < laplace / 2
    rng = np.random.default_rng(606)
    noise = dp.gaussian_mechanism(np.zeros(50_000), sensitivity=math.sqrt(45), epsilon=1, delta=1e-6, rng=rng)
    assert stats.kstest(noise, stats.norm(0, gaussian).cdf).pvalue > FAILURE
    assert next(k for k in range(1, 100) if 2 * k**2 > k * sigma(1, 1e-6) ** 2) == 9
    assert 27.5 < gaussian < 28.5 and 36.5 < sigma(1, 1e-9, math.sqrt(45)) < 37.5
    for delta in (1e-9, 1e-7, 1e-6, 1e-5):
        spread = [sigma(1, delta, math.sqrt(k)) for k in (1, 60)]
        assert spread[1] == pytest.approx(spread[0] * math.sqrt(60))
        assert spread[0] > math.sqrt(2)  # a histogram: Laplace stays the better choice
    assert 1 - sigma(1, 1e-6, math.sqrt(60)) / (math.sqrt(2) * 60) == pytest.approx(0.6, abs=0.02)
    assert page["spread"](5, 1e-6) > math.sqrt(2) * 5 and page["spread"](10, 1e-6) < math.sqrt(2) * 10
    assert page["spread"](45, 1e-6) == pytest.approx(gaussian)


def test_delta_adds_up_and_not_less_in_general():
    """Two lotteries publish a row almost twice as often as one: at epsilon 0 their delta is 2 delta - delta^2."""
    delta = 0.1
    one = dp.PrivacyLoss.from_probabilities([delta, 1 - delta], [0.0, 1.0])
    assert one.delta(0) == pytest.approx(delta)
    assert 1.8 * delta < one.compose(one).delta(0) == pytest.approx(2 * delta - delta**2)


def test_composition_bounds(page):
    advanced, optimal_delta = page["advanced"], page["optimal_delta"]
    # By hand: twice the sequential total.
    hand = dp.advanced_composition(math.log(2), 0, k=4, delta_prime=math.exp(-2))[0]
    assert hand == pytest.approx(8 * math.log(2)) == pytest.approx(2 * 4 * math.log(2))
    totals = {}
    for epsilon in (0.01, 0.1, 1):
        loose = advanced(epsilon, 500, 1e-5, epsilon * math.expm1(epsilon))
        assert loose == pytest.approx(dp.advanced_composition(epsilon, 0, k=500, delta_prime=1e-5)[0])
        tight = advanced(epsilon, 500, 1e-5, epsilon * math.tanh(epsilon / 2))
        best = dp.optimal_composition(epsilon, 0, k=500, delta_total=1e-5)
        assert optimal_delta(best, epsilon, 500) == pytest.approx(1e-5)
        assert best < tight < loose
        totals[epsilon] = 500 * epsilon, loose, tight, best
    assert all(totals[e][1] < totals[e][0] / 2 for e in (0.01, 0.1))  # "a fraction"
    assert totals[1] == pytest.approx((500, 966.44, 338.36, 311.77), abs=0.005)
    assert 1.8 < totals[1][1] / totals[1][0] < 2  # "nearly twice"
    # The optimum from k reports of randomized response, added up over all 2^k of them.
    epsilon, k, total = 0.7, 8, 1.9
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    lies = np.array([bin(i).count("1") for i in range(2**k)])
    p, q = (truth ** (k - n) * (1 - truth) ** n for n in (lies, k - lies))
    assert optimal_delta(total, epsilon, k) == pytest.approx(np.maximum(0, p - math.exp(total) * q).sum())
    assert optimal_delta(0, math.log(3), 1) == pytest.approx(0.5)
    # The mean loss of one report.
    assert epsilon * (2 * truth - 1) == pytest.approx(epsilon * math.tanh(epsilon / 2))


def test_where_advanced_composition_pays(page):
    """By the page's inequality; and the optimal bound never charges more than the sequential total."""

    def first(epsilon, delta, limit=10_000):
        pays = (
            k for k in range(1, limit) if dp.advanced_composition(epsilon, 0, k=k, delta_prime=delta)[0] < k * epsilon
        )
        return next(pays, None)

    for epsilon, delta in [(0.01, 1e-4), (0.1, 1e-9), (0.25, 1e-5), (0.5, 1e-9), (0.65, 1e-5)]:
        more_than = 2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2
        assert first(epsilon, delta) == int(more_than) + 1
    assert first(0.1, 1e-5) == 29 and first(0.5, 1e-5) == 187
    for epsilon in (0.7, 1):
        assert first(epsilon, 1e-4, 1_000) is None
        tight = page["advanced"](epsilon, 1_000, 1e-5, epsilon * math.tanh(epsilon / 2))
        assert tight < 1_000 * epsilon
    for epsilon in (0.01, 0.1, 0.5, 1):
        for delta in (1e-9, 1e-4):
            best = [dp.optimal_composition(epsilon, 0, k=k, delta_total=delta) / k / epsilon for k in (1, 2, 100)]
            assert best[0] < 1 and best[1] < 1 and best[2] < best[0]


def test_labels_lose_what_profiles_keep(page):
    s = sigma(1, 1e-6, math.sqrt(45))
    assert page["gaussian_delta"](1, s / math.sqrt(45)) == pytest.approx(1e-6)
    grid = np.linspace(0.01, 20, 2000)
    each = grid[page["gaussian_delta"](grid, s) <= 1e-8][0]
    assert page["gaussian_delta"](each, s) <= 1e-8
    assert dp.optimal_composition(each, 1e-8, k=45, delta_total=1e-6) > 5
    # Not because 10⁻⁸ was a bad choice.
    for delta in np.geomspace(1e-12, 2e-8, 9):
        one = optimize.brentq(lambda e, d=delta: page["gaussian_delta"](e, s) - d, 0, 2)
        assert dp.optimal_composition(one, delta, k=45, delta_total=1e-6) > 5


def test_the_short_form_promises_nothing(page):
    claimed, k = page["total_epsilon"](1, 1_000, 1e-5), 1_000
    assert claimed == pytest.approx(short_form(1, k, 1e-5))
    reports = stats.binom(k, 1 / (1 + math.e))
    assert k - 2 * reports.mean() == pytest.approx(k * math.tanh(0.5))
    assert k * math.tanh(0.5) > 1.5 * claimed
    assert page["optimal_delta"](claimed, 1, k) > 0.999_99
    assert dp.optimal_composition(1, 0, k=k, delta_total=1e-5) > 1.9 * claimed
    # Where it is a corollary, and where it first fails.
    for epsilon, delta, fails in [(1, 1e-5, 176), (1, 1e-4, 144), (0.5, 1e-4, 436)]:
        assert int(2 * math.log(1 / delta) / math.tanh(epsilon / 2) ** 2) < fails
        for k in (1, fails // 2, fails - 1, fails, fails + 1, 2 * fails):
            least = dp.optimal_composition(epsilon, 0, k=k, delta_total=delta)
            assert (short_form(epsilon, k, delta) < least) == (k >= fails)
    assert dp.optimal_composition(1, 0, k=10_000, delta_total=1e-4) > 5 * short_form(1, 10_000, 1e-4)
