"""Noise for an array: one number for all cells, or one for each."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Blood groups", "donors", "groups", "the blood group"),
    ("Languages", "pupils", "languages", "the language spoken at home"),
    ("Routes", "passengers", "routes", "the route taken"),
)


def before(rows, names, epsilon, rng):
    noisy = []
    for name in names:
        count = sum(1 for row in rows if row == name)
        noisy.append(count + rng.laplace(scale=1 / epsilon))
    return noisy


def one_for_each(rows, names, epsilon, rng):
    rows = np.array(rows, dtype=object)
    counts = np.array([np.sum(rows == name) for name in names])
    noise = rng.laplace(scale=1 / epsilon, size=len(names))
    return counts + noise


def one_for_all(rows, names, epsilon, rng):
    rows = np.array(rows, dtype=object)
    counts = np.array([np.sum(rows == name) for name in names])
    noise = rng.laplace(scale=1 / epsilon)
    return counts + noise


def draw(rng, form) -> Drawn:
    """Draw the noise's size by the form."""
    title, rows, names, what = pick(rng, STORIES)
    cells, epsilon, sound = list("ABCDE")[: pick(rng, (3, 4, 5))], pick(rng, (0.5, 1.0, 2.0)), form == "keeps"
    code = {"before": before, "after": one_for_each if sound else one_for_all}
    return Drawn(
        title=title,
        words={"rows": rows, "names": names},
        code=code if sound else code | {"mended": one_for_each},
        review=Review(
            change="Arrays in the place of the loop.",
            promise=f"ε = {epsilon:g} for all that is returned, add/remove-one.",
            unit=f"A person, who has one row: {what}.",
            public=f"The list `{names}`, which has {len(cells)} different names.",
            parameters={names: cells, "epsilon": epsilon},
            verdict=form,
            lines=("noise = rng.laplace(scale=1 / epsilon, size=len(names))",)
            if sound
            else ("noise = rng.laplace(scale=1 / epsilon)",),
            also=("return counts + noise",),
            reason="`size` draws a number of its own for each count, and a person moves one count by 1: it is the old"
            " release."
            if sound
            else "Without `size` one number is drawn and added to all counts. The difference of two noisy counts is"
            " then exact, and tells a person.",
            mending="" if sound else "`size=len(…)`, so that each count has noise of its own.",
            kind="randomness",
            chapter=4,
            source="broadcasting one draw",
            data=["A", "A", "B"],
            neighbour=["A", "B"],
            event="the first count less the second is 1",
            happens=lambda output: abs(output[0] - output[1] - 1) < 1e-6,
            trials=400,
        ),
        pairs=[([], ["A"]), (["A", "B"], ["B"])],
    )
