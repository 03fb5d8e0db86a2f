"""What a screen reader is told about tables and lists.

pandas marks headers as such, but not of what, and leaves empty ones in the corner. Sphinx calls the bibliography a
list, and its entries something that no list may hold. The glossary has words in two languages.
"""

import re

from docutils import nodes


def setup(app):
    """Connect the hook below."""
    app.connect("doctree-resolved", name_table_headers)


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


def drop_citation_roles(html: str) -> str:
    """Leave the bibliography's entries plain blocks."""
    return re.sub(r'(?<=<div) role="list"(?= class="citation-list">)| role="doc-biblioentry"', "", html)


def say_which_words_are_chinese(html: str) -> str:
    """Mark the glossary's Chinese names, which another voice has to read."""
    return re.sub(r'<dt (?=id="term-[^"]*">[^<]*[\u4e00-\u9fff])', '<dt lang="zh-Hans" ', html)
