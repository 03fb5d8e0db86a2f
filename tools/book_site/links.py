"""Links, and what they say of the place that they lead to.

A reference says which chapter it leads to by its number, too: "chapter 5, Sensitivity".  In the tables of the page
"sources" the title of a section is a link to that section.  In a chapter the first use of a term that another one
teaches leads to the glossary.  ``words.js`` shows beside a link what it leads to: what stands on the same page it
copies, a citation says itself; the rest (the glossary, and the definitions and theorems that other pages refer to) is
in the script that is written here, which a page opened from its file can load, too.
"""

import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from .formulas import as_signs

SOURCES = "book/sources"
GLOSSARY = "book/glossary"
SCRIPT = "terms.js"
# Terms that are ordinary words, too: they lead to the glossary only where the author asks for it, by the role ``term``.
# tests/site/word_links.csv has all links with their sentences, read by a person.
EVERYDAY = set(
    """advantage batch bias cap clone confidence consistency domain encoder filter grid head invariant loss margin mask
    miss neighbours prior reach risk score sparse strategy tally workload""".split()
) | {"false alarm", "lower bound", "upper bound"}
# Where a word is no part of a sentence, or is taught, asked or linked already.
ELSEWHERE = (nodes.reference, nodes.literal, nodes.strong, nodes.title, nodes.caption, nodes.math, nodes.Admonition)
UNREAD = re.compile("Further reading")
# What isn't read as a sentence.
SILENT = (nodes.literal_block, nodes.raw, nodes.comment, addnodes.glossary, addnodes.desc, addnodes.toctree)


@cache
def as_read(env, page: str):
    """Return a page as it was read, to look at: it is unpickled once for all pages that say what is in it."""
    return env.get_doctree(page)


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


def show_left_out_as_text(app, env, node, contnode):
    """Show a reference to a chapter that ``_toc.yml`` leaves out as plain text: a lecturer's book may be half of it."""
    label = re.compile(rf"""(?:\(|(?:label|name)"?: "?){re.escape(node["reftarget"])}(?![\w-])""")
    for file in sorted(Path(app.srcdir, "book").glob("[0-9][0-9]-*.ipynb")):
        if f"book/{file.stem}" in env.found_docs:
            continue
        text = file.read_text(encoding="utf-8")
        if label.search(text):
            title = re.search(r'"# (.+?)(?:\\n)?"', text)[1]
            chapter = f"{'C' if begins_sentence(node) else 'c'}hapter {number_of(file.stem)}, {title}"
            return nodes.inline("", contnode.astext() if node.get("refexplicit") else chapter)
    return None  # no chapter has this label: Sphinx warns of it


def write_sources_again(app, env):
    """Have the page with the sources' demonstrations written again: it links to sections of the other pages."""
    return [SOURCES] if SOURCES in env.found_docs else []


def link_sections(app, doctree, docname):
    """Link the section's title, in the tables of the sources' demonstrations, to the section."""
    if docname != SOURCES:
        return
    for row in doctree.findall(nodes.row):
        chapter = next(row[1].findall(nodes.reference), None)
        if chapter is None:  # the table's head
            continue
        page, title = chapter["refuri"].split("#")[0], row[2].astext()
        name = anchor(as_read(app.env, f"book/{page.removesuffix('.html')}"), title)
        link = nodes.reference("", title, internal=True, refuri=f"{page}#{name}")
        row[2].clear()
        row[2] += nodes.paragraph("", "", link)


def anchor(doctree, title: str) -> str:
    """Return the id of the section with this title."""
    return next(part["ids"][0] for part in doctree.findall(nodes.section) if part[0].astext() == title)


def link_first_uses(app, doctree, docname):
    """Have the first use of each term that another chapter teaches lead to the glossary."""
    if not number_of(docname) or app.builder.name != "html":
        return
    taught_in = {plain(names[0]): (taught, node_id) for names, node_id, taught, _ in terms(app.env)}
    not_linked = set(map(plain, EVERYDAY))
    known = {
        term: node_id for term, (taught, node_id) in taught_in.items() if taught != docname and term not in not_linked
    }
    if not known:
        return
    # A word of a longer term isn't a term: the loss in "privacy loss" has no card where privacy loss is taught.
    longest_first = "|".join(re.escape(term) for term in sorted(taught_in, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{longest_first})s?(?![\w-])", re.IGNORECASE)
    for text in list(doctree.findall(nodes.Text)):
        if not is_prose(text):
            continue
        parts, end = [], 0
        for hit in pattern.finditer(text):
            node_id = known.pop(plain(hit[0]), None)
            if node_id is None:
                continue
            uri = f"{app.builder.get_relative_uri(docname, GLOSSARY)}#{node_id}"
            link = nodes.reference("", hit[0], refuri=uri, internal=True, classes=["term"])
            parts += [nodes.Text(text[end : hit.start()]), link]
            end = hit.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def plain(term: str) -> str:
    """Return one form for one and many, in small letters."""
    return one_line(term).lower().removesuffix("s")


def is_prose(text) -> bool:
    """Say whether the text stands in a paragraph of the chapter's path."""
    above = []
    while text.parent:
        text = text.parent
        above.append(text)
    heads = [node[0].astext() for node in above if isinstance(node, nodes.section)]
    paragraph = any(isinstance(node, nodes.paragraph) for node in above)
    return paragraph and not any(isinstance(node, ELSEWHERE) for node in above) and not any(map(UNREAD.match, heads))


def terms(env):
    """Yield of each term of the glossary its names, its id there, the page that teaches it, and its meaning."""
    labels = env.domains["std"].labels
    for glossary in as_read(env, GLOSSARY).findall(addnodes.glossary) if GLOSSARY in env.found_docs else ():
        for item in glossary.findall(nodes.definition_list_item):
            names = list(item.findall(nodes.term))
            meaning = item.next_node(nodes.definition)
            links = [link["reftarget"] for link in meaning.findall(addnodes.pending_xref)]
            taught = "".join([labels[link][0] for link in links if link in labels][-1:])
            yield [name.astext() for name in names], names[0]["ids"][0], taught, one_line(words(env, meaning))


def write_terms(app):
    """Write what other pages refer to: of each address, its name, where it is taught, and its words."""
    env = app.env
    found = {
        f"{GLOSSARY}.html#{node_id}": [" · ".join(names), "Glossary", meaning]
        for names, node_id, _, meaning in terms(env)
    }
    boxes = getattr(env, "proof_list", {})
    pages = {page: as_read(env, page) for page in sorted(env.found_docs)}
    for page, doctree in pages.items():
        for link in doctree.findall(addnodes.pending_xref):
            box = boxes.get(link["reftarget"])
            if box and box["docname"] != page:
                node = next(
                    node for node in pages[box["docname"]].findall(nodes.Element) if box["label"] in node["ids"]
                )
                found[f"{box['docname']}.html#{box['label']}"] = boxed(env, box["docname"], node)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", SCRIPT).write_text(f"const TERMS = {text};\n", encoding="utf-8")


def boxed(env, page: str, node) -> list[str]:
    """Return the name of a definition or theorem, the title of its page, and its words."""
    kind = node["countertype"]
    number = ".".join(map(str, env.toc_fignumbers[page][kind][node["label"]]))
    title, *content = node.children
    text = one_line(" ".join(words(env, part) for part in content))
    return [f"{node['realtype'].title()} {number} {title.astext()}".strip(), numbered_title(env, page), text]


def words(env, node) -> str:
    """Return what a reader reads there: no code, formulas in signs, references with the titles they will show."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, SILENT) or is_section(node) or node.get("refdomain") == "cite":
        return ""
    if isinstance(node, (nodes.math, nodes.math_block)):
        return as_signs(node.astext())
    if isinstance(node, addnodes.pending_xref) and not node.get("refexplicit"):
        target = node["reftarget"]
        if box := getattr(env, "proof_list", {}).get(target):
            numbers = env.toc_fignumbers[box["docname"]][box["countertype"]][target]
            return f"{box['realtype'].title()} {'.'.join(map(str, numbers))}"
        label = env.domains["std"].labels.get(target.lower(), ("", "", ""))[2]
        return label or node.astext()
    end = "" if isinstance(node, nodes.Inline) else " "
    return "".join(words(env, child) for child in node.children) + end


def one_line(text: str) -> str:
    """Return the text without breaks."""
    return re.sub(r"\s+", " ", text).strip()


def is_section(node) -> bool:
    """Say whether the node is a section of the page, and not of a box in it."""
    return isinstance(node, nodes.section) and isinstance(node.parent, (nodes.document, nodes.section))


def drop_citation_roles(html: str) -> str:
    """Leave the bibliography's entries plain blocks."""
    return re.sub(r'(?<=<div) role="list"(?= class="citation-list">)| role="doc-biblioentry"', "", html)


def say_which_words_are_chinese(html: str) -> str:
    """Mark the glossary's Chinese names, which another voice has to read."""
    return re.sub(r'<dt (?=id="term-[^"]*">[^<]*[\u4e00-\u9fff])', '<dt lang="zh-Hans" ', html)
