"""What chapter 1 says, derived again on both censuses; its short attacks against the package."""

import hashlib
import itertools
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chapters.chance import another, streams
from scipy import stats

import dp_helpers as dp

CHAPTER = "01-de-identification"
ORDINARY = ["Sex", "Race", "Age", "Marital Status", "Education", "Occupation", "Workclass", "Country", "Hours per week"]


@pytest.fixture(scope="module")
def married(census):
    return census.head(100)["Marital Status"].str.startswith("Married").to_numpy().astype(int)


# The page's short versions against the package.


@pytest.mark.parametrize("number", [20, 41, 200])
def test_the_pages_reconstruction_is_the_packages(page, number):
    rng = np.random.default_rng(101 + number)
    secret = rng.integers(0, 2, size=40)
    questions = rng.integers(0, 2, size=(number, 40))
    answers = questions @ secret + rng.uniform(-3, 3, size=number)
    bits = page["estimate_bits"](questions, answers) > 0.5
    assert bits.astype(int).tolist() == dp.reconstruct(questions, answers).tolist()


# Linking.


def test_what_the_first_figure_shows(page, census):
    page |= {"census": census, "colleagues": {"Nella": 0, "Darola": 1, "Halaro": 2}}
    page["facts"] = ["Sex", "Education", "Occupation", "Marital Status", "Age", "Hours per week"]
    rows = {who: [page["rows_that_fit"](who, k) for k in range(7)] for who in page["colleagues"]}
    nella = rows["Nella"]
    assert [len(fit) for fit in nella][4:] == [37, 1, 1] and nella[5]["Target"].item() == "<=50K"
    assert (nella[0]["Target"] == ">50K").mean() == pytest.approx(1 / 4, abs=0.02)  # "about a quarter"
    assert (nella[4]["Target"] == ">50K").mean() == pytest.approx(0.05, abs=0.005)
    assert len(rows["Halaro"][6]) == 8
    for who, number in page["colleagues"].items():
        assert census.iloc[number]["Name"].startswith(who)
        assert all(census.index[number] in fit.index for fit in rows[who])


def test_the_person_of_the_first_row_is_found(census):
    person = census.iloc[0]
    born_then = census[census["DOB"] == person["DOB"]]
    assert 2 <= len(born_then) <= 10
    assert born_then["Target"].nunique() == 2  # the birthday alone doesn't settle the income ...
    everybody, among_them = ((rows["Target"] == ">50K").mean() for rows in (census, born_then))
    assert abs(everybody - among_them) > 0.05  # ... but moves the guess
    assert (born_then["Zip"] == person["Zip"]).sum() == 1


def test_unique_people(census):
    assert 0.15 < dp.uniqueness(census, ["DOB"]) < 0.2  # "fewer than one in five"
    assert 0.6 < dp.uniqueness(census, ["Zip"]) < 0.75  # "about two thirds"
    homes = census["Zip"].value_counts()
    assert (homes <= 2).mean() > 0.9 and homes.max() > 2  # "most Zips here have one person or two"
    assert dp.uniqueness(census, ["DOB", "Zip"]) > 0.999  # "nearly everybody"
    shares = [dp.uniqueness(census, ORDINARY[:k]) for k in range(1, 10)]
    assert shares[0] == shares[1] == 0  # "Sex and race single out nobody"
    assert shares == sorted(shares) and all(b > a for a, b in itertools.pairwise(shares[1:]))
    assert shares[-1] > 0.6  # "most people"


# Averages and differences.


def test_smallest_country_is_one_person_and_the_next_are_not(census):
    sizes = census.groupby("Country").size().sort_values()
    assert sizes.iloc[0] == 1 and sizes.iloc[1] > 5


def test_splitting_makes_groups_of_one(census):
    by, alone = ["Country", "Education", "Occupation"], []
    for k in (1, 2, 3):
        sizes = census.groupby(by[:k]).size()
        alone.append((sizes == 1).sum())
    assert 0 < alone[0] < alone[1] < alone[2]


def test_two_totals_differ_by_the_person(census):
    person, hours = census.iloc[0], census["Hours per week"]
    is_she = (census["DOB"] == person["DOB"]) & (census["Zip"] == person["Zip"])
    assert is_she.sum() == 1
    assert dp.differencing(hours.sum(), hours[~is_she].sum()) == person["Hours per week"]


# Reconstruction.


def test_three_times_the_error_takes_nine_times_as_many_answers():
    rng, shares = np.random.default_rng(103), []
    secret = rng.integers(0, 2, size=40)
    for number, error in [(600, 10), (5400, 30)]:
        runs = []
        for _ in range(30):
            questions = rng.integers(0, 2, size=(number, 40))
            answers = questions @ secret + rng.uniform(-error, error, size=number)
            runs.append((dp.reconstruct(questions, answers) == secret).mean())
        shares.append(np.array(runs))
    few, many = shares
    # Five standard errors of the difference for chance, and a point for the n answers that solving takes.
    margin = 5 * np.hypot(few.std(), many.std()) / np.sqrt(30)
    assert 0.6 < few.mean() < 0.99 and many.mean() == pytest.approx(few.mean(), abs=0.01 + margin)


def test_errors_stay_within_the_bound(page, married):
    page["secret"] = married
    questions, answers = page["random_counts"](5000, 5, np.random.default_rng(104))
    errors = answers - questions @ married
    assert abs(errors).max() <= 5
    assert stats.kstest(errors, stats.uniform(-5, 10).cdf).pvalue > 1e-6


def test_what_is_said_of_the_slider_holds(page, married):
    page["secret"] = married

    @cache
    def shown(error, answers, seed):
        """Return how many people the title counts."""
        figure = page["reading"](error, answers, seed)
        title = figure.axes[0].get_title(loc="left") or figure.axes[0].get_title()
        plt.close(figure)
        return int(title.split()[0])

    def read(error, answers, draws):
        return np.mean([shown(error, answers, seed) for seed in range(draws)])

    for draws in (2, 8):  # the figure's own, and others
        assert read(3, 200, draws) >= 90 > read(5, 200, draws)
        assert read(10, 800, draws) < 90 < read(10, 1600, draws)
        assert read(5, 200, draws) > read(10, 400, draws)


def test_slider_frames_differ_only_in_what_was_moved(page, married):
    page["secret"] = married
    few, many = (page["random_counts"](1600, error, np.random.default_rng(1)) for error in (2, 6))
    assert (few[0] == many[0]).all()
    assert np.allclose(3 * (few[1] - few[0] @ married), many[1] - many[0] @ married)


def test_what_the_page_says_of_its_draws_holds_for_other_seeds(page, married):
    """How many the attacker reads at an error of 0, 5 and 15, and how far halves are from k/2."""
    page["secret"], read, off = married, {5: [], 0: [], 15: []}, []
    for page["rng"] in streams(1, 30):
        for error, right in read.items():
            right.append(page["people_right"](error))
        halves = page["rng"].integers(0, 2, size=(400, 100))
        off.append((halves @ married - married.sum() / 2).std())
    assert min(read[0]) == 100 and another(read[5])[0] > 80
    # "about 70", as any fifty sets say: five standard errors to either side of their mean
    margin = 5 * np.std(read[15]) / np.sqrt(50)
    assert np.mean(read[15]) - margin > 65 and np.mean(read[15]) + margin < 75
    assert max(married.sum(), 100 - married.sum()) < 65  # what guessing the same for all would reach
    assert another(off)[0] > 2 and another(off)[1] < 5  # "a few people"
    assert np.mean(off) == pytest.approx(np.sqrt(married.sum()) / 2, rel=0.05)


# The bug, the ledger, the self-check.


def test_row_numbers_give_everybody_away(page, census):
    rng = np.random.default_rng(107)
    names, incomes = page["split_release"](census, rng)
    assert incomes.index.tolist() != census.index.tolist()  # it did shuffle
    assert (names.join(incomes)["Target"] == census["Target"]).all()
    mended = names.join(incomes.reset_index(drop=True))
    share = (mended["Target"] == census["Target"]).mean()
    poor = (census["Target"] == "<=50K").mean()
    # A random match of n rows: the number of hits has a standard deviation below sqrt(n); 5 of these.
    assert share == pytest.approx(poor**2 + (1 - poor) ** 2, abs=5 / np.sqrt(len(census)))


def test_a_hash_of_few_possible_inputs_is_no_protection(census):
    stolen = {hashlib.sha256(number.encode()).digest() for number in census["SSN"].head(20)}
    areas = census["SSN"].head(20).str[:3].unique()  # of the billion, only these thousands are tried here
    candidates = (f"{area}-00-{serial:04d}" for area in areas for serial in range(10_000))
    found = {number for number in candidates if hashlib.sha256(number.encode()).digest() in stolen}
    assert found == set(census["SSN"].head(20))
