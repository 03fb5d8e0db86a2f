"""Repeat what public trackers report of libraries and write dp_helpers/data/library_faults.csv, some minutes.

Each row is a call as people make it, under the relation that the report names.  Two instruments: the audit of
dp_helpers, and chapter 16's event, which looks at the last bits of an answer near 0.  Only faults that are public stand
here; one that isn't goes to the library's makers.  A call in which nothing was found isn't cleared.
"""

import importlib.util
import inspect
import math
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import diffprivlib.models.linear_regression as regression
import numpy as np
import opendp.prelude as op
import pandas as pd
import smartnoise_faults
from diffprivlib import mechanisms, tools
from last_bits import count_fine
from pydp.algorithms.laplacian import BoundedSum

import dp_helpers as dp
from dp_helpers.audit import lower_limit, upper_limit

TABLE = Path(__file__).resolve().parents[1] / "dp_helpers" / "data" / "library_faults.csv"
CONFIDENCE = 0.9999
op.enable_features("contrib")


def bits(package, call, tracker, run, trials=20_000) -> dict:
    """Return a row for a call whose exact answers are 1 and 0, and which claims epsilon 1."""
    one, zero = count_fine(run, 1.0, 0.0, trials)
    tail = (1 - CONFIDENCE) / 2
    pairs = [(one, zero), (zero, one)]
    ratios = [lower_limit(more, trials, tail / 2) / upper_limit(less, trials, tail / 2) for more, less in pairs]
    proven = max(math.log(max(ratios)), 0) if max(ratios) > 0 else 0.0
    row = described(package, call, "as released", tracker, proven, trials)
    return row | {"fine_one": one / trials, "fine_zero": zero / trials}


def audited(
    package, call, state, tracker, run, data, neighbour, trials=2_000, epsilon=1.0, delta=0.0, release=None
) -> dict:
    """Return a row of the audit's."""
    found = dp.audit(
        run, data, neighbour, trials=trials, confidence=CONFIDENCE, delta=delta, rng=np.random.default_rng()
    )
    return described(package, call, state, tracker, found.epsilon_lower_bound, trials, release) | {
        "claimed": epsilon,
        "delta": delta,
    }


def described(package, call, state, tracker, proven, trials, release=None) -> dict:
    """Return what every row says; the release is given where it isn't installed like the others."""
    return {
        "package": package,
        "version": release or version(package),
        "call": call,
        "state": state,
        "tracker": tracker,
        "delta": 0.0,
        "claimed": 1.0,
        "proven": dp.round_down(proven, 2),
        "trials": trials,
        "date": date.today().isoformat(),
    }


def slope(rows, rng) -> float:
    """Return diffprivlib's line through the origin, of rows with y = 0."""
    model = regression.LinearRegression(
        epsilon=1.0, bounds_X=(0.0, 10.0), bounds_y=(0.0, 1.0), fit_intercept=False,
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    model.fit(np.reshape(rows, (-1, 1)), np.zeros(len(rows)))
    return float(np.ravel(model.coef_)[0])


def mend_the_slope() -> None:
    """Make the change that pull request 110 proposes: the upper bound where the lower one stood twice."""
    source = inspect.getsource(regression._construct_regression_obj)
    wrong, right = "[bounds_X[0][i], bounds_X[0][i]]", "[bounds_X[0][i], bounds_X[1][i]]"
    if source.count(wrong) != 1:
        raise RuntimeError("this version of diffprivlib has other code: look whether it is mended")
    exec(source.replace(wrong, right), vars(regression))


def rows():
    """Yield the rows."""
    attack = "#94, arXiv:2207.13793"
    laplace = mechanisms.Laplace(epsilon=1.0, sensitivity=1.0)
    yield bits("diffprivlib", "mechanisms.Laplace", attack, laplace.randomise)
    total = {"epsilon": 1.0, "bounds": (0.0, 1.0)}
    yield bits("diffprivlib", "tools.sum", attack, lambda x: tools.sum(np.array([x]), **total))
    for state in ("as released", "mended (#110)"):
        call = "models.LinearRegression"
        yield audited("diffprivlib", call, state, "#104, #105", slope, [1.0, 10.0], [1.0, 0.0])
        if state == "as released":
            mend_the_slope()
    yield from smartnoise_faults.rows(audited)
    floats = op.atom_domain(T=float, nan=False), op.absolute_distance(T=float)
    yield bits("opendp", "make_laplace", "none known", op.m.make_laplace(*floats, scale=1.0))
    bounds = {"epsilon": 1.0, "lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}
    yield bits("python-dp", "BoundedSum", "none known", lambda x: BoundedSum(**bounds).quick_result([x]))
    rng, own = np.random.default_rng(), {"sensitivity": 1, "epsilon": 1.0}
    yield bits("dp_helpers", "laplace_mechanism", "chapter 16", lambda x: dp.laplace_mechanism(x, **own, rng=rng))
    if importlib.util.find_spec("opacus"):
        from opacus_faults import rows as of_opacus

        yield from of_opacus(audited)


def main() -> None:
    """Write and print the table."""
    warnings.simplefilter("ignore")
    found = []
    for row in rows():
        found.append(row)
        print(*row.values(), sep=", ", flush=True)
    pd.DataFrame(found).to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
