"""What others find of the site: descriptions, addresses, cards, old links, and the page for links that lead nowhere."""

import re
from xml.etree import ElementTree

import pytest
import small_site
from PIL import Image
from site_pages import PAGES, ROOT, SITE

ADDRESSES = ("BOOK_SITE_URL", "BOOK_REPOSITORY_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL")
PUBLIC = "https://example.org/books/epsilon/"


@pytest.fixture
def site_meta(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import site_meta

    for name in ADDRESSES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(site_meta, "repository_url", lambda: "")
    return site_meta


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        ("https://github.com/Someone/book", "https://someone.github.io/book/"),
        ("https://github.com/someone/Someone.github.io", "https://someone.github.io/"),
        ("https://gitlab.com/someone/book", ""),
        ("", ""),
    ],
)
def test_the_address_follows_the_repository(repository, site, site_meta, monkeypatch):
    monkeypatch.setattr(site_meta, "repository_url", lambda: repository)
    assert site_meta.site_url() == site


def test_an_address_of_its_own_comes_first(site_meta, monkeypatch):
    monkeypatch.setattr(site_meta, "repository_url", lambda: "https://github.com/someone/book")
    monkeypatch.setenv("BOOK_SITE_URL", PUBLIC.rstrip("/"))
    assert site_meta.site_url() == PUBLIC


@pytest.mark.parametrize("url", ["example.org/book", "ftp://example.org/", 'https://example.org/"><script>'])
def test_an_address_that_is_none_is_refused(url, site_meta, monkeypatch):
    monkeypatch.setenv("BOOK_SITE_URL", url)
    with pytest.raises(ValueError, match="BOOK_SITE_URL must be an address"):
        site_meta.site_url()


def test_redirects_are_read_line_by_line(site_meta):
    assert site_meta.read_redirects("# moved\n\nold/page   new/page\nindex book/index\n") == [
        ("old/page", "new/page"),
        ("index", "book/index"),
    ]


@pytest.mark.parametrize("line", ["only-one", "a b c", "old.html new", "/old new", "old new#part"])
def test_a_redirect_that_is_none_is_refused(line, site_meta):
    with pytest.raises(ValueError, match=re.escape(line)):
        site_meta.read_redirects(line)


def test_links_of_the_404_page_hold_at_any_depth(site_meta):
    html = '<html data-content_root="./"><a href="book/index.html"><a href="#main"><img src="./_static/a.svg">'
    html += '<form action="search.html"><a href="https://x.org/y"><img src="data:image/png;base64,AA"><a href="/z">'
    assert site_meta.from_root(html, "/epsilon/") == (
        '<html data-content_root="/epsilon/"><a href="/epsilon/book/index.html"><a href="#main">'
        '<img src="/epsilon/_static/a.svg"><form action="/epsilon/search.html"><a href="https://x.org/y">'
        '<img src="data:image/png;base64,AA"><a href="/z">'
    )


def content(html, name):
    """Return the content of the page's one meta tag of this name."""
    (found,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)"', html)
    return found


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    return small_site.build(tmp_path_factory.mktemp("public"), BOOK_SITE_URL=PUBLIC)


def test_a_public_page_says_where_it_is_and_shows_a_card(public):
    page = small_site.PAGES[0]
    html = (public / f"{page}.html").read_text(encoding="utf-8")
    assert re.findall('<link rel="canonical" href="([^"]*)"', html) == [f"{PUBLIC}{page}.html"]
    assert content(html, "og:url") == f"{PUBLIC}{page}.html"
    assert content(html, "og:site_name") == "Sliding Epsilon"
    assert content(html, "og:title").endswith("Differential privacy")
    assert content(html, "og:description") == content(html, "description")
    assert content(html, "twitter:card") == "summary_large_image"
    image = content(html, "og:image")
    assert image.startswith(PUBLIC)
    with Image.open(public / image.removeprefix(PUBLIC)) as card:
        assert card.size == (int(content(html, "og:image:width")), int(content(html, "og:image:height")))


def test_the_bare_address_shows_the_front_pages_card(public):
    door, front = ((public / f"{page}.html").read_text(encoding="utf-8") for page in ("index", small_site.PAGES[0]))
    assert 'content="noindex"' not in door
    assert re.findall("<title>(.*)</title>", door) == re.findall("<title>(.*)</title>", front)
    assert re.findall('<link rel="canonical" href="([^"]*)"', door) == [f"{PUBLIC}{small_site.PAGES[0]}.html"]
    for name in ("description", "og:url", "og:title", "og:image", "twitter:card"):
        assert content(door, name) == content(front, name)


def test_the_front_page_does_not_say_its_name_twice():
    html = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    assert re.findall("<title>(.*)</title>", html) == [
        "Sliding Epsilon &#8212; the book on differential privacy that runs"
    ]


def test_the_sitemap_lists_the_pages_and_no_others(public):
    places = {element.text for element in ElementTree.parse(public / "sitemap.xml").findall(".//{*}loc")}
    assert places == {f"{PUBLIC}{page}.html" for page in small_site.PAGES}
    assert f"Sitemap: {PUBLIC}sitemap.xml" in (public / "robots.txt").read_text(encoding="utf-8")


def test_the_404_page_knows_its_folder(public):
    html = (public / "404.html").read_text(encoding="utf-8")
    links = re.findall(r'\b(?:href|src|action)="([^"#]+)"', html)
    assert len(links) > 20
    assert not [
        link for link in links if not link.startswith(("/books/epsilon/", PUBLIC))
    ]  # PUBLIC: its canonical address


@pytest.mark.parametrize("name", PAGES)
def test_each_page_describes_itself_in_a_sentence_of_its_own(name):
    pages = {page: (SITE / f"{page}.html").read_text(encoding="utf-8") for page in PAGES}
    description = content(pages[name], "description")
    assert 40 <= len(description) <= 320
    assert description[-1] in ".?!:"
    assert sum(content(html, "description") == description for html in pages.values()) == 1


def test_pages_have_an_address_where_the_site_has_one_and_none_where_it_has_not():
    public = (SITE / "sitemap.xml").exists()
    assert ("Sitemap" in (SITE / "robots.txt").read_text(encoding="utf-8")) == public
    for page in PAGES:
        html = (SITE / f"{page}.html").read_text(encoding="utf-8")
        assert ('rel="canonical"' in html) == ("og:url" in html) == ("og:image" in html) == public


@pytest.mark.parametrize("name", ["search", "genindex", "404"])
def test_pages_that_nobody_looks_for_are_not_listed(name):
    assert content((SITE / f"{name}.html").read_text(encoding="utf-8"), "robots") == "noindex"
