"""Releases of diffprivlib, whose docstrings claim an epsilon and name no neighbours.

Each function is audited under the relation that its sensitivity fits, where the claim has to hold: (upper - lower) / n
for a mean is replace-one, 1 for all cells of a histogram add/remove.  The count is audited under the other one, too.
"""

import warnings

import numpy as np
from diffprivlib import mechanisms, tools
from diffprivlib.utils import DiffprivlibCompatibilityWarning
from release import Release

warnings.simplefilter("ignore", DiffprivlibCompatibilityWarning)

BOUNDS = (0.0, 10.0)
REPLACED = '"with differential privacy", no neighbours named; the noise fits replace-one'
ADDED = '"to satisfy differential privacy", no neighbours named; the noise fits add/remove'


def releases() -> list[Release]:
    """Return one release for each query, and the count under both relations."""
    people, other = np.full(10, 5.0), np.array([0.0, *[5.0] * 9])
    ones = np.ones(10)
    low, high = np.array([1.0] * 4 + [5.0] * 5), np.array([1.0] * 3 + [5.0] * 5 + [9.0])
    return [
        described("count", "tools.count_nonzero", tools.count_nonzero, ones, np.append(ones[1:], 0.0)),
        described("count", "tools.count_nonzero", tools.count_nonzero, np.ones(11), ones, "add/remove", covered=False),
        described("sum", "tools.sum", bounded(tools.sum), np.append(people[1:], 10.0), other, **ends(1.0)),
        described("mean", "tools.mean", bounded(tools.mean), np.append(people[1:], 10.0), other, **ends(10.0)),
        described("quantile", "tools.median", bounded(tools.median), low, high),
        described("histogram", "tools.histogram", histogram, np.array([0, 0, 1]), np.array([0, 1]), "add/remove"),
        described("noisy max", "mechanisms.PermuteAndFlip", most, [1, 0], [1, 1], "add/remove"),
    ]


def ends(value):
    """Return two tables of ten people that differ in one: everybody has 0, or one of them this value."""
    return {"one": np.array([value, *[0.0] * 9]), "zero": np.zeros(10)}


def bounded(function):
    """Return a function of the data alone, at epsilon 1."""
    return lambda data: function(data, epsilon=1.0, bounds=BOUNDS)


def histogram(data):
    """Return the cells of a histogram."""
    return tools.histogram(data, epsilon=1.0, bins=2, range=(0, 2))[0]


def most(scores):
    """Return the candidate whose noisy score is the largest, of scores that a person can only raise."""
    flip = mechanisms.PermuteAndFlip(epsilon=1.0, sensitivity=1, utility=scores, monotonic=True)
    return flip.randomise()


def described(query, function, run, data, neighbour, relation="replace-one", covered=True, **ends) -> Release:
    """Return a release at epsilon 1."""
    promise = {"replace-one": REPLACED, "add/remove": ADDED if covered else REPLACED}[relation]
    return Release("diffprivlib", function, query, relation, promise, run, data, neighbour, covered=covered, **ends)
