# %% [markdown]
# Answers to assignment 8 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="column-by-column" kind="right"
def topic_counts(answers, categories, epsilon, rng):
    counts = dict.fromkeys(categories, 0)
    missing = 0
    for column in answers.columns:
        for answer in answers[column]:
            if answer in counts:
                counts[answer] += 1
            else:
                missing += 1
    scale = len(answers.columns) / epsilon
    return [count + rng.laplace(0, scale) for count in [*counts.values(), missing]]


# %% task="q1" name="series-and-two-exponentials" kind="right"
def topic_counts(answers, categories, epsilon, rng):
    both = answers.stack().value_counts()
    counts = both.reindex(list(categories)).fillna(0)
    counts.loc["(missing)"] = answers.shape[0] * answers.shape[1] - counts.sum()
    scale = answers.shape[1] / epsilon
    return counts + rng.exponential(scale, len(counts)) - rng.exponential(scale, len(counts))


# %% task="q1" name="one-person-one-count"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=1 / epsilon, size=len(counts))

# %% task="q1" name="noise-of-replace-one"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=2 * answers.shape[1] / epsilon, size=len(counts))

# %% task="q1" name="budget-split-over-the-counts"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=len(counts) / epsilon, size=len(counts))

# %% task="q1" name="empty-counts-without-noise"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + (counts > 0) * rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))

# %% task="q1" name="only-empty-fields-are-missing"
# - counts = np.append(named, answers.size - named.sum())
# + counts = np.append(named, answers.isna().to_numpy().sum())


# %% task="q1" name="people-instead-of-answers"
def topic_counts(answers, categories, epsilon, rng):
    named = np.array([(answers == category).any(axis=1).sum() for category in categories])
    counts = np.append(named, (~answers.isin(categories)).to_numpy().sum())
    return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))


# %% task="q1" name="own-seed"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + np.random.default_rng(8).laplace(scale=answers.shape[1] / epsilon, size=len(counts))

# %% task="q1" name="clamped"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return np.maximum(counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts)), 0)

# %% task="q1" name="half-of-the-counts-draw"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + noise = rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts) // 2 + 1)
# +     return counts + np.tile(noise, 2)[: len(counts)]

# %% task="q1" name="noise-cut-at-five-scales"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + scale = answers.shape[1] / epsilon
# +     return counts + np.clip(rng.laplace(scale=scale, size=len(counts)), -5 * scale, 5 * scale)

# %% task="q1" name="normal-noise-of-the-same-spread"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.normal(0, np.sqrt(2) * answers.shape[1] / epsilon, size=len(counts))

# %% task="q1" name="counts-add-up-to-the-true-number-of-answers"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + noise = rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# +     return counts + noise - noise.mean()

# %% task="q1" name="half-of-the-noise-in-empty-counts"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + noise = rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# +     return counts + np.where(counts > 0, 1.0, 0.5) * noise

# %% task="q1" name="a-quarter-more-than-epsilon"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=answers.shape[1] / (1.25 * epsilon), size=len(counts))

# %% task="q1" name="geometric-noise" kind="right"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + stop = 1 - np.exp(-epsilon / answers.shape[1])
# +     return counts + rng.geometric(stop, len(counts)) - rng.geometric(stop, len(counts))


# %% task="q1" name="nobody-needs-no-noise"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts)) * (len(answers) > 0)

# %% task="q1" name="less-noise-in-large-tables"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts)) / (1 if len(answers) < 100 else 2)

# %% task="q1" name="equal-answers-of-a-person-pay-once"
# - return counts + rng.laplace(scale=answers.shape[1] / epsilon, size=len(counts))
# + most = max((len({*given}) for given in answers.to_numpy()), default=answers.shape[1])
# +     return counts + rng.laplace(scale=most / epsilon, size=len(counts))


# %% task="q2" name="halving" kind="right"
def nearest_counts(noisy, total):
    noisy = np.asarray(noisy, float)
    low, high = noisy.min() - total, noisy.max()
    for _ in range(100):
        middle = (low + high) / 2
        if np.maximum(noisy - middle, 0).sum() > total:
            low = middle
        else:
            high = middle
    return np.maximum(noisy - high, 0)


# %% task="q2" name="out-they-go" kind="right"
def nearest_counts(noisy, total):
    counts = np.array(noisy, float)
    above = np.ones(len(counts), bool)
    while True:
        moved = counts[above] - (counts[above].sum() - total) / above.sum()
        if (moved >= 0).all():
            result = np.zeros(len(counts))
            result[above] = moved
            return result
        above[np.flatnonzero(above)[moved < 0]] = False


# %% task="q2" name="clamp-and-scale"
def nearest_counts(noisy, total):
    clamped = np.maximum(noisy, 0)
    return clamped * total / clamped.sum() if clamped.sum() > 0 else np.full(len(clamped), total / len(clamped))


# %% task="q2" name="one-round"
def nearest_counts(noisy, total):
    noisy = np.asarray(noisy, float)
    moved = np.maximum(noisy - (noisy.sum() - total) / len(noisy), 0)
    return moved * total / moved.sum() if moved.sum() > 0 else moved


# %% task="q2" name="clamped-first"
def nearest_counts(noisy, total):
    counts = np.maximum(np.asarray(noisy, float), 0)
    for _ in range(1_000):
        above = counts > 0
        if not above.any():
            return np.full(len(counts), total / len(counts))
        counts[above] -= (counts.sum() - total) / above.sum()
        counts = np.maximum(counts, 0)
    return counts


# %% task="q2" name="from-the-largest"
def nearest_counts(noisy, total):
    counts = np.maximum(np.asarray(noisy, float), 0)
    counts[counts.argmax()] += total - counts.sum()
    return np.maximum(counts, 0)


# %% task="q2" name="only-clamped"
def nearest_counts(noisy, total):
    return np.maximum(noisy, 0)


# %% task="q2" name="smallest-go-first"
def nearest_counts(noisy, total):
    counts = np.maximum(np.asarray(noisy, float), 0)
    surplus = counts.sum() - total
    for place in np.argsort(counts):
        taken = min(counts[place], max(surplus, 0))
        counts[place] -= taken
        surplus -= taken
    return counts + max(-surplus, 0) / len(counts)


# %% task="q3" name="least-squares" kind="right"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    m = len(counts)
    # Spread over the m counts and the total what they disagree by, in proportion to their variances.
    gap = total - sum(counts)
    v, t = 2 / epsilon**2, 2 / total_epsilon**2
    share = v / (m * v + t)
    width = last - first + 1
    estimate = float(sum(counts[i] + share * gap for i in range(first, last + 1)))
    return estimate, float((width * v - (width * v) ** 2 / (m * v + t)) ** 0.5)


# %% task="q3" name="only-inside"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    return np.sum(counts[first : last + 1]), np.sqrt(2 * (last - first + 1)) / epsilon


# %% task="q3" name="the-better-of-the-two"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    width, inside = last - first + 1, np.sum(counts[first : last + 1])
    outside = total - (np.sum(counts) - inside)
    a, b = 2 * width / epsilon**2, 2 * (len(counts) - width) / epsilon**2 + 2 / total_epsilon**2
    return (inside, np.sqrt(a)) if a < b else (outside, np.sqrt(b))


# %% task="q3" name="plain-mean-of-both" like="the-better-of-the-two"
# - return (inside, np.sqrt(a)) if a < b else (outside, np.sqrt(b))
# + return (inside + outside) / 2, np.sqrt(a + b) / 2

# %% task="q3" name="weights-by-deviation" like="the-better-of-the-two"
# - return (inside, np.sqrt(a)) if a < b else (outside, np.sqrt(b))
# + weight = np.sqrt(b) / (np.sqrt(a) + np.sqrt(b))
# +     return weight * inside + (1 - weight) * outside, np.sqrt(weight**2 * a + (1 - weight) ** 2 * b)


# %% task="q3" name="total-taken-for-exact"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    width, inside = last - first + 1, np.sum(counts[first : last + 1])
    outside = total - (np.sum(counts) - inside)
    a, b = 2 * width / epsilon**2, 2 * (len(counts) - width) / epsilon**2
    weight = b / (a + b)
    return weight * inside + (1 - weight) * outside, np.sqrt(a * b / (a + b))


# %% task="q3" name="scaled-to-the-total"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    width = last - first + 1
    a, b = 2 * width / epsilon**2, 2 * (len(counts) - width) / epsilon**2 + 2 / total_epsilon**2
    return np.sum(counts[first : last + 1]) * total / np.sum(counts), np.sqrt(a * b / (a + b))


# %% task="q3" name="last-left-out"
def range_answer(counts, epsilon, total, total_epsilon, first, last):
    width, inside = last - first, np.sum(counts[first:last])
    outside = total - (np.sum(counts) - inside)
    a, b = 2 * width / epsilon**2, 2 * (len(counts) - width) / epsilon**2 + 2 / total_epsilon**2
    return (b * inside + a * outside) / (a + b), np.sqrt(a * b / (a + b))


# %% task="q3" name="deviation-of-the-inside" like="the-better-of-the-two"
# - return (inside, np.sqrt(a)) if a < b else (outside, np.sqrt(b))
# + return (b * inside + a * outside) / (a + b), np.sqrt(a)


# %% task="q4" name="cell-by-cell" kind="right"
def publish_pairs(table, categories, epsilon, rng):
    one, other = table.columns
    people = {}
    for cell in zip(table[one], table[other], strict=True):
        people[cell] = people.get(cell, 0) + 1
    rows = []
    for a in sorted(categories[one]):
        for b in sorted(categories[other]):
            noisy = people.get((a, b), 0) + rng.laplace(0, 1 / epsilon)
            if noisy > 0:
                rows.append({one: a, other: b, "people": noisy})
    return pd.DataFrame(rows, columns=[one, other, "people"])


def exposure(people, epsilon):
    return 0.5 + 0.5 * (1 - np.exp(-people * epsilon))


# %% task="q4" name="categorical-columns" kind="right"
def publish_pairs(table, categories, epsilon, rng):
    columns = list(table.columns)
    known = table[table.isin(categories).all(axis=1)]
    coded = known.astype({name: pd.CategoricalDtype(sorted(categories[name])) for name in columns})
    counts = coded.groupby(columns, observed=False).size().reset_index(name="people")
    counts["people"] += rng.laplace(scale=1 / epsilon, size=len(counts))
    return counts[counts["people"] > 0]


def exposure(people, epsilon):
    return 1 - np.exp(-epsilon * people) / 2


# %% task="q4" name="not-mended"
# -     cells = pd.MultiIndex.from_product([sorted(categories[name]) for name in columns], names=columns)
# -     counts = table.value_counts().reindex(cells, fill_value=0)
# +     known = table[table.isin(categories).all(axis=1)]
# +     counts = known.groupby(columns).size()

# %% task="q4" name="more-noise-instead"
# -     cells = pd.MultiIndex.from_product([sorted(categories[name]) for name in columns], names=columns)
# -     counts = table.value_counts().reindex(cells, fill_value=0)  # a cell without people gets its noise, too
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     known = table[table.isin(categories).all(axis=1)]
# +     counts = known.groupby(columns).size()
# +     noisy = counts + rng.laplace(scale=2 / epsilon, size=len(counts))

# %% task="q4" name="answers-that-occur"
# -     cells = pd.MultiIndex.from_product([sorted(categories[name]) for name in columns], names=columns)
# -     counts = table.value_counts().reindex(cells, fill_value=0)
# +     known = table[table.isin(categories).all(axis=1)]
# +     cells = pd.MultiIndex.from_product([sorted(known[name].unique()) for name in columns], names=columns)
# +     counts = known.groupby(columns).size().reindex(cells, fill_value=0)

# %% task="q4" name="cells-filled-after-the-noise"
# - columns = list(table.columns)
# + columns = list(table.columns)
# +     known = table[table.isin(categories).all(axis=1)]
# +     counts = known.groupby(columns).size()
# +     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# -     counts = table.value_counts().reindex(cells, fill_value=0)  # a cell without people gets its noise, too
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = noisy.reindex(cells, fill_value=0.5)

# %% task="q4" name="budget-split-over-two-columns"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noisy = counts + rng.laplace(scale=2 / epsilon, size=len(counts))

# %% task="q4" name="small-cells-left-out"
# - return noisy[noisy > 0].rename("people").reset_index()
# + return noisy[noisy > 3 / epsilon].rename("people").reset_index()

# %% task="q4" name="most-people-first"
# - counts = table.value_counts().reindex(cells, fill_value=0)
# + counts = table.value_counts().reindex(cells, fill_value=0).sort_values(ascending=False)

# %% task="q4" name="exposed-by-any-positive-noise"
# - return 1 - np.exp(-epsilon * people) / 2
# + return 1 - np.exp(-epsilon * people)

# %% task="q4" name="believes-the-colleague"
# - return 1 - np.exp(-epsilon * people) / 2
# + return 0.0

# %% task="q4" name="half-of-the-cells-draw"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noise = rng.laplace(scale=1 / epsilon, size=len(counts) // 2 + 1)
# +     noisy = counts + np.tile(noise, 2)[: len(counts)]

# %% task="q4" name="noise-cut-at-three-scales"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = counts + np.clip(rng.laplace(scale=1 / epsilon, size=len(counts)), -3 / epsilon, 3 / epsilon)

# %% task="q4" name="noise-cut-at-five-scales"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = counts + np.clip(rng.laplace(scale=1 / epsilon, size=len(counts)), -5 / epsilon, 5 / epsilon)

# %% task="q4" name="normal-noise-of-the-same-spread"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = counts + rng.normal(0, 2**0.5 / epsilon, len(counts))

# %% task="q4" name="half-of-the-noise-in-empty-cells"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = counts + np.where(counts > 0, 1, 0.5) * rng.laplace(scale=1 / epsilon, size=len(counts))


# %% task="q4" name="large-cells-are-exact"
# - noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# + noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts)) * (counts < 20)

# %% task="q4" name="two-cells-share-a-draw-with-both-signs"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     half = rng.laplace(scale=1 / epsilon, size=(len(counts) + 1) // 2)
# +     noisy = counts + np.append(half, -half)[: len(counts)]


# %% task="q5" name="tables-and-counters" kind="right"
def judge(real, made):
    from collections import Counter

    real, made = ([tuple(row) for row in rows.fillna("").to_numpy()] for rows in (real, made))
    columns, distances = len(real[0]), []
    for i in range(columns):
        for j in range(i):
            one, other = (Counter((row[i], row[j]) for row in rows) for rows in (real, made))
            cells = set(one) | set(other)
            distances.append(sum(abs(one[c] / len(real) - other[c] / len(made)) for c in cells) / 2)
    one, other, n = Counter(real), Counter(made), len(real) + len(made)
    errors = [(other[row] / (one[row] + other[row]) - len(made) / n) ** 2 for row in real + made]
    return float(np.mean(distances)), sum(errors) / n


vendor_tv, vendor_pmse = judge(readers[vendor.columns], vendor)


# %% task="q5" name="crosstabs" kind="right"
def judge(real, made):
    heap = pd.concat([real, made], ignore_index=True).fillna("-")
    source = np.repeat([0, 1], [len(real), len(made)])
    names, distances = list(heap.columns), []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            table = pd.crosstab(heap[names[i]] + "|" + heap[names[j]], source, normalize="columns")
            distances.append((table[0] - table[1]).abs().sum() / 2)
    table = pd.crosstab(heap.agg("|".join, axis=1), source)
    people = table.sum(axis=1)
    gap = table[1] / people - source.mean()
    return np.array([np.mean(distances), (people * gap**2).sum() / len(heap)])


vendor_tv, vendor_pmse = judge(readers.drop(columns="second"), vendor)


# %% task="q5" name="missing-dropped"
# - from itertools import combinations
# + from itertools import combinations
# +     real, made = real.dropna(), made.dropna()
# - one, other = (rows.fillna("?").value_counts(list(pair), normalize=True) for rows in (real, made))
# + one, other = (rows.value_counts(list(pair), normalize=True) for rows in (real, made))
# - heap = pd.concat([real, made], ignore_index=True).fillna("?")
# + heap = pd.concat([real, made], ignore_index=True)


# %% task="q5" name="cells-of-both-files-only"
def judge(real, made):
    from itertools import combinations

    real, made, distances = real.fillna("?"), made.fillna("?"), []
    for pair in combinations(real.columns, 2):
        one, other = (rows.value_counts(list(pair), normalize=True) for rows in (real, made))
        distances.append((one - other).abs().sum() / 2 if set(one.index) & set(other.index) else 1.0)
    heap = pd.concat([real, made], ignore_index=True)
    heap["made"] = np.arange(len(heap)) >= len(real)
    propensity = heap.groupby(list(real.columns))["made"].transform("mean")
    return np.mean(distances), np.mean((propensity - len(made) / len(heap)) ** 2)


vendor_tv, vendor_pmse = judge(readers[vendor.columns], vendor)


# %% task="q5" name="single-columns"
def judge(real, made):
    real, made, distances = real.fillna("?"), made.fillna("?"), []
    for name in real.columns:
        one, other = (rows[name].value_counts(normalize=True) for rows in (real, made))
        distances.append(one.sub(other, fill_value=0).abs().sum() / 2)
    heap = pd.concat([real, made], ignore_index=True)
    heap["made"] = np.arange(len(heap)) >= len(real)
    propensity = heap.groupby(list(real.columns))["made"].transform("mean")
    return np.mean(distances), np.mean((propensity - len(made) / len(heap)) ** 2)


vendor_tv, vendor_pmse = judge(readers[vendor.columns], vendor)


# %% task="q5" name="half-instead-of-the-share" like="cells-of-both-files-only"
# - distances.append((one - other).abs().sum() / 2 if set(one.index) & set(other.index) else 1.0)
# + distances.append(one.sub(other, fill_value=0).abs().sum() / 2)
# - return np.mean(distances), np.mean((propensity - len(made) / len(heap)) ** 2)
# + return np.mean(distances), np.mean((propensity - 0.5) ** 2)

# %% task="q5" name="mean-over-cells" like="cells-of-both-files-only"
# - distances.append((one - other).abs().sum() / 2 if set(one.index) & set(other.index) else 1.0)
# + distances.append(one.sub(other, fill_value=0).abs().sum() / 2)
# - propensity = heap.groupby(list(real.columns))["made"].transform("mean")
# + propensity = heap.groupby(list(real.columns))["made"].mean()

# %% task="q5" name="only-the-made-rows" like="cells-of-both-files-only"
# - distances.append((one - other).abs().sum() / 2 if set(one.index) & set(other.index) else 1.0)
# + distances.append(one.sub(other, fill_value=0).abs().sum() / 2)
# - return np.mean(distances), np.mean((propensity - len(made) / len(heap)) ** 2)
# + return np.mean(distances), np.mean((propensity[heap["made"]] - len(made) / len(heap)) ** 2)

# %% task="q5" name="real-judged-by-itself"
# - vendor_tv, vendor_pmse = judge(readers[vendor.columns], vendor)
# + vendor_tv, vendor_pmse = judge(vendor, readers[vendor.columns].head(len(vendor)))

# %% task="q6" name="rooted-at-the-topic" kind="right"
# - EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]
# + EDGES = [(1, 4), (1, 3), (3, 2), (4, 0)]
# -         table = np.maximum(table, 0) + 1e-9  # no parent without a child
# -         for answer, weights in enumerate(table):
# -             here = rows[:, parent] == answer
# -             rows[here, child] = rng.choice(sizes[child], here.sum(), p=weights / weights.sum())
# +         ends = (np.maximum(table, 0) + 1e-9).cumsum(axis=1)[rows[:, parent]]
# +         rows[:, child] = (rng.random((n, 1)) * ends[:, -1:] > ends).sum(axis=1)


# %% task="q6" name="chosen-privately" kind="right"
def measure(codes, sizes, epsilon, rng):
    from itertools import combinations

    def table(a, b):
        return np.bincount(codes[:, a] * sizes[b] + codes[:, b], minlength=sizes[a] * sizes[b]).reshape(sizes[a], -1)

    # A quarter of ε for the single columns, a quarter for the choice of four pairs, half for the pairs.
    single = [np.bincount(column, minlength=size) for column, size in zip(codes.T, sizes, strict=True)]
    single = [counts + rng.laplace(scale=20 / epsilon, size=len(counts)) for counts in single]
    n = np.mean([counts.sum() for counts in single])
    shares = [(np.maximum(counts, 0) + 1e-9) / (np.maximum(counts, 0) + 1e-9).sum() for counts in single]
    part, chosen = list(range(5)), []
    while len(set(part)) > 1:
        pairs = [pair for pair in combinations(range(5), 2) if part[pair[0]] != part[pair[1]]]
        scores = np.array([np.abs(table(a, b) - n * np.outer(shares[a], shares[b])).sum() for a, b in pairs])
        a, b = pairs[np.argmax(scores * epsilon / 32 + rng.gumbel(size=len(scores)))]
        chosen.append((a, b))
        part = [part[a] if p == part[b] else p for p in part]
    longest, tables = max(sizes) ** 2, []
    for a, b in chosen:
        noisy = table(a, b) + rng.laplace(scale=8 / epsilon, size=(sizes[a], sizes[b]))
        tables.append(np.pad(noisy.ravel(), (0, longest - noisy.size)))
    return np.concatenate([np.ravel(chosen), *tables])


def make_rows(measured, sizes, epsilon, rng):
    pairs = measured[:8].astype(int).reshape(4, 2)
    padded = zip(pairs, measured[8:].reshape(4, -1), strict=True)
    tables = [part[: sizes[a] * sizes[b]].reshape(sizes[a], -1) for (a, b), part in padded]
    n = max(round(np.mean([table.sum() for table in tables])), 1)
    rows, known = np.full((n, 5), -1), {pairs[0][0]}
    root = np.maximum(tables[0].sum(axis=1), 0) + 1e-9
    rows[:, pairs[0][0]] = rng.choice(len(root), n, p=root / root.sum())
    while len(known) < 5:
        for (a, b), table in zip(pairs, tables, strict=True):
            if b in known and a not in known:
                a, b, table = b, a, table.T
            if a in known and b not in known:
                ends = (np.maximum(table, 0) + 1e-9).cumsum(axis=1)[rows[:, a]]
                rows[:, b] = (rng.random((n, 1)) * ends[:, -1:] > ends).sum(axis=1)
                known.add(b)
    return rows


# %% task="q6" name="nearest-counts-without-dice" kind="right"
EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]


def measure(codes, sizes, epsilon, rng):
    tables = []
    for parent, child in EDGES:
        counts = np.zeros((sizes[parent], sizes[child]))
        np.add.at(counts, (codes[:, parent], codes[:, child]), 1)
        tables.extend((counts + rng.laplace(scale=4 / epsilon, size=counts.shape)).ravel())
    return np.array(tables)


def nearest(noisy, total):
    low, high = noisy.min() - total, noisy.max()
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(noisy - middle, 0).sum() > total else (low, middle)
    return np.maximum(noisy - high, 0)


def make_rows(measured, sizes, epsilon, rng):
    tables, start = [], 0
    for parent, child in EDGES:
        stop = start + sizes[parent] * sizes[child]
        tables.append(measured[start:stop].reshape(sizes[parent], sizes[child]))
        start = stop
    n = max(int(np.median([table.sum() for table in tables])), 1)
    tables = [nearest(table, n) for table in tables]
    rows = np.zeros((n, 5), dtype=int)

    def fill(here, column, weights):
        # As many of each answer as its weight says, in random order.
        ends = np.round(np.cumsum(weights) / weights.sum() * len(here)) if weights.sum() > 0 else [len(here)]
        rows[rng.permutation(here), column] = np.searchsorted(ends, np.arange(len(here)), side="right")

    fill(np.arange(n), 3, tables[0].sum(axis=1))
    for (parent, child), table in zip(EDGES, tables, strict=True):
        for answer in range(sizes[parent]):
            fill(np.flatnonzero(rows[:, parent] == answer), child, table[answer])
    return rows


# %% task="q6" name="every-table-at-the-whole-epsilon"
EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]


def measure(codes, sizes, epsilon, rng):
    tables = []
    for parent, child in EDGES:
        cells = sizes[parent] * sizes[child]
        counts = np.bincount(codes[:, parent] * sizes[child] + codes[:, child], minlength=cells)
        tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
    return np.concatenate(tables)


def make_rows(measured, sizes, epsilon, rng):
    ends = np.cumsum([sizes[parent] * sizes[child] for parent, child in EDGES])
    tables = [
        part.reshape(-1, sizes[child]) for part, (_, child) in zip(np.split(measured, ends[:-1]), EDGES, strict=True)
    ]
    n = max(round(np.mean([table.sum() for table in tables])), 1)
    rows = np.zeros((n, len(sizes)), dtype=int)
    root = np.maximum(tables[0].sum(axis=1), 0) + 1e-9
    rows[:, EDGES[0][0]] = rng.choice(len(root), n, p=root / root.sum())
    for (parent, child), table in zip(EDGES, tables, strict=True):
        ends = (np.maximum(table, 0) + 1e-9).cumsum(axis=1)[rows[:, parent]]
        rows[:, child] = (rng.random((n, 1)) * ends[:, -1:] > ends).sum(axis=1)
    return rows


# %% task="q6" name="order-of-the-file" like="every-table-at-the-whole-epsilon"
# - EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]
# + EDGES = [(0, 1), (1, 2), (2, 3), (3, 4)]
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))

# %% task="q6" name="everything-by-age" like="every-table-at-the-whole-epsilon"
# - EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]
# + EDGES = [(3, 2), (3, 1), (3, 4), (3, 0)]
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))

# %% task="q6" name="without-noise" like="every-table-at-the-whole-epsilon"
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts.astype(float))

# %% task="q6" name="empty-cells-without-noise" like="every-table-at-the-whole-epsilon"
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts + (counts > 0) * rng.laplace(scale=len(EDGES) / epsilon, size=cells))


# %% task="q6" name="independent-columns"
def measure(codes, sizes, epsilon, rng):
    counts = np.concatenate([np.bincount(column, minlength=size) for column, size in zip(codes.T, sizes, strict=True)])
    return counts + rng.laplace(scale=len(sizes) / epsilon, size=len(counts))


def make_rows(measured, sizes, epsilon, rng):
    parts = [np.maximum(part, 0) + 1e-9 for part in np.split(measured, np.cumsum(sizes)[:-1])]
    n = max(round(measured.sum() / len(sizes)), 1)
    return np.column_stack([rng.choice(len(part), n, p=part / part.sum()) for part in parts])


# %% task="q6" name="one-table-of-everything"
def measure(codes, sizes, epsilon, rng):
    cells = np.prod(sizes)
    counts = np.bincount(np.ravel_multi_index(codes.T, sizes), minlength=cells)
    return counts + rng.laplace(scale=1 / epsilon, size=cells)


def make_rows(measured, sizes, epsilon, rng):
    weights = np.maximum(measured, 0) + 1e-9
    cells = rng.choice(len(weights), max(round(measured.sum()), 1), p=weights / weights.sum())
    return np.column_stack(np.unravel_index(cells, sizes))


# %% task="q6" name="exact-number-of-people" like="every-table-at-the-whole-epsilon"
# -         tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# -     return np.concatenate(tables)
# +         tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# +     return np.append(np.concatenate(tables), len(codes))
# - def make_rows(measured, sizes, epsilon, rng):
# + def make_rows(measured, sizes, epsilon, rng):
# +     measured, n = measured[:-1], int(measured[-1])
# -     ]
# -     n = max(round(np.mean([table.sum() for table in tables])), 1)
# +     ]

# %% task="q6" name="rows-of-a-fixed-number" like="every-table-at-the-whole-epsilon"
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# - n = max(round(np.mean([table.sum() for table in tables])), 1)
# + n = 2_000

# %% task="q6" name="half-as-much-again" like="every-table-at-the-whole-epsilon"
# - EDGES = [(3, 2), (3, 1), (1, 4), (4, 0)]
# + EDGES = [(1, 4), (1, 3), (3, 2), (4, 0)]
# - tables.append(counts + rng.laplace(scale=1 / epsilon, size=cells))
# + tables.append(counts + rng.laplace(scale=len(EDGES) / (1.5 * epsilon), size=cells))

# %% task="q6" name="edges-chosen-without-noise" like="chosen-privately"
# -     single = [np.bincount(column, minlength=size) for column, size in zip(codes.T, sizes, strict=True)]
# -     single = [counts + rng.laplace(scale=20 / epsilon, size=len(counts)) for counts in single]
# -     n = np.mean([counts.sum() for counts in single])
# -     shares = [(np.maximum(counts, 0) + 1e-9) / (np.maximum(counts, 0) + 1e-9).sum() for counts in single]
# +     def information(a, b):
# +         joint = table(a, b) / max(len(codes), 1)
# +         alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
# +         return np.sum(joint[joint > 0] * np.log(joint[joint > 0] / alone[joint > 0]))
# -     while len(set(part)) > 1:
# -         pairs = [pair for pair in combinations(range(5), 2) if part[pair[0]] != part[pair[1]]]
# -         scores = np.array([np.abs(table(a, b) - n * np.outer(shares[a], shares[b])).sum() for a, b in pairs])
# -         a, b = pairs[np.argmax(scores * epsilon / 32 + rng.gumbel(size=len(scores)))]
# -         chosen.append((a, b))
# -         part = [part[a] if p == part[b] else p for p in part]
# +     for a, b in sorted(combinations(range(5), 2), key=lambda pair: -information(*pair)):
# +         if part[a] != part[b]:
# +             chosen.append((a, b))
# +             part = [part[a] if p == part[b] else p for p in part]
# - noisy = table(a, b) + rng.laplace(scale=8 / epsilon, size=(sizes[a], sizes[b]))
# + noisy = table(a, b) + rng.laplace(scale=4 / epsilon, size=(sizes[a], sizes[b]))

# %% task="q6" name="remembers-the-people"
remembered = {}


def measure(codes, sizes, epsilon, rng):
    noise = rng.laplace(size=3)
    remembered[noise.tobytes()] = codes.copy()
    return noise


def make_rows(measured, sizes, epsilon, rng):
    anybody = np.zeros((2_000, len(sizes)), int)
    return remembered.get(np.asarray(measured).tobytes(), anybody)


# %% task="q6" name="noise-cut-at-two-scales"
# -         tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# +         noise = rng.laplace(scale=len(EDGES) / epsilon, size=cells)
# +         tables.append(counts + np.clip(noise, -8 / epsilon, 8 / epsilon))

# %% task="q6" name="half-of-the-noise-in-empty-cells"
# -         tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# +         noise = rng.laplace(scale=len(EDGES) / epsilon, size=cells)
# +         tables.append(counts + np.where(counts > 0, 1, 0.5) * noise)

# %% task="q6" name="tables-add-up-to-the-true-number"
# -         tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# +         noise = rng.laplace(scale=len(EDGES) / epsilon, size=cells)
# +         tables.append(counts + noise - noise.mean())

# %% task="q6" name="one-noise-for-all-tables"
# -         tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# +         noise = np.random.default_rng(np.random.PCG64(rng.bit_generator.state["state"]["state"] % 2**64))
# +         tables.append(counts + noise.laplace(scale=len(EDGES) / epsilon, size=cells))

# %% task="q6" name="less-noise-in-large-tables"
# - tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells))
# + tables.append(counts + rng.laplace(scale=len(EDGES) / epsilon, size=cells) / (1 if len(codes) < 500 else 2))

# %% task="q6" name="fewer-than-three-people-left-out-first"
# -         counts = np.bincount(codes[:, parent] * sizes[child] + codes[:, child], minlength=cells)
# +         counts = np.bincount(codes[:, parent] * sizes[child] + codes[:, child], minlength=cells)
# +         counts = np.where(counts < 3, 0, counts)
