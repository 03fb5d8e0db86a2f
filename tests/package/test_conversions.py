"""Each conversion is held to the one in the other direction, to exact laws, and to definitions worked out anew."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

import dp_helpers as dp

RHOS = [1e-9, 1e-3, 0.1, 1.0, 5.0, 100.0]


@pytest.mark.parametrize(("rho", "delta"), [*itertools.product(RHOS, [1e-14, 1e-9, 1e-5, 1e-2, 0.3])])
def test_delta_of_zcdp_is_epsilons_inverse(rho, delta):
    epsilon = dp.zcdp_to_dp(rho, delta=delta)
    if epsilon > 0:
        assert dp.zcdp_to_delta(rho, epsilon=epsilon) == pytest.approx(delta, rel=1e-6)
    else:
        assert dp.zcdp_to_delta(rho, epsilon=0.0) <= delta


@pytest.mark.parametrize(("rho", "epsilon"), [*itertools.product(RHOS, [0.0, 0.1, 1.0, 10.0, 300.0])])
def test_delta_of_zcdp_is_that_of_the_best_order_and_above_the_exact_one(rho, epsilon):
    alphas = 1 + np.geomspace(1e-6, 1e7, 20_001)
    delta = dp.zcdp_to_delta(rho, epsilon=epsilon)
    assert delta == pytest.approx(dp.rdp_to_delta(alphas, rho * alphas, epsilon=epsilon)[0], rel=1e-4, abs=1e-300)
    assert delta >= dp.PrivacyLoss.gaussian(sigma=math.sqrt(1 / (2 * rho))).delta(epsilon) * (1 - 1e-9)


@pytest.mark.parametrize(("sigma", "delta"), [*itertools.product([0.5, 2.0, 20.0], [1e-10, 1e-5, 1e-3])])
def test_delta_of_renyi_bounds_is_epsilons_inverse(sigma, delta):
    alphas = np.geomspace(1.01, 500, 300)
    bounds = dp.rdp_subsampled_gaussian(alphas, q=0.1, sigma=sigma)
    epsilon, alpha = dp.rdp_to_dp(alphas, bounds, delta=delta)
    assert epsilon > 0
    assert dp.rdp_to_delta(alphas, bounds, epsilon=epsilon) == (pytest.approx(delta, rel=1e-9), alpha)


def test_delta_of_a_huge_cost_or_a_huge_epsilon():
    assert dp.zcdp_to_delta(1e300, epsilon=1.0) == dp.rdp_to_delta([2.0], [1e300], epsilon=1.0)[0] == 1.0
    assert dp.zcdp_to_delta(5e-324, epsilon=1e300) == dp.zcdp_to_delta(0.0, epsilon=0.0) == 0.0
    assert 0 < dp.zcdp_to_delta(1e-12, epsilon=0.0) <= 1.01e-6


@pytest.mark.parametrize(("epsilon", "delta"), [*itertools.product([1e-3, 0.1, 1.0, 10.0, 500.0], [1e-14, 1e-6, 1e-2])])
def test_the_largest_rho_costs_epsilon_and_more_costs_more(epsilon, delta):
    rho = dp.largest_rho(epsilon=epsilon, delta=delta)
    assert dp.zcdp_to_dp(rho, delta=delta) <= epsilon < dp.zcdp_to_dp(rho * (1 + 1e-8), delta=delta)


def divergence(one, other, alpha):
    return math.log(np.sum(one**alpha * other ** (1 - alpha))) / (alpha - 1)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_pure_privacy_costs_half_its_square_and_an_exponential_mechanism_an_eighth(epsilon):
    """By the divergences of every order, of randomized response and of the exponential mechanism."""
    orders = [1.001, 1.5, 2, 4, 16, 64]
    coin = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
    half, eighth = dp.pure_to_zcdp(epsilon), dp.pure_to_zcdp(epsilon, bounded_range=True)
    assert all(divergence(coin, coin[::-1], alpha) <= half * alpha for alpha in orders)
    assert any(divergence(coin, coin[::-1], alpha) > 2 * eighth * alpha for alpha in orders)
    rng, worst = np.random.default_rng(1), 0.0
    for monotonic in (False, True):
        for scores in rng.integers(0, 4, size=(300, 3)):
            changed = scores + (rng.integers(0, 2, 3) if monotonic else rng.integers(-1, 2, 3))
            laws = [
                dp.exponential_probabilities(s, sensitivity=1, epsilon=epsilon, monotonic=monotonic)
                for s in (scores, changed)
            ]
            worst = max(worst, *(divergence(*laws, alpha) / alpha for alpha in orders))
    assert 0.5 * eighth < worst <= eighth


def hockey_stick(one, other, epsilon):
    return np.maximum(one - math.exp(epsilon) * other, 0).sum()


@pytest.mark.parametrize(("epsilon", "q"), [*itertools.product([0.1, 1.0, 3.0], [0.0, 0.01, 0.5, 1.0])])
def test_sampling_amplifies_exactly_what_randomized_response_spends(epsilon, q):
    """With an answer that nobody's data touches as the other world, the mixture has just that epsilon, and no less."""
    coin = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
    sampled = (1 - q) * coin[::-1] + q * coin
    amplified, delta = dp.amplification_by_sampling(epsilon, 0.0, q=q)
    assert delta == 0
    assert np.log(sampled / coin[::-1]).max() == pytest.approx(amplified, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("sigma", "q", "epsilon"), [*itertools.product([0.7, 2.0], [0.01, 0.3], [0.2, 1.0, 3.0])])
def test_sampling_amplifies_normal_noise_exactly(sigma, q, epsilon):
    """Against the exact delta of one sampled release (add/remove), where the theorem is tight."""
    of_all = dp.PrivacyLoss.gaussian(sigma=sigma).delta(epsilon)
    amplified, delta = dp.amplification_by_sampling(epsilon, of_all, q=q)
    z = optimize.brentq(
        lambda x: q * math.exp((2 * x - 1) / (2 * sigma**2)) - q * math.exp(epsilon), -50 * sigma, 50 * sigma**2 + 50
    )
    sampled = (1 - q) * stats.norm.sf(z, 0, sigma) + q * stats.norm.sf(z, 1, sigma)
    exact = sampled - math.exp(amplified) * stats.norm.sf(z, 0, sigma)
    assert exact == pytest.approx(delta, rel=1e-6)
    assert dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).delta(amplified) == pytest.approx(delta, rel=0.02)


def test_a_sample_of_fixed_size_under_replace_one():
    """Two of four bits, drawn without replacement, randomized response on their number: by all samples, exactly."""
    epsilon, data, neighbour = 1.5, (1, 1, 0, 0), (0, 1, 0, 0)
    chances = dp.exponential_probabilities([0.0, 1.0], sensitivity=1, epsilon=2 * epsilon)

    def law(rows):
        samples = list(itertools.combinations(rows, 2))
        first = np.mean([chances[int(sum(sample) >= 2)] for sample in samples])
        return np.array([first, 1 - first])

    amplified, _ = dp.amplification_by_sampling(epsilon, 0.0, q=0.5)
    for one, other in [(data, neighbour), (neighbour, data)]:
        assert hockey_stick(law(one), law(other), amplified) < 1e-12


def test_a_huge_epsilon_is_amplified_without_overflow():
    assert dp.amplification_by_sampling(1e4, 0.0, q=1.0)[0] == pytest.approx(1e4)
    assert dp.amplification_by_sampling(1e4, 0.0, q=1e-3)[0] == pytest.approx(1e4 + math.log(1e-3))
    assert dp.amplification_by_sampling(1e4, 0.0, q=0.0)[0] == 0.0
