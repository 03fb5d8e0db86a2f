"""A count for each day: what a person may be in decides whether the counts share ε."""

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks", "can't be said")
STORIES = (
    ("A clinic's week", "shots", "a vaccination", "the clinic"),
    ("A pool's week", "swims", "a visit to the pool", "the pool"),
    ("Office lunches", "lunches", "a lunch in the canteen", "the canteen"),
)


def before(visits, days, epsilon, rng):
    counts = []
    for day in days:
        counts.append(list(visits).count(day))
    scale = len(days) / epsilon
    return [count + rng.laplace(scale=scale) for count in counts]


def after(visits, days, epsilon, rng):
    counts = []
    for day in days:
        counts.append(list(visits).count(day))
    scale = 1 / epsilon
    return [count + rng.laplace(scale=scale) for count in counts]


ROWS = {
    "keeps": "A person, who has one row in the whole file: the day of {}.",
    "breaks": "A person, who has at most one row for each day: the day of {}.",
    "can't be said": "A person. A row is the day of {}, and nobody has two rows of one day. On how many days"
    " a person may come is set in the booking program of {}, which isn't in the change.",
}
REASONS = {
    "keeps": "A person is in one count only, and one count moves by 1: counts of people who are in one part each cost ε"
    " once.",
    "breaks": "Who comes on all {n} days moves {n} counts by 1 each, and every count costs ε: {n} times ε in all.",
    "can't be said": "If nobody may come twice, one count moves and ε holds. If somebody may come on several days, each"
    " of these days costs ε. Ask how many days the program lets a person book.",
}


def draw(rng, form) -> Drawn:
    """Draw how many days a person may be in by the form."""
    title, visits, what, whose = pick(rng, STORIES)
    days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][: pick(rng, (4, 5, 7))]
    epsilon, one = pick(rng, (0.5, 1.0, 2.0)), [pick(rng, days)]
    completions = {
        "keeps": ("a person comes once", {"data": [], "neighbour": one}),
        "breaks": ("a person may come every day", {"data": [], "neighbour": days}),
    }
    return Drawn(
        title=title,
        words={"visits": visits},
        code={"before": before, "after": after} | ({"mended": before} if form == "breaks" else {}),
        review=Review(
            change="Each day is a table of its own, so each count gets the whole ε.",
            promise=f"ε = {epsilon:g} for all that is returned, add/remove one person with all rows.",
            unit=ROWS[form].format(what, whose),
            public=f"The list `days`, which has {len(days)} different days.",
            parameters={"days": days, "epsilon": epsilon},
            verdict=form,
            lines=("scale = 1 / epsilon",),
            also=("return [count + rng.laplace(scale=scale) for count in counts]",),
            reason=REASONS[form].format(n=len(days)),
            mending="Noise for all days together, as before." if form == "breaks" else "",
            kind="composition",
            chapter=4,
            source="parallel and sequential composition",
            data=[],
            neighbour=[],
            completions=completions if form == "can't be said" else None,
        ),
        pairs=[([], days)] if form == "breaks" else [([], one), (one, one * 2), (days, days + one)],
    )
