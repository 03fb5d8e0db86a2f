"""The labs of chapter 22, One person, many rows."""

import pandas as pd

from .answers import NotYet, function
from .tables import LinesLab, NumberLab

LABS = ("alone-in-many-groups", "first-pages", "what-does-it-protect", "query-line-by-line")

alone_in_many_groups = NumberLab(
    right=(1 - (1 - 0.001) ** 25, 0.025),
    praise="That is about 25 times the claim, one δ for each group.",
    mistakes={
        0.001: "that is the probability that one given group appears. There are 25.",
        0.001 / 25: "that is what each group would get if δ were split. This threshold doesn't split it.",
        2 * 0.001: "noise far below 0 publishes nothing: only one tail counts.",
        0.05: "noise far below 0 publishes nothing: only one tail counts.",
        (1 - 0.001) ** 25: "that is the probability that none of them appears.",
    },
    otherwise="find the probability that one group appears; then that none of 25 does.",
)

what_does_it_protect = NumberLab(
    right=4.4,
    praise="The person has 22 user-days, and each costs 0.2.",
    mistakes={
        0.2: "that is one user-day. How many has this person?",
        0.4: "that is one day with two accounts. There are eleven days.",
        2.2: "that is one account. The person has two.",
        **dict.fromkeys([2.8, 5.6], "on three of the 14 days this person didn't come, and they cost nothing."),
        8.8: "two accounts double the ε of a day, once.",
    },
    otherwise="count the user-days of this person.",
)

query_line_by_line = LinesLab(
    lines=7,
    hints={
        2: "where does the list of pages come from?",
        4: "how many pages may one person still be on?",
    },
    harmless={
        1: "line 1 is right: one row for each person and page.",
        6: "line 6 is right for people who are on at most three pages.",
        7: "line 7 reads noisy numbers only, and adds a bias at most.",
    },
    praise="The keys come from the data, and the cap limits pages instead of people.",
)

_VISITS = pd.DataFrame(
    [
        ("Bob", 3, "news"), ("Ada", 2, "jobs"), ("Ada", 1, "news"), ("Cleo", 5, "news"), ("Ada", 1, "health"),
        ("Bob", 1, "sports"), ("Ada", 1, "news"), ("Dan", 2, "sports"), ("Dan", 2, "news"), ("Dan", 2, "jobs"),
        ("Bob", 1, "sports"), ("Bob", 2, "jobs"), ("Ada", 4, "sports"), ("Cleo", 4, "news"), ("Eve", 1, "news"),
    ],
    columns=["person", "day", "page"],
)  # fmt: skip


def first_pages(answer) -> str:
    """Check that each person keeps their first pages, whoever else is there."""
    keep = function(answer)
    for most in (2, 1, 9):
        _judge_first(_kept(keep, _VISITS, most), _VISITS, most)
        for gone in _VISITS["person"].unique():
            other_visits = _VISITS[_VISITS["person"] != gone]
            if _kept(keep, other_visits, most) != _first(other_visits, most):
                raise NotYet(f"without {gone}, other people keep other pages. Each person's rows must decide alone.")
    if _kept(keep, _VISITS.iloc[:0], 2) != []:
        raise NotYet("a table without rows keeps none.")
    return "One person can change as many rows as the bound says, and nobody else's."


def _first(visits, most) -> list:
    """Return the right pairs, one person after another."""
    pairs = []
    for person, rows in visits.groupby("person"):
        days = rows.groupby("page")["day"].min()
        pairs += [(person, page) for page in sorted(days.index, key=lambda page: (days[page], page))[:most]]
    return sorted(pairs)


def _kept(keep, visits, most) -> list:
    result = keep(visits.copy(), most)
    if not isinstance(result, pd.DataFrame) or not {"person", "page"} <= set(result.columns):
        raise NotYet("return a table (DataFrame) with the columns person and page.")
    pairs = sorted(zip(result["person"], result["page"], strict=True))
    if len(set(pairs)) < len(pairs):
        raise NotYet("somebody keeps a page twice: each page counts once for a person.")
    return pairs


def _judge_first(given, visits, most) -> None:
    if not set(given) <= set(zip(visits["person"], visits["page"], strict=True)):
        raise NotYet("keep pages that the person visited, and make up none.")
    number, wanted = pd.Series([p for p, _ in given]).value_counts(), visits.groupby("person")["page"].nunique()
    for person, pages in wanted.items():
        if number.get(person, 0) > most:
            raise NotYet(f"with a bound of {most}, {person} keeps {number[person]} pages.")
        if number.get(person, 0) < min(most, pages):
            raise NotYet(
                f"with a bound of {most}, {person} has {pages} different pages and keeps {number.get(person, 0)}."
            )
    if given != _first(visits, most):
        raise NotYet("the number of pages is right; now sort by day, and within a day by the page's name.")
