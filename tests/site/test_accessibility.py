"""Every page as axe-core sees it, in both themes, and what a keyboard and a screen reader need beyond its rules."""

from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from one_figure import FRAME
from playwright.sync_api import expect
from site_pages import CHAPTERS, PAGES
from thorough import THOROUGH

AXE = Axe()
# Opens what is folded away, and leaves two of each kind of paragraph, item or row: axe looks at every letter of a
# formula or of code, and would take a minute. Colours of code are looked at below, all of them.
PREPARE = """() => {
  document.querySelectorAll("details").forEach((details) => (details.open = true));
  document.querySelectorAll("mjx-container, .sf-explore-frame svg").forEach((one) => one.replaceChildren());
  [...document.querySelectorAll("pre, dt.sig")].slice(3).forEach((one) => (one.textContent = one.textContent));
  [...document.querySelectorAll("dl.py")].slice(12).forEach((one) => one.remove());
  const name = (one) => one.tagName + one.getAttribute("class");
  const seen = {};
  for (const one of document.querySelectorAll("article :is(p, li, tr), nav li")) {
    if (!one.isConnected) continue;
    const around = [];
    for (let outer = one.parentElement; outer.tagName !== "BODY"; outer = outer.parentElement) around.push(name(outer));
    const kind = [name(one), ...around, ...[...one.querySelectorAll("*")].map(name)].join();
    seen[kind] = (seen[kind] || 0) + 1;
    if (seen[kind] > 2) one.remove();
  }
}"""
SET_THEME = "theme => { document.documentElement.dataset.theme = theme }"
# The lowest contrast of each kind of token in code, with its class, where it is below 4.5.
PALE_TOKENS = """() => {
  const parts = (colour) => {  // red, green and blue from 0 to 1, and how much of what is behind they cover
    const [r, g, b, cover = 1] = colour.match(/[\\d.]+(?:e-\\d+)?/g).map(Number);
    return [...[r, g, b].map((part) => (colour.startsWith("color(") ? part : part / 255)), cover];
  };
  const light = (colour) => colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    const [r, g, b, cover] = parts(getComputedStyle(one).backgroundColor);
    if (cover === 1) return [r, g, b];
    return behind(one.parentElement).map((part, i) => (1 - cover) * part + cover * [r, g, b][i]);
  };
  const pale = {};
  for (const token of document.querySelectorAll(".highlight pre span[class]")) {
    if (!token.textContent.trim() || token.className in pale) continue;
    const [a, b] = [parts(getComputedStyle(token).color).slice(0, 3), behind(token)].map(light);
    pale[token.className] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  return pale;
}"""


def violations(page, **options):
    """Return what axe finds wrong and not only minor, one line for each element."""
    found = AXE.run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in found
        if rule["impact"] != "minor"
        for node in rule["nodes"]
    ]


# The map; a chapter with figures, labs and mathematics; the glossary; the API. All others in the weekly run.
KINDS = ["book/index", CHAPTERS[2], "book/glossary", "book/api/noise", "search"]


@pytest.mark.parametrize("name", [*PAGES, "search", "404"] if THOROUGH else KINDS)
def test_nothing_is_wrong_for_axe(name, visit):
    page = visit(name, reduced_motion="reduce")
    headings = page.locator("article :is(h1, h2, h3, h4, h5, h6)").evaluate_all("all => all.map(one => one.tagName[1])")
    levels = [int(level) for level in headings] or [1]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    tokens = [page.evaluate(f"({SET_THEME})('{theme}') || ({PALE_TOKENS})()") for theme in ("dark", "light")]
    assert not [(token, ratio) for pale in tokens for token, ratio in pale.items() if ratio < 4.5]
    page.evaluate(PREPARE)
    assert not violations(page)
    page.evaluate(SET_THEME, "dark")
    assert not violations(page, runOnly=["color-contrast", "link-in-text-block"])


# By one pixel, too, as an output of chapter 5 does on a laptop.
OUT_OF_REACH = """() => [...document.querySelectorAll("article pre")]
  .filter((box) => box.scrollWidth > box.clientWidth && box.tabIndex !== 0)
  .map((box) => box.textContent)"""


@pytest.mark.parametrize(("name", "width"), [(CHAPTERS[2], 360), ("book/notation", 360), (CHAPTERS[4], 1280)])
def test_what_scrolls_sideways_scrolls_by_keyboard(name, width, visit):
    page = visit(name, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    page.evaluate(FRAME)
    assert page.evaluate(OUT_OF_REACH) == []
    assert not violations(page, runOnly=["scrollable-region-focusable", "target-size"])


def test_the_first_key_skips_to_the_text(visit):
    page = visit(CHAPTERS[2])
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to main content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)  # it slides in
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_a_question_is_answered_by_keyboard_and_says_so(visit):
    page = visit(CHAPTERS[2])
    form = page.locator(".admonition.quiz form", has=page.locator("input[type=radio]")).first
    assert form.get_by_role("group").get_attribute("aria-hidden") is None
    assert len(form.get_by_role("group").locator("legend").inner_text()) > 10
    radios = form.get_by_role("radio").all()
    radios[0].focus()
    page.keyboard.press("Space")
    assert radios[0].is_checked()
    page.keyboard.press("ArrowDown")
    assert radios[1].is_checked() and not radios[0].is_checked()
    page.keyboard.press("Tab")
    button = form.get_by_role("button", name="Check")
    assert button.evaluate("button => button === document.activeElement")
    assert button.evaluate("button => getComputedStyle(button).outlineStyle") != "none"
    page.keyboard.press("Enter")
    assert form.get_by_role("status").inner_text().strip()


def test_what_is_folded_away_says_whether_it_is_open(visit):
    page = visit(CHAPTERS[2])
    session = page.context.new_cdp_session(page)

    def states():
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        folds = [node for node in nodes if not node["ignored"] and node["role"]["value"] == "DisclosureTriangle"]
        return [
            next(value["value"]["value"] for value in node["properties"] if value["name"] == "expanded")
            for node in folds
        ]

    before = states()
    assert len(before) >= page.locator("article details").count() > 5
    assert not any(before)
    page.locator("article details summary").first.press("Enter")
    assert sum(states()) == 1


def test_where_motion_is_unwanted_nothing_moves(visit):
    page = visit(CHAPTERS[2], reduced_motion="reduce")
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].map((one) => [one, getComputedStyle(one)]).filter(([, style]) =>
          parseFloat(style.transitionDuration) || style.animationName !== "none" || style.scrollBehavior === "smooth"
        ).map(([one]) => `${one.tagName}.${one.className}`)"""
    )
    assert not moving


def test_a_cell_of_data_is_headed_by_row_and_column(visit):
    page = visit(CHAPTERS[13])  # the one with the most tables
    headers = page.locator("table.dataframe th")
    assert headers.count() > 5
    assert set(headers.evaluate_all("all => all.map(one => one.scope)")) == {"col", "row"}
    assert all(text.strip() for text in headers.all_text_contents())
