"""What each page is on its way to a phone: its text, the style sheet with its fonts, the scripts.

`looks.it_is_light` counts what a browser asks for; this counts what the page names, of every page.
"""

import re

import looks
import pytest
from site_pages import PAGES, SITE


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light(name):
    page = SITE / f"{name}.html"
    html = page.read_text(encoding="utf-8")
    sheet = SITE / "_static" / "styles" / "site.css"
    scripts = {page.parent / address for address in re.findall(r'<script[^>]*\bsrc="([^"?:]+)', html)}
    assert 3 < len(scripts) < 16
    fonts = ["fa-solid-900.woff", *(["MathJax_Main-Regular.woff", "MathJax_Math-Italic.woff"] * ("<mjx-c" in html))]
    files = [page, sheet, *scripts, *(sheet.parent / font for font in fonts)]
    assert sum(map(looks.weight, files)) < looks.most(name)
