"""What a page's outputs depend on: which pages a change executes again."""

import inspect
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import dp_helpers as dp
from tools.book_site import state
from tools.book_site.state import Reach

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = 'def noise():\n    """Draw."""\n    return 1\n'
LABS = """
from .judging import NotYet, NumberLab

def lab_1(answer):
    if answer != 3:
        raise NotYet("think of the noise")
    return "Three it is."

lab_2 = NumberLab(5, "Five.", mistakes={4: "one too few."})
"""
JUDGING = 'TOLERANCE = 1\nCOLUMN = "Hours per week"\nCLOSE = "close: give three digits."\n'


PAGES = {
    "03-one": "import dp_helpers as dp\nfrom dp_labs import check\ndp.noise()",
    "04-two": "import dp_helpers as dp\nfrom dp_labs import check\ndp.noise()\ndp.load()",
    "census": "import dp_helpers as dp\ndp.noise()\ndp.drawing.canvas()",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A package with labs, data and pins; ``tree(file, text)`` writes one, ``tree.states()`` says what is stale."""
    monkeypatch.delenv("DP_CENSUS", raising=False)
    monkeypatch.setattr(state, "LIBRARIES", ["numpy", "scipy"])  # to ask for all of them takes long

    def write(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def states():
        state_of = state.PageStates(tmp_path)
        return [state_of(f"book/{name}", text) for name, text in PAGES.items()]

    write.states = states
    write("dp_helpers/__init__.py", "from dp_helpers.mechanisms import noise\nfrom dp_helpers.runs import load\n")
    write("dp_helpers/mechanisms.py", MECHANISMS)
    write(
        "dp_helpers/runs.py", 'FOLDER = "runs"\n\ndef load():\n    from dp_helpers import checks\n    return FOLDER\n'
    )
    write("dp_helpers/checks.py", "LIMIT = 1\n")
    write("dp_helpers/drawing.py", "WIDTH = 4.8\n")
    write("dp_labs/__init__.py", "from .judging import TOLERANCE\n\ndef check():\n    return TOLERANCE\n")
    write("dp_labs/judging.py", JUDGING)
    write("dp_labs/chapter_03.py", LABS)
    write("dp_labs/chapter_04.py", LABS)
    write("dp_helpers/data/runs/runs.csv", "accuracy\n0.8\n")
    write("requirements.txt", "numpy==2.4.6\n")
    return write


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("dp_helpers/mechanisms.py", MECHANISMS.replace("Draw.", "Draw noise.")),
        ("dp_helpers/mechanisms.py", "# why\n" + MECHANISMS),
        ("dp_labs/chapter_03.py", LABS.replace("think of the noise", "think again")),
        ("dp_labs/chapter_03.py", LABS.replace("one too few", "count again")),
        ("dp_labs/judging.py", JUDGING.replace("three digits", "two digits")),
        ("requirements.txt", "numpy==2.5.0\n"),  # what is installed counts, not what is asked for
        ("dp_helpers/data/README.md", "where it comes from"),
        ("book/_static/book.css", "p { color: red }"),
        ("slider_figures/static/explore.js", "move()"),
    ],
)
def test_words_execute_nothing_again(file, text, tree):
    before = tree.states()
    tree(file, text)
    assert tree.states() == before


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("dp_helpers/mechanisms.py", MECHANISMS.replace("1", "2")),
        ("dp_helpers/style.mplstyle", "axes.grid: True"),  # no module says that it reads it
    ],
)
def test_what_every_page_uses_executes_every_page(file, text, tree):
    before = tree.states()
    tree(file, text)
    assert not [one for one, other in zip(before, tree.states(), strict=True) if one == other]


@pytest.mark.parametrize(
    ("file", "text", "stale"),
    [
        ("dp_labs/judging.py", JUDGING.replace("= 1", "= 2"), ["03-one", "04-two"]),
        ("dp_labs/judging.py", JUDGING.replace("Hours per", "Hours a"), ["03-one", "04-two"]),
        ("dp_helpers/runs.py", 'FOLDER = "runs"\n\ndef load():\n    return FOLDER * 2\n', ["04-two"]),
        ("dp_helpers/checks.py", "LIMIT = 2\n", ["04-two"]),  # imported where it is used
        ("dp_helpers/data/runs/runs.csv", "accuracy\n0.9\n", ["04-two"]),  # a module names its folder
        ("dp_helpers/drawing.py", "WIDTH = 5\n", ["census"]),  # loaded late
        ("dp_helpers/nobodys.py", "x = 1\n", []),
    ],
)
def test_a_change_executes_the_pages_that_reach_it_and_no_others(file, text, stale, tree):
    before = tree.states()
    tree(file, text)
    changed = [name for name, old, new in zip(PAGES, before, tree.states(), strict=True) if old != new]
    assert changed == stale


@pytest.mark.parametrize("reads", ['Path("../tools/counts.json")', 'Path().glob("[0-9][0-9]-*.ipynb")'])
@pytest.mark.parametrize("notebook", [True, False])
def test_a_page_that_reads_files_is_executed_again_for_what_they_say(reads, notebook, tree, tmp_path):
    def state_of():
        return state.PageStates(tmp_path)("book/lecturers", json.dumps(reads) if notebook else reads)

    files = {"tools/counts.json", "book/03-one.ipynb"}
    for file in files:
        tree(file, "1")
    before = [state_of(), *tree.states()]
    for file in files:
        tree(file, "2")
    first, *others = [state_of(), *tree.states()]
    assert first != before[0] and others == before[1:]


def test_what_all_labs_share_reaches_no_query_or_mechanism():
    """One import there would execute all chapters after each line that is added to the module it names."""
    reached = Reach(ROOT).from_page("", ROOT / "dp_labs" / "answers.py")
    assert [file.name for file in reached if file.suffix == ".py"] == ["answers.py"]


def test_all_pages_reach_what_they_import():
    """By the packages themselves: each module that Python has loaded for a page's names is in what the page reaches."""
    reach = Reach(ROOT)
    for name in ("laplace_mechanism", "dp_sgd", "MarginalTree", "UnaryEncoding", "explore", "load_census"):
        thing = getattr(dp, name)
        reached = reach.from_page(f"dp.{name}", None)
        assert Path(inspect.getfile(thing)) in reached, name
        shared = "slider_figures/frames.py" if name == "explore" else "dp_helpers/validation.py"
        assert ROOT / shared in reached, name
        assert len(reached) < len(reach.modules) / 2, name


@pytest.mark.parametrize(
    "change", [("3:", "4:"), ("Three it is.", "Three it was."), ("Three it is.", "Three."), ("(5,", "(6,")]
)
def test_a_lab_that_judges_or_praises_otherwise_executes_its_chapter_alone(change, tree):
    before = tree.states()
    tree("dp_labs/chapter_03.py", LABS.replace(*change))
    assert [one == other for one, other in zip(before, tree.states(), strict=True)] == [False, True, True]


def test_another_census_executes_every_page(tree, monkeypatch):
    before = tree.states()
    monkeypatch.setenv("DP_CENSUS", "/data/adult.data")
    assert not set(before) & set(tree.states())


def test_another_python_executes_every_page(tree, monkeypatch):
    before = tree.states()
    monkeypatch.setattr(state, "sys", SimpleNamespace(version_info=(3, 99, 0)))
    assert not set(before) & set(tree.states())


def test_another_version_of_a_library_executes_every_page(tree, monkeypatch):
    before = tree.states()
    version = state.version
    monkeypatch.setattr(state, "version", lambda name: "99" if name == "scipy" else version(name))
    assert not set(before) & set(tree.states())
