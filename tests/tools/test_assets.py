"""The site's one style sheet: rules that no page uses are not in it, addresses move with it."""

import pytest

from tools.book_site import assets


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
def test_a_rule_is_kept_while_something_may_match_it(rule, kept):
    assert assets.used_rules(rule, {"used"}) == kept


def test_comments_go_and_licences_stay():
    assert assets.without_comments("/*! MIT */a{b:c}/* why\nso */d{e:f}") == "/*! MIT */a{b:c}d{e:f}"


def test_addresses_in_a_style_sheet_move_with_it():
    text = 'a{b:url(x.svg) url("../y.svg") url(data:image/png;base64,AA) url(https://z.org/z.svg)}'
    moved = "a{b:url(../x.svg) url(../../y.svg) url(data:image/png;base64,AA) url(https://z.org/z.svg)}"
    assert assets.moved(text, "") == moved
