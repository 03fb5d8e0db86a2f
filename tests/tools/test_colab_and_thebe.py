"""The copies of chapters for places that open a notebook alone, and the scripts that are fetched."""

import json
import re
from pathlib import Path

import pytest

from tools import fetch_thebe, make_colab

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://github.com/someone/book"


def test_thebes_scripts_are_those_that_were_tested(tmp_path):
    (tmp_path / "thebe.tgz").write_bytes(b"something else")
    with pytest.raises(ValueError, match="must have the checksum"):
        fetch_thebe.unpack(tmp_path / "thebe.tgz", tmp_path / "thebe")
    assert not (tmp_path / "thebe").exists()


def test_copies_for_colab_install_the_package_and_hold_no_directive(tmp_path, monkeypatch):
    for name in ("BOOK_SITE_URL", "BOOK_REPOSITORY_URL"):
        monkeypatch.setenv(name, "")
    make_colab.main(str(tmp_path / "colab"), ADDRESS)
    chapters = sorted(file.name for file in (ROOT / "book").glob("*.ipynb"))
    assert sorted(file.name for file in (tmp_path / "colab").glob("*.ipynb")) == chapters
    for name in chapters:
        original = json.loads((ROOT / "book" / name).read_text(encoding="utf-8"))["cells"]
        first, *cells = json.loads((tmp_path / "colab" / name).read_text(encoding="utf-8"))["cells"]
        assert "https://someone.github.io/book/downloads/" in "".join(first["source"])
        assert len(cells) == len(original)
        for cell, before in zip(cells, original, strict=True):
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                assert source == "".join(before["source"])
            else:
                assert not re.search(r"^ *(:{3,}|`{3,}\{)|\{[\w:-]+\}`|^:\w+:", source, re.M), source
                assert source.count("<details>") == source.count("</details>")


def test_a_box_for_colab_is_a_title_a_fold_and_words():
    box = """::::{admonition} Predict
:class: quiz

See {ref}`chapter-3` and {ref}`this box <def-dp>` {cite:p}`dwork2006calibrating`, {py:func}`~dp_helpers.laplace`.

:::{dropdown} The answer
1. Right.
:::
::::"""
    assert [line for line in make_colab.plain(box).splitlines() if line] == [
        "**Predict**",
        "See chapter 3 and this box [dwork2006calibrating], `dp_helpers.laplace`.",
        "<details>",
        "<summary>The answer</summary>",
        "1. Right.",
        "</details>",
    ]
