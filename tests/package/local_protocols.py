"""One of each local protocol, the exact law of its reports, and people to ask: shared by the tests of dp_helpers.local.

The laws are written down from the definitions, with p and q; nothing here is drawn by the package.
"""

import itertools
import math

import numpy as np
import pandas as pd
from random_numbers import generator

import dp_helpers as dp

COLOURS = ["blue", "green", "red"]
PROTOCOLS = {
    "two coins": dp.RandomizedResponse.two_coins(),
    "unfair coin": dp.RandomizedResponse(truth=0.3, yes=0.2),
    "warner": dp.RandomizedResponse.from_epsilon(2.0),
    "direct": dp.DirectEncoding(COLOURS, epsilon=1.0),
    "unary": dp.UnaryEncoding(COLOURS, p=0.7, q=0.2),
    "sue": dp.UnaryEncoding.symmetric(COLOURS, 1.0),
    "oue": dp.UnaryEncoding.optimized(COLOURS, 4.0),
    "she": dp.HistogramEncoding(COLOURS, epsilon=2.0),
    "the": dp.ThresholdHistogramEncoding(COLOURS, epsilon=2.0),
    "the, high threshold": dp.ThresholdHistogramEncoding(COLOURS, epsilon=3.0, theta=1.2),
    "olh": dp.LocalHashing(COLOURS, epsilon=1.5),
}
WITH_SUPPORTS = [name for name, protocol in PROTOCOLS.items() if hasattr(protocol, "p")]


def people(protocol, n):
    """Return n answers, some of them commoner than others, and how many hold each."""
    answers = protocol.domain.repeat(range(1, protocol.domain.size + 1))
    values = np.resize(answers.to_numpy(), n)
    return values, pd.Series(values).value_counts().reindex(protocol.domain, fill_value=0)


def perturbed(protocol, values, seed=0):
    return protocol.perturb(protocol.encode(values), rng=generator(seed))


def support_law(protocol, position):
    """Return {supports: probability} of one report by a person whose answer stands at ``position``.

    Supports are a tuple of 0 and 1, one for each answer.  Direct encoding supports the answer it names, randomized
    response "yes" or "no"; in all others the answers are supported independently (in local hashing because an ideal
    hash maps them independently).
    """
    size, p, q = protocol.domain.size, protocol.p, protocol.q
    if isinstance(protocol, dp.RandomizedResponse):
        yes = p if position == 1 else q
        return {(0, 1): yes, (1, 0): 1 - yes}
    if isinstance(protocol, dp.DirectEncoding):
        return {tuple(np.eye(size, dtype=int)[other]): p if other == position else q for other in range(size)}
    ones = [p if other == position else q for other in range(size)]
    return {
        bits: math.prod(one if bit else 1 - one for bit, one in zip(bits, ones, strict=True))
        for bits in itertools.product([0, 1], repeat=size)
    }


def tally_law(protocol, counts):
    """Return {tally: probability} of the tally of independent people with these true counts."""
    law = {(0,) * protocol.domain.size: 1.0}
    for position, count in enumerate(counts):
        for _ in range(count):
            more = {}
            for (tally, chance), (bits, likely) in itertools.product(
                law.items(), support_law(protocol, position).items()
            ):
                total = tuple(a + b for a, b in zip(tally, bits, strict=True))
                more[total] = more.get(total, 0.0) + chance * likely
            law = more
    return law


def supports(protocol, reports):
    """Return a row for each report, 1 for each answer that it supports."""
    positions = np.arange(protocol.domain.size)
    if isinstance(protocol, dp.LocalHashing):
        return hash_values(reports[:, 0], positions.size, protocol.g) == reports[:, 1:]
    return np.asarray(reports) if np.ndim(reports) == 2 else np.asarray(reports)[:, np.newaxis] == positions


def hash_values(seeds, size, g):
    """Return the hash values of ``size`` answers, a row for each seed: outputs of SplitMix64, one after the other."""
    state, columns = np.array(seeds, dtype=np.uint64), []
    for _ in range(size):
        state = state + np.uint64(0x9E3779B97F4A7C15)
        z = state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        columns.append((z >> np.uint64(32)) * np.uint64(g) >> np.uint64(32))
    return np.stack(columns, axis=1)


def worst_log_ratio(laws):
    """Return the largest |ln P[report | a] / P[report | b]| over all pairs of answers and all reports."""
    chances = np.array([list(law.values()) for law in laws])
    assert all(list(law) == list(laws[0]) for law in laws)
    return max(np.abs(np.log(a) - np.log(b)).max() for a, b in itertools.combinations(chances, 2))


def observed(rows, law):
    """Return how often each tuple of the law occurs among the rows; there must not be any others."""
    base = 1 + max(map(max, law))
    weights = base ** np.arange(rows.shape[1])
    seen = np.bincount(rows.astype(np.int64) @ weights, minlength=base ** rows.shape[1])
    counts = seen[np.array(list(law)) @ weights]
    assert counts.sum() == len(rows)
    return counts


def merged(seen, expected, least=5):
    """Return observed and expected counts with the rare cells thrown together, for a chi-square test."""
    seen, expected = np.asarray(seen, dtype=float), np.asarray(expected, dtype=float)
    rare = expected < least
    if not rare.any():
        return seen, expected
    return np.append(seen[~rare], seen[rare].sum()), np.append(expected[~rare], expected[rare].sum())


def one_report(protocol):
    """Return the mechanism that a person runs on their own answer."""
    encoded = {answer: protocol.encode([answer]) for answer in protocol.domain}
    return lambda answer, rng: protocol.perturb(encoded[answer], rng=rng).ravel()
