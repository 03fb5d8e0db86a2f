"""A parameter that is always the same isn't checked: a task's checks give a function more than one value of each.

As tests/labs/test_arguments.py says it of the labs; an assignment's solutions are what is watched.
"""

from collections import defaultdict
from types import FunctionType

import pytest
from committed import FOLDERS, load
from labs.test_arguments import changes, noting
from thorough import sample

from grading import own_answers
from grading.verdicts import run_task

TASKS = [(folder, task.name) for folder in FOLDERS for task in load(folder).tasks if not task.written]
# What the task itself fixes, and what an answer can't be tempted to read from somewhere else: (task, argument).
FIXED: dict[tuple[str, str], set[str]] = {}


def never_changed(assignment, name):
    """Return the arguments that had one value in all calls of a task's checks, of which there was more than one."""
    space, seen = own_answers.namespace(assignment, {}), defaultdict(lambda: defaultdict(list))

    def lookup(name):
        if not isinstance(space[name], FunctionType):
            return space[name]
        noted = noting(space[name], seen[name])
        noted.fresh = lambda: own_answers.namespace(assignment, {})[name]
        return noted

    (task,) = [task for task in assignment.tasks if task.name == name]
    verdict = run_task(task, lookup, assignment)
    assert verdict.earned == verdict.points, verdict.messages
    return {
        argument: values[0]
        for notes in seen.values()
        for argument, values in notes.items()
        if len(values) > 1 and not changes(values)
    }


@pytest.mark.parametrize(
    ("folder", "task"),
    sample(TASKS, every=16, name=lambda case: f"{case[0].name} {case[1]}"),
    ids=lambda part: getattr(part, "name", part),
)
def test_each_argument_of_a_task_changes(folder, task):
    constant = never_changed(load(folder), task)
    assert constant.keys() == FIXED.get((folder.name, task), set()), f"always the same: {constant}"
