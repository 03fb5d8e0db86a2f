"""A choice by weights that grow with the score, where all scores move in one direction or not."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, chosen_loss, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("The film of the year", "films", "film"),
    ("A new playground", "places", "place"),
    ("The next book", "books", "book"),
)


def before(counts, epsilon, rng):
    counts = np.asarray(counts, dtype=float)
    weights = np.exp(epsilon * (counts - counts.max()) / 2)
    chances = weights / weights.sum()
    return int(rng.choice(len(counts), p=chances))


def after(counts, epsilon, rng):
    counts = np.asarray(counts, dtype=float)
    weights = np.exp(epsilon * (counts - counts.max()))
    chances = weights / weights.sum()
    return int(rng.choice(len(counts), p=chances))


def draw(rng, form) -> Drawn:
    """Draw the neighbours' relation by the form."""
    title, counts, thing = pick(rng, STORIES)
    epsilon, replaced = pick(rng, (0.5, 1.0, 2.0)), form == "breaks"
    relation = "replace-one: one person's answer is exchanged for another" if replaced else "add/remove-one"
    unit = (
        f"A person, who names one {thing}."
        if replaced
        else f"A person, who may name as many {thing}s as he or she likes, each once."
    )
    return Drawn(
        title=title,
        words={"counts": counts},
        code={"before": before, "after": after} | ({"mended": before} if replaced else {}),
        review=Review(
            change="These are counts, and a count moves by 1: the 2 makes the choice worse for nothing.",
            promise=f"ε = {epsilon:g}, {relation}.",
            unit=unit,
            public=f"Which {thing}s there are, at least two. `{counts}` has for each how many people name it."
            + (" How many people answered is public, too." if replaced else ""),
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("weights = np.exp(epsilon * (counts - counts.max()))",),
            also=("chances = weights / weights.sum()",) if not replaced else (),
            reason="An exchanged answer takes 1 from one count and gives 1 to another, so the two move apart by 2: one"
            " chance rises by up to 2ε against the other."
            if replaced
            else "One person more moves counts upwards only, by 0 or 1. A weight grows by at most e^ε and their sum"
            " doesn't shrink, and so it is the other way round: monotone scores need no 2.",
            mending="Divide by 2, as before." if replaced else "",
            kind="sensitivity",
            chapter=9,
            source="the exponential mechanism with monotone scores",
            data=[],
            neighbour=[],
        ),
        pairs=[([60, 0], [59, 1])]
        if replaced
        else [([0, 0, 0], [1, 1, 0]), ([60, 0, 0], [60, 1, 1]), ([9, 0], [9, 1])],
        loss=chosen_loss,
    )
