"""Words that belong to a figure: coloured as its marks are, or links that move it.

``{true}`14,237` `` and ``{private}`14,240.1` `` have the colours that these have in every figure, and lines below them
for who can't tell colours apart: straight for the truth, waved for what has noise.  ``{slide}`ε = 0.1
<fig-two-worlds?epsilon=0.1>` `` is a link to the figure with its slider there; ``beside.js`` follows it.
"""

import re

from docutils import nodes


def coloured(name, rawtext, text, lineno, inliner, options=None, content=()):
    """Return the words in the colour of the marks that the role is named after."""
    return [nodes.inline(rawtext, text, classes=[name])], []


def slide(name, rawtext, text, lineno, inliner, options=None, content=()):
    """Return a link to a state of a figure, or an error where the role doesn't name one."""
    found = re.fullmatch(r"(.+?)\s*<(fig-[\w-]+\?\w+=[^<>]+)>", text, re.S)
    if not found:
        message = f"slide wants words <fig-name?slider=value>, got {text!r}"
        return [], [inliner.reporter.error(message, line=lineno)]
    return [nodes.reference(rawtext, found[1], refuri=f"#{found[2]}", internal=True, classes=["slide"])], []


ROLES = {"true": coloured, "private": coloured, "slide": slide}
