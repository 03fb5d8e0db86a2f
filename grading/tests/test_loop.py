"""The whole loop with a real assignment: hand out, collect, grade in the sandbox, give back.

Variants, and more attacks, are graded in test_class.py.
"""

import json
import shutil

import pytest

from grading import release, source
from grading.__main__ import main
from grading.release import ASSIGNMENTS

from .small import filled

NAME = "7-local"

READS = """
import pathlib
{code}
for place in ("/", str(pathlib.Path.home()), {here!r}):
    for path in pathlib.Path(place).glob("**/7-local/source.py"):
        exec(path.read_text())
import dp_helpers
"""
PATCHES = """
import numpy as np
np.isclose = np.allclose = np.array_equal = lambda *_, **__: True
"""


def answers_of(assignment, path):
    """Return the submissions: the answers to each task, and the tasks that must lose their points."""
    right = {task.name: task.cells["solution"].text for task in assignment.tasks if not task.written}
    starters = {task.name: task.cells["starter"].text for task in assignment.tasks if not task.written}
    variants = source.load_variants(assignment)
    wrong = {variant.task: variant.code for variant in variants if not variant.right}
    first, second, third, *_ = right
    here = str(path)
    runs_on, ends = (
        "\n\n\n" + next(line for line in right[task].splitlines() if line.startswith("def "))
        for task in (second, third)
    )
    return {
        "ada": (right, []),
        "eve": (starters, list(right)),
        "fay": (
            right
            | {second: right[second] + runs_on + "\n    while True:\n        pass"}
            | {third: right[third] + ends + "\n    import os\n    os._exit(0)"},
            [second, third],
        ),
        "hal": (starters | {first: PATCHES + READS.format(code=wrong[first], here=here)}, list(right)),
        "kim": ("no notebook", list(right)),
        "lea": (None, list(right)),
    }


@pytest.fixture(scope="module")
def loop(tried, tmp_path_factory):
    """Go through the loop once; return its folder, the assignment and the submissions."""
    path = tmp_path_factory.mktemp("loop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "refuse_unfair", lambda assignment: None)  # test_variants.py tries all answers
        assert main(["release", str(ASSIGNMENTS / NAME), "--to", str(path / "out")]) == 0
    assignment = source.load(ASSIGNMENTS / NAME)
    submissions = answers_of(assignment, path)
    for student, (answers, _) in submissions.items():
        folder = path / "submissions" / student
        shutil.copytree(path / "out" / "student" / NAME, folder)
        notebook = folder / f"{NAME}.ipynb"
        if answers is None:
            notebook.unlink()
        elif isinstance(answers, str):
            notebook.write_text(answers, encoding="utf-8")
        else:
            notebook.write_text(filled(notebook, answers), encoding="utf-8")
    limits = ["--jobs", "2", "--seconds", "2"]
    assert main(["grade", NAME, str(path / "submissions"), "--out", str(path / "results"), *limits]) == 0
    return path, assignment, submissions


def records(path):
    results = json.loads((path / "results" / "results.json").read_text(encoding="utf-8"))
    return {record["student"]: record for record in results["students"]}


def test_each_loses_the_points_of_what_is_wrong_and_no_others(loop):
    path, assignment, submissions = loop
    points = {task.name: task.points for task in assignment.tasks if not task.written}
    found = records(path)
    assert found.keys() == submissions.keys()
    for student, record in found.items():
        earned = {task: verdict["earned"] for task, verdict in record["tasks"].items()}
        assert {task for task in points if earned[task] < points[task]} == {*submissions[student][1]}, record
        assert record["fault"] is None


def test_the_log_says_what_was_wrong(loop):
    found = records(loop[0])
    said = [task["messages"] + task["errors"] for task in found["fay"]["tasks"].values()]
    assert "took longer than 2 s" in str(said[1]) and "ended the process" in str(said[2])
    assert "dp_helpers" in found["hal"]["log"][0]
    assert "no notebook" in found["kim"]["log"][0]
    assert "there is no notebook" in found["lea"]["log"][0]
    assert found["ada"]["log"] == []


def test_no_page_shows_a_secret(loop):
    path, assignment, _ = loop
    assert main(["feedback", str(path / "results" / "results.json"), "--to", str(path / "pages")]) == 0
    pages = [page.read_text(encoding="utf-8") for page in (path / "pages").glob("*/*.html")]
    assert len(pages) == len(loop[2])
    for page in pages:
        assert str(assignment.seed) not in page
