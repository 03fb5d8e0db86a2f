"""The winner for half the noise."""

import numpy as np

from reviews.evidence import winner_epsilon
from reviews.review import Review


def before(scores, epsilon, rng):
    noise = rng.laplace(scale=2 / epsilon, size=len(scores))
    noisy = np.add(scores, noise)
    return int(np.argmax(noisy))


def after(scores, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon, size=len(scores))
    noisy = np.add(scores, noise)
    return int(np.argmax(noisy))


mended = before


def sound_epsilon():
    """The exact loss of the winner, mended, on these neighbours."""
    return winner_epsilon([5, 0], [4, 1], scale=2)


REVIEW = Review(
    change="Only the winner is published and no score, so noise for one score is enough.",
    promise="ε = 1, replace-one.",
    unit="A person, who has one row.",
    public="The number of candidates, at least two. `scores` are computed from the rows; a changed row moves each of"
    " them by −1, 0 or 1.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("noise = rng.laplace(scale=1 / epsilon, size=len(scores))",),
    reason="Between two neighbours the first may fall by 1 while all others rise by 1, so the gap moves by 2."
    " Noise of"
    " scale 1/ε is enough only if all scores move in the same direction.",
    mending="Noise of scale 2/ε.",
    kind="sensitivity",
    chapter=9,
    source="a known mistake in report noisy max",
    data=[5, 0],
    neighbour=[4, 1],
    event="the second candidate wins",
    happens=lambda output: output == 1,
    trials=40_000,
)
