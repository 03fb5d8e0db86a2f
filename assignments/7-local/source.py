# %% [markdown]
# # Assignment 7: A survey without a curator
#
# A road safety office wants to know how people get to work, and whether they run red lights. Nobody is to hold
# anybody's true answer: everything here is **ε-locally differentially private**. Neighbours are any two answers of
# *one* person (replace-one, on a table with one row). Public are the questions, the possible answers, ε, and who takes
# part.
#
# You need chapters 13 and 14, and about three hours. Write into the cells marked for you, keep the names of the
# functions, and leave the rest as it is. Each task stands alone: a function that you write for one isn't used by
# another. Below each task is a cell that checks what you can check yourself; the grader checks more, on other numbers.
# A task earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own.
# - `commuters.csv` has a row for each of {{people}} invented people. `red_light` is a *report*, made by randomized
#   response at ε = {{epsilon}} (1: "yes, I have run a red light"; the truth isn't in the file). `way` is a true
#   answer, a number from 0 to {{ways}} − 1 for the way to work, there so that you can try your functions.

# %% role="term"
# epsilon at most 1.5 (in q6, the threshold parts good designs from naive ones up to there); at least 8 questions.
TERM = {"people": 4000, "epsilon": 1.0, "ways": 12, "questions": 8}


# %% role="data"
def make_data(term, rng):
    n, keep = term["people"], 1 / (1 + np.exp(-term["epsilon"]))
    truth = rng.random(n) < rng.uniform(0.15, 0.35)
    report = np.where(rng.random(n) < keep, truth, ~truth)
    popular = rng.dirichlet(np.ones(term["ways"]))
    ways = rng.choice(len(popular), n, p=popular)
    return {"commuters.csv": pd.DataFrame({"red_light": report.astype(int), "way": ways})}


# %% role="setup"
import numpy as np
import pandas as pd

commuters = pd.read_csv("commuters.csv")
commuters.head()

# %% [markdown] task="q1" points=10
# ## Task 1: One bit (10 points)
#
# Write `private_bits(bits, epsilon, rng)`. `bits` is an array of zeros and ones, one for each person. Return an array
# of the same length with each person's report, 0 or 1. A report is ε-locally differentially private, and true as often
# as ε allows, for a one as for a zero.


# %% role="starter" task="q1"
def private_bits(bits, epsilon, rng):
    """Return a report for each bit, ε-locally differentially private."""
    ...


# %% role="solution" task="q1"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    keep = 1 / (1 + np.exp(-epsilon))
    return np.where(rng.random(bits.size) < keep, bits, 1 - bits)


# %% role="visible" task="q1"
def one_report_for_each_bit(private_bits):
    "There is a report, 0 or 1, for each bit, and the bits themselves stay as they are."
    bits = np.array([0, 1, 1] * 100)
    reports = np.asarray(private_bits(bits, 1.0, np.random.default_rng(1)))
    assert reports.shape == bits.shape, f"300 bits should give 300 reports, not an answer of shape {reports.shape}."
    assert np.isin(reports, [0, 1]).all(), "Reports should be 0 or 1."
    assert (bits == [0, 1, 1] * 100).all(), "Your function changes the array it is given: work on a copy."


# %% role="hidden" task="q1"
def true_as_often_as_epsilon_allows(private_bits, rng, term):
    "Zeros and ones are reported truthfully with the probability that belongs to ε."
    for epsilon in (0.4, term["epsilon"], 3.0):
        for bit in (0, 1):
            true = np.sum(np.asarray(private_bits(np.full(100_000, bit), epsilon, rng)) == bit)
            assert within(true, 100_000, dp.RandomizedResponse.from_epsilon(epsilon).p), (
                f"At ε = {epsilon}, a {bit} is reported truthfully in {true:,} of 100,000 cases. Compare the ratio of "
                "the two probabilities of a report, one for each truth, with exp(ε)."
            )


def everybody_has_coins_of_their_own(private_bits, rng):
    "The coins of two people, and of two surveys, have nothing to do with each other."
    first, second = (np.asarray(private_bits(np.zeros(100_000, int), 1.0, rng)) for _ in range(2))
    p = dp.RandomizedResponse.from_epsilon(1.0).p
    same = p**2 + (1 - p) ** 2
    assert within(np.sum(first == second), 100_000, same), (
        "Two surveys must not toss the same coins: use rng, each time."
    )
    assert within(np.sum(first[::2] == first[1::2]), 50_000, same), "Two people must not share a coin."


# %% [markdown] task="q2" points=15
# ## Task 2: What the reports say (15 points)
#
# Write `share_of_yes(reports, epsilon)` for reports as in task 1. Return two numbers: an unbiased estimate of the share
# of people whose *true* bit is 1, and the standard deviation of that estimate. The people asked are fixed: only the
# coins are random. A share below 0 or above 1 is returned as it is.
#
# Then use it on the reports in `commuters`: define `red_light` and `red_light_sd`.


# %% role="starter" task="q2"
def share_of_yes(reports, epsilon):
    """Return the estimated share of true ones, and its standard deviation."""
    ...


red_light, red_light_sd = ..., ...


# %% role="solution" task="q2"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
    return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)


red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})


# %% role="visible" task="q2"
def nearly_no_noise(share_of_yes):
    "With a huge ε there is nearly no noise, and the share is that of the reports."
    answer = share_of_yes(np.array([0, 1, 1, 1]), 40.0)
    assert np.shape(answer) == (2,), "Return two numbers: the share and its standard deviation."
    assert np.isclose(answer[0], 0.75), "At ε = 40 nobody lies: three ones of four are a share of 0.75."
    assert np.isclose(answer[1], 0, atol=1e-6), "At ε = 40 nobody lies: the standard deviation is nearly 0."


def red_light_is_two_numbers(red_light, red_light_sd):
    "Both are numbers."
    assert np.shape(red_light) == () and np.isreal(red_light), "red_light should be a number."
    assert np.shape(red_light_sd) == () and np.isreal(red_light_sd), "red_light_sd should be a number."


# %% role="hidden" task="q2"
def unbiased_share(share_of_yes):
    "The share is the unbiased estimate, wherever it falls."
    for epsilon, ones in ((0.5, 20), (1.0, 55), (2.0, 97)):
        reports = np.repeat([1, 0], [ones, 100 - ones])
        p = dp.RandomizedResponse.from_epsilon(epsilon).p
        assert np.isclose(share_of_yes(reports, epsilon)[0], (ones / 100 - 1 + p) / (2 * p - 1)), (
            "If nobody's bit is 1, which share of ones do you expect among the reports? And if everybody's is? Your "
            "estimate should be 0 at the one and 1 at the other, and nothing should be cut off."
        )


def deviation_of_the_share(share_of_yes):
    "The standard deviation is that of the coins."
    for epsilon, n in ((0.5, 100), (1.0, 400), (2.0, 1000)):
        expected = np.sqrt(dp.RandomizedResponse.from_epsilon(epsilon).variance(n, 0)) / n
        for ones in (n // 5, n // 2):
            assert np.isclose(share_of_yes(np.repeat([1, 0], [ones, n - ones]), epsilon)[1], expected), (
                "The variance of one report doesn't depend on its true bit. Then n of them are averaged, and the "
                "average is stretched."
            )


def the_office_s_numbers(red_light, red_light_sd, data, term):
    "The share of those who ran a red light, and its standard deviation."
    n, ones = len(data["commuters.csv"]), data["commuters.csv"]["red_light"].sum()
    coins = dp.RandomizedResponse.from_epsilon(term["epsilon"])
    assert np.isclose(red_light, (ones / n - 1 + coins.p) / (2 * coins.p - 1)), "Use the column red_light, and its ε."
    assert np.isclose(red_light_sd, np.sqrt(coins.variance(n, 0)) / n), (
        "Use the number of people in the file, and its ε."
    )
