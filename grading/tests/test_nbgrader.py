"""The notebooks for nbgrader: their cells, and real runs of nbgrader that come to our grader's marks."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from committed import FOLDERS, load
from thorough import THOROUGH, weekly

from grading import nbgrader, own_answers, source
from grading.__main__ import main

from .secrets_of import notebook_text, secrets

ROOT = Path(__file__).parents[2]
VENV = ROOT / ".venv-nbgrader"
# Whose solutions and starters are run in their notebook, too: test_variants.py tries the solutions of all.
PLAYED = {"4-accounting"}

# Runs a notebook's cells, going on after an error as nbgrader does, and prints the test cells that fail.
PLAYER = """
import json, sys
space = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        try:
            exec("".join(cell["source"]), space)
        except Exception as error:
            print(cell["metadata"]["nbgrader"]["grade_id"], type(error).__name__, error)
"""


def play(folder, notebook):
    (folder / "played.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    command = [sys.executable, "-X", "utf8", "-c", PLAYER, "played.ipynb"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith("The grader works with ")]


def answer(notebook, task, code):
    """Put the code into the task's cell."""
    (cell,) = [cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["grade_id"] == f"{task}-answer"]
    cell["source"] = code


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_cells_of_a_source_notebook(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(nbgrader, "refuse_unfair", lambda assignment: None)  # test_variants.py tries all answers
    assignment = load(folder)
    assert main(["nbgrader", str(folder), "--to", str(tmp_path)]) == 0
    course = tmp_path / "nbgrader" / "source" / assignment.name
    notebook = json.loads((course / f"{assignment.name}.ipynb").read_text(encoding="utf-8"))
    about = [cell["metadata"]["nbgrader"] for cell in notebook["cells"]]
    assert len({one["grade_id"] for one in about}) == len(about)
    points = {one["grade_id"]: one["points"] for one in about if one["grade"]}
    expected = {f"{task.name}-{'answer' if task.written else 'test'}": task.points for task in assignment.tasks}
    assert points == expected
    text = notebook_text(notebook)  # a task earns all its points here, or none, and says so
    assert "*Points: `" not in text
    assert text.count(nbgrader.TOGETHER) == sum("*Points: `" in cell.text for cell in assignment.cells)
    if not THOROUGH and folder.name not in PLAYED:
        return
    assert play(course, notebook) == []  # the solutions pass
    coded = [task for task in assignment.tasks if not task.written]
    for task in coded:
        answer(notebook, task.name, task.cells["starter"].text)
    failed = [line.split()[:2] for line in play(course, notebook)]
    assert failed == [[f"{task.name}-test", "AssertionError"] for task in coded]


def in_course(course, *command):
    """Run nbgrader in the course's folder; its home is there, too, so that nothing of the user's is read."""
    surroundings = {
        **os.environ,
        "HOME": str(course),
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    done = subprocess.run(
        [VENV / "bin" / "nbgrader", *command], cwd=course, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course folder with the students' version of an assignment, made by nbgrader."""
    assert (VENV / ".ready").exists(), "nbgrader isn't installed: make .venv-nbgrader/.ready"
    to = tmp_path_factory.mktemp("course")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nbgrader, "refuse_unfair", lambda assignment: None)
        assert main(["nbgrader", str(ROOT / "assignments" / "7-local"), "--to", str(to)]) == 0
    in_course(to / "nbgrader", "generate_assignment", "7-local")
    return to / "nbgrader"


@weekly
def test_what_nbgrader_releases(course):
    assignment, released = load(ROOT / "assignments" / "7-local"), course / "release" / "7-local"
    handed_out = {"7-local.ipynb", "checks.py", "grading", "requirements.txt", "commuters.csv"}
    assert {path.name for path in released.iterdir()} == handed_out
    text = notebook_text(json.loads((released / "7-local.ipynb").read_text(encoding="utf-8")))
    for secret in secrets(assignment):
        assert secret not in text
    for task in assignment.tasks:
        if not task.written:
            assert task.cells["starter"].text in text


@weekly
def test_nbgrader_comes_to_our_marks(course, tmp_path, capsys):
    assignment = load(ROOT / "assignments" / "7-local")
    wrong = {(one.task, one.name): one.code for one in source.load_variants(assignment)}
    solutions = {task.name: task.cells["solution"].text for task in assignment.tasks if not task.written}
    noisy = "import warnings\n\n" + solutions["q3"].replace("rarest", "warnings.warn('careful')\n    rarest", 1)
    students = {
        "Ada": solutions,
        "Bo": {
            **solutions,
            "q1": wrong["q1", "one-coin-for-all"],
            "q3": noisy,
            "q5": "unary_rows = unary_counts = None",
        },
    }
    for student, answers in students.items():
        folder = course / "submitted" / student / "7-local"
        shutil.copytree(course / "release" / "7-local", folder)
        notebook = json.loads((folder / "7-local.ipynb").read_text(encoding="utf-8"))
        for task, code in answers.items():
            answer(notebook, task, code)
        (folder / "7-local.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    in_course(course, "autograde", "7-local", "--create")
    in_course(course, "export")
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        scores = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    with pytest.warns(UserWarning, match="careful"):
        ours = {
            name: sum(verdict.earned for verdict in own_answers.run(assignment, code))
            for name, code in students.items()
        }
    assert ours == {"Ada": 90, "Bo": 65}
    assert scores == ours

    results = tmp_path / "results.json"
    results.write_text(json.dumps(results_of(assignment, students)), encoding="utf-8")
    assert main(["compare", str(results), str(course / "grades.csv")]) == 0
    assert "0 of 2 students differ" in capsys.readouterr().out


def results_of(assignment, students):
    """Return what our grader writes, with the marks that the checks give in this process."""
    with pytest.warns(UserWarning, match="careful"):
        verdicts = {student: own_answers.run(assignment, answers) for student, answers in students.items()}
    tasks = [{"task": task.name, "points": task.points, "written": task.written} for task in assignment.tasks]
    records = [
        {
            "student": student,
            "tasks": {verdict.task: {"earned": verdict.earned, "messages": []} for verdict in found},
            "written": {},
            "log": [],
            "fault": None,
        }
        for student, found in verdicts.items()
    ]
    about = {"assignment": assignment.name, "whose": assignment.whose, "title": assignment.title}
    return about | {"tasks": tasks, "students": records}


def test_compare_names_who_differs(tmp_path, capsys):
    results = {
        "assignment": "9-counting",
        "whose": "9-counting, term 0",
        "title": "Counting",
        "tasks": [{"task": "q1", "points": 90, "written": False}, {"task": "q2", "points": 10, "written": True}],
        "students": [
            {"student": name, "tasks": {"q1": {"earned": 90, "messages": []}}, "written": {}, "log": [], "fault": None}
            for name in ("ada", "bo", "cy")
        ],
    }
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    rows = ["9-counting,ada,90.0", "9-counting,bo,0.0", "9-counting,di,5.0", "8-other,cy,90.0"]
    grades = tmp_path / "grades.csv"
    grades.write_text("\n".join(["assignment,student_id,raw_score", *rows]), encoding="utf-8")
    assert main(["compare", str(tmp_path / "results.json"), str(grades)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "bo: ours 90, nbgrader 0.0",
        "cy: ours 90, nbgrader none",
        "di: ours none, nbgrader 5.0",
        "3 of 4 students differ",
    ]


def test_the_test_cell_is_python_with_and_without_its_hidden_part():
    for folder in FOLDERS:
        assignment = load(folder)
        for task in assignment.tasks:
            if not task.written:
                test = nbgrader.answer_and_test(task, assignment)[1]["source"]
                compile(test, folder.name, "exec")
                lines = test.splitlines()
                start, end = lines.index("        ### BEGIN HIDDEN TESTS"), lines.index("        ### END HIDDEN TESTS")
                compile("\n".join(lines[:start] + lines[end + 1 :]), folder.name, "exec")
