"""What chapter 14 says, derived again; its short protocols against the package."""

import itertools
import math

import numpy as np
import pytest
from chapters.chance import proven
from chapters.chapter_notebook import read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from labs.chapter_14 import _lift, direct, oue, printed, tails
from scipy import stats

import dp_helpers as dp

CHAPTER = "14-local-dp-many-answers"
FAILURE = 1e-6
JOBS = [*dp.CENSUS_DOMAINS["Occupation"], "(no answer)"]
AGES = dp.CENSUS_DOMAINS["Age"]


def generator(seed):
    return np.random.default_rng(seed)


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


def test_the_pages_rows_of_bits_are_unary_encoding(page):
    domain, answers = ["a", "b", "c"], ["b", "a", "b", "c"]
    package = dp.UnaryEncoding(domain, p=0.7, q=0.2)
    assert np.array_equal(page["encode"](answers, domain), package.encode(answers))
    n = 20_000
    bits = np.tile([[1, 0, 0]], (n, 1))
    reports = page["perturb"](bits, 0.7, 0.2, generator(1405))
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


def test_the_companys_columns_have_the_sizes_that_the_page_says(census):
    assert len(JOBS) == 15 and len(AGES) == 74 and len(dp.CENSUS_DOMAINS["Race"]) == 5
    jobs = counts(census, "Occupation", JOBS)
    assert jobs["(no answer)"] > 0 and jobs["Armed-Forces"] == 9
    assert counts(census, "Age", AGES)[89] == 0 and AGES[-2] == 89


def test_whose_share_is_it(census):
    # More than nine in ten in any run: the true ones are at most 9.
    n = len(census)
    assert stats.binom(n - 9, dp.DirectEncoding(JOBS, epsilon=5).q).cdf(9 * 9) < FAILURE
    sales = counts(census, "Occupation", JOBS)["Sales"]
    assert 0.80 < 0.25 * n / (0.25 * n + 0.5 * sales) < 0.83  # forced yeses, among the yeses


# Unary encoding


def test_two_answers_are_rarer_than_twice_their_error(census):
    exact, n = counts(census, "Occupation", JOBS), len(census)
    two = 2 * np.sqrt(dp.UnaryEncoding(JOBS, p=0.75, q=0.25).variance(n, exact))
    assert set(exact.index[exact < two]) == {"Armed-Forces", "Priv-house-serv"}
    assert two.to_numpy() == pytest.approx(300, abs=20)


def test_the_winner_has_the_smaller_variance(page):
    for d, epsilon in itertools.product([2, 5, 10, 15, 74, 200, 500], [0.1, 0.5, 1, 2, 3, 5]):
        assert page["winner"](d, epsilon) == ("direct encoding" if direct(d, epsilon) < oue(epsilon) else "OUE")


# Impossible counts


def test_what_repairs_impossible_counts_does_to_their_error(page, census):
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
    assert 0.4 * lift < nearest[:, -2].mean() < lift + spread, "every repair lifts an empty answer"
    assert nearest.sum(axis=1) == pytest.approx(n)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=8), st.integers(1, 100))
def test_the_nearest_possible_counts_have_the_right_sum_on_any_estimates(page, found, n):
    assert page["nearest_valid"](np.array(found), n).sum() == pytest.approx(n)


def test_the_luck_of_the_draw_by_numbers():
    """A random fifth of 32,561 people, 1,000 of whom have an answer: 200 of them, give or take 12."""
    draw = stats.hypergeom(32_561, 1_000, 32_561 // 5)
    assert draw.mean() == pytest.approx(200, abs=0.1) and draw.std() == pytest.approx(12.3, abs=0.3)
    assert 5 * draw.std() == pytest.approx(math.sqrt(4 * 1_000 * (1 - 1_000 / 32_561)), rel=0.01)


# The bug


def test_the_bug_reports_by_the_law_on_the_page(page):
    d, runs, epsilon = 15, 20_000, 0.1
    protocol, rng = dp.DirectEncoding(range(d), epsilon=epsilon), generator(1413)
    law = np.full(d, protocol.q)
    law[7], law[6] = protocol.p + protocol.q, 0
    sent = np.bincount([page["shifted_report"](7, d, epsilon, rng) for _ in range(runs)], minlength=d)
    assert sent[6] == 0
    assert stats.chisquare(np.delete(sent, 6), runs * np.delete(law, 6)).pvalue > FAILURE


def test_the_audit_catches_the_bug_and_passes_the_mended_report(page):
    def proven_of(report):
        found = dp.audit(lambda v, rng: report(v, 15, 0.1, rng), 7, 8, trials=5_000, rng=generator(1414))
        return found.epsilon_lower_bound

    assert proven_of(page["direct_report"]) <= 0.1 < 3 < proven_of(page["shifted_report"])
    bug = dp.DirectEncoding(range(15), epsilon=0.1)
    assert proven(bug.p + bug.q, 0, 10_000) > 4  # with any seed, by the report that never comes


# Budgets, self-check


@pytest.mark.parametrize(("d", "held"), [(2, 3_650), (5, 271)])
def test_a_surveys_margin_is_the_spread_of_its_results(d, held):
    """Coins of a fifth, scaled up, and the luck of the draw: the simulated spread is that of the margin."""
    n, runs, rng = 32_560, 2_000, generator(1420)
    protocol, size = dp.DirectEncoding(range(d), epsilon=2), n // 5
    drawn = rng.hypergeometric(held, n - held, size, runs)
    raw = np.array([protocol.simulate([k, size - k] + [0] * (d - 2), size, rng)[0] for k in drawn])

    def variance(count):  # as the page computes it, from a count of the group
        return 5**2 * protocol.variance(size, count) + (5 - 1) * 5 * count * (1 - count / size)

    expected = variance(held / 5)
    assert 5 * raw.mean() == pytest.approx(held, abs=5.5 * np.sqrt(expected / runs))
    assert (5 * raw).var() == pytest.approx(expected, rel=5.5 * np.sqrt(2 / runs))
    # With the count that was found, never the true one, the margin holds in about 95 of 100 surveys.
    margins = 1.96 * np.sqrt([variance(max(found, 0)) for found in raw])
    held_in = np.mean(abs(5 * raw - held) <= margins)
    assert abs(held_in - 0.95) < 0.01 + 5 * np.sqrt(0.95 * 0.05 / runs)


def test_the_surveys_table_has_no_true_count_in_a_margin():
    (cell,) = [c for c in read(CHAPTER).cells if "margin = 1.96" in c.source]
    assert "exact" not in cell.source and "census" not in cell.source


# The labs


def test_the_printed_chances_are_right_at_1_only(page):
    assert page["printed_chances"](5, 0.5) == pytest.approx(printed(5, 0.5))
    assert printed(5, 1) == pytest.approx(tails(5, 1))


def test_what_cutting_costs_against_the_exact_binomial():
    n, q = 100_000, 1 / (1 + np.e)
    ones = np.arange(n + 1)
    exact = np.sum(stats.binom(n, q).pmf(ones) * np.maximum((ones - n * q) / (0.5 - q), 0))
    assert _lift(n, 1.0) == pytest.approx(exact, rel=2e-3)


def test_what_a_survey_with_one_question_costs():
    n = 32_561
    for epsilon, people in [(5, 16), (1, 420), (0.1, 6_400)]:
        assert dp.DirectEncoding(range(15), epsilon=epsilon).variance(n, 0) ** 0.5 == pytest.approx(people, rel=0.05)
    assert 2 < 2 * np.sqrt(2) < 3  # a curator's standard deviation, replace-one


@pytest.mark.parametrize("position", [0, 7, 14])
def test_with_offsets_from_1_direct_encoding_keeps_its_promise(page, position):
    rng, runs = np.random.default_rng(1471), 30_000
    p, q = np.exp(0.1) / (np.exp(0.1) + 14), 1 / (np.exp(0.1) + 14)
    seen = np.bincount([page["direct_report"](position, 15, 0.1, rng) for _ in range(runs)], minlength=15)
    law = np.where(np.arange(15) == position, p, q)
    assert stats.chisquare(seen, runs * law).pvalue > 1e-6


@pytest.mark.parametrize("d", [2, 15, 74])
def test_splitting_the_budget_has_at_least_k_times_the_variance(d):
    for make in (dp.DirectEncoding, dp.UnaryEncoding.optimized):
        for epsilon in (0.1, 1, 5):
            for k in (2, 5, 10):
                one = make(range(d), epsilon=epsilon).variance(1, 0)
                assert make(range(d), epsilon=epsilon / k).variance(1, 0) >= k**2 * one * (1 - 1e-9)
