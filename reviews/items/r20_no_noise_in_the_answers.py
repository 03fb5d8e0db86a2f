"""An answer to every question."""

import numpy as np

from reviews.evidence import first_above_epsilon
from reviews.review import Review


def before(counts, threshold, epsilon, rng):
    bar = threshold + rng.laplace(scale=2 / epsilon)
    for number, count in enumerate(counts):
        if count + rng.laplace(scale=4 / epsilon) >= bar:
            return number
    return None


def after(counts, threshold, epsilon, rng):
    bar = threshold + rng.laplace(scale=1 / epsilon)
    found = np.zeros(len(counts), dtype=bool)
    for number, count in enumerate(counts):
        found[number] = count >= bar
    return found


mended = before


def sound_epsilon():
    """The exact loss of the first answer above the bar, mended, on these neighbours."""
    return first_above_epsilon([0, 1], [1, 0], bar=2, answer=4, threshold=0)


REVIEW = Review(
    change="All questions get an answer, and the noisy bar hides how large each count is.",
    promise="ε = 1 for all that is returned, replace-one.",
    unit="A person, who has one row. `counts` are made of the rows; a changed row moves each of them by −1, 0 or 1.",
    public="The threshold, and how many counts there are, at least two.",
    parameters={"threshold": 0, "epsilon": 1.0},
    verdict="breaks",
    lines=("found[number] = count >= bar",),
    also=("bar = threshold + rng.laplace(scale=1 / epsilon)",),
    reason="All counts meet the same bar. “No” to one and “yes” to the next proves that the second count is the"
    " larger"
    " one, and no noise is in that.",
    mending="Fresh noise in every answer, and stop at the first yes.",
    kind="composition",
    chapter=10,
    source="Algorithm 5 in the review of Lyu, Su and Li (2017)",
    data=[0, 1],
    neighbour=[1, 0],
    event="no to the first question, yes to the second",
    happens=lambda output: np.array_equal(output, [False, True]),
    trials=4_000,
)
