"""What chapter 13 says, derived again; its short mechanism against the package."""

import itertools

import numpy as np
import pytest
from labs.chapter_13 import _design
from scipy import stats

import dp_helpers as dp
from dp_labs import check

CHAPTER = "13-randomized-response"
FAILURE = 1e-6


# The page's mechanism


def test_the_pages_mechanism_is_the_packages(page):
    coins = dp.RandomizedResponse.two_coins()
    ways = list(itertools.product([True, False], repeat=2))
    assert np.mean([page["two_coins"](True, *way) for way in ways]) == coins.p == 0.75
    assert np.mean([page["two_coins"](False, *way) for way in ways]) == coins.q == 0.25
    assert coins.epsilon == pytest.approx(np.log(3))


# What the prose says about the census


def test_the_surveys_data_are_what_the_page_says(census):
    assert census["Name"].head(500).is_unique  # the door log
    in_sales = census["Occupation"] == "Sales"
    assert in_sales.sum() > 200
    assert census["Occupation"].isna().sum() > 0
    assert not in_sales[census["Occupation"].isna()].any()


def test_a_quarter_of_the_salespeople_deny_it_and_the_estimate_may_pass_1():
    yeses = stats.binom(200, 0.75)
    assert 0.3 < yeses.sf(150) < 0.7  # the estimated share is above 1
    assert yeses.cdf(182) - yeses.cdf(117) > 1 - FAILURE  # "about a quarter"


def test_an_error_below_5_percent_is_no_promise(census):
    exact = (census["Occupation"] == "Sales").sum()
    sd = np.sqrt(dp.RandomizedResponse.two_coins().variance(len(census), exact))
    within = 1 - 2 * stats.norm.sf(0.05 * exact / sd)
    assert 0.70 < within < 0.80


def test_three_sales_yeses_in_four_are_the_coins(census):
    """ "More than twice as many say yes to sales as work there", in any run."""
    n, exact = len(census), (census["Occupation"] == "Sales").sum()
    yeses = stats.norm(n / 4 + exact / 2, np.sqrt(n * 3 / 16))
    assert yeses.cdf(2 * exact) < FAILURE


def test_the_ticks_are_surveys(page):
    ticks = np.concatenate([page["surveys"](0.7, 1_000, seed) for seed in range(100)])
    assert ticks.size == 2_000
    variance = dp.RandomizedResponse.biased_coin(0.7).variance(1_000, 200) / 1_000**2
    assert stats.kstest((ticks - 0.2) / np.sqrt(variance), stats.norm.cdf).pvalue > FAILURE


# Distrust, repetition, the bug


def test_twenty_reports_betray_almost_everybody():
    share = [(0.3 * stats.binom(k, 0.75).sf(k // 2) + 0.7 * stats.binom(k, 0.25).cdf(k // 2)) for k in (1, 5, 20)]
    # Of 500 people, with any seed: three quarters, about nine in ten, nearly all.
    ends = [(stats.binom(500, s).ppf(FAILURE) / 500, stats.binom(500, s).isf(FAILURE) / 500) for s in share]
    assert ends[0][0] > 0.65 and ends[0][1] < 0.85 and ends[1][0] > 0.8 and ends[2][0] > 0.95


def test_the_recipe_is_right_at_noise_one_half_only(page):
    rng, answers = np.random.default_rng(1304), np.arange(200_000) < 20_000
    found = {t: page["recipe_estimate"](page["recipe_report"](answers, t, rng), t) for t in (0.5, 0.2, 0.9)}
    assert found[0.5] == pytest.approx(0.1, abs=0.02)
    assert abs(found[0.2] - 0.1) > 0.2 and abs(found[0.9] - 0.1) > 0.2
    for t in (0, 0.1, 0.5, 0.9):  # "the estimator is the right one"
        assert page["recipe_estimate"](np.array([0, 1, 1]), t) == pytest.approx((2 / 3 - t / 2) / (1 - t))


def test_the_recipe_breaks_its_promise(page):
    assert dp.RandomizedResponse.biased_coin(0.9).epsilon < 0.21

    def for_one(answer, rng):
        return bool(page["recipe_report"](np.array([answer]), 0.9, rng)[0])

    broken = dp.audit(for_one, True, False, trials=5_000, rng=np.random.default_rng(1305))
    assert 2 < broken.epsilon_lower_bound <= np.log(0.95 / 0.05) < 3


@pytest.mark.parametrize("noise", [0.2, 0.5, 0.9])
def test_with_the_second_toss_at_tails_the_recipe_keeps_its_promise_and_is_right(page, noise):
    def cured(answers, rng):
        return ~page["recipe_report"](~answers, 1 - noise, rng)  # what stood at heads now stands at tails

    rng, answers = np.random.default_rng(1307), np.arange(200_000) < 20_000
    assert page["recipe_estimate"](cured(answers, rng), noise) == pytest.approx(0.1, abs=0.06)

    def for_one(answer, rng):
        return bool(cured(np.array([answer]), rng)[0])

    found = dp.audit(for_one, True, False, trials=5_000, rng=rng).epsilon_lower_bound
    assert found <= np.log((2 - noise) / noise)


def test_what_a_survey_costs():
    for n, points in [(1_000, 5), (100_000, 0.5)]:
        margin = 1.96 * np.sqrt(dp.RandomizedResponse.two_coins().variance(n, 0)) / n
        assert margin == pytest.approx(1.7 / np.sqrt(n), rel=0.01) and 100 * margin == pytest.approx(points, rel=0.1)


def test_one_coin_used_twice_lets_a_no_prove_a_no(page):
    reports = page["respond"](np.ones(10_000, dtype=bool), 0.5, np.random.default_rng(1306))
    assert reports.all()  # nobody whose truth is yes says no


# The labs


def test_the_bug_gets_help_from_its_lab(page, capsys):
    check("13.one-toss-saved", page["respond"])
    assert "at noise 0.5, people whose truth is yes" in capsys.readouterr().out


def test_the_designs_interval_holds_for_the_population():
    """The formula of "A survey before it is asked", by simulation at the worst share: sampling and coins together."""
    n, error = 1_000, 0.08
    coins, rng, runs = dp.RandomizedResponse.from_epsilon(_design(n, error)), np.random.default_rng(n), 20_000
    asked = rng.binomial(n, 0.5, runs)
    yeses = rng.binomial(asked, coins.p) + rng.binomial(n - asked, coins.q)
    shares = (yeses / n - coins.q) / (coins.p - coins.q)
    assert np.mean(abs(shares - 0.5) <= error) == pytest.approx(0.95, abs=0.012)
