"""The book's scripts are one file, less comments and spaces: a page asks for one where it asked for a dozen.

``html_js_files`` in ``_config.yml`` names them in their order.  Those of `PARTS` stay apart, for the pages that have
what they serve.  The theme's own comes as it is, but for one look.
"""

import re
from pathlib import Path

import rjsmin
import yaml

from .meta import ROOT

TOGETHER = "site.js"
TOOLS = ('data-play="claim"', 'data-play="plan"')
PLANNING = ("normal", "planning", "training", "plan-code", "plan-counts", "plan-few", "plan-training")
# What of a page asks for a script of its own.
PARTS = {
    "map.js": ("chapter-map",),
    "review.js": ('class="review"',),
    "roads.js": ("road-total",),
    "short.js": ("edition",),
    "beside.js": ("tag_beside",),
    "judging.js": TOOLS,
    "asking.js": TOOLS,
    "claim-letter.js": TOOLS[:1],
    **{f"{name}.js": TOOLS[1:] for name in PLANNING},
    "design-tabs.js": ("sd-tab-set",),
}
# Sphinx's highlighting serves its own search, controls.js does what the book uses of the copy buttons' script.
NEEDLESS = ("doctools.js", "sphinx_highlight.js", "clipboard.min.js", "copybutton.js")
# The theme asks each box of a page whether it scrolls, and marks it before it asks the next.  For each the page is laid
# out anew, with what fill.js leaves for later; scrolls.js marks them when they are there.
LOOK = re.compile(r"(\w+)\.tabIndex=\1\.scrollWidth>\1\.clientWidth\|\|\1\.scrollHeight>\1\.clientHeight\?0:-1")


def name_one(app, config):
    """Have pages ask for the one file in place of those that are in it."""
    config.html_js_files = [TOGETHER, *(name for name in config.html_js_files if name in PARTS)]


def write_one(app):
    """Write the file where the site is built."""
    if app.builder.format == "html":
        write(Path(app.outdir, "_static"))


def write(static: Path, root: Path = ROOT) -> None:
    """Write the book's scripts as one file into the site's folder of static files."""
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    folders = [root / folder for folder in settings["html_static_path"]]
    names = [name for name in settings["html_js_files"] if name not in PARTS]
    files = [next(folder / name for folder in folders if (folder / name).is_file()) for name in names]
    static.mkdir(parents=True, exist_ok=True)
    text = "\n;".join(rjsmin.jsmin(file.read_text(encoding="utf-8")) for file in files)
    (static / TOGETHER).write_text(text, encoding="utf-8")


def leave_out_look(app):
    """Take out of the theme's script the look at all boxes."""
    file = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    file.write_text(LOOK.sub("0", file.read_text(encoding="utf-8")), encoding="utf-8")


def leave_out_needless(app, pagename, templatename, context, doctree):
    """Leave out the scripts that serve nothing on this page."""
    body = context.get("body", "")

    def is_needed(script):
        name = str(script.filename or "").removeprefix("_static/")
        return name not in NEEDLESS and (name not in PARTS or any(asking in body for asking in PARTS[name]))

    context["script_files"] = [script for script in context["script_files"] if is_needed(script)]
