"""Mechanisms that look private and are not, each beside its repaired form: what an audit is for.

Every one of them has been published, taught or shipped by careful people; the mistakes are easy to make and hard to
see.  ``data`` and ``neighbour`` are neighbours that bring the mistake out.  The mechanism that is published is
``broken(data, rng)``; where its output is reduced to one number or symbol first, that is post-processing and can only
hide the mistake.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import dp_helpers as dp


@dataclass(frozen=True)
class BrokenMechanism:
    """A mechanism that costs more than it claims, and the repaired one that does not."""

    name: str
    mistake: str  # what is wrong, and what it really costs
    source: str  # where it was met
    epsilon: float  # the claim, with delta
    data: object
    neighbour: object
    broken: Callable
    repaired: Callable
    trials: int = 10_000  # enough for an audit to prove the claim wrong
    delta: float = 0.0


# ---------------------------------------------------------------- selection: scores of two candidates


def _noisy_max_half_noise(scores, rng):
    return int(np.argmax(dp.laplace_mechanism(scores, sensitivity=1, epsilon=1.0, rng=rng)))


def _noisy_max(scores, rng):
    return dp.report_noisy_max([0, 1], scores, sensitivity=1, epsilon=1.0, rng=rng)


def _exponential_without_factor_2(scores, rng):
    return dp.exponential_mechanism([0, 1], scores, sensitivity=1, epsilon=1.0, monotonic=True, rng=rng)


def _exponential(scores, rng):
    return dp.exponential_mechanism([0, 1], scores, sensitivity=1, epsilon=1.0, rng=rng)


# ---------------------------------------------------------------- sparse vector: answers, threshold 0


def _compared(answers, threshold_scale, answer_scale, rng):
    """Return the noisy answers, and which of them pass the noisy threshold."""
    threshold = rng.laplace(scale=threshold_scale)
    noisy = answers + rng.laplace(scale=answer_scale, size=len(answers))
    return noisy, noisy >= threshold


def _both_scales_halved(answers, rng):
    _, passes = _compared(answers, 1 / 2.0, 2 / 2.0, rng)
    return int(np.argmax(passes)) if passes.any() else None


def _monotonic(answers, rng):
    return dp.above_threshold(answers, threshold=0, epsilon=2.0, monotonic=True, rng=rng)


def _no_noise_in_answers(answers, rng):
    return tuple((np.asarray(answers) >= rng.laplace(scale=2)).tolist())


def _noise_for_one_pass_only(answers, rng):
    # Published with a limit on the passes, here 3: an output that ends there is the same with and without the end.
    _, passes = _compared(answers, 4, 4 / 3, rng)
    return passes.tolist() == [False, False, True, True, True]


def _three_passes(answers, rng):
    return dp.sparse(answers, threshold=0, limit=3, epsilon=1.0, rng=rng) == [2, 3, 4]


def _no_limit(answers, rng):
    _, passes = _compared(answers, 2, 2, rng)
    half = passes.size // 2
    return int(passes[half:].sum()) - int(passes[:half].sum())


def _limited(answers, rng):
    found = np.array(dp.sparse(answers, threshold=0, limit=5, epsilon=1.0, rng=rng), dtype=int)
    return int((found >= len(answers) // 2).sum()) - int((found < len(answers) // 2).sum())


def _deciding_noise_published(answers, rng):
    noisy, passes = _compared(answers, 2, 2, rng)
    return float(noisy[-1]) if passes[-1] and not passes[:-1].any() else None


def _fresh_noise_published(answers, rng):
    found = dp.numeric_sparse(answers, threshold=0, limit=1, epsilon=1.0, rng=rng)
    return found[0][1] if found and found[0][0] == len(answers) - 1 else None


# ---------------------------------------------------------------- local sensitivity


def _local_sensitivity_noise(values, rng):
    below, median, above = np.sort(values)
    return median + rng.laplace(scale=max(above - median, median - below))


def _smooth_sensitivity_noise(values, rng):
    return dp.private_median(values, lower=0, upper=10, epsilon=1.0, delta=1e-3, rng=rng)


def _distance(n, bound):
    return max(0, n - math.ceil(1 / bound) + 1)


def _test_release(values, bound, threshold, epsilon, rng):
    """Propose, test and release a mean of values in [0, 1], with ``epsilon`` for the test and again to release."""
    if dp.laplace_mechanism(_distance(len(values), bound), sensitivity=1, epsilon=epsilon, rng=rng) < threshold:
        return None
    return dp.laplace_mechanism(np.mean(values), sensitivity=bound, epsilon=epsilon, rng=rng)


def _low_test_threshold(values, rng):
    return _test_release(values, 0.01, threshold=math.log(2 / 1e-3) / (2 * 0.5), epsilon=0.5, rng=rng)


def _test_not_paid_for(values, rng):
    return _test_release(values, 0.01, threshold=math.log(1 / 2e-3), epsilon=1.0, rng=rng)


def _propose_test_release(values, rng):
    return dp.propose_test_release_mean(values, lower=0, upper=1, bound=0.01, epsilon=1.0, delta=1e-3, rng=rng)


def _contiguous_chunks(values, rng):
    spreads = [np.ptp(values[start : start + 2]) for start in range(0, 16, 2)]
    return dp.laplace_mechanism(np.mean(spreads), sensitivity=1 / 8, epsilon=1.0, rng=rng)


def _random_chunks(values, rng):
    return dp.sample_and_aggregate(values, np.ptp, chunks=8, lower=0, upper=1, epsilon=1.0, rng=rng)


# ---------------------------------------------------------------- sums and tables


def _sum_with_the_wrong_sensitivity(values, rng):
    return dp.laplace_mechanism(dp.clip(values, 20, 80).sum(), sensitivity=80 - 20, epsilon=1.0, rng=rng)


def _sum(values, rng):
    return dp.private_sum(values, lower=20, upper=80, epsilon=1.0, rng=rng)


def _counts_as_they_come(answers, rng):
    return dp.laplace_mechanism(pd.Series(answers).value_counts(), sensitivity=1, epsilon=1.0, rng=rng)


def _histogram(answers, rng):
    return dp.private_histogram(answers, categories=["A", "B", "C"], epsilon=1.0, rng=rng)


BROKEN_MECHANISMS = [
    BrokenMechanism(
        name="noisy max with half the noise",
        mistake="Laplace noise of scale sensitivity / epsilon for scores that are not monotonic: up to 2 epsilon",
        source="right for counts (Dwork & Roth 2014, Claim 3.9), and often used for scores of any kind",
        epsilon=1.0,
        data=[0, 4],
        neighbour=[1, 3],
        broken=_noisy_max_half_noise,
        repaired=_noisy_max,
    ),
    BrokenMechanism(
        name="exponential mechanism without its 2",
        mistake="weights e^(epsilon score / sensitivity) for scores that are not monotonic: up to 2 epsilon",
        source="the 2 vanishes for distances to one number, and is then dropped for other scores, too",
        epsilon=1.0,
        data=[0, 4],
        neighbour=[1, 3],
        broken=_exponential_without_factor_2,
        repaired=_exponential,
    ),
    BrokenMechanism(
        name="sparse vector, both scales halved",
        mistake="halves the noise of the threshold as well for monotonic answers: up to 3/2 epsilon",
        source="monotonic answers allow half the noise, but in the answers only (Lyu, Su & Li 2017)",
        epsilon=2.0,
        data=[0, 0, 0, 0, 0],
        neighbour=[1, 1, 1, 1, 0],
        broken=_both_scales_halved,
        repaired=_monotonic,
        trials=40_000,
    ),
    BrokenMechanism(
        name="sparse vector, noise for one pass",
        mistake="noise in the answers does not grow with the number of passes c: up to (1 + 6c) / 4 epsilon",
        source="Lee & Clifton (2014), KDD; Algorithm 4 of Lyu, Su & Li (2017)",
        epsilon=1.0,
        data=[0, 0, 1, 1, 1],
        neighbour=[1, 1, 0, 0, 0],
        broken=_noise_for_one_pass_only,
        repaired=_three_passes,
        trials=40_000,
    ),
    BrokenMechanism(
        name="sparse vector, no noise in the answers",
        mistake="only the threshold is noisy, so the order of two answers is seen: no epsilon at all",
        source="Stoddard, Chen & Machanavajjhala (2014), arXiv; Algorithm 5 of Lyu, Su & Li (2017)",
        epsilon=1.0,
        data=[0, 1],
        neighbour=[1, 0],
        broken=_no_noise_in_answers,
        repaired=lambda answers, rng: dp.above_threshold(answers, threshold=0, epsilon=1.0, rng=rng),
        trials=2_000,
    ),
    BrokenMechanism(
        name="sparse vector, passes without limit",
        mistake="never stops, at the price of one pass: epsilon grows with the number of answers",
        source="Chen, Xiao, Zhang & Xu (2015), KDD; Algorithm 6 of Lyu, Su & Li (2017)",
        epsilon=1.0,
        data=[0] * 40,
        neighbour=[1] * 20 + [-1] * 20,
        broken=_no_limit,
        repaired=_limited,
        trials=4_000,
    ),
    BrokenMechanism(
        name="sparse vector, deciding noise published",
        mistake="publishes the noisy answer that passed, which bounds the noisy threshold: no epsilon at all",
        source="lecture notes of Roth (2011); Algorithm 3 of Lyu, Su & Li (2017)",
        epsilon=1.0,
        data=[0, 0, 0, 0, 0, 1],
        neighbour=[1, 1, 1, 1, 1, 0],
        broken=_deciding_noise_published,
        repaired=_fresh_noise_published,
        trials=40_000,
    ),
    BrokenMechanism(
        name="noise from the local sensitivity",
        mistake="the scale of the noise depends on the data and shows: no epsilon at all",
        source="the idea that anyone has first (Nissim, Raskhodnikova & Smith 2007 show the leak)",
        epsilon=1.0,
        delta=1e-3,
        data=[5, 5, 5],
        neighbour=[5, 5, 9],
        broken=_local_sensitivity_noise,
        repaired=_smooth_sensitivity_noise,
        trials=2_000,
    ),
    BrokenMechanism(
        name="propose-test-release, low threshold",
        mistake="threshold ln(2 / delta) / (2 epsilon): a test that must fail passes with sqrt(delta / 8), not delta",
        source="the form of a smooth sensitivity formula, carried over in a textbook chapter and its summaries",
        epsilon=1.0,
        delta=1e-3,
        data=[0.0],
        neighbour=[0.0, 1.0],
        broken=_low_test_threshold,
        repaired=_propose_test_release,
    ),
    BrokenMechanism(
        name="propose-test-release, test for free",
        mistake="the test costs epsilon and the release costs epsilon, but only one is counted: 2 epsilon",
        source="a textbook chapter that states (epsilon, delta) for the whole",
        epsilon=1.0,
        delta=1e-3,
        data=[1.0] + [0.0] * 102,
        neighbour=[0.0] * 102,
        broken=_test_not_paid_for,
        repaired=_propose_test_release,
        trials=20_000,
    ),
    BrokenMechanism(
        name="sample-and-aggregate in slices",
        mistake="chunks are slices in row order, and one row more or less moves all of them: up to 8 chunks' epsilon",
        source="right for replace-one, where no row moves; met in a textbook chapter on add/remove-one",
        epsilon=1.0,
        data=[0.0, 0.0, 1.0, 1.0] * 4 + [0.0],
        neighbour=[0.0, 1.0, 1.0, 0.0] * 4,
        broken=_contiguous_chunks,
        repaired=_random_chunks,
        trials=2_000,
    ),
    BrokenMechanism(
        name="sum with upper - lower",
        mistake="the sensitivity of replace-one, where neighbours are add/remove-one: 4/3 epsilon for bounds 20 and 80",
        source="agrees with the right one for a lower bound of 0, which is the usual example",
        epsilon=1.0,
        data=[],
        neighbour=[80.0],
        broken=_sum_with_the_wrong_sensitivity,
        repaired=_sum,
    ),
    BrokenMechanism(
        name="counts in the order of the data",
        mistake="categories that nobody has vanish, and the rest come in the order of their true counts: no epsilon",
        source="what a table library's value_counts does, and what most tutorials call",
        epsilon=1.0,
        data=list("AABB"),
        neighbour=list("AABBC"),
        broken=_counts_as_they_come,
        repaired=_histogram,
        trials=400,
    ),
]
