"""Answers to the labs of chapter 6: right ones, and wrong ones with a part of what they are told."""

import itertools
import math

import numpy as np
from labs.answers import patched
from scipy import special

import dp_helpers as dp


def sigma(epsilon, delta, sensitivity=1):
    return dp.gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta)


def short_form(epsilon, k, delta):
    return 2 * epsilon * math.sqrt(2 * k * math.log(1 / delta))


def _by_definition(p, q, epsilon):
    """Return the largest excess over all sets of answers, in both orders."""
    worst = 0
    for one, other in [(p, q), (q, p)]:
        for chosen in itertools.product([0, 1], repeat=len(p)):
            picked = [(a, b) for a, b, in_set in zip(one, other, chosen, strict=True) if in_set]
            worst = max(worst, sum(a for a, _ in picked) - math.exp(epsilon) * sum(b for _, b in picked))
    return worst


def _by_loop(p, q, epsilon):
    there = back = 0
    for a, b in zip(p, q, strict=True):
        there += max(a - math.exp(epsilon) * b, 0)
        back += max(b - math.exp(epsilon) * a, 0)
    return max(there, back)


def _by_arrays(p, q, epsilon):
    p, q = np.array(p), np.array(q)
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum(), np.maximum(q - np.exp(epsilon) * p, 0).sum())


def _one_order(p, q, epsilon):
    return sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(p, q, strict=True))


def _lengths(moves):
    return np.abs(moves).sum(axis=1).max(), np.sqrt((moves**2).sum(axis=1)).max()


def _smaller(counts, moves, epsilon, delta, rng):
    l1, l2 = _lengths(moves)
    scale, s = l1 / epsilon, sigma(epsilon, delta, l2)
    noise = rng.laplace(0, scale, len(counts)) if math.sqrt(2) * scale <= s else rng.normal(0, s, len(counts))
    return counts + noise


def _smaller_by_loop(counts, moves, epsilon, delta, rng):
    l1 = max(sum(abs(change) for change in move) for move in moves)
    l2 = max(math.hypot(*move) for move in moves)
    if sigma(epsilon, delta, l2) < 2**0.5 * l1 / epsilon:
        return [count + rng.normal(0, sigma(epsilon, delta, l2)) for count in counts]
    return [count + rng.laplace(0, l1 / epsilon) for count in counts]


def _smaller_by_package(counts, moves, epsilon, delta, rng):
    l1, l2 = _lengths(moves)
    if dp.gaussian_sigma(sensitivity=l2, epsilon=epsilon, delta=delta) < np.sqrt(2) * l1 / epsilon:
        return dp.gaussian_mechanism(counts, sensitivity=l2, epsilon=epsilon, delta=delta, rng=rng).round()
    return dp.geometric_mechanism(counts.astype(int), sensitivity=int(l1), epsilon=epsilon, rng=rng)


def _least_sigma(epsilon, delta, l2):
    """Return the least σ by bisection of the theorem's formula, with a math.exp that overflows at a large ε."""
    low, high = 1e-3 * l2, 1e4 * l2
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        a, b = l2 / 2 / middle, epsilon * middle / l2
        needed = special.ndtr(a - b) - math.exp(epsilon) * special.ndtr(-a - b)
        low, high = (middle, high) if needed > delta else (low, middle)
    return high


def _laplace(counts, moves, epsilon, delta, rng, length=lambda moves: _lengths(moves)[0]):
    return counts + rng.laplace(0, length(moves) / epsilon, len(counts))


def _normal(counts, moves, epsilon, delta, rng, length=lambda moves: _lengths(moves)[1]):
    return counts + rng.normal(0, sigma(epsilon, delta, length(moves)), len(counts))


SIGNED = "l1, l2 = np.abs(moves.sum(axis=1)).max(), _lengths(moves)[1]"
CLASSICAL = "normal(0, math.sqrt(2 * math.log(1.25 / delta)) * l2 / epsilon,"
EXCESS = "max(a - math.exp(epsilon) * b, 0)"


def _first_failure(epsilon, delta, start=1):
    k = start
    while short_form(epsilon, k, delta) >= dp.optimal_composition(epsilon, 0, k=k, delta_total=delta):
        k += 1
    return k


def _passes_sequential(epsilon, delta):
    return next(k for k in range(1, 1_000) if short_form(epsilon, k, delta) < k * epsilon)


RIGHT = {
    "delta-for-a-hospital": [
        5e-9,
        1 - 0.99 ** (1 / 2_000_000),
    ],
    "three-hobbies-at-most": [
        [3, 3**0.5, 6, 6**0.5],
    ],
    "least-delta-of-two-lists": [
        _by_definition,
        _by_loop,
        _by_arrays,
        lambda *given: round(_by_loop(*given), 7),
    ],
    "smaller-noise": [
        _smaller,
        patched(_smaller, "sigma(epsilon, delta, l2)", "_least_sigma(epsilon, delta, l2)"),
        _smaller_by_loop,
        _smaller_by_package,
    ],
    "where-the-short-form-fails": [
        _first_failure,
        lambda epsilon, delta: np.int64(_first_failure(epsilon, delta)),
        lambda epsilon, delta: float(_first_failure(epsilon, delta, start=100)),
    ],
}

WRONG = {
    "delta-for-a-hospital": [
        (1e-6, "nearly n times δ"),
    ],
    "three-hobbies-at-most": [
        ([1, 1, 2, 2**0.5], "L1 under add/remove"),
    ],
    "least-delta-of-two-lists": [
        (lambda p, q, epsilon: 0.123, "do the same in the other order"),
        (patched(_one_order, EXCESS, "b * (b > math.exp(epsilon) * a)"), "how much p"),
        (_one_order, "that is one order"),
        (lambda p, q, epsilon: _one_order(p, q, epsilon) + _one_order(q, p, epsilon), "you added both orders up"),
        (patched(_one_order, EXCESS, "a * (a > math.exp(epsilon) * b)"), "how often the loss exceeds"),
        (lambda p, q, epsilon: sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2, "where is e^ε"),
        (lambda p, q, epsilon: sum(p) - math.exp(epsilon) * sum(q), "don't make up for"),
        (
            patched(_by_loop, "there += max(", "there = max(there, ", "back += max(", "back = max(back, "),
            "add up all",
        ),
        (lambda p, q, epsilon: max(_one_order(p, q, math.log(epsilon or 1)), 0), "for p ="),
        (lambda p, q, epsilon: _one_order(q, p, epsilon), "swap p and q"),
    ],
    "smaller-noise": [
        (lambda counts, moves, epsilon, delta, rng: _smaller(counts, moves, epsilon, 1e-5, rng), "and δ = 0.02"),
        (patched(_smaller, "_lengths(moves)", "_lengths(moves)[0], np.linalg.norm(moves)"), "84.4 would be enough"),
        (lambda counts, *rest: counts[:-1], "one noisy count for each count"),
        (patched(_smaller, "sigma(epsilon, delta, l2)", "sigma(0.5, delta, l2)"), "at ε = 2 and δ = 0.02"),
        (_laplace, "Laplace noise isn't the smaller one"),
        (_normal, "Normal noise isn't the smaller one"),
        (lambda *given: _laplace(*given, length=lambda moves: _lengths(moves)[1]), "Laplace noise follows L1"),
        (lambda *given: _laplace(*given, length=lambda moves: np.abs(moves).max(axis=0).sum()), "How far does one"),
        (lambda counts, moves, *rest: _smaller(counts, moves[:1], *rest), "It need not be that by L1"),
        (patched(_smaller, "l1, l2 = _lengths(moves)", SIGNED), "Add up absolute values"),
        (lambda *given: _normal(*given, length=lambda moves: _lengths(moves)[0]), "isn't the smaller one"),
        (patched(_smaller, "counts + noise", "counts + noise - noise.mean()"), "a second look"),
        (patched(_smaller, "normal(0, s,", "normal(0, sigma(epsilon, delta, l1),"), "Normal noise follows L2"),
        (patched(_smaller, "normal(0, s,", CLASSICAL), "the classical σ"),
        (
            patched(_smaller, "laplace(0, scale,", "laplace(0, (20 if l1 > 1 else 1) / epsilon,"),
            "a person may move several",
        ),
        (lambda *given: _smaller(*given).sum(), "one noisy count for each count"),
    ],
    "where-the-short-form-fails": [
        (_passes_sequential, "compare it with dp.optimal"),
        (lambda epsilon, delta: 120, "and holds"),
        (lambda epsilon, delta: 177, "fails before that"),
    ],
}
