# %% [markdown]
# # Assignment 10: A week of visits
#
# A town's web site keeps a row for every visit: who came, on which day, to which page. Some people come once, and some
# come hundreds of times. The town wants to publish how many people visit its pages, and promises **differential privacy
# for a person**. Neighbours are two tables of which one has one person more, with *all* rows of this person
# (add/remove), unless a task says otherwise. The code, ε, δ and all bounds are public. The rows are not, and neither is
# the number of people.
#
# You need chapters 4, 5, 6 and 22, and about four hours. Write into the cells marked for you, keep the names of the
# functions, and leave the rest as it is. Each task stands alone: a function that you write for one isn't used by
# another. Below each task is a cell that checks what you can check yourself; the grader checks more, on other numbers.
# What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded. `math.erf` is.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `visits.csv` has the visits of {{people}} invented people, `releases.csv` and `accounts.csv` belong to task 1. They
#   are there so that you can try your functions.

# %% role="term"
# At least 100 people; most is the number of pages that a person may count on in the checks of q3, 1 to 6.
TERM = {"people": 400, "epsilon": 0.5, "most": 5}


# %% role="data"
def make_data(term, rng):
    n = term["people"]
    times = np.minimum(np.ceil(3 * np.exp(1.3 * rng.normal(size=n))), 300).astype(int)
    person = np.repeat(np.arange(n), times)
    rank = np.minimum((1 / rng.random(len(person))).astype(int), 200)  # page r is wanted about 1 / r^2 as much
    visits = pd.DataFrame({"account": person, "day": rng.integers(1, 8, len(person)), "page": rank})
    visits["page"] = "page " + visits["page"].astype(str).str.zfill(3)
    visits["account"] = 2 * visits["account"] + (rng.random(len(person)) < 0.1)
    accounts = pd.DataFrame({"account": np.arange(2 * n), "person": np.arange(2 * n) // 2})
    releases = pd.DataFrame({"day": rng.integers(1, 8, 12), "epsilon": rng.integers(1, 9, 12) / 20})
    visits = visits.merge(accounts, on="account")
    return {"visits.csv": visits, "accounts.csv": accounts, "releases.csv": releases}


# %% role="setup"
import math

import numpy as np
import pandas as pd

visits = pd.read_csv("visits.csv")
accounts = pd.read_csv("accounts.csv")
releases = pd.read_csv("releases.csv")
visits.head()

# %% [markdown] task="q1" points=15
# ## Task 1: Whose ε is it? (15 points)
#
# So far the site has published something about each day. `releases` has a row for each release: the `day` whose rows it
# reads, and its `epsilon`, with which it is differentially private for an *account-day*: there, neighbours differ in
# all rows of one account on one day. A day may have several releases, or none. `accounts` says which `person` an
# `account` belongs to, and a person may have several. `visits` has the columns `account`, `day` and `page`.
#
# Write `person_costs(releases, visits, accounts)`. Return a Series with an ε for each person in `accounts`, and the
# persons as its index: the ε that covers everything that was published, if this person's rows in `visits` are all there
# or all missing. An account that didn't come on a day costs nothing on that day, and a person who never came costs 0.


# %% role="starter" task="q1"
def person_costs(releases, visits, accounts):
    """Return the ε of each person, for all releases together."""
    ...


# %% role="solution" task="q1"
def person_costs(releases, visits, accounts):
    of_a_day = releases.groupby("day")["epsilon"].sum()
    # An account costs once for each day on which it came, however often; accounts and days of a person add up.
    account_days = visits[["account", "day"]].drop_duplicates()
    costs = account_days["day"].map(of_a_day).fillna(0.0)
    person = account_days["account"].map(accounts.set_index("account")["person"])
    return costs.groupby(person.to_numpy()).sum().reindex(accounts["person"].unique(), fill_value=0.0)


# %% role="visible" task="q1"
def a_cost_for_each_person(person_costs):
    "There is an ε for each person, and one day of one account costs that day's ε."
    accounts = pd.DataFrame({"account": [1, 2], "person": ["Ada", "Bob"]})
    visits = pd.DataFrame({"account": [1], "day": [3], "page": ["news"]})
    releases = pd.DataFrame({"day": [3, 4], "epsilon": [0.25, 0.5]})
    costs = person_costs(releases, visits, accounts)
    assert isinstance(costs, pd.Series) and set(costs.index) == {"Ada", "Bob"}, "Return a Series, a number a person."
    assert np.isclose(costs["Ada"], 0.25), "Ada came on day 3 only, and its release costs 0.25."
    assert np.isclose(costs["Bob"], 0), "Bob never came: nothing that was published is about him."


# %% role="hidden" task="q1"
def _by_hand(releases, visits, accounts):
    """The same, person by person, account by account, day by day."""
    costs = {}
    for person in set(accounts["person"]):
        total = 0.0
        for account in set(accounts.loc[accounts["person"] == person, "account"]):
            for day in set(visits.loc[visits["account"] == account, "day"]):
                total += releases.loc[releases["day"] == day, "epsilon"].sum()
        costs[person] = total
    return costs


def _week(rng, people):
    accounts = pd.DataFrame({"account": rng.permutation(3 * people), "person": np.arange(3 * people) // 3})
    accounts = accounts[rng.random(len(accounts)) < 0.8]
    rows = rng.integers(len(accounts), size=6 * people)
    visits = pd.DataFrame({"account": accounts["account"].to_numpy()[rows], "day": rng.integers(1, 8, 6 * people)})
    visits["page"] = "news"
    releases = pd.DataFrame({"day": rng.integers(1, 6, 9), "epsilon": rng.integers(1, 9, 9) / 8})
    return releases, visits, accounts


def every_person_pays_for_accounts_and_days(person_costs, rng):
    "The ε of each person, on other weeks."
    for people in (1, 4, 30):
        week = _week(rng, people)
        costs, right = person_costs(*week), _by_hand(*week)
        assert set(costs.index) == set(right), "There should be an ε for each person in accounts, and for nobody else."
        for person, epsilon in right.items():
            assert np.isclose(costs[person], epsilon), (
                f"One person's ε is {costs[person]:g}, which is wrong. Count account-days: two visits of an "
                "account on a day are one, two accounts on a day are two, and a day may have several releases."
            )


# %% [markdown] task="q2" points=20
# ## Task 2: Nobody is too large (20 points)
#
# Write `bound(visits, most_pages, most_rows, rng)`. It returns the rows of `visits` (columns `person`, `day`, `page`)
# that remain when every person keeps at most `most_pages` different pages, and at most `most_rows` rows on each page
# that is kept. A person who has fewer pages keeps all of them, and so it is with the rows on a page.
#
# The pages are drawn by chance, each of a person's pages with the same probability, however many rows it has. The rows
# on a page are drawn with equal probabilities, too. What one person keeps is independent of everybody else's rows and
# draws. Keep the columns and the index of `visits`; the order of the rows is up to you.


# %% role="starter" task="q2"
def bound(visits, most_pages, most_rows, rng):
    """Return the rows that remain when nobody has too many."""
    ...


# %% role="solution" task="q2"
def bound(visits, most_pages, most_rows, rng):
    pairs = visits[["person", "page"]].drop_duplicates()
    shuffled = pairs.iloc[rng.permutation(len(pairs))]
    kept = shuffled[shuffled.groupby("person").cumcount() < most_pages]
    inside = pd.MultiIndex.from_frame(visits[["person", "page"]]).isin(pd.MultiIndex.from_frame(kept))
    rows = visits[inside]
    rows = rows.iloc[rng.permutation(len(rows))]
    return rows[rows.groupby(["person", "page"]).cumcount() < most_rows]


# %% role="visible" task="q2"
def bounds_are_kept(bound):
    "Nobody has too many pages or rows, and nobody loses rows without need."
    rows = [("Ada", 1, "news")] * 5 + [("Ada", 1, "jobs"), ("Ada", 2, "jobs"), ("Bob", 2, "news")]
    visits = pd.DataFrame(rows, columns=["person", "day", "page"])
    kept = bound(visits, 1, 2, np.random.default_rng(1))
    assert isinstance(kept, pd.DataFrame) and set(kept.columns) == {"person", "day", "page"}, "Return rows of visits."
    assert kept["person"].tolist().count("Ada") == 2, "Ada keeps one page, and two rows on it."
    assert kept["person"].tolist().count("Bob") == 1, "Bob has a single row, and keeps it."
    assert len(bound(visits, 9, 9, np.random.default_rng(1))) == 8, "With large bounds everything stays."
    assert len(bound(visits[:0], 1, 1, np.random.default_rng(1))) == 0, "A table without rows keeps none."


# %% role="hidden" task="q2"
def _crowd(n, pages, popular=0):
    """Return n people with so many rows on each page, and more people on page A alone."""
    rows = [(person, day, page) for person in range(n) for page, times in pages.items() for day in range(times)]
    rows += [(n + person, 0, "A") for person in range(popular)]
    return pd.DataFrame(rows, columns=["person", "day", "page"])


def as_much_as_allowed(bound, rng):
    "Every person keeps as many pages and rows as the bounds allow, and rows of visits only."
    rows = rng.integers(1, 6, size=(300, 3))
    visits = pd.DataFrame(rows, columns=["person", "day", "page"], index=rng.permutation(300))
    for most_pages, most_rows in ((1, 1), (2, 3), (4, 1), (9, 9)):
        kept = bound(visits, most_pages, most_rows, rng)
        assert kept.index.is_unique and visits.loc[kept.index].equals(kept[visits.columns]), (
            "Return rows of visits, each once, with their index."
        )
        for person, mine in visits.groupby("person"):
            left = kept[kept["person"] == person]
            assert left["page"].nunique() == min(most_pages, mine["page"].nunique()), (
                f"With at most {most_pages} pages a person, somebody keeps {left['page'].nunique()} of "
                f"{mine['page'].nunique()}."
            )
            for page, on_it in left.groupby("page"):
                assert len(on_it) == min(most_rows, (mine["page"] == page).sum()), (
                    f"With at most {most_rows} rows on a page, somebody keeps {len(on_it)} of "
                    f"{(mine['page'] == page).sum()}."
                )


def pages_are_drawn_fairly(bound, rng):
    "Each page of a person has the same chance, however many rows it has and however many other people visit it."
    for popular in (0, 3_000):
        kept = bound(_crowd(2_000, {"A": 9, "B": 1, "C": 2}, popular), 1, 1, rng)
        mine = kept[kept["person"] < 2_000]["page"]
        for page in "ABC":
            assert within(np.sum(mine == page), 2_000, 1 / 3), (
                f"Of 2,000 people with the same three pages, {np.sum(mine == page)} keep page {page}. Draw among a "
                "person's different pages, with equal chances, and independently for each person."
            )


def rows_are_drawn_fairly(bound, rng):
    "Each row on a page has the same chance."
    kept = bound(_crowd(2_000, {"A": 4}), 1, 1, rng)
    for day in range(4):
        assert within(np.sum(kept["day"] == day), 2_000, 1 / 4), "Draw the rows of a page with equal chances."


def randomness_is_of_the_generator(bound):
    "All randomness comes from rng."
    draws_from_rng(bound, _crowd(50, {"A": 3, "B": 3}), 1, 2)


# %% [markdown] task="q3" points=20 parts={"page_counts": 14, "swing": 6}
# ## Task 3: The colleague's code (20 points)
#
# `pages` is a public list. A colleague wrote `page_counts(visits, pages, most_pages, epsilon, rng)`, which returns a
# noisy number of people for each of `pages`, in their order; every visit is to one of them. Each person counts on at
# most `most_pages` pages, and to lose as little as possible the colleague lets everybody keep the pages that most
# people visit. The noise is Laplace noise of scale `most_pages / epsilon`.
#
# The code below runs, and its numbers look fine. There is a defect in it: it isn't ε-differentially private for a
# person. Mend `page_counts`: keep the noise, and choose the pages that a person keeps by another rule. And say how bad
# it is: `swing(n)` is the largest amount by which the *unmended* counts without noise can change, all pages together
# (L1), when one of `n` people leaves, with `most_pages = 1` and pages and visits that you choose as badly as possible.


# %% role="starter" task="q3"
def page_counts(visits, pages, most_pages, epsilon, rng):
    """Return a noisy number of people for each page."""
    pairs = visits[["person", "page"]].drop_duplicates()
    fame = pairs["page"].map(pairs["page"].value_counts())
    pairs = pairs.assign(fame=fame).sort_values(["fame", "page"], ascending=False)
    kept = pairs.groupby("person").head(most_pages)
    counts = kept["page"].value_counts().reindex(pages, fill_value=0).to_numpy()
    return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))


def swing(n):
    """Return how much the unmended counts can change when one of n people leaves."""
    return 1


# %% role="solution" task="q3"
def page_counts(visits, pages, most_pages, epsilon, rng):
    pairs = visits[["person", "page"]].drop_duplicates()
    shuffled = pairs.iloc[rng.permutation(len(pairs))]  # what a person keeps depends on nobody else
    kept = shuffled.groupby("person").head(most_pages)
    counts = kept["page"].value_counts().reindex(pages, fill_value=0).to_numpy()
    return counts + rng.laplace(scale=most_pages / epsilon, size=len(pages))


def swing(n):
    # All others move from one page to another, which changes two counts, and the one who leaves takes one along.
    return 2 * (n - 1) + 1


# %% role="visible" task="q3"
def a_count_for_each_page(page_counts):
    "There is a number for each page, and with a huge ε it is the number of people, where nobody has too many pages."
    rows = [("Ada", "news"), ("Ada", "news"), ("Ada", "jobs"), ("Bob", "news")]
    visits = pd.DataFrame(rows, columns=["person", "page"])
    counts = np.asarray(page_counts(visits, ["jobs", "news", "maps"], 2, 1e9, np.random.default_rng(1)))
    assert counts.shape == (3,), f"3 pages should get 3 numbers, not an answer of shape {counts.shape}."
    assert close(counts, [1, 2, 0], atol=1e-3), "Count people: Ada's two visits to one page are one person."


def a_swing_is_a_number(swing):
    "swing returns a number, and one person alone can change no more than the bound."
    assert np.shape(swing(5)) == () and swing(1) == 1, "With one person and one page, the change is 1."


# %% role="hidden" task="q3"
def _people(n, own):
    """Return n people who visit the pages of ``own``, and one more who visits page A."""
    rows = [(person, page) for person in range(n) for page in own]
    return pd.DataFrame([*rows, (n, "A")], columns=["person", "page"])


def nobody_moves_other_people(page_counts, rng):
    "Whether one person is in the table doesn't change which pages the others keep."
    pages = list("ABC")
    for n in (60, 400):
        for tie in ("AB", "BC", "AC"):
            everybody = _people(n, tie)
            for extra in "ABC":
                table = pd.concat([everybody, pd.DataFrame({"person": [n + 1], "page": [extra]})])
                # Drawn by chance, a count has a standard deviation of at most sqrt(n) / 2.
                counts = [np.asarray(page_counts(one, pages, 1, 1e9, rng)) for one in (everybody, table)]
                assert np.abs(counts[0] - counts[1]).max() <= 7 * np.sqrt(n / 2) + 2, (
                    f"One person more visits page {extra}, and a count changes by "
                    f"{np.abs(counts[0] - counts[1]).max():.0f}: other people keep other pages now. Choose by a "
                    "person's own rows."
                )
                assert np.isclose(counts[0].sum(), n + 1, atol=1e-3), "Everybody keeps as many pages as allowed."


def noise_is_for_a_person(page_counts, rng, term):
    "The noise is Laplace noise of scale most_pages / ε, on every page."
    cases = []
    for n, most in ((0, term["most"]), (30, 1), (100, term["most"]), (300, 2)):
        pages = [f"page {number}" for number in range(8)]
        # Nobody has more pages than allowed, so that the exact counts are known.
        rows = [(person, pages[(person + k) % 6]) for person in range(n) for k in range(most)]
        visits = pd.DataFrame(rows, columns=["person", "page"])
        exact = visits.drop_duplicates()["page"].value_counts().reindex(pages, fill_value=0).to_numpy()
        given = (page_counts, visits, pages, most, term["epsilon"])
        drawn = sample(page_counts, 500, *given[1:], rng=rng)
        where = f"{n:,} people, at most {most} pages each:"
        cases.append(Case(partial(*given), exact, most / term["epsilon"], where, drawn=drawn))
    additive(cases)


def how_far_the_counts_swing(swing):
    "The largest change, when one of n people leaves."
    for n in (1, 2, 7, 100):
        assert swing(n) == 2 * (n - 1) + 1, (
            f"With {n} people the counts can change by another amount. Let all others have the same two pages: what "
            "happens to two counts when they all change sides, and what takes the one who leaves along?"
        )


# %% [markdown] task="q4" points=20
# ## Task 4: Which pages may appear? (20 points)
#
# Now the list of pages isn't public: a page may be about one person alone. Write
# `frequent_pages(visits, most_pages, epsilon, delta, rng)`. It returns the list of the pages that may be published,
# sorted by the alphabet, (ε, δ)-differentially private for a person:
#
# - Each person counts once on each of at most `most_pages` of their pages, drawn by chance with equal probabilities.
# - Each page's number of people gets Laplace noise of scale `most_pages / epsilon`.
# - A page is in the list if its noisy number reaches the smallest threshold for which this is private, when you give
#   each page of a person an equal share of δ. Pages that nobody counts on are never in the list.


# %% role="starter" task="q4"
def frequent_pages(visits, most_pages, epsilon, delta, rng):
    """Return the sorted list of pages that may appear."""
    ...


# %% role="solution" task="q4"
def frequent_pages(visits, most_pages, epsilon, delta, rng):
    pairs = visits[["person", "page"]].drop_duplicates()
    shuffled = pairs.iloc[rng.permutation(len(pairs))]
    people = shuffled.groupby("person").head(most_pages).groupby("page").size()
    scale = most_pages / epsilon
    threshold = 1 + scale * np.log(most_pages / (2 * delta))
    noisy = people + rng.laplace(scale=scale, size=len(people))
    return sorted(noisy[noisy >= threshold].index)


# %% role="visible" task="q4"
def a_sorted_list(frequent_pages):
    "A page of many people appears, a page of one person doesn't, and the list is sorted."
    rows = [(person, page) for person in range(300) for page in ("news", "jobs")] + [(300, "my own page")]
    visits = pd.DataFrame(rows, columns=["person", "page"])
    found = frequent_pages(visits, 2, 1.0, 1e-9, np.random.default_rng(1))
    assert isinstance(found, list), f"Return a list, not {type(found).__name__}."
    assert found == ["jobs", "news"], f"Two pages have 300 people each, and one has a single visitor: got {found}."
    assert frequent_pages(visits[:0], 2, 1.0, 1e-9, np.random.default_rng(1)) == [], "Without visits, no page appears."


# %% role="hidden" task="q4"
def _chance(people, most, epsilon, delta):
    above = 1 + most / epsilon * np.log(most / (2 * delta)) - people
    return stats.laplace.sf(above, scale=most / epsilon)


def _groups(number, people):
    """Return so many pages, each with so many people, who are on no other page, and come there three times."""
    rows = [(f"{page}.{k}", f"page {page:04}") for page in range(number) for k in range(people) for _ in range(3)]
    return pd.DataFrame(rows, columns=["person", "page"])


def pages_appear_as_often_as_they_should(frequent_pages, rng):
    "Pages of each number of people appear with the probability that noise and threshold give."
    for most, epsilon, delta, sizes in (
        (1, 1.0, 0.05, (1, 2, 3, 4, 6)),
        (3, 2.0, 0.2, (1, 3, 5)),
        (2, 0.5, 0.3, (1, 6)),
    ):
        for people in sizes:
            found = frequent_pages(_groups(1_500, people), most, epsilon, delta, rng)
            assert found == sorted(set(found)), "The list should be sorted, and have each page once."
            chance = _chance(people, most, epsilon, delta)
            assert within(len(found), 1_500, chance), (
                f"ε = {epsilon:g}, δ = {delta:g}, at most {most} pages a person: of 1,500 pages with {people} people "
                f"each, {len(found)} appear, and about {1_500 * chance:.0f} should. Which scale has the noise, which "
                "share of δ has a page, and what does it take to lift a page of one person over the threshold?"
            )


def alone_on_many_pages(frequent_pages, rng):
    "Somebody who is alone on many pages is given away with probability δ at most."
    most, delta = 40, 0.4
    rows = [(person, f"page {person}.{k}") for person in range(60) for k in range(most)]
    found = frequent_pages(pd.DataFrame(rows, columns=["person", "page"]), most, 1.0, delta, rng)
    assert within(len(found), 60 * most, delta / most), (
        f"60 people are alone on {most} pages each, and {len(found)} of the pages appear. Each page has a share of δ."
    )


def people_count_and_not_rows(frequent_pages, rng):
    "A hundred visits of one person are one person."
    rows = [(person, "busy") for person in range(3) for _ in range(400)] + [(k, "quiet") for k in range(10, 200)]
    visits = pd.DataFrame(rows, columns=["person", "page"])
    for _ in range(20):
        assert frequent_pages(visits, 1, 1.0, 1e-12, rng) == ["quiet"], (
            "A page with 1,200 visits of three people appears, or one with 190 people doesn't."
        )


def a_person_counts_on_few_pages(frequent_pages, rng):
    "Each person counts on as many pages as allowed, and no more, drawn fairly."
    rows = [(person, f"page {k:03}") for person in range(30) for k in range(200)]
    visits = pd.DataFrame(rows, columns=["person", "page"])
    found = frequent_pages(visits, 1, 1e6, 0.4, rng)
    assert len(found) <= 30, f"30 people who count on one page each can't fill {len(found)} pages."
    rows = [(person, page) for person in range(1_000) for page in "AAAAAB"]
    counts = [len(frequent_pages(pd.DataFrame(rows, columns=["person", "page"]), 1, 1e6, 0.4, rng)) for _ in range(3)]
    assert counts == [2, 2, 2], "Of 1,000 people with the same two pages, about half should count on each."


# %% [markdown] task="q5" points=15
# ## Task 5: Which noise? (15 points)
#
# The list of pages is public again. Each person counts on at most `most_pages` pages, and adds at most `most_rows` to
# the number of each. The town accepts (ε, δ)-differential privacy for a person, and wants the noise with the smaller
# standard deviation: Laplace noise, or normal noise.
#
# Write `noise_plan(most_pages, most_rows, epsilon, delta)`. Return a pair: the word `"laplace"` or `"normal"`, and a
# number, the Laplace noise's scale $b$ or the normal noise's standard deviation $\sigma$. The scale of Laplace noise is
# the smallest that is ε-differentially private. That of normal noise is private, and at most 1% above the smallest one
# for which this exact condition holds ($s = \sigma/\Delta_2$, and $\Phi$ is the normal distribution function):
#
# $$\Phi\!\Big(\frac{1}{2s} - \varepsilon s\Big)
# - e^{\varepsilon}\,\Phi\!\Big(-\frac{1}{2s} - \varepsilon s\Big) \le \delta.$$
#
# (`math.erfc` helps where $\Phi$ is small: $\Phi(x) = \frac12\,\mathrm{erfc}(-x/\sqrt2)$. If the two noises are equally
# good to within 2%, either may be returned.)


# %% role="starter" task="q5"
def noise_plan(most_pages, most_rows, epsilon, delta):
    """Return ("laplace", scale) or ("normal", sigma), whichever has the smaller deviation."""
    ...


# %% role="solution" task="q5"
def noise_plan(most_pages, most_rows, epsilon, delta):
    def tells(s):
        high, low = 1 / (2 * s) - epsilon * s, -1 / (2 * s) - epsilon * s
        return math.erfc(-high / math.sqrt(2)) / 2 - math.exp(epsilon) * math.erfc(-low / math.sqrt(2)) / 2

    low, high = 1e-3, 1e6
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if tells(middle) > delta else (low, middle)
    scale, sigma = most_pages * most_rows / epsilon, math.sqrt(most_pages) * most_rows * high
    return ("laplace", scale) if math.sqrt(2) * scale < sigma else ("normal", sigma)


# %% role="visible" task="q5"
def a_word_and_a_number(noise_plan):
    "There is a word and a number, and one page is best served by Laplace noise."
    plan = noise_plan(1, 2, 0.5, 1e-6)
    assert len(plan) == 2 and plan[0] in ("laplace", "normal"), 'Return a pair: "laplace" or "normal", and a number.'
    assert plan[0] == "laplace" and np.isclose(plan[1], 4), "For one page, Laplace noise of scale 2/0.5 is better."


# %% role="hidden" task="q5"
def _smallest(epsilon, delta):
    """Return the smallest s of the condition."""

    def tells(s):
        return stats.norm.cdf(1 / (2 * s) - epsilon * s) - np.exp(epsilon) * stats.norm.cdf(-1 / (2 * s) - epsilon * s)

    low, high = 1e-3, 1e6
    for _ in range(200):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if tells(middle) > delta else (low, middle)
    return high


def the_better_noise_at_the_right_scale(noise_plan):
    "The noise with the smaller deviation, private, and with nothing to spare."
    for epsilon, delta in ((0.2, 1e-6), (1.0, 1e-6), (1.0, 1e-3), (3.0, 1e-9)):
        smallest = _smallest(epsilon, delta)
        for most_pages in (1, 2, 5, 12, 40, 300):
            for most_rows in (1, 7):
                kind, scale = noise_plan(most_pages, most_rows, epsilon, delta)
                laplace, normal = most_pages * most_rows / epsilon, np.sqrt(most_pages) * most_rows * smallest
                where = f"At most {most_pages} pages and {most_rows} on each, ε = {epsilon:g}, δ = {delta:g}: "
                if kind == "laplace":
                    assert np.isclose(scale, laplace, rtol=1e-6), (
                        where + f"the scale of Laplace noise is {scale:.4g}, not what one person can change in total, "
                        "divided by ε."
                    )
                    assert np.sqrt(2) * laplace <= 1.02 * normal, where + "normal noise has the smaller deviation."
                else:
                    assert scale >= normal * (1 - 1e-6), (
                        where + f"σ = {scale:.4g} isn't private. How long is the vector that one person adds?"
                    )
                    assert scale <= 1.01 * normal, where + f"σ = {scale:.4g} is more than 1% above the smallest one."
                    assert normal <= 1.02 * np.sqrt(2) * laplace, where + "Laplace noise has the smaller deviation."


# %% [markdown] role="written" task="q6" points=10
# ## Task 6: The press office (10 points)
#
# The town publishes, every week, the number of people on each page that `frequent_pages` returns, with ε = {{epsilon}}
# and δ = 10⁻⁶ in total for one person and one week. Three people write in:
#
# 1. "Add the visits of the page *how to leave a violent partner* to the list by hand. It is important, and three people
#    are too few for your threshold."
# 2. "My own page had 900 visits this week, and you print 11. Your noise is broken."
# 3. "I read the table of 50 weeks. So my ε is still {{epsilon}}: each week is about other visits."
#
# In at most 200 words: answer each of them. Say what would be given away, or what the number means, and what the town
# could do instead.

# %% [markdown] role="rubric" task="q6"
# - 4 points, letter 1: that a page is in the list because somebody looked at its true number, or at its name in the
#   log, is a second look at the data, and no ε covers it (2); three people, or one of them, could be recognised by
#   somebody who knows the others (1). Instead: put it on a *public* list that is decided without looking at the log,
#   and publish all pages of that list, empty or not (1).
# - 3 points, letter 2: the table counts people who keep a few of their pages, not visits (2); what is missing is a
#   bias of the bounds, and the noise is of known size. Instead: say so beside the table, or raise the bounds and pay
#   with noise (1).
# - 3 points, letter 3: wrong, because the same person is in every week: the ε of the weeks are added, up to 50 ·
#   {{epsilon}} (2); the unit is one person and one week, which must be said, and a budget for a year can be divided
#   (1).
#
# **A model answer** (10 points) Letter 1: We don't add pages by hand that we saw in the log. That such a page was
# visited would then be certain, and no ε covers it; who knows two of the three visitors could recognise the third. We
# can decide, without looking, that this page is on a public list, which we publish whole, with noise, even if nobody
# came. Letter 2: The table doesn't count visits. Each person counts on a few pages, and once on each, so a page with
# 900 visits of few people has a small number. That isn't the noise, whose size we publish, but a bias of the bounds.
# We say it beside the table; larger bounds would need more noise. Letter 3: Each week is about other visits, but
# about the same person. The promise is for a person and a week. Over 50 weeks the ε add up, to 50 times as much in
# the worst case. We can fix a budget for the year and divide it.
#
# **A borderline answer** (5 points) "1: No, that would break privacy, because the page is rare. 2: There is noise,
# and there are bounds, so the number is smaller. 3: No, it is 50 times ε by composition." Letter 1 doesn't say which
# look at the data breaks the promise, nor what could be done (1 of 4); letter 2 mixes noise and bias (2 of 3); letter
# 3 is right but names no unit and no cure (2 of 3).

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 2, why is it a mistake to draw rows and to keep the pages that they are on? Who would notice?
# 2. In task 4, show me on paper a person who would be given away if δ weren't split. What does your threshold do for
#    this person?
# 3. In task 5, why does normal noise win when there are many pages? Which norm does each noise follow, and why?
