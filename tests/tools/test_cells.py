"""What is folded away is named by what it holds; a figure has one fold, below it."""

from docutils import nodes

from tools.book_site import cells
from tools.book_site.cells import name_toggles, put_code_below


def cell(code, *parts, folded=True):
    block = nodes.container("", nodes.literal_block(code, code))
    return nodes.container("", block, *parts, **{"hide_mode": "input"} if folded else {})


def test_a_folded_cell_is_named_by_what_it_holds_and_a_figures_code_is_one_fold_below_it():
    set_up = cell("import numpy as np\nrng = np.random.default_rng(1)")
    helper, drawing = cell("def curve(x): ..."), cell("plt.plot(curve(1))", nodes.image(uri="a.png"))
    slider_helper, slider = cell("def figure(e): ..."), cell("dp.explore(figure)", nodes.raw("", "sf-explore"))
    alone, before_text = cell("def mechanism(x): ..."), cell("def price(x): ...")
    visible, solution = cell("plt.plot()", nodes.image(uri="b.png"), folded=False), cell('check("1.tracker", 3)')
    solution["prompt_show"] = "Show code cell {type}"
    alone["prompt_show"] = "Sealed"
    text = nodes.paragraph("", "And so on.")
    parts = [set_up, helper, drawing, slider_helper, slider, before_text, text, alone, visible, solution]
    name_toggles(None, nodes.section("", *parts))
    named = {
        name: [part for part in parts if part.get("prompt_show") == name] for name in ("Set-up", "The code", "Sealed")
    }
    assert named == {"Set-up": [set_up], "The code": [before_text], "Sealed": [alone]}
    assert solution["prompt_show"] == "The solution, run" and "prompt_show" not in visible
    assert {part["prompt_hide"] for part in (helper, drawing, slider_helper, slider)} == {"How this is drawn"}
    page = nodes.section("", *parts)
    put_code_below(None, page, "chapter")
    assert page.children == [set_up, drawing, slider, before_text, text, alone, visible, solution]
    for shown, helpers in (
        (drawing, ["def curve(x): ...", "plt.plot(curve(1))"]),
        (slider, ["def figure(e): ...", "dp.explore(figure)"]),
    ):
        output, fold = shown.children
        assert not isinstance(output, nodes.container) and [code.astext() for code in fold] == helpers
    assert [type(part) for part in visible.children] == [nodes.container, nodes.image]


def test_a_tables_headers_say_what_they_head_and_empty_ones_are_plain_cells():
    table = "<thead><tr><th></th><th>Age</th></tr></thead><tbody><tr><th>mean</th><td>38</td></tr></tbody>"
    assert cells.with_scopes(table) == (
        '<thead><tr><td></td><th scope="col">Age</th></tr></thead>'
        '<tbody><tr><th scope="row">mean</th><td>38</td></tr></tbody>'
    )
