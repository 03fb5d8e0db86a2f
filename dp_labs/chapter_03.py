"""The labs of chapter 3, Differential privacy."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, expect, finite, function, number, truth
from .noise import Case, Size, additive, edge, not_rounded_before
from .tables import NumberLab

LABS = (
    "error-you-can-live-with",
    "suspicion",
    "which-epsilon",
    "one-noise-for-two-answers",
    "protect-the-household",
)

error_you_can_live_with = NumberLab(
    right=math.log(20) / 10,
    praise="Errors beyond 10 now have probability e^(-10ε) = 5%.",
    mistakes={
        math.log(40) / 10: "e^(-tε) is already the probability of both tails together; don't halve the 5%.",
        math.log(10) / 10: "e^(-tε) is already the probability of both tails together; don't double the 5%.",
        10 / math.log(20): "that is the scale of the noise; ε is one over it.",
        math.log(20): "that would keep the error within 1 person; you may allow 10.",
        -math.log(0.95) / 10: "then 95% of the errors would be beyond 10; it should be 5%.",
        1.96 * math.sqrt(2) / 10: "1.96 belongs to the normal curve; Laplace noise has other tails.",
        0.1: "with ε = 0.1 the error is 10 people on average, and more than a third of the errors are larger.",
    },
    otherwise="an error beyond 10 people has probability e^(-10ε). For which ε is that 5%?",
)

suspicion = NumberLab(
    right=math.exp(0.5) / (9 + math.exp(0.5)),
    digits=2,
    praise="A suspicion of 10% can grow to about 15%, whatever the answer is.",
    mistakes={
        0.1 * math.exp(0.5): "the factor applies to odds, not to probabilities.",
        math.exp(0.5) / 9: "those are the odds afterwards; turn them back into a probability.",
        100 * math.exp(0.5) / (9 + math.exp(0.5)): "as a number between 0 and 1, please.",
        math.exp(-0.5) / (9 + math.exp(-0.5)): "that is how little sure they may be; the question is how much.",
        math.exp(0.5) / (1 + math.exp(0.5)): "that starts at 50%; this attacker starts at 10%.",
        math.e / (9 + math.e): "that is for ε = 1; here it is 0.5.",
        math.exp(0.5) / (10 + math.exp(0.5)): "10% are odds of 1 to 9, not of 1 to 10.",
    },
    otherwise="turn 10% into odds of 1 to 9, multiply by e^0.5, and turn the result back.",
)


def which_epsilon(answer) -> str:
    """Check the epsilon of a mechanism with a few answers, from their probabilities in two worlds."""
    epsilon_of = function(answer)
    for p, q in [
        ([0.75, 0.25], [0.25, 0.75]),
        ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3]),  # the largest ratio is p to q ...
        ([0.1, 0.6, 0.3], [0.5, 0.3, 0.2]),  # ... and here q to p
        ([0.25, 0.25, 0.5], [0.25, 0.25, 0.5]),
        ([0.2, 0.8, 0.0], [0.4, 0.6, 0.0]),
        ([0.5, 0.5, 0.0], [0.5, 0.4, 0.1]),
        ([0.5, 0.4, 0.1], [0.5, 0.5, 0.0]),
    ]:
        both = [(a, b) for a, b in zip(p, q, strict=True) if a > 0 or b > 0]
        ratios = [a / b if b else math.inf for a, b in both]
        inverse = [b / a if a else math.inf for a, b in both]
        with np.errstate(divide="ignore", invalid="ignore"):
            given = number(epsilon_of(np.array(p), np.array(q)))
        _same_epsilon(given, f"for p = {p} and q = {q}", p, q, ratios, inverse)
    return "Three quarters against one quarter is ln 3, and what happens in one world only is infinite."


def _same_epsilon(given, where, p, q, ratios, inverse):
    """Raise NotYet unless ``given`` is the log of the largest of the ratios."""
    right, both_ways = math.log(max(ratios + inverse)), "the two worlds may be swapped: bound the ratio both ways."
    if math.isnan(given):
        raise NotYet(f"{where} you return nan: leave out answers that occur in neither world.")
    if math.isinf(right) and given != right:
        raise NotYet(f"{where} an answer occurs in one world only; no finite ε covers that, so return infinity.")
    mistakes = [
        (math.exp(right), f"the largest ratio is {given:.3g}; ε is its logarithm."),
        *((right / math.log(base), "the ratio is right, but take the natural logarithm.") for base in (2, 10)),
        *((math.log(max(side)), both_ways) for side in (ratios, inverse)),
        (-right, f"you found -{right:.3g}; swap the worlds, and ε is {right:.3g}."),
        (np.abs(np.subtract(p, q)).max(), "you took the largest difference; the definition speaks of ratios."),
    ]
    why = f"ε is {right:.4g}, you found {given:.4g}. Which answer has the largest ratio?"
    expect(given, right, mistakes, why, lambda a, b: a == b or abs(a - b) < 1e-3, where)


def one_noise_for_two_answers(answer) -> str:
    """Check the attack on two answers that share their noise."""
    attack, rng, cases = function(answer), np.random.default_rng(35), []
    for _ in range(200):
        others, noise, present = int(rng.integers(0, 100)), rng.laplace(0, 100), bool(rng.integers(2))
        first, second = round(others + present + noise, 1), round(others + noise, 1)
        cases.append((truth(attack(first, second)), present, first, second))
    wrong = [case for case in cases if case[0] != case[1]]
    if not wrong:
        return "Two hundred tables, noise of scale 100, no mistake: shared noise protects nobody."
    guess, present, first, second = wrong[0]
    if len(wrong) == len(cases):
        raise NotYet("yours says True where it should say False, and the other way round.")
    if all(case[1] for case in wrong):
        raise NotYet(f"{first} - {second} is {first - second}: round nothing before, and don't ask for 1 exactly.")
    raise NotYet(
        f"{first} and {second} are published, yours says {guess}. What is left of the noise in first - second?"
    )


def protect_the_household(answer) -> str:
    """Check that a count's noise protects a household."""
    count = function(answer)

    def case(data, epsilon):
        def draw(rng):
            return finite(count(data.copy(), epsilon, rng))

        return Case(draw, len(data), 7 / epsilon, f"at ε = {epsilon:g}", runs=3_000)

    def noise(data):
        return lambda rng: (finite(count(data.copy(), 0.01, rng)) - len(data)) / 700

    reasons = {1 / 7: "It covers one row; a household has up to seven."}
    pairs, mixed, many = _households([2] * 400), _households([7, 2, 2] * 75), _households([2] * 700)
    cases = [case(mixed, 0.1), case(many, 0.05), case(pairs, 2.0)]
    additive(cases, 36, Size(" people", reasons, at_most=10 / 7))
    for sizes in ([], [3]):
        edge(noise(_households(sizes)), noise(_households([2] * 5_000)))
    odd = _households([7] * 100 + [3])
    not_rounded_before(lambda epsilon, rng: finite(count(odd.copy(), epsilon, rng)), len(odd))
    return "Seven rows more or less move the count by 7, and your noise covers that."


def _households(sizes):
    """Return a table of people, who share a Zip where they share a household, given how many live in each."""
    return pd.DataFrame({"Zip": np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=int))})
