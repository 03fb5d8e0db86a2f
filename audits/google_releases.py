"""Releases of Google's C++ library by its Python wrapper python-dp, and of PipelineDP, which draws noise by it."""

import pipeline_dp
from pydp.algorithms import laplacian
from release import Release

BOUNDS = {"epsilon": 1.0, "lower_bound": 0, "upper_bound": 10, "dtype": "int"}
ADDED = '"in a differentially private manner", no neighbours named; l0 and linf limit what a user adds'
GROUPS = ["a", "b"]


def releases() -> list[Release]:
    """Return one release for each query that the wrapper has, and a count for each group by PipelineDP."""
    people, half = [5] * 10, [0, 0, 0, 10, 10, 10]
    return [
        by_wrapper("count", "Count", lambda: laplacian.Count(epsilon=1.0, dtype="int"), people, people[1:]),
        by_wrapper("sum", "BoundedSum", lambda: laplacian.BoundedSum(delta=0, **BOUNDS), [*people, 10], people),
        by_wrapper("mean", "BoundedMean", lambda: laplacian.BoundedMean(**BOUNDS), [0, 10], [0]),
        by_wrapper("quantile", "Median", lambda: laplacian.Median(**BOUNDS), [*half, 10], half),
        Release(
            package="pipeline-dp",
            function="DPEngine.aggregate, Metrics.COUNT",
            query="histogram",
            relation="add/remove",
            promise='epsilon and delta for all rows of a "privacy unit", which privacy_id_extractor names',
            run=counts,
            data=[(1, "a"), (2, "a"), (3, "b")],
            neighbour=[(1, "a"), (3, "b")],
            trials=4_000,
        ),
    ]


def by_wrapper(query, function, make, data, neighbour) -> Release:
    """Return a release by an algorithm that is made anew for each run, since one answers once."""
    return Release(
        "python-dp",
        f"laplacian.{function}",
        query,
        "add/remove",
        ADDED,
        lambda x: make().quick_result(x),
        data,
        neighbour,
    )


def counts(visits) -> dict:
    """Return a noisy count for each of two public groups, of rows (person, group)."""
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-9)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
    )
    parts = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: 1,
    )
    published = engine.aggregate(visits, params, parts, public_partitions=GROUPS)
    accountant.compute_budgets()
    return {group: metrics.count for group, metrics in sorted(published)}
