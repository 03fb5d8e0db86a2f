"""The site has one style sheet, of the rules that its pages can use.

The theme, MathJax and the extensions bring twelve style sheets and fonts, 900 kB of which no page uses.  What stays is
told by the written pages and by every word of the scripts, once all are there; the book's own style sheets stay whole.
``fonts.py`` makes the fonts that go with it.
"""

import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import rjsmin
import tinycss2

from . import fonts
from .meta import ROOT

SHEET = "styles/site.css"
FIRST = ("basic.css", "styles/pydata-sphinx-theme.css")
COMMENT = re.compile(r"/\*(?!!).*?\*/", re.S)
# A text in quotes, or space that only people need.
SPACE = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\s*([{};,])\s*|\s+""", re.S)
VALUE = r"""(?:"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\)|[^;{}"'()])*"""
PROPERTY = re.compile(rf"(?<=[{{;\s])(--[\w-]+)\s*:{VALUE}(?:;|(?=\}}))")
MOVES = re.compile(r"@(?:-\w+-)?keyframes\s+([\w-]+)\s*\{(?:[^{}]*\{[^{}]*\})*\s*\}")
sheets = []  # those of the last page written


class Use(NamedTuple):
    """What elements of the site's pages are: of which tags, with which ids, with which classes together."""

    tags: set[str]
    ids: set[str]
    classes: set[frozenset[str]]
    words: set[str]
    """Every word of the scripts, which may make any element that they name."""


def use_one_style_sheet(app, pagename, templatename, context, doctree):
    """Remember the style sheets that the page asks for; the layout links the one made from them."""
    sheets[:] = [*FIRST, *(sheet.filename.removeprefix("_static/") for sheet in context["css_files"])]
    sources = [ROOT / "requirements.txt", *sorted(own_files(app, "css"))]
    context["style_version"] = hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest()[:8]


def own_files(app, kind: str) -> list[Path]:
    """Return the book's own static files whose name ends so; extensions add folders that are no part of it."""
    folders = [Path(app.confdir, folder) for folder in app.config.html_static_path if not Path(folder).is_absolute()]
    return [file for folder in folders for file in folder.glob(f"*.{kind}")]


def write_style_sheet(app):
    """Make the style sheet, and fonts to go with it, of what the written pages use."""
    static = Path(app.outdir, "_static")
    pages = [file.read_text(encoding="utf-8") for file in Path(app.outdir).rglob("*.html")]
    use = used_by(pages, scripts_of(app, pages))
    own = {file.name for file in own_files(app, "css")}
    parts = []
    for sheet in dict.fromkeys(sheets):
        text = (static / sheet).read_text(encoding="utf-8")
        parts.append(moved(text if sheet in own else used_rules(text, use), posixpath.dirname(sheet)))
    style = without_unused_names(COMMENT.sub("", "\n".join(parts)), use.words.union(*map(asked_names, pages)))
    style = fonts.with_small_fonts(style, static / "styles")
    (static / SHEET).write_text('@charset "utf-8";' + without_space(style), encoding="utf-8")


def scripts_of(app, pages: list[str]) -> list[str]:
    """Return the scripts that pages ask for, those that the book's own load later, and Thebe's, where it is there."""
    asked = {Path(name) for page in pages for name in re.findall(r'<script[^>]*\bsrc="[./]*_static/([^"?]+)', page)}
    theirs = [Path(app.outdir, "_static", name) for name in sorted(asked)]
    files = [*filter(Path.is_file, theirs), *own_files(app, "js"), *Path(app.outdir, "thebe").glob("*.js")]
    return [file.read_text(encoding="utf-8") for file in files]


def used_by(pages: list[str], scripts: list[str]) -> Use:
    """Return what elements these pages have, and what words their scripts."""
    html = "".join(pages)
    classes = {frozenset(names.split()) for names in re.findall(r'\bclass="([^"]*)"', html)}
    words = {word for script in scripts for word in re.findall(r"[\w-]+", rjsmin.jsmin(script))}
    return Use(set(re.findall(r"<([a-z][\w-]*)", html)), set(re.findall(r'\bid="([^"]*)"', html)), classes, words)


def used_rules(text: str, use: Use) -> str:
    """Return the style sheet without comments, and without the rules that fit no element that there can be."""
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)

    @cache
    def is_there(part: str) -> bool:
        (tag,) = re.findall(r"^[\w-]*", part)
        ids, classes = (set(re.findall(sign + r"([A-Za-z_][\w-]*)", part)) - use.words for sign in ("#", r"\."))
        if (tag and tag.lower() not in use.tags | use.words) or not ids <= use.ids:
            return False
        return not classes or any(classes <= together for together in use.classes)

    return "".join(_used(rule, is_there) for rule in rules)


def _used(rule, is_there):
    if rule.type == "qualified-rule":
        selectors = re.split(r",(?![^(]*\))", tinycss2.serialize(rule.prelude))
        kept = [selector for selector in selectors if all(map(is_there, _parts(selector)))]
        return f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}" if kept else ""
    if rule.type == "at-rule" and rule.at_keyword in ("media", "supports"):
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        kept = "".join(_used(inner_rule, is_there) for inner_rule in inner)
        return f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}" if kept else ""
    return "" if rule.type == "at-rule" and rule.at_keyword == "charset" else rule.serialize()


def _parts(selector):
    """Return what each element that a selector names must be; what stands in :not(), :is() and the like is left out."""
    plain = re.sub(r"\[[^]]*\]", "", selector)
    while (outer := re.sub(r"\([^()]*\)", "", plain)) != plain:
        plain = outer
    return filter(None, re.split(r"[\s>+~*]+", re.sub(r"::?[\w-]+", "", plain)))


def asked_names(text: str) -> set[str]:
    """Return the names of the values that a page or a style sheet asks for by ``var(--name)``."""
    return set(re.findall(r"var\(\s*(--[\w-]+)", text))


def without_unused_names(style: str, asked: set[str]) -> str:
    """Return the style sheet without values and movements whose names neither it nor ``asked`` has, again and again."""
    known = asked | asked_names(style)
    moves = set(re.findall(r"[\w-]+", "".join(re.findall(r"animation(?:-name)?\s*:([^;}]*)", style))))
    less = PROPERTY.sub(lambda found: found[0] if found[1] in known else "", style)
    less = MOVES.sub(lambda found: found[0] if found[1] in moves else "", less)
    return style if less == style else without_unused_names(less, asked)


def without_space(style: str) -> str:
    """Return the style sheet without the space that only people need, and without rules that became empty."""
    tight = SPACE.sub(lambda found: found[1] or found[2] or " ", style).replace(";}", "}")
    return re.sub(r"(?<=[{};])[^{};]*\{\}", "", tight)


def moved(text: str, folder: str) -> str:
    """Return the style sheet with its relative addresses as they are from where the one style sheet is."""

    def address(match):
        target = posixpath.join(folder, match["path"])
        return f"url({posixpath.relpath(target, posixpath.dirname(SHEET))})"

    return re.sub(r"""url\((["']?)(?!data:|https?:|#)(?P<path>[^"')]+)\1\)""", address, text)
