"""Make the embedded visits: two weeks of the web site of a town that doesn't exist, by 5,000 invented people.

Nobody was watched.  Every row follows from the laws below, which have the shape that logs are known for:

- How many visits a person makes is lognormal: half of the people make up to four or so, a few make hundreds, at
  most 600.
- Pages have a rank, and page r is wanted in proportion to 1 / (r + 2): Zipf's law, with a flatter head.
- People return: three visits in ten go to the page of an earlier visit of the same person.
- 24 lone pages are about one person alone, who visits them once to three times; nobody else does.
- A day at the weekend has two thirds of the visits of another; minutes on a page are lognormal, up to ninety.

Chance comes from ``SeedSequence``, one stream for each law, so that a change of one leaves the others as they are; it
is used as uniform numbers and inverse laws only.

Run it with ``make visits``.
"""

import gzip
import hashlib
from statistics import NormalDist

import numpy as np
import pandas as pd

from dp_helpers.data.visits import EMBEDDED

PEOPLE, PAGES, LONE_PAGES = 5_000, 800, 24
MOST_VISITS, MOST_MINUTES = 600, 90
DAY_WEIGHTS = 2 * [3, 3, 3, 3, 3, 2, 2]  # from a Monday on
RETURNS = 0.3
TOPICS = ["news", "events", "sports", "library", "jobs", "health", "housing", "school", "transport", "garden"]


def main() -> None:
    """Write the visits into the package, unless they are there already."""
    csv = visits_csv(make_visits())
    # Another zlib compresses the same text to other bytes: leave a file alone that holds the right text.
    same = EMBEDDED.exists() and gzip.decompress(EMBEDDED.read_bytes()) == csv
    if not same:
        EMBEDDED.write_bytes(gzip.compress(csv, compresslevel=9, mtime=0))
    print(f"{EMBEDDED}: {'unchanged' if same else 'written'}, SHA-256 of the CSV {hashlib.sha256(csv).hexdigest()}")


def make_visits(people: int = PEOPLE) -> pd.DataFrame:
    """Return the visits: columns person, day, page and minutes, in the order of the days and by chance within a day."""
    visits = lognormal(chance("visits of a person", people), middle=3.5, spread=1.4, largest=MOST_VISITS)
    owners = pick(chance("owners of lone pages", LONE_PAGES), np.ones(people))
    times = 1 + pick(chance("visits to lone pages", LONE_PAGES), np.ones(3))
    lone = np.arange(PAGES, PAGES + LONE_PAGES)
    persons = np.concatenate([np.repeat(np.arange(people), visits), np.repeat(owners, times)])
    pages = np.concatenate([pages_of(visits), np.repeat(lone, times)])
    table = pd.DataFrame(
        {
            "person": 1 + shuffled("numbers of people", people)[persons],
            "day": 1 + pick(chance("days", persons.size), DAY_WEIGHTS),
            "page": page_names()[pages],
            "minutes": lognormal(chance("minutes", persons.size), middle=2.0, spread=1.0, largest=MOST_MINUTES),
        }
    )
    order = np.lexsort([chance("order of rows", persons.size), table["day"]])
    return table.iloc[order].reset_index(drop=True)


def visits_csv(visits: pd.DataFrame) -> bytes:
    """Return the visits as the text of a CSV file."""
    return visits.to_csv(index=False, lineterminator="\n").encode()


def pages_of(visits: np.ndarray) -> np.ndarray:
    """Return the rank of the page of every visit, person after person: a new page, or that of an earlier visit."""
    total = visits.sum()
    pages = pick(chance("pages", total), 1 / (np.arange(PAGES) + 3))
    returns, earlier = chance("returns", total) < RETURNS, chance("earlier visits", total)
    first = np.repeat(np.cumsum(visits) - visits, visits)  # where the person's visits begin
    for row in np.flatnonzero(returns & (first < np.arange(total))):
        pages[row] = pages[first[row] + int(earlier[row] * (row - first[row]))]
    return pages


def page_names() -> np.ndarray:
    """Return the name of each page, by rank and then the lone ones: a topic and a number that says nothing."""
    topics = pick(chance("topics", PAGES + LONE_PAGES), np.ones(len(TOPICS)))
    numbers = 1 + shuffled("numbers of pages", PAGES + LONE_PAGES)
    return np.array([f"{TOPICS[topic]}/{number}" for topic, number in zip(topics, numbers, strict=True)], dtype=object)


# ------------------------------------------------------------------------------------------- chance

LAWS = [
    "visits of a person", "owners of lone pages", "visits to lone pages", "pages", "returns", "earlier visits",
    "days", "minutes", "topics", "numbers of people", "numbers of pages", "order of rows",
]  # fmt: skip


def chance(law: str, size: int) -> np.ndarray:
    """Return uniform numbers from the stream of this law."""
    seed = np.random.SeedSequence(47, spawn_key=(LAWS.index(law),))
    return np.random.default_rng(seed).random(size)


def pick(uniform: np.ndarray, weights) -> np.ndarray:
    """Return positions in ``weights``, drawn in proportion to them."""
    return np.searchsorted(np.cumsum(weights) / np.sum(weights), uniform, side="right")


def lognormal(uniform: np.ndarray, *, middle: float, spread: float, largest: int) -> np.ndarray:
    """Return whole numbers from 1 to ``largest``: a lognormal with this median, rounded up."""
    normal = np.array([NormalDist().inv_cdf(u) for u in uniform])
    return np.clip(np.ceil(middle * np.exp(spread * normal)), 1, largest).astype(int)


def shuffled(law: str, size: int) -> np.ndarray:
    """Return the numbers below ``size`` in an order by chance."""
    return np.argsort(chance(law, size), kind="stable")


if __name__ == "__main__":
    main()
