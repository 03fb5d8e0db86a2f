"""Pages that the build makes of the others: all labs, and all figures, a line each."""

import re
from html import escape, unescape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .labs import labs
from .references import number_of, numbered_title
from .search import one_line, words

MOVES = re.compile(r'<figure class="sf-explore.*?id="(.*?)".*?<figcaption[^>]*>(.*?)</figcaption>', re.S)


def setup(app):
    """Add the directive ``all-of`` and connect the hooks below."""
    app.add_node(all_of)
    app.add_directive("all-of", AllOf)
    app.connect("env-updated", read_again)
    app.connect("doctree-resolved", write_lists)


class all_of(nodes.General, nodes.Element):
    """Where a list goes; its attribute ``kind`` says of what."""


class AllOf(SphinxDirective):
    """A list of all "labs" or all "figures", by chapter."""

    required_arguments = 1

    def run(self):
        """Return the list's place; it is written when all pages are read."""
        self.env.metadata[self.env.docname]["lists"] = True
        return [all_of(kind=self.arguments[0])]


def read_again(app, env):
    """Have the pages with lists written again: they say what is in the other pages."""
    return [page for page in env.found_docs if env.metadata[page].get("lists")]


def write_lists(app, doctree, docname):
    """Replace each place by its list: the chapters, and in each a link to what is in it."""
    for place in list(doctree.findall(all_of)):
        items = {"labs": lab_lines, "figures": figure_lines}[place["kind"]]
        rows = []
        for page in sorted(filter(number_of, app.env.found_docs)):
            address = app.builder.get_relative_uri(docname, page)
            lines = [
                f'<li><a href="{escape(f"{address}#{anchor}")}">{escape(title)}</a>{escape(about)}</li>'
                for anchor, title, about in items(app.env, app.env.get_doctree(page))
            ]
            if lines:
                rows += [f"<h2>{escape(numbered_title(app.env, page))}</h2>", "<ul>", *lines, "</ul>"]
        place.replace_self(nodes.raw("", "\n".join(rows), format="html"))


def lab_lines(env, doctree):
    """Yield of each lab of a page its id, its title, and nothing more: the title says what it is about."""
    for box in labs(doctree):
        yield box["ids"][-1], box.next_node(nodes.title).astext(), ""


def figure_lines(env, doctree):
    """Yield of each figure of a page its id, its caption's first sentence, and whether it moves."""
    for node in doctree.findall(lambda one: isinstance(one, (nodes.figure, nodes.raw))):
        if isinstance(node, nodes.figure):
            caption = node.next_node(nodes.caption)
            if caption is not None and node["ids"]:
                yield node["ids"][0], first_sentence(words(env, caption)), ""
        else:
            for found in MOVES.finditer(node.astext()):
                yield found[1], first_sentence(unescape(found[2])), " It moves."


def first_sentence(text: str) -> str:
    """Return the first sentence of a caption."""
    return re.split(r"(?<=[.?!]) ", one_line(text))[0]
