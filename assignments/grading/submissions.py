"""Finds students' notebooks, and reads what is to be executed and what a person reads."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from .release import WRITE_HERE

LARGEST = 20 << 20  # bytes of a notebook, pictures included


class Unreadable(ValueError):
    """A submission that can't be graded; ``str`` says why, to the student."""


@dataclass(frozen=True)
class Notebook:
    """The code cells to execute, each with its place among all cells, their first lines, and the written answers."""

    cells: list[tuple[int, str]]
    labels: dict[int, str]
    written: dict[str, str]


def find(folder: Path, assignment: str) -> dict[str, Path]:
    """Return the place of each student's notebook: ``folder/student/assignment.ipynb``.

    Understood, too: nbgrader's ``student/assignment/any.ipynb``, and a student's only notebook under another name.
    Where a student has handed in nothing of the kind, the place is where the notebook should be.

    Raises
    ------
    FileNotFoundError
        If the folder isn't there, or holds no student's folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder of submissions must hold a folder for each student, got {folder}")
    students = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not students:
        raise FileNotFoundError(f"there is no student's folder in {folder}")
    # A name that is no text can stand in no table.
    return {student.name.encode("utf-8", "replace").decode(): _place(student, assignment) for student in students}


def _place(student, assignment):
    expected = student / f"{assignment}.ipynb"
    if expected.exists():
        return expected
    for folder in (student / assignment, student):
        found = [path for path in folder.glob("*.ipynb") if not path.name.startswith(".")]
        if len(found) == 1:
            return found[0]
    return expected


def read(path: Path, tasks) -> Notebook:
    """Read a notebook for an assignment's tasks; whatever it may be, the only error is `Unreadable`."""
    try:
        # A link could point to anybody's file, the solution perhaps.
        if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            raise Unreadable(f"there is no notebook {path.name}")
        if path.stat().st_size > LARGEST:
            raise Unreadable(f"the notebook is larger than {LARGEST >> 20} MB")
        cells = [_cell(cell) for cell in json.loads(path.read_bytes())["cells"]]
    except Unreadable:
        raise
    except Exception as error:  # any file may lie there
        raise Unreadable(f"this is no notebook that Jupyter could open ({type(error).__name__})") from None
    code = {number: cell for number, cell in enumerate(cells, start=1) if cell.kind == "code" and not cell.is_check}
    return Notebook(
        [(number, cell.source) for number, cell in code.items()],
        {number: cell.label for number, cell in code.items()},
        {task.name: _written(cells, task) for task in tasks if task.written},
    )


@dataclass(frozen=True)
class _Cell:
    """``purpose`` is what the release has marked the cell as: "q1-answer", "q1-check"; nbgrader has a name for it."""

    kind: str
    source: str
    purpose: str
    is_check: bool
    is_ours: bool

    @property
    def label(self):
        lines = [line for line in self.source.splitlines() if line.strip()]
        return self.purpose.removesuffix("-answer") if self.purpose else (lines[0].strip()[:40] if lines else "")


def _cell(raw):
    metadata = raw.get("metadata", {})
    nbgrader = metadata.get("nbgrader", {})
    purpose = str(metadata.get("assignment") or nbgrader.get("grade_id") or "")
    is_check = purpose.endswith("-check") or bool(nbgrader.get("grade") and not nbgrader.get("solution"))
    return _Cell(raw["cell_type"], _source(raw["source"]), purpose, is_check, metadata.get("editable") is False)


def _source(source):
    text = source if isinstance(source, str) else "".join(source)
    return text.encode("utf-8", "replace").decode()


def _written(cells, task):
    """Return a written answer: the marked cell, and those that the student has added below it.

    Where the mark is lost, the answer is what follows the question.
    """
    start = next((i for i, cell in enumerate(cells) if cell.purpose == f"{task.name}-answer"), None)
    if start is None:
        question = _words(task.cells["text"].text)
        asked = next((i for i, cell in enumerate(cells) if _words(cell.source) == question), None)
        if asked is None:
            return ""
        start = asked + 1
    answer = cells[start : start + 1]
    for cell in cells[start + 1 :]:
        if cell.purpose or cell.is_ours:
            break
        answer.append(cell)
    return "\n\n".join(cell.source for cell in answer).replace(WRITE_HERE, "").strip()


def _words(text):
    return re.sub(r"\s+", " ", text).strip()
