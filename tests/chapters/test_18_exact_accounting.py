"""What chapter 18 says, derived again; its short accountants against the package."""

import math

import numpy as np
import pytest
from chapters.chance import another, streams
from scipy import stats

import dp_helpers as dp

CHAPTER = "18-exact-accounting"


def test_two_simulated_counts_miss_as_often_as_one():
    """The Predict's two lines agree to two hundredths, in any run of the cell."""
    missed = []
    for rng in streams(18, number=20):
        noise = rng.normal(0, 1, (2, 200_000)).sum(axis=0)
        missed.append((noise + 2 <= np.quantile(noise, 0.95)).mean())
    exact = dp.trade_off_gaussian(0.05, mu=math.sqrt(2))
    assert another(missed)[0] > exact - 0.02 and another(missed)[1] < exact + 0.02


def test_the_pages_curve_is_the_packages(page):
    assert page["misses"](0.05, 1.0) == pytest.approx(dp.trade_off_gaussian(0.05, mu=1.0))


def test_a_sampled_step_by_hand_and_by_the_package(page):
    loss = page["sampled_loss"]
    assert loss(0.5 + math.log(11), 0.1, 1) == pytest.approx(math.log(2))
    assert loss(-30, 0.1, 1) == pytest.approx(math.log(0.9)) and -math.log(0.9) == pytest.approx(0.1, abs=0.006)
    for q, sigma in [(0.1, 1.0), (0.01, 0.7), (0.5, 2.0)]:
        y = np.linspace(-12 * sigma, 1 + 12 * sigma, 200_001)
        chances = (1 - q) * stats.norm.pdf(y, 0, sigma) + q * stats.norm.pdf(y, 1, sigma)
        step = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma)
        for epsilon in (0.1, math.log(2)):
            ours = page["least_delta"](chances * (y[1] - y[0]), loss(y, q, sigma), epsilon)
            assert ours == pytest.approx(step.delta(epsilon), rel=1e-3)


def test_two_answers_by_hand(page):
    one = np.array([1 / 4, 0, 3 / 4])
    losses = math.log(3) * np.arange(-2, 3)
    two = page["composed"](one, 2)

    for epsilon in (0.0, 0.5, math.log(3), 2.0):
        package = dp.PrivacyLoss.randomized_response(epsilon=math.log(3)).compose_self(2).delta(epsilon)
        assert page["least_delta"](two, losses, epsilon) == pytest.approx(package, rel=1e-6)


def test_the_page_rounds_laplace_losses_up_and_down(page):
    up, down = page["rounded"](0.1, 40, up=True), page["rounded"](0.1, 40, up=False)
    grid = np.linspace(-0.1, 0.1, 41)
    for law in (up, down):
        assert law.min() >= -1e-15 and law.sum() == pytest.approx(1)
    # Sums from above: the law that was rounded up lies above the truth, the other below.
    truth = np.where(grid <= 0.1, 1 - np.exp((grid - 0.1) / 2) / 2, 0)  # P[loss > grid], but for the last
    truth[-1] = 0
    assert (np.cumsum(up[::-1])[::-1][1:] >= truth[:-1] - 1e-12).all()
    at_least = np.concatenate([[1.0], truth[1:-1], [0.5]])  # P[loss >= grid]: some are at the ends
    assert (np.cumsum(down[::-1])[::-1] <= at_least + 1e-12).all()


def page_bounds(page, k, parts=40):
    """Return the page's lower and upper bound of k Laplace releases at 0.1."""
    total = page["total_epsilon"]
    below, _ = total(page["composed"](page["rounded"](0.1, parts, up=False), k), k, 1e-6)
    _, above = total(page["composed"](page["rounded"](0.1, parts, up=True), k), k, 1e-6)
    return below, above


def test_the_totals_of_the_page_lie_around_the_exact_one(page):
    low, high = page_bounds(page, 100)
    exact = dp.PrivacyLoss.laplace(scale=10).compose_self(100).epsilon_bounds(1e-6)
    assert low < exact[0] <= exact[1] < high
    assert round(exact[0], 3) == round(exact[1], 3)  # "agree to three digits"
    assert 4.69 < exact[1] < 4.7


def test_rounded_down_is_below_and_rounded_up_above_for_every_number_of_releases(page):
    one = dp.PrivacyLoss.laplace(scale=10)
    for k in (1, 2, 3, 4, 5, 10, 20, 40, 100):
        low, high = page_bounds(page, k, parts=10)
        exact = one.compose_self(k).epsilon_bounds(1e-6)
        assert low <= exact[0] <= exact[1] <= high + 1e-12, k


def test_the_curve_lies_above_delta_at_the_exact_epsilon(page):
    """The figure says so: a loss just above ε weighs little."""
    for k in (2, 10, 38, 100):
        chances = page["composed"](page["rounded"](0.1, 40, up=False), k)
        losses = np.linspace(-0.1 * k, 0.1 * k, len(chances))
        epsilon = dp.PrivacyLoss.laplace(scale=10).compose_self(k).epsilon(1e-6)
        assert chances[losses > epsilon].sum() > 3e-6


def test_what_the_releases_show():
    def share(k):
        return dp.PrivacyLoss.laplace(scale=10).compose_self(k).epsilon(1e-6) / (k / 10)

    assert share(1) > 0.99 and share(88) < 0.5 < share(76)


def test_training_costs_less_than_renyi_says_and_more_than_a_bell(page):
    low, high = dp.PrivacyLoss.subsampled_gaussian(q=0.01, sigma=1.1).compose_self(10_000).epsilon_bounds(1e-5)
    renyi = dp.dp_sgd_epsilon(q=0.01, sigma=1.1, steps=10_000, delta=1e-5)
    assert page["bell_epsilon"](0.01, 1.1, 10_000, 1e-5) < low <= high < 5.2
    assert 0.07 < 1 - high / renyi < 0.09  # "some 8%"


@pytest.mark.parametrize("q", [0.001, 1e-4])
@pytest.mark.parametrize("sigma", [1.0, 1.4, 2.0])
def test_renyi_leaves_most_where_few_rows_are_sampled_and_the_total_is_small(q, sigma):
    """The page prints two of these; where σ is small and the total large, the gap is narrow."""
    step = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma)
    low, high = step.compose_self(1_000).epsilon_bounds(1e-5)
    assert low <= high < dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=1_000, delta=1e-5) / 2


def test_the_total_of_laplace_counts_at_smaller_deltas():
    """Question 3: ε grows as δ shrinks, and never above the sum."""
    hundred = dp.PrivacyLoss.laplace(scale=10).compose_self(100)
    totals = [hundred.epsilon(delta) for delta in (1e-6, 1e-9, 1e-12)]
    assert totals == sorted(totals) and totals[0] < 4.7 < totals[1] and totals[2] <= 10


def test_the_best_tests_of_the_first_figure_are_thresholds_and_laplace_is_bent_between():
    """Misses of Laplace noise: straight beyond 0 and 1, one over the false alarms between."""
    between, above, below = np.linspace(0, 1, 11), np.linspace(1, 5, 11), np.linspace(-5, 0, 11)
    assert np.ptp(stats.laplace.sf(between) * stats.laplace.cdf(between, 1)) < 1e-12
    for thresholds in (above, below):
        slopes = np.diff(stats.laplace.cdf(thresholds, 1)) / np.diff(stats.laplace.sf(thresholds))
        assert np.ptp(slopes) < 1e-9
    y = np.linspace(-6, 7, 1_000)
    for law in (stats.norm, stats.laplace):  # a ratio that never falls: accusing above a threshold is best
        assert (np.diff(law.logpdf(y, 1) - law.logpdf(y, 0)) > -1e-12).all()
