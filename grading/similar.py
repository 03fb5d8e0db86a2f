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
from itertools import combinations, product
from pathlib import Path

from . import source, submissions
from .made import Made
from .tables import as_csv

RUN = 5  # tokens, or words of a written answer
COMMON = 1 / 10  # of the different answers: what more than so many have, and more than five, everybody may have
NATURAL = 1 / 3  # of the class: what more than so many have, and more than five, is what the task brings with it
SAME = 0.8  # of all runs of two answers: then they are one answer
LEAST = 15  # runs in common that are rare: shorter answers are alike by chance
SHARE = 0.5  # of all rare runs of the two
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
HEADER = ["task", "student", "other", "share", "runs in common"]


def similar(options: argparse.Namespace) -> None:
    """Write the table of pairs, the most alike first."""
    assignment = source.load(source.locate(options.assignment), options.term)
    answers = {}
    for student, path in submissions.find(
        options.submissions or Path("submissions", assignment.name), assignment.name
    ).items():
        try:
            answers[student] = submissions.read(path, assignment.tasks, source.other_titles(assignment))
        except submissions.Unreadable as error:
            print(f"not compared: {student}: {error}", file=sys.stderr)
    rows = []
    ours = public_answers(assignment)
    for task in assignment.tasks:
        found = {student: runs(notebook, task) for student, notebook in answers.items()}
        known = {name: _runs(_tokens(code)) - handed_out(task) for name, code in ours.get(task.name, {}).items()}
        rows += [dict(zip(HEADER, (task.name, *pair), strict=True)) for pair in pairs(found, known)]
    whole = {student: everything(notebook, assignment) for student, notebook in answers.items()}
    listed = {(row["student"], row["other"]) for row in rows}  # what no task shows: an answer moved elsewhere
    rows += [dict(zip(HEADER, ("all", *pair), strict=True)) for pair in pairs(whole) if pair[:2] not in listed]
    rows.sort(key=lambda row: (-row["share"], -row["runs in common"]))
    path = options.to or Path(f"similar-{assignment.name}.csv")
    Made(path.parent, assignment.whose).write(path.name, as_csv(HEADER, rows))
    print(f"{len(rows)} pairs to look at: {path}")


def public_answers(assignment: source.Assignment) -> dict[str, dict[str, str]]:
    """Return the code that anybody can find in the public repository, by task: our solution and other right answers."""
    found = {
        task.name: {"(our solution)": task.cells["solution"].text} for task in assignment.tasks if not task.written
    }
    for variant in source.load_variants(assignment) if (assignment.folder / "variants.py").is_file() else []:
        if variant.right:
            found[variant.task][f"(our answer {variant.name})"] = variant.code
    return found


def runs(notebook: submissions.Notebook, task: source.Task) -> set[tuple[str, ...]]:
    """Return an answer's runs of tokens, or of words, without those that were handed out."""
    code = "\n".join(text for number, text in notebook.cells if notebook.labels[number] == task.name)
    return _pieces(task, notebook.written[task.name] if task.written else code) - handed_out(task)


def handed_out(task: source.Task) -> set[tuple[str, ...]]:
    """Return the runs of what a task hands out."""
    return _pieces(task, task.cells["text" if task.written else "starter"].text)


def _pieces(task, text):
    return _runs(_words(text) if task.written else _tokens(text))


def everything(notebook: submissions.Notebook, assignment: source.Assignment) -> set[tuple[str, ...]]:
    """Return the runs of all code in a notebook, wherever it stands, without those that were handed out."""
    given = {run for task in assignment.tasks if not task.written for run in handed_out(task)}
    given |= {run for cell in assignment.cells if cell.role == "setup" for run in _runs(_tokens(cell.text))}
    return set().union(*(_runs(_tokens(text)) for _, text in notebook.cells)) - given


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


def pairs(answers: dict[str, set], ours: dict[str, set] | None = None) -> list[tuple[str, str, float, int]]:
    """Return the pairs of students whose answers have so many rare runs in common: both, their share and number.

    ``ours`` are answers that anybody can find, each compared with the students' but not with each other.
    """
    ours = ours or {}
    counts = Counter(run for found in answers.values() for run in found)
    different = Counter(run for found in _different(answers) for run in found)
    limits = max(5, NATURAL * len(answers)), max(5, COMMON * len(_different(answers)))
    common = {run for run in counts if counts[run] > limits[0] or different[run] > limits[1]}
    rare = {name: found - common for name, found in (answers | ours).items()}
    alike = []
    for first, second in [*combinations(sorted(answers), 2), *product(sorted(answers), sorted(ours))]:
        shared = len(rare[first] & rare[second])
        if shared >= LEAST and shared >= SHARE * (whole := len(rare[first] | rare[second])):
            alike.append((first, second, round(shared / whole, 2), shared))
    return alike


def _different(answers):
    """Return one answer of each group that is nearly the same: copies must not make themselves common."""
    kept = []
    for found in answers.values():
        if not any(len(found & earlier) > SAME * len(found | earlier) for earlier in kept):
            kept.append(found)
    return kept
