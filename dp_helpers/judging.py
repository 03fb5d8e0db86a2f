"""What labs and the grader say and see alike of an answer that draws: sentences, and probes that give no verdict.

`dp_labs.noise` looks for what people do by mistake, `grading.randomness` for what somebody could hide, too: what they
make of these probes stands there, apart. Nothing here is exported.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

OTHER_SOURCE = "the same rng gave another answer: draw from rng, and from nothing else."
EXACT = "your answer is exact; no ε covers that."
SAME = "every call gives the same noise; each one needs fresh noise from rng."
SOME = "some cells get no noise: every cell needs it, the empty ones too."
SIDE = "your noise doesn't go to both sides alike, so some answers belong to one of two neighbouring tables alone."
AROUND = "{} your answers lie around {:,.6g}, and {:,.6g} is right: what do you add the noise to?"
STEPS = "your noise comes in steps, and the exact answer lies between them, so that its rest shows: round at the end."
SHARED = "every number needs noise of its own: the same draw in two of them cancels in a difference."
TOTAL = "some sums of your numbers are exact, or nearly: that is a second look at the data."
THIN = "your noise has thin tails: far out, one world is more than e^ε times as likely as the other."
END = "your noise has an end, {:.1f} times the scale away: an answer beyond it gives one of two neighbours away."
NORMAL = "the noise isn't normal: the promise counts on Gaussian noise, the same in every call."
TELLING = "the noise is large enough on average, but some answers are more telling than ε allows: look at its shape."
DATA = "your noise depends on the data: its size betrays what the table holds."

TWICE = "somebody is in a batch twice, and then counts twice: draw without replacement, by coins."
ALWAYS = "every call takes the same people: draw them from rng, anew in each."
FIXED = "you always take the same number of people; a coin for each person makes it vary."
EMPTY = "with coins a batch is empty now and then, and yours never is: the accountant counts on it."
CHANCE = "people are taken with probability {:.2f} where q is {:g}."
TOGETHER = "each person needs a coin of their own: some are taken together, or instead of each other, too often."


@dataclass(frozen=True)
class Case:
    """One table: ``draw(rng)`` releases once, around ``exact``, with noise of this ``scale``, so many ``runs``.

    The scale is that of Laplace noise, or the standard deviation of normal noise.  ``where`` begins the sentence about
    a wrong size.
    """

    draw: Callable
    exact: np.ndarray | float
    scale: float
    where: str = ""
    runs: int = 5_000


def repeats_itself(draw: Callable, runs: int = 11) -> bool:
    """Tell whether ``draw(rng)`` gives the same again from a generator in the same state.

    There are so many ``runs`` that in all of them another source doesn't repeat itself by chance.
    """
    first, second = ([repr(draw(rng)) for _ in range(runs)] for rng in map(np.random.default_rng, (0, 0)))
    return first == second


def whole(numbers: np.ndarray) -> bool:
    """Tell whether all numbers are whole, but for what computing leaves."""
    return bool(np.allclose(numbers, np.rint(numbers), 0, 1e-3))


def comes_in_steps(published: np.ndarray, exact: np.ndarray) -> bool:
    """Tell whether noise comes in steps, and the published answers don't: their rest is then the exact answer's."""
    steps = np.unique(np.round(published - exact, 6))
    step = np.round(np.diff(steps).min(initial=np.inf), 6)
    return bool(1e-5 < step < np.inf) and whole(steps / step) and not whole(published / step)


def distance(draws: np.ndarray, cdf: Callable) -> float:
    """Return how far the draws' distribution function is from ``cdf`` at most, from both sides of each draw."""
    ordered = np.sort(draws)
    below, up_to = np.searchsorted(ordered, ordered, "left"), np.searchsorted(ordered, ordered, "right")
    expected = cdf(ordered)
    return float(max((up_to / len(draws) - expected).max(), (expected - below / len(draws)).max()))


def margin(draws: int, failure: float = 1e-9) -> float:
    """Return how far a share among ``draws`` may be off (Hoeffding), except with probability ``failure``.

    The same bound holds for the largest distance between an empirical and the true distribution function
    (Dvoretzky, Kiefer, Wolfowitz 1956; Massart 1990).
    """
    return math.sqrt(math.log(2 / failure) / (2 * draws))


def laplace_cdf(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Return the distribution function of Laplace noise."""
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)
