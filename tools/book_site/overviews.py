"""What the build writes of all pages and tests where a page asks for it: all labs, all figures, what is tested.

The table of what is tested stands behind the page "Why you can believe this book".
"""

import ast
import json
import re
from html import escape, unescape
from pathlib import Path

import pandas as pd
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import dp_helpers
from dp_helpers.broken import BROKEN_MECHANISMS

from .answering import labs
from .links import as_read, number_of, numbered_title, one_line, words
from .meta import ROOT

MOVES = re.compile(r'<figure class="sf-explore.*?id="(.*?)".*?<figcaption[^>]*>(.*?)</figcaption>', re.S)


class all_of(nodes.General, nodes.Element):
    """Where a list goes; its attribute ``kind`` says of what."""


class AllOf(SphinxDirective):
    """A list of all "labs" or all "figures", by chapter."""

    required_arguments = 1

    def run(self):
        """Return the list's place; it is written when all pages are read."""
        self.env.metadata[self.env.docname]["lists"] = True
        return [all_of(kind=self.arguments[0])]


def write_again(app, env):
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
                for anchor, title, about in items(app.env, as_read(app.env, page))
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
    for node in doctree.findall(lambda node: isinstance(node, (nodes.figure, nodes.raw))):
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


class WhatIsTested(SphinxDirective):
    """The table of what is tested, and of how much of it there is."""

    def run(self):
        """Return the table; the page is read again when a file changes that it counts."""
        for file in counted():
            self.env.note_dependency(str(file))
        rows = "\n".join(f"| {number:,} | {what} | {where} |" for number, what, where in evidence())
        table = f"| how many | what is tested | where |\n| ---: | --- | --- |\n{rows}"
        return self.parse(table)

    def parse(self, markdown: str):
        """Return the nodes of some Markdown."""
        box = nodes.container()
        self.state.nested_parse(StringList(markdown.splitlines(), "what-is-tested"), 0, box)
        return box.children


def counted() -> list[Path]:
    """Return the files that the table counts."""
    tests, book = ROOT / "tests", ROOT / "book"
    return [
        tests / "vectors.json",
        tests / "package" / "test_audits.py",
        ROOT / "dp_helpers" / "broken.py",
        *sorted((tests / "labs").glob("chapter_*.py")),
        *sorted((tests / "peers").glob("*.csv")),
        *sorted(book.glob("[0-9][0-9]-*.ipynb")),
        book / "errata.ipynb",
    ]


def evidence(root: Path = ROOT) -> list[tuple[int, str, str]]:
    """Return how many of each kind of test there are, what they hold, and where they stand."""
    vectors = json.loads((root / "tests" / "vectors.json").read_text("utf-8"))
    audits = (root / "tests" / "package" / "test_audits.py").read_text("utf-8")
    chapters = [notebook(path) for path in sorted((root / "book").glob("[0-9][0-9]-*.ipynb"))]
    errata = notebook(root / "book" / "errata.ipynb")
    right, wrong = lab_answers(root)
    return [
        (
            len(vectors),
            "numbers that others computed: closed forms to fifty digits, and other libraries, each with its source",
            "`tests/vectors.json`",
        ),
        (
            sum(len(pd.read_csv(path)) for path in (root / "tests" / "peers").glob("*.csv")),
            "numbers of other accountants, of the same releases: the package's must agree",
            "`tests/peers/`",
        ),
        (
            sum(hasattr(dp_helpers, name) for name in set(re.findall(r'Audited\(f?"(\w+)', audits))),
            "functions that draw noise, each attacked on the worst neighbours that we know: no event may show more than"
            " the ε that is claimed",
            "`tests/package/test_audits.py`",
        ),
        (
            len(BROKEN_MECHANISMS) + len(listed(audits, "SLIPS")),
            "broken mechanisms, with the mistakes that people make: the same attack must catch each of them",
            "`dp_helpers/broken.py`",
        ),
        (
            sum(sum(cell["cell_type"] == "code" for cell in cells) for cells in chapters),
            "cells that are executed again on each change: each must print what the page shows",
            "`book/`",
        ),
        (right, "right answers to labs, each of which must be accepted", "`tests/labs/`"),
        (wrong, "wrong answers to labs, each of which must be refused for its own reason", "`tests/labs/`"),
        (
            sum("\n### " in "\n" + "".join(cell["source"]) for cell in errata),
            "mistakes of well-known teaching material, each shown by a cell: {ref}`errata`",
            "`tests/chapters/test_errata.py`",
        ),
    ]


def notebook(path: Path) -> list[dict]:
    """Return a notebook's cells."""
    return json.loads(path.read_text("utf-8"))["cells"]


def listed(source: str, name: str) -> list[ast.expr]:
    """Return the entries of a module's list or dictionary of this name, as far as they are written out."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return node.value.values if isinstance(node.value, ast.Dict) else node.value.elts
    raise LookupError(f"there is no {name}")


def lab_answers(root: Path) -> tuple[int, int]:
    """Return how many right answers, and how many wrong ones, the tests of the labs write out."""
    sources = [path.read_text("utf-8") for path in sorted((root / "tests" / "labs").glob("chapter_*.py"))]
    right, wrong = ([lab for source in sources for lab in listed(source, name)] for name in ("RIGHT", "WRONG"))
    return sum(map(written_out, right)), sum(map(written_out, wrong))


def written_out(answers: ast.expr) -> int:
    """Return how many answers stand in a list."""
    return len(answers.elts) if isinstance(answers, ast.List) else 0
