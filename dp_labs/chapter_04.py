"""The labs of chapter 4, Properties of differential privacy."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, array, function, pair, truth
from .noise import Case, Size, additive
from .tables import NumberLab

LABS = (
    "bill",
    "other-neighbours",
    "numbers-that-add-up",
    "two-tables-for-one-price",
)

# A report: two tables and a histogram in each of 41 countries; each ε is for add/remove.
_TABLES, _COUNTRY, _COUNTRIES = 0.5 + 0.3, 0.2, 41
_DISJOINT = "nobody is in 41 countries: the countries are disjoint parts."

bill = NumberLab(
    right=2 * (_TABLES + _COUNTRY),
    praise="Three releases add up to 1.0 under add/remove, and a replaced person changes two cells of each.",
    mistakes={
        _TABLES + _COUNTRY: "that is under add/remove; a replaced person changes two cells, and the tables add up.",
        **dict.fromkeys([_TABLES + _COUNTRIES * _COUNTRY, 2 * (_TABLES + _COUNTRIES * _COUNTRY)], _DISJOINT),
        _TABLES + 2 * _COUNTRY: "the cells of the first two tables are disjoint parts, too, and two of them change.",
        2 * _TABLES + _COUNTRY: "a replaced person may change the country: two of the 41 histograms change.",
        0.5: "that is the dearest table under add/remove. The three tables are about the same people: they add up.",
        2 * _TABLES: "the countries' histograms are about the same people as the two tables: they add up.",
    },
    otherwise="start with what each of the three costs under add/remove, and add those up.",
)

_CELLS, _SCALE = 10_000, 10


def other_neighbours(answer) -> str:
    """Check a histogram whose noise covers a replaced row."""
    histogram, categories = function(answer), ["north", "east", "south", "west"]
    values, exact = pd.Series(["west", "east", "north", "west", "west", "east"]), np.array([1, 2, 0, 3])
    counts = _counted(histogram(values.copy(), list(categories), 1e6, np.random.default_rng(43)), categories)
    if not np.abs(counts - exact).max() <= 1:  # rounded, or cut off
        given = counts.round(1).tolist()
        raise NotYet(f"with next to no noise, {categories} should get {exact.tolist()}, not {given}.")
    # Districts, by their numbers: some are empty, some have one or two people, and some have many.
    categories = [*range(101, 146)]
    exact = np.resize([0, 1, 2, 12], 45)
    exact[7] = 40
    values = pd.Series(np.repeat(categories, exact)).sample(frac=1, random_state=4).reset_index(drop=True)

    def case(epsilon, times):
        several = pd.concat([values] * times, ignore_index=True)

        def draw(rng):
            return _counted(histogram(several.copy(), list(categories), epsilon, rng), categories)

        return Case(draw, exact * times, 2 / epsilon, f"at ε = {epsilon:g}", 200)

    reasons = {
        0.5: "It covers a person who is added or removed; a replaced one changes two cells.",
        2: "One row changes two cells by 1, not two cells by 2.",
    }
    additive([case(0.5, 1), case(0.1, 8)], 43, Size(reasons=reasons))
    return "Two cells may change by 1 each, and your noise covers both."


def numbers_that_add_up(answer) -> str:
    """Check the attack on a histogram that was scaled to the true number of rows."""
    attack, rng = function(answer), np.random.default_rng(44)
    for _ in range(200):
        exact, present = rng.integers(50, 50_000, size=8), bool(rng.integers(2))
        others = int(exact.sum())
        exact[rng.integers(8)] += present
        noisy = exact + rng.laplace(0, 3, size=8)
        printed = noisy * exact.sum() / noisy.sum()
        said = truth(attack(pd.Series(printed), others))
        if said != present:
            case = f"with {others:,} others, {'one more person was' if present else 'nobody else was'} in the table"
            raise NotYet(f"{case}, and you said {said}. What do the printed counts add up to, rounded?")
    return "Two hundred histograms, no mistake: the noise cancels in the sum."


def two_tables_for_one_price(answer) -> str:
    """Check that a histogram beside a table is computed from it, and that the table gets all of epsilon."""
    make = function(answer)
    exact = np.resize([2, 0, 1, 0, 0, 12, 1], (16, 4))
    exact[8] = 0
    cells = np.random.default_rng(45).permutation(np.repeat(np.arange(64), exact.ravel()))

    def case(epsilon, times, rows, columns):
        people = np.tile(cells, times)
        level, column = pd.Series(np.array(rows)[people // 4]), pd.Series(np.array(columns)[people % 4])

        def draw(rng):
            both = make(level.copy(), column.copy(), list(rows), list(columns), epsilon, rng)
            return _beside(both, exact * times, rows, columns)

        return Case(draw, exact * times, 1 / epsilon, f"at ε = {epsilon:g}", 140)

    reasons = {2: "You spend half of ε on the table; what do you spend the rest on?"}
    one = case(0.25, 1, [f"level {k}" for k in range(16)], ["a", "b", "c", "d"])
    other = case(0.1, 4, [f"year {k}" for k in range(16, 0, -1)], ["south", "north", "west", "east"])
    additive([one, other], 45, Size(reasons=reasons))
    return "All of ε goes into the table, and the histogram is post-processing."


def _beside(both, exact, rows, columns) -> np.ndarray:
    """Return the cells of the reader's table, if the histogram beside it follows from them."""
    histogram, table = pair(both, "(histogram, table)")
    histogram, table = _counted(histogram, rows), _counted(table, rows, columns)
    sums = [table.sum(axis=1), np.maximum(table.sum(axis=1), 0), np.maximum(table, 0).sum(axis=1)]
    apart = min(np.abs(histogram - rows).max() for rows in sums)
    if np.abs(histogram - exact.sum(axis=1)).max() < 0.5 < apart:
        raise NotYet("your histogram is exact, and no ε covers it.")
    if apart > 0.5 * (1 + len(columns)):  # all cells and the sum may have been rounded
        raise NotYet("your histogram isn't a function of the published table: which one can all its readers compute?")
    return table.ravel()


def _counted(counts, *categories) -> np.ndarray:
    """Return the reader's counts as an array, or say what is wrong with their form."""
    for given, wanted in zip(getattr(counts, "axes", ()), categories, strict=False):
        if list(given) != wanted and not isinstance(given, pd.RangeIndex):
            raise NotYet(f"every category needs a row, in their order, the empty ones too; yours are {[*given][:5]}.")
    if isinstance(counts, dict):
        counts = [counts.get(category, math.nan) for category in categories[0]]
    if counts is not None and pd.isna(np.asarray(counts, dtype=object)).any():
        raise NotYet("some counts are NaN: an answer that nobody gave counts 0 before it gets its noise.")
    return array(counts, tuple(map(len, categories)), "one count for each category, or each cell of the table")
