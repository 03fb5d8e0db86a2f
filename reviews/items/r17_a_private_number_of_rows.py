"""A mean in one line."""

import numpy as np

from reviews.review import Review


def before(scores, epsilon, rng):
    total = np.clip(scores, 0, 1).sum() + rng.laplace(scale=2 / epsilon)
    count = len(scores) + rng.laplace(scale=2 / epsilon)
    return total / max(count, 1)


def after(scores, epsilon, rng):
    n = len(scores)
    mean = np.clip(scores, 0, 1).mean()
    return mean + rng.laplace(scale=1 / (n * epsilon))


mended = before


def released(scores, epsilon, rng):
    """Both noisy numbers."""
    return np.clip(scores, 0, 1).sum() + rng.laplace(scale=2 / epsilon), len(scores) + rng.laplace(scale=2 / epsilon)


def post(noisy):
    """What is made of them."""
    return noisy[0] / max(noisy[1], 1)


REVIEW = Review(
    change="One noise instead of two, on the mean.",
    promise="ε = 1, add/remove-one; there is at least one row.",
    unit="A person, who has one row: a score.",
    public="The bounds 0 and 1.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("return mean + rng.laplace(scale=1 / (n * epsilon))",),
    also=("n = len(scores)",),
    reason="A row does move the mean by at most 1/n. But under add/remove-one n isn't public, and here it sets the"
    " noise: two tables that are neighbours have noises of different size. Far out, one answer is as many times"
    " likelier as you like.",
    mending="A noisy sum by a noisy count, half of ε each.",
    kind="data-dependent parameter",
    chapter=5,
    source="a common mistake",
    data=[1.0],
    neighbour=[1.0, 0.0],
    event="the answer is above 4",
    happens=lambda output: output > 4,
    trials=40_000,
)
