"""What chapter 20 says, derived again; its tree and its masks."""

import itertools
import math

import numpy as np
import pytest
from chapters.chance import another, streams
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
    expected = {"laplace": 8 / epsilon**2, "duchi": duchi(epsilon, x).mean(), "piecewise": piecewise(epsilon, x).mean()}
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


def test_the_browsers_mean_is_off_by_half_an_hour_here_and_by_two_minutes_with_ten_million(census):
    x = (census["Hours per week"].to_numpy() - 50) / 49
    one = 49 * np.sqrt(piecewise(1, x).mean())  # hours, a single report
    assert one / np.sqrt(len(x)) == pytest.approx(0.5, abs=0.05)
    assert 60 * one / np.sqrt(10_000_000) == pytest.approx(2, abs=0.3)


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
    assert delta(2, np.log(3), np.log(2)) == pytest.approx(3 / 16)  # by hand
    assert delta(300, 1, 0.2) == pytest.approx(1.78e-5, rel=0.01)  # "two in a hundred thousand"
    assert epsilon(1_000, 1, 1e-6) == pytest.approx(0.126614, abs=1e-4)
    assert epsilon(5_000, 3, 1e-6) == pytest.approx(0.252331, abs=1e-4)
    assert epsilon(300, 1, 1e-5) == pytest.approx(0.21084, abs=1e-4)
    n = 32_561
    assert [e / epsilon(n, e, 1e-6) for e in (1, 5)] == pytest.approx([53, 17], abs=0.6)
    assert epsilon(n, 2, 1e-6) == pytest.approx(0.05, abs=0.005)
    assert delta(n, 6.8, 1) < 1e-6 < delta(n, 6.9, 1)  # "nearly 7"


@pytest.mark.parametrize(
    ("n", "local", "epsilon"), [(2, np.log(3), np.log(2)), (3, 0.5, 0.1), (10, 2, 0.14), (50, 1, 0.2)]
)
def test_the_larger_of_both_orders_counts(page, n, local, epsilon):
    """In small crowds it is now and then that of a true yes."""
    lie = 1 / (1 + math.exp(local))
    others = stats.binom(n - 1, lie).pmf(range(n))
    no, yes = np.convolve(others, [1 - lie, lie]), np.convolve(others, [lie, 1 - lie])
    both = [np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in ((no, yes), (yes, no))]
    assert page["coins_delta"](n, local, epsilon) == pytest.approx(max(both))
    assert (both[1] > both[0]) == (n in (3, 10))


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


def test_a_mask_for_two_days_shows_the_change_and_a_fresh_one_any_number(page):
    """The bug and its cure: with a mask for each day, what is seen of Cem's change is any of a hundred numbers."""
    rng, monday, tuesday = generator(2012), np.array([3, 0, 5]), np.array([3, 0, 6])
    seen = {"kept": [], "fresh": []}
    for _ in range(5_000):
        mask, other = page["masks"](3, rng), page["masks"](3, rng)
        seen["kept"].append(((tuesday + mask) - (monday + mask))[2] % 100)
        seen["fresh"].append(((tuesday + other) - (monday + mask))[2] % 100)
        assert (tuesday + other).sum() == 9
    assert set(seen["kept"]) == {1}
    assert stats.chisquare(np.bincount(seen["fresh"], minlength=100)).pvalue > FAILURE


def test_what_distrust_costs(census):
    """Half an hour by phones at ε = 1, and with a trusted sum less than a hundredth of an hour (replace-one)."""
    n = len(census)
    assert math.sqrt(2) * 98 / n / 1.0 < 0.01


# The answer


def test_shuffled_coins_nearly_tie_with_a_trusted_office(page):
    n = 32_561

    def error(local):
        return np.sqrt(dp.RandomizedResponse.from_epsilon(local).variance(n, 0))

    assert page["coins_delta"](n, 6.85, 1) <= 1e-6
    assert error(1) == pytest.approx(173, abs=1) and error(6.85) == pytest.approx(5.9, abs=0.2)
    assert np.sqrt(2) < 5 < error(6.85) < 1.3 * 5  # "nearly tie"
