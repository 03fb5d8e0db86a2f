"""Finds students' notebooks, and reads what is to be executed and what a person reads."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .tables import read_csv
from .texts import WRITE_HERE, clean, line

COLLECTED = "collected.csv"  # what `collect` writes beside the students' folders
LARGEST = 20 << 20  # bytes of a notebook, pictures included
TOO_LARGE = (
    f"is larger than {LARGEST >> 20} MB, which only its outputs can be: clear them (Kernel, Restart Kernel and Clear "
    "Outputs of All Cells), save, and hand it in again"
)
APPENDED = (".txt", ".json")  # what browsers and mail add to the name of a notebook, because of what is in it
NOT_HANDED_IN = ("__MACOSX", "__pycache__")  # folders that computers make
SHOWN = 5  # files named where none is a notebook


class Unreadable(ValueError):
    """A submission that can't be graded; ``str`` says why, to the student."""


class Undecided(Unreadable):
    """A submission of more than one notebook: a person must say which counts."""


@dataclass(frozen=True)
class Notebook:
    """The code cells to execute, each with its place among all cells, their first lines, and the written answers."""

    cells: list[tuple[int, str]]
    labels: dict[int, str]
    written: dict[str, str]


def find(folder: Path, assignment: str) -> dict[str, Path]:
    """Return the place of each student's notebook, as a rule ``folder/student/assignment.ipynb``.

    Understood, too: nbgrader's ``student/assignment/any.ipynb``, and a student's only notebook under another name, in
    any folder below. Where there is none, or nobody can tell which one counts, the place is the student's folder, and
    `read` says what lies there.

    Raises
    ------
    FileNotFoundError
        If the folder isn't there, or holds no student's folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder of submissions must hold a folder for each student, got {folder}")
    students = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
    # Who can stand in a table under the folder's own name does, before another folder's name is mended to the same.
    students.sort(key=lambda path: (path.name != line(path.name), path.name))
    if not students:
        raise FileNotFoundError(f"there is no student's folder in {folder}: `collect` makes them of a download")
    found = {}
    for student in students:
        name = line(student.name)  # one that can stand in a table
        while name in found:
            name += "'"
        found[name] = place(student, assignment)
    return found


def place(student: Path, assignment: str) -> Path:
    """Return the one notebook of a student's folder, or the folder where nobody can tell which it is."""
    notebooks = [path for path in files(student) if is_notebook(path.name)]
    expected = student / f"{assignment}.ipynb"
    if expected in notebooks:
        return expected
    below = [path for path in notebooks if path.parent == student / assignment]
    for choice in (below, [path for path in notebooks if path.name == expected.name], notebooks):
        if len(choice) == 1:
            return choice[0]
    return student


def is_notebook(name: str) -> bool:
    """Tell whether a file is a notebook by its name, to which a browser may have added an ending."""
    return without_appended(name).lower().endswith(".ipynb")


def without_appended(name: str) -> str:
    """Return the name that a notebook had before a browser added an ending."""
    stem, dot, ending = name.rpartition(".")
    return stem if dot + ending.lower() in APPENDED and stem.lower().endswith(".ipynb") else name


def files(student: Path) -> list[Path]:
    """Return what lies in a student's folder and below, without links, hidden files and what computers add."""
    found = []
    for place, folders, names in os.walk(student):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in NOT_HANDED_IN)
        paths = [Path(place, name) for name in sorted(names) if name[0] != "."]
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
    return found


def collected(folder: Path) -> dict[str, dict]:
    """Return what `collect` noted about each student: id in the course system, days late, name for a reply, trouble."""
    path = folder / COLLECTED
    if not path.is_file():
        return {}
    known = ("id", "late", "reply", "note")
    return {line(row["student"]): {name: row.get(name, "") for name in known} for row in read_csv(path, "student")}


def _why_none(student):
    """Return the error for a folder in which no notebook could be chosen."""
    lie_here = files(student) if not student.is_symlink() else []
    names = [line(str(path.relative_to(student))) for path in lie_here]
    notebooks = [name for name in names if is_notebook(name)]
    if notebooks:
        return Undecided(
            f"there are {len(notebooks)} notebooks, of which one can count: {', '.join(notebooks[:SHOWN])}"
        )
    # What could not be collected isn't here, but the student has handed it in and must learn what was wrong with it.
    note = collected(student.parent).get(line(student.name), {}).get("note", "")
    ending = f"; handed in: {', '.join(names[:SHOWN])}" if names else note and f": {note}"
    return Unreadable(f"there is no notebook{ending}")


def read(path: Path, tasks, others: dict[str, str] | None = None) -> Notebook:
    """Read a notebook for an assignment's tasks; whatever it may be, the only error is `Unreadable`.

    ``others`` has the titles of other assignments, whose notebooks aren't this one's, with their names.
    """
    try:
        if path.is_dir():
            raise _why_none(path)
        # A link could point to anybody's file, the solution perhaps.
        if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            raise Unreadable("there is no notebook")
        if path.stat().st_size > LARGEST:
            raise Unreadable(f"the notebook {TOO_LARGE}")
        cells = [_cell(cell) for cell in json.loads(path.read_bytes())["cells"]]
    except Unreadable:
        raise
    except Exception as error:  # any file may lie there
        raise Unreadable(f"this is no notebook that Jupyter could open ({type(error).__name__})") from None
    headings = [_words(text) for cell in cells if cell.kind == "markdown" for text in cell.source.splitlines()[:1]]
    if named := [(others or {})[heading] for heading in headings if heading in (others or {})]:
        raise Unreadable(f"this is a notebook of another assignment, {named[0]}")
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
    metadata = metadata if isinstance(metadata, dict) else {}  # whatever wrote it there
    nbgrader = metadata.get("nbgrader", {})
    nbgrader = nbgrader if isinstance(nbgrader, dict) else {}
    purpose = str(metadata.get("assignment") or nbgrader.get("grade_id") or "")
    is_check = purpose.endswith("-check") or bool(nbgrader.get("grade") and not nbgrader.get("solution"))
    return _Cell(raw["cell_type"], _source(raw["source"]), purpose, is_check, metadata.get("editable") is False)


def _source(source):
    text = source if isinstance(source, str) else "".join(source)
    return text.encode("utf-8", "replace").decode()


def _written(cells, task):
    """Return a written answer: what follows the question, and marked cells elsewhere with what follows them.

    A cell that is split keeps its mark in both halves; cells are added above and below; some lose their mark.
    """
    question = task.cells["text"].text
    parts, inside = [], False
    for cell in cells:
        answer = cell.source.replace(question, "")  # an editor may let people write into the question itself
        if cell.purpose == task.name or _words(cell.source) == _words(question):
            inside = True
            parts.append("" if _words(cell.source) == _words(question) else answer)
        elif cell.purpose == f"{task.name}-answer":
            inside = True
            parts.append(cell.source)
        elif cell.purpose or cell.is_ours:
            inside = False
        elif inside:
            parts.append(cell.source)
    return "\n\n".join(part for part in (clean(part.replace(WRITE_HERE, "")).strip() for part in parts) if part)


def _words(text):
    return re.sub(r"\s+", " ", text).strip()
