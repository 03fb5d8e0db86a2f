"""What a reader meets first: the idea, something that moves, and a list of contents that comes along."""

import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS

LAPTOP = {"width": 1366, "height": 657}
FAR = 985  # pixels: a screen and a half


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_something_moves_within_a_screen_and_a_half(chapter, visit):
    page = visit(chapter, **LAPTOP)
    moves = page.locator(".sf-explore").first.locator("input:visible, select:visible, button:visible").first
    assert moves.bounding_box()["y"] < FAR
    start = page.locator(".chapter-start")
    expect(start).to_contain_class("toggle-hidden")
    assert start.bounding_box()["height"] < 60


IN_ITS_PANEL = """(link) => {
  const [entry, panel] = [link, link.closest(".bd-sidebar-secondary")].map((one) => one.getBoundingClientRect());
  return entry.top >= panel.top && entry.bottom <= panel.bottom;
}"""


def test_the_contents_follow_the_reader(visit):
    """The panel is lower than the list; the section that is read is in sight, and the page stays where it is."""
    page = visit(CHAPTERS[2], **LAPTOP)
    panel = page.locator(".bd-sidebar-secondary")
    assert panel.evaluate("one => one.scrollHeight > one.clientHeight + 100")
    for section in ("labs", "summary", "the-idea"):
        page.evaluate("id => document.getElementById(id).scrollIntoView({ behavior: 'instant' })", section)
        link = page.locator(f".bd-sidebar-secondary a[href='#{section}']")
        expect(link).to_have_class("reference internal nav-link active")
        at = page.evaluate("scrollY")
        page.wait_for_function(IN_ITS_PANEL, arg=link.element_handle())
        assert page.evaluate("scrollY") == at


def test_the_search_stays_in_sight_above_the_list_of_chapters(visit):
    page = visit(CHAPTERS[-1], **LAPTOP)
    assert page.locator(".bd-sidebar-primary").evaluate("one => one.scrollTop") > 100
    expect(page.locator(".bd-sidebar-primary .search-button-field")).to_be_in_viewport(ratio=1)
