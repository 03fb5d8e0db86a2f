"""A figure as a small SVG: its text stays text, in the page's own font and colour."""

import io
import itertools
import re
from functools import partial
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.artist import allow_rasterization
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.collections import Collection
from matplotlib.path import Path
from matplotlib.ticker import Formatter, LogFormatterSciNotation

from slider_figures.shrinking import INK, OUTLINE, PANEL, shrunk

HEAVY = 100_000
"""Characters of an SVG from which on its points are drawn as a picture."""
PAGE_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "slider-figures",
    "path.simplify": False,  # each frame on its own would keep other points
    **dict.fromkeys(["figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor"], "none"),
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK),
    **dict.fromkeys(["xtick.labelcolor", "ytick.labelcolor", "patch.edgecolor", "hatch.color"], INK),
}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def frames(draw, grid) -> list:
    """Return the figure at each of the ``grid``'s values as the root of a small SVG.

    The axes and their titles stay where the first frame has them, so that what moves is the data; laying out takes most
    of the time, and then the ticks, which are drawn once where they are the same.
    """
    drawn: dict = {}
    places, style, roots, panels = None, PAGE_STYLE, [], None
    for values in grid:
        with mpl.rc_context(style), draw(values) as figure:
            _write_powers(figure)
            panels = panels or _panels(figure)
            for axes, panel in zip(figure.axes, panels[0], strict=False):
                axes.set_gid(f"{PANEL}{panel}")
            if places and len(places) == len(figure.axes):
                figure.set_layout_engine("none")
                for axes, place in zip(figure.axes, places, strict=True):
                    axes.set_position(place)
            root = shrunk(_svg(figure, drawn), panels[1])
            if _weight(root) > HEAVY:
                _rasterize(figure)
                root = shrunk(_svg(figure, drawn), panels[1])
            places = places or [axes.get_position(original=True) for axes in figure.axes]
            if all(axes.title.get_position()[1] == 1 for axes in figure.axes):
                style = PAGE_STYLE | {"axes.titley": 1}  # no search for what is in a title's way
        roots.append(root)
    return roots


def _panels(figure) -> tuple[list[int], list[float]]:
    """Return which panel each of the axes belongs to, from the top, and where the figure is cut between the panels.

    Axes beside each other are one panel, and so are those that share their x axis: they are read one below the other.
    """
    figure.dpi = 72
    figure.draw_without_rendering()
    height = figure.bbox.height
    panels: list[list] = []  # of each: its top, its bottom, its axes
    boxes = [(height - box.y1, height - box.y0) for box in (axes.get_tightbbox() for axes in figure.axes)]
    for k in sorted(range(len(boxes)), key=boxes.__getitem__):
        axes = figure.axes[k]
        shared = panels and any(axes.get_shared_x_axes().joined(axes, figure.axes[j]) for j in panels[-1][2])
        if panels and (shared or boxes[k][0] < panels[-1][1]):
            panels[-1] = [panels[-1][0], max(panels[-1][1], boxes[k][1]), [*panels[-1][2], k]]
        else:
            panels.append([*boxes[k], [k]])
    cuts = [(above[1] + below[0]) / 2 for above, below in itertools.pairwise(panels)]
    return [next(p for p, panel in enumerate(panels) if k in panel[2]) for k in range(len(boxes))], cuts


def _weight(root) -> int:
    """Return the characters of the SVG, without long lines: of those, few points travel."""
    lines = (path.get("d") for path in root.iter("path"))
    return len(ElementTree.tostring(root)) - sum(len(line) for line in lines if OUTLINE.fullmatch(line))


class _Unclipped(Path):
    """A path of which all is drawn."""

    def iter_segments(self, *args, clip=None, **options):
        return super().iter_segments(*args, **options)


class _Renderer(RendererSVG):
    """All that reaches into matplotlib's own parts; ``test_figures.py`` names the versions that it was tried on."""

    def _convert_path(self, path, transform=None, clip=None, simplify=None, sketch=None):
        """Keep points beyond the figure's edge, of which each frame would lack others; the page clips the lines."""
        return super()._convert_path(path, transform, None, simplify, sketch)

    def draw_markers(self, gc, marker_path, marker_trans, path, *rest):
        """Keep marks beyond the figure's edge, too."""
        super().draw_markers(gc, marker_path, marker_trans, _Unclipped(path.vertices, path.codes), *rest)

    def defined(self) -> tuple[dict, dict]:
        """Return the markers and the clips that the rest of the file may refer to."""
        return dict(self._markers), dict(self._clipd)

    def define(self, markers: dict, clips: dict) -> None:
        """Know markers and clips that were written to the file without being drawn."""
        self._markers |= markers
        self._clipd |= clips


def _svg(figure, drawn: dict) -> str:
    """Return what ``FigureCanvasSVG.print_svg`` writes, drawn by a renderer that keeps all points.

    ``drawn`` is what `_draw_axis` remembers of earlier frames.
    """
    file, dpi = io.StringIO(), 144  # of what is rasterised
    width, height = figure.get_size_inches()
    figure.dpi = 72
    svg = _Renderer(72 * width, 72 * height, file, image_dpi=dpi, metadata={"Date": None, "Creator": None})
    renderer = MixedModeRenderer(figure, width, height, dpi, svg)
    draw = allow_rasterization(partial(_draw_axis, svg, file, drawn))
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        axis.draw = partial(draw, axis)
    figure.draw(renderer)
    renderer.finalize()
    return file.getvalue()


def _draw_axis(svg: _Renderer, file: io.StringIO, drawn: dict, axis, renderer) -> None:
    """Draw an axis, or write again what it was in an earlier frame that had the same."""
    key = _axis_state(axis), *map(tuple, svg.defined())  # it may refer to what was defined before it
    svg.writer.data("")  # closes the tag before
    if key in drawn:
        text, defined = drawn[key]
        file.write(text)
        svg.define(*defined)
        return
    start = file.tell()
    type(axis).draw(axis, renderer)
    drawn[key] = file.getvalue()[start:], svg.defined()


def _axis_state(axis) -> str:
    """Return all that an axis is drawn from: its place, ticks and label, and how each of them looks."""
    ticks = []
    for part in (axis.major, axis.minor):
        places = np.asarray(part.locator()).tolist()
        ticks += [places, part.formatter.format_ticks(places), part.formatter.get_offset()]
    styles = [_properties(tick) for kind in ("majorTicks", "minorTicks") for tick in vars(axis).get(kind, [])]
    # A colour bar's outline is where the bar is; the sides of other axes can be moved.
    spines = [spine.get_position() for side, spine in axis.axes.spines.items() if side != "outline"]
    fixed = axis.get_visible(), axis.axes.bbox.bounds, axis.get_view_interval(), axis.get_scale(), axis.labelpad, spines
    given = [axis.get_tick_params(which) for which in ("major", "minor")]
    kinds = axis.axis_name, given, axis.get_label_position()
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
        return np.shape(artist.get_offsets())[0] + sum(len(path) for path in artist.get_paths())
    return len(artist.get_path())
