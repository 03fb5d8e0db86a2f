"""A count of visits."""

from reviews.review import Review


def before(visits, epsilon, rng):
    people = visits["person"].nunique()
    noise = rng.laplace(scale=1 / epsilon)
    return people + noise


def after(visits, epsilon, rng):
    rows = len(visits)
    noise = rng.laplace(scale=1 / epsilon)
    return rows + noise


def of(*people):
    """A table with a row for each of these."""
    import pandas as pd

    return pd.DataFrame({"person": list(people)})


REVIEW = Review(
    change="Counting rows is faster than counting people.",
    promise="ε = 1, add/remove one person with all rows.",
    unit="A person. How many rows a person can have at most is set in the program that writes the table, which isn't in"
    " the change.",
    public="Nothing but the code.",
    parameters={"epsilon": 1.0},
    verdict="can't be said",
    lines=("rows = len(visits)",),
    also=("noise = rng.laplace(scale=1 / epsilon)",),
    reason="If the program keeps one row a person, rows are people and nothing has changed. If a"
    " person can"
    " have ten rows, she moves the count by ten. Ask what bounds the rows of a person.",
    completions={
        "keeps": ("each person has one row", {"data": of("Bob", "Ada"), "neighbour": of("Bob")}),
        "breaks": ("Ada has ten rows", {"data": of("Bob", *["Ada"] * 10), "neighbour": of("Bob")}),
    },
    kind="unit",
    chapter=22,
    source="a query in SQL, COUNT(*), to which noise was added",
    data=of("Bob", *["Ada"] * 10),
    neighbour=of("Bob"),
    event="the answer is above 6",
    happens=lambda output: output > 6,
    trials=2_000,
)
