"""The command line: ``python -m grading COMMAND`` at the top of the repository."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from .marks import SYSTEMS
from .tables import SEPARATORS
from .texts import FormatError

PATH, SEVERAL = {"type": Path}, {"action": "append", "default": []}
# What a command may be given, as argparse is told.
ARGUMENTS = {
    "assignment": {"help": "its folder's name, 7-local, or the path of a folder of your own"},
    "folders": {"nargs": "*", "help": "assignments' names, or paths of folders of your own; none: all"},
    "download": PATH | {"help": "a ZIP file or a folder, of Moodle, Canvas, Blackboard or others"},
    "submissions": PATH | {"nargs": "?", "help": "a folder for each student; otherwise submissions/7-local/"},
    "results": PATH | {"help": "results.json"},
    "grades": PATH | {"help": "the table (CSV) that `nbgrader export` wrote"},
    "student": {},
    "--term": PATH | {"help": "the term's file; otherwise term.toml beside the assignments"},
    "--students": PATH | {"help": "the class (CSV, a column student): says who is missing or unknown"},
    "--due": {"help": "when it was due, as 2027-03-01T23:59, by the download's clock: counts days late"},
    "--extension": SEVERAL | {"metavar": "STUDENT=MOMENT", "help": "when it was due for this student"},
    "--roster": PATH | {"help": "the course system's own table of students (CSV)"},
    "--key": {"help": "the roster's column that folders are named by; otherwise the system's usual one"},
    "--only": SEVERAL | {"metavar": "STUDENT", "help": "grade this student alone, again"},
    "--afresh": {"action": "store_true", "help": "grade all again, not only what is new or has changed"},
    "--jobs": {"type": int, "default": 2, "help": "how many at a time; otherwise 2"},
    "--seconds": {"type": float, "default": 30, "help": "processor time of one call of a function; otherwise 30"},
    "--unsandboxed": {"action": "store_true", "help": "without bubblewrap: students' code runs with all your rights"},
    "--anonymous": {"action": "store_true", "help": "codes instead of names, which --hand understands"},
    "--hand": PATH | SEVERAL | {"help": "marks by hand: CSV with the columns student, task, points, comment"},
    "--encoding": {"help": "the code page of that table, where it is another than Excel's Western one"},
    "--system": {
        "choices": tuple(SYSTEMS),
        "help": "whose download it is; otherwise found from the names of its files",
    },
    "--format": {"choices": ("plain", *SYSTEMS), "default": "plain", "help": "the course system; otherwise plain"},
    "--column": {"help": "the heading of the marks; otherwise the assignment's title"},
    "--separator": {"choices": SEPARATORS, "default": ",", "help": "';' where Excel writes 2,5 for 2.5"},
    "--zip": PATH | {"help": "also a ZIP file for Moodle's or Canvas' upload of feedback files"},
    "--out": PATH | {"help": "the folder for results.json"},
    "--to": PATH | {"help": "where to write"},
}
# By its name a command's module, which has a function of this name, what it does, and what it may be given. Only the
# module of the command that is asked for is loaded: some take seconds.
COMMANDS = {
    "term": ("term", "write a term's file with a secret seed: my-term.toml", "--to"),
    "release": ("release", "write what is handed out: _build/assignments/", "folders --term --students --to"),
    "collect": (
        "collect",
        "make a folder for each student of a course system's download: submissions/7-local/",
        "assignment download --system --due --extension --roster --key --to",
    ),
    "grade": (
        "grade",
        "grade the notebooks that students have handed in: results/7-local/",
        "assignment submissions --term --students --only --afresh --jobs --seconds --unsandboxed --out",
    ),
    "similar": ("similar", "list answers nearly the same: similar-7-local.csv", "assignment submissions --term --to"),
    "written": (
        "marks",
        "write the table of written answers, to be marked by hand; marks that are there stay: written-7-local.csv",
        "results --anonymous --separator --to",
    ),
    "export": (
        "marks",
        "write the marks for a course system: marks-7-local.csv",
        "results --hand --encoding --format --roster --key --column --separator --to",
    ),
    "feedback": ("feedback", "write a page for each student: feedback/", "results --hand --encoding --zip --to"),
    "show": ("feedback", "show the lecturer all about one student, errors in full", "results student"),
    "gradescope": ("gradescope", "write an autograder: 7-local-gradescope.zip", "assignment --term --to"),
    "nbgrader": ("nbgrader", "write a course folder for nbgrader: _build/assignments/nbgrader/", "folders --term --to"),
    "compare": ("nbgrader", "list whose marks differ in nbgrader's table", "results grades --hand --encoding"),
}


def main(arguments=None) -> int:
    """Run one command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m grading", description="Hand out and grade the assignments.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, does, given) in COMMANDS.items():
        command = commands.add_parser(name, help=does, description=does)
        for argument in given.split():
            command.add_argument(argument, **ARGUMENTS[argument])
    options = parser.parse_args(arguments)
    try:
        module = import_module(f".{COMMANDS[options.command][0]}", __package__)
        return getattr(module, options.command)(options) or 0
    except (FormatError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\ninterrupted: what is done stays, and the same command does the rest", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
