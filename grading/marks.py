"""Turns results and marks given by hand into the tables that course systems read."""

import argparse
import hashlib
import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from .made import Made
from .tables import LONGEST, as_csv, read_csv
from .texts import FormatError, clean, guarded, unguarded

# The columns by which a system knows its students, as it writes them itself. The first is what folders are named by.
SYSTEMS = {
    "moodle": ("Email address", "ID number", "Username", "Identifier"),
    "canvas": ("SIS Login ID", "Student", "ID", "SIS User ID", "Section"),
    "blackboard": ("Username", "Last Name", "First Name", "Student ID"),
}
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # Canvas goes by their order
IDS = {"moodle": "Identifier", "canvas": "ID", "blackboard": "Username"}  # what `collect` reads in a file's name
HEADER = ["student", "task", "points", "of", "comment", "note", "answer", "rubric"]  # of the written answers


@dataclass(frozen=True)
class Mark:
    """What one task earned; ``earned`` is None where nobody has marked it yet. ``answer``: a written one's text."""

    task: str
    points: int
    earned: float | None
    messages: tuple[str, ...] = ()
    comment: str = ""
    written: bool = False
    title: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Marks:
    """One student's marks, in the order of the tasks, and what went wrong in the notebook.

    ``id``, ``late`` and ``reply`` are what `collect` noted, empty otherwise: the course system's name for the student,
    the days that the work was late, and what the name of a file begins with that the system gives to this student.
    """

    student: str
    tasks: tuple[Mark, ...]
    log: tuple[str, ...]
    id: str = ""
    late: str = ""
    reply: str = ""

    @property
    def total(self):
        """The sum, or None where a task isn't marked yet."""
        earned = [mark.earned for mark in self.tasks]
        return None if None in earned else sum(earned)


def written(options: argparse.Namespace) -> None:
    """Write the table of written answers; with its points filled in, `export` reads it as marks by hand.

    In a table that is there already, what was given for an answer that hasn't changed stays, as do lines of other
    tasks; points for an answer that has changed move into its note.
    """
    results = read_results(options.results)
    path = options.to or Path(f"written-{results['assignment']}.csv")
    output = Made(path.parent, results["whose"])
    output.refuse(path.name, edited=True)
    before = {(row["student"], row["task"]): row for row in read_csv(path, *HEADER)} if path.exists() else {}
    answers = {record["student"]: record["written"] for record in results["students"]}
    tasks = {task["task"]: {"of": task["points"], "rubric": task.get("rubric", "")} for task in results["tasks"]}
    rows = [
        {"student": _code(results, student) if options.anonymous else student, "task": task, "answer": shown(answer)}
        | tasks[task]
        for task in tasks
        for student in sorted(answers, key=lambda student: _code(results, student, task))
        if (answer := answers[student].get(task))
    ]
    rows = [row | _kept(row, before.pop((row["student"], row["task"]), None)) for row in rows]
    output.write(path.name, as_csv(HEADER, [*rows, *before.values()], options.separator), edited=True)
    changed = sum(bool(row["note"]) for row in rows)
    waiting = sum(not row["points"] for row in rows)
    print(f"written answers: {len(rows)}, to mark: {waiting}, changed since they were marked: {changed}, in {path}")


def _code(results, student, task=""):
    """Return what stands for a student where names are hidden, or the place of an answer where names are no order."""
    return hashlib.sha256(f"{results['whose']}/{student}/{task}".encode()).hexdigest()[:10]


def shown(answer: str) -> str:
    """Return a written answer as a table shows it: without pictures, and as long as a cell may be."""
    text = re.sub(r"data:[\w.+-]+/[\w.+-]+;base64,[\w+/=\s]{40,}", "(a picture, see the notebook)", clean(answer))
    ending = "… (the whole answer is in results.json)"
    return text if len(text) <= LONGEST - 1_000 else text[: LONGEST - 1_000] + ending


def _kept(row, before):
    """Return points, comment and note of a line, as they were given before."""
    if before is None:
        return {"points": "", "comment": "", "note": ""}
    kept = {name: before[name] for name in ("points", "comment", "note")}
    if _words(before["answer"]) == _words(row["answer"]) or not (kept["points"] or kept["comment"]):
        return kept
    note = f"the answer has changed since it was marked ({kept['points'] or 'no points'})"
    return kept | {"points": "", "note": note}


def _words(answer):
    """Return an answer as it is after any spreadsheet has saved it."""
    return unguarded(guarded(answer)).split()


def export(options: argparse.Namespace) -> None:
    """Write the marks of all students in one format; nothing is written where something doesn't fit."""
    results = read_results(options.results)
    marks = combine(results, read_hand(options, results))
    if options.format == "plain":
        header, rows = plain(marks)
    else:
        column = options.column or results["title"]
        header, rows = for_system(options.format, marks, options.roster, options.key, column)
    path = options.to or Path(f"marks-{results['assignment']}.csv")
    Made(path.parent, results["whose"]).write(path.name, as_csv(header, rows, options.separator))
    print(f"{len(marks)} students: {path}")
    open_ones = [entry.student for entry in marks if entry.total is None]
    if open_ones:
        print(f"without a total, for something isn't marked yet: {', '.join(open_ones)}", file=sys.stderr)


def read_results(path: Path) -> dict:
    """Return what results.json holds.

    Raises
    ------
    FormatError
        If it isn't a file that `grade` has written.
    """
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
        for entry in combine(results, {}):  # somebody may have changed it by hand
            sum(mark.earned or 0 for mark in entry.tasks)
            if Path(entry.student).name != entry.student or entry.student == "..":
                raise ValueError("no name of a folder")
        names = {record["student"] for record in results["students"]}
        if results["whose"] and len(names) == len(results["students"]) > 0:
            return results
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise FormatError(f"{path} must be a results.json written by `python -m grading grade`, this version's")


def read_hand(options: argparse.Namespace, results: dict) -> dict[tuple[str, str], tuple[float, str]]:
    """Return the points and comments given by hand, by student and task; lines without points are left out.

    Of several tables, one for each person who marks, all count.

    Raises
    ------
    FormatError
        Naming each unknown student or task, another mark, and points that aren't possible.
    """
    most = {task["task"]: task["points"] for task in results["tasks"]}
    students = [record["student"] for record in results["students"]]
    names = {name: student for student in students for name in (student, _code(results, student))}
    found, wrong = {}, []
    for path in options.hand:
        for row in read_csv(path, "student", "task", "points", encoding=options.encoding):
            student, task, points = names.get(row["student"]), row["task"], _number(row["points"])
            where = f"{path}, {row['student']!r}"
            if student is None:
                wrong.append(f"{where}: there is no submission of this student")
            elif task not in most:
                wrong.append(f"{where}: task must be one of {', '.join(most)}, got {task!r}")
            elif not row["points"]:
                continue
            elif not 0 <= points <= most[task]:
                wrong.append(
                    f"{where}: points for {task} must be a number from 0 to {most[task]}, got {row['points']!r}"
                )
            elif found.setdefault((student, task), (points, row.get("comment", "")))[0] != points:
                wrong.append(f"{where}: another mark for {task}")
    if wrong:
        raise FormatError("\n".join(wrong))
    return found


def _number(text):
    try:
        number = float(text.replace(",", "."))  # as many spreadsheets write it
    except ValueError:
        return math.nan
    return int(number) if number.is_integer() else number


def combine(results: dict, hand: dict) -> list[Marks]:
    """Return each student's marks: those by hand where there are some, else those of the checks.

    A written answer that is empty earns 0; one that nobody has marked, and all that couldn't be graded, None.
    """
    return [
        Marks(
            record["student"],
            tuple(_mark(task, record, hand) for task in results["tasks"]),
            tuple(record["log"]),
            **{name: record.get(name, "") for name in ("id", "late", "reply")},
        )
        for record in results["students"]
    ]


def _mark(task, record, hand):
    name, graded = task["task"], record["tasks"].get(task["task"], {})
    answer = record["written"].get(name, "")
    earned, comment = hand.get((record["student"], name), (None, ""))
    if earned is None and not record["fault"]:
        earned = graded["earned"] if not task["written"] else None if answer else 0
    messages = tuple(graded.get("messages", ()))
    return Mark(name, task["points"], earned, messages, comment, task["written"], task.get("title", ""), answer)


def plain(marks: list[Marks]):
    """Return header and rows of the table with a column for each task, and the days late where they are known."""
    header = ["student", *(mark.task for mark in marks[0].tasks), "total", "of"]
    header += ["days late"] if any(entry.late for entry in marks) else []
    rows = [
        {"student": entry.student, "total": entry.total, "of": sum(mark.points for mark in entry.tasks)}
        | {"days late": entry.late}
        | {mark.task: mark.earned for mark in entry.tasks}
        for entry in marks
    ]
    return header, rows


def for_system(system: str, marks: list[Marks], roster: Path | None, key: str | None, column: str):
    """Return header and rows of the table that a course system imports.

    Parameters
    ----------
    system : {"moodle", "canvas", "blackboard"}
        The system.
    marks : list of Marks
        As from `combine`.
    roster : path, optional
        The system's own table of students; None: one column, ``key``, says who a student is.
    key : str, optional
        The column that holds what the students' folders are named; None: the system's usual one, or that of the names
        which `collect` found.
    column : str
        The heading of the marks.

    Raises
    ------
    FormatError
        If the roster lacks a column, or a student who has handed in something.
    """
    known, by_id = SYSTEMS[system], not key and all(entry.id for entry in marks)
    key = IDS[system] if by_id else key or known[0]
    names = [entry.id if by_id else entry.student for entry in marks]
    if key not in known:
        raise FormatError(f"--key must be one of {', '.join(known)} for {system}, got {key!r}")
    if system == "canvas" and roster is None:
        raise FormatError("Canvas needs --roster: the CSV file that its gradebook exports")
    needed = ("Student", "ID", "Section", key) if system == "canvas" else (key,)
    students = read_csv(roster, *needed) if roster else [{key: name} for name in names]
    if not students:
        raise FormatError(f"{roster} must have a line for each student, and has none")
    header = [name for name in (CANVAS if system == "canvas" else known) if name in students[0]]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FormatError(f"{key} must tell students apart, but two submissions have {', '.join(twice)}")
    totals = dict(zip(names, (entry.total for entry in marks), strict=True))
    if strangers := sorted(totals.keys() - {row[key] for row in students}):
        raise FormatError(f"the roster's column {key!r} lacks these students: {', '.join(strangers)}")
    rows = [{name: row[name] for name in header} | {column: totals.get(row[key])} for row in students if row[key]]
    if system == "canvas":
        rows.insert(0, {"Student": "Points Possible", column: sum(mark.points for mark in marks[0].tasks)})
    return [*header, column], rows
