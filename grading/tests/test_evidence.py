"""Evidence against a claim is found where the claim is false, and nowhere else."""

import numpy as np
import pytest

from grading import evidence
from grading.evidence import NOTHING, event_excess, excess, laplace_loss, learned_excess, pure, two_way_excess


@pytest.mark.parametrize(("factor", "refuted"), [(1.0, False), (1.5, True)])
def test_three_people_move_a_count_by_three(factor, refuted):
    # ε = 1. A limit fails with probability 1e-8; at 1.5 the event's 55 expected hits would have to be twice as many.
    rng = np.random.default_rng(5)
    counts = [place + rng.laplace(scale=1 / factor, size=15_000) for place in (0, 3)]
    assert all((two_way_excess(*both, pure(3)) > 0) == refuted for both in (counts, counts[::-1]))

    def draw(world, runs):
        return world * 0.5 + rng.laplace(scale=1 / factor, size=(runs, 4))

    assert (learned_excess(draw, pure(2)) > 0) == refuted


def test_a_few_numbers_that_are_far_off_hide_nothing():
    rng = np.random.default_rng(6)

    def draw(world, runs):
        return world + rng.laplace(size=(runs, 3)) + 1e9 * (rng.random((runs, 3)) < 0.01)

    assert learned_excess(draw, pure(2.4)) > 0  # 3 in all


@pytest.mark.parametrize("scale", [1 / 64, 1 / 6, 3.0])
def test_the_loss_of_a_number_follows_from_the_scale_of_its_laplace_noise(scale):
    rng = np.random.default_rng(11)
    here, there = rng.laplace(scale=[1.0, scale, 2.0], size=(2, 4_000, 3)) + np.arange(2)[:, None, None]
    # The scale is known to 1.6% and each middle to as much of it, so six deviations are:
    assert laplace_loss(here, there) == pytest.approx(max(1, 1 / scale), rel=0.1, abs=0.14)


def test_of_noise_that_may_have_another_law_no_loss_is_said():
    rng = np.random.default_rng(12)
    p = 1 - np.exp(-64.0)  # right at ε = 64, and hardly ever seen
    whole = rng.geometric(p, (2, 4_000, 1)) - rng.geometric(p, (2, 4_000, 1)) + np.arange(2)[:, None, None]
    assert laplace_loss(*whole.astype(float)) == 0
    uniform = rng.uniform(size=(2, 4_000, 1))
    assert laplace_loss(uniform[0], uniform[1] + 64) == 0
    assert laplace_loss(np.ones((4_000, 2)), np.zeros((4_000, 2))) == 0


def test_what_only_one_world_brings_out_is_found_in_either_order():
    # A ninth of ones: seen from the other world nothing is e^0.5 times as likely.
    sometimes, never = 1.0 * (np.arange(4_000) % 9 == 0), np.zeros(4_000)
    assert excess(never, sometimes, pure(0.5)) < 0
    assert two_way_excess(sometimes, never, pure(0.5)) > 0 and two_way_excess(never, sometimes, pure(0.5)) > 0


def test_the_runs_that_choose_an_event_do_not_measure_it():
    early, never = 1.0 * (np.arange(4_000) < 1_000), np.zeros(4_000)  # only in the quarter that chooses
    assert excess(early, never, pure(0)) < 0 and two_way_excess(never, early, pure(0)) < 0


def test_no_event_refutes_nothing():
    assert event_excess(np.zeros(100, bool), np.zeros(100, bool), pure(0)) < 0
    assert two_way_excess(np.zeros(300), np.zeros(300), pure(0)) < 0
    assert learned_excess(lambda world, runs: np.zeros((runs, 2)), pure(0)) < 0


def test_what_the_middle_tells_and_what_both_ends_tell_is_found():
    # Within 1.5 lie 87% of the one and 38% of the other, beyond 2.5 1% and 40%; no half line has so large a ratio.
    middle, ends = np.random.default_rng(10).normal(scale=[[1], [3]], size=(2, 8_000))
    assert excess(middle, ends, pure(0.5)) > 0
    assert excess(ends, middle, pure(2.5)) > 0
    assert excess(middle, ends, pure(0.9)) < 0


@pytest.mark.parametrize(("apart", "refuted"), [(1.0, False), (1.6, True)])
def test_normal_noise_is_held_to_its_own_claim(apart, refuted):
    rng = np.random.default_rng(7)
    here, there = rng.normal(size=8_000), apart + rng.normal(size=8_000)
    assert (excess(there, here, evidence.gaussian(1.0)) > 0) == refuted


def test_nothing_instead_of_a_number_is_an_output_like_others():
    silent = np.repeat([np.nan, 1.0], [250, 250])
    assert two_way_excess(np.tile(silent, 8), np.ones(4_000), pure(1)) > 0
    assert two_way_excess(np.tile(silent, 8), np.tile(np.nan_to_num(silent, nan=NOTHING), 8), pure(0)) < 0


@pytest.mark.parametrize("step", [0, 17, 38])
def test_the_steepest_step_of_few_and_of_many_people(step):
    assert evidence.steepest(lambda j: np.full(40, j > step), 39) == step
    assert evidence.steepest(lambda j: np.full((40, 2), j > 10 * step), 399) == 10 * step


def test_a_chance_that_may_be_and_one_that_may_not():
    hits = np.random.default_rng(3).random(10_000) < 0.3
    assert evidence.may_be(hits, 0.3)
    assert not evidence.may_be(hits, 0.33) and not evidence.may_be(hits, 0.27)  # six deviations off
