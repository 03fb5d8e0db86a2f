"""The site's one style sheet, its icons and its pictures: what pages use is there."""

import re
from io import BytesIO

from fontTools.ttLib import TTFont
from site_pages import PAGES, SITE

from tools.book_site.cells import plain_classes
from tools.book_site.fonts import GROWING, letters_of_formulas

STYLES = SITE / "_static" / "styles"


def test_the_fonts_hold_every_icon_and_letter_of_the_style_sheet():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    icons = {ord(icon) for icon in style if "\ue000" <= icon <= "\uf8ff"}
    icons |= {int(code, 16) for code in re.findall(r"\\([ef][0-9a-f]{3})\b", style)}
    drawn = set()
    for name in re.findall(r"url\(([\w.-]+\.woff)\?", style):
        content = (STYLES / name).read_bytes()
        assert len(content) < 20_000
        drawn |= set(TTFont(BytesIO(content)).getBestCmap())
    assert len(icons) > 20
    assert icons <= drawn


def test_the_fonts_hold_each_letter_of_a_formula_where_it_is_drawn():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    faces = dict(re.findall(r"@font-face ?\{font-family: (MJX[\w-]+);src: url\(([\w.-]+)\?", style))
    needed = letters_of_formulas(style)
    assert set(needed) == set(faces) and sum(map(len, needed.values())) > 100
    held = {font: set(TTFont(STYLES / name).getBestCmap()) for font, name in faces.items()}
    growing = set().union(*map(held.get, GROWING))
    for font, letters in needed.items():
        assert letters <= held[font] | (growing if font in GROWING else set())


def test_no_comment_travels_but_licences():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    assert not re.search(r"/\*(?!!)", style)
    assert ".chapter-map .station" in style and ".sf-explore-frame svg" in style


def test_the_style_sheet_has_the_rule_of_every_icon_on_a_page():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    shown = set()
    for name in PAGES:
        html = (SITE / f"{name}.html").read_text(encoding="utf-8")
        shown |= set(re.findall(r"\bfa-(?!solid|regular|brands|lg)[a-z-]+\b", html))
    assert {"fa-bars", "fa-magnifying-glass"} <= shown
    assert not [icon for icon in shown if f".{icon}:before" not in style]


def test_code_without_elements_of_its_own_has_the_colour_that_these_would_have():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    for theme in ("light", "dark"):
        code = rf'html\[data-theme="{theme}"\] \.highlight'
        (plain,) = re.findall(rf"{code} ?\{{[^}}]*[;{{ ]color: ?(#\w+)", style)
        colours = {
            name: re.findall(rf"{code} \.{name} ?\{{ ?color: ?(#\w+)", style) for name in ("k", *plain_classes())
        }
        assert colours.pop("k") != [plain]
        assert set(colours) >= {"n", "p"}
        assert all(colour in ([], [plain]) for colour in colours.values())
    for name in PAGES:
        assert not re.search(r'<span class="[np]">[^<]', (SITE / f"{name}.html").read_text(encoding="utf-8"))


def test_pictures_wait_in_a_place_of_their_size():
    pictures = []
    for name in PAGES:
        article = (SITE / f"{name}.html").read_text(encoding="utf-8").partition("<article")[2]
        pictures += re.findall(r'<img [^>]*src="\.\./_images/[^>]*>', article)
    assert len(pictures) > 10
    for picture in pictures:
        assert re.search(r'width="\d+" height="\d+" loading="lazy"', picture)
