"""A link to a figure sets its sliders, choices and draws, and takes the reader there."""

import html
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK
from matplotlib import pyplot as plt
from site_pages import CHAPTERS, SITE
from thorough import sample

import dp_helpers as dp
from slider_figures import STATIC, website

GAME = "fig-two-worlds"  # of chapter 3
SETTINGS = "(figure) => Object.fromEntries([...figure.settings].map(([name, it]) => [name, String(it.read())]))"
# Goes to another place of the page, and waits until the page has heard of it and drawn.
FOLLOW = """(hash) => new Promise((done) => {
  addEventListener("hashchange", () => requestAnimationFrame(() => requestAnimationFrame(done)), { once: true });
  location.hash = hash;
})"""
# What was asked for is drawn in the next frame.
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
ASKED = "#fig-five-answers?epsilon=0.25&noise=Gauss+%26+co&seed=4"
GIVEN = {"epsilon": "0.25", "noise": "Gauss & co", "seed": "4"}


def five_answers(epsilon, noise, seed):
    fig, ax = plt.subplots()
    ax.plot(np.random.default_rng(seed).laplace(0, 1 / epsilon, 5), [len(noise)] * 5, "o", gid="sample")
    ax.set(xlim=(-99, 99), ylim=(0, 10))
    return fig


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Write a page with two figures, the second with a slider, a choice and draws."""
    with pytest.MonkeyPatch.context() as patch, plt.rc_context():
        patch.setenv("FIGURE_VENUE", "site")
        patch.setattr(website, "_shown", type(website._shown)())
        words = {"alt": "At ε = {epsilon:g}.", "caption": "Five answers.", "draws": 5, "epsilon": [0.1, 1, 10]}
        other = dp.explore(lambda epsilon, seed: five_answers(epsilon, "", seed), **words)
        one = dp.explore(five_answers, noise=["Laplace", "Gauss & co"], initial={"noise": "Laplace"}, **words)
    space = "<p style='height: 200vh'></p>"
    figures = space.join(["", other.data["text/html"], one.data["text/html"], ""])
    scripts = [BOOK / "_static" / "links.js", STATIC / "explore.js"]
    scripts = "".join(f"<script src='{file.as_uri()}'></script>" for file in scripts)
    file = tmp_path_factory.mktemp("links") / "page.html"
    head = f"<link rel='icon' href='data:,'><link rel='stylesheet' href='{STATIC.as_uri()}/explore.css'>"
    file.write_text(f"<!doctype html>{head}{figures}{scripts}", encoding="utf-8")
    return file


@pytest.fixture
def opened(page_file, offline_context):
    """Open the page at an address's end."""

    def open_page(end="", **options):
        page = offline_context.page(**options)
        page.goto(f"{page_file.as_uri()}{end}")
        page.wait_for_function("[...document.querySelectorAll('.sf-explore')].every((one) => 'ready' in one.dataset)")
        page.evaluate(DRAWN)
        return page

    return open_page


def settings(page, figure="fig-five-answers"):
    return page.locator(f"#{figure}").evaluate(SETTINGS)


def in_view(page, figure="fig-five-answers"):
    top = page.locator(f"#{figure}").bounding_box()["y"]
    return -1 <= top < page.viewport_size["height"] / 2


def test_a_link_sets_the_figure_and_goes_there(opened):
    size = {"width": 360, "height": 640}
    page = opened(ASKED, **size)
    assert settings(page) == GIVEN
    assert in_view(page)
    assert settings(page, "fig-lambda")["epsilon"] == "1"  # the other figure stays
    output = page.locator("#fig-five-answers output")
    assert output.inner_text() == "0.25"
    drawn = page.locator("#fig-five-answers .sf-explore-sample").inner_html()
    assert opened(ASKED, **size).locator("#fig-five-answers .sf-explore-sample").inner_html() == drawn


def test_bad_values_change_nothing(opened):
    page = opened("#fig-five-answers?epsilon")
    assert in_view(page)
    for end in (
        "epsilon=abc&noise=Cauchy&seed=5",
        "epsilon=-1&noise=&seed=-1",
        "epsilon=11&seed=1.5",
        "epsilon=NaN&epsilon=Infinity&seed=",
        "__proto__=1&constructor=2&%E0%A4%A=3",
    ):
        page.evaluate(FOLLOW, f"#fig-five-answers?{end}")
        assert settings(page) == {"epsilon": "1", "noise": "Laplace", "seed": "0"}, end


def test_back_and_forward_go_through_the_states(opened):
    page = opened("#fig-five-answers?epsilon=0.1")
    page.evaluate(FOLLOW, ASKED)
    page.wait_for_function("() => document.querySelector('#fig-five-answers output').textContent === '0.25'")
    page.go_back()
    page.wait_for_function("() => document.querySelector('#fig-five-answers output').textContent === '0.1'")
    page.go_forward()
    page.wait_for_function("() => document.querySelector('#fig-five-answers output').textContent === '0.25'")


def test_figures_stand_as_they_were_left_after_back_and_a_reload(opened):
    page = opened(ASKED)
    sliders = page.get_by_role("slider")
    sliders.nth(0).press("End")
    sliders.nth(1).press("Home")
    page.locator("#fig-five-answers").get_by_role("button", name="Draw again").press("Enter")
    left = [settings(page, name) for name in ("fig-lambda", "fig-five-answers")]
    assert left[0]["epsilon"] == "10" and left[1]["epsilon"] == "0.1" and left[1]["noise"] == "Gauss & co"
    ready = "[...document.querySelectorAll('.sf-explore')].every((one) => 'ready' in one.dataset)"
    for again in (page.reload, lambda: (page.goto("about:blank"), page.go_back())):
        again()
        page.wait_for_function(ready)
        assert [settings(page, name) for name in ("fig-lambda", "fig-five-answers")] == left
    assert settings(opened(ASKED)) == GIVEN  # who comes by the link sees what it says


@pytest.mark.parametrize("allowed", [True, False], ids=["clipboard", "no-clipboard"])
def test_the_button_gives_the_link_to_what_is_seen(opened, allowed):
    page = opened(permissions=["clipboard-read", "clipboard-write"] if allowed else [])
    if not allowed:
        page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    figure = page.locator("#fig-five-answers")
    figure.get_by_role("slider").press("End")
    figure.get_by_role("radio", name="Gauss & co").check()
    left = settings(page)
    button = figure.get_by_role("button", name="Copy a link to this figure as it stands")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".figure-link[data-done]")
    assert figure.get_by_role("button").count() == 2
    link = page.evaluate("navigator.clipboard.readText()") if allowed else page.url
    assert link == page.url and page.locator("[data-done]").get_attribute("data-done").startswith(("Link", "The link"))
    assert settings(opened(link.partition("page.html")[2])) == left
    assert left["epsilon"] == "10" and left["noise"] == "Gauss & co"


def test_a_live_figure_is_set_too(visit):
    address = SITE.as_uri()
    page = visit("book/03-differential-privacy", address=address)
    page.goto(f"{address}/book/03-differential-privacy.html#{GAME}?epsilon=0.2&sensitivity=4&other=1")
    page.wait_for_function(f"() => document.querySelector('#{GAME}').settings.get('sensitivity').read() === 4")
    assert float(settings(page, GAME)["epsilon"]) == pytest.approx(0.2, rel=0.01)
    page.evaluate(FOLLOW, f"#{GAME}?epsilon=7&sensitivity=x")
    assert settings(page, GAME)["sensitivity"] == "4"
    assert in_view(page, GAME)


LINKS = re.findall(r'href="([\w-]+)\.html#([\w-]+)\?([^"]*)"', (BOOK / "lecture.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("chapter", "figure", "state"), sample(LINKS, every=6))
def test_the_figures_of_a_course_are_found_in_their_state(chapter, figure, state, visit, serve):
    page = visit(f"book/{chapter}")
    page.evaluate(FOLLOW, f"#{figure}?{html.unescape(state)}")
    shown = settings(page, figure)
    for name, value in parse_qsl(html.unescape(state)):
        same = pytest.approx(float(value), rel=0.01) if value[0].isdigit() else value
        assert (float(shown[name]) if value[0].isdigit() else shown[name]) == same
    assert in_view(page, figure)


def test_no_two_things_of_a_page_have_one_name():
    figures = 0
    for chapter in CHAPTERS:
        text = (SITE / f"{chapter}.html").read_text(encoding="utf-8")
        ids = re.findall(r'<[^<>]* id="(fig-[\w-]*)"', text)
        assert len(ids) == len(set(ids)), chapter
        figures += len(re.findall(r'<figure class="sf-explore[^>]* id="fig-[a-z]', text))
    assert figures > 50
