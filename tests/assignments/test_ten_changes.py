"""Assignment 11: what students type is understood or answered with what is allowed; each term has its own key."""

import ast

import pytest

from grading import own_answers, release, source
from grading.student_checks import failure

FOLDER = source.ASSIGNMENTS / "11-ten-changes"


@pytest.fixture(scope="module")
def assignment():
    return source.load(FOLDER)


def right(assignment):
    """Return verdict and accepted lines of each change."""
    return ast.literal_eval(assignment.drawn["right"])


def answers(assignment, **first):
    """Return right answers, the first of which has another verdict or line."""
    given = {f"change {number}": (verdict, lines[0]) for number, (verdict, lines) in right(assignment).items()}
    verdict, line = given["change 1"]
    return given | {"change 1": (first.get("verdict", verdict), first.get("line", line))}


def told(assignment, reviews):
    """Return what the student's own check says of answers, each message once."""
    checks = next(task for task in assignment.tasks if task.name == "q1").visible
    return [*dict.fromkeys(filter(None, (failure(check.function, lambda _: reviews) for check in checks)))]


def earned(assignment, reviews):
    (verdict,) = own_answers.run(assignment, {"q1": f"reviews = {reviews!r}"}, only="q1")
    return verdict.earned


@pytest.mark.parametrize("said", ["Keeps", " keeps ", "BREAKS", "Can\u2019t be said", "can't be said"])
def test_capitals_blanks_and_apostrophes_are_understood(assignment, said):
    assert told(assignment, answers(assignment, verdict=said)) == []


@pytest.mark.parametrize("said", ["keep", "breaks it", "yes", "", None, 1])
def test_another_verdict_is_told_which_there_are(assignment, said):
    message = f'change 1: the verdict should be "keeps", "breaks" or "can\'t be said", got {said!r}.'
    assert told(assignment, answers(assignment, verdict=said)) == [message]


@pytest.mark.parametrize("line", ["3", 0, 99, 2.5, True, None])
def test_another_line_is_told_which_there_are(assignment, line):
    new = ast.literal_eval(assignment.drawn["lines"])[1]
    allowed = ", ".join(map(str, new))
    message = f"change 1: the line should be one of {allowed}, those of the new code, got {line!r}."
    assert told(assignment, answers(assignment, line=line)) == [message]


def test_lists_numbers_as_keys_and_missing_changes_are_told_the_form(assignment):
    given = answers(assignment)
    assert "should be a dictionary, {" in told(assignment, [*given.values()])[0]
    assert 'nothing for change 1: its keys are the texts "change 1"' in told(assignment, {1: ("keeps", 2)})[0]
    assert "nothing for change 4" in told(assignment, {k: v for k, v in given.items() if k != "change 4"})[0]
    assert "change 1: write a verdict and a line" in told(assignment, given | {"change 1": "keeps"})[0]


def test_verdict_and_line_have_points_of_their_own(assignment):
    assert earned(assignment, answers(assignment)) == 70
    number, (verdict, lines) = next(item for item in right(assignment).items() if item[1][0] != "keeps")
    wrong = next(line for line in ast.literal_eval(assignment.drawn["lines"])[number] if line not in lines)
    given = answers(assignment)
    assert earned(assignment, given | {f"change {number}": (verdict, wrong)}) == 68
    assert earned(assignment, given | {f"change {number}": ("keeps", lines[0])}) == 63
    kept = next(number for number, (verdict, _) in right(assignment).items() if verdict == "keeps")
    for line in ast.literal_eval(assignment.drawn["lines"])[kept]:
        assert earned(assignment, given | {f"change {kept}": ("keeps", line)}) == 70


@pytest.mark.parametrize("digit", "357")
def test_no_term_hands_its_key_out(tmp_path, digit):
    (tmp_path / "term.toml").write_text(f'seed = "{digit * 32}"\n', encoding="utf-8")
    mine = source.load(FOLDER, tmp_path / "term.toml")
    given = release.contents(mine, release.student_notebook(mine), mine.name)
    everything = "\n".join(content.decode() for content in given.values())
    key = [line.strip(" #") for line in mine.drawn["solution"].splitlines() if len(line) > 40]
    assert len(key) > 10 and not [line for line in key if line in everything or repr(line) in everything]
    assert mine.drawn["right"] not in everything and mine.drawn["change_1"].splitlines()[0] in everything
    assert all(line in release.lecturer_notebook(mine) for line in key if '"' not in line)


def test_everybody_may_have_ten_of_their_own(tmp_path):
    (tmp_path / "term.toml").write_text('seed = "00000000000000a5"\npersonal = true\n', encoding="utf-8")
    ada, bob = (source.load(FOLDER, tmp_path / "term.toml", student) for student in ("ada", "bob"))
    assert right(ada) != right(bob)
    assert earned(ada, answers(ada)) == 70 and earned(bob, answers(ada)) < 50
