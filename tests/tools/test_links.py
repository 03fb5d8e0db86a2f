"""References to chapters begin a sentence with a capital letter, and only there."""

import pytest
from docutils import nodes

from tools.book_site.links import anchor, begins_sentence


@pytest.mark.parametrize(
    ("before", "first"), [("", True), ("So.", True), ("So?", True), ("So! ", True), ("In ", False)]
)
def test_a_reference_knows_where_its_sentence_begins(before, first):
    link = nodes.reference()
    nodes.paragraph("", "", nodes.Text(before), link)
    assert begins_sentence(link) == first


def test_a_section_is_found_by_its_title():
    titles = {"a-first": "A first", "and-ε": "And ε?"}
    page = nodes.document(None, None)
    page += nodes.section("", nodes.title("", "Page"), ids=["page"])
    page[0].extend(nodes.section("", nodes.title("", title), ids=[name]) for name, title in titles.items())
    assert {anchor(page, title): title for title in titles.values()} == titles
