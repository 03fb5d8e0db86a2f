"""The labs of chapter 11, Designing algorithms."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, close, function, margin, number


def lab_1(answer) -> str:
    """Check the scale of the noise on a node of a tree with 16 children and 4,096 cells, at epsilon = 0.5."""
    given = number(answer)
    if close(given, 2):
        raise NotYet("that is the noise of a histogram: here a person is counted on every level.")
    if close(given, 6):
        raise NotYet("count the levels again, the cells and the root included.")
    if close(given, 4):
        raise NotYet("that is the number of levels. What does an ε of 0.5 make of it?")
    if close(given, 8 * math.sqrt(2)):
        raise NotYet("that is the standard deviation of the noise; its scale is smaller by √2.")
    if close(given, 16):
        raise NotYet("a person who joins is counted once on each level, not twice.")
    if not close(given, 8):
        raise NotYet("how many levels does the tree have, and how often is one person counted?")
    return "Four levels share ε, so that each has 0.125, and a scale of 8 people."


def lab_2(answer) -> str:
    """Check the delta of a list of words with a threshold of 20, at epsilon = 0.5."""
    given = number(answer)
    right = math.exp(-19 / 2) / 2
    if close(given, math.exp(-20 / 2) / 2):
        raise NotYet("a word that occurs has a count of at least 1, so its noise need not reach 20.")
    if close(given, math.exp(-19 / 2)):
        raise NotYet("noise below −19 publishes nothing: only one tail counts.")
    if close(given, math.exp(-19) / 2):
        raise NotYet("the scale of the noise is 1/ε, two people.")
    if not close(given, right):
        raise NotYet("find the probability that a count of 1, with Laplace noise of scale 2, reaches 20.")
    return "A person's own word shows with that probability, and gives its owner away when it does."


def lab_3(answer) -> str:
    """Check the best estimates for the children of one parent against least squares."""
    family, rng = function(answer), np.random.default_rng(3)
    for size in (2, 3, 7, 1):
        parent, children = float(rng.normal(20, 5)), rng.normal(10, 5, size)
        strategy = np.vstack([np.ones(size), np.eye(size)])
        right = np.linalg.pinv(strategy) @ np.append(parent, children)
        given = np.asarray(family(parent, children.copy()), dtype=float)
        if given.shape != (size,):
            raise NotYet(f"return one estimate for each of {size} children, not an array of shape {given.shape}.")
        if np.allclose(given, right, rtol=1e-6):
            continue
        if np.allclose(given.sum(), parent, rtol=1e-6):
            raise NotYet("your children add up to the parent's noisy count, as if that had no noise.")
        if np.allclose(given, children, rtol=1e-6):
            raise NotYet("these are the noisy children themselves; the parent's count tells more about their sum.")
        if np.allclose(given.sum(), (parent + children.sum()) / 2, rtol=1e-6):
            raise NotYet("the parent's own count and the children's sum don't deserve equal weights.")
        if not np.allclose(given.sum(), right.sum(), rtol=1e-6):
            raise NotYet(f"with {size} children, their estimates add up to {given.sum():.3f}, not {right.sum():.3f}.")
        raise NotYet("the sum is right, but what is missing has to be shared equally among the children.")
    return "That is least squares: no linear estimate without bias has a smaller variance."


def lab_4(answer) -> str:
    """Check that a strategy with 64 columns answers all prefixes with a small expected error at epsilon = 1."""
    strategy = np.asarray(answer, dtype=float)
    if strategy.ndim != 2 or strategy.shape[1] != 64:
        raise NotYet(f"a strategy is a matrix with 64 columns; yours has the shape {strategy.shape}.")
    if not np.isfinite(strategy).all() or not strategy.any():
        raise NotYet("its entries must be finite, and not all of them 0.")
    workload, inverse = np.tril(np.ones((64, 64))), np.linalg.pinv(strategy)
    if not np.allclose(workload @ inverse @ strategy, workload, atol=1e-6):
        raise NotYet("some prefix can't be computed from your measurements.")
    scale = np.abs(strategy).sum(axis=0).max()
    error = math.sqrt(2 * scale**2 * np.square(workload @ inverse).sum() / 64)
    if error >= 6.5:
        raise NotYet(f"its typical error is {error:.2f} people; one person adds up to {scale:g} in your measurements.")
    return f"Its typical error is {error:.2f} people, and you knew that before anything was measured."


def lab_5(answer) -> str:
    """Check that contributions are bounded person by person, independently of everybody else."""
    bounded, limit = function(answer), 2
    rows = [("Ada", "rain"), ("Bob", "sun"), ("Ada", "sun"), ("Ada", "snow"), ("Cleo", "wind"), ("Ada", "wind")]
    rows += [("Bob", "rain"), ("Dan", "snow"), ("Dan", "wind"), ("Dan", "rain"), ("Dan", "sun")]
    table = pd.DataFrame(rows, columns=["person", "word"])

    def kept(part):
        result = bounded(part.copy(), limit)
        if not isinstance(result, pd.DataFrame) or not {"person", "word"} <= set(result.columns):
            raise NotYet("return a table with the columns person and word.")
        return sorted(zip(result["person"], result["word"], strict=True))

    everybody = kept(table)
    if not set(everybody) <= set(rows) or len(everybody) != len(set(everybody)):
        raise NotYet("keep rows of the table, each at most once, and make up none.")
    sizes = {name: sum(person == name for person, _ in everybody) for name in ("Ada", "Bob", "Cleo", "Dan")}
    if max(sizes.values()) > limit:
        raise NotYet(f"with a limit of {limit}, somebody still has {max(sizes.values())} rows.")
    if sizes != {"Ada": 2, "Bob": 2, "Cleo": 1, "Dan": 2}:
        raise NotYet("somebody with few rows has lost some: at most the limit means that up to the limit may stay.")
    # A draw of one's own decides alone, too: then the chances of the rows must not depend on the others.
    fixed = all(kept(table) == everybody for _ in range(20))
    runs, allowed = (1, 0.0) if fixed else (300, 2 * margin(300, failure=1e-11))

    def shares(part):
        kept_rows = [row for _ in range(runs) for row in kept(part)]
        return {row: kept_rows.count(row) / runs for row in rows}

    with_all = shares(table)
    for gone in sizes:
        without = shares(table[table["person"] != gone])
        if any(abs(without[row] - with_all[row]) > allowed for row in rows if row[0] != gone):
            raise NotYet(f"without {gone}, other people keep other rows. Each person's rows must decide alone.")
    return "Whoever leaves takes at most two rows along, and nobody else's change."
