"""What chapter 1 says, derived again on both censuses; its short attacks against the package; its labs."""

import hashlib
import itertools
from decimal import Decimal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from chapters.answers import patched
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
    assert dp.uniqueness(census, ["DOB", "Zip"]) > 0.999  # "nearly everybody"
    shares = [dp.uniqueness(census, ORDINARY[:k]) for k in range(1, 10)]
    assert shares[0] == shares[1] == 0  # "Sex and race single out nobody"
    assert shares == sorted(shares) and all(b > a for a, b in itertools.pairwise(shares[1:]))
    assert shares[-1] > 0.6  # "most of the census"


def test_birthdays_follow_the_formula(census):
    same_age = census.groupby("Age")["Age"].transform("size")
    expected = ((1 - 1 / 365.25) ** (same_age - 1)).mean()
    # Changing one birthday changes the count of unique people by at most 2: McDiarmid at 1e-6.
    margin = 2 * np.sqrt(np.log(2e6) / (2 * len(census)))
    assert dp.uniqueness(census, ["DOB"]) == pytest.approx(expected, abs=margin)


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


@pytest.mark.parametrize(("number", "error"), [(200, 5), (1600, 20)])
def test_formula_of_the_share_read_correctly(number, error):
    rng = np.random.default_rng(103)
    secret = rng.integers(0, 2, size=100)
    shares, spread = [], []
    for _ in range(8):  # sets of questions, each answered 40 times
        questions = rng.integers(0, 2, size=(number, 100))
        answers = (questions @ secret)[:, None] + rng.uniform(-error, error, size=(number, 40))
        wrong_by = np.linalg.lstsq(questions, answers)[0] - secret[:, None]
        shares.append((np.where(secret[:, None] == 1, -wrong_by, wrong_by) < 0.5).mean())
        spread.append(wrong_by.std())
    sigma = error / np.sqrt(3)
    formula = stats.norm.cdf(np.sqrt(number - 100) / (4 * sigma))
    # A formula to first order: 2 points of its own, and 5 standard errors of the mean for chance (6e-7).
    assert np.mean(shares) == pytest.approx(formula, abs=0.02 + 5 * np.std(shares) / np.sqrt(8))
    assert np.mean(spread) == pytest.approx(2 * sigma / np.sqrt(number - 100), rel=0.1)


def test_errors_stay_within_the_bound(page, married):
    page["secret"] = married
    questions, answers = page["random_counts"](5000, 5, np.random.default_rng(104))
    errors = answers - questions @ married
    assert abs(errors).max() <= 5
    assert stats.kstest(errors, stats.uniform(-5, 10).cdf).pvalue > 1e-6


def test_slider_answers(page, married):
    page["secret"] = married

    def read(error, answers):
        """Return how many people the title counts, on average over the figure's draws."""
        shown = []
        for seed in range(8):
            figure = page["reading"](error, answers, seed)
            title = figure.axes[0].get_title(loc="left") or figure.axes[0].get_title()
            plt.close(figure)
            shown.append(int(title.split()[0]))
        return np.mean(shown)

    assert read(3, 200) >= 90 > read(5, 200)
    assert read(10, 800) < 90 < read(10, 1600)
    assert read(5, 200) > read(10, 400)
    assert read(1, 100) < read(1, 50) < read(1, 150)


def test_slider_frames_differ_only_in_what_was_moved(page, married):
    page["secret"] = married
    few, many = (page["random_counts"](1600, error, np.random.default_rng(1)) for error in (2, 6))
    assert (few[0] == many[0]).all()
    assert np.allclose(3 * (few[1] - few[0] @ married), many[1] - many[0] @ married)


def test_what_the_page_says_of_its_draws_holds_for_other_seeds(page, married):
    """How many the attacker reads at an error of 0, 5 and 15, and how far halves are from k/2."""
    page["secret"], read, off = married, {5: [], 0: [], 15: []}, []
    for page["rng"] in streams(1):
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


# The labs.


def unmask_by_merging(known, released, on):
    pairs = known.merge(released, on=on)
    incomes = pairs.groupby("Name")["Target"].agg(["nunique", "first"])
    return incomes.loc[incomes["nunique"] == 1, "first"].to_dict()


def unmask_row_by_row(known, released, on):
    found = {}
    for person in known.to_dict("records"):
        rows = released
        for column in on:
            rows = rows[rows[column] == person[column]]
        if rows["Target"].nunique() == 1:
            found[person["Name"]] = rows["Target"].iloc[0]
    return found


def only_one_row(known, released, on):
    pairs = dp.link(known, released, on)
    alone = pairs.groupby("Name")["Target"].transform("size") == 1
    return dict(zip(pairs.loc[alone, "Name"], pairs.loc[alone, "Target"], strict=True))


def first_row(known, released, on):
    return known.merge(released, on=on).groupby("Name")["Target"].first().to_dict()


def by_row_number(known, released, on):
    return dict(zip(known["Name"], released["Target"], strict=False))


def tracker(name, data, ask):
    target, women = data["Name"] == name, data["Sex"] == "Female"
    return ask(women | target) + ask(~women | target) - ask(women | ~women)


def tracker_by_halves(name, data, ask):
    """Any two halves will do; the person is moved from one into both."""
    me = data["Name"].to_list().index(name)
    first = [i < 500 or i == me for i in range(1000)]
    second = [i >= 500 or i == me for i in range(1000)]
    return ask(first) + ask(second) - ask([True] * 1000)


def alone(name, data, ask):
    return ask(data["Name"] == name)


def two_totals(name, data, ask):
    everybody = data["Name"] == data["Name"]
    return ask(everybody) - ask(data["Name"] != name)


def asks_four(name, data, ask):
    women = data["Sex"] == "Female"
    ask(women.sample(frac=1, random_state=1, ignore_index=True))
    return tracker(name, data, ask)


def rebuild(ask, n, rng):
    groups = rng.integers(0, 2, size=(600, n))
    answers = np.array([ask(group) for group in groups])
    return (np.linalg.lstsq(groups, answers)[0] > 0.5).astype(int)


def rebuild_with_the_package(ask, n, rng):
    groups = [rng.permutation(n) < n // 2 for _ in range(600)]
    return dp.reconstruct(np.array(groups).astype(int), [ask(group) for group in groups])


def rebuild_by_correlation(ask, n, rng):
    """Whoever is in the groups with high counts has a one."""
    groups = rng.integers(0, 2, size=(600, n))
    answers = np.array([ask(group) for group in groups])
    ridge = np.linalg.solve(groups.T @ groups + 0.1 * np.eye(n), groups.T @ answers)
    return [bool(estimate > 0.5) for estimate in ridge]


def rebuild_from_one_group(ask, n, rng):
    group = rng.integers(0, 2, size=n)
    answers = np.array([ask(group) for _ in range(600)])
    return np.linalg.lstsq(np.tile(group, (600, 1)), answers)[0] > 0.5


def roughly(data):
    return data[[]].assign(Born=data["DOB"].dt.year // 10 * 10, Area=data["Zip"] // 1000)


def by(born, area):
    return lambda data: pd.DataFrame({"Born": born(data), "Area": area(data)})


def decade(data):
    return data["DOB"].dt.year // 10


def rare_together(data):
    area = data["Zip"] // 1000
    return area.where(area.map(area.value_counts()) >= 10, -1)


def around_the_median(data):
    year = data["DOB"].dt.year
    return np.digitize(year, year.median() + np.arange(-40, 40, 10))


def in_words(data):
    area = data["Zip"].astype(str).str.zfill(5).str[:2]
    return pd.DataFrame({"Area": area.tolist(), "Born": decade(data).astype(str).add("0s").tolist()})


def in_intervals(data):
    born = pd.cut(data["DOB"].dt.year, range(1900, 2021, 10))
    return pd.DataFrame({"Born": born, "Area": pd.cut(data["Zip"], range(-1, 100_000, 1000))})


RIGHT = [
    ("1.1", 27_002.6),
    ("1.1", np.float64(26_983)),  # with 365 days
    ("1.1", Decimal(27_003)),
    ("1.2", unmask_by_merging),
    ("1.2", unmask_row_by_row),
    ("1.3", tracker),
    ("1.3", tracker_by_halves),
    ("1.4", rebuild),
    ("1.4", rebuild_with_the_package),
    ("1.4", rebuild_by_correlation),
    ("1.5", roughly),
    ("1.5", by(lambda d: d["DOB"].dt.year, lambda d: d["Zip"] // 10_000)),
    ("1.5", in_words),
    ("1.5", in_intervals),
    ("1.6", np.array([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]])),
    ("1.6", [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]]),
    ("1.6", pd.DataFrame([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]).astype(bool)),
]

WRONG = [
    ("1.2", lambda known, released, on: {"Nobody": 1}, "nobody can tell what Nobody earns"),
    ("1.4", lambda office, people, rng: "unread", "zeros and ones, one for each person"),
    ("1.5", patched(roughly, "data[[]]", "data"), "release Born and Area, and nothing beside them"),
    ("1.5", lambda d: roughly(d).sort_values("Area"), "your rows stand in another order, or under other names"),
    ("1.1", 20_000, "solve"),
    ("1.2", only_one_row, "every row that fits Cleo says >50K"),
    ("1.2", first_row, "nobody can tell what Cleo earns"),
    ("1.2", by_row_number, "Ada earns <=50K, you say"),
    ("1.2", lambda known, released, on: unmask_by_merging(known, released, on[:1]), "you left Ada out"),
    ("1.2", lambda known, released, on: known.merge(released, on=on), "not DataFrame"),
    ("1.2", lambda *tables: dict.fromkeys(unmask_by_merging(*tables), ">50K"), "Ada earns <=50K, you say"),
    ("1.3", alone, "groups of fewer than 100; yours has 1"),
    ("1.3", two_totals, "differs from an earlier one by 1"),
    ("1.3", patched(tracker, " - ask(women | ~women)", ""), "you found"),
    ("1.3", asks_four, "one too many"),
    ("1.3", lambda name, data, ask: ask([name]), "True or False, or a 1 or 0, for each of 1,000"),
    ("1.3", lambda name, data, ask: "forty", "give a number"),
    ("1.3", lambda name, *asked: dp.load_census().set_index("Name").loc[name, "Hours per week"], "hours a week here"),
    ("1.4", patched(rebuild, "600", "90"), "from 90 answers: the office answers 600 questions"),
    ("1.4", patched(rebuild, "600", "601"), "one too many"),
    ("1.4", rebuild_from_one_group, "ask about random halves"),
    ("1.4", lambda ask, n, rng: [ask(np.arange(n) == person) > 0.5 for person in range(n)], "yours has 1"),
    ("1.4", lambda ask, n, rng: 1 - rebuild(ask, n, rng), "1 for 0 and 0 for 1"),
    ("1.4", lambda ask, n, rng: rng.integers(0, 2, n), "from 0 answers"),
    ("1.4", lambda ask, n, rng: rng.random(n), "into bits"),
    ("1.4", lambda ask, n, rng: None, "it needs a return"),
    ("1.4", lambda ask, n, rng: rebuild(ask, n - 1, rng), "a 1 or 0, for each of 60 people"),
    ("1.5", by(lambda d: d["DOB"], lambda d: d["Zip"]), "unique; make Born or Area coarser"),
    ("1.5", by(decade, lambda d: d["Zip"] // 10_000), "different pairs remain"),
    ("1.5", by(lambda d: d.index % 30, lambda d: d["Zip"] // 1000), "Born may depend on DOB alone"),
    ("1.5", by(decade, lambda d: d.index % 90), "Area may depend on Zip alone"),
    ("1.5", by(lambda d: pd.qcut(d["DOB"], 30), lambda d: d["Zip"] // 1000), "with other people in the table"),
    ("1.5", by(decade, lambda d: pd.cut(d["Zip"], 99, labels=False)), "with other people in the table"),
    ("1.5", by(decade, rare_together), "with other people in the table"),
    ("1.5", by(around_the_median, lambda d: d["Zip"] // 1000), "with other people in the table"),
    ("1.5", lambda data: roughly(data).set_index(data["Name"]), "and nothing beside"),
    ("1.5", lambda data: roughly(data).drop_duplicates(), "keep all"),
    ("1.5", lambda data: data[["DOB", "Zip"]], "columns Born, Area"),
    ("1.6", [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], "both get the answers"),
    ("1.6", np.eye(4), "three rows of four"),
    ("1.6", [[0, 0, 1, 2], [0, 1, 0, 1], [1, 1, 1, 0]], "zeros and ones only"),
    ("1.6", [[1, 1], [0, 1, 1, 0], [0, 0, 1, 1]], "three rows of four"),
    ("1.6", "ABC", "three rows of four"),
]
