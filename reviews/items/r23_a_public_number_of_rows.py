"""A mean over a known number."""

import numpy as np

from reviews.review import Review


def before(grades, epsilon, rng):
    total = np.clip(grades, 0, 100).sum()
    noisy = total + rng.laplace(scale=100 / epsilon)
    return noisy / len(grades)


def after(grades, epsilon, rng):
    n = len(grades)
    mean = np.clip(grades, 0, 100).mean()
    return mean + rng.laplace(scale=100 / (n * epsilon))


REVIEW = Review(
    change="Noise on the mean, and not on the sum.",
    promise="ε = 1, replace-one.",
    unit="A person, who has one row: a grade.",
    public="How many people wrote the test, at least 1. It stands on the door.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("return mean + rng.laplace(scale=100 / (n * epsilon))", "n = len(grades)"),
    reason="A changed row moves the mean by at most 100/n, and n is the same in both tables, and public. It is"
    " the old"
    " release in other words.",
    kind="sensitivity",
    chapter=5,
    source="the other side of a common mistake",
    data=[100.0, 50.0],
    neighbour=[0.0, 50.0],
    event="the mean is at least 75",
    happens=lambda output: output >= 75,
    trials=20_000,
)
