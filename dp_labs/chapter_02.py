"""The labs of chapter 2, k-Anonymity."""

import math
import operator

import numpy as np
import pandas as pd

from .answers import NotYet, expect, finite, function
from .tables import NumbersLab

LABS = ("six-people-at-three-levels", "given-away", "second-table")

six_people_at_three_levels = NumbersLab(
    names=["k with exact ages", "k with ages by ten", "k with ages by thirty"],
    right=[1, 1, 3],
    praise="The smallest crowd decides, and one man in his fifties is a crowd.",
    mistakes=[
        ((6, 3, 2), "those are the numbers of crowds; k is the size of the smallest."),
        ((1, 3, 3), "those are the largest crowds; k is the size of the smallest."),
        ((1, 2, 3), "the man of 52 is alone in his fifties; so what is the smallest crowd there?"),
        ((0, 0, 2), "whoever is in a crowd of one is counted: k is at least 1."),
        ((1, 1, 6), "by thirty years there are women below 30 and men from 30 on: two crowds."),
        ((6, None, None), "all six ages differ, so everybody is a crowd of one: k = 1."),
    ],
    otherwise="look again at {name}: who looks alike, and how many are in the smallest crowd?",
)


def given_away(answer) -> str:
    """Check a count of the people whose class has a single value of the secret."""
    given_away, rng = function(answer), np.random.default_rng(3)
    for rows, columns in [(8, ["age"]), (60, ["age", "sex"]), (400, ["age", "sex"])]:
        table = pd.DataFrame({"age": rng.integers(20, 20 + rows // 4, size=rows)})
        table["sex"] = rng.choice(["f", "m"], size=rows)
        table["illness"] = rng.choice(["flu", "cold"], size=rows, p=[0.8, 0.2])
        classes = table.groupby(columns)["illness"].agg(["size", "nunique"])
        agree = classes.loc[classes["nunique"] == 1, "size"]
        given = finite(given_away(table.copy(), list(columns), "illness"))
        mistakes = [
            (len(agree), f"you counted the {len(agree)} crowds that agree; count the people in them."),
            (agree[agree > 1].sum(), "people who are alone in their crowd are given away, too."),
            (rows - agree.sum(), "those are the people who are not given away."),
            (agree.sum() / rows, "that is their share; return the number of people."),
            ((classes["size"] == 1).sum(), "those are alone; a larger crowd that agrees gives its people away, too."),
        ]
        crowds = f"in a table of {rows} rows with crowds by {' and '.join(columns)}"
        why = f"{crowds}, {agree.sum()} people are given away; you returned {given:g}."
        expect(given, agree.sum(), mistakes, why, math.isclose)
    return "A person in a crowd that agrees is given away without being found."


def second_table(answer) -> str:
    """Check the intersection of what two tables leave possible."""
    common, rng, illnesses = function(answer), np.random.default_rng(4), list("ABCDEFGHIJKLMNOPQRST")
    for hidden in ("illness", "income") * 10:
        tables, fits, clues, first_clue = [], [], [], []
        secret = str(rng.choice(illnesses))
        for columns in (["age", "sex"], ["age"]):  # an age of their own, as the tables round it
            table = pd.DataFrame({column: rng.integers(0, 4, size=60) for column in columns})
            table[hidden] = rng.choice(illnesses, size=60)
            table.loc[0, hidden] = secret
            clues.append({column: int(table.loc[0, column]) for column in columns})
            agree = [table[column] == value for column, value in clues[-1].items()]
            fits.append(set(table.loc[np.logical_and.reduce(agree), hidden]))
            first_clue.append(set(table.loc[agree[0], hidden]))
            tables.append(table.sample(frac=1, random_state=rng, ignore_index=True))
        given = common(tables[0].copy(), dict(clues[0]), tables[1].copy(), dict(clues[1]), hidden)
        if not isinstance(given, (set, frozenset)):
            raise NotYet(f"return a set of secrets, not {type(given).__name__}.")
        mistakes = [
            (fits[0] | fits[1], "a secret must fit both tables, not one of them."),
            (fits[0] ^ fits[1], "those are the secrets in one of the crowds only; the victim is in both."),
            (first_clue[0] & first_clue[1], "a row must agree with every clue, not with the first."),
        ]
        left = f"the first table leaves {sorted(fits[0])}, the second {sorted(fits[1])}"
        why = f"{left}; you returned {sorted(given, key=str)}."
        expect(given, fits[0] & fits[1], mistakes, why, operator.eq)
    return "The victim is in both crowds, and so is the secret."
