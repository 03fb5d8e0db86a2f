"""The site's build: where launch buttons point, and when executed pages are stale."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def site_build(monkeypatch):
    for name in ("BOOK_REPOSITORY_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL", "DP_CENSUS"):
        monkeypatch.delenv(name, raising=False)
    spec = importlib.util.spec_from_file_location("site_build", ROOT / "tools" / "site_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)  # no git, hence no origin
    return module


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
def test_only_a_public_https_address_is_used(given, url, site_build, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", given)
    assert site_build.repository_url() == url


def test_githubs_variables_are_used(site_build, monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/book")
    assert site_build.repository_url() == "https://github.com/someone/book"


def test_without_an_address_there_is_no_launch_button(site_build):
    config = SimpleNamespace(html_theme_options={"launch_buttons": {"binderhub_url": "x", "thebe": True}})
    site_build.set_repository(None, config)
    assert config.html_theme_options["launch_buttons"] == {"thebe": False}
    assert not config.html_theme_options["use_repository_button"]


def test_with_an_address_the_launch_buttons_point_there(site_build, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", "https://github.com/someone/book")
    config = SimpleNamespace(html_theme_options={"launch_buttons": {"binderhub_url": "x", "thebe": True}})
    site_build.set_repository(None, config)
    assert config.html_theme_options["repository_url"] == "https://github.com/someone/book"
    assert config.html_theme_options["launch_buttons"]["thebe"]


def test_executed_pages_are_kept_only_while_package_and_data_are_the_same(site_build, monkeypatch, tmp_path):
    package = tmp_path / "dp_helpers"
    package.mkdir()
    (package / "mechanisms.py").write_text("noise = 1")
    (tmp_path / "requirements.txt").write_text("numpy==2.4.6")
    monkeypatch.setattr(site_build, "ROOT", tmp_path)

    def cache():
        config = SimpleNamespace()
        site_build.set_execution_cache(SimpleNamespace(outdir=tmp_path / "_build" / "html"), config)
        path = Path(config.nb_execution_cache_path)
        path.mkdir(parents=True, exist_ok=True)
        return path

    first = cache()
    assert cache() == first
    (package / "mechanisms.py").write_text("noise = 2")
    second = cache()
    assert second != first and not first.exists()
    (tmp_path / "book" / "data").mkdir(parents=True)
    (tmp_path / "book" / "data" / "runs.csv").write_text("accuracy\n0.8\n")
    third = cache()
    assert third not in (first, second)
    monkeypatch.setenv("DP_CENSUS", "/data/adult.data")
    assert cache() != third
