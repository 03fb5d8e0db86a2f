"""The labs of chapter 18, Exact accounting."""

import itertools
import math
from functools import partial

from dp_helpers.privacy_loss import trade_off_gaussian

from .answers import expect, finite, function
from .tables import NumberLab, NumbersLab

LABS = (
    "careful-guesser",
    "bound-by-hand",
    "accountant-of-your-own",
)


def _misses(mu, alarms=0.1) -> float:
    return trade_off_gaussian(alarms, mu=mu)


careful_guesser = NumberLab(
    right=_misses(0.5),
    praise="At 10% false alarms nearly four of five who are there pass.",
    mistakes={
        _misses(2): "μ is the move in deviations, 1/2; you took the deviation itself.",
        _misses(1): "the noise has σ = 2, so you move the count by half a deviation.",
        1 - _misses(0.5): "that is the share that they find; the misses are the rest.",
        0.9: "that is a coin that accuses in 10% of the cases; the answer tells more.",
        0.1: "that is the rate of false alarms; the misses are a share of those who are there.",
        _misses(0.25): "μ is Δ/σ; the square belongs to adding up.",
        100 * _misses(0.5): "as a share between 0 and 1, please.",
        1 - math.exp(0.5) * 0.1: "that is the line of a pure ε of 0.5; normal noise has a curve of its own.",
    },
    otherwise="they accuse above Φ⁻¹(0.9) deviations; how much of the bell half a deviation further is below that?",
)

_DOWN, _EXACT, _UP = 0.0, 4 / 9 * (1 - math.e / 4), 4 / 9 * (1 - 1 / math.e)
bound_by_hand = NumbersLab(
    names=["down", "exact", "up"],
    right=[_DOWN, _EXACT, _UP],
    praise="Rounded down, δ is too small; rounded up, too large; and the truth lies between them.",
    mistakes=[
        ([_UP, _EXACT, _DOWN], "a loss that is rounded up grows, and so does δ."),
        ([None, 4 / 9, None], "4/9 is how often the loss exceeds ε; a loss l weighs 1 - e^(1 - l) only."),
        ([None, None, 4 / 9], "4/9 is how often the loss exceeds ε; a loss l weighs 1 - e^(1 - l) only."),
        ([None, 1 - math.e / 4, None], "that is the weight of this loss; how likely is it?"),
        ([None, None, 1 - 1 / math.e], "that is the weight of this loss; how likely is it?"),
        ([None, 2 / 3 * (1 - math.e / 4), None], "both answers have to be true: 2/3 times 2/3."),
        ([None, None, 4 / 9 * (1 - math.exp(-0.5))], "each of the two losses is rounded, to 1; together they are 2."),
    ],
    digits=2,
    otherwise="two true answers have the chance 4/9; where is the sum of their losses? Look at {name}.",
)

_PAIRS = [
    ([0.75, 0.25], [0.25, 0.75]),
    ([0.6, 0.3, 0.1], [0.2, 0.4, 0.4]),
    ([0.1, 0.6, 0.3], [0.3, 0.4, 0.3]),
    ([0.4, 0.3, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25]),
]


def _chances(p, q, k) -> list:
    """Return the chances of all outcomes of k runs, with and without."""
    outcomes = itertools.product(zip(p, q, strict=True), repeat=k)
    return [[math.prod(side) for side in zip(*runs, strict=True)] for runs in outcomes]


def _delta(p, q, k, epsilon) -> float:
    return math.fsum(max(a - math.exp(epsilon) * b, 0) for a, b in _chances(p, q, k))


def accountant_of_your_own(answer) -> str:
    """Check the least delta of several runs of a mechanism with a few answers."""
    delta_of_many = function(answer)
    for (p, q), k, epsilon in itertools.product(_PAIRS, [1, 2, 5], [0.7, 0.0, 2.0]):
        given = finite(delta_of_many(list(p), list(q), k, epsilon))
        right, single = _delta(p, q, k, epsilon), _delta(p, q, 1, epsilon)
        exceeds = math.fsum(a for a, b in _chances(p, q, k) if a > math.exp(epsilon) * b)
        mistakes = [
            (single, "that is the δ of a single run; the losses of all runs add up first."),
            (min(k * single, 1), "δ of one run times k, at the same ε: the losses add up, not the δ."),
            (_delta(p, q, k, k * epsilon), "k runs don't get k times ε here: epsilon is for all of them together."),
            (min(k * _delta(p, q, 1, epsilon / k), 1), "that splits ε evenly; the losses of the runs may be uneven."),
            (_delta(q, p, k, epsilon), "that is the other order: the loss is ln(p/q), and its chance that under p."),
            (exceeds, "that is how often the loss exceeds ε; each loss weighs 1 − e^(ε − loss)."),
        ]
        why = f"It is {right:.6g}. Several ways may lead to one loss, and all count; losses below ε don't. Don't round."
        where = f"for p = {p}, q = {q}, {k} runs and ε = {epsilon:g} you say {given:.6g}."
        expect(given, right, mistakes, why, partial(math.isclose, rel_tol=0, abs_tol=1e-6), where)
    return "Losses add, chances multiply: you have written an accountant."
