"""What stands above "If you stop here, " is the short edition of a chapter, and reads to an end by itself.

Above the seam are the idea, something that moves, a definition or theorem in its box, an example on paper, what it
costs, and a question to answer; and nothing there sends the reader to what stands only below.
"""

import re

import pytest
from chapters.chapter_notebook import BOOK, read

# Those whose upper part has been made to stand alone.
CHAPTERS = [f"{number:02}" for number in range(1, 25)]

SEAM = re.compile(r"^If you stop here, ", re.M)
BOX = re.compile(r"^`{3,}\{prf:(?:definition|theorem|algorithm|property|lemma|proposition)\}", re.M)
ON_PAPER = re.compile(r"\b(?:on paper|by hand)\b", re.I)
COST = re.compile(r"^What does (?:[^\s?.]+ ){1,3}cost\b[^?\n]*\? \S", re.M)
LABEL = re.compile(r"^(?::label: |:name: )(\S+)$|^\((\S+)\)=$", re.M)
BOXES = re.compile(r"\{(?:prf:ref|numref)\}`(?:[^`<]*<)?([\w-]+)>?`")
REFERENCE = re.compile(r"\{(?:prf:ref|numref|ref)\}`(?:[^`<]*<)?([\w-]+)>?`|\]\([^)]*#([\w-]+)\)")
LATER = re.compile(
    r"(?:further|the section) below|later in (?:the|this) chapter|end of (?:the|this) chapter|behind the labs"
    r"|you will (?:see|read|learn)|Going deeper",
    re.I,
)


def parts(number):
    """Return what stands above the seam (without what is folded before the start), and what stands below it."""
    (path,) = BOOK.glob(f"{number}-*.ipynb")
    above, below, seen = [], [], False
    for cell in read(path.stem).cells:
        text = cell.source
        if cell.cell_type == "code":
            figure = cell.metadata.get("mystnb", {}).get("figure", {})
            text += f"\n:name: {figure['name']}" if figure.get("name") else ""
        elif not seen and (found := SEAM.search(text)):
            seen = True
            above.append(text[: found.start()])
            text = text[found.start() :]
        (below if seen else above).append(text)
    assert seen, "no paragraph begins 'If you stop here, '"
    return [text for text in above if not text.startswith("## Before you start")], below


def labels(texts):
    return {one or other for text in texts for one, other in LABEL.findall(text)}


def referred(texts):
    return {one or other for text in texts for one, other in REFERENCE.findall(text)}


ready = pytest.mark.parametrize("number", CHAPTERS)


@ready
def test_the_upper_part_has_all_that_a_short_chapter_needs(number):
    above = "\n\n".join(parts(number)[0])
    assert "## The idea" in above
    assert re.search(r"dp\.(explore|play)\(", above), "a figure that moves"
    assert BOX.search(above), "a definition or theorem in its box"
    assert ON_PAPER.search(above), "an example on paper, or by hand"
    assert COST.search(above), "a paragraph that begins 'What does it cost?'"
    assert ":class: quiz" in above, "a question to answer"


@ready
def test_the_upper_part_sends_nobody_below_the_seam(number):
    above, below = parts(number)
    assert not referred(above) & (labels(below) - labels(above))
    assert not LATER.findall("\n\n".join(above))


@ready
def test_a_figure_above_the_seam_has_its_answers_there(number):
    above = "\n\n".join(parts(number)[0])
    assert len(re.findall(r"dp\.(?:explore|play)\(", above)) <= above.count("{dropdown} What you may have seen")


def test_an_upper_part_leans_on_boxes_and_figures_of_upper_parts():
    readable = set()
    for number in CHAPTERS:
        above, _ = parts(number)
        readable |= labels(above)
        assert set(BOXES.findall("\n\n".join(above))) <= readable, number
