"""What is folded away says what it holds: the set-up, how a figure is drawn, the solution."""

import re

from docutils import nodes

SETUP, SOLUTION, DRAWN = "Set-up", "The solution, run", "How this is drawn"


def setup(app):
    """Connect the hooks below."""
    app.connect("doctree-read", name_toggles)
    app.connect("html-page-context", let_names_be_read)


def name_toggles(app, doctree):
    """Name each folded cell by what is in it, instead of "Show code cell source"."""
    for cell in doctree.findall(nodes.container):
        if cell.get("hide_mode"):
            code = cell.astext()
            name = SETUP if "default_rng(" in code and "import " in code else SOLUTION if "dp.check(" in code else DRAWN
            cell["prompt_show"] = cell["prompt_hide"] = name


def let_names_be_read(app, pagename, templatename, context, doctree):
    """Give each toggle its own name, in place of the label that all of them share."""
    if "body" in context:
        shared = r'<summary aria-label="Toggle hidden content">(\s*<p class="collapsed admonition-title">(.*?)</p>)'
        context["body"] = re.sub(shared, r'<summary aria-label="\2">\1', context["body"])
