"""The server's generator."""

import numpy as np

from reviews.review import Review


def before(members, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon)
    return len(members) + noise


def after(members, epsilon, rng, generator_for):
    rng = generator_for("count of members")
    noise = rng.laplace(scale=1 / epsilon)
    return len(members) + noise


KNOWN = np.random.default_rng(1).laplace(scale=1.0)
FRESH = np.random.default_rng()

REVIEW = Review(
    change="All services take their generators from one place.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row.",
    public="The code, with that of `generator_for`, which isn't in the change. It gets a service's name, and returns a"
    " NumPy generator.",
    parameters={"epsilon": 1.0},
    verdict="can't be said",
    lines=('rng = generator_for("count of members")',),
    reason="If it makes each generator from fresh entropy of the system, nobody can predict the noise. If it"
    " makes the seed"
    " from the service's name, so that tests can be repeated, anybody can. Ask to see it.",
    completions={
        "keeps": ("fresh entropy", {"generator_for": lambda name: FRESH}),
        "breaks": ("a seed from the name", {"generator_for": lambda name: np.random.default_rng(1)}),
    },
    kind="randomness",
    chapter=16,
    source="a common gap",
    data=["Ada", "Bob"],
    neighbour=["Bob"],
    event="the answer less the noise of the known seed is 2",
    happens=lambda output: abs(output - KNOWN - 2) < 1e-6,
    trials=400,
)
