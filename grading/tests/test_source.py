"""A source that doesn't follow the format is refused with the file, the cell and what is allowed."""

import numpy as np
import pytest

from grading import own_answers, source, student_checks
from grading.source import FormatError

GOOD = """# %% [markdown]
# # Assignment 9: Counting

# %% role="term"
TERM = {"epsilon": 0.5, "city": "Uppsala"}

# %% role="data"
def make_data(term, rng):
    return {"visits.csv": pd.DataFrame({"minutes": rng.integers(60, size=3)})}

# %% role="setup"
import pandas as pd
visits = pd.read_csv("visits.csv")

# %% [markdown] task="q1" points=90
# ## Task 1 in {{city}} (90 points)

# %% role="starter" task="q1"
def total(minutes): ...

# %% role="solution" task="q1"
def total(minutes):
    return minutes.sum()

# %% role="visible" task="q1"
def adds(total):
    "It adds."
    assert total(np.ones(2)) == 2, "1 + 1 is 2."

# %% role="hidden" task="q1"
def adds_more(total, data, term, rng):
    "It adds whatever is there."
    numbers = rng.integers(9, size=5)
    assert total(numbers) == numbers.sum() and term["epsilon"] == {{epsilon}}, "Add all."
    assert total(data["visits.csv"]["minutes"]) == data["visits.csv"]["minutes"].sum(), "Add all minutes."

# %% [markdown] role="written" task="q2" points=10
# ## Task 2 (10 points)

# %% [markdown] role="rubric" task="q2"
# Anything.
"""


@pytest.fixture
def course(tmp_path):
    """A function that writes an assignment and reads it."""

    def write(text=GOOD, variants="", term='seed = "00000000000000a1"\n'):
        (tmp_path / "9-counting").mkdir()
        (tmp_path / "9-counting" / "source.py").write_text(text, encoding="utf-8")
        (tmp_path / "9-counting" / "variants.py").write_text(variants, encoding="utf-8")
        (tmp_path / "term.toml").write_text(term, encoding="utf-8")
        return source.load(tmp_path / "9-counting")

    return write


def test_what_a_source_becomes(course):
    assignment = course()
    assert (assignment.name, assignment.title) == ("9-counting", "Assignment 9: Counting")
    assert [(task.name, task.points, task.written) for task in assignment.tasks] == [
        ("q1", 90, False),
        ("q2", 10, True),
    ]
    (check,) = assignment.tasks[0].hidden
    assert (check.name, check.doc) == ("adds_more", "It adds whatever is there.")
    assert check.arguments == ("total", "data", "term", "rng")
    assert assignment.tasks[0].cells["text"].text == "## Task 1 in Uppsala (90 points)"
    assert assignment.files()["visits.csv"].startswith("minutes\n")


def test_parameters_of_the_term(course):
    assignment = course(term='\ufeffseed = "00000000000000a1"\n["9-counting"]\nepsilon = 0.75\n')
    assert assignment.term == {"epsilon": 0.75, "city": "Uppsala"}
    assert own_answers.run(assignment)[0].earned == 90


DRAWN = """# %% role="draw"
def draw_texts(term, rng):
    return {"place": "district " + str(rng.integers(1_000_000))}

# %% role="setup\""""


def test_texts_are_drawn_from_the_seed_for_cells_and_variants(course, tmp_path):
    text = GOOD.replace('# %% role="setup"', DRAWN).replace("{{city}}", "{{place}}")
    first = course(text, variants='# %% task="q1" name="a"\ntotal = "{{place}}"\n')
    (tmp_path / "other.toml").write_text('seed = "00000000000000a2"\n', encoding="utf-8")
    second, again = source.load(first.folder, tmp_path / "other.toml"), source.load(first.folder)
    titles = [each.tasks[0].cells["text"].text for each in (first, again, second)]
    assert titles[0] == titles[1] != titles[2] and "district " in titles[0]
    assert source.load_variants(first)[0].code == f'total = "{first.drawn["place"]}"'
    with pytest.raises(FormatError, match=r"must define draw_texts\(term, rng\)"):
        (first.folder / "source.py").write_text(text.replace("draw_texts", "draw"), encoding="utf-8")
        source.load(first.folder)


NUMBERED = """# %% [markdown]
# # Assignment 9: Counting

# %% [markdown] task="q1" points=9 parts={"sum": 2, "sign": 1} times=3
# ## Task 1 (9 points)

# %% role="starter" task="q1"
answers = {1: 0, 2: 0, 3: 0}

# %% role="solution" task="q1"
answers = {1: 5, 2: -5, 3: 5}

# %% role="visible" task="q1"
def each_is_there(answers, part):
    "Each number has an answer."
    assert int(part.split()[1]) in answers, "an answer is missing."

# %% role="hidden" task="q1"
def each_is_right(answers, part):
    "Each answer is right."
    what, number = part.split()
    right = {1: 5, 2: -5, 3: 5}[int(number)]
    assert (answers[int(number)] == right) if what == "sum" else answers[int(number)] * right > 0, f"number {number}"
"""


def test_a_check_that_takes_part_is_one_for_each_part(course):
    assignment = course(NUMBERED)
    (task,) = assignment.tasks
    assert task.cells["text"].text.endswith("*Points: `sum` 2, `sign` 1, 3 times.*")
    assert len(task.hidden) == len(task.parts) == 6 and task.points == sum(task.parts.values())
    assert own_answers.run(assignment)[0].earned == 9
    (verdict,) = own_answers.run(assignment, {"q1": "answers = {1: 5, 2: 5, 3: 1}"})
    assert (verdict.earned, verdict.messages) == (2 + 1 + 1, ("number 2", "number 3"))
    (verdict,) = own_answers.run(assignment, {"q1": "answers = {1: 5}"})
    assert (verdict.earned, verdict.messages) == (3, ("an answer is missing.",))


def test_a_fresh_function_knows_nothing_of_earlier_calls(course):
    check = """
def begins_anew(total):
    "Earlier calls are forgotten."
    assert total(np.ones(3)) == 2 and fresh(total)(np.ones(3)) == 3, "It remembers."

"""
    end = '# %% [markdown] role="written"'
    keeps = "first = []\ndef total(minutes):\n    first.append(minutes.sum())\n    return first[0]"
    (verdict,) = own_answers.run(course(GOOD.replace(end, check + end)), {"q1": keeps})
    assert verdict.messages == ("Add all.",)


def test_the_seed_makes_the_data_and_the_checks_random_numbers(course, tmp_path):
    first = course()
    (tmp_path / "other.toml").write_text('seed = "00000000000000a2"\n', encoding="utf-8")
    second = source.load(first.folder, tmp_path / "other.toml")
    again = source.load(first.folder)
    assert first.files() == again.files() != second.files()
    draws = [each.rng("a").integers(2**60) for each in (first, again, second)]
    assert draws[0] == draws[1] != draws[2]
    assert first.rng("a").integers(2**60) != first.rng("b").integers(2**60)


BAD = {
    "unknown role": ('role="setup"', 'role="set-up"', "role must be one of term, data, draw, setup"),
    "no role": ('# %% role="setup"', "# %%", "role must be one of"),
    "unknown option": ('role="setup"', 'role="setup" point=3', "may have parts, points, role, task, times, got point"),
    "an option without quotes": ('role="setup"', "role=setup", 'options are numbers, or texts in "'),
    "code role on text": ('# %% role="setup"', '# %% [markdown] role="setup"', "must be code, got markdown"),
    "text role on code": ('# %% [markdown] role="rubric"', '# %% role="rubric"', "must be markdown, got code"),
    "task missing": ('role="hidden" task="q1"', 'role="hidden"', "role hidden must have a task"),
    "task too many": ('role="setup"', 'role="setup" task="q1"', "role setup must have no task"),
    "points elsewhere": ('role="setup"', 'role="setup" points=3', "points belong to a task's text"),
    "points not a number": ("points=90", 'points="many"', "points must be a whole number above 0, got 'many'"),
    "points 0": ("points=90", "points=0", "points must be a whole number above 0, got 0"),
    "no points": (" points=90", "", "points must be a whole number above 0, got None"),
    "parts that don't add up": ("points=90", 'points=90 parts={"total": 80}', "{'total': 80}, must add up to 90"),
    "a check of no part": ("points=90", 'points=90 parts={"sum": 90}', "check adds takes none of the parts sum"),
    "solution missing": ('role="solution" task="q1"', 'role="starter" task="q1"', "needs one cell each of hidden, sol"),
    "rubric missing": ('[markdown] role="rubric" task="q2"', "[markdown]", "task q2 needs one cell each of rubric"),
    "no text": (' [markdown] task="q1" points=90', "[markdown]", "task q1 must begin with its text"),
    "no heading": ("# # Assignment", "# Assignment", "must begin with a heading"),
    "unknown parameter": ("{{city}}", "{{town}}", "parameters are epsilon, city; got {{town}}"),
    "parameters that are computed": ("0.5", "1 / 2", "the one term cell must be TERM = {"),
    "parameters by another name": ("TERM = ", "PARAMETERS = ", "the one term cell must be TERM = {"),
    "no check": ("def adds(", "def _adds(", "at least one check is needed"),
    "no docstring": ('    "It adds."\n', "", "check adds needs a docstring"),
    "visible check asks for the seed": ("def adds(total)", "def adds(total, rng)", "rng is for hidden checks only"),
    "two checks of one name": ("adds_more", "adds", "another check is called adds"),
    "no make_data": ("def make_data", "def make", "must define make_data(term, rng)"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_source_is_refused(course, case):
    old, new, message = BAD[case]
    assert GOOD.count(old) == 1
    with pytest.raises(FormatError) as caught:
        course(GOOD.replace(old, new))
    assert message in str(caught.value)
    if case != "two checks of one name":
        assert "9-counting/source.py, cell " in str(caught.value)


def test_a_source_without_tasks(course):
    with pytest.raises(FormatError, match=r"source.py has no task: a task begins with"):
        course("# %% [markdown]\n# # Title\n")


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ('seed = "00000000000000a1"\npersonal = ja\n', "term.toml can't be read: Invalid value"),
        ("", "seed must be a text of at least 16 random digits, 0 to 9 and a to f, got None"),
        ("seed = 20270301\n", "0 to 9 and a to f, got 20270301; `python -m grading term` writes one"),
        ('seed = "20270301"\n', "0 to 9 and a to f, got '20270301'"),
        ('seed = "00000000000000a1"\npersonal = 1\n', "personal must be true or false, got 1"),
        ('seed = "00000000000000a1"\n["9-countng"]\nepsilon = 0.8\n', "9-counting; got 9-countng"),
        ('seed = "00000000000000a1"\nepsilon = 0.8\n', "beside seed and personal, sections are"),
        ('seed = "00000000000000a1"\n["9-counting"]\nepsilon = [0.5, 0.8]\n', "a list to choose from needs personal"),
        ('seed = "00000000000000a1"\n["9-counting"]\ndelta = 0.1\n', "got delta = 0.1"),
        ('seed = "00000000000000a1"\n["9-counting"]\nepsilon = true\n', "got epsilon = True"),
    ],
)
def test_a_bad_term_is_refused(course, term, message):
    with pytest.raises(FormatError) as caught:
        course(term=term)
    assert message in str(caught.value)


def test_variants_are_read(course):
    variants = '# %% [markdown]\n# Text.\n\n# %% task="q1" name="all" kind="right"\ndef total(m):\n    return sum(m)\n'
    (variant,) = source.load_variants(course(variants=variants))
    assert (variant.task, variant.name, variant.right) == ("q1", "all", True)


def refusal(assignment):
    """Return what is said of an assignment whose variants are refused."""
    with pytest.raises(FormatError) as caught:
        source.load_variants(assignment)
    return str(caught.value)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ('task="q2" name="a"', "task must be one of q1, got 'q2'"),
        ('name="a"', "task must be one of q1, got None"),
        ('task="q1"', "name must be there and the only one of its task, got None"),
        ('task="q1" name="a" kind="wrong-ish"', "kind must be \"right\" or left out, got 'wrong-ish'"),
        ('task="q1" name="a" like="b"', "like must name an answer to the task further up, got 'b'"),
        ('task="q1" name="a" role="solution"', "a cell may have kind, like, name, task, got role"),
    ],
)
def test_a_bad_variant_is_refused(course, marker, message):
    error = refusal(course(variants=f"# %% {marker}\ntotal = sum\n"))
    assert message in error
    assert "9-counting/variants.py, cell 1" in error


def test_a_variant_is_what_differs(course):
    rows = ["# - minutes):", "# -     return minutes.sum()", "# + m):", "# +     return m.sum()  # {{city}}"]
    twice = ['# %% task="q1" name="twice" like="short"', "# - return", "# + return 2 *", "# - (m)", "# + (m, n=2)"]
    variants = "\n".join(['# %% task="q1" name="short"', *rows, "", *twice, ""])
    short, twice = source.load_variants(course(variants=variants))
    assert short.code == "def total(m):\n    return m.sum()  # Uppsala"
    assert twice.code == "def total(m, n=2):\n    return 2 * m.sum()  # Uppsala"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("# - maximum\n# + m", "must stand once in the solution, stands 0 times: 'maximum'"),
        ("# - minutes\n# + m", "must stand once in the solution, stands 2 times: 'minutes'"),
        ("# - return\n# + pass\ntotal = sum", "with nothing else beside them"),
        ("# + pass\n# - return\n# + pass", "with nothing else beside them"),
    ],
)
def test_what_a_variant_cannot_change(course, changes, message):
    error = refusal(course(variants=f'# %% task="q1" name="a"\n{changes}\n'))
    assert message in error


def test_two_variants_of_one_name(course):
    assignment = course(variants='# %% task="q1" name="a"\ntotal = sum\n' * 2)
    assert "only one of its task, got 'a'" in refusal(assignment)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("def total(m):\n    return 2", "Add all."),
        ("def total(m):\n    return 3", "1 + 1 is 2."),
        ("def total(m):\n    return m.total()", "It adds. This raised AttributeError"),
        ("totals = sum", "the notebook must define total; run its cell first."),
    ],
)
def test_verdicts_on_wrong_answers(course, answer, message):
    (verdict,) = own_answers.run(course(), {"q1": answer})
    assert (verdict.task, verdict.points, verdict.earned) == ("q1", 90, 0)
    assert len(verdict.messages) == 1  # no hidden check while a visible one fails
    assert message in verdict.messages[0]


def test_tools_accept_what_is_right_and_refuse_what_is_not():
    rng = np.random.default_rng(1)
    n, values = 10_000, rng.laplace(scale=2, size=10_000)

    def laplace(x):
        return np.where(x < 0, np.exp(np.minimum(x, 0) / 2) / 2, 1 - np.exp(-np.maximum(x, 0) / 2) / 2)

    assert student_checks.within(rng.binomial(n, 0.3), n, 0.3)
    assert not student_checks.within(rng.binomial(n, 0.34), n, 0.3)
    assert student_checks.within(0, n, 0)
    assert student_checks.close_mean(values, 0, np.sqrt(8))
    assert not student_checks.close_mean(values + 0.3, 0, np.sqrt(8))
    assert student_checks.fits(values, laplace)
    assert not student_checks.fits(values * 1.25, laplace)
    assert not student_checks.fits(np.zeros(n), laplace)


def test_tools_accept_what_is_right_whatever_the_seed():
    for rng in map(np.random.default_rng, range(300)):
        assert student_checks.within(rng.binomial(1_000, 0.3), 1_000, 0.3)
        assert student_checks.close_mean(rng.laplace(size=1_000), 0, np.sqrt(2))
        assert student_checks.fits(rng.random(1_000), lambda x: np.clip(x, 0, 1))


def test_sample_calls_with_one_generator():
    def noisy(value, rng):
        return value + rng.integers(2**60)

    found = student_checks.sample(noisy, 100, 1, rng=np.random.default_rng(1))
    assert found.shape == (100,)
    assert len(set(found)) == 100
    assert found[0] == noisy(1, np.random.default_rng(1))


def test_sample_leaves_the_calls_to_what_can_do_them_at_once():
    class InTheSandbox:
        def __call__(self, *args):
            return 0

        def sample(self, times, *args, rng):
            return times, args, rng

    assert student_checks.sample(InTheSandbox(), 7, 1, 2, rng="generator") == (7, (1, 2), "generator")
