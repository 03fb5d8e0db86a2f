"""What chapter 19 says, derived again; its tree and its training."""

import math
from functools import partial

import numpy as np
import pytest
from chapters.chapter_notebook import read
from labs.chapter_19 import column, tree
from scipy import stats

import dp_helpers as dp

CHAPTER = "19-continual-release"
FAILURE = 1e-6


def generator(seed):
    return np.random.default_rng(seed)


def sharpest(rho):
    """Return how often the best test between two counts is right, if all cost exactly ``rho``."""
    return stats.norm.cdf(math.sqrt(2 * rho) / 2)


# What every evening costs


def test_how_the_two_ways_grow(page):
    """Fresh noise grows with the root of the days planned; noisy days grow from evening to evening."""
    for days in (100, 1_000):
        draws = np.array([[way[[6, days - 1]] for way in page["two_ways"](days, seed)] for seed in range(600)])
        sizes = np.sqrt(np.mean(draws**2, axis=0))  # an estimated deviation of 600 draws is off by 2.9%
        ends = 5 * math.sqrt(days)
        assert sizes[0] == pytest.approx([ends, ends], rel=0.17)
        assert sizes[1] == pytest.approx([5 * math.sqrt(7), ends], rel=0.17)


# The tree


def test_the_pages_tree_and_square_root_are_the_packages(page):
    def counts(values, method):
        return pytest.approx(dp.continual_counts(values, rho=0.5, method=method, rng=generator(1900)))

    days = np.tile([1, 0, 1.0], 5)[:13]
    boxes = page["noisy_boxes"](days, 0.5, generator(1900))
    assert [len(level) for level in boxes] == [13, 6, 3, 1]
    assert tree(13)[0] @ np.concatenate(boxes) == counts(days, "tree")
    (cell,) = [cell.source for cell in read(CHAPTER).cells if "noise = np.convolve" in cell.source]
    exec(cell, here := {"np": np, "rng": generator(1900)})
    assert here["noise"] == counts(np.zeros(3), "square_root")


def test_how_often_the_page_counts_the_snoop_right_holds_for_any_draw():
    for rho, said in [(0.02, 0.54), (0.2, 0.624)]:
        right = stats.binom(20_000, sharpest(rho))
        assert sharpest(rho) == pytest.approx(said, abs=5e-4)
        low, high = right.ppf(FAILURE / 4) / 20_000, right.isf(FAILURE / 4) / 20_000
        assert said - 0.02 <= round(low, 2) + 0.005 and round(high, 2) - 0.005 <= said + 0.02


@pytest.mark.parametrize("ways", ["days", "tree", "root"])
def test_the_promise_holds_for_a_stream_that_reacts(ways):
    """The loss of the whole transcript is that of one normal release, N(ρ, 2ρ), if the stream answers each sum."""
    size, rho, day = 8, 0.3, 2
    C = {
        "days": np.eye(size),
        "tree": tree(size)[1],
        "root": np.tril(column(size)[np.arange(size)[:, None] - range(size)]),
    }
    C = C[ways]
    until = [np.flatnonzero(row)[-1] for row in C]  # the day on which a sum is full
    order = np.argsort(until, kind="stable")
    C, until = C[order], np.sort(until)
    longest = np.sqrt((C**2).sum(axis=0).max())
    sd = longest / math.sqrt(2 * rho)
    move = np.zeros(size)
    move[day] = 1

    def expected(seen, visit):
        """Return each run's sums without noise, given its noisy ones, a run a row: yesterday's decide about today."""
        x = np.zeros((len(seen), size))
        for t in range(size):
            so_far = seen[:, : np.searchsorted(until, t)]
            x[:, t] = 100 * (so_far.sum(axis=1) > 0) + so_far.shape[1] + visit * move[t]
        return x @ C.T

    rng, seen = generator(1905), np.zeros((20_000, len(C)))
    for i in range(len(C)):
        seen[:, i] = expected(seen, 1)[:, i] + rng.normal(0, sd, len(seen))
    with_visit, without = (stats.norm.logpdf(seen, expected(seen, visit), sd).sum(axis=1) for visit in (1, 0))
    losses = with_visit - without
    paid = rho * (C[:, day] ** 2).sum() / longest**2
    assert paid <= rho + 1e-12
    assert stats.kstest(losses, stats.norm(paid, math.sqrt(2 * paid)).cdf).pvalue > FAILURE


# The bug, the person, the answer


def test_another_mechanism_of_the_same_rho_may_give_away_more():
    """54.0% is true of normal noise: randomised response of ε = 0.2 is 0.02-zCDP, and is right in 55% of all cases."""
    truth = math.exp(0.2) / (1 + math.exp(0.2))
    orders = np.geomspace(1.001, 300, 4_000)  # at larger ones the loss, 0.2 at most, is divided by more
    p, q = truth, 1 - truth
    renyi = np.log(p**orders * q ** (1 - orders) + q**orders * p ** (1 - orders)) / (orders - 1)
    assert (renyi / orders).max() <= 0.02 and truth > sharpest(0.02) + 0.009


def test_the_last_evening_and_all_evenings():
    """Added days are as bad as fresh noise on the last evening; the square root has little more than three times σ."""
    last = {"added": math.sqrt(1_000), "tree": math.sqrt(10 * 6), "root": np.sum(column(1_000) ** 2)}
    assert 3 < last["root"] < 3.4 < last["tree"] < last["added"]
    added = math.sqrt(np.mean(np.arange(1, 1_001)))
    assert added < 0.75 * last["added"]


def test_how_often_a_snoop_is_right(page):
    assert sharpest(0.02) == pytest.approx(0.54, abs=0.003)
    assert sharpest(10 * 0.02) == pytest.approx(0.62, abs=0.005)
    rng, present = generator(1901), np.zeros(1_000)
    present[499] = 1
    for make, rho in [("noisy_boxes", 0.02), ("cheap_boxes", 0.2)]:
        right = sum(page["looks_present"](page[make](present, 0.02, rng)) for _ in range(3_000))
        assert stats.binomtest(right, 3_000, sharpest(rho)).pvalue > FAILURE


def test_a_model_follows_the_gradients(page):
    """On two far groups it learns the side; one row moves the sum by its clipped gradient at most."""
    rng = generator(1903)
    y = rng.choice([-1, 1], 4_000)
    X = np.column_stack([y + rng.normal(0, 0.5, 4_000), np.ones(4_000)])
    plan = {"steps": 50, "clip": 1, "rate": 10}
    draw = partial(dp.continual_counts, rho=0.5, method="square_root", rng=rng)
    theta = page["follow"](X, y, plan, draw)
    assert np.mean(np.sign(X @ theta) == y) > 0.9


# Bands


def banded(bands, steps):
    """Return C, the square root's first bands, and B = A C⁻¹, as matrices."""
    f = [math.comb(2 * k, k) / 4**k for k in range(bands)]
    C = sum(f[k] * np.eye(steps, k=-k) for k in range(bands))
    return np.tril(np.ones((steps, steps))) @ np.linalg.inv(C), C


@pytest.mark.parametrize("bands", [1, 2, 5, 12])
def test_a_short_memory_is_the_banded_factorisation(page, bands):
    B, C = banded(bands, 12)
    z = generator(1904).normal(0, np.linalg.norm(C, axis=0).max() / math.sqrt(2 * 0.3), 12)
    assert page["short_memory"](12, bands, 0.3, generator(1904)) == pytest.approx(B @ z)


def test_two_bands_on_three_days_by_hand():
    B = banded(2, 3)[0]
    assert B[1] == pytest.approx([1 / 2, 1, 0]) and B[2] == pytest.approx([3 / 4, 1 / 2, 1])
    assert banded(3, 3)[1][2, 0] == 3 / 8


@pytest.mark.parametrize(("bands", "passes"), [(1, 1), (8, 1), (64, 1), (8, 8), (24, 8), (64, 16)])
def test_the_figures_noise_is_that_of_the_matrices(page, bands, passes):
    B, C = banded(bands, 64)
    starts = [C[:, first :: 64 // passes].sum(axis=1) for first in range(64 // passes)]
    longest = max(np.linalg.norm(moved) for moved in starts)
    assert page["worst"](bands, passes, steps=64) == pytest.approx(longest * np.linalg.norm(B, axis=1).max())


def test_what_bands_cost(page):
    worst = page["worst"]
    assert worst(1, 1, 1_000) == pytest.approx(math.sqrt(1_000))
    assert 9 < worst(16, 1, 1_000) < 10.5 and 3 < worst(1_000, 1, 1_000) < 3.5
    assert worst(16, 1) == pytest.approx(math.sqrt(11 * 10), rel=0.05)  # "about as well as the tree"
    one = [worst(2**k, 1) for k in range(11)]
    assert one == sorted(one, reverse=True)  # "with one pass each band more helps"
    eight = [worst(bands, 8) for bands in (128, 256, 512, 1_024)]
    assert eight[0] < eight[-1] and max(eight) < 1.1 * min(eight)  # "nearly flat", "as good as all"
    assert worst(64, 8) > 1.2 * eight[0]


def test_columns_that_do_not_overlap_add_up_by_squares():
    """K passes cost k times as much: also for vectors, in any directions."""
    _, C = banded(8, 64)
    moves = generator(1905).normal(size=(8, 3))
    moves /= np.linalg.norm(moves, axis=1, keepdims=True)
    moved = C[:, ::8] @ moves
    alone = np.linalg.norm(C[:, ::8], axis=0)
    assert np.linalg.norm(moved) ** 2 == pytest.approx((alone**2).sum())
    assert np.linalg.norm(moved) <= math.sqrt(8) * alone.max()


def test_the_spread_of_a_hundred_draws_rounds_to_what_is_printed():
    """32, 10 and 3: a spread of a hundred draws is off by 7%, so another draw may print one of its neighbours."""
    low, high = (math.sqrt(stats.chi2(99).ppf(p) / 100) for p in (FAILURE, 1 - FAILURE))
    assert 32 * low > 10 * high > 10 * low > 3.4 * high
