"""What chapter 17 says, derived again; its audit against the package and exact coverage."""

import inspect
import math
import re

import numpy as np
import pytest
from chapters.chance import proven, streams
from chapters.chapter_notebook import read
from labs.chapter_17 import by_beta, limits
from scipy import stats
from thorough import sample

import dp_helpers as dp
from dp_helpers import synthetic

CHAPTER = "17-auditing"

FAILURE = 1e-6
WITH, WITHOUT = [0] * 9, [0] * 8


def printed(beginning):
    """Return what the committed cell whose source contains ``beginning`` printed."""
    (cell,) = [c for c in read(CHAPTER).cells if c.cell_type == "code" and beginning in c.source]
    return "".join(o.get("text", "") for o in cell.outputs)


# From counts to epsilon.


COUNTS = [(0, 0, 10), (10, 0, 10), (7, 2, 10), (10, 10, 10), (499, 1, 500), (9_990, 4_000, 10_000), (52, 11, 20_000)]


@pytest.mark.parametrize(("hits", "others", "runs"), COUNTS)
@pytest.mark.parametrize("risk", [1e-4, 0.01, 0.1])
def test_the_pages_limits_and_bound_are_clopper_and_pearsons(page, hits, others, runs, risk):
    low, high = limits(hits, others, runs, risk)
    assert page["lower_limit"](hits, runs, risk / 2) == pytest.approx(low, abs=1e-9)
    assert 1 - page["lower_limit"](runs - others, runs, risk / 2) == pytest.approx(high, abs=1e-9)
    assert page["proven"](hits, others, runs, risk) == pytest.approx(by_beta(hits, others, runs, risk), abs=1e-7)


@pytest.mark.parametrize(("r", "other"), [(0.5, 0.5 / math.e), (0.97, 0.9)])
def test_the_bound_fails_no_more_often_than_its_risk(page, r, other):
    # Exactly, over all counts.
    runs, risk = 14, 0.1
    truth = max(math.log(r / other), math.log((1 - other) / (1 - r)))
    k = np.arange(runs + 1)
    chances = np.outer(stats.binom.pmf(k, runs, r), stats.binom.pmf(k, runs, other))
    found = np.array([[page["proven"](h, o, runs, risk) for o in k] for h in k])
    assert chances[found > truth + 1e-12].sum() <= risk


def test_the_theorem_with_delta(page):
    # The worst (epsilon, delta) pair of rates: r = e^epsilon r' + delta.
    runs, risk, epsilon, other, delta = 14, 0.1, 0.7, 0.2, 0.05
    r = math.exp(epsilon) * other + delta
    k = np.arange(runs + 1)
    chances = np.outer(stats.binom.pmf(k, runs, r), stats.binom.pmf(k, runs, other))
    found = np.array([[page["with_delta"](h, o, runs, risk, delta) for o in k] for h in k])
    opposite = math.log((1 - other - delta) / (1 - r))
    assert chances[found > max(epsilon, opposite) + 1e-12].sum() <= risk
    assert (found > epsilon).any()


def test_caps_are_what_clean_counts_prove_at_most(page):
    # No counts of so many runs prove more than the cap, also by the opposite event.
    every = [page["proven"](h, o, 12, 0.05) for h in range(13) for o in range(13)]
    assert max(every) == pytest.approx(page["proven"](12, 0, 12, 0.05))


# The page's audit and the package's.


@pytest.mark.parametrize("chance", [0.7, 1.0])
def test_the_pages_audit_is_the_packages(page, chance):
    def response(truth, rng):
        return bool(rng.random() < (chance if truth else 1 - chance))

    # Two symbols leave one event to choose, and both draw in the same order.
    ours, _ = page["audit"](response, True, False, 2000, np.random.default_rng(1))
    package = dp.audit(response, True, False, trials=2000, rng=np.random.default_rng(1))
    assert ours == pytest.approx(package.epsilon_lower_bound, abs=1e-9)


def test_the_page_keeps_choosing_and_counting_apart(page):
    calls = []

    def drifting(table, rng):
        calls.append(table)
        return table if len(calls) <= 2000 else 0

    # What the first half shows doesn't count.
    assert page["audit"](drifting, 1, 0, 2000, np.random.default_rng(1))[0] == 0
    assert len(calls) == 4000


# The services.


def test_the_services_draw_the_noise_that_the_page_says(page):
    rng = np.random.default_rng(1701)
    noise = [np.array([page[f"service_{name}"](WITH, rng) - 9 for _ in range(20_000)]) for name in "abc"]
    laws = [stats.uniform(-math.sqrt(6), 2 * math.sqrt(6)), stats.laplace(), stats.laplace(scale=0.6)]
    for draws, law in zip(noise, laws, strict=True):
        assert stats.kstest(draws, law.cdf).pvalue > FAILURE
    # Won by guessing "with" above the middle: A least, C more than epsilon = 1 allows, B less, in any 10,000 rounds.
    won = [law.sf(-0.5) for law in laws]
    cap = math.e / (1 + math.e)
    low, high = (
        [limit(FAILURE) / 10_000 for limit in ends]
        for ends in zip(*((stats.binom(10_000, w).ppf, stats.binom(10_000, w).isf) for w in won), strict=True)
    )
    assert high[0] < low[1] < high[1] < cap < low[2]


def test_the_share_of_games_won_is_that_of_the_page(page, census):
    armed = census[census["Occupation"] == "Armed-Forces"]
    assert len(armed) >= 2  # the game takes one away
    page["with_one"], page["without"] = armed, armed.iloc[1:]
    share = page["share_won"](page["service_b"], 20_000, np.random.default_rng(1702))
    expected = 1 - math.exp(-0.5) / 2
    assert share == pytest.approx(expected, abs=stats.norm.isf(FAILURE / 2) * 0.5 / math.sqrt(20_000))


@pytest.mark.parametrize(("name", "convicted"), [("a", True), ("b", False), ("c", True)])
def test_all_three_verdicts_hold_for_another_seed(page, name, convicted):
    found, _ = page["audit"](page[f"service_{name}"], WITH, WITHOUT, 20_000, np.random.default_rng(11))
    assert (found > 1) == convicted


def test_both_convictions_hold_for_any_seed():
    # C: r = 1/2 against e^(-1/0.6)/2 is seen above the claim, A by what lies beyond its end.
    assert proven(1 / 2, math.exp(-1 / 0.6) / 2, 20_000) > 1.3
    assert proven(1 / (2 * math.sqrt(6)), 0, 20_000) > 5


# The slider.


def test_what_runs_can_see(page):
    epsilons, sizes, confidences = np.arange(0.5, 12.1, 0.5), [100, 1000], [0.9, 0.999]
    bounds = page["sweep"](epsilons, sizes, confidences, np.random.default_rng(1703))
    assert set(bounds) == {(n, c) for n in sizes for c in confidences}
    for (runs, confidence), found in bounds.items():
        cap = by_beta(runs, 0, runs, 1 - confidence)
        assert len(found) == len(epsilons) == 24
        assert max(found) <= cap + 1e-6
        page["texts"] = {"100": 100, "1,000": 1000}
        said = page["seen_at"](f"{runs:,}", confidence, seed=0)
        assert f"cap {cap:.2f}" in said
    # At a risk of 0.001 each, 24 dots lie above the diagonal with probability 0.024 at most; here none does.
    assert (np.array(bounds[1000, 0.999]) <= epsilons).all()


# Every mechanism of the book.


def test_nobody_honest_is_accused_and_nobody_is_missing():
    rows = [line.replace("*", " ").split() for line in printed("subjects:").splitlines()[1:-1]]
    assert all(float(found) <= float(claim) for *_, claim, found in rows)
    names, draws = {row[0] for row in rows}, set()
    for name in dp.__all__:
        thing = getattr(dp, name)
        if inspect.isclass(thing):
            draws |= {name} if hasattr(thing, "perturb") else {f"{name}.fit"} if hasattr(thing, "fit") else set()
        elif inspect.isfunction(thing) and "rng" in inspect.signature(thing).parameters:
            draws.add(name)
    # The judge; what sees only a released marginal; and what releases nothing.
    assert draws - names == {"audit", "sample_marginal", "bound_contributions"}


def exact_tables(count, parent, child, total, rho, rng, fit=synthetic._noisy_table):
    return fit(count, parent, child, total, 1e6 * rho, rng)


def exact_shares(counts, rho, rng, fit=synthetic._noisy_shares):
    return fit(counts, 1e6 * rho, rng)[0], fit(counts, rho, rng)[1]


def exact_edges(count, one_way, total, rho, rng, fit=synthetic._spanning_tree):
    exact = {name: count(name) / count(name).sum() for name in one_way}
    return fit(count, exact, count(next(iter(exact))).sum(), 1e6 * rho, rng)


@pytest.mark.parametrize(
    ("part", "broken_part"),
    sample(
        [("_noisy_table", exact_tables), ("_noisy_shares", exact_shares), ("_spanning_tree", exact_edges)],
        every=3,
        name=lambda case: case[0],
    ),
)
def test_the_audit_of_the_tree_catches_a_tree_with_one_part_without_noise(page, census, monkeypatch, part, broken_part):
    # The number of rows keeps its noise: what convicts are the edges, or the counts.
    known = {name: dp.CENSUS_DOMAINS[name] for name in ("Sex", "Target")} | {"Over 40": [False, True]}
    pair = page["with_and_without_her"](census.assign(**{"Over 40": census["Age"] > 40}), list(known))
    assert [len(table) for table in pair] == [126, 125]
    monkeypatch.setattr(synthetic, part, broken_part)

    def release(table, rng):
        return page["whole_tree"](table, categories=known, epsilon=2, delta=0.05, rng=rng)

    how = {"trials": 400, "confidence": 0.9999, "delta": 0.05, "rng": np.random.default_rng(1705)}
    assert dp.audit(release, *pair, **how).epsilon_lower_bound > 2


# The two that look alike.


def test_the_slices_are_caught_and_the_chunks_are_not():
    (cell,) = [c for c in read(CHAPTER).cells if c.cell_type == "code" and '"in slices"' in c.source]
    assert "hide-cell" in cell.metadata.tags
    verdicts = re.findall(r"(\d): claimed 1, proven ([\d.]+)  (caught|nothing found)", printed('"in slices"'))
    assert [(number, verdict) for number, _, verdict in verdicts] == [("1", "caught"), ("2", "nothing found")]
    assert float(verdicts[0][1]) > 1 >= float(verdicts[1][1])


# What an audit can't prove, and the bug.


def test_another_pair_shows_what_the_first_hid(page):
    few, many = (float(line.split()[-1]) for line in printed("def careless_sum").splitlines())
    assert few <= 1 < many
    # A row of 90 moves the sum by 90 of a noise scale of 100; a row of -1000 by ten scales.
    noise = [page["careless_sum"]([10.0, more], np.random.default_rng(7)) for more in (90.0, -1000.0, 0.0)]
    assert noise[0] - noise[2] == pytest.approx(90) and noise[2] - noise[1] == pytest.approx(1000)
    assert proven(stats.laplace.sf(-5), stats.laplace.sf(5), 4000) > 3  # with any seed


def test_what_the_first_figure_counts(page):
    # Log of the ratio of "at least t" under Laplace noise of scale 1, around 9 and around 8.
    law = stats.laplace()
    for t in [6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5]:
        right = np.log(law.sf(t - 9) / law.sf(t - 8))
        assert right == pytest.approx(1) if t >= 9 else right < 0.9
    assert np.log(law.sf(6 - 9) / law.sf(6 - 8)) < 0.06
    # What the figure says of its 10,000 runs is near to these laws.
    cells = {cell.id: cell.source for cell in read(CHAPTER).cells}
    names = {**page, "np": np, "dp": dp}
    for name in ("live-f", "live-w"):
        exec(cells[name], names)
    margin = np.sqrt(np.log(2 / 1e-7) / 20_000) + 0.05 / 2  # of a share; answers are rounded to tenths
    for word, centre in (("her", 9), ("without", 8)):
        for t in (6, 8, 9, 10.5):
            assert abs(names["two_worlds_words"][word](t, "10,000", 0) - law.sf(t - centre)) < margin


def test_the_quick_audit_accuses_the_honest(page):
    his = np.array([page["quick_audit"](page["service_b"], WITH, WITHOUT, 1000, rng) for rng in streams(17)])
    assert np.mean(his > 1) > 0.8
    # The page's mean of twenty is above 1 with any seed; his ratios have the same law at 10,000 runs as at 1,000.
    assert his.mean() - 4.9 * his.std() / math.sqrt(20) > 1


def test_the_quick_audit_finds_what_a_loop_finds(page):
    rng = np.random.default_rng(5)
    draws = {1: rng.normal(1, 1, 50), 0: rng.normal(0, 1, 50)}
    stream = iter([*draws[1], *draws[0]])
    found = page["quick_audit"](lambda table, rng: next(stream), 1, 0, 50, rng)
    ratios = []
    for cut in [*draws[1], *draws[0]]:
        above = [(draws[w] >= cut).sum() for w in (1, 0)]
        if min(above):
            ratios.append(math.log(above[0] / above[1]))
    assert found == pytest.approx(max(ratios))
