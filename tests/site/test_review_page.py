"""The page of changes to review: by mouse and keyboard, remembered, on a phone, for axe, and without scripts."""

import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from chapters.chapter_notebook import BOOK

from reviews.review import load
from tools.book_site.answering import STORAGE
from tools.book_site.reviews import box, in_words, numbered

ITEMS = load()
CHAPTERS = {number: f'<a href="{number}.html">Chapter {number}</a>' for number in range(1, 25)}
FILES = ["progress.js", "review.js", "book.css", "review.css"]


@pytest.fixture
def opened(offline_context, serve, tmp_path):
    """Open a page with all changes; a second call comes back to it as the same reader."""
    for name in FILES:
        shutil.copy(BOOK / "_static" / name, tmp_path)
    parts = {"first": [], "other": []}
    for number, item in numbered():
        parts["first" if item.review.first else "other"].append(box(number, item, CHAPTERS))
    body = "".join(
        f'<section id="review-{name}"><h2>{name}</h2>{"".join(html)}</section>' for name, html in parts.items()
    )
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html lang="en"><title>Review</title><meta charset="utf-8">{STORAGE}'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="book.css">'
        '<link rel="stylesheet" href="review.css"><link rel="icon" href="data:,">'
        "<style>:root { --pst-color-text-muted: #48566b; "
        "--pst-color-background: #fff; --pst-color-primary: #0a5c6b; --pst-color-border: #ccc }</style>"
        '<script src="progress.js"></script><script src="review.js"></script>'
        f'<main class="bd-article"><h1>Review</h1>{body}</main></html>',
        encoding="utf-8",
    )

    def open_page(**options):
        page = offline_context.page(**options)
        page.goto(f"{serve(tmp_path)}/page.html")
        return page

    return open_page


def part(page, name):
    return page.locator(f"#review-{name}")


def review(page, item, *, verdict=None, line=None):
    """Answer as a mouse does."""
    place = part(page, item.name)
    choice = verdict or item.review.verdict
    place.locator(f'input[name^="verdict-"][value="{choice}"]').check()
    place.locator(f'input[name^="line-"][value="{item.right_lines()[0] if line is None else line}"]').check()
    place.get_by_role("button", name="Check").click()
    return place.locator("[role=status]").inner_text()


# Answers each part by {part: [verdict, line]}, and says whether its reason was shut before, and what is there then.
ANSWER_ALL = """(answers) => Object.entries(answers).map(([name, [verdict, line]]) => {
  const place = document.getElementById(`review-${name}`);
  const reason = place.querySelector(".review-answer");
  const shut = !reason.checkVisibility();
  place.querySelector(`input[name^="verdict-"][value="${verdict}"]`).click();
  place.querySelector(`input[name^="line-"][value="${line}"]`).click();
  place.querySelector("button").click();
  const said = place.querySelector("[role=status]").textContent;
  return [shut, said, place.querySelectorAll(".it").length, reason.checkVisibility() && reason.innerText];
})"""


def test_each_answer_is_shut_until_a_line_and_a_verdict_are_given(opened):
    page = opened()
    answers = {item.name: [item.review.verdict, item.right_lines()[0]] for item in ITEMS}
    for item, (shut, said, marked, reason) in zip(ITEMS, page.evaluate(ANSWER_ALL, answers), strict=True):
        keeps = item.review.verdict == "keeps"
        assert shut and said == ("Right." if keeps else "Right, and it is this line.")
        assert marked == (1 if keeps else len(item.right_lines()))
        assert item.review.reason.split("`")[0][:30] in reason
    assert "answered 30 of 30, 30 with verdict and line right" in page.locator(".review-score").inner_text()
    for width in (1280, 360):  # with all answers open
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_wrong_verdict_or_line_is_said_and_scored_by_its_kind(opened):
    page, item = opened(), ITEMS[0]
    part(page, item.name).get_by_role("button", name="Check").click()
    assert part(page, item.name).locator("[role=status]").inner_text() == "Mark a line and say a verdict first."
    assert not part(page, item.name).locator(".review-answer").is_visible()
    assert review(page, item, line=0) == "The verdict is right. It hangs on another line."
    assert page.evaluate("id => progress.count([id])", part(page, item.name).get_attribute("id")) == 0
    assert review(page, item, verdict="keeps") == "The verdict is another one, but this is the line."
    assert review(page, item, verdict="keeps", line=0) == "The verdict is another one."
    row = page.locator(".review-score tbody tr")
    assert row.inner_text().split("\t") == ["data-dependent parameter", "0 of 1", "Chapter 5"]
    assert review(page, item) == "Right, and it is this line."
    assert row.inner_text().split("\t") == ["data-dependent parameter", "1 of 1", ""]
    assert page.evaluate("id => progress.count([id])", part(page, item.name).get_attribute("id")) == 1


def test_it_works_by_keyboard_and_is_remembered(opened):
    page, item = opened(), ITEMS[0]
    place = part(page, item.name)
    place.locator('input[name^="line-"]').first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")  # the removed line between them is no choice
    assert place.locator('input[name^="line-"]:checked').get_attribute("value") == "2"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert place.locator("[role=status]").inner_text() == "Right, and it is this line."
    page.reload()
    assert place.locator("[role=status]").inner_text() == "Right, and it is this line."
    assert place.locator(".review-answer").is_visible()
    assert "answered 1 of 30, 1 with" in page.locator(".review-score").inner_text()


def test_the_first_ten_can_be_shown_alone(opened):
    page = opened()
    page.get_by_label("Show the first ten only").check()
    assert page.locator("section.review:visible").count() == 10
    page.get_by_label("Show the first ten only").uncheck()
    assert page.locator("section.review:visible").count() == 30


def test_nothing_is_wrong_for_axe_where_answers_are_open(opened):
    page = opened()
    for item in (ITEMS[0], ITEMS[6], ITEMS[10]):
        review(page, item)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not [(rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] != "minor"]


def test_without_scripts_each_change_has_its_answer_in_a_fold(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("details.review-answer").count() == 30 and page.locator("input").count() == 0
    summary = page.locator("details.review-answer summary").first
    summary.click()
    assert "It breaks its promise." in page.locator("details.review-answer").first.inner_text()


def test_tables_are_said_in_words():
    assert in_words([]) == "no row"
    assert in_words([1.0, 1.0, 10_000.0]) == "1 (2 times), 10,000"
    assert in_words({"a": [10.0], "b": [10.0]}) == "in each column 10"
    assert in_words(list("AAB")) == "A (2 times), B" and in_words(0) == "0"


def test_the_site_has_the_page(visit):
    page = visit("book/review")
    assert page.locator("section.review").count() == 30
    assert page.locator(".review-score").count() == 1
    page.get_by_label("Show the first ten only").check()
    assert page.locator("section.review:visible").count() == 10
