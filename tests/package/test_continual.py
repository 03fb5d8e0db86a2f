"""A running count: the law of its noise, exactly, and audits of all counts together."""

import math

import numpy as np
import pandas as pd
import pytest
from reference import reference
from scipy import stats

import dp_helpers as dp
from dp_helpers.continual import _square_root, _tree

METHODS = {
    "tree": lambda steps, noise: _tree(steps, noise, halves=False),
    "honaker": lambda steps, noise: _tree(steps, noise, halves=True),
    "square_root": _square_root,
}


def decoder(method, steps):
    """Return B, by which independent noise z of unit scale becomes the noise Bz of the counts, and the two norms."""
    sizes, norms = [], []

    def measure(size, l1, l2):
        sizes.append(size)
        norms.append((l1, l2))
        return np.zeros(size)

    METHODS[method](steps, measure)
    columns = []
    for unit in np.eye(sum(sizes)):
        parts = iter(np.split(unit, np.cumsum(sizes)[:-1]))
        columns.append(METHODS[method](steps, lambda *_, parts=parts: next(parts)))
    [norm] = set(norms)
    return np.array(columns).T, norm


STEPS = [1, 2, 3, 5, 8, 13, 16, 31]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("steps", STEPS)
def test_noise_covers_what_one_event_changes(method, steps):
    """The counts are B (C x + z) with BC = A for some C; the columns of the smallest such C are within the norms."""
    b, (l1, l2) = decoder(method, steps)
    prefixes = np.tril(np.ones((steps, steps)))
    if method == "square_root":
        c = np.linalg.solve(b, prefixes)
        assert c == pytest.approx(b, abs=1e-9)
    else:  # which nodes each step is in
        nodes = [(level, k) for level in range(steps.bit_length()) for k in range(steps >> level)]
        c = np.array([[float(step >> level == k) for step in range(steps)] for level, k in nodes])
        assert b @ c == pytest.approx(prefixes, abs=1e-9)
    assert np.abs(c).sum(axis=0).max() <= l1 * (1 + 1e-12)
    assert np.linalg.norm(c, axis=0).max() <= l2 * (1 + 1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("tree"))
def test_reference_of_the_tree(inputs, value, tolerance):
    levels, nodes, deviation = value
    b, (l1, l2) = decoder("tree", inputs["T"]) if inputs["T"] <= 64 else (None, (11, math.sqrt(11)))
    assert l1 == levels
    if b is not None:
        assert (b != 0).sum(axis=1).max() == nodes
        assert l2 * np.linalg.norm(b, axis=1).max() == pytest.approx(deviation, rel=0, abs=tolerance)
    counts = [bin(step).count("1") for step in range(1, inputs["T"] + 1)]
    assert math.sqrt(levels * max(counts)) == pytest.approx(deviation, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sqrt.factor"))
def test_reference_of_the_square_root(inputs, value, tolerance):
    norms = []

    def unit(size, l1, l2):
        norms.append(l2)
        return np.eye(size)[0] * l2

    column = _square_root(inputs["T"], unit)  # l2 times the first column of B, the longest row backwards
    assert norms[0] * np.linalg.norm(column) / norms[0] == pytest.approx(value, rel=0, abs=tolerance)


def test_honaker_is_never_worse_than_the_tree_and_the_square_root_is_best():
    for steps in (7, 16, 63):
        worst = {}
        for method in METHODS:
            b, (_, l2) = decoder(method, steps)
            worst[method] = l2 * np.linalg.norm(b, axis=1).max()
        assert worst["square_root"] < worst["honaker"] < worst["tree"]


def test_honaker_averages_by_the_inverse_of_the_variances():
    """The best unbiased estimate of the root of four from seven nodes has variance 4/7."""
    b, _ = decoder("honaker", 4)
    assert (b[3] ** 2).sum() == pytest.approx(4 / 7, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("price", "law"), [({"epsilon": 2.0}, stats.laplace), ({"rho": 0.3}, stats.norm)])
def test_one_step_has_the_noise_of_one_release(method, price, law):
    """A Kolmogorov-Smirnov test of 4,000 draws: fails by chance with probability 1e-6; the seed is fixed."""
    rng = np.random.default_rng(4)
    drawn = [dp.continual_counts([0.25], method=method, rng=rng, **price)[0] - 0.25 for _ in range(4000)]
    scale = 1 / 2.0 if "epsilon" in price else 1 / math.sqrt(2 * 0.3)
    assert stats.kstest(drawn, law(scale=scale).cdf).pvalue > 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_the_noise_has_the_covariance_of_its_factors(method):
    """Each of 64 entries of the covariance is within 6 of its standard errors: 2e-9 to fail by chance, each."""
    steps, draws, rho, rng = 8, 10_000, 0.5, np.random.default_rng(5)
    noise = np.array([dp.continual_counts(np.zeros(steps), rho=rho, method=method, rng=rng) for _ in range(draws)])
    b, (_, l2) = decoder(method, steps)
    exact = l2**2 / (2 * rho) * b @ b.T
    error = np.sqrt((exact**2 + np.outer(np.diag(exact), np.diag(exact))) / draws)
    assert (np.abs(noise.T @ noise / draws - exact) < 6 * error).all()


def test_the_counts_are_around_the_truth_in_the_form_given():
    days = pd.Series([1, 0, 1, 1], index=list("abcd"), name="visits")
    counts = dp.continual_counts(days, epsilon=1e9, rng=np.random.default_rng(1))
    assert list(counts.index) == list("abcd")
    assert counts.to_numpy() == pytest.approx([1, 1, 2, 3], abs=1e-6)


def test_the_error_grows_with_the_logarithm_of_the_steps():
    """At 4,096 steps the largest of all errors is below 30 deviations of one release, but with probability 1e-10."""
    rng = np.random.default_rng(2)
    error = dp.continual_counts(np.zeros(4096), rho=0.5, method="square_root", rng=rng)
    assert np.abs(error).max() < 30


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "epsilon or rho must be given, and not both, got epsilon=None and rho=None"),
        ({"epsilon": 1, "rho": 1}, "epsilon or rho must be given, and not both"),
    ],
)
def test_bad_input_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        dp.continual_counts(**{"values": [0, 1], **given})


@pytest.mark.parametrize("price", [{"epsilon": 1e-320}, {"epsilon": 1e308}, {"rho": 1e308}])
@pytest.mark.parametrize("method", ["tree", "honaker", "square_root"])
def test_noise_that_floats_cannot_hold_is_refused(price, method):
    with pytest.raises(ValueError, match="must give noise of a scale between 1e-300 and 1e300"):
        dp.continual_counts([0, 1, 1], **price, method=method)
