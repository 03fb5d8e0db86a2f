"""What others find of the built site: a description for each page, and no address where it has none."""

import re

import nbformat
import pytest
from site_pages import CHAPTERS, PAGES, ROOT, SITE, content


def test_the_front_page_does_not_say_its_name_twice():
    html = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    assert re.findall("<title>(.*)</title>", html) == [
        "Sliding Epsilon &#8212; the book on differential privacy that runs"
    ]


def test_each_page_describes_itself_in_a_sentence_of_its_own():
    said = {page: content((SITE / f"{page}.html").read_text(encoding="utf-8"), "description") for page in PAGES}
    assert not {page: text for page, text in said.items() if not 40 <= len(text) <= 320 or text[-1] not in ".?!:"}
    assert len(set(said.values())) == len(PAGES)


def test_pages_have_an_address_where_the_site_has_one_and_none_where_it_has_not():
    public = (SITE / "sitemap.xml").exists()
    assert ("Sitemap" in (SITE / "robots.txt").read_text(encoding="utf-8")) == public
    for page in PAGES:
        html = (SITE / f"{page}.html").read_text(encoding="utf-8")
        assert ('rel="canonical"' in html) == ("og:url" in html) == ("og:image" in html) == public


WHERE = r"Chapter {} of {} of <a href=\"index.html\">Sliding Epsilon</a>, on differential privacy"
WHERE += r" · (.+?) · new here\? <a href=\"ten-minutes.html\">Ten minutes</a></p>"


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_says_what_the_book_is_about_and_which_chapter_it_is(page):
    """In its title, its description, and its first line."""
    number = int(page.split("/")[1][:2])
    html = (SITE / f"{page}.html").read_text(encoding="utf-8")
    assert re.search(rf"<title>{number}\. .+ &#8212; Sliding Epsilon, a book on differential privacy</title>", html)
    said = f"Differential privacy, chapter {number} of {len(CHAPTERS)}. "
    assert content(html, "description").startswith(said)
    line = re.search(f'</h1>\n<p class="whereabouts noprint">{WHERE.format(number, len(CHAPTERS))}', html)
    needed = [int(one) for one in re.findall(r'<a href="\d\d-[\w-]+\.html">(\d+)</a>', line[1])]
    prose = "\n\n".join(cell.source for cell in nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells)
    before = re.search(r"^## Before you start$(.*?)(?=^## )", prose, re.S | re.M)[1]
    assert needed == sorted({int(one) for one in re.findall(r"\{ref\}`chapter-(\d+)`", before)})
    assert needed or line[1] == "needs no other chapter"


@pytest.mark.parametrize("name", ["search", "genindex", "404"])
def test_pages_that_nobody_looks_for_are_not_listed(name):
    assert content((SITE / f"{name}.html").read_text(encoding="utf-8"), "robots") == "noindex"


def test_each_row_of_the_sources_links_to_its_section():
    html = (SITE / "book" / "sources.html").read_text(encoding="utf-8")
    rows = [re.findall("<td>(.*?)</td>", row, re.S) for row in re.findall("<tr.*?</tr>", html, re.S)]
    links = [re.search(r'href="([^#"]+\.html)#([^"]+)"', row[2]) for row in rows if row]
    assert len(links) > 100 and all(links)
    for page, name in {link.groups() for link in links}:
        assert f'id="{name}"' in (SITE / "book" / page).read_text(encoding="utf-8"), (page, name)
