"""The labs of chapter 14, Local DP (ii): many answers."""

import math

import numpy as np

from .answers import NotYet, close, function, number


def lab_1(answer) -> str:
    """Check the epsilon of a row of bits with p = 0.8 and q = 0.3."""
    given = number(answer)
    if close(given, math.log(0.8 / 0.3)):
        raise NotYet("that is the ratio of one bit, sent as 1. Two answers differ in two bits.")
    if close(given, math.log(0.7 / 0.2)):
        raise NotYet("that is the ratio of one bit, sent as 0. Two answers differ in two bits.")
    if close(given, 28 / 3) or close(given, math.log10(28 / 3)) or close(given, math.log2(28 / 3)):
        raise NotYet("the ratio is right. ε is its natural logarithm.")
    if close(given, 20 * math.log(0.8 / 0.3)) or close(given, 20 * math.log(0.7 / 0.2)):
        raise NotYet("eighteen of the bits have the same chances under both answers and give nothing away.")
    if close(given, 2 * math.log(0.8 / 0.3)) or close(given, 2 * math.log(0.7 / 0.2)):
        raise NotYet("the two bits have different ratios: one is sent as 1, the other as 0.")
    if not close(given, math.log(28 / 3)):
        raise NotYet("multiply the ratio of your own bit, sent as 1, by that of the other's, sent as 0.")
    return "One bit falls and another rises: ε = ln(0.8 · 0.7 / (0.2 · 0.3))."


def lab_2(answer) -> str:
    """Check the chances of a thresholded histogram."""
    chances = function(answer)
    for epsilon in (5.0, 1.0, 0.5):
        for theta in (0.5, 0.75, 1.0, 0.0, 0.25, 1.5, 2.0):
            p, q = _pair(chances(epsilon, theta), "the chances p and q")
            _judge_chances(p, q, epsilon, theta)
    return "Both are tails of the same Laplace noise, above θ - 1 and above θ."


def lab_3(answer) -> str:
    """Check the average of an empty answer's estimate that is cut at 0."""
    lift = function(answer)
    for n, epsilon in [(100_000, 1.0), (1_000_000, 0.5), (400_000, 3.0)]:
        given = number(lift(n, epsilon))
        sd = 2 * math.sqrt(n * math.exp(epsilon)) / math.expm1(epsilon)
        right = sd / math.sqrt(2 * math.pi)
        if close(given, right):
            continue
        if close(given, sd):
            raise NotYet("that is the standard deviation of the estimate. What is the mean after cutting?")
        if close(given, sd / 2):
            raise NotYet("half of the estimates become 0, but the others are not all one standard deviation high.")
        if close(given, 2 * right):
            raise NotYet("that is the average of the positive estimates only. The others are 0 now, and count.")
        if close(given, right / n):
            raise NotYet("give people, not a share.")
        if close(given, right / math.sqrt(n)) or close(given, right * math.sqrt(n)):
            raise NotYet("the variance is n times that of one person; mind where the root goes.")
        size = "larger" if given > right else "smaller"
        raise NotYet(f"for n = {n:,} and ε = {epsilon:g} the average is {right:.1f}; yours is {size}, {given:.1f}.")
    return "Every empty answer is lifted by 0.4 standard deviations."


def lab_4(answer) -> str:
    """Check the two epsilons of RAPPOR."""
    rappor = function(answer)
    for f, p, q in [(0.5, 0.25, 0.75), (0.25, 0.35, 0.65), (0.5, 0.5, 0.75), (0.75, 0.1, 0.6)]:
        once, forever = _pair(rappor(f, p, q), "two values of ε")
        half = f / 2
        one, zero = (1 - half) * q + half * p, half * q + (1 - half) * p
        right = _row_epsilon(one, zero), _row_epsilon(1 - half, half)
        case = f"for f = {f:g}, p = {p:g} and q = {q:g}"
        if _same(once, right[0]) and _same(forever, right[1]):
            continue
        if _same(once, right[1]) and _same(forever, right[0]):
            raise NotYet("you have the two in the other order: first that of one report.")
        if _same(forever, right[1] / 2) or _same(once, math.log(one / zero)):
            raise NotYet("two answers differ in two bits of the row.")
        if _same(once, _row_epsilon(q, p)):
            raise NotYet(
                "that is the ε of the second stage about the kept row. The first stage has protected the truth already."
            )
        if _same(once, right[0]):
            raise NotYet(f"{case} all reports together have ε = {right[1]:.3f}; yours is {forever:.3f}.")
        raise NotYet(f"{case} one report has ε = {right[0]:.3f}; yours is {once:.3f}.")
    return "One report is cheaper, and all of them together never cost more than the kept row."


def lab_5(answer) -> str:
    """Check the error of a rare answer when the people are divided among the questions."""
    error = function(answer)
    for n, d, epsilon, k in [(50_000, 5, 1.0, 4), (50_000, 100, 1.0, 4), (10_000, 20, 4.0, 5), (200_000, 2, 0.5, 3)]:
        given = number(error(n, d, epsilon, k))
        direct, oue = _direct(d, epsilon), _oue(epsilon)
        right = math.sqrt(n * k * min(direct, oue))
        if close(given, right):
            continue
        case = f"for n = {n:,}, d = {d}, ε = {epsilon:g} and {k} questions"
        if close(given, math.sqrt(n * k * max(direct, oue))):
            raise NotYet(f"{case} the other protocol is better.")
        if close(given, math.sqrt(n / k * min(direct, oue))):
            raise NotYet("that is the error among the people of one group. Scale the count up to all n.")
        if close(given, math.sqrt(n * min(_direct(d, epsilon / k), _oue(epsilon / k)))):
            raise NotYet("that splits the budget, and asks everybody everything. Split the people.")
        if close(given, right**2):
            raise NotYet("that is the variance; asked is its root, in people.")
        raise NotYet(f"{case} the standard deviation is {right:.1f}; yours is {given:.1f}.")
    return (
        "The variance grows with the number of questions; with a split budget it would grow with its square or faster."
    )


def _pair(answer, what: str) -> tuple[float, float]:
    """Return the two numbers of the reader's answer, or say that two are wanted."""
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != 2:
        raise NotYet(f"return {what} as a pair, not {type(answer).__name__}.")
    return number(answer[0]), number(answer[1])


def _same(given: float, right: float) -> bool:
    return math.isclose(given, right, rel_tol=1e-6, abs_tol=1e-9)


def _above(x: float, epsilon: float) -> float:
    """Return the probability that Laplace noise of scale 2 / epsilon is above x."""
    tail = math.exp(-epsilon * abs(x) / 2) / 2
    return tail if x >= 0 else 1 - tail


def _judge_chances(p, q, epsilon, theta) -> None:
    right = _above(theta - 1, epsilon), _above(theta, epsilon)
    if _same(p, right[0]) and _same(q, right[1]):
        return
    at = f"at ε = {epsilon:g} and θ = {theta:g}"
    if _same(p, right[1]) and _same(q, right[0]):
        raise NotYet("you have p and q the other way round: p belongs to the person's own answer.")
    if _same(q, 2 * right[1]):
        raise NotYet(f"{at} your q is {q:.3f}: only half of the noise is positive.")
    if theta > 1 and not _same(p, right[0]):
        raise NotYet(f"{at} p is {right[0]:.3f}, yours {p:.3f}: beyond θ = 1 the noise must be positive to get there.")
    if not 0 <= p <= 1 or not 0 <= q <= 1:
        raise NotYet(f"{at} you have p = {p:.3f} and q = {q:.3f}, and probabilities are between 0 and 1.")
    scale = [_above((theta - 1) * factor, epsilon) for factor in (2, 0.5)]
    if any(_same(p, wrong) for wrong in scale) and theta != 1:
        raise NotYet("the noise has scale 2/ε, since two entries of the row change.")
    raise NotYet(f"{at} the chances are {right[0]:.3f} and {right[1]:.3f}; yours are {p:.3f} and {q:.3f}.")


def _row_epsilon(p: float, q: float) -> float:
    """Return the epsilon of a row of bits whose single 1 is sent as 1 with probability p, its zeros with q."""
    return math.log(p * (1 - q) / ((1 - p) * q))


def _direct(d: int, epsilon: float) -> float:
    """Return direct encoding's variance per person for a rare answer."""
    return (math.exp(epsilon) + d - 2) / math.expm1(epsilon) ** 2


def _oue(epsilon: float) -> float:
    """Return optimised unary encoding's variance per person for a rare answer."""
    return 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
