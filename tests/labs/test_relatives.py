"""Each lab refuses the relatives of its right answers, or `PROVEN` says why one of them is right, too.

A tenth of them is tried, and weekly all.
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
        if lab in labs and isinstance(answer, FunctionType) and answer is vars(sys.modules[answer.__module__]).get(
            answer.__name__
        ):
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
    return {"orders": np.arange(2, 200)} if chapter.startswith("08") else {}


SOLUTIONS = [*solutions()]
SOLUTIONS += drawing({lab for lab, tree, _ in SOLUTIONS if not draws(tree)})
CASES = {f"{lab} {name}": (lab, place, code) for lab, tree, place in SOLUTIONS for name, code in relatives(tree)}

PROVEN = {}


@pytest.mark.parametrize("name", sample(CASES, every=10))
def test_a_relative_is_refused_or_proven_right(name, capsys):
    lab, place, code = CASES[name]
    names = beside(place)
    exec(compile(code, "<relative>", "exec"), names)
    with np.errstate(all="ignore"):
        check(lab, names["answer"])
    praised = capsys.readouterr().out.startswith("✓")
    assert praised == (name in PROVEN)
