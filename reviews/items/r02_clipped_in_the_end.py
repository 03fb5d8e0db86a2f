"""Clip once, at the end."""

import numpy as np

from reviews.review import Review


def before(hours, epsilon, rng):
    hours = np.clip(hours, 0, 24)
    total = hours.sum() + rng.laplace(scale=24 / epsilon)
    return total


def after(hours, epsilon, rng):
    total = np.sum(hours) + rng.laplace(scale=24 / epsilon)
    total = np.clip(total, 0, 1_000_000)
    return total


def mended(hours, epsilon, rng):
    hours = np.clip(hours, 0, 24)
    total = hours.sum() + rng.laplace(scale=24 / epsilon)
    total = np.clip(total, 0, 1_000_000)
    return total


def released(hours, epsilon, rng):
    """What is noisy before it is clipped."""
    return before(hours, epsilon, rng)


def post(noisy):
    """What is done to it afterwards."""
    return np.clip(noisy, 0, 1_000_000)


REVIEW = Review(
    change="One clipping of the total instead of one of each value: faster.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row: the hours of a day. The form accepts any number.",
    public="Nothing about the hours.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("total = np.sum(hours) + rng.laplace(scale=24 / epsilon)", "total = np.clip(total, 0, 1_000_000)"),
    reason="Noise of scale 24/ε is enough only if one row moves the sum by at most 24. A row of 5,000 moves it"
    " by 5,000:"
    " clipping what is already noisy comes too late.",
    mending="Clip each value before the sum; the total may be clipped as well.",
    kind="sensitivity",
    chapter=5,
    first=True,
    source="a common mistake",
    data=[8.0, 5_000.0],
    neighbour=[8.0],
    event="the total is above 2,500",
    happens=lambda output: output > 2_500,
    trials=2_000,
)
