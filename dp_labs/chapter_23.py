"""The labs of chapter 23, How sure is it, and for whom."""

import math

import numpy as np
from scipy.optimize import brentq

from .answers import NotYet, finite, function, pair
from .noise import fresh
from .tables import LinesLab, NumberLab

LABS = (
    "smallest-town",
    "did-it-fall",
    "interval-for-a-share",
    "error-bar",
)

_TWENTY = math.log(20)
# P(|Lap(10) - Lap(5)| > t) = (100 e^(-t/10) - 25 e^(-t/5)) / 75
_DIFFERENCE = brentq(lambda t: (100 * math.exp(-t / 10) - 25 * math.exp(-t / 5)) / 75 - 0.05, 1, 100)

smallest_town = NumberLab(
    right=(10 * 5 * _TWENTY, 150),
    praise="The noise reaches 15 people, and that is a tenth of 150.",
    mistakes={
        5 * _TWENTY: "so far the noise reaches, in people. Of how many people is that a tenth?",
        50: "that holds the noise's scale below a tenth; at 95% it reaches three scales.",
        98 * math.sqrt(2): "1.96 standard deviations are for normal noise; how far does Laplace noise reach?",
        10 * 0.2 * _TWENTY: "the scale is 1/ε, not ε.",
        20 * 5 * _TWENTY: "the reach is to one side; it may be a tenth of the count to either side.",
    },
    otherwise="how far does Laplace noise of this ε reach at 95%, and of which count is that a tenth?",
)

did_it_fall = NumberLab(
    right=(0.985 * _DIFFERENCE, 1.015 * _DIFFERENCE),  # to which half a percent is added
    praise="So the count did fall: it is lower by more than the two noises together reach.",
    mistakes={
        15 * _TWENTY: "that adds up the two reaches, which is safe but too wide: both noises are rarely large at once.",
        1.96 * math.sqrt(250): "that takes the sum for normal noise; two Laplace noises have heavier tails.",
        math.sqrt(125) * _TWENTY: "the variances add up, but the sum of two Laplace noises isn't Laplace noise.",
        10 * _TWENTY: "that is the reach of the first count alone.",
        5 * _TWENTY: "that is the reach of the second count alone.",
        41.13: "the second year has ε = 0.2, and so half the noise.",
    },
    otherwise="draw many differences of the two noises: which size do 95% of them stay below?",
)


def interval_for_a_share(answer) -> str:
    """Check an interval for a share of two noisy counts: it reaches as far as the noise does at 95%."""
    interval, rng = function(answer), np.random.default_rng(2303)
    fresh(lambda rng: interval(480.0, 1_210.0, 10.0, rng))
    for part, everybody, scale in [(400, 1_000, 10.0), (1_800, 3_000, 40.0), (60, 5_000, 5.0)]:
        where, reaches = f"{part:,} of {everybody:,} people at scale {scale:g}:", []
        for _ in range(40):
            published = part + rng.laplace(0, scale), everybody + rng.laplace(0, scale)
            low, high = map(finite, pair(interval(*published, scale, rng), "(low, high)"))
            share = published[0] / published[1]
            if not low < share < high:
                raise NotYet(f"{where} {low:.3g} to {high:.3g} isn't around the published share, {share:.3g}.")
            reaches.append([share - low, high - share])
        # A reach that 1,000 draws find is off by 7%, and the mean of forty by a percent.
        size = np.mean(reaches) / _reach(part / everybody, scale / everybody)
        if not 0.92 < size < 1.08 or min(np.mean(reaches, axis=0)) < 0.8 * np.mean(reaches):
            fault = "narrow" if size < 1 else "wide"
            raise NotYet(f"{where} your interval is too {fault}: {size:.2f} times as long as at 95%. {_ASK}")
    return "It holds the share in about 95% of releases: what comes after the noise can be played again."


_ASK = "Both counts are noisy, and 5% of the releases are left out in all, half of them on each side."


def _reach(share, scale) -> float:
    """Return how far a share of two noisy counts gets at 95%, each count far above its noise."""
    noise = np.random.default_rng(0).laplace(0, scale, (2, 200_000))
    return float(np.quantile(abs(noise[0] - share * noise[1]), 0.95))


error_bar = LinesLab(
    lines=7,
    hints={
        1: "one line changes which mean is published.",
        5: "one line takes a noisy number for an exact one.",
    },
    harmless={
        2: "line 2 covers a sum whose values are at most 20,000: its scale is right for half of ε.",
        3: "line 3 is a count with the noise of the other half of ε.",
        4: "line 4 divides what was published; its error is there, but a reach can cover it.",
        6: "line 6 draws the bracket; that both sides are alike does no harm here.",
        7: "line 7 rounds to dollars, which moves nothing that matters.",
    },
    praise="Those are the lines: a mean that was cut down, and a reach that takes the noisy count for exact.",
)
