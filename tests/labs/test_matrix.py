"""Labs' right answers crossed with the standard mistakes of their kinds: every cell is refused, with its own sentence.

A new lab adds a line to LABS, a new mistake a line to a list of `mistakes`, and meets every lab of its kind.
"""

import importlib

import mistakes as m
import numpy as np
import pandas as pd
import pytest
from thorough import sample

from dp_labs import find
from dp_labs.judging import NotYet


def counts(args, result, quiet):
    return [(args[0] == category).sum() for category in args[1]]


def crossed(args, result, quiet):
    return pd.crosstab(args[0], args[1]).reindex(index=args[2], columns=args[3], fill_value=0)


def people(args, result, quiet):
    return args[0].groupby("person")["minutes"].sum().clip(upper=600).sum()


FORMS = {
    "3.6": m.Form(lambda args, result, quiet: len(args[0]), lambda args, result: 7 / args[1]),
    "4.3": m.Form(counts, lambda args, result: 2 / args[2]),
    "4.5": m.Form(
        crossed,
        lambda args, result: 1 / args[4],
        value=lambda result: np.asarray(result[1], dtype=float),
        put=lambda result, value: (value.sum(axis=1), value),
    ),
    "5.4": m.Form(
        lambda args, result, quiet: np.clip(args[0], args[1], args[2]).mean(),
        lambda args, result: (args[2] - args[1]) / len(args[0]) / args[3],
    ),
    "5.5": m.Form(people, lambda args, result: 600 / args[1]),
    "5.6": m.Form(
        lambda args, result, quiet: np.minimum(args[0], result[0]).sum(),
        lambda args, result: result[0] / (0.8 * args[2]),
        value=lambda result: np.float64(result[1]),
        put=lambda result, value: (result[0], float(value)),
    ),
    "7.5": m.Form(
        lambda args, result, quiet: np.median(np.clip(args[0], args[1], args[2])),
        lambda args, result: 2 * args[3] / args[4],
        epsilon=-2,
    ),
    "12.4": m.Form(
        lambda args, result, quiet: quiet(),
        lambda args, result: args[2] * args[3] / (args[1] * len(args[0])),
        quiet=1e-12,
    ),
}


def bought(read):
    """Return the mistake of a bound that is read off the data, with a right sum."""

    def mistake(answer, form):
        def wrong(values, candidates, epsilon, rng):
            bound = candidates[min(np.searchsorted(candidates, read(values)), len(candidates) - 1)]
            return bound, np.minimum(values, bound).sum() + rng.laplace(0, bound / (0.8 * epsilon))

        return wrong

    return mistake


def bound_with(factor):
    """Return the mistake of a bound that was bought with so many times its fifth of ε, with a right sum."""

    def mistake(answer, form):
        def wrong(values, candidates, epsilon, rng):
            bound = answer(values, candidates, factor * epsilon, rng)[0]
            return bound, np.minimum(values, bound).sum() + rng.laplace(0, bound / (0.8 * epsilon))

        return wrong

    return mistake


READ = {name: (bought(read), ["rich people more", "another candidate", "cost"]) for name, read in m.READ.items()}
READ["bound with 1.25 of its fifth"] = (bound_with(1.25), ["rich people more"])
NOT_ALL_OF_EPSILON = {name: cell for name, cell in m.ADDITIVE.items() if name != "epsilon times 1.25"}
REDRAWN = {"redrawn while negative": (m.redraw_negative(), ["noise that is redrawn"])}
LABS = {  # number: module, which of its right answers, mistakes
    "3.6": ("test_03_differential_privacy", (0, 1, 4), m.ADDITIVE | REDRAWN),
    "4.3": ("test_04_properties", (0, 1, 2), m.ADDITIVE | m.CELLS),
    "4.5": ("test_04_properties", (0, 2, 4), m.ADDITIVE | m.CELLS),
    "5.4": ("test_05_sensitivity", (0, 1, 2), m.ADDITIVE | REDRAWN),
    "5.5": ("test_05_sensitivity", (0, 2, 3), m.ROUGHLY | REDRAWN),
    "5.6": ("test_05_sensitivity", (0, 1, 4), NOT_ALL_OF_EPSILON | READ),
    "7.5": ("test_07_local_sensitivity", (0, 1, 2), NOT_ALL_OF_EPSILON | m.TEST),
    "12.4": ("test_12_dp_sgd", (0, 1, 2), m.NORMAL | m.COINS),
}
# Answers that spend less than they may: to them it is no mistake.
NONE = {("7.5", 1, "twice the δ"), ("7.5", 2, "twice the δ"), ("5.6", 1, "bound with 1.25 of its fifth")}
CELLS = [(lab, k, name) for lab in LABS for k in range(3) for name in LABS[lab][2] if (lab, k, name) not in NONE]


def right(lab, k):
    module, which, _ = LABS[lab]
    return [answer for number, answer in importlib.import_module(f"chapters.{module}").RIGHT if number == lab][which[k]]


@pytest.mark.parametrize(("lab", "k", "name"), sample(CELLS, 16))
def test_a_standard_mistake_is_told_its_own_sentence(lab, k, name):
    mistake, sentences = LABS[lab][2][name]
    with pytest.raises(NotYet) as told:
        find(lab)(mistake(right(lab, k), FORMS[lab]))
    assert any(part in str(told.value) for part in sentences)
