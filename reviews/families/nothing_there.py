"""A 0 where nothing is, after a look at the noisy number or at the exact one."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Overtime", "overtime", "the overtime of a week in hours", "ward"),
    ("Fines", "fines", "a fine in euros", "street"),
    ("Sick days", "absences", "the days that somebody was ill", "class"),
)
CAP, LIMIT = 20, 5


def before(values, epsilon, rng):
    total = np.clip(values, 0, CAP).sum()
    scale = CAP / epsilon
    noisy = total + rng.laplace(scale=scale)
    return noisy


def looks_at_the_noisy(values, epsilon, rng):
    total = np.clip(values, 0, CAP).sum()
    scale = CAP / epsilon
    noisy = total + rng.laplace(scale=scale)
    if noisy < LIMIT:
        return 0.0
    return noisy


def looks_at_the_table(values, epsilon, rng):
    total = np.clip(values, 0, CAP).sum()
    scale = CAP / epsilon
    noisy = total + rng.laplace(scale=scale)
    if total < LIMIT:
        return 0.0
    return noisy


def draw(rng, form) -> Drawn:
    """Draw which number is compared by the form."""
    title, values, what, place = pick(rng, STORIES)
    cap, limit, epsilon = pick(rng, (12, 20, 30)), pick(rng, (4, 6, 10)), pick(rng, (0.5, 1.0, 2.0))
    sound = form == "keeps"
    code = {"before": before, "released": before, "after": looks_at_the_noisy if sound else looks_at_the_table}
    return Drawn(
        title=title,
        words={"values": values, "CAP": cap, "LIMIT": limit},
        code=code if sound else code | {"mended": looks_at_the_noisy},
        review=Review(
            change=f"A {place} with next to nothing gets a 0; nobody believes −7.3.",
            promise=f"ε = {epsilon:g}, add/remove-one.",
            unit=f"A person, who has one row: {what}.",
            public=f"The numbers {cap} and {limit}.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("if noisy < LIMIT:",) if sound else ("if total < LIMIT:",),
            also=("return 0.0",),
            reason="The noisy number alone is compared, and whoever reads it could do so: post-processing."
            if sound
            else "The exact total is compared. A 0, which noise alone never gives, says that the total is small.",
            mending="" if sound else "Compare the noisy number.",
            kind="data-dependent parameter",
            chapter=4,
            source="small numbers that are suppressed",
            data=[],
            neighbour=[float(cap)],
            event="the answer is exactly 0",
            happens=lambda output: output == 0,
            trials=400,
        ),
        pairs=[([], [1e9]), ([3.0], [3.0, -1e9])],
        post=lambda noisy: 0.0 if noisy < limit else noisy,
    )
