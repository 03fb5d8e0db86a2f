import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference

import dp_helpers as dp

KNOWN = pd.DataFrame(
    {"name": ["Ada", "Bob", "Cy"], "zip": ["0541", "0542", None], "age": [30, 41, 50], "note": ["a", "b", "c"]}
)
RELEASED = pd.DataFrame(
    {
        "age": [41, 30, 41, 50, 30],
        "zip": ["0542", "0541", "0542", None, "0543"],
        "illness": ["flu", "cold", "asthma", "gout", "flu"],
        "note": range(5),
    },
    index=[10, 20, 30, 40, 50],
)

# ---------------------------------------------------------------- link


def test_link_returns_the_matching_rows():
    pairs = dp.link(KNOWN, RELEASED, ["zip", "age"])
    assert pairs.columns.tolist() == ["name", "zip", "age", "note_known", "illness", "note_released"]
    assert pairs["name"].tolist() == ["Ada", "Bob", "Bob"]
    assert pairs["illness"].tolist() == ["cold", "flu", "asthma"]
    assert pairs.index.tolist() == [20, 10, 30]
    assert pairs["note_released"].tolist() == RELEASED.loc[pairs.index, "note"].tolist()


def test_link_on_one_column_and_one_person():
    person = KNOWN.loc[1, ["name", "age"]]
    pairs = dp.link(person, RELEASED, "age")
    pd.testing.assert_frame_equal(pairs, dp.link(KNOWN.loc[[1], ["name", "age"]], RELEASED, ["age"]))
    assert pairs["illness"].tolist() == ["flu", "asthma"]
    assert pairs["age"].dtype == np.int64


def test_missing_values_are_no_evidence():
    assert "Cy" in dp.link(KNOWN, RELEASED, "age")["name"].tolist()
    assert "Cy" not in dp.link(KNOWN, RELEASED, ["age", "zip"])["name"].tolist()


def test_link_leaves_its_arguments_alone():
    known, released = KNOWN.copy(), RELEASED.copy()
    dp.link(known, released, "age")
    pd.testing.assert_frame_equal(known, KNOWN)
    pd.testing.assert_frame_equal(released, RELEASED)


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_link_finds_every_pair(known, released):
    pairs = dp.link(
        pd.DataFrame({"key": np.array(known, dtype=int), "left": range(len(known))}),
        pd.DataFrame({"key": np.array(released, dtype=int), "right": range(len(released))}),
        "key",
    )
    expected = [(i, j) for i, a in enumerate(known) for j, b in enumerate(released) if a == b]
    assert list(zip(pairs["left"], pairs["right"], strict=True)) == expected
    assert pairs.index.tolist() == [j for _, j in expected]


# ---------------------------------------------------------------- uniqueness


def test_uniqueness_is_the_share_of_rows_alone():
    assert dp.uniqueness(RELEASED, "age") == 1 / 5
    assert dp.uniqueness(RELEASED, ["age", "zip"]) == 3 / 5
    assert dp.uniqueness(RELEASED, ["age", "zip", "illness"]) == 1.0
    assert isinstance(dp.uniqueness(RELEASED, "age"), float)


def test_missing_values_may_be_shared():
    assert dp.uniqueness(pd.DataFrame({"x": [None, None, "a"]}), "x") == 1 / 3


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_uniqueness_is_what_comparing_all_pairs_gives(rows):
    alone = sum(rows.count(row) == 1 for row in rows) / len(rows)
    assert dp.uniqueness(pd.DataFrame(rows, columns=["x", "y"]), ["x", "y"]) == pytest.approx(alone)


# ---------------------------------------------------------------- differencing


def test_differencing_gives_the_value_away():
    incomes = np.array([31_000, 45_000, 12_500])
    found = dp.differencing(incomes.sum(), np.delete(incomes, 1).sum())
    assert found == 45_000.0
    assert isinstance(found, float)


def test_differencing_keeps_the_type():
    total, without = pd.Series({"age": 120, "hours": 90}), pd.Series({"age": 80, "hours": 50})
    pd.testing.assert_series_equal(dp.differencing(total, without), pd.Series({"age": 40.0, "hours": 40.0}))
    table = total.to_frame("sum")
    pd.testing.assert_frame_equal(dp.differencing(table, table), 0.0 * table)
    assert dp.differencing([5, 7], [2, 3]).tolist() == [3.0, 4.0]


# ---------------------------------------------------------------- reconstruct


def survey(n, m, sigma, seed=0):
    """Return a secret column, m random counting queries on it and their answers with normal noise."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 2, n)
    queries = rng.integers(0, 2, (m, n))
    return secret, queries, queries @ secret + rng.normal(scale=sigma, size=m)


@pytest.mark.parametrize(("n", "m"), [(200, 800), (300, 900)])
def test_small_noise_reveals_nearly_everything(n, m):
    """A bit's estimate has standard deviation of about 2 sigma / sqrt(m - n): 0.16 here, a third of the way to 1/2."""
    secret, queries, answers = survey(n, m, 2.0)
    assert (dp.reconstruct(queries, answers) == secret).mean() > 0.99


def test_large_noise_protects():
    """At sigma = 5 sqrt(n) a bit's estimate has standard deviation 5.8, and the nearer of 0 and 1 is nearly a guess."""
    n = 200
    secret, queries, answers = survey(n, 4 * n, 5 * math.sqrt(n))
    assert (dp.reconstruct(queries, answers) == secret).mean() < 0.7


def test_too_few_queries_still_beat_guessing():
    shares = []
    for seed in range(10):
        secret, queries, answers = survey(100, 50, 0.0, seed)
        shares.append((dp.reconstruct(queries, answers) == secret).mean())
    assert np.mean(shares) > 0.65


def test_few_queries_lean_to_neither_side():
    """Exchanging the two answers of everybody exchanges every guess."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        queries = (rng.random((15, 40)) < 0.3).astype(int)
        queries[0] = 1  # so that everybody is asked
        answers = queries @ rng.integers(0, 2, 40) + rng.normal(scale=0.3, size=15)
        guess, exchanged = dp.reconstruct(queries, answers), dp.reconstruct(queries, queries.sum(axis=1) - answers)
        assert np.array_equal(guess, 1 - exchanged)


@pytest.mark.parametrize("sigma", [1.0, 5.0])
def test_more_answers_never_make_the_attacker_worse(sigma):
    """Without bounds on the estimates, a hundred answers about a hundred people tell less than fifty."""
    shares = []
    for m in (25, 50, 75, 100, 125, 150):
        surveys = [survey(100, m, sigma, seed) for seed in range(12)]
        shares.append(np.mean([(dp.reconstruct(q, answers) == secret).mean() for secret, q, answers in surveys]))
    assert np.all(np.diff(shares) > -0.02), shares  # the mean of 1,200 guesses has a spread below 0.015
    assert shares[-1] > shares[0] + 0.05


def test_frames_and_booleans_are_queries_too():
    secret, queries, answers = survey(20, 60, 0.1)
    assert dp.reconstruct(queries, answers).dtype == np.int64
    assert np.array_equal(dp.reconstruct(pd.DataFrame(queries), pd.Series(answers)), secret)
    assert np.array_equal(dp.reconstruct(queries.astype(bool), answers), secret)


# ---------------------------------------------------------------- membership inference


@pytest.mark.parametrize(
    ("members", "others", "expected"),
    [
        ([0, 0], [1, 1, 1], 1.0),
        ([1], [0], 0.0),  # the attack accuses low losses only
        ([1, 1], [1, 1], 0.0),
        ([0.1, 0.2, 0.9, 1.0], [0.15, 0.8, 1.1, 1.2], 0.5),
        ([0, 0, 5], [0, 5], 1 / 6),
    ],
)
def test_membership_advantage(members, others, expected):
    advantage = dp.membership_advantage(members, pd.Series(others))
    assert type(advantage) is float
    assert advantage == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_membership_advantage_is_the_best_of_all_thresholds(members, others):
    best = max(np.mean(np.array(members) <= t) - np.mean(np.array(others) <= t) for t in range(-1, 10))
    assert dp.membership_advantage(members, others) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("mia.adv"))
def test_membership_advantage_reaches_its_cap(inputs, value, tolerance):
    # With probability delta the membership is given away, otherwise told by randomized response.
    delta, truth = inputs["delta"], 1 / (1 + math.exp(-inputs["eps"]))
    n, rng = 400_000, np.random.default_rng(3)

    def losses(member):
        told = rng.random(n) < delta + (1 - delta) * truth
        return np.where(told, 1 - member, member)

    assert dp.membership_advantage(losses(1), losses(0)) == pytest.approx(value, abs=5.5 * math.sqrt(0.5 / n))


def test_an_overfit_model_gives_its_members_away_and_a_private_one_does_not():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(400, 100)), rng.choice([-1.0, 1.0], size=400)  # nothing to learn but the rows themselves
    (members, labels), (others, other_labels) = (X[:200], y[:200]), (X[200:], y[200:])

    def advantage(theta):
        return dp.membership_advantage(
            dp.logistic_loss(theta, members, labels), dp.logistic_loss(theta, others, other_labels)
        )

    overfit = dp.gradient_descent(members, labels, iterations=500)
    private = dp.noisy_gradient_descent(members, labels, iterations=20, clip=1, epsilon=0.5, delta=1e-5, rng=rng)
    assert advantage(overfit) > 0.5
    assert advantage(private.theta) < 0.25


# ---------------------------------------------------------------- bad input

TABLE, ORDERED = pd.DataFrame({"x": [1.0]}), pd.Series({"x": 1, "y": 2})

BAD = [
    (
        lambda: dp.link(KNOWN.astype({"age": str}), RELEASED, "age"),
        "'age' must be of one kind in known and released, got text and number",
    ),
    (lambda: dp.differencing([1, 2], [1]), r"total_without must have the shape of total, \(2,\), got \(1,\)"),
    (lambda: dp.differencing(ORDERED, ORDERED[::-1]), "total_without must have the labels of total"),
    (lambda: dp.differencing(TABLE, TABLE.rename(columns={"x": "y"})), "total_without must have the labels"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_arguments_that_do_not_fit_together_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
