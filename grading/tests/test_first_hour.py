"""A lecturer's first hour with each assignment, by the commands of the guide: hand out, collect from Moodle and from
Canvas what two students have handed in, grade, mark the written answers, give the marks back to both.

One assignment stands in for all on each change; DP_TEST_ALL=1 tries all.
"""

import csv
import zipfile

import pytest
from thorough import THOROUGH

from grading import release, source
from grading.__main__ import main
from grading.release import ASSIGNMENTS

from .small import filled

NAMES = sorted(path.parent.name for path in ASSIGNMENTS.glob("[0-9]*/source.py"))
QUICK = ["1-anonymity"]  # grades in seconds: what the others do, test_variants.py tries
MOODLE = "{name}_{id}_assignsubmission_file_/{file}"
CANVAS = "{login}_{id}_47{id}_{file}"
STUDENTS = {"Ada Lovelace": ("lovelaceada", "123"), "Bob Bloggs": ("bloggsbob", "124")}


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def download(place, pattern, notebooks):
    """Write a ZIP file as the course system would: of Ada the solved notebook, of Bob the one that was handed out."""
    with zipfile.ZipFile(place, "w") as archive:
        for (name, (login, number)), text in zip(STUDENTS.items(), notebooks, strict=True):
            path = pattern.format(name=name, login=login, id=number, file="my work.ipynb")
            archive.writestr(path, text)
    return place


@pytest.mark.parametrize("name", NAMES if THOROUGH else QUICK)
def test_from_a_clone_to_marks_in_both_course_systems(name, tried, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "refuse_unfair", lambda assignment: None)  # test_variants.py tries all answers
    monkeypatch.chdir(tmp_path)
    assert main(["release", str(ASSIGNMENTS / name), "--to", "out"]) == 0
    handed_out = tmp_path / "out" / "student" / name / f"{name}.ipynb"
    tasks = source.load(ASSIGNMENTS / name).tasks
    solved = filled(handed_out, {task.name: task.cells["solution"].text for task in tasks if not task.written})
    both = [solved, handed_out.read_text(encoding="utf-8")]
    by_hand = sum(task.points for task in tasks if task.written)
    for system, pattern, header in [
        ("moodle", MOODLE, "Identifier,Full name\nParticipant 123,Ada Lovelace\nParticipant 124,Bob Bloggs\n"),
        ("canvas", CANVAS, 'Student,ID,SIS Login ID,Section\n"Lovelace, Ada",123,ada,A\n"Bloggs, Bob",124,bob,A\n'),
    ]:
        (tmp_path / f"{system}.csv").write_text(header, encoding="utf-8")
        packed = str(download(tmp_path / f"{system}.zip", pattern, both))
        results = f"{system}/results.json"
        assert main(["collect", name, packed, "--to", f"in-{system}"]) == 0
        assert main(["grade", name, f"in-{system}", "--out", system, "--jobs", "2"]) == 0
        assert main(["written", results, "--to", f"written-{system}.csv"]) == 0
        marked = rows(tmp_path / f"written-{system}.csv")
        assert {row["student"].split("_")[0] for row in marked} <= {"Ada Lovelace", "lovelaceada"}, "Bob wrote nothing"
        with (tmp_path / f"written-{system}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, marked[0].keys())
            table.writeheader()
            table.writerows(row | {"points": "1"} for row in marked)
        options = ["--hand", f"written-{system}.csv", "--roster", f"{system}.csv", "--format", system]
        assert main(["export", results, *options, "--to", f"marks-{system}.csv"]) == 0
        ada, bob = [float([*row.values()][-1]) for row in rows(tmp_path / f"marks-{system}.csv")[-2:]]
        assert ada == 100 - by_hand + len(marked) and bob < ada / 2, system
        options = ["--hand", f"written-{system}.csv", "--to", f"pages-{system}", "--zip", f"back-{system}.zip"]
        assert main(["feedback", results, *options]) == 0
        with zipfile.ZipFile(tmp_path / f"back-{system}.zip") as back:
            assert sum(page.endswith(".html") for page in back.namelist()) == 2
