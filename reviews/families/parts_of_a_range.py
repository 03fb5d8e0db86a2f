"""A histogram whose parts have different widths, with edges from the data or from public numbers."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Ages on a map", "ages", "an age in years", (90, 100, 120)),
    ("Ways to work", "minutes", "the minutes to work", (60, 120, 180)),
    ("Rents", "rents", "a rent in euros", (900, 1500, 2000)),
)
TOP, PARTS = 100, 4


def before(values, epsilon, rng):
    inside = np.clip(values, 0, TOP)
    edges = np.linspace(0, TOP, PARTS + 1)
    counts, _ = np.histogram(inside, bins=edges)
    noise = rng.laplace(scale=1 / epsilon, size=PARTS)
    return edges, counts + noise


def by_a_square(values, epsilon, rng):
    inside = np.clip(values, 0, TOP)
    edges = TOP * np.linspace(0, 1, PARTS + 1) ** 2
    counts, _ = np.histogram(inside, bins=edges)
    noise = rng.laplace(scale=1 / epsilon, size=PARTS)
    return edges, counts + noise


def by_quantiles(values, epsilon, rng):
    inside = np.clip(values, 0, TOP)
    edges = np.quantile(inside, np.linspace(0, 1, PARTS + 1))
    counts, _ = np.histogram(inside, bins=edges)
    noise = rng.laplace(scale=1 / epsilon, size=PARTS)
    return edges, counts + noise


def loss(version, which, data, neighbour):
    """Return the exact ε of the counts, if the edges are the same on both tables."""
    outputs = [version.run(which, table, np.random.default_rng(1)) for table in (data, neighbour)]
    if not np.array_equal(outputs[0][0], outputs[1][0]):
        return np.inf
    return float(np.abs(outputs[0][1] - outputs[1][1]).sum() * version.review.epsilon)


def draw(rng, form) -> Drawn:
    """Draw where the edges come from by the form."""
    title, values, what, tops = pick(rng, STORIES)
    top, parts, epsilon = pick(rng, tops), pick(rng, (4, 5, 6)), pick(rng, (0.5, 1.0, 2.0))
    square = form == "keeps"
    return Drawn(
        title=title,
        words={"values": values, "TOP": top, "PARTS": parts},
        code={"before": before, "after": by_a_square}
        if square
        else {
            "before": before,
            "after": by_quantiles,
            "mended": before,
        },
        review=Review(
            change="Equal widths left most parts nearly empty; now they are narrow where many people are.",
            promise=f"ε = {epsilon:g} for all that is returned, add/remove-one; there is at least one row.",
            unit=f"A person, who has one row: {what}, any finite number.",
            public=f"The number {top}, and that there are {parts} parts.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("edges = TOP * np.linspace(0, 1, PARTS + 1) ** 2",)
            if square
            else ("edges = np.quantile(inside, np.linspace(0, 1, PARTS + 1))",),
            also=() if square else ("return edges, counts + noise",),
            reason="The edges come from two public numbers alone and are the same for every table. One person is in one"
            " part, and one count moves by 1."
            if square
            else "The edges are exact quantiles of the data, and they are published: one person more moves them, and no"
            " noise hides that.",
            mending="" if square else "Edges that are chosen without the data, as before.",
            kind="data-dependent parameter",
            chapter=5,
            source="bins from the data",
            data=[5.0, float(top)],
            neighbour=[5.0],
            event=f"the last edge is {top}",
            happens=lambda output: output[0][-1] == top,
            trials=400,
        ),
        pairs=[([5.0], [5.0, 1e9]), ([1e9], [1e9, -1.0])],
        loss=loss,
    )
