"""What holds for every mechanism: at the edges of its parameters, and when its data move or change their order."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dp_helpers as dp

NO_VALUES = np.zeros(0)
ONE_VALUE = np.array([0.25])
UNIT = {"lower": 0, "upper": 1}
SEEDS = st.integers(0, 2**32)
EPSILON = st.floats(-9, 3).map(lambda exponent: 10.0**exponent)
WHOLE = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20)
VALUES = st.lists(st.floats(-1, 2), max_size=30)


def generator(seed=1):
    return np.random.default_rng(seed)


def labels(values):
    return pd.Series(["a" if value < 0.5 else "b" for value in values], dtype=object)


def selected(noise):
    return lambda values, epsilon, rng: dp.report_noisy_max(
        ["a", "b"], [(np.asarray(values) < 0.5).sum(), 1], sensitivity=1, epsilon=epsilon, noise=noise, rng=rng
    )


def trained(values, epsilon, rng):
    X = np.asarray(values, dtype=float).reshape(-1, 1)
    y = np.where(np.asarray(values) > 0.5, 1, -1)
    return dp.noisy_gradient_descent(X, y, iterations=2, clip=1, epsilon=epsilon, delta=1e-300, rng=rng).theta


def of(mechanism, **given):
    return lambda values, epsilon, rng: mechanism(values, **given, epsilon=epsilon, rng=rng)


def of_labels(mechanism, **given):
    return lambda values, epsilon, rng: mechanism(labels(values), **given, epsilon=epsilon, rng=rng)


def crosstab(answers, **given):
    return dp.private_crosstab(answers, answers, row_categories=["a", "b"], column_categories=["b", "a"], **given)


def marginal(answers, **given):
    return dp.noisy_marginal(answers.to_frame("x"), "x", categories=["a", "b"], **given)


def tree(answers, **given):
    return dp.MarginalTree.fit(answers.to_frame("x"), categories={"x": ["a", "b"]}, **given).one_way["x"]


# Every mechanism of a list of values, which is public in type only: (values, epsilon, rng) to what is released.
OF_VALUES = {
    "count": of(dp.private_count),
    "sum": of(dp.private_sum, **UNIT),
    "mean": of(dp.private_mean, **UNIT),
    "quantile": of(dp.private_quantile, quantile=0.5, **UNIT),
    "histogram": of_labels(dp.private_histogram, categories=["a", "b"]),
    "crosstab": of_labels(crosstab),
    "tested mean": of(dp.propose_test_release_mean, **UNIT, bound=1, delta=1e-300),
    "sample and aggregate": of(dp.sample_and_aggregate, statistic=np.mean, chunks=3, **UNIT),
    "noisy max, laplace": selected("laplace"),
    "noisy max, gumbel": selected("gumbel"),
    "noisy max, exponential": selected("exponential"),
    "above threshold": of(dp.above_threshold, threshold=0.5),
    "sparse": of(dp.sparse, threshold=0.5, limit=2),
    "numeric sparse": of(dp.numeric_sparse, threshold=0.5, limit=2),
    "marginal": of_labels(marginal),
    "tree": of_labels(tree, delta=1e-300),
    "gradient descent": trained,
}
every_one = pytest.mark.parametrize("name", OF_VALUES)


def is_finite(released):
    if released is None or isinstance(released, str):
        return True
    return bool(np.isfinite(np.asarray(released, dtype=float)).all())


@every_one
@pytest.mark.parametrize("values", [NO_VALUES, ONE_VALUE], ids=["no rows", "one row"])
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 1e3])
def test_edges_give_finite_releases(name, values, epsilon):
    assert is_finite(OF_VALUES[name](values, epsilon, generator()))


@pytest.mark.parametrize("epsilon", [1e-9, 1e3])
@pytest.mark.parametrize("delta", [1e-300, 0.999])
def test_edges_of_the_median_of_one_value(epsilon, delta):
    assert math.isfinite(dp.private_median(ONE_VALUE, **UNIT, epsilon=epsilon, delta=delta, rng=generator()))


@given(
    values=VALUES,
    new=st.floats(-1, 2),
    seed=SEEDS,
    exact=st.sampled_from(["count", "sum", "mean", "histogram", "crosstab", "marginal", "quantile", "tested mean"]),
)
def test_order_of_the_rows_does_not_matter(values, new, seed, exact):
    # With the same noise the release is the same; only the rounding of the sum may differ.
    here, there = (OF_VALUES[exact](v, 1.0, generator(seed)) for v in ([new, *values], [*values[::-1], new]))
    np.testing.assert_allclose(np.asarray(here, dtype=float), np.asarray(there, dtype=float), rtol=1e-9, atol=1e-9)


ADDITIVE = {
    "laplace": of(dp.laplace_mechanism, sensitivity=1),
    "geometric": of(dp.geometric_mechanism, sensitivity=1),
    "gaussian": of(dp.gaussian_mechanism, sensitivity=1, delta=1e-6),
    "zcdp": lambda value, rho, rng: dp.gaussian_mechanism_zcdp(value, sensitivity=1, rho=rho, rng=rng),
    "rdp": of(dp.gaussian_mechanism_rdp, sensitivity=1, alpha=2),
}
every_noise = pytest.mark.parametrize("mechanism", ADDITIVE)


@every_noise
@given(values=WHOLE, shift=st.integers(-(10**6), 10**6), epsilon=st.floats(1e-3, 1e3), seed=SEEDS)
def test_noise_does_not_depend_on_the_value(mechanism, values, shift, epsilon, seed):
    here, there = (
        ADDITIVE[mechanism](np.array(values) + moved, epsilon, generator(seed)) - moved for moved in (0, shift)
    )
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-8)


@every_noise
@given(less=EPSILON, times=st.floats(1, 1e3), seed=SEEDS)
def test_more_epsilon_is_less_noise(mechanism, less, times, seed):
    zeros = np.zeros(5, dtype=int)
    more = min(less * times, 1e3)
    here, there = (np.abs(ADDITIVE[mechanism](zeros, epsilon, generator(seed))) for epsilon in (less, more))
    assert np.mean(there) <= np.mean(here) * (1 + 1e-9)


@given(st.floats(-9, 3), st.floats(-300, -0.01), st.floats(-9, 3), st.floats(-300, -0.01))
def test_scales_fall_with_epsilon_and_delta(epsilon, delta, other_epsilon, other_delta):
    low, high = sorted([10**epsilon, 10**other_epsilon])
    small, large = sorted([10**delta, 10**other_delta])
    assert dp.laplace_scale(sensitivity=1, epsilon=low) >= dp.laplace_scale(sensitivity=1, epsilon=high)
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=low, delta=small) * (1 + 1e-9)
    assert sigma >= dp.gaussian_sigma(sensitivity=1, epsilon=high, delta=small)
    assert sigma >= dp.gaussian_sigma(sensitivity=1, epsilon=low, delta=large)


@given(VALUES, st.floats(0.01, 1), EPSILON)
def test_more_smoothing_is_less_sensitivity(values, beta, factor):
    values = [0.5, *values]
    here, there = (dp.smooth_sensitivity_median(values, **UNIT, beta=b) for b in (beta, beta * (1 + factor)))
    assert 0 <= there <= here <= 1


@pytest.mark.parametrize("epsilon", [1e-9, 1e3])
@pytest.mark.parametrize("delta", [0, 1e-300])
def test_costs_at_the_edges_add_up(epsilon, delta):
    assert dp.sequential_composition([epsilon] * 3, [delta] * 3) == pytest.approx(
        (3 * epsilon, 3 * delta), rel=1e-12, abs=0
    )
    assert dp.parallel_composition([epsilon] * 3, [delta] * 3) == (epsilon, delta)
    assert dp.optimal_composition(epsilon, delta, k=1, delta_total=delta) == pytest.approx(epsilon, rel=1e-9, abs=0)
    assert dp.group_privacy(epsilon, delta, size=1) == pytest.approx((epsilon, delta), rel=1e-12, abs=0)
    ledger = dp.PrivacyLedger(epsilon, delta)
    ledger.spend(epsilon, delta, label="all of it")
    assert ledger.remaining == (0, 0)
