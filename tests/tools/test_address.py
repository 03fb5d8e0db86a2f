"""The addresses of the repository and of the site, as far as the build can know them."""

import shutil
import subprocess

import pytest

from tools.book_site import address

NAMES = ("BOOK_SITE_URL", "BOOK_REPOSITORY_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL")
WHICH = shutil.which  # before the tests hide it
PUBLIC = "https://example.org/books/epsilon/"


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch):
    """Let nothing around the test say an address: no variable, no git."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(address.shutil, "which", lambda name: None)


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
    assert address.repository_url() == url


def test_githubs_variables_are_used(monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/book")
    assert address.repository_url() == "https://github.com/someone/book"


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
    monkeypatch.setattr(address, "repository_url", lambda: repository)
    assert address.site_url() == site


def test_a_site_of_its_own_comes_first(monkeypatch):
    monkeypatch.setattr(address, "repository_url", lambda: "https://github.com/someone/book")
    monkeypatch.setenv("BOOK_SITE_URL", PUBLIC.rstrip("/"))
    assert address.site_url() == PUBLIC


@pytest.mark.parametrize("url", ["example.org/book", "ftp://example.org/", 'https://example.org/"><script>'])
def test_an_address_that_is_none_is_refused(url, monkeypatch):
    monkeypatch.setenv("BOOK_SITE_URL", url)
    with pytest.raises(ValueError, match="BOOK_SITE_URL must be an address"):
        address.site_url()


@pytest.fixture
def outer_repository(tmp_path, monkeypatch):
    """Return a repository of somebody else, with an address, in whose folder ``book`` a copy of ours was unpacked."""
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "https://github.com/someuni/course"], check=True)
    (tmp_path / "book").mkdir()
    monkeypatch.setattr(address.shutil, "which", WHICH)
    return tmp_path


def test_a_copy_inside_another_repository_does_not_take_its_address(outer_repository, monkeypatch):
    monkeypatch.setattr(address, "ROOT", outer_repository / "book")
    assert address.repository_url() == ""
    assert address.site_url() == ""


def test_the_books_own_repository_gives_its_address(outer_repository, monkeypatch):
    monkeypatch.setattr(address, "ROOT", outer_repository)
    assert address.repository_url() == "https://github.com/someuni/course"


def test_a_folder_outside_of_any_repository_has_no_address(tmp_path, monkeypatch):
    monkeypatch.setattr(address.shutil, "which", WHICH)
    monkeypatch.setattr(address, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert address.repository_url() == ""
