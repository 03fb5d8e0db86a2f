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
