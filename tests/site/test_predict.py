"""Predict: the output that holds the answer is covered until the reader has chosen, or asks for it."""

import pytest
from playwright.sync_api import expect

CHAPTER = "book/03-differential-privacy"
ANSWER = ".cell.tag_answers-predict .cell_output"


@pytest.fixture
def predict(visit):
    page = visit(CHAPTER, width=360)
    expect(page.locator(ANSWER).first).to_be_hidden()
    return page, page.locator(".admonition.quiz", has_text="Predict").first


@pytest.mark.parametrize("choice", [0, 1, 2])
def test_any_choice_uncovers_the_answer_right_or_wrong(predict, choice):
    page, box = predict
    box.get_by_role("button", name="Check").click()  # nothing is chosen
    expect(page.locator(ANSWER).first).to_be_hidden()
    box.locator("input").nth(choice).check()
    box.get_by_role("button", name="Check").click()
    expect(page.locator(ANSWER).first).to_be_visible()
    verdict = box.locator(".quiz-verdict").get_attribute("class")
    assert ("right" in verdict) != ("wrong" in verdict)


def test_who_asks_sees_the_answer_and_stays_there(predict):
    page, _ = predict
    page.get_by_role("button", name="Show the answer").first.press("Enter")
    expect(page.locator(ANSWER).first).to_be_visible()
    expect(page.locator(ANSWER).first).to_be_focused()


def test_without_scripts_nothing_is_covered(visit):
    expect(visit(CHAPTER, scripts=False).locator(ANSWER).first).to_be_visible()
