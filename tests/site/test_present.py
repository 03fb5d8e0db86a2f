"""A chapter as a lecture: its slides fit, are read from the last row, and turn by keys, clicker and finger."""

import re

import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, SITE
from thorough import sample

CHAPTER = "book/03-differential-privacy"
# What is seen: the slide's number, whether all of it is, and the height of its least letters outside figures and code.
SLIDE = """() => {
  const article = document.querySelector(".bd-article");
  const on = [...article.querySelectorAll(".on")];
  const letters = on.flatMap((one) => [one, ...one.querySelectorAll("p, li, label, legend, pre, td")])
    .filter((one) => one.checkVisibility() && one.textContent.trim() && !one.closest("svg, .sf-explore-said"))
    .map((one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1));
  const code = on.some((one) => one.matches(".cell:not(.tag_answers-predict, :has(.sf-explore, img))"));
  const box = on.map((one) => one.getBoundingClientRect());
  return {
    number: document.querySelector(".present-bar span").textContent, code,
    words: on.map((one) => one.textContent.trim()).join(" "),
    over: [article.scrollHeight - article.clientHeight, article.scrollWidth - article.clientWidth],
    top: Math.min(...box.map((one) => one.top)), letters: Math.min(...letters),
    pictures: on.flatMap((one) => [...one.querySelectorAll(".cell_output img, .cell_output svg")])
      .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
      .map(({ width, height }) => Math.max(height, width / 2)), // flat ones may be as wide as half of the slide
  };
}"""


@pytest.fixture
def presented(visit, serve):
    """Open a chapter and present it from its first slide."""

    def present(chapter=CHAPTER, *, address=None, key="p", **options):
        page = visit(chapter, address=address, **{"width": 1366, "height": 768} | options)
        if key:
            page.keyboard.press(key)
        else:
            page.get_by_role("button", name="Present this chapter (p)").click()
        page.wait_for_selector("body.presenting .on")
        return page

    return present


def number(page):
    return int(page.locator(".present-bar span").inner_text().split("/")[0])


def all_slides(page):
    slides = [page.evaluate(SLIDE)]
    while True:
        page.keyboard.press("PageDown")
        slide = page.evaluate(SLIDE)
        if (slide["number"], slide["words"]) == (slides[-1]["number"], slides[-1]["words"]):
            return slides
        slides.append(slide)


@pytest.mark.parametrize("chapter", sample(CHAPTERS, every=10))
def test_a_chapter_makes_a_lecture_that_is_seen_whole(chapter, presented):
    slides = all_slides(presented(chapter))
    assert [slide for slide in slides if slide["over"][0] > 0 or slide["over"][1] > 1 or slide["top"] < 50] == []
    assert [slide for slide in slides if slide["letters"] < 27.9] == []
    assert min(max(slide["pictures"]) for slide in slides if slide["pictures"]) > 300
    count = int(slides[0]["number"].split("/")[1])
    assert 12 <= count <= 35
    assert len({slide["number"] for slide in slides if slide["code"]}) <= count / 3


def test_keys_and_buttons_turn(presented):
    page = presented()
    assert number(page) == 1
    steps = {"ArrowRight": 1, " ": 1, "ArrowDown": 1, "PageDown": 1, "ArrowLeft": -1, "PageUp": -1}
    for key, step in steps.items():
        before = page.evaluate(SLIDE)
        page.keyboard.press(key)
        after = page.evaluate(SLIDE)
        assert (after["words"], after["number"]) != (before["words"], before["number"]), key
        assert 0 <= (number(page) - int(before["number"].split("/")[0])) * step <= 1
    page.get_by_role("button", name="On").click()
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="End (Esc)").click()
    expect(page.locator("body.presenting")).to_have_count(0)
    expect(page.locator(".bd-header-article")).to_be_visible()


def test_it_starts_and_ends_where_the_reader_is(presented, visit):
    page = visit(CHAPTER, width=1366, height=768)
    page.locator("#def-dp").scroll_into_view_if_needed()
    page.keyboard.press("p")
    page.wait_for_selector("body.presenting .on")
    started = number(page)
    assert started > 3
    page.locator(".on").first.evaluate("(one) => (one.dataset.seen = '')")
    page.keyboard.press("Escape")
    expect(page.locator("[data-seen]")).to_be_in_viewport()


def test_a_question_is_covered_until_hands_were_shown_and_its_answer_stays_on_the_page(presented):
    page = presented()
    while page.locator(".quiz.on").count() == 0:
        page.keyboard.press("PageDown")
    expect(page.locator(".tag_answers-predict .cell_output").first).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(page.locator(".tag_answers-predict.on .cell_output")).to_be_visible()


def test_a_slider_moves_on_its_slide_by_mouse_and_arrows(presented):
    page = presented("book/04-properties")
    while page.locator(".on .sf-explore:not(.sf-play)").count() == 0:
        page.keyboard.press("PageDown")
    slider = page.locator(".on input[type=range]").first
    asked, before = number(page), slider.input_value()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert number(page) == asked and slider.input_value() != before
    slider.click(position={"x": 3, "y": 8})  # a mouse gives the arrows back
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert number(page) < asked


def test_a_finger_turns_a_page_opened_from_its_file(presented):
    page = presented(address=SITE.as_uri(), theme="dark", width=360, height=640, has_touch=True, key=None)
    session = page.context.new_cdp_session(page)

    def swipe(start, end):
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            touches = [{"x": x, "y": 300} for x in points]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    swipe(300, 100)
    expect(page.locator(".present-bar span")).to_have_text(re.compile("^2 /"))
    swipe(100, 300)
    expect(page.locator(".present-bar span")).to_have_text(re.compile("^1 /"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 361


def test_on_paper_the_page_is_whole_with_the_slides_numbers(presented):
    page = presented()
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="Further reading")).to_be_visible()
    expect(page.locator(".present-bar")).to_be_hidden()
    shown = page.locator("[data-slide='2']").evaluate("(one) => getComputedStyle(one, '::before').content")
    assert "Slide" in shown


def test_typing_a_p_presents_nothing_and_nothing_is_loaded_before(visit):
    page = visit(CHAPTER)
    page.locator("input[type=text]").first.fill("p")
    page.locator("input[type=text]").first.press("p")
    assert page.locator("body.presenting").count() == 0
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [name for name in loaded if "present." in name]


def test_without_scripts_there_is_no_button(visit):
    page = visit(CHAPTER, scripts=False)
    assert page.locator(".present-button, .figure-link").count() == 0
