# %% [markdown]
# # Assignment 3: What people earn
#
# A union asks its members what they earn, and what they spend. It wants to publish sums, means and favourites, and
# promises **ε-differential privacy** (in task 4: with a δ). Neighbours are two tables of which one has one row more
# than the other (add/remove), unless a task says something else. Public are the questions, the code, every ε and δ,
# and what a task calls public. The rows are not public, and neither is their number.
#
# You need chapters 5 and 7 (and from chapter 6, what a δ is), and about four hours. Write into the cells marked for
# you, keep the names of the functions, and leave the rest as it is. Each task stands alone: a function that you write
# for one isn't used by another. Below each task is a cell that checks what you can check yourself; the grader checks
# more, on other numbers. What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `incomes.csv` has the yearly income (column `income`) of each of {{people}} invented members of one branch;
#   `purchases.csv` has what some of them bought in the union's shop, a row for each purchase, with columns `person`
#   and `amount` (in euros; a refund is negative). They are there so that you can try your functions.

# %% role="term"
# For q5: at least 3000 people at epsilon = 1, and people * epsilon at least 3000.
TERM = {"people": 4000, "epsilon": 1.0}


# %% role="data"
def make_data(term, rng):
    incomes = np.round(rng.lognormal(np.log(rng.uniform(20_000, 60_000)), 0.9, term["people"]))
    buyers = [f"m{number:04}" for number in rng.choice(term["people"], 300, replace=False)]
    person = rng.choice(buyers, 1_000)
    amount = np.round(rng.lognormal(3, 1, 1_000) * rng.choice([1, -1], 1_000, p=[0.93, 0.07]), 2)
    purchases = pd.DataFrame({"person": person, "amount": amount})
    return {"incomes.csv": pd.DataFrame({"income": incomes}), "purchases.csv": purchases}


# %% role="setup"
import numpy as np
import pandas as pd

incomes = pd.read_csv("incomes.csv")
purchases = pd.read_csv("purchases.csv")
incomes.describe().round()

# %% [markdown] task="q1" points=15
# ## Task 1: How far at most? (15 points)
#
# Every row is one number from the public range `[lower, upper]`, where `lower < upper` and either may be negative.
# Write `sensitivity(query, lower, upper, relation)`: the global sensitivity of a query, for `relation`
# `"add/remove"` or `"replace-one"`. The possible tables have any number of rows; under replace-one, too, the
# sensitivity is the largest over all numbers of rows. The queries are
#
# - `"rows"`: the number of rows,
# - `"sum"`: the sum of the values,
# - `"squares"`: the sum of the squared values,
# - `"largest"`: the largest value; `lower` for a table without rows,
# - `"mean"`: the mean; `lower` for a table without rows,
# - `"variance"`: the mean squared distance from the mean; 0 for a table without rows.


# %% role="starter" task="q1"
def sensitivity(query, lower, upper, relation):
    """Return how far one row can move the query's answer."""
    ...


# %% role="solution" task="q1"
def sensitivity(query, lower, upper, relation):
    added = relation == "add/remove"
    width, farthest = upper - lower, max(abs(lower), abs(upper))
    smallest_square = 0 if lower <= 0 <= upper else min(lower**2, upper**2)
    return {
        "rows": 1 if added else 0,
        "sum": farthest if added else width,
        "squares": farthest**2 if added else farthest**2 - smallest_square,
        "largest": width,  # from no row, or one row at the lower end, to one at the upper end
        "mean": width,
        "variance": width**2 / 4,  # a second value at the other end; no variance is larger than this
    }[query]


# %% role="visible" task="q1"
def counting_is_easy(sensitivity):
    "A number for every query; the sum as in chapter 5."
    for query in ("rows", "sum", "squares", "largest", "mean", "variance"):
        for relation in ("add/remove", "replace-one"):
            assert np.shape(sensitivity(query, -1.0, 2.0, relation)) == (), f"{query}, {relation}: return one number."
    assert sensitivity("sum", 20, 80, "add/remove") == 80, "Look at the theorem on counts and sums in chapter 5."
    assert sensitivity("sum", 20, 80, "replace-one") == 60, "Look at the theorem on counts and sums in chapter 5."


# %% role="hidden" task="q1"
def _largest_step(query, lower, upper, relation):
    """Try all tables of up to three values among both ends, 0 if it is in the range, and one more."""
    answers = {
        "rows": len,
        "sum": sum,
        "squares": lambda table: sum(value**2 for value in table),
        "largest": lambda table: max(table, default=lower),
        "mean": lambda table: np.mean(table) if table else lower,
        "variance": lambda table: np.var(table) if table else 0.0,
    }
    values = sorted({lower, upper, min(max(0.0, lower), upper), lower + (upper - lower) / 3})
    tables = [[]]
    steps = []
    for _ in range(3):
        larger = [[*table, value] for table in tables for value in values]
        if relation == "add/remove":
            pairs = [(table, [*table, value]) for table in tables for value in values]
        else:
            pairs = [(table, [*table[:-1], value]) for table in larger for value in values]
        steps += [abs(answers[query](one) - answers[query](other)) for one, other in pairs]
        tables = larger
    return max(steps)


def largest_of_all_steps(sensitivity):
    "The sensitivity is the largest step that any pair of neighbours makes, and no more."
    for lower, upper in ((20.0, 80.0), (-30.0, 45.0), (-9.0, -4.0), (0.0, 5.0)):
        for query in ("rows", "sum", "squares", "largest", "mean", "variance"):
            for relation in ("add/remove", "replace-one"):
                found = sensitivity(query, lower, upper, relation)
                assert np.isclose(found, _largest_step(query, lower, upper, relation)), (
                    f"{query} on [{lower:g}, {upper:g}] under {relation}: the sensitivity isn't {found:g}. Try small "
                    "tables, down to none or one row, with values at both ends of the range, and at 0 where 0 is in it."
                )


# %% [markdown] task="q2" points=15
# ## Task 2: Purchases and refunds (15 points)
#
# In `purchases` a person may have any number of rows, and ε shall hide **a person with all rows**: neighbours are two
# tables of which one has one person more. Public rules limit what one person can do. The first `most` rows of each
# person count (in the order of the table), the others don't; and every amount that counts is clipped to
# `[lower, upper]`. `lower` may be negative, for refunds, or above 0, for a minimum price.
#
# Write `private_takings(rows, most, lower, upper, epsilon, rng)`: `rows` is a DataFrame like `purchases`. Return the
# sum of the amounts under these rules, with Laplace noise no larger than they require.


# %% role="starter" task="q2"
def private_takings(rows, most, lower, upper, epsilon, rng):
    """Return a noisy sum of the amounts: ε-DP for a person with all rows."""
    ...


# %% role="solution" task="q2"
def private_takings(rows, most, lower, upper, epsilon, rng):
    counted = rows.groupby("person").head(most)["amount"].clip(lower, upper)
    return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)


# %% role="visible" task="q2"
def takings_are_one_number(private_takings):
    "With a huge ε the answer is the sum under the rules."
    rows = pd.DataFrame({"person": ["a", "b", "a", "a"], "amount": [5.0, -3.0, 80.0, 7.0]})
    answer = private_takings(rows, 3, -10, 50, 1e9, np.random.default_rng(1))
    assert np.shape(answer) == (), "Return one number."
    assert np.isclose(answer, 5 - 3 + 50 + 7, atol=0.01), "Three rows of a and one of b count; 80 is clipped to 50."
    assert list(rows["amount"]) == [5, -3, 80, 7], "Your function changes the table it is given: work on a copy."
    nobody = private_takings(rows.head(0), 3, -10, 50, 1.0, np.random.default_rng(1))
    assert np.shape(nobody) == (), "Where nobody has bought anything there is a noisy number, too."


# %% role="hidden" task="q2"
def rules_come_first(private_takings, rng):
    "The first rows of each person count, and each of them is clipped."
    rows = pd.DataFrame({"person": rng.choice(list("abcdefg"), 80), "amount": rng.normal(10, 60, 80).round(2)})
    for most, lower, upper in ((1, -50, 50), (3, 0, 20), (5, 5, 30), (4, -80, 10)):
        exact, seen = 0.0, {}
        for person, amount in zip(rows["person"], rows["amount"], strict=True):
            seen[person] = seen.get(person, 0) + 1
            exact += min(max(amount, lower), upper) if seen[person] <= most else 0
        assert np.isclose(private_takings(rows, most, lower, upper, 1e9, rng), exact, atol=0.01), (
            f"At most {most} rows of each person, amounts clipped to [{lower}, {upper}]: the sum is wrong. Which rows "
            "count, and what is clipped: an amount, a person's total, or everything together?"
        )


def noise_fits_the_rules(private_takings, rng, term):
    "The noise is Laplace noise, of the scale that the rules require."
    cases = []
    for n, most, lower, upper, step, epsilon in (
        (4, 4, -50, 50, 200, term["epsilon"]),
        (600, 3, -80, 10, 240, 0.3),
        (4, 2, 55, 60, 120, 3.0),
        (0, 1, 0, 9, 9, term["epsilon"]),
    ):
        # Cents, which show where noise is whole.
        rows = pd.DataFrame({"person": [f"m{i // 2}" for i in range(n)], "amount": np.arange(n) % 9 + 0.37})
        exact = np.clip(rows["amount"], lower, upper).sum()
        given = (private_takings, rows, most, lower, upper, epsilon)
        where = (
            f"{n:,} rows, at most {most} of each person, with amounts in [{lower}, {upper}] (what is the most that a "
            "person's coming can change? Look at both ends of the range):"
        )
        drawn = sample(given[0], 600, *given[1:], rng=rng)
        cases.append(Case(partial(*given), exact, step / epsilon, where, drawn=drawn))
    additive(cases)


# %% [markdown] task="q3" points=20 parts={"mean_income_of_branch": 12, "branch": 8}
# ## Task 3: The colleague's code (20 points)
#
# A colleague wrote a private mean, for members whose incomes lie between the public bounds `lower` and `upper`. Since
# some people slip with the pen, and write a year's income in cents, say, the code first throws away what can't be
# right. It runs, and its answers look fine. There is a defect in it: it isn't ε-differentially private.
#
# Find it and mend `mean_income_of_branch`, so that every value counts, clipped to the bounds, and the rest stays as it
# is, also for a branch without members. Then prove that the defect is one: define `branch`, an array of at most 200
# incomes of at least 0, and `newcomer`, one income, such that after the newcomer has joined the branch, the *unmended*
# code keeps (before it adds noise) at least 10 values more, or 10 fewer, than before.


# %% role="starter" task="q3"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    """Return a noisy mean: ε-DP (add/remove), half of ε for the sum, half for the count."""
    values = np.asarray(values, float)
    # Slips of the pen: more than three standard deviations from the mean.
    values = values[np.abs(values - values.mean()) <= 3 * values.std()]
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    centred = np.clip(values, lower, upper) - middle
    total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
    count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
    return np.clip(middle + total / max(count, 1), lower, upper)


branch, newcomer = np.array([30_000.0, 40_000.0, 50_000.0]), 40_000.0


# %% role="solution" task="q3"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    # Who is an outlier depends on everybody else: a newcomer could bring others in, or throw them out.
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    centred = np.clip(values, lower, upper) - middle
    total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
    count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
    return np.clip(middle + total / max(count, 1), lower, upper)


# Ten people are far out, until somebody comes who stretches the standard deviation far beyond them.
branch, newcomer = np.repeat([10_000.0, 100_000.0], [190, 10]), 1e9


# %% role="visible" task="q3"
def the_mean_of_a_branch(mean_income_of_branch):
    "With a huge ε the answer is the mean of the clipped values."
    values = np.array([20_000.0, 30_000.0, 90_000.0])
    answer = mean_income_of_branch(values, 0, 60_000, 1e9, np.random.default_rng(1))
    assert np.shape(answer) == (), "Return one number."
    assert np.isclose(answer, 110_000 / 3, atol=1), "The mean of 20,000, 30,000 and 60,000 (90,000 is clipped)."


def a_branch_and_a_newcomer(branch, newcomer):
    "branch is an array of at most 200 incomes, newcomer one more."
    assert np.ndim(branch) == 1 and 1 <= len(branch) <= 200, "branch should be an array of 1 to 200 numbers."
    assert np.shape(newcomer) == (), "newcomer should be one number."
    assert np.isfinite(branch).all() and np.min(branch) >= 0, "The incomes of the branch should be at least 0."
    assert np.isfinite(newcomer) and newcomer >= 0, "The newcomer's income should be at least 0."


# %% role="hidden" task="q3"
def _kept(values):
    return int(np.sum(np.abs(values - values.mean()) <= 3 * values.std()))


def every_value_counts(mean_income_of_branch, rng):
    "No value is thrown away because of what the others are."
    for values in (np.repeat([10.0, 100.0], [190, 10]), np.append(rng.uniform(20, 40, 300), 1e7)):
        answer = mean_income_of_branch(values, 0, 150, 1e9, rng)
        assert np.isclose(answer, np.clip(values, 0, 150).mean(), atol=0.01), (
            "Among many small incomes a few large ones don't count as they should. Which line decides about them, and "
            "whom does it ask?"
        )


def noise_of_the_mean(mean_income_of_branch, rng, term):
    "Sum and count have their noise still."
    epsilon, lower, upper, n = term["epsilon"], 10.0, 90.0, 10_000

    def total(rng):
        return n * mean_income_of_branch(np.full(n, 50.0), lower, upper, epsilon, rng)

    # In the middle the error is the noise of the sum / n, nearly.
    drawn = n * sample(mean_income_of_branch, 4_000, np.full(n, 50.0), lower, upper, epsilon, rng=rng)
    where = f"{n:,} people all earn 50, the bounds are {lower:g} and {upper:g}:"
    additive([Case(total, 50.0 * n, 40 / (epsilon / 2), where, drawn=drawn)])


def _mended(values, lower, upper, epsilon, rng, runs):
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=half / (epsilon / 2), size=runs)
    count = len(values) + rng.laplace(scale=1 / (epsilon / 2), size=runs)
    return np.clip(middle + total / np.maximum(count, 1), lower, upper)


def means_of_all_branches_are_alike(mean_income_of_branch, rng, term):
    "In branches of any size, also in one without members, the answer is drawn as the task says."
    lower, upper = 10.0, 90.0
    some = np.append(rng.uniform(30, 60, 300), np.full(10, 80.0))
    for values in (some, np.array([90.0]), np.full(12, 50.0), np.full(3_000, 86.0), some[:0]):
        given = (values, lower, upper, term["epsilon"])
        found, right = sample(mean_income_of_branch, 4_000, *given, rng=rng), _mended(*given, rng, 12_000)
        assert max(excess(found, right, pure(0)), excess(right, found, pure(0))) <= 0, (
            f"Of {len(values):,} incomes between {lower:g} and {upper:g} your mean isn't distributed as it should be. "
            "Mend the defect, and leave the noise of the sum and of the count as they were, for every branch."
        )


def _chances(people, income, lower, upper, epsilon):
    """Return the distribution function of the mended mean of people who all earn the same."""
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    # Of the noisy count the middles of 2,000 equally likely pieces; given the count, the sum's law is known.
    count = people + stats.laplace.ppf((np.arange(2_000) + 0.5) / 2_000, scale=1 / (epsilon / 2))
    places = np.linspace(lower, upper, 801)
    total = (places[:, None] - middle) * np.maximum(count, 1) - people * (income - middle)
    chances = stats.laplace.cdf(total, scale=half / (epsilon / 2)).mean(axis=1)
    return lambda x: np.where(x < lower, 0.0, np.where(x >= upper, 1.0, np.interp(x, places, chances)))


def sum_and_count_have_noise_of_their_own(mean_income_of_branch, rng):
    "In small branches, where the noise of the count shows most, each answer has the chance that it should."
    lower, upper = 10.0, 90.0
    for people, income, epsilon in ((1, 90.0, 0.1), (1, 90.0, 3.0), (12, 61.37, 0.3)):
        found = sample(mean_income_of_branch, 20_000, np.full(people, income), lower, upper, epsilon, rng=rng)
        assert fits(found, _chances(people, income, lower, upper, epsilon)), (
            f"With {people} of income {income:g} and ε = {epsilon} your mean isn't distributed as it should be. Which "
            "noise has the sum, which the count, and what does each of them cost?"
        )
    found = sample(mean_income_of_branch, 400, np.array([61.37]), lower, upper, 1.0, rng=rng)
    rest = np.abs((found - 61.37) - np.round(found - 61.37)) < 1e-6
    assert np.mean(rest) < 0.05, (
        "One person's mean often differs from the income by a whole number: the noise is cut to whole numbers, and the "
        "rest of the income shows. Add noise as it is drawn."
    )


def the_defect_is_proven(branch, newcomer):
    "One person more changes how many values the unmended code keeps, by 10 at least."
    branch = np.asarray(branch, float)
    change = _kept(np.append(branch, newcomer)) - _kept(branch)
    assert abs(change) >= 10, (
        f"The unmended code keeps {_kept(branch)} values of the branch, and {_kept(np.append(branch, newcomer))} with "
        "the newcomer. What can one person do to the mean, and to the standard deviation? Who is just outside now?"
    )


# %% [markdown] task="q4" points=20
# ## Task 4: The favourite (20 points)
#
# The members vote for the union's next action; `categories` is the public list of actions, at least two, and `votes` is
# an array with one vote for each member, a number: the action's place in the list, from 0. The favourite is the action
# with the most votes and, of several with equally many, the one that comes first in the list. If the favourite leads
# clearly, one vote can't change it, and no noise is needed on it; what must be noisy is the decision whether the lead
# is clear enough, as in propose-test-release.
#
# Write `favourite(votes, categories, epsilon, delta, rng)`. Return the place of the favourite in the list or, if the
# lead isn't clear enough, −1. The total cost is (ε, δ) under add/remove, for δ up to 0.1. Don't refuse too often:
# where the favourite leads by at least $2 + \ln(1/\delta)/\varepsilon$ votes, it must be released in at least every
# other case.
#
# Begin with two neighbours that have *different* favourites: how large can the lead be in either of them?


# %% role="starter" task="q4"
def favourite(votes, categories, epsilon, delta, rng):
    """Return the place of the favourite in the list, or −1: (ε, δ)-DP (add/remove)."""
    ...


# %% role="solution" task="q4"
def favourite(votes, categories, epsilon, delta, rng):
    counts = np.bincount(np.asarray(votes, int), minlength=len(categories))
    second, first = np.sort(counts)[-2:]
    # One vote moves the lead by 1 at most, so the noisy lead costs ε, and what is released beside it is the same for
    # both neighbours, or else the lead is 1 at most (1, and a tie after the vote has gone). Then it is released with
    # probability δ at most; with the same favourite, nothing is paid for it.
    if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
        return -1
    return int(np.argmax(counts))


# %% role="visible" task="q4"
def a_clear_favourite(favourite):
    "A favourite that leads by a thousand votes is released."
    votes = np.repeat([0, 1, 2, 3], [20, 500, 1_600, 10])
    answer = favourite(votes, ["a", "b", "c", "d"], 1.0, 1e-6, np.random.default_rng(1))
    assert answer == 2, "Action 2 has a thousand votes more than any other: return its place in the list."
    assert np.shape(answer) == (), "Return one number."


# %% role="hidden" task="q4"
def _releases(favourite, counts, epsilon, delta, rng, times):
    """Tell which of so many answers are releases; each answer must be -1 or the favourite."""
    votes = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    answers = sample(favourite, times, votes, [f"action {i}" for i in range(len(counts))], epsilon, delta, rng=rng)
    best = int(np.argmax(counts))
    assert np.isin(answers, [-1, best]).all(), (
        f"The actions have {counts} votes, and your answers are {np.unique(answers)}. Return the place of the "
        "favourite, the first of those with the most votes, or −1."
    )
    return answers == best


def _released(*arguments):
    return np.mean(_releases(*arguments))


def not_refused_too_often(favourite, rng):
    "A clear lead is released in at least every other case."
    for counts, epsilon, delta, n in (
        ([30, 37, 0, 5], 1.0, 0.01, 400),
        ([52, 0, 30], 0.5, 1e-4, 200),
        ([0, 0, 60], 0.3, 1e-6, 200),
    ):
        share = _released(favourite, counts, epsilon, delta, rng, n)
        assert share >= 0.5 or within(n * share, n, 0.5), (
            f"Votes {counts}, ε = {epsilon}, δ = {delta}: released in {share:.0%} of the cases only. What does the "
            "test cost, what does the release cost, and how likely is large noise?"
        )


def close_races_stay_secret(favourite, rng):
    "Where one vote can change the favourite, it is released with probability δ at most, and a little above rarely."
    # A lead of 1 with the runner-up first in the list: one vote less makes a tie, which the runner-up wins.
    for counts, epsilon, delta, n in (
        ([20, 21, 3], 1.0, 0.01, 20_000),
        ([20, 21, 3], 1.0, 0.1, 4_000),
        ([20, 21, 3], 2.0, math.exp(-4) / 2, 8_000),  # the noise must reach a whole number: rounded, it does so sooner
        ([20, 20, 3], 1.0, 0.05, 600),
        ([7, 0, 8], 0.5, 0.02, 2_000),
        ([0, 0, 1], 1.0, 0.01, 1_000),
        ([0, 0, 0], 1.0, 0.01, 1_000),
        ([20, 29, 3], 0.5, 1e-6, 3_000),
    ):
        second, first = sorted(counts)[-2:]
        # At a lead of 1 only δ allows it, and each vote more allows e^ε times as much, and δ.
        allowed = delta * sum(math.exp(vote * epsilon) for vote in range(max(first - second, 1)))
        share = _released(favourite, counts, epsilon, delta, rng, n)
        assert share <= allowed or within(n * share, n, allowed), (
            f"Votes {counts}, ε = {epsilon}, δ = {delta}: released in {share:.1%} of the cases. Where a vote that goes "
            "can change the favourite, nothing else covers that than δ; each vote more allows e^ε times as much."
        )


def leads_of_neighbours_look_alike(favourite, rng):
    "Between neighbours, the probabilities of a release and of a refusal keep to ε and δ."
    epsilon, delta, runs = 0.5, 1e-6, 5_000

    def releases(lead, others, times):
        return _releases(favourite, [others + lead, others, 0], epsilon, delta, rng, times)

    def tells(often, rarely, group):
        return event_excess(often, rarely, lambda q: math.exp(group * epsilon) * (q + group * delta)) > 0

    for others in (5, 1_000):
        # The lead at which about every other answer is a refusal: four votes more or less are told apart best there,
        # and eight where the noise has an end. One vote is told apart best where it makes the largest step.
        middle = next((lead for lead in range(8, 80, 2) if np.mean(releases(lead, others, 40)) >= 0.5), 80)
        step = steepest(lambda lead, others=others: releases(lead, others, 60), 60)
        leads = [(middle + low, middle + low + 4) for low in (-8, -4, 0, 4)] + [(step, step + 1)]
        for fewer, more in leads:
            few, many, group = releases(fewer, others, runs), releases(more, others, runs), more - fewer
            assert not tells(many, few, group) and not tells(~few, ~many, group), (
                f"The favourite leads by {fewer} votes or by {more}, and the next action has {others:,}: the chance of "
                "a refusal changes by far more than ε and δ allow. What in your decision is random, and how far does "
                "one vote move the number that gets the noise?"
            )


# %% [markdown] task="q5" points=20
# ## Task 5: A mean without bounds (20 points)
#
# The union has sister unions in many countries, each with a currency of its own, and wants one function for all of
# them. Write `mean_income(values, epsilon, rng)`. It returns one array: first a noisy mean of the incomes in the array
# `values`, then every noisy number that you computed this mean from, so that other statisticians can check it. The
# array has the same length for every table, and the whole of it is ε-differentially private (add/remove; how many
# people there are is secret, too, and there may be nobody at all). All you know beforehand is public: an income is at
# least 0 and at most 1,000,000,000; the median may be as low as 100, or as high as 10,000,000; and as everywhere, a few
# people earn very much more than the others.
#
# Design it. With {{people}} members and ε = {{epsilon}}, your mean must be **within 10% of the true one in at least
# 9 of 10 releases**, in each country. It is tested in three of them, and an audit looks for arrays that tell more
# than ε. After `from checks import try_it`, `try_it("q5", mean_income, values)` prints how often it is within 10%, for
# incomes that you invent.


# %% role="starter" task="q5"
def mean_income(values, epsilon, rng):
    """Return one array, a noisy mean and what it was computed from: ε-DP (add/remove), for incomes up to a billion."""
    ...


# %% role="solution" task="q5"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    # A quarter of ε buys the bound: noisy counts between doublings, which are disjoint.
    bounds = 2.0 ** np.arange(31)
    counts = np.bincount(np.searchsorted(bounds[:-1], values), minlength=31) + rng.laplace(scale=4 / epsilon, size=31)
    surely = 4 / epsilon * np.log(31 / 2 / 0.02)  # noise alone lifts one of 31 empty pieces as high in 2 of 100 cases
    bound = bounds[np.flatnonzero(counts > surely).max(initial=0)]
    # Half of ε buys the sum, centred, and a quarter the number of people.
    centred = np.minimum(values, bound) - bound / 2
    total = centred.sum() + rng.laplace(scale=bound / 2 / (epsilon / 2))
    count = len(values) + rng.laplace(scale=1 / (epsilon / 4))
    mean = np.clip(bound / 2 + total / max(count, 1), 0, bound)
    return np.array([mean, total, count, *counts])


# %% role="visible" task="q5"
def about_right(mean_income):
    "With a huge ε, the mean is about right, whatever the currency."
    rng = np.random.default_rng(1)
    for scale in (500, 5_000_000):
        values = rng.lognormal(np.log(scale), 0.8, 4_000)
        answer, of_nobody = mean_income(values, 1_000.0, rng), mean_income(np.zeros(0), 1_000.0, rng)
        assert np.ndim(answer) < 2 and np.size(answer) > 0, (
            "Return one array: first the mean, then what you computed it from."
        )
        assert np.shape(answer) == np.shape(of_nobody), (
            "The array should have the same length for every table, an empty one, too."
        )
        assert abs(np.ravel(answer)[0] / values.mean() - 1) < 0.1, (
            "At ε = 1000 the first number should be within 10% of the mean."
        )


def _means(mean_income, times, *arguments, rng):
    """Return the first number of so many releases, the mean."""
    return sample(mean_income, times, *arguments, rng=rng).reshape(times, -1)[:, 0]


def _missed(mean_income, values, epsilon, rng):
    """Return how many of 150 releases are more than 10% from the mean."""
    answers = _means(mean_income, 150, values, epsilon, rng=rng)
    return int(np.sum(np.abs(answers / values.mean() - 1) > 0.1))


def _try_it(mean_income, values):
    missed = _missed(mean_income, np.asarray(values, float), {{epsilon}}, np.random.default_rng())
    return f"{missed / 150:.0%} of the releases are more than 10% from the true mean (at most 10%)."


# %% role="hidden" task="q5"
def _country(n, rng):
    """Return incomes by currency: lognormal, with one person in 500 who earns a great deal more."""
    for median, spread in ((150, 1.0), (30_000, 0.7), (3_000_000, 0.9)):
        incomes = median * rng.lognormal(0, spread, n)
        incomes[: n // 500] *= 3
        yield median, np.minimum(incomes, 1e9)


def exact_enough_in_every_currency(mean_income, rng, term):
    "The mean is within 10% of the truth in at least 9 of 10 releases."
    for median, values in _country(term["people"], rng):
        # Sensible designs miss in at most 4% of the releases (a bad bound), naive ones in half of them at least.
        missed = _missed(mean_income, values, term["epsilon"], rng)
        assert missed <= 15 or within(missed, 150, 0.1), (
            f"In a country where the median income is about {median:,}, {missed} of 150 releases were more than 10% "
            "from the true mean. Which bound does your function clip at there, and is it the noise or the bias?"
        )


def _loss(mean_income, here, there, epsilon, allowed, rng, runs=3_000):
    """Return the ε that an audit of two tables proves, which is above ``allowed`` only if the true one is."""
    answers = [_means(mean_income, runs, np.array(table), epsilon, rng=rng) for table in (here, there)]
    return allowed + two_way_excess(*answers, pure(allowed))


def the_mean_tells_no_more_than_epsilon(mean_income, rng, term):
    "The answer is ε-differentially private, as far as an audit of neighbours can tell."
    modest = rng.uniform(20_000, 40_000, 100)
    cases = {
        "one person earns a billion": (modest, np.append(modest, 1e9)),
        "a second person earns a billion": (np.append(modest, 1e9), np.append(modest, [1e9, 1e9])),
        "a third one does, among 40": (np.append(modest[:40], [1e9] * 2), np.append(modest[:40], [1e9] * 3)),
        "the only person leaves": (np.zeros(0), np.array([1e9])),
        "a rich person joins a poor one": (np.array([100.0]), np.array([100.0, 1e7])),
    }
    for epsilon in (term["epsilon"], 3.0):
        for name, tables in cases.items():
            proven = _loss(mean_income, *tables, epsilon, epsilon, rng)
            assert proven <= epsilon, (
                f"Two neighbours ({name}): an audit proves an ε of at least {proven:.2f}, where {epsilon} is allowed. "
                "Which numbers in your function come from the data without noise?"
            )


def nobody_moves_the_bound_by_a_step(mean_income, rng):
    "Where one person earns otherwise, and the answer moves most, it tells no more than ε allows."
    # Whatever the bound is read off, a median, a quantile, a mean: somewhere between poor people and as many rich ones
    # it makes its step. One of them is replaced there, which counts as two people.
    for people, epsilon in ((40, 1.0), (400, 1.0), (2_000, 0.02)):

        def answers(rich, runs=40, people=people, epsilon=epsilon):
            return _means(mean_income, runs, np.repeat([1e7, 100.0], [rich, people - rich]), epsilon, rng=rng)

        def leap(rich, answers=answers):
            return abs(np.diff(np.log1p([np.median(answers(some)) for some in (rich, rich + 1)]))[0])

        # Where one of 400 shows at ε = 1, ten always do: there the usual quantiles are looked at, and nothing between.
        places = [400 * share // 100 - before for share in (1, 5, 10, 25, 50) for before in (1, 0)]
        rich = max(places, key=leap) if people == 400 else steepest(answers, people)
        proven = 2 * epsilon + two_way_excess(answers(rich, 3_000), answers(rich + 1, 3_000), pure(2 * epsilon))
        assert proven <= 2 * epsilon, (
            f"Of {people:,} people {rich:,} earn ten million and the others 100; when one of these becomes rich, "
            f"an audit proves an ε of {proven:.2f} or more, at ε = {epsilon:g} where {2 * epsilon:g} is allowed. Which "
            "number in your function can one person move far, although it is a median, a quantile, a power of ten?"
        )


def the_number_of_people_is_secret(mean_income, rng):
    "The answer doesn't tell how many people there are."
    # Nobody earns anything, so that noise alone is divided by the number of people: by 1, or by 10.
    proven = _loss(mean_income, np.zeros(1), np.zeros(10), 0.1, 0.9, rng, runs=8_000)
    assert proven <= 0.9, (
        f"Of one person without income and of ten, your answers prove an ε of {proven:.2f}, at ε = 0.1, where 0.9 is "
        "allowed for nine people. What do you divide by, and what has it cost?"
    )


def all_steps_together_keep_to_epsilon(mean_income, rng):
    "The steps of the design together cost no more than ε, as far as an audit of groups can tell."
    # People who earn nothing; as four more come who earn very much, a bound that sees them becomes likely, the sum
    # grows, and so does the number of people: an answer near the larger mean shows all of it at once.
    rich, group = 2.0**29, 4
    for poor in (40, 1_000):

        def answers(people, times, poor=poor):
            return _means(mean_income, times, np.repeat([0.0, rich], [poor, people]), 1.0, rng=rng)

        seen, more = group, 256
        while more - seen > 1:  # the fewest rich people who are seen in every other answer
            middle = (seen + more) // 2
            seen, more = (seen, middle) if np.median(answers(middle, 60)) > rich / 1_000 else (middle, more)
        high = np.quantile(answers(more, 2_000), 0.8)
        often, rarely = answers(more, 3_000) >= high, np.zeros(0, bool)
        for runs in [10_000] * 10:  # on, as long as it looks like a loss that can be proven
            rarely = np.append(rarely, answers(more - group, runs) >= high)
            if np.mean(often) <= math.exp(group) * np.mean(rarely):
                break
            proven = group + event_excess(often, rarely, pure(group))
            assert proven <= group, (
                f"{poor:,} people and {more} rich ones: an audit proves an ε of at least {proven:.2f} for {group} "
                f"people, at ε = 1 where {group} is allowed. Add up what the bound, the sum and the number of people "
                "cost."
            )


def the_whole_array_keeps_to_epsilon(mean_income, rng):
    "All numbers of the array together are ε-differentially private, as far as an audit can tell."
    # People come who earn alike, and as much as many others: each number in which they are says a little, and all of it
    # is added up. Where many others earn the same, a bound is what it was.
    for income, others, group in ((2.0**15, 400, 8), (2.0**15, 400, 10), (0.0, 400, 8), (1e6, 400, 8), (1e9, 0, 8)):

        def draw(world, runs, income=income, others=others, group=group):
            table = np.full(others + group * world, income)
            return np.nan_to_num(sample(mean_income, runs, table, 0.4, rng=rng)).reshape(runs, -1)

        allowed = group * 0.4
        proven = allowed + learned_excess(draw, pure(allowed))
        assert proven <= allowed, (
            f"Where {others} people earn {income:,.0f}, {group} more come who earn as much: {allowed:g} is allowed at "
            f"ε = 0.4, and an audit of all your numbers proves {proven:.2f}. Add up what each of them costs."
        )


def noise_is_large_enough_where_epsilon_is_large(mean_income, rng):
    "No number of the array has less noise than ε allows where ε is large, as far as its law tells."
    tables = [np.full(people, 30_000.5) for people in (400, 401)]
    enough_where_epsilon_is_large(
        lambda world, epsilon, runs: sample(mean_income, runs, tables[world], epsilon, rng=rng)
    )


def whole_numbers_were_not_cut(mean_income, rng):
    "Numbers of the array that are whole are ε-differentially private by themselves, as far as an audit can tell."

    def releases(people, runs):
        return np.nan_to_num(sample(mean_income, runs, np.full(people, 30_000.5), 0.3, rng=rng)).reshape(runs, -1)

    # Noise that int() cuts is 0 twice as often as it may be: one person shows by a factor of 2.
    few = releases(40, 200)
    whole = (few == np.rint(few)).all(axis=0) & (few != few[0]).any(axis=0)
    if not whole.any():
        return
    for here, there in zip(releases(40, 30_000)[:, whole].T, releases(41, 30_000)[:, whole].T, strict=True):
        proven = 0.3 + two_way_excess(here, there, pure(0.3))
        assert proven <= 0.3, (
            f"Where 40 people earn alike, one more comes, and a whole number of your array proves an ε of {proven:.2f} "
            "at ε = 0.3. Was the noise cut by int() before you added it?"
        )


# %% [markdown] role="written" task="q6" points=10
# ## Task 6: The treasurer's ideas (10 points)
#
# The treasurer wants to publish the sum of all incomes at ε = {{epsilon}} (add/remove), and has three ideas for the
# clipping bound:
#
# 1. "We clip at this year's largest income, rounded up to the next 10,000. Rounding hides the person."
# 2. "We clip at 1,000,000, which I made up, and publish beside the sum how many people were clipped, so that readers
#    can judge the error."
# 3. "We clip at the bound that last year's release bought with part of its ε, and raise it by 3% for inflation."
#
# In at most 200 words: which of the three are private, and at what cost? Which would you use, and what error does its
# bound bring: in which direction, and how could the union keep it small?

# %% [markdown] role="rubric" task="q6"
# - 3 points, idea 1: not private (1): with the largest earner gone, the bound and with it the noise's scale fall, by
#   any amount; rounding to 10,000 hides no jump of a million, and may itself tip over by one person (2).
# - 3 points, idea 2: the bound is a guess, free and private (1); the exact number of clipped people is a count of the
#   data, for which no ε was paid (1); with noise at a share of ε it would be fine (1).
# - 2 points, idea 3: private: last year's bound is published already, so using it is post-processing (1), paid for by
#   last year's ε; who was a member in both years has spent both releases together (1).
# - 2 points: recommends 2 or 3 with a reason, and says that clipping makes the sum too small, noise makes it uncertain,
#   and that the bound should leave about 1/ε people above it: more people there and the bias wins, fewer and the noise.
#
# **A model answer** (10 points) Idea 1 is not private: when the largest earner goes, the bound and with it the scale of
# the noise fall, by any amount; a jump of a million isn't hidden by rounding to 10,000, and one euro can tip the
# rounding over. Idea 2: a bound made up without looking is free. The exact number of clipped people is a count of the
# data for which nothing was paid; give it noise and a share of ε, then it is fine. Idea 3 is private: the bound is
# published already, so using it, and raising it, is post-processing; who was a member in both years has spent both
# years' ε. I would use 3. Clipping makes the sum too small, noise makes it uncertain; a bound that about 1/ε people
# exceed balances the two. If many more are above it, raise it next year; if nobody is, lower it.
#
# **A borderline answer** (5 points) "1 isn't private as the maximum depends on one person. 2 is private because the
# bound is made up. 3 is private because of post-processing. I would choose 3; clipping gives bias." The count of
# clipped people went by unnoticed (1 of 3), nothing on rounding (2 of 3 for idea 1), last year's ε isn't mentioned (1
# of 2), and the direction of the bias, and the balance, are missing (1 of 2).

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 3, you deleted one line. Tell me two neighbours for which that line changed the sum by more than its noise
#    allows for.
# 2. In task 4, what would go wrong if you released the favourite whenever its lead is at least 2, and never otherwise?
# 3. Show me where your mean of task 5 spends its ε. What happens to the error if you take half of the share for the
#    bound away?
