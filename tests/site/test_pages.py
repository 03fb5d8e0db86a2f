"""The built site, page by page, in a browser that can reach no other host."""

import gzip

import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, PAGES, SITE

every_page = pytest.mark.parametrize("name", PAGES)
every_chapter = pytest.mark.parametrize("name", CHAPTERS)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_opens_without_another_host(name, theme, width, visit):
    page = visit(name, theme=theme, width=width)
    assert page.locator("html").get_attribute("data-theme") == theme
    assert page.locator("article h1").count() == 1
    # Nothing pushes the page wider than the screen; wide code and tables scroll by themselves.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not page.evaluate(
        "[...document.querySelectorAll('.math')].filter(m => !m.querySelector('mjx-container')).length"
    )


@every_page
def test_opens_from_its_file(name, visit):
    page = visit(name, address=SITE.as_uri())
    assert page.locator("article h1").count() == 1


@every_page
def test_pictures_say_what_is_seen(name, visit):
    article = visit(name).locator("article")
    for alt in article.locator("img").evaluate_all("images => images.map(image => image.alt)"):
        assert len(alt.split()) >= 5, alt
    for label in article.locator("[role=img]").evaluate_all("all => all.map(one => one.ariaLabel)"):
        assert len(label.split()) >= 5, label


@every_page
def test_has_no_dead_launch_button(name, visit):
    links = visit(name).locator("a").evaluate_all("links => links.map(link => link.href)")
    assert not [link for link in links if "executablebooks" in link or "binder-examples" in link]


@pytest.mark.parametrize("name", ["book/index", *CHAPTERS])
def test_each_slider_moves_its_figure_by_keyboard(name, visit):
    page = visit(name)
    figures = page.locator(".dp-explore").all()
    assert figures
    for figure in figures:
        frame = figure.locator(".dp-explore-frame")
        for slider in figure.locator("input").all():
            before = frame.inner_html(), frame.get_attribute("aria-label"), slider.get_attribute("aria-valuetext")
            slider.focus()
            slider.press("ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight")
            after = frame.inner_html(), frame.get_attribute("aria-label"), slider.get_attribute("aria-valuetext")
            assert all(a != b for a, b in zip(after, before, strict=True))


@every_chapter
def test_each_question_answers_back(name, visit):
    page = visit(name)
    forms = page.locator(".admonition.quiz form").all()
    assert len(forms) == page.locator(".admonition.quiz").count() >= 4
    for form in forms:
        verdict, button = form.locator(".quiz-verdict"), form.locator("button")
        button.click()
        assert verdict.inner_text().endswith("first.")
        choices = form.locator("input").all()
        if choices[0].get_attribute("type") == "text":
            choices[0].fill("-1e9")
            choices[0].press("Enter")
            assert "too small" in verdict.inner_text()
            continue
        outcomes = []
        for choice in choices:
            choice.check()
            button.click()
            outcomes.append(verdict.get_attribute("class").split()[-1])
            assert len(verdict.inner_text()) > 10
            if choice.get_attribute("type") == "checkbox":
                choice.uncheck()
        assert set(outcomes) <= {"right", "wrong"} and "wrong" in outcomes
        # Where several choices belong together, none is right alone.
        assert outcomes.count("right") == (choices[0].get_attribute("type") == "radio")


@every_chapter
def test_stands_without_scripts(name, visit):
    page = visit(name, scripts=False)
    for figure in page.locator(".dp-explore").all():
        assert figure.locator("svg").is_visible() and figure.locator("figcaption").is_visible()
        assert not figure.locator("input").first.is_visible()
    for quiz in page.locator(".admonition.quiz").all():
        assert quiz.locator("ol").first.is_visible()
        assert not quiz.locator("details ol").is_visible()


@every_chapter
def test_solutions_are_folded_away_until_asked_for(name, visit):
    page = visit(name)
    solution = page.locator("details", has_text="Solution").first
    code = page.locator("details", has_text="dp.check").first
    for folded in (solution, code):
        assert folded.get_attribute("open") is None
        folded.locator("summary").focus()
        page.keyboard.press("Enter")
        assert folded.get_attribute("open") is not None


def found_by_search(page, query):
    """Return the paths of the pages that a search finds, in order."""
    page.goto(f"{page.url}?q={query}")
    expect(page.locator(".search-summary")).to_contain_text("finished")  # results appear one by one
    return page.locator("#search-results li > a").evaluate_all("links => links.map(link => link.pathname)")


def test_search_finds_a_word(visit):
    assert "/book/03-differential-privacy.html" in found_by_search(visit("search"), "household")


def test_search_finds_a_theorem_by_its_name(visit):
    assert "/book/12-dp-sgd.html" in found_by_search(visit("search"), "amplification+by+subsampling")[:2]


@every_page
def test_a_page_is_less_than_a_megabyte_on_its_way(name):
    assert len(gzip.compress((SITE / f"{name}.html").read_bytes())) < 1_000_000
