"""Answers to the labs of chapter 8: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np
import pandas as pd
from scipy import optimize, stats

import dp_helpers as dp


def log_profile(epsilon, sigma):
    """Return ln of the exact delta of one Gaussian release of sensitivity 1, from the normal distribution function."""
    low, high = stats.norm.logcdf([1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma])
    return low + np.log(-np.expm1(epsilon + high - low))


def exact(sigma, delta):
    # The loss is normal: nine standard deviations above its mean, delta is below 1e-18.
    most = 1 / (2 * sigma**2) + 9 / sigma
    return optimize.brentq(lambda epsilon: log_profile(epsilon, sigma) - np.log(delta), 1e-6, most, xtol=1e-12)


def wide_orders():
    return 1 + np.logspace(-2, 5, 20_000)


def conversion(alpha, cost, delta, tight):
    loose = cost + np.log(1 / delta) / (alpha - 1)
    return loose + np.log1p(-1 / alpha) - np.log(alpha) / (alpha - 1) if tight else loose


def by_tight_zcdp(k, epsilon, delta):
    rho = optimize.brentq(lambda rho: dp.zcdp_to_dp(rho, delta=delta) - epsilon, 1e-9, 100)
    return np.sqrt(k / (2 * rho)) * (1 + 1e-9)


def by_loose_zcdp(k, epsilon, delta):
    rho = (np.sqrt(np.log(1 / delta) + epsilon) - np.sqrt(np.log(1 / delta))) ** 2
    return np.sqrt(k / (2 * rho))


def by_bisection(k, epsilon, delta):
    return optimize.brentq(lambda s: exact(s / np.sqrt(k), delta) - epsilon, 0.1 * np.sqrt(k), 200 * np.sqrt(k))


def laplace_losses(scale, n, rng):
    signs, sizes = rng.choice([-1, 1], n), rng.exponential(scale, n)
    y = 1 + signs * sizes
    return stats.laplace(1, scale).logpdf(y) - stats.laplace(0, scale).logpdf(y)


def antithetic_losses(scale, n, rng):
    """Return losses of which the second half has the noise of the first, with the other sign."""
    half = rng.laplace(0, scale, n // 2)
    answers = 1 + np.append(half, -half)
    return (abs(answers) - abs(answers - 1)) / scale


def gaussian_losses(scale, n, rng):
    return rng.normal(1 / (2 * scale**2), 1 / scale, n)


def sampled_by_inversion(scale, n, rng):
    answers = 1 + stats.laplace(scale=scale).ppf(rng.random(n))
    return [(abs(y) - abs(y - 1)) / scale for y in answers]


def total(sigmas, scales, delta, orders=None, tight=True, zcdp=False):
    orders = wide_orders() if orders is None else orders
    cost = sum((dp.rdp_gaussian(orders, sigma=sigma) for sigma in sigmas), np.zeros(len(orders)))
    for scale in scales:
        cost = cost + (orders * (np.exp(-1 / scale) + 1 / scale - 1) if zcdp else dp.rdp_laplace(orders, scale=scale))
    return dp.rdp_to_dp(orders, cost, delta=delta, tight=tight)[0]


def with_the_bound_of_the_page(sigmas, scales, delta):
    """Take min(ε, αε²/2) for a Laplace release, which is safe and more than its cost."""
    orders = wide_orders()
    cost = sum(orders / (2 * sigma**2) for sigma in sigmas) + np.zeros(len(orders))
    for scale in scales:
        cost = cost + np.minimum(1 / scale, orders / (2 * scale**2))
    return dp.rdp_to_dp(orders, cost, delta=delta)[0]


def by_loops(sigmas, scales, delta):
    """Return the same with the standard library alone."""
    best = float("inf")
    for step in range(2_000):
        alpha = 1 + 10 ** (-1 + 5 * step / 2_000)
        cost = sum(alpha / (2 * sigma**2) for sigma in sigmas)
        for scale in scales:
            high, low = (alpha - 1) / scale, -alpha / scale
            inner = alpha / (2 * alpha - 1) + (alpha - 1) / (2 * alpha - 1) * math.exp(low - high)
            cost += (high + math.log(inner)) / (alpha - 1)
        gain = math.log((alpha - 1) / alpha) - math.log(alpha) / (alpha - 1)
        best = min(best, cost + math.log(1 / delta) / (alpha - 1) + gain)
    return best


def one_by_one(sigmas, scales, delta):
    share = delta / (len(sigmas) + len(scales))
    return sum(total([s], [], share) for s in sigmas) + sum(total([], [s], share) for s in scales)


def kind_by_kind(sigmas, scales, delta):
    return (total(sigmas, [], delta) if sigmas else 0) + (total([], scales, delta) if scales else 0)


RIGHT = {
    "order-3-by-hand": [
        np.log(1.35 + 0.4 / 2.25) / 2,
    ],
    "best-order-on-the-menu": [
        2.54,
    ],
    "losses-of-laplace-noise": [
        laplace_losses,
        lambda scale, n, rng: np.clip(2 * rng.laplace(0, scale, n) + 1, -1, 1) / scale,
        sampled_by_inversion,
        lambda scale, n, rng: pd.Series(laplace_losses(scale, n, rng)),
    ],
    "noise-for-a-table": [
        lambda k, epsilon, delta: dp.gaussian_sigma(sensitivity=k**0.5, epsilon=epsilon, delta=delta),
        by_tight_zcdp,
        by_bisection,
        lambda k, epsilon, delta: round(1.05 * by_bisection(k, epsilon, delta), 1),
    ],
    "accountant-of-your-own": [
        total,
        by_loops,
        lambda g, p, d: total(g, p, d, orders=np.concatenate([np.arange(1.1, 60, 0.1), np.arange(60.0, 20_000)])),
    ],
}

WRONG = {
    "order-3-by-hand": [
        (0.5, "square the ratio"),
    ],
    "best-order-on-the-menu": [
        (4, "the smallest sum"),
    ],
    "losses-of-laplace-noise": [
        (lambda scale, n, rng: 0.5, "one loss for each"),
        (lambda scale, n, rng: np.full(n, np.nan), "finite"),
        (gaussian_losses, "no loss exceeds"),
        (lambda scale, n, rng: -laplace_losses(scale, n, rng), "wrong sign"),
        (lambda scale, n, rng: abs(laplace_losses(scale, n, rng)), "a share of"),
        (lambda scale, n, rng: laplace_losses(1.2 * scale, n, rng), "should be at most"),
        (lambda scale, n, rng: rng.uniform(-1, 1, n) / scale, "should be at most"),
        (lambda scale, n, rng: rng.choice([-1, 1], n) / scale, "a share of"),
        (lambda scale, n, rng: np.full(n, laplace_losses(scale, 1, rng)), "a share of"),
        (lambda scale, n, rng: laplace_losses(scale, n, np.random.default_rng(1)), "the same draws"),
        (lambda scale, n, rng: laplace_losses(scale, n, np.random.default_rng()), "from nothing else"),
    ],
    "noise-for-a-table": [
        (lambda k, epsilon, delta: -1.0, "smallest noise that is safe"),
        (lambda k, epsilon, delta: dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta), "moves by √k"),
        (lambda k, epsilon, delta: 0.9 * by_tight_zcdp(k, epsilon, delta), "smallest noise that is safe"),
        (by_loose_zcdp, "loose conversion"),
        (lambda k, epsilon, delta: np.sqrt(2 * k * np.log(1.25 / delta)) / epsilon, "classical calibration"),
        (lambda k, epsilon, delta: dp.gaussian_sigma(sensitivity=k, epsilon=epsilon, delta=delta), "grows with k"),
        (lambda k, epsilon, delta: 2 * by_tight_zcdp(k, epsilon, delta), "of it"),
    ],
    "accountant-of-your-own": [
        (lambda g, p, d: total(g, p, d, tight=False), "loose conversion"),
        (lambda g, p, d: total(g, p, d, orders=np.arange(2.0, 65.0)), "above 64"),
        (lambda g, p, d: total(g, p, d, orders=np.array([20.0])), "search widely"),
        (one_by_one, "convert once"),
        (lambda g, p, d: sum(total([s], [], d) for s in g) + sum(total([], [s], d) for s in p), "that costs k δ"),
        (kind_by_kind, "each kind of noise by itself"),
        (lambda g, p, d: total([], p, d), "Gaussian releases are missing"),
        (lambda g, p, d: sum(1 / s for s in p), "adds up the pure ε"),
        (lambda g, p, d: total(g, [], d), "Laplace releases are missing"),
        (lambda g, p, d: total(g, p, d, zcdp=True), "more than is needed"),
        (lambda g, p, d: total(g, [], d) + sum(1 / s for s in p), "their pure ε"),
        (lambda g, p, d: total([s * 1.2 for s in g], p, d), "no order gives so little"),
        (with_the_bound_of_the_page, "more than is needed"),  # in one case its total is also another mistake's
        (lambda g, p, d: total(g, [s / 2**0.5 for s in p], d), "more than is needed"),
    ],
}
