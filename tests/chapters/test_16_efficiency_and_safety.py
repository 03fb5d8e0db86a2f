"""Chapter 16: what its prose says about floats, clocks and randomness."""

import math
import re

import numpy as np
import pytest
from chapters.chapter_notebook import read
from scipy import stats

import dp_helpers as dp
from dp_labs import chapter_16
from dp_labs.answers import NotYet

CHAPTER = "16-efficiency-and-safety"


# Floats (erratum 16).


def test_one_answer_in_five_is_fine_without_you_and_none_with_you(page):
    rng, n = np.random.default_rng(1), 400_000
    # The standard error is 0.0006.  The noise is below 1/4 with a chance of 0.22, and then often finer than 2^-53.
    assert 0.18 < page["fine"](page["noisy_count"](0, n, rng)).mean() < 1 - math.exp(-1 / 4)
    assert page["fine"](page["noisy_count"](1, n, rng)).sum() == 0
    seen = stats.binom(500_000, 0.188)  # as on the page, with any seed
    assert seen.ppf(1e-6) > 0.18 * 500_000 and seen.isf(1e-6) < 0.2 * 500_000


def test_the_true_count_explains_every_answer_and_its_neighbour_does_not(page):
    rng = np.random.default_rng(3)
    for count, epsilon in [(0, 1.0), (1, 0.5), (100, 0.1), (100, 0.01), (7, 2.0)]:
        answers = page["textbook_laplace"](count, epsilon, rng.random(5000))
        assert page["possible"](answers, count, epsilon).all()
        assert not page["possible"](answers, count + 1, epsilon).all()


def test_textbook_laplace_is_laplace(page):
    draws = page["textbook_laplace"](3, 0.5, np.random.default_rng(4).random(20_000))
    assert stats.kstest(draws, stats.laplace(3, 2).cdf).pvalue > 1e-6


def test_what_the_slider_shows(page):
    told = page["told"]
    shares = [told(count, 1) for count in (0, 1, 10, 100, 1000)]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.7 and shares[-1] < 0.02
    assert told(100, 0.01) > 0.4 > told(100, 0.1) > 0.03 > told(100, 1)
    # The start frame's text rounds to five percent; it has to be the same where a logarithm's last bit differs.
    assert abs(told(1, 1) - 0.6) < 0.02
    # No tick is missing at a count of 100 and ε = 0.1, and still answers elsewhere rule out one more.
    floats = (np.array(100 - 0.7 / 0.1).view(int) + np.arange(40)).view(float)
    assert page["possible"](floats, 100, 0.1).all() and page["possible"](floats, 101, 0.1).all()
    assert told(100, 0.1) > 0.03


# Whole numbers.


def test_the_coin_has_its_chance(page):
    rng = np.random.default_rng(5)
    for a, b in [(1, 1), (1, 2), (3, 7), (0, 5)]:
        heads = sum(page["coin"](a, b, rng) for _ in range(20_000))
        assert stats.binomtest(heads, 20_000, math.exp(-a / b)).pvalue > 1e-7


def test_whole_noise_is_that_of_the_package(page):
    rng, n = np.random.default_rng(6), 20_000
    ours = np.array([page["whole_noise"](math.exp(-0.5), rng)[0] for _ in range(n)])
    theirs = dp.geometric_mechanism(np.zeros(n, dtype=int), sensitivity=1, epsilon=0.5, rng=rng)
    table = [[np.sum(np.clip(draws, -8, 8) == z) for z in range(-8, 9)] for draws in (ours, theirs)]
    assert stats.chi2_contingency(table).pvalue > 1e-7


def test_coins_give_the_noise_away(page):
    rng = np.random.default_rng(7)
    runs = [page["whole_noise"](math.exp(-0.5), rng) for _ in range(5000)]
    right = np.mean([abs(z) == coins - 1 for z, coins in runs])
    # Wrong only if the first try was -0, which begins again.
    assert right == pytest.approx(1 - (1 - math.exp(-0.5)) / 2, abs=0.04)
    assert stats.binom(10_000, (1 + math.exp(-0.5)) / 2).ppf(1e-6) > 7_500  # "in most runs", with any seed
    assert all(coins >= abs(z) + 1 for z, coins in runs)


# Randomness (erratum 58).


def test_words_counts_words(page):
    assert page["words"](lambda g: None) == 0
    for size in (1, 3, 4, 5, 1000):
        assert page["words"](lambda g, n=size: g.bytes(8 * n)) == size
        assert page["words"](lambda g, n=size: g.random(n)) == size


def test_noise_costs_the_same_however_many_people_there_are():
    """Two words for each Laplace number: one of a count, fourteen of a histogram of jobs."""
    domain = dp.CENSUS_DOMAINS["Occupation"]
    said = re.findall(r"people: (\d+) words, (\d+) words", printed("costs(people)"))
    assert said == [("2", str(2 * len(domain)))] * 2


def test_a_spiteful_query_shows_in_its_steps(page):
    rows, rng = dp.load_census().head(50), np.random.default_rng(8)
    page["spiteful_count"].__globals__["her"] = rows.iloc[0]
    _, there = page["spiteful_count"](rows, rng)
    _, gone = page["spiteful_count"](rows.iloc[1:], rng)
    assert there - gone == 1_000_000 and gone == 49


def printed(part):
    """Return what the cell with this text printed."""
    (cell,) = [
        c for c in read(CHAPTER).cells if c.cell_type == "code" and part in c.source and "check(" not in c.source
    ]
    return "".join(output.get("text", "") for output in cell.outputs)


def test_the_same_seed_in_every_clinic_cancels(page):
    for pair in [(120, 87), (0, 1), (10**6, 3)]:
        assert page["hurried_count"](pair[0]) - page["hurried_count"](pair[1]) == pair[0] - pair[1]


# A mean of cents.


def test_the_mean_in_cents_is_geometric_noise_on_whole_cents(page, monkeypatch):
    asked = []

    def recorded(value, *, sensitivity, epsilon, rng):
        asked.append((value, sensitivity, epsilon))
        return value

    monkeypatch.setattr(dp, "geometric_mechanism", recorded)
    bills = np.array([0.29, -1.0, 7.0, 1.005])
    assert page["mean_in_cents"](bills, 2, 1.0, None) == pytest.approx((29 + 0 + 200 + 100) / 4, abs=0.3)
    (total, *how), count = asked
    assert isinstance(total, int) and how == [200, 0.5] and count == (4, 1, 0.5)


def test_the_page_adds_cents_as_its_own_lab_asks(page, monkeypatch):
    """What the page's function does on the way to its mean passes the lab's check, whatever the order of the rows."""
    asked = []
    monkeypatch.setattr(dp, "geometric_mechanism", lambda exact, **how: asked.append(exact) or exact)

    def cents(payments, upper):
        asked.clear()
        page["mean_in_cents"](payments, upper, 1.0, None)
        return asked[0]

    assert chapter_16.add_cents(cents)
    with pytest.raises(NotYet, match="64 bits"):  # as the page did before: whole numbers, but floats
        chapter_16.add_cents(lambda payments, upper: int(np.rint(100 * np.clip(payments, 0, upper)).sum()))


def test_the_mean_of_many_bills_is_near(page):
    many = np.tile([0.30, 1.25, 2.00, 0.75, 0.99], 2_000)
    found = [page["mean_in_cents"](many, 2, 1.0, np.random.default_rng(seed)) for seed in range(200)]
    # The sum's noise has a deviation of 566 cents, the count's of 2.8 bills of 106 cents: 0.06 cents of the mean.
    assert np.abs(np.array(found) - 105.8).max() < 0.6


# Leaving the package.


def test_two_packages_find_the_same_totals():
    ours, theirs = (
        [float(total) for total in re.findall(r"\d\.\d+", printed(cell))]
        for cell in ("loss.compose_self(1000)", "accountant.compose(")
    )
    assert len(ours) == 2
    assert ours == pytest.approx(theirs, abs=0.0011)


def test_opendp_adds_the_geometric_noise_of_the_page():
    import opendp.prelude as opendp  # here: each process of the tests imports this file

    opendp.enable_features("contrib")
    table = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.symmetric_distance()
    count = table >> opendp.t.then_count() >> opendp.m.then_laplace(1.0)
    noise = np.clip([count([1] * 8) - 8 for _ in range(5000)], -7, 7)  # no seed: fails once in ten million runs
    alpha, z = math.exp(-1), np.arange(-6, 7)
    inner = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z)
    law = [alpha**7 / (1 + alpha), *inner, alpha**7 / (1 + alpha)]
    seen = [np.sum(noise == k) for k in range(-7, 8)]
    assert stats.chisquare(seen, 5000 * np.array(law) / sum(law)).pvalue > 1e-7


def test_what_whole_numbers_cost():
    alpha = math.exp(-1)
    assert round(math.sqrt(2 * alpha) / (1 - alpha), 2) == 1.36 and round(math.sqrt(2), 2) == 1.41


def test_with_a_spawn_key_for_each_clinic_no_difference_is_exact():
    """The cure of "Find the bug": other coins for each clinic, the same ones again for whoever knows the secret."""

    def count(patients, number, secret):
        coins = np.random.default_rng(np.random.SeedSequence(secret, spawn_key=(number,)))
        return dp.geometric_mechanism(patients, sensitivity=1, epsilon=1.0, rng=coins)

    noise = np.array([[count(0, number, secret) for number in range(3)] for secret in range(2_000)])
    assert (noise == [[count(0, number, secret) for number in range(3)] for secret in range(2_000)]).all()
    same = np.mean(noise[:, 0] == noise[:, 1])
    alpha = math.exp(-1)
    equal = (1 - alpha) ** 2 * (1 + alpha**2) / ((1 + alpha) ** 2 * (1 - alpha**2))  # two independent draws
    assert same == pytest.approx(equal, abs=0.06)
    assert abs(np.corrcoef(noise.T) - np.eye(3)).max() < 0.12


@pytest.mark.parametrize("seed", range(3))
def test_on_a_grid_one_row_moves_the_sum_by_the_bound_at_most(seed):
    """The self-check's third question: in cents, in steps of 10 cents, and as floats whose sum is rounded."""
    rows = np.random.default_rng([1671, seed]).exponential(15, 2_000)
    for newcomer in (0, 7.77, 19.99, 20, 1e9):
        more = np.append(rows, newcomer)
        for steps in (100, 10):
            sums = [np.rint(steps * np.clip(amounts, 0, 20)).astype(np.int64).sum() for amounts in (rows, more)]
            assert 0 <= sums[1] - sums[0] <= 20 * steps
    assert np.rint(10 * 19.96) / 10 > 19.96  # a bound that isn't on the grid
    payments = np.array([1.0] * 2048 + [1.5] * 1000, dtype=np.float16)
    in_floats = [round(float(np.cumsum(rows, dtype=np.float16)[-1]), 2) for rows in (payments[:-1], payments)]
    assert in_floats[1] - in_floats[0] > 1.5
