"""The labs of chapter 1, De-identification."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pandas as pd

from ..data import load_census
from .answers import NotYet, close, function, number

DAYS, SEXES, YEARS = 365.25, 2, 80


def lab_1(answer) -> str:
    """Check the size of a town in which 63% are unique by date of birth and sex."""
    given, values = number(answer), SEXES * YEARS * DAYS
    right = _town(values, 0.63)
    if close(given, _town(values / SEXES, 0.63)):
        raise NotYet("you left out the sex, which doubles D.")
    if close(given, _town(values / YEARS, 0.63)):
        raise NotYet("that would be right for a birthday without its year.")
    if close(given, _town(values, 0.37)):
        raise NotYet("in your town, 37% are unique; 63% should be.")
    if not close(given, right):
        alone = (1 - 1 / values) ** (given - 1) if given >= 1 else 1.0
        raise NotYet(f"in a town of {given:,.0f}, {alone:.1%} would be unique.")
    return "So many people, and 63% of them are still unique."


def lab_2(answer) -> str:
    """Check the function that returns the incomes of all rows that agree with every clue."""
    possible = function(answer)
    table = pd.DataFrame(
        {
            "Age": [30, 40, 30, 30, 40],
            "Sex": ["Female", "Female", "Male", "Female", "Female"],
            "Target": ["<=50K", ">50K", ">50K", "<=50K", ">50K"],
        }
    )
    for clues in [{"Age": 30, "Sex": "Female"}, {"Age": 30}, {"Sex": "Male"}, {"Age": 99}, {}]:
        _same_incomes(possible, table, clues)
    released = load_census().drop(columns=["Name", "SSN"])
    columns = ["Age", "Sex", "Education", "Marital Status"]
    for row in range(0, 1000, 100):
        _same_incomes(possible, released, released.loc[row, columns].to_dict())
    return "Several rows with one income: nobody had to be found."


def lab_3(answer) -> str:
    """Check a tracker: three totals, no two groups alike, that give one person's hours."""
    attack = function(answer)
    people = load_census().head(1000)
    for row in [0, 7, 100, 500, 999]:
        target = people.iloc[row]
        found = number(attack(target["Name"], people[["Name", "Sex"]], _Office(people["Hours per week"])))
        if not math.isclose(found, target["Hours per week"]):
            raise NotYet(f"{target['Name']} works {target['Hours per week']} hours a week, you found {found:g}.")
    return "Three totals about hundreds, one person's week."


def lab_4(answer) -> str:
    """Check how many answers with errors up to 10 give back 99 of 100 bits."""
    given, sigma = number(answer), 10 / math.sqrt(3)
    quantile = NormalDist().inv_cdf(0.99)

    def near(value):
        return math.isclose(given, value, rel_tol=1e-2)

    right = 100 + (4 * quantile * sigma) ** 2
    if near(right - 100):
        raise NotYet("that is m - n; the first n answers have to be added.")
    if near(100 + (4 * quantile * 10) ** 2):
        raise NotYet("10 is the largest error; σ is 10/√3.")
    if near(100 + (4 * NormalDist().inv_cdf(0.995) * sigma) ** 2):
        raise NotYet("a bit is misread on one side only, so use the 99% point of the normal curve, 2.326.")
    if not near(right):
        share = NormalDist().cdf(math.sqrt(max(given - 100, 0)) / (4 * sigma))
        raise NotYet(f"with {given:,.0f} answers, {share:.1%} of the bits are read correctly.")
    return "Thirty answers per person, and an error of √n is gone."


def lab_5(answer) -> str:
    """Check a coarser date of birth and Zip: few unique people, many pairs."""
    census = load_census()
    coarse = function(answer)(census.copy())
    if not isinstance(coarse, pd.DataFrame) or not {"Born", "Area"} <= set(coarse.columns):
        raise NotYet("return a DataFrame with the columns Born and Area.")
    if len(coarse) != len(census):
        raise NotYet(f"keep all {len(census):,} people; yours has {len(coarse):,} rows.")
    for rough, fine in [("Born", "DOB"), ("Area", "Zip")]:
        per_value = pd.Series(coarse[rough].to_numpy()).groupby(census[fine].to_numpy()).nunique(dropna=False)
        if per_value.max() > 1:
            raise NotYet(f"{rough} may depend on {fine} alone; people with the same {fine} get different values.")
    sizes = coarse.groupby(["Born", "Area"], dropna=False).size()
    unique = (sizes == 1).sum() / len(census)
    if unique > 0.01:
        raise NotYet(f"{unique:.1%} of the people are unique; make Born or Area coarser.")
    if len(sizes) < 500:
        raise NotYet(f"only {len(sizes)} different pairs remain; keep at least 500.")
    return f"{len(sizes):,} pairs, and {unique:.2%} of the people unique; safe is another word."


def lab_6(answer) -> str:
    """Check that three counts tell all 16 secrets of four people apart."""
    questions = np.asarray(answer)
    if questions.shape != (3, 4):
        raise NotYet(f"give an array of shape (3, 4), not {questions.shape}.")
    if not np.isin(questions, [0, 1]).all():
        raise NotYet("a person is in a group or not: use zeros and ones only.")
    seen = {}
    for secret in itertools.product([0, 1], repeat=4):
        counts = tuple(int(count) for count in questions.astype(int) @ secret)
        if counts in seen:
            raise NotYet(f"the secrets {seen[counts]} and {secret} both get the answers {counts}.")
        seen[counts] = secret
    return "Sixteen possible secrets, sixteen different answers."


def _town(values, share):
    """Return how many people may live in a town so that ``share`` of them are alone with their value."""
    return 1 + math.log(share) / math.log1p(-1 / values)


def _same_incomes(possible, table, clues):
    """Raise NotYet unless ``possible`` finds what every clue together leaves."""
    agree = [table[column] == value for column, value in clues.items()]
    everyone = pd.Series(True, index=table.index)
    right = set(table.loc[np.logical_and.reduce([everyone, *agree]), "Target"])
    given = possible(table.copy(), dict(clues))
    if not isinstance(given, (set, frozenset)):
        raise NotYet(f"return a set of incomes, not {type(given).__name__}.")
    if given == right:
        return
    if agree and given == set(table.loc[np.logical_or.reduce(agree), "Target"]):
        raise NotYet(f"for {clues}, keep the rows that agree with every clue, not with any of them.")
    raise NotYet(f"for {clues} the rows that fit have the incomes {sorted(right)}, you returned {sorted(given)}.")


class _Office:
    """Answers totals, under its rules: no small group, no group like an earlier one, three questions."""

    def __init__(self, values, least=100, limit=3):
        self.values, self.least, self.limit = values.to_numpy(), least, limit
        self.asked = [np.zeros(len(values), dtype=bool)]  # nobody: a small group is too much like this one

    def __call__(self, group) -> int:
        group = np.asarray(group)
        if group.dtype != bool or group.shape != self.values.shape:
            raise NotYet(f"ask(group) needs a True or False for each of the {len(self.values):,} rows.")
        if len(self.asked) > self.limit:
            raise NotYet(f"the office answers {self.limit} questions, yours was one too many.")
        for number_asked, earlier in enumerate(self.asked):
            differ = int((group != earlier).sum())
            if differ < self.least and number_asked == 0:
                raise NotYet(f"the office refuses: your group has {differ} people, fewer than {self.least}.")
            if differ < self.least:
                raise NotYet(f"the office refuses: your group differs from an earlier one in {differ} people only.")
        self.asked.append(group.copy())
        return int(self.values[group].sum())
