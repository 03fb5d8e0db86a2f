"""A sample, quickly."""

import numpy as np

from reviews.review import Review


def before(answers, epsilon, rng):
    in_sample = rng.random(len(answers)) < 0.1
    sample = np.asarray(answers)[in_sample]
    larger = np.log(1 + (np.exp(epsilon) - 1) / 0.1)
    return sample.sum() + rng.laplace(scale=1 / larger)


def after(answers, epsilon, rng):
    sample = np.asarray(answers)[::10]
    larger = np.log(1 + (np.exp(epsilon) - 1) / 0.1)
    return sample.sum() + rng.laplace(scale=1 / larger)


def mended(answers, epsilon, rng):
    sample = np.asarray(answers)[::10]
    return sample.sum() + rng.laplace(scale=1 / epsilon)


REVIEW = Review(
    change="A tenth of the rows in one line.",
    promise="ε = 1, replace-one.",
    unit="A person, who has one row: 1 or 0.",
    public="How many people there are, and in which order they stand.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("sample = np.asarray(answers)[::10]",),
    also=(
        "larger = np.log(1 + (np.exp(epsilon) - 1) / 0.1)",
        "return sample.sum() + rng.laplace(scale=1 / larger)",
    ),
    reason="A sample makes the same noise safer because nobody knows whether you are in it. Here the person in"
    " the first"
    " row always is, and for her the noise is that of ε = 2.9.",
    mending="Noise for the whole ε (or draw the sample at random again).",
    kind="sampling",
    chapter=12,
    source="a common mistake",
    data=[1] + [0] * 9,
    neighbour=[0] + [0] * 9,
    event="the answer is at least 1",
    happens=lambda output: output >= 1,
    trials=20_000,
)
