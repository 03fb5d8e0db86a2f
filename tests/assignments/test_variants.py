"""Every assignment's checks tell right answers from wrong ones, and its tasks stand alone.

A right answer fails its checks by chance with probability at most 1e-6, and the seeds are fixed. A check calls an
answer ten thousand times and more, so one solution and one starter in three are tried, and one other answer in 48,
always the same ones; DP_TEST_ALL=1 tries all, as `make assignments` does.
"""

import ast

import pytest
from committed import FOLDERS, load
from thorough import sample

from grading import own_answers, source


def cases(right):
    """Return (folder, variant) for some variants of this kind, with an id that says where each is."""
    found = [
        pytest.param(folder, variant, id=f"{folder.name}-{variant.task}-{variant.name}")
        for folder in FOLDERS
        for variant in source.load_variants(load(folder))
        if variant.right == right
    ]
    return sample(found, every=48, name=lambda case: case.id)


def each_folder():
    return pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def some_tasks():
    coded = [(folder, task) for folder in FOLDERS for task in load(folder).tasks if not task.written]
    tried = sample(coded, every=3, name=lambda case: f"{case[0].name} {case[1].name}")
    return pytest.mark.parametrize(("folder", "task"), tried, ids=lambda part: part.name)


@some_tasks()
def test_the_solution_earns_everything(folder, task):
    (verdict,) = own_answers.run(load(folder), only=task.name)
    assert verdict.messages == ()
    assert verdict.earned == verdict.points


@pytest.mark.parametrize(("folder", "variant"), cases(right=True))
def test_other_right_answers_earn_the_points(folder, variant):
    (verdict,) = own_answers.run(load(folder), {variant.task: variant.code}, only=variant.task)
    assert verdict.messages == ()
    assert verdict.earned == verdict.points


@pytest.mark.parametrize(("folder", "variant"), cases(right=False))
def test_wrong_answers_lose_the_points(folder, variant):
    (verdict,) = own_answers.run(load(folder), {variant.task: variant.code}, only=variant.task)
    assert verdict.earned < verdict.points
    # A check turned it down, rather than code that doesn't run.
    assert not any(" raised " in message or "must define" in message for message in verdict.messages), verdict.messages


@each_folder()
def test_enough_wrong_answers(folder):
    assignment = load(folder)
    wrong = [variant.task for variant in source.load_variants(assignment) if not variant.right]
    for task in assignment.tasks:
        assert task.written or wrong.count(task.name) >= 4, f"{task.name}: at least 4 wrong answers"


@each_folder()
def test_shape_of_an_assignment(folder):
    tasks = load(folder).tasks
    assert sum(task.points for task in tasks) == 100
    assert 4 <= len(tasks) <= 7
    assert sum(task.written for task in tasks) == 1
    for task in tasks:
        title = task.cells["text"].text.partition("\n")[0]
        assert title.startswith("## ") and title.endswith(f"({task.points} points)"), (
            f"{task.name}: points in its title"
        )
    assert any(has_planted_defect(task) for task in tasks if not task.written), "no starter has a defect to find"


@each_folder()
def test_messages_of_hidden_checks_give_no_right_value_away(folder):
    """They may tell what an answer was, and what was asked, but not what would have been right."""
    for task in load(folder).tasks:
        for node in ast.walk(ast.parse(task.cells["hidden"].text if not task.written else "")):
            if isinstance(node, ast.Assert) and node.msg:
                told = {ast.unparse(part.value) for part in ast.walk(node.msg) if isinstance(part, ast.FormattedValue)}
                known = told & {"least", "most", "right", "exact", "expected"}
                # A limit that the task's text states, and a bound of the task's own function.
                assert known <= STATED.get((folder.name, task.name), set()), f"{task.name}: {ast.unparse(node.msg)}"


STATED = {
    ("9-auditing", "q1"): {"least"},
    ("4-accounting", "q2"): {"least"},  # its size in powers of ten alone
    ("2-laplace", "q1"): {"most"},
    ("3-clipping", "q2"): {"most"},
    ("10-week-of-visits", "q4"): {"most"},
}


def has_planted_defect(task):
    """Tell whether the starter is code to mend: nothing in it is left open, and its text speaks of a defect."""
    open_ends = [node for node in ast.walk(ast.parse(task.cells["starter"].text)) if is_ellipsis(node)]
    return not open_ends and "defect" in task.cells["text"].text


def is_ellipsis(node):
    return isinstance(node, ast.Constant) and node.value is ...


@some_tasks()
def test_starters_run_and_earn_nothing(folder, task):
    (verdict,) = own_answers.run(load(folder), {task.name: task.cells["starter"].text}, only=task.name)
    assert verdict.earned == 0


@each_folder()
def test_a_task_uses_nothing_of_another(folder):
    assignment = load(folder)
    coded = [task for task in assignment.tasks if not task.written]
    variants = source.load_variants(assignment)
    code = {
        task.name: [task.cells[role].text for role in ("starter", "solution")]
        + [variant.code for variant in variants if variant.task == task.name]
        for task in coded
    }
    setup = set().union(*(defined(cell.text) for cell in assignment.cells if cell.role == "setup"))
    for task in coded:
        own = set().union(*map(defined, code[task.name]))
        assert not own & setup, f"{task.name} redefines names of the setup"
        for other in coded:
            if other is not task:
                read = set().union(*map(used, code[other.name]))
                read |= {name for check in other.visible + other.hidden for name in check.arguments}
                mine = set().union(*map(defined, code[other.name]))
                assert not own & read - mine, f"{other.name} reads what {task.name} defines"
                assert not own & mine, f"{other.name} and {task.name} define the same name"


def defined(code):
    """Return the names that a cell defines at its top level."""
    names = set()
    for node in ast.parse(code).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            names |= {
                part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
    return names


def used(code):
    """Return all names that a cell reads, locals included."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
