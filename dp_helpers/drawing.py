"""Drawings of how a mechanism works: boxes, arrows, people, brackets, small tables, on a canvas without axes.

Used as ``dp.drawing`` in the cells of a chapter.  All sizes are in the canvas' own units, of which ten are as wide as
a page; a text is 10 points high, which a phone shows as 9 pixels or more.
"""

from matplotlib import pyplot as plt
from matplotlib.patches import Circle, FancyBboxPatch

from dp_helpers.style import NEUTRAL

INCHES = 4.8  # the width at which 10 points are 9 pixels on a page of 328
TEXT = {"fontsize": 10, "ha": "center", "va": "center", "linespacing": 1.3}


def canvas(height: float = 5.0, width: float = 10.0):
    """Return a figure and its axes, from (0, 0) to (width, height), with nothing on it and all scales equal."""
    fig, ax = plt.subplots(figsize=(INCHES, INCHES * height / width))
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")
    return fig, ax


def text(ax, x: float, y: float, words: str, *, color: str | None = None, **style):
    """Write ``words`` about (x, y)."""
    return ax.text(x, y, words, **TEXT | ({"color": color} if color else {}) | style)


def box(ax, x: float, y: float, words: str = "", *, width: float = 2.4, height: float = 1.0, color: str = NEUTRAL):
    """Draw a box about (x, y) with ``words`` in it."""
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.15"
    ax.add_patch(
        FancyBboxPatch(corner, width, height, boxstyle=style, facecolor="none", edgecolor=color, linewidth=1.5)
    )
    text(ax, x, y, words)


def arrow(ax, start, end, words: str = "", *, color: str = NEUTRAL, above: float = 0.35):
    """Draw an arrow from ``start`` to ``end``, with ``words`` so far above its middle."""
    ax.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0}
    )
    text(ax, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + above, words)


def person(ax, x: float, y: float, words: str = "", *, color: str = NEUTRAL, size: float = 0.5):
    """Draw somebody, standing about (x, y), with ``words`` below."""
    ax.add_patch(Circle((x, y + 0.55 * size), 0.32 * size, color=color, linewidth=0))
    ax.add_patch(
        plt.Polygon([(x - 0.5 * size, y - size), (x + 0.5 * size, y - size), (x, y + 0.45 * size)], color=color)
    )
    text(ax, x, y - size - 0.1, words, va="top")


def bracket(ax, left: float, right: float, y: float, words: str = "", *, color: str = NEUTRAL, up: bool = True):
    """Draw a bracket from ``left`` to ``right`` at the height ``y``, with ``words`` on its outer side."""
    tip = y - 0.2 if up else y + 0.2
    ax.plot([left, left, right, right], [tip, y, y, tip], color=color, linewidth=1.5)
    text(ax, (left + right) / 2, y + (0.15 if up else -0.15), words, va="bottom" if up else "top")


def number_line(ax, y: float, marks, *, place=lambda value: value, left: float = 0.3, right: float = 9.7):
    """Draw a line with a tick and a number at each of ``marks``, where ``place`` puts the number."""
    ax.plot([left, right], [y, y], color=NEUTRAL, linewidth=1.2)
    for mark in marks:
        ax.plot([place(mark)] * 2, [y - 0.12, y + 0.12], color=NEUTRAL, linewidth=1.2)
        text(ax, place(mark), y - 0.25, f"{mark:g}", va="top")


def table(ax, x: float, y: float, rows, *, widths, height: float = 0.6, colors=None):
    """Draw a table whose top left corner is (x, y); the first of ``rows`` is its head.

    ``widths`` has a width for each column; ``colors`` maps (row, column), the head being row 0, to a colour.
    """
    colors = colors or {}
    for i, row in enumerate(rows):
        across = x
        for j, (entry, width) in enumerate(zip(row, widths, strict=True)):
            weight = "bold" if i == 0 else "normal"
            text(
                ax, across + width / 2, y - (i + 0.5) * height, str(entry), color=colors.get((i, j)), fontweight=weight
            )
            across += width
    ax.plot([x, x + sum(widths)], [y - height] * 2, color=NEUTRAL, linewidth=1)
