"""Sentences with "nobody", "never", "whatever" and "where", tried on mechanisms and grids that no page shows.

What a cell prints is held by the tests of its chapter.  Here stands what the prose says of *all* mechanisms, tables or
answers: on random laws whose ε is known by construction, on noise of other shapes, and over parameters.
"""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import dp_helpers as dp

EPSILONS = [0.01, 0.3, 1.0, 3.0]


def pairs(epsilon, number=50):
    """Return laws of an answer in two neighbouring worlds, ε-DP by construction, some of them as far apart as allowed.

    Weights between 1 and e^(ε/2) move a ratio by at most as much, and their sums by as much again.
    """
    rng = np.random.default_rng(43)
    truth = 1 / (1 + math.exp(-epsilon))
    yield np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    for _ in range(number):
        size = rng.integers(2, 8)
        base = rng.dirichlet(np.full(size, 0.7))
        weights = np.exp(epsilon / 2 * rng.choice([rng.random((2, size)), rng.integers(0, 2, (2, size))]))
        p, q = base * weights / (base * weights).sum(axis=1, keepdims=True)
        yield p, q


def loss(p, q):
    return np.log(p / q)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_nobody_wins_more_rounds_than_epsilon_allows(epsilon):
    """Chapters 3, 5, 7, 17, 21: no rule, so neither the best one, is right more often than e^ε / (1 + e^ε)."""
    most = 1 / (1 + math.exp(-epsilon))
    best = [np.maximum(p, q).sum() / 2 for p, q in pairs(epsilon)]
    assert max(best) == pytest.approx(most) and all(share <= most * (1 + 1e-12) for share in best)
    assert stats.laplace(scale=1 / epsilon).cdf(0.5) <= most  # the rule of a threshold in the middle


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_computed_from_an_answer_costs_nothing(epsilon):
    """Chapters 4 and 8: whatever is computed from it, with chance or without, neither ε nor Rényi's price rises."""
    rng = np.random.default_rng(44)
    for p, q in pairs(epsilon):
        program = rng.dirichlet(np.full(4, 0.5), size=len(p))  # what it says to each answer, with which chance
        assert abs(loss(p @ program, q @ program)).max() <= abs(loss(p, q)).max() + 1e-9
        for alpha in (1.5, 2, 20):
            assert renyi(p @ program, q @ program, alpha) <= renyi(p, q, alpha) + 1e-9


def renyi(p, q, alpha):
    return math.log(p @ np.exp((alpha - 1) * loss(p, q))) / (alpha - 1)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_price_of_renyi_never_falls_on_the_way_to_the_largest_loss(epsilon):
    """Chapter 8."""
    for p, q in pairs(epsilon):
        prices = [p @ loss(p, q), *(renyi(p, q, alpha) for alpha in (1.0001, 1.1, 2, 5, 30, 200)), loss(p, q).max()]
        assert (np.diff(prices) >= -1e-9).all()
        # It has come so near that only the chance of the largest loss is missing.
        likeliest = p[loss(p, q) >= loss(p, q).max() - 1e-12].sum()
        assert prices[-1] - prices[-2] <= -math.log(likeliest) / 199 + 1e-9


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_mean_loss_is_never_above_the_coins(epsilon):
    """Chapter 6: k ε tanh(ε/2) is a bound on the mean for all pure mechanisms, and the coin reaches it."""
    means = [p @ loss(p, q) for p, q in pairs(epsilon)]
    assert max(means) == pytest.approx(means[0]) == pytest.approx(epsilon * math.tanh(epsilon / 2))
    laplace = dp.rdp_laplace(1 + 1e-7, scale=1 / epsilon)  # the order 1 is the mean
    assert laplace < means[0]


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 4])
@pytest.mark.parametrize("delta", [1e-9, 1e-7, 1e-5])
def test_for_one_count_the_bell_is_wider(epsilon, delta):
    """Chapter 6: at the usual ε and δ nobody needs the bell for a single count."""
    assert dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta) > math.sqrt(2) / epsilon


def test_the_sweet_spot_of_any_values():
    """Chapter 5: it isn't special to the town. The error bends at values only, so the best bound is one of them."""
    rng = np.random.default_rng(45)
    for _ in range(200):
        values = (
            np.round(rng.choice([rng.pareto(1.5, 80) * 9, rng.uniform(0, 50, 80), rng.integers(1, 5, 80)]), 1) + 0.1
        )
        epsilon = math.exp(rng.uniform(-4, 1))
        errors = [np.maximum(values - u, 0).sum() + u / epsilon for u in np.append(0, values)]
        best = np.append(0, values)[np.argmin(errors)]
        if len(values) >= 1 / epsilon:
            assert (values > best).sum() <= 1 / epsilon <= (values >= best).sum()


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_noise_from_the_smooth_sensitivity_keeps_its_promise_at_every_epsilon(epsilon, delta):
    """Chapter 7: the neighbour's centre is away by its smaller S at most, its scale by e^β at most."""
    beta = math.log1p(epsilon / 2 / math.log(2 / delta))
    for wider in (1, -1):
        here, there = 2 / epsilon, 2 / epsilon * math.exp(wider * beta)
        p, q = stats.laplace(0, here), stats.laplace(min(1, math.exp(wider * beta)), there)
        for one, other in ((p, q), (q, p)):
            beyond = lambda y, one=one, other=other: max(0, one.pdf(y) - math.exp(epsilon) * other.pdf(y))  # noqa: E731
            ends = sorted([*np.linspace(-80, 80, 17) * max(here, there), 0, q.mean()])
            excess = sum(integrate.quad(beyond, a, b)[0] for a, b in itertools.pairwise(ends))
            assert excess <= delta * (1 + 1e-6)


def test_the_2_is_wasted_on_monotonic_scores():
    """Chapter 9: whatever the scores and whoever's move up by 1 at most, the loss never gets beyond one half."""
    rng = np.random.default_rng(46)
    for _ in range(500):
        scores = rng.normal(0, rng.choice([0.1, 3, 30]), rng.integers(2, 30))
        moved = scores + rng.choice([rng.random(scores.size), rng.integers(0, 2, scores.size)])
        before, after = (dp.exponential_probabilities(s, sensitivity=1, epsilon=1) for s in (scores, moved))
        possible = (before > 1e-290) & (after > 1e-290)
        assert abs(np.log(before[possible] / after[possible])).max() <= 0.5 + 1e-9


def test_no_gradient_is_longer_than_its_row():
    """Chapter 12: at any weights, also at those of a model that is wildly wrong."""
    rng = np.random.default_rng(47)
    for scale in (0, 1, 1e3, 1e150):
        X, y = rng.normal(size=(200, 5)) * rng.choice([1e-3, 1, 1e3], size=(200, 1)), rng.choice([-1, 1], 200)
        gradients = dp.logistic_gradients(scale * rng.normal(size=5), X, y)
        assert (np.linalg.norm(gradients, axis=1) <= np.linalg.norm(X, axis=1) * (1 + 1e-12)).all()


@pytest.mark.parametrize("truth", [0.1, 0.5, 0.9])
def test_a_fair_second_coin_costs_least(truth):
    """Chapter 13."""
    costs = [dp.RandomizedResponse(truth=truth, yes=yes).epsilon for yes in np.linspace(0.02, 0.98, 49)]
    assert np.argmin(costs) == 24
    assert (np.diff(costs[:25]) < 0).all() and (np.diff(costs[24:]) > 0).all()


@pytest.mark.parametrize("questions", [2, 5, 20])
@pytest.mark.parametrize("epsilon", [0.1, 1, 4, 10])
def test_splitting_the_budget_never_wins_for_a_rare_answer(questions, epsilon):
    """Chapter 14: with direct encoding and OUE, at 2 answers and at 200."""
    for size in (2, 200):
        domain = list(range(size))
        for made in (
            lambda e, d=domain: dp.DirectEncoding(d, epsilon=e),
            lambda e, d=domain: dp.UnaryEncoding.optimized(d, e),
        ):
            people, whole = questions * made(epsilon).variance(1, 0), made(epsilon / questions).variance(1, 0)
            assert people <= whole * (1 + 1e-9)


def test_lines_between_points_of_the_curve_are_never_below_it():
    """Chapter 18: a cell's chance goes to both its ends, such that it keeps it with you and without you."""
    width = 0.25
    for p, q in pairs(3.0):
        low = np.floor(loss(p, q) / width) * width
        upper = (p - np.exp(low) * q) / (1 - math.exp(-width))
        losses, chances = np.append(low, low + width), np.append(p - upper, upper)
        assert (chances >= -1e-12).all()
        assert chances @ np.exp(-losses) == pytest.approx(1) and chances.sum() == pytest.approx(1)
        for epsilon in np.linspace(-3, 3, 97):
            exact, drawn = (
                np.maximum(p - math.exp(epsilon) * q, 0).sum(),
                chances @ np.maximum(-np.expm1(epsilon - losses), 0),
            )
            assert drawn >= exact - 1e-12
            if abs(epsilon / width - round(epsilon / width)) < 1e-9:
                assert drawn == pytest.approx(exact, abs=1e-12)


def test_a_report_of_duchi_is_never_less_than_1_away():
    """Chapter 20: so the variance in the middle stays above 1, and the piecewise report's goes to 0."""
    rng, middle = np.random.default_rng(48), np.zeros(20_000)
    for epsilon in (1, 4, 10, 30):
        reports = abs(dp.duchi_mean(middle[:1], lower=-1, upper=1, epsilon=epsilon, rng=rng))
        assert reports >= 1
    spread = [abs(dp.piecewise_mean(middle, lower=-1, upper=1, epsilon=e, rng=rng)) for e in (0.1, 30)]
    assert spread[1] < 1e-3 < spread[0]


def test_whatever_ada_does_one_count_moves_by_one():
    """Chapter 22: the others keep the pages that they drew, and Ada has one, however many she was on."""
    rng, pages = np.random.default_rng(49), list("abcdef")
    others = pd.DataFrame({"person": rng.integers(0, 20, 200), "page": rng.choice(pages, 200)})
    for visits in (1, 5, 500):
        ada = pd.DataFrame({"person": "Ada", "page": rng.choice(pages, visits)})
        with_ada = pd.concat([others.astype({"person": object}), ada], ignore_index=True)
        drawn = np.random.default_rng(50)
        kept = dp.bound_contributions(with_ada, person="person", group="page", most_groups=1, most_rows=1, rng=drawn)
        counts, hers = kept["page"].value_counts(), kept["person"] == "Ada"
        rest = kept.loc[~hers, "page"].value_counts().reindex(counts.index, fill_value=0)
        assert hers.sum() == 1 and sorted(counts - rest) == [0] * (len(counts) - 1) + [1]
        assert not kept.loc[~hers, "person"].duplicated().any()
