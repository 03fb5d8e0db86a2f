"""Answers to the labs of chapter 17: right ones, and wrong ones with a part of what they are told."""

import math
from collections import Counter

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import optimize, stats

import dp_helpers as dp

OWN = np.random.default_rng(1790)  # a generator that goes on, instead of the one that an answer is given


def limits(hits, others, runs, risk):
    """Return Clopper and Pearson's two limits by the beta distribution."""
    low = stats.beta.ppf(risk / 2, hits, runs - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - risk / 2, others + 1, runs - others) if others < runs else 1.0
    return low, high


def by_beta(hits, others, runs, risk=0.01, delta=0.0):
    low, high = limits(hits, others, runs, risk)
    opposite = (1 - high - delta) / (1 - low) if low < 1 else 1.0
    return math.log(max((low - delta) / high, opposite, 1.0))


def words(mechanism, data, neighbour, trials, risk, rng):
    half = trials // 2
    said = [[mechanism(table, rng) for _ in range(trials)] for table in (data, neighbour)]
    first, second = ([side[part] for side in said] for part in (slice(half), slice(half, None)))

    def shown(sides, word, likely):
        return by_beta(sides[likely].count(word), sides[1 - likely].count(word), len(sides[0]), risk)

    seen = first
    choices = [(word, likely) for word in sorted(set(seen[0] + seen[1])) for likely in (0, 1)]
    chosen = max(choices, key=lambda choice: shown(seen, *choice))
    return shown(second, *chosen)


def words_with_a_counter(mechanism, data, neighbour, trials, risk, rng):
    """Count with collections.Counter, alternate the tables, and choose by the difference of the shares."""
    half = trials // 2
    first = {0: Counter(), 1: Counter()}
    for _ in range(half):
        for side, table in enumerate([data, neighbour]):
            first[side][mechanism(table, rng)] += 1
    word = max(first[0] | first[1], key=lambda w: abs(first[0][w] - first[1][w]))
    pair = (data, neighbour) if first[0][word] >= first[1][word] else (neighbour, data)
    counts = [0, 0]
    for _ in range(half):
        for side, table in enumerate(pair):
            counts[side] += mechanism(table, rng) == word
    return by_beta(*counts, half, risk)


def with_limits(hits, others, runs, risk, delta):
    low, high = limits(hits, others, runs, risk)
    return math.log(max(1.0, (low - delta) / high, (1 - high - delta) / (1 - low)))


def by_bisection(hits, others, runs, risk, delta):
    low = optimize.brentq(lambda p: stats.binom.sf(hits - 1, runs, p) - risk / 2, 0, 1)
    high = optimize.brentq(lambda p: stats.binom.cdf(others, runs, p) - risk / 2, 0, 1)
    epsilon = 0.0
    for more, less in [(low, high), (1 - high, 1 - low)]:
        if more > delta:
            epsilon = max(epsilon, math.log((more - delta) / less))
    return epsilon


def words_by_children(mechanism, data, neighbour, trials, risk, rng):
    """Use a generator for each half, and pandas."""
    half, (choosing, counting) = trials // 2, rng.spawn(2)
    said = pd.DataFrame([[mechanism(t, choosing) for _ in range(half)] for t in (data, neighbour)]).T
    shares = said.apply(pd.Series.value_counts).fillna(0)
    word = (shares[0] - shares[1]).abs().idxmax()
    pair = sorted([(shares[0][word], 0, data), (shares[1][word], 1, neighbour)], reverse=True)
    return by_beta(*(sum(mechanism(t, counting) == word for _ in range(half)) for *_, t in pair), half, risk)


RIGHT = {
    "how-many-runs": [
        next(n for n in range(15_000, 17_000) if by_beta(n, 0, n) >= 8),
    ],
    "unjust-accusation": [
        with_limits,
        by_bisection,
    ],
    "audit-of-words": [
        words,
        words_with_a_counter,
        words_by_children,
    ],
    "pair-that-tells": [
        ([0], [0, 100]),
        ([100.0, 0.0], [100.0]),
        (range(1), range(0, 101, 100)),
        (pd.Series([0.0]), pd.Series([0.0, 100.0])),
        ([0, 0], [0, 0, 500]),
        [np.array([0]), np.array([0, 100])],
    ],
}
RATIOS = "max(1.0, (low - delta) / high, (1 - high - delta) / (1 - low))"
COUNTED = "by_beta(sides[likely].count(word), sides[1 - likely].count(word), len(sides[0]), risk)"
REPLAYED = "half, seed = trials // 2, rng.integers(2**32)\n    rng = np.random.default_rng(seed)"
WRONG = {
    "unjust-accusation": [
        (patched(with_limits, "low, high", "delta = 0\n    low, high"), "the bound for δ = 0"),
        (lambda h, o, n, risk, delta: by_beta(h, o, n, risk) - delta, "isn't taken off ε"),
        (patched(with_limits, "runs, risk)\n", "runs, 2 * risk)\n"), "half the risk"),
        (lambda h, o, n, risk, delta: max(0.0, math.log(max(h / n - delta, 1e-9) * n / o)), "limits on the rates"),
        (patched(with_limits, RATIOS, "max(1e-12, (low - delta) / high)"), "never below 0"),
        (patched(with_limits, RATIOS, "max(1.0, (low - delta) / high)"), "the opposite event proves more"),
        (patched(with_limits, "1 - high - delta", "1 - high"), "has to forgive δ as well"),
        (patched(with_limits, "math.log", ""), "take the log"),
        (lambda *given: math.nan, "gave nan"),
        (lambda *given: 0.3, "gave 0.300: 0.000 is proven"),
        (lambda h, o, n, risk, delta: max(with_limits(h, o, n, risk, delta), with_limits(o, h, n, risk, delta)),
         "20 against 500"),
        (patched(with_limits, "runs, risk)\n", "runs, risk / 2)\n"), "is proven"),
        (patched(with_limits, RATIOS, "max(1.0, (low - delta) / max(high - delta, 1e-12))"), "the larger rate"),
        (patched(with_limits, RATIOS, "max(1.0, low / (high + delta))"), "not added to the smaller one"),
    ],
    "audit-of-words": [
        (lambda *given: words(*given[:4], 1e-9, given[5]), "a leak without errors"),
        (patched(words_with_a_counter, "half = trials // 2", REPLAYED, "counts = [0, 0]",
                         "counts, rng = [0, 0], np.random.default_rng(seed)"), "every run draws the same number"),
        (patched(words, "seen = first", "seen = said"), "choose the word on the runs that count"),
        (lambda *given: max(words(*given), 0.01), "choose the word on the runs that count"),
        (lambda m, d, n, trials, risk, rng: words(m, d, n, trials, max(risk, 1e-6), rng), "it proves"),
        (lambda *given: words(*given) + (given[3] == 6_000), "your audit claims to prove"),
        (lambda *given: math.nan, "not nan"),
        (patched(words, "shown(second, *chosen)", "shown(said, *chosen)"), "not on all runs"),
        (patched(words, COUNTED, "math.inf if sides[1 - likely].count(word) == 0 else 1.0"), "no infinite ε"),
        (patched(words, "(sides[0]), risk)", "(sides[0]), 2 * risk)"), "half the risk"),
        (patched(words, "(sides[0]), risk)", "(sides[0]), 0.01)"), "risk that is given"),
        (patched(words, "seen = first", "seen = second"), "choose the word on the runs that count"),
        (patched(words, "shown(second, *chosen)", "max(shown(second, chosen[0], likely) for likely in (0, 1))"),
         "choose the order of the two tables"),
        (patched(words, "(0, 1)]", "(0,)]"), "in both orders"),
        (lambda m, d, n, trials, risk, rng: words(m, d, n, trials // 2, risk, rng), "runs on each table"),
        (patched(words, "(table, rng)", "(table, np.random.default_rng(1))"), "hand on rng"),
        (patched(words, COUNTED, "by_beta(*(sum(word in one for one in sides[k]) for k in (likely, 1 - likely)),"
                         "len(sides[0]), risk)"), "whole word"),
        (patched(words, "(table, rng)", "(table, OWN)"), "from nothing else"),
        (patched(words, "half = trials // 2", "half, rng = trials // 2, np.random.default_rng(0)"),
         "another generator gave the same runs"),
        (patched(words, "shown(second, *chosen)", "max(shown(second, *c) for c in choices if shown(first, *c))"),
         "choose the word on the runs that count"),
        (lambda m, d, n, trials, risk, rng: dp.audit(m, d, n, trials=trials, confidence=1 - risk, rng=rng),
         "write it yourself"),
        (lambda m, d, n, trials, risk, rng: by_beta(trials // 2, 0, trials // 2, risk), "you ran 0 and 0"),
        (lambda m, d, n, trials, risk, rng: words(m, d, n, 4 * trials, risk, rng), "both halves"),
    ],
    "pair-that-tells": [
        (([0] * 200, [0] * 200 + [100]), "20,000 trials prove"),
        (3, "give a pair"),
        (([0], "abc"), "a list of numbers"),
        (([[0]], [0]), "of shape (1,), not (1, 1)"),
        (([], [0]), "the mean of no rows"),
        (([0], [0, math.nan]), "finite"),
        (([0], [100]), "a changed row"),
        (([0, 1], [1, 0]), "0 steps apart"),
        (([0], [0, 1, 2]), "2 steps apart"),
        (([50.0] * 1000, [50.0] * 1001), "20,000 trials prove"),
    ],
}  # fmt: skip
