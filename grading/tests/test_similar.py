"""Copied answers are found, renamed ones too; that a task has one natural answer is no copy."""

import csv
import json

import pytest

from grading import similar, source, submissions
from grading.__main__ import main

from .small import assignment_in, hand_in, notebook

# Six ways to write one function, each long enough to be somebody's own.
OWN = [
    "def add(numbers):\n    total = 0\n    for number in numbers:\n        total = total + number\n"
    "    return total if total else 0\n",
    "def add(numbers):\n    if not len(numbers):\n        return 0\n    first, *rest = numbers\n"
    "    return first + add(rest)\n",
    "def add(numbers):\n    import functools\n    return functools.reduce(lambda a, b: a + b, list(numbers), 0)\n",
    "def add(numbers):\n    i, s = 0, 0\n    while i < len(numbers):\n        s += numbers[i]\n        i += 1\n"
    "    return s\n",
    "def add(numbers):\n    import math\n    return math.fsum(numbers) if list(numbers) else sum(numbers)\n",
    "def add(numbers):\n    half = len(numbers) // 2\n    if half == 0:\n        return numbers[0] if numbers else 0\n"
    "    return add(numbers[:half]) + add(numbers[half:])\n",
]
ESSAY = (
    "Because the tallest tree of the forest stands alone on a hill where the wind is strong and no other tree grows."
)


@pytest.fixture
def compare(tmp_path):
    """Return the pairs found among submissions: dictionaries of `notebook`'s arguments by student."""

    def run(**submissions):
        folder = assignment_in(tmp_path)
        for student, answers in submissions.items():
            hand_in(tmp_path / "in", student, answers if isinstance(answers, str) else notebook(**answers))
        table = tmp_path / "similar.csv"
        assert main(["similar", str(folder), str(tmp_path / "in"), "--to", str(table)]) == 0
        with table.open(encoding="utf-8-sig", newline="") as file:
            return [(row["task"], row["student"], row["other"]) for row in csv.DictReader(file)]

    return run


def test_a_copy_with_other_names_and_comments_is_found(compare):
    copied = "# my own work\n" + OWN[3].replace("i, s", "k, z").replace("i ", "k ").replace("[i]", "[k]")
    copied = copied.replace("s +=", "z  +=").replace("return s", "return z  # done")
    found = compare(ada={"add": OWN[3], "written": "One."}, bob={"add": copied, "written": "Two."}, cyd={"add": OWN[5]})
    assert found == [("q1", "ada", "bob")]


def test_a_copied_text_is_found_though_its_beginning_is_new(compare):
    found = compare(
        ada={"add": OWN[0], "written": ESSAY},
        bob={"add": OWN[1], "written": "In my opinion it is so! " + ESSAY.replace(",", ";").upper()},
        cyd={"add": OWN[2], "written": "Something else, as long as that one, about soils, and the ages of some trees."},
    )
    assert found == [("q3", "ada", "bob")]


def test_different_answers_are_no_copies(compare):
    assert compare(**{f"student{i}": {"add": code, "written": f"Answer {i}."} for i, code in enumerate(OWN)}) == []


def test_what_half_the_class_writes_is_no_copy(compare):
    assert compare(**{f"student{i}": {"add": OWN[3], "written": ESSAY} for i in range(12)}) == []


def test_the_starter_is_no_copy_and_what_is_no_notebook_is_named(compare, capsys):
    starter = "def add(numbers):\n    ..."
    assert compare(ada={"add": starter}, bob={"add": starter}, cyd="no notebook", dan={"add": "def add(:"}) == []
    assert "not compared: cyd" in capsys.readouterr().err


def test_two_hundred_students_take_seconds():
    """20,000 pairs are compared as sets."""
    answers = {f"s{i}": {(str(i), str(j), "", "", "") for j in range(300)} for i in range(200)}
    answers["copy"] = answers["s7"] | {("x",) * similar.RUN}
    assert similar.pairs(answers) == [("copy", "s7", round(300 / 301, 2), 300)]


def test_a_task_s_own_words_do_not_count(tmp_path):
    task = source.load(assignment_in(tmp_path)).tasks[2]
    quoting = submissions.Notebook([], {}, {"q3": task.cells["text"].text})
    assert similar.runs(quoting, task) == set()


def test_a_group_of_copies_does_not_hide_itself(compare):
    own = {f"own{number}": {"add": text} for number, text in enumerate(OWN[:3] * 10)}
    copies = {f"copy{number}": {"add": OWN[3]} for number in range(9)}
    found = {pair[1:] for pair in compare(**own, **copies)}
    assert {("copy0", "copy8"), ("copy3", "copy5")} <= found


def test_an_answer_in_another_cell_is_found(compare):
    ada = notebook(add=OWN[3])
    moved = notebook(add="def add(numbers):\n    ...")
    cell = {"cell_type": "code", "metadata": {}, "source": OWN[3], "outputs": [], "execution_count": None}
    moved["cells"].append(cell)
    assert compare(ada=json.dumps(ada), bob=json.dumps(moved)) == [("all", "ada", "bob")]
