import math
from array import array
from collections import deque
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_numbers import P_VALUE, fits, generator
from reference import reference
from scipy import stats

import dp_helpers as dp


def stream(answers):
    yield from answers


# The two ways through the module: answers in memory, and answers that arrive one at a time.
every_form = pytest.mark.parametrize("form", [np.array, list, stream])


def halting_probabilities(answers, threshold_scale, answer_scale):
    """Return the chance to stop at each answer, and at none, for threshold 0: an integral over the noisy threshold."""
    z, step = np.linspace(-40 * threshold_scale, 40 * threshold_scale, 10_001, retstep=True)
    stays_below = {answer: stats.laplace.cdf(z, loc=answer, scale=answer_scale) for answer in set(answers)}
    going_on = stats.laplace.pdf(z, scale=threshold_scale) * step
    chances = []
    for answer in answers:
        chances.append((going_on * (1 - stays_below[answer])).sum())
        going_on = going_on * stays_below[answer]
    return np.array([*chances, going_on.sum()])


@pytest.mark.parametrize(
    "collection", [list, tuple, deque, partial(array, "d"), lambda answers: dict(enumerate(answers)).values()]
)
def test_a_missing_answer_in_a_collection_is_always_an_error(collection):
    """Also behind the answer that passes, which an iterator's wouldn't be reached for."""
    answers = [1e9, math.nan]
    for search in (dp.above_threshold, partial(dp.sparse, limit=1), partial(dp.numeric_sparse, limit=1)):
        with pytest.raises(ValueError, match="answers must hold finite numbers only"):
            search(collection(answers), threshold=0, epsilon=1)
        search(iter(answers), threshold=0, epsilon=1)


# ---------------------------------------------------------------- distribution


@every_form
@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "monotonic"), [(1.0, 1.0, False), (4.0, 3.0, False), (2.0, 1.0, True), (0.5, 0.2, True)]
)
def test_stops_with_the_probabilities_of_dwork_and_roth(form, epsilon, sensitivity, monotonic):
    answers = np.array([-3.0, 1.0, 0.0, -1.0, 2.0])
    setting = {"epsilon": epsilon, "sensitivity": sensitivity, "monotonic": monotonic}
    unit = sensitivity / epsilon
    # Monotonic answers get half the noise, the threshold does not.
    expected = halting_probabilities(answers, 2 * unit, 2 * unit if monotonic else 4 * unit)
    rng = generator(1)
    stops = [dp.above_threshold(form(answers + 7), threshold=7, **setting, rng=rng) for _ in range(3000)]
    assert fits(np.bincount([5 if stop is None else stop for stop in stops], minlength=6), expected)


@pytest.mark.parametrize("form", [np.array, stream])
def test_long_inputs_stop_with_the_right_probabilities(form):
    # Over several blocks; whether a block can hold a pass is decided by its largest noise.
    answers = np.tile([-30.0, -18.0, -24.0, -26.0], 600)
    expected = halting_probabilities(answers, 2.0, 4.0)
    rng = generator(2)
    stops = [dp.above_threshold(form(answers), threshold=0, epsilon=1.0, rng=rng) for _ in range(1000)]
    where = np.array([answers.size if stop is None else stop for stop in stops])
    # By position in bins of 1 to 600 answers, whose edges cut the blocks, and by answer.
    edges = np.array([0, 20, 100, 250, 256, 300, 500, 768, 1000, 1800, answers.size, answers.size + 1])
    assert fits(np.histogram(where, edges)[0], np.add.reduceat(expected, edges[:-1]))
    kinds = np.bincount(where[where < answers.size] % 4, minlength=4)
    assert fits(kinds, expected[:-1].reshape(-1, 4).sum(axis=0))


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("svt.sparse.scales"))
@pytest.mark.parametrize("form", [np.array, stream])
def test_sparse_restarts_with_the_scales_of_the_reference(inputs, value, tolerance, form):
    threshold_scale, answer_scale = value
    answers = np.array([6.0, -5.0, 12.0])
    # Each answer passes or not; behind a pass the next run starts afresh.
    at = [halting_probabilities(answers[start:], threshold_scale, answer_scale) for start in range(3)]
    expected = {
        (): at[0][3],
        (0,): at[0][0] * at[1][2],
        (1,): at[0][1] * at[2][1],
        (2,): at[0][2],
        (0, 1): at[0][0] * at[1][0] * at[2][1],
        (0, 2): at[0][0] * at[1][1],
        (1, 2): at[0][1] * at[2][0],
        (0, 1, 2): at[0][0] * at[1][0] * at[2][0],
    }
    assert sum(expected.values()) == pytest.approx(1, abs=1e-4 + tolerance)
    rng = generator(3)
    found = [
        tuple(dp.sparse(form(answers), threshold=0, limit=inputs["c"], epsilon=inputs["eps"], rng=rng))
        for _ in range(2000)
    ]
    assert set(found) <= set(expected)
    assert fits([found.count(indices) for indices in expected], list(expected.values()))


@every_form
def test_numeric_sparse_spends_eight_ninths_on_the_indices(form):
    answers = generator(4).uniform(-9, 1, 300)
    for seed in range(100):
        found = dp.numeric_sparse(form(answers), threshold=0, limit=1, epsilon=1.8, rng=generator(seed))
        same = dp.sparse(form(answers), threshold=0, limit=1, epsilon=1.6, rng=generator(seed))
        assert [index for index, _ in found] == same


def test_numeric_sparse_spends_one_ninth_on_the_answers():
    n = 20_000
    pairs = dp.numeric_sparse(iter([1e6] * n), threshold=0, limit=n, epsilon=2.0 * n, sensitivity=4, rng=generator(4))
    assert [index for index, _ in pairs] == list(range(n))
    noise = np.array([value for _, value in pairs]) - 1e6
    assert stats.kstest(noise, stats.laplace(scale=9 * n * 4 / (2.0 * n)).cdf).pvalue > P_VALUE
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 5.5 / math.sqrt(n)


@pytest.mark.parametrize("form", [np.array, stream])
@pytest.mark.parametrize(("limit", "epsilon", "sensitivity"), [(1, 1.0, 1.0), (3, 2.0, 0.5)])
def test_numeric_sparse_publishes_answers_with_fresh_noise(form, limit, epsilon, sensitivity):
    # Answers far below the threshold pass by luck of their noise; what is published must not show that luck.
    answers = np.full(4000, -24.0 * limit * sensitivity / epsilon)
    setting = {"threshold": 0, "limit": limit, "epsilon": epsilon, "sensitivity": sensitivity}
    rng = generator(5)
    noise = []
    for _ in range(800):
        pairs = dp.numeric_sparse(form(answers), **setting, rng=rng)
        noise += [value - answers[0] for _, value in pairs]
    assert len(noise) > 500
    scale = 9 * limit * sensitivity / epsilon
    assert stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue > P_VALUE


# ---------------------------------------------------------------- results


def test_an_answer_far_above_stops_and_none_far_below_does():
    answers = [0.0] * 1000 + [1e6] + [0.0] * 1000 + [1e6] * 3
    setting = {"threshold": 5e5, "epsilon": 1.0, "rng": generator(6)}
    for form in (np.array, list, stream):
        assert dp.above_threshold(form(answers), **setting) == 1000
        assert dp.above_threshold(form(answers[:1000]), **setting) is None
        assert dp.sparse(form(answers), **setting, limit=3) == [1000, 2001, 2002]
        assert dp.sparse(form(answers), **setting, limit=9) == [1000, 2001, 2002, 2003]
        assert [i for i, _ in dp.numeric_sparse(form(answers), **setting, limit=2)] == [1000, 2001]


@pytest.mark.parametrize("form", [np.array, list])
def test_every_place_in_and_between_blocks_is_looked_at(form):
    for place in [*range(0, 2000, 7), *range(253, 260), *range(765, 771), *range(1788, 1796)]:
        answers = [0.0] * 2000
        answers[place] = 1e6
        assert dp.above_threshold(form(answers), threshold=5e5, epsilon=1.0, rng=generator(place)) == place


@every_form
def test_no_answers_none_pass(form):
    assert dp.above_threshold(form([]), threshold=0, epsilon=1) is None
    assert dp.sparse(form([]), threshold=0, limit=2, epsilon=1) == []
    assert dp.numeric_sparse(form([]), threshold=0, limit=2, epsilon=1) == []


@pytest.mark.parametrize(
    "answers",
    [
        [0, 9, 0],
        (0, 9, 0),
        range(0, 18, 9),
        np.array([0, 9, 0]),
        np.array([False, True]),
        np.array([0, 9.0], dtype=object),
        pd.Series([0, 9, 0], index=[5, 0, 1]),
        pd.Series([0, 9], dtype="Int64"),
        pd.Index([0, 9]),
        iter([0, np.int64(9)]),
        iter(np.array([0.0, 9.0])),
        map(abs, [0, -9]),
    ],
)
def test_any_collection_in_order_will_do(answers):
    index = dp.above_threshold(answers, threshold=0.5, epsilon=1e6, rng=generator(7))
    assert index == 1
    assert type(index) is int


@pytest.mark.parametrize("form", [np.array, list, stream, pd.Series])
def test_results_are_python_numbers(form):
    pairs = dp.numeric_sparse(form([0, 9, 8]), threshold=5, limit=2, epsilon=1e9, rng=generator(8))
    assert [(type(index), type(value)) for index, value in pairs] == [(int, float)] * 2
    assert [index for index, _ in pairs] == [1, 2]
    assert [value for _, value in pairs] == pytest.approx([9, 8], abs=1e-5)
    assert all(type(index) is int for index in dp.sparse(form([9]), threshold=5, limit=1, epsilon=1e9))


def test_a_stream_is_read_no_further_than_needed():
    class Counter:
        def __init__(self):
            self.read = 0

        def __iter__(self):
            while True:  # it never ends
                self.read += 1
                yield 1e6 if self.read % 700 == 0 else 0.0

    setting = {"threshold": 5e5, "epsilon": 1.0, "rng": generator(9)}
    for release, read in [
        (lambda answers: dp.above_threshold(answers, **setting), 700),
        (lambda answers: dp.sparse(answers, **setting, limit=3), 2100),
        (lambda answers: dp.numeric_sparse(answers, **setting, limit=2), 1400),
    ]:
        answers = Counter()
        release(answers)
        assert answers.read == read


@pytest.mark.parametrize("answers", [{3.0, 4.0}, "34", 3.0])
def test_answers_without_an_order_are_called_by_their_type(answers):
    with pytest.raises(TypeError, match=f"^answers must be an ordered .*, got {type(answers).__name__}$"):
        dp.above_threshold(answers, threshold=0, epsilon=1)


def test_a_stream_is_read_to_the_last_pass_and_a_list_checked_whole():
    answers = [0.0, 1e9] + [0.0] * 1000 + [None]
    assert dp.above_threshold(stream(answers), threshold=1e8, epsilon=1, rng=generator(10)) == 1
    for search in (
        lambda rng: dp.above_threshold(answers, threshold=1e8, epsilon=1, rng=rng),
        lambda rng: dp.sparse(answers, threshold=1e8, limit=2, epsilon=1, rng=rng),
    ):
        rng = generator(10)
        with pytest.raises((TypeError, ValueError), match=r"^answers must"):
            search(rng)
        assert rng.bit_generator.state == generator(10).bit_generator.state
    with pytest.raises((TypeError, ValueError), match=r"^answers must"):
        dp.sparse(stream(answers), threshold=1e8, limit=2, epsilon=1, rng=generator(10))


@every_form
@given(st.lists(st.integers(-50, 50), max_size=20), st.integers(-10, 10), st.integers(0, 2**20))
def test_only_distances_to_the_threshold_in_units_of_sensitivity_count(form, answers, shift, seed):
    def stop(scale, shift):
        moved = [scale * (answer + shift) for answer in answers]
        setting = {"threshold": scale * shift, "sensitivity": scale, "epsilon": 0.5}
        return dp.above_threshold(form(moved), **setting, rng=generator(seed))

    assert stop(1, 0) == stop(4, shift)


@every_form
def test_large_numbers_do_not_round_the_noise_away(form):
    # The spacing of floats here is 16.
    rng = generator(11)
    stops = [dp.above_threshold(form([1e17, 1e17]), threshold=1e17, epsilon=1.0, rng=rng) for _ in range(2000)]
    expected = halting_probabilities([0.0, 0.0], 2.0, 4.0)
    assert fits(np.bincount([2 if stop is None else stop for stop in stops]), expected)


@every_form
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(1e-9, 1.0), (1.0, 1e9), (1e-300, 1.0), (1.0, 1e304)])
def test_much_noise_drowns_the_answers(form, epsilon, sensitivity):
    setting = {"threshold": 0, "epsilon": epsilon, "sensitivity": sensitivity}
    rng = generator(12)
    stops = [dp.above_threshold(form([-5.0]), **setting, rng=rng) for _ in range(1000)]
    assert stats.binomtest(stops.count(0), 1000, 0.5).pvalue > P_VALUE


@every_form
def test_little_noise_finds_the_first_answer_above(form):
    answers = [1e308, -1e308, 0.999, 1.001]
    assert dp.above_threshold(form(answers[1:]), threshold=1, epsilon=1e6, rng=generator(13)) == 2
    assert dp.sparse(form(answers), threshold=-1e308, limit=1, epsilon=1e3, rng=generator(14)) == [0]


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("svt.alpha"))
def test_accuracy_is_as_the_reference_says(inputs, value, tolerance):
    k, beta = inputs["k"], inputs["beta"]
    answers = np.append(np.full(k - 1, -value - tolerance), value + tolerance)
    rng = generator(15)
    stops = [dp.above_threshold(answers, threshold=0, epsilon=inputs["eps"], rng=rng) for _ in range(2000)]
    wrong = sum(stop != k - 1 for stop in stops)
    assert stats.binomtest(wrong, 2000, beta, alternative="greater").pvalue > P_VALUE


# ---------------------------------------------------------------- bad input


BAD_STREAMS = [[math.nan], [-math.inf], ["1"], [None], [True], [1j], [[1]]]
SPARSE = {"threshold": 1, "epsilon": 1, "limit": 2}
CALLS = {
    "above": (dp.above_threshold, {"threshold": 1, "epsilon": 1}),
    "sparse": (dp.sparse, SPARSE),
    "numeric": (dp.numeric_sparse, SPARSE),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", BAD_STREAMS)
def test_bad_answer_in_a_stream_is_refused_before_anything_is_drawn(name, wrong):
    function, parameters = CALLS[name]
    rng = generator(17)
    before = rng.bit_generator.state
    with pytest.raises((TypeError, ValueError), match=r"^answers must be a (finite )?number, got"):
        function(**{**parameters, "answers": stream(wrong)}, rng=rng)
    assert rng.bit_generator.state == before


# ---------------------------------------------------------------- privacy


def loss_of_stopping_last(data, neighbour, threshold_scale, answer_scale):
    chance = [halting_probabilities(answers, threshold_scale, answer_scale)[-2] for answers in (data, neighbour)]
    return abs(math.log(chance[0] / chance[1]))


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("svt.loss.nonmono"))
def test_the_scales_cost_exactly_epsilon(inputs, value, tolerance):
    # The laws that the goodness-of-fit tests above hold the samples to.
    k, unit = inputs["k"], 1 / inputs["eps"]
    zeros, ones = [0.0] * k, [1.0] * k
    assert loss_of_stopping_last([*zeros, 1], [*ones, 0], 2 * unit, 4 * unit) == pytest.approx(value, abs=1e-4)
    # Monotonic: the answers before the last rise, the last one stays.
    monotonic = loss_of_stopping_last([*zeros, 0], [*ones, 0], 2 * unit, 2 * unit)
    assert monotonic == pytest.approx(inputs["eps"], abs=1e-4 + tolerance)
    # Halving the noise of the threshold as well would break it.
    assert loss_of_stopping_last([*zeros, 0], [*ones, 0], unit, 2 * unit) > 1.49 * inputs["eps"]
