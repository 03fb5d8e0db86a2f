"""Bounds that fit the data."""

import numpy as np

from reviews.review import Review


def before(incomes, epsilon, rng):
    low, high = 0, 100_000
    clipped = np.clip(incomes, low, high)
    scale = max(abs(low), abs(high)) / epsilon
    return clipped.sum() + rng.laplace(scale=scale)


def after(incomes, epsilon, rng):
    low, high = np.min(incomes), np.max(incomes)
    clipped = np.clip(incomes, low, high)
    scale = max(abs(low), abs(high)) / epsilon
    return clipped.sum() + rng.laplace(scale=scale)


mended = before


REVIEW = Review(
    change="Less noise: the bounds no longer waste room that nobody uses.",
    promise="ε = 1, add/remove-one; there is at least one row.",
    unit="A person, who has one row.",
    public="Nothing about the incomes, which may be any numbers.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("low, high = np.min(incomes), np.max(incomes)",),
    also=("scale = max(abs(low), abs(high)) / epsilon",),
    reason="The richest person sets the size of the noise, and the size shows. With her the sum is wide,"
    " without her it is"
    " narrow, so no ε holds.",
    mending="Bounds that are chosen without the data.",
    kind="data-dependent parameter",
    chapter=5,
    first=True,
    source="a common request: bounds without bounds (dp-wizard, issue 586)",
    data=[1.0, 1.0],
    neighbour=[1.0, 1.0, 10_000.0],
    event="the answer lies between −10 and 10",
    happens=lambda output: -10 < output < 10,
    trials=20_000,
)
