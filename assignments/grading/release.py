"""Writes what is handed out: the student's version of each assignment, and the lecturer's notebook with solutions.

The student's folder holds the notebook, the data and `checks.py`, and needs NumPy, pandas and matplotlib only.
"""

import argparse
import shutil
from pathlib import Path

import nbformat

from . import selfcheck, source, trial
from .notebooks import check_cell, code_cell, notebook, setup_cell, text_cell
from .source import Assignment, FormatError

ASSIGNMENTS = Path(__file__).resolve().parents[1]
BUILT = ASSIGNMENTS.parent / "_build" / "assignments"
WRITE_HERE = "*Write your answer here.*"


def add_commands(commands) -> None:
    """Add ``release`` to the command line."""
    command = commands.add_parser("release", help="write the student's version and the solutions of each assignment")
    add_folders(command)
    command.set_defaults(run=release)


def add_folders(command) -> None:
    """Add the arguments that say which assignments are meant, in which term, and where the results go."""
    command.add_argument("folders", nargs="*", type=Path, help="assignments' folders; none: all")
    command.add_argument("--term", type=Path, help="the term's file; otherwise term.toml beside the assignments")
    command.add_argument("--to", type=Path, default=BUILT, help="where to write; otherwise _build/assignments")


def release(options: argparse.Namespace) -> None:
    """Write the assignments, each only if its checks tell right from wrong under this term's parameters."""
    for folder in options.folders or source.find(ASSIGNMENTS):
        assignment = source.load(folder, options.term)
        refuse_unfair(assignment)
        student, lecturer = (options.to / reader / assignment.name for reader in ("student", "lecturer"))
        write(student, assignment, student_notebook(assignment), assignment.name)
        write(lecturer, assignment, lecturer_notebook(assignment), f"{assignment.name}-solution")
        print(f"{assignment.name}: {student}")


def refuse_unfair(assignment: Assignment) -> None:
    """Raise a FormatError unless the solution and other right answers earn all points, and the wrong ones lose them."""
    for verdict in trial.run(assignment):
        if verdict.messages:
            _refuse(assignment, f"the solution of {verdict.task} fails its checks", verdict.messages[0])
    for variant in source.load_variants(assignment):
        (verdict,) = trial.run(assignment, {variant.task: variant.code}, only=variant.task)
        if variant.right and verdict.messages:
            _refuse(assignment, f"{variant.task}'s right answer {variant.name} fails its checks", verdict.messages[0])
        if not variant.right and not verdict.messages:
            _refuse(assignment, f"{variant.task}'s wrong answer {variant.name} passes its checks", "choose others")


def _refuse(assignment, what, why):
    raise FormatError(f"{assignment.name}: {what} with the parameters {assignment.term}: {why}")


def write(folder: Path, assignment: Assignment, content, name: str) -> None:
    """Write the notebook beside the data and the visible checks; whatever was in the folder goes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    nbformat.write(content, folder / f"{name}.ipynb")
    for file, text in handouts(assignment).items():
        (folder / file).write_text(text, encoding="utf-8")


def handouts(assignment: Assignment) -> dict[str, str]:
    """Return the text of all the files that belong beside a student's notebook, by name."""
    return assignment.files() | {"checks.py": checks_file(assignment)}


def checks_file(assignment: Assignment) -> str:
    """Return the student's checks.py: the tools, the assignment's visible checks, and which task they are for."""
    tools = Path(selfcheck.__file__).read_text(encoding="utf-8")
    parts = [tools.replace("import numpy as np\n", "import numpy as np\nimport pandas as pd\n", 1)]
    for task in assignment.tasks:
        if not task.written:
            names = ", ".join(check.name for check in task.visible)
            parts.append(f'{task.cells["visible"].text}\n\n\nVISIBLE["{task.name}"] = [{names}]\n')
    return "\n\n".join(parts)


def student_notebook(assignment: Assignment):
    """Return the notebook as it is handed out."""
    cells = []
    for cell in assignment.cells:
        if cell.role in (None, "written"):
            cells.append(text_cell(cell.text, cell.task))
        if cell.role == "setup":
            cells.append(setup_cell(cell))
        elif cell.role == "starter":
            cells += [code_cell(cell.text, f"{cell.task}-answer", editable=True), check_cell(cell.task)]
        elif cell.role == "written":
            cells.append(text_cell(WRITE_HERE, f"{cell.task}-answer", editable=True))
    return notebook(cells)


def lecturer_notebook(assignment: Assignment):
    """Return the notebook with the solutions, what the grader checks in words, and the rubrics."""
    tasks = {task.name: task for task in assignment.tasks}
    cells = []
    for cell in assignment.cells:
        if cell.role in (None, "written"):
            cells.append(text_cell(cell.text, cell.task))
        elif cell.role == "setup":
            cells.append(setup_cell(cell))
        elif cell.role == "solution":
            hidden = "\n".join(f"- {check.doc}" for check in tasks[cell.task].hidden)
            cells += [code_cell(cell.text, f"{cell.task}-solution"), check_cell(cell.task)]
            cells.append(text_cell(f"The grader also checks:\n\n{hidden}", f"{cell.task}-hidden"))
        elif cell.role == "rubric":
            cells.append(text_cell(f"**Rubric**\n\n{cell.text}", f"{cell.task}-rubric"))
    return notebook(cells)
