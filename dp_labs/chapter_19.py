"""The labs of chapter 19, Answers that never stop."""

import math
from functools import partial
from unittest import mock

import numpy as np

from .judges import ROUNDS
from .judging import LinesLab, MendLab, NotYet, NumberLab, array, expect, fresh, function

lab_1 = NumberLab(
    right=math.sqrt(20),
    praise="Four boxes, each with the noise of five levels.",
    mistakes={
        4: "count the levels again: boxes of 1, 2, 4, 8 and 16 days.",
        20: "that is the variance.",
        math.sqrt(5): "that is one box, as on day 16. How many boxes has day 15?",
        math.sqrt(15): "15 is 8 + 4 + 2 + 1. How many boxes are that?",
        math.sqrt(75): "that adds 15 days. Add the fewest boxes instead.",
        5: "day 15 doesn't use all five levels: the box of 16 days isn't full yet.",
        math.sqrt(10): "check the variance of a box, h/(2ρ), at ρ = ½.",
        math.sqrt(40): "check the variance of a box, h/(2ρ), at ρ = ½.",
        2: "a day is in a box of each level, so each box needs more noise than a single count.",
        10: "five boxes' sensitivity is √5, not 5: squares add up.",
    },
    otherwise="√(b h/(2ρ)): b boxes for day 15, h levels in all.",
)

lab_4 = NumberLab(
    right=0.02 / 49,
    praise="Seven visits cost 49 times one visit, so the noise is seven times as large.",
    mistakes={
        0.02 / 7: "in zCDP a group of seven costs seven squared: noise is measured in lengths, and ρ in their squares.",
        0.98: "that is what seven visits cost if one costs 0.02. Here seven may cost 0.02.",
        0.14: "that is the wrong way round: one visit has to cost less than seven.",
        0.02: "then seven visits cost 49 times that.",
        0.02 / math.sqrt(7): "a group costs its size squared, not the root of it.",
        0.02 / 14: "k events cost k²ρ, not 2kρ.",
    },
    otherwise="k events cost k²ρ; k is 7, and together they may cost 0.02.",
)


def lab_2(answer) -> str:
    """Check the sums of the fewest boxes, on boxes whose noise tells which were used."""
    sums = function(answer)
    rng = np.random.default_rng(1902)
    for days in (8, 13, 1, 2, 100, 64):
        boxes = [100 * rng.normal(size=days >> level) for level in range(days.bit_length())]
        given, right = _daily(sums([box.copy() for box in boxes]), days), _fewest(boxes)
        late = "your counts are a day late: the first is that of day 1."
        single = "you add up single days: a count of t days then has t noises. Take the fewest boxes."
        day = int(np.argmax(~np.isclose(given, right, atol=0.01))) + 1
        why = (
            f"in a tree over {days} days, day {day} is made up of {_named(day)}, and your sum is another. "
            "Box j of level k, counted from 0, begins after j·2^k days."
        )
        expect(given, right, [(np.cumsum(boxes[0]), single), (np.append(given[0], right[:-1]), late)], why, _same)
    return "At most one box of each level, whatever the day."


def _lab_3(answer) -> str:
    """Check mended counts: what all of them cost together, by the law of their joint noise."""
    release, rng = function(answer), np.random.default_rng(1903)
    finished = "dp.continual_counts is a finished program; mend this one."
    with mock.patch("dp_helpers.continual_counts", side_effect=NotYet(finished)):
        fresh(lambda rng: _daily(release(np.arange(5), 0.5, rng), 5))
        for days, rho in [(32, 0.5), (5, 2.0)]:
            visits = rng.integers(0, 9, days)
            noise = partial(_noise, release, visits, rho, rng, exact=visits.cumsum())
            seen = noise(runs=4_000)
            if seen.std(axis=0).min() > 1e-9 and _costs(seen).max() > TOO_MUCH * rho:
                seen = np.concatenate([seen, noise(runs=12_000)])
            _judge_counts(seen, rho)
        days, rho = 1_000, 0.5
        visits = rng.integers(0, 9, days)
        late = _noise(release, visits, rho, rng, exact=visits.cumsum(), runs=20)[:, -200:]
        worst, off = _worst_of_tree(days, rho), float(np.sqrt(np.mean(late**2)))
        if off > 2.2 * worst:
            raise NotYet(f"after {days:,} days a count is off by {off:.3g}; with a tree it is {worst:.3g} at most.")
    return "Every box keeps its noise, and a visit pays once for each level."


lab_3 = MendLab(
    mended=_lab_3,
    lines=LinesLab(
        lines=13,
        hints={10: "a box is in many counts. How often is its noise drawn?"},
        harmless={
            3: "line 3 is right: each of the levels pays for its share of ρ.",
            9: "line 9 adds up the right days.",
            **dict.fromkeys([7, 8, 11], "lines 7, 8 and 11 choose the right boxes."),
            **dict.fromkeys([1, 2, 4, 5, 6, 12, 13], "that line only keeps the books."),
        },
        praise="that is the line: a box gets a new noise in every count. Now mend it.",
    ),
)


def _noise(publish, visits, *rest, exact, runs) -> np.ndarray:
    """Return the noise of all counts (columns) in many runs (rows)."""
    return np.array([_daily(publish(visits.copy(), *rest), visits.size) for _ in range(runs)]) - exact


def _deviations(noise, why) -> np.ndarray:
    """Return the deviation of each count (column), or refuse noise that isn't drawn, or not around 0."""
    sd = noise.std(axis=0)
    if sd.min() < 1e-9:
        raise NotYet(f"the count of day {sd.argmin() + 1} has the same noise in every run, or none: draw it from rng.")
    if (np.abs(noise.mean(axis=0)) > 7 * sd / math.sqrt(len(noise))).any():
        raise NotYet(f"your counts are not right on average: {why}")
    return sd


# Estimated from 16,000 runs a cost has a relative standard deviation of sqrt(2 / 16,000) = 1.1%.
TOO_MUCH = 1.1


def _costs(noise) -> np.ndarray:
    """Return what a visit on each day costs, from many runs (rows) of the noise of all counts (columns).

    It raises all counts from its day on.  Normal noise with covariance S then costs d' S^-1 d / 2.
    """
    runs, days = noise.shape
    shifts = np.tril(np.ones((days, days)))
    covariance = np.cov(noise.T) + 1e-9 * np.eye(days) * noise.std(axis=0).min() ** 2
    return 0.5 * np.einsum("ts,ts->s", shifts, np.linalg.solve(covariance, shifts)) * (runs - days - 2) / (runs - 1)


def _judge_counts(noise, rho) -> None:
    """Judge many runs (rows) of the noise of all counts (columns)."""
    runs, days = noise.shape
    sd = _deviations(noise, "check which boxes you add.")
    if abs(np.corrcoef(noise[1:, 0], noise[:-1, 0])[0, 1]) > 7 / math.sqrt(runs):
        raise NotYet(ROUNDS)
    costs = _costs(noise)
    if costs.max() > TOO_MUCH * rho:
        apart = np.abs(np.corrcoef(noise.T) - np.eye(days)).max() < 0.12  # sd 0.016
        factor = f"{costs.max() / rho:.3g} times ρ" if costs.max() < 1e6 * rho else "without limit"
        raise NotYet(
            f"over {days} days one visit costs {factor}. "
            + (
                "Your counts share no noise: a box gets a new one each time it is used."
                if apart
                else "Each box needs noise of its own, drawn once, of variance levels/(2ρ)."
            )
        )
    worst = _worst_of_tree(days, rho)
    if sd.max() > 2.2 * worst:
        raise NotYet(f"over {days} days a count is off by {sd.max():.3g}; with a tree it is {worst:.3g} at most.")
    if np.mean((noise[:, 0] / sd[0]) ** 4) > 4:  # 3 for normal noise (sd 0.08), 6 for Laplace noise
        raise NotYet("the noise is not normal: ρ-zCDP with these variances is a promise about normal noise.")


def _worst_of_tree(days, rho) -> float:
    """Return the deviation of the worst count of a tree."""
    return math.sqrt(days.bit_length() * max(day.bit_count() for day in range(1, days + 1)) / (2 * rho))


def _daily(counts, days) -> np.ndarray:
    return array(counts, (days,), "one count for each day")


def _same(given, right) -> bool:
    return np.allclose(given, right, rtol=1e-6, atol=0.01)


def _blocks(day):
    """Return the fewest (level, number) that make up days 1 to ``day``, the largest first."""
    return [(level, (day >> level) - 1) for level in reversed(range(day.bit_length())) if day >> level & 1]


def _fewest(boxes) -> np.ndarray:
    return np.array([sum(boxes[level][k] for level, k in _blocks(day)) for day in range(1, len(boxes[0]) + 1)])


def _named(day) -> str:
    spans = [(k * 2**level + 1, (k + 1) * 2**level) for level, k in _blocks(day)]
    return " and ".join(f"day {a}" if a == b else f"days {a} to {b}" for a, b in spans)


def lab_5(answer) -> str:
    """Check fading counts: their mean, what a visit costs, and the size of their noise."""
    fading, rng = function(answer), np.random.default_rng(1905)
    fresh(lambda rng: _daily(fading(np.arange(5), 0.5, 0.5, rng), 5))
    for days, rho, keep in [(16, 0.5, 0.8), (24, 2.0, 0.5), (1, 0.5, 0.9)]:
        visits = rng.integers(0, 9, days)
        powers = float(keep) ** np.arange(days)
        exact = np.convolve(visits, powers)[:days]
        case = f"over {days} days with keep = {keep:g}"
        noise = _noise(fading, visits, rho, keep, rng, exact=exact, runs=4_000)
        sd = _deviations(noise, "today's number, plus keep times yesterday's count.")
        steady = np.cumprod(np.append(1, 1 - 1 / (2 * np.arange(1, days))))
        f = steady * powers
        size = sd * math.sqrt(2 * rho / (f @ f))  # of each count's noise, in units of one number's
        slips = [
            (steady, "the list has to fade as well: f_k times keep to the k."),
            (powers, "that adds up noisy days that fade; the square root's list is f_k times keep to the k."),
        ]
        share = size[-1] / math.sqrt(f @ f)
        why = f"{case} the last count's noise is {share:.3g} times what it should be: the longest column is |f|."
        expect(size, f, slips, why, _fits)
        if days > 1:
            together = np.corrcoef(noise[:, -1], noise[:, -2])[0, 1]
            if abs(together - f[:-1] @ f[1:] / math.sqrt((f @ f) * (f[:-1] @ f[:-1]))) > 0.12:
                raise NotYet(
                    f"{case} today's noise and yesterday's should share as much as the convolution makes them."
                )
    return "One list and one convolution; what fades needs less noise than what never does."


def _fits(size, weights) -> bool:
    """Tell whether each count's noise is as large as that of all numbers so far with these weights."""
    return np.abs(size / np.sqrt(np.cumsum(weights**2)) - 1).max() < 0.09  # 8 standard errors
