"""The short edition: what folds, what opens it again, and that what is read in it counts."""

import re

import nbformat
import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, ROOT, SITE
from thorough import sample

from tools import minutes

CHAPTER = "book/05-sensitivity"
# Every word that the page shows below its title.
SEEN = """() => document.querySelector(".bd-article").innerText"""


def stated(page):
    cells = nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells
    return minutes.stated(minutes.prose(cells))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_chapter_has_a_switch_and_a_fold_with_its_minutes(chapter):
    html = (SITE / f"{chapter}.html").read_text(encoding="utf-8")
    numbers = stated(chapter)
    assert f"Short: {numbers['short']} minutes" in html and f"Whole: {numbers['whole']} minutes" in html
    rest = f"The rest of the chapter: {numbers['whole'] - numbers['short']} minutes"
    (told,) = re.findall(r'<p class="seam">(.*?)</p>\s*<p class="rest.*?">(.*?)</p>', html, re.S)
    assert told[0].startswith("If you stop here, ") and rest in told[1]


@pytest.mark.parametrize("chapter", sample(CHAPTERS, every=6))
def test_the_short_edition_has_the_idea_something_that_moves_and_the_seam(chapter, visit):
    page = visit(chapter, width=1280)
    page.keyboard.press("s")
    shown = page.evaluate(SEEN).strip().splitlines()
    assert "The rest of the chapter" in shown[-1]
    assert any(line.startswith("If you stop here, ") for line in shown)
    assert page.locator(".sf-explore").first.is_visible() and page.locator("#the-idea").is_visible()
    left_out = page.locator("#summary, #labs, #before-you-start > h2, .tag_hide-input details.hide")
    assert left_out.count() > 3 and not left_out.filter(visible=True).count()


def test_the_switch_is_remembered_and_stands_in_the_address(visit):
    page = visit(CHAPTER)
    whole = len(page.evaluate(SEEN))
    assert "?" not in page.url
    page.get_by_role("button", name="Short:").click()
    assert page.url.endswith("?short") and len(page.evaluate(SEEN)) < 0.6 * whole
    page.goto(page.url.replace("05-sensitivity", "03-differential-privacy").replace("?short", ""))
    expect(page.locator("#summary")).to_be_hidden()
    assert page.url.endswith("?short")
    page.get_by_role("button", name="Whole:").click()
    expect(page.locator("#summary")).to_be_visible()
    page.reload()
    assert "?" not in page.url
    expect(page.locator("#summary")).to_be_visible()


def test_a_link_to_the_short_edition_opens_it(visit):
    page = visit(CHAPTER)
    page.goto(f"{page.url}?short")
    expect(page.locator("#summary")).to_be_hidden()
    expect(page.get_by_role("button", name="Short:")).to_have_attribute("aria-pressed", "true")


def test_a_road_may_ask_for_the_whole_chapter_of_who_reads_in_short(visit):
    page = visit(CHAPTER)
    page.keyboard.press("s")
    page.goto(f"{page.url.removesuffix('?short')}?whole")
    expect(page.locator("#summary")).to_be_visible()
    assert "?" not in page.url
    page.reload()
    expect(page.locator("#summary")).to_be_hidden()  # it is remembered all the same


def test_the_fold_opens_and_closes_and_figures_in_it_are_drawn(visit):
    page = visit(CHAPTER)
    page.keyboard.press("s")
    fold = page.get_by_role("button", name="The rest of the chapter")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#summary")).to_be_visible()
    figure = page.locator(".seam ~ * .sf-explore svg, section:has(.seam) ~ section .sf-explore svg").first
    figure.scroll_into_view_if_needed()
    assert figure.bounding_box()["width"] > 200
    fold.click()
    expect(page.locator("#summary")).to_be_hidden()
    fold.click()
    for _ in range(2):  # whole, and short again: as short as it was at first
        page.keyboard.press("s")
    expect(fold).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("way", ["address", "contents", "reference", "figure"])
def test_what_leads_below_the_seam_opens_it(way, visit):
    # Where a figure stands beside the text, the contents are behind a button.
    page = visit("book/06-approximate-differential-privacy" if way == "contents" else CHAPTER, width=1400)
    page.keyboard.press("s")
    expect(page.locator("#summary")).to_be_hidden()
    if way == "address":
        page.evaluate("location.hash = 'summary'")
    elif way == "contents":
        page.locator(".bd-sidebar-secondary a[href='#summary']").click()
    elif way == "reference":  # as a hit of the search, or a link from another chapter
        page.goto("about:blank")
        page.goto(visit(CHAPTER).url + "?short#summary")
    else:
        figures = page.locator("section:has(.seam) ~ section figure[id]")
        page.evaluate("id => { location.hash = `${id}?epsilon=1` }", figures.first.get_attribute("id"))
        expect(figures.first).to_be_in_viewport()
        return
    expect(page.locator("#summary > h2")).to_be_in_viewport()


def test_a_key_that_is_typed_is_no_switch(visit):
    page = visit(CHAPTER)
    field = page.locator("input[type=text]").first
    field.focus()
    page.keyboard.press("s")
    expect(page.locator("#summary")).to_be_visible()
    page.keyboard.press("Control+s")
    expect(page.locator("#summary")).to_be_visible()


def test_without_scripts_the_whole_chapter_is_there(visit):
    page = visit(CHAPTER, scripts=False)
    expect(page.locator("#summary")).to_be_visible()
    assert not page.locator(".edition").filter(visible=True).count()
    expect(page.locator(".rest")).to_be_hidden()


def test_a_lecture_has_all_its_slides_in_the_short_edition(visit):
    counts = []
    for edition in ("whole", "short"):
        page = visit(CHAPTER, width=1280)
        if edition == "short":
            page.keyboard.press("s")
        page.keyboard.press("p")
        said = page.locator(".present-bar")
        expect(said).to_contain_text("1 / ")
        counts.append(re.search(r"/ (\d+)", said.inner_text())[1])
        page.keyboard.press("End")
        expect(page.locator(".on").last).to_be_visible()
    assert counts[0] == counts[1]


ABOVE = """() => [...document.querySelectorAll("article section > h2")]
  .filter((head) => head.checkVisibility()).map((head) => head.parentElement.id)"""


def test_what_is_read_in_the_short_edition_counts(visit):
    page = visit(CHAPTER)
    page.keyboard.press("s")
    for section in page.evaluate(ABOVE):
        page.locator(f"#{section} > h2").scroll_into_view_if_needed()
        page.wait_for_function("id => progress.count(['seen-5-' + id])", arg=section)
    assert page.evaluate("progress.count(['short-5'])") == 0
    page.locator(".seam").scroll_into_view_if_needed()
    page.wait_for_function("progress.count(['short-5'])")
    assert page.evaluate("progress.count(['read-5'])") == 0
    page.goto(page.url.replace("05-sensitivity", "index"))
    row = page.locator(".chapter-map > li[value='5']")
    expect(row.locator(".answered")).to_have_text("the short edition read")
    expect(row.locator(".minutes")).to_have_text(f"{stated(CHAPTER)['short']} min · whole {stated(CHAPTER)['whole']}")
    expect(page.locator(".front-buttons a").first).to_have_text("Go on with chapter 6")


def test_the_list_of_pages_says_how_long_each_chapter_is(visit):
    page = visit(CHAPTER, width=1280)
    said = page.locator(".bd-links .minutes").all_inner_texts()
    assert said == [f"{stated(one)['short']} min · whole {stated(one)['whole']}" for one in CHAPTERS]
