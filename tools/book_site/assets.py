"""Pages load quickly.

The theme, MathJax and the extensions bring twelve style sheets and fonts, 900 kB of which no page uses.  The site has
one style sheet with the rules that its pages need, and fonts with the icons and letters that are left in it.
``book/_templates/layout.html`` says what else a page loads, and when.

This needs fonts, style sheets and a script engine of other people, and may break when these change.  So each part was
measured in November 2026: a first visit by a phone's window, 1.6 Mb/s and 150 ms away, everything compressed.  A part
that readers don't feel goes, as the one that rewrote the theme's script did: it saved at most 2 ms after a move.

======================================  ==================  ==================================================
front page, chapters 3, 12, 22          kB                  first text, seconds
======================================  ==================  ==================================================
as it was then                          128, 207, 243, 204  0.66, 0.68, 0.78, 0.68
all style sheets and fonts as they come 365, 471, 515, 471  1.25, 1.25, 1.28, 1.21
MathJax on the page                     388, 435, 466, 432  the same, but for more than 3 s formulas are TeX
sliders' numbers within the page        128, 209, 249, 206  0.1 later
pictures that don't wait, without sizes 128, 207, 245, 204  the same, but text below one moves when it comes
======================================  ==================  ==================================================
"""

import hashlib
import itertools
import posixpath
import re
from collections import Counter
from io import BytesIO
from pathlib import Path

import imagesize
import tinycss2
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from . import formulas
from .meta import ROOT

SHEET = "styles/site.css"
THEME = "styles/pydata-sphinx-theme.css"
# Style sheets for all that a page could have: of them the rules in use are kept.
LARGE = ("basic.css", THEME, "sphinx-design.min.css", formulas.SHEET)
NUMBERS = re.compile(r'(?<=<script type="text/plain")>([^<]+)(?=</script>)')  # of a figure with sliders
sheets = []  # those of the extensions, of the last page written


def use_one_style_sheet(app, pagename, templatename, context, doctree):
    """Remember the style sheets that the page asks for; the layout links the one made from them."""
    sheets[:] = ["basic.css", THEME, *(sheet.filename.removeprefix("_static/") for sheet in context["css_files"])]
    folders = [Path(app.confdir, folder) for folder in app.config.html_static_path]
    sources = [ROOT / "requirements.txt", *sorted(sheet for folder in folders for sheet in folder.glob("*.css"))]
    context["style_version"] = hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest()[:8]


def let_images_wait(app, pagename, templatename, context, doctree):
    """Have pictures load after the text, in places kept free for them, as a reader comes near, or prints."""

    # In a first build the pictures are copied after the pages are written: their sources are there before.
    sources = {name: Path(app.srcdir, source) for source, name in app.builder.images.items()}

    def waiting(match):
        copied = Path(app.outdir, posixpath.dirname(pagename), match["source"])
        file = sources.get(copied.name, copied)
        width, height = imagesize.get(file) if file.is_file() else (-1, -1)
        return match[0] if width < 0 else f'{match[0]} width="{width}" height="{height}" loading="lazy"'

    body = context.get("body", "")
    context["body"] = re.sub(r'<img (?![^>]*\bwidth=)[^>]*?\bsrc="(?P<source>[^":]+)"', waiting, body)


def let_numbers_wait(app, pagename, templatename, context, doctree):
    """Write the numbers of figures with sliders to files, asked for by explore.js once the page is there."""
    folder = Path(app.outdir, "_static", "figures")
    count = itertools.count(1)

    def waiting(match):
        name = f"{posixpath.basename(pagename)}-{next(count)}.js"
        text = f'document.currentScript.numbers="{match[1]}"'
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        address = posixpath.relpath(f"_static/figures/{name}", posixpath.dirname(pagename))
        return f' data-numbers="{address}?v={hashlib.sha256(text.encode()).hexdigest()[:8]}">'

    context["body"] = NUMBERS.sub(waiting, context.get("body", ""))


def write_style_sheet(app):
    """Make one style sheet, and icon fonts to go with it, from what the written pages use."""
    static = Path(app.outdir, "_static")
    written = [*Path(app.outdir).rglob("*.html"), *static.glob("*.js"), *(static / "scripts").glob("[ps]*.js")]
    words = set().union(*(re.findall(r"[\w-]+", file.read_text(encoding="utf-8")) for file in written))
    parts = []
    for sheet in dict.fromkeys(sheets):
        text = (static / sheet).read_text(encoding="utf-8")
        parts.append(moved(used_rules(text, words) if sheet in LARGE else text, posixpath.dirname(sheet)))
    style = without_comments("\n".join(['@charset "utf-8";', *parts]))
    (static / SHEET).write_text(with_small_fonts(style, static / "styles"), encoding="utf-8")


def without_comments(style: str) -> str:
    """Return the style sheet without its comments, except those that state a licence (``/*!``)."""
    return re.sub(r"/\*(?!!).*?\*/", "", style, flags=re.S)


def with_small_fonts(style: str, folder: Path) -> str:
    """Return the style sheet with the fonts it names, which hold its icons and the letters of its formulas alone."""
    named = Counter(re.findall(r"MJX[\w-]+", style))
    style = re.sub(
        r"@font-face[^{}]*\{\s*font-family: (MJX[\w-]+)[^}]*\}", lambda font: font[0] * (named[font[1]] > 1), style
    )
    icons = {int(code, 16) for code in re.findall(r"\\([ef][0-9a-f]{3})\b", style)}
    icons |= {ord(letter) for letter in style if "\ue000" <= letter <= "\uf8ff"}
    contents = re.findall(r"content: ?(?:\"([^\\\"]+)\"|\"\\([0-9A-F]+)\")", style)
    letters = {ord(letter) for drawn, code in contents for letter in drawn or chr(int(code, 16))}
    letters.add(0xEFFC)  # the one character of MathJax's font of no height, which begins every line
    style = re.sub(
        r'src:url\((\.\./vendor/[\w/.-]+)\.woff2\)[^}]*?format\("truetype"\)',
        lambda font: f'src:url({write_font(folder, folder / f"{font[1]}.ttf", icons)}) format("woff")',
        style,
    )
    return re.sub(
        r"url\(\.\./mathjax/([\w-]+\.woff)\)",
        lambda font: f"url({write_font(folder, formulas.FONTS / font[1], letters)})",
        style,
    )


def used_rules(text: str, words: set[str]) -> str:
    """Return the style sheet without the rules that name a class or an id not among ``words``."""
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return "".join(_used(rule, words) for rule in rules)


def _used(rule, words):
    if rule.type == "qualified-rule":
        selectors = re.split(r",(?![^(]*\))", tinycss2.serialize(rule.prelude))
        kept = [selector for selector in selectors if _names(selector) <= words]
        return f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}" if kept else ""
    if rule.type == "at-rule" and rule.at_keyword in ("media", "supports"):
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        kept = "".join(_used(inner_rule, words) for inner_rule in inner)
        return f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}" if kept else ""
    return rule.serialize()


def _names(selector):
    """Return the classes and ids that an element must have; those in :not(), :is() and the like are only options."""
    return set(re.findall(r"[.#]([A-Za-z_][\w-]*)", re.sub(r"\([^()]*\)|\[[^]]*\]", "", selector)))


def moved(text: str, folder: str) -> str:
    """Return the style sheet with its relative addresses as they are from where the one style sheet is."""

    def address(match):
        target = posixpath.join(folder, match["path"])
        return f"url({posixpath.relpath(target, posixpath.dirname(SHEET))})"

    return re.sub(r"""url\((["']?)(?!data:|https?:|#)(?P<path>[^"')]+)\1\)""", address, text)


def write_font(folder: Path, font: Path, characters: set[int]) -> str:
    """Write the font, less all other characters, to the folder, and return its name with a version."""
    options = Options(flavor="woff", layout_features=[], notdef_outline=True)
    options.drop_tables += ["FFTM"]  # when FontForge made it
    small = TTFont(font, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(small)
    small.flavor = "woff"
    content = BytesIO()
    small.save(content)
    name = f"{font.stem}.woff"
    (folder / name).write_bytes(content.getvalue())
    return f"{name}?v={hashlib.sha256(content.getvalue()).hexdigest()[:8]}"
