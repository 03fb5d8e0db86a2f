"""Many submissions are graded, each by what is in it, and a broken one is nobody else's problem."""

import json
import os
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pandas as pd
import pytest
from grading import grade, source, submissions
from grading.__main__ import main
from grading.checks import Verdict

NOWHERE = grade.Sandbox(None, None, isolated=False)  # for what never comes to a process

SOURCE = """\
# %% [markdown]
# # Assignment 9: Trees

# %% role="data"
def make_data(term, rng):
    return {"trees.csv": pd.DataFrame({"height": rng.integers(5, 30, 40)})}

# %% role="setup"
import pandas as pd
trees = pd.read_csv("trees.csv")

# %% [markdown] task="q1" points=50
# ## Task 1
# Write `add(numbers)`.

# %% role="starter" task="q1"
def add(numbers):
    ...

# %% role="solution" task="q1"
def add(numbers):
    return sum(numbers)

# %% role="visible" task="q1"
def one_number(add):
    "The sum of nothing is 0."
    assert add([]) == 0, "The sum of nothing is 0."

# %% role="hidden" task="q1"
def right_sum(add, rng, data):
    "Sums are right."
    secret = rng.integers(1_000_000, 2_000_000)
    assert add([secret, 1]) == secret + 1, "Look at the sum again."

# %% [markdown] task="q2" points=40
# ## Task 2
# Define `tallest`.

# %% role="starter" task="q2"
tallest = ...

# %% role="solution" task="q2"
tallest = trees["height"].max()

# %% role="visible" task="q2"
def a_number(tallest):
    "It is a number."
    assert tallest > 0, "It should be a number above 0."

# %% role="hidden" task="q2"
def tallest_of_all(tallest, data):
    "It is the tallest tree of all."
    assert tallest == data["trees.csv"]["height"].max(), "Some tree is taller."

# %% [markdown] role="written" task="q3" points=10
# ## Task 3
# Why?

# %% [markdown] role="rubric" task="q3"
# A reason.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a small assignment."""
    folder = tmp_path_factory.mktemp("assignments") / "9-trees"
    folder.mkdir()
    (folder / "source.py").write_text(SOURCE, encoding="utf-8")
    (folder.parent / "term.toml").write_text("seed = 5\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def assignment(folder):
    return source.load(folder)


SETUP = "from checks import check\nimport pandas as pd\ntrees = pd.read_csv('trees.csv')"
ADD = "def add(numbers):\n    return sum(numbers)"
TALLEST = "tallest = trees['height'].max()"


def code(text, purpose=None):
    return {"cell_type": "code", "source": text, "metadata": {"assignment": purpose} if purpose else {}}


def markdown(text, purpose=None, **metadata):
    return {
        "cell_type": "markdown",
        "source": text,
        "metadata": metadata | ({"assignment": purpose} if purpose else {}),
    }


def notebook(add=ADD, tallest=TALLEST, written="Because."):
    cells = [
        code(SETUP),
        code(add, "q1-answer"),
        code('check("q1", globals())', "q1-check"),
        code(tallest, "q2-answer"),
    ]
    cells += [markdown("## Task 3\nWhy?", "q3"), markdown(written, "q3-answer", editable=True)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def hand_in(root, student, content, name="9-trees.ipynb"):
    path = root / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


# Reading what was handed in


def test_notebooks_are_found_wherever_course_systems_put_them(tmp_path):
    expected = {
        "ada": hand_in(tmp_path, "ada", notebook()),
        "bob": hand_in(tmp_path, "bob", notebook(), "9-trees/trees.ipynb"),
        "cyd": hand_in(tmp_path, "cyd", notebook(), "9-trees (2).ipynb"),
        "dan": hand_in(tmp_path, "dan", notebook()),
        "eve": tmp_path / "eve" / "9-trees.ipynb",
    }
    hand_in(tmp_path, "dan", notebook(), "other.ipynb")
    hand_in(tmp_path, "eve", notebook(), "one.ipynb")
    hand_in(tmp_path, "eve", notebook(), "two.ipynb")  # which of them?
    hand_in(tmp_path, ".hidden", notebook())
    assert submissions.find(tmp_path, "9-trees") == expected


def test_no_submissions_is_an_error_that_names_the_folder(tmp_path, capsys):
    for place in (tmp_path / "nowhere", tmp_path):
        assert main(["grade", "9-trees", str(place)]) == 2
        assert str(place) in capsys.readouterr().err


def test_the_cells_that_count_are_read(tmp_path, assignment):
    content = notebook()
    content["cells"].insert(
        1, code("assert False", None) | {"metadata": {"nbgrader": {"grade": True, "solution": False}}}
    )
    content["cells"].append(markdown("And also this."))
    found = submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)
    assert found.cells == [(1, SETUP), (3, ADD), (5, TALLEST)]
    assert found.labels[3] == "q1"
    assert found.written == {"q3": "Because.\n\nAnd also this."}


def test_a_written_answer_without_its_mark_follows_the_question(tmp_path, assignment):
    content = notebook()
    for cell in content["cells"]:
        cell["metadata"] = {}
    assert submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks).written == {"q3": "Because."}
    del content["cells"][-2:]
    assert submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks).written == {"q3": ""}


def test_an_untouched_written_answer_is_none(tmp_path, assignment):
    path = hand_in(tmp_path, "ada", notebook(written="*Write your answer here.*"))
    assert submissions.read(path, assignment.tasks).written == {"q3": ""}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "[1]",
        "{}",
        '{"cells": 3}',
        '{"cells": [3]}',
        '{"cells": [{"cell_type": "code"}]}',
        '{"cells": [{"cell_type": "code", "source": 3}]}',
        '{"cells": [{"cell_type": "code", "source": [1]}]}',
        '{"cells": [{"cell_type": "code", "source": "", "metadata": 3}]}',
        '{"cells": [{"cell_type": "code", "source": "", "metadata": {"nbgrader": 3}}]}',
        "[" * 100_000,
        "\x00\x01",
    ],
    ids=lambda content: content[:50],
)
def test_what_is_no_notebook_is_unreadable(tmp_path, assignment, content):
    with pytest.raises(submissions.Unreadable, match="no notebook"):
        submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)


def test_a_missing_a_linked_and_a_huge_notebook_are_unreadable(tmp_path, assignment):
    solution = hand_in(tmp_path, "solution", notebook())
    (tmp_path / "ada").mkdir()
    link = tmp_path / "ada" / "9-trees.ipynb"
    with pytest.raises(submissions.Unreadable, match="there is no notebook"):
        submissions.read(link, assignment.tasks)
    link.symlink_to(solution)
    with pytest.raises(submissions.Unreadable, match="there is no notebook"):
        submissions.read(link, assignment.tasks)
    huge = hand_in(tmp_path, "bob", "")
    os.truncate(huge, submissions.LARGEST + 1)
    with pytest.raises(submissions.Unreadable, match="larger than"):
        submissions.read(huge, assignment.tasks)


# Grading

SUBMISSIONS = {
    "right": notebook(),
    "wrong": notebook(add="def add(numbers):\n    return 0"),
    "unfinished": notebook(add="def add(numbers):\n    ...", tallest="tallest = ..."),
    "spy": notebook(
        add="def add(numbers):\n    if len(numbers) < 2:\n        return 0\n    raise KeyError(list(numbers))"
    ),
    "crash": notebook(add="import os\nos._exit(1)"),
    "empty": {"cells": []},
    "broken": "no notebook",
    os.fsdecode(b"\xff"): notebook(written="half a \ud800 pair, <b>markup</b>"),
}


@pytest.fixture(scope="module")
def graded(bubblewrap, folder, tmp_path_factory):
    """Grade all submissions through the command line, two at a time, and return the results' folder and status."""
    root, patch = tmp_path_factory.mktemp("graded"), pytest.MonkeyPatch()
    for student, content in SUBMISSIONS.items():
        hand_in(root / "submissions", student, content)
    patch.setattr(grade, "ASSIGNMENTS", folder.parent)
    status = main(["grade", "9-trees", str(root / "submissions"), "--out", str(root / "out"), "--jobs", "2"])
    patch.undo()
    return root, status


@pytest.fixture(scope="module")
def records(graded):
    results = json.loads((graded[0] / "out" / "results.json").read_text(encoding="utf-8"))
    return {record["student"]: record for record in results["students"]}


def earned(record):
    return {task: verdict["earned"] for task, verdict in record["tasks"].items()}


@pytest.mark.parametrize(
    ("student", "q1", "q2"),
    [
        ("right", 50, 40),
        ("wrong", 0, 40),
        ("unfinished", 0, 0),
        ("spy", 0, 40),
        ("crash", 0, 40),
        ("empty", 0, 0),
        ("broken", 0, 0),
        ("?", 50, 40),
    ],
)
def test_each_earns_what_it_deserves(graded, records, student, q1, q2):
    assert graded[1] == 0
    assert earned(records[student]) == {"q1": q1, "q2": q2}
    assert records[student]["fault"] is None


def test_messages_say_what_to_look_at(records):
    assert records["wrong"]["tasks"]["q1"]["messages"] == ["Look at the sum again."]
    assert records["right"]["tasks"]["q1"]["messages"] == []
    assert "cell 2 (q1)" in records["crash"]["log"][0]
    assert "no notebook" in records["broken"]["log"][0]
    assert records["right"]["log"] == []


def test_an_error_does_not_carry_hidden_numbers_out(records):
    text = json.dumps(records["spy"])
    assert "KeyError" in text
    assert not any(part.isdigit() and len(part) == 7 for part in text.replace("]", " ").replace("[", " ").split())


def test_the_same_submissions_give_the_same_results(graded, folder, bubblewrap):
    root, _ = graded
    found = {student: root / "submissions" / student / "9-trees.ipynb" for student in ("right", "wrong")}
    first = json.loads((root / "out" / "results.json").read_text(encoding="utf-8"))
    first["students"] = [record for record in first["students"] if record["student"] in found]
    assert grade.grade_all(folder, found) == first


def test_without_bubblewrap_the_command_refuses(folder, tmp_path, monkeypatch, capsys):
    hand_in(tmp_path / "submissions", "ada", notebook())
    monkeypatch.setattr(grade, "ASSIGNMENTS", folder.parent)
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["grade", "9-trees", str(tmp_path / "submissions"), "--out", str(tmp_path / "out")]) == 2
    assert "--unsandboxed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_jobs_and_seconds_are_checked(tmp_path, capsys):
    assert main(["grade", "9-trees", str(tmp_path), "--jobs", "0"]) == 2
    assert "--jobs must be at least 1, got 0" in capsys.readouterr().err
    assert main(["grade", "9-trees", str(tmp_path), "--seconds", "0"]) == 2
    assert "--seconds must be positive, got 0" in capsys.readouterr().err


def test_an_answer_that_keeps_a_check_busy_costs_its_task(assignment):
    """Here the check itself never ends, which no deadline of the student's process would notice."""

    class Endless:
        def __eq__(self, other):
            while True:
                pass

    box = Box({"add": lambda numbers: Endless() if numbers else 0, "tallest": 3})
    q1, _, _ = assignment.tasks
    verdict = grade.judge(q1, box, assignment, seconds=0.2)
    assert verdict["earned"] == 0


class Box:
    """Stands for a student's process: names and their values."""

    def __init__(self, names):
        self.get = names.__getitem__
        self.discreet = False


def test_errors_are_discreet_once_hidden_checks_run(assignment):
    """An error's text could carry a hidden check's numbers to the student."""
    seen = []

    class Watched(Box):
        def __init__(self):
            super().__init__({})
            self.get = self.answer

        def answer(self, name):
            seen.append(self.discreet)
            return sum

    q1, _, _ = assignment.tasks
    assert grade.judge(q1, Watched(), assignment, seconds=60)["earned"] == q1.points
    assert seen == [False, True]  # the visible check, then the hidden one


def test_what_a_function_does_to_the_data_stays_with_its_student(monkeypatch, assignment, tmp_path):
    def spoils(task, _, mine):
        mine.data["trees.csv"]["height"] = 0
        return Verdict(task.name, task.points, 0, ())

    before = assignment.data["trees.csv"].copy()
    monkeypatch.setattr(grade, "run_task", spoils)
    grade.grade_one(hand_in(tmp_path, "ada", notebook()), assignment, sandbox=NOWHERE)
    pd.testing.assert_frame_equal(assignment.data["trees.csv"], before)


def test_a_fault_of_ours_is_no_zero(monkeypatch, assignment, tmp_path):
    def fails(*_):
        raise RuntimeError("our mistake")

    monkeypatch.setattr(grade, "run_task", fails)
    record = grade.grade_one(hand_in(tmp_path, "ada", notebook()), assignment, sandbox=NOWHERE)
    assert "our mistake" in record["fault"]


def test_a_grading_process_that_was_ended_is_no_zero():
    future = Future()
    future.set_exception(BrokenProcessPool())
    assert "grade again" in grade._result(future)["fault"]


def test_a_text_of_a_student_can_be_written_anywhere():
    assert grade.clean("a\x00\x1b[31m\ud800\nb" + "x" * 5000)[:12] == "a��[31m?\nbxx"
    assert len(grade.clean("x" * 5000)) == grade.MESSAGE
    assert Path(os.devnull).write_text(grade.clean("\udfff"), encoding="utf-8") == 1
