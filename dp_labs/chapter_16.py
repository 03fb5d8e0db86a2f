"""The labs of chapter 16, Efficiency and safety in code."""

import itertools
import math
import operator
import time
from functools import partial

import numpy as np

from .answers import NotYet, expect, finite, function, number, reads, uses, without_salted_hash
from .noise import may_be
from .tables import LinesLab, NumberLab

LABS = (
    "review",
    "add-cents",
    "where-may-the-noise-end",
    "generator-for-each-chunk",
    "no-clock-ticks",
)

review = LinesLab(
    lines=9,
    hints={
        7: "with the answer and something in a log, somebody can compute the exact count.",
        3: "one line tells for certain on which side of a bound the exact count is.",
        6: "one line draws until the answer looks right; how often that takes depends on the exact count.",
    },
    harmless={
        2: "line 2 looks at ε, which is public, and not at the rows.",
        8: "line 8 writes down the noisy answer, which may be published anyway.",
        9: "line 9 is post-processing, and its bound doesn't depend on the data.",
        **dict.fromkeys([1, 4, 5], "lines 1, 4 and 5 are the mechanism itself, and its formula is right."),
    },
    praise="An error, a retry and a log: none of them is in the formula, and each breaks its promise.",
)


def add_cents(answer) -> str:
    """Check an exact sum in cents."""
    cents = function(answer)
    for payments, upper, right in [
        ([-5.0, 3.25, 20.0], 10, 1325),
        ([], 10, 0),
        ([0.29, 0.58, 4.35, 0.007], 10, 523),
        ([0.007, 0.007, 0.007, 0.002], 1, 3),
    ]:
        given = cents(np.array(payments), upper)
        number(given)
        if not isinstance(given, int):
            raise NotYet(f"return a Python int, not {type(given).__name__}.")
        where = f"{payments} up to {upper} euros are {right} cents:"
        expect(given, right, _slips(np.array(payments), upper), f"your sum is {given}.", operator.eq, where)
    # Nine rows of 80 trillion euros: in euros, and in cents as floats, a row of one cent vanishes.
    large = np.array([8e13] * 9 + [0.01] * 101)
    for rows in (large, large[::-1]):
        off = cents(rows.copy(), 10**14) - (9 * 8 * 10**15 + 101)
        if off:
            raise NotYet(f"nine rows of 8e13 euros and 101 of a cent are off by {off} cents. Add integers of 64 bits.")
    return "Integers don't round, so the sensitivity is that of the formula, in any order."


def _slips(rows, upper) -> list:
    """Return wrong sums that somebody may come to, each with the reason."""
    clipped, unclipped = np.clip(rows, 0, upper), (rows, np.minimum(rows, upper), np.maximum(rows, 0))
    return [
        (np.trunc(clipped * 100).sum(), "0.29 * 100 is below 29: round to the nearest cent, don't cut the rest off."),
        ((np.round(clipped, 2) * 100).astype(int).sum(), "0.29 * 100 is below 29: round after you multiply."),
        *((cut(100 * clipped.sum()), "round each row before you add, not the sum.") for cut in (np.rint, np.trunc)),
        (np.ceil(clipped * 100).sum(), "round to the nearest cent, not up."),
        *((np.rint(part * 100).sum(), "clip each row to [0, upper] first, at both ends.") for part in unclipped),
        (np.rint(100 * np.clip(rows.sum(), 0, upper)), "clip each row, not the sum."),
        (np.rint(clipped).sum(), "cents, not euros."),
        (np.rint(clipped).sum() * 100, "round to whole cents, not to whole euros."),
    ]


_ALPHA = math.exp(-1)
_EXACT = math.log(1 / ((1 + _ALPHA) * 1e-6))  # about 13.5
where_may_the_noise_end = NumberLab(
    right=math.ceil(_EXACT),
    praise="Fourteen times the typical noise, and the sampler has an end that hardly anybody will meet.",
    mistakes={
        _EXACT: "that isn't a whole number of people; which is the smallest that is enough?",
        math.floor(_EXACT): f"at 13 the δ is {_ALPHA**13 / (1 + _ALPHA):.2g}, which is a little too much.",
        math.ceil(_EXACT) + 1: "one less is enough: only one end of the range is impossible on the other table.",
        _EXACT + math.log(2): "that counts both ends. Only one of them is impossible on the other table.",
        6 * math.log(10): "the chance of T or more isn't α^T but α^T / (1 + α).",
        **dict.fromkeys([_EXACT / math.log(10), 6], "take the natural logarithm, not the one to base 10."),
        **dict.fromkeys([28, 29], "that is the whole range, from −T to T; give T."),
    },
    otherwise="the chance of T or more is α^T / (1 + α); it is to be 1e-6 or less, with the smallest T.",
)


def generator_for_each_chunk(answer) -> str:
    """Check that coins belong to the pair of survey and chunk, and to nothing else."""
    _of_this_process(function(answer))
    with without_salted_hash(answer):
        _judge_coins(answer)
    return "Any worker may take any chunk, today or tomorrow, and no two share a coin."


_SECRETS = "getpid", "secrets", "urandom", "SystemRandom", "uuid1", "uuid4", "time", "time_ns", "perf_counter"


def _of_this_process(answer) -> None:
    """Refuse what another process can't know: its number, its clock, what it drew or remembers."""
    if uses(answer, *_SECRETS):
        raise NotYet("a process's number, its clock and its secrets are others in each process: take none of them.")
    for name, value in reads(answer).items():
        seed = getattr(value, "entropy", int.from_bytes(value) if isinstance(value, bytes) else value)
        if isinstance(seed, (int, np.integer)) and int(seed).bit_length() > 40:
            why = "was made outside of your function, and a worker in another process may make another one"
            raise NotYet(f"{name} {why}: write the number that you mean into the function.")
        if isinstance(value, (dict, list, set)):
            _remembering(answer, name, value)


def _remembering(answer, name, memory) -> None:
    """Refuse coins that another process can't draw again, because it hasn't what this one keeps in ``memory``."""
    kept, (survey, chunk) = memory.copy(), (2**31 + 11, 2**30 + 7)
    drawn = _coins(answer, survey, chunk)
    memory.clear()
    (memory.extend if isinstance(memory, list) else memory.update)(kept)
    if _coins(answer, survey, chunk) != drawn:
        raise NotYet(f"your function keeps something in {name} that another process hasn't, and can't draw again.")


def _judge_coins(answer) -> None:
    """Compare the coins of many pairs, with each other and with the survey's own."""
    coins, longest = partial(_coins, answer), 0
    coins(1, 0)
    started = time.process_time()
    coins(1, 20_000)
    if time.process_time() - started > 0.05:
        raise NotYet("chunk 20,000 takes long: spawn makes all chunks up to it. Give SeedSequence a spawn_key instead.")
    seen = {}
    for survey, chunk in _pairs():
        drawn, bits = coins(survey, chunk)
        redrawn, _ = coins(survey, chunk)
        name, longest = f"survey {survey}, chunk {chunk}", max(longest, bits)
        if drawn != redrawn:
            raise NotYet(f"{name}, asked again, has other coins: they must depend on the two numbers only.")
        for place, coin in enumerate(drawn):
            owner, where = seen.setdefault(coin, (name, place))
            if owner != name:
                raise NotYet(f"{name} has{'' if place == where else ', some places further on,'} the coins of {owner}.")
    for survey in (1, 2, 16, 2**31):  # after all pairs: whose seed is a sum of both hears of that
        for coin in set(np.random.default_rng(survey).integers(2**62, size=16).tolist()) & set(seen):
            raise NotYet(
                f"{seen[coin][0]} has the coins of default_rng({survey}), which the survey may use: chunk 0 has to "
                "change them, too. A 0 that is added, or put at the end of a list, changes nothing."
            )
    if (answer(1, 0).integers(2**62, size=4_000_000) == coins(1, 1)[0][0]).any():
        raise NotYet("survey 1, chunk 0 comes, millions of coins further on, to the coins of chunk 1: they overlap.")
    if longest < 60:
        raise NotYet(f"your seeds have {longest} bits, and there are nearly 2^64 pairs: some share their coins.")


def _coins(make, survey, chunk) -> tuple:
    """Return the first coins of the generator that the reader's function makes, and how many bits choose it."""
    try:
        rng = make(survey, chunk)
    except (ValueError, OverflowError) as error:
        raise NotYet(f"for survey {survey}, chunk {chunk} no generator came out: {error}.") from None
    if not isinstance(rng, np.random.Generator):
        raise NotYet(f"return a NumPy generator, not {type(rng).__name__}.")
    bits, seed = rng.bit_generator, getattr(rng.bit_generator, "seed_seq", None)
    state = bits.state["state"]
    advanced = seed and "inc" in state and type(bits)(seed).state["state"] != state  # a PCG64, chunk steps on
    keys = np.ravel(state.get("key", 2**63)), state.get("counter", ())  # a Philox may have a key, and no seed
    numbers = [*np.ravel(seed.entropy), *seed.spawn_key, chunk * advanced] if seed else np.concatenate(keys)
    return rng.integers(2**62, size=16).tolist(), sum(int(part).bit_length() for part in numbers)


def _pairs() -> list:
    """Return pairs on which sums, products, digits and bits of the two numbers meet."""
    powers = {base**k + d for base in (2, 10) for k in range(1, 32) for d in (-1, 0, 1) if base**k < 2**32}
    far = sorted(powers | {100 * k for k in range(1, 12)})
    near = itertools.product(range(1, 31), range(60))
    return [*near, *itertools.product((1, 2, 3), far), *itertools.product(far, (0, 1, 2)), (2**32 - 1, 2**32 - 1)]


def no_clock_ticks(answer) -> str:
    """Check a sampler of geometric noise that always flips the same number of coins."""
    steady, rng, flips = function(answer), np.random.default_rng(6), 0
    alike = np.random.default_rng(66), np.random.default_rng(66)
    draws, redrawn = (
        [repr(steady(1.0, 25, lambda p, rng=rng: bool(rng.random() < p))) for _ in range(101)] for rng in alike
    )
    if draws != redrawn:
        raise NotYet("the same coins gave other noise: all randomness has to come from flip, anew in every call.")

    def flip(p):
        nonlocal flips
        flips, chance = flips + 1, float(p)
        if not 0 <= chance <= 1:
            raise NotYet(f"flip takes a chance between 0 and 1, not {chance:g}.")
        return bool(rng.random() < chance)

    for epsilon, cap in [(1.0, 25), (0.3, 24)]:  # the second shows what is cut off at half of the cap
        noise, work = [], set()
        while len(noise) < 10_000 and len(work) < 20:
            flips = 0
            noise.append(finite(steady(epsilon, cap, flip)))
            work.add(flips)
        if work == {0}:
            raise NotYet("take your coins from flip: it was not called at all.")
        if len(work) > 1:
            raise NotYet(f"at ε = {epsilon:g} it flips {min(work)} to {max(work)} coins: flip all first, then look.")
        _judge_geometric(np.array(noise), epsilon, cap)
    return "The same number of coins in every run: somebody who counts them learns nothing."


def _judge_geometric(drawn, epsilon, cap) -> None:
    """Refuse noise that isn't two-sided geometric, by how often it is at most each whole number (else 2e-6)."""
    if (drawn != np.rint(drawn)).any():
        raise NotYet("the noise must be whole.")
    if drawn.min() >= 0 or drawn.max() <= 0:
        raise NotYet("the noise must have both signs, and not be the same number in every run.")
    alpha, z, end = math.exp(-epsilon), np.arange(-cap, cap + 1), int(np.abs(drawn).max())
    real = math.asinh(1 / np.abs(drawn).mean())  # its mean size 2α/(1 − α²) is 1 / sinh ε
    two_zeros = np.where(z < 0, alpha ** np.abs(z) / 2, 1 - alpha ** (np.abs(z) + 1) / 2)
    mistakes = [
        (two_zeros, "zero comes up twice as often as it should: +0 and −0 are the same noise."),
        (_geometric_cdf(z, 1 - alpha), "you took heads for tails: another step has the chance e^(−ε), not 1 − e^(−ε)."),
        (_geometric_cdf(z, math.exp(-real)), f"your noise is that of about ε = {real:.2f}."),
    ]
    sd, right = math.sqrt(2 * alpha) / (1 - alpha), _geometric_cdf(z, alpha)
    why = f"the noise isn't geometric: its standard deviation is {drawn.std():.2f}, not {sd:.2f}, or its shape another."
    if ends := end < cap and not may_be(np.abs(drawn) > end, 2 * alpha ** (end + 1) / (1 + alpha)):
        why = f"cap is {cap}, and your noise ends at {end}: look at cap coins for each number."

    def may_have(drawn, cdf):
        return not (ends and cdf is right) and all(may_be(drawn <= k, p) for k, p in zip(z, cdf, strict=True))

    # If the law is right but for its end, that is said before all else.
    expect(drawn, right, [(right.copy(), why), *mistakes], why, may_have, f"at ε = {epsilon:g}")


def _geometric_cdf(z: np.ndarray, alpha: float) -> np.ndarray:
    return np.where(z < 0, alpha ** np.abs(z), 1 + alpha - alpha ** (np.abs(z) + 1)) / (1 + alpha)
