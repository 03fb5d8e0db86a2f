"""References to chapters begin a sentence with a capital letter, and only there."""

import json
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx import addnodes

from tools.book_site import links
from tools.book_site.links import anchor, begins_sentence, number_references, show_left_out_as_text


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


@pytest.fixture
def half_a_book(tmp_path):
    """What Sphinx knows of a book that has chapter 3 and leaves chapter 8 out, with a label of each kind."""
    lines = ["(chapter-8)=\n", "# Variants\n", ":label: thm-8\n", ":name: lab-8-month\n"]
    source = [{"cell_type": "markdown", "source": lines, "metadata": {"mystnb": {"figure": {"name": "fig-8"}}}}]
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "08-variants.ipynb").write_text(json.dumps({"cells": source}, indent=1), encoding="utf-8")
    (tmp_path / "book" / "03-one.ipynb").write_text('{"cells": ["# One\\n", "(chapter-3)=\\n"]}', encoding="utf-8")
    return SimpleNamespace(srcdir=tmp_path), SimpleNamespace(found_docs={"book/03-one"})


def reference_to(label, before="In ", **shown):
    link = addnodes.pending_xref("", nodes.inline("", label), reftarget=label, **shown)
    return nodes.paragraph("", "", nodes.Text(before), link)[1]


@pytest.mark.parametrize("label", ["chapter-8", "thm-8", "lab-8-month", "fig-8"])
def test_a_reference_to_a_chapter_that_is_left_out_is_plain_text(half_a_book, label):
    link = reference_to(label)
    text = show_left_out_as_text(*half_a_book, link, link[0])
    assert isinstance(text, nodes.inline) and text.astext() == "chapter 8, Variants"
    assert show_left_out_as_text(*half_a_book, reference_to(label, "So. "), link[0]).astext() == "Chapter 8, Variants"
    named = reference_to(label, refexplicit=True)
    assert show_left_out_as_text(*half_a_book, named, nodes.inline("", "this month")).astext() == "this month"


@pytest.mark.parametrize("label", ["chapter-80", "chapter", "chapter-3", "thm"])
def test_a_reference_to_nothing_stays_a_mistake(half_a_book, label):
    link = reference_to(label)
    assert show_left_out_as_text(*half_a_book, link, link[0]) is None


def test_a_term_leads_to_the_glossary_once_and_not_where_it_is_taught(monkeypatch):
    taught = {"sensitivity": "05-sensitivity", "budget": "04-properties", "privacy loss": "05-sensitivity", "loss": ""}
    found = [([term], f"term-{term[:4]}", f"book/{page}", "") for term, page in taught.items()]
    monkeypatch.setattr(links, "terms", lambda env: found)
    builder = SimpleNamespace(name="html", get_relative_uri=lambda page, other: f"{other}.html")
    text = nodes.paragraph("", "", nodes.Text("Sensitivity, Budgets, a budget and the privacy loss."))
    page = nodes.section("", nodes.title("", "The budget"), text)
    links.link_first_uses(SimpleNamespace(env=None, builder=builder), page, "book/05-sensitivity")
    leads = [(link.astext(), link["refuri"]) for link in page.findall(nodes.reference)]
    assert leads == [("Budgets", "book/glossary.html#term-budg")]
    assert text.astext() == "Sensitivity, Budgets, a budget and the privacy loss."


def test_a_section_is_found_by_its_title():
    titles = {"a-first": "A first", "and-ε": "And ε?"}
    page = nodes.document(None, None)
    page += nodes.section("", nodes.title("", "Page"), ids=["page"])
    page[0].extend(nodes.section("", nodes.title("", title), ids=[name]) for name, title in titles.items())
    assert {anchor(page, title): title for title in titles.values()} == titles
