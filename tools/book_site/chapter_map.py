"""The map of the chapters, drawn from the chapters themselves.

A chapter builds on those that its section "Before you start" refers to.  The map carries the ids of the chapters'
questions and labs, so that it can show how many of them a reader has answered.
"""

import re
from html import escape
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .answering import labs, quizzes
from .arriving import needs, pages_of_chapters
from .links import as_read
from .short import shown, stated_minutes

LANE, STATION, MARGIN = 17, 22, 14  # pixels: between lanes; from a row's top, and from the left, to a station's centre


class chapter_map(nodes.General, nodes.Element):
    """Where the map goes; its attribute ``questions`` has what a reader asks, by chapter."""


class ChapterMap(SphinxDirective):
    """The map of the chapters.  Its content is a numbered list: the question that each chapter answers."""

    has_content = True

    def run(self):
        """Return the map's place; it is drawn when all pages are read."""
        questions = dict(re.findall(r"^(\d+)\. (.+)$", "\n".join(self.content), re.M))
        quoted = {int(number): f"“{question.strip(chr(34))}”" for number, question in questions.items()}
        return [chapter_map(questions=quoted)]


class Chapter(NamedTuple):
    """What the map says of a chapter."""

    page: str
    title: str
    needs: list[int]  # as "Before you start" names them
    minutes: dict[str, int]  # as it states them
    questions: list[str]  # ids of those that answer back
    labs: list[str]  # their ids


def write_again(app, env):
    """Have the page with the map written again: it says what is in the other pages."""
    return [app.config.root_doc]


def read_chapters(env) -> dict[int, Chapter]:
    """Return the book's chapters by number, in reading order."""
    chapters = {}
    for number, page in pages_of_chapters(env).items():
        doctree = as_read(env, page)
        ids = [[name for box in find(doctree) for name in box["ids"][-1:]] for find in (quizzes, labs)]
        chapters[number] = Chapter(page, env.titles[page].astext(), needs(doctree), stated_minutes(doctree), *ids)
    return chapters


def direct_needs(needs: dict[int, list[int]]) -> dict[int, list[int]]:
    """Leave out what another need already builds on: a line from 3 to 5 says nothing where 3, 4, 5 are in a row."""
    before = {}
    for chapter in sorted(needs):
        before[chapter] = set(needs[chapter]).union(*(before[need] for need in needs[chapter]))
    return {
        chapter: [need for need in wanted if not any(need in before[other_need] for other_need in wanted)]
        for chapter, wanted in needs.items()
    }


def choose_lanes(needs: dict[int, list[int]]) -> dict[int, int]:
    """Place each chapter in a lane such that as few lines as possible cross, and then that they are short.

    From a chapter a trunk runs down its lane to the row of the last chapter that needs it, which stands in the same
    lane; to the others lines branch off.  All placements are tried, and given up as soon as they can't be the best, or
    leave the same trunks to go on from as one that was as good.
    """
    last = {need: chapter for chapter in sorted(needs) for need in needs[chapter]}
    best_cost, best = float("inf"), {}
    cheapest = {}  # by what a placement leaves to go on from

    def place(unplaced, lanes, cost):
        nonlocal best_cost, best
        if cost >= best_cost:
            return
        if not unplaced:
            best_cost, best = cost, lanes
            return
        chapter, *unplaced = unplaced
        open_trunks = frozenset((placed, lane) for placed, lane in lanes.items() if last.get(placed, 0) >= chapter)
        if cheapest.get((chapter, open_trunks), float("inf")) <= cost:
            return
        cheapest[chapter, open_trunks] = cost
        trunks = {lane for _, lane in open_trunks}
        inherited = [lanes[need] for need in needs[chapter] if last[need] == chapter]
        # One free lane to the right of all trunks is enough, but a later line may want it: leave one more.
        free = [lane for lane in range(max(trunks, default=-1) + 3) if lane not in trunks]
        for lane in inherited[:1] or free:
            crossed = 0
            for need in needs[chapter]:
                left, right = sorted([lane, lanes[need]])
                crossed += 100 * sum(left < trunk < right for trunk in trunks) + right - left
            place(unplaced, {**lanes, chapter: lane}, cost + crossed)

    place(sorted(needs), {}, 0)
    return best


def rails(needs: dict[int, list[int]], lanes: dict[int, int]) -> dict[int, str]:
    """Return each row's lines as SVG.  A line's ``data-to`` lists the chapters to which it leads at once."""
    followers = {chapter: [follower for follower in needs if chapter in needs[follower]] for chapter in needs}
    drawn = {}
    for row in needs:
        lines = []
        for chapter, to in followers.items():
            x, later = center(lanes[chapter]), [follower for follower in to if follower > row]
            if chapter <= row and later:
                top = STATION if chapter == row else 0
                lines.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="100%" data-to="{spaced(later)}"/>')
            if row in to:
                end, middle = center(lanes[row]), STATION / 2
                curve = f"M{x} 0C{x} {middle:g} {end} {middle:g} {end} {STATION}"
                lines.append(f'<path d="{curve}" data-to="{row}"/>')
        drawn[row] = "".join(lines)
    return drawn


def center(lane: int) -> int:
    """Return how many pixels from the left a lane is."""
    return MARGIN + LANE * lane


def spaced(items) -> str:
    """Return an attribute's list."""
    return " ".join(map(str, items))


def builds_on(needs: list[int]) -> str:
    """Return "builds on 3, 5 and 6", or that one can start here."""
    if not needs:
        return "start here"
    *most, last = map(str, needs)
    return "builds on " + (f"{', '.join(most)} and {last}" if most else last)


def draw_map(app, doctree, docname):
    """Replace the map's place by the map: a list of links in reading order, with its lines beside it."""
    for place in list(doctree.findall(chapter_map)):
        chapters = read_chapters(app.env)
        # Half a book may lack a chapter that another one needs: no line leads there.
        known_needs = {
            number: [need for need in chapter.needs if need in chapters] for number, chapter in chapters.items()
        }
        needs = direct_needs(known_needs)
        lanes = choose_lanes(needs)
        lines, width = rails(needs, lanes), center(max(lanes.values())) + MARGIN
        rows = []
        for number, chapter in chapters.items():
            link = app.builder.get_relative_uri(docname, chapter.page)
            station = f'<span class="station" style="left:{center(lanes[number])}px">{number}</span>'
            rows.append(
                f'<li value="{number}" data-needs="{spaced(needs[number])}"'
                f' data-questions="{spaced(chapter.questions)}" data-labs="{spaced(chapter.labs)}">'
                f'<svg aria-hidden="true" width="{width}">{lines[number]}</svg>'
                f'<a href="{escape(link)}">{station} {escape(chapter.title)}</a>'
                f'<span class="minutes">{shown(chapter.minutes)}</span>'
                f'<span class="asks">{escape(place["questions"].get(number, ""))}</span>'
                f'<span class="builds-on">{builds_on(chapter.needs)}</span></li>'
            )
        html = f'<ol class="chapter-map" role="list" style="--rails:{width}px">\n' + "\n".join(rows) + "\n</ol>"
        place.replace_self(nodes.raw("", html, format="html"))
