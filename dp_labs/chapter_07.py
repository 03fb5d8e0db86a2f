"""The labs of chapter 7, Local sensitivity."""

import math
from functools import partial

import numpy as np

from dp_helpers import judging

from .answers import NotYet, array, finite, function, truth, without_salted_hash
from .guard import TooLong, within_time
from .noise import (
    Case,
    Pair,
    Size,
    above,
    additive,
    below,
    edge,
    laplace_steps,
    may_be,
    not_rounded_before,
    release,
)
from .tables import NumberLab

LABS = (
    "who-moves-the-mean",
    "attack-the-club",
    "chunk-of-ones-own",
    "test-and-release-a-median",
)

who_moves_the_mean = NumberLab(
    right=15,
    praise="Without the oldest the mean falls from 30 to 15; no newcomer can do as much.",
    mistakes={
        70 / 6: "that is the largest change by somebody who joins. Who could leave?",
        100 / 6: "that is a bound for newcomers only, and somebody who leaves can do almost as much as that.",
        20: "that is a safe bound, range over n, but in this table nobody moves the mean that far.",
        25: "that is the bound (u - l)/(n - 1); in this table nobody moves the mean that far.",
        18: "that is replace-one: here a person joins or leaves.",
        5: "that is the change by a young person who leaves. Who can do more?",
        50: "that is the global sensitivity, the worst of all tables; this table is calmer.",
        30: "that is the mean itself. How far can one person move it?",
    },
    otherwise="the mean is 30; compute it again without each person, and with a newcomer of 0 or 100 years.",
)


def attack_the_club(answer) -> str:
    """Check the attack on noise that was scaled to the local sensitivity, with a floor of one year."""
    attack = function(answer)
    noise, wins = laplace_steps(2_000), []
    for present, scale in [(True, 70.0), (False, 1.0)]:
        wins.append(np.mean([truth(attack(float(given))) == present for given in 20 + scale * noise]))
    won = f"you win {sum(wins) / 2:.1%} of the games"
    if sum(wins) < 0.3 * 2:
        raise NotYet(f"{won}. Have you mixed up True and False?")
    if min(wins) == 0:
        raise NotYet(f"{won}: for one of the tables you are always wrong. Even the calm one has noise of one year.")
    if sum(wins) <= 0.9 * 2:
        raise NotYet(f"{won}; it should be more than 90%. Look at the size of the noise, on both sides of 20.")
    return f"{won.capitalize()}, where an ε of 1 would allow 73%."


def test_and_release_a_median(answer) -> str:
    """Check a propose-test-release of a median: bounds, distance, threshold, and both halves of the cost."""
    ptr = function(answer)

    def draw(values, bound, epsilon, delta, lower=0.0):
        def once(_, rng):
            result = ptr(np.array(values) + lower, lower, lower + 100.0, bound, epsilon, delta, rng)
            return None if result is None else finite(result) - lower

        return once

    _judge_a_large_bound(draw)

    def calm(values, epsilon=60.0, bound=30.0):  # A(0) = 0, A(1) = 40, so D = 1: refused with probability 1e-9 or less
        def released(rng):
            result = draw(values, bound, epsilon, 0.05, lower=64.0)(None, rng)
            if result is None:
                why = "D is the first k at which A(k) exceeds the bound; noise and threshold shrink with ε."
                raise NotYet(f"at D = 1 and a large ε it says no: {why}")
            return result

        return released

    reasons = {0.5: "You spend all of ε on the release.", 2: "Half of ε is for it."}
    where = "half of ε asks for noise of scale 2 · bound / ε; there"
    far = [-1000.0, 40.125, 40.125, 40.125, 3000.0]
    cases = [Case(calm(far, epsilon, bound), 40.125, 2 * bound / epsilon, where) for epsilon, bound in _SIZES]
    additive(cases, 76, Size(reasons=reasons))
    edge(calm([0.0] * 5), lambda rng: calm(far)(rng) - 40.125)
    not_rounded_before(lambda epsilon, rng: calm(far, 60 * epsilon)(rng), 40.125)
    _judge_the_test(draw)
    return "You clip, test with half of ε so that a restless table passes with chance δ only, release with the rest."


_SIZES = (150.0, 12.0), (48.0, 36.0)  # ε and bound, with noise of a scale below 1 and of one above


def _judge_the_test(draw) -> None:
    """Raise NotYet if the test passes too often at distance 0, or tells more than half of ε with a step.

    With δ = 0.025 the threshold is at distance 3, and half of ε is 1 for each step.
    """

    def at(k):
        return [0] + [50] * (2 * k + 1) + [100]

    def passed(values, epsilon, delta, runs):
        return np.array([draw(values, 10.0, epsilon, delta)(None, rng) is not None for _ in range(runs)])

    def published(values, rng, epsilon=2.0):
        return draw(values, 10.0, epsilon, 0.025)(None, rng)

    rng = np.random.default_rng(80)
    # With 5 for the test, a distance of 1 instead of 0 would pass one time in seven.
    if above(passed([0, 0, 50, 100, 100], 10.0, 0.001, 500), 0.02):
        why = "D is the first k at which A(k) exceeds the bound, counted from 0. What fails the test gets None."
        raise NotYet(f"your distance is too large: {why}")
    if above(passed(at(0), 2.0, 0.025, 3_000), 0.025):
        raise NotYet("at distance 0 your test passes more often than δ. Check the threshold.")
    # δ at distance 0, and e^(ε/2) times as often for each step.
    for epsilon, delta, far in [(2.0, 1e-6, 8), (1.0, 1e-4, 10), (4.0, 1e-4, 2)]:
        often, allowed = passed(at(far), epsilon, delta, 300), delta * math.exp(far * epsilon / 2)
        if above(often, allowed):
            where = f"at ε = {epsilon:g}, δ = {delta:g} and distance {far} your test passes in {often.mean():.0%}"
            raise NotYet(f"{where} of the runs, and {allowed:.1%} are allowed. Check the threshold: its δ, its ε.")
    if below(passed(at(18), 2.0, 1e-6, 200), 0.75):
        raise NotYet("at ε = 2, δ = 1e-6 and distance 18 your test says no too often. Check the threshold: its δ.")
    hint = "a step closer to trouble your test passes {:.1f} times less often than half of ε allows; look at its noise."
    for epsilon, steps in ((2.0, 2), (1.0, 4)):
        top = next((k for k in range(steps, 25) if passed(at(k), epsilon, 0.025, 200).mean() > 0.4), 24)
        pair = Pair(at(top), at(top - steps), steps * epsilon / 2, hint, 8_000)
        release(lambda values, rng, epsilon=epsilon: published(values, rng, epsilon) is not None, [pair], 78)
    both = [published(at(3), rng) for _ in range(2_000)]
    higher = np.array([result for result in both if result is not None]) > 50
    if not may_be(higher, 0.5):
        raise NotYet("test and release share a draw: somebody who sees the answer knows the noise of the test.")


def _judge_a_large_bound(draw) -> None:
    """Raise NotYet unless the clipped median is released when no table is as sensitive as the bound."""
    rng = np.random.default_rng(75)
    for values, median, mean in [([-45.0, -45, 90], 0, 30), ([250.0, 250, 300], 100, 100)]:
        try:
            given = within_time(partial(draw(values, 150.0, 500.0, 0.1), None, rng), 1)
        except (TooLong, IndexError, ValueError):
            raise NotYet("for a bound above the range your search finds no end: no A(k) is ever larger.") from None
        if given is None:
            raise NotYet("with a bound above the range the test always passes, yours returned None: is there a return?")
        if abs(given - median) < 12:  # twenty scales
            continue
        if abs(given - mean) < 12:
            raise NotYet("that releases the mean; the task is the median, with its own A(k).")
        raise NotYet(f"for the values {values} and the bounds 0 and 100 the median is {median}, and you are far off.")
    if np.ptp([draw([40.0, 50.0, 90.0], 150.0, 2.0, 0.1)(None, rng) for _ in range(20)]) < 1e-3:
        raise NotYet(judging.EXACT)


def _assigned(chunk_of, rows, chunks=8):
    """Return the chunk that the reader's function gives to each name, after a look at its form."""
    given = array(chunk_of(list(rows), chunks), (len(rows),), "one whole number for each name")
    if (given != np.rint(given)).any() or given.min() < 0 or given.max() >= chunks:
        raise NotYet(f"with {chunks} chunks, the numbers are whole and go from 0 to {chunks - 1}.")
    return given.astype(int)


def chunk_of_ones_own(answer) -> str:
    """Check that a name's chunk depends on nothing but the name, and that chunks are about equally large."""
    with without_salted_hash(function(answer)):
        _judge_chunks(partial(_assigned, answer))
    return "A person who leaves takes one row out of one chunk, nobody else moves, and anybody can do it again."


def _judge_chunks(assigned) -> None:
    names = [f"{first} {last}" for first in ("Ada", "Bob", "Cleo", "Dan") for last in range(500)]
    before, everybody = assigned(names), np.arange(len(names))
    for who, changed in [
        (everybody, "the same names got other chunks the second time: your colleague can't reproduce them."),
        *((np.delete(everybody, gone), "a name joined or left, and others changed their chunk.") for gone in (0, 700)),
        ([700], "everybody else left, and a name changed its chunk."),
        (everybody[::-1], "the same names in another order got other chunks."),
    ]:
        if (assigned([names[k] for k in who]) != before[who]).any():
            raise NotYet(changed)
    # 250 expected in each of 8 chunks, with a standard deviation of 15 for a good hash; likewise for 5 chunks.
    for chunks in (8, 5):
        sizes = np.bincount(assigned(names, chunks), minlength=chunks) * chunks
        if sizes.min() < 1_040 or sizes.max() > 3_200:
            least, most = sizes.min() // chunks, sizes.max() // chunks
            raise NotYet(f"of 2,000 names in {chunks} chunks, the smallest holds {least} and the largest {most}.")
