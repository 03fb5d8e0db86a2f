"""A small assignment, and notebooks that answer it."""

import json

SOURCE = """\
# %% [markdown]
# # Assignment 9: Trees

# %% role="data"
def make_data(term, rng):
    return {"trees.csv": pd.DataFrame({"height": rng.integers(5, 30, 40)})}

# %% role="setup"
import pandas as pd
trees = pd.read_csv("trees.csv")

# %% [markdown] task="q1" points=50
# ## Task 1
# Write `add(numbers)`.

# %% role="starter" task="q1"
def add(numbers):
    ...

# %% role="solution" task="q1"
def add(numbers):
    return sum(numbers)

# %% role="visible" task="q1"
def one_number(add):
    "The sum of nothing is 0."
    assert add([]) == 0, "The sum of nothing is 0."

# %% role="hidden" task="q1"
def right_sum(add, rng, data):
    "Sums are right."
    secret = rng.integers(1_000_000, 2_000_000)
    assert add([secret, 1]) == secret + 1, "Look at the sum again."
    assert np.all(add([1, 2]) == add([2, 1])), "The order doesn't matter."

# %% [markdown] task="q2" points=40
# ## Task 2
# Define `tallest`.

# %% role="starter" task="q2"
tallest = ...

# %% role="solution" task="q2"
tallest = trees["height"].max()

# %% role="visible" task="q2"
def a_number(tallest):
    "It is a number."
    assert tallest > 0, "It should be a number above 0."

# %% role="hidden" task="q2"
def tallest_of_all(tallest, data):
    "It is the tallest tree of all."
    assert tallest == data["trees.csv"]["height"].max(), "Some tree is taller."

# %% [markdown] role="written" task="q3" points=10
# ## Task 3
# Why?

# %% [markdown] role="rubric" task="q3"
# A reason.
"""

SETUP = "from checks import check\nimport pandas as pd\ntrees = pd.read_csv('trees.csv')"
ADD = "def add(numbers):\n    return sum(numbers)"
TALLEST = "tallest = trees['height'].max()"


def code(text, purpose=None):
    return {"cell_type": "code", "source": text, "metadata": {"assignment": purpose} if purpose else {}}


def markdown(text, purpose=None, **metadata):
    return {
        "cell_type": "markdown",
        "source": text,
        "metadata": metadata | ({"assignment": purpose} if purpose else {}),
    }


def notebook(add=ADD, tallest=TALLEST, written="Because."):
    cells = [
        code(SETUP),
        code(add, "q1-answer"),
        code('check("q1", globals())', "q1-check"),
        code(tallest, "q2-answer"),
    ]
    cells += [markdown("## Task 3\nWhy?", "q3"), markdown(written, "q3-answer", editable=True)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def hand_in(root, student, content, name="9-trees.ipynb"):
    path = root / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def assignment_in(root):
    """Write the assignment below a folder, with a term's file beside it; return its folder."""
    hand_in(root, "", 'seed = "00000000000000a5"\n', "term.toml")
    return hand_in(root, "9-trees", SOURCE, "source.py").parent


def filled(notebook, answers):
    """Return the text of a notebook that was handed out, with these answers by task."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        task, _, purpose = cell["metadata"].get("assignment", "").partition("-")
        if purpose == "answer":
            cell["source"] = answers.get(task, f"Because. ({len(answers)})")
    return json.dumps(content)
