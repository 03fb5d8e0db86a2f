"""What is folded away says what it holds; the code of a figure is folded below it."""

import re

from docutils import nodes

BY_DEFAULT = "Show code cell {type}"
SETUP, SOLUTION, DRAWN, CODE = "Set-up", "The solution, run", "How this is drawn", "The code"


def setup(app):
    """Connect the hooks below."""
    app.connect("doctree-read", name_toggles)
    app.connect("doctree-resolved", put_code_below)


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
