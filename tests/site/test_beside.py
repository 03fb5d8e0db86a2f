"""Figures that stand beside their text: links that move them, and the list of contents that gives way."""

import re

import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, SITE

WIDE = {"width": 1440, "height": 800}
BESIDE = [name for name in CHAPTERS if "tag_beside" in (SITE / f"{name}.html").read_text(encoding="utf-8")]
STATES = """() => [...document.querySelectorAll("a.slide")].map((link) => {
  const [id, asked] = link.hash.slice(1).split("?");
  const figure = document.getElementById(id);
  link.click();
  return [link.hash, ...[...new URLSearchParams(asked)].map(([name, value]) => {
    const read = figure?.settings.get(name)?.read();
    return read === value || Math.abs(Number(read) / Number(value) - 1) < 0.01;
  })];
})"""


def test_there_are_such_chapters():
    assert len(BESIDE) >= 4


@pytest.mark.parametrize("name", BESIDE)
def test_each_link_moves_a_figure_of_its_page_and_leaves_the_reader_in_place(name, visit):
    page = visit(name, **WIDE)
    at = page.evaluate("scrollY")
    states = page.evaluate(STATES)
    assert states and not [state for state in states if not all(state[1:])]
    assert page.evaluate("scrollY") == at and "#" not in page.url


@pytest.mark.parametrize("name", BESIDE[:2])
def test_a_figure_stays_in_sight_as_long_as_its_text(name, visit):
    page = visit(name, **WIDE)
    figure = page.locator(".tag_beside figure").first
    text = page.locator("section:has(> .tag_beside) > p").last
    text.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    words, picture = text.bounding_box(), figure.bounding_box()
    assert picture["x"] > words["x"] + words["width"]
    assert picture["y"] < 800 and picture["y"] + picture["height"] > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_the_contents_give_way_and_a_button_opens_them(visit):
    page = visit(BESIDE[0], **WIDE)
    contents, button = page.locator("div.bd-sidebar-secondary"), page.locator(".secondary-toggle")
    page.locator("section:has(> .tag_beside)").first.scroll_into_view_if_needed()
    expect(contents).to_be_hidden()
    button.click()
    expect(page.locator("#pst-secondary-sidebar-modal")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#summary").evaluate("one => one.scrollIntoView({ behavior: 'instant' })")
    expect(contents).to_be_visible()
    expect(button).to_be_hidden()


def test_on_a_phone_a_link_leads_to_its_figure(visit):
    page = visit(BESIDE[0], width=360, height=640)
    figure, text = page.locator(".tag_beside figure").first, page.locator("section:has(> .tag_beside) > p").first
    assert figure.bounding_box()["x"] < text.bounding_box()["x"] + 20
    page.locator("a.slide").first.click()
    page.wait_for_url(re.compile(r"#fig-.+\?"))
    expect(figure).to_be_in_viewport()
