"""Releases of OpenDP, whose measurements compute their own claim: ``map(distance)``."""

import opendp.prelude as op
from release import Release

op.enable_features("contrib")

NUMBERS = op.vector_domain(op.atom_domain(T=float, nan=False)), op.symmetric_distance()
WORDS = op.vector_domain(op.atom_domain(T=str)), op.symmetric_distance()
TEN_NUMBERS = op.vector_domain(op.atom_domain(bounds=(0.0, 10.0)), size=10), op.symmetric_distance()
SCORES = op.vector_domain(op.atom_domain(T=int)), op.linf_distance(T=int, monotonic=True)
CANDIDATES = [2.0, 8.0]


def releases() -> list[Release]:
    """Return one release for each query."""
    count = NUMBERS >> op.t.then_count() >> op.m.then_laplace(scale=1.0)
    total = NUMBERS >> op.t.then_clamp((0.0, 10.0)) >> op.t.then_sum() >> op.m.then_laplace(scale=10.0)
    mean = TEN_NUMBERS >> op.t.then_mean() >> op.m.then_laplace(scale=1.0)
    categories = op.t.then_count_by_categories(categories=["a", "b"], null_category=False)
    histogram = WORDS >> categories >> op.m.then_laplace(scale=1.0)
    largest = op.m.make_noisy_max(*SCORES, op.max_divergence(), scale=1.0)
    scored = op.t.then_quantile_score_candidates(CANDIDATES, 0.5)
    median = NUMBERS >> scored >> op.m.then_noisy_max(op.max_divergence(), scale=2.0)

    people = [5.0] * 10
    ends = {"one": [10.0, *[0.0] * 9], "zero": [0.0] * 10}
    lower = [0.0, 5.0, 5.0]  # a row at 10 more moves the scores of both candidates, in opposite directions
    return [
        described("count", "then_count, then_laplace", count, people, people[1:]),
        described("sum", "then_sum, then_laplace", total, [*people, 10.0], people, one=[0.0, 1.0], zero=[0.0]),
        described("mean", "then_mean, then_laplace", mean, [0.0, *people[1:]], [10.0, *people[1:]], 2, **ends),
        described("quantile", "then_quantile_score_candidates, then_noisy_max", median, lower, [*lower, 10.0]),
        described("histogram", "then_count_by_categories, then_laplace", histogram, list("aab"), list("ab")),
        described("noisy max", "make_noisy_max", largest, [1, 0], [1, 1]),
    ]


def described(query, function, measurement, data, neighbour, distance=1, **ends) -> Release:
    """Return a release with the claim that the measurement computes; a replaced row has distance 2."""
    return Release(
        package="opendp",
        function=function,
        query=query,
        relation={1: "add/remove", 2: "replace-one"}[distance],
        promise=f"map({distance}) of the measurement, under symmetric distance",
        run=measurement,
        data=data,
        neighbour=neighbour,
        epsilon=round(measurement.map(distance), 6),
        **ends,
    )
