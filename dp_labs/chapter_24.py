"""The labs of chapter 24, Judging a claim."""

import math
from collections import Counter

import numpy as np

from dp_helpers.audit import audit, round_down
from dp_helpers.renyi import zcdp_to_dp

from .answers import NotYet, pair
from .tables import NumberLab

LABS = ("which-field-is-missing", "your-month-with-windows", "which-total-do-you-print", "refute-it")

which_field_is_missing = NumberLab(
    right=2,
    praise="Is a customer added and removed, or replaced? In the first case what the rides say is covered by 1.8 only.",
    mistakes={
        1: "the unit is stated: a customer with all rides.",
        3: "the publications are stated: the tables of bicycle rides.",
        4: "the time is stated: this year, all 52 tables together.",
        5: "the odds are stated: a factor of at most e^0.9, and δ = 0.",
        6: "whom to trust is stated: the statistics team, who see the rides.",
        7: "exceptions are stated: the stations and the number of bicycles.",
    },
    otherwise="give the number of a gap, from 1 to 7.",
)

_ROUND = 1.672

your_month_with_windows = NumberLab(
    right=120 * _ROUND,
    praise="By the card alone: 120 promises in 30 days, and each adds its ε. The paper promises more.",
    mistakes={
        _ROUND: "that is one promise; it is made again every six hours.",
        4 * _ROUND: "that is one day.",
        30 * _ROUND: "that is one promise a day; it is made every six hours.",
        180 * _ROUND: "every six hours is four times a day, not six.",
        math.sqrt(120) * _ROUND: "the root is for small losses and a δ; this claim has neither.",
        240 * _ROUND: "replace-one covers what your reports say as it stands: nothing is doubled.",
    },
    otherwise="how many promises are made in 30 days? Each adds its ε.",
    digits=4,
)

_LEVELS, _DELTA = (0.05, 0.2, 0.15, 0.1), 1e-6

which_total_do_you_print = NumberLab(
    right=zcdp_to_dp(sum(_LEVELS), delta=_DELTA),
    praise="ρ = 0.5 in all, converted once.",
    mistakes={
        sum(zcdp_to_dp(rho, delta=_DELTA) for rho in _LEVELS): "you convert each level: add the ρ first, convert once.",
        zcdp_to_dp(
            sum(_LEVELS), delta=_DELTA, tight=False
        ): "that is the older formula: true, but larger than it need be.",
        zcdp_to_dp(max(_LEVELS), delta=_DELTA): "a person is on each level, so the levels add up.",
        sum(_LEVELS): "that is ρ; convert it at δ = 1e-6.",
        zcdp_to_dp(sum(_LEVELS), delta=1e-10): "that is at δ = 1e-10; the lab asks for 1e-6.",
    },
    otherwise="add the ρ of all levels, then convert once at δ = 1e-6.",
)

_MOST_ROWS, _WANTED = 50, 5.0


def refute_it(answer) -> str:
    """Check two lists of visits that differ in one patient, by an audit of the supplier's count."""
    with_ann, without_ann = (_names(part) for part in pair(answer, "(with_ann, without_ann)"))
    added, gone = Counter(with_ann) - Counter(without_ann), Counter(without_ann) - Counter(with_ann)
    if gone or set(added) - {"Ann"}:
        raise NotYet("the lists may differ in the rows of Ann alone; all other names must be in both, as often.")
    if not added:
        raise NotYet("the two lists have the same rows: where is Ann?")
    if "Ann" in without_ann:
        raise NotYet("a patient is removed with all rows: no Ann may be left in the second list.")
    found = audit(_noisy_visits, with_ann, without_ann, trials=4_000, rng=np.random.default_rng(2404))
    proven = round_down(found.epsilon_lower_bound, 1)
    if found.epsilon_lower_bound <= _WANTED:
        raise NotYet(f"your lists prove an ε of {proven} for a patient. Which lists differ by more?")
    return f"Your lists prove an ε of {proven} for a patient, where 1 was claimed."


def _names(rows) -> list[str]:
    if not isinstance(rows, (list, tuple, np.ndarray)) or not all(isinstance(name, str) for name in rows):
        raise NotYet("each of the two is a list of names, one for each visit.")
    if len(rows) > _MOST_ROWS:
        raise NotYet(f"a list may have {_MOST_ROWS} rows at most; one of yours has {len(rows)}.")
    return [str(name) for name in rows]


def _noisy_visits(rows, rng):
    return len(rows) + rng.laplace(0, 1)
