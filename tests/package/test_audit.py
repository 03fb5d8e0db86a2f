import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_numbers import generator
from reference import reference
from scipy import stats
from thorough import sample

import dp_helpers as dp
from dp_helpers.audit import _log_ratios, lower_limit, upper_limit
from dp_helpers.numerics import bisect

# Audits here fail a correct mechanism with this probability; seeds are fixed, so they never flicker.
FAILURE = 1e-6


def run(mechanism, data=1, neighbour=0, *, trials=20_000, seed=1, **options):
    return dp.audit(mechanism, data, neighbour, trials=trials, rng=generator(seed), **options)


def laplace(epsilon):
    return lambda value, rng: value + rng.laplace(scale=1 / epsilon)


def flip(p):
    """Return randomized response on a bit: the truth with probability p."""
    return lambda bit, rng: bit if rng.random() < p else 1 - bit


# ---------------------------------------------------------------- limits of a rate


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("cp"))
def test_clopper_pearson_interval(inputs, value, tolerance):
    x, n, tail = inputs["x"], inputs["n"], inputs["alpha"] / 2
    assert [lower_limit(x, n, tail), upper_limit(x, n, tail)] == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize("runs", [1, 7, 50, 1_000, 30_000, 500_000])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.01, 1e-6])
def test_beyond_the_limits_the_tails_are_lighter(runs, alpha):
    for hits in sorted({0, 1, 2, runs // 100, runs // 3, runs // 2, runs - 1, runs}):
        if hits > runs:
            continue
        lower, upper = lower_limit(hits, runs, alpha / 2), upper_limit(hits, runs, alpha / 2)
        so_many, so_few = stats.binom.sf(hits - 1, runs, lower), stats.binom.cdf(hits, runs, upper)
        # Floats next to 1 are 1e-16 apart, which is a part of an upper limit's distance from 1.
        assert lower == 0 if hits == 0 else so_many == pytest.approx(alpha / 2, rel=1e-9)
        assert upper == 1 if hits == runs else so_few == pytest.approx(alpha / 2, rel=1e-3)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("audit"))
def test_the_audits_bound_is_the_log_ratio_of_its_limits(inputs, value, tolerance):
    lower = lower_limit(inputs["N"] - inputs["fn"], inputs["N"], inputs["alpha"] / 2)
    upper = upper_limit(inputs["fp"], inputs["N"], inputs["alpha"] / 2)
    assert max(_log_ratios(lower, upper, inputs["delta"])) == pytest.approx(value, rel=0, abs=tolerance)


def test_bound_of_rates_below_delta_is_no_bound():
    assert max(_log_ratios(0.3, 0.9, 0.4)) < 0


# ---------------------------------------------------------------- bounds that hold, and come close


@pytest.mark.parametrize(
    ("epsilon", "trials"), [(0.2, 100_000), (0.5, 40_000), (1.0, 20_000), (2.0, 20_000), (5.0, 60_000)]
)
def test_laplace_is_bounded_from_below_within_a_fifth(epsilon, trials):
    found = run(laplace(epsilon), trials=trials).epsilon_lower_bound
    assert 0.8 * epsilon <= found <= epsilon


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_either_order_of_the_neighbours_works(epsilon):
    for data, neighbour in ((0, 1), (1, 0)):
        found = run(laplace(epsilon), data, neighbour, trials=40_000).epsilon_lower_bound
        assert 0.8 * epsilon <= found <= epsilon


@pytest.mark.parametrize("delta", [1e-5, 0.01, 0.2])
def test_gaussian_holds_its_epsilon_only_with_its_delta(delta):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=0.5, delta=delta)

    def gaussian(value, rng):
        return value + rng.normal(scale=sigma)

    found = run(gaussian, delta=delta, trials=40_000)
    assert found.epsilon_lower_bound <= 0.5
    assert found.delta == delta
    if delta == 0.2:  # then the pure guarantee is visibly worse
        assert run(gaussian, trials=40_000).epsilon_lower_bound > 0.7


@pytest.mark.parametrize(("confidence", "trials", "bound"), [(0.95, 2_000, 5.60), (0.95, 20_000, 7.90)])
def test_a_perfect_leak_shows_the_cap(confidence, trials, bound):
    found = run(lambda value, rng: value, trials=trials, confidence=confidence)
    runs = trials // 2
    missed = 1 - ((1 - confidence) / 2) ** (1 / runs)  # exact upper limit of a rate after no hit in these runs
    assert found.epsilon_lower_bound == pytest.approx(math.log((1 - missed) / missed), rel=1e-9)
    assert round(found.epsilon_lower_bound, 2) == bound


def test_bound_exceeds_the_truth_no_more_often_than_stated():
    truth, confidence, audits = math.log(3), 0.8, 200
    rng = generator(5)
    found = [dp.audit(flip(0.75), 1, 0, trials=200, confidence=confidence, rng=rng) for _ in range(audits)]
    above = sum(result.epsilon_lower_bound > truth for result in found)
    assert stats.binomtest(above, audits, 1 - confidence, alternative="greater").pvalue > FAILURE
    assert np.median([result.epsilon_lower_bound for result in found]) > 0.3
    # The check has teeth: the plain ratio of the measured rates would be above the truth far too often.
    plain = sum(np.log(np.divide(*sorted(result.table()["hits"], reverse=True))) > truth for result in found)
    assert stats.binomtest(plain, audits, 1 - confidence, alternative="greater").pvalue < FAILURE


# ---------------------------------------------------------------- outputs of every kind


def value_counts(people, rng):
    counts = pd.Series(list(people)).value_counts()
    return counts + rng.laplace(size=counts.size)


def fixed_order(people, rng):
    return pd.Series([people.count(answer) for answer in "ABC"] + rng.laplace(size=3), index=["A", "B", "C"])


def same_noise_twice(value, rng):
    noise = rng.laplace(scale=20)
    return {"one": value + noise, "two": 2 * value + noise}


def fresh_noise_twice(value, rng):
    return {"one": value + rng.laplace(scale=2), "two": value + rng.laplace(scale=2)}


def one_hot(size, p, q):
    return lambda answer, rng: (rng.random(size) < np.where(np.arange(size) == answer, p, q)).astype(np.uint8)


def geometric(epsilon):
    a = math.exp(-epsilon)
    return lambda value, rng: value + int(rng.geometric(1 - a)) - int(rng.geometric(1 - a))


# Mechanism, data, neighbour, its true epsilon, share of it that the audit must reach.
SOUND = {
    "integers": (geometric(1.0), 1, 0, 1.0, 0.75),
    "numpy numbers": (lambda value, rng: np.float32(value + rng.laplace()), 1, 0, 1.0, 0.75),
    "booleans": (lambda bit, rng: bool(flip(0.75)(bit, rng)), 1, 0, math.log(3), 0.75),
    "strings": (lambda bit, rng: "AB"[flip(0.75)(bit, rng)], 1, 0, math.log(3), 0.75),
    "number or None": (lambda bit, rng: rng.normal() if flip(0.75)(bit, rng) else None, 1, 0, math.log(3), 0.75),
    "number or nan": (lambda bit, rng: rng.normal() if flip(0.75)(bit, rng) else math.nan, 1, 0, math.log(3), 0.75),
    "infinity": (lambda bit, rng: math.inf if flip(0.75)(bit, rng) else -math.inf, 1, 0, math.log(3), 0.75),
    "parity": (lambda bit, rng: 2 * int(rng.integers(5)) + flip(0.75)(bit, rng), 1, 0, math.log(3), 0.75),
    "decimals": (lambda bit, rng: Decimal(flip(0.75)(bit, rng)) / 3, 1, 0, math.log(3), 0.75),
    "fractions": (lambda bit, rng: Fraction(flip(0.75)(bit, rng), 3), 1, 0, math.log(3), 0.75),
    "sets": (lambda bit, rng: {flip(0.75)(bit, rng), 2}, 1, 0, math.log(3), 0.75),
    "bits": (one_hot(10, 0.75, 0.25), 0, 1, 2 * math.log(3), 0.75),
    "lists": (lambda value, rng: (value + rng.laplace(scale=3, size=3)).tolist(), 1, 0, 1.0, 0.25),
    "masked array": (lambda bit, rng: pd.array([flip(0.75)(bit, rng), None], dtype="Int64"), 1, 0, math.log(3), 0.6),
    "dict": (fresh_noise_twice, 1, 0, 1.0, 0.35),
    "series": (fixed_order, "AABBBC", "AABBC", 1.0, 0.55),
    "table": (lambda value, rng: pd.DataFrame({"x": [value + rng.laplace()]}), 1, 0, 1.0, 0.45),
}


@pytest.mark.parametrize("kind", SOUND)
def test_sound_mechanism_passes_and_its_epsilon_is_nearly_found(kind):
    mechanism, data, neighbour, epsilon, share = SOUND[kind]
    trials = 1_500 if kind in ("masked array", "series", "table") else 4_000  # pandas takes its time
    found = run(mechanism, data, neighbour, trials=trials)
    assert share * epsilon <= found.epsilon_lower_bound <= epsilon


def one_cell(value, rng):
    return pd.DataFrame({"x": rng.normal(size=2), "y": [0, value]}, index=["a", "b"])


# Mechanism, data, neighbour, the epsilon that it claims, trials, and what the event must name.
BROKEN = {
    "half the noise": (laplace(2.0), 1, 0, 1.0, 2_000, "output "),
    "constant but for one world": (lambda value, rng: value + rng.laplace() * value, 1, 0, 1.0, 2_000, "output"),
    "wider noise in one world": (lambda value, rng: rng.laplace(scale=1 + 4 * value), 1, 0, 1.0, 2_000, "output"),
    "None in one world": (lambda v, rng: None if v and rng.random() < 0.1 else rng.normal(), 1, 0, 1.0, 2_000, ""),
    "rare symbol": (lambda value, rng: "BUG" if value and rng.random() < 0.05 else "ok", 1, 0, 1.0, 2_000, "output "),
    "order of the labels": (value_counts, "AABBBC", "AABBC", 1.0, 400, "labels of output == ('B', 'A', 'C')"),
    "label that vanishes": (value_counts, "AAABBC", "AAABB", 1.0, 400, "labels of output == ('A', 'B', 'C')"),
    "noise used twice": (same_noise_twice, 1, 0, 0.1, 2_000, "output['two'], output['one']"),
    "epsilon for each bit": (one_hot(10, 0.75, 0.25), 0, 1, math.log(3), 2_000, "weighted sum of output["),
    "epsilon for each entry": (lambda value, rng: value + rng.laplace(size=8), 1, 0, 1.0, 2_000, "weighted sum"),
    "length": (lambda value, rng: [0.0] * (3 + value), 1, 0, 1.0, 2_000, "output"),
    "nested": (lambda value, rng: [(int(rng.integers(3)), value)], 1, 0, 1.0, 2_000, "output[0][1]"),
    "one cell of a table": (one_cell, 1, 0, 1.0, 400, "output['b', 'y']"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_mechanism_is_caught(kind):
    mechanism, data, neighbour, claim, trials, named = BROKEN[kind]
    found = run(mechanism, data, neighbour, trials=trials)
    assert found.epsilon_lower_bound > claim
    assert named in found.event


@pytest.mark.parametrize(
    ("mechanism", "event"),
    [
        (lambda value, rng: value, "output >= 1"),
        (lambda value, rng: "NB"[value], "output == 'B'"),
        (lambda value, rng: None if value else 0.5, "output == None"),
        (lambda value, rng: bool(value), "output == True"),
        (lambda value, rng: pd.Series([0, value], index=["a", "b"]), "output['b'] >= 1"),
    ],
)
def test_event_reads_well(mechanism, event):
    assert run(mechanism, trials=200).event == event


def test_an_interval_with_two_ends_reads_well():
    # Half of the outputs of one world lie between 4 and 6; either tail alone tells less.
    found = run(
        lambda value, rng: rng.uniform(4, 6) if value and rng.random() < 0.5 else rng.uniform(0, 10), trials=4_000
    )
    low, high = re.fullmatch(r"([\d.]+) <= output <= ([\d.]+)", found.event).groups()
    assert (float(low), float(high)) == pytest.approx((4, 6), abs=0.5)
    assert math.log(2) < found.epsilon_lower_bound <= math.log(3)


@pytest.mark.parametrize("output", [3, 3.5, "same", None, math.nan, [], [1, 2], {}, pd.Series([1.0, 2.0]), np.zeros(3)])
def test_constant_output_gives_zero(output):
    assert run(lambda value, rng: output, trials=200).epsilon_lower_bound == 0.0


@pytest.mark.parametrize("kind", ["numbers", "symbols", "many entries"])
def test_noise_alone_gives_nearly_nothing(kind):
    draw = {
        "numbers": lambda value, rng: rng.normal(),
        "symbols": lambda value, rng: str(rng.integers(100)),
        "many entries": lambda value, rng: rng.normal(size=30),
    }[kind]
    assert run(draw, trials=4_000, confidence=1 - FAILURE).epsilon_lower_bound == 0.0


# ---------------------------------------------------------------- the game's rules


def test_table_holds_the_counts_behind_the_bound():
    for data, neighbour, confidence, delta in [(1, 0, 0.99, 0.0), (0, 1, 0.9, 0.05)]:
        found = run(laplace(1.0), data, neighbour, trials=1_001, confidence=confidence, delta=delta)
        table = found.table()
        assert table.columns.tolist() == ["event", "world", "hits", "trials", "lower", "upper"]
        assert table["world"].tolist() == ["data", "neighbour"]
        assert set(table["event"]) == {found.event}
        assert set(table["trials"]) == {501}
        high, low = table["lower"].idxmax(), table["upper"].idxmin()
        assert math.log((table["lower"][high] - delta) / table["upper"][low]) == pytest.approx(
            found.epsilon_lower_bound
        )
        for row in table.itertuples():
            exact = stats.binomtest(row.hits, row.trials).proportion_ci(confidence, method="exact")
            assert (row.lower, row.upper) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_event_and_hits_describe_the_same_thing():
    outputs = []

    def mechanism(value, rng):
        outputs.append(value + rng.laplace())
        return outputs[-1]

    found = run(mechanism, trials=2_000)
    sign, threshold = found.event.removeprefix("output ").split()
    compare = {">=": np.greater_equal, "<": np.less, "<=": np.less_equal, ">": np.greater}[sign]
    measured = np.array(outputs[2_000:]).reshape(2, 1_000)  # the choosing runs come first, data before neighbour
    # The threshold is printed with six digits, so one output may fall between.
    assert compare(measured, float(threshold)).sum(axis=1) == pytest.approx(found.table()["hits"].to_numpy(), abs=1)


def test_event_is_chosen_without_the_measuring_runs():
    calls = []

    def turncoat(value, rng):
        """Leak while the event is chosen, and never again."""
        calls.append(value)
        return value if len(calls) <= 1_000 else 0

    assert run(turncoat, trials=1_000).epsilon_lower_bound == 0.0
    assert calls == [1] * 500 + [0] * 500 + [1] * 500 + [0] * 500


def test_any_type_of_data_and_fresh_entropy():
    table = pd.DataFrame({"age": [30, 40, 50]})
    found = dp.audit(lambda data, rng: len(data) + rng.normal(), table, table.iloc[1:], trials=200)
    assert 0 <= found.epsilon_lower_bound < 5


def test_mechanism_errors_reach_the_caller():
    def refuse(value, rng):
        raise RuntimeError("no budget left")

    with pytest.raises(RuntimeError, match="no budget left"):
        run(refuse)


@pytest.mark.parametrize("output", [object(), np.random.default_rng(0), lambda: 0, bytearray(b"x"), [object()]])
def test_output_that_cannot_be_compared_is_refused(output):
    if callable(output):
        output = type("Result", (), {})()
    with pytest.raises(TypeError, match="mechanism must return"):
        run(lambda value, rng: output, trials=100)


# ---------------------------------------------------------------- one run


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("onerun"))
def test_reference_of_the_audit_in_one_run(inputs, value, tolerance):
    found = dp.one_run_epsilon(right=inputs["v"], guesses=inputs["r"], confidence=1 - inputs["beta"])
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("right", "guesses"), [(9, 10), (60, 100), (990, 1000), (1000, 1000)])
def test_the_bound_of_one_run_is_where_the_binomial_tail_is_the_risk(right, guesses):
    epsilon = dp.one_run_epsilon(right=right, guesses=guesses, confidence=0.95)
    rate = 1 / (1 + math.exp(-epsilon))
    assert stats.binom.sf(right - 1, guesses, rate) == pytest.approx(0.05, rel=1e-9)


def one_run_with_delta(right, guesses, canaries, delta, risk):
    """Return the bound for (epsilon, delta), by how far the count may be moved (the source, appendix D)."""

    def refuted(epsilon):
        law = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
        moved = max((law.cdf(right - 1) - law.cdf(right - i - 1)) / i for i in range(1, right + 1))
        return law.sf(right - 1) + 2 * canaries * delta * moved <= risk

    return bisect(refuted, 0.0, 50.0)[0]


def test_a_delta_costs_one_run_at_most_twice_its_canaries_in_confidence():
    assert one_run_with_delta(75, 100, 1_000, 1e-4, 0.05) == pytest.approx(0.673, abs=5e-4)  # printed in the source
    cases = [(200, 200, 1_000, 1e-6), (157, 200, 1_000, 1e-6), (75, 100, 100, 1e-4)]
    for right, guesses, canaries, delta in sample(cases, 3):
        simple = dp.one_run_epsilon(right=right, guesses=guesses, confidence=0.95 + 2 * canaries * delta)
        sharp = one_run_with_delta(right, guesses, canaries, delta, 0.05)
        assert sharp - 0.05 < simple <= sharp


def test_one_run_catches_a_leak_and_not_an_honest_mechanism():
    """Of an honest one with epsilon 1 the bound exceeds 1 with probability 1e-6; the seed is fixed."""
    rng = np.random.default_rng(6)
    inside = rng.random(2000) < 0.5
    reports = rng.random(2000) < np.where(inside, 1, math.exp(-1)) * math.e / (1 + math.e)
    assert dp.one_run_epsilon(right=(reports == inside).sum().item(), guesses=2000, confidence=1 - 1e-6) <= 1
    assert dp.one_run_epsilon(right=2000, guesses=2000) > 5


@pytest.mark.parametrize(("right", "guesses", "confidence"), [(5, 5, 1e-17), (1, 1, 5e-324), (10**6, 10**6, 1e-12)])
def test_one_run_with_next_to_no_confidence_is_a_number(right, guesses, confidence):
    """If all guesses are right, the rate is (1 - confidence)^(1 / guesses), so the wrong ones' is as small."""
    expected = math.log(guesses) - math.log(max(confidence, 1e-300))
    found = dp.one_run_epsilon(right=right, guesses=guesses, confidence=confidence)
    assert found == pytest.approx(expected, rel=1e-6)


# ---------------------------------------------------------------- a bound that is printed


@given(bound=st.floats(-1e6, 1e6), digits=st.integers(0, 6))
def test_a_bound_is_never_rounded_up(bound, digits):
    down = dp.round_down(bound, digits)
    assert down <= bound < down + 10.0**-digits * (1 + 1e-6)
    assert float(f"{down:.{digits}f}") == down  # what is printed with so many digits is what was returned


@given(parts=st.integers(-(10**6), 10**6), digits=st.integers(0, 6))
def test_a_bound_of_few_digits_stays(parts, digits):
    assert dp.round_down(float(f"{parts}e-{digits}"), digits) == float(f"{parts}e-{digits}")


@pytest.mark.parametrize("package", ["dp_helpers", "dp_labs"])
def test_no_bound_is_rounded_to_the_nearest_where_the_package_prints_it(package):
    for path in (Path(__file__).parents[2] / package).rglob("*.py"):
        nearest = r"\bround\((\w+\.)*(epsilon_lower_bound|one_run_epsilon)|epsilon_lower_bound:\.\d"
        assert not re.search(nearest, path.read_text(encoding="utf-8")), path
