"""At most so many rows of a card, of which a person may have one, several, or who knows."""

import numpy as np
import pandas as pd

from reviews.review import Review
from reviews.versions import Drawn, pick

FORMS = ("keeps", "breaks", "can't be said")
STORIES = (
    ("Parking", "stays", "card", "hours", "parking card", "the town hall"),
    ("The gym", "hours", "wristband", "minutes", "wristband", "the gym"),
    ("Phone lines", "calls", "line", "minutes", "telephone line", "the company"),
)
MOST, CAP = 3, 10


def before(rows, epsilon, rng):
    kept = rows.groupby("person").head(MOST)
    amounts = np.clip(kept["amount"], 0, CAP)
    total = amounts.sum()
    scale = MOST * CAP / epsilon
    return total + rng.laplace(scale=scale)


def after(rows, epsilon, rng):
    kept = rows.groupby("card").head(MOST)
    amounts = np.clip(kept["amount"], 0, CAP)
    total = amounts.sum()
    scale = MOST * CAP / epsilon
    return total + rng.laplace(scale=scale)


UNITS = {
    "keeps": "A person, who may have any number of rows. {} gives everybody exactly one {}, for life, and each has one"
    " owner.",
    "breaks": "A person, who may have any number of rows, and as many as four {1}s, each of one owner. {0} sells them.",
    "can't be said": "A person, who may have any number of rows. Each {1} has one owner; how many"
    " somebody may have is set in the program of {2}, which isn't in the change.",
}
REASONS = {
    "keeps": "With one {0} a person the two columns make the same groups: {1} rows of at most {2}, which is what the"
    " noise is made for.",
    "breaks": "The limit holds for each {0}, and a person of four moves the total by up to four times {1} · {2}.",
    "can't be said": "If everybody has one {0}, nothing has changed. If a person may have two, she moves the total by"
    " twice what the noise is made for. Ask how many.",
}


def draw(rng, form) -> Drawn:
    """Draw how many cards a person may have by the form."""
    title, rows, card, amount, card_in_words, whose = pick(rng, STORIES)
    most, cap, epsilon = pick(rng, (2, 3, 5)), pick(rng, (8, 12, 24)), pick(rng, (0.5, 1.0, 2.0))

    def table(cards):
        """Return a table with many rows on each of so many cards of Ada's, and one of Bob's."""
        of_ada = [("Ada", f"A{number}", 999.0) for number in range(cards) for _ in range(2 * most)]
        return pd.DataFrame([("Bob", "B0", 1.0), *of_ada], columns=["person", card, amount])

    completions = {
        "keeps": ("everybody has one", {"data": table(1), "neighbour": table(0)}),
        "breaks": ("Ada has two", {"data": table(2), "neighbour": table(0)}),
    }
    return Drawn(
        title=title,
        words={"rows": rows, "card": card, "amount": amount, "MOST": most, "CAP": cap},
        code={"before": before, "after": after} | ({"mended": before} if form == "breaks" else {}),
        review=Review(
            change=f"The new file has no names, so the limit goes by {card_in_words}.",
            promise=f"ε = {epsilon:g}, add/remove one person with all rows.",
            unit=UNITS[form].format(whose[0].upper() + whose[1:], card_in_words, whose),
            public=f"The numbers {most} and {cap}.",
            parameters={"epsilon": epsilon},
            verdict=form,
            lines=('kept = rows.groupby("card").head(MOST)',),
            also=("scale = MOST * CAP / epsilon",),
            reason=REASONS[form].format(card_in_words, most, cap),
            mending="Limit the rows of a person." if form == "breaks" else "",
            kind="unit",
            chapter=22,
            source="an account taken for a person",
            data=table(4),
            neighbour=table(0),
            completions=completions if form == "can't be said" else None,
        ),
        pairs=[(table(4), table(0))] if form == "breaks" else [(table(1), table(0))],
    )
