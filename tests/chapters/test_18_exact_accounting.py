"""What chapter 18 says, derived again; its short accountants against the package; its labs."""

import itertools
import math

import numpy as np
import pytest
from chapters.chance import another, streams
from scipy import stats

import dp_helpers as dp

CHAPTER = "18-exact-accounting"


def test_what_the_two_errors_show():
    normal, laplace = stats.norm, stats.laplace
    assert 0.02 <= normal.sf(2) < 0.025 and round(normal.cdf(1), 2) == 0.84
    lines = np.linspace(0.01, 0.99, 9)
    product = laplace.sf(lines) * laplace.cdf(lines, 1)
    assert product == pytest.approx(np.full(9, product[0]))  # "proportional to one over the false alarms"
    for beyond, ratio in ((np.linspace(1, 3, 5), math.e), (np.linspace(-3, 0, 5), 1 / math.e)):
        misses, alarms = laplace.cdf(beyond, 1), laplace.sf(beyond)
        assert np.diff(misses) / np.diff(alarms) == pytest.approx(np.full(4, -ratio))


def test_two_counts_are_one_of_smaller_noise():
    assert dp.trade_off_gaussian(0.05, mu=math.sqrt(2)) == pytest.approx(
        stats.norm.cdf((stats.norm.isf(0.05) * math.sqrt(2) - 2) / math.sqrt(2))
    )


def test_two_simulated_counts_miss_as_often_as_one():
    """The Predict's two lines agree to two hundredths, in any run of the cell."""
    missed = []
    for rng in streams(18, number=20):
        noise = rng.normal(0, 1, (2, 200_000)).sum(axis=0)
        missed.append((noise + 2 <= np.quantile(noise, 0.95)).mean())
    exact = dp.trade_off_gaussian(0.05, mu=math.sqrt(2))
    assert another(missed)[0] > exact - 0.02 and another(missed)[1] < exact + 0.02


def test_the_curve_on_paper_and_its_two_lines():
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.4, 0.4])
    assert (np.diff(p / q) < 0).all()
    points = [(q[:i].sum(), 1 - p[:i].sum()) for i in range(4)]
    assert np.allclose(points, [(0, 1), (0.2, 0.4), (0.6, 0.1), (1, 0)])
    for alarms, misses in points:
        assert misses >= max(0.8 - 2 * alarms, (0.8 - alarms) / 2) - 1e-12
    assert points[1][1] == pytest.approx(0.8 - 0.4) and points[2][1] == pytest.approx(0.1)


def test_a_hundred_bells_are_one(page):
    assert page["misses"](0.05, 1.0) == pytest.approx(dp.trade_off_gaussian(0.05, mu=1.0))
    hundred = dp.PrivacyLoss.gaussian(sigma=10).compose_self(100)
    assert hundred.epsilon(1e-5) == pytest.approx(4.377, abs=1e-3)
    assert dp.zcdp_to_dp(0.5, delta=1e-5) == pytest.approx(4.728, abs=1e-3)


def test_one_number_by_hand(page):
    """16% of a bell lie a deviation above its middle, where the bell with you has its own."""
    assert stats.norm.sf(1) == pytest.approx(0.16, abs=0.002)
    assert page["misses"](stats.norm.sf(1), 1) == pytest.approx(0.5)


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
    assert two == pytest.approx([1 / 16, 0, 6 / 16, 0, 9 / 16])
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
    for k in range(1, 101):
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

    assert share(1) > 0.99 and share(95) < 0.5 < share(80)


def test_training_costs_less_than_renyi_says_and_more_than_a_bell(page):
    low, high = dp.PrivacyLoss.subsampled_gaussian(q=0.01, sigma=1.1).compose_self(10_000).epsilon_bounds(1e-5)
    renyi = dp.dp_sgd_epsilon(q=0.01, sigma=1.1, steps=10_000, delta=1e-5)
    assert page["bell_epsilon"](0.01, 1.1, 10_000, 1e-5) < low <= high < 5.2
    assert 0.07 < 1 - high / renyi < 0.09  # "some 8%"
    saved = []
    for q, sigma, steps in [(0.001, 0.5, 1_000), (0.001, 0.6, 1_000), (1e-4, 0.5, 1_000), (1e-4, 0.6, 10_000)]:
        small = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps).epsilon(1e-5)
        saved.append(1 - small / dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=1e-5))
    assert min(saved) == pytest.approx(0.26, abs=0.02) and max(saved) < 0.85  # "a quarter to four fifths"


def test_both_ends_keep_the_mass_of_a_cell():
    p, q = (math.exp(-0.05) - math.exp(-0.1)) / 2, (1 - math.exp(-0.05)) / 2
    upper = (p - math.exp(-0.1) * q) / (1 - math.exp(-0.1))
    assert 0 < upper < p
    assert upper + (p - upper) * math.exp(0.1) == pytest.approx(q)  # under Q, each end has p e^-loss


# ---------------------------------------------------------------- labs


def by_outcomes(p, q, k, epsilon):
    total = 0
    for runs in itertools.product(range(len(p)), repeat=k):
        a, b = math.prod(p[i] for i in runs), math.prod(q[i] for i in runs)
        total += max(a - math.exp(epsilon) * b, 0)
    return total


def by_numpy(p, q, k, epsilon):
    with_you = without = np.ones(1)
    for _ in range(k):
        with_you, without = np.outer(with_you, p).ravel(), np.outer(without, q).ravel()
    return np.maximum(with_you - np.exp(epsilon) * without, 0).sum()


def by_losses(p, q, k, epsilon):
    runs = [(0.0, 1.0)]
    for _ in range(k):
        runs = [(loss + math.log(a / b), chance * a) for loss, chance in runs for a, b in zip(p, q, strict=True)]
    return round(sum(chance * (1 - math.exp(epsilon - loss)) for loss, chance in runs if loss > epsilon), 6)


def single(p, q, k, epsilon):
    return by_outcomes(p, q, 1, epsilon)


RIGHT = [
    *(("18.1", answer) for answer in (0.7828, 0.78274, stats.norm.cdf(stats.norm.isf(0.1) - 0.5), 0.783)),
    *(("18.2", answer) for answer in (math.sqrt(52), 7.21, np.float64(7.2111))),
    *(
        ("18.3", answer)
        for answer in ((0, 0.142, 0.281), [0.0, 0.1424, 0.2809], {"down": 0, "exact": 0.1424, "up": 0.281})
    ),
    *(("18.4", answer) for answer in (by_outcomes, by_numpy, by_losses)),
]
WRONG = [
    ("18.1", 0.2172, "the misses are the rest"),
    ("18.1", float(stats.norm.cdf(stats.norm.isf(0.1) - 2)), "you took the deviation itself"),
    ("18.1", float(stats.norm.cdf(stats.norm.isf(0.1) - 1)), "half a deviation"),
    ("18.1", 0.9, "that is a coin"),
    ("18.1", 78.28, "between 0 and 1"),
    ("18.1", "0.78", "give a number"),
    ("18.2", 52, "their squares do"),
    ("18.2", 1 / math.sqrt(52), "one over it"),
    ("18.2", 1, "each week alone"),
    ("18.2", 2704, "not its square"),
    ("18.2", 10.0, "52 weeks have"),
    ("18.3", (0.281, 0.142, 0), "rounded up grows"),
    ("18.3", (0, 4 / 9, 4 / 9), "how often the loss exceeds"),
    ("18.3", (0, 0.1424, 4 / 9), "how often the loss exceeds"),
    ("18.3", (0, 1 - math.e / 4, 1 - 1 / math.e), "how likely is it"),
    ("18.3", (0, 0.1424, 1 - 1 / math.e), "how likely is it"),
    ("18.3", (0, 0.2136, 0.281), "have to be true"),
    ("18.3", (0, 0.1424, 0.1749), "together they are 2"),
    ("18.3", (0.1, 0.1424, 0.281), "Look at down"),
    ("18.3", 0.14, "give 3 numbers"),
    ("18.4", single, "a single run"),
    ("18.4", lambda p, q, k, e: k * single(p, q, 1, e), "times k"),
    ("18.4", lambda p, q, k, e: by_outcomes(q, p, k, e), "the other order"),
    ("18.4", lambda p, q, k, e: by_outcomes(p, q, k, k * e), "for all of them together"),
    ("18.4", lambda p, q, k, e: k * single(p, q, 1, e / k), "splits ε evenly"),
    ("18.4", lambda p, q, k, e: None, "give a number"),
    ("18.4", 3, "give the function itself"),
]
