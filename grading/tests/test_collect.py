"""What course systems hand out becomes a folder for each student, and nobody's work gets lost in silence."""

import csv
import io
import json
import zipfile

import pytest

from grading import submissions
from grading.__main__ import main

NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def zipped(files, when=(2027, 3, 1, 12, 0, 0)):
    """Return the bytes of a ZIP file with these texts or bytes by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, when), content)
    return data.getvalue()


@pytest.fixture
def collect(tmp_path, capsys):
    """Collect a ZIP file with ``collect(files, option, ...)``; return notebooks by student, table and errors."""

    def run(files, *options, status=0, **more):
        download = tmp_path / "download.zip"
        download.write_bytes(files if isinstance(files, bytes) else zipped(files, **more))
        return taken(download, *options, status=status)

    def taken(download, *options, status=0):
        assert main(["collect", "7-local", str(download), "--to", str(tmp_path / "in"), *options]) == status
        if status:
            return capsys.readouterr().err
        found = submissions.find(tmp_path / "in", "7-local")
        texts = {
            student: path.read_text(encoding="utf-8") if path.is_file() else None for student, path in found.items()
        }
        with (tmp_path / "in" / "collected.csv").open(encoding="utf-8-sig", newline="") as file:
            table = {row["student"]: row for row in csv.DictReader(file)}
        return texts, table, capsys.readouterr().err

    run.folder = taken
    return run


# What was downloaded; and of each student the folder, the notebook, the system's own name and where feedback goes.
DOWNLOADS = {
    "Moodle, folders": (
        {
            "Ada Lovelace_123_assignsubmission_file_/7-local.ipynb": "ada",
            "Ada Lovelace_123_assignsubmission_onlinetext_/onlinetext.html": "hello",
            "Bob_124_assignsubmission_file/my work.ipynb": "bob",
        },
        ("Ada Lovelace_123", "ada", "Participant 123", "Ada Lovelace_123_assignsubmission_file_/"),
        ("Bob_124", "bob", "Participant 124", "Bob_124_assignsubmission_file/"),
    ),
    "Moodle, flat": (
        {"Ada Lovelace_123_assignsubmission_file_7-local.ipynb": "ada"},
        ("Ada Lovelace_123", "ada", "Participant 123", "Ada Lovelace_123_assignsubmission_file_"),
    ),
    "Canvas": (
        {"lovelaceada_98_4711_7-local.ipynb": "ada", "bloggsbob_LATE_99_4712_7-local-2.ipynb": "bob"},
        ("lovelaceada", "ada", "98", "lovelaceada_98_4711_"),
        ("bloggsbob", "bob", "99", "bloggsbob_LATE_99_4712_"),
    ),
    "Blackboard": (
        {
            "7-local_alovelace_attempt_2027-02-28-10-00-00.txt": "Name: Ada (alovelace)",
            "7-local_alovelace_attempt_2027-02-28-10-00-00_7-local.ipynb": "old",
            "7-local_alovelace_attempt_2027-03-02-09-30-00.txt": "Name: Ada (alovelace)",
            "7-local_alovelace_attempt_2027-03-02-09-30-00_7-local.ipynb": "ada",
        },
        ("alovelace", "ada", "alovelace", ""),
    ),
    "flat": (
        {"ada.ipynb": "ada", "bob_7-local.ipynb": "bob", "cyd-7-local (1).ipynb": "cyd"},
        *((student, student, "", "") for student in ("ada", "bob", "cyd")),
    ),
    "folders in a folder": (
        {"all/ada/7-local.ipynb": "ada", "all/bob/7-local/x.ipynb": "bob", "__MACOSX/all/ada/._7-local.ipynb": "x"},
        *((student, student, "", "") for student in ("ada", "bob")),
    ),
}


every_download = pytest.mark.parametrize("download", DOWNLOADS.values(), ids=DOWNLOADS)


@every_download
def test_a_download_becomes_a_folder_for_each_student(collect, download):
    files, *students = download
    found, table, errors = collect(files)
    assert {(name, found[name], row["id"], row["reply"]) for name, row in table.items()} == set(students)
    assert len(found) == len(students) and errors == ""


@every_download
def test_so_does_the_folder_that_it_was_unpacked_into(collect, tmp_path, download):
    files, *students = download
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert collect.folder(tmp_path / "unpacked")[0] == {name: notebook for name, notebook, *_ in students}


def test_what_a_student_has_zipped_is_unpacked(collect):
    inside = {"mine/7-local.ipynb": "ada", "mine/checks.py": "x", "__MACOSX/mine/._7-local.ipynb": "x"}
    found, _, errors = collect({"lovelaceada_98_4711_mine.zip": zipped(inside), "bob.zip": zipped({"a.ipynb": "bob"})})
    assert found == {"lovelaceada": "ada", "bob": "bob"}
    assert errors == ""


def test_two_notebooks_are_both_there_and_named(collect):
    found, table, errors = collect({"ada/one.ipynb": "1", "ada/two.ipynb": "2", "bob/7-local.ipynb": "bob"})
    assert found == {"ada": None, "bob": "bob"}
    assert "ada: several notebooks: one.ipynb, two.ipynb" in errors
    assert table["ada"]["note"].startswith("several")


def test_names_may_be_long_and_in_capitals(collect):
    found, _, errors = collect(
        {f"{'👩‍🔬' * 60}_7-local.IPYNB": "ada", f"bob/{'b' * 250}.ipynb": "1", "bob/c.ipynb": "2"}
    )
    assert sorted(found.values(), key=str) == [None, "ada"]
    assert "bob: several notebooks" in errors


def test_who_has_handed_in_no_notebook_is_named(collect):
    found, _, errors = collect(
        {
            "Ada_1_assignsubmission_onlinetext_/onlinetext.html": "my answer",
            "Bob_2_assignsubmission_file_/report.pdf": "x",
            "Cyd_3_assignsubmission_file_/mine.zip": "no ZIP file",
            "Dan_4_assignsubmission_file_/7-local.ipynb": "dan",
        }
    )
    assert found == {"Ada_1": None, "Bob_2": None, "Cyd_3": None, "Dan_4": "dan"}
    assert "Ada_1: no notebook; handed in: nothing" in errors
    assert "Bob_2: no notebook; handed in: report.pdf" in errors
    assert "Cyd_3: mine.zip can't be opened" in errors


@pytest.mark.parametrize(
    "only",
    [
        *[{".7-local.ipynb": "x"}, {"__MACOSX/7-local.ipynb": "x"}, {"collected.csv": "x"}, {".x/7-local.ipynb": "x"}],
        *[{"w.zip": zipped({})}, {"w.zip": zipped({"a/": ""})}, {"w.zip": zipped({"__MACOSX/7-local.ipynb": "x"})}],
    ],
)
@pytest.mark.parametrize("wrapper", ["", "download/"])
def test_who_has_handed_in_only_what_is_not_taken_is_there_and_named(collect, only, wrapper):
    bob = {f"{wrapper}Bob_2_assignsubmission_file_/{name}": data for name, data in only.items()}
    ada = {f"{wrapper}Ada_1_assignsubmission_file_/7-local.ipynb": "ada", "__MACOSX/.Ada.ipynb": "", ".DS_Store": ""}
    found, _, errors = collect(ada | bob)
    assert found == {"Ada_1": "ada", "Bob_2": None}
    assert "Bob_2: " in errors and "no notebook; handed in: " in errors


@pytest.mark.parametrize("appended", [".txt", ".json", ".TXT"])
def test_an_ending_that_a_browser_added_is_no_reason_to_lose_the_work(collect, appended):
    found, _, errors = collect({f"ada_7-local.ipynb{appended}": "ada", f"bob/7-local.ipynb{appended}": "bob"})
    assert found == {"ada": "ada", "bob": "bob"}
    assert errors == ""


def test_who_has_handed_in_too_much_is_told(collect, tmp_path):
    """On the terminal, in the table, and by the grader on the student's page."""
    found, table, errors = collect({"ada/7-local.ipynb": "x" * (submissions.LARGEST + 1)})
    assert found == {"ada": None}
    for told in (errors, table["ada"]["note"]):
        assert "7-local.ipynb is larger than 20 MB" in told and "Clear Outputs" in told
    with pytest.raises(submissions.Unreadable, match=r"no notebook: 7-local.ipynb is larger than 20 MB.*Clear Outputs"):
        submissions.read(submissions.find(tmp_path / "in", "7-local")["ada"], [])


def test_a_file_that_is_nobodys_is_named(collect):
    found, _, errors = collect({"7-local.ipynb": "whose?", "bob.ipynb": "bob"})
    assert found == {"bob": "bob"}
    assert "nobody can tell whose it is: 7-local.ipynb" in errors


def test_days_late_are_counted(collect):
    files = {"lovelaceada_98_1_x.ipynb": "x", "bloggsbob_LATE_99_2_x.ipynb": "x"}
    for due, days in (
        ("2027-03-01T12:00", ["0", "1"]),
        ("2027-02-27T11:59", ["3", "3"]),
        ("2027-03-05T00:00:00", ["0", "1"]),
    ):
        table = collect(files, "--due", due)[1]
        assert [table["lovelaceada"]["late"], table["bloggsbob"]["late"]] == days
    assert collect(files)[1]["bloggsbob"]["late"] == ""
    blackboard = {"7_ada_attempt_2027-03-03-00-00-01_x.ipynb": "x"}
    assert collect(blackboard, "--due", "2027-03-02T00:00")[1]["ada"]["late"] == "2"
    assert "as 2027-03-01T23:59, got 'soon'" in collect(files, "--due", "soon", status=2)


def test_of_several_files_the_last_says_when(collect):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, day in (("a", 1), ("b", 3), ("c", 2)):
            archive.writestr(zipfile.ZipInfo(f"lovelaceada_98_1_{name}.ipynb", (2027, 3, day, 12, 0, 0)), "x")
    row = collect(data.getvalue(), "--due", "2027-03-02T12:00")[1]["lovelaceada"]
    assert (row["handed in"], row["late"]) == ("2027-03-03T12:00", "1")


def test_folders_are_named_by_the_systems_own_table(collect, tmp_path):
    roster = tmp_path / "worksheet.csv"
    roster.write_text("Identifier,Full name,Email address\nParticipant 123,Ada,ada@x.org\n", encoding="utf-8")
    files = {"Ada_123_assignsubmission_file_/7-local.ipynb": "ada"}
    assert collect(files, "--roster", str(roster))[0] == {"ada@x.org": "ada"}
    roster.write_text("Identifier,Full name,Email address\nParticipant 9,Ada,ada@x.org\n", encoding="utf-8")
    assert "has no Email address for Identifier 'Participant 123'" in collect(files, "--roster", str(roster), status=2)


def test_collecting_again_takes_what_is_new_and_keeps_the_rest(collect):
    collect({"ada.ipynb": "old", "bob.ipynb": "bob"})
    found, table, _ = collect({"ada.ipynb": "new"})
    assert found == {"ada": "new", "bob": "bob"}
    assert list(table) == ["ada", "bob"]


ESCAPES = ["../../evil.ipynb", "{outside}/evil.ipynb", "..\\..\\evil.ipynb", "ada/../../evil.ipynb"]


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_is_written_elsewhere(collect, tmp_path, name):
    before = {path for path in tmp_path.parent.rglob("*") if "/in" not in str(path)}
    collect({name.format(outside=tmp_path): "x", "bob.ipynb": "bob"})
    after = {path for path in tmp_path.parent.rglob("*") if "/in" not in str(path)}
    assert after - before <= {tmp_path / "download.zip"}


def test_a_link_in_a_folder_leads_nowhere_else(collect, tmp_path):
    (tmp_path / "solution.ipynb").write_text("secret", encoding="utf-8")
    for name in ("ada", "bob"):
        (tmp_path / "download" / name).mkdir(parents=True)
    (tmp_path / "download" / "ada" / "7-local.ipynb").symlink_to(tmp_path / "solution.ipynb")
    (tmp_path / "download" / "bob" / "7-local.ipynb").write_text("bob", encoding="utf-8")
    assert collect.folder(tmp_path / "download")[0] == {"bob": "bob"}


def test_a_zip_that_grows_is_not_unpacked(collect, monkeypatch):
    monkeypatch.setattr("grading.collect.LARGEST", 1000)
    found, _, errors = collect({"ada.ipynb": "x" * 2000, "bob.ipynb": "bob"})
    assert found == {"ada": None, "bob": "bob"}
    assert "ada.ipynb is larger than" in errors


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no ZIP", "is no ZIP file that can be opened"),
        (zipped({}), "holds nothing"),
        (zipped({"7-local (1).ipynb": "x"}), "nobody can tell whose it is: 7-local (1).ipynb"),
        (
            zipped({"a:b.ipynb": "x", "a?b.ipynb": "x"}),
            "several would have one folder, named by --roster and --key: a_b (a:b.ipynb and a?b.ipynb)",
        ),
    ],
)
def test_a_download_that_can_not_be_used(collect, data, message):
    assert message in collect(data, status=2)


# Nothing is lost


def test_another_assignments_folder_is_not_taken(collect, capsys, tmp_path):
    collect({"ada.ipynb": "ada"})
    (tmp_path / "other.zip").write_bytes(zipped({"ada.ipynb": "other"}))
    assert main(["collect", "2-laplace", str(tmp_path / "other.zip"), "--to", str(tmp_path / "in")]) == 2
    assert "was made for 7-local, not for 2-laplace" in capsys.readouterr().err
    assert (tmp_path / "in" / "ada" / "7-local.ipynb").read_text(encoding="utf-8") == "ada"


def test_each_assignment_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "download.zip").write_bytes(zipped({"ada.ipynb": "ada"}))
    assert main(["collect", "7-local", "download.zip"]) == 0
    assert main(["collect", "2-laplace", "download.zip"]) == 0
    assert (tmp_path / "submissions" / "7-local" / "ada" / "7-local.ipynb").is_file()
    assert (tmp_path / "submissions" / "2-laplace" / "ada" / "2-laplace.ipynb").is_file()


def test_a_notebook_that_a_person_has_changed_stays(collect, tmp_path):
    collect({"ada.ipynb": "ada", "bob.ipynb": "bob"})
    (tmp_path / "in" / "ada" / "7-local.ipynb").write_text("mended", encoding="utf-8")
    found, table, errors = collect({"ada.ipynb": "new", "bob.ipynb": "new"})
    assert found == {"ada": "mended", "bob": "new"}
    assert "was changed since it was made" in table["ada"]["note"] and "ada" in errors


def test_an_extension_counts_for_one_student_and_days_late_by_hand_stay(collect, tmp_path):
    files = {"ada.ipynb": "ada", "bob.ipynb": "bob"}
    _, table, _ = collect(files, "--due", "2027-02-27T23:59", "--extension", "bob=2027-03-03T00:00")
    assert [table[name]["late"] for name in ("ada", "bob")] == ["2", "0"]
    path = tmp_path / "in" / "collected.csv"
    path.write_text(path.read_text(encoding="utf-8-sig").replace(",2,", ",1,"), encoding="utf-8-sig")
    _, table, _ = collect(files, "--due", "2027-02-27T23:59", "--extension", "bob=2027-03-03T00:00")
    assert table["ada"]["late"] == "1"
    _, table, _ = collect(files, "--due", "2027-02-26T23:59")
    assert [table[name]["late"] for name in ("ada", "bob")] == ["3", "3"]


@pytest.mark.parametrize(
    "option", ["--due=2027-03-01T23:59+09:00", "--due=2027-03-01T23:59Z", "--due=2027-03-01", "--extension=ada"]
)
def test_a_time_zone_and_a_day_alone_are_refused(collect, option):
    assert "must be a day and a time" in collect({"ada.ipynb": "ada"}, option, status=2)


def test_an_extension_for_nobody_is_refused(collect):
    assert "got zoe" in collect({"ada.ipynb": "ada"}, "--extension", "zoe=2027-03-03T00:00", status=2)


def test_a_file_without_a_date_is_taken(collect):
    data = bytearray(zipped({"ada.ipynb": "ada", "bob.ipynb": "bob"}))
    for mark, place in ((b"PK\x03\x04", 12), (b"PK\x01\x02", 14)):
        start = data.find(mark)
        data[start + place : start + place + 2] = bytes(2)  # month 0, day 0
    found, table, _ = collect(bytes(data), "--due", "2027-02-27T23:59")
    assert found == {"ada": "ada", "bob": "bob"}
    assert table["ada"]["handed in"] == table["ada"]["late"] == "" and table["bob"]["late"] == "2"


def test_too_many_notebooks_of_one_student_are_not_unpacked(collect):
    many = {f"ada/{number}.ipynb": "0" for number in range(60)}
    found, table, _ = collect(many | {"bob/7-local.ipynb": "bob"})
    assert found["ada"] is None and found["bob"] == "bob"
    assert "more than 20 notebooks" in table["ada"]["note"]


# ------------------------------------------------------------------------- names that a student has chosen

# What stands first in a name is the system's: person, moment, late or not. What follows is the student's.
FIRST = {
    "moodle": ("Mallory_110_assignsubmission_file_", "Ada Lovelace_101_assignsubmission_file_"),
    "moodle, folders": ("Mallory_110_assignsubmission_file_/", "Ada Lovelace_101_assignsubmission_file_/"),
    "canvas": ("mallory_LATE_77_4713_", "lovelaceada_98_4711_"),
    "blackboard": ("Week_mallory_attempt_2027-03-01-10-30-00_", "Week_ada_attempt_2027-03-01-09-30-00_"),
}
PEOPLE = {
    "moodle": ("Mallory_110", "Ada Lovelace_101"),
    "canvas": ("mallory", "lovelaceada"),
    "blackboard": ("mallory", "ada"),
}
HOSTILE = [
    "7-local",
    "x_ada_attempt_2027-03-01-23-58-00_7-local",
    "z_101_assignsubmission_file_7-local",
    "Ada Lovelace_101_assignsubmission_file_7-local",
    "lovelaceada_98_4711_7-local",
    "x_5_assignsubmission_onlinetext_7-local",
    "LATE_98_4711_7-local",
    "Week_ada_attempt_2027-02-01-10-00-00_7-local",
    " ",
    "a..",
    "ada",
]


@pytest.mark.parametrize("chosen", HOSTILE)
@pytest.mark.parametrize("system", FIRST)
def test_no_name_that_a_student_chose_decides_whose_work_it_is_or_when_it_came(collect, system, chosen):
    mallory, ada = FIRST[system]
    others = [
        f"{ada.replace('101', str(200 + k)).replace('98', str(200 + k)).replace('ada', f'ada{k}')}" for k in (1, 2)
    ]
    files = {f"{mallory}{chosen}.ipynb": "mallory", f"{ada}7-local.ipynb": "ada"}
    files |= {f"{other}7-local.ipynb": "other" for other in others}
    found, table, errors = collect(files, "--due", "2027-03-01T10:00")
    its = PEOPLE[system.partition(",")[0]]
    assert [found[person] for person in its] == ["mallory", "ada"]
    assert len(found) == 4 and errors == ""
    assert [table[person]["late"] for person in its] == ["1", "0" if system == "blackboard" else "1"]


@pytest.mark.parametrize("system", ["moodle", "canvas", "blackboard"])
def test_where_one_name_alone_could_be_of_two_systems_the_lecturer_says_which(collect, system):
    imitated = "x_5_assignsubmission_file_" if system != "moodle" else "x_ada_attempt_2027-02-01-10-00-00_"
    name = f"{FIRST[system][0]}{imitated}7-local.ipynb"
    assert "of more than one system" in collect({name: "mallory"}, status=2)
    assert collect({name: "mallory"}, "--system", system)[0] == {PEOPLE[system][0]: "mallory"}


@pytest.mark.parametrize(
    "inside", ["/home/abe/7-local.ipynb", "//7-local.ipynb", "../../7-local.ipynb", "/7-local.ipynb"]
)
def test_paths_in_a_students_zip_lead_nowhere_else(collect, tmp_path, inside):
    roster = tmp_path / "gradebook.csv"
    roster.write_text("Student,ID,SIS Login ID,Section\nAbe,97,abe,1\nAda,98,ada,1\n", encoding="utf-8")
    files = {"abe_97_4710_w.zip": zipped({inside: "abe"}), "lovelaceada_98_4711_7-local.ipynb": "ada"}
    assert collect(files)[0] == {"abe": "abe", "lovelaceada": "ada"}
    assert collect(files, "--roster", str(roster))[0] == {"abe": "abe", "lovelaceada": "ada", "ada": "ada"}


def test_a_file_that_no_system_has_named_stops_nobodys_roster(collect, tmp_path):
    roster = tmp_path / "gradebook.csv"
    roster.write_text("Student,ID,SIS Login ID,Section\nAda,98,ada,1\n", encoding="utf-8")
    files = {"lovelaceada_98_4711_7-local.ipynb": "ada", "notes.ipynb": "x"}
    found, _, errors = collect(files, "--roster", str(roster))
    assert found == {"ada": "ada"}
    assert "not taken, for nobody can tell whose it is: notes.ipynb" in errors


def test_two_records_of_one_person_are_an_error_that_names_both_files(collect):
    files = {"Ada_101_assignsubmission_file_a.ipynb": "1", "Ada L_101_assignsubmission_file_b.ipynb": "2"}
    error = collect(files, status=2)
    assert "two records of Participant 101" in error
    assert all(name in error for name in files)


def test_names_of_people_may_have_a_low_line_in_blackboard(collect):
    when = "attempt_2027-03-01-09-30-00_7-local.ipynb"
    found, *_ = collect(
        {f"Week_3_john_doe_{when}": "john", f"Week_3_jane_doe_{when}": "jane", f"Week_3_ada_{when}": "ada"}
    )
    assert found == {"john_doe": "john", "jane_doe": "jane", "ada": "ada"}


def test_a_day_that_there_isnt_is_no_time_and_stops_nobody(collect):
    first, second = (f"7_ada_attempt_2027-0{month}-31-09-30-00_7-local.ipynb" for month in (2, 3))
    bob = "7_bob_attempt_2027-13-01-09-30-00_7-local.ipynb"
    for files in ({first: "1", second: "2", bob: "3"}, {second: "2", first: "1", bob: "3"}):
        found, *_ = collect(files)
        assert found == {"ada": "2", "bob": "3"}


def test_a_folder_with_a_blank_takes_nobodys_name(tmp_path):
    for name in (" Abe", "Abe"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "7-local.ipynb").write_text(name)
    found = submissions.find(tmp_path, "7-local")
    assert {name: path.read_text() for name, path in found.items()} == {"Abe": "Abe", "Abe'": " Abe"}
