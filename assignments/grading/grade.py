"""Grades the notebooks of many students, several at a time, and writes results.json."""

import argparse
import json
import re
import signal
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from . import source, submissions
from .checks import Verdict, run_task
from .sandbox import ORDINARY, Box, Patience, Sandbox, SandboxError, prepare

JUDGING = 60  # seconds for the checks of one task, besides the notebook's: an answer may keep a check busy for ever
MESSAGE = 1000  # characters
ASSIGNMENTS = Path(__file__).resolve().parents[1]
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Overtime(Exception):
    """The checks of a task didn't end in time."""


def add_commands(commands) -> None:
    """Add ``grade`` to the command line."""
    command = commands.add_parser("grade", help="grade the notebooks that students have handed in")
    command.add_argument("assignment", help="its folder's name: 7-local")
    command.add_argument("submissions", type=Path, help="a folder with a folder for each student")
    command.add_argument("--out", type=Path, default=Path("results"), help="where to write; otherwise results/")
    command.add_argument("--term", type=Path, help="the term's file; otherwise term.toml beside the assignments")
    command.add_argument("--jobs", type=int, default=2, help="how many at a time; otherwise 2")
    command.add_argument(
        "--seconds", type=float, default=30, help="how long one call of a student's function may take; otherwise 30"
    )
    command.add_argument(
        "--unsandboxed", action="store_true", help="without bubblewrap: students' code runs with all your rights"
    )
    command.set_defaults(run=grade)


def grade(options: argparse.Namespace) -> int:
    """Grade all submissions and write results.json; the status is 1 where one couldn't be judged."""
    if options.jobs < 1:
        print(f"error: --jobs must be at least 1, got {options.jobs}", file=sys.stderr)
        return 2
    if not options.seconds > 0:
        print(f"error: --seconds must be positive, got {options.seconds:g}", file=sys.stderr)
        return 2
    folder, patience = ASSIGNMENTS / options.assignment, Patience(options.seconds)
    found = submissions.find(options.submissions, options.assignment)
    try:
        results = grade_all(
            folder, found, term=options.term, jobs=options.jobs, isolated=not options.unsandboxed, patience=patience
        )
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "results.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    faults = [student for student in results["students"] if student["fault"]]
    for student in faults:
        print(f"not graded: {student['student']}: {student['fault']}", file=sys.stderr)
    print(f"{len(found)} submissions: {path}")
    return 1 if faults else 0


def grade_all(folder, found: dict[str, Path], *, term=None, jobs=1, isolated=True, patience=ORDINARY) -> dict:
    """Grade the notebooks of all students; the same notebooks give the same results.

    Parameters
    ----------
    folder : path
        The assignment's.
    found : dict
        The notebook of each student, as from `submissions.find`.
    term : path, optional
        The term's file.
    jobs : int
        How many processes to use.
    isolated : bool
        False: without bubblewrap.
    patience : Patience
        How long is waited for each notebook.

    Returns
    -------
    dict
        What results.json holds: the assignment's name, title and tasks, and a record for each student, in order.
    """
    assignment = source.load(folder, term)
    students = {}
    with (
        prepare(assignment.files(), isolated=isolated, patience=patience) as sandbox,
        ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (folder, term, sandbox)) as pool,
    ):
        waiting = {pool.submit(_grade_next, path): student for student, path in found.items()}
        for future in as_completed(waiting):
            students[waiting[future]] = _result(future)
            _show_progress(len(students), len(found))
    tasks = [{"task": task.name, "points": task.points, "written": task.written} for task in assignment.tasks]
    records = [{"student": student, "notebook": str(path)} | students[student] for student, path in found.items()]
    return {"assignment": assignment.name, "title": assignment.title, "tasks": tasks, "students": records}


def _begin(folder, term, sandbox):
    """Keep in this process of the pool what all its submissions need."""
    global _held
    _held = source.load(folder, term), sandbox


def _grade_next(path):
    return grade_one(path, *_held)


def _result(future):
    try:
        return future.result()
    except BrokenProcessPool:  # the computer ran out of memory, or somebody ended the process
        return {"tasks": {}, "written": {}, "log": [], "fault": "the grading process was ended; grade again"}


def _show_progress(done, total):
    bar = "█" * (30 * done // total)
    end = "\n" if done == total else ""
    print(f"\r{bar:░<30} {done} of {total}", end=end, file=sys.stderr, flush=True)


def grade_one(path: Path, assignment: source.Assignment, sandbox: Sandbox) -> dict:
    """Grade one notebook; whatever is in it, this returns a record.

    Returns
    -------
    dict
        ``tasks``: for each checked task, points earned and messages. ``written``: the written answers' texts.
        ``log``: what went wrong in the notebook's cells. ``fault``: None, or why it can't be judged.
    """
    checked = [task for task in assignment.tasks if not task.written]
    nothing = {task.name: {"earned": 0, "messages": []} for task in checked}
    try:
        notebook = submissions.read(path, assignment.tasks)
    except submissions.Unreadable as error:
        return {"tasks": nothing, "written": {}, "log": [clean(str(error))], "fault": None}
    # A function may change the data it is given: other students' checks have their own.
    assignment = replace(assignment, data={name: table.copy() for name, table in assignment.data.items()})
    with Box(sandbox, notebook.cells) as box:
        try:
            seconds = sandbox.patience.total + JUDGING
            tasks = {task.name: judge(task, box, assignment, seconds) for task in checked}
            fault = box.fault
        except Exception as error:  # a mistake of ours must not end the others' grading
            tasks, fault = nothing, f"the grader failed: {type(error).__name__}: {error}"
    where = {0: ""} | {number: f"cell {number} ({label}): " for number, label in notebook.labels.items()}
    log = [clean(where[number] + text) for number, text in sorted(box.log.items())]
    return {"tasks": tasks, "written": notebook.written, "log": log, "fault": fault and clean(fault)}


def judge(task: source.Task, box: Box, assignment: source.Assignment, seconds: float) -> dict:
    """Run one task's checks against a notebook, each part for so many seconds at most.

    Return the points earned, and the messages of what failed.
    """

    @contextmanager
    def guard(hidden):
        box.discreet = hidden  # an error's own text could carry the hidden checks' numbers to the student's feedback
        with time_limit(seconds):
            yield

    try:
        verdict = run_task(task, box.get, assignment, guard)
    except Overtime as error:
        verdict = Verdict(task.name, task.points, 0, (str(error),))
    return {"earned": verdict.earned, "messages": [clean(message) for message in verdict.messages]}


@contextmanager
def time_limit(seconds):
    """Raise `Overtime` where this takes longer; in the main thread of a process only."""

    def stop(*_):
        raise Overtime("the checks of this task didn't come to an end with your answers")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again and again: one check may take it for its own error
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def clean(text: str) -> str:
    """Return a text that a student may have made, as one that can be written to any file."""
    return CONTROL.sub("�", text[:MESSAGE]).encode("utf-8", "replace").decode()
