"""Make dp_helpers/data/runs/training_runs.csv, the training runs that chapter 12 draws: `make runs`, a few minutes.

A row is one setting, trained with every seed on the embedded census and measured on the people held out: full-batch
`noisy_gradient_descent`, `dp_sgd` over random batches, or `gradient_descent`, which isn't private.  Steps of length
rate * clip are alike in all rows of a method, so that clipping norms can be compared.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import dp_helpers as dp

FOLDER = Path(__file__).resolve().parents[1] / "dp_helpers" / "data" / "runs"
DELTA = 1e-6
SEEDS = range(5)
EPSILONS = [0.03, 0.1, 0.3, 1, 3]
FULL_BATCH = {"clip": [0.1, 0.3, 1, 3, 10], "epsilon": EPSILONS, "steps": [10, 30, 100, 300]}
LONG = {"clip": [1], "epsilon": [0.1, 1], "steps": [1000, 3000]}  # full batch, too
PLAIN = {"method": "plain", "clip": 0, "batch": 0, "epsilon": np.inf, "steps": 3000, "rate": 3}  # not private
DP_SGD = {"batch": [64, 256, 1024, 4096], "epsilon": EPSILONS, "steps": [100, 300, 1000]}


def settings() -> list[dict]:
    """Return the settings in the order of the file; a batch of 0 is all rows."""
    full = [{"method": "full", "batch": 0, **s, "rate": 3 / s["clip"]} for s in _grid(FULL_BATCH) + _grid(LONG)]
    return full + [{"method": "dp-sgd", "clip": 1.0, **s, "rate": 1.0} for s in _grid(DP_SGD)] + [PLAIN]


def _grid(values: dict) -> list[dict]:
    """Return every choice of one value for each name, the last name's values going fastest."""
    return [dict(zip(values, choice, strict=True)) for choice in itertools.product(*values.values())]


def split(census) -> tuple:
    """Return X and y of the people to train on, then of those held out: the last digit of their number decides."""
    X, y = dp.census_features(census)
    held = census["SSN"].str[-1].isin(["0", "5"]).to_numpy()
    return X[~held], y[~held], X[held], y[held]


def measure(setting, X, y, X_test, y_test) -> dict:
    """Return the setting with its mean, lowest and highest test accuracy over the seeds."""
    seeds = SEEDS if setting["method"] != "plain" else SEEDS[:1]  # it draws nothing
    found = [dp.accuracy(train(setting, X, y, np.random.default_rng(seed)), X_test, y_test) for seed in seeds]
    numbers = {"accuracy": np.mean(found), "lowest": min(found), "highest": max(found)}
    return setting | {name: round(float(value), 4) for name, value in numbers.items()}


def train(setting, X, y, rng) -> np.ndarray:
    """Return the weights of one run."""
    if setting["method"] == "plain":
        return dp.gradient_descent(X, y, iterations=setting["steps"], rate=setting["rate"])
    shared = {"clip": setting["clip"], "delta": DELTA, "rate": setting["rate"], "rng": rng}
    if setting["method"] == "full":
        fit = dp.noisy_gradient_descent(X, y, iterations=setting["steps"], epsilon=setting["epsilon"], **shared)
    else:
        cost = {"steps": setting["steps"], "epsilon": setting["epsilon"], "delta": DELTA}
        sigma = dp.noise_multiplier(q=setting["batch"] / len(y), **cost)
        fit = dp.dp_sgd(X, y, steps=setting["steps"], batch=setting["batch"], sigma=sigma, **shared)
    return fit.theta


def main():
    """Write the file."""
    data = split(dp.load_census())
    rows = []
    for number, setting in enumerate(settings(), 1):
        rows.append(measure(setting, *data))
        print(f"\r{number} of {len(settings())}", end="", file=sys.stderr, flush=True)
    columns = ["method", "clip", "batch", "epsilon", "steps", "rate", "accuracy", "lowest", "highest"]
    write("training_runs", pd.DataFrame(rows)[columns])
    print(file=sys.stderr)


def write(name: str, rows, digits: int = 6) -> None:
    """Write a file of runs, its numbers to so many significant digits."""
    pd.DataFrame(rows).to_csv(FOLDER / f"{name}.csv", index=False, float_format=f"%.{digits}g", lineterminator="\n")


if __name__ == "__main__":
    main()
