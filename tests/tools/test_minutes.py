"""Of a chapter's minutes, those for who goes deeper count the sections named so, without their labs."""

from nbformat.v4 import new_code_cell, new_markdown_cell

from tools import minutes


def test_going_deeper_is_the_sections_named_so_without_their_labs():
    lab = [":::::{admonition} Lab 3.1 · ★ · A lab", "A hint.", "And why."]
    texts = ["## What goes deeper?\n\nNothing.", "## Going deeper: more\n\nA word.", *lab, "After it."]
    cells = [new_markdown_cell(text) for text in texts]
    cells.insert(3, new_code_cell("answer = ..."))
    assert [cell.source for cell in minutes.deeper(cells)] == [texts[1], texts[-1]]
