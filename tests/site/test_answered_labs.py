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


@pytest.mark.parametrize(("width", "address"), [(360, BOOK.parent.joinpath("_build/html").as_uri()), (1280, None)])
def test_wrong_lines_are_chosen_where_they_stand(visit, width, address):
    page = visit("book/16-efficiency-and-safety", width=width, address=address)
    lab, count = page.locator("#lab-16-2"), page.get_by_text("of this chapter's 6 labs")
    assert lab.get_by_role("group", name="Which lines are wrong?").get_by_role("checkbox").count() == 9
    assert not lab.locator("pre").is_visible() and not page.get_by_text("is waiting for your answer").count()
    check, verdict = lab.get_by_role("button", name="Check"), lab.get_by_role("status")
    check.click()
    assert verdict.inner_text() == "Choose a line first."
    for line, said in ((7, "not yet: there is more to find"), (3, "not yet"), (6, "Lab 16.2 is right.")):
        lab.get_by_role("checkbox").nth(line - 1).check()
        check.press("Enter")
        assert said in verdict.inner_text()
    assert "done 1 of" in count.inner_text() and lab.locator(".quiz-done").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_lines_that_are_found_are_not_yet_mended(visit):
    page = visit("book/13-randomized-response")
    lab = page.locator("#lab-13-3")
    lab.get_by_role("checkbox").nth(2).check()
    lab.get_by_role("button", name="Check").click()
    assert lab.get_by_text("Lab 13.3, not yet: that is the line").is_visible()
    assert "done 0 of" in page.get_by_text("of this chapter's 6 labs").inner_text()
    assert page.get_by_text("mended = ...").is_visible()  # the cell stays, for live code


def test_a_code_lab_says_how_to_run_it_and_is_done_when_the_reader_says_so(visit):
    page = visit("book/13-randomized-response")
    lab = page.locator("#lab-13-2")
    assert lab.get_by_role("link", name="download this chapter").get_attribute("href").endswith(".ipynb")
    offered = [way.inner_text() for way in page.locator(".dropdown-launch-buttons .dropdown-item").all()]
    assert all(way.strip() in lab.locator(".lab-run").inner_text() for way in offered)
    lab.get_by_role("button", name="Mark as done").press("Enter")
    assert lab.locator(".quiz-done").is_visible()
    assert "done 1 of" in page.get_by_text("of this chapter's 6 labs").inner_text()
