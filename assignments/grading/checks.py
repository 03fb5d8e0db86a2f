"""What checks may use, and the runner that turns a task's checks into its points.

`selfcheck.py` holds what students get, too: the tools, and how a single check is run.
"""

from dataclasses import dataclass

from .selfcheck import close_mean, failure, fits, sample, within

TOOLS = (within, close_mean, fits, sample)  # names that checks find ready, beside np and pd


@dataclass(frozen=True)
class Verdict:
    """What a task earned: all its points, or 0 and the messages of the checks that failed."""

    task: str
    points: int
    earned: int
    messages: tuple[str, ...]


def run_task(task, lookup, assignment) -> Verdict:
    """Run a task's checks, the hidden ones only once the visible ones pass, and return the `Verdict`.

    ``lookup(name)`` gives the student's function or value of that name, or raises a LookupError.
    """
    messages = [failure(check.function, lookup) for check in task.visible]
    if not any(messages):
        messages = [failure(check.function, _with_ours(lookup, check, assignment)) for check in task.hidden]
    messages = tuple(message for message in messages if message)
    return Verdict(task.name, task.points, 0 if messages else task.points, messages)


def _with_ours(lookup, check, assignment):
    """Let a hidden check ask for `rng`, `term` and `data` beside the student's names."""
    ours = {"rng": assignment.rng(check.name), "term": assignment.term, "data": assignment.data}
    return lambda name: ours[name] if name in ours else lookup(name)
