"""`explore` in its three venues, page, notebook and live kernel, and `play`."""

import ast
import base64
import hashlib
import inspect
import io
import itertools
import json
import math
import os
import re
import zlib
from html.parser import HTMLParser
from xml.etree import ElementTree

import ipywidgets
import jupyter_client.manager
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.scale import LogScale, register_scale
from PIL import Image

import slider_figures
from slider_figures import frames, mixing, svg, website
from slider_figures.explore import drawn_at
from slider_figures.words import Words

ALT = "The line ends at {height:g}."
CAPTION = "A line."
ORANGE = "#D55E00"


def line(height=1.0, p=0.5):
    fig, ax = plt.subplots()
    ax.plot([0, 1], [p, height])
    ax.set(xlim=(0, 1), ylim=(0, 10), title=f"height {height} and p {p}")
    ax.set(xticks=[0, 1], yticks=[0, 10])  # every tick is drawn anew in hundreds of frames
    return fig


@pytest.fixture
def venue(monkeypatch):
    def choose(name):
        monkeypatch.setenv("FIGURE_VENUE", name)

    # Two figures of one test are not two figures of one page.
    monkeypatch.setattr(website, "_shown", type(website._shown)())
    return choose


@pytest.fixture(autouse=True)
def nothing_left_open():
    plt.close("all")  # what another module left is not this one's, nor is its style
    with mpl.rc_context(mpl.rcParamsDefault):
        yield
    left = plt.get_fignums()
    plt.close("all")
    assert not left


def explore(**changes):
    arguments = {"figure": line, "alt": ALT, "caption": CAPTION, "height": [0.5, 1, 2]} | changes
    return slider_figures.explore(arguments.pop("figure"), **arguments)


# Arguments: everything wrong is said before anything is drawn.


def never(**_):
    raise AssertionError("drawn before the arguments were checked")


WRONG = {
    "not a list": ({"height": 0.5}, TypeError, "height must be a list or array of the slider's values, got 0.5"),
    "a string": ({"height": "abc"}, TypeError, "height must be a list"),
    "a set has no order": ({"height": {1, 2}}, TypeError, "height must be a list"),
    "one value": ({"height": [1]}, ValueError, "height must hold at least two values"),
    "twice": ({"height": [1, 2, 2]}, ValueError, "height must not hold a value twice, got 2 2 times"),
    "mixed": ({"height": [1, "2"]}, TypeError, "height must hold numbers only or strings only"),
    "nan": ({"height": [1, float("nan")]}, ValueError, "each value of height must be a finite number, got nan"),
    "infinite": ({"height": np.array([1, np.inf])}, ValueError, "each value of height must be a finite number"),
    "a bool": ({"height": [False, True]}, TypeError, "each value of height must be a number, got False"),
    "rows": ({"height": np.eye(2)}, TypeError, "each value of height must be a number"),
    "falling": ({"height": [2, 1]}, ValueError, "height must be in increasing order"),
    "blank": ({"height": ["a", " "]}, ValueError, "height must not hold an empty string"),
    "1201 frames": ({"height": range(1201)}, ValueError, r"at most 1200 frames, got 1201 \(1201 of height\)"),
    "grid": ({"p": range(31), "height": range(40)}, ValueError, r"got 1240 \(40 of height by 31 of p\)"),
    "many draws": ({"height": range(101), "draws": 12}, ValueError, r"got 1212 \(101 of height by 12 draws\)"),
    "no draw": ({"draws": 0}, ValueError, "draws must be at least 1, got 0"),
    "half a draw": ({"draws": 1.5}, TypeError, "draws must be"),
    "seed not taken": ({"figure": lambda height: None, "draws": 2}, TypeError, r"as keywords \(height, seed\)"),
    "labels not a dict": ({"labels": "ε"}, TypeError, "labels must be a dict by slider, got 'ε'"),
    "label of no slider": ({"labels": {"eps": "ε"}}, ValueError, "a name in labels must be one of 'height', got"),
    "label no text": ({"labels": {"height": 3}}, TypeError, r"labels\['height'\] must be a sentence, got 3"),
    "initial name": ({"initial": {"eps": 1}}, ValueError, "a name in initial must be one of 'height', got 'eps'"),
    "initial value": ({"initial": {"height": 3}}, ValueError, r"initial\['height'\] must be one of .*, got 3"),
    "initial type": ({"initial": {"height": "1"}}, ValueError, r"initial\['height'\] must be one of .*, got '1'"),
    "alt field": ({"alt": "At {eps:g}."}, ValueError, "a field of alt must be one of 'height', got 'eps'"),
    "alt braces": ({"alt": "At {height."}, ValueError, "alt must be a format string"),
    "alt format": ({"alt": "At {height:q}."}, ValueError, "a format of alt must be one such as :g, .* got 'q'"),
    "alt fails": ({"alt": "At {1 / (height - 1):g}."}, RuntimeError, "alt failed at height=1.0: ZeroDivisionError"),
    "alt of attributes": (
        {"alt": "At {height.real:g}."},
        ValueError,
        "alt must hold numbers, sliders, words",
    ),
    "alt calls": ({"alt": "At {open(height):g}."}, ValueError, "alt must hold numbers, sliders, words"),
    "words no dict": ({"words": ["exp(height)"]}, TypeError, "words must be a dict by name"),
    "word of another type": ({"words": {"odds": None}}, TypeError, r"words\['odds'\] must be a number, got None"),
    "word no expression": ({"words": {"odds": "exp("}}, ValueError, r"words\['odds'\] must be an expression"),
    "word named as a slider": ({"words": {"height": "1"}}, ValueError, "must not be a slider's, got 'height'"),
    "word of a later word": ({"words": {"a": "b", "b": "1"}}, ValueError, r"words\['a'\] must be one of 'height', got"),
    "word of no slider": (
        {"words": {"a": lambda x: x}},
        ValueError,
        r"words\['a'\] must take sliders",
    ),
    "texts with an unknown word": ({"texts": ["{odds:g}"]}, ValueError, "a field of texts must be one of 'height'"),
    "alt without field": ({"alt": "A line."}, ValueError, r"name a slider \({height}\)"),
    "alt empty": ({"alt": " "}, ValueError, "alt must be a sentence, got an empty text"),
    "alt type": ({"alt": None}, TypeError, "alt must be a format string or a function"),
    "alt says nothing": ({"alt": lambda height: ""}, ValueError, "alt at height=1.0 must be a sentence"),
    "alt returns nothing": ({"alt": lambda height: None}, TypeError, "alt at height=1.0 must be a sentence"),
    "caption empty": ({"caption": "\n"}, ValueError, "caption must be a sentence"),
    "no function": ({"figure": 1}, TypeError, "figure must be a function"),
    "other keywords": ({"figure": lambda p: None}, TypeError, r"figure must take the sliders as keywords \(height\)"),
    "keyword left over": ({"figure": lambda height, p: None}, TypeError, "missing a required argument: 'p'"),
}


@pytest.mark.parametrize("where", ["site", "notebook", "live"])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_say_what_to_change(case, where, venue):
    venue(where)
    changes, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        explore(**{"figure": never, "height": [0.5, 1.0, 2.0]} | changes)


def test_explore_needs_a_slider():
    with pytest.raises(ValueError, match=r"explore needs at least one slider, .* such as height=\[0.5, 1, 2\]"):
        slider_figures.explore(never, alt=ALT, caption=CAPTION)


def test_at_most_1200_frames_are_enough(venue):
    venue("notebook")
    assert "(1200 values)" in repr(explore(height=range(1, 1201)))


def test_unknown_venue_is_an_error(venue):
    venue("web")
    with pytest.raises(ValueError, match="FIGURE_VENUE must be one of 'site', 'notebook', 'live', got 'web'"):
        explore(figure=never)


@pytest.mark.parametrize(
    ("returned", "given"), [(lambda ax: None, "None"), (lambda ax: ax, "Axes"), (lambda ax: [ax.figure], "list")]
)
def test_a_function_that_returns_no_figure_is_told_so(venue, returned, given):
    venue("notebook")

    def wrong(height):
        return returned(plt.subplots()[1])

    with pytest.raises(
        TypeError, match=rf"must return a matplotlib Figure, got {given} at height=1\.0; .*`return fig`"
    ):
        explore(figure=wrong, height=[0.5, 1.0, 2.0])


def test_a_figure_that_fails_is_named_by_its_values(venue):
    def fails(height, p):
        plt.figure()
        plt.figure()
        if p == "high" and height == 2:
            raise ZeroDivisionError("no room")
        return line()

    venue("site")
    with pytest.raises(
        RuntimeError, match=r"figure failed at height=2\.0, p='high': ZeroDivisionError: no room"
    ) as info:
        explore(figure=fails, p=["low", "high"])
    assert isinstance(info.value.__cause__, ZeroDivisionError)
    # Elsewhere nothing but the start frame is drawn.
    venue("notebook")
    assert "image/png" in explore(figure=fails, p=["low", "high"]).data


def test_a_figure_that_can_not_be_drawn_is_named_by_its_values(venue):
    def unfinished(height):
        fig = line()
        fig.axes[0].set_title("$unclosed{$")
        return fig

    venue("notebook")
    with pytest.raises(RuntimeError, match="figure failed at height=1: ValueError"):
        explore(figure=unfinished, height=[0, 1, 2])


@pytest.mark.parametrize("where", ["site", "notebook", "live"])
def test_pyplot_stays_as_it_was(venue, where):
    venue(where)
    mine, other = plt.figure(), plt.figure()
    plt.figure(mine)

    def restless(height):
        mpl.rcParams["lines.linewidth"] = 40
        plt.figure()
        return line(height)

    explore(figure=restless)
    assert plt.get_fignums() == [mine.number, other.number]
    assert plt.gcf() is mine
    assert mpl.rcParams["lines.linewidth"] != 40
    plt.close("all")


# Values, names and texts


def test_figures_get_pythons_own_numbers(venue):
    venue("site")
    seen = []

    def figure(height, n, kind):
        seen.append((height, n, kind))
        return line()

    explore(figure=figure, height=np.array([0, 0.5]), n=pd.Series([1, 10]), kind=pd.Index(["a", "b"]))
    assert seen == list(itertools.product([0.0, 0.5], [1, 10], ["a", "b"]))
    assert {tuple(map(type, values)) for values in seen} == {(float, int, str)}


def test_readers_see_names_and_numbers_as_in_the_text(venue):
    venue("notebook")
    text = repr(
        explore(
            figure=lambda **_: line(),
            height=np.geomspace(0.1, 10, 7),
            risk=[1e-6, 2.5e-5],
            n=[1_000, 2_000_000],
            clipping_bound=[-1, 1.25],
            labels={"n": "people"},
        )
    )
    assert text.endswith(
        "Sliders: height from 0.1 to 10 (7 values), risk from 10⁻⁶ to 2.5×10⁻⁵ (2 values), "
        "people from 1,000 to 2,000,000 (2 values), clipping bound from −1 to 1.25 (2 values)."
    )


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.1, 0.30000000000000004], ["0.1", "0.3"]),
        ([0, 0.121153, 12345.678], ["0", "0.1212", "12,346"]),
        ([1, 1.00001], ["1", "1.00001"]),
        ([-2, 0, 2], ["−2", "0", "2"]),
        ([1e-9, 3e12], ["10⁻⁹", "3×10¹²"]),
    ],
)
def test_values_that_differ_look_different(venue, values, texts):
    venue("site")
    assert unpack(explore(height=values))["texts"] == [texts]


def test_a_name_for_all_figures_yields_to_that_of_one(venue, monkeypatch):
    venue("notebook")
    monkeypatch.setitem(slider_figures.LABELS, "height", "height in m")
    assert "Slider: height in m from" in repr(explore())
    assert "Slider: how high from" in repr(explore(labels={"height": "how high"}))


def test_initial_values_are_found_by_their_number(venue):
    venue("notebook")
    shares = np.linspace(0, 1, 11)
    assert shares[3] != 0.3
    assert "ends at 0.3." in repr(explore(height=shares, initial={"height": 0.3}))
    assert "ends at 0.5." in repr(explore(height=shares))


# Notebook


def test_notebook_shows_the_start_frame_and_its_caption_the_same_each_time(venue):
    venue("notebook")
    once, again, moved = explore(), explore(), explore(initial={"height": 2})
    assert (once.data, once.metadata) == (again.data, again.metadata) == once._repr_mimebundle_()
    said = f"The line ends at 1. {CAPTION} Slider: height from 0.5 to 2 (3 values)."
    assert once.data["text/plain"] == repr(once) == said
    assert once.metadata["image/png"] == {"alt": "The line ends at 1."}
    assert moved.data["image/png"] != once.data["image/png"]
    bare = Image.open(io.BytesIO(base64.b64decode(explore(caption=".").data["image/png"])))
    captioned = Image.open(io.BytesIO(base64.b64decode(explore(caption="Words. " * 60).data["image/png"])))
    assert captioned.height > bare.height + 40  # the caption takes several lines of room below


# Website


def unpack(shown):
    """Return what the page's script unpacks."""
    packed = re.search(r'<script type="text/plain">([^<]*)</script>', shown.data["text/html"])[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def frames_of(shown):
    """Return the SVG of every frame, put together from what travels as the page's script does it."""
    data, made = unpack(shown), []
    numbers = [[np.cumsum(steps) for steps in group["numbers"]] for group in data["groups"]]
    for k, place in zip(data["group"], data["place"], strict=True):
        group, values = data["groups"][k], (values[place] for values in numbers[k])
        root = ElementTree.fromstring(group["svg"])
        elements = list(root.iter())
        for i, name, gaps in group["slots"]:
            elements[i].set(name, gaps[0] + "".join(f"{next(values) / 100:g}{gap}" for gap in gaps[1:]))
        for i, name, texts in group["choices"]:
            if name:
                elements[i].set(name, texts[place])
            else:
                elements[i].text = texts[place]
        assert not [*values]
        made.append(ElementTree.tostring(root, encoding="unicode"))
    return made


class Ids(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.references = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.references += [attributes["for"]] if "for" in attributes else []
        self.references += re.findall(r"#([\w-]+)", " ".join(attributes.get(a) or "" for a in ("href", "clip-path")))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (1e-05, "10⁻⁵"),
        (1e-10, "10⁻¹⁰"),
        (-3e-07, "−3×10⁻⁷"),
        (2.5e16, "2.5×10¹⁶"),
        (-0.7, "−0.7"),
        (0.7, "0.7"),
    ],
)
def test_numbers_of_a_sentence_are_written_as_a_slider_writes_them(venue, given, read):
    venue("notebook")
    shown = explore(height=[given, 1e17], initial={"height": given}, alt="A line-up at {height:g}-fold, (-1 to 2e3).")
    assert shown.metadata["image/png"]["alt"] == f"A line-up at {read}-fold, (−1 to 2e3)."


def test_page_carries_the_frame_and_sentence_of_every_combination(venue):
    venue("site")
    shown = explore(p=[0.1, 0.2], alt="{height:g} and {p:g}", initial={"height": 0.5, "p": 0.2})
    data = unpack(shown)
    grid = list(itertools.product([0.5, 1, 2], [0.1, 0.2]))
    assert data["alt"] == ["join", ["format", "height", "g"], ["text", " and "], ["format", "p", "g"]]
    assert data["texts"] == [["0.5", "1", "2"], ["0.1", "0.2"]]
    for (height, p), frame in zip(grid, frames_of(shown), strict=True):
        assert f"height {float(height)} and p {p}" in frame  # the title, still a text
    page = shown.data["text/html"]
    assert "height 0.5 and p 0.2" in page.split("<script")[0]
    assert 'role="img" aria-label="0.5 and 0.2"' in page
    assert "shown at height = 0.5, p = 0.2." in page
    assert f">{CAPTION}</figcaption>" in page


def test_page_is_the_same_each_build_and_its_ids_are_unique(venue, monkeypatch):
    venue("site")
    one = explore().data["text/html"]
    same = explore().data["text/html"]
    other = explore(figure=lambda height: line(height, 0.9)).data["text/html"]
    monkeypatch.setattr(website, "_shown", type(website._shown)())
    assert explore().data["text/html"] == one
    ids = Ids(one + same + other)
    assert len(ids.ids) == len(set(ids.ids)) > 10
    assert set(ids.references) <= set(ids.ids)
    for frame in frames_of(explore()):
        frame_ids = Ids(frame)
        assert set(frame_ids.references) == set(frame_ids.ids) and frame_ids.ids


def test_page_text_and_axes_take_the_pages_colour(venue):
    def figure(height):
        fig = line(height)
        fig.axes[0].axvline(0.5, color="black")
        fig.axes[0].text(0.5, 5, "on white", bbox={"facecolor": "white"})
        return fig

    venue("site")
    with mpl.rc_context({"axes.grid": True, "grid.color": "#808080"}):
        frame = frames_of(explore(figure=figure))[0]
    colours = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", frame)}
    assert colours == {"#1f77b4", "#808080"}  # the line and the grid
    assert frame.count("currentColor") > 10 and "var(--pst-color-background,#fff)" in frame
    assert "font-family" not in frame


def test_page_needs_nothing_from_elsewhere(venue):
    venue("site")
    page = explore(caption='<b onclick="x">bold</b> & more').data["text/html"]
    assert ">&lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt; &amp; more</figcaption>" in page
    for text in (page, "".join(frames_of(explore()))):
        readable = re.sub(r'<script type="text/plain">[^<]*</script>', "", text)
        assert not re.search(r"https?:|//[a-z]|@import|\bsrc=", readable)


def test_page_frames_keep_formulas_apart_from_texts(venue):
    def figure(height):
        fig = line(height)
        fig.axes[0].set(xlabel=r"$\delta^2$ of it", ylabel="plain")
        return fig

    venue("site")
    frame = frames_of(explore(figure=figure))[0]
    assert re.search(r'<text style="transform-origin:[\d.]+px 0;transform:scale\(var\(--sf-text,1\)\)"><tspan', frame)
    assert re.search(r"font-size:calc\([\d.]+px\*var\(--sf-text,1\)\)[^>]*>plain<", frame)


class OwnLogScale(LogScale):
    """Matplotlib's own, in the form in which every version lets it be registered."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)


def test_page_frames_label_logarithmic_axes_in_plain_text(venue):
    register_scale(OwnLogScale)  # whatever style another test has chosen

    def figure(height):
        fig, (wide, narrow) = plt.subplots(1, 2)
        wide.loglog([1, 1e5], [1e-3, height])
        narrow.semilogy([1, 2], [0.2, 0.5])
        narrow.set_xscale("symlog")
        narrow.set_xlim(-10, 10)
        return fig

    venue("site")
    frame = frames_of(explore(figure=figure))[0]
    assert {"10⁴", "10⁻³", "2×10⁻¹", "−10¹"} <= set(re.findall(">([^<>]+)</text>", frame))
    assert "tspan" not in frame


def test_page_outlines_lose_points_but_not_their_shape():
    x = np.linspace(0, 400, 801)
    waves = np.stack([np.stack([x, 100 + 80 * np.sin(x / 40 + phase)], axis=1) for phase in (0, 1)])
    kept = frames._needed(waves)
    assert kept[0] == 0 and kept[-1] == 800 and len(kept) < 200
    for wave in waves:
        assert np.abs(np.interp(x, *wave[kept].T) - wave[:, 1]).max() < 0.25  # in points of 1/72 inch


def test_page_moves_short_lines_that_look_alike_as_one(venue):
    def figure(height):
        fig, ax = plt.subplots()
        ax.vlines(range(30), 0, height, color="red")
        ax.vlines([3, 5], 0, [height, 2], color=["green", "blue"])
        ax.set(xticks=[], yticks=[])
        return fig

    venue("site")
    paths = re.findall(r'<path d="([^"]*)"[^>]*stroke:(#ff0000|#008000|#0000ff)', frames_of(explore(figure=figure))[0])
    assert [(d.count("M"), color) for d, color in paths] == [(30, "#ff0000"), (1, "#008000"), (1, "#0000ff")]


def test_page_mixes_numbers_and_chooses_texts(venue):
    """Frames with the same parts share one SVG, and the line's end moves as its number does."""
    venue("site")
    shown = explore(height=[0, 2, 4, 8])
    (group,) = unpack(shown)["groups"]
    assert unpack(shown)["group"] == [0] * 4 and 'step="any"' in shown.data["text/html"]
    ((_, name, gaps),) = group["slots"]
    ends = np.cumsum(group["numbers"][0]) / 100
    assert name == "d" and len(gaps) == 2
    assert np.diff(ends) / (ends[0] - ends[-1]) == pytest.approx([-0.25, -0.25, -0.5], abs=1e-3)
    ((_, kind, titles),) = group["choices"]
    assert kind == "" and titles == [f"height {value} and p 0.5" for value in (0, 2, 4, 8)]


def axes_that_change(k):
    """Frames whose axes differ in each way that is drawn, and now and then are those of an earlier frame."""
    fig, (top, low) = plt.subplots(2, 1, sharex=k == 8)
    top.plot([1, 10], [k, 2])
    top.set(xlim=(1, 10), ylim=(0, 20 if k == 1 else 10), xlabel="noise" if k == 2 else "people", xticks=[1, 10])
    top.set_title("A title")
    low.set(xscale="log", xlim=(1, 1e2), yticks=[0, 1])
    low.xaxis.label.set_color("red" if k == 3 else "blue")
    low.get_yticklabels()[0].set_color("green" if k == 4 else "black")
    low.tick_params(axis="x", rotation=30 if k == 5 else 0)
    low.get_ygridlines()[1].set_visible(k != 6)
    low.spines["left"].set_position(("axes", 0.5) if k == 7 else ("axes", 0))
    fig.colorbar(plt.cm.ScalarMappable(plt.Normalize(0, 5 if k == 1 else 9)), ax=top)
    return fig


def test_page_frames_are_those_that_are_drawn_alone(monkeypatch):
    def drawn():
        grid = [{"k": k} for k in (0, 1, 2, 3, 0, 4, 5, 6, 7, 8, 0)]
        with mpl.rc_context({"axes.grid": True}):
            roots = svg.frames(lambda values: drawn_at(axes_that_change, values), grid)
        return [ElementTree.tostring(root) for root in roots]

    remembered = drawn()
    monkeypatch.setattr(svg, "_axis_state", lambda axis: object())
    assert remembered == drawn()
    assert len(set(remembered)) == 9 and remembered[0] == remembered[4] == remembered[10]


def test_matplotlibs_own_parts_are_used_in_one_place_with_versions_that_were_tried():
    """With another one, see whether the frames' tests pass, and look at a page; then name it here."""
    assert mpl.__version__.rpartition(".")[0] in {"3.10", "3.11"}
    source = ast.parse(inspect.getsource(svg))
    (renderer,) = [node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "_Renderer"]
    inside, everywhere = (
        [one.attr for one in ast.walk(part) if isinstance(one, ast.Attribute) and re.match("_[a-z]", one.attr)]
        for part in (renderer, source)
    )
    assert {*inside} == {"_convert_path", "_markers", "_clipd"} and inside == everywhere


def test_page_keeps_points_beyond_the_axes(venue):
    """Points that matplotlib would leave out, in each frame others, so that frames could not be mixed."""
    venue("site")

    def peak(height):
        fig, ax = plt.subplots()
        ax.plot(np.linspace(-1, 1, 41), 10 ** np.linspace(0, 4 * height, 41))
        ax.set(xlim=(-1, 1), ylim=(0, 2))
        return fig

    assert len(unpack(explore(figure=peak))["groups"]) == 1


def test_page_slider_is_stepwise_where_the_parts_differ(venue):
    venue("site")

    def bars(height, p):
        fig, ax = plt.subplots()
        ax.bar(range(int(height)), p)
        ax.set(xlim=(0, 4), ylim=(0, 1), title=f"{p} each")
        return fig

    page = explore(figure=bars, height=[1, 2, 3], p=[0.1, 0.2, 0.9]).data["text/html"]
    assert re.findall('step="(.*?)"', page) == ["1", "any"]
    assert page.count("<option value=") == 6


def test_page_slider_is_stepwise_where_each_stop_has_its_own_noise(venue):
    venue("site")

    def noisy(height):
        return line(5 + np.random.default_rng(int(10 * height)).normal())

    stops = np.linspace(1, 9, 9)
    assert 'step="1"' in explore(figure=noisy, height=stops).data["text/html"]
    assert 'step="any"' in explore(height=stops).data["text/html"]


def test_page_slider_of_whole_numbers_is_mixed_only_where_it_stands_between_two(venue):
    venue("site")

    def jumping(height):
        fig = line(2 * (height % 2) if height < 8 else height)
        fig.axes[0].set_title("")
        return fig

    def glides(stops):
        return 'step="any"' in explore(figure=jumping, height=stops, alt="Height {height}.").data["text/html"]

    followed, far = [*range(1, 11), 12, 15, 20], [1, 2, 3, 5, 7, 12, 15, 20]
    assert glides(followed)
    assert not glides(far)
    assert not glides([stop / 1 for stop in followed])


@pytest.mark.parametrize("log", [False, True])
def test_page_mixes_along_the_line_on_which_the_picture_moves_evenly(venue, log):
    venue("site")

    def moved(height):
        fig = line(6 * np.log10(height) if log else height / 4)
        fig.axes[0].set_title("")
        return fig

    shown = explore(figure=moved, height=[1, 2, 4, 8, 16, 32], alt="Height {height}.")
    assert unpack(shown)["axes"][0]["mixedByLog"] == log


@pytest.mark.parametrize("log", [False, True])
def test_page_mixes_as_the_cubic_through_the_nearest_stops(log):
    stops = [1, 2, 5, 7, 20, 50]
    line = mixing.coordinates(stops, log=log)
    for place in (*line, 0.3 + line[0], line[2] + 0.1, line[-1] - 0.2):
        near = mixing.nearest(line, place)
        assert sum(weight * line[k] ** 3 for k, weight in near) == pytest.approx(place**3)
    assert mixing.nearest([0, 1, 4], 3) == [(1, pytest.approx(1 / 3)), (2, pytest.approx(2 / 3))]


def test_page_keeps_the_numbers_that_stand_still():
    assert frames._gaps("M1 2L3 4", [False, True, True, False]) == ["M1 ", "L", " 4"]
    assert frames._mixed("d", ["M0 0" + "L1 0" * 20 + "z"])[0] == ["M0 0L1 0z"]


def test_words_that_are_not_computed_may_differ_in_the_sliders_own_value_alone():
    stops = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    assert frames.only_its_own([f"At ε = {stop:g}" for stop in stops], stops)
    assert not frames.only_its_own([f"At ε = {stop:g} the scale is {1 / stop:g}" for stop in stops], stops)
    assert not frames.only_its_own([*[f"At {stop:g}" for stop in stops[:6]], "No noise at 10"], stops)
    assert not frames.only_its_own([f"δ = 1e-0{k}" for k in range(1, 8)], stops)
    uneven = [1, 2, 3, 50, 51, 52, 100]
    assert frames.only_its_own([f"from {stop}% to 5" for stop in uneven], [stop / 100 for stop in uneven])
    signed = [-3, -2.5, -1, 0, 0.7, 2, 5]
    assert frames.only_its_own([f"from {stop} to {-stop}" for stop in signed], signed)
    assert not frames.only_its_own([f"{abs(stop)} away" for stop in signed], signed)


def test_page_computes_the_words_that_it_is_told_how_to(venue):
    """Then they are in no frame, and the slider moves though they aren't mixed."""
    venue("site")

    def squared(height):
        fig = line(height)
        fig.axes[0].set_title(f"its square is {height**2:.2f}")
        return fig

    arguments = {"figure": squared, "alt": "Its square is {square:.2f}.", "height": [0.5, 1, 2, 3, 4, 5]}
    shown = explore(**arguments, words={"square": "height ** 2"}, texts=["its square is {square:.2f}"])
    data = unpack(shown)
    assert 'step="any"' in shown.data["text/html"] and not data["alts"] and not data["groups"][0]["choices"]
    with pytest.raises(ValueError, match="each of texts must be a text of the figure, got 'its cube"):
        explore(**arguments, words={"square": "height ** 2"}, texts=["its cube is {square:.2f}"])
    with pytest.raises(ValueError, match="each of texts must be a text of the figure"):  # true at one stop alone
        explore(**arguments, words={"square": "height"}, texts=["its square is {square:.2f}"])


def test_numbers_of_a_title_are_written_as_those_of_a_sentence(venue):
    """Whether they are computed or not; what stands between dollar signs is left as it is."""
    venue("site")

    def below(height):
        fig = line(height)
        fig.axes[0].set_title(f"it asks for {-height:g} and 1e-07")
        fig.axes[0].text(0, 0, "$10^{-1}$ of -2")
        return fig

    for texts in ([], ["it asks for {-height:g} and {1e-07:g}"]):
        page = explore(figure=below, alt="At {height:g}.", texts=texts).data["text/html"]
        assert ">it asks for −1 and 10⁻⁷<" in page


def test_a_table_of_words_has_every_place_where_one_of_them_changes():
    def said(a, b):
        return "above" if a > b else "not above"

    sliders = {"a": (1, 2, 3, 4, 5), "b": (1, 2, 3)}
    [[_, table]] = Words({"said": said}, sliders).data(stepping=[])
    places = [axis for _, axis, _ in table["axes"]]
    values = np.reshape(table["values"], [len(axis) for axis in places])
    for point in itertools.product(*sliders.values()):
        last = tuple(np.searchsorted(axis, at, "right") - 1 for axis, at in zip(places, point, strict=True))
        assert values[last] == said(*point), point


@pytest.mark.parametrize("where", ["title", "alt"])
def test_page_slider_is_stepwise_where_words_cannot_be_mixed(venue, where):
    """Between two stops the picture could be shown; its words would be those of another value."""
    venue("site")
    stops = [1, 2, 3, 4, 5, 6, 8, 10]
    squares = {stop: f"they meet at {stop**2 if stop < 6 else 'no'} people" for stop in stops}

    def meeting(height, p):
        fig = line(height + p)
        fig.axes[0].set_title(squares[height] if where == "title" else "")
        return fig

    def alt(height, p):
        return squares[height] if where == "alt" else f"A line at p = {p}."

    page = explore(figure=meeting, alt=alt, height=stops, p=[0.1, 0.2, 0.3]).data["text/html"]
    assert re.findall('step="(.*?)"', page) == ["1", "any"]


def test_page_offers_a_choice_of_two_and_a_new_draw(venue):
    venue("site")
    seen = []

    def figure(height, kind, seed):
        seen.append((height, kind, seed))
        return line(height)

    shown = explore(figure=figure, height=[1, 2], kind=["Laplace", "Gaussian"], draws=3)
    assert seen == [(e, k, s) for s, e, k in itertools.product(range(3), [1, 2], ["Laplace", "Gaussian"])]
    page = shown.data["text/html"]
    assert page.count('type="radio"') == 4 and page.count(" checked") == 2 and 'type="range"' not in page
    assert page.count(">Draw again</button>") == 1
    assert "Draw again" not in explore().data["text/html"]


def test_marks_of_a_sample_are_named_for_the_page(venue):
    venue("site")

    def figure(height, seed):
        fig, ax = plt.subplots()
        ax.plot([0, 1], [seed, height], "o", gid="sample")
        ax.set(ylim=(0, 10))
        return fig

    assert explore(figure=figure, draws=2).data["text/html"].count('class="sf-explore-sample"') == 1


@pytest.mark.parametrize(
    ("look", "path", "uses"),
    [
        ({"marker": "o"}, r"(M[\d. ]+ h 0 ?){3}", 0),
        ({"marker": "o", "markeredgewidth": 0}, r"(M[\d. ]+ h 0 ?){3}", 0),
        ({"marker": "|"}, r"(M[\d. ]+ l 0 -[\d.]+ ?){3}", 0),
        ({"marker": "o", "markeredgecolor": "black"}, None, 3),
        ({"marker": "o", "alpha": 0.5}, None, 3),  # two that overlap are darker there
        ({"marker": "^"}, None, 3),
    ],
)
def test_marks_that_look_alike_are_one_path(look, path, uses):
    def figure():
        fig, ax = plt.subplots(figsize=(4, 3))
        ax.axis("off")
        ax.plot([1, 2, 3], [3, 1, 2], linestyle="none", color=ORANGE, markersize=7, **look)
        return fig

    (root,) = svg.frames(lambda values: drawn_at(figure, values), [{}])
    elements = list(root.iter())
    assert sum(element.tag == "use" for element in elements) == uses
    seen = [element for element in elements if element.tag == "path" and "id" not in element.attrib]
    assert len(seen) == (path is not None)
    if path:
        assert re.fullmatch(path, seen[0].get("d"))
    if look == {"marker": "o"}:
        assert "stroke-width:8" in seen[0].get("style")  # 7 and the width of its edge


def test_a_long_line_stays_alone_among_short_ones():
    """Points of it may be left out where no frame needs them, which `frames` sees of a path by itself."""

    def figure():
        fig, ax = plt.subplots()
        ax.axis("off")
        for points in (2, 2, 50, 2, 2):
            ax.plot(np.linspace(0, 1, points), np.linspace(0, points, points) ** 2, color=ORANGE)
        return fig

    (root,) = svg.frames(lambda values: drawn_at(figure, values), [{}])
    assert [path.get("d").count("M") for path in root.iter("path")] == [2, 1, 2]


def cloud(n):
    fig, ax = plt.subplots()
    ax.scatter(*np.random.default_rng(3).normal(size=(2, n)), s=6, color=ORANGE)
    ax.axvline(0, color="black")
    ax.set(xlim=(-4, 4), ylim=(-4, 4), title="A cloud")
    return fig


def test_page_draws_heavy_points_as_a_small_picture(venue):
    venue("site")
    shown = slider_figures.explore(cloud, n=[20, 6_000, 8_000], alt="{n} points", caption=CAPTION)
    light, heavy, heavier = frames_of(shown)
    assert "<image" not in light and [d.count("h 0") for d in re.findall(r'd="([^"]*)"', light)].count(20) == 1
    for frame in (heavy, heavier):
        assert len(frame) < svg.HEAVY
        (picture,) = re.findall(r'href="data:image/png;base64,([^"]*)"', frame)
        assert 'decoding="sync"' in frame
        image = Image.open(io.BytesIO(base64.b64decode(picture)))
        assert image.mode == "P"
        pixels = np.asarray(image.convert("RGBA")).reshape(-1, 4)
        solid = pixels[pixels[:, 3] > 240][:, :3].astype(int)
        assert len(solid) > 1000 and np.abs(solid - np.multiply(to_rgb(ORANGE), 255)).max() <= 4
        assert "A cloud" in frame and "stroke:currentColor" in frame  # text and reference line are as sharp as ever
    assert len(shown.data["text/html"]) < 80_000


# Live


def test_live_controls_fit_their_values(venue):
    venue("live")
    shown = slider_figures.explore(
        lambda **_: line(),
        height=np.geomspace(0.1, 10, 3),
        p=np.linspace(0, 1, 3),
        n=[10, 100, 1000, 10_000],
        k=range(1, 4),
        kind=["Laplace", "Gaussian"],
        name=["Ann", "Bob", "Cem"],
        initial={"p": 0},
        alt=ALT,
        caption=CAPTION,
    )
    kinds = [type(control).__name__.removesuffix("Slider") for control in shown.controls.values()]
    assert kinds == ["FloatLog", "Float", "FloatLog", "Int", "ToggleButtons", "Selection"]
    labels = ["height", "p", "n", "k", "kind", "name"]
    assert [control.description for control in shown.controls.values()] == labels
    assert [control.value for control in shown.controls.values()] == [1, 0, 1000, 2, "Gaussian", "Bob"]
    assert shown.controls["height"].continuous_update
    assert isinstance(shown.view, ipywidgets.VBox)


@pytest.mark.parametrize("listed", [[0.1, 0.2, 0.5, 1, 2], [0, 0.1, 0.25, 2.5, 3.3], [10, 20, 50, 1000], [0.1, 1, 9]])
@pytest.mark.parametrize("position", [0, 1, -2, -1])
def test_live_sliders_reach_their_start_value_in_whole_steps(venue, listed, position):
    venue("live")
    control = explore(height=listed, initial={"height": listed[position]}).controls["height"]
    logarithmic = isinstance(control, ipywidgets.FloatLogSlider)
    assert logarithmic == (0 not in listed)
    at = math.log10(control.value) if logarithmic else control.value
    steps = (at - control.min) / control.step
    assert control.value == listed[position] and steps == pytest.approx(round(steps), abs=1e-6)
    gaps = np.diff(np.log10(listed) if logarithmic else listed)
    assert gaps.min() / control.step == pytest.approx(10, rel=0.06)


def test_live_figure_gets_any_value_in_range_and_no_other(venue):
    venue("live")
    seen = []

    def figure(**values):
        seen.append(values)
        return line()

    shown = slider_figures.explore(
        figure, p=[0.1, 0.25, 0.999999], n=[1, 10, 100, 1000], k=[0, 5, 10], alt="{p} {n} {k}", caption=CAPTION
    )
    for name, value in {"p": 5, "n": 437.6, "k": 7}.items():
        shown.controls[name].value = value
    assert seen[-1] == {"p": 0.999999, "n": 438, "k": 7}
    assert [type(value) for value in seen[-1].values()] == [float, int, int]
    slider_figures.explore(figure, p=[0, 0.5, 1], alt="{p}", caption=CAPTION).controls["p"].value = 0.1234567
    assert seen[-1] == {"p": 0.1234567}
    heights = slider_figures.explore(figure, height=[0.1, 1, 9.99999], alt="{height}", caption=CAPTION)
    for value in (0.123456, 9.99999):
        heights.controls["height"].value = value
    assert [values["height"] for values in seen[-2:]] == [0.1235, 9.99999]


def test_live_button_draws_again(venue):
    venue("live")
    seen = []

    def figure(height, seed):
        seen.append(seed)
        return line(height)

    shown = explore(figure=figure, draws=3)
    button = shown.view.children[-2]
    for _ in range(3):
        button.click()
    assert button.description == "Draw again" and seen == [0, 1, 2, 0]
    shown.controls["height"].value = 2
    assert seen[4:] == [1]  # noise is no fixed offset


def test_live_figure_that_fails_says_so_in_its_place(venue):
    venue("live")

    def figure(height):
        if height == 2:
            raise ValueError("1 < 2")
        return line(height)

    shown = explore(figure=figure, height=[1, 2, 3], initial={"height": 1})
    view = shown.view.children[-1]
    shown.controls["height"].value = 2
    assert view.value == '<p role="alert">figure failed at height=2: ValueError: 1 &lt; 2</p>'
    shown.controls["height"].value = 3
    assert 'alt="The line ends at 3."' in view.value


@pytest.fixture(scope="module")
def kernel():
    """A kernel as JupyterLab would start it."""
    env = {name: value for name, value in os.environ.items() if name != "FIGURE_VENUE"}
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="python3", env=env)
    try:
        run(client, "from matplotlib import pyplot as plt\nfrom slider_figures import explore")
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, code):
    """Return what the cell prints, and the bundles that it shows."""
    messages = []
    reply = client.execute_interactive(code, output_hook=messages.append, timeout=60)
    assert reply["content"]["status"] == "ok", reply["content"]
    text = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")
    return text, [m["content"]["data"] for m in messages if m["msg_type"] in ("display_data", "execute_result")]


def test_live_kernel_redraws_figure_and_sentence(kernel):
    text, (bundle,) = run(
        kernel,
        """
def bar(height):
    fig, ax = plt.subplots()
    ax.bar(["b"], [height])
    return fig
shown = explore(bar, height=[0.5, 1, 2], alt="The bar is {height:g} high.", caption="A bar & more.")
shown
""",
    )
    assert text == ""
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "text/plain", "image/png"}
    assert bundle["text/plain"] == "The bar is 1 high. A bar & more. Slider: height from 0.5 to 2 (3 values)."
    look = "view = shown.view.children[-1].value\nprint(view)\n"
    before, nothing = run(kernel, look)
    after, _ = run(kernel, "shown.controls['height'].value = 1.37\n" + look + "assert not plt.get_fignums()")
    assert nothing == []
    pictures = [base64.b64decode(re.search('base64,([^"]*)"', text)[1]) for text in (before, after)]
    assert [Image.open(io.BytesIO(picture)).size for picture in pictures] == [(640, 480)] * 2
    assert len({hashlib.sha256(picture).digest() for picture in pictures}) == 2
    assert base64.b64decode(bundle["image/png"]) == pictures[0]
    assert 'alt="The bar is 1 high."' in before and 'alt="The bar is 1.37 high."' in after
    assert "A bar &amp; more.</figcaption>" in before and "A bar &amp; more.</figcaption>" in after


# Figures that the page computes


def play(**changes):
    return slider_figures.play(**{"name": "cards", "figure": line, "alt": "A line.", "caption": CAPTION} | changes)


def test_play_shows_the_still_picture_where_nothing_computes(venue):
    venue("notebook")
    shown = play()
    assert set(shown.data) == {"text/plain", "image/png"} and repr(shown) == f"A line. {CAPTION}"
    assert shown.metadata["image/png"] == {"alt": "A line."}


def test_play_hands_the_page_its_data(venue):
    venue("site")
    page = play(name="dice", counts=[1, 2], words="</script>").data["text/html"]
    assert 'data-play="dice"' in page and 'aria-label="A line."' in page and page.count("</script>") == 1
    packed = re.search(r'<script type="application/json">(.*)</script>', page)[1]
    assert json.loads(packed) == {"counts": [1, 2], "words": "</script>"}
    ids = Ids(page + play(name="other").data["text/html"])
    assert len(ids.ids) == len(set(ids.ids)) and set(ids.references) <= set(ids.ids)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"name": 3}, TypeError, "name must be a sentence, got 3"),
        ({"alt": ""}, ValueError, "alt must be a sentence, got an empty text"),
        ({"caption": None}, TypeError, "caption must be a sentence"),
        ({"figure": 1}, TypeError, "figure must be a function"),
        ({"figure": lambda: None}, TypeError, "figure must return a matplotlib Figure, got None"),
    ],
)
def test_wrong_plays_say_what_to_change(venue, changes, error, message):
    venue("notebook")
    with pytest.raises(error, match=message):
        play(**changes)
