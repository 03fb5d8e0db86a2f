"""Evidence that an answer tells more than it promises, from what it gives in many runs.

A claim says how often an event may happen in one world if its chance in the other is q: e^ε q for pure ε-DP,
Φ(Φ⁻¹(q) + μ) for normal noise. A quarter of the runs finds the event, a set of pieces of the line; the others measure
it with Clopper and Pearson's exact limits. A right answer is refuted with probability 2e-8 for each sample at most.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import special

from dp_helpers import judging
from dp_helpers.audit import lower_limit, upper_limit

ALARM = 1e-8  # the chance that one limit is wrong
NOTHING = -1e300  # stands for None and nan
_TAIL = 0.5 ** np.arange(4, 12.5, 0.5)
_CUTS = np.concatenate([[0.0], _TAIL[::-1], np.linspace(0.075, 0.925, 35), 1 - _TAIL, [1.0]])


def pure(epsilon: float) -> Callable:
    """Return the claim of pure ε-DP."""
    return lambda q: np.exp(epsilon) * q


def gaussian(mu: float) -> Callable:
    """Return the claim of normal noise that is moved by ``mu`` standard deviations."""
    return lambda q: special.ndtr(special.ndtri(np.clip(q, 0, 1)) + mu)


def excess(often: np.ndarray, rarely: np.ndarray, claim: Callable) -> float:
    """Return by what factor, as a logarithm, an event happens more often than the claim allows; above 0 refutes it.

    ``often`` and ``rarely`` are independent draws from the two worlds.
    """
    often, rarely = np.round(often, 9), np.round(rarely, 9)  # whole numbers in units of the scale stay alike
    cuts = len(often) // 4, len(rarely) // 4
    edges, chosen, _ = _event(often[: cuts[0]], rarely[: cuts[1]], claim)
    return _measured(edges, chosen, often[cuts[0] :], rarely[cuts[1] :], claim)


def event_excess(often: np.ndarray, rarely: np.ndarray, claim: Callable) -> float:
    """Return the `excess` of an event chosen before, given in which runs of the two worlds it happened."""
    p = lower_limit(int(np.sum(often)), len(often), ALARM)
    q = upper_limit(int(np.sum(rarely)), len(rarely), ALARM)
    return float(np.log(max(p, 1e-300) / claim(q)))


def two_way_excess(first: np.ndarray, second: np.ndarray, claim: Callable) -> float:
    """Return the `excess` in that of the two directions which looks worse in a quarter of the runs, by the others.

    ``first`` and ``second`` have a number for each run; nan stands for None.
    """
    sides = [np.nan_to_num(np.ravel(side).astype(float), nan=NOTHING) for side in (first, second)]
    cut = len(sides[0]) // 4
    edges, chosen, _, often = _worse_event([side[:cut] for side in sides], claim)
    return _measured(edges, chosen, sides[often][cut:], sides[1 - often][cut:], claim)


def learned_excess(draw: Callable, claim: Callable) -> float:
    """Return the `excess` of outputs with many numbers, each of which tells a little.

    ``draw(world, runs)`` returns a row of numbers for each run in world 0 or 1. 3,000 runs in each teach how to add up
    what the numbers tell, and which sums make the event. Others measure it, 72,000 if need be, but no more once it
    doesn't look as if these would prove an excess: a right answer may take long for each.
    """
    learning = [draw(world, 3_000) for world in (0, 1)]
    score = _learn_score(*learning)
    sides = [score(part) for part in learning]
    edges, chosen, _, often = _worse_event(sides, claim)
    hits = [np.zeros(0, bool), np.zeros(0, bool)]
    for runs in (6_000, 10_000, *[14_000] * 4):
        for world in (0, 1):
            happened = chosen[np.searchsorted(edges, score(draw(world, runs)), side="right")]
            hits[world] = np.append(hits[world], happened)
        found = event_excess(hits[often], hits[1 - often], claim)
        all_alike = [np.tile(part, 72_000 // len(part)) for part in hits]  # what is proven if it goes on like this
        if found > 0 or event_excess(all_alike[often], all_alike[1 - often], claim) <= 0:
            break
    return found


def laplace_loss(here: np.ndarray, there: np.ndarray) -> float:
    """Return the largest loss of a number by itself: how many scales its middle moves, if its noise is Laplace noise.

    ``here`` and ``there`` have a row for each run in the two worlds. What would be too rare to be counted follows from
    the law, so that a large ε can be judged; noise that may not have this law counts for nothing. In 4,000 runs the
    loss comes out more than 1.2 times too large with probability 1e-12.
    """
    losses = [0.0]
    for one, other in zip(here.T, there.T, strict=True):
        noise = one - np.median(one)
        scale = np.abs(noise).mean()
        if scale > 0 and judging.distance(noise / scale, judging.laplace_cdf) <= judging.margin(len(noise)):
            losses.append(float(abs(np.median(other) - np.median(one)) / scale))
    return max(losses)


def may_be(event: np.ndarray, chance: float) -> bool:
    """Tell whether an event of this chance may have happened in so many of independent runs (else 2e-8)."""
    hits, runs = int(np.sum(event)), np.size(event)
    return lower_limit(hits, runs, ALARM) <= chance <= upper_limit(hits, runs, ALARM)


def steepest(rows: Callable, people: int) -> int:
    """Return the number j at which the outputs ``rows(j)`` and ``rows(j + 1)`` of some 40 runs differ most.

    Of more than sixty, first the steepest of forty stretches is found, and then the step in it.
    """
    steps = range(people + 1)
    while True:
        stride = -(-len(steps) // 40) if len(steps) > 61 else 1
        places = [*steps[:-1:stride], steps[-1]]
        distances = [_distance(a, b) for a, b in pairwise([rows(j) for j in places])]
        best = int(np.argmax(distances))
        if stride == 1:
            return places[best]
        steps = range(places[best], places[best + 1] + 1)


def _event(often, rarely, claim):
    """Return edges, which pieces between them make the best event, and its excess in three times the runs.

    Half of the runs put the pieces in order, by how much likelier they are in the one world; the other half tells how
    many of the first, of those at the left end, or of those at the right end, make the event.
    """
    halves = often[::2], rarely[::2], often[1::2], rarely[1::2]
    edges = np.unique(np.concatenate([often, rarely]))
    if len(edges) > 60:
        edges = np.unique(np.concatenate([np.quantile(side, _CUTS) for side in (often, rarely)]))
    counts = [np.bincount(np.searchsorted(edges, half, side="right"), minlength=len(edges) + 1) for half in halves]
    pieces = np.arange(len(edges) + 1)
    likelier = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5), kind="stable")
    orders = np.array([likelier, pieces, pieces[::-1]])
    p, q = (6 * np.cumsum(count[orders], axis=1) for count in counts[2:])  # hits, if the rest goes on like this
    low = special.betaincinv(np.maximum(p, 1e-9), 6 * len(halves[2]) - p + 1, ALARM)
    high = 1 - special.betaincinv(np.maximum(6 * len(halves[3]) - q, 1e-9), q + 1, ALARM)
    scores = np.log(np.maximum(low, 1e-300) / claim(high))
    order, size = np.unravel_index(np.argmax(scores), scores.shape)
    return edges, np.isin(pieces, orders[order, : size + 1]), float(scores[order, size])


def _worse_event(sides, claim):
    """Return what `_event` does in the direction that looks worse, and which of the sides has it too often."""
    return max(((*_event(sides[k], sides[1 - k], claim), k) for k in (0, 1)), key=lambda event: event[2])


def _measured(edges, chosen, often, rarely, claim) -> float:
    a, b = (chosen[np.searchsorted(edges, part, side="right")] for part in (often, rarely))
    return event_excess(a, b, claim)


def _learn_score(first, second):
    """Return a function that says of rows how much more they look like the second world's than like the first's.

    What the columns say that tell the worlds apart adds up, as if they were independent.
    """
    # Ranks, since a few numbers that are far off would hide what all others say.
    lower, higher = np.split(pd.DataFrame(np.concatenate([first, second])).rank().to_numpy(), [len(first)])
    spread = np.sqrt((lower.var(axis=0) + higher.var(axis=0)) / len(first))
    telling = []  # columns, their cuts, and what each piece between these says
    for column in np.flatnonzero(np.abs(higher.mean(axis=0) - lower.mean(axis=0)) > 6 * spread):
        edges = np.unique(np.quantile(np.append(first[:, column], second[:, column]), np.linspace(0, 1, 31)[1:-1]))
        counts = [
            np.bincount(np.searchsorted(edges, part[:, column], side="right"), minlength=edges.size + 1)
            for part in (first, second)
        ]
        telling.append((column, edges, np.log((counts[1] + 0.5) / (counts[0] + 0.5))))

    def score(rows):
        gains = [gain[np.searchsorted(edges, rows[:, column], side="right")] for column, edges, gain in telling]
        return np.sum(gains, axis=0) if gains else np.zeros(len(rows))

    return score


def _distance(a, b) -> float:
    """Return the largest distance of two empirical distribution functions, of all columns."""
    a, b = (part.reshape(len(part), -1) for part in (a, b))
    below = [(part[:, None, :] <= np.concatenate([a, b])).mean(axis=0) for part in (a, b)]
    return float(np.abs(below[0] - below[1]).max())
