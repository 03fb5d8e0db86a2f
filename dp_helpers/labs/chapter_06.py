"""The labs of chapter 6, Approximate differential privacy."""

import math
from functools import cache

import numpy as np

from dp_helpers.accounting import optimal_composition
from dp_helpers.mechanisms import gaussian_sigma

from .answers import NotYet, close, function, number


def lab_1(answer) -> str:
    """Check the largest delta with which a lottery among two million people exposes anybody with 1% at most."""
    given, n = number(answer), 2_000_000
    exact = -math.expm1(math.log(0.99) / n)
    if close(given, 1 / n):
        raise NotYet("at 1/n the lottery exposes one patient on average, and somebody in 63 of 100 cases.")
    if close(given, 0.01):
        raise NotYet("1% is the risk for all patients together; at δ = 1% the lottery exposes 20,000 of them.")
    if close(given, 1 - exact):
        raise NotYet("that is the chance that one patient is *not* exposed.")
    # From 0.01 / n, the union bound, to the exact value.
    if not 0.995 * 0.01 / n <= given <= 1.005 * exact:
        anybody = -math.expm1(n * math.log1p(-given)) if 0 <= given < 1 else math.nan
        raise NotYet(f"with δ = {given:.3g}, somebody is exposed with probability {anybody:.3g}; the limit is 0.01.")
    return "The risk that anybody is exposed is about nδ."


def lab_2(answer) -> str:
    """Check the sensitivities of counts of which one person moves at most three."""
    given = _numbers(answer, "a list of four numbers", size=4)
    right = [3, math.sqrt(3), 6, math.sqrt(6)]
    if all(map(close, given, [12, math.sqrt(12), 24, math.sqrt(24)])) or close(given[0], 12):
        raise NotYet("the form has 12 hobbies, but one person moves at most three of the counts.")
    if close(given[2], 0):
        raise NotYet("three counts fall and three rise: add up absolute values, or nothing is left.")
    if all(map(close, given[2:], right[:2])):
        raise NotYet("a replaced row takes its three hobbies away and brings three others.")
    if close(given[3], 2 * math.sqrt(3)):
        raise NotYet("L2 under replace-one: six changes of 1; the lengths of two moves at a right angle don't add up.")
    if not all(map(close, given, right)):
        wrong = ["L1 under add/remove", "L2 under add/remove", "L1 under replace-one", "L2 under replace-one"]
        first = next(name for name, a, b in zip(wrong, given, right, strict=True) if not close(a, b))
        raise NotYet(f"look again at {first}: which counts change, and by how much each?")
    return "One row moves three counts, a replaced row up to six."


def lab_3(answer) -> str:
    """Check a calibration of normal noise by the exact profile."""
    least = function(answer)
    for epsilon, delta in [(1, 1e-5), (0.01, 1e-6), (0.5, 1e-2), (10, 1e-5), (20, 1e-9)]:
        given = number(least(epsilon, delta))
        right = gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
        classical = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        if close(given, classical):
            raise NotYet("that is the classical σ; at ε = 1 it is larger than it has to be, at ε = 10 too small.")
        if not math.isclose(given, right, rel_tol=1e-4):
            side = "smaller noise would do" if given > right else "that noise is too small"
            raise NotYet(f"at ε = {epsilon:g} and δ = {delta:g} your σ is {given:.5g}: {side}.")
    return "Your σ meets its δ exactly, on both sides of ε = 1."


def lab_4(answer) -> str:
    """Check the epsilon of 50 counts whose Laplace noise was scaled to their L2 sensitivity."""
    given = number(answer)
    if close(given, 1):
        raise NotYet("that is the claim. How large is the loss of one count, and how many are there?")
    if close(given, 50):
        raise NotYet("that would be right for noise of scale 1 in each count.")
    if close(given, 1 / math.sqrt(50)):
        raise NotYet("that is the ε of a single count; one person is in all 50.")
    if not close(given, math.sqrt(50)):
        raise NotYet("one count has ε = (its move) / (its scale); 50 of them add up.")
    return "Laplace noise follows L1: ε = 50/√50, about seven."


def lab_5(answer) -> str:
    """Check the search for the first k at which the short form of advanced composition is below the optimum."""
    search = function(answer)
    for epsilon, delta in [(1.0, 1e-5), (1.0, 1e-4), (0.5, 1e-4)]:
        given, right = number(search(epsilon, delta)), _first_failure(epsilon, delta)
        if given != right:
            side = "the claim still holds there" if given < right else "the claim is false before that"
            raise NotYet(f"at ε = {epsilon:g} and δ = {delta:g} you say {given:g}: {side}.")
    return "From there on, randomized response loses more than is claimed."


def lab_6(answer) -> str:
    """Check two distributions that are (ln 2, 0.1)-private, with a loss above ln 2 at least half of the time."""
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != 2:
        raise NotYet("give a pair (p, q) of lists.")
    p, q = (_numbers(side, f"{name} as a list of probabilities") for name, side in zip("pq", answer, strict=True))
    if len(p) != len(q):
        raise NotYet(f"p has {len(p)} answers and q has {len(q)}; they must be the same answers.")
    for name, side in [("p", p), ("q", q)]:
        if side.min() < 0 or not math.isclose(side.sum(), 1, abs_tol=1e-9):
            raise NotYet(f"{name} must be probabilities that add up to 1.")
    for order, excess in [("p − 2q", p - 2 * q), ("q − 2p", q - 2 * p)]:
        delta = excess[excess > 0].sum()
        if delta > 0.1 + 1e-9:
            raise NotYet(f"the positive parts of {order} add up to {delta:.3g}, and 0.1 is all that δ permits.")
    above = p[p > 2 * q].sum()
    if above < 0.5 - 1e-9:
        raise NotYet(f"δ is kept, but the loss exceeds ln 2 with probability {above:.3g} only.")
    return f"Loss above ln 2 with probability {above:.2g}, yet δ = 0.1 suffices."


@cache
def _first_failure(epsilon, delta):
    k = 1
    while 2 * epsilon * math.sqrt(2 * k * -math.log(delta)) >= optimal_composition(epsilon, 0, k=k, delta_total=delta):
        k += 1
    return k


def _numbers(answer, wanted, size=None) -> np.ndarray:
    if not isinstance(answer, (list, tuple, np.ndarray)) or len(answer) == 0 or len(answer) != (size or len(answer)):
        raise NotYet(f"give {wanted}.")
    return np.array([number(entry) for entry in answer])
