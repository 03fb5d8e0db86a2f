"""What chapter 13 says, derived again; its short mechanism against the package; its labs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from chapters.answers import patched
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


def test_the_surveys_data(census):
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


def test_one_coin_used_twice_lets_a_no_prove_a_no(page):
    reports = page["respond"](np.ones(10_000, dtype=bool), 0.5, np.random.default_rng(1306))
    assert reports.all()  # nobody whose truth is yes says no


# The labs


def _interval(reports, noise):
    n, share = len(reports), np.mean(reports)
    centre = (share - noise / 2) / (1 - noise)
    half = 1.96 * np.sqrt(noise / 2 * (1 - noise / 2) / n) / (1 - noise)
    return centre - half, centre + half


def _loop_interval(reports, noise):
    yeses = 0
    for report in reports:
        yeses += int(report)
    n, p, q = len(reports), 1 - noise / 2, noise / 2
    sd = (p * (1 - p) / n / (p - q) ** 2) ** 0.5
    return round((yeses / n - q) / (p - q) - 1.96 * sd, 4), round((yeses / n - q) / (p - q) + 1.96 * sd, 4)


def _respond(answers, noise, rng):
    return np.where(rng.random(len(answers)) >= noise, answers, rng.random(len(answers)) < 0.5)


def _design(n, error):
    a = 1.96 / (2 * error * np.sqrt(n))
    return np.log((1 + a) / (1 - a)) if a < 1 else None


def _search(n, error):
    """Return the smallest ε of a grid by trying, with the variance of the worst population."""
    grid = np.linspace(0.001, 8, 40_001)
    p = np.exp(grid) / (1 + np.exp(grid))
    variance = 0.25 / n + p * (1 - p) / n / (2 * p - 1) ** 2
    fits = grid[1.96 * np.sqrt(variance) <= error]
    return fits[0] if len(fits) else None


def _one_number(answers, noise, rng):
    coin = rng.random(len(answers))
    return np.where(coin >= noise, answers, coin < noise / 2).astype(int)


def _respond_in_a_loop(answers, noise, rng):
    reports = []
    for answer in answers:
        if rng.random() < noise:
            reports.append(rng.random() < 0.5)
        else:
            reports.append(bool(answer))
    return reports


def _overwrite(answers, noise, rng):
    answers[:] = _respond(answers, noise, rng)
    return answers


def _exactly_so_many(answers, noise, rng):
    reports = answers.copy()
    drawn = rng.choice(len(answers), round(noise * len(answers)), replace=False)
    reports[drawn] = rng.random(len(drawn)) < 0.5
    return reports


def _in_blocks(answers, noise, rng):
    coins = np.resize(rng.random((2, min(len(answers), 1_000))), (2, len(answers)))
    return np.where(coins[0] >= noise, answers, coins[1] < 0.5)


def _half_in_blocks(answers, noise, rng):
    coins = rng.random((2, len(answers)))
    coins[1] = np.where(rng.random(len(answers)) < 0.5, np.resize(coins[1, :1_000], len(answers)), coins[1])
    return np.where(coins[0] >= noise, answers, coins[1] < 0.5)


def _b_range(a, epsilon):
    least = a / ((1 - a) * np.expm1(epsilon))
    return (least, 1 - least) if least <= 0.5 else None


def _b_range_by_search(a, epsilon):
    low, high = 0.0, 0.5
    if dp.RandomizedResponse(truth=a, yes=0.5).epsilon > epsilon:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        if dp.RandomizedResponse(truth=a, yes=middle).epsilon > epsilon:
            low = middle
        else:
            high = middle
    return np.array([high, 1 - high])


def _belief(prior, yeses, days, noise):
    odds = prior / (1 - prior) * ((2 - noise) / noise) ** (2 * yeses - days)
    return odds / (1 + odds)


def _belief_by_binomials(prior, yeses, days, noise):
    secret = prior * stats.binom(days, 1 - noise / 2).pmf(yeses)
    other = (1 - prior) * stats.binom(days, noise / 2).pmf(yeses)
    return secret / (secret + other)


RIGHT = [
    ("13.1", np.log(0.72 / 0.12)),
    ("13.2", _loop_interval),
    ("13.2", lambda reports, noise: pd.Series(_interval(reports, noise))),
    ("13.2", lambda reports, noise: np.clip(_interval(reports, noise), 0, 1)),
    ("13.3", _respond),
    ("13.3", _one_number),
    ("13.3", _respond_in_a_loop),
    ("13.3", lambda answers, noise, rng: pd.Series(_respond(answers, noise, rng))),
    ("13.4", lambda a, epsilon: list(_b_range(a, epsilon) or []) or None),
    ("13.4", _b_range_by_search),
    ("13.4", lambda a, epsilon: np.round(_b_range(a, epsilon), 3) if _b_range(a, epsilon) else None),
    ("13.5", _search),
    ("13.5", lambda n, error: round(_design(n, error), 3) if _design(n, error) else None),
    ("13.5", lambda n, error: np.inf if _design(n, error) is None else _design(n, error)),
    ("13.6", _belief),
    ("13.6", _belief_by_binomials),
]

WRONG = [
    ("13.2", lambda reports, noise: 0.3, "give a pair"),
    ("13.2", lambda reports, noise: _interval(reports, noise)[::-1], "low must not be above high"),
    ("13.2", patched(_interval, "(share - noise / 2) / (1 - noise)", "share"), "Take the coins out first"),
    ("13.2", patched(_interval, "2) / (1 - noise)\n", "2)\n"), "the estimate is 0.250"),
    ("13.2", lambda r, t: [len(r) * x for x in _interval(r, t)], "give shares"),
    ("13.2", patched(_interval, "1.96", "1"), "1 × the standard deviation"),
    ("13.2", patched(_interval, "1.96", "2"), "2 × the standard deviation"),
    ("13.2", patched(_interval, "1.96", "3"), "either way; yours"),
    ("13.2", patched(_interval, "n) / (1 - noise)", "n)"), "stretches it"),
    ("13.2", patched(_interval, "noise / 2 * (1 - noise / 2)", "share * (1 - share)"), "only the coins"),
    ("13.2", patched(_interval, "/ n) / (1 - noise)", ") / (1 - noise)"), "mind the root"),
    ("13.3", lambda answers, noise, rng: answers[:5], "a True or False for each person"),
    ("13.3", lambda answers, noise, rng: np.full(len(answers), 0.5), "True or False"),
    ("13.3", patched(_respond, "rng.random(len(answers)) < 0.5", "rng.random() < 0.5"), "hang together"),
    ("13.3", patched(_respond, "rng.random(len(answers)) >=", "rng.random() >="), "hang together"),
    ("13.3", patched(_respond, "rng.random(len(answers)) <", "np.random.default_rng(0).random(len(answers)) <"),
     "is one of the coins fixed"),
    ("13.3", lambda a, t, rng: _respond(a, t, np.random.default_rng(rng.integers(1_000))), "two different ones"),
    ("13.3", lambda a, t, rng: _respond(a, t, rng) if len(a) > 1 else a, "of yours, 1.000 do"),
    ("13.3", _in_blocks, "come again after some people"),
    ("13.3", _half_in_blocks, "come again after some people"),
    ("13.3", lambda a, t, rng: a & (rng.random(len(a)) > t / 2), "people whose truth is no"),
    ("13.3", lambda a, t, rng: a | (rng.random(len(a)) < t / 2), "people whose truth is yes"),
    ("13.3", patched(_respond, "rng.random(len(answers)) < 0.5", "~answers"), "at noise 0.5"),
    ("13.3", _exactly_so_many, "varies unlike"),
    ("13.3", patched(_respond, ">= noise", ">= 0.5"), "at noise 0.8"),
    ("13.3", lambda a, t, rng: dp.RandomizedResponse.biased_coin(t).perturb(a, rng), "write respond yourself"),
    ("13.3", _overwrite, "leave its input as it is"),
    ("13.4", lambda a, epsilon: _b_range(a, epsilon) or (0.5, 0.5), "return None"),
    ("13.4", lambda a, epsilon: ((_b_range(a, epsilon) or (0.6,))[0], 1.0), "a no gives away more"),
    ("13.4", lambda a, epsilon: (0.0, (_b_range(a, epsilon) or (0, 0.4))[1]), "a yes gives away more"),
    ("13.4", lambda a, epsilon: None, "there is such a coin"),
    ("13.4", lambda a, epsilon: (0.4995, 0.5005), "only the best one"),
    ("13.4", lambda a, epsilon: (a / (1 - a) / np.exp(epsilon), 1 - a / (1 - a) / np.exp(epsilon)), "too wide"),
    ("13.4", lambda a, epsilon: (0.45, 0.55), "too narrow"),
    ("13.5", lambda n, error: None, "there is such a coin"),
    ("13.5", lambda n, error: 2 * np.arcsinh(0.98 / (error * np.sqrt(n))), "luck of the draw"),
    ("13.5", patched(_design, "1.96", "1"), "takes 1.96"),
    ("13.5", lambda n, error: 0.98 / (error * np.sqrt(n)), "turn it into ε"),
    ("13.5", lambda n, error: np.exp(_design(n, error) or 0), "its natural logarithm"),
    ("13.5", lambda n, error: np.log(20) / (n * error), "curator's ε"),
    ("13.5", lambda n, error: 1.0 if n == 400 else _design(n, error), "even honest answers"),
    ("13.5", lambda n, error: 1.2 * _design(n, error), "yours is"),
    ("13.6", lambda prior, yeses, days, noise: None, "it needs a return"),
    ("13.6", lambda p, y, d, t: _belief(0.5, y, d, t), "Start from the prior's odds"),
    ("13.6", lambda p, y, d, t: p / (1 - p) * ((2 - t) / t) ** (2 * y - d), "those are odds"),
    ("13.6", lambda p, y, d, t: _belief(p, y, y, t), "forgets the noes"),
    ("13.6", lambda p, y, d, t: _belief(p, d - y, d, t), "upside down"),
    ("13.6", lambda p, y, d, t: _belief(p, 1, 1, t), "after a single yes"),
    ("13.6", lambda p, y, d, t: 1.0 if y > d / 2 else 0.0, "the majority's verdict"),
    ("13.6", lambda p, y, d, t: p, "the belief is"),
    ("13.6", lambda prior, yeses, days, noise: np.inf, "a finite number is wanted"),
]  # fmt: skip


def test_the_bug_of_lab_3_gets_help(page, capsys):
    check("13.3", page["respond"])
    assert "at noise 0.5, people whose truth is yes" in capsys.readouterr().out


def test_the_designs_interval_holds_for_the_population():
    """Lab 13.5's formula, by simulation at the worst share: sampling and coins together."""
    n, error = 1_000, 0.08
    coins, rng, runs = dp.RandomizedResponse.from_epsilon(_design(n, error)), np.random.default_rng(n), 20_000
    asked = rng.binomial(n, 0.5, runs)
    yeses = rng.binomial(asked, coins.p) + rng.binomial(n - asked, coins.q)
    shares = (yeses / n - coins.q) / (coins.p - coins.q)
    assert np.mean(abs(shares - 0.5) <= error) == pytest.approx(0.95, abs=0.012)
