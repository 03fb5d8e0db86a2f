"""The API pages have every public name once; every docstring there has an example that runs, every parameter a type."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import dp_helpers as dp

BOOK = Path(__file__).resolve().parents[2] / "book"
OVERVIEW = (BOOK / "api.md").read_text(encoding="utf-8")
# The subjects in the order of the overview, which is that of the contents.
SUBJECTS = re.findall(r"^- \{doc\}`[^<]+ </book/(api/[\w-]+)>`:", OVERVIEW, re.M)
PAGES = {name: (BOOK / f"{name}.md").read_text(encoding="utf-8") for name in SUBJECTS}
NAMES = re.findall(r"^\.\. (?:auto\w+|py:data):: (?:dp_labs\.)?(\w+)$", "\n".join(PAGES.values()), re.M)


def test_every_public_name_is_on_a_page_once():
    missing = sorted({*dp.__all__, "check"} - set(NAMES))
    assert not missing, f"add to the page of their subject in book/api/: {missing}"
    assert sorted(NAMES) == sorted([*dp.__all__, "check"])


def test_the_overview_has_the_same_names_in_the_same_order():
    assert re.findall(r"\{py:obj\}`~dp_(?:helpers|labs)\.(\w+)`", OVERVIEW) == NAMES


def test_every_subject_is_in_the_contents_and_begins_with_a_sentence():
    contents = (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    assert re.findall(r"- file: book/(api/\S+)", contents) == SUBJECTS and len(SUBJECTS) > 10
    assert sorted(SUBJECTS) == sorted(f"api/{file.stem}" for file in (BOOK / "api").glob("*.md"))
    for name, page in PAGES.items():
        assert re.match(r"# [^\n]+\n\n([^\n]+\n){1,3}\n```\{eval-rst\}\n", page), name


@pytest.mark.parametrize("name", [name for name in dp.__all__ if callable(getattr(dp, name))])
def test_every_docstring_has_an_example(name):
    documented = getattr(dp, name).__doc__ or ""
    assert re.search(r"^ *Examples\n *-{8}\n(.*\n)* *>>> ", documented, re.M), f"{name} has no Examples section"


def documented():
    """Yield name and object of every public function, class, method and property."""
    for name in dp.__all__:
        found = getattr(dp, name)
        if not callable(found) or found is dp.BudgetExceeded:
            continue
        yield pytest.param(found, id=name)
        for method in dir(found) if inspect.isclass(found) else []:
            if not method.startswith("_") and inspect.isroutine(getattr(found, method)):
                yield pytest.param(getattr(found, method), id=f"{name}.{method}")


@pytest.mark.parametrize("found", [*documented()])
def test_every_example_runs_as_it_is_copied_from_the_page(found):
    text = inspect.getdoc(found) or ""
    examples = doctest.DocTestParser().get_doctest(text, {}, found.__qualname__, None, 0)
    said = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("found", [*documented()])
def test_every_parameter_has_a_type(found):
    """But for what a page and a lab are given, which may be anything."""
    if found.__module__.startswith(("slider_figures", "dp_labs")):
        return
    given = [p for p in inspect.signature(found).parameters.values() if p.name != "self"]
    assert not [p.name for p in given if p.annotation is p.empty]
