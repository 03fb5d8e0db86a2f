"""The numbers of "Why you can believe this book" are those of what is tested; lists name what a page has."""

import importlib
import sys

from docutils import nodes

from dp_helpers.broken import BROKEN_MECHANISMS
from tools.book_site import overviews
from tools.book_site.meta import ROOT


def test_the_labs_answers_are_counted_as_their_tests_have_them(monkeypatch):
    """Counted without running them; a list that is made when it runs counts as nothing, so that none is made up."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "labs")
    modules = [importlib.import_module(path.stem) for path in sorted((ROOT / "tests" / "labs").glob("chapter_*.py"))]
    right, wrong = overviews.lab_answers(ROOT)
    assert len(modules) > 20 and right > 200 and wrong > 500
    assert right <= sum(len(answers) for module in modules for answers in module.RIGHT.values())
    assert wrong <= sum(len(answers) for module in modules for answers in module.WRONG.values())
    for module in modules:
        sys.modules.pop(module.__name__)


def test_each_kind_of_test_is_there_and_in_its_place():
    found = overviews.evidence()
    assert all(number > 20 for number, _, _ in found)
    assert any(number > len(BROKEN_MECHANISMS) and "broken" in what for number, what, _ in found)
    places = [where.strip("`") for _, _, where in found]
    assert all((ROOT / place).exists() for place in places)
    assert all(path.is_file() for path in overviews.counted())


def test_a_figure_that_moves_is_listed_by_its_captions_first_sentence():
    moving = (
        '<figure class="sf-explore sf-play" data-play="x" id="fig-x"><figcaption id="c">A &lt; b. More.</figcaption>'
    )
    page = nodes.section("", nodes.raw("", moving, format="html"), nodes.raw("", "<p>no figure</p>", format="html"))
    assert list(overviews.figure_lines(None, page)) == [("fig-x", "A < b.", " It moves.")]


def test_a_caption_is_one_sentence():
    assert overviews.first_sentence("What ε = 0.5 does.\nMore of it.") == "What ε = 0.5 does."
    assert overviews.first_sentence("A question? An answer.") == "A question?"
