"""The labs of chapter 5, Sensitivity."""

import math

import numpy as np
import pandas as pd

from .answers import NotYet, close, follows, function, laplace_cdf, margin, number


def lab_1(answer) -> str:
    """Check the sensitivities of a sum and a mean of temperatures in [-30, 45]."""
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != 3:
        raise NotYet("give three numbers in a tuple: sum add/remove, sum replace-one, mean replace-one.")
    added, replaced, mean = (number(part) for part in answer)
    if close(added, 75):
        raise NotYet("75 is the width of the range. Which single reading, added to a sum, moves it most?")
    if close(added, 30) or close(added, -30):
        raise NotYet("a reading of -30 moves the sum by 30. Another one moves it further.")
    if not close(added, 45):
        raise NotYet(f"adding one reading can't move the sum by as much as {added:g}, or another moves it further.")
    if close(replaced, 90):
        raise NotYet("twice the add/remove sensitivity is an upper limit, not always reached: 45 to 45 is no change.")
    if not close(replaced, 75):
        raise NotYet("the sum under replace-one: which exchange of two readings moves it most?")
    if close(mean, 45 / 500):
        raise NotYet("the mean is asked for under replace-one, too.")
    if not close(mean, 75 / 500):
        raise NotYet("the mean is the sum over a public 500: what becomes of the step?")
    return "A new reading counts in full, an exchanged one by its change."


def lab_2(answer) -> str:
    """Check a function that minimises bias plus typical noise."""
    best_bound, rng = function(answer), np.random.default_rng(52)
    long_tail = np.round(rng.lognormal(10, 1, size=3_000))
    cut_off = np.append(rng.integers(0, 1_000, size=500), np.full(40, 99_999))
    for values, epsilon in [(long_tail, 0.1), (long_tail, 0.013), (cut_off, 0.1), (cut_off, 0.01), (long_tail, 1)]:
        given, ordered = number(best_bound(values.copy(), epsilon)), np.sort(values)
        place = math.ceil(1 / epsilon)

        def error(bound, values=values, epsilon=epsilon):
            return np.maximum(values - bound, 0).sum() + abs(bound) / epsilon

        right = ordered[-place]
        if error(given) > 1.005 * error(right):
            above = int((values > given).sum())
            if given >= ordered[-1]:
                raise NotYet(f"at ε = {epsilon:g} you clip nothing; a lower bound would save more noise than it loses.")
            raise NotYet(
                f"at ε = {epsilon:g} your bound leaves {above} values above it, and bias plus noise is "
                f"{error(given) / error(right):.2f} times the smallest possible."
            )
    return "About 1/ε values stay above, unless more share the largest."


def lab_3(answer) -> str:
    """Check an attack on a sum whose noise is scaled to the largest value of the table."""
    attack, rng, rounds = function(answer), np.random.default_rng(53), 8_000
    wins = 0
    for _ in range(rounds):
        others, member = float(rng.integers(1_000_000, 3_000_000)), bool(rng.integers(2))
        scale = 1_000_000 if member else 50_000
        said = attack(others + 1_000_000 * member + rng.laplace(0, scale), others)
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"return True or False, not {said!r}.")
        wins += said == member
    share, cap = wins / rounds, math.e / (1 + math.e)
    if share - margin(rounds) <= cap:
        raise NotYet(f"you are right in {share:.1%} of the rounds, which doesn't beat {cap:.1%} beyond doubt.")
    return f"You win {share:.0%} of the rounds; no 1-DP release allows that."


def lab_4(answer) -> str:
    """Check the noisy mean under replace-one, n public."""
    mean, draws = function(answer), 4_000
    values = np.append(np.linspace(20, 40, 150), [1_000.0] * 50)
    for (lower, upper), epsilon, seed in [((0, 100), 0.5, 54), ((10, 50), 2.0, 55)]:
        rng = np.random.default_rng(seed)
        given = np.array([number(mean(values.copy(), lower, upper, epsilon, rng)) for _ in range(draws)])
        errors, right = given - np.clip(values, lower, upper).mean(), (upper - lower) / len(values) / epsilon
        if len(np.unique(given)) < 10:
            raise NotYet("every call needs a fresh draw from rng.")
        if abs(np.median(errors)) > 5 * right:
            raise NotYet("with outliers in the data your answers are off: clip each value before you take the mean.")
        scale = np.abs(errors - np.median(errors)).mean()
        if not 0.8 < scale / right < 1.25:
            raise NotYet(
                f"for [{lower}, {upper}], 200 values and ε = {epsilon:g} your noise has a size of {scale:.3g}; "
                f"it should be {right:.3g}."
            )
        if not follows(errors, lambda x, scale=right: laplace_cdf(x, scale)):
            raise NotYet("the size is right, but the answer isn't the clipped mean plus Laplace noise.")
    return "One value moves the mean by (upper - lower) / n, no further."


def lab_5(answer) -> str:
    """Check that a person with many visits is clipped as a person, and covered by the noise."""
    release = function(answer)
    usual = pd.DataFrame({"person": np.repeat(np.arange(40), 3), "minutes": np.arange(120) % 61})
    often = pd.DataFrame({"person": 99, "minutes": np.full(50, 60)})
    mixed = pd.concat([usual, often], ignore_index=True).iloc[::-1].reset_index(drop=True)
    # With an enormous ε there is next to no noise, and the answer is the clipped total.
    totals = [
        number(release(visits, 1e9, np.random.default_rng(seed)))
        for visits, seed in [(usual.copy(), 56), (mixed.copy(), 57)]
    ]
    off = [total - right for total, right in zip(totals, usual["minutes"].sum() + np.array([0, 600]), strict=True)]
    if abs(off[0]) > 1:
        raise NotYet(
            "people below 600 minutes should count in full, and less noise should come with more ε: your total is off "
            f"by {off[0]:,.0f} at an enormous ε, without any outlier."
        )
    if abs(off[1]) > 1:
        raise NotYet(
            "fifty visits of an hour should count for 600 minutes in all; with such a person your total is off by "
            f"{off[1]:,.0f}."
        )
    rng, draws, scale = np.random.default_rng(58), 1_500, 600 / 0.5
    visits = usual.head(6)
    errors = np.array([number(release(visits.copy(), 0.5, rng)) for _ in range(draws)]) - visits["minutes"].sum()
    if len(np.unique(errors)) < 10:
        raise NotYet("every call needs a fresh draw from rng.")
    size = np.abs(errors).mean()
    if not 0.8 < size / scale < 1.25:
        raise NotYet(f"at ε = 0.5 your noise is {size:,.0f} minutes in size; one person's 600 need {scale:,.0f}.")
    if not follows(errors, lambda x: laplace_cdf(x, scale)):
        raise NotYet("the size is right, but the noise isn't Laplace noise.")
    return "A person weighs 600 minutes, however many their visits."
