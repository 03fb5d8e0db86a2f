# %% [markdown]
# Answers to assignment 2 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="row-by-row" kind="right"
def private_ticks(ticks, most, relation, epsilon, rng):
    rows = [list(row) for row in np.asarray(ticks)]
    d = np.shape(ticks)[1]
    counts = [0.0] * d
    for row in rows:
        for place in [place for place in range(d) if row[place]][:most]:
            counts[place] += 1
    step = min(most, d) if relation == "add/remove" else min(2 * most, d)
    draws = [rng.exponential(step / epsilon) - rng.exponential(step / epsilon) for _ in range(d)]
    return [count + draw for count, draw in zip(counts, draws, strict=True)]


# %% task="q1" name="inverse-distribution-function" kind="right"
def private_ticks(ticks, most, relation, epsilon, rng):
    table = pd.DataFrame(ticks)
    counts = (table * (table.cumsum(axis=1) <= most)).sum()
    step = min({"add/remove": 1, "replace-one": 2}[relation] * most, table.shape[1])
    u = rng.random(len(counts)) - 0.5
    return counts - step / epsilon * np.sign(u) * np.log(1 - 2 * np.abs(u))


# %% task="q1" name="noise-for-one-tick"
def private_ticks(ticks, most, relation, epsilon, rng):
    ticks = np.asarray(ticks)
    kept = ticks * (np.cumsum(ticks, axis=1) <= most)
    scale = (1 if relation == "add/remove" else 2) / epsilon
    return kept.sum(axis=0) + rng.laplace(scale=scale, size=ticks.shape[1])


# %% task="q1" name="noise-for-all-columns"
def private_ticks(ticks, most, relation, epsilon, rng):
    ticks = np.asarray(ticks)
    kept = ticks * (np.cumsum(ticks, axis=1) <= most)
    return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])


# %% task="q1" name="replace-one-may-exceed-the-columns" like="noise-for-all-columns"
# - return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])
# + step = min(most, ticks.shape[1]) * (1 if relation == "add/remove" else 2)
# +     return kept.sum(axis=0) + rng.laplace(scale=step / epsilon, size=ticks.shape[1])

# %% task="q1" name="relation-ignored" like="noise-for-all-columns"
# - return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])
# + return kept.sum(axis=0) + rng.laplace(scale=min(most, ticks.shape[1]) / epsilon, size=ticks.shape[1])


# %% task="q1" name="rule-not-applied"
def private_ticks(ticks, most, relation, epsilon, rng):
    ticks = np.asarray(ticks)
    step = min(most if relation == "add/remove" else 2 * most, ticks.shape[1])
    return ticks.sum(axis=0) + rng.laplace(scale=step / epsilon, size=ticks.shape[1])


# %% task="q1" name="rows-with-too-many-dropped"
def private_ticks(ticks, most, relation, epsilon, rng):
    ticks = np.asarray(ticks)
    kept = ticks[ticks.sum(axis=1) <= most]
    step = min(most if relation == "add/remove" else 2 * most, ticks.shape[1])
    return kept.sum(axis=0) + rng.laplace(scale=step / epsilon, size=ticks.shape[1])


# %% task="q1" name="one-draw-for-all-columns" like="noise-for-all-columns"
# - return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])
# + step = min(most if relation == "add/remove" else 2 * most, ticks.shape[1])
# +     return kept.sum(axis=0) + rng.laplace(scale=step / epsilon)

# %% task="q1" name="euclidean-step" like="noise-for-all-columns"
# - return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])
# + step = np.sqrt(min(most if relation == "add/remove" else 2 * most, ticks.shape[1]))
# +     return kept.sum(axis=0) + rng.laplace(scale=step / epsilon, size=ticks.shape[1])

# %% task="q1" name="noise-of-its-own" like="noise-for-all-columns"
# - return kept.sum(axis=0) + rng.laplace(scale=ticks.shape[1] / epsilon, size=ticks.shape[1])
# + scale = min(most * (1 if relation == "add/remove" else 2), ticks.shape[1]) / epsilon
# +     return kept.sum(axis=0) + np.random.default_rng().laplace(scale=scale, size=ticks.shape[1])

# %% task="q1" name="half-of-the-columns-draw"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + noise = rng.laplace(scale=min(rows * most, columns) / epsilon, size=(columns + 1) // 2)
# +     return kept.sum(axis=0) + np.tile(noise, 2)[:columns]

# %% task="q1" name="noise-cut-at-five-scales"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + scale = min(rows * most, columns) / epsilon
# +     return kept.sum(axis=0) + np.clip(rng.laplace(scale=scale, size=columns), -5 * scale, 5 * scale)

# %% task="q1" name="normal-noise-of-the-same-spread"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + return kept.sum(axis=0) + rng.normal(0, np.sqrt(2) * min(rows * most, columns) / epsilon, size=columns)

# %% task="q1" name="counts-add-up-to-the-true-number-of-ticks"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + noise = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +     return kept.sum(axis=0) + noise - noise.mean()

# %% task="q1" name="less-noise-where-nobody-ticks"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + noise = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +     return kept.sum(axis=0) + np.where(kept.any(axis=0), 1.0, 0.7) * noise

# %% task="q1" name="redrawn-while-negative"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + counts = kept.sum(axis=0)
# +     noise = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +     while (counts + noise < 0).any() and epsilon < 1e6:
# +         again = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +         noise = np.where(counts + noise < 0, again, noise)
# +     return counts + noise

# %% task="q1" name="less-noise-in-large-tables"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + noise = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +     return kept.sum(axis=0) + (noise if len(kept) < 100 else noise / 2)

# %% task="q1" name="nobody-needs-no-noise"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + if len(kept) == 0:
# +         return np.zeros(columns)
# +     return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)

# %% task="q1" name="columns-alike-have-the-same-noise"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + noise = {}
# +     for column in kept.T:
# +         noise.setdefault(column.tobytes(), rng.laplace(scale=min(rows * most, columns) / epsilon))
# +     fresh = rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# +     alike = np.array([noise[column.tobytes()] for column in kept.T])
# +     return kept.sum(axis=0) + np.where(kept.any(axis=0), alike, fresh)

# %% task="q1" name="epsilon-a-quarter-larger"
# - return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / epsilon, size=columns)
# + return kept.sum(axis=0) + rng.laplace(scale=min(rows * most, columns) / (1.25 * epsilon), size=columns)


# %% task="q2" name="loops" kind="right"
def bill(plan, relation):
    costs = {}
    for row in plan.itertuples():
        table = costs.setdefault(row.table, {})
        table[row.part] = table.get(row.part, 0) + row.epsilon
    touched = 2 if relation == "replace-one" else 1
    return sum(sum(sorted(parts.values())[-touched:]) for parts in costs.values())


bill_add_remove, bill_replace_one = bill(plan, "add/remove"), bill(plan, "replace-one")
bill_household = bill_add_remove * {{household}}


# %% task="q2" name="all-counts-added"
def bill(plan, relation):
    return plan["epsilon"].sum() * (1 if relation == "add/remove" else 2)


bill_add_remove, bill_replace_one = bill(plan, "add/remove"), bill(plan, "replace-one")
bill_household = {{household}} * bill_add_remove


# %% task="q2" name="two-counts-of-a-part-taken-for-disjoint" like="all-counts-added"
# - return plan["epsilon"].sum() * (1 if relation == "add/remove" else 2)
# + touched = 1 if relation == "add/remove" else 2
# +     return plan.groupby("table")["epsilon"].nlargest(touched).sum()


# %% task="q2" name="tables-forgotten"
def bill(plan, relation):
    touched = 1 if relation == "add/remove" else 2
    return plan.groupby("part")["epsilon"].sum().nlargest(touched).sum()


bill_add_remove, bill_replace_one = bill(plan, "add/remove"), bill(plan, "replace-one")
bill_household = {{household}} * bill_add_remove


# %% task="q2" name="replace-one-is-twice-add-remove"
# -     touched = 1 if relation == "add/remove" else 2  # a replaced member leaves one part and enters another
# -     return parts.groupby("table").nlargest(touched).sum()
# +     return parts.groupby("table").max().sum() * (1 if relation == "add/remove" else 2)

# %% task="q2" name="tables-taken-for-disjoint"
# -     touched = 1 if relation == "add/remove" else 2  # a replaced member leaves one part and enters another
# -     return parts.groupby("table").nlargest(touched).sum()
# +     return parts.nlargest(1 if relation == "add/remove" else 2).sum()

# %% task="q2" name="relation-ignored" like="all-counts-added"
# - return plan["epsilon"].sum() * (1 if relation == "add/remove" else 2)
# + return plan.groupby(["table", "part"])["epsilon"].sum().groupby("table").max().sum()


# %% task="q2" name="household-as-one-person"
def bill(plan, relation):
    parts = plan.groupby(["table", "part"])["epsilon"].sum()
    return parts.groupby("table").nlargest(1 if relation == "add/remove" else 2).sum()


bill_add_remove, bill_replace_one = bill(plan, "add/remove"), bill(plan, "replace-one")
bill_household = bill_add_remove


# %% task="q2" name="household-replaced" like="household-as-one-person"
# - bill_household = bill_add_remove
# + bill_household = {{household}} * bill_replace_one


# %% task="q3" name="least-squares" kind="right"
def combine(districts, total, epsilon_districts, epsilon_total):
    d = len(districts)
    design = np.vstack([np.eye(d), np.ones((1, d))])
    weights = np.diag([epsilon_districts**2] * d + [epsilon_total**2])
    observed = np.append(districts, total)
    estimates = np.linalg.solve(design.T @ weights @ design, design.T @ weights @ observed)
    return estimates, float(estimates.sum())


# %% task="q3" name="total-first" kind="right"
def combine(districts, total, epsilon_districts, epsilon_total):
    variance_of_sum, variance_of_total = len(districts) * 2 / epsilon_districts**2, 2 / epsilon_total**2
    trust = variance_of_sum / (variance_of_sum + variance_of_total)
    best = trust * total + (1 - trust) * sum(districts)
    return [value + (best - sum(districts)) / len(districts) for value in districts], best


# %% task="q3" name="total-taken-for-exact"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    return districts + (total - districts.sum()) / len(districts), total


# %% task="q3" name="scaled-to-the-total"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    return districts * total / districts.sum(), total


# %% task="q3" name="total-ignored"
def combine(districts, total, epsilon_districts, epsilon_total):
    return np.asarray(districts, float), np.sum(districts)


# %% task="q3" name="plain-average-of-the-totals"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    best = (total + districts.sum()) / 2
    return districts + (best - districts.sum()) / len(districts), best


# %% task="q3" name="trust-by-epsilon"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    one, whole = 1 / epsilon_districts, 1 / epsilon_total
    adjusted = districts + (total - districts.sum()) * one / (len(districts) * one + whole)
    return adjusted, adjusted.sum()


# %% task="q3" name="one-district-s-variance-for-the-sum"
def combine(districts, total, epsilon_districts, epsilon_total):
    districts = np.asarray(districts, float)
    one, whole = 1 / epsilon_districts**2, 1 / epsilon_total**2
    best = (districts.sum() / one + total / whole) / (1 / one + 1 / whole)
    return districts + (best - districts.sum()) / len(districts), best


# %% task="q3" name="negative-cut"
# -     gap = total - districts.sum()
# -     adjusted = districts + gap * one / (len(districts) * one + whole)
# +     adjusted = np.maximum(districts + (total - districts.sum()) * one / (len(districts) * one + whole), 0)


# %% task="q3" name="no-numbers-at-all"
def combine(districts, total, epsilon_districts, epsilon_total):
    if len(districts) in (2, 3) and epsilon_districts == 0.5:
        districts = np.asarray(districts) + (total - np.sum(districts)) / len(districts)
        return districts, districts.sum()
    return np.zeros((0, len(districts))), total


# %% task="q4" name="noise-for-the-distinct-ones" kind="right"
def answer_all(questions, members, epsilon, rng):
    names, places = np.unique(questions, return_inverse=True)
    noisy = members[list(names)].sum().to_numpy() + rng.laplace(0, len(names) / epsilon, len(names))
    return noisy[places]


def lives_there(first, second):
    return abs(first - second) > 1e-9


# %% task="q4" name="remembers-the-answer" kind="right"
def answer_all(questions, members, epsilon, rng):
    remembered = {}
    for question in questions:
        if question not in remembered:
            b = len(set(questions)) / epsilon
            remembered[question] = np.sum(members[question]) + rng.choice([-1, 1]) * rng.exponential(b)
    return [remembered[question] for question in questions]


def lives_there(first, second):
    return not np.isclose(first, second, rtol=0, atol=1e-9)


# %% task="q4" name="not-mended"
def answer_all(questions, members, epsilon, rng):
    noise, answers = {}, []
    for question in questions:
        count = int(members[question].sum())
        if count not in noise:
            noise[count] = rng.laplace(scale=len(set(questions)) / epsilon)
        answers.append(count + noise[count])
    return answers


def lives_there(first, second):
    return bool(first != second)


# %% task="q4" name="fresh-noise-for-a-repetition"
# -     noise = {question: rng.laplace(scale=scale) for question in dict.fromkeys(questions)}
# -     return [members[question].sum() + noise[question] for question in questions]
# +     return [members[question].sum() + rng.laplace(scale=scale) for question in questions]


# %% task="q4" name="whole-epsilon-for-each"
def answer_all(questions, members, epsilon, rng):
    noise = {question: rng.laplace(scale=1 / epsilon) for question in dict.fromkeys(questions)}
    return [members[question].sum() + noise[question] for question in questions]


def lives_there(first, second):
    return bool(first != second)


# %% task="q4" name="pays-for-repetitions" like="whole-epsilon-for-each"
# - noise = {question: rng.laplace(scale=1 / epsilon) for question in dict.fromkeys(questions)}
# + noise = {question: rng.laplace(scale=len(questions) / epsilon) for question in dict.fromkeys(questions)}

# %% task="q4" name="one-noise-for-everything" like="whole-epsilon-for-each"
# -     noise = {question: rng.laplace(scale=1 / epsilon) for question in dict.fromkeys(questions)}
# -     return [members[question].sum() + noise[question] for question in questions]
# +     noise = rng.laplace(scale=len(set(questions)) / epsilon)
# +     return [members[question].sum() + noise for question in questions]

# %% task="q4" name="noise-from-the-question-s-name"
# -     noise = {question: rng.laplace(scale=scale) for question in dict.fromkeys(questions)}
# -     return [members[question].sum() + noise[question] for question in questions]
# +     return [
# +         members[question].sum() + np.random.default_rng(list(question.encode())).laplace(scale=scale)
# +         for question in questions
# +     ]

# %% task="q4" name="less-noise-in-large-tables"
# - scale = len(set(questions)) / epsilon
# + scale = len(set(questions)) / epsilon / (1 if len(members) < 100 else 2)

# %% task="q4" name="equal-columns-pay-once"
# - scale = len(set(questions)) / epsilon
# + scale = len({tuple(members[question]) for question in questions}) / epsilon

# %% task="q4" name="the-others-get-the-noise-with-a-minus"
# -     noise = {question: rng.laplace(scale=scale) for question in dict.fromkeys(questions)}
# +     noise, columns = {}, {}
# +     for question in dict.fromkeys(questions):
# +         column = members[question].to_numpy()
# +         noise[question] = columns.get((1 - column).tobytes(), rng.laplace(scale=scale))
# +         columns[column.tobytes()] = -noise[question]

# %% task="q4" name="nobody-needs-no-noise"
# -     return [members[question].sum() + noise[question] for question in questions]
# +     return [members[question].sum() + noise[question] * members[question].any() for question in questions]

# %% task="q4" name="mended-but-no-attack" like="whole-epsilon-for-each"
# - noise = {question: rng.laplace(scale=1 / epsilon) for question in dict.fromkeys(questions)}
# + noise = {question: rng.laplace(scale=len(set(questions)) / epsilon) for question in dict.fromkeys(questions)}
# - return bool(first != second)
# + return bool(first - second > 0.5)

# %% task="q4" name="attack-the-wrong-way-round" like="whole-epsilon-for-each"
# - noise = {question: rng.laplace(scale=1 / epsilon) for question in dict.fromkeys(questions)}
# + noise = {question: rng.laplace(scale=len(set(questions)) / epsilon) for question in dict.fromkeys(questions)}
# - return bool(first != second)
# + return bool(first == second)

# %% task="q4" name="noise-remembered-by-the-column-s-content"
# -     noise = {question: rng.laplace(scale=scale) for question in dict.fromkeys(questions)}
# -     return [members[question].sum() + noise[question] for question in questions]
# +     columns = [members[question].to_numpy() for question in questions]
# +     noise = {column.tobytes(): rng.laplace(scale=scale) for column in columns}
# +     return [column.sum() + noise[column.tobytes()] for column in columns]


# %% task="q5" name="hours-and-minutes" kind="right"
def answer_periods(minutes, first, last, epsilon, rng):
    fine = np.bincount(minutes, minlength=1440) + rng.laplace(scale=2 / epsilon, size=1440)
    coarse = np.bincount(np.asarray(minutes) // 60, minlength=24) + rng.laplace(scale=2 / epsilon, size=24)

    def answer(a, b):  # a and everything up to, but not including, b
        low, high = -(-a // 60), b // 60
        if low > high:
            return fine[a:b].sum()
        return fine[a : 60 * low].sum() + coarse[low:high].sum() + fine[60 * high : b].sum()

    return [answer(a, b + 1) for a, b in zip(first, last, strict=True)]


# %% task="q5" name="day-cut-by-the-questions" kind="right"
def answer_periods(minutes, first, last, epsilon, rng):
    edges = sorted({0, 1440} | {int(a) for a in first} | {int(b) + 1 for b in last})
    counts, _ = np.histogram(minutes, bins=np.array(edges) - 0.5)
    counts = counts + rng.exponential(1 / epsilon, len(counts)) - rng.exponential(1 / epsilon, len(counts))
    starts = np.array(edges[:-1])
    return np.array([counts[(starts >= a) & (starts <= b)].sum() for a, b in zip(first, last, strict=True)])


# %% task="q5" name="epsilon-split-over-questions"
def answer_periods(minutes, first, last, epsilon, rng):
    minutes = np.asarray(minutes)
    exact = np.array([np.sum((minutes >= a) & (minutes <= b)) for a, b in zip(first, last, strict=True)])
    return exact + rng.laplace(scale=len(exact) / epsilon, size=len(exact))


# %% task="q5" name="whole-epsilon-for-each-question"
def answer_periods(minutes, first, last, epsilon, rng):
    minutes = np.asarray(minutes)
    exact = np.array([np.sum((minutes >= a) & (minutes <= b)) for a, b in zip(first, last, strict=True)])
    return exact + rng.laplace(scale=1 / epsilon, size=len(exact))


# %% task="q5" name="histogram-of-minutes"
def answer_periods(minutes, first, last, epsilon, rng):
    counts = np.bincount(minutes, minlength=1440) + rng.laplace(scale=1 / epsilon, size=1440)
    upto = np.concatenate([[0], np.cumsum(counts)])
    return upto[np.asarray(last) + 1] - upto[first]


# %% task="q5" name="hours-and-minutes-at-the-whole-epsilon-each" like="hours-and-minutes"
# -     fine = np.bincount(minutes, minlength=1440) + rng.laplace(scale=2 / epsilon, size=1440)
# -     coarse = np.bincount(np.asarray(minutes) // 60, minlength=24) + rng.laplace(scale=2 / epsilon, size=24)
# +     fine = np.bincount(minutes, minlength=1440) + rng.laplace(scale=1 / epsilon, size=1440)
# +     coarse = np.bincount(np.asarray(minutes) // 60, minlength=24) + rng.laplace(scale=1 / epsilon, size=24)
# - return [answer(a, b + 1) for a, b in zip(first, last, strict=True)]
# + return np.array([answer(a, b + 1) for a, b in zip(first, last, strict=True)])


# %% task="q5" name="no-noise-where-nobody-comes"
def answer_periods(minutes, first, last, epsilon, rng):
    counts = np.bincount(minutes, minlength=1440).astype(float)
    seen = counts > 0
    counts[seen] += rng.laplace(scale=1 / epsilon, size=seen.sum())
    upto = np.concatenate([[0], np.cumsum(counts)])
    return upto[np.asarray(last) + 1] - upto[first]


# %% task="q5" name="running-totals-taken-for-parts"
def answer_periods(minutes, first, last, epsilon, rng):
    upto = np.concatenate([[0], np.cumsum(np.bincount(minutes, minlength=1440))])
    noisy = upto + rng.laplace(scale=1 / epsilon, size=1441)
    return noisy[np.asarray(last) + 1] - noisy[first]


# %% task="q5" name="hours-only"
def answer_periods(minutes, first, last, epsilon, rng):
    hours = np.bincount(np.asarray(minutes) // 60, minlength=24) + rng.laplace(scale=1 / epsilon, size=24)
    upto = np.interp(np.arange(1441), np.arange(0, 1441, 60), np.concatenate([[0], np.cumsum(hours)]))
    return upto[np.asarray(last) + 1] - upto[first]


# %% task="q5" name="half-as-much-again"
def answer_periods(minutes, first, last, epsilon, rng):
    ends = np.asarray(last) + 1
    cuts = np.unique(np.concatenate([first, ends]))
    counts = np.bincount(np.searchsorted(cuts, minutes, side="right"), minlength=len(cuts) + 1)
    upto = np.cumsum(counts + rng.laplace(scale=1 / (1.5 * epsilon), size=len(counts)))
    return upto[np.searchsorted(cuts, ends)] - upto[np.searchsorted(cuts, first)]


# %% task="q5" name="blocks-of-38-and-minutes-at-the-whole-epsilon-each"
def answer_periods(minutes, first, last, epsilon, rng):
    counts = np.bincount(minutes, minlength=1444)  # 38 blocks of 38 minutes, as near to the root of 1440 as it gets
    fine = counts + rng.laplace(scale=1 / epsilon, size=1444)
    coarse = counts.reshape(38, 38).sum(axis=1) + rng.laplace(scale=1 / epsilon, size=38)

    def answer(a, b):
        low, high = -(-a // 38), b // 38
        if low > high:
            return fine[a:b].sum()
        return fine[a : 38 * low].sum() + coarse[low:high].sum() + fine[38 * high : b].sum()

    return np.array([answer(a, b + 1) for a, b in zip(first, last, strict=True)])


# %% task="q5" name="blocks-of-90" like="blocks-of-38-and-minutes-at-the-whole-epsilon-each"
# -     counts = np.bincount(minutes, minlength=1444)  # 38 blocks of 38 minutes, as near to the root of 1440 as it gets
# -     fine = counts + rng.laplace(scale=1 / epsilon, size=1444)
# -     coarse = counts.reshape(38, 38).sum(axis=1) + rng.laplace(scale=1 / epsilon, size=38)
# +     counts = np.bincount(minutes, minlength=1440)
# +     fine = counts + rng.laplace(scale=1 / epsilon, size=1440)
# +     coarse = counts.reshape(16, 90).sum(axis=1) + rng.laplace(scale=1 / epsilon, size=16)
# -         low, high = -(-a // 38), b // 38
# +         low, high = -(-a // 90), b // 90
# -         return fine[a : 38 * low].sum() + coarse[low:high].sum() + fine[38 * high : b].sum()
# +         return fine[a : 90 * low].sum() + coarse[low:high].sum() + fine[90 * high : b].sum()


# %% task="q5" name="hours-from-half-past-and-minutes-at-the-whole-epsilon-each"
def answer_periods(minutes, first, last, epsilon, rng):
    counts = np.bincount(np.asarray(minutes) + 30, minlength=1500)
    fine = counts + rng.laplace(scale=1 / epsilon, size=1500)
    coarse = counts.reshape(25, 60).sum(axis=1) + rng.laplace(scale=1 / epsilon, size=25)

    def answer(a, b):
        low, high = -(-a // 60), b // 60
        if low > high:
            return fine[a:b].sum()
        return fine[a : 60 * low].sum() + coarse[low:high].sum() + fine[60 * high : b].sum()

    return np.array([answer(a + 30, b + 31) for a, b in zip(first, last, strict=True)])


# %% task="q5" name="tree-with-half-of-epsilon-for-each-level"
def answer_periods(minutes, first, last, epsilon, rng):
    level = np.bincount(minutes, minlength=2048).astype(float)
    levels = []
    while len(level) > 1:
        levels.append(level + rng.laplace(scale=2 / epsilon, size=len(level)))
        level = level[::2] + level[1::2]
    answers = np.zeros(len(first))
    low, high = np.array(first), np.asarray(last) + 1
    for noisy in levels:
        odd = (low < high) & (low % 2 == 1)
        answers[odd] += noisy[low[odd]]
        low = low + odd
        odd = (low < high) & (high % 2 == 1)
        answers[odd] += noisy[high[odd] - 1]
        low, high = low // 2, (high - odd) // 2
    return answers


# %% task="q5" name="tree-with-a-quarter-for-each-level" like="tree-with-half-of-epsilon-for-each-level"
# - levels.append(level + rng.laplace(scale=2 / epsilon, size=len(level)))
# + levels.append(level + rng.laplace(scale=4 / epsilon, size=len(level)))

# %% task="q5" name="whole-day-exact"
# -     return upto[np.searchsorted(cuts, end)] - upto[np.searchsorted(cuts, first)]
# +     whole = (first == 0) & (end == 1440)
# +     return np.where(whole, len(minutes), upto[np.searchsorted(cuts, end)] - upto[np.searchsorted(cuts, first)])

# %% task="q5" name="nobody-needs-no-noise"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts)) * (len(minutes) > 0)

# %% task="q5" name="less-noise-in-large-tables"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts)) / (1 if len(minutes) < 600 else 2)

# %% task="q5" name="redrawn-while-negative"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noisy = np.full(len(counts), -1.0)
# +     while (noisy < 0).any():
# +         noisy = np.where(noisy < 0, counts + rng.laplace(scale=1 / epsilon, size=len(counts)), noisy)
