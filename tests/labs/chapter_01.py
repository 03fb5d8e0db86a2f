"""Answers to the labs of chapter 1: right ones, and wrong ones with a part of what they are told."""

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp


def unmask_by_merging(known, released, on):
    pairs = known.merge(released, on=on)
    incomes = pairs.groupby("Name")["Target"].agg(["nunique", "first"])
    return incomes.loc[incomes["nunique"] == 1, "first"].to_dict()


def unmask_row_by_row(known, released, on):
    found = {}
    for person in known.to_dict("records"):
        rows = released
        for column in on:
            rows = rows[rows[column] == person[column]]
        if rows["Target"].nunique() == 1:
            found[person["Name"]] = rows["Target"].iloc[0]
    return found


def only_one_row(known, released, on):
    pairs = dp.link(known, released, on)
    alone = pairs.groupby("Name")["Target"].transform("size") == 1
    return dict(zip(pairs.loc[alone, "Name"], pairs.loc[alone, "Target"], strict=True))


def first_row(known, released, on):
    return known.merge(released, on=on).groupby("Name")["Target"].first().to_dict()


def by_row_number(known, released, on):
    return dict(zip(known["Name"], released["Target"], strict=False))


def tracker(name, data, ask):
    target, women = data["Name"] == name, data["Sex"] == "Female"
    return ask(women | target) + ask(~women | target) - ask(women | ~women)


def tracker_by_halves(name, data, ask):
    """Any two halves will do; the person is moved from one into both."""
    me = data["Name"].to_list().index(name)
    first = [i < 500 or i == me for i in range(1000)]
    second = [i >= 500 or i == me for i in range(1000)]
    return ask(first) + ask(second) - ask([True] * 1000)


def alone(name, data, ask):
    return ask(data["Name"] == name)


def two_totals(name, data, ask):
    everybody = data["Name"] == data["Name"]
    return ask(everybody) - ask(data["Name"] != name)


def asks_four(name, data, ask):
    women = data["Sex"] == "Female"
    ask(women.sample(frac=1, random_state=1, ignore_index=True))
    return tracker(name, data, ask)


def rebuild(ask, n, rng):
    groups = rng.integers(0, 2, size=(600, n))
    answers = np.array([ask(group) for group in groups])
    return (np.linalg.lstsq(groups, answers)[0] > 0.5).astype(int)


def rebuild_with_the_package(ask, n, rng):
    groups = [rng.permutation(n) < n // 2 for _ in range(600)]
    return dp.reconstruct(np.array(groups).astype(int), [ask(group) for group in groups])


def rebuild_by_correlation(ask, n, rng):
    """Whoever is in the groups with high counts has a one."""
    groups = rng.integers(0, 2, size=(600, n))
    answers = np.array([ask(group) for group in groups])
    ridge = np.linalg.solve(groups.T @ groups + 0.1 * np.eye(n), groups.T @ answers)
    return [bool(estimate > 0.5) for estimate in ridge]


def rebuild_from_one_group(ask, n, rng):
    group = rng.integers(0, 2, size=n)
    answers = np.array([ask(group) for _ in range(600)])
    return np.linalg.lstsq(np.tile(group, (600, 1)), answers)[0] > 0.5


def roughly(data):
    return data[[]].assign(Born=data["DOB"].dt.year // 10 * 10, Area=data["Zip"] // 1000)


def by(born, area):
    return lambda data: pd.DataFrame({"Born": born(data), "Area": area(data)})


def decade(data):
    return data["DOB"].dt.year // 10


def rare_together(data):
    area = data["Zip"] // 1000
    return area.where(area.map(area.value_counts()) >= 10, -1)


def around_the_median(data):
    year = data["DOB"].dt.year
    return np.digitize(year, year.median() + np.arange(-40, 40, 10))


def in_words(data):
    area = data["Zip"].astype(str).str.zfill(5).str[:2]
    return pd.DataFrame({"Area": area.tolist(), "Born": decade(data).astype(str).add("0s").tolist()})


def in_intervals(data):
    born = pd.cut(data["DOB"].dt.year, range(1900, 2021, 10))
    return pd.DataFrame({"Born": born, "Area": pd.cut(data["Zip"], range(-1, 100_000, 1000))})


RIGHT = {
    "names-on-incomes": [
        unmask_by_merging,
        unmask_row_by_row,
    ],
    "tracker": [
        tracker,
        tracker_by_halves,
    ],
    "rebuild-the-column": [
        rebuild,
        rebuild_with_the_package,
        rebuild_by_correlation,
    ],
    "coarse-enough": [
        roughly,
        by(lambda d: d["DOB"].dt.year, lambda d: d["Zip"] // 10_000),
        in_words,
        in_intervals,
    ],
}

WRONG = {
    "names-on-incomes": [
        (lambda known, released, on: {"Nobody": 1}, "nobody can tell what Nobody earns"),
        (only_one_row, "every row that fits Cleo says >50K"),
        (first_row, "nobody can tell what Cleo earns"),
        (by_row_number, "Ada earns <=50K, you say"),
        (lambda known, released, on: unmask_by_merging(known, released, on[:1]), "you left Ada out"),
        (lambda known, released, on: known.merge(released, on=on), "not DataFrame"),
        (lambda *tables: dict.fromkeys(unmask_by_merging(*tables), ">50K"), "Ada earns <=50K, you say"),
    ],
    "tracker": [
        (alone, "groups of fewer than 100; yours has 1"),
        (two_totals, "differs from an earlier one by 1"),
        (patched(tracker, " - ask(women | ~women)", ""), "you found"),
        (asks_four, "one too many"),
        (lambda name, data, ask: ask([name]), "True or False, or a 1 or 0, for each of 1,000"),
        (lambda name, data, ask: "forty", "give a number"),
        (lambda name, *asked: dp.load_census().set_index("Name").loc[name, "Hours per week"], "hours a week here"),
    ],
    "rebuild-the-column": [
        (lambda office, people, rng: "unread", "zeros and ones, one for each person"),
        (patched(rebuild, "600", "90"), "from 90 answers: the office answers 600 questions"),
        (patched(rebuild, "600", "601"), "one too many"),
        (rebuild_from_one_group, "ask about random halves"),
        (lambda ask, n, rng: [ask(np.arange(n) == person) > 0.5 for person in range(n)], "yours has 1"),
        (lambda ask, n, rng: 1 - rebuild(ask, n, rng), "1 for 0 and 0 for 1"),
        (lambda ask, n, rng: rng.integers(0, 2, n), "from 0 answers"),
        (lambda ask, n, rng: rng.random(n), "into bits"),
        (lambda ask, n, rng: rebuild(ask, n - 1, rng), "a 1 or 0, for each of 60 people"),
    ],
    "coarse-enough": [
        (patched(roughly, "data[[]]", "data"), "release Born and Area, and nothing beside them"),
        (lambda d: roughly(d).sort_values("Area"), "your rows stand in another order, or under other names"),
        (by(lambda d: d["DOB"], lambda d: d["Zip"]), "unique; make Born or Area coarser"),
        (by(decade, lambda d: d["Zip"] // 10_000), "different pairs remain"),
        (by(lambda d: d.index % 30, lambda d: d["Zip"] // 1000), "Born may depend on DOB alone"),
        (by(decade, lambda d: d.index % 90), "Area may depend on Zip alone"),
        (by(lambda d: pd.qcut(d["DOB"], 30), lambda d: d["Zip"] // 1000), "with other people in the table"),
        (by(decade, lambda d: pd.cut(d["Zip"], 99, labels=False)), "with other people in the table"),
        (by(decade, rare_together), "with other people in the table"),
        (by(around_the_median, lambda d: d["Zip"] // 1000), "with other people in the table"),
        (lambda data: roughly(data).set_index(data["Name"]), "and nothing beside"),
        (lambda data: roughly(data).drop_duplicates(), "keep all"),
        (lambda data: data[["DOB", "Zip"]], "columns Born, Area"),
    ],
}
