"""PipelineDP on its local backend: plain Python, one process."""

import csv
import operator
from pathlib import Path

import pipeline_dp
from query import DELTA, EPSILON, MOST_PAGES, answer


def count(path: str) -> dict:
    """Count by page; the library splits epsilon and delta between the pages and the counts."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        visits = [(row["person"], row["page"]) for row in csv.DictReader(file)]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=MOST_PAGES,
        max_contributions_per_partition=1,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=operator.itemgetter(0),
        partition_extractor=operator.itemgetter(1),
        value_extractor=lambda visit: 1,
    )
    published = engine.aggregate(visits, params, extractors)
    accountant.compute_budgets()
    return {page: metrics.count for page, metrics in published}


if __name__ == "__main__":
    answer(count)
