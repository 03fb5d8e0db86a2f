"""Old links, and the page for links that lead nowhere."""

from tools.book_site import meta


def test_a_redirect_leads_from_a_page_that_is_gone_to_one_that_is_there():
    redirects = {"index": "book/index.html", "book/3-old": "03-new.html", "old/3": "../book/03-new.html"}
    gone = {"book/index": "03-new.html", "book/4-old": "04-old.html", "book/3-older": "book/03-new.html"}
    assert meta.wrong_redirects(redirects | gone, {"book/index", "book/03-new"}) == [*gone]


def test_links_of_the_404_page_hold_at_any_depth():
    html = '<html data-content_root="./"><a href="book/index.html"><a href="#main"><img src="./_static/a.svg">'
    html += '<form action="search.html"><a href="https://x.org/y"><img src="data:image/png;base64,AA"><a href="/z">'
    assert meta.from_root(html, "/epsilon/") == (
        '<html data-content_root="/epsilon/"><a href="/epsilon/book/index.html"><a href="#main">'
        '<img src="/epsilon/_static/a.svg"><form action="/epsilon/search.html"><a href="https://x.org/y">'
        '<img src="data:image/png;base64,AA"><a href="/z">'
    )
