"""The site's one style sheet and its icons: what pages use is there, what they don't is not."""

import re
from io import BytesIO

import pytest
from fontTools.ttLib import TTFont
from site_pages import PAGES, ROOT, SITE

STYLES = SITE / "_static" / "styles"


@pytest.fixture
def site_assets(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    import site_assets

    return site_assets


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (".used{color:red}", ".used{color:red}"),
        (".unused{color:red}", ""),
        ("p,.unused>a,.used a{color:red}", "p,.used a{color:red}"),
        (".used.unused{color:red}", ""),
        ("#unused{color:red}", ""),
        ("p:not(.unused){color:red}", "p:not(.unused){color:red}"),
        (":is(.unused,.used) a{color:red}", ":is(.unused,.used) a{color:red}"),
        ('a[href$=".pdf"]{color:red}', 'a[href$=".pdf"]{color:red}'),
        ("@media print{.unused{color:red}}", ""),
        ("@media print{.unused{color:red}.used{color:red}}", "@media print{.used{color:red}}"),
        ("@keyframes spin{0%{top:0}50.5%{top:1px}}", "@keyframes spin{0%{top:0}50.5%{top:1px}}"),
        (":root{--size:.5rem}", ":root{--size:.5rem}"),
    ],
)
def test_a_rule_is_kept_while_something_may_match_it(rule, kept, site_assets):
    assert site_assets.used_rules(rule, {"used"}) == kept


def test_addresses_in_a_style_sheet_move_with_it(site_assets):
    text = 'a{b:url(x.svg) url("../y.svg") url(data:image/png;base64,AA) url(https://z.org/z.svg)}'
    moved = "a{b:url(../x.svg) url(../../y.svg) url(data:image/png;base64,AA) url(https://z.org/z.svg)}"
    assert site_assets.moved(text, "") == moved


def test_the_fonts_hold_every_icon_of_the_style_sheet():
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


def test_the_style_sheet_has_the_rule_of_every_icon_on_a_page():
    style = (STYLES / "site.css").read_text(encoding="utf-8")
    shown = set()
    for name in PAGES:
        html = (SITE / f"{name}.html").read_text(encoding="utf-8")
        shown |= set(re.findall(r"\bfa-(?!solid|regular|brands|lg)[a-z-]+\b", html))
    assert {"fa-bars", "fa-magnifying-glass"} <= shown
    assert not [icon for icon in shown if f".{icon}:before" not in style]


def test_pictures_wait_in_a_place_of_their_size():
    pictures = []
    for name in PAGES:
        article = (SITE / f"{name}.html").read_text(encoding="utf-8").partition("<article")[2]
        pictures += re.findall(r'<img [^>]*src="\.\./_images/[^>]*>', article)
    assert len(pictures) > 10
    for picture in pictures:
        assert re.search(r'width="\d+" height="\d+" loading="lazy"', picture)
