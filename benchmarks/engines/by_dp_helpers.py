"""The base line: this package, on pandas."""

import pandas as pd
from query import DELTA, EPSILON, MOST_PAGES, answer

import dp_helpers as dp


def count(path: str) -> dict:
    """Select the pages with one half of epsilon, and count with the other."""
    visits = pd.read_csv(path)
    keys = dp.select_keys(
        visits, person="person", group="page", most_groups=MOST_PAGES, epsilon=EPSILON / 2, delta=DELTA
    )
    return dp.private_group_counts(
        visits, person="person", group="page", keys=keys, most_groups=MOST_PAGES, epsilon=EPSILON / 2
    ).to_dict()


if __name__ == "__main__":
    answer(count)
