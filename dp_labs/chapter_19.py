"""The labs of chapter 19, Answers that never stop."""

import math

import numpy as np

from .answers import NotYet, array, barred, expect, function
from .noise import Case, Size, fresh, independent
from .tables import LinesLab, MendLab, NumberLab

LABS = (
    "worst-of-sixteen-days",
    "from-boxes-to-counts",
    "tree-that-forgets",
    "promise-for-patients",
    "old-visits-fade",
)

worst_of_sixteen_days = NumberLab(
    right=math.sqrt(20),
    praise="Four boxes, each with the noise of five levels.",
    mistakes={
        4: "count the levels again: boxes of 1, 2, 4, 8 and 16 days.",
        20: "that is the variance.",
        math.sqrt(5): "that is one box, as on day 16. How many boxes has day 15?",
        math.sqrt(15): "15 is 8 + 4 + 2 + 1. How many boxes are that?",
        math.sqrt(75): "that adds 15 days. Add the fewest boxes instead.",
        5: "day 15 doesn't use all five levels: the box of 16 days isn't full yet.",
        **dict.fromkeys([math.sqrt(10), math.sqrt(40)], "check the variance of a box, h/(2ρ), at ρ = ½."),
        2: "a day is in a box of each level, so each box needs more noise than a single count.",
        10: "five boxes' sensitivity is √5, not 5: squares add up.",
    },
    otherwise="√(b h/(2ρ)): b boxes for day 15, h levels in all.",
)

promise_for_patients = NumberLab(
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


def from_boxes_to_counts(answer) -> str:
    """Check the sums of the fewest boxes, on boxes whose noise tells which were used."""
    sums, rng = function(answer), np.random.default_rng(1902)
    for days in (8, 13, 1, 2, 100, 64):
        boxes = [100 * rng.normal(size=days >> level) for level in range(days.bit_length())]
        given = _daily(sums([box.copy() for box in boxes]), days)
        right = np.array([sum(boxes[level][k] for level, k in _blocks(day)) for day in range(1, days + 1)])
        late = "your counts are a day late: the first is that of day 1."
        single = "you add up single days: a count of t days then has t noises. Take the fewest boxes."
        day = int(np.argmax(~np.isclose(given, right, atol=0.01))) + 1
        why = f"day {day} of {days} is made up of {_named(day)}; box j of level k, from 0, begins after j·2^k days."
        expect(given, right, [(np.cumsum(boxes[0]), single), (np.append(given[0], right[:-1]), late)], why, _same)
    return "At most one box of each level, whatever the day."


@barred("continual_counts", why="dp.continual_counts is a finished program; mend this one.")
def _check_tree_that_forgets(answer) -> str:
    """Check mended counts: what all of them cost together, by the law of their joint noise."""
    release, rng = function(answer), np.random.default_rng(1903)
    for days, rho in [(16, 0.5), (5, 2.0), (1, 2.0)]:
        visits = rng.integers(0, 9, days)
        counts = _published(release, visits, rho)
        seen = _noise(counts, visits.cumsum(), rng, runs=3_500)
        if seen.std(axis=0).min() > 1e-9 and TOO_MUCH < _costs(seen).max() / rho < 2:  # too near to tell
            seen = np.concatenate([seen, _noise(counts, visits.cumsum(), rng, runs=12_000)])
        _judge_counts(seen, rho, days)
        # Taken apart they are independent: those of the boxes, or of what else made them; some may be rounded.
        _judge_parts(counts, _apart(seen), 0.9)
    days, rho = 1_000, 0.5
    late = _noise(_published(release, np.zeros(days, int), rho), 0, rng, runs=40)
    # In a tree these counts are single boxes with day 1 in them, so that they tell all that its visit costs.
    _judge_counts(late[:, [2**level - 1 for level in range(10)]], rho, days, too_much=7)
    _judge_size(float(np.sqrt(np.mean(late[:, -200:] ** 2))), days, rho)
    return "Every box keeps its noise, and a visit pays once for each level."


tree_that_forgets = MendLab(
    mended=_check_tree_that_forgets,
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


def _published(publish, visits, *parameters):
    """Return a function of a generator alone that publishes the counts of these visits."""
    return lambda rng: _daily(publish(visits.copy(), *parameters, rng), visits.size)


def _noise(counts, exact, rng, runs) -> np.ndarray:
    """Return the noise of all counts (columns) in many runs (rows)."""
    return np.array([counts(rng) for _ in range(runs)]) - exact


def _judge_parts(counts, parts, scale, where="", reasons=None) -> None:
    """Refuse noises (columns) that aren't independent and normal, in each of many runs (rows) and from run to run."""
    fresh(counts)
    size = Size(reasons=reasons or {}, at_most=1.15, normal=True)
    independent([(Case(counts, 0, scale, where), parts[:1_500] / scale)], size, np.random.default_rng(1904))


def _deviations(noise, why) -> np.ndarray:
    """Return the deviation of each count (column), or refuse noise that isn't drawn, or not around 0."""
    sd = noise.std(axis=0)
    if sd.min() < 1e-9:
        raise NotYet(f"the count of day {sd.argmin() + 1} has the same noise in every run, or none: draw it from rng.")
    if (np.abs(noise.mean(axis=0)) > 7 * sd / math.sqrt(len(noise))).any():
        raise NotYet(f"your counts are not right on average: {why}")
    return sd


# Estimated from 16,000 runs a cost has a relative standard deviation of sqrt(2 / 16,000) = 1.1%; from 60, of 18%.
TOO_MUCH = 1.1


def _apart(noise) -> np.ndarray:
    """Return the noise of all counts (columns) without what the counts before tell of it, at deviation 1."""
    if unit := next((u for u in (1, 0.1) if np.allclose(noise, np.round(noise / u) * u, atol=1e-9)), 0):
        noise = noise + unit * np.random.default_rng(1906).uniform(-0.5, 0.5, noise.shape)  # rounded in the end
    return np.linalg.solve(_shared(noise), (noise - noise.mean(axis=0)).T).T


def _shared(noise) -> np.ndarray:
    """Return the lower triangle that makes the noise of all counts of independent noises of deviation 1."""
    return np.linalg.cholesky(np.cov(noise.T) + 1e-9 * np.eye(noise.shape[1]) * noise.std(axis=0).min() ** 2)


def _costs(noise) -> np.ndarray:
    """Return what a visit on each day costs, from many runs (rows) of the noise of all counts (columns).

    It raises all counts from its day on.  Taken apart, it moves normal noises of deviation 1, which costs half of the
    squared length of the move.
    """
    runs, days = noise.shape
    moves = np.linalg.solve(_shared(noise), np.tril(np.ones((days, days))))
    return 0.5 * np.square(moves).sum(axis=0) * (runs - days - 2) / (runs - 1)


def _judge_counts(noise, rho, days, too_much=TOO_MUCH) -> None:
    """Judge many runs (rows) of the noise of counts (columns): their mean, what they cost, and their size."""
    sd = _deviations(noise, "check which boxes you add.")
    cost = _costs(noise).max() / rho
    if cost > too_much:
        apart = np.abs(np.corrcoef(noise.T) - np.eye(len(sd))).max() < 0.12  # sd 0.016
        why = "Each box needs noise of its own, drawn once, of variance levels/(2ρ)."
        if apart:
            why = "Your counts share no noise: a box gets a new one each time it is used."
        factor = f"{cost:.3g} times ρ" if cost < 1e6 else "without limit"
        raise NotYet(f"over {days:,} days one visit costs {factor}. {why}")
    _judge_size(sd.max(), days, rho)


def _judge_size(off, days, rho) -> None:
    """Refuse noise much larger than that of the worst count of a tree."""
    worst = math.sqrt(days.bit_length() * max(day.bit_count() for day in range(1, days + 1)) / (2 * rho))
    if off > 2.2 * worst:
        raise NotYet(f"of a list of {days:,} a count is off by {off:.3g}; with a tree it is {worst:.3g} at most.")


def _daily(counts, days) -> np.ndarray:
    return array(counts, (days,), "one count for each day")


def _same(given, right) -> bool:
    return np.allclose(given, right, rtol=1e-6, atol=0.01)


def _blocks(day):
    """Return the fewest (level, number) that make up days 1 to ``day``, the largest first."""
    return [(level, (day >> level) - 1) for level in reversed(range(day.bit_length())) if day >> level & 1]


def _named(day) -> str:
    spans = [(k * 2**level + 1, (k + 1) * 2**level) for level, k in _blocks(day)]
    return " and ".join(f"day {a}" if a == b else f"days {a} to {b}" for a, b in spans)


def old_visits_fade(answer) -> str:
    """Check fading counts: their mean, and the noises that make theirs by the convolution."""
    fading, rng = function(answer), np.random.default_rng(1905)
    for days, rho, keep in [(16, 0.5, 0.95), (24, 2.0, 0.5), (1, 0.5, 0.9)]:
        visits = rng.integers(0, 2, days)  # so few that some noisy counts are negative
        steady, powers = _weights(days, keep)
        counts = _published(fading, visits, rho, keep)
        noise = _noise(counts, np.convolve(visits, powers)[:days], rng, runs=2_000)
        case = f"over {days} days with keep = {keep:g}"
        _deviations(noise, "today's number, plus keep times yesterday's count.")
        parts = _before(noise, steady * powers)
        if _hang_together(parts):
            slips = [
                (steady, "the list has to fade as well: f_k times keep to the k."),
                (powers, "that adds up noisy days that fade; the square root's list is f_k times keep to the k."),
            ]
            why = f"{case} today's noise and yesterday's should share as much as the convolution makes them."
            raise NotYet(next((slip for weights, slip in slips if not _hang_together(_before(noise, weights))), why))
        length = np.linalg.norm(steady * powers)
        reasons = {1 / length: "The longest column of the square root has the length |f|."}
        _judge_parts(counts, parts, length / math.sqrt(2 * rho), f"{case}, before the convolution,", reasons)
    steady, powers = _weights(300, 0.9)
    quiet = _before(_noise(_published(fading, np.zeros(300, int), 0.5, 0.9), 0, rng, runs=5), steady * powers)
    if quiet.std() < 0.85 * np.linalg.norm(steady * powers):
        raise NotYet("over 300 days without a visit your noise is too small: only rho, keep and the days may set it.")
    return "One list and one convolution; what fades needs less noise than what never does."


def _weights(days, keep) -> tuple:
    """Return the square root's list without fading, and how much is left of each day's."""
    return np.cumprod(np.append(1, 1 - 1 / (2 * np.arange(1, days)))), keep ** np.arange(days)


def _before(noise, weights) -> np.ndarray:
    """Return the noises that a convolution with the weights turns into those of the counts (columns)."""
    days = len(weights)
    convolved = np.array([np.convolve(impulse, weights)[:days] for impulse in np.eye(days)])
    return np.linalg.solve(convolved.T, noise.T).T


def _hang_together(parts) -> bool:
    """Tell whether neighbouring noises (columns) have much in common (by chance in 3e-12)."""
    products = parts[:, 1:] * parts[:, :-1]
    return products.size > 0 and abs(products.mean()) > 7 * products.std() / math.sqrt(products.size)
