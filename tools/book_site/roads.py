"""The roads through the book: lists of places with their minutes, which ``roads.js`` lets a reader tick.

A road is a directive whose content is a numbered list.  A stop is ``where it leads | what to do there``, and where it
leads are parts joined by " + ":

- ``short 3``, ``whole 3``, ``labs 3``: a chapter's short edition, the whole of it, its labs
- ``3: What exactly is promised?``: a section of a chapter
- ``lab 5-attack-a-maximum``: a lab
- ``figure 24 fig-claim: The calculator``, ``figure index fig-front: …``: a figure or game of a chapter or page
- ``page libraries``: another page
- ``own 30``, ``own 1: …``: minutes of the reader's own work, or of what stands on the road's page

Minutes are counted by the rule of :mod:`tools.minutes`.
"""

import re
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from tools import minutes

from .answering import labs
from .links import as_read, numbered_title

PARTS = (
    r"(?P<edition>short|whole|labs) (?P<chapter>\d+)",
    r"(?P<chapter>\d+): (?P<section>.+)",
    r"lab (?P<lab>(?P<chapter>\d+)-[\w-]+)",
    r"figure (?P<page>\w+) (?P<figure>[\w-]+): (?P<title>.+)",
    r"page (?P<page>\w+)",
    r"own (?P<own>\d+)(?:: (?P<title>.+))?",
)
EDITIONS = {"short": ("{}, in short", "?short"), "whole": ("{}", "?whole"), "labs": ("The labs of {}", "#labs")}


class road(nodes.General, nodes.Element):
    """Where a road goes; its children are the texts of its stops, its attribute ``stops`` where they lead."""


class Road(SphinxDirective):
    """A road; its argument is its name, under which a browser remembers the ticks."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Return the road's place; its links are made when all pages are read."""
        for file in minutes.BOOK.glob("*.ipynb"):
            self.env.note_dependency(str(file))
        self.env.metadata[self.env.docname]["road"] = True
        stops = read_stops("\n".join(self.content))
        place = road(name=self.arguments[0], stops=[leads for leads, _ in stops])
        for _, text in stops:
            said = nodes.container()
            self.state.nested_parse(StringList([text], "road"), 0, said)
            place += said
        return [place]


def read_stops(content: str) -> list[tuple[str, str]]:
    """Return where each stop leads, and its text."""
    stops = [" ".join(stop.split()) for stop in re.split(r"^\d+\. ", content, flags=re.M)[1:]]
    return [tuple(map(str.strip, stop.split(" | ", 1))) for stop in stops]


def read_part(part: str) -> dict[str, str]:
    """Return what a part of a stop names; raises ValueError if it is none of those above."""
    for pattern in PARTS:
        if found := re.fullmatch(pattern, part):
            return {name: text for name, text in found.groupdict().items() if text}
    raise ValueError(f"a road leads to {part!r}, which isn't one of the parts that roads.py lists")


def minutes_of(stop: str) -> int:
    """Return how long a stop takes; raises ValueError if a part of it isn't in the book."""
    return sum(round(part_minutes(**read_part(part))) for part in stop.split(" + "))


def part_minutes(*, edition="", chapter="", section="", lab="", page="", figure="", title="", own="") -> float:
    """Return how long a part takes."""
    if own:
        return int(own)
    if figure:
        return minutes.SLIDER
    if page:
        text = (minutes.BOOK / f"{page}.md").read_text(encoding="utf-8")
        return minutes.minutes([minutes.text_cell(text)])
    cells = chapter_cells(int(chapter))
    if lab:
        if not (task := [cell for cell in cells if f":name: lab-{lab}\n" in cell.source]):
            raise ValueError(f"a road leads to lab-{lab}, which isn't in chapter {chapter}")
        return minutes.labs(task)
    if edition == "labs":
        return minutes.labs(cells)
    if section:
        if section not in (parts := minutes.sections(cells)):
            raise ValueError(f"a road leads to {section!r} in chapter {chapter}, whose sections are {list(parts)}")
        return minutes.minutes(parts[section])
    return minutes.minutes({"short": minutes.short, "whole": minutes.whole}[edition](cells))


@cache
def chapter_file(number: int) -> Path:
    """Return the notebook of a chapter."""
    for path in minutes.BOOK.glob(f"{number:02}-*.ipynb"):
        return path
    raise ValueError(f"a road leads to chapter {number}, which isn't there")


def chapter_cells(number: int) -> list:
    """Return a chapter's cells."""
    return nbformat.read(chapter_file(number), as_version=4).cells


def write_again(app, env):
    """Have the roads written again: they say how long the chapters are, and link into them."""
    return [page for page in env.found_docs if env.metadata[page].get("road")]


def draw_roads(app, doctree, docname):
    """Replace each road's place by the list of its stops."""
    for place in list(doctree.findall(road)):
        times = [minutes_of(stop) for stop in place["stops"]]
        rows = nodes.enumerated_list(classes=["road"], enumtype="arabic")
        for stop, time, said in zip(place["stops"], times, place.children, strict=True):
            name = nodes.make_id(f"road-{place['name']}-{stop}")
            links = [link_to(app, docname, **read_part(part)) for part in stop.split(" + ")]
            head = nodes.paragraph("", "", *join([link for link in links if link is not None]))
            head += nodes.raw("", f' <span class="minutes" data-stop="{name}">{time} min</span>', format="html")
            rows += nodes.list_item("", head, *said.children)
        total = nodes.paragraph(classes=["road-total"])
        total += nodes.raw("", f'<span class="road-minutes">{sum(times)}</span> minutes in all.', format="html")
        place.replace_self([rows, total])


def join(links: list) -> list:
    """Return the links with " and " between them."""
    return [one for link in links for one in (nodes.Text(" and "), link)][1:]


def link_to(app, docname, *, edition="", chapter="", section="", lab="", page="", figure="", title="", own=""):
    """Return the link to a part, or a name for the reader's own work."""
    if own:
        return nodes.strong("", title or "On your own")
    target = f"book/{chapter_file(int(chapter)).stem}" if chapter else f"book/{page}"
    if figure:
        target = f"book/{chapter_file(int(page)).stem}" if page.isdigit() else target
    if target not in app.env.found_docs:  # half a book
        return nodes.Text(title or section or target)
    named = numbered_title(app.env, target)
    uri = app.builder.get_relative_uri(docname, target)
    if edition:
        text, place = EDITIONS[edition]
        return reference(text.format(named), uri + place)
    if section:
        named, name = find_section(as_read(app.env, target), section)
        return reference(f"Chapter {chapter}: {named}", f"{uri}#{name}")
    if lab:
        box = next(box for box in labs(as_read(app.env, target)) if box["ids"][-1] == f"lab-{lab}")
        number, *_, named = box.next_node(nodes.title).astext().split(" · ")
        return reference(f"{number}: {named}", f"{uri}#lab-{lab}")
    return reference(title or named, f"{uri}#{figure}" if figure else uri)


def find_section(doctree, title: str) -> tuple[str, str]:
    """Return the title of a section as the page has it, with curly quotation marks, and the section's id."""
    straight = str.maketrans("“”‘’", "\"\"''")
    named = {part[0].astext(): part["ids"][0] for part in doctree.findall(nodes.section)}
    return next(one for one in named.items() if one[0].translate(straight) == title)


def reference(text: str, uri: str) -> nodes.reference:
    """Return a link within the book."""
    return nodes.reference("", text, internal=True, refuri=uri)
