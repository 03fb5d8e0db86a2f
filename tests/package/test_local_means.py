import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from random_numbers import ERRORS, P_VALUE, generator
from reference import reference
from scipy import stats

import dp_helpers as dp
from dp_helpers.local import means

MEANS = {"laplace": dp.laplace_mean, "duchi": dp.duchi_mean, "piecewise": dp.piecewise_mean}
every_mean = pytest.mark.parametrize("name", MEANS)


def duchi_law(epsilon, x):
    """Return P[report = c], c and the variance for a value in [-1, 1]."""
    odds = math.exp(epsilon)
    c = (odds + 1) / (odds - 1)
    return (x * (odds - 1) + odds + 1) / (2 * odds + 2), c, c * c - x * x


def piecewise_law(epsilon, x):
    """Return C, the density of the likely piece, its left end and the variance."""
    h, odds = math.exp(epsilon / 2), math.exp(epsilon)
    largest = (h + 1) / (h - 1)
    start = (largest + 1) / 2 * x - (largest - 1) / 2
    return largest, (odds - h) / (2 * h + 2), start, x * x / (h - 1) + (h + 3) / (3 * (h - 1) ** 2)


def piecewise_cdf(epsilon, x):
    largest, density, start, _ = piecewise_law(epsilon, x)
    corners = [-largest, start, start + largest - 1, largest]
    low = density / math.exp(epsilon)
    heights = np.cumsum([0, low * (start + largest), density * (largest - 1), low * (1 - start)])
    assert heights[-1] == pytest.approx(1)
    return lambda y: np.interp(y, corners, heights)


def variance_of_a_report(name, epsilon, x):
    """As the docstrings say, for bounds -1 and 1."""
    return {"laplace": 8 / epsilon**2, "duchi": duchi_law(epsilon, x)[2], "piecewise": piecewise_law(epsilon, x)[3]}[
        name
    ]


# ---------------------------------------------------------------- one person's report


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("duchi"))
def test_duchi_reports_one_of_two_numbers(inputs, value, tolerance):
    epsilon, x, n = inputs["eps"], inputs["x"], 200_000
    assert list(duchi_law(epsilon, x)) == pytest.approx(value, rel=0, abs=tolerance)
    reports = means._duchi(np.full(n, float(x)), epsilon, generator(1))
    chance, c, variance = value
    assert np.unique(np.abs(reports)) == pytest.approx([c], rel=0, abs=tolerance)
    assert stats.binomtest(int((reports > 0).sum()), n, chance).pvalue > P_VALUE
    assert abs(reports.mean() - x) < ERRORS * math.sqrt(variance / n)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("pm"))
def test_piecewise_reports_near_the_value(inputs, value, tolerance):
    epsilon, x, n = inputs["eps"], inputs["x"], 200_000
    assert list(piecewise_law(epsilon, x)) == pytest.approx(value, rel=0, abs=tolerance)
    reports = means._piecewise(np.full(n, float(x)), epsilon, generator(2))
    largest, density, start, variance = value
    assert np.abs(reports).max() <= largest
    near = int(((reports >= start) & (reports <= start + largest - 1)).sum())
    assert stats.binomtest(near, n, density * (largest - 1)).pvalue > P_VALUE
    assert reports.var() == pytest.approx(variance, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.3, 1.5, 5.0])
@pytest.mark.parametrize("x", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_reports_have_the_whole_law(epsilon, x):
    same = np.full(100_000, x)
    reports = means._piecewise(same, epsilon, generator(3))
    assert stats.kstest(reports, piecewise_cdf(epsilon, x)).pvalue > P_VALUE
    reports = means._laplace(same, epsilon, generator(4))
    assert stats.kstest(reports, stats.laplace(x, 2 / epsilon).cdf).pvalue > P_VALUE


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1.0, 36.0])
@every_mean
def test_a_report_stays_in_its_range(name, epsilon):
    x = np.linspace(-1, 1, 2_001)
    reports = getattr(means, f"_{name}")(x, epsilon, generator(5))
    assert np.isfinite(reports).all()
    largest = {
        "laplace": 1 + 80 / epsilon,
        "duchi": 1 / math.tanh(epsilon / 2),
        "piecewise": 1 / math.tanh(epsilon / 4),
    }
    assert np.abs(reports).max() <= largest[name] * (1 + 1e-12)


# ---------------------------------------------------------------- the mean


@every_mean
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_means_are_unbiased_with_the_stated_variance(name, epsilon):
    lower, upper, rounds, rng = 10.0, 50.0, 1_000, generator(6)
    values = np.array([-30.0, 10.0, 12.5, 31.0, 50.0, 200.0, 44.0, 18.0])  # two are clipped
    clipped = np.clip(values, lower, upper)
    estimates = np.array(
        [MEANS[name](values, lower=lower, upper=upper, epsilon=epsilon, rng=rng) for _ in range(rounds)]
    )
    scaled = (clipped - 30) / 20
    variance = 20**2 * sum(variance_of_a_report(name, epsilon, x) for x in scaled) / len(values) ** 2
    assert abs(estimates.mean() - clipped.mean()) < ERRORS * math.sqrt(variance / rounds)
    # The squared errors have a kurtosis below 4 here (Laplace: 3 + 3/8).
    assert abs(((estimates - clipped.mean()) ** 2).mean() / variance - 1) < ERRORS * math.sqrt(3 / rounds)


def test_which_is_best_depends_on_epsilon():
    def worst(name, epsilon):
        return max(variance_of_a_report(name, epsilon, x) for x in (0.0, 1.0))

    assert worst("duchi", 1.28) < worst("piecewise", 1.28) and worst("duchi", 1.30) > worst("piecewise", 1.30)
    assert worst("duchi", 2.31) < worst("laplace", 2.31) and worst("duchi", 2.34) > worst("laplace", 2.34)


def test_a_single_person_shows_a_report():
    epsilon, rng = math.log(3), generator(7)
    reports = [dp.duchi_mean([40], lower=0, upper=100, epsilon=epsilon, rng=rng) for _ in range(50)]
    assert set(np.round(reports, 9)) == {-50.0, 150.0}
    reports = [dp.duchi_mean([-60], lower=-100, upper=0, epsilon=epsilon, rng=rng) for _ in range(50)]
    assert set(np.round(reports, 9)) == {-150.0, 50.0}
    reports = [dp.piecewise_mean([40], lower=0, upper=100, epsilon=epsilon, rng=rng) for _ in range(500)]
    c = (math.sqrt(3) + 1) / (math.sqrt(3) - 1)
    assert 50 - 50 * c <= min(reports) < 0 and 100 < max(reports) <= 50 + 50 * c


@every_mean
def test_values_may_come_in_any_form(name):
    mean = MEANS[name]
    parameters = {"lower": 0, "upper": 10, "epsilon": 1.0}
    first = mean([1, 2, 7], rng=generator(8), **parameters)
    assert isinstance(first, float)
    for same in (np.array([1, 2, 7]), pd.Series([1.0, 2.0, 7.0], index=[5, 5, 6]), (1, 2, 7)):
        assert mean(same, rng=generator(8), **parameters) == first
    assert len({mean([1, 2, 7], **parameters) for _ in range(50)}) > 1  # fresh entropy


@every_mean
def test_blocks_do_not_matter_and_bound_the_memory(name, monkeypatch):
    # Their mean isn't the middle of the bounds: a lost block would be seen.
    values, parameters = np.linspace(0, 1, 400_000) ** 3, {"lower": 0, "upper": 1, "epsilon": 2.0}
    tracemalloc.start()
    estimate = MEANS[name](values, rng=generator(9), **parameters)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6  # the numbers themselves take 3.2 MB
    assert abs(estimate - values.mean()) < 6 * math.sqrt(2 / 400_000)
    monkeypatch.setattr(means, "_BLOCK", 7)
    few = [MEANS[name](values[::1_000], rng=generator(seed), **parameters) for seed in range(100)]
    assert abs(np.mean(few) - values[::1_000].mean()) < ERRORS * math.sqrt(2 / 40_000)


@every_mean
def test_audit_finds_no_more_than_epsilon(name):
    def mechanism(value, rng):
        return MEANS[name]([value], lower=0, upper=1, epsilon=1.0, rng=rng)

    found = dp.audit(mechanism, 0.0, 1.0, trials=6_000, rng=generator(10))
    assert 0.5 < found.epsilon_lower_bound <= 1.0
