"""What checks may use, and the runner that turns a task's checks into its points.

`student_checks.py` holds what students get, too: the tools, and how a single check is run.
"""

import copy
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np

from .evidence import event_excess, excess, learned_excess, pure, steepest, two_way_excess
from .randomness import Case, additive, coins, enough_where_epsilon_is_large
from .student_checks import close, close_mean, draws_from_rng, failure, fits, fresh, of_part, sample, within

TOOLS = (within, close_mean, close, fits, sample, draws_from_rng)  # names that checks find ready, beside np and pd
OF_PRIVACY = (pure, excess, event_excess, two_way_excess, learned_excess, steepest)
OF_PRIVACY += (Case, additive, coins, enough_where_epsilon_is_large)
HIDDEN_TOOLS = (fresh, of_part, partial, *OF_PRIVACY)  # and those for hidden checks only


@dataclass(frozen=True)
class Verdict:
    """What a task earned: the points of the parts all of whose checks pass, and the messages of those that fail."""

    task: str
    points: int
    earned: int
    messages: tuple[str, ...]


def run_task(task, lookup, assignment, guard=nullcontext) -> Verdict:
    """Run a task's checks, the hidden ones of a part only once its visible ones pass, and return the `Verdict`.

    ``lookup(name)`` gives the student's function or value of that name, or raises a LookupError. The visible and the
    hidden checks each run inside ``guard(hidden)``, a context manager.
    """
    lost, messages = set(), []
    for hidden, checks in ((False, task.visible), (True, task.hidden)):
        passed = task.parts.keys() - lost
        with guard(hidden):
            for check in checks:
                message = None
                if task.parts_of(check) <= passed:
                    message = failure(check.function, _with_ours(lookup, check, assignment) if hidden else lookup)
                if message:
                    lost |= task.parts_of(check)
                    messages.append(message)
    earned = sum(points for part, points in task.parts.items() if part not in lost)
    return Verdict(task.name, task.points, earned, tuple(dict.fromkeys(messages)))


def _with_ours(lookup, check, assignment):
    """Let a hidden check ask for `rng`, `term` and `data` beside the student's names."""
    ours = {"rng": assignment.rng(check.name), "term": assignment.term, "data": assignment.data}

    def find(name):
        if name in ours:
            return ours[name]
        found = lookup(name)
        return WithCopies(found) if callable(found) else found

    return find


class WithCopies:
    """A student's function that gets copies: what it writes into them is no concern of the check's."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *arguments, **keywords):
        """Call the function once, with copies of all arguments but generators."""
        keywords = {name: _copy(argument) for name, argument in keywords.items()}
        return self._function(*map(_copy, arguments), **keywords)

    def sample(self, times, *arguments, rng):
        """Call it so many times, always with the same arguments, and return the array of the results."""
        if hasattr(self._function, "sample"):
            return self._function.sample(times, *arguments, rng=rng)
        return np.array([self._function(*arguments, rng) for _ in range(times)])

    def fresh(self):
        """Return the function where nothing is left of earlier calls."""
        return WithCopies(fresh(self._function))


def _copy(argument):
    return argument if isinstance(argument, np.random.Generator) else copy.deepcopy(argument)
