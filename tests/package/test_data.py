"""Reading a census, turning it into features, and fetching the real one.  Nobody in the samples is real."""

import bz2
import gzip
import hashlib
import http.client
import io
import lzma
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from real_census import real_census

import dp_helpers as dp
from dp_helpers.data import CENSUS_DOMAINS, census_features, download_uci_adult, load_census
from dp_helpers.data.codebook import CENSUS_COLUMNS, IDENTIFYING_COLUMNS, MAY_BE_MISSING, UCI_COLUMNS
from dp_helpers.data.download import ADULT_SHA256
from dp_helpers.data.loading import EMBEDDED

# Two invented records in the form of adult.data; the second lacks three answers.
UCI = (
    "56, State-gov, 123456, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Female, "
    "0, 0, 40, United-States, <=50K\n"
    "33, ?, 234567, 10th, 6, Divorced, ?, Unmarried, Other, Male, 99999, 4356, 99, ?, >50K\n"
)
CSV = (
    ",".join(CENSUS_COLUMNS) + "\n"
    "Ada Nobody,1968-05-13,987-00-6543,64823,State-gov,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,"
    "Female,40,United-States,<=50K,56,0,0\n"
    "Bob Nobody,1991-12-31,900-00-0001,10000,,10th,6,Divorced,,Unmarried,Other,Male,99,,>50K,33,99999,4356\n"
)


@pytest.fixture(autouse=True)
def no_census_named(monkeypatch):
    monkeypatch.delenv("DP_CENSUS", raising=False)


@pytest.fixture
def written(tmp_path):
    def write(content, name="census.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# ------------------------------------------------------------------------------------------- load_census


def test_the_embedded_census_passes_every_check_of_a_file():
    pd.testing.assert_frame_equal(load_census(), load_census(EMBEDDED))


def text_dtype():
    return pd.Series(["text"]).dtype  # str in pandas 3, object in pandas 2


def assert_form(data):
    assert tuple(data.columns) == CENSUS_COLUMNS
    assert data.index.equals(pd.RangeIndex(len(data)))
    whole = ["Zip", *(column for column, domain in CENSUS_DOMAINS.items() if isinstance(domain, range))]
    for column, dtype in data.dtypes.items():
        if column == "DOB":
            assert dtype == pd.to_datetime(pd.Series(["1968-05-13"])).dtype
        else:
            assert dtype == (np.dtype("int64") if column in whole else text_dtype()), column
    for column in MAY_BE_MISSING:
        assert all(isinstance(value, (str, float)) for value in data[column])


def test_form_of_the_embedded_census():
    assert_form(load_census())


def test_each_call_gives_a_fresh_frame():
    first = load_census()
    first["Age"] = 0
    first.loc[0, "Name"] = "Somebody Else"
    assert load_census().loc[0, ["Name", "Age"]].tolist() == ["Nella Quillfeather", 56]


def test_uci_records_get_identifiers(written):
    data = load_census(written(UCI))
    assert_form(data)
    assert data.loc[0, ["Name", "SSN", "Zip"]].tolist() == ["Nella Quillfeather", "987-00-6543", 64823]
    assert data.loc[1, ["Name", "Zip"]].tolist() == load_census().loc[1, ["Name", "Zip"]].tolist()
    assert data["DOB"].dt.year.tolist() == [1968, 1991]
    records = pd.DataFrame([line.split(", ") for line in UCI.splitlines()], columns=UCI_COLUMNS)
    answers = data[list(CENSUS_DOMAINS)].fillna("?").astype(str)
    assert answers.to_numpy().tolist() == records[list(CENSUS_DOMAINS)].to_numpy().tolist()


@pytest.mark.parametrize(
    "variant",
    [
        UCI + "\n",  # adult.data ends in a blank line
        "|1x3 Cross validator\n" + UCI.replace("50K", "50K.") + "\n",  # adult.test
        UCI.rstrip("\n"),
        UCI.replace("\n", "\r\n"),
        UCI.replace(", ", ","),
    ],
    ids=["adult.data", "adult.test", "no line end", "Windows line ends", "no spaces"],
)
def test_variants_of_uci_records(written, variant):
    pd.testing.assert_frame_equal(load_census(written(variant, "variant")), load_census(written(UCI)))


KAGGLE = (
    "age,workclass,fnlwgt,education,education.num,marital.status,occupation,relationship,race,sex,"
    "capital.gain,capital.loss,hours.per.week,native.country,income\n"
)
OPENML = KAGGLE.replace(".", "-").replace("income", "class")
UNDERSCORES = KAGGLE.replace(".", "_").replace("sex", "gender").replace("income", "salary")
WORDS = (
    "Age, Workclass, Final Weight, Education, Educational-Num, Marital Status, Occupation, Relationship, Race, Gender, "
    "Capital Gain, Capital Loss, Hours per week, Native Country, Label\n"
)


def zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, UCI)
    return file.getvalue()


def reordered(text, places):
    """Return the text of a file with the columns of these places."""
    rows = [line.split(",") for line in text.splitlines()]
    return "".join(",".join(row[place] for place in places) + "\n" for row in rows)


WITHOUT_WEIGHT = [0, 1, *range(3, 15)]
WITHOUT_RACE = [*range(8), *range(9, 15)]
LOSS_BEFORE_GAIN = [*range(10), 11, 10, 12, 13, 14]  # as in one that is public


@pytest.mark.parametrize(
    "content",
    [
        KAGGLE + UCI,
        KAGGLE + UCI.replace(", ", ","),
        OPENML + UCI,
        UNDERSCORES + UCI,
        WORDS + UCI,
        "\ufeff" + KAGGLE + UCI,
        reordered(KAGGLE + UCI, WITHOUT_WEIGHT),
        reordered(KAGGLE + UCI, LOSS_BEFORE_GAIN),
        '"' + KAGGLE.replace(",", '","').replace("\n", '"\n') + UCI,
        UCI.replace(", ", " ,").replace("\n", " \n"),
        UCI.replace("?", "NaN"),
        KAGGLE + UCI.replace(" ?", ""),
        UCI.replace("<=50K\n", "<=50K\n|1x3 Cross validator\n"),
        zipped("adult.data"),
        bz2.compress(UCI.encode()),
        lzma.compress(UCI.encode()),
    ],
    ids=[
        "Kaggle", "Kaggle without spaces", "OpenML", "underscores", "words", "byte order mark", "no fnlwgt",
        "loss before gain", "quoted header", "spaces before commas", "NaN", "empty", "bar line inside", "zip",
        "bz2", "xz",
    ],
)  # fmt: skip
def test_adult_as_people_have_it(written, content):
    pd.testing.assert_frame_equal(load_census(written(content, "adult.csv")), load_census(written(UCI)))


def test_data_and_test_joined_in_one_file(written):
    joined = load_census(written(UCI + "\n|1x3 Cross validator\n" + UCI.replace("50K", "50K.") + "\n"))
    assert_form(joined)
    answers = joined[list(CENSUS_DOMAINS)]
    assert answers[:2].fillna("?").to_numpy().tolist() == answers[2:].fillna("?").to_numpy().tolist()


def test_a_path_in_the_home_folder(written, tmp_path, monkeypatch):
    written(UCI, "adult.data")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert len(load_census("~/adult.data")) == 2
    monkeypatch.setenv("DP_CENSUS", "~/adult.data")
    assert len(load_census()) == 2


def test_the_real_file_with_a_header_is_the_same(written):
    content = real_census().read_text(encoding="utf-8")
    pd.testing.assert_frame_equal(load_census(written(KAGGLE + content)), load_census(real_census()))


def test_a_csv_file_of_the_same_form(written):
    data = load_census(written(CSV))
    assert_form(data)
    assert data["Name"].tolist() == ["Ada Nobody", "Bob Nobody"]
    assert data["DOB"].tolist() == [pd.Timestamp("1968-05-13"), pd.Timestamp("1991-12-31")]
    assert data.loc[1, list(MAY_BE_MISSING)].isna().all()


def test_variants_of_a_csv_file(written):
    expected = load_census(written(CSV))
    quoted = "\n".join(",".join(f'"{field}"' for field in line.split(",")) for line in CSV.splitlines())
    turned = "\n".join(",".join(reversed(line.split(","))) for line in CSV.splitlines())
    packed = gzip.compress(CSV.encode())
    in_parts = gzip.compress(CSV[:300].encode()) + gzip.compress(CSV[300:].encode())  # as `cat` makes of two files
    for variant in (quoted, turned, "\ufeff" + CSV, packed, in_parts):
        pd.testing.assert_frame_equal(load_census(written(variant, "variant")), expected)


def test_what_is_saved_reads_back_the_same(tmp_path):
    data = load_census().sample(500, random_state=1).reset_index(drop=True)
    data.to_csv(tmp_path / "some.csv.gz", index=False)
    pd.testing.assert_frame_equal(load_census(tmp_path / "some.csv.gz"), data)


def test_a_column_may_be_missing_throughout(written):
    nowhere = UCI.replace("United-States", "?")
    assert load_census(written(nowhere))["Country"].dtype == text_dtype()
    assert load_census(written(nowhere))["Country"].isna().all()


def test_environment_variable_names_the_census(written, monkeypatch):
    monkeypatch.setenv("DP_CENSUS", str(written(UCI, "uci")))
    assert len(load_census()) == 2
    assert load_census(written(CSV)).loc[0, "Name"] == "Ada Nobody", "a path goes before the variable"
    monkeypatch.setenv("DP_CENSUS", "")
    assert len(load_census()) == 32561
    monkeypatch.setenv("DP_CENSUS", "nowhere.csv")
    with pytest.raises(FileNotFoundError, match=r"DP_CENSUS must name a file; there is none at nowhere\.csv"):
        load_census()


def test_the_real_file_loads_whole():
    data = load_census(real_census())
    assert_form(data)
    assert len(data) == 32561
    assert data.drop(columns=list(MAY_BE_MISSING)).notna().all(axis=None)
    assert (data["Age"] > 50).sum() == 6460
    assert data["Name"].is_unique
    assert data["SSN"].is_unique
    assert (data["DOB"].dt.year + data["Age"] == 2024).all()
    pd.testing.assert_series_equal(data.dtypes, load_census().dtypes)


# ------------------------------------------------------------------------------------------- bad files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the file is empty"),
        ("\n\n", "line 1: the file is empty"),
        ("|1x3 Cross validator\n", "line 1: the file is empty"),
        (CSV.splitlines(keepends=True)[0], "line 2: no record follows the header"),
        ("," + KAGGLE + UCI, "line 1: column '' is none of Age, Workclass"),
        ("Unnamed: 0," + KAGGLE + UCI, "is it an index that to_csv wrote? Save with index=False"),
        (KAGGLE.replace("race", "age") + UCI, "line 1: column 'Age' is twice there"),
        (reordered(KAGGLE + UCI, WITHOUT_RACE), "line 1: column 'Race' is not there"),
        (KAGGLE.replace("race", "colour") + UCI, "line 1: column 'colour' is none of Age, Workclass"),
        (KAGGLE, "line 2: no record follows the header"),
        ((KAGGLE + UCI).replace(",", ";"), "separated by commas, got 'age;workclass"),
        (zipped("adult.data", "adult.test"), "a ZIP file of 2 files ('adult.data, adult.test'); unpack it, and give"),
        (zipped("adult.data")[:-30], "line unknown: the compressed data is damaged ("),
        (bz2.compress(UCI.encode())[:-8], "line unknown: the compressed data is damaged or cut off ("),
        (lzma.compress(UCI.encode())[:-8], "line unknown: the compressed data is damaged or cut off ("),
        (CSV.replace("1968-05-13", "9/7/1967"), "as in the file adult_with_pii.csv of another book, which is no"),
        (b"\x89PNG\r\n\x1a\n", "line 1: not UTF-8 text (byte 0x89)"),
        (UCI.encode() + b"\xff\xfe", "line 3: not UTF-8 text (byte 0xff)"),
        ("<!DOCTYPE html>\n<html>\n", "line 1: must be a header with the columns of the census (Name, DOB, …) or of"),
        (CSV.split("\n", 1)[1], "line 1: must be a header"),
        (CSV.replace(",Zip", ""), "line 1: column 'Zip' is not there"),
        (CSV.replace("SSN", "Age"), "line 1: column 'SSN' is not there"),
        (CSV.replace("Name,", "Name,Name,"), "line 1: column 'Name' is twice there"),
        ("," + CSV, "line 1: column '' is none of Name, DOB"),
        (UCI[: UCI.rindex(", 99,")], "line 2, column 'Hours per week': missing, the line ends early (12 fields for"),
        (UCI[:-2], "line 2, column 'Target': must be one of <=50K, >50K, got '>50'"),
        (CSV[: CSV.rindex(",Other")], "line 3, column 'Race': missing, the line ends early (10 fields for 18 columns)"),
        (UCI.replace("<=50K", "<=50K, 7"), "line 1, column 'Target': something follows this last column (16 fields"),
        ("\n" + UCI.replace("33", "young"), "line 3, column 'Age': must be a whole number from 17 to 90, got 'young'"),
        (UCI.replace("33", "16"), "line 2, column 'Age': must be a whole number from 17 to 90, got '16'"),
        (UCI.replace("33", "3_3"), "line 2, column 'Age': must be a whole number from 17 to 90, got '3_3'"),
        (UCI.replace("56", "?"), "line 1, column 'Age': must be a whole number from 17 to 90, got '?'"),
        (UCI.replace("234567", "x"), "line 2, column 'fnlwgt': must be a whole number from 0 to 2147483647, got 'x'"),
        (UCI.replace("Male", "male"), "line 2, column 'Sex': must be one of Female, Male, got 'male'"),
        (UCI.replace("Male", "?"), "line 2, column 'Sex': must be one of Female, Male, got '?'"),
        (CSV.replace("Bob Nobody", ""), "line 3, column 'Name': must be a name, got ''"),
        (CSV.replace("900-00-0001", "900000001"), "line 3, column 'SSN': must be a number such as 987-00-6543, got"),
        (CSV.replace("1991-12-31", "31.12.1991"), "line 3, column 'DOB': must be a date of 1900 to 2099 such as 1968"),
        (CSV.replace("1991-12-31", "1991-02-29"), "line 3, column 'DOB': must be a date"),
        (CSV.replace("1991-12-31", "19911231"), "line 3, column 'DOB': must be a date"),
        (CSV.replace("1991-12-31", "0001-12-31"), "line 3, column 'DOB': must be a date"),
        (CSV.replace("10000", "123456"), "line 3, column 'Zip': must be a whole number from 0 to 99999, got '123456'"),
        (CSV.replace("Ada Nobody", '"Ada" Nobody'), "line 2: not a CSV file ("),
        (gzip.compress(CSV.encode() * 50)[:-20], "the compressed file is cut off here"),
        (gzip.compress(CSV.encode())[:-8] + bytes(8), "line unknown: the compressed data is damaged ("),
    ],
)
def test_a_bad_file_is_named_with_line_and_column(written, content, message):
    path = written(content)
    with pytest.raises(ValueError) as caught:
        load_census(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert message in str(caught.value)


def test_the_embedded_file_cut_off_anywhere_is_noticed(written):
    content = EMBEDDED.read_bytes()
    for length in (2, 20, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError, match=r"line \d+: the compressed file is cut off here"):
            load_census(written(content[:length]))


def test_a_long_wrong_field_is_shortened(written):
    with pytest.raises(ValueError, match=r"got '<<<<.*\.\.\.'$") as caught:
        load_census(written(UCI.replace(">50K", "<" * 5000)))
    assert len(str(caught.value).replace(str(written(UCI)), "")) < 200


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must name a file; there is none at"):
        load_census(tmp_path / "nothing.csv")
    with pytest.raises(FileNotFoundError, match="path must name a file; there is none at"):
        load_census(tmp_path)


# ------------------------------------------------------------------------------------------- CENSUS_DOMAINS


def test_domains_are_lists_without_repeats_or_ranges():
    assert list(CENSUS_DOMAINS) == [column for column in CENSUS_COLUMNS if column not in IDENTIFYING_COLUMNS]
    for column, domain in CENSUS_DOMAINS.items():
        assert isinstance(domain, (list, range)), column
        assert len(set(domain)) == len(domain), column
        if isinstance(domain, list) and column != "Education":
            assert domain == sorted(domain), column
    sizes = [len(domain) for domain in CENSUS_DOMAINS.values() if isinstance(domain, list)]
    assert sizes == [8, 16, 7, 14, 6, 5, 2, 41, 2]  # as many as adult.names lists


@pytest.mark.parametrize("source", [lambda: EMBEDDED, real_census], ids=["embedded", "real"])
def test_every_answer_is_in_its_domain(source):
    # Read by pandas alone: load_census would refuse an answer outside.
    path = source()
    if path == EMBEDDED:
        raw = pd.read_csv(path)
    else:
        raw = pd.read_csv(path, names=UCI_COLUMNS, skipinitialspace=True, na_values=["?"])
    for column, domain in CENSUS_DOMAINS.items():
        assert set(raw[column].dropna()) <= set(domain), column
        assert column in MAY_BE_MISSING or raw[column].notna().all()


# ------------------------------------------------------------------------------------------- census_features


def test_features_of_two_people(written):
    X, y = census_features(load_census(written(UCI)))
    assert X.dtype == y.dtype == np.float64
    assert X.shape == (2, 104)
    assert y.tolist() == [-1, 1]
    start = 0
    expected = {
        "Workclass": ([0, 0, 0, 0, 0, 0, 1, 0], [0] * 8),
        "Education": (np.eye(16)[12], np.eye(16)[5]),
        "Education-Num": ([12 / 15], [5 / 15]),
        "Marital Status": ([0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0, 0]),
        "Occupation": (np.eye(14)[0], np.zeros(14)),
        "Relationship": ([0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]),
        "Race": ([0, 0, 0, 0, 1], [0, 0, 0, 1, 0]),
        "Sex": ([1, 0], [0, 1]),
        "Hours per week": ([39 / 98], [1]),
        "Country": (np.eye(41)[38], np.zeros(41)),
        "Age": ([39 / 73], [16 / 73]),
        "Capital Gain": ([0], [1]),
        "Capital Loss": ([0], [1]),
    }
    for column, rows in expected.items():
        width = len(rows[0])
        np.testing.assert_allclose(X[:, start : start + width], rows, err_msg=column)
        start += width
    assert start == 104


def test_features_of_a_person_do_not_depend_on_the_others():
    census = load_census()
    X, y = census_features(census)
    some = census.sample(100, random_state=2)
    X_some, y_some = census_features(some)
    np.testing.assert_array_equal(X_some, X[some.index])
    np.testing.assert_array_equal(y_some, y[some.index])
    assert set(y) == {-1, 1}
    assert X.min() == 0
    assert X.max() == 1
    assert np.unique(np.linalg.norm(X, axis=1).round(6)).size > 1000, "rows keep their own norms"


def test_features_of_nobody():
    X, y = census_features(load_census().head(0))
    assert X.shape == (0, 104)
    assert y.shape == (0,)


def test_features_refuse_what_is_not_a_census():
    census = load_census().head(3)
    with pytest.raises(ValueError, match="Age must be 17 to 90, got 12"):
        census_features(census.assign(Age=[30, 12, 40]))
    with pytest.raises(ValueError, match=r"Sex must hold answers of the CENSUS_DOMAINS only, got 'Robot'"):
        census_features(census.assign(Sex=["Male", "Robot", "Female"]))
    with pytest.raises(ValueError, match="Target must not be missing"):
        census_features(census.assign(Target=["<=50K", None, ">50K"]))


# ------------------------------------------------------------------------------------------- the package


def test_the_data_folder_is_a_package_that_ships_the_census():
    config = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "dp_helpers.data" in config["packages"]
    assert "*.csv.gz" in config["package-data"]["dp_helpers.data"]


# ------------------------------------------------------------------------------------------- download_uci_adult

CONTENT = bytes(range(256)) * 1000


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A file that stands for the archive's; its checksum is the one that is asked for."""
    file = tmp_path / "archive" / "adult.data"
    file.parent.mkdir()
    file.write_bytes(CONTENT)
    monkeypatch.setattr("dp_helpers.data.download.ADULT_URL", file.as_uri())
    monkeypatch.setattr("dp_helpers.data.download.ADULT_SHA256", hashlib.sha256(CONTENT).hexdigest())
    return file


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder / "adult.data"


def test_a_download_arrives_and_replaces_what_was_there(archive, place):
    place.write_text("old")
    assert download_uci_adult(str(place)) == place
    assert place.read_bytes() == CONTENT
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize("arrived", [CONTENT[:1000], b"a page that says: please log in"], ids=["half", "another"])
def test_what_is_not_the_file_leaves_what_was_there(archive, place, arrived):
    place.write_text("old")
    archive.write_bytes(arrived)
    with pytest.raises(ValueError, match=r"broke off, or is another file: its SHA-256 is [0-9a-f]{64}"):
        download_uci_adult(place)
    assert place.read_text() == "old"
    assert list(place.parent.iterdir()) == [place]


def test_an_archive_without_the_file(archive, place):
    archive.unlink()
    with pytest.raises(ConnectionError, match=r"could not be fetched"):
        download_uci_adult(place)
    assert list(place.parent.iterdir()) == []


def test_a_server_that_breaks_off_or_falls_silent(archive, place, monkeypatch):
    for error in (http.client.IncompleteRead(b"half"), TimeoutError("timed out"), ConnectionResetError("reset")):

        def broken(*args, error=error):
            raise error

        monkeypatch.setattr("dp_helpers.data.download.shutil.copyfileobj", broken)
        with pytest.raises(ConnectionError, match="could not be fetched"):
            download_uci_adult(place)
    assert list(place.parent.iterdir()) == []


def test_a_full_disk_is_not_taken_for_a_broken_connection(archive, place, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dp_helpers.data.download.shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space left") as raised:
        download_uci_adult(place)
    assert not isinstance(raised.value, ConnectionError)


def test_a_place_that_cannot_be_is_refused_before_anything_is_asked(tmp_path, monkeypatch):
    def asked(*args, **kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr("dp_helpers.data.download.urllib.request.urlopen", asked)
    with pytest.raises(IsADirectoryError, match="path must name a file"):
        download_uci_adult(tmp_path)
    with pytest.raises(FileNotFoundError, match="path must be in a folder that exists"):
        download_uci_adult(tmp_path / "nowhere" / "adult.data")
    with pytest.raises(TypeError):
        download_uci_adult(None)


def test_the_checksum_is_that_of_the_real_file():
    # The archive's file ends in a blank line, which some copies lack.
    content = real_census().read_bytes().rstrip(b"\n") + b"\n\n"
    assert hashlib.sha256(content).hexdigest() == ADULT_SHA256


def test_stored_runs_are_read_fresh_and_none_is_left_out():
    names = {file.stem for file in (Path(dp.__file__).parent / "data" / "runs").iterdir()}
    known = "attack_curves coarse_runs coarse_towns engines group_runs public_encoders training_runs"
    assert names == set(known.split())
    for name in names:
        runs = dp.load_runs(name)
        assert len(runs) >= 5 and not runs.isna().any(axis=None)
        runs[runs.columns[-1]] = -1
        assert not dp.load_runs(name).equals(runs)
