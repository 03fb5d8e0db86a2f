"""The API page has every public name once, and every docstring there ends in an example."""

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
