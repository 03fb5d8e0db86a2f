"""The questions for course systems: what is in the files is what the pages ask, by the rules of both formats."""

import copy
import itertools
import re
import zipfile
from xml.etree import ElementTree

import pytest

from reviews.review import load
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
    assert asked + len(load()) == len(moodle) == len(items) > 90
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


def conditions(item):
    return item.findall("q:resprocessing/q:respcondition", QTI)


def choices(item):
    """Return the item's choices: their texts by their names."""
    labels = item.iterfind(".//q:response_label", QTI)
    return {one.get("ident"): one.findtext(".//q:mattext", namespaces=QTI) for one in labels}


def points(condition):
    """Return what the condition sets the score to, or None where it leaves it alone."""
    value = condition.findtext("q:setvar", namespaces=QTI)
    return value and float(value)


def score_by_the_standard(item, chosen):
    """Return the score by IMS's own rule: conditions are tried in order, and one that holds may end the round."""

    def holds(rule):
        kind = rule.tag.split("}")[1]
        if kind in ("conditionvar", "and"):
            return all(map(holds, rule))
        if kind == "not":
            return not holds(rule[0])
        assert rule.get("respident") == "answer"
        if kind == "varequal":
            return rule.text in chosen
        return {"vargte": chosen >= float(rule.text), "varlte": chosen <= float(rule.text)}[kind]

    score = 0.0
    for condition in conditions(item):
        if holds(condition.find("q:conditionvar", QTI)):
            score = score if points(condition) is None else points(condition)
            if condition.get("continue") == "No":
                break
    return score


def right_for_canvas(item):
    """Return the choices that Canvas's importer marks right.

    After its two steps, as published in 2026: the converter to QTI 2.1 (instructure/QTIMigrationTool) keeps the
    conditions in their order; of each the importer (canvas-lms, qti_exporter/choice_interaction.rb) gives the points to
    every choice that stands directly in an ``and`` of a multiple answer, and otherwise to the first choice that the
    condition names, negated or not.  A later condition takes back what an earlier one gave.
    """
    several = item.find(".//q:response_lid", QTI).get("rcardinality") == "Multiple"
    weights = dict.fromkeys(choices(item), 0)
    for condition in conditions(item):
        together = condition.findall("q:conditionvar/q:and/q:varequal", QTI) if several else []
        if together:
            weights |= {one.text: 100 for one in together}
        else:
            weights[next(condition.iterfind(".//q:varequal", QTI)).text] = points(condition) or 0
    return {name for name, weight in weights.items() if weight > 0}


def answers_of(question):
    """Return the texts of a Moodle question's right answers."""
    return [one for one in question.findall("answer") if float(one.get("fraction")) > 0]


def test_the_standard_and_canvas_mark_the_answers_right_that_moodle_does(moodle, items):
    kinds = []
    for name, item in items.items():
        right, kind = answers_of(moodle[name]), moodle[name].get("type")
        kinds.append((kind, len(right)))
        if kind == "numerical":
            number, margin = float(right[0].findtext("text")), float(right[0].findtext("tolerance"))
            for given, score in {number: 100, number - 0.99 * margin: 100, number + 0.99 * margin: 100}.items():
                assert score_by_the_standard(item, given) == score, name
            assert score_by_the_standard(item, number - 1.01 * margin) == 0, name
            assert score_by_the_standard(item, number + 1.01 * margin) == 0, name
            continue
        texts = choices(item)
        wanted = {one.findtext("text") for one in right}
        names = {name for name, text in texts.items() if text in wanted}
        assert len(names) == len(wanted) and right_for_canvas(item) == names, name
        sizes = range(len(texts) + 1) if len(right) > 1 else [0, 1]  # what the form lets a student choose
        for chosen in (set(some) for size in sizes for some in itertools.combinations(texts, size)):
            assert score_by_the_standard(item, chosen) == 100 * (chosen == names), (name, chosen)
    assert min(kinds.count(kind) for kind in [("numerical", 1), ("multichoice", 1), ("multichoice", 2)]) >= 5


def test_the_rule_for_canvas_finds_the_key_that_it_once_read_wrongly(items):
    """One condition with ``and`` and ``not`` for a single choice: the first choice got the points."""
    item = copy.deepcopy(items["Question 1.1"])
    (scored,) = [one for one in conditions(item) if points(one)]
    (right,) = right_for_canvas(item)
    rule = scored.find("q:conditionvar", QTI)
    rule.clear()
    both = ElementTree.SubElement(rule, f"{{{QTI['q']}}}and")
    for name in sorted(choices(item)):
        place = both if name == right else ElementTree.SubElement(both, f"{{{QTI['q']}}}not")
        ElementTree.SubElement(place, f"{{{QTI['q']}}}varequal", respident="answer").text = name
    assert score_by_the_standard(item, {right}) == 100
    assert right_for_canvas(item) != {right}


def test_each_answer_is_told_its_reason_by_both(moodle, items):
    for name, item in items.items():
        reasons = {
            one.get("ident"): one.findtext(".//q:mattext", namespaces=QTI)
            for one in item.iterfind("q:itemfeedback", QTI)
        }
        told = {}
        for condition in conditions(item):
            for shown in condition.findall("q:displayfeedback", QTI):
                told[next(condition.iterfind(".//*[@respident]")).text] = reasons.pop(shown.get("linkrefid"))
        assert not reasons, name
        told = {choices(item).get(choice, choice): reason for choice, reason in told.items()}
        answers = moodle[name].findall("answer")
        if moodle[name].get("type") == "numerical":
            assert [*told.values()] == [one.findtext("feedback/text") for one in answers], name
        else:
            assert told == {one.findtext("text"): one.findtext("feedback/text") for one in answers}, name


def test_only_questions_with_several_right_answers_let_one_choose_several(moodle, items):
    for name, item in items.items():
        (asked,) = [one for one in item.find("q:presentation", QTI) if one.get("ident")]
        assert asked.get("rcardinality") == ("Single" if len(answers_of(moodle[name])) == 1 else "Multiple")


def test_nothing_of_the_pages_markdown_is_left(moodle, items):
    for one in [*moodle.values(), *items.values()]:
        words = " ".join(text for text in one.itertext())
        assert not re.search(r"\$|:::|\}`|\*\*|`", words), words


def test_signs_of_html_in_a_reviews_sentence_stay_signs():
    assert make_questions.plain("`a` < b & c") == "a &lt; b &amp; c"


def test_a_question_that_cannot_travel_is_refused():
    body = "Which?\n\n1. This.\n2. That.\n\n:::{dropdown} The answer\n1. Right. See {ref}`chapter-3`.\n2. No.\n:::\n"
    with pytest.raises(ValueError, match=r"question 3\.1 has \{ref\}"):
        make_questions.question("3.1", body)
    with pytest.raises(ValueError, match="2 choices and 1 reasons"):
        make_questions.question("3.1", body.replace("2. No.\n", "").replace(" See {ref}`chapter-3`.", ""))
