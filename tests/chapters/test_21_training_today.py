"""What chapter 21 says, derived again; its stored runs against their tools."""

import math
import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from chapters.chance import proven as proven_at_least
from chapters.chance import streams
from chapters.chapter_notebook import read
from labs.chapter_21 import two_bells
from scipy import stats
from thorough import THOROUGH

import dp_helpers as dp
from tools import make_modern_runs as maker

CHAPTER = "21-training-today"
FAILURE = 1e-6


def generator(seed):
    return np.random.default_rng(seed)


@cache
def census_rows():
    """Return X and y of the training set, then of the people held out."""
    return maker.split(dp.load_census())


@cache
def halves():
    """Return the public half, the private people and those held out."""
    return maker.public_and_private(dp.load_census())


@cache
def encoders_made():
    return maker.encoders(*halves()[0])


# A row or a person


@pytest.fixture(scope="module")
def single():
    return 1 / dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-5)


def test_the_pages_rounds_clip_people_and_hide_one(page):
    """Without noise a step is the sum of clipped updates; without people it is noise of deviation sigma clip."""
    rng = generator(2100)
    X, y = rng.uniform(size=(40, 104)), rng.choice([-1.0, 1.0], 40)
    people = [(X[:1], y[:1]), (X[1:4], y[1:4]), (X[4:], y[4:])]
    plan = {"rounds": 1, "q": 1.0, "clip": 0.01, "rate": 1.0, "sigma": 0.0}
    moves = np.array([page["update"](np.zeros(104), *person) for person in people])
    assert (np.linalg.norm(moves, axis=1) > 0.01).all()
    assert page["federated"](people, plan, rng) * 2_000 == pytest.approx(dp.clip_norm(moves, 0.01).sum(axis=0))
    noise = np.concatenate([page["federated"]([], plan | {"sigma": 3.0}, rng) for _ in range(60)]) * 2_000
    assert stats.kstest(noise, stats.norm(0, 0.03).cdf).pvalue > FAILURE


def test_an_update_is_three_steps_on_the_own_rows(page):
    rows, labels, theta = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1.0, -1.0]), np.zeros(2)
    for _ in range(3):
        theta -= dp.logistic_gradients(theta, rows, labels).mean(axis=0)
    assert page["update"](np.zeros(2), rows, labels) == pytest.approx(theta)


def test_a_thousand_times_two_patients_cost_a_point_or_less(page):
    """DP-FedAvg at ε = 1 for a person keeps about what DP-SGD at ε = 1 for a row keeps."""
    X, y, X_test, y_test = census_rows()
    plan = {"rounds": 50, "q": 0.1, "clip": 0.3, "rate": 3}
    plan["sigma"] = dp.noise_multiplier(q=0.1, steps=50, epsilon=1, delta=1e-5)
    for seed in (2101, 2113, 2114) if THOROUGH else [2113]:
        rng = generator(seed)
        share = rng.exponential(size=2_000)
        owner = rng.choice(2_000, len(y), p=share / share.sum())
        people = [(X[owner == who], y[owner == who]) for who in np.unique(owner)]
        right = dp.accuracy(page["federated"](people, plan, rng), X_test, y_test)
        # A run's accuracy is 82.9%, with a deviation of 0.1 points, measured: less than a point below a row's 83.2%.
        assert 0.8235 < right < 0.8345


def test_two_hundred_patients_lose_a_third(page):
    """Of what the model knows more than a guess, which is right in 75.7%."""
    X, y, X_test, y_test = census_rows()
    plan = {"rounds": 50, "q": 0.1, "clip": 0.3, "rate": 3}
    plan["sigma"] = dp.noise_multiplier(q=0.1, steps=50, epsilon=1, delta=1e-5)
    lost = []
    for rng in streams(21, 6):
        people = [(X[13 * who : 13 * who + 13], y[13 * who : 13 * who + 13]) for who in range(200)]
        theta = page["federated"](people, plan | {"rate": 3 * 2_000 / 200}, rng)
        lost.append(0.832 - dp.accuracy(theta, X_test, y_test))
    assert 0.25 < np.mean(lost) / (0.832 - 0.757) < 0.45


# Public data


@pytest.fixture(scope="module")
def encoders():
    return dp.load_runs("public_encoders")


def accuracy(encoders, features, people, epsilon=0.3):
    row = encoders[
        (encoders["features"] == features) & (encoders["people"] == people) & (encoders["epsilon"] == epsilon)
    ]
    return float(row["accuracy"].iloc[0])


def test_what_the_figure_of_encoders_shows(encoders):
    names = ("all 104 numbers", "5 public directions")
    assert all(0.8 < accuracy(encoders, name, people) < 0.82 for name in names for people in (3_000, 10_000))
    for people in (100, 300, 1_000):
        assert accuracy(encoders, names[1], people) > accuracy(encoders, names[0], people) + 0.02
    for people in (3_000, 10_000):  # what the encoder left out is missed
        assert accuracy(encoders, names[1], people) < accuracy(encoders, names[0], people)
    assert accuracy(encoders, names[1], 300) - accuracy(encoders, names[0], 300) == pytest.approx(0.08, abs=0.005)
    assert accuracy(encoders, names[1], 300) < 0.75 < 0.757 < 0.78 < accuracy(encoders, names[1], 1_000)


def test_on_all_numbers_noise_leaves_less_than_guessing_and_on_few_it_leaves_more():
    """Five hundred people at ε = 0.3, as on the page; the means of its hundred runs are so with any seed."""
    _, private, test = halves()
    always_no = (test[1] < 0).mean()
    assert always_no == pytest.approx(0.757, abs=0.003)  # "about three times in four", and the figure's dotted line
    made, seeds = encoders_made(), range(25)
    for name, sign in (("all 104 numbers", -1), ("5 public directions", 1)):
        runs = np.array(maker.head_accuracies(made[name], 500, 0.3, private, test, seeds)) - always_no
        assert 0.005 < sign * runs.mean() < 0.05, name
        if sign < 0:
            assert runs.mean() + 5 * runs.std() / math.sqrt(100) < 0, name


def test_no_setting_lifts_all_numbers_above_always_no():
    """Both heads with the best of 32 settings; here those that came out best, on other people than the page's."""
    public, (A, b), (A_test, b_test) = halves()
    middle, (_, directions) = public[0].mean(axis=0), np.linalg.eigh(np.cov(public[0].T))

    def encoded(rows):
        return np.column_stack([np.ones(len(rows)), (rows - middle) @ directions[:, -5:]])

    def right(see, rng, **plan):
        some, runs = see(A), []
        for _ in range(40):
            few = rng.choice(len(b), 500, replace=False)
            head = dp.noisy_gradient_descent(some[few], b[few], epsilon=0.3, delta=1e-5, rng=rng, **plan)
            runs.append(dp.accuracy(head.theta, see(A_test), b_test))
        return np.mean(runs)

    always_no, rng = (b_test < 0).mean(), generator(2115)
    best = [
        right(np.copy, rng, iterations=steps, rate=rate, clip=clip)
        for steps, rate, clip in ((3, 3, 1), (30, 0.3, 1), (100, 1, 0.3), (10, 10, 0.3))
    ]
    assert max(best) < always_no + 0.005
    assert right(encoded, rng, iterations=100, rate=0.3, clip=1) > always_no + 0.02


def test_the_tool_makes_the_stored_encoders_again(encoders):
    _, private, test = halves()
    made = encoders_made()
    assert list(made) == list(encoders["features"].unique())
    found = maker.head_accuracies(made["5 public directions"], 300, 0.3, private, test)
    assert np.mean(found) == pytest.approx(accuracy(encoders, "5 public directions", 300), abs=0.01)


# Attacks


@pytest.fixture(scope="module")
def curves():
    return dp.load_runs("attack_curves")


def hits(curves, model, attack, rate):
    found = curves[(curves["model"] == model) & (curves["attack"] == attack)]
    return np.interp(rate, found["false_alarms"], found["hits"])


def test_what_the_attacks_find(curves):
    assert 0.045 < hits(curves, "noiseless", "LiRA", 0.001) < 0.055  # "about 5%: fifty times"
    for rate in (0.001, 0.01):
        assert hits(curves, "noiseless", "loss", rate) == pytest.approx(rate, rel=0.25)
        for attack in ("loss", "LiRA"):
            assert hits(curves, "ε=1", attack, rate) == pytest.approx(rate, rel=0.35)

    found = [hits(curves, model, "LiRA", 0.01) for model in maker.EPSILON_OF]
    assert found == sorted(found, reverse=True) or max(found[3:]) < 0.015


def test_no_attack_beats_its_cap(curves):
    for model, epsilon in maker.EPSILON_OF.items():
        if epsilon:
            part = curves[curves["model"] == model]
            cap = np.minimum(1, math.exp(epsilon) * part["false_alarms"] + maker.DELTA)
            assert (part["hits"] <= cap + 0.002).all()


def test_the_page_reads_the_stored_curves(page, curves):
    page["at"].__globals__["curves"] = curves
    assert page["at"]("noiseless", "LiRA", 0.001) == pytest.approx(hits(curves, "noiseless", "LiRA", 0.001))
    assert page["cap"]("ε=1", 0.01) == pytest.approx(math.e * 0.01 + 1e-6)
    assert page["cap"]("noiseless", 0.001) == 1


def test_the_tool_finds_the_stored_hits_again(curves):
    margins, scores, member = maker.pool_scores(None, 2, seed=2102)
    found = maker.hits(scores, member, [0.01, 0.1])
    assert found == pytest.approx([hits(curves, "noiseless", "LiRA", rate) for rate in (0.01, 0.1)], rel=0.35)
    assert maker.hits(margins, member, [0.01])[0] < 0.03


def test_many_models_at_once_are_the_packages_training():
    """The tool trains all shadow models together; one of them is `gradient_descent` on its members."""
    rng = generator(2103)
    X, y = rng.uniform(size=(20, 5)), rng.choice([-1.0, 1.0], 20)
    member = rng.random((3, 20)) < 0.5
    margins = maker.train_pool(X, y, member, None, rng)
    for inside, found in zip(member, margins, strict=True):
        theta = dp.gradient_descent(X[inside], y[inside], iterations=1_000, rate=2)
        assert found == pytest.approx(y * (X @ theta), rel=1e-9)


def test_the_tools_scores_leave_the_attacked_model_out():
    rng = generator(2104)
    member = rng.random((30, 4)) < 0.5
    margins = rng.normal(size=(30, 4)) + member
    scores = maker.likelihood_ratios(margins, member)
    others = np.arange(30) != 7
    one = two_bells(margins[others], member[others], margins[7])
    assert scores[7] == pytest.approx(one)


# One run


def test_canaries_have_columns_of_their_own(page):
    wide, labels = page["with_canaries"](np.ones((3, 2)), np.array([-1, 1, 1]), 4)
    assert wide.shape == (7, 6) and labels.tolist() == [-1, 1, 1, 1, 1, 1, 1]
    assert wide[:3].sum() == 6 and (wide[3:, 2:] == 1_000 * np.eye(4)).all() and not wide[3:, :2].any()


@pytest.fixture(scope="module")
def proven(page):
    """Return the bounds that three runs with and without clipping prove."""
    X, y, *_ = census_rows()
    wide, answers = page["with_canaries"](X[:2_000], y[:2_000], 600)
    plan = {"q": 0.1, "steps": 100, "batch": 230}
    plan["sigma"] = dp.noise_multiplier(q=0.1, steps=100, epsilon=1, delta=1e-6)
    bounds = {"clips": [], "forgot": []}
    for seed in range(3):
        rng = generator([2105, seed])
        inside = rng.random(600) < 0.5
        used = np.append(np.ones(2_000, bool), inside)
        for name, shorten in (("clips", lambda each: dp.clip_norm(each, 1)), ("forgot", lambda each: each)):
            weights = page["train"](wide[used], answers[used], shorten, plan, rng)[104:]
            ranked = np.argsort(weights)
            right = (~inside[ranked[:60]]).sum() + inside[ranked[-60:]].sum()
            bounds[name].append(dp.one_run_epsilon(right=int(right), guesses=120, confidence=0.95))
    return bounds


def test_one_run_tells_a_forgotten_clip_from_an_honest_program(proven):
    assert max(proven["clips"]) < 0.8
    # On the page 109 of 200 are right on average, with a deviation of 6: five more of these are far below the claim.
    assert dp.one_run_epsilon(right=140, guesses=200, confidence=0.952) < 0.6
    assert min(proven["forgot"]) > 2


# The bug


def test_weights_after_clipping_are_a_multiple_of_the_claim(page, single):
    page["weighted"].__globals__["single"] = single
    others = [(np.array([0.6, 0.8]), 3)]
    rng = generator(2106)
    assert proven_at_least(stats.norm.sf(-20 * single), stats.norm.sf(20 * single), 4_000) > 5  # of 40 rows, any seed
    for rows in (1, 40):
        joined = [*others, (np.array([0.0, 7.0]), rows)]
        runs = [np.mean([page["weighted"](moves, rng)[1] for _ in range(400)]) for moves in (joined, others)]
        assert runs[0] - runs[1] == pytest.approx(rows, abs=7 / single * math.sqrt(2 / 400))


def test_a_weight_of_1_at_most_or_before_the_clipping_is_hidden(page, single):
    """The bug's two cures: nobody moves the sum by more than 1."""
    clipped = dp.clip_norm([[0.0, 7.0], [0.6, 0.8], [0.1, 0.0]], 1)
    for rows in (1, 3, 40):
        assert (np.linalg.norm(min(rows, 10) / 10 * clipped, axis=1) <= 1 + 1e-12).all()
        before = dp.clip_norm(rows * np.array([[0.0, 7.0], [0.1, 0.0]]), 1)
        assert (np.linalg.norm(before, axis=1) <= 1 + 1e-12).all()

    page["weighted"].__globals__["single"] = single

    def mended(moves, rng):
        return page["weighted"]([(min(rows, 10) / 10 * np.array(move), 1) for move, rows in moves], rng)

    others = [([0.6, 0.8], 3)]
    found = dp.audit(
        mended,
        [*others, ([0.0, 7.0], 40)],
        others,
        trials=2_000,
        delta=1e-5,
        confidence=1 - FAILURE,
        rng=generator(2112),
    )
    assert found.epsilon_lower_bound < 1


# Texts by votes


@pytest.fixture(scope="module")
def by_votes():
    """Run the section's cells up to the bug, with the page's functions and set-up."""
    cells = {cell.id: cell.source for cell in read(CHAPTER).cells}
    made = {"np": np, "pd": pd, "dp": dp, "rng": generator(2107), "single": 0.27}
    for name in ("parts", "complaints", "model", "words", "count", "evolve"):
        exec(cells[f"votes-{name}"], made)
    exec(cells["votes-run"].split("written =")[0], made)
    exec(cells["votes-bug"], made)
    (cure,) = re.findall(r"```python\n(.*?)```", cells["votes-bug-a"], re.S)
    exec(cure, made)
    return made


def test_one_patient_moves_one_vote_by_one(by_votes):
    """Exact: the histogram of 500 votes without any one of them, and the noise's law."""
    texts = [" ".join(parts) for parts in by_votes["propose"](400, generator(2108))]
    complaints = by_votes["complaints"]
    quiet = SimpleNamespace(normal=lambda mean, sd, size: np.zeros(size))
    all_of_them = by_votes["votes"](complaints, texts, 0.1, quiet)
    assert len(complaints) == all_of_them.sum() == 500
    for left in range(0, 500, 7):
        moved = all_of_them - by_votes["votes"](complaints[:left] + complaints[left + 1 :], texts, 0.1, quiet)
        assert sorted(moved)[-2:] == [0, 1] and moved.min() == 0
    noise = by_votes["votes"]([], texts * 5, 0.1, generator(2109))
    assert stats.kstest(noise, stats.norm(0, 1 / math.sqrt(0.2)).cdf).pvalue > FAILURE


def test_three_rounds_cost_the_rho_that_is_stated(by_votes):
    """Each round gets a third, whatever the rounds before chose; three bells are one whose ρ is the sum."""
    asked = []

    def votes(complaints, texts, rho, rng):
        asked.append(rho)
        return rng.normal(size=len(texts))

    honest = by_votes["votes"]
    by_votes["votes"] = votes
    try:
        by_votes["evolve"]([], 0.1, generator(2110))
    finally:
        by_votes["votes"] = honest
    assert len(asked) == 3 and sum(asked) == pytest.approx(0.1)
    each = dp.PrivacyLoss.gaussian(sigma=1 / math.sqrt(2 * 0.1 / 3)).compose_self(3)
    once = dp.PrivacyLoss.gaussian(sigma=1 / math.sqrt(2 * 0.1))
    assert each.epsilon(1e-5) == pytest.approx(once.epsilon(1e-5), abs=1e-3)
    ledger = dp.PrivacyLedger(0.1)  # ρ adds up as ε does
    for turn, rho in enumerate(asked):
        ledger.spend(rho, label=f"round {turn}")
    assert once.epsilon(1e-5) <= dp.zcdp_to_dp(ledger.spent[0], delta=1e-5)


def test_which_topics_the_texts_keep_for_any_seed(by_votes):
    runs = [by_votes["topic_shares"](by_votes["evolve"](by_votes["complaints"], 0.1, rng)) for rng in streams(21, 60)]
    found = np.array(runs)
    true = np.array(list(by_votes["about"].values())) / 500
    assert true[0] == 0.34 and true[-1] == 0.01
    mean = found.mean(axis=0)
    assert (np.sort(mean)[::-1] == mean).all() and mean[:4].sum() > 0.8  # "mostly the largest topics"
    assert mean[5] < 0.01 and mean[6] < 0.002  # "hardly show"
    assert found[:, :4].sum(axis=1).min() > 0.5 and found[:, 5:].max() < 0.06
    assert 3.5 < 1 / math.sqrt(2 * 0.1 / 3) < 4.5  # "about 4 votes"


def test_the_figures_ends(by_votes):
    """With ρ = 3 each topic is near its share or below; with ρ = 0.003 most texts are about something else."""
    true = np.array(list(by_votes["about"].values())) / 500
    ends = {}
    for rho in (3, 0.003):
        made = [by_votes["evolve"](by_votes["complaints"], rho, rng) for rng in streams(21, 30)]
        runs = [by_votes["topic_shares"](parts) for parts in made]
        ends[rho] = np.mean(runs, axis=0)
    assert (np.abs(ends[3] - true) < 0.06).all() and (ends[3] - true < 0.03).all()
    assert ends[0.003].sum() < 0.5 and ends[0.003][4:].max() < 0.02


def test_the_model_says_no_word_of_its_own_patients(by_votes):
    """Its grammar has about a thousand sentences, and none of the words that only the complaints have."""
    assert 900 < math.prod(map(len, by_votes["grammar"])) < 1_100
    said = " ".join(np.concatenate(by_votes["grammar"])).split()
    assert not {"Lee", "boss", "file"} & set(said)
    assert 100 < sum("Ms Lee" in text for text in by_votes["complaints"]) < 230


def test_forty_complaints_vote_forty_times_and_the_cure_lets_a_patient_vote_once(by_votes, single):
    by_votes["single"] = single
    assert proven_at_least(stats.norm.sf(-20 * single), stats.norm.sf(20 * single), 4_000) > 5
    ward = [("Ada", "my bill is wrong"), ("Ben", "cold food")]
    joined = [*ward, *[("Cleo", "the food is cold")] * 40]
    rng = generator(2111)

    def mended(rows, rng):
        return by_votes["ward_votes"](by_votes["one_each"](rows, rng).to_numpy(), rng)

    for release, refuted in ((by_votes["ward_votes"], True), (mended, False)):
        found = dp.audit(release, joined, ward, trials=400, delta=1e-5, confidence=1 - FAILURE, rng=rng)
        assert (found.epsilon_lower_bound > 1) == refuted
    assert by_votes["one_each"](joined, rng)["patient"].tolist() == ["Ada", "Ben", "Cleo"]


def test_rank_8_leaves_256_times_fewer_weights():
    whole, change = 4_096**2, 2 * 8 * 4_096
    assert round(whole / 1e6, 1) == 16.8 and change == 65_536 and whole / change == 256
    assert math.sqrt(whole / change) == 16
