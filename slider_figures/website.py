"""The website venue of `slider_figures.explore`: HTML that carries the figure at all stops and needs no kernel.

Frames with the same parts, nearly always all of a figure, travel as one SVG and the numbers in which they differ
(`frames`).  The script ``static/explore.js`` puts the numbers in, and mixes those of neighbouring stops
where a slider stands between them.  Without JavaScript the start frame stands.
"""

import base64
import html
import itertools
import json
import re
import zlib
from collections import Counter
from xml.etree import ElementTree

from slider_figures.frames import Frames
from slider_figures.live import geometric
from slider_figures.shrinking import PREFIX
from slider_figures.svg import frames

AGAIN = '<button type="button" class="sf-explore-again">Draw again</button>\n'

_shown: Counter[str] = Counter()  # how often this page has shown a figure of this name: ids must not repeat


def page(name: str, sliders, draws: int, draw, say, caption: str, spoken) -> str:
    """Return the figure's HTML: start frame, caption, sliders, and the packed numbers of all frames."""
    # The draws come first, so that frames that follow one another differ little and travel lightly.
    stops = ({"seed": range(draws)} if draws > 1 else {}) | {slider.name: slider.values for slider in sliders}
    grid = [dict(zip(stops, point, strict=True)) for point in itertools.product(*stops.values())]
    alts, sizes = [say(values) for values in grid], [len(values) for values in stops.values()]
    shared = Frames(frames(draw, grid), sizes, spoken.said(grid))
    if unsaid := shared.unsaid():
        raise ValueError(f"each of texts must be a text of the figure, got {spoken.given[unsaid[0]]!r}")
    start = grid.index(
        {name: values[0] for name, values in stops.items()} | {s.name: s.values[s.start] for s in sliders}
    )

    fixed = [""] * len(grid) if spoken.alt else alts
    lines = {
        slider.name: None if isinstance(slider.values[0], str) else shared.smooth(axis, slider.values, fixed)
        for axis, slider in enumerate(sliders, start=int(draws > 1))
    }
    stepping = [name for name, line in lines.items() if line is None]
    computed = {"words": spoken.words.data(stepping), "alt": spoken.alt, "said": spoken.texts}
    frame_texts = {"alts": [] if spoken.alt else alts, "sizes": sizes} | computed
    slider_texts = {
        "texts": [slider.texts for slider in sliders],
        "axes": [_axis(slider, lines[slider.name]) for slider in sliders],
    }
    names = {"names": [slider.name for slider in sliders]}
    data = json.dumps(shared.data() | frame_texts | slider_texts | names, ensure_ascii=False, separators=(",", ":"))
    uid = _uid(name)
    rows = [_row(f"{uid}-s{i}", slider, smooth=lines[slider.name] is not None) for i, slider in enumerate(sliders)]
    wide = " sf-explore-wide" * any(len(slider.label) > 8 for slider in sliders)
    start_values = ", ".join(f"{slider.label} = {slider.texts[slider.start]}" for slider in sliders)
    picture = shared.svg(start).replace(PREFIX, uid)
    panels = " data-panels" * picture.startswith("<div")
    return f"""<figure class="sf-explore" id="{uid}"{panels} aria-labelledby="{uid}-caption">
<div class="sf-explore-controls{wide}" role="group" aria-label="Sliders of the figure" hidden>
{"".join(rows)}{AGAIN * (draws > 1)}</div>
<p class="sf-explore-note">The sliders need JavaScript and a browser from 2023 or later. The figure is shown at \
{html.escape(start_values)}.</p>
<div class="sf-explore-frame" role="img" aria-label="{html.escape(alts[start])}">\
{picture}</div>
<figcaption id="{uid}-caption">{html.escape(caption)}</figcaption>
<p class="sf-explore-said" aria-live="polite"></p>
<script type="text/plain">{_packed(data.replace(PREFIX, uid))}</script>
</figure>"""


def playground(name: str, draw, alt: str, caption: str, data: dict) -> str:
    """Return the HTML of a figure that the script ``play-<name>.js`` draws: until then, its still picture."""
    (still,) = frames(draw, [{}])
    picture = ElementTree.tostring(still, encoding="unicode")
    uid = _uid(name)
    packed = json.dumps(data).replace("<", "\\u003c")  # no tag ends the script
    return f"""<figure class="sf-explore sf-play" data-play="{html.escape(name)}" id="{uid}" \
aria-labelledby="{uid}-caption">
<div class="sf-explore-frame sf-play-still" role="img" aria-label="{html.escape(alt)}">\
{picture.replace(PREFIX, uid)}</div>
<figcaption id="{uid}-caption">{html.escape(caption)}</figcaption>
<script type="application/json">{packed}</script>
</figure>"""


def _uid(name: str) -> str:
    """Return the figure's id, by which links find it: its own name, whatever stands before it on the page."""
    uid = "fig-" + re.sub(r"[\W_]+", "-", name).strip("-").lower()
    _shown[uid] += 1
    return uid + (f"-{_shown[uid]}" if _shown[uid] > 1 else "")


def _axis(slider, line) -> dict | None:
    """Return the stops of a slider of numbers, and which of two ways are logarithmic: the hand's, and the mixture's."""
    if isinstance(slider.values[0], str):
        return None
    ways = {"log": geometric(slider.values), "mixedByLog": line is not None and bool(line[0] != slider.values[0])}
    return {"values": slider.values, "whole": isinstance(slider.values[0], int)} | ways


def _row(uid: str, slider, *, smooth: bool) -> str:
    """Return a slider, its marks at the stops, or for two stops a choice between two."""
    label, texts = html.escape(slider.label), [html.escape(text) for text in slider.texts]
    if len(texts) == 2:
        choices = "".join(
            f'<label><input type="radio" name="{uid}" value="{i}"{" checked" * (i == slider.start)} autocomplete="off" '
            f"disabled> {text}</label>"
            for i, text in enumerate(texts)
        )
        return (
            f'<div class="sf-explore-row sf-explore-choice" role="radiogroup" aria-labelledby="{uid}">'
            f'<span id="{uid}">{label}</span><span>{choices}</span></div>\n'
        )
    marks = "".join(f'<option value="{i}"></option>' for i in range(len(texts)))
    return (
        f'<div class="sf-explore-row"><label for="{uid}">{label}</label>'
        f'<input type="range" id="{uid}" min="0" max="{len(texts) - 1}" step="{"any" if smooth else 1}"'
        f' value="{slider.start}" list="{uid}-marks" aria-valuetext="{texts[slider.start]}"'
        f' autocomplete="off" disabled>'
        f'<datalist id="{uid}-marks">{marks}</datalist>'
        f'<output for="{uid}" aria-live="off" style="min-width:{max(map(len, slider.texts)) + 2}ch">'
        f"{texts[slider.start]}</output></div>\n"
    )


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
