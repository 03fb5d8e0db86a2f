"""Frames of one figure, shared: one SVG for all frames with the same parts, and the numbers in which they differ."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np

from slider_figures.mixing import coordinates, nearest
from slider_figures.shrinking import OUTLINE

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
DECIMALS = {"d": 1, "x": 1, "y": 1, "width": 2, "height": 2, "points": 1, "transform": 2}
"""Attributes whose numbers are mixed between two frames, and the digits that they keep, in points."""
THIN = 0.1
"""Points of a path may be left out where no frame's line moves by more than this, in points."""

EVEN = 0.03
"""How far a frame may be from what is mixed of the others, as a share of the height: between stops it is a seventh."""
SPOKEN = re.compile(r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?")
"""A number in a text, as ``explore.js`` finds it."""
POWER = re.compile(r"\de[−+-]?\d")
OWN = 5e-3
"""How far a slider's own value may be rounded in a text, as a share of it."""


def size_of(root) -> str:
    """Return the viewBox of the whole figure."""
    return root.get("viewBox") or root.get("data-box")


def left_out(numbers, line):
    """Return what the page would mix for each of the ``numbers`` but the first and last, if it weren't a stop."""
    mixed = []
    for k in range(1, len(line) - 1):
        others = [j for j in range(len(line)) if j != k]
        weights = nearest([line[j] for j in others], line[k])
        mixed.append(sum(weight * numbers[others[j]] for j, weight in weights))
    return np.array(mixed)


def _with_places_between(stops):
    """Return of each stop but the first and last whether the slider can stand beside it, between it and the next.

    Of whole numbers that follow one another it can't.
    """
    if not all(isinstance(stop, int) for stop in stops):
        return np.full(len(stops) - 2, True)
    return np.array(stops[2:]) - np.array(stops[:-2]) > 2


def only_its_own(texts, stops) -> bool:
    """Tell whether the ``texts`` of a figure at all ``stops`` of one slider differ in that slider's value alone.

    That may be a percentage, and may have the other sign.  The page puts it where the slider stands.
    """
    if len(set(texts)) == 1:
        return True
    if len({SPOKEN.sub("#", text) for text in texts}) > 1 or any(map(POWER.search, texts)):
        return False
    found = [SPOKEN.findall(text) for text in texts]
    values = np.array([[float(number.replace(",", "").replace("−", "-")) for number in numbers] for numbers in found])
    own = [np.isclose(values.T, times * np.array(stops), rtol=OWN).all(axis=1) for times in (1, -1, 100, -100)]
    return bool(np.any([*own, (values == values[0]).all(axis=0)], axis=0).all())


class Frames:
    """The frames of a figure at all points of a grid, the last of its ``sizes`` running fastest.

    Frames with the same elements, attributes and numbers of points belong to one group.  ``said`` are texts of the
    figure that the page computes, of each what it is in all frames.
    """

    def __init__(self, roots, sizes, said=()):
        self.sizes, self.texts = sizes, len(said)
        shapes = [_shape(root) for root in roots]
        names = {shape: i for i, shape in enumerate(dict.fromkeys(shapes))}
        self.group = [names[shape] for shape in shapes]
        members = [[frame for frame, k in enumerate(self.group) if k == i] for i in names.values()]
        self.groups = [
            _Group([roots[k] for k in frames], [[texts[k] for k in frames] for texts in said]) for frames in members
        ]
        places = [itertools.count() for _ in names]
        self.place = [next(places[k]) for k in self.group]  # of a frame in its group

    def svg(self, frame: int) -> str:
        """Return the SVG of one frame."""
        return self.groups[self.group[frame]].svg(self.place[frame])

    def smooth(self, slider: int, stops, alts):
        """Return the line on which the page may mix neighbours along this slider, or None where it may not.

        It may where they have the same parts, and all moves evenly: each of its ``stops`` is near what the page would
        mix from the others, by their numbers or by the logarithms of these; fresh noise at each stop is not.  Words
        that the page doesn't compute, among them ``alts``, the alternative texts of all frames, may differ in the
        slider's own value alone: else it goes from stop to stop, so that it never says what the picture doesn't show.
        """
        rows = np.moveaxis(np.arange(len(self.group)).reshape(self.sizes), slider, -1).reshape(-1, self.sizes[slider])
        if any(len({self.group[frame] for frame in row}) > 1 for row in rows):
            return None
        parts = [(self.groups[self.group[row[0]]], [self.place[frame] for frame in row]) for row in rows]
        for row, (group, places) in zip(rows, parts, strict=True):
            texts = [[alts[frame] for frame in row], *group.texts(places)]
            if not all(only_its_own(some, stops) for some in texts):
                return None
        lines = [coordinates(stops, log=log) for log in (False, True)[: 1 + (stops[0] > 0)]]
        between = _with_places_between(stops)
        off = [max(group.off(places, line, between) for group, places in parts) for line in lines]
        return lines[int(np.argmin(off))] if min(off) <= EVEN else None

    def unsaid(self) -> list[int]:
        """Return which of the texts that the page should compute stand in no group."""
        found = {which for group in self.groups for _, which in group.said}
        return [which for which in range(self.texts) if which not in found]

    def data(self) -> dict:
        """Return what the page needs: for each frame its group and place there, for each group what `_Group` says."""
        return {"group": self.group, "place": self.place, "groups": [group.data() for group in self.groups]}


class _Group:
    """Frames with the same parts: the first as SVG, and what differs among them.

    ``numbers`` are those of the mixed attributes, in hundredths, a row for each frame (a column in `data`).  ``slots``
    says where they belong: the element's number in the document, the attribute, and its text with gaps.  ``choices``
    are texts and other attributes that differ: the element's number, the attribute ("" for its text), and one string
    for each frame.  ``said`` are elements whose text the page computes, and which text that is.
    """

    def __init__(self, roots, said):
        self.roots = roots
        self.slots, self.choices, self.said, columns = [], [], [], []
        for i, elements in enumerate(zip(*(root.iter() for root in roots), strict=True)):
            for name in elements[0].attrib:
                texts = [element.get(name) for element in elements]
                if name in DECIMALS:
                    texts, values = _mixed(name, texts)
                    for element, text in zip(elements, texts, strict=True):
                        element.set(name, text)
                    moving = (values != values[0]).any(axis=0)
                    if moving.any():
                        self.slots.append([i, name, _gaps(texts[0], moving)])
                        columns.append(values[:, moving])
                elif len(set(texts)) > 1:
                    self.choices.append([i, name, texts])
            texts = [element.text or "" for element in elements]
            if texts in said:
                self.said.append([i, said.index(texts)])
            elif len(set(texts)) > 1:
                self.choices.append([i, "", texts])
        self.numbers = np.hstack([np.zeros((len(roots), 0), int), *columns])

    def texts(self, places) -> list[list[str]]:
        """Return the words that differ and aren't computed, of each what it is in these frames."""
        return [[texts[place] for place in places] for _, name, texts in self.choices if not name]

    def off(self, places, line, stops) -> float:
        """Return how far a frame is from what is mixed from the others, at most, as a share of the figure's height.

        Of all frames but the first and last those are asked that ``stops`` marks.
        """
        if len(places) < 5:
            return 0.0
        _, _, width, height = (100 * float(number) for number in NUMBER.findall(size_of(self.roots[0])))
        numbers = self.numbers[places]
        # What is beyond the figure's edges may be anywhere.
        edges = -height / 10, max(width, height) + height / 10
        seen = [np.clip(part, *edges) for part in (left_out(numbers, line), numbers[1:-1])]
        return float(np.abs(seen[0] - seen[1])[stops].max(initial=0) / height)

    def svg(self, place: int) -> str:
        return ElementTree.tostring(self.roots[place], encoding="unicode")

    def data(self) -> dict:
        # A number's differences from frame to frame are small and alike, so they travel lightly.
        steps = np.diff(self.numbers.T, axis=1, prepend=0)
        return {
            "svg": self.svg(0),
            "slots": self.slots,
            "choices": self.choices,
            "said": self.said,
            "numbers": steps.tolist(),
        }


def _shape(root):
    """Return what frames must share to be mixed: the elements, their attributes, the gaps between their numbers."""
    return tuple(
        (
            element.tag,
            *((name, NUMBER.sub("#", text) if name in DECIMALS else "") for name, text in element.attrib.items()),
        )
        for element in root.iter()
    )


def _mixed(name: str, texts: list[str]):
    """Return the attribute's texts, rounded and thinned, and their numbers in hundredths, a row for each frame."""
    texts = [" ".join(text.split()) for text in texts]
    values = np.array([[float(number) for number in NUMBER.findall(text)] for text in texts])
    if name == "d" and OUTLINE.fullmatch(texts[0]):
        kept = _needed(values.reshape(len(texts), -1, 2))
        values = values.reshape(len(texts), -1, 2)[:, kept].reshape(len(texts), -1)
        texts = ["M#" + "L#" * (len(kept) - 1) + "z" * texts[0].endswith("z")] * len(texts)
        texts = [text.replace("#", "0 0") for text in texts]
    values = np.round(values, DECIMALS[name])
    return [_filled(text, row) for text, row in zip(texts, values, strict=True)], np.round(100 * values).astype(int)


def _filled(text: str, numbers) -> str:
    numbers = iter(numbers)
    return NUMBER.sub(lambda _: f"{next(numbers) + 0.0:.2f}".rstrip("0").rstrip("."), text)


def _gaps(text: str, moving) -> list[str]:
    """Return the text around the numbers that move; the others stay part of it."""
    parts, numbers = NUMBER.split(text), NUMBER.findall(text)
    gaps = [parts[0]]
    for number, moves, part in zip(numbers, moving, parts[1:], strict=True):
        if moves:
            gaps.append(part)
        else:
            gaps[-1] += number + part
    return gaps


def _needed(lines) -> list[int]:
    """Return which points the polygonal ``lines``, of shape (frames, points, 2), need in at least one frame.

    Ramer (1972) and Douglas and Peucker (1973), all frames at once.
    """
    needed, open_ = {0, lines.shape[1] - 1}, [(0, lines.shape[1] - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        way, off = lines[:, last] - lines[:, first], lines[:, first + 1 : last] - lines[:, first, None]
        length = np.hypot(*way.T)[:, None]
        across = np.abs(way[:, :1] * off[..., 1] - way[:, 1:] * off[..., 0])
        far = np.where(length > 0, across / np.where(length > 0, length, 1), np.hypot(off[..., 0], off[..., 1])).max(
            axis=0
        )
        if far.max() > THIN:
            middle = first + 1 + int(far.argmax())
            needed.add(middle)
            open_ += [(first, middle), (middle, last)]
    return sorted(needed)
