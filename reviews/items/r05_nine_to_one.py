"""Most of the budget for what matters."""

import numpy as np

from reviews.review import Review


def before(ages, epsilon, rng):
    count = len(ages) + rng.laplace(scale=2 / epsilon)
    total = np.clip(ages, 0, 100).sum() + rng.laplace(scale=200 / epsilon)
    return count, total


def after(ages, epsilon, rng):
    for_count, for_total = 0.1 * epsilon, 0.9 * epsilon
    count = len(ages) + rng.laplace(scale=1 / for_count)
    total = np.clip(ages, 0, 100).sum() + rng.laplace(scale=100 / for_total)
    return count, total


REVIEW = Review(
    change="The total matters more, so it gets nine tenths of ε.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row: an age.",
    public="The bounds 0 and 100.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("for_count, for_total = 0.1 * epsilon, 0.9 * epsilon",),
    reason="The prices add up, whatever their shares: 0.1 + 0.9 = 1. Nothing says that they must be equal.",
    kind="composition",
    chapter=4,
    first=True,
    source="the other side of a common mistake",
    data=[100.0],
    neighbour=[],
    event="the total is at least 100",
    happens=lambda output: output[1] >= 100,
    trials=20_000,
)
