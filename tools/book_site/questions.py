"""What it takes to remember a reader's answers.

Each question that answers back (``quiz.js``) gets an id made from its words, under which the reader's browser
remembers the answer.
"""

import hashlib

from docutils import nodes

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


def setup(app):
    """Connect the hooks below."""
    app.connect("doctree-read", name_questions)
    app.connect("html-page-context", provide_storage)


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
