"""Lists the answers that are so alike that somebody should read them side by side.

An answer becomes the set of its runs of tokens, names and comments aside; what many of the class have is what the task
brings with it, and doesn't count. (The idea is that of MOSS: Schleimer, Wilkerson, Aiken, 2003.)
"""

import argparse
import io
import keyword
import re
import sys
import tokenize
from collections import Counter
from itertools import combinations
from pathlib import Path

from . import source, submissions
from .tables import write_csv

RUN = 5  # tokens, or words of a written answer
COMMON = 1 / 10  # of the class: what more than so many have, and more than five, everybody may have
LEAST = 15  # runs in common that are rare: shorter answers are alike by chance
SHARE = 0.5  # of all rare runs of the two
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
HEADER = ["task", "student", "other", "share", "runs in common"]


def add_commands(commands) -> None:
    """Add ``similar`` to the command line."""
    command = commands.add_parser("similar", help="list the answers that are nearly the same")
    command.add_argument("assignment", help="its folder's name, 7-local, or the path of a folder of your own")
    command.add_argument("submissions", type=Path, help="a folder with a folder for each student")
    command.add_argument("--term", type=Path, help="the term's file; otherwise term.toml beside the assignments")
    command.add_argument("--to", type=Path, default=Path("similar.csv"), help="otherwise similar.csv")
    command.set_defaults(run=similar)


def similar(options: argparse.Namespace) -> None:
    """Write the table of pairs, the most alike first."""
    assignment = source.load(source.locate(options.assignment), options.term)
    answers = {}
    for student, path in submissions.find(options.submissions, assignment.name).items():
        try:
            answers[student] = submissions.read(path, assignment.tasks)
        except submissions.Unreadable as error:
            print(f"not compared: {student}: {error}", file=sys.stderr)
    rows = []
    for task in assignment.tasks:
        found = {student: runs(notebook, task) for student, notebook in answers.items()}
        rows += [dict(zip(HEADER, (task.name, *pair), strict=True)) for pair in pairs(found)]
    rows.sort(key=lambda row: (-row["share"], -row["runs in common"]))
    write_csv(options.to, HEADER, rows)
    print(f"{len(rows)} pairs to look at: {options.to}")


def runs(notebook: submissions.Notebook, task: source.Task) -> set[tuple[str, ...]]:
    """Return an answer's runs of tokens, or of words, without those that were handed out."""
    if task.written:
        return _runs(_words(notebook.written[task.name])) - _runs(_words(task.cells["text"].text))
    code = "\n".join(text for number, text in notebook.cells if notebook.labels[number] == task.name)
    return _runs(_tokens(code)) - _runs(_tokens(task.cells["starter"].text))


def _runs(parts):
    return {tuple(parts[start : start + RUN]) for start in range(len(parts) - RUN + 1)}


def _words(text):
    return re.findall(r"\w+", text.lower())


def _tokens(code):
    """Return the tokens of code, each name as one letter; what is no Python, in words."""
    try:
        found = [token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type not in SKIPPED]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return _words(code)
    names = tokenize.NAME
    return ["n" if token.type == names and not keyword.iskeyword(token.string) else token.string for token in found]


def pairs(answers: dict[str, set]) -> list[tuple[str, str, float, int]]:
    """Return the pairs of students whose answers have so many rare runs in common: both, their share and number."""
    counts = Counter(run for found in answers.values() for run in found)
    most = max(5, COMMON * len(answers))
    rare = {student: {run for run in found if counts[run] <= most} for student, found in answers.items()}
    alike = []
    for one, other in combinations(sorted(rare), 2):
        common = len(rare[one] & rare[other])
        if common >= LEAST and common >= SHARE * (whole := len(rare[one] | rare[other])):
            alike.append((one, other, round(common / whole, 2), common))
    return alike
