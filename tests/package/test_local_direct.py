import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_protocols import COLOURS, perturbed
from random_numbers import ERRORS, P_VALUE, generator
from reference import reference
from scipy import stats

import dp_helpers as dp


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr.pq"))
def test_p_and_q_agree_with_the_reference(inputs, value, tolerance):
    protocol = dp.DirectEncoding(range(inputs["d"]), epsilon=inputs["eps"])
    assert [protocol.p, protocol.q] == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr.var"))
def test_variance_for_a_rare_answer(inputs, value, tolerance):
    protocol = dp.DirectEncoding(range(inputs["d"]), epsilon=inputs["eps"])
    assert protocol.variance(1, 0) == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr.opendp"))
def test_epsilon_of_a_half_honest_answer(inputs, value, tolerance):
    assert dp.DirectEncoding(range(inputs["k"]), epsilon=value).p == pytest.approx(inputs["p"], rel=0, abs=tolerance)


@given(epsilon=st.floats(0.01, 10), d=st.integers(1, 200), share=st.floats(0, 1))
def test_variance_in_closed_form(epsilon, d, share):
    odds = math.exp(epsilon)
    expected = (d - 2 + odds) / (odds - 1) ** 2 + share * (d - 2) / (odds - 1)
    assert dp.DirectEncoding(range(d), epsilon=epsilon).variance(1, share) == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )


@given(epsilon=st.floats(1e-6, 36), d=st.integers(1, 1_000))
def test_probabilities_sum_to_1_with_ratio_epsilon(epsilon, d):
    protocol = dp.DirectEncoding(range(d), epsilon=epsilon)
    assert protocol.p + (d - 1) * protocol.q == pytest.approx(1, rel=1e-12)
    assert math.log(protocol.p) - math.log(protocol.q) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr_oue.cross"))
def test_where_unary_encoding_takes_over(inputs, value, tolerance):
    assert value == pytest.approx(3 * math.exp(inputs["eps"]) + 2, rel=0, abs=tolerance)
    better = [
        dp.DirectEncoding(range(d), epsilon=inputs["eps"]).variance(1, 0)
        < dp.UnaryEncoding.optimized(range(d), inputs["eps"]).variance(1, 0)
        for d in (math.floor(value), math.ceil(value))
    ]
    assert better == [True, False]


def test_two_answers_are_warners_randomized_response():
    direct, warner = dp.DirectEncoding([False, True], epsilon=1.3), dp.RandomizedResponse.from_epsilon(1.3)
    assert [direct.p, direct.q] == pytest.approx([warner.p, warner.q], rel=1e-12)
    assert direct.variance(100, 30) == pytest.approx(warner.variance(100, 30), rel=1e-12)


def test_a_single_answer_is_always_reported():
    protocol = dp.DirectEncoding(["yes"], epsilon=0.5)
    assert protocol.p == 1
    assert perturbed(protocol, ["yes"] * 500).tolist() == [0] * 500
    assert protocol.estimate(["yes"] * 500).tolist() == pytest.approx([500])
    assert protocol.simulate([500], 500).tolist() == pytest.approx([500])
    assert protocol.variance(500, 500) == 0


def test_the_type_of_the_answers_is_kept():
    protocol = dp.DirectEncoding(COLOURS, epsilon=1.0)
    answers = pd.Series(["red", "blue", "red"], index=["x", "y", "z"], name="favourite")
    encoded = protocol.encode(answers)
    reports = protocol.perturb(encoded, rng=generator())
    assert encoded.tolist() == [2, 0, 2]
    for result in (encoded, reports):
        assert isinstance(result, pd.Series)
        assert result.index.tolist() == ["x", "y", "z"]
        assert result.name == "favourite"
        assert result.dtype.kind == "i"
    assert isinstance(protocol.perturb([0, 1]), np.ndarray)
    assert set(protocol.domain[reports]) <= set(COLOURS)


# ---------------------------------------------------------------- the published mistake: a false report that isn't one
# (In dp_helpers.broken an audit catches it, too.)


def offset_from_0(codes, protocol, rng):
    """Return reports as a published listing makes them: a "false" answer at a random distance 0, ..., d - 2."""
    d = protocol.domain.size
    lies = rng.random(codes.size) >= protocol.p
    return np.where(lies, (codes + rng.integers(0, d - 1, codes.size)) % d, codes)


def faithful(codes, protocol, rng):
    return protocol.perturb(codes, rng)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr.buggy.e5"))
def test_goodness_of_fit_tells_the_broken_listing_apart(inputs, value, tolerance):
    stay, before, other = value
    d, n = inputs["d"], 200_000
    protocol = dp.DirectEncoding(range(d), epsilon=inputs["eps"])
    assert [protocol.p + protocol.q, protocol.q] == pytest.approx([stay, other], rel=0, abs=tolerance)
    for answer in range(d):
        codes = np.full(n, answer)
        seen = np.bincount(faithful(codes, protocol, generator(answer)), minlength=d)
        law = np.full(d, protocol.q)
        law[answer] = protocol.p
        assert stats.chisquare(seen, n * law).pvalue > P_VALUE
        broken = np.bincount(offset_from_0(codes, protocol, generator(answer)), minlength=d)
        assert stats.chisquare(broken, n * law).pvalue < P_VALUE
        assert broken[(answer - 1) % d] == before == 0 < seen[(answer - 1) % d]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("grr.buggy.bias"))
def test_estimates_do_not_lean_towards_the_next_answer(inputs, value, tolerance):
    bias = (inputs["n_i"] - inputs["n_next"]) / math.expm1(inputs["eps"])
    assert bias == pytest.approx(value, rel=0, abs=tolerance)
    d, rounds, rng = 14, 300, generator(5)
    counts = np.full(d, 2_000)
    counts[:2] = inputs["n_i"], inputs["n_next"]
    n = int(counts.sum())
    protocol = dp.DirectEncoding(range(d), epsilon=inputs["eps"])
    codes = np.repeat(np.arange(d), counts)
    margin = ERRORS * math.sqrt(protocol.variance(n, inputs["n_i"]) / rounds)
    assert margin < -bias / 3
    right, wrong = (
        np.mean([protocol.aggregate(report(codes, protocol, rng))[0] for _ in range(rounds)]) - inputs["n_i"]
        for report in (faithful, offset_from_0)
    )
    assert abs(right) < margin
    # Its supports are nearly as spread out as the right ones: twice the margin is enough.
    assert abs(wrong - bias) < 2 * margin
