"""Answers to the labs of chapter 2: right ones, and wrong ones with a part of what they are told."""

import numpy as np


def by_groups(data, columns, secret):
    return sum(len(group) for _, group in data.groupby(columns) if group[secret].nunique() == 1)


def both(first, clues_1, second, clues_2, secret):
    sets = []
    for table, clues in ((first, clues_1), (second, clues_2)):
        fits = np.logical_and.reduce([table[column] == value for column, value in clues.items()])
        sets.append(set(table.loc[fits, secret]))
    return sets[0] & sets[1]


def only_first(first, clues_1, second, clues_2, secret):
    return both(first, clues_1, first, clues_1, secret)


def either(first, clues_1, second, clues_2, secret):
    return both(first, clues_1, first, clues_1, secret) | both(second, clues_2, second, clues_2, secret)


def no_duplicates(data, columns, secret):
    agree = data.groupby(columns)[secret].agg(["size", "nunique"])
    return agree.loc[(agree["nunique"] == 1) & (agree["size"] > 1), "size"].sum()


def by_dictionary(data, columns, secret):
    seen = {}
    for values, value in zip(data[columns].itertuples(index=False, name=None), data[secret], strict=True):
        seen.setdefault(values, []).append(value)
    return np.int64(sum(len(values) for values in seen.values() if len(set(values)) == 1))


def both_by_query(first, clues_1, second, clues_2, secret):
    one, two = (
        table.query(" and ".join(f"`{column}` == {value}" for column, value in clues.items()))
        for table, clues in ((first, clues_1), (second, clues_2))
    )
    return frozenset(value for value in one[secret] if value in set(two[secret]))


def first_clues(first, clues_1, second, clues_2, secret):
    one, two = (dict([next(iter(clues.items()))]) for clues in (clues_1, clues_2))
    return both(first, one, second, two, secret)


def all_clues_for_both(first, clues_1, second, clues_2, secret):
    clues = clues_1 | clues_2
    one, two = ({name: clues[name] for name in clues if name in table} for table in (first, second))
    return both(first, one, second, two, secret)


RIGHT = {
    "six-people-at-three-levels": [
        [1, 1, 3],
    ],
    "given-away": [
        by_groups,
        by_dictionary,
    ],
    "second-table": [
        both,
        both_by_query,
    ],
}

WRONG = {
    "six-people-at-three-levels": [
        ([1, 1, 2], "look again at k with ages by thirty"),
    ],
    "given-away": [
        (lambda data, columns, secret: (data.groupby(columns)[secret].nunique() == 1).sum(), "count the people in"),
        (no_duplicates, "alone in their crowd"),
        (lambda data, columns, secret: len(data) - by_groups(data, columns, secret), "not given away"),
        (lambda data, columns, secret: by_groups(data, columns, secret) / len(data), "their share"),
        (lambda data, columns, secret: (data.groupby(columns).size() == 1).sum(), "those are alone;"),
        (lambda data, columns, secret: len(data), "you returned"),
    ],
    "second-table": [
        (only_first, "the first table leaves"),
        (either, "must fit both tables"),
        (lambda *arguments: either(*arguments) - both(*arguments), "in one of the crowds only"),
        (first_clues, "agree with every clue"),
        (all_clues_for_both, "the first table leaves"),
        (lambda *arguments: list(both(*arguments)), "return a set of secrets, not list"),
    ],
}
