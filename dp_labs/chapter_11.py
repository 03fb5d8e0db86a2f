"""The labs of chapter 11, Designing algorithms."""

import math
from functools import partial

import numpy as np
import pandas as pd

from .answers import NotYet, array, expect, function
from .tables import NumberLab

LABS = (
    "noise-in-a-tree",
    "what-does-the-threshold-cost",
    "consistency-in-a-family",
    "one-voice-each",
    "strategy-for-prefixes",
)

noise_in_a_tree = NumberLab(
    right=8,
    praise="Four levels share ε, so that each has 0.125, and a scale of 8 people.",
    mistakes={
        2: "that is the noise of a histogram: here a person is counted on every level.",
        **dict.fromkeys([6, 10], "count the levels again, from 4,096 cells to the root, by a factor of 16."),
        4: "that is the number of levels. What does an ε of 0.5 make of it?",
        8 * math.sqrt(2): "that is the standard deviation of the noise; its scale is smaller by √2.",
        16: "a person who joins is counted once on each level, not twice.",
        26: "13 levels are those of a tree with 2 children; here a node has 16.",
        32: "16 is the number of children. What counts is on how many levels one person appears.",
        0.125: "that is the ε of one level. Which scale belongs to it?",
        8192: "a person is in one of the 4,096 cells, not in all of them.",
    },
    otherwise="how many levels does the tree have, and how often is one person counted?",
)


def _tail(distance: float) -> float:
    """Return how often Laplace noise of scale 2 reaches so far."""
    return math.exp(-distance / 2) / 2


what_does_the_threshold_cost = NumberLab(
    right=_tail(19),
    digits=1,
    praise="A person's own word shows with that probability, and gives its owner away when it does.",
    mistakes={
        **dict.fromkeys([_tail(20), _tail(21)], "the word's own count is 1 already: noise of 19 is enough."),
        **dict.fromkeys([2 * _tail(19), 2 * _tail(20)], "noise below −19 publishes nothing: only one tail counts."),
        **dict.fromkeys([_tail(38), _tail(40)], "the scale of the noise is 1/ε, two people."),
        1 - _tail(19): "that is the probability that the word stays away.",
        _tail(9.5): "one person adds one word: the scale of the noise is 2, not 4.",
    },
    otherwise="find the probability that a count of 1, with Laplace noise of scale 2, reaches 20.",
)


def consistency_in_a_family(answer) -> str:
    """Check the best estimates for the children of one parent against least squares."""
    family, rng = function(answer), np.random.default_rng(3)
    tables = [(float(rng.normal(20, 5)), rng.normal(10, 5, size)) for size in (2, 3, 7, 1)]
    for parent, children in [(11.0, np.array([3.0, 5.0])), *tables, (-4.0, np.array([-3.0, 2.5, -1.0]))]:
        size = len(children)
        strategy = np.vstack([np.ones(size), np.eye(size)])
        right = np.linalg.pinv(strategy) @ np.append(parent, children)
        given = array(family(parent, children.copy()), (size,), f"one estimate for each of {size} children")
        _same_family(given, right, parent, children)
    return "That is least squares: no linear estimate without bias has a smaller variance."


def _same_family(given, right, parent, children) -> None:
    """Refuse other estimates: by their sum, and then one by one."""
    size, total = len(children), children.sum()
    mistakes = [
        (children, "these are the noisy children themselves; the parent's count tells more about their sum."),
        (np.maximum(right, 0), "estimates below 0 are cut off; least squares keeps them, and its sums stay unbiased."),
        (np.round(right), "don't round: the estimates needn't be whole numbers."),
    ]
    sums = [
        *((estimates.sum(), sentence) for estimates, sentence in mistakes),
        (parent, "your children add up to the parent's noisy count, as if that had no noise."),
        ((parent + total) / 2, "the parent's own count and the children's sum don't deserve equal weights."),
        ((parent + size * total) / (size + 1), "the weights are the wrong way round: the children's sum is noisier."),
    ]
    same = partial(np.allclose, rtol=1e-4)
    why = f"with {size} children, their estimates add up to {given.sum():.3f}, not {right.sum():.3f}."
    expect(given.sum(), right.sum(), sums, why, same)
    why = "the sum is right, but what is missing has to be shared equally among the children."
    expect(given, right, mistakes, why, same)


_WORDS = [("Ada", "rain"), ("Bob", "sun"), ("Ada", "sun"), ("Ada", "snow"), ("Cleo", "wind"), ("Ada", "wind")]
_WORDS += [("Bob", "rain"), ("Dan", "snow"), ("Dan", "wind"), ("Dan", "rain"), ("Dan", "sun"), ("Eve", "sun")]


def one_voice_each(answer) -> str:
    """Check that contributions are bounded person by person, independently of everybody else."""
    bounded = function(answer)
    table = pd.DataFrame(_WORDS, columns=["person", "word"])
    for limit in (2, 1, 3):
        kept = partial(_kept, bounded, limit)
        everybody = kept(table)
        has, may = table["person"].value_counts(), pd.Series([person for person, _ in everybody]).value_counts()
        if may.max() > limit:
            raise NotYet(f"with a limit of {limit}, somebody still has {may.max()} rows.")
        if not may.reindex(has.index, fill_value=0).equals(has.clip(upper=limit)):
            raise NotYet("somebody with few rows has lost some: at most the limit means that up to the limit may stay.")
        if limit == 2:
            _judge_alone(kept, table, everybody)
    try:
        _kept(bounded, 2, table.iloc[:0])
    except Exception as error:
        raise NotYet(f"a table without rows is a table, too; there it fails: {error}") from None
    return "A person who leaves takes at most the limit of rows along, and nobody else's rows change."


def _kept(bounded, limit, part) -> list:
    """Return the rows that are kept, sorted, after checking that they are rows of ``part``."""
    result = bounded(part.copy(), limit)
    if not isinstance(result, pd.DataFrame) or not {"person", "word"} <= set(result.columns):
        raise NotYet("return a table (DataFrame) with the columns person and word.")
    rows = sorted(zip(result["person"], result["word"], strict=True))
    if len(rows) != len(set(rows)) or not set(rows) <= set(zip(part["person"], part["word"], strict=True)):
        raise NotYet("keep rows of the table, each at most once, and make up none.")
    return rows


def _judge_alone(kept, table, everybody) -> None:
    """Check that nobody's rows depend on who else is there; rows that are drawn, by how often each is kept."""
    # Of 30 draws, all equal to the first happens to a real draw of two rows in three with probability 3^-30.
    fixed = all(kept(table) == everybody for _ in range(30))
    # The difference of two shares of 200 has a standard deviation of at most 0.05.
    runs, allowed = (1, 0.0) if fixed else (200, 0.34)
    leaving = table["person"].unique() if fixed else ["Ada", "Bob"]

    def shares(part):
        rows = [row for _ in range(runs) for row in kept(part)]
        return {row: rows.count(row) / runs for row in _WORDS}

    with_all = shares(table)
    for gone in leaving:
        without = shares(table[table["person"] != gone])
        if any(abs(without[row] - with_all[row]) > allowed for row in _WORDS if row[0] != gone):
            raise NotYet(f"without {gone}, other people keep other rows. Each person's rows must decide alone.")


def strategy_for_prefixes(answer) -> str:
    """Check that a strategy with 64 columns answers all prefixes with a small expected error at epsilon = 1."""
    rows = len(answer) if np.iterable(answer) else 1
    strategy = array(answer, (rows, 64), "a matrix with 64 columns, a row for each measurement, not transposed")
    workload, inverse = np.tril(np.ones((64, 64))), np.linalg.pinv(strategy)
    if not np.allclose(workload @ inverse @ strategy, workload, atol=1e-6):
        raise NotYet("some prefix can't be computed from your measurements.")
    scale = np.abs(strategy).sum(axis=0).max()
    error = math.sqrt(2 * scale**2 * np.square(workload @ inverse).sum() / 64)
    if error >= 6.5:
        raise NotYet(f"its typical error is {error:.2f} people; one person adds up to {scale:g} in your measurements.")
    return f"Its typical error is {error:.2f} people, and you knew that before anything was measured."
