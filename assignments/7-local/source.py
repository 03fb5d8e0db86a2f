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
# What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `commuters.csv` has a row for each of {{people}} invented people. `red_light` is a *report*, made by randomized
#   response at ε = {{epsilon}} (1: "yes, I have run a red light"; the truth isn't in the file). `way` is a true
#   answer, one of {{ways}} ways to get to work, numbered from 0, there so that you can try your functions.

# %% role="term"
# epsilon at most 1.2, at least 8 questions: there q6's threshold parts good designs from naive ones.
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
    draws_from_rng(private_bits, np.arange(200) % 2, term["epsilon"])
    for epsilon in (0.4, term["epsilon"], 3.0):
        for bit in (0, 1):
            true = np.sum(np.asarray(private_bits(np.full(20_000, bit), epsilon, rng)) == bit)
            assert within(true, 20_000, dp.RandomizedResponse.from_epsilon(epsilon).p), (
                f"At ε = {epsilon}, a {bit} is reported truthfully in {true:,} of 20,000 cases. Compare the ratio of "
                "the two probabilities of a report, one for each truth, with exp(ε)."
            )


def everybody_has_coins_of_their_own(private_bits, rng):
    "The coins of two people, and of two surveys, have nothing to do with each other."
    first, second = (np.asarray(private_bits(np.zeros(20_000, int), 1.0, rng)) for _ in range(2))
    p = dp.RandomizedResponse.from_epsilon(1.0).p
    same = p**2 + (1 - p) ** 2
    assert within(np.sum(first == second), 20_000, same), (
        "Two surveys must not toss the same coins: use rng, each time."
    )
    for one, other in ((first[::2], first[1::2]), np.split(first, 2)):
        assert within(np.sum(one == other), 10_000, same), "Two people must not share a coin."
    for bits in (np.array([0, 1, 1, 0, 0, 1]), np.array([1])):
        true = sample(private_bits, 4_000, bits, 1.0, rng=rng) == bits
        assert fits(true.sum(axis=1), stats.binom(len(bits), p).cdf), (
            f"Asked are {len(bits)}: the number of true reports isn't that of so many coins; it varies too little or "
            "too much."
        )


# %% [markdown] task="q2" points=15 parts={"share_of_yes": 12, "red_light": 3}
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


# %% [markdown] task="q3" points=15
# ## Task 3: Any pair of coins (15 points)
#
# Asked for a secret bit, you tell the truth with probability `truth`; otherwise you say 1 with probability `yes`, and
# 0 with probability 1 − `yes`. Write `coin_epsilon(truth, yes)`: the smallest ε for which this report is ε-locally
# differentially private. Both arguments are numbers from 0 to 1. Where no finite ε is enough, return `np.inf`, and
# where the report says nothing, 0.


# %% role="starter" task="q3"
def coin_epsilon(truth, yes):
    """Return the smallest ε of one report, infinite where there is none."""
    ...


# %% role="solution" task="q3"
def coin_epsilon(truth, yes):
    rarest_lie = (1 - truth) * min(yes, 1 - yes)
    if truth == 0:
        return 0.0
    return np.log1p(truth / rarest_lie) if rarest_lie > 0 else np.inf


# %% role="visible" task="q3"
def two_fair_coins(coin_epsilon):
    "Two fair coins have the ε of chapter 13, and no truth has ε = 0."
    assert np.shape(coin_epsilon(0.5, 0.5)) == (), "Return one number."
    assert np.isclose(coin_epsilon(0.5, 0.5), np.log(3)), (
        "Two fair coins have ε = ln 3: look at the table of chapter 13."
    )
    assert coin_epsilon(0, 0.3) == 0, "Who never tells the truth (truth = 0) says nothing about it."


# %% role="hidden" task="q3"
def _ratios(truth, yes):
    one, zero = truth + (1 - truth) * yes, (1 - truth) * yes
    return abs(np.log(one / zero)), abs(np.log((1 - one) / (1 - zero)))


def the_worse_report_counts(coin_epsilon):
    "ε bounds the ratio of both reports, the 1 and the 0."
    for truth, yes in ((0.5, 0.25), (0.5, 0.75), (0.1, 0.9), (0.8, 0.3), (0.6, 0.5)):
        assert np.isclose(coin_epsilon(truth, yes), max(_ratios(truth, yes))), (
            f"For truth = {truth} and yes = {yes}, write down the chances of the report 1 under both truths, then "
            "those of the report 0. Which report gives more away?"
        )


def certainty_has_no_epsilon(coin_epsilon):
    "Where a report can prove the truth, ε is infinite."
    for truth, yes in ((1, 0.5), (0.5, 0), (0.5, 1), (0.2, 1)):
        assert coin_epsilon(truth, yes) == np.inf, (
            f"truth = {truth}, yes = {yes}: is there a report that only one of the two truths can lead to?"
        )
    for yes in (0, 0.7, 1):
        assert coin_epsilon(0, yes) == 0, f"truth = 0, yes = {yes}: both truths lead to the same reports."


# %% [markdown] task="q4" points=20 parts={"direct_reports": 12, "colleague_epsilon": 8}
# ## Task 4: The colleague's code (20 points)
#
# A colleague wrote direct encoding for the question "how do you get to work?". `answers` is an array of numbers from 0
# to `d` − 1. Each report should be the truth with probability $p = e^\varepsilon/(e^\varepsilon + d - 1)$, and each
# other answer with probability $q = 1/(e^\varepsilon + d - 1)$. The code below runs, and its reports look fine. There
# is a defect in it.
#
# Find it, mend `direct_reports`, and make `colleague_epsilon(d, epsilon)` return the smallest ε for which the
# colleague's *unmended* reports are ε-locally differentially private, when they are made with the argument `epsilon`.


# %% role="starter" task="q4"
def direct_reports(answers, d, epsilon, rng):
    """Return a report for each answer, ε-locally differentially private."""
    answers = np.asarray(answers)
    p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
    honest = rng.random(answers.size) < p
    lies = rng.integers(d, size=answers.size)
    return np.where(honest, answers, lies)


def colleague_epsilon(d, epsilon):
    """Return the ε that the code above really has."""
    return epsilon  # says the colleague


# %% role="solution" task="q4"
def direct_reports(answers, d, epsilon, rng):
    answers = np.asarray(answers)
    p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
    honest = rng.random(answers.size) < p
    others = (answers + rng.integers(1, d, size=answers.size)) % d  # never the answer itself
    return np.where(honest, answers, others)


def colleague_epsilon(d, epsilon):
    # A lie may be the truth by accident: it is reported with probability p + (1 - p)/d, others with (1 - p)/d.
    return np.log1p(d * np.exp(epsilon) / (d - 1))


# %% role="visible" task="q4"
def reports_are_answers(direct_reports):
    "There is a report for each answer, and it is one of the d answers."
    answers = np.arange(8).repeat(50)
    reports = np.asarray(direct_reports(answers, 8, 1.0, np.random.default_rng(1)))
    assert reports.shape == (400,), f"400 answers should give 400 reports, not an answer of shape {reports.shape}."
    assert np.isin(reports, range(8)).all(), "Reports should be whole numbers from 0 to d - 1."
    assert (answers == np.arange(8).repeat(50)).all(), "Your function changes the array it is given: work on a copy."


def the_colleague_has_an_epsilon(colleague_epsilon):
    "colleague_epsilon returns a number above 0."
    assert np.shape(colleague_epsilon(8, 1.0)) == (), "Return one number."
    assert colleague_epsilon(8, 1.0) > 0, "The colleague's reports do say something about the truth."


# %% role="hidden" task="q4"
def every_report_has_its_chance(direct_reports, rng, term):
    "The truth is reported with probability p, each other answer with probability q."
    draws_from_rng(direct_reports, np.arange(200) % 5, 5, term["epsilon"])
    for d, epsilon, truth in ((3, 0.5, 0), (term["ways"], term["epsilon"], 2), (16, 2.0, 15)):
        answers = np.repeat([truth, (truth + 1) % d], [100_000, 20_000])
        reports, protocol = (
            np.asarray(direct_reports(answers, d, epsilon, rng)),
            dp.DirectEncoding(range(d), epsilon=epsilon),
        )
        for answer, own in ((truth, reports[:100_000]), (answers[-1], reports[100_000:])):
            for report, count in enumerate(np.bincount(own, minlength=d)):
                assert within(count, own.size, protocol.p if report == answer else protocol.q), (
                    f"100,000 people have the answer {truth} of {d}, 20,000 have {answers[-1]}; at ε = {epsilon} those "
                    f"with {answer} report {report} {count:,} times, which isn't what the task asks for. Follow one "
                    "honest and one lying person."
                )


def everybody_lies_alone(direct_reports, rng):
    "People lie independently of each other, in one survey and in two."
    reports, again = (np.asarray(direct_reports(np.zeros(100_000, int), 6, 0.5, rng)) for _ in range(2))
    protocol = dp.DirectEncoding(range(6), epsilon=0.5)
    same = protocol.p**2 + 5 * protocol.q**2
    for one, other in ((reports[::2], reports[1::2]), np.split(reports, 2), (reports[::2], again[::2])):
        assert within(np.sum(one == other), 50_000, same), "Two people's reports agree too often or too rarely."
    for answers in (np.array([0, 1, 1, 5, 3]), np.array([2])):
        true = sample(direct_reports, 4_000, answers, 6, 0.5, rng=rng) == answers
        assert fits(true.sum(axis=1), stats.binom(len(answers), protocol.p).cdf), (
            f"Asked are {len(answers)}: the number of true reports isn't that of so many coins; it varies too little "
            "or too much."
        )


def what_the_defect_costs(colleague_epsilon):
    "The ε of the colleague's reports."
    for d, epsilon in ((2, 0.5), (8, 1.0), (15, 0.1), (100, 3.0)):
        p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
        assert np.isclose(colleague_epsilon(d, epsilon), np.log((p + (1 - p) / d) / ((1 - p) / d))), (
            f"d = {d}, ε = {epsilon}: in how many ways does the colleague's code report the truth, and how likely is "
            "each? How likely is a given other answer?"
        )


# %% [markdown] task="q5" points=15 parts={"unary_rows": 8, "unary_counts": 7}
# ## Task 5: A row of bits (15 points)
#
# In symmetric unary encoding a person's answer becomes a row of `d` bits: a 1 at its own place, zeros elsewhere. Every
# bit is then flipped with the same probability, independently of the others, and the whole row is sent. Write
#
# - `unary_rows(answers, d, epsilon, rng)`: the matrix of reports, a row for each person, so that a *whole row* is
#   ε-locally differentially private, with as few flips as ε allows;
# - `unary_counts(rows, epsilon)`: unbiased estimates of how many people hold each answer, `d` numbers. A negative
#   estimate is returned as it is.


# %% role="starter" task="q5"
def unary_rows(answers, d, epsilon, rng):
    """Return a row of d bits for each answer; a row is ε-locally differentially private."""
    ...


def unary_counts(rows, epsilon):
    """Return the estimated number of people for each answer."""
    ...


# %% role="solution" task="q5"
def unary_rows(answers, d, epsilon, rng):
    rows = np.eye(d, dtype=int)[np.asarray(answers)]
    flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
    return rows ^ flips


def unary_counts(rows, epsilon):
    flip = 1 / (1 + np.exp(epsilon / 2))
    return (np.sum(rows, axis=0) - len(rows) * flip) / (1 - 2 * flip)


# %% role="visible" task="q5"
def a_row_for_each_person(unary_rows):
    "Each person sends a row of d bits."
    rows = np.asarray(unary_rows(np.array([0, 3, 7]), 8, 1.0, np.random.default_rng(1)))
    assert rows.shape == (3, 8), f"3 answers of 8 should give a matrix of 3 rows and 8 columns, not {rows.shape}."
    assert np.isin(rows, [0, 1]).all(), "The bits of a row should be 0 or 1."


def counts_without_noise(unary_counts):
    "With a huge ε nobody's bits are flipped, and the counts are those of the rows."
    counts = np.asarray(unary_counts(np.eye(4, dtype=int)[[0, 0, 2]], 80.0))
    assert counts.shape == (4,), "Return one number for each answer."
    assert close(counts, [2, 0, 1, 0]), "At ε = 80 no bit is flipped: add up the rows."


# %% role="hidden" task="q5"
def every_bit_has_its_chance(unary_rows, rng, term):
    "A bit is flipped as rarely as the ε of the whole row allows, wherever it stands."
    draws_from_rng(unary_rows, np.arange(200) % 5, 5, term["epsilon"])
    for d, epsilon, truth in ((4, 1.0, 2), (term["ways"], term["epsilon"], 0), (6, 3.0, 5)):
        ones = np.asarray(unary_rows(np.full(20_000, truth), d, epsilon, rng)).sum(axis=0)
        protocol = dp.UnaryEncoding.symmetric(range(d), epsilon)
        for place in range(d):
            assert within(ones[place], 20_000, protocol.p if place == truth else protocol.q), (
                f"d = {d}, ε = {epsilon}: the bit at place {place} is 1 in {ones[place]:,} of 20,000 rows, all of "
                f"people with answer {truth}. How many bits differ between the rows of two answers before the flips?"
            )


def bits_are_flipped_alone(unary_rows, rng):
    "Flips are independent: within a row, between rows, and between surveys."
    rows, again = (np.asarray(unary_rows(np.zeros(50_000, int), 5, 1.0, rng)) for _ in range(2))
    p = dp.UnaryEncoding.symmetric(range(5), 1.0).p
    same = p**2 + (1 - p) ** 2
    for place in range(1, 4):
        assert within(np.sum(rows[:, place] == rows[:, place + 1]), 50_000, same), "Two bits of a row need a coin each."
    for one, other in ((rows[::2, 4], rows[1::2, 4]), np.split(rows[:, 4], 2), (rows[::2, 4], again[::2, 4])):
        assert within(np.sum(one == other), 25_000, same), "Two rows need coins of their own."
    for answers in (np.array([0, 1, 1]), np.array([2])):
        flips = sample(unary_rows, 4_000, answers, 5, 1.0, rng=rng) != np.eye(5)[answers]
        assert fits(flips.sum(axis=(1, 2)), stats.binom(5 * len(answers), 1 - p).cdf), (
            f"Asked are {len(answers)}: the number of flips isn't that of five coins for each; it varies too little or "
            "too much."
        )


def unbiased_counts(unary_counts):
    "The counts are unbiased estimates, and nothing is cut off."
    rows = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]])
    for epsilon in (0.5, 1.0, 3.0):
        protocol = dp.UnaryEncoding.symmetric(range(3), epsilon)
        assert close(unary_counts(rows, epsilon), protocol.estimate_from(rows.sum(axis=0), 4)), (
            f"ε = {epsilon}: how many ones do you expect at an answer's place if nobody holds it? If everybody does?"
        )


# %% [markdown] task="q6" points=15
# ## Task 6: {{questions}} questions, one ε (15 points)
#
# Now the office has a whole list of yes/no questions for the same people, and ε is for *everything* that a person
# sends: any two lists of answers of one person are neighbours. Design the survey. Write
#
# - `ask(answers, epsilon, rng)`: `answers` is a matrix of zeros and ones, a row for each person and a column for each
#   question. Return an array of numbers whose first axis is the people; what a report looks like is up to you. A
#   person's report may depend on that person's answers, on coins, and on the person's row number, on nothing else.
# - `shares(reports, questions, epsilon)`: from those reports, the estimated share of ones for each question.
#
# The first idea that comes to mind splits the budget: randomized response for each of the {{questions}} questions at
# ε/{{questions}}. The mean squared error of your shares must be **at most a third** of that design's, with {{people}}
# people and ε = {{epsilon}}, averaged over many lists of shares, and at most half of it at twice that ε. An audit looks
# for reports that tell more than ε, at several ε.


# %% role="starter" task="q6"
def ask(answers, epsilon, rng):
    """Return the people's reports; each is ε-locally differentially private as a whole."""
    ...


def shares(reports, questions, epsilon):
    """Return the estimated share of ones for each question."""
    ...


# %% role="solution" task="q6"
def ask(answers, epsilon, rng):
    people, questions = np.shape(answers)
    asked = rng.integers(questions, size=people)  # everybody spends all of ε on one question
    bits = np.asarray(answers)[np.arange(people), asked]
    lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
    return np.column_stack([asked, bits ^ lies])


def shares(reports, questions, epsilon):
    lie = 1 / (1 + np.exp(epsilon))
    ones = np.array([np.mean(reports[reports[:, 0] == question, 1]) for question in range(questions)])
    return (ones - lie) / (1 - 2 * lie)


# %% role="visible" task="q6"
def the_survey_runs(ask, shares):
    "The survey runs from answers to shares, and with a huge ε it is about right."
    rng = np.random.default_rng(1)
    answers = (rng.random((20_000, 8)) < np.linspace(0.1, 0.9, 8)).astype(int)
    true = answers.mean(axis=0)
    reports = np.asarray(ask(answers.copy(), 40.0, rng))
    assert reports.ndim and len(reports) == 20_000, "The first axis of the reports should be the people."
    estimates = np.asarray(shares(reports, 8, 40.0))
    assert estimates.shape == (8,), "Return one share for each question."
    assert close(estimates, true, atol=0.25), "At ε = 40 the estimates should be close to the shares."


# %% role="hidden" task="q6"
def accurate_enough(ask, shares, rng, term):
    "The mean squared error is at most a third of that of the split budget."
    n, k = term["people"], term["questions"]
    draws_from_rng(ask, rng.integers(2, size=(100, k)), term["epsilon"])
    # 800 squared errors: their mean has a standard deviation of about 5%.
    for epsilon, share in ((term["epsilon"], 1 / 3), (2 * term["epsilon"], 1 / 2)):
        surveys, errors = [], []
        for _ in range(100):
            answers = (rng.random((n, k)) < rng.uniform(0.02, 0.98, k)).astype(int)
            surveys.append((answers.mean(axis=0), np.asarray(ask(answers, epsilon, rng))))
        shares = fresh(shares)  # what is known of the people is in their reports, and nowhere else
        for true, reports in surveys:
            assert len(reports) == n, "The first axis of the reports should be the people."
            estimates = np.asarray(shares(reports, k, epsilon), float)
            assert estimates.shape == (k,), "Return one share for each question."
            errors.append(estimates - true)
        split = dp.RandomizedResponse.from_epsilon(epsilon / k).variance(n, 0) / n**2
        found = np.mean(np.square(errors))
        assert found <= share * split, (
            f"ε = {epsilon:g}: the mean squared error is {found:.4f}; with a split budget it is {split:.4f}. Does "
            "everybody need to answer every question? And are your estimates unbiased?"
        )


def _neighbours(k, rng):
    one = rng.integers(2, size=k)
    return (np.zeros(k, int), np.ones(k, int)), (one, 1 - one)


def no_report_tells_more_than_epsilon(ask, rng, term):
    "A report as a whole is ε-locally differentially private, as far as an audit can tell."
    first, second = _neighbours(term["questions"], rng)
    for pair, epsilon in ((first, term["epsilon"]), (second, term["epsilon"]), (first, 0.3), (second, 2.0)):

        def draw(world, runs, pair=pair, epsilon=epsilon):
            reports = np.asarray(ask(np.tile(pair[world], (runs, 1)), epsilon, rng))
            assert len(reports) == runs, "The first axis of the reports should be the people."
            return np.nan_to_num(reports.reshape(runs, -1), nan=-9)

        proven = epsilon + learned_excess(draw, pure(epsilon))
        assert proven <= epsilon, (
            f"An audit proves an ε of at least {proven:.2f} for one person's report, where {epsilon} is allowed. Add "
            "up what a person spends on all that is sent."
        )


def people_have_coins_of_their_own(ask, rng, term):
    "A person is protected in a survey of one or two, too, and from somebody who knows the other one's answers."
    epsilon, runs = term["epsilon"], 3_000
    for people in (1, 2):
        answers = np.zeros((people, term["questions"]), int)
        worlds = answers, answers + (np.arange(people) == 0)[:, None]
        reports = np.concatenate([sample(ask, 2 * runs, world, epsilon, rng=rng) for world in worlds])
        # Half of the runs say which reports of all people together tell the worlds apart, the others how well.
        rows = np.nan_to_num(reports.astype(float), nan=-9).reshape(4 * runs, -1).round(9)
        kinds = np.unique(rows, axis=0, return_inverse=True)[1].reshape(2, 2, runs)
        seen = [np.bincount(world[0], minlength=kinds.max() + 1) for world in kinds]
        for one, other in ((0, 1), (1, 0)):
            telling = seen[one] > np.exp(epsilon) * seen[other]
            proven = epsilon + event_excess(*(telling[kinds[world, 1]] for world in (one, other)), pure(epsilon))
            assert proven <= epsilon, (
                f"An audit of a survey with {people} asked proves an ε of at least {proven:.2f} for one of them, where "
                f"{epsilon} is allowed. Does everybody have coins of their own, whoever else is asked?"
            )


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: Every month (10 points)
#
# The office wants to repeat the red light question each month, with the same people, and to publish the monthly share.
# The plan says: "each report is ε = {{epsilon}}, so everybody is protected with ε = {{epsilon}}".
#
# In at most 200 words: What is right and what is wrong with that sentence? Name two ways to run the survey for a year
# so that a person's total ε stays at {{epsilon}}, whatever happens to the answers, and say what each costs the office.

# %% [markdown] role="rubric" task="q7"
# - 2 points: each single report is ε-locally differentially private: the sentence is right for somebody who sees one
#   report.
# - 3 points: reports of one person add up. Twelve with fresh coins cost 12 ε (replace-one, all of a person's answers
#   of the year), and who always has the same answer can be read off the average.
# - 4 points, 2 for each way that works whatever happens to the answers, with its cost. For example: split the budget,
#   ε/12 a month: the standard deviation grows about twelvefold. Split the people: each is asked in one month only:
#   12 times fewer people each month, the standard deviation grows by √12. Ask once and use it all year: no cost in
#   noise, but no change is seen. Keep the first report and send it again whenever asked: ε in total if it never depends
#   on later answers, and again no change is seen.
# - 1 point: recommends one of them with a reason (the split people: the smaller error), or says that a kept report for
#   each *answer* protects only while the answer doesn't change.
#
# **A model answer** (10 points) Right: each single report is ε-locally differentially private, so who sees one report
# learns no more than ε allows. Wrong: one person's reports add up. Twelve with fresh coins cost 12ε for all of a
# person's answers of the year, and who always does the same can be read off the average of the twelve. Two ways that
# keep the total at ε: ask each person in one month only, chosen by lot beforehand; the monthly sample is a twelfth, and
# the standard deviation grows by √12. Or ask everybody every month at ε/12; the standard deviation grows about
# twelvefold. I would split the people. Keeping each person's first report, and sending it again, also costs ε in all,
# but then no change is ever seen; and a kept report for each answer protects only while the answer stays the same.
#
# **A borderline answer** (5 points) "Each report is private but together they are 12ε by composition. One could use
# ε/12 per month, or memoization where the answer is stored. Both reduce accuracy." The sentence is judged rightly (4 of
# 5, without the average), one way is without its cost (1 of 2), and memoization without saying what happens when an
# answer changes (0 of 2).

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 3, which report gives more away if `yes` is 0.9, and why is ε not the average of the two?
# 2. In task 5, why is a bit flipped with ε/2, although a row has many bits?
# 3. In task 6, everybody answers one question with all of ε. When would answering two at half of ε be as good?
