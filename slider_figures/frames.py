"""Frames of one figure, shared: one SVG for all frames with the same parts, and the numbers in which they differ."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np

from slider_figures.shrinking import OUTLINE

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
DECIMALS = {"d": 1, "x": 1, "y": 1, "width": 2, "height": 2, "points": 1, "transform": 2}
"""Attributes whose numbers are mixed between two frames, and the digits that they keep, in points."""
THIN = 0.1
"""Points of a path may be left out where no frame's line moves by more than this, in points."""

EVEN = 0.03
"""How far a frame may be from the mixture of frames at twice the distance of the stops, as a share of the height."""
SPOKEN = re.compile(r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?")
"""A number in a text, as ``explore.js`` finds it."""
POWER = re.compile(r"\de[−+-]?\d")
RIGHT = 0.02
"""How far a number in a text may be off between two stops, as a share of it; or by one of its last digit."""
OWN = 5e-3
"""How far a slider's own value may be rounded in a text, as a share of it."""
COARSER = 1.5
"""At twice the distance of the stops the share may be so many times as large: there a cubic errs sixteen times more."""


def size_of(root) -> str:
    """Return the viewBox of the whole figure."""
    return root.get("viewBox") or root.get("data-box")


def cubic(stops, k: int, t: float):
    """Return the numbers at the share ``t`` of the way from stop ``k`` to the next, as ``explore.js`` mixes them.

    A cubic through the four nearest stops (Catmull and Rom 1974); beyond an end it goes on as the last three do.
    """
    before, after = 3 * stops[0] - 3 * stops[1] + stops[2], 3 * stops[-1] - 3 * stops[-2] + stops[-3]
    a, b, c, d = np.concatenate([before[None], stops, after[None]])[k : k + 4]
    return (
        a * (-t + 2 * t**2 - t**3) + b * (2 - 5 * t**2 + 3 * t**3) + c * (t + 4 * t**2 - 3 * t**3) + d * (t**3 - t**2)
    ) / 2


def words_move_evenly(texts, stops) -> bool:
    """Tell whether the page may mix the numbers in the ``texts`` of a figure at all ``stops`` of one slider.

    The texts agree in all else, and the numbers at every second stop are near what the page would mix from the others.
    The slider's own value, which may be a percentage and may have the other sign, is exact.
    """
    if len(set(texts)) == 1:
        return True
    if len({SPOKEN.sub("#", text) for text in texts}) > 1 or any(map(POWER.search, texts)):
        return False
    found = [SPOKEN.findall(text) for text in texts]
    values = np.array([[float(number.replace(",", "").replace("−", "-")) for number in numbers] for numbers in found])
    units = np.array([[10.0 ** -len(number.partition(".")[2]) for number in numbers] for numbers in found])
    own = [np.isclose(values.T, times * np.array(stops), rtol=OWN).all(axis=1) for times in (1, -1, 100, -100)]
    mixed_columns = ~np.any([*own, (values == values[0]).all(axis=0)], axis=0)
    values, units = values[:, mixed_columns], units[:, mixed_columns]
    if not values.size:
        return True
    if len(values) < 5:
        return False
    positive = values.min(axis=0) > 0
    line = np.where(positive, np.log(np.where(positive, values, 1)), values)
    mixed = np.array([cubic(line[::2], k, 0.5) for k in range((len(line) - 1) // 2)])
    mixed[:, positive] = np.exp(mixed[:, positive])
    spoken, unit = (part[1::2][: len(mixed)] for part in (values, units))
    return bool((np.abs(mixed - spoken) <= np.maximum(unit, COARSER * RIGHT * np.abs(spoken))).all())


class Frames:
    """The frames of a figure at all points of a grid, the last of its ``sizes`` running fastest.

    Frames with the same elements, attributes and numbers of points belong to one group.
    """

    def __init__(self, roots, sizes):
        self.sizes = sizes
        shapes = [_shape(root) for root in roots]
        names = {shape: i for i, shape in enumerate(dict.fromkeys(shapes))}
        self.group = [names[shape] for shape in shapes]
        self.groups = [
            _Group([root for root, k in zip(roots, self.group, strict=True) if k == i]) for i in names.values()
        ]
        places = [itertools.count() for _ in names]
        self.place = [next(places[k]) for k in self.group]  # of a frame in its group

    def svg(self, frame: int) -> str:
        """Return the SVG of one frame."""
        return self.groups[self.group[frame]].svg(self.place[frame])

    def smooth(self, slider: int, stops, alts) -> bool:
        """Tell whether the page may mix neighbours along this slider: they have the same parts, and all moves evenly.

        Evenly: every second of its ``stops`` is near what the page would mix from the others; fresh noise at each stop
        is not.  ``alts`` are the alternative texts of all frames, which are mixed, too: where words can't be, the
        slider goes from stop to stop, so that it never says what the picture doesn't show.
        """
        lines = np.moveaxis(np.arange(len(alts)).reshape(self.sizes), slider, -1).reshape(-1, self.sizes[slider])
        return all(self._line_is_smooth(line, stops, alts) for line in lines)

    def _line_is_smooth(self, line, stops, alts) -> bool:
        group, *others = {self.group[frame] for frame in line}
        places = [self.place[frame] for frame in line]
        return (
            not others
            and words_move_evenly([alts[frame] for frame in line], stops)
            and self.groups[group].moves_evenly(places, stops)
        )

    def data(self) -> dict:
        """Return what the page needs: for each frame its group and place there, for each group what `_Group` says."""
        return {"group": self.group, "place": self.place, "groups": [group.data() for group in self.groups]}


class _Group:
    """Frames with the same parts: the first as SVG, and what differs among them.

    ``numbers`` are those of the mixed attributes, in hundredths, a row for each frame (a column in `data`).  ``slots``
    says where they belong: the element's number in the document, the attribute, and its text with gaps.  ``choices``
    are texts and other attributes that differ: the element's number, the attribute ("" for its text), and one string
    for each frame.
    """

    def __init__(self, roots):
        self.roots = roots
        self.slots, self.choices, columns = [], [], []
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
            if len(set(texts)) > 1:
                self.choices.append([i, "", texts])
        self.numbers = np.hstack([np.zeros((len(roots), 0), int), *columns])

    def moves_evenly(self, places, stops) -> bool:
        """Tell whether the frames at odd places, and their words, are near what is mixed from those at even ones."""
        words = ([texts[place] for place in places] for _, name, texts in self.choices if not name)
        return self._numbers_move_evenly(places) and all(words_move_evenly(texts, stops) for texts in words)

    def _numbers_move_evenly(self, places) -> bool:
        if len(places) < 7:
            return True
        _, _, width, height = (100 * float(number) for number in NUMBER.findall(size_of(self.roots[0])))
        numbers = self.numbers[places]
        mixed = [cubic(numbers[::2], k, 0.5) for k in range((len(places) - 1) // 2)]
        # What is far beyond the figure's edges may be anywhere.
        seen = [np.clip(part, -height, 2 * width) for part in (mixed, numbers[1::2][: len(mixed)])]
        return np.abs(seen[0] - seen[1]).max(initial=0) <= EVEN * height

    def svg(self, place: int) -> str:
        return ElementTree.tostring(self.roots[place], encoding="unicode")

    def data(self) -> dict:
        # A number's differences from frame to frame are small and alike, so they travel lightly.
        steps = np.diff(self.numbers.T, axis=1, prepend=0)
        return {"svg": self.svg(0), "slots": self.slots, "choices": self.choices, "numbers": steps.tolist()}


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
