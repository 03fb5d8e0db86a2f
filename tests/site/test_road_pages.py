"""The roads: every stop leads somewhere, minutes add up on the page, and ticks are remembered."""

import re

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader
from site_pages import SITE

ROADS = ["ten-minutes", "office", "engineer", "course"]


@pytest.mark.parametrize("name", ROADS)
def test_every_stop_leads_to_a_place_and_the_minutes_add_up(name, visit):
    page = visit(f"book/{name}")
    for href in page.locator(".road > li > p:first-child a").evaluate_all(
        "links => links.map((a) => a.getAttribute('href'))"
    ):
        file, _, anchor = re.sub(r"\?\w+", "", href).partition("#")
        html = (SITE / "book" / file).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in html, href
    times = [int(re.match(r"\d+", text)[0]) for text in page.locator(".road .minutes").all_inner_texts()]
    assert sum(times) == int(page.locator(".road-minutes").inner_text())


def test_ticks_are_remembered_taken_back_and_forgotten(visit):
    page = visit("book/office")
    said = page.locator(".road-total [role=status]")
    ticks = page.get_by_role("checkbox")
    total = int(page.locator(".road-minutes").inner_text())
    first = int(re.match(r"\d+", page.locator(".road .minutes").first.inner_text())[0])
    expect(said).to_contain_text("Tick what you have done")
    ticks.first.check()
    expect(said).to_have_text(f"{total - first} are left.")
    page.reload()
    expect(ticks.first).to_be_checked()
    expect(ticks.nth(1)).not_to_be_checked()
    ticks.first.uncheck()
    expect(said).to_contain_text("Tick what you have done")
    for tick in ticks.all():
        tick.check()
    expect(said).to_have_text("You are through.")


def test_the_front_page_asks_for_the_time_and_leads_to_the_roads(visit):
    page = visit("book/index")
    links = page.locator(".times a").evaluate_all("links => links.map((a) => a.getAttribute('href').split('#')[0])")
    assert links == [f"{name}.html" for name in ROADS]
    assert "no code" in page.locator(".bd-article p").first.inner_text()


@pytest.mark.parametrize("name", ROADS)
def test_a_road_is_read_without_scripts(name, visit):
    page = visit(f"book/{name}", scripts=False)
    assert page.locator(".road > li").count() >= 4
    expect(page.locator(".road .minutes").first).to_be_visible()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_page_to_keep_is_two_sides_of_a_sheet(paper, visit, tmp_path):
    page = visit("book/keep")
    page.wait_for_selector("body[data-filled]", state="attached")
    page.pdf(path=tmp_path / "keep.pdf", format=paper)
    assert len(PdfReader(tmp_path / "keep.pdf").pages) == 2


def test_the_page_to_keep_has_room_for_its_tables(visit):
    page = visit("book/keep", width=1280)
    assert page.locator("#one-answer table").bounding_box()["width"] > 850
    for box in page.locator(".pst-scrollable-table-container, .cell_output .text_html").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1"), box.inner_text()[:80]
