"""A link says what it leads to, beside it: on hover, focus and the first tap, from a server and from files."""

import re

import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, SITE

from tools.word_links import READ, as_csv, word_links

CHAPTER = "book/09-exponential-mechanism"
SOURCES = "a.reference.internal[href*='bibliography.html#']"


@pytest.fixture
def chapter(visit):
    """Open a chapter from its file, on a phone, and return the page and its card."""
    page = visit(CHAPTER, theme="dark", address=SITE.as_uri(), width=360, height=640, has_touch=True)
    return page, page.locator("#word-card")


def inside(page, card):
    """Say whether the card is seen whole."""
    box, window = card.bounding_box(), page.viewport_size
    return box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= window["width"] + 1


def test_a_term_explains_itself_to_mouse_and_keyboard(chapter):
    page, card = chapter
    term = page.locator("a.term").first
    term.scroll_into_view_if_needed()
    term.hover()
    expect(card).to_contain_text(re.compile(r"[\u4e00-\u9fff].* Glossary$", re.S))
    assert inside(page, card)
    page.mouse.move(0, 0)
    expect(card).to_be_hidden()
    term.focus()
    expect(card).to_be_visible()
    assert term.get_attribute("aria-describedby") == "word-card"
    page.mouse.move(5, 300)  # as a page that scrolls under a mouse
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    term.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"glossary\.html#term-"))


def test_the_first_tap_explains_and_the_second_goes_there(visit):
    page = visit(CHAPTER, width=360, height=640, has_touch=True)
    card, term = page.locator("#word-card"), page.locator("a.term").first
    term.tap()  # the first touch of all, by which the script comes
    expect(card).to_contain_text("Glossary")
    page.get_by_role("heading", level=2).first.tap()
    expect(card).to_be_hidden()
    term.tap()
    expect(card).to_be_visible()
    term.tap()
    page.wait_for_url(re.compile(r"glossary\.html#term-"))


def test_sources_theorems_and_figures_explain_themselves(chapter):
    page, card = chapter
    for selector, words in (
        (SOURCES, "Mechanism design via differential privacy"),
        ("a.reference.internal[href='#thm-utility']", "Theorem 9."),
        ("a.reference.internal[href='#fig-weights']", "Fig. 9."),
        ("a.reference.internal[href$='#thm-laplace']", "The Laplace mechanism is ε-differentially private"),
    ):
        links = page.locator(f"article {selector}")
        for link in links.all():
            if link.is_visible():
                link.focus()
                expect(card).to_be_visible()
                if words in card.inner_text():
                    break
        expect(card).to_contain_text(words)
        assert inside(page, card)
    assert card.locator("[id]").count() == 0


def test_a_link_to_a_section_shows_nothing_and_leads_there(visit):
    page = visit(CHAPTER, width=360, height=640, has_touch=True)
    link = page.locator("article a.reference.internal[href*='#chapter-']:visible").first
    page.locator("h1").tap()
    page.locator("#word-card").wait_for(state="attached")
    link.tap()
    page.wait_for_url(re.compile("#chapter-"))


def test_nothing_is_loaded_before_a_word_is_asked_about(visit):
    page = visit(CHAPTER)
    loaded = "performance.getEntriesByType('resource').filter(({ name }) => /(terms|words).js/.test(name)).length"
    assert page.evaluate(loaded) == 0
    page.locator("a.term").first.focus()
    expect(page.locator("#word-card")).to_be_visible()
    assert page.evaluate(loaded) == 2


def test_a_chapter_marks_the_first_use_of_what_others_teach():
    marked = []
    for chapter in CHAPTERS:
        html = (SITE / f"{chapter}.html").read_text(encoding="utf-8")
        terms = re.findall(r'<a class="term[^>]*href="glossary\.html#(term-[\w-]+)">', html)
        assert len(terms) == len(set(terms)) <= 30, chapter
        marked.append(len(terms))
    assert sum(marked) > 5 * len(CHAPTERS)
    laplace = (SITE / "book" / "03-differential-privacy.html").read_text(encoding="utf-8")
    assert "#term-Laplace-mechanism" not in laplace  # taught there


@pytest.fixture(scope="module")
def linked():
    return word_links()


def test_every_word_that_explains_itself_was_read_in_its_sentence(linked):
    """A word in another sense than the glossary's looks the same to a program, so a person reads each new line."""
    read, now = (text.splitlines() for text in (READ.read_text(encoding="utf-8"), as_csv(linked)))
    assert not [*{*now} - {*read}], f"python -m tools.word_links, then read what is new in {READ.name}"
    assert not [*{*read} - {*now}], "python -m tools.word_links"


def test_ordinary_words_and_parts_of_longer_terms_lead_nowhere(linked):
    ordinary = {"loss", "reach", "miss", "bias", "advantage", "neighbours", "false-alarm"}
    assert len(linked) > 120 and not [one for one in linked if one[1] in ordinary]
    # The longer terms are taught on these pages, so neither they nor their parts are links.
    parts = ("binary [mechanism]", "moments [accountant]", "privacy [loss]", "Laplace [mechanism]")
    assert not [one for one in linked if any(part in one[2] for part in parts)]


def test_the_search_finds_a_term_by_its_chinese_name(visit):
    page = visit("search")
    page.get_by_role("searchbox", name="Search the book").fill("差分隐私")
    first = page.locator("#search-results a").first
    expect(first).to_have_attribute("href", re.compile(r"/book/glossary\.html#term-differential-privacy$"))
    expect(page.locator("#search-results mark").first).to_contain_text("差分隐私")


# Focuses each link that may have a card, and says which card lies on its link, or is another link's.
CARDS_IN_THE_WAY = """async () => {
  const card = document.getElementById("word-card");
  const wait = () => new Promise((done) => setTimeout(done, 60));
  const found = [];
  let seen = 0;
  for (const link of document.querySelectorAll(".bd-article a.reference.internal[href*='#']")) {
    if (!link.checkVisibility()) continue;
    link.scrollIntoView({ block: "center", behavior: "instant" });
    link.focus({ preventScroll: true });
    await wait();
    // On a busy machine the card of the link before may take longer to go; one that stays is found.
    const others = () => !card.hidden && link.getAttribute("aria-describedby") !== card.id;
    for (let tries = 0; tries < 20 && others(); tries++) await wait();
    if (card.hidden) continue;
    seen++;
    const { left, right, top, bottom } = card.getBoundingClientRect();
    const meets = (box) => box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    if ([...link.getClientRects()].some(meets)) found.push(`on ${link.textContent}`);
    if (link.getAttribute("aria-describedby") !== card.id) found.push(`of another link at ${link.textContent}`);
  }
  return [seen, found];
}"""


@pytest.mark.parametrize("width", [1280, 360])
def test_a_card_never_lies_on_the_link_in_focus(visit, width):
    """With cards of pictures and theorems, links of two lines, and some that lead to no card."""
    page = visit("book/13-randomized-response", width=width, height=800)
    page.locator("h1").hover()
    page.keyboard.press("Tab")
    page.locator("#word-card").wait_for(state="attached")
    seen, found = page.evaluate(CARDS_IN_THE_WAY)
    assert seen > 15 and not found
