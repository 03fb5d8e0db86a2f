"""Each change to review is what its answer says: convicted, or shown sound, or both by two completions."""

import collections
import re

import numpy as np
import pandas as pd
import pytest
from thorough import THOROUGH

from reviews import truth
from reviews.evidence import additive_loss, gaussian_delta, gaussian_epsilon, winner_epsilon
from reviews.review import KINDS, VERDICTS, load
from reviews.runs import TABLE

ITEMS = load()
RUNS = pd.read_csv(TABLE, keep_default_na=False)


def rng():
    return np.random.default_rng(1128)


def loss(item, which, data, neighbour, **more):
    """Return the exact ε of added noise on two tables; what is done to the noisy numbers afterwards is left out."""
    return additive_loss(lambda table, rng: item.run(which, table, rng, **more), data, neighbour)


def test_there_are_thirty_and_the_first_ten_need_five_chapters():
    count = collections.Counter(item.review.verdict for item in ITEMS)
    assert count == {"breaks": 16, "keeps": 10, "can't be said": 4} and count.keys() == set(VERDICTS)
    first = [item for item in ITEMS if item.review.first]
    assert first == [*ITEMS[:10]] and {item.review.verdict for item in first} == set(VERDICTS)
    assert all(item.review.chapter <= 5 for item in first)
    assert {item.review.kind for item in ITEMS} == set(KINDS)
    assert len({item.name for item in ITEMS}) == 30


def test_no_place_verdict_or_line_is_a_good_guess():
    verdicts = "".join(item.review.verdict[0] for item in ITEMS)
    assert not re.search(r"(.)\1{3}", verdicts), "four of a kind in a row"
    of_kinds = collections.defaultdict(set)
    for item in ITEMS:
        of_kinds[item.review.kind].add(item.review.verdict)
    assert sum(len(found) == 1 for found in of_kinds.values()) <= 1, "a kind tells the verdict"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_a_change_is_short_and_has_its_line(item):
    assert 5 <= len(item.diff()) <= 15 and {sign for sign, _ in item.diff()} & {"+", "-"}
    new = [line.strip() for sign, line in item.diff() if sign != "-"]
    accepted = {item.diff()[place][1].strip() for place in item.right_lines()}
    assert {*item.review.lines, *item.review.also} <= accepted <= {*new}
    assert (0 in item.right_lines()) == (item.review.verdict == "keeps")
    assert item.line() in item.right_lines()
    signs = "".join(sign for sign, _ in item.diff())
    assert "+-" not in signs, "what goes stands before what comes"
    assert all(len(line) <= 92 for _, line in item.diff()), "a line is too long for the page"
    assert bool(item.review.mending) == (item.review.verdict == "breaks") == hasattr(item.module, "mended")


def sound(item):
    return "after" if item.review.verdict == "keeps" else "mended"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_a_change_is_what_its_answer_says(item):
    assert truth.faults(item, rng(), audits_of_sound_code=THOROUGH) == []
    if item.review.verdict == "can't be said":
        assert item.review.completions.keys() == {"keeps", "breaks"}


def test_the_completions_that_keep_have_their_exact_loss():
    by_name = {item.name: item for item in ITEMS}
    for name in ("somebody-elses-scaling", "rows-or-people", "whose-neighbours"):
        item = by_name[name]
        more = dict(item.review.completions["keeps"][1])
        tables = [more.pop(which, getattr(item.review, which)) for which in ("data", "neighbour")]
        assert loss(item, "after", *tables, **more) == pytest.approx(1)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_the_stored_runs_say_what_the_answer_says(item):
    rows = RUNS[RUNS["name"] == item.name]
    assert len(rows) == (2 if item.review.verdict == "can't be said" else 1)
    for case, proven in zip(rows["case"], rows["proven"], strict=True):
        breaks = item.review.verdict == "breaks" or case == "breaks"
        assert (proven > item.review.epsilon) == breaks


SUMS = {  # tables under whose neighbours each sound sum must keep its promise, from the empty one to far values
    "bounds-from-the-data": [([1.0], [1.0, 1e9]), ([1.0], [1.0, -1e9])],
    "nine-to-one": [([], [1e9]), ([50.0], [])],
    "a-public-number-of-rows": [([1e9], [-1e9]), ([1.0] * 9 + [1e9], [1.0] * 9 + [0.0])],
    "each-district-the-whole": [([], ["A"]), (["A"], [])],
    "noise-for-one-count": [(["A"], ["B"]), (["B"], ["C"])],
}


@pytest.mark.parametrize("name", SUMS)
def test_sound_sums_are_sound_on_other_tables_too(name):
    (item,) = [item for item in ITEMS if item.name == name]
    for data, neighbour in SUMS[name]:
        assert loss(item, sound(item), data, neighbour) <= 1 + 1e-9


def test_the_computed_losses_agree_with_what_is_known():
    assert gaussian_delta(1.0, 0.0) == pytest.approx(0.3829249, abs=1e-6)  # the normal share within half a deviation
    assert gaussian_delta(2.0, gaussian_epsilon(2.0, 1e-4)) == pytest.approx(1e-4, rel=1e-6)
    # Two candidates: the difference of two Laplace noises of scale 1 is above t with probability (2 + t) exp(-t) / 4.
    behind = [(2 + gap) * np.exp(-gap) / 4 for gap in (5, 3)]
    assert winner_epsilon([5, 0], [4, 1], scale=1) == pytest.approx(np.log(behind[1] / behind[0]), rel=1e-5)
    with pytest.raises(ValueError, match="same scales"):
        additive_loss(lambda table, rng: rng.laplace(scale=len(table)), [1], [1, 2])
