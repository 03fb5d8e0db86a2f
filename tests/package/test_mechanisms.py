import math
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_numbers import ERRORS, P_VALUE, generator
from reference import reference
from scipy import integrate, special, stats

import dp_helpers as dp
from dp_helpers import mechanisms

MECHANISMS = {
    "laplace": (dp.laplace_mechanism, {"sensitivity": 2.0, "epsilon": 0.5}),
    "geometric": (dp.geometric_mechanism, {"sensitivity": 2, "epsilon": 0.5}),
    "gaussian": (dp.gaussian_mechanism, {"sensitivity": 2.0, "epsilon": 0.5, "delta": 1e-5}),
    "classical": (dp.gaussian_mechanism, {"sensitivity": 2.0, "epsilon": 0.5, "delta": 1e-5, "method": "classical"}),
    "zcdp": (dp.gaussian_mechanism_zcdp, {"sensitivity": 2.0, "rho": 0.1}),
    "rdp": (dp.gaussian_mechanism_rdp, {"sensitivity": 2.0, "alpha": 20, "epsilon": 0.1}),
}
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def draws(name, n, seed, **changes):
    """Return n independent noises of a mechanism."""
    mechanism, parameters = MECHANISMS[name]
    return mechanism(np.zeros(n, dtype=int), **{**parameters, **changes}, rng=generator(seed))


def log_profile(sigma, epsilon):
    """Return ln delta of the Gaussian mechanism at sensitivity 1, by a route of its own.

    delta = phi(u) (R(u) - R(v)) with R the Mills ratio, u = epsilon sigma - 1 / (2 sigma) and v = u + 1 / sigma; the
    difference is the integral of -R'(t) = 1 - t R(t), so that nothing cancels.
    """
    u = epsilon * sigma - 0.5 / sigma

    def slope(x):
        return 1 - (u + x) * special.erfcx((u + x) / math.sqrt(2)) * math.sqrt(math.pi / 2)

    integral = integrate.quad(slope, 0, 1 / sigma, epsabs=0, epsrel=1e-11, limit=200)[0]
    return math.log(integral) - u * u / 2 - math.log(2 * math.pi) / 2


# ---------------------------------------------------------------- distributions


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 1.0), (10, 0.1), (0.25, 3.0), (1, 1e-9)])
def test_laplace_noise_is_laplace(sensitivity, epsilon):
    noise = draws("laplace", 200_000, 1, sensitivity=sensitivity, epsilon=epsilon)
    assert stats.kstest(noise, stats.laplace(scale=sensitivity / epsilon).cdf).pvalue > P_VALUE


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 3.0), (1, 1.0), (1, 0.26), (3, 0.4), (1, 0.02)])
def test_geometric_noise_has_the_two_sided_geometric_law(sensitivity, epsilon):
    noise = draws("geometric", 1_000_000, 2, sensitivity=sensitivity, epsilon=epsilon)
    a = math.exp(-epsilon / sensitivity)
    width = int(stats.laplace.isf(1e-3, scale=sensitivity / epsilon))  # beyond, the tails are two cells
    z = np.arange(-width, width + 1)
    expected = np.concatenate([(1 - a) / (1 + a) * a ** abs(z), [a ** (width + 1) / (1 + a)] * 2])
    observed = [*np.bincount(noise[abs(noise) <= width] + width), (noise < -width).sum(), (noise > width).sum()]
    assert stats.chisquare(observed, expected * noise.size).pvalue > P_VALUE


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("geom.pmf"))
def test_geometric_probability(inputs, value, tolerance):
    noise = draws("geometric", 200_000, 13, sensitivity=1, epsilon=inputs["eps"])
    hits = int((noise == inputs["k"]).sum())
    assert stats.binomtest(hits, noise.size, value + tolerance).pvalue > P_VALUE


def test_geometric_noise_of_huge_scale_is_laplace_with_uniform_low_bits():
    noise = draws("geometric", 100_000, 3, sensitivity=1, epsilon=1e-9)
    assert stats.kstest(noise, stats.laplace(scale=1e9).cdf).pvalue > P_VALUE
    assert stats.chisquare(np.bincount(noise % 16)).pvalue > P_VALUE


def test_the_low_bits_of_geometric_noise_have_its_law():
    low, k = mechanisms._geometric(0.05, 1_000_000, generator(9)) % 16, np.arange(16)  # drawn apart, by rejection
    law = np.exp(-0.05 * k) / np.exp(-0.05 * k).sum()
    assert abs(low.mean() - law @ k) < ERRORS * math.sqrt((law @ k**2 - (law @ k) ** 2) / low.size)


def test_geometric_noise_of_the_largest_scale_does_not_overflow():
    noise = dp.geometric_mechanism(np.full(100_000, 2**62), sensitivity=1, epsilon=2**-53, rng=generator(4)) - 2**62
    assert stats.kstest(noise, stats.laplace(scale=2**53).cdf).pvalue > P_VALUE


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("geom.var"))
def test_geometric_variance(inputs, value, tolerance):
    n = 200_000
    noise = draws("geometric", n, 5, sensitivity=1, epsilon=inputs["eps"])
    a = math.exp(-inputs["eps"])
    z = np.arange(1, 4000)
    fourth = 2 * ((1 - a) / (1 + a) * a**z * z**4.0).sum()
    assert abs((noise**2).mean() - value) < ERRORS * math.sqrt((fourth - value**2) / n) + tolerance


@pytest.mark.parametrize(
    ("name", "sigma"),
    [
        ("gaussian", dp.gaussian_sigma(sensitivity=2, epsilon=0.5, delta=1e-5)),
        ("classical", 2 * math.sqrt(2 * math.log(1.25e5)) / 0.5),
        ("zcdp", 2 / math.sqrt(0.2)),
        ("rdp", 2 * math.sqrt(20 / 0.2)),
    ],
)
def test_gaussian_noise_is_normal_with_the_promised_deviation(name, sigma):
    assert stats.kstest(draws(name, 200_000, 6), stats.norm(scale=sigma).cdf).pvalue > P_VALUE


def test_renyi_noise_at_an_order_between_1_and_2():
    noise = draws("rdp", 200_000, 14, alpha=1.5)
    assert stats.kstest(noise, stats.norm(scale=2 * math.sqrt(1.5 / 0.2)).cdf).pvalue > P_VALUE


VARIANCES = {
    "laplace": 2 * 4**2,
    "geometric": 2 * math.exp(-0.25) / (1 - math.exp(-0.25)) ** 2,
    "gaussian": dp.gaussian_sigma(sensitivity=2, epsilon=0.5, delta=1e-5) ** 2,
    "classical": (2 * math.sqrt(2 * math.log(1.25e5)) / 0.5) ** 2,
    "zcdp": 2**2 / 0.2,
    "rdp": 2**2 * 20 / 0.2,
}


@every_mechanism
def test_noise_is_unbiased_has_its_variance_and_is_independent_between_coordinates(name):
    n = 200_000
    mechanism, parameters = MECHANISMS[name]
    noise = mechanism(np.full((n, 2), 1000), **parameters, rng=generator(7)) - 1000.0
    variance = VARIANCES[name]
    assert abs(noise.mean()) < ERRORS * math.sqrt(variance / (2 * n))
    # The kurtosis of Laplace noise is 6, of two-sided geometric noise at this scale below 6.1, of normal noise 3.
    assert noise.var() == pytest.approx(variance, rel=ERRORS * math.sqrt(5.1 / (2 * n)))
    for one, other in [(noise[:, 0], noise[:, 1]), (noise[1:, 0], noise[:-1, 0])]:
        assert abs(np.corrcoef(one, other)[0, 1]) < ERRORS / math.sqrt(n - 1)


# ---------------------------------------------------------------- scales


@pytest.mark.parametrize("scale", [sys.float_info.min, 1e305])
def test_a_scale_at_the_edge_of_float64_is_a_scale(scale):
    assert dp.laplace_scale(sensitivity=scale, epsilon=1) == scale
    noise = dp.laplace_mechanism(np.zeros(100_000), sensitivity=scale, epsilon=1, rng=np.random.default_rng(1))
    assert np.isfinite(noise).all()


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("laplace.acc"))
def test_laplace_scale_gives_the_reference_accuracy(inputs, value, tolerance):
    scale = dp.laplace_scale(sensitivity=inputs["sensitivity"], epsilon=inputs["eps"])
    assert scale * math.log(1 / inputs["alpha"]) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.analytic.sigma"))
def test_analytic_sigma(inputs, value, tolerance):
    sigma = dp.gaussian_sigma(sensitivity=inputs["sensitivity"], epsilon=inputs["eps"], delta=inputs["delta"])
    assert sigma == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(
    ("inputs", "value", "tolerance"), [*reference("gauss.classic.sigma.e0.1"), *reference("gauss.classic.sigma.e0.5")]
)
def test_classical_sigma(inputs, value, tolerance):
    sigma = dp.gaussian_sigma(
        sensitivity=inputs["sensitivity"], epsilon=inputs["eps"], delta=inputs["delta"], method="classical"
    )
    assert sigma == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.eps"))
def test_analytic_sigma_inverts_the_exact_epsilon(inputs, value, tolerance):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=value, delta=inputs["delta"])
    assert sigma == pytest.approx(inputs["sigma"], rel=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.classic.truedelta"))
def test_the_profile_that_these_tests_use(inputs, value, tolerance):
    sigma = math.sqrt(2 * math.log(1.25 / inputs["nominal_delta"])) / inputs["eps"]
    assert math.exp(log_profile(sigma, inputs["eps"])) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.classic.breaks"))
def test_the_classical_formula_is_no_guarantee_from_there_on(inputs, value, tolerance):
    def spare(epsilon):
        classical = math.sqrt(2 * math.log(1.25 / inputs["delta"])) / epsilon
        return classical - dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=inputs["delta"])

    assert spare(value - tolerance) > 0 > spare(value + tolerance)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e3])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-20, 1e-9, 1e-5, 0.01, 0.5, 0.9])
def test_analytic_sigma_spends_exactly_delta(epsilon, delta):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    assert log_profile(sigma, epsilon) == pytest.approx(math.log(delta), rel=1e-9, abs=1e-8)
    # It is the smallest: a millionth less noise spends more.
    assert log_profile(sigma * (1 - 1e-6), epsilon) > math.log(delta)


@given(st.floats(1e-6, 1e6), st.floats(1e-4, 0.99), st.floats(1e-12, 0.5), st.sampled_from(["analytic", "classical"]))
def test_sigma_is_proportional_to_sensitivity(sensitivity, epsilon, delta, method):
    one = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta, method=method)
    many = dp.gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta, method=method)
    assert many == pytest.approx(sensitivity * one, rel=1e-12)


# ---------------------------------------------------------------- types


INDEX = ["a", "b", "c"]
SHAPED = {
    "list": [1, 2, 3],
    "tuple": (1, 2, 3),
    "array": np.array([1, 2, 3]),
    "small integers": np.array([1, 2, 3], dtype=np.int8),
    "three dimensions": np.arange(24).reshape(2, 3, 4),
    "one cell": np.array([[5]]),
    "series": pd.Series([1, 2, 3], index=INDEX, name="count"),
    "nullable series": pd.Series([1, 2, 3], index=INDEX, dtype="Int64"),
    "frame": pd.DataFrame({"x": [1, 2, 3], "y": [4, 5, 6]}, index=INDEX),
}


@every_mechanism
@pytest.mark.parametrize("value", [5, np.int64(5), np.array(5)], ids=["int", "numpy", "0-d"])
def test_a_number_gives_a_python_number(name, value):
    mechanism, parameters = MECHANISMS[name]
    noisy = mechanism(value, **parameters, rng=generator(8))
    assert type(noisy) is (int if name == "geometric" else float)
    assert noisy == mechanism(5, **parameters, rng=generator(8))


@every_mechanism
@pytest.mark.parametrize("shape", SHAPED)
def test_a_collection_keeps_type_shape_and_labels(name, shape):
    mechanism, parameters = MECHANISMS[name]
    value = SHAPED[shape]
    before = value.copy() if hasattr(value, "copy") else value
    noisy = mechanism(value, **parameters, rng=generator(9))
    flat = mechanism(np.ravel(value).astype(int), **parameters, rng=generator(9))
    assert type(noisy) is (np.ndarray if isinstance(value, (list, tuple)) else type(value))
    assert np.shape(noisy) == np.shape(value)
    assert np.array_equal(np.ravel(noisy), flat)
    assert flat.dtype == (np.int64 if name == "geometric" else np.float64)
    assert np.array_equal(value, before)
    if isinstance(value, pd.Series):
        pd.testing.assert_index_equal(noisy.index, value.index)
        assert noisy.name == value.name
    if isinstance(value, pd.DataFrame):
        pd.testing.assert_index_equal(noisy.index, value.index)
        pd.testing.assert_index_equal(noisy.columns, value.columns)


@every_mechanism
def test_no_generator_means_fresh_entropy(name):
    mechanism, parameters = MECHANISMS[name]
    value = np.zeros(100, dtype=int)
    assert not np.array_equal(mechanism(value, **parameters), mechanism(value, **parameters))


# ---------------------------------------------------------------- bad input


def test_the_error_says_what_is_allowed():
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 0"):
        dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=0)
    with pytest.raises(ValueError, match=r"epsilon must be below 1 for method 'classical', got 1.0; use .*analytic"):
        dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-5, method="classical")
    with pytest.raises(ValueError, match=r"sensitivity / epsilon must be at most 2\*\*53"):
        dp.geometric_mechanism(1, sensitivity=1, epsilon=1e-16)


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1e300, 1e-300), (1e-300, 1e300)])
def test_a_scale_beyond_float64_is_refused(sensitivity, epsilon):
    # Underflow would release the exact value.
    with pytest.raises(ValueError, match=r"^sensitivity and epsilon must give a noise scale .*epsilon="):
        dp.laplace_scale(sensitivity=sensitivity, epsilon=epsilon)
