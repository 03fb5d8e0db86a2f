"""What the search page searches: the book's sections, terms and functions, in one script that a file can load, too.

Sphinx's own search knows pages, not sections, and shows their source.  Here a find is a section, with its words.
``search.js`` ranks what it finds: what explains a thing before what mentions it.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from .links import GLOSSARY, is_section, numbered_title, one_line, terms, words

SCRIPT = "sections.js"


def leave_out_sphinx_search(app):
    """Have Sphinx make no index: the page comes from ``book/_templates/search.html``."""
    app.builder.search = False


def write_sections(app):
    """Write the script that search.js reads."""
    pages = [(page, app.env.get_doctree(page)) for page in sorted(app.env.found_docs)]
    found = [entry for page, doctree in pages for entry in entries(app.env, page, doctree)]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", SCRIPT).write_text(f"const SECTIONS = {text};\n", encoding="utf-8")


def entries(env, page: str, doctree):
    """Yield of each section, term and function: address, kind, title, page's title, what it explains (of a term: the
    title of the page that does), and its words.
    """
    whole = numbered_title(env, page)

    def entry(node_id, kind, title, taught, text):
        return [f"{page}.html#{node_id}", kind, one_line(title), whole, one_line(taught), one_line(text)]

    for section in filter(is_section, doctree.findall(nodes.section)):
        title, *content = section.children
        kind = "page" if isinstance(section.parent, nodes.document) else "section"
        yield entry(section["ids"][0], kind, words(env, title), taught_in(section), spoken(env, content))
    for names, node_id, taught, meaning in terms(env) if page == GLOSSARY else ():
        title = numbered_title(env, taught) if taught else ""
        yield entry(node_id, "term", names[0], title, f"{meaning} {' '.join(names[1:])}")
    for function in doctree.findall(addnodes.desc):
        if function[0]["ids"] and isinstance(function.parent, nodes.section):
            name, about = function[0]["ids"][0], function[-1].next_node(nodes.paragraph)
            yield entry(name, "function", name.removeprefix("dp_helpers."), "", words(env, about) if about else "")


def taught_in(section) -> str:
    """Return what the section explains: the words in bold, and the names of definitions and theorems."""
    bold = [strong.astext() for strong in section.findall(nodes.strong) if section_of(strong) is section]
    boxes = [title for title in section.findall(nodes.title) if "proof" in " ".join(title.parent.get("classes", []))]
    return "; ".join([*bold, *(title.astext() for title in boxes if section_of(title) is section)])


def section_of(node):
    """Return the section that the node stands in."""
    while not is_section(node):
        node = node.parent
    return node


def spoken(env, content) -> str:
    """Return the words of several nodes."""
    return " ".join(words(env, node) for node in content)
