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


def _event(one, other, delta):
    """Return the edges of pieces of the line, and which of the pieces make the event that proves most."""
    values = np.unique(np.concatenate([one, other]))
    edges = values if len(values) <= 60 else np.unique(np.quantile(values, np.linspace(0, 1, 61)))
    counts = [
        np.bincount(np.searchsorted(edges, part, side="right"), minlength=len(edges) + 1) for part in (one, other)
    ]
    order = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5), kind="stable")
    hits, misses = (np.cumsum(count[order]) for count in counts)
    with np.errstate(divide="ignore"):
        p = stats.beta.ppf(ALARM, hits, len(one) - hits + 1) - delta
        q = 1 - stats.beta.ppf(ALARM, np.maximum(len(other) - misses, 1e-9), misses + 1)
        best = np.argmax(np.nan_to_num(np.log(np.maximum(p, 1e-300) / q), nan=-np.inf))
    return edges, np.isin(np.arange(len(edges) + 1), order[: best + 1])


def likelihood_score(here, there):
    """Return one number for each output that has many: how much more it looks like the second table's outputs.

    ``here`` and ``there`` have a row for each output. A third of them, the same one as `proven_loss` chooses with,
    shows which columns tell the tables apart; what these say adds up, as if they were independent.
    """
    here, there = (np.asarray(part, float).reshape(len(part), -1) for part in (here, there))
    first, second = here[: len(here) // 3], there[: len(there) // 3]
    spread = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0) / len(second))
    telling = np.abs(second.mean(axis=0) - first.mean(axis=0)) > 6 * spread
    scores = [np.zeros(len(here)), np.zeros(len(there))]
    for column in np.flatnonzero(telling):
        edges = np.unique(np.quantile(np.append(first[:, column], second[:, column]), np.linspace(0, 1, 31)[1:-1]))
        shares = []
        for part in (first, second):
            counts = np.bincount(np.searchsorted(edges, part[:, column], side="right"), minlength=len(edges) + 1)
            shares.append((counts + 0.5) / (len(part) + 0.5 * counts.size))
        gain = np.log(shares[1] / shares[0])
        for score, part in zip(scores, (here, there), strict=True):
            score += gain[np.searchsorted(edges, part[:, column], side="right")]
    return scores
