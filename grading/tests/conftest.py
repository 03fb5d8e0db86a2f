"""The sandbox in which students' code runs, for every test of it."""

import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from grading import sandbox
from grading.__main__ import main

from .small import assignment_in


@pytest.fixture(scope="session", autouse=True)
def importable():
    """Let the processes that grade find the grader as these tests do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(sandbox.__file__).parents[1]), prepend=os.pathsep)
        yield


@pytest.fixture(scope="session")
def bubblewrap():
    """Make sure that bubblewrap is there; where it isn't, the tests fail and say how to get it."""
    if os.environ.get("DP_SKIP_SANDBOX") == "1":
        pytest.skip("DP_SKIP_SANDBOX=1 leaves the tests of the sandbox out")
    if shutil.which("bwrap") is None:
        pytest.fail(
            "The tests of the assignments' sandbox need bubblewrap, and bwrap is not there. "
            "Install it (Debian, Ubuntu: apt-get install bubblewrap). DP_SKIP_SANDBOX=1 leaves these tests out.",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def prepared(bubblewrap):
    """Return a sandbox with one file for the notebooks."""
    with sandbox.prepare({"visits.csv": "ward,age\nA,41\nB,57\n"}) as ready:
        yield ready


@pytest.fixture(scope="module")
def tried(prepared):
    """Leave out what tries a sandbox out before it is used: this one works."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox.Sandbox, "try_out", lambda _: None)
        yield


@pytest.fixture
def run(prepared):
    """Run code cells in a box with ``run(cell, cell, ..., seconds=30)``; cells are numbered from 1."""
    boxes = []

    def start(*cells, seconds=30):
        patient = replace(prepared, patience=sandbox.Patience(seconds))
        boxes.append(sandbox.Box(patient, list(enumerate(cells, start=1))))
        return boxes[-1]

    yield start
    for box in boxes:
        box.stop()


@pytest.fixture
def unpacked(tmp_path):
    """Return a folder like Gradescope's, with the autograder unpacked into ``source``."""
    folder = assignment_in(tmp_path / "assignments")
    archive = tmp_path / "autograder.zip"
    assert main(["gradescope", str(folder), "--to", str(archive)]) == 0
    root = tmp_path / "root"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(root / "source")
    for name in ("source", "results", "submission"):
        (root / name).mkdir(exist_ok=True)
        (root / name).chmod(0o700)
    return root
