"""The line under a chapter's title: which chapter of what it is, and what it needs, in half a book, too."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from tools.book_site import arriving


def line(here, needs, pages):
    """Return the line of a page that refers to these chapters, in a book of these pages."""
    page = new_document("")
    page += nodes.section("", nodes.title("", "Here"), nodes.paragraph("", "It begins."))
    before = nodes.section("", nodes.title("", "Before you start"))
    before += [addnodes.pending_xref(reftarget=f"chapter-{number}") for number in needs]
    page[0] += before
    read = []
    env = SimpleNamespace(docname=here, found_docs=set(pages), note_dependency=read.append)
    config = SimpleNamespace(html_title="Book", root_doc="book/index", external_toc_path="_toc.yml")
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"{there.removeprefix('book/')}.html")
    arriving.say_where(SimpleNamespace(env=env, builder=builder, config=config, srcdir="/book"), page)
    assert read == ["/book/_toc.yml"] * bool(arriving.number_of(here))  # a chapter more changes the line
    return page[0][1].astext()


BOOK = ["book/index", "book/ten-minutes", "book/02-b", "book/03-c", "book/05-e", "book/09-i"]


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ([], "needs no other chapter"),
        ([3], 'builds on <a href="03-c.html">3</a>'),
        (
            [5, 2, 3, 3],
            'builds on <a href="02-b.html">2</a>, <a href="03-c.html">3</a> and <a href="05-e.html">5</a>',
        ),
        ([4, 5], 'builds on <a href="05-e.html">5</a>'),  # 4 is left out
    ],
)
def test_it_says_which_chapter_of_what_it_is_and_what_it_needs(needs, said):
    assert line("book/09-i", needs, BOOK) == (
        '<p class="whereabouts noprint">Chapter 9 of 9 of <a href="index.html">Book</a>, on differential privacy'
        f' · {said} · new here? <a href="ten-minutes.html">Ten minutes</a></p>'
    )


def test_other_pages_and_books_without_a_first_road_are_left_alone():
    assert line("book/index", [3], BOOK) == "It begins."
    assert "new here? Ten minutes</p>" in line("book/03-c", [], ["book/03-c"])
