# %% [markdown]
# # Assignment 2: The library's numbers
#
# A city library knows a lot about its members: where they live, what they like to read, when they come. It wants to
# publish counts, and promises every member **ε-differential privacy**. Neighbours are two tables of which one has one
# member (one row) more than the other (add/remove), unless a task says replace-one. Public are the questions, every
# ε, the columns, and the values that each column may have. The rows are not public, and neither is their number.
#
# You need chapters 3, 4 and 5, and about three and a half hours. Write into the cells marked for you, keep the names of
# the functions, and leave the rest as it is. Each task stands alone: a function that you write for one isn't used by
# another. Below each task is a cell that checks what you can check yourself; the grader checks more, on other numbers.
# What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `members.csv` has a row for each of {{people}} invented members: the minute of the day of the last visit (0 to
#   1439), and for each of nine genres a 1 if the member has ticked it. It is there so that you can try your functions;
#   `plan.csv` and `periods.csv` belong to tasks 2 and 5.

# %% role="term"
# At least 30 periods, at most 200: in q5, the threshold parts good designs from naive ones there, at any epsilon.
TERM = {"people": 3000, "epsilon": 0.5, "most": 3, "household": 5, "periods": 40}


# %% role="data"
def make_data(term, rng):
    genres = ["fiction", "crime", "history", "travel", "science", "art", "poetry", "comics", "children"]
    n = term["people"]
    opening = rng.choice([1, 2], n, p=[0.35, 0.65])  # most members come after work
    minute = np.clip(rng.normal(600 * opening - 60 * (opening - 1), 90), 0, 1439).astype(int)
    ticks = (rng.random((n, len(genres))) < rng.uniform(0.1, 0.5, len(genres))).astype(int)
    members = pd.DataFrame({"minute": minute} | dict(zip(genres, ticks.T, strict=True)))
    counts = {"district": 6, "age": 5, "language": 4, "everybody": 1}
    rows = [(table, f"{table} {part + 1}") for table, parts in counts.items() for part in range(parts)]
    rows += [rows[i] for i in rng.choice(len(rows), 5, replace=False)]  # a second count in some parts
    plan = pd.DataFrame(rows, columns=["table", "part"])
    plan["epsilon"] = rng.permutation(np.arange(len(plan)) % 8 + 1) / 20
    edges = np.sort(rng.integers(1440, size=(term["periods"], 2)), axis=1)
    periods = pd.DataFrame(edges, columns=["first", "last"])
    return {"members.csv": members, "plan.csv": plan, "periods.csv": periods}


# %% role="setup"
import numpy as np
import pandas as pd

members = pd.read_csv("members.csv")
plan = pd.read_csv("plan.csv")
periods = pd.read_csv("periods.csv")
members.head()

# %% [markdown] task="q1" points=20
# ## Task 1: Ticks (20 points)
#
# The library's form has `d` boxes, one for each genre, and the rule "tick at most `most`". Not everybody keeps to it.
# So the rule is applied before anything is counted: in each row only the first `most` ticks, from the left, count.
#
# Write `private_ticks(ticks, most, relation, epsilon, rng)`. `ticks` is a matrix of zeros and ones, a row for each
# member, if any, and `d` columns (an array or a DataFrame). Return `d` numbers, a noisy count for each. Together they
# are ε-differentially private for `relation`, which is `"add/remove"` or `"replace-one"`. Every column gets
# independent Laplace noise of the same scale, no larger than that relation, `most` and `d` require.


# %% role="starter" task="q1"
def private_ticks(ticks, most, relation, epsilon, rng):
    """Return a noisy count for each column, ε-differentially private together."""
    ...


# %% role="solution" task="q1"
def private_ticks(ticks, most, relation, epsilon, rng):
    ticks = np.asarray(ticks)
    kept = ticks * (np.cumsum(ticks, axis=1) <= most)
    # Two replaced rows differ most if their ticks don't overlap, but in no more places than there are columns.
    rows = 1 if relation == "add/remove" else 2
    columns = ticks.shape[1]
    return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)


# %% role="visible" task="q1"
def a_count_for_each_column(private_ticks):
    "There is a number for each column; with a huge ε it is the count, where no row has too many ticks."
    ticks = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1]])
    counts = np.asarray(private_ticks(ticks, 2, "add/remove", 1e9, np.random.default_rng(1)))
    assert counts.shape == (4,), f"4 columns should give 4 numbers, not an answer of shape {counts.shape}."
    assert close(counts, [2, 0, 2, 1], atol=1e-3), "At ε = 10⁹ there is nearly no noise: add up the columns."
    assert ticks.sum() == 5, "Your function changes the matrix it is given: work on a copy."
    nobody = private_ticks(np.zeros((0, 3), int), 2, "add/remove", 1.0, np.random.default_rng(1))
    assert np.shape(nobody) == (3,), "Where nobody has ticked there is a noisy number for each column, too."


# %% role="hidden" task="q1"
def only_the_first_ticks_count(private_ticks, rng):
    "In each row the first ticks count, from the left, and no more of them than the rule allows."
    ticks = (rng.random((200, 7)) < 0.6).astype(int)
    for most in (1, 3, 7):
        kept = sum(np.where(row & (np.cumsum(row) <= most), 1, 0) for row in ticks)
        assert close(private_ticks(ticks, most, "replace-one", 1e9, rng), kept, atol=1e-3), (
            f"With at most {most} ticks for each row the counts are wrong. What becomes of a row with more of them?"
        )


def noise_fits_the_relation(private_ticks, rng, term):
    "The noise is Laplace noise, of the scale that the relation, the rule and the number of columns require."
    cases = []
    # Tables of all sizes, with two columns alike: the noise is the same in all of them.
    for n, d, most, relation, step, epsilon in (
        (10, 9, term["most"], "add/remove", min(term["most"], 9), term["epsilon"]),
        (300, 9, 2, "replace-one", 4, 0.2),
        (3_000, 6, 5, "replace-one", 6, term["epsilon"]),
        (0, 8, 30, "add/remove", 8, 1.5),
        (1, 10, 1, "replace-one", 2, term["epsilon"]),
        (40, 9, 9, "add/remove", 9, 9.0),  # little noise, so that it shows where it is cut
    ):
        ticks = np.zeros((n, d), int)
        ticks[:, : min(most, 2 if n != 40 else d)] = 1
        exact = ticks.sum(axis=0)
        given = (private_ticks, ticks, most, relation, epsilon)
        where = (
            f"{d} columns, at most {most} ticks, {relation} (which two rows, or which one, move all the counts "
            "together as far as possible?):"
        )
        drawn = sample(given[0], 600, *given[1:], rng=rng)
        cases.append(Case(partial(*given), exact, step / epsilon, where, drawn=drawn))
    additive(cases)


# %% [markdown] task="q2" points=20 parts={"bill": 16, "bill_add_remove": 4}
# ## Task 2: The bill (20 points)
#
# `plan` lists the counts that the library wants to publish, a row for each: how many members of a `part` of a `table`
# have a certain property, with Laplace noise at that row's `epsilon` (add/remove). A fixed public rule puts every
# member into one part of each table at most, looking at nothing but that member's row. Any combination of parts of
# different tables can occur, and a member may have all the properties or none. Some parts are counted more than once,
# for different properties.
#
# Write `bill(plan, relation)`: the smallest ε for which all counts of such a plan together are ε-differentially
# private, where `relation` is `"add/remove"` or `"replace-one"`. Then use it on the library's plan: define
# `bill_add_remove` and `bill_replace_one`, and `bill_household`, the smallest ε with which the plan hides whether a
# whole household of {{household}} members is in the table.


# %% role="starter" task="q2"
def bill(plan, relation):
    """Return the ε of all counts of the plan together."""
    ...


bill_add_remove, bill_replace_one, bill_household = ..., ..., ...


# %% role="solution" task="q2"
def bill(plan, relation):
    parts = plan.groupby(["table", "part"])["epsilon"].sum()
    touched = 1 if relation == "add/remove" else 2  # a replaced member leaves one part and enters another
    return parts.groupby("table").nlargest(touched).sum()


bill_add_remove, bill_replace_one = bill(plan, "add/remove"), bill(plan, "replace-one")
bill_household = {{household}} * bill_add_remove


# %% role="visible" task="q2"
def a_bill_is_a_number(bill):
    "One count costs its ε, and two counts of the same members cost their sum."
    one = pd.DataFrame({"table": ["age"], "part": ["young"], "epsilon": [0.25]})
    assert np.shape(bill(one, "add/remove")) == (), "Return one number."
    assert np.isclose(bill(one, "add/remove"), 0.25), "A single count at ε = 0.25 costs 0.25."
    assert np.isclose(bill(pd.concat([one, one]), "add/remove"), 0.5), "Two counts of one part cost 0.25 + 0.25."


def the_library_s_bills(bill_add_remove, bill_replace_one, bill_household):
    "The three bills are numbers."
    for value in (bill_add_remove, bill_replace_one, bill_household):
        assert np.shape(value) == () and np.isreal(value), "Each of the three bills should be a number."


# %% role="hidden" task="q2"
def _exact_bill(plan, relation):
    """The same, person by person: the dearest member to add, or the dearest pair to exchange."""
    total = 0.0
    for table in set(plan["table"]):
        rows = plan[plan["table"] == table]
        costs = [rows.loc[rows["part"] == part, "epsilon"].sum() for part in set(rows["part"])]
        pairs = [a + b for i, a in enumerate(costs) for j, b in enumerate(costs) if i != j]
        total += max(costs) if relation == "add/remove" else max(costs + pairs)
    return total


def _plan(rows):
    return pd.DataFrame(rows, columns=["table", "part", "epsilon"])


def _plans_of_several_tables(rng):
    """Plans whose tables share no part, share all of them, and share some; counts of a part stand anywhere."""
    for tables in ({"a": "uv", "b": "xy"}, {"a": "xy", "b": "xy"}, {"a": "xyz", "b": "yzw", "c": "x"}):
        rows = [(table, part) for table, parts in tables.items() for part in parts for _ in range(2)]
        epsilons = rng.integers(1, 9, len(rows)) / 8
        yield _plan([(*rows[i], epsilons[i]) for i in rng.permutation(len(rows))])


def bills_under_add_remove(bill, rng):
    "What everything costs under add/remove."
    for plan in (
        _plan([("a", "x", 0.1), ("a", "y", 0.3), ("a", "x", 0.4), ("b", "x", 0.2)]),
        _plan([("a", f"part {part}", epsilon) for part, epsilon in enumerate(rng.uniform(0.1, 1, 8))]),
        *_plans_of_several_tables(rng),
    ):
        assert np.isclose(bill(plan, "add/remove"), _exact_bill(plan, "add/remove")), (
            "Follow one member through the plan, and choose the parts so that this member is as expensive as possible. "
            "Which counts does the member change?"
        )


def bills_under_replace_one(bill, rng):
    "What everything costs under replace-one."
    for plan in (
        _plan([("a", "x", 0.1), ("a", "y", 0.3), ("a", "x", 0.4), ("a", "z", 0.2), ("b", "x", 0.2)]),
        _plan([("a", f"part {part}", epsilon) for part, epsilon in enumerate(rng.uniform(0.1, 1, 8))]),
        _plan([("a", "x", 0.3), ("a", "x", 0.2)]),
        *_plans_of_several_tables(rng),
    ):
        assert np.isclose(bill(plan, "replace-one"), _exact_bill(plan, "replace-one")), (
            "One member is replaced by another. Which counts can change, and by how much? Think of members of two "
            "parts, and of a table with a single part."
        )


def bills_of_the_library(bill_add_remove, bill_replace_one, bill_household, data, term):
    "The library's own bills."
    plan = data["plan.csv"]
    assert np.isclose(bill_add_remove, _exact_bill(plan, "add/remove")), "bill_add_remove isn't the bill of the plan."
    assert np.isclose(bill_replace_one, _exact_bill(plan, "replace-one")), "bill_replace_one isn't that of the plan."
    assert np.isclose(bill_household, term["household"] * _exact_bill(plan, "add/remove")), (
        f"bill_household: how many steps of add/remove hide {term['household']} rows?"
    )


# %% [markdown] task="q3" points=15
# ## Task 3: Two answers to one question (15 points)
#
# The library has released a noisy number of members for each district, each with Laplace noise at
# `epsilon_districts`, and, in a press release, the noisy number of all members, with Laplace noise at `epsilon_total`.
# Everybody lives in exactly one district. The two releases disagree, as noisy numbers do. A journalist who has them,
# and nothing else, wants the best of both.
#
# Write `combine(districts, total, epsilon_districts, epsilon_total)`. Return two things: an array with an estimate for
# each district, and a number, the estimated total. The estimates of the districts add up to that total. Each estimate
# is a weighted sum of the released numbers, is unbiased, and has the smallest variance that a weighted sum can have.
# A negative estimate is returned as it is.
#
# What you need to know about weights: if $a$ and $b$ are independent unbiased estimates of one number, with variances
# $v_a$ and $v_b$, then so is $w\,a + (1-w)\,b$, and its variance $w^2 v_a + (1-w)^2 v_b$ is smallest at
# $w = v_b/(v_a+v_b)$: each is trusted in proportion to one over its variance. Begin with the total, for which you have
# two estimates; then see how far the districts have to move, and that they are all equally to blame.


# %% role="starter" task="q3"
def combine(districts, total, epsilon_districts, epsilon_total):
    """Return the best estimates of the districts, and of the total."""
    ...


# %% role="solution" task="q3"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    one, whole = 1 / epsilon_districts**2, 1 / epsilon_total**2  # the variances, but for a factor of 2
    # The gap is noise of len(districts) draws and one more; each is charged with its share of the variance.
    gap = total - districts.sum()
    adjusted = districts + gap * one / (len(districts) * one + whole)
    return adjusted, adjusted.sum()


# %% role="visible" task="q3"
def an_estimate_for_each_district(combine):
    "There is an estimate for each district, and they add up to the estimated total."
    answer = combine(np.array([10.0, 20.0, 30.0]), 66.0, 0.5, 0.5)
    assert len(answer) == 2, "Return two things: the array of the districts' estimates, and the total's."
    assert np.shape(answer[0]) == (3,), "Three districts should give three estimates."
    assert np.shape(answer[1]) == (), "The second thing should be a number."
    assert np.isclose(np.sum(answer[0]), answer[1]), "The estimates of the districts should add up to the total's."


def agreement_stays(combine):
    "Numbers that agree already stay as they are."
    districts, total = combine(np.array([10.0, -2.0]), 8.0, 0.5, 0.1)
    assert close(districts, [10, -2]) and np.isclose(total, 8), "10 and −2 do add up to 8: leave them alone."


# %% role="hidden" task="q3"
def smallest_variance(combine, rng):
    "Every estimate has the smallest variance that an unbiased weighted sum can have."
    for d, one, whole in ((2, 0.5, 0.5), (7, 1.0, 0.2), (7, 0.2, 1.0), (30, 0.1, 0.1)):
        released, total = rng.normal(20, 40, d), 20.0 * d
        # Weighted least squares: d + 1 observations of d unknowns, each divided by its standard deviation.
        design = np.vstack([np.eye(d) * one, np.full((1, d), whole)])
        observed = np.append(released * one, total * whole)
        best = np.linalg.lstsq(design, observed, rcond=None)[0]
        districts, estimate = combine(released, total, one, whole)
        assert close(districts, best) and np.isclose(estimate, best.sum()), (
            f"{d} districts at ε = {one} each, the total at ε = {whole}: there are better estimates. You have two "
            "estimates of the total; write down the variance of each. How much should each be trusted, and which of "
            "the districts' numbers is to blame for the gap?"
        )


# %% [markdown] task="q4" points=20 parts={"answer_all": 14, "lives_there": 6}
# ## Task 4: The colleague's code (20 points)
#
# A colleague wrote the library's answering machine. `members` is a table with columns of zeros and ones, and
# `questions` is a list of their names, perhaps with repetitions: each asks for the number of ones in that column.
# Together the answers shall cost ε (add/remove), and every *different* question gets the same share of it. Who asks
# the same question again gets the same answer again, so that nobody can average the noise away, and pays nothing for
# it. Columns may overlap in any way, and are bought as any other.
#
# The code below runs, and all its answers look fine. There is a defect in it. Find it, mend `answer_all`, and show
# that it matters: somebody asks the colleague's *unmended* code how many members live in your district, and how many
# members other than you do, and gets the answers `first` and `second`. Write `lives_there(first, second)`, which
# returns `True` if you are a member who lives in the district and `False` if not, and is always right.


# %% role="starter" task="q4"
def answer_all(questions, members, epsilon, rng):
    """Return a noisy count for each question: ε-DP together (add/remove)."""
    share = epsilon / len(set(questions))  # who asks again doesn't pay again
    noise, answers = {}, []
    for question in questions:
        count = int(members[question].sum())
        if count not in noise:  # no fresh noise for a repetition: it would average away
            noise[count] = rng.laplace(scale=1 / share)
        answers.append(count + noise[count])
    return answers


def lives_there(first, second):
    """Return whether you live in the district, from the unmended code's answers."""
    return bool(first > second)  # right in more than half of the cases


# %% role="solution" task="q4"
def answer_all(questions, members, epsilon, rng):
    scale = len(set(questions)) / epsilon
    # One draw for each question: equal counts of different questions must not be seen to be equal.
    noise = {question: rng.laplace(scale=scale) for question in dict.fromkeys(questions)}
    return [members[question].sum() + noise[question] for question in questions]


def lives_there(first, second):
    # Without you both counts are the same number, which has one draw of noise; with you there are two.
    return bool(first != second)


# %% role="visible" task="q4"
def an_answer_for_each_question(answer_all):
    "There is an answer for each question, and with a huge ε it is right."
    members = pd.DataFrame({"north": [1, 1, 0, 0], "south": [0, 0, 1, 0], "crime": [1, 0, 1, 0]})
    answers = np.asarray(answer_all(["crime", "south", "crime"], members, 1e9, np.random.default_rng(1)))
    assert answers.shape == (3,), f"3 questions should get 3 answers, not an answer of shape {answers.shape}."
    assert close(answers, [2, 1, 2], atol=1e-3), "At ε = 10⁹ there is nearly no noise: count the ones."


def guilty_or_not(lives_there):
    "lives_there returns True or False."
    assert lives_there(10.5, 3.25) in (True, False), "Return True or False."


# %% role="hidden" task="q4"
def _colleague(counts, epsilon, rng):
    noise = {}
    return [count + noise.setdefault(count, rng.laplace(scale=len(counts) / epsilon)) for count in counts]


def _people(rng, n):
    north, crime = rng.permutation(np.arange(n) < 0.4 * n) * 1, rng.permutation(np.arange(n) < 0.2 * n) * 1
    people = {"north": north, "other": np.roll(north, 7), "crime": crime}
    return pd.DataFrame(people | {"twin": north, "not north": 1 - north, "nobody": 0 * north})


def _asked(answer_all, times, questions, epsilon, rng, n=30):
    """Return the noise of so many rounds about n people, a column for each question."""
    people = _people(rng, n)
    return sample(answer_all, times, questions, people, epsilon, rng=rng) - people[questions].sum().to_numpy()


def every_question_pays_its_share(answer_all, rng, term):
    "Each answer has Laplace noise at its question's share of ε."
    for n, questions in (
        (30, ["north", "crime", "other"]),
        (30, ["crime", "crime", "crime", "crime", "north"]),
        (0, ["other"]),
        (3_000, ["north", "twin", "not north", "nobody"]),
    ):
        noise = _asked(answer_all, 1_200, questions, term["epsilon"], rng, n)
        for place, question in enumerate(questions):
            scale = len(set(questions)) / term["epsilon"]
            right = fits(noise[:, place], stats.laplace(scale=scale).cdf)
            assert right and close_mean(np.abs(noise[:, place]), scale, scale), (
                f"{n:,} members, asked for {', '.join(questions)}: the noise of question {place + 1}, {question}, "
                "isn't Laplace noise at an equal share of ε for each different question."
            )


def the_same_again(answer_all, rng):
    "A repeated question gets the same answer, and other questions in between don't change that."
    noise = _asked(answer_all, 20, ["north", "crime", "north", "other", "crime"], 1.0, rng)
    assert np.allclose(noise[:, 0], noise[:, 2]) and np.allclose(noise[:, 1], noise[:, 4]), (
        "Who asks the same question again should get the same answer again."
    )


def different_questions_share_nothing(answer_all, rng):
    "Two different questions have independent noise, whatever their counts are, and so have two rounds."
    # "twin" is asked about the same members as "north", and "not north" about all the others.
    questions = ["north", "other", "crime", "twin", "not north", "nobody"]
    noise = _asked(answer_all, 1_000, questions, 1.0, rng) > 0
    for one, two in np.transpose(np.triu_indices(len(questions), 1)):
        assert within(np.sum(noise[:, one] == noise[:, two]), 1_000, 0.5), (
            f"The answers for {questions[one]} and {questions[two]} are not independent. What do these two columns "
            "have in common, and what does your code remember?"
        )
    assert within(np.sum(noise[::2, 0] == noise[1::2, 0]), 500, 0.5), "Two rounds need noise of their own, from rng."


def the_attack_is_always_right(lives_there, rng):
    "From the unmended code's answers, it is certain whether you live there."
    for others in (0, 40, 3_000):
        for you in (0, 1) * 8:
            first, second = _colleague([others + you, others], 0.5, rng)
            assert lives_there(first, second) == bool(you), (
                "The attack was wrong about a district where "
                f"{others:,} others live. What does the unmended code do if you don't live there?"
            )


# %% [markdown] task="q5" points=15
# ## Task 5: Any time of the day (15 points)
#
# When do members come? The library will answer a whole list of questions "how many members' last visit was between
# minute `first` and minute `last` of the day (both included)?" The list is public, and ε is for *all* answers together
# (add/remove). Design the release. Write `answer_periods(minutes, first, last, epsilon, rng)`: `minutes` is an array of
# whole numbers from 0 to 1439, one for each member; `first` and `last` are arrays of equal length, an entry for each
# question, with `first <= last`. Return an array of noisy answers, one for each question.
#
# There are two naive designs. One splits ε over the questions. The other publishes a noisy histogram of the 1,440
# minutes and adds up what is asked for; an answer about $w$ minutes then has the variance $2w/\varepsilon^2$. Both are
# private. Yours must be more exact: its root mean squared error, over all questions, must be **at most 0.85 times**
# that of the minute histogram, for {{periods}} questions like those in `periods` (both ends are drawn at random) and
# ε = {{epsilon}}. It is tested for accuracy, on other members and other questions, and an audit looks for answers that
# tell more than ε. After `from checks import try_it`, `try_it("q5", answer_periods, minutes)` prints this ratio for
# visits that you invent.


# %% role="starter" task="q5"
def answer_periods(minutes, first, last, epsilon, rng):
    """Return a noisy answer for each period: ε-DP together (add/remove)."""
    ...


# %% role="solution" task="q5"
def answer_periods(minutes, first, last, epsilon, rng):
    # Cut the day where a period begins or ends. Nobody asks about less than a piece, so a piece needs one draw only.
    first, end = np.asarray(first), np.asarray(last) + 1
    cuts = np.unique(np.concatenate([first, end]))
    piece = np.searchsorted(cuts, minutes, side="right")  # 0 is before the first cut
    counts = np.bincount(piece, minlength=len(cuts) + 1)
    noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
    upto = np.cumsum(noisy)
    return upto[np.searchsorted(cuts, end)] - upto[np.searchsorted(cuts, first)]


# %% role="visible" task="q5"
def an_answer_for_each_period(answer_periods):
    "There is an answer for each period, and with a huge ε it is right."
    minutes, first, last = np.array([0, 10, 10, 700, 1439]), np.array([0, 10, 11, 0]), np.array([0, 10, 1439, 1439])
    answers = np.asarray(answer_periods(minutes, first, last, 1e9, np.random.default_rng(1)))
    assert answers.shape == (4,), f"4 periods should get 4 answers, not an answer of shape {answers.shape}."
    assert close(answers, [1, 2, 2, 5], atol=0.01), "At ε = 10⁹ there is nearly no noise. Are both ends included?"
    nobody = answer_periods(minutes[:0], first, last, 1.0, np.random.default_rng(1))
    assert np.shape(nobody) == (4,), "Where nobody has come there is a noisy answer for each period, too."


def _squared(answer_periods, minutes, epsilon, questions, rng):
    """Return the mean squared error of 60 releases for random questions, and that of a histogram of the minutes."""
    first, last = np.sort(rng.integers(1440, size=(2, questions)), axis=0)
    exact = [np.sum((minutes >= a) & (minutes <= b)) for a, b in zip(first, last, strict=True)]
    errors = sample(answer_periods, 60, minutes, first, last, epsilon, rng=rng) - exact
    return np.mean(errors**2), np.mean(2 * (last - first + 1) / epsilon**2)


def _try_it(answer_periods, minutes):
    rng = np.random.default_rng()
    found, histogram = np.mean(
        [_squared(answer_periods, np.asarray(minutes), {{epsilon}}, {{periods}}, rng) for _ in range(16)], axis=0
    )
    return f"the error is {np.sqrt(found / histogram):.2f} times that of a histogram of the minutes (at most 0.85)."


# %% role="hidden" task="q5"
def more_exact_than_minutes(answer_periods, rng, term):
    "The root mean squared error is at most 0.85 times that of a histogram of the minutes."
    squared = []
    # So many lists of questions that the ratio's standard deviation is about 0.01. Two levels, hours and minutes, the
    # plainest design that is good enough, have a ratio of 0.73 to 0.74; the histogram itself has 1.
    for _ in range(16):
        minutes = np.clip(rng.normal(rng.uniform(400, 1_000), 200, 500), 0, 1439).astype(int)
        squared.append(_squared(answer_periods, minutes, term["epsilon"], term["periods"], rng))
    found, histogram = np.sqrt(np.mean(squared, axis=0))
    assert found <= 0.85 * histogram, (
        f"The root mean squared error is {found:.1f} members, and {histogram:.1f} with a histogram of the minutes. How "
        "many draws of noise are in an answer about half a day? Which minutes does nobody ask to be told apart?"
    )


def _edges(answer_periods, day, rng):
    """Return where blocks may begin at or before minute 720, and where they may end at or behind it.

    Of two periods that differ by one minute, the answers differ by that minute's noise, and by much more where one of
    them has a whole block that the other has not: there the design has an edge. At each distance from minute 720, 8 to
    15, 16 to 31 and so on, the two steps with the most noise are taken; nearer, all minutes are.
    """
    minutes = np.arange(1440)
    first, last = np.where(minutes < 720, minutes, 0), np.where(minutes < 720, 1439, minutes)
    noise = sample(answer_periods, 100, day, first, last, 0.5, rng=rng)
    begin, end = [0, *range(713, 721)], [*range(720, 728), 1439]
    for far in 2 ** np.arange(3, 10):
        away = np.arange(far, min(2 * far, 720))
        for edges, places in ((begin, 720 - away), (end, 719 + away)):
            steps = (noise[:, places] - noise[:, places + 1]).var(axis=0)
            strongest = places[np.argsort(-steps, kind="stable")[:2]]
            edges += [*strongest, *strongest + 1]
    return np.unique(begin), np.unique(end)


def _blocks(answer_periods, rng):
    """Return the periods around minute 720 that are most exact and have noise of their own: the design's blocks."""
    day = rng.integers(1440, size=300)
    first, last = (ends.ravel() for ends in np.meshgrid(*_edges(answer_periods, day, rng)))
    noise = sample(answer_periods, 100, day, first, last, 0.5, rng=rng)
    spread, chosen = noise.var(axis=0), []
    with np.errstate(all="ignore"):  # without noise
        apart = np.abs(np.corrcoef(noise.T)) < 0.45
    for place in np.argsort(spread, kind="stable"):
        if spread[place] <= 4 * spread.min() and len(chosen) < 12 and apart[place, chosen].all():
            chosen.append(place)
    return first[chosen], last[chosen]


def one_minute_tells_no_more_than_epsilon(answer_periods, rng):
    "A single answer about a single minute is ε-differentially private, in tables of any size."
    minute = np.array([720])
    for n, epsilon in ((0, 1.0), (1, 2.5), (3_000, 1.0)):
        members = np.arange(n) % 720
        tables = members, np.append(members, 720)

        def draw(world, runs, tables=tables, epsilon=epsilon):
            return sample(answer_periods, runs, tables[world], minute, minute, epsilon, rng=rng)

        proven = epsilon + learned_excess(draw, pure(epsilon))
        assert proven <= epsilon, (
            f"{n:,} members, and only minute 720 is asked for: when one more comes then, an audit proves an ε of "
            f"{proven:.2f} or more, where {epsilon:g} is allowed. Does every count get its noise, and is it used as "
            "drawn?"
        )


def answers_tell_no_more_than_epsilon(answer_periods, rng):
    "All answers together are ε-differentially private, as far as an audit can tell."
    # Six members more come at minute 720. Where each minute, each block of minutes, or each level of a tree is bought
    # at the whole ε, their answers rise together: the first questions are about these. The others have no end in
    # common: where noise belongs to the ends or the questions, their average has little.
    steps, epsilon, group = np.arange(1, 13), 0.5, 6
    blocks = _blocks(answer_periods, rng)
    first, last = np.append(blocks[0], 715 - 13 * steps), np.append(blocks[1], 725 + 17 * steps)
    others = rng.integers(1440, size=400)
    others = others[(others < 700) | (others > 740)]
    exact = [np.sum((others >= a) & (others <= b)) for a, b in zip(first, last, strict=True)]

    def draw(world, runs):
        minutes = np.append(others, np.full(group * world, 720))
        errors = sample(answer_periods, runs, minutes, first, last, epsilon, rng=rng) - exact
        return np.column_stack([errors[:, :-12], errors[:, -12:].mean(axis=1)])

    proven = group * epsilon + learned_excess(draw, pure(group * epsilon))
    assert proven <= group * epsilon, (
        f"For {group} members at ε = {epsilon} at most {group * epsilon:g} is allowed, and an audit proves an ε of at "
        f"least {proven:.2f} for the answers together. Follow one member: which of your noisy numbers does this member "
        "change, and what does each of them cost?"
    )


# %% [markdown] role="written" task="q6" points=10
# ## Task 6: The press office (10 points)
#
# The library publishes a table of its members by district and favourite genre every quarter, with Laplace noise at
# ε = {{epsilon}} (add/remove); each member has one of each. The press office asks for three changes:
#
# 1. "Please leave out the cells in which there are fewer than five members. They are tiny anyway."
# 2. "Please print 0 instead of a negative number, and add up the printed cells to get the city's total."
# 3. "And please write that a member's ε is {{epsilon}} in a year: the four tables are about different quarters, so they
#    are disjoint."
#
# In at most 200 words: say for each request what it does to the privacy of the members and to the exactness of the
# numbers, and what the library should do instead.

# %% [markdown] role="rubric" task="q6"
# - 3 points, request 1: it is a second look at the *true* counts, so it isn't post-processing; whoever moves a cell
#   from 4 to 5 makes it appear, and no ε covers that (2). Instead: leave out cells whose *noisy* count is small, by a
#   public limit, or print all cells of the public list (1).
# - 3 points, request 2: printing 0 costs no privacy, because only published numbers are used (1); it makes small cells
#   too large on average, $\frac{b}{2}e^{-c/b}$ each, and these errors have one sign and add up in the total (1).
#   Instead: keep the negative numbers for sums, or pay for a noisy total; tidy the printed copy only (1).
# - 3 points, request 3: wrong, because the same member is in all four tables (1), so that the year costs up to
#   4 · {{epsilon}} under add/remove of a member; parallel composition needs parts that a fixed rule makes of *rows*,
#   and here a row is a member (1). Instead: name a budget for the year and divide it, or publish less often (1).
# - 1 point: says which neighbours an ε is for, or what a row is.
#
# **A model answer** (10 points) Request 1 looks at the true counts a second time. Who moves a cell from 4 to 5 makes it
# appear, so no ε covers it. Leave out cells whose *noisy* number is below a public limit, or print all. Request 2 uses
# published numbers only and costs nothing. But a small cell is then too large on average, by b/2·exp(-c/b) with the
# noise's scale b, and these errors all have the same sign and add up in the total. Keep the negative numbers for sums,
# or buy a noisy total; tidy the printed copy only. Request 3 is wrong: the same member is in all four tables, so the
# year costs four times ε (add/remove of a member). Parallel composition needs parts made of rows by a fixed rule, and
# here one member has a row in each quarter. Name a budget for the year and give each quarter a fourth of it.
#
# **A borderline answer** (5 points) "1 is bad since the true counts are used. 2 is fine because of post-processing. 3
# is wrong: by sequential composition it is 4ε. They should divide ε by 4." Right about privacy, but nothing on the
# error in request 2 (1 of 3), no cure in request 1 (2 of 3), and no reason in request 3 for which parts compose in
# parallel (2 of 3).

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 1, why does the number of columns matter under replace-one, and not only the number of ticks? Draw the two
#    rows.
# 2. In task 5, name two neighbouring tables, and show me which of your noisy numbers differ between them. Where in your
#    code is that decided?
# 3. In task 4, somebody asks one question a thousand times. What does he learn from your code, and what from a version
#    with fresh noise?
