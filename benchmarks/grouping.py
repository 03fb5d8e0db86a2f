"""Counts for people in a million visits, by the laws of the book's table: three pages of a person at most."""

import numpy as np
import opendp.prelude as odp
import polars as pl
from measure import Comparison, Contender

import dp_helpers as dp
from tools.make_visits import make_visits

odp.enable_features("contrib")
VISITS = make_visits(102_300)
FRAME = pl.from_dict({name: VISITS[name].to_list() for name in VISITS})
COLUMNS = {"person": "person", "group": "page", "most_groups": 3}
RNG = np.random.default_rng(9)


def comparisons():
    """Return the bound alone, then a private list of pages with the people on each."""
    yield Comparison(
        f"at most 3 pages of a person, 5 rows on each, {len(VISITS):,} visits",
        lambda: dp.bound_contributions(VISITS, **COLUMNS, most_rows=5, rng=RNG),
        [Contender("pandas groupby", _bounded_by_pandas)],
        Contender("pandas groupby, no bound", lambda: VISITS.groupby(["person", "page"]).size()),
        seconds=2,
    )
    yield Comparison(
        f"private list of pages and people on each, {len(VISITS):,} visits",
        _counted,
        [Contender("OpenDP's Polars", _counted_by_opendp)],
        Contender("pandas groupby, no privacy", lambda: VISITS.groupby("page")["person"].nunique()),
        seconds=2,
    )


def _bounded_by_pandas():
    pairs = VISITS.groupby(["person", "page"]).size().clip(upper=5).reset_index(name="visits")
    return pairs.sample(frac=1, random_state=RNG).groupby("person").head(3)


def _counted():
    keys = dp.select_keys(VISITS, **COLUMNS, epsilon=0.5, delta=1e-6, rng=RNG)
    return dp.private_group_counts(VISITS, **COLUMNS, keys=keys, epsilon=0.5, rng=RNG)


def _counted_by_opendp():
    context = odp.Context.compositor(
        data=FRAME.lazy(),
        privacy_unit=odp.unit_of(contributions=1, identifier=pl.col("person")),
        privacy_loss=odp.loss_of(epsilon=1.0, delta=1e-6),
        split_evenly_over=1,
    )
    bounded = context.query().truncate_per_group(1, by=["page"]).truncate_num_groups(3, by=["page"], keep="first")
    return bounded.group_by("page").agg(odp.len(signed=True)).release().collect()
