"""The audits of public libraries: a release without noise is refuted, an honest one isn't, bounds are rounded down."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

AUDITS = Path(__file__).resolve().parents[2] / "audits"


def module(name):
    """Load a module of the audits, which live in an environment of their own, without its libraries."""
    spec = importlib.util.spec_from_file_location(f"audits_{name}", AUDITS / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(("noise", "refuted"), [(1.0, False), (0.2, True), (1e-9, True)])
def test_a_release_with_too_little_noise_is_refuted(noise, refuted):
    draws = np.random.default_rng(1)
    count = module("release").Release(
        package="numpy",
        function="len",
        query="count",
        relation="add/remove",
        promise="none",
        run=lambda people: len(people) + draws.laplace(0, noise),
        data=["Ada", "Bob"],
        neighbour=["Ada"],
        trials=4_000,
    )
    row = module("run").audited(count, np.random.default_rng(2))
    assert (row["proven"] > row["claimed"]) == refuted
    assert row["version"] == np.__version__ and round(row["proven"], 2) == row["proven"] > 0.5


def test_every_library_of_the_table_is_installed_by_the_requirements():
    wanted = (AUDITS / "requirements.txt").read_text(encoding="utf-8").split()
    table = module("run").TABLE.read_text(encoding="utf-8").splitlines()[1:]
    assert {row.split(",")[0] for row in table} <= set(wanted)
