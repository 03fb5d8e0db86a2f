"""What chapter 20 says, derived again; its sketch, its tree and its masks; its labs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from chapters.answers import patched
from chapters.chance import another, streams
from scipy import optimize, stats

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


@pytest.mark.parametrize("epsilon", [0.75, 4])
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


@pytest.mark.parametrize("epsilon", [0.5, 5])
def test_the_pages_reports_have_the_errors_of_theory(page, census, epsilon):
    x = (census["Hours per week"].to_numpy() - 50) / 49
    expected = {
        "laplace": 8 / epsilon**2,
        "duchi": duchi(epsilon, x).mean(),
        "piecewise": piecewise(epsilon, x).mean(),
    }
    for name, variance in expected.items():
        off = page[name](x, epsilon, generator(2008)) - x
        assert abs(off.mean()) < 6 * np.sqrt(variance / len(x))
        assert off.var() == pytest.approx(variance, rel=0.08)  # Laplace's has a standard error of 1.3%


def test_the_piecewise_report_errs_least_at_5_for_any_seed(page, census):
    """And the kept row is known for three bits in four, nearly every phone adds nothing: as printed."""
    x = (census["Hours per week"].to_numpy() - 50) / 49
    ahead = []
    for rng in streams(20, number=40):
        laplace, duchi_, near = ((page[name](x, 5, rng) - x).std() for name in ("laplace", "duchi", "piecewise"))
        ahead.append(min(laplace, duchi_) / near)
    assert another(ahead)[0] > 2
    assert stats.binom(15_000, 0.75).isf(FAILURE) < 0.77 * 15_000  # a hundred days give back the kept row
    silent = np.exp(-25 / 10_000) * 1.0  # both of its Poisson numbers are 0
    assert stats.binom(10_000, silent).ppf(FAILURE) > 9_900


def test_the_pages_reports_are_the_packages(page):
    """In law: the same mean and spread of a survey of one person."""
    for name, mean in [("duchi", dp.duchi_mean), ("piecewise", dp.piecewise_mean)]:
        ours = page[name](np.full(3_000, 0.4), 1.5, generator(2010))
        rng = generator(2011)
        theirs = [mean([0.4], lower=-1, upper=1, epsilon=1.5, rng=rng) for _ in range(3_000)]
        assert stats.ks_2samp(ours, theirs).pvalue > FAILURE


# Every day


def test_the_pages_flips_are_unary_encoding(page):
    n, p, q = 20_000, 0.7, 0.2
    reports = page["flip"](np.tile([[True, False]], (n, 1)), p, q, generator(2003))
    assert stats.binomtest(int(reports[:, 0].sum()), n, p).pvalue > FAILURE
    assert stats.binomtest(int(reports[:, 1].sum()), n, q).pvalue > FAILURE


# Words


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


def test_the_tree_finds_the_five_words():
    """In each of four rounds, with the page's people: how many standard deviations the beginnings stand high."""
    people, sd = 100_000, np.sqrt(100_000 * oue(2))
    rare = people / 2 / 26  # any first letter, from those who type anything
    assert stats.norm.sf((4 * sd - rare) / sd) > 0.99  # "nearly every letter stands out"
    assert (people / 2 / 5 - 4 * sd) / sd > 20  # a popular word, in its round
    assert people / 2 / 26**2 < 0.3 * sd  # two letters that begin no popular word
    assert 676 * stats.norm.sf(3.7) < 0.1  # seldom one of them stands out
    assert 200 * stats.norm.sf(3.99) < 0.01  # "fewer than one run of a hundred": a whole word of noise


# Shuffling


def test_shuffling_answers():
    n, delta = 32_561, 1e-6
    gains = {e: e / dp.shuffled_epsilon(epsilon=e, n=n, delta=delta) for e in (1, 5)}
    assert gains[1] == pytest.approx(36, abs=1) and gains[5] == pytest.approx(9, abs=0.2)
    assert 7.5 < 1 / dp.shuffled_epsilon(epsilon=1, n=n, delta=delta, method="closed form") < 8.5


def test_shuffled_coins_exactly(page):
    delta, epsilon = page["coins_delta"], page["coins_epsilon"]
    assert delta(300, 1, 0.2) == pytest.approx(1.78e-5, rel=0.01)  # "two in a hundred thousand"
    assert epsilon(1_000, 1, 1e-6) == pytest.approx(0.126614, abs=1e-4)
    assert epsilon(5_000, 3, 1e-6) == pytest.approx(0.252331, abs=1e-4)
    assert epsilon(300, 1, 1e-5) == pytest.approx(0.21084, abs=1e-4)
    n = 32_561
    assert [e / epsilon(n, e, 1e-6) for e in (1, 5)] == pytest.approx([53, 17], abs=0.6)
    assert epsilon(n, 2, 1e-6) == pytest.approx(0.05, abs=0.005)
    assert delta(n, 6.8, 1) < 1e-6 < delta(n, 6.9, 1)  # "nearly 7"


def test_everybody_else_alike_is_the_worst_case_of_300(page):
    lie = 1 / (1 + np.e)
    for yeses in range(0, 300, 13):
        others = np.convolve(
            stats.binom(299 - yeses, lie).pmf(range(300 - yeses)), stats.binom(yeses, 1 - lie).pmf(range(yeses + 1))
        )
        no, yes = np.convolve(others, [1 - lie, lie]), np.convolve(others, [lie, 1 - lie])
        for p, q in ((no, yes), (yes, no)):
            assert np.maximum(p - np.exp(0.2) * q, 0).sum() <= page["coins_delta"](300, 1, 0.2) * (1 + 1e-9)


# Masks and shares


def test_skellam_noise_hides_one_person():
    """Its exact delta at ε = 1, when one count changes by 1: far below one in a million."""
    k = np.arange(-120, 121)
    law = stats.skellam(12.5, 12.5).pmf(k)
    for a, b in ((law[1:], law[:-1]), (law[:-1], law[1:])):
        assert np.maximum(a - np.e * b, 0).sum() < 1e-9


def test_masks_cancel(page):
    masks = page["masks"](5, generator(2007))
    assert masks.sum() == 0 and masks.any()


# The answer


def test_whom_you_trust(page):
    n = 32_561

    def error(local):
        return np.sqrt(dp.RandomizedResponse.from_epsilon(local).variance(n, 0))

    assert page["coins_delta"](n, 6.85, 1) <= 1e-6
    assert error(1) == pytest.approx(173, abs=1) and error(6.85) == pytest.approx(5.9, abs=0.2)
    assert np.sqrt(2) < 5 < error(6.85) < 1.3 * 5  # "nearly tie"


# The labs


def _row(p, q):
    return np.log(p * (1 - q) / ((1 - p) * q))


def _rappor(f, p, q):
    one, zero = (1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p
    return _row(one, zero), _row(1 - f / 2, f / 2)


def _pairs(values, modulus, rng):
    sent = np.array(values)
    for i in range(len(sent)):
        for j in range(i + 1, len(sent)):
            agreed = rng.integers(modulus)
            sent[i] += agreed
            sent[j] -= agreed
    return sent % modulus


def _ring(values, modulus, rng):
    """Return reports with a mask for each pair of neighbours in a ring, as a list."""
    masks = rng.integers(0, modulus, len(values))
    return [int((v + masks[i] - masks[i - 1]) % modulus) for i, v in enumerate(values)]


def _by_matrix(values, modulus, rng):
    agreed = np.triu(rng.integers(modulus, size=(len(values),) * 2), 1)
    return (values + agreed.sum(axis=1) - agreed.sum(axis=0)) % modulus


def _search(n, target, delta, method="numerical"):
    low, high = target, 20.0
    while high - low > 0.005:
        middle = (low + high) / 2
        fits = dp.shuffled_epsilon(epsilon=middle, n=n, delta=delta, method=method) <= target
        low, high = (middle, high) if fits else (low, middle)
    return low


def _steps_reported(steps, most, epsilon, rng):
    root = np.exp(epsilon / 2)
    far = (root + 1) / (root - 1)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    if rng.random() < root / (root + 1):
        y = left + (far - 1) * rng.random()
    else:
        y = -far + (far + 1) * rng.random()
        y += (far - 1) * (y >= left)
    return (y + 1) / 2 * most


def _steps_rejected(steps, most, epsilon, rng):
    """Return the report by drawing until a density is met."""
    far = 1 / np.tanh(epsilon / 4)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    while True:
        y = rng.uniform(-far, far)
        if left <= y <= left + far - 1 or rng.random() < np.exp(-epsilon):
            return (y + 1) / 2 * most


def _last_makes_the_sum(values, modulus, rng):
    sent = rng.integers(modulus, size=len(values) - 1)
    return pd.Series([*sent, (values.sum() - sent.sum()) % modulus])


def _two_groups(values, modulus, rng):
    """Return reports whose masks cancel among the first three people already, where there are enough for two groups."""
    return np.append(*(_pairs(part, modulus, rng) for part in np.split(values, [3 if len(values) > 5 else 0])))


def _by_inversion(steps, most, epsilon, rng):
    far = 1 / np.tanh(epsilon / 4)
    left = (far + 1) / 2 * (2 * steps / most - 1) - (far - 1) / 2
    edges = [-far, left, left + far - 1, far]
    chances = np.cumsum([0, *np.diff(edges) * [1, np.exp(epsilon), 1]])
    return np.array([(np.interp(rng.random(), chances / chances[-1], edges) + 1) / 2 * most])


KEPT = {}


def _every_report_twice(steps, most, epsilon, rng):
    if (steps, most) not in KEPT:
        KEPT[steps, most] = _steps_reported(steps, most, epsilon, rng)
        return KEPT[steps, most]
    return KEPT.pop((steps, most))


RIGHT = [
    ("20.1", {"low": -40, "high": 120}),
    ("20.2", _rappor),
    ("20.2", lambda f, p, q: [round(x, 3) for x in _rappor(f, p, q)]),
    ("20.3", _pairs),
    ("20.3", _ring),
    ("20.3", _by_matrix),
    ("20.3", _last_makes_the_sum),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, rng).astype(float)),
    ("20.4", 25 / 8_000),
    ("20.5", lambda n, target, delta: round(_search(n, target, delta), 2)),
    ("20.6", _steps_reported),
    ("20.5", lambda n, target, delta: optimize.brentq(
        lambda local: dp.shuffled_epsilon(epsilon=local, n=n, delta=delta) - target, target, 15, xtol=0.005)),
    ("20.6", _steps_rejected),
    ("20.6", _by_inversion),
]  # fmt: skip

FIRST, SECOND = "in range(len(sent))", "in range(i + 1, len(sent))"
WRONG = [
    ("20.2", lambda f, p, q: 1.0, "give a pair"),
    ("20.2", lambda f, p, q: _rappor(f, p, q)[::-1], "in the other order"),
    ("20.2", lambda f, p, q: (_rappor(f, p, q)[0], _rappor(f, p, q)[1] / 2), "in two bits"),
    ("20.2", lambda f, p, q: (_row(q, p), _rappor(f, p, q)[1]), "forgets the first"),
    ("20.2", lambda f, p, q: (_rappor(f, p, q)[0], 9.0), "all reports together have"),
    ("20.2", lambda f, p, q: (9.0, _rappor(f, p, q)[1]), "one report has"),
    ("20.3", lambda values, modulus, rng: values.sum(), "one number for each person"),
    ("20.3", lambda values, modulus, rng: values, "nothing is masked"),
    ("20.3", lambda values, modulus, rng: values + rng.normal(size=len(values)), "whole numbers"),
    ("20.3", lambda values, modulus, rng: _pairs(values, 10**9, rng), "between 0 and"),
    ("20.3", lambda values, modulus, rng: (values + rng.integers(modulus, size=len(values))) % modulus, "don't cancel"),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng()), "same rng gave another"),
    ("20.3", lambda values, modulus, rng: _pairs(values, modulus, np.random.default_rng(1)), "two different ones"),
    ("20.3", patched(_pairs, "rng.integers(modulus)", "rng.integers(max(10, modulus // 4))"), "masks go up to it"),
    ("20.3", patched(_pairs, "rng.integers(modulus)", "rng.integers(3)"), "betray something"),
    ("20.3", patched(_pairs, FIRST, "in (0,)", SECOND, "in (1,)"), "the reports of person 3 betray"),
    ("20.3", patched(_pairs, FIRST, "in range(0, len(sent) - 1, 2)", SECOND, "in (i + 1,)"), "and person 2 betray"),
    ("20.3", _two_groups, "person 1 and person 2 and person 3 betray"),
    ("20.3", patched(_pairs, "rng.integers(modulus)", "rng.integers(1, modulus)"), "betray something"),
    ("20.3", patched(_pairs, "rng.integers(modulus)", "rng.binomial(modulus, 0.5)"), "betray something"),
    ("20.3", patched(_pairs, "np.array(values)", "values"), "leave its input as it is"),
    ("20.5", lambda n, target, delta: target, "nobody shuffles"),
    ("20.5", lambda n, target, delta: _search(n, target, delta, "closed form"), "more than the closed form"),
    ("20.5", lambda n, target, delta: 1.2 * _search(n, target, delta), "is too much"),
    ("20.5", lambda n, target, delta: 0.9 * _search(n, target, delta), "there is room"),
    ("20.6", lambda steps, most, epsilon, rng: float(steps), "same in every run"),
    ("20.6", lambda steps, *rest: _steps_reported(steps, *rest) if steps else 0, "same in every run"),
    ("20.6", _every_report_twice, "same rng gave another"),
    ("20.6", lambda steps, most, epsilon, rng: _steps_reported(steps, most, 1.1 * epsilon, rng), "must be even"),
    ("20.6", lambda steps, *rest: _steps_reported(0.9 * steps, *rest), "your reports average"),
    ("20.6", patched(_steps_reported, "(y + 1)", "(np.clip(y, -1, 1) + 1)"), "clipped like this"),
    ("20.6", lambda steps, most, epsilon, rng: steps + rng.laplace(scale=2 * most / epsilon), "reports lie within"),
    ("20.6", patched(_steps_reported, "root / (root + 1)", "0.5"), "of your reports"),
    ("20.6", patched(_steps_reported, "(far - 1) * rng.random()", "(far - 1) * rng.beta(3, 3)"), "must be even"),
]  # fmt: skip
