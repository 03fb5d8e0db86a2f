"""The questions for course systems: what is in the files is what the pages ask, by the rules of both formats."""

import re
import zipfile
from xml.etree import ElementTree

import pytest

from tools import make_questions
from tools.make_downloads import BOOK

CHAPTERS = sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))
QTI = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2", "p": "http://www.imsglobal.org/xsd/imscp_v1p1"}
# Moodle knows these shares of a question's points, and turns a file with others away.
GRADES = [100, 90, 83.33333, 80, 75, 70, 66.66667, 60, 50, 40, 33.33333, 30, 25, 20, 16.66667, 14.28571, 12.5, 11.11111]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    make_questions.main(folder)
    return folder


@pytest.fixture(scope="module")
def moodle(files):
    """Return Moodle's questions by name."""
    root = ElementTree.parse(files / make_questions.MOODLE).getroot()
    asked = [one for one in root if one.get("type") != "category"]
    assert root.tag == "quiz" and root[0].get("type") == "category"
    return {one.findtext("name/text"): one for one in asked}


@pytest.fixture(scope="module")
def items(files):
    """Return the items of QTI by title."""
    with zipfile.ZipFile(files / make_questions.QTI) as archive:
        listed = ElementTree.fromstring(archive.read("imsmanifest.xml")).findall(".//p:resource/p:file", QTI)
        names = [one.get("href") for one in listed]
        assert sorted([*names, "imsmanifest.xml"]) == sorted(archive.namelist())
        quizzes = [ElementTree.fromstring(archive.read(name)) for name in names]
    found = [item for quiz in quizzes for item in quiz.findall("q:assessment/q:section/q:item", QTI)]
    assert len({item.get("ident") for item in found}) == len(found)
    return {item.get("title"): item for item in found}


def test_all_self_check_questions_are_in_both(moodle, items):
    asked = sum(
        len(re.findall(r"\} Question \d+\n", path.read_text("utf-8").replace("\\n", "\n"))) for path in CHAPTERS
    )
    assert asked == len(moodle) == len(items) > 60
    assert moodle.keys() == items.keys()
    for path in CHAPTERS:
        assert f"Question {int(path.name[:2])}.1" in moodle


def test_moodle_can_mark_each_question(moodle):
    for name, one in moodle.items():
        shares = [float(answer.get("fraction")) for answer in one.findall("answer")]
        assert sum(share for share in shares if share > 0) == pytest.approx(100, abs=1e-3), name
        assert all(min(abs(abs(share) - grade) for grade in [0, *GRADES]) < 1e-5 for share in shares), name
        if one.get("type") == "numerical":
            assert float(one.findtext("answer/text")) and float(one.findtext("answer/tolerance")) >= 0, name
        else:
            assert len(shares) >= 2 and one.findtext("single") == str(shares.count(100) == 1).lower(), name
        for answer, share in zip(one.findall("answer"), shares, strict=True):
            assert answer.findtext("feedback/text").startswith("Right") == (share > 0), name


def test_qti_marks_the_same_answers_right(moodle, items):
    for name, item in items.items():
        shown = item.find("q:presentation", QTI)
        (asked,) = [one for one in shown if one.get("ident")]
        feedback = {one.get("ident") for one in item.findall("q:itemfeedback", QTI)}
        told = item.findall(".//q:displayfeedback", QTI)
        assert {one.get("linkrefid") for one in told} == feedback, name
        assert {one.get("respident") for one in item.iterfind(".//q:conditionvar//*[@respident]", QTI)} == {"answer"}
        (scored,) = [one for one in item.findall(".//q:respcondition", QTI) if one.find("q:setvar", QTI) is not None]
        rules = scored.find("q:conditionvar/q:and", QTI)
        right = [answer for answer in moodle[name].findall("answer") if float(answer.get("fraction")) > 0]
        if moodle[name].get("type") == "numerical":
            number, margin = float(right[0].findtext("text")), float(right[0].findtext("tolerance"))
            bounds = [float(rules.findtext(f"q:{rule}", namespaces=QTI)) for rule in ("vargte", "varlte")]
            assert bounds == pytest.approx([number - margin, number + margin])
            continue
        labels = {
            one.get("ident"): one.findtext(".//q:mattext", namespaces=QTI)
            for one in asked.iterfind(".//q:response_label", QTI)
        }
        assert {labels[one.text] for one in rules.findall("q:varequal", QTI)} == {one.findtext("text") for one in right}
        wrong = {one.text for one in rules.findall("q:not/q:varequal", QTI)}
        assert wrong | {one.text for one in rules.findall("q:varequal", QTI)} == labels.keys()
        assert asked.get("rcardinality") == ("Single" if len(right) == 1 else "Multiple")


def test_nothing_of_the_pages_markdown_is_left(moodle, items):
    for one in [*moodle.values(), *items.values()]:
        words = " ".join(text for text in one.itertext())
        assert not re.search(r"\$|:::|\}`|\*\*|`", words), words


def test_a_question_that_cannot_travel_is_refused():
    body = "Which?\n\n1. This.\n2. That.\n\n:::{dropdown} The answer\n1. Right. See {ref}`chapter-3`.\n2. No.\n:::\n"
    with pytest.raises(ValueError, match=r"question 3\.1 has \{ref\}"):
        make_questions.question("3.1", body)
    with pytest.raises(ValueError, match="2 choices and 1 reasons"):
        make_questions.question("3.1", body.replace("2. No.\n", "").replace(" See {ref}`chapter-3`.", ""))
