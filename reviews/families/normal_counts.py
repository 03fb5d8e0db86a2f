"""Counts with normal noise: how many of them a person is in decides how long a step is."""

import numpy as np

import dp_helpers as dp
from reviews.review import Review
from reviews.versions import Drawn, gaussian_loss, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Faculties", "students", "faculties", "faculty"),
    ("Sports clubs", "members", "clubs", "club"),
    ("Libraries", "readers", "branches", "branch"),
)


def before(rows, groups, epsilon, delta, rng):
    counts = np.array([list(rows).count(name) for name in groups])
    step = np.sqrt(len(groups))
    sigma = dp.gaussian_sigma(sensitivity=step, epsilon=epsilon, delta=delta)
    noise = rng.normal(scale=sigma, size=len(groups))
    return counts + noise


def after(rows, groups, epsilon, delta, rng):
    counts = np.array([list(rows).count(name) for name in groups])
    step = 1
    sigma = dp.gaussian_sigma(sensitivity=step, epsilon=epsilon, delta=delta)
    noise = rng.normal(scale=sigma, size=len(groups))
    return counts + noise


def draw(rng, form) -> Drawn:
    """Draw whether a person may be in several groups by the form."""
    title, rows, groups, group = pick(rng, STORIES)
    names, epsilon = list("ABCDEFGH")[: pick(rng, (4, 6, 8))], pick(rng, (0.5, 1.0, 2.0))
    unit = {
        "keeps": f"A person, who has one row: the name of the only {group} that he or she may join.",
        "breaks": f"A person, who has a row for each {group} that he or she has joined: any number of them, each once.",
    }
    reason = {
        "keeps": "A person is in one count, which moves by 1. So the counts together move by 1 in length, and normal"
        " noise is made for the length.",
        "breaks": f"Who is in all {len(names)} moves {len(names)} counts by 1, a step of √{len(names)} in length and"
        " not of 1.",
    }
    return Drawn(
        title=title,
        words={"rows": rows, "groups": groups},
        code={"before": before, "after": after} | ({"mended": before} if form == "breaks" else {}),
        review=Review(
            change="A count moves by 1, so 1 is the step for which the noise is made.",
            promise=f"ε = {epsilon:g}, δ = 10⁻⁶ for all that is returned, add/remove one person with all rows.",
            unit=unit[form],
            public=f"The list `{groups}`, which has {len(names)} names. `dp.gaussian_sigma` gives the deviation of"
            " normal noise that (ε, δ) needs if the numbers together move by `sensitivity` in length (L2).",
            parameters={groups: names, "epsilon": epsilon, "delta": 1e-6},
            delta=1e-6,
            verdict=form,
            lines=("step = 1",),
            also=("sigma = dp.gaussian_sigma(sensitivity=step, epsilon=epsilon, delta=delta)",),
            reason=reason[form],
            mending="The root of the number of counts, as before." if form == "breaks" else "",
            kind="composition",
            chapter=6,
            source="L2 sensitivity of many counts",
            data=[],
            neighbour=[],
        ),
        pairs=[([], names)] if form == "breaks" else [([], names[:1]), (names, names + names[-1:])],
        loss=gaussian_loss,
    )
