"""Many submissions are graded, each by what is in it, and a broken one is nobody else's problem."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import psutil
import pytest

from grading import grade, source, submissions, texts
from grading.__main__ import main
from grading.verdicts import Verdict

from .small import ADD, SETUP, TALLEST, assignment_in, code, hand_in, markdown, notebook

NOWHERE = grade.Sandbox(None, None, isolated=False)  # for what never comes to a process


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a small assignment."""
    return assignment_in(tmp_path_factory.mktemp("assignments"))


@pytest.fixture(scope="module")
def assignment(folder):
    return source.load(folder)


# Reading what was handed in


def test_notebooks_are_found_wherever_course_systems_put_them(tmp_path):
    expected = {
        "ada": hand_in(tmp_path, "ada", notebook()),
        "bob": hand_in(tmp_path, "bob", notebook(), "9-trees/trees.ipynb"),
        "cyd": hand_in(tmp_path, "cyd", notebook(), "9-trees (2).IPYNB"),
        "dan": hand_in(tmp_path, "dan", notebook()),
        "eve": tmp_path / "eve",
        "fay": hand_in(tmp_path, "fay", notebook(), "upload/week 3/my trees.ipynb"),
        "gus": hand_in(tmp_path, "gus", notebook(), "upload/9-trees.ipynb"),
        "hal": tmp_path / "hal",
    }
    hand_in(tmp_path, "fay", notebook(), "upload/.ipynb_checkpoints/my trees-checkpoint.ipynb")
    hand_in(tmp_path, "fay", notebook(), "__MACOSX/my trees.ipynb")
    hand_in(tmp_path, "gus", notebook(), "upload/first try.ipynb")
    hand_in(tmp_path, "hal", "words", "report.pdf")
    hand_in(tmp_path, "dan", notebook(), "other.ipynb")
    hand_in(tmp_path, "eve", notebook(), "one.ipynb")
    hand_in(tmp_path, "eve", notebook(), "two.ipynb")  # which of them?
    hand_in(tmp_path, ".hidden", notebook())
    assert submissions.find(tmp_path, "9-trees") == expected


def test_no_submissions_is_an_error_that_names_the_folder(tmp_path, capsys, folder):
    for place in (tmp_path / "nowhere", tmp_path):
        assert main(["grade", str(folder), str(place)]) == 2
        assert str(place) in capsys.readouterr().err


def test_an_unknown_assignment_is_an_error_that_names_those_there_are(tmp_path, capsys):
    assert main(["grade", "7-locl", str(tmp_path)]) == 2
    assert "or a folder with a source.py, got '7-locl'" in capsys.readouterr().err


def test_what_is_no_notebook_or_more_than_one_is_named(tmp_path, assignment):
    hand_in(tmp_path, "ada", "words", "report.pdf")
    hand_in(tmp_path, "bob", notebook(), "9-trees (1).ipynb")
    hand_in(tmp_path, "bob", notebook(), "9-trees (2).ipynb")
    found = submissions.find(tmp_path, "9-trees")
    with pytest.raises(submissions.Unreadable, match=r"there is no notebook; handed in: report\.pdf"):
        submissions.read(found["ada"], assignment.tasks)
    with pytest.raises(submissions.Undecided, match=r"2 notebooks, of which one can count: .*\(1\).ipynb, .*\(2\)"):
        submissions.read(found["bob"], assignment.tasks)
    record = grade.grade_one(found["bob"], assignment, sandbox=NOWHERE)
    assert "2 notebooks" in record["fault"]


def test_names_of_folders_are_safe_to_print_and_no_student_gets_lost(tmp_path):
    names = ["ada\x1b[2J", "ada\x1b\x1b[2J"[:3] + "\x07[2J", "bob\nnot graded: eve", "cyd\u202e"]
    for name in names:
        hand_in(tmp_path, name, notebook())
    found = submissions.find(tmp_path, "9-trees")
    assert len(found) == len(names)
    assert not any(char in name for name in found for char in "\x1b\x07\n\u202e")


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


SPLIT = {
    "split": [markdown("Because", "q3-answer"), markdown("of this.", "q3-answer")],
    "split around a question of the student's": [
        markdown("Because", "q3-answer"),
        markdown("of"),
        markdown("this.", "q3-answer"),
    ],
    "above the marked one": [markdown("Because\n\nof this."), markdown("*Write your answer here.*", "q3-answer")],
    "above and in it": [markdown("Because"), markdown("of this.", "q3-answer")],
    "below": [markdown("*Write your answer here.*", "q3-answer"), markdown("Because"), markdown("of this.")],
}


@pytest.mark.parametrize("cells", SPLIT.values(), ids=SPLIT)
def test_a_split_written_answer_is_whole(tmp_path, assignment, cells):
    content = notebook()
    content["cells"][-1:] = [*cells, markdown("## The end", "end", editable=False), markdown("scratch")]
    found = submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)
    assert found.written["q3"].split() == ["Because", "of", "this."]


def test_a_moved_written_answer_is_whole(tmp_path, assignment):
    content = notebook()
    answer = content["cells"].pop()
    content["cells"][3:3] = [answer, markdown("And this.")]
    found = submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)
    assert found.written == {"q3": "Because.\n\nAnd this."}


def test_an_answer_in_the_questions_own_cell_counts(tmp_path, assignment):
    content = notebook(written="*Write your answer here.*")
    content["cells"][-2]["source"] += "\n\nBecause."
    found = submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)
    assert found.written == {"q3": "Because."}


def test_a_written_answer_holds_nothing_that_a_terminal_obeys(tmp_path, assignment):
    found = submissions.read(hand_in(tmp_path, "ada", notebook(written="a\x1b[31m\x00\nb")), assignment.tasks)
    assert found.written == {"q3": "a�[31m�\nb"}


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
        "[" * 100_000,
        "\x00\x01",
    ],
    ids=lambda content: content[:50],
)
def test_what_is_no_notebook_is_unreadable(tmp_path, assignment, content):
    with pytest.raises(submissions.Unreadable, match="no notebook"):
        submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks)


@pytest.mark.parametrize("metadata", ["3", "[1, 2]", '{"nbgrader": 3}'])
def test_a_cell_with_odd_metadata_is_read(tmp_path, assignment, metadata):
    content = f'{{"cells": [{{"cell_type": "code", "source": "x = 1", "metadata": {metadata}}}]}}'
    assert submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks).cells == [(1, "x = 1")]


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

# Two small arrays whose comparison takes 9 GB: it happens in the grader's process.
BOMB = """import numpy as np
large = {(1, 2): np.zeros((100_000, 1), np.int8), (2, 1): np.zeros(90_000, np.int8)}
add = lambda numbers: large.get(tuple(numbers), sum(numbers))"""
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
    "bomb": notebook(add=BOMB),
    "json": notebook(tallest="tallest = [[]] * 700_000"),
    os.fsdecode(b"\xff"): notebook(written="half a \ud800 pair, <b>markup</b>"),
}


@pytest.fixture(scope="module")
def graded(tried, folder, tmp_path_factory):
    """Grade all submissions through the command line, two at a time, and return the results' folder and status."""
    root, patch = tmp_path_factory.mktemp("graded"), pytest.MonkeyPatch()
    for student, content in SUBMISSIONS.items():
        hand_in(root / "submissions", student, content)
    patch.setattr(source, "ASSIGNMENTS", folder.parent)
    status = main(["grade", "9-trees", str(root / "submissions"), "--out", str(root / "out"), "--jobs", "2"])
    patch.undo()
    return root, status


@pytest.fixture(scope="module")
def records(graded):
    results = json.loads((graded[0] / "out" / "results.json").read_text(encoding="utf-8"))
    return {record["student"]: record for record in results["students"]}


def test_each_earns_what_it_deserves(graded, records):
    assert graded[1] == 0
    found = {}
    for student, record in records.items():
        found.setdefault(tuple(verdict["earned"] for verdict in record["tasks"].values()), set()).add(student)
    nothing, second = {"unfinished", "empty", "broken"}, {"wrong", "spy", "crash", "bomb"}
    assert found == {(50, 40): {"right", "?"}, (50, 0): {"json"}, (0, 40): second, (0, 0): nothing}
    assert {record["fault"] for record in records.values()} == {None}
    assert [name for name, one in records.items() if "MemoryError" in json.dumps(one["tasks"])] == ["bomb"]


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


def test_the_same_submissions_give_the_same_results(graded, folder, records):
    root, _ = graded
    found = {student: root / "submissions" / student / "9-trees.ipynb" for student in ("right", "wrong")}
    again = dict(grade.grade_each(folder, found))
    for student, record in again.items():
        assert record == {name: records[student][name] for name in record}


# One student again, an interruption, results that merge


@pytest.fixture
def quick(folder, tmp_path, monkeypatch):
    """Grade with ``quick(...)`` what lies in submissions/, by the length of the notebook instead of its answers."""

    def grade_each(_, found, **__):
        graded.append([*found])
        for student, path in found.items():
            if student == "stop":
                raise KeyboardInterrupt
            verdict = {"earned": path.stat().st_size, "messages": [], "errors": []}
            yield (
                student,
                {"tasks": {"q1": verdict, "q2": verdict}, "written": {}, "log": [], "unread": None, "fault": None},
            )

    graded = []
    monkeypatch.setattr(grade, "grade_each", grade_each)

    def run(*options):
        graded.clear()
        status = main(["grade", str(folder), str(tmp_path / "in"), "--out", str(tmp_path / "out"), *options])
        return status, *graded, results_in(tmp_path / "out")

    return run


def results_in(out):
    students = json.loads((out / "results.json").read_text(encoding="utf-8"))["students"]
    return {record["student"]: record["tasks"]["q1"]["earned"] for record in students}


def test_only_what_is_new_or_has_changed_is_graded(quick, tmp_path):
    for student in ("ada", "bob"):
        hand_in(tmp_path / "in", student, "x")
    assert quick() == (0, ["ada", "bob"], {"ada": 1, "bob": 1})
    hand_in(tmp_path / "in", "bob", "xxx")
    hand_in(tmp_path / "in", "cyd", "xx")
    assert quick() == (0, ["bob", "cyd"], {"ada": 1, "bob": 3, "cyd": 2})
    assert quick() == (0, [], {"ada": 1, "bob": 3, "cyd": 2})
    assert quick("--only", "ada") == (0, ["ada"], {"ada": 1, "bob": 3, "cyd": 2})
    assert quick("--afresh") == (0, ["ada", "bob", "cyd"], {"ada": 1, "bob": 3, "cyd": 2})


def test_who_is_graded_alone_must_be_there(quick, tmp_path, capsys):
    hand_in(tmp_path / "in", "ada", "x")
    hand_in(tmp_path / "out", "", "{}", "results.json")
    with pytest.raises(KeyError):
        quick("--only", "zoe")
    assert "--only must name folders of" in capsys.readouterr().err


def test_an_interruption_keeps_what_is_graded(quick, tmp_path, capsys):
    for student in ("ada", "stop", "zoe"):
        hand_in(tmp_path / "in", student, "x")
    assert quick() == (2, ["ada", "stop", "zoe"], {"ada": 1})
    assert "the same command does the rest" in capsys.readouterr().err
    (tmp_path / "in" / "stop").rename(tmp_path / "in" / "go")
    assert quick() == (0, ["go", "zoe"], {"ada": 1, "go": 1, "zoe": 1})
    (tmp_path / "in" / "ada").rename(tmp_path / "in" / "adam")
    assert quick() == (0, ["adam"], {"ada": 1, "adam": 1, "go": 1, "zoe": 1})
    assert "no longer among the submissions: ada" in capsys.readouterr().err


@contextmanager
def busy_command(tmp_path, temporary, folder, number):
    """Yield a `grade` whose notebook works without end and has started another process, and all that it has started."""
    hand_in(tmp_path / "submissions", "ada", notebook(add="import os\nos.fork()\nwhile True: pass"))
    command = [sys.executable, "-m", "grading", "grade", str(folder), str(tmp_path / "submissions")]
    command += ["--out", str(tmp_path)]
    heard = {"preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}  # whatever these tests were told to ignore
    place = os.environ | {"TMPDIR": str(temporary)}
    with psutil.Popen(command, env=place, stderr=subprocess.PIPE, **heard) as process:
        started = []
        while sum("bwrap" not in names and "worker.py" in names[-1] for names in map(command_line, started)) < 2:
            assert process.poll() is None, process.stderr.read()
            started = process.children(recursive=True)
        yield process, started


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_nothing_behind(bubblewrap, tmp_path, tmp_path_factory, folder, number):
    """Neither a process nor a file."""
    temporary = tmp_path_factory.mktemp("t")  # a short name: a socket's path has at most 107 letters
    with busy_command(tmp_path, temporary, folder, number) as (process, started):
        process.send_signal(number)
        assert process.wait(60) == 2
        assert b"what is done stays" in process.stderr.read()
        assert psutil.wait_procs(started, 60)[1] == []
    assert [*temporary.iterdir()] == []


def test_a_command_that_is_killed_leaves_no_process_behind(bubblewrap, tmp_path, tmp_path_factory, folder):
    with busy_command(tmp_path, tmp_path_factory.mktemp("t"), folder, signal.SIGTERM) as (process, started):
        process.kill()
        assert psutil.wait_procs(started, 60)[1] == []


def command_line(process):
    try:
        return process.cmdline() or [""]
    except psutil.Error:
        return [""]


def test_a_change_of_the_grader_grades_anew(quick, tmp_path, monkeypatch):
    for student in ("ada", "bob"):
        hand_in(tmp_path / "in", student, "x")
    assert quick()[1] == ["ada", "bob"]
    assert quick()[1] == []
    changed = shutil.copytree(Path(grade.__file__).parent, tmp_path / "grader", ignore=lambda *_: ["tests"])
    with (changed / "evidence.py").open("a") as mended:
        mended.write("# A check is mended.\n")
    monkeypatch.setattr(grade, "PROGRAM", [changed, grade.PROGRAM[1]])
    grade.program.cache_clear()
    assert quick()[1] == ["ada", "bob"]
    monkeypatch.undo()
    grade.program.cache_clear()


def test_two_commands_do_not_grade_the_same(quick, tmp_path, folder, capsys):
    hand_in(tmp_path / "in", "ada", "x")
    with grade.alone(tmp_path / "in"):
        assert main(["grade", str(folder), str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 2
    assert "another `grade` is at work" in capsys.readouterr().err
    assert quick()[0] == 0


def test_results_of_another_term_are_not_replaced(quick, tmp_path, folder, capsys):
    hand_in(tmp_path / "in", "ada", "x")
    quick()
    before = (tmp_path / "out" / "results.json").read_bytes()
    term = tmp_path / "term.toml"
    term.write_text('seed = "00000000000000b5"\n', encoding="utf-8")
    command = ["grade", str(folder), str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--term", str(term)]
    assert main(command) == 2
    assert "results.json was made for 9-trees, term" in capsys.readouterr().err
    assert (tmp_path / "out" / "results.json").read_bytes() == before


def test_the_class_list_says_who_is_missing_and_refuses_strangers(quick, tmp_path, folder, capsys):
    hand_in(tmp_path / "in", "ada", "x")
    students = tmp_path / "class.csv"
    students.write_text("student;\nada ;\nzoe;\n;\n", encoding="utf-8")  # as a spreadsheet may save it
    quick("--students", str(students))
    assert "handed in nothing: zoe\n" in capsys.readouterr().err
    for name in ("adda", "ADA"):
        hand_in(tmp_path / "in", name, "x")
    command = ["grade", str(folder), str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--students", str(students)]
    assert main(command) == 2
    assert "no student of these names: ADA (near: ada); adda (near: ada)" in capsys.readouterr().err


def test_a_notebook_of_another_assignment_is_named_and_not_judged(tmp_path, assignment):
    content = json.dumps({"cells": [{"cell_type": "markdown", "source": "# A survey\nText", "metadata": {}}]})
    with pytest.raises(submissions.Unreadable, match="another assignment, 7-local"):
        submissions.read(hand_in(tmp_path, "ada", content), assignment.tasks, {"# A survey": "7-local"})


def test_the_titles_of_our_assignments_are_known(assignment):
    titles = source.other_titles(assignment)
    assert len(titles) >= 9 and "7-local" in titles.values() and all(title.startswith("# ") for title in titles)


def test_what_was_noted_when_collecting_goes_into_the_results(quick, tmp_path):
    hand_in(tmp_path / "in", "ada", "x")
    hand_in(tmp_path, "in", "student,id,late,reply\nada,Participant 7,2,Ada_7_x_/\n", "collected.csv")
    quick()
    (record,) = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["students"]
    assert (record["id"], record["late"], record["reply"]) == ("Participant 7", "2", "Ada_7_x_/")


def test_who_earns_nothing_for_want_of_a_notebook_is_named(graded, capsys, folder):
    root, _ = graded
    assert main(["grade", str(folder), str(root / "submissions"), "--out", str(root / "out")]) == 0
    said = capsys.readouterr()
    assert "no points: broken: this is no notebook that Jupyter could open" in said.err
    assert "0 graded now" in said.out


def test_without_bubblewrap_the_command_refuses(folder, tmp_path, monkeypatch, capsys):
    hand_in(tmp_path / "submissions", "ada", notebook())
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["grade", str(folder), str(tmp_path / "submissions"), "--out", str(tmp_path / "out")]) == 2
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

    def restart(self):
        """Nothing is remembered here."""


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


def test_nothing_of_a_tasks_hidden_checks_is_left_when_the_next_task_is_judged(run, assignment):
    """A visible check may print what a function returns, such as what another one was given before."""
    box = run("seen = []\ndef add(numbers):\n    seen.append(numbers)\n    return sum(numbers)", "tallest = 29")
    q1, q2, _ = assignment.tasks
    assert grade.judge(q1, box, assignment, seconds=60)["earned"] == q1.points
    assert len(box.get("seen")) > 1
    grade.judge(q2, box, assignment, seconds=60)
    assert box.get("seen") == []


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


def test_a_grading_process_that_was_ended_is_no_zero_and_names_its_student(monkeypatch, folder):
    monkeypatch.setattr(grade, "_grade_here", _ends_for_bob)
    found = dict(grade._in_processes([("ada", ("ada",)), ("bob", ("bob",)), ("cyd", ("cyd",))], jobs=2))
    assert (found["ada"], found["cyd"]) == ("ada", "cyd")
    assert "--only" in found["bob"]["fault"]


def _ends_for_bob(writer, student):
    if student == "bob":
        os._exit(9)
    writer.send(student)


def test_a_text_of_a_student_can_be_written_anywhere():
    assert texts.clean("a\x00\x1b[31m\x9b\ud800\nb\u202e" + "x" * 5000)[:13] == "a��[31m�?\nb�x"
    assert len(texts.clean("x" * 5000, 1000)) == 1000
    assert Path(os.devnull).write_text(texts.clean("\udfff"), encoding="utf-8") == 1
    assert texts.line("a\n\nb\x1b[2J") == "a b�[2J"
