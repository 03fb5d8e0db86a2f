# %% [markdown]
# # Assignment 9: What the label says
#
# An office tests software that says "differentially private" on its label. It has two tools. An **audit** runs the
# software again and again, and proves how large its ε is *at least*. **Exact accounting** computes how large the ε of
# many releases is *at most*, with hardly anything to spare. You build both, and mend one that is on sale. Neighbours
# are **add/remove**: two tables of which one has one row more. The tables are invented, so nobody is hurt.
#
# You need chapters 17 and 18, with what they take from chapters 3 and 6, and about five hours. Write into the cells
# marked for you, keep the names of the functions, and leave the rest as it is. Each task stands alone: a function that
# you write for one isn't used by another. Below each task is a cell that checks what you can check yourself; the grader
# checks more, on other numbers. What the parts of a task are worth stands at its end; a part earns all its points or
# none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded. `math.lgamma` is.
# - Nothing that you write is random: your functions get outputs or probabilities, and compute. They change nothing that
#   they are given.
# - `outputs.csv` has {{runs}} outputs of a mechanism for each of two neighbours, in the columns `first` and `second`;
#   it is there so that you can try your detector.

# %% role="term"
# The wages' audits in q2 take claims from 0.5 to 2.
TERM = {"runs": 4000, "claim": 1.0}


# %% role="data"
def make_data(term, rng):
    scale, n = rng.uniform(0.6, 1.4), term["runs"]
    return {"outputs.csv": pd.DataFrame({"first": rng.laplace(1, scale, n), "second": rng.laplace(0, scale, n)})}


# %% role="setup"
import math

import numpy as np
import pandas as pd

outputs = pd.read_csv("outputs.csv")
outputs.describe().round(2)

# %% [markdown] task="q1" points=20
# ## Task 1: A smoke detector (20 points)
#
# Somebody sells the office a mechanism, and says nothing about what is in it. You may run it as often as you like on
# two neighbouring tables. Write `proven_epsilon(first, second)`: `first` and `second` are arrays of the same length,
# independent outputs (numbers) for the one table and for the other. Return a number, finite and at least 0, that is a
# **lower bound** on the mechanism's ε, in this sense: whatever the mechanism does, your number exceeds its true ε in at
# most 1 of 100 audits.
#
# Look for events of the form "the output is above $t$" and "the output is at most $t$", in both orders of the two
# tables, for a threshold of your choice (beware: who tries many thresholds tries many chances of being wrong). The
# detector must not be deaf. With 10,000 outputs for each table it must practically always return
#
# - at least 0.5 if they are a count with Laplace noise at ε = 1 on neighbours that differ in that count by 1, and
# - at least 0.6 if they are zeros and ones, and one of the two *values* has probability 0.2 for the one table, 0.04 for
#   the other, and
# - at least 2.5 if a threshold parts the outputs for the two tables completely.


# %% role="starter" task="q1"
def proven_epsilon(first, second):
    """Return a lower bound on ε that is wrong in at most 1 of 100 audits."""
    ...


# %% role="solution" task="q1"
def proven_epsilon(first, second):
    first, second = np.sort(first), np.sort(second)
    # By the inequality of Dvoretzky, Kiefer and Wolfowitz, all shares of outputs at or below any t are within this
    # distance of their probabilities, for both tables, except with probability 2 · 2 exp(−2 n d²) = 1/100.
    distance = np.sqrt(np.log(400) / (2 * len(first)))
    t = np.concatenate([first, second])
    below = [np.searchsorted(outputs, t, side="right") / len(outputs) for outputs in (first, second)]
    events = [below, below[::-1], [1 - below[0], 1 - below[1]], [1 - below[1], 1 - below[0]]]
    likely, rare = (np.concatenate(side) for side in zip(*events, strict=True))
    ratio = np.maximum(likely - distance, 0) / (rare + distance)
    return max(np.log(max(ratio.max(), 1)), 0.0)


# %% role="visible" task="q1"
def a_bound_is_a_number(proven_epsilon):
    "The bound is a finite number, and at least 0, even where the two tables never share an output."
    rng = np.random.default_rng(1)
    for first, second in ((rng.normal(size=1_000), rng.normal(size=1_000)), (np.zeros(1_000), np.ones(1_000))):
        bound = proven_epsilon(first, second)
        assert np.shape(bound) == (), "Return one number."
        assert 0 <= bound < np.inf, "No finite number of runs proves an infinite ε, and no ε is below 0."


# %% role="hidden" task="q1"
def _bits(n, chance, rng):
    return (rng.random(n) < chance).astype(float)


def seldom_a_false_alarm(proven_epsilon, rng):
    "The bound exceeds the mechanism's true ε in at most 1 of 100 audits."
    # Up to 6 of 30 are let pass. At a chance of 1/100 each, 7 or more have probability 2e-8.
    for name, epsilon, draw in (
        ("the same outputs for both tables, ε = 0", 0.0, lambda: (rng.normal(size=1_000), rng.normal(size=1_000))),
        ("a count with Laplace noise", 0.5, lambda: (rng.laplace(1, 2, 1_000), rng.laplace(0, 2, 1_000))),
        ("a bit by randomized response", 1.0, lambda: tuple(_bits(1_000, p, rng) for p in (0.268941421, 0.731058578))),
        ("a rare output", 4.0, lambda: tuple(_bits(1_000, p, rng) for p in (0.01 * math.exp(-4), 0.01))),
    ):
        false = sum(proven_epsilon(*draw()) > epsilon for _ in range(30))
        assert false <= 6, (
            f"Of 30 audits of a mechanism ({name}), {false} 'proved' an ε above the true one, {epsilon}. How far may a "
            "share be from its probability? How many thresholds did you try? What if an output never occurred?"
        )


def not_deaf(proven_epsilon, rng):
    "The bound is as large as the task asks for, in either order of the tables."
    n = 10_000
    cases = {
        "A count with Laplace noise at ε = 1": (0.5, rng.laplace(1, 1, n), rng.laplace(0, 1, n)),
        "A rare 1": (0.6, _bits(n, 0.2, rng), _bits(n, 0.04, rng)),
        "A rare 0": (0.6, _bits(n, 0.8, rng), _bits(n, 0.96, rng)),
        "Outputs that are parted by a threshold": (2.5, rng.uniform(5, 6, n), rng.uniform(4, 5, n)),
    }
    for name, (least, one, other) in cases.items():
        for first, second in ((one, other), (other, one)):
            bound = proven_epsilon(first, second)
            assert bound >= least, (
                f"{name}: the bound is {bound:.2f}, and should be {least} at least. Which events do you "
                "look at, above and below which thresholds, and in which order of the tables?"
            )


# %% [markdown] task="q2" points=15 parts={"pair_sum": 5, "pair_mean": 5, "pair_above": 5}
# ## Task 2: The pair that tells (15 points)
#
# Three releases of numbers, such as wages in euros an hour, claim ε = {{claim}} (add/remove). The cell below has their
# code, with the noise taken out: each returns the number before the noise, and the scale of the Laplace noise. All
# three claims are wrong, but on most tables nothing shows.
#
# Define `pair_sum`, `pair_mean` and `pair_above`. Each is a tuple `(table, neighbour, threshold)`: two lists of at most
# 100 finite numbers, one of which is the other with one number more (the order doesn't matter), and a number. The event
# "the output is at least `threshold`" must prove twice the claim, with enough runs: its probability on `table` must be
# at least 0.01, and more than $e^{2 \cdot \text{claim}}$ times that on `neighbour`.


# %% role="setup"
CLAIM = {{claim}}


def release_sum(values):
    """The sum, each value clipped at 100."""
    return np.minimum(values, 100).sum(), 100 / CLAIM


def release_mean(values):
    """The mean of values clipped to 0…100; of no values, 0."""
    clipped = np.clip(values, 0, 100)
    return clipped.sum() / max(len(clipped), 1), 100 / (max(len(clipped), 1) * CLAIM)


def release_above(values):
    """The number of values that lie above the mean of all."""
    values = np.asarray(values, float)
    return np.sum(values > values.mean()) if values.size else 0, 1 / CLAIM


# %% role="starter" task="q2"
pair_sum = ([10.0, 20.0], [10.0], 150.0)
pair_mean = ([10.0, 20.0], [10.0], 150.0)
pair_above = ([10.0, 20.0], [10.0], 3.0)


# %% role="solution" task="q2"
# The newcomer has a huge debt: nothing clips it from below.
pair_sum = ([], [-1e4], 0.0)
# The noise is twice as wide for one row as for two, and far out that counts more than anything.
pair_mean = ([100.0], [100.0, 0.0], 100 + 300 / {{claim}})
# 49 are above the mean until somebody comes who lifts it above them.
pair_above = ([10.0] * 50 + [20.0] * 49, [10.0] * 50 + [20.0] * 49 + [1e6], 49.0)


# %% role="visible" task="q2"
def _is_pair(pair):
    table, neighbour, threshold = pair
    assert max(len(table), len(neighbour)) <= 100, "A table has at most 100 numbers."
    assert np.isfinite([*table, *neighbour, threshold]).all(), "All numbers should be finite."
    small, large = sorted((sorted(table), sorted(neighbour)), key=len)
    places = [place for place, (one, other) in enumerate(zip(small, large, strict=False)) if one != other]
    gone = places[0] if places else len(small)
    assert len(large) == len(small) + 1 and large[:gone] + large[gone + 1 :] == small, (
        "The two tables must be neighbours: one is the other with one number more."
    )


def a_pair_for_the_sum(pair_sum):
    "pair_sum is a table, a neighbour and a threshold."
    _is_pair(pair_sum)


def a_pair_for_the_mean(pair_mean):
    "pair_mean is a table, a neighbour and a threshold."
    _is_pair(pair_mean)


def a_pair_for_the_values_above(pair_above):
    "pair_above is a table, a neighbour and a threshold."
    _is_pair(pair_above)


# %% role="hidden" task="q2"
def _sum(values, claim):
    return sum(min(value, 100) for value in values), 100 / claim


def _mean(values, claim):
    n = max(len(values), 1)
    return sum(min(max(value, 0), 100) for value in values) / n, 100 / (n * claim)


def _above(values, claim):
    return (np.sum(np.array(values) > np.mean(values)) if len(values) else 0), 1 / claim


def _proves(release, pair, claim):
    table, neighbour, threshold = pair
    chances = [stats.laplace(*release(np.array(rows, float), claim)).logsf(threshold) for rows in (table, neighbour)]
    assert chances[0] >= math.log(0.01), (
        f"On your table the event has the probability {math.exp(chances[0]):.2g} only: nobody would see it. Lower the "
        "threshold, or exchange the two tables."
    )
    assert chances[0] - chances[1] > 2 * claim, (
        f"The event's two probabilities have a ratio of e^{chances[0] - chances[1]:.2f}, and e^{2 * claim:g} is to be "
        "exceeded. What may a number in a table be, and what does the code take for granted about it? Which tables "
        "differ most in what is released before the noise, or in the size of the noise?"
    )


def the_sum_is_convicted(pair_sum, term):
    "The event proves twice the claim of the sum."
    _proves(_sum, pair_sum, term["claim"])


def the_mean_is_convicted(pair_mean, term):
    "The event proves twice the claim of the mean."
    _proves(_mean, pair_mean, term["claim"])


def the_values_above_are_convicted(pair_above, term):
    "The event proves twice the claim of the number of values above the mean."
    _proves(_above, pair_above, term["claim"])


# %% [markdown] task="q3" points=20 parts={"total_delta": 13, "caught": 7}
# ## Task 3: The colleague's code (20 points)
#
# A mechanism has finitely many answers: answer $i$ has probability `p[i]` with a certain person, `q[i]` without, all of
# them above 0. It answers `times` times, with fresh randomness. A colleague computes the δ of all answers together at
# `epsilon` from the privacy loss $\ln(p_i/q_i)$ of one: the losses are rounded to a grid with the distance `step`, the
# histogram is convolved with itself, and each loss $\ell$ above ε weighs $1 - e^{\varepsilon-\ell}$. (One order of the
# two tables is enough here: with the person first.) The code runs, and its results look fine. It is sold as an upper
# bound. There is a defect in it: it isn't one.
#
# Find it and mend `total_delta`, so that the result is never below the δ of that order (but for the rounding of
# floats), and never above what that δ would be if each of the answers' losses were larger by `step`. Then prove the
# unmended code wrong: let `caught` be a tuple `(p, q, times, epsilon)`, with two answers (two numbers above 0 in `p`
# and in `q`) and at most 1,000 times, for which the *unmended* code, with a `step` of 0.01, claims less than half of
# the true δ, and the true δ is at least 0.000001.


# %% role="starter" task="q3"
def total_delta(p, q, times, epsilon, step):
    """Return an upper bound on the δ of all answers together."""
    losses = np.log(np.asarray(p) / np.asarray(q))
    cells = np.round(losses / step).astype(int)  # to the nearest point: errors cancel
    low = cells.min()
    histogram = np.bincount(cells - low, weights=p)
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, histogram)
    loss = (times * low + np.arange(total.size)) * step
    return np.sum(total * np.maximum(1 - np.exp(epsilon - loss), 0))


caught = ([0.5, 0.5], [0.4, 0.6], 10, 1.0)


# %% role="solution" task="q3"
def total_delta(p, q, times, epsilon, step):
    losses = np.log(np.asarray(p) / np.asarray(q))
    cells = np.ceil(losses / step).astype(int)  # up: a loss that is too large makes δ too large, never too small
    low = cells.min()
    histogram = np.bincount(cells - low, weights=p)
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, histogram)
    loss = (times * low + np.arange(total.size)) * step
    return np.sum(total * np.maximum(1 - np.exp(np.minimum(epsilon - loss, 0)), 0))


# Losses of 0.004 and less are rounded to 0, a thousand times.
caught = ([0.502, 0.498], [0.5, 0.5], 1000, 0.0)


# %% role="visible" task="q3"
def two_answers_by_hand(total_delta):
    "Two reports of randomized response need δ = 3/8 at ε = ln 3, as in chapter 18."
    found = total_delta([0.75, 0.25], [0.25, 0.75], 2, np.log(3), 0.001)
    assert np.shape(found) == (), "Return one number."
    assert 0.374 < found < 0.377, "Two answers, true with chance 3/4 each: work out the histogram of their loss."


def caught_is_a_case(caught):
    "caught is a mechanism with two answers, a number of times, and an ε."
    p, q, times, epsilon = caught
    for chances in (p, q):
        assert np.shape(chances) == (2,) and np.min(chances) > 0, "p and q should have two numbers above 0."
        assert np.isclose(np.sum(chances), 1, atol=1e-9), "The chances of the two answers should add up to 1."
    assert int(times) == times and 1 <= times <= 1_000, "times should be a whole number from 1 to 1,000."
    assert np.isfinite(epsilon) and epsilon >= 0, "ε should be at least 0."


# %% role="hidden" task="q3"
def _true_delta(p, q, times, epsilon):
    """Return the δ of two answers, from the number of times that the first one comes."""
    count = np.arange(times + 1)
    loss = count * math.log(p[0] / q[0]) + (times - count) * math.log(p[1] / q[1])
    return np.sum(stats.binom.pmf(count, times, p[0]) * -np.expm1(np.minimum(epsilon - loss, 0)))


def the_mended_total_is_a_bound(total_delta, rng):
    "The result is an upper bound, and no looser than a step for each answer makes it."
    cases = [(0.502, 0.5, 1000, 0.0, 0.01), (0.75, 0.25, 5, 1.0, 0.07), (0.55, 0.5, 200, 0.5, 0.003)]
    cases += [(*rng.uniform(0.3, 0.7, 2), int(rng.integers(5, 60)), rng.uniform(0, 2), 0.02) for _ in range(5)]
    for p, q, times, epsilon, step in cases:
        p, q = np.array([p, 1 - p]), np.array([q, 1 - q])
        found = total_delta(p, q, times, epsilon, step)
        least, most = (_true_delta(p, q, times, epsilon - more) for more in (0, times * step * 1.0001))
        assert found >= least - 1e-9, (
            f"p = {p.round(3)}, q = {q.round(3)}, {times} times, ε = {epsilon:.2f}, step {step}: your δ, "
            f"{found:.2g}, is too small. Follow one loss onto the grid: in which direction may it move, "
            "so that δ can only grow?"
        )
        assert found <= most + 1e-9, (
            f"p = {p.round(3)}, q = {q.round(3)}, {times} times, ε = {epsilon:.2f}, step {step}: your δ, {found:.2g}, "
            "is a bound, but a loss moves by more than a step."
        )


def three_answers_and_more(total_delta, rng):
    "The result is a bound for mechanisms with several answers, too."
    for answers, times in ((3, 4), (6, 3)):
        p, q = rng.dirichlet(np.full(answers, 4.0), 2)
        loss, chance = np.log(p / q), p
        for _ in range(times - 1):
            loss, chance = np.add.outer(loss, np.log(p / q)).ravel(), np.multiply.outer(chance, p).ravel()
        for epsilon in (0.2, 1.0):
            found = total_delta(p, q, times, epsilon, 0.01)
            least, most = (
                np.sum(chance * -np.expm1(np.minimum(epsilon - loss - more, 0))) for more in (0, 0.010001 * times)
            )
            assert least - 1e-9 <= found <= most + 1e-9, (
                f"{answers} answers, {times} times, ε = {epsilon}: your δ, {found:.4g}, is too "
                f"{'small' if found < least else 'large'}. Add up the losses of all sequences of "
                "answers by hand for a small case."
            )


def the_colleague_is_caught(caught):
    "The colleague's claim for the caught case is less than half of the truth."
    p, q, times, epsilon = np.asarray(caught[0], float), np.asarray(caught[1], float), int(caught[2]), caught[3]
    cells = np.round(np.log(p / q) / 0.01).astype(int)
    count = np.arange(times + 1)
    loss = (count * cells[0] + (times - count) * cells[1]) * 0.01
    claimed = np.sum(stats.binom.pmf(count, times, p[0]) * -np.expm1(np.minimum(epsilon - loss, 0)))
    true = _true_delta(p, q, times, epsilon)
    assert true >= 1e-6, f"The true δ of your case is {true:.1e}: too small to matter."
    assert claimed < true / 2, (
        f"For your case the colleague claims δ = {claimed:.3g}, and the true δ is {true:.3g}. When do the errors of "
        "rounding all have the same sign? And how many of them can add up?"
    )


# %% [markdown] task="q4" points=15 parts={"least_misses": 8, "curve_delta": 7}
# ## Task 4: The whole curve (15 points)
#
# A mechanism with finitely many answers again: answer $i$ has probability `p[i]` with a certain person, and `q[i]`
# without. Some of them may be 0. Somebody sees one answer, and accuses the person of being in the table, or doesn't.
# An accusation may depend on the answer, and on the toss of a coin. Write
#
# - `least_misses(p, q, false_alarms)`: the least rate of misses that any test has whose rate of false alarms is at most
#   `false_alarms`, a number from 0 to 1: a point of the trade-off curve.
# - `curve_delta(points, epsilon)`: `points` is an array with two columns, rates of false alarms and of misses of the
#   corners of a trade-off curve (between them it is straight; it begins at 0 false alarms and ends at 0 misses).
#   Return the smallest δ, at least 0, for which the mechanism is (ε, δ)-differentially private with this order of the
#   two tables and with the other, at ε = `epsilon`.


# %% role="starter" task="q4"
def least_misses(p, q, false_alarms):
    """Return the least rate of misses at this rate of false alarms."""
    ...


def curve_delta(points, epsilon):
    """Return the smallest δ at ε that the trade-off curve allows."""
    ...


# %% role="solution" task="q4"
def least_misses(p, q, false_alarms):
    p, q = np.asarray(p, float), np.asarray(q, float)
    # Neyman and Pearson: accuse at the answers with the largest ratios first, at the last one by a coin.
    order = np.argsort(-np.divide(p, q, out=np.full(p.size, np.inf), where=q > 0), kind="stable")
    alarms = np.append(0, np.cumsum(q[order]))
    found = np.append(0, np.cumsum(p[order]))
    free = found[np.flatnonzero(alarms <= 0)[-1]]  # answers that only the person's table gives
    return 1 - max(free, np.interp(false_alarms, alarms, found))


def curve_delta(points, epsilon):
    alarms, misses = np.asarray(points, float).T
    # 1 - misses <= e^ε alarms + δ, and with the tables exchanged 1 - alarms <= e^ε misses + δ.
    grown = np.exp(epsilon)
    return max(np.max(1 - misses - grown * alarms), np.max(1 - alarms - grown * misses), 0.0)


# %% role="visible" task="q4"
def three_answers_by_hand(least_misses):
    "Chapter 18's mechanism with three answers has its curve through (0.2, 0.4) and (0.6, 0.1)."
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.4, 0.4])
    assert np.shape(least_misses(p, q, 0.2)) == (), "Return one number."
    assert np.isclose(least_misses(p, q, 0.2), 0.4) and np.isclose(least_misses(p, q, 0.6), 0.1), (
        "At which answers does the best test accuse, if it may accuse 20% of those who aren't there? And 60%?"
    )


def a_curve_by_hand(curve_delta):
    "At ε = 0, δ is how far the curve lies below guessing."
    points = np.array([[0, 1], [0.2, 0.4], [0.6, 0.1], [1, 0]])
    assert np.shape(curve_delta(points, 0.0)) == (), "Return one number."
    assert np.isclose(curve_delta(points, 0.0), 0.4), "At ε = 0: 1 − 0.4 − 0.2 is the largest distance."


# %% role="hidden" task="q4"
def _tests(p, q):
    """Return false alarms and misses of all tests without coins."""
    sets = [np.array([mask >> place & 1 for place in range(len(p))], bool) for mask in range(2 ** len(p))]
    return np.array([(q[chosen].sum(), 1 - p[chosen].sum()) for chosen in sets])


def _below(tests, alarms):
    """Return the least misses of a mixture of two tests with so many false alarms."""
    best = 1.0
    for a, b in tests:
        for c, d in tests:
            if a <= alarms <= c:
                share = (alarms - a) / (c - a) if c > a else 0.0
                best = min(best, b + share * (d - b))
            elif max(a, c) <= alarms:
                best = min(best, b, d)
    return best


def _machines(rng):
    yield np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.4, 0.4])
    yield np.array([0.3, 0.0, 0.5, 0.2]), np.array([0.0, 0.3, 0.2, 0.5])
    yield np.array([0.25, 0.25, 0.3, 0.2, 0.0]), np.array([0.0, 0.0, 0.3, 0.3, 0.4])
    for answers in (2, 5):
        yield tuple(rng.dirichlet(np.ones(answers), 2))


def no_test_is_better(least_misses, rng):
    "The misses are the least of all tests, with and without coins."
    for p, q in _machines(rng):
        tests = _tests(p, q)
        for alarms in (0.0, 0.05, 0.2, 0.37, 0.8, 1.0):
            assert np.isclose(least_misses(p, q, alarms), _below(tests, alarms), atol=1e-9), (
                f"p = {p.round(2)}, q = {q.round(2)}, false alarms {alarms}: the least rate of misses is another one. "
                "In which order does the best test take the answers? What may it do at the answer at which it would "
                "accuse too many? And what costs no false alarm at all?"
            )


def delta_of_a_curve(curve_delta, rng):
    "δ is what the lines of (ε, δ) need, in both orders."
    for p, q in _machines(rng):
        order = np.argsort(-(p + 1e-300) / (q + 1e-300))
        points = np.column_stack([np.append(0, np.cumsum(q[order])), 1 - np.append(0, np.cumsum(p[order]))])
        for epsilon in (0.0, 0.4, 1.5, 8.0):
            least = max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
            assert np.isclose(curve_delta(points, epsilon), least, atol=1e-9), (
                f"ε = {epsilon}, a curve with {len(points)} corners: the smallest δ is another one. Which two lines "
                "must the curve not cross, and where does a curve with corners come nearest to a line?"
            )


# %% [markdown] task="q5" points=20
# ## Task 5: A year of releases (20 points)
#
# The office wants its books to be exact, or nearly. `releases` is a list of `(p, q, times)`: a mechanism with finitely
# many answers, as above (`q[i]` is 0 nowhere, and neither is `p[i]`), and how many times it answers. There may be
# several of them, and up to 300 answers in all. Design the accountant: write `total_epsilon(releases, delta)`, an ε
# that all answers together keep at `delta`, for *both* orders of the two tables. It must be an upper bound, **at most
# 1% above the smallest one** (or 0.0001, where 1% is less). The smallest ones are between 0.01 and 20, each loss is
# between −3 and 3, δ is from 1e-8 to 0.01, and your function should be done within five seconds.
#
# Advanced composition, or Rényi divergences, lose far more than 1%. A histogram of losses on a grid needn't. How fine
# must the grid be, if each of 300 losses may be moved by a step? Convolving long arrays is fast with `np.fft`, whose
# errors of some 1e-16 are small beside these δ, or by squaring: sixteen times is twice eight times.


# %% role="starter" task="q5"
def total_epsilon(releases, delta):
    """Return an ε that all answers together keep at δ, at most 1% above the smallest."""
    ...


# %% role="solution" task="q5"
def total_epsilon(releases, delta):
    def one_order(releases):
        answers = sum(times for *_, times in releases)
        reach = sum(times * np.abs(np.log(np.divide(p, q))).max() for p, q, times in releases)
        step = max(min(1e-3, 0.5 / answers), reach / 2**20)
        size = 1 << int(np.ceil(np.log2(2 * reach / step + 2 * answers + 2)))
        spectrum, low = np.ones(size // 2 + 1, complex), 0
        for p, q, times in releases:
            p, losses = np.asarray(p, float), np.log(np.divide(p, q))
            # Each loss goes to both ends of its cell, so that the mean of e^-loss stays: a bound, and a close one.
            cells = np.floor(losses / step).astype(int)
            up = -np.expm1(-(losses - cells * step)) / -np.expm1(-step)
            histogram = np.zeros(size)
            np.add.at(histogram, cells - cells.min(), p * (1 - up))
            np.add.at(histogram, cells - cells.min() + 1, p * up)
            spectrum *= np.fft.rfft(histogram) ** times
            low += times * cells.min()
        chances = np.maximum(np.fft.irfft(spectrum, size), 0)
        loss = (low + np.arange(size)) * step
        least, most = 0.0, reach + answers * step
        while most - least > 1e-6:
            epsilon = (least + most) / 2
            enough = np.sum(chances * -np.expm1(np.minimum(epsilon - loss, 0))) <= delta * (1 - 1e-6)
            least, most = (least, epsilon) if enough else (epsilon, most)
        return most

    return max(one_order(releases), one_order([(q, p, times) for p, q, times in releases]))


# %% role="visible" task="q5"
def one_answer_by_hand(total_epsilon):
    "One report that is true three times in four has ε = ln 2.96 or so at δ = 0.01."
    found = total_epsilon([([0.75, 0.25], [0.25, 0.75], 1)], 0.01)
    assert np.shape(found) == (), "Return one number."
    assert np.log(2.96) <= found <= 1.01 * np.log(2.96), "0.75 = e^ε · 0.25 + 0.01: which ε is that?"


# %% role="hidden" task="q5"
def _office(rng):
    yes = 1 / (1 + np.exp(-0.1))
    yield [([yes, 1 - yes], [1 - yes, yes], 300)], 1e-6
    yield [([0.75, 0.25], [0.25, 0.75], 3)], 0.01
    yield [([0.3, 0.5, 0.2], [0.2, 0.5, 0.3], 100), ([0.6, 0.3, 0.1], [0.2, 0.4, 0.4], 2)], 1e-8
    yield [([0.9, 0.1], [0.8, 0.2], 40)], 1e-4
    yield [([0.501, 0.499], [0.5, 0.5], 300)], 1e-3
    parts = []
    for answers, times in ((2, 60), (4, 30), (7, 8)):
        p = rng.dirichlet(np.full(answers, 20.0))
        q = p * np.exp(rng.uniform(-0.4, 0.4, answers))
        parts.append((list(p), list(q / q.sum()), times))
    yield parts, 1e-5


def the_total_is_a_bound_and_nearly_exact(total_epsilon, rng):
    "The total is never below the smallest ε, and at most 1% above it."
    for releases, delta in _office(rng):
        account = None
        for p, q, times in releases:
            one = dp.PrivacyLoss.from_probabilities(p, q).compose_self(times)
            account = one if account is None else account.compose(one)
        least, most = account.epsilon_bounds(delta)
        found = total_epsilon(releases, delta)
        name = f"{sum(times for *_, times in releases)} answers of {len(releases)} mechanisms, δ = {delta:g}"
        assert found >= least * (1 - 1e-5), (
            f"{name}: your ε, {found:.4f}, is less than the smallest one. Is every loss rounded up? Which "
            "of the two orders is the worse one?"
        )
        assert found <= max(1.01 * most, most + 1e-4), (
            f"{name}: your ε, {found:.4f}, is more than 1% above the smallest one. How far is each loss moved, and "
            "how many are there? Is anything bounded that could be computed?"
        )


# %% [markdown] role="written" task="q6" points=10
# ## Task 6: The report (10 points)
#
# A vendor's product claims ε = 1 and δ = 1e-6 (add/remove). The office has run it 20,000 times on each of two tables
# that differ in one row. The audit, at a risk of 1%, proves ε ≥ 0.4. The vendor writes: "The office has confirmed that
# our product's ε is at most 1, and is really 0.4. Before that, twelve audits of earlier versions found nothing either.
# For three releases of the product we charge 3 · 0.4 = 1.2."
#
# In at most 200 words: what does the audit say, and what doesn't it? Find the vendor's mistakes, say what follows for
# three releases, and name two things that you would do next, with what each could show.

# %% [markdown] role="rubric" task="q6"
# - 3 points: 0.4 is a lower bound, on this pair of tables, for the events tried, at a risk of 1% (2); it neither
#   confirms 1 nor says that ε is 0.4: an audit convicts and never acquits (1).
# - 2 points: δ = 1e-6 can't be seen in 20,000 runs: it was taken from the label, and a failure that comes once in a
#   million runs would be missed.
# - 2 points: the three releases are charged with what is *promised*, by the proof: at most ε = 3 at δ = 3e-6 by adding
#   up (or less by exact accounting of the known mechanism), never with what an audit has proven.
# - 2 points, 1 for each next step with what it could show: harder pairs (rows at the ends of the range, small tables,
#   groups), more runs, other events, reading the code or the proof.
# - 1 point: many audits have many risks; twelve that found nothing are no evidence for a bound, and had one accused,
#   its risk would have to be counted in.
#
# **A model answer** (10 points) The audit says: on these two tables, for the events that it tried, ε is at least 0.4,
# at a risk of 1%. It doesn't confirm 1, and doesn't say that ε is 0.4: an audit convicts and never acquits. δ = 1e-6
# can't be seen in 20,000 runs; it was taken from the label, and a failure that comes once in a million runs would be
# missed. Twelve audits that found nothing prove nothing either, and twelve risks of 1% would have had to be counted in.
# Three releases are charged with what is promised, and proven on paper: at most 3 at a δ of 3e-6, or less by exact
# accounting if the mechanism is known. Next I would audit harder pairs, such as tables of one row against two and rows
# at the ends of the range: they could show more than 1. And I would read the code and its proof: nothing else can show
# at most 1.
#
# **A borderline answer** (5 points) "0.4 is a lower bound so the vendor can't say it is really 0.4. Three releases cost
# 3. More runs should be done, and other tables." The bound is read rightly (2 of 3), δ isn't mentioned (0 of 2), the
# charge is right without its δ (1 of 2), two next steps without what they could show (1 of 2), 1 for not counting the
# earlier audits as evidence where that is said.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. Your detector of task 1 says 0.7. Say in one sentence what you now know, and with what risk.
# 2. In task 3, rounding to the nearest is more exact on average. Why isn't it good enough?
# 3. In task 4, draw the trade-off curve of a mechanism that gives away nothing, and of one that gives away everything.
#    Where does (ε, δ) come in?
