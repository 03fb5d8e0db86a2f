# %% [markdown]
# # Assignment 1: A hospital without names
#
# A hospital publishes what it treats, without anybody's name, and asks you whether that is enough. First you attack
# its tables, then you make one yourself. There is no ε here yet: none of these releases has a finite one, for
# add/remove neighbours (two tables of which one has one person more). The last task asks you what follows from that.
#
# You need chapters 1 and 2, and about four hours. Write into the cells marked for you, keep the names of the functions,
# and leave the rest as it is. Each task stands alone: a function that you write for one isn't used by another. Below
# each task is a cell that checks what you can check yourself; the grader checks more, on other tables. What the parts
# of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - A **crowd** is a class of rows that agree in all the columns an attacker knows. In tasks 2, 3, 4 and 6 a missing
#   value is a value of its own, which agrees with other missing values and with nothing else.
# - Your functions leave the tables they are given unchanged, and write nothing into them.
#
# All people are invented. Four files come with this assignment:
#
# - `released.csv`: one stay of each of {{people}} patients, as published: year of birth, sex, the first two digits of
#   the Zip, diagnosis, days in hospital.
# - `members.csv`: the list of a running club, with names. All {{members}} members were in hospital and are in
#   `released.csv`, each with one row. Where the club doesn't know something, the value is missing.
# - `visits.csv`: the hospital's internal table of visits. It isn't published. Who came more than once has several
#   rows with the same number in `Patient`.
# - `patients.csv`: what a neighbour may know about each patient: age, sex, Zip, education.

# %% role="term"
# At least 1,400 people and a loss of at least 0.3: one sensible coarsening for everybody loses 0.23 to 0.28 there, on
# three quarters of the rows.
TERM = {"people": 1600, "members": 160, "loss": 0.3}


# %% role="data"
def make_data(term, rng):
    n = term["people"]
    census = dp.load_census().sample(n, random_state=rng, ignore_index=True)
    areas, age = rng.choice(np.arange(10, 99), 24, replace=False), census["Age"].to_numpy()
    zips = rng.choice(areas, n, p=rng.dirichlet(np.full(24, 2.0))) * 1000 + rng.integers(0, 12, n) * 80
    illness = np.array(["asthma", "diabetes", "fracture", "hepatitis", "HIV", "influenza", "migraine"])
    young = rng.choice(illness, n, p=[0.2, 0.05, 0.3, 0.1, 0.05, 0.15, 0.15])
    old = rng.choice(illness, n, p=[0.1, 0.35, 0.2, 0.05, 0.02, 0.2, 0.08])
    patients = pd.DataFrame({"Age": age, "Sex": census["Sex"], "Zip": zips, "Education": census["Education"]})
    diagnosis = np.where(rng.random(n) < age / 90, old, young)
    year = 2026 - age
    released = pd.DataFrame({"Year": year, "Sex": census["Sex"], "Area": zips // 1000, "Diagnosis": diagnosis})
    released["Days"] = 1 + rng.poisson(rng.gamma(2, 3, n))

    who = rng.choice(n, term["members"], replace=False)
    day, month = rng.integers(1, 29, who.size), rng.integers(1, 13, who.size)
    born = [f"{y}-{m:02}-{d:02}" for y, m, d in zip(year[who], month, day, strict=True)]
    members = pd.DataFrame({"Name": census["Name"][who].to_numpy(), "Born": born})
    members["Sex"], members["Zip"] = census["Sex"][who].to_numpy(), zips[who]
    for column, share in (("Born", 0.05), ("Sex", 0.1), ("Zip", 0.15)):
        members[column] = members[column].where(rng.random(who.size) >= share)
    members["Zip"] = members["Zip"].astype("Int64")

    times = 1 + rng.poisson(rng.gamma(0.4, 2, n))
    visits = patients.assign(Patient=rng.permutation(n) + 1000, Diagnosis=diagnosis).loc[np.repeat(np.arange(n), times)]
    visits["Zip"] = visits["Zip"] // 1000
    visits["Age"] = (visits["Age"] + rng.integers(0, 2, len(visits))) // 10 * 10
    visits["Education"] = visits["Education"].where(rng.random(len(visits)) >= 0.05)
    visits = visits[["Patient", "Age", "Sex", "Zip", "Education", "Diagnosis"]]
    return {
        "released.csv": released.sample(frac=1, random_state=rng),
        "members.csv": members,
        "visits.csv": visits.sample(frac=1, random_state=rng),
        "patients.csv": patients,
    }


# %% role="setup"
import numpy as np
import pandas as pd

released = pd.read_csv("released.csv")
members = pd.read_csv("members.csv")
visits = pd.read_csv("visits.csv")
patients = pd.read_csv("patients.csv")


def mean_loss(original, coarse):
    """Return the loss of chapter 2, the mean over all cells; rows that `coarse` leaves out lose everything."""
    cells = 0
    for column in original:
        published = coarse[column].astype(str)
        stands_for = original[column].loc[coarse.index].groupby(published).nunique(dropna=False)
        cells += ((published.map(stands_for) - 1) / (original[column].nunique(dropna=False) - 1)).sum()
    left_out = len(original) - len(coarse)
    return (cells / original.shape[1] + left_out) / len(original)


loss_allowed = {{loss}}


# %% [markdown] task="q1" points=20 parts={"name_the_rows": 16, "diagnoses": 4}
# ## Task 1: Who is who (20 points)
#
# Write `name_the_rows(members, released)`. Both tables have the columns of the files: `Born` is a text such as
# `1968-05-13`, `Year` a whole number; `Zip` has five digits, `Area` its first two. A member *fits* a row if year of
# birth, sex and area agree, as far as the club knows them: a value that is missing among the members fits everything.
# Nothing is missing in `released`.
#
# Every member owns exactly one row, and no two own the same. So whoever fits one row only is found. That row then
# belongs to nobody else, which may leave another member with only one row that fits and has no owner yet: that one is
# found, too, and so on, until nobody new is found. Return a dictionary from the name of each member found to the number
# of the row, counting from 0. No other reasoning is asked for.
#
# Then use it: `diagnoses` is a dictionary from the name of each member found to the diagnosis.


# %% role="starter" task="q1"
def name_the_rows(members, released):
    """Return a dictionary from the name of each member found to the number of the row."""
    ...


diagnoses = ...


# %% role="solution" task="q1"
def name_the_rows(members, released):
    free = np.ones((len(members), len(released)), bool)
    known = {"Year": members["Born"].str[:4].astype(float), "Sex": members["Sex"], "Area": members["Zip"] // 1000}
    for column, values in known.items():
        agree = values.to_numpy()[:, None] == released[column].to_numpy()
        free &= agree | values.isna().to_numpy()[:, None]
    owner = {}
    while (new := np.flatnonzero(free.sum(axis=1) == 1)).size:
        for member in new:
            row = int(np.argmax(free[member]))
            owner[members["Name"].iloc[member]] = row
            free[:, row] = False
    return owner


diagnoses = {runner: released["Diagnosis"].iloc[at] for runner, at in name_the_rows(members, released).items()}


# %% role="visible" task="q1"
def three_runners(name_the_rows):
    "Three members and four rows that you can follow by hand."
    club = pd.DataFrame({"Name": ["Ann", "Bob", "Cem"], "Born": ["1970-02-01", "1970-05-09", "1981-12-31"]})
    club["Sex"], club["Zip"] = ["Female", None, None], [10_200, 10_999, np.nan]
    rows = pd.DataFrame({"Year": [1981, 1970, 1970, 1981], "Sex": ["Male", "Female", "Male", "Female"]})
    rows["Area"], rows["Diagnosis"], rows["Days"] = [10, 10, 10, 99], "asthma", 3
    answer = name_the_rows(club, rows)
    assert isinstance(answer, dict), "Return a dictionary from names to numbers of rows."
    assert answer.get("Ann") == 1, "Ann fits row 1 only: born in 1970, Female, area 10."
    assert answer == {"Ann": 1, "Bob": 2}, (
        "Bob's sex is unknown: he fits rows 1 and 2, and row 1 is Ann's. Cem fits rows 0 and 3, and isn't found."
    )


def diagnoses_of_members(diagnoses, members, released):
    "diagnoses is a dictionary from names of the club to diagnoses of the hospital."
    assert isinstance(diagnoses, dict) and diagnoses, "diagnoses should be a dictionary, and isn't empty."
    assert set(diagnoses) <= set(members["Name"]), "The keys of diagnoses should be names of members."
    assert set(diagnoses.values()) <= set(released["Diagnosis"]), "The values of diagnoses should be diagnoses."


# %% role="hidden" task="q1"
def _fitting(club, rows):
    fitting = {}
    for person in club.itertuples():
        fits = np.ones(len(rows), bool)
        if isinstance(person.Born, str):
            fits &= rows["Year"] == int(person.Born[:4])
        if isinstance(person.Sex, str):
            fits &= rows["Sex"] == person.Sex
        if not pd.isna(person.Zip):
            fits &= rows["Area"] == int(person.Zip) // 1000
        fitting[person.Name] = set(np.flatnonzero(fits).tolist())
    return fitting


def _owners(fitting):
    owners = {}
    while True:
        alone = [name for name, rows in fitting.items() if len(rows - set(owners.values())) == 1 and name not in owners]
        if not alone:
            return owners
        owners[alone[0]] = min(fitting[alone[0]] - set(owners.values()))


def _club_and_rows(rng, people):
    rows = pd.DataFrame({"Year": rng.integers(1950, 1958, people), "Sex": rng.choice(["Female", "Male"], people)})
    rows["Area"], rows["Diagnosis"], rows["Days"] = rng.integers(20, 25, people), "migraine", 2
    who = rng.permutation(people)[: people // 2]
    club = pd.DataFrame({"Name": [f"Runner {i}" for i in range(who.size)]})
    club["Born"] = [f"{rows['Year'][i]}-07-{1 + i % 28:02}" for i in who]
    club["Sex"], club["Zip"] = rows["Sex"][who].to_numpy(), rows["Area"][who].to_numpy() * 1000.0 + who
    for column in ("Born", "Sex", "Zip"):
        club[column] = club[column].where(rng.random(who.size) > 0.12)
    return club, rows


def _compare(answer, expected):
    wrong = sorted(name for name in answer.keys() & expected.keys() if answer[name] != expected[name])
    assert not wrong, "A member was given a row that doesn't fit, or is another's. Follow the rule by hand on ten rows."
    assert not answer.keys() - expected.keys(), (
        "You name somebody who could still own several rows. A value the club doesn't know fits every row."
    )
    assert not expected.keys() - answer.keys(), (
        "You miss members who can be found. Do the unknown values fit? And once a row has an owner, who else can be "
        "found? And then?"
    )


def everybody_who_can_be_found(name_the_rows, rng):
    "All those are found whom the rule finds, with their rows, and nobody else."
    for _ in range(8):
        club, rows = _club_and_rows(rng, 50)
        _compare(name_the_rows(club.copy(), rows.copy()), _owners(_fitting(club, rows)))


def one_after_the_other(name_the_rows):
    "A chain in which each found member leads to the next."
    rows = pd.DataFrame({"Year": [1970, 1970, 1970, 1971], "Sex": ["Male", "Female", "Female", "Male"]})
    rows["Area"], rows["Diagnosis"], rows["Days"] = [30, 30, 31, 31], "asthma", 4
    club = pd.DataFrame({"Name": ["D", "C", "B", "A"], "Born": [None, "1970-01-01", "1970-03-08", "1970-12-01"]})
    club["Sex"], club["Zip"] = [None, None, None, "Male"], [np.nan, np.nan, 30_500, 30_100]
    _compare(name_the_rows(club, rows), {"A": 0, "B": 1, "C": 2, "D": 3})


def the_club_s_diagnoses(diagnoses, data):
    "diagnoses holds what the two files give away."
    owners = _owners(_fitting(data["members.csv"], data["released.csv"]))
    truth = {name: data["released.csv"]["Diagnosis"][row] for name, row in owners.items()}
    assert diagnoses.keys() == truth.keys(), "Not the members whom the two files give away: use members and released."
    assert diagnoses == truth, "Look the diagnosis up in the row of that number."


# %% [markdown] task="q2" points=15
# ## Task 2: Which columns are the key (15 points)
#
# A set of columns is a *key* at the share `share` if at least that share of all rows are alone: no other row agrees
# with them in all these columns. It is a *minimal* key if no column can be left out of it. Write
# `minimal_keys(data, columns, share)`, which returns a list of all minimal keys made of the given columns. Each key
# is a list of one or more names of columns; the order doesn't matter, neither within a key nor among them. If not even
# all columns together are a key, the list is empty. `share` is above 0 and at most 1.


# %% role="starter" task="q2"
def minimal_keys(data, columns, share):
    """Return all minimal keys, each a list of columns."""
    ...


# %% role="solution" task="q2"
def minimal_keys(data, columns, share):
    import itertools

    keys = []
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(columns, size):
            if any(set(key) <= set(chosen) for key in keys):
                continue  # more columns never make anybody less alone
            sizes = data.groupby(list(chosen), dropna=False).size()
            if (sizes == 1).sum() >= share * len(data):
                keys.append(list(chosen))
    return keys


# %% role="visible" task="q2"
def _sorted_keys(keys):
    assert isinstance(keys, (list, tuple)), "Return a list of keys."
    assert all(isinstance(key, (list, tuple)) for key in keys), "Each key should be a list of names of columns."
    return sorted(tuple(sorted(key)) for key in keys)


def four_people(minimal_keys):
    "Four rows that you can follow by hand."
    four = pd.DataFrame({"Age": [30, 30, 40, 40], "Sex": ["F", "M", "F", "M"], "Zip": [1, 1, 1, 2]})
    assert _sorted_keys(minimal_keys(four, ["Age", "Sex", "Zip"], 1.0)) == [("Age", "Sex")], (
        "Age and Sex single out all four, and no other two columns do. All three columns do, but Zip can be left out."
    )
    assert _sorted_keys(minimal_keys(four, ["Age", "Sex", "Zip"], 0.25)) == [("Age", "Sex"), ("Zip",)], (
        "One person in four is alone with the Zip; Age or Sex leave nobody alone, but together they do."
    )
    assert _sorted_keys(minimal_keys(four, ["Sex", "Zip"], 1.0)) == [], "Sex and Zip single out only two of the four."


# %% role="hidden" task="q2"
def _alone(data, chosen):
    rows = [tuple("none" if pd.isna(value) else value for value in row) for row in data[list(chosen)].to_numpy(object)]
    return sum(rows.count(row) == 1 for row in rows)


def _keys_by_definition(data, columns, share):
    masks = range(1, 2 ** len(columns))
    sets = [frozenset(column for i, column in enumerate(columns) if mask >> i & 1) for mask in masks]
    enough = [chosen for chosen in sets if _alone(data, sorted(chosen)) >= share * len(data)]
    return {chosen for chosen in enough if not any(other < chosen for other in enough)}


def _same_keys(found, expected):
    found = [frozenset(key) for key in found]
    assert len(found) == len(set(found)), "A key is in your list twice."
    assert not any(one < other for one in found for other in found), (
        "A key in your list contains another one: it isn't minimal."
    )
    assert not set(found) - expected, (
        "A set in your list isn't a key. Count rows that are alone, not different rows, and mind the missing values."
    )
    assert set(found) == expected, (
        "Your list misses a minimal key. Minimal keys needn't have equally many columns; and a share that is just "
        "reached is reached."
    )


def keys_of_all_sizes(minimal_keys):
    "One column can be a key, and two others together another."
    table = pd.DataFrame({"Number": range(8), "A": [0, 0, 0, 0, 1, 1, 1, 2], "B": [0, 1, 2, 3, 0, 1, 2, 0]})
    for share in (0.125, 0.25, 0.5, 1.0):
        expected = _keys_by_definition(table, ["Number", "A", "B"], share)
        _same_keys(minimal_keys(table, ["Number", "A", "B"], share), expected)


def keys_of_other_tables(minimal_keys, rng):
    "All minimal keys are found on other tables, with missing values, and no set that isn't one."
    columns = ["Age", "Sex", "Home town", "Work", "Club"]
    for share in (0.05, 0.2, 0.5, 0.7):
        table = pd.DataFrame({"Age": rng.integers(20, 40, 60), "Sex": rng.choice(["F", "M"], 60), "Number": range(60)})
        table["Home town"] = rng.choice(["Ash", "Elm", "Fir", None], 60, p=[0.6, 0.2, 0.1, 0.1])
        table["Work"] = rng.integers(0, 5, 60)
        table["Club"] = np.where(rng.random(60) < 0.3, np.nan, rng.integers(0, 25, 60))
        _same_keys(minimal_keys(table.copy(), columns, share), _keys_by_definition(table, columns, share))


# %% [markdown] task="q3" points=15 parts={"release_visits": 9, "colleague_exposes": 6}
# ## Task 3: The colleague's code (15 points)
#
# The hospital wants to publish its table of visits, a row for each visit, such that an attacker who knows the columns
# `known` of a patient is left with at least `k` patients who might be the one. All visits in such crowds are published,
# with all their columns but `Patient`. A colleague wrote the code below. It runs, and somebody has confirmed that every
# crowd it publishes has at least k rows, missing values included. There is a defect in it.
#
# Find it, mend `release_visits`, and make `colleague_exposes(visits, known, k)` return how many *patients* the
# colleague's unmended code fails: those of whom at least one row is published in a crowd of fewer than k patients.


# %% role="starter" task="q3"
def release_visits(visits, known, k):
    """Return the visits in crowds of at least k patients, without the column Patient."""
    crowds = visits.groupby(known, dropna=False)["Patient"].transform("size")
    return visits[crowds >= k].drop(columns="Patient")


def colleague_exposes(visits, known, k):
    """Return the number of patients in smaller crowds that the code above publishes."""
    return 0  # says the colleague


# %% role="solution" task="q3"
def release_visits(visits, known, k):
    crowds = visits.groupby(known, dropna=False)["Patient"].transform("nunique")
    return visits[crowds >= k].drop(columns="Patient")


def colleague_exposes(visits, known, k):
    groups = visits.groupby(known, dropna=False)["Patient"]
    exposed = (groups.transform("size") >= k) & (groups.transform("nunique") < k)
    return visits.loc[exposed, "Patient"].nunique()


# %% role="visible" task="q3"
def columns_and_rows_of_visits(release_visits, visits):
    "What is published are rows of visits, without the patients' numbers."
    published = release_visits(visits, ["Age", "Sex"], 3)
    assert isinstance(published, pd.DataFrame), "Return a table."
    assert list(published.columns) == ["Age", "Sex", "Zip", "Education", "Diagnosis"], (
        "All columns should be published but Patient, in their order."
    )
    assert len(published) <= len(visits), "There are more rows than visits."


def a_number_of_patients(colleague_exposes, visits):
    "colleague_exposes returns a whole number."
    number = colleague_exposes(visits, ["Age", "Sex"], 3)
    assert np.shape(number) == () and int(number) == number, "Return one whole number."


# %% role="hidden" task="q3"
def _visits(rng, n):
    table = pd.DataFrame({"Patient": rng.integers(1, n // 2, n), "Age": rng.integers(2, 8, n) * 10})
    table["Work"] = rng.choice(["farm", "shop", None], n, p=[0.6, 0.3, 0.1])
    table["Zip"], table["Diagnosis"] = rng.choice([10.0, 11.0, np.nan], n), rng.choice(["flu", "HIV"], n)
    return table.sample(frac=1, random_state=rng)


def _crowds(table, known):
    keys = ["|".join(map(str, row)) for row in table[known].astype(object).where(table[known].notna(), "?").to_numpy()]
    crowds = {}
    for key, patient in zip(keys, table["Patient"], strict=True):
        crowds.setdefault(key, []).append(patient)
    return keys, crowds


def _as_rows(table):
    return sorted(map(str, table.astype(object).where(table.notna(), "?").to_numpy().tolist()))


def published_as_asked(release_visits, rng, data):
    "Every visit is published whose crowd has at least k patients, and no other."
    tables = [(_visits(rng, 150), ["Age", "Work", "Zip"]), (data["visits.csv"], ["Age", "Sex", "Zip"])]
    for table, known in [*tables, (_visits(rng, 40), ["Zip"])]:
        for k in (1, 2, 5):
            keys, crowds = _crowds(table, known)
            large = np.array([len(set(crowds[key])) >= k for key in keys])
            published = _as_rows(release_visits(table.copy(), known, k))
            expected = _as_rows(table[large].drop(columns="Patient"))
            assert len(published) <= len(expected), (
                f"k = {k}: your code publishes visits that it should leave out. Take one such crowd: who is in it?"
            )
            assert published == expected, (
                f"k = {k}: your code leaves out or changes visits that may be published. A crowd of exactly k patients "
                "is large enough; a patient who came twice has two rows; and a missing value is a value."
            )


def patients_the_colleague_fails(colleague_exposes, rng, data):
    "The number of patients published in crowds of fewer than k patients."
    tables = [(_visits(rng, 150), ["Age", "Work", "Zip"]), (data["visits.csv"], ["Age", "Sex", "Zip"])]
    for table, known in [*tables, (data["visits.csv"], ["Age", "Sex", "Zip", "Education"])]:
        for k in (2, 4, 7):
            _, crowds = _crowds(table, known)
            failed = [set(rows) for rows in crowds.values() if len(rows) >= k > len(set(rows))]
            assert colleague_exposes(table.copy(), known, k) == len(set().union(*failed)), (
                f"k = {k}: go through the colleague's code. Which crowds does it publish? Which of these should it "
                "not? Count each patient in them once."
            )


# %% [markdown] task="q4" points=15 parts={"exposed_with_help": 7, "guessing_chances": 8}
# ## Task 4: What the crowd says (15 points)
#
# An attacker knows the columns `columns` of everybody, and has the table `data` with these columns and one more, the
# `secret`, which is never missing. Write
#
# - `exposed_with_help(data, columns, secret, m)`: the attacker also knows a little about the victim, enough to rule out
#   up to `m` of the values that the secret *doesn't* have, whichever these are (`m` is 0 or more). Of how many people
#   can the secret then be known for certain?
# - `guessing_chances(data, columns, secret)`: the attacker wants to guess the secret of a person drawn at random from
#   the table, as well as possible. Return two numbers: the chance of guessing right for an attacker who has been told
#   only how frequent each secret is in the whole table, and the chance with the table itself.


# %% role="starter" task="q4"
def exposed_with_help(data, columns, secret, m):
    """Return of how many people the secret is certain once m other values are ruled out."""
    ...


def guessing_chances(data, columns, secret):
    """Return the chance of a right guess without the table, and with it."""
    ...


# %% role="solution" task="q4"
def exposed_with_help(data, columns, secret, m):
    different = data.groupby(columns, dropna=False)[secret].transform("nunique")
    return (different - 1 <= m).sum()


def guessing_chances(data, columns, secret):
    best = data.groupby([*columns, secret], dropna=False).size().groupby(level=columns, dropna=False).max()
    return data[secret].value_counts().max() / len(data), best.sum() / len(data)


# %% role="visible" task="q4"
def _six():
    six = pd.DataFrame({"Age": [30, 30, 30, 40, 40, 50]})
    return six.assign(Illness=["flu", "flu", "HIV", "flu", "flu", "HIV"])


def people_of_six(exposed_with_help):
    "Three crowds that you can follow by hand."
    assert np.shape(exposed_with_help(_six(), ["Age"], "Illness", 0)) == (), "Return one number."
    assert exposed_with_help(_six(), ["Age"], "Illness", 0) == 3, "The crowds of 40 and 50 agree: three people."
    assert exposed_with_help(_six(), ["Age"], "Illness", 1) == 6, "There are only two illnesses: rule out one of them."


def chances_of_six(guessing_chances):
    "Both are chances, and the table never makes guessing harder."
    chances = guessing_chances(_six(), ["Age"], "Illness")
    assert np.shape(chances) == (2,), "Return two numbers."
    assert np.isclose(chances[0], 4 / 6), "Four of six have flu: who knows nothing else guesses flu."
    assert np.isclose(chances[1], 5 / 6), "Only one of the six doesn't have what is most frequent in the crowd."


# %% role="hidden" task="q4"
def _patients(rng, n=200):
    table = pd.DataFrame({"Age": rng.integers(2, 7, n) * 10, "Zip": rng.choice([1.0, 2.0, 3.0, np.nan], n)})
    table["Job type"] = rng.choice(["a", "b", None], n, p=[0.5, 0.4, 0.1])
    table["Illness"] = rng.choice(["asthma", "cold", "flu", "HIV", "none"], n, p=[0.1, 0.1, 0.2, 0.1, 0.5])
    return table


def _secrets(table, columns, secret):
    crowds = {}
    values = table[columns].astype(object).where(table[columns].notna(), "?").to_numpy()
    for key, value in zip(map(tuple, values), table[secret], strict=True):
        crowds.setdefault(key, []).append(value)
    return crowds.values()


def certain_secrets(exposed_with_help, rng, data):
    "The number of people whose secret is certain once m values are ruled out."
    tables = [(_patients(rng), ["Age", "Zip", "Job type"], "Illness"), (_patients(rng, 60), ["Job type"], "Illness")]
    for table, columns, secret in [*tables, (data["released.csv"], ["Year", "Sex"], "Diagnosis")]:
        for m in range(5):
            expected = sum(len(crowd) for crowd in _secrets(table, columns, secret) if len(set(crowd)) <= m + 1)
            assert exposed_with_help(table.copy(), columns, secret, m) == expected, (
                f"m = {m}: take a crowd with three different secrets. How many has the attacker to rule out before one "
                "is left? And how many people are in that crowd? (Missing values form crowds, too.)"
            )


def chances_of_guessing(guessing_chances, rng, data):
    "The chances of guessing right, without and with the table."
    tables = [(_patients(rng), ["Age", "Zip", "Job type"], "Illness"), (_patients(rng, 60), ["Job type"], "Illness")]
    for table, columns, secret in [*tables, (data["released.csv"], ["Year", "Sex"], "Diagnosis")]:
        without, with_table = guessing_chances(table.copy(), columns, secret)
        assert np.isclose(without, max(map(table[secret].tolist().count, set(table[secret]))) / len(table)), (
            "Without the table, what is the best single guess for everybody? How often is it right?"
        )
        right = sum(max(map(crowd.count, crowd)) for crowd in _secrets(table, columns, secret))
        assert np.isclose(with_table, right / len(table)), (
            "With the table, the best guess depends on the crowd. Large crowds are drawn more often than small ones, "
            "and missing values form crowds, too."
        )


# %% [markdown] task="q5" points=10
# ## Task 5: A rounded average (10 points)
#
# The hospital shows the average number of days that its patients stayed, rounded to `decimals` digits after the point,
# as nearby as possible. It was `before` with `n` patients, and it is `after` now that one more has left. Write
# `newcomer_days(n, before, after, decimals)`, which returns two whole numbers: the fewest and the most days that the
# newcomer may have stayed. Everybody stays for a whole number of days, at least 1; nobody has changed among the `n`;
# and nothing else is known. `n` and `decimals` are 1 or more. You needn't care about averages that lie exactly between
# two rounded values: no pair of averages you are given can have come from one.


# %% role="starter" task="q5"
def newcomer_days(n, before, after, decimals):
    """Return the fewest and the most days that the newcomer may have stayed."""
    ...


# %% role="solution" task="q5"
def newcomer_days(n, before, after, decimals):
    half = 0.5 * 10.0**-decimals

    def sums(people, average):
        # Whole days have whole sums; everybody stays for at least one day.
        return max(people, np.ceil(people * (average - half))), np.floor(people * (average + half))

    (low, high), (low_after, high_after) = sums(n, before), sums(n + 1, after)
    return int(max(1, low_after - high)), int(high_after - low)


# %% role="visible" task="q5"
def few_patients(newcomer_days):
    "With few patients and many digits there is only one possibility."
    answer = newcomer_days(3, 4.0, 5.25, 2)
    assert np.shape(answer) == (2,), "Return two numbers, the fewest and the most days."
    assert tuple(answer) == (9, 9), "Three patients with 12 days in all, then four with 21: the newcomer stayed 9 days."


# %% role="hidden" task="q5"
def _possible(n, before, after, decimals):
    unit = 10**decimals

    def sums(people, average):
        middle = people * round(average * unit)
        return [s for s in range(people, 20 * people) if 2 * abs(s * unit - middle) < people]

    found = {b - a for a in sums(n, before) for b in sums(n + 1, after) if b > a}
    return min(found), max(found)


def _is_tie(people, average, decimals):
    unit = 10**decimals
    return any(people * (2 * round(average * unit) + side) % (2 * unit) == 0 for side in (-1, 1))


def _cases(rng, decimals, sizes):
    for n in sizes:
        days = 2 + rng.poisson(5, n + 1)
        before, after = round(float(days[:-1].mean()), decimals), round(float(days.mean()), decimals)
        if not _is_tie(n, before, decimals) and not _is_tie(n + 1, after, decimals):
            yield n, before, after, decimals


def exact_days(newcomer_days, rng):
    "Where only one number of days fits both averages, it is found."
    for case in [*_cases(rng, 1, range(1, 10)), *_cases(rng, 2, range(1, 99, 7)), *_cases(rng, 3, (2, 77, 401))]:
        assert tuple(newcomer_days(*case)) == _possible(*case), (
            f"n, before, after, decimals = {case}: which sums of n whole numbers have an average that rounds to the "
            "first number? And which sums of n + 1 whole numbers to the second?"
        )


def ranges_of_days(newcomer_days, rng):
    "Where several numbers of days fit, they lie between the two."
    for case in [*_cases(rng, 1, range(11, 120, 6)), *_cases(rng, 1, range(13, 120, 6)), *_cases(rng, 2, (334, 410))]:
        assert tuple(newcomer_days(*case)) == _possible(*case), (
            f"n, before, after, decimals = {case}: both averages are rounded. Which of the two sums is at its largest "
            "when the newcomer stays as briefly as possible?"
        )


def at_least_a_day(newcomer_days):
    "Nobody stays for less than a day, neither the newcomer nor anybody else."
    for case in ((101, 6.2, 6.2, 1), (30, 1.0, 1.2, 1), (30, 1.0, 1.1, 1)):
        assert tuple(newcomer_days(*case)) == _possible(*case), (
            f"n, before, after, decimals = {case}: everybody stays for at least one day. Which sums does that rule "
            "out, and which answers?"
        )


# %% [markdown] task="q6" points=15
# ## Task 6: A table of your own (15 points)
#
# Write `coarsen(table, k)`. `table` has the columns and the kind of values of `patients`, nothing missing, and an index
# without duplicates. Return a table with the same four columns and some of the rows, with their index: the others are
# left out. Each value may be replaced by any number or text that stands for several values, and two rows with the same
# value may get different ones. The result must be k-anonymous on the four columns, for any table and any `k` of 1 or
# more; where that leaves no row, return a table without rows.
#
# And it should still be worth something. `mean_loss(patients, coarsen(patients, 5))` says how much is lost, as in
# chapter 2: a cell loses the share of the column's other values that its published value stands for, and a row that
# is left out loses everything. For k = 5 the loss must be **at most {{loss}}**, on `patients` and on three quarters
# of its rows, drawn at random. (Only leaving rows out loses nearly everything.) Your function may look at the whole
# table to decide what to do, and must finish within a few seconds.


# %% role="starter" task="q6"
def coarsen(table, k):
    """Return a k-anonymous version of the table, with coarser values and perhaps fewer rows."""
    ...


# %% role="solution" task="q6"
def coarsen(table, k):
    ranks = table.rank(method="dense").to_numpy()
    widths = np.ptp(ranks, axis=0) + 1 if len(table) else 1

    def halves(rows):
        """Split a crowd near the middle of its widest column where both halves stay large enough; else None."""
        for column in np.argsort(-np.ptp(ranks[rows], axis=0) / widths):
            here = ranks[rows, column]
            for low in (here < np.median(here), here <= np.median(here)):
                if min(low.sum(), (~low).sum()) >= k:
                    return [rows[low], rows[~low]]
        return None

    values = table.to_numpy(object)
    coarse, waiting = values.copy(), [np.arange(len(table))] if len(table) >= k else []
    while waiting:
        rows = waiting.pop()
        if parts := halves(rows):
            waiting += parts
            continue
        for column in range(values.shape[1]):
            coarse[rows, column] = f"{min(values[rows, column])} to {max(values[rows, column])}"
    coarse = pd.DataFrame(coarse, index=table.index, columns=table.columns)
    return coarse if len(table) >= k else coarse.iloc[:0]


# %% role="visible" task="q6"
def a_coarser_table(coarsen, patients):
    "You publish the four columns of some of the rows."
    coarse = coarsen(patients, 5)
    assert isinstance(coarse, pd.DataFrame), "Return a table."
    assert sorted(coarse.columns) == sorted(patients.columns), "Publish the columns of patients, and no others."
    assert coarse.index.is_unique and coarse.index.isin(patients.index).all(), (
        "The rows of your table should be rows of the original, each at most once, and keep their index."
    )


def loss_on_the_file(coarsen, patients, mean_loss, loss_allowed):
    "The loss on patients is small enough."
    lost = mean_loss(patients, coarsen(patients, 5))
    assert lost <= loss_allowed, f"The loss on patients is {lost:.3f}; {loss_allowed} is allowed."


# %% role="hidden" task="q6"
def _loss(original, coarse):
    cells = 0
    for column in original:
        label = coarse[column].astype(str)
        values = original[column].loc[coarse.index].groupby(label).nunique()
        cells += ((label.map(values) - 1) / (original[column].nunique() - 1)).sum()
    return (cells / original.shape[1] + len(original) - len(coarse)) / len(original)


def _k_of(coarse, original):
    assert coarse.index.is_unique and coarse.index.isin(original.index).all(), "A row is published that isn't there."
    assert sorted(coarse.columns) == sorted(original.columns), "Publish the four columns, and no others."
    crowds = pd.Series(list(zip(*(coarse[column].astype(str) for column in original), strict=True)), dtype=object)
    return crowds.value_counts().min() if len(crowds) else np.inf


def every_crowd_is_large_enough(coarsen, rng, data):
    "What you publish is k-anonymous, for every k and every table."
    for k, people in ((1, 300), (2, 400), (5, 500), (10, 700), (25, 200), (30, 31), (7, 7), (7, 6), (3, 1)):
        table = data["patients.csv"].sample(people, random_state=rng)
        found = _k_of(coarsen(table.copy(), k), table)
        assert found >= k, (
            f"k = {k}, {people} people: somebody is in a crowd of {found}. Count the crowds in what you publish, on "
            "all four columns, after the last step."
        )


def little_is_lost(coarsen, rng, data, term):
    "The loss for k = 5 is small enough, on the file and on three quarters of its rows."
    whole = data["patients.csv"]
    for table in (whole, *(whole.sample(frac=0.75, random_state=rng) for _ in range(2))):
        coarse = coarsen(table.copy(), 5)
        assert _k_of(coarse, table) >= 5, "For k = 5 somebody is in a smaller crowd."
        lost = _loss(table, coarse)
        assert lost <= term["loss"], (
            f"With {len(table)} people, the loss is {lost:.3f}; {term['loss']} is allowed. Which column pays most, and "
            f"how much do the {len(table) - len(coarse)} rows cost that are left out? Zips have neighbours, too."
        )


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: Your advice (10 points)
#
# The hospital's director writes: "Our new table is 5-anonymous, nobody in it can be found. We publish it every three
# months from now on, with the diagnosis, for those who were here in that quarter."
#
# In at most 250 words, advise the director. What does 5-anonymity promise, and what is wrong with the sentence? Name
# two different attacks that work on the planned tables although each is 5-anonymous, each with an example in two or
# three rows. What would you change, what does your change not protect against, and which kind of promise would?

# %% [markdown] role="rubric" task="q7"
# - 2 points: 5-anonymity says that each published row agrees with at least four others in the chosen columns. It
#   depends on the hospital's guess of what attackers know, and says nothing about the other columns.
# - 4 points, 2 for each attack with a working example: a crowd that agrees in its diagnosis (homogeneity); an attacker
#   who can rule out the others' diagnoses; two quarters' crowds of a patient who was there twice, with one diagnosis in
#   common (intersection); the difference of two tables when one person joins a crowd; a row count that isn't a count of
#   patients; somebody who knows one column more. Only 1 point for an attack without rows.
# - 2 points: a change that helps against one of the attacks named, and what it costs or leaves open: l-diversity or
#   t-closeness (not the intersection, nor more knowledge), one release a year or none of rows (coarser, later), fewer
#   columns, a contract instead of a publication.
# - 2 points: all these promise something about a table. What adds up over several releases, and holds whatever the
#   attacker knows, is a promise about the way of publishing: differential privacy, with its noise and its ε, which
#   would be spent anew each quarter. None of the tables here has a finite ε.
#
# **A model answer** (10 points) 5-anonymity says that every published row agrees with at least four others in the
# columns that we chose. It depends on our guess of what an attacker knows, and says nothing about the diagnosis;
# "nobody can be found" doesn't follow. Homogeneity: the rows (40-49, F, 12, HIV), five times over, tell the diagnosis
# of every woman of that age and area. Intersection: a patient who was here in two quarters is in the crowd {flu, HIV,
# asthma} in spring and in {HIV, migraine, fracture} in autumn; both are 5-anonymous, and only HIV is in both. I would
# publish once a year and ask each crowd for three different diagnoses (l-diversity). That helps against the first
# attack, costs rows or coarser values, and doesn't help who knows one column more, or against next year's table. What
# adds up over releases, and holds whatever is known, is a promise about the way of publishing: differential privacy,
# with noise and an ε that every quarter spends anew. Our tables have no finite ε.
#
# **A borderline answer** (5 points) "5-anonymity means that you are one of five, so somebody can guess with 20%. It is
# attackable by homogeneity, when all five have the same disease, and by background knowledge. I would use l-diversity
# or better differential privacy, which adds noise." Two attacks are named and neither is shown in rows (2 of 4); 1 for
# what is promised, 1 for the change without its cost, 1 for differential privacy without saying what it promises.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 1, why may a member who fits two rows still be found? Make a club of three members in which nobody can be
#    found, and change one value so that all can.
# 2. Your table of task 6 is 5-anonymous. Show me a crowd in it, and tell me what an attacker learns who knows the
#    person's age, and that she is in the table.
# 3. The hospital publishes the same table a year later, with one patient more. What can happen, although both are
#    5-anonymous?
