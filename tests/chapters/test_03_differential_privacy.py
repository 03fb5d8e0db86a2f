"""What chapter 3 says, derived again; its short mechanism against the package."""

import numpy as np
import pytest
from chapters.chance import proven
from chapters.chapter_notebook import BOOK, read
from labs.chapter_03 import by_pairs
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


def test_the_still_figure_draws_laplace_noise_at_a_half(page):
    page["plt"].close("all")
    for curve, centre in zip(page["still"]().axes[0].lines, [0, 1], strict=True):
        y = curve.get_xdata()
        assert np.allclose(curve.get_ydata(), stats.laplace(centre, 2).pdf(y)) and centre in y.round(6)
    page["plt"].close("all")


def test_the_game_and_its_still_picture_measure_answers_from_the_count_without_you(page):
    axis = page["still"]().axes[0].get_xlabel()
    page["plt"].close("all")
    script = (BOOK / "_static" / "play-two-worlds.js").read_text("utf-8")
    assert f'label: "{axis}"' in script


def test_the_best_attacker_wins_about_70_of_100_in_any_run():
    thresholds = np.linspace(-3, 4, 701)
    wins = (stats.laplace(0).cdf(thresholds) + stats.laplace(1).sf(thresholds)) / 2
    assert wins.max() == pytest.approx(1 - np.exp(-1 / 2) / 2) and wins.max() < np.e / (1 + np.e)  # 70, not 73
    # Any run of 100,000 rounds prints 69, 70 or 71, except with probability 1e-6.
    assert abs(wins.max() - 0.7) + np.sqrt(np.log(2 / FAILURE) / 2e5) < 0.015


def test_a_changed_row_moves_the_rude_question_by_one(page, census):
    """52.5%, not the 55% of the general rule for what a row says."""
    assert np.exp(0.2) / (1 + np.exp(0.2)) == pytest.approx(0.55, abs=5e-4)
    page["person"], class_of = census.iloc[0]["Name"], {}
    for target in ("<=50K", ">50K"):
        table = census.head(3).assign(Target=target)
        class_of[target] = page["ask"](table, 1, np.random.default_rng(1))[0]
    missing = page["ask"](census.iloc[1:3], 1, np.random.default_rng(1))[0]
    assert class_of["<=50K"] - class_of[">50K"] == pytest.approx(1)  # replaced
    assert class_of["<=50K"] - missing == pytest.approx(1)  # removed


def test_the_count_changes_by_at_most_one(census):
    assert 10_000 < (census["Age"] >= 40).sum() < 20_000
    assert (census["Name"] == census.iloc[0]["Name"]).sum() == 1


def test_scarcest_occupation_is_the_armed_forces(census):
    assert census["Occupation"].value_counts().idxmin() == "Armed-Forces"


def test_trimmed_noise_is_caught_and_honest_noise_is_not(page, census):
    rng = np.random.default_rng(302)
    small = census.head(100)
    trimmed = dp.audit(page["tidy_count"], small, small.iloc[1:], trials=2_000, rng=rng)
    assert trimmed.epsilon_lower_bound > 2
    honest = dp.audit(page["private_forty"], small, small.iloc[1:], trials=2_000, rng=rng)
    assert honest.epsilon_lower_bound <= 1
    assert stats.laplace.sf(3) == pytest.approx(np.exp(-3) / 2)


def test_audits_prove_more_than_is_claimed_whatever_the_seed():
    """The trimmed noise is caught above 1 by an answer of one world only, the household above 0.5."""
    assert proven(stats.laplace.sf(3), 0, trials=10_000) > 1.5
    seven = [stats.laplace.sf(answer, scale=2) for answer in (6.5 - 7, 6.5)]  # with the household, and without
    assert proven(*seven, trials=10_000) > 2.5


def test_a_household_is_not_a_row(page, census):
    rng = np.random.default_rng(303)
    sizes = census["Zip"].value_counts()
    assert sizes.max() == 7
    home = census[(census["Zip"] == sizes.idxmax()) | (census.index < 100)]
    without = home[home["Zip"] != sizes.idxmax()]
    bound = dp.audit(page["count_rows"], home, without, trials=3_000, rng=rng).epsilon_lower_bound
    assert 2.5 < bound <= 3.5


def test_ten_thousand_answers_give_the_secret_away(page, census):
    page["person"] = census.iloc[0]["Name"]
    secret = census.iloc[0]["Target"] == "<=50K"
    answers = page["ask"](census, 4_000_000, np.random.default_rng(304)).reshape(400, 10_000)
    averages = answers.mean(axis=1)
    assert averages.std() == pytest.approx(10 * np.sqrt(2 / 10_000), rel=0.2)  # 5.6 standard errors
    # The average is off by half a person with probability 4e-4: "far enough apart to tell".
    assert (abs(averages - secret) < 0.5).mean() > 0.98
    assert np.exp(0.1) / (1 + np.exp(0.1)) == pytest.approx(0.525, abs=5e-4)


def test_two_answers_by_hand(page):
    assert by_pairs([0.75, 0.25], [0.25, 0.75]) == pytest.approx(np.log(3))
    assert np.log(9) == pytest.approx(2 * np.log(3))
    # The answer 3.4 to counts of 2 and 1, at scale 2; others above both counts, and between them.
    answers = np.array([3.4, 2, 2.5, 100, 1.01, 1.5, 1.99])
    ratios = stats.laplace(2, 2).pdf(answers) / stats.laplace(1, 2).pdf(answers)
    assert ratios[:4] == pytest.approx(np.exp(0.5)) and (ratios[4:] < np.exp(0.499)).all()
    # In no set of answers is the sum over small ranges further apart than the densities.
    edges = np.linspace(-20, 20, 4001)
    with_you, without = (np.diff(stats.laplace(count, 2).cdf(edges)) for count in (2, 1))
    chosen = np.random.default_rng(306).random((500, 4000)) < 0.01
    sums = np.log((chosen @ with_you) / (chosen @ without))
    assert abs(sums).max() <= 0.5


def test_promises_are_printed_with_their_units_and_neighbours_and_the_first_starts_again_every_day():
    cells = [cell for cell in read(CHAPTER).cells if "load_deployments" in cell.source]
    printed = cells[0].outputs[0]["data"]["text/plain"]
    known = dp.load_deployments()
    rows = [name for name in known.index if name in printed]
    assert len(rows) == 4 and set(known.loc[rows, "period"]) == {"day", "once"}
    first = known.loc[min(rows, key=printed.index)]
    assert (first["unit"], first["period"]) == ("one report", "day")
    assert all(known.loc[name, "neighbours"] in ("add/remove", "replace-one") for name in rows)
    assert printed.count("add/remove") + printed.count("replace-one") == 4
    # Of the four, the last one alone needs a δ, and the text names it.
    last = max(rows, key=printed.index)
    assert known.loc[last, "delta"] == 1e-10 and (known.loc[rows, "delta"] > 0).sum() == 1
    assert sum(known["who"] == known.loc[last, "who"]) > 1  # "one file of that census among several"
