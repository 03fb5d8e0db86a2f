"""What labs and the grader see alike in an answer's draws."""

import numpy as np
import pytest
from scipy import special

from dp_helpers import judging

RNG = np.random.default_rng(81)


def test_what_repeats_itself_draws_from_its_generator_alone():
    other = np.random.default_rng(5)
    assert judging.repeats_itself(lambda rng: rng.laplace())
    assert not judging.repeats_itself(lambda rng: rng.laplace() + other.integers(2))  # alike in all with chance 2^-11
    assert not judging.repeats_itself(lambda rng: other.laplace())


@pytest.mark.parametrize("exact", [0.37, np.array([3.0, 4.5]), 12.25])
def test_rounded_noise_shows_where_the_exact_answer_lies_between_its_steps(exact):
    noise = RNG.laplace(scale=7, size=(500, np.size(exact)))
    for cut in (np.rint, np.trunc, np.floor):
        assert judging.comes_in_steps(exact + cut(noise), exact)
        assert not judging.comes_in_steps(cut(exact + noise), exact)
        assert not judging.comes_in_steps(np.rint(exact) + cut(noise), np.rint(exact))
    assert judging.comes_in_steps(exact + 5 * np.rint(noise / 5), exact)
    assert not judging.comes_in_steps(exact + noise, exact)


def test_whole_numbers_may_come_a_little_off():
    assert judging.whole(np.array([1.0, 2.0004, -3.0]))
    assert not judging.whole(np.array([1.0, 2.01]))


def test_the_distance_is_that_of_kolmogorov():
    """Of a single draw at its median one half, of many right ones below the margin, but with probability 1e-9."""
    assert judging.distance(np.zeros(1), special.ndtr) == 0.5
    assert judging.distance(np.full(9, 2.0), special.ndtr) == pytest.approx(special.ndtr(2))
    draws = RNG.normal(size=20_000)
    assert judging.distance(draws, special.ndtr) < judging.margin(20_000)
    assert judging.distance(draws + 0.1, special.ndtr) > judging.margin(20_000)
