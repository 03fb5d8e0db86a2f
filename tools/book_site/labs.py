"""Labs on a page without a kernel: where no code is asked for, what `dp_helpers.check` knows travels along.

``labs.js`` makes a form of that table, for a number, a choice or the wrong lines of a program.  The cell for the
answer stays in the notebook; on the page nothing waits.  Each lab has an id, under which a browser remembers it.
"""

import base64
import html
import json
import math
import re

from docutils import nodes

from dp_helpers.labs import find
from dp_helpers.labs.judging import ChoiceLab, LinesLab, MendLab, NumberLab, NumbersLab

DECADES = 4
"""A message made from the reader's number is made for numbers of two digits, so many powers of ten around the right."""


def setup(app):
    """Connect the hook below."""
    app.connect("doctree-read", answer_on_the_page)


def answer_on_the_page(app, doctree):
    """Give the labs that have one their table, and take the cells away that wait for an answer."""
    for box in labs(doctree):
        number = re.match(r"Lab (\d+\.\d+)", box.next_node(nodes.title).astext())[1]
        box["ids"].append("lab-" + number.replace(".", "-"))
        lab = find(number)
        table = as_table(lab)
        if table:
            packed = base64.b64encode(json.dumps(table, separators=(",", ":")).encode()).decode()
            data = f'<script type="text/plain" class="lab-table" data-lab="{html.escape(number)}">{packed}</script>'
            box += nodes.raw("", data, format="html")
        for cell in [*doctree.findall(nodes.container)]:
            if "cell" in cell.get("classes", []) and f"Lab {number} is waiting for your answer." in cell.astext():
                forget(cell, whole=bool(table) and not isinstance(lab, MendLab))


def forget(cell, *, whole: bool):
    """Remove the cell, or its output alone."""
    if whole:
        cell.parent.remove(cell)
        return
    for output in [*cell.findall(nodes.container)]:
        if "cell_output" in output.get("classes", []):
            output.parent.remove(output)


def labs(doctree):
    """Return the boxes of a page's labs."""
    return [box for box in doctree.findall(nodes.admonition) if "lab" in box["classes"]]


def as_table(lab) -> dict | None:
    """Return what the page needs to judge answers as ``lab`` does, or None if it asks for code."""
    if isinstance(lab, NumberLab):
        right = lab.right if isinstance(lab.right, tuple) else (lab.right, lab.right)
        otherwise = lab.otherwise if isinstance(lab.otherwise, str) else messages(lab.otherwise, right[0])
        return {
            "kind": "number",
            "right": right,
            "digits": lab.digits,
            "praise": lab.praise,
            "mistakes": [*lab.mistakes.items()],
            "otherwise": otherwise,
        }
    if isinstance(lab, NumbersLab):
        shared = {"names": lab.names, "right": lab.right, "digits": lab.digits, "praise": lab.praise}
        return {"kind": "numbers", **shared, "mistakes": lab.mistakes, "otherwise": lab.otherwise}
    if isinstance(lab, MendLab):
        return as_table(lab.lines) | {"mend": True}
    if isinstance(lab, LinesLab):
        told = {"hints": [*lab.hints.items()], "harmless": [*lab.harmless.items()]}
        return {"kind": "lines", "lines": lab.lines, **told, "praise": lab.praise, "mend": False}
    if isinstance(lab, ChoiceLab):
        return {"kind": "choice", "right": lab.right, "options": dict(lab.options), "praise": lab.praise}
    return None


def messages(say, right: float) -> dict:
    """Return ``say`` of all numbers of two digits around ``right``, by their first two digits and power of ten.

    ``patterns`` are the words that all messages of one length share, with None for the others; ``own`` are the others,
    behind the number of the pattern that they fill.
    """
    middle = math.floor(math.log10(abs(right)))
    numbers = [float(f"{m / 10}e{e}") for e in range(middle - DECADES, middle + DECADES + 1) for m in range(10, 100)]
    said = {key(number): say(number).split(" ") for number in (0.0, *numbers, *(-number for number in numbers))}
    lengths = sorted({len(words) for words in said.values()})
    patterns = [
        [words[0] if len(set(words)) == 1 else None for words in zip(*alike, strict=True)]
        for alike in ([words for words in said.values() if len(words) == length] for length in lengths)
    ]
    own = {}
    for number, words in said.items():
        pattern = lengths.index(len(words))
        fillings = (word for word, shared in zip(words, patterns[pattern], strict=True) if shared is None)
        own[number] = [pattern, *fillings]
    return {"patterns": patterns, "own": own}


def key(number: float) -> str:
    """Return 0.314 as "3.1e-1"."""
    digits, power = f"{number:.1e}".split("e")
    return f"{digits}e{int(power)}"
