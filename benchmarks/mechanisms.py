"""Noise on a million values, choices among 100,000 candidates, and thresholds along a stream of a million."""

import math
import random

import diffprivlib.mechanisms as dpl
import numpy as np
import opendp.prelude as odp
from measure import Comparison, Contender

import dp_helpers as dp

odp.enable_features("contrib", "floating-point")

RNG = np.random.default_rng(2)
N, SHARE = 1_000_000, 0.01
VALUES = RNG.uniform(0, 1000, N)
FEW = VALUES[: int(SHARE * N)].tolist()
SCORES = RNG.uniform(0, 1000, 100_000)
FLOOR = Contender("rng.random", lambda: RNG.random(N))


def comparisons():
    """Return noise first, then selection, then the sparse vector technique."""
    space = odp.vector_domain(odp.atom_domain(T=float, nan=False))
    laplace, gaussian = (
        dpl.Laplace(epsilon=1, sensitivity=1),
        dpl.GaussianAnalytic(epsilon=1, delta=1e-5, sensitivity=1),
    )
    open_laplace = odp.m.make_laplace(space, odp.l1_distance(T=float), 1.0)
    open_gaussian = odp.m.make_gaussian(space, odp.l2_distance(T=float), 3.73)
    faster = {"diffprivlib": 500, "OpenDP": 1000}
    yield Comparison(
        "Laplace noise on 1,000,000 values",
        lambda: dp.laplace_mechanism(VALUES, sensitivity=1, epsilon=1, rng=RNG),
        [
            Contender("diffprivlib", lambda: [laplace.randomise(v) for v in FEW], SHARE),
            Contender("OpenDP", lambda: open_laplace(FEW), SHARE),
            Contender("rng.laplace", lambda: VALUES + RNG.laplace(0, 1, N)),
        ],
        FLOOR,
        faster,
        6,
    )
    yield Comparison(
        "Gaussian noise on 1,000,000 values",
        lambda: dp.gaussian_mechanism(VALUES, sensitivity=1, epsilon=1, delta=1e-5, rng=RNG),
        [
            Contender("diffprivlib", lambda: [gaussian.randomise(v) for v in FEW], SHARE),
            Contender("OpenDP", lambda: open_gaussian(FEW), SHARE),
        ],
        FLOOR,
        faster,
        6,
    )
    yield from _selection()
    yield from _streams()


def _selection():
    candidates, scores = np.arange(SCORES.size), SCORES.tolist()
    faster = {"diffprivlib": 40, "OpenDP": 25, "list comprehension": 10}
    space = odp.vector_domain(odp.atom_domain(T=float, nan=False)), odp.linf_distance(T=float)
    open_max = odp.m.make_noisy_max(*space, odp.max_divergence(), scale=2.0)
    arguments = {"epsilon": 1, "sensitivity": 1, "utility": scores}

    def chosen_by_list():
        largest = max(scores)
        return random.choices(candidates, [math.exp((u - largest) / 2) for u in scores])

    def noisy_list():
        noisy = [u + RNG.laplace(0, 2) for u in scores]
        return noisy.index(max(noisy))

    yield Comparison(
        "exponential mechanism, 100,000 candidates",
        lambda: dp.exponential_mechanism(candidates, SCORES, sensitivity=1, epsilon=1, rng=RNG),
        [
            Contender("diffprivlib", lambda: dpl.Exponential(**arguments).randomise()),
            Contender("OpenDP", lambda: open_max(scores)),
            Contender("list comprehension", chosen_by_list),
        ],
        faster=faster,
    )
    for noise in ("laplace", "gumbel", "exponential"):
        yield Comparison(
            f"report noisy max, 100,000 candidates, {noise} noise",
            lambda noise=noise: dp.report_noisy_max(candidates, SCORES, sensitivity=1, epsilon=1, noise=noise, rng=RNG),
            [
                Contender("diffprivlib", lambda: dpl.PermuteAndFlip(**arguments).randomise()),
                Contender("OpenDP", lambda: open_max(scores)),
                Contender("list comprehension", noisy_list),
            ],
            faster=faster,
        )


def _streams():
    none, early = np.full(N, -1000.0), np.full(N, -1000.0)
    early[100] = 1000.0

    def loop():
        level = RNG.laplace(0, 2)
        for i, answer in enumerate(FEW_LOW):
            if answer + RNG.laplace(0, 4) >= level:
                return i
        return None

    yield Comparison(
        "above threshold, 1,000,000 answers, none passes",
        lambda: dp.above_threshold(none, threshold=0, epsilon=1, rng=RNG),
        [Contender("loop", loop, SHARE)],
        faster={"loop": 40},
    )
    yield Comparison(
        "above threshold, a stream of 1,000,000, the 100th passes",
        lambda: dp.above_threshold((answer for answer in early), threshold=0, epsilon=1, rng=RNG),
        seconds=0.0002,
    )


FEW_LOW = [-1000.0] * int(SHARE * N)
