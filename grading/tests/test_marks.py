"""Marks, by the checks and by hand, arrive in the tables of course systems and on the students' pages."""

import csv
import html.parser
import json
import zipfile
from unittest.mock import Mock

import pytest

from grading.__main__ import main
from grading.made import LEDGER, Made

TASKS = [
    {"task": "q1", "points": 60, "written": False},
    {"task": "q2", "points": 30, "written": False},
    {"task": "q3", "points": 10, "written": True, "rubric": "A reason.", "title": "Task 3: Why?"},
]


def record(student, *, q1=60, q2=30, answer="Because.", messages=(), log=(), fault=None):
    tasks = {"q1": {"earned": q1, "messages": []}, "q2": {"earned": q2, "messages": list(messages)}}
    tasks = {task: verdict | {"errors": []} for task, verdict in tasks.items()}
    return {"student": student, "tasks": tasks, "written": {"q3": answer}, "log": list(log), "fault": fault}


@pytest.fixture
def write(tmp_path):
    """Write results.json for these records, and a CSV file for each keyword; return their folder."""

    def files(*records, **tables):
        results = {
            "assignment": "9-trees",
            "whose": "9-trees, term 0",
            "title": "Assignment 9: Trees",
            "tasks": TASKS,
            "students": records,
        }
        (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        return tmp_path

    return files


def export(folder, *options):
    """Run the command, and return its status and the table's rows."""
    target = folder / "marks.csv"
    status = main(["export", str(folder / "results.json"), "--to", str(target), *map(str, options)])
    return status, read(target) if target.exists() else None


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def written(folder, *options):
    """Run the command, and return the table's path."""
    table = folder / "written.csv"
    assert main(["written", str(folder / "results.json"), "--to", str(table), *options]) == 0
    return table


HAND = "student,task,points,comment\nada,q3,7.5,Good.\nbob,q3,10,\n"


def test_checks_and_marks_by_hand_make_the_total(write):
    folder = write(record("ada"), record("bob", q2=0), hand=HAND)
    status, rows = export(folder, "--hand", folder / "hand.csv")
    assert status == 0
    assert rows == [
        ["student", "q1", "q2", "q3", "total", "of"],
        ["ada", "60", "30", "7.5", "97.5", "100"],
        ["bob", "60", "0", "10", "70", "100"],
    ]


def test_a_mark_by_hand_replaces_that_of_the_checks(write):
    folder = write(record("ada", q2=0), hand=HAND.replace("bob", "ada").replace("q3,10", "q2,12"))
    assert export(folder, "--hand", folder / "hand.csv")[1][1] == ["ada", "60", "12", "7.5", "79.5", "100"]


def test_what_is_not_marked_has_no_total(write, capsys):
    folder = write(record("ada"), record("bob", answer=""), record("cyd", fault="the computer was asleep"))
    rows = export(folder)[1]
    assert rows[1] == ["ada", "60", "30", "", "", "100"]
    assert rows[2] == ["bob", "60", "30", "0", "90", "100"]  # nothing was written
    assert rows[3] == ["cyd", "", "", "", "", "100"]
    assert "ada, cyd" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("zoe,q3,5,", "'zoe': there is no submission of this student"),
        ("ada,q9,5,", "task must be one of q1, q2, q3, got 'q9'"),
        ("ada,q3,11,", "from 0 to 10, got '11'"),
        ("ada,q3,-1,", "from 0 to 10, got '-1'"),
        ("ada,q3,nan,", "from 0 to 10, got 'nan'"),
        ("ada,q3,much,", "from 0 to 10, got 'much'"),
        ("ada,q3,5,\nada,q3,6,", "'ada': another mark for q3"),
    ],
)
def test_an_impossible_mark_stops_the_export(write, capsys, line, message):
    folder = write(record("ada"), hand=f"student,task,points,comment\n{line}\n")
    status, rows = export(folder, "--hand", folder / "hand.csv")
    assert (status, rows) == (2, None)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"), [("student,points\nada,5\n", "task is missing"), ("", "student, task, points is missing")]
)
def test_a_table_without_its_columns_stops_the_export(write, capsys, content, message):
    folder = write(record("ada"), hand=content)
    assert export(folder, "--hand", folder / "hand.csv") == (2, None)
    assert message in capsys.readouterr().err


def test_other_files_are_not_taken_for_results(write, capsys):
    folder = write(record("ada"))
    good = (folder / "results.json").read_text(encoding="utf-8")
    changed = [good[:-9], good.replace('"log"', '"lag"'), good.replace('": 60, "mess', '": "60", "mess')]
    for text in ("no JSON", "[]", "{}", '{"tasks": [1], "students": [{}]}', *changed):
        (folder / "results.json").write_text(text, encoding="utf-8")
        assert export(folder) == (2, None)
        assert "must be a results.json" in capsys.readouterr().err


def test_the_table_of_written_answers_is_that_of_marks_by_hand(write):
    folder = write(record("ada", answer="=2+2"), record("bob", answer=""), record("=cyd()", answer='one\n"two", ε'))
    table = written(folder)
    header, *rows = read(table)
    rows.sort(reverse=True)
    assert [header, *rows] == [
        ["student", "task", "points", "of", "comment", "note", "answer", "rubric"],
        ["ada", "q3", "", "10", "", "", "'=2+2", "A reason."],
        ["'=cyd()", "q3", "", "10", "", "", 'one\n"two", ε', "A reason."],
    ]
    rows[0][2], rows[1][2] = "4", "2,5"  # a comma is many people's decimal point
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    marks = export(folder, "--hand", table)[1]
    assert [row[3] for row in marks[1:]] == ["4", "0", "2.5"]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@sum(1)", "\t=1"])
def test_no_student_is_a_formula(write, name):
    rows = export(write(record(name)))[1]
    assert rows[1][0].lstrip() == f"'{name.lstrip()}"


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("x;=cmd|'/C calc'!A0", "x;'=cmd|'/C calc'!A0"),
        ("x,=cmd()", "x,'=cmd()"),
        ("x\n=cmd()", "x\n'=cmd()"),
        ("x\t @cmd()", "x\t '@cmd()"),
        ("x;-2+3+cmd()", "x;'-2+3+cmd()"),
        ("\x00=cmd()\x1b[31m\u202eabc", "�=cmd()�[31m�abc"),
        ("- one\n- two: a = b", "• one\n• two: a = b"),
        ("ε ≤ 1; so a − b, it's", "ε ≤ 1; so a − b, it's"),
    ],
)
def test_no_answer_is_a_formula_whatever_a_spreadsheet_takes_for_the_end_of_a_cell(write, answer, there):
    assert read(written(write(record("ada", answer=answer))))[1][6] == there


# As Excel saves what it was given


EXCEL = "student;task;points;comment\r\nmüller;q3;7,5;Größer als ½\r\n"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (EXCEL.encode("cp1252"), []),
        (EXCEL.encode("utf-8-sig"), []),
        (EXCEL.replace("müller;q3", " müller;q3 ").encode() + b";;;\r\n", []),
        (("sep=;\r\n" + EXCEL).encode("cp1252"), []),
        (EXCEL.replace(";", "\t").encode("utf-16"), []),
        (EXCEL.encode("cp850"), ["--encoding", "cp850"]),
        (EXCEL.replace(";", ",").replace("7,5", '"7,5"').encode(), []),
    ],
    ids=["code page", "UTF-8", "spaces and an empty line", "sep=;", "Unicode text", "another code page", "commas"],
)
def test_marks_by_hand_come_from_excel(write, data, options):
    folder = write(record("müller"))
    (folder / "hand.csv").write_bytes(data)
    status, rows = export(folder, "--hand", folder / "hand.csv", *options)
    assert status == 0
    assert rows[1] == ["müller", "60", "30", "7.5", "97.5", "100"]
    found = pages(folder, "--hand", folder / "hand.csv", *options)[1]
    assert "Größer als ½" in Elements(found["müller"]).text


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [(b"\x81\x8d\x90", [], "--encoding names another"), (b"a", ["--encoding", "cp0"], "one that Python knows")],
)
def test_a_table_of_no_known_code_page_stops_the_export(write, capsys, data, options, message):
    folder = write(record("ada"))
    (folder / "hand.csv").write_bytes(data)
    assert export(folder, "--hand", folder / "hand.csv", *options) == (2, None)
    assert message in capsys.readouterr().err


def test_excel_with_a_decimal_comma_reads_what_is_written(write):
    folder = write(record("ada"), hand=HAND.replace("bob,q3,10,\n", ""))
    export(folder, "--hand", folder / "hand.csv", "--separator", ";")
    assert (folder / "marks.csv").read_text(encoding="utf-8-sig").splitlines()[1] == "ada;60;30;7,5;97,5;100"


# What `collect` has noted


def test_late_days_are_a_column_and_on_the_page(write):
    folder = write(record("ada", answer="") | {"late": "2"}, record("bob", answer="") | {"late": "0"})
    rows = export(folder)[1]
    assert [row[-1] for row in rows] == ["days late", "2", "0"]
    found = pages(folder)[1]
    assert "handed in 2 days late" in Elements(found["ada"]).text
    assert "late" not in Elements(found["bob"]).text


def test_marks_go_back_by_the_systems_own_names(write):
    folder = write(
        record("Ada_12", answer="") | {"id": "Participant 12"},
        roster="Identifier,Full name,Email address\nParticipant 12,Ada,ada@example.org\nParticipant 13,Bob,b@x.org\n",
    )
    rows = export(folder, "--format", "moodle", "--roster", folder / "roster.csv")[1]
    assert rows[1:] == [["ada@example.org", "Participant 12", "90"], ["b@x.org", "Participant 13", ""]]


def test_feedback_goes_back_as_a_zip(write, capsys):
    folder = write(record("ada") | {"reply": "Ada L_12_assignsubmission_file_/"}, record("bob") | {"reply": "bob_9_8_"})
    assert pages(folder, "--zip", folder / "feedback.zip")[0] == 0
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        assert archive.namelist() == ["Ada L_12_assignsubmission_file_/9-trees.html", "bob_9_8_9-trees.html"]
        assert "ada" in Elements(archive.read(archive.namelist()[0]).decode()).text
    folder = write(record("ada"))
    assert pages(folder, "--zip", folder / "feedback.zip")[0] == 2
    assert "unlike ada" in capsys.readouterr().err


def test_the_lecturer_sees_the_students_errors(write, capsys):
    one = record("ada", q2=0, messages=["Look."]) | {"notebook": "ada/9.ipynb"}
    one["tasks"]["q2"]["errors"] = ["`f` raised ValueError: 17 is odd\x1b[2J"]
    folder = write(one)
    assert main(["show", str(folder / "results.json"), "ada"]) == 0
    said = capsys.readouterr().out
    assert "ValueError: 17 is odd�[2J" in said
    assert "17" not in Elements(pages(folder)[1]["ada"]).text
    assert main(["show", str(folder / "results.json"), "bob"]) == 2
    assert "no student 'bob'; it has ada" in capsys.readouterr().err


MOODLE = "First name,Email address,ID number\nAda,ada@example.org,0001\nBob,bob@example.org,0002\n"


def test_moodle_gets_its_own_columns_and_the_total(write):
    folder = write(record("ada@example.org", answer=""), roster=MOODLE)
    status, rows = export(folder, "--format", "moodle", "--roster", folder / "roster.csv")
    assert status == 0
    assert rows == [
        ["Email address", "ID number", "Assignment 9: Trees"],
        ["ada@example.org", "0001", "90"],
        ["bob@example.org", "0002", ""],  # has handed in nothing
    ]


def test_moodle_without_a_roster_gets_the_folders_names(write):
    rows = export(write(record("0001", answer="")), "--format", "moodle", "--key", "ID number", "--column", "Trees")[1]
    assert rows == [["ID number", "Trees"], ["0001", "90"]]


# As Canvas exports it: other columns, and a line of points.
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Trees (77),Final Score\n"
    "    Points Possible,,,,,100,(read only)\n"
    '"Byron, Ada",11,S1,ada,Course 1,,\n'
)


def test_canvas_gets_its_five_columns_the_assignment_and_the_points(write):
    folder = write(record("ada", answer=""), roster=CANVAS)
    options = ["--format", "canvas", "--roster", folder / "roster.csv", "--column", "Trees (77)"]
    status, rows = export(folder, *options)
    assert status == 0
    assert rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Trees (77)"],
        ["Points Possible", "", "", "", "", "100"],
        ["Byron, Ada", "11", "S1", "ada", "Course 1", "90"],
    ]


def test_blackboard_knows_students_by_their_user_name(write):
    rows = export(write(record("ada", answer="")), "--format", "blackboard", "--column", "Trees |123")[1]
    assert rows == [["Username", "Trees |123"], ["ada", "90"]]


@pytest.mark.parametrize(
    ("options", "roster", "message"),
    [
        (["--format", "canvas"], None, "Canvas needs --roster"),
        (["--format", "canvas"], "Student,ID\nAda,1\n", "Section, SIS Login ID is missing"),
        (["--format", "moodle"], "Email address\nbob\n", "lacks these students: ada"),
        (["--format", "moodle"], "ID number\nada\n", "Email address is missing"),
        (["--format", "moodle"], "Email address\n", "must have a line for each student"),
        (
            ["--format", "moodle", "--key", "Name"],
            None,
            "must be one of Email address, ID number, Username, Identifier",
        ),
    ],
)
def test_a_roster_that_does_not_fit_stops_the_export(write, capsys, options, roster, message):
    folder = write(record("ada"), **({"roster": roster} if roster else {}))
    options += ["--roster", folder / "roster.csv"] if roster else []
    assert export(folder, *options) == (2, None)
    assert message in capsys.readouterr().err


# The pages


class Elements(html.parser.HTMLParser):
    """Collects the elements of a page, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def pages(folder, *options):
    status = main(["feedback", str(folder / "results.json"), "--to", str(folder / "pages"), *map(str, options)])
    found = (folder / "pages").glob("*/9-trees.html")
    return status, {path.parent.name: path.read_text(encoding="utf-8") for path in found}


def test_a_page_says_what_each_task_earned_and_what_to_look_at(write):
    records = [record("ada", q2=0, messages=["Look at the noise."], log=["cell 4 (q2): NameError: x"]), record("bob")]
    folder = write(*records, hand=HAND)
    status, found = pages(folder, "--hand", folder / "hand.csv")
    assert status == 0
    text = Elements(found["ada"]).text
    points = ["67.5 of 100", "q1: 60 of 60", "q2: 0 of 30", "q3: 7.5 of 10"]
    for part in [*points, "Look at the noise.", "Task 3: Why?", "Because.", "Good.", "cell 4"]:
        assert part in text, part
    assert "bob" not in found["ada"]
    assert "100 of 100" in Elements(found["bob"]).text


def test_a_page_without_all_marks_says_so(write):
    found = pages(write(record("ada")))[1]
    assert "q3: not marked yet" in Elements(found["ada"]).text
    assert "Not all tasks are marked yet" in Elements(found["ada"]).text


def test_a_student_text_stays_text(write):
    bad = "</li><script>alert(1)</script><img src=x onerror=alert(1)>{total}&lt;"
    honest = Elements(pages(write(record("ada", messages=["m"], log=["l"])))[1]["ada"])
    found = Elements(pages(write(record("ada", messages=[bad], log=[bad], answer=bad)))[1]["ada"])
    assert found.tags == honest.tags
    assert found.text.count(bad) == 3


@pytest.mark.parametrize("name", ["../ada", "..", "a/b", "/tmp/ada"])
def test_a_page_is_written_in_its_folder_only(write, capsys, name):
    folder = write(record("bob"), record(name))
    assert pages(folder) == (2, {})
    assert "must be a results.json" in capsys.readouterr().err


# Nothing that a person has written gets lost


def mark_all(table, points="5"):
    rows = read(table)
    for row in rows[1:]:
        row[2], row[4] = points, f"comment for {row[0]}"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_marks_stay_when_the_table_is_written_again(write):
    mark_all(written(write(record("ada"), record("bob"))))
    folder = write(record("ada"), record("bob", answer="Because of something else."), record("cyd"))
    rows = {row[0]: row for row in read(written(folder))[1:]}
    assert rows["ada"][2:6] == ["5", "10", "comment for ada", ""]
    assert rows["bob"][2:6] == ["", "10", "comment for bob", "the answer has changed since it was marked (5)"]
    assert rows["cyd"][2:6] == ["", "10", "", ""]


def test_lines_for_other_tasks_and_students_who_are_gone_stay(write):
    with written(write(record("ada"), record("bob"))).open("a", encoding="utf-8") as file:
        file.write("ada,q1,55,,generous,,,\r\n")
    assert sorted(row[:3] for row in read(written(write(record("ada"))))[1:]) == [
        ["ada", "q1", "55"],
        ["ada", "q3", ""],
        ["bob", "q3", ""],
    ]


def test_what_the_system_refuses_is_an_error_and_leaves_what_was_there(write, capsys, monkeypatch):
    folder = write(record("ada"))
    order = ["export", str(folder / "results.json"), "--to"]
    for place in ("results.json/marks.csv", "."):
        assert main([*order, str(folder / place)]) == 2
    assert main([*order, str(folder / "marks.csv")]) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", Mock(side_effect=OSError(28, "No space left on device")))
        assert main([*order, str(folder / "marks.csv")]) == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / LEDGER).write_text("{", encoding="utf-8")
    assert main([*order, str(folder / "marks.csv")]) == 2
    said = capsys.readouterr().err
    assert said.count("error: ") == 4 and f"{LEDGER} can't be read" in said
    assert f"{folder.resolve()} can't be written to: No space left on device" in said


def test_two_commands_in_one_folder_know_what_both_have_made(tmp_path):
    one, other = Made(tmp_path, "9-trees"), Made(tmp_path, "9-trees")
    for made, name in ((one, "a"), (other, "b"), (one, "c")):
        made.write(name, b"")
    for name in "abc":
        Made(tmp_path, "9-trees").refuse(name)


@pytest.mark.parametrize("command", ["written", "export"])
def test_a_file_of_somebody_else_is_not_replaced(write, capsys, command):
    folder = write(record("ada"), roster="Email address\nada\n")
    assert main([command, str(folder / "results.json"), "--to", str(folder / "roster.csv")]) == 2
    assert "wasn't made by this command" in capsys.readouterr().err
    assert (folder / "roster.csv").read_text(encoding="utf-8") == "Email address\nada\n"


@pytest.mark.parametrize("command", ["written", "export"])
def test_a_file_of_another_term_is_not_replaced(write, capsys, command):
    folder = write(record("ada"))
    order = [command, str(folder / "results.json"), "--to", str(folder / "table.csv")]
    assert main(order) == 0
    before = (folder / "table.csv").read_bytes()
    results = json.loads((folder / "results.json").read_text(encoding="utf-8")) | {"whose": "9-trees, term 1"}
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    assert main(order) == 2
    assert "was made for 9-trees, term 0, not for 9-trees, term 1" in capsys.readouterr().err
    assert (folder / "table.csv").read_bytes() == before


def test_a_table_that_a_person_has_changed_is_not_exported_over(write, capsys):
    folder = write(record("ada", answer=""))
    assert export(folder)[0] == 0
    assert export(folder)[0] == 0  # ours, unchanged: replaced
    (folder / "marks.csv").write_text("mine", encoding="utf-8")
    assert main(["export", str(folder / "results.json"), "--to", str(folder / "marks.csv")]) == 2
    assert "was changed since it was made" in capsys.readouterr().err


def test_several_people_mark(write):
    tables = {"one": "student,task,points\nada,q3,4\nbob,q3,\n", "two": "student,task,points\nada,q3,\nbob,q3,6\n"}
    folder = write(record("ada"), record("bob"), **tables)
    rows = export(folder, "--hand", folder / "one.csv", "--hand", folder / "two.csv")[1]
    assert [row[3] for row in rows[1:]] == ["4", "6"]


def test_names_may_be_hidden_and_the_order_is_no_alphabet(write):
    names = [f"student {number:02}" for number in range(20)]
    folder = write(*map(record, names))
    table = written(folder, "--anonymous")
    codes = [row[0] for row in read(table)[1:]]
    assert len(set(codes)) == 20 and not set(codes) & set(names)
    mark_all(table)
    assert {row[3] for row in export(folder, "--hand", table)[1][1:]} == {"5"}
    assert main(["written", str(folder / "results.json"), "--to", str(folder / "named.csv")]) == 0
    assert [row[0] for row in read(folder / "named.csv")[1:]] != names


@pytest.mark.parametrize(
    "answer", ["why " * 100_000, "see ![](data:image/png;base64," + "A" * 400_000 + ") above"], ids=["long", "picture"]
)
def test_a_long_answer_fits_a_cell_and_stops_nothing(write, answer):
    folder = write(record("ada", answer=answer))
    table = written(folder)
    assert len(read(table)[1][6]) < 32_767
    mark_all(table)
    assert export(folder, "--hand", table)[0] == 0
    assert read(written(folder))[1][2] == "5"
