"""Several columns."""

import numpy as np

from reviews.review import Review


def before(table, epsilon, rng):
    share = epsilon / len(table)
    totals = {}
    for column, values in table.items():
        total = np.clip(values, 0, 10).sum()
        totals[column] = total + rng.laplace(scale=10 / share)
    return totals


def after(table, epsilon, rng):
    totals = {}
    for column, values in table.items():
        total = np.clip(values, 0, 10).sum()
        totals[column] = total + rng.laplace(scale=10 / epsilon)
    return totals


mended = before


REVIEW = Review(
    change="Each column is a question of its own, so each gets the whole ε.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row and so one value in every column.",
    public="The columns' names and their number, which is 3. `table` is a dict: a name and its values for each column."
    " What the values mean isn't written anywhere.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("totals[column] = total + rng.laplace(scale=10 / epsilon)",),
    reason="One person moves every column. Three answers of ε = 1 about the same person are ε = 3 (composition).",
    mending="Divide ε by the number of columns.",
    kind="composition",
    chapter=4,
    first=True,
    source="a question to a library's makers: ε per column (smartnoise-sdk, issue 385)",
    data={"a": [10.0], "b": [10.0], "c": [10.0]},
    neighbour={"a": [], "b": [], "c": []},
    event="all three totals are above 10",
    happens=lambda output: min(output.values()) > 10,
    trials=20_000,
)
