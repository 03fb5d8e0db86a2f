"""The labs of chapter 21, Training today."""

import math

import numpy as np

from dp_helpers.audit import one_run_epsilon
from dp_helpers.learning import logistic_gradients
from dp_helpers.queries import clip_norm

from .judging import NotYet, NumberLab, function, margin, one_each

_CAP = math.exp(0.5) * 0.01 + 1e-6

lab_1 = NumberLab(
    right=_CAP,
    praise="e^0.5 is 1.65: at most 1.65 times as many members as strangers.",
    mistakes={
        100 * _CAP: "1.65 is the factor e^ε, or the answer in percent: give a number between 0 and 1.",
        0.01: "that is accusing blindly. The definition allows more: a factor of e^ε.",
        0.005: "ε multiplies no probability. Its exponential does.",
        0.015: "1 + ε is about e^ε for a small ε only; take e^ε.",
        (math.exp(0.5) - 1 + 2e-6) / (math.exp(0.5) + 1): (
            "that is the cap on the advantage of any attack; at 1% false alarms the definition says much more."
        ),
        0.01 + _CAP: "the false alarms are not added: the hits themselves are at most e^ε times as many.",
        math.exp(0.5) / (1 + math.exp(0.5)): "that is how often a guess may be right if half of all are members.",
        0.01 * math.exp(-0.5): "an attack finds members at least as often as it accuses strangers: multiply by e^ε.",
        math.exp(0.01): "the exponential is of ε, not of the false alarms.",
    },
    otherwise="e^ε times the share of false alarms, plus δ.",
)

_ENOUGH = next(v for v in range(101) if one_run_epsilon(right=v, guesses=100, confidence=0.95) > 1)

lab_4 = NumberLab(
    right=_ENOUGH,
    praise=f"{_ENOUGH} of 100; what ε = 1 gives on average is 73.",
    mistakes={
        _ENOUGH - 1: "that many prove a little less than ε = 1; one more is enough.",
        _ENOUGH + 1: "that many refute it, but so do fewer.",
        84: "that is at 99% confidence, the default; take 95%.",
        73: "that is what ε = 1 gives on average, and so no surprise.",
        74: "that is what ε = 1 gives on average, and so no surprise.",
        _ENOUGH - 0.5: "guesses are counted: give a whole number.",
        _ENOUGH + 0.5: "guesses are counted: give a whole number.",
        _ENOUGH / 100: "that is a share; give the number of right guesses.",
        95: "95% is the confidence, not the share of right guesses.",
        100: "all of them refute it, but so do fewer.",
    },
    otherwise="the smallest number of right guesses at which dp.one_run_epsilon is above 1.",
)


def lab_2(answer) -> str:
    """Check a round of training that protects a person with all rows: clipping, coins, noise."""
    release, rng = function(answer), np.random.default_rng(2102)

    def draws(gradients, owner, people, q, clip, sigma, runs):
        found = [release(gradients.copy(), owner.copy(), people, q, clip, sigma, rng) for _ in range(runs)]
        if any(one is None for one in found):
            raise NotYet("your function returned nothing: it needs a return.")
        try:
            found = np.array(found, dtype=float)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (runs, gradients.shape[1]):
            raise NotYet(f"return one vector of {gradients.shape[1]} numbers, the noisy sum.")
        if not np.isfinite(found).all():
            raise NotYet("the result isn't a number: mind people without rows, whose sum has length 0.")
        return found

    _judge_sums(draws)
    _judge_noise(draws)
    _judge_coins(draws)
    return "One arrow a person, one coin a person, and noise for one arrow."


_ROWS = np.array([[3.0, 4.0], [0.0, 1.0], [6.0, 8.0], [0.3, 0.4], [3.0, -4.0], [0.0, 6.0], [0.1, 0.0]])
_OWNER = np.array([2, 0, 2, 4, 3, 3, 0])  # nobody owns person 1's rows


def _judge_sums(draws) -> None:
    """Check the sum of clipped sums, with everybody in and next to no noise."""
    clip = 2.0

    def clipped(vectors):
        return vectors / np.maximum(1, np.linalg.norm(vectors, axis=1, keepdims=True) / clip)

    sums, counts = np.zeros((5, 2)), np.bincount(_OWNER, minlength=5)[:, None]
    np.add.at(sums, _OWNER, _ROWS)
    means = sums / np.maximum(counts, 1)
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)
    total = sums.sum(axis=0)
    by_row = np.zeros((5, 2))
    np.add.at(by_row, _OWNER, clipped(_ROWS))
    mistakes = {
        "you don't clip: one person may move the sum by any amount.": total,
        "you clip each row; a person with many rows still moves the sum as many times as far.": by_row.sum(axis=0),
        "you clip the sum of all; clip each person's sum before adding up.": clipped(total[None])[0],
        "you clip each person's average; the sum over the person's rows is wanted.": clipped(means).sum(axis=0),
        "you clip coordinate by coordinate; the length of each person's sum has to be at most clip.": (
            np.clip(sums, -clip, clip).sum(axis=0)
        ),
        "you stretch short sums to the length clip; clipping only shortens.": (sums / lengths * clip).sum(axis=0),
        "that is an average; return the sum over people.": clipped(sums).sum(axis=0) / 5,
    }
    found = draws(_ROWS, _OWNER, 5, 1.0, clip, 1e-9, 1)[0]
    if np.allclose(found, clipped(sums).sum(axis=0), atol=1e-6):
        return
    for sentence, wrong in mistakes.items():
        if np.allclose(found, wrong, atol=1e-6):
            raise NotYet(sentence)
    raise NotYet(
        "with everybody taken and next to no noise the sum isn't right: add up each person's rows, clip each of "
        "these sums, and add up over people."
    )


def _judge_noise(draws) -> None:
    """Check the noise: of deviation sigma clip in each coordinate, once, whoever is taken."""
    nothing = np.zeros((3, 2))
    for q, clip, sigma in [(1.0, 3.0, 2.0), (0.01, 0.5, 1.0)]:
        noise = draws(nothing, np.array([0, 1, 1]), 4, q, clip, sigma, 3_000) / (sigma * clip)
        spread = float(noise.std())
        if spread < 1e-3:
            raise NotYet("there is no noise, or hardly any: a round in which nobody is taken needs it, too.")
        # A deviation estimated from 6,000 normal numbers is off by 0.9%.
        if abs(spread * sigma * clip - sigma) < 0.08 * sigma and abs(spread - 1) > 0.1:
            raise NotYet(
                "the noise has deviation sigma; it is sigma times clip, since one person moves the sum by clip."
            )
        if abs(spread - 1) > 0.08:
            raise NotYet(f"the noise has {spread:.2g} times the deviation sigma · clip in each coordinate.")
        if abs(np.corrcoef(noise.T)[0, 1]) > 0.12:  # sd 0.018
            raise NotYet("each coordinate needs noise of its own.")
        if not 2.4 < (noise**4).mean() / (noise**2).mean() ** 2 < 3.7:  # 3 for normal noise (sd 0.07)
            raise NotYet("the noise is not normal.")


def _judge_coins(draws) -> None:
    """Check that a person is in or out with all rows, by a coin of its own."""
    people, runs, q = 12, 2_000, 0.3
    rows = np.repeat(np.eye(people), 3, axis=0)  # each has three rows, in a direction of its own
    taken = draws(rows, np.repeat(np.arange(people), 3), people, q, 6.0, 1e-6, runs)
    steps = np.unique(np.round(taken, 3))
    if not np.isin(steps, [0.0, 3.0]).all():
        if np.isin(steps, [0.0, 1.0, 2.0, 3.0]).all():
            raise NotYet("you toss a coin for each row; a person is in or out with all rows.")
        raise NotYet(
            "who is taken should enter with the whole clipped sum: don't divide by q, nor by a number of people."
        )
    counts = (taken > 1).sum(axis=1)
    if counts.std() < 1e-9:
        raise NotYet("you always take the same number of people; a coin for each person makes it vary.")
    # A share of 24,000 coins is off by less than this but with probability 1e-9.
    if abs(counts.mean() / people - q) > margin(people * runs):
        raise NotYet(f"people are taken with probability {counts.mean() / people:.2f} where q is {q}.")
    if not 0.7 < counts.var() / (people * q * (1 - q)) < 1.4:  # sd 3% for coins
        raise NotYet("people are not taken independently: toss a coin for each.")


def lab_3(answer) -> str:
    """Check the scores of the likelihood-ratio attack."""
    attack, rng = function(answer), np.random.default_rng(2103)
    for models, people in [(40, 6), (15, 3)]:
        member = rng.random((models, people)) < 0.5
        member[:4] = np.array([True, True, False, False])[:, None]
        deviations = np.where(member, 0.5, 2.0) * rng.uniform(0.8, 1.2, people)
        margins = rng.normal(np.arange(people) + 1.5 * member, deviations)
        target = rng.normal(np.arange(people) + 1.0, 1.5)
        given = one_each(attack(margins.copy(), member.copy(), target.copy()), people, "score", "person")
        if any(np.allclose(given, _log_ratio(margins, member, target, ddof), rtol=1e-4) for ddof in (0, 1)):
            continue
        _name_mistake(given, margins, member, target)
    return "Two bells for each person, and the ratio of their heights at what you saw."


def _fitted(margins, member, ddof=0):
    """Return means and deviations with and without, each of shape (2, people)."""
    columns = [[margins[inside[:, i], i] for i in range(margins.shape[1])] for inside in (member, ~member)]
    means = np.array([[column.mean() for column in side] for side in columns])
    return means, np.array([[column.std(ddof=ddof) for column in side] for side in columns])


def _log_ratio(margins, member, target, ddof=0) -> np.ndarray:
    means, deviations = _fitted(margins, member, ddof)
    logs = -np.log(deviations) - (target - means) ** 2 / (2 * deviations**2)
    return logs[0] - logs[1]


def _name_mistake(given, margins, member, target) -> None:
    right = _log_ratio(margins, member, target)
    means, deviations = _fitted(margins, member)
    squares = -((target - means) ** 2) / (2 * deviations**2)
    with np.errstate(over="ignore"):
        mistakes = {
            "the sign is the other way round: likely members get a large score.": -right,
            "that is the ratio itself; return its logarithm.": np.exp(right),
            "the deviations differ, so ln s doesn't drop out.": squares[0] - squares[1],
            "that is the density with the person alone; how likely is the margin without?": squares[0]
            - np.log(deviations[0]),
            "that is the attack by the loss: the shadow models aren't used.": target,
            "the logarithm is the natural one.": right / math.log(10),
            "an exponent is (x - m)² / (2 s²): the 2 or the square of s is missing.": 2 * (squares[0] - squares[1])
            - np.log(deviations[0])
            + np.log(deviations[1]),
        }
    pooled = np.zeros_like(target)
    for side, sign in ((member, 1), (~member, -1)):
        mean, spread = margins[side].mean(), margins[side].std()
        pooled = pooled + sign * (-np.log(spread) - (target - mean) ** 2 / (2 * spread**2))
    mistakes["fit the bells person by person: some are easy for every model."] = pooled
    for sentence, wrong in mistakes.items():
        if np.allclose(given, wrong, rtol=1e-4):
            raise NotYet(sentence)
    raise NotYet(
        "for each person, ln of the density of the target under the bell with, minus that under the bell without; "
        f"for the first of {len(given)} people it is {right[0]:.3f}, and you return {given[0]:.3f}."
    )


def lab_5(answer) -> str:
    """Check a private head on columns that public rows chose: the choice, the clipping, the noise of each step."""
    train, rng, data = function(answer), np.random.default_rng(2105), np.random.default_rng(21050)
    for k, plan in [(2, {"clip": 0.9, "rate": 2.0, "steps": 3}), (3, {"clip": 50.0, "rate": 0.5, "steps": 1})]:
        public, rows = data.normal(size=(40, 5)) * [1, 5, 2, 8, 3], data.normal(size=(9, 5)) * [30, 3, 6, 4, 20]
        labels = data.choice([-1.0, 1.0], 9)
        given = _head(train, public, rows, labels, k, plan | {"sigma": 1e-12}, rng)
        _judge_weights(given, public, rows, labels, plan)
    _judge_noise_of_steps(train, rng)
    return "The public rows chose the columns for nothing, and the noise falls on few weights."


def _head(train, public, rows, labels, k, plan, rng) -> np.ndarray:
    """Return the k + 1 weights of the reader's training."""
    given = train(public.copy(), rows.copy(), labels.copy(), k, dict(plan), rng)
    if given is None:
        raise NotYet("your function returned nothing: it needs a return.")
    try:
        given = np.array(given, dtype=float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape == (k,):
        raise NotYet("k columns and the column of ones make k + 1 weights; one is missing.")
    if given.shape in [(public.shape[1],), (public.shape[1] + 1,)]:
        raise NotYet("you train a weight for every column of the table; the encoder keeps k of them.")
    if given.shape != (k + 1,):
        raise NotYet(f"return the {k + 1} weights of the head, one list of numbers.")
    if not np.isfinite(given).all():
        raise NotYet("some of your weights are not finite numbers.")
    return given


def _judge_weights(given, public, rows, labels, plan) -> None:
    """Compare weights with next to no noise with the right ones, and with those of the usual mistakes."""
    k, clip = len(given) - 1, plan["clip"]

    def trained(deviations=None, clipped=lambda each: clip_norm(each, clip).sum(axis=0), shared=None, rate=1.0):
        widest = np.argsort(public.std(axis=0) if deviations is None else deviations)[-k:]
        encoded = np.column_stack([np.ones(len(rows)), rows[:, np.sort(widest)]])
        theta = np.zeros(k + 1)
        for _ in range(plan["steps"]):
            total = clipped(logistic_gradients(theta, encoded, labels))
            theta = theta - rate * plan["rate"] * total / (shared or len(rows))
        return theta

    right = trained()
    if np.allclose(given, right, atol=1e-6):
        return
    mistakes = {
        "your encoder looked at the private rows: what was chosen by them costs privacy, too.": [
            trained(rows.std(axis=0)),
            trained(np.vstack([public, rows]).std(axis=0)),
        ],
        "you keep the columns that vary least; those that vary most say more.": [trained(-public.std(axis=0))],
        "you don't clip: one person may move the weights by any amount.": [trained(clipped=lambda e: e.sum(axis=0))],
        "you clip once for all people; clip each person's gradient, before adding up.": [
            trained(clipped=lambda each: clip_norm(each.sum(axis=0)[None], clip)[0]),
            trained(clipped=lambda each: len(each) * clip_norm(each.mean(axis=0)[None], clip)[0]),
        ],
        "you clip number by number; the length of each person's gradient has to be at most clip.": [
            trained(clipped=lambda each: np.clip(each, -clip, clip).sum(axis=0))
        ],
        "you forgot to divide by the number of private rows.": [trained(shared=1)],
        "you divide by the number of public rows; the sum is over the private ones.": [trained(shared=len(public))],
        "you climb: a step goes against the gradient.": [trained(rate=-1.0)],
    }
    for sentence, wrong in mistakes.items():
        if any(np.allclose(given, weights, atol=1e-6) for weights in wrong):
            raise NotYet(sentence)
    if np.allclose(np.sort(given), np.sort(right), atol=1e-6):
        raise NotYet("the right weights in another order: first that of the ones, then the columns as in the table.")
    raise NotYet(
        f"with next to no noise, {plan['steps']} steps and k = {k} the weights should be {np.round(right, 3)}, "
        f"and yours are {np.round(given, 3)}."
    )


def _judge_noise_of_steps(train, rng) -> None:
    """Check the noise: of deviation sigma clip in each weight, drawn anew in each step."""
    public, rows = np.tile([[1.0, 0, 9, 8], [-1.0, 0, -9, -8]], (3, 1)), np.zeros((12, 4))
    rows[:, :2] = 1.0  # zeros in the two columns that the encoder keeps: their weights are noise alone
    labels, plan = np.tile([-1.0, 1.0], 6), {"clip": 0.3, "sigma": 2.0, "rate": 3.0}

    def noise(steps, runs):
        """Return weights, in units of the noise that one step needs."""
        weights = [_head(train, public, rows, labels, 2, plan | {"steps": steps}, rng) for _ in range(runs)]
        return np.array(weights) * len(rows) / (plan["rate"] * plan["sigma"] * plan["clip"])

    once = noise(1, 2_000)
    spread = float(once.std())  # of 6,000 normal numbers: off by 0.9%
    if spread < 1e-3:
        raise NotYet("there is no noise, or hardly any.")
    for wrong, sentence in {
        1 / plan["clip"]: "the noise has deviation sigma; it is sigma times clip, as far as one person moves the sum.",
        len(rows): "you add the noise after dividing; it belongs to the sum.",
        len(rows) / plan["rate"]: "you add the noise to the weights; it belongs to the sum, before the step.",
    }.items():
        if abs(spread / wrong - 1) < 0.08:
            raise NotYet(sentence)
    if abs(spread - 1) > 0.08:
        raise NotYet(f"after one step the weights have {spread:.2g} times the noise that they need.")
    if (abs(once.std(axis=0) - 1) > 0.15).any():  # sd 1.6%
        raise NotYet("each of the k + 1 weights needs noise of the same deviation, that of the ones, too.")
    if (abs(once.mean(axis=0)) > 0.2).any():  # sd 0.022
        raise NotYet("the noise is not 0 on average.")
    if (abs(np.corrcoef(once.T)[np.triu_indices(3, 1)]) > 0.15).any():  # sd 0.022
        raise NotYet("each weight needs noise of its own.")
    if not 2.4 < (once**4).mean() / (once**2).mean() ** 2 < 3.7:  # 3 for normal noise (sd 0.07)
        raise NotYet("the noise is not normal.")
    grown = float(noise(4, 1_000)[:, 1:].std())  # 2 for four independent noises (sd 0.03)
    if abs(grown - 2) > 0.3:
        raise NotYet(
            "you add the same noise in each step; every sum needs noise of its own, or they tell more together."
            if abs(grown - 4) < 0.4
            else "each step uses a sum over the private people, and each sum needs noise of its own."
        )
