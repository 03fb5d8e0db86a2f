"""The audits' runs of all changes: what an attacker sees who knows two tables, and asks for one event."""

from pathlib import Path

import numpy as np
import pandas as pd

import dp_helpers as dp
from reviews.review import Item, load

TABLE = Path(__file__).with_name("runs.csv")
CONFIDENCE = 1 - 1e-6


def audited(item: Item, which: str, rng, **completion):
    """Return the audit of the one event that was named beforehand, at a failure probability of 1e-6."""
    review = item.review
    tables = [completion.pop(name, getattr(review, name)) for name in ("data", "neighbour")]

    def event(table, rng):
        return bool(review.happens(item.run(which, table, rng, **completion)))

    return dp.audit(event, *tables, trials=review.trials, delta=review.delta, confidence=CONFIDENCE, rng=rng)


def all_runs(seed: int = 60) -> pd.DataFrame:
    """Return a row for each change, two where it can't be said: how often the event happened, and the ε proven."""
    return pd.DataFrame([row for item in load() for row in rows(item, np.random.default_rng(seed))])


def rows(item: Item, rng):
    """Yield the rows of one change."""
    if not item.review.trials:
        yield {"name": item.name, "case": "computed", "proven": dp.round_down(item.module.broken_epsilon(), 2)}
        return
    completions = item.review.completions or {"": ("", {})}
    for case, (_, arguments) in completions.items():
        found = audited(item, "after", rng, **arguments)
        counts = found.table()
        happened = found.event in ("output == True", "output != False")
        hits = counts["hits"] if happened else counts["trials"] - counts["hits"]
        yield {
            "name": item.name,
            "case": case,
            "proven": dp.round_down(found.epsilon_lower_bound, 2),
            "hits": int(hits[0]),
            "hits_neighbour": int(hits[1]),
            "trials": int(counts["trials"][0]),
        }
