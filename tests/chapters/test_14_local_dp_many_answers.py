"""What chapter 14 says, derived again; its short protocols against the package; its labs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from chapters.chance import proven
from chapters.chapter_notebook import read
from scipy import stats

import dp_helpers as dp

CHAPTER = "14-local-dp-many-answers"
FAILURE = 1e-6
JOBS = [*dp.CENSUS_DOMAINS["Occupation"], "(no answer)"]
AGES = dp.CENSUS_DOMAINS["Age"]


def generator(seed):
    return np.random.default_rng(seed)


def rare(p, q):
    """Return the variance per person for a rare answer."""
    return q * (1 - q) / (p - q) ** 2


def direct(d, epsilon):
    return (np.exp(epsilon) + d - 2) / np.expm1(epsilon) ** 2


def oue(epsilon):
    return 4 * np.exp(epsilon) / np.expm1(epsilon) ** 2


def sue(epsilon):
    half = np.exp(epsilon / 2)
    return half / (half - 1) ** 2


def tails(epsilon, theta):
    """Return THE's chances from the Laplace distribution itself."""
    noise = stats.laplace(scale=2 / epsilon)
    return noise.sf(theta - 1), noise.sf(theta)


def the_best(epsilon):
    """Return the best threshold and its variance per person, by search."""
    thetas = np.linspace(0.3, 1.2, 9_001)
    variances = rare(*tails(epsilon, thetas))
    return thetas[variances.argmin()], variances.min()


def counts(census, column, domain):
    return census[column].fillna("(no answer)").value_counts().reindex(domain, fill_value=0)


# The page's protocols


def test_the_pages_direct_encoding_is_the_packages(page):
    for d, epsilon in [(3, np.log(8)), (15, 1.0)]:
        protocol, rng, runs = dp.DirectEncoding(range(d), epsilon=epsilon), generator(1401), 20_000
        sent = [page["direct_report"](d - 1, d, epsilon, rng) for _ in range(runs)]
        law = np.full(d, protocol.q)
        law[d - 1] = protocol.p
        assert stats.chisquare(np.bincount(sent, minlength=d), runs * law).pvalue > FAILURE
    assert (protocol.p, protocol.q) == pytest.approx((np.e / (np.e + 14), 1 / (np.e + 14)))


@pytest.mark.parametrize("theta", [0.5, 1.0, 1.5])
def test_chances_of_thresholding_are_tails(theta):
    the = dp.ThresholdHistogramEncoding(range(2), epsilon=2.0, theta=theta)
    assert (the.p, the.q) == pytest.approx(tails(2.0, theta))


def test_the_pages_rows_of_bits_are_unary_encoding(page):
    domain, answers = ["a", "b", "c"], ["b", "a", "b", "c"]
    package = dp.UnaryEncoding(domain, p=0.7, q=0.2)
    assert np.array_equal(page["encode"](answers, domain), package.encode(answers))
    n = 20_000
    bits = np.tile([[1, 0, 0]], (n, 1))
    for reports in (page["perturb"](bits, 0.7, 0.2, generator(1405)), package.perturb(bits, generator(1416))):
        for ones, chance in zip(reports.sum(axis=0), (0.7, 0.2, 0.2), strict=True):
            assert stats.binomtest(int(ones), n, chance).pvalue > FAILURE
    assert page["aggregate"](reports, 0.7, 0.2) == pytest.approx(package.aggregate(reports).to_numpy())


def test_nearest_valid_is_the_projection(page):
    nearest = page["nearest_valid"]
    assert nearest(np.array([60, 50, -10]), 100).tolist() == [55, 45, 0]
    rng = generator(1406)
    for _ in range(200):
        estimates = rng.normal(10, 30, 12)
        found = nearest(estimates, 100)
        assert found.min() >= 0 and found.sum() == pytest.approx(100)
        # A point of a convex set is the nearest one if and only if no direction into the set comes closer.
        corners = 100 * np.eye(12) - found
        assert (corners @ (estimates - found)).max() <= 1e-6
        truth = rng.multinomial(100, rng.dirichlet(np.ones(12)))
        assert np.linalg.norm(found - truth) <= np.linalg.norm(estimates - truth) + 1e-9


# What the prose says: direct encoding


def test_the_boss_reads_nine_in_ten(census):
    p = dp.DirectEncoding(JOBS, epsilon=5).p
    assert 0.90 < p < 0.93
    assert 6 * np.sqrt(p * (1 - p) / len(census)) < 0.015  # any seed reads about as many
    assert dp.DirectEncoding(JOBS, epsilon=0.1).p < 0.08
    assert np.exp(-5) < 0.01 < 0.99 < np.exp(5) / (1 + np.exp(5))


def test_the_companys_data(census):
    assert len(JOBS) == 15 and len(AGES) == 74 and len(dp.CENSUS_DOMAINS["Race"]) == 5
    jobs = counts(census, "Occupation", JOBS)
    assert jobs["(no answer)"] > 0 and jobs["Armed-Forces"] == 9
    assert counts(census, "Age", AGES)[89] == 0 and AGES[-2] == 89


def test_direct_variance_grows_with_the_answers():
    for d, epsilon in itertools.product([2, 15, 74], [0.1, 1, 5]):
        protocol = dp.DirectEncoding(range(d), epsilon=epsilon)
        assert (
            protocol.variance(1, 0) == pytest.approx(direct(d, epsilon)) == pytest.approx(rare(protocol.p, protocol.q))
        )
        assert direct(d + 1, epsilon) > direct(d, epsilon)
        assert dp.DirectEncoding(range(d + 1), epsilon=epsilon).p < protocol.p


def test_a_tenth_is_useless(census):
    sd = np.sqrt(dp.DirectEncoding(JOBS, epsilon=0.1).variance(len(census), 0))
    assert sd > 6_000 > counts(census, "Occupation", JOBS).max()


def test_whose_share_is_it(census):
    n, protocol = len(census), dp.DirectEncoding(JOBS, epsilon=5)
    assert 1 - protocol.p < 0.1
    false, true = (n - 9) * protocol.q, 9 * protocol.p
    assert false / (false + true) > 0.95
    # More than nine in ten in any run: the true ones are at most 9.
    assert stats.binom(n - 9, protocol.q).cdf(9 * 9) < FAILURE
    sales = counts(census, "Occupation", JOBS)["Sales"]
    assert 0.80 < 0.25 * n / (0.25 * n + 0.5 * sales) < 0.83  # forced yeses, among the yeses


@pytest.mark.parametrize("name", ["direct", "unary"])
def test_support_theorem_by_simulation(name, census):
    exact, n = counts(census, "Occupation", JOBS), len(census)
    protocol = dp.DirectEncoding(JOBS, epsilon=1) if name == "direct" else dp.UnaryEncoding(JOBS, p=0.75, q=0.25)
    rng, runs = generator(1409), 400
    found = np.array([protocol.simulate(exact, n, rng) for _ in range(runs)])
    p, q = protocol.p, protocol.q
    expected = (exact * p * (1 - p) + (n - exact) * q * (1 - q)) / (p - q) ** 2
    assert (abs(found.mean(axis=0) - exact) < 6 * np.sqrt(expected / runs)).all()
    assert found.var(axis=0) == pytest.approx(expected.to_numpy(), rel=6 * np.sqrt(2 / runs))


# Unary encoding


def test_epsilon_of_two_bits_by_enumeration():
    for p, q in [(0.75, 0.25), (0.5, 0.1), (0.8, 0.3)]:
        law = np.array([[1 - q, q], [1 - p, p]])  # of a bit, by its truth

        def chance(report, truth, law=law):
            return np.prod([law[t, r] for t, r in zip(truth, report, strict=True)])

        rows = list(itertools.product([0, 1], repeat=4))
        people = np.eye(4, dtype=int)
        worst = max(
            np.log(chance(row, a) / chance(row, b)) for row in rows for a in people for b in people if (a != b).any()
        )
        assert worst == pytest.approx(dp.unary_epsilon(p, q)) == pytest.approx(np.log(p * (1 - q) / ((1 - p) * q)))
        empty = max(abs(np.log(chance(row, people[0]) / chance(row, [0] * 4))) for row in rows)
        assert empty == pytest.approx(max(np.log(p / q), np.log((1 - q) / (1 - p))))
    assert dp.unary_epsilon(0.75, 0.25) == pytest.approx(2 * np.log(3))


def test_oue_is_the_best_unary_encoding_for_rare_answers():
    for epsilon in (0.5, 1, 5):
        q = np.linspace(0.001, 0.999, 2_000)
        odds = np.exp(epsilon) * q / (1 - q)
        p = odds / (1 + odds)
        assert oue(epsilon) <= rare(p, q).min() * (1 + 1e-9)
        assert oue(epsilon) == pytest.approx(rare(0.5, 1 / (1 + np.exp(epsilon))))
        assert sue(epsilon) > oue(epsilon)


def test_survey_answers(census):
    exact, n = counts(census, "Occupation", JOBS), len(census)
    two = 2 * np.sqrt(dp.UnaryEncoding(JOBS, p=0.75, q=0.25).variance(n, exact))
    assert set(exact.index[exact < two]) == {"Armed-Forces", "Priv-house-serv"}
    assert two.to_numpy() == pytest.approx(300, abs=20)
    assert dp.unary_epsilon(0.5, 0.1) == pytest.approx(np.log(9)) == pytest.approx(2 * np.log(3))
    assert rare(0.5, 0.1) < rare(0.75, 0.25)
    grid = list(itertools.product([0.5, 0.6, 0.75, 0.9], [0.05, 0.1, 0.25, 0.4]))
    near = [pair for pair in grid if abs(dp.unary_epsilon(*pair) - np.log(9)) < 0.2 and pair != (0.75, 0.25)]
    assert (0.5, 0.1) in near
    assert all(abs(dp.unary_epsilon(*pair) - np.log(9)) > 1e-3 for pair in near if pair != (0.5, 0.1))
    assert min(grid, key=lambda pair: rare(*pair)) == (0.9, 0.05)
    assert dp.unary_epsilon(0.9, 0.05) > 5


def test_race_at_5(census):
    assert sue(5) / direct(5, 5) == pytest.approx(14, abs=0.5)
    assert direct(5, 5) < oue(5) < sue(5)
    found = [np.sqrt(len(census) * variance) for variance in (direct(5, 5), oue(5), sue(5))]
    assert found == pytest.approx([15, 30, 56], abs=0.6)


# Noise and hashes


def test_thresholds():
    for epsilon in (0.1, 0.5, 1, 2, 3, 5, 10):
        best, least = the_best(epsilon)
        the = dp.ThresholdHistogramEncoding([0, 1], epsilon=epsilon)
        assert 0.5 < best < 1
        assert the.theta == pytest.approx(best, abs=2e-4)
        assert the.variance(1, 0) == pytest.approx(least, rel=1e-6)
        assert least > oue(epsilon)
    assert the_best(1)[0] == pytest.approx(0.62, abs=0.005)
    assert the_best(5)[0] == pytest.approx(0.85, abs=0.005)
    cost = {epsilon: rare(*tails(epsilon, 1)) / the_best(epsilon)[1] - 1 for epsilon in (1, 2, 3, 5)}
    assert cost[1] == pytest.approx(0.14, abs=0.005)
    assert all(0.17 < cost[epsilon] < 0.20 for epsilon in (2, 3, 5))
    assert dp.unary_epsilon(*tails(5, 1)) == pytest.approx(3.15, abs=0.005)
    assert 5.5 < the_best(5)[1] / oue(5) < 6


def test_the_written_formula_of_the_thresholds_chances():
    for epsilon, theta in itertools.product([0.5, 1, 5], [0, 0.25, 0.5, 0.75, 1]):
        p, q = 1 - 0.5 * np.exp(-epsilon * (1 - theta) / 2), 0.5 * np.exp(-epsilon * theta / 2)
        assert (p, q) == pytest.approx(tails(epsilon, theta))


def test_the_sliders_functions(page):
    for epsilon, theta in [(1, 0.5), (5, 1), (5, 1.25)]:
        variance, used, bits = page["variance_of"](epsilon, theta)
        assert (variance, used, bits) == pytest.approx(
            (rare(*tails(epsilon, theta)), theta, dp.unary_epsilon(*tails(epsilon, theta)))
        )
        assert page["variance_of"](epsilon)[1] == pytest.approx(the_best(epsilon)[0], abs=2e-4)


def test_she_is_noisier_than_its_threshold_at_1(census):
    assert rare(*tails(5, 1)) < 8 / 25
    assert np.sqrt(len(census) * 8 / 25) > 1.2 * np.sqrt(len(census) * rare(*tails(5, 1)))


def test_local_hashing():
    for epsilon in (0.5, 1, np.log(9), 5):
        protocol = dp.LocalHashing(JOBS, epsilon=epsilon)
        g = round(np.exp(epsilon)) + 1
        assert (protocol.g, protocol.q) == (g, 1 / g)
        assert protocol.p == pytest.approx(np.exp(epsilon) / (np.exp(epsilon) + g - 1))
        assert oue(epsilon) * (1 - 1e-9) <= protocol.variance(1, 0) < 1.05 * oue(epsilon)
    protocol = dp.LocalHashing(JOBS, epsilon=np.log(9))
    reports = protocol.perturb(protocol.encode(["Sales"] * 5), generator(1))
    one = [protocol.tally(report[np.newaxis]) for report in reports]
    assert sum(one).equals(protocol.tally(reports))


# Which one?


def variances(d, epsilon):
    return {
        "direct": direct(d, epsilon),
        "OUE": oue(epsilon),
        "SUE": sue(epsilon),
        "THE": the_best(epsilon)[1],
        "SHE": 8 / epsilon**2,
    }


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 3, 5])
def test_which_one(page, epsilon):
    hashed = dp.LocalHashing([0, 1], epsilon=epsilon).variance(1, 0)
    assert hashed >= oue(epsilon) * (1 - 1e-9)
    for d in (2, 5, 15, 74, 500):
        found = variances(d, epsilon)
        best = min(found, key=found.get)
        assert best == ("direct" if d < 3 * np.exp(epsilon) + 2 else "OUE")
        assert page["winner"](d, epsilon) == ("direct encoding" if best == "direct" else "OUE")


def test_the_slider_compares_what_it_names(page):
    makers = {
        "SHE": dp.HistogramEncoding,
        "THE": dp.ThresholdHistogramEncoding,
        "SUE": dp.UnaryEncoding.symmetric,
        "OUE": dp.UnaryEncoding.optimized,
        "direct": dp.DirectEncoding,
    }
    for name, make in makers.items():
        assert make(range(15), epsilon=1).variance(1, 0) == pytest.approx(variances(15, 1)[name], rel=1e-6)


def test_which_one_answers(page):
    assert 3 * np.exp(1) + 2 == pytest.approx(10, abs=0.5)
    assert 3 * np.exp(5) + 2 == pytest.approx(447, abs=0.5)
    for epsilon in (0.1, 1, 5):  # where the two variances meet
        assert direct(3 * np.exp(epsilon) + 2, epsilon) == pytest.approx(oue(epsilon))
    assert page["winner"](10, 1) == "direct encoding" != page["winner"](15, 1)
    assert page["winner"](200, 5) == "direct encoding" != page["winner"](500, 5)
    assert sue(0.1) / oue(0.1) < 1.01 and sue(5) / oue(5) > 3


# Missing answers, impossible counts


def test_empty_rows_need_the_right_n(census):
    n, protocol = len(census), dp.UnaryEncoding(JOBS[:-1], p=0.75, q=0.25)
    exact = counts(census, "Occupation", JOBS)
    missing = exact["(no answer)"]
    sent = exact[:-1] * 0.75 + (n - exact[:-1]) * 0.25  # on average, empty rows included
    assert protocol.estimate_from(sent, n).to_numpy() == pytest.approx(exact[:-1].to_numpy())
    assert (protocol.estimate_from(sent, n - missing) - exact[:-1]).to_numpy() == pytest.approx(missing / 2)
    # What the others leave: fourteen errors; a symbol of its own: one.
    own = np.sqrt(dp.UnaryEncoding(JOBS, p=0.75, q=0.25).variance(n, missing))
    assert np.sqrt(protocol.variance(n, exact[:-1]).sum()) == pytest.approx(np.sqrt(14) * own)
    # The bias shows in every run, the mean of fourteen unbiased errors doesn't come near it.
    assert missing / 2 > 12 * own / np.sqrt(14)


def test_repairs(page, census):
    by_age, n = counts(census, "Age", AGES).to_numpy(), len(census)
    protocol, rng = dp.UnaryEncoding.optimized(AGES, 1), generator(1410)
    runs = np.array([protocol.simulate(by_age, n, rng) for _ in range(200)])
    sd = np.sqrt(n * oue(1))

    def error(found):
        return np.sqrt(np.mean((found - by_age) ** 2))

    lift, spread = sd / np.sqrt(2 * np.pi), 6 * 0.6 * sd / np.sqrt(200)
    for cut in (runs.clip(0), runs.clip(1)):
        assert abs(cut[:, -2].mean() - lift) < spread
        assert 2_000 < cut.sum(axis=1).mean() - n < 5_000
    assert abs(runs[:, -2].mean()) < 6 * sd / np.sqrt(200)
    assert error(runs.clip(0)) == pytest.approx(error(runs.clip(1)), rel=0.01)
    nearest = np.array([page["nearest_valid"](run, n) for run in runs])
    assert error(nearest) < error(runs.clip(0)) < error(runs)
    assert 0.45 < stats.binom(n, protocol.q).cdf(n * protocol.q) < 0.55  # below zero about half of the time


# The bug


def test_the_bugs_law(page):
    d, runs, epsilon = 15, 20_000, 0.1
    protocol, rng = dp.DirectEncoding(range(d), epsilon=epsilon), generator(1413)
    law = np.full(d, protocol.q)
    law[7], law[6] = protocol.p + protocol.q, 0
    sent = np.bincount([page["shifted_report"](7, d, epsilon, rng) for _ in range(runs)], minlength=d)
    assert sent[6] == 0
    assert stats.chisquare(np.delete(sent, 6), runs * np.delete(law, 6)).pvalue > FAILURE
    # From 8, report 7 never comes: all of p + q is lost to delta.
    other = np.roll(law, 1)
    assert np.maximum(law - np.exp(20) * other, 0).sum() == pytest.approx(protocol.p + protocol.q)


def test_the_audit_catches_the_bug_and_passes_the_mended_report(page):
    broken = dp.audit(
        lambda v, rng: page["shifted_report"](v, 15, 0.1, rng), 7, 8, trials=5_000, rng=generator(1414)
    ).epsilon_lower_bound
    mended = dp.audit(
        lambda v, rng: page["direct_report"](v, 15, 0.1, rng), 7, 8, trials=5_000, rng=generator(1415)
    ).epsilon_lower_bound
    assert mended <= 0.1 < 3 < broken
    bug = dp.DirectEncoding(range(15), epsilon=0.1)
    assert proven(bug.p + bug.q, 0, 10_000) > 4  # with any seed, by the report that never comes


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_the_bugs_bias(census, epsilon):
    exact, n = counts(census, "Occupation", JOBS).to_numpy(), len(census)
    protocol = dp.DirectEncoding(JOBS, epsilon=epsilon)
    p, q, after = protocol.p, protocol.q, np.roll(exact, -1)
    sent = exact * (p + q) + (n - exact - after) * q  # on average: nobody at the next position reports this one
    assert (sent - n * q) / (p - q) - exact == pytest.approx((exact - after) / np.expm1(epsilon))


# Budgets, self-check


def test_the_ledger():
    assert 2 * 5.1 + np.log(9) + 2 < 20


def test_the_survey():
    """Errors of a rare answer, total ε = 2, five questions: the budget split, and the people."""
    n, found = 32_561, {}
    for d in (2, 5, 15, 74):
        budget = np.sqrt(n * min(direct(d, 0.4), oue(0.4)))
        people = np.sqrt(5 * n * min(direct(d, 2), oue(2)))
        found[d] = budget, people
        assert 2.59 < budget / people < 4
        assert (d < 24) == (direct(d, 2) < oue(2))
    assert found[2] == pytest.approx((448, 172), abs=0.6) and found[74] == pytest.approx((896, 343), abs=0.6)
    assert np.exp(2) / (1 + np.exp(2)) == pytest.approx(0.88, abs=0.002)


@pytest.mark.parametrize(("d", "held"), [(2, 3_650), (5, 271)])
def test_the_surveys_margins(d, held):
    """Coins of a fifth, scaled up, and the luck of the draw: the simulated spread is that of the margin."""
    n, runs, rng = 32_560, 2_000, generator(1420)
    protocol, size = dp.DirectEncoding(range(d), epsilon=2), n // 5
    drawn = rng.hypergeometric(held, n - held, size, runs)
    raw = np.array([protocol.simulate([k, size - k] + [0] * (d - 2), size, rng)[0] for k in drawn])

    def variance(count):  # as the page computes it, from a count of the group
        return 5**2 * protocol.variance(size, count) + (5 - 1) * 5 * count * (1 - count / size)

    expected = variance(held / 5)
    assert expected == pytest.approx(25 * protocol.variance(size, held / 5) + 4 * held * (1 - held / n))
    assert 5 * raw.mean() == pytest.approx(held, abs=5.5 * np.sqrt(expected / runs))
    assert (5 * raw).var() == pytest.approx(expected, rel=5.5 * np.sqrt(2 / runs))
    # With the count that was found, never the true one, the margin holds in about 95 of 100 surveys.
    margins = 1.96 * np.sqrt([variance(max(found, 0)) for found in raw])
    held_in = np.mean(abs(5 * raw - held) <= margins)
    assert abs(held_in - 0.95) < 0.01 + 5 * np.sqrt(0.95 * 0.05 / runs)


def test_the_surveys_table_has_no_true_count_in_a_margin(page):
    (cell,) = [c for c in read(CHAPTER).cells if "margin = 1.96" in c.source]
    assert "exact" not in cell.source and "census" not in cell.source


def test_what_the_first_slider_says(page, census):
    n, exact = len(census), counts(census, "Occupation", JOBS)
    share = {epsilon: dp.DirectEncoding(JOBS, epsilon=epsilon).p for epsilon in (0.1, 1, 1.5, 2, 5)}
    assert share[5] > 0.9 and share[1] == pytest.approx(1 / 6, abs=0.01)
    for epsilon in (1, 1.5, 2):
        assert share[epsilon] < 0.5 and np.sqrt(dp.DirectEncoding(JOBS, epsilon=epsilon).variance(n, 0)) < 500
    assert 2 * np.sqrt(dp.DirectEncoding(JOBS, epsilon=0.1).variance(n, 0)) > 2 * exact.max()
    # "Some two hundred others" name the armed forces at ε = 5.
    assert (n - 9) * dp.DirectEncoding(JOBS, epsilon=5).q == pytest.approx(200, abs=6)


def test_sum_of_noisy_rows(census):
    n, by_age = len(census), counts(census, "Age", AGES)
    assert np.sqrt(8 * n) == pytest.approx(510, abs=5)
    assert np.sqrt(8 * n) / 3 < 180 < 700 < by_age.max()  # from ε = 3 on


def test_splitting_the_budget_never_wins():
    for d, epsilon, k in itertools.product([2, 5, 74, 500], [0.1, 1, 5, 10], [2, 5, 20]):
        split = min(direct(d, epsilon / k), oue(epsilon / k))
        assert split >= k**2 * min(direct(d, epsilon), oue(epsilon)) * (1 - 1e-9)
    for epsilon in (0.1, 1, 5):
        assert np.exp(epsilon) / np.expm1(epsilon) ** 2 == pytest.approx(1 / (2 * np.sinh(epsilon / 2)) ** 2)


def test_self_check():
    protocol = dp.DirectEncoding(range(15), epsilon=5)
    assert (protocol.p, protocol.q) == pytest.approx((0.914, 0.00616), rel=1e-3)
    true, false = 10_000 * 0.01 * protocol.p, 10_000 * 0.99 * protocol.q
    assert (round(true), round(false)) == (91, 61)
    assert true / (true + false) == pytest.approx(0.6, abs=0.005)
    assert 1 - protocol.p == pytest.approx(0.086, abs=5e-4)
    found = variances(74, 2)
    assert min(found, key=found.get) == "OUE"
    assert 3 * np.exp(2) + 2 == pytest.approx(24, abs=0.5)


# The labs


def printed(epsilon, theta):
    return 1 - 0.5 * np.exp(epsilon * (1 - theta) / 2), 0.5 * np.exp(-epsilon * theta / 2)


def test_the_printed_chances_are_right_at_1_only(page):
    assert page["printed_chances"](5, 0.5) == pytest.approx(printed(5, 0.5))
    assert printed(5, 1) == pytest.approx(tails(5, 1))
    assert printed(5, 0.5)[0] == pytest.approx(-0.745, abs=0.001)
    (p, q), (wrong_p, wrong_q) = tails(5, 0.75), printed(5, 0.75)
    sent = 900 * p + (32_561 - 900) * q
    assert (sent - 32_561 * wrong_q) / (wrong_p - wrong_q) == pytest.approx(-54_639, abs=1)


def test_lab_5_against_the_exact_binomial():
    for n, epsilon in [(100_000, 1.0), (400_000, 3.0)]:
        q = 1 / (1 + np.exp(epsilon))
        ones = np.arange(n + 1)
        exact = np.sum(stats.binom(n, q).pmf(ones) * np.maximum((ones - n * q) / (0.5 - q), 0))
        assert _lift(n, epsilon) == pytest.approx(exact, rel=2e-3)


def _lift(n, epsilon):
    return np.sqrt(n * oue(epsilon) / (2 * np.pi))


def _row(p, q):
    return np.log(p * (1 - q) / ((1 - p) * q))


def _groups(n, d, epsilon, k):
    return np.sqrt(n * k * min(direct(d, epsilon), oue(epsilon)))


def _budget(n, d, epsilon, k):
    return np.sqrt(n * min(direct(d, epsilon / k), oue(epsilon / k)))


def _tails_by_cases(epsilon, theta):
    p = 1 - np.exp(-epsilon * (1 - theta) / 2) / 2 if theta <= 1 else np.exp(-epsilon * (theta - 1) / 2) / 2
    return [round(p, 4), round(np.exp(-epsilon * theta / 2) / 2, 4)]


def _lift_by_simulation_free_sum(n, epsilon):
    """Return the mean of the cut normal variable by a sum over a fine grid."""
    sd = np.sqrt(n * oue(epsilon))
    z = np.linspace(0, 8, 20_001)
    return float(np.sum(sd * z * stats.norm.pdf(z)) * (z[1] - z[0]))


def _sue_chances(epsilon):
    half = np.exp(epsilon / 2)
    return half / (1 + half), 1 / (1 + half)


def _oue_chances(epsilon):
    return 0.5, 1 / (1 + np.exp(epsilon))


def _protocol(chances, rows=None, estimate=None, spent=1.0):
    """Return (perturb, aggregate) for these chances, with one of them done otherwise, or at another ε."""

    def perturb(bits, epsilon, rng):
        p, q = chances(spent * epsilon)
        return rows(bits, p, q, rng) if rows else rng.random(bits.shape) < np.where(bits, p, q)

    def aggregate(reports, epsilon):
        p, q = chances(epsilon)
        sums, n = np.sum(reports, axis=0), len(reports)
        return estimate(sums, n, p, q) if estimate else (sums - n * q) / (p - q)

    return perturb, aggregate


def _rows_in_a_loop(bits, p, q, rng):
    sent = []
    for row in bits:
        sent.append([int(rng.random() < (p if bit else q)) for bit in row])
    return sent


def _rows_by_binomial(bits, p, q, rng):
    return rng.binomial(1, np.where(bits, p, q))


def _rows_by_flipping(bits, p, q, rng):
    """Flip ones and zeros by coins of their own."""
    return np.where(bits == 1, rng.random(bits.shape) < p, rng.random(bits.shape) < q).astype(int)


def _estimate_in_a_loop(sums, n, p, q):
    return [round((total - n * q) / (p - q)) for total in sums]


def _one_coin_a_person(bits, p, q, rng):
    return rng.random((len(bits), 1)) < np.where(bits, p, q)


def _one_coin_an_answer(bits, p, q, rng):
    return rng.random(bits.shape[1]) < np.where(bits, p, q)


def _package(make):
    return (
        lambda bits, epsilon, rng: make(range(bits.shape[1]), epsilon).perturb(bits, rng),
        lambda reports, epsilon: make(range(np.shape(reports)[1]), epsilon).aggregate(reports),
    )


def _in_place(bits, p, q, rng):
    bits[:] = rng.random(bits.shape) < np.where(bits, p, q)
    return bits


PROTOCOL_MISTAKES = [
    (1.0, "the pair (perturb, aggregate)"),
    (_protocol(_sue_chances)[0], "the pair (perturb, aggregate)"),
    ((lambda bits, epsilon, rng: None, len), "perturb returned nothing"),
    (_protocol(_sue_chances, lambda bits, p, q, rng: bits[0]), "a bit for each bit"),
    (_protocol(_sue_chances, lambda bits, p, q, rng: bits + rng.laplace(size=bits.shape)), "0 or 1 in each place"),
    (_protocol(_sue_chances, lambda bits, p, q, rng: bits), "two different ones gave the same"),
    (
        _protocol(_sue_chances, lambda b, p, q, rng: np.random.default_rng(3).random(b.shape) < np.where(b, p, q)),
        "two different ones gave the same",
    ),
    (
        _protocol(_sue_chances, lambda b, p, q, rng: np.random.default_rng().random(b.shape) < np.where(b, p, q)),
        "same rng gave different",
    ),
    (_protocol(_sue_chances, _one_coin_a_person), "every bit needs coins of its own"),
    (_protocol(_sue_chances, _one_coin_an_answer), "every bit needs coins of its own"),
    (_protocol(_sue_chances, lambda b, p, q, rng: b & (rng.random(b.shape) < p)), "a 0 is sent as 1"),
    (_protocol(_sue_chances, spent=2.0), "a row has 2ε"),
    (_protocol(_sue_chances, spent=1.2), "is sent as 1 with probability"),
    (_protocol(_sue_chances, _in_place), "leave the true bits"),
    (_package(dp.UnaryEncoding.symmetric), "write the protocol yourself"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: sums), "Take the coins out"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: sums - n * q), "divide by it"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: (sums / n - q) / (p - q)), "not shares"),
    (_protocol(_sue_chances, estimate=lambda s, n, p, q: np.maximum((s - n * q) / (p - q), 0)), "leave negative"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: (sums - n * q) / p), "make an estimate of"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: None), "aggregate returned nothing"),
    (_protocol(_sue_chances, estimate=lambda sums, n, p, q: sums[0]), "a count for each answer"),
]


OUE_MISTAKES = [
    (_protocol(_sue_chances), "those are the chances of SUE"),
    (_protocol(lambda e: (0.5, 0.05)), "a 0 is sent as 1"),
    (_protocol(_oue_chances, spent=2.0), "a row has 2ε"),
    (_protocol(_oue_chances, spent=1.2), "a 0 is sent as 1"),
    (_protocol(_oue_chances, _one_coin_a_person), "every bit needs coins of its own"),
    (_protocol(_oue_chances, lambda bits, p, q, rng: bits), "two different ones gave the same"),
    (_package(dp.UnaryEncoding.optimized), "write the protocol yourself"),
    ((_protocol(_oue_chances)[0], _protocol(_sue_chances)[1]), "other chances than perturb"),
]


RIGHT = [
    ("14.1", np.log(28 / 3)),
    ("14.1", 2.23),
    ("14.1", np.float32(2.2336)),
    ("14.4", tails),
    ("14.4", lambda e, t: np.array(tails(e, t))),
    ("14.4", _tails_by_cases),
    ("14.5", _lift),
    ("14.5", _lift_by_simulation_free_sum),
    ("14.5", lambda n, e: 0.39894 * np.sqrt(dp.UnaryEncoding.optimized([0, 1], e).variance(n, 0))),
    ("14.6", _groups),
    ("14.6", lambda n, d, e, k: k * np.sqrt(n / k * min(direct(d, e), oue(e)))),
    ("14.6", lambda n, d, e, k: round(_groups(n, d, e, k))),
    ("14.2", _protocol(_sue_chances)),
    ("14.3", _protocol(_oue_chances)),
    ("14.3", _protocol(_oue_chances, _rows_in_a_loop, _estimate_in_a_loop)),
    ("14.3", list(_protocol(_oue_chances, _rows_by_flipping))),
    ("14.2", list(_protocol(_sue_chances, _rows_in_a_loop, _estimate_in_a_loop))),
    ("14.2", _protocol(_sue_chances, _rows_by_binomial)),
    ("14.2", _protocol(_sue_chances, _rows_by_flipping, lambda s, n, p, q: pd.Series((s - n * q) / (p - q)))),
]

WRONG = [
    ("14.1", np.log(8 / 3), "sent as 1. Two answers"),
    ("14.1", np.log(3.5), "sent as 0. Two answers"),
    ("14.1", 28 / 3, "its natural logarithm"),
    ("14.1", np.log2(28 / 3), "its natural logarithm"),
    ("14.1", 20 * np.log(8 / 3), "eighteen of the bits"),
    ("14.1", 2 * np.log(3.5), "different ratios"),
    ("14.1", np.log(4), "two truths for one bit"),
    ("14.1", -np.log(28 / 3), "upside down"),
    ("14.1", 2.2, "three digits"),
    ("14.1", 1, "multiply the ratio"),
    ("14.1", "ln", "give a number"),
    ("14.4", 0.5, "give the function itself"),
    ("14.4", lambda e, t: 0.5, "as a pair"),
    ("14.4", printed, "probabilities are between 0 and 1"),
    ("14.4", lambda e, t: tails(e, t)[::-1], "the other way round"),
    ("14.4", lambda e, t: (tails(e, t)[0], 2 * tails(e, t)[1]), "only half of the noise"),
    ("14.4", lambda e, t: (1 - np.exp(-e * (1 - t) / 2) / 2, tails(e, t)[1]), "beyond θ = 1"),
    ("14.4", lambda e, t: tails(2 * e, t), "the noise has scale 2/ε"),
    (
        "14.4",
        lambda e, t: (lambda the: (the.p, the.q))(dp.ThresholdHistogramEncoding([0, 1], epsilon=e, theta=t)),
        "write chances yourself",
    ),
    ("14.4", lambda e, t: (0.5, 0.5), "yours are 0.500 and 0.500"),
    ("14.5", 1.0, "give the function itself"),
    ("14.5", lambda n, e: np.sqrt(n * oue(e)), "the standard deviation of the estimate"),
    ("14.5", lambda n, e: np.sqrt(n * oue(e)) / 2, "not all one standard deviation"),
    ("14.5", lambda n, e: 2 * _lift(n, e), "the positive estimates only"),
    ("14.5", lambda n, e: _lift(n, e) / n, "people, not a share"),
    ("14.5", lambda n, e: _lift(n, e) * np.sqrt(n), "where the root goes"),
    ("14.5", lambda n, e: 0, "the negative estimates are gone"),
    ("14.5", lambda n, e: 1.0, "yours is smaller"),
    ("14.6", 10.0, "give the function itself"),
    ("14.6", lambda n, d, e, k: np.sqrt(n * k * oue(e)), "the other protocol is better"),
    ("14.6", lambda n, d, e, k: np.sqrt(n * k * direct(d, e)), "the other protocol is better"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) / k, "Scale the count up"),
    ("14.6", _budget, "Split the people"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) ** 2, "asked is its root"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, 1), "Only a group does"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e / k, k), "one question only"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) / n, "not a share"),
    ("14.6", lambda n, d, e, k: 5.0, "yours is 5.0"),
    *(("14.2", answer, message) for answer, message in PROTOCOL_MISTAKES),
    *(("14.3", answer, message) for answer, message in OUE_MISTAKES),
    ("14.2", _protocol(_oue_chances), "those are the chances of OUE"),
    ("14.2", (_protocol(_sue_chances)[0], _protocol(_oue_chances)[1]), "other chances than perturb"),
]
