"""Each chapter's labs: right answers are praised, wrong ones get the message that helps, no answer waits.

The modules ``chapter_NN`` list under each lab's name the answers that are ``RIGHT``, and those that are ``WRONG`` as
pairs (answer, part of the message). All numbers are tried, and of the rest a sixth, where one takes long a twentieth;
in `make check CHAPTER=…` and weekly all. Each lab gets its solution from a cell of its page, which the build executes.
"""

import ast
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest
from thorough import sample, weekly

import dp_labs
from dp_labs import check, find, shown_number
from dp_labs.tables import LinesLab, NumberLab, NumbersLab

BOOK = Path(__file__).resolve().parents[2] / "book"
MODULES = [importlib.import_module(f"labs.{path.stem}") for path in sorted(Path(__file__).parent.glob("chapter_*.py"))]


def listed(table):
    """Yield the full name of a lab and a row of it, for all rows of all chapters' tables of this name."""
    for module in MODULES:
        for name, rows in getattr(module, table).items():
            for row in rows:
                yield f"{int(module.__name__[-2:])}.{name}", row


RIGHT = [*listed("RIGHT")]
WRONG = [(lab, answer, message) for lab, (answer, message) in listed("WRONG")]
LABS = sorted({lab for lab, _ in RIGHT})
TABLES = LinesLab, NumberLab, NumbersLab  # test_tables.py gives each of their rows
# Each of them alone noticed a fault that was planted in a check, so it is among those that are tried every day.
DAILY = {"10.bound-for-any-column ['the search is told 0.001'] 1", "19.tree-that-forgets ['with a tree it is'] 3"}
# An answer to one of these takes up to two seconds; they alone took half of this file's time.
LONG = {"3.protect-the-household", "4.visitors-of-each-day", "5.buy-a-bound", "7.test-and-release-a-median"}
LONG.add("10.positions-and-values")
FUNCTIONS = sorted({lab for lab, answer in RIGHT if callable(answer)})


def tried(cases):
    """Return the answers to labs that are tables, which take no time, and a sample of the others."""
    tables, others = ([case for case in cases if isinstance(find(case[0]), TABLES) == so] for so in (True, False))
    named = [*with_names(others)]
    daily = [pair for pair in named if pair[1] in DAILY]
    for every, long in ((6, False), (20, True)):
        others = [pair for pair in named if pair[1] not in DAILY and (pair[0][0] in LONG) == long]
        daily += sample(others, every, name=lambda pair: pair[1])
    return tables + [case for case, _ in daily]


def with_names(cases):
    """Yield each case with its lab, its message, and its place among those of which both are the same."""
    seen = Counter()
    for case in cases:
        lab, _, *message = case
        seen[(lab, *message)] += 1
        yield case, f"{lab} {message} {seen[(lab, *message)]}"


@pytest.mark.parametrize(("lab", "answer"), tried(RIGHT))
def test_a_right_answer_is_praised(lab, answer, capsys):
    check(lab, answer)
    assert capsys.readouterr().out.startswith(f"✓ Lab {shown_number(lab)} is right.")


@pytest.mark.parametrize("lab", LABS)
def test_no_answer_waits(lab, capsys):
    for nothing in (None, ...):
        check(lab, nothing)
        assert capsys.readouterr().out == f"Lab {shown_number(lab)} is waiting for your answer.\n"


@pytest.mark.parametrize(("lab", "answer", "message"), tried(WRONG))
def test_wrong_answers_get_help(lab, answer, message, capsys):
    check(lab, answer)
    said = capsys.readouterr().out
    assert said.startswith(f"✗ Lab {shown_number(lab)}, not yet:")
    assert message in said


@pytest.mark.parametrize("lab", FUNCTIONS)
def test_what_is_no_function_and_what_returns_nothing_get_help(lab, capsys):
    check(lab, 3)
    check(lab, nothing)
    called, returned = capsys.readouterr().out.splitlines()
    assert called == f"✗ Lab {shown_number(lab)}, not yet: give the function itself, not int."
    assert returned.startswith(f"✗ Lab {shown_number(lab)}, not yet: ") and "raised" not in returned


def nothing(*given):
    """Return nothing, as a function does whose author forgot it."""


def sentences(module, praised):
    """Yield the line and a pattern of each sentence that a function of the module may tell: it ends in a full stop.

    A check, whose name is in ``praised``, returns its praise; the tables of a module have `test_tables.py`.
    """
    left_out = set()
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for inner in ast.walk(function)):
        praise = isinstance(node, ast.FunctionDef) and node.name.removeprefix("_check_") in praised
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Return)] if praise else []
        if isinstance(node, ast.JoinedStr):
            parts += node.values
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
            parts.append(node)
        left_out |= {id(inner) for part in parts for inner in ast.walk(part)}
    for node in (inner for function in functions for inner in ast.walk(function)):
        if id(node) in left_out or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        words = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        if " " in words and words.endswith((".", "?", "!")):
            yield node.lineno, ".+".join(map(re.escape, re.split(r"\{[^}]*\}", words)))


@weekly
def test_each_sentence_of_a_check_is_told_to_some_wrong_answer(capsys):
    for lab, answer in [*((lab, answer) for lab, answer, _ in WRONG), *((lab, nothing) for lab in FUNCTIONS)]:
        check(lab, answer)
    told = capsys.readouterr().out
    praised = {lab.partition(".")[2].replace("-", "_") for lab in LABS}
    never = [
        (path.name, line, pattern)
        for path in sorted(Path(dp_labs.__file__).parent.glob("*.py"))
        if path.stem not in ("__init__", "guard", "answers", "tables", "noise")  # test_check.py, test_noise.py
        for line, pattern in sentences(ast.parse(path.read_text(encoding="utf-8")), praised)
        if not re.search(pattern, told)
    ]
    assert not never, f"no wrong answer in tests/labs/ is told these: {never}"


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("[0-9][0-9]-*.ipynb")), ids=lambda path: path.stem)
def test_each_lab_of_a_chapter_has_right_and_wrong_answers_here(chapter):
    number = int(chapter.name[:2])
    labs = {f"{number}.{name}" for name in importlib.import_module(f"dp_labs.chapter_{number:02}").LABS}
    assert labs == {lab for lab in LABS if lab.startswith(f"{number}.")}, "each lab has a right answer"
    without = labs - {lab for lab, *_ in WRONG}
    assert all(isinstance(find(lab), TABLES) for lab in without), "labs without a wrong answer"
