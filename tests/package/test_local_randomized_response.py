import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_numbers import generator
from reference import reference

import dp_helpers as dp


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.p"))
def test_warner_truth_probability(inputs, value, tolerance):
    protocol = dp.RandomizedResponse.from_epsilon(inputs["eps"])
    assert protocol.p == pytest.approx(value, rel=0, abs=tolerance)
    assert protocol.q == pytest.approx(1 - value, rel=0, abs=tolerance)
    assert protocol.epsilon == pytest.approx(inputs["eps"], rel=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.var"))
def test_warner_variance_is_the_same_for_every_count(inputs, value, tolerance):
    protocol = dp.RandomizedResponse.from_epsilon(inputs["eps"])
    for count in (0, 300, 1_000):
        assert protocol.variance(1_000, count) / 1_000 == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.twocoin"))
def test_two_coins_epsilon(inputs, value, tolerance):
    protocol = dp.RandomizedResponse(truth=inputs["p_truth"], yes=inputs["p_yes"])
    assert protocol.epsilon == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.noise"))
def test_a_biased_coin_agrees_with_the_reference(inputs, value, tolerance):
    n, share = inputs["n"], inputs["p"]
    protocol = dp.RandomizedResponse.biased_coin({0.405: 0.8, 1.099: 0.5}[round(value[0], 3)])
    assert protocol.epsilon == pytest.approx(value[0], rel=0, abs=tolerance)
    # The reference also counts the chance in who is asked.
    deviation = math.sqrt(protocol.variance(n, n * share) / n**2 + share * (1 - share) / n)
    assert deviation == pytest.approx(value[1], rel=0, abs=tolerance)


@given(truth=st.floats(0, 0.999), yes=st.floats(0.001, 0.999))
def test_two_coins_epsilon_is_the_worst_log_ratio_of_a_report(truth, yes):
    protocol = dp.RandomizedResponse(truth=truth, yes=yes)
    worst = max(math.log(protocol.p / protocol.q), math.log((1 - protocol.q) / (1 - protocol.p)))
    assert protocol.epsilon == pytest.approx(worst, rel=1e-9, abs=1e-9)


def test_a_coin_that_hides_all_has_epsilon_0_and_one_that_tells_all_infinity():
    assert dp.RandomizedResponse(truth=0).epsilon == 0
    assert dp.RandomizedResponse.biased_coin(1).epsilon == 0
    assert dp.RandomizedResponse(truth=1).epsilon == math.inf
    assert dp.RandomizedResponse.biased_coin(0).epsilon == math.inf
    assert dp.RandomizedResponse(truth=0.5, yes=1).epsilon == math.inf
    assert dp.RandomizedResponse.from_epsilon(1e-9).epsilon == pytest.approx(1e-9, rel=1e-12)


def test_the_type_of_the_answers_is_kept():
    protocol = dp.RandomizedResponse.two_coins()
    answers = pd.Series([True, False, True], index=["x", "y", "z"], name="smokes")
    for given_values in (answers, answers.astype(int), answers.astype(object)):
        encoded = protocol.encode(given_values)
        reports = protocol.perturb(encoded, rng=generator())
        for result in (encoded, reports):
            assert isinstance(result, pd.Series)
            assert result.index.tolist() == ["x", "y", "z"]
            assert result.name == "smokes"
            assert result.dtype == bool
        assert encoded.tolist() == [True, False, True]
    assert isinstance(protocol.perturb([True, False]), np.ndarray)
    assert protocol.estimate_from([40, 60], 100).to_dict() == {False: 30.0, True: 70.0}


def test_missing_answers_are_named():
    coins = dp.RandomizedResponse.two_coins()
    with pytest.raises(ValueError, match="values must be True or False, not missing"):
        coins.estimate([True, None])
    with pytest.raises(ValueError, match="encoded must be True or False, not missing"):
        coins.perturb([True, math.nan])


def test_a_lie_of_one_in_ten_trillion_is_told_from_none():
    assert dp.RandomizedResponse.from_epsilon(30).epsilon == pytest.approx(30, rel=1e-4)
