# %% [markdown]
# # Assignment 4: The library's books
#
# The libraries of a city publish statistics about their readers all year round, and have promised to account for it.
# You keep the books: what has a release cost, what do all of them cost together, and which may still be made?
# Neighbours are **add/remove** throughout: two tables of readers, one of which has one reader more. Public are the
# list of statistics, the kind and amount of noise, all ε and δ, and the code; the readers are not.
#
# You need chapters 6 and 8, and about seven hours, in two sittings (tasks 1 to 3, and 4 to 7). Write into the cells
# marked for you, keep the names of the functions, and leave the rest as it is. Each task stands alone: a function that
# you write for one isn't used by another. Below each task is a cell that checks what you can check yourself; the grader
# checks more, on other numbers. What the parts of a task are worth stands at its end; a part earns all its points or
# none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded. `math.erfc` and
#   `math.lgamma` are.
# - Nothing here is random: your functions compute.
# - "The tight conversion" is that of chapter 8: a mechanism whose Rényi divergence of order α is at most $c_\alpha$
#   keeps $\varepsilon = c_\alpha + \ln\frac{\alpha-1}{\alpha} - \frac{\ln\delta + \ln\alpha}{\alpha-1}$ at δ, for
#   every order α > 1.
# - `plan.csv`, `requests.csv` and `statistics.csv` belong to tasks 3, 5 and 6, which describe their columns. All of it
#   is invented.

# %% role="term"
# epsilon from 0.5 to 10 and delta from 1e-9 to 1e-5: there q6's threshold parts good designs from naive ones.
TERM = {"epsilon": 1.0, "delta": 1e-6, "readers": 30000, "branches": 6}


# %% role="data"
def make_data(term, rng):
    visits, loans = rng.integers(4, 12, 2)
    plan = [
        ("visits by hour", "gaussian", visits, float(visits * rng.integers(30, 50)), np.nan, 52),
        ("loans by subject", "gaussian", loans, float(loans * rng.integers(15, 25)), np.nan, 12),
        ("new readers", "laplace", 1, float(rng.integers(15, 30)), np.nan, 52),
        ("fines", "laplace", 20, float(20 * rng.integers(8, 15)), np.nan, 4),
        ("the supplier's report", "unknown", np.nan, np.nan, round(float(rng.uniform(0.05, 0.15)), 2), 12),
    ]
    requests = [
        ("gaussian", int(rng.integers(1, 9)), float(rng.integers(40, 200)), np.nan)
        if rng.random() < 0.6
        else ("pure", np.nan, np.nan, round(float(rng.uniform(0.01, 0.3)), 2))
        for _ in range(40)
    ]
    places = ["all"] * 4 + [f"branch {number + 1}" for number in range(term["branches"]) for _ in range(5)]
    statistics = {"place": places, "sensitivity": np.ceil(rng.lognormal(1.5, 1, len(places)))}
    return {
        "plan.csv": pd.DataFrame(plan, columns=["release", "noise", "sensitivity", "scale", "epsilon", "times"]),
        "requests.csv": pd.DataFrame(requests, columns=["noise", "sensitivity", "sigma", "epsilon"]),
        "statistics.csv": pd.DataFrame(statistics),
    }


# %% role="setup"
import math

import numpy as np
import pandas as pd

plan = pd.read_csv("plan.csv")
requests = pd.read_csv("requests.csv")
statistics = pd.read_csv("statistics.csv")
plan

# %% [markdown] task="q1" points=15 parts={"least_delta": 7, "least_epsilon": 8}
# ## Task 1: What does a machine really keep? (15 points)
#
# The library's machine has finitely many answers. Answer $i$ comes out with probability `p[i]` if a certain reader is
# in the table, and with probability `q[i]` if not; both are arrays, and may have zeros. Write
#
# - `least_delta(p, q, epsilon)`: the smallest δ for which the machine is (ε, δ)-differentially private on these two
#   tables, whichever of them is taken first;
# - `least_epsilon(p, q, delta)`: the smallest ε ≥ 0 for which it is (ε, δ)-differentially private on them, to six
#   digits, and `np.inf` where no ε is enough. δ may be 0.


# %% role="starter" task="q1"
def least_delta(p, q, epsilon):
    """Return the smallest δ of the two tables at ε."""
    ...


def least_epsilon(p, q, delta):
    """Return the smallest ε of the two tables at δ, infinite where there is none."""
    ...


# %% role="solution" task="q1"
def least_delta(p, q, epsilon):
    p, q = np.asarray(p, float), np.asarray(q, float)
    # The worst set collects the answers with a positive excess.
    return max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))


def least_epsilon(p, q, delta):
    p, q = np.asarray(p, float), np.asarray(q, float)
    if max(p[q == 0].sum(), q[p == 0].sum()) > delta:  # what no ε ever covers
        return np.inf
    low, high = 0.0, 700.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if least_delta(p, q, middle) > delta:
            low = middle
        else:
            high = middle
    return high if low > 0 else 0.0


# %% role="visible" task="q1"
def a_coin_by_hand(least_delta, least_epsilon):
    "A coin that tells the truth three times of four has ε = ln 3 at δ = 0, and δ = 1/2 at ε = 0."
    p, q = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    assert np.shape(least_delta(p, q, 0.0)) == () and np.shape(least_epsilon(p, q, 0.0)) == (), "Return one number."
    assert np.isclose(least_delta(p, q, 0.0), 0.5), "At ε = 0, which set of answers differs most? By how much?"
    assert np.isclose(least_epsilon(p, q, 0.0), np.log(3)), "At δ = 0 the largest ratio of two probabilities counts."


# %% role="hidden" task="q1"
def _worst_set(p, q, delta):
    """Return the least ε for p against q: of all sets that take the largest ratios first."""
    if p[q == 0].sum() > delta:
        return np.inf
    order = np.argsort(-np.divide(p, q, out=np.full(p.size, np.inf), where=q > 0))
    mass_p, mass_q = np.cumsum(p[order]), np.cumsum(q[order])
    telling = (mass_p > delta) & (mass_q > 0)
    return np.log((mass_p[telling] - delta) / mass_q[telling]).max()


def _machines(rng):
    yield np.array([0.5, 0.5, 0.0]), np.array([0.1, 0.8, 0.1])
    yield np.array([0.05, 0.05, 0.4, 0.5]), np.array([0.2, 0.2, 0.3, 0.3])
    for answers in (5, 40):
        yield rng.dirichlet(np.ones(answers)), rng.dirichlet(np.full(answers, 3.0))


def worst_set_of_answers(least_delta, rng):
    "δ is what the worst set of answers exceeds, in the worse of the two orders."
    for p, q in _machines(rng):
        for first, second in ((p, q), (q, p)):
            for epsilon in (0.0, 0.3, 1.0):
                least = max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
                assert np.isclose(least_delta(first, second, epsilon), least, atol=1e-9), (
                    f"p = {first.round(2)}, q = {second.round(2)}, ε = {epsilon}: δ is granted once to a whole set of "
                    "answers. Which set is the worst? Then change the roles of p and q."
                )


def smallest_epsilon_at_delta(least_epsilon, rng):
    "ε is the smallest at this δ, in the worse of the two orders."
    for p, q in _machines(rng):
        for first, second in ((p, q), (q, p)):
            for delta in (0.0, 0.01, 0.11, 0.45, 0.99):
                least = max(0.0, _worst_set(p, q, delta), _worst_set(q, p, delta))
                assert np.isclose(least_epsilon(first, second, delta), least, atol=1e-6), (
                    f"p = {first.round(2)}, q = {second.round(2)}, δ = {delta}: which ε makes the least δ equal to "
                    "this one? Both orders count, ε isn't negative, and an answer that only one table can give is "
                    "covered by no ε."
                )


# %% [markdown] task="q2" points=15
# ## Task 2: Two tools (15 points)
#
# The library has bought two tools. Nobody knows how they work, only that each answer of the first is ε₁-differentially
# private and each answer of the second ε₂-differentially private. There will be `k1` answers of the first and `k2` of
# the second, and each question may depend on all answers before it.
#
# Write `tools_delta(k1, epsilon1, k2, epsilon2, total)`: the smallest δ such that *whatever the tools do*, all answers
# together are (`total`, δ)-differentially private. In chapter 6 a report of randomized response gives away as much as
# anything that is ε-private; that also holds if the ε differ. `k1` and `k2` are whole numbers from 0 to 500. Even a δ
# of 1e-15 should be right to four digits: mind what gets lost when numbers near 1 are subtracted.


# %% role="starter" task="q2"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    """Return the smallest δ at ε = total that holds for every two tools."""
    ...


# %% role="solution" task="q2"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    def lies_among(k, epsilon):
        lies = np.arange(k + 1)
        log_ways = [math.lgamma(k + 1) - math.lgamma(n + 1) - math.lgamma(k - n + 1) for n in lies]
        return np.exp(np.array(log_ways) - lies * epsilon - k * np.log1p(np.exp(-epsilon))), epsilon * (k - 2 * lies)

    (chance1, loss1), (chance2, loss2) = lies_among(k1, epsilon1), lies_among(k2, epsilon2)
    loss = np.add.outer(loss1, loss2)  # of all reports: losses add
    excess = -np.expm1(np.minimum(total - loss, 0))
    return float(chance1 @ excess @ chance2)


# %% role="visible" task="q2"
def one_report_by_hand(tools_delta):
    "One answer of one tool is one coin."
    assert np.shape(tools_delta(1, 0.5, 1, 0.7, 0.2)) == (), "Return one number."
    assert np.isclose(tools_delta(1, np.log(3), 0, 0.1, 0.0), 0.5), (
        "One report at ε = ln 3 is true with probability 3/4: at a total of 0, δ is 3/4 - 1/4."
    )
    assert np.isclose(tools_delta(2, 0.5, 3, 1.0, 4.0), 0, atol=1e-12), (
        "At the sum of all ε no δ is needed: that is sequential composition."
    )


# %% role="hidden" task="q2"
def _reports_delta(k1, epsilon1, k2, epsilon2, total):
    counts = np.arange(k1 + 1)[:, None], np.arange(k2 + 1)[None, :]
    first, second = (
        stats.binom.pmf(truths, k, 1 / (1 + np.exp(-epsilon)))
        for truths, k, epsilon in zip(counts, (k1, k2), (epsilon1, epsilon2), strict=True)
    )
    loss = epsilon1 * (2 * counts[0] - k1) + epsilon2 * (2 * counts[1] - k2)
    return np.sum(first * second * -np.expm1(np.minimum(total - loss, 0)))


def one_tool_twice(tools_delta):
    "Two tools with the same ε are one tool: the optimal composition of chapter 6."
    for k1, k2, epsilon, delta in ((20, 30, 0.2, 1e-4), (500, 300, 0.03, 1e-6), (0, 60, 0.5, 0.01)):
        total = dp.optimal_composition(epsilon, 0, k=k1 + k2, delta_total=delta)
        assert np.isclose(tools_delta(k1, epsilon, k2, epsilon, total), delta, rtol=1e-4), (
            f"{k1} and {k2} answers at ε = {epsilon} each: at a total of {total:.3f}, δ isn't that of chapter 6. "
            "Which losses can all reports together have, with which probabilities, and how does a loss above the "
            "total weigh in δ?"
        )


def different_tools(tools_delta, rng):
    "With two different ε, every combination of lies of the one and of the other tool counts."
    cases = [(30, 0.1, 10, 0.5, 3.0), (200, 0.02, 5, 1.0, 3.0), (5, 1.0, 200, 0.02, 6.0), (300, 0.03, 8, 0.4, 6.9)]
    k1, k2, epsilon2 = int(rng.integers(20, 60)), int(rng.integers(3, 12)), rng.uniform(0.3, 0.6)
    for case in [*cases, (k1, 0.1, k2, epsilon2, rng.uniform(0.2, 0.5) * (0.1 * k1 + epsilon2 * k2))]:
        least = _reports_delta(*case)
        assert np.isclose(tools_delta(*case), least, rtol=1e-4, atol=0), (
            f"{case[0]} answers at ε = {case[1]:.2f}, {case[2]} at ε = {case[3]:.2f}, total {case[4]:.2f}, δ near "
            f"{least:.0e}: the reports of the one tool lie independently of those of the other, and all their losses "
            "add up. No average of the two ε stands for both. And is δ a sum of small numbers, or what remains of 1?"
        )


# %% [markdown] task="q3" points=15 parts={"plan_epsilon": 12, "year_epsilon": 3}
# ## Task 3: The year (15 points)
#
# `plan` lists the releases of a year. A row is released `times` times, with fresh noise, and a reader moves it by at
# most `sensitivity` each time. `noise` says what is known:
#
# - `"gaussian"`: normal noise with standard deviation `scale`;
# - `"laplace"`: Laplace noise of scale `scale`, on a single number;
# - `"unknown"`: only that each release is ε-differentially private, with ε in the column `epsilon`. At order α count
#   the smaller of ε and $\alpha\varepsilon^2/2$.
#
# Columns that say nothing about a row are empty (NaN). Write `plan_epsilon(plan, delta)`: the smallest ε at δ that the
# Rényi divergences of all releases together give by the tight conversion, over all orders from 1.01 to 100,000. It must
# be exact to half a percent, whichever order is the best. Then define `year_epsilon` for `plan` at δ = {{delta}}.


# %% role="starter" task="q3"
def plan_epsilon(plan, delta):
    """Return the smallest ε at δ of all releases of the plan, by Rényi accounting."""
    ...


year_epsilon = ...


# %% role="solution" task="q3"
def plan_epsilon(plan, delta):
    order = 1 + np.logspace(-2, 5, 5000)
    cost = np.zeros(order.size)
    for row in plan.itertuples():
        if row.noise == "gaussian":
            one = order * (row.sensitivity / row.scale) ** 2 / 2
        elif row.noise == "laplace":
            b = row.scale / row.sensitivity
            # In logarithms, since e^((α - 1)/b) may be beyond every float.
            up = np.log(order / (2 * order - 1)) + (order - 1) / b
            down = np.log((order - 1) / (2 * order - 1)) - order / b
            one = np.logaddexp(up, down) / (order - 1)
        else:
            one = np.minimum(row.epsilon, order * row.epsilon**2 / 2)
        cost += row.times * one
    return np.min(cost + np.log1p(-1 / order) - (np.log(delta) + np.log(order)) / (order - 1))


year_epsilon = plan_epsilon(plan, {{delta}})


# %% role="visible" task="q3"
def one_count_with_normal_noise(plan_epsilon):
    "One release with ρ = 1/2 has the ε of chapter 8: between 4.70 and 4.76 at δ = 1e-5."
    one = pd.DataFrame(
        [("count", "gaussian", 1, 1.0, np.nan, 1)],
        columns=["release", "noise", "sensitivity", "scale", "epsilon", "times"],
    )
    assert np.shape(plan_epsilon(one, 1e-5)) == (), "Return one number."
    assert 4.70 < plan_epsilon(one, 1e-5) < 4.76, (
        "One count with σ = 1 at δ = 1e-5: chapter 8 converts ρ = 1/2. Is your conversion the tight one?"
    )


def year_epsilon_is_a_number(year_epsilon):
    "year_epsilon is a number above 0."
    assert np.shape(year_epsilon) == () and year_epsilon > 0, "year_epsilon should be one number, above 0."


# %% role="hidden" task="q3"
def _renyi_epsilon(plan, delta):
    order = 1 + np.logspace(-2, 5, 20_000)
    conversion = np.log1p(-1 / order) - (np.log(delta) + np.log(order)) / (order - 1)
    cost = 0
    for row in plan.itertuples():
        if row.noise == "gaussian":
            one = dp.rdp_gaussian(order, sigma=row.scale, sensitivity=row.sensitivity)
        elif row.noise == "laplace":
            one = dp.rdp_laplace(order, scale=row.scale, sensitivity=row.sensitivity)
        else:
            one = np.minimum(row.epsilon, order * row.epsilon**2 / 2)
        cost = cost + row.times * one
    return np.min(cost + conversion)


def _exact_enough(plan_epsilon, rows, delta):
    table = pd.DataFrame(rows, columns=["release", "noise", "sensitivity", "scale", "epsilon", "times"])
    return np.isclose(plan_epsilon(table, delta), _renyi_epsilon(table, delta), rtol=0.0055)


def normal_noise_of_any_size(plan_epsilon):
    "Normal noise: small and large, of any sensitivity, once or often."
    for sensitivity, sigma, times in ((1, 200.0, 1), (5, 10.0, 1), (3, 60.0, 400), (2, 1.0, 10)):
        assert _exact_enough(plan_epsilon, [("a", "gaussian", sensitivity, sigma, np.nan, times)], 1e-6), (
            f"σ = {sigma}, sensitivity {sensitivity}, times = {times}: what does one of them cost at order α? "
            "Which order is the best here, and do you search it, and its neighbours closely enough?"
        )


def laplace_noise_and_unknown_noise(plan_epsilon):
    "Laplace noise, and releases of which only ε is known."
    for sensitivity, scale, times in ((1, 1.0, 1), (1, 10.0, 400), (30, 60.0, 5)):
        assert _exact_enough(plan_epsilon, [("a", "laplace", sensitivity, scale, np.nan, times)], 1e-6), (
            f"Laplace noise of scale {scale}, sensitivity {sensitivity}, times = {times}: use chapter 8's "
            "formula for the order α, not a bound on it. At high orders its powers leave the range of floats; the "
            "number that you need doesn't."
        )
    for epsilon, times in ((2.0, 1), (0.02, 300)):
        assert _exact_enough(plan_epsilon, [("a", "unknown", np.nan, np.nan, epsilon, times)], 1e-6), (
            f"Unknown noise at ε = {epsilon}, times = {times}: the smaller of two costs counts, order by order."
        )


def all_kinds_together(plan_epsilon, rng):
    "Releases of all kinds are added up at each order, and converted once."
    for _ in range(3):
        rows = [
            ("a", "gaussian", 4, float(4 * rng.integers(10, 40)), np.nan, int(rng.integers(1, 60))),
            ("b", "laplace", 2, float(2 * rng.integers(1, 4)), np.nan, 1),
            ("c", "unknown", np.nan, np.nan, float(rng.uniform(0.1, 0.4)), 7),
            ("d", "laplace", 1, float(rng.integers(20, 40)), np.nan, 52),
            ("e", "gaussian", 1, float(rng.integers(30, 90)), np.nan, 300),
        ]
        assert _exact_enough(plan_epsilon, rows, 1e-6), (
            "A plan of five rows has a wrong total, though it may be right for each row alone. What may be added up, "
            "and at which order? How often is δ paid for?"
        )


def the_library_s_year(year_epsilon, data, term):
    "The ε of the library's plan."
    assert np.isclose(year_epsilon, _renyi_epsilon(data["plan.csv"], term["delta"]), rtol=0.0055), (
        "Use the plan in the file, and its δ."
    )


# %% [markdown] task="q4" points=15 parts={"total_epsilon": 8, "caught": 7}
# ## Task 4: The colleague's books (15 points)
#
# A colleague keeps the books for counts with normal noise: a list of standard deviations, one for each count, in the
# order of their release. A reader moves each count by at most 1. The code below runs, every line of it looks like
# chapter 8, and for a single count it is right. There is a defect in it.
#
# Find it, and mend `total_epsilon(sigmas, delta)`: it returns an ε that all counts together keep at δ, and at most half
# a percent more than the tight conversion gives at the best order. Then prove the *unmended* code wrong: let `caught`
# be a list of at most 20 standard deviations for which it claims an ε, at δ = {{delta}}, that the counts don't keep:
# the smallest δ that belongs to the claimed ε is more than ten times as large as claimed.


# %% role="starter" task="q4"
def total_epsilon(sigmas, delta):
    """Return an ε that counts with normal noise of these deviations keep together at δ."""
    orders = 1 + np.logspace(-2, 5, 3000)
    conversion = np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1)
    spent = 0.0
    for sigma in sigmas:
        cost = orders / (2 * sigma**2)
        best = np.argmin(cost + conversion)  # every order is valid, so take the best one
        spent += cost[best]  # costs add up; δ is paid for once, at the end
    return spent + conversion[best]


caught = []


# %% role="solution" task="q4"
def total_epsilon(sigmas, delta):
    orders = 1 + np.logspace(-2, 5, 3000)
    conversion = np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1)
    # Costs add up at one order, the same for all releases: choose it for their sum.
    spent = sum(orders / (2 * sigma**2) for sigma in sigmas)
    return np.min(spent + conversion)


caught = [1, 1000]  # the last count converts at an order at which the first one would cost far more


# %% role="visible" task="q4"
def one_count_is_right(total_epsilon):
    "One count with σ = 1 has an ε between 4.37 and 4.76 at δ = 1e-5."
    assert np.shape(total_epsilon([1.0], 1e-5)) == (), "Return one number."
    assert 4.37 < total_epsilon([1.0], 1e-5) < 4.76, "For one count with σ = 1, the code you were given was right."


def caught_is_a_list_of_deviations(caught):
    "caught is a list of 1 to 20 numbers above 0."
    assert np.ndim(caught) == 1 and 1 <= len(caught) <= 20, "caught should be a list of 1 to 20 numbers."
    assert np.all(np.isfinite(caught)) and np.min(caught) > 0, "Standard deviations should be above 0."


# %% role="hidden" task="q4"
def _colleague(sigmas, delta):
    orders = 1 + np.logspace(-2, 5, 3000)
    conversion = np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1)
    costs = [orders / (2 * sigma**2) for sigma in sigmas]
    best = [np.argmin(cost + conversion) for cost in costs]
    return sum(cost[place] for cost, place in zip(costs, best, strict=True)) + conversion[best[-1]]


def _exact_delta(sigmas, epsilon):
    """Return the least δ: all counts are as private as one with deviation 1/μ (Balle & Wang 2018)."""
    mu = np.sqrt(np.sum(1 / np.square(np.asarray(sigmas, float))))
    return stats.norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon + stats.norm.logcdf(-mu / 2 - epsilon / mu))


def the_mended_total(total_epsilon, rng):
    "The mended total holds, and is no larger than the tight conversion at the best order."
    several = [[1, 1000], [1000, 1], [10] * 100, [3, 8, 200, 40], [200] * 500, list(rng.uniform(2, 60, 30))]
    for sigmas in several:
        rho = np.sum(0.5 / np.square(np.asarray(sigmas, float)))
        for delta in (1e-5, 1e-8):
            total, shown = total_epsilon(sigmas, delta), f"{len(sigmas)} counts, σ from {min(sigmas)} to {max(sigmas)}"
            assert _exact_delta(sigmas, total) <= 1.001 * delta, (
                f"{shown}, δ = {delta}: your ε = {total:.3f} is less than they really keep. What does it mean to add "
                "up Rényi divergences? Try the same counts in another order of release."
            )
            assert total <= 1.0055 * dp.zcdp_to_dp(float(rho), delta=delta), (
                f"{shown}, δ = {delta}: your ε = {total:.3f} holds, but a smaller one can be had. When is the order "
                "chosen, how closely, and how often is something converted?"
            )


def the_colleague_is_caught(caught, term):
    "The colleague's claim for the caught list is false."
    claimed = _colleague(caught, term["delta"])
    real = _exact_delta(caught, claimed)
    assert real > 10 * term["delta"], (
        f"For your list the colleague claims ε = {claimed:.3f} at δ = {term['delta']}, and its least δ is {real:.1e}: "
        "that isn't more than ten times the claimed one. When does the code claim too much, and when too little? Look "
        "at what the last count decides alone."
    )


# %% [markdown] task="q5" points=15
# ## Task 5: The desk that says no (15 points)
#
# Departments of the library send requests, one after the other, and each must be decided before the next is seen.
# `requests` is a table in the order of arrival; `noise` is `"gaussian"` (the columns `sensitivity` and `sigma` belong
# to it) or `"pure"` (an ε-differentially private release, with ε in the column `epsilon`). Other columns are empty.
#
# Write `decide(requests, epsilon, delta)`, which returns a list of True (granted) and False (refused), one for each
# request. Keep the books in zCDP: normal noise costs what chapter 8 says, a pure release $\varepsilon^2/2$. Grant a
# request exactly if everything granted so far, it included, keeps ε at δ by the tight conversion at the best order.
# What is refused isn't released and costs nothing. A request for which a needed number is missing, infinite, 0 or
# negative, or whose `noise` is neither of the two, is refused.


# %% role="starter" task="q5"
def decide(requests, epsilon, delta):
    """Return for each request, in the order of arrival, whether it is granted."""
    ...


# %% role="solution" task="q5"
def decide(requests, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - (np.log(delta) + np.log(order)) / (order - 1)
    spent, granted = 0.0, []
    for request in requests.itertuples():
        cost = None
        if request.noise == "gaussian" and _proper(request.sensitivity) and _proper(request.sigma):
            cost = (request.sensitivity / request.sigma) ** 2 / 2
        elif request.noise == "pure" and _proper(request.epsilon):
            cost = request.epsilon**2 / 2
        granted.append(cost is not None and bool(np.min((spent + cost) * order + conversion) <= epsilon))
        spent += cost if granted[-1] else 0
    return granted


def _proper(number):
    return math.isfinite(number) and number > 0


# %% role="visible" task="q5"
def plain_cases(decide):
    "A small request is granted, a huge one refused, and what follows a refusal is decided by itself."
    table = pd.DataFrame(
        [("gaussian", 1, 1000.0, np.nan), ("pure", np.nan, np.nan, 50.0), ("pure", np.nan, np.nan, 0.01)],
        columns=["noise", "sensitivity", "sigma", "epsilon"],
    )
    answer = decide(table, 1.0, 1e-6)
    assert np.shape(answer) == (3,), "Return one decision for each request."
    assert list(map(bool, answer)) == [True, False, True], (
        "Of these three requests, only the second asks for more than there is."
    )


# %% role="hidden" task="q5"
COLUMNS = ["noise", "sensitivity", "sigma", "epsilon"]


def _budget(epsilon, delta):
    """Return the largest ρ whose tight conversion stays within ε."""
    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if dp.zcdp_to_dp(middle, delta=delta) <= epsilon else (low, middle)
    return low


def _day(rng, epsilon, delta, size):
    """Return requests and the right decisions, none of which is nearer to the budget than a hundredth of it."""
    budget, spent, rows, right = _budget(epsilon, delta), 0.0, [], []
    while len(rows) < size:
        cost = budget * rng.choice([0.004, 0.03, 0.1, 0.4]) * rng.uniform(0.6, 1.4)
        if abs(spent + cost - budget) > budget / 100:
            sensitivity = int(rng.integers(1, 9))
            gaussian = "gaussian", sensitivity, float(sensitivity / np.sqrt(2 * cost)), np.nan
            rows.append(gaussian if rng.random() < 0.5 else ("pure", np.nan, np.nan, float(np.sqrt(2 * cost))))
            right.append(bool(spent + cost <= budget))
            spent += cost * right[-1]
    return rows, right


def _decisions(decide, rows, epsilon, delta):
    return [bool(one) for one in np.asarray(decide(pd.DataFrame(rows, columns=COLUMNS), epsilon, delta))]


def days_at_the_desk(decide, rng, term):
    "Requests of both kinds are decided in the order of arrival."
    for epsilon, delta in ((term["epsilon"], term["delta"]), (0.3, 1e-8), (6.0, 1e-5)):
        for _ in range(3):
            rows, right = _day(rng, epsilon, delta, 40)
            found = _decisions(decide, rows, epsilon, delta)
            assert len(found) == 40, "Return one decision for each request."
            wrong = next((place for place in range(40) if found[place] != right[place]), None)
            assert wrong is None, (
                f"ε = {epsilon}, δ = {delta}, 40 requests: number {wrong + 1} should have been "
                f"{'granted' if right[wrong] else 'refused'}. What has been spent by then, in which currency, and what "
                "becomes of the cost of a refused one?"
            )


def nonsense_at_the_desk(decide, rng, term):
    "A request that makes no sense is refused, and changes nothing."
    nonsense = [
        ("pure", np.nan, np.nan, -1.0),
        ("pure", np.nan, np.nan, 0.0),
        ("pure", 1.0, 20.0, np.nan),
        ("gaussian", 1.0, np.nan, 0.1),
        ("gaussian", 1.0, -50.0, np.nan),
        ("gaussian", 1.0, np.inf, np.nan),
        ("gaussian", -1.0, 50.0, np.nan),
        ("gaussian", 0.0, 50.0, np.nan),
        ("gaussian", 1.0, 0.0, np.nan),
        ("cauchy", 1.0, 50.0, 0.01),
    ]
    rows, right = _day(rng, term["epsilon"], term["delta"], len(nonsense))
    mixed = [row for pair in zip(nonsense, rows, strict=True) for row in pair]
    found = _decisions(decide, mixed, term["epsilon"], term["delta"])
    assert len(found) == len(mixed), "Return one decision for each request."
    for row, granted in zip(nonsense, found[::2], strict=True):
        assert not granted, (
            f"The request {row} should be refused: which of its numbers are needed, and are they proper?"
        )
    assert found[1::2] == right, "After a request that makes no sense, the books should be as they were before."


# %% [markdown] task="q6" points=15
# ## Task 6: As little noise as allowed (15 points)
#
# `statistics` lists what is to be published at once, all with normal noise. `place` is `"all"` for a statistic about
# all readers, otherwise the name of the one branch that it is about. The names of the branches are public, who belongs
# to which is not; a reader is registered at exactly one. So a reader who is added or removed moves every statistic
# about all readers and every statistic of *one* branch, each by at most its `sensitivity`.
#
# Design the noise. Write `noise_plan(statistics, epsilon, delta)`: an array with the standard deviation of each
# statistic's noise, all above 0, in the order of the rows. Everything together must be (ε, δ)-differentially private,
# whichever branch a reader belongs to. The library wants the *sum of the variances* to be small: at most a quarter more
# than the least possible. The grader uses other tables, ε from 0.5 to 10 and δ from 1e-9 to 1e-5; there may be no
# statistic about all readers, or none about a branch.


# %% role="starter" task="q6"
def noise_plan(statistics, epsilon, delta):
    """Return the standard deviation of each statistic's noise."""
    ...


# %% role="solution" task="q6"
def noise_plan(statistics, epsilon, delta):
    def exact_delta(mu):  # of normal noise of deviation 1/mu on a number that moves by 1
        above, below = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return (math.erfc(above / math.sqrt(2)) - math.exp(epsilon) * math.erfc(below / math.sqrt(2))) / 2

    low, high = 1e-6, 1e3
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if exact_delta(middle) <= delta else (low, middle)
    # What matters is the sum of (sensitivity/σ)² over the statistics that a reader moves: at most low².
    # Within a place, a share s of it at least variance: variances in proportion to the sensitivities, Σσ² = (Σd)²/s.
    everywhere = (statistics["place"] == "all").to_numpy()
    moves = statistics["sensitivity"].to_numpy(float)
    reach = statistics.groupby("place")["sensitivity"].transform("sum").to_numpy(float)
    of_all = moves[everywhere].sum()
    of_branches = math.sqrt(np.sum(moves[~everywhere] * reach[~everywhere]))  # √Σ(Σd)²: branches share no reader
    share = np.where(everywhere, of_all, of_branches) / (of_all + of_branches)
    return np.sqrt(moves * reach / share) / low


# %% role="visible" task="q6"
def every_statistic_has_noise(noise_plan):
    "Every statistic has noise, and a larger ε means less of it."
    table = pd.DataFrame({"place": ["all", "north", "south", "south"], "sensitivity": [3.0, 1.0, 10.0, 2.0]})
    sigmas, fewer = (np.asarray(noise_plan(table, epsilon, 1e-6), float) for epsilon in (1.0, 4.0))
    assert sigmas.shape == (4,), "Four statistics should get four standard deviations."
    assert np.all(np.isfinite(sigmas)) and np.all(sigmas > 0), "Every standard deviation should be a number above 0."
    assert np.sum(fewer**2) < np.sum(sigmas**2), "At a larger ε the noise should be smaller."


# %% role="hidden" task="q6"
def _tables(rng):
    """Return tables to plan for; the first two part good designs from naive ones, whatever the term's seed."""
    few = {"all": [12, 5, 2, 1]} | {f"b{number}": [30, 4, 3, 2, 1] for number in range(8)}
    one_large = {"all": [6, 4], "main": [30, 20, 10]} | {f"b{number}": [10, 6, 4] for number in range(7)}
    drawn = {place: np.ceil(rng.lognormal(1.5, 1, rng.integers(1, 7))) for place in ["all", "x", "y", "z"]}
    for moves in (few, one_large, drawn, {"all": [1, 50]}, {"n": [3, 1], "s": [2]}):
        table = pd.DataFrame([(place, float(move)) for place in moves for move in moves[place]])
        yield table.set_axis(["place", "sensitivity"], axis=1).iloc[rng.permutation(len(table))]


def _planned(noise_plan, rng, term):
    """Return (μ² of the worst reader as a share of what is allowed, Σσ² as a share of the least), for each case."""
    for table in _tables(rng):
        for epsilon, delta in ((term["epsilon"], term["delta"]), (0.5, 1e-5), (10.0, 1e-5), (3.0, 1e-9)):
            sigmas = np.asarray(noise_plan(table, epsilon, delta), float)
            assert sigmas.shape == (len(table),), "Return one standard deviation for each row."
            assert np.all(np.isfinite(sigmas)) and np.all(sigmas > 0), "Every deviation should be a number above 0."
            place, moves = table["place"].to_numpy(), table["sensitivity"].to_numpy()
            cost = pd.Series((moves / sigmas) ** 2).groupby(place).sum()
            sums = pd.Series(moves).groupby(place).sum()
            of_all, branches = cost.get("all", 0.0), cost.drop("all", errors="ignore")
            one = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
            # By Lagrange's multipliers, twice: within a place, then between "all" and the branches.
            least = (sums.get("all", 0.0) + np.sqrt(np.sum(sums.drop("all", errors="ignore") ** 2))) ** 2 * one**2
            yield (of_all + branches.max() if len(branches) else of_all) * one**2, np.sum(sigmas**2) / least, epsilon


def every_reader_is_protected(noise_plan, rng, term):
    "Everything together is (ε, δ)-differentially private, for a reader of every branch."
    for spent, _, epsilon in _planned(noise_plan, rng, term):
        assert spent <= 1.0002, (  # a hundredth of a percent in σ, for rounding
            f"ε = {epsilon}: for the reader who moves most, your noise is {np.sqrt(spent):.2f} times too small. "
            "Which statistics does a reader of one branch move, and what do they cost together? Does your formula for "
            "σ hold at this ε?"
        )


def little_noise_in_sum(noise_plan, rng, term):
    "The sum of the variances is at most a quarter above the least possible."
    for _, share, epsilon in _planned(noise_plan, rng, term):
        assert share <= 1.25, (
            f"ε = {epsilon}: the sum of your variances is {share:.2f} times the least possible. Can a reader move the "
            "statistics of two branches? Should a statistic that moves by 30 get the noise of one that moves by 1? "
            "How is the budget divided between all readers' and the branches' statistics? And is your σ the least?"
        )


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: Which total goes on the website? (10 points)
#
# Three accountants looked at the same releases of one year, about {{readers}} readers. Their reports say:
#
# - A: "ε = 2.1 at δ = 0.001, add/remove, by advanced composition."
# - B: "ε = 4.4 at δ = 1e-9, replace-one, by Rényi accounting with the tight conversion."
# - C: "With probability 0.999999 nobody loses more than ε = 3.0, and otherwise nothing is promised; add/remove."
#
# In at most 200 words: can the three be compared as they stand, and why? What is wrong with A's choice of δ for this
# library? Does C follow from (3.0, 0.000001)-differential privacy, or that from C? What would you ask the accountants
# for, and which sentence would you put on the website?

# %% [markdown] role="rubric" task="q7"
# - 3 points: not comparable: two neighbour relations, and δ from 0.001 to 1e-9; an ε means something only together with
#   its δ and its relation. B's replace-one promise is another one (a replaced reader is one removed and one added), so
#   its ε may be larger for the same noise; so may it be because its δ is so much smaller.
# - 2 points: A's δ is far above 1/n = 1/{{readers}}: a mechanism that publishes each reader with probability 0.001
#   would keep it, and expose {{readers}}/1000 readers in a year on average.
# - 3 points: C *implies* (3.0, 0.000001) (a loss above ε with probability at most δ is sufficient), but doesn't follow
#   from it: for normal noise the loss exceeds ε more often than δ says (chapter 6: sixteen times in the example).
# - 2 points: asks for all three at one δ well below 1/{{readers}} and one relation, and prints the smallest of these
#   *upper* bounds (each is valid), in a sentence with ε, δ, relation, and the period or the releases it covers. 1 point
#   if one of the parts is missing.
#
# **A model answer** (10 points) No. An ε means something only together with its δ and its neighbours. B's is for
# replacing a reader, which is removing one and adding another, and for a δ a million times smaller than A's, so the
# same noise may well have given B the larger number. A's δ of 0.001 is far above one over the number of readers: a
# machine that publishes each reader with probability 0.001 would keep it, and expose thirty in 30,000. C implies (3.0,
# 0.000001)-differential privacy: where the loss is above ε with probability δ at most, no event exceeds e^ε times the
# other side by more than δ. The reverse doesn't hold: for normal noise the loss exceeds ε more often than δ says. I
# would ask all three for add/remove at δ = 1e-7. Each is an upper bound, so the smallest holds. Website: "All
# statistics of 2026 together are (ε, 1e-7)-differentially private for each reader who is added or removed."
#
# **A borderline answer** (5 points) "They can't be compared because δ is different. A's δ is too large, it should be
# 1/n. C is the same as DP by definition. I would take B because it has the smallest δ." The relation is missed (2 of
# 3), A's δ without what it allows (1 of 2), C only half (1 of 3), and a choice instead of a common δ (1 of 2).

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 1, for which set of answers is δ reached, and why isn't it the set of all answers?
# 2. In task 4, the colleague's total may be too small. Change the order of the releases so that it is too large, and
#    explain.
# 3. In task 6, why do two branches not cost twice as much as one? And what if a reader could be registered at two?
