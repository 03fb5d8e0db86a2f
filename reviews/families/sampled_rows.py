"""A sample of rows in the place of one of people: who has many rows is nearly always in it."""

import math

import numpy as np
import pandas as pd

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks", "can't be said")
STORIES = (
    ("Borrowers", "loans", "reader", "a loan", "library"),
    ("Cyclists", "rides", "cyclist", "a ride", "bicycle shop"),
    ("Patients", "calls", "patient", "a call to the surgery", "surgery"),
)
RATE = 0.1


def before(rows, epsilon, rng):
    people = rows["person"].unique()
    drawn = people[rng.random(len(people)) < RATE]
    sample = rows[rows["person"].isin(drawn)]
    larger = np.log(1 + (np.exp(epsilon) - 1) / RATE)
    return sample["person"].nunique() + rng.laplace(scale=1 / larger)


def after(rows, epsilon, rng):
    sample = rows[rng.random(len(rows)) < RATE]
    larger = np.log(1 + (np.exp(epsilon) - 1) / RATE)
    return sample["person"].nunique() + rng.laplace(scale=1 / larger)


def mended(rows, epsilon, rng):
    return rows["person"].nunique() + rng.laplace(scale=1 / epsilon)


REASONS = {
    "keeps": "Each person has one row, and is in the sample by one unseen coin of chance {rate}. Then noise for the"
    " larger ε inside costs ε outside, as before.",
    "breaks": "A person of many rows is in the sample nearly always: one of the rows is enough. For her the sample"
    " hides nothing, and the noise is that of the larger ε.",
    "can't be said": "With one row a person it is a sample of people, and the promise holds. With many rows a person is"
    " in the sample nearly always, and the noise is too small. Ask how many rows a person may have.",
}


def table(person, *people):
    """Return a table with a row for each of these names."""
    return pd.DataFrame({person: list(people)}, dtype=object)


def loss(version, which, data, neighbour, **_):
    """Return the exact ε for a person with so many rows more: the count inside moves by 1, if one of them is drawn."""
    epsilon, rate = version.review.epsilon, version.drawn.words["RATE"]
    if which == "mended":
        return epsilon
    coins = 1 if which == "before" else abs(len(data) - len(neighbour))
    inside, drawn = math.log(1 + (math.exp(epsilon) - 1) / rate), 1 - (1 - rate) ** coins
    return max(math.log(1 - drawn + drawn * math.exp(inside)), -math.log(1 - drawn + drawn * math.exp(-inside)))


def draw(rng, form) -> Drawn:
    """Draw how many rows a person may have by the form."""
    title, rows, person, what, place = pick(rng, STORIES)
    rate, epsilon = pick(rng, (0.1, 0.2, 0.25)), pick(rng, (0.5, 1.0, 2.0))
    unit = {
        "keeps": f"A person, the `{person}`. The {place} keeps one row of each: the last one of the year.",
        "breaks": f"A person, the `{person}`, who may have any number of rows: a row is {what}.",
        "can't be said": f"A person, the `{person}`. How many rows of a person the {place} keeps is set in the program"
        " that writes the table, which isn't in the change.",
    }
    nobody, once, often = (table(person, *["Ada"] * times) for times in (0, 1, 60))
    completions = {
        "keeps": ("one row a person is kept", {"data": once, "neighbour": nobody}),
        "breaks": ("all rows are kept, and Ada has 60", {"data": often, "neighbour": nobody}),
    }
    return Drawn(
        title=title,
        words={"rows": rows, "person": person, "RATE": rate},
        code={"before": before, "after": after} | ({"mended": mended} if form == "breaks" else {}),
        review=Review(
            change="The sample is drawn in one line now, by the same rate.",
            promise=f"ε = {epsilon:g}, add/remove one person with all rows.",
            unit=unit[form],
            public=f"The rate {rate:g}. Nobody learns what is in the sample.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("sample = rows[rng.random(len(rows)) < RATE]",),
            also=("larger = np.log(1 + (np.exp(epsilon) - 1) / RATE)",),
            reason=REASONS[form].format(rate=f"{rate:g}"),
            mending="Count all people with noise for ε, or sample people." if form == "breaks" else "",
            kind="sampling",
            chapter=12,
            source="amplification by sampling records",
            data=once if form == "keeps" else often,
            neighbour=nobody,
            event="the answer is at least 1",
            happens=lambda output: output >= 1,
            trials=3_000,
            completions=completions if form == "can't be said" else None,
        ),
        pairs=[(often, nobody)] if form == "breaks" else [(once, nobody)],
        loss=loss,
    )
