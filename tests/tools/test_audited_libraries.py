"""The audits of public libraries: a release without noise is refuted, an honest one isn't, bounds are rounded down."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

AUDITS = Path(__file__).resolve().parents[2] / "audits"


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    """The audits import each other as scripts do that lie in one folder."""
    monkeypatch.syspath_prepend(AUDITS)


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


@pytest.mark.parametrize("grid", [None, 2.0**-20])
def test_the_last_bits_give_a_naive_float_away_and_not_one_on_a_grid(grid):
    """Laplace noise of scale 1: near 0 are 8.3% of the answers to 1, 22% of those to 0.  On a grid none is fine."""
    rng = np.random.default_rng(3)

    def run(exact):
        answer = exact - np.copysign(np.log(1 - rng.random()), rng.random() - 0.5)
        return answer if grid is None else round(answer / grid) * grid

    one, zero = module("last_bits").count_fine(run, 1.0, 0.0, 4_000)
    assert one == 0 and (zero > 200) == (grid is None)


def test_a_row_has_shares_where_the_release_has_the_ends():
    draws = np.random.default_rng(4)
    given = {"package": "numpy", "function": "sum", "query": "sum", "relation": "replace-one", "promise": "none"}
    total = module("release").Release(
        **given, run=lambda x: x + draws.laplace(), data=1.0, neighbour=0.0, trials=200, one=1.0, zero=0.0
    )
    run = module("run")
    run.BITS_TRIALS = 2_000
    assert run.audited(total, draws)["fine_one"] == 0
    bare = module("release").Release(**given, run=total.run, data=1.0, neighbour=0.0, trials=200)
    assert np.isnan(run.audited(bare, draws)["fine_zero"])


def test_every_library_of_the_table_is_installed_by_the_requirements():
    wanted = (AUDITS / "requirements.txt").read_text(encoding="utf-8").split()
    table = module("run").TABLE.read_text(encoding="utf-8").splitlines()[1:]
    assert {row.split(",")[0] for row in table} <= set(wanted)
