"""What chapter 14 says, derived again; its short protocols against the package; its labs."""

import itertools
from functools import partial

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


def direct(d, epsilon):
    return (np.exp(epsilon) + d - 2) / np.expm1(epsilon) ** 2


def oue(epsilon):
    return 4 * np.exp(epsilon) / np.expm1(epsilon) ** 2


def tails(epsilon, theta):
    """Return THE's chances from the Laplace distribution itself."""
    noise = stats.laplace(scale=2 / epsilon)
    return noise.sf(theta - 1), noise.sf(theta)


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


def test_the_companys_data(census):
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


def test_survey_answers(census):
    exact, n = counts(census, "Occupation", JOBS), len(census)
    two = 2 * np.sqrt(dp.UnaryEncoding(JOBS, p=0.75, q=0.25).variance(n, exact))
    assert set(exact.index[exact < two]) == {"Armed-Forces", "Priv-house-serv"}
    assert two.to_numpy() == pytest.approx(300, abs=20)


def test_which_one(page):
    for d, epsilon in itertools.product([2, 5, 10, 15, 74, 200, 500], [0.1, 0.5, 1, 2, 3, 5]):
        assert page["winner"](d, epsilon) == ("direct encoding" if direct(d, epsilon) < oue(epsilon) else "OUE")


# Missing answers, impossible counts


def test_empty_rows_need_the_right_n(census):
    n, protocol = len(census), dp.UnaryEncoding(JOBS[:-1], p=0.75, q=0.25)
    exact = counts(census, "Occupation", JOBS)
    missing = exact["(no answer)"]
    sent = exact[:-1] * 0.75 + (n - exact[:-1]) * 0.25  # on average, empty rows included
    assert protocol.estimate_from(sent, n).to_numpy() == pytest.approx(exact[:-1].to_numpy())
    assert (protocol.estimate_from(sent, n - missing) - exact[:-1]).to_numpy() == pytest.approx(missing / 2)
    # The bias shows in every run, the mean of fourteen unbiased errors doesn't come near it.
    own = np.sqrt(protocol.variance(n, missing))
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


# The bug


def test_the_bugs_law(page):
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
def test_the_surveys_margins(d, held):
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


def printed(epsilon, theta):
    return 1 - 0.5 * np.exp(epsilon * (1 - theta) / 2), 0.5 * np.exp(-epsilon * theta / 2)


def test_the_printed_chances_are_right_at_1_only(page):
    assert page["printed_chances"](5, 0.5) == pytest.approx(printed(5, 0.5))
    assert printed(5, 1) == pytest.approx(tails(5, 1))


def test_lab_5_against_the_exact_binomial():
    n, q = 100_000, 1 / (1 + np.e)
    ones = np.arange(n + 1)
    exact = np.sum(stats.binom(n, q).pmf(ones) * np.maximum((ones - n * q) / (0.5 - q), 0))
    assert _lift(n, 1.0) == pytest.approx(exact, rel=2e-3)


def _lift(n, epsilon):
    return np.sqrt(n * oue(epsilon) / (2 * np.pi))


def _groups(n, d, epsilon, k):
    return np.sqrt(n * k * min(direct(d, epsilon), oue(epsilon)))


def _tails_by_cases(epsilon, theta):
    p = 1 - np.exp(-epsilon * (1 - theta) / 2) / 2 if theta <= 1 else np.exp(-epsilon * (theta - 1) / 2) / 2
    return [round(p, 4), round(np.exp(-epsilon * theta / 2) / 2, 4)]


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


_sue = partial(_protocol, _sue_chances)


def _rows_in_a_loop(bits, p, q, rng):
    sent = []
    for row in bits:
        sent.append([int(rng.random() < (p if bit else q)) for bit in row])
    return sent


def _rows_by_flipping(bits, p, q, rng):
    """Flip ones and zeros by coins of their own."""
    return np.where(bits == 1, rng.random(bits.shape) < p, rng.random(bits.shape) < q).astype(int)


def _estimate_in_a_loop(sums, n, p, q):
    return [round((total - n * q) / (p - q)) for total in sums]


def _package(make):
    return (
        lambda bits, epsilon, rng: make(range(bits.shape[1]), epsilon).perturb(bits, rng),
        lambda reports, epsilon: make(range(np.shape(reports)[1]), epsilon).aggregate(reports),
    )


def _in_place(bits, p, q, rng):
    bits[:] = rng.random(bits.shape) < np.where(bits, p, q)
    return bits


RIGHT = [
    ("14.1", np.log(0.8 * 0.7 / (0.2 * 0.3))),
    ("14.4", lambda e, t: np.array(tails(e, t))),
    ("14.4", _tails_by_cases),
    ("14.5", _lift),
    ("14.5", lambda n, e: 0.39894 * np.sqrt(dp.UnaryEncoding.optimized([0, 1], e).variance(n, 0))),
    ("14.6", _groups),
    ("14.6", lambda n, d, e, k: k * np.sqrt(n / k * min(direct(d, e), oue(e)))),
    ("14.6", lambda n, d, e, k: round(_groups(n, d, e, k))),
    ("14.2", _sue()),
    ("14.3", _protocol(_oue_chances)),
    ("14.3", _protocol(_oue_chances, _rows_in_a_loop, _estimate_in_a_loop)),
    ("14.3", list(_protocol(_oue_chances, _rows_by_flipping))),
    ("14.2", list(_sue(_rows_in_a_loop, _estimate_in_a_loop))),
    ("14.2", _sue(_rows_by_flipping, lambda s, n, p, q: pd.Series((s - n * q) / (p - q)))),
]

WRONG = [
    ("14.4", lambda e, t: 0.5, "give a pair"),
    ("14.4", printed, "yours is -0.745, no probability"),
    ("14.4", lambda e, t: tails(e, t)[::-1], "that is q"),
    ("14.4", lambda e, t: (tails(e, t)[0], 2 * tails(e, t)[1]), "only half of the noise"),
    ("14.4", lambda e, t: (1 - np.exp(-e * (1 - t) / 2) / 2, tails(e, t)[1]), "beyond θ = 1"),
    ("14.4", lambda e, t: tails(2 * e, t), "the noise has scale 2/ε"),
    ("14.4", lambda e, t: dp.ThresholdHistogramEncoding([0, 1], epsilon=e, theta=t), "write chances yourself"),
    ("14.4", lambda e, t: (0.5, 0.5), "yours is 0.500"),
    ("14.5", lambda n, e: np.sqrt(n * oue(e)), "the standard deviation of the estimate"),
    ("14.5", lambda n, e: np.sqrt(n * oue(e)) / 2, "not all one standard deviation"),
    ("14.5", lambda n, e: 2 * _lift(n, e), "the positive estimates only"),
    ("14.5", lambda n, e: _lift(n, e) / n, "people, not a share"),
    ("14.5", lambda n, e: _lift(n, e) * np.sqrt(n), "mind the root"),
    ("14.5", lambda n, e: 0, "the negative estimates are gone"),
    ("14.5", lambda n, e: 1.0, "yours is 1.0"),
    ("14.6", lambda n, d, e, k: np.sqrt(n * k * oue(e)), "the other protocol is better"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) / k, "Scale the count up"),
    ("14.6", lambda n, d, e, k: np.sqrt(n * min(direct(d, e / k), oue(e / k))), "Split the people"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) ** 2, "asked is its root"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, 1), "Only a group does"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e / k, k), "one question only"),
    ("14.6", lambda n, d, e, k: _groups(n, d, e, k) / n, "not a share"),
    ("14.6", lambda n, d, e, k: 5.0, "yours is 5.0"),
    ("14.2", _sue()[0], "a pair, (perturb, aggregate)"),
    ("14.2", (lambda bits, epsilon, rng: None, len), "it needs a return"),
    ("14.2", _sue(lambda bits, p, q, rng: bits[0]), "a noisy bit for each bit"),
    ("14.2", _sue(lambda bits, p, q, rng: bits + rng.laplace(size=bits.shape)), "0 or 1 in each place"),
    ("14.2", _sue(lambda bits, p, q, rng: bits), "two different ones gave the same"),
    ("14.2", _sue(lambda b, p, q, rng: np.random.default_rng().random(b.shape) < np.where(b, p, q)),
     "same rng gave another"),
    ("14.2", _sue(lambda b, p, q, rng: rng.random((len(b), 1)) < np.where(b, p, q)), "coins of its own"),
    ("14.2", _sue(lambda b, p, q, rng: rng.random(b.shape[1]) < np.where(b, p, q)), "coins of its own"),
    ("14.2", _sue(lambda b, p, q, rng: b & (rng.random(b.shape) < p)), "a 0 is sent as 1"),
    ("14.2", _sue(spent=2.0), "a row has 2ε"),
    ("14.2", _sue(_in_place), "leave its input as it is"),
    ("14.2", _package(dp.UnaryEncoding.symmetric), "write the protocol yourself"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: sums), "Take the coins out"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: sums - n * q), "divide by it"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: (sums / n - q) / (p - q)), "not shares"),
    ("14.2", _sue(estimate=lambda s, n, p, q: np.maximum((s - n * q) / (p - q), 0)), "leave negative"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: (sums - n * q) / p), "make an estimate of"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: None), "it needs a return"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: sums[0]), "a count for each answer"),
    ("14.2", _protocol(_oue_chances), "those are the chances of OUE"),
    ("14.2", (_sue()[0], _protocol(_oue_chances)[1]), "other chances than perturb"),
    ("14.2", _sue(lambda bits, p, q, rng: np.where(bits, p, q) > (rng.random(bits.shape) if len(bits) > 1 else 0.5)),
     "at ε = 2"),
    ("14.2", _sue(estimate=lambda sums, n, p, q: (sums - n * q) / (p - q) - 5), "make an estimate of"),
    ("14.3", _sue(), "those are the chances of SUE"),
    ("14.6", lambda n, d, e, k: np.sqrt(n * k * (direct(d, e) if d < 2 * np.exp(e) else oue(e))), "better"),
    ("14.3", (_protocol(_oue_chances)[0], _sue()[1]), "other chances than perturb"),
]  # fmt: skip
