"""The labs of chapter 14, Local DP (ii): many answers."""

import math
from functools import partial

import numpy as np

from .answers import PROTOCOLS, NotYet, about, array, barred, binary, expect, finite, function, leaves_alone, pair
from .noise import may_be, reports
from .tables import LinesLab, MendLab, NumberLab

LABS = (
    "row-of-unfair-coins",
    "write-a-protocol",
    "what-cutting-costs",
    "survey-on-a-budget",
    "right-at-theta-1",
)

_ONE, _ZERO = math.log(0.8 / 0.3), math.log(0.7 / 0.2)  # what a bit tells that is sent as 1, or as 0

row_of_unfair_coins = NumberLab(
    right=math.log(28 / 3),
    praise="One bit falls and another rises: ε = ln(0.8 · 0.7 / (0.2 · 0.3)).",
    mistakes={
        **dict.fromkeys([_ONE, _ZERO], "that is the ratio of one bit. Two answers differ in two bits."),
        **dict.fromkeys([2 * _ONE, 2 * _ZERO], "the two bits have different ratios: one is sent as 1, the other as 0."),
        **dict.fromkeys([20 * _ONE, 20 * _ZERO], "eighteen of the bits have the same chances under both answers."),
        **dict.fromkeys([28 / 3, math.log10(28 / 3), math.log2(28 / 3)], "ε is the natural logarithm of the ratio."),
        math.log(0.8 / 0.2): "compare two truths for one bit, not the two values of a bit under one truth.",
        -math.log(28 / 3): "the ratio is upside down: ε is never negative.",
    },
    otherwise="multiply the ratio of your own bit, sent as 1, by that of the other's, sent as 0.",
)


@barred(*PROTOCOLS, why="write the protocol yourself: the package's protocols do this already.")
def write_a_protocol(answer) -> str:
    """Check symmetric unary encoding, written by the reader."""
    _judge_protocol(answer, _sue_chances, {_oue_chances: "those are the chances of OUE; SUE flips all bits alike."})
    return "Each bit flips by a coin of its own, and the sums are unbiased."


@barred(*PROTOCOLS, why="write chances yourself: the package's protocols do this already.")
def _check_right_at_theta_1(answer) -> str:
    """Check the chances of a thresholded histogram."""
    chances = function(answer)
    for epsilon in (5.0, 1.0, 0.5):
        for theta in (0.75, 0.5, 1.0, 0.0, 0.25, 1.5, 2.0):
            p, q = map(finite, pair(chances(epsilon, theta), "the chances p and q"))
            _judge_chances(p, q, epsilon, theta)
    return "Both are tails of the same Laplace noise, above θ - 1 and above θ."


right_at_theta_1 = MendLab(
    mended=_check_right_at_theta_1,
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


def what_cutting_costs(answer) -> str:
    """Check the average of an empty answer's estimate that is cut at 0."""
    lift = function(answer)
    for n, epsilon in [(100_000, 1.0), (1_000_000, 0.5), (400_000, 3.0)]:
        given = finite(lift(n, epsilon))
        sd = 2 * math.sqrt(n * math.exp(epsilon)) / math.expm1(epsilon)
        right = sd / math.sqrt(2 * math.pi)
        mistakes = [
            (sd, "that is the standard deviation of the estimate. What is the mean after cutting?"),
            (sd / 2, "half of the estimates become 0, but the others are not all one standard deviation high."),
            (2 * right, "that is the average of the positive estimates only. The others are 0 now, and count."),
            (0, "the average was 0 before cutting. Now the negative estimates are gone."),
            (right / n, "give people, not a share."),
            *((right * n**power, "the variance is n times one person's: mind the root.") for power in (-0.5, 0.5)),
        ]
        why = f"for n = {n:,} and ε = {epsilon:g} the average is {right:.1f}; yours is {given:.1f}."
        expect(given, right, mistakes, why)
    return "Every empty answer is lifted by 0.4 standard deviations."


def survey_on_a_budget(answer) -> str:
    """Check the error of a rare answer when the people are divided among the questions."""
    error = function(answer)
    for n, d, epsilon, k in [(50_000, 8, 1.0, 4), (50_000, 100, 1.0, 4), (10_000, 20, 4.0, 5), (210_000, 2, 0.5, 3)]:
        given = finite(error(n, d, epsilon, k))

        def deviation(people, epsilon, better=min, d=d):
            return math.sqrt(people * better(_direct(d, epsilon), _oue(epsilon)))

        right = deviation(n * k, epsilon)
        mistakes = [
            (deviation(n * k, epsilon, max), "the other protocol is better."),
            (deviation(n / k, epsilon), "that is the error among one group. Scale the count up to all n."),
            (deviation(n, epsilon), "that is the error if everybody answers with all of ε. Only a group does."),
            (deviation(n, epsilon / k), "that splits the budget, and asks everybody everything. Split the people."),
            (deviation(n * k, epsilon / k), "each person answers one question only, and spends all of ε on it."),
            (right**2, "that is the variance; the lab asks for its root, in people."),
            (right / n, "give people, not a share."),
        ]
        why = f"the standard deviation is {right:.1f}; yours is {given:.1f}."
        rounded = partial(math.isclose, rel_tol=5e-3, abs_tol=0.5)
        expect(given, right, mistakes, why, rounded, f"for n = {n:,}, d = {d}, ε = {epsilon:g} and {k} questions")
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
    others = others | {lambda epsilon: chances(2 * epsilon): "a row has 2ε: two of its bits change with the answer."}
    one_hot = np.eye(5, dtype=int)[[0, 1, 2, 3, 0] * 2]
    reports(lambda rng: _bits(perturb(one_hot.copy(), 2.0, rng), one_hot.shape), one_hot.ravel(), "bit")
    for epsilon, rows, times in [(1.0, 30_000, 1), (4.0, 12_000, 1), (2.0, 1, 1_000)]:
        _judge_bits(perturb, epsilon, rows, times, chances, others)
    for epsilon in (1.0, 4.0):
        _judge_sums(aggregate, epsilon, chances, others)
    leaves_alone(lambda bits: perturb(bits, 1.0, np.random.default_rng(0)), one_hot)


def _bits(sent, shape) -> np.ndarray:
    """Return the reader's noisy bits as integers, or say what is wrong with their form."""
    return binary(sent, shape, "a noisy bit for each bit", "what is sent must be 0 or 1 in each place.")


def _judge_bits(perturb, epsilon, rows, times, chances, others) -> None:
    d, rng = 5, np.random.default_rng(1404)
    one_hot = np.eye(d, dtype=int)[np.arange(rows) % d]
    sent = np.concatenate(
        [_bits(np.atleast_2d(perturb(one_hot.copy(), epsilon, rng)), one_hot.shape) for _ in range(times)]
    )
    bits = np.tile(one_hot, (times, 1))
    shares = [sent[bits == value].mean() for value in (1, 0)]
    for law, sentence in others.items():
        far, apart = (np.abs(np.subtract(found, law(epsilon))).max() for found in (shares, chances(epsilon)))
        if far < 0.015 < apart:
            raise NotYet(f"at ε = {epsilon:g} {sentence}")
    for value, chance, share in zip((1, 0), chances(epsilon), shares, strict=True):
        if not may_be(sent[bits == value], chance):
            raise NotYet(f"at ε = {epsilon:g} a {value} is sent as 1 with probability {chance:.3f}, not {share:.3f}.")


def _judge_sums(aggregate, epsilon, chances, others) -> None:
    n, sums = 4_000, np.array([2_100, 900, 120])
    sent = (np.arange(n)[:, None] < sums).astype(int)
    found = array(aggregate(sent.copy(), epsilon), (len(sums),), "a count for each answer")

    def estimate(law):
        p, q = law(epsilon)
        return (sums - n * q) / (p - q)

    right = estimate(chances)
    mistakes = [
        (sums, "those are the ones that were sent. Take the coins out."),
        (sums - n * chances(epsilon)[1], "what is left after n q is only (p - q) for each person: divide by it."),
        (right / n, "give counts of people, not shares."),
        (np.maximum(right, 0), "leave negative counts as they are: cutting them biases the estimate."),
        *((estimate(law), f"aggregate has other chances than perturb: {why}") for law, why in others.items()),
    ]
    k = int(np.abs(found - right).argmax())
    why = f"{sums[k]:,} ones among {n:,} rows make an estimate of {right[k]:,.0f}; yours is {found[k]:,.0f}."
    expect(found, right, mistakes, why, partial(np.allclose, rtol=0, atol=1.01), f"at ε = {epsilon:g}:")


def _above(x: float, epsilon: float) -> float:
    """Return the probability that Laplace noise of scale 2 / epsilon is above x."""
    tail = math.exp(-epsilon * abs(x) / 2) / 2
    return tail if x >= 0 else 1 - tail


def _judge_chances(p, q, epsilon, theta) -> None:
    right = _above(theta - 1, epsilon), _above(theta, epsilon)
    scale = "the noise has scale 2/ε, since two entries of the row change."
    beyond = 1 - math.exp(epsilon * (theta - 1) / 2) / 2  # what is right up to θ = 1
    mistakes = [
        (right[1], "that is q: p belongs to the person's own answer."),
        (beyond, "beyond θ = 1 the noise must be positive to get there."),
        *((_above((theta - 1) * factor, epsilon), scale) for factor in (2, 0.5)),
    ]
    doubled = [(2 * right[1], "q is doubled: only half of the noise is positive.")]
    for name, given, chance, wrong in [("p", p, right[0], mistakes), ("q", q, right[1], doubled)]:
        why = f"{name} is {chance:.3f}; yours is {given:.3f}{'' if 0 <= given <= 1 else ', no probability'}."
        expect(given, chance, wrong, why, about, f"at ε = {epsilon:g} and θ = {theta:g}")


def _direct(d: int, epsilon: float) -> float:
    """Return direct encoding's variance per person for a rare answer."""
    return (math.exp(epsilon) + d - 2) / math.expm1(epsilon) ** 2


def _oue(epsilon: float) -> float:
    """Return optimised unary encoding's variance per person for a rare answer."""
    return 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
