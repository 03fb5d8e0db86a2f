"""Answers to the labs of chapter 12: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np
import pandas as pd
from labs.answers import patched
from scipy import stats

import dp_helpers as dp


def squares(theta, X, y, bound):
    each = 2 * (X @ theta - y)[:, None] * X
    return dp.clip_norm(each, bound).sum(axis=0)


def squares_by_loop(theta, X, y, bound):
    total = np.zeros_like(theta)
    for row, value in zip(X, y, strict=True):
        gradient = 2 * (row @ theta - value) * row
        length = np.linalg.norm(gradient)
        total += gradient if length <= bound else gradient * bound / length
    return total.tolist()


def step(gradients, q, clip, sigma, rng):
    taken = rng.random(len(gradients)) < q
    total = dp.clip_norm(gradients, clip)[taken].sum(axis=0)
    noise = rng.normal(0, sigma * clip, total.shape)
    return (total + noise) / (q * len(gradients))


def binomial_step(gradients, q, clip, sigma, rng):
    n, d = gradients.shape
    taken = rng.choice(n, rng.binomial(n, q), replace=False)
    return (dp.clip_norm(gradients, clip)[taken].sum(axis=0) + sigma * clip * rng.standard_normal(d)) / (n * q)


def step_by_loop(gradients, q, clip, sigma, rng):
    """Return the noisy average of a batch as a list, person by person."""
    total = [0.0] * len(gradients[0])
    for gradient in gradients:
        if rng.uniform() < q:
            length = math.sqrt(sum(g * g for g in gradient))
            factor = min(1, clip / length) if length else 0
            total = [t + factor * g for t, g in zip(total, gradient, strict=True)]
    return [(t + rng.normal(0, sigma * clip)) / (q * len(gradients)) for t in total]


def step_by_inverse(gradients, q, clip, sigma, rng):
    """Return the noisy average with binomial coins, and noise by the inverse of its distribution function."""
    n, d = gradients.shape
    taken = rng.binomial(1, q, n) @ dp.clip_norm(gradients, clip)
    return (taken + stats.norm.ppf(rng.random(d), scale=sigma * clip)) / (q * n)


def settings(steps, batch, sigma, clip=1, rate=1):
    return {"steps": steps, "batch": batch, "clip": clip, "rate": rate, "sigma": sigma}


GOOD = settings(600, 1024, 13.62)

RIGHT = {
    "what-does-an-attack-prove": [
        1.1,
    ],
    "another-loss": [
        squares,
        squares_by_loop,
    ],
    "step-that-isnt-covered": [
        step,
        binomial_step,
        step_by_loop,
        lambda *args: pd.Series(step_by_inverse(*args)),
        patched(step, "sigma * clip", "1.3 * sigma * clip"),
    ],
    "settings-for-epsilon": [
        settings(1000, 1000, 17.12),
        settings(900, 512, 8.38, clip=0.5, rate=2),
    ],
}

CLIP = "dp.clip_norm(each, bound).sum(axis=0)"
LENGTH = "np.linalg.norm(each, axis=1, keepdims=True)"
nan_squares = patched(squares, CLIP, f"(each / {LENGTH} * np.minimum({LENGTH}, bound)).sum(axis=0)")
WRONG = {
    "another-loss": [
        (lambda *given: {}, "one sum for each coordinate"),
        (patched(squares, "2 *", "-2 *"), "sign is wrong"),
        (patched(squares, "2 *", ""), "not half of it"),
        (patched(squares, "sum", "mean"), "the average"),
        (lambda t, X, y, b: dp.logistic_gradients(t, X, np.sign(y)).sum(axis=0), "isn't what you return"),
        (patched(squares, ".sum(axis=0)", ""), "one sum for each coordinate"),
        (patched(squares, CLIP, "each.sum(axis=0)"), "you don't clip"),
        (patched(squares, CLIP, "dp.clip_norm(each.sum(axis=0)[None], bound)[0]"), "clip the sum"),
        (patched(squares, "dp.clip_norm(each, bound)", "np.clip(each, -bound, bound)"), "coordinate by coordinate"),
        (nan_squares, "your sum is [nan nan nan]"),
        (lambda *given: np.nan_to_num(nan_squares(*given)), "a row that fits exactly"),
        (patched(squares, CLIP, "each[np.linalg.norm(each, axis=1) <= bound].sum(axis=0)"), "by bound / length"),
    ],
    "step-that-isnt-covered": [
        (patched(step, "q * len(gradients)", "max(taken.sum(), 1)"), "who was drawn"),
        (patched(step, "q * len(gradients)", "7"), "isn't the average of the clipped gradients"),
        (patched(step, "q * len(gradients)", "1"), "that is the noisy sum"),
        (patched(step, "gradients, clip)[taken].sum(axis=0)", "gradients[taken].sum(axis=0)[None], clip)[0]"),
         "you clip the sum"),
        (patched(step, "total = dp.clip_norm(gradients, clip)", "total = gradients"), "you don't clip"),
        (patched(step, "[taken]", "[rng.choice(len(taken), taken.sum())]"), "in them twice"),
        (patched(step, "sigma * clip", "sigma"), "6 is needed"),
        (patched(step, "sigma * clip", "sigma * clip / (q * len(gradients))"), "0.3 would be enough"),
        (patched(step, "sigma * clip", "np.sqrt(sigma * clip)"), "6 is needed"),
        (patched(step, "sigma * clip", "sigma * clip**2"), "not its square"),
        (patched(step, "sigma * clip", "sigma**2 * clip"), "the standard deviation, and not its square"),
        (patched(step, "total + noise", "total + taken.any() * noise"), "an empty batch"),
        (patched(step, "sigma * clip", "sigma * clip / (1 + (len(gradients) == 9))"), "0.3 is needed"),
        (patched(step, "rng.random(len(gradients)) < q", "rng.random(gradients.shape) < q",
                         "dp.clip_norm(gradients, clip)[taken]", "(dp.clip_norm(gradients, clip) * taken)"),
         "one coin decides"),
        (patched(step, "total + noise", "total + np.clip(noise, -2 * sigma * clip, 2 * sigma * clip)"), "isn't normal"),
        (patched(step, "rng.normal(0, ", "rng.laplace(0, 0.75 * "), "isn't normal"),
        (lambda g, *args: g.mean(), "one average for each coordinate"),
        (patched(step, "clip_norm(gradients, clip)", "clip_norm(gradients * 1e9, clip)"),
            "you stretch short ones",
        ),
    ],
    "settings-for-epsilon": [
        ({"steps": 10}, "a dictionary with the keys"),
        (GOOD | {"batch": 30_000}, "batch is at most 26,053"),
        (GOOD | {"steps": 600.5}, "whole numbers"),
        (GOOD | {"sigma": 0}, "above 0"),
        (settings(2000, 1024, 24.73), "a million rows; yours read 2,048,000"),
        (settings(600, 1024, 11.5), "these settings cost"),
        (settings(2, 100, 2.77, rate=1e-3), "uses what you may spend"),
        (settings(50, 500, 2.42, clip=100, rate=1e-3), "noise grows with the clipping norm"),
        (settings(20, 64, 1.65), "are right"),
    ],
}  # fmt: skip
