"""Grades the notebooks of many students, several at a time, and writes results.json.

Each is graded in a process of its own, with limits of its own: an answer that fills the grader's memory ends its own
task, or at worst its own process, and the record says whose it was.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import resource
import signal
import sys
import threading
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from multiprocessing import connection, get_context, parent_process
from pathlib import Path

import psutil

import dp_helpers

from . import made, source, submissions
from .marks import read_results
from .release import warn_of_public
from .sandbox import ORDINARY, Box, Patience, Sandbox, prepare
from .tables import read_csv
from .texts import FormatError, clean, line, progress
from .verdicts import Verdict, run_task

JUDGING = 60  # seconds of processor time for the checks of one task: an answer may keep a check busy for ever
MESSAGE = 1000  # characters
ERRORS = 20  # of one task, shown to the lecturer
OURS = Path(dp_helpers.__file__).parent
REVIEWS = OURS.with_name("reviews")
PROGRAM = [Path(__file__).parent, OURS, REVIEWS, REVIEWS / "families"]  # folders of what decides about points
MEMORY = 2 << 30  # bytes that the answers of one submission may cost the grader, beside what it holds before


class Overtime(Exception):
    """The checks of a task didn't end in time."""


def grade(options: argparse.Namespace) -> int:
    """Grade what isn't graded yet into results.json; the status is 1 where something couldn't be judged."""
    if options.jobs < 1:
        raise FormatError(f"--jobs must be at least 1, got {options.jobs}")
    if not 0 < options.seconds < float("inf"):
        raise FormatError(f"--seconds must be positive, got {options.seconds:g}")
    folder = source.locate(options.assignment)
    assignment = source.load(folder, options.term)
    warn_of_public(assignment)
    place = options.submissions or Path("submissions", assignment.name)
    found = submissions.find(place, assignment.name)
    compare_with_class(options.students, found, assignment)
    if unknown := ", ".join(sorted({*options.only} - found.keys())):
        raise FormatError(f"--only must name folders of {place}, got {unknown}")
    path = (options.out or Path("results", assignment.name)) / "results.json"
    digests = {student: digest(found[student], folder, options.term) for student in found}
    with alone(place), orderly_end():
        results = _begun(path, assignment)
        before = results["students"]
        to_grade = options.only or [
            student for student in found if options.afresh or not _is_done(before.get(student), digests[student])
        ]
        graded = grade_each(
            folder,
            {student: found[student] for student in to_grade},
            term=options.term,
            jobs=options.jobs,
            isolated=not options.unsandboxed,
            patience=Patience(options.seconds),
        )
        handed_in = submissions.collected(place)
        for student, record in graded:
            about = {"notebook": str(found[student]), "digest": digests[student]} | handed_in.get(student, {})
            before[student] = {"student": student} | record | about
            _save(path, results)
        return _report(results, found, len(to_grade), path)


@contextlib.contextmanager
def alone(folder: Path):
    """Keep other commands like this one out of a folder; a FormatError where one is at work there."""
    place = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise FormatError(f"another `grade` is at work on {folder}: wait until it has ended") from None
    finally:
        os.close(place)


@contextlib.contextmanager
def orderly_end():
    """Let what ends a command end it like Ctrl-C, once: all processes that it has started are ended first."""
    ends = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in ends}

    def stop(*_):
        for number in ends:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in ends:
        if before[number] != signal.SIG_IGN:  # as `nohup` has it
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _begun(path, assignment) -> dict:
    """Return the results so far, students by name; refuse a file that was made for anything else."""
    tasks = [
        {"task": task.name, "points": task.points, "written": task.written, "title": _title(task)}
        | ({"rubric": task.cells["rubric"].text} if task.written else {})
        for task in assignment.tasks
    ]
    about = {"assignment": assignment.name, "whose": assignment.whose, "title": assignment.title, "tasks": tasks}
    if not path.exists():
        return about | {"students": {}}
    before = read_results(path)
    worth = [[(task["task"], task["points"]) for task in results["tasks"]] for results in (before, about)]
    if before["whose"] != assignment.whose or worth[0] != worth[1]:
        purpose = "other tasks or points" if before["whose"] == assignment.whose else before["whose"]
        raise FormatError(f"{path} was made for {purpose}, not for {assignment.whose}: name another folder with --out")
    return about | {"students": {record["student"]: record for record in before["students"]}}


def compare_with_class(path, found, assignment):
    """Say who has handed in nothing; refuse names that aren't in the class list, and personal data without a list."""
    if path is None and assignment.personal:
        raise FormatError("where everybody has data of their own, grade needs --students, the class list of `release`")
    if path is None:
        return
    names = {row["student"] for row in read_csv(path, "student")}
    small = {name.casefold(): name for name in names}
    wrong = [
        f"{name} (near: {', '.join(small[like] for like in get_close_matches(name.casefold(), small)) or 'nobody'})"
        for name in sorted(found.keys() - names)
    ]
    if wrong:
        raise FormatError(f"{path} has no student of these names: {'; '.join(wrong)}")
    if missing := sorted(names - found.keys()):
        print(f"handed in nothing: {', '.join(map(line, missing))}", file=sys.stderr)


def _title(task):
    return task.cells["text"].text.partition("\n")[0].lstrip("# ")


def _is_done(record, now):
    return record is not None and record.get("digest") == now and not record["fault"]


def _save(path, results):
    """Write the results so far, so that the file is whole whenever somebody looks at it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    students = [results["students"][student] for student in sorted(results["students"])]
    made.replace(path, (json.dumps(results | {"students": students}, indent=1) + "\n").encode())


def _report(results, found, graded, path) -> int:
    """Say who couldn't be judged, or has handed in nothing that could; return the status."""
    _save(path, results)
    records = [results["students"][student] for student in found if student in results["students"]]
    for record in records:
        if why := record["fault"] or record["unread"]:
            kind = "not graded" if record["fault"] else "no points"
            print(f"{kind}: {record['student']}: {line(why)}", file=sys.stderr)
    if gone := ", ".join(sorted(results["students"].keys() - found.keys())):
        print(f"graded before, and no longer among the submissions: {gone}", file=sys.stderr)
    print(f"{len(found)} submissions, {graded} graded now: {path}")
    return int(any(record["fault"] for record in records))


@cache
def program() -> bytes:
    """Return what changes when the grader does, or the package that it computes with."""
    whole = hashlib.sha256()
    for path in sorted(path for folder in PROGRAM for path in folder.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.digest()


def digest(notebook: Path, folder: Path, term: Path | None) -> str:
    """Return what changes when a notebook, its assignment, the term's file or the grader itself does."""
    parts = [folder / "source.py", term or folder.parent / "term.toml", notebook]
    whole = hashlib.sha256(program())
    for part in parts:
        if part.is_file() and part.stat().st_size <= submissions.LARGEST:
            whole.update(part.read_bytes())
        else:
            whole.update(" ".join(map(str, submissions.files(part))).encode("utf-8", "replace"))
    return whole.hexdigest()


def grade_each(folder, found: dict[str, Path], *, term=None, jobs=1, isolated=True, patience=ORDINARY):
    """Grade the notebooks of all students; yield each one's name and record when it is done.

    The same notebooks give the same records.

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
    """
    if not found:
        return
    files = source.load(folder, term).files()
    with prepare(files, isolated=isolated, patience=patience) as sandbox:
        waiting = [(student, (path, folder, term, student, sandbox)) for student, path in found.items()]
        for done, graded in enumerate(_in_processes(waiting, jobs), start=1):
            progress("graded", done, len(found))
            yield graded


def _in_processes(waiting, jobs):
    """Yield what `_grade_here` returns for all that wait, so many at a time, each in a process of its own."""
    context = get_context("forkserver")  # it has read the modules, and each process is made in a moment
    context.set_forkserver_preload([__name__, "scipy.stats", "matplotlib.font_manager"])
    running = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                student, order = waiting.pop(0)
                reader, writer = context.Pipe(duplex=False)
                process = context.Process(target=_grade_here, args=(writer, *order), daemon=True)
                process.start()
                writer.close()
                running[reader] = student, process
            for reader in connection.wait(running):
                student, process = running.pop(reader)
                yield student, _record(reader)
                process.join()
    finally:
        for _, process in running.values():
            process.kill()  # its box ends with it
        for _, process in running.values():
            process.join()


def _record(reader):
    try:
        return reader.recv()
    except EOFError:
        why = "the process that judged it was ended (memory, or time): look at the notebook, then grade it with --only"
        return {"tasks": {}, "written": {}, "log": [], "unread": None, "fault": why}


def _grade_here(writer, path, folder, term, student, sandbox):
    """Grade one notebook in this process, which does nothing else, and send its record."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the lecturer's Ctrl-C is for the process that started this one
    threading.Thread(target=_end_with_the_command, daemon=True).start()
    limit_this_process()
    assignment = source.load(folder, term, student)
    with sandbox.giving(assignment.files()) if assignment.personal else contextlib.nullcontext(sandbox) as own_sandbox:
        writer.send(grade_one(path, assignment, own_sandbox))


def _end_with_the_command():
    """End this process, and the notebook's, once the command that has started it is gone, killed perhaps."""
    connection.wait([parent_process().sentinel])
    for process in psutil.Process().children(recursive=True):
        process.kill()
    os.kill(os.getpid(), signal.SIGKILL)


def limit_this_process():
    """Limit memory and time of this process, and let the system end it before others where memory is short."""
    size = psutil.Process().memory_info().vms + MEMORY
    for kind, limit in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CPU, 10 * JUDGING)):
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def grade_one(path: Path, assignment: source.Assignment, sandbox: Sandbox) -> dict:
    """Grade one notebook; whatever is in it, this returns a record.

    Returns
    -------
    dict
        ``tasks``: for each checked task, points earned, messages, and for the lecturer alone the student's own errors
        in full. ``written``: the written answers' texts. ``log``: what went wrong in the notebook's cells. ``unread``:
        None, or why there is no notebook to judge. ``fault``: None, or why it can't be judged without a person.
    """
    checked = [task for task in assignment.tasks if not task.written]
    nothing = {task.name: {"earned": 0, "messages": [], "errors": []} for task in checked}
    try:
        notebook = submissions.read(path, assignment.tasks, source.other_titles(assignment))
    except submissions.Unreadable as error:
        why = clean(str(error), MESSAGE)
        fault = why if isinstance(error, submissions.Undecided) else None
        return {"tasks": nothing, "written": {}, "log": [why], "unread": why, "fault": fault}
    # A function may change the data it is given: other students' checks have their own.
    assignment = replace(assignment, data={name: table.copy() for name, table in assignment.data.items()})
    with Box(sandbox, notebook.cells) as box:
        try:
            tasks = {task.name: judge(task, box, assignment, JUDGING) for task in checked}
            fault = box.fault
        except Exception as error:  # a mistake of ours must not end the others' grading
            tasks, fault = nothing, f"the grader failed: {type(error).__name__}: {error}"
    where = {0: ""} | {number: f"cell {number} ({label}): " for number, label in notebook.labels.items()}
    log = [clean(where[number] + text, MESSAGE) for number, text in sorted(box.log.items())]
    fault = fault and clean(fault, MESSAGE)
    return {"tasks": tasks, "written": notebook.written, "log": log, "unread": None, "fault": fault}


def judge(task: source.Task, box: Box, assignment: source.Assignment, seconds: float) -> dict:
    """Run one task's checks against a notebook, for so many seconds of processor time at most.

    Return the points earned, the messages of what failed, and the student's errors that these leave out.
    """

    @contextlib.contextmanager
    def guard(hidden):
        box.discreet = hidden  # an error's own text could carry the hidden checks' numbers to the student's feedback
        with time_limit(seconds):
            yield

    box.restart()  # where hidden checks of another task have run, functions may remember what they were given
    box.errors = {}
    try:
        verdict = run_task(task, box.get, assignment, guard)
    except Overtime as error:
        verdict = Verdict(task.name, task.points, 0, (str(error),))
    messages = [clean(message, MESSAGE) for message in verdict.messages]
    errors = [clean(text, MESSAGE) for text in [*box.errors][:ERRORS]] if messages else []
    return {"earned": verdict.earned, "messages": messages, "errors": errors}


@contextlib.contextmanager
def time_limit(seconds):
    """Raise `Overtime` where this computes longer; in the main thread of a process only."""

    def stop(*_):
        raise Overtime("the checks of this task didn't come to an end with your answers")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)  # again and again: one check may take it for its own error
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
