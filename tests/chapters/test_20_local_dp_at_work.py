"""What chapter 20 says, derived again; its sketch, its tree and its masks; its labs."""

import itertools

import numpy as np
import pytest
from scipy import stats

import dp_helpers as dp

CHAPTER = "20-local-dp-at-work"
FAILURE = 1e-6


def generator(seed):
    return np.random.default_rng(seed)


def oue(epsilon):
    return 4 * np.exp(epsilon) / np.expm1(epsilon) ** 2


def duchi(epsilon, x):
    return (np.exp(epsilon) + 1) ** 2 / np.expm1(epsilon) ** 2 - x**2


def piecewise(epsilon, x):
    u = np.exp(epsilon / 2) - 1
    return x**2 / u + (u + 4) / (3 * u**2)


# One number


def test_duchi_by_hand():
    c = (3 + 1) / (3 - 1)
    assert c == 2
    up = {x: 0.5 + x / (2 * c) for x in (-1, 0, 1)}
    assert up == {-1: 0.25, 0: 0.5, 1: 0.75} and c * up[1] - c * (1 - up[1]) == 1
    assert duchi(np.log(3), 0.5) == pytest.approx(c**2 - 0.25)


@pytest.mark.parametrize("epsilon", [0.75, 1, 2, 4])
def test_the_drawn_laws_are_densities_with_the_right_mean_and_ratio(page, epsilon):
    grid = np.linspace(-60, 60, 600_001)
    step = grid[1] - grid[0]
    laws = {hours: page["laws"](hours, epsilon, grid) for hours in (1, 40, 99)}
    densities = []
    for hours, (laplace, (heights, places), c, up) in laws.items():
        x = (hours - 50) / 49
        flat = np.array([0, *heights, 0])[np.searchsorted(places, grid)]
        densities.append(flat)
        for density in (laplace, flat):
            assert density.sum() * step == pytest.approx(1, abs=2e-3)
            assert (grid * density).sum() * step == pytest.approx(x, abs=5e-3)
        assert c * up - c * (1 - up) == pytest.approx(x)
        variance = (grid**2 * flat).sum() * step - x**2
        assert variance == pytest.approx(piecewise(epsilon, x), rel=0.02)
    ups = [laws[hours][3] for hours in (1, 99)]
    assert max(ups) / min(ups) == pytest.approx(np.exp(epsilon))
    for first, second in itertools.product(densities, repeat=2):
        inside = (first > 0) & (second > 0)
        assert (first[inside] <= np.exp(epsilon) * second[inside] * (1 + 1e-9)).all()


def test_what_duchi_sends_at_4():
    c = (np.exp(4) + 1) / (np.exp(4) - 1)
    assert (50 - 49 * c, 50 + 49 * c) == pytest.approx((-0.8, 100.8), abs=0.05)


def test_means(census):
    hours, bounds = census["Hours per week"], {"lower": 1, "upper": 99}
    assert hours.between(1, 99).all()
    assert hours.mean() == pytest.approx(40, abs=1)
    for epsilon in np.linspace(0.2, 8, 79):
        worst = {"Duchi": duchi(epsilon, 0), "piecewise": piecewise(epsilon, 1), "Laplace": 8 / epsilon**2}
        if abs(epsilon - 1.29) > 0.01:
            assert min(worst, key=worst.get) == ("Duchi" if epsilon < 1.29 else "piecewise")
        assert duchi(epsilon, 0) > 1
    assert piecewise(20, 0) < 0.01
    x, rng = (hours.to_numpy() - 50) / 49, generator(2001)
    assert np.mean(abs(x) < 0.5) > 0.8  # "most people work near the middle"
    at_5 = [8 / 25, duchi(5, x).mean(), piecewise(5, x).mean()]
    assert min(at_5) == at_5[2] < 0.3 * at_5[0]
    for mean, expected in [
        (dp.laplace_mean, 8),
        (dp.duchi_mean, duchi(1, x).mean()),
        (dp.piecewise_mean, piecewise(1, x).mean()),
    ]:
        found = [mean(hours, **bounds, epsilon=1, rng=rng) for _ in range(40)]
        sd = 49 * np.sqrt(expected / len(hours))
        assert abs(np.mean(found) - hours.mean()) < 6 * sd / np.sqrt(40)
        assert 0.3 < np.std(found) / sd < 1.8


# Every day


def test_rappor(page):
    assert dp.unary_epsilon(0.625, 0.375) == pytest.approx(2 * np.log(5 / 3))
    assert dp.unary_epsilon(0.75, 0.25) == pytest.approx(2 * np.log(3))
    one = 0.75 * 0.75 + 0.25 * 0.25  # kept, sent
    assert (one, 1 - one) == (0.625, 0.375)
    # A hundred fresh reports of a bit betray it; its majority is wrong with this probability.
    assert max(stats.binom(100, 0.75).cdf(50), stats.binom(100, 0.25).sf(50)) < 1e-6
    rng = generator(2002)
    truth = np.eye(15, dtype=bool)[rng.integers(15, size=1_000)]
    kept = page["flip"](truth, 0.75, 0.25, rng)
    assert np.mean(kept == truth) == pytest.approx(0.75, abs=0.03)


def test_the_pages_flips_are_unary_encoding(page):
    n, p, q = 20_000, 0.7, 0.2
    reports = page["flip"](np.tile([[True, False]], (n, 1)), p, q, generator(2003))
    assert stats.binomtest(int(reports[:, 0].sum()), n, p).pvalue > FAILURE
    assert stats.binomtest(int(reports[:, 1].sum()), n, q).pvalue > FAILURE


# Words


def test_the_sketch_by_hand():
    read, n = 40 + 20, 90
    assert 1.5 * (read - n / 3) == 45
    for held in (0, 40, 90):  # the expectation that is solved
        expected = held + (n - held) / 3
        assert 1.5 * (expected - n / 3) == pytest.approx(held)


def test_the_sketch_is_unbiased_and_nearly_as_good_as_unary(page):
    """On few people, many times; its reading is the page's."""
    rng, runs, n, d, bits, hashes, epsilon = generator(2004), 30, 2_000, 6, 32, 512, 5
    answers = np.repeat(np.arange(d), [900, 600, 300, 150, 50, 0])
    found = []
    for _ in range(runs):
        counts, table = page["sketch"](answers, d, epsilon, hashes, bits, rng)
        own = np.arange(bits) == table[:, :, None]
        read = (counts[:, None, :] * own).sum(axis=(0, 2))
        found.append((read - n / bits) / (1 - 1 / bits))
    errors = np.array(found) - np.bincount(answers, minlength=d)
    half = np.exp(epsilon / 2)
    unary = np.sqrt(n * half / (half - 1) ** 2)
    rms = np.sqrt(np.mean(errors**2))
    assert 0.8 * unary < rms < 1.7 * unary
    assert abs(errors.mean(axis=0)).max() < 6 * errors.std(axis=0).max() / np.sqrt(runs)


def test_a_report_of_the_sketch_keeps_its_promise(page):
    def report(answer, rng):
        counts, table = page["sketch"]([answer], 2, 1.0, 1, 4, rng)
        return tuple(np.round(counts[0, table[0]], 6)), bool(table[0, 0] == table[0, 1])

    found = dp.audit(report, 0, 1, trials=4_000, rng=generator(2005)).epsilon_lower_bound
    assert 0.3 < found <= 1


def test_four_standard_deviations():
    assert stats.norm.sf(4) == pytest.approx(0.00003, abs=0.000002)
    assert 1 - stats.norm.cdf(4) ** 260 < 0.01
    for d in (15, 74, 260):
        level = stats.norm.isf(0.05 / d)
        assert 1 - stats.norm.cdf(level) ** d <= 0.05 and level < 4
        # The level that only bounds the expected maximum is passed more often.
        assert 1 - stats.norm.cdf(np.sqrt(2 * np.log(d))) ** d > 0.05


def test_the_tree_finds_the_five_words():
    """In each of four rounds, with the page's people: how many standard deviations the beginnings stand high."""
    people, sd = 100_000, np.sqrt(100_000 * oue(2))
    rare = people / 2 / 26  # any first letter, from those who type anything
    assert stats.norm.sf((4 * sd - rare) / sd) > 0.99  # "nearly every letter stands out"
    assert (people / 2 / 5 - 4 * sd) / sd > 20  # a popular word, in its round
    assert people / 2 / 26**2 < 0.3 * sd  # two letters that begin no popular word
    assert 676 * stats.norm.sf(3.7) < 0.1  # seldom one of them stands out
    assert 200 * stats.norm.sf(3.99) < 0.01  # and hardly ever a whole word of noise


# Shuffling


def test_shuffling_answers():
    n, delta = 32_561, 1e-6
    gains = {e: e / dp.shuffled_epsilon(epsilon=e, n=n, delta=delta) for e in (1, 5)}
    assert gains[1] == pytest.approx(36, abs=1) and gains[5] == pytest.approx(9, abs=0.2)
    formula = dp.shuffled_epsilon(epsilon=1, n=n, delta=delta, method="closed form")
    assert 7.5 < 1 / formula < 8.5 and formula * gains[1] == pytest.approx(4.4, abs=0.1)
    assert dp.shuffled_epsilon(epsilon=5, n=n, delta=delta, method="closed form") == 5
    assert 4 < np.log(n / (16 * np.log(2 / delta))) < 5
    assert dp.shuffled_epsilon(epsilon=2, n=n, delta=delta) == pytest.approx(0.08, abs=0.005)


def test_the_figures_curves_nearly_coincide():
    honest = np.e / (1 + np.e)
    law = stats.binom(299, 1 - honest).pmf(np.arange(300))
    no, yes = np.convolve(law, [honest, 1 - honest]), np.convolve(law, [1 - honest, honest])
    assert abs(no - yes).sum() / 2 < 0.03 < abs(honest - (1 - honest)) / 10


# Masks and shares


def test_ann_bob_and_cem():
    sent = np.array([3 + 7 + 4, 0 - 7 + 8, 5 - 4 - 8]) % 10
    assert sent.tolist() == [4, 1, 3] and sent.sum() % 10 == 8


def test_skellam_noise_hides_one_person():
    """Its exact delta at ε = 1, when one count changes by 1: far below one in a million."""
    k = np.arange(-120, 121)
    law = stats.skellam(12.5, 12.5).pmf(k)
    for a, b in ((law[1:], law[:-1]), (law[:-1], law[1:])):
        assert np.maximum(a - np.e * b, 0).sum() < 1e-8
    assert np.exp(-2 * 25 / 20_000) == pytest.approx(0.9975, abs=1e-4)  # nearly every phone adds nothing
    coins = np.sqrt(dp.RandomizedResponse.from_epsilon(1).variance(10_000, 0))
    assert coins / 5 == pytest.approx(19.2, abs=0.1)


def test_shares_add_up_to_skellam():
    rng, phones, runs = generator(2006), 400, 4_000
    shares = rng.poisson(25 / 800, (runs, phones)) - rng.poisson(25 / 800, (runs, phones))
    law = stats.skellam(12.5, 12.5)
    edges = np.arange(-12, 13)
    seen = np.histogram(shares.sum(axis=1), np.append(edges - 0.5, 12.5))[0]
    assert (
        stats.chisquare(
            np.append(seen, runs - seen.sum()), runs * np.append(law.pmf(edges), 1 - law.pmf(edges).sum())
        ).pvalue
        > FAILURE
    )


def test_masks_cancel_and_the_reused_ones_betray_the_change(page):
    masks = page["masks"](5, generator(2007))
    assert masks.sum() == 0
    first = np.arange(5)
    second = np.array([0, 2, 2, 3, 4])
    assert (((second + masks) - (first + masks)) % 100).tolist() == [0, 1, 0, 0, 0]


# The answer


def test_whom_you_trust():
    n = 32_561

    def error(local):
        return np.sqrt(dp.RandomizedResponse.from_epsilon(local).variance(n, 0))

    assert dp.shuffled_epsilon(epsilon=5.9, n=n, delta=1e-6) < 1 < dp.shuffled_epsilon(epsilon=6, n=n, delta=1e-6)
    assert error(1) == pytest.approx(173, abs=1) and error(5.9) < 10
    assert np.sqrt(2) < 5 < error(5.9)  # "buys back nearly all"


def test_the_ledger():
    assert 6.5 + 2 * np.log(3) + 5 + 2 + 1 < 20


# The labs


def _row(p, q):
    return np.log(p * (1 - q) / ((1 - p) * q))


def _rappor(f, p, q):
    one, zero = (1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p
    return _row(one, zero), _row(1 - f / 2, f / 2)


def _pairs(values, modulus, rng, high=None):
    sent = np.array(values)
    for i in range(len(sent)):
        for j in range(i + 1, len(sent)):
            agreed = rng.integers(high or modulus)
            sent[i] += agreed
            sent[j] -= agreed
    return sent % modulus


def _last_pays(values, modulus, rng):
    """Return reports of which all but the last carry a mask of their own."""
    masks = rng.integers(modulus, size=len(values) - 1)
    return (values + np.append(masks, -masks.sum())) % modulus


def _ring(values, modulus, rng):
    """Return reports with a mask for each pair of neighbours in a ring, as a list."""
    masks = rng.integers(0, modulus, len(values))
    return [int((v + masks[i] - masks[i - 1]) % modulus) for i, v in enumerate(values)]


def _by_matrix(values, modulus, rng):
    agreed = np.triu(rng.integers(modulus, size=(len(values),) * 2), 1)
    return (values + agreed.sum(axis=1) - agreed.sum(axis=0)) % modulus


def _first_two_only(values, modulus, rng):
    sent, mask = np.array(values), rng.integers(modulus)
    sent[0], sent[1] = sent[0] + mask, sent[1] - mask
    return sent % modulus


def _two_pairs(values, modulus, rng):
    """Return reports with masks between the first and second, third and fourth, and so on; the last three share."""
    sent = np.array(values)
    pairs = [(i, i + 1) for i in range(0, len(sent) - 1, 2)]
    pairs += [(len(sent) - 2, len(sent) - 1)] * (len(sent) % 2)
    for i, j in pairs:
        mask = rng.integers(modulus)
        sent[i], sent[j] = sent[i] + mask, sent[j] - mask
    return sent % modulus


def _in_place(values, modulus, rng):
    values[:] = _pairs(values, modulus, rng)
    return values


def _search(n, target, delta, method="numerical"):
    low, high = target, 20.0
    while high - low > 0.005:
        middle = (low + high) / 2
        fits = dp.shuffled_epsilon(epsilon=middle, n=n, delta=delta, method=method) <= target
        low, high = (middle, high) if fits else (low, middle)
    return low


def _steps(n, target, delta):
    local = target
    for step in (1, 0.1, 0.01):
        while dp.shuffled_epsilon(epsilon=local + step, n=n, delta=delta) <= target:
            local += step
    return local


RIGHT = [
    ("20.1", (-40, 120)),
    ("20.1", [-40.0, 120.0]),
    ("20.1", np.array([-40, 120])),
    ("20.1", {"low": -40, "high": 120}),
    ("20.2", _rappor),
    ("20.2", lambda f, p, q: list(_rappor(f, p, q))),
    ("20.2", lambda f, p, q: tuple(round(x, 3) for x in _rappor(f, p, q))),
    ("20.3", _pairs),
    ("20.3", _last_pays),
    ("20.3", _ring),
    ("20.3", _by_matrix),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, rng).astype(float)),
    ("20.4", 25 / 8_000),
    ("20.4", 0.00313),
    ("20.4", np.float32(0.003125)),
    ("20.5", _search),
    ("20.5", _steps),
    ("20.5", lambda n, target, delta: round(_search(n, target, delta), 2)),
]

WRONG = [
    ("20.1", 120, "give 2 numbers"),
    ("20.1", (0, 80), "those are the bounds"),
    ("20.1", (120, -40), "lower number first"),
    ("20.1", (-2, 2), "values from -1 to 1"),
    ("20.1", (-80, 160), "not e^ε"),
    ("20.1", (-120, 200), "half the width is 40"),
    ("20.1", (20, 60), "the other way round"),
    ("20.1", (-40, 100), "high"),
    ("20.2", (1, 2), "give the function itself"),
    ("20.2", lambda f, p, q: 1.0, "as a pair"),
    ("20.2", lambda f, p, q: _rappor(f, p, q)[::-1], "in the other order"),
    ("20.2", lambda f, p, q: (_rappor(f, p, q)[0], _rappor(f, p, q)[1] / 2), "in two bits"),
    ("20.2", lambda f, p, q: (_row(q, p), _rappor(f, p, q)[1]), "the second stage about the kept row"),
    ("20.2", lambda f, p, q: (_rappor(f, p, q)[0], 9.0), "all reports together have"),
    ("20.2", lambda f, p, q: (9.0, _rappor(f, p, q)[1]), "one report has"),
    ("20.3", [4, 1, 3], "give the function itself"),
    ("20.3", lambda values, modulus, rng: None, "it needs a return"),
    ("20.3", lambda values, modulus, rng: values.sum(), "one number for each person"),
    ("20.3", lambda values, modulus, rng: values, "nothing is masked"),
    ("20.3", lambda values, modulus, rng: values + rng.normal(size=len(values)), "whole numbers"),
    ("20.3", lambda values, modulus, rng: _pairs(values, 10**9, rng), "between 0 and"),
    ("20.3", lambda values, modulus, rng: (values + rng.integers(modulus, size=len(values))) % modulus, "don't cancel"),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng()), "same rng gave different"),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng(1)), "two different ones"),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, rng, high=3), "betrays something"),
    ("20.3", _first_two_only, "person 3's report betrays"),
    ("20.3", _two_pairs, "together betray something"),
    ("20.3", _in_place, "leave the values"),
    ("20.4", 25 / 10_000, "take their shares along"),
    ("20.4", 25, "the whole noise"),
    ("20.4", 5 / 8_000, "variances add up"),
    ("20.4", np.sqrt(25 / 8_000), "asked is its variance"),
    ("20.4", 25 / 2_000, "if only 2,000 stayed"),
    ("20.4", 1.0, "how many arrive"),
    ("20.5", 3.5, "give the function itself"),
    ("20.5", lambda n, target, delta: None, "it needs a return"),
    ("20.5", lambda n, target, delta: target, "nobody shuffles"),
    ("20.5", lambda n, target, delta: _search(n, target, delta, "closed form"), "the closed form's answer"),
    ("20.5", lambda n, target, delta: 1.2 * _search(n, target, delta), "is too much"),
    ("20.5", lambda n, target, delta: 0.9 * _search(n, target, delta), "there is room"),
    ("20.5", lambda n, target, delta: target * np.sqrt(n), "is too much"),
]
