"""The website venue of `dp_helpers.explore`: HTML that carries the frames of all values and needs no other file.

A frame is an SVG whose text stays text, in the page's own font and colour.  All frames travel compressed together;
`explore.js` unpacks them and shows the one that belongs to the sliders' positions.  Without JavaScript the start
frame stands.  Where a frame would be heavy, its points become one 8-bit picture inside the SVG.
"""

import base64
import hashlib
import html
import io
import itertools
import json
import pathlib
import re
import zlib
from collections import Counter
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import Collection
from matplotlib.path import Path
from matplotlib.ticker import Formatter, LogFormatterSciNotation
from PIL import Image

HEAVY = 60_000
"""Characters of an SVG from which on its points are drawn as a picture."""
LIGHT_PICTURE = 10_000
"""Characters of a picture up to which it keeps all its colours, such as a colour bar."""

# A colour nobody draws with stands for the page's text colour until the frame is written.
INK = "#010203"
PAGE_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sliding-epsilon",
    **dict.fromkeys(["figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"], "none"),
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK),
    **dict.fromkeys(["xtick.labelcolor", "ytick.labelcolor", "patch.edgecolor", "hatch.color"], INK),
}
COLOURS = {INK: "currentColor", "#000000": "currentColor", "#ffffff": "var(--pst-color-background,#fff)"}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIX = "\ue000"  # stands for the id of the whole figure in the ids inside a frame

_shown = Counter()  # how often this page has shown the same figure: ids must not repeat


def page(sliders, draw, say, caption: str) -> str:
    """Return the figure's HTML: style, start frame, caption, sliders, and the packed frames with their script."""
    names = [slider.name for slider in sliders]
    grid = [dict(zip(names, point, strict=True)) for point in itertools.product(*(slider.values for slider in sliders))]
    alts = [say(values) for values in grid]
    frames = [frame(draw, values) for values in grid]
    start = grid.index({slider.name: slider.values[slider.start] for slider in sliders})

    digest = hashlib.sha256("\n".join([*alts, *frames]).encode()).hexdigest()[:8]
    _shown[digest] += 1
    uid = f"explore-{digest}" + (f"-{_shown[digest]}" if _shown[digest] > 1 else "")
    frames = [text.replace(PREFIX, uid) for text in frames]
    packed = _packed({"frames": frames, "alts": alts, "texts": [slider.texts for slider in sliders]})
    wide = " dp-explore-wide" * any(len(slider.label) > 8 for slider in sliders)
    here = ", ".join(f"{slider.label} = {slider.texts[slider.start]}" for slider in sliders)
    return f"""<style>{_file("explore.css")}</style>
<figure class="dp-explore" id="{uid}" aria-labelledby="{uid}-caption">
<div class="dp-explore-controls{wide}" role="group" aria-label="Sliders of the figure" hidden>
{"".join(_row(f"{uid}-s{i}", slider) for i, slider in enumerate(sliders))}</div>
<p class="dp-explore-note">The sliders need JavaScript and a browser from 2023 or later. The figure is shown at \
{html.escape(here)}.</p>
<div class="dp-explore-frame" role="img" aria-label="{html.escape(alts[start])}">{frames[start]}</div>
<figcaption id="{uid}-caption">{html.escape(caption)}</figcaption>
<p class="dp-explore-said" aria-live="polite"></p>
<script type="text/plain">{packed}</script>
<script>{_file("explore.js")}</script>
</figure>"""


def frame(draw, values: dict) -> str:
    """Return the figure at ``values`` as a small SVG; ids inside it start with `PREFIX`."""
    with mpl.rc_context(PAGE_STYLE), draw(values) as figure:
        _write_powers(figure)
        text = _small(_svg(figure))
        if len(text) > HEAVY:
            _rasterize(figure)
            text = _small(_svg(figure))
    return text


def _row(uid: str, slider) -> str:
    label, texts = html.escape(slider.label), [html.escape(text) for text in slider.texts]
    symbol = ' class="dp-explore-symbol"' if len(slider.label) == 1 else ""
    return (
        f'<div class="dp-explore-row"><label for="{uid}"{symbol}>{label}</label>'
        f'<input type="range" id="{uid}" min="0" max="{len(texts) - 1}" step="1" value="{slider.start}"'
        f' aria-valuetext="{texts[slider.start]}" autocomplete="off" disabled>'
        f'<output for="{uid}" aria-live="off" style="min-width:{max(map(len, slider.texts))}ch">'
        f"{texts[slider.start]}</output></div>\n"
    )


def _packed(data: dict) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _file(name: str) -> str:
    return pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


def _svg(figure) -> str:
    file = io.StringIO()
    figure.dpi = 144  # of what is rasterised
    # Not figure.savefig, which draws everything twice to lay it out.
    FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None, "Creator": None})
    return file.getvalue()


class _PlainPowers(Formatter):
    """The labels of a logarithmic axis as plain text, 10⁻³: matplotlib takes long to set formulas."""

    def __init__(self, formatter):
        self.formatter = formatter

    def set_locs(self, locs):
        self.formatter.set_locs(locs)

    def __call__(self, x, pos=None):
        label = self.formatter(x, pos)
        formula = re.fullmatch(r"\$\\mathdefault\{(.*)\}\$", label)
        if not formula:
            return label
        plain = re.sub(r"\^\{(.*)\}", lambda power: power[1].translate(RAISED), formula[1])
        return plain.replace(r"\times", "×").replace("-", "−")


def _write_powers(figure) -> None:
    """Label the logarithmic axes in plain text."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        for get, put in (
            (axis.get_major_formatter, axis.set_major_formatter),
            (axis.get_minor_formatter, axis.set_minor_formatter),
        ):
            if isinstance(get(), LogFormatterSciNotation):
                put(_PlainPowers(get()))


def _rasterize(figure) -> None:
    """Have what consists of many points drawn as a picture; axes, texts and reference lines stay vectors."""
    for axes in figure.axes:
        for artists in (axes.collections, axes.lines, axes.patches):
            for artist in artists:
                artist.set_rasterized(len(artists) > 50 or _points(artist) > 200)


def _points(artist) -> int:
    if isinstance(artist, Collection):
        return len(artist.get_offsets()) + sum(len(path) for path in artist.get_paths())
    return len(artist.get_path())


def _small(svg: str) -> str:
    """Return matplotlib's SVG for use inside the page: in its colours and font, and without what is not seen."""
    root = ElementTree.fromstring(svg)  # comments are dropped here
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):
                parent.remove(child)
    _name_references(root)
    for element in root.iter():
        _shorten(element)
    root.attrib = {"viewBox": root.get("viewBox"), "fill": "currentColor"}  # black fills are left out of the file
    return ElementTree.tostring(root, encoding="unicode")


def _name_references(root) -> None:
    """Number the ids that something refers to and drop the rest: an id must be unique in the whole page."""
    pattern = re.compile(r"#([\w.-]+)")
    targets = {element.get("id") for element in root.iter()} - {None}
    names = {}
    for element in root.iter():
        for attribute in ("href", "clip-path", "style"):
            for target in pattern.findall(element.get(attribute, "")):
                if target in targets:
                    name = names.setdefault(target, f"{PREFIX}-r{len(names)}")
                    element.set(attribute, element.get(attribute).replace(f"#{target}", f"#{name}"))
    for element in root.iter():
        name = names.get(element.attrib.pop("id", None))
        if name:
            element.set("id", name)


def _shorten(element) -> None:
    if "d" in element.attrib:
        element.set("d", _thinned(element.get("d")))
    for name in {"d", "x", "y", "points", "transform", "width", "height"} & set(element.attrib):
        element.set(name, re.sub(r"-?\d+\.\d{3,}", _two_decimals, " ".join(element.get(name).split())))
    if element.tag == "image":
        element.set("href", _eight_bit(element.get("href")))
        element.set("decoding", "sync")  # no empty moment between two frames
    if element.tag not in ("text", "tspan"):
        element.text = element.tail = None
    elif element.tag == "text":
        element.tail = None
    style = dict(part.split(": ", 1) for part in element.get("style", "").split("; ") if part)
    style = {name: COLOURS.get(value, value) for name, value in style.items()}
    style.pop("font-family", None)
    if element.tag == "text":
        _let_grow(element, style)
    if style:
        element.set("style", ";".join(f"{name}:{value}" for name, value in style.items()))


def _thinned(outline: str) -> str:
    """Return the path without the points that lie within a ninth of a point of the line without them.

    matplotlib does so for lines only; the outlines of filled areas would make up most of a page.
    """
    steps = re.findall(r"([A-Za-z])([^A-Za-z]*)", outline)
    if len(steps) < 20 or {command for command, _ in steps} - set("MLz"):
        return outline
    codes = [{"M": Path.MOVETO, "L": Path.LINETO, "z": Path.CLOSEPOLY}[command] for command, _ in steps]
    path = Path([point.split() or (0, 0) for _, point in steps], codes).cleaned(simplify=True)
    letters = {Path.MOVETO: "M{:f} {:f}", Path.LINETO: "L{:f} {:f}", Path.CLOSEPOLY: "z", Path.STOP: ""}
    return "".join(letters[code].format(*point) for point, code in zip(path.vertices, path.codes, strict=True))


def _let_grow(element, style: dict) -> None:
    """Let a narrow page enlarge the text by the factor --dp-text, about the point where it is anchored."""
    spans = list(element)
    if not spans:
        style["font-size"] = f"calc({style['font-size']}*var(--dp-text,1))"
        return
    # A formula: matplotlib has set each glyph's place, so it grows as a whole, about its middle.
    element.text = None
    for span in spans:
        span.tail = None
    middle = max(float(span.get("x").split()[-1]) for span in spans) / 2 + 3
    style |= {"transform-origin": f"{middle:.1f}px 0", "transform": "scale(var(--dp-text,1))"}


def _two_decimals(match) -> str:
    text = f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _eight_bit(link: str) -> str:
    """Return the data link of a PNG with a palette of 64 colours instead of four bytes a pixel, where that helps."""
    head, data = link.split(",", 1)
    if len(data) < LIGHT_PICTURE:
        return link
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    file = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return f"{head},{base64.b64encode(file.getvalue()).decode()}"
