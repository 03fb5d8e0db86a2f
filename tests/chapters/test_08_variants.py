"""What chapter 8 says, derived again; its short mechanisms against the package and theory."""

import numpy as np
import pytest
from labs.chapter_08 import conversion, exact, log_profile, wide_orders
from scipy import optimize, stats

import dp_helpers as dp
from slider_figures.words import Words

CHAPTER = "08-variants"
FAILURE = 1e-6
K, SIGMA, DELTA = 500, 200, 1e-5


def profile(epsilon, sigma):
    return np.exp(log_profile(epsilon, sigma))


def by_advanced(k, delta, delta_prime, one):
    return one * np.sqrt(2 * k * np.log(1 / delta_prime)) + k * one * np.expm1(one)


# The idea and its picture.


def test_worst_cases_grow_with_the_releases_and_losses_hardly():
    rng = np.random.default_rng(807)
    for k in [1, 5, 50]:
        answers = 1 + rng.laplace(0, 2, size=(20_000, k))
        total = ((abs(answers) - abs(answers - 1)) / 2).sum(axis=1)
        assert total.max() <= k / 2 + 1e-9 and (total < 0).mean() > 0.01
        assert total.mean() < 0.25 * k / 2  # the bars move far more slowly than the line


def test_laplace_noise_costs_the_same_one_by_one_and_as_one_vector_and_normal_noise_less():
    for k in [2, 10, 100, 500, 1_000]:
        # Pure noise: scale k either way, and at answers above all counts each worst case is reached.
        assert dp.laplace_scale(sensitivity=k, epsilon=1) == pytest.approx(
            dp.laplace_scale(sensitivity=1, epsilon=1 / k)
        )
        alone = dp.gaussian_sigma(sensitivity=1, epsilon=1 / k, delta=DELTA / k)
        vector = dp.gaussian_sigma(sensitivity=np.sqrt(k), epsilon=1, delta=DELTA)
        assert vector < 0.85 * alone


def test_the_total_loss_of_the_table():
    rho = K / (2 * SIGMA**2)
    assert round(rho, 3) == 0.006 and round(np.sqrt(2 * rho), 2) == 0.11 and 1 / (2 * SIGMA**2) == 1 / 80_000
    assert stats.norm(rho, np.sqrt(2 * rho)).sf(0.4) < 1e-3


def test_markov_gives_the_loose_form_and_a_lottery_has_no_renyi_price():
    for sigma in [0.5, 2, 20]:
        rho = 1 / (2 * sigma**2)
        for alpha in [1.5, 4, 50]:
            epsilon = dp.rdp_to_dp(alpha, rho * alpha, delta=DELTA, tight=False)[0]
            assert epsilon == pytest.approx(rho * alpha + np.log(1 / DELTA) / (alpha - 1))
            above = stats.norm(rho, np.sqrt(2 * rho)).sf(epsilon)
            assert profile(epsilon, sigma) <= above <= DELTA
    # Your row comes out with probability δ, and never without you: the mean of e^((α - 1) loss) has no bound.
    rarer = 10.0 ** -np.arange(10, 160, 10)  # chances of that answer without you, down to none
    for alpha in [1.2, 2, 30]:
        renyi = (alpha * np.log(1e-5) + (1 - alpha) * np.log(rarer)) / (alpha - 1)
        assert (np.diff(renyi) > 20).all()


# The page's functions.


@pytest.mark.parametrize("sigma", [0.3, 1, 9, 200])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
def test_the_pages_exact_epsilon_solves_the_profile(page, sigma, delta):
    found = page["exact_epsilon"](sigma, delta)
    if profile(1e-5, sigma) > delta:  # the page looks from 1e-5 up
        assert profile(found, sigma) == pytest.approx(delta, rel=1e-3)
    else:
        assert found == pytest.approx(1e-5, rel=1e-4)


def test_three_totals_hold_at_one_delta(page):
    totals, share = page["three_totals"](K, SIGMA, DELTA), DELTA / (2 * K)
    one = exact(SIGMA, share)
    assert totals["sequential"] == pytest.approx(K * exact(SIGMA, DELTA / K), rel=1e-4)
    assert totals["advanced"] == pytest.approx(by_advanced(K, share, DELTA / 2, one), rel=1e-4)
    assert totals["optimal"] == pytest.approx(dp.optimal_composition(one, share, k=K, delta_total=DELTA), rel=1e-4)
    # What the accountants spend of delta is no more than delta.
    assert dp.advanced_composition(one, share, k=K, delta_prime=DELTA / 2)[1] == pytest.approx(DELTA)
    assert 1 - (1 - share) ** K < DELTA
    # "About a fifth of the optimal total", and each accountant in turn is lower.
    truth = exact(SIGMA / np.sqrt(K), DELTA)
    assert totals["sequential"] > totals["advanced"] > totals["optimal"] > truth
    assert 4.9 < totals["optimal"] / truth < 5.3


def test_the_pages_renyi_divergence(page):
    renyi, rng = page["renyi"], np.random.default_rng(801)
    p, q = rng.dirichlet(np.ones(6), size=2)
    for alpha in [1.3, 2, 7.5]:
        by_definition = np.log(np.sum(p**alpha * q ** (1 - alpha))) / (alpha - 1)
        assert renyi(p, q, alpha) == pytest.approx(by_definition)
    truth, other = np.array([3 / 4, 1 / 4]), np.array([1 / 4, 3 / 4])
    for alpha in [1.001, 2, 10, 500]:
        assert renyi(truth, other, alpha) == pytest.approx(dp.rdp_randomized_response(alpha, p=0.75), rel=1e-9)
    assert renyi(truth, other, 2) == pytest.approx(np.log(7 / 3)) == pytest.approx(0.847, abs=5e-4)
    assert renyi(truth, other, 1.001) == pytest.approx(np.log(3) / 2, abs=2e-3)
    assert renyi(truth, other, 500) == pytest.approx(np.log(3), abs=2e-3)
    # Independent releases add up.
    both, others = np.outer(truth, p).ravel(), np.outer(other, q).ravel()
    assert renyi(both, others, 3) == pytest.approx(renyi(truth, other, 3) + renyi(p, q, 3))


def test_alternative_texts(page):
    orders, words = 1 + np.logspace(-2, 4, 200_000), Words(page["best_order_words"](), {"releases": (), "delta": ()})
    for releases in [1, 300, 10_000]:
        epsilons = conversion(orders, releases * orders / (2 * SIGMA**2), DELTA, tight=True)
        said = words.at({"releases": releases, "delta": DELTA})
        assert said["lowest"] == pytest.approx(epsilons.min(), rel=1e-6)
        assert said["a6"] == pytest.approx(orders[epsilons.argmin()], rel=1e-3)
    assert f"exact {exact(SIGMA / 10, DELTA):.3g}" in page["cost_seen"](100)


def test_the_pages_gaussian_is_the_packages(page):
    rng, reach = np.random.default_rng(803), np.sqrt(K)
    ours = page["gaussian_answers"](np.zeros(20_000), reach, 0.00625, rng)
    by_rho = dp.gaussian_mechanism_zcdp(np.zeros(20_000), sensitivity=reach, rho=0.00625, rng=rng)
    by_order = dp.gaussian_mechanism_rdp(np.zeros(20_000), sensitivity=reach, alpha=20, epsilon=0.125, rng=rng)
    for draws in [ours, by_rho, by_order]:
        assert stats.kstest(draws, stats.norm(0, 200).cdf).pvalue > FAILURE
    assert dp.zcdp_gaussian(sigma=200, sensitivity=reach) == pytest.approx(0.00625)
    assert dp.rdp_gaussian(20, sigma=200, sensitivity=reach) == pytest.approx(0.125)


def test_the_500_counts(census):
    ages, weeks = np.arange(20, 60, 2), np.arange(20, 70, 2)
    age, hours = census["Age"].to_numpy(), census["Hours per week"].to_numpy()
    counts = np.array([[((age >= a) & (hours >= h)).sum() for h in weeks] for a in ages])
    assert counts.size == 500 and counts[-1, -1] == counts.min() and counts[0, 0] == counts.max()
    # One person moves every count by at most 1, and somebody moves all of them.
    contained = (age[:, None] >= ages).sum(axis=1) * (hours[:, None] >= weeks).sum(axis=1)
    assert contained.max() == 500


def test_cube_noise_has_the_density_on_the_page(page):
    rng, size = np.random.default_rng(804), 4
    draws = np.array([page["cube_noise"](size, 0.5, rng) for _ in range(20_000)])
    # A density proportional to e^(-epsilon max|z|) makes the maximum a gamma variable of shape k, with the
    # direction independent of it and uniform on the surface of the cube.
    largest = abs(draws).max(axis=1)
    assert stats.kstest(largest, stats.gamma(size, scale=2).cdf).pvalue > FAILURE
    faces = np.bincount(abs(draws).argmax(axis=1), minlength=size)
    assert stats.chisquare(faces).pvalue > FAILURE
    rest = np.sort(abs(draws), axis=1)[:, :-1] / largest[:, None]
    assert stats.kstest(rng.permuted(rest, axis=1)[:, 0], stats.uniform.cdf).pvalue > FAILURE
    assert draws.var() == pytest.approx((size + 1) * (size + 2) / 3 * 4, rel=0.1)


# Conversions.


def test_the_pages_conversion_is_the_packages(page):
    alphas = np.array([1.5, 2, 10, 200.0])
    for alpha, cost in zip(alphas, [0.1, 0.5, 1, 0.01], strict=True):
        ours = page["convert"](alpha, cost, DELTA)
        assert ours == pytest.approx(dp.rdp_to_dp(alpha, cost, delta=DELTA)[0])
        assert ours < dp.rdp_to_dp(alpha, cost, delta=DELTA, tight=False)[0]


def test_the_tight_conversion_is_valid_and_the_loose_one_wastes(page):
    for rho, tight, best in [(0.5, 4.728, 4.377), (0.05, 1.308, 1.199), (0.005, 0.375, 0.341)]:
        assert conversion(wide_orders(), rho * wide_orders(), DELTA, tight=True).min() == pytest.approx(tight, abs=6e-4)
        loose = rho + 2 * np.sqrt(rho * np.log(1 / DELTA))
        assert exact(1 / np.sqrt(2 * rho), DELTA) == pytest.approx(best, abs=6e-4)
        # The page's list of orders finds the minimum.
        orders = 1 + np.logspace(-1, 4, 5000)
        assert page["convert"](orders, rho * orders, DELTA).min() == pytest.approx(tight, abs=6e-4)
        assert loose / best > 1.2 and tight / best < 1.105  # "a fifth or more", "about a tenth"


@pytest.mark.parametrize("alpha", [1.01, 1.5, 2, 20, 500])
def test_the_improved_form_follows_from_the_pages_inequality(page, alpha):
    factor = ((alpha - 1) / alpha) ** (alpha - 1) / alpha
    t = np.log(alpha / (alpha - 1)) * np.linspace(-5, 20, 100_001)  # the largest ratio is at that logarithm
    ratio = np.maximum(0, -np.expm1(-t)) / (factor * np.exp((alpha - 1) * t))
    assert 1 - 1e-6 < ratio.max() <= 1 + 1e-12  # and no smaller factor would do
    # δ = factor e^((α - 1)(cost - ε)), solved for ε
    assert page["convert"](alpha, 0.3, DELTA) == pytest.approx(0.3 + np.log(factor / DELTA) / (alpha - 1))


@pytest.mark.parametrize(("alpha", "cost", "delta"), [(2, 0.5, 1e-3), (20, 0.125, 1e-5)])
def test_one_order_alone_allows_a_smaller_epsilon_than_the_improved_form(alpha, cost, delta):
    # The worst mechanism answers yes or no. For each chance p of yes, the rarest yes of the other table that the
    # divergence allows; then epsilon is ln((p - delta) / q).
    def divergence(p, q):
        return np.log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)

    best = 0.0
    for p in np.logspace(np.log10(1.01 * delta), -0.01, 400):
        q = optimize.brentq(lambda q, p=p: divergence(p, q) - cost, p * 1e-6, p)
        best = max(best, np.log((p - delta) / q))
    assert best < 0.995 * conversion(alpha, cost, delta, tight=True)
    assert best > 0.5 * conversion(alpha, cost, delta, tight=True)


def test_answers_to_the_slider_over_orders():
    def best(releases, orders, delta=DELTA):
        return dp.rdp_to_dp(orders, releases * dp.rdp_gaussian(orders, sigma=SIGMA), delta=delta)

    wide, band = wide_orders(), np.arange(2.0, 100.5, 0.5)
    optima = [best(k, wide)[1] for k in [1, 3, 10, 30, 100, 300, 1_000, 10_000]]
    assert (np.diff(optima) < 0).all()
    assert optima[3] > 100 > optima[4]
    assert best(1, band)[1] == best(30, band)[1] == 100
    assert 4 < best(1, band)[0] / best(1, wide)[0] < 4.5
    assert 100 < best(1, wide)[1] < 1_000
    assert 1 + np.sqrt(np.log(1 / DELTA) * 2 * SIGMA**2) == pytest.approx(960.7, abs=0.1)
    # All best orders of the slider are within the drawn axis.
    for delta in [1e-9, 1e-7, 1e-5]:
        assert best(10_000, wide, delta)[1] > 1.5 and best(1, wide, delta)[1] < 6_000


# One plot.


@pytest.fixture(scope="module")
def totals(page):
    return {k: page["six_totals"](k, SIGMA, DELTA) for k in [1, 1_000, 10_000]}


def test_zcdp_and_rdp_are_one_for_gaussian_noise(page):
    orders = wide_orders()
    for k in [1, 500, 10_000]:
        by_rdp, _ = dp.rdp_to_dp(orders, k * dp.rdp_gaussian(orders, sigma=SIGMA), delta=DELTA)
        assert page["six_totals"](k, SIGMA, DELTA)["RDP, improved"] == pytest.approx(by_rdp, rel=1e-5)


def test_six_totals_are_valid_at_the_same_delta(page):
    for k, sigma, delta in [(1, 200, 1e-5), (30, 20, 1e-9), (500, 200, 1e-5), (10_000, 500, 1e-7)]:
        six = page["six_totals"](k, sigma, delta)
        for total in six.values():
            assert profile(total, sigma / np.sqrt(k)) <= delta * (1 + 1e-3)
        assert min(six, key=six.get) in ("exact", "sequential")


def test_answers_to_the_slider_over_releases(totals):
    one = totals[1]
    assert one["exact"] == pytest.approx(one["sequential"])
    assert all(one[name] > one["sequential"] * 1.05 for name in one if name not in ("exact", "sequential"))
    times = {name: [six[name] / six["exact"] for six in totals.values()] for name in one}  # at 1, 1,000 and 10,000
    assert 100 < times["sequential"][2] < 10**2.7  # the axis
    assert all(times[name] == sorted(times[name]) for name in ("sequential", "advanced", "optimal"))
    assert times["zCDP, loose"] == sorted(times["zCDP, loose"], reverse=True)
    assert all(1.08 < ratio < 1.16 for ratio in times["RDP, improved"])


def test_all_curves_fit_the_axes(page):
    for sigma in [20, 500]:
        for delta in [1e-9, 1e-5]:
            for k in [1, 10_000]:
                assert all(0.003 < v < 5e4 for v in page["six_totals"](k, sigma, delta).values())


# The bug and the ledger.


def test_the_bug_compares_two_deltas(page, census):
    advanced, zcdp = page["two_totals"](K, SIGMA, DELTA)
    one = exact(SIGMA, DELTA)
    assert advanced == pytest.approx(by_advanced(K, DELTA, DELTA, one), rel=1e-4)
    spent = dp.advanced_composition(one, DELTA, k=K, delta_prime=DELTA)[1]
    assert spent == pytest.approx(501e-5)
    assert spent * len(census) > 100
    # Measured consequence: at either delta the gap is far wider than in her figure.
    for equal in [DELTA, spent]:
        fair = page["six_totals"](K, SIGMA, equal)
        assert fair["advanced"] / fair["RDP, improved"] > 1.5 * advanced / zcdp
    # Her number for the advanced theorem is far below what that theorem gives at the delta she names.
    assert page["six_totals"](K, SIGMA, DELTA)["advanced"] > 1.5 * advanced


def test_the_ledgers_totals_are_those_of_the_page(page):
    part = dp.zcdp_to_dp(0.00625, delta=1e-5)
    # In a month the sum of the ε is the smaller one, in a year the sum of the ρ is, by a factor of three.
    year = 12 * (dp.zcdp_to_dp(0.00625, delta=1e-5 / 12) + 0.1)
    assert 3 < year / dp.zcdp_to_dp(12 * (0.00625 + 0.1**2 / 2), delta=1e-5) < 3.3
    assert dp.zcdp_to_dp(0.00625 + 0.1**2 / 2, delta=1e-5) > part + 0.1
    # The answer's total.
    assert page["exact_epsilon"](SIGMA / np.sqrt(K), DELTA) == pytest.approx(0.38, abs=0.005)
    # RDP is the next best, about a tenth above.
    six = page["six_totals"](K, SIGMA, DELTA)
    assert sorted(six, key=six.get)[:2] == ["exact", "RDP, improved"]
    assert 1.08 < six["RDP, improved"] / six["exact"] < 1.12
