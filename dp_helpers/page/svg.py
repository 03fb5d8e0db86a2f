"""A figure as a small SVG: its text stays text, in the page's own font and colour."""

import base64
import io
import re
from functools import partial
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.collections import Collection
from matplotlib.ticker import Formatter, LogFormatterSciNotation
from PIL import Image

HEAVY = 300_000
"""Characters of an SVG from which on its points are drawn as a picture."""
LIGHT_PICTURE = 10_000
"""Characters of a picture up to which it keeps all its colours, such as a colour bar."""
SAMPLE = "sample"
"""The gid of marks that stay, faintly, when the reader draws again; in the page it is a class."""

# A colour nobody draws with stands for the page's text colour until the frame is written.
INK = "#010203"
PAGE_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sliding-epsilon",
    "path.simplify": False,  # each frame on its own would keep other points
    **dict.fromkeys(["figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"], "none"),
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK),
    **dict.fromkeys(["xtick.labelcolor", "ytick.labelcolor", "patch.edgecolor", "hatch.color"], INK),
}
COLOURS = {INK: "currentColor", "#000000": "currentColor", "#ffffff": "var(--pst-color-background,#fff)"}
OUTLINE = re.compile(r"\s*M[^A-Za-z]*(L[^A-Za-z]*){20,}z?\s*")
"""A path of one long polygonal line, of which points may be left out."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIX = "\ue000"  # stands for the id of the whole figure in the ids inside a frame


def frames(draw, grid) -> list:
    """Return the figure at each of the ``grid``'s values as the root of a small SVG; ids in it start with `PREFIX`.

    The axes and their titles stay where the first frame has them, so that what moves is the data; laying out takes most
    of the time, and then the ticks, which are drawn once where they are the same.
    """
    places, style, drawn, roots = None, PAGE_STYLE, {}, []
    for values in grid:
        with mpl.rc_context(style), draw(values) as figure:
            _write_powers(figure)
            if places and len(places) == len(figure.axes):
                figure.set_layout_engine("none")
                for axes, place in zip(figure.axes, places, strict=True):
                    axes.set_position(place)
            root = _small(_svg(figure, drawn))
            if _weight(root) > HEAVY:
                _rasterize(figure)
                root = _small(_svg(figure, drawn))
            places = places or [axes.get_position(original=True) for axes in figure.axes]
            if all(axes.title.get_position()[1] == 1 for axes in figure.axes):
                style = PAGE_STYLE | {"axes.titley": 1}  # no search for what is in a title's way
        roots.append(root)
    return roots


def _weight(root) -> int:
    """Return the characters of the SVG, without long lines: of those, few points travel."""
    lines = (path.get("d") for path in root.iter("path"))
    return len(ElementTree.tostring(root)) - sum(len(line) for line in lines if OUTLINE.fullmatch(line))


class _Unclipped(RendererSVG):
    """matplotlib leaves out points beyond the figure's edge, in each frame others; the page clips the lines."""

    def _convert_path(self, path, transform=None, clip=None, simplify=None, sketch=None):
        return super()._convert_path(path, transform, None, simplify, sketch)


def _svg(figure, drawn: dict) -> str:
    """Return what ``FigureCanvasSVG.print_svg`` writes, drawn by a renderer that keeps all points.

    ``drawn`` is what `_draw_axis` remembers of earlier frames.
    """
    file, dpi = io.StringIO(), 144  # of what is rasterised
    inches = figure.get_size_inches()
    figure.dpi = 72
    svg = _Unclipped(*(72 * inches), file, image_dpi=dpi, metadata={"Date": None, "Creator": None})
    renderer = MixedModeRenderer(figure, *inches, dpi, svg)
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        axis.draw = partial(_draw_axis, axis, svg, file, drawn)
    figure.draw(renderer)
    renderer.finalize()
    return file.getvalue()


def _draw_axis(axis, svg, file, drawn: dict, renderer) -> None:
    """Draw an axis, or write again what it was in an earlier frame that had the same."""
    if renderer._rasterizing:  # as matplotlib does: the picture so far is written now, and is not part of the axis
        renderer.stop_rasterizing()
        renderer._rasterizing = False
    look = _look(axis), tuple(svg._markers), tuple(svg._clipd)  # it may refer to what was defined before it
    svg.writer.data("")  # closes the tag before
    if look in drawn:
        text, markers, clips = drawn[look]
        file.write(text)
        svg._markers |= markers
        svg._clipd |= clips
        return
    start = file.tell()
    type(axis).draw(axis, renderer)
    drawn[look] = file.getvalue()[start:], dict(svg._markers), dict(svg._clipd)


def _look(axis) -> str:
    """Return all that an axis is drawn from: its place, ticks and label, and how each of them looks."""
    ticks = []
    for part in (axis.major, axis.minor):
        places = np.asarray(part.locator()).tolist()
        ticks += [places, part.formatter.format_ticks(places), part.formatter.get_offset()]
    styles = [_properties(tick) for kind in ("majorTicks", "minorTicks") for tick in vars(axis).get(kind, [])]
    # A colour bar's outline is where the bar is; the sides of other axes can be moved.
    spines = [spine.get_position() for side, spine in axis.axes.spines.items() if side != "outline"]
    fixed = axis.get_visible(), axis.axes.bbox.bounds, axis.get_view_interval(), axis.get_scale(), axis.labelpad, spines
    kinds = axis.axis_name, axis._major_tick_kw, axis._minor_tick_kw, axis.get_label_position()
    return repr((fixed, kinds, ticks, styles, _seen(axis.label)))


def _properties(tick) -> tuple:
    """Return how a tick looks that the figure has touched."""
    lines = [(line.get_visible(), line.get_color(), line.get_linewidth()) for line in (tick.tick1line, tick.gridline)]
    return lines, _seen(tick.label1), tick.label2.get_visible()


def _seen(text) -> tuple:
    """Return how a text looks, except where it is."""
    return (
        text.get_text(), text.get_visible(), text.get_color(), text.get_size(), text.get_rotation(), text.get_weight(),
        text.get_style(), text.get_ha(), text.get_va(), text.get_alpha(),
    )  # fmt: skip


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


def _join_lines(group) -> None:
    """Make one path of the short lines that follow one another in the group and look alike: a page moves it at once."""
    joined = None
    for child in list(group):
        if child.tag != "path" or "fill:none" not in child.get("style", "") or OUTLINE.fullmatch(child.get("d")):
            joined = None
        elif joined is not None and joined.attrib | {"d": ""} == child.attrib | {"d": ""}:
            joined.set("d", f"{joined.get('d')} {child.get('d')}")
            group.remove(child)
        else:
            joined = child


def _small(svg: str):
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
    for element in root.iter():
        _join_lines(element)
    root.attrib = {"viewBox": root.get("viewBox"), "fill": "currentColor"}  # black fills are left out of the file
    return root


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
        own = element.attrib.pop("id", None)
        if own == SAMPLE:
            element.set("class", "dp-explore-sample")
        name = names.get(own)
        if name:
            element.set("id", name)


def _shorten(element) -> None:
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


def _eight_bit(link: str) -> str:
    """Return the data link of a PNG with a palette of 64 colours instead of four bytes a pixel, where that helps."""
    head, data = link.split(",", 1)
    if len(data) < LIGHT_PICTURE:
        return link
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    file = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return f"{head},{base64.b64encode(file.getvalue()).decode()}"
