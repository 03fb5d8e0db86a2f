"""The labs of chapter 21, Training today."""

import math
from functools import partial

import numpy as np

from dp_helpers.audit import one_run_epsilon
from dp_helpers.queries import clip_norm

from .answers import NotYet, alike, array, expect, function
from .clipping import clipping_mistakes
from .noise import Case, Size, additive, batches, fresh, outputs
from .tables import NumberLab

LABS = (
    "how-many-can-be-named",
    "round-for-people",
    "attack-with-shadow-models",
    "how-many-must-be-right",
)

_CAP = math.exp(0.5) * 0.01 + 1e-6

how_many_can_be_named = NumberLab(
    right=_CAP,
    praise="e^0.5 is 1.65: the accused share of the members is at most 1.65 times that of the strangers.",
    mistakes={
        100 * _CAP: "1.65 is the factor e^ε, or the answer in percent: give a number between 0 and 1.",
        0.01: "that is accusing blindly. The definition allows more: a factor of e^ε.",
        **dict.fromkeys([0.005, 0.015], "the false alarms are multiplied by e^ε, not by ε or 1 + ε."),
        (math.exp(0.5) - 1 + 2e-6) / (math.exp(0.5) + 1): "that caps an attack's advantage, not its share of hits.",
        0.01 + _CAP: "the false alarms are not added: the hits themselves are at most e^ε times as many.",
        math.exp(0.5) / (1 + math.exp(0.5)): "that is how often a guess may be right if half of all are members.",
        0.01 * math.exp(-0.5): "an attack finds members at least as often as it accuses strangers: multiply by e^ε.",
    },
    otherwise="e^ε times the share of false alarms, plus δ.",
)

_ENOUGH = next(v for v in range(101) if one_run_epsilon(right=v, guesses=100, confidence=0.95) > 1)

how_many_must_be_right = NumberLab(
    right=_ENOUGH,
    praise=f"{_ENOUGH} of 100. On average ε = 1 allows 73.",
    mistakes={
        _ENOUGH - 1: "that many prove a little less than ε = 1; one more is enough.",
        **dict.fromkeys([_ENOUGH + 1, _ENOUGH + 2, 100], "that many refute it, but so do fewer."),
        84: "that is at 99% confidence, the default; take 95%.",
        **dict.fromkeys([73, 74], "ε = 1 allows that many on average, so it is no surprise."),
        **dict.fromkeys([_ENOUGH - 0.5, _ENOUGH + 0.5], "guesses are counted: give a whole number."),
        _ENOUGH / 100: "that is a share; give the number of right guesses.",
        95: "95% is the confidence, not the share of right guesses.",
    },
    otherwise="the smallest number of right guesses at which dp.one_run_epsilon is above 1.",
)


_ROWS = np.array([[3.0, 4.0], [0.0, 1.0], [6.0, 8.0], [0.3, 0.4], [3.0, -4.0], [0.0, 6.0], [0.1, 0.0]])
_OWNER = np.array([2, 0, 2, 4, 3, 3, 0])  # person 1 has no row


def round_for_people(answer) -> str:
    """Check a round of training that protects a person with all rows: clipping, coins, noise."""
    release = function(answer)

    def draw(gradients, owner, people, q, clip, sigma, rng):
        found = release(gradients.copy(), owner.copy(), people, q, clip, sigma, rng)
        return array(found, gradients.shape[1:], "one number for each coordinate")

    _judge_sums(draw(_ROWS, _OWNER, 5, 1.0, 2.0, 1e-20, np.random.default_rng(2102)), 2.0)
    people, q = 6, 0.3
    rows = np.repeat(np.eye(people), 3, axis=0)  # each has three rows, in a direction of its own
    whose = partial(draw, rows, np.repeat(np.arange(people), 3), people, q, 6.0, 1e-20)
    taken = outputs(whose, 1_200, np.random.default_rng(2103)) / 3
    thirds = np.round(3 * taken, 3)
    if np.isin(thirds, [0, 1, 2, 3]).all() and np.isin(thirds, [1, 2]).any():
        raise NotYet("you toss a coin for each row; a person is in or out with all rows.")
    if not np.isin(thirds, np.arange(0, 40, 3)).all():
        raise NotYet("a person who is taken enters with the whole clipped sum: don't divide by q, nor by people.")
    batches(taken, q)
    fresh(whose)

    def case(q, clip, sigma):
        nobody = partial(draw, np.zeros((3, 9)), np.array([0, 1, 1]), 4, q, clip, sigma)
        return Case(nobody, [0] * 9, sigma * clip, f"for σ = {sigma:g}, clip = {clip:g} and q = {q:g}", 800)

    why = "It is sigma times clip, since one person moves the sum by clip."
    additive([case(1.0, 3.0, 2.0), case(0.01, 0.5, 1.0)], 2104, Size(reasons={1 / 3: why, 2: why}, normal=True))
    return "One arrow a person, one coin a person, and noise for one arrow."


def _judge_sums(found, clip) -> None:
    """Check the sum of clipped sums, with everybody in and next to no noise."""
    sums = np.zeros((5, 2))
    np.add.at(sums, _OWNER, _ROWS)
    by_row, right = clip_norm(_ROWS, clip).sum(axis=0), clip_norm(sums, clip).sum(axis=0)
    last = np.zeros((5, 2))
    last[_OWNER] = _ROWS
    means = sums / np.maximum(np.bincount(_OWNER, minlength=5)[:, None], 1)
    mistakes = [
        (by_row, "you clip each row; a person with many rows still moves the sum as many times as far."),
        (clip_norm(means, clip).sum(axis=0), "you clip each person's average; clip the sum of the person's rows."),
        (
            clip_norm(last, clip).sum(axis=0),
            "of each person one row is left: `sums[owner] += …` keeps the last; add all.",
        ),
        (clip_norm(sums, clip)[_OWNER].sum(axis=0), "a person's clipped sum enters once for each row; once is enough."),
        (right / 5, "that is an average; return the sum over people."),
        *clipping_mistakes(sums, clip),
    ]
    why = "with everybody taken and next to no noise the sum isn't right: add up each person's rows, clip each of "
    expect(found, right, mistakes, why + "these sums, and add up over people.", alike)


def attack_with_shadow_models(answer) -> str:
    """Check the scores of the likelihood-ratio attack."""
    attack, rng = function(answer), np.random.default_rng(2103)
    for models, people in [(40, 6), (15, 3)]:
        member = rng.random((models, people)) < 0.5
        member[:4] = np.array([True, True, False, False])[:, None]
        deviations = np.where(member, 0.5, 2.0) * rng.uniform(0.8, 1.2, people)
        margins = rng.normal(np.arange(people) + 1.5 * member, deviations)
        target = rng.normal(np.arange(people) + 1.0, 1.5)
        given = array(attack(margins.copy(), member.copy(), target.copy()), (people,), "one score for each person")
        unbiased = np.subtract(*_log_densities(margins, member, target, ddof=1))
        if not np.allclose(given, unbiased, rtol=1e-4):
            _judge_scores(given, margins, member, target)
    return "Two bells for each person, and the ratio of their heights at what you saw."


def _log_densities(margins, member, target, ddof=0, exponent=0.5, log=1.0) -> np.ndarray:
    """Return ln of the heights of both bells, with and without, of shape (2, people)."""
    heights = []
    for inside in (member, ~member):
        columns = [column[chosen] for column, chosen in zip(margins.T, inside.T, strict=True)]
        mean, sd = (np.array([f(column) for column in columns]) for f in (np.mean, partial(np.std, ddof=ddof)))
        heights.append(-log * np.log(sd) - exponent * ((target - mean) / sd) ** 2)
    return np.array(heights)


def _judge_scores(given, margins, member, target) -> None:
    scores = partial(_log_densities, margins, member, target)
    with_her, without = scores()
    right = with_her - without
    pooled = [-np.log(x.std()) - (target - x.mean()) ** 2 / (2 * x.var()) for x in (margins[member], margins[~member])]
    with np.errstate(over="ignore"):
        mistakes = [
            (-right, "the sign is the other way round: likely members get a large score."),
            (np.exp(right), "that is the ratio itself; return its logarithm."),
            (np.subtract(*scores(log=0.0)), "the deviations differ, so ln s doesn't drop out."),
            (with_her - math.log(2 * math.pi) / 2, "that is the density with the person alone; how likely without?"),
            (target, "that is the attack by the loss: the shadow models aren't used."),
            (right / math.log(10), "the logarithm is the natural one."),
            (np.subtract(*scores(exponent=1.0)), "in (x - m)² / (2 s²) the 2 or the square of s is missing."),
            (np.subtract(*pooled), "fit the bells person by person: some are easy for every model."),
        ]
    why = f"ln of the density with, less that without, is {right[0]:.3f} for the first person, not {given[0]:.3f}."
    expect(given, right, mistakes, why, partial(np.allclose, rtol=1e-4))
