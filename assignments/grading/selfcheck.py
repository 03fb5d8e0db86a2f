"""Checks of your answers: in the notebook, ``check("q1", globals())`` runs those of a task.

A check is a function whose parameters are names of the notebook; it raises an AssertionError that says what to look
at.
"""

import inspect
import math

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


def failure(check, lookup):
    """Run one check; return what is wrong, in words, or None."""
    arguments = {}
    for name in inspect.signature(check).parameters:
        try:
            arguments[name] = lookup(name)
        except LookupError:
            return f"the notebook must define {name}; run its cell first."
    try:
        check(**arguments)
    except AssertionError as error:
        return str(error) or inspect.getdoc(check)
    except Exception as error:  # the student's code is called in there, and may do anything
        return f"{inspect.getdoc(check)} This raised {type(error).__name__}: {error}"
    return None


VISIBLE = {}  # task: its checks


def check(task, namespace):
    """Print whether the visible checks of a task pass: ``check("q1", globals())``."""
    if task not in VISIBLE:
        raise ValueError(f"task must be one of {', '.join(VISIBLE)}, got {task!r}")
    messages = [failure(one, namespace.__getitem__) for one in VISIBLE[task]]
    for message in filter(None, messages):
        print(f"✗ {task}, not yet: {message}")
    if not any(messages):
        print(f"✓ {task}: all you can check here is right. The grader checks more.")
