"""The labs of chapter 3, Differential privacy."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, close, follows, function, laplace_cdf, margin, number


def lab_1(answer) -> str:
    """Check the smallest epsilon whose noise stays within 10 people with 95% probability."""
    given, right = number(answer), math.log(20) / 10
    if close(given, math.log(40) / 10):
        raise NotYet("e^(-tε) is already the probability of both tails together; don't halve the 5%.")
    if close(given, 1 / right):
        raise NotYet("that is the scale of the noise; ε is one over it.")
    if not close(given, right):
        within = 1 - math.exp(-10 * given) if given > 0 else 0.0
        raise NotYet(f"with ε = {given:g}, the count is within 10 with probability {within:.1%}, not 95%.")
    return "Errors beyond 10 now have probability e^(-10ε) = 5%."


def lab_2(answer) -> str:
    """Check the largest posterior after a 0.5-DP answer with a prior of 10%."""
    given, odds = number(answer), math.exp(0.5) / 9
    if close(given, 0.1 * math.exp(0.5)):
        raise NotYet("the factor applies to odds, not to probabilities.")
    if close(given, odds):
        raise NotYet("those are the odds afterwards; turn them back into a probability.")
    if not close(given, odds / (1 + odds)):
        raise NotYet("turn 10% into odds of 1 to 9, multiply by e^0.5, and turn the result back.")
    return "A suspicion of 10% can grow to about 15%, whatever the answer is."


def lab_3(answer) -> str:
    """Check a simulation of the guessing game against its exact win rate."""
    play, rounds = function(answer), 40_000
    for epsilon, seed in [(0.2, 1), (1.0, 2), (4.0, 3)]:
        share, exact = number(play(epsilon, rounds, np.random.default_rng(seed))), 1 - math.exp(-epsilon / 2) / 2
        if abs(share - exact) > margin(rounds):
            raise NotYet(f"at ε = {epsilon:g} the best attacker wins {exact:.3f} of the rounds, yours {share:.3f}.")
    return "Your attacker wins as often as the best one."


def lab_4(answer) -> str:
    """Check the attack on two answers that share their noise."""
    attack, rng = function(answer), np.random.default_rng(4)
    for _ in range(200):
        rest, noise, present = int(rng.integers(0, 40_000)), rng.laplace(0, 100), bool(rng.integers(2))
        said = attack(rest + present + noise, rest + noise)
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"return True or False, not {said!r}.")
        if said != present:
            raise NotYet("with noise of scale 100 in both answers, yours was wrong. What is left of the noise?")
    return "Two hundred tables, noise of scale 100, no mistake: shared noise protects nobody."


def lab_5(answer) -> str:
    """Check that the noise of a count has the scale that protects seven rows."""
    count, draws = function(answer), 4_000
    table = pd.DataFrame({"Zip": np.repeat(np.arange(30), 2)})
    for epsilon, seed in [(0.5, 5), (2.0, 6)]:
        rng = np.random.default_rng(seed)
        errors = np.array([number(count(table, epsilon, rng)) for _ in range(draws)]) - len(table)
        if len(np.unique(errors)) < 10:
            raise NotYet("every call needs a fresh draw from rng.")
        scale, right = np.abs(errors).mean(), 7 / epsilon
        if not 0.8 < scale / right < 1.25:
            raise NotYet(f"at ε = {epsilon:g} your noise is {scale:.1f} in size on average; it should be {right:.1f}.")
        if not follows(errors, lambda x, scale=right: laplace_cdf(x, scale)):
            raise NotYet("the size is right, but the noise isn't Laplace noise.")
    return "Seven rows more or less move the count by 7, and your noise covers that."
