"""Answers to the labs of chapter 23: right ones, and wrong ones with a part of what they are told."""

import numpy as np
from labs.answers import patched


def by_simulation(some, all_people, scale, rng):
    noise = rng.laplace(0, scale, size=(2, 4_000))
    shares = (some + noise[0]) / (all_people + noise[1])
    low, high = np.quantile(shares - some / all_people, [0.025, 0.975])
    return some / all_people - high, some / all_people - low


def by_hand(some, all_people, scale, rng):
    share = some / all_people
    reach = np.quantile(abs(rng.laplace(0, scale, 4_000) - share * rng.laplace(0, scale, 4_000)), 0.95) / all_people
    return share - reach, share + reach


RIGHT = {
    "smallest-town": [149.8, 150],
    "did-it-fall": [32.7, 33],
    "interval-for-a-share": [by_simulation, by_hand, lambda *given: tuple(np.clip(by_simulation(*given), 0, 1))],
    "error-bar": [{1, 5}],
}

WRONG = {
    "smallest-town": [(15, "Of how many people")],
    "did-it-fall": [(45, "safe but too wide"), (31, "for normal noise"), (33.54, "the variances add up")],
    "interval-for-a-share": [
        (patched(by_hand, "share * rng.laplace(0, scale, 4_000)", "0"), "too narrow"),
        (patched(by_simulation, "0.025, 0.975", "0.05, 0.95"), "too narrow"),
        (patched(by_simulation, "0.025, 0.975", "0.001, 0.999"), "too wide"),
        (lambda some, all_people, scale, rng: (0, 1), "too wide"),
        (lambda *given: (by_hand(*given)[0], given[0] / given[1] + 1e-9), "too narrow"),
        (patched(by_hand, "share + reach", "share + 0.3 * reach", "share - reach", "share - 1.7 * reach"), "times"),
        (lambda some, all_people, scale, rng: some / all_people, "give a pair"),
        (patched(by_hand, "share - reach, share + reach", "share + reach, share - reach"), "isn't around"),
        (lambda *given: by_hand(*given[:3], np.random.default_rng()), "draw from rng"),
    ],
    "error-bar": [({1}, "a noisy number for an exact one")],
}
