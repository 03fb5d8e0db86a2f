"""Answers to the labs of chapter 21: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import special, stats

import dp_helpers as dp


def by_hand(gradients, owner, people, q, clip, sigma, rng):
    total = np.zeros(gradients.shape[1])
    for person in range(people):
        if rng.random() < q:
            total += dp.clip_norm(gradients[owner == person].sum(axis=0)[None], clip)[0]
    return total + rng.normal(0, sigma * clip, total.size)


def by_table(gradients, owner, people, q, clip, sigma, rng):
    sums = (np.arange(people)[:, None] == owner) @ gradients
    return (rng.binomial(1, q, people) @ dp.clip_norm(sums, clip)) + sigma * clip * rng.standard_normal(sums.shape[1])


def by_the_last_row(gradients, owner, people, q, clip, sigma, rng):
    """Add rows by an index that has some people twice: NumPy keeps one row of each."""
    sums = np.zeros((people, gradients.shape[1]))
    sums[owner] += gradients
    return rng.binomial(1, q, people) @ dp.clip_norm(sums, clip) + rng.normal(0, sigma * clip, sums.shape[1])


def by_groups(gradients, owner, people, q, clip, sigma, rng):
    """Draw how many people there are, then who; their noise by inversion; as a list."""
    taken = rng.choice(people, rng.binomial(people, q), replace=False)
    each = pd.DataFrame(gradients).groupby(owner).sum().reindex(taken, fill_value=0.0).to_numpy()
    return list(dp.clip_norm(each, clip).sum(axis=0) + sigma * clip * special.ndtri(rng.random(gradients.shape[1])))


def two_bells(margins, member, target):
    scores = np.zeros(len(target))
    for i, seen in enumerate(target):
        for inside, sign in ((member[:, i], 1), (~member[:, i], -1)):
            m, s = margins[inside, i].mean(), margins[inside, i].std()
            scores[i] += sign * (-math.log(s) - (seen - m) ** 2 / (2 * s**2))
    return scores


def pooled_bells(margins, member, target):
    return sum(
        sign * stats.norm.logpdf(target, margins[side].mean(), margins[side].std())
        for side, sign in ((member, 1), (~member, -1))
    )


def average_of_all(gradients, owner, people, q, clip, sigma, rng):
    return people * dp.clip_norm(gradients.sum(axis=0)[None] / people, clip)[0]


def by_fit(margins, member, target):
    sides = [
        [stats.norm(*stats.norm.fit(column[inside])) for column, inside in zip(margins.T, chosen.T, strict=True)]
        for chosen in (member, ~member)
    ]
    return pd.Series([hers.logpdf(x) - without.logpdf(x) for x, hers, without in zip(target, *sides, strict=True)])


UNBIASED = "stats.norm(column[inside].mean(), column[inside].std(ddof=1))"
CLIPPED = "dp.clip_norm(gradients[owner == person].sum(axis=0)[None], clip)[0]"
DRAW = "rng.normal(0, sigma * clip, total.size)"
RIGHT = {
    "how-many-can-be-named": [
        math.exp(0.5) * 0.01 + 1e-6,
    ],
    "round-for-people": [
        by_hand,
        by_table,
        by_groups,
    ],
    "attack-with-shadow-models": [
        two_bells,
        by_fit,
        patched(by_fit, "stats.norm(*stats.norm.fit(column[inside]))", UNBIASED),
    ],
    "how-many-must-be-right": [
        81,
    ],
}
WRONG = {
    "round-for-people": [
        (by_the_last_row, "keeps the last"),
        (patched(by_table, "dp.clip_norm(sums, clip)",
                 "(dp.clip_norm(sums, clip) * np.bincount(owner, minlength=people)[:, None])"),
         "once is enough"),
        (lambda *given: by_hand(*given) + 1, "add up each person's rows"),
        (patched(by_hand, "return total", "return total / q", "sigma *", "sigma / q *"), "don't divide by q"),
        (patched(by_hand, "[None], clip)", "[None], 1e9)"), "you don't clip"),
        (patched(by_hand, ".sum(axis=0)[None], clip)[0]", ", clip).sum(axis=0)"), "you clip each row"),
        (patched(by_hand, "sigma * clip", "sigma"), "sigma times clip"),
        (patched(by_hand, "sigma * clip", "2 * sigma * clip"), "6 would be enough"),
        (lambda *given: by_hand(*given) / given[2], "that is an average"),
        (patched(by_hand, "owner == person", "(owner == person) & (rng.random(len(owner)) < q)"), "for each row"),
        (patched(by_hand, DRAW, f"(total.any() or q == 1) * {DRAW}"), "no ε covers that"),
        (patched(by_hand, "total += ", "total += rng.normal(0, sigma * clip, total.size) + ", f" + {DRAW}", ""),
         "some calls add no noise at all"),
        (patched(by_hand, DRAW, f"(people ** 0.5) * {DRAW}"), "would be enough"),
        (patched(by_hand, "sigma * clip", "sigma / 1.1 * clip"), "is needed"),
        (patched(by_hand, "owner == person", "np.sort(owner) == person"), "add up each person's rows"),
        (patched(by_hand, CLIPPED, "np.clip(gradients[owner == person].sum(axis=0), -clip, clip)"), "coordinate"),
        (patched(by_hand, ".sum(axis=0)[None]", ".sum(axis=0)[None] / max(1, sum(owner == person))"), "average"),
        (patched(by_hand, "rng.random() < q", "np.random.default_rng().random() < q"), "from nothing else"),
        (patched(by_hand, "rng.random() < q", "rng.random() < 1.25 * q"), "people are taken with probability"),
        (average_of_all, "you clip the average"),
    ],
    "attack-with-shadow-models": [
        (patched(two_bells, "~member[:, i]", "member[:, i] < 2"), "the density with, less"),
        (lambda *given: np.clip(two_bells(*given), -5, 5), "the density with, less"),
        (lambda *given: two_bells(*given).sum(), "one score for each"),
        (lambda *given: -two_bells(*given), "the other way round"),
        (lambda *given: np.exp(two_bells(*given)), "return its logarithm"),
        (patched(two_bells, "-math.log(s)", ""), "doesn't drop out"),
        (lambda margins, member, target: target, "the attack by the loss"),
        (pooled_bells, "person by person"),
        (lambda margins, member, target: target - margins.mean(axis=0), "the density with, less"),
        (lambda *given: two_bells(*given) / math.log(10), "the natural one"),
        (patched(by_fit, " - without.logpdf(x)", ""), "the density with the person alone"),
        (patched(two_bells, "(2 * s**2)", "s**2"), "the square of s is missing"),
    ],
}  # fmt: skip
