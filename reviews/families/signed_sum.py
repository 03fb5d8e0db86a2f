"""A sum of values of both signs: how far one row moves it depends on who is a neighbour."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Balances", "balances", "the balance of an account in euros, below 0 in debt"),
    ("Warmer or colder", "changes", "by how many degrees a bedroom got warmer at night, below 0 for colder"),
    ("Points in a game", "points", "the points of an evening, below 0 for a loss"),
)


def before(values, epsilon, rng):
    clipped = np.clip(values, -BOUND, BOUND)
    total = clipped.sum()
    scale = 2 * BOUND / epsilon
    noise = rng.laplace(scale=scale)
    return total + noise


def after(values, epsilon, rng):
    clipped = np.clip(values, -BOUND, BOUND)
    total = clipped.sum()
    scale = BOUND / epsilon
    noise = rng.laplace(scale=scale)
    return total + noise


BOUND = 1


def draw(rng, form) -> Drawn:
    """Draw the neighbours' relation by the form."""
    title, values, what = pick(rng, STORIES)
    bound, epsilon = pick(rng, (15, 20, 30, 60)), pick(rng, (0.5, 1.0, 2.0))
    replaced = form == "breaks"
    relation = "replace-one: one person's row is exchanged for another" if replaced else "add/remove-one"
    moves = (
        f"An exchanged row can go from −{bound} to {bound}, and moves the total by {2 * bound}: twice what the noise"
        " is made for."
        if replaced
        else f"A row that comes or goes moves the total by its own value, which is {bound} at most, up or down."
    )
    return Drawn(
        title=title,
        words={"values": values, "BOUND": bound},
        code={"before": before, "after": after} | ({"mended": before} if replaced else {}),
        review=Review(
            change="No value is larger than the bound, so half the noise is enough.",
            promise=f"ε = {epsilon:g}, {relation}.",
            unit=f"A person, who has one row: {what}.",
            public=f"The bounds −{bound} and {bound}" + (", and how many people there are." if replaced else "."),
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("scale = BOUND / epsilon",),
            also=("noise = rng.laplace(scale=scale)",),
            reason=moves,
            mending="Noise for twice the bound, as before." if replaced else "",
            kind="sensitivity",
            chapter=5,
            source="sensitivity of signed values",
            data=[],
            neighbour=[],
        ),
        pairs=[([1e9], [-1e9]), ([0.0, 1e9], [0.0, -3.0])]
        if replaced
        else [([], [1e9]), ([3.0], [3.0, -1e9]), ([1e9, -1e9], [1e9])],
    )
