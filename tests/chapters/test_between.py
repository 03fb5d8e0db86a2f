"""Between two stops a slider mixes pictures, and the numbers in their texts.

Each figure of the book, drawn for real in the middle, is that mixture.
"""

import inspect
import itertools

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK, read
from matplotlib import pyplot as plt
from thorough import weekly

import dp_helpers as dp
from slider_figures import live
from slider_figures.explore import _sliders, drawn_at
from slider_figures.frames import NUMBER, OWN, RIGHT, SPOKEN, Frames, cubic, size_of
from slider_figures.svg import frames

CHAPTERS = sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb"))
OFF = 0.01  # of the axis


def figures(chapter):
    """Run the chapter's cells and return what each of them gives to `dp.explore`."""
    asked = []

    def remember(figure, **arguments):
        asked.append((figure, arguments))

    patched = {"__name__": chapter}
    original, dp.explore = dp.explore, remember
    try:
        for cell in read(chapter).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, chapter, "exec"), patched)
    finally:
        dp.explore = original
        plt.close("all")
    return asked


def middle(low, high, logarithmic):
    value = np.sqrt(low * high) if logarithmic else (low + high) / 2
    return round(value) if isinstance(low, int) else float(value)


def place(value, low, high, logarithmic):
    """Return where the slider stands at ``value``, from 0 at ``low`` to 1 at ``high``."""
    return np.log(value / low) / np.log(high / low) if logarithmic else (value - low) / (high - low)


def misread(texts, drawn, t, own):
    """Return which numbers of a text in the middle are mixed wrongly: by more than 2% and one of the last digit.

    ``texts`` are those of the four stops around it, ``own`` the slider's values there, which the page shows exactly.
    """
    wrong = []
    for number, *around in zip(SPOKEN.findall(drawn), *map(SPOKEN.findall, texts), strict=True):
        right, *values = (float(one.replace(",", "").replace("−", "-")) for one in (number, *around))
        if any(np.allclose(np.abs(values), times * np.array(own), rtol=OWN) for times in (1, 100)):
            continue
        logs = min(values) > 0
        mixed = float(cubic(np.log(values) if logs else np.array(values), 1, t))
        mixed = np.exp(mixed) if logs else mixed
        unit = 10.0 ** -min(len(one.partition(".")[2]) for one in (number, *around))
        if abs(mixed - right) > max(unit, RIGHT * abs(right)) * 1.01:
            wrong.append(f"{number} is shown as {mixed:.4g} in {drawn!r}")
    return wrong


def differences(figure, arguments):
    """Yield for each slider's middles the slider, the value, how far the mixture is off, as a share of the axis, and
    what its texts say wrongly.
    """
    draws, labels, initial = (arguments.get(name) for name in ("draws", "labels", "initial"))
    values = {k: v for k, v in arguments.items() if k not in ("alt", "caption", "draws", "labels", "initial")}
    sliders = _sliders(values, initial, labels, draws or 1)
    start = {s.name: s.values[s.start] for s in sliders} | ({"seed": 0} if draws else {})

    def draw(at):
        return drawn_at(figure, at)

    for slider in sliders:
        stops = slider.values
        if len(stops) < 4 or isinstance(stops[0], str):
            continue
        logarithmic = live.geometric(stops)
        between = [middle(low, high, logarithmic) for low, high in itertools.pairwise(stops)]
        asked = [start | {slider.name: value} for value in (*stops, *between)]
        roots = frames(draw, asked)
        shared = Frames(roots, [len(roots)])
        if len(set(shared.group[: len(stops)])) > 1 or not shared.groups[0].moves_evenly(range(len(stops)), stops):
            continue
        assert len(shared.groups) == 1, f"{slider.name}: between the stops the figure has other parts"
        numbers = shared.groups[0].numbers / 100
        _, _, width, height = map(float, NUMBER.findall(size_of(roots[0])))
        for k, value in enumerate(between):
            if value in stops:
                continue
            t = place(value, stops[k], stops[k + 1], logarithmic)
            both = cubic(numbers[: len(stops)], k, t), numbers[len(stops) + k]
            mixed, drawn = (np.clip(one, -height, 2 * width) for one in both)  # beyond, nobody sees it
            wrong = []
            for texts in (texts for _, name, texts in shared.groups[0].choices if not name):
                if 1 <= k < len(stops) - 2:
                    wrong += misread(texts[k - 1 : k + 3], texts[len(stops) + k], t, stops[k - 1 : k + 3])
            yield slider.name, value, np.abs(mixed - drawn).max(initial=0) / (0.75 * height), wrong


@weekly  # draws hundreds of figures
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_slider_between_two_stops_shows_what_would_be_drawn(chapter, monkeypatch):
    monkeypatch.chdir(BOOK)  # chapter 12 reads a file from there
    wrong = []
    for figure, arguments in figures(chapter):
        assert inspect.isfunction(figure)
        wrong += [
            f"{figure.__name__}: {slider} = {value:g}: {off:.1%} of the axis {said}"
            for slider, value, off, said in differences(figure, arguments)
            if off > OFF or said
        ]
    assert not wrong, "\n".join(wrong)
