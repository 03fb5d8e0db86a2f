"""The labs of chapter 16, Efficiency and safety in code."""

import math

import numpy as np

from .answers import NotYet, close, function, margin, number


def lab_1(answer) -> str:
    """Check the bytes of the tallies of 300 million phones in batches of 100,000."""
    given, batches = number(answer), 3000
    right = batches * 14 * 8
    if close(given, 300_000_000 * 14) or close(given, 300_000_000 * 14 / 8):
        raise NotYet("those are the reports. Only tallies travel, one for each batch.")
    if close(given, 14 * 8):
        raise NotYet("that is one tally. Every batch sends one.")
    if close(given, batches * 14):
        raise NotYet("each of the 14 numbers has 8 bytes.")
    if close(given, batches * 8):
        raise NotYet("a tally has one number for each of the 14 answers.")
    if close(given, right * 8):
        raise NotYet("give bytes, not bits.")
    if given != right:
        raise NotYet("multiply the number of batches by the numbers in a tally, and by the bytes of each.")
    return "A third of a megabyte for a nation, and it grows with the batches, not with what people say."


def lab_2(answer) -> str:
    """Check which lines of the reviewed function leak."""
    if not isinstance(answer, (set, frozenset, list, tuple)):
        raise NotYet("give a set of line numbers, such as {2, 5}.")
    given = {int(number(line)) for line in answer}
    if not given <= set(range(1, 10)):
        raise NotYet("the lines have the numbers 1 to 9.")
    for line, reason in {
        2: "line 2 looks at ε, which is public, and not at the rows.",
        8: "line 8 writes down what is published anyway.",
        9: "line 9 is post-processing, and its bound doesn't depend on the data.",
    }.items():
        if line in given:
            raise NotYet(reason)
    if given & {1, 4, 5}:
        raise NotYet("lines 1, 4 and 5 are the mechanism itself, and its formula is right.")
    for line, hint in {
        7: "with the answer and something in a log, somebody can compute the exact count.",
        3: "one line tells for certain on which side of a bound the exact count is.",
        6: "one line makes an answer depend on how often the exact count fails to please.",
    }.items():
        if line not in given:
            raise NotYet(f"there is more to find: {hint}")
    return "An error, a retry and a log: none of them is in the formula, and each breaks its promise."


def lab_3(answer) -> str:
    """Check an exact sum in cents."""
    cents = function(answer)
    cases = [
        ([0.1, 0.2], 10, 30),
        ([-5.0, 3.25, 20.0], 10, 1325),
        ([], 10, 0),
        ([0.007, 0.007, 0.007], 1, 3),
        ([10.0] + [0.01] * 3, 10, 1003),
    ]
    for payments, upper, right in cases:
        given = cents(np.array(payments), upper)
        if not isinstance(given, int) or isinstance(given, bool):
            raise NotYet(f"return a Python int, not {type(given).__name__}.")
        where = f"{payments} up to {upper} euros are {right} cents"
        if given == sum(np.trunc(np.clip(payments, 0, upper) * 100).astype(int)) != right:
            raise NotYet(f"{where}: round to the nearest cent, don't cut the rest off.")
        if given == round(100 * float(np.clip(payments, 0, upper).sum())) != right:
            raise NotYet(f"{where}: round each row before you add; this rounds the sum.")
        if given == sum(np.rint(np.asarray(payments) * 100).astype(int)) != right:
            raise NotYet(f"{where}: clip each row to [0, upper] first.")
        if given != right:
            raise NotYet(f"{where}; your sum is {given}.")
    # Nine rows of 80 trillion euros: in euros, and in cents as floats, a row of one cent vanishes.
    large = np.array([8e13] * 9 + [0.01] * 101)
    right = 9 * 8 * 10**15 + 101
    for rows in (large, large[::-1]):
        given = cents(rows, 10**14)
        if given != right:
            raise NotYet(
                f"nine rows of 8e13 euros and 101 of one cent, {'small' if rows is not large else 'large'} ones first: "
                f"the sum is off by {given - right} cents. Add integers, not floats."
            )
    return "Integers don't round, so the sensitivity is that of the formula, in any order."


def lab_4(answer) -> str:
    """Check the smallest clamp whose delta is at most 1e-9 at epsilon 1."""
    given, alpha = number(answer), math.exp(-1)
    exact = math.log(2 / ((1 + alpha) * 1e-9))
    right = math.ceil(exact)
    if given == right - 1:
        raise NotYet(
            "nearly. Both ends count, and the chance of T or more isn't α^T alone but α^T / (1 + α) on a side."
        )
    if given == right + 1:
        raise NotYet("one less is enough: |z| = T is part of the ends already.")
    if given != right and math.ceil(given) == right:
        raise NotYet(f"{given:.2f} isn't a number of people; which is the smallest whole one?")
    if close(given, exact / math.log(10)):
        raise NotYet("take the natural logarithm.")
    if given != right:
        delta = 2 * alpha ** min(max(given, 1), 500) / (1 + alpha)
        raise NotYet(f"T = {given:g} gives a δ of {delta:.2g}; it is to be 1e-9 or less, with the smallest T.")
    return "Twenty times the typical noise, and the sampler has an end that nobody will meet."


def lab_5(answer) -> str:
    """Check that coins belong to the pair of survey and chunk, and to nothing else."""
    make = function(answer)
    pairs = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (3, 3), (5, 10**6), (6, 999_999), (1, 23), (12, 3), (2, 3)]

    def coins(pair):
        rng = make(*pair)
        if not isinstance(rng, np.random.Generator):
            raise NotYet(f"return a NumPy generator, not {type(rng).__name__}.")
        return tuple(rng.integers(2**62, size=4).tolist())

    first = {pair: coins(pair) for pair in pairs}
    for pair in reversed(pairs):
        if coins(pair) != first[pair]:
            raise NotYet(
                f"survey {pair[0]}, chunk {pair[1]}, asked again, has other coins: they must not depend on time."
            )
    seen = {}
    for (survey, chunk), drawn in first.items():
        if drawn in seen:
            other = seen[drawn]
            raise NotYet(f"survey {survey}, chunk {chunk} has the coins of survey {other[0]}, chunk {other[1]}.")
        seen[drawn] = survey, chunk
    return "Any worker may take any chunk, today or tomorrow, and no two share a coin."


def lab_6(answer) -> str:
    """Check a sampler of geometric noise that always flips the same number of coins."""
    steady, rng, flips = function(answer), np.random.default_rng(6), 0

    def flip(p):
        nonlocal flips
        flips += 1
        if not 0 <= float(p) <= 1:
            raise NotYet(f"flip takes a chance between 0 and 1, not {float(p):g}.")
        return bool(rng.random() < p)

    for epsilon, cap in [(1.0, 25), (0.5, 50)]:
        noise, work = [], set()
        for _ in range(4000):
            flips = 0
            noise.append(number(steady(epsilon, cap, flip)))
            work.add(flips)
        if len(work) > 1:
            raise NotYet(
                f"at ε = {epsilon:g} it flips between {min(work)} and {max(work)} coins. "
                "Flip all of them first, and look afterwards."
            )
        drawn = np.array(noise)
        if (drawn != np.rint(drawn)).any():
            raise NotYet("the noise must be whole.")
        if drawn.min() >= 0 or drawn.max() <= 0:
            raise NotYet("the noise must have both signs.")
        z = np.arange(-cap, cap + 1)
        below = np.searchsorted(np.sort(drawn), z, side="right") / drawn.size
        if np.abs(below - _geometric_cdf(z, math.exp(-epsilon))).max() > margin(drawn.size):
            sd = math.sqrt(2 * math.exp(-epsilon)) / -math.expm1(-epsilon)
            raise NotYet(
                f"at ε = {epsilon:g} the noise doesn't follow the geometric distribution: "
                f"its standard deviation is {drawn.std():.2f}, not {sd:.2f}, or its shape is another."
            )
    return "The same number of coins in every run: whoever counts them learns nothing."


def _geometric_cdf(z: np.ndarray, alpha: float) -> np.ndarray:
    return np.where(z < 0, alpha ** np.abs(z), 1 + alpha - alpha ** (np.abs(z) + 1)) / (1 + alpha)
