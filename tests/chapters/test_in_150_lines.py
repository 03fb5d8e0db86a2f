"""The book in 150 lines of NumPy: its cells stand alone, keep their promises, and broken ones are convicted.

The attacks are those of the page, with more confidence.  All tests together fail by chance with probability 1e-6 at
most for each test.
"""

import ast
import itertools
import math

import numpy as np
import pytest
from chapters.chapter_notebook import read
from thorough import weekly

import dp_helpers as dp

CELLS = read("in-150-lines").cells
ATTACK = next(i for i, cell in enumerate(CELLS) if cell.source.startswith("## Does each keep its promise?"))
CODE = [cell.source for cell in CELLS[:ATTACK] if cell.cell_type == "code"]
CASES = [cell.source for cell in CELLS[ATTACK:] if cell.cell_type == "code" and "cases" in cell.id]


def pasted(change=(), seed=0):
    """Return what the cells of the page define in an empty namespace, one line changed or none."""
    source = "\n\n".join(CODE)
    if change:
        assert source.count(change[0]) == 1, change
        source = source.replace(*change)
    namespace = {"rng": np.random.default_rng(seed)}
    exec(compile(source, "page", "exec"), namespace)
    return namespace


def attacked(page):
    """Return the page's cases by name: promise, delta, mechanism and two neighbours."""
    exec(compile("\n\n".join(CASES), "cases", "exec"), page)
    return {name: case for name, *case in page["cases"]}


def bound(epsilon, delta, mechanism, data, neighbour, *, rng, trials):
    how = {"trials": trials, "delta": delta, "confidence": 1 - 1e-6, "rng": rng}
    return dp.audit(lambda world, _: mechanism(world), data, neighbour, **how).epsilon_lower_bound


FUNCTIONS = [node for node in ast.parse("\n".join(CODE)).body if isinstance(node, ast.FunctionDef)]
NAMES = {function.name for function in FUNCTIONS}


def test_the_page_keeps_to_its_150_lines_and_to_numpy():
    lines = [line for source in CODE for line in source.splitlines() if line.strip() and line.lstrip()[0] != "#"]
    assert len(lines) <= 150 and max(map(len, lines)) <= 88
    assert all(len(source.splitlines()) <= 15 for source in [*CODE, *CASES])
    tree = ast.parse("\n".join(CODE))
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {alias.name for node in imported for alias in node.names} == {"math", "numpy"}
    assert all(2 <= function.end_lineno - function.lineno + 1 <= 9 for function in FUNCTIONS)


def test_each_cell_says_what_it_promises():
    for source in CODE[1:]:
        assert source.startswith("#"), source
    assert {"laplace", "rand_resp_sales", "select_keys", "mwem", "running_counts", "least_epsilon"} <= NAMES


def test_the_page_attacks_every_function_that_draws():
    draws = {function.name for function in FUNCTIONS if function.args.args[-1].arg == "rng"}
    assert draws <= {name.split(",")[0] for name in attacked(pasted())}


@weekly  # each cell's output says it, too, of the page's own attack
def test_each_promise_is_kept():
    page = pasted(seed=1)
    cases = attacked(page)
    assert len(cases) > 30
    found = {name: bound(*case, rng=page["rng"], trials=10_000) for name, case in cases.items()}
    assert {name: least for name, least in found.items() if least > cases[name][0]} == {}


BROKEN = {  # what is changed, how, and the case in which it is seen
    "laplace": ("scale=sensitivity / epsilon", "scale=sensitivity / epsilon / 2"),
    "geometric": ("-epsilon / sensitivity", "-2 * epsilon / sensitivity"),
    "gaussian": ("scale=sigma,", "scale=sigma / 2,"),
    "gaussian, gaussian_delta": ("mu / 2 / math.sqrt(2)", "mu / 6 / math.sqrt(2)"),
    "gaussian, gaussian_sigma": ("return high * sensitivity", "return high * sensitivity / 2"),
    "private_sum": ("np.clip(x, lower, upper).sum()", "np.sum(x)"),
    "private_mean": ("-half, half, epsilon / 2", "-half, half, 4 * epsilon"),
    "mean_of_known_n": ("(upper - lower) / len(x)", "(upper - lower) / len(x) / 2"),
    "histogram": (".sum(axis=0), 1, epsilon", ".sum(axis=0), 1 / 2, epsilon"),
    "bound_groups": ("< most", "< 99"),
    "select_keys": ("laplace(people - 1, 1,", "laplace(people - 1, 0.3,"),
    "smooth_median": ("2 * smooth", "0.2 * smooth"),
    "sample_and_aggregate": ("answers, lower, upper, epsilon", "answers, lower, upper, 2 * epsilon"),
    "exponential": ("(2 * sensitivity))\n    return rng.choice", "sensitivity)\n    return rng.choice"),
    "noisy_max": ("2 * sensitivity, epsilon, rng)))", "sensitivity / 2, epsilon, rng)))"),
    "permute_and_flip": ("(2 * sensitivity))\n    return next", "sensitivity)\n    return next"),
    "above_threshold": ("laplace(a, 4, epsilon, rng) >=", "a >="),
    "advanced_composition": ("luck * epsilon + k", "k / 2"),
    "optimal_delta": ("(2 * j - k) * epsilon", "(2 * j - k) * epsilon / 2"),
    "gaussian_rho": ("(2 * sigma**2)\n", "(200 * sigma**2)\n"),
    "gaussian_rho, rho_to_epsilon": ("2 * math.sqrt(rho", "0.1 * math.sqrt(rho"),
    "group_privacy": ("return k * epsilon,", "return epsilon,"),
    "dp_sgd_step": ("np.minimum(1, clip", "np.maximum(1, clip"),
    "dp_sgd_step, training_epsilon": ("(k * k - k)", "0 * k"),
    "subsampled": ("q * math.expm1", "q * q * math.expm1"),
    "rand_resp_sales": ("rng.integers(2, size=2)", "rng.integers([4, 2])"),
    "randomized_response": ("first < p,", "first < p**0.5,"),
    "randomized_response, rr_epsilon": ("min(q, 1 - q)", "max(q, 1 - q)"),
    "direct": ("math.exp(epsilon) / (math.exp(epsilon) + k - 1)\n    return (a", "0.95\n    return (a"),
    "unary, oue": ("np.where(own, p, q)", "np.where(own, p**0.2, q)"),
    "unary, sue": ("math.exp(-epsilon / 2)), 1 / (1 + math.exp(epsilon / 2))", "math.exp(-epsilon)), 0.1"),
    "unary, oue, coin": ("return 1 / 2, 1 / (1 + math.exp(epsilon))", "return 1 / 2, 0.03"),
    "she": ("np.arange(k)), 2, epsilon", "np.arange(k)), 1 / 2, epsilon"),
    "she, the": ("np.arange(k)), 2, epsilon", "np.arange(k)), 1, epsilon"),
    "duchi": ("math.tanh(epsilon / 2)", "math.tanh(epsilon)"),
    "local_hashing": ("answers], g, epsilon", "answers], g, 2 * epsilon"),
    "mwem": ("@ counts, 1, share", "@ counts, 1, 9 * share"),
    "running_counts": ("levels, epsilon", "0.2, epsilon"),
}


# Runs that convict those which are near to their promise, or whose event is rare; the others need fewer.
NEAR = dict.fromkeys(["exponential", "gaussian_rho, rho_to_epsilon", "subsampled"], 10_000) | dict.fromkeys(
    ["advanced_composition", "optimal_delta", "gaussian_rho", "dp_sgd_step", "she, the"], 4_000
)


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_attack_convicts_a_broken_twin(name):
    page = pasted(BROKEN[name], seed=2)
    cases = attacked(page)
    case = next(cases[one] for one in (name, ", ".join(name.split(", ")[:2]), name.split(",")[0]) if one in cases)
    assert bound(*case, rng=page["rng"], trials=NEAR.get(name, 2_000)) > case[0]


def test_every_function_is_broken_once_or_compared():
    touched = {part for name in BROKEN for part in name.split(", ")}
    compared = {"k_anonymity", "least_epsilon", "the", "rr_count", "direct_counts", "unary_counts", "hashing_counts"}
    assert NAMES - touched <= compared


# ---------------------------------------------------------------- what is computed, beside the package


def test_prices_are_those_of_the_package():
    page = pasted()
    for epsilon, delta in itertools.product((0.1, 1, 5), (1e-2, 1e-6)):
        ours = dp.gaussian_sigma(sensitivity=3, epsilon=epsilon, delta=delta)
        assert page["gaussian_sigma"](3, epsilon, delta) == pytest.approx(ours, rel=1e-6)
        assert page["gaussian_delta"](epsilon, 3 / ours) == pytest.approx(delta, rel=1e-4)
        together = dp.advanced_composition(epsilon, 0, k=7, delta_prime=delta)[0]
        assert page["advanced_composition"](epsilon, 7, delta) == pytest.approx(together)
        best = dp.optimal_composition(epsilon, 0, k=7, delta_total=delta)
        assert page["optimal_delta"](epsilon, 7, best) <= delta * (1 + 1e-6)
        assert page["optimal_delta"](epsilon, 7, 0.98 * best) > delta
        assert page["group_privacy"](epsilon, delta, 2)[0] == dp.group_privacy(epsilon, delta, size=2)[0]
        assert page["subsampled"](epsilon, delta, 0.1) == pytest.approx(
            dp.amplification_by_sampling(epsilon, delta, q=0.1)
        )
    assert page["gaussian_rho"](2, 6) == pytest.approx(dp.zcdp_gaussian(sigma=3))
    assert dp.zcdp_to_dp(0.3, delta=1e-5) <= page["rho_to_epsilon"](0.3, 1e-5) < 1.2 * dp.zcdp_to_dp(0.3, delta=1e-5)
    ours = dp.dp_sgd_epsilon(q=0.01, sigma=1.1, steps=500, delta=1e-5)
    assert ours <= page["training_epsilon"](0.01, 1.1, 500, 1e-5) < 1.4 * ours


def test_coins_are_those_of_the_package():
    page = pasted()
    for epsilon in (0.1, 1, 4):
        for name, maker in (("sue", dp.UnaryEncoding.symmetric), ("oue", dp.UnaryEncoding.optimized)):
            assert page[name](epsilon) == pytest.approx((maker([*"abc"], epsilon).p, maker([*"abc"], epsilon).q))
        protocol = dp.ThresholdHistogramEncoding([*"abc"], epsilon=epsilon, theta=0.7)
        assert page["the"](0.7, epsilon) == pytest.approx((protocol.p, protocol.q))
        assert page["rr_epsilon"](math.tanh(epsilon / 2), 0.5) == pytest.approx(epsilon)
    assert page["k_anonymity"]([[1, 2], [1, 2], [3, 4]]) == 1
    assert page["k_anonymity"]([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]) == 2


class Still:
    """A generator whose noise is its scale."""

    def laplace(self, scale, size=None):
        return np.full(size, scale)


@pytest.mark.parametrize("values", [[3, 4, 5], [0, 0, 9, 9], [1], [7, 2, 2, 8, 8, 8, 1]])
def test_the_median_has_the_noise_of_its_smooth_sensitivity(values):
    beta = math.log1p(1 / (2 * math.log(2 / 0.01)))
    smooth = dp.smooth_sensitivity_median(values, lower=0, upper=10, beta=beta)
    median = sorted(values)[(len(values) + 1) // 2 - 1]
    assert pasted()["smooth_median"](values, 0, 10, 1, 0.01, Still()) == pytest.approx(median + 2 * smooth)


def test_running_counts_are_right_but_for_the_noise_of_few_sums():
    counts = pasted()["running_counts"]
    for n in range(1, 18):
        exact = np.arange(1, n + 1)
        sums = [bin(t).count("1") for t in exact]  # of its noise, each with n.bit_length() / ε
        assert counts([1] * n, 1.0, Still()) == pytest.approx(exact + np.multiply(sums, n.bit_length()))


# ---------------------------------------------------------------- estimates are right on average

TRUE = np.repeat([0, 1, 2], [50_000, 30_000, 20_000])
TRUTH = np.array([50_000, 30_000, 20_000])


def estimates(page, rng):
    """Yield the counts that each protocol finds, and the largest noise of one person that they have."""
    yes = (TRUE == 0).astype(int)
    sales = sum(page["rand_resp_sales"](job, rng) for job in np.where(yes, "Sales", "Tech").tolist())
    yield [2 * (sales - len(yes) / 4)], 2
    yield [page["rr_count"](page["randomized_response"](yes, 0.6, 0.3, rng), 0.6, 0.3)], 1 / 0.6
    yield page["direct_counts"](page["direct"](TRUE, 3, 1, rng), 3, 1), (math.e + 2) / (math.e - 1)
    for p, q in (page["sue"](1), page["oue"](1)):
        yield page["unary_counts"](page["unary"](TRUE, 3, p, q, rng), p, q), 1 / (p - q)
    yield page["she"](TRUE, 3, 1, rng).sum(axis=0), 3
    p, q = page["the"](0.75, 1)
    yield page["unary_counts"](page["she"](TRUE, 3, 1, rng) > 0.75, p, q), 1 / (p - q)
    yield page["hashing_counts"](*page["local_hashing"](TRUE, 3, 4, 1, rng), 4, 1), 1 / (math.e / (math.e + 3) - 1 / 4)
    yield [page["duchi"](yes, 1, rng).sum()], 1 / math.tanh(1 / 2)


def test_each_estimate_is_right_on_average():
    """Five standard deviations for each of some twenty counts: less than 2e-5 by chance, and a fixed seed."""
    page, rng = pasted(), np.random.default_rng(3)
    for found, noise in estimates(page, rng):
        assert found == pytest.approx(TRUTH[: len(found)], abs=5.5 * noise * math.sqrt(len(TRUE)))


def test_mwem_comes_closer_to_the_questions():
    page, rng = pasted(), np.random.default_rng(4)
    counts, questions = np.array([9000, 500, 300, 200.0]), np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]])
    made = page["mwem"](counts, questions, 20, 5.0, rng)
    assert made.sum() == pytest.approx(10_000)
    assert np.abs(questions @ (made - counts)).max() < 0.5 * np.abs(questions @ (2500 - counts)).max()


def test_the_pages_own_audit_accuses_nobody_by_chance():
    """Fair coins in both worlds, fifty at a time: by the rates alone every second one would be accused."""
    rng, least = np.random.default_rng(5), pasted()["least_epsilon"]

    def toss(_):
        return rng.random() < 0.5

    assert all(least(toss, 0, 1, bool, 50) <= 0 for _ in range(200))
    assert 3 < least(lambda world: world, 1, 0, bool, 10_000) < 10
