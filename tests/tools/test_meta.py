"""Old links, and the page for links that lead nowhere."""

import re

import pytest

from tools.book_site import meta


def test_redirects_are_read_line_by_line():
    assert meta.read_redirects("# moved\n\nold/page   new/page\nindex book/index\n") == [
        ("old/page", "new/page"),
        ("index", "book/index"),
    ]


@pytest.mark.parametrize("line", ["only-one", "a b c", "old.html new", "/old new", "old new#part"])
def test_a_redirect_that_is_none_is_refused(line):
    with pytest.raises(ValueError, match=re.escape(line)):
        meta.read_redirects(line)


def test_links_of_the_404_page_hold_at_any_depth():
    html = '<html data-content_root="./"><a href="book/index.html"><a href="#main"><img src="./_static/a.svg">'
    html += '<form action="search.html"><a href="https://x.org/y"><img src="data:image/png;base64,AA"><a href="/z">'
    assert meta.from_root(html, "/epsilon/") == (
        '<html data-content_root="/epsilon/"><a href="/epsilon/book/index.html"><a href="#main">'
        '<img src="/epsilon/_static/a.svg"><form action="/epsilon/search.html"><a href="https://x.org/y">'
        '<img src="data:image/png;base64,AA"><a href="/z">'
    )
