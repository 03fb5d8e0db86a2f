"""The search ranks a section by what it explains itself: its bold words, and its definitions' names."""

from docutils import nodes

from tools.book_site.search import taught_in


def section(title, word, *parts):
    return nodes.section("", nodes.title("", title), nodes.paragraph("", "", nodes.strong("", word)), *parts)


def test_a_section_explains_its_own_words_and_not_its_subsections():
    theorem = nodes.admonition("", nodes.title("", "Composition"), nodes.paragraph(), classes=["proof", "theorem"])
    inner = section("In parts", "parallel", theorem)
    outer = section("Budgets", "budget", inner)
    page = nodes.document(None, None)
    page += outer
    assert (taught_in(outer), taught_in(inner)) == ("budget", "parallel; Composition")
