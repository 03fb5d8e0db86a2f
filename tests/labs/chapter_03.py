"""Answers to the labs of chapter 3: right ones, and wrong ones with a part of what they are told."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
from labs.answers import inverse, patched

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


def game(epsilon, rounds, rng):
    coin = rng.integers(0, 2, rounds)
    return coin, (coin + rng.laplace(0, 1 / epsilon, rounds) > 0.5).astype(int)


def game_by_rounds(epsilon, rounds, rng):
    coins, guesses = [], []
    for _ in range(rounds):
        coin = rng.random() < 0.5
        coins.append(coin)
        guesses.append(100 + coin + rng.laplace(0, 1 / epsilon) > 100.5)
    return coins, guesses


def game_with_geometric_noise(epsilon, rounds, rng):
    """Whole numbers between which no threshold lies: the attacker wins a little less often, but about as often."""
    coin = rng.choice([0, 1], rounds)
    return pd.Series(coin), pd.Series(dp.laplace_mechanism(coin, sensitivity=1, epsilon=epsilon, rng=rng) >= 0.5)


COIN, NOISE = "rng.integers(0, 2, rounds)", "rng.laplace(0, 1 / epsilon, rounds)"  # of `game`


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


def spiked(scale, rng):
    return rng.laplace(0, scale * (0.3 if rng.random() < 0.2 else 1.15))


def of_4096_steps(scale, rng):
    share = (rng.integers(4096) + 0.5) / 4096
    return scale * np.log(2 * share) if share < 0.5 else -scale * np.log(2 - 2 * share)


def in_turn(scale, rng, kept=[], turn=[0]):  # noqa: B006
    """Noise that comes back after eight calls: default arguments remember it."""
    turn[0] += 1
    while len(kept) < 8:
        kept.append(rng.laplace())
    return scale * kept[turn[0] % 8]


RIGHT = [
    ("3.1", np.log(20) / 10),
    ("3.1", 0.3),
    ("3.2", 0.1548),
    ("3.2", 0.15),
    ("3.3", by_pairs),
    ("3.3", by_arrays),
    ("3.3", by_trying),
    ("3.4", game),
    ("3.4", game_by_rounds),
    ("3.4", game_with_geometric_noise),
    ("3.5", lambda first, second: bool(first - second > 0.5)),
    ("3.5", lambda first, second: round(first - second) == 1),
    ("3.5", lambda first, second: np.isclose(first - second, 1)),
    ("3.5", lambda first, second: first > second),
    ("3.6", lambda data, epsilon, rng: len(data) + rng.laplace(0, 7 / epsilon)),
    ("3.6", lambda data, epsilon, rng: dp.geometric_mechanism(len(data), sensitivity=7, epsilon=epsilon, rng=rng)),
    ("3.6", rounded),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 9.5 / epsilon))),
    ("3.6", clipped_homes),
    ("3.6", lambda data, epsilon, rng: dp.private_count(data, epsilon=epsilon / 7, rng=rng)),
    ("3.6", lambda data, epsilon, rng: abs(len(data) + rng.laplace(0, 7 / epsilon))),
    ("3.6", lambda data, epsilon, rng: max(0.0, len(data) + rng.laplace(0, 9.9 / epsilon))),
    ("3.6", lambda data, epsilon, rng: max(1, round(len(data) + rng.laplace(0, 7 / epsilon)))),
    ("3.6", lambda data, epsilon, rng: Decimal(len(data)) + Decimal(float(rng.laplace(0, 7 / epsilon)))),
    ("3.6", lambda data, epsilon, rng: np.float32(len(data) + rng.laplace(0, 7 / epsilon))),
    ("3.6", seven(inverse)),
    ("3.6", seven(product_of_bells)),
    ("3.6", lambda data, epsilon, rng: round(len(data) + rng.laplace(0, 7 / epsilon), -1)),
    ("3.6", seven(lambda scale, rng: rng.spawn(1)[0].laplace(0, scale))),
    ("3.6", Household(7)),
    ("3.6", partial(lambda people, data, epsilon, rng: data.shape[0] + rng.laplace(scale=people / epsilon), 7)),
]

WRONG = [
    ("3.4", lambda epsilon, rounds, rng: (np.full(rounds, 2), np.ones(rounds)), "use 1 for with you"),
    ("3.1", 1, "has probability e^(-10ε)"),
    ("3.3", lambda p, q: np.log(np.max(p[q > 0] / q[q > 0])), "both ways"),
    ("3.3", lambda p, q: np.abs(np.log(p / q))[(p > 0) & (q > 0)].max(), "occurs in one world only"),
    ("3.3", lambda p, q: np.exp(by_pairs(p, q)), "ε is its logarithm"),
    ("3.3", lambda p, q: np.log2(np.exp(by_pairs(p, q))), "natural logarithm"),
    ("3.3", lambda p, q: np.abs(p - q).max(), "largest difference"),
    ("3.3", lambda p, q: np.abs(np.log(p / q)).mean(), "Which answer has the largest ratio"),
    ("3.3", lambda p, q: np.abs(np.log(p) - np.log(q)).max(), "return nan"),
    ("3.3", lambda p, q: np.log((p / q).min()), "swap the worlds"),
    ("3.3", lambda p, q: max(abs(math.log(a / b)) for a, b in zip(p, q, strict=True)), "raised ValueError"),
    ("3.4", lambda epsilon, rounds, rng: 1 - 0.5 * np.exp(-epsilon / 2), "(choices, guesses)"),
    ("3.4", patched(game, COIN, "np.full(rounds, rng.integers(2))"), "fell once, for all rounds"),
    ("3.4", patched(game, "rng.integers", "np.random.default_rng(4).integers"), "the same coins"),
    ("3.4", patched(game, COIN, "(np.arange(rounds) + rng.integers(2)) % 2"), "coin tells another"),
    ("3.4", patched(game, COIN, "rng.permutation(np.arange(rounds) % 2)"), "as often; a fair one"),
    ("3.4", patched(game, COIN, "(rng.random(rounds) < 0.6).astype(int)"), "a fair one chooses half"),
    ("3.4", patched(game, NOISE, "rng.laplace(0, 1 / epsilon)"), "noise of its own"),
    ("3.4", patched(game, NOISE, "0"), "noise of its own"),
    ("3.4", patched(game, "1 / epsilon", "1 / (1.2 * epsilon)"), "scale or threshold"),
    ("3.4", patched(game, NOISE, "np.kron([1, -1], rng.laplace(0, 1 / epsilon, rounds // 2))"), "draw it afresh"),
    ("3.4", patched(game, "rng.laplace", "np.random.default_rng(0).laplace"), "the same noise"),
    ("3.4", patched(game, "> 0.5", "> 0"), "scale or threshold"),
    ("3.4", lambda epsilon, rounds, rng: game(epsilon, rounds, np.random.default_rng()), "from nothing else"),
    ("3.4", lambda *given: game(*given[:-1], np.random.default_rng(given[-1].integers(1_000))), "from a few seeds"),
    ("3.4", patched(game, "rng.laplace", "np.random.default_rng(rng.integers(1_000)).laplace"), "from a few seeds"),
    ("3.4", patched(game, "rng.integers", "np.random.default_rng(rng.integers(1_000)).integers"), "from a few seeds"),
    ("3.4", lambda epsilon, rounds, rng: game(epsilon, 10, rng), "an array of shape (20000,)"),
    ("3.5", lambda first, second: first - second, "True or False"),
    ("3.5", lambda first, second: first - second == 1, "don't ask for 1 exactly"),
    ("3.5", lambda first, second: round(first) > round(second), "round nothing before"),
    ("3.5", lambda first, second: first - second < 0.5, "the other way round"),
    ("3.5", lambda first, second: first > 50, "What is left of the noise"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 1 / epsilon)), "covers one row"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 7 / (1.2 * epsilon))), "is needed, in every call"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 7)), "at ε = 0.25 your noise is"),
    ("3.6", household(largest_home), "your noise depends on the data"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 49 / epsilon)), "7 would be enough"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 10 / epsilon) * (rng.random() > 0.3)), "more telling"),
    ("3.6", lambda data, epsilon, rng: len(data) and len(data) + rng.laplace(0, 7 / epsilon), "yours is exact"),
    ("3.6", lambda data, epsilon, rng: round(len(data), -1) + rng.laplace(0, 7 / epsilon), "round before the noise"),
    ("3.6", seven(of_4096_steps), "from a short list"),
    ("3.6", seven(in_turn), "the same rng gave another"),
    ("3.6", seven(spiked), "more telling"),
    ("3.6", seven(lambda scale, rng: scale * np.clip(rng.laplace(), -7.5, 7.5)), "has an end, 7.5 times"),
    ("3.6", seven(lambda scale, rng: rng.laplace(0, scale, 2).mean()), "7 is needed"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 7 / epsilon) * (len(data) < 200)), "is exact"),
    ("3.6", household(lambda data, epsilon, rng: rng.laplace(0, 7 ** len(data[:1]) / epsilon)), "depends on the data"),
    ("3.6", lambda data, epsilon, rng: data["Zip"].nunique() + rng.laplace(0, 7 / epsilon), "130 is right"),
]
