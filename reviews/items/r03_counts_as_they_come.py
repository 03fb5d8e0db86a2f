"""Fewer lines with pandas."""

import pandas as pd

from reviews.review import Review


def before(illnesses, names, epsilon, rng):
    counts = pd.Series(illnesses, dtype=object).value_counts()
    counts = counts.reindex(names, fill_value=0)
    noise = rng.laplace(scale=1 / epsilon, size=len(counts))
    return counts + noise


def after(illnesses, epsilon, rng):
    counts = pd.Series(illnesses, dtype=object).value_counts()
    noise = rng.laplace(scale=1 / epsilon, size=len(counts))
    return counts + noise


def mended(illnesses, epsilon, rng, names=("asthma", "flu", "measles")):
    counts = pd.Series(illnesses, dtype=object).value_counts()
    counts = counts.reindex(names, fill_value=0)
    noise = rng.laplace(scale=1 / epsilon, size=len(counts))
    return counts + noise


REVIEW = Review(
    change="We needn't maintain a list of illnesses: pandas finds those that occur.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row: the name of one illness.",
    public="Nothing about who has what.",
    parameters={"epsilon": 1.0},
    parameters_before={"names": ("asthma", "flu", "measles"), "epsilon": 1.0},
    verdict="breaks",
    lines=("counts = pd.Series(illnesses, dtype=object).value_counts()",),
    also=("return counts + noise",),
    reason="An illness that only one person has is in the table with her and missing without her, however large the"
    " noise. The rows also come in the order of the exact counts.",
    mending="A list of illnesses that is made without the data, and a count for each of them, also of 0.",
    kind="data-dependent parameter",
    chapter=4,
    first=True,
    source="what a table library does by itself",
    data=["flu", "flu", "measles"],
    neighbour=["flu", "flu"],
    event="measles is in the table",
    happens=lambda output: "measles" in output.index,
    trials=400,
)
