"""The labs of chapter 10, The sparse vector technique."""

import itertools
import math

import numpy as np

from .answers import NotYet, close, follows, function, laplace_cdf, margin, number


def lab_1(answer) -> str:
    """Check the distance from the threshold that the theorem asks for."""
    given, right = number(answer), 8 * (math.log(1000) + math.log(40)) / 0.5
    if close(given, 8 * math.log(40) / 0.5):
        raise NotYet("that is α for a single count. How many are there?")
    if close(given, right / 2) or close(given, right / 4):
        raise NotYet("check the division by ε = 0.5.")
    if close(given, 8 * (math.log(1000) + math.log(2 / 0.95)) / 0.5):
        raise NotYet("β is the probability of a mistake, 5%.")
    if close(given, 8 * (3 + math.log10(40)) / 0.5):
        raise NotYet("both logarithms are natural ones.")
    if not close(given, right):
        raise NotYet("α = 8 Δ (ln k + ln(2/β)) / ε, with Δ = 1 and β = 5%.")
    return "About 170 people: small beside a census, and hopeless beside a school class."


def lab_2(answer) -> str:
    """Check what AboveThreshold costs on monotonic answers."""
    given = number(answer)
    if close(given, 0.4):
        raise NotYet("that pays for the threshold. The noise of the last answer has to move, too.")
    if close(given, 0.8):
        raise NotYet("0.8 is safe, but the last answer's noise has to move by 1 only, not by 2.")
    if close(given, 1.2):
        raise NotYet("that is the price with both scales halved; here neither is.")
    if not close(given, 0.6):
        raise NotYet("the threshold moves by 1 at scale 2/0.8, one answer's noise by 1 at scale 4/0.8: add the two.")
    return "0.4 for the threshold and 0.2 for the answer that passes: three quarters of ε, not half."


def lab_3(answer) -> str:
    """Check AboveThreshold for any sensitivity, on streams of any length."""
    search, rng = function(answer), np.random.default_rng(3)

    def stop(answers, sensitivity=1.0, epsilon=1.0):
        found = search(answers, 0.0, sensitivity, epsilon, rng)
        if found is not None and (isinstance(found, (bool, np.bool_)) or not isinstance(found, (int, np.integer))):
            raise NotYet(f"return a position, counted from 0, or None, not {found!r}.")
        return found

    given = stop(iter([-1e9, -1e9, 1e9]))
    if given != 2:
        raise NotYet(f"of the answers -1e9, -1e9, 1e9 the one at position 2 passes, and you return {given!r}.")
    if any(stop([-1e9] * 5) is not None for _ in range(20)):
        raise NotYet("if no answer passes, return None.")
    asked = []

    def endless():
        for i in itertools.count():
            if i > 10:
                raise NotYet("position 3 passes for sure, and you go on asking. Stop there.")
            asked.append(i)
            yield 1e9 if i == 3 else -1e9

    if stop(endless()) != 3 or len(asked) != 4:
        raise NotYet(f"position 3 passes for sure, and you asked for {len(asked)} answers. Ask for no more than 4.")
    # How often three answers pass; of 6,000 runs the share is off by more than 0.043 with probability 1e-9.
    for sensitivity, epsilon in [(1, 1), (5, 1), (0.2, 0.5)]:
        runs, unit = 6_000, sensitivity / epsilon
        results = [stop([-6.0 * unit, 0.0, 4.0 * unit], sensitivity, epsilon) for _ in range(runs)]
        for k, answers in [(0, [-6]), (1, [-6, 0]), (2, [-6, 0, 4])]:
            share, right = results.count(k) / runs, _stops_at_end(answers, 2, 4)
            if abs(share - right) > margin(runs):
                raise NotYet(
                    f"at sensitivity {sensitivity} and ε = {epsilon} you stop at position {k} in {share:.0%} of runs, "
                    f"and {right:.0%} would be right. Check both scales, and where each noise is drawn."
                )
    # A noisy threshold of its own for each answer would give 19%.
    runs, right = 12_000, _silence(30, 10)
    silent = sum(stop([-10.0] * 30) is None for _ in range(runs)) / runs
    if abs(silent - right) > margin(runs):
        raise NotYet(f"thirty answers of -10 give None in {silent:.0%} of runs, not {right:.0%}: where is noise drawn?")
    return "Both scales grow with the sensitivity, and the stream may be endless."


def _silence(k, distance) -> float:
    """Return the probability that none of k answers at this distance below the threshold passes, for ε = 1."""
    t = np.linspace(-80, 80, 16_001)
    return float(np.trapezoid(np.exp(-np.abs(t) / 2) / 4 * laplace_cdf(t + distance, 4) ** k, t))


def _stops_at_end(answers, threshold_scale, answer_scale) -> float:
    """Return the probability that a search stops at the last of the answers, for threshold 0."""
    t = np.linspace(-40 * threshold_scale, 40 * threshold_scale, 16_001)
    chance = np.exp(-np.abs(t) / threshold_scale) / (2 * threshold_scale)
    for answer in answers[:-1]:
        chance = chance * laplace_cdf(t - answer, answer_scale)
    return float(np.trapezoid(chance * (1 - laplace_cdf(t - answers[-1], answer_scale)), t))


def lab_4(answer) -> str:
    """Check mended positions and values: stop, failure, fresh noise, and the price of a pass."""
    large, rng = function(answer), np.random.default_rng(4)

    def release(answers, limit, epsilon=1.0):
        found = [(int(index), number(value)) for index, value in large(answers, 0.0, limit, epsilon, rng)]
        return [index for index, _ in found], np.array([value for _, value in found])

    positions, _ = release([-1e9] * 4, 2)
    if positions:
        raise NotYet("no answer passes, and you return something that looks like a success. Return an empty list.")
    positions, _ = release([1e9, -1e9, 1e9, 1e9, 1e9], 3)
    if len(positions) > 3:
        raise NotYet(f"with a limit of 3 you return {len(positions)} positions.")
    if positions != [0, 2, 3]:
        raise NotYet(f"of 1e9, -1e9, 1e9, 1e9, 1e9 the first three that pass are at 0, 2, 3; you return {positions}.")

    far = np.concatenate([release([1e6] * 3, 3, 2.0)[1] for _ in range(1_000)]) - 1e6
    if not follows(far, lambda x: laplace_cdf(x, 3.0)):
        scale = np.abs(far).mean()
        raise NotYet(f"with limit 3 and ε = 2 the values should have fresh noise of scale 3; yours has {scale:.1f}.")
    near = np.concatenate([release([0.0], 1, 2.0)[1] for _ in range(6_000)])
    if not follows(near, lambda x: laplace_cdf(x, 1.0)):
        raise NotYet("an answer at the threshold gets values that lean to one side: draw fresh noise for the value.")
    # The search may spend 1/6 on each of three passes; one answer 15 below the threshold.
    share = sum(bool(release([-15.0], 3)[0]) for _ in range(4_000)) / 4_000
    right = _stops_at_end([-15], 12, 24)
    if share < right - margin(4_000):
        raise NotYet(
            f"with limit 3 and ε = 1, an answer of -15 passes in {share:.0%} of runs, and {right:.0%} would be right: "
            "the search has too little noise for half of epsilon and three passes."
        )
    return "It stops in time, fails openly, draws fresh noise, and pays for every pass."


def lab_5(answer) -> str:
    """Check a private search for a clipping bound: useful on small and large columns, None beyond, and private."""
    find, rng = function(answer), np.random.default_rng(5)

    def bound(values, epsilon=1.0):
        found = find(np.asarray(values, dtype=float), epsilon, rng)
        return None if found is None else number(found)

    n, runs = 30_000, 60
    incomes = np.where(np.arange(n) < 200, 99_999.0, 0.0)
    columns = {
        "ages from 0 to 90": np.linspace(0, 90, n),
        "shares from 0 to 1": np.linspace(0, 1, n),
        "200 people with 99,999 and many zeros": incomes,
        "incomes up to 800 million": np.linspace(0, 8e8, n),
    }
    for name, values in columns.items():
        found = [bound(values) for _ in range(runs)]
        # The right answer's chance to fail is a few percent, so that 16 failures of 60 happen with less than 1e-9.
        if sum(b is None for b in found) > 15:
            raise NotYet(f"for {name} you often return None.")
        if sum(b is not None and (values > b).sum() > 100 for b in found) > 15:
            raise NotYet(f"for {name} your bound often leaves more than 100 people above it.")
        if sum(b is not None and b > 4 * max(1, values.max()) for b in found) > 15:
            raise NotYet(f"for {name} your bound is often far too high: does an answer of 0 pass reliably?")
    if sum(bound(np.full(n, 1e12)) is not None for _ in range(runs)) > 15:
        raise NotYet("if everybody is above a billion, return None: no bound is right.")

    # Two pairs of neighbours; an honest answer is caught by one comparison with probability 1e-9 / 40 at the most.
    trials = 3_000
    off = margin(trials, 1e-9 / 40)
    for some, other in [([], [1e8]), ([3.0] * 50, [3.0] * 50 + [1e6])]:
        here, there = ([bound(values, 0.5) for _ in range(trials)] for values in (some, other))
        steps = [10.0**k for k in range(9)]
        events = [lambda b: b is None] + [lambda b, s=s: b is not None and b <= s for s in steps]
        for event in events:
            p, q = (sum(map(event, found)) / trials for found in (here, there))
            if max(p, q) - off > math.exp(0.5) * (min(p, q) + off):
                raise NotYet(f"one person of {other[-1]:,.0f} changes your bound far more than ε = 0.5 allows.")
    return "It finds bounds from 1 to a billion, admits failure, and doesn't depend on any one person."
