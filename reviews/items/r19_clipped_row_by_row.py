"""Clipping by row."""

import numpy as np

from reviews.review import Review


def before(visits, epsilon, rng):
    spent = visits.groupby("person")["euros"].sum()
    total = np.clip(spent, 0, 50).sum()
    return total + rng.laplace(scale=50 / epsilon)


def after(visits, epsilon, rng):
    euros = visits["euros"]
    total = np.clip(euros, 0, 50).sum()
    return total + rng.laplace(scale=50 / epsilon)


mended = before


def table(*rows):
    """Visits of Ada's, and one of Bob's."""
    import pandas as pd

    return pd.DataFrame([("Bob", 20.0), *rows], columns=["person", "euros"])


REVIEW = Review(
    change="Every row is clipped to 50, so the clipping by person is no longer needed.",
    promise="ε = 1, add/remove one person with all rows.",
    unit="A person, who has a row for each visit. Nothing limits the visits.",
    public="The bounds 0 and 50.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("total = np.clip(euros, 0, 50).sum()",),
    also=('euros = visits["euros"]',),
    reason="Clipping rows bounds what a row does. A person of ten visits moves the total by up to 500, ten"
    " times what the"
    " noise is made for.",
    mending="Add up by person first, then clip.",
    kind="unit",
    chapter=22,
    source="a maintainer's answer that clipping by example also guarantees user-level privacy"
    " (fast-differential-privacy,"
    " issue 27)",
    data=table(*[("Ada", 50.0)] * 10),
    neighbour=table(),
    event="the total is above 270",
    happens=lambda output: output > 270,
    trials=2_000,
)
