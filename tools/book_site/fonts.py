"""Fonts hold the icons of the site's style sheet and the letters of its formulas, and no others."""

import hashlib
import re
from collections import Counter, defaultdict
from io import BytesIO
from pathlib import Path

from .formulas import FONTS

NO_HEIGHT = 0xEFFC  # the one character of MathJax's font of no height, which begins every line
FACE = re.compile(r"@font-face[^{}]*\{\s*font-family: (MJX[\w-]+)[^}]*\}")
# A letter of a formula: in the font that its class names, else in the main one; a piece of a sign that grows in any of
# some fonts.
LETTER = re.compile(r'([^{}]*mjx-c[^{}]*)::before ?\{[^{}]*?content: ?(?:"([^\\"]+)"|"\\([0-9A-F]+)")')
MAIN, GROWING = "MJXTEX", ("MJXTEX-S1", "MJXTEX-S4", "MJXTEX", "MJXTEX-A")


def with_small_fonts(style: str, folder: Path) -> str:
    """Return the style sheet with the fonts it names, which hold its icons and the letters of its formulas alone."""
    named = Counter(re.findall(r"MJX[\w-]+", style))
    style = FACE.sub(lambda font: font[0] * (named[font[1]] > 1), style)
    icons = {int(code, 16) for code in re.findall(r"\\([ef][0-9a-f]{3})\b", style)}
    icons |= {ord(letter) for letter in style if "\ue000" <= letter <= "\uf8ff"}
    style = re.sub(
        r'src:url\((\.\./vendor/[\w/.-]+)\.woff2\)[^}]*?format\("truetype"\)',
        lambda font: f'src:url({write_font(folder, folder / f"{font[1]}.ttf", icons)}) format("woff")',
        style,
    )
    letters = letters_of_formulas(style)
    return FACE.sub(
        lambda font: re.sub(
            r"url\(\.\./mathjax/([\w-]+\.woff)\)",
            lambda file: f"url({write_font(folder, FONTS / file[1], letters[font[1]])})",
            font[0],
        ),
        style,
    )


def letters_of_formulas(style: str) -> dict[str, set[int]]:
    """Return for each font of MathJax's the letters that the style sheet draws in it."""
    letters = defaultdict(set, {"MJXZERO": {NO_HEIGHT}})
    for selectors, drawn, code in LETTER.findall(style):
        named = re.findall(r"\.(TEX-\w+)", selectors)
        fonts = GROWING if "stretchy" in selectors else [f"MJX{name}" for name in named] or [MAIN]
        for font in fonts:
            letters[font] |= {ord(letter) for letter in drawn or chr(int(code, 16))}
    return letters


def write_font(folder: Path, font: Path, characters: set[int]) -> str:
    """Write the font, less all other characters, to the folder, and return its name with a version."""
    from fontTools.subset import Options, Subsetter  # loaded here: tests import this package and make no font
    from fontTools.ttLib import TTFont

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
