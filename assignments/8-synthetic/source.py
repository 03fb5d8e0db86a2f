# %% [markdown]
# # Assignment 8: A file for the hackathon
#
# A city library invites students to a hackathon and wants to give them a file of its readers: who comes, how often,
# for which books. It must be a file of people who don't exist, and everything that is published is **ε-differentially
# private**. Neighbours are **add/remove**: two tables of readers, one of which has one person more. Public are the
# columns, the codebook with their possible answers, every ε and the code. The rows are not public, and neither is
# their number, unless a task says so.
#
# You need chapters 3, 4 and 15, and about six hours, in two sittings (tasks 1 to 4, and 5 to 7). Write into the cells
# marked for you, keep the names of the functions, and leave the rest as it is. Each task stands alone: a function that
# you write for one isn't used by another. Below each task is a cell that checks what you can check yourself; the grader
# checks more, on other numbers. What the parts of a task are worth stands at its end; a part earns all its points or
# none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given. Noise is Laplace noise where a task
#   says so.
# - `readers.csv` has a row for each of the library's invented readers: `district`, favourite `topic`, kind of `card`,
#   `age`, how often one `visits`, and a `second` topic. An empty field is an answer that is missing. `vendor.csv` is
#   a file of made-up readers, without the second topic, that a vendor sells. The codebook is in the cell below.

# %% role="term"
# With 3,000 to 6,000 people and epsilon from 0.7 to 1.5, q6's threshold parts good designs from naive ones.
TERM = {"people": 4000, "epsilon": 1.0}


# %% role="data"
def make_data(term, rng):
    codebook = {
        "district": ["Harbour", "Hill", "Mill", "North", "Old town", "Station"],
        "topic": ["art", "cooking", "crime", "history", "romance", "science", "sports", "travel"],
        "card": ["child", "student", "adult", "senior"],
        "age": ["0-9", "10-17", "18-25", "26-39", "40-59", "60-74", "75 or more"],
        "visits": ["yearly", "quarterly", "monthly", "weekly", "daily"],
    }
    n = term["people"]

    def depending_on(parent, name):
        table = rng.dirichlet(np.full(len(codebook[name]), 0.5), len(codebook[parent.name]))
        codes = parent.map({answer: place for place, answer in enumerate(codebook[parent.name])})
        upto = table.cumsum(axis=1)[codes]  # an answer is drawn where a number from 0 to 1 falls among these
        places = (rng.random(len(codes))[:, None] >= upto / upto[:, -1:]).sum(axis=1)
        return pd.Series(np.array(codebook[name])[places], name=name)

    age = pd.Series(rng.choice(codebook["age"], n, p=rng.dirichlet(np.full(7, 3.0))), name="age")
    card, topic = depending_on(age, "card"), depending_on(age, "topic")
    visits = depending_on(topic, "visits")
    district = depending_on(visits, "district")
    readers = pd.concat([district, topic, card, age, visits], axis=1)
    readers["second"] = rng.choice(codebook["topic"], n)
    for name, share in (("district", 0.06), ("topic", 0.04), ("second", 0.4)):
        readers.loc[rng.random(n) < share, name] = None
    # The vendor keeps some columns together and shuffles the others, and has fewer rows.
    vendor = readers[list(codebook)].copy()
    vendor[["topic", "visits"]] = vendor[["topic", "visits"]].to_numpy()[rng.permutation(n)]
    vendor["district"] = vendor["district"].to_numpy()[rng.permutation(n)]
    return {"readers.csv": readers, "vendor.csv": vendor.head(int(0.8 * n))}


# %% role="setup"
import numpy as np
import pandas as pd

CODEBOOK = {
    "district": ["Harbour", "Hill", "Mill", "North", "Old town", "Station"],
    "topic": "art cooking crime history romance science sports travel".split(),
    "card": ["child", "student", "adult", "senior"],
    "age": ["0-9", "10-17", "18-25", "26-39", "40-59", "60-74", "75 or more"],
    "visits": ["yearly", "quarterly", "monthly", "weekly", "daily"],
}
readers, vendor = pd.read_csv("readers.csv"), pd.read_csv("vendor.csv")
readers.head()

# %% [markdown] task="q1" points=10
# ## Task 1: Topics, twice (10 points)
#
# Which topics do people name, as their favourite or as their second? Write
# `topic_counts(answers, categories, epsilon, rng)`. `answers` is a DataFrame with a row for each person, and every
# column holds an answer to the same question, as in `readers[["topic", "second"]]`. `categories` is the public list of
# possible answers.
#
# Return `len(categories) + 1` numbers: for each category, in the order of the list, the noisy number of times it is
# named in all columns together; at the end the noisy number of answers that are missing. An answer that isn't in the
# list counts as missing. One person may give the same answer in several columns. All the numbers together are ε-DP,
# with Laplace noise as small as the sensitivity allows. Negative numbers are returned as they are.


# %% role="starter" task="q1"
def topic_counts(answers, categories, epsilon, rng):
    """Return noisy counts of the categories, and of what is missing: ε-DP as a whole."""
    ...


# %% role="solution" task="q1"
def topic_counts(answers, categories, epsilon, rng):
    named = pd.Series(answers.to_numpy().ravel()).value_counts().reindex(categories, fill_value=0).to_numpy()
    counts = np.append(named, answers.size - named.sum())
    # Each person adds one in every column, to the same count or to different ones.
    return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))


# %% role="visible" task="q1"
def a_count_for_each_category(topic_counts):
    "With a huge ε there is nearly no noise, and the counts are the exact ones."
    answers = pd.DataFrame({"topic": ["art", "art", None, "x"], "second": ["crime", "art", None, None]})
    counts = np.asarray(topic_counts(answers, ["crime", "art", "travel"], 1e9, np.random.default_rng(1)))
    assert counts.shape == (4,), (
        f"3 categories and what is missing are 4 numbers, not an answer of shape {counts.shape}."
    )
    assert close(counts[:3], [1, 3, 0], atol=1e-3), "Count every answer of both columns, in the list's order."
    assert np.isclose(counts[3], 4, atol=1e-3), "Three empty fields and an answer that isn't in the list are missing."
    nobody = topic_counts(answers.head(0), ["crime", "art", "travel"], 1.0, np.random.default_rng(1))
    assert np.shape(nobody) == (4,), "Where nobody has answered there are four noisy numbers, too."


# %% role="hidden" task="q1"
def _few_people(columns, topics):
    categories = [f"topic {i}" for i in range(topics)]
    last = [categories[-1]] + ["odd"] * (columns - 1)
    people = [["topic 3"] * columns, ["topic 3"] * columns, [None] * columns, last]
    exact = np.zeros(topics + 1)
    exact[[3, -2, -1]] = 2 * columns, 1, 2 * columns - 1
    return pd.DataFrame(people, columns=list("abc")[:columns]), categories, exact


def noise_of_the_topics(topic_counts, rng, term):
    "The noise is as large as the sensitivity of all the counts together asks for, in every count."
    cases = []
    for columns, epsilon, times in ((1, 0.5, 1), (3, term["epsilon"], 500), (2, 1.0, 0)):
        answers, categories, exact = _few_people(columns, 12)
        answers, exact = answers.iloc[[*range(len(answers))] * times], exact * times
        given = (topic_counts, answers, categories, epsilon)
        where = (
            f"{len(answers):,} people, {columns} column(s), ε = {epsilon} (by how much can all the counts together "
            "change when one person comes or goes?):"
        )
        drawn = sample(given[0], 400, *given[1:], rng=rng)
        cases.append(Case(partial(*given), exact, columns / epsilon, where, drawn=drawn))
    additive(cases)


def who_counts_as_missing(topic_counts, rng):
    "Nobody is left out: what is missing is counted, and so is what isn't in the list."
    for columns in (1, 2, 3):
        answers, categories, exact = _few_people(columns, 1_500)
        found = np.asarray(topic_counts(answers, categories, 1e9, rng))
        assert close(found, exact, atol=1e-2), (
            "Count by hand a small table with empty fields, answers outside the list, and people who give an answer "
            "twice."
        )


# %% [markdown] task="q2" points=15
# ## Task 2: The nearest table (15 points)
#
# Noisy counts are negative here and there. Clamped at 0 they add up to too much, and scaled down to the right total
# every large count is too small. Write `nearest_counts(noisy, total)`: of all tables of counts that are **at least 0
# and add up to `total`**, return the one that is nearest to `noisy`, the one with the smallest sum of squared
# differences. Counts may be fractions. `noisy` is a one-dimensional array or list of numbers, `total` a number, at
# least 0; return an array of the same length, right to 0.001 in each count.
#
# Take pen and paper first: start with two counts, then with three of which one ends at 0. By how much does each count
# that stays above 0 change?


# %% role="starter" task="q2"
def nearest_counts(noisy, total):
    """Return the counts nearest to the noisy ones that are at least 0 and add up to total."""
    ...


# %% role="solution" task="q2"
def nearest_counts(noisy, total):
    # All that stay above 0 lose the same amount; the k largest stay, for the largest k with which they can.
    noisy = np.asarray(noisy, float)
    largest_first = np.sort(noisy)[::-1]
    loss = (np.cumsum(largest_first) - total) / np.arange(1, len(noisy) + 1)
    stay = np.flatnonzero(largest_first >= loss)[-1]
    return np.maximum(noisy - loss[stay], 0)


# %% role="visible" task="q2"
def a_table_with_the_total(nearest_counts):
    "The counts are at least 0, add up to the total, and stay as they are where nothing is wrong."
    noisy = np.array([5.0, -2.0, 3.5, 0.5])
    counts = np.asarray(nearest_counts(noisy, 6))
    assert (noisy == [5.0, -2.0, 3.5, 0.5]).all(), "Your function changes the array it is given: work on a copy."
    assert counts.shape == (4,), f"4 noisy counts should give 4 counts, not an answer of shape {counts.shape}."
    assert (counts >= -1e-6).all(), "No count should be below 0."
    assert np.isclose(counts.sum(), 6, atol=0.01), f"The counts add up to {counts.sum():.3f}; they should make 6."
    assert close(nearest_counts([1, 4, 0], 5), [1, 4, 0], atol=0.001), (
        "1, 4 and 0 are at least 0 and add up to 5: nothing is nearer than that table itself."
    )


# %% role="hidden" task="q2"
def _distance_is_least(noisy, total, counts):
    # At the nearest table all counts above 0 lost the same amount, and the others hadn't so much to lose.
    loss = noisy - counts
    common = np.max(loss[counts > 0.002]) if (counts > 0.002).any() else np.max(noisy)
    return np.allclose(np.maximum(noisy - common, 0), counts, atol=0.004)


def nearest_of_all_tables(nearest_counts, rng):
    "No other table with this total is nearer, for small tables and for large ones."
    tables = [(np.array([5.0, -2.0, 3.5, 0.5]), 6.0), (np.array([-3.0, -1.0, -8.0]), 2.0), (np.array([4.0]), 9.0)]
    for cells, people in ((12, 40), (200, 300), (1_000, 2_000)):
        exact = rng.multinomial(people, rng.dirichlet(np.full(cells, 0.2)))
        tables.append((exact + rng.laplace(scale=4, size=cells), float(people)))
    for noisy, total in tables:
        counts = np.asarray(nearest_counts(noisy.copy(), total), float)
        assert counts.shape == noisy.shape and (counts >= -0.001).all(), (
            f"{len(noisy)} noisy counts, total {total:g}: return as many counts, none below 0."
        )
        assert abs(counts.sum() - total) <= 0.001 * len(noisy), (
            f"{len(noisy)} noisy counts, total {total:g}: the counts add up to {counts.sum():.3f}."
        )
        assert _distance_is_least(noisy, total, counts), (
            f"{len(noisy)} noisy counts, total {total:g}: there is a table that is nearer. Move a little from one "
            "count above 0 to another: when does that bring the table nearer? What must hold when it never does?"
        )


def counts_may_have_to_grow(nearest_counts):
    "The total may be larger than the sum of the noisy counts, and it may be 0."
    assert close(nearest_counts([1.0, 2.0, -1.0], 8), [3, 4, 1], atol=0.001), (
        "The total may be larger than the noisy counts make. How do you share the rest out, to stay nearest? Does a "
        "count that was negative have to end at 0?"
    )
    assert close(nearest_counts([3.0, 1.0, -1.0], 0), [0, 0, 0], atol=0.001), "With the total 0, every count is 0."


# %% [markdown] task="q3" points=15
# ## Task 3: Two ways to a range (15 points)
#
# The library has published a histogram of its readers' years of birth, one noisy count for each year, at
# ε = `epsilon`; and, separately and with fresh noise, the noisy number of all readers at ε = `total_epsilon`. Both are
# counts plus Laplace noise, with the smallest scale that add/remove allows. Every reader is in one of the histogram's
# counts.
#
# Somebody asks how many readers were born from one year to another. You could add up the counts inside the range. You
# could also start from the number of all readers, and take away the counts outside. Write
# `range_answer(counts, epsilon, total, total_epsilon, first, last)`. `counts` are the noisy counts, one-dimensional;
# the range goes from place `first` to place `last`, both included, numbered from 0. Return two numbers: of all unbiased
# estimates that are weighted sums of the published numbers, the one with the smallest variance; and its standard
# deviation. Nothing is rounded or cut off.
#
# Of two independent unbiased estimates with variances $v_a$ and $v_b$, the best weighted mean trusts each in proportion
# to one over its variance; its own variance is $v_a v_b/(v_a+v_b)$.


# %% role="starter" task="q3"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    """Return the best estimate of the range's people, and its standard deviation."""
    ...


# %% role="solution" task="q3"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    counts, width = np.asarray(counts), last - first + 1
    inside = counts[first : last + 1].sum()
    outside = total - (counts.sum() - inside)
    # The two use different noises, so they are independent: weights in proportion to one over the variance.
    inside_variance = 2 * width / epsilon**2
    outside_variance = 2 * (len(counts) - width) / epsilon**2 + 2 / total_epsilon**2
    weight = outside_variance / (inside_variance + outside_variance)
    variance = inside_variance * outside_variance / (inside_variance + outside_variance)
    return weight * inside + (1 - weight) * outside, np.sqrt(variance)


# %% role="visible" task="q3"
def a_range_of_exact_counts(range_answer):
    "Numbers that fit together give the sum of the range, whatever the weights."
    answer = range_answer(np.array([3.0, 5.0, 0.0, 2.0]), 1.0, 10.0, 0.5, 1, 2)
    assert np.shape(answer) == (2,), "Return two numbers: the estimate and its standard deviation."
    assert np.isclose(answer[0], 5), "Places 1 to 2 of 3, 5, 0, 2 hold 5 readers, and the total agrees with that."
    assert answer[1] > 0, "The answer has noise: its standard deviation is above 0."


# %% role="hidden" task="q3"
def _least_squares(counts, epsilon, total, total_epsilon, first, last):
    """Solve the whole problem with weighted least squares: every count unknown, the total their sum."""
    m = len(counts)
    design = np.vstack([np.eye(m) * epsilon, np.ones(m) * total_epsilon])
    covariance = 2 * np.linalg.inv(design.T @ design)
    wanted = (np.arange(m) >= first) & (np.arange(m) <= last)
    best = covariance @ design.T @ np.append(np.asarray(counts) * epsilon, total * total_epsilon) / 2
    return wanted @ best, np.sqrt(wanted @ covariance @ wanted)


RANGES = ((0.5, 0.5, 10, 49), (1.0, 0.1, 0, 58), (1.0, 3.0, 5, 5), (0.3, 1.0, 2, 59), (0.2, 0.7, 0, 59))


def best_estimate_of_the_range(range_answer, rng):
    "The estimate is unbiased and has the smallest variance, for narrow and for wide ranges."
    for epsilon, total_epsilon, first, last in RANGES:
        counts, total = rng.normal(20, 40, 60), rng.normal(1_200, 50)
        expected = _least_squares(counts, epsilon, total, total_epsilon, first, last)
        found = range_answer(counts, epsilon, total, total_epsilon, first, last)
        assert np.isclose(found[0], expected[0], rtol=1e-6, atol=1e-6), (
            f"Places {first} to {last} of 60, at ε = {epsilon} and {total_epsilon}: another weighted sum has a smaller "
            "variance, or yours is biased. Which noises are in the one estimate, and which in the other? How do you "
            "weigh two independent estimates?"
        )


def deviation_of_the_range(range_answer, rng):
    "The standard deviation is that of the best estimate."
    for epsilon, total_epsilon, first, last in RANGES:
        counts, total = rng.normal(20, 40, 60), rng.normal(1_200, 50)
        expected = _least_squares(counts, epsilon, total, total_epsilon, first, last)
        found = range_answer(counts, epsilon, total, total_epsilon, first, last)
        assert np.isclose(found[1], expected[1], rtol=1e-6), (
            f"Places {first} to {last} of 60, at ε = {epsilon} and {total_epsilon}: how large is the variance of "
            "each of the two estimates, and of their weighted mean? It is less than either."
        )


# %% [markdown] task="q4" points=15 parts={"publish_pairs": 9, "exposure": 6}
# ## Task 4: The colleague's table (15 points)
#
# A colleague publishes how two columns go together. `table` has two columns, nothing is missing in it, and
# `categories` is a dictionary with the public list of answers for each of them, like `CODEBOOK`. Rows with an answer
# that isn't in the codebook are left out. What is published is a DataFrame with the two columns, in the order of
# `table`, and a third one, `people`: each cell's number of people plus Laplace noise of scale 1/ε, without the cells
# where that isn't above 0, sorted by the two columns in alphabetical order. The code below runs, and its tables look
# fine. There is a defect in it.
#
# Find it and mend `publish_pairs`, so that it is ε-DP with the same noise and the same kind of table. Then think of a
# curious reader who knows everybody but one family: their cell holds either nobody or exactly `people` people, 1 or
# more, and whoever sees that cell in the colleague's *unmended* table knows which. Make `exposure(people, epsilon)`
# return the probability that a cell with so many people is in that table.


# %% role="starter" task="q4"
def publish_pairs(table, categories, epsilon, rng):
    """Return the cells of two columns with their noisy numbers of people: ε-DP."""
    columns = list(table.columns)
    known = table[table.isin(categories).all(axis=1)]
    counts = known.groupby(columns).size()
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    return noisy[noisy > 0].rename("people").reset_index()


def exposure(people, epsilon):
    """Return the probability that a cell with so many people is seen."""
    return 0.0  # nobody is exposed, says the colleague: every count has its noise


# %% role="solution" task="q4"
def publish_pairs(table, categories, epsilon, rng):
    columns = list(table.columns)
    cells = pd.MultiIndex.from_product([sorted(categories[name]) for name in columns], names=columns)
    counts = table.value_counts().reindex(cells, fill_value=0)  # a cell without people gets its noise, too
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    return noisy[noisy > 0].rename("people").reset_index()


def exposure(people, epsilon):
    # Seen unless the noise is at most -people; without people the cell is never seen.
    return 1 - np.exp(-epsilon * people) / 2


# %% role="visible" task="q4"
def a_table_of_cells(publish_pairs):
    "The table has the two columns and people, each cell once, and only numbers above 0."
    table = pd.DataFrame({"age": ["young"] * 60 + ["old"] * 40 + ["?"], "card": ["child"] * 60 + ["senior"] * 41})
    categories = {"age": ["young", "old"], "card": ["child", "adult", "senior"]}
    published = publish_pairs(table.copy(), categories, 1.0, np.random.default_rng(1))
    assert list(published.columns) == ["age", "card", "people"], "The columns should be age, card and people."
    assert not published.duplicated(["age", "card"]).any(), "Each cell should be there at most once."
    for name, answers in categories.items():
        assert published[name].isin(answers).all(), f"Leave out what isn't in the codebook; look at {name}."
    cells = list(zip(published["age"], published["card"], strict=True))
    assert cells == sorted(cells), "The rows should be sorted by the two columns."
    assert (published["people"] > 0).all(), "Cells whose noisy number isn't above 0 should be left out."
    found = published.set_index(["age", "card"])["people"]
    assert abs(found.get(("young", "child"), 0) - 60) < 30, "There are 60 young people with a child's card."
    assert abs(found.get(("old", "senior"), 0) - 40) < 30, "There are 40 old people with a senior's card."


def exposure_is_a_probability(exposure):
    "exposure returns one number from 0 to 1."
    assert np.shape(exposure(1, 0.5)) == (), "Return one number."
    assert 0 <= exposure(1, 0.5) <= 1, "A probability lies from 0 to 1."


# %% role="hidden" task="q4"
def _two_columns():
    """Return a table over 24 x 20 cells, its codebook, and the people of 160 cells; some answers never occur."""
    categories = {"left": [f"l{i}" for i in range(24)], "right": [f"r{i}" for i in range(20)]}
    cells = [(left, right) for left in categories["left"][3:19] for right in categories["right"][:10]]
    rows = cells[:80] + 30 * cells[80:] + [("elsewhere", "r1")] * 5
    people = dict.fromkeys(cells[:80], 1) | dict.fromkeys(cells[80:], 30)
    return pd.DataFrame(rows, columns=["left", "right"]), categories, people


def _above_zero(noise, people):
    """Return the distribution of a cell's noisy number where it is above 0."""
    hidden = noise.cdf(-people)
    return lambda x: (noise.cdf(x - people) - hidden) / (1 - hidden)


def every_cell_has_its_chance(publish_pairs, rng, term):
    "A cell is in the table, with its noisy number, as it follows from its people and the noise."
    table, categories, people = _two_columns()
    draws_from_rng(publish_pairs, table, categories, 1.0)
    for epsilon in (0.4, term["epsilon"]):
        seen = {0: [], 1: [], 30: []}
        for _ in range(40):
            published = publish_pairs(table.copy(), categories, epsilon, rng)
            cells = list(zip(published["left"], published["right"], strict=True))
            assert cells == sorted(cells), "Sort the rows by the two columns: their order must not tell of people."
            for left, right, noisy in published[["left", "right", "people"]].itertuples(index=False):
                assert left in categories["left"] and right in categories["right"], "Cells come from the codebook."
                seen[people.get((left, right), 0)].append(noisy)
        noise = stats.laplace(scale=1 / epsilon)
        drawn = np.abs(np.concatenate([np.subtract(seen[group], group) for group in seen])).round(9)
        assert len(np.unique(drawn)) > 0.99 * len(drawn), (
            "Two cells, or two tables, must not share a draw of the noise, nor the same with the other sign."
        )
        for group, size in ((0, 320), (1, 80), (30, 80)):
            hidden = noise.cdf(-group)
            assert within(len(seen[group]), 40 * size, 1 - hidden), (
                f"ε = {epsilon}: of {40 * size:,} cells with {group} people, {len(seen[group]):,} are in the table. "
                "Compare what the table shows of a person's cell with her and without her."
            )
            size_of_noise = close_mean(seen[0], 1 / epsilon, 1 / epsilon)  # above 0 it is exponential
            assert fits(seen[group], _above_zero(noise, group)) and size_of_noise, (
                f"ε = {epsilon}: the numbers of the cells with {group} people aren't what the task asks for. What is "
                "the scale of the noise, and is anything rounded or moved?"
            )

        far = np.array(seen[0]) * epsilon  # exponential, so that a number farther out is as much rarer
        assert excess(far + 4, far, pure(4)) <= 0, (
            f"ε = {epsilon}: large noise is too rare. A number far out then gives away that its cell has people."
        )


def the_cells_of_an_empty_library(publish_pairs, rng):
    "A library without readers publishes a table as well."
    categories = {"left": [f"l{i}" for i in range(40)], "right": [f"r{i}" for i in range(40)]}
    one = pd.DataFrame({"left": ["l1"], "right": ["elsewhere"]})  # left out, so that no reader remains
    found = len(publish_pairs(one, categories, 1.0, rng))
    assert within(found, 1_600, 0.5), f"Without readers, {found:,} of 1,600 cells are in the table. Which should be?"


def what_the_table_gives_away(exposure):
    "The chance that a cell with people is seen in the colleague's table."
    for people in (1, 2, 7):
        for epsilon in (0.1, 0.5, 2.0):
            assert np.isclose(exposure(people, epsilon), stats.laplace(scale=1 / epsilon).sf(-people)), (
                f"people = {people}, ε = {epsilon}: the cell's noisy number is people plus noise. When is it left out?"
            )


# %% [markdown] task="q5" points=15 parts={"judge": 12, "vendor_tv": 3}
# ## Task 5: The vendor's file (15 points)
#
# How good is a synthetic file? Write `judge(real, made)`, which compares two DataFrames with the same columns, but not
# always as many rows. Return two numbers.
#
# 1. The mean **total variation distance** over all pairs of columns: for each pair, half the sum over its cells of the
#    absolute differences of the two files' shares. 0 is best.
# 2. The **propensity score mean squared error**, pMSE (Snoke, Raab, Nowok, Dibben and Slavković, 2018). Put the rows
#    of both files on one heap. For each row of the heap, its propensity is the share of made rows among all rows of
#    the heap that agree with it in *every* column. The pMSE is the mean, over the rows of the heap, of the squared
#    difference between propensity and the share of made rows in the whole heap. 0 says that nobody can tell
#    where a row comes from.
#
# A missing value is an answer like any other: two rows in which the same fields are empty and the rest is equal agree.
# Then judge the vendor's file against the readers, in the vendor's columns: define `vendor_tv` and `vendor_pmse`.


# %% role="starter" task="q5"
def judge(real, made):
    """Return the mean total variation distance of the pairs of columns, and the pMSE."""
    ...


vendor_tv, vendor_pmse = ..., ...


# %% role="solution" task="q5"
def judge(real, made):
    from itertools import combinations

    distances = []
    for pair in combinations(real.columns, 2):
        one, other = (rows.fillna("?").value_counts(list(pair), normalize=True) for rows in (real, made))
        distances.append(one.sub(other, fill_value=0).abs().sum() / 2)
    heap = pd.concat([real, made], ignore_index=True).fillna("?")
    heap["made"] = np.arange(len(heap)) >= len(real)
    propensity = heap.groupby(list(real.columns))["made"].transform("mean")
    return np.mean(distances), np.mean((propensity - len(made) / len(heap)) ** 2)


vendor_tv, vendor_pmse = judge(readers[vendor.columns], vendor)


# %% role="visible" task="q5"
def the_same_file_and_a_strange_one(judge):
    "A file is like itself, and nothing like a file without a single answer in common."
    file = pd.DataFrame({"a": ["x", "x", "y", None], "b": ["u", "v", "v", "u"], "c": ["p", "p", "q", "q"]})
    assert np.shape(judge(file, file)) == (2,), "Return two numbers: the mean distance and the pMSE."
    assert close(judge(file, file), [0, 0]), "A file compared with itself has distance 0 and pMSE 0."
    strange = pd.DataFrame({"a": ["k"] * 12, "b": ["l"] * 12, "c": ["m"] * 12})
    assert close(judge(file, strange), [1, 3 / 16]), (
        "4 real rows, 12 made ones, and no row like another: the distance is 1. On the heap 3/4 are made, each row's "
        "propensity is 0 or 1, and the mean of the squared differences is 3/16."
    )


def the_vendor_has_two_numbers(vendor_tv, vendor_pmse):
    "Both are numbers."
    assert np.shape(vendor_tv) == () and np.isreal(vendor_tv), "vendor_tv should be a number."
    assert np.shape(vendor_pmse) == () and np.isreal(vendor_pmse), "vendor_pmse should be a number."


# %% role="hidden" task="q5"
def _heap(real, made):
    return real.fillna("(missing)"), made.fillna("(missing)")


def _mean_distance(real, made):
    real, made = _heap(real, made)
    pairs = [[a, b] for i, a in enumerate(real.columns) for b in real.columns[:i]]
    return np.mean([dp.total_variation(real.value_counts(pair), made.value_counts(pair)) for pair in pairs])


def _propensity_error(real, made):
    real, made = (rows.value_counts() for rows in _heap(real, made))
    cells = real.index.union(made.index)
    real, made = real.reindex(cells, fill_value=0), made.reindex(cells, fill_value=0)
    heap, share = real + made, made.sum() / (real.sum() + made.sum())
    return np.average((made / heap - share) ** 2, weights=heap)


def _files(rng):
    """Yield pairs of files: different lengths, cells that only one has, missing values."""
    answers = np.array(["x", "y", "z", None], dtype=object)
    for real, made, columns in ((40, 40, 2), (60, 25, 3), (30, 200, 4)):
        shares = rng.dirichlet(np.ones(4), 2)
        rows = [rng.choice(answers, (n, columns), p=p) for n, p in zip((real, made), shares, strict=True)]
        yield tuple(pd.DataFrame(part, columns=list("abcd")[:columns], dtype="str") for part in rows)


def distance_of_the_pairs(judge, rng):
    "The mean total variation distance over all pairs of columns."
    for real, made in _files(rng):
        assert np.isclose(judge(real.copy(), made.copy())[0], _mean_distance(real, made)), (
            f"{len(real)} real and {len(made)} made rows with {real.shape[1]} columns: check that you compare shares "
            "rather than counts, that cells of only one file count, that empty fields count, and that each pair "
            "counts once."
        )


def propensity_of_the_rows(judge, rng):
    "The pMSE over the rows of the heap."
    for real, made in _files(rng):
        assert np.isclose(judge(real.copy(), made.copy())[1], _propensity_error(real, made)), (
            f"{len(real)} real and {len(made)} made rows with {real.shape[1]} columns: check that the mean is over "
            "the rows of the heap, all of them, that rows agree in every column, and which share you subtract."
        )


def the_vendor_s_numbers(vendor_tv, vendor_pmse, data):
    "The vendor's file judged against the readers."
    made = data["vendor.csv"]
    real = data["readers.csv"][made.columns]
    assert np.isclose(vendor_tv, _mean_distance(real, made)), "Compare the columns that the vendor's file has."
    assert np.isclose(vendor_pmse, _propensity_error(real, made)), "Compare the columns that the vendor's file has."


# %% [markdown] task="q6" points=20
# ## Task 6: The file (20 points)
#
# Now make the file for the hackathon. The people come as a matrix `codes` of whole numbers, a row for each person and
# five columns, in this order: 0 district, 1 topic, 2 card, 3 age, 4 visits. An answer in column `j` is a number from 0
# to `sizes[j]` − 1. `sizes` is public, the number of people isn't. Write
#
# - `measure(codes, sizes, epsilon, rng)`: look at the people, and return a one-dimensional array of numbers whose
#   length depends on `sizes` alone. The whole array is ε-DP;
# - `make_rows(measured, sizes, epsilon, rng)`: from such an array, and nothing else, make a file: a matrix like
#   `codes`, with about as many rows as there were people (to 10% on average).
#
# What librarians everywhere know, and have published long ago: the kind of card goes by age; what people read goes
# by age, too; how often they come hangs on what they read; and how far away they live shows in how often they come.
# Which ages read what differs from town to town, and nothing else is known.
#
# Your file is judged by the mean total variation distance over all ten pairs of columns, averaged over several towns
# with sizes 6, 8, 4, 7, 5, {{people}} people and ε = {{epsilon}}. It must be **at most a third** of what a file of
# five independent columns has, even if those are drawn from the exact shares. `measure` is also called with other
# sizes (of 2 or more) and with a few people; an audit looks for numbers that tell more than ε. After
# `from checks import try_it`, `try_it("q6", measure, make_rows, codes)` prints the ratio of the two distances, for
# people that you invent, in a matrix with these sizes.


# %% role="starter" task="q6"
def measure(codes, sizes, epsilon, rng):
    """Return what is to be known about the people, as one array of numbers: ε-DP."""
    ...


def make_rows(measured, sizes, epsilon, rng):
    """Return the rows of people who don't exist, made from the measured numbers alone."""
    ...


# %% role="solution" task="q6"
EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]  # parent and child: what the librarians know


def measure(codes, sizes, epsilon, rng):
    tables = []
    for parent, child in EDGES:  # one person is in one cell of each table: ε/4 for each
        cells = sizes[parent] * sizes[child]
        counts = np.bincount(codes[:, parent] * sizes[child] + codes[:, child], minlength=cells)
        tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
    return np.concatenate(tables)


def make_rows(measured, sizes, epsilon, rng):
    ends = np.cumsum([sizes[parent] * sizes[child] for parent, child in EDGES])
    tables = [
        part.reshape(-1, sizes[child]) for part, (_, child) in zip(np.split(measured, ends[:-1]), EDGES, strict=True)
    ]
    n = max(round(np.mean([table.sum() for table in tables])), 1)
    rows = np.zeros((n, len(sizes)), dtype=int)
    root = np.maximum(tables[0].sum(axis=1), 0) + 1e-9
    rows[:, EDGES[0][0]] = rng.choice(len(root), n, p=root / root.sum())
    for (parent, child), table in zip(EDGES, tables, strict=True):
        table = np.maximum(table, 0) + 1e-9  # no parent without a child
        for answer, weights in enumerate(table):
            here = rows[:, parent] == answer
            rows[here, child] = rng.choice(sizes[child], here.sum(), p=weights / weights.sum())
    return rows


# %% role="visible" task="q6"
def from_people_to_people(measure, make_rows):
    "The file has five columns of answers, and about as many rows as there were people."
    rng, sizes = np.random.default_rng(1), [3, 2, 4, 2, 5]
    codes = np.column_stack([rng.integers(size, size=2_000) for size in sizes])
    measured = np.asarray(measure(codes.copy(), sizes, 5.0, rng))
    assert measured.ndim == 1 and np.isfinite(measured).all(), "measure should return one row of finite numbers."
    assert measured.shape == np.shape(measure(codes[:7].copy(), sizes, 0.5, rng)), (
        "The length of what measure returns should depend on the sizes alone."
    )
    rows = np.asarray(make_rows(measured, sizes, 5.0, rng))
    assert rows.ndim == 2 and rows.shape[1] == 5, f"The file should have 5 columns, not the shape {rows.shape}."
    assert 1_500 <= len(rows) <= 2_500, f"2,000 people should give about 2,000 rows, not {len(rows):,}."
    assert (rows >= 0).all() and (rows < sizes).all() and (rows % 1 == 0).all(), (
        "Answers should be whole numbers from 0 to the column's size - 1."
    )


SIZES = [6, 8, 4, 7, 5]  # district, topic, card, age, visits


def _lost(real, made):
    """Return the mean total variation distance over the pairs of columns."""
    distances = []
    for a in range(5):
        for b in range(a):
            shares = [np.bincount(rows[:, a] * 8 + rows[:, b], minlength=64) / len(rows) for rows in (real, made)]
            distances.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return np.mean(distances)


def _alone(codes, rng):
    """Return as many people whose columns have nothing to do with each other, with the exact shares."""
    return np.column_stack([rng.permutation(column) for column in codes.T])


def _try_it(measure, make_rows, codes):
    rng, codes = np.random.default_rng(), np.asarray(codes)
    measured = np.asarray(measure(codes.copy(), list(SIZES), {{epsilon}}, rng), float)
    found = _lost(codes, np.asarray(make_rows(measured, list(SIZES), {{epsilon}}, rng)).astype(int))
    ratio = found / _lost(codes, _alone(codes, rng))
    return f"the distance is {ratio:.2f} times that of independent columns (at most 0.33)."


# %% role="hidden" task="q6"
def _town(n, rng):
    """Return the codes of a town's readers, made as the librarians say."""
    rows = np.zeros((n, 5), int)
    rows[:, 3] = rng.choice(7, n, p=rng.dirichlet(np.full(7, 3.0)))
    for parent, child in ((3, 2), (3, 1), (1, 4), (4, 0)):
        ends = rng.dirichlet(np.full(SIZES[child], 0.5), SIZES[parent]).cumsum(axis=1)[rows[:, parent]]
        rows[:, child] = np.minimum((rng.random((n, 1)) > ends).sum(axis=1), SIZES[child] - 1)
    return rows


def the_file_keeps_the_pairs(measure, make_rows, rng, term):
    "The mean distance of the pairs is at most a third of that of independent columns, and the rows are about as many."
    n, epsilon = term["people"], term["epsilon"]
    towns = [_town(n, rng) for _ in range(12)]
    draws_from_rng(measure, towns[0], SIZES, epsilon)
    measured = [np.asarray(measure(town.copy(), list(SIZES), epsilon, rng), float) for town in towns]
    draws_from_rng(make_rows, measured[0], SIZES, epsilon)
    make_rows, rows = fresh(make_rows), []  # what is known of the people is in the numbers, and nowhere else
    for part in measured:
        assert part.shape == measured[0].shape, "The length of what measure returns should depend on the sizes alone."
        made = np.asarray(make_rows(part, list(SIZES), epsilon, rng)).astype(int)
        assert made.ndim == 2 and made.shape[1] == 5, "The file should have 5 columns."
        assert (made >= 0).all() and (made < SIZES).all(), "An answer in the file isn't in the codebook."
        rows.append(made)
    length = np.mean([len(part) for part in rows])
    assert abs(length - n) <= n / 10, (
        f"{n:,} people became {length:,.0f} rows on average. What did you measure of their number?"
    )
    # A town's distance has a standard deviation of 4% of the independent columns' or less, so the mean of 12 one of
    # about 1%; trees and all ten pairs at an even split come to 15-28%, other structures to 45% or more.
    found = np.mean([_lost(town, part) for town, part in zip(towns, rows, strict=True)])
    apart = np.mean([_lost(town, _alone(town, rng)) for town in towns])
    assert found <= apart / 3, (
        f"The mean distance of the pairs is {found:.3f}, that of independent columns {apart:.3f}. Which pairs does "
        "your file keep, and which does it need? How many people are in a cell that you measure, and how much noise?"
    )


def measured_numbers_tell_no_more_than_epsilon(measure, rng):
    "What is measured is ε-DP as a whole, as far as an audit can tell."
    # People who come, alike and in cells that were empty: what is ε-DP is kε-DP for k of them. Each number in which
    # they are says a little, and all of it is added up.
    sizes = [2, 3, 2, 3, 2]
    others = np.column_stack([rng.integers(size - 1, size=1_000) for size in sizes])

    # And one person more, at the place where what is measured of such people makes its largest step.
    def world(alike):
        return np.vstack([others, np.tile(np.subtract(sizes, 1), (alike, 1))])

    def draw(alike, runs, epsilon):
        return np.nan_to_num(sample(measure, runs, world(alike), sizes, epsilon, rng=rng)).reshape(runs, -1)

    step = steepest(lambda alike: draw(alike, 200, 2.0), 12)
    for before, group, epsilon in ((0, 5, 0.4), (step, 1, 0.4), (step, 1, 2.0)):
        allowed, alike = group * epsilon, (before, before + group)

        def worlds(more, runs, alike=alike, epsilon=epsilon):
            return draw(alike[more], runs, epsilon)

        proven = allowed + learned_excess(worlds, pure(allowed))
        assert proven <= allowed, (
            f"For {group} more at ε = {epsilon}, where {before} are like them, {allowed:g} is allowed, and an audit "
            f"proves {proven:.2f}. In how many of your counts is a person, and does each number have noise?"
        )


def noise_is_large_enough_where_epsilon_is_large(measure, rng):
    "No number has less noise than ε allows where ε is large, as far as its law tells."
    sizes = [2, 3, 2, 3, 2]
    some = rng.integers(sizes, size=(1_000, 5))
    enough_where_epsilon_is_large(
        lambda world, epsilon, runs: sample(measure, runs, some[world:], sizes, epsilon, rng=rng)
    )


def nothing_is_chosen_without_noise(measure, rng):
    "No single person decides about a number that has no noise, such as which columns are measured together."
    sizes, apart = [2, 2, 3, 2, 2], []

    def outputs(table, runs):
        numbers = np.nan_to_num(sample(measure, runs, table, sizes, 0.4, rng=rng)).reshape(runs, -1)
        return np.column_stack([numbers, numbers.sum(axis=1).round(6)])  # exact, if the tables are made to add up

    for _ in range(60):
        some = rng.integers(sizes, size=(rng.integers(2, 30), 5))
        tables = some, np.vstack([some, rng.integers(sizes)])
        runs = [outputs(table, 12) for table in tables]
        apart.append((_steps(*runs).max(initial=0), tables))
    most, tables = max(apart, key=lambda pair: pair[0])
    if most == 0:  # every number has noise of its own
        return
    runs = [outputs(table, 1_500) for table in tables]
    step = np.argmax(_steps(*(one[:500] for one in runs)))
    proven = 0.4 + two_way_excess(*(part[500:, step] for part in runs), pure(0.4))
    assert proven <= 0.4, (
        f"One person more or less changes what measure returns so clearly that an audit proves an ε of {proven:.2f}, "
        "at ε = 0.4. Does anything in it come from the people without noise: a choice, a number of rows, a maximum?"
    )


def _steps(here, there):
    """Return for each number how far its most frequent value in the one world is from as frequent in the other."""
    shares = []
    for one, other in zip(here.T, there.T, strict=True):
        values, counts = np.unique(one, return_counts=True)
        usual = values[np.argmax(counts)]
        shares.append(np.mean(one == usual) - np.mean(other == usual) if counts.max() > 2 else 0.0)
    return np.array(shares)


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: The press release (10 points)
#
# The library's draft says: "From our readers' data we fitted our model ten times, each time with ε = {{epsilon}}, and
# chose the file that came closest to the real readers. It has exactly as many rows as the library has readers. As
# nobody in it exists, it can be used for any research question, and every reader is protected with ε = {{epsilon}}."
#
# In at most 200 words: What is wrong with it? Say for each point what it costs or risks (give an ε where there is one,
# add/remove), and what the library should do instead.

# %% [markdown] role="rubric" task="q7"
# - 3 points: ten fits are ten releases of the same people, 10 ε by composition if all may show; and the choice
#   looks at the real data without noise, so that it has no ε of its own at all. Instead: fit once with the whole
#   budget, or split it, and choose privately (exponential mechanism, paid from the same budget) or by a rule that
#   uses no data.
# - 2 points: the exact number of rows is an exact count: no finite ε under add/remove. Instead: the sum of noisy
#   counts, which is post-processing, or a noisy count with a share of the budget.
# - 2 points: "nobody exists" isn't a reason: a copier's people don't exist either. The guarantee comes from how the
#   file is made, and is a bound on what it tells about a person, not "protected" without more.
# - 2 points: not for any question: what wasn't measured is lost, or independent by assumption, and rare groups are
#   noise and clamping. Instead: say which marginals were measured, with their errors, and ask for others beforehand.
# - 1 point: says what ε is for: the neighbour relation (add/remove of one reader), and the total of all that is
#   published.
#
# **A model answer** (10 points) Ten fits are ten releases of the same readers: 10ε if all may show. Choosing the
# closest by comparing with the real readers looks at them without noise, so that no ε holds. Fit once with the whole
# budget, or choose by the exponential mechanism with a share of it. The exact number of rows is an exact count: no
# finite ε under add/remove. Use the sum of the noisy counts. "Nobody exists" is no reason: a copier's people don't
# exist either; the guarantee comes from how the file is made, and bounds what it tells about a reader, rather than
# "protects". Not for any question: what wasn't measured is lost, and rare groups are noise and clamping. Say which
# tables were measured and with what error, and ask users beforehand. And say what ε is for: one reader more or less,
# and all that is published.
#
# **A borderline answer** (5 points) "Ten models cost 10ε. The number of rows leaks n. Synthetic data isn't
# automatically private. It can't be used for all questions because only marginals are kept. They should use ε/10 each."
# The choice on the real data, which is the worst of it, is missed (1 of 3), nothing to do instead for the number of
# rows and for users (1 of 2 each), 1 of 2 for "nobody exists", 1 of 1 for the total.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 4, a cell with nobody in it is published now with a number of people. Whom does that protect, and from
#    what?
# 2. In task 2, after the nearest table is found, is the result still private? Why do many cells end at exactly 0?
# 3. In task 6, why a tree? What becomes of a pair of columns that isn't in it, and what would a fifth table cost?
