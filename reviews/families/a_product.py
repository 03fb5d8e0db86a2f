"""A sum of products, where each product is clipped, or one of its factors."""

import numpy as np
import pandas as pd

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Orders", "orders", "price", "pieces", "an order"),
    ("Work on a farm", "jobs", "wage", "hours", "a job, with its wage for an hour"),
    ("Loads", "trips", "weight", "journeys", "a lorry"),
)
FIRST, SECOND, MOST = 50, 20, 300


def before(rows, epsilon, rng):
    one = np.clip(rows["one"], 0, FIRST)
    other = np.clip(rows["other"], 0, SECOND)
    total = (one * other).sum()
    scale = FIRST * SECOND / epsilon
    return total + rng.laplace(scale=scale)


def clips_the_product(rows, epsilon, rng):
    product = rows["one"] * rows["other"]
    total = np.clip(product, 0, MOST).sum()
    scale = MOST / epsilon
    return total + rng.laplace(scale=scale)


def clips_a_factor(rows, epsilon, rng):
    one = np.clip(rows["one"], 0, MOST)
    total = (one * rows["other"]).sum()
    scale = MOST / epsilon
    return total + rng.laplace(scale=scale)


def draw(rng, form) -> Drawn:
    """Draw what is clipped by the form."""
    title, rows, one, other, what = pick(rng, STORIES)
    first, second, most = pick(rng, (40, 50, 60)), pick(rng, (20, 30)), pick(rng, (200, 300, 400))
    epsilon, sound = pick(rng, (0.5, 1.0, 2.0)), form == "keeps"

    def table(*pairs):
        """Return a table of these rows."""
        return pd.DataFrame(list(pairs), columns=[one, other], dtype=float)

    code = {"before": before, "after": clips_the_product if sound else clips_a_factor}
    return Drawn(
        title=title,
        words={"rows": rows, "one": one, "other": other, "FIRST": first, "SECOND": second, "MOST": most},
        code=code if sound else code | {"mended": clips_the_product},
        review=Review(
            change=f"Hardly anybody has more than {most}, so one bound takes the place of two.",
            promise=f"ε = {epsilon:g}, add/remove-one.",
            unit=f"A person, who has one row: {what}. The form accepts any finite numbers.",
            public="The bounds.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("total = np.clip(product, 0, MOST).sum()",) if sound else ('total = (one * rows["other"]).sum()',),
            also=("scale = MOST / epsilon",)
            if sound
            else ('one = np.clip(rows["one"], 0, MOST)', "scale = MOST / epsilon"),
            reason=f"The factors may be anything: what is added up is their product, which is clipped to {most} in each"
            " row."
            if sound
            else f"`{one}` is clipped, but it is multiplied by `{other}` afterwards, which nothing bounds. A row of"
            f" {most} and 100 moves the total by {100 * most:,}.",
            mending="" if sound else "Clip the product.",
            kind="sensitivity",
            chapter=5,
            source="a bound on one of two factors",
            data=[],
            neighbour=[],
        ),
        pairs=[(table((1, 1)), table((1, 1), (1e6, 1e6))), (table(), table((-1e6, 1e6)))]
        if sound
        else [(table((1, 1)), table((1, 1), (1e6, 1e6)))],
    )
