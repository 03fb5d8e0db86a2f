"""What chapter 3 says, derived again; its short mechanism against the package; its labs."""

import numpy as np
import pytest
from scipy import stats

import dp_helpers as dp

CHAPTER = "03-differential-privacy"
FAILURE = 1e-6


def test_the_pages_mechanism_is_the_packages(page):
    rng = np.random.default_rng(301)
    ours = [page["laplace_answer"](100, 2, 0.5, rng) for _ in range(20_000)]
    helpers = dp.laplace_mechanism(np.full(20_000, 100.0), sensitivity=2, epsilon=0.5, rng=rng)
    assert stats.kstest(ours, stats.laplace(100, 4).cdf).pvalue > FAILURE
    assert stats.ks_2samp(ours, helpers).pvalue > FAILURE


def test_the_pages_density_is_the_laplace_density(page):
    y = np.linspace(-9, 9, 50)
    assert np.allclose(page["density"](y, 2, 3), stats.laplace(2, 3).pdf(y))


def test_the_best_attacker_wins_about_70_of_100():
    assert 1 - np.exp(-1 / 2) / 2 == pytest.approx(0.697, abs=5e-4)
    # No threshold does better than the middle.
    thresholds = np.linspace(-3, 4, 701)
    wins = (stats.laplace(0).cdf(thresholds) + stats.laplace(1).sf(thresholds)) / 2
    assert wins.max() == pytest.approx(1 - np.exp(-1 / 2) / 2)
    # The cap of the definition is not reached by this attacker, nor exceeded.
    assert wins.max() < np.e / (1 + np.e)


def test_the_count_changes_by_at_most_one(census):
    assert 10_000 < (census["Age"] >= 40).sum() < 20_000
    assert (census["Name"] == census.iloc[0]["Name"]).sum() == 1


def test_sliders_answers():
    assert np.exp(0.1) == pytest.approx(1.1, abs=0.01)  # beyond both peaks at ε = 0.1
    assert 2.15 < np.log(9) < 2.25  # from even to 90%

    def posterior(prior, factor):
        return prior * factor / (prior * factor + 1 - prior)

    moves = {p: posterior(p, np.e) - p for p in [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]}
    assert max(moves, key=moves.get) in (0.25, 0.5)  # upwards; downwards it is 0.75 or 0.5
    spread = {p: posterior(p, np.e) - posterior(p, 1 / np.e) for p in moves}
    assert max(spread, key=spread.get) == 0.5
    assert 0.55 < posterior(0.01, np.exp(5)) < 0.65


def test_scarcest_occupation_is_the_armed_forces(census):
    assert census["Occupation"].value_counts().idxmin() == "Armed-Forces"


def test_trimmed_noise_is_caught_and_honest_noise_is_not(page, census):
    rng = np.random.default_rng(302)
    small = census.head(100)
    trimmed = dp.audit(page["tidy_count"], small, small.iloc[1:], trials=20_000, rng=rng)
    assert trimmed.epsilon_lower_bound > 2
    honest = dp.audit(page["private_forty"], small, small.iloc[1:], trials=20_000, rng=rng)
    assert honest.epsilon_lower_bound <= 1
    assert stats.laplace.sf(3) == pytest.approx(np.exp(-3) / 2)


def test_a_household_is_not_a_row(page, census):
    rng = np.random.default_rng(303)
    sizes = census["Zip"].value_counts()
    assert sizes.max() == 7
    home = census[(census["Zip"] == sizes.idxmax()) | (census.index < 100)]
    without = home[home["Zip"] != sizes.idxmax()]
    bound = dp.audit(page["count_rows"], home, without, trials=20_000, rng=rng).epsilon_lower_bound
    assert 2.5 < bound <= 3.5


def test_redrawing_negative_answers_breaks_the_promise():
    # Count 0 against 1 at ε = 1, each conditioned on a non-negative answer, at answer 0.
    densities = [stats.laplace(c).pdf(0) / stats.laplace(c).sf(0) for c in (0, 1)]
    assert densities[0] / densities[1] > np.e * 1.5


def test_a_thousand_answers_give_the_secret_away():
    rng = np.random.default_rng(304)
    averages = dp.laplace_mechanism(np.zeros((2_000, 1_000)), sensitivity=1, epsilon=1, rng=rng).mean(axis=1)
    assert averages.std() == pytest.approx(np.sqrt(2 / 1000), rel=0.1)
    assert (abs(averages) < 0.5).all()


RIGHT = [
    ("3.1", np.log(20) / 10),
    ("3.2", 0.1548),
    ("3.3", lambda epsilon, rounds, rng: float((rng.laplace(0, 1 / epsilon, rounds) < 0.5).mean())),
    ("3.4", lambda first, second: bool(first - second > 0.5)),
    ("3.5", lambda data, epsilon, rng: len(data) + rng.laplace(0, 7 / epsilon)),
]

WRONG = [
    ("3.1", np.log(40) / 10, "both tails"),
    ("3.1", 10 / np.log(20), "scale of the noise"),
    ("3.1", 1, "with probability 100.0%"),
    ("3.1", -1, "with probability 0.0%"),
    ("3.1", "0.3", "give a number"),
    ("3.2", 0.1 * np.exp(0.5), "applies to odds"),
    ("3.2", np.exp(0.5) / 9, "turn them back"),
    ("3.2", 0.5, "odds of 1 to 9"),
    ("3.3", 0.7, "give the function itself"),
    ("3.3", lambda epsilon, rounds, rng: float((rng.laplace(0, 1, rounds) < 0.5).mean()), "at ε = 0.2"),
    ("3.3", lambda epsilon, rounds, rng: 1 / 0, "ZeroDivisionError"),
    ("3.4", lambda first, second: first - second, "True or False"),
    ("3.4", lambda first, second: bool(first > 20_000), "What is left of the noise"),
    ("3.5", lambda data, epsilon, rng: len(data) + rng.laplace(0, 1 / epsilon), "it should be 14.0"),
    ("3.5", lambda data, epsilon, rng: len(data) + rng.exponential(7 / epsilon), "isn't Laplace"),
    ("3.5", lambda data, epsilon, rng: len(data) + 14.0, "fresh draw"),
]
