"""Values between 0 and 1."""

import numpy as np

from reviews.review import Review


def before(values, epsilon, rng):
    values = np.clip(values, 0, 200)
    scale = 200 / epsilon
    return values.sum() + rng.laplace(scale=scale)


def after(values, epsilon, rng, to_unit_interval):
    values = to_unit_interval(values)
    scale = 1 / epsilon
    return values.sum() + rng.laplace(scale=scale)


def by_fixed_bounds(values):
    """A completion that keeps the promise."""
    return np.clip(np.asarray(values) / 200, 0, 1)


def by_the_largest(values):
    """A completion that breaks it."""
    return np.asarray(values) / max(values)


REVIEW = Review(
    change="The common helper brings values into [0, 1], so a sensitivity of 1 is enough.",
    promise="ε = 1, add/remove-one; there is at least one row.",
    unit="A person, who has one row: a number from 0 to 200.",
    public="Nothing about the values. `to_unit_interval` is another team's, and its code isn't in the change: it"
    " returns an array as long as the one it gets, of numbers from 0 to 1.",
    parameters={"epsilon": 1.0},
    verdict="can't be said",
    lines=("values = to_unit_interval(values)",),
    reason="If the helper divides each value by 200, one row moves the sum by at most 1, and the promise holds. If it"
    " divides by the largest value of the table, one row changes all others, and it doesn't. Ask to see it.",
    completions={
        "keeps": ("it divides by 200", {"to_unit_interval": by_fixed_bounds}),
        "breaks": ("it divides by the largest value", {"to_unit_interval": by_the_largest}),
    },
    kind="sensitivity",
    chapter=5,
    first=True,
    source="a common mistake",
    data=[1.0] * 20,
    neighbour=[1.0] * 20 + [200.0],
    event="the answer is above 10",
    happens=lambda output: output > 10,
    trials=2_000,
)
