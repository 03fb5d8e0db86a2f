"""Between two stops a slider mixes pictures, and computes the numbers in their texts.

Each figure of the book, drawn for real at random places between all stops, is that mixture and says these words.
"""

import inspect
import itertools

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK, read
from matplotlib import pyplot as plt
from thorough import weekly

import dp_helpers as dp
from slider_figures.explore import _sliders, drawn_at
from slider_figures.frames import NUMBER, Frames, size_of
from slider_figures.mixing import nearest
from slider_figures.svg import frames
from slider_figures.words import Spoken, Words, parsed

CHAPTERS = sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb"))
OFF = 2  # of the units of a figure that is 346 wide
COUNTS = {"spread": 5}  # its ticks are surveys, which count whole people: one more is so many units


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


def between(low, high, rng):
    """Return a place between two stops that the slider can stand at: a whole number, or one of three digits."""
    value = low + (high - low) * rng.uniform(0.2, 0.8)
    return round(value) if isinstance(low, int) else float(f"{value:.3g}")


def differences(figure, arguments):
    """Yield for each slider that moves and each place where it is, and how far the mixture is off there.

    That a text isn't what the page would compute is a place, too.
    """
    arguments = dict(arguments)
    draws, labels, initial, words, texts = (
        arguments.pop(name, None) for name in ("draws", "labels", "initial", "words", "texts")
    )
    del arguments["alt"], arguments["caption"]
    sliders = _sliders(arguments, initial, labels, draws or 1)
    start = {s.name: s.values[s.start] for s in sliders} | ({"seed": 0} if draws else {})
    spoken = words_of(words, texts or (), {s.name: s.values for s in sliders} | ({"seed": (0,)} if draws else {}))
    rng = np.random.default_rng(7)

    def draw(at):
        return drawn_at(figure, at)

    for slider in sliders:
        stops = slider.values
        if len(stops) < 4 or isinstance(stops[0], str):
            continue
        at_stops = [start | {slider.name: value} for value in stops]
        shared = Frames(frames(draw, at_stops), [len(stops)], spoken.said(at_stops))
        line = shared.smooth(0, stops, [""] * len(stops))
        if line is None:
            continue
        places = [between(low, high, rng) for low, high in itertools.pairwise(stops)]
        asked = [*at_stops, *(start | {slider.name: value} for value in places)]
        roots = frames(draw, asked)
        both = Frames(roots, [len(roots)], spoken.said(asked))
        assert len(both.groups) == 1, f"{slider.name}: between the stops the figure has other parts"
        for which in both.unsaid():
            yield slider.name, f"anywhere, {spoken.given[which]!r} isn't what is drawn", np.inf
        numbers = both.groups[0].numbers / 100
        _, _, width, height = map(float, NUMBER.findall(size_of(roots[0])))
        way = np.log if line[0] != stops[0] else float
        for k, value in enumerate(places):
            if value in stops:
                continue
            mixed = sum(weight * numbers[stop] for stop, weight in nearest(line, way(value)))
            edges = -height / 10, max(width, height) + height / 10  # beyond, nobody sees it
            off = np.clip(mixed, *edges) - np.clip(numbers[len(stops) + k], *edges)
            yield slider.name, f"{value:g}", np.abs(off).max(initial=0)


def words_of(words, texts, values):
    known = Words(words or {}, values)
    trees = [parsed("texts", text, known.known, template=True) for text in texts]
    return Spoken(known, None, list(texts), trees)


@weekly  # draws hundreds of figures
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_slider_between_two_stops_shows_what_would_be_drawn(chapter, monkeypatch):
    monkeypatch.chdir(BOOK)  # chapter 12 reads a file from there
    wrong = []
    for figure, arguments in figures(chapter):
        assert inspect.isfunction(figure)
        wrong += [
            f"{figure.__name__}: {slider} at {place}: {off:.1f} units"
            for slider, place, off in differences(figure, arguments)
            if off > COUNTS.get(figure.__name__, OFF)
        ]
    assert not wrong, "\n".join(wrong)
