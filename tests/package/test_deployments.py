"""The table of what is promised in the world: every row is whole, agrees with itself, and is not older than it says."""

import pandas as pd
import pytest

import dp_helpers as dp

TABLE = dp.load_deployments()
CHOICES = {
    "period": {"once", "6 hours", "day", "week", "month", "not found"},
    "neighbours": {"add/remove", "replace-one", "not found"},
    "model": {"central", "local", "not found"},
    "status": {"primary source", "as registered"},
}
every_row = pytest.mark.parametrize("name", TABLE.index)


def test_the_table_is_read_fresh_and_has_a_row_for_each_name():
    assert 20 <= len(TABLE) <= 40 and TABLE.index.is_unique
    changed = dp.load_deployments()
    changed["epsilon"] = 0.0
    assert not changed.equals(dp.load_deployments())


@every_row
def test_no_field_is_missing(name):
    row = TABLE.loc[name]
    assert not row.drop(["epsilon", "delta", "rho"]).isna().any(), row
    assert pd.notna(row["epsilon"]) == pd.notna(row["delta"]), "an epsilon without its delta"
    assert pd.notna(row["epsilon"]) or pd.notna(row["rho"]), "no figure at all"
    for column, allowed in CHOICES.items():
        assert row[column] in allowed, column
    assert row["source"].count("http") + row["source"].count("arXiv") + row["source"].count("press release") >= 1 or (
        row["source"].startswith("doi:")
    )
    assert 2008 <= row["since"] <= row["looked_up"].year


@every_row
def test_figures_are_possible_and_agree_with_each_other(name):
    epsilon, delta, rho = TABLE.loc[name, ["epsilon", "delta", "rho"]]
    assert not epsilon <= 0 and not rho <= 0 and not (delta < 0 or delta > 1e-4)
    if pd.notna(epsilon) and pd.notna(rho):
        either = [dp.zcdp_to_dp(rho, delta=delta, tight=tight) for tight in (True, False)]
        assert min(abs(epsilon - one) for one in either) < 0.01, either  # both are rounded


@every_row
def test_it_was_looked_up_within_eighteen_months(name):
    """It turns red by the calendar, and on purpose: the pages print these figures as facts of today."""
    looked_up = TABLE.loc[name, "looked_up"]
    today = pd.Timestamp.today()
    assert looked_up <= today + pd.Timedelta(days=1), f"{name} was looked up in the future"
    assert looked_up >= today - pd.DateOffset(months=18), (
        f"{name} was last looked up on {looked_up:%d %B %Y}. Open its source ({TABLE.loc[name, 'source']}), compare "
        "the figures, correct what changed, and set looked_up in dp_helpers/data/deployments.csv to the day on which "
        "you did; a row whose source is gone is taken out, with what the chapters say of it. If you only want to know "
        "whether the rest is right: pytest -k 'not eighteen_months'."
    )
