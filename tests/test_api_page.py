"""The API page has every public name once; every docstring there has an example that runs, every parameter a type."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import dp_helpers as dp

PAGE = (Path(__file__).resolve().parents[1] / "book" / "api.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", PAGE, re.M)


def test_every_public_name_is_on_the_page_once():
    missing = sorted(set(dp.__all__) - set(NAMES))
    assert not missing, f"add to book/api.md, in the section of their module: {missing}"
    assert sorted(NAMES) == sorted(dp.__all__)


def test_the_list_at_the_top_has_the_same_names_in_the_same_order():
    assert re.findall(r"\{py:obj\}`~dp_helpers\.(\w+)`", PAGE) == NAMES


def test_every_section_begins_with_a_sentence():
    sections = re.split(r"^## ", PAGE, flags=re.M)[1:]
    assert len(sections) > 10
    for section in sections:
        assert re.match(r"[^\n]+\n\n([^\n]+\n){1,3}\n```\{eval-rst\}\n", section), section.splitlines()[0]


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
    if found.__module__.startswith(("dp_helpers.page", "dp_helpers.labs")):
        return
    given = [p for p in inspect.signature(found).parameters.values() if p.name != "self"]
    assert not [p.name for p in given if p.annotation is p.empty]
