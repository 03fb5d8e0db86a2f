"""The map of the chapters: what it leaves out, and where its lines run."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.book_site import chapter_map

LADDER = {1: [], 2: [1], 3: [1, 2], 4: [1, 3]}
FORK = {1: [], 2: [1], 3: [1], 4: [1], 5: [2, 3, 4]}
GAPS = {2: [], 5: [2], 9: [2], 11: [5], 12: [5, 9], 20: [2], 21: [11, 12, 20]}


def test_what_another_need_builds_on_is_left_out():
    assert chapter_map.direct_needs(LADDER) == {1: [], 2: [1], 3: [2], 4: [3]}
    assert chapter_map.direct_needs(FORK) == FORK


@pytest.mark.parametrize("needs", [LADDER, FORK, GAPS], ids=["ladder", "fork", "gaps"])
def test_no_station_stands_on_a_line_that_passes(needs):
    needs = chapter_map.direct_needs(needs)
    lanes = chapter_map.choose_lanes(needs)
    assert set(lanes) == set(needs)
    last = {need: chapter for chapter in needs for need in needs[chapter]}
    for chapter, lane in lanes.items():
        passing = [other for other in needs if other < chapter < last.get(other, 0) and lanes[other] == lane]
        assert not passing, f"{chapter} stands on the trunk of {passing}"


def test_lines_cross_only_where_they_must():
    # 3 and 4 hang on 1 while 2's line is open: beside it there is room to the left and to the right.
    lanes = chapter_map.choose_lanes({1: [], 2: [1], 3: [1], 4: [2], 5: [1]})
    assert lanes[1] == lanes[5] and lanes[2] == lanes[4]
    assert not min(lanes[1], lanes[3]) < lanes[2] < max(lanes[1], lanes[3])


def test_half_a_book_has_a_map_without_lines_to_the_chapters_that_it_leaves_out(monkeypatch):
    chapters = {
        number: chapter_map.Chapter(f"book/{number:02}", f"Title {number}", needs, {}, [], [])
        for number, needs in ((3, [1, 2]), (12, [3, 8]))
    }
    monkeypatch.setattr(chapter_map, "read_chapters", lambda env: chapters)
    page = nodes.section("", chapter_map.chapter_map(questions={}))
    app = SimpleNamespace(env=None, builder=SimpleNamespace(get_relative_uri=lambda here, there: f"{there}.html"))
    chapter_map.draw_map(app, page, "book/index")
    assert re.findall(r'<li value="(\d+)" data-needs="([\d ]*)"', page.astext()) == [("3", ""), ("12", "3")]
    assert page.astext().count('data-to="12"') == 2


def test_every_row_draws_the_lines_that_pass_it():
    needs = {1: [], 2: [1], 3: [1]}
    drawn = chapter_map.rails(needs, {1: 0, 2: 1, 3: 0})
    assert drawn[1].count('data-to="2 3"') == 1  # from 1 down
    assert drawn[2].count('data-to="2"') == drawn[2].count('data-to="3"') == 1  # the branch, and what passes it
    assert drawn[3].count("data-to=") == drawn[3].count('data-to="3"') == 1


def test_what_a_chapter_needs_is_said_in_words():
    words = [chapter_map.builds_on(needs) for needs in ([], [3], [3, 4], [3, 5, 6])]
    assert words == ["start here", "builds on 3", "builds on 3 and 4", "builds on 3, 5 and 6"]
