"""What checks stand on: shapes, generators, copies, new processes, audits, and the points of a task's parts."""

import numpy as np
import pytest
from grading import audits, checks, factors, own_answers, selfcheck, source
from grading.release import ASSIGNMENTS
from thorough import sample

GUIDE = (ASSIGNMENTS / "README.md").read_text(encoding="utf-8")


def test_an_array_without_numbers_is_no_answer():
    assert selfcheck.close([1, 2], [1.0, 2.0]) and selfcheck.close([[0.0]], 0)
    for empty in (np.zeros((0, 2)), [], np.zeros((2, 0))):
        assert not selfcheck.close(empty, [1, 2]) and not selfcheck.close(empty, 0)
    assert not selfcheck.close([1], [1, 1]) and not selfcheck.close([[1, 1]], [1, 1])


def test_another_generator_is_noticed():
    selfcheck.draws_from_rng(lambda n, rng: (rng.random(n), [n]), 3)
    with pytest.raises(AssertionError, match="take all randomness from rng"):
        selfcheck.draws_from_rng(lambda n, rng: np.random.default_rng().random(n), 3)


def test_what_is_kept_between_calls_is_noticed():
    calls = []
    with pytest.raises(AssertionError, match="keep nothing"):
        selfcheck.draws_from_rng(lambda rng: calls.append(1) or len(calls))


def test_changed_arguments_are_noticed_in_a_sample():
    def emptied(values, rng):
        values[:] = 0
        return rng.random()

    with pytest.raises(AssertionError, match="work on a copy"):
        selfcheck.sample(emptied, 5, np.ones(3), rng=np.random.default_rng(1))


def test_hidden_checks_hand_out_copies():
    def emptied(values):
        values[:] = 0
        return values

    mine = np.ones(3)
    assert (checks.WithCopies(emptied)(mine) == 0).all() and (mine == 1).all()


def test_a_new_process_has_forgotten(run):
    box = run("kept = []\ndef ask(x):\n    kept.append(x)\n    return x\ndef known():\n    return len(kept)")
    ask, known = box.get("ask"), box.get("known")
    ask(1)
    assert known() == 1
    assert selfcheck.fresh(known)() == 0


@pytest.mark.parametrize(("factor", "noticed"), [(1.0, False), (1.5, True)])
def test_an_audit_of_groups(factor, noticed):
    # Three people move a count by 3, ε = 1: proven to be above 3 exactly if the noise is too small. A limit fails with
    # probability 1e-8; at 1.5 the event's 55 expected hits would have to be twice as many.
    rng = np.random.default_rng(5)
    counts = [place + rng.laplace(scale=1 / factor, size=15_000) for place in (0, 3)]
    assert (audits.proven_loss(*counts) > 3) == noticed

    def draw(world, runs):
        return world * 0.5 + rng.laplace(scale=1 / factor, size=(runs, 4))

    assert (audits.proven_by_rows(draw, 2.0) > 2) == noticed


def test_no_event_proves_nothing():
    assert audits.event_loss(np.zeros(100, bool), np.zeros(100, bool)) == -np.inf
    assert audits.proven_loss(np.zeros(300), np.zeros(300)) == 0


def test_half_of_a_task_is_worth_its_share():
    assignment = source.load(ASSIGNMENTS / "7-local")
    wrong = [one for one in source.load_variants(assignment) if one.name == "believes-the-colleague"]
    (verdict,) = own_answers.run(assignment, {"q4": wrong[0].code}, only="q4")
    assert (verdict.earned, verdict.points, len(verdict.messages)) == (12, 20, 1)
    assert "*Points: `direct_reports` 12, `colleague_epsilon` 8.*" in assignment.tasks[3].cells["text"].text


def table():
    """Return (assignment, task, factor) for each line of the guide's table."""
    lines = [line for line in GUIDE.splitlines() if line.endswith(" times |")]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return [(*name.split(",")[0].split(), float(factor.split()[0])) for name, factor in cells]


def test_the_guide_has_a_factor_for_each_promise():
    assert [row[:2] for row in table()] == list(factors.PROMISES)
    assert all(factor <= 1.5 for *_, factor in table())


@pytest.mark.parametrize(("name", "task", "factor"), sample(table(), every=3))
def test_the_factors_of_the_guide_are_noticed(name, task, factor):
    assert factors.noticed(source.load(ASSIGNMENTS / name), task, factor)
