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
    """Return an answer to lab 4.3: exact counts plus what ``noise`` makes of the counts, ε and rng."""

    def answer(values, categories, epsilon, rng):
        counts = counted(values, categories)
        return counts + noise(counts, epsilon, rng)

    return answer


def two_with_noise(noise):
    """Return an answer to lab 4.5: an exact table plus noise, and its row sums."""

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


RIGHT = [
    ("4.1", 2.0),
    ("4.2", 50_000),
    ("4.2", 49_990.0),
    ("4.3", with_noise(laplace(2))),
    ("4.3", lambda *given: with_noise(laplace(2))(*given).tolist()),
    ("4.3", lambda *given: np.round(with_noise(laplace(2))(*given)).astype(int)),
    ("4.3", lambda *given: with_noise(laplace(2))(*given).astype(int)),
    ("4.3", lambda *given: np.floor(with_noise(laplace(2))(*given))),
    ("4.3", one_by_one),
    ("4.3", with_noise(inverse)),
    ("4.3", by_codes),
    ("4.3", with_noise(lambda counts, e, rng: rng.gamma(1, 2 / e, len(counts)) - rng.gamma(1, 2 / e, len(counts)))),
    ("4.3", geometric),
    ("4.3", by_the_package),
    ("4.4", lambda published, others: round(sum(published)) > others),
    ("4.4", lambda published, others: published.to_numpy().sum() >= others + 0.9),
    ("4.4", lambda published, others: abs(sum(published.tolist()) - others) > 0.5),
    ("4.5", arrays_of_both),
    ("4.5", lambda *given: list(arrays_of_both(*given))),
    ("4.5", patched(arrays_of_both, "to_numpy()", "round().astype(int)")),
    ("4.5", lambda *given: (lambda table: (table.sum(axis=1).clip(0), table))(arrays_of_both(*given)[1])),
    ("4.5", geometric_table),
    ("4.5", table_by_loops),
    ("4.5", lambda *given: (lambda table: (np.maximum(table, 0).sum(axis=1), table))(table_by_loops(*given)[1])),
]

WRONG = [
    ("4.5", patched(arrays_of_both, "to_numpy()", "iloc[::-1]"), "in their order, the empty ones too"),
    ("4.1", 3, "add those up"),
    ("4.2", 1_000, "half of the noise is positive"),
    ("4.3", lambda v, c, epsilon, rng: "four counts", "an array of numbers"),
    ("4.3", with_noise(laplace(1)), "a replaced one changes two cells"),
    ("4.3", with_noise(laplace(4)), "not two cells by 2"),
    ("4.3", with_noise(laplace(2 / 1.2)), "4 is needed"),
    ("4.3", adds_up, "second look at the data"),
    ("4.3", with_noise(lambda counts, e, rng: rng.poisson(4 / e**2, len(counts)) - 4 / e**2), "thin tails"),
    ("4.3", as_counted, "every category needs a row"),
    ("4.3", missing_are_nan, "counts 0 before"),
    ("4.3", by_size, "in their order"),
    ("4.3", lambda v, c, epsilon, rng: with_noise(laplace(2))(v, c[:-1], epsilon, rng), "an array of shape (4,)"),
    ("4.3", lambda v, c, epsilon, rng: with_noise(laplace(2))(v, c[::-1], epsilon, rng), "with next to no noise"),
    ("4.3", lambda v, c, epsilon, rng: dict(zip(c, counted(v, c), strict=True)), "no ε"),
    ("4.4", lambda published, others: published.sum() - others, "True or False"),
    ("4.4", lambda published, others: sum(published) > others, "add up to, rounded"),
    ("4.4", lambda published, others: published.sum() == others + 1, "add up to, rounded"),
    ("4.4", lambda published, others: np.isclose(published.sum(), others + 1), "nobody else"),
    ("4.4", lambda published, others: True, "nobody else was in the table"),
    ("4.4", lambda published, others: False, "one more person was in the table"),
    ("4.4", lambda published, others: len(published) > others, "add up to"),
    ("4.4", lambda published, others: bool(published.max() > others / 8), "add up to"),
    ("4.4", lambda published, others: bool(published.round().sum() > others), "add up to"),
    ("4.5", paid_twice, "isn't a function of the published table"),
    ("4.5", two_with_noise(laplace(2)), "half of ε on the table"),
    ("4.5", two_with_noise(lambda exact, e, rng: rng.laplace(0, 1 / e, (len(exact), 1))), "noise of its own"),
    ("4.5", lambda *given: [part.clip(lower=0) for part in two_with_noise(laplace(1))(*given)], "isn't a function"),
    ("4.5", exact_histogram, "your histogram is exact"),
    ("4.5", averaged, "isn't a function"),
    ("4.5", without_empty_rows, "the empty ones too"),
    ("4.5", lambda a, b, rows, columns, epsilon, rng: counted(a, rows), "give a pair"),
    ("4.5", lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), None), "it needs a return"),
    ("4.5", lambda a, b, rows, columns, epsilon, rng: (np.zeros(16), np.zeros((2, 2))), "an array of shape (16, 4)"),
]
