"""The numbers of a figure with sliders are asked for as a reader comes near; until then its picture stands."""

import pytest
from site_pages import CHAPTERS, SITE

CHAPTER = next(name for name in CHAPTERS if name.startswith("book/14-"))
READY = "figure => 'ready' in figure.dataset"


@pytest.fixture
def page(offline_context, serve):
    """Open a chapter with many figures as a reader does who has not scrolled yet."""
    page = offline_context().new_page()
    page.goto(f"{serve(SITE)}/{CHAPTER}.html", wait_until="load")
    page.wait_for_function("'filled' in document.body.dataset")
    return page


def test_a_figure_far_below_waits_for_the_reader(page):
    figures = page.locator(".sf-explore:not(.sf-play)")
    last = figures.last.element_handle()
    assert figures.count() > 2 and not last.evaluate(READY)
    assert last.query_selector("svg")
    last.scroll_into_view_if_needed()
    page.wait_for_function(READY, arg=last)


def test_a_link_reaches_a_figure_far_below_and_moves_it(page):
    figure = page.locator(".sf-explore:not(.sf-play)").last
    name = figure.get_attribute("id")
    for arrive in ("state => (location.hash = state)", "state => { location.hash = state; location.reload(); }"):
        page.evaluate(arrive, f"{name}?none=1")
        page.wait_for_function(READY, arg=figure.element_handle())
        assert figure.evaluate("figure => figure.getBoundingClientRect().top < innerHeight")
        page.evaluate("scrollTo(0, 0)")
