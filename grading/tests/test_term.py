"""A lecturer's term: two assignments, a late notebook, an interruption, an extension, two graders, a mended check.

All commands run as the guide writes them, in one folder and in the sandbox, and every mark is compared at the end.
"""

import csv
import json
from pathlib import Path

import pytest

from grading import grade, release, source
from grading.__main__ import main

from .small import SOURCE, TALLEST, hand_in, notebook
from .test_collect import zipped

TREES, SHRUBS = "9-trees", "8-shrubs"
EXACT = 'tallest == data["trees.csv"]["height"].max()'
ROUGHLY = 'abs(tallest - data["trees.csv"]["height"].max()) < 1e-6'  # the mended check
WRONG = "def add(numbers):\n    return 0"
NEARLY = TALLEST + " + 1e-9"
CLASS = "student\nada\nbob\ncyd\ndan\neve\n"
# Who hands in what, and what it earns in the end: q1, q2, q3 as the graders mark it, and the days that it is late.
AT_FIRST = {"ada": notebook(), "bob": notebook(add=WRONG, written="No."), "cyd": notebook(tallest=NEARLY)}
LATER = {"bob": notebook(written="Yes."), "dan": notebook(written="Late.")}
MARKS = {
    TREES: {"ada": (50, 40, 9, 0), "bob": (50, 40, 5.5, 2), "cyd": (50, 40, 9, 0), "dan": (50, 40, 3, 2)},
    SHRUBS: {"ada": (50, 40, 8, 0), "bob": (0, 40, 8, 0), "cyd": (50, 0, 8, 0)},
}
ON_TIME, TWO_DAYS_LATER = (2027, 3, 1, 12, 0, 0), (2027, 3, 3, 12, 0, 0)
DUE = ["--due", "2027-03-01T12:00", "--extension", "cyd=2027-03-03T12:00"]


@pytest.fixture
def term(tried, tmp_path, monkeypatch):
    """Stand in the lecturer's folder, with two assignments beside it and the term's file in it."""
    hand_in(tmp_path / "own", TREES, SOURCE, "source.py")
    hand_in(tmp_path / "own", SHRUBS, SOURCE.replace("Assignment 9: Trees", "Assignment 8: Shrubs"), "source.py")
    monkeypatch.setattr(source, "ASSIGNMENTS", tmp_path / "own")
    monkeypatch.setattr(release, "refuse_unfair", lambda assignment: None)  # these have no variants
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    hand_in(tmp_path, "desk", CLASS, "class.csv")
    run("term", "--to", "my-term.toml")
    run("release", TREES, SHRUBS, "--term", "my-term.toml", "--to", "out")
    return tmp_path / "desk"


def run(*command, status=0):
    assert main([*command]) == status, command


def collect(name, handed_in, when, *options):
    files = {f"{student}_{name}.ipynb": json.dumps(content) for student, content in handed_in.items()}
    Path("download.zip").write_bytes(zipped(files, when))
    run("collect", name, "download.zip", *options)


def grade_all(name, status=0):
    run("grade", name, "--term", "my-term.toml", "--students", "class.csv", status=status)


def fill_in(path, points, to=None):
    """Mark the answers that wait in a table, each by its text; one grader's part where there is another file."""
    rows = table(path)
    for row in rows:
        row["points"] = row["points"] or points.get(row["answer"], "")
    header = ["student", "task", "points", "comment"] if to else list(rows[0])
    with Path(to or path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def table(path):
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def marks(name):
    rows = table(f"marks-{name}.csv")
    for row in rows:
        assert row["total"] == "" or float(row["total"]) == sum(float(row[task]) for task in ("q1", "q2", "q3"))
    return {row["student"]: tuple(float(row[part] or -1) for part in ("q1", "q2", "q3", "days late")) for row in rows}


def files_of(name, desk):
    """Return the content of all files that are about one assignment."""
    return {path: path.read_bytes() for path in desk.rglob("*") if name in str(path) and path.is_file()}


def interrupted(monkeypatch):
    """Press Ctrl-C when one notebook is graded."""
    saved = grade._save

    def save(path, results):
        saved(path, results)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(grade, "_save", save)
        grade_all(TREES, status=2)


def test_a_term_from_collecting_to_final_marks(term, monkeypatch, capsys):
    collect(TREES, AT_FIRST, ON_TIME, *DUE)
    interrupted(monkeypatch)
    grade_all(TREES)
    assert "3 submissions, 2 graded now" in capsys.readouterr().out
    trees, table_of_trees = f"results/{TREES}/results.json", f"written-{TREES}.csv"
    run("written", trees, "--anonymous")
    assert not {row["student"] for row in table(table_of_trees)} & AT_FIRST.keys()
    fill_in(table_of_trees, {"Because.": "9", "No.": "1"})
    run("export", trees, "--hand", table_of_trees)
    assert marks(TREES)["cyd"] == (50, 0, 9, 0)  # refused by the check, for a billionth

    # Somebody is late, somebody hands in again; the marks by hand stay, but for an answer that has changed.
    collect(TREES, LATER | {"cyd": AT_FIRST["cyd"]}, TWO_DAYS_LATER, *DUE)
    grade_all(TREES)
    run("written", trees, "--anonymous")
    assert "written answers: 4, to mark: 2, changed since they were marked: 1" in capsys.readouterr().out

    # The check is mended: all are graded again, and no mark by hand is lost.
    text = SOURCE.replace(EXACT, ROUGHLY)
    assert text != SOURCE
    hand_in(term.parent / "own", TREES, text, "source.py")
    grade_all(TREES)
    run("written", trees, "--anonymous")
    said = capsys.readouterr()
    assert "4 submissions, 4 graded now" in said.out and "to mark: 2" in said.out
    assert "handed in nothing: eve" in said.err

    # Two people mark the two that wait, each in a table of their own.
    fill_in(table_of_trees, {"Yes.": "5,5"}, to="one.csv")
    fill_in(table_of_trees, {"Late.": "3"}, to="other.csv")
    hand = ["--hand", "one.csv", "--hand", "other.csv"]
    run("export", trees, *hand)
    run("feedback", trees, *hand)
    before = files_of(TREES, term)

    # The second assignment touches nothing of the first.
    collect(SHRUBS, AT_FIRST, ON_TIME, "--due", "2027-03-01T12:00")
    grade_all(SHRUBS)
    run("written", f"results/{SHRUBS}/results.json")
    fill_in(f"written-{SHRUBS}.csv", {"Because.": "8", "No.": "8"})
    run("export", f"results/{SHRUBS}/results.json", "--hand", f"written-{SHRUBS}.csv")
    run("feedback", f"results/{SHRUBS}/results.json", "--hand", f"written-{SHRUBS}.csv")
    assert files_of(TREES, term) == before

    assert {name: marks(name) for name in MARKS} == MARKS
    page = (term / "feedback" / "dan" / f"{TREES}.html").read_text(encoding="utf-8")
    assert "93 of 100 points (handed in 2 days late)" in page
