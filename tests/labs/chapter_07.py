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


def smooth_mean(n, width, beta, distances=None):
    k = np.arange(n + 1) if distances is None else distances(n)
    return float((np.exp(-beta * k) * width / np.maximum(1, n - k)).max())


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


def by_own_generator(names, chunks):
    return np.array([random.Random(name).randrange(chunks) for name in names])


def by_order(names, chunks):
    rng = np.random.default_rng(1)
    return rng.integers(chunks, size=len(names))


RIGHT = [
    ("7.1", 15),
    ("7.2", lambda answer: abs(answer - 20) > 4),
    ("7.2", lambda answer: not 17 <= answer <= 23),
    ("7.2", lambda answer: abs(answer - 20) > 7),
    ("7.2", lambda answer: abs(answer - 20) > 15),
    ("7.2", lambda answer: np.abs(np.array([answer]) - 20)[0] > 3.5),
    ("7.3", 6000 / 5427),
    ("7.3", 1.11),
    ("7.4", smooth_mean),
    ("7.4", lambda n, width, beta: max(math.exp(-beta * k) * width / max(1, n - k) for k in range(n + 1))),
    ("7.4", lambda n, width, beta: max(math.exp(-beta * k) * width / (n - k) for k in range(n))),
    ("7.4", lambda n, width, beta: max(width / n, width * math.exp(-beta * (n - 1)))),
    ("7.5", ptr_median),
    ("7.5", by_the_list),
    ("7.5", cut_to_the_bounds),
    ("7.5", partial(ptr_median)),
    ("7.5", variant(threshold=lambda delta: math.log(2 / delta))),
    ("7.5", variant(statistic=lambda x: sorted(x)[len(x) // 2])),
    ("7.6", by_hash),
    ("7.6", lambda names, chunks: np.array([zlib.crc32(name.encode()) % chunks for name in names])),
    ("7.6", by_own_generator),
    ("7.6", lambda names, chunks: pd.Series(names).map(lambda name: by_hash([name], chunks)[0])),
    ("7.6", lambda names, chunks: [hashlib.md5(name.encode()).digest()[0] * 7 % chunks for name in names]),
]  # fmt: skip

WRONG = [
    ("7.5", patched(ptr_median, "rng.laplace(0, bound", "(distance < math.inf) * rng.laplace(0, bound"), "is exact"),
    ("7.5", lambda *given: next((r for r in [ptr_median(*given) for _ in range(2)] if r), None), "more often than δ"),
    ("7.6", lambda names, chunks: by_hash(names, chunks if names[0] != "Dan 499" else 3), "in another order"),
    ("7.1", 3, "again without each person"),
    ("7.2", lambda answer: answer, "True or False"),
    ("7.2", lambda answer: abs(answer - 20) <= 4, "mixed up"),
    ("7.2", lambda answer: answer > 24, "both sides of 20"),
    ("7.2", lambda answer: abs(answer - 20) > 0.5, "the size of the noise"),
    ("7.2", lambda answer: abs(answer - 20) > 20, "more than 90%"),
    ("7.2", lambda answer: answer != 20, "always wrong"),
    ("7.3", 6, "rounded up"),
    ("7.4", lambda n, width, beta: smooth_mean(n, width, beta, lambda n: np.arange(1, n + 1)), "at k = 0"),
    ("7.4", lambda n, width, beta: smooth_mean(n, width, beta, lambda n: np.arange(min(n + 1, 1000))), "k = 0 alone"),
    ("7.4", lambda n, width, beta: smooth_mean(n, width, 2 * beta), "alone gives"),
    ("7.4", lambda n, width, beta: 2 * smooth_mean(n, width, beta), "no k gives more"),
    ("7.4", lambda n, width, beta: width / n, "k = 0 alone"),
    ("7.4", lambda n, width, beta: max(math.exp(-beta * k) * width / (n - k) for k in range(n + 1)), "raised Zero"),
    ("7.4", lambda n, width, beta: (np.exp(-beta * np.arange(n + 1)) * width / (n - np.arange(n + 1))).max(),
     "max(1, n - k)"),
    ("7.5", of_the_mean, "that releases the mean"),
    ("7.5", variant(statistic=np.mean), "that releases the mean"),
    ("7.5", variant(clips=False), "you are far off"),
    ("7.5", variant(infinite=False, extra=-5), "yours returned None"),
    ("7.5", endless, "finds no end"),
    ("7.5", too_long_a_list, "no A(k) is ever larger"),
    ("7.5", lambda *args: np.ones(3), "give a number"),
    ("7.5", variant(release=1), "You spend all of ε on the release"),
    ("7.5", variant(release=0.25), "Half of ε is for it"),
    ("7.5", one_draw, "share a draw"),
    ("7.5", patched(one_draw, "math.inf) + z", "math.inf)"), "look at its noise"),
    ("7.5", patched(ptr_median, "rng.laplace(0, 1 / (test", "rng.normal(0, 1.2 / (test"), "look at its noise"),
    ("7.5", variant(threshold=lambda delta: math.log(1 / (2 * delta)) / 2), "Check the threshold"),
    ("7.5", variant(extra=1), "your distance is too large"),
    ("7.5", variant(test=1), "a step closer to trouble"),
    ("7.5", variant(extra=-1), "it says no"),
    ("7.5", variant(lowest=-math.inf), "you are far off"),
    ("7.5", lambda *given: (lambda result: math.nan if result is None else result)(ptr_median(*given)), "returned nan"),
    ("7.5", other_coins_for_the_test, "from nothing else"),
    ("7.5", released_within_the_bounds, "noise that is redrawn"),
    ("7.6", lambda names, chunks: [hash(name) % chunks for name in names], "in every session"),
    ("7.6", lambda names, chunks: np.arange(len(names)) * chunks // len(names), "changed their chunk"),
    ("7.6", by_order, "changed their chunk"),
    ("7.6", lambda names, chunks: np.random.default_rng().integers(chunks, size=len(names)), "the second time"),
    ("7.6", lambda names, chunks: np.zeros(len(names), int), "smallest holds 0"),
    ("7.6", lambda names, chunks: [int(hashlib.md5(n.encode()).hexdigest(), 16) for n in names], "go from 0 to 7"),
    ("7.6", lambda names, chunks: 3, "one whole number for each"),
    ("7.6", lambda names, chunks: [int(name == names[-1]) for name in names], "changed"),
    ("7.6", lambda names, chunks: [(zlib.crc32(name.encode()) + (names[0] < names[-1])) % chunks for name in names],
     "everybody else left"),
]  # fmt: skip
