"""What a page may say of random numbers: it has to hold for every other seed, except with probability 1e-6."""

import numpy as np
from scipy import stats

from dp_helpers.audit import lower_limit, upper_limit

FAILURE = 1e-6


def streams(chapter: int, number: int = 200):
    """Return generators that no page uses, as many as asked for."""
    return [np.random.default_rng(np.random.SeedSequence(chapter, spawn_key=(26, run))) for run in range(number)]


def another(draws) -> tuple[float, float]:
    """Return the range in which another draw lies, by Student's t: for numbers that are sums of many small ones."""
    draws = np.asarray(draws, dtype=float)
    reach = stats.t.isf(FAILURE / 2, len(draws) - 1) * draws.std(ddof=1) * np.sqrt(1 + 1 / len(draws))
    return draws.mean() - reach, draws.mean() + reach


def proven(likely: float, rare: float, trials: int, risk: float = 0.01) -> float:
    """Return the least that an audit of so many trials proves by an event of these two chances, at 99%."""
    runs = trials - trials // 2
    few, many = stats.binom(runs, likely).ppf(FAILURE / 2), stats.binom(runs, rare).isf(FAILURE / 2)
    return float(np.log(lower_limit(int(few), runs, risk / 2) / upper_limit(int(many), runs, risk / 2)))
