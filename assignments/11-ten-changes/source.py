# %% [markdown]
# # Assignment 11: Ten changes to review
#
# A small company publishes numbers with **differential privacy**. You are the one who reads every change to its code
# before it goes live. In front of you are ten of them, each of a few lines, with the promise that the code makes. Some
# break their promise. Some look wrong and keep it. And of some it can't be said, because what isn't shown decides.
#
# You need chapters 4, 5, 6, 9, 12 and 22, and about two hours. Write into the cells marked for you, keep the names,
# and leave the rest as it is. Each task stands alone. Below each task is a cell that checks what you can check
# yourself; the grader checks more. What the parts of a task are worth stands at its end; a part earns all its points
# or none.
#
# - Use Python and NumPy; `dp_helpers` and SciPy aren't there when your work is graded.
# - Nothing here is random: your functions get numbers and compute. They change nothing that they are given.

# %% role="term"
# Nothing to choose: the seed draws the changes, their numbers and their order.
TERM = {}


# %% role="draw"
from reviews.sheet import texts


def draw_texts(term, rng):
    return texts(rng)


# %% role="setup"
import math

import numpy as np

# %% [markdown] task="q1" points=70 parts={"verdict": 5, "line": 2} times=10
# ## Task 1: Ten changes (70 points)
#
# For all ten:
#
# - The code before the change kept its promise. Lines with a minus go, lines with a plus come, the others stay.
# - ε and δ are passed as the promise has them. They, the code and all arguments but the data are public; of the data,
#   what a change names as public is, and nothing else. The data are the first argument. All numbers in them are finite.
# - `rng` draws what nobody outside can predict. `rng.laplace(scale=b)` draws Laplace noise of scale b. The time that
#   the code takes, and the last bits of its numbers, are of no concern.
# - **It can't be said** if what isn't shown can be filled in so that all that is written here holds and the promise is
#   kept, and also so that all this holds and the promise is broken. Something that is missing and can't matter is no
#   reason.
#
# Fill the dictionary `reviews`: for each change a verdict, `"keeps"`, `"breaks"` or `"can't be said"`, and the number
# of the line on which it hangs: of a change that breaks its promise the line that makes it so, and where it can't be
# said the line that needs what is missing. Where it keeps its promise, any line will do. A line is one of the new code,
# with a plus or without a sign; where several are to blame, name any of them. It counts only with the right verdict.
#
# {{change_1}}
#
# {{change_2}}
#
# {{change_3}}
#
# {{change_4}}
#
# {{change_5}}
#
# {{change_6}}
#
# {{change_7}}
#
# {{change_8}}
#
# {{change_9}}
#
# {{change_10}}


# %% role="starter" task="q1"
reviews = {
    "change 1": ("", 0),
    "change 2": ("", 0),
    "change 3": ("", 0),
    "change 4": ("", 0),
    "change 5": ("", 0),
    "change 6": ("", 0),
    "change 7": ("", 0),
    "change 8": ("", 0),
    "change 9": ("", 0),
    "change 10": ("", 0),
}


# %% role="solution" task="q1"
{{solution}}


# %% role="visible" task="q1"
def _verdict(said):
    """Return a verdict as the sheet writes it: capitals, blanks and kinds of apostrophes don't matter."""
    return said.strip().lower().replace("\u2019", "'") if isinstance(said, str) else said


def each_is_answered(reviews, part):
    "For each change there is a verdict and a line."
    lines = {{lines}}
    what, number = part.split()
    number, change = int(number), f"change {number}"
    assert isinstance(reviews, dict), (
        'reviews should be a dictionary, {"change 1": ("keeps", 4), …}, and not ' + f"a {type(reviews).__name__}."
    )
    assert change in reviews, f'reviews has nothing for {change}: its keys are the texts "change 1" to "change 10".'
    answer = reviews[change]
    assert isinstance(answer, (tuple, list)) and len(answer) == 2, (
        f'change {number}: write a verdict and a line, as ("keeps", 4), and not {answer!r}.'
    )
    verdict, line = answer
    assert what == "line" or _verdict(verdict) in ("keeps", "breaks", "can't be said"), (
        f'change {number}: the verdict should be "keeps", "breaks" or "can\'t be said", got {verdict!r}.'
    )
    whole = isinstance(line, (int, np.integer)) and not isinstance(line, bool)
    assert what == "verdict" or (whole and line in lines[number]), (
        f"change {number}: the line should be one of {', '.join(map(str, lines[number]))}, those of the new code, "
        f"got {line!r}."
    )


# %% role="hidden" task="q1"
RIGHT = {{right}}


def each_is_right(reviews, part):
    "The verdict on each change, and its line where the verdict is right."
    what, number = part.split()
    verdict, line = reviews[f"change {number}"]
    known, accepted = RIGHT[int(number)]
    assert _verdict(verdict) == known, f"change {number}: the verdict is another one."
    assert what == "verdict" or line in accepted, f"change {number}: it hangs on another line."


# %% [markdown] task="q2" points=10
# ## Task 2: The noise of a whole table (10 points)
#
# The company has one function from which every program takes the scale of its Laplace noise. A program publishes
# `columns` totals. A person has one row, with a value in each column, and each value is clipped to `low` … `high`
# before it is added up; `low` may be below 0. Neighbours are `"add/remove"` (one person more or fewer) or `"replace"`
# (one person's row is exchanged for another). All totals together must be ε-differentially private, with the same scale
# for each, as small as it can be.
#
# The function below has a defect: it was written for one column and one kind of neighbours. Mend it.


# %% role="starter" task="q2"
def noise_scale(columns, low, high, neighbours, epsilon):
    """Return the scale of Laplace noise for each total."""
    return max(abs(low), abs(high)) / epsilon


# %% role="solution" task="q2"
def noise_scale(columns, low, high, neighbours, epsilon):
    # A row that comes or goes moves a total by its value; an exchanged one by the difference of two values.
    step = max(abs(low), abs(high)) if neighbours == "add/remove" else high - low
    return columns * step / epsilon


# %% role="visible" task="q2"
def a_scale_for_two_columns(noise_scale):
    "Two columns need twice the scale of one."
    scale = noise_scale(2, 0, 10, "add/remove", 0.5)
    assert np.shape(scale) == () and np.isclose(scale, 40), "Two columns from 0 to 10 at ε = 0.5 need a scale of 40."


# %% role="hidden" task="q2"
def every_scale_is_the_smallest(noise_scale, rng):
    "The scale is what one person can change in all columns together, divided by ε, for both kinds of neighbours."
    for columns in (1, 2, 7):
        for low, high in ((0, 5), (-3, 5), (-8, 5), (-8, 0), (2, 9), (-9, -2)):
            for neighbours in ("add/remove", "replace"):
                epsilon = float(rng.integers(1, 9)) / 4
                step = max(abs(low), abs(high)) if neighbours == "add/remove" else high - low
                scale = noise_scale(columns, low, high, neighbours, epsilon)
                assert np.isclose(scale, columns * step / epsilon), (
                    f"{columns} columns from {low} to {high}, {neighbours}, ε = {epsilon:g}: a scale of {scale:.4g} "
                    "isn't right. By how much can one person change each total, and how many totals?"
                )


# %% [markdown] task="q3" points=10
# ## Task 3: What two tables cost (10 points)
#
# A reviewer who doubts a claim looks for two neighbouring tables that refute it. Let a release add independent Laplace
# noise to several numbers. Write `loss(first, second, scales)`: `first` and `second` are lists of the exact numbers for
# the one table and for the other, `scales` the scale of the noise of each number, the same for both tables. Return the
# smallest ε with which no output of all noisy numbers together is more than e^ε times as likely for the one table as
# for the other. A scale of 0 means that a number is published as it is: then ε is `math.inf` if the tables differ in
# it.


# %% role="starter" task="q3"
def loss(first, second, scales):
    """Return the ε of these two tables."""
    ...


# %% role="solution" task="q3"
def loss(first, second, scales):
    total = 0.0
    for one, other, scale in zip(first, second, scales, strict=True):
        if one != other:
            total += abs(one - other) / scale if scale else math.inf
    return total


# %% role="visible" task="q3"
def one_number_costs_its_step(loss):
    "A number that moves by 3, with noise of scale 2, costs 1.5."
    found = loss([5.0], [8.0], [2.0])
    assert np.shape(found) == () and np.isclose(found, 1.5), (
        "A number that moves by 3, with noise of scale 2, costs 1.5."
    )


# %% role="hidden" task="q3"
def steps_by_scales_add_up(loss, rng):
    "The costs of all numbers add up, in whichever direction they move."
    for n in (1, 2, 5):
        first, second, scales = rng.integers(-9, 10, n), rng.integers(-9, 10, n), rng.integers(1, 5, n)
        found = loss(first.tolist(), second.tolist(), scales.tolist())
        assert np.isclose(found, np.sum(np.abs(first - second) / scales)), (
            f"The numbers {first.tolist()} and {second.tolist()} with noise of the scales {scales.tolist()} give "
            f"{found:.4g}."
        )


def no_noise_hides_nothing(loss):
    "A number without noise costs nothing if it is the same, and everything if it isn't."
    assert np.isclose(loss([4, 1], [4, 2], [0, 2]), 0.5), "A number that is the same on both tables gives nothing away."
    assert loss([4, 1], [5, 1], [0, 2]) == math.inf, "A number without noise that differs tells the tables apart."


# %% [markdown] role="written" task="q4" points=10
# ## Task 4: The comment (10 points)
#
# Take a change of which you said that it can't be said. In at most 120 words, write the comment that you leave below
# it: what you want to see, which answer lets you accept the change, and which one doesn't. The author is sure that the
# change is fine, and has little time.

# %% [markdown] role="rubric" task="q4"
# - 3 points: it asks for the one thing that decides, by name (1 if it asks for "more documentation").
# - 3 points: an answer with which the promise is kept, and why it is.
# - 3 points: an answer with which it is broken, with two tables, a person, or a number that shows it.
# - 1 point: it can be answered in a minute, and blames nobody.
#
# Whoever took another change than the one below, of which nothing can be said either, is judged by the same rubric; on
# a change that keeps or breaks its promise, at most 4 points.
#
# **A model answer** (10 points) {{model}} (In a comment: "Before I can accept this I need to see that one thing. If
# it is as in the first case, please say so beside the function, and it's in. If it's as in the second, here is a person
# whose presence would show: …")
#
# **A borderline answer** (5 points) "I can't see whether this is private, because a part of the code is missing. Please
# send it, so that I can check the sensitivity." It names what is missing only roughly (1 of 3), says what would be
# checked but neither answer (2 of 6 for both), and can be answered (1); one more point for naming the line.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. Choose a change that keeps its promise. Alter one word of its promise, or of what is public, so that it breaks it.
# 2. In task 3, why do the costs of independent numbers add up? When is the sum more than what two tables really cost?
# 3. Nothing is wrong with a change, and its tests pass. What may a second change, which nobody would doubt by itself,
#    break in it?
