"""The plan of a release beside the release itself: the book's visits, and people who are drawn as the plan says."""

import numpy as np
import pandas as pd
import pytest

import dp_helpers as dp

VISITS = dp.load_visits()
PAIRS = VISITS.groupby(["person", "page"]).size().rename("rows").reset_index()
PAGES = PAIRS.groupby("person").size()
QUANTILES = (0.5, 0.9, 0.99)
TYPED = {
    "people": PAGES.size,
    "groups": PAIRS["page"].nunique(),
    "groups_of_a_person": tuple(round(PAGES.quantile(at)) for at in QUANTILES),
    "rows_in_a_group": tuple(round(PAIRS["rows"].quantile(at)) for at in QUANTILES),
    "largest_share": round(PAIRS["page"].value_counts().max() / PAGES.size, 2),
}


@pytest.mark.parametrize("most", [1, 3, 10, 30])
def test_on_the_visits_the_plan_is_as_near_as_its_page_says(most):
    """Groups published within a tenth (of 20 releases' mean, or one group), rows dropped within four hundredths."""
    rng = np.random.default_rng(np.random.SeedSequence(57, spawn_key=(most,)))
    cost = {"most_groups": most, "delta": 1e-6}
    published = np.mean(
        [len(dp.select_keys(VISITS, person="person", group="page", epsilon=1, rng=rng, **cost)) for _ in range(20)]
    )
    plan = dp.plan_group_counts(**TYPED, epsilon=2, **cost)
    assert plan.published == pytest.approx(published, rel=0.1, abs=1)
    kept = np.minimum(PAGES, most).sum() / PAGES.sum()
    assert plan.dropped == pytest.approx(1 - kept, abs=0.04)


@pytest.mark.parametrize(("most_groups", "most_rows"), [(1, 1), (3, 2), (10, 5)])
def test_rows_that_are_dropped_from_the_visits_are_forecast(most_groups, most_rows):
    rng = np.random.default_rng(572)
    bound = {"most_groups": most_groups, "most_rows": most_rows}
    kept = len(dp.bound_contributions(VISITS, person="person", group="page", **bound, rng=rng))
    plan = dp.plan_group_counts(**TYPED, **bound, epsilon=1)
    assert plan.dropped == pytest.approx(1 - kept / len(VISITS), abs=0.06)


def test_noise_and_threshold_are_those_of_the_functions_that_release():
    plan = dp.plan_group_counts(**TYPED, most_groups=4, most_rows=3, epsilon=1, delta=1e-5)
    assert plan.scale == dp.laplace_scale(sensitivity=12, epsilon=0.5)
    assert plan.width == pytest.approx(dp.laplace_accuracy(scale=plan.scale, confidence=0.95))
    assert plan.threshold == dp.key_threshold(most_groups=4, epsilon=0.5, delta=1e-5)
    public = dp.plan_group_counts(**TYPED, most_groups=4, most_rows=3, epsilon=1)
    assert public.scale == plan.scale / 2 and public.threshold is None
    assert public.published == pytest.approx(TYPED["groups"])


def test_the_twin_has_what_was_typed():
    plan = dp.plan_group_counts(**TYPED, most_groups=1000, epsilon=1)
    assert plan.groups.sum() == TYPED["groups"] and (np.diff(plan.people) <= 0).all()
    assert plan.people[0] / TYPED["people"] == pytest.approx(TYPED["largest_share"], rel=1e-3)
    # People in groups: each is in as many as the middle, 1 in 10 and 1 in 100 say; of the visits, within a tenth.
    assert plan.people @ plan.groups == pytest.approx(len(PAIRS), rel=0.1)
    assert plan.dropped < 0.01 and plan.kept == pytest.approx(plan.people, rel=0.01)


def test_one_group_each_is_a_table_that_nothing_is_dropped_from():
    plan = dp.plan_group_counts(
        people=1000, groups=10, groups_of_a_person=(1, 1, 1), largest_share=0.3, most_groups=1, epsilon=1
    )
    assert plan.dropped == 0 and plan.people @ plan.groups == pytest.approx(1000, rel=1e-6)
    # Half as much epsilon: twice the noise.
    wider = dp.plan_group_counts(
        people=1000, groups=10, groups_of_a_person=(1, 1, 1), largest_share=0.3, most_groups=1, epsilon=0.5
    )
    assert wider.width == pytest.approx(2 * plan.width)


def test_the_heavy_are_the_tenth_with_the_most_groups():
    """Nine of ten are in one group, so that all that is dropped is the others'."""
    plan = dp.plan_group_counts(
        people=1000, groups=10_000, groups_of_a_person=(1, 1, 50), largest_share=0.01, most_groups=1, epsilon=1
    )
    each = plan.people @ plan.groups / 1000  # groups of a person, on average
    assert plan.dropped_of_heavy * (each - 0.9) == pytest.approx(plan.dropped * each, rel=1e-6)


def test_known_to_a_tenth_is_ten_times_the_width():
    plan = dp.plan_group_counts(**TYPED, most_groups=3, epsilon=1)
    known = plan.kept >= 10 * plan.width
    assert plan.known == np.ceil(plan.people[known].min())
    assert dp.plan_group_counts(**TYPED, most_groups=3, epsilon=1e-4).known is None


def test_people_of_the_twin_give_what_is_planned():
    """Draw people whose groups are the plan's, release once, and look: the mean of ten releases is near the plan."""
    rng = np.random.default_rng(573)
    plan = dp.plan_group_counts(
        people=3000, groups=50, groups_of_a_person=(1, 1, 1), largest_share=0.4, most_groups=1, epsilon=2, delta=1e-6
    )
    chances = plan.people / 3000
    counts = []
    for _ in range(10):
        data = pd.DataFrame({"person": range(3000), "group": rng.choice(50, size=3000, p=chances / chances.sum())})
        keys = dp.select_keys(data, person="person", group="group", most_groups=1, epsilon=1, delta=1e-6, rng=rng)
        counts.append(len(keys))
    assert np.mean(counts) == pytest.approx(plan.published, abs=2)


def test_normal_noise_is_that_of_the_release_with_a_delta_of_its_own():
    given = {**TYPED, "most_groups": 9, "most_rows": 2, "epsilon": 1}
    plan = dp.plan_group_counts(**given, delta=4e-7, noise_delta=6e-7)
    assert plan.scale == dp.gaussian_sigma(sensitivity=6, epsilon=0.5, delta=6e-7)
    assert plan.width == pytest.approx(dp.gaussian_accuracy(sigma=plan.scale, confidence=0.95))
    assert plan.threshold == dp.key_threshold(most_groups=9, epsilon=0.5, delta=4e-7)
    public = dp.plan_group_counts(**given, noise_delta=1e-6)
    assert public.threshold is None and public.scale == dp.gaussian_sigma(sensitivity=6, epsilon=1, delta=1e-6)
    # The more groups a person has, the more it gains on Laplace noise; for one group it is wider.
    gains = [
        dp.plan_group_counts(**{**given, "most_groups": most}).width
        / dp.plan_group_counts(**{**given, "most_groups": most}, noise_delta=1e-6).width
        for most in (1, 10, 100)
    ]
    assert gains == sorted(gains) and gains[0] < 1 < gains[2]


@pytest.mark.parametrize(("people", "share", "epsilon"), [(40, 0.2, 0.5), (300, 0.5, 0.1), (25, 0.1, 2)])
def test_a_count_of_few_is_as_far_off_as_planned(people, share, epsilon):
    """Nineteen of twenty: within two hundredths, five standard errors of 20,000 draws being 0.008."""
    rng = np.random.default_rng(576)
    plan = dp.plan_count(people=people, share=share, epsilon=epsilon)
    yes = rng.binomial(people, share, 20_000)
    noisy = yes + rng.laplace(scale=1 / epsilon, size=yes.size)
    assert np.mean(np.abs(noisy - yes) <= plan.noise) == pytest.approx(0.95, abs=0.01)
    assert np.mean(np.abs(noisy - people * share) <= plan.width) == pytest.approx(0.95, abs=0.02)
    level = dp.plan_count(people=plan.useful_from, share=share, epsilon=epsilon)
    assert 2 / epsilon**2 <= plan.useful_from * share * (1 - share)
    assert level.useful_from == plan.useful_from  # people don't matter for it


@pytest.mark.parametrize("mean", [50, 20, 97])
def test_a_mean_of_few_is_as_far_off_as_planned(mean):
    rng = np.random.default_rng(np.random.SeedSequence(576, spawn_key=(mean,)))
    values = np.clip(rng.normal(mean, 3, 100), 0, 100)
    given = {"lower": 0, "upper": 100, "epsilon": 1.0}
    plan = dp.plan_mean(people=100, mean=values.mean(), spread=values.std(), **given)
    off = [abs(dp.private_mean(values, **given, rng=rng) - values.mean()) for _ in range(5000)]
    # What is clipped to the bounds, and a Laplace width for what is a sum of two, make it a little safer.
    assert 0.935 <= np.mean(np.array(off) <= plan.noise) <= (0.97 if mean < 90 else 1)
    assert plan.luck == pytest.approx(1.96 * values.std() / 10, rel=1e-3)
    assert plan.useful_from == np.ceil(2 * (100**2 + (2 * values.mean() - 100) ** 2) / values.var())
