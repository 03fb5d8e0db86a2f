"""Writes the assignments for nbgrader 0.9, and compares its marks with ours.

A course folder holds `nbgrader_config.py` and `source/N-name/`; nbgrader makes the students' version of it. A task's
checks, the hidden ones with their secret seeds included, stand in one test cell, so that a task earns all its points
or none, while our grader gives points for its parts. Unlike ours, nbgrader executes students' code unprotected, and its
feedback quotes the hidden checks that failed.
"""

import argparse
import re
from pathlib import Path
from textwrap import indent

from . import marks, source
from .made import Made
from .notebooks import code_cell, notebook, setup_cell, text_cell
from .release import BUILT, contents, refuse_unfair
from .source import ASSIGNMENTS, Assignment, Task
from .tables import read_csv
from .verdicts import OF_PRIVACY

CONFIG = """# Made by `python -m grading nbgrader`: settings that the notebooks in source/ rely on.
c = get_config()
c.ClearSolutions.code_stub = {"python": ""}  # the starter stands above the solution, and stays
c.Execute.timeout = 120
"""

# What the hidden checks import of the grader. nbgrader copies it anew beside what was handed in.
BESIDE = ("__init__.py", "evidence.py", "randomness.py")

# What `source` says of a task's parts, and what holds here, where a task earns all its points or none.
SPLIT = re.compile(r"\*Points: `.*\*$", re.M)
TOGETHER = "*Points: for all parts together, or none.*"

# What student code writes to stderr, nbgrader takes for a failed test: a warning is none.
TEST = """def _test_{task}(student):
    import contextlib
    import io

    from checks import VISIBLE, failure

    with contextlib.redirect_stderr(io.StringIO()):
        for check in VISIBLE["{task}"]:
            message = failure(check, student.__getitem__)
            assert not message, message
        ### BEGIN HIDDEN TESTS
        import math
        import numpy as np
        import pandas as pd
        from checks import close, close_mean, draws_from_rng, fits, fresh, of_part, sample, within
        from functools import partial
        from scipy import stats
        import dp_helpers as dp
{imports}

{hidden}

        for check, seed in {seeds}:
            ours = {{
                "rng": np.random.default_rng(seed),
                "term": {term},
                "data": {{name: pd.read_csv(name) for name in {files}}},
            }}
            message = failure(check, lambda name, ours=ours: ours[name] if name in ours else student[name])
            assert not message, message
        ### END HIDDEN TESTS


_test_{task}(globals())"""


def nbgrader(options: argparse.Namespace) -> None:
    """Write the course folder, each assignment only if its checks tell right from wrong."""
    course = (options.to or BUILT) / "nbgrader"
    for folder in [source.locate(name) for name in options.folders] or source.find(ASSIGNMENTS):
        assignment = source.load(folder, options.term)
        refuse_unfair(assignment)
        files = contents(assignment, source_notebook(assignment), assignment.name)
        files |= {f"grading/{name}": Path(__file__).with_name(name).read_bytes() for name in BESIDE}
        Made(course, assignment.whose).put(f"source/{assignment.name}", files)
        print(f"{assignment.name}: {course / 'source' / assignment.name}")
    Made(course, "all assignments").write("nbgrader_config.py", CONFIG.encode())


def source_notebook(assignment: Assignment):
    """Return the instructor's notebook, from which nbgrader makes the student's."""
    cells, tasks = [], {task.name: task for task in assignment.tasks}
    for cell in assignment.cells:
        if cell.role in (None, "written"):
            cells.append(text_cell(SPLIT.sub(TOGETHER, cell.text)))
        elif cell.role == "setup":
            cells.append(setup_cell(cell))
        elif cell.role == "starter":
            cells += answer_and_test(tasks[cell.task], assignment)
        elif cell.role == "rubric":
            rubric = text_cell(f"### BEGIN SOLUTION\n{cell.text}\n### END SOLUTION")
            cells.append(_marked(rubric, f"{cell.task}-answer", points=tasks[cell.task].points, solution=True))
    for number, cell in enumerate(cells):
        if "nbgrader" not in cell["metadata"]:
            _marked(cell, f"text-{number}", locked=True)
    return notebook(cells)


def answer_and_test(task: Task, assignment: Assignment) -> list:
    """Return a task's cell for the answer, with the solution, and the cell with its checks."""
    starter, solution, visible, hidden = (
        task.cells[role].text for role in ("starter", "solution", "visible", "hidden")
    )
    answer = code_cell(f"{starter}\n\n\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION")
    test = TEST.format(
        task=task.name,
        imports=indent("\n".join(f"from {tool.__module__} import {tool.__name__}" for tool in OF_PRIVACY), " " * 8),
        hidden=indent(f"{visible}\n\n{hidden}", " " * 8),
        seeds="[" + ", ".join(f"({check.name}, {assignment.seeds(check.name)})" for check in task.hidden) + "]",
        term=assignment.term,
        files=list(assignment.data),
    )
    return [
        _marked(answer, f"{task.name}-answer", solution=True),
        _marked(code_cell(test), f"{task.name}-test", points=task.points, locked=True),
    ]


def _marked(cell, grade_id, *, points=None, solution=False, locked=False):
    """Add what nbgrader knows a cell by; the one with points is graded."""
    about = {"schema_version": 3, "grade_id": grade_id, "grade": points is not None, "solution": solution}
    cell["metadata"] = {"nbgrader": about | {"locked": locked, "task": False} | ({"points": points} if points else {})}
    return cell


def compare(options: argparse.Namespace) -> int:
    """Print whose totals differ between nbgrader's table and our results; the status is 1 where there are any."""
    results = marks.read_results(options.results)
    hand = marks.read_hand(options, results)
    # nbgrader counts what nobody has marked as 0.
    ours = {entry.student: sum(mark.earned or 0 for mark in entry.tasks) for entry in marks.combine(results, hand)}
    rows = read_csv(options.grades, "assignment", "student_id", "raw_score")
    theirs = {row["student_id"]: float(row["raw_score"]) for row in rows if row["assignment"] == results["assignment"]}
    different = [name for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]
    for student in different:
        print(f"{student}: ours {ours.get(student, 'none')}, nbgrader {theirs.get(student, 'none')}")
    print(f"{len(different)} of {len(ours.keys() | theirs.keys())} students differ")
    return 1 if different else 0
