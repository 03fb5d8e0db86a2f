"""Each chapter's labs: right answers are praised, wrong ones get the message that helps, no answer waits.

A chapter's test module lists its answers as ``RIGHT``, pairs (lab, answer), and ``WRONG``, triples (lab, answer, part
of the message).
"""

import importlib
import re
from pathlib import Path

import pytest

import dp_helpers as dp

BOOK = Path(__file__).resolve().parents[2] / "book"
MODULES = [importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob("test_[0-9]*.py"))]
RIGHT = [case for module in MODULES for case in getattr(module, "RIGHT", [])]
WRONG = [case for module in MODULES for case in getattr(module, "WRONG", [])]


@pytest.mark.parametrize(("lab", "answer"), RIGHT)
def test_right_answers(lab, answer, capsys):
    dp.check(lab, answer)
    assert capsys.readouterr().out.startswith(f"✓ Lab {lab} is right.")


@pytest.mark.parametrize("lab", sorted({lab for lab, *_ in RIGHT + WRONG}))
def test_no_answer_waits(lab, capsys):
    for nothing in (None, ...):
        dp.check(lab, nothing)
        assert capsys.readouterr().out == f"Lab {lab} is waiting for your answer.\n"


@pytest.mark.parametrize(("lab", "answer", "message"), WRONG)
def test_wrong_answers_get_help(lab, answer, message, capsys):
    dp.check(lab, answer)
    said = capsys.readouterr().out
    assert said.startswith(f"✗ Lab {lab}, not yet:")
    assert message in said


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("[0-9][0-9]-*.ipynb")), ids=lambda path: path.stem)
def test_each_lab_of_a_chapter_has_right_and_wrong_answers_here(chapter):
    text = chapter.read_text(encoding="utf-8")
    labs = set(re.findall(r"\} Lab (\d+\.\d+) · ★", text))
    assert labs == set(re.findall(r'dp\.check\(\\"(\d+\.\d+)\\"', text)), "each lab is checked, and nothing else"
    assert not labs - {lab for lab, *_ in RIGHT}, "labs without a right answer"
    assert not labs - {lab for lab, *_ in WRONG}, "labs without a wrong answer"
