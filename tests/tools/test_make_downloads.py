"""The first cell of a chapter that is opened alone: it installs the package, and leaves a learner's files alone."""

import importlib.util
import re

import pytest

from tools import make_downloads

SITE = "https://example.org/book/"
WHEEL = make_downloads.wheel_name()


def run(cell, monkeypatch, *, installed):
    """Run the cell as IPython would; return what pip is told to install."""
    asked = []
    code = re.sub(r"%pip install -q \{(\w+)\}", r"asked.append(\1)", cell)
    assert "%" not in code and code != cell
    find = importlib.util.find_spec
    there = find("json") if installed else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: there if name == "dp_labs" else find(name))
    exec(code, {"asked": asked})
    return asked


@pytest.fixture
def learners_folder(tmp_path, monkeypatch):
    """Return a folder in which a learner has a chapter, a folder of data, and an older download of the book."""
    monkeypatch.chdir(tmp_path)
    for name in ("03-differential-privacy.ipynb", "data/mine.csv", "sliding-epsilon/03-differential-privacy.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("my own work")
    return tmp_path


@pytest.mark.parametrize("site", [SITE, ""])
def test_nothing_of_the_learners_is_changed_and_nothing_is_written(learners_folder, site, monkeypatch):
    before = {path: path.is_file() and path.read_bytes() for path in learners_folder.rglob("*")}
    asked = run(make_downloads.first_cell(site), monkeypatch, installed=False)
    assert asked == [f"{SITE}downloads/{WHEEL}" if site else WHEEL]
    assert {path: path.is_file() and path.read_bytes() for path in learners_folder.rglob("*")} == before
    assert not re.search(r"extract|urlretrieve|open\(|%cd", make_downloads.first_cell(site))


@pytest.mark.parametrize("site", [SITE, ""])
def test_the_wheel_beside_the_chapter_comes_first(learners_folder, site, monkeypatch):
    (learners_folder / WHEEL).touch()
    assert run(make_downloads.first_cell(site), monkeypatch, installed=False) == [WHEEL]


def test_what_is_installed_is_left_alone(learners_folder, monkeypatch):
    assert run(make_downloads.first_cell(SITE), monkeypatch, installed=True) == []


def test_what_the_zip_file_installs_lies_in_it():
    needed = make_downloads.requirements().splitlines()
    assert f"./{WHEEL}" in needed and not any(line.startswith("-e") for line in needed)
