"""The well-known σ."""

import numpy as np

import dp_helpers as dp
from reviews.evidence import first_sigma, gaussian_epsilon
from reviews.review import Review


def before(values, epsilon, delta, rng):
    total = np.clip(values, 0, 1).sum()
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    return total + rng.normal(scale=sigma)


def after(values, epsilon, delta, rng):
    total = np.clip(values, 0, 1).sum()
    sigma = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return total + rng.normal(scale=sigma)


mended = before


def sigma_of(release):
    """The noise that a release draws."""
    return first_sigma(lambda rng: release([1.0], **REVIEW.parameters, rng=rng))


def broken_epsilon():
    """ε at this δ, where a row moves the sum by 1."""
    return gaussian_epsilon(1 / sigma_of(after), REVIEW.delta)


def sound_epsilon():
    """The same, mended."""
    return gaussian_epsilon(1 / sigma_of(mended), REVIEW.delta)


REVIEW = Review(
    change="No dependency: the formula that stands in every paper.",
    promise="ε = 20, δ = 10⁻⁵, add/remove-one.",
    unit="A person, who has one row.",
    public="The bounds 0 and 1.",
    parameters={"epsilon": 20.0, "delta": 1e-5},
    delta=1e-5,
    verdict="breaks",
    lines=("sigma = np.sqrt(2 * np.log(1.25 / delta)) / epsilon",),
    reason="√(2 ln(1.25/δ))/ε is proven for ε up to 1. For a large ε it gives too little noise, and at ε = 20"
    " the promise"
    " is broken.",
    mending="The σ that is computed from the exact δ.",
    kind="sensitivity",
    chapter=6,
    source="the classical formula in a public pull request (londonaicentre/FLIP, 1146)",
    data="no row",
    neighbour="one row of 1",
)
