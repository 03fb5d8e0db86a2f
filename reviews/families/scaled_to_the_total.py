"""Noisy counts that are scaled to a total, which is public or not."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("A vote's result", "ballots", "parties", "the name of a party"),
    ("Jobs", "workers", "trades", "the name of a trade"),
    ("Favourite fruit", "children", "fruits", "the name of a fruit"),
)


def before(rows, names, epsilon, rng):
    counts = np.array([list(rows).count(name) for name in names])
    noise = rng.laplace(scale=2 / epsilon, size=len(names))
    noisy = np.maximum(counts + noise, 0.1)
    return noisy


def after(rows, names, epsilon, rng):
    counts = np.array([list(rows).count(name) for name in names])
    noise = rng.laplace(scale=2 / epsilon, size=len(names))
    noisy = np.maximum(counts + noise, 0.1)
    factor = len(rows) / noisy.sum()
    return factor * noisy


def released(rows, names, epsilon, rng):
    counts = np.array([list(rows).count(name) for name in names])
    return counts + rng.laplace(scale=2 / epsilon, size=len(names))


def cut(noisy):
    """Return what is published before the change."""
    return np.maximum(noisy, 0.1)


def scaled(noisy):
    """Return what is published after it, for the three people of each table below."""
    return 3 * cut(noisy) / cut(noisy).sum()


def draw(rng, form) -> Drawn:
    """Draw whether the number of people is public by the form."""
    title, rows, names, what = pick(rng, STORIES)
    cells, epsilon, public = list("ABCDE")[: pick(rng, (3, 4, 5))], pick(rng, (0.5, 1.0, 2.0)), form == "keeps"
    code = {"before": before, "after": after, "released": released}
    return Drawn(
        title=title,
        words={"rows": rows, "names": names},
        code=code if public else code | {"mended": before},
        review=Review(
            change="The numbers in the table now add up to the number of people.",
            promise=f"ε = {epsilon:g} for all that is returned, "
            + ("replace-one: one person's row is exchanged for another." if public else "add/remove-one."),
            unit=f"A person, who has one row: {what}.",
            public=f"The list `{names}`, which has everything that can stand in a row."
            + (" How many people there are stands in the newspaper." if public else ""),
            parameters={names: cells, "epsilon": epsilon},
            verdict=form,
            lines=("factor = len(rows) / noisy.sum()",),
            also=("return factor * noisy",),
            reason="Neighbours have equally many rows, and the number is public. What is made of it and of the noisy"
            " counts, anybody could make."
            if public
            else "What is returned adds up to the exact number of rows, and with a person more it is another number.",
            mending="" if public else "Leave the noisy counts as they are.",
            kind="post-processing",
            chapter=4,
            source="consistency with a total",
            data=["A", "B", "B"] if public else ["A", "B"],
            neighbour=["A", "A", "B"] if public else ["A", "B", "B"],
            event="all numbers add up to 2",
            happens=lambda output: abs(np.sum(output) - 2) < 1e-6,
            trials=400,
        ),
        pairs=[(["A", "B", "B"], ["A", "A", "B"]), (["A"] * 3, ["B", "A", "A"])] if public else [([], ["A"])],
        post=scaled if public else cut,
    )
