"""Answers to the labs of chapter 18: right ones, and wrong ones with a part of what they are told."""

import itertools
import math
from fractions import Fraction
from functools import reduce

import numpy as np
from scipy import stats


def by_outcomes(p, q, k, epsilon):
    total = 0
    for runs in itertools.product(range(len(p)), repeat=k):
        a, b = math.prod(p[i] for i in runs), math.prod(q[i] for i in runs)
        total += max(a - math.exp(epsilon) * b, 0)
    return total


def by_losses(p, q, k, epsilon):
    runs = [(0.0, 1.0)]
    for _ in range(k):
        runs = [(loss + math.log(a / b), chance * a) for loss, chance in runs for a, b in zip(p, q, strict=True)]
    return round(sum(chance * (1 - math.exp(epsilon - loss)) for loss, chance in runs if loss > epsilon), 6)


def single(p, q, k, epsilon):
    return by_outcomes(p, q, 1, epsilon)


def how_often(p, q, k, epsilon):
    outcomes = itertools.product(zip(p, q, strict=True), repeat=k)
    chances = [[math.prod(side) for side in zip(*runs, strict=True)] for runs in outcomes]
    return sum(a for a, b in chances if a > math.exp(epsilon) * b)


def by_kron(p, q, k, epsilon):
    a, b = (reduce(np.kron, [np.array(side)] * k) for side in (p, q))
    return np.maximum(a - np.exp(epsilon) * b, 0).sum()


def by_numbers_of_answers(p, q, k, epsilon):
    """Return the sum over how often each answer came, in fractions."""
    total = Fraction(0)
    for times in itertools.product(range(k + 1), repeat=len(p)):
        if sum(times) == k:
            ways = math.factorial(k) // math.prod(map(math.factorial, times))
            a, b = (math.prod(Fraction(x) ** n for x, n in zip(side, times, strict=True)) for side in (p, q))
            total += ways * max(a - Fraction(math.exp(epsilon)) * b, 0)
    return total


def unordered(p, q, k, epsilon):
    rows = itertools.combinations_with_replacement(zip(p, q, strict=True), k)
    chances = [[math.prod(side) for side in zip(*row, strict=True)] for row in rows]
    return sum(max(a - math.exp(epsilon) * b, 0) for a, b in chances)


RIGHT = {
    "careful-guesser": [
        stats.norm.cdf(stats.norm.isf(0.1) - 0.5),
    ],
    "bound-by-hand": [
        {"down": 0, "exact": 0.1424, "up": 0.281},
    ],
    "accountant-of-your-own": [
        by_outcomes,
        by_losses,
        by_kron,
        by_numbers_of_answers,
    ],
}
WRONG = {
    "accountant-of-your-own": [
        (single, "a single run"),
        (lambda p, q, k, e: k * single(p, q, 1, e), "times k"),
        (lambda p, q, k, e: by_outcomes(q, p, k, e), "the other order"),
        (lambda p, q, k, e: by_outcomes(p, q, k, k * e), "for all of them together"),
        (lambda p, q, k, e: k * single(p, q, 1, e / k), "splits ε evenly"),
        (lambda p, q, k, e: 0.123, "Several ways may lead"),
        (unordered, "Several ways may lead"),
        (lambda p, q, k, e: max(by_outcomes(p, q, k, e), by_outcomes(q, p, k, e)), "the other order"),
        (lambda p, q, k, e: 1 - (1 - single(p, q, 1, e)) ** k, "Several ways may lead"),
        (how_often, "how often the loss exceeds"),
    ],
}
