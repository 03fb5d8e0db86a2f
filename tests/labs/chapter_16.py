"""Answers to the labs of chapter 16: right ones, and wrong ones with a part of what they are told."""

import decimal
import hashlib
import itertools
import math
import operator
import os
import secrets
import time
import zlib
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from labs.answers import patched


def least_delta(t):
    """Return the hockey-stick divergence at ε = 1 of geometric noise that ends at t, and of the same moved by 1."""
    alpha, z = math.exp(-1), np.arange(-t, t + 1)
    mass = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z)
    mass[[0, -1]] = alpha**t / (1 + alpha)
    return np.maximum(np.append(mass, 0) - math.e * np.append(0, mass), 0).sum()


def in_cents(payments, upper):
    return int(np.rint(100 * np.clip(np.asarray(payments, dtype=float), 0, upper)).astype(np.int64).sum())


def one_by_one(payments, upper):
    return sum(round(100 * min(max(float(x), 0.0), upper)) for x in payments)


def with_decimals(payments, upper):
    cent, total = decimal.Decimal("0.01"), 0
    zero, upper = decimal.Decimal(0), decimal.Decimal(upper)
    for x in payments.tolist():
        total += int(min(max(decimal.Decimal(repr(x)), zero), upper).quantize(cent) * 100)
    return total


def clipped_in_cents(payments, upper):
    return sum(min(max(round(100 * float(x)), 0), 100 * upper) for x in payments)


def of_clipped(change):
    return lambda payments, upper: int(change(np.clip(payments, 0, upper)))


def generator(survey, chunk):
    return np.random.default_rng(np.random.SeedSequence(survey, spawn_key=(chunk,)))


def hashed(survey, chunk):
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"{survey},{chunk}".encode()).digest()))


def numbered_pairs(survey, chunk):  # Cantor
    return np.random.default_rng((survey + chunk) * (survey + chunk + 1) // 2 + chunk + 2**80)


def seeded(seed):
    return lambda survey, chunk: np.random.default_rng(seed(survey, chunk))


REMEMBERED, DRAWN, OF_THIS_PROCESS, KEPT_LISTS = {}, secrets.randbits, secrets.randbits(128) | 2**127, {}
ALWAYS = np.random.default_rng(3)


def all_coins(epsilon, cap, flip):
    p = math.exp(-epsilon)
    heads = [[*(flip(p) for _ in range(cap)), False].index(False) for _ in range(2)]
    return heads[0] - heads[1]


def padded(epsilon, cap, flip):
    noise, used = 0, 0
    for sign in (1, -1):
        while flip(math.exp(-epsilon)) and used < 3 * cap:
            noise, used = noise + sign, used + 1
    for _ in range(4 * cap - used):
        flip(0.5)
    return noise


def zero_sign_size(epsilon, cap, flip):
    alpha = math.exp(-epsilon)
    zero, negative = flip((1 - alpha) / (1 + alpha)), flip(0.5)
    size = 1 + [*(flip(alpha) for _ in range(cap)), False].index(False)
    return 0 if zero else -size if negative else size


def from_bits(epsilon, cap, flip):
    u = sum(flip(0.5) * 2.0**-k for k in range(1, 41)) + 2.0**-42
    alpha = math.exp(-epsilon)
    z = np.arange(-cap, cap + 1)
    below = np.where(z < 0, alpha ** np.abs(z), 1 + alpha - alpha ** (np.abs(z) + 1.0)) / (1 + alpha)
    return np.int64(z[min(np.searchsorted(below, u), 2 * cap)])


def by_digits(epsilon, cap, flip):
    """Return the difference of two sizes by their binary digits, each a coin of its own chance."""
    odds = [math.exp(-epsilon * 2**k) for k in range(6)]
    one, other = (sum(flip(x / (1 + x)) << k for k, x in enumerate(odds)) for _ in range(2))
    return one - other


KEPT = []


def every_second_opposite(epsilon, cap, flip):
    noise = all_coins(epsilon, cap, flip)
    if KEPT:
        return -KEPT.pop()
    KEPT.append(noise)
    return noise


RIGHT = {
    "review": [
        [7, 6, 3],
    ],
    "add-cents": [
        in_cents,
        one_by_one,
        with_decimals,
        clipped_in_cents,
        lambda payments, upper: int(pd.Series(payments).clip(0, upper).mul(100.0).round().astype(int).sum()),
        lambda payments, upper: sum(int(f"{min(max(x, 0), upper):.2f}".replace(".", "")) for x in payments),
        lambda payments, upper: sum(round(100 * Fraction(min(max(x, 0), upper))) for x in payments.tolist()),
    ],
    "where-may-the-noise-end": [
        decimal.Decimal(14),
        next(t for t in itertools.count(1) if least_delta(t) <= 1e-6),
    ],
    "generator-for-each-chunk": [
        generator,
        lambda survey, chunk: np.random.default_rng([chunk, survey]),
        lambda survey, chunk: np.random.Generator(np.random.PCG64(np.random.SeedSequence([7, survey, chunk, 1]))),
        lambda survey, chunk: np.random.Generator(np.random.Philox(key=[survey, chunk])),
        hashed,
        lambda survey, chunk: np.random.Generator(np.random.PCG64([survey, 1]).jumped(chunk)),
        lambda survey, chunk: np.random.Generator(np.random.PCG64([survey, 1]).advance(chunk << 64)),
        lambda survey, chunk: np.random.Generator(np.random.Philox(key=survey, counter=[0, 0, 0, chunk])),
        lambda survey, chunk: np.random.Generator(np.random.MT19937([survey, chunk, 16])),
        seeded(lambda survey, chunk: list(f"{survey}-{chunk}".encode())),
        partial(lambda salt, survey, chunk: np.random.default_rng([salt, survey, chunk]), 16),
        numbered_pairs,
        seeded(lambda survey, chunk: hash((survey, chunk)) % 2**64),
        seeded(lambda survey, chunk: KEPT_LISTS.setdefault((survey, chunk), [survey, chunk, 9])),
    ],
    "no-clock-ticks": [
        all_coins,
        padded,
        zero_sign_size,
        from_bits,
        by_digits,
        lambda *given: pd.Series([all_coins(*given)]),
    ],
}
STEP = "[*(flip(p) for _ in range(cap)), False].index(False)"
WRONG = {
    "add-cents": [
        (lambda payments, upper: float(in_cents(payments, upper)), "a Python int"),
        (of_clipped(lambda rows: np.trunc(rows * 100).sum()), "don't cut the rest off"),
        (of_clipped(lambda rows: (np.round(rows, 2) * 100).astype(int).sum()), "round after you multiply"),
        (lambda payments, upper: round(100 * float(np.clip(payments, 0, upper).sum())), "round each row before"),
        (lambda payments, upper: int(np.rint(np.asarray(payments) * 100).sum()), "clip each row"),
        (lambda payments, upper: int(np.rint(np.minimum(payments, upper) * 100).sum()), "at both ends"),
        (lambda payments, upper: int(np.rint(np.maximum(payments, 0) * 100).sum()), "at both ends"),
        (lambda payments, upper: round(100 * min(max(sum(payments.tolist()), 0), upper)), "not the sum"),
        (lambda payments, upper: 0, "your sum is 0"),
        (of_clipped(lambda rows: np.rint(rows * 100).sum()), "Add integers"),
        (of_clipped(lambda rows: np.rint(rows * 100).astype(np.int64).sum(dtype=np.int32)), "Add integers"),
        (of_clipped(lambda rows: math.fsum(np.rint(100 * rows))), "Add integers"),
        (of_clipped(lambda rows: np.rint(100 * rows.astype(np.float32)).astype(np.int64).sum()), "Add integers"),
        (of_clipped(lambda rows: np.trunc(100 * rows.sum())), "not the sum"),
        (of_clipped(lambda rows: np.ceil(rows * 100).sum()), "not up"),
        (of_clipped(lambda rows: np.rint(rows).sum()), "cents, not euros"),
        (of_clipped(lambda rows: 100 * np.rint(rows).sum()), "not to whole euros"),
    ],
    "generator-for-each-chunk": [
        (lambda survey, chunk: np.random.default_rng([survey, chunk, os.getpid()]), "others in each process"),
        (seeded(lambda survey, chunk: np.random.SeedSequence(survey).spawn(chunk + 1)[chunk]), "a spawn_key"),
        (lambda survey, chunk: np.random.RandomState(chunk), "a NumPy generator"),
        (lambda survey, chunk: ALWAYS, "must depend on the two numbers only"),
        (lambda survey, chunk: np.random.default_rng(), "must depend on the two numbers only"),
        (seeded(lambda s, c: REMEMBERED.setdefault((s, c), DRAWN(128))), "keeps something in REMEMBERED"),
        (lambda s, c: np.random.default_rng([OF_THIS_PROCESS, s, c]), "OF_THIS_PROCESS was made outside"),
        (lambda s, c: np.random.default_rng([time.time_ns(), s, c]), "its clock and its secrets"),
        (seeded(lambda survey, chunk: survey - chunk), "no generator came out"),
        *((seeded(mix), "the coins of") for mix in (operator.add, operator.mul, operator.xor, lambda s, c: c)),
        *((seeded(mix), ", chunk ") for mix in (operator.add, operator.xor)),  # and not of a list that isn't there
        (seeded(lambda survey, chunk: int(f"{survey}{chunk}")), "the coins of"),
        *((seeded(lambda s, c, k=k: k * s + c), "the coins of") for k in (50, 1000)),
        *((seeded(lambda s, c, k=k: s + k * c), "the coins of") for k in (100, 2**31 - 1)),
        (seeded(lambda survey, chunk: 99_991 * survey + 7919 * chunk), "some share their coins"),
        (lambda survey, chunk: np.random.default_rng(hashed(survey, chunk).integers(2**32)), "seeds have 32 bits"),
        (lambda s, c: np.random.Generator(np.random.Philox(key=hashed(s, c).integers(2**32))), "have 32 bits"),
        (lambda survey, chunk: np.random.default_rng(abs(hash(f"{survey}, {chunk}"))), "in every session"),
        (seeded(lambda survey, chunk: [survey, chunk]), "put at the end of a list, changes nothing"),
        (seeded(lambda s, c: list(hashlib.sha256(f"{s},{c}".encode()).digest()[:4])), "seeds have 32 bits"),
        (seeded(lambda s, c: np.random.SeedSequence(5, spawn_key=(zlib.crc32(b"%d,%d" % (s, c)),))), "35 bits"),
        *((lambda s, c, k=k: np.random.Generator(np.random.PCG64([s, 9]).advance(k * c)), message)
          for k, message in [(1, "some places further on"), (1_000_000, "they overlap")]),
        (seeded(lambda s, c: [*sorted((s, c)), 1]), "the coins of"),
        (seeded(lambda s, c: [7, s, c % 2**31]), "the coins of"),
        (lru_cache(lambda s, c: np.random.default_rng([s, c, 1])), "must depend on the two numbers only"),
    ],
    "no-clock-ticks": [
        (every_second_opposite, "anew in every call"),
        (lambda epsilon, cap, flip: all_coins(1.0, cap, flip), "that of about ε = "),
        (patched(all_coins, "-epsilon", "-1.1 * epsilon"), "of about ε = 1.1"),
        (patched(all_coins, "heads[0] - heads[1]", "heads[0] - heads[1] or flip(p) - flip(p)"), "then look"),
        (lambda epsilon, cap, flip: np.random.default_rng().integers(-9, 10), "has to come from flip"),
        (patched(all_coins, "heads[0] - heads[1]", "3"), "the same number in every run"),
        (patched(all_coins, STEP, "next((k for k in range(cap) if not flip(p)), cap)"), "flip all first"),
        (patched(all_coins, "- heads[1]", "* (1 if flip(0.5) else -1)"), "zero comes up twice as often"),
        (patched(all_coins, STEP, "sum(flip(p) for _ in range(cap))"), "isn't geometric"),
        (patched(all_coins, "math.exp(-epsilon)", "1 - math.exp(-epsilon)"), "heads for tails"),
        (patched(all_coins, " - heads[1]", ""), "both signs"),
        (lambda epsilon, cap, flip: all_coins(epsilon, 3 * cap // 4, flip), "your noise ends at 18"),
        (patched(all_coins, "- heads[1]", "- heads[1] + 0.5"), "must be whole"),
        (lambda e, cap, flip: flip(2), "between 0 and 1"),
        (lambda e, cap, flip: 3, "not called at all"),
    ],
}  # fmt: skip
