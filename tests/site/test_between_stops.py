"""A figure that is dragged says what it shows, and its words can be read: all sliders, between all stops, by hand.

Keys go from stop to stop; a mouse and a finger come to rest between them.  Each slider is dragged to half-way between
every two of its stops, by a mouse on a laptop and a finger on a phone, and put there by a link.  All chapters take
minutes, weekly; else it is one of eight: that words are right at any place is tests/chapters/test_between.py's claim.
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from site_pages import CHAPTERS
from thorough import sample

from slider_figures.svg import RAISED

DEVICES = {"mouse": {"width": 1366, "height": 900}, "touch": {"width": 360, "height": 800, "has_touch": True}}
OVERLAPS = Path(__file__).with_name("overlaps.js")
NUMBER = re.compile(r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?")
PLAIN = str.maketrans(dict(zip(map(chr, RAISED.values()), map(chr, RAISED), strict=True)) | {",": "", "−": "-"})
# What the slider k says, what stands in the picture, what is said of it, and which words can't be read.
STATE = """async (figure, [k, frames]) => {
  for (let i = 0; i < frames; i++) await new Promise(requestAnimationFrame);
  const frame = figure.querySelector(".sf-explore-frame");
  return {
    said: figure.querySelectorAll("output")[k].textContent,
    texts: [frame.getAttribute("aria-label"), ...[...frame.querySelectorAll("text")].map((one) => one.textContent)],
    picture: frame.innerHTML,
    overlaps: window.overlaps(frame),
  };
}"""
PUT = """(figure, [k, at]) => {
  const input = figure.querySelectorAll("input[type=range]")[k];
  input.value = at;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}"""
# Goes through all combinations of a figure's sliders and choices, and returns which words can't be read, and where.
COMBINATIONS = """async (figure) => {
  const rows = [...figure.querySelectorAll(".sf-explore-row")].map((row) => [...row.querySelectorAll("input")]);
  const sizes = rows.map(([first, ...others]) => (first.type === "range" ? Number(first.max) + 1 : 1 + others.length));
  const found = new Set();
  for (let number = 0; number < sizes.reduce((a, b) => a * b); number++) {
    let rest = number;
    const places = rows.map((inputs, i) => {
      const at = rest % sizes[i];
      rest = Math.floor(rest / sizes[i]);
      if (inputs[0].type === "range") inputs[0].value = at;
      else inputs[at].checked = true;
      return at;
    });
    rows[0][0].dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    for (const words of window.overlaps(figure.querySelector(".sf-explore-frame"))) found.add(`${places}: ${words}`);
  }
  return [...found];
}"""
# The value of slider k as a link has it, once what a link says is put there.
LINK = """(figure, [k, text]) => {
  const rows = [...figure.querySelectorAll(".sf-explore-row")];
  const row = figure.querySelectorAll("input[type=range]")[k].closest(".sf-explore-row");
  const setting = [...figure.settings.values()][rows.indexOf(row)];
  if (text !== null) setting.put(text);
  return String(setting.read());
}"""


# Puts slider k on each of its stops, and returns its state and its value there.
STOPS = f"""async (figure, k) => {{
  const input = figure.querySelectorAll("input[type=range]")[k];
  const found = [];
  for (let at = 0; at <= Number(input.max); at++) {{
    ({PUT})(figure, [k, at]);
    found.push([await ({STATE})(figure, [k, 1]), ({LINK})(figure, [k, null])]);
  }}
  return found;
}}"""
# Has links put slider k to these values, and returns its states there.
LINKED = f"""async (figure, [k, values]) => {{
  const found = [];
  for (const value of values) {{
    ({LINK})(figure, [k, value]);
    found.push(await ({STATE})(figure, [k, 1]));
  }}
  return found;
}}"""


class Hand:
    """A mouse or a finger that holds a slider's handle."""

    def __init__(self, page, slider, touch):
        self.page, self.touch = page, page.context.new_cdp_session(page) if touch else None
        box, handle = slider.bounding_box(), 16
        self.left, self.width = box["x"] + handle / 2, box["width"] - handle
        self.y, self.last = box["y"] + box["height"] / 2, int(slider.get_attribute("max"))

    def act(self, what, at=None):
        """Do "Start", "Move" or "End"; where the handle is asked for, by the number of the stop."""
        points = [] if at is None else [{"x": self.left + self.width * at / self.last, "y": self.y}]
        if self.touch:
            self.touch.send("Input.dispatchTouchEvent", {"type": f"touch{what}", "touchPoints": points})
            return
        if points:
            self.page.mouse.move(**points[0])
        if what != "Move":
            (self.page.mouse.down if what == "Start" else self.page.mouse.up)()


def drag(page, figure, k, touch):
    """Drag the figure's slider k to half-way between all stops; return its states there, by links, and at the stops."""
    slider = figure.locator("input[type=range]").nth(k)
    slider.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    last, start = int(slider.get_attribute("max")), slider.input_value()
    hand = Hand(page, slider, touch)
    hand.act("Start", float(start))
    hand.act("Move", last)  # where noise is drawn by taking hold, it is now, and stays
    between = []
    for low in range(last):
        hand.act("Move", low + 0.5)
        between.append(figure.evaluate(STATE, [k, 2]))  # a hand's move may come with the next frame
    hand.act("End")
    stops, texts = zip(*figure.evaluate(STOPS, k), strict=True)
    values = [number(text) for text in texts]
    middles = [] if None in values or touch else [str(sum(pair) / 2) for pair in itertools.pairwise(values)]
    linked = figure.evaluate(LINKED, [k, middles])  # on a phone a link is the same
    figure.evaluate(PUT, [k, start])
    return between, linked, stops


def number(text):
    """Return the value of a slider's text, such as 1,000 or 1.5×10⁻⁵ or −0.5; None if it is no number."""
    plain = re.sub(rf"^10(?=[{''.join(map(chr, RAISED.values()))}])", "1×10", text).translate(PLAIN)
    factor, _, power = plain.partition("×10")
    try:
        return float(factor) * 10.0 ** int(power or 0)
    except ValueError:
        return None


# Its bars turn between two stops, and stand still near 0 and 1: tests/chapters/test_between.py holds them to Python.
# And no number between two powers of ten is written as they are; tests/chapters/test_08_variants.py holds what it says.
TURNING = ["fig-bars", "fig-orders-and-epsilon"]


def faults(state, low, stops):
    """Return what is wrong with a state in which the slider was dragged to the middle of the stops low and low + 1."""
    same = [stop for stop in stops if stop["said"] == state["said"]]
    if same:  # it stands on a stop
        return [] if state == same[0] else [f"{state['said']}: {state['texts']} instead of {same[0]['texts']}"]
    near = stops[low : low + 2]
    if state["picture"] in [stop["picture"] for stop in near]:
        return [f"{state['said']}: the picture is a neighbour's"]
    own = number(state["said"]), *(number(stop["said"]) for stop in near)
    if not min(own[1:]) < own[0] < max(own[1:]):
        return [f"{own[0]} is not between {own[1:]}"]
    found = []
    for text, *written in zip(state["texts"], *(stop["texts"] for stop in stops), strict=True):
        ends = written[low : low + 2]
        if not agree(text, ends, own):
            found.append(f"{state['said']}: {text}, between {ends}")
        found += [f"{state['said']}: {one} in {text} has too many digits" for one in too_exact(text, written, own[0])]
    return found


def too_exact(text, written, own):
    """Return the text's numbers that have more digits than at any stop, where the stops' differ in decimals.

    0.98 and 1.1 were written to two digits, and a number between them is no 1.06.
    """
    numbers = [NUMBER.findall(some) for some in (text, *written)]
    return [
        one
        for one, *at_stops in zip(*numbers, strict=False)
        if len({len(some.partition(".")[2]) for some in at_stops}) > 1
        and digits(one) > max(map(digits, at_stops))
        and not np.isclose(abs(number(one)) / abs(own or 1), (1, 100), rtol=5e-3).any()
    ]


def digits(text):
    return len(re.sub(r"\D", "", text).strip("0"))


def agree(text, ends, own):
    """Tell whether a text's numbers are between those of its ends, and the slider's own value is its own.

    That may be a percentage there, and have the other sign.
    """
    if ends[0] == ends[1]:
        return text == ends[0]
    shape, *both = (NUMBER.sub("#", some) for some in (text, *ends))
    if both[0] != both[1]:  # one row, two rows: words that the page computes
        return shape in both
    if shape != both[0]:
        return False
    found = [[number(one) for one in NUMBER.findall(some)] for some in (text, *ends)]
    for value, *both in zip(*found, strict=True):
        times = [one for one in (1, -1, 100, -100) if np.allclose(both, one * np.array(own[1:]), rtol=5e-3, atol=0)]
        if times:
            if not np.isclose(value, times[0] * own[0], rtol=5e-3):
                return False
        elif not min(both) - abs(both[0] - both[1]) / 4 <= value <= max(both) + abs(both[0] - both[1]) / 4:
            return False
    return True


@pytest.mark.parametrize(("chapter", "device"), sample(itertools.product(CHAPTERS, DEVICES), every=8))
def test_a_dragged_figure_says_what_it_shows_and_can_be_read(chapter, device, visit):
    page = visit(chapter, **DEVICES[device])
    page.add_script_tag(path=OVERLAPS)
    wrong = []
    for figure in page.locator(".sf-explore:not(.sf-play)").all():
        name = figure.get_attribute("id")
        for k in range(figure.locator("input[type=range]").count()):
            between, linked, stops = drag(page, figure, k, device == "touch")
            for states in (between, linked):
                found = [fault for low, state in enumerate(states) for fault in faults(state, low, stops)]
                wrong += [f"{name}: {fault}" for fault in found if name not in TURNING]
            wrong += [f"{name} at {one['said']}: {words}" for one in (*stops, *between) for words in one["overlaps"]]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


@pytest.mark.parametrize("chapter", sample(CHAPTERS, every=8))
def test_words_can_be_read_wherever_all_sliders_stand(chapter, visit):
    """On a phone, where letters are largest beside their picture; a drag leaves the other sliders where they start."""
    page = visit(chapter, **DEVICES["touch"])
    page.add_script_tag(path=OVERLAPS)
    figures = page.locator(".sf-explore:not(.sf-play)")
    found = {figure.get_attribute("id"): figure.evaluate(COMBINATIONS) for figure in figures.all()}
    assert not {name: words for name, words in found.items() if words}
