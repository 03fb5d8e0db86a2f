"""Labs' right answers crossed with the standard mistakes of their kinds: every cell is refused, with its own sentence.

A new lab adds a line to LABS, a new mistake a line to a list of `mistakes`, and meets every lab of its kind.
"""

import importlib

import mistakes as m
import numpy as np
import pandas as pd
import pytest
from thorough import sample

from dp_labs import find, judges
from dp_labs.judging import NotYet


def visitors(args, result, quiet):
    once = args[0].drop_duplicates(["person", "day"])
    return once["day"].value_counts().reindex(args[1], fill_value=0)


def crossed(args, result, quiet):
    return pd.crosstab(args[0], args[1]).reindex(index=args[2], columns=args[3], fill_value=0)


def people(args, result, quiet):
    return args[0].groupby("person")["minutes"].sum().clip(upper=600).sum()


def step_of(args):
    """Return of a step of DP-SGD: how many people, q, the arguments for a batch of some, what the average lacks."""
    gradients, q, clip, sigma = args

    def others(taken):
        # The answer divides by the number of rows: nobody is a row of zeros, and all have as many rows.
        rows = np.zeros((2 * len(gradients), gradients.shape[1]))
        rows[: len(taken)] = gradients[taken]
        return rows, 1.0, clip, sigma

    return len(gradients), q, others, 2 / q


def round_of(args):
    """Return the same of a round for people: theirs are all rows."""
    gradients, owner, people, q, clip, sigma = args

    def others(taken):
        rows = [np.flatnonzero(owner == person) for person in taken]
        owners = np.repeat(np.arange(len(taken)), [len(part) for part in rows])
        return gradients[np.concatenate([np.empty(0, int), *rows])], owners, max(len(taken), 1), 1.0, clip, sigma

    return people, q, others, 1.0


def of_the_first(mistakes):
    """Return mistakes in the first function of a pair."""
    return {
        name: (lambda pair, form, mistake=mistake: (mistake(pair[0], form), pair[1]), sentences)
        for name, (mistake, sentences) in mistakes.items()
    }


FORMS = {
    "3.protect-the-household": m.Form(lambda args, result, quiet: len(args[0]), lambda args, result: 7 / args[1]),
    "4.visitors-of-each-day": m.Form(visitors, lambda args, result: len(args[1]) / args[2]),
    "4.two-tables-for-one-price": m.Form(
        crossed,
        lambda args, result: 1 / args[4],
        value=lambda result: np.asarray(result[1], dtype=float),
        put=lambda result, value: (value.sum(axis=1), value),
    ),
    "5.mean-with-a-public-n": m.Form(
        lambda args, result, quiet: np.clip(args[0], args[1], args[2]).mean(),
        lambda args, result: (args[2] - args[1]) / len(args[0]) / args[3],
    ),
    "5.one-person-many-visits": m.Form(people, lambda args, result: 600 / args[1]),
    "5.buy-a-bound": m.Form(
        lambda args, result, quiet: np.minimum(args[0], result[0]).sum(),
        lambda args, result: result[0] / (0.8 * args[2]),
        value=lambda result: np.float64(result[1]),
        put=lambda result, value: (result[0], float(value)),
    ),
    "6.smaller-noise": m.Form(
        lambda args, result, quiet: args[0],
        lambda args, result: np.abs(args[1]).sum(axis=1).max() / args[2],
        epsilon=-2,
    ),
    "7.test-and-release-a-median": m.Form(
        lambda args, result, quiet: np.median(np.clip(args[0], args[1], args[2])),
        lambda args, result: 2 * args[3] / args[4],
        epsilon=-2,
    ),
    "12.step-that-isnt-covered": m.Form(
        lambda args, result, quiet: quiet(),
        lambda args, result: args[2] * args[3] / (args[1] * len(args[0])),
        quiet=lambda sigma: 1e-12,
        batch=step_of,
    ),
    "21.round-for-people": m.Form(
        lambda args, result, quiet: quiet(),
        lambda args, result: args[4] * args[5],
        quiet=lambda sigma: 1e-12,
        batch=round_of,
    ),
    "19.tree-that-forgets": m.Form(lambda args, result, quiet: np.cumsum(args[0]), lambda args, result: 1.0),
    **dict.fromkeys(
        (
            "9.permute-and-flip",
            "9.mend-the-poll",
            "10.any-sensitivity",
            "10.positions-and-values",
            "10.bound-for-any-column",
            "13.one-toss-saved",
            "14.write-a-protocol",
            "20.report-near-the-truth",
        ),
        m.Form(None, None),
    ),
    **dict.fromkeys(("16.no-clock-ticks", "19.old-visits-fade"), m.Form(None, None, epsilon=-2)),
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


NO, SIZE = m.NO, m.SIZE
READ = {name: (bought(read), ["rich people more", "another candidate", "cost"]) for name, read in m.READ.items()}
READ["bound with 1.5 of its fifth"] = (bound_with(1.5), ["rich people more"])
NOT_ALL_OF_EPSILON = {name: cell for name, cell in m.ADDITIVE.items() if name not in ("epsilon times 1.25", "in steps")}
REDRAWN = {
    "redrawn while negative": (m.redraw_negative(), ["noise that is redrawn"]),
    "exact where it would be negative": (m.exact_below(0), [judges.EDGE]),
}
MANY = {
    name: cell for name, cell in (m.ADDITIVE | m.CELLS).items() if "clipped at" not in name and "larger" not in name
}
MANY |= {"clipped at 3": (m.clip_noise(3), ["has an end"])}
DRAWS = "draw noise from rng", "every run chooses the same", "is there a draw from rng"
SPENT = ["your search spends"]
FLIPS = m.releases(
    ["with probability", "two different ones gave"], ["with probability"], ["two different ones gave"], factors=()
)
FLIPS |= {"epsilon times 1.25": (m.epsilon_times(1 / 1.25), ["with probability"])}
ROWS = of_the_first(
    m.releases(["is sent as", "two different ones gave"], ["is sent as", "a row has 2ε"], ["two different ones gave"])
)
FLIPPED = {f"epsilon times {x}": (m.epsilon_times(x), ["your noise is that of about"]) for x in (1.25, 2)}
COUNTED = m.releases(["or none", "costs"], ["costs"], ["or none"]) | {
    "shared by cells": (m.shared_noise, ["costs"]),
    "shared by rounds": (m.shared_rounds(), [judges.AGAIN, judges.ROUNDS, "the same rng gave"]),
}
STEPS = {name: cell for name, cell in m.releases([], ["block"], ["the same in every"]).items() if name != "no noise"}
LABS = {  # name: which of its right answers, mistakes
    "3.protect-the-household": ((0, 1, 4), m.ADDITIVE | REDRAWN),
    "4.visitors-of-each-day": ((0, 1, 2), m.ADDITIVE | m.CELLS),
    "4.two-tables-for-one-price": ((0, 2, 4), m.ADDITIVE | m.CELLS),
    "5.mean-with-a-public-n": ((0, 1, 2), m.ADDITIVE | REDRAWN),
    "5.one-person-many-visits": ((0, 2, 3), m.ROUGHLY | REDRAWN),
    "5.buy-a-bound": ((0, 1, 4), NOT_ALL_OF_EPSILON | READ),
    "6.smaller-noise": ((0, 1), MANY),
    "7.test-and-release-a-median": ((0, 1, 2), NOT_ALL_OF_EPSILON | m.TEST),
    "9.permute-and-flip": (
        (0, 1, 2),
        m.releases(["every run"], ["you choose in shares", "one draw", "the 2 is missing"], DRAWS),
    ),
    "9.mend-the-poll": ((0, 1, 2, 3, 4, 5), m.releases(["a single vote"], ["than ε = 1", "than ε = 0.5"], DRAWS)),
    "10.any-sensitivity": ((0, 1, 2, 3), m.releases(DRAWS, SPENT, DRAWS)),
    "10.positions-and-values": ((0, 1, 2, 3), m.releases(SIZE, SIZE, [judges.SAME])),
    "10.bound-for-any-column": ((0, 1, 2), m.releases(["may spend"], ["may spend"], ["hand rng on"], ["hand rng"])),
    "12.step-that-isnt-covered": ((0, 1, 2), m.NORMAL | m.COINS),
    "13.one-toss-saved": ((0, 1, 2), FLIPS),
    "14.write-a-protocol": ((0, 1, 2), ROWS),
    "16.no-clock-ticks": ((0, 1, 2), FLIPPED),
    "19.tree-that-forgets": ((0, 1, 2), COUNTED),
    "19.old-visits-fade": ((0, 1), m.releases(SIZE, SIZE, ["or none"])),
    "20.report-near-the-truth": ((0, 1), STEPS),
    "21.round-for-people": ((0, 1), m.NORMAL | m.COINS),
}
# Answers that spend less than they may: to them it is no mistake.
NONE = {("7.test-and-release-a-median", k, "twice the δ") for k in (1, 2)}
NONE |= {("5.buy-a-bound", 1, "bound with 1.5 of its fifth")}
NONE |= {("9.mend-the-poll", k, f"epsilon times {x}") for k in (1, 3) for x in (1.25, 2)}  # half of ε is enough
NONE |= {("5.one-person-many-visits", 1, name) for name in REDRAWN}  # no negative total
# Whole numbers at one ε are none at another, which is seen before.
NONE |= {("3.protect-the-household", 1, "shared by rounds")}
WHOLE = [  # come again by themselves
    ("3.protect-the-household", 1),
    *(("4.visitors-of-each-day", k) for k in (1, 2)),
    *(("4.two-tables-for-one-price", k) for k in (1, 2)),
    ("5.mean-with-a-public-n", 2),
    *(("5.one-person-many-visits", k) for k in (1, 2)),
]
NONE |= {(*answer, name) for answer in WHOLE for name in ("few seeds", "shared somewhere")}
CELLS = [(lab, k, name) for lab, row in LABS.items() for k in range(len(row[0])) for name in row[1]]
CELLS = [cell for cell in CELLS if cell not in NONE]


def right(lab, k):
    chapter, name = lab.split(".")
    return importlib.import_module(f"labs.chapter_{int(chapter):02}").RIGHT[name][LABS[lab][0][k]]


@pytest.mark.parametrize(("lab", "k", "name"), sample(CELLS, 45))
def test_a_standard_mistake_is_told_its_own_sentence(lab, k, name):
    mistake, sentences = LABS[lab][1][name]
    with pytest.raises(NotYet) as told:
        find(lab)(mistake(right(lab, k), FORMS[lab]))
    assert any(part in str(told.value) for part in sentences)
