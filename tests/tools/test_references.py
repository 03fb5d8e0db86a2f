"""References to chapters begin a sentence with a capital letter, and only there."""

import pytest
from docutils import nodes

from tools.book_site.references import begins_sentence


@pytest.mark.parametrize(
    ("before", "first"), [("", True), ("So.", True), ("So?", True), ("So! ", True), ("In ", False)]
)
def test_a_reference_knows_where_its_sentence_begins(before, first):
    link = nodes.reference()
    nodes.paragraph("", "", nodes.Text(before), link)
    assert begins_sentence(link) == first
