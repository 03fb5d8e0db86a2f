"""References say which chapter they lead to by its number, too: "chapter 5, Sensitivity".

In the tables of the page "sources" the title of a section is a link to that section.
"""

import re
from pathlib import Path

from docutils import nodes

SOURCES = "book/sources"


def setup(app):
    """Connect the hooks below."""
    app.connect("doctree-resolved", number_references)
    app.connect("env-updated", lambda app, env: [SOURCES] if SOURCES in env.found_docs else [])  # it links to sections
    app.connect("doctree-resolved", link_sections)


def number_of(page: str) -> int | None:
    """Return a chapter's number, or None for another page."""
    found = re.match(r"(\d\d)-", Path(page).name)
    return int(found[1]) if found else None


def numbered_title(env, page: str) -> str:
    """Return "Chapter 5, Sensitivity", or the title of a page that is no chapter."""
    title, number = env.titles[page].astext(), number_of(page)
    return f"Chapter {number}, {title}" if number else title


def number_references(app, doctree, docname):
    """Name the chapter by its number, too, where a reference shows its title."""
    titles = {app.env.titles[page].astext(): page for page in app.env.found_docs if number_of(page)}
    for link in doctree.findall(nodes.reference):
        shown = link.astext()
        if shown in titles and isinstance(link[0], nodes.inline) and "std" in link[0]["classes"]:
            full = numbered_title(app.env, titles[shown])
            link[0].children = [nodes.Text(full if begins_sentence(link) else full[0].lower() + full[1:])]


def begins_sentence(link) -> bool:
    """Say whether the reference is the first thing in its sentence."""
    before = link.parent[: link.parent.index(link)]
    text = "".join(node.astext() for node in before).strip()
    return not text or text[-1] in ".!?"


def link_sections(app, doctree, docname):
    """Link the section's title, in the tables of the sources' demonstrations, to the section."""
    if docname != SOURCES:
        return
    for row in doctree.findall(nodes.row):
        chapter = next(row[1].findall(nodes.reference), None)
        if chapter is None:  # the table's head
            continue
        page, title = chapter["refuri"].split("#")[0], row[2].astext()
        name = anchor(app.env.get_doctree(f"book/{page.removesuffix('.html')}"), title)
        link = nodes.reference("", title, internal=True, refuri=f"{page}#{name}")
        row[2].clear()
        row[2] += nodes.paragraph("", "", link)


def anchor(doctree, title: str) -> str:
    """Return the id of the section with this title."""
    return next(part["ids"][0] for part in doctree.findall(nodes.section) if part[0].astext() == title)
