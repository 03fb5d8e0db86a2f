"""Answers to the labs of chapter 13: right ones, and wrong ones with a part of what they are told."""

import numpy as np
import pandas as pd
from labs.answers import patched

import dp_helpers as dp


def _interval(reports, noise):
    n, share = len(reports), np.mean(reports)
    centre = (share - noise / 2) / (1 - noise)
    half = 1.96 * np.sqrt(noise / 2 * (1 - noise / 2) / n) / (1 - noise)
    return centre - half, centre + half


def _loop_interval(reports, noise):
    yeses = 0
    for report in reports:
        yeses += int(report)
    n, p, q = len(reports), 1 - noise / 2, noise / 2
    sd = (p * (1 - p) / n / (p - q) ** 2) ** 0.5
    return round((yeses / n - q) / (p - q) - 1.96 * sd, 4), round((yeses / n - q) / (p - q) + 1.96 * sd, 4)


def _respond(answers, noise, rng):
    return np.where(rng.random(len(answers)) >= noise, answers, rng.random(len(answers)) < 0.5)


def _design(n, error):
    a = 1.96 / (2 * error * np.sqrt(n))
    return np.log((1 + a) / (1 - a)) if a < 1 else None


def _search(n, error):
    """Return the smallest ε of a grid by trying, with the variance of the worst population."""
    grid = np.linspace(0.001, 8, 40_001)
    p = np.exp(grid) / (1 + np.exp(grid))
    variance = 0.25 / n + p * (1 - p) / n / (2 * p - 1) ** 2
    fits = grid[1.96 * np.sqrt(variance) <= error]
    return fits[0] if len(fits) else None


def _one_number(answers, noise, rng):
    coin = rng.random(len(answers))
    return np.where(coin >= noise, answers, coin < noise / 2).astype(int)


def _respond_in_a_loop(answers, noise, rng):
    reports = []
    for answer in answers:
        if rng.random() < noise:
            reports.append(rng.random() < 0.5)
        else:
            reports.append(bool(answer))
    return reports


def _overwrite(answers, noise, rng):
    answers[:] = _respond(answers, noise, rng)
    return answers


def _exactly_so_many(answers, noise, rng):
    reports = answers.copy()
    drawn = rng.choice(len(answers), round(noise * len(answers)), replace=False)
    reports[drawn] = rng.random(len(drawn)) < 0.5
    return reports


def _b_range(a, epsilon):
    least = a / ((1 - a) * np.expm1(epsilon))
    return (least, 1 - least) if least <= 0.5 else None


def _b_range_by_search(a, epsilon):
    low, high = 0.0, 0.5
    if dp.RandomizedResponse(truth=a, yes=0.5).epsilon > epsilon:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        if dp.RandomizedResponse(truth=a, yes=middle).epsilon > epsilon:
            low = middle
        else:
            high = middle
    return np.array([high, 1 - high])


RIGHT = {
    "app-that-rarely-says-yes": [
        np.log(0.72 / 0.12),
    ],
    "honest-interval": [
        _loop_interval,
        lambda reports, noise: pd.Series(_interval(reports, noise)),
        lambda reports, noise: np.clip(_interval(reports, noise), 0, 1),
    ],
    "one-toss-saved": [
        _respond,
        _one_number,
        _respond_in_a_loop,
        lambda answers, noise, rng: pd.Series(_respond(answers, noise, rng)),
    ],
    "unfair-second-coin": [
        lambda a, epsilon: list(_b_range(a, epsilon) or []) or None,
        _b_range_by_search,
        lambda a, epsilon: np.round(_b_range(a, epsilon), 3) if _b_range(a, epsilon) else None,
    ],
    "survey-before-it-is-asked": [
        _search,
        lambda n, error: round(_design(n, error), 3) if _design(n, error) else None,
    ],
}

WRONG = {
    "honest-interval": [
        (lambda reports, noise: 0.3, "give a pair"),
        (lambda reports, noise: _interval(reports, noise)[::-1], "low must not be above high"),
        (patched(_interval, "(share - noise / 2) / (1 - noise)", "share"), "Take the coins out first"),
        (patched(_interval, "2) / (1 - noise)\n", "2)\n"), "the estimate is 0.250"),
        (lambda r, t: [len(r) * x for x in _interval(r, t)], "give shares"),
        (patched(_interval, "1.96", "1"), "1 × the standard deviation"),
        (patched(_interval, "1.96", "2"), "2 × the standard deviation"),
        (patched(_interval, "1.96", "3"), "either way; yours"),
        (patched(_interval, "n) / (1 - noise)", "n)"), "stretches it"),
        (patched(_interval, "noise / 2 * (1 - noise / 2)", "share * (1 - share)"), "only the coins"),
        (patched(_interval, "/ n) / (1 - noise)", ") / (1 - noise)"), "mind the root"),
    ],
    "one-toss-saved": [
        (lambda answers, noise, rng: answers[:5], "a True or False for each person"),
        (lambda answers, noise, rng: np.full(len(answers), 0.5), "True or False"),
        (patched(_respond, "rng.random(len(answers)) < 0.5", "rng.random() < 0.5"), "hang together"),
        (patched(_respond, "rng.random(len(answers)) >=", "rng.random() >="), "hang together"),
        (patched(_respond, "rng.random(len(answers)) <", "np.random.default_rng(0).random(len(answers)) <"),
         "is one of the coins fixed"),
        (lambda a, t, rng: _respond(a, t, np.random.default_rng(5)), "two different ones"),
        (lambda a, t, rng: _respond(a, t, rng) if len(a) > 1 else a, "of yours, 1.000 do"),
        (lambda a, t, rng: a & (rng.random(len(a)) > t / 2), "people whose truth is no"),
        (lambda a, t, rng: a if len(a) > 150_000 else _respond(a, t, rng), "people whose truth is yes"),
        (patched(_respond, "rng.random(len(answers)) < 0.5", "~answers"), "at noise 0.5"),
        (_exactly_so_many, "varies unlike"),
        (patched(_respond, ">= noise", ">= 0.5"), "at noise 0.8"),
        (lambda a, t, rng: dp.RandomizedResponse.biased_coin(t).perturb(a, rng), "write respond yourself"),
        (_overwrite, "leave its input as it is"),
    ],
    "unfair-second-coin": [
        (lambda a, epsilon: _b_range(a, epsilon) or (0.5, 0.5), "return None"),
        (lambda a, epsilon: ((_b_range(a, epsilon) or (0.6,))[0], 1.0), "a no gives away more"),
        (lambda a, epsilon: (0.0, (_b_range(a, epsilon) or (0, 0.4))[1]), "a yes gives away more"),
        (lambda a, epsilon: (0.4995, 0.5005), "only the best one"),
        (lambda a, epsilon: (a / (1 - a) / np.exp(epsilon), 1 - a / (1 - a) / np.exp(epsilon)), "too wide"),
        (lambda a, epsilon: (0.45, 0.55), "too narrow"),
    ],
    "survey-before-it-is-asked": [
        (lambda n, error: 2 * np.arcsinh(0.98 / (error * np.sqrt(n))), "luck of the draw"),
        (patched(_design, "1.96", "1"), "takes 1.96"),
        (lambda n, error: 0.98 / (error * np.sqrt(n)), "turn it into ε"),
        (lambda n, error: np.exp(_design(n, error) or 0), "its natural logarithm"),
        (lambda n, error: np.log(20) / (n * error), "curator's ε"),
        (lambda n, error: 1.0 if n == 400 else _design(n, error), "even honest answers"),
        (lambda n, error: 1.2 * _design(n, error), "yours is"),
    ],
}  # fmt: skip
