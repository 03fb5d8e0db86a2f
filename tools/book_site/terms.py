"""Words explain themselves: in a chapter the first use of a term that another one teaches leads to the glossary.

``words.js`` shows beside a link what it leads to.  What stands on the same page it copies, a citation says itself; the
rest is in the script that is written here, which a page opened from its file can load, too: the glossary, and the
definitions and theorems that other pages refer to.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from .references import number_of, numbered_title
from .search import GLOSSARY, one_line, terms, words

SCRIPT = "terms.js"
# Words that a reader knows, and that a chapter uses in another sense than the one that teaches them.
EVERYDAY = set(
    """batch bias cap clone confidence consistency domain encoder filter grid head margin mask miss prior risk score
    sparse strategy tally""".split()
) | {"lower bound", "upper bound"}
# Where a word is no part of a sentence, or is taught, asked or linked already.
ELSEWHERE = (nodes.reference, nodes.literal, nodes.strong, nodes.title, nodes.caption, nodes.math, nodes.Admonition)
UNREAD = re.compile("Further reading")


def setup(app):
    """Connect the hook below."""
    app.connect("doctree-resolved", link_first_uses)


def link_first_uses(app, doctree, docname):
    """Have the first use of each term that another chapter teaches lead to the glossary."""
    if not number_of(docname) or app.builder.name != "html":
        return
    known = {plain(names[0]): node_id for names, node_id, taught, _ in terms(app.env) if taught != docname}
    known = {term: node_id for term, node_id in known.items() if term not in EVERYDAY}
    if not known:
        return
    longest_first = "|".join(re.escape(term) for term in sorted(known, key=len, reverse=True))
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


def write_terms(app):
    """Write what other pages refer to: of each address, its name, where it is taught, and its words."""
    env = app.env
    found = {
        f"{GLOSSARY}.html#{node_id}": [" · ".join(names), "Glossary", meaning]
        for names, node_id, _, meaning in terms(env)
    }
    boxes = getattr(env, "proof_list", {})
    pages = {page: env.get_doctree(page) for page in sorted(env.found_docs)}
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
    text = one_line(" ".join(words(env, one) for one in content))
    return [f"{node['realtype'].title()} {number} {title.astext()}".strip(), numbered_title(env, page), text]
