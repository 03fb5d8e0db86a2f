"""Every chapter has the anatomy that CONTRIBUTING.md promises, and is committed as executed from top to bottom."""

import importlib
import itertools
import json
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

from tools import minutes
from tools.minutes import is_visible, words
from tools.run_notebooks import FOLDED, SEEN_WIDTH, format_code

BOOK = Path(__file__).resolve().parents[2] / "book"
CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))
FIXED_SECTIONS = "Before you start, Find the bug, Summary, Self-check, Labs, Further reading".split(", ")
LONG = 75  # minutes, after which a chapter marks a good place for a break

IDEA = "## The idea"

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


@cache
def read(path):
    return nbformat.read(path, as_version=4).cells


def cells(path, kind):
    return [cell for cell in read(path) if cell.cell_type == kind]


@cache
def prose(path):
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def core(path):
    """Return the cells of the path that every reader goes: up to the self-check."""
    return list(itertools.takewhile(lambda cell: not cell.source.startswith("## Self-check"), read(path)))


def deeper(path):
    """Return the cells of the sections for those who go deeper."""
    kept, inside = [], False
    for cell in read(path):
        if heading := re.match(r"(?:\(\S+\)=\n)?## (.*)", cell.source):
            inside = heading[1].startswith("Going deeper")
        kept += [cell] * inside
    return kept


def printed(cell):
    return "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")


def section(path, title):
    """Return the Markdown between this heading and the next of its level."""
    found = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", prose(path), re.S | re.M)
    assert found, f"no section {title!r}"
    return found[1]


@every_chapter
def test_is_executed_from_top_to_bottom(path):
    code = cells(path, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [o for cell in code for o in cell.outputs if o.output_type == "error"]


@every_chapter
def test_keeps_nothing_of_the_machine_that_ran_it(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert "application/vnd.jupyter.widget-view+json" not in text
    assert not re.search(r"/(home|root|tmp|Users)/", text)
    assert not [cell for cell in notebook["cells"] if "execution" in cell["metadata"]]


@every_chapter
def test_jupyterlab_folds_what_the_site_folds(path):
    for cell in cells(path, "code"):
        tags, folded = set(cell.metadata.get("tags", [])), cell.metadata.get("jupyter", {})
        assert folded.get("source_hidden", False) == bool(FOLDED & tags), cell.source
        assert folded.get("outputs_hidden", False) == bool({"hide-cell", "answers-predict"} & tags), cell.source


@every_chapter
def test_begins_with_label_promise_and_question(path):
    hint, first = cells(path, "markdown")[0].source.split("\n", 1)
    assert hint.startswith("% ") and "README.md" in hint  # for who meets the notebook on a code host
    number = int(path.name[:2])
    assert re.match(rf"\(chapter-{number}\)=\n# \w.*\n\n\*[^*]+\*\n", first)
    assert ":class: chapter-question" in first


@every_chapter
def test_has_the_fixed_sections_in_order(path):
    headings = re.findall(r"^## (.+)$", prose(path), re.M)
    assert [heading for heading in headings if heading in FIXED_SECTIONS] == FIXED_SECTIONS


@every_chapter
def test_headings_skip_no_level(path):
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(path), re.M)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


@every_chapter
def test_sets_up_once_in_at_most_six_lines(path):
    code = cells(path, "code")
    setup = [line for line in code[0].source.splitlines() if line.strip()]
    assert len(setup) <= 6
    assert sum("default_rng(" in line for line in setup) == 1
    later = "\n".join(cell.source for cell in code[1:] if cell not in deeper(path))  # a library that only they need
    assert not re.search(r"^\s*(import|from) ", later, re.M)


@every_chapter
def test_cells_are_short(path):
    lines = {cell.source.splitlines()[0]: len(cell.source.splitlines()) for cell in cells(path, "code") if cell.source}
    assert {first: n for first, n in lines.items() if n > 15} == {}, "a cell has at most 15 lines"


@every_chapter
def test_calls_are_written_out(path):
    """Neither ``**arguments`` nor a dictionary of them: which ε a call gets is seen in the call."""
    stars = r"(?:[(,{]|^)\s*\*\*[A-Za-z_]"
    hidden = [cell.source for cell in read(path) if is_visible(cell) and re.search(stars, cell.source, re.M)]
    assert not hidden, hidden


@every_chapter
def test_a_missing_value_is_blank_with_every_pandas(path):
    """In pandas 2 ``astype(object).fillna("")`` warns, and after ``astype(str)`` nothing is missing: ``map(str)``."""
    filled = re.compile(r"astype\((?:object|str)\)\.fillna\(")
    assert not [cell.source for cell in cells(path, "code") if filled.search(cell.source)]


@every_chapter
def test_visible_code_fits_a_phone(path):
    lines = [line for cell in read(path) if is_visible(cell) for line in cell.source.splitlines()]
    assert max(map(len, lines)) <= SEEN_WIDTH


@every_chapter
def test_code_is_formatted_as_make_notebooks_does(path):
    notebook = nbformat.read(path, as_version=4)
    format_code(notebook)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in read(path)]


@every_chapter
def test_printed_results_are_short_and_narrow(path):
    """What has more than three rows is a table or a chart; at most 38 characters are not cut on a phone."""
    for cell in read(path):
        if is_visible(cell):
            rows = printed(cell).splitlines()
            assert len(rows) <= 3 and max(map(len, rows), default=0) <= 38, printed(cell)


@every_chapter
def test_a_line_is_printed_at_once(path):
    """What is printed arrives in pieces, now and then in mid-line; the site ends each piece with a break."""
    assert not [cell.source for cell in cells(path, "code") if re.search(r"^\s*print\(.*\bend=", cell.source, re.M)]


@every_chapter
def test_the_path_has_at_most_eight_sections(path):
    """Ideas are what a chapter may have too many of, not words."""
    headings = re.findall(r"^## (.+)$", "\n\n".join(cell.source for cell in core(path)), re.M)
    sections = [heading for heading in headings if heading not in [*FIXED_SECTIONS, "The idea", "Privacy ledger"]]
    assert 3 <= len(sections) <= 8, sections


@every_chapter
def test_begins_with_the_idea_in_plain_words(path):
    """Right under the question stands what a reader who stops there can tell somebody else."""
    told = cells(path, "markdown")[1].source
    assert re.findall(r"^#+ .+$", prose(path), re.M)[1] == IDEA and told.startswith(IDEA)
    assert 60 <= len(told.split()) - 3 <= 150, len(told.split())
    assert not re.search(r"[$`{]", told), "no formula, code or reference"


@every_chapter
def test_what_to_know_before_is_folded(path):
    assert ":class: chapter-start dropdown" in section(path, "Before you start")


@every_chapter
def test_says_what_you_have_if_you_stop_and_where_to_rest(path):
    """The seam, at which the short edition ends: a paragraph of its own, once, in a section."""
    told = re.findall(r"^If you stop here, .+$", prose(path), re.M)
    assert len(told) == prose(path).count("If you stop here, ") == 1, told
    needed = minutes.minutes(minutes.whole(read(path)))
    assert 0.15 * needed <= minutes.minutes(minutes.short(read(path))) <= 0.6 * needed
    if needed > LONG:
        assert "A good place for a break" in "\n".join(cell.source for cell in core(path))


@every_chapter
def test_states_the_minutes_that_its_cells_make(path):
    """As `make notebooks` writes them, or, without executing anything, `make minutes`."""
    assert minutes.sentence(read(path)) in " ".join(section(path, "Before you start").split())


def test_minutes_are_those_that_readers_felt():
    """What three readers of all chapters felt in November 2026.  A chapter that has been changed much is read anew."""
    felt = [65, None, 78, 77, 77, 80, 80, 85, 70, 70, 65, 90, 70, 80, 80, 60, 70, 95, 90, 100, 95, 100, 85, 85]
    timed = [(path, one) for path, one in zip(CHAPTERS, felt, strict=False) if one]  # chapter 2 is another one since
    ratios = [minutes.minutes(minutes.whole(read(path))) / one for path, one in timed]
    assert 0.9 <= sum(ratios) / len(ratios) <= 1.1
    assert all(0.7 <= ratio <= 1.35 for ratio in ratios), ratios


@pytest.mark.parametrize("text", ["costs \\$50,000", "from \\$1 to \\$2 and \\$3", "no formula at all"])
def test_money_is_no_formula(text):
    """A dollar sign between a formula's would turn all that follows around: text into formulas, formulas into text."""
    long = "word " * 500
    cells = [nbformat.v4.new_markdown_cell(f"{text}\n\n{long} $x^2$ {long}\n\n$$y$$\n\n{long}")]
    assert words(cells) == 1500 + len(text.split())
    assert minutes.minutes(cells) == pytest.approx(words(cells) / 80 + 1 + 0.1)


@every_chapter
def test_every_reference_to_its_labs_leads_to_one(path):
    """Wherever it stands in the book: a lab that is deleted may have been referred to by any page."""
    book = [prose(chapter) for chapter in CHAPTERS] + [page.read_text("utf-8") for page in BOOK.glob("*.md")]
    name = rf"lab-{int(path.name[:2])}-[a-z][\w-]*"
    referred = re.findall(rf"\{{(?:num)?ref\}}`(?:[^`<]*<)?({name})>?`|\]\([^)]*#({name})\)", "\n".join(book))
    assert {one or other for one, other in referred} <= set(re.findall(rf"^:name: ({name})$", prose(path), re.M))


@every_chapter
def test_something_moves_early(path):
    """Within a screen and a half of 1366 by 657 pixels, some 280 words without code."""
    above = list(itertools.takewhile(lambda cell: not re.search(r"dp\.(explore|play)\(", cell.source), read(path)))
    shown = [cell for cell in above if cell.cell_type == "code" and (is_visible(cell) or shows_picture(cell))]
    assert words(above) <= 280 and not shown


def shows_picture(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


@every_chapter
def test_answers_its_question_before_the_summary(path):
    number = int(path.name[:2])
    assert re.search(rf"^\(chapter-{number}-answer\)=\n## [^\n]+\n(?:(?!^## ).)*^## Summary$", prose(path), re.S | re.M)


@every_chapter
def test_depth_stands_at_the_end_and_says_who_needs_it(path):
    headings = re.findall(r"^## (.+)$", prose(path), re.M)
    last = headings[headings.index("Labs") + 1 :]
    assert last[-1] == "Further reading"
    assert all(heading.startswith("Going deeper: ") for heading in last[:-1])
    assert not [heading for heading in headings[: headings.index("Labs")] if heading.startswith("Going deeper")]
    for heading in last[:-1]:
        opening = " ".join(section(path, heading).split()[:40])
        assert re.search(r"[Nn]othing later|chapter|[Ll]ab[ -]|assignment", opening), heading


@every_chapter
def test_a_lab_that_needs_depth_closes_its_section(path):
    said = re.findall(r"^## Going deeper.*\n+\{ref\}`(lab-[\w-]+)` closes this section", prose(path), re.M)
    behind = "\n".join(cell.source for cell in deeper(path))
    assert re.findall(r"^:name: (lab-[\w-]+)$", behind, re.M) == said
    assert all(f"{{ref}}`{lab}`" in section(path, "Labs") for lab in said), (
        "whoever does the labs is told where the others are"
    )
    labels = re.findall(r"^\((\S+)\)=\n## Going deeper", prose(path), re.M)
    assert not [label for label in labels if f"{{ref}}`{label}`" in section(path, "Labs")]


@every_chapter
def test_what_a_predict_asks_comes_covered_behind_it(path):
    asked = [i for i, cell in enumerate(read(path)) if "} Predict\n:class: quiz" in cell.source]
    for i in asked:
        assert "answers-predict" in read(path)[i + 1].metadata.get("tags", [])
        assert not read(path)[i + 2].source.startswith("```{prf:"), "what the reader is to predict, below the question"
    covered = [cell for cell in read(path) if "answers-predict" in cell.metadata.get("tags", [])]
    assert len(covered) == len(asked)
    # JupyterLab shows the first line of text that is folded.
    assert all(len(printed(cell).splitlines()) != 1 for cell in covered), "print first what the line is about"


def test_the_place_of_an_option_gives_nothing_away():
    for kind in ("Predict", r"Question \d+"):
        places = []
        for path in CHAPTERS:
            for _, body in re.findall(
                rf"^(:{{4,}})\{{admonition\}} {kind}\n:class: quiz\n(.*?)^\1$", prose(path), re.S | re.M
            ):
                reasons = re.findall(r"^\d\. (\w+)", body.split("{dropdown}")[1], re.M)
                if len(reasons) > 2:
                    places += [i for i, reason in enumerate(reasons) if reason == "Right"]
        assert min(places.count(i) for i in range(3)) >= len(places) / 5, (kind, places)


@every_chapter
def test_sliders_have_words_and_enough_stops(path):
    """Five do for one that glides, whose arrow keys go between; what steps: tests/site/test_gliding.py."""
    for cell in cells(path, "code"):
        if "dp.explore(" not in cell.source:
            continue
        said = " ".join("".join(output["data"]["text/plain"]) for output in cell.outputs if "data" in output)
        sliders = re.findall(r"(?:Sliders?:|,) ([^,]*(?:, \w+)?) from (\S+) to \S+ \((\d+) values\)", said)
        assert sliders
        for label, first, stops in sliders:
            assert re.search(r"[A-Za-z]{3}", label), label
            assert int(stops) == 2 or int(stops) >= 5 or not re.match(r"[−\d]", first), (label, stops)


@every_chapter
def test_predicts_defines_slides_and_cites(path):
    text, code = prose(path), "\n".join(cell.source for cell in cells(path, "code"))
    assert "} Predict\n:class: quiz" in text
    assert "dp.explore(" in code
    assert re.search(r"\{cite:[pt]\}", text)


@every_chapter
def test_a_slider_is_described_and_has_numbered_questions_and_folded_answers(path):
    """What is drawn is said above it; the questions stand beside it, above or below, and the answers below."""
    sliders, notebook = 0, read(path)
    for i, cell in enumerate(notebook):
        if cell.cell_type == "code" and "dp.explore(" in cell.source:
            sliders += 1
            before = next(other.source for other in reversed(notebook[:i]) if other.cell_type == "markdown")
            answers = notebook[i + 1].source
            asked = before + "\n\n" + answers.split("{dropdown}")[0]
            assert len(before.split()) >= 10, "what is drawn"
            assert re.search(r"^1\. .*^2\. ", asked, re.S | re.M), "questions to answer while moving it"
            assert "{dropdown}" in answers, "their answers, folded away"
    assert sliders


@every_chapter
def test_questions_have_as_many_reasons_as_choices(path):
    quizzes = re.findall(r"^(:{4,})\{admonition\}[^\n]*\n:class: quiz\n(.*?)^\1$", prose(path), re.S | re.M)
    assert len(quizzes) == prose(path).count(":class: quiz")
    for _, body in quizzes:
        choices, reasons = body.split("{dropdown}")
        numbered = [re.findall(r"^\d\. (.*)", part, re.M) for part in (choices, reasons)]
        assert len(numbered[0]) == len(numbered[1]) > 0
        right = sum(reason.startswith("Right") for reason in numbered[1])
        assert right
        assert ("Choose all" in choices) == (right > 1), choices  # then they are boxes, not radio buttons


@every_chapter
def test_a_chapter_ends_with_three_to_five_questions(path):
    assert 3 <= section(path, "Self-check").count(":class: quiz") <= 5, "a self-check has three to five questions"


@every_chapter
def test_labs_are_numbered_graded_and_solved(path):
    number = int(path.name[:2])
    names = importlib.import_module(f"dp_labs.chapter_{number:02}").LABS
    assert 3 <= len(names) <= 5, "a chapter has three to five labs"
    title = rf"\{{admonition\}} Lab (\S+) · ★{{1,3}} · ([\w ]+) · .+\n:class: lab\n:name: lab-{number}-(\S+)$"
    labs = re.findall(title, prose(path), re.M)
    assert [(shown, name) for shown, _, name in labs] == [(f"{number}.{k}", name) for k, name in enumerate(names, 1)]
    assert len(labs) == prose(path).count("} Lab ") == prose(path).count(":class: lab")
    assert {kind for _, kind, _ in labs} <= {"Compute", "Code", "Prove", "Find the bug", "Design"}
    code = "\n".join(cell.source for cell in cells(path, "code"))
    assert re.findall(r'^check\(\s*"([^"]*)"', code, re.M) == [f"{number}.{name}" for name in names for _ in range(2)]
    said = "".join(o.get("text", "") for cell in cells(path, "code") for o in cell.outputs)
    for shown, *_ in labs:
        assert f"Lab {shown} is waiting for your answer." in said
        assert f"✓ Lab {shown} is right." in said
        assert f"✗ Lab {shown}" not in said
    for cell in cells(path, "code"):
        if "✓ Lab" in "".join(o.get("text", "") for o in cell.outputs):
            assert "hide-cell" in cell.metadata.tags


def test_no_lab_is_referred_to_by_its_number():
    """A number is counted anew when a lab goes; a reference by name is not."""
    pages = {path.name: prose(path) for path in CHAPTERS} | {path.name: path.read_text() for path in BOOK.glob("*.md")}
    words = {name: re.sub(r"^:+\{admonition\} Lab .*", "", text, flags=re.M) for name, text in pages.items()}
    assert not {name: found for name, text in words.items() if (found := re.findall(r"[Ll]abs?\s\d+\.\d+", text))}


@every_chapter
def test_figures_say_what_is_seen(path):
    for cell in cells(path, "code"):
        if "dp.explore(" in cell.source or "dp.play(" in cell.source:
            assert "alt=" in cell.source and "caption=" in cell.source
        elif any("image/png" in o.get("data", {}) for o in cell.outputs):
            about = cell.metadata["mystnb"]
            assert len(about["image"]["alt"].split()) >= 8
            assert len(about["figure"]["caption"].split()) >= 4
            assert about["figure"]["name"].startswith("fig-")


@every_chapter
def test_every_figure_is_drawn(path):
    """A cell that ends in ``axes.set(...)``, without ``plt.show()``, shows its figure in Jupyter, not on the site."""
    for cell in cells(path, "code"):
        if "figure" in cell.metadata.get("mystnb", {}):
            kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
            assert kinds & {"image/png", "image/svg+xml"}, cell.source


def test_labels_and_figures_have_names_of_their_own():
    names = []
    for path in CHAPTERS:
        names += [cell.metadata.get("mystnb", {}).get("figure", {}).get("name") for cell in cells(path, "code")]
        names += re.findall(r"^(?::(?:label|name): (?=\S)|\((?=\S+\)=$))([\w-]+)", prose(path), re.M)
    names = [name for name in names if name]
    assert len(names) > 100
    assert not {name for name in names if names.count(name) > 1}


@every_chapter
def test_draws_no_global_randomness(path):
    code = "\n".join(cell.source for cell in cells(path, "code"))
    assert not re.search(r"np\.random\.(?!default_rng|Generator|Philox|SeedSequence)", code)
