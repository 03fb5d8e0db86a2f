# %% [markdown]
# Answers to assignment 1 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="row-by-row" kind="right"
def name_the_rows(members, released):
    fitting = {}
    for person in members.to_dict("records"):
        rows = released.reset_index(drop=True)
        if not pd.isna(person["Born"]):
            rows = rows[rows["Year"] == int(person["Born"].split("-")[0])]
        if not pd.isna(person["Sex"]):
            rows = rows[rows["Sex"] == person["Sex"]]
        if not pd.isna(person["Zip"]):
            rows = rows[rows["Area"].astype(str) == str(int(person["Zip"]))[:2]]
        fitting[person["Name"]] = set(rows.index)
    answer, changed = {}, True
    while changed:
        changed = False
        for name, rows in fitting.items():
            if len(rows) == 1 and name not in answer:
                (answer[name],) = rows
                changed = True
                for other in fitting:
                    if other != name:
                        fitting[other] = fitting[other] - rows
    return answer


diagnoses = {}
for runner, at in name_the_rows(members, released).items():
    diagnoses[runner] = released.loc[at, "Diagnosis"]


# %% task="q1" name="no-second-look"
def name_the_rows(members, released):
    answer = {}
    for _, person in members.iterrows():
        fits = np.ones(len(released), bool)
        if not pd.isna(person["Born"]):
            fits &= (released["Year"] == int(person["Born"][:4])).to_numpy()
        if not pd.isna(person["Sex"]):
            fits &= (released["Sex"] == person["Sex"]).to_numpy()
        if not pd.isna(person["Zip"]):
            fits &= (released["Area"] == person["Zip"] // 1000).to_numpy()
        if fits.sum() == 1:
            answer[person["Name"]] = int(np.argmax(fits))
    return answer


diagnoses = {runner: released["Diagnosis"][at] for runner, at in name_the_rows(members, released).items()}


# %% task="q1" name="one-second-look"
def name_the_rows(members, released):
    free = np.ones((len(members), len(released)), bool)
    known = {"Year": members["Born"].str[:4].astype(float), "Sex": members["Sex"], "Area": members["Zip"] // 1000}
    for column, values in known.items():
        free &= (values.to_numpy()[:, None] == released[column].to_numpy()) | values.isna().to_numpy()[:, None]
    answer = {}
    for _ in range(2):
        for member in np.flatnonzero(free.sum(axis=1) == 1):
            row = int(np.argmax(free[member]))
            answer[members["Name"].iloc[member]] = row
            free[:, row] = False
    return answer


diagnoses = {runner: released["Diagnosis"][at] for runner, at in name_the_rows(members, released).items()}


# %% task="q1" name="unknown-fits-nothing"
def name_the_rows(members, released):
    known = members.dropna()
    known = known.assign(Year=known["Born"].str[:4].astype(int), Area=(known["Zip"] // 1000).astype(int))
    rows = released[["Year", "Sex", "Area"]].assign(row=range(len(released)))
    pairs = known.merge(rows, on=["Year", "Sex", "Area"])
    alone = pairs[~pairs["Name"].duplicated(keep=False)]
    return dict(zip(alone["Name"], alone["row"].tolist(), strict=True))


diagnoses = {runner: released["Diagnosis"][at] for runner, at in name_the_rows(members, released).items()}


# %% task="q1" name="first-row-that-fits" like="no-second-look"
# - answer = {}
# + answer, taken = {}, set()
# -         if fits.sum() == 1:
# -             answer[person["Name"]] = int(np.argmax(fits))
# +         free = [int(row) for row in np.flatnonzero(fits) if row not in taken]
# +         if free:
# +             answer[person["Name"]] = free[0]
# +             taken.add(free[0])

# %% task="q1" name="where-all-rows-agree-in-the-diagnosis" like="one-second-look"
# -     for _ in range(2):
# -         for member in np.flatnonzero(free.sum(axis=1) == 1):
# -             row = int(np.argmax(free[member]))
# -             answer[members["Name"].iloc[member]] = row
# -             free[:, row] = False
# +     for member, row in enumerate(free):
# +         if len(set(released["Diagnosis"][row])) == 1:
# +             answer[members["Name"].iloc[member]] = int(np.argmax(row))

# %% task="q1" name="diagnoses-of-the-sorted-file" like="one-second-look"
# -     for _ in range(2):
# -         for member in np.flatnonzero(free.sum(axis=1) == 1):
# +     while (new := np.flatnonzero(free.sum(axis=1) == 1)).size:
# +         for member in new:
# - diagnoses = {runner: released["Diagnosis"][at] for runner, at in name_the_rows(members, released).items()}
# + diagnoses = {
# +     runner: released.sort_values("Year")["Diagnosis"].iloc[at]
# +     for runner, at in name_the_rows(members, released).items()
# + }


# %% task="q2" name="leaves-columns-out" kind="right"
def minimal_keys(data, columns, share):
    table = data[columns].astype(object).where(data[columns].notna(), "missing").astype(str)

    def is_key(chosen):
        return bool(chosen) and (~table.duplicated(subset=chosen, keep=False)).mean() >= share

    found, waiting, seen = [], [sorted(columns)], set()
    while waiting:
        chosen = waiting.pop()
        if tuple(chosen) in seen or not is_key(chosen):
            continue
        seen.add(tuple(chosen))
        smaller = [[other for other in chosen if other != column] for column in chosen]
        if not any(is_key(one) for one in smaller):
            found.append(tuple(chosen))
        waiting += smaller
    return found


# %% task="q2" name="only-the-smallest"
def minimal_keys(data, columns, share):
    import itertools

    for size in range(1, len(columns) + 1):
        keys = []
        for chosen in itertools.combinations(columns, size):
            if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
                keys.append(list(chosen))
        if keys:
            return keys
    return []


# %% task="q2" name="all-keys"
def minimal_keys(data, columns, share):
    import itertools

    keys = []
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(columns, size):
            if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
                keys.append(list(chosen))
    return keys


# %% task="q2" name="different-rows-counted" like="all-keys"
# - if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
# + contains_one = any(set(key) <= set(chosen) for key in keys)
# +             if not contains_one and len(data[list(chosen)].drop_duplicates()) >= share * len(data):

# %% task="q2" name="missing-left-out" like="all-keys"
# - if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
# + contains_one = any(set(key) <= set(chosen) for key in keys)
# +             if not contains_one and (data.groupby(list(chosen)).size() == 1).sum() >= share * len(data):

# %% task="q2" name="share-of-the-crowds" like="all-keys"
# - if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
# + contains_one = any(set(key) <= set(chosen) for key in keys)
# +             if not contains_one and (data.groupby(list(chosen), dropna=False).size() == 1).mean() >= share:

# %% task="q2" name="more-than-the-share" like="all-keys"
# -             if (data.groupby(list(chosen), dropna=False).size() == 1).sum() >= share * len(data):
# -                 keys.append(list(chosen))
# +             if not any(set(key) <= set(chosen) for key in keys):
# +                 alone = (data.groupby(list(chosen), dropna=False).size() == 1).sum()
# +                 if alone > share * len(data) or alone == len(data):
# +                     keys.append(list(chosen))


# %% task="q3" name="each-patient-once-per-crowd" kind="right"
def release_visits(visits, known, k):
    crowds = {}
    keys = [tuple(map(str, row)) for row in visits[known].to_numpy(object)]
    for key, patient in zip(keys, visits["Patient"], strict=True):
        crowds.setdefault(key, set()).add(patient)
    return visits[[len(crowds[key]) >= k for key in keys]].drop(columns="Patient")


def colleague_exposes(visits, known, k):
    table = visits.fillna({column: -1 if visits[column].dtype.kind in "if" else "none" for column in known})
    rows = table.groupby(known)["Patient"].agg(["size", "nunique", "unique"])
    rows = rows[(rows["size"] >= k) & (rows["nunique"] < k)]
    return len(set().union(*rows["unique"]))


# %% task="q3" name="not-mended"
# - crowds = visits.groupby(known, dropna=False)["Patient"].transform("nunique")
# + crowds = visits.groupby(known, dropna=False)["Patient"].transform("size")

# %% task="q3" name="only-first-visits"
# -     crowds = visits.groupby(known, dropna=False)["Patient"].transform("nunique")
# -     return visits[crowds >= k].drop(columns="Patient")
# +     first = visits.drop_duplicates("Patient")
# +     crowds = first.groupby(known, dropna=False)["Patient"].transform("size")
# +     return first[crowds >= k].drop(columns="Patient")

# %% task="q3" name="patients-who-came-often-left-out"
# -     crowds = visits.groupby(known, dropna=False)["Patient"].transform("nunique")
# -     return visits[crowds >= k].drop(columns="Patient")
# +     once = visits[~visits["Patient"].duplicated(keep=False)]
# +     crowds = once.groupby(known, dropna=False)["Patient"].transform("size")
# +     return once[crowds >= k].drop(columns="Patient")

# %% task="q3" name="looks-for-missing-values"
# - crowds = visits.groupby(known, dropna=False)["Patient"].transform("nunique")
# + visits = visits.dropna(subset=known)
# +     crowds = visits.groupby(known)["Patient"].transform("nunique")

# %% task="q3" name="more-than-k"
# - return visits[crowds >= k].drop(columns="Patient")
# + return visits[crowds > k].drop(columns="Patient")

# %% task="q3" name="believes-the-colleague"
# -     groups = visits.groupby(known, dropna=False)["Patient"]
# -     exposed = (groups.transform("size") >= k) & (groups.transform("nunique") < k)
# -     return visits.loc[exposed, "Patient"].nunique()
# +     return 0

# %% task="q3" name="exposed-rows-counted"
# -     exposed = (groups.transform("size") >= k) & (groups.transform("nunique") < k)
# -     return visits.loc[exposed, "Patient"].nunique()
# +     return ((groups.transform("size") >= k) & (groups.transform("nunique") < k)).sum()

# %% task="q3" name="unpublished-patients-counted"
# -     groups = visits.groupby(known, dropna=False)["Patient"]
# -     exposed = (groups.transform("size") >= k) & (groups.transform("nunique") < k)
# -     return visits.loc[exposed, "Patient"].nunique()
# +     small = visits.groupby(known, dropna=False)["Patient"].transform("nunique") < k
# +     return visits.loc[small, "Patient"].nunique()


# %% task="q4" name="by-hand" kind="right"
def exposed_with_help(data, columns, secret, m):
    crowds = {}
    for row in data[[*columns, secret]].to_numpy(object):
        key = tuple("?" if pd.isna(value) else value for value in row[:-1])
        crowds.setdefault(key, []).append(row[-1])
    return sum(len(crowd) for crowd in crowds.values() if len(set(crowd)) <= m + 1)


def guessing_chances(data, columns, secret):
    alone = data[secret].value_counts(normalize=True).iloc[0]
    best = data.groupby(columns, dropna=False)[secret].agg(lambda crowd: crowd.value_counts().iloc[0])
    return [alone, best.sum() / len(data)]


# %% task="q4" name="crowds-counted"
# -     different = data.groupby(columns, dropna=False)[secret].transform("nunique")
# -     return (different - 1 <= m).sum()
# +     return (data.groupby(columns, dropna=False)[secret].nunique() <= m + 1).sum()

# %% task="q4" name="the-true-one-is-ruled-out-too"
# -     different = data.groupby(columns, dropna=False)[secret].transform("nunique")
# -     return (different - 1 <= m).sum()
# +     return (data.groupby(columns, dropna=False)[secret].transform("nunique") <= max(m, 1)).sum()


# %% task="q4" name="missing-left-out"
def exposed_with_help(data, columns, secret, m):
    return (data.groupby(columns)[secret].transform("nunique") <= m + 1).sum()


def guessing_chances(data, columns, secret):
    best = data.groupby([*columns, secret]).size().groupby(level=columns).max()
    return data[secret].value_counts().max() / len(data), best.sum() / len(data)


# %% task="q4" name="crowds-weigh-the-same"
def exposed_with_help(data, columns, secret, m):
    return (data.groupby(columns, dropna=False)[secret].transform("nunique") <= m + 1).sum()


def guessing_chances(data, columns, secret):
    best = data.groupby(columns, dropna=False)[secret].agg(lambda crowd: crowd.value_counts(normalize=True).max())
    return data[secret].value_counts().max() / len(data), best.mean()


# %% task="q4" name="guesses-by-drawing-from-the-crowd" like="crowds-weigh-the-same"
# -     best = data.groupby(columns, dropna=False)[secret].agg(lambda crowd: crowd.value_counts(normalize=True).max())
# -     return data[secret].value_counts().max() / len(data), best.mean()
# +     sizes = data.groupby([*columns, secret], dropna=False).size()
# +     crowds = data.groupby(columns, dropna=False).size()
# +     right = (sizes**2).groupby(level=columns, dropna=False).sum() / crowds
# +     return data[secret].value_counts().max() / len(data), right.sum() / len(data)


# %% task="q4" name="blind-guess-uniform"
def exposed_with_help(data, columns, secret, m):
    return (data.groupby(columns, dropna=False)[secret].transform("nunique") <= m + 1).sum()


def guessing_chances(data, columns, secret):
    best = data.groupby([*columns, secret], dropna=False).size().groupby(level=columns, dropna=False).max()
    return 1 / data[secret].nunique(), best.sum() / len(data)


# %% task="q5" name="tries-all-sums" kind="right"
def newcomer_days(n, before, after, decimals):
    def fitting(people, average):
        middle = int(people * average)
        near = range(max(people, middle - people), middle + people + 2)
        return [total for total in near if abs(total / people - average) < 0.5 * 10**-decimals + 1e-12]

    days = [b - a for a in fitting(n, before) for b in fitting(n + 1, after) if b - a >= 1]
    return min(days), max(days)


# %% task="q5" name="in-whole-numbers" kind="right"
def newcomer_days(n, before, after, decimals):
    unit = 10**decimals
    low, high = (
        max(n, -((n - 2 * n * round(before * unit)) // (2 * unit))),
        (2 * n * round(before * unit) + n) // (2 * unit),
    )
    m = n + 1
    low_after = max(m, -((m - 2 * m * round(after * unit)) // (2 * unit)))
    return max(1, low_after - high), (2 * m * round(after * unit) + m) // (2 * unit) - low


# %% task="q5" name="averages-taken-for-exact"
def newcomer_days(n, before, after, decimals):
    days = max(1, round((n + 1) * after - n * before))
    return days, days


# %% task="q5" name="low-minus-low"
def newcomer_days(n, before, after, decimals):
    half = 0.5 * 10.0**-decimals
    low, high = max(n, np.ceil(n * (before - half))), np.floor(n * (before + half))
    low_after, high_after = np.ceil((n + 1) * (after - half)), np.floor((n + 1) * (after + half))
    return int(max(1, low_after - low)), int(high_after - high)


# %% task="q5" name="sums-needn-t-be-whole"
def newcomer_days(n, before, after, decimals):
    half = 0.5 * 10.0**-decimals
    middle, way = (n + 1) * after - n * before, (2 * n + 1) * half
    return int(max(1, np.ceil(middle - way))), int(np.floor(middle + way))


# %% task="q5" name="digits-cut-off"
def newcomer_days(n, before, after, decimals):
    unit = 10.0**-decimals
    low, high = max(n, np.ceil(n * before - 1e-9)), np.ceil(n * (before + unit) - 1e-9) - 1
    low_after, high_after = np.ceil((n + 1) * after - 1e-9), np.ceil((n + 1) * (after + unit) - 1e-9) - 1
    return int(max(1, low_after - high)), int(high_after - low)


# %% task="q5" name="perhaps-no-day-at-all"
def newcomer_days(n, before, after, decimals):
    half = 0.5 * 10.0**-decimals
    low, high = np.ceil(n * (before - half)), np.floor(n * (before + half))
    return int(np.ceil((n + 1) * (after - half)) - high), int(np.floor((n + 1) * (after + half)) - low)


# %% task="q5" name="only-the-newcomer-stays-for-a-day"
def newcomer_days(n, before, after, decimals):
    half = 0.5 * 10.0**-decimals
    low, high = np.ceil(n * (before - half)), np.floor(n * (before + half))
    return int(max(1, np.ceil((n + 1) * (after - half)) - high)), int(np.floor((n + 1) * (after + half)) - low)


# %% task="q6" name="same-steps-for-everybody" kind="right"
def coarsen(table, k):
    coarse = pd.DataFrame(index=table.index)
    coarse["Age"] = table["Age"] // 15 * 15
    coarse["Sex"] = table["Sex"]
    coarse["Zip"] = pd.qcut(table["Zip"].rank(method="first"), 3, labels=False) if len(table) > 3 else 0
    coarse["Zip"] = coarse["Zip"].groupby(table["Zip"]).transform("min")
    short = table["Education"].str.contains("th$|Preschool|HS-grad")
    some = table["Education"].str.startswith(("Some", "Assoc"))
    coarse["Education"] = np.where(short, "school", np.where(some, "some college", "degree"))
    sizes = coarse.groupby(list(coarse)).transform("size") if len(coarse) else pd.Series(dtype=int)
    return coarse[sizes >= k]


# %% task="q6" name="sorted-and-cut" kind="right"
def coarsen(table, k):
    coarse = table.astype(object)
    ordered = table.sort_values(["Sex", "Education", "Age"]).index.to_numpy()
    if len(ordered) < k:
        return coarse.iloc[:0]
    values, place = table.loc[ordered].to_numpy(object), len(ordered) // k
    for rows in np.array_split(np.arange(len(ordered)), place):
        for column in range(values.shape[1]):
            here = sorted(set(values[rows, column]))
            values[rows, column] = " or ".join(map(str, here))
    return pd.DataFrame(values, index=ordered, columns=table.columns)


# %% task="q6" name="nothing-coarser"
def coarsen(table, k):
    return table[table.groupby(list(table)).transform("size") >= k]


# %% task="q6" name="decades-and-areas"
def coarsen(table, k):
    coarse = table.assign(Age=table["Age"] // 10 * 10, Zip=table["Zip"] // 1000)
    return coarse[coarse.groupby(list(coarse)).transform("size") >= k]


# %% task="q6" name="everything-but-the-sex"
def coarsen(table, k):
    coarse = table.assign(Age="any", Zip="any", Education="any")
    return coarse[coarse.groupby("Sex")["Age"].transform("size") >= k]


# %% task="q6" name="crowds-of-single-columns"
def coarsen(table, k):
    coarse = table.assign(Age=table["Age"] // 20 * 20, Zip=table["Zip"] // 10_000)
    for column in coarse:
        coarse = coarse[coarse.groupby(column)[column].transform("size") >= k]
    return coarse


# %% task="q6" name="education-coarser-after-the-count"
def coarsen(table, k):
    ages, zips = table["Age"] // 15 * 15, table["Zip"] // 30_000
    large = table.groupby([ages, table["Sex"], zips])["Age"].transform("size") >= k
    short = table["Education"].str.contains("th$|Preschool|HS-grad")
    coarse = table.assign(Age=ages, Zip=zips, Education=np.where(short, "school", "more"))
    return coarse[large]


# %% task="q6" name="no-row-left-out"
def coarsen(table, k):
    return table.assign(Age=table["Age"] // 30 * 30, Zip=table["Zip"] // 30_000, Education="any")


# %% task="q6" name="crowds-of-k-less-one"
def coarsen(table, k):
    short = table["Education"].str.contains("th$|Preschool|HS-grad")
    coarse = table.assign(Age=table["Age"] // 15 * 15, Zip=table["Zip"] // 30_000)
    coarse["Education"] = np.where(short, "school", "more")
    return coarse[coarse.groupby(list(coarse)).transform("size") >= k - 1]
