"""OpenDP's Polars interface: one noisy count serves for the keys and for what is published."""

import opendp.prelude as odp
import polars as pl
from query import DELTA, EPSILON, MOST_PAGES, answer

odp.enable_features("contrib")


def count(path: str) -> dict:
    """Count by page; a person's first pages in the order of their names are kept (keep="sample" ends in an error)."""
    context = odp.Context.compositor(
        data=pl.scan_csv(path),
        privacy_unit=odp.unit_of(contributions=1, identifier=pl.col("person")),
        privacy_loss=odp.loss_of(epsilon=EPSILON, delta=DELTA),
        split_evenly_over=1,
    )
    query = (
        context.query()
        .truncate_per_group(1, by=["page"])
        .truncate_num_groups(MOST_PAGES, by=["page"], keep="first")
        .group_by("page")
        .agg(odp.len(signed=True).alias("people"))
    )
    return dict(query.release().collect().select("page", "people").iter_rows())


if __name__ == "__main__":
    answer(count)
