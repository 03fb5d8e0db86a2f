"""The list of contents comes along with the reader; what else is met first: `looks`."""

from playwright.sync_api import expect
from site_pages import CHAPTERS

LAPTOP = {"width": 1366, "height": 657}


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


def test_the_front_page_shows_the_sign_alone_and_the_page_to_keep_has_the_room_of_its_contents(visit):
    logos, contents = {}, {}
    for name in ("book/index", "book/keep", "book/errata"):
        page = visit(name, **LAPTOP)
        logos[name] = page.locator(".logo__image").filter(visible=True).first.bounding_box()["width"]
        contents[name] = page.locator(".bd-sidebar-secondary").is_visible()
    assert logos["book/index"] < logos["book/keep"] / 2 and logos["book/keep"] == logos["book/errata"]
    assert contents == {"book/index": True, "book/keep": False, "book/errata": True}


def test_the_search_stays_in_sight_above_the_list_of_chapters(visit):
    page = visit(CHAPTERS[-1], **LAPTOP)
    assert page.locator(".bd-sidebar-primary").evaluate("one => one.scrollTop") > 100
    expect(page.locator(".bd-sidebar-primary .search-button-field")).to_be_in_viewport(ratio=1)
