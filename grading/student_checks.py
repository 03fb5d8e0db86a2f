"""Checks of your answers: in the notebook, ``check("q1", globals())`` runs those of a task.

A check is a function whose parameters are names of the notebook; it raises an AssertionError that says what to look
at.
"""

import copy
import functools
import inspect
import math
import platform
from importlib import metadata

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
    upto, just_below = np.cumsum(counts) / np.sum(counts), np.nextafter(found, -np.inf)
    distance = max(np.abs(upto - cdf(found)).max(), np.abs(upto - counts / np.sum(counts) - cdf(just_below)).max())
    return distance <= math.sqrt(LOG / (2 * np.sum(counts)))


def close(answer, expected, **tolerances):
    """Tell whether the numbers are the expected ones, and as many: an array without numbers is no answer."""
    answer, expected = np.asarray(answer, float), np.asarray(expected, float)
    fitting = answer.shape == expected.shape if expected.ndim else answer.size > 0
    return fitting and np.allclose(answer, expected, **tolerances)


def same(first, second):
    """Tell whether two answers, or two lists of arguments, are alike to the last digit."""
    if isinstance(first, (list, tuple)):
        return isinstance(second, (list, tuple)) and len(first) == len(second) and all(map(same, first, second))
    if hasattr(first, "equals"):
        return first.equals(second)
    first, second = np.asarray(first), np.asarray(second)
    return first.shape == second.shape and bool(np.all((first == second) | (first != first) & (second != second)))


def draws_from_rng(function, *args):
    """Raise an AssertionError where equal generators don't give ``function(*args, rng)`` equal results."""
    first, second = (function(*copy.deepcopy(args), np.random.default_rng(8)) for _ in range(2))
    assert same(first, second), (
        "Called twice with generators in the same state, your function gives two answers: take all randomness from "
        "rng, and keep nothing from one call to the next."
    )


def sample(function, times, *args, rng):
    """Call ``function(*args, rng)`` so many times; return the array of the results, the calls along its first axis.

    An AssertionError where the function draws from elsewhere, or changes what it is given.
    """
    draws_from_rng(function, *args)
    before = copy.deepcopy(args)
    if hasattr(function, "sample"):  # in the sandbox: all the calls in one message
        results = function.sample(times, *args, rng=rng)
    else:
        results = np.array([function(*args, rng) for _ in range(times)])
    assert same(args, before), "Your function changes what it is given: work on a copy."
    return results


def fresh(function):
    """Return the function where nothing is left of earlier calls: in the sandbox, in a new process."""
    return function.fresh() if hasattr(function, "fresh") else function


def of_part(check, part):
    """Return a check of one part of a task, of one that is written for all parts."""
    bound = functools.partial(check, part=part)
    bound.__doc__ = check.__doc__
    return bound


def failure(check, lookup):
    """Run one check; return what is wrong, in words, or None."""
    arguments = {}
    for name, parameter in inspect.signature(check).parameters.items():
        if parameter.default is not parameter.empty:
            continue
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


def tell_versions(graded_with):
    """Print with which versions the grader works, and where this computer's differ."""
    yours = {"python": platform.python_version()}
    yours |= {name: metadata.version(name) for name in graded_with if name != "python"}
    print("The grader works with " + ", ".join(f"{name} {version}" for name, version in graded_with.items()) + ".")
    for name, version in graded_with.items():
        if yours[name].split(".")[:2] != version.split(".")[:2]:
            print(f"! You have {name} {yours[name]}: what it does otherwise than {version}, your own checks can't see.")


VISIBLE = {}  # task: its checks
TRIALS = {}  # task: what says how accurate an answer is


def try_it(task, *answer_and_data):
    """Print how accurate an answer is on data that you invent: ``try_it("q5", answer_periods, minutes)``."""
    if task not in TRIALS:
        raise ValueError(f"task must be one of {', '.join(TRIALS)}, got {task!r}")
    print(f"{task}: {TRIALS[task](*answer_and_data)}")


def check(task, namespace):
    """Print whether the visible checks of a task pass: ``check("q1", globals())``."""
    if task not in VISIBLE:
        raise ValueError(f"task must be one of {', '.join(VISIBLE)}, got {task!r}")
    messages = [failure(visible_check, namespace.__getitem__) for visible_check in VISIBLE[task]]
    for message in dict.fromkeys(filter(None, messages)):
        print(f"✗ {task}, not yet: {message}")
    if not any(messages):
        print(f"✓ {task}: all you can check here is right. The grader checks more.")
