import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_protocols import COLOURS, support_law, worst_log_ratio
from random_numbers import P_VALUE, generator
from reference import reference
from scipy import stats

import dp_helpers as dp
from dp_helpers.local.bits import coins

SYMMETRIC = [(dp.UnaryEncoding.symmetric, *case.values) for case in reference("sue")]
OPTIMIZED = [(dp.UnaryEncoding.optimized, *case.values) for case in reference("oue")]


@pytest.mark.parametrize(("make", "inputs", "value", "tolerance"), SYMMETRIC + OPTIMIZED)
def test_probabilities_and_variance(make, inputs, value, tolerance):
    protocol = make(COLOURS, inputs["eps"])
    found = [protocol.p, protocol.q, protocol.variance(1, 0)]
    assert found == pytest.approx(value, rel=0, abs=tolerance)
    assert protocol.epsilon == pytest.approx(inputs["eps"], rel=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ue.eps"))
def test_unary_epsilon(inputs, value, tolerance):
    assert dp.unary_epsilon(inputs["p"], inputs["q"]) == pytest.approx(value[0], rel=0, abs=tolerance)


@given(p=st.floats(0.001, 0.999), share=st.floats(0.001, 1), d=st.integers(2, 5))
def test_unary_epsilon_is_the_worst_log_ratio_of_a_row(p, share, d):
    protocol = dp.UnaryEncoding(range(d), p=p, q=p * share)
    worst = worst_log_ratio([support_law(protocol, 0), support_law(protocol, d - 1)])
    assert protocol.epsilon == pytest.approx(worst, rel=1e-9, abs=1e-9)


def test_the_same_two_coins_cost_twice_as_much_in_each_bit_of_a_row():
    coins_ = dp.RandomizedResponse.two_coins()
    assert dp.UnaryEncoding(COLOURS, p=coins_.p, q=coins_.q).epsilon == pytest.approx(2 * coins_.epsilon)


def test_equal_chances_have_epsilon_0_and_certain_ones_infinity():
    assert dp.UnaryEncoding(COLOURS, p=0.3, q=0.3).epsilon == 0
    assert dp.unary_epsilon(1, 0.5) == dp.unary_epsilon(0.5, 0) == math.inf


@pytest.mark.parametrize("chance", [0.0, 0.001, 1 / 512, 0.3, 127.9 / 256, 0.5, 128.5 / 256, 0.75, 0.9999, 1.0])
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_coins_have_exactly_their_chance(chance, bits):
    found = coins(chance, (1_000, 999), np.random.Generator(bits(1)))
    assert found.shape == (1_000, 999)
    assert found.dtype == bool
    assert stats.binomtest(int(found.sum()), found.size, chance).pvalue > P_VALUE


@pytest.mark.parametrize("chance", [0.001, 0.1 + 1 / 512, 0.3, 0.997])
def test_coins_are_independent_of_each_other(chance):
    rows = coins(chance, (200_000, 8), generator(1)).sum(axis=1)
    law = stats.binom.pmf(range(9), 8, chance)
    likely = len(rows) * law > 10
    seen = np.bincount(rows, minlength=9)
    seen, law = (np.append(counts[likely], counts[~likely].sum()) for counts in (seen, len(rows) * law))
    enough = law > 1e-3
    seen, law = seen[enough], law[enough]
    assert stats.chisquare(seen, law * seen.sum() / law.sum()).pvalue > P_VALUE


def test_a_matrix_has_a_row_for_each_person():
    protocol = dp.UnaryEncoding(COLOURS, p=0.7, q=0.2)
    encoded = protocol.encode(pd.Series(["red", "blue", "red"], dtype="category"))
    assert encoded.dtype == np.uint8
    assert encoded.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    reports = protocol.perturb(encoded, rng=generator())
    assert reports.dtype == np.uint8
    assert reports.shape == (3, 3)
    in_rows = np.ascontiguousarray(reports)
    for same in (in_rows, in_rows.astype(bool), in_rows.astype(float), in_rows.tolist(), pd.DataFrame(in_rows)):
        assert protocol.tally(same).tolist() == in_rows.sum(axis=0, dtype=int).tolist()


def test_counts_are_matched_by_answer():
    protocol = dp.UnaryEncoding(COLOURS, p=1, q=0)  # nothing is randomized
    assert protocol.simulate(pd.Series({"red": 3, "blue": 2}), 5).to_dict() == {"blue": 2.0, "green": 0.0, "red": 3.0}
    assert protocol.simulate([2, 0, 3], 5).to_dict() == {"blue": 2.0, "green": 0.0, "red": 3.0}
    assert protocol.estimate_from(pd.Series({"red": 3, "green": 1, "blue": 2}), 6).tolist() == [2.0, 1.0, 3.0]
    assert protocol.estimate(["red", "blue", "red"]).to_dict() == {"blue": 1.0, "green": 0.0, "red": 2.0}


def test_variance_by_hand():
    protocol = dp.UnaryEncoding(COLOURS, p=0.7, q=0.2)
    assert protocol.variance(10, [10, 0]).tolist() == pytest.approx([10 * 0.7 * 0.3 / 0.25, 10 * 0.2 * 0.8 / 0.25])


def test_more_lies_than_truth_are_refused():
    for make in (dp.unary_epsilon, lambda p, q: dp.UnaryEncoding(COLOURS, p=p, q=q)):
        with pytest.raises(ValueError, match=r"q must not be above p, got p=0\.2 and q=0\.3"):
            make(0.2, 0.3)


class WithoutBalls(np.random.Generator):
    """Remembers how many balls it should throw on average, and throws none."""

    def poisson(self, lam):
        self.expected = lam
        return 0


@pytest.mark.parametrize("chance", [0.001, 0.25, 0.3, 0.498, 0.5])
def test_bytes_and_balls_make_up_the_chance_exactly(chance):
    rng, cells = WithoutBalls(np.random.PCG64(5)), 4_000_000
    below = round(256 * coins(chance, (cells,), rng).mean()) / 256  # 0.5 is eight standard errors away
    hit = -np.expm1(-rng.expected / cells)
    assert below + (1 - below) * hit == pytest.approx(chance, rel=1e-9)
