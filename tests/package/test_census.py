"""The embedded census: it is what its maker makes, true to the published counts, and nobody in it is real."""

import gzip
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from real_census import real_census
from thorough import weekly

from dp_helpers.data import CENSUS_DOMAINS, census_features, load_census
from dp_helpers.data.identifiers import EXAMPLE_AGE, MAX_ROWS, attach_identifiers
from dp_helpers.data.loading import EMBEDDED
from tools import make_census as maker

HERE = Path(__file__).parents[1]


TABLES = maker.load_tables()
BANDS = {"Age band": "Age", "Hours band": "Hours per week"}
SIZES = {column: len(values) for column, values in TABLES["values"].items()}
SIZES |= {"Age band": 15, "Hours band": 9, "Capital band": 12}
PUBLISHED = [(step, table) for step in TABLES["steps"] for table in step["tables"]]
EXACT = [(step, table) for step, table in PUBLISHED if table.get("exact")]
NEAR = [(step, table) for step, table in PUBLISHED if not table.get("exact")]


def title(part):
    return " x ".join([*part["given"], ""]) if "given" in part else part["of"]


@pytest.fixture(scope="module")
def census():
    return load_census(EMBEDDED)


@pytest.fixture(scope="module")
def codes(census):
    return as_codes(census)


def as_codes(data):
    """Number the answers of each column, and the bands, by the lists in the published tables."""
    numbered = {}
    for column, values in TABLES["values"].items():
        answers = pd.Index(["?" if value is None else value for value in values])
        given = data[column].fillna("?") if "?" in answers else data[column]
        numbered[column] = answers.get_indexer(given)
        assert numbered[column].min() >= 0, column
    for name, column in BANDS.items():
        edges = [*TABLES["bands"][name]["edges"], np.inf]
        numbered[name] = pd.cut(data[column], edges, right=False, labels=False).to_numpy()
    gain, loss = ([*TABLES["bands"]["Capital band"][kind], np.inf] for kind in ("gain", "loss"))
    gain_band = pd.cut(data["Capital Gain"], gain, right=False, labels=False)
    loss_band = pd.cut(data["Capital Loss"], loss, right=False, labels=False)
    assert not ((gain_band > 0) & (loss_band > 0)).any()
    numbered["Capital band"] = np.where(loss_band > 0, loss_band + len(gain) - 2, gain_band)
    return pd.DataFrame(numbered)


def people_off(codes, step, table):
    """Return half the L1 distance between a published table and the same table of the data."""
    published = np.array(table["counts"])
    # The lines of a table are the combinations of what is given, the last of them changing fastest.
    sizes = [SIZES[column] for column in table["given"]]
    lines = np.ravel_multi_index([codes[column] for column in table["given"]], sizes)
    here = np.zeros_like(published)
    np.add.at(here, (lines, codes[step["of"]].to_numpy()), 1)
    assert here.sum() == published.sum() == 32561
    return np.abs(here - published).sum() // 2


# ------------------------------------------------------------------------------------------- the file


@weekly
def test_the_committed_file_is_what_the_maker_makes():
    assert gzip.decompress(EMBEDDED.read_bytes()) == maker.census_csv(maker.make_census(TABLES))


def test_the_compressed_file_tells_neither_time_nor_name():
    header = EMBEDDED.read_bytes()[:10]
    assert header[3] == 0, "a flag is set, such as that a file name follows"
    assert header[4:8] == bytes(4), "a time is set"


def test_the_maker_leaves_a_file_alone_that_holds_the_right_text(tmp_path, monkeypatch, census, capsys):
    path = tmp_path / "census.csv.gz"
    monkeypatch.setattr(maker, "EMBEDDED", path)
    monkeypatch.setattr(maker, "make_census", lambda tables: census.head())
    maker.main()
    assert "written" in capsys.readouterr().out
    assert gzip.decompress(path.read_bytes()) == maker.census_csv(census.head())
    path.write_bytes(gzip.compress(maker.census_csv(census.head()), compresslevel=1, mtime=0))
    before = path.read_bytes()
    maker.main()
    assert "unchanged" in capsys.readouterr().out
    assert path.read_bytes() == before


# ------------------------------------------------------------------------------------------- counts


def test_counts_that_the_book_names(census):
    assert len(census) == 32561
    assert (census["Age"] > 50).sum() == 6460
    assert census["Occupation"].isna().sum() == 1843
    assert census["Workclass"].isna().sum() == 1836
    assert census["Country"].isna().sum() == 583
    assert census.drop(columns=["Workclass", "Occupation", "Country"]).notna().all(axis=None)


@pytest.mark.parametrize("column", TABLES["values"])
def test_one_way_counts_are_exact(codes, column):
    tables = [table for step, table in PUBLISHED if step["of"] == column] or [TABLES["start"]]
    published = np.atleast_2d(tables[0]["counts"]).sum(axis=0)
    assert np.bincount(codes[column], minlength=len(published)).tolist() == published.tolist()


@pytest.mark.parametrize(("step", "table"), EXACT, ids=title)
def test_tables_marked_exact_are_exact(codes, step, table):
    assert people_off(codes, step, table) == 0


def test_as_many_tables_are_exact_as_the_datasheet_says():
    assert (len(EXACT), len(NEAR)) == (31, 44)


@pytest.mark.parametrize(("step", "table"), NEAR, ids=title)
def test_the_other_tables_are_near(codes, step, table):
    assert people_off(codes, step, table) <= 30


def test_education_num_is_the_level_of_education(census):
    level = {name: number for number, name in enumerate(CENSUS_DOMAINS["Education"], start=1)}
    assert (census["Education"].map(level) == census["Education-Num"]).all()


# ------------------------------------------------------------------------------------------- pairs of columns


@pytest.fixture(scope="module")
def reference():
    table = pd.read_csv(HERE / "census_reference_tvd.csv")
    return {frozenset(pair): tvd for *pair, tvd in zip(table["a"], table["b"], table["tvd"], strict=True)}


def pair_distance(a, b, columns):
    """Return the total-variation distance between two frames in the joint distribution of two columns."""
    counts = [data[columns].fillna("?").value_counts() for data in (a, b)]
    return counts[0].sub(counts[1], fill_value=0).abs().sum() / 2 / len(a)


def test_published_pairs_are_within_the_reference(codes, reference):
    # Where a table is in bands, its distance can only be below that of the exact values.
    checked = 0
    for step, table in PUBLISHED:
        pair = [BANDS.get(column, column) for column in (*table["given"], step["of"])]
        if len(pair) == 2 and "Capital band" not in pair:
            checked += 1
            assert people_off(codes, step, table) / 32561 <= reference[frozenset(pair)] + 1e-12, pair
    assert checked > 50


def test_every_pair_is_within_the_reference(census, reference):
    real = load_census(real_census())
    columns = list(CENSUS_DOMAINS)
    assert len(reference) == 91
    for pair in itertools.combinations(columns, 2):
        assert pair_distance(census, real, list(pair)) <= reference[frozenset(pair)] + 1e-12, pair


# ------------------------------------------------------------------------------------------- nobody is real


@pytest.fixture(scope="module")
def ours_and_theirs(census):
    """The fourteen answers of our rows and of the real ones, as numbers."""
    columns = [*TABLES["values"], "Education"]  # Education-Num says the same once more
    return [as_codes(data)[columns].to_numpy() for data in (census, load_census(real_census()))]


def nearest(rows, others):
    """Return how many answers each row shares with the one among the others that is most like it."""
    return np.array([(others == row).sum(axis=1).max() for row in rows])


def test_place_by_place_our_rows_are_like_the_real_ones_only_by_chance(ours_and_theirs):
    ours, theirs = ours_and_theirs
    shared = (ours == theirs).sum(axis=1).mean()
    any_two = sum(((np.bincount(column) / len(ours)) ** 2).sum() for column in ours.T)  # the mean over all pairs
    assert abs(shared - any_two) < 0.05  # four standard deviations
    assert 6 < shared < 6.5  # the page: "six of their fourteen"


def test_the_first_person_is_no_more_like_the_first_record_than_the_others_are(ours_and_theirs):
    ours, theirs = ours_and_theirs
    shared = (ours == theirs[0]).sum(axis=1)
    assert shared[0] == 5 < np.median(shared)


def test_our_rows_are_as_near_to_real_ones_as_real_ones_are_to_each_other(ours_and_theirs):
    ours, theirs = (rows[np.random.default_rng(1).permutation(len(rows))] for rows in ours_and_theirs)
    tried, others = slice(2000), slice(len(theirs) // 2, None)
    near_ours, near_theirs = nearest(ours[tried], theirs[others]), nearest(theirs[tried], theirs[others])
    assert abs(near_ours.mean() - near_theirs.mean()) < 0.15  # five standard deviations
    assert 12 < near_ours.mean() < 13  # the page: "twelve or thirteen"


# ------------------------------------------------------------------------------------------- income


def accuracy(data):
    """Return the accuracy of logistic regression on the last fifth of the rows, trained on the others."""
    from sklearn.linear_model import LogisticRegression  # here: each process of the tests imports this file

    X, y = census_features(data)
    n = int(0.8 * len(X))
    return LogisticRegression(C=10, max_iter=1000).fit(X[:n], y[:n]).score(X[n:], y[n:])


@weekly
def test_income_is_as_predictable_as_in_the_real_file(census):
    assert abs(accuracy(census) - 0.8489) <= 0.015


def test_the_real_file_has_that_accuracy():
    assert abs(accuracy(load_census(real_census())) - 0.8489) <= 0.005


# ------------------------------------------------------------------------------------------- identifiers


def share_alone(data, columns):
    return (data.groupby(columns)["Age"].transform("size") == 1).mean()


def test_names_and_numbers_are_unique_and_no_number_was_issued(census):
    assert census["Name"].is_unique
    assert census["SSN"].is_unique
    assert census["SSN"].str.fullmatch(r"9\d\d-00-\d{4}").all()
    assert not census["SSN"].str.endswith("0000").any()


def test_date_of_birth_agrees_with_age(census):
    assert (2024 - census["DOB"].dt.year == census["Age"]).all()
    assert census["DOB"].dt.month.nunique() == 12


def test_zip_and_date_of_birth_together_identify_but_neither_alone(census):
    assert census["Zip"].between(10_000, 99_999).all()
    assert 0.15 < share_alone(census, ["DOB"]) < 0.22
    assert 0.60 < share_alone(census, ["Zip"]) < 0.75
    assert share_alone(census, ["DOB", "Zip"]) == 1 - 2 / 32561
    areas = (census["Zip"] // 100).value_counts()
    assert len(areas) == 900
    assert areas.max() > 4 * areas.median(), "some areas are much fuller than others"


def test_the_first_row_is_the_documented_one(census):
    person = census.loc[0]
    assert census.head(1).to_csv(header=False, index=False, lineterminator="\n") == (
        "Nella Quillfeather,1968-05-13,987-00-6543,64823,Private,Assoc-acdm,12,Divorced,Adm-clerical,Unmarried,White,"
        "Female,5,United-States,<=50K,56,0,0\n"
    )
    assert (census["Zip"] == person["Zip"]).sum() == 1
    same_birthday = census[census["DOB"] == person["DOB"]]
    assert len(same_birthday) == 3
    assert sorted(same_birthday["Target"]) == ["<=50K", "<=50K", ">50K"]


def test_identifiers_depend_on_row_and_age_only(census):
    identifying = ["Name", "DOB", "SSN", "Zip"]
    answers = census.drop(columns=identifying)
    other = answers.assign(Sex="Male", Target=">50K", Occupation="Sales").set_index(np.arange(len(answers)) + 7)
    pd.testing.assert_frame_equal(attach_identifiers(other)[identifying], census[identifying])


def test_another_age_keeps_the_name_and_gets_its_own_birthday(census):
    answers = census.drop(columns=["Name", "DOB", "SSN", "Zip"]).head(3)
    older = attach_identifiers(answers.assign(Age=EXAMPLE_AGE + 1))
    assert older.loc[0, "Name"] == "Nella Quillfeather"
    assert (older["DOB"].dt.year == 2024 - EXAMPLE_AGE - 1).all()


def test_identifiers_stay_unique_up_to_the_limit_and_no_further(census):
    answers = census.drop(columns=["Name", "DOB", "SSN", "Zip"])
    many = answers.iloc[np.arange(MAX_ROWS) % len(answers)]
    named = attach_identifiers(many)
    assert named["Name"].is_unique
    assert named["SSN"].is_unique
    with pytest.raises(ValueError, match="at most 300,000 rows, got 300,001"):
        attach_identifiers(answers.iloc[np.arange(MAX_ROWS + 1) % len(answers)])


def test_identifiers_of_nobody(census):
    assert attach_identifiers(census.drop(columns=["Name", "DOB", "SSN", "Zip"]).head(0)).shape == (0, 18)


# ------------------------------------------------------------------------------------------- the maker's parts


@pytest.fixture(scope="module")
def village():
    """800 people in two groupings, and how many of each group gave each of four answers."""
    rng = np.random.default_rng(3)
    groups = [rng.integers(6, size=800), rng.integers(9, size=800)]
    answer = (rng.random((800, 4)) * (1 + (groups[0][:, None] + groups[1][:, None] + np.arange(4)) % 4)).argmax(axis=1)
    targets = [np.zeros((6, 4), dtype=np.int64), np.zeros((9, 4), dtype=np.int64)]
    for group, target in zip(groups, targets, strict=True):
        np.add.at(target, (group, answer), 1)
    return groups, targets


def test_raking_adds_up_to_the_counts(village):
    groups, targets = village
    p = maker.rake(groups, targets, np.ones(800), close=0.01)
    assert p.sum(axis=0) == pytest.approx(1)
    for group, target in zip(groups, targets, strict=True):
        sums = np.array([np.bincount(group, weights=row) for row in p]).T
        assert sums == pytest.approx(target, abs=0.02)


def test_drawing_reaches_all_counts(village):
    groups, targets = village
    codes = maker.draw(groups, targets, np.array([8, 8]), salt=5)
    for group, target in zip(groups, targets, strict=True):
        found = np.zeros_like(target)
        np.add.at(found, (group, codes), 1)
        assert (found == target).all()


def test_drawing_depends_on_the_salt_alone(village):
    groups, targets = village
    first, again, other = (maker.draw(groups, targets, np.array([1, 1]), salt=salt) for salt in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).mean() > 0.2
