"""Results that can be repeated."""

import numpy as np

from reviews.review import Review


def before(members, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon)
    return len(members) + noise


def after(members, epsilon, rng=None):
    rng = np.random.default_rng(20_261_128)
    noise = rng.laplace(scale=1 / epsilon)
    return len(members) + noise


mended = before


NOISE = np.random.default_rng(20_261_128).laplace(scale=1.0)

REVIEW = Review(
    change="The report of a year can be made again, with the same numbers.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row.",
    public="The code.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("rng = np.random.default_rng(20_261_128)",),
    reason="Who knows the code draws the same noise and subtracts it. Noise is worth something as long as nobody can"
    " predict it.",
    mending="Randomness that is drawn anew, from a generator nobody can predict.",
    kind="randomness",
    chapter=16,
    source="a common mistake",
    data=["Ada", "Bob"],
    neighbour=["Bob"],
    event="the answer less the noise that everybody can draw is 2",
    happens=lambda output: abs(output - NOISE - 2) < 1e-6,
    trials=400,
)
