"""The way out of Jupyter Book 1: plain Sphinx is told what Jupyter Book tells it."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What Jupyter Book sets for parts that plain Sphinx doesn't load, for other formats, or as these parts have it anyway.
NEEDLESS = {
    "comments_config", "html_baseurl", "latex_engine", "nb_execution_cache_path", "nb_execution_excludepatterns",
    "nb_execution_in_temp", "nb_output_stderr", "pygments_style", "use_jupyterbook_latex",
}  # fmt: skip
LEFT_OUT = {"jupyter_book", "sphinx_comments", "sphinx_jupyterbook_latex", "sphinx_thebe", "sphinx.ext.intersphinx"}


@pytest.fixture
def settings(monkeypatch):
    """The settings of plain Sphinx, and those of Jupyter Book."""
    jupyter_book = pytest.importorskip("jupyter_book.config")
    monkeypatch.setattr(sys, "path", [*sys.path])
    plain = runpy.run_path(str(ROOT / "conf.py"))
    given = {"latex_individualpages": False}  # as its command line gives it
    theirs, _ = jupyter_book.get_final_config(user_yaml=ROOT / "_config.yml", cli_config=given)
    return plain, theirs


def test_plain_sphinx_has_the_settings_that_jupyter_book_has(settings):
    plain, theirs = settings
    same = set(theirs) - NEEDLESS - {"extensions", "exclude_patterns", "html_theme_options"}
    assert {name: plain.get(name) for name in same} == {name: theirs[name] for name in same}
    assert set(plain["exclude_patterns"]) <= set(theirs["exclude_patterns"])
    options, their_options = plain["html_theme_options"], theirs["html_theme_options"]
    assert options.pop("launch_buttons").items() <= their_options.pop("launch_buttons").items()
    assert options.items() <= their_options.items()


def test_plain_sphinx_loads_the_same_extensions_but_jupyter_books(settings):
    plain, theirs = settings
    assert set(theirs["extensions"]) - set(plain["extensions"]) == LEFT_OUT
    assert set(plain["extensions"]) <= set(theirs["extensions"])


def test_what_plain_sphinx_needs_takes_the_place_of_one_line():
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "jupyter-book" in line] == ["jupyter-book<2"]
