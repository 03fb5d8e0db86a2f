"""Figures: letters of one size, a front page that is played without scrolling, live ones that keep still."""

import base64
import json
import re
import zlib

import pytest
from chapters.chapter_notebook import BOOK
from site_pages import CHAPTERS, SITE
from thorough import sample

HYPHEN = re.compile(r"(?<![\w.,)])-(?=\d)")


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_picture_has_letters_of_a_size_of_its_own(name):
    """So the style file says how large they are, as the looks at each page take for granted."""
    cells = json.loads((BOOK.parent / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [line for cell in cells if cell["cell_type"] == "code" for line in cell["source"]]
    assert not [line for line in code if re.search(r"font_?size|(label|title)size|set_size\(|textscale", line)]


def test_numbers_below_zero_have_a_minus_sign():
    """In what is drawn, said of it or written below it; the numbers that wait for a reader hold texts, too."""
    texts = {name: (SITE / f"{name}.html").read_text("utf-8") for name in CHAPTERS}
    found = {
        name: re.findall(r'<text[^>]*>([^<]*)|aria-label="([^"]*)"|alt="([^"]*)"|<figcaption[^>]*>([^<]*)', html)
        for name, html in texts.items()
    }
    for file in (SITE / "_static" / "figures").glob("*.js"):
        packed = re.search('numbers="([^"]+)"', file.read_text("utf-8"))[1]
        groups = json.loads(zlib.decompress(base64.b64decode(packed)))["groups"]
        found[file.stem] = [texts for group in groups for _, name, texts in group["choices"] if not name]
    assert len(found) > 70
    assert not [(name, text) for name, all_ in found.items() for some in all_ for text in some if HYPHEN.search(text)]


# What of the front page's first things is not wholly in the window.
OUTSIDE = """() => {
  const game = ".sf-play :is(input, button:not(.figure-link), svg, [role=status])";
  const parts = ["article h1", "article h1 + p", ".front-buttons a", game];
  const seen = parts.flatMap((part) => [...document.querySelectorAll(part)]).filter((one) => one.checkVisibility());
  return [seen.length, seen.filter((one) => {
    const { top, right, bottom, left } = one.getBoundingClientRect();
    return !(right > left && bottom > top && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight);
  }).map((one) => one.outerHTML)];
}"""


@pytest.mark.parametrize(("width", "height"), [(1366, 657), (360, 640)])
def test_the_front_page_plays_without_scrolling(visit, width, height):
    page = visit("book/index", width=width, height=height)
    game = page.locator(".sf-play")
    for key in ("End", "Home"):
        game.get_by_label("ε").press(key)
        game.get_by_role("button", name="Publish again").click()
        seen, outside = page.evaluate(OUTSIDE)
        assert seen >= 10 and not outside
    assert page.evaluate("scrollY") == 0


PLAYED = {"book/index": "Publish again"} | dict(
    zip((CHAPTERS[i] for i in (2, 9, 12)), ("Play 10,000", "Until it", "200 surveys"), strict=True)
)
CUT_LABELS = """() => [...document.querySelectorAll(".sf-play-stage svg text")].filter((label) => {
  const [inner, outer] = [label, label.closest("svg")].map((one) => one.getBoundingClientRect());
  return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
}).map((label) => label.textContent)"""


@pytest.mark.parametrize(("name", "width"), sample([(name, w) for name in PLAYED for w in (1280, 360)], every=2))
def test_a_live_figure_cuts_no_label_and_never_moves_by_itself(name, width, visit):
    """Where motion is unwanted, what a button draws is there at once, and then stands still."""
    page = visit(name, width=width, reduced_motion="reduce")
    figure = page.locator(".sf-play")
    still = figure.inner_html()
    figure.get_by_role("button", name=PLAYED[name]).click()
    pictures = page.evaluate(
        """async () => {
          const seen = [];
          for (let i = 0; i < 30; i++) {
            seen.push(document.querySelector(".sf-play").innerHTML);
            await new Promise(requestAnimationFrame);
          }
          return seen;
        }"""
    )
    assert set(pictures) == {pictures[0]} != {still}
    assert not page.evaluate("document.getAnimations().length")
    assert not page.evaluate(CUT_LABELS)
