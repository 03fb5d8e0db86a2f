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


def test_how_the_four_ways_grow(page):
    draws = np.array([[way[99] for way in page["four_ways"](100, seed)] for seed in range(600)])
    sizes = np.sqrt(np.mean(draws**2, axis=0))
    # An estimated deviation of 600 draws is off by 2.9%; day 100 is 64 + 32 + 4.
    assert sizes == pytest.approx([50, 50, 5 * math.sqrt(7 * 3), 5 * np.sum(column(100) ** 2)], rel=0.17)


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


# The bug, the person, the answer


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
