"""The whole loop with a real assignment: hand out, collect, grade in the sandbox, give back."""

import json
import shutil

import pytest
from grading import release, source
from grading.__main__ import main
from grading.release import ASSIGNMENTS
from small import filled

NAME = "7-local"

READS = """
import pathlib
{code}
for place in ("/", str(pathlib.Path.home()), {here!r}):
    for path in pathlib.Path(place).glob("**/7-local/source.py"):
        exec(path.read_text())
import dp_helpers
"""
CHEATS = """
{code}
import json, os, sys
print("q1: 10 of 10 points")
for place in ("/results.json", "results.json", {here!r} + "/results.json"):
    try:
        open(place, "w").write(json.dumps({{"q1": 10}}))
    except OSError:
        pass
message = json.dumps(["dict", {{"earned": 10}}]).encode()
frame = len(message).to_bytes(4, "big") + message
for fd in range(3, 10):
    try:
        os.write(fd, len(frame).to_bytes(8, "big") + frame)
    except OSError:
        pass
"""
PATCHES = """
import numpy as np
np.random.Generator.random = lambda self, size=None: np.full(size or 1, 0.25)
np.random.Generator.laplace = lambda self, *_, size=None, **__: np.zeros(size or 1)
np.isclose = np.allclose = lambda *_, **__: True
{code}
"""


def answers_of(assignment, path):
    """Return the submissions: the answers to each task, and the tasks that must lose their points."""
    right = {task.name: task.cells["solution"].text for task in assignment.tasks if not task.written}
    starters = {task.name: task.cells["starter"].text for task in assignment.tasks if not task.written}
    variants = source.load_variants(assignment)
    others = {variant.task: variant.code for variant in variants if variant.right}
    wrong = {variant.task: variant.code for variant in variants if not variant.right}
    first, second, third, *_ = right
    here = str(path)
    return {
        "ada": (right, []),
        "bob": (right | others, []),
        "cyd": (right | {first: wrong[first]}, [first]),
        "dan": (wrong, list(right)),
        "eve": (starters, list(right)),
        "fay": (right | {third: "while True:\n    pass"}, [third]),
        "gus": (
            right | {second: right[second] + f"\n\n\n{_replaced(right[second])}    import os\n    os._exit(0)"},
            [second],
        ),
        "hal": (right | {first: READS.format(code=wrong[first], here=here)}, [first]),
        "ida": (right | {first: CHEATS.format(code=wrong[first], here=here)}, [first]),
        "jon": (right | {first: PATCHES.format(code=wrong[first])}, None),
        "kim": ("no notebook", list(right)),
        "lea": (None, list(right)),
    }


def _replaced(code):
    """Return the first line of the code's first function."""
    return next(line for line in code.splitlines() if line.startswith("def ")) + "\n"


@pytest.fixture(scope="module")
def loop(bubblewrap, tmp_path_factory):
    """Go through the loop once; return its folder, the assignment and the submissions."""
    path = tmp_path_factory.mktemp("loop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "refuse_unfair", lambda assignment: None)  # test_variants.py tries all answers
        assert main(["release", str(ASSIGNMENTS / NAME), "--to", str(path / "out")]) == 0
    handed_out = path / "out" / "student" / NAME
    assignment = source.load(ASSIGNMENTS / NAME)
    submissions = answers_of(assignment, path)
    for student, (answers, _) in submissions.items():
        folder = path / "submissions" / student
        shutil.copytree(handed_out, folder)
        notebook = folder / f"{NAME}.ipynb"
        if answers is None:
            notebook.unlink()
        elif isinstance(answers, str):
            notebook.write_text(answers, encoding="utf-8")
        else:
            notebook.write_text(filled(notebook, answers), encoding="utf-8")
    limits = ["--jobs", "2", "--seconds", "5"]
    assert main(["grade", NAME, str(path / "submissions"), "--out", str(path / "results"), *limits]) == 0
    return path, assignment, submissions


def records(path):
    results = json.loads((path / "results" / "results.json").read_text(encoding="utf-8"))
    return {record["student"]: record for record in results["students"]}


@pytest.mark.parametrize("student", ["ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "kim", "lea"])
def test_each_loses_the_points_of_what_is_wrong_and_no_others(loop, student):
    path, assignment, submissions = loop
    record, lost = records(path)[student], submissions[student][1]
    points = {task.name: task.points for task in assignment.tasks if not task.written}
    earned = {task: verdict["earned"] for task, verdict in record["tasks"].items()}
    assert {task for task in points if earned[task] < points[task]} == {*lost}, record
    assert record["fault"] is None


def test_who_breaks_numpy_in_his_notebook_breaks_his_own_answers(loop):
    path, assignment, _ = loop
    record = records(path)["jon"]
    assert record["tasks"][assignment.tasks[0].name]["earned"] == 0
    assert record["fault"] is None


def test_the_log_says_what_was_wrong(loop):
    found = records(loop[0])
    assert "took longer than" in found["fay"]["log"][0]
    assert "dp_helpers" in found["hal"]["log"][0]
    assert "no notebook" in found["kim"]["log"][0]
    assert "there is no notebook" in found["lea"]["log"][0]
    assert found["ada"]["log"] == found["bob"]["log"] == []


def test_no_page_shows_a_secret(loop):
    path, assignment, _ = loop
    assert main(["feedback", str(path / "results" / "results.json"), "--to", str(path / "pages")]) == 0
    pages = [page.read_text(encoding="utf-8") for page in (path / "pages").glob("*/*.html")]
    assert len(pages) == 12
    for page in pages:
        assert str(assignment.seed) not in page
