import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_numbers import EXACT, P_VALUE, generator, is_laplace, repeated
from reference import reference
from scipy import stats
from thorough import sample

import dp_helpers as dp
from dp_helpers import queries

NUMBERS = st.floats(-1e6, 1e6)
BOUNDS = st.tuples(NUMBERS, NUMBERS).filter(lambda pair: pair[0] < pair[1])


# ---------------------------------------------------------------- clipping


@given(st.lists(NUMBERS), BOUNDS.filter(lambda pair: pair[1] - pair[0] >= 1e-300))
def test_clip_moves_what_is_outside_to_the_nearest_bound(values, bounds):
    clipped = dp.clip(values, *bounds)
    for value, result in zip(values, clipped, strict=True):
        assert result == min(max(value, bounds[0]), bounds[1])
    assert np.array_equal(dp.clip(clipped, *bounds), clipped)


def test_clip_keeps_types_and_labels():
    assert type(dp.clip(200, 0, 100)) is float
    assert dp.clip(np.float64(-1), 0, 100) == 0.0
    assert dp.clip(np.arange(24).reshape(2, 3, 4), 0, 100).shape == (2, 3, 4)
    series = pd.Series([-1, 50, 200], index=["a", "b", "c"], name="age")
    expected = pd.Series([0.0, 50.0, 100.0], index=["a", "b", "c"], name="age")
    pd.testing.assert_series_equal(dp.clip(series, 0, 100), expected)
    frame = pd.DataFrame({"x": [-1, 200], "y": [50, 0]}, index=["a", "b"])
    expected = pd.DataFrame({"x": [0.0, 100.0], "y": [50.0, 0.0]}, index=["a", "b"])
    pd.testing.assert_frame_equal(dp.clip(frame, 0, 100), expected)
    assert series.tolist() == [-1, 50, 200]


@given(
    hnp.arrays(float, st.tuples(st.integers(0, 5), st.integers(1, 4)), elements=st.floats(-1e300, 1e300)),
    st.floats(1e-3, 1e3),
    st.sampled_from([1, 2, np.inf]),
)
def test_clip_norm_shortens_the_long_rows_only(vectors, bound, order):
    clipped = dp.clip_norm(vectors, bound, ord=order)
    for row, result in zip(vectors, clipped, strict=True):
        norm = max(abs(row)) * np.linalg.norm(row / max(*abs(row), 1e-300), ord=order) if row.any() else 0.0
        if norm <= bound * (1 - 1e-12):
            assert np.array_equal(result, row)
        else:
            assert np.linalg.norm(result, ord=order) == pytest.approx(bound, rel=1e-12)
            scaled = row / max(abs(row))  # the direction stays
            assert result / max(abs(result)) == pytest.approx(scaled, rel=1e-9)


def test_clip_norm_keeps_frames_and_the_input():
    frame = pd.DataFrame({"x": [3, 0], "y": [4, 0]}, index=["a", "b"])
    expected = pd.DataFrame({"x": [0.6, 0.0], "y": [0.8, 0.0]}, index=["a", "b"])
    pd.testing.assert_frame_equal(dp.clip_norm(frame, 1), expected)
    assert frame["x"].tolist() == [3, 0]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("sum.sens"))
def test_sum_uses_the_add_remove_sensitivity(inputs, value, tolerance):
    lower, upper = inputs["l"], inputs["u"]
    add_remove = value[0]
    noise = repeated(lambda rng: dp.private_sum([], lower=lower, upper=upper, epsilon=1.0, rng=rng), 4000, 1)
    assert is_laplace(noise, add_remove)


# ---------------------------------------------------------------- what comes out


@pytest.mark.parametrize(
    "data",
    [
        [1, 2, 3],
        ("a", "b", "c"),
        np.zeros((3, 2)),
        np.zeros((3, 1), dtype=bool),  # rows of booleans, not a condition
        pd.Series(["x", None, "y"]),
        pd.DataFrame({"x": [1, 2, None]}),
        pd.Index([1, 2, 3]),
        [[1], [1, 2], []],
    ],
    ids=["list", "tuple", "array", "booleans", "series", "frame", "index", "ragged"],
)
def test_count_counts_rows(data):
    count = dp.private_count(data, epsilon=EXACT, rng=generator(2))
    assert type(count) is float
    assert round(count, 6) == 3


def test_a_count_has_laplace_noise_of_scale_one_by_epsilon():
    assert is_laplace(np.array(repeated(lambda rng: dp.private_count([0] * 7, epsilon=0.5, rng=rng), 4000, 3)) - 7, 2.0)


@pytest.mark.parametrize(("lower", "upper", "scale"), [(20, 80, 160), (-5, 5, 10), (-80, -20, 160), (0, 1, 2)])
def test_sum_is_the_clipped_sum_plus_laplace_noise(lower, upper, scale):
    values = pd.Series([-100.0, 0.5, 30, 1000])
    exact = sum(min(max(value, lower), upper) for value in values)
    release = repeated(lambda rng: dp.private_sum(values, lower=lower, upper=upper, epsilon=0.5, rng=rng), 4000, 4)
    assert is_laplace(np.array(release) - exact, scale)


def test_sum_of_float32_values_is_exact():
    # A running sum in float32 stays at 2^24 whatever small values follow.
    values = np.array([2**24, *[1.5] * 1000], dtype=np.float32)
    total = dp.private_sum(values, lower=0, upper=2**25, epsilon=1e12, rng=generator(21))
    assert total == pytest.approx(2**24 + 1500, abs=0.1)


def test_sum_of_booleans_counts_true():
    assert round(dp.private_sum(np.array([True, False, True]), lower=0, upper=1, epsilon=EXACT), 6) == 2


def test_mean_is_the_clipped_mean():
    values = pd.Series([-100, 30, 40, 1000])
    assert dp.private_mean(values, lower=0, upper=100, epsilon=EXACT) == pytest.approx((0 + 30 + 40 + 100) / 4)


@pytest.mark.parametrize("mean", [10.0, 50.0, 100.0, 190.0])
def test_mean_has_the_error_of_an_equal_split(mean):
    n, epsilon, runs = 1000, 10.0, 6000
    values = np.full(n, mean)
    noisy = repeated(lambda rng: dp.private_mean(values, lower=0, upper=200, epsilon=epsilon, rng=rng), runs, 5)
    # First order in 1/n: Laplace noise of scales 2 half / epsilon and 2 / epsilon, the latter times the offset.
    half, offset = 100, mean - 100
    sd = math.sqrt(2) * 2 / epsilon * math.hypot(half, offset) / n
    assert abs(np.mean(noisy) - mean) < 5.5 * sd / math.sqrt(runs) + half / n / epsilon / 100
    # The variance of a sample variance of Laplace draws is at most 5 sd^4 / runs.
    assert np.var(noisy) == pytest.approx(sd**2, rel=5.5 * math.sqrt(5 / runs) + 0.01)


def test_the_parts_of_a_mean_cost_epsilon_together(monkeypatch):
    """Sequential composition: the noisy sum and the noisy count cost epsilon together, even to one who sees both."""
    spent = []

    def noted(value, *, sensitivity, epsilon, rng):
        spent.append((sensitivity, epsilon))
        return dp.laplace_mechanism(value, sensitivity=sensitivity, epsilon=epsilon, rng=rng)

    monkeypatch.setattr(queries, "laplace_mechanism", noted)
    dp.private_mean([3.0, 150.0], lower=0, upper=200, epsilon=1.25, rng=generator(24))
    assert sorted(sensitivity for sensitivity, _ in spent) == [1, 100]
    assert sum(epsilon for _, epsilon in spent) == pytest.approx(1.25, rel=1e-12)


def test_mean_keeps_its_side_when_the_noisy_count_is_negative():
    # The result is above the middle exactly when the centred noisy sum, 50 + Lap(100), is above 0.
    noisy = repeated(lambda rng: dp.private_mean([100.0], lower=0, upper=100, epsilon=1.0, rng=rng), 4000, 20)
    above = 1 - math.exp(-0.5) / 2
    assert (np.array(noisy) > 50).mean() == pytest.approx(above, abs=5.5 * math.sqrt(above * (1 - above) / 4000))


def test_mean_moves_with_the_data():
    values = generator(6).uniform(0, 100, 50)
    here = dp.private_mean(values, lower=0, upper=100, epsilon=1.0, rng=generator(7))
    there = dp.private_mean(values + 1000, lower=1000, upper=1100, epsilon=1.0, rng=generator(7))
    assert there == pytest.approx(here + 1000)


@pytest.mark.parametrize("values", [[], [25.0], [10.0, 20.0]])
def test_mean_stays_between_the_bounds(values):
    noisy = repeated(lambda rng: dp.private_mean(values, lower=10, upper=30, epsilon=0.01, rng=rng), 2000, 8)
    assert min(noisy) == 10
    assert max(noisy) == 30


def test_histogram_has_the_public_categories_in_their_order():
    values = pd.Series(["b", "c", "b"], name="answer")
    counts = dp.private_histogram(values, categories=["c", "a", "b"], epsilon=EXACT, rng=generator(9))
    expected = pd.Series([1.0, 0.0, 2.0], index=pd.Index(["c", "a", "b"], name="answer"), name="count")
    pd.testing.assert_series_equal(counts.round(6), expected, check_exact=True)


@pytest.mark.parametrize(
    ("values", "categories", "expected"),
    [
        ([], ["a", "b"], [0, 0]),
        ([1, 1, 3], range(4), [0, 2, 0, 1]),
        ([1.0, 2.0], np.array([2, 1]), [1, 1]),
        ([True, False, True], [False, True], [1, 2]),
        ([1, "a", 1], ["a", 1], [1, 2]),
        (pd.Series(["a", "b"], dtype="category"), pd.Index(["b", "a"]), [1, 1]),
        ([("x", 1), ("y", 2)], [("y", 2), ("x", 1), ("x", 2)], [1, 1, 0]),
        ([0.5, 1, 2.5], pd.interval_range(0, 3), [2, 0, 1]),
    ],
    ids=["empty", "range", "floats", "booleans", "mixed", "categorical", "tuples", "intervals"],
)
def test_histogram_of_answers_of_any_kind(values, categories, expected):
    counts = dp.private_histogram(values, categories=categories, epsilon=EXACT, rng=generator(10))
    assert counts.round(6).tolist() == expected


def test_histogram_noise_is_independent_laplace():
    d = 50_000
    noise = dp.private_histogram([], categories=range(d), epsilon=0.25, rng=generator(11)).to_numpy()
    assert is_laplace(noise, 4.0)
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 5.5 / math.sqrt(d - 1)


def test_crosstab_counts_pairs():
    people = pd.DataFrame({"sex": ["F", "M", "F", "F"], "married": [1, 0, 0, 1]}, index=[7, 3, 1, 2])
    table = dp.private_crosstab(
        people["sex"], people["married"], row_categories=["M", "F", "X"], column_categories=[0, 1], epsilon=EXACT
    )
    expected = pd.crosstab(people["sex"], people["married"]).reindex(["M", "F", "X"], fill_value=0).astype(float)
    pd.testing.assert_frame_equal(table.round(6), expected, check_exact=True)


def test_crosstab_noise_is_laplace():
    table = dp.private_crosstab(
        [], [], row_categories=range(200), column_categories=range(150), epsilon=0.25, rng=generator(12)
    )
    assert table.shape == (200, 150)
    assert is_laplace(table, 4.0)


def quantile_cdf(values, quantile, lower, upper, epsilon):
    """Return the distribution function of the exponential mechanism, from its definition, on a fine grid."""
    grid = np.linspace(lower, upper, 200_001)
    cells = (grid[1:] + grid[:-1]) / 2
    below = (np.clip(values, lower, upper)[:, None] < cells).sum(axis=0)
    density = np.exp(-epsilon * abs(below - quantile * len(values)) / (2 * max(quantile, 1 - quantile)))
    cumulative = np.concatenate([[0], np.cumsum(density)]) / density.sum()
    return lambda points: np.interp(points, grid, cumulative)


@pytest.mark.parametrize("quantile", sample([0, 0.25, 0.5, 0.9, 1], 3))
@pytest.mark.parametrize(
    "values",
    [[], [5], [1, 2, 4, 8], [-3, 2, 2, 2, 7, 40], [2, 2, 2], [0, 0, 10, 10]],
    ids=lambda values: str(len(values)),
)
def test_quantile_is_the_exponential_mechanism(values, quantile):
    drawn = repeated(
        lambda rng: dp.private_quantile(values, quantile, lower=0, upper=10, epsilon=1.0, rng=rng), 3000, 13
    )
    cdf = quantile_cdf(np.array(values, dtype=float), quantile, 0, 10, 1.0)
    assert stats.kstest(drawn, cdf).pvalue > P_VALUE


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.75])
def test_quantile_is_close_with_many_values(quantile):
    values = generator(14).normal(50, 10, 100_000)
    noisy = dp.private_quantile(values, quantile, lower=0, upper=100, epsilon=1.0, rng=generator(15))
    # P[rank off by t or more] <= ratio of lengths e^(-epsilon t / 2): beyond 200 it is below 1e-6.
    assert abs((values < noisy).mean() - quantile) < 200 / values.size


def test_quantile_with_extreme_epsilon_and_ties_is_finite():
    values = np.repeat([10.0, 20.0, 30.0], [40_000, 50_000, 10_000])
    noisy = dp.private_quantile(values, 0.6, lower=0, upper=100, epsilon=1e6, rng=generator(16))
    # 40,000 values lie below (10, 20) and 90,000 below (20, 30): rank 60,000 is nearer the former.
    assert 10 <= noisy <= 20
    close = np.array([50.0, np.nextafter(50.0, 100)])
    noisy = dp.private_quantile(close, 0.5, lower=0, upper=100, epsilon=1e6, rng=generator(17))
    assert noisy in close


# ---------------------------------------------------------------- bad input


def test_errors_give_advice():
    with pytest.raises(TypeError, match=r"pass data\[condition\]"):
        dp.private_count(pd.Series([30, 50]) > 40, epsilon=1)
    with pytest.raises(ValueError, match=r"values must hold answers of the categories only, got 'z' \(1 such\)"):
        dp.private_histogram(["a", "z"], categories=["a"], epsilon=1)
    both = pd.Series(["a", "b"])
    with pytest.raises(ValueError, match="columns must have the index of rows"):
        dp.private_crosstab(both, both[::-1], row_categories=["a", "b"], column_categories=["a", "b"], epsilon=1)


@pytest.mark.parametrize("release", [dp.private_sum, dp.private_mean])
@pytest.mark.parametrize("values", [[], [1e308], [1e308, 1e308]])
def test_bounds_whose_sums_overflow_are_refused_whatever_the_data(release, values):
    with pytest.raises(ValueError, match="lower and upper must be at most 1e280 in size"):
        release(values, lower=0, upper=1.7e308, epsilon=1)


def test_whole_numbers_beyond_floats_are_refused():
    with pytest.raises(ValueError, match="values must hold finite numbers only"):
        dp.private_sum([10**400], lower=0, upper=1, epsilon=1)
