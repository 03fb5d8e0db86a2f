"""What checks are made of, and the student's ``check("q1", globals())``.

A check is a function whose parameters are names of the student's notebook; it raises an AssertionError that says
what to look at.  This file is also handed out, with the visible checks below it: it needs NumPy and pandas only.
"""

import inspect
import math
from dataclasses import dataclass

import numpy as np

FALSE_ALARM = 1e-10  # the chance that one comparison turns a right answer down
LOG = math.log(2 / FALSE_ALARM)


def within(count, n, p):
    """Tell whether ``count`` successes are what ``n`` independent trials of probability ``p`` give (Bernstein)."""
    return abs(count - n * p) <= math.sqrt(2 * n * p * (1 - p) * LOG) + LOG / 3


def close_mean(values, mean, sd):
    """Tell whether the values' average is what independent draws with this mean and standard deviation give.

    For at least 1,000 values whose tails fall exponentially (bounded, normal, Laplace, geometric).
    """
    return abs(np.mean(values) - mean) <= 7 * sd / math.sqrt(len(values))


def fits(values, cdf):
    """Tell whether the values are independent draws from a distribution (Dvoretzky-Kiefer-Wolfowitz).

    ``cdf`` takes an array of numbers and returns the distribution's probabilities to be at or below them.
    """
    found, counts = np.unique(np.asarray(values, float), return_counts=True)
    distance = np.abs(np.cumsum(counts) / np.sum(counts) - cdf(found)).max()
    return distance <= math.sqrt(LOG / (2 * np.sum(counts)))


def sample(function, times, *args, rng):
    """Call ``function(*args, rng)`` so many times; return the array of the results, the calls along its first axis."""
    if hasattr(function, "sample"):  # in the sandbox: all the calls in one message
        return function.sample(times, *args, rng=rng)
    return np.array([function(*args, rng) for _ in range(times)])


TOOLS = (within, close_mean, fits, sample)


@dataclass(frozen=True)
class Verdict:
    """What a task earned: all its points, or 0 and the messages of the checks that failed."""

    task: str
    points: int
    earned: int
    messages: tuple[str, ...]


def run_task(task, lookup, assignment):
    """Run a task's checks, the hidden ones only once the visible ones pass, and return the `Verdict`.

    ``lookup(name)`` gives the student's function or value of that name, or raises a LookupError.
    """
    messages = [failure(check.function, lookup) for check in task.visible]
    if not any(messages):
        messages = [failure(check.function, _and_ours(lookup, check, assignment)) for check in task.hidden]
    messages = tuple(message for message in messages if message)
    return Verdict(task.name, task.points, 0 if messages else task.points, messages)


def _and_ours(lookup, check, assignment):
    ours = {"rng": assignment.rng(check.name), "term": assignment.term, "data": assignment.data}
    return lambda name: ours[name] if name in ours else lookup(name)


def failure(check, lookup):
    """Run one check; return what is wrong, in words, or None."""
    names = inspect.signature(check).parameters
    try:
        arguments = {name: lookup(name) for name in names}
    except LookupError:
        return f"the notebook must define {' and '.join(names)}; run its cell first."
    try:
        check(**arguments)
    except AssertionError as error:
        return str(error) or inspect.getdoc(check)
    except Exception as error:  # the student's code is called in there, and may do anything
        return f"{inspect.getdoc(check)} This raised {type(error).__name__}: {error}"
    return None


VISIBLE = {}  # task: its checks; filled at the end of the student's copy


def check(task, namespace):
    """Print whether the visible checks of a task pass: ``check("q1", globals())``."""
    if task not in VISIBLE:
        raise ValueError(f"task must be one of {', '.join(VISIBLE)}, got {task!r}")
    messages = [failure(one, namespace.__getitem__) for one in VISIBLE[task]]
    for message in filter(None, messages):
        print(f"✗ {task}, not yet: {message}")
    if not any(messages):
        print(f"✓ {task}: all you can check here is right. The grader checks more.")
