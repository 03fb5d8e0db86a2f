"""What every local protocol promises; what is special about one stands in tests/package/test_local_<module>.py."""

import io
import itertools
import json
import math
import pickle
import tracemalloc

import local_protocols as lp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_numbers import ERRORS, P_VALUE, generator
from scipy import stats
from thorough import sample

import dp_helpers as dp
from dp_helpers.local import protocol as protocol_module

every_protocol = pytest.mark.parametrize("name", lp.PROTOCOLS)
every_one_with_supports = pytest.mark.parametrize("name", lp.WITH_SUPPORTS)

DOMAIN_PROTOCOLS = {
    "direct": lambda domain, epsilon: dp.DirectEncoding(domain, epsilon=epsilon),
    "sue": dp.UnaryEncoding.symmetric,
    "oue": dp.UnaryEncoding.optimized,
    "she": lambda domain, epsilon: dp.HistogramEncoding(domain, epsilon=epsilon),
    "the": lambda domain, epsilon: dp.ThresholdHistogramEncoding(domain, epsilon=epsilon),
    "olh": lambda domain, epsilon: dp.LocalHashing(domain, epsilon=epsilon),
}
every_constructor = pytest.mark.parametrize("construct", DOMAIN_PROTOCOLS.values(), ids=DOMAIN_PROTOCOLS)


# ---------------------------------------------------------------- the distribution


@every_one_with_supports
def test_whole_reports_have_the_protocols_law(name):
    """Each report as a whole, from each answer: its supports must also be independent where the law says so."""
    protocol, n = lp.PROTOCOLS[name], 100_000
    for position, answer in enumerate(protocol.domain):
        seen = lp.supports(protocol, lp.perturbed(protocol, np.full(n, answer), seed=position))
        law = lp.support_law(protocol, position)
        assert sum(law.values()) == pytest.approx(1)
        expected = n * np.array(list(law.values()))
        assert stats.chisquare(*lp.merged(lp.observed(seen, law), expected)).pvalue > P_VALUE


@every_protocol
def test_reports_of_different_people_are_independent(name):
    protocol, n = lp.PROTOCOLS[name], 50_000
    reports = lp.perturbed(protocol, protocol.domain[:1].repeat(n), seed=3).reshape(n, -1).astype(float)
    for lag in (1, 2, 7, 8, 64):
        for column in reports.T:
            assert abs(np.corrcoef(column[lag:], column[:-lag])[0, 1]) * math.sqrt(n) < ERRORS


def estimates_by(route, protocol, counts, rounds, rng):
    values = protocol.domain.repeat(counts)
    one = {
        "aggregate": lambda: protocol.aggregate(protocol.perturb(protocol.encode(values), rng)),
        "estimate": lambda: protocol.estimate(values, rng),
        "simulate": lambda: protocol.simulate(counts, sum(counts), rng),
    }[route.split()[0]]
    return np.array([one() for _ in range(rounds)])


ROUTES = ["aggregate", "estimate", "estimate in small blocks", "simulate"]


@pytest.mark.parametrize(("name", "route"), sample([*itertools.product(lp.WITH_SUPPORTS, ROUTES)], 3))
def test_every_route_to_an_estimate_has_the_same_law(name, route, monkeypatch):
    """The tally behind an estimate, all its numbers together, is the sum of independent people's supports."""
    protocol, counts, rounds = lp.PROTOCOLS[name], [1, 2, 1], 800
    counts = counts[: protocol.domain.size]
    n = sum(counts)
    if route == "estimate in small blocks":
        monkeypatch.setattr(protocol_module, "BLOCK_BYTES", 1)  # one person a block
    estimates = estimates_by(route, protocol, counts, rounds, generator(11))
    tallies = estimates * (protocol.p - protocol.q) + n * protocol.q
    if isinstance(protocol, dp.RandomizedResponse):
        tallies[:, 0] = n - tallies[:, 1]  # p and q are those of "yes"
    assert tallies == pytest.approx(tallies.round(), abs=1e-9)
    law = lp.tally_law(protocol, counts)
    expected = rounds * np.array(list(law.values()))
    assert stats.chisquare(*lp.merged(lp.observed(tallies.round(), law), expected)).pvalue > P_VALUE


@every_protocol
@pytest.mark.parametrize("route", ["estimate", "simulate"])
def test_estimates_are_unbiased_with_the_stated_variance(name, route):
    protocol, n, rounds = lp.PROTOCOLS[name], 1_000, 600
    _, counts = lp.people(protocol, n)
    estimates = estimates_by(route, protocol, counts, rounds, generator(12))
    # For a yes/no question the variance is the same for both answers, and stated for the count of "yes".
    held = np.full(2, counts[True]) if isinstance(protocol, dp.RandomizedResponse) else counts.to_numpy()
    variance = protocol.variance(n, held)
    assert np.all(np.abs(estimates.mean(axis=0) - counts) < ERRORS * np.sqrt(variance / rounds))
    # The estimate is nearly normal, so (rounds - 1) s^2 / variance is nearly chi-square.
    ratio = (rounds - 1) * estimates.var(axis=0, ddof=1) / variance
    chances = stats.chi2(rounds - 1).cdf(ratio)
    assert np.all((chances > P_VALUE / 2) & (chances < 1 - P_VALUE / 2))
    # Together the estimates are as uncertain as the law of a report says.
    totals = estimates.sum(axis=1)
    if isinstance(protocol, (dp.RandomizedResponse, dp.DirectEncoding)):  # one answer each
        assert totals == pytest.approx(n)
    else:  # independent answers
        chance = stats.chi2(rounds - 1).cdf((rounds - 1) * totals.var(ddof=1) / variance.sum())
        assert P_VALUE / 2 < chance < 1 - P_VALUE / 2


@every_protocol
def test_simulate_draws_a_large_population_at_once(name):
    protocol = lp.PROTOCOLS[name]
    counts = [10**9, 2 * 10**9, 0][: protocol.domain.size]
    n = sum(counts)
    estimate = protocol.simulate(counts, n, rng=generator(2))
    assert (estimate.name, estimate.index.name) == ("estimate", protocol.domain.name)
    errors = (estimate - counts) / np.sqrt(protocol.variance(n, counts))
    assert np.abs(errors).max() < ERRORS


# ---------------------------------------------------------------- privacy


@every_one_with_supports
def test_epsilon_is_the_worst_log_ratio_of_a_report(name):
    protocol = lp.PROTOCOLS[name]
    worst = lp.worst_log_ratio([lp.support_law(protocol, position) for position in range(protocol.domain.size)])
    if isinstance(protocol, dp.ThresholdHistogramEncoding):
        assert worst < 0.9 * protocol.epsilon
    else:
        assert worst == pytest.approx(protocol.epsilon, rel=1e-9)


@given(epsilon=st.floats(0.01, 8), d=st.integers(2, 5))
def test_every_epsilon_is_kept(epsilon, d):
    for name, construct in DOMAIN_PROTOCOLS.items():
        if name != "she":
            protocol = construct(range(d), epsilon)
            worst = lp.worst_log_ratio([lp.support_law(protocol, 0), lp.support_law(protocol, d - 1)])
            assert worst <= epsilon * (1 + 1e-9)
            assert worst >= epsilon * (0.4 if name == "the" else 1 - 1e-9)


def what_the_curator_learns(protocol):
    """Return the mechanism that a person runs; of a seed and a hash value, the answers that they support."""
    report = lp.one_report(protocol)
    if not isinstance(protocol, dp.LocalHashing):
        return report
    return lambda answer, rng: protocol.tally(report(answer, rng)[np.newaxis]).to_numpy()


@pytest.mark.parametrize("name", sample([*lp.PROTOCOLS], 6))  # their exact laws are tested daily, of all
def test_audit_finds_no_more_than_epsilon(name):
    protocol = lp.PROTOCOLS[name]
    mechanism = what_the_curator_learns(protocol)
    found = dp.audit(mechanism, protocol.domain[-1], protocol.domain[0], trials=3_000, rng=generator(8))
    spent = protocol.epsilon
    if isinstance(protocol, dp.ThresholdHistogramEncoding):  # the bits spend less than the noise
        spent = dp.unary_epsilon(protocol.p, protocol.q)
    assert 0.5 * spent <= found.epsilon_lower_bound <= spent <= protocol.epsilon


# ---------------------------------------------------------------- types, batches, memory


@pytest.mark.parametrize("name", ["direct", "oue", "she", "the", "olh"])
def test_estimate_holds_no_matrix_of_reports(name):
    values = np.resize(np.arange(91), 400_000)
    protocol = DOMAIN_PROTOCOLS[name](range(91), 2.0)
    protocol.estimate(values[:1_000], rng=generator())
    tracemalloc.start()
    estimate = protocol.estimate(values, rng=generator())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(values) + 4e6  # a position for each person and one block; a bit for each cell takes 36 MB
    assert np.abs(estimate - 400_000 / 91).max() < 6 * protocol.variance(400_000, 4_396) ** 0.5


@every_protocol
def test_batches_add_up(name):
    protocol = lp.PROTOCOLS[name]
    values, _ = lp.people(protocol, 90)
    reports = lp.perturbed(protocol, values, seed=4)
    batches = protocol.tally(reports[:40]) + protocol.tally(reports[40:])
    assert batches.dtype == (np.float64 if name == "she" else np.int64)
    pd.testing.assert_series_equal(protocol.estimate_from(batches, 90), protocol.aggregate(reports))
    assert (batches.name, protocol.estimate_from(batches, 90).name) == ("reports", "estimate")
    pd.testing.assert_series_equal(protocol.estimate_from(batches.to_numpy(), 90), protocol.aggregate(reports))


@every_protocol
def test_tally_in_blocks_is_the_tally(name, monkeypatch):
    protocol = lp.PROTOCOLS[name]
    reports = lp.perturbed(protocol, lp.people(protocol, 90)[0], seed=4)
    whole = protocol.tally(reports)
    monkeypatch.setattr(protocol_module, "BLOCK_BYTES", 100)
    pd.testing.assert_series_equal(protocol.tally(reports), whole)


@every_protocol
def test_nobody_is_an_empty_batch(name):
    protocol = lp.PROTOCOLS[name]
    nobody = [0.0] * protocol.domain.size
    reports = protocol.perturb(protocol.encode(protocol.domain[:0]))
    assert protocol.tally(reports).tolist() == nobody
    assert protocol.aggregate(reports).tolist() == nobody
    assert protocol.estimate([]).tolist() == nobody
    assert protocol.simulate([0] * protocol.domain.size, 0).tolist() == nobody
    assert protocol.variance(0, 0) == 0.0


@every_constructor
def test_answers_may_come_in_any_form(construct):
    protocol = construct(lp.COLOURS, 1.0)
    answers = ["red", "blue", "red", "green"]
    first = protocol.estimate(answers, rng=generator(5))
    for same in (
        np.array(answers),
        np.array(answers, dtype=object),
        pd.Series(answers, index=[7, 7, 8, 9]),
        pd.Series(answers, dtype="category"),
        pd.Index(answers),
    ):
        pd.testing.assert_series_equal(protocol.estimate(same, rng=generator(5)), first)


@every_protocol
@pytest.mark.parametrize("form", ["csv", "csv with index", "json", "json by column", "pickle"])
def test_reports_survive_files(name, form):
    protocol = lp.PROTOCOLS[name]
    reports = lp.perturbed(protocol, lp.people(protocol, 60)[0])
    table, file = pd.DataFrame(reports), io.StringIO()
    if form.startswith("csv"):
        table.to_csv(file, index=form != "csv")
        file.seek(0)
        table = pd.read_csv(file, index_col=None if form == "csv" else 0)
    read = {
        "json": json.loads(json.dumps(reports.tolist())),
        "json by column": pd.read_json(io.StringIO(pd.DataFrame(reports).to_json(double_precision=15))),
        "pickle": pickle.loads(pickle.dumps(reports)),
    }.get(form, table)
    if reports.ndim == 1 and isinstance(read, pd.DataFrame):
        read = read.iloc[:, 0]
    assert np.allclose(protocol.tally(read), protocol.tally(reports), rtol=1e-12, atol=1e-9)
    assert np.allclose(protocol.aggregate(read), protocol.aggregate(reports), rtol=1e-12, atol=1e-9)


@every_constructor
@pytest.mark.parametrize(
    "kind",
    [np.float16, np.float32, np.longdouble, np.int8, np.uint64, "Int64", "Float64", "category", object, "string"],
)
def test_domain_and_answers_may_be_of_any_type(construct, kind):
    """Answers of a type, of another that holds the same, and in a categorical that knows more answers."""
    answers = [1, 3, 1, 2]
    made = pd.array(list(map(str, answers)), dtype=kind) if kind == "string" else pd.Series(answers).astype(kind).array
    if kind in (np.float16, np.longdouble):
        made = np.array(answers, dtype=kind)  # which pandas doesn't hold
    domain, plain = made[[3, 0, 1]], list(made)
    first = construct(domain, 1.0).estimate(made, rng=generator(5))
    if isinstance(made, np.ndarray):
        assert construct(plain[1:], 1.0).domain.dtype == first.index.dtype == np.float64
        plain = made.astype(float).tolist()
    knows_more = pd.Categorical(plain, categories=[plain[1], plain[0], plain[3], 99])
    for same in (plain, pd.Series(plain, dtype=object), knows_more):
        assert construct(list(domain), 1.0).estimate(same, rng=generator(5)).tolist() == first.tolist()
        assert construct(domain, 1.0).estimate(same, rng=generator(5)).tolist() == first.tolist()


@every_constructor
def test_domain_may_mix_types_and_hold_a_symbol_for_missing_answers(construct):
    protocol = construct([1, "one", "no answer"], 1.0)
    assert protocol.estimate(["one", 1, "no answer"]).index.tolist() == [1, "one", "no answer"]


@every_constructor
@given(
    answers=st.lists(st.integers(0, 3), max_size=30),
    labels=st.lists(st.text(max_size=3), min_size=4, max_size=4, unique=True),
)
@settings(max_examples=10)
def test_names_of_the_answers_do_not_matter(construct, answers, labels):
    numbered, named = construct(range(4), 1.5), construct(labels, 1.5)
    renamed = [labels[answer] for answer in answers]
    first, second = numbered.estimate(answers, generator(6)), named.estimate(renamed, generator(6))
    assert first.tolist() == second.tolist()
    assert second.index.tolist() == labels
    counts = np.bincount(answers, minlength=4)
    shuffled = pd.Series(counts, index=labels)[labels[::-1]]  # counts are matched by name
    assert (
        numbered.simulate(counts, len(answers), generator(7)).tolist()
        == named.simulate(shuffled, len(answers), generator(7)).tolist()
    )


@every_protocol
@given(order=st.permutations(range(12)))
@settings(max_examples=10)
def test_order_of_the_reports_does_not_matter(name, order):
    protocol = lp.PROTOCOLS[name]
    reports = lp.perturbed(protocol, lp.people(protocol, 12)[0], seed=3)
    assert protocol.tally(reports[order]).tolist() == pytest.approx(protocol.tally(reports).tolist(), rel=1e-12)


@every_protocol
def test_variance_keeps_the_type_of_the_counts(name):
    protocol = lp.PROTOCOLS[name]
    counts = pd.Series([10, 0], index=["x", "y"])
    assert isinstance(protocol.variance(10, 3), float)
    assert protocol.variance(10, counts).index.tolist() == ["x", "y"]
    assert protocol.variance(10, [[10], [0]]).shape == (2, 1)
    assert protocol.variance(10, counts).tolist() == [protocol.variance(10, 10), protocol.variance(10, 0)]


@every_protocol
def test_a_protocol_says_what_it_is(name):
    assert repr(lp.PROTOCOLS[name]).startswith(type(lp.PROTOCOLS[name]).__name__ + "(")


# ---------------------------------------------------------------- edges


@every_constructor
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 36.0])
@pytest.mark.parametrize("d", [1, 2, 91])
@pytest.mark.parametrize("n", [0, 1, 200])
def test_edges_of_every_parameter(construct, epsilon, d, n):
    protocol = construct(range(d), epsilon)
    values = np.arange(n) % d
    counts = np.bincount(values, minlength=d)
    # Little noise, or much: within what Chebyshev's inequality allows at 1e-6, for all d together.
    margin = 1e3 * np.sqrt(d * protocol.variance(n, counts)) + 1e-6 * n
    for estimate in (protocol.estimate(values, generator(1)), protocol.simulate(counts, n, generator(1))):
        assert (estimate.name, estimate.dtype) == ("estimate", np.float64)
        assert estimate.index.tolist() == list(range(d))
        assert np.all(np.abs(estimate - counts) <= margin)


@pytest.mark.parametrize(
    ("construct", "largest", "named"),
    [
        (dp.RandomizedResponse.from_epsilon, 36, "epsilon"),
        (lambda epsilon: dp.DirectEncoding(lp.COLOURS, epsilon=epsilon), 36, "epsilon"),
        (lambda epsilon: dp.UnaryEncoding.symmetric(lp.COLOURS, epsilon), 72, "epsilon"),
        (lambda epsilon: dp.UnaryEncoding.optimized(lp.COLOURS, epsilon), 36, "epsilon"),
        (lambda epsilon: dp.LocalHashing(lp.COLOURS, epsilon=epsilon), 36, "epsilon"),
        (lambda epsilon: dp.ThresholdHistogramEncoding(lp.COLOURS, epsilon=epsilon), 1_400, "theta"),
        (lambda epsilon: dp.ThresholdHistogramEncoding(lp.COLOURS, epsilon=epsilon, theta=0.5), 140, "theta"),
        (lambda epsilon: dp.duchi_mean([1.0], lower=0, upper=1, epsilon=epsilon), 36, "epsilon"),
        (lambda epsilon: dp.piecewise_mean([1.0], lower=0, upper=1, epsilon=epsilon), 72, "epsilon"),
    ],
)
def test_an_epsilon_at_which_nobody_would_lie_is_refused(construct, largest, named):
    construct(largest)
    for epsilon in (1.1 * largest, 1e9, 1e308):
        with pytest.raises(ValueError, match=rf"^{named} must leave .*{epsilon:g}" if epsilon < 1e3 else named):
            construct(epsilon)


# ---------------------------------------------------------------- bad input

RR = dp.RandomizedResponse.two_coins()
UE = dp.UnaryEncoding(lp.COLOURS, p=0.75, q=0.25)
GRR = lp.PROTOCOLS["direct"]
SHE = lp.PROTOCOLS["she"]
THE = lp.PROTOCOLS["the"]
OLH = lp.PROTOCOLS["olh"]
DEAF = dp.UnaryEncoding(lp.COLOURS, p=0.5, q=0.5)
COIN = dp.RandomizedResponse(truth=0)
FAR = dp.ThresholdHistogramEncoding(lp.COLOURS, epsilon=1.0, theta=1e5)  # no noise ever gets there

COUNTS = [
    ([1, 2, 3], 7, ValueError, "counts must sum to n = 7, got 6"),
    ([1, 2, 3.5], 6, ValueError, "counts must be whole numbers"),
    ([1, 6, -1], 6, ValueError, "counts must be whole numbers, 0 or above"),
    ([1, 2], 3, ValueError, "counts must have one number for each of 3 answers, got 2"),
    (pd.Series([1, 2], index=["red"] * 2), 3, ValueError, "counts must not have .* twice"),
    (pd.Series({"pink": 1}), 1, ValueError, "counts must hold answers.*'pink'"),
    (pd.Series({"red": math.nan}), 1, ValueError, "counts must hold finite numbers only, got nan"),
    (["a", "b", "c"], 1, TypeError, "counts must hold numbers only"),
    ([1, 0, 0], 1.0, TypeError, "n must be a whole number, got 1.0"),
]
WITH_DOMAIN = {"direct": GRR, "unary": UE, "she": SHE, "the": THE, "olh": OLH}
every_one_with_domain = pytest.mark.parametrize("protocol", WITH_DOMAIN.values(), ids=WITH_DOMAIN)


def refuses(call, error, message):
    """Assert that the call raises, and before it draws anything."""
    rng = generator()
    state = rng.bit_generator.state
    with pytest.raises(error, match=message):
        call(rng)
    assert rng.bit_generator.state == state


@every_one_with_domain
@pytest.mark.parametrize(("counts", "n", "error", "message"), COUNTS)
def test_simulate_refuses_bad_counts(protocol, counts, n, error, message):
    refuses(lambda rng: protocol.simulate(counts, n, rng), error, message)


BAD = [
    # encoded answers and reports
    (lambda rng: SHE.perturb([[0, 1, 1]], rng), ValueError, "encoded must have exactly one 1 in each row, got 2 in"),
    (lambda rng: UE.perturb([[0, 1, 0], [0, 0, 0]], rng), ValueError, "encoded must have exactly one 1.*0 in row 1"),
    (lambda rng: THE.perturb([[0, 1]], rng), ValueError, r"encoded must have 3 columns.*\(1, 2\)"),
    (lambda rng: UE.aggregate([[0, 1]]), ValueError, "reports must have 3 columns"),
    (lambda rng: OLH.perturb([0, 3], rng), ValueError, "encoded, positions .*, must be between 0 and 2, got 3"),
    (lambda rng: OLH.tally([[1, 2, 3]]), ValueError, "reports must have 2 columns, seeds and values"),
    (lambda rng: OLH.tally([[1, OLH.g]]), ValueError, f"values of reports must be between 0 and {OLH.g - 1}"),
    (lambda rng: OLH.tally([[-1, 0]]), ValueError, "reports must be between 0 and 18446744073709551615, got -1"),
    (lambda rng: OLH.tally([[1.0, 0.0]]), TypeError, "reports must hold whole numbers only, got"),
    # tallies
    (lambda rng: UE.estimate_from([1, 2, 9], 8), ValueError, "tally must be between 0 and 8, got 9"),
    (lambda rng: RR.estimate_from([1, 2], 4), ValueError, "tally must sum to n = 4, got 3"),
    (lambda rng: GRR.estimate_from([1, 2, 0], 4), ValueError, "tally must sum to n = 4, got 3"),
    # nothing to estimate from
    (lambda rng: DEAF.estimate(["red"], rng), ValueError, "p and q must differ, got 0.5 for both"),
    (lambda rng: DEAF.aggregate([[0, 0, 1]]), ValueError, "p and q must differ"),
    (lambda rng: DEAF.simulate([1, 0, 0], 1, rng), ValueError, "p and q must differ"),
    (lambda rng: FAR.estimate(["red"], rng), ValueError, "p and q must differ, got 0 for both"),
    (lambda rng: COIN.estimate([True], rng), ValueError, "p and q must differ"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input_is_named_before_any_draw(call, error, message):
    refuses(call, error, message)


def test_a_protocol_without_information_still_reports():
    assert DEAF.perturb(DEAF.encode(["red"]), rng=generator()).shape == (1, 3)
    assert DEAF.variance(10, 3) == math.inf
    assert COIN.variance(10, [3, 4]).tolist() == [math.inf, math.inf]
