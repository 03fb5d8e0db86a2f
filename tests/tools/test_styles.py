"""The site's one style sheet: rules that fit nothing on a page are not in it, addresses move with it."""

import pytest

from tools.book_site import fonts, styles

PAGE = '<p id="one" class="used open"><a href="x" class="used"></a><mjx-c class="mjx-c41 TEX-I"></mjx-c>'
SCRIPT = 'box.classList.add("added"); // unused\ndocument.createElement("output")'
USE = styles.used_by([PAGE], [SCRIPT])


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (".used{color:red}", ".used{color:red}"),
        (".unused{color:red}", ""),
        ("p,.unused>a,.used a{color:red}", "p,.used a{color:red}"),
        (".used.unused{color:red}", ""),
        (".used.open{color:red}", ".used.open{color:red}"),
        (".mjx-c41.used{color:red}", ""),
        (".mjx-c41.added{color:red}", ".mjx-c41.added{color:red}"),
        ("#unused{color:red}", ""),
        ("#one.added{color:red}", "#one.added{color:red}"),
        ("table td{color:red}", ""),
        ("output:hover>*,table{color:red}", "output:hover>*{color:red}"),
        ("p:not(.unused:is(.x)){color:red}", "p:not(.unused:is(.x)){color:red}"),
        (":is(.unused,.used) a{color:red}", ":is(.unused,.used) a{color:red}"),
        (":root,::selection{color:red}", ":root,::selection{color:red}"),
        ('a[href$=".pdf"]{color:red}', 'a[href$=".pdf"]{color:red}'),
        ("@media print{.unused{color:red}}", ""),
        ("@media print{.unused{color:red}.used{color:red}}", "@media print{.used{color:red}}"),
        ("@keyframes spin{0%{top:0}50.5%{top:1px}}", "@keyframes spin{0%{top:0}50.5%{top:1px}}"),
        (":root{--size:.5rem}", ":root{--size:.5rem}"),
    ],
)
def test_a_rule_is_kept_while_something_may_match_it(rule, kept):
    assert styles.used_rules(rule, USE) == kept


def test_comments_go_and_licences_stay():
    assert styles.COMMENT.sub("", "/*! MIT */a{b:c}/* why\nso */d{e:f}") == "/*! MIT */a{b:c}d{e:f}"


def test_values_and_movements_go_with_the_last_that_asks_for_them():
    style = 'a{--x:url("d:i;c=u,%7B}");--y:var(--z, (1 * 2));--z:1;--w: 2}b{animation:spin 1s;top:var(--w)}'
    style += "@keyframes spin{0%{top:0}to{top:var(--q)}}@-webkit-keyframes gone{0%{top:0}to{top:1px}}"
    kept = "a{--w: 2}b{animation:spin 1s;top:var(--w)}@keyframes spin{0%{top:0}to{top:var(--q)}}"
    assert styles.without_unused_names(style, set()) == kept
    assert "--x" in styles.without_unused_names(style, {"--x"})


def test_space_goes_but_in_quotes_and_between_words():
    style = """a  b ,\n c {\n  content: " ;  { " ;\n  margin: 0  1px ;\n}\n@media print {\n d { }\n e { f: g }\n}"""
    assert styles.without_space(style) == """a b,c{content: " ;  { ";margin: 0 1px}@media print{e{f: g}}"""


def test_addresses_in_a_style_sheet_move_with_it():
    text = 'a{b:url(x.svg) url("../y.svg") url(data:image/png;base64,AA) url(https://z.org/z.svg)}'
    moved = "a{b:url(../x.svg) url(../../y.svg) url(data:image/png;base64,AA) url(https://z.org/z.svg)}"
    assert styles.moved(text, "") == moved


def test_each_letter_of_a_formula_is_in_the_font_that_draws_it():
    style = '.mjx-c41.TEX-I::before {\n  content: "A"}mjx-c.mjx-c42::before {padding: 0; content: "B"}'
    style += 'mjx-stretchy-v.mjx-c28 mjx-ext mjx-c::before {content: "\\239C"}'
    letters = fonts.letters_of_formulas(style)
    assert letters["MJXTEX-I"] == {ord("A")}
    assert letters["MJXTEX"] == {ord("B"), 0x239C}
    assert letters["MJXTEX-S4"] == {0x239C}
