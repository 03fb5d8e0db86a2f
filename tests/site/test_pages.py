"""The built site, page by page, in a browser that can reach no other host."""

import gzip
import json
import re
from urllib.parse import unquote

import looks
import pytest
from playwright.sync_api import expect
from site_pages import CHAPTERS, PAGES, SITE
from thorough import THOROUGH, sample

OTHERS = [page for page in PAGES if page not in ["book/index", *CHAPTERS]]
LOOKED_AT = ["book/index", *CHAPTERS, *sample(OTHERS, every=6)]
CHANGED = sample(LOOKED_AT, every=6)  # whose theme changes, and whose boxes open: what the same scripts do everywhere
RESIZED = sample(LOOKED_AT, every=3)  # a laptop and a phone are asked of all: what holds there holds between them
UNSET = "[...document.querySelectorAll('.math')].filter(m => !m.querySelector('mjx-container')).length"


@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_holds_what_it_promises(name, visit):
    """One visit, all looks: each is a function, here or in `looks`, and says in its name what must hold."""
    # Every other page is opened on a phone in the dark; the screen changes while it is open.
    theme, other, width = ("light", "dark", 1280) if PAGES.index(name) % 2 else ("dark", "light", 360)
    page = visit(name, theme=theme, width=width)
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", theme)
    assert page.locator("article h1").count() == 1
    assert not page.evaluate(UNSET)
    looks.it_is_light(page)
    pictures_say_what_is_seen(page)
    no_launch_button_is_dead(page)
    if name in CHAPTERS:  # before the answers to its questions make it longer
        looks.something_moves_within_a_screen_and_a_half_at_1366(page)
    if name in CHANGED:
        page.emulate_media(color_scheme=other)
        expect(html).to_have_attribute("data-theme", other)
    if name in CHANGED and name in CHAPTERS:
        solutions_are_folded_away_until_asked_for(page)
    if name in CHAPTERS:
        each_question_answers_back(page, numbers_asked_for(name))
    if name in ["book/index", *CHAPTERS]:
        each_slider_moves_its_figure(page)
    page.evaluate(looks.UNFOLD)
    looks.figures_are_seen_whole_at_1366(page)
    looks.nothing_is_cut_at_360(page)
    if name in RESIZED:
        looks.a_tablet_and_a_lying_phone_show_all_of_a_page(page)
        looks.a_small_phone_and_large_letters_show_all_of_a_page_at_320_and_360(page)


def pictures_say_what_is_seen(page):
    article = page.locator("article")
    for alt in article.locator("img").evaluate_all("images => images.map(image => image.alt)"):
        assert len(alt.split()) >= 5, alt
    for label in article.locator("[role=img]").evaluate_all("all => all.map(one => one.ariaLabel)"):
        assert len(label.split()) >= 5, label


def no_launch_button_is_dead(page):
    links = page.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert not [link for link in links if "executablebooks" in link or "binder-examples" in link]


# Moves each figure's first slider by a step, then each one's second, and so on, and says for which neither picture nor
# words follow; by keyboard: test_moving.py.
MOVE_ALL = """async () => {
  const silent = [], figures = [...document.querySelectorAll(".sf-explore:not(.sf-play)")].map((figure) => {
    const frame = figure.querySelector(".sf-explore-frame");
    const moved = [...figure.querySelectorAll("input[type=range]")];
    return moved.map((slider) => ({ slider, seen: () => [frame.innerHTML, frame.ariaLabel, slider.ariaValueText] }));
  });
  for (let k = 0; figures.some((sliders) => k < sliders.length); k++) {
    const all = figures.flatMap((sliders) => sliders.slice(k, k + 1)), before = all.map(({ seen }) => seen());
    for (const { slider } of all) {
      slider.value = Number(slider.value) + (slider.value === slider.max ? -1 : 1);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    all.forEach(({ slider, seen }, i) => {
      if (seen().some((one, part) => one === before[i][part])) silent.push(slider.outerHTML);
    });
  }
  return silent;
}"""


def each_slider_moves_its_figure(page):
    assert page.locator(".sf-explore").count()
    assert page.evaluate(MOVE_ALL) == []


# Checks without a choice, then each choice alone, or numbers around both ends of those that are right; all at once, as
# a page has forty choices.
ANSWER_ALL = """(asked) => [...document.querySelectorAll(".admonition.quiz form")].map((form) => {
    const verdict = form.querySelector(".quiz-verdict"), choices = [...form.querySelectorAll("input")];
    const check = () => {
        form.querySelector("button").click();
        return { text: verdict.textContent, kind: [...verdict.classList].at(-1) };
    };
    const type = choices[0].type, empty = check();
    if (type === "text") {
        const [number, margin] = asked.shift();
        const inField = (way) => ((choices[0].value = number + way * margin), check());
        const verdicts = [-1.01, -0.99, 0, 0.99, 1.01].map(inField);
        return { type, empty, verdicts };
    }
    const verdicts = choices.map((choice) => {
        choice.click();
        const found = check();
        if (type === "checkbox") choice.click();
        return found;
    });
    if (type === "radio") return { type, empty, verdicts };
    const right = verdicts.map(({ text }) => text.startsWith("Right"));
    choices.forEach((choice, i) => right[i] && choice.click());
    const all = check();
    choices[right.indexOf(false)].click();
    return { type, empty, verdicts, all, more: check() };
})"""


def numbers_asked_for(name):
    """The right numbers of a chapter's questions and their margins, in order, as its source has them."""
    cells = json.loads((SITE.parents[1] / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    found = re.findall(r"^1\. += (\S+) ± (\S+)$", "\n".join("".join(cell["source"]) for cell in cells), re.MULTILINE)
    return [[float(number), float(margin)] for number, margin in found]


def each_question_answers_back(page, numbers):
    answered = page.evaluate(ANSWER_ALL, numbers)
    assert len(answered) == page.locator(".admonition.quiz").count() >= 4
    for question in answered:
        verdicts = question["verdicts"]
        assert question["empty"]["text"].endswith("first.")
        outcomes = [verdict["kind"] for verdict in verdicts]
        if question["type"] == "text":
            assert outcomes == ["wrong", "right", "right", "right", "wrong"]
            assert "too small" in verdicts[0]["text"] and "too large" in verdicts[-1]["text"]
            continue
        assert all(len(verdict["text"]) > 10 for verdict in verdicts)
        assert set(outcomes) <= {"right", "wrong"} and "wrong" in outcomes
        if question["type"] == "radio":
            assert outcomes.count("right") == 1
            continue
        # Several choices belong together: none is right alone, all are, and with a wrong one they aren't any more.
        assert "right" not in outcomes
        missed = [verdict["text"].endswith("There is another right answer.") for verdict in verdicts]
        assert missed == [verdict["text"].startswith("Right") for verdict in verdicts]
        assert question["all"]["kind"] == "right"
        assert question["more"]["kind"] == "wrong"
        assert "another right answer" not in question["more"]["text"]


def solutions_are_folded_away_until_asked_for(page):
    solution = page.locator("details", has_text="Solution").first
    code = page.locator("details", has_text="check(").first
    for folded in (solution, code):
        assert folded.get_attribute("open") is None
        folded.locator("summary").focus()
        page.keyboard.press("Enter")
        assert folded.get_attribute("open") is not None


@pytest.mark.parametrize("name", sample(CHAPTERS, every=10))
def test_figures_stand_without_scripts(name, visit):
    page = visit(name, scripts=False)
    for figure in page.locator(".sf-explore").all():
        panels = figure.locator("svg").all()  # one or more, side by side
        assert panels and all(panel.is_visible() for panel in [*panels, figure.locator("figcaption")])
        assert not figure.locator("input:visible").count()
    for quiz in page.locator(".admonition.quiz").all():
        assert quiz.locator("ol").first.is_visible()
        assert not quiz.locator("details ol").is_visible()


@pytest.mark.parametrize("name", PAGES if THOROUGH else [PAGES[0], CHAPTERS[2], "book/notation"])
def test_opens_from_its_file(name, visit):
    page = visit(name, address=SITE.as_uri())
    assert page.locator("article h1").count() == 1
    assert not page.evaluate(UNSET)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_less_than_a_megabyte_on_its_way(name):
    assert len(gzip.compress((SITE / f"{name}.html").read_bytes())) < 1_000_000


def ids_of(html):
    return set(re.findall(r'\s(?:id|name)="([^"]+)"', html))


@pytest.mark.parametrize("name", PAGES)
def test_each_link_in_head_and_foot_leads_to_something_in_the_site(name):
    path = SITE / f"{name}.html"
    html = path.read_text(encoding="utf-8")
    start, end = html.index("<article"), html.rindex("</article>")  # the chapter's own links are the strict build's
    for link in re.findall(r'\shref="([^"]*)"', html[:start] + html[end:]):
        address, _, part = link.partition("#")
        if re.match(r"[a-z]+:", address):
            continue
        target = path.parent / unquote(address.partition("?")[0]) if address else path
        assert target.exists(), link
        if part:
            assert part in ids_of(target.read_text(encoding="utf-8")), link


def test_the_table_of_all_promises_fits_its_column(visit):
    page = visit("book/24-judging-a-claim", width=1280)
    box = page.locator(".tag_wrap-table .text_html")
    assert box.locator("th").all_inner_texts()[:5] == ["who", "unit", "period", "promise", "status"]
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
