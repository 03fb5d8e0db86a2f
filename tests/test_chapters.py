"""Every chapter has the anatomy that CONTRIBUTING.md promises, and is committed as executed from top to bottom."""

import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest

BOOK = Path(__file__).resolve().parents[1] / "book"
CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))
FIXED_SECTIONS = [
    "What you will be able to do",
    "Before you start",
    "Find the bug",
    "Privacy ledger",
    "Summary",
    "Self-check",
    "Labs",
    "Further reading",
]

pytestmark = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def cells(path, kind):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind]


def prose(path):
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def section(path, title):
    """Return the Markdown between this heading and the next of its level."""
    found = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", prose(path), re.S | re.M)
    assert found, f"no section {title!r}"
    return found[1]


def test_is_executed_from_top_to_bottom(path):
    code = cells(path, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [o for cell in code for o in cell.outputs if o.output_type == "error"]


def test_keeps_nothing_of_the_machine_that_ran_it(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert "application/vnd.jupyter.widget-view+json" not in text
    assert not re.search(r"/(home|root|tmp|Users)/", text)
    assert not [cell for cell in notebook["cells"] if "execution" in cell["metadata"]]


def test_begins_with_label_promise_and_question(path):
    first = cells(path, "markdown")[0].source
    number = int(path.name[:2])
    assert re.match(rf"\(chapter-{number}\)=\n# \w.*\n\n\*[^*]+\*\n", first)
    assert ":class: chapter-question" in first


def test_has_the_fixed_sections_in_order(path):
    headings = re.findall(r"^## (.+)$", prose(path), re.M)
    assert [heading for heading in headings if heading in FIXED_SECTIONS] == FIXED_SECTIONS


def test_headings_skip_no_level(path):
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(path), re.M)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_sets_up_once_in_at_most_five_lines(path):
    code = cells(path, "code")
    setup = [line for line in code[0].source.splitlines() if line.strip()]
    assert len(setup) <= 5
    assert sum("default_rng(" in line for line in setup) == 1
    later = "\n".join(cell.source for cell in code[1:])
    assert not re.search(r"^\s*(import|from) ", later, re.M)


def test_cells_are_short_and_few(path):
    code = cells(path, "code")
    labs = sum("dp.check(" in cell.source for cell in code)
    assert len(code) - labs <= 25
    assert max(len(cell.source.splitlines()) for cell in code) <= 15


def test_has_a_chapters_length(path):
    text, _ = prose(path).split("## Labs")
    text = re.sub(r"\$\$.*?\$\$|^[:`]{3,}[^\n]*$", "", text, flags=re.S | re.M)
    assert 2_000 <= len(text.split()) <= 3_500


def test_predicts_defines_slides_and_cites(path):
    text, code = prose(path), "\n".join(cell.source for cell in cells(path, "code"))
    predict = text.find("} Predict\n:class: quiz")
    assert 0 < predict < text.find("{prf:")
    assert "dp.explore(" in code
    assert re.search(r"\{cite:[pt]\}", text)


def test_every_slider_follows_numbered_questions_and_precedes_answers(path):
    before, sliders = "", 0
    notebook = nbformat.read(path, as_version=4).cells
    for i, cell in enumerate(notebook):
        if cell.cell_type == "markdown":
            before = cell.source
        elif "dp.explore(" in cell.source:
            sliders += 1
            assert re.search(r"^1\. .*^2\. ", before, re.S | re.M), "questions to answer while moving it"
            assert "{dropdown}" in notebook[i + 1].source, "their answers, folded away"
    assert sliders


def test_questions_have_as_many_reasons_as_choices(path):
    quizzes = re.findall(r"^(:{4,})\{admonition\}[^\n]*\n:class: quiz\n(.*?)^\1$", prose(path), re.S | re.M)
    assert len(quizzes) == prose(path).count(":class: quiz")
    for _, body in quizzes:
        choices, reasons = body.split("{dropdown}")
        numbered = [re.findall(r"^\d\. (.*)", part, re.M) for part in (choices, reasons)]
        assert len(numbered[0]) == len(numbered[1]) > 0
        assert any(reason.startswith("Right") for reason in numbered[1])


def test_checks_itself(path):
    assert 3 <= section(path, "Self-check").count(":class: quiz") <= 5


def test_labs_are_numbered_graded_and_solved(path):
    number = int(path.name[:2])
    labs = re.findall(r"\{admonition\} Lab (\d+)\.(\d+) · (★{1,3}) · ([\w ]+) · .+\n:class: lab", section(path, "Labs"))
    assert [(int(a), int(b)) for a, b, *_ in labs] == [(number, k) for k in range(1, len(labs) + 1)]
    assert 3 <= len(labs) <= 6
    assert {kind for *_, kind in labs} <= {"Compute", "Code", "Prove", "Find the bug", "Design"}
    said = "".join(o.get("text", "") for cell in cells(path, "code") for o in cell.outputs)
    for _, k, *_ in labs:
        assert f"Lab {number}.{k} is waiting for your answer." in said
        assert f"✓ Lab {number}.{k} is right." in said
        assert f"✗ Lab {number}.{k}" not in said
    for cell in cells(path, "code"):
        if "✓ Lab" in "".join(o.get("text", "") for o in cell.outputs):
            assert "hide-cell" in cell.metadata.tags


def test_figures_say_what_is_seen(path):
    for cell in cells(path, "code"):
        if "dp.explore(" in cell.source:
            assert "alt=" in cell.source and "caption=" in cell.source
        elif any("image/png" in o.get("data", {}) for o in cell.outputs):
            about = cell.metadata["mystnb"]
            assert len(about["image"]["alt"].split()) >= 8
            assert len(about["figure"]["caption"].split()) >= 4
            assert about["figure"]["name"].startswith("fig-")


def test_every_figure_is_drawn(path):
    """A cell that ends in ``axes.set(...)``, without ``plt.show()``, shows its figure in Jupyter, not on the site."""
    for cell in cells(path, "code"):
        if "figure" in cell.metadata.get("mystnb", {}):
            kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
            assert kinds & {"image/png", "image/svg+xml"}, cell.source


def test_draws_no_global_randomness(path):
    code = "\n".join(cell.source for cell in cells(path, "code"))
    assert not re.search(r"np\.random\.(?!default_rng|Generator|Philox)", code)
