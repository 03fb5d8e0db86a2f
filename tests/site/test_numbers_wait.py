"""The numbers of a figure with sliders are asked for as a reader comes near; until then its picture stands."""

import pytest
from site_pages import CHAPTERS, SITE

CHAPTER = next(name for name in CHAPTERS if name.startswith("book/14-"))
READY = "figure => 'ready' in figure.dataset"
SEEN = "figure => figure.getBoundingClientRect().top < innerHeight && scrollY > 0"


@pytest.fixture
def last(offline_context, serve):
    """Open a chapter with many figures as a reader does who has not scrolled yet; return its last one."""
    page = offline_context.page()
    page.goto(f"{serve(SITE)}/{CHAPTER}.html", wait_until="load")
    page.wait_for_function("'filled' in document.body.dataset")
    figure = page.locator(".sf-explore:not(.sf-play)").last.element_handle()
    assert figure.query_selector("svg") and not figure.evaluate(READY)
    return figure


def test_a_figure_far_below_waits_for_the_reader(last):
    last.scroll_into_view_if_needed()
    last.owner_frame().wait_for_function(READY, arg=last)


@pytest.mark.parametrize("come", ["location.hash = state", "(location.hash = state, location.reload())"])
def test_a_link_reaches_a_figure_far_below(last, come):
    page, name = last.owner_frame(), last.get_attribute("id")
    page.evaluate(f"state => {come}", f"{name}?none=1")
    figure = page.wait_for_selector(f"#{name}[data-ready]", state="attached")
    page.wait_for_function(SEEN, arg=figure)
