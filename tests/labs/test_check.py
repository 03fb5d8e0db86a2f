"""What all labs share: the tables of answers, the end of an answer that does not end, errors said as what they are."""

import contextlib
import importlib
import itertools
import math
import re
import threading
import time
import types
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dp_labs
from dp_helpers import judging
from dp_labs import answers, chapter_03, guard, noise
from dp_labs.answers import NotYet
from dp_labs.clipping import clipping_mistakes
from dp_labs.tables import LinesLab, MendLab, NumberLab, NumbersLab

PEOPLE = NumberLab(right=33.19, digits=2, praise="Yes.", mistakes={66.4: "that is twice."}, otherwise="not that.")
FIRST = f"3.{chapter_03.LABS[0]}"
STUCK = "✗ Lab 3.1, not yet: your answer had not returned after 20 seconds; does a loop end?\n"
EPSILON = NumberLab(right=0.2996, praise="Yes.")
RANGE = NumberLab(right=(1.04, 3), praise="Yes.")
TEN = NumberLab(right=25, digits=1, praise="Yes.")
NOUGHT = NumberLab(right=0, praise="Yes.")
PAIR = NumbersLab(["L1", "L2"], [7, 5], praise="Yes.", mistakes=[([5, None], "L1 adds absolute values.")])
LINES = LinesLab(4, hints={2: "the noise.", 3: "the bound."}, harmless={1: "that is the name."}, praise="Yes.")
MEND = MendLab(lines=LINES, mended=lambda answer: answer())


@pytest.mark.parametrize("given", [[0, 2], [0.5, 1], [-1, 0]])
def test_zeros_and_ones_are_nothing_else(given):
    assert answers.binary([False, True], (2,), "two answers", "a coin has two sides.").tolist() == [0, 1]
    with pytest.raises(answers.NotYet, match="a coin has two sides"):
        answers.binary(given, (2,), "two answers", "a coin has two sides.")


@pytest.mark.parametrize(
    ("lab", "answer"),
    [
        *((PEOPLE, 33), (PEOPLE, 33.19), (PEOPLE, 33.4), (EPSILON, 0.3), (EPSILON, 0.2996), (RANGE, 2), (RANGE, 2.7)),
        *((EPSILON, Decimal("0.3")), (EPSILON, pd.Series([0.3]))),
        *((TEN, 30), (TEN, 20), (NOUGHT, 0.004), (EPSILON, 0.301)),
        *((PAIR, [7, 5]), (PAIR, {"L2": 5, "L1": 7.01})),
        *((LINES, {2, 3}), (LINES, [3, 2.0]), (LINES, {2, 3, 4}), (LINES, np.array([2, 3])), (MEND, lambda: "Yes.")),
    ],
)
def test_a_right_answer_is_praised(lab, answer):
    assert lab(answer) == "Yes."


@pytest.mark.parametrize(
    ("lab", "answer", "message"),
    [
        (LINES, 2, "give a set of line numbers, such as {2, 5}."),
        (LINES, {"2"}, "give a number, not str."),
        (LINES, {2, 5}, "the lines have the numbers 1 to 4."),
        (LINES, {2.5}, "the lines have the numbers 1 to 4."),
        (LINES, {0, 2, 3}, "the lines have the numbers 1 to 4."),
        (LINES, {1, 2, 3, 4}, "that is the name."),
        (LINES, {2}, "there is more to find: the bound."),
        (LINES, set(), "there is more to find: the noise."),
        (MEND, {2}, "there is more to find: the bound."),
        (MEND, {2, 3}, "Yes."),  # found, not mended
        (PEOPLE, 66.4, "that is twice."),
        (PEOPLE, 34, "close: round later, and give two digits."),
        (PEOPLE, 40, "not that."),
        (PEOPLE, (27, 202), "write 27202, without the comma."),
        (PEOPLE, (1, 250, 100), "write 1250100, without the comma."),
        (PEOPLE, (1, 2, 3), "write 123, without the comma."),
        (PEOPLE, (1, 100), "write 1100, without the comma."),
        (PEOPLE, (1, 99), "write 1.99, with a point."),
        (PEOPLE, (0, 250), "write 0.250, with a point."),
        (PEOPLE, (0, 5), "write 0.5, with a point."),
        (PEOPLE, None, "give a number, not None; if your function gave nothing, it needs a return."),
        (PEOPLE, (33, 19), "write 33.19, with a point."),
        (PEOPLE, (33.0, 19), "give a number, not tuple."),
        (PEOPLE, float("nan"), "nan is no number: a step before it has no result, such as 0 / 0 or ∞ - ∞."),
        (EPSILON, 0.295, "close: round later, and give three digits."),
        (EPSILON, -0.3, "that isn't it yet."),
        (EPSILON, "0.3", "give a number, not str."),
        (EPSILON, True, "give a number, not bool."),
        (RANGE, 3.2, "that isn't it yet."),
        (RANGE, 1, "close: round later, and give three digits."),
        (TEN, 30.1, "that isn't it yet."),
        (NOUGHT, 0.006, "that isn't it yet."),
        (EPSILON, 0.3012, "close: round later, and give three digits."),
        (PAIR, [5, 7], "L1 adds absolute values."),
        (PAIR, [7, 6], "look again at L2."),
        (PAIR, [7, 5.1], "close: round later, and give three digits."),
        (PAIR, [7], "give 2 numbers: L1, L2."),
        (PAIR, 7, "give 2 numbers: L1, L2."),
    ],
)
def test_wrong_answers(lab, answer, message):
    with pytest.raises(NotYet, match=f"^{re.escape(message)}$"):
        lab(answer)


def test_a_probability_is_right_to_half_a_percent_or_three_decimals():
    assert answers.about(0.0015, 0.001) and answers.about(0.201, 0.2) and not answers.about(0.0016, 0.001)


def test_what_is_neither_true_nor_false_is_named():
    for given, named in [("yes", "'yes'"), (np.array([True]), "ndarray"), ([1, 0], "list")]:
        with pytest.raises(NotYet, match=f"^return True or False, not {named}.$"):
            answers.truth(given)
    assert answers.truth(np.True_) is True and answers.truth(False) is False


ROWS = np.array([[6.0, 8.0], [0.3, -0.4], [-12.0, 9.0]])  # of length 10, 0.5 and 15


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([-5.7, 16.6], "you don't clip these: a single long one may move the sum by any amount."),
        (np.array([-5.7, 16.6]) * 5 / np.hypot(5.7, 16.6), "you clip the sum; clip each one before adding up."),
        (np.array([-5.7, 16.6]) * 15 / np.hypot(5.7, 16.6), "you clip the average; clip each one before adding up."),
        ([5 + 0.3 - 5, 5 - 0.4 + 5], "you clip coordinate by coordinate; the length is what counts."),
        ([3 + 3 - 4, 4 - 4 + 3], "you stretch short ones to the bound; clipping only shortens."),
        ([1.0, 1.0], "otherwise"),
    ],
)
def test_wrong_ways_to_clip_are_named(wrong, sentence):
    right = [3 + 0.3 - 4, 4 - 0.4 + 3]
    answers.expect(right, right, clipping_mistakes(ROWS, 5.0), "otherwise", answers.alike)
    with pytest.raises(NotYet, match=f"^{re.escape(sentence)}$"):
        answers.expect(wrong, right, clipping_mistakes(ROWS, 5.0), "otherwise", answers.alike)


TABLE = pd.DataFrame({"age": [31, 32, 31, 47], "town": list("abcd")})


@pytest.mark.parametrize(
    ("coarsen", "sentence"),
    [
        (lambda table: table[["town"]], "return a DataFrame with the columns old, town."),
        (lambda table: table.assign(old=table["age"] > 40)[1:], "keep all 4 people of a table; yours has 3 rows."),
        (lambda table: table.assign(old=table["age"] > 40).iloc[::-1], "your rows stand in another order"),
        (lambda table: table.assign(old=1).set_index("town", drop=False), "your rows stand in another order"),
        (lambda table: table.assign(old=None), "some values of old are missing in your table"),
        (lambda table: table.assign(old=range(len(table))), "old may depend on age alone; people with the same age"),
        (lambda table: table.assign(old=table["age"] > table["age"].mean()), "old may depend on age alone; with other"),
    ],
)
def test_tables_are_made_coarser_column_by_column(coarsen, sentence):
    sources, some = {"old": "age", "town": "town"}, np.array([0, 1])
    answers.recoded(lambda table: table.assign(old=table["age"] // 10), TABLE, sources, some)
    with pytest.raises(NotYet, match=f"^{re.escape(sentence)}"):
        answers.recoded(coarsen, TABLE, sources, some)


def test_the_steps_of_laplace_noise_are_its_quantiles():
    steps = noise.laplace_steps(4)
    for scale in (1.0, 3.0):
        np.testing.assert_allclose(judging.laplace_cdf(scale * steps, scale), [1 / 8, 3 / 8, 5 / 8, 7 / 8])


@pytest.mark.parametrize(("share", "follow"), [(1, True), (0.91, True), (0.895, False)])
def test_a_thousand_draws_may_be_a_tenth_off_their_law(share, follow):
    # By at most √(ln(2e9) / 2000) = 0.1035, to either side.
    even = (np.arange(1_000) + 0.5) / 1_000
    for draws in (share * even, 1 - share * even):
        assert noise.follows(draws, lambda x: x) == follow


def test_an_answer_that_changes_the_array_that_it_is_given_is_refused():
    given = np.array([5, 0, 7])
    answers.leaves_alone(np.sort, given)
    with pytest.raises(NotYet, match="leave its input as it is"):
        answers.leaves_alone(np.ndarray.sort, given)
    assert given.tolist() == [5, 0, 7]


def test_vectors_are_alike_up_to_rounding():
    assert answers.alike([0, 1e3], [1e-7, 1e3 + 5e-3])
    assert not answers.alike([0, 1e3], [1e-5, 1e3]) and not answers.alike([0, 1e3], [0, 1e3 + 0.02])


def test_an_answer_without_end_is_stopped_and_told(monkeypatch, capsys):
    monkeypatch.setattr(dp_labs, "within_time", lambda call, **more: guard.within_time(call, 0.2, **more))
    monkeypatch.setattr(dp_labs, "find", lambda lab: lambda answer: answer())

    def loop():
        while True:
            pass

    dp_labs.check(FIRST, loop)
    assert capsys.readouterr().out == STUCK


@pytest.mark.parametrize("watch", [guard._watched_by_a_thread, guard._watched_by_the_clock])
def test_both_watches_end_what_does_not_end_and_leave_the_rest_alone(watch):
    def loop():
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))

    with pytest.raises(guard.TooLong):
        watch(loop, 0.2)
    assert watch(lambda: 3, 20) == 3
    with pytest.raises(ZeroDivisionError):
        watch(lambda: 1 / 0, 20)


def test_an_answer_that_only_waits_is_stopped_at_six_times_the_limit(monkeypatch):
    # A clock on which the limit passes from look to look, while the computer works nothing.
    looks, seconds = itertools.count(), 0.01
    clock = types.SimpleNamespace(monotonic=lambda: next(looks) * seconds, process_time=lambda: 0)
    monkeypatch.setattr(guard, "time", clock)

    def wait():
        while True:
            time.sleep(0.001)

    with pytest.raises(guard.TooLong):
        guard._watched_by_a_thread(wait, seconds)
    assert 7 <= next(looks) <= 9  # the start, six looks before the limit and one at it, and this one


def test_one_long_call_is_told_while_it_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(dp_labs, "within_time", lambda call, stuck: guard.within_time(call, 0.05, lambda: end(stuck)))
    monkeypatch.setattr(dp_labs, "find", lambda lab: lambda answer: answer())
    lock, said = threading.Lock(), []

    def end(stuck):
        stuck()
        said.append(capsys.readouterr().out)
        lock.release()

    lock.acquire()
    dp_labs.check(FIRST, lambda: lock.acquire(timeout=60))  # compiled code: nothing interrupts it
    assert said == [STUCK]
    assert not capsys.readouterr().out  # once is enough


def test_an_answer_that_swallows_everything_is_stopped_all_the_same():
    swallowed = []

    def loop():
        while len(swallowed) < 2:
            try:
                while True:
                    pass
            except BaseException as error:
                swallowed.append(error)
        return len(swallowed)

    before = set(threading.enumerate())
    assert guard._watched_by_a_thread(loop, 0.1) == 2
    for watch in set(threading.enumerate()) - before:
        watch.join(10)
        assert not watch.is_alive()


def test_what_no_lab_has():
    for lab in ("3", "x.y", "tracker", 3.1, None):
        with pytest.raises(ValueError, match="must be the name of a lab"):
            dp_labs.check(lab, 1)
    for lab in ("3.99", "3.0", "3.tracker", "3.which_epsilon", "3.LABS", "3.math"):
        with pytest.raises(ValueError, match=r"must be one of .*'3.which-epsilon', .* got '3"):
            dp_labs.check(lab, 1)
    with pytest.raises(ValueError, match=r"a chapter that has labs, got '99.tracker'"):
        dp_labs.check("99.tracker", 1)


def test_a_number_is_no_name_and_is_told_the_name():
    number = dp_labs.shown_number("3.which-epsilon")
    with pytest.raises(ValueError, match=f"Lab {number} is '3.which-epsilon'"):
        dp_labs.check(number, 1)


@pytest.mark.parametrize("path", sorted(Path(dp_labs.__file__).parent.glob("chapter_*.py")), ids=lambda path: path.stem)
def test_labs_have_names_that_are_words_and_numbers_by_their_place(path):
    chapter, module = int(path.stem[-2:]), importlib.import_module(f"dp_labs.{path.stem}")
    assert len(set(module.LABS)) == len(module.LABS)
    for place, name in enumerate(module.LABS, 1):
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+){0,4}", name), name
        assert callable(dp_labs.find(f"{chapter}.{name}"))
        assert dp_labs.shown_number(f"{chapter}.{name}") == f"{chapter}.{place}"


def test_a_lab_module_that_cannot_be_imported_says_why(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

    monkeypatch.setattr(dp_labs.importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="scipy"):
        dp_labs.check(FIRST, 1)


def test_labelled_numbers_are_read_by_name():
    lab = NumbersLab(names=["low", "high"], right=[1.0, 2.0], praise="both.")
    for answer in (
        {"high": 2, "low": 1},
        pd.Series({"high": 2, "low": 1}),
        pd.Series([1, 2]),
        pd.DataFrame({"x": [1, 2]}),
    ):
        assert lab(answer) == "both."


def test_lines_may_come_as_any_list():
    lab = LinesLab(lines=3, hints={2: "the second."}, harmless={1: "not the first."}, praise="that one.")
    for answer in ({2}, [2], np.array([2]), pd.Series([2]), pd.Index([2])):
        assert lab(answer) == "that one."
        with pytest.raises(NotYet, match=r"that one\."):
            MendLab(lines=lab, mended=None)(answer)


@pytest.mark.parametrize("wrong", [1j, np.complex128(2), math.nan])
def test_what_is_no_number_is_said_so(wrong):
    with pytest.raises(NotYet, match=r"give a number, not complex|nan is no number"):
        NumberLab(right=2.0, praise="right.")(wrong)


def test_what_a_mask_hides_does_not_count():
    for hidden in (np.ma.masked_array([2.0], mask=[True]), np.ma.masked_array([2.0, 2.0], mask=False)):
        with pytest.raises(NotYet, match="without a mask"):
            NumberLab(right=2.0, praise="right.")(hidden)
