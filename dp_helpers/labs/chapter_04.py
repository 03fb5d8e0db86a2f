"""The labs of chapter 4, Properties of differential privacy."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, close, follows, function, laplace_cdf, number


def lab_1(answer) -> str:
    """Check the price of a report with two tables and 41 disjoint histograms, under replace-one."""
    given, tables, country, countries = number(answer), 0.5 + 0.3, 0.2, 41
    if close(given, tables + country):
        raise NotYet("that is the bill under add/remove. A replaced person changes two cells of each table.")
    if close(given, tables + countries * country) or close(given, 2 * (tables + countries * country)):
        raise NotYet("nobody is in 41 countries: the countries are disjoint parts.")
    if close(given, tables + 2 * country):
        raise NotYet("the cells of the first two tables are disjoint parts as well, and two of them change, too.")
    if close(given, 2 * 0.5):
        raise NotYet("that is the dearest table. The three tables are about the same people, so they add up.")
    if not close(given, 2 * (tables + country)):
        raise NotYet("start with what each of the three costs under add/remove, and add those up.")
    return "Three releases add up to 1.0 under add/remove, and a replaced person changes two cells of each."


def lab_2(answer) -> str:
    """Check how many people appear when 10,000 noisy zeros are raised to 0."""
    given, cells, scale = number(answer), 10_000, 10
    if close(given, cells * scale):
        raise NotYet("half of the draws are negative and become 0; you counted those as 10 each, too.")
    if close(given, scale / 2):
        raise NotYet("that is one cell.")
    if abs(given) < 1:
        raise NotYet("the draws are 0 on average before the negative ones are raised, but not afterwards.")
    if not close(given, cells * scale / 2):
        raise NotYet("the formula for the bias has c = 0 here, and b is 1/ε.")
    return "Half of the cells get 10 people on average: more people than this census has."


def lab_3(answer) -> str:
    """Check a histogram whose noise covers a replaced row."""
    histogram, categories = function(answer), ["north", "east", "south", "west"]
    values, exact = pd.Series(["west", "north", "west", "west", "east"]), np.array([1, 1, 0, 3])
    counts = _entries(histogram(values, categories, 1e6, np.random.default_rng(43)), categories)
    if np.abs(counts - exact).max() > 0.5:
        given = counts.round().astype(int).tolist()
        raise NotYet(f"with next to no noise, {categories} should get {exact.tolist()}, not {given}.")
    for epsilon, seed in [(0.5, 1), (2.0, 2)]:
        rng = np.random.default_rng(seed)
        draws = [histogram(values, categories, epsilon, rng) for _ in range(3_000)]
        _judge_noise(np.array([_entries(draw, categories) for draw in draws]) - exact, 2 / epsilon, epsilon)
    return "Two cells may change by 1 each, and your noise covers both."


def lab_4(answer) -> str:
    """Check the attack on a histogram that was scaled to the true number of rows."""
    attack, rng = function(answer), np.random.default_rng(44)
    for _ in range(200):
        exact, present = rng.integers(50, 5_000, size=8), bool(rng.integers(2))
        others = int(exact.sum())
        exact[rng.integers(8)] += present
        noisy = exact + rng.laplace(0, 3, size=8)
        said = attack(pd.Series(noisy * exact.sum() / noisy.sum()), others)
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"return True or False, not {said!r}.")
        if said != present:
            raise NotYet(f"with {others:,} others, yours was wrong. What do the printed counts add up to, exactly?")
    return "Two hundred histograms, no mistake: the noise cancels in the sum."


def lab_5(answer) -> str:
    """Check that a histogram beside a table is computed from it, and that the table gets all of epsilon."""
    make, rows, columns = function(answer), ["low", "middle", "high"], ["F", "M"]
    people = pd.DataFrame({"a": ["low", "low", "high", "low"], "b": ["F", "M", "M", "F"]})
    exact = np.array([[2, 1], [0, 0], [0, 1]])
    for epsilon, seed in [(0.5, 1), (2.0, 2)]:
        rng, errors = np.random.default_rng(seed), []
        for _ in range(1_500):
            both = make(people["a"], people["b"], rows, columns, epsilon, rng)
            if not isinstance(both, (tuple, list)) or len(both) != 2:
                raise NotYet("return two things, (histogram, table).")
            histogram, table = _entries(both[0], rows), _cells(both[1], rows, columns)
            errors.append((table - exact).ravel())
            agree = np.allclose(histogram, table.sum(axis=1))
            if not agree:
                break
        if agree:
            _judge_noise(np.array(errors), 1 / epsilon, epsilon)
        elif np.allclose(histogram, exact.sum(axis=1)):
            raise NotYet("your histogram is exact, and no ε covers it.")
        else:
            raise NotYet(
                "your histogram isn't a function of the published table, so it has a price of its own, and the table "
                "isn't as exact as it could be. Which histogram can every reader of the table compute?"
            )
    return "All of ε goes into the table, and the histogram is post-processing."


def _entries(counts, categories) -> np.ndarray:
    """Return the reader's counts as an array, or say what is wrong with their form."""
    if isinstance(counts, pd.Series) and list(counts.index) != categories:
        if sorted(counts.index) == sorted(categories):
            raise NotYet("the rows must stand in the order of the categories, not in that of the counts.")
        if not isinstance(counts.index, pd.RangeIndex):
            raise NotYet(f"every category needs a row, the empty ones too; yours are {list(counts.index)}.")
    array = np.asarray(counts, dtype=float)
    if array.shape != (len(categories),):
        raise NotYet(
            f"one count for each of {len(categories)} categories is wanted; yours has the shape {array.shape}."
        )
    return array


def _cells(table, rows, columns) -> np.ndarray:
    """Return the reader's table as an array, or say what is wrong with its form."""
    if isinstance(table, pd.DataFrame) and [list(table.index), list(table.columns)] != [rows, columns]:
        raise NotYet("the table's rows and columns must be the categories, in their order, the empty ones too.")
    array = np.asarray(table, dtype=float)
    if array.shape != (len(rows), len(columns)):
        raise NotYet(f"the table should be {len(rows)} by {len(columns)}; yours has the shape {array.shape}.")
    return array


def _judge_noise(errors: np.ndarray, scale: float, epsilon: float) -> None:
    """Compare draws of an array's errors, one row each, with independent Laplace noise of this scale."""
    if len(np.unique(errors[:, 0])) < 10:
        raise NotYet("every call needs fresh noise from rng.")
    if np.allclose(errors, errors[:, :1]):
        raise NotYet("every cell needs noise of its own: the same draw in all of them cancels in a difference.")
    size = np.abs(errors).mean()
    # A mean of 9,000 or more exponential sizes is within 10% of its expectation, except with probability below 1e-9.
    if not math.isclose(size, scale, rel_tol=0.1):
        raise NotYet(f"at ε = {epsilon:g} your noise is {size:.2f} in size on average; it should be {scale:.2f}.")
    if not follows(errors.ravel(), lambda x: laplace_cdf(x, scale)):
        raise NotYet("the size is right, but the noise isn't Laplace noise.")
