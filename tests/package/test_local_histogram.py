import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_protocols import COLOURS, PROTOCOLS, perturbed
from random_numbers import ERRORS, P_VALUE, generator
from reference import reference
from scipy import stats

import dp_helpers as dp

# ---------------------------------------------------------------- histogram encoding


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("she.var"))
def test_variance_is_the_same_for_every_count(inputs, value, tolerance):
    protocol = dp.HistogramEncoding(COLOURS, epsilon=inputs["eps"])
    for count in (0, 300, 1_000):
        assert protocol.variance(1_000, count) / 1_000 == pytest.approx(value, rel=0, abs=tolerance)


def test_every_entry_has_laplace_noise_of_its_own():
    protocol, n = dp.HistogramEncoding(COLOURS, epsilon=2.0), 100_000
    for position, answer in enumerate(COLOURS):
        reports = perturbed(protocol, [answer] * n, seed=position)
        assert reports.shape == (n, 3)
        assert reports.dtype == np.float64
        for column, entries in enumerate(reports.T):
            assert stats.kstest(entries, stats.laplace(float(column == position), 1.0).cdf).pvalue > P_VALUE
        for correlation in np.corrcoef(reports.T)[np.triu_indices(3, 1)]:
            assert abs(correlation) * math.sqrt(n) < ERRORS


def sum_of_laplace(n, scale):
    """Return the distribution function of the sum of n Laplace variables, from their characteristic function."""
    t = (np.arange(4_000) + 0.5) * 0.005 / scale  # midpoints; what is left over is less than (1 + 20^2)^-n
    weights = 0.005 / scale / t / math.pi * (1 + (scale * t) ** 2) ** -n
    grid = np.linspace(-20 * scale, 20 * scale, 801)
    cdf = np.array([0.5 + np.sin(t * x) @ weights for x in grid])
    return lambda x: np.interp(x, grid, cdf)


@pytest.mark.parametrize("route", ["aggregate", "estimate", "simulate"])
def test_every_route_to_an_estimate_has_the_same_law(route):
    protocol, rng = PROTOCOLS["she"], generator(21)
    values, counts = ["blue", "red", "red", "green"], np.array([1, 1, 2])
    one = {
        "aggregate": lambda: protocol.aggregate(protocol.perturb(protocol.encode(values), rng)),
        "estimate": lambda: protocol.estimate(values, rng),
        "simulate": lambda: protocol.simulate(counts, 4, rng),
    }[route]
    errors = np.array([one() for _ in range(1_500)]) - counts
    for column in errors.T:
        assert stats.kstest(column, sum_of_laplace(4, 2 / protocol.epsilon)).pvalue > P_VALUE
    for correlation in np.corrcoef(errors.T)[np.triu_indices(3, 1)]:
        assert abs(correlation) * math.sqrt(1_500) < ERRORS


def test_adding_noisy_numbers_up_is_all_there_is_to_the_estimate():
    protocol = dp.HistogramEncoding(COLOURS, epsilon=1.0)
    assert protocol.aggregate([[0.5, -2.0, 1.0], [1.0, 1.0, 7.5]]).tolist() == [1.5, -1.0, 8.5]
    assert protocol.estimate_from([-5, 0, 99], 2).tolist() == [-5.0, 0.0, 99.0]


# ---------------------------------------------------------------- with a threshold


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("the.pq"))
def test_p_and_q_agree_with_the_reference(inputs, value, tolerance):
    protocol = dp.ThresholdHistogramEncoding(COLOURS, epsilon=inputs["eps"], theta=inputs["theta"])
    assert protocol.theta == inputs["theta"]
    assert [protocol.p, protocol.q] == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("theta", [-0.7, 0.0, 0.3, 1.0, 1.8])
def test_bits_say_which_noisy_numbers_are_above_the_threshold(theta):
    epsilon, n = 2.0, 200_000
    protocol = dp.ThresholdHistogramEncoding(COLOURS, epsilon=epsilon, theta=theta)
    noise = stats.laplace(scale=2 / epsilon)
    assert [protocol.p, protocol.q] == pytest.approx([noise.sf(theta - 1), noise.sf(theta)], rel=1e-12)
    above = perturbed(dp.HistogramEncoding(COLOURS, epsilon=epsilon), ["red"] * n) > theta
    assert stats.binomtest(int(above[:, 2].sum()), n, protocol.p).pvalue > P_VALUE
    assert stats.binomtest(int(above[:, 0].sum()), n, protocol.q).pvalue > P_VALUE


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("the.theta"))
def test_without_a_threshold_the_best_is_taken(inputs, value, tolerance):
    protocol = dp.ThresholdHistogramEncoding(COLOURS, epsilon=inputs["eps"])
    assert protocol.theta == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("the.var"))
def test_variance_at_the_best_threshold_and_at_1(inputs, value, tolerance):
    found = [
        dp.ThresholdHistogramEncoding(COLOURS, epsilon=inputs["eps"], theta=theta).variance(1, 0) for theta in (None, 1)
    ]
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@given(epsilon=st.floats(0.05, 20), theta=st.floats(-1, 2))
def test_no_threshold_is_better_than_the_best(epsilon, theta):
    best = dp.ThresholdHistogramEncoding(COLOURS, epsilon=epsilon)
    assert 0.5 <= best.theta < 1
    other = dp.ThresholdHistogramEncoding(COLOURS, epsilon=epsilon, theta=theta)
    assert best.variance(1, 0) <= other.variance(1, 0) * (1 + 1e-9)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("the.trueeps"))
def test_bits_alone_spend_less_than_epsilon(inputs, value, tolerance):
    protocol = dp.ThresholdHistogramEncoding(COLOURS, epsilon=inputs["eps"], theta=inputs["theta"])
    assert protocol.epsilon == inputs["eps"]
    assert dp.unary_epsilon(protocol.p, protocol.q) == pytest.approx(value, rel=0, abs=tolerance)


def test_optimized_unary_encoding_does_better():
    unary = dp.UnaryEncoding.optimized(COLOURS, 5.0)
    threshold = dp.ThresholdHistogramEncoding(COLOURS, epsilon=5.0)
    histogram = dp.HistogramEncoding(COLOURS, epsilon=5.0)
    assert threshold.variance(1, 0) / unary.variance(1, 0) == pytest.approx(5.8, abs=0.05)
    assert unary.variance(1, 0) < threshold.variance(1, 0) < histogram.variance(1, 0)


@pytest.mark.parametrize("theta", [0.5, 0.75])
def test_estimates_with_a_published_wrong_p_are_caught(theta):
    """A printed formula has p = 1 - e^(+epsilon (1 - theta) / 2) / 2, which is right at theta = 1 only."""
    n, held, epsilon, rounds = 32_561, 900, 5.0, 300
    protocol = dp.ThresholdHistogramEncoding(range(3), epsilon=epsilon, theta=theta)
    wrong_p = 1 - math.exp(epsilon * (1 - theta) / 2) / 2
    rng, counts = generator(3), [held, n - held, 0]
    right = np.array([protocol.simulate(counts, n, rng)[0] for _ in range(rounds)])
    wrong = right * (protocol.p - protocol.q) / (wrong_p - protocol.q)
    margin = ERRORS * math.sqrt(protocol.variance(n, held) / rounds)
    assert abs(right.mean() - held) < margin
    assert abs(wrong.mean() - held) > margin
    if theta == 0.75:  # as worked out by hand for the listing
        biased = held * (protocol.p - protocol.q) / (wrong_p - protocol.q)
        assert wrong_p == pytest.approx(0.066, abs=5e-4)
        assert protocol.p == pytest.approx(0.732, abs=5e-4)
        assert biased == pytest.approx(-54_639, abs=1)
