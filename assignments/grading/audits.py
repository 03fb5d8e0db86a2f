"""Audits for hidden checks: the ε that many outputs on two tables prove.

Each bound is above the true ε with probability at most 4e-8. Two tables that differ in k people are as good as
neighbours: what is ε-private for one is kε-private for k, and a large loss is easier to prove than a small one.
"""

import math

import numpy as np
from scipy import stats

ALARM = 1e-8  # the chance that one limit of a probability is wrong


def _at_least(hits, runs):
    """Return the lower limit of Clopper and Pearson for the probability of an event."""
    return stats.beta.ppf(ALARM, hits, runs - hits + 1) if hits > 0 else 0.0


def _at_most(hits, runs):
    return 1 - _at_least(runs - hits, runs)


def event_loss(often, rarely, delta=0.0):
    """Return the ε that an event proves at δ: in which runs on the one table it happened, in which on the other."""
    p, q = _at_least(np.sum(often), len(often)) - delta, _at_most(np.sum(rarely), len(rarely))
    return math.log(p / q) if p > 0 else -math.inf


def proven_loss(here, there, delta=0.0):
    """Return the ε that two arrays of numbers prove at δ, each the outputs on one of two tables.

    A third of the outputs chooses the event, a set of values or of intervals; the others measure it.
    """
    here, there = np.asarray(here, float), np.asarray(there, float)
    proven = 0.0
    for one, other in ((here, there), (there, here)):
        first, second = len(one) // 3, len(other) // 3
        edges, chosen = _event(one[:first], other[:second], delta)
        hits = (chosen[np.searchsorted(edges, part, side="right")] for part in (one[first:], other[second:]))
        proven = max(proven, event_loss(*hits, delta))
    return proven


def _event(one, other, delta, times=1):
    """Return the edges of pieces of the line, and which make the event that proves most in so many times the runs."""
    values = np.unique(np.concatenate([one, other]))
    edges = values if len(values) <= 60 else np.unique(np.quantile(values, np.linspace(0, 1, 61)))
    counts = [
        np.bincount(np.searchsorted(edges, part, side="right"), minlength=len(edges) + 1) for part in (one, other)
    ]
    order = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5), kind="stable")
    hits, misses = (times * np.cumsum(count[order]) for count in counts)
    with np.errstate(divide="ignore"):
        p = stats.beta.ppf(ALARM, hits, times * len(one) - hits + 1) - delta
        q = 1 - stats.beta.ppf(ALARM, np.maximum(times * len(other) - misses, 1e-9), misses + 1)
        best = np.argmax(np.nan_to_num(np.log(np.maximum(p, 1e-300) / q), nan=-np.inf))
    return edges, np.isin(np.arange(len(edges) + 1), order[: best + 1])


def proven_by_rows(draw, allowed):
    """Return the ε that outputs with many numbers prove, with as many runs as it takes to prove more than ``allowed``.

    ``draw(world, runs)`` returns a row of numbers for each run on table 0 or 1. 3,000 runs on each table teach how to
    add up what the numbers tell, and which sums make the event. Others measure it, and no more of them once they don't
    look like a larger ε than allowed: a right answer may take 10 ms a run. Wrong with probability 2e-7 at most.
    """
    learning = [draw(world, 3_000) for world in (0, 1)]
    score = _learn_score(*learning)
    edges, chosen = _event(score(learning[1]), score(learning[0]), 0.0, times=8)
    hits = [np.zeros(0, bool), np.zeros(0, bool)]
    for runs in (2_000, 6_000, *[8_000] * 8):
        for world in (0, 1):
            happened = chosen[np.searchsorted(edges, score(draw(world, runs)), side="right")]
            hits[world] = np.append(hits[world], happened)
        proven = event_loss(hits[1], hits[0])
        if proven > allowed or np.mean(hits[1]) < math.exp(allowed) * np.mean(hits[0]):
            break
    return proven


def _learn_score(here, there):
    """Return a function that says of rows how much more they look like the second table's than like the first's.

    What the columns say that tell the tables apart adds up, as if they were independent.
    """
    spread = np.sqrt((here.var(axis=0) + there.var(axis=0)) / len(here))
    told = []
    for column in np.flatnonzero(np.abs(there.mean(axis=0) - here.mean(axis=0)) > 6 * spread):
        edges = np.unique(np.quantile(np.append(here[:, column], there[:, column]), np.linspace(0, 1, 31)[1:-1]))
        counts = [
            np.bincount(np.searchsorted(edges, part[:, column], side="right"), minlength=edges.size + 1)
            for part in (here, there)
        ]
        told.append((column, edges, np.log((counts[1] + 0.5) / (counts[0] + 0.5))))

    def score(rows):
        gains = [gain[np.searchsorted(edges, rows[:, column], side="right")] for column, edges, gain in told]
        return np.sum(gains, axis=0) if gains else np.zeros(len(rows))

    return score
