"""Each lab refuses the relatives of its right answers, or `PROVEN` says why one of them is right, too.

A twentieth of them is tried, and weekly all.
"""

import ast
import inspect
import sys
from types import FunctionType

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK, page_functions, read
from labs.relatives import draws, relatives
from labs.test_answers import RIGHT
from thorough import sample

from dp_labs import check


def solutions():
    """Yield each lab that is solved by a function, with its solution's code and the names beside it."""
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        for cell in read(path.stem).cells:
            if cell.cell_type == "code" and "hide-cell" in cell.metadata.get("tags", []) and "check(" in cell.source:
                tree = ast.parse(cell.source)
                lab, answer = tree.body[-1].value.args
                if any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in ast.walk(tree)):
                    tree.body[-1] = ast.Assign([ast.Name("answer", ast.Store())], answer)
                    yield lab.value, ast.fix_missing_locations(tree), path.stem


def drawing(labs):
    """Yield the same for the first right answer to each of these labs that draws noise by itself."""
    for lab, answer in RIGHT:
        beside = vars(sys.modules[getattr(answer, "__module__", __name__)])
        if lab in labs and isinstance(answer, FunctionType) and beside.get(answer.__name__) is answer:
            tree = ast.parse(inspect.getsource(answer) + f"\nanswer = {answer.__name__}")
            if draws(tree):
                labs.remove(lab)
                yield lab, tree, answer.__globals__


def beside(place):
    """Return the names that a solution finds in its chapter, or an answer in its module."""
    names = dict(place) if isinstance(place, dict) else page_functions(place) | _values(place)
    return names | {"np": np}


def _values(chapter):
    """Return what a chapter's short cells set that solutions read."""
    return {"orders": 1 + np.logspace(-1, 4, 5_000)} if chapter.startswith("08") else {}


SOLUTIONS = [*solutions()]
SOLUTIONS += drawing({lab for lab, tree, _ in SOLUTIONS if not draws(tree)})
CASES = {f"{lab} {name}": (lab, place, make) for lab, tree, place in SOLUTIONS for name, make in relatives(tree)}

MORE = "it costs less than epsilon"
WHOLE = "the exact answer is whole: to round the noise is to round the sum, which anybody may do"
ROUNDED = {"→ np.rint(": WHOLE, "→ np.floor(": WHOLE}
# Parts of the names of those relatives that are right, too, and why they are.
PROVEN = {
    "3.protect-the-household": {part.removeprefix("→ "): why for part, why in ROUNDED.items()},
    "4.visitors-of-each-day": ROUNDED,
    "4.two-tables-for-one-price": ROUNDED,
    "5.one-person-many-visits": ROUNDED,
    "6.smaller-noise": ROUNDED,
    "7.test-and-release-a-median": {"delta → (delta) / 2": MORE},
    "8.noise-for-a-table": {"delta → (delta) / 2": "the noise is hardly larger, and the page asks for no more than 4%"},
    "9.mend-the-poll": {"epsilon → (epsilon) / 2": "these are the weights of scores that need not be monotonic"},
    "10.any-sensitivity": {"2 * unit → 2 * (2 * unit)": MORE},
    "10.positions-and-values": {
        **dict.fromkeys(["2 / part → 2 * (2 / part)", "1 / part → 2 * (1 / part)"], MORE),
        "→ np.rint(": WHOLE,
    },
    "10.bound-for-any-column": {"epsilon → (epsilon) / 2": MORE},
    "11.one-voice-each": {"tail": "which of a person's rows are left doesn't matter, if the person's alone decide"},
    "12.step-that-isnt-covered": dict.fromkeys(["sigma → 2 * (sigma)", "sigma * clip → 2 * ("], MORE),
    "17.audit-of-words": {"[::-1]": "words are tried in another order"},
    "19.tree-that-forgets": {"→ np.rint(": WHOLE, "→ 2 * (sd)": MORE, "rho → (rho) / 2": MORE},
    "23.interval-for-a-share": dict.fromkeys(
        ["→ np.trunc(", "→ np.rint(", "→ np.floor("],
        "the noise of a simulation protects nobody, and a whole person doesn't show",
    ),
}


def proven(lab, name):
    """Tell whether one of the parts that are right is in a relative's name."""
    return any(part in name for part in PROVEN.get(lab, {}))


def praised(lab, place, code, capsys):
    """Tell whether a program's answer is praised."""
    names = beside(place)
    try:
        exec(compile(code, "<relative>", "exec"), names)
    except ValueError:  # in the cell's own lines, before anything is handed in: the package refuses a δ of 1
        return False
    capsys.readouterr()  # what a solution prints by itself is no verdict
    with np.errstate(all="ignore"):
        check(lab, names["answer"])
    return capsys.readouterr().out.startswith("✓")


@pytest.mark.parametrize(("lab", "code", "place"), sample(SOLUTIONS, every=20, name=lambda row: row[0]))
def test_a_solution_without_a_mistake_is_praised(lab, code, place, capsys):
    assert praised(lab, place, code, capsys)


@pytest.mark.parametrize("name", sample(CASES, every=20))
def test_a_relative_is_refused_or_proven_right(name, capsys):
    lab, place, make = CASES[name]
    assert praised(lab, place, make(), capsys) == proven(lab, name)


def test_what_is_proven_is_a_relative():
    names = {lab: [name for name, case in CASES.items() if case[0] == lab] for lab in PROVEN}
    assert all(any(part in name for name in names[lab]) for lab in PROVEN for part in PROVEN[lab])
