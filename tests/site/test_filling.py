"""A long page is laid out in pieces: at its end all is there, and before that what the reader comes to."""

import itertools

import pytest
from site_pages import CHAPTERS, SITE
from thorough import sample

CHAPTER = "book/06-approximate-differential-privacy"
LEFT_OUT = """() => [...document.querySelectorAll(".bd-article section > *")]
    .filter((block) => getComputedStyle(block).contentVisibility !== "visible").length"""
# As on a machine that never has time: nothing below the first section is brought in but by the reader.
BUSY = "window.requestIdleCallback = () => {};"

# Notes what is measured while it is left out: for that it would be laid out after all.
MEASURED = """(() => {
  window.measured = new Set();
  const sizes = ["scroll", "client", "offset"].flatMap((kind) => [`${kind}Width`, `${kind}Height`]);
  for (const name of [...sizes, "getBoundingClientRect"]) {
    const { prototype } = name in Element.prototype ? Element : HTMLElement;
    const own = Object.getOwnPropertyDescriptor(prototype, name), part = own.get ? "get" : "value";
    const through = own[part];
    own[part] = function () {
      if (this.parentElement?.checkVisibility({ contentVisibilityAuto: true }) === false) measured.add(this);
      return through.call(this);
    };
    Object.defineProperty(prototype, name, own);
  }
})();"""
# A clock that goes on by so many milliseconds whenever it is asked; the next pieces wait for `next()`.
CLOCK = """(tick) => {
  let now = 0;
  performance.now = () => (now += tick);
  window.requestIdleCallback = (fill) => { window.next = fill; };
}"""


@pytest.fixture
def busy(offline_context, serve):
    """Open the chapter, at a place or at its top, and don't fill it."""

    def open_page(place=""):
        context = offline_context()
        context.add_init_script(BUSY)
        page = context.new_page()
        page.goto(f"{serve(SITE)}/{CHAPTER}.html{place}", wait_until="load")
        return page

    return open_page


def test_in_the_end_nothing_is_left_out(visit):
    page = visit(CHAPTER)
    assert "fills" in page.evaluate("({...document.documentElement.dataset})")
    assert page.evaluate(LEFT_OUT) == 0


def test_until_then_what_the_reader_comes_to_is_there(busy):
    page = busy()
    assert page.evaluate(LEFT_OUT) > 100
    last = page.locator(".bd-article section > :not(section) > *").last  # in a block that may be left out
    seen = "(block) => block.checkVisibility({ contentVisibilityAuto: true })"
    assert not last.evaluate(seen)
    last.scroll_into_view_if_needed()
    page.wait_for_function(f"block => ({seen})(block)", arg=last.element_handle())
    assert last.inner_text()


def test_who_comes_to_a_place_finds_the_page_laid_out(busy):
    page = busy()
    place = page.evaluate("[...document.querySelectorAll('.bd-article section[id]')].at(-1).id")
    assert busy(f"#{place}").evaluate(LEFT_OUT) == 0


def test_who_comes_back_finds_the_page_laid_out(busy):
    page = busy()
    page.reload(wait_until="load")
    assert page.evaluate(LEFT_OUT) == 0


@pytest.mark.parametrize(("milliseconds", "blocks"), [(9, [2, 2]), (3, [2 + 4 + 8, 16 + 32 + 64])])
def test_a_slow_phone_takes_little_at_once_and_a_fast_machine_more(offline_context, serve, milliseconds, blocks):
    context = offline_context()
    context.add_init_script(f"({CLOCK})({milliseconds})")
    page = context.new_page()
    page.goto(f"{serve(SITE)}/{CHAPTER}.html", wait_until="load")
    page.wait_for_function("'next' in window")
    filled = [page.evaluate("next(), document.querySelectorAll('.filled').length") for _ in blocks]
    assert [after - before for before, after in itertools.pairwise([0, *filled])] == blocks


@pytest.mark.parametrize("name", sample(CHAPTERS, every=6))
def test_nobody_measures_what_is_left_out(offline_context, serve, name):
    context = offline_context()
    context.add_init_script(BUSY + MEASURED)
    page = context.new_page()
    page.goto(f"{serve(SITE)}/{name}.html", wait_until="load")
    # One may come near the screen, and leave it again while what is above it grows.
    assert page.evaluate("measured.size") < 3
    page.evaluate("document.querySelectorAll('article pre').forEach((box) => box.scrollWidth)")
    assert page.evaluate("measured.size") > 9
