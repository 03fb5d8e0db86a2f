import itertools
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

UNIT = st.floats(0, 1)
# ---------------------------------------------------------------- propose-test-release


def released(n, bound, epsilon, delta, seed, trials=1):
    """Return how often the test passes for n values in [0, 1]."""
    setting = {"lower": 0, "upper": 1, "bound": bound, "epsilon": epsilon, "delta": delta}
    release = repeated(lambda rng: dp.propose_test_release_mean(np.zeros(n), **setting, rng=rng), trials, seed)
    return sum(mean is not None for mean in release)


def local_sensitivity_after(n, changes):
    """Return the bound on the local sensitivity of a mean in [0, 1] that holds up to so many changes away."""
    return max(1 / max(1, n + change) for change in range(-min(n, changes), changes + 1))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 12])
@pytest.mark.parametrize("bound", [0.05, 0.125, 0.15, 0.3, 0.5, 0.7, 0.999])
def test_distance_is_the_number_of_changes_to_a_high_local_sensitivity(n, bound):
    distance = next(k for k in itertools.count() if local_sensitivity_after(n, k) > bound)
    # Test and release get 60 each; thresholds half a step below and above the distance decide almost surely.
    for threshold, passes in [(distance - 0.5, 1), (distance + 0.5, 0)]:
        delta = math.exp(-60 * threshold) / 2
        if 0 < delta < 1:
            assert released(n, bound, 120, delta, seed=1) == passes


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ptr.dist.mean"))
def test_distance_agrees_with_the_reference(inputs, value, tolerance):
    # With the threshold at the distance half of the tests pass; 1 away it would be 3% more or less.
    n, epsilon, delta = inputs["n"], 2 * 0.056, math.exp(-0.056 * (value + tolerance)) / 2
    setting = {"lower": 0, "upper": inputs["u"], "bound": inputs["b"], "epsilon": epsilon, "delta": delta}
    values, trials = np.zeros(n), 12_000
    outcomes = repeated(lambda rng: dp.propose_test_release_mean(values, **setting, rng=rng), trials, 2)
    passed = sum(mean is not None for mean in outcomes)
    assert stats.binomtest(passed, trials, 0.5).pvalue > P_VALUE


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ptr.threshold"))
def test_threshold_agrees_with_the_reference(inputs, value, tolerance):
    # The total cost is twice the epsilon of the reference.  At bound 1/2 the distance of n values is n - 1.
    distance = math.floor(value)
    passes = math.exp(-(value + tolerance - distance) * inputs["eps"]) / 2
    trials = 4000
    passed = released(distance + 1, 0.5, 2 * inputs["eps"], inputs["delta"], seed=3, trials=trials)
    assert stats.binomtest(passed, trials, passes).pvalue > P_VALUE


@pytest.mark.parametrize(("delta", "passes"), [(0.01, 0.01), (0.3, 0.3), (0.5, 0.5), (0.8, 1 - 1 / 3.2)])
def test_a_test_that_must_fail_passes_with_probability_delta_at_most(delta, passes):
    passed = released(1, 0.01, 1.0, delta, seed=4, trials=5000)
    assert stats.binomtest(passed, 5000, passes).pvalue > P_VALUE


@given(st.lists(UNIT, min_size=1, max_size=8), UNIT)
def test_where_the_test_can_pass_the_local_sensitivity_is_within_the_bound(values, new):
    # The smallest bound at distance 1 or more is 1 / n; removing a row counts as well as adding one.
    n = len(values)
    threshold_at_half = math.exp(-60 * 0.5) / 2
    assert released(n, 1 / n, 120, threshold_at_half, seed=5) == 1
    assert n == 1 or released(n, 1 / n * (1 - 1e-9), 120, threshold_at_half, seed=5) == 0
    neighbours = [[*values, new], *(values[:i] + values[i + 1 :] for i in range(n))]
    means = [np.mean(neighbour) if neighbour else 0.5 for neighbour in neighbours]
    assert max(abs(mean - np.mean(values)) for mean in means) <= 1 / n + 1e-12


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ls.mean"))
def test_exact_local_sensitivity_of_the_reference_is_within_the_bound(inputs, value, tolerance):
    n = len(inputs["x"])
    assert value + tolerance <= inputs["u"] / n
    # At a bound just below u / n the distance is 0: the test passes with probability delta only.
    assert released(n, inputs["u"] / n * 0.999, 1.0, 1e-9, seed=6, trials=50) == 0


@pytest.mark.parametrize("bound", [100.0, 100.1, 1e300])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_bound_of_the_global_sensitivity_always_passes(bound, n):
    setting = {"lower": -50, "upper": 50, "bound": bound, "epsilon": 1.0, "delta": 1e-300}
    release = repeated(lambda rng: dp.propose_test_release_mean([20.0] * n, **setting, rng=rng), 200, 7)
    # Laplace noise of scale 2 bound / epsilon around the mean, or around the middle without any values.
    assert is_laplace((np.array(release) - (20 if n else 0)) / bound, 2.0)


def test_the_mean_of_no_values_is_the_middle():
    setting = {"lower": -10, "upper": 50, "bound": 60, "epsilon": EXACT, "delta": 1e-6}
    assert dp.propose_test_release_mean([], **setting) == pytest.approx(20, abs=1e-6)


def test_a_bound_near_0_never_passes():
    assert released(1000, 5e-324, 1.0, 1e-9, seed=8, trials=100) == 0


@pytest.mark.parametrize(("bound", "epsilon"), [(0.02, 1.0), (0.5, 4.0)])
def test_release_is_the_clipped_mean_with_laplace_noise(bound, epsilon):
    values = pd.Series([-1000.0, 10, 20, 3000] * 500)
    setting = {"lower": 0, "upper": 30, "bound": bound, "epsilon": epsilon, "delta": 1e-6}
    release = repeated(lambda rng: dp.propose_test_release_mean(values, **setting, rng=rng), 2000, 9)
    assert type(release[0]) is float
    assert is_laplace(np.array(release) - 15, 2 * bound / epsilon)


# ---------------------------------------------------------------- smooth sensitivity of the median


def by_the_definition(values, lower, upper, beta):
    """Return the smooth sensitivity from the formula of Nissim, Raskhodnikova and Smith, in O(n^2)."""
    x = [lower, *sorted(min(max(value, lower), upper) for value in values), upper]
    n = len(x) - 2
    m = (n + 1) // 2

    def at(i):
        return x[min(max(i, 0), n + 1)]

    def after(k):
        return max(at(m + t) - at(m + t - k - 1) for t in range(k + 2))

    return max(math.exp(-beta * k) * after(k) for k in range(n + 1))


def lower_median(values):
    return np.sort(values, axis=-1)[..., (np.shape(values)[-1] - 1) // 2]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("smooth.median"))
def test_smooth_sensitivity_agrees_with_the_reference(inputs, value, tolerance):
    found = dp.smooth_sensitivity_median(inputs["x"], lower=0, upper=inputs["L"], beta=inputs["beta"])
    assert type(found) is float
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@given(
    hnp.arrays(float, st.integers(1, 40), elements=st.one_of(st.floats(-5, 15), st.sampled_from([0, 3, 3.5, 10]))),
    st.floats(1e-4, 20),
)
def test_smooth_sensitivity_agrees_with_the_formula(values, beta):
    found = dp.smooth_sensitivity_median(values, lower=-1, upper=10, beta=beta)
    assert found == pytest.approx(by_the_definition(values, -1, 10, beta), rel=1e-12)


@pytest.mark.parametrize("beta", [1e-6, 0.003, 0.05, 1.0])
def test_smooth_sensitivity_of_many_values_agrees_with_the_formula(beta):
    values = np.concatenate([generator(10).exponential(10, 600), np.full(101, 8.0)])
    found = dp.smooth_sensitivity_median(values, lower=0, upper=100, beta=beta)
    assert found == pytest.approx(by_the_definition(values, 0, 100, beta), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("beta", [0.1, 0.7, 2.0])
def test_smooth_sensitivity_agrees_with_brute_force(n, beta):
    # From first principles, over all data sets with values 0, 1, 3 and 4: local sensitivities weighed by distance.
    grid = np.array([0, 1, 3, 4])
    data_sets = np.array(list(itertools.product(grid, repeat=n)))
    medians = lower_median(data_sets)
    distance = (data_sets[:, None, :] != data_sets[None, :, :]).sum(axis=2)
    change = abs(medians[:, None] - medians[None, :])
    local = np.where(distance == 1, change, 0).max(axis=1)
    smooth = (np.exp(-beta * distance) * local).max(axis=1)
    for values, expected in zip(data_sets[::7], smooth[::7], strict=True):
        found = dp.smooth_sensitivity_median(values, lower=0, upper=4, beta=beta)
        assert found == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=12), st.floats(0, 10), st.data(), st.floats(0.01, 5))
def test_smooth_sensitivity_is_smooth_and_covers_the_local_one(values, new, data, beta):
    neighbour = values.copy()
    neighbour[data.draw(st.integers(0, len(values) - 1))] = new
    one, other = (dp.smooth_sensitivity_median(v, lower=0, upper=10, beta=beta) for v in (values, neighbour))
    assert one <= math.exp(beta) * other * (1 + 1e-12)
    assert other <= math.exp(beta) * one * (1 + 1e-12)
    assert abs(lower_median(values) - lower_median(neighbour)) <= min(one, other) * (1 + 1e-12)


def test_smooth_sensitivity_at_the_ends():
    # The first term, the local sensitivity, alone: it must be part of the maximum.
    assert dp.smooth_sensitivity_median([1, 2, 4, 7, 8], lower=0, upper=10, beta=1e308) == 3.0
    # The last term alone: all values are equal, and it takes n / 2 replacements to move the median.
    assert dp.smooth_sensitivity_median([5] * 5, lower=0, upper=10, beta=1e-300) == 10.0
    assert dp.smooth_sensitivity_median([0] * 5, lower=0, upper=10, beta=0.01) == pytest.approx(
        10 * math.exp(-0.01 * 2), rel=1e-12
    )
    # Too small for a float.
    assert dp.smooth_sensitivity_median([5] * 10_001, lower=0, upper=10, beta=1.0) == 0.0


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("smooth.beta"))
@pytest.mark.parametrize("n", [201, 200])
def test_private_median_adds_laplace_noise_of_the_reference(inputs, value, tolerance, n):
    values = np.sort(generator(11).uniform(-20, 120, n))
    median = np.clip(values, 0, 100)[(n - 1) // 2]
    # The reference is the textbook's beta, epsilon / (2 ln(2 / delta)); ours is ln(1 + that), right for every epsilon.
    smooth = dp.smooth_sensitivity_median(values, lower=0, upper=100, beta=math.log1p(value + tolerance))
    setting = {"lower": 0, "upper": 100, "epsilon": inputs["eps"], "delta": inputs["delta"]}
    # The very noise of the Laplace mechanism, so that a small difference in beta shows.
    unit = dp.laplace_mechanism(0.0, sensitivity=1, epsilon=1, rng=generator(12))
    noise = dp.private_median(values, **setting, rng=generator(12)) - median
    assert noise == pytest.approx(2 * smooth / inputs["eps"] * unit, rel=1e-9)
    release = repeated(lambda rng: dp.private_median(values, **setting, rng=rng), 1000, 12)
    assert type(release[0]) is float
    assert is_laplace(np.array(release) - median, 2 * smooth / inputs["eps"])


def test_private_median_of_equal_values_is_that_value():
    assert dp.private_median([5.0] * 10_001, lower=0, upper=10, epsilon=50, delta=1e-5, rng=generator(13)) == 5.0
    assert dp.private_median([50.0], lower=0, upper=10, epsilon=EXACT, delta=1e-300) == pytest.approx(10, abs=1e-6)


def least_delta(centre, scale, other_centre, other_scale, epsilon):
    """Return the smallest delta that holds at epsilon for these two Laplace distributions, one way round, exactly.

    Between and beyond the centres the log of the ratio of the densities is a straight line: it crosses epsilon once
    at most in each of the three pieces, and delta is the sum of P - e^epsilon Q over the parts above.
    """

    def excess(y):
        here, there = abs(y - centre) / scale, abs(y - other_centre) / other_scale
        return there - here + math.log(other_scale / scale) - epsilon

    def share(low, high, middle, width):
        law = stats.laplace(middle, width)
        return law.sf(low) - law.sf(high) if low >= middle else law.cdf(high) - law.cdf(low)

    inner = sorted({centre, other_centre})
    far = 800 * (scale + other_scale) + abs(centre - other_centre)
    delta = 0.0
    for low, high in itertools.pairwise([inner[0] - far, *inner, inner[-1] + far]):
        at_low, at_high = excess(low), excess(high)
        ends = [low, high]
        if (at_low > 0) != (at_high > 0):
            ends.insert(1, low + (high - low) * at_low / (at_low - at_high))
        for a, b in itertools.pairwise(ends):
            if excess((a + b) / 2) > 0:
                delta += share(a, b, centre, scale) - math.exp(epsilon) * share(a, b, other_centre, other_scale)
    return delta


def spent(values, neighbour, upper, epsilon, delta):
    """Return the exact delta, at epsilon, of `private_median` on two neighbours, the worse way round."""
    laws = []
    for table in (values, neighbour):
        # The same stream of random numbers shows the scale; the centre is the median.
        median, unit = (
            float(lower_median(table)),
            dp.laplace_mechanism(0.0, sensitivity=1, epsilon=1, rng=generator(19)),
        )
        setting = {"lower": 0, "upper": upper, "epsilon": epsilon, "delta": delta}
        laws.append((median, (dp.private_median(table, **setting, rng=generator(19)) - median) / unit))
    (one, wide), (other, narrow) = laws
    return max(least_delta(one, wide, other, narrow, epsilon), least_delta(other, narrow, one, wide, epsilon))


def test_least_delta_is_known_for_one_scale():
    # A shift of d scales: 1 - e^((epsilon - d) / 2) for epsilon below d, else 0.
    for d, epsilon in [(1.0, 0.3), (4.0, 1.0), (2.0, 1.999)]:
        expected = 1 - math.exp((epsilon - d) / 2)
        assert least_delta(0, 2.0, 2 * d, 2.0, epsilon) == pytest.approx(expected)
        assert least_delta(2 * d, 2.0, 0, 2.0, epsilon) == pytest.approx(expected)
    assert least_delta(0, 1.0, 1.0, 1.0, 1.001) == 0


@pytest.mark.parametrize(("upper", "epsilon", "delta"), [(28.51, 20, 0.1), (6.635, 20, 0.01), (7.431, 12, 0.1)])
def test_private_median_keeps_its_delta_at_large_epsilon(upper, epsilon, delta):
    # With beta = epsilon / (2 ln(2 / delta)) these neighbours spend 4.2, 3.2 and 1.09 times delta.
    values, neighbour = [0, 0, 1, upper, upper], [0, 0, 0, 1, upper]
    assert spent(values, neighbour, upper, epsilon, delta) < delta / 2


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0, 100.0]), min_size=1, max_size=9),
    st.sampled_from([0.0, 1.0, 100.0]),
    st.sampled_from([0.1, 1.0, 5.0, 12.0, 40.0]),
    st.sampled_from([0.5, 0.1, 1e-3, 1e-6]),
)
def test_private_median_keeps_its_promise(values, new, epsilon, delta):
    assert spent(values, [new, *values[1:]], 100.0, epsilon, delta) <= delta


@pytest.mark.parametrize("epsilon", sample([0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 12.0, 20.0, 40.0], 3))
@pytest.mark.parametrize("delta", [0.5, 0.1, 1e-2, 1e-6])
def test_beta_keeps_delta_for_the_worst_scales_and_shifts(epsilon, delta):
    # Centres at most min(S, S') apart, scales that differ by e^beta at most: nothing else is known of neighbours.
    reach = math.exp(math.log1p(epsilon / (2 * math.log(2 / delta))))
    scales = [1.0, reach**0.5, reach]
    for (one, other), shift in itertools.product(itertools.product(scales, repeat=2), np.linspace(0, 1, 11)):
        moved = shift * min(one, other)
        assert least_delta(0, 2 * one / epsilon, moved, 2 * other / epsilon, epsilon) <= delta


# ---------------------------------------------------------------- sample and aggregate


def chunks_of(values, chunks, seed, **kwargs):
    """Return the chunks that the statistic was called with."""
    seen = []

    def statistic(chunk):
        seen.append(chunk)
        return 0.5

    dp.sample_and_aggregate(
        values, statistic, chunks=chunks, lower=0, upper=1, epsilon=1.0, rng=generator(seed), **kwargs
    )
    return seen


@pytest.mark.parametrize("chunks", [1, 2, 7, 300, 70_000])
def test_every_row_is_in_one_chunk_in_its_order(chunks):
    seen = chunks_of(np.arange(1000), chunks, seed=14)
    assert len(seen) <= chunks
    assert all(chunk.size and (np.diff(chunk) > 0).all() for chunk in seen)
    assert np.array_equal(np.sort(np.concatenate(seen)), np.arange(1000))


@pytest.mark.parametrize("chunks", [2, 5, 256])
def test_rows_are_assigned_uniformly_and_independently(chunks):
    # Whether neighbours in the table meet in a chunk, and how large the chunk of row 0 is.
    trials, rows = 1000, 20
    together = alone = 0
    for seed in range(trials):
        own = next(chunk for chunk in chunks_of(np.arange(rows), chunks, seed=seed) if chunk[0] == 0)
        together += 1 in own
        alone += own.size == 1
    assert stats.binomtest(together, trials, 1 / chunks).pvalue > P_VALUE
    assert stats.binomtest(alone, trials, (1 - 1 / chunks) ** (rows - 1)).pvalue > P_VALUE


def test_adding_a_row_leaves_the_others_where_they_are():
    # With the same stream of random numbers each row keeps its chunk when one comes behind it.
    one, other = (chunks_of(np.arange(n), 4, seed=15) for n in (50, 51))
    assert [chunk[chunk < 50].tolist() for chunk in other] == [chunk.tolist() for chunk in one]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("saa.chunks"))
def test_there_are_as_many_chunks_as_the_divisor_says(inputs, value, tolerance):
    # Slices of ceil(n / k) rows would make fewer than k, and cost that many times epsilon; here k is exact.
    slices_cost = value[2]
    assert slices_cost == pytest.approx(inputs["k"] / value[1], rel=0, abs=tolerance)
    seen = chunks_of(np.zeros(inputs["n"]), inputs["k"], seed=16)
    empty = inputs["k"] * (1 - 1 / inputs["k"]) ** inputs["n"]
    assert abs(len(seen) - (inputs["k"] - empty)) <= 6 * math.sqrt(empty)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], np.ndarray),
        (np.array([1, 2, 3]), np.ndarray),
        (np.ones((3, 2)), np.ndarray),
        (pd.Series([1, 2, 3], index=["a", "b", "c"]), pd.Series),
        (pd.DataFrame({"x": [1, 2], "y": [3, 4]}, index=["a", "b"]), pd.DataFrame),
    ],
)
def test_statistic_gets_rows_of_the_type_of_the_values(values, kind):
    (only,) = chunks_of(values, 1, seed=17)
    assert isinstance(only, kind)
    assert np.array_equal(only, values)
    if kind in (pd.Series, pd.DataFrame):
        assert only.index.equals(values.index)


@pytest.mark.parametrize(("chunks", "epsilon"), [(1, 1.0), (4, 0.5), (50, 2.0)])
def test_release_is_the_mean_of_the_clipped_answers_with_laplace_noise(chunks, epsilon):
    values = np.full(1000, 70.0)
    setting = {"chunks": chunks, "lower": -20, "upper": 40, "epsilon": epsilon}
    release = repeated(lambda rng: dp.sample_and_aggregate(values, np.mean, **setting, rng=rng), 1000, 18)
    assert type(release[0]) is float
    assert is_laplace(np.array(release) - 40, 60 / chunks / epsilon)


def test_an_empty_chunk_counts_with_the_middle():
    setting = {"lower": 0, "upper": 40, "epsilon": EXACT}
    assert dp.sample_and_aggregate([], np.mean, chunks=3, **setting) == pytest.approx(20, abs=1e-6)
    # One chunk of four has the row, whichever it is.
    for seed in range(20):
        mean = dp.sample_and_aggregate([8.0], np.mean, chunks=4, **setting, rng=generator(seed))
        assert mean == pytest.approx(17, abs=1e-6)
    # A table without rows.
    assert dp.sample_and_aggregate(np.ones((0, 2)), np.mean, chunks=1, **setting) == pytest.approx(20, abs=1e-6)


@pytest.mark.parametrize("statistic", [lambda chunk: math.nan, lambda chunk: math.inf, lambda chunk: None, np.sort])
def test_a_statistic_without_an_answer_is_an_error(statistic):
    with pytest.raises((TypeError, ValueError), match=r"^statistic must be a (finite )?number, got"):
        dp.sample_and_aggregate([1.0, 2.0], statistic, chunks=2, lower=0, upper=1, epsilon=1)
