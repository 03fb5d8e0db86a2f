"""The built site, page by page, in a browser that can reach no other host."""

import re
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGES = sorted(page.relative_to(SITE).as_posix() for page in (SITE / "book").glob("*.html"))
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d-", page)]


def test_the_site_is_built():
    assert "book/index.html" in PAGES, "build it first: make book"
    assert len(CHAPTERS) >= 3
