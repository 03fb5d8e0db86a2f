"""What chapter 2 says, derived again on both censuses; its short functions against the package."""

import itertools

import numpy as np
import pandas as pd
import pytest
from chapters.chapter_notebook import read
from labs.chapter_02 import DEGREES, KNOWN, UNIONS, level

import dp_helpers as dp

CHAPTER = "02-k-anonymity"

TWO = ["Age", "Education-Num"]
AT_WORK = ["Age", "Education", "Occupation", "Sex"]


@pytest.fixture(scope="module")
def release(census):
    return dp.suppress(dp.generalize(census, {"Age": 1}), KNOWN, 10)


@pytest.fixture(scope="module")
def ladder(census):
    tables = [census[KNOWN], dp.generalize(census[KNOWN], {"Age": 1})]
    tables.append(dp.generalize_hierarchy(tables[1], {"Education": level(DEGREES)}))
    tables.append(dp.generalize_hierarchy(tables[2], {"Marital Status": level(UNIONS)}))
    return [*tables, tables[3].assign(Age=census["Age"] // 20 * 20), tables[3].assign(Age="any")]


@pytest.fixture(scope="module")
def work(census):
    hours = census["Hours per week"].astype(str)
    return census["Occupation"].fillna("none") + ", " + hours + ", " + census["Target"]


# The page's short versions against the package.


def test_the_pages_check_is_the_packages(page):
    rng = np.random.default_rng(201)
    for rows, values in [(1, 3), (20, 2), (200, 3), (200, 40)]:
        data = pd.DataFrame(rng.integers(0, values, size=(rows, 2)), columns=["a", "b b"])
        data["c"] = rng.choice(["x", "y"], size=rows)
        for columns in (["a"], ["a", "c"], ["a", "b b", "c"]):
            k = dp.k_anonymity(data, columns)
            assert page["k_by_classes"](data, columns) == k


def test_the_pages_cut_is_anonymous_and_as_fine_as_possible(page):
    rng = np.random.default_rng(203)
    for k in (1, 2, 5, 10):
        values = pd.Series(rng.integers(0, 60, size=100))
        crowds = page["cut"](values, k)
        sizes = crowds.value_counts()
        assert sizes.min() >= k
        assert crowds[values.sort_values().index].is_monotonic_increasing  # intervals
        assert (values.groupby(crowds).nunique() > 0).all()
        # As many intervals as dynamic programming finds.
        counts = values.value_counts().sort_index().tolist()
        best = [0] + [-np.inf] * len(counts)
        for end in range(1, len(counts) + 1):
            fits = [best[start] + 1 for start in range(end) if sum(counts[start:end]) >= k]
            best[end] = max(fits, default=-np.inf)
        assert len(sizes) == best[-1]


# Who is alone; what checking costs.


def test_four_facts_single_out_and_two_do_already(census):
    sizes = dp.equivalence_classes(census, KNOWN)
    assert (sizes == 1).sum() > 1_000
    assert dp.k_anonymity(census, TWO) == 1
    possible = census["Age"].nunique() * census["Education"].nunique()
    assert len(census) / possible > 25 and census["Education"].nunique() == 16


# Coarser values.


def test_what_the_slider_of_crowds_shows(page, census):
    page["census"], page["known"], page["degrees"] = census, KNOWN, level(DEGREES)
    alone = {
        (years, schooling): (page["sizes_of_crowds"](years, schooling) == 1).sum()
        for years in (5, 8, 50, 100)
        for schooling in ("exact", "four kinds")
    }
    assert alone[5, "exact"] > len(census) / 100 > alone[8, "exact"]
    assert alone[100, "exact"] > 0 == alone[100, "four kinds"]
    assert page["sizes_of_crowds"](100, "four kinds").min() == 2
    assert alone[50, "four kinds"] == 1  # "because of a single person"
    assert census["Age"].max() < 100


def test_what_the_numbers_of_schooling_mean(census):
    names = dict(zip(census["Education-Num"], census["Education"], strict=True))
    assert (names[1], names[9], names[10], names[16]) == ("Preschool", "HS-grad", "Some-college", "Doctorate")
    assert sorted(level(DEGREES)) == sorted(set(census["Education"]))
    assert sorted(level(UNIONS)) == sorted(set(census["Marital Status"]))


def test_the_pages_hierarchies_are_these():
    cell = next(c.source for c in read(CHAPTER).cells if c.source.startswith("kinds = {"))
    found = {}
    exec(cell, found)
    assert found["degrees"] == level(DEGREES) and found["unions"] == level(UNIONS)


def test_outliers_and_top_coding(census):
    depths = {"Age": 1, "Education-Num": 1}
    first = census.head(500)
    tens = dp.generalize(first, depths)
    assert dp.k_anonymity(tens, TWO) == 1
    sizes = dp.equivalence_classes(tens, TWO)
    assert (sizes.tail(4) < 10).all() and (sizes.tail(4).index.get_level_values("Age") >= 70).all()
    top_coded = dp.generalize(first.assign(Age=first["Age"].clip(upper=60)), depths)
    assert dp.k_anonymity(top_coded, TWO) >= 7
    assert (first["Age"] > 60).sum() < 50
    assert 0 < (top_coded["Age"] != tens["Age"]).sum() < 20  # "changes only a few of them"


# What is paid.


def test_the_pages_loss_is_the_share_of_other_values(page, ladder):
    losses = [page["loss"](ladder[0], table) for table in ladder]
    assert (losses[0] == 0).all()
    assert losses[5].min() >= 1 / 4  # an age that says nothing loses its whole cell
    for lower, higher in itertools.pairwise(losses[1:4]):
        assert (higher >= lower - 1e-12).all()
    # One row by hand: an age in its twenties, a high-school diploma, never married.
    ages = ladder[0]["Age"].nunique()
    row = np.flatnonzero(ladder[1]["Age"] == 20)[0]
    assert losses[1].iloc[row] == pytest.approx(9 / (ages - 1) / 4)


def test_the_best_depth_moves_with_k(page, ladder):
    losses = [page["loss"](ladder[0], table) for table in ladder]
    sizes = [table.groupby(KNOWN)["Sex"].transform("size") for table in ladder]
    out = {(k, d): (sizes[d] < k).mean() for k in (2, 20, 28, 39, 50, 200) for d in range(6)}
    total = {(k, d): out[k, d] + (losses[d] * (sizes[d] >= k)).mean() for k, d in out}

    def best(k):
        return min(range(6), key=lambda d: total[k, d])

    assert (best(2), best(50), best(200)) == (1, 3, 4)
    assert total[2, 0] == pytest.approx(out[2, 0]) and 0.04 < out[2, 0] < 0.07  # "about six people in a hundred"
    # "From about k = 28 on": the slider's stops on either side of it are 20 and 39.
    assert out[20, 0] < 0.47 < out[28, 0] < 0.53 < out[39, 0]


def test_what_the_slider_says_is_seen(page, ladder):
    page["ladder"], page["losses"], page["known"] = ladder, [page["loss"](ladder[0], table) for table in ladder], KNOWN
    for k in (2, 10, 200):
        rows, values = page["paid"](k)
        kept = [len(dp.suppress(table, KNOWN, k)) for table in ladder]
        assert rows == pytest.approx(100 * (1 - np.array(kept) / len(ladder[0])))
        assert f"the lowest stands at depth {(rows + values).argmin()}" in page["what_is_seen"](k)
    assert "k = 2; the lowest stands at depth 1" in page["what_is_seen"](2)


# Homogeneity, background knowledge, diversity and closeness.


def test_crowds_that_agree_give_thousands_away(page, release, census):
    """What a larger k achieves: fewer are given away, since many are left out; of the others one in twenty is."""
    assert dp.is_k_anonymous(release, KNOWN, 10)
    given_away, left_out = [], []
    for k in (10, 50, 100):
        table = dp.suppress(release, KNOWN, k)
        agree = table.groupby(KNOWN)["Target"].transform("nunique") == 1
        given_away.append(agree.sum())
        left_out.append(1 - len(table) / len(census))
        page["known"] = KNOWN
        assert page["agreeing"](table)["people"].sum() == agree.sum()
    assert given_away[0] > given_away[1] > given_away[2] > 1_000
    assert left_out[0] < left_out[1] < left_out[2] and left_out[2] == pytest.approx(1 / 3, abs=0.03)
    assert given_away[2] / len(table) == pytest.approx(1 / 20, abs=0.005)
    assert page["agreeing"](release)["people"].iloc[0] > 200


def test_more_knowledge_settles_more_occupations(release):
    different = release.fillna({"Occupation": "none"}).groupby(KNOWN)["Occupation"].transform("nunique")
    settled = [(different <= facts + 1).sum() for facts in range(5)]
    assert settled == sorted(settled) and 0 <= settled[0] < settled[1] < settled[4] < len(release)


# Two releases.


def left_over(page, census, secret, k):
    """Return what the page counts, person by person, with another method: codes and a membership test."""
    births, homes = (page["cut"](census[column], k) for column in ("DOB", "Zip"))
    codes = secret.factorize()[0]
    at_home = np.unique(homes.to_numpy() * (codes.max() + 1) + codes)
    born = pd.DataFrame({"birth": births, "code": codes}).drop_duplicates()
    pairs = pd.DataFrame({"person": np.arange(len(census)), "birth": births, "home": homes}).merge(born, on="birth")
    both = np.isin(pairs["home"] * (codes.max() + 1) + pairs["code"], at_home)
    return np.bincount(pairs["person"], weights=both).astype(int)


def test_two_tables_give_most_people_away(page, census, work):
    assert work.nunique() > 1_000  # "over a thousand different triples"
    for column in ("DOB", "Zip"):
        table = census.assign(Crowd=page["cut"](census[column], 5), Secret=work)
        assert dp.k_anonymity(table, "Crowd") >= 5 and dp.l_diversity(table, "Crowd", "Secret") >= 2
    common = left_over(page, census, work, 5)
    assert common.min() >= 1  # the secret itself is always in both
    assert 0.6 < (common == 1).mean() < 0.85  # "more than half"
    page["census"] = census
    assert (page["left_over"](work, 5) == common).all()


def test_a_larger_k_helps_the_more_the_fewer_secrets_there_are(page, census, work):
    figures = {k: 100 * (left_over(page, census, work, k) == 1).mean() for k in (2, 5, 10, 20, 50)}
    assert sorted(figures.values(), reverse=True) == list(figures.values())
    assert figures[2] > 90 and 25 < figures[10] < 35 and figures[50] < 1
    job = census["Occupation"].fillna("none")
    alone = {k: 100 * (left_over(page, census, job, k) == 1).mean() for k in figures}
    assert all(alone[k] < figures[k] for k in (2, 5, 10, 20)) and alone[10] < 2


def test_each_table_alone_gives_nobody_away(page, census, work):
    for column in ("DOB", "Zip"):
        crowds = page["cut"](census[column], 5)
        assert (work.groupby(crowds).nunique() > 1).all()


# The bug and the ledger.


def test_the_bug_keeps_people_who_are_alone(page, census):
    tens = dp.generalize(census, {"Age": 1})
    kept = page["without_small_crowds"](tens, AT_WORK, 5)
    assert kept.groupby(AT_WORK).size().min() >= 5  # what its author tests
    sizes = dp.equivalence_classes(kept, AT_WORK)
    assert sizes.min() == 1 and (sizes == 1).sum() > 20
    alone = sizes[sizes == 1].index.to_frame()
    assert alone["Occupation"].isna().all()
    right = dp.suppress(tens, AT_WORK, 5)
    assert dp.k_anonymity(right, AT_WORK) >= 5
    pd.testing.assert_frame_equal(dp.suppress(kept, AT_WORK, 5), right)
    # Without missing values it does what it says.
    complete = tens.dropna(subset=["Occupation"])
    pd.testing.assert_frame_equal(page["without_small_crowds"](complete, AT_WORK, 5), dp.suppress(complete, AT_WORK, 5))
