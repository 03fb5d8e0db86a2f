"""The labs of chapter 20, Local DP at work."""

import itertools
import math

import numpy as np
from scipy import optimize, stats

from dp_helpers.local.shuffling import shuffled_epsilon

from .answers import NotYet, array, barred, close, expect, finite, function, leaves_alone, pair
from .noise import follows, fresh
from .tables import NumbersLab

LABS = (
    "two-far-numbers",
    "two-stages-two-promises",
    "masks-that-cancel",
    "how-loud-a-crowd",
    "report-near-the-truth",
)

two_far_numbers = NumbersLab(
    names=["low", "high"],
    right=[-40, 120],
    praise="Both lie far outside 0 to 80: that is what makes the average right.",
    mistakes=[
        ([0, 80], "those are the bounds. Reports at the bounds would pull every average towards the middle."),
        ([120, -40], "the lower number first."),
        ([-80, 160], "c is (e^ε + 1)/(e^ε - 1), not e^ε."),
        ([-2, 2], "that is for values from -1 to 1. Stretch it to hours: the middle is 40, half the width 40."),
        ([-120, 200], "half the width is 40, not 80."),
        ([20, 60], "c is (e^ε + 1)/(e^ε - 1), not the other way round."),
    ],
    otherwise="start from the middle, 40, and half the width, 40; the reports are 40 ± 40c. Look at {name}.",
)


def two_stages_two_promises(answer) -> str:
    """Check the two epsilons of RAPPOR."""
    rappor = function(answer)
    for f, p, q in [(0.5, 0.25, 0.75), (0.25, 0.35, 0.65), (0.5, 0.5, 0.75), (0.75, 0.1, 0.6)]:
        given = [finite(part) for part in pair(rappor(f, p, q), "(ε of one report, ε of all reports)")]
        q_star, p_star = (1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p
        once, forever = _row_epsilon(q_star, p_star), _row_epsilon(1 - f / 2, f / 2)
        bits = "two answers differ in two bits of the row."
        mistakes = [
            ((forever, once), "you have the two in the other order: first that of one report."),
            ((None, forever / 2), bits),
            ((math.log(q_star / p_star), None), bits),
            ((_row_epsilon(q, p), None), "that is the second stage's ε about the kept row; it forgets the first."),
            ((once, None), f"all reports together have ε = {forever:.3f}; yours is {given[1]:.3f}."),
        ]
        why = f"one report has ε = {once:.3f}; yours is {given[0]:.3f}."
        expect(given, (once, forever), mistakes, why, _same, f"for f = {f:g}, p = {p:g} and q = {q:g}")
    return "One report is cheaper, and all of them together never cost more than the kept row."


def _same(given, right) -> bool:
    return all(b is None or close(a, b) for a, b in zip(given, right, strict=True))


def _row_epsilon(p: float, q: float) -> float:
    """Return the epsilon of a row of bits whose single 1 is sent as 1 with probability p, its zeros with q."""
    return math.log(p * (1 - q) / ((1 - p) * q))


def masks_that_cancel(answer) -> str:
    """Check masks that cancel in the sum and hide everything else."""
    masked = function(answer)
    leaves_alone(lambda values: masked(values, 10_007, np.random.default_rng(1)), np.array([5, 0, 7]))
    rng = np.random.default_rng(2003)
    for n in (3, 7, 4):
        _judge_masked_sum(masked, rng.integers(0, 1_000, n), 10_007)
    for values, modulus in [([4, 0, 0, 2], 5), ([1, 0, 1, 0, 0, 1, 1], 2), ([2, 0, 4], 10)]:
        _judge_masked_law(masked, np.array(values), modulus)
    values, modulus = np.array([500, 120, 900]), 10_007
    sent = np.array([_sent(masked, values, modulus, seed) for seed in range(2_000)])
    for person, reports in enumerate(sent.T, start=1):
        if stats.chisquare(np.bincount(reports * 20 // modulus, minlength=20)).pvalue < 1e-9:
            raise NotYet(f"modulo {modulus:,}, person {person}'s reports stay near some numbers: masks go up to it.")
    return "All reports but one are random numbers, and the last one only makes the sum right."


def _sent(masked, values, modulus, seed) -> np.ndarray:
    """Return what the reader's people send, or say what is wrong with its form."""
    rng = np.random.default_rng(seed)
    sent = array(masked(values.copy(), modulus, rng), values.shape, "one number for each person")
    if not np.array_equal(sent, np.floor(sent)):
        raise NotYet("masks are whole numbers: with others the sum is off by rounding, and the reports betray values.")
    if (sent < 0).any() or (sent >= modulus).any():
        raise NotYet(f"reports must be between 0 and {modulus - 1}: take them modulo the modulus.")
    return sent.astype(int)


def _judge_masked_sum(masked, values, modulus) -> None:
    sent = _sent(masked, values, modulus, 1)
    if (sent.sum() - values.sum()) % modulus:
        raise NotYet("the masks don't cancel: the reports' sum must be that of the values, modulo the modulus.")
    fresh(lambda rng: masked(values.copy(), modulus, rng))
    if np.array_equal(sent, values):
        raise NotYet("nothing is masked: the reports are the values.")
    if np.array_equal(sent, _sent(masked, values, modulus, 2)):
        raise NotYet("take all masks from rng: two different ones gave the same reports.")


def _judge_masked_law(masked, values, modulus) -> None:
    """Refuse reports of which all but one are not uniform together, whatever the values are."""
    sent = np.array([_sent(masked, values, modulus, seed) for seed in range(3_000)])
    for size in range(1, len(values)):
        for people in itertools.combinations(range(len(values)), size):
            cells = sent[:, people] @ modulus ** np.arange(size)
            # All but one of n reports have modulus^(n-1) equally likely values: 125 with 24 draws each.
            if stats.chisquare(np.bincount(cells, minlength=modulus**size)).pvalue < 1e-9:
                who = " and ".join(f"person {person + 1}" for person in people)
                raise NotYet(f"modulo {modulus}, the reports of {who} betray something. Do they share too few masks?")


def how_loud_a_crowd(answer) -> str:
    """Check the largest local epsilon whose shuffled reports keep a target."""
    largest = function(answer)
    for n, target, delta in [(2_000, 1.0, 1e-5), (5_000, 0.4, 1e-6)]:
        given, right = finite(largest(n, target, delta)), _largest_local(n, target, delta)
        mistakes = [
            (target, "that is the ε of reports that nobody shuffles. With a shuffler each may have a larger one."),
            (_largest_local(n, target, delta, "closed form"), "the numerical bound allows more than the closed form."),
        ]
        why = f"there is room: reports of local ε = {right:.3g} keep the target, yours is {given:.3g}."
        if given > right:
            why = f"{given:.3g} is too much: shuffled, such reports have an ε above {target:g}."
        case = f"for n = {n:,}, a target of {target:g} and δ = {delta:g}"
        expect(given, right, mistakes, why, _just_below, case)
    return "A crowd lets each person say nearly the truth, as long as nobody knows who said what."


def _just_below(given, right) -> bool:
    """Tell whether a promise holds and gives little away: a larger ε, but for the search's own end, would break it."""
    return right - 0.05 <= given <= right + 1e-3


def _largest_local(n, target, delta, method="numerical") -> float:
    def above(local):
        return shuffled_epsilon(epsilon=local, n=n, delta=delta, method=method) - target

    return optimize.brentq(above, target, 20.0, xtol=1e-3)


@barred("piecewise_mean", why="write the block and the rest yourself.")
def report_near_the_truth(answer) -> str:
    """Check piecewise reports: their mean, their ends, and how much of them lies in the block."""
    report, rng = function(answer), np.random.default_rng(2006)
    known = 2 * math.log(3)
    for steps, most, epsilon in [(5_000, 10_000, known), (10_000, 10_000, known), (40, 200, 1.0), (0, 200, 1.0)]:
        case = f"for {steps} steps of {most} at ε = {epsilon:.2f}"
        fresh(lambda rng, given=(steps, most, epsilon): finite(report(*given, rng)))
        x = 2 * np.array([finite(report(steps, most, epsilon, rng)) for _ in range(4_000)]) / most - 1
        root = math.exp(epsilon / 2)
        far, near = (root + 1) / (root - 1), root / (root + 1)
        left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
        if np.ptp(x) < 1e-9:
            raise NotYet("the report is the same in every run: draw it from rng.")
        if x.max() <= 1 + 1e-9 and x.min() >= -1 - 1e-9:
            raise NotYet(f"{case} no report lies outside 0 to {most}; clipped like this they aren't right on average.")
        if np.abs(x).max() > far * (1 + 1e-9):
            raise NotYet(f"{case} reports lie within {(1 - far) / 2 * most:.0f} and {(1 + far) / 2 * most:.0f}.")
        if abs(x.mean() - (2 * steps / most - 1)) > 6 * x.std() / math.sqrt(x.size):
            raise NotYet(f"{case} your reports average {(x.mean() + 1) / 2 * most:.4g}.")
        inside = np.mean((left <= x) & (x <= left + far - 1))
        if abs(inside - near) > 6 * math.sqrt(near * (1 - near) / x.size):
            raise NotYet(f"{case} the block has the chance {near:.2f}; of your reports {inside:.2f} lie in it.")
        edges = np.array([-far, left, left + far - 1, far])
        law = np.cumsum([0, *(np.diff(edges) * np.array([1, math.exp(epsilon), 1]))])
        if not follows(x, lambda values, edges=edges, law=law: np.interp(values, edges, law / law[-1])):
            raise NotYet(f"{case} block and rest must be even: no place in them is likelier than another.")
    return "Most reports lie near the truth, and every value could have sent each of them."
