"""Answers to the labs of chapter 15: right ones, and wrong ones with a part of what they are told."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import stats

import dp_helpers as dp

OWN = np.random.default_rng(1590)  # a generator that goes on, instead of the one that an answer is given


def stochastic(noisy, rng):
    clamped = np.maximum(noisy, 0)
    return np.floor(clamped + rng.random(len(noisy))).astype(int)


def one_by_one(noisy, rng):
    whole = []
    for count in noisy:
        count = max(float(count), 0.0)
        whole.append(int(count) + int(rng.random() < count - int(count)))
    return whole


def largest_remainders(noisy, rng):
    clamped = np.maximum(noisy, 0)
    whole = np.floor(clamped)
    up = np.argsort(whole - clamped)[: round(clamped.sum() - whole.sum())]
    whole[up] += 1
    return pd.Series(whole)


def systematic(noisy, rng):
    """Return the counts with one coin for all: they are rounded where their running sum passes a whole number."""
    clamped = np.maximum(noisy, 0)
    up = np.diff(np.floor(np.append(0, np.cumsum(clamped % 1)) + rng.random()))
    return [Fraction(int(count)) for count in np.floor(clamped) + up]


def drawn(noisy, rng):
    clamped = np.maximum(noisy, 0)
    return rng.multinomial(round(clamped.sum()), clamped / clamped.sum())


def agreement(rows, people):
    return np.array([(people == row).sum(axis=1).max() for row in rows])


def by_wins(members, strangers, rows):
    known, strange = agreement(rows, members), agreement(rows, strangers)
    wins, losses = (known > strange).sum(), (known < strange).sum()
    return wins - losses > 5 * np.sqrt(wins + losses)


def by_mean_agreement(members, strangers, rows):
    return bool(agreement(rows, members).mean() - agreement(rows, strangers).mean() > 0.4)


def simulated(counts, epsilon):
    rng = np.random.default_rng(1570)
    runs = [np.maximum(counts + rng.laplace(0, 1 / epsilon, len(counts)), 0).sum() for _ in range(3000)]
    return float(np.mean(runs) - np.sum(counts))


def by_cells(ab, bc, n, rng):
    cells = rng.choice(ab.size, size=n, p=ab.ravel() / ab.sum())
    a, b = cells // ab.shape[1], cells % ab.shape[1]
    c = [rng.choice(bc.shape[1], p=bc[parent] / bc[parent].sum()) for parent in b]
    return np.column_stack([a, b, c])


def without_dice(ab, bc, n, rng):
    """Return the rows that come nearest to the law, always the same."""
    law = ab[:, :, None] / ab.sum() * (bc / bc.sum(axis=1, keepdims=True))
    ends = np.rint(n * np.cumsum(law)).astype(int)
    return np.column_stack(np.unravel_index(np.searchsorted(ends, np.arange(n), side="right"), law.shape))


def parent_by_parent(ab, bc, n, rng):
    rows = np.zeros((n, 3))
    rows[:, 0] = rng.choice(len(ab), n, p=ab.sum(axis=1) / ab.sum())
    for child, table in [(1, ab), (2, bc)]:
        for answer in range(len(table)):
            here = rows[:, child - 1] == answer
            rows[here, child] = rng.choice(table.shape[1], here.sum(), p=table[answer] / table[answer].sum())
    return pd.DataFrame(rows)


def by_inversion(ab, bc, n, rng):
    rows, ends = [], np.cumsum(ab) / ab.sum()
    for _ in range(n):
        a, b = divmod(int(np.searchsorted(ends, rng.random())), ab.shape[1])
        rows.append((a, b, int(np.searchsorted(np.cumsum(bc[b]) / bc[b].sum(), rng.random()))))
    return rows


def all_at_once(ab, bc, n, rng):
    """Return how often each triple comes, as one multinomial draw, written out."""
    law = ab[:, :, None] / ab.sum() * (bc / bc.sum(axis=1, keepdims=True))
    return np.repeat([*np.ndindex(law.shape)], rng.multinomial(n, law.ravel()), axis=0)


def from_child_to_parent(ab, bc, n, rng):
    b, c = np.divmod(rng.choice(bc.size, n, p=bc.ravel() / bc.sum()), bc.shape[1])
    return np.column_stack([[rng.choice(len(ab), p=ab[:, j] / ab[:, j].sum()) for j in b], b, c])


def by_a_sign_test(members, strangers, rows):
    known, strange = agreement(rows, members), agreement(rows, strangers)
    wins, losses = int((known > strange).sum()), int((known < strange).sum())
    return bool(wins + losses and stats.binomtest(wins, wins + losses, alternative="greater").pvalue < 1e-6)


def seen_from_the_people(members, strangers, rows):
    """Compare how near the nearest row is to members, and to strangers."""
    known, strange = agreement(members, rows), agreement(strangers, rows)
    return bool(known.mean() - strange.mean() > 5 * np.sqrt((known.var() + strange.var()) / len(known)))


SHARES = np.array([[0.3, 0.1], [0.1, 0.5]])
RIGHT = {
    "what-the-pair-loses": [
        dp.total_variation(SHARES, np.outer(SHARES.sum(axis=1), SHARES.sum(axis=0))),
    ],
    "when-does-the-histogram-pay": [
        [math.floor(math.sqrt(2 * 30) / math.sqrt(2)) + 1, 30 + 1],
    ],
    "rows-without-dice": [
        stochastic,
        one_by_one,
        largest_remainders,
        lambda noisy, rng: np.rint(np.maximum(noisy, 0)),
        systematic,
    ],
    "people-from-a-tree": [
        by_cells,
        parent_by_parent,
        by_inversion,
        all_at_once,
    ],
    "detector-of-copiers": [
        by_wins,
        by_mean_agreement,
        by_a_sign_test,
        seen_from_the_people,
    ],
}
GIVEN = "bc[parent] / bc[parent].sum()"
LUCKY = "wins - losses > 5 * np.sqrt(wins + losses)"
WRONG = {
    "rows-without-dice": [
        (lambda noisy, rng: 3, "for each"),
        (lambda noisy, rng: np.maximum(noisy, 0), "whole numbers"),
        (lambda noisy, rng: np.rint(noisy), "clamp first"),
        (lambda noisy, rng: np.rint(np.abs(noisy)), "don't take off the sign"),
        (drawn, "1 or more away"),
        (lambda noisy, rng: np.rint(np.maximum(noisy, 0) * noisy.sum() / np.maximum(noisy, 0).sum()), "scaling"),
        (lambda noisy, rng: np.floor(np.maximum(noisy, 0)), "same way"),
        (lambda noisy, rng: np.floor(np.maximum(noisy, 0) + 0.4), "same way"),
        (patched(stochastic, "rng.random(len(noisy))", "rng.random()"), "for each cell anew"),
        (lambda noisy, rng: np.floor(np.maximum(noisy, 0)) + (rng.random(len(noisy)) > np.maximum(noisy, 0) % 1),
         "nothing is rounded up"),
        (patched(stochastic, "rng.random", "OWN.random"), "from nothing else"),
        (patched(stochastic, "np.floor(clamped + ", "np.floor(np.floor(clamped) + np.ceil(clamped) - clamped + "),
         "same way"),
        (lambda noisy, rng: np.where(noisy < 1, np.ceil(np.maximum(noisy, 0)), np.rint(noisy)), "same way"),
        (lambda noisy, rng: np.where(noisy > 30, np.floor(noisy), np.rint(np.maximum(noisy, 0))), "same way"),
    ],
    "people-from-a-tree": [
        (lambda ab, bc, n, rng: by_cells(ab, bc, n, rng).T, "of shape (16000, 3), not (3, 16000)"),
        (lambda ab, bc, n, rng: by_cells(ab, bc, n, rng)[:10], "rows of three codes"),
        (lambda ab, bc, n, rng: by_cells(ab, bc, n, rng) + 1, "whole numbers from 0"),
        (lambda ab, bc, n, rng: by_cells(ab**1.2, bc, n, rng), "as often as the cells of ab"),
        (lambda ab, bc, n, rng: by_cells(ab, bc + 5, n, rng), "as often as the row of bc says"),
        (lambda ab, bc, n, rng: np.repeat(by_cells(ab, bc, n // 20, rng), 20, axis=0), "as often as"),
        (from_child_to_parent, "only C from bc"),
        (patched(by_cells, "    c =", "    b = rng.permutation(b)\n    c ="), "draw the pair from ab"),
        (patched(by_cells, "    c =", "    b = rng.choice(len(bc), n, p=bc.sum(axis=1) / bc.sum())\n    c ="),
         "only C from bc"),
        (patched(by_cells, GIVEN, "bc.sum(axis=0) / bc.sum()"), "doesn't depend on B"),
        (patched(by_cells, "    c =", "    bc = bc / bc.sum(axis=0)\n    c ="), "by the sums of its columns"),
        (patched(by_cells, GIVEN, "bc[:, parent] / bc[:, parent].sum()"), "by columns"),
        (patched(by_cells, "[a, b, c]", "[a, b, np.array(c)[np.unique(b, return_index=True)[1]][b]]"),
         "for each person anew"),
        (lambda ab, bc, n, rng: by_cells(ab, bc, n, OWN), "from nothing else"),
        (without_dice, "draw the rows from rng"),
    ],
    "detector-of-copiers": [
        (lambda members, strangers, rows: 0.7, "True or False"),
        (lambda members, strangers, rows: False, "let pass a file of copied people"),
        (lambda members, strangers, rows: True, "accuse an honest file"),
        (lambda members, strangers, rows: (agreement(rows, members) == members.shape[1]).mean() > 0.2,
         "one answer changed"),
        (lambda members, strangers, rows: (agreement(rows, members) == members.shape[1]).any(),
         "new people from the same country"),
        (lambda members, strangers, rows: (agreement(rows, members) >= 7 / 8 * members.shape[1]).mean() > 0.3,
         "few kinds of people"),
        (patched(by_wins, "wins, losses =", "known, strange = known > 6, strange > 6\n    wins, losses ="),
         "half of the answers"),
        (patched(by_wins, LUCKY, "int(wins) / int(losses) > 1.8"), "divide by 0"),
    ],
}  # fmt: skip
