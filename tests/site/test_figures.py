"""Figures of all pages: whole in a laptop's window, with their sliders, and readable there and on a phone."""

import json
import re

import matplotlib as mpl
import pytest
from chapters.chapter_notebook import BOOK
from site_pages import CHAPTERS, ROOT

FIGURES = ["book/index", *CHAPTERS]
STYLE = ROOT / "dp_helpers" / "page" / "sliding_epsilon.mplstyle"
LEAST = 9  # pixels
UNFOLD = "document.querySelectorAll('article details').forEach((one) => (one.open = true))"
WAIT = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What is taller than the window below the page's header: pictures, and figures from their sliders on.
TALL = """() => {
  const room = innerHeight - document.querySelector(".bd-header-article").offsetHeight;
  const parts = [...document.querySelectorAll("article .cell_output img")].map((image) => [image, image.clientHeight]);
  for (const figure of document.querySelectorAll(".dp-explore")) {
    const [top, end] = [figure, figure.querySelector("figcaption")].map((one) => one.getBoundingClientRect().top);
    parts.push([figure, end - top]);
  }
  return parts.filter(([, height]) => height > room).map(([one, height]) => [one.alt ?? one.textContent, height]);
}"""
# The labels of the figures that move, with their heights in pixels; a formula counts as high as it begins.
LABELS = """() => [...document.querySelectorAll(".dp-explore svg text")]
  .filter((label) => label.textContent.trim() && label.checkVisibility())
  .map((label) => {
    const [matrix, style] = [label.getScreenCTM(), getComputedStyle(label.querySelector("tspan") ?? label)];
    return [label.textContent, parseFloat(style.fontSize) * Math.hypot(matrix.a, matrix.b)];
  })"""
# For each still picture, how many pixels of the page one of its own is wide.
SCALES = """() => [...document.querySelectorAll("article .cell_output img")]
  .map((image) => [image.alt, image.clientWidth / image.getAttribute("width")])"""


def low_labels(page):
    return [label for label in page.evaluate(LABELS) if label[1] < LEAST]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_seen_whole_below_the_header_of_a_laptop(name, visit):
    page = visit(name, width=1366, height=657)
    page.evaluate(UNFOLD)
    page.evaluate(WAIT)
    assert not page.evaluate(TALL)
    assert not low_labels(page)
    page.set_viewport_size({"width": 1024, "height": 500})  # where they aren't whole, they are readable
    page.evaluate(WAIT)
    assert not low_labels(page)


@pytest.mark.parametrize("name", FIGURES)
def test_a_phone_shows_labels_that_can_be_read(name, visit):
    page = visit(name, width=360, height=640)
    page.evaluate(UNFOLD)
    assert page.evaluate(LABELS)
    assert not low_labels(page)
    style = mpl.rc_params_from_file(STYLE, use_default_template=False)
    points = min(size for key, size in style.items() if re.search(r"font\.?size|(label|title)size", key))
    shown = {alt: scale * points * style["figure.dpi"] / 72 for alt, scale in page.evaluate(SCALES)}
    assert not {alt: pixels for alt, pixels in shown.items() if pixels < LEAST}


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_picture_has_letters_of_a_size_of_its_own(name):
    """So the style file says how large they are, as the test above takes for granted."""
    cells = json.loads((BOOK.parent / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [line for cell in cells if cell["cell_type"] == "code" for line in cell["source"]]
    assert not [line for line in code if re.search(r"font_?size|(label|title)size|set_size\(|textscale", line)]
