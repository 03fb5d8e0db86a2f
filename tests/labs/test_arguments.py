"""A parameter that is always the same isn't checked: each lab's check gives a function more than one value of each.

Over a whole check of a right answer, the arguments of its functions are written down: numbers, words, and lists of
them.  What never changes could be left out of an answer, or be read from somewhere else, and would be praised.
"""

import functools
import inspect
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from labs.test_answers import RIGHT
from thorough import sample

from dp_labs import check

# What the task itself fixes, and what an answer can't be tempted to read from somewhere else.
FIXED = {"2.given-away": {"secret": "the name of a column"}}


def first_answers():
    """Return one right answer of each lab that asks for functions."""
    answers = {}
    for lab, answer in RIGHT:
        if any(map(callable, answer if isinstance(answer, tuple) else (answer,))):
            answers.setdefault(lab, answer)
    return answers


ANSWERS = first_answers()
PLAIN = str, bool, int, float, np.generic


def written_down(value):
    """Return a number, a word or a short list of them in a form that can be compared, or None for all else."""
    if isinstance(value, PLAIN):
        return value
    if not isinstance(value, (list, tuple, range, pd.Index, np.ndarray)) or not 0 < len(value) <= 100:
        return None
    members = tuple(member if isinstance(member, PLAIN) else None for member in value)
    return None if any(member is None for member in members) else members


def noting(function, seen):
    """Return the function, which from now on notes its arguments in ``seen``."""
    if not callable(function):
        return function
    signature = inspect.signature(function)

    @functools.wraps(function)
    def noted(*given, **named):
        if not all(changes(seen[name]) for name in signature.parameters):
            for name, value in signature.bind(*given, **named).arguments.items():
                if not changes(seen[name]):
                    seen[name].append(written_down(value))
        return function(*given, **named)

    return noted


def changes(values):
    """Tell whether an argument's values aren't one and the same: what comes after them needn't be noted."""
    return len(values) > 0 and (values[-1] is None or values[-1] != values[0])


def never_changed(lab, answer):
    """Return the arguments that had one value in all calls of a check, of which there was more than one."""
    notes = [defaultdict(list) for _ in (answer if isinstance(answer, tuple) else (answer,))]
    if isinstance(answer, tuple):
        check(lab, tuple(map(noting, answer, notes)))
    else:
        check(lab, noting(answer, notes[0]))
    return {
        name: values[0] for seen in notes for name, values in seen.items() if len(values) > 1 and not changes(values)
    }


@pytest.mark.parametrize("lab", sample(sorted(ANSWERS), every=4))
def test_each_argument_of_a_lab_changes(lab, capsys):
    constant = never_changed(lab, ANSWERS[lab])
    said = capsys.readouterr().out
    assert said.startswith("✓"), said
    assert constant.keys() == FIXED.get(lab, {}).keys(), f"always the same: {constant}"
