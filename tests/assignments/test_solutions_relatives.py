"""Each task's checks turn down the relatives of its solution, or this file says why one of them is right.

An eightieth of them is tried, and weekly all: `labs.relatives` makes them.
"""

import ast

import numpy as np
import pytest
from committed import FOLDERS, load
from labs.relatives import relatives
from thorough import sample

from grading import own_answers, source


def solutions():
    """Yield the name of each assignment and task that is checked, and the solution's code."""
    for folder in FOLDERS:
        for task in load(folder).tasks:
            if not task.written:
                yield f"{folder.name} {task.name}", ast.parse(task.cells["solution"].text)


CASES = {f"{task} {name}": (task, make) for task, tree in solutions() for name, make in relatives(tree)}

MORE = "it costs less than allowed, and is exact enough"
WHOLE = "the exact answer is whole: to round the noise is to round the sum, which anybody may do"
DRAWN = "the pages were shuffled, so that the last ones are as good a draw as the first"
ROUNDED = {"→ np.rint(": WHOLE}
CUT = ROUNDED | {"→ np.floor(": WHOLE}
COUNTS = ("rng.laplace(scale=4 / epsilon, size=31)", "rng.laplace(scale=1 / (epsilon / 4))")
# Parts of the names of those relatives that are right, too, and why they are.
PROVEN = {
    "1-anonymity q6": {
        "[::-1]": "which column is split first is up to the answer, and little enough is lost",
        "ascending=False": "a crowd falls into the same halves, whichever is called the lower one",
    },
    "2-laplace q1": ROUNDED,
    "2-laplace q5": {**ROUNDED, "epsilon → (epsilon) / 2": MORE, "1 / epsilon → 2 * (1 / epsilon)": MORE},
    "3-clipping q4": {"delta → (delta) / 2": MORE, "→ np.floor(": "noise that is rounded down never releases more"},
    "3-clipping q5": {
        "mean_income: epsilon → (epsilon) / 2": MORE,
        "4 / epsilon → 2 * (4 / epsilon)": MORE,
        "bound / 2 / (epsilon / 2) → 2 * (": MORE,
        "1 / (epsilon / 4) → 2 * (": MORE,
        "4 / epsilon → 1 / (epsilon / 4)": "these two scales are equal",
        **{f"{count} → np.{cut}(": WHOLE for count in COUNTS for cut in ("rint", "floor")},
    },
    "4-accounting q4": {"delta → 2 * (delta)": "the conversion isn't the exact one, whose δ is smaller still"},
    "4-accounting q6": {"delta → (delta) / 2": MORE},
    "5-selection q5": {"(scale=2 / epsilon) → np.rint(": WHOLE},
    "5-selection q6": {**CUT, "epsilon → (epsilon) / 2": MORE, "1 / epsilon → 2 * (1 / epsilon)": MORE},
    "6-dp-sgd q6": dict.fromkeys(("epsilon → (epsilon) / 2", "delta → (delta)**2", "delta → (delta) / 2"), MORE),
    "8-synthetic q1": ROUNDED,
    "8-synthetic q6": {
        **CUT,
        "make_rows: epsilon →": "the rows are made of what was measured, and ε isn't looked at",
        "measure: epsilon → (epsilon) / 2": MORE,
        "len(EDGES) / epsilon → 2 * (": MORE,
    },
    "10-week-of-visits q3": {**ROUNDED, ".tail(": DRAWN},
    "10-week-of-visits q4": {".tail(": DRAWN},
}


def may_pass(task, name):
    """Tell whether a relative is named above."""
    return any(part in name for part in PROVEN.get(task, {}))


def earns_everything(task, code):
    """Tell whether a program earns all points of a task; one that fails to run earns none."""
    assignment, _, name = task.partition(" ")
    with np.errstate(all="ignore"):
        try:
            (verdict,) = own_answers.run(load(source.ASSIGNMENTS / assignment), {name: ast.unparse(code)}, only=name)
        except Exception:  # in the cell's own lines: the grader lets the cell fail
            return False
    return verdict.earned == verdict.points


@pytest.mark.parametrize("name", sample(CASES, every=80))
def test_a_relative_loses_points_or_is_named_with_a_reason(name):
    task, make = CASES[name]
    assert earns_everything(task, make()) == may_pass(task, name.removeprefix(f"{task} "))


def test_what_is_named_is_a_relative():
    names = {task: [name for name, case in CASES.items() if case[0] == task] for task in PROVEN}
    assert all(any(part in name for name in names[task]) for task in PROVEN for part in PROVEN[task])
