"""The site's build: the repository's address, and when executed pages are stale."""

import importlib.util
import json
import os
import subprocess
import sys
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


def test_notebooks_run_without_a_word_of_warning(tmp_path):
    cell = {"cell_type": "code", "id": "one", "source": "6 * 7", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "one.ipynb").write_text(json.dumps(notebook))
    command = [sys.executable, ROOT / "tools" / "run_notebooks.py", tmp_path / "one.ipynb"]
    environment = {name: value for name, value in os.environ.items() if name != "DP_CENSUS"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == ""
    assert json.loads((tmp_path / "one.ipynb").read_text())["cells"][0]["outputs"][0]["data"] == {"text/plain": ["42"]}
