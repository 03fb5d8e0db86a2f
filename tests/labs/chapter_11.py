"""Answers to the labs of chapter 11: right ones, and wrong ones with a part of what they are told."""

import numpy as np
import pandas as pd
from scipy import stats


def least_squares(parent, children):
    strategy = np.vstack([np.ones(len(children)), np.eye(len(children))])
    return np.linalg.lstsq(strategy, np.append(parent, children), rcond=None)[0]


def by_draw(table, limit):
    rng = np.random.default_rng()
    order = rng.permutation(len(table))
    return table.iloc[order].groupby("person").head(limit)


def by_fame(table, limit):
    fame = table["word"].map(table["word"].value_counts())
    return table.assign(fame=fame).sort_values(["fame", "word"], ascending=False).groupby("person").head(limit)


def uneven_draw(table, limit):
    fame = table["word"].map(table["word"].value_counts())
    luck = np.random.default_rng().random(len(table)) / 10
    return table.assign(fame=fame + luck).sort_values("fame").groupby("person").head(limit)


def own_draw(table, limit):
    """Return rows that each person draws alone, in a loop."""
    rng, parts = np.random.default_rng(), [table.iloc[:0]]
    for _, own in table.groupby("person"):
        parts.append(own.iloc[rng.permutation(len(own))[:limit]])
    return pd.concat(parts)


def by_hand_in_a_loop(table, limit):
    seen, rows = {}, []
    for person, word in zip(table["person"], table["word"], strict=True):
        seen[person] = seen.get(person, 0) + 1
        if seen[person] <= limit:
            rows.append((person, word))
    return pd.DataFrame(rows, columns=["person", "word"])


BLOCKS = np.kron(np.eye(8), np.ones(8))

RIGHT = {
    "noise-in-a-tree": [
        4 / 0.5,
    ],
    "what-does-the-threshold-cost": [
        stats.laplace.sf(19, scale=2),
        4e-5,
    ],
    "consistency-in-a-family": [
        least_squares,
        lambda p, c: (c + (p - c.sum()) / (len(c) + 1)).tolist(),
        lambda p, c: pd.Series(c) + (p - c.sum()) / (c.size + 1),
    ],
    "one-voice-each": [
        lambda table, limit: table.sort_values("word").groupby("person").tail(limit),
        by_draw,
        own_draw,
        by_hand_in_a_loop,
    ],
    "strategy-for-prefixes": [
        np.vstack([np.eye(64), 1.3 * BLOCKS]),
        np.vstack([np.eye(64), BLOCKS]).tolist(),
        pd.DataFrame(10 * np.vstack([BLOCKS, np.eye(64)])),
    ],
}

WRONG = {
    "consistency-in-a-family": [
        (lambda parent, children: "many", "a list or an array"),
        (lambda p, c: c + (p - c.sum()) / len(c), "as if that had no noise"),
        (lambda p, c: c, "the noisy children themselves"),
        (lambda p, c: c + (p - c.sum()) / 2 / len(c), "equal weights"),
        (lambda p, c: c + (p - c.sum()) / len(c) / (len(c) + 1), "wrong way round"),
        (lambda p, c: c * (p * len(c) / (len(c) + 1) + c.sum() / (len(c) + 1)) / c.sum(), "shared equally"),
        (lambda p, c: c + 1, "add up to"),
        (lambda p, c: p, "one estimate for each"),
        (lambda p, c: np.maximum(0, least_squares(p, c)), "cut off"),
        (lambda p, c: np.round(least_squares(p, c)), "needn't be whole"),
    ],
    "one-voice-each": [
        (lambda table, limit: table.groupby("person").head(limit) if len(table) else 1 / 0, "there it fails"),
        (lambda table, limit: table, "somebody still has 4 rows"),
        (lambda table, limit: table.groupby("person").head(2), "with a limit of 1, somebody still has 2"),
        (lambda table, limit: table.groupby("word").head(limit), "somebody still has"),
        (lambda table, limit: table.groupby("person").head(1), "lost some"),
        (lambda table, limit: table.head(limit), "lost some"),
        (lambda table, limit: table["word"], "with the columns person and word"),
        (lambda table, limit: table.assign(word="rain"), "make up none"),
        (by_fame, "Each person's rows must decide alone"),
        (uneven_draw, "Each person's rows must decide alone"),
        (
            lambda table, limit: table.sample(frac=1, random_state=0).groupby("person").head(limit),
            "Each person's rows must decide alone",
        ),
    ],
    "strategy-for-prefixes": [
        ("blocks", "a list or an array of numbers"),
        (np.eye(63), "64 columns"),
        (np.vstack([np.eye(64), BLOCKS]).T, "not transposed"),
        (np.zeros((3, 64)), "can't be computed"),
        (BLOCKS, "can't be computed"),
        (np.eye(64), "one person adds up to 1"),
        (np.tril(np.ones((64, 64))), "one person adds up to 64"),
        (np.vstack([np.eye(64), BLOCKS, np.ones((1, 64))]), "one person adds up to 3"),
    ],
}
