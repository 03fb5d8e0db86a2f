"""Answers to the labs of chapter 4: right ones, and wrong ones with a part of what they are told."""

from decimal import Decimal

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp


def crosstab(a, b, rows, columns, epsilon, rng):
    return dp.private_crosstab(a, b, row_categories=rows, column_categories=columns, epsilon=epsilon, rng=rng)


def crossed(a, b, rows, columns):
    return pd.crosstab(a, b).reindex(index=rows, columns=columns, fill_value=0)


def counted(values, categories):
    return np.array([(values == category).sum() for category in categories])


def once_a_day(visits):
    """Return the day of each pair of person and day."""
    return visits.drop_duplicates(["person", "day"])["day"]


def people_by_day(visits, days):
    return once_a_day(visits).value_counts().reindex(days, fill_value=0).to_numpy()


def with_noise(noise):
    """Answer visitors-of-each-day by exact counts plus what ``noise`` makes of the counts, ε and rng."""

    def answer(visits, days, epsilon, rng):
        counts = people_by_day(visits, days)
        return counts + noise(counts, epsilon, rng)

    return answer


def two_with_noise(noise):
    """Answer two-tables-for-one-price by an exact table plus noise, and its row sums."""

    def answer(a, b, rows, columns, epsilon, rng):
        exact = crossed(a, b, rows, columns)
        table = exact + noise(exact, epsilon, rng)
        return table.sum(axis=1), table

    return answer


def paid_twice(a, b, rows, columns, epsilon, rng):
    histogram = dp.private_histogram(a, categories=rows, epsilon=epsilon / 2, rng=rng)
    return histogram, crosstab(a, b, rows, columns, epsilon / 2, rng)


def exact_histogram(a, b, rows, columns, epsilon, rng):
    return counted(a, rows), crosstab(a, b, rows, columns, epsilon, rng)


def arrays_of_both(a, b, rows, columns, epsilon, rng):
    table = crosstab(a, b, rows, columns, epsilon, rng).to_numpy()
    return table.sum(axis=1), table


def geometric_table(a, b, rows, columns, epsilon, rng):
    table = dp.geometric_mechanism(crossed(a, b, rows, columns), sensitivity=1, epsilon=epsilon, rng=rng)
    return table.sum(axis=1), table


def table_by_loops(a, b, rows, columns, epsilon, rng):
    pairs = list(zip(a, b, strict=True))
    table = [[pairs.count((r, c)) + rng.laplace(0, 1 / epsilon) for c in columns] for r in rows]
    return [sum(row) for row in table], table


def without_empty_rows(a, b, rows, columns, epsilon, rng):
    table = pd.crosstab(a, b) + 0.0
    return table.sum(axis=1), table


def by_the_package(visits, days, epsilon, rng):
    return dp.private_histogram(once_a_day(visits), categories=days, epsilon=epsilon / len(days), rng=rng)


def day_by_day(visits, days, epsilon, rng):
    each = epsilon / len(days)
    return [dp.private_count(visits[visits["day"] == day]["person"].unique(), epsilon=each, rng=rng) for day in days]


def by_sets(visits, days, epsilon, rng):
    came = {day: set() for day in days}
    for person, day in zip(visits["person"], visits["day"], strict=True):
        came[day].add(person)
    return {day: len(people) + rng.laplace(0, len(days) / epsilon) for day, people in came.items()}


def geometric(visits, days, epsilon, rng):
    return dp.geometric_mechanism(people_by_day(visits, days), sensitivity=len(days), epsilon=epsilon, rng=rng)


def by_the_group_counts(visits, days, epsilon, rng):
    names = {"person": "person", "group": "day", "keys": days, "most_groups": len(days)}
    return dp.private_group_counts(visits, **names, epsilon=epsilon, rng=rng)


def crossed_with_people(visits, days, epsilon, rng):
    crossed = visits.groupby(["person", "day"]).size().unstack(fill_value=0)
    came = crossed.clip(upper=1).sum().reindex(days).fillna(0)
    return came + rng.laplace(scale=len(days) / epsilon, size=len(days))


def as_counted(visits, days, epsilon, rng):
    counts = visits.groupby("day")["person"].nunique()
    return counts + rng.laplace(0, len(days) / epsilon, len(counts))


def by_size(visits, days, epsilon, rng):
    counts = once_a_day(visits).value_counts().reindex(days, fill_value=0).sort_values(ascending=False)
    return counts + rng.laplace(0, len(days) / epsilon, len(counts))


def missing_are_nan(visits, days, epsilon, rng):
    return visits.groupby("day")["person"].nunique().reindex(days) + rng.laplace(0, len(days) / epsilon, len(days))


def rows_by_day(visits, days, epsilon, rng):
    counts = visits["day"].value_counts().reindex(days, fill_value=0)
    return counts + rng.laplace(0, len(days) / epsilon, len(days))


def busiest_person(visits, days, epsilon, rng):
    most = visits.groupby("person")["day"].nunique().max()
    return people_by_day(visits, days) + rng.laplace(0, most / epsilon, len(days))


def one_day_each(visits, days, epsilon, rng):
    """Count everybody on one day only."""
    first = visits.drop_duplicates("person")["day"].value_counts().reindex(days, fill_value=0)
    return first + rng.laplace(0, 1 / epsilon, len(days))


def laplace(days_of):
    """Return noise for each count, of as many days' scale as ``days_of`` makes of their number."""
    return lambda counts, epsilon, rng: rng.laplace(0, days_of(len(counts)) / epsilon, np.shape(counts))


def cells(scale):
    """Return noise of ``scale / epsilon`` for each cell."""
    return lambda counts, epsilon, rng: rng.laplace(0, scale / epsilon, np.shape(counts))


def adds_up(visits, days, epsilon, rng):
    """Return noisy counts, of which the last is what is missing from the exact total."""
    counts = by_the_package(visits, days, epsilon, rng).tolist()
    return [*counts[:-1], people_by_day(visits, days).sum() - sum(counts[:-1])]


def inverse(counts, epsilon, rng):
    side = rng.random(len(counts)) - 0.5
    return -len(counts) / epsilon * np.sign(side) * np.log1p(-2 * np.abs(side))


def in_decimals(visits, days, epsilon, rng):
    counts = zip(days, people_by_day(visits, days).tolist(), strict=True)
    return {day: Decimal(n) + Decimal(rng.laplace(0, len(days) / epsilon)) for day, n in counts}


def averaged(a, b, rows, columns, epsilon, rng):
    """Return a histogram that is the mean of the table's and of one with noise of its own."""
    table = crossed(a, b, rows, columns) + rng.laplace(0, 1 / epsilon, (len(rows), len(columns)))
    return (table.sum(axis=1) + counted(a, rows) + rng.laplace(0, 1 / epsilon, len(rows))) / 2, table


RIGHT = {
    "bill": [
        2.0,
    ],
    "visitors-of-each-day": [
        by_the_package,
        lambda *given: np.round(by_the_package(*given)).astype(int),
        geometric,
        lambda *given: by_the_package(*given).tolist(),
        lambda *given: np.floor(by_the_package(*given)),
        lambda *given: by_the_package(*given).astype(int),
        day_by_day,
        by_sets,
        by_the_group_counts,
        crossed_with_people,
        in_decimals,
        with_noise(laplace(lambda days: days)),
        with_noise(inverse),
        with_noise(lambda counts, e, rng: np.rint(inverse(counts, e, rng))),
        with_noise(
            lambda counts, e, rng: (
                len(counts) * (rng.exponential(1 / e, len(counts)) - rng.exponential(1 / e, len(counts)))
            )
        ),
    ],
    "numbers-that-add-up": [
        lambda published, others: round(sum(published)) > others,
        lambda published, others: published.to_numpy().sum() >= others + 0.9,
        lambda published, others: abs(sum(published.tolist()) - others) > 0.5,
    ],
    "two-tables-for-one-price": [
        arrays_of_both,
        lambda *given: list(arrays_of_both(*given)),
        patched(arrays_of_both, "to_numpy()", "round().astype(int)"),
        lambda *given: (lambda table: (table.sum(axis=1).clip(0), table))(arrays_of_both(*given)[1]),
        geometric_table,
        table_by_loops,
        lambda *given: (lambda table: (np.maximum(table, 0).sum(axis=1), table))(table_by_loops(*given)[1]),
    ],
}

WRONG = {
    "bill": [
        (3, "add those up"),
    ],
    "visitors-of-each-day": [
        (lambda v, days, epsilon, rng: "four counts", "an array of numbers"),
        (rows_by_day, "You count visits, not people"),
        (one_day_each, "with next to no noise"),
        (with_noise(laplace(lambda days: 1)), "one day; a person may come on all of them"),
        (with_noise(laplace(lambda days: 2)), "on more days than two"),
        (with_noise(laplace(lambda days: 2 * days)), "isn't replaced"),
        (with_noise(laplace(lambda days: days / 1.2)), "4 is needed"),
        (busiest_person, "the busiest person of this table"),
        (with_noise(lambda counts, e, rng: inverse(counts, e, rng).astype(int)), "int() cuts both its sides"),
        (adds_up, "a second look at the data"),
        (with_noise(lambda n, e, rng: rng.normal(0, 1.25 * len(n) / e, len(n))), "thin tails"),
        (as_counted, "every group needs a row"),
        (missing_are_nan, "counts 0 before"),
        (by_size, "in their order"),
        (lambda v, days, epsilon, rng: by_the_package(v, days, epsilon, rng).tolist()[:-1], "an array of shape (4,)"),
        (lambda v, days, epsilon, rng: by_the_package(v, days, epsilon, rng).to_numpy()[::-1], "with next to no noise"),
        (lambda v, days, epsilon, rng: by_the_package(v, days, epsilon, rng).clip(lower=0), "leave those as they come"),
        (lambda v, days, epsilon, rng: people_by_day(v, days), "no ε"),
    ],
    "numbers-that-add-up": [
        (lambda published, others: published.sum() - others, "True or False"),
        (lambda published, others: sum(published) > others, "add up to, rounded"),
        (lambda published, others: published.sum() == others + 1, "add up to, rounded"),
        (lambda published, others: np.isclose(published.sum(), others + 1), "nobody else"),
        (lambda published, others: True, "nobody else was in the table"),
        (lambda published, others: False, "one more person was in the table"),
        (lambda published, others: len(published) > others, "add up to"),
        (lambda published, others: bool(published.max() > others / 8), "add up to"),
        (lambda published, others: bool(published.round().sum() > others), "add up to"),
    ],
    "two-tables-for-one-price": [
        (patched(arrays_of_both, "to_numpy()", "iloc[::-1]"), "in their order, the empty ones too"),
        (paid_twice, "isn't a function of the published table"),
        (two_with_noise(lambda n, e, rng: rng.laplace(0, 1 / e, n.shape).astype(int)), "int() cuts both its sides"),
        (two_with_noise(cells(2)), "half of ε on the table"),
        (two_with_noise(lambda exact, e, rng: rng.laplace(0, 1 / e, (len(exact), 1))), "noise of its own"),
        (lambda *given: [part.clip(lower=0) for part in two_with_noise(cells(1))(*given)], "isn't a function"),
        (exact_histogram, "your histogram is exact"),
        (averaged, "isn't a function"),
        (without_empty_rows, "the empty ones too"),
        (lambda a, b, rows, columns, epsilon, rng: counted(a, rows), "give a pair"),
        (lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), None), "it needs a return"),
        (lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), np.zeros((2, 2))), "an array of shape (16, 4)"),
    ],
}
