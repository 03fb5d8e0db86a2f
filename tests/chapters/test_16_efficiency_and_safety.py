"""Chapter 16: what its prose says about floats, clocks, randomness and large surveys, and its labs."""

import decimal
import hashlib
import itertools
import math
import operator
import re
import tracemalloc
import zlib
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
import opendp.prelude as opendp
import pandas as pd
import pytest
from chapters.answers import patched
from chapters.chapter_notebook import read
from scipy import stats

import dp_helpers as dp

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
        assert page["words"](lambda n, g: g.bytes(8 * n), size) == size
        assert page["words"](lambda n, g: g.random(n), size) == size


def test_a_spiteful_query_shows_in_its_steps(page):
    rows, rng = dp.load_census().head(50), np.random.default_rng(8)
    page["spiteful_count"].__globals__["you"] = rows.iloc[0]
    _, there = page["spiteful_count"](rows, rng)
    _, gone = page["spiteful_count"](rows.iloc[1:], rng)
    assert there - gone == 1_000_000 and gone == 49


# Ten million people.


@pytest.fixture(scope="module")
def survey(page):
    jobs = dp.load_census()["Occupation"].dropna()
    oue = dp.UnaryEncoding.optimized(dp.CENSUS_DOMAINS["Occupation"], 1.0)
    for name in ("town", "collect", "bills"):
        page[name].__globals__.update(jobs=jobs, oue=oue, bits=oue.encode(jobs), domain=oue.domain)
    return page | {"oue": oue, "jobs": jobs}


def test_a_town_does_not_depend_on_when_or_where_it_is_asked(survey):
    forward = [survey["town"](number) for number in range(4)]
    backward = [survey["town"](number) for number in reversed(range(4))][::-1]
    for one, other in zip(forward, backward, strict=True):
        pd.testing.assert_series_equal(one, other)
    assert not forward[0].equals(forward[1])


def test_memory_is_that_of_a_town_however_many_there_are(survey):
    def peak(towns):
        tracemalloc.start()
        sum(map(survey["town"], range(towns)))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    survey["town"](0)
    few, many = peak(2), peak(20)
    assert many < 1.5 * few
    # All reports of twenty towns are 8.6 MB; a town needs its reports and what is made of them at a time.
    assert many < 6e6


def printed(part):
    """Return what the cell with this text printed."""
    (cell,) = [
        c for c in read(CHAPTER).cells if c.cell_type == "code" and part in c.source and "check(" not in c.source
    ]
    return "".join(output.get("text", "") for output in cell.outputs)


def test_the_survey_finds_ten_million_within_its_errors():
    rows = re.findall(r"([\d,]+) [\w-]+: ([-+][\d,]+) ± ([\d,]+)", printed("for job in"))
    assert len(rows) == 2
    for _, error, sd in [[int(x.replace(",", "")) for x in row] for row in rows]:
        assert abs(error) < 5 * sd
        assert sd == pytest.approx(math.sqrt(326 * 30_718 * 4 * math.e) / (math.e - 1), rel=0.03)


def test_the_bills(survey):
    assert survey["collect"](300_000_000, 100_000) == (4.2e9, 1.4e6, 336_000)
    reports, _, tallies = survey["collect"](10**6, 8)
    assert tallies == reports
    reports, _, tallies = survey["collect"](10**6, 1000)
    assert tallies < 0.01 * reports


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


def test_the_mean_of_many_bills_is_near(page):
    many = np.tile([0.30, 1.25, 2.00, 0.75, 0.99], 2_000)
    found = [page["mean_in_cents"](many, 2, 1.0, np.random.default_rng(seed)) for seed in range(200)]
    # The sum's noise has a deviation of 566 cents, the count's of 2.8 bills of 106 cents: 0.06 cents of the mean.
    assert np.abs(np.array(found) - 105.8).max() < 0.6


# Leaving the package.


def test_two_workers_give_the_same_tally():
    assert printed("client.gather(") == "the same tally: True\n"


def test_two_packages_find_the_same_totals():
    ours, theirs = (
        [float(total) for total in re.findall(r"\d\.\d+", printed(cell))]
        for cell in ("loss.compose_self(1000)", "accountant.compose(")
    )
    assert len(ours) == 2
    assert ours == pytest.approx(theirs, abs=0.0011)


def test_opendp_adds_the_geometric_noise_of_the_page():
    opendp.enable_features("contrib")
    table = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.symmetric_distance()
    count = table >> opendp.t.then_count() >> opendp.m.then_laplace(1.0)
    noise = np.clip([count([1] * 8) - 8 for _ in range(5000)], -7, 7)  # no seed: fails once in ten million runs
    alpha, z = math.exp(-1), np.arange(-6, 7)
    inner = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z)
    law = [alpha**7 / (1 + alpha), *inner, alpha**7 / (1 + alpha)]
    seen = [np.sum(noise == k) for k in range(-7, 8)]
    assert stats.chisquare(seen, 5000 * np.array(law) / sum(law)).pvalue > 1e-7


# Labs.


def least_delta(t):
    """Return the hockey-stick divergence at ε = 1 of geometric noise that ends at t, and of the same moved by 1."""
    alpha, z = math.exp(-1), np.arange(-t, t + 1)
    mass = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z)
    mass[[0, -1]] = alpha**t / (1 + alpha)
    return np.maximum(np.append(mass, 0) - math.e * np.append(0, mass), 0).sum()


def in_cents(payments, upper):
    return int(np.rint(100 * np.clip(np.asarray(payments, dtype=float), 0, upper)).astype(np.int64).sum())


def one_by_one(payments, upper):
    return sum(round(100 * min(max(float(x), 0.0), upper)) for x in payments)


def with_decimals(payments, upper):
    cent, total = decimal.Decimal("0.01"), 0
    zero, upper = decimal.Decimal(0), decimal.Decimal(upper)
    for x in payments.tolist():
        total += int(min(max(decimal.Decimal(repr(x)), zero), upper).quantize(cent) * 100)
    return total


def clipped_in_cents(payments, upper):
    return sum(min(max(round(100 * float(x)), 0), 100 * upper) for x in payments)


def of_clipped(change):
    return lambda payments, upper: int(change(np.clip(payments, 0, upper)))


def generator(survey, chunk):
    return np.random.default_rng(np.random.SeedSequence(survey, spawn_key=(chunk,)))


def hashed(survey, chunk):
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"{survey},{chunk}".encode()).digest()))


def numbered_pairs(survey, chunk):  # Cantor
    return np.random.default_rng((survey + chunk) * (survey + chunk + 1) // 2 + chunk + 2**80)


def seeded(seed):
    return lambda survey, chunk: np.random.default_rng(seed(survey, chunk))


ALWAYS = np.random.default_rng(3)


def all_coins(epsilon, cap, flip):
    p = math.exp(-epsilon)
    heads = [[*(flip(p) for _ in range(cap)), False].index(False) for _ in range(2)]
    return heads[0] - heads[1]


def padded(epsilon, cap, flip):
    noise, used = 0, 0
    for sign in (1, -1):
        while flip(math.exp(-epsilon)) and used < 3 * cap:
            noise, used = noise + sign, used + 1
    for _ in range(4 * cap - used):
        flip(0.5)
    return noise


def zero_sign_size(epsilon, cap, flip):
    alpha = math.exp(-epsilon)
    zero, negative = flip((1 - alpha) / (1 + alpha)), flip(0.5)
    size = 1 + [*(flip(alpha) for _ in range(cap)), False].index(False)
    return 0 if zero else -size if negative else size


def from_bits(epsilon, cap, flip):
    u = sum(flip(0.5) * 2.0**-k for k in range(1, 41)) + 2.0**-42
    alpha = math.exp(-epsilon)
    z = np.arange(-cap, cap + 1)
    below = np.where(z < 0, alpha ** np.abs(z), 1 + alpha - alpha ** (np.abs(z) + 1.0)) / (1 + alpha)
    return np.int64(z[min(np.searchsorted(below, u), 2 * cap)])


def by_digits(epsilon, cap, flip):
    """Return the difference of two sizes by their binary digits, each a coin of its own chance."""
    odds = [math.exp(-epsilon * 2**k) for k in range(6)]
    one, other = (sum(flip(x / (1 + x)) << k for k, x in enumerate(odds)) for _ in range(2))
    return one - other


KEPT = []


def every_second_opposite(epsilon, cap, flip):
    noise = all_coins(epsilon, cap, flip)
    if KEPT:
        return -KEPT.pop()
    KEPT.append(noise)
    return noise


RIGHT = [
    ("16.1", 0.939),
    ("16.2", [7, 6, 3]),
    ("16.4", decimal.Decimal(14)),
    ("16.4", next(t for t in itertools.count(1) if least_delta(t) <= 1e-6)),
    ("16.3", in_cents),
    ("16.3", one_by_one),
    ("16.3", with_decimals),
    ("16.3", clipped_in_cents),
    ("16.3", lambda payments, upper: int(pd.Series(payments).clip(0, upper).mul(100.0).round().astype(int).sum())),
    ("16.3", lambda payments, upper: sum(int(f"{min(max(x, 0), upper):.2f}".replace(".", "")) for x in payments)),
    ("16.3", lambda payments, upper: sum(round(100 * Fraction(min(max(x, 0), upper))) for x in payments.tolist())),
    ("16.5", generator),
    ("16.5", lambda survey, chunk: np.random.default_rng([chunk, survey])),
    ("16.5", lambda survey, chunk: np.random.Generator(np.random.PCG64(np.random.SeedSequence([7, survey, chunk, 1])))),
    ("16.5", lambda survey, chunk: np.random.Generator(np.random.Philox(key=[survey, chunk]))),
    ("16.5", hashed),
    ("16.5", lambda survey, chunk: np.random.Generator(np.random.PCG64([survey, 1]).jumped(chunk))),
    ("16.5", lambda survey, chunk: np.random.Generator(np.random.Philox(key=survey, counter=[0, 0, 0, chunk]))),
    ("16.5", lambda survey, chunk: np.random.Generator(np.random.MT19937([survey, chunk, 16]))),
    ("16.5", seeded(lambda survey, chunk: list(f"{survey}-{chunk}".encode()))),
    ("16.5", partial(lambda salt, survey, chunk: np.random.default_rng([salt, survey, chunk]), 16)),
    ("16.5", numbered_pairs),
    ("16.5", seeded(lambda survey, chunk: hash((survey, chunk)) % 2**64)),  # of whole numbers it is the same everywhere
    ("16.6", all_coins),
    ("16.6", padded),
    ("16.6", zero_sign_size),
    ("16.6", from_bits),
    ("16.6", by_digits),
]
STEP = "[*(flip(p) for _ in range(cap)), False].index(False)"
WRONG = [
    ("16.5", seeded(lambda survey, chunk: np.random.SeedSequence(survey).spawn(chunk + 1)[chunk]), "a spawn_key"),
    ("16.3", lambda payments, upper: float(in_cents(payments, upper)), "a Python int"),
    ("16.3", of_clipped(lambda rows: np.trunc(rows * 100).sum()), "don't cut the rest off"),
    ("16.3", of_clipped(lambda rows: (np.round(rows, 2) * 100).astype(int).sum()), "round after you multiply"),
    ("16.3", lambda payments, upper: round(100 * float(np.clip(payments, 0, upper).sum())), "round each row before"),
    ("16.3", lambda payments, upper: int(np.rint(np.asarray(payments) * 100).sum()), "clip each row"),
    ("16.3", lambda payments, upper: int(np.rint(np.minimum(payments, upper) * 100).sum()), "at both ends"),
    ("16.3", lambda payments, upper: int(np.rint(np.maximum(payments, 0) * 100).sum()), "at both ends"),
    ("16.3", lambda payments, upper: round(100 * min(max(sum(payments.tolist()), 0), upper)), "not the sum"),
    ("16.3", lambda payments, upper: 0, "your sum is 0"),
    ("16.3", of_clipped(lambda rows: np.rint(rows * 100).sum()), "Add integers"),
    ("16.3", of_clipped(lambda rows: np.rint(rows * 100).astype(np.int64).sum(dtype=np.int32)), "Add integers"),
    ("16.5", lambda survey, chunk: np.random.RandomState(chunk), "a NumPy generator"),
    ("16.5", lambda survey, chunk: ALWAYS, "must depend on the two numbers only"),
    ("16.5", lambda survey, chunk: np.random.default_rng(), "must depend on the two numbers only"),
    ("16.5", seeded(lambda survey, chunk: survey - chunk), "no generator came out"),
    *(("16.5", seeded(mix), "the coins of") for mix in (operator.add, operator.mul, operator.xor, lambda s, c: c)),
    ("16.5", seeded(lambda survey, chunk: int(f"{survey}{chunk}")), "the coins of"),
    *(("16.5", seeded(lambda s, c, k=k: k * s + c), "the coins of") for k in (50, 1000)),
    *(("16.5", seeded(lambda s, c, k=k: s + k * c), "the coins of") for k in (100, 2**31 - 1)),
    ("16.5", seeded(lambda survey, chunk: 99_991 * survey + 7919 * chunk), "some share their coins"),
    ("16.5", lambda survey, chunk: np.random.default_rng(hashed(survey, chunk).integers(2**32)), "seeds have 32 bits"),
    ("16.5", seeded(lambda survey, chunk: 7 * survey**3 + 13 * chunk), "the coins of"),
    ("16.5", seeded(lambda survey, chunk: abs(hash(f"{survey}, {chunk}"))), "another one in every process"),
    ("16.5", seeded(lambda survey, chunk: hash((b"survey", survey, chunk)) % 2**64), "another one in every process"),
    ("16.5", seeded(lambda survey, chunk: [abs(hash(str(survey))), chunk]), "another one in every process"),
    ("16.5", seeded(lambda survey, chunk: [survey, chunk]), "a 0 at the end of a list changes nothing"),
    ("16.5", seeded(lambda s, c: list(hashlib.sha256(f"{s},{c}".encode()).digest()[:4])), "seeds have 32 bits"),
    ("16.5", seeded(lambda s, c: np.random.SeedSequence(5, spawn_key=(zlib.crc32(b"%d,%d" % (s, c)),))), "35 bits"),
    *(("16.5", lambda s, c, k=k: np.random.Generator(np.random.PCG64([s, 9]).advance(k * c)), message)
      for k, message in [(1, "some places further on"), (1_000_000, "they overlap")]),
    ("16.5", seeded(lambda s, c: [*sorted((s, c)), 1]), "the coins of"),
    ("16.5", seeded(lambda s, c: [7, s, c % 2**31]), "the coins of"),
    ("16.5", lru_cache(lambda s, c: np.random.default_rng([s, c, 1])), "must depend on the two numbers only"),
    ("16.6", every_second_opposite, "anew in every call"),
    ("16.6", patched(all_coins, "-epsilon", "-1.1 * epsilon"), "of about ε = 1.1"),
    ("16.6", patched(all_coins, "heads[0] - heads[1]", "heads[0] - heads[1] or flip(p) - flip(p)"), "then look"),
    ("16.6", lambda epsilon, cap, flip: np.random.default_rng().integers(-9, 10), "has to come from flip"),
    ("16.6", patched(all_coins, "heads[0] - heads[1]", "3"), "the same number in every run"),
    ("16.6", patched(all_coins, STEP, "next((k for k in range(cap) if not flip(p)), cap)"), "flip all first"),
    ("16.6", patched(all_coins, "- heads[1]", "* (1 if flip(0.5) else -1)"), "zero comes up twice as often"),
    ("16.6", patched(all_coins, STEP, "sum(flip(p) for _ in range(cap))"), "isn't geometric"),
    ("16.6", patched(all_coins, "math.exp(-epsilon)", "1 - math.exp(-epsilon)"), "heads for tails"),
    ("16.6", patched(all_coins, " - heads[1]", ""), "both signs"),
    ("16.6", lambda epsilon, cap, flip: all_coins(epsilon, cap // 2, flip), "your noise ends at 8"),
    ("16.6", patched(all_coins, "- heads[1]", "- heads[1] + 0.5"), "must be whole"),
    ("16.6", lambda e, cap, flip: flip(2), "between 0 and 1"),
    ("16.6", lambda e, cap, flip: 3, "not called at all"),
    ("16.3", of_clipped(lambda rows: math.fsum(np.rint(100 * rows))), "Add integers"),
    ("16.3", of_clipped(lambda rows: np.rint(100 * rows.astype(np.float32)).astype(np.int64).sum()), "Add integers"),
    ("16.3", of_clipped(lambda rows: np.trunc(100 * rows.sum())), "not the sum"),
    ("16.3", of_clipped(lambda rows: np.ceil(rows * 100).sum()), "not up"),
    ("16.3", of_clipped(lambda rows: np.rint(rows).sum()), "cents, not euros"),
    ("16.3", of_clipped(lambda rows: 100 * np.rint(rows).sum()), "not to whole euros"),
]  # fmt: skip
