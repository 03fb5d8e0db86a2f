"""Each chapter's labs: right answers are praised, wrong ones get the message that helps, no answer waits.

A chapter's test module lists its answers as ``RIGHT``, pairs (lab, answer), and ``WRONG``, triples (lab, answer, part
of the message).
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest
from thorough import weekly

import dp_labs
from dp_labs import check, find
from dp_labs.judging import ChoiceLab, LinesLab, NotYet, NumberLab, NumbersLab

BOOK = Path(__file__).resolve().parents[2] / "book"
MODULES = [importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob("test_[0-9]*.py"))]
RIGHT = [case for module in MODULES for case in getattr(module, "RIGHT", [])]
WRONG = [case for module in MODULES for case in getattr(module, "WRONG", [])]
LABS = sorted({lab for lab, *_ in RIGHT})
TABLES = ChoiceLab, LinesLab, NumberLab, NumbersLab  # tests/labs/test_tables.py gives each of their rows
FUNCTIONS = sorted({lab for lab, answer in RIGHT if callable(answer)})


@pytest.mark.parametrize(("lab", "answer"), RIGHT)
def test_right_answers(lab, answer, capsys):
    check(lab, answer)
    assert capsys.readouterr().out.startswith(f"✓ Lab {lab} is right.")


@pytest.mark.parametrize("lab", LABS)
def test_no_answer_waits(lab, capsys):
    for nothing in (None, ...):
        check(lab, nothing)
        assert capsys.readouterr().out == f"Lab {lab} is waiting for your answer.\n"


@pytest.mark.parametrize(("lab", "answer", "message"), WRONG)
def test_wrong_answers_get_help(lab, answer, message, capsys):
    check(lab, answer)
    said = capsys.readouterr().out
    assert said.startswith(f"✗ Lab {lab}, not yet:")
    assert message in said


@pytest.mark.parametrize("lab", FUNCTIONS)
def test_what_is_no_function_and_what_returns_nothing_get_help(lab, capsys):
    check(lab, 3)
    check(lab, nothing)
    called, returned = capsys.readouterr().out.splitlines()
    assert called == f"✗ Lab {lab}, not yet: give the function itself, not int."
    assert returned.startswith(f"✗ Lab {lab}, not yet: ") and "raised" not in returned


def nothing(*given):
    """Return nothing, as a function does whose author forgot it."""


@weekly
def test_each_sentence_of_a_chapters_checks_is_told_to_some_wrong_answer(monkeypatch):
    told = set()

    def note(self, *words):
        code = sys._getframe(1)
        told.add((Path(code.f_code.co_filename).name, code.f_lineno))
        Exception.__init__(self, *words)

    monkeypatch.setattr(NotYet, "__init__", note)
    for lab, answer in [*((lab, answer) for lab, answer, _ in WRONG), *((lab, nothing) for lab in FUNCTIONS)]:
        check(lab, answer)
    written = {
        (path.name, frozenset(range(node.lineno, node.end_lineno + 1)))
        for path in Path(dp_labs.__file__).parent.glob("chapter_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NotYet"
    }
    never = {(name, min(lines)) for name, lines in written if not any((name, line) in told for line in lines)}
    assert not never, f"no wrong answer in tests/chapters/ is told these: {sorted(never)}"


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("[0-9][0-9]-*.ipynb")), ids=lambda path: path.stem)
def test_each_lab_of_a_chapter_has_right_and_wrong_answers_here(chapter):
    text = chapter.read_text(encoding="utf-8")
    labs = set(re.findall(r"\} Lab (\d+\.\d+) · ★", text))
    assert labs == set(re.findall(r'check\(\\"(\d+\.\d+)\\"', text)), "each lab is checked, and nothing else"
    assert not labs - set(LABS), "labs without a right answer"
    without = labs - {lab for lab, *_ in WRONG}
    assert all(isinstance(find(lab), TABLES) for lab in without), "labs without a wrong answer"
