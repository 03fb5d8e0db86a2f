"""The table of engines that chapter 22 prints, and what measured it, without the engines."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import psutil
import pytest

import dp_helpers as dp

ENGINES = Path(__file__).resolve().parents[2] / "benchmarks" / "engines"


@pytest.fixture(scope="module")
def run():
    spec = importlib.util.spec_from_file_location("engines_run", ENGINES / "run.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_the_table_is_dated_and_has_each_engine_at_each_size(run):
    table = dp.load_runs("engines")
    documented = (ENGINES / "README.md").read_text(encoding="utf-8")
    assert all(f"`{column}`" in documented for column in table)
    assert pd.to_datetime(table["date"], format="%Y-%m-%d").notna().all()
    assert set(table["engine"]) == set(run.ENGINES) and "dp_helpers" in run.ENGINES
    assert table["people"].drop_duplicates().tolist() == run.PEOPLE
    assert not table.duplicated(["engine", "people"]).any()
    own = table[table["people"] == 5_000]
    assert (own["rows"] == len(dp.load_visits())).all() and len(own) == len(run.ENGINES)
    assert set(table["outcome"]) <= {"finished", "stopped"}
    stopped = table["outcome"] == "stopped"
    assert (table.loc[stopped, ["seconds", "pages"]] == [run.MOST_SECONDS, 0]).all(axis=None)
    assert (table.loc[~stopped, "pages"] > 0).all()


def test_the_table_bears_out_what_chapter_22_says_of_it():
    table = dp.load_runs("engines").set_index(["people", "engine"])
    cpu, pages, small, large = table["cpu_seconds"], table["pages"], 5_000, 1_023_000
    assert (table["outcome"] == "finished").all()
    for people in (small, 102_300):
        assert cpu[people].idxmax() == "tumult"
        assert pages[people, "opendp"] > pages[people, "dp_helpers"]
    assert cpu[large].idxmax() == "pipelinedp"
    for people in (small, 102_300, large):
        assert cpu[people, "opendp"] > cpu[people, "dp_helpers"]
    assert table["rows"].max() > 200 * table["rows"].min()
    growth = cpu[large] / cpu[small]
    assert growth.idxmin() == "tumult" and growth["tumult"] < 3 and growth["pipelinedp"] > 50
    assert table.loc[(large, "opendp"), "seconds"] < 60


def test_versions_of_the_table_are_those_of_the_requirements(run):
    table = dp.load_runs("engines").drop_duplicates(["engine", "version"])
    for engine, version in zip(table["engine"], table["version"], strict=True):
        if engine != "dp_helpers":
            pins = (ENGINES / f"requirements-{engine}.txt").read_text(encoding="utf-8")
            assert f"=={version}" in pins, engine


def test_our_script_answers_the_query():
    found = subprocess.check_output([sys.executable, "-c", SMALL], text=True, cwd=ENGINES)
    assert json.loads(found) == ["news"]


# 300 people on one page, one of them on many others: only the page of many appears.
SMALL = """
import io, json
from by_dp_helpers import count
rows = [f"{person},news" for person in range(300)] + [f"0,lone{page}" for page in range(50)]
print(json.dumps(list(count(io.StringIO("person,page\\n" + "\\n".join(rows))))))
"""


@pytest.mark.parametrize(("code", "most", "in_time"), [("print(1)", 60, True), ("while True: pass", 0.5, False)])
def test_a_process_is_watched_and_ended(run, monkeypatch, code, most, in_time):
    monkeypatch.setattr(run, "MOST_SECONDS", most)
    process = psutil.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    _, memory, ended = run.watched(process)
    assert ended == in_time and memory > 0
    assert (process.wait() == 0) == in_time


def test_a_row_replaces_that_of_the_same_engine_and_size(run, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "TABLE", tmp_path / "engines.csv")
    for engine, people, seconds in [("b", 20, 1), ("a", 20, 2), ("b", 5, 3), ("b", 20, 4)]:
        run.write({"engine": engine, "people": people, "seconds": seconds})
    written = pd.read_csv(run.TABLE)
    assert written["seconds"].tolist() == [3, 2, 4]
