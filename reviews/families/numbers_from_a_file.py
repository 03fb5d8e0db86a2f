"""Bound and noise from a file of settings, whose two numbers fit each other, or don't, or aren't shown."""

import numpy as np

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks", "can't be said")
STORIES = (
    ("Screen time", "minutes", "the minutes in front of a screen, on one day"),
    ("Electricity", "usage", "the electricity of a month, in kilowatt hours"),
    ("Donations", "gifts", "what somebody gave in a year, in euros"),
)
TOP = 100


def before(values, epsilon, rng):
    clipped = np.clip(values, 0, TOP)
    total = clipped.sum()
    noise = rng.laplace(scale=TOP / epsilon)
    return total + noise


def after(values, settings, epsilon, rng):
    top, scale = settings["top"], settings["scale"]
    clipped = np.clip(values, 0, top)
    total = clipped.sum()
    noise = rng.laplace(scale=scale)
    return total + noise


def mended(values, settings, epsilon, rng):
    top = settings["top"]
    clipped = np.clip(values, 0, top)
    total = clipped.sum()
    noise = rng.laplace(scale=top / epsilon)
    return total + noise


def draw(rng, form) -> Drawn:
    """Draw the settings by the form."""
    title, values, what = pick(rng, STORIES)
    top, epsilon = pick(rng, (60, 100, 150)), pick(rng, (0.5, 1.0, 2.0))
    new = pick(rng, (40, 80, 120))
    fitting, small = {"top": new, "scale": new / epsilon}, {"top": new, "scale": 0.6 * new / epsilon}
    settings = {"keeps": fitting, "breaks": small}.get(form)
    told = f"says that top is {new} and scale {settings['scale']:g}" if settings else "isn't in the change"
    reason = {
        "keeps": f"A row moves the total by at most {new}, and Laplace noise needs {new}/{epsilon:g}, which is what the"
        " file has.",
        "breaks": f"A row moves the total by up to {new}, for which the noise needs a scale of {new}/{epsilon:g} ="
        f" {new / epsilon:g}; the file has {small['scale']:g}.",
        "can't be said": "The promise holds if scale is at least top/ε, and not if it is less. The code uses ε nowhere,"
        " so it can't be seen here. Ask for the file.",
    }
    completions = {
        "keeps": (f"top is {new}, scale {fitting['scale']:g}", {"settings": fitting}),
        "breaks": (f"top is {new}, scale {small['scale']:g}", {"settings": small}),
    }
    return Drawn(
        title=title,
        words={"values": values, "TOP": top},
        code={"before": before, "after": after} | ({"mended": mended} if form == "breaks" else {}),
        review=Review(
            change="No number in the code: all of them come from the file of settings.",
            promise=f"ε = {epsilon:g}, add/remove-one.",
            unit=f"A person, who has one row: {what}.",
            public=f"`settings` is a file that was written without the data, two positive numbers. It {told}.",
            parameters={"epsilon": epsilon} | ({"settings": settings} if settings else {}),
            parameters_before={"epsilon": epsilon},
            verdict=form,
            lines=('top, scale = settings["top"], settings["scale"]',),
            also=("noise = rng.laplace(scale=scale)",),
            reason=reason[form],
            mending="Compute the scale from the bound and ε." if form == "breaks" else "",
            kind="sensitivity",
            chapter=5,
            source="parameters that nobody holds together",
            data=[],
            neighbour=[1e9],
            completions=completions if form == "can't be said" else None,
        ),
        pairs=[([], [1e9]), ([5.0], [5.0, 1e9])],
    )
