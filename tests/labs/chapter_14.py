"""Answers to the labs of chapter 14: right ones, and wrong ones with a part of what they are told."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

import dp_helpers as dp


def direct(d, epsilon):
    return (np.exp(epsilon) + d - 2) / np.expm1(epsilon) ** 2


def oue(epsilon):
    return 4 * np.exp(epsilon) / np.expm1(epsilon) ** 2


def tails(epsilon, theta):
    """Return THE's chances from the Laplace distribution itself."""
    noise = stats.laplace(scale=2 / epsilon)
    return noise.sf(theta - 1), noise.sf(theta)


def printed(epsilon, theta):
    return 1 - 0.5 * np.exp(epsilon * (1 - theta) / 2), 0.5 * np.exp(-epsilon * theta / 2)


def _lift(n, epsilon):
    return np.sqrt(n * oue(epsilon) / (2 * np.pi))


def _groups(n, d, epsilon, k):
    return np.sqrt(n * k * min(direct(d, epsilon), oue(epsilon)))


def _tails_by_cases(epsilon, theta):
    p = 1 - np.exp(-epsilon * (1 - theta) / 2) / 2 if theta <= 1 else np.exp(-epsilon * (theta - 1) / 2) / 2
    return [round(p, 4), round(np.exp(-epsilon * theta / 2) / 2, 4)]


def _sue_chances(epsilon):
    half = np.exp(epsilon / 2)
    return half / (1 + half), 1 / (1 + half)


def _oue_chances(epsilon):
    return 0.5, 1 / (1 + np.exp(epsilon))


def _both(d, epsilon):
    return dp.DirectEncoding(range(d), epsilon=epsilon), dp.UnaryEncoding.optimized(range(d), epsilon)


def _protocol(chances, rows=None, estimate=None, spent=1.0):
    """Return (perturb, aggregate) for these chances, with one of them done otherwise, or at another ε."""

    def perturb(bits, epsilon, rng):
        p, q = chances(spent * epsilon)
        return rows(bits, p, q, rng) if rows else rng.random(bits.shape) < np.where(bits, p, q)

    def aggregate(reports, epsilon):
        p, q = chances(epsilon)
        sums, n = np.sum(reports, axis=0), len(reports)
        return estimate(sums, n, p, q) if estimate else (sums - n * q) / (p - q)

    return perturb, aggregate


_sue = partial(_protocol, _sue_chances)


def _rows_in_a_loop(bits, p, q, rng):
    sent = []
    for row in bits:
        sent.append([int(rng.random() < (p if bit else q)) for bit in row])
    return sent


def _rows_by_flipping(bits, p, q, rng):
    """Flip ones and zeros by coins of their own."""
    return np.where(bits == 1, rng.random(bits.shape) < p, rng.random(bits.shape) < q).astype(int)


def _estimate_in_a_loop(sums, n, p, q):
    return [round((total - n * q) / (p - q)) for total in sums]


def _package(make):
    return (
        lambda bits, epsilon, rng: make(range(bits.shape[1]), epsilon).perturb(bits, rng),
        lambda reports, epsilon: make(range(np.shape(reports)[1]), epsilon).aggregate(reports),
    )


def _in_place(bits, p, q, rng):
    bits[:] = rng.random(bits.shape) < np.where(bits, p, q)
    return bits


RIGHT = {
    "row-of-unfair-coins": [
        np.log(0.8 * 0.7 / (0.2 * 0.3)),
    ],
    "write-a-protocol": [
        _sue(),
        list(_sue(_rows_in_a_loop, _estimate_in_a_loop)),
        _sue(_rows_by_flipping, lambda s, n, p, q: pd.Series((s - n * q) / (p - q))),
    ],
    "right-at-theta-1": [
        lambda e, t: np.array(tails(e, t)),
        _tails_by_cases,
    ],
    "what-cutting-costs": [
        _lift,
        lambda n, e: 0.39894 * np.sqrt(dp.UnaryEncoding.optimized([0, 1], e).variance(n, 0)),
    ],
    "survey-on-a-budget": [
        _groups,
        lambda n, d, e, k: k * np.sqrt(n / k * min(direct(d, e), oue(e))),
        lambda n, d, e, k: round(_groups(n, d, e, k)),
        lambda n, d, e, k: k * min(p.variance(n / k, 0) for p in _both(d, e)) ** 0.5,
    ],
}

WRONG = {
    "write-a-protocol": [
        (_sue()[0], "a pair, (perturb, aggregate)"),
        ((lambda bits, epsilon, rng: None, len), "it needs a return"),
        (_sue(lambda bits, p, q, rng: bits[0]), "a noisy bit for each bit"),
        (_sue(lambda bits, p, q, rng: bits + rng.laplace(size=bits.shape)), "0 or 1 in each place"),
        (_sue(lambda bits, p, q, rng: bits), "two different ones gave the same"),
        (_sue(lambda b, p, q, rng: np.random.default_rng().random(b.shape) < np.where(b, p, q)),
         "same rng gave another"),
        (_sue(lambda b, p, q, rng: rng.random((len(b), 1)) < np.where(b, p, q)), "coins of its own"),
        (_sue(lambda b, p, q, rng: rng.random(b.shape[1]) < np.where(b, p, q)), "coins of its own"),
        (_sue(lambda b, p, q, rng: b & (rng.random(b.shape) < p)), "a 0 is sent as 1"),
        (_sue(spent=2.0), "a row has 2ε"),
        (_sue(_in_place), "leave its input as it is"),
        (_package(lambda *given: dp.UnaryEncoding.symmetric(*given)), "write the protocol yourself"),
        (_sue(estimate=lambda sums, n, p, q: sums), "Take the coins out"),
        (_sue(estimate=lambda sums, n, p, q: sums - n * q), "divide by it"),
        (_sue(estimate=lambda sums, n, p, q: (sums / n - q) / (p - q)), "not shares"),
        (_sue(estimate=lambda s, n, p, q: np.maximum((s - n * q) / (p - q), 0)), "leave negative"),
        (_sue(estimate=lambda sums, n, p, q: (sums - n * q) / p), "make an estimate of"),
        (_sue(estimate=lambda sums, n, p, q: None), "it needs a return"),
        (_sue(estimate=lambda sums, n, p, q: sums[0]), "a count for each answer"),
        (_protocol(_oue_chances), "those are the chances of OUE"),
        ((_sue()[0], _protocol(_oue_chances)[1]), "other chances than perturb"),
        (_sue(lambda bits, p, q, rng: np.where(bits, p, q) > (rng.random(bits.shape) if len(bits) > 1 else 0.5)),
         "at ε = 2"),
        (_sue(lambda b, p, q, rng: b if len(b) > 20_000 else _rows_by_flipping(b, p, q, rng)), "is sent as 1 with"),
    ],
    "right-at-theta-1": [
        (lambda e, t: 0.5, "give a pair"),
        (printed, "yours is 0.066"),
        (lambda e, t: tails(e, t)[::-1], "that is q"),
        (lambda e, t: (tails(e, t)[0], 2 * tails(e, t)[1]), "only half of the noise"),
        (lambda e, t: (1 - np.exp(-e * (1 - t) / 2) / 2, tails(e, t)[1]), "beyond θ = 1"),
        (lambda e, t: tails(2 * e, t), "the noise has scale 2/ε"),
        (lambda e, t: dp.ThresholdHistogramEncoding([0, 1], epsilon=e, theta=t), "write chances yourself"),
        (lambda e, t: (0.5, 0.5), "yours is 0.500"),
    ],
    "what-cutting-costs": [
        (lambda n, e: np.sqrt(n * oue(e)), "the standard deviation of the estimate"),
        (lambda n, e: np.sqrt(n * oue(e)) / 2, "not all one standard deviation"),
        (lambda n, e: 2 * _lift(n, e), "the positive estimates only"),
        (lambda n, e: _lift(n, e) / n, "people, not a share"),
        (lambda n, e: _lift(n, e) * np.sqrt(n), "mind the root"),
        (lambda n, e: 0, "the negative estimates are gone"),
        (lambda n, e: 1.0, "yours is 1.0"),
    ],
    "survey-on-a-budget": [
        (lambda n, d, e, k: np.sqrt(n * k * oue(e)), "the other protocol is better"),
        (lambda n, d, e, k: _groups(n, d, e, k) / k, "Scale the count up"),
        (lambda n, d, e, k: np.sqrt(n * min(direct(d, e / k), oue(e / k))), "Split the people"),
        (lambda n, d, e, k: _groups(n, d, e, k) ** 2, "asks for its root"),
        (lambda n, d, e, k: _groups(n, d, e, 1), "Only a group does"),
        (lambda n, d, e, k: _groups(n, d, e / k, k), "one question only"),
        (lambda n, d, e, k: _groups(n, d, e, k) / n, "not a share"),
        (lambda n, d, e, k: 5.0, "yours is 5.0"),
        (lambda n, d, e, k: np.sqrt(n * k * (direct(d, e) if d < 2 * np.exp(e) else oue(e))), "better"),
    ],
}  # fmt: skip
