"""What checks stand on: shapes, generators, copies, and the points of a task's parts."""

import numpy as np
import pytest

from grading import own_answers, source, student_checks, verdicts
from grading.release import ASSIGNMENTS


def test_an_array_without_numbers_is_no_answer():
    assert student_checks.close([1, 2], [1.0, 2.0]) and student_checks.close([[0.0]], 0)
    for empty in (np.zeros((0, 2)), [], np.zeros((2, 0))):
        assert not student_checks.close(empty, [1, 2]) and not student_checks.close(empty, 0)
    assert not student_checks.close([1], [1, 1]) and not student_checks.close([[1, 1]], [1, 1])


def test_another_generator_is_noticed():
    student_checks.draws_from_rng(lambda n, rng: (rng.random(n), [n]), 3)
    with pytest.raises(AssertionError, match="take all randomness from rng"):
        student_checks.draws_from_rng(lambda n, rng: np.random.default_rng().random(n), 3)


def test_what_is_kept_between_calls_is_noticed():
    calls = []
    with pytest.raises(AssertionError, match="keep nothing"):
        student_checks.draws_from_rng(lambda rng: calls.append(1) or len(calls))


def test_changed_arguments_are_noticed_in_a_sample():
    def emptied(values, rng):
        values[:] = 0
        return rng.random()

    with pytest.raises(AssertionError, match="work on a copy"):
        student_checks.sample(emptied, 5, np.ones(3), rng=np.random.default_rng(1))


def test_hidden_checks_hand_out_copies():
    def emptied(values):
        values[:] = 0
        return values

    mine = np.ones(3)
    assert (verdicts.WithCopies(emptied)(mine) == 0).all() and (mine == 1).all()


def test_half_of_a_task_is_worth_its_share():
    assignment = source.load(ASSIGNMENTS / "7-local")
    wrong = [one for one in source.load_variants(assignment) if one.name == "believes-the-colleague"]
    (verdict,) = own_answers.run(assignment, {"q4": wrong[0].code}, only="q4")
    assert (verdict.earned, verdict.points, len(verdict.messages)) == (12, 20, 1)
    assert "*Points: `direct_reports` 12, `colleague_epsilon` 8.*" in assignment.tasks[3].cells["text"].text
