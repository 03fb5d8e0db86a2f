"""Formulas come with the page: nothing jumps, nothing is loaded to set them, screen readers get MathML."""

import pytest
from site_pages import CHAPTERS, PAGES, SITE
from thorough import sample

PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

# Sums up the shifts that are not the answer to a press or a key; a wheel is none.
LISTEN = """new PerformanceObserver((list) => {
  const unasked = list.getEntries().filter((shift) => !shift.hadRecentInput);
  window.shifted = unasked.reduce((sum, shift) => sum + shift.value, window.shifted || 0);
}).observe({ type: "layout-shift", buffered: true })"""


@pytest.mark.parametrize("name", PAGES)
def test_every_formula_is_there_for_eyes_and_ears(name):
    html = (SITE / f"{name}.html").read_text(encoding="utf-8")
    formulas = html.count('class="math notranslate')
    assert html.count("<mjx-math ") == html.count("<mjx-assistive-mml") == formulas
    assert "merror" not in html and "MathJax.js" not in html
    if name in CHAPTERS:
        assert formulas > 5


def test_no_mathjax_travels():
    assert not (SITE / "_static" / "mathjax").exists()
    assert not list(SITE.glob("_static/**/tex-*.js"))


@pytest.mark.parametrize(("name", "width"), sample([(n, w) for w in (1280, 360) for n in CHAPTERS], every=40))
def test_nothing_jumps_while_a_reader_skims(name, width, visit):
    page = visit(name, width=width, height=800)
    page.evaluate(LISTEN)
    screens = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    for _ in range(int(screens / 0.8) + 1):
        page.mouse.wheel(0, 0.8 * 800)
        page.evaluate(PAINTED)
    assert page.evaluate("window.shifted || 0") < 0.1
