"""Answers to the labs of chapter 7: right ones, and wrong ones with a part of what they are told."""

import hashlib
import math
import random
import zlib
from functools import partial

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp


def sensitivity_of_median(values, k, lower, upper):
    """Return A(k) of the median, by its definition in words."""
    x = sorted(values)
    m = (len(x) + 1) // 2
    padded = [lower] * (k + 1) + list(x) + [upper] * (k + 1)
    at = m + k  # of the median, from 0
    return max(padded[at + t] - padded[at + t - k - 1] for t in range(k + 2))


def ptr_median(
    values, lower, upper, bound, epsilon, delta, rng, *,
    clips=True, lowest=None, test=0.5, release=0.5, threshold=None, extra=0, infinite=True, statistic=np.median,
):  # fmt: skip
    """Propose-test-release of a median, with each of its mistakes on request."""
    x = [min(max(v, lower if lowest is None else lowest), upper) for v in values] if clips else list(values)
    distance = 0
    while distance <= len(x) and sensitivity_of_median(x, distance, lower, upper) <= bound:
        distance += 1
    if infinite and distance > len(x):
        distance = math.inf
    needed = (math.log(1 / (2 * delta)) if threshold is None else threshold(delta)) / (test * epsilon)
    if distance + extra + rng.laplace(0, 1 / (test * epsilon)) < needed:
        return None
    return statistic(x) + rng.laplace(0, bound / (release * epsilon))


def variant(**mistakes):
    def ptr(values, lower, upper, bound, epsilon, delta, rng):
        return ptr_median(values, lower, upper, bound, epsilon, delta, rng, **mistakes)

    return ptr


def by_the_list(values, lower, upper, bound, epsilon, delta, rng):
    """Return another right answer: the distance from all pairs of places, the textbook's threshold, float64."""
    x = np.concatenate([[lower], np.sort(np.clip(values, lower, upper)), [upper]])
    n, m = len(values), (len(values) + 1) // 2
    steps = [j - i - 1 for i in range(m + 1) for j in range(m, n + 2) if j > i and x[j] - x[i] > bound]
    noisy = min(steps, default=math.inf) + rng.exponential(2 / epsilon) - rng.exponential(2 / epsilon)
    if noisy >= 2 * math.log(1 / delta) / epsilon:
        return x[m] + np.float64(rng.laplace(scale=2 * bound / epsilon))


def one_draw(values, lower, upper, bound, epsilon, delta, rng):
    """Use the noise of the test again."""
    x, z = np.clip(values, lower, upper), rng.laplace(0, 2 / epsilon)
    ks = (k for k in range(len(x) + 1) if sensitivity_of_median(x, k, lower, upper) > bound)
    if next(ks, math.inf) + z < 2 * math.log(1 / (2 * delta)) / epsilon:
        return None
    return np.median(x) + bound * z


def released_within_the_bounds(values, lower, upper, *given):
    while (result := ptr_median(values, lower, upper, *given)) is not None and not lower <= result <= upper:
        pass
    return result


def cut_to_the_bounds(values, lower, upper, *given):
    result = ptr_median(values, lower, upper, *given)
    return None if result is None else np.clip(result, lower, upper)


def other_coins_for_the_test(*given):
    *arguments, _ = given
    return (
        None if ptr_median(*arguments, np.random.default_rng()) is None else ptr_median(*arguments[:5], 0.49, given[-1])
    )


def endless(values, lower, upper, bound, epsilon, delta, rng):
    k = 0
    while sensitivity_of_median(np.clip(values, lower, upper), min(k, len(values)), lower, upper) <= bound:
        k += 1
    return ptr_median(values, lower, upper, bound, epsilon, delta, rng)


def too_long_a_list(values, lower, upper, bound, epsilon, delta, rng):
    ks = [k for k in range(len(values) + 1) if sensitivity_of_median(values, k, lower, upper) > bound]
    return np.median(values) + ks[0]


def of_the_mean(values, lower, upper, bound, epsilon, delta, rng):
    """Return what the page's own function for a mean does."""
    setting = {"lower": lower, "upper": upper, "bound": bound, "epsilon": epsilon, "delta": delta}
    return dp.propose_test_release_mean(values, **setting, rng=rng)


def by_hash(names, chunks):
    return [int(hashlib.sha256(name.encode()).hexdigest(), 16) % chunks for name in names]


def elsewhere(name):
    return hash(name)


def by_own_generator(names, chunks):
    return np.array([random.Random(name).randrange(chunks) for name in names])


def by_order(names, chunks):
    rng = np.random.default_rng(1)
    return rng.integers(chunks, size=len(names))


RIGHT = {
    "who-moves-the-mean": [
        15,
    ],
    "attack-the-club": [
        lambda answer: abs(answer - 20) > 4,
        lambda answer: not 17 <= answer <= 23,
        lambda answer: abs(answer - 20) > 7,
        lambda answer: abs(answer - 20) > 15,
        lambda answer: np.abs(np.array([answer]) - 20)[0] > 3.5,
    ],
    "test-and-release-a-median": [
        ptr_median,
        by_the_list,
        cut_to_the_bounds,
        partial(ptr_median),
        variant(threshold=lambda delta: math.log(2 / delta)),
        variant(statistic=lambda x: sorted(x)[len(x) // 2]),
    ],
    "chunk-of-ones-own": [
        by_hash,
        lambda names, chunks: np.array([zlib.crc32(name.encode()) % chunks for name in names]),
        by_own_generator,
        lambda names, chunks: [hash(tuple(name.encode())) % chunks for name in names],
        lambda names, chunks: pd.Series(names).map(lambda name: by_hash([name], chunks)[0]),
        lambda names, chunks: [hashlib.md5(name.encode()).digest()[0] * 7 % chunks for name in names],
    ],
}  # fmt: skip

WRONG = {
    "who-moves-the-mean": [
        (3, "again without each person"),
    ],
    "attack-the-club": [
        (lambda answer: answer, "True or False"),
        (lambda answer: abs(answer - 20) <= 4, "mixed up"),
        (lambda answer: answer > 24, "both sides of 20"),
        (lambda answer: abs(answer - 20) > 0.5, "the size of the noise"),
        (lambda answer: abs(answer - 20) > 20, "more than 90%"),
        (lambda answer: answer != 20, "always wrong"),
    ],
    "test-and-release-a-median": [
        (patched(ptr_median, "rng.laplace(0, bound", "(distance < math.inf) * rng.laplace(0, bound"), "is exact"),
        (lambda *given: next((r for r in [ptr_median(*given) for _ in range(2)] if r), None), "more often than δ"),
        (of_the_mean, "that releases the mean"),
        (variant(statistic=np.mean), "that releases the mean"),
        (variant(clips=False), "you are far off"),
        (variant(infinite=False, extra=-5), "yours returned None"),
        (endless, "finds no end"),
        (too_long_a_list, "no A(k) is ever larger"),
        (lambda *args: np.ones(3), "give a number"),
        (variant(release=1), "You spend all of ε on the release"),
        (variant(release=0.25), "Half of ε is for it"),
        (one_draw, "share a draw"),
        (patched(one_draw, "math.inf) + z", "math.inf)"), "look at its noise"),
        (variant(threshold=lambda delta: math.log(1 / (2 * delta)) / 2), "Check the threshold"),
        (variant(threshold=lambda delta: math.log(500)), "Check the threshold: its δ"),
        (variant(threshold=lambda delta: 2 * math.log(1 / (2 * delta))), "says no too often"),
        (patched(ptr_median, "bound / (release * epsilon)", "(2 * bound / epsilon) ** 2"), "would be enough"),
        (patched(ptr_median, "bound / (release * epsilon)", "(2 * bound / epsilon) ** 0.5"), "in size"),
        (patched(ptr_median, "1 / (test * epsilon)", "(2 / epsilon) ** 2"), "Check the threshold"),
        (patched(ptr_median, "    needed = (", "    epsilon = epsilon**2 / 2\n    needed = (", "release * epsilon",
                 "release * (2 * epsilon) ** 0.5"), "allowed. Check the threshold"),
        (variant(extra=1), "your distance is too large"),
        (variant(test=1), "allowed. Check the threshold"),
        (variant(extra=-1), "it says no"),
        (variant(lowest=-math.inf), "you are far off"),
        (lambda *given: (lambda result: math.nan if result is None else result)(ptr_median(*given)), "returned nan"),
        (other_coins_for_the_test, "from nothing else"),
        (released_within_the_bounds, "noise that is redrawn"),
    ],
    "chunk-of-ones-own": [
        (lambda names, chunks: by_hash(names, chunks if names[0] != "Dan 499" else 3), "in another order"),
        (lambda names, chunks: [hash(name) % chunks for name in names], "in every session"),
        (lambda names, chunks: [elsewhere(name) % chunks for name in names], "in every session"),
        (lambda names, chunks: [name.__hash__() % chunks for name in names], "in every session"),
        (lambda names, chunks: np.arange(len(names)) * chunks // len(names), "changed their chunk"),
        (by_order, "changed their chunk"),
        (lambda names, chunks: np.random.default_rng().integers(chunks, size=len(names)), "the second time"),
        (lambda names, chunks: np.zeros(len(names), int), "smallest holds 0"),
        (lambda names, chunks: [int(hashlib.md5(n.encode()).hexdigest(), 16) for n in names], "go from 0 to 7"),
        (lambda names, chunks: 3, "one whole number for each"),
        (lambda names, chunks: [int(name == names[-1]) for name in names], "changed"),
        (lambda names, chunks: [(zlib.crc32(name.encode()) + (names[0] < names[-1])) % chunks for name in names],
         "everybody else left"),
    ],
}  # fmt: skip
