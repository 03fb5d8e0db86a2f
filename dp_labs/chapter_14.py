"""The labs of chapter 14, Local DP (ii): many answers."""

import math

import numpy as np

from .judges import may_be
from .judging import LinesLab, MendLab, NotYet, NumberLab, about, array, expect, finite, function, leaves_alone, pair
from .local_reports import by_hand, judge_fresh_coins

_ONE, _ZERO = math.log(0.8 / 0.3), math.log(0.7 / 0.2)  # what a bit tells that is sent as 1, or as 0

lab_1 = NumberLab(
    right=math.log(28 / 3),
    praise="One bit falls and another rises: ε = ln(0.8 · 0.7 / (0.2 · 0.3)).",
    mistakes={
        _ONE: "that is the ratio of one bit, sent as 1. Two answers differ in two bits.",
        _ZERO: "that is the ratio of one bit, sent as 0. Two answers differ in two bits.",
        28 / 3: "the ratio is right. ε is its natural logarithm.",
        math.log10(28 / 3): "the ratio is right. ε is its natural logarithm.",
        math.log2(28 / 3): "the ratio is right. ε is its natural logarithm.",
        20 * _ONE: "eighteen of the bits have the same chances under both answers and give nothing away.",
        20 * _ZERO: "eighteen of the bits have the same chances under both answers and give nothing away.",
        2 * _ONE: "the two bits have different ratios: one is sent as 1, the other as 0.",
        2 * _ZERO: "the two bits have different ratios: one is sent as 1, the other as 0.",
        math.log(0.8 / 0.2): "compare two truths for one bit, not the two values of a bit under one truth.",
        -math.log(28 / 3): "the ratio is upside down: ε is never negative.",
    },
    otherwise="multiply the ratio of your own bit, sent as 1, by that of the other's, sent as 0.",
)


def lab_2(answer) -> str:
    """Check symmetric unary encoding, written by the reader."""
    _judge_protocol(
        answer, _sue_chances, {_oue_chances: "those are the chances of OUE; SUE treats ones and zeros alike."}
    )
    return "Each bit flips by a coin of its own, and the sums are unbiased."


def lab_3(answer) -> str:
    """Check optimised unary encoding, written by the reader."""
    _judge_protocol(answer, _oue_chances, {_sue_chances: "those are the chances of SUE; OUE sends a 1 by a fair coin."})
    return "A fair coin for the one, and rare ones for the zeros: the least noise that rows of bits can have."


def _lab_4(answer) -> str:
    """Check the chances of a thresholded histogram."""
    chances = function(answer)
    with by_hand("chances"):
        for epsilon in (5.0, 1.0, 0.5):
            for theta in (0.5, 0.75, 1.0, 0.0, 0.25, 1.5, 2.0):
                p, q = map(finite, pair(chances(epsilon, theta), "the chances p and q"))
                _judge_chances(p, q, epsilon, theta)
    return "Both are tails of the same Laplace noise, above θ - 1 and above θ."


lab_4 = MendLab(
    mended=_lab_4,
    lines=LinesLab(
        lines=4,
        hints={2: "try θ = 0.5: one of the two is no probability."},
        harmless={
            3: "line 3 is right: noise above θ, for every θ from 0 on.",
            **dict.fromkeys([1, 4], "lines 1 and 4 compute nothing."),
        },
        praise="that is the line: its sign is wrong, which doesn't show at θ = 1. Now mend it.",
    ),
)


def lab_5(answer) -> str:
    """Check the average of an empty answer's estimate that is cut at 0."""
    lift = function(answer)
    for n, epsilon in [(100_000, 1.0), (1_000_000, 0.5), (400_000, 3.0)]:
        given = finite(lift(n, epsilon))
        sd = 2 * math.sqrt(n * math.exp(epsilon)) / math.expm1(epsilon)
        right = sd / math.sqrt(2 * math.pi)
        root = "the variance is n times that of one person; mind where the root goes."
        mistakes = [
            (sd, "that is the standard deviation of the estimate. What is the mean after cutting?"),
            (sd / 2, "half of the estimates become 0, but the others are not all one standard deviation high."),
            (2 * right, "that is the average of the positive estimates only. The others are 0 now, and count."),
            (0, "the average was 0 before cutting. Now the negative estimates are gone."),
            (right / n, "give people, not a share."),
            (right / math.sqrt(n), root),
            (right * math.sqrt(n), root),
        ]
        size = "larger" if given > right else "smaller"
        why = f"for n = {n:,} and ε = {epsilon:g} the average is {right:.1f}; yours is {size}, {given:.1f}."
        expect(given, right, mistakes, why)
    return "Every empty answer is lifted by 0.4 standard deviations."


def lab_6(answer) -> str:
    """Check the error of a rare answer when the people are divided among the questions."""
    error = function(answer)
    for n, d, epsilon, k in [(50_000, 8, 1.0, 4), (50_000, 100, 1.0, 4), (10_000, 20, 4.0, 5), (200_000, 2, 0.5, 3)]:
        given = finite(error(n, d, epsilon, k))

        def deviation(people, epsilon, better=min, d=d):
            return math.sqrt(people * better(_direct(d, epsilon), _oue(epsilon)))

        right = deviation(n * k, epsilon)
        everybody = "that is the error if everybody answers with all of ε. Only a group does, scaled up to all n."
        mistakes = [
            (deviation(n * k, epsilon, max), "the other protocol is better."),
            (deviation(n / k, epsilon), "that is the error among one group. Scale the count up to all n."),
            (deviation(n, epsilon), everybody),
            (deviation(n, epsilon / k), "that splits the budget, and asks everybody everything. Split the people."),
            (deviation(n * k, epsilon / k), "each person answers one question only, and spends all of ε on it."),
            (right**2, "that is the variance; asked is its root, in people."),
            (right / n, "give people, not a share."),
        ]
        case = f"for n = {n:,}, d = {d}, ε = {epsilon:g} and {k} questions"
        if abs(given - right) > 0.5:  # which the next whole number isn't
            why = f"the standard deviation is {right:.1f}; yours is {given:.1f}."
            expect(given, right, mistakes, why, where=case)
    return (
        "The variance grows with the number of questions; with a split budget it would grow with its square or faster."
    )


def _sue_chances(epsilon):
    flip = 1 / (1 + math.exp(epsilon / 2))
    return 1 - flip, flip


def _oue_chances(epsilon):
    return 0.5, 1 / (1 + math.exp(epsilon))


def _judge_protocol(answer, chances, others) -> None:
    """Check a pair (perturb, aggregate) for rows of bits whose chances are those of ``chances(epsilon)``."""
    perturb, aggregate = map(function, pair(answer, "(perturb, aggregate)"))

    def doubled(epsilon):
        return chances(2 * epsilon)

    others = {**others, doubled: "a row has 2ε: two of its bits change with the answer, and both count."}
    with by_hand("the protocol"):
        few = np.eye(5, dtype=int)[[0, 1, 2, 3, 0] * 2]
        judge_fresh_coins(lambda rng: _bits(perturb(few.copy(), 2.0, rng), few.shape), few.ravel(), "bit")
        for epsilon, rows, times in [(1.0, 12_000, 1), (4.0, 12_000, 1), (2.0, 1, 2_000)]:
            _judge_bits(perturb, epsilon, rows, times, chances, others)
        for epsilon in (1.0, 4.0):
            _judge_sums(aggregate, epsilon, chances, others)
        leaves_alone(lambda bits: perturb(bits, 1.0, np.random.default_rng(0)), few)


def _bits(reports, shape) -> np.ndarray:
    """Return the reader's noisy bits as integers, or say what is wrong with their form."""
    given = array(reports, shape, "a noisy bit for each bit")
    if not np.isin(given, [0, 1]).all():
        raise NotYet("what is sent must be 0 or 1 in each place.")
    return given.astype(int)


def _judge_bits(perturb, epsilon, rows, times, chances, others) -> None:
    d, rng = 5, np.random.default_rng(1404)
    some = np.eye(d, dtype=int)[np.arange(rows) % d]
    sent = np.concatenate([_bits(np.atleast_2d(perturb(some.copy(), epsilon, rng)), some.shape) for _ in range(times)])
    bits = np.tile(some, (times, 1))
    shares = sent[bits == 1].mean(), sent[bits == 0].mean()
    for law, sentence in others.items():
        far, apart = (np.abs(np.subtract(found, law(epsilon))).max() for found in (shares, chances(epsilon)))
        if far < 0.015 < apart:
            raise NotYet(f"at ε = {epsilon:g} {sentence}")
    for value, chance in zip((1, 0), chances(epsilon), strict=True):
        if not may_be(sent[bits == value], chance):
            said = f"at ε = {epsilon:g} a {value} is sent as 1 with probability {chance:.3f}"
            raise NotYet(f"{said}; of yours, {sent[bits == value].mean():.3f} are.")


def _judge_sums(aggregate, epsilon, chances, others) -> None:
    n, sums = 4_000, np.array([2_100, 900, 120])
    reports = (np.arange(n)[:, None] < sums).astype(int)

    def estimate(p, q):
        return (sums - n * q) / (p - q)

    found = array(aggregate(reports.copy(), epsilon), (len(sums),), "a count for each answer")
    p, q = chances(epsilon)
    right = estimate(p, q)
    mistakes = [
        (sums, "those are the ones that were sent. Take the coins out."),
        (sums - n * q, "what is left after n q is only (p - q) for each person: divide by it."),
        (right / n, "give counts of people, not shares."),
        (np.maximum(right, 0), "leave negative counts as they are: cutting them biases the estimate."),
        *((estimate(*law(epsilon)), f"aggregate has other chances than perturb: {why}") for law, why in others.items()),
    ]
    why = f"{sums[0]:,} ones among {n:,} rows make an estimate of {right[0]:,.0f}; yours is {found[0]:,.0f}."
    expect(found, right, mistakes, why, _rounded, f"at ε = {epsilon:g}:")


def _rounded(found, right) -> bool:
    """Tell whether counts are right to a person, and may have been rounded."""
    return np.abs(found - right).max() <= 1.01


def _above(x: float, epsilon: float) -> float:
    """Return the probability that Laplace noise of scale 2 / epsilon is above x."""
    tail = math.exp(-epsilon * abs(x) / 2) / 2
    return tail if x >= 0 else 1 - tail


def _judge_chances(p, q, epsilon, theta) -> None:
    right = _above(theta - 1, epsilon), _above(theta, epsilon)
    if about(p, right[0]) and about(q, right[1]):
        return
    scaled = [_above((theta - 1) * factor, epsilon) for factor in (2, 0.5)]
    why = f"the chances are {right[0]:.3f} and {right[1]:.3f}; yours are {p:.3f} and {q:.3f}."
    if theta != 1 and any(about(p, wrong) for wrong in scaled):
        why = "the noise has scale 2/ε, since two entries of the row change."
    if not 0 <= p <= 1 or not 0 <= q <= 1:
        why = f"you have p = {p:.3f} and q = {q:.3f}, and probabilities are between 0 and 1."
    if theta > 1 and not about(p, right[0]):
        why = f"p is {right[0]:.3f}, yours {p:.3f}: beyond θ = 1 the noise must be positive to get there."
    if about(q, 2 * right[1]):
        why = f"your q is {q:.3f}: only half of the noise is positive."
    if about(p, right[1]) and about(q, right[0]):
        why = "you have p and q the other way round: p belongs to the person's own answer."
    raise NotYet(f"at ε = {epsilon:g} and θ = {theta:g} {why}")


def _direct(d: int, epsilon: float) -> float:
    """Return direct encoding's variance per person for a rare answer."""
    return (math.exp(epsilon) + d - 2) / math.expm1(epsilon) ** 2


def _oue(epsilon: float) -> float:
    """Return optimised unary encoding's variance per person for a rare answer."""
    return 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
