import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reference
from scipy import stats

import dp_helpers as dp
from dp_helpers import local

# A goodness-of-fit test fails a correct protocol with this probability (seeds are fixed, so it never flickers).
P_VALUE = 1e-6
# A mean of independent draws is further from its expectation than this many standard errors with probability 4e-8.
ERRORS = 5.5

COLOURS = ["blue", "green", "red"]
PROTOCOLS = {
    "two coins": dp.RandomizedResponse.two_coins(),
    "unfair coin": dp.RandomizedResponse(truth=0.3, yes=0.2),
    "warner": dp.RandomizedResponse.from_epsilon(2.0),
    "unary": dp.UnaryEncoding(COLOURS, p=0.7, q=0.2),
    "sue": dp.UnaryEncoding.symmetric(COLOURS, 1.0),
    "oue": dp.UnaryEncoding.optimized(COLOURS, 4.0),
}
every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


def generator(seed=0):
    return np.random.default_rng(seed)


def people(protocol, n):
    """Return n answers, some of them commoner than others, and how many hold each."""
    answers = protocol.domain.repeat(range(1, protocol.domain.size + 1))
    values = np.resize(answers.to_numpy(), n)
    return values, pd.Series(values).value_counts().reindex(protocol.domain)


def supports(protocol):
    """Return for each answer the chances that a report supports it when it is true and when it is not."""
    if isinstance(protocol, dp.RandomizedResponse):  # "no" is supported whenever "yes" is not
        return [(1 - protocol.q, 1 - protocol.p), (protocol.p, protocol.q)]
    return [(protocol.p, protocol.q)] * protocol.domain.size


# ---------------------------------------------------------------- epsilon, p and q


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.p"))
def test_warner_truth_probability(inputs, value, tolerance):
    protocol = dp.RandomizedResponse.from_epsilon(inputs["eps"])
    assert protocol.p == pytest.approx(value, rel=0, abs=tolerance)
    assert protocol.q == pytest.approx(1 - value, rel=0, abs=tolerance)
    assert protocol.epsilon == pytest.approx(inputs["eps"], rel=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.var"))
def test_warner_variance_is_the_same_for_every_count(inputs, value, tolerance):
    protocol = dp.RandomizedResponse.from_epsilon(inputs["eps"])
    for count in (0, 300, 1_000):
        assert protocol.variance(1_000, count) / 1_000 == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.twocoin"))
def test_two_coins_epsilon(inputs, value, tolerance):
    protocol = dp.RandomizedResponse(truth=inputs["p_truth"], yes=inputs["p_yes"])
    assert protocol.epsilon == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("rr.noise"))
def test_noise_coin(inputs, value, tolerance):
    n, share = inputs["n"], inputs["p"]
    protocol = dp.RandomizedResponse.biased_coin({0.405: 0.8, 1.099: 0.5}[round(value[0], 3)])
    assert protocol.epsilon == pytest.approx(value[0], rel=0, abs=tolerance)
    # The reference also counts the chance in who is asked.
    deviation = math.sqrt(protocol.variance(n, n * share) / n**2 + share * (1 - share) / n)
    assert deviation == pytest.approx(value[1], rel=0, abs=tolerance)


@pytest.mark.parametrize("make", ["sue", "oue"])
def test_unary_probabilities_and_variance(make):
    construct = {"sue": dp.UnaryEncoding.symmetric, "oue": dp.UnaryEncoding.optimized}[make]
    for parameter in reference(make):
        inputs, value, tolerance = parameter.values
        protocol = construct(COLOURS, inputs["eps"])
        found = [protocol.p, protocol.q, protocol.variance(1, 0)]
        assert found == pytest.approx(value, rel=0, abs=tolerance)
        assert protocol.epsilon == pytest.approx(inputs["eps"], rel=1e-12)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("ue.eps"))
def test_unary_epsilon(inputs, value, tolerance):
    assert dp.unary_epsilon(inputs["p"], inputs["q"]) == pytest.approx(value[0], rel=0, abs=tolerance)


@given(truth=st.floats(0, 0.999), yes=st.floats(0.001, 0.999))
def test_two_coins_epsilon_is_the_worst_log_ratio_of_a_report(truth, yes):
    protocol = dp.RandomizedResponse(truth=truth, yes=yes)
    worst = max(math.log(protocol.p / protocol.q), math.log((1 - protocol.q) / (1 - protocol.p)))
    assert protocol.epsilon == pytest.approx(worst, rel=1e-9, abs=1e-9)


@given(p=st.floats(0.001, 0.999), share=st.floats(0.001, 1), d=st.integers(2, 5))
def test_unary_epsilon_is_the_worst_log_ratio_of_a_row(p, share, d):
    protocol = dp.UnaryEncoding(range(d), p=p, q=p * share)
    rows = np.array(np.meshgrid(*[[0, 1]] * d)).reshape(d, -1).T

    def log_chance(answer):
        ones = np.where(np.arange(d) == answer, protocol.p, protocol.q)
        return np.where(rows, np.log(ones), np.log1p(-ones)).sum(axis=1)

    worst = np.abs(log_chance(0) - log_chance(d - 1)).max()
    assert protocol.epsilon == pytest.approx(worst, rel=1e-9, abs=1e-9)


def test_extremes_of_privacy():
    assert dp.RandomizedResponse(truth=0).epsilon == 0
    assert dp.RandomizedResponse.biased_coin(1).epsilon == 0
    assert dp.UnaryEncoding(COLOURS, p=0.3, q=0.3).epsilon == 0
    assert dp.RandomizedResponse(truth=1).epsilon == math.inf
    assert dp.RandomizedResponse.biased_coin(0).epsilon == math.inf
    assert dp.RandomizedResponse(truth=0.5, yes=1).epsilon == math.inf
    assert dp.unary_epsilon(1, 0.5) == dp.unary_epsilon(0.5, 0) == math.inf
    assert dp.RandomizedResponse.from_epsilon(1e-9).epsilon == pytest.approx(1e-9, rel=1e-12)
    assert dp.UnaryEncoding.optimized(COLOURS, 700).q > 0


# ---------------------------------------------------------------- the distribution of reports


@pytest.mark.parametrize("chance", [0.0, 0.001, 1 / 512, 0.3, 0.5, 128.5 / 256, 0.75, 0.9999, 1.0])
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_coins_have_exactly_their_chance(chance, bits):
    coins = local._coins(chance, (1_000, 999), np.random.Generator(bits(1)))
    assert coins.shape == (1_000, 999)
    assert coins.dtype == bool
    assert stats.binomtest(int(coins.sum()), coins.size, chance).pvalue > P_VALUE


@every_protocol
def test_whole_reports_have_the_protocols_law(name):
    """Each report as a whole: its bits must also be independent of each other."""
    protocol, n = PROTOCOLS[name], 100_000
    for position, answer in enumerate(protocol.domain):
        reports = protocol.perturb(protocol.encode(np.full(n, answer)), rng=generator(position)).reshape(n, -1)
        size = reports.shape[1]
        patterns = np.bincount(reports @ (1 << np.arange(size)), minlength=2**size)
        if size == 1:
            ones = np.array([protocol.p if answer else protocol.q])
        else:
            ones = np.where(np.arange(size) == position, protocol.p, protocol.q)
        rows = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
        expected = n * np.where(rows, ones, 1 - ones).prod(axis=1)
        assert stats.chisquare(patterns, expected).pvalue > P_VALUE


def test_reports_of_different_people_are_independent():
    protocol, n = PROTOCOLS["unary"], 100_000
    reports = protocol.perturb(protocol.encode(["red"] * n), rng=generator(3)).astype(float)
    for lag in (1, 2, 7, 8, 64):
        for column in range(3):
            correlation = np.corrcoef(reports[lag:, column], reports[:-lag, column])[0, 1]
            assert abs(correlation) * math.sqrt(n) < ERRORS


@every_protocol
@pytest.mark.parametrize("route", ["aggregate", "estimate", "estimate in small blocks", "simulate"])
def test_every_route_to_an_estimate_has_the_same_law(name, route, monkeypatch):
    """The number of reports behind an estimate is a sum of two binomials, whichever way it was made."""
    protocol, n, rng = PROTOCOLS[name], 12, generator(11)
    values, counts = people(protocol, n)
    if route == "estimate in small blocks":
        monkeypatch.setattr(local, "_BLOCK_CELLS", 5 * protocol.domain.size)

    def one():
        if route == "aggregate":
            return protocol.aggregate(protocol.perturb(protocol.encode(values), rng=rng))
        if route == "simulate":
            return protocol.simulate(counts, n, rng=rng)
        return protocol.estimate(values, rng=rng)

    estimates = np.array([one() for _ in range(600)])
    for column, (p, q) in enumerate(supports(protocol)):
        reports = estimates[:, column] * (p - q) + n * q
        assert reports == pytest.approx(reports.round(), abs=1e-9)
        held = counts.iloc[column]
        law = np.convolve(stats.binom.pmf(range(held + 1), held, p), stats.binom.pmf(range(n - held + 1), n - held, q))
        seen = np.bincount(reports.round().astype(int), minlength=n + 1)
        likely = law * len(reports) >= 5
        seen, expected = np.append(seen[likely], seen[~likely].sum()), np.append(law[likely], law[~likely].sum())
        assert stats.chisquare(seen, expected / expected.sum() * seen.sum()).pvalue > P_VALUE


@every_protocol
@pytest.mark.parametrize("route", ["estimate", "simulate"])
def test_estimates_are_unbiased_with_the_stated_variance(name, route):
    protocol, n, rounds, rng = PROTOCOLS[name], 1_000, 600, generator(12)
    values, counts = people(protocol, n)
    draw = {"estimate": lambda: protocol.estimate(values, rng), "simulate": lambda: protocol.simulate(counts, n, rng)}
    estimates = np.array([draw[route]() for _ in range(rounds)])
    # For a yes/no question the variance is the same for both answers, and stated for the count of "yes".
    held = np.full(2, counts[True]) if isinstance(protocol, dp.RandomizedResponse) else counts.to_numpy()
    variance = protocol.variance(n, held)
    assert np.all(np.abs(estimates.mean(axis=0) - counts) < ERRORS * np.sqrt(variance / rounds))
    # The estimate is nearly normal, so (rounds - 1) s^2 / variance is nearly chi-square.
    ratio = (rounds - 1) * estimates.var(axis=0, ddof=1) / variance
    chances = stats.chi2(rounds - 1).cdf(ratio)
    assert np.all((chances > P_VALUE / 2) & (chances < 1 - P_VALUE / 2))


def test_simulate_draws_a_large_population_at_once():
    protocol = PROTOCOLS["sue"]
    counts = [10**9, 2 * 10**9, 0]
    estimate = protocol.simulate(counts, 3 * 10**9, rng=generator(2))
    errors = (estimate - counts) / np.sqrt(protocol.variance(3 * 10**9, counts))
    assert np.abs(errors).max() < ERRORS


# ---------------------------------------------------------------- types, batches, memory


def test_estimate_holds_no_matrix_of_reports():
    values = np.resize(np.arange(91), 200_000)
    protocol = dp.UnaryEncoding.optimized(range(91), 2.0)
    protocol.estimate(values[:1_000], rng=generator())
    tracemalloc.start()
    estimate = protocol.estimate(values, rng=generator())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6e6  # the reports alone would take 18 MB, one byte a bit
    assert np.abs(estimate - 200_000 / 91).max() < 6 * protocol.variance(200_000, 2_198) ** 0.5


@every_protocol
def test_batches_add_up(name):
    protocol = PROTOCOLS[name]
    values, _ = people(protocol, 90)
    reports = protocol.perturb(protocol.encode(values), rng=generator(4))
    batches = protocol.tally(reports[:40]) + protocol.tally(reports[40:])
    assert batches.dtype == np.int64
    pd.testing.assert_series_equal(protocol.estimate_from(batches, 90), protocol.aggregate(reports))
    pd.testing.assert_series_equal(protocol.estimate_from(batches.to_numpy(), 90), protocol.aggregate(reports))


@every_protocol
def test_nobody_is_an_empty_batch(name):
    protocol = PROTOCOLS[name]
    reports = protocol.perturb(protocol.encode(protocol.domain[:0]))
    assert protocol.tally(reports).tolist() == [0] * protocol.domain.size
    assert protocol.aggregate(reports).tolist() == [0.0] * protocol.domain.size
    assert protocol.variance(0, 0) == 0.0


@every_protocol
def test_estimates_are_a_series_over_the_domain(name):
    protocol = PROTOCOLS[name]
    values, counts = people(protocol, 60)
    for estimate in (protocol.estimate(pd.Series(values), rng=generator()), protocol.simulate(counts, 60)):
        assert isinstance(estimate, pd.Series)
        assert estimate.index.equals(protocol.domain)
        assert estimate.dtype == np.float64


def test_randomized_response_keeps_the_type_of_the_answers():
    protocol = dp.RandomizedResponse.two_coins()
    answers = pd.Series([True, False, True], index=["x", "y", "z"], name="smokes")
    for given_values in (answers, answers.astype(int), answers.astype(object)):
        encoded = protocol.encode(given_values)
        reports = protocol.perturb(encoded, rng=generator())
        for result in (encoded, reports):
            assert isinstance(result, pd.Series)
            assert result.index.tolist() == ["x", "y", "z"]
            assert result.name == "smokes"
            assert result.dtype == bool
        assert encoded.tolist() == [True, False, True]
    assert isinstance(protocol.perturb([True, False]), np.ndarray)
    assert protocol.estimate_from([40, 60], 100).to_dict() == {False: 30.0, True: 70.0}


def test_unary_matrices_have_a_row_for_each_person():
    protocol = PROTOCOLS["unary"]
    encoded = protocol.encode(pd.Series(["red", "blue", "red"], dtype="category"))
    assert encoded.dtype == np.uint8
    assert encoded.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    reports = protocol.perturb(encoded, rng=generator())
    assert reports.dtype == np.uint8
    assert reports.shape == (3, 3)
    in_rows = np.ascontiguousarray(reports)
    for same in (in_rows, in_rows.astype(bool), in_rows.astype(float), in_rows.tolist(), pd.DataFrame(in_rows)):
        assert protocol.tally(same).tolist() == in_rows.sum(axis=0, dtype=int).tolist()


def test_domain_may_mix_types_and_hold_a_symbol_for_missing_answers():
    protocol = dp.UnaryEncoding([1, "one", "no answer"], p=0.75, q=0.25)
    assert protocol.encode(["one", 1, "no answer"]).argmax(axis=1).tolist() == [1, 0, 2]


def test_counts_are_matched_by_answer():
    protocol = dp.UnaryEncoding(COLOURS, p=1, q=0)  # nothing is randomized
    assert protocol.simulate(pd.Series({"red": 3, "blue": 2}), 5).to_dict() == {"blue": 2.0, "green": 0.0, "red": 3.0}
    assert protocol.simulate([2, 0, 3], 5).to_dict() == {"blue": 2.0, "green": 0.0, "red": 3.0}
    assert protocol.estimate_from(pd.Series({"red": 3, "green": 1, "blue": 2}), 6).tolist() == [2.0, 1.0, 3.0]
    assert protocol.estimate(["red", "blue", "red"]).to_dict() == {"blue": 1.0, "green": 0.0, "red": 2.0}


def test_variance_keeps_the_type_of_the_counts():
    protocol = PROTOCOLS["unary"]
    counts = pd.Series([10, 0], index=["x", "y"])
    assert isinstance(protocol.variance(10, 3), float)
    assert protocol.variance(10, counts).index.tolist() == ["x", "y"]
    assert protocol.variance(10, [[10], [0]]).shape == (2, 1)
    assert protocol.variance(10, counts).tolist() == pytest.approx([10 * 0.7 * 0.3 / 0.25, 10 * 0.2 * 0.8 / 0.25])


def test_same_seed_gives_the_same_reports():
    for protocol in PROTOCOLS.values():
        encoded = protocol.encode(people(protocol, 50)[0])
        first, again, other = (protocol.perturb(encoded, rng=generator(seed)) for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


# ---------------------------------------------------------------- privacy, seen from outside


def one_report(protocol):
    """Return the mechanism that a person runs on their own answer."""
    encoded = {answer: protocol.encode([answer]) for answer in protocol.domain}
    return lambda answer, rng: protocol.perturb(encoded[answer], rng=rng).ravel()


def unfair_second_coin(answer, rng):
    return answer or rng.random() < 0.5  # always "yes" where the answer is yes


def epsilon_for_each_bit(epsilon):
    """Return unary encoding that hands the whole epsilon to each of the two bits that differ."""
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    return one_report(dp.UnaryEncoding(COLOURS, p=p, q=1 - p))


def honest_now_and_then(answer, rng):
    return PROTOCOLS["sue"].perturb(HONEST[answer], rng=rng).ravel() if rng.random() < 0.9 else answer


HONEST = {answer: PROTOCOLS["sue"].encode([answer]) for answer in COLOURS}


@every_protocol
def test_audit_finds_no_more_than_epsilon(name):
    protocol = PROTOCOLS[name]
    mechanism = one_report(protocol)
    found = dp.audit(mechanism, protocol.domain[-1], protocol.domain[0], trials=3_000, rng=generator(8))
    assert 0.5 * protocol.epsilon <= found.epsilon_lower_bound <= protocol.epsilon


@pytest.mark.parametrize(
    ("mechanism", "answers", "claim"),
    [
        (unfair_second_coin, (True, False), math.log(3)),
        (epsilon_for_each_bit(1.0), ("red", "blue"), 1.0),
        (honest_now_and_then, ("red", "blue"), 1.0),
        (lambda answer, rng: answer, ("red", "blue"), 4.0),
    ],
    ids=["unfair second coin", "epsilon for each bit", "honest now and then", "direct leak"],
)
def test_audit_catches_broken_protocols(mechanism, answers, claim):
    assert dp.audit(mechanism, *answers, trials=2_000, rng=generator(9)).epsilon_lower_bound > claim


# ---------------------------------------------------------------- bad input

RR = dp.RandomizedResponse.two_coins()
UE = dp.UnaryEncoding(COLOURS, p=0.75, q=0.25)
DEAF = dp.UnaryEncoding(COLOURS, p=0.5, q=0.5)
COIN = dp.RandomizedResponse(truth=0)

BAD = [
    (lambda rng: dp.RandomizedResponse(truth=1.2), ValueError, r"truth must be in \[0, 1\], got 1.2"),
    (lambda rng: dp.RandomizedResponse(truth=math.nan), ValueError, "truth must be a finite number, got nan"),
    (lambda rng: dp.RandomizedResponse(truth="0.5"), TypeError, "truth must be a number, got '0.5'"),
    (lambda rng: dp.RandomizedResponse(truth=0.5, yes=-0.1), ValueError, r"yes must be in \[0, 1\], got -0.1"),
    (lambda rng: dp.RandomizedResponse.from_epsilon(0), ValueError, "epsilon must be above 0, got 0"),
    (lambda rng: dp.RandomizedResponse.from_epsilon(math.inf), ValueError, "epsilon must be a finite number, got inf"),
    (lambda rng: dp.RandomizedResponse.biased_coin(2), ValueError, r"noise must be in \[0, 1\], got 2"),
    (lambda rng: dp.unary_epsilon(0.2, 0.3), ValueError, "q must not be above p, got p=0.2 and q=0.3"),
    (lambda rng: dp.unary_epsilon(1.5, 0.3), ValueError, r"p must be in \[0, 1\], got 1.5"),
    (lambda rng: dp.UnaryEncoding(COLOURS, p=0.2, q=0.3), ValueError, "q must not be above p"),
    (lambda rng: dp.UnaryEncoding(COLOURS, p=0.2, q=True), TypeError, "q must be a number, got True"),
    (lambda rng: dp.UnaryEncoding([], p=0.5, q=0.2), ValueError, "domain must hold at least one answer"),
    (lambda rng: dp.UnaryEncoding(["a", "a"], p=0.5, q=0.2), ValueError, "domain must not hold an answer twice"),
    (lambda rng: dp.UnaryEncoding(["a", None], p=0.5, q=0.2), ValueError, "domain must not hold missing values"),
    (lambda rng: dp.UnaryEncoding("abc", p=0.5, q=0.2), TypeError, "domain must be a list of"),
    (lambda rng: dp.UnaryEncoding.symmetric(COLOURS, -1), ValueError, "epsilon must be above 0, got -1"),
    (lambda rng: dp.UnaryEncoding.optimized(COLOURS, math.nan), ValueError, "epsilon must be a finite number, got nan"),
    # answers
    (
        lambda rng: UE.encode(["red", "pink"]),
        ValueError,
        r"values must hold answers of the domain only, got 'pink' \(1",
    ),
    (lambda rng: UE.encode(["red", None]), ValueError, r"values must not be missing \(1 such\).* a symbol"),
    (lambda rng: UE.estimate(["red", math.nan], rng), ValueError, "values must not be missing"),
    (lambda rng: UE.estimate(pd.Series(["red", "Red"]), rng), ValueError, "values must hold answers.*'Red'"),
    (lambda rng: UE.encode(np.array([["red"]])), ValueError, r"values must have 1 dimension.*\(1, 1\)"),
    (lambda rng: RR.encode(["yes", "no"]), TypeError, "values must hold numbers only"),
    (lambda rng: RR.encode([0, 2]), ValueError, "values must be 0 or 1 only, got 2"),
    (lambda rng: RR.estimate([True, None], rng), ValueError, "values must be True or False, not missing"),
    (lambda rng: RR.estimate([[True]], rng), ValueError, r"values must have 1 dimension, got shape \(1, 1\)"),
    # encoded answers and reports
    (
        lambda rng: UE.perturb([[0, 1, 1]], rng),
        ValueError,
        "encoded must have exactly one 1 in each row, got 2 in row 0",
    ),
    (
        lambda rng: UE.perturb([[0, 1, 0], [0, 0, 0]], rng),
        ValueError,
        "encoded must have exactly one 1.*got 0 in row 1",
    ),
    (lambda rng: UE.perturb([[0, 1]], rng), ValueError, r"encoded must have 3 columns.*\(1, 2\)"),
    (lambda rng: UE.perturb([[0, 2, 0]], rng), ValueError, "encoded must be 0 or 1 only, got 2"),
    (lambda rng: UE.perturb([0, 1, 0], rng), ValueError, r"encoded must have 2 dimensions, got shape \(3,\)"),
    (lambda rng: UE.tally([[0.5, 0, 1]]), ValueError, "reports must be 0 or 1 only, got 0.5"),
    (lambda rng: UE.tally([[0, -1, 1]]), ValueError, "reports must be 0 or 1 only, got -1"),
    (lambda rng: UE.aggregate([[0, 1]]), ValueError, "reports must have 3 columns"),
    (lambda rng: RR.perturb([True, math.nan], rng), ValueError, "encoded must be True or False, not missing"),
    (lambda rng: RR.tally([0, 1, 3]), ValueError, "reports must be 0 or 1 only, got 3"),
    # counts
    (lambda rng: UE.estimate_from([1, 2], 3), ValueError, "tally must have one number for each of 3 answers, got 2"),
    (lambda rng: UE.estimate_from([1, 2, 9], 8), ValueError, "tally must be between 0 and n = 8, got 1 to 9"),
    (lambda rng: UE.estimate_from([1, 2, -1], 8), ValueError, "tally must be between 0 and n = 8, got -1 to 2"),
    (lambda rng: UE.estimate_from(pd.Series({"pink": 1}), 8), ValueError, "tally must hold answers.*'pink'"),
    (lambda rng: UE.estimate_from([1, 2, 3], 8.0), TypeError, "n must be a whole number, got 8.0"),
    (lambda rng: RR.estimate_from([1, 2], 4), ValueError, "tally must sum to n = 4, got 3"),
    (lambda rng: UE.simulate([1, 2, 3], 7, rng), ValueError, "counts must sum to n = 7, got 6"),
    (lambda rng: UE.simulate([1, 2, 3.5], 6, rng), ValueError, "counts must be whole numbers"),
    (lambda rng: UE.simulate([1, 6, -1], 6, rng), ValueError, "counts must be whole numbers, 0 or above"),
    (lambda rng: UE.simulate([1, math.nan, 1], 2, rng), ValueError, "counts must hold finite numbers only, got nan"),
    (lambda rng: UE.simulate([1, 2], 3, rng), ValueError, "counts must have one number for each of 3 answers, got 2"),
    (
        lambda rng: UE.simulate(pd.Series([1, 2], index=["red"] * 2), 3, rng),
        ValueError,
        "counts must not have .* twice",
    ),
    (lambda rng: UE.simulate([0, 0, -0], -1, rng), ValueError, "n must be at least 0, got -1"),
    (lambda rng: UE.variance(5, 6), ValueError, "count must be between 0 and n = 5, got 6"),
    (lambda rng: UE.variance(5, [1, -2]), ValueError, "count must be between 0 and n = 5, got -2"),
    # nothing to estimate from
    (lambda rng: DEAF.estimate(["red"], rng), ValueError, "p and q must differ, got 0.5 for both"),
    (lambda rng: DEAF.aggregate([[0, 0, 1]]), ValueError, "p and q must differ"),
    (lambda rng: DEAF.simulate([1, 0, 0], 1, rng), ValueError, "p and q must differ"),
    (lambda rng: COIN.estimate([True], rng), ValueError, "p and q must differ"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input_is_named_before_any_draw(call, error, message):
    rng = generator()
    state = rng.bit_generator.state
    with pytest.raises(error, match=message):
        call(rng)
    assert rng.bit_generator.state == state


@pytest.mark.parametrize("method", ["estimate", "perturb", "simulate"])
def test_seed_is_not_a_generator(method):
    arguments = {"estimate": (["red"],), "perturb": ([[0, 0, 1]],), "simulate": ([0, 0, 1], 1)}[method]
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator or None, got 7"):
        getattr(UE, method)(*arguments, rng=7)


def test_a_protocol_without_information_still_reports():
    assert DEAF.perturb(DEAF.encode(["red"]), rng=generator()).shape == (1, 3)
    assert DEAF.variance(10, 3) == math.inf
    assert COIN.variance(10, [3, 4]).tolist() == [math.inf, math.inf]
