"""The autograder for Gradescope holds all that it needs."""

import os
import subprocess
import sys
import zipfile

from grading import source
from grading.__main__ import main

# Imports the grader where the ZIP file was unpacked; prints what it takes from this repository all the same.
PLAYER = """
import sys
from grading import gradescope
for name, module in sys.modules.items():
    file = getattr(module, "__file__", None) or ""
    if file.startswith(sys.argv[1]) and "site-packages" not in file:
        print(name)
"""


def test_what_is_in_it(unpacked):
    names = {path.relative_to(unpacked / "source").as_posix() for path in (unpacked / "source").rglob("*")}
    assert {"setup.sh", "run_autograder", "requirements.txt", "term.toml", "9-trees/source.py"} <= names
    assert {"grading/worker.py", "grading/evidence.py", "dp_helpers/__init__.py"} <= names
    assert not any("__pycache__" in name for name in names)
    wanted = (unpacked / "source" / "requirements.txt").read_text(encoding="utf-8")
    assert "numpy==" in wanted and "psutil==" in wanted
    assert source.load(unpacked / "source" / "9-trees").seed == "00000000000000a5"


def test_it_needs_nothing_else_of_this_project(unpacked):
    command = [sys.executable, "-c", PLAYER, str(source.ASSIGNMENTS.parent)]
    surroundings = os.environ | {"PYTHONPATH": ""}
    done = subprocess.run(
        command, cwd=unpacked / "source", env=surroundings, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""


def test_an_assignment_that_draws_can_be_read_where_it_was_unpacked(tmp_path):
    for folder in source.find(source.ASSIGNMENTS):
        if '"draw"' in (folder / "source.py").read_text(encoding="utf-8"):
            assert main(["gradescope", str(folder), "--to", str(tmp_path / "a.zip")]) == 0
            with zipfile.ZipFile(tmp_path / "a.zip") as archive:
                archive.extractall(tmp_path / folder.name)
            program = f"import sys; from grading import source; print(source.load('{folder.name}').drawn['right'])"
            command = [sys.executable, "-c", f"{program}; print(sys.modules['reviews'].__file__)"]
            surroundings = os.environ | {"PYTHONPATH": ""}
            place = tmp_path / folder.name
            done = subprocess.run(command, cwd=place, env=surroundings, capture_output=True, text=True, check=True)
            assert done.stdout.startswith(source.load(folder).drawn["right"]) and str(place) in done.stdout
