import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_numbers import P_VALUE, fits, generator
from reference import reference
from scipy import special, stats

import dp_helpers as dp

SCORES = hnp.arrays(float, st.integers(1, 8), elements=st.floats(-100, 100))
EPSILONS = st.floats(1e-3, 10)


def frequencies(select, n, seed, candidates):
    """Return how often each of 0, 1, ... comes out in n runs."""
    rng = generator(seed)
    return np.bincount([select(rng) for _ in range(n)], minlength=candidates)


# ---------------------------------------------------------------- probabilities


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("em.probs"))
def test_probabilities_agree_with_the_reference(inputs, value, tolerance):
    found = dp.exponential_probabilities(inputs["scores"], sensitivity=inputs["sensitivity"], epsilon=inputs["eps"])
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@given(SCORES, st.floats(0.01, 100), EPSILONS)
def test_odds_are_exponential_in_the_score(scores, sensitivity, epsilon):
    p = dp.exponential_probabilities(scores, sensitivity=sensitivity, epsilon=epsilon)
    assert p.sum() == pytest.approx(1)
    exponents = epsilon * (scores - scores.max()) / (2 * sensitivity)
    assert p == pytest.approx(p.max() * np.exp(exponents), rel=1e-9, abs=1e-300)
    monotonic = dp.exponential_probabilities(scores, sensitivity=sensitivity, epsilon=epsilon, monotonic=True)
    assert monotonic == pytest.approx(
        dp.exponential_probabilities(scores, sensitivity=sensitivity, epsilon=2 * epsilon), rel=1e-9
    )


def test_probabilities_keep_index_and_type():
    scores = pd.Series([1, 2], index=["a", "b"], name="score")
    expected = pd.Series(special.softmax([0.5, 1.0]), index=["a", "b"], name="score")
    pd.testing.assert_series_equal(dp.exponential_probabilities(scores, sensitivity=1, epsilon=1), expected)
    assert isinstance(dp.exponential_probabilities([1, 2], sensitivity=1, epsilon=1), np.ndarray)
    assert dp.exponential_probabilities([7], sensitivity=1, epsilon=1).tolist() == [1.0]


@pytest.mark.parametrize(
    ("scores", "sensitivity", "epsilon", "expected"),
    [
        ([1e308, -1e308, 1e308], 1, 1.0, [0.5, 0, 0.5]),
        ([1e304, -1e304], 1e304, 2.0, [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))]),
        ([2.0**900, 2.0**900 + 2.0**850], 2.0**850, 2.0, [1 / (1 + math.exp(1)), 1 / (1 + math.exp(-1))]),
        ([0.0, 1.0], 1, 1e-9, [0.5 - 1.25e-10, 0.5 + 1.25e-10]),
        ([0.0, 1.0], 1, 1e3, [math.exp(-500), 1]),
        ([0.0, 1.0], 1e-300, 1e3, [0, 1]),
        ([-1e308, 1e308], 1e-3, 1.0, [0, 1]),
        ([0.0, 1e-300], 1e-300, 2.0, [1 / (1 + math.exp(1)), 1 / (1 + math.exp(-1))]),
        # Counts divided by 1000 have sensitivity 1/1000: the best of them is then picked almost surely.
        (np.array([14_976, 10_683, 4_443]) / 1000, 1 / 1000, 1.0, [1, 0, 0]),
    ],
)
def test_extreme_scores_and_parameters_give_probabilities(scores, sensitivity, epsilon, expected):
    found = dp.exponential_probabilities(scores, sensitivity=sensitivity, epsilon=epsilon)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-200)


@given(hnp.arrays(float, st.integers(1, 5), elements=st.floats(-10, 10)), EPSILONS, st.data())
def test_no_pair_of_neighbours_exceeds_epsilon(scores, epsilon, data):
    for low, monotonic in [(-1, False), (0, True)]:
        change = data.draw(hnp.arrays(float, scores.size, elements=st.floats(low, 1)))
        pair = [
            dp.exponential_probabilities(s, sensitivity=1, epsilon=epsilon, monotonic=monotonic)
            for s in (scores, scores + change)
        ]
        assert abs(np.log(pair[0] / pair[1])).max() <= epsilon * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(("monotonic", "rest"), [(False, -1.0), (True, 0.0)])
def test_epsilon_is_nearly_reached_with_many_candidates(monotonic, rest):
    # One score rises; the others fall, or stay.
    data, neighbour = np.zeros(100_000), np.full(100_000, rest)
    neighbour[0] = 1
    p, q = (
        dp.exponential_probabilities(s, sensitivity=1, epsilon=1.0, monotonic=monotonic)[0] for s in (data, neighbour)
    )
    assert 0.9999 < math.log(q / p) <= 1.0


# ---------------------------------------------------------------- the exponential mechanism


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_draws_have_the_probabilities(epsilon, monotonic):
    setting = {"sensitivity": 2.0, "epsilon": epsilon, "monotonic": monotonic}
    scores = [0, 1, 2.5, -1, 2.5]
    expected = dp.exponential_probabilities(scores, **setting)
    many = dp.exponential_mechanism(range(5), scores, **setting, size=200_000, rng=generator(1))
    assert fits(np.bincount(many, minlength=5), expected)

    def single(rng):
        return dp.exponential_mechanism(range(5), scores, **setting, rng=rng)

    assert fits(frequencies(single, 2000, 2, 5), expected)


def test_draws_are_independent():
    draws = dp.exponential_mechanism([0, 1], [0, 1], sensitivity=1, epsilon=1, size=200_000, rng=generator(3))
    assert stats.chi2_contingency(pd.crosstab(draws[1:], draws[:-1])).pvalue > P_VALUE


def test_hopeless_candidates_are_never_drawn_whatever_their_place():
    scores = [-1e6, 0, -1e6, 0, -1e6]
    draws = dp.exponential_mechanism(range(5), scores, sensitivity=1, epsilon=1, size=10_000, rng=generator(4))
    assert set(draws) == {1, 3}


class Fixed(np.random.Generator):
    """A generator that draws one number for ever."""

    def __init__(self, number):
        super().__init__(np.random.PCG64(1))
        self.number = number

    def random(self, size=None):
        return self.number


@given(SCORES)
def test_the_smallest_and_the_largest_draw_are_candidates_with_a_chance(scores):
    setting = {"sensitivity": 1, "epsilon": 0.01}
    candidates = range(-1, scores.size + 1)
    hopeless_at_the_ends = [-1e9, *scores, -1e9]
    for number, expected in [(0.0, 0), (1 - 2**-53, scores.size - 1)]:
        drawn = dp.exponential_mechanism(candidates, hopeless_at_the_ends, **setting, rng=Fixed(number))
        assert drawn == expected


@pytest.mark.parametrize(
    ("candidates", "kind"),
    [
        (["a", "b"], str),
        (("a", "b"), str),
        (range(2), int),
        (np.array([1, 2]), int),
        (np.array(["a", "b"]), str),
        (np.array([True, False]), bool),
        (pd.Series([1, 2], index=["x", "y"]), int),
        (pd.Index(["a", "b"]), str),
        (pd.Categorical(["a", "b"]), str),
        (pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])), pd.Timestamp),
        ([(1, 2), (3, 4)], tuple),
        ([[1], [2]], list),
        ([None, 1], type(None)),
        ([np.zeros(2), np.ones(2)], np.ndarray),
        ([math.sin, math.cos], type(math.sin)),
    ],
)
def test_candidates_of_any_type_come_out_as_they_are(candidates, kind):
    setting = {"sensitivity": 1, "epsilon": 1000, "rng": generator(5)}
    one = dp.exponential_mechanism(candidates, [1, 0], **setting)
    same = dp.report_noisy_max(candidates, [1, 0], **setting)
    several = dp.exponential_mechanism(candidates, [1, 0], **setting, size=3)
    assert type(one) is type(same) is kind
    assert np.array_equal(one, same)
    assert isinstance(several, np.ndarray)
    assert several.shape == (3,)
    assert all(np.array_equal(item, one) or item == one for item in several)


@pytest.mark.parametrize(
    ("candidates", "dtype"),
    [([1, 2], "i"), ([1.0, 2.0], "f"), ([True, False], "b"), (["a", "b"], "U"), ([1, "a"], "O"), ([1, 2.5], "O")],
)
def test_several_draws_have_the_type_of_the_candidates(candidates, dtype):
    drawn = dp.exponential_mechanism(candidates, [1, 0], sensitivity=1, epsilon=1, size=20, rng=generator(6))
    assert drawn.dtype.kind == dtype
    assert set(drawn) == set(candidates)


# ---------------------------------------------------------------- report noisy max


def noisy_max(scores, epsilon, noise, monotonic=False, sensitivity=1.0):
    how = {"sensitivity": sensitivity, "epsilon": epsilon, "noise": noise, "monotonic": monotonic}

    def select(rng):
        return dp.report_noisy_max(range(len(scores)), scores, **how, rng=rng)

    return select


def laplace_max_probabilities(scores, scale):
    """Return the chance of each score to be the largest after Laplace noise, by numerical integration."""
    y = np.linspace(min(scores) - 40 * scale, max(scores) + 40 * scale, 200_001)
    below = [stats.laplace.cdf(y, loc=score, scale=scale) for score in scores]
    return [
        np.trapezoid(stats.laplace.pdf(y, loc=score, scale=scale) * math.prod(below[:i] + below[i + 1 :]), y)
        for i, score in enumerate(scores)
    ]


def permute_and_flip_probabilities(scores, epsilon):
    """Return the chances of permute-and-flip, from its definition: candidates in random order, each with a coin."""
    heads = np.exp(epsilon * (np.array(scores) - max(scores)) / 2)
    chances = np.zeros(len(scores))
    for order in itertools.permutations(range(len(scores))):
        reached = 1 / math.factorial(len(scores))
        for candidate in order:
            chances[candidate] += reached * heads[candidate]
            reached *= 1 - heads[candidate]
    return chances


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rnm.lap2"))
@pytest.mark.parametrize("monotonic", [False, True])
def test_laplace_noise_between_two_candidates_agrees_with_the_reference(inputs, value, tolerance, monotonic):
    # The scale b is 2 sensitivity / epsilon, without the 2 for monotonic scores.
    epsilon = (1 if monotonic else 2) * 3 / inputs["b"]
    n = 3000
    select = noisy_max([inputs["gap"], 0], epsilon, "laplace", monotonic, sensitivity=3)
    leads = frequencies(select, n, 7, 2)[0]
    assert stats.binomtest(int(leads), n, value + tolerance).pvalue > P_VALUE


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rnm.lap.nonmono.loss.g0"))
def test_half_the_noise_would_cost_more_than_epsilon_on_general_scores(inputs, value, tolerance):
    # monotonic=True is exactly Laplace noise of scale sensitivity / epsilon; here the scores are not monotonic.
    n = 3000
    chosen = [
        frequencies(noisy_max(scores, inputs["eps"], "laplace", True), n, 8, 2)[0] / n for scores in ([0, 0], [1, -1])
    ]
    spread = math.sqrt(sum((1 - p) / p / n for p in chosen))
    assert abs(math.log(chosen[1] / chosen[0]) - value) < 5.5 * spread + tolerance


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_laplace_noise_agrees_with_integration(epsilon):
    scores = [0, 1, 2.5, 2.5]
    expected = laplace_max_probabilities(scores, 2 / epsilon)
    assert sum(expected) == pytest.approx(1, abs=1e-6)
    assert fits(frequencies(noisy_max(scores, epsilon, "laplace"), 3000, 9, 4), expected / np.sum(expected))


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_gumbel_noise_is_the_exponential_mechanism(epsilon, monotonic):
    scores = [0, 1, 2.5, 2.5]
    expected = dp.exponential_probabilities(scores, sensitivity=1, epsilon=epsilon, monotonic=monotonic)
    assert fits(frequencies(noisy_max(scores, epsilon, "gumbel", monotonic), 3000, 10, 4), expected)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("pf.probs"))
@pytest.mark.parametrize("monotonic", [False, True])
def test_exponential_noise_is_permute_and_flip(inputs, value, tolerance, monotonic):
    assert permute_and_flip_probabilities(inputs["scores"], inputs["eps"]) == pytest.approx(value, abs=tolerance)
    epsilon = inputs["eps"] / (2 if monotonic else 1)
    select = noisy_max(inputs["scores"], epsilon, "exponential", monotonic, inputs["sensitivity"])
    assert fits(frequencies(select, 3000, 11, len(value)), value)


@pytest.mark.parametrize("noise", ["laplace", "gumbel", "exponential"])
def test_extreme_scores_and_parameters_are_ranked(noise):
    assert frequencies(noisy_max([1e308, -1e308, 0], 1.0, noise), 200, 12, 3)[0] == 200
    assert frequencies(noisy_max([0, 1e-3, 0], 1e6, noise), 200, 13, 3)[1] == 200
    # The noise is compared with the differences of the scores: large scores do not round it away.
    large = frequencies(noisy_max([1e17, 1e17, 1e17], 1.0, noise), 3000, 14, 3)
    assert fits(large, np.full(3, 1 / 3))
    blind = frequencies(noisy_max([0, 1, 2], 1e-9, noise), 3000, 15, 3)
    assert fits(blind, np.full(3, 1 / 3))


@pytest.mark.parametrize("select", [dp.exponential_mechanism, dp.report_noisy_max])
def test_scores_are_taken_as_general_unless_called_monotonic(select):
    def chosen(**setting):
        rng = generator(12)
        return [select(list("abc"), [0, 1, 2], sensitivity=1, epsilon=1, rng=rng, **setting) for _ in range(50)]

    assert chosen() == chosen(monotonic=False) != chosen(monotonic=True)


def test_a_draw_of_size_1_is_an_array():
    drawn = dp.exponential_mechanism([3, 4], [0, 1], sensitivity=1, epsilon=1, size=1, rng=generator(13))
    assert drawn.shape == (1,)


# ---------------------------------------------------------------- bad input


def test_errors_say_what_is_wrong():
    with pytest.raises(TypeError, match="candidates must be a list or an array of candidates, got set"):
        dp.report_noisy_max({"a", "b"}, [1, 2], sensitivity=1, epsilon=1)
    with pytest.raises(ValueError, match="scores must be as many as candidates, got 2 and 1"):
        dp.report_noisy_max(["a"], [1, 2], sensitivity=1, epsilon=1)
    labelled = pd.Series(["a", "b"], index=[1, 2])
    with pytest.raises(ValueError, match=r"^scores must have the index of candidates, got two different ones$"):
        dp.report_noisy_max(labelled, pd.Series([1, 2], index=[2, 1]), sensitivity=1, epsilon=1)
    best = dp.report_noisy_max(labelled, pd.Series([0, 1], index=[1, 2]), sensitivity=1, epsilon=1e6)
    assert best == "b"
