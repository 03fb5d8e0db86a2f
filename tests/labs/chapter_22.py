"""Answers to the labs of chapter 22: right ones, and wrong ones with a part of what they are told."""

import numpy as np
import pandas as pd


def first_pages(visits, most):
    return visits.sort_values(["day", "page"]).drop_duplicates(["person", "page"]).groupby("person").head(most)


def in_a_loop(visits, most):
    pairs = []
    for person, own in visits.groupby("person"):
        seen = list(dict.fromkeys(own.sort_values(["day", "page"])["page"]))
        pairs += [(person, page) for page in seen[:most]]
    return pd.DataFrame(pairs, columns=["person", "page"])


def rows_instead_of_pages(visits, most):
    return visits.sort_values(["day", "page"]).groupby("person").head(most)


def pages_dropped_after(visits, most):
    return rows_instead_of_pages(visits, most).drop_duplicates(["person", "page"])


def as_they_come(visits, most):
    return visits.drop_duplicates(["person", "page"]).groupby("person").head(most)


def by_fame(visits, most):
    fame = visits["page"].map(visits.drop_duplicates(["person", "page"])["page"].value_counts())
    ordered = visits.assign(fame=fame).sort_values(["fame", "page"], ascending=False)
    return ordered.drop_duplicates(["person", "page"]).groupby("person").head(most)


def first_unless_few_people(visits, most):
    return first_pages(visits, most) if visits["person"].nunique() > 4 else by_fame(visits, most)


RIGHT = {
    "alone-in-many-groups": [0.0247, 0.025, 1 - 0.999**25],
    "first-pages": [first_pages, in_a_loop],
    "what-does-it-protect": [4.4, np.float64(4.4)],
    "query-line-by-line": [{2, 4}, [4, 2], {2, 4, 5}, {2, 3, 4}],
}

WRONG = {
    "first-pages": [
        (rows_instead_of_pages, "keeps a page twice"),
        (pages_dropped_after, "different pages and keeps"),
        (as_they_come, "now sort by day"),
        (by_fame, "now sort by day"),
        (first_unless_few_people, "Each person's rows must decide alone"),
        (lambda visits, most: first_pages(visits, most + 1), "with a bound of 2, Ada keeps 3"),
        (lambda visits, most: first_pages(visits, 1).assign(page="nothing"), "make up none"),
        (lambda visits, most: first_pages(visits, most)["page"], "return a table"),
        (
            lambda visits, most: (
                pd.DataFrame([("Ada", "news")], columns=["person", "page"])
                if visits.empty
                else first_pages(visits, most)
            ),
            "a table without rows",
        ),
    ],
}
