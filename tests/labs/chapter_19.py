"""Answers to the labs of chapter 19: right ones, and wrong ones with a part of what they are told."""

import math
from functools import cache

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import signal, special

import dp_helpers as dp


def tree(days):
    """Return B and C of the tree: C has a row for each box."""
    spans = [(k << level, (k + 1) << level) for level in range(days.bit_length()) for k in range(days >> level)]
    boxes = np.array([[a <= day < b for day in range(days)] for a, b in spans], dtype=float)
    sums = np.zeros((days, len(spans)))
    for t in range(1, days + 1):
        start = 0
        while start < t:
            end = max(b for a, b in spans if a == start and b <= t)
            sums[t - 1, spans.index((start, end))] = 1
            start = end
    return sums, boxes


@cache
def column(days):
    return np.array([math.comb(2 * k, k) / 4**k for k in range(days)])


def _low_bit(boxes):
    counts = np.zeros(len(boxes[0]) + 1)
    for t in range(1, len(counts)):
        level = (t & -t).bit_length() - 1
        counts[t] = counts[t - (t & -t)] + boxes[level][(t >> level) - 1]
    return counts[1:]


def _digits(boxes):
    found = []
    for t in range(1, len(boxes[0]) + 1):
        levels = [k for k, digit in enumerate(reversed(f"{t:b}")) if digit == "1"]
        found.append(sum(boxes[k][t // 2**k - 1] for k in levels))
    return found


def _matrix(boxes):
    return (tree(len(boxes[0]))[0] @ np.concatenate(boxes)).round(3)


def _mended(days, rho, rng):
    levels = len(days).bit_length()
    sd = math.sqrt(levels / (2 * rho))
    sums = [np.reshape(days[: len(days) >> k << k], (len(days) >> k, 1 << k)).sum(axis=1) for k in range(levels)]
    return _low_bit([own + rng.normal(0, sd, len(own)) for own in sums])


def _kept(days, rho, rng):
    """Return counts whose noise is drawn when a box is first used, and kept by its place."""
    levels, kept, counts = len(days).bit_length(), {}, []
    sd = math.sqrt(levels / (2 * rho))
    for t in range(1, len(days) + 1):
        total, start = 0.0, 0
        for size in (1 << k for k in reversed(range(levels))):
            if start + size <= t:
                if (start, size) not in kept:
                    kept[start, size] = sum(days[start : start + size]) + rng.normal(0, sd)
                total += kept[start, size]
                start += size
        counts.append(total)
    return counts


def _by_root(days, rho, rng):
    f = column(len(days))
    z = rng.normal(0, math.sqrt((f @ f) / (2 * rho)), len(days))
    return np.cumsum(days) + np.convolve(z, f)[: len(days)]


def _added(days, rho, rng):
    return np.cumsum(days + rng.normal(0, 1 / math.sqrt(2 * rho), len(days)))


def _forgetful(days, rho, rng):
    levels = len(days).bit_length()
    terms = np.array([day.bit_count() for day in range(1, len(days) + 1)])
    return np.cumsum(days) + rng.normal(0, 1, len(days)) * np.sqrt(terms * levels / (2 * rho))


_KEPT = {}


def _every_second_again(days, rho, rng):
    """Each second call publishes with the noise of the call before."""
    noise = _KEPT.pop(len(days), None)
    if noise is None:
        noise = _KEPT[len(days)] = _mended(0 * days, rho, rng)
    return np.cumsum(days) + noise


def _fading(days, rho, keep, rng):
    k = np.arange(len(days))
    f = column(len(days)) * keep**k
    z = rng.normal(0, np.linalg.norm(f) / np.sqrt(2 * rho), len(days))
    return (np.convolve(days, keep**k) + np.convolve(z, f))[: len(days)]


def _fading_by_matrix(days, rho, keep, rng):
    f = column(len(days)) * keep ** np.arange(len(days))
    b = np.array([[f[i - j] if i >= j else 0 for j in range(len(days))] for i in range(len(days))])
    return b @ (b @ days + rng.normal(0, np.linalg.norm(f) / np.sqrt(2 * rho), len(days)))


def _with(noise):
    """Return an answer that adds ``noise(sd, exact sums, rng)`` to a tree's boxes."""

    def counts(days, rho, rng):
        levels = len(days).bit_length()
        sd = math.sqrt(levels / (2 * rho))
        sums = [np.reshape(days[: len(days) >> k << k], (len(days) >> k, 1 << k)).sum(axis=1) for k in range(levels)]
        return _low_bit([own + noise(sd, own, rng) for own in sums])

    return counts


def _finer_below(days, rho, rng):
    """Return counts of a tree of which the single days have twice the share of the other levels."""
    levels = len(days).bit_length()
    shares = np.array([2] + [1] * (levels - 1)) / (levels + 1)
    sums = [np.reshape(days[: len(days) >> k << k], (len(days) >> k, 1 << k)).sum(axis=1) for k in range(levels)]
    sds = np.sqrt(1 / (2 * rho * shares))
    return _low_bit([own + rng.normal(0, sd, len(own)) for own, sd in zip(sums, sds, strict=True)])


def _fading_by_filters(days, rho, keep, rng):
    f = column(len(days)) * keep ** np.arange(len(days))
    z = np.linalg.norm(f) / np.sqrt(2 * rho) * special.ndtri(rng.random(len(days)))
    return pd.Series(signal.lfilter([1], [1, -keep], days) + signal.lfilter(f, [1], z))


def _small(exact, usual):
    """Return an answer that is exact over more than 100 days."""
    return lambda days, *how: exact(days, *how) if len(days) > 100 else usual(days, *how)


RIGHT = {
    "worst-of-sixteen-days": [
        math.sqrt(4 * 5),
    ],
    "from-boxes-to-counts": [
        _low_bit,
        _digits,
        _matrix,
    ],
    "tree-that-forgets": [
        _mended,
        _kept,
        _by_root,
        _finer_below,
        _with(lambda sd, own, rng: sd * special.ndtri(rng.random(own.size))),
        patched(_mended, "0, sd", "0, 1.3 * sd"),
        lambda *given: np.rint(_mended(*given)),
        lambda *given: np.round(_mended(*given), 1),
    ],
    "promise-for-patients": [
        0.02 / 7**2,
    ],
    "old-visits-fade": [
        _fading,
        _fading_by_matrix,
        _fading_by_filters,
    ],
}

WRONG = {
    "from-boxes-to-counts": [
        (lambda boxes: np.cumsum(boxes[0]), "you add up single days"),
        (lambda boxes: _low_bit(boxes)[-1], "one count for each day"),
        (lambda boxes: [0, *_low_bit(boxes)[:-1]], "a day late"),
        (lambda boxes: [sum(level[0] for level in boxes)] * len(boxes[0]), "is made up of"),
    ],
    "tree-that-forgets": [
        (lambda visits, *rest: ["many"] * len(visits), "one count for each day"),
        (lambda visits, *rest: [math.inf] * len(visits), "not finite"),
        (_forgetful, "share no noise"),
        (lambda days, rho, rng: dp.continual_counts(days, rho=rho, rng=rng), "a finished program"),
        (lambda days, rho, rng: np.cumsum(days), "or none"),
        (lambda days, rho, rng: np.cumsum(days) + rng.normal(0, 1 / math.sqrt(2 * rho)), "without limit"),
        (_added, "of a list of 1,000"),
        (patched(_mended, "0, sd", "0, sd / math.sqrt(6)"), "noise of its own, drawn once"),
        (patched(_mended, "0, sd", "0, 5 * sd"), "with a tree it is"),
        (lambda days, rho, rng: _mended(days, rho, rng) + 1, "not right on average"),
        (patched(_mended, "normal(", "laplace("), "isn't normal"),
        (patched(_mended, "levels / (2 * rho)", "6 / (2 * rho)"), "with a tree it is"),
        (patched(_mended, "rng.normal(0, sd, len(own))", "rng.normal(0, 1.1 * sd, len(own)).clip(-2 * sd, 2 * sd)"),
         "isn't normal"),
        (_small(lambda days, rho, rng: np.cumsum(days), _mended), "or none"),
        (_small(lambda days, rho, rng: np.cumsum(days) + rng.normal(0, 0.5, days.size), _mended), "visit costs"),
        (_with(lambda sd, own, rng: rng.normal(0, sd, own.size) * (own > 0)), "one visit costs"),
        (_with(lambda sd, own, rng: rng.normal(0, sd, own.size) * np.sqrt(own / own.mean())), "one visit costs"),
        (patched(_mended, "0, sd", "0, sd / 1.1"), "one visit costs"),
        (lambda *given: np.maximum.accumulate(_mended(*given)), "right on average"),
        (_every_second_again, "the same rng gave another"),
        (lambda days, rho, rng: _mended(days, rho, rng) + (np.arange(days.size) == 15) * rng.normal(0, 40),
         "with a tree it is"),
    ],
    "old-visits-fade": [
        (patched(_fading, "z = rng", "z = 0 * rng"), "or none"),
        (lambda days, rho, keep, rng: np.cumsum(days) + rng.normal(size=len(days)), "right on average"),
        (patched(_fading, "convolve(z, f)", "convolve(z, column(len(days)))"), "has to fade as well"),
        (patched(_fading, "convolve(z, f)", "convolve(z, keep**k)"), "noisy days that fade"),
        (patched(_fading, "np.linalg.norm(f) / np.sqrt", "1 / np.sqrt"), "longest column"),
        (patched(_fading, "np.convolve(z, f)", "np.resize(z * np.sqrt(np.cumsum(f**2)), 2 * len(days) - 1)"),
         "as much as the convolution makes them"),
        (patched(_fading, "(z, f)", "(z, column(len(days)) * keep ** (k / 2))"), "as the convolution makes them"),
        (patched(_fading, "rng.normal(0, ", "rng.laplace(0, np.sqrt(0.5) * "), "isn't normal"),
        (patched(_fading, "np.linalg.norm(f)", "np.linalg.norm(f) / 1.1"), "before the convolution"),
        (patched(_fading, "np.linalg.norm(f)", "f @ f"), "before the convolution"),
        (patched(_fading, "normal(0, ", "normal(0, days.any() * "), "without a visit"),
        (lambda *given: np.maximum(_fading(*given), 0), "right on average"),
    ],
}  # fmt: skip
