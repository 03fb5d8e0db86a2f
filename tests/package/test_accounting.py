import contextlib
import copy
import math
import pickle
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference

import dp_helpers as dp

EPSILONS = st.floats(0, 10)
DELTAS = st.floats(0, 0.01)
COSTS = st.lists(st.tuples(EPSILONS, DELTAS).filter(any), min_size=1, max_size=8)


# ---------------------------------------------------------------- composition


def test_sequential_composition_adds():
    assert dp.sequential_composition([0.5, 0.25, 1]) == (1.75, 0.0)
    assert dp.sequential_composition(pd.Series([0.5, 0]), np.array([1e-6, 2e-6])) == (0.5, 3e-6)


@pytest.mark.parametrize("composition", [dp.sequential_composition, dp.parallel_composition])
def test_the_cost_of_no_release_is_not_asked_for(composition):
    with pytest.raises(ValueError, match="epsilons must not be empty"):
        composition([])


def test_sequential_composition_rounds_once():
    assert dp.sequential_composition([0.1] * 10, [0.01] * 10) == (1.0, 0.1)


def test_parallel_composition_takes_the_largest():
    assert dp.parallel_composition([0.5, 0.25, 1]) == (1.0, 0.0)
    assert dp.parallel_composition([0.5, 0.25], [1e-6, 1e-5]) == (0.5, 1e-5)


def test_a_total_delta_is_at_most_1():
    assert dp.sequential_composition([1, 1], [0.7, 0.7]) == (2.0, 1.0)


@given(COSTS)
def test_composition_does_not_depend_on_order_and_parallel_costs_less(costs):
    epsilons, deltas = zip(*costs, strict=True)
    sequential = dp.sequential_composition(epsilons, deltas)
    parallel = dp.parallel_composition(epsilons, deltas)
    assert sequential == dp.sequential_composition(epsilons[::-1], deltas[::-1])
    assert parallel == dp.parallel_composition(epsilons[::-1], deltas[::-1])
    assert max(costs)[0] == parallel[0] <= sequential[0]
    assert parallel[1] <= sequential[1]
    assert all(type(number) is float for number in (*sequential, *parallel))


# ---------------------------------------------------------------- group privacy


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("group.adp"))
def test_group_privacy(inputs, value, tolerance):
    epsilon, delta = dp.group_privacy(inputs["eps"], inputs["delta"], size=inputs["k"])
    assert [epsilon, delta] == pytest.approx(value, rel=0, abs=tolerance)


@given(st.floats(0, 2), st.floats(0, 1e-3), st.integers(1, 20))
def test_group_privacy_is_the_sum_over_the_steps(epsilon, delta, size):
    # One row after the other: each step adds delta, magnified by the epsilons of the steps before.
    steps = math.fsum(delta * math.exp(step * epsilon) for step in range(size))
    assert dp.group_privacy(epsilon, delta, size=size) == pytest.approx((size * epsilon, min(1.0, steps)), rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta", "size", "expected"),
    [
        (0, 1e-5, 3, (0.0, pytest.approx(3e-5))),
        (0, 0.5, 3, (0.0, 1.0)),
        (1, 0, 10**6, (1e6, 0.0)),
        (1, 1e-300, 10**6, (1e6, 1.0)),  # e^size overflows
        (680, 1e-300, 2, (1360.0, pytest.approx(math.exp(680) * 1e-300))),
        (1e-300, 1e-5, 3, (3e-300, pytest.approx(3e-5))),
    ],
)
def test_group_privacy_at_the_edges(epsilon, delta, size, expected):
    assert dp.group_privacy(epsilon, delta, size=size) == expected


# ---------------------------------------------------------------- ledger


def test_ledger_records_what_is_spent():
    ledger = dp.PrivacyLedger(1.0, delta=1e-5)
    assert (ledger.spent, ledger.remaining) == ((0.0, 0.0), (1.0, 1e-5))
    ledger.spend(0.25, label="count")
    ledger.spend(0.5, 1e-6, label="vector of sums")
    assert ledger.spent == (0.75, 1e-6)
    assert ledger.remaining == pytest.approx((0.25, 9e-6))
    expected = pd.DataFrame(
        {
            "label": ["count", "vector of sums"],
            "epsilon": [0.25, 0.5],
            "delta": [0.0, 1e-6],
            "total epsilon": [0.25, 0.75],
            "total delta": [0.0, 1e-6],
        }
    )
    pd.testing.assert_frame_equal(ledger.table(), expected)


def test_an_empty_ledger_has_an_empty_table():
    table = dp.PrivacyLedger(1.0).table()
    assert table.columns.tolist() == ["label", "epsilon", "delta", "total epsilon", "total delta"]
    assert len(table) == 0
    assert table["total epsilon"].dtype == float


@pytest.mark.parametrize(("epsilon", "delta"), [(0.6, 0.0), (0.1, 2e-5), (0.0, 2e-5), (5.0, 0.5)])
def test_ledger_refuses_to_overspend_and_stays_as_it_was(epsilon, delta):
    ledger = dp.PrivacyLedger(1.0, delta=1e-5)
    ledger.spend(0.5, label="first")
    before = ledger.table()
    with pytest.raises(
        dp.BudgetExceeded, match=f"'second' costs epsilon {epsilon:g} and delta {delta:g}; left are epsilon 0.5 and"
    ):
        ledger.spend(epsilon, delta, label="second")
    pd.testing.assert_frame_equal(ledger.table(), before)
    assert ledger.remaining == (0.5, 1e-5)
    ledger.spend(0.5, 1e-5, label="what is left")
    assert ledger.remaining == (0.0, 0.0)


@pytest.mark.parametrize(("part", "times", "budget"), [(0.1, 10, 1.0), (0.1, 3, 0.3), (1e-3, 1000, 1.0), (0.7, 7, 4.9)])
def test_decimal_fractions_fit(part, times, budget):
    ledger = dp.PrivacyLedger(budget, delta=budget / 1e6)
    for number in range(times):
        ledger.spend(part, part / 1e6, label=f"release {number}")
    assert ledger.remaining == pytest.approx((0.0, 0.0), abs=1e-12)
    with pytest.raises(dp.BudgetExceeded):
        ledger.spend(1e-9, label="one more")


@given(COSTS, st.floats(0.1, 20), st.floats(0, 0.05))
def test_ledger_accepts_what_fits_and_nothing_else(costs, epsilon, delta):
    ledger, accepted = dp.PrivacyLedger(epsilon, delta), []
    for cost in costs:
        total = dp.sequential_composition(*zip(*accepted, cost, strict=True))
        fits = total[0] <= epsilon * (1 + 1e-12) and total[1] <= delta * (1 + 1e-12)
        if fits:
            ledger.spend(*cost, label="fits")
            accepted.append(cost)
        else:
            with pytest.raises(dp.BudgetExceeded):
                ledger.spend(*cost, label="does not")
    assert ledger.spent == (dp.sequential_composition(*zip(*accepted, strict=True)) if accepted else (0.0, 0.0))
    assert ledger.remaining == tuple(max(0.0, b - s) for b, s in zip((epsilon, delta), ledger.spent, strict=True))


def test_releases_with_delta_only_are_counted():
    ledger = dp.PrivacyLedger(0, delta=1e-5)
    ledger.spend(0, 1e-5, label="random row of a large table")
    assert ledger.remaining == (0.0, 0.0)


# ---------------------------------------------------------------- bad input


def test_a_refused_cost_is_not_spent():
    ledger = dp.PrivacyLedger(1.0, delta=0.5)
    for cost in ({"epsilon": -1}, {"epsilon": 0.1, "delta": math.nan}, {"epsilon": 0.1, "label": ""}):
        with pytest.raises(ValueError):
            ledger.spend(**{"label": "count", **cost})
    assert ledger.spent == (0.0, 0.0)
    assert ledger.table().empty


@pytest.mark.parametrize(
    "function", [dp.PrivacyLedger, lambda *cost: dp.PrivacyLedger(1.0).spend(*cost, label="nothing")]
)
def test_a_cost_of_nothing_is_refused(function):
    with pytest.raises(ValueError, match="epsilon and delta must not both be 0"):
        function(0, 0.0)


def test_a_group_too_large_for_float64_is_refused():
    with pytest.raises(ValueError, match=r"^size \* epsilon must be a finite number"):
        dp.group_privacy(1e300, 1e-6, size=10**300)


def test_a_sum_of_epsilons_beyond_floats_is_refused():
    with pytest.raises(ValueError, match="epsilons must add up"):
        dp.sequential_composition([1e308, 1e308])


def test_threads_together_spend_no_more_than_the_budget():
    switch_interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns within a spend, not after hundreds of them
    try:
        for _ in range(5):
            ledger = dp.PrivacyLedger(1.0)
            ready = threading.Barrier(8)

            def spend_often(ledger=ledger, ready=ready):
                ready.wait()
                for _ in range(50):
                    with contextlib.suppress(dp.BudgetExceeded):
                        ledger.spend(0.01, label="count")

            threads = [threading.Thread(target=spend_often) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert ledger.spent[0] == pytest.approx(1)
            assert len(ledger.table()) == 100
    finally:
        sys.setswitchinterval(switch_interval)


def test_a_ledger_is_copied_with_what_was_spent():
    ledger = dp.PrivacyLedger(1.0)
    ledger.spend(0.75, label="count")
    for other in (pickle.loads(pickle.dumps(ledger)), copy.deepcopy(ledger)):
        other.spend(0.25, label="sum")
        assert (other.remaining[0], ledger.remaining[0]) == (0, 0.25)
