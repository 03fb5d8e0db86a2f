"""The website venue of `dp_helpers.explore`: HTML that carries the figure at all stops and needs no kernel.

Frames with the same parts, nearly always all of a figure, travel as one SVG and the numbers in which they differ
(`frames`).  The site's script ``book/_static/explore.js`` puts the numbers in, and mixes those of neighbouring stops
where a slider stands between them.  Without JavaScript the start frame stands.
"""

import base64
import hashlib
import html
import itertools
import json
import zlib
from collections import Counter
from xml.etree import ElementTree

from dp_helpers.page.frames import Frames
from dp_helpers.page.shrinking import PREFIX
from dp_helpers.page.svg import frames

AGAIN = '<button type="button" class="dp-explore-again">Draw again</button>\n'
BETWEEN = "Between its marks a slider mixes the two pictures beside it."
AFRESH = "Taking hold of a slider draws again."

_shown = Counter()  # how often this page has shown the same figure: ids must not repeat


def page(sliders, draws: int, draw, say, caption: str) -> str:
    """Return the figure's HTML: start frame, caption, sliders, and the packed numbers of all frames."""
    # The draws come first, so that frames that follow one another differ little and travel lightly.
    stops = ({"seed": range(draws)} if draws > 1 else {}) | {slider.name: slider.values for slider in sliders}
    grid = [dict(zip(stops, point, strict=True)) for point in itertools.product(*stops.values())]
    alts, sizes = [say(values) for values in grid], [len(values) for values in stops.values()]
    shared = Frames(frames(draw, grid), sizes)
    start = grid.index(
        {name: values[0] for name, values in stops.items()} | {s.name: s.values[s.start] for s in sliders}
    )

    texts = [slider.texts for slider in sliders]
    data = json.dumps(
        shared.data() | {"alts": alts, "texts": texts, "sizes": sizes}, ensure_ascii=False, separators=(",", ":")
    )
    digest = hashlib.sha256(data.encode()).hexdigest()[:8]
    _shown[digest] += 1
    uid = f"explore-{digest}" + (f"-{_shown[digest]}" if _shown[digest] > 1 else "")
    smooth = [
        not isinstance(slider.values[0], str) and shared.smooth(axis)
        for axis, slider in enumerate(sliders, start=int(draws > 1))
    ]
    rows = [_row(f"{uid}-s{i}", slider, smooth[i]) for i, slider in enumerate(sliders)]
    between = any(moves and len(slider.values) > 2 for moves, slider in zip(smooth, sliders, strict=True))
    hints = " ".join([BETWEEN] * between + [AFRESH] * (draws > 1))
    hints = f'<p class="dp-explore-hints">{hints}</p>\n' if hints else ""
    wide = " dp-explore-wide" * any(len(slider.label) > 8 for slider in sliders)
    here = ", ".join(f"{slider.label} = {slider.texts[slider.start]}" for slider in sliders)
    return f"""<figure class="dp-explore" id="{uid}" aria-labelledby="{uid}-caption">
<div class="dp-explore-controls{wide}" role="group" aria-label="Sliders of the figure" hidden>
{"".join(rows)}{AGAIN * (draws > 1)}{hints}</div>
<p class="dp-explore-note">The sliders need JavaScript and a browser from 2023 or later. The figure is shown at \
{html.escape(here)}.</p>
<div class="dp-explore-frame" role="img" aria-label="{html.escape(alts[start])}">\
{shared.svg(start).replace(PREFIX, uid)}</div>
<figcaption id="{uid}-caption">{html.escape(caption)}</figcaption>
<p class="dp-explore-said" aria-live="polite"></p>
<script type="text/plain">{_packed(data.replace(PREFIX, uid))}</script>
</figure>"""


def playground(name: str, draw, alt: str, caption: str, data: dict) -> str:
    """Return the HTML of a figure that the script ``play-<name>.js`` draws: until then, its still picture."""
    (still,) = frames(draw, [{}])
    picture = ElementTree.tostring(still, encoding="unicode")
    digest = hashlib.sha256((name + picture).encode()).hexdigest()[:8]
    packed = json.dumps(data).replace("<", "\\u003c")  # no tag ends the script
    return f"""<figure class="dp-explore dp-play" data-play="{html.escape(name)}" id="play-{digest}" \
aria-labelledby="play-{digest}-caption">
<div class="dp-explore-frame dp-play-still" role="img" aria-label="{html.escape(alt)}">\
{picture.replace(PREFIX, f"play-{digest}")}</div>
<figcaption id="play-{digest}-caption">{html.escape(caption)}</figcaption>
<script type="application/json">{packed}</script>
</figure>"""


def _row(uid: str, slider, smooth: bool) -> str:
    """Return a slider, its marks at the stops, or for two stops a choice between two."""
    label, texts = html.escape(slider.label), [html.escape(text) for text in slider.texts]
    if len(texts) == 2:
        choices = "".join(
            f'<label><input type="radio" name="{uid}" value="{i}"{" checked" * (i == slider.start)} autocomplete="off" '
            f"disabled> {text}</label>"
            for i, text in enumerate(texts)
        )
        return (
            f'<div class="dp-explore-row dp-explore-choice" role="radiogroup" aria-labelledby="{uid}">'
            f'<span id="{uid}">{label}</span><span>{choices}</span></div>\n'
        )
    marks = "".join(f'<option value="{i}"></option>' for i in range(len(texts)))
    return (
        f'<div class="dp-explore-row"><label for="{uid}">{label}</label>'
        f'<input type="range" id="{uid}" min="0" max="{len(texts) - 1}" step="{"any" if smooth else 1}"'
        f' value="{slider.start}" list="{uid}-marks" aria-valuetext="{texts[slider.start]}"'
        f' autocomplete="off" disabled>'
        f'<datalist id="{uid}-marks">{marks}</datalist>'
        f'<output for="{uid}" aria-live="off" style="min-width:{max(map(len, slider.texts)) + 2}ch">'
        f"{texts[slider.start]}</output></div>\n"
    )


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
