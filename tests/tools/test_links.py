"""References to chapters begin a sentence with a capital letter, and only there."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.book_site.links import anchor, begins_sentence, number_references


@pytest.mark.parametrize(
    ("before", "first"), [("", True), ("So.", True), ("So?", True), ("So! ", True), ("In ", False)]
)
def test_a_reference_knows_where_its_sentence_begins(before, first):
    link = nodes.reference()
    nodes.paragraph("", "", nodes.Text(before), link)
    assert begins_sentence(link) == first


def test_a_reference_to_a_chapter_says_its_number_and_begins_small_in_mid_sentence():
    titles = {"book/05-sensitivity": nodes.title("", "Sensitivity"), "book/glossary": nodes.title("", "Glossary")}
    app = SimpleNamespace(env=SimpleNamespace(titles=titles, found_docs=set(titles)))
    links = [nodes.reference("", "", nodes.inline("", title, classes=["std"])) for title in ("Sensitivity",) * 2]
    other = nodes.reference("", "", nodes.inline("", "Glossary", classes=["std"]))
    page = nodes.section("", nodes.paragraph("", "", links[0], nodes.Text(" says why; see "), links[1], other))
    number_references(app, page, "book/03-one")
    assert page.astext() == "Chapter 5, Sensitivity says why; see chapter 5, SensitivityGlossary"


def test_a_section_is_found_by_its_title():
    titles = {"a-first": "A first", "and-ε": "And ε?"}
    page = nodes.document(None, None)
    page += nodes.section("", nodes.title("", "Page"), ids=["page"])
    page[0].extend(nodes.section("", nodes.title("", title), ids=[name]) for name, title in titles.items())
    assert {anchor(page, title): title for title in titles.values()} == titles
