"""What tells somebody who comes from a search engine where they are.

A small line under a chapter's title says which chapter of what it is, what it needs, and where to start; the page's
title, its description and the card that other sites show (``meta.py``) say what the book is about.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from tools import minutes

from .links import number_of

SUBJECT = "differential privacy"
START = "book/ten-minutes"


def pages_of_chapters(env) -> dict[int, str]:
    """Return the pages of the book's chapters by number."""
    return {number: page for page in sorted(env.found_docs) if (number := number_of(page))}


def place(env, page: str) -> str:
    """Return "chapter 7 of 24", or "" for a page that is no chapter."""
    number = number_of(page)
    return f"chapter {number} of {max(pages_of_chapters(env))}" if number else ""


def needs(doctree) -> list[int]:
    """Return the chapters to which "Before you start" refers, in a page just read."""
    before = [section for section in doctree.findall(nodes.section) if section[0].astext() == minutes.BEFORE]
    links = [link["reftarget"] for section in before for link in section.findall(addnodes.pending_xref)]
    return sorted({int(found[1]) for link in links if (found := re.fullmatch(r"chapter-(\d+)", link))})


def say_where(app, doctree):
    """Put the line under a chapter's title."""
    env = app.env
    page = env.docname
    if not number_of(page):
        return
    env.note_dependency(str(Path(app.srcdir, app.config.external_toc_path)))  # how many chapters there are
    known = pages_of_chapters(env)

    def link(to, text):
        uri = app.builder.get_relative_uri(page, to)
        return f'<a href="{escape(uri)}">{text}</a>' if to in env.found_docs else text

    wanted = [link(known[number], number) for number in needs(doctree) if number in known]
    *most, last = wanted or [""]
    listed = f"{', '.join(most)} and {last}" if most else last
    said = [
        f"{place(env, page).capitalize()} of {link(app.config.root_doc, escape(app.config.html_title))}, on {SUBJECT}",
        f"builds on {listed}" if wanted else "needs no other chapter",
        f"new here? {link(START, 'Ten minutes')}",
    ]
    line = f'<p class="whereabouts noprint">{" · ".join(said)}</p>'
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, nodes.raw("", line, format="html"))
