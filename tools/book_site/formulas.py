"""Formulas are set when the site is built: pages come with them, and load no MathJax.

MathJax itself sets them, as it would in the reader's browser, on the engine of one (V8, in ``mini-racer``).  Beside
what is seen stands MathML, which screen readers read.  ``styles.py`` and ``fonts.py`` keep what is used of it.
"""

import atexit
import json
import re
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.errors import ExtensionError
from sphinx.util import logging

MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
FONTS = MATHJAX / "output" / "chtml" / "fonts" / "woff-v2"
SCRIPTS = "startup core adaptors/liteDOM input/tex output/chtml output/chtml/fonts/tex a11y/assistive-mml".split()
SHEET = "formulas.css"
# A formula in a line of text, and the signs right behind it.
FOLLOWED = re.compile(
    '(<span class="math notranslate nohighlight"><mjx-container(?:(?!</mjx-container>).)*</mjx-container></span>)'
    "([.,;:!?)’”]+)"
)
OPTIONS = {
    "startup": {"typeset": False},
    "loader": {"paths": {"mathjax": ""}},
    # An unknown command is a mistake, not red text; and nothing is loaded later.
    "tex": {"packages": {"[-]": ["noundefined", "noerrors", "autoload", "require"]}},
    "chtml": {"adaptiveCSS": False, "fontURL": "mathjax"},
}
SET = """(tex, display) => {
  const made = MathJax.tex2chtml(tex, { display, em: 16, ex: 8, containerWidth: 1280 });
  return MathJax.startup.adaptor.outerHTML(made);
}"""


@cache
def engine() -> MiniRacer:
    """Return an engine in which MathJax is ready."""
    v8 = MiniRacer()
    # Its destructor waits for ever for a thread that the interpreter has stopped: it is closed while all threads run.
    atexit.register(v8.close)
    v8.eval(f"globalThis.global = globalThis; globalThis.MathJax = {json.dumps(OPTIONS)}")
    v8.eval("MathJax.startup.ready = MathJax.loader.require = () => {}")
    for name in SCRIPTS:
        v8.eval((MATHJAX / f"{name}.js").read_text(encoding="utf-8"))
    v8.eval(f"MathJax.startup.defaultReady(); globalThis.setFormula = {SET}")
    return v8


@cache
def formula(tex: str, display: bool) -> str:
    """Return the formula as HTML.

    Raises
    ------
    ValueError
        If MathJax does not understand it.
    """
    html = engine().call("setFormula", tex, display)
    if "data-mjx-error" in html:
        complaint = html.partition('data-mjx-error="')[2].partition('"')[0]
        raise ValueError(f"MathJax can't set {tex!r}: {complaint}")
    return html


def as_signs(tex: str) -> str:
    """Return a formula as signs in a line of text; "…" stands for one that needs more than a line."""
    mathml = formula(tex.strip(), False).partition("<math")[2]
    if re.search("<m(frac|sqrt|table|under|over|sup|subsup)", mathml):
        return "…"
    return unescape(re.sub("<[^>]*>|^[^>]*>", "", mathml))


def write_style_sheet(app):
    """Write MathJax's own style sheet, whole, where the site's one style sheet is made from."""
    if app.builder.format == "html":
        static = Path(app.outdir, "_static")
        static.mkdir(parents=True, exist_ok=True)
        style = engine().eval("MathJax.startup.adaptor.textContent(MathJax.chtmlStylesheet())")
        (static / SHEET).write_text(style, encoding="utf-8")


def keep_signs(html: str) -> str:
    """Keep the signs behind a formula on its line: a browser may break between the two, as beside a picture."""
    return FOLLOWED.sub(r'<span class="unbroken">\1\2</span>', html)


def visit_math(translator, node):
    """Write a formula in a line of text."""
    attributes = translator.starttag(node, "span", "", CLASS="math notranslate nohighlight")
    translator.body.append(f"{attributes}{set_formula(node, node.astext(), display=False)}</span>")
    raise nodes.SkipNode


def visit_math_block(translator, node):
    """Write a formula that stands by itself.  Several lines are aligned at &."""
    if node.get("number"):
        raise ExtensionError(f"formulas have no numbers in this book, but {node['label']!r} has")
    tex = node.astext()
    tex = rf"\begin{{split}}{tex}\end{{split}}" if r"\\" in tex and not node.get("nowrap") else tex
    attributes = translator.starttag(node, "div", CLASS="math notranslate nohighlight")
    translator.body.append(f"{attributes}{set_formula(node, tex, display=True)}</div>\n")
    raise nodes.SkipNode


def set_formula(node, tex: str, *, display: bool) -> str:
    """Return the formula as HTML; warn of one that can't be set, and show its source."""
    try:
        return formula(tex.strip(), display)
    except ValueError as error:
        logging.getLogger(__name__).warning(str(error), location=node)
        return nodes.literal(text=tex).astext()
