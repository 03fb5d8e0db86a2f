"""Where the repository and the site are, as far as the build can know; old links, and links that lead nowhere."""

import shutil
import subprocess

import pytest

from tools.book_site import meta

NAMES = ("BOOK_SITE_URL", "BOOK_REPOSITORY_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL")
WHICH = shutil.which  # before the tests hide it
PUBLIC = "https://example.org/books/epsilon/"


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch):
    """Let nothing around the test say an address: no variable, no git."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(meta.shutil, "which", lambda name: None)


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://github.com/someone/book", "https://github.com/someone/book"),
        ("https://github.com/someone/book.git", "https://github.com/someone/book"),
        ("git@github.com:someone/book.git", "https://github.com/someone/book"),
        ("https://token:secret@github.com/someone/book", "https://github.com/someone/book"),
        ("http://github.com/someone/book", ""),
        ("https://localhost/someone/book", ""),
        ("https://10.0.0.7/someone/book", ""),
        ("/srv/git/book.git", ""),
        ("", ""),
    ],
)
def test_only_a_public_https_address_is_used(given, url, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", given)
    assert meta.repository_url() == url


def test_githubs_variables_are_used(monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/book")
    assert meta.repository_url() == "https://github.com/someone/book"


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        ("https://github.com/Someone/book", "https://someone.github.io/book/"),
        ("https://github.com/someone/Someone.github.io", "https://someone.github.io/"),
        ("https://gitlab.com/someone/book", ""),
        ("", ""),
    ],
)
def test_the_site_follows_the_repository(repository, site, monkeypatch):
    monkeypatch.setattr(meta, "repository_url", lambda: repository)
    assert meta.site_url() == site


def test_a_site_of_its_own_comes_first(monkeypatch):
    monkeypatch.setattr(meta, "repository_url", lambda: "https://github.com/someone/book")
    monkeypatch.setenv("BOOK_SITE_URL", PUBLIC.rstrip("/"))
    assert meta.site_url() == PUBLIC


@pytest.mark.parametrize("url", ["example.org/book", "ftp://example.org/", 'https://example.org/"><script>'])
def test_an_address_that_is_none_is_refused(url, monkeypatch):
    monkeypatch.setenv("BOOK_SITE_URL", url)
    with pytest.raises(ValueError, match="BOOK_SITE_URL must be an address"):
        meta.site_url()


@pytest.fixture
def outer_repository(tmp_path, monkeypatch):
    """Return a repository of somebody else, with an address, in whose folder ``book`` a copy of ours was unpacked."""
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "https://github.com/someuni/course"], check=True)
    (tmp_path / "book").mkdir()
    monkeypatch.setattr(meta.shutil, "which", WHICH)
    return tmp_path


def test_a_copy_inside_another_repository_does_not_take_its_address(outer_repository, monkeypatch):
    monkeypatch.setattr(meta, "ROOT", outer_repository / "book")
    assert meta.repository_url() == ""
    assert meta.site_url() == ""


def test_the_books_own_repository_gives_its_address(outer_repository, monkeypatch):
    monkeypatch.setattr(meta, "ROOT", outer_repository)
    assert meta.repository_url() == "https://github.com/someuni/course"


def test_a_folder_outside_of_any_repository_has_no_address(tmp_path, monkeypatch):
    monkeypatch.setattr(meta.shutil, "which", WHICH)
    monkeypatch.setattr(meta, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert meta.repository_url() == ""


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
