import math

import numpy as np
import pytest
from local_protocols import COLOURS, hash_values, perturbed, supports
from random_numbers import ERRORS, P_VALUE, generator
from reference import reference
from scipy import stats

import dp_helpers as dp


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("olh"))
def test_values_probabilities_and_variance(inputs, value, tolerance):
    protocol = dp.LocalHashing(COLOURS, epsilon=inputs["eps"])
    found = [protocol.g, protocol.p, protocol.q, protocol.variance(1, 0)]
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 4.0])
def test_number_of_values_is_the_best_up_to_rounding(epsilon):
    odds, protocol = math.exp(epsilon), dp.LocalHashing(COLOURS, epsilon=epsilon)

    def variance(g):
        p, q = odds / (odds + g - 1), 1 / g
        return q * (1 - q) / (p - q) ** 2

    assert protocol.variance(1, 0) == pytest.approx(variance(protocol.g), rel=1e-9)
    assert protocol.variance(1, 0) <= 1.01 * min(map(variance, range(2, 200)))
    assert protocol.variance(1, 0) == pytest.approx(
        dp.UnaryEncoding.optimized(COLOURS, epsilon).variance(1, 0), rel=0.02
    )


def test_number_of_values_has_a_ceiling():
    protocol = dp.LocalHashing(COLOURS, epsilon=36)  # one lie in four billion reports
    assert protocol.g == 2**20
    assert protocol.estimate(["red", "red", "blue"], generator()).tolist() == pytest.approx([1, 0, 2], abs=1e-5)


# ---------------------------------------------------------------- the hash


def test_hash_is_splitmix64():
    """The first outputs for the seed 1234567, as listed with the reference implementation in C."""
    listed = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    g = 2**20
    expected = [(output >> 32) * g >> 32 for output in listed]
    assert hash_values([1234567], 5, g).tolist() == [expected]  # the tests' own version
    protocol = dp.LocalHashing(range(5), epsilon=36)
    for position, value in enumerate(expected):
        report = np.array([[1234567, value]], dtype=np.uint64)
        assert protocol.tally(report).tolist() == [int(other == position) for other in range(5)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 5.0])
def test_hash_values_are_uniform_for_every_answer_and_any_two(epsilon):
    d, n = 5, 200_000
    protocol = dp.LocalHashing(range(d), epsilon=epsilon)
    seeds = perturbed(protocol, [0] * n)[:, 0]
    values = hash_values(seeds, d, protocol.g).astype(int)
    for column in values.T:
        assert stats.chisquare(np.bincount(column, minlength=protocol.g)).pvalue > P_VALUE
    for first in range(d):
        for second in range(first):
            same = int((values[:, first] == values[:, second]).sum())
            assert stats.binomtest(same, n, 1 / protocol.g).pvalue > P_VALUE
    triples = values[:, :3] @ protocol.g ** np.arange(3)
    if n / protocol.g**3 > 10:
        assert stats.chisquare(np.bincount(triples, minlength=protocol.g**3)).pvalue > P_VALUE


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_supports_of_many_answers_are_independent(epsilon):
    """A family that is only pairwise independent, such as ax + b, fails here: it favours rows of answers."""
    d, n = 91, 20_000
    protocol = dp.LocalHashing(range(d), epsilon=epsilon)
    seen = supports(protocol, perturbed(protocol, [40] * n, seed=1)).astype(float)
    for columns in ([39, 40, 41], range(30, 50), range(d)):
        others = [column for column in columns if column != 40]
        variance = protocol.p * (1 - protocol.p) + len(others) * protocol.q * (1 - protocol.q)
        found = seen[:, list(columns)].sum(axis=1).var(ddof=1)
        # The sum is far from normal for few answers; its fourth moment is below 4 variances squared here.
        assert abs(found / variance - 1) < ERRORS * math.sqrt(3 / n)


# ---------------------------------------------------------------- reports


def test_a_report_is_a_seed_and_a_value():
    protocol = dp.LocalHashing(COLOURS, epsilon=2.0)
    reports = perturbed(protocol, ["red", "blue"] * 1_000)
    assert reports.shape == (2_000, 2)
    assert reports.dtype == np.uint64
    assert len(np.unique(reports[:, 0])) == 2_000
    assert reports[:, 1].max() == protocol.g - 1
    as_lists = [[int(seed), int(value)] for seed, value in reports[:50]]
    assert protocol.tally(np.array(as_lists, dtype=np.uint64)).equals(protocol.tally(reports[:50]))


@pytest.mark.parametrize("answer", range(3))
def test_given_the_seed_the_value_is_direct_encoding(answer):
    """The seeds are uniform whatever the answer, and so the privacy of a report is that of its value."""
    protocol, n = dp.LocalHashing(range(3), epsilon=1.5), 200_000
    reports = perturbed(protocol, [answer] * n, seed=answer)
    for shift in (0, 28, 56):
        bytes_ = (reports[:, 0] >> np.uint64(shift)) & np.uint64(255)
        assert stats.chisquare(np.bincount(bytes_.astype(int), minlength=256)).pvalue > P_VALUE
    right = hash_values(reports[:, 0], 3, protocol.g)[:, answer].astype(int)
    offset = (reports[:, 1].astype(int) - right) % protocol.g
    law = np.full(protocol.g, (1 - protocol.p) / (protocol.g - 1))
    law[0] = protocol.p
    assert stats.chisquare(np.bincount(offset, minlength=protocol.g), n * law).pvalue > P_VALUE
    assert math.log(law[0] / law[1]) == pytest.approx(protocol.epsilon, rel=1e-9)


def test_estimates_of_many_answers_are_unbiased():
    d, n, rounds, rng = 91, 5_000, 60, generator(4)
    protocol = dp.LocalHashing([f"town {i}" for i in range(d)], epsilon=1.0)
    counts = np.bincount(np.minimum(np.arange(n) % 120, d - 1), minlength=d)
    values = protocol.domain.repeat(counts)
    errors = np.array([protocol.estimate(values, rng) for _ in range(rounds)]) - counts
    deviations = np.sqrt(protocol.variance(n, counts) / rounds)
    assert np.abs(errors.mean(axis=0) / deviations).max() < 6.2  # 91 of them: 1e-7 by chance
    total = errors.sum(axis=1)
    assert abs(total.mean()) < ERRORS * math.sqrt(protocol.variance(n, counts).sum() / rounds)


def test_numbers_that_are_no_reports_are_refused():
    protocol = dp.LocalHashing(COLOURS, epsilon=2.0)
    for wrong in ([[2**64, 0]], [[2**63, 0.5]], [[2**63, None]], [[2.0**63, 0]]):
        with pytest.raises((TypeError, ValueError), match="reports must"):
            protocol.tally(wrong)
