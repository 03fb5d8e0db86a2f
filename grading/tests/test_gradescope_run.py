"""The autograder for Gradescope gives our marks, whether or not its container lets bubblewrap work."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from thorough import weekly

from .small import hand_in, notebook

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
