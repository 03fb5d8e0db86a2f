"""Audit releases of public libraries and write dp_helpers/data/audited_libraries.csv: `make audits`, ten minutes.

Each bound holds with probability 0.9999.  If one is above a claim that covers its relation, the run ends in an error:
then look whether the pair are neighbours, and tell the library's makers before the table is published.
"""

import importlib
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from last_bits import count_fine

import dp_helpers as dp

TABLE = Path(__file__).resolve().parents[1] / "dp_helpers" / "data" / "audited_libraries.csv"
MODULES = ["opendp_releases", "diffprivlib_releases", "google_releases", "opacus_releases"]
CONFIDENCE = 0.9999
BITS_TRIALS = 20_000


def main() -> int:
    """Audit, write and print; return 1 if a claim is refuted."""
    rng = np.random.default_rng()
    rows = []
    for name in MODULES:
        for release in importlib.import_module(name).releases():
            rows.append(audited(release, rng))
            print(*rows[-1].values(), sep=", ", flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(TABLE, index=False, lineterminator="\n")
    refuted = table[table["covered"] & (table["proven"] > table["claimed"])]
    if len(refuted):
        print("above what was claimed:", refuted.to_string(), sep="\n", file=sys.stderr)
    return int(len(refuted) > 0)


def audited(release, rng) -> dict:
    """Return a row of the table: what was claimed, what is proven, rounded down, and the shares of fine answers."""
    found = dp.audit(
        lambda data, rng: release.run(data),
        release.data,
        release.neighbour,
        trials=release.trials,
        confidence=CONFIDENCE,
        delta=release.delta,
        rng=rng,
    )
    row = {
        "package": release.package,
        "version": version(release.package),
        "query": release.query,
        "function": release.function,
        "relation": release.relation,
        "covered": release.covered,
        "promise": release.promise,
        "delta": release.delta,
        "claimed": release.epsilon,
        "proven": dp.round_down(found.epsilon_lower_bound, 2),
        "trials": release.trials,
        "date": date.today().isoformat(),
    }
    if release.one is None:
        return row | {"fine_one": np.nan, "fine_zero": np.nan}
    one, zero = count_fine(release.run, release.one, release.zero, BITS_TRIALS)
    return row | {"fine_one": one / BITS_TRIALS, "fine_zero": zero / BITS_TRIALS}


if __name__ == "__main__":
    sys.exit(main())
