"""Accuracy at a confidence is held to the noise's own laws, by sums of probabilities, and to the mechanisms' draws."""

import math

import numpy as np
import pytest
from scipy import stats

import dp_helpers as dp

CONFIDENCES = [1e-6, 0.1, 0.5, 0.9, 0.95, 0.999, 1 - 1e-12]
SCALES = [1e-3, 0.1, 0.7, 2.0, 30.0, 1e4]


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("scale", SCALES)
def test_continuous_noise_lies_within_with_that_probability(scale, confidence):
    laplace = dp.laplace_accuracy(scale=scale, confidence=confidence)
    gaussian = dp.gaussian_accuracy(sigma=scale, confidence=confidence)
    assert 2 * stats.laplace(scale=scale).sf(laplace) == pytest.approx(1 - confidence, rel=1e-9)
    assert 2 * stats.norm(scale=scale).sf(gaussian) == pytest.approx(1 - confidence, rel=1e-9)


def geometric_tails(scale, distance):
    """Return the probability that the noise is further away than ``distance``, added up."""
    beyond = np.arange(distance + 1, distance + 2 + 50 * math.ceil(scale))
    return 2 * math.fsum(math.tanh(1 / (2 * scale)) * np.exp(-beyond / scale))


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("scale", SCALES)
def test_geometric_noise_lies_within_and_one_nearer_does_not(scale, confidence):
    accuracy = dp.geometric_accuracy(scale=scale, confidence=confidence)
    assert isinstance(accuracy, int)
    assert geometric_tails(scale, accuracy) <= (1 - confidence) * (1 + 1e-9)
    assert accuracy == 0 or geometric_tails(scale, accuracy - 1) >= (1 - confidence) * (1 - 1e-9)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("accuracy", [1, 2, 17, 4_000])
def test_the_scale_for_an_accuracy_has_it(accuracy, confidence):
    asked = {"accuracy": accuracy, "confidence": confidence}
    laplace, sigma = dp.laplace_scale_for_accuracy(**asked), dp.gaussian_sigma_for_accuracy(**asked)
    assert dp.laplace_accuracy(scale=laplace, confidence=confidence) == pytest.approx(accuracy, rel=1e-12)
    assert dp.gaussian_accuracy(sigma=sigma, confidence=confidence) == pytest.approx(accuracy, rel=1e-12)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("accuracy", [0, 1, 2, 17, 4_000])
def test_the_largest_geometric_scale_for_an_accuracy(accuracy, confidence):
    scale = dp.geometric_scale_for_accuracy(accuracy=accuracy, confidence=confidence)
    assert dp.geometric_accuracy(scale=scale * (1 - 1e-9), confidence=confidence) <= accuracy
    assert dp.geometric_accuracy(scale=scale * (1 + 1e-9), confidence=confidence) == accuracy + 1


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 1e-9, 1 - 2**-53])
def test_there_and_back_the_geometric_accuracy_is_the_one_asked_for(confidence):
    for accuracy in [*range(1000), 2**53]:
        scale = dp.geometric_scale_for_accuracy(accuracy=accuracy, confidence=confidence)
        assert dp.geometric_accuracy(scale=scale, confidence=confidence) <= accuracy


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 1e-9, 1 - 2**-53])
def test_there_and_back_no_accuracy_is_larger_than_the_one_asked_for(confidence):
    for accuracy in [*range(1, 1000), *np.random.default_rng(6).lognormal(0, 100, 1000)]:
        asked = {"accuracy": accuracy, "confidence": confidence}
        for scale, measured in (
            ({"scale": dp.laplace_scale_for_accuracy(**asked)}, dp.laplace_accuracy),
            ({"sigma": dp.gaussian_sigma_for_accuracy(**asked)}, dp.gaussian_accuracy),
        ):
            assert accuracy * (1 - 1e-15) <= measured(**scale, confidence=confidence) <= accuracy


def test_the_mechanisms_draw_noise_that_far():
    """90% of 10^5 draws: the share is further than 5 deviations of 0.00095 away with probability 6e-7 each."""
    rng, exact = np.random.default_rng(5), np.zeros(100_000, dtype=int)
    scale = dp.laplace_scale(sensitivity=3, epsilon=0.2)
    sigma = dp.gaussian_sigma(sensitivity=3, epsilon=0.2, delta=1e-6)
    laplace = dp.laplace_mechanism(exact, sensitivity=3, epsilon=0.2, rng=rng)
    gaussian = dp.gaussian_mechanism(exact, sensitivity=3, epsilon=0.2, delta=1e-6, rng=rng)
    geometric = dp.geometric_mechanism(exact, sensitivity=3, epsilon=0.2, rng=rng)
    whole = dp.geometric_accuracy(scale=scale, confidence=0.9)
    assert abs(np.mean(np.abs(laplace) <= dp.laplace_accuracy(scale=scale, confidence=0.9)) - 0.9) < 0.00475
    assert abs(np.mean(np.abs(gaussian) <= dp.gaussian_accuracy(sigma=sigma, confidence=0.9)) - 0.9) < 0.00475
    assert abs(np.mean(np.abs(geometric) > whole) - geometric_tails(scale, whole)) < 0.00475


@pytest.mark.parametrize(
    ("scale", "outside", "laplace", "gaussian"),
    [
        (0.5, 0.01, 2.3025850929940455, 1.2879146517744504),
        (2, 0.05, 5.991464547107982, 3.9199279690801077),
        (30, 0.5, 20.79441541679836, 20.234692505882453),
    ],
)
def test_opendp_says_the_same(scale, outside, laplace, gaussian):
    """By OpenDP 0.16: laplacian_scale_to_accuracy and gaussian_scale_to_accuracy."""
    assert dp.laplace_accuracy(scale=scale, confidence=1 - outside) == pytest.approx(laplace, rel=1e-12)
    assert dp.gaussian_accuracy(sigma=scale, confidence=1 - outside) == pytest.approx(gaussian, rel=1e-9)


def test_many_coordinates_at_once_take_the_stated_confidence():
    accuracy = dp.laplace_accuracy(scale=1.0, confidence=1 - 0.05 / 12)
    within = (1 - math.exp(-accuracy)) ** 12
    assert 0.95 <= within < 0.952
