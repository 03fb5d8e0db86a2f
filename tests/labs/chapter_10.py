"""Answers to the labs of chapter 10: right ones, and wrong ones with a part of what they are told."""

import itertools
import math
from functools import partial

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp

OWN = np.random.default_rng(1018)  # a generator that goes on, instead of the one that an answer is given


def search(answers, threshold, sensitivity, epsilon, rng, *, scales=(2, 4), fresh=False, last=None, greedy=False):
    """Return AboveThreshold's position, with each mistake on request."""
    if greedy:
        answers = list(answers)
    unit = sensitivity / epsilon
    level = threshold + rng.laplace(0, scales[0] * unit)
    for i, answer in enumerate(answers):
        if fresh:
            level = threshold + rng.laplace(0, scales[0] * unit)
        if answer + rng.laplace(0, scales[1] * unit) >= level:
            return i
    return last


def divided_but_for_the_threshold(answers, threshold, sensitivity, epsilon, rng):
    return search((answer / sensitivity for answer in answers), threshold, 1, epsilon, rng)


def by_package(answers, threshold, sensitivity, epsilon, rng):
    return dp.above_threshold(answers, threshold=threshold, sensitivity=sensitivity, epsilon=epsilon, rng=rng)


noise_upwards = patched(search, "rng.laplace(0, scales[1] * unit)", "abs(rng.laplace(0, scales[1] * unit))")


class ByClass:
    """The search as a class, with noise by the inverse of its distribution function."""

    def __call__(self, answers, threshold, sensitivity, epsilon, rng):
        def noise(scale):
            side = rng.random() - 0.5
            return -scale * math.copysign(math.log1p(-2 * abs(side)), side)

        level = threshold + noise(2 * sensitivity / epsilon)
        return next((i for i, a in enumerate(answers) if a + noise(4 * sensitivity / epsilon) >= level), None)


def no_sensitivity(answers, threshold, sensitivity, epsilon, rng):
    return search(answers, threshold, 1, epsilon, rng)


def wrong_search(**mistakes):
    return lambda *args: search(*args, **mistakes)


def by_exponentials(answers, threshold, sensitivity, epsilon, rng):
    """Return the position; Laplace noise as the difference of two waiting times, everything in units of noise."""

    def noise():
        return rng.standard_exponential() - rng.standard_exponential()

    unit = 4 * sensitivity / epsilon
    level = noise() / 2
    return next((i for i, answer in enumerate(answers) if (answer - threshold) / unit + noise() >= level), None)


def normal_search(answers, threshold, sensitivity, epsilon, rng):
    """Return the position, with normal noise of the standard deviations that the definition's Laplace noise has."""
    unit = math.sqrt(2) * sensitivity / epsilon
    level = threshold + rng.normal(0, 2 * unit)
    return next((i for i, answer in enumerate(answers) if answer + rng.normal(0, 4 * unit) >= level), None)


def geometric_search(answers, threshold, sensitivity, epsilon, rng):
    """Return the position; whole numbers of sensitivities as noise."""

    def noise(scale):
        return sensitivity * int(np.subtract(*rng.geometric(-math.expm1(-1 / scale), size=2)))

    level = threshold + noise(2 / epsilon)
    return next((i for i, answer in enumerate(answers) if answer + noise(4 / epsilon) >= level), None)


def better_split_search(answers, threshold, sensitivity, epsilon, rng):
    """Return the position with the split of Lyu, Su & Li: 1 to 2^(2/3)."""
    first = epsilon / (1 + 2 ** (2 / 3))
    return search(answers, threshold, sensitivity, 1.0, rng, scales=(1 / first, 2 / (epsilon - first)))


def one_noise(answers, threshold, sensitivity, epsilon, rng):
    """Return the position; one draw of noise for all answers."""
    noise = rng.laplace(0, 4 * sensitivity / epsilon) - rng.laplace(0, 2 * sensitivity / epsilon)
    return next((i for i, answer in enumerate(answers) if answer + noise >= threshold), None)


def large(answers, threshold, limit, epsilon, rng, *, fault=None, search=0.5, scales=(2, 4), again=True):
    """Return positions and values, with each mistake on request: an "if" for each, in one place to be read together."""
    part = search * epsilon / limit
    noise_of = {"level": scales[0] / part, "answer": scales[1] / part, "value": limit / (epsilon * (1 - search))}
    if fault in noise_of:
        noise_of[fault] = 1e-12
    found, level = [], threshold + rng.laplace(0, noise_of["level"])
    common = rng.laplace(0, noise_of["value"])
    for i, answer in enumerate(answers):
        noise = rng.laplace(0, noise_of["answer"])
        if fault == "fresh level":
            level = threshold + rng.laplace(0, noise_of["level"])
        if answer + noise >= level:
            value = rng.laplace(0, noise_of["value"])
            if fault == "shown":  # the deciding noise, at the right scale for the value
                value = noise / noise_of["answer"] * noise_of["value"]
            if fault == "common":
                value = common
            if fault == "normal":
                value = rng.normal(0, 1.5 * noise_of["value"])
            if fault == "integers":
                share = math.exp(-1 / noise_of["value"])
                value = int(rng.geometric(1 - share)) - int(rng.geometric(1 - share))
            found.append((i, answer + value))
            if again:
                level = threshold + rng.laplace(0, noise_of["level"])
        if len(found) == limit + (fault == "more"):
            break
    return [(0, threshold)] if fault == "guess" and not found else found


def variant(**changes):
    return lambda *args: large(*args, **changes)


def as_table(answers, *given):
    """Return positions and values, of a few answers as a table: to make thousands takes ten seconds."""
    found = large(answers, *given)
    return pd.DataFrame(found, columns=["position", "value"]) if len(answers) == 5 else found


def better_split(answers, threshold, limit, epsilon, rng, *, again=False):
    """Return positions and values as Lyu, Su & Li: one threshold, and the split 1 to (2c)^(2/3)."""
    first = epsilon / 2 / (1 + (2 * limit) ** (2 / 3))
    scales = 1 / first / (2 * limit / epsilon), 2 * limit / (epsilon / 2 - first) / (2 * limit / epsilon)
    return large(answers, threshold, limit, epsilon, rng, scales=scales, again=again)


def even_split(answers, threshold, limit, epsilon, rng):
    """Return positions and values; a quarter of epsilon for one threshold and a quarter for all the answers."""
    level = threshold + rng.laplace(0, 4 / epsilon)
    passed = (i for i, a in enumerate(answers) if a + rng.laplace(0, 8 * limit / epsilon) >= level)
    return {i: answers[i] + rng.laplace(0, 2 * limit / epsilon) for i in itertools.islice(passed, limit)}


def as_printed(answers, threshold, limit, epsilon, rng):
    """Return what the program of lab positions-and-values does."""
    level = threshold + rng.laplace(0, 2 / epsilon)
    found = []
    for index, answer in enumerate(answers):
        noisy = answer + rng.laplace(0, 4 / epsilon)
        if noisy >= level:
            found.append((index, noisy))
        if len(found) > limit:
            break
    if not found:
        found = [(rng.integers(len(answers)), threshold)]
    return found


def first_mended(answers, threshold, limit, epsilon, rng):
    """Return positions and values after the first mistakes are mended, with the noise that decided."""
    level = threshold + rng.laplace(0, 2 / epsilon)
    found = []
    for index, answer in enumerate(answers):
        noisy = answer + rng.laplace(0, 4 / epsilon)
        if noisy >= level:
            found.append((index, noisy))
        if len(found) == limit:
            break
    return found


def with_sparse(answers, threshold, limit, epsilon, rng):
    found = dp.sparse(answers, threshold=threshold, limit=limit, epsilon=epsilon / 2, rng=rng)
    return [(i, answers[i] + rng.laplace(0, 2 * limit / epsilon)) for i in found]


def with_numeric_sparse(answers, threshold, limit, epsilon, rng):
    return dp.numeric_sparse(answers, threshold=threshold, limit=limit, epsilon=epsilon, rng=rng)


def find(values, epsilon, rng, *, threshold=20.0, top=31, step=1, extra=None, spend=1.0, monotonic=True):
    """Return a bound by doubling, with each mistake on request."""
    candidates = 2.0 ** np.arange(0, top, step)
    answers = [-(values > candidate).sum() for candidate in candidates]
    search = {"threshold": -threshold / epsilon, "epsilon": spend * epsilon, "monotonic": monotonic, "rng": rng}
    found = dp.above_threshold(answers, **search)
    return extra if found is None else float(candidates[found])


def wrong_find(**mistakes):
    return lambda *args: find(*args, **mistakes)


def find_by_loop(values, epsilon, rng):
    """Return a bound by a loop of one's own, not by the package's search."""
    level = -20 / epsilon + rng.laplace(0, 2 / epsilon)
    for power in range(31):
        if -(values > 2**power).sum() + rng.laplace(0, 2 / epsilon) >= level:
            return 2**power
    return None


def find_by_growth(values, epsilon, rng):
    """Return a bound where clipped sums stop growing, one at a time, with steps of a factor of three."""
    candidates = [min(3**k, 10**9) for k in range(20)]
    growth = ((np.minimum(values, b) - np.minimum(values, b + 1)).sum() for b in candidates)
    search = {"threshold": -25 / epsilon, "sensitivity": 1, "epsilon": epsilon, "rng": rng}
    found = dp.above_threshold(growth, **search, monotonic=True)
    if found is not None:
        return int(candidates[found] * 1)


def find_in_hundreds(values, epsilon, rng):
    """Return a bound from the hundreds of people above: answers of sensitivity 1/100."""
    hundreds = [-np.count_nonzero(values > 2**k) / 100 for k in range(31)]
    search = {"sensitivity": 0.01, "epsilon": epsilon, "rng": rng}
    found = dp.above_threshold(hundreds, threshold=-0.4 / epsilon, **search)
    return found if found is None else 2**found


def doubled_quantile(values, epsilon, rng):
    return 2 * np.quantile(values, 0.998) if len(values) >= 1_000 else None


def candidates_up_to_the_largest(values, epsilon, rng):
    """Return a bound by a search among steps up to the data's own maximum."""
    candidates = np.linspace(0, max(values.max() if len(values) else 0, 1.0), 40)
    answers = [-(values > candidate).sum() for candidate in candidates]
    found = dp.above_threshold(answers, threshold=-20 / epsilon, epsilon=epsilon, monotonic=True, rng=rng)
    return None if found is None or candidates[found] > 1e11 else candidates[found]


def sums_themselves(values, epsilon, rng):
    """Return a bound where the clipped sum passes a million: one person moves a sum by as much as the bound."""
    sums = [np.minimum(values, 2**k).sum() for k in range(31)]
    found = dp.above_threshold(sums, threshold=1e6, epsilon=epsilon, rng=rng)
    return None if found is None else 2**found


def needs_people(values, epsilon, rng):
    assert values.max() >= 0
    return find(values, epsilon, rng)


def halved_where_few_are_above(values, epsilon, rng):
    """Return half of the private bound where the data say that it does."""
    found = find(values, epsilon, rng)
    return found / 2 if found and (values > found / 2).sum() < 50 else found


RIGHT = {
    "what-does-one-way-cost": [
        0.6,
    ],
    "fifth-version": [
        ([0] * 20 + [1], [1] * 20 + [0]),
        [np.zeros(60), np.append(np.ones(59), -1.0)],
        ([-3] * 200 + [0.5], [-2] * 200 + [-0.5]),
    ],
    "any-sensitivity": [
        search,
        by_exponentials,
        better_split_search,
        geometric_search,
        ByClass(),
        partial(search, scales=(1 / 0.4, 2 / 0.6)),
    ],
    "positions-and-values": [
        large,
        variant(again=False),  # one threshold for all passes is private as well
        better_split,
        even_split,
        variant(fault="integers"),
        variant(search=8 / 9),
        as_table,
        with_sparse,
    ],
    "bound-for-any-column": [
        find,
        wrong_find(threshold=12.0),
        find_by_growth,
        find_in_hundreds,
    ],
}


def _asks_once_more(answers, *rest):
    answers = iter(answers)
    found = search(answers, *rest)
    next(answers, None)
    return found


def find_up_and_down(values, epsilon, rng):
    """Return a bound by answers of which a newcomer moves some up and some down."""
    answers = [(values > 2.0**k).sum() * (-1) ** k for k in range(31)]
    found = dp.above_threshold(answers, threshold=-20 / epsilon, epsilon=epsilon, monotonic=True, rng=rng)
    return None if found is None else 2.0**found


WRONG = {
    "what-does-one-way-cost": [
        (0.5, "add the two"),
    ],
    "fifth-version": [
        (1.5, "of two lists"),
        (([0, 1], [1]), "the same length"),
        (([], []), "from 1 to 10,000"),
        (([0] * 20 + [3], [1] * 20 + [0]), "differ by more than 1"),
        (([0, 1], [1, 0]), "so few earlier answers"),
        (([1] * 20 + [0], [0] * 20 + [1]), "the other way round"),
        (([0] * 20 + [0], [1] * 20 + [1]), "its noise moves by 1 at most"),
        (([0] * 20 + [1], [0] * 20 + [0]), "let earlier answers rise"),
        (([0, 0, 0, 0, 1], [1, 1, 1, 0, 0]), "above 1.2"),
        (([90] * 20 + [1], [91] * 20 + [0]), "all but impossible"),
    ],
    "any-sensitivity": [
        (lambda answers, threshold, *rest: search(answers, 0.0, *rest), "at a threshold of 1e+12 you stop elsewhere"),
        (lambda answers, threshold, *rest: search(answers, -threshold, *rest), "at a threshold of 1e+12"),
        (divided_but_for_the_threshold, "at a threshold of 1e+12"),
        (lambda answers, *rest: _asks_once_more(answers, *rest), "Ask for no more than 3"),
        (by_package, "write the loop yourself"),
        (wrong_search(last=0), "if no answer passes, return None"),
        (lambda *args: (search(*args) or 0) + 1, "you return 3"),
        (lambda *args: search(*args) is not None, "not True"),
        (wrong_search(greedy=True), "you asked for 12 answers"),
        (wrong_search(scales=(2, 2)), "too little noise"),
        (wrong_search(scales=(1, 2)), "too little noise"),
        (wrong_search(scales=(2 / 1.2, 4 / 1.2)), "too little noise"),
        (wrong_search(scales=(4, 2)), "theirs is the larger scale"),
        (wrong_search(scales=(4.4, 1.2)), "theirs is the larger scale"),
        (no_sensitivity, "at sensitivity 5"),
        (lambda a, t, s, e, r: search(a, t, max(s, 1), e, r), "several times what is needed"),
        (noise_upwards, "about every second time"),
        (wrong_search(fresh=True), "one for each answer"),
        (wrong_search(scales=(0, 4)), "as if the threshold had no noise"),
        (wrong_search(scales=(2, 0)), "noise of its own"),
        (wrong_search(scales=(0, 0)), "draw noise from rng"),
        (one_noise, "noise of its own"),
        (normal_search, "with its long tails"),
        (
            patched(search, "rng.laplace(0, scales[1]", "(0 if i == 0 else 1) * rng.laplace(0, scales[1]"),
            "too little noise",
        ),
        (lambda a, t, s, e, r: search(a, t, s, e, OWN), "from nothing else"),
    ],
    "positions-and-values": [
        (lambda answers, threshold, *rest: large(answers, 0.0, *rest), "at a threshold of 1e+12"),
        (lambda answers, threshold, *rest: large(answers, threshold + 50, *rest), "about every second time"),
        (
            lambda a, t, c, e, r: [(i, a[i] + 3 * round(r.laplace(0, c / e))) for i, _ in large(a, t, c, e, r)],
            "comes in steps",
        ),
        (as_printed, "looks like a success"),
        (lambda a, t, c, e, r: [(i, v if c < 4 else a[i]) for i, v in large(a, t, c, e, r)], "no ε covers that"),
        (variant(fault="more"), "you return [0, 2, 3, 4]"),
        (lambda a, t, c, e, r: [(i + 1, v) for i, v in large(a, t, c, e, r)], "are at 0, 2, 3"),
        (first_mended, "Half of ε is for the values"),
        (variant(fault="common"), "noise of its own"),
        (variant(fault="normal"), "thin tails"),
        (variant(fault="shown"), "lean to one side"),
        (variant(fault="level"), "as if the threshold had no noise"),
        (variant(fault="answer"), "noise of its own"),
        (variant(fault="fresh level"), "one for each answer"),
        (variant(scales=(4, 2)), "theirs is the larger scale"),
        (
            lambda a, t, c, e, r: [(i, a[i] + int(r.laplace(0, 2 * c / e))) for i, _ in large(a, t, c, e, r)],
            "int() cuts",
        ),
        (
            patched(large, "if again:", 'if again:\n                noise_of["level"] = 1'),
            "threshold of too little noise",
        ),
        (variant(scales=(1, 2)), "too little noise"),
        (lambda a, t, c, e, r: large(a, t, c, e, r, scales=(2 / c, 4 / c)), "with a limit of 3"),
        (with_numeric_sparse, "mend this one"),
    ],
    "bound-for-any-column": [
        (lambda v, *rest: (find(v, *rest) or 1) * (1 + (np.median([0, *v]) == 1e6)), "a quantile is data, too"),
        (lambda v, epsilon, rng: find(v, epsilon, rng, threshold=20.0 + len(v)), "fix them beforehand"),
        (lambda v, epsilon, rng: find(v, epsilon, rng, top=4 + len(v) % 30), "fix them beforehand"),
        (find_up_and_down, "they are not monotonic"),
        (lambda values, epsilon, rng: None, "doesn't come from"),
        (wrong_find(threshold=-200.0), "often return None"),
        (wrong_find(threshold=0.0, step=2), "far too high"),
        (wrong_find(extra=2.0**30), "return None"),
        (lambda v, e, r: find(v, e, r) if len(v) < 1_000 else 2.0 ** math.ceil(math.log2(v.max())), "come from dp"),
        (wrong_find(threshold=500.0), "more than 100 people above"),
        (doubled_quantile, "doesn't come from dp.above_threshold"),
        (find_by_loop, "doesn't come from dp.above_threshold"),
        (lambda values, epsilon, rng: find(values, epsilon, np.random.default_rng(1)), "hand rng on"),
        (wrong_find(spend=1.2), "it may spend 0.5"),
        (candidates_up_to_the_largest, "may not be read from the data"),
        (sums_themselves, "the search is told 1"),
        (patched(find_in_hundreds, '"sensitivity": 0.01', '"sensitivity": 0.001'), "the search is told 0.001"),
        (halved_where_few_are_above, "a quantile is data, too"),
        (needs_people, "a table without people"),
    ],
}
