import numpy as np
import pytest
from broken_mechanisms import BROKEN_MECHANISMS

import dp_helpers as dp

every_one = pytest.mark.parametrize("twin", [pytest.param(m, id=m.name) for m in BROKEN_MECHANISMS])


def measured(twin, mechanism, trials):
    result = dp.audit(
        mechanism, twin.data, twin.neighbour, trials=trials, delta=twin.delta, rng=np.random.default_rng(1)
    )
    return result.epsilon_lower_bound


@every_one
def test_broken_mechanism_is_caught(twin):
    assert measured(twin, twin.broken, twin.trials) > twin.epsilon


@every_one
def test_repaired_mechanism_keeps_its_claim_on_the_same_neighbours(twin):
    assert measured(twin, twin.repaired, min(twin.trials, 2000)) <= twin.epsilon


def test_there_are_enough_for_a_table_and_each_is_told_apart_by_its_name():
    assert len({twin.name for twin in BROKEN_MECHANISMS}) == len(BROKEN_MECHANISMS) >= 10
