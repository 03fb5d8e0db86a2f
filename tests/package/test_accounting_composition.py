import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference
from scipy import stats

import dp_helpers as dp

EPSILONS = st.floats(1e-4, 3)
COUNTS = st.integers(1, 60)


def exact_delta(total, epsilon, k):
    """Return the smallest delta of k-fold randomized response at epsilon ``total``, straight from the definition."""
    lies = np.arange(k + 1)
    truthful = stats.binom(k, 1 / (1 + math.exp(epsilon)))
    here, there = truthful.pmf(lies), truthful.pmf(k - lies)
    return np.maximum(here - math.exp(total) * there, 0).sum()


# ---------------------------------------------------------------- advanced composition


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("adv.dr"))
def test_advanced_composition(inputs, value, tolerance):
    cost = {"k": inputs["k"], "delta_prime": inputs["delta_prime"]}
    epsilon, delta = dp.advanced_composition(inputs["eps"], 1e-9, **cost)
    assert epsilon == pytest.approx(value, rel=0, abs=tolerance)
    assert delta == pytest.approx(inputs["k"] * 1e-9 + inputs["delta_prime"], rel=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("adv.cross"))
def test_advanced_composition_beats_sequential_from_there_on(inputs, value, tolerance):
    def gain(k):
        return k * inputs["eps"] - dp.advanced_composition(inputs["eps"], 0, k=k, delta_prime=inputs["delta"])[0]

    threshold = value if isinstance(value, (int, float)) else value[0]
    assert gain(math.floor(threshold) - 1) < 0 < gain(math.ceil(threshold) + 1)


def test_advanced_composition_at_the_edges():
    assert dp.advanced_composition(0, 0, k=1, delta_prime=1e-300) == (0.0, 1e-300)
    assert dp.advanced_composition(1000, 0, k=1, delta_prime=0.5) == (math.inf, 0.5)
    assert dp.advanced_composition(0.1, 0.6, k=2, delta_prime=0.5)[1] == 1.0  # a delta of 1 promises nothing


# ---------------------------------------------------------------- optimal composition


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("kov.eps"))
def test_optimal_composition(inputs, value, tolerance):
    epsilon = dp.optimal_composition(inputs["eps"], 0, k=inputs["k"], delta_total=inputs["delta"])
    assert type(epsilon) is float
    assert epsilon == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "delta_total", "tolerance"), [*reference("kov.delta_i"), *reference("kov.full")])
def test_optimal_composition_at_the_deltas_of_the_theorem(inputs, delta_total, tolerance):
    k, i, one = inputs["k"], inputs["i"], inputs["eps"]
    for shift in (-tolerance, 0, tolerance):
        epsilon = dp.optimal_composition(one, inputs.get("delta", 0), k=k, delta_total=delta_total + shift)
        assert epsilon == pytest.approx((k - 2 * i) * one, rel=1e-8)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), [*reference("kov.thm34"), *reference("adv.tanh")])
def test_optimal_composition_is_below_the_closed_form_bound(inputs, value, tolerance):
    delta = inputs.get("delta_tilde", inputs.get("delta_prime"))
    epsilon = dp.optimal_composition(inputs["eps"], 0, k=inputs["k"], delta_total=delta)
    assert 0.7 * value < epsilon < value


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("adv.2eps.invalid"))
def test_the_textbook_shortcut_drops_below_the_optimum(inputs, value, tolerance):
    # 2 epsilon sqrt(2k ln(1 / delta)) is taught for all k, and is no bound from this k on.
    one, delta = inputs["eps"], inputs["delta"]
    for k, valid in ((int(value) - 1, True), (int(value), False)):
        shortcut = 2 * one * math.sqrt(2 * k * math.log(1 / delta))
        assert (shortcut >= dp.optimal_composition(one, 0, k=k, delta_total=delta)) is valid


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("laplace.comp"))
def test_optimal_composition_holds_for_the_laplace_mechanism(inputs, value, tolerance):
    epsilon = dp.optimal_composition(inputs["eps"], 0, k=inputs["k"], delta_total=inputs["delta"])
    assert epsilon >= value - tolerance


@given(EPSILONS, COUNTS, st.floats(-9, -0.1))
def test_optimal_composition_is_attained_by_randomized_response(one, k, log_delta):
    delta = 10**log_delta
    total = dp.optimal_composition(one, 0, k=k, delta_total=delta)
    if total > 0:
        assert exact_delta(total, one, k) == pytest.approx(delta, rel=1e-9, abs=1e-13)
    else:
        assert exact_delta(0, one, k) <= delta


@given(EPSILONS, st.floats(0, 1e-3), COUNTS, st.floats(0.1, 0.9))
def test_optimal_composition_is_never_above_the_other_theorems(one, delta, k, delta_prime):
    advanced, delta_total = dp.advanced_composition(one, delta, k=k, delta_prime=delta_prime)
    if delta_total < 1:
        assert dp.optimal_composition(one, delta, k=k, delta_total=delta_total) <= min(advanced, k * one)
    sequential, delta_total = dp.sequential_composition([one] * k, [delta] * k)
    assert dp.optimal_composition(one, delta, k=k, delta_total=delta_total) <= sequential * (1 + 1e-12)


@pytest.mark.parametrize(
    ("one", "k", "delta_total", "expected"),
    [
        (1, 7, 0, 7),
        (1, 1, 0, 1),
        (0, 9, 0, 0),
        (1, 9, 0.999, 0),
        (1e3, 10, 1e-300, 1e4),
        (1e-9, 10, 1e-300, 1e-8),
        (1e-9, 10, 1e-5, 0),
    ],
)
def test_optimal_composition_at_the_edges(one, k, delta_total, expected):
    assert dp.optimal_composition(one, 0, k=k, delta_total=delta_total) == pytest.approx(expected, rel=1e-7)


def test_failures_must_fit_into_the_total_delta():
    for one, k in product((1e-12, 1e-5, 0.1), (1, 10)):
        failures = -math.expm1(k * math.log1p(-one))  # 1 - (1 - one)^k
        assert dp.optimal_composition(0.1, one, k=k, delta_total=failures) == pytest.approx(0.1 * k)
    with pytest.raises(ValueError, match=r"^delta_total must be at least 9.99955e-05, which k deltas"):
        dp.optimal_composition(0.1, 1e-5, k=10, delta_total=9e-5)


# ---------------------------------------------------------------- bad input


def test_too_much_is_refused():
    with pytest.raises(ValueError, match=r"^k must be at most 10000000"):
        dp.optimal_composition(0.1, 0, k=10**7 + 1, delta_total=1e-5)
    with pytest.raises(ValueError, match=r"^k \* epsilon must be at most 1e300"):
        dp.optimal_composition(1e300, 0, k=2, delta_total=1e-5)
