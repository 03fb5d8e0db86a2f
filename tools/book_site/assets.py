"""Pages load quickly: pictures, and the numbers of figures, wait for the text.

The theme, MathJax and the extensions bring twelve style sheets and fonts, 900 kB of which no page uses.  The site has
one style sheet with the rules that its pages need (``styles.py``), fonts with the icons and letters that are left in
it, and one file of scripts (``scripts.py``).  ``book/_templates/layout.html`` says when a page loads them.

This needs fonts, style sheets and a script engine of other people, and may break when these change.  So each part was
measured in November 2026: a first visit by a phone's window, 1.6 Mb/s and 150 ms away, everything compressed.  A part
that readers don't feel goes.

======================================  ==================  ==================================================
front page, chapters 3, 12, 22          kB                  first text, seconds
======================================  ==================  ==================================================
as it was then                          128, 207, 243, 204  0.66, 0.68, 0.78, 0.68
all style sheets and fonts as they come 365, 471, 515, 471  1.25, 1.25, 1.28, 1.21
MathJax on the page                     388, 435, 466, 432  the same, but for more than 3 s formulas are TeX
sliders' numbers within the page        128, 209, 249, 206  0.1 later
pictures that don't wait, without sizes 128, 207, 245, 204  the same, but text below one moves when it comes
======================================  ==================  ==================================================

One file of scripts, no style rule that fits nothing, fonts of the letters they draw, and numbers that wait for a
reader came after these measures; then the pages weighed 85, 132, 145 and 130 kB.  ``tests/site/looks.py`` has the
limit.  Without the theme's look at all boxes the longest halt while chapters 3, 11 and 19 open, at a phone's width and
four times slower, is 80 to 160 ms in place of 360 to 570.
"""

import hashlib
import itertools
import posixpath
import re
from pathlib import Path

import imagesize

NUMBERS = re.compile(r'(?<=<script type="text/plain")>([^<]+)(?=</script>)')  # of a figure with sliders


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
