"""Labs on the page: the script judges numbers and choices as ``dp.check`` does, with its messages."""

import importlib
import json
import math

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK

from dp_helpers.labs.judging import ChoiceLab, LinesLab, MendLab, NotYet, NumberLab, NumbersLab
from tools.book_site.labs import as_table

SCRIPTS = [BOOK / "_static" / name for name in ("progress.js", "labs.js")]


def tables():
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        module = importlib.import_module(f"dp_helpers.labs.chapter_{path.name[:2]}")
        for name, lab in vars(module).items():
            if isinstance(lab, (NumberLab, NumbersLab, ChoiceLab, LinesLab, MendLab)) and name.startswith("lab_"):
                yield pytest.param(lab, id=f"{int(path.name[:2])}.{name[4:]}")


def said(lab, answer):
    try:
        return [True, lab(answer)]
    except NotYet as hint:
        return [False, str(hint)]


def answers(lab):
    """Return right answers, each mistake, and what lies around them."""
    if isinstance(lab, ChoiceLab):
        return [lab.right, *lab.options]
    if isinstance(lab, MendLab):
        return answers(lab.lines)
    if isinstance(lab, LinesLab):
        right, lines = sorted(lab.hints), range(1, lab.lines + 1)
        one_less = [[line for line in right if line != left] for left in right]
        return [right, [*lines], *one_less, *(sorted({*right, line}) for line in lines), *([line] for line in lines)]
    if isinstance(lab, NumbersLab):
        right = [float(number) for number in lab.right]
        wrong = [
            [r if m is None else float(m) for m, r in zip(mistake, right, strict=True)] for mistake, _ in lab.mistakes
        ]
        around = [[number * factor for number in right] for factor in (0.5, 0.98, 0.996, 1.004, 1.02, 2)]
        one_off = [[*right[:i], number + 1, *right[i + 1 :]] for i, number in enumerate(right)]
        return [right, *wrong, *around, *one_off]
    ends = lab.right if isinstance(lab.right, tuple) else (lab.right,)
    power = math.floor(math.log10(abs(ends[0])))
    two_digits = [float(f"{digits / 10}e{power + e}") for e in (-2, -1, 0, 1, 2) for digits in range(10, 100, 7)]
    near = [end * factor for end in ends for factor in (0.94, 0.96, 0.98, 0.996, 1, 1.004, 1.02, 1.04)]
    near = [number for number in near if isinstance(lab.otherwise, str) or said(lab, number)[0]]
    return [0.0, *two_digits, *(-number for number in two_digits), *near, *map(float, lab.mistakes)]


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    for script in SCRIPTS:
        page.add_script_tag(path=script)
    yield page
    page.close()


@pytest.mark.parametrize("lab", [*tables()])
def test_the_page_judges_as_the_kernel_does(lab, page):
    given = answers(lab)
    table = json.loads(json.dumps(as_table(lab)))
    heard = page.evaluate("([table, given]) => given.map((answer) => labs.judge(table, answer))", [table, given])
    assert heard == [said(lab, answer) for answer in given]
    assert len({sentence for _, sentence in heard}) >= 2


def test_numbers_are_read_as_people_write_them(page):
    written = {"0.25": 0.25, "0,25": 0.25, "1/4": 0.25, " −3 ": -3, "2.5e-1": 0.25, "1,000/3": 1 / 3}
    assert page.evaluate("texts => texts.map(labs.read)", [*written]) == pytest.approx([*written.values()])
    heard = page.evaluate("texts => texts.map(labs.read)", ["", "a", "1/", "1/2/3", "/2"])
    assert np.isnan(heard).all()
