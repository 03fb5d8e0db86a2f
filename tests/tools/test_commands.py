"""What the commands run: every test module is in one of them, and each fails when something in it fails."""

import os
import re
from pathlib import Path

import pytest

from tools import __main__ as commands

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """Collect what would be run, as lists of words; ``ran.statuses`` are what the runs return, 0 in the end."""

    class Runs(list):
        """Commands, and what the next ones return."""

    runs = Runs()
    runs.statuses = []
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("DP_TEST_ALL", "")  # to be undone

    def run(*command):
        runs.append([str(word) for word in command])
        return runs.statuses.pop(0) if runs.statuses else 0

    monkeypatch.setattr(commands, "run", run)
    monkeypatch.setattr(commands, "BUILD", tmp_path)  # where nothing is built
    return runs


def test_the_makefile_asks_for_commands_that_exist(ran, monkeypatch):
    monkeypatch.setattr(commands.socket, "getaddrinfo", lambda *address: [])
    asked = re.findall(r"-m tools ([a-z][a-z-]*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert {"book", "check", "test", "test-grading", "test-all", "lint", "links"} == set(asked)
    for name in {*asked} - {"test-all"}:
        assert commands.main([name]) == 0


@pytest.mark.parametrize(("installed", "runs"), [(None, 3), ("/usr/bin/actionlint", 4)])
def test_workflows_are_linted_where_actionlint_is_installed(installed, runs, ran, monkeypatch):
    monkeypatch.setattr(commands.shutil, "which", lambda name: installed)
    assert commands.main(["lint"]) == 0
    assert len(ran) == runs and ([installed] in ran) == bool(installed)
    ran.clear()
    ran.statuses = [0] * (runs - 1) + [1]
    assert commands.main(["lint"]) == 1


def test_without_a_network_no_link_is_called_broken(ran, monkeypatch):
    def fail(*address):
        raise OSError("unknown name")

    monkeypatch.setattr(commands.socket, "getaddrinfo", fail)
    with pytest.raises(SystemExit, match="no network here"):
        commands.main(["links"])
    assert not ran


def test_each_test_module_is_run_once_by_two_commands_and_by_the_one_for_all(ran, monkeypatch):
    def files(name):
        assert commands.main([name]) == 0
        asked = [ROOT / word for word in ran[-1] if (ROOT / word).exists()]
        return [file for path in asked for file in ([path] if path.is_file() else path.rglob("test_*.py"))]

    monkeypatch.setenv("DP_CENSUS_REAL", "adult.data")
    rooms = [ROOT / "tests", *ROOT.glob("*/tests")]
    every = sorted(file for room in rooms for file in room.rglob("test_*.py"))
    assert sorted(files("test") + files("test-grading")) == every
    assert not any("--nbval" in command for command in ran)  # tests/site/test_outputs.py
    notebooks = (ROOT / "book").glob("*.ipynb")
    assert sorted(files("test-all")) == sorted([*notebooks, *every]) and "--nbval" in ran[-1]


@pytest.mark.parametrize("statuses", [[1], [0, 1], [0, 0, 1]])
def test_what_fails_makes_the_command_fail(statuses, ran):
    ran.statuses = list(statuses)
    assert commands.main(["test"]) == 1


def test_libraries_are_compiled_once_even_where_a_container_forbids_it(ran):
    commands.main(["book"])
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ


def test_a_chapter_that_is_not_there_is_named(ran):
    with pytest.raises(SystemExit, match=r"book/77-\*\.ipynb"):
        commands.main(["check", "77"])


def test_a_failed_build_forgets_what_was_read(ran, monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "BUILD", tmp_path)
    for name in ("html", ".doctrees", ".executed"):
        (tmp_path / name).mkdir()
    ran.statuses = [1]
    assert commands.main(["book"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == [".executed"]
