"""What chapter 19 says, derived again; its tree and its training; its labs."""

import math

import numpy as np
import pytest
from chapters.chapter_notebook import read
from scipy import stats

import dp_helpers as dp

CHAPTER = "19-continual-release"
FAILURE = 1e-6


def generator(seed):
    return np.random.default_rng(seed)


def ones(days):
    """Return A, the matrix of running counts."""
    return np.tril(np.ones((days, days)))


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


def column(days):
    return np.array([math.comb(2 * k, k) / 4**k for k in range(days)])


def root(days):
    f = column(days)
    return np.array([[f[i - j] if i >= j else 0 for j in range(days)] for i in range(days)])


def worst(b, c):
    return np.linalg.norm(b, axis=1).max() * np.linalg.norm(c, axis=0).max()


def sharpest(rho):
    """Return how often the best test between two counts is right, if all cost exactly ``rho``."""
    return stats.norm.cdf(math.sqrt(2 * rho) / 2)


# What every evening costs


def test_one_count_costs_what_the_page_says():
    assert 1 / math.sqrt(2 * 0.02) == pytest.approx(5)
    assert 0.8 < dp.zcdp_to_dp(rho=0.02, delta=1e-6) < 1
    assert math.sqrt(1_000) == pytest.approx(32, abs=0.5)


def test_how_the_four_ways_grow(page):
    def largest(days):
        return math.sqrt(days.bit_length() * max(day.bit_count() for day in range(1, days + 1)))

    assert 1.3 < largest(1_000) / largest(100) < 1.5
    draws = np.array([[way[99] for way in page["four_ways"](100, seed)] for seed in range(600)])
    sizes = np.sqrt(np.mean(draws**2, axis=0))
    # An estimated deviation of 600 draws is off by 2.9%; day 100 is 64 + 32 + 4.
    assert sizes == pytest.approx([50, 50, 5 * math.sqrt(7 * 3), 5 * np.sum(column(100) ** 2)], rel=0.17)
    assert np.sum(column(1_000) ** 2) / np.sum(column(100) ** 2) == pytest.approx(1.28, abs=0.02)


# The tree


def test_eight_days_by_hand():
    visits = np.array([2, 0, 1, 3, 0, 1, 2, 1])
    b, c = tree(8)
    assert (b @ c == ones(8)).all()
    assert sorted(c @ visits)[-3:] == [4, 6, 10]
    assert b[6].sum() == 3 and b[7].sum() == 1 and (b @ c @ visits)[6] == 9
    assert c[:, 5].sum() == 4  # a visit on day 6
    assert worst(b, c) == pytest.approx(2 * math.sqrt(3)) and worst(b, c) > math.sqrt(8)


@pytest.mark.parametrize("days", [1, 2, 5, 8, 16, 100])
def test_levels_and_boxes(days):
    b, c = tree(days)
    assert (b @ c == ones(days)).all()
    assert c.sum(axis=0).max() == math.floor(math.log2(days)) + 1
    assert b.sum(axis=1).tolist() == [day.bit_count() for day in range(1, days + 1)]


def test_a_thousand_days():
    assert (1_000).bit_length() == 10 and max(day.bit_count() for day in range(1, 1_001)) == 9
    assert 5 * math.sqrt(90) == pytest.approx(47, abs=0.5)
    # Laplace noise in units of 1/ε: the mean variance of a count, by the tree and by noisy days.
    boxes = np.mean([day.bit_count() for day in range(1, 1_001)])
    assert 0.8 < math.sqrt(2 * boxes) * 10 / math.sqrt(2 * 500) < 1.3
    assert math.sqrt(2 * 17) * 17 < math.sqrt(2 * 100_000) / 2  # "it wins for longer streams"


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


def test_halves_help():
    assert pytest.approx(2 / 3) == 1 / (1 / 1 + 1 / 2)  # v = 1
    assert 2 / 3 + 1 / 3 == 1 and pytest.approx(2 / 3) == (2 / 3) ** 2 + (1 / 3) ** 2 * 2


def test_what_the_page_says_of_the_four_ways_holds_for_any_draw():
    """The first week's deviations, the two percent of the counted shares, and "three times" a single count's."""
    assert 5 * math.sqrt(7) < 5 * math.sqrt(1_000) / 10  # added up, and anew
    for rho, said in [(0.02, 0.54), (0.2, 0.624)]:
        right = stats.binom(20_000, sharpest(rho))
        assert sharpest(rho) == pytest.approx(said, abs=5e-4)
        low, high = right.ppf(FAILURE / 4) / 20_000, right.isf(FAILURE / 4) / 20_000
        assert said - 0.02 <= round(low, 2) + 0.005 and round(high, 2) - 0.005 <= said + 0.02
    squares = column(1_000) ** 2
    mean_square = squares.sum() * np.cumsum(squares).mean()  # in units of a single count's variance
    assert math.sqrt(mean_square) == pytest.approx(3, abs=0.15)
    # The mean square of a hundred runs is off by less than a quarter, and its root by less than an eighth.
    shape = root(200) @ root(200).T
    assert 5 * math.sqrt(2 * np.sum(shape**2) / 100) / np.trace(shape) < 0.25


# Factorisations


def test_two_days_on_paper():
    half = np.array([[1, 0], [0.5, 1]])
    assert (half @ half == ones(2)).all() and worst(half, half) == pytest.approx(1.25)
    b, c = np.array([[1, 0, 0], [0, 0, 1]]), np.array([[1, 0], [0, 1], [1, 1]])
    assert (b @ c == ones(2)).all() and worst(b, c) == pytest.approx(math.sqrt(2))
    assert worst(ones(2), np.eye(2)) == pytest.approx(math.sqrt(2))


def test_the_square_root():
    assert column(3).tolist() == [1, 0.5, 0.375]
    assert np.allclose(root(40) @ root(40), ones(40))
    assert worst(root(40), root(40)) == pytest.approx((column(40) ** 2).sum())
    f = np.cumprod(np.append(1, 1 - 1 / (2 * np.arange(1, 1_024))))
    assert (f**2).sum() == pytest.approx(3.27, abs=0.005)
    assert (math.log(1_024) + 3.35) / math.pi == pytest.approx(3.27, abs=0.01)
    assert math.sqrt(110) == pytest.approx(10.5, abs=0.02)


def test_the_worst_day_of_a_tree_is_the_one_before_a_power_of_two():
    for days in (2, 16, 128, 1_024, 8_192):
        most = max(day.bit_count() for day in range(1, days + 1))
        assert most == max(days.bit_length() - 1, 1)


def test_a_tree_after_the_other():
    starts = [2**k for k in range(4)]
    assert [(a, 2 * a - 1) for a in starts] == [(1, 1), (2, 3), (4, 7), (8, 15)]


# The bug, the person, the answer


def test_how_often_a_snoop_is_right(page):
    assert sharpest(0.02) == pytest.approx(0.54, abs=0.003)
    assert sharpest(10 * 0.02) == pytest.approx(0.62, abs=0.005)
    rng, present = generator(1901), np.zeros(1_000)
    present[499] = 1
    for make, rho in [("noisy_boxes", 0.02), ("cheap_boxes", 0.2)]:
        right = sum(page["looks_present"](page[make](present, 0.02, rng)) for _ in range(3_000))
        assert stats.binomtest(right, 3_000, sharpest(rho)).pvalue > FAILURE


def test_seven_visits():
    assert pytest.approx(0.98) == 7**2 * 0.02


def test_what_the_clinic_gets():
    rng, off = generator(1902), {}
    for method in ("tree", "honaker", "square_root"):
        noise = [dp.continual_counts(np.zeros(1_000), rho=0.02, method=method, rng=rng) for _ in range(150)]
        off[method] = np.sqrt(np.mean(np.square(noise)))
    assert off["square_root"] < off["honaker"] < off["tree"] < 50
    assert 2.3 < off["square_root"] / 5 < 3.6  # "about three times"


def test_a_model_follows_the_gradients(page):
    """On two far groups it learns the side; one row moves the sum by its clipped gradient at most."""
    rng = generator(1903)
    y = rng.choice([-1, 1], 4_000)
    X = np.column_stack([y + rng.normal(0, 0.5, 4_000), np.ones(4_000)])
    plan = {"steps": 50, "clip": 1, "rate": 10, "noise": {"rho": 0.5, "method": "square_root"}}
    theta = page["follow"](X, y, plan, rng)
    assert np.mean(np.sign(X @ theta) == y) > 0.9


# The labs


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


def _boxes(days, rho, rng, *, factor=1.0, draw=None):
    levels = len(days).bit_length()
    sd = factor * math.sqrt(levels / (2 * rho))
    draw = draw or (lambda sd, size: rng.normal(0, sd, size))
    return [
        np.reshape(days[: len(days) >> k << k], (len(days) >> k, 1 << k)).sum(axis=1) + draw(sd, len(days) >> k)
        for k in range(levels)
    ]


def _mended(days, rho, rng, **how):
    return _low_bit(_boxes(days, rho, rng, **how))


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
    return np.cumsum(days) + root(len(days)) @ rng.normal(0, math.sqrt((f @ f) / (2 * rho)), len(days))


def _added(days, rho, rng):
    return np.cumsum(days + rng.normal(0, 1 / math.sqrt(2 * rho), len(days)))


def _forgetful(days, rho, rng):
    levels = len(days).bit_length()
    terms = np.array([day.bit_count() for day in range(1, len(days) + 1)])
    return np.cumsum(days) + rng.normal(0, 1, len(days)) * np.sqrt(terms * levels / (2 * rho))


def _same_noise_for_all(days, rho, rng):
    return np.cumsum(days) + rng.normal(0, 1 / math.sqrt(2 * rho))


_KEPT = {}


def _every_second_again(days, rho, rng):
    """Each second call publishes with the noise of the call before."""
    noise = _KEPT.pop(len(days), None)
    if noise is None:
        noise = _KEPT[len(days)] = _mended(0 * days, rho, rng)
    return np.cumsum(days) + noise


def _fading(days, rho, keep, rng, *, fade=True, length=1.0):
    k = np.arange(len(days))
    f = column(len(days)) * (keep**k if fade else 1)
    z = rng.normal(0, length * np.sqrt(np.sum((column(len(days)) * keep**k) ** 2) / (2 * rho)), len(days))
    return (np.convolve(days, keep**k) + np.convolve(z, f))[: len(days)]


def _fading_by_matrix(days, rho, keep, rng):
    f = column(len(days)) * keep ** np.arange(len(days))
    b = np.array([[f[i - j] if i >= j else 0 for j in range(len(days))] for i in range(len(days))])
    return b @ (b @ days + rng.normal(0, np.linalg.norm(f) / np.sqrt(2 * rho), len(days)))


def _fading_days(days, rho, keep, rng):
    powers = keep ** np.arange(len(days))
    sd = np.sqrt(np.sum((column(len(days)) * powers) ** 2) / (2 * rho))
    return np.convolve(days + rng.normal(0, sd, len(days)), powers)[: len(days)]


def _fading_anew(days, rho, keep, rng):
    f = column(len(days)) * keep ** np.arange(len(days))
    sd = np.sqrt(np.sum(f**2) / (2 * rho)) * np.sqrt(np.cumsum(f**2))
    return np.convolve(days, keep ** np.arange(len(days)))[: len(days)] + rng.normal(0, sd)


RIGHT = [
    ("19.1", math.sqrt(20)),
    ("19.1", 4.47),
    ("19.1", np.float32(4.4721)),
    ("19.2", _low_bit),
    ("19.2", _digits),
    ("19.2", _matrix),
    ("19.2", lambda boxes: tuple(map(float, _low_bit(boxes)))),
    ("19.3", _mended),
    ("19.3", _kept),
    ("19.3", _by_root),
    ("19.3", lambda days, rho, rng: np.round(_mended(days, rho, rng))),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng, factor=1.3)),
    ("19.4", 0.02 / 49),
    ("19.4", 0.000408),
    ("19.4", np.float64(4.08e-4)),
    ("19.5", _fading),
    ("19.5", _fading_by_matrix),
]

WRONG = [
    ("19.3", lambda visits, *rest: ["many"] * len(visits), "one for each day"),
    ("19.3", lambda visits, *rest: [math.inf] * len(visits), "not finite numbers"),
    ("19.1", "4.47", "give a number"),
    ("19.1", 4, "count the levels again"),
    ("19.1", 20, "that is the variance"),
    ("19.1", math.sqrt(5), "that is one box"),
    ("19.1", 5, "isn't full yet"),
    ("19.1", math.sqrt(75), "Add the fewest boxes"),
    ("19.1", 4.5, "three digits"),
    ("19.2", [1, 2], "give the function itself"),
    ("19.2", lambda boxes: None, "it needs a return"),
    ("19.2", lambda boxes: np.cumsum(boxes[0]), "you add up single days"),
    ("19.2", lambda boxes: _low_bit(boxes)[-1], "one count for each day"),
    ("19.2", lambda boxes: [0, *_low_bit(boxes)], "one count for each day"),
    ("19.2", lambda boxes: [0, *_low_bit(boxes)[:-1]], "a day late"),
    ("19.2", lambda boxes: [sum(level[0] for level in boxes)] * len(boxes[0]), "is made up of"),
    ("19.2", lambda boxes: _low_bit(boxes[::-1]), "one count for each day"),
    ("19.3", 1.0, "give the function itself"),
    ("19.3", lambda days, rho, rng: None, "it needs a return"),
    ("19.3", _forgetful, "share no noise"),
    ("19.3", lambda days, rho, rng: dp.continual_counts(days, rho=rho, rng=rng), "a finished program"),
    ("19.3", lambda days, rho, rng: np.cumsum(days), "or none"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, generator(1)), "same noise in every run"),
    ("19.3", _same_noise_for_all, "without limit"),
    ("19.3", _added, "after 1,000 days"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng, factor=1 / 1.2), "1.4"),
    ("19.3", lambda days, rho, rng: _mended(days, 1.2 * rho, rng), "times ρ"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng, factor=6**-0.5), "noise of its own, drawn once"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng, factor=5), "with a tree it is"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng) + 1, "not right on average"),
    ("19.3", lambda days, rho, rng: _mended(days, rho, rng, draw=lambda sd, n: rng.laplace(0, sd, n)), "not normal"),
    ("19.4", 0.02 / 7, "seven squared"),
    ("19.4", 0.98, "what seven visits cost"),
    ("19.4", 0.14, "the wrong way round"),
    ("19.4", 0.02, "49 times"),
    ("19.4", 0.02 / 14, "not 2kρ"),
    ("19.4", "small", "give a number"),
    ("19.3", _every_second_again, "one call's noise tells the next one's"),
    ("19.5", 3, "give the function itself"),
    ("19.5", lambda days, rho, keep, rng: np.convolve(days, keep ** np.arange(len(days)))[: len(days)], "or none"),
    ("19.5", lambda days, rho, keep, rng: np.cumsum(days) + rng.normal(size=len(days)), "right on average"),
    ("19.5", lambda days, rho, keep, rng: _fading(days, rho, keep, rng, fade=False), "has to fade as well"),
    ("19.5", _fading_days, "noisy days that fade"),
    ("19.5", lambda days, rho, keep, rng: _fading(days, rho, keep, rng, length=0.5), "longest column"),
    ("19.5", _fading_anew, "as much as the convolution makes them"),
    ("19.5", lambda days, rho, keep, rng: None, "it needs a return"),
]
