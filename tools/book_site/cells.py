"""What becomes of a notebook's cells on a page: folded code, plain code, pictures, tables.

What is folded away says what it holds, and the code of a figure is folded below it.  Code has elements for its colours
alone: those of names and brackets, which look like plain text, were a page's largest part.  Pictures travel with a
palette.  pandas marks a table's headers as such, but doesn't say what they head, and leaves empty ones in the corner.
"""

import re

from docutils import nodes
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token

BY_DEFAULT = "Show code cell {type}"
SETUP, SOLUTION, DRAWN, CODE = "Set-up", "The solution, run", "How this is drawn", "The code"
STYLES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")  # the theme's


def name_toggles(app, doctree):
    """Name each folded cell as its metadata say (``code_prompt_show``), or by what is in it."""
    for cell in doctree.findall(nodes.container):
        if cell.get("hide_mode"):
            named = cell.get("prompt_show", BY_DEFAULT)
            cell["prompt_show"] = cell["prompt_hide"] = _name(cell) if named == BY_DEFAULT else named


def _name(cell):
    code = cell.astext()
    if "default_rng(" in code and "import " in code:
        return SETUP
    if "check(" in code:
        return SOLUTION
    return DRAWN if _draws(cell) else CODE


def _draws(cell):
    """Tell whether the folded cell shows a figure, or stands with others right before the one that does."""
    if any(cell.findall(nodes.image)) or "sf-explore" in cell.astext():
        return True
    follower = cell.next_node(descend=False, siblings=True)
    return isinstance(follower, nodes.container) and follower.get("hide_mode") == "input" and _draws(follower)


def put_code_below(app, doctree, docname):
    """Show a figure first, between its questions and one fold that holds all code that draws it."""
    helpers = []
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("hide_mode") != "input" or cell["prompt_show"] != DRAWN:
            continue
        if len(cell) == 1:  # it shows nothing, and stands with others right before the figure
            helpers.append(cell)
            continue
        fold = cell.pop(0)
        for helper in reversed(helpers):
            helper.parent.remove(helper)
            fold[:0] = helper[0].children
        helpers.clear()
        cell.append(fold)


def let_names_be_read(html: str) -> str:
    """Give each toggle its own name, in place of the label that all of them share."""
    shared = r'<summary aria-label="Toggle hidden content">(\s*<p class="collapsed admonition-title">(.*?)</p>)'
    return re.sub(shared, r'<summary aria-label="\2">\1', html)


def leave_plain_code_plain(html: str) -> str:
    """Take the elements away that Pygments puts around what has no colour of its own."""
    return PLAIN_SPAN.sub(r"\1", html)


def plain_classes() -> set[str]:
    """Return Pygments' classes for what looks like plain text in both styles."""
    styles = [get_style_by_name(name) for name in STYLES]
    return {
        name
        for token, name in STANDARD_TYPES.items()
        if name and all(style.style_for_token(token) == style.style_for_token(Token.Text) for style in styles)
    }


PLAIN_SPAN = re.compile(rf'<span class="(?:{"|".join(sorted(plain_classes()))})">([^<]*)</span>')


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
