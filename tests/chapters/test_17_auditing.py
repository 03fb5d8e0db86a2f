"""What chapter 17 says, derived again; its audit against the package and exact coverage; its labs."""

import inspect
import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from chapters.answers import patched
from chapters.chance import proven, streams
from chapters.chapter_notebook import read
from scipy import optimize, stats
from thorough import sample

import dp_helpers as dp
from dp_helpers import broken, synthetic

CHAPTER = "17-auditing"
OWN = np.random.default_rng(1790)  # a generator that goes on, instead of the one that an answer is given
FAILURE = 1e-6
WITH, WITHOUT = [0] * 9, [0] * 8


def limits(hits, others, runs, risk):
    """Return Clopper and Pearson's two limits by the beta distribution."""
    low = stats.beta.ppf(risk / 2, hits, runs - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - risk / 2, others + 1, runs - others) if others < runs else 1.0
    return low, high


def by_beta(hits, others, runs, risk=0.01, delta=0.0):
    low, high = limits(hits, others, runs, risk)
    opposite = (1 - high - delta) / (1 - low) if low < 1 else 1.0
    return math.log(max((low - delta) / high, opposite, 1.0))


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


def test_the_services(page):
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


def test_the_share_won(page, census):
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
    assert draws - names == {"audit", "sample_marginal"}  # the judge; and what sees only a released marginal


def exact_tables(count, parent, child, total, rho, rng, fit=synthetic._noisy_table):
    return fit(count, parent, child, total, 1e6 * rho, rng)


def exact_shares(counts, rho, rng, fit=synthetic._noisy_shares):
    return fit(counts, 1e6 * rho, rng)[0], fit(counts, rho, rng)[1]


def exact_edges(count, one_way, total, rho, rng, fit=synthetic._spanning_tree):
    exact = {name: count(name) / count(name).sum() for name in one_way}
    return fit(count, exact, count(next(iter(exact))).sum(), 1e6 * rho, rng)


@pytest.mark.parametrize(
    ("part", "broken_part"),
    sample([("_noisy_table", exact_tables), ("_noisy_shares", exact_shares), ("_spanning_tree", exact_edges)], every=2),
)
def test_the_audit_of_the_tree_catches_a_tree_with_one_part_without_noise(page, census, monkeypatch, part, broken_part):
    # The number of rows keeps its noise: what convicts are the edges, or the counts.
    known = {name: dp.CENSUS_DOMAINS[name] for name in ("Sex", "Target")} | {"Over 40": [False, True]}
    pair = page["with_and_without_her"](census.assign(**{"Over 40": census["Age"] > 40}), list(known))
    assert [len(table) for table in pair] == [126, 125]
    monkeypatch.setattr(synthetic, part, broken_part)

    def release(table, rng):
        return page["whole_tree"](table, categories=known, epsilon=2, delta=0.05, rng=rng)

    how = {"trials": 800, "confidence": 0.9999, "delta": 0.05, "rng": np.random.default_rng(1705)}
    assert dp.audit(release, *pair, **how).epsilon_lower_bound > 2


# The thirteen.


def test_ten_are_caught_and_three_are_not():
    (cell,) = [c for c in read(CHAPTER).cells if c.cell_type == "code" and "sealed = " in c.source]
    parts = [part.strip() for part in re.search(r'"""(.*?)"""', cell.source, re.S)[1].replace("\n", " ").split(";")]
    assert "hide-cell" in cell.metadata.tags
    honest = {str(number) for number, part in enumerate(parts, 1) if part.startswith("~")}
    for part in parts:
        (twin,) = [twin for twin in broken.BROKEN_MECHANISMS if part.strip("~") in twin.name]
        assert twin.epsilon == 1
    verdicts = re.findall(r"(\d+): claimed 1, proven ([\d.]+)  (caught|nothing found)", printed("sealed = "))
    assert len(verdicts) == len(parts) == 13 and len(honest) == 3
    for number, bound, verdict in verdicts:
        assert (verdict == "nothing found") == (number in honest) == (float(bound) <= 1)
    text = "\n".join(c.source for c in read(CHAPTER).cells if c.cell_type == "markdown")
    assert len(re.findall(r"^\d+\. \[(\d+)\] ", text, re.M)) == 13  # the chapters that teach them
    reasons = re.findall(r"^(\d+)\. (Broken|Honest)[ .,:]", text, re.M)
    assert {number for number, kind in reasons if kind == "Honest"} == honest and len(reasons) == 13


# What an audit can't prove, and the bug.


def test_another_pair(page):
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
        right = page["log_ratio"](law.sf(t - 9), law.sf(t - 8))
        assert right == pytest.approx(1) if t >= 9 else right < 0.9
    assert page["log_ratio"](law.sf(6 - 9), law.sf(6 - 8)) < 0.06


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


# Labs.


def words(mechanism, data, neighbour, trials, risk, rng):
    half = trials // 2
    said = [[mechanism(table, rng) for _ in range(trials)] for table in (data, neighbour)]
    first, second = ([side[part] for side in said] for part in (slice(half), slice(half, None)))

    def shown(sides, word, likely):
        return by_beta(sides[likely].count(word), sides[1 - likely].count(word), len(sides[0]), risk)

    seen = first
    choices = [(word, likely) for word in sorted(set(seen[0] + seen[1])) for likely in (0, 1)]
    chosen = max(choices, key=lambda choice: shown(seen, *choice))
    return shown(second, *chosen)


def words_with_a_counter(mechanism, data, neighbour, trials, risk, rng):
    """Count with collections.Counter, alternate the tables, and choose by the difference of the shares."""
    half = trials // 2
    first = {0: Counter(), 1: Counter()}
    for _ in range(half):
        for side, table in enumerate([data, neighbour]):
            first[side][mechanism(table, rng)] += 1
    word = max(first[0] | first[1], key=lambda w: abs(first[0][w] - first[1][w]))
    pair = (data, neighbour) if first[0][word] >= first[1][word] else (neighbour, data)
    counts = [0, 0]
    for _ in range(half):
        for side, table in enumerate(pair):
            counts[side] += mechanism(table, rng) == word
    return by_beta(*counts, half, risk)


def with_limits(hits, others, runs, risk, delta):
    low, high = limits(hits, others, runs, risk)
    return math.log(max(1.0, (low - delta) / high, (1 - high - delta) / (1 - low)))


def by_bisection(hits, others, runs, risk, delta):
    low = optimize.brentq(lambda p: stats.binom.sf(hits - 1, runs, p) - risk / 2, 0, 1)
    high = optimize.brentq(lambda p: stats.binom.cdf(others, runs, p) - risk / 2, 0, 1)
    epsilon = 0.0
    for more, less in [(low, high), (1 - high, 1 - low)]:
        if more > delta:
            epsilon = max(epsilon, math.log((more - delta) / less))
    return epsilon


def words_by_children(mechanism, data, neighbour, trials, risk, rng):
    """Use a generator for each half, and pandas."""
    half, (choosing, counting) = trials // 2, rng.spawn(2)
    said = pd.DataFrame([[mechanism(t, choosing) for _ in range(half)] for t in (data, neighbour)]).T
    shares = said.apply(pd.Series.value_counts).fillna(0)
    word = (shares[0] - shares[1]).abs().idxmax()
    pair = sorted([(shares[0][word], 0, data), (shares[1][word], 1, neighbour)], reverse=True)
    return by_beta(*(sum(mechanism(t, counting) == word for _ in range(half)) for *_, t in pair), half, risk)


RIGHT = [
    ("17.1", next(n for n in range(15_000, 17_000) if by_beta(n, 0, n) >= 8)),
    ("17.2", with_limits),
    ("17.2", by_bisection),
    ("17.3", words),
    ("17.3", words_with_a_counter),
    ("17.3", words_by_children),
    ("17.4", ([0], [0, 100])),
    ("17.4", ([100.0, 0.0], [100.0])),
    ("17.4", (range(1), range(0, 101, 100))),
    ("17.4", (pd.Series([0.0]), pd.Series([0.0, 100.0]))),
    ("17.4", ([0, 0], [0, 0, 500])),
    ("17.4", [np.array([0]), np.array([0, 100])]),
]
RATIOS = "max(1.0, (low - delta) / high, (1 - high - delta) / (1 - low))"
COUNTED = "by_beta(sides[likely].count(word), sides[1 - likely].count(word), len(sides[0]), risk)"
WRONG = [
    ("17.2", patched(with_limits, "low, high", "delta = 0\n    low, high"), "the bound for δ = 0"),
    ("17.2", lambda h, o, n, risk, delta: by_beta(h, o, n, risk) - delta, "isn't taken off ε"),
    ("17.2", patched(with_limits, "runs, risk)\n", "runs, 2 * risk)\n"), "half the risk"),
    ("17.2", lambda h, o, n, risk, delta: max(0.0, math.log(max(h / n - delta, 1e-9) * n / o)), "limits on the rates"),
    ("17.2", patched(with_limits, RATIOS, "max(1e-12, (low - delta) / high)"), "never below 0"),
    ("17.2", patched(with_limits, RATIOS, "max(1.0, (low - delta) / high)"), "the opposite event proves more"),
    ("17.2", patched(with_limits, "1 - high - delta", "1 - high"), "has to forgive δ as well"),
    ("17.2", patched(with_limits, "math.log", ""), "take the log"),
    ("17.2", lambda *given: math.nan, "gave nan"),
    ("17.2", lambda *given: 0.3, "gave 0.300: 0.000 is proven"),
    ("17.2", lambda h, o, n, risk, delta: max(with_limits(h, o, n, risk, delta), with_limits(o, h, n, risk, delta)),
     "20 against 500"),
    ("17.2", patched(with_limits, "runs, risk)\n", "runs, risk / 2)\n"), "is proven"),
    ("17.3", patched(words, "seen = first", "seen = said"), "choose the word on the runs that count"),
    ("17.3", lambda *given: max(words(*given), 0.01), "choose the word on the runs that count"),
    ("17.3", lambda m, d, n, trials, risk, rng: words(m, d, n, trials, max(risk, 1e-6), rng), "it proves"),
    ("17.4", ([0] * 200, [0] * 200 + [100]), "20,000 trials prove"),
    ("17.3", lambda *given: words(*given) + (given[3] == 6_000), "your audit claims to prove"),
    ("17.3", lambda *given: math.nan, "not nan"),
    ("17.3", patched(words, "shown(second, *chosen)", "shown(said, *chosen)"), "not on all runs"),
    ("17.3", patched(words, COUNTED, "math.inf if sides[1 - likely].count(word) == 0 else 1.0"), "no infinite ε"),
    ("17.3", patched(words, "(sides[0]), risk)", "(sides[0]), 2 * risk)"), "half the risk"),
    ("17.3", patched(words, "(sides[0]), risk)", "(sides[0]), 0.01)"), "risk that is given"),
    ("17.3", patched(words, "seen = first", "seen = second"), "choose the word on the runs that count"),
    ("17.3", patched(words, "shown(second, *chosen)", "max(shown(second, chosen[0], likely) for likely in (0, 1))"),
     "choose the order of the two tables"),
    ("17.3", patched(words, "(0, 1)]", "(0,)]"), "in both orders"),
    ("17.3", lambda m, d, n, trials, risk, rng: words(m, d, n, trials // 2, risk, rng), "runs on each table"),
    ("17.3", patched(words, "(table, rng)", "(table, np.random.default_rng(1))"), "hand on rng"),
    ("17.3", patched(words, "(table, rng)", "(table, OWN)"), "from nothing else"),
    ("17.3", patched(words, "half = trials // 2", "half, rng = trials // 2, np.random.default_rng(0)"),
     "another generator gave the same runs"),
    ("17.3", patched(words, "shown(second, *chosen)", "max(shown(second, *c) for c in choices if shown(first, *c))"),
     "choose the word on the runs that count"),
    ("17.3", lambda m, d, n, trials, risk, rng: dp.audit(m, d, n, trials=trials, confidence=1 - risk, rng=rng),
     "write it yourself"),
    ("17.3", lambda m, d, n, trials, risk, rng: by_beta(trials // 2, 0, trials // 2, risk), "you ran 0 and 0"),
    ("17.4", 3, "give a pair"),
    ("17.4", ([0], "abc"), "a list of numbers"),
    ("17.4", ([[0]], [0]), "of shape (1,), not (1, 1)"),
    ("17.4", ([], [0]), "the mean of no rows"),
    ("17.4", ([0], [0, math.nan]), "finite"),
    ("17.4", ([0], [100]), "a changed row"),
    ("17.4", ([0, 1], [1, 0]), "0 steps apart"),
    ("17.4", ([0], [0, 1, 2]), "2 steps apart"),
    ("17.4", ([50.0] * 1000, [50.0] * 1001), "20,000 trials prove"),
    ("17.2", patched(with_limits, RATIOS, "max(1.0, (low - delta) / max(high - delta, 1e-12))"), "the larger rate"),
    ("17.2", patched(with_limits, RATIOS, "max(1.0, low / (high + delta))"), "not added to the smaller one"),
    ("17.3", lambda m, d, n, trials, risk, rng: words(m, d, n, 4 * trials, risk, rng), "both halves"),
]  # fmt: skip
