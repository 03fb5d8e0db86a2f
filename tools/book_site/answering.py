"""What a reader answers on the page: questions and labs, each with an id under which a browser remembers it.

A question (``quiz.js``) gets an id made from its words.  A lab's id is its name.  Where a lab asks for no code, what
`dp_labs.check` knows travels along, and ``labs.js`` makes a form of that table, for a number, numbers or the wrong
lines of a program: the cell for the answer stays in the notebook, and on the page nothing waits.
"""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

from docutils import nodes

import dp_labs
from dp_labs import find, shown_number
from dp_labs.tables import LinesLab, MendLab, NumberLab, NumbersLab

FOLDER = Path(dp_labs.__file__).parent
KINDS = {NumberLab: "number", NumbersLab: "numbers", LinesLab: "lines"}
# The first script of every page.  A browser may refuse storage (private windows, some with files), or have no room
# left; then a page remembers for itself, and neither the theme nor the questions fail.
STORAGE = """<script>
for (const name of ["localStorage", "sessionStorage"]) try {
  window[name].setItem("probe", "");
  window[name].removeItem("probe");
} catch {
  const memory = new Map();
  Object.defineProperty(window, name, { value: {
    isForgotten: true,
    getItem: (key) => memory.get(key) ?? null,
    setItem: (key, value) => memory.set(key, String(value)),
    removeItem: (key) => memory.delete(key),
  } });
}
</script>"""


def provide_storage(app, pagename, templatename, context, doctree):
    """Put the script first in the page's head."""
    context["metatags"] = STORAGE + context.get("metatags", "")


def name_questions(app, doctree):
    """Give each question an id that stays while its words stay: its own and its choices', not the reasons'."""
    for box in quizzes(doctree):
        words = "\n".join(child.astext() for child in box.children[:-1])
        box["ids"].append("question-" + hashlib.sha256(words.encode()).hexdigest()[:8])


def quizzes(doctree):
    """Return the questions of a page that answer back."""
    return [box for box in doctree.findall(nodes.admonition) if "quiz" in box["classes"]]


def follow_labs(app, docname, content):
    """Read a page again when labs change that it refers to, of which it shows the numbers."""
    for chapter in set(re.findall(r"\{ref\}`lab-(\d+)-", content[0])):
        app.env.note_dependency(str(FOLDER / f"chapter_{int(chapter):02}.py"))


def answer_on_the_page(app, doctree):
    """Give the labs that have one their table, and take the cells away that wait for an answer."""
    for box in labs(doctree):
        (anchor,) = box["ids"]
        name = anchor.removeprefix("lab-").replace("-", ".", 1)  # "lab-3-which-epsilon" is check's "3.which-epsilon"
        lab, number = find(name), shown_number(name)
        app.env.get_domain("std").labels[anchor] = app.env.docname, anchor, f"Lab {number}"
        table = as_table(lab)
        if table:
            packed = base64.b64encode(json.dumps(table, separators=(",", ":")).encode()).decode()
            data = f'<script type="text/plain" class="lab-table" data-lab="{html.escape(number)}">{packed}</script>'
            box += nodes.raw("", data, format="html")
        for cell in [*doctree.findall(nodes.container)]:
            text = cell.astext() if "cell" in cell.get("classes", []) else ""
            if f'check("{name}"' in text and "is waiting for your answer." in text:
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
    if isinstance(lab, MendLab):
        return as_table(lab.lines) | {"mend": True}
    if type(lab) not in KINDS:
        return None
    # JSON's names are texts, and a browser puts those that look like numbers first: pairs keep their order.
    pairs = {name: [*value.items()] for name, value in vars(lab).items() if isinstance(value, dict)}
    return {"kind": KINDS[type(lab)], **vars(lab), **pairs}
