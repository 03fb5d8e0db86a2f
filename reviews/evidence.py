"""Losses that are computed and not sampled: of added noise, of a noisy winner, of the first answer above a bar."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd


class NoNoise:
    """Stands for a generator; it draws 0 and writes down the scales of Laplace and the deviations of normal noise."""

    def __init__(self):
        self.scales, self.deviations = [], []

    def laplace(self, scale, size=None):
        """Return zeros where Laplace noise would be."""
        self.scales += np.broadcast_to(scale, size if size is not None else ()).ravel().tolist()
        return np.zeros(size) if size is not None else 0.0

    def normal(self, scale, size=None):
        """Return zeros where normal noise would be."""
        self.deviations.append(float(scale))
        return np.zeros(size) if size is not None else 0.0


def first_sigma(release: Callable) -> float:
    """Return the deviation of the first normal noise that ``release(rng)`` draws."""
    rng = NoNoise()
    release(rng)
    return rng.deviations[0]


def additive_loss(release: Callable, data, neighbour) -> float:
    """Return the exact ε, on two tables, of a release that adds independent Laplace noise to each of its numbers.

    It is the sum of how far each number moves, by its scale: the supremum over outputs of the log ratio of densities.

    Raises
    ------
    ValueError
        If the scales differ between the tables, or not every number has its noise: then no such sum is the loss.
    """
    answers, scales = [], []
    for table in (data, neighbour):
        rng = NoNoise()
        answers.append(flat(release(table, rng)))
        scales.append(rng.scales)
    if rng.deviations or scales[0] != scales[1] or len(scales[0]) != len(answers[0]):
        raise ValueError(f"release must add noise of the same scales to each number, got {scales}")
    return sum(abs(a - b) / scale for a, b, scale in zip(*answers, scales[0], strict=True))


def flat(output) -> list[float]:
    """Return the numbers of an output in a list."""
    if isinstance(output, (Mapping, pd.Series)):
        output = [output[name] for name in sorted(output.keys())]
    return np.ravel(output).astype(float).tolist()


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the exact δ of Gaussian noise where a person moves the mean by ``mu`` deviations (Balle & Wang 2018).

    It shares no code with the package, by which the changes choose their noise.
    """

    def below(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    return below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the ε that belongs to ``delta``, from below, to ten digits."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(mu, middle) > delta else (low, middle)
    return low


def winner_epsilon(data, neighbour, *, scale: float) -> float:
    """Return the largest log ratio of a candidate's chances to win, with Laplace noise of this scale on each score."""
    return largest_ratio(*(_chances_to_win(np.asarray(scores, float), scale) for scores in (data, neighbour)))


def first_above_epsilon(data, neighbour, *, bar: float, answer: float, threshold: float) -> float:
    """Return the largest log ratio of which answer is the first above a bar, or none; Laplace noise of these scales."""
    return largest_ratio(*(_chances_to_be_first(scores, bar, answer, threshold) for scores in (data, neighbour)))


def largest_ratio(chances, others) -> float:
    """Return the largest log ratio of two distributions over the same few outputs."""
    return float(np.abs(np.log(chances) - np.log(others)).max())


GRID = np.linspace(-120, 120, 480_001)  # kinks of the densities are on it; the tails are below 1e-10


def _chances_to_win(scores, scale):
    below = [_laplace_below((GRID - score) / scale) for score in scores]
    chances = []
    for i, score in enumerate(scores):
        density = np.exp(-np.abs(GRID - score) / scale) / (2 * scale)
        others = np.prod([share for j, share in enumerate(below) if j != i], axis=0)
        chances.append(np.trapezoid(density * others, GRID))
    return np.array(chances)


def _chances_to_be_first(scores, bar, answer, threshold):
    density = np.exp(-np.abs(GRID - threshold) / bar) / (2 * bar)
    none_yet, chances = np.ones_like(GRID), []
    for score in scores:
        below = _laplace_below((GRID - score) / answer)
        chances.append(np.trapezoid(density * none_yet * (1 - below), GRID))
        none_yet = none_yet * below
    return np.array([*chances, np.trapezoid(density * none_yet, GRID)])


def _laplace_below(x):
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)
