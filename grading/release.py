"""Writes what is handed out: the student's version of each assignment, and the lecturer's notebook with solutions.

The student's folder holds the notebook, the data, `checks.py` and the grader's versions in `requirements.txt`, and
needs NumPy, pandas and matplotlib only.
"""

import argparse
import platform
import sys
from importlib import metadata
from pathlib import Path

from . import own_answers, sandbox, source, student_checks
from .made import Made
from .notebooks import check_cell, code_cell, notebook, setup_cell, text_cell
from .source import ASSIGNMENTS, Assignment
from .tables import read_csv
from .term import PUBLIC_SEED
from .texts import WRITE_HERE, FormatError, folder_name, progress

BUILT = ASSIGNMENTS.parent / "_build" / "assignments"
PUBLIC = "note: this seed, and with it the checks' numbers, is public; `python -m grading term` writes a secret one"


def release(options: argparse.Namespace) -> None:
    """Write the assignments, each only if its checks tell right from wrong under this term's parameters."""
    students, to = _students(options.students), options.to or BUILT
    for folder in [source.locate(name) for name in options.folders] or source.find(ASSIGNMENTS):
        versions = [source.load(folder, options.term, student) for student in students]
        assignment = versions[0]
        if assignment.personal != bool(options.students):
            needs = "needs --students" if assignment.personal else "has no personal = true, as --students needs"
            raise FormatError(f"{options.term or folder.parent / 'term.toml'} {needs}")
        warn_of_public(assignment)
        for version in {str(version.term): version for version in versions}.values():
            refuse_unfair(version)
        output, handed_out = Made(to, assignment.whose), {}
        for version in versions:
            folder = f"{version.student}/" if version.student else ""
            files = contents(version, student_notebook(version), assignment.name)
            handed_out |= {f"{folder}{name}": content for name, content in files.items()}
        output.put(f"student/{assignment.name}", handed_out)
        solution = contents(assignment, lecturer_notebook(assignment), f"{assignment.name}-solution")
        output.put(f"lecturer/{assignment.name}", solution)
        print(f"{assignment.name}: {to / 'student' / assignment.name}", flush=True)


def _students(path) -> list[str | None]:
    """Return the names of all for whom there is a version; the only None stands for everybody."""
    if path is None:
        return [None]
    names = [row["student"] for row in read_csv(path, "student")]
    for name in names:
        if name != folder_name(name):
            raise FormatError(f"{path}: a student must be the name of a folder, got {name!r}")
    if len(set(names)) < max(1, len(names)):
        raise FormatError(f"{path} must name each student once, and at least one")
    return names


def warn_of_public(assignment: Assignment) -> None:
    """Say on the terminal that the seed is no secret, where it isn't."""
    if assignment.seed == PUBLIC_SEED:
        print(PUBLIC, file=sys.stderr)


def refuse_unfair(assignment: Assignment) -> None:
    """Raise a FormatError unless the solution and other right answers earn all points, and the wrong ones lose them."""
    variants = source.load_variants(assignment)
    for verdict in own_answers.run(assignment):
        if verdict.messages:
            _refuse(assignment, f"the solution of {verdict.task} fails its checks", verdict.messages[0])
    for number, variant in enumerate(variants, start=1):
        (verdict,) = own_answers.run(assignment, {variant.task: variant.code}, only=variant.task)
        if variant.right == bool(verdict.messages):
            kind, does = ("right", "fails") if variant.right else ("wrong", "passes")
            fault = f"{variant.task}'s {kind} answer {variant.name} {does} its checks"
            _refuse(assignment, fault, (*verdict.messages, "choose others")[0])
        if sys.stderr.isatty():  # a minute without a word looks like a program that hangs
            progress(f"{assignment.name}: answers tried", number, len(variants))


def _refuse(assignment, fault, why):
    raise FormatError(f"{assignment.name}: {fault} with the parameters {assignment.term}: {why}")


def contents(assignment: Assignment, content: str, name: str) -> dict[str, bytes]:
    """Return the files of a folder by name: the notebook beside the data and the visible checks."""
    files = {f"{name}.ipynb": content} | handouts(assignment)
    return {file: text.encode() for file, text in files.items()}


def handouts(assignment: Assignment) -> dict[str, str]:
    """Return the text of all the files that belong beside a student's notebook, by name."""
    return assignment.files() | {"checks.py": checks_file(assignment), "requirements.txt": requirements()}


def versions() -> dict[str, str]:
    """Return the versions of the packages that a student's code runs with, by name."""
    return {name: metadata.version(name) for name in sandbox.PACKAGES}


def requirements() -> str:
    """Return the text of a requirements.txt with the grader's versions."""
    lines = [f"{name}=={version}\n" for name, version in versions().items()]
    return "".join([f"# the grader's versions, with Python {platform.python_version()}\n", *lines])


def checks_file(assignment: Assignment) -> str:
    """Return the student's checks.py: the tools, the assignment's visible checks, and which task they are for."""
    tools = Path(student_checks.__file__).read_text(encoding="utf-8")
    parts = [tools.replace("import numpy as np\n", "import numpy as np\nimport pandas as pd\n", 1)]
    for task in assignment.tasks:
        if not task.written:
            names = ", ".join(check.name for check in task.visible)
            parts.append(f'{task.cells["visible"].text}\n\n\nVISIBLE["{task.name}"] = [{names}]\n')
            if "def _try_it(" in task.cells["visible"].text:
                parts[-1] += f'TRIALS["{task.name}"] = _try_it\n'
    graded_with = {"python": platform.python_version()} | versions()
    return "\n\n".join([*parts, f"tell_versions({graded_with})\n"])


def student_notebook(assignment: Assignment) -> str:
    """Return the notebook as it is handed out."""
    cells = []
    for cell in assignment.cells:
        if cell.role in (None, "written"):
            cells.append(text_cell(cell.text, cell.task))
        if cell.role == "setup":
            cells += [text_cell(how_it_is_graded()), setup_cell(cell)]
        elif cell.role == "starter":
            cells += [code_cell(cell.text, f"{cell.task}-answer", editable=True), check_cell(cell.task)]
        elif cell.role == "written":
            cells.append(text_cell(WRITE_HERE, f"{cell.task}-answer", editable=True))
    return notebook(cells)


def how_it_is_graded() -> str:
    """Return what a student should know about versions and limits."""
    patience, python = sandbox.ORDINARY, ".".join(platform.python_version_tuple()[:2])
    packages = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"""**How your notebook is graded.** It is run from top to bottom once, with Python {python}, {packages}
and no other package. (The file `requirements.txt` has these versions, and `checks.py` says where yours differ.) Then
your functions are called with other numbers. There is no network, no other file than those you were given, and nothing
is shown: `display`, `tqdm`, and lines with `!` or `%` do nothing.

A cell may take {patience.cell:g} seconds of processor time, a call of a function {patience.call:g} (where it is called
thousands of times, {sandbox.PORTION} calls together), everything {patience.total:g}; {sandbox.LIMITS["AS"] >> 30} GB of
memory, {sandbox.PROCESSES} processes or threads. A cell that fails costs only what it would have defined below the
failing line."""


def lecturer_notebook(assignment: Assignment) -> str:
    """Return the notebook with the solutions, what the grader checks in words, and the rubrics."""
    tasks = {task.name: task for task in assignment.tasks}
    cells = []
    for cell in assignment.cells:
        if cell.role in (None, "written"):
            cells.append(text_cell(cell.text, cell.task))
        elif cell.role == "setup":
            cells.append(setup_cell(cell))
        elif cell.role == "oral":
            cells.append(text_cell(cell.text, "oral"))
        elif cell.role == "solution":
            hidden = "\n".join(dict.fromkeys(f"- {check.doc}" for check in tasks[cell.task].hidden))
            cells += [code_cell(cell.text, f"{cell.task}-solution"), check_cell(cell.task)]
            cells.append(text_cell(f"The grader also checks:\n\n{hidden}", f"{cell.task}-hidden"))
        elif cell.role == "rubric":
            cells.append(text_cell(f"**Rubric**\n\n{cell.text}", f"{cell.task}-rubric"))
    return notebook(cells)
