"""What chapter 13 says, derived again; its short mechanism against the package; its labs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dp_helpers as dp
from dp_labs import check

CHAPTER = "13-randomized-response"
FAILURE = 1e-6


def variance(noise, n=1, count=0):
    """Return the variance of the estimated share."""
    return dp.RandomizedResponse.biased_coin(noise).variance(n, count) / n**2


# The page's mechanism


def test_the_pages_mechanism_is_the_packages(page):
    coins = dp.RandomizedResponse.two_coins()
    ways = list(itertools.product([True, False], repeat=2))
    assert np.mean([page["two_coins"](True, *way) for way in ways]) == coins.p == 0.75
    assert np.mean([page["two_coins"](False, *way) for way in ways]) == coins.q == 0.25
    assert coins.epsilon == pytest.approx(np.log(3))


def test_estimator_by_hand():
    reports = np.arange(100) < 40
    assert 2 * reports.mean() - 0.5 == pytest.approx(0.3)
    assert dp.RandomizedResponse.two_coins().aggregate(reports)[True] == pytest.approx(30)


# What the prose says about the census


def test_a_door_log_undoes_a_form_without_a_name(census):
    assert census["Name"].head(500).is_unique


def test_the_surveys_data(census):
    in_sales = census["Occupation"] == "Sales"
    assert in_sales.sum() > 200
    assert census["Occupation"].isna().sum() > 0
    assert not in_sales[census["Occupation"].isna()].any()


def test_a_quarter_of_the_salespeople_deny_it_and_the_estimate_may_pass_1():
    yeses = stats.binom(200, 0.75)
    assert yeses.mean() == 150
    assert 0.3 < yeses.sf(150) < 0.7  # the estimated share is above 1
    assert yeses.cdf(182) - yeses.cdf(117) > 1 - FAILURE  # "about a quarter"


def test_the_curator_is_far_closer(census):
    n, coins = len(census), dp.RandomizedResponse.two_coins()
    local = np.sqrt(coins.variance(n, 3_650))
    assert local == pytest.approx(np.sqrt(n * 3 / 4)) == pytest.approx(np.sqrt(n * 3) / 2)
    assert local > 100 * np.sqrt(2) / coins.epsilon


def test_an_error_below_5_percent_is_no_promise(census):
    exact = (census["Occupation"] == "Sales").sum()
    sd = np.sqrt(dp.RandomizedResponse.two_coins().variance(len(census), exact))
    within = 1 - 2 * stats.norm.sf(0.05 * exact / sd)
    assert 0.70 < within < 0.80


def test_the_margin_does_not_depend_on_the_group_if_the_second_coin_is_fair():
    margins = [dp.RandomizedResponse.two_coins().variance(1_000, count) for count in (0, 100, 1_000)]
    assert margins == pytest.approx([750] * 3)
    unfair = dp.RandomizedResponse(truth=0.5, yes=0.25)
    assert unfair.variance(1_000, 0) != pytest.approx(unfair.variance(1_000, 1_000))


def test_three_sales_yeses_in_four_are_the_coins(census):
    """ "More than twice as many say yes to sales as work there", in any run."""
    n, exact = len(census), 3_650
    yeses = stats.norm(n / 4 + exact / 2, np.sqrt(n * 3 / 16))
    assert yeses.cdf(2 * exact) < FAILURE
    assert 1.96 * np.sqrt(3 / (4 * 200)) == pytest.approx(0.12, abs=0.001)  # the margin of 200 sellers


def test_the_office_asks_again():
    assert 1.96 * np.sqrt(3 / (4 * 500)) < 0.08  # "to within eight points"
    assert 1.96 * np.sqrt(3 / (4 * 50_000)) < 0.01
    right = stats.binom(500, 0.75)
    assert right.cdf(325) + right.sf(425) < FAILURE  # "about three people in four"


# The theorems


@pytest.mark.parametrize(("truth", "yes", "count"), [(0.5, 0.5, 300), (0.3, 0.5, 0), (0.6, 0.3, 900), (0.5, 0.25, 500)])
def test_estimate_is_unbiased_with_the_theorems_variance(truth, yes, count):
    coins, rng, n, runs = dp.RandomizedResponse(truth=truth, yes=yes), np.random.default_rng(1302), 1_000, 500
    y1, y0, f = truth + (1 - truth) * yes, (1 - truth) * yes, count / n
    expected = (f * y1 * (1 - y1) + (1 - f) * y0 * (1 - y0)) / (n * (y1 - y0) ** 2)
    shares = np.array([coins.simulate([n - count, count], n, rng)[True] for _ in range(runs)]) / n
    assert abs(shares.mean() - f) < 5 * np.sqrt(expected / runs)
    assert shares.var() == pytest.approx(expected, rel=6 * np.sqrt(2 / runs))
    assert coins.variance(n, count) / n**2 == pytest.approx(expected)


def test_sampling_adds_its_own_variance():
    """Total variance λ(1-λ)/(n(1-t)²) is that of the coins plus p(1-p)/n."""
    for t, p in itertools.product([0.1, 0.5, 0.9], [0.05, 0.5, 0.8]):
        reported = t / 2 + (1 - t) * p
        assert reported * (1 - reported) / (1 - t) ** 2 == pytest.approx(variance(t) + p * (1 - p))


def test_epsilon_of_any_coin():
    for a, b in itertools.product([0.1, 0.5, 0.9], [0.1, 0.25, 0.5, 0.8]):
        y1, y0 = a + (1 - a) * b, (1 - a) * b
        right = max(abs(np.log(y1 / y0)), abs(np.log((1 - y1) / (1 - y0))))
        assert dp.RandomizedResponse(truth=a, yes=b).epsilon == pytest.approx(right)
    assert dp.RandomizedResponse(truth=0.5, yes=0.25).epsilon == pytest.approx(np.log(5))
    for t in [0.1, 0.5, 0.8, 0.9]:
        assert dp.RandomizedResponse.biased_coin(t).epsilon == pytest.approx(np.log((2 - t) / t))
    assert dp.RandomizedResponse.biased_coin(0).epsilon == np.inf
    assert dp.RandomizedResponse.biased_coin(1).epsilon == 0


def test_warners_spinner_is_a_noise_coin():
    for w in [0.6, 0.75, 0.9]:
        coin = dp.RandomizedResponse.biased_coin(2 * (1 - w))
        assert (coin.p, coin.q) == pytest.approx((w, 1 - w))
    assert dp.RandomizedResponse.from_epsilon(np.log(3)).p == pytest.approx(0.75)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, np.log(3), 3.0])
@pytest.mark.parametrize("yes", [0.1, 0.25, 0.4, 0.6, 0.9])
def test_at_the_same_epsilon_an_unfair_coin_errs_more(epsilon, yes):
    odds = np.expm1(epsilon) * min(yes, 1 - yes)
    unfair, fair = dp.RandomizedResponse(truth=odds / (1 + odds), yes=yes), dp.RandomizedResponse.from_epsilon(epsilon)
    assert unfair.epsilon == pytest.approx(fair.epsilon)
    for count in (0, 500, 1_000):
        assert unfair.variance(1_000, count) > 1.02 * fair.variance(1_000, count)


def test_every_binary_report_is_a_noisier_warner():
    """Post-process Warner's report: any (y1, y0) within ratio e^ε is a mixture of its two outcomes."""
    epsilon, rng = 1.0, np.random.default_rng(1303)
    w = np.exp(epsilon) / (1 + np.exp(epsilon))
    pairs = rng.random((2_000, 2))
    ratios = np.abs(np.log([pairs[:, 0] / pairs[:, 1], (1 - pairs[:, 0]) / (1 - pairs[:, 1])])).max(axis=0)
    for y1, y0 in pairs[ratios <= epsilon]:
        mixture = np.linalg.solve([[w, 1 - w], [1 - w, w]], [y1, y0])
        assert ((mixture >= -1e-9) & (mixture <= 1 + 1e-9)).all()


# The sliders' answers


def test_spread_answers():
    def band(noise, n):
        return 1.96 * np.sqrt(variance(noise, n, round(0.2 * n)))

    assert band(0.8, 1_000) < 0.2 < band(0.85, 1_000)
    assert band(0.5, 1_000) / band(0.5, 100_000) == pytest.approx(10)
    assert variance(0.1) == pytest.approx(0.06, abs=0.005)
    assert variance(0.9) == pytest.approx(25, abs=0.5)
    assert 380_000 < 1_000 * variance(0.9) / variance(0.1) < 450_000


def test_the_ticks_are_surveys(page):
    ticks = np.concatenate([page["surveys"](0.7, 1_000, seed) for seed in range(100)])
    assert ticks.size == 2_000
    assert stats.kstest((ticks - 0.2) / np.sqrt(variance(0.7, 1_000, 200)), stats.norm.cdf).pvalue > FAILURE


def test_noise_of_9_tenths_with_10000_people_is_off_by_5_points():
    assert np.sqrt(variance(0.9, 10_000)) == pytest.approx(0.05, abs=0.001)
    assert 2 * stats.norm.sf(0.10 / np.sqrt(variance(0.9, 10_000))) > 0.04  # 10 points are no surprise


def test_heat_map_alternative_text():
    errors = {(t, n): np.sqrt(variance(t, n)) for t in np.arange(1, 10) / 10 for n in 10 ** np.arange(2, 7)}
    assert max(errors, key=errors.get) == (0.9, 100)
    steps = np.diff(np.log([errors[t, 100] for t in np.arange(1, 10) / 10]))
    assert np.argmax(steps) == 7 and min(steps) > 0
    assert errors[0.5, 100] / errors[0.5, 1_000] == pytest.approx(3, abs=0.2)
    assert errors[0.9, 100] / errors[0.5, 100] == pytest.approx(5.7, abs=0.1)  # "nearly 6"


def test_belief_answers():
    def after(prior, epsilon):
        odds = prior / (1 - prior) * np.exp(epsilon)
        return odds / (1 + odds)

    assert after(0.5, np.log(3)) == pytest.approx(0.75)
    assert after(0.5, 1.1) == pytest.approx(0.75, abs=0.005)
    assert after(0.5, -1.1) == pytest.approx(0.25, abs=0.005)
    assert [epsilon for epsilon in [0.1, 0.25, 0.5, 0.8, 1.1, 1.5, 2, 3, 5] if after(0.01, epsilon) > 0.5] == [5]
    assert np.exp(5) / 99 == pytest.approx(1.5, abs=0.01)
    assert 1 - after(0.01, 3) == pytest.approx(5 / 6, abs=0.005)
    p = np.linspace(0.001, 0.999, 999)
    assert 0.024 < max(after(p, 0.1) - p) < 0.0255
    assert np.exp(-5) < 0.01 < 0.99 < after(0.5, 5) < 0.994


def test_random_yeses_among_all_answers_and_among_the_yeses():
    f, random_yes = 0.1, 0.25
    yeses = 0.25 + 0.5 * f
    assert (random_yes, yeses, random_yes / yeses) == pytest.approx((0.25, 0.30, 25 / 30))


# Distrust, repetition, the bug


def test_people_needed(census):
    def local(points):
        return (196 / points) ** 2 * 0.75

    def central(points):
        return 100 * np.log(20) / (np.log(3) * points)

    assert local(1) / local(2) == pytest.approx(4) and central(1) / central(2) == pytest.approx(2)
    assert 80 < local(1) / central(1) < 130
    assert local(0.9) > len(census) > local(1)
    for epsilon in [0.5, np.log(3), 2]:
        sd = np.sqrt(dp.RandomizedResponse.from_epsilon(epsilon).variance(10_000, 0))
        assert sd == pytest.approx(np.sqrt(10_000 * np.exp(epsilon)) / np.expm1(epsilon))


def test_twenty_reports_betray_almost_everybody():
    share = [(0.3 * stats.binom(k, 0.75).sf(k // 2) + 0.7 * stats.binom(k, 0.25).cdf(k // 2)) for k in (1, 5, 20)]
    assert share[0] == pytest.approx(0.75)
    assert 0.85 < share[1] < 0.95
    assert share[2] > 0.98
    # Of 500 people, with any seed: three quarters, about nine in ten, nearly all.
    ends = [(stats.binom(500, s).ppf(FAILURE) / 500, stats.binom(500, s).isf(FAILURE) / 500) for s in share]
    assert ends[0][0] > 0.65 and ends[0][1] < 0.85 and ends[1][0] > 0.8 and ends[2][0] > 0.95
    assert 20 * np.log(3) == pytest.approx(22, abs=0.1)


def test_the_recipe_is_right_at_noise_one_half_only(page):
    rng, answers = np.random.default_rng(1304), np.arange(200_000) < 20_000
    found = {t: page["recipe_estimate"](page["recipe_report"](answers, t, rng), t) for t in (0.5, 0.2, 0.9)}
    assert found[0.5] == pytest.approx(0.1, abs=0.02)
    assert abs(found[0.2] - 0.1) > 0.2 and abs(found[0.9] - 0.1) > 0.2
    for t in (0, 0.1, 0.5, 0.9):  # "the estimator is the right one"
        assert page["recipe_estimate"](np.array([0, 1, 1]), t) == pytest.approx((2 / 3 - t / 2) / (1 - t))


def test_the_recipe_breaks_its_promise_and_the_package_keeps_it(page):
    promised = dp.RandomizedResponse.biased_coin(0.9).epsilon
    assert promised < 0.21
    rng = np.random.default_rng(1305)

    def for_one(answer, rng):
        return bool(page["recipe_report"](np.array([answer]), 0.9, rng)[0])

    broken = dp.audit(for_one, True, False, trials=5_000, rng=rng)
    assert 2 < broken.epsilon_lower_bound <= np.log(0.95 / 0.05) < 3
    honest = dp.RandomizedResponse.biased_coin(0.9)

    def report(answer, rng):
        return bool(honest.perturb(np.array([answer]), rng)[0])

    assert dp.audit(report, True, False, trials=5_000, rng=rng).epsilon_lower_bound <= promised


def test_one_coin_used_twice_lets_a_no_prove_a_no(page):
    reports = page["respond"](np.ones(10_000, dtype=bool), 0.5, np.random.default_rng(1306))
    assert reports.all()  # nobody whose truth is yes says no


def test_the_ledgers_budget():
    assert 1 + 4 * np.log(3) < 6 < 1 + 5 * np.log(3)


def test_self_check():
    guilty, innocent = 100 * 0.2 * 0.75, 100 * 0.8 * 0.25  # yeses among 100 people
    assert (guilty, innocent) == (15, 20)
    assert innocent / (guilty + innocent) == pytest.approx(0.571, abs=0.001)
    assert np.exp(5) / (1 + np.exp(5)) == pytest.approx(0.993, abs=5e-4)
    assert np.exp(-5) == pytest.approx(0.007, abs=5e-4)
    assert np.exp(2 * np.log(3)) == pytest.approx(9)
    assert 0.4 < stats.binom(1_000, 0.25).cdf(249) < 0.5  # negative estimates where nobody has the secret


# The labs


def _interval(reports, noise, z=1.96, centred=None, sd=None):
    n, share = len(reports), np.mean(reports)
    centre = (share - noise / 2) / (1 - noise) if centred is None else centred(share)
    half = z * (np.sqrt(noise / 2 * (1 - noise / 2) / n) / (1 - noise) if sd is None else sd(share, n, noise))
    return centre - half, centre + half


def _package_interval(reports, noise):
    coins, n = dp.RandomizedResponse.biased_coin(noise), len(reports)
    centre, half = coins.aggregate(reports)[True] / n, 1.96 * coins.variance(n, 0) ** 0.5 / n
    return [centre - half, centre + half]


def _loop_interval(reports, noise):
    yeses = 0
    for report in reports:
        yeses += int(report)
    n, p, q = len(reports), 1 - noise / 2, noise / 2
    sd = (p * (1 - p) / n / (p - q) ** 2) ** 0.5
    return round((yeses / n - q) / (p - q) - 1.96 * sd, 4), round((yeses / n - q) / (p - q) + 1.96 * sd, 4)


def _respond(answers, noise, rng):
    return np.where(rng.random(len(answers)) >= noise, answers, rng.random(len(answers)) < 0.5)


def _design(n, error, z=1.96):
    a = z / (2 * error * np.sqrt(n))
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


def _flips(answers, noise, rng):
    return answers ^ (rng.random(len(answers)) < noise / 2)


def _chooses(answers, noise, rng):
    chance = np.where(answers, 1 - noise / 2, noise / 2)
    return rng.binomial(1, chance)


def _overwrite(answers, noise, rng):
    answers[:] = _respond(answers, noise, rng)
    return answers


def _too_little_noise(answers, noise, rng):
    """Respond at 1.2 times the claimed ε."""
    if noise in (0, 1):
        return _respond(answers, noise, rng)
    return _respond(answers, 2 / (1 + ((2 - noise) / noise) ** 1.2), rng)


def _exactly_so_many(answers, noise, rng):
    reports = answers.copy()
    drawn = rng.choice(len(answers), round(noise * len(answers)), replace=False)
    reports[drawn] = rng.random(len(drawn)) < 0.5
    return reports


def _in_blocks(answers, noise, rng):
    coins = np.resize(rng.random((2, min(len(answers), 1_000))), (2, len(answers)))
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


def _belief_day_by_day(prior, yeses, days, noise):
    for day in range(days):
        yes = day < yeses
        secret = 1 - noise / 2 if yes else noise / 2
        prior = prior * secret / (prior * secret + (1 - prior) * (1 - secret))
    return float(prior)


RIGHT = [
    ("13.1", np.log(6)),
    ("13.1", 1.79),
    ("13.1", np.float32(1.792)),
    ("13.2", _interval),
    ("13.2", _package_interval),
    ("13.2", _loop_interval),
    ("13.2", lambda reports, noise: pd.Series(_interval(reports, noise))),
    ("13.2", lambda reports, noise: np.clip(_interval(reports, noise), 0, 1)),
    ("13.3", _respond),
    ("13.3", _one_number),
    ("13.3", _respond_in_a_loop),
    ("13.3", _flips),
    ("13.3", _chooses),
    ("13.3", lambda answers, noise, rng: pd.Series(_respond(answers, noise, rng))),
    ("13.4", _b_range),
    ("13.4", lambda a, epsilon: list(_b_range(a, epsilon) or []) or None),
    ("13.4", _b_range_by_search),
    ("13.5", _design),
    ("13.5", _search),
    ("13.5", lambda n, error: round(_design(n, error), 3) if _design(n, error) else None),
    ("13.5", lambda n, error: np.inf if _design(n, error) is None else _design(n, error)),
    ("13.6", _belief),
    ("13.6", _belief_by_binomials),
    ("13.6", _belief_day_by_day),
]

WRONG = [
    ("13.1", np.log(0.88 / 0.28), "what a no gives away"),
    ("13.1", np.log(4), "if the second coin were fair"),
    ("13.1", 6, "its natural logarithm"),
    ("13.1", np.log10(6), "its natural logarithm"),
    ("13.1", np.log(0.72 / 0.28), "two truths for one report"),
    ("13.1", np.log(5), "by the second coin, too"),
    ("13.1", np.log(1.5), "the sides of the first coin"),
    ("13.1", -np.log(6), "upside down"),
    ("13.1", 1.75, "three digits"),
    ("13.1", 1, "start from the chances"),
    ("13.1", "ln 6", "give a number"),
    ("13.2", 0.3, "give the function itself"),
    ("13.2", lambda reports, noise: 0.3, "two numbers"),
    ("13.2", lambda reports, noise: None, "two numbers"),
    ("13.2", lambda reports, noise: _interval(reports, noise)[::-1], "low must not be above high"),
    ("13.2", lambda r, t: _interval(r, t, centred=lambda share: share), "Take the coins out first"),
    ("13.2", lambda r, t: _interval(r, t, centred=lambda share: share - t / 2), "the estimate is 0.250"),
    ("13.2", lambda r, t: [len(r) * x for x in _interval(r, t)], "give shares"),
    ("13.2", lambda r, t: _interval(r, t, z=1), "one standard deviation"),
    ("13.2", lambda r, t: _interval(r, t, z=2), "that is 2 standard deviations"),
    ("13.2", lambda r, t: _interval(r, t, sd=lambda s, n, t: np.sqrt(s * (1 - s) / n)), "stretches it"),
    ("13.2", lambda r, t: _interval(r, t, sd=lambda s, n, t: np.sqrt(t / 2 * (1 - t / 2) / n)), "stretches it"),
    ("13.2", lambda r, t: _interval(r, t, sd=lambda s, n, t: np.sqrt(s * (1 - s) / n) / (1 - t)), "only the coins"),
    (
        "13.2",
        lambda r, t: _interval(r, t, sd=lambda s, n, t: np.sqrt(t / 2 * (1 - t / 2)) / (1 - t)),
        "mind the root",
    ),
    ("13.2", lambda r, t: _interval(r, t, z=3), "either way; yours"),
    ("13.3", "respond", "give the function itself"),
    ("13.3", lambda answers, noise, rng: None, "it needs a return"),
    ("13.3", lambda answers, noise, rng: answers[:5], "one report for each person"),
    ("13.3", lambda answers, noise, rng: np.full(len(answers), 0.5), "True or False"),
    ("13.3", lambda answers, noise, rng: np.full(len(answers), "yes"), "True or False"),
    ("13.3", lambda answers, noise, rng: answers, "two different ones gave the same"),
    ("13.3", lambda a, t, rng: _respond(a, t, np.random.default_rng(1)), "two different ones gave the same"),
    ("13.3", lambda a, t, rng: _respond(a, t, np.random.default_rng()), "same rng gave different"),
    ("13.3", lambda a, t, rng: np.where(rng.random(len(a)) >= t, a, rng.random() < 0.5), "hang together"),
    ("13.3", lambda a, t, rng: np.where(rng.random() >= t, a, rng.random(len(a)) < 0.5), "hang together"),
    (
        "13.3",
        lambda a, t, rng: np.where(np.tile(rng.random(len(a) // 2), 2) < 1 - t, a, rng.random(len(a)) < 0.5),
        "hang together",
    ),
    (
        "13.3",
        lambda a, t, rng: np.where(rng.random(len(a)) >= t, a, np.random.default_rng(0).random(len(a)) < 0.5),
        "is one of the coins fixed",
    ),
    ("13.3", _in_blocks, "come again after some people"),
    ("13.3", lambda a, t, rng: a & (rng.random(len(a)) > t / 2), "people whose truth is no"),
    ("13.3", lambda a, t, rng: a | (rng.random(len(a)) < t / 2), "people whose truth is yes"),
    ("13.3", lambda a, t, rng: np.where(rng.random(len(a)) >= t, a, ~a), "at noise 0.5"),
    ("13.3", _exactly_so_many, "varies unlike"),
    ("13.3", lambda a, t, rng: _respond(a, 1 - t, rng), "at noise 0.8"),
    ("13.3", lambda a, t, rng: _respond(a, 0.5, rng), "at noise 0.8"),
    ("13.3", _too_little_noise, "at noise 0.5"),
    ("13.3", lambda a, t, rng: a ^ (rng.random(len(a)) < t), "at noise 0.5"),
    ("13.3", lambda a, t, rng: dp.RandomizedResponse.biased_coin(t).perturb(a, rng), "write respond yourself"),
    ("13.3", _overwrite, "leave the true answers"),
    ("13.4", 1.1, "give the function itself"),
    ("13.4", lambda a, epsilon: 0.3, "two numbers"),
    ("13.4", lambda a, epsilon: _b_range(a, epsilon) or (0.5, 0.5), "return None"),
    ("13.4", lambda a, epsilon: ((_b_range(a, epsilon) or (0.6,))[0], 1.0), "a no gives away more"),
    ("13.4", lambda a, epsilon: (0.0, (_b_range(a, epsilon) or (0, 0.4))[1]), "a yes gives away more"),
    ("13.4", lambda a, epsilon: None, "there is a range"),
    ("13.4", lambda a, epsilon: (0.4995, 0.5005), "only the best one"),
    ("13.4", lambda a, epsilon: (a / (1 - a) / np.exp(epsilon), 1 - a / (1 - a) / np.exp(epsilon)), "too wide"),
    ("13.4", lambda a, epsilon: (0.45, 0.55), "too narrow"),
    ("13.4", lambda a, epsilon: dp.RandomizedResponse(truth=a).epsilon, "two numbers"),
    ("13.5", 1.0, "give the function itself"),
    ("13.5", lambda n, error: None, "there is such a coin"),
    ("13.5", lambda n, error: 2 * np.arcsinh(0.98 / (error * np.sqrt(n))), "luck of the draw"),
    ("13.5", lambda n, error: _design(n, error, z=1), "takes 1.96"),
    ("13.5", lambda n, error: 0.98 / (error * np.sqrt(n)), "turn it into ε"),
    ("13.5", lambda n, error: np.exp(_design(n, error) or 0), "its natural logarithm"),
    ("13.5", lambda n, error: np.log(20) / (n * error), "curator's ε"),
    ("13.5", lambda n, error: 1.0 if n == 400 else _design(n, error), "even honest answers"),
    ("13.5", lambda n, error: 2.0, "yours is larger"),
    ("13.5", lambda n, error: 1.2 * _design(n, error), "yours is larger"),
    ("13.6", 0.75, "give the function itself"),
    ("13.6", lambda prior, yeses, days, noise: None, "it needs a return"),
    ("13.6", lambda p, y, d, t: _belief(0.5, y, d, t), "Start from the prior's odds"),
    ("13.6", lambda p, y, d, t: p / (1 - p) * ((2 - t) / t) ** (2 * y - d), "those are odds"),
    ("13.6", lambda p, y, d, t: _belief(p, y, y, t), "forgets the noes"),
    ("13.6", lambda p, y, d, t: _belief(p, d - y, d, t), "upside down"),
    ("13.6", lambda p, y, d, t: _belief(p, 1, 1, t), "after a single yes"),
    ("13.6", lambda p, y, d, t: 1.0 if y > d / 2 else 0.0, "the majority's verdict"),
    ("13.6", lambda p, y, d, t: p, "the belief is"),
]


def test_the_bug_of_lab_3_gets_help(page, capsys):
    check("13.3", page["respond"])
    assert "at noise 0.5, people whose truth is yes" in capsys.readouterr().out


@pytest.mark.parametrize("n", [400, 1_000, 5_000])
def test_the_designs_interval_holds_for_the_population(n):
    """Lab 13.5's formula, by simulation at the worst share: sampling and coins together."""
    error = 0.08
    coins, rng, runs = dp.RandomizedResponse.from_epsilon(_design(n, error)), np.random.default_rng(n), 20_000
    asked = rng.binomial(n, 0.5, runs)
    yeses = rng.binomial(asked, coins.p) + rng.binomial(n - asked, coins.q)
    shares = (yeses / n - coins.q) / (coins.p - coins.q)
    assert np.mean(abs(shares - 0.5) <= error) == pytest.approx(0.95, abs=0.012)
