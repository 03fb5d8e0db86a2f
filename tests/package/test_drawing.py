"""Drawings: everything is on the canvas, in letters that a phone shows large enough, in the colours asked for."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from matplotlib.text import Text

import dp_helpers as dp

PHONE = 328  # pixels that a picture is wide on a page of 360


@pytest.fixture
def drawn():
    with mpl.rc_context():
        dp.use_style()
        fig, ax = dp.drawing.canvas(5)
        dp.drawing.person(ax, 0.7, 3.5, "you", color=dp.PRIVATE)
        dp.drawing.box(ax, 4, 3.5, "mechanism")
        dp.drawing.arrow(ax, (1.3, 3.5), (2.8, 3.5), "a row")
        dp.drawing.number_line(ax, 1, [1, 2, 4], place=lambda age: 2 * age)
        dp.drawing.bracket(ax, 2, 4, 1.5, "width 1", color=dp.TRUE)
        dp.drawing.bracket(ax, 4, 8, 0.5, "width 2", up=False)
        dp.drawing.table(ax, 6, 3, [["Name", "Age"], ["Ann", 30]], widths=[2, 1.5], colors={(1, 1): dp.PRIVATE})
        yield fig, ax
        plt.close(fig)


def texts(fig):
    return {text.get_text(): text for text in fig.findobj(Text) if text.get_text()}


def test_all_words_are_on_the_canvas(drawn):
    fig, _ = drawn
    fig.draw_without_rendering()
    assert set(texts(fig)) == set("you/mechanism/a row/1/2/4/width 1/width 2/Name/Age/Ann/30".split("/"))
    for words, text in texts(fig).items():
        area = text.get_window_extent()
        assert area.x0 >= 0 and area.x1 <= fig.bbox.width and area.y0 >= 0 and area.y1 <= fig.bbox.height, words


def test_letters_are_large_enough_on_a_phone(drawn):
    fig, _ = drawn
    assert min(text.get_fontsize() for text in texts(fig).values()) / 72 * PHONE / fig.get_figwidth() >= 9


def test_colours_are_those_asked_for(drawn):
    fig, ax = drawn
    assert texts(fig)["30"].get_color() == dp.PRIVATE
    assert texts(fig)["Ann"].get_color() != dp.PRIVATE
    assert sum(same_color(patch.get_facecolor(), dp.PRIVATE) for patch in ax.patches) == 2  # a head and a body
    assert sum(line.get_color() == dp.TRUE for line in ax.lines) == 1


def test_a_number_stands_where_its_place_is(drawn):
    fig, _ = drawn
    assert [texts(fig)[number].get_position()[0] for number in "124"] == [2, 4, 8]
