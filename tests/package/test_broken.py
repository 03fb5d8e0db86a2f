from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from thorough import sample

from dp_helpers import broken
from dp_helpers.broken import BROKEN_MECHANISMS

# Chapter 17's page and the errata audit many of them, too, and what they print is compared.
SOME = sample(BROKEN_MECHANISMS, 3, lambda mechanism: mechanism.name)
some = pytest.mark.parametrize("twin", [pytest.param(m, id=m.name) for m in SOME])


# What these tell is several times their claim, and each call takes a millisecond or two.
LOUD = {
    "a cap after the join",
    "rows counted, noise for people",
    "a whole delta for each group",
    "sample-and-aggregate in slices",
    "noise from the local sensitivity",
    "sparse vector, passes without limit",
}


def audited(twin, *, honest):
    """Return the twin's row, by as many trials as convict the broken one; those of the page make a stronger proof."""
    twin = replace(twin, trials=min(twin.trials, 400 if twin.name in LOUD else 5_000))
    return broken.audit_all([twin], honest=honest, rng=np.random.default_rng(1)).iloc[0]


@some
def test_broken_mechanism_is_caught(twin):
    row = audited(twin, honest=False)
    assert row["caught"]
    assert row["bound found"] > row["claimed epsilon"] == twin.epsilon


@some
def test_honest_mechanism_keeps_the_claim_on_the_same_neighbours(twin):
    row = audited(twin, honest=True)
    assert not row["caught"]
    assert row["bound found"] <= row["claimed epsilon"] == twin.epsilon


def test_those_that_are_loud_are_known():
    assert {twin.name for twin in BROKEN_MECHANISMS} > LOUD


def test_there_are_enough_for_a_table_and_each_says_what_is_wrong():
    assert len({twin.name for twin in BROKEN_MECHANISMS}) == len(BROKEN_MECHANISMS) >= 10
    for twin in BROKEN_MECHANISMS:
        assert twin.mistake
        assert twin.seen_in
        assert twin.mechanism is not twin.honest


def test_the_audits_table_has_a_row_for_each_twin_and_is_repeatable():
    twins = [replace(twin, trials=trials) for twin, trials in zip(BROKEN_MECHANISMS, (2_000, 3_000), strict=False)]
    table = broken.audit_all(iter(twins), rng=np.random.default_rng(2))
    assert list(table.columns) == ["name", "claimed epsilon", "trials", "bound found", "caught"]
    assert table["name"].tolist() == [twin.name for twin in twins]
    assert table["trials"].tolist() == [twin.trials for twin in twins]
    assert table["caught"].dtype == bool and table["bound found"].min() > 0
    again = broken.audit_all(twins, rng=np.random.default_rng(2))
    pd.testing.assert_frame_equal(table, again)


def test_every_mechanism_is_audited_by_default(monkeypatch):
    quickest = min(BROKEN_MECHANISMS, key=lambda twin: twin.trials)
    monkeypatch.setattr(broken, "BROKEN_MECHANISMS", [quickest])
    assert broken.audit_all()["name"].tolist() == [quickest.name]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mechanisms": [3]}, "mechanisms must hold BrokenMechanism only, got 3"),
        ({"mechanisms": [], "honest": "yes"}, "honest must be one of True, False, got 'yes'"),
        ({"mechanisms": [], "rng": 1}, "rng must be a numpy.random.Generator or None, got 1"),
    ],
)
def test_bad_input_is_named(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        broken.audit_all(**given)
