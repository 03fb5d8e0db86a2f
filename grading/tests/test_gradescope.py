"""The autograder for Gradescope gives our marks, whether or not its container lets bubblewrap work."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from thorough import weekly

from grading import source
from grading.__main__ import main

from .small import assignment_in, hand_in, notebook

SPY = """
import os
found = []
for place in ("/autograder", {here!r}):
    for path, _, names in os.walk(place):
        found += [name for name in names if name in ("source.py", "results.json", "term.toml")]
try:
    open({here!r} + "/root/results/results.json", "w").write("{{}}")
    found.append("written")
except OSError:
    pass
tallest = len(found) * 1000 if found else trees["height"].max()
"""


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


def run(root, path=None):
    """Run what run_autograder runs, with programs from this PATH; return its status."""
    script = (root / "source" / "run_autograder").read_text(encoding="utf-8")
    assert "-m grading.gradescope 9-trees /autograder" in script
    environment = {**os.environ, "PATH": path or os.environ["PATH"], "PYTHONPATH": ""}
    command = [sys.executable, "-m", "grading.gradescope", "9-trees", str(root)]
    return subprocess.run(command, cwd=root / "source", env=environment, check=False).returncode


def python_is_everybodys():
    places = [place for start in (sys.base_prefix, sys.prefix) for place in (Path(start), *Path(start).parents)]
    return os.geteuid() == 0 and all(place.stat().st_mode & stat.S_IXOTH for place in places)


@pytest.mark.parametrize("wall", ["bubblewrap", pytest.param("another user", marks=weekly)])
def test_its_results_are_our_marks(bubblewrap, unpacked, tmp_path, wall):
    if wall == "another user" and not python_is_everybodys():
        pytest.skip("needs root, and a Python that others can read")
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)  # as /autograder's are
    answers = notebook(add="def add(numbers):\n    return 0", tallest=SPY.format(here=str(tmp_path)))
    hand_in(unpacked, "submission", answers, "my notebook.ipynb")
    assert run(unpacked, "/nowhere" if wall == "another user" else None) == 0
    found = json.loads((unpacked / "results" / "results.json").read_text(encoding="utf-8"))
    scores = {test["name"]: (test.get("score"), test.get("max_score")) for test in found["tests"]}
    assert scores == {"q1": (0, 50), "q2": (40, 40), "q3, marked by hand": (None, None)}
    assert found["tests"][0]["output"] == "Look at the sum again."
    assert found["tests"][2]["output"] == "Because."


def test_what_is_in_it(unpacked):
    names = {path.relative_to(unpacked / "source").as_posix() for path in (unpacked / "source").rglob("*")}
    assert {"setup.sh", "run_autograder", "requirements.txt", "term.toml", "9-trees/source.py"} <= names
    assert {"grading/worker.py", "grading/judges.py", "dp_helpers/__init__.py"} <= names
    assert not any("__pycache__" in name for name in names)
    wanted = (unpacked / "source" / "requirements.txt").read_text(encoding="utf-8")
    assert "numpy==" in wanted and "psutil==" in wanted
    assert source.load(unpacked / "source" / "9-trees").seed == "00000000000000a5"
