"""References say which chapter they lead to by its number, too: "chapter 5, Sensitivity"."""

import re
from pathlib import Path

from docutils import nodes


def setup(app):
    """Connect the hook below."""
    app.connect("doctree-resolved", number_references)


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
