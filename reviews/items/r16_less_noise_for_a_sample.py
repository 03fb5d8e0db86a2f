"""A sample, and a larger ε."""

import numpy as np

from reviews.review import Review


def before(answers, epsilon, rng):
    total = np.sum(answers)
    return total + rng.laplace(scale=1 / epsilon)


def after(answers, epsilon, rng):
    in_sample = rng.random(len(answers)) < 0.1
    total = np.sum(np.asarray(answers)[in_sample])
    larger = np.log(1 + (np.exp(epsilon) - 1) / 0.1)
    return 10 * (total + rng.laplace(scale=1 / larger))


def sound_epsilon():
    """The exact loss: with chance 0.1 the new row's 1 is in the sum, and then the answer is at most e^larger"
    " likelier."""
    larger = np.log(1 + (np.exp(1.0) - 1) / 0.1)
    return float(max(np.log(0.9 + 0.1 * np.exp(larger)), -np.log(0.9 + 0.1 * np.exp(-larger))))


REVIEW = Review(
    change="Faster: a tenth of the rows, and noise for an ε of 2.9 instead of 1.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row: 1 or 0.",
    public="The rate 0.1. Nobody learns who is in the sample.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("larger = np.log(1 + (np.exp(epsilon) - 1) / 0.1)",),
    also=("return 10 * (total + rng.laplace(scale=1 / larger))", "in_sample = rng.random(len(answers)) < 0.1"),
    reason="Each row is in the sample by its own coin, unseen, with chance 0.1. Then ε₀ inside is ln(1 +"
    " 0.1·(e^ε₀ − 1))"
    " outside, and that is 1 for this ε₀. Multiplying by 10 is post-processing.",
    kind="sampling",
    chapter=12,
    source="the other side of a common mistake",
    data=[1],
    neighbour=[],
    event="the answer is at least 10",
    happens=lambda output: output >= 10,
    trials=20_000,
)
