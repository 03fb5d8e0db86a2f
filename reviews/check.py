"""Look for a change that isn't what its answer says: ``make reviews-check``, weekly; ends with 1 where there is one.

All thirty are audited with other random numbers than those of the tests, and so are many versions of each family.
"""

import sys
from collections.abc import Iterable

import numpy as np

from reviews.review import Item, load
from reviews.truth import faults
from reviews.versions import load_families, make

SEEDS = range(60, 63)  # of the audits of the thirty
VERSIONS = 30  # of each family and verdict


def everything() -> Iterable[tuple[str, Item]]:
    """Yield all that is looked at, with its name."""
    for seed in SEEDS:
        for item in load():
            yield f"{item.name}, seed {seed}", item
    for family in load_families():
        for form in family.FORMS:
            for seed in range(VERSIONS):
                item = make(family, form, np.random.default_rng(seed))
                yield f"{item.name} that {form}, seed {seed}", item


def main(found: Iterable[tuple[str, Item]]) -> int:
    """Print what speaks against the answers; return 1 where something does, or nothing was looked at."""
    number = bad = 0
    for number, (name, item) in enumerate(found, 1):
        seed = int(name.rpartition(" ")[2])
        for fault in faults(item, np.random.default_rng([seed, number])):
            print(f"{name}: {fault}", flush=True)
            bad += 1
    print(f"{number} changes, {bad} faults")
    return 1 if bad or not number else 0


if __name__ == "__main__":
    sys.exit(main(everything()))
