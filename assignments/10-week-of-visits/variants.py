# %% [markdown]
# Answers to assignment 10 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="in-loops" kind="right"
def person_costs(releases, visits, accounts):
    costs = dict.fromkeys(accounts["person"], 0.0)
    person_of = dict(zip(accounts["account"], accounts["person"], strict=True))
    for account, day in set(zip(visits["account"], visits["day"], strict=True)):
        costs[person_of[account]] += releases.loc[releases["day"] == day, "epsilon"].sum()
    return pd.Series(costs)


# %% task="q1" name="visits-instead-of-days"
# - account_days = visits[["account", "day"]].drop_duplicates()
# + account_days = visits[["account", "day"]]


# %% task="q1" name="accounts-share-a-day"
def person_costs(releases, visits, accounts):
    of_a_day = releases.groupby("day")["epsilon"].sum()
    days = visits.merge(accounts, on="account")[["person", "day"]].drop_duplicates()
    costs = days["day"].map(of_a_day).fillna(0.0)
    return costs.groupby(days["person"]).sum().reindex(accounts["person"].unique(), fill_value=0.0)


# %% task="q1" name="largest-release-of-a-day"
# - of_a_day = releases.groupby("day")["epsilon"].sum()
# + of_a_day = releases.groupby("day")["epsilon"].max()


# %% task="q1" name="everybody-pays-all-days"
def person_costs(releases, visits, accounts):
    came = visits.merge(accounts, on="account")["person"].unique()
    people = accounts.groupby("person").size() * releases["epsilon"].sum()
    return people.where(people.index.isin(came), 0.0)


# %% task="q1" name="days-in-parallel"
def person_costs(releases, visits, accounts):
    of_a_day = releases.groupby("day")["epsilon"].sum()
    rows = visits.merge(accounts, on="account")[["account", "person", "day"]].drop_duplicates()
    costs = rows["day"].map(of_a_day).fillna(0.0)
    return costs.groupby(rows["person"]).max().reindex(accounts["person"].unique(), fill_value=0.0)


# %% task="q2" name="person-by-person" kind="right"
def bound(visits, most_pages, most_rows, rng):
    kept = []
    for _, mine in visits.groupby("person"):
        pages = mine["page"].unique()
        for page in rng.permutation(pages)[:most_pages]:
            kept += list(rng.permutation(mine.index[mine["page"] == page])[:most_rows])
    return visits.loc[kept]


# %% task="q2" name="pages-of-drawn-rows"
def bound(visits, most_pages, most_rows, rng):
    shuffled = visits.iloc[rng.permutation(len(visits))]
    pairs = shuffled[["person", "page"]].drop_duplicates()
    kept = pairs.groupby("person").head(most_pages)
    inside = pd.MultiIndex.from_frame(shuffled[["person", "page"]]).isin(pd.MultiIndex.from_frame(kept))
    return shuffled[inside].groupby(["person", "page"]).head(most_rows)


# %% task="q2" name="first-pages-of-the-table"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]
# + shuffled = pairs

# %% task="q2" name="first-rows-of-the-table"
# - rows = rows.iloc[rng.permutation(len(rows))]
# + rows = rows.iloc[: len(rows)]

# %% task="q2" name="rows-in-total"
# - return rows[rows.groupby(["person", "page"]).cumcount() < most_rows]
# + return rows[rows.groupby("person").cumcount() < most_rows * most_pages]

# %% task="q2" name="most-popular-pages"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]
# + shuffled = pairs.assign(fame=pairs["page"].map(pairs["page"].value_counts()))
# +     shuffled = shuffled.sort_values("fame", ascending=False, kind="stable")[["person", "page"]]

# %% task="q2" name="popular-pages-more-often"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]
# + fame = pairs["page"].map(pairs["page"].value_counts()).to_numpy(dtype=float)
# +     shuffled = pairs.iloc[np.argsort(rng.standard_exponential(len(pairs)) / fame)]

# %% task="q2" name="same-draw-for-everybody"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]
# + names = np.unique(pairs["page"].to_numpy())
# +     luck = dict(zip(names, rng.random(len(names)), strict=True))
# +     shuffled = pairs.iloc[np.argsort(pairs["page"].map(luck).to_numpy(), kind="stable")]

# %% task="q2" name="pages-dropped-entirely"
# - return rows[rows.groupby(["person", "page"]).cumcount() < most_rows]
# + return rows[rows.groupby(["person", "page"])["page"].transform("size") <= most_rows]

# %% task="q2" name="generator-of-its-own"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]
# + shuffled = pairs.iloc[np.random.default_rng().permutation(len(pairs))]


# %% task="q3" name="own-alphabet" kind="right"
def page_counts(visits, pages, most_pages, epsilon, rng):
    pairs = visits[["person", "page"]].drop_duplicates().sort_values(["person", "page"])
    kept = pairs.groupby("person").head(most_pages)
    counts = [(kept["page"] == page).sum() for page in pages]
    return [count + rng.laplace(scale=most_pages / epsilon) for count in counts]


def swing(n):
    return 2 * n - 1


# %% task="q3" name="rarest-pages"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]  # what a person keeps depends on nobody else
# + fame = pairs["page"].map(pairs["page"].value_counts())
# +     shuffled = pairs.assign(fame=fame).sort_values(["fame", "page"])

# %% task="q3" name="popular-but-one-draw-breaks-ties"
# - shuffled = pairs.iloc[rng.permutation(len(pairs))]  # what a person keeps depends on nobody else
# + fame = pairs["page"].value_counts()
# +     luck = pd.Series(rng.random(len(fame)), index=fame.index)
# +     shuffled = pairs.assign(fame=pairs["page"].map(fame + luck)).sort_values("fame", ascending=False)

# %% task="q3" name="noise-for-one-page"
# - return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))
# + return counts + rng.laplace(scale=1 / epsilon, size=len(pages))

# %% task="q3" name="nobody-is-bounded"
# - kept = shuffled.groupby("person").head(most_pages)
# + kept = shuffled

# %% task="q3" name="pages-are-bounded"
# - kept = shuffled.groupby("person").head(most_pages)
# + kept = shuffled.groupby("page").head(50 * most_pages)

# %% task="q3" name="no-noise-on-empty-pages"
# - return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))
# + return counts + (counts > 0) * rng.laplace(scale=most_pages / epsilon, size=len(pages))

# %% task="q3" name="normal-noise"
# - return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))
# + return counts + rng.normal(scale=np.sqrt(2) * most_pages / epsilon, size=len(pages))

# %% task="q3" name="epsilon-a-quarter-larger"
# - return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))
# + return counts + rng.laplace(scale=most_pages / (1.25 * epsilon), size=len(pages))

# %% task="q3" name="swing-forgets-who-leaves"
# - return 2 * (n - 1) + 1
# + return 2 * (n - 1) if n > 1 else 1


# %% task="q4" name="by-the-inverse-distribution" kind="right"
def frequent_pages(visits, most_pages, epsilon, delta, rng):
    people = {}
    for _, mine in visits.groupby("person"):
        for page in rng.permutation(mine["page"].unique())[:most_pages]:
            people[str(page)] = people.get(str(page), 0) + 1
    scale, found = most_pages / epsilon, []
    for page, number in people.items():
        u = rng.random() - 0.5
        noisy = number - scale * np.sign(u) * np.log(1 - 2 * abs(u))
        if noisy >= 1 + scale * np.log(most_pages / (2 * delta)):
            found.append(page)
    return sorted(found)


# %% task="q4" name="delta-not-split"
# - threshold = 1 + scale * np.log(most_pages / (2 * delta))
# + threshold = 1 + scale * np.log(1 / (2 * delta))

# %% task="q4" name="threshold-without-its-one"
# - threshold = 1 + scale * np.log(most_pages / (2 * delta))
# + threshold = scale * np.log(most_pages / (2 * delta))

# %% task="q4" name="both-tails-of-the-noise"
# - threshold = 1 + scale * np.log(most_pages / (2 * delta))
# + threshold = 1 + scale * np.log(most_pages / delta)

# %% task="q4" name="noise-for-one-page"
# - scale = most_pages / epsilon
# + scale = 1 / epsilon

# %% task="q4" name="rows-are-counted"
# - pairs = visits[["person", "page"]].drop_duplicates()
# + pairs = visits[["person", "page"]]

# %% task="q4" name="nobody-is-bounded"
# - people = shuffled.groupby("person").head(most_pages).groupby("page").size()
# + people = shuffled.groupby("page").size()

# %% task="q4" name="largest-numbers-first"
# - return sorted(noisy[noisy >= threshold].index)
# + return list(noisy[noisy >= threshold].sort_values(ascending=False).index)

# %% task="q4" name="true-numbers-of-two-only"
# - return sorted(noisy[noisy >= threshold].index)
# + return sorted(noisy[(noisy >= threshold) & (people >= 2)].index)

# %% task="q4" name="epsilon-a-quarter-larger"
# - scale = most_pages / epsilon
# + scale = most_pages / (1.25 * epsilon)


# %% task="q5" name="by-small-steps" kind="right"
def noise_plan(most_pages, most_rows, epsilon, delta):
    def phi(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    s = 0.05
    while phi(1 / (2 * s) - epsilon * s) - math.exp(epsilon) * phi(-1 / (2 * s) - epsilon * s) > delta:
        s *= 1.005
    deviations = {"normal": math.sqrt(most_pages) * most_rows * s}
    deviations["laplace"] = math.sqrt(2) * most_pages * most_rows / epsilon
    kind = min(deviations, key=deviations.get)
    return kind, deviations[kind] / (math.sqrt(2) if kind == "laplace" else 1)


# %% task="q5" name="always-laplace"
# - return ("laplace", scale) if math.sqrt(2) * scale < sigma else ("normal", sigma)
# + return "laplace", scale

# %% task="q5" name="scale-against-deviation"
# - return ("laplace", scale) if math.sqrt(2) * scale < sigma else ("normal", sigma)
# + return ("laplace", scale) if scale < sigma else ("normal", sigma)

# %% task="q5" name="normal-by-the-sum"
# - math.sqrt(most_pages) * most_rows * high
# + most_pages * most_rows * high

# %% task="q5" name="normal-for-one-page"
# - math.sqrt(most_pages) * most_rows * high
# + most_rows * high

# %% task="q5" name="rows-under-the-root"
# - math.sqrt(most_pages) * most_rows * high
# + math.sqrt(most_pages * most_rows) * high

# %% task="q5" name="classical-formula"
# - low, high = 1e-3, 1e6
# + low = high = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
