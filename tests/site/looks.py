"""What must hold on a page, one function a look: `test_pages.py` visits each page once and takes them all.

A look that changes the screen's size says so by the size in its name, and leaves it so.
"""

import gzip
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib as mpl
from playwright.sync_api import expect
from site_pages import ROOT, SITE

# Bytes on their way until the first view is there: a tenth above what was measured in November 2026.
MOST, MOST_AT_THE_FRONT = 165_000, 95_000
LEAST = 9  # pixels
FAR = 985  # pixels: a screen and a half
STYLE = ROOT / "dp_helpers" / "sliding_epsilon.mplstyle"
UNFOLD = "document.querySelectorAll('article details').forEach((one) => (one.open = true))"
WAIT = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
LOADED = """() => {
  const [{ loadEventStart }] = performance.getEntriesByType("navigation");
  const before = performance.getEntriesByType("resource").filter((one) => one.startTime < loadEventStart);
  return [location.href, ...before.map((one) => one.name)];
}"""
CUT_RESULTS = """() => [...document.querySelectorAll("article .cell_output pre")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent)"""
SILENTLY_CUT = """() => [...document.querySelectorAll("article :is(pre, mjx-container[display], table)")]
  .map((box) => box.closest(".text_html, .pst-scrollable-table-container") || box)
  .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => !box.matches(".cut-right") || box.tabIndex !== 0).map((box) => box.textContent.slice(0, 60))"""
# What is taller than the window below the page's header: pictures, and figures from their sliders on.
TALL = """() => {
  const room = innerHeight - document.querySelector(".bd-header-article").offsetHeight;
  const parts = [...document.querySelectorAll("article .cell_output img")].map((image) => [image, image.clientHeight]);
  for (const figure of document.querySelectorAll(".sf-explore")) {
    const box = (one) => one.getBoundingClientRect();
    const seen = (parts) => [...figure.querySelectorAll(parts)].find((one) => one.checkVisibility());
    const slid = seen(".asking-slid"); // what is typed above these sliders may be scrolled away
    const end = slid ? box(seen(".sf-play-stage svg")).bottom : box(figure.querySelector("figcaption")).top;
    parts.push([figure, end - box(slid ?? figure).top]);
  }
  return parts.filter(([, height]) => height > room).map(([one, height]) => [one.alt ?? one.textContent, height]);
}"""
# The labels of the figures that move, with their heights in pixels; a formula counts as high as it begins.
LABELS = """() => [...document.querySelectorAll(".sf-explore svg text")]
  .filter((label) => label.textContent.trim() && label.checkVisibility())
  .map((label) => {
    const [matrix, style] = [label.getScreenCTM(), getComputedStyle(label.querySelector("tspan") ?? label)];
    return [label.textContent, parseFloat(style.fontSize) * Math.hypot(matrix.a, matrix.b)];
  })"""
# For each still picture, how many pixels of the page one of its own is wide.
SCALES = """() => [...document.querySelectorAll("article .cell_output img")]
  .map((image) => [image.alt, image.clientWidth / image.getAttribute("width")])"""


def it_is_light(page):
    """All that the first view loads, compressed as hosts do, weighs little."""
    files = {SITE / unquote(urlsplit(url).path).lstrip("/") for url in page.evaluate(LOADED)}
    weights = sorted(((weight(file), file.name) for file in files if file.is_file()), reverse=True)
    assert len(weights) > 5
    print(f"{weights[0][1]}: {sum(weight for weight, _ in weights) / 1000:.0f} kB")
    assert sum(weight for weight, _ in weights) < most(Path(urlsplit(page.url).path).stem), weights[:3]


def most(name):
    """Return how heavy a page of this name may be."""
    return MOST_AT_THE_FRONT if name.endswith("index") else MOST


@cache
def weight(file):
    """Return how many bytes of a file travel; pictures and fonts don't become smaller."""
    return len(gzip.compress(file.read_bytes()))


def resize(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(WAIT)
    # Wide code and tables scroll themselves; a pixel is what rounding makes.
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 1


def something_moves_within_a_screen_and_a_half_at_1366(page):
    """What a chapter needs is folded above it."""
    resize(page, 1366, 657)
    moves = page.locator(".sf-explore").first.locator("input:visible, select:visible, button:visible").first
    assert moves.evaluate("one => one.getBoundingClientRect().top + scrollY") < FAR
    start = page.locator(".chapter-start")
    expect(start).to_contain_class("toggle-hidden")
    assert start.bounding_box()["height"] < 60


def nothing_is_cut_at_360(page):
    """No printed result is cut, and what scrolls shows that it does; labels can be read."""
    resize(page, 360, 640)
    assert not page.evaluate(CUT_RESULTS)
    assert not page.evaluate(SILENTLY_CUT)
    assert not low_labels(page)
    shown = {alt: scale * letters_of_a_picture() for alt, scale in page.evaluate(SCALES)}
    assert not {alt: pixels for alt, pixels in shown.items() if pixels < LEAST}


def figures_are_seen_whole_at_1366(page):
    """A figure with its sliders is seen whole below a laptop's header; where it can't be, it can be read."""
    resize(page, 1366, 657)
    assert not page.evaluate(TALL)
    assert not low_labels(page)
    resize(page, 1024, 500)
    assert not low_labels(page)


def a_tablet_and_a_lying_phone_show_all_of_a_page(page):
    """The sign behind a heading has room, too."""
    for width, height in ((640, 360), (768, 1024)):
        resize(page, width, height)


def a_small_phone_and_large_letters_show_all_of_a_page_at_320_and_360(page):
    """Letters twice as large, as a reader may set them."""
    resize(page, 320, 568)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    resize(page, 360, 640)


def low_labels(page):
    return [label for label in page.evaluate(LABELS) if label[1] < LEAST]


@cache
def letters_of_a_picture():
    """Return the height of a still picture's smallest letters in its own pixels; no chapter has sizes of its own."""
    style = mpl.rc_params_from_file(STYLE, use_default_template=False)
    points = min(size for key, size in style.items() if re.search(r"font\.?size|(label|title)size", key))
    return points * style["figure.dpi"] / 72
