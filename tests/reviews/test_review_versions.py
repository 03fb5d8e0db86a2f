"""Drawn changes are what their answers say, in every family; a set of ten tells its verdicts by nothing else."""

import collections
import functools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from thorough import THOROUGH

from reviews import check, truth
from reviews.review import KINDS, VERDICTS, load
from reviews.sheet import texts
from reviews.versions import draw_ten, filled, load_families, make

FAMILIES = load_families()
FORMS = [(family, form) for family in FAMILIES for form in family.FORMS]
each_form = pytest.mark.parametrize(("family", "form"), FORMS, ids=lambda part: getattr(part, "__name__", part))


@functools.cache
def sets():
    """Return forty sets; made when they are needed, as each process of the tests reads this."""
    return [draw_ten(np.random.default_rng(seed)) for seed in range(40)]


def versions(family, form, seeds):
    return [make(family, form, np.random.default_rng(seed)) for seed in range(seeds)]


@each_form
def test_a_version_is_what_its_answer_says(family, form):
    for seed, version in enumerate(versions(family, form, 12 if THOROUGH else 2)):
        assert version.review.verdict == form
        assert truth.faults(version, np.random.default_rng(seed)) == []


@each_form
def test_a_wrong_answer_would_be_found(family, form):
    (version,) = versions(family, form, 1)
    if form == "can't be said":
        swapped = dict(zip(("breaks", "keeps"), version.review.completions.values(), strict=True))
        lie = replace(version, review=replace(version.review, completions=swapped))
    else:
        other = "keeps" if form == "breaks" else "breaks"
        lie = replace(version, review=replace(version.review, verdict=other))
        if other == "breaks":
            lie.module.mended = lie.module.after
    try:
        assert truth.faults(lie, np.random.default_rng(1))
    except ValueError as error:  # one noise for several numbers: no sum is the loss
        assert "same scales to each number" in str(error)


@each_form
def test_a_version_is_short_and_has_its_line(family, form):
    for version in versions(family, form, 6):
        new = [line.strip() for sign, line in version.diff() if sign != "-"]
        assert 5 <= len(version.diff()) <= 15 and all(len(line) <= 92 for _, line in version.diff())
        assert {*version.review.lines, *version.review.also} <= {*new}
        assert (len(version.right_lines()) < len(new) - 1) == (form != "keeps")
        assert version.review.kind in KINDS and bool(version.review.mending) == (form == "breaks")
        shown = " ".join([version.title, version.review.unit, version.review.public, *new])
        assert not re.search(
            r"[{}]|\b(BOUND|TOP|MOST|CAP|RATE|HOURS|LIMIT|PARTS|FIRST|SECOND)\b", shown.replace("{}", "")
        )


def test_a_set_has_ten_families_and_all_verdicts():
    for drawn in sets():
        count = collections.Counter(version.review.verdict for version in drawn)
        assert len({version.name for version in drawn}) == 10 and count.keys() == set(VERDICTS)
        assert 4 <= count["breaks"] <= 6 and 1 <= count["can't be said"] <= 2 and count["keeps"] >= 2


def test_neither_family_nor_words_of_the_author_nor_place_tell_the_verdict():
    said, places = collections.defaultdict(set), collections.defaultdict(collections.Counter)
    for drawn in sets():
        for place, version in enumerate(drawn):
            said[version.name].add(version.review.verdict)
            words = re.sub(r"[\d,.]+", "0", version.review.change)
            said[version.name, words].add(version.review.verdict)
            places[place][version.review.verdict] += 1
    # The author of one family names its things, so some sentences occur in few sets.
    assert all(len(verdicts) > 1 for key, verdicts in said.items() if isinstance(key, str))
    alone = [key for key, verdicts in said.items() if not isinstance(key, str) and len(verdicts) == 1]
    assert len(alone) <= 0.2 * len(said), alone
    assert all(len(count) == 3 for count in places.values())


def test_a_gap_alone_tells_no_verdict():
    for seed in range(10):
        drawn = texts(np.random.default_rng(seed))
        missing = [name for name, text in drawn.items() if re.search(r"isn't (in the change|said|known|written)", text)]
        assert sum(name.startswith("change_") for name in missing) >= 4


def test_the_seed_alone_draws_the_sheet():
    one, again, other = (texts(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one == again and one.keys() == other.keys()
    assert not {text for name, text in one.items() if name.startswith("change")} & set(other.values())


def test_no_version_is_a_public_change_in_other_words():
    """Neither title nor story, and of the new code fewer than half of the lines, once names and numbers are alike."""

    def shape(item):
        code = [line.strip() for sign, line in item.diff() if sign != "-" and not line.startswith("def ")]
        return {
            re.sub(r"[A-Za-z_]+|[\d_.]+", lambda found: "n" if found[0][0].isdigit() else "a", line) for line in code
        }

    public = [(item, shape(item)) for item in load()]
    for drawn in sets()[:10]:
        for version in drawn:
            mine = shape(version)
            for item, theirs in public:
                assert version.title != item.title
                assert len(mine & theirs) <= 0.5 * len(mine | theirs), (version.name, item.name, mine & theirs)


def test_stand_in_names_are_replaced_as_whole_words_alone():
    assert filled("rows = narrows(rows, TOP)", {"rows": "trips", "TOP": 9}) == "trips = narrows(trips, 9)"


def test_the_weekly_run_is_red_where_an_answer_is_wrong(capsys):
    (version,) = versions(FAMILIES[0], "keeps", 1)
    assert check.main([("right, seed 1", version)]) == 0
    other = replace(version, review=replace(version.review, verdict="breaks"))
    other.module.mended = other.module.after
    assert check.main([("right, seed 1", version), ("wrong, seed 1", other)]) == 1
    assert "wrong, seed 1: the change isn't convicted" in capsys.readouterr().out
    assert check.main([]) == 1
    assert len([*check.everything()]) == 3 * 30 + check.VERSIONS * len(FORMS)


def test_the_guide_says_how_many_there_are():
    guide = " ".join((Path(__file__).parents[2] / "assignments" / "README.md").read_text(encoding="utf-8").split())
    assert len(FAMILIES) == 13 and "which of the thirteen families of `reviews/families`" in guide
    assert f"`make reviews-check` tries {check.VERSIONS * len(FORMS)} of them" in guide
