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

RIGHT = [
    ("11.1", 4 / 0.5),
    ("11.2", stats.laplace.sf(19, scale=2)),
    ("11.2", 4e-5),
    ("11.3", least_squares),
    ("11.3", lambda p, c: (c + (p - c.sum()) / (len(c) + 1)).tolist()),
    ("11.3", lambda p, c: pd.Series(c) + (p - c.sum()) / (c.size + 1)),
    ("11.6", np.vstack([np.eye(64), 1.3 * BLOCKS])),
    ("11.6", np.vstack([np.eye(64), BLOCKS]).tolist()),
    ("11.6", pd.DataFrame(10 * np.vstack([BLOCKS, np.eye(64)]))),
    ("11.5", lambda table, limit: table.sort_values("word").groupby("person").tail(limit)),
    ("11.5", by_draw),
    ("11.5", own_draw),
    ("11.5", by_hand_in_a_loop),
    ("11.4", 10 * 12 / 30),
]

WRONG = [
    ("11.3", lambda parent, children: "many", "a list or an array"),
    ("11.5", lambda table, limit: table.groupby("person").head(limit) if len(table) else 1 / 0, "there it fails"),
    ("11.3", lambda p, c: c + (p - c.sum()) / len(c), "as if that had no noise"),
    ("11.3", lambda p, c: c, "the noisy children themselves"),
    ("11.3", lambda p, c: c + (p - c.sum()) / 2 / len(c), "equal weights"),
    ("11.3", lambda p, c: c + (p - c.sum()) / len(c) / (len(c) + 1), "wrong way round"),
    ("11.3", lambda p, c: c * (p * len(c) / (len(c) + 1) + c.sum() / (len(c) + 1)) / c.sum(), "shared equally"),
    ("11.3", lambda p, c: c + 1, "add up to"),
    ("11.3", lambda p, c: p, "one estimate for each"),
    ("11.3", lambda p, c: np.maximum(0, least_squares(p, c)), "cut off"),
    ("11.6", "blocks", "a list or an array of numbers"),
    ("11.6", np.eye(63), "64 columns"),
    ("11.6", np.vstack([np.eye(64), BLOCKS]).T, "not transposed"),
    ("11.6", np.zeros((3, 64)), "can't be computed"),
    ("11.6", BLOCKS, "can't be computed"),
    ("11.6", np.eye(64), "one person adds up to 1"),
    ("11.6", np.tril(np.ones((64, 64))), "one person adds up to 64"),
    ("11.6", np.vstack([np.eye(64), BLOCKS, np.ones((1, 64))]), "one person adds up to 3"),
    ("11.5", lambda table, limit: table, "somebody still has 4 rows"),
    ("11.5", lambda table, limit: table.groupby("person").head(2), "with a limit of 1, somebody still has 2"),
    ("11.5", lambda table, limit: table.groupby("word").head(limit), "somebody still has"),
    ("11.5", lambda table, limit: table.groupby("person").head(1), "lost some"),
    ("11.5", lambda table, limit: table.head(limit), "lost some"),
    ("11.5", lambda table, limit: table["word"], "with the columns person and word"),
    ("11.5", lambda table, limit: table.assign(word="rain"), "make up none"),
    ("11.5", by_fame, "Each person's rows must decide alone"),
    ("11.5", uneven_draw, "Each person's rows must decide alone"),
    (
        "11.5",
        lambda table, limit: table.sample(frac=1, random_state=0).groupby("person").head(limit),
        "Each person's rows must decide alone",
    ),
    ("11.3", lambda p, c: np.round(least_squares(p, c)), "needn't be whole"),
]
