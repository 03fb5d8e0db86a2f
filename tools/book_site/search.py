"""What a search searches: the book's sections, terms and functions, and their index, in scripts that a file loads, too.

Sphinx's own search knows pages, not sections, and shows their source.  Here a find is a section, with its words.  The
index is MiniSearch's, made by ``find.js`` here as it would be in a browser, where it took a second.
"""

import csv
import json
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from .formulas import engine
from .links import GLOSSARY, as_read, is_section, numbered_title, one_line, terms, words

SECTIONS, INDEX = "sections.js", "search-index.js"
STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
NAMES = Path(__file__).with_name("term_names.csv")


def leave_out_sphinx_search(app):
    """Have Sphinx make no index: the page comes from ``book/_templates/search.html``."""
    app.builder.search = False


def write_sections(app):
    """Write the scripts that search.js loads: sections, and their index."""
    pages = [(page, as_read(app.env, page)) for page in sorted(app.env.found_docs)]
    found = [entry for page, doctree in pages for entry in entries(app.env, page, doctree)]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    static = Path(app.outdir, "_static")
    (static / SECTIONS).write_text(f"const SECTIONS = {text};\n", encoding="utf-8")
    (static / INDEX).write_text(f"const SEARCH_INDEX = {index(text)};\n", encoding="utf-8")


def index(sections: str) -> str:
    """Return the index of sections as JSON, as the pages load it."""
    v8 = engine()
    for name in ("minisearch.js", "find.js"):
        v8.eval((STATIC / name).read_text(encoding="utf-8"))
    v8.eval(f"const all = new MiniSearch(finder.INDEX); all.addAll({sections}.map(finder.document)); undefined")
    return str(v8.eval("JSON.stringify(all)"))


def other_names() -> dict[str, str]:
    """Return by a term's name in the glossary what it is called in German and French, and in short."""
    with NAMES.open(encoding="utf-8", newline="") as file:
        return {row.pop("term"): " ".join(row.values()) for row in csv.DictReader(file)}


def entries(env, page: str, doctree):
    """Yield of each section, term and function: address, kind, title, page's title, what it explains (of a term: the
    title of the page that does), its words, and a term's other names.
    """
    called = other_names()
    whole = numbered_title(env, page)

    def entry(node_id, kind, title, taught, text):
        return [f"{page}.html#{node_id}", kind, one_line(title), whole, one_line(taught), one_line(text)]

    for section in filter(is_section, doctree.findall(nodes.section)):
        title, *content = section.children
        kind = "page" if isinstance(section.parent, nodes.document) else "section"
        yield entry(section["ids"][0], kind, words(env, title), taught_in(section), spoken(env, content))
    for names, node_id, taught, meaning in terms(env) if page == GLOSSARY else ():
        title = numbered_title(env, taught) if taught else ""
        others = " ".join([*names[1:], called.get(names[0], "")])
        yield [*entry(node_id, "term", names[0], title, f"{meaning} {' '.join(names[1:])}"), one_line(others)]
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
