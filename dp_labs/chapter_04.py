"""The labs of chapter 4, Properties of differential privacy."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, array, function, pair, truth
from .noise import Case, Size, additive
from .tables import NumberLab

LABS = (
    "bill",
    "visitors-of-each-day",
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
        0.5: "that is the most expensive table (add/remove). The three are about the same people: they add up.",
        2 * _TABLES: "the countries' histograms are about the same people as the two tables: they add up.",
    },
    otherwise="start with what each of the three costs under add/remove, and add those up.",
)


def visitors_of_each_day(answer) -> str:
    """Check counts of people by day whose noise covers a person who comes every day, and often."""
    count = function(answer)
    days, exact = [3, 1, 4, 2], np.array([2, 0, 1, 5])
    visits = _visits(days, exact)
    counts = _counted(count(visits.copy(), list(days), 1e6, np.random.default_rng(43)), days)
    if not np.abs(counts - exact).max() <= 1:  # rounded, or cut off
        rows = visits["day"].value_counts().reindex(days, fill_value=0)
        why = " You count visits, not people." if np.abs(counts - rows).max() <= 1 else ""
        given = (counts.round(1) + 0).tolist()  # 0.0 where it was -0.0
        raise NotYet(f"with next to no noise, the days {days} should get {exact.tolist()}, not {given}.{why}")

    def case(days, times, epsilon):
        exact = times * np.resize([0, 1, 0, 2, 12, 3], len(days))
        exact[7] = times * 40
        visits = _visits(days, exact)

        def draw(rng):
            return _counted(count(visits.copy(), list(days), epsilon, rng), days)

        where = f"for {len(days)} days at ε = {epsilon:g}"
        return Case(draw, exact, len(days) / epsilon, where, 200)

    one_day = "It covers one day; a person may come on all of them, and the days add up."
    reasons = {
        **dict.fromkeys([1 / 42, 1 / 30], one_day),
        **dict.fromkeys([2 / 42, 2 / 30], "A person is on more days than two; and nobody is replaced."),
        2 / 3: "That covers the busiest person of this table; another one may come on all days of the list.",
        2: "A person comes or goes, and isn't replaced: each day moves by 1 at most.",
    }
    cases = [case([*range(1, 43)], 1, 10.5), case([*range(130, 100, -1)], 8, 3)]
    additive(cases, 43, Size(reasons=reasons))
    return "A person who comes every day pays for every day, and your noise covers that."


def _visits(days, exact) -> pd.DataFrame:
    """Return a table in which so many people come on each day, the first ones most often, some of them three times."""
    person, day = np.concatenate([np.arange(n) for n in exact]), np.repeat([*days], exact)
    times = 1 + (person + day) % 3
    once = pd.DataFrame({"person": person, "day": day, "page": "news", "minutes": 3})
    return once.loc[once.index.repeat(times)].sample(frac=1, random_state=4).reset_index(drop=True)


def numbers_that_add_up(answer) -> str:
    """Check the attack on a histogram that was scaled to the true number of rows."""
    attack, rng = function(answer), np.random.default_rng(44)
    for _ in range(200):
        exact, present = rng.integers(50, 50_000, size=8), bool(rng.integers(2))
        others = int(exact.sum())
        exact[rng.integers(8)] += present
        noisy = exact + rng.laplace(0, 3, size=8)
        printed = noisy * exact.sum() / noisy.sum()
        guess = truth(attack(pd.Series(printed), others))
        if guess != present:
            case = f"with {others:,} others, {'one more person was' if present else 'nobody else was'} in the table"
            raise NotYet(f"{case}, and you said {guess}. What do the printed counts add up to, rounded?")
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
    first_case = case(0.25, 1, [f"level {k}" for k in range(16)], ["a", "b", "c", "d"])
    second_case = case(0.1, 4, [f"year {k}" for k in range(16, 0, -1)], ["south", "north", "west", "east"])
    additive([first_case, second_case], 45, Size(reasons=reasons))
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
            raise NotYet(f"every group needs a row, in their order, the empty ones too; yours are {[*given][:5]}.")
    if isinstance(counts, dict):
        counts = [counts.get(category, math.nan) for category in categories[0]]
    if counts is not None and pd.isna(np.asarray(counts, dtype=object)).any():
        raise NotYet("some counts are NaN: a group of nobody counts 0 before it gets its noise.")
    return array(counts, tuple(map(len, categories)), "one count for each group, or each cell of the table")
