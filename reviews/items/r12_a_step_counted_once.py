"""The noise of one step."""

import numpy as np

import dp_helpers as dp
from reviews.evidence import first_sigma, gaussian_epsilon
from reviews.review import Review


def before(gradient, steps, epsilon, delta, rng):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    sigma *= np.sqrt(steps)
    weights = np.zeros(2)
    for _ in range(steps):
        noisy = gradient(weights) + rng.normal(scale=sigma, size=2)
        weights = weights - 0.1 * noisy
    return weights


def after(gradient, steps, epsilon, delta, rng):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    weights = np.zeros(2)
    for _ in range(steps):
        noisy = gradient(weights) + rng.normal(scale=sigma, size=2)
        weights = weights - 0.1 * noisy
    return weights


mended = before


def sigma_of(release):
    """The noise of a step; all steps have the same."""
    return first_sigma(lambda rng: release(lambda weights: np.zeros(2), **REVIEW.parameters, rng=rng))


def broken_epsilon():
    """ε at δ = 10⁻⁵ of 25 steps in which one person moves the sum by 1, always in one direction."""
    return gaussian_epsilon(np.sqrt(25) / sigma_of(after), 1e-5)


def sound_epsilon():
    """The same, mended."""
    return gaussian_epsilon(np.sqrt(25) / sigma_of(mended), 1e-5)


REVIEW = Review(
    change="Each step already meets (ε, δ), the factor √steps only hurts the model.",
    promise="ε = 1, δ = 10⁻⁵ for the weights after 25 steps, add/remove-one.",
    unit="A person, who has one row.",
    public="The number of steps, 25. `gradient(weights)` is the sum of the rows' gradients: of each row two"
    " numbers, whose Euclidean norm is at most 1, and nothing else is known of them. All rows are in every step.",
    parameters={"steps": 25, "epsilon": 1.0, "delta": 1e-5},
    delta=1e-5,
    verdict="breaks",
    lines=("noisy = gradient(weights) + rng.normal(scale=sigma, size=2)",),
    also=("for _ in range(steps):", "sigma = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)"),
    reason="`gaussian_sigma` gives the noise for one release, and the weights are made of 25. For the Gaussian"
    " mechanism"
    " 25 times at σ is as one at σ/√25.",
    mending="Multiply σ by √steps.",
    kind="composition",
    chapter=8,
    source="a reviewer's find in a public pull request: ε counted for one step an epoch (KarhouTam/FL-bench, 200)",
    data="no row of gradient (1, 0)",
    neighbour="one row whose gradient always is (1, 0)",
)
