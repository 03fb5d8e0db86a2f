"""A page's own function passes the lab that asks for what it does, up to what the lab's parameters are called."""

import math

import numpy as np
import pytest
from chapters.chapter_notebook import page_functions

from dp_helpers import rdp_gaussian, rdp_laplace
from dp_labs import check

# A lab, the chapter whose functions do it, and how they are called there.
PAGES = {
    "4.visitors-of-each-day": (
        "04-properties",
        lambda page: (
            lambda visits, days, epsilon, rng: page["noisy_histogram"](
                visits.drop_duplicates(["person", "day"])["day"], days, epsilon / len(days), rng
            )
        ),
    ),
    "8.accountant-of-your-own": (
        "08-variants",
        lambda page: lambda sigmas, scales, delta: page["convert"](ORDERS, costs(sigmas, scales), delta).min(),
    ),
    "10.any-sensitivity": (
        "10-sparse-vector",
        lambda page: (
            lambda answers, threshold, sensitivity, epsilon, rng: page["above_threshold"](
                answers, threshold, epsilon / sensitivity, rng
            )
        ),
    ),
    "12.another-loss": (
        "12-dp-sgd",
        lambda page: lambda theta, X, y, bound: page["clip_rows"](2 * (X @ theta - y)[:, None] * X, bound).sum(axis=0),
    ),
    "12.step-that-isnt-covered": ("12-dp-sgd", lambda page: one_step(page["private_sgd"])),
    "14.write-a-protocol": (
        "14-local-dp-many-answers",
        lambda page: (
            lambda bits, epsilon, rng: page["perturb"](bits, *chances(epsilon), rng),
            lambda reports, epsilon: page["aggregate"](np.asarray(reports), *chances(epsilon)),
        ),
    ),
    "18.accountant-of-your-own": (
        "18-exact-accounting",
        lambda page: lambda p, q, k, epsilon: page["least_delta"](*all_answers(p, q, k), epsilon),
    ),
}

ORDERS = 1 + np.logspace(-1, 4, 5000)


def costs(sigmas, scales):
    each = [rdp_gaussian(ORDERS, sigma=sigma) for sigma in sigmas]
    return sum(each + [rdp_laplace(ORDERS, scale=scale) for scale in scales])


def one_step(private_sgd):
    """Return one step up from 0 by a program whose rows are gradients already: their noisy average."""

    def step(gradients, q, clip, sigma, rng):
        n, width = gradients.shape
        plan = {"steps": 1, "batch": q * n, "clip": clip, "sigma": sigma, "rate": -1.0}
        return private_sgd(np.zeros(width), lambda theta, X, y: X, gradients, np.zeros(n), plan, rng)

    return step


def chances(epsilon):
    p = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    return p, 1 - p


def all_answers(p, q, k):
    """Return chances and losses of all sequences of k answers."""
    one, losses = np.asarray(p, dtype=float), np.log(np.divide(p, q))
    many, total = np.ones(1), np.zeros(1)
    for _ in range(k):
        many, total = np.multiply.outer(many, one).ravel(), np.add.outer(total, losses).ravel()
    return many, total


@pytest.mark.parametrize("lab", PAGES)
def test_the_pages_function_passes_the_lab(lab, capsys):
    chapter, answer = PAGES[lab]
    check(lab, answer(page_functions(chapter)))
    assert capsys.readouterr().out.startswith("✓")
