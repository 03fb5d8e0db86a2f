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


def with_noise(noise):
    """Answer other-neighbours by exact counts plus what ``noise`` makes of the counts, ε and rng."""

    def answer(values, categories, epsilon, rng):
        counts = counted(values, categories)
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


def by_the_package(values, categories, epsilon, rng):
    return dp.private_histogram(values, categories=categories, epsilon=epsilon / 2, rng=rng)


def one_by_one(values, categories, epsilon, rng):
    counts = dict.fromkeys(categories, 0)
    for value in values:
        counts[value] += 1
    return [count + rng.laplace(0, 2 / epsilon) for count in counts.values()]


def geometric(values, categories, epsilon, rng):
    exact = values.value_counts().reindex(categories, fill_value=0)
    return dp.geometric_mechanism(exact, sensitivity=2, epsilon=epsilon, rng=rng)


def as_counted(values, categories, epsilon, rng):
    counts = values.value_counts()
    return counts + rng.laplace(0, 2 / epsilon, len(counts))


def by_size(values, categories, epsilon, rng):
    counts = values.value_counts().reindex(categories, fill_value=0).sort_values(ascending=False)
    return counts + rng.laplace(0, 2 / epsilon, len(counts))


def missing_are_nan(values, categories, epsilon, rng):
    return values.value_counts().reindex(categories) + rng.laplace(0, 2 / epsilon, len(categories))


def laplace(scale):
    """Return noise of ``scale / epsilon`` for each count."""
    return lambda counts, epsilon, rng: rng.laplace(0, scale / epsilon, np.shape(counts))


def adds_up(values, categories, epsilon, rng):
    """Return noisy counts, of which the last is what is missing from the public total."""
    counts = with_noise(laplace(2))(values, categories, epsilon, rng)
    return [*counts[:-1], len(values) - sum(counts[:-1])]


def inverse(counts, epsilon, rng):
    side = rng.random(len(counts)) - 0.5
    return -2 / epsilon * np.sign(side) * np.log1p(-2 * np.abs(side))


def by_codes(values, categories, epsilon, rng):
    counts = np.bincount(pd.Categorical(values, categories).codes, minlength=len(categories))
    return {
        name: Decimal(int(n)) + Decimal(rng.laplace(0, 2 / epsilon)) for name, n in zip(categories, counts, strict=True)
    }


def averaged(a, b, rows, columns, epsilon, rng):
    """Return a histogram that is the mean of the table's and of one with noise of its own."""
    table = crossed(a, b, rows, columns) + rng.laplace(0, 1 / epsilon, (len(rows), len(columns)))
    return (table.sum(axis=1) + counted(a, rows) + rng.laplace(0, 1 / epsilon, len(rows))) / 2, table


RIGHT = {
    "bill": [
        2.0,
    ],
    "other-neighbours": [
        with_noise(laplace(2)),
        lambda *given: with_noise(laplace(2))(*given).tolist(),
        lambda *given: np.round(with_noise(laplace(2))(*given)).astype(int),
        lambda *given: with_noise(laplace(2))(*given).astype(int),
        lambda *given: np.floor(with_noise(laplace(2))(*given)),
        one_by_one,
        with_noise(inverse),
        by_codes,
        with_noise(lambda counts, e, rng: rng.gamma(1, 2 / e, len(counts)) - rng.gamma(1, 2 / e, len(counts))),
        geometric,
        by_the_package,
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
    "other-neighbours": [
        (lambda v, c, epsilon, rng: "four counts", "an array of numbers"),
        (with_noise(laplace(1)), "a replaced one changes two cells"),
        (with_noise(laplace(4)), "not two cells by 2"),
        (with_noise(laplace(2 / 1.2)), "4 is needed"),
        (adds_up, "public under replace-one"),
        (with_noise(lambda counts, e, rng: rng.poisson(4 / e**2, len(counts)) - 4 / e**2), "thin tails"),
        (as_counted, "every category needs a row"),
        (missing_are_nan, "counts 0 before"),
        (by_size, "in their order"),
        (lambda v, c, epsilon, rng: with_noise(laplace(2))(v, c[:-1], epsilon, rng), "an array of shape (4,)"),
        (lambda v, c, epsilon, rng: with_noise(laplace(2))(v, c[::-1], epsilon, rng), "with next to no noise"),
        (lambda v, c, epsilon, rng: dict(zip(c, counted(v, c), strict=True)), "no ε"),
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
        (two_with_noise(laplace(2)), "half of ε on the table"),
        (two_with_noise(lambda exact, e, rng: rng.laplace(0, 1 / e, (len(exact), 1))), "noise of its own"),
        (lambda *given: [part.clip(lower=0) for part in two_with_noise(laplace(1))(*given)], "isn't a function"),
        (exact_histogram, "your histogram is exact"),
        (averaged, "isn't a function"),
        (without_empty_rows, "the empty ones too"),
        (lambda a, b, rows, columns, epsilon, rng: counted(a, rows), "give a pair"),
        (lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), None), "it needs a return"),
        (lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), np.zeros((2, 2))), "an array of shape (16, 4)"),
    ],
}
