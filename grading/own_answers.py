"""Runs an assignment's own solutions and variants in this process, to see that its checks tell right from wrong.

Only for the lecturer's own code: students' code runs in the sandbox.
"""

import contextlib
import tempfile
from pathlib import Path
from types import FunctionType

from .source import Assignment
from .verdicts import Verdict, run_task


def run(assignment: Assignment, answers: dict[str, str] | None = None, only: str | None = None) -> list[Verdict]:
    """Execute the solutions, some of them replaced by other answers, and return the verdict on each task.

    Parameters
    ----------
    assignment : Assignment
        As loaded.
    answers : dict, optional
        Code by task, instead of that task's solution.
    only : str, optional
        Judge this task alone; None: all of them.
    """
    space = namespace(assignment, answers or {})

    def lookup(name):
        if isinstance(space[name], FunctionType):
            space[name].fresh = lambda: namespace(assignment, answers or {})[name]
        return space[name]

    judged = [task for task in assignment.tasks if not task.written and only in (None, task.name)]
    return [run_task(task, lookup, assignment) for task in judged]


def namespace(assignment: Assignment, answers: dict[str, str]) -> dict:
    """Return the names that the setup and the tasks' cells define, in the order of the source."""
    space = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in assignment.files().items():
            Path(name).write_text(text, encoding="utf-8")
        for cell in assignment.cells:
            if cell.role in ("setup", "solution"):
                code = answers.get(cell.task, cell.text)
                exec(compile(code, cell.where, "exec"), space)
    return space
