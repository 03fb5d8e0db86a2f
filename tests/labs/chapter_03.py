"""Answers to the labs of chapter 3: right ones, and wrong ones with a part of what they are told."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from labs.answers import inverse

import dp_helpers as dp


def by_pairs(p, q):
    largest = 0
    for a, b in zip(p, q, strict=True):
        if a == 0 and b == 0:
            continue
        if a == 0 or b == 0:
            return float("inf")
        largest = max(largest, np.log(a / b), np.log(b / a))
    return largest


def by_arrays(p, q):
    occurs = (p > 0) | (q > 0)
    with np.errstate(divide="ignore"):
        return np.abs(np.log(p[occurs]) - np.log(q[occurs])).max()


def by_trying(p, q):
    for epsilon in np.arange(0, 5, 0.0005):
        if (p <= np.exp(epsilon) * q + 1e-12).all() and (q <= np.exp(epsilon) * p + 1e-12).all():
            return epsilon
    return np.inf


def rounded(data, epsilon, rng):
    return max(0, round(len(data) + rng.laplace(0, 7 / epsilon)))


def household(noise):
    return lambda data, epsilon, rng: len(data) + noise(data, epsilon, rng)


def clipped_homes(data, epsilon, rng):
    rows = sum(min(people, 7) for people in Counter(data["Zip"]).values())
    return rows + rng.exponential(7 / epsilon) - rng.exponential(7 / epsilon)


def largest_home(data, epsilon, rng):
    return rng.laplace(0, data["Zip"].value_counts().max() / epsilon)


def product_of_bells(scale, rng):
    a, b, c, d = rng.standard_normal(4)
    return scale * (a * b + c * d)


class Household:
    def __init__(self, people):
        self.people = people

    def __call__(self, data, epsilon, rng):
        return Fraction(len(data)) + Fraction(rng.exponential(self.people / epsilon) * rng.choice([-1, 1]))


def seven(noise):
    return household(lambda data, epsilon, rng: noise(7 / epsilon, rng))


def redrawn(data, epsilon, rng):
    while (noisy := len(data) + rng.laplace(0, 7 / epsilon)) < 0:
        pass
    return noisy


def in_turn(scale, rng, kept=[], turn=[0]):  # noqa: B006
    """Noise that comes back after eight calls: default arguments remember it."""
    turn[0] += 1
    while len(kept) < 8:
        kept.append(rng.laplace())
    return scale * kept[turn[0] % 8]


RIGHT = {
    "error-you-can-live-with": [
        np.log(20) / 10,
        0.3,
    ],
    "suspicion": [
        0.1548,
        0.15,
    ],
    "which-epsilon": [
        by_pairs,
        by_arrays,
        by_trying,
    ],
    "one-noise-for-two-answers": [
        lambda first, second: bool(first - second > 0.5),
        lambda first, second: round(first - second) == 1,
        lambda first, second: np.isclose(first - second, 1),
        lambda first, second: first > second,
    ],
    "protect-the-household": [
        lambda data, epsilon, rng: len(data) + rng.laplace(0, 7 / epsilon),
        lambda data, epsilon, rng: dp.geometric_mechanism(len(data), sensitivity=7, epsilon=epsilon, rng=rng),
        rounded,
        household(lambda data, epsilon, rng: rng.laplace(0, 9.5 / epsilon)),
        clipped_homes,
        lambda data, epsilon, rng: dp.private_count(data, epsilon=epsilon / 7, rng=rng),
        lambda data, epsilon, rng: int(len(data) + rng.laplace(0, 7 / epsilon)),
        household(lambda data, epsilon, rng: int(np.floor(rng.laplace(0, 7 / epsilon)))),
        lambda data, epsilon, rng: abs(len(data) + rng.laplace(0, 7 / epsilon)),
        lambda data, epsilon, rng: max(0.0, len(data) + rng.laplace(0, 9.9 / epsilon)),
        lambda data, epsilon, rng: max(1, round(len(data) + rng.laplace(0, 7 / epsilon))),
        lambda data, epsilon, rng: Decimal(len(data)) + Decimal(float(rng.laplace(0, 7 / epsilon))),
        lambda data, epsilon, rng: np.float32(len(data) + rng.laplace(0, 7 / epsilon)),
        seven(inverse),
        seven(product_of_bells),
        lambda data, epsilon, rng: round(len(data) + rng.laplace(0, 7 / epsilon), -1),
        seven(lambda scale, rng: rng.spawn(1)[0].laplace(0, scale)),
        Household(7),
        partial(lambda people, data, epsilon, rng: data.shape[0] + rng.laplace(scale=people / epsilon), 7),
    ],
}

WRONG = {
    "error-you-can-live-with": [
        (1, "has probability e^(-10ε)"),
    ],
    "which-epsilon": [
        (lambda p, q: np.log(np.max(p[q > 0] / q[q > 0])), "both ways"),
        (lambda p, q: np.abs(np.log(p / q))[(p > 0) & (q > 0)].max(), "occurs in one world only"),
        (lambda p, q: np.exp(by_pairs(p, q)), "ε is its logarithm"),
        (lambda p, q: np.log2(np.exp(by_pairs(p, q))), "natural logarithm"),
        (lambda p, q: np.abs(p - q).max(), "largest difference"),
        (lambda p, q: np.abs(np.log(p / q)).mean(), "Which answer has the largest ratio"),
        (lambda p, q: np.abs(np.log(p) - np.log(q)).max(), "return nan"),
        (lambda p, q: np.log((p / q).min()), "swap the worlds"),
        (lambda p, q: max(abs(math.log(a / b)) for a, b in zip(p, q, strict=True)), "raised ValueError"),
    ],
    "one-noise-for-two-answers": [
        (lambda first, second: first - second, "True or False"),
        (lambda first, second: first - second == 1, "don't ask for 1 exactly"),
        (lambda first, second: round(first) > round(second), "round nothing before"),
        (lambda first, second: first - second < 0.5, "the other way round"),
        (lambda first, second: first > 50, "What is left of the noise"),
    ],
    "protect-the-household": [
        (household(lambda data, epsilon, rng: rng.laplace(0, 1 / epsilon)), "covers one row"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 7 / (1.2 * epsilon))), "is needed, in every call"),
        (household(lambda data, epsilon, rng: int(rng.laplace(0, 7 / epsilon))), "int() cuts both its sides"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 1 / np.expm1(epsilon / 7))), "at ε = 2 your noise is"),
        (household(lambda data, epsilon, rng: rng.laplace(0, (7 if epsilon < 0.2 else 1) / epsilon)), "covers one row"),
        (seven(lambda scale, rng: np.subtract(*rng.geometric(1 / scale, 2))), "at ε = 2 your noise is"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 7)), "at ε = 2 your noise is"),
        (household(largest_home), "140 is needed"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 49 / epsilon)), "70 would be enough"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 10 / epsilon) * (rng.random() > 0.3)), "more telling"),
        (redrawn, "noise that is redrawn"),
        (lambda data, epsilon, rng: len(data) and len(data) + rng.laplace(0, 7 / epsilon), "yours is exact"),
        (lambda data, epsilon, rng: round(len(data), -1) + rng.laplace(0, 7 / epsilon), "round at the end"),
        (seven(in_turn), "the same rng gave another"),
        (seven(lambda scale, rng: scale * np.clip(rng.laplace(), -4, 4)), "has an end, 4"),
        (seven(lambda scale, rng: rng.normal(0, 1.3 * scale)), "thin tails"),
        (household(lambda data, epsilon, rng: abs(rng.laplace(0, 7 / epsilon))), "both sides alike"),
        (seven(lambda scale, rng: rng.laplace(0, scale, 2).mean()), "70 is needed"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 7 / epsilon) * (len(data) < 200)), "is exact"),
        (household(lambda data, epsilon, rng: rng.laplace(0, 7 ** len(data[:1]) / epsilon)), "depends on the data"),
        (lambda data, epsilon, rng: data["Zip"].nunique() + rng.laplace(0, 7 / epsilon), "and 825 is right"),
    ],
}
