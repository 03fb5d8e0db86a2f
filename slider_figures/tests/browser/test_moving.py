"""Figures of `explore` on a page: they move, everywhere, without a kernel or another host."""

import io
import itertools
import re
import shutil
from functools import partial

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from PIL import Image

from slider_figures import STATIC, explore
from slider_figures.explore import drawn_at
from slider_figures.frames import Frames
from slider_figures.mixing import coordinates, nearest
from slider_figures.shrinking import PREFIX
from slider_figures.svg import frames
from slider_figures.words import FUNCTIONS, Words, evaluate, parsed

BLUE, ORANGE = "#2A7FBF", "#D55E00"
# Letters of a size for a phone.
STYLE = {"figure.figsize": (4.8, 3), "figure.constrained_layout.use": True, "font.size": 10, "axes.titlesize": 11}
STOPS = np.geomspace(0.1, 2, 25)
SHARES = np.linspace(0.1, 0.9, 5)
DENSITIES_ALT = "At steepness {steepness:.3g} the two densities peak at {steepness:.3g} halves."
DENSITIES_CAPTION = "Two densities with a peak each."
COUNTS = (1, 2, 3, 5, 8)
LINES = np.linspace(-4, 4, 17)
GRID_ALT = "With p = {p:g} and q = {q:g} the chance of a yes rises from q to p."
CLOUD_ALT = "{n} points within {largest_distance:g}."
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8"><title>Sliders</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>
body {{ margin: 0 auto; padding: 0 16px; max-width: 720px; font: 16px/1.6 sans-serif;
  background: var(--pst-color-background); color: var(--pst-color-text-base) }}
html {{ --pst-color-background: #ffffff; --pst-color-text-base: #222832; --pst-color-text-muted: #48566b }}
html[data-theme="dark"] {{ --pst-color-background: #14181e; --pst-color-text-base: #ced6dd;
  --pst-color-text-muted: #9ca4af; --pst-color-primary: #3fb1c5 }}
</style><link rel="stylesheet" href="explore.css"></head><body><main><h1>Sliders</h1>{figures}</main>
<script src="explore.js"></script></body></html>"""


def densities(steepness):
    y = np.linspace(-6, 7, 400)
    fig, ax = plt.subplots()
    for centre, colour, name in ((0, BLUE, "left"), (1, ORANGE, "right")):
        density = steepness / 2 * np.exp(-steepness * np.abs(y - centre))
        ax.plot(y, density, color=colour)
        ax.fill_between(y, density, color=colour, alpha=0.15, linewidth=0)
        ax.text(centre * 8 - 5, 0.9, name, color=colour)
    ax.axvline(0.5, color="black", linestyle="--", linewidth=1)
    ax.set(xlim=(-6, 7), ylim=(0, 1.1), xlabel="place", ylabel="density")
    return fig


def grid(p, q):
    true = np.linspace(0, 1, 11)
    fig, ax = plt.subplots()
    ax.bar(true, q + true * (p - q), width=0.06, color=ORANGE, label="reported")
    ax.plot(true, true, color=BLUE, label="true")
    ax.set(xlim=(-0.05, 1.05), ylim=(0, 1), xlabel="share of yes", ylabel="share reported")
    ax.legend(loc="upper left")
    return fig


def cloud(n, largest_distance):
    points = np.random.default_rng(5).normal(size=(n, 2))
    points *= np.minimum(1, largest_distance / np.linalg.norm(points, axis=1))[:, None]
    fig, ax = plt.subplots()
    ax.scatter(*points.T, s=8, color=ORANGE)
    ax.set(xlim=(-5, 5), ylim=(-4, 4), xlabel=r"$\theta_1$", ylabel=r"$\theta_2$", title="Points")
    return fig


def draws(steepness, seed):
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(seed,)))
    fig, ax = plt.subplots()
    ax.plot(rng.laplace(0, 1 / steepness, 5), range(5), "o", gid="sample")
    ax.set(xlim=(-10, 10), ylim=(-1, 6))
    return fig


def choice(noise):
    fig, ax = plt.subplots()
    ax.plot([0, 1], [0, 1 if noise == "Laplace" else 2])
    ax.set(ylim=(0, 2))
    return fig


def ticks(count):
    fig, ax = plt.subplots()
    ax.vlines(np.linspace(0, 1, count), 0, 1)
    ax.set(xlim=(-1, 2), title=f"{count} ticks")
    return fig


def bars(count):
    """Return a figure whose elements differ: more bars, more names, marks."""
    fig, ax = plt.subplots()
    ax.bar([f"bar {k}" for k in range(count)], range(1, count + 1), color=[BLUE, ORANGE] * count, alpha=count / 9)
    if count != 2:
        ax.plot(range(count), [1] * count, "*", color=ORANGE)
    ax.set(ylim=(0, count))
    return fig


def threshold(line):
    fig, ax = plt.subplots()
    ax.axvline(line)
    ax.set(xlim=(-5, 5), ylim=(0, 1))
    return fig


def threshold_alt(line):
    """Return words with the slider's value, its opposite and its percentage, rounded."""
    return f"From {line:.3g} to {-line:.3g}, which is {100 * line:.3g}%."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages with one slider, with two, and with several figures, each in a light and a dark theme."""
    with pytest.MonkeyPatch.context() as patch, plt.rc_context(STYLE):
        patch.setenv("FIGURE_VENUE", "site")
        shown = {
            "densities": explore(densities, steepness=STOPS, alt=DENSITIES_ALT, caption=DENSITIES_CAPTION),
            "grid": explore(grid, p=SHARES, q=SHARES, alt=GRID_ALT, caption="Reports."),
            "draws": explore(
                draws, steepness=[0.5, 1, 2], draws=3, alt="Draws at steepness {steepness:g}.", caption="Draws."
            ),
            "threshold": explore(threshold, line=LINES, alt=threshold_alt, caption="A line."),
            "few": explore(threshold, line=LINES[::4], alt=threshold_alt, caption="Five stops."),
            "ticks": explore(ticks, count=COUNTS, alt="{count} ticks.", caption="Ticks."),
            "bars": explore(bars, count=COUNTS, alt="{count} bars.", caption="Bars."),
            "choice": explore(choice, noise=["Laplace", "Gaussian"], alt="With {noise} noise.", caption="Two."),
            "cloud": explore(cloud, n=[50, 1_000, 8_000], largest_distance=[1, 2, 3], alt=CLOUD_ALT, caption="Points."),
        }
    figures = {name: figure.data["text/html"] for name, figure in shown.items()}
    figures["several"] = figures["densities"] + figures["cloud"]
    folder = tmp_path_factory.mktemp("pages")
    for name in ("explore.css", "explore.js"):
        shutil.copy(STATIC / name, folder)
    for theme in ("light", "dark"):
        for name, figure in figures.items():
            (folder / f"{name}-{theme}.html").write_text(PAGE.format(theme=theme, figures=figure), encoding="utf-8")
    return folder


@pytest.fixture
def open_page(folder, serve, offline_context):
    """Open a page by name once its sliders are ready."""

    def open_page(name, venue="file", theme="light", width=1280, ready=True, script=None, **options):
        page = offline_context(width=width).new_page() if script else offline_context.page(width=width, **options)
        if script:
            page.add_init_script(script)
        page.goto(f"{folder.as_uri() if venue == 'file' else serve(folder)}/{name}-{theme}.html")
        if ready:
            page.wait_for_selector(".sf-explore[data-ready]")
        return page

    return open_page


# Drags the first slider from end to end in 100 steps and returns the pictures and the texts beside it.
DRAG = """async () => {
  const input = document.querySelector("input[type=range]");
  const [frame, said] = [document.querySelector(".sf-explore-frame"), document.querySelector("output")];
  const seen = [];
  for (let i = 0; i <= 100; i++) {
    input.value = (input.max * i) / 100;
    input.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    seen.push([frame.innerHTML, said.textContent, frame.getBoundingClientRect().height]);
  }
  return seen;
}"""


@pytest.mark.parametrize("name", ["grid", "densities"])
def test_a_drag_shows_pictures_without_end(open_page, name):
    seen = open_page(name, width=360).evaluate(DRAG)
    pictures, texts, heights = zip(*seen, strict=True)
    assert len(set(pictures)) >= 90
    assert len(set(heights)) == 1  # nothing flows anew
    assert len(set(texts)) >= 80  # the value where the slider stands, not that of the nearest mark


SEE_STOPS = """async (pictures) => {
  const [input, frame] = ["input[type=range]", ".sf-explore-frame"].map((name) => document.querySelector(name));
  const wrong = [];
  for (const stop of [...pictures.keys(), ...pictures.keys()].reverse()) {
    input.value = stop;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const drawn = document.createElement("div");
    drawn.innerHTML = pictures[stop];
    if (frame.childNodes.length > 1 || !frame.firstChild.isEqualNode(drawn.firstChild)) wrong.push(stop);
  }
  return wrong;
}"""


@pytest.mark.parametrize(("name", "figure"), [("ticks", ticks), ("bars", bars)])
def test_each_stop_shows_what_python_draws_whatever_stood_there_before(open_page, name, figure):
    with plt.rc_context(STYLE):
        drawn = Frames(frames(partial(drawn_at, figure), [{"count": count} for count in COUNTS]), [len(COUNTS)])
    pictures = [drawn.svg(stop).replace(PREFIX, f"fig-{name}") for stop in range(len(COUNTS))]
    assert len(set(drawn.group)) == len(COUNTS)  # none has as many marks as another one
    assert open_page(name).evaluate(SEE_STOPS, pictures) == []


PICTURES = [
    "<svg><text>words</text></svg>",
    '<svg><text x="1">other words</text></svg>',
    "<svg><text></text></svg>",
    "<svg><text><tspan>x</tspan><tspan>2</tspan></text></svg>",
    '<svg viewBox="0 0 9 9"><g class="a"><path d="M 0 0"/><text>words</text></g><path/></svg>',
    '<svg><path d="M 1 1"/><g><text>words</text><path/><path/></g></svg>',
    '<div class="two"><svg><path/></svg><svg></svg></div>',
]


def test_any_picture_becomes_any_other(open_page):
    becomes = """([before, after]) => {
      const [element, other, wanted] = [before, after, after].map((picture) => {
        const parent = document.createElement("div");
        parent.innerHTML = picture;
        return parent;
      });
      redraw(element, other);
      element.normalize(); // an empty text is none
      return element.isEqualNode(wanted);
    }"""
    page = open_page("choice")
    assert [pair for pair in itertools.permutations(PICTURES, 2) if not page.evaluate(becomes, pair)] == []


@pytest.mark.parametrize("name", ["ticks", "densities"])
def test_a_slider_that_moves_changes_what_is_there(open_page, name):
    """A new element would have the browser look for what on the whole page depends on it, at each move."""
    page = open_page(name)
    page.evaluate("""() => {
        window.changed = [];
        const watch = new MutationObserver((all) => changed.push(...all.map(({ target }) => target.outerHTML)));
        watch.observe(document.querySelector(".sf-explore-frame"), { childList: true, subtree: true });
    }""")
    pictures = {picture for picture, *_ in page.evaluate(DRAG)}
    assert len(pictures) >= len(COUNTS)
    assert page.evaluate("changed") == []


def test_no_rule_depends_on_what_is_in_a_picture():
    """It would be asked anew of the whole page wherever an element of a picture comes or goes."""
    style = (STATIC / "explore.css").read_text("utf-8")
    assert set(re.findall(r":has\(([^)]*)\)", style)) == {"> .sf-explore"}


def test_numbers_in_words_move_with_the_picture_and_are_exact_for_the_slider_itself(open_page):
    page = open_page("densities")
    slider, value = page.get_by_role("slider", name="steepness"), page.locator("output").first
    slider.evaluate("(input) => { input.value = 3.3; input.dispatchEvent(new Event('input', {bubbles: true})); }")
    page.wait_for_selector(f"[aria-label='{DENSITIES_ALT.format(steepness=float(f'{between(3.3):.3g}'))}']")
    assert float(value.inner_text()) == pytest.approx(between(3.3), rel=5e-3) not in STOPS


def test_a_sliders_own_value_in_words_keeps_its_sign(open_page):
    page = open_page("threshold")
    for place in np.arange(0.5, 16):
        line = (LINES[int(place)] + LINES[int(place) + 1]) / 2
        said = page.evaluate(
            """async (place) => {
              const input = document.querySelector("input[type=range]");
              input.value = place;
              input.dispatchEvent(new Event("input", { bubbles: true }));
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              return document.querySelector(".sf-explore-frame").getAttribute("aria-label");
            }""",
            float(place),
        )
        assert said == threshold_alt(line).replace("-", "−")


def between(place):
    """Return the steepness at a place between two stops, whose ratios are equal."""
    low = int(place)
    return STOPS[low] * (STOPS[low + 1] / STOPS[low]) ** (place - low)


def test_the_page_mixes_with_the_weights_of_the_package(open_page):
    page = open_page("densities")
    line = coordinates(STOPS, log=True)
    for place in (line[0], 0.4 * line[0] + 0.6 * line[1], line[3] + 0.01, line[-1] - 0.02, line[-1]):
        page_weights = dict(page.evaluate("([line, place]) => nearest(line, place)", [line.tolist(), float(place)]))
        weights = {k: weight for k, weight in nearest(line, place) if abs(weight) > 1e-12}
        assert page_weights == pytest.approx(weights)


EXPRESSIONS = """a + b * c - a / c; a ** 2 % 3; -a; exp(a); expm1(b / 9); log(c); log1p(c); sqrt(c); tanh(a); floor(a)
ceil(a); abs(a); min(a, b, c); max(a, 1); Phi(a); Phi(3 * a); Phi(b - 9); 1 if a < b else c if a >= 1 else 0; n * 0.125
2 if noise == 'Laplace' else a; 1 if n != 3 else 2; 1 if c <= 1 else 2; 1 if c > 1 else 3"""
TEMPLATES = """{a:.2f} {b:,.0f} {c:.1%} {a:+.0%}; {a:g} {b:.3g} {1000 * c:,.2g} {exp(9 * b):.4g} {exp(-9 * c):.2g}; {n}
{n:,} {n:d} {n / 8:.2f} {n / 8:.0f} {n / 2:.0%} {-n / 8:.1f} {0 * n:g}; {noise} noise; {exp(b):.3e} {c / 1e7:.1e}; {a}
{9 * b:,} at {f'{n:,} people' if n > 9 else 'a few'}; {10 ** n:g}; {1e5 * n:g} {99999.95:.6g} {0.00009999:.2g}"""


def random_values(rng):
    noise = ["Laplace", "Gaussian"][rng.integers(2)]
    return {
        "a": rng.normal(),
        "b": rng.uniform(-9, 9),
        "c": float(rng.exponential()),
        "n": int(rng.integers(1, 40)),
        "noise": noise,
    }


@pytest.mark.parametrize("kind", ["expressions", "templates"])
def test_the_page_computes_as_python_does(open_page, kind):
    page, rng = open_page("choice"), np.random.default_rng(5)
    values = [random_values(rng) for _ in range(300)]
    for text in (EXPRESSIONS if kind == "expressions" else TEMPLATES).replace("\n", ";").split(";"):
        tree = parsed("it", text.strip(), list(values[0]), template=kind == "templates")
        found = page.evaluate("([tree, all]) => all.map((known) => evaluate(tree, known))", [tree, values])
        drawn = [evaluate(tree, known) for known in values]
        assert found == (drawn if kind == "templates" else pytest.approx(drawn, rel=1e-12, abs=1e-300)), text


def test_all_functions_are_tried():
    assert all(f"{name}(" in EXPRESSIONS for name in FUNCTIONS)


SLIDERS = {"epsilon": tuple(np.geomspace(0.1, 10, 9).tolist()), "k": (1, 5, 40), "kind": ("a", "b"), "seed": (0, 1, 2)}
FUNCTION_WORDS = {
    "smooth": lambda epsilon, k: np.sqrt(k) / epsilon + np.tanh(epsilon),
    "stairs": lambda epsilon: float(np.floor(3 * epsilon)),
    "text": lambda kind, k: f"{k} of {kind}",
    "drawn": lambda seed: float(np.random.default_rng(seed).normal()),
}


def test_the_page_reads_tables_of_functions(open_page):
    page, rng = open_page("choice"), np.random.default_rng(6)
    words = Words(FUNCTION_WORDS, SLIDERS)
    tables = dict(words.data(stepping=[]))
    values = []
    for _ in range(200):
        known = {"epsilon": float(f"{np.exp(rng.uniform(np.log(0.1), np.log(10))):.3g}"), "k": int(rng.integers(1, 41))}
        known |= {"kind": "ab"[rng.integers(2)], "seed": int(rng.integers(3))}
        values.append(known)
    for name, table in tables.items():
        found = page.evaluate("([table, values]) => values.map((known) => lookUp(table, known))", [table, values])
        for one, known in zip(found, values, strict=True):
            right = words.at(known)[name]
            assert one == (right if name == "text" else pytest.approx(right, rel=2e-5)), (name, known)


DRAWN_OVER = """count => {
    const before = [...document.querySelectorAll(".sf-explore-before")].map((marks) => marks.innerHTML);
    return before.length === count && before.at(-1) !== document.querySelector(".sf-explore-sample").innerHTML;
}"""


def test_a_figure_can_be_drawn_again_and_keeps_faint_marks(open_page):
    page = open_page("draws")
    frame, button = page.locator(".sf-explore-frame"), page.get_by_role("button", name="Draw again")
    seen = [frame.inner_html()]
    for count in (1, 2):
        button.press("Enter")
        page.wait_for_function(DRAWN_OVER, arg=count)
        seen.append(page.locator(".sf-explore-sample").inner_html())
    assert len(set(seen)) == 3
    button.press("Enter")  # the last of three draws: from the first one on again, on a clean figure
    page.wait_for_function("first => document.querySelector('.sf-explore-frame').innerHTML === first", arg=seen[0])
    assert page.locator(".sf-explore-before").count() == 0
    button.press("Enter")
    page.get_by_role("slider").press("End")
    page.wait_for_function("() => !document.querySelector('.sf-explore-before')")


PUT = """async (input, stop) => {
    input.value = stop ?? input.value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.querySelector(".sf-explore-sample").innerHTML;
}"""


def test_who_takes_hold_of_a_slider_sees_fresh_noise_that_scales_while_it_is_held(open_page):
    page = open_page("draws")
    slider = page.get_by_role("slider")
    first = slider.evaluate(PUT, 0)
    slider.focus()
    page.keyboard.down("ArrowRight")
    page.keyboard.down("ArrowRight")  # held: no third draw
    second = slider.evaluate(PUT, 2)
    page.keyboard.up("ArrowRight")
    assert slider.evaluate(PUT, 0) != first
    assert slider.evaluate(PUT, 2) == second
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    third = [slider.evaluate(PUT, stop) for stop in (0, 2)]
    page.mouse.up()
    assert third[0] != first and third[1] != second


def test_two_stops_are_a_choice(open_page):
    page = open_page("choice")
    assert page.get_by_role("radiogroup", name="noise").get_by_role("radio").count() == 2
    page.get_by_role("radio", name="Laplace").check()
    page.wait_for_selector("[aria-label='With Laplace noise.']")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("[aria-label='With Gaussian noise.']")


def test_works_by_keyboard(open_page):
    page = open_page("densities", "served", "dark")
    start = page.locator(".sf-explore-frame").inner_html()
    page.keyboard.press("Tab")
    slider = page.locator("input:focus-visible")
    assert slider.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    for key, position in (("ArrowRight", 13), ("ArrowLeft", 12), ("Home", 0), ("End", 24), ("ArrowDown", 23)):
        page.keyboard.press(key)
        steepness = STOPS[position]
        page.wait_for_selector(f"[aria-label='{DENSITIES_ALT.format(steepness=steepness)}']")
        assert slider.get_attribute("aria-valuetext") == page.locator("output").inner_text()
        assert float(page.locator("output").inner_text()) == pytest.approx(steepness, rel=1e-3)
        assert page.get_by_role("img", name=DENSITIES_ALT.format(steepness=steepness)).count() == 1
        assert (page.locator(".sf-explore-frame").inner_html() == start) == (position == 12), position


def test_arrow_keys_stand_between_few_stops_too(open_page):
    page = open_page("few")
    slider, value = page.get_by_role("slider"), page.locator("output")
    for key, line in (("ArrowRight", 1), ("ArrowRight", 2), ("End", 4), ("ArrowLeft", 3), ("ArrowUp", 4)):
        slider.press(key)
        page.wait_for_selector(f"[aria-label='{threshold_alt(line).replace('-', '−')}']")
        assert value.inner_text() == str(line)


def test_the_frame_belongs_to_all_sliders_together(open_page):
    page = open_page("grid")
    assert not page.get_by_text("need JavaScript").is_visible()
    first, second = page.get_by_role("slider").all()
    for keys, p, q in ((("Home", "End"), 0.1, 0.9), (("End", "Home"), 0.9, 0.1)):
        first.press(keys[0])
        second.press(keys[1])
        page.wait_for_selector(f"[aria-label='{GRID_ALT.format(p=p, q=q)}']")


@pytest.mark.parametrize(("way", "moves"), [((0, -150), False), ((120, 0), True)], ids=["vertical", "horizontal"])
def test_a_swipe_over_the_page_leaves_the_slider_where_it_was(open_page, way, moves):
    page = open_page("several", width=360, has_touch=True, is_mobile=True)
    slider = page.get_by_role("slider").first
    before = slider.input_value()
    box = slider.bounding_box()
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", (x, y))
    for k in range(1, 11):
        touch("touchMove", (x + way[0] * k / 10, y + way[1] * k / 10))
    touch("touchEnd")
    if not moves:
        page.wait_for_function("scrollY > 50")
    assert (slider.input_value() != before) == moves


def accessible(page):
    """Return role and name of everything in the browser's own accessibility tree."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    return {(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node}


def test_label_value_and_sentence_are_exposed(open_page):
    page = open_page("several")
    seen = accessible(page)
    assert {
        ("slider", "steepness"),
        ("slider", "n"),
        ("slider", "largest distance"),
        ("figure", DENSITIES_CAPTION),
    } <= seen
    assert ("image", CLOUD_ALT.format(n=1000, largest_distance=2)) in seen
    bound, value = page.get_by_role("slider", name="largest distance"), page.locator("output").last
    assert bound.get_attribute("aria-valuetext") == value.inner_text() == "2"
    bound.press("Home")
    page.wait_for_selector(f"[aria-label='{CLOUD_ALT.format(n=1000, largest_distance=1)}']")
    assert bound.get_attribute("aria-valuetext") == value.inner_text() == "1"
    assert ("image", CLOUD_ALT.format(n=1000, largest_distance=1)) in accessible(page)


def test_a_screen_reader_hears_where_the_slider_comes_to_rest(open_page):
    page = open_page("densities")
    said = page.locator("[aria-live=polite]")
    assert said.inner_text() == ""
    page.get_by_role("slider").press("Home")
    page.get_by_role("slider").press("End")
    said.get_by_text(DENSITIES_ALT.format(steepness=2)).wait_for(state="attached")
    assert said.evaluate("e => e.getBoundingClientRect().width") == 1


@pytest.mark.parametrize(
    "options", [{"java_script_enabled": False}, {"script": "delete window.DecompressionStream"}], ids=["off", "old"]
)
def test_without_script_the_start_frame_stands(open_page, options):
    page = open_page("grid", width=360, ready=False, **options)
    assert page.get_by_role("img", name=GRID_ALT.format(p=0.5, q=0.5)).is_visible()
    assert page.get_by_text("share reported").is_visible()
    assert page.get_by_text("Reports.").is_visible()
    assert page.get_by_text("need JavaScript and a browser from 2023 or later").is_visible()
    assert page.get_by_text("shown at p = 0.5, q = 0.5.").is_visible()
    assert page.get_by_role("slider").count() == 0


def test_figures_on_a_page_move_on_their_own(open_page):
    page = open_page("several")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) > 6
    densities, cloud = page.locator(".sf-explore-frame").all()
    before = densities.inner_html(), cloud.inner_html()
    page.get_by_role("slider", name="steepness").press("End")
    page.wait_for_selector(f"[aria-label='{DENSITIES_ALT.format(steepness=2)}']")
    assert densities.inner_html() != before[0] and cloud.inner_html() == before[1]


def test_text_and_axes_take_the_pages_colour(open_page):
    page = open_page("densities", theme="dark")
    colours = page.evaluate("""() => {
      const look = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
      const strokes = [...document.querySelectorAll("svg path")].map(e => getComputedStyle(e).stroke);
      const body = look("body", "color");
      return {body, text: look("svg text", "fill"), inked: strokes.filter(s => s === body).length,
              black: strokes.filter(s => s === "rgb(0, 0, 0)").length, font: look("svg text", "fontFamily")};
    }""")
    assert colours["text"] == colours["body"] == "rgb(206, 214, 221)"
    assert colours["inked"] >= 3 and colours["black"] == 0
    assert colours["font"] == "sans-serif"


def test_heavy_points_are_seen_in_their_colour(open_page):
    page = open_page("cloud", theme="dark")
    counts = []
    for key in ("End", "Home"):
        page.get_by_label("n", exact=True).press(key)
        page.wait_for_selector(f"[aria-label^='{8000 if key == 'End' else 50} points']")
        assert page.locator("svg image").count() == (key == "End")
        pixels = np.asarray(Image.open(io.BytesIO(page.locator("svg").screenshot())).convert("RGB")).astype(int)
        counts.append(np.sum(np.abs(pixels - np.multiply(to_rgb(ORANGE), 255)).max(axis=2) < 12))
    assert counts[0] > 10 * counts[1] > 0


TEXTS = """[...document.querySelectorAll("svg text")].filter(e => e.textContent.trim()).map(e => {
  const box = e.getBoundingClientRect(), svg = e.closest("svg").getBoundingClientRect(), matrix = e.getScreenCTM();
  const size = parseFloat(getComputedStyle(e.querySelector("tspan") ?? e).fontSize);
  return {text: e.textContent, size: size * Math.hypot(matrix.a, matrix.b),
          left: box.left - svg.left, right: svg.right - box.right,
          top: box.top - svg.top, bottom: svg.bottom - box.bottom};
})"""


@pytest.mark.parametrize("name", ["densities", "grid", "cloud"])
def test_text_is_readable_and_inside_the_figure(open_page, name):
    page = open_page(name)
    for width in (1280, 360, 768):
        page.set_viewport_size({"width": width, "height": 800})
        texts = page.evaluate(TEXTS)
        assert len(texts) > 8
        for text in texts:
            assert 9 <= text["size"] <= 18, (width, text)
            assert min(text["left"], text["right"], text["top"], text["bottom"]) > -6, (width, text)
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_print_shows_values_without_sliders(open_page):
    page = open_page("grid")
    page.emulate_media(media="print")
    assert not page.get_by_role("slider").first.is_visible()
    assert page.get_by_text("0.5", exact=True).first.is_visible()
    assert page.locator("svg").is_visible()
