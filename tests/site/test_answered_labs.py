"""Labs on the page: the script judges numbers and lines as ``check`` does, with its messages."""

import importlib
import json
import math
import re

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK
from site_pages import SITE

from dp_labs import shown_number
from dp_labs.answers import NotYet
from dp_labs.tables import LinesLab, MendLab, NumbersLab
from tools.book_site.answering import as_table

COUNT = re.compile(r"of this chapter's \d labs")
SCRIPTS = [BOOK / "_static" / name for name in ("progress.js", "numbers.js", "labs.js")]


def tables():
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        module = importlib.import_module(f"dp_labs.chapter_{path.name[:2]}")
        for name in module.LABS:
            lab = getattr(module, name.replace("-", "_"))
            if as_table(lab):
                yield pytest.param(lab, id=f"{int(path.name[:2])}.{name}")


def said(lab, answer):
    try:
        return [True, lab(answer)]
    except NotYet as hint:
        return [False, str(hint)]


def answers(lab):
    """Return right answers, each mistake, and what lies around them."""
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
    judged = lab.lines if isinstance(lab, MendLab) else lab  # what is found counts before it is mended
    assert heard == [said(judged, answer) for answer in given]
    assert len({sentence for _, sentence in heard}) >= 2
    assert not [
        sentence for _, sentence in heard if re.search(r"\*\S[^*]*\*|`|\$", sentence)
    ]  # they are shown as they are


READINGS = {
    "0.25": [0.25], "0,25": [0.25], "1/4": [0.25], " −3 ": [-3], "2.5e-1": [0.25], "1e4": [1e4], "~ 7": [7],
    ".5": [0.5], "27,002": [27002, 27.002], "27 002": [27002], "27'002": [27002], "27’002": [27002],
    "27\u202f002": [27002], "336,000": [336_000, 336], "1,234,567": [1_234_567], "1,234.5": [1234.5],
    "0,500": [0.5], "-1,5": [-1.5], "1,000/3": [1000 / 3, 1 / 3], "15%": [0.15, 15], "15 %": [0.15, 15],
    "2×10^-5": [2e-5], "10^-5": [1e-5], "10⁻⁵": [1e-5], "1.5×10⁻⁵": [1.5e-5], "2^10": [1024], "2¹⁰": [1024],
    "½": [0.5], "−¾": [-0.75], "ln 2": [0.69314718], "-ln(3)": [-1.09861229], "√2": [1.41421356], "e^-1": [0.36787944],
    "5 people": [5], "1.234,5": [1234.5], "12.5 dollars a year": [12.5],
    "5 percent": [0.05, 5], "5 per cent of the rows": [0.05, 5], "½ %": [0.005, 0.5], "1.5 million": [1.5e6],
    "20 thousand people": [20_000], "2 Billion": [2e9], "-2^2": [-4], "(-2)^2": [4], "2^3^2": [512], "e": [math.e],
    "exp(0.5)": [math.exp(0.5)], "sqrt(2)": [2**0.5], "2√2": [2 * 2**0.5], "2 sqrt(2)": [2 * 2**0.5],
    "2π": [2 * math.pi],
    "10^(-5)": [1e-5], "10**-5": [1e-5], "2 ^ 10": [1024], "e^{0.5}": [math.exp(0.5)], "2e^0.5": [2 * math.exp(0.5)],
    "(3)": [3], "- 3": [-3], "+3": [3], "1.234.567": [1_234_567], "1.234.567,5": [1_234_567.5], "2*3": [6], "2·3": [6],
    "1 − e⁻¹": [1 - 1 / math.e], "(1+1/4)/(2-1)": [1.25], "1/(2√2)": [0.5 / 2**0.5], "3 ln 2": [3 * math.log(2)],
    "1.000": [1],
    "$921": [921], "921 $": [921], "-$5": [-5], "€ 1,5": [1.5], "k = 2": [2], "ε = 2": [2], "ε ≈ 0.5": [0.5],
    "k=-2": [-2], "12x": [12], "by 2.3": [2.3], "about 7 people": [7], "1½": [1.5], "2½ %": [0.025, 2.5],
    "1 1/2": [1.5], "-1 1/2": [-1.5], "1 1/2 hours": [1.5], "1 in 100,000": [1e-5, 0.01], "3 out of 4": [0.75],
    "1 in 10 people": [0.1], "1:3": [1 / 3], "1÷3": [1 / 3], "0.333…": [0.333], "0.333...": [0.333],
    "0.(3)": [1 / 3], "1.(27)": [1 + 27 / 99],
}  # fmt: skip
NO_NUMBERS = ["", "a", "1/", "1/2/3", "/2", "1/0", "0/0", "1e309", "Infinity", "0x10", "1 2", "27,00,2", "5%%", "e5",
              "1:2:3", "2^", "ln", "k =", "$", "5 in", "1 in", "5 in a hundred", "1 2/3/4",
              "by", "x", "ln two", "five people", "√-1", "1/2√2", "ln 2^3", "log 2", "(3", "3)", "()", "5 k",
              "2 thirds", "5 thousandths", "3 squared", "5 or 6", "million", "percent", "5% and 6%", "1.00.000",
              "constructor", "5 promille", "3 millionths", "2..3", "1" * 61]  # fmt: skip


@pytest.mark.parametrize(("typed", "meant"), READINGS.items())
def test_numbers_are_read_as_people_write_them(page, typed, meant):
    assert page.evaluate("numbers.readings", typed) == pytest.approx(meant)


def formula(rng, depth):
    """Return a random formula twice: as a person may type it, and for Python."""
    if depth == 0 or rng.random() < 0.2:
        number = f"{rng.choice([rng.integers(1, 9), rng.uniform(0, 2)]):.3g}"
        return (number, number) if rng.random() < 0.8 else ("e", "math.e")
    (one, first), (other, second) = formula(rng, depth - 1), formula(rng, depth - 1)
    space, minus, times = rng.choice(["", " "]), rng.choice(list("-−–")), rng.choice(list("*×·"))
    raised, power = [("^2", "2"), ("**-2", "-2"), (" ^ (-2)", "-2"), ("^{3}", "3"), ("⁻³", "-3")][rng.integers(5)]
    forms = [
        (f"({one}){space}{minus}{space}({other})", f"({first}) - ({second})"),
        (f"({one}){space}+{space}{other}", f"({first}) + {second}"),
        (f"({one}){space}{times}{space}({other})", f"({first}) * ({second})"),
        (f"({one}){space}/{space}({other})", f"({first}) / ({second})"),
        (f"({one}){raised}", f"({first}) ** {power}"),
        (f"{minus}({one}){raised}", f"-(({first}) ** {power})"),
        (f"exp{space}({one})", f"math.exp({first})"),
        (f"2{space}√(({one})²)", f"2 * math.sqrt(({first}) ** 2)"),
        (f"3{space}ln(2 + ({one})^2)", f"3 * math.log(2 + ({first}) ** 2)"),
    ]
    return forms[rng.integers(len(forms))]


def test_formulas_mean_what_they_mean_in_python(page):
    rng = np.random.default_rng(20261127)
    tried = 0
    for _ in range(400):
        typed, python = formula(rng, 2)
        try:
            value = eval(python, {"math": math})
        except (OverflowError, ZeroDivisionError):
            continue
        if isinstance(value, float | int) and len(typed) <= 60:
            assert page.evaluate("numbers.readings", typed) == pytest.approx([value], rel=1e-9), typed
            tried += 1
    assert tried > 300


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_what_is_no_number_is_refused_by_its_own_words(page, typed):
    assert page.evaluate("numbers.readings", typed) == []
    said = page.evaluate("numbers.refusal", typed)
    assert typed in said and ("no number" in said) == bool(typed)


def test_references_to_labs_show_the_numbers_of_where_they_lead():
    titles = {}
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        page = (SITE / "book" / f"{path.stem}.html").read_text(encoding="utf-8")
        boxes = re.findall(
            r'<div class="[^"]*\blab\b[^"]*" id="(lab-\d+-[a-z][\w-]*)">\s*<p class="admonition-title">([^<]*)', page
        )
        titles |= {(path.stem, name): title for name, title in boxes}
    assert len(titles) == len({name for _, name in titles}) > 80
    seen = 0
    for page in sorted((SITE / "book").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for file, name, shown in re.findall(
            r'<a class="[^"]*" href="([\w-]*)[^"#]*#(lab-[^"]*)"><span[^>]*>([^<]*)', text
        ):
            assert titles[file or page.stem, name].startswith(f"{shown} · "), (page.name, name, shown)
            seen += 1
    assert seen > 60


def test_right_answers_count_however_they_are_typed_and_are_there_again(visit):
    page = visit("book/17-auditing")
    lab = page.locator("#lab-17-how-many-runs")
    field, verdict = lab.get_by_role("textbox"), lab.get_by_role("status")
    right = f"Lab {shown_number('17.how-many-runs')} is right."
    for typed, read in {
        "15,797": "read as 15797",
        "15 797": "read as 15797",
        "15797": "",
        "~15'797": "read as 15797",
    }.items():
        field.fill(typed)
        field.press("Enter")
        assert verdict.inner_text().startswith(right) and lab.locator(".number-read").inner_text() == read
    for typed in ("1/0", "abc"):
        field.fill(typed)
        field.press("Enter")
        assert typed in verdict.inner_text() and verdict.get_attribute("class") == "quiz-verdict "
    field.fill("15,797")
    field.press("Enter")
    page.reload()
    assert field.input_value() == "15,797" and verdict.inner_text().startswith(right)
    field.fill("5")  # typed, and not yet judged
    page.reload()
    assert field.input_value() == "5" and not verdict.is_visible() and lab.locator(".quiz-done").is_visible()


def test_a_question_reads_percent_and_commas_and_keeps_what_was_typed(visit):
    page = visit("book/03-differential-privacy")
    box = page.locator(".admonition.quiz", has=page.get_by_role("textbox"))
    for typed, outcome in {"55%": "right", "0,55": "right", "11/20": "right", "0.6": "wrong", "<b>": ""}.items():
        box.get_by_role("textbox").fill(typed)
        box.get_by_role("textbox").press("Enter")
        assert box.locator(".quiz-verdict").get_attribute("class") == f"quiz-verdict {outcome}"
    choice = page.locator(".admonition.quiz").first
    choice.get_by_role("radio").nth(1).check()
    choice.get_by_role("button", name="Check").click()
    said = choice.locator(".quiz-verdict").inner_text()
    page.reload()
    assert choice.get_by_role("radio").nth(1).is_checked() and choice.locator(".quiz-verdict").inner_text() == said
    assert (
        box.get_by_role("textbox").input_value() == "<b>"
        and "“<b>” is no number" in box.locator(".quiz-verdict").inner_text()
    )
    assert page.locator(".cell.tag_answers-predict .cell_output").first.is_visible()  # its question is answered


def test_wrong_lines_are_chosen_where_they_stand(visit):
    page = visit("book/16-efficiency-and-safety", width=360, address=SITE.as_uri())
    lab, count = page.locator("#lab-16-review"), page.get_by_text(COUNT)
    assert lab.get_by_role("group", name="Which lines are wrong?").get_by_role("checkbox").count() == 9
    assert not lab.locator("pre").is_visible() and not page.get_by_text("is waiting for your answer").count()
    check, verdict = lab.get_by_role("button", name="Check"), lab.get_by_role("status")
    check.click()
    assert verdict.inner_text() == "Choose a line first."
    for line, said in (
        (7, "not yet: there is more to find"),
        (3, "not yet"),
        (6, f"Lab {shown_number('16.review')} is right."),
    ):
        lab.get_by_role("checkbox").nth(line - 1).check()
        check.press("Enter")
        assert said in verdict.inner_text()
    assert "done 1 of" in count.inner_text() and lab.locator(".quiz-done").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_lines_that_are_found_are_green_and_not_yet_mended(visit):
    page = visit("book/13-randomized-response")
    lab = page.locator("#lab-13-one-toss-saved")
    lab.get_by_role("checkbox").nth(2).check()
    lab.get_by_role("button", name="Check").click()
    for _ in range(2):
        assert lab.locator(".quiz-verdict.right").inner_text().startswith("Found: that is the line")
        assert lab.locator(".quiz-done").inner_text() == "found"
        assert "done 0 of" in page.get_by_text(COUNT).inner_text()
        assert page.get_by_text("mended = ...").is_visible()  # the cell stays, for live code
        page.reload()
    lab.get_by_role("button", name="Mark as done").click()
    assert lab.locator(".quiz-done").inner_text() == "done"


def test_a_code_lab_says_how_to_run_it_and_is_done_when_the_reader_says_so(visit):
    page = visit("book/13-randomized-response")
    lab = page.locator("#lab-13-honest-interval")
    assert lab.get_by_role("link", name="download this chapter").get_attribute("href").endswith(".ipynb")
    offered = [way.inner_text() for way in page.locator(".dropdown-launch-buttons .dropdown-item").all()]
    assert all(way.strip() in lab.locator(".lab-run").inner_text() for way in offered)
    lab.get_by_role("button", name="Mark as done").press("Enter")
    assert lab.locator(".quiz-done").is_visible()
    assert "done 1 of" in page.get_by_text(COUNT).inner_text()
