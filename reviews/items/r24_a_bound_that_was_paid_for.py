"""A bound for this table."""

import numpy as np

from reviews.review import Review


def before(euros, epsilon, rng):
    bound = 1_000
    total = np.clip(euros, 0, bound).sum()
    return bound, total + rng.laplace(scale=bound / epsilon)


def after(euros, epsilon, rng):
    above = np.sum(np.asarray(euros) > 100) + rng.laplace(scale=2 / epsilon)
    bound = 1_000 if above > 20 else 100
    total = np.clip(euros, 0, bound).sum()
    return bound, total + rng.laplace(scale=2 * bound / epsilon)


def sound_epsilon():
    """The noisy count costs 1/2, and for each bound that it may choose the sum costs at most 1/2."""
    moves = {bound: max(np.clip(euros, 0, bound) for euros in (0, 50, 100, 500, 5_000)) for bound in (100, 1_000)}
    return 1 / 2 + max(move / (2 * bound) for bound, move in moves.items())


REVIEW = Review(
    change="Mostly 100 is enough, so the program looks whether many are above it.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row: an amount.",
    public="The numbers 20, 100 and 1,000, which were chosen without the data.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("bound = 1_000 if above > 20 else 100",),
    also=(
        "above = np.sum(np.asarray(euros) > 100) + rng.laplace(scale=2 / epsilon)",
        "return bound, total + rng.laplace(scale=2 * bound / epsilon)",
    ),
    reason="The bound depends on the data, but only through a noisy count that was paid with half of ε. For"
    " either bound the"
    " sum costs the other half. The second step may use what the first one published.",
    kind="data-dependent parameter",
    chapter=5,
    source="the other side of a common mistake",
    data=[1_000.0] * 21,
    neighbour=[1_000.0] * 20,
    event="the bound is 1,000",
    happens=lambda output: output[0] == 1_000,
    trials=20_000,
)
