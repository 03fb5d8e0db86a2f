"""Answers to the labs of chapter 20: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import optimize

import dp_helpers as dp


def _row(p, q):
    return np.log(p * (1 - q) / ((1 - p) * q))


def _rappor(f, p, q):
    one, zero = (1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p
    return _row(one, zero), _row(1 - f / 2, f / 2)


def _pairs(values, modulus, rng):
    sent = np.array(values)
    for i in range(len(sent)):
        for j in range(i + 1, len(sent)):
            agreed = rng.integers(modulus)
            sent[i] += agreed
            sent[j] -= agreed
    return sent % modulus


def _ring(values, modulus, rng):
    """Return reports with a mask for each pair of neighbours in a ring, as a list."""
    masks = rng.integers(0, modulus, len(values))
    return [int((v + masks[i] - masks[i - 1]) % modulus) for i, v in enumerate(values)]


def _by_matrix(values, modulus, rng):
    agreed = np.triu(rng.integers(modulus, size=(len(values),) * 2), 1)
    return (values + agreed.sum(axis=1) - agreed.sum(axis=0)) % modulus


def _search(n, target, delta, method="numerical"):
    low, high = target, 20.0
    while high - low > 0.005:
        middle = (low + high) / 2
        fits = dp.shuffled_epsilon(epsilon=middle, n=n, delta=delta, method=method) <= target
        low, high = (middle, high) if fits else (low, middle)
    return low


def _steps_reported(steps, most, epsilon, rng):
    root = np.exp(epsilon / 2)
    far = (root + 1) / (root - 1)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    if rng.random() < root / (root + 1):
        y = left + (far - 1) * rng.random()
    else:
        y = -far + (far + 1) * rng.random()
        y += (far - 1) * (y >= left)
    return (y + 1) / 2 * most


def _steps_rejected(steps, most, epsilon, rng):
    """Return the report by drawing until a density is met."""
    far = 1 / np.tanh(epsilon / 4)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    while True:
        y = rng.uniform(-far, far)
        if left <= y <= left + far - 1 or rng.random() < np.exp(-epsilon):
            return (y + 1) / 2 * most


def _last_makes_the_sum(values, modulus, rng):
    sent = rng.integers(modulus, size=len(values) - 1)
    return pd.Series([*sent, (values.sum() - sent.sum()) % modulus])


def _two_groups(values, modulus, rng):
    """Return reports whose masks cancel among the first three people already, where there are enough for two groups."""
    return np.append(*(_pairs(part, modulus, rng) for part in np.split(values, [3 if len(values) > 5 else 0])))


def _by_inversion(steps, most, epsilon, rng):
    far = 1 / np.tanh(epsilon / 4)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    edges = [-far, left, left + far - 1, far]
    chances = np.cumsum([0, *np.diff(edges) * [1, np.exp(epsilon), 1]])
    return np.array([(np.interp(rng.random(), chances / chances[-1], edges) + 1) / 2 * most])


KEPT = {}


def _every_report_twice(steps, most, epsilon, rng):
    if (steps, most) not in KEPT:
        KEPT[steps, most] = _steps_reported(steps, most, epsilon, rng)
        return KEPT[steps, most]
    return KEPT.pop((steps, most))


RIGHT = {
    "two-far-numbers": [
        {"low": -40, "high": 120},
    ],
    "two-stages-two-promises": [
        _rappor,
        lambda f, p, q: [round(x, 3) for x in _rappor(f, p, q)],
    ],
    "masks-that-cancel": [
        _pairs,
        _ring,
        _by_matrix,
        _last_makes_the_sum,
        lambda values, modulus, rng: _pairs(values, modulus, rng).astype(float),
    ],
    "how-loud-a-crowd": [
        lambda n, target, delta: math.floor(100 * _search(n, target, delta)) / 100,
        lambda n, target, delta: optimize.brentq(
            lambda local: dp.shuffled_epsilon(epsilon=local, n=n, delta=delta) - target, target, 15, xtol=0.005) - 0.01,
    ],
    "report-near-the-truth": [
        _steps_reported,
        _steps_rejected,
        _by_inversion,
    ],
}  # fmt: skip

FIRST, SECOND = "in range(len(sent))", "in range(i + 1, len(sent))"
WRONG = {
    "two-stages-two-promises": [
        (lambda f, p, q: 1.0, "give a pair"),
        (lambda f, p, q: _rappor(f, p, q)[::-1], "in the other order"),
        (lambda f, p, q: (_rappor(f, p, q)[0], _rappor(f, p, q)[1] / 2), "in two bits"),
        (lambda f, p, q: (_row(q, p), _rappor(f, p, q)[1]), "forgets the first"),
        (lambda f, p, q: (_rappor(f, p, q)[0], 9.0), "all reports together have"),
        (lambda f, p, q: (9.0, _rappor(f, p, q)[1]), "one report has"),
    ],
    "masks-that-cancel": [
        (patched(_ring, "rng.integers(0, modulus,", "rng.integers(0, max(values) + 1,"), "betray something"),
        (lambda values, modulus, rng: values.sum(), "one number for each person"),
        (lambda values, modulus, rng: values, "nothing is masked"),
        (lambda values, modulus, rng: values + rng.normal(size=len(values)), "whole numbers"),
        (lambda values, modulus, rng: _pairs(values, 10**9, rng), "between 0 and"),
        (lambda values, modulus, rng: (values + rng.integers(modulus, size=len(values))) % modulus, "don't cancel"),
        (lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng()), "same rng gave another"),
        (lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng(1)), "two different ones"),
        (patched(_pairs, "rng.integers(modulus)", "rng.integers(max(10, modulus // 4))"), "masks go up to it"),
        (patched(_pairs, "rng.integers(modulus)", "rng.integers(3)"), "betray something"),
        (patched(_pairs, FIRST, "in (0,)", SECOND, "in (1,)"), "the reports of person 3 betray"),
        (patched(_pairs, FIRST, "in range(0, len(sent) - 1, 2)", SECOND, "in (i + 1,)"), "and person 2 betray"),
        (_two_groups, "person 1 and person 2 and person 3 betray"),
        (patched(_pairs, "rng.integers(modulus)", "rng.integers(1, modulus)"), "betray something"),
        (patched(_pairs, "rng.integers(modulus)", "rng.binomial(modulus, 0.5)"), "betray something"),
        (patched(_pairs, "np.array(values)", "values"), "leave its input as it is"),
    ],
    "how-loud-a-crowd": [
        (lambda n, target, delta: target, "nobody shuffles"),
        (lambda n, target, delta: _search(n, target, delta, "closed form"), "more than the closed form"),
        (lambda n, target, delta: 1.2 * _search(n, target, delta), "is too much"),
        (lambda n, target, delta: _search(n, target, delta) + 0.01, "is too much"),
        (lambda n, target, delta: 0.9 * _search(n, target, delta), "there is room"),
    ],
    "report-near-the-truth": [
        (lambda steps, most, epsilon, rng: float(steps), "same in every run"),
        (lambda steps, *rest: _steps_reported(steps, *rest) if steps else 0, "same in every run"),
        (_every_report_twice, "same rng gave another"),
        (lambda steps, most, epsilon, rng: _steps_reported(steps, most, 1.1 * epsilon, rng), "must be even"),
        (lambda x, m, e, rng: dp.piecewise_mean([x], lower=0, upper=m, epsilon=e, rng=rng), "the rest yourself"),
        (lambda steps, *rest: _steps_reported(0.9 * steps, *rest), "your reports average"),
        (patched(_steps_reported, "(y + 1)", "(np.clip(y, -1, 1) + 1)"), "clipped like this"),
        (lambda steps, most, epsilon, rng: steps + rng.laplace(scale=2 * most / epsilon), "reports lie within"),
        (patched(_steps_reported, "root / (root + 1)", "0.5"), "of your reports"),
        (patched(_steps_reported, "(far - 1) * rng.random()", "(far - 1) * rng.beta(3, 3)"), "must be even"),
    ],
}  # fmt: skip
