# %% [markdown]
# # Assignment 5: The theatre's choices
#
# A theatre asks its guests what they would like to see, what they would pay, and how far they travel. It publishes
# choices, not counts: a winner, a price, a first day. All of them are to be **ε-differentially private**. Neighbours
# are two tables of which one has one guest (one row) more than the other (add/remove), unless a task says replace-one.
# Public are the plays, the prices and all other candidates, the rules that score them, the bounds, and every ε. The
# guests' answers are not public, and neither is their number.
#
# You need chapters 9 and 10, and about four and a half hours. Write into the cells marked for you, keep the names of
# the functions, and leave the rest as it is. Each task stands alone: a function that you write for one isn't used by
# another. Below each task is a cell that checks what you can check yourself; the grader checks more, on other numbers.
# What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `guests.csv` has a row for each of {{people}} invented guests: the minutes that they travel to the theatre (0 to
#   120), the most that they would pay for a ticket in euros, and for each of {{plays}} plays a 1 if they would like to
#   see it. It is there so that you can try your functions.

# %% role="term"
# At least 2,000 people and epsilon from 0.3 to 1.5: there q6's threshold parts good designs from naive ones. At least
# 20 euros for the dearest ticket.
TERM = {"people": 3000, "plays": 12, "epsilon": 0.5, "dearest": 60, "earliest": 16, "patience": 2}


# %% role="data"
def make_data(term, rng):
    n = term["people"]
    minutes = np.clip(rng.gamma(2.5, rng.uniform(9, 16), n), 0, 120).round()
    pays = np.where(rng.random(n) < 0.15, 200, 15) * np.exp(rng.normal(0, 0.4, n))
    likes = rng.random((n, term["plays"])) < rng.uniform(0.05, 0.5, term["plays"])
    plays = pd.DataFrame(likes.astype(int), columns=[f"play {i}" for i in range(term["plays"])])
    return {"guests.csv": pd.DataFrame({"minutes": minutes.astype(int), "pays": pays.round(2)}).join(plays)}


# %% role="setup"
import numpy as np
import pandas as pd

guests = pd.read_csv("guests.csv")
guests.head()

# %% [markdown] task="q1" points=10
# ## Task 1: Favourites of the house (10 points)
#
# Before anybody votes, the house gives each candidate a public weight, `prior[i]`, of 0 or more; not all are 0. The
# exponential mechanism then chooses candidate `i` with a probability proportional to
# $w_i\, e^{\varepsilon s_i/(2\Delta)}$, where $w_i$ is that weight and $s_i$ the score; the scores aren't monotonic.
# Weights that don't depend on the data cost no privacy.
#
# Write `log_chances(scores, prior, sensitivity, epsilon)`. Return an array with the natural *logarithm* of each
# candidate's probability, and `-np.inf` for one that can't be chosen. All finite scores must work, and a logarithm must
# be right even if the probability itself is too small for a floating-point number. Weights may be as small as 1e-300.


# %% role="starter" task="q1"
def log_chances(scores, prior, sensitivity, epsilon):
    """Return the logarithm of each candidate's probability."""
    ...


# %% role="solution" task="q1"
def log_chances(scores, prior, sensitivity, epsilon):
    prior = np.asarray(prior, dtype=float)
    stands = prior > 0
    weights = epsilon * np.asarray(scores, dtype=float)[stands] / (2 * sensitivity) + np.log(prior[stands])
    top = weights.max()  # of those who stand: a score that can't win mustn't drown the others
    result = np.full(len(prior), -np.inf)
    result[stands] = weights - top - np.log(np.exp(weights - top).sum())
    return result


# %% role="visible" task="q1"
def three_candidates_by_hand(log_chances):
    "Three candidates whose chances you can compute by hand."
    found = np.asarray(log_chances([2, 1, 0], [1, 2, 4], 1, 2 * np.log(2)))
    assert found.shape == (3,), "Return one number for each candidate."
    assert close(found, np.log([1 / 3] * 3)), (
        "With ε = 2 ln 2 a point of score doubles the weight: here all three should be equally likely."
    )


# %% role="hidden" task="q1"
def _expected(scores, prior, sensitivity, epsilon):
    with np.errstate(divide="ignore"):
        weights = epsilon * np.asarray(scores, float) / (2 * sensitivity) + np.log(prior)
    return weights - np.logaddexp.reduce(weights)


def logarithms_are_right(log_chances, rng):
    "The logarithms of the chances are right for scores and weights of ordinary size, in any unit."
    for sensitivity, epsilon in ((1, 1.0), (20, 0.5), (0.002, 3.0)):
        scores, prior = rng.normal(0, 5 * sensitivity, 9), rng.uniform(0.1, 5, 9)
        expected = _expected(scores, prior, sensitivity, epsilon)
        assert close(log_chances(scores, prior, sensitivity, epsilon), expected), (
            f"Sensitivity {sensitivity}, ε = {epsilon}: the chances are wrong. Do they sum to 1? How many units of the "
            "sensitivity is a score worth, and are these scores monotonic?"
        )


def extreme_scores(log_chances):
    "Huge and tiny scores give finite logarithms."
    scores, prior = [3e6, 3e6 - 4, -2e6, 0], [1.0, 2.0, 1.0, 1e-300]
    found = np.asarray(log_chances(scores, prior, 1, 1.0), float)
    assert close(found, _expected(scores, prior, 1, 1.0), rtol=1e-9, atol=1e-6), (
        "Scores of millions of points: the result is wrong or not finite. Where do you leave the logarithm, although "
        "you needn't?"
    )


def candidates_that_cannot_be_chosen(log_chances):
    "A candidate of weight 0 has no chance, and doesn't disturb the others, even if its score is by far the largest."
    found = np.asarray(log_chances([9000.0, 2.0, 0.0], [0.0, 1.0, 3.0], 1, 1.0), float)
    assert found.shape == (3,), "Return one number for each candidate."
    assert found[0] == -np.inf, "A candidate of weight 0 can't be chosen: the logarithm of its probability is -inf."
    assert close(found[1:], _expected([2, 0], [1, 3], 1, 1.0)), (
        "The best score belongs to a candidate of weight 0. Which number do you subtract before you exponentiate?"
    )


# %% [markdown] task="q2" points=15
# ## Task 2: Five scores (15 points)
#
# The theatre makes its choices by report noisy max, with Laplace noise. Here are five rules for a score. In each table
# a row is a guest, and guests may give any answer that the rule allows.
#
# - `"likes"`: candidates are {{plays}} plays. Each guest ticks as many as they want. Score: the ticks of the play.
# - `"smiles"`: the same plays. Each guest puts a smile, a frown or nothing beside each play. Score: smiles minus
#   frowns.
# - `"revenue"`: candidates are the prices 1, 2, …, {{dearest}} euros. Each guest names a limit from 0 to {{dearest}}
#   euros. Score: the price times the number of guests whose limit is at least that price.
# - `"waiting"`: candidates are the full hours from {{earliest}} to 22 o'clock, for the show to begin. Each guest names
#   one of them. Score: *minus* the sum, over the guests, of the distance in hours between it and the hour they named,
#   where a distance above {{patience}} hours counts as {{patience}} hours.
# - `"middle"`: prices and limits as for `"revenue"`. Score: *minus* the absolute difference of two numbers: how many
#   guests have a limit below the price, and how many have one of at least the price.
#
# Write `noise_scale(score, relation, epsilon)`: the smallest scale of the noise for which chapter 9's theorem on report
# noisy max promises ε-differential privacy. `score` is one of these five names, and `relation` is `"add/remove"` or
# `"replace-one"`.


# %% role="starter" task="q2"
def noise_scale(score, relation, epsilon):
    """Return the scale of the noise on this score, for these neighbours."""
    ...


# %% role="solution" task="q2"
def noise_scale(score, relation, epsilon):
    # (sensitivity, 1 if monotonic and 2 if not), for add/remove and for replace-one
    table = {
        "likes": ((1, 1), (1, 2)),
        "smiles": ((1, 2), (2, 2)),
        "revenue": (({{dearest}}, 1), ({{dearest}}, 1)),  # a raised limit lowers no revenue
        "waiting": (({{patience}}, 1), ({{patience}}, 2)),
        "middle": ((1, 2), (2, 2)),
    }
    sensitivity, factor = table[score][relation == "replace-one"]
    return factor * sensitivity / epsilon


# %% role="visible" task="q2"
def a_scale_for_each_score(noise_scale):
    "There is a scale above 0 for each of the five scores and both relations, and half the ε needs twice the noise."
    for score in ("likes", "smiles", "revenue", "waiting", "middle"):
        for relation in ("add/remove", "replace-one"):
            scale = noise_scale(score, relation, 1.0)
            assert np.shape(scale) == () and scale > 0, f"{score}, {relation}: return one number above 0."
            assert np.isclose(noise_scale(score, relation, 0.5), 2 * scale), "Half the ε should need twice the noise."


# %% role="hidden" task="q2"
def _look(noise_scale, score, relation, scale, advice):
    assert np.isclose(noise_scale(score, relation, 0.5), scale / 0.5), f"{score}, {relation}: {advice}"


def scores_that_count(noise_scale):
    "The scales for likes and smiles."
    one = "How far may one guest move one score, and may two scores move in opposite directions?"
    two = "A guest becomes another one. How far may that move one score, and can another score move the other way?"
    _look(noise_scale, "likes", "add/remove", 1, one)
    _look(noise_scale, "likes", "replace-one", 2, two)
    _look(noise_scale, "smiles", "add/remove", 2, one)
    _look(noise_scale, "smiles", "replace-one", 4, two)


def scores_of_prices_and_hours(noise_scale, term):
    "The scales for revenue and waiting."
    limit = "How much does one guest's limit add to the revenue of each price, at most?"
    _look(noise_scale, "revenue", "add/remove", term["dearest"], limit)
    limit = "A guest raises their limit. Which revenues grow, which shrink? Can one grow while another shrinks?"
    _look(noise_scale, "revenue", "replace-one", term["dearest"], limit)
    hours = "How much does one guest's distance to an hour count at most? Which scores does a guest raise, which lower?"
    _look(noise_scale, "waiting", "add/remove", term["patience"], hours)
    _look(noise_scale, "waiting", "replace-one", 2 * term["patience"], hours)


def the_score_of_the_middle(noise_scale):
    "The scales for the middle."
    advice = "Take a price below the middle and one above it. What does one guest do to either of the two numbers?"
    _look(noise_scale, "middle", "add/remove", 2, advice)
    _look(noise_scale, "middle", "replace-one", 4, advice)


# %% [markdown] task="q3" points=20
# ## Task 3: Three quartiles for one ε (20 points)
#
# How long do guests travel? Write `private_quartiles(values, lower, upper, epsilon, rng)`: the private first quartile,
# median and third quartile of `values`, as three ascending numbers, ε-differentially private together.
#
# 1. Values outside the public bounds are moved to the nearer bound.
# 2. Choose the median $m$ from *all* numbers between `lower` and `upper` by the exponential mechanism. The score of a
#    number is minus the absolute difference between how many values lie below it and how many above it. Half of ε is
#    for this step.
# 3. The first quartile is the median of the values below $m$, chosen in the same way between `lower` and $m$; the
#    third quartile that of the values above $m$, chosen between $m$ and `upper`.
#
# Every choice spends as much of ε as it can. The table may be empty, may have equal values, and may have 100,000 rows.


# %% role="starter" task="q3"
def private_quartiles(values, lower, upper, epsilon, rng):
    """Return first quartile, median and third quartile, ε-differentially private together."""
    ...


# %% role="solution" task="q3"
def private_quartiles(values, lower, upper, epsilon, rng):
    def median(values, lower, upper):
        ends = np.concatenate([[lower], np.sort(values), [upper]])
        below = np.arange(len(values) + 1)  # how many values lie below the interval
        score = -np.abs(2 * below - len(values))  # sensitivity 1, not monotonic
        lengths = np.diff(ends)
        exponents = epsilon / 2 * score / 2
        exponents[lengths == 0] = -np.inf  # between equal values lies nothing to choose
        weights = lengths * np.exp(exponents - exponents.max())
        place = rng.choice(len(weights), p=weights / weights.sum())
        return rng.uniform(ends[place], ends[place + 1])

    values = np.clip(np.asarray(values, dtype=float), lower, upper)
    middle = median(values, lower, upper)
    # A guest is on one side of the middle only: each side may spend the whole second half of ε.
    return median(values[values < middle], lower, middle), middle, median(values[values > middle], middle, upper)


# %% role="visible" task="q3"
def quartiles_of_many_values(private_quartiles):
    "With many values and a large ε the quartiles are nearly exact, and the values stay as they are."
    values = np.linspace(100, 0, 1001)
    found = np.asarray(private_quartiles(values, 0, 100, 20.0, np.random.default_rng(1)))
    assert found.shape == (3,), "Return three numbers."
    assert np.allclose(found, [25, 50, 75], atol=2), (
        "1,001 values spread evenly from 0 to 100: at ε = 20 the quartiles should be close to 25, 50 and 75."
    )
    assert values[0] == 100, "Your function changes the array it is given: work on a copy."


def quartiles_of_nobody(private_quartiles):
    "An empty table has private quartiles, too: ascending numbers between the bounds."
    first, middle, third = private_quartiles([], 0, 120, 1.0, np.random.default_rng(1))
    assert 0 <= first <= middle <= third <= 120, "They should be ascending, and between the bounds."


# %% role="hidden" task="q3"
def _cdf(x, values, lower, upper, epsilon):
    """Return the probability that the exponential mechanism chooses a median up to x."""
    ends = np.concatenate([[lower], np.sort(values), [upper]])
    lengths = np.diff(ends)
    exponents = -epsilon * np.abs(2 * np.arange(len(values) + 1) - len(values)) / 2
    with np.errstate(divide="ignore"):
        exponents = exponents + np.log(lengths)
    weights = np.exp(exponents - exponents.max())
    return np.interp(x, ends, np.append(0, np.cumsum(weights) / weights.sum()))


def _uniform(ranks):
    """Tell whether ranks are uniform, and as often near the middle as they should be: too much noise shows there."""
    return fits(ranks, lambda u: u) and fits(2 * np.abs(np.asarray(ranks) - 0.5), lambda u: u)


def law_of_the_quartiles(private_quartiles, rng):
    "Each choice has the distribution of the exponential mechanism with what it may spend, given the median."
    for values, lower, upper, epsilon in (
        (rng.uniform(20, 90, 60), 0, 100, 0.6),
        (rng.uniform(20, 90, 600), 0, 100, 0.1),
        (np.array([10, 10, 10, 25, 25, 70, 300, -5.0]), 0, 60, 2.0),
        (np.full(30, 20.0), 0, 60, 0.4),
        (np.array([7.0]), 0, 10, 2.0),
        (np.arange(1.0, 7), 0, 9_000, 2.0),  # one side of the median is empty, nearly always
        (np.array([]), -5, 5, 1.0),
    ):
        where = f"{len(values)} values, bounds {lower} and {upper}, ε = {epsilon}:"
        inside = np.clip(values, lower, upper)
        runs = sample(private_quartiles, 1_500, values, lower, upper, epsilon, rng=rng)
        assert runs.shape == (1_500, 3), "Return three numbers."
        assert _uniform(_cdf(runs[:, 1], inside, lower, upper, epsilon / 2)), (
            f"{where} the median doesn't have the right distribution. What is the sensitivity of this score? Do you "
            "count how long each interval is, between the public bounds, and can every number in it be chosen?"
        )
        first = [_cdf(q, inside[inside < m], lower, m, epsilon / 2) for q, m, _ in runs]
        third = [_cdf(q, inside[inside > m], m, upper, epsilon / 2) for _, m, q in runs]
        assert _uniform(first) and _uniform(third) and _uniform(first + third), (
            f"{where} the other quartiles don't have the right distribution, given the median. Which values and which "
            "bounds does each use? How much of ε may it spend, if one guest can be on one side of the median only?"
        )


def large_tables(private_quartiles, rng):
    "A large table works, and so does one whose values are all the same."
    found = np.asarray(private_quartiles(rng.uniform(0, 100, 100_000), 0, 100, 1.0, rng), float)
    assert np.allclose(found, [25, 50, 75], atol=2), (
        "100,000 values spread evenly from 0 to 100: the quartiles should be close to 25, 50 and 75. Do all weights "
        "become 0, or does any become infinite?"
    )
    found = np.asarray(private_quartiles(np.full(20_000, 30.0), 0, 100, 1.0, rng), float)
    assert (np.diff(found) >= 0).all() and found.min() >= 0 and found.max() <= 100, (
        "20,000 values that are all 30: what weight has the best interval, and what weight have the others?"
    )


# %% [markdown] task="q4" points=10
# ## Task 4: A season of several plays (10 points)
#
# The theatre shows not one play but `k`. `counts` says how many guests would like to see each play; a guest may like
# any number of them, even all. Write `season(counts, k, epsilon, rng)`: the positions of `k` different plays, in the
# order in which they are chosen, ε-differentially private together. Choose as if you ran the exponential mechanism `k`
# times, each time among the plays not yet chosen and with the same share of ε. Waste none of ε.


# %% role="starter" task="q4"
def season(counts, k, epsilon, rng):
    """Return the positions of k plays, in the order of their choice."""
    ...


# %% role="solution" task="q4"
def season(counts, k, epsilon, rng):
    # Counts are monotonic under add/remove: scale 1 / (ε/k). Going on down the same race is choosing among the rest.
    noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
    return np.argsort(-noisy)[:k]


# %% role="visible" task="q4"
def k_different_plays(season):
    "The answer is k different positions; with a huge ε these are the best plays, in order."
    counts = np.array([30, 500, 120, 10, 300])
    found = np.asarray(season(counts, 3, 1e6, np.random.default_rng(1)))
    assert found.shape == (3,), "Return k positions."
    assert found.tolist() == [1, 4, 2], "At ε = 10⁶ the best three of 30, 500, 120, 10, 300 are at positions 1, 4, 2."
    assert counts.tolist() == [30, 500, 120, 10, 300], "Your function changes the array it is given: work on a copy."
    found = season([0, 90_000], 2, 1.0, np.random.default_rng(1))
    assert sorted(np.asarray(found).tolist()) == [0, 1], "Two of two plays: both should be in the season."


# %% role="hidden" task="q4"
def seasons_have_their_chances(season, rng, term):
    "Every season has the probability of repeated choices by the exponential mechanism."
    for counts, k, epsilon, times in (
        ([14, 12, 11], 1, term["epsilon"], 5_000),
        ([6, 2, 2, 2, 2, 2, 2, 2], 2, 2.0, 5_000),
        ([5, 3, 4, 2], 4, 2.0, 5_000),
        ([4, 3, 0], 2, 2.0, 14_000),  # Laplace noise would bring two upsets in a row nine times as often
        ([2_003, 2_000, 1_999], 2, 1.0, 5_000),
        ([0, 0, 0, 0], 2, 1.0, 5_000),
        ([3, 0, 0], 2, 2.0, 5_000),
        ([3, 2, 2, 0], 2, 2.0, 5_000),
    ):
        runs = np.asarray(sample(season, times, counts, k, epsilon, rng=rng))
        assert runs.shape == (times, k), "Return k positions."
        weights = np.exp(epsilon / k * (np.array(counts) - max(counts)))
        for first in range(len(counts)):
            p = weights[first] / weights.sum()
            assert within(np.sum(runs[:, 0] == first), times, p), (
                f"Counts {counts}, k = {k}, ε = {epsilon}: play {first} comes first in "
                f"{np.mean(runs[:, 0] == first):.1%} of {times:,} seasons, which isn't its chance. What does one guest "
                "do to all the counts, and how is ε divided?"
            )
            for second in set(range(len(counts))) - {first} if k > 1 else ():
                both = p * weights[second] / (weights.sum() - weights[first])
                assert within(np.sum((runs[:, 0] == first) & (runs[:, 1] == second)), times, both), (
                    f"Counts {counts}, k = {k}, ε = {epsilon}: play {first} and then play {second} are chosen too "
                    "often or too rarely. What is the chance of the second choice, once the first is out of the race?"
                )


def seasons_repeat_no_play(season, rng):
    "No play is chosen twice, and counts of any size work."
    for _ in range(50):
        found = np.asarray(season([80_000, 2, 1, 0, 79_999], 4, 0.3, rng)).tolist()
        assert len(set(found)) == 4 and set(found) <= set(range(5)), "A season of 4 should have 4 different plays."


# %% [markdown] task="q5" points=15 parts={"first_alarm": 9, "colleague_epsilon": 6}
# ## Task 5: The colleague's alarm (15 points)
#
# The box office counts complaints, day after day; one guest changes the count of any day by at most 1, up or down, and
# perhaps on every day. It wants to know the first day whose count reaches a public threshold. The code below is a
# colleague's AboveThreshold, made faster: "no loop, and the scales are those of chapter 10". It returns a day's
# position, or -1 if no day passes. It runs, and finds the right day more often than the slow version. There is a
# defect in it.
#
# Find it and mend `first_alarm`, with the same two scales of noise. Then make `colleague_epsilon(days, epsilon)` return
# the smallest ε for which the *unmended* code is private on a table of `days` days, 1 or more, when it is called with
# the argument `epsilon`. Counts may have any size.


# %% role="starter" task="q5"
def first_alarm(counts, threshold, epsilon, rng):
    """Return the position of the first count that passes, or -1: ε-differentially private."""
    counts = np.asarray(counts, dtype=float)
    levels = threshold + rng.laplace(scale=2 / epsilon, size=counts.size)
    noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
    passed = np.flatnonzero(noisy >= levels)
    return int(passed[0]) if passed.size else -1


def colleague_epsilon(days, epsilon):
    """Return the ε that the code above really has."""
    return epsilon  # says the colleague


# %% role="solution" task="q5"
def first_alarm(counts, threshold, epsilon, rng):
    counts = np.asarray(counts, dtype=float)
    level = threshold + rng.laplace(scale=2 / epsilon)  # one for all days
    noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
    passed = np.flatnonzero(noisy >= level)
    return int(passed[0]) if passed.size else -1


def colleague_epsilon(days, epsilon):
    # Without a common level each day is a comparison of its own, with noise Lap(2/ε) + Lap(4/ε). Its tails fall like
    # those of the wider noise, so that a day that moves by 1 costs up to ε/4 and comes as close to that as you like.
    return days * epsilon / 4


# %% role="visible" task="q5"
def alarms_without_noise(first_alarm):
    "With a huge ε the first day at or above the threshold is found, or -1."
    found = [first_alarm(counts, 10, 1e6, np.random.default_rng(1)) for counts in ([3, 4, 25, 8, 30], [3, 4])]
    assert found == [2, -1], "At ε = 10⁶, threshold 10: 3, 4, 25, 8, 30 should give 2, and 3, 4 should give -1."


def the_colleague_has_an_epsilon(colleague_epsilon):
    "colleague_epsilon returns a number above 0, twice as large for twice the argument epsilon."
    assert np.shape(colleague_epsilon(30, 1.0)) == (), "Return one number."
    assert colleague_epsilon(30, 1.0) > 0, "The colleague's alarms do say something about the counts."
    assert np.isclose(colleague_epsilon(30, 2.0), 2 * colleague_epsilon(30, 1.0)), (
        "Twice the argument halves all the noise: that should double the ε."
    )


# %% role="hidden" task="q5"
def _stops(gaps, epsilon):
    """Return the chances to stop at each position, and last that of -1, given the counts minus the threshold."""
    level = np.linspace(-60, 60, 24_001) / epsilon
    remaining, chances = stats.laplace.pdf(level, scale=2 / epsilon), []
    for gap in gaps:
        passes = stats.laplace.sf(level - gap, scale=4 / epsilon)
        chances.append(np.trapezoid(remaining * passes, level))
        remaining = remaining * (1 - passes)
    return [*chances, np.trapezoid(remaining, level)]


def alarms_have_their_chances(first_alarm, rng, term):
    "Every day, and -1, is published with the probability that AboveThreshold gives it."
    rarely = [-24] * 60  # only noise far out in its tails passes
    for threshold, gaps, epsilon, times in (
        (40, [0] * 12, term["epsilon"], 10_000),
        (40, [-9, -2, 1, -4, 0, 3], 1.0, 10_000),
        (4_000, [5, -5], 0.4, 10_000),
        (40, rarely, 1.0, 10_000),
        (40, [-16] * 200, 1.0, 5_000),
        (40, [21], 1.0, 30_000),
        (40, [0, -1, 1, 0], 5.0, 20_000),  # little noise, so that it shows where it is cut
    ):
        runs = np.asarray(sample(first_alarm, times, threshold + np.array(gaps), threshold, epsilon, rng=rng))
        for day, p in zip([*range(len(gaps)), -1], _stops(gaps, epsilon), strict=True):
            assert within(np.sum(runs == day), times, p), (
                f"{len(gaps)} days, threshold {threshold}, counts less the threshold {str(gaps[:12])[1:-1]} …, ε = "
                f"{epsilon}: {day} is returned in {np.mean(runs == day):.1%} of {times:,} runs, which AboveThreshold "
                "doesn't do. Go through chapter 10's privacy argument: which noise is drawn once, which for each "
                "answer, and which isn't published?"
            )


def what_the_defect_costs(colleague_epsilon):
    "The ε of the colleague's alarm."
    for days, epsilon in ((1, 1.0), (3, 0.8), (4, 2.0), (30, 0.5), (365, 0.1)):
        assert np.isclose(colleague_epsilon(days, epsilon), days * epsilon / 4), (
            f"{days} days, ε = {epsilon}: what is the most that one day's comparison can tell, if its count is far "
            "from the threshold? Which of the two noises decides there? And how many comparisons does the result tell?"
        )


# %% [markdown] task="q6" points=20
# ## Task 6: What should a ticket cost? (20 points)
#
# Design the sale. `values` has the most that each guest would pay, numbers from 0 to 1,000,000 euros (for most shows
# far less, but there are charity dinners), and may be empty. `prices` has the prices that the ticket machine knows: an
# ascending array of two or more numbers from 1 to 1,000,000. It is public. All guests pay the same price, and those
# with a lower limit stay away. Write `ticket_price(values, prices, epsilon, rng)`: one of these prices,
# ε-differentially private, whose revenue is as large as you can make it.
#
# The first idea that comes to mind is chapter 9's: score each price by its revenue. A single guest can then move a
# score by a million euros, and the choice is nearly blind. Yours must earn, on average over many shows, **at least 75%
# of what the best price earns** (the best of the prices that at least 100 guests would pay), for each of these kinds
# of audience, with {{people}} guests, ε = {{epsilon}}, and prices from 1 to 1,000,000 euros in steps of 10%:
#
# - everybody has a similar limit, somewhere around 5 euros, or 3,000 euros, or anything between;
# - so it is, but there is a single guest who would pay a million;
# - most have a similar limit, but 15% of the guests would pay about twenty times as much.
#
# Leave a margin, since the shows are random: good designs earn more than 90%. Invent such audiences: after
# `from checks import try_it`, `try_it("q6", ticket_price, values)` prints what yours earns. It isn't told which kind it
# has, nor how many guests, and what it learns of that from `values` is paid for out of ε: an audit, with machines that
# know few prices, looks for prices that tell more than ε about a guest, or more than $k\varepsilon$ about $k$ guests.


# %% role="starter" task="q6"
def ticket_price(values, prices, epsilon, rng):
    """Return one of the prices, ε-differentially private."""
    ...


# %% role="solution" task="q6"
def ticket_price(values, prices, epsilon, rng):
    # A noisy count for each price, of those who would pay it and not the next one. A guest is in one count at most.
    highest = np.searchsorted(prices, np.asarray(values, float), side="right") - 1
    counts = np.bincount(highest[highest >= 0], minlength=len(prices))
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    buyers = noisy[::-1].cumsum()[::-1]
    # A price of which noise alone could say that somebody pays it must not win, however high it is.
    return prices[np.argmax(np.where(buyers >= 60 / epsilon, prices * buyers, 0))]


# %% role="visible" task="q6"
def one_price(ticket_price):
    "The answer is one of the prices, also for nobody; with a huge ε it earns well."
    for values in (np.array([]), np.array([3.0, 8.5, 1_000_000, 0])):
        for prices in (np.array([2.0, 1_000_000]), np.geomspace(1, 1_000_000, 146)):
            price = ticket_price(values, prices, 1.0, np.random.default_rng(1))
            assert np.shape(price) == () and np.isin(price, prices), "Return one of the machine's prices."
    values, prices = np.linspace(50, 100, 2_000), np.geomspace(1, 1_000_000, 146)
    price = ticket_price(values, prices, 1_000.0, np.random.default_rng(1))
    assert price * np.sum(values >= price) >= 0.6 * 50 * 2_000, (
        "2,000 limits from 50 to 100 euros: at ε = 1,000 the price should earn at least 60% of 50 euros from each."
    )


def _earned(ticket_price, values, epsilon, rng):
    """Return what a price earns, as a share of the best price that at least 100 guests would pay."""
    prices = np.geomspace(1, 1e6, 146)
    buyers = np.sum(values >= prices[:, None], axis=1)
    price = float(ticket_price(values, prices, epsilon, rng))
    assert np.isin(price, prices), "Return one of the machine's prices."
    return price * np.sum(values >= price) / np.max((prices * buyers)[buyers >= 100])


def _try_it(ticket_price, values):
    rng, values = np.random.default_rng(), np.asarray(values, float)
    shares = [_earned(ticket_price, values.copy(), {{epsilon}}, rng) for _ in range(60)]
    return f"the price earns {np.mean(shares):.0%} of what the best one does, on average (at least 75%)."


# %% role="hidden" task="q6"
def _audience(kind, n, rng):
    values = np.exp(rng.uniform(np.log(5), np.log(3000))) * np.exp(rng.normal(0, 0.35, n))
    if kind == "one guest would pay a million":
        values[0] = 1e6
    if kind == "15% would pay more":
        values[: round(0.15 * n)] *= 20
    return np.minimum(values, 1e6)


def earns_enough(ticket_price, rng, term):
    "For each kind of audience the average revenue is at least 75% of the best price's."
    for kind in ("all similar", "one guest would pay a million", "15% would pay more"):
        audiences = (_audience(kind, term["people"], rng) for _ in range(60))
        # Of a good design: 0.95 and more on average, with a few of 0, so that 0.75 is out of reach.
        shares = [_earned(ticket_price, values, term["epsilon"], rng) for values in audiences]
        assert np.mean(shares) >= 0.75, (
            f"Audience: {kind}. The price earns {np.mean(shares):.0%} of what the best price would. In which shows "
            "does it go wrong: is the price too high, so that hardly anybody comes, or far too low? What is one guest "
            "worth in the unit of your score, and could that be less?"
        )


def _loss(ticket_price, here, there, epsilon, allowed, rng):
    """Return the ε that an audit of two tables proves, which is above ``allowed`` only if the true one is."""
    prices = np.geomspace(1, 1e6, 25)
    runs = [sample(ticket_price, 3_000, np.array(table, float), prices, epsilon, rng=rng) for table in (here, there)]
    return allowed + two_way_excess(*runs, pure(allowed))


def _fewest(seen, low, high):
    """Return the fewest guests, by halving, of whom ``seen`` says that they are seen; ``high`` if none are."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if seen(middle) else (middle + 1, high)
    return low


def no_guest_can_be_found_out(ticket_price, rng, term):
    "The price is ε-differentially private, as far as an audit of tables with one guest more or less can tell."
    for here, there in (([20] * 30, [20] * 30 + [1e6]), ([], [777.0]), ([2], [2, 9e5])):
        proven = _loss(ticket_price, here, there, term["epsilon"], term["epsilon"], rng)
        assert proven <= term["epsilon"], (
            f"An audit proves an ε of at least {proven:.2f} for one guest, where {term['epsilon']} is allowed. Is "
            "there anything that comes from the data without noise: a bound, a list of prices, a best price?"
        )


def nobody_moves_the_price_by_a_step(ticket_price, rng):
    "Where one guest's limit is another, and the price moves most, it tells no more than ε allows."
    # Whatever a cap is read off, a median or a quantile: somewhere between guests with little money and as many with
    # much it makes its step. One guest's limit is another there, which counts as two guests.
    prices = np.geomspace(1, 1e6, 25)
    for guests, epsilon, group in ((400, 1.0, 1), (2_000, 0.04, 1), (2_000, 0.04, 10)):

        def table(rich, guests=guests):
            return np.repeat([9e5, 2.0], [rich, guests - rich])

        def some(rich, epsilon=epsilon, table=table):
            return sample(ticket_price, 40, table(rich), prices, epsilon, rng=rng)

        steps, allowed = {steepest(some, guests), guests // 2 - 1, guests // 2}, 2 * group * epsilon
        pairs = [(max(j - group // 2, 0), min(j + (group + 1) // 2, guests)) for j in steps]
        proven = max(_loss(ticket_price, table(a), table(b), epsilon, allowed, rng) for a, b in pairs)
        assert proven <= allowed, (
            f"{guests:,} guests would pay 2 euros or 900,000; where {group} more would pay the latter, an audit proves "
            f"an ε of at least {proven:.2f}, at ε = {epsilon} where {allowed:g} is allowed. What in your design "
            "can one guest move far, although it is a median or a quantile? Does the noise know how many guests come?"
        )


def large_audiences_are_protected(ticket_price, rng):
    "In a large audience, too, one guest more or two change the price by no more than ε or 2ε."
    prices = np.array([1, 1e6])
    for epsilon, group in ((1.0, 2), (3.0, 1)):

        def draw(rich, runs, epsilon=epsilon):
            return sample(ticket_price, runs, np.repeat([1e6, 2.0], [rich, 8_000]), prices, epsilon, rng=rng)

        rich = _fewest(lambda some, draw=draw: np.mean(draw(some, 100) > 1) > 0.3, group, 600)
        allowed = group * epsilon
        proven = allowed + two_way_excess(*(draw(some, 4_000) for some in (rich, rich - group)), pure(allowed))
        assert proven <= allowed, (
            f"Of 8,000 guests {rich - group} would pay a million euros, or {rich}, the others 2: an audit proves an ε "
            f"of at least {proven:.2f} for {group} of them, at ε = {epsilon} where {allowed} is allowed. Does the "
            "noise, or a quantile, know how many guests there are?"
        )


def no_group_can_be_found_out(ticket_price, rng):
    "The price tells at most k times ε about k guests, as far as an audit can tell."
    for here, there in (([50] * 40, [50] * 40 + [5000] * 40), ([50] * 80, [50] * 120)):
        proven = _loss(ticket_price, here, there, 0.05, 2.0, rng)
        assert proven <= 2, (
            f"An audit proves an ε of at least {proven:.2f} for forty guests, at ε = 0.05 where 2 is allowed. Add up "
            "what each step of your design spends, and check the sensitivity of each score."
        )


def all_steps_together_keep_to_epsilon(ticket_price, rng):
    "All the steps of a design together cost no more than ε, as far as an audit with two prices can tell."

    def high(rich, others, low, runs):
        """Tell of each run whether it chooses the high price, a million, rather than the low one."""
        values, prices = np.repeat([0.5, low, 1e6], [180, others, rich]), np.array([low, 1e6])
        return sample(ticket_price, runs, values, prices, 1.0, rng=rng) == 1e6

    # Four guests come who would pay a million. Both the step that looks for a cap and the one that looks at revenues
    # then make the high price likelier, most of all where each made it rare before. First as few rich guests as are
    # noticed at all; then others who draw the cap down; then a low price that earns nearly as much.
    group = 4
    rich = _fewest(lambda rich: high(rich, 0, 1.0, 100).mean() > 0.3, group, 100)
    others = 160 - _fewest(lambda fewer: high(rich, 160 - fewer, 1.0, 100).mean() < 0.45, 0, 160)
    low, top = 1.0, 1e6
    for _ in range(16):
        middle = math.sqrt(low * top)
        low, top = (low, middle) if high(rich, others, middle, 400).mean() < 0.2 else (middle, top)
    often, rarely = high(rich, others, low, 10_000), np.zeros(0, bool)
    for runs in [5_000] * 2 + [10_000] * 11:
        rarely = np.append(rarely, high(rich - group, others, low, runs))
        proven = group + event_excess(often, rarely, pure(group))
        assert proven <= group, (
            f"An audit proves an ε of at least {proven:.2f} for four guests, at ε = 1 where 4 is allowed. Which of "
            "your numbers does a guest change, by how much, and how large is the noise on it? What do all the steps "
            "of your design cost together?"
        )
        # Once these many, were they to go on like this, wouldn't prove a loss: a right answer may take long for each.
        if event_excess(often, np.tile(rarely, 120_000 // len(rarely)), pure(group)) <= 0:
            break


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: The director's wishes (10 points)
#
# The theatre let its guests vote for a play, one vote each, and chose the winner by report noisy max with Laplace noise
# of scale 1/ε, at ε = {{epsilon}} (add/remove). Before it goes to print, the director has three wishes:
#
# 1. "Noise of that size is in the winner's count already, so print that noisy count next to the name, at no cost."
# 2. "Next year guests may write in titles of their own; whatever was written at least once stands for election."
# 3. "I don't like this winner. Run it again until a play comes out that we can sell. Only the last run is published."
#
# In at most 200 words: say for each wish what becomes of ε = {{epsilon}}, with the reason, and what the theatre could
# do instead.

# %% [markdown] role="rubric" task="q7"
# - 3 points, wish 1: the theorem on noisy max covers the winner's name only, so that ε = {{epsilon}} isn't shown for
#   name and number together (1); the number is the largest of many noisy counts, so it says something about all of them
#   (and is too large on average) (1). Instead: set aside part of ε for a fresh noisy count of the winner (1). Full
#   points, too, for who knows and names a variant that has been proven to give the winning number.
# - 3 points, wish 2: a title that one guest wrote in can win only if that guest is in the table, so that no finite ε
#   holds (2). Instead: candidates from a public list; or a threshold on noisy counts, with a δ (1).
# - 3 points, wish 3: who knows the rule knows that the discarded runs failed, and each run looked at the data: with a
#   number of runs that isn't bounded the cost isn't covered by one ε; for r runs, r times ε is safe (2). Also full
#   points: if the plays that can be sold are a *public* list, the last run is a choice among these alone, with its own
#   loss, which may differ from ε. Instead: fix the list of plays that can be sold beforehand, and run once (1).
# - 1 point: says that these are statements under add/remove, with one vote a guest.
#
# **A model answer** (10 points) Wish 1: the theorem on noisy max covers the name only. The winner's noisy count is the
# largest of many, so it says something about all of them, and ε isn't shown for both together; it is too large on
# average, too. Set aside a part of ε for a fresh noisy count of the winner. Wish 2: a title that one guest wrote in can
# win only if that guest voted. Without her its probability is 0, so no ε holds. Take a public list; or let a title
# stand when its noisy count exceeds a threshold, which costs a δ. Wish 3: who knows the rule learns that the discarded
# runs failed, and every run looked at the votes. Without a bound on their number one ε doesn't cover it; r runs cost at
# most rε. Fix the list of plays that can be sold beforehand, and run once. All for one guest's vote, add/remove.
#
# **A borderline answer** (5 points) "1. Not free, by composition it costs another ε. 2. Not private, candidates must
# not depend on data. 3. Each run costs ε, so k runs cost kε. She should accept the result." Right in direction: but no
# reason why the count isn't covered (1 of 3), wish 2 without alternative (2 of 3), wish 3 doesn't see that the number
# of runs is not bounded (2 of 3), no relation.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 2, why does `revenue` not need twice the noise under replace-one, while `likes` does?
# 2. In task 5, the mended code compares thirty days with one noisy level, and still costs one ε. Which days cost
#    nothing, and why?
# 3. Take your design of task 6. One guest more, who would pay a million: which of your random choices changes its
#    chances, and by how much?
