"""The labs of chapter 1, De-identification."""

import math
from functools import partial

import numpy as np
import pandas as pd

from dp_helpers.data import load_census

from .answers import NotYet, binary, function, number, recoded

LABS = (
    "names-on-incomes",
    "tracker",
    "rebuild-the-column",
    "coarse-enough",
)

DAYS, SEXES, YEARS = 365.25, 2, 80
VALUES = SEXES * YEARS * DAYS


def _town(values, share):
    """Return how many people may live in a town so that ``share`` of them are alone with their value."""
    return 1 + math.log(share) / math.log1p(-1 / values)


def names_on_incomes(answer) -> str:
    """Check a linkage attack that reads incomes, not only rows: all rows that fit may say the same."""
    unmask = function(answer)
    known = [("Ada", 30, 10001), ("Bob", 30, 10002), ("Cleo", 40, 10001), ("Dan", 50, 10003), ("Eve", 60, 10009)]
    people = pd.DataFrame(known, columns=["Name", "Age", "Zip"])
    # Dan's two rows differ, and so do Cleo's; Eve is not in the release; by age alone Ada and Bob share two.
    rows = pd.DataFrame({"Zip": [10002, 10001, 10001, 10003, 10001, 10003], "Age": [30, 30, 40, 50, 40, 50]})
    for incomes in ([">50K", "<=50K", "<=50K", ">50K", ">50K", "<=50K"], ["<=50K", "<=50K", *[">50K"] * 4]):
        for on in (["Age", "Zip"], ["Age"]):
            _unmasked(unmask, people, rows.assign(Target=incomes), on)
    census = load_census()
    released = census.drop(columns=["Name", "SSN"]).sample(3_000, random_state=1, ignore_index=True)
    for on in (["DOB", "Zip"], ["DOB"], ["Age", "Sex", "Education"]):
        _unmasked(unmask, census[["Name", *on]].head(60), released, on)
    return "Names on incomes, and nobody had to be found in one row only."


def _unmasked(unmask, known, released, on):
    """Raise NotYet unless ``unmask`` finds everybody whose rows agree on the income, and nobody else."""
    given, where = unmask(known.copy(), released.copy(), list(on)), f"by {' and '.join(on)}"
    if isinstance(given, pd.Series):
        given = given.to_dict()
    if not isinstance(given, dict):
        raise NotYet(f"return a dictionary from name to income, not {type(given).__name__}.")
    fits = known.merge(released, on=on).groupby("Name")["Target"]
    right = fits.first()[fits.nunique() == 1]
    for name, income in given.items():
        if name not in right:
            raise NotYet(f"{where}, nobody can tell what {name} earns: no row fits, or the rows that fit differ.")
        if income != right[name]:
            raise NotYet(f"{where}, {name} earns {right[name]}, you say {income!r}.")
    for name in right.index.difference([*given]):
        raise NotYet(f"{where}, every row that fits {name} says {right[name]}; you left {name} out.")


class _Office:
    """Answers totals of groups, to so many questions: no small group, none that is nearly an earlier one."""

    def __init__(self, values, least, limit, apart=0, error=lambda: 0):
        self._values, self._least, self._limit, self._apart, self._error = values, least, limit, apart, error
        self._answers, self.asked = {}, 0

    def __call__(self, group) -> float:
        group = np.asarray(group)
        if group.shape != self._values.shape or not np.isin(group, [0, 1]).all():
            raise NotYet(f"ask(group) needs a True or False, or a 1 or 0, for each of {len(self._values):,} people.")
        group = group.astype(bool)
        if group.sum() < self._least:
            raise NotYet(f"the office refuses groups of fewer than {self._least}; yours has {group.sum()}.")
        if self.asked == self._limit:
            raise NotYet(f"the office answers {self._limit} questions, yours was one too many.")
        for earlier in self._answers if self._apart else ():
            if (differ := (group != np.frombuffer(earlier, bool)).sum()) < self._apart:
                raise NotYet(f"the office refuses: your group differs from an earlier one by {differ} only.")
        self.asked += 1
        return self._answers.setdefault(group.tobytes(), float(self._values[group].sum() + self._error()))


def tracker(answer) -> str:
    """Check a tracker: three totals, no two groups alike, that give one person's hours."""
    attack, people = function(answer), load_census().head(1000)
    for row in [0, 7, 100, 500, 999]:
        name, hours = people["Name"].iloc[row], people["Hours per week"].sample(frac=1, random_state=row).to_numpy()
        found = number(attack(name, people[["Name", "Sex"]].copy(), _Office(hours, 100, 3, apart=100)))
        if not math.isclose(found, hours[row], abs_tol=0.01):
            raise NotYet(f"{name} works {hours[row]} hours a week here, you found {found:g}.")
    return "Three totals about hundreds, one person's week."


def rebuild_the_column(answer) -> str:
    """Check a reconstruction: 60 secret bits, then 50, from at most 600 counts that are up to 4 off.

    Least squares reads a bit with probability Φ(√540 / (4 · 4/√3)) = 99.4% or more, so that more than a tenth are
    wrong with probability below 1e-6.
    """
    attack, allowed, least = function(answer), 600, 1.0
    for people in (60, 50):
        rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(4, people)))
        secret = rng.permutation([0, 1] * (people // 2))
        office = _Office(secret, 10, allowed, error=partial(rng.spawn(1)[0].uniform, -4, 4))
        given, wanted = attack(office, people, rng), f"{people} zeros and ones, one for each person"
        bits = binary(given, (people,), wanted, "turn your estimates into bits: above ½ means 1.")
        right = int((bits == secret).sum())
        if right < 0.9 * people:
            why = "ask about random halves, and find the bits that fit all answers best at once."
            if office.asked < allowed:
                why = f"the office answers {allowed} questions, and more answers average more of its errors away."
            if right <= 0.1 * people:
                why = "yours says 1 for 0 and 0 for 1."
            raise NotYet(f"you read {right} of {people} people correctly from {office.asked} answers: {why}")
        least = min(least, right / people)
    return f"In the worse case you read {least:.0%} of the secrets, though no single answer says much about one person."


def coarse_enough(answer) -> str:
    """Check a coarser date of birth and Zip: few unique people, many pairs."""
    census = load_census()
    # A few of the younger half, and of the lower Zips: ends, quantiles, means and numbers of people are others there.
    lower = [census[column].rank(pct=True).between(0.2, 0.6) for column in ("DOB", "Zip")]
    rows = np.flatnonzero(lower[0] & lower[1])[::20]
    coarse = recoded(function(answer), census, {"Born": "DOB", "Area": "Zip"}, rows)
    if more := [str(column) for column in coarse.columns if column not in ("Born", "Area")]:
        raise NotYet(f"your table still has {', '.join(more[:3])}: release Born and Area, and nothing beside them.")
    sizes = coarse.groupby(["Born", "Area"], dropna=False, observed=True).size()
    unique = (sizes == 1).sum() / len(census)
    if unique > 0.01:
        raise NotYet(f"{unique:.1%} of the people are unique; make Born or Area coarser.")
    if len(sizes) < 500:
        raise NotYet(f"only {len(sizes)} different pairs remain; keep at least 500.")
    return f"{len(sizes):,} pairs, and {unique:.2%} of the people unique; safe is another word."
