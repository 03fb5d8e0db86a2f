"""A number that is shown every hour, with noise that is drawn once or each time."""

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks")
STORIES = (
    ("Members on the screen", "members", "screen"),
    ("Signatures", "signatures", "page"),
    ("Donors", "donors", "board"),
)
HOURS = 8


def before(people, epsilon, rng):
    shown = []
    for _ in range(HOURS):
        noise = rng.laplace(scale=HOURS / epsilon)
        shown.append(len(people) + noise)
    return shown


def once(people, epsilon, rng):
    shown = []
    noise = rng.laplace(scale=1 / epsilon)
    for _ in range(HOURS):
        shown.append(len(people) + noise)
    return shown


def each_hour(people, epsilon, rng):
    shown = []
    for _ in range(HOURS):
        noise = rng.laplace(scale=1 / epsilon)
        shown.append(len(people) + noise)
    return shown


def released(people, epsilon, rng):
    return len(people) + rng.laplace(scale=1 / epsilon)


def draw(rng, form) -> Drawn:
    """Draw where the noise is drawn by the form."""
    title, people, where = pick(rng, STORIES)
    hours, epsilon, sound = pick(rng, (6, 8, 12)), pick(rng, (0.5, 1.0)), form == "keeps"
    code = {"before": before, "after": once if sound else each_hour}
    return Drawn(
        title=title,
        words={"people": people, "HOURS": hours},
        code=code | ({"released": released} if sound else {"mended": before}),
        review=Review(
            change=f"The {where} shows one count, and noise of scale 1/ε is enough for a count.",
            promise=f"ε = {epsilon:g} for all {hours} numbers, add/remove-one.",
            unit=f"A person, who has one row in `{people}`. The table is the same in all hours.",
            public=f"How often the number is shown, {hours} times.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=("noise = rng.laplace(scale=1 / epsilon)",),
            also=("shown.append(len(people) + noise)", "for _ in range(HOURS):"),
            reason="Noise is drawn once, before the loop, and the same number is shown again and again. To repeat what"
            " is public costs nothing."
            if sound
            else f"Each hour draws new noise for the same count: {hours} answers of ε each, whose average is much"
            " nearer to the count than one.",
            mending="" if sound else "One draw before the loop, or a share of ε for each hour, as before.",
            kind="composition",
            chapter=4,
            source="a number that is refreshed",
            data=[],
            neighbour=[],
        ),
        pairs=[([], ["Ada"]), (["Ada", "Bob"], ["Bob"])],
        post=(lambda noisy: [noisy] * hours) if sound else None,
    )
