"""What the lecturers' guide says of the assignments' checks is so: which ε they notice, and what students see."""

import re
from functools import cache

import factors
import numpy as np
import pytest
from committed import load
from thorough import sample

from grading import grade, own_answers, release, source
from grading.release import ASSIGNMENTS
from grading.sandbox import ORDINARY, SLOWEST

GUIDE = (ASSIGNMENTS / "README.md").read_text(encoding="utf-8")


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
    assignment = load(ASSIGNMENTS / name)
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
    variants = cache(lambda name: source.load_variants(load(ASSIGNMENTS / name)))
    for name, task, _, design in table():
        assert design in [one.name for one in variants(name) if not one.right], f"{name} {task}: {design}"


@pytest.mark.parametrize(("name", "task", "factor", "_"), sample(table(), every=6))
def test_the_factors_of_the_guide_are_noticed(name, task, factor, _):
    assert factors.noticed(load(ASSIGNMENTS / name), task, factor)


def test_the_guide_states_what_a_class_may_cost_at_the_worst():
    clock, own = SLOWEST * ORDINARY.total / 60, 10 * grade.JUDGING / 60  # minutes
    hours = [students * (clock + own) / 60 for students in (200, 12)]
    said = " ".join(GUIDE.split())
    assert f"costs these {clock:g} minutes, and {own:g} of the grader's own: a class of 200 in which all try " in said
    assert "try {:g} hours, one with twelve who do {:.2g} hours, divided by `--jobs`".format(*hours) in said
