import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import reference
from scipy import integrate, special, stats

import dp_helpers as dp

ALPHAS = st.floats(0.01, 300).map(lambda excess: 1 + excess)
OPACUS = np.array([1 + x / 10 for x in range(1, 100)] + list(range(12, 64)))  # the orders that Opacus tries


def divergence(alpha, log_p, log_q, lower, upper, points=None):
    """Return the Renyi divergence of two densities, by numerical integration."""
    mass, _ = integrate.quad(
        lambda z: math.exp(alpha * log_p(z) + (1 - alpha) * log_q(z)), lower, upper, points=points, limit=500
    )
    return math.log(mass) / (alpha - 1)


# ---------------------------------------------------------------- single mechanisms


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.gauss.s1.a2"))
def test_rdp_gaussian(inputs, value, tolerance):
    assert dp.rdp_gaussian(inputs["alpha"], sigma=inputs["sigma"]) == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.laplace"))
def test_rdp_laplace(inputs, value, tolerance):
    assert dp.rdp_laplace(inputs["alpha"], scale=inputs["b"]) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.rr"))
def test_rdp_randomized_response(inputs, value, tolerance):
    for p in (inputs["p"], 1 - inputs["p"]):
        divergence = dp.rdp_randomized_response(inputs["alpha"], p=p)
        assert divergence == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("alpha", [1.01, 1.5, 2, 7.3])
def test_rdp_is_the_renyi_divergence(alpha):
    def normal(mean):
        return lambda z: stats.norm.logpdf(z, mean, 3.0)

    exact = divergence(alpha, normal(2.0), normal(0.0), -100, 120)
    assert dp.rdp_gaussian(alpha, sigma=3.0, sensitivity=2.0) == pytest.approx(exact, rel=1e-7)

    def laplace(mean):
        return lambda z: stats.laplace.logpdf(z, mean, 1.5)

    exact = divergence(alpha, laplace(2.0), laplace(0.0), -60, 60, points=[0, 2])
    assert dp.rdp_laplace(alpha, scale=1.5, sensitivity=2.0) == pytest.approx(exact, rel=1e-7)


@given(st.floats(1e-9, 1e3), st.lists(ALPHAS, min_size=2, max_size=5))
def test_pure_mechanisms_rise_from_their_kl_divergence_to_their_epsilon(epsilon, alphas):
    alphas = np.sort(alphas)
    truth = 1 / (1 + math.exp(-epsilon)) if epsilon < 30 else 1 - 1e-13
    epsilon_rr = math.log(truth / (1 - truth)) if epsilon > 1e-3 else None
    for bounds, limit in (
        (dp.rdp_laplace([1 + 1e-9, *alphas], scale=1 / epsilon), epsilon),
        (dp.rdp_randomized_response([1 + 1e-9, *alphas], p=truth), epsilon_rr),
    ):
        if limit is None:
            continue
        assert (np.diff(bounds) >= -1e-6 * bounds[1:]).all()
        assert (bounds <= np.minimum(limit, np.array([1, *alphas]) * limit**2 / 2) * (1 + 1e-6)).all()
    if 1e-3 < epsilon < 30:
        assert bounds[0] == pytest.approx(epsilon_rr * math.tanh(epsilon_rr / 2), rel=1e-5)
        assert dp.rdp_laplace(1 + 1e-9, scale=1 / epsilon) == pytest.approx(math.expm1(-epsilon) + epsilon, rel=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("alpha", [1 + 2**-52, 1e6, 1.7e308])
@pytest.mark.parametrize("epsilon", [1e-200, 1e-6, 1.0, 10.0])
def test_pure_mechanisms_have_a_bound_at_any_order(alpha, epsilon):
    for bound in (
        dp.rdp_laplace(alpha, scale=1 / epsilon),
        dp.rdp_randomized_response(alpha, p=1 / (1 + math.exp(-epsilon))),
    ):
        assert 0 <= bound <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("lap.lossmean"))
def test_the_mean_loss_of_laplace_noise(inputs, value, tolerance):
    assert dp.rdp_laplace(1 + 1e-13, scale=inputs["b"]) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("zcdp.pure"))
def test_pure_mechanisms_in_zcdp(inputs, value, tolerance):
    # No mechanism of this epsilon loses more than randomized response, alpha times its mean loss at the most.
    epsilon, (quadratic, sharp) = inputs["eps"], value
    alphas = np.array([1 + 1e-13, 1.5, 2, 5, 50])
    bounds = dp.rdp_randomized_response(alphas, p=1 / (1 + math.exp(-epsilon)))
    assert bounds[0] == pytest.approx(sharp, rel=0, abs=tolerance)
    assert (bounds <= alphas * sharp + tolerance).all()
    assert sharp < quadratic


@pytest.mark.parametrize("epsilon", [1e-300, 1e-12, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("alpha", [1 + 1e-12, 2, 1000.5])
def test_tiny_divergences_are_not_lost_in_rounding(epsilon, alpha):
    assert dp.rdp_laplace(alpha, scale=1 / epsilon) == pytest.approx(alpha * epsilon**2 / 2, rel=1e-2, abs=0)


def test_randomized_response_at_the_edges():
    assert dp.rdp_randomized_response(5, p=0.5) == 0
    assert dp.rdp_randomized_response(5, p=1e-300) == pytest.approx(math.log(1e300), rel=1e-3)


@pytest.mark.parametrize(
    "rdp",
    [
        lambda alpha: dp.rdp_gaussian(alpha, sigma=2.0),
        lambda alpha: dp.rdp_laplace(alpha, scale=2.0),
        lambda alpha: dp.rdp_randomized_response(alpha, p=0.7),
        lambda alpha: dp.rdp_subsampled_gaussian(alpha, q=0.1, sigma=2.0),
        lambda alpha: dp.rdp_subsampled_gaussian(alpha, q=0.0, sigma=2.0),
        lambda alpha: dp.rdp_subsampled_gaussian(alpha, q=1.0, sigma=2.0),
    ],
    ids=["gaussian", "laplace", "randomized response", "subsampled", "nothing sampled", "all sampled"],
)
def test_a_curve_takes_one_order_or_many(rdp):
    assert type(rdp(3)) is float
    expected = np.array([rdp(1.5), rdp(3), rdp(1.5)])
    np.testing.assert_allclose(rdp([1.5, 3, 1.5]), expected, rtol=1e-12)
    series = rdp(pd.Series([1.5, 3, 1.5], index=["a", "b", "c"], name="alpha"))
    pd.testing.assert_series_equal(series, pd.Series(expected, index=["a", "b", "c"], name="alpha"), rtol=1e-12)
    assert rdp([]).shape == (0,)


# ---------------------------------------------------------------- the subsampled Gaussian


def log_moment(alpha, q, sigma):
    """Return ln(A) of the definition, by brute force on a fine grid."""
    z = np.linspace(-40 * sigma, alpha + 40 * sigma, 40_001)
    exponents = alpha * np.logaddexp(math.log1p(-q), math.log(q) + (2 * z - 1) / (2 * sigma**2))
    return special.logsumexp(exponents + stats.norm.logpdf(z, 0, sigma)) + math.log(z[1] - z[0])


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sgm.rdp"))
def test_subsampled_gaussian(inputs, value, tolerance):
    rdp = dp.rdp_subsampled_gaussian(inputs["alpha"], q=inputs["q"], sigma=inputs["sigma"])
    assert rdp == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("sigma", [0.1, 0.3, 0.8, 1.1, 4, 30])
@pytest.mark.parametrize("q", [1e-3, 0.02, 0.5, 0.95])
def test_subsampled_gaussian_is_the_renyi_divergence(q, sigma):
    alphas = np.array([1.01, 1.5, 1.99, 2, 2.7, 10.9, 32, 63.5])
    exact = np.array([log_moment(alpha, q, sigma) for alpha in alphas])
    np.testing.assert_allclose(
        dp.rdp_subsampled_gaussian(alphas, q=q, sigma=sigma) * (alphas - 1), exact, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("q", [0.01, 0.5])
def test_subsampled_gaussian_with_hardly_any_noise(q):
    alphas = np.array([1.01, 1.5, 2, 2.7])
    exact = np.array([log_moment(alpha, q, 0.03) for alpha in alphas])
    found = dp.rdp_subsampled_gaussian(alphas, q=q, sigma=0.03) * (alphas - 1)
    np.testing.assert_allclose(found, exact, rtol=1e-9)


@pytest.mark.parametrize("sigma", [0.7, 1, 5, 1000])
@pytest.mark.parametrize("q", [1e-9, 1e-6])
def test_small_sampling_rates_keep_their_digits(q, sigma):
    # To first order the divergence is alpha q^2 (e^(1 / sigma^2) - 1) / 2.
    alphas = np.array([1 + 1e-6, 1.5, 2, 2.5, 3])
    limit = alphas * q**2 * math.expm1(1 / sigma**2) / 2
    np.testing.assert_allclose(dp.rdp_subsampled_gaussian(alphas, q=q, sigma=sigma), limit, rtol=2e-3)


@given(ALPHAS, st.floats(0.001, 0.999), st.floats(0.2, 50))
def test_sampling_amplifies(alpha, q, sigma):
    here = dp.rdp_subsampled_gaussian(alpha, q=q, sigma=sigma)
    # Convexity of the divergence in the pair of distributions, for the power (alpha - 1).
    full = dp.rdp_gaussian(alpha, sigma=sigma)
    bound = np.logaddexp(math.log1p(-q), math.log(q) + (alpha - 1) * full) / (alpha - 1)
    assert 0 < here <= bound * (1 + 1e-9)
    assert here <= dp.rdp_subsampled_gaussian(alpha, q=min(1.0, q * 1.1), sigma=sigma) * (1 + 1e-9)
    assert here <= dp.rdp_subsampled_gaussian(alpha, q=q, sigma=sigma / 1.1) * (1 + 1e-9)
    assert here <= dp.rdp_subsampled_gaussian(alpha * 1.1, q=q, sigma=sigma) * (1 + 1e-9)


def test_little_noise_gives_upper_bounds():
    alphas = np.array([1.5, 2, 2.5, 3])
    bounds = dp.rdp_subsampled_gaussian(alphas, q=0.01, sigma=0.005)
    exact = alphas / (2 * 0.005**2) + alphas / (alphas - 1) * math.log(0.01)
    np.testing.assert_allclose(bounds[[1, 3]], exact[[1, 3]], rtol=1e-12)
    assert (bounds[[0, 2]] >= exact[[0, 2]]).all()
    assert dp.rdp_subsampled_gaussian([2, 2.5], q=0.01, sigma=1e-9)[0] == pytest.approx(1e18)
    assert dp.rdp_subsampled_gaussian(2, q=0.01, sigma=1e-120) == pytest.approx(1e240)


def test_many_orders_at_once_are_the_orders_one_by_one():
    alphas = np.concatenate([[1 + 1e-9, 2000, 3.7, 3.7, 900.25], np.linspace(1.01, 40, 40)])
    at_once = dp.rdp_subsampled_gaussian(alphas, q=0.02, sigma=1.5)
    one_by_one = [dp.rdp_subsampled_gaussian(alpha, q=0.02, sigma=1.5) for alpha in alphas]
    np.testing.assert_allclose(at_once, one_by_one, rtol=1e-9)


def test_an_audit_does_not_exceed_the_bound():
    # One step with one row or none: the accountant's epsilon holds, and an event proves more than a hundredth of it.
    def step(rows, rng):
        return float((rng.random(len(rows)) < 0.5).sum() + rng.normal(0, 0.7))

    found = dp.audit(step, [1], [], trials=20_000, delta=1e-3, rng=np.random.default_rng(1)).epsilon_lower_bound
    claim = dp.dp_sgd_epsilon(q=0.5, sigma=0.7, steps=1, delta=1e-3)
    assert 0.3 * claim < found < claim
    # Twice the sampling probability is caught: the claim would be too small.
    assert found > dp.dp_sgd_epsilon(q=0.05, sigma=0.7, steps=1, delta=1e-3)


# ---------------------------------------------------------------- conversions


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.conv.tight"))
def test_rdp_to_dp(inputs, value, tolerance):
    epsilon, alpha = dp.rdp_to_dp(inputs["alpha"], inputs["rdp_eps"], delta=inputs["delta"])
    assert epsilon == pytest.approx(value, rel=0, abs=tolerance)
    assert (type(epsilon), alpha, type(alpha)) == (float, inputs["alpha"], float)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.conv.loose"))
def test_rdp_to_dp_of_the_textbook(inputs, value, tolerance):
    epsilon, _ = dp.rdp_to_dp([inputs["alpha"]], [inputs["rdp_eps"]], delta=inputs["delta"], tight=False)
    assert epsilon == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.touch"))
def test_rdp_at_one_order_touches_zcdp(inputs, value, tolerance):
    # With the loose conversions, one fixed order is as good as zCDP at this number of releases, and worse elsewhere.
    def gap(k):
        rdp = k * dp.rdp_gaussian(inputs["alpha"], sigma=inputs["sigma"])
        one_order, _ = dp.rdp_to_dp(inputs["alpha"], rdp, delta=inputs["delta"], tight=False)
        return one_order - dp.zcdp_to_dp(
            k * dp.zcdp_gaussian(sigma=inputs["sigma"]), delta=inputs["delta"], tight=False
        )

    assert gap(value) == pytest.approx(0, abs=1e-9)
    assert min(gap(value / 1.1), gap(value * 1.1)) > 1e-5


@pytest.mark.parametrize("tight", [True, False])
@pytest.mark.parametrize(("inputs", "value", "tolerance"), [*reference("zcdp.tight"), *reference("zcdp.loose")])
def test_zcdp_to_dp(inputs, value, tolerance, tight, request):
    epsilon = dp.zcdp_to_dp(inputs["rho"], delta=inputs["delta"], tight=tight)
    assert type(epsilon) is float
    if tight == ("zcdp.tight" in request.node.name):
        assert epsilon == pytest.approx(value, rel=0, abs=tolerance)
    else:
        assert (epsilon < value) is tight


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("zcdp.sigma"))
def test_zcdp_gaussian(inputs, value, tolerance):
    assert dp.zcdp_gaussian(sigma=value, sensitivity=inputs["sensitivity"]) == pytest.approx(inputs["rho"], rel=1e-12)
    assert dp.zcdp_gaussian(sigma=1e200, sensitivity=1e200) == 0.5


@given(st.floats(1e-6, 1e3), st.floats(1e-12, 0.5))
def test_zcdp_to_dp_is_rdp_to_dp_at_the_best_order(rho, delta):
    alphas = 1 + np.geomspace(1e-3, 1e8, 20_001)
    for tight in (True, False):
        gridded, _ = dp.rdp_to_dp(alphas, rho * alphas, delta=delta, tight=tight)
        assert dp.zcdp_to_dp(rho, delta=delta, tight=tight) == pytest.approx(gridded, rel=1e-4, abs=1e-9)


@given(st.floats(1e-4, 20), st.floats(1e-9, 0.1))
def test_zcdp_to_dp_is_never_below_the_exact_gaussian(epsilon, delta):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    assert dp.zcdp_to_dp(dp.zcdp_gaussian(sigma=sigma), delta=delta) >= epsilon


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.exact.comp"))
def test_renyi_accounting_of_gaussians_is_close_to_exact(inputs, value, tolerance):
    rho = inputs["k"] * dp.zcdp_gaussian(sigma=inputs["sigma"])
    assert value < dp.zcdp_to_dp(rho, delta=inputs["delta"]) < 1.12 * value


def test_conversions_at_the_edges():
    assert dp.zcdp_to_dp(0, delta=1e-5) == 0
    assert dp.zcdp_to_dp(1e-300, delta=1e-300) < 1e-140
    assert dp.zcdp_to_dp(1e-9, delta=0.9) == 0
    assert dp.zcdp_to_dp(1e300, delta=0.5) == 1e300
    assert dp.rdp_to_dp([2, 3], [0, 0], delta=0.9) == (0.0, 2.0)


# ---------------------------------------------------------------- DP-SGD


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sgm.eps.rdp"))
def test_whole_orders_give_the_reference(inputs, value, tolerance):
    alphas = np.arange(2, 257)
    rdp = inputs["steps"] * dp.rdp_subsampled_gaussian(alphas, q=inputs["q"], sigma=inputs["sigma"])
    assert dp.rdp_to_dp(alphas, rdp, delta=inputs["delta"])[0] == pytest.approx(value, rel=0, abs=tolerance)
    assert 0.99 * value < dp.dp_sgd_epsilon(**inputs) <= value


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sgm.eps.opacus_rdp"))
def test_dp_sgd_epsilon_agrees_with_opacus(inputs, value, tolerance):
    rdp = inputs["steps"] * dp.rdp_subsampled_gaussian(OPACUS, q=inputs["q"], sigma=inputs["sigma"])
    assert dp.rdp_to_dp(OPACUS, rdp, delta=inputs["delta"])[0] == pytest.approx(value, rel=0, abs=tolerance)
    assert value - 1e-3 < dp.dp_sgd_epsilon(**inputs) < value + 1e-6


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sgm.eps.pld"))
def test_dp_sgd_epsilon_is_above_numerical_accounting(inputs, value, tolerance):
    assert value + tolerance < dp.dp_sgd_epsilon(**inputs) < 1.15 * value


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rdp.gauss.comp"))
def test_dp_sgd_without_sampling_is_the_gaussian_mechanism(inputs, value, tolerance):
    steps, sigma, delta = inputs["k"], inputs["sigma"], inputs["delta"]
    assert dp.dp_sgd_epsilon(q=1, sigma=sigma, steps=steps, delta=delta) == pytest.approx(value, rel=0, abs=tolerance)
    nearly = dp.dp_sgd_epsilon(q=1 - 1e-12, sigma=sigma, steps=steps, delta=delta)
    assert nearly == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta"),
    [
        (0.01, 1.1, 10_000, 1e-5),
        (0.001, 0.5, 10, 1e-6),
        (0.1, 300, 5, 1e-5),
        (0.5, 0.2, 1000, 1e-9),
        (1e-4, 20, 1, 1e-7),
    ],
)
def test_dp_sgd_epsilon_is_the_best_of_all_orders(q, sigma, steps, delta):
    alphas = np.concatenate([1 + np.geomspace(1e-4, 30, 150), np.arange(30, 4098, 9)])
    best, _ = dp.rdp_to_dp(alphas, steps * dp.rdp_subsampled_gaussian(alphas, q=q, sigma=sigma), delta=delta)
    found = dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta)
    assert type(found) is float
    assert 0.99 * best < found <= best * (1 + 1e-5)


@settings(max_examples=25)
@given(st.floats(0.001, 1), st.floats(0.3, 20), st.integers(1, 5000), st.floats(1e-9, 1e-2))
def test_dp_sgd_epsilon_is_monotonic(q, sigma, steps, delta):
    here = dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta) * (1 - 1e-5)
    assert here <= dp.dp_sgd_epsilon(q=min(1, 1.1 * q), sigma=sigma, steps=steps, delta=delta)
    assert here <= dp.dp_sgd_epsilon(q=q, sigma=sigma / 1.1, steps=steps, delta=delta)
    assert here <= dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps + 1, delta=delta)
    assert here <= dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta / 1.1)


def test_dp_sgd_epsilon_at_the_edges():
    assert dp.dp_sgd_epsilon(q=0, sigma=1, steps=10, delta=1e-5) == 0
    assert dp.dp_sgd_epsilon(q=0.01, sigma=1e6, steps=1, delta=1e-5) < 1e-3
    assert dp.dp_sgd_epsilon(q=0.01, sigma=1e-3, steps=1, delta=1e-5) > 1e5
    assert dp.dp_sgd_epsilon(q=0.01, sigma=1e-120, steps=1, delta=1e-5) > 1e200
    assert dp.dp_sgd_epsilon(q=0.01, sigma=1.0, steps=10**30, delta=1e-5) > 1e20


@pytest.mark.parametrize(
    ("q", "steps", "epsilon", "delta"),
    [(0.01, 1000, 1.0, 1e-5), (1, 1, 1.0, 1e-5), (1, 10, 1e-6, 1e-5), (0.02, 100, 50.0, 1e-6), (0.01, 10, 0.01, 1e-5)],
)
def test_noise_multiplier_inverts_dp_sgd_epsilon(q, steps, epsilon, delta):
    sigma = dp.noise_multiplier(q=q, steps=steps, epsilon=epsilon, delta=delta)
    assert type(sigma) is float
    assert dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta) <= epsilon
    assert dp.dp_sgd_epsilon(q=q, sigma=sigma * (1 - 1e-4), steps=steps, delta=delta) > epsilon


def test_a_tiny_epsilon_takes_noise_that_delta_alone_covers():
    sigma = dp.noise_multiplier(q=0.01, steps=10, epsilon=1e-9, delta=1e-5)
    exact = dp.PrivacyLoss.subsampled_gaussian(q=0.01, sigma=sigma).compose_self(10)
    assert dp.dp_sgd_epsilon(q=0.01, sigma=sigma, steps=10, delta=1e-5) == 0 == exact.epsilon(1e-5)


@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-6])
def test_where_delta_covers_everything_epsilon_is_0_and_truly(delta):
    """The exact delta at epsilon = 0 is the total variation distance: of normal noise erf(mu / sqrt 8)."""
    covered = -math.log1p(-(delta**2))  # the largest divergence for which 1 - e^-divergence <= delta^2
    for divergence in [covered * (1 - 1e-9), covered * (1 + 1e-9)]:
        epsilon = dp.rdp_to_dp([1 + 1e-9], [divergence], delta=delta)[0]
        assert (epsilon == 0) == (divergence < covered)
        assert (dp.zcdp_to_dp(divergence, delta=delta) == 0) or divergence > covered
    assert math.erf(math.sqrt(2 * covered) / math.sqrt(8)) <= delta


DEPLOYED = [
    *reference("zcdp.redistricting_persons"),
    *reference("zcdp.DHC_persons"),
    *reference("zcdp.DHC_housing"),
    *reference("zcdp.2.63"),
    *reference("zcdp.PL94_DHC"),
    *reference("zcdp.PL94_DHC_DHC-A"),
    *reference("zcdp.all_four"),
    *reference("zcdp.wikimedia_day"),
    *reference("zcdp.wikimedia_year"),
    *reference("zcdp.gboard_0.81"),
]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), DEPLOYED)
def test_deployed_rhos_by_three_routes(inputs, value, tolerance, request):
    rho, delta = inputs["rho"], inputs["delta"]
    route = request.node.callspec.id.split(".")[-1]
    found = {
        "simple": lambda: dp.zcdp_to_dp(rho, delta=delta, tight=False),
        "best_order": lambda: dp.zcdp_to_dp(rho, delta=delta),
        "exact_gaussian": lambda: dp.PrivacyLoss.gaussian(sigma=1 / math.sqrt(2 * rho)).epsilon(delta),
    }[route]()
    assert found == pytest.approx(value, rel=0, abs=tolerance)
