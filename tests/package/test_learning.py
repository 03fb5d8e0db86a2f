import functools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_numbers import P_VALUE, generator
from real_census import real_census
from reference import reference
from scipy import optimize, stats
from thorough import weekly

import dp_helpers as dp

ROWS = hnp.arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(-5, 5))


def example(n=400, seed=1):
    """Return rows and labels of a problem that is not separable."""
    rng = generator(seed)
    X = np.hstack([np.ones((n, 1)), rng.normal(size=(n, 2))])
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-X @ [0.5, 2, -1])), 1.0, -1.0)


def labelled(rows, seed):
    rng = generator(seed)
    return rng.normal(size=rows.shape[1]), rows, rng.choice([-1.0, 1.0], size=len(rows))


# ---------------------------------------------------------------- loss, gradients, predictions


@given(ROWS, st.integers(0, 2**32))
def test_loss_is_its_definition(rows, seed):
    theta, X, y = labelled(rows, seed)
    expected = [math.log1p(math.exp(-label * sum(row * theta))) for row, label in zip(X, y, strict=True)]
    np.testing.assert_allclose(dp.logistic_loss(theta, X, y), expected, rtol=1e-10)
    np.testing.assert_allclose(dp.logistic_loss(np.zeros_like(theta), X, y), math.log(2), rtol=1e-15)


@given(ROWS, st.integers(0, 2**32))
def test_gradients_are_the_slope_of_the_loss_and_no_longer_than_the_row(rows, seed):
    theta, X, y = labelled(rows, seed)
    gradients = dp.logistic_gradients(theta, X, y)
    for column, direction in enumerate(np.eye(theta.size)):
        step = 1e-5 * direction
        slope = (dp.logistic_loss(theta + step, X, y) - dp.logistic_loss(theta - step, X, y)) / 2e-5
        np.testing.assert_allclose(gradients[:, column], slope, atol=1e-7)
    assert (np.linalg.norm(gradients, axis=1) <= np.linalg.norm(X, axis=1)).all()


def test_loss_and_gradient_of_hopeless_and_of_certain_rows():
    X, y = [[1.0], [1.0]], [1, -1]
    np.testing.assert_allclose(dp.logistic_loss([1e4], X, y), [0, 1e4])
    np.testing.assert_allclose(dp.logistic_gradients([1e4], X, y), [[0], [1]], atol=1e-300)
    np.testing.assert_allclose(dp.logistic_gradients([50.0], X, y), [[-math.exp(-50)], [1]], rtol=1e-12)


def test_predictions_are_labels_even_on_the_border():
    assert dp.predict([1, -1], [[2, 1], [1, 2], [1, 1], [0, 0]]).tolist() == [1, -1, 1, 1]
    assert dp.accuracy([1, -1], [[2, 1], [1, 2], [1, 1], [0, 0]], [1, 1, 1, -1]) == 0.5


def test_labels_of_a_frame_are_kept():
    X = pd.DataFrame({"a": [1, 2], "b": [0, 1]}, index=["u", "v"])
    y = pd.Series([1, -1], index=["u", "v"])
    theta = pd.Series([1.0, 0.5])
    pd.testing.assert_series_equal(dp.predict(theta, X), pd.Series([1.0, 1.0], index=X.index))
    loss = pd.Series(dp.logistic_loss(theta, X.to_numpy(), y.to_numpy()), index=X.index)
    pd.testing.assert_series_equal(dp.logistic_loss(theta, X, y), loss)
    gradients = pd.DataFrame(dp.logistic_gradients(theta, X.to_numpy(), y), index=X.index, columns=X.columns)
    pd.testing.assert_frame_equal(dp.logistic_gradients(theta, X, y), gradients)
    assert type(dp.accuracy(theta, X, y)) is float


# ---------------------------------------------------------------- gradient descent


def test_gradient_descent_finds_the_minimum():
    X, y = example()
    best = optimize.minimize(lambda theta: dp.logistic_loss(theta, X, y).mean(), np.zeros(3), tol=1e-10)
    np.testing.assert_allclose(dp.gradient_descent(X, y, iterations=2000), best.x, atol=1e-4)


def test_one_step_of_gradient_descent():
    X, y = example()
    for rate in (0.5, 2.0):
        step = -rate * dp.logistic_gradients(np.zeros(3), X, y).mean(axis=0)
        np.testing.assert_allclose(dp.gradient_descent(X, y, iterations=1, rate=rate), step, rtol=1e-12)


@given(ROWS, st.integers(0, 2**32))
def test_the_documented_rate_never_overshoots(rows, seed):
    _, X, y = labelled(rows, seed)
    rate = 8 / max((X**2).sum(axis=1).mean(), 1e-3)
    losses = [dp.logistic_loss(dp.gradient_descent(X, y, iterations=k, rate=rate), X, y).mean() for k in (1, 2, 3, 4)]
    assert (np.diff([math.log(2), *losses]) <= 1e-12).all()


# ---------------------------------------------------------------- noisy gradient descent


def test_without_noise_it_is_gradient_descent_of_clipped_gradients():
    X, y = example()
    theta = np.zeros(3)
    for _ in range(5):
        gradients = dp.clip_norm(dp.logistic_gradients(theta, X, y), 0.7)
        theta -= 1.5 * gradients.mean(axis=0)
    fit = dp.noisy_gradient_descent(X, y, iterations=5, clip=0.7, epsilon=1e12, delta=1e-5, rate=1.5, rng=generator(2))
    np.testing.assert_allclose(fit.theta, theta, rtol=1e-4)
    wide = dp.noisy_gradient_descent(X, y, iterations=5, clip=100, epsilon=1e12, delta=1e-5, rng=generator(2))
    np.testing.assert_allclose(wide.theta, dp.gradient_descent(X, y, iterations=5), rtol=1e-3)


def test_result_states_the_total_cost():
    fit = dp.noisy_gradient_descent(*example(), iterations=3, clip=1, epsilon=1, delta=1e-5, rng=generator(3))
    assert (fit.epsilon, fit.delta, type(fit.epsilon)) == (1.0, 1e-5, float)
    assert (type(fit.theta), fit.theta.shape) == (np.ndarray, (3,))


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.exact.comp"))
def test_many_gaussian_releases_are_one(inputs, value, tolerance):
    sigma = dp.gaussian_sigma(sensitivity=math.sqrt(inputs["k"]), epsilon=value, delta=inputs["delta"])
    assert sigma == pytest.approx(inputs["sigma"], rel=1e-6)


@pytest.mark.parametrize(("iterations", "clip", "rate"), [(1, 0.5, 1.0), (4, 2.0, 3.0)])
def test_noise_in_the_gradients(iterations, clip, rate):
    # Rows of zeros have no gradient, so the weights are the noise alone, and many rows make the count exact.
    n, X = 10_000, np.zeros((10_000, 1))
    y = np.ones(n)
    rng = generator(4)
    sigma = dp.gaussian_sigma(sensitivity=math.sqrt(iterations + 1), epsilon=1.0, delta=1e-3)
    weights = [
        dp.noisy_gradient_descent(
            X, y, iterations=iterations, clip=clip, epsilon=1.0, delta=1e-3, rate=rate, rng=rng
        ).theta[0]
        for _ in range(1000)
    ]
    deviation = sigma * clip * rate * math.sqrt(iterations) / n
    assert stats.kstest(np.array(weights) / deviation, stats.norm.cdf).pvalue > P_VALUE


def test_the_number_of_rows_is_noisy_too():
    # n rows with gradient -clip each: theta is (n + noise) / (n + noise), with two independent noises.
    n, runs, rng = 1000, 4000, generator(5)
    X, y = np.full((n, 1), 100.0), np.ones(n)
    sigma = dp.gaussian_sigma(sensitivity=math.sqrt(2), epsilon=1.0, delta=1e-3)
    weights = np.array(
        [
            dp.noisy_gradient_descent(X, y, iterations=1, clip=1, epsilon=1.0, delta=1e-3, rng=rng).theta[0]
            for _ in range(runs)
        ]
    )
    # First order in sigma / n; a sample variance of normal draws has relative deviation sqrt(2 / runs).
    assert abs(weights.mean() - 1) < 5.5 * math.sqrt(2) * sigma / n / math.sqrt(runs) + 2 * (sigma / n) ** 2
    assert weights.var() == pytest.approx(2 * (sigma / n) ** 2, rel=5.5 * math.sqrt(2 / runs) + 0.01)


def test_no_rows_and_wild_rows_are_no_exception():
    # Under add/remove-one the data set without rows is somebody's neighbour, and so is one with an absurd row.
    options = {"iterations": 3, "clip": 1, "epsilon": 1, "delta": 1e-5}
    assert np.isfinite(dp.noisy_gradient_descent(np.zeros((0, 2)), [], **options, rng=generator(6)).theta).all()
    X, y = example()
    usual = dp.noisy_gradient_descent(X, y, **options, rng=generator(6)).theta
    for wild in ([1e308, -1e308, 1e308], [1e200, 0, 0], [1e-300, 0, 0]):
        theta = dp.noisy_gradient_descent(np.vstack([X, wild]), [*y, 1], **options, rng=generator(6)).theta
        assert np.abs(theta - usual).max() < 3 / len(X)


def test_a_margin_that_is_no_number_is_clipped_like_any_other():
    # Many huge parts of both signs add up to infinity minus infinity, once theta has parts of both signs.
    X, y = np.vstack([np.full(40, 1.7e308), np.eye(40)]), np.ones(41)
    options = {"iterations": 3, "clip": 1, "epsilon": 1, "delta": 1e-5, "rate": 100}
    for seed in range(3):
        assert np.isfinite(dp.noisy_gradient_descent(X, y, **options, rng=generator(seed)).theta).all()


# ---------------------------------------------------------------- DP-SGD


def test_every_subset_of_the_rows_is_taken_with_its_poisson_probability():
    # Row i has a gradient in column i alone, so the weights show which rows were taken; hardly any noise.
    n, batch, runs, rng = 5, 2, 8_000, generator(8)
    X, y = 100 * np.eye(n), np.ones(n)
    fits = [dp.dp_sgd(X, y, steps=1, batch=batch, clip=1, sigma=1e-6, rate=1, rng=rng).theta for _ in range(runs)]
    sizes = np.array(fits) * batch  # not by the number of rows taken
    taken = np.round(sizes).astype(int)
    np.testing.assert_allclose(sizes, taken, atol=1e-4)
    observed = np.bincount(taken @ (2 ** np.arange(n)), minlength=2**n)
    in_subset = np.array([bin(subset).count("1") for subset in range(2**n)])
    expected = runs * (batch / n) ** in_subset * (1 - batch / n) ** (n - in_subset)
    assert observed[0] > 0  # empty batches occur
    assert stats.chisquare(observed, expected).pvalue > P_VALUE


def test_large_samples_are_binomial():
    n, batch, rng = 30_000, 6_000, generator(9)
    X, y = np.full((n, 1), 100.0), np.ones(n)
    fits = [dp.dp_sgd(X, y, steps=1, batch=batch, clip=1, sigma=1e-6, rate=1, rng=rng).theta[0] for _ in range(1000)]
    sizes = np.array(fits) * batch + rng.uniform(-0.5, 0.5, 1000)
    assert stats.kstest(sizes, stats.norm(batch, math.sqrt(batch * (1 - batch / n))).cdf).pvalue > P_VALUE


def test_noise_of_dp_sgd():
    X, y, rng = np.zeros((50, 2)), np.ones(50), generator(10)
    fits = [dp.dp_sgd(X, y, steps=6, batch=5, clip=2, sigma=1.5, rate=0.3, rng=rng).theta for _ in range(1000)]
    deviation = 1.5 * 2 * 0.3 * math.sqrt(6) / 5
    assert stats.kstest(np.ravel(fits) / deviation, stats.norm.cdf).pvalue > P_VALUE


def test_dp_sgd_of_whole_batches_is_gradient_descent():
    X, y = example()
    fit = dp.dp_sgd(X, y, steps=20, batch=len(X), clip=100, sigma=1e-9, rate=1.0, rng=generator(11))
    np.testing.assert_allclose(fit.theta, dp.gradient_descent(X, y, iterations=20), rtol=1e-5)


def test_dp_sgd_states_the_total_cost():
    options = {"steps": 30, "batch": 40, "clip": 1, "sigma": 1.3, "rate": 0.5}
    fit = dp.dp_sgd(*example(), **options, rng=generator(12))
    assert (fit.epsilon, fit.delta) == (dp.dp_sgd_epsilon(q=0.1, sigma=1.3, steps=30, delta=1e-5), 1e-5)
    other = dp.dp_sgd(*example(), **options, delta=1e-7, rng=generator(12))
    assert (other.epsilon, other.delta) == (dp.dp_sgd_epsilon(q=0.1, sigma=1.3, steps=30, delta=1e-7), 1e-7)
    np.testing.assert_array_equal(other.theta, fit.theta)


# ---------------------------------------------------------------- the census


@functools.cache
def split(path):
    X, y = dp.census_features(dp.load_census(path))
    order = generator(14).permutation(len(y))
    learn, judge = order[:26_048], order[26_048:]
    return X[learn], y[learn], X[judge], y[judge]


@weekly
def test_income_can_be_predicted_privately():
    X, y, X_judge, y_judge = split(None)
    always_no = (y_judge == -1).mean()
    exact = dp.accuracy(dp.gradient_descent(X, y, iterations=100, rate=2.0), X_judge, y_judge)
    assert 0.80 < exact < 0.86
    accuracies = [
        dp.accuracy(
            dp.noisy_gradient_descent(
                X, y, iterations=iterations, clip=2.0, epsilon=1.008, delta=1e-5, rate=2.0, rng=generator(15)
            ).theta,
            X_judge,
            y_judge,
        )
        for iterations in (10, 100)
    ]
    assert always_no + 0.02 < accuracies[0] < accuracies[1] < exact + 0.01
    assert accuracies[1] > exact - 0.02

    fit = dp.dp_sgd(X, y, steps=1000, batch=256, clip=1, sigma=1.1, rate=1, rng=generator(16))
    assert dp.accuracy(fit.theta, X_judge, y_judge) > exact - 0.02
    assert 1 < fit.epsilon < 2


@pytest.mark.parametrize(("iterations", "published"), [(10, 0.802), (20, 0.817), (50, 0.825), (100, 0.834)])
def test_accuracy_on_the_real_census(iterations, published):
    X, y, X_judge, y_judge = split(real_census())
    fit = dp.noisy_gradient_descent(
        X, y, iterations=iterations, clip=3.0, epsilon=1.008, delta=1e-5, rate=2.0, rng=generator(17)
    )
    assert dp.accuracy(fit.theta, X_judge, y_judge) == pytest.approx(published, abs=0.015)


# ---------------------------------------------------------------- bad input

X, Y = [[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]], [1, -1, 1]


def test_a_frame_and_a_series_must_belong_together():
    frame = pd.DataFrame(X, index=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"^y must have the index of X"):
        dp.accuracy([1, 1], frame, pd.Series(Y, index=["c", "b", "a"]))


def test_a_step_beyond_floats_is_an_error_that_names_the_rate():
    with pytest.raises(ValueError, match="rate must be smaller"):
        dp.gradient_descent([[1e150], [1e150]], [1, 1], iterations=2, rate=1e200)
