"""Big spenders."""

import numpy as np

from reviews.items.r19_clipped_row_by_row import table
from reviews.review import Review


def before(visits, epsilon, rng):
    first = visits.groupby("person").head(5)
    total = np.clip(first["euros"], 0, 50).sum()
    return total + rng.laplace(scale=5 * 50 / epsilon)


def after(visits, epsilon, rng):
    spent = visits.groupby("person")["euros"].sum()
    total = np.clip(spent, 0, 80).sum()
    return total + rng.laplace(scale=80 / epsilon)


REVIEW = Review(
    change="No limit on visits any more, and a third of the noise.",
    promise="ε = 1, add/remove one person with all rows.",
    unit="A person, who has a row for each visit.",
    public="The numbers 5, 50 and 80, which were chosen without the data.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("total = np.clip(spent, 0, 80).sum()", 'spent = visits.groupby("person")["euros"].sum()'),
    reason="However many rows a person has, they are added up before they are clipped. So she moves the total"
    " by at most"
    " 80.",
    kind="unit",
    chapter=22,
    source="the other side of a common mistake",
    data=table(*[("Ada", 50.0)] * 10),
    neighbour=table(),
    event="the total is at least 100",
    happens=lambda output: output >= 100,
    trials=1_000,
)
