"""Answers to the labs of chapter 9: right ones, and wrong ones with a part of what they are told."""

import functools
import math
import random  # noqa: F401 (a patched answer draws from it)
from decimal import Decimal

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp

OWN = np.random.default_rng(913)  # a generator that goes on, instead of the one that an answer is given


def heads_of(scores, sensitivity, epsilon, factor=2):
    scores = np.asarray(scores, dtype=float)
    return np.exp(epsilon * (scores - scores.max()) / (factor * sensitivity))


def flip(scores, sensitivity, epsilon, rng, *, factor=2, order=None):
    heads = heads_of(scores, sensitivity, epsilon, factor)
    for i in rng.permutation(len(heads)) if order is None else order(len(heads)):
        if rng.random() < heads[i]:
            return i


def one_coin(scores, sensitivity, epsilon, rng):
    heads, coin = heads_of(scores, sensitivity, epsilon), rng.random()
    return next(i for i in rng.permutation(len(heads)) if coin < heads[i])


def exponential(scores, sensitivity, epsilon, rng):
    weights = heads_of(scores, sensitivity, epsilon)
    return rng.choice(len(weights), p=weights / weights.sum())


def overflowing(scores, sensitivity, epsilon, rng):
    weights = np.exp(epsilon * np.array(scores) / (2 * sensitivity))
    for i in rng.permutation(len(weights)):
        if rng.random() < weights[i] / weights.max():
            return i
    return len(weights)


def poll(answers, candidates, epsilon, rng, *, unit=1, public=True, factor=1, subtract=True, noise=None):
    names = candidates if public else sorted(set(answers))
    scores = np.array([answers.count(name) / unit for name in names])
    if noise:
        return names[int(np.argmax(scores + getattr(rng, noise)(0, factor / epsilon, size=len(names))))]
    weights = np.exp(epsilon * (scores - (scores.max() if subtract and len(names) else 0)) / factor)
    return rng.choice(names, p=weights / weights.sum())


def polling(**mistakes):
    return lambda answers, candidates, epsilon, rng: poll(answers, candidates, epsilon, rng, **mistakes)


def by_package(answers, candidates, epsilon, rng):
    counts = [answers.count(name) for name in candidates]
    setting = {"sensitivity": 1, "epsilon": epsilon, "monotonic": True, "rng": rng}
    return dp.report_noisy_max(candidates, counts, noise="exponential", **setting)


def in_the_data(answers, candidates, epsilon, rng):
    """Take the answers that occur, or the list where there are too few of them."""
    found = sorted(set(answers))
    return poll(answers, found if len(found) > 1 else candidates, epsilon, rng)


def with_write_ins(answers, candidates, epsilon, rng):
    return poll(answers, sorted({*answers, *candidates}), epsilon, rng)


@functools.cache
def counts_of(answers, candidates):
    return pd.Series(answers, dtype=object).value_counts().reindex(candidates, fill_value=0)


def by_series(answers, candidates, epsilon, rng):
    counts = counts_of(tuple(answers), tuple(candidates))
    return dp.exponential_mechanism(candidates, counts, sensitivity=1, epsilon=epsilon, rng=rng)


def by_clocks(answers, candidates, epsilon, rng):
    """Return the candidate whose clock rings first: its rate is its weight."""
    rings = {name: math.log(rng.exponential()) - epsilon * answers.count(name) for name in candidates}
    return min(rings, key=rings.get)


def noisy_once(answers, candidates, epsilon, rng):
    noisy = np.array([answers.count(name) for name in candidates]) + rng.laplace(0, 1 / epsilon)
    return candidates[int(noisy.argmax())]


def clinics(ratings, *, low=0, high=10, change=None, score=np.mean, monotonic=True):
    rows = [np.clip(values, low, high) for values in ratings.values()]
    sizes = [len(values) for values in rows]
    return [score(values) for values in rows], 10 / min(sizes) if change is None else change(sizes), monotonic


def scoring(**mistakes):
    return lambda ratings: clinics(ratings, **mistakes)


def by_loops(ratings):
    scores = {}
    for name, values in ratings.items():
        scores[name] = sum(min(max(value, 0), 10) / 10 for value in values) / len(values)
    return scores, max(1 / len(values) for values in ratings.values()), True


def inside(ratings):
    return {name: values[(values >= 0) & (values <= 10)] for name, values in ratings.items()}


def in_units_of_a_patient(ratings):
    smallest = min(map(len, ratings.values()))
    return np.array([np.clip(v, 0, 10).mean() / 10 * smallest for v in ratings.values()]), 1, np.bool_(True)


def ahead_of_the_rest(ratings):
    """Score a clinic by its lead over the mean of all: whoever rises pushes the others down."""
    means = np.array([np.clip(values, 0, 10).mean() for values in ratings.values()])
    return means - means.mean(), 10 / min(map(len, ratings.values())), True


def data_dependent(ratings):
    scores, _, monotonic = clinics(ratings)
    return scores, np.ptp(np.concatenate(list(ratings.values()))) / min(map(len, ratings.values())), monotonic


RIGHT = {
    "three-options": [
        1 / (1 + math.exp(-1) + math.exp(-2.5)),
    ],
    "when-does-the-library-close": [
        6,
    ],
    "permute-and-flip": [
        flip,
        lambda s, d, e, r: dp.report_noisy_max(
            range(len(s)), s, sensitivity=d, epsilon=e, noise="exponential", rng=r),
        lambda s, d, e, r: r.choice(np.flatnonzero(r.random(len(s)) < heads_of(s, d, e))),
        lambda s, d, e, r: next(i for i in np.argsort(r.random(len(s))) if r.binomial(1, heads_of(s, d, e)[i])),
        lambda s, d, e, r: np.argmax(np.array(s) + r.exponential(2 * d / e, size=len(s))),
    ],
    "mend-the-poll": [
        poll,
        polling(factor=2),
        polling(noise="laplace"),
        polling(noise="laplace", factor=2),
        polling(noise="gumbel"),
        by_package,
        by_series,
        by_clocks,
        lambda a, names, e, rng: max(names, key=lambda n: Decimal(a.count(n)) + Decimal(rng.exponential(1 / e))),
    ],
    "which-clinic-is-best": [
        clinics,
        by_loops,
        in_units_of_a_patient,
        scoring(change=lambda sizes: max(10 / n for n in sizes), score=lambda rows: np.float32(rows.mean())),
    ],
}  # fmt: skip

WRONG = {
    "three-options": [
        (0.5, "divide the first by their sum"),
    ],
    "when-does-the-library-close": [
        (5, "whose score falls most"),
    ],
    "permute-and-flip": [
        (exponential, "exponential mechanism"),
        (lambda s, d, e, r: flip(s, d, e, r, factor=1), "the 2 is missing"),
        (one_coin, "flip one for each"),
        (lambda s, d, e, r: flip(s, 1, e, r), "divide by the sensitivity"),
        (lambda s, d, e, r: flip(s, d, 1, r), "for the scores [2997000.0"),
        (lambda s, d, e, r: r.permutation(len(s)), "you return array"),
        (lambda s, d, e, r: flip(s, d, e, r, order=range), "order of the list"),
        (lambda s, d, e, r: flip(s, d, 1.2 * e, r), "for the scores [0.0, -2.0"),
        (lambda s, d, e, r: flip(s, d, e, OWN), "from nothing else"),
        (patched(flip, "rng.random() < heads[i]", "random.random() < heads[i]"), "from nothing else"),
        (lambda s, d, e, r: int(np.argmax(np.array(s) + r.gumbel(0, 2 * d / e, len(s)))), "exponential mechanism"),
        (lambda s, d, e, r: s[flip(s, d, e, r)], "not a position from 0 to 2"),
        (lambda s, d, e, r: int(np.argmax(s)), "chooses the same"),
        (lambda s, d, e, r: int(r.integers(len(s))), "doesn't depend on the scores"),
        (overflowing, "overflow"),
    ],
    "mend-the-poll": [
        (lambda a, names, e, rng: poll(a, names, e, rng) if a else rng.choice(names, p=[0.6, 0.2, 0.2]), "equally"),
        (lambda a, *rest: poll(["A" if vote == "D" else vote for vote in a], *rest), "is on the list"),
        (lambda a, names, e, rng: poll(a, names, 1.0, rng), "more than ε = 0.05 allows"),
        (lambda a, names, e, rng: poll(a, names, e**2, rng), "ε = 3 leaves more to the others"),
        (polling(public=False, unit=1000, factor=2, subtract=False), "with 0 answers"),
        (polling(subtract=False), "with 30,000 answers"),
        (polling(unit=1000), "What is one person worth"),
        (polling(public=False), "not of the data"),
        (in_the_data, "none of the others on the list ever wins"),
        (with_write_ins, "return one of the candidates"),
        (polling(factor=0.2), "than ε = 0.05 allows"),
        (lambda a, names, e, rng: poll(a, names, 1, rng), "a single vote does more"),
        (lambda a, names, e, rng: poll(a, names, 9 if len(a) > 99 else e, rng), "than ε = 1 allows"),
        (lambda a, names, *rest: poll(a, [*names, *sorted({*a} & {*names})], *rest), "on your list twice"),
        (lambda a, names, *rest: poll(a, [*filter(a.count, names)] if len({*a}) > 2 else names, *rest), "ever wins"),
        (lambda a, names, e, rng: poll(a, names, 1.3 * e, rng), "than ε = 0.05 allows"),
        (lambda a, names, e, rng: poll(a, names, max(1, len(a) / 5) * e, rng), "than ε = 0.05 allows"),
        (noisy_once, "every run chooses the same"),
        (lambda a, c, e, r: max(c, key=a.count), "all candidates are equally good"),
        (lambda a, c, e, r: 0, "return one of the candidates"),
    ],
    "which-clinic-is-best": [
        (lambda ratings: ([1.0], 1, True), "in their order"),
        (scoring(monotonic="yes"), "True or False"),
        (scoring(change=lambda sizes: 0), "above 0"),
        (scoring(low=-np.inf, high=np.inf), "Clip the ratings"),
        (scoring(change=lambda sizes: 10), "no patient moves a score by more"),
        (scoring(change=lambda sizes: 10 / np.mean(sizes)), "moves a score by"),
        (scoring(change=lambda sizes: 10 / min(sizes) / 1.2), "moves a score by"),
        (scoring(score=np.sum, change=lambda sizes: 10), "a lower score than another"),
        (scoring(monotonic=False), "are monotonic"),
        (scoring(change=lambda sizes: 11 / min(sizes)), "safe, but with"),
        (lambda ratings: (clinics(inside(ratings))[0], *clinics(ratings)[1:]), "moves a score by 5"),
        (ahead_of_the_rest, "aren't monotonic"),
        (data_dependent, "public numbers only"),
    ],
}  # fmt: skip
