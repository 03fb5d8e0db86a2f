"""What chapter 17 says, derived again; its audit against the package and exact coverage; its labs."""

import inspect
import math
import re
from collections import Counter

import numpy as np
import pytest
from chapters.chance import proven as proven_at_least
from chapters.chance import streams
from chapters.chapter_notebook import read
from scipy import optimize, stats

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


@pytest.mark.parametrize(("r", "other"), [(0.5, 0.5 / math.e), (0.2, 0.05), (0.97, 0.9), (0.3, 0.3)])
def test_the_bound_fails_no_more_often_than_its_risk(page, r, other):
    # Exactly, over all counts.
    runs, risk = 24, 0.1
    truth = max(math.log(r / other), math.log((1 - other) / (1 - r)))
    k = np.arange(runs + 1)
    chances = np.outer(stats.binom.pmf(k, runs, r), stats.binom.pmf(k, runs, other))
    found = np.array([[page["proven"](h, o, runs, risk) for o in k] for h in k])
    assert chances[found > truth + 1e-12].sum() <= risk


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_the_theorem_with_delta(page, delta):
    # The worst (epsilon, delta) pair of rates: r = e^epsilon r' + delta.
    runs, risk, epsilon, other = 24, 0.1, 0.7, 0.2
    r = math.exp(epsilon) * other + delta
    k = np.arange(runs + 1)
    chances = np.outer(stats.binom.pmf(k, runs, r), stats.binom.pmf(k, runs, other))
    found = np.array([[page["with_delta"](h, o, runs, risk, delta) for o in k] for h in k])
    opposite = math.log((1 - other - delta) / (1 - r))
    assert chances[found > max(epsilon, opposite) + 1e-12].sum() <= risk
    assert (found > epsilon).any()


def test_numbers_of_the_predict_quiz_and_of_the_cap(page):
    low = page["lower_limit"](10, 10, 0.025)
    assert low**10 == pytest.approx(0.025) and low == pytest.approx(0.69, abs=5e-3)
    assert page["proven"](10, 0, 10, risk=0.05) == pytest.approx(math.log(69 / 31), abs=0.02)
    assert page["proven"](10, 0, 10, risk=0.05) == pytest.approx(0.8, abs=0.02)
    for runs, cap in [(1000, 5.81), (10_000, 8.11)]:
        assert page["proven"](runs, 0, runs, 0.1) == pytest.approx(cap, abs=5e-3)
    for runs in [100, 1000, 30_000]:
        for risk in [0.1, 0.01, 0.001]:
            about = math.log(runs) - math.log(math.log(2 / risk))
            assert by_beta(runs, 0, runs, risk) == pytest.approx(about, abs=0.06)
    assert by_beta(10_000, 0, 10_000) - by_beta(1000, 0, 1000) == pytest.approx(2.3, abs=0.02)
    assert by_beta(10_000, 0, 10_000, 0.1) - by_beta(10_000, 0, 10_000, 1e-3) == pytest.approx(0.9, abs=0.05)


def test_caps_are_what_clean_counts_prove_at_most(page):
    # No counts of so many runs prove more than the cap, also by the opposite event.
    every = [page["proven"](h, o, 12, 0.05) for h in range(13) for o in range(13)]
    assert max(every) == pytest.approx(page["proven"](12, 0, 12, 0.05))


# The page's audit and the package's.


def response(chance):
    return lambda truth, rng: bool(rng.random() < (chance if truth else 1 - chance))


@pytest.mark.parametrize("chance", [0.6, 0.7, 0.95, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_pages_audit_is_the_packages(page, chance, seed):
    # Two symbols leave one event to choose, and both draw in the same order.
    ours, _ = page["audit"](response(chance), True, False, 2000, np.random.default_rng(seed))
    package = dp.audit(response(chance), True, False, trials=2000, rng=np.random.default_rng(seed))
    assert ours == pytest.approx(package.epsilon_lower_bound, abs=1e-9)


def test_the_packages_counts_prove_on_the_page_what_the_package_says(page):
    for scale in [0.4, 1.0, 3.0]:
        found = dp.audit(
            lambda x, rng, scale=scale: x + rng.laplace(scale=scale), 1, 0, trials=4000, rng=np.random.default_rng(3)
        )
        hits, others = sorted(found.table()["hits"], reverse=True)
        assert page["proven"](hits, others, 2000) == pytest.approx(found.epsilon_lower_bound, abs=1e-9)


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
    assert laws[0].std() == pytest.approx(laws[1].std())
    # Won by guessing "with" above the middle: A least, C more than epsilon = 1 allows, B less.
    won = [law.sf(-0.5) for law in laws]
    cap = math.e / (1 + math.e)
    assert won[0] + 0.05 < won[1] < cap - 0.03 < cap + 0.03 < won[2]
    # Of the page's 10,000 rounds, with any seed.
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


def test_the_figure_of_thresholds():
    # The log ratio of "at least t": B reaches 1 and stays, C 1/0.6, A has no bound before its noise ends.
    def ratio(law, t):
        return law.logsf(t - 9) - law.logsf(t - 8)

    uniform, b, c = stats.uniform(-math.sqrt(6), 2 * math.sqrt(6)), stats.laplace(), stats.laplace(scale=0.6)
    for t in [9, 10, 12]:
        assert ratio(b, t) == pytest.approx(1) and ratio(c, t) == pytest.approx(1 / 0.6)
    assert ratio(uniform, 8) < ratio(b, 8) < ratio(c, 8)
    # Where 40 of 20,000 are still seen without the person, A's line is above 4.
    last = 8 + uniform.isf(40 / 20_000)
    assert ratio(uniform, last) > 4
    assert uniform.sf(last - 8 + 0.1) == 0


def test_all_three_verdicts_hold_for_other_seeds(page):
    # C: r = 1/2 against e^(-1/0.6)/2 is seen above the claim with any seed, A by what lies beyond its end; B is
    # above with a probability of 1% at most.
    assert proven_at_least(1 / 2, math.exp(-1 / 0.6) / 2, 20_000) > 1.3
    assert proven_at_least(1 / (2 * math.sqrt(6)), 0, 20_000) > 5
    for seed in [11, 12, 13]:
        rng = np.random.default_rng(seed)
        for name, convicted in [("a", True), ("b", False), ("c", True)]:
            service = page[f"service_{name}"]
            assert (page["audit"](service, WITH, WITHOUT, 20_000, rng)[0] > 1) == convicted
            found = dp.audit(service, WITH, WITHOUT, trials=20_000, rng=rng)
            assert (found.epsilon_lower_bound > 1) == convicted


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
    # 24 dots at 90%: fewer than 3 expected.
    assert 24 * 0.1 < 3
    # Beyond the cap hardly an error: 8 and 11 look the same in 1,000 runs.
    assert 1000 / (1 + math.exp(8)) < 0.5


# Every mechanism of the book.


def test_nobody_honest_is_accused_and_nobody_is_missing():
    lines = printed("subjects:").splitlines()
    assert lines[-1] == "37 tried, 0 accused (*: δ = 0.05)"
    rows = [re.fullmatch(r"(\S+) +([\d.]+)[* ] +([\d.]+)", line).groups() for line in lines[1:-1]]
    assert len(rows) == 37
    assert all(float(found) <= float(claim) for *_, claim, found in rows)
    names = [name for name, *_ in rows]
    assert names.count("report_noisy_max") == 3 and names.count("UnaryEncoding") == names.count("MarginalTree.fit") == 2
    draws = set()
    for name in dp.__all__:
        thing = getattr(dp, name)
        if inspect.isclass(thing):
            draws |= {name} if hasattr(thing, "perturb") else {f"{name}.fit"} if hasattr(thing, "fit") else set()
        elif inspect.isfunction(thing) and "rng" in inspect.signature(thing).parameters:
            draws.add(name)
    assert draws - set(names) == {"audit", "sample_marginal"}  # the judge; and what sees only a released marginal
    assert 0.29 < 1 - 0.99**37 < 1 / 3
    assert 1 - 37 * 1e-4 > 0.996


def test_some_rows_prove_most_of_the_claim_and_some_nothing():
    rows = [line.replace("*", " ").split() for line in printed("subjects:").splitlines()[1:-1]]
    shares = [float(found) / float(claim) for *_, claim, found in rows]
    assert max(shares) > 0.7
    assert min(shares) < 0.1


def exact_tables(count, parent, child, total, rho, rng, fit=synthetic._noisy_table):
    return fit(count, parent, child, total, 1e6 * rho, rng)


def exact_shares(counts, rho, rng, fit=synthetic._noisy_shares):
    return fit(counts, 1e6 * rho, rng)[0], fit(counts, rho, rng)[1]


def exact_edges(count, one_way, total, rho, rng, fit=synthetic._spanning_tree):
    exact = {name: count(name) / count(name).sum() for name in one_way}
    return fit(count, exact, count(next(iter(exact))).sum(), 1e6 * rho, rng)


@pytest.mark.parametrize(
    ("part", "broken_part"),
    [("_noisy_table", exact_tables), ("_noisy_shares", exact_shares), ("_spanning_tree", exact_edges)],
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

SEALED = {
    1: "counts in the order of the data",
    2: "exponential mechanism without its 2",
    3: "sum with upper - lower",
    4: "sparse vector, no noise in the answers",
    5: "noise from the local sensitivity",
    6: "noise from the local sensitivity",
    7: "histogram for replace-one",
    8: "noisy max with half the noise",
    9: "sample-and-aggregate in slices",
    10: "sample-and-aggregate in slices",
    11: "sparse vector, passes without limit",
    12: "direct encoding that skips one",
    13: "propose-test-release, low threshold",
}
HONEST = {2, 6, 10}


def test_ten_are_caught_and_three_are_not():
    (cell,) = [c for c in read(CHAPTER).cells if c.cell_type == "code" and "sealed = " in c.source]
    parts = [part.strip() for part in re.search(r'"""(.*?)"""', cell.source, re.S)[1].replace("\n", " ").split(";")]
    assert "hide-cell" in cell.metadata.tags
    for number, part in enumerate(parts, 1):
        (twin,) = [twin for twin in broken.BROKEN_MECHANISMS if part.strip("~") in twin.name]
        assert twin.name == SEALED[number] and twin.epsilon == 1
        assert part.startswith("~") == (number in HONEST)
    verdicts = re.findall(r"(\d+): claimed 1, proven ([\d.]+)  (caught|nothing found)", printed("sealed = "))
    assert len(verdicts) == 13
    for number, bound, verdict in verdicts:
        assert (verdict == "nothing found") == (int(number) in HONEST) == (float(bound) <= 1)
    text = "\n".join(c.source for c in read(CHAPTER).cells if c.cell_type == "markdown")
    assert len(re.findall(r"^\d+\. \[(\d+)\] ", text, re.M)) == 13  # the chapters that teach them
    reasons = re.findall(r"^(\d+)\. (Broken|Honest)[ .,:]", text, re.M)
    assert {int(n) for n, kind in reasons if kind == "Honest"} == HONEST and len(reasons) == 13


def test_what_the_broken_ones_really_cost():
    assert max(abs(20), abs(80)) / (80 - 20) == pytest.approx(4 / 3)
    # A test that must fail has distance 0, and passes if Laplace noise of scale 2 is above the threshold.
    delta = 1e-3
    wrong, right = math.log(2 / delta) / (2 * 0.5), math.log(1 / (2 * delta)) / 0.5
    assert stats.laplace(scale=2).sf(wrong) == pytest.approx(math.sqrt(delta / 8))
    assert stats.laplace(scale=2).sf(right) == pytest.approx(delta)
    assert math.sqrt(delta / 8) / delta == pytest.approx(11, abs=0.5)
    # Noisy max with half the noise: the loss of two candidates comes near 2, and the right noise stays below 1.
    for scale, least, most in [(1, 1.5, 2), (2, 0.6, 1)]:

        def first_wins(gap, scale=scale):
            z = gap / scale  # the difference of two Laplace draws
            return (1 + z / 2) * math.exp(-z) / 2

        assert least < math.log(first_wins(2) / first_wins(4)) < most


def test_slices_and_chunks_of_the_descriptions():
    # Eight slices of two: a row taken from the front turns every statistic from 0 to 1.
    (twin,) = [twin for twin in broken.BROKEN_MECHANISMS if "in slices" in twin.name]
    rows, fewer = twin.data, twin.neighbour
    spreads = [[np.ptp(t[i : i + 2]) for i in range(0, 16, 2)] for t in (rows, fewer)]
    assert abs(np.mean(spreads[0]) - np.mean(spreads[1])) == 1
    assert rows[1:] == fewer


# What an audit can't prove, and the bug.


def test_another_pair(page):
    lines = printed("def careless_sum").splitlines()
    bounds = [float(line.split()[-1]) for line in lines]
    assert len(bounds) == 2 and bounds[0] <= 1 < bounds[1]
    # A row of 90 moves the sum by 90 of a noise scale of 100; a row of -1000 by ten scales.
    noise = [page["careless_sum"]([10.0, more], np.random.default_rng(7)) for more in (90.0, -1000.0, 0.0)]
    assert noise[0] - noise[2] == pytest.approx(90) and noise[2] - noise[1] == pytest.approx(1000)
    assert 90 / 100 < 1 < 1000 / 100
    assert proven_at_least(stats.laplace.sf(-5), stats.laplace.sf(5), 4000) > 3  # with any seed


def test_what_the_first_figure_counts(page):
    # Log of the ratio of "at least t" under Laplace noise of scale 1, around 9 and around 8.
    law = stats.laplace()
    for t in [6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5]:
        right = page["log_ratio"](law.sf(t - 9), law.sf(t - 8))
        assert right == pytest.approx(1) if t >= 9 else right < 0.9
    assert page["log_ratio"](law.sf(6 - 9), law.sf(6 - 8)) < 0.06
    # Of 100 runs about four are at least 10.5 without her: two or seven are no surprise, and the log moves by ln(7/2).
    few = stats.binom(100, law.sf(2.5))
    assert few.cdf(2) + few.sf(6) > 0.3 and math.log(7 / 2) > 1


def test_a_rare_event_needs_26_hits():
    for runs in [10**6, 26 * 10**6]:
        assert by_beta(25, 0, runs) < 1 < by_beta(26, 0, runs)


def test_the_quick_audit_accuses_the_honest(page):
    rng, b = np.random.default_rng(1704), page["service_b"]
    his = np.array([page["quick_audit"](b, WITH, WITHOUT, 1000, rng) for _ in range(60)])
    ours = np.array([page["audit"](b, WITH, WITHOUT, 1000, rng)[0] for _ in range(20)])
    assert np.mean(his > 1) > 0.8
    # The page's mean of twenty is above 1 with any seed; his ratios have the same law at 10,000 runs as at 1,000.
    many = np.array([page["quick_audit"](b, WITH, WITHOUT, 1000, rng) for rng in streams(17)])
    assert many.mean() - 4.9 * many.std() / math.sqrt(20) > 1
    # One of 20 above has probability 0.2 at the very most; five have 1.3e-6 (and far less, as the bound is cautious).
    assert np.sum(ours > 1) < 5
    again = np.array([page["quick_audit"](b, WITH, WITHOUT, 10_000, rng) for _ in range(10)])
    assert np.median(again) > 1
    # Six against one may have the same rate: the chance of such a split among seven is no surprise.
    assert stats.binom.sf(5, 7, 0.5) + stats.binom.cdf(1, 7, 0.5) > 0.1


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


def test_the_ledger_refuses_an_audit_of_a_real_table():
    ledger = dp.PrivacyLedger(epsilon=10)
    ledger.spend(8.0, label="eight answers")
    with pytest.raises(dp.BudgetExceeded):
        ledger.spend(20_000.0, label="an audit")


# Labs.


def test_lab_numbers(page):
    right = next(n for n in range(15_000, 17_000) if by_beta(n, 0, n) >= 8)
    assert right == math.ceil(math.log(200) / math.log1p(math.exp(-8)))
    assert right == pytest.approx(math.exp(8) * math.log(200), rel=1e-3)
    assert math.exp(8) == pytest.approx(3000, rel=0.02)
    # The counts of lab 17.2 come from honest noise: some threshold has both rates.
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=0.05)
    cut = optimize.brentq(lambda t: stats.norm.sf(t / sigma) - 0.0062, 0, 9)
    assert stats.norm.sf((cut - 1) / sigma) == pytest.approx(0.04, abs=3e-4)
    assert page["proven"](4000, 620, 100_000) == pytest.approx(1.7, abs=0.05)
    assert by_beta(4000, 620, 100_000, 0.01, 0.05) == 0


def test_a_thousand_ages_hide_the_mean_of_lab_4():
    ages = np.random.default_rng(6).integers(17, 91, 1000).astype(float)
    found = dp.audit(
        lambda values, rng: values.mean() + rng.laplace(scale=100 / len(values)),
        ages,
        ages[1:],
        trials=4000,
        rng=np.random.default_rng(7),
    )
    assert found.epsilon_lower_bound < 1


def proven(hits, others, runs, risk=0.01):
    return by_beta(hits, others, runs, risk)


def words(mechanism, data, neighbour, trials, risk, rng, *, same_runs=False, limits=True, swap=True, **slips):
    """Audit words as lab 17.3 wants it, or with one mistake.

    ``shown_risk`` replaces the risk; ``late`` is what is decided on the runs that count: "word" or "order".
    """
    shown_risk, late = slips.get("shown_risk"), slips.get("late")
    half, tables = trials // 2, [data, neighbour]
    first = [[mechanism(t, rng) for _ in range(half)] for t in tables]
    second = [[mechanism(t, rng) for _ in range(half)] for t in tables]

    def shown(hits, others, runs):
        if not limits:
            return math.log(hits / others) if others else math.inf
        return proven(hits, others, runs, shown_risk or risk)

    def choose(sides, only=None):
        best = None
        for word in sorted(set(sides[0] + sides[1])) if only is None else [only]:
            hits = [side.count(word) for side in sides]
            order = [1, 0] if swap and hits[0] < hits[1] else [0, 1]
            found = shown(*(hits[i] for i in order), half)
            if best is None or found > best[0]:
                best = found, word, order
        return best[1:]

    word, order = choose(second if late == "word" else first)
    if late == "order":
        _, order = choose(second, only=word)
    counted = [a + b for a, b in zip(first, second, strict=True)] if same_runs else second
    return shown(*(counted[i].count(word) for i in order), len(counted[0]))


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
    return proven(*counts, half, risk)


def words_in_arrays(mechanism, data, neighbour, trials, risk, rng):
    said = np.array([[mechanism(table, rng) for _ in range(trials)] for table in (data, neighbour)])
    first, second = np.split(said, 2, axis=1)
    found = []
    for word in np.unique(first):
        hits = (first == word).sum(axis=1)
        found += [(proven(hits[i], hits[1 - i], trials // 2, risk), word, i) for i in (0, 1)]
    _, word, likely = max(found)
    hits = (second == word).sum(axis=1)
    return np.float64(proven(hits[likely], hits[1 - likely], trials // 2, risk))


def at_delta(hits, others, runs, risk, delta):
    return by_beta(hits, others, runs, risk, delta)


def by_bisection(hits, others, runs, risk, delta):
    low = optimize.brentq(lambda p: stats.binom.sf(hits - 1, runs, p) - risk / 2, 0, 1)
    high = optimize.brentq(lambda p: stats.binom.cdf(others, runs, p) - risk / 2, 0, 1)
    epsilon = 0.0
    for more, less in [(low, high), (1 - high, 1 - low)]:
        if more > delta:
            epsilon = max(epsilon, math.log((more - delta) / less))
    return epsilon


def in_arrays(hits, others, runs, risk, delta):
    low, high = np.array(limits(hits, others, runs, risk))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nanmax([np.log((low - delta) / high), np.log((1 - high - delta) / (1 - low)), 0.0])


def no_floor(hits, others, runs, risk, delta):
    low, high = limits(hits, others, runs, risk)
    top = max(low - delta, 1e-12)
    return math.log(top / high)


def one_sided(hits, others, runs, risk, delta):
    low, high = limits(hits, others, runs, risk)
    return max(math.log(max(low - delta, 1e-12) / high), 0.0)


def half_delta(hits, others, runs, risk, delta):
    low, high = limits(hits, others, runs, risk)
    return math.log(max(1.0, (low - delta) / high, (1 - high) / (1 - low)))


def ratio(hits, others, runs, risk, delta):
    return math.exp(by_beta(hits, others, runs, risk, delta))


ENOUGH = math.ceil(math.log(200) / math.log1p(math.exp(-8)))
PER_LOG = math.log1p(math.exp(-8))
RIGHT = [
    ("17.1", ENOUGH),
    ("17.1", float(ENOUGH)),
    ("17.1", 15_800),
    ("17.2", at_delta),
    ("17.2", by_bisection),
    ("17.2", in_arrays),
    ("17.3", words),
    ("17.3", words_with_a_counter),
    ("17.3", words_in_arrays),
    ("17.4", ([0], [0, 100])),
    ("17.4", ([100.0, 0.0], [100.0])),
    ("17.4", ([0, 0], [0, 0, 500])),
    ("17.4", [np.array([0]), np.array([0, 100])]),
]
WRONG = [
    ("17.3", lambda *given: words(*given) + (given[3] == 6_000), "your audit claims to prove"),
    ("17.3", lambda *given: math.nan, "returned nan"),
    ("17.1", math.log(100) / PER_LOG, "each gets half of it"),
    ("17.1", math.log(40) / PER_LOG, "a risk of 5%"),
    ("17.1", 2 * ENOUGH, "on one of the two tables"),
    ("17.1", 4 * ENOUGH, "without those that choose"),
    ("17.1", math.exp(8), "may still have a probability"),
    ("17.1", 109, "proves the vendor's 3"),
    ("17.1", 16_000, "three digits"),
    ("17.1", 1000, "with as few runs as possible"),
    ("17.1", 0, "with as few runs as possible"),
    ("17.1", "many", "give a number"),
    ("17.2", 3.0, "give the function itself"),
    ("17.2", lambda *given: None, "end it with return"),
    ("17.2", lambda hits, others, runs, risk, delta: by_beta(hits, others, runs, risk), "the bound for δ = 0"),
    ("17.2", lambda h, o, n, risk, delta: by_beta(h, o, n, risk) - delta, "isn't taken off ε"),
    ("17.2", lambda h, o, n, risk, delta: by_beta(h, o, n, 2 * risk, delta), "half the risk"),
    (
        "17.2",
        lambda h, o, n, risk, delta: max(0.0, math.log(max(h / n - delta, 1e-9) * n / o)),
        "put limits on the rates",
    ),
    ("17.2", no_floor, "never below 0"),
    ("17.2", one_sided, "the opposite event proves more"),
    ("17.2", half_delta, "has to forgive δ as well"),
    ("17.2", ratio, "take the log"),
    ("17.2", lambda *given: math.nan, "gave nan"),
    ("17.2", lambda *given: 0.3, "yours is 0.300"),
    ("17.3", lambda *given: None, "end it with return"),
    ("17.3", lambda *given: words(*given, same_runs=True), "not on all runs"),
    ("17.3", lambda *given: words(*given, limits=False), "no infinite ε"),
    ("17.3", lambda *given: words(*given, shown_risk=2e-9), "half the risk"),
    ("17.3", lambda *given: words(*given, shown_risk=0.01), "risk that is given"),
    ("17.3", lambda *given: words(*given, late="word"), "choose the word on the runs that count"),
    ("17.3", lambda *given: words(*given, late="order"), "choose the order of the two tables"),
    ("17.3", lambda *given: words(*given, swap=False), "in both orders"),
    ("17.3", lambda m, d, n, trials, risk, rng: words(m, d, n, trials // 2, risk, rng), "not on both together"),
    (
        "17.3",
        lambda m, d, n, trials, risk, rng: words(
            lambda table, rng: m(table, np.random.default_rng(1)), d, n, trials, risk, rng
        ),
        "hand on rng",
    ),
    ("17.3", lambda *given: words(*given[:-1], OWN), "from nothing else"),
    ("17.3", lambda *given: 1.0, "it proves"),
    ("17.3", lambda m, d, n, trials, risk, rng: proven(trials // 2, 0, trials // 2, risk), "you ran 0 and 0"),
    ("17.4", 3, "give a pair"),
    ("17.4", ([0], "abc"), "a list of numbers"),
    ("17.4", ([[0]], [0]), "a list of numbers, such as"),
    ("17.4", ([], [0]), "the mean of no rows"),
    ("17.4", ([0], [0, math.nan]), "finite"),
    ("17.4", ([0], [100]), "a changed row"),
    ("17.4", ([0, 1], [1, 0]), "the same table"),
    ("17.4", ([0], [0, 1, 2]), "2 steps apart"),
    ("17.4", ([50.0] * 1000, [50.0] * 1001), "20,000 trials prove"),
]
