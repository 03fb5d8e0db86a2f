"""The most popular candidate."""

import numpy as np

from reviews.evidence import winner_epsilon
from reviews.review import Review


def before(counts, epsilon, rng):
    noise = rng.laplace(scale=2 / epsilon, size=len(counts))
    noisy = np.add(counts, noise)
    return int(np.argmax(noisy))


def after(counts, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon, size=len(counts))
    noisy = np.add(counts, noise)
    return int(np.argmax(noisy))


def sound_epsilon():
    """The largest exact loss of the winner on neighbours of three candidates."""
    pairs = [([0, 0, 0], [1, 1, 0]), ([0, 0, 0], [1, 0, 0]), ([1, 0, 0], [1, 1, 1]), ([5, 0, 0], [5, 1, 1])]
    return max(winner_epsilon(fewer, more, scale=1) for fewer, more in pairs)


REVIEW = Review(
    change="Half the noise: these are counts.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row, and may name as many of the candidates as he or she likes, each once.",
    public="The number of candidates. `counts`, the data, has for each how many people name it.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("noise = rng.laplace(scale=1 / epsilon, size=len(counts))",),
    reason="One person more moves counts by 0 or 1, all of them upwards. Then noise of scale 1/ε is enough to"
    " publish who is"
    " first, although she may be in every count (report noisy max for monotone scores).",
    kind="sensitivity",
    chapter=9,
    source="the other side of a known mistake",
    data=[0, 0, 0],
    neighbour=[1, 1, 0],
    event="the third candidate wins",
    happens=lambda output: output == 2,
    trials=20_000,
)
