"""Trade-off curves, and the privacy loss composed: bounds around exact values, from closed forms and from elsewhere."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import reference
from scipy import stats
from thorough import THOROUGH, sample, weekly

import dp_helpers as dp
from dp_helpers import PrivacyLoss


def worst_delta(p, q, k, epsilon):
    """Return the exact delta of k releases with outputs of probabilities p and q, by going through all outcomes."""
    joint = [
        (math.prod(a), math.prod(b)) for a, b in zip(*(itertools.product(x, repeat=k) for x in (p, q)), strict=True)
    ]
    both = (joint, [(b, a) for a, b in joint])
    return max(math.fsum(max(a - math.exp(epsilon) * b, 0) for a, b in one) for one in both)


def between(bounds, exact, gap, margin=1e-9):
    low, high = bounds
    assert low <= exact * (1 + margin)
    assert exact <= high * (1 + margin)
    assert high - low <= gap * high


# ---------------------------------------------------------------- trade-off curves


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("tradeoff.gauss"))
def test_reference_of_the_gaussian_curve(inputs, value, tolerance):
    found = dp.trade_off_gaussian(inputs["alpha"], mu=inputs["mu"])
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("tradeoff.laplace"))
def test_reference_of_the_laplace_curve(inputs, value, tolerance):
    found = dp.trade_off_laplace(inputs["alpha"], epsilon=inputs["eps"])
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("size", [0.01, 0.5, 1.0, 4.0])
def test_the_curves_are_those_of_the_best_thresholds(size):
    rates = np.linspace(0.001, 0.999, 57)
    for curve, law in (
        (dp.trade_off_gaussian(rates, mu=size), stats.norm),
        (dp.trade_off_laplace(rates, epsilon=size), stats.laplace),
    ):
        thresholds = law.isf(rates)  # "the row is there" above it
        assert curve == pytest.approx(law.cdf(thresholds - size), rel=1e-10)


def test_curves_at_the_ends_without_noise_and_in_the_form_given():
    for curve in (lambda a, s: dp.trade_off_gaussian(a, mu=s), lambda a, s: dp.trade_off_laplace(a, epsilon=s)):
        assert curve([0, 1], 1.0).tolist() == [1, 0]
        assert curve([0, 1], 800.0).tolist() == [1, 0]
        assert curve([0.3], 0.0) == pytest.approx([0.7], rel=1e-12)
        assert isinstance(curve(0.25, 1.0), float)
        named = curve(pd.Series([0.1, 0.2], index=["a", "b"]), 1.0)
        assert list(named.index) == ["a", "b"]


def test_a_curve_is_the_envelope_of_all_its_pairs_of_epsilon_and_delta():
    rates = np.array([0.001, 0.05, 0.3, 0.7])
    loss = PrivacyLoss.gaussian(sigma=1.0)
    lines = []
    for epsilon in np.linspace(0, 8, 400):
        delta = loss.delta(epsilon)
        lines.append(np.maximum(1 - delta - math.exp(epsilon) * rates, math.exp(-epsilon) * (1 - delta - rates)))
    envelope = np.max(lines, axis=0)
    curve = dp.trade_off_gaussian(rates, mu=1.0)
    assert (envelope <= curve + 1e-12).all()
    assert envelope == pytest.approx(curve, abs=1e-3)


# ---------------------------------------------------------------- references from dp-accounting, closed forms


def released(inputs):
    if "steps" in inputs:
        return PrivacyLoss.subsampled_gaussian(q=inputs["q"], sigma=inputs["sigma"]).compose_self(inputs["steps"])
    if "eps" in inputs:
        return PrivacyLoss.randomized_response(epsilon=inputs["eps"]).compose_self(inputs["k"])
    if "sigma" in inputs:
        return PrivacyLoss.gaussian(sigma=inputs["sigma"]).compose(PrivacyLoss.laplace(scale=inputs["b"]))
    return PrivacyLoss.laplace(scale=inputs["b"]).compose_self(inputs["k"])


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("pld"))
def test_reference_of_numerical_accounting(inputs, value, tolerance):
    low, high = released(inputs).epsilon_bounds(inputs["delta"])
    assert high == pytest.approx(value, rel=0, abs=tolerance)
    assert low <= value
    assert high - low < 0.005 * high


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta", "value"),
    sample(
        [
            # dp-accounting 0.6, PLD, connect-the-dots, pessimistic, interval 1e-4.
            (0.01, 1.1, 10_000, 1e-5, 5.192620),
            (0.001, 0.6, 1_000, 1e-5, 1.425264),
            (0.3, 1, 10, 1e-5, 6.926578),
            (0.01, 1, 1, 1e-6, 0.363948),
            (0.9, 3, 20, 1e-4, 5.492829),
            (0.1, 0.5, 1_000, 1e-5, 126.167),
            (0.1, 10, 10_000, 1e-10, 6.58198),
            (0.01, 0.5, 1_000, 1e-10, 23.368),
            (0.01, 10, 100_000, 1e-10, 1.91823),
            # The same at interval 1e-5: at 1e-4 an epsilon so small is all grid.
            (0.001, 0.5, 100_000, 1e-5, 13.0286),
            (1e-4, 0.5, 100_000, 1e-5, 2.05775),
            (1e-4, 0.5, 10_000, 1e-7, 2.77423),
            (1e-4, 0.6, 100_000, 1e-5, 0.608502),
            (1e-5, 0.5, 100_000, 1e-5, 0.203598),
            (1e-6, 0.5, 10_000, 1e-7, 0.0217745),
        ],
        3,
    ),
)
def test_dp_sgd_is_within_half_a_percent_of_dp_accounting_and_below_renyi(q, sigma, steps, delta, value):
    found = PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps).epsilon(delta)
    assert found == pytest.approx(value, rel=5e-3)
    assert found < dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=delta)


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta", "value", "gap"),
    [
        # dp-accounting 0.6, pessimistic, interval 1e-5: a bound, whose own grid costs more than ours where epsilon is
        # far below 1.
        pytest.param(1e-6, 0.5, 1_000, 1e-10, 0.138261, 0.02, marks=weekly),
        pytest.param(1e-5, 0.5, 100_000, 1e-10, 2.79437, 0.02, marks=weekly),
        pytest.param(1e-5, 0.6, 10_000, 1e-10, 0.455664, 0.02, marks=weekly),
        pytest.param(1e-6, 0.5, 100_000, 1e-5, 0.00852949, 0, marks=weekly),
        pytest.param(1e-5, 1, 100_000, 1e-7, 0.0164293, 0, marks=weekly),
        (1e-6, 2, 10_000, 1e-10, 0.000908827, 0),
    ],
)
def test_rare_samples_at_the_smallest_deltas(q, sigma, steps, delta, value, gap):
    low, high = PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps).epsilon_bounds(delta)
    assert low <= high <= value * (1 + gap)
    assert low <= value


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gdp.delta"))
def test_reference_of_gaussian_privacy(inputs, value, tolerance):
    loss = PrivacyLoss.gaussian(sigma=1 / inputs["mu"])
    assert loss.delta_bounds(inputs["eps"]) == pytest.approx((value, value), rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("gauss.analytic.sigma"))
def test_gaussian_noise_calibrated_elsewhere_costs_what_it_was_calibrated_for(inputs, value, tolerance):
    loss = PrivacyLoss.gaussian(sigma=value, sensitivity=inputs["sensitivity"])
    assert loss.epsilon(inputs["delta"]) == pytest.approx(inputs["eps"], rel=1e-5)


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.9, 1.5])
def test_one_laplace_release_has_its_closed_form(epsilon):
    exact = -math.expm1((epsilon - 1.5) / 2)
    between(PrivacyLoss.laplace(scale=2, sensitivity=3).delta_bounds(epsilon), max(exact, 0.0), 1e-3)


@pytest.mark.parametrize(("k", "delta"), [(1, 1e-3), (5, 1e-6), (100, 1e-5), (1000, 1e-9)])
def test_many_reports_of_randomized_response_reach_optimal_composition(k, delta):
    found = PrivacyLoss.randomized_response(epsilon=0.3).compose_self(k).epsilon_bounds(delta)
    between(found, dp.optimal_composition(0.3, 0, k=k, delta_total=delta), 1e-6, margin=1e-8)


# ---------------------------------------------------------------- any pair: bounds around the exact value

LAWS = st.integers(2, 4).flatmap(
    lambda d: st.tuples(*[st.lists(st.floats(0.01, 1), min_size=d, max_size=d) for _ in range(2)])
)


@settings(max_examples=10 if THOROUGH else 3)
@given(LAWS, st.integers(1, 4))
def test_bounds_hold_for_any_probabilities_and_are_close(laws, k):
    p, q = (np.array(law) / sum(law) for law in laws)
    loss = PrivacyLoss.from_probabilities(p, q).compose_self(k)
    for epsilon in (0.0, 0.4, 2.0):
        low, high = loss.delta_bounds(epsilon)
        exact = worst_delta(p, q, k, epsilon)
        assert low - 1e-12 <= exact <= high + 1e-12
        assert high - low <= 0.002 * exact + 1e-9
    for delta in (0.2, 1e-4):
        low, high = loss.epsilon_bounds(delta)
        assert worst_delta(p, q, k, high) <= delta * (1 + 1e-9)
        assert low == 0 or worst_delta(p, q, k, low * (1 - 1e-9)) >= delta * (1 - 1e-9)


def test_the_worse_of_both_orders_counts():
    p, q = [0.5, 0.3, 0.2], [0.1, 0.6, 0.3]
    one, other = PrivacyLoss.from_probabilities(p, q), PrivacyLoss.from_probabilities(q, p)
    assert one.delta(0.5) == other.delta(0.5) >= worst_delta(p, q, 1, 0.5)


def worst_of_all_orders(p, q, k, epsilon):
    """Return the exact delta of k releases where each order may be chosen after seeing the earlier outputs."""

    def best(a, b, left):
        if left == 0:
            return max(a - math.exp(epsilon) * b, 0.0)
        return max(
            math.fsum(best(a * x, b * y, left - 1) for x, y in zip(*one, strict=True)) for one in ((p, q), (q, p))
        )

    return best(1.0, 1.0, k)


@pytest.mark.parametrize("seed", sample(range(40), 3))
def test_both_orders_bound_any_choice_of_orders(seed):
    rng = np.random.default_rng(seed)
    k, epsilon = 1 + seed % 5, rng.uniform(0, 2.5)
    p, q = rng.dirichlet(np.ones(3), 2)
    exact = worst_of_all_orders(p, q, k, epsilon)
    low, high = PrivacyLoss.from_probabilities(p, q, both_orders=True).compose_self(k).delta_bounds(epsilon)
    assert exact <= high + 1e-12
    if k == 1:
        assert low - 1e-12 <= exact and high - low <= 1e-3 * high
    assert exact >= worst_delta(p, q, k, epsilon) - 1e-12


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("lopsided"))
def test_reference_of_adaptive_orders(inputs, value, tolerance):
    p, q, k, epsilon = (inputs[name] for name in ("p", "q", "k", "epsilon"))
    if k < 10:
        assert worst_of_all_orders(p, q, k, epsilon) == pytest.approx(value, rel=0, abs=tolerance)
    one, both = (PrivacyLoss.from_probabilities(p, q, both_orders=b).compose_self(k) for b in (False, True))
    assert one.delta(epsilon) < value - tolerance  # the default is no bound here
    assert value - tolerance <= both.delta(epsilon) < 1.25 * value


def test_both_orders_of_a_mirror_image_are_one():
    p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    one, both = (PrivacyLoss.from_probabilities(p, q, both_orders=b).compose_self(5) for b in (False, True))
    assert both.epsilon(1e-6) == pytest.approx(one.epsilon(1e-6), rel=1e-9)
    assert both.compose_self(2).delta(1) == pytest.approx(one.compose_self(2).delta(1), rel=1e-9)


def test_both_orders_keep_outputs_of_one_world():
    both = PrivacyLoss.from_probabilities([0.9, 0.1, 0], [0.7, 0, 0.3], both_orders=True)
    assert both.delta(50) == pytest.approx(0.3, rel=1e-12)
    assert PrivacyLoss.from_probabilities([1, 0], [0, 1], both_orders=True).delta(3) == 1
    assert PrivacyLoss.from_probabilities([1e-17, 1], [0, 1], both_orders=True).delta(3) == pytest.approx(1e-17)


@pytest.mark.parametrize(("q", "sigma"), sample([(0.2, 0.8), (0.7, 2.0)], 2))  # closed forms: test_loss_bounds.py
def test_one_sampled_step_has_the_integral_of_both_directions(q, sigma):
    x = np.linspace(-12 * sigma, 1 + 12 * sigma, 40_001)
    without, one = stats.norm.pdf(x, 0, sigma), stats.norm.pdf(x, 1, sigma)
    mixed = (1 - q) * without + q * one
    loss = PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma)
    for epsilon in (0.05, 0.4, 1.0):
        both = [
            np.maximum(a - math.exp(epsilon) * b, 0).sum() * (x[1] - x[0])
            for a, b in ((mixed, without), (without, mixed))
        ]
        between(loss.delta_bounds(epsilon), max(both), 5e-3, margin=1e-6)


@pytest.mark.parametrize("laws", [([0.99, 0.01], [1, 0]), ([1, 0], [0.99, 0.01])])
def test_an_output_that_occurs_in_one_world_only_is_an_infinite_loss(laws):
    loss = PrivacyLoss.from_probabilities(*laws)
    twice = 1 - 0.99**2
    assert loss.compose_self(2).epsilon_bounds(twice * 0.99) == (math.inf, math.inf)
    assert math.isfinite(loss.compose_self(2).epsilon(twice * 1.01))
    assert loss.compose_self(2).delta(50) == pytest.approx(twice, rel=1e-12)
    nothing_hidden = PrivacyLoss.from_probabilities([1, 0], [0, 1])
    assert nothing_hidden.delta(3) == nothing_hidden.compose(PrivacyLoss.laplace(scale=1)).delta(0.5) == 1


@pytest.mark.parametrize("others", [([1], [1]), ([0.7, 0.3], [0.3, 0.7])])
@pytest.mark.parametrize(("chance", "k"), [(1e-17, 10**9), (2e-17, 10**6), (1e-15, 10**4), (1e-12, 10**5)])
def test_small_probabilities_of_an_infinite_loss_add_up(chance, k, others):
    """Exactly 1 - (1 - chance)^k, of which k chance is all but k^2 chance^2 / 2."""
    if k > 10**5 and others[0] != [1] and not THOROUGH:
        pytest.skip("weekly: two seconds each for a grid of so many losses")
    p, q = ([own, *rest] for own, rest in zip((chance, 0), others, strict=True))
    loss = PrivacyLoss.from_probabilities(p, q).compose_self(k)
    assert loss.delta_bounds(1e9) == pytest.approx((k * chance, k * chance), rel=k * chance + 1e-12)
    assert loss.epsilon_bounds(0.99 * k * chance) == (math.inf, math.inf)


def test_an_output_that_tells_nothing_can_be_composed():
    loss = PrivacyLoss.from_probabilities([0.5, 0.5, 0], [0, 0.5, 0.5]).compose(PrivacyLoss.laplace(scale=1))
    between(loss.delta_bounds(0.5), 0.5 + 0.5 * -math.expm1((0.5 - 1) / 2), 1e-3)


@weekly
def test_the_rarest_samples_with_hardly_any_noise():
    """Somebody is sampled in one of a million runs, and then one loss in ten is above 200 - 27.6 + 1.28 * 20."""
    low, high = PrivacyLoss.subsampled_gaussian(q=1e-12, sigma=0.05).compose_self(10**6).epsilon_bounds(1e-7)
    assert 196 < low <= high < 199


def test_delta_0_asks_for_the_largest_loss():
    three = PrivacyLoss.laplace(scale=2).compose_self(2).compose(PrivacyLoss.randomized_response(epsilon=0.5))
    assert three.epsilon_bounds(0) == pytest.approx((1.5, 1.5), rel=1e-12)
    assert three.delta(1.5) == 0
    assert PrivacyLoss.gaussian(sigma=1).epsilon(0) == math.inf


def test_a_release_that_says_nothing_costs_nothing():
    for loss in (PrivacyLoss.subsampled_gaussian(q=0, sigma=1), PrivacyLoss.from_probabilities([0.5, 0.5], [0.5, 0.5])):
        assert loss.compose_self(100).epsilon_bounds(1e-6) == (0, 0)
        assert loss.delta(0) == 0


# ---------------------------------------------------------------- composition


def test_gaussian_releases_add_their_squares():
    many = PrivacyLoss.gaussian(sigma=5).compose_self(9).compose(PrivacyLoss.gaussian(sigma=2, sensitivity=1.6))
    assert many.epsilon(1e-6) == pytest.approx(PrivacyLoss.gaussian(sigma=1).epsilon(1e-6), rel=1e-9)


def test_sampling_everybody_is_no_sampling():
    assert PrivacyLoss.subsampled_gaussian(q=1, sigma=2).epsilon(1e-5) == PrivacyLoss.gaussian(sigma=2).epsilon(1e-5)


def test_the_order_and_the_grouping_of_releases_do_not_matter():
    a, b = PrivacyLoss.laplace(scale=3), PrivacyLoss.subsampled_gaussian(q=0.1, sigma=1)
    one = a.compose(b).compose(a).compose(b)
    other = b.compose_self(2).compose(a.compose_self(2))
    assert one.epsilon(1e-5) == pytest.approx(other.epsilon(1e-5), rel=1e-12)
    assert repr(one) == "PrivacyLoss(4 releases)"


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-7, 1e-12, 1e-30])
def test_epsilon_and_delta_are_each_others_inverse(delta):
    loss = PrivacyLoss.laplace(scale=4).compose_self(30).compose(PrivacyLoss.gaussian(sigma=3))
    low, high = loss.epsilon_bounds(delta)
    assert high - low < 3e-3 * high
    assert loss.delta(high) == pytest.approx(delta, rel=5e-3)


def test_more_releases_never_cost_less_and_more_delta_never_costs_more():
    step = PrivacyLoss.subsampled_gaussian(q=0.05, sigma=1)
    by_steps = [step.compose_self(k).epsilon(1e-6) for k in (1, 2, 1000)]
    by_delta = [step.compose_self(10).epsilon(delta) for delta in (1e-2, 1e-4, 1e-16)]
    assert by_steps == sorted(by_steps)
    assert by_delta == sorted(by_delta)


@pytest.mark.parametrize(
    "loss",
    [
        PrivacyLoss.laplace(scale=1e-2),
        PrivacyLoss.laplace(scale=1e6),
        PrivacyLoss.laplace(scale=1e2).compose_self(10**4),
        PrivacyLoss.randomized_response(epsilon=1e-6).compose_self(10**6),
        PrivacyLoss.randomized_response(epsilon=100),
        pytest.param(PrivacyLoss.subsampled_gaussian(q=0.01, sigma=0.1).compose_self(1000), marks=weekly),
        pytest.param(PrivacyLoss.subsampled_gaussian(q=0.999, sigma=1), marks=weekly),
        PrivacyLoss.gaussian(sigma=1e-2),
    ],
)
def test_extremes_stay_bounds(loss):
    low, high = loss.epsilon_bounds(1e-5)
    assert 0 <= low <= high < math.inf
    low, high = loss.delta_bounds(1.0)
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PrivacyLoss.from_probabilities([0.5, 0.6], [0.5, 0.5]), "p must be probabilities that sum to 1"),
        (lambda: PrivacyLoss.laplace(scale=1e-101), "scale must be between"),
        (lambda: PrivacyLoss.laplace(scale=1).compose(3), "other must be a PrivacyLoss, got 3"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
