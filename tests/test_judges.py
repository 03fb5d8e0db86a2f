"""The engine of labs' and assignments' judges, on outputs whose claims are known to hold or not."""

import numpy as np
import pytest

from dp_labs import judges


@pytest.mark.parametrize(("factor", "refuted"), [(1.0, False), (1.5, True)])
def test_three_people_move_a_count_by_three(factor, refuted):
    # ε = 1. A limit fails with probability 1e-8; at 1.5 the event's 55 expected hits would have to be twice as many.
    rng = np.random.default_rng(5)
    counts = [place + rng.laplace(scale=1 / factor, size=15_000) for place in (0, 3)]
    assert (judges.two_way_excess(*counts, judges.pure(3)) > 0) == refuted

    def draw(world, runs):
        return world * 0.5 + rng.laplace(scale=1 / factor, size=(runs, 4))

    assert (judges.learned_excess(draw, judges.pure(2)) > 0) == refuted


def test_no_event_refutes_nothing():
    assert judges.event_excess(np.zeros(100, bool), np.zeros(100, bool), judges.pure(0)) < 0
    assert judges.two_way_excess(np.zeros(300), np.zeros(300), judges.pure(0)) < 0
    assert judges.learned_excess(lambda world, runs: np.zeros((runs, 2)), judges.pure(0)) < 0


def test_nothing_instead_of_a_number_is_an_output_like_others():
    silent = np.repeat([np.nan, 1.0], [250, 250])
    assert judges.two_way_excess(np.tile(silent, 8), np.ones(4_000), judges.pure(1)) > 0


@pytest.mark.parametrize("step", [0, 17, 38])
def test_the_steepest_step_of_few_and_of_many_people(step):
    assert judges.steepest(lambda j: np.full(40, j > step), 39) == step
    assert judges.steepest(lambda j: np.full((40, 2), j > 10 * step), 399) == 10 * step


@pytest.mark.parametrize(("law", "end"), [("laplace", 6), ("normal", 3)])
def test_noise_that_was_cut_is_told_from_noise_that_is_large(law, end):
    # Of 12,000 right draws 30 are expected beyond each end, so that none is there with probability 1e-13.
    rng, normal = np.random.default_rng(6), law == "normal"
    draws = getattr(rng, law)(size=12_000)
    assert not judges._ends(draws, normal)
    assert not judges._ends(1.4 * draws, normal)
    assert judges._ends(np.clip(draws, -end, end), normal)
