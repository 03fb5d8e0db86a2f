"""Bounds on the privacy loss hold the truth, which an oracle finds that shares no code with the package."""

import math

import loss_oracle
import numpy as np
import pytest
from thorough import sample, weekly

import dp_helpers as dp

# What an oracle may be off by, as a share of delta.
NEAR = 1e-6
DELTAS = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14]


def loss_of(release):
    match release:
        case "gaussian", sigma:
            return dp.PrivacyLoss.gaussian(sigma=sigma)
        case "laplace", scale:
            return dp.PrivacyLoss.laplace(scale=scale)
        case "coin", epsilon:
            return dp.PrivacyLoss.randomized_response(epsilon=epsilon)
        case "atoms", p, q:
            return dp.PrivacyLoss.from_probabilities(p, q)
        case "sampled", q, sigma:
            return dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma)


def loss_of_all(parts):
    first, *others = [loss_of(release).compose_self(count) for release, count in parts]
    for other in others:
        first = first.compose(other)
    return first


def assert_bounds_hold_the_truth(loss, delta, truth):
    """``truth`` returns the exact delta at an epsilon."""
    low, high = loss.epsilon_bounds(delta)
    assert low <= high
    if math.isfinite(high):
        assert truth(high) <= delta * (1 + NEAR)
    if low > 0:
        assert delta <= truth(min(low, 60.0) * (1 - 1e-9)) * (1 + NEAR)
    epsilon = 1.01 * high if math.isfinite(high) else 1.0
    least, most = loss.delta_bounds(epsilon)
    exact = truth(epsilon)
    assert least * (1 - NEAR) - 1e-15 <= exact <= most * (1 + NEAR) + 1e-15


SINGLE = [
    *[("sampled", q, sigma) for q in (1e-3, 0.1, 0.5, 0.9) for sigma in (0.7, 2.0, 5.0)],
    *[("gaussian", sigma) for sigma in (0.3, 1.0, 20.0)],
    *[("laplace", scale) for scale in (0.2, 1.0, 9.0)],
    *[("coin", epsilon) for epsilon in (0.1, 1.0, 4.0)],
]


# Those of samples take seconds each, and test_privacy_loss.py compares one with its integrals, too.
CLOSED = (
    [(r, d) for r in SINGLE for d in DELTAS if r[0] == "sampled"],
    [(r, d) for r in SINGLE for d in DELTAS if r[0] != "sampled"],
)


@pytest.mark.parametrize(("release", "delta"), sample(CLOSED[0], every=84) + sample(CLOSED[1], every=14))
def test_one_release_has_a_closed_form(release, delta):
    assert_bounds_hold_the_truth(loss_of(release), delta, lambda epsilon: loss_oracle.delta_of_one(release, epsilon))


MIXTURES = [
    [(("gaussian", sigma), 1), (other, count)]
    for sigma in (0.5, 1.0, 3.0)
    for other in (("laplace", 1.0), ("laplace", 4.0), ("coin", 0.5), ("coin", 2.0), ("sampled", 0.9, 5.0))
    for count in (1, 2, 10)
]


@pytest.mark.parametrize(("parts", "delta"), sample([(m, d) for m in MIXTURES for d in DELTAS[2:]], every=75))
def test_normal_noise_and_one_other(parts, delta):
    assert_bounds_hold_the_truth(loss_of_all(parts), delta, lambda epsilon: loss_oracle.delta(parts, epsilon))


@pytest.mark.parametrize("seed", sample(range(400), every=100))
def test_bounds_hold_the_truth_for_random_compositions(seed):
    rng = np.random.default_rng(seed)
    parts, delta = loss_oracle.random_parts(rng), float(10 ** rng.uniform(-14, -2))
    assert_bounds_hold_the_truth(loss_of_all(parts), delta, lambda epsilon: loss_oracle.delta(parts, epsilon))


@pytest.mark.parametrize("sigma", [0.4, 1.0, 7.0])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_the_oracle_knows_normal_noise(sigma, epsilon):
    exact = loss_oracle.delta_of_one(("gaussian", sigma / math.sqrt(3)), epsilon)
    if exact > 1e-200:
        assert loss_oracle.delta([(("gaussian", sigma), 3)], epsilon) == pytest.approx(exact, rel=1e-9)


TRAININGS = [
    (q, sigma, steps)
    for q in (0.001, 0.004, 0.01, 0.02)
    for sigma in (0.7, 1.1, 1.3, 2.0, 3.0)
    for steps in (100, 1_000, 10_000)
]


@pytest.mark.parametrize("training", sample(TRAININGS, every=20))
def test_delta_inverts_epsilon_for_what_people_train_with(training):
    q, sigma, steps = training
    loss = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps)
    for delta in (1e-5, 1e-8):
        if epsilon := loss.epsilon(delta):
            assert loss.delta(epsilon) == pytest.approx(delta, rel=0.01)


@weekly
@pytest.mark.parametrize("training", TRAININGS)
def test_delta_falls_in_epsilon(training):
    q, sigma, steps = training
    loss = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps)
    deltas = [loss.delta(epsilon) for epsilon in np.linspace(0.02, 1.5 * loss.epsilon(1e-8) + 0.1, 12)]
    assert deltas == sorted(deltas, reverse=True)


def test_the_training_whose_delta_was_thousands_of_times_too_large():
    loss = dp.PrivacyLoss.subsampled_gaussian(q=0.001, sigma=1.3).compose_self(10_000)
    deltas = [loss.delta(epsilon) for epsilon in (0.1, 0.15, 0.2, 0.26, 0.3624, 0.5)]
    assert deltas == sorted(deltas, reverse=True) and deltas[4] == pytest.approx(1e-6, rel=0.01)


@pytest.mark.parametrize("odds", [2, 3, 4 / 3, 6, 501 / 499, 1e6])
def test_pure_privacy_has_no_delta_at_its_own_epsilon(odds):
    truth, epsilon = odds / (1 + odds), math.log(odds)
    coin = dp.PrivacyLoss.from_probabilities([truth, 1 - truth], [1 - truth, truth])
    for loss in (
        coin,
        dp.PrivacyLoss.laplace(scale=1 / epsilon),
        dp.PrivacyLoss.randomized_response(epsilon=epsilon),
    ):
        for k in (1, 7):
            assert str(loss.compose_self(k).delta(k * epsilon)) == "0.0"


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "sampled"])
def test_where_delta_covers_all_epsilon_is_0(kind):
    release = {"gaussian": ("gaussian", 1.0), "laplace": ("laplace", 1.0), "sampled": ("sampled", 0.5, 1.0)}[kind]
    assert loss_of(release).epsilon_bounds(0.5) == (0.0, 0.0)


def test_bounds_out_of_order_are_refused(monkeypatch):
    monkeypatch.setattr("dp_helpers.privacy_loss._epsilon_of", lambda pairs, delta, upper: 1.0 if upper else 2.0)
    monkeypatch.setattr("dp_helpers.privacy_loss._delta_of", lambda pairs, epsilon, upper: 0.1 if upper else 0.2)
    loss = dp.PrivacyLoss.laplace(scale=1.0)
    with pytest.raises(ArithmeticError, match=r"2\.0, 1\.0"):
        loss.epsilon_bounds(1e-5)
    with pytest.raises(ArithmeticError, match=r"0\.2, 0\.1"):
        loss.delta_bounds(0.5)
