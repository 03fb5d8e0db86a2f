"""What a screen reader is told about tables and lists.

pandas marks headers as such, but not of what, and leaves empty ones in the corner. Sphinx calls the bibliography a
list, and its entries something that no list may hold. The glossary has words in two languages.
"""

import re

from docutils import nodes


def setup(app):
    """Connect the hooks below."""
    app.connect("doctree-resolved", name_table_headers)
    app.connect("html-page-context", drop_citation_roles)
    app.connect("html-page-context", say_which_words_are_chinese)


def name_table_headers(app, doctree, docname):
    """Say in each table of a cell's output what its headers head."""
    for node in doctree.findall(nodes.raw):
        if 'class="dataframe' in node.astext():
            node.children = []
            node.rawsource = with_scopes(node.rawsource)
            node += nodes.Text(node.rawsource)


def with_scopes(html: str) -> str:
    """Return the table with a scope for each header, and with plain cells where a header is empty."""
    head, found, body = html.partition("</thead>")
    html = re.sub(r"<th(?=[ >])", '<th scope="col"', head) + found + re.sub(r"<th(?=[ >])", '<th scope="row"', body)
    return re.sub(r"<th\b[^>]*?((?: (?:col|row)span=\"\d+\")*)[^>]*></th>", r"<td\1></td>", html)


def drop_citation_roles(app, pagename, templatename, context, doctree):
    """Leave the bibliography's entries plain blocks."""
    body = context.get("body", "")
    context["body"] = body.replace('<div role="list" class="citation-list">', '<div class="citation-list">').replace(
        ' role="doc-biblioentry"', ""
    )


def say_which_words_are_chinese(app, pagename, templatename, context, doctree):
    """Mark the glossary's Chinese names, which another voice has to read."""
    chinese = r'<dt (?=id="term-[^"]*">[^<]*[\u4e00-\u9fff])'
    context["body"] = re.sub(chinese, '<dt lang="zh-Hans" ', context.get("body", ""))
