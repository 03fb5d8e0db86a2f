"""What chapter 2 says, derived again on both censuses; its short functions against the package."""

import numpy as np
import pandas as pd
import pytest
from chapters.chapter_notebook import read

import dp_helpers as dp
from tools import make_coarse_runs as runs_of

CHAPTER = "02-k-anonymity"

KNOWN = ["Age", "Education", "Marital Status", "Sex"]
TWO = ["Age", "Education-Num"]
AT_WORK = ["Age", "Education", "Occupation", "Sex"]
_FOUND = {}
exec(next(c.source for c in read(CHAPTER).cells if c.source.startswith("kinds = {")), _FOUND)
DEGREES = _FOUND["degrees"]


@pytest.fixture(scope="module")
def release(census):
    return dp.suppress(dp.generalize(census, {"Age": 1}), KNOWN, 10)


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


def test_a_masters_degree_at_twenty_is_alone(census):
    young = census[(census["Age"] == 20) & (census["Education"] == "Masters")]
    assert len(young) == 1


def test_four_facts_single_out_and_two_do_already(census):
    sizes = dp.equivalence_classes(census, KNOWN)
    assert (sizes == 1).sum() > 1_000
    assert dp.k_anonymity(census, TWO) == 1
    possible = census["Age"].nunique() * census["Education"].nunique()
    assert len(census) / possible > 25 and census["Education"].nunique() == 16


# Coarser values.


def test_what_the_slider_of_crowds_shows(page, census):
    page["census"], page["known"], page["degrees"] = census, KNOWN, DEGREES
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
    assert sorted(DEGREES) == sorted(set(census["Education"]))


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
    assert 0 < (top_coded["Age"] != tens["Age"]).sum() < 20  # "changes only their few rows"


# Homogeneity, background knowledge, diversity and closeness.


def test_crowds_that_agree_give_thousands_away(page, release, census):
    """What a larger k achieves: fewer are given away, since many are left out; of the others one in twenty is."""
    assert dp.k_anonymity(release, KNOWN) >= 10
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


def test_a_larger_k_helps_for_a_while(page, census, work):
    figures = {k: 100 * (left_over(page, census, work, k) == 1).mean() for k in (2, 5, 10, 20, 50)}
    assert sorted(figures.values(), reverse=True) == list(figures.values())
    assert figures[2] > 90 and 25 < figures[10] < 35 and figures[50] < 1


def test_each_table_alone_gives_nobody_away(page, census, work):
    for column in ("DOB", "Zip"):
        crowds = page["cut"](census[column], 5)
        assert (work.groupby(crowds).nunique() > 1).all()


# Coarse tables.


def coarse(way, column, release=1):
    runs = dp.load_runs("coarse_runs")
    return runs[(runs["way"] == way) & (runs["release"] == release)].set_index("strength")[column]


def test_what_the_coarse_tables_give_away():
    """Ranges that held for four drawings of the blocks and on the real census, too."""
    rounded, hidden, noise = (coarse(way, "found") for way in ("rounded", "hidden", "noise"))
    town = coarse("town", "found")[0]
    assert rounded[3] > 0.95 and 0.75 < rounded[5] < 0.87 and 0.35 < rounded[10] < 0.5
    assert coarse("swapped", "found")[0.1] > 0.8 and hidden.min() > 0.6
    assert noise.is_monotonic_increasing and noise[1] < rounded[10] < noise[5]  # "at a rho of about 2"
    assert town < 0.2 < noise[0.1]


def test_what_the_second_tables_add():
    for way in ("rounded", "hidden", "noise"):
        assert (coarse(way, "found", 2) > coarse(way, "found") - 0.02).all()
    assert coarse("rounded", "found", 2)[5] > 0.95 and coarse("rounded", "found", 2)[10] < 0.55
    assert coarse("noise", "found", 2)[1] > coarse("noise", "found")[1] + 0.1


def test_rounding_is_worse_where_blocks_are_added_up():
    rounded, noise = coarse("rounded", "error_4000")[10], coarse("noise", "error_4000")
    assert coarse("rounded", "error_40")[10] < coarse("noise", "error_40")[2]
    assert rounded > 3 * noise[2] and (round(rounded), round(noise[2])) == (114, 31)  # "114 people against 31"
    small = coarse("noise", "error_40")
    assert noise[2] / small[2] == pytest.approx(10, rel=0.1)  # the root of a hundred blocks
    assert rounded / coarse("rounded", "error_40")[10] > 25
    assert small[2] == pytest.approx(coarse("town", "error_40")[0], rel=0.1)  # "a guess from the town alone"


def test_the_stored_attack_is_the_programs(census):
    """One way to publish, again: the file is what tools/make_coarse_runs.py writes."""
    town = runs_of.answers(census)
    rng = np.random.default_rng(np.random.SeedSequence(2))
    row = runs_of.scored("rounded", 5, 1, runs_of.blocks_of(census, town, rng), town, 2)
    assert row["found"] == pytest.approx(coarse("rounded", "found")[5], abs=0.03)
    assert row["error_4000"] == pytest.approx(coarse("rounded", "error_4000")[5], rel=1e-3)


def test_what_stays_in_another_town_and_what_doesnt():
    runs = dp.load_runs("coarse_towns")
    assert runs.groupby("town")["seed"].nunique().tolist() == [4, 4]
    found = runs.set_index(["way", "strength", "release"]).sort_index()["found"]
    assert found["rounded", 5, 1].between(0.78, 0.86).all() and found["rounded", 5, 2].min() > 0.93
    for _, rows in runs[runs["release"] == 1].groupby(["town", "seed"]):
        one = rows.set_index(["way", "strength"])["found"]
        rounded = one["rounded", 10]
        assert min(abs(rounded - one["noise", 1]), abs(rounded - one["noise", 2])) < 0.05 < one["noise", 10] - rounded
    alone, hidden = (runs[runs["way"] == way].groupby("town")["found"] for way in ("town", "hidden"))
    assert alone.max()["the same"] < 0.2 and alone.min()["another"] > 0.3  # "a third"
    assert hidden.max()["the same"] < hidden.min()["another"]


def test_the_other_town_is_the_programs(census):
    people, town = runs_of.young_town(census)
    assert (people["Age"] < 30).mean() > 1.5 * (census["Age"] < 30).mean()
    blocks = runs_of.blocks_of(people, town, np.random.default_rng(np.random.SeedSequence(3)))
    row = runs_of.scored("noise", 1, 2, blocks, town, 3)
    runs = dp.load_runs("coarse_towns").set_index(["town", "seed", "way", "strength", "release"])
    assert row["found"] == pytest.approx(runs.loc[("another", 3, "noise", 1, 2), "found"], abs=0.03)


def test_no_hidden_number_is_what_a_sum_leaves_over():
    rng = np.random.default_rng(204)
    for below in (5, 10):
        counts = runs_of.QUERIES @ rng.multinomial(40, np.full(64, 1 / 64))
        hide = runs_of.hidden(counts, below, len(runs_of.ALL))
        assert hide[counts < below].all()
        for line in runs_of.SUMS:
            assert sum(hide[cell] for cell in line if cell is not None) != 1


def test_three_rounded_numbers_leave_three_possibilities():
    def near(n):
        return 5 * round(n / 5)

    fits = [(m, w) for m in range(20) for w in range(20) if near(m) == near(w) == near(m + w) == 5]
    assert fits == [(3, 3), (3, 4), (4, 3)]


# The bug.


def test_five_figures_of_two_firms_each_give_every_firm_away(page):
    staff, pairs = np.array([39, 22, 13, 32]), [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3]]
    page["firms"] = list(range(4))
    for own in (staff, np.array([5, 0, 90, 1])):
        page["staff"] = own
        assert page["solved"](pairs) == pytest.approx(own)
    page["staff"] = staff
    fits = [a for a in range(62) if min(61 - a, 52 - a, 45 - (52 - a), 54 - (61 - a)) >= 0]
    assert (min(fits), max(fits)) == (7, 52)  # "almost any number"
    assert np.abs(page["solved"](pairs[:4]) - staff).max() > 1  # without that figure there are many solutions
