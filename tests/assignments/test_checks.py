"""What checks stand on: shapes, generators, copies, new processes, and the points of a task's parts."""

import re

import factors
import numpy as np
import pytest
from grading import checks, grade, own_answers, release, selfcheck, source
from grading.release import ASSIGNMENTS
from grading.sandbox import ORDINARY, SLOWEST
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


def test_half_of_a_task_is_worth_its_share():
    assignment = source.load(ASSIGNMENTS / "7-local")
    wrong = [one for one in source.load_variants(assignment) if one.name == "believes-the-colleague"]
    (verdict,) = own_answers.run(assignment, {"q4": wrong[0].code}, only="q4")
    assert (verdict.earned, verdict.points, len(verdict.messages)) == (12, 20, 1)
    assert "*Points: `direct_reports` 12, `colleague_epsilon` 8.*" in assignment.tasks[3].cells["text"].text


TRIED = [  # assignment, task, its functions, a naive answer, invented data, the most that the task accepts
    ("2-laplace", "q5", ["answer_periods"], "histogram-of-minutes", lambda u: (1440 * u).astype(int), 0.85),
    ("3-clipping", "q5", ["mean_income"], "clipped-at-a-billion", lambda u: 30_000 * np.exp(u), 10),
    ("5-selection", "q6", ["ticket_price"], "a-million-for-one-guest", lambda u: 30 * np.exp(u / 2), -75),
    (
        "8-synthetic",
        "q6",
        ["measure", "make_rows"],
        "independent-columns",
        lambda u: (u[:, None] * [6, 8, 4, 7, 5]).astype(int),
        0.33,
    ),
]


@pytest.mark.parametrize(("name", "task", "functions", "naive", "invent", "most"), TRIED)
def test_a_student_sees_how_accurate_an_answer_is(name, task, functions, naive, invent, most, capsys):
    # What is random has room: the solutions stay below by a fifth at least, the naive answers above by a tenth.
    assignment = source.load(ASSIGNMENTS / name)
    (answer,) = [one.code for one in source.load_variants(assignment) if (one.task, one.name) == (task, naive)]
    handed_out = {}
    exec(release.checks_file(assignment), handed_out)
    for answers, enough in (({}, True), ({task: answer}, False)):
        space = own_answers.namespace(assignment, answers)
        capsys.readouterr()
        handed_out["try_it"](task, *(space[one] for one in functions), invent(np.random.default_rng(4).random(4_000)))
        found = float(re.search(r"[\d.]+(?=%| times)", capsys.readouterr().out)[0])
        assert (found * np.sign(most) <= most) == enough
    with pytest.raises(ValueError, match=f"task must be one of {task}, got 'q1'"):
        handed_out["try_it"]("q1")


def table():
    """Return (assignment, task, factor, design) for each line of the guide's table."""
    cells = [line.strip("| ").split(" | ") for line in GUIDE.splitlines() if " times | " in line]
    return [
        (*name.split(",")[0].split(), float(factor.split()[0]), design.strip("`")) for name, factor, design in cells
    ]


def test_the_guide_has_a_factor_for_each_promise():
    assert [row[:2] for row in table()] == list(factors.PROMISES)
    assert all(factor <= 1.5 for _, _, factor, _ in table())


def test_the_guides_designs_are_wrong_answers_that_are_tried():
    for name, task, _, design in table():
        wrong = [one.name for one in source.load_variants(source.load(ASSIGNMENTS / name)) if not one.right]
        assert design in wrong, f"{name} {task}: {design}"


@pytest.mark.parametrize(("name", "task", "factor", "_"), sample(table(), every=3))
def test_the_factors_of_the_guide_are_noticed(name, task, factor, _):
    assert factors.noticed(source.load(ASSIGNMENTS / name), task, factor)


def test_the_guide_states_what_a_class_may_cost_at_the_worst():
    clock, own = SLOWEST * ORDINARY.total / 60, 10 * grade.JUDGING / 60  # minutes
    hours = [students * (clock + own) / 60 for students in (200, 12)]
    said = " ".join(GUIDE.split())
    assert f"costs these {clock:g} minutes, and {own:g} of the grader's own: a class of 200 in which all try " in said
    assert "try {:g} hours, one with twelve who do {:.2g} hours, divided by `--jobs`".format(*hours) in said
