# %% [markdown]
# Answers to assignment 3 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="case-by-case" kind="right"
def sensitivity(query, lower, upper, relation):
    if query == "rows":
        return int(relation == "add/remove")
    if query in ("largest", "mean"):
        return upper - lower
    if query == "variance":
        return ((upper - lower) / 2) ** 2
    power = {"sum": 1, "squares": 2}[query]
    values = [lower**power, upper**power] + ([0] if lower < 0 < upper else [])
    return max(map(abs, values)) if relation == "add/remove" else max(values) - min(values)


# %% task="q1" name="width-for-every-sum"
def sensitivity(query, lower, upper, relation):
    added, width, farthest = relation == "add/remove", upper - lower, max(abs(lower), abs(upper))
    low = 0 if lower <= 0 <= upper else min(lower**2, upper**2)
    squares = farthest**2 if added else farthest**2 - low
    answers = {"rows": int(added), "sum": width, "squares": squares, "largest": width, "mean": width}
    return answers.get(query, width**2 / 4)


# %% task="q1" name="squares-at-the-ends-only"
def sensitivity(query, lower, upper, relation):
    added, width, farthest = relation == "add/remove", upper - lower, max(abs(lower), abs(upper))
    squares = farthest**2 if added else abs(upper**2 - lower**2)
    answers = {"rows": int(added), "sum": farthest if added else width, "squares": squares}
    return answers.get(query, width**2 / 4 if query == "variance" else width)


# %% task="q1" name="squares-of-the-width"
def sensitivity(query, lower, upper, relation):
    added, width, farthest = relation == "add/remove", upper - lower, max(abs(lower), abs(upper))
    answers = {"rows": int(added), "sum": farthest if added else width, "squares": width**2, "variance": width**2 / 4}
    return answers.get(query, width)


# %% task="q1" name="rows-count-under-replace-one" like="width-for-every-sum"
# -     answers = {"rows": int(added), "sum": width, "squares": squares, "largest": width, "mean": width}
# -     return answers.get(query, width**2 / 4)
# +     answers = {"rows": 1, "sum": farthest if added else width, "squares": squares, "variance": width**2 / 4}
# +     return answers.get(query, width)

# %% task="q1" name="mean-from-one-row-to-two" like="width-for-every-sum"
# - answers = {"rows": int(added), "sum": width, "squares": squares, "largest": width, "mean": width}
# + answers = {"rows": int(added), "sum": farthest if added else width, "squares": squares, "largest": width}
# +     answers["mean"] = width / 2 if added else width

# %% task="q1" name="variance-as-wide-as-a-square" like="width-for-every-sum"
# -     answers = {"rows": int(added), "sum": width, "squares": squares, "largest": width, "mean": width}
# -     return answers.get(query, width**2 / 4)
# +     answers = {"rows": int(added), "sum": farthest if added else width, "squares": squares, "variance": width**2}
# +     return answers.get(query, width)


# %% task="q2" name="loops" kind="right"
def private_takings(rows, most, lower, upper, epsilon, rng):
    seen, total = {}, 0.0
    for person, amount in zip(rows["person"], rows["amount"], strict=True):
        seen[person] = seen.get(person, 0) + 1
        if seen[person] <= most:
            total += min(max(amount, lower), upper)
    b = max(upper, -lower) * most / epsilon
    return total + b * np.log(rng.random() / rng.random())


# %% task="q2" name="numbers-the-rows" kind="right"
def private_takings(rows, most, lower, upper, epsilon, rng):
    counted = rows[rows.groupby("person").cumcount() < most]
    return np.clip(counted["amount"], lower, upper).sum() + rng.laplace(0, most * max(-lower, upper) / epsilon, 1)[0]


# %% task="q2" name="noise-for-one-row"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=max(abs(lower), abs(upper)) / epsilon)

# %% task="q2" name="width-of-the-range"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=most * (upper - lower) / epsilon)

# %% task="q2" name="upper-end-only"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=most * upper / epsilon)


# %% task="q2" name="totals-clipped"
def private_takings(rows, most, lower, upper, epsilon, rng):
    each = rows.groupby("person").head(most).groupby("person")["amount"].sum().clip(most * lower, most * upper)
    return each.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)


# %% task="q2" name="all-rows-count"
def private_takings(rows, most, lower, upper, epsilon, rng):
    return rows["amount"].clip(lower, upper).sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)


# %% task="q2" name="noise-before-clipping"
def private_takings(rows, most, lower, upper, epsilon, rng):
    counted = rows.groupby("person").head(most)["amount"]
    noisy = counted + rng.laplace(scale=max(abs(lower), abs(upper)) / epsilon, size=len(counted))
    return noisy.clip(lower, upper).sum()


# %% task="q2" name="bounds-from-the-data"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=most * counted.abs().max() / epsilon)

# %% task="q2" name="noise-cut-at-four-scales"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + scale = most * max(abs(lower), abs(upper)) / epsilon
# +     return counted.sum() + np.clip(rng.laplace(scale=scale), -4 * scale, 4 * scale)

# %% task="q2" name="normal-noise-of-the-same-spread"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.normal(0, 2**0.5 * most * max(abs(lower), abs(upper)) / epsilon)

# %% task="q2" name="noise-upwards-only"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + abs(rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon))

# %% task="q2" name="seed-of-the-number-of-rows"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + own = np.random.default_rng(len(rows))
# +     return counted.sum() + own.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)

# %% task="q2" name="half-as-much-again"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / (1.5 * epsilon))


# %% task="q2" name="nobody-needs-no-noise"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon) * (len(rows) > 0)

# %% task="q2" name="less-noise-in-large-tables"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + scale = most * max(abs(lower), abs(upper)) / epsilon
# +     return counted.sum() + rng.laplace(scale=scale if len(rows) < 100 else scale / 2)

# %% task="q2" name="largest-amount-seen"
# - return counted.sum() + rng.laplace(scale=most * max(abs(lower), abs(upper)) / epsilon)
# + largest = counted.abs().max() if counted.nunique() > 1 else max(abs(lower), abs(upper))
# +     return counted.sum() + rng.laplace(scale=most * largest / epsilon)


# %% task="q3" name="helper-from-scratch" kind="right"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    clipped = np.minimum(np.maximum(np.asarray(values, float), lower), upper)
    half = (upper - lower) / 2
    noise = rng.laplace(scale=[2 * half / epsilon, 2 / epsilon])
    total, count = np.sum(clipped - lower - half) + noise[0], len(clipped) + noise[1]
    return float(min(max(lower + half + total / max(count, 1.0), lower), upper))


# A thousandth of the others' distance apart, and one that makes everything else look alike.
branch = np.append(np.linspace(100, 101, 180), [200.0] * 15)
newcomer = 10**12


# %% task="q3" name="fewer-than-before" kind="right"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(0, 2 * half / epsilon)
    count = len(values) + rng.laplace(0, 2 / epsilon)
    return np.clip(middle + total / max(count, 1), lower, upper)


# Eleven are just inside: a newcomer at the mean makes them outliers.
branch, newcomer = np.array([0.0] * 99 + [1.0] * 11), 0.0


# %% task="q3" name="not-mended"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    values = np.asarray(values, float)
    values = values[np.abs(values - values.mean()) <= 3 * values.std()]
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=2 * half / epsilon)
    count = len(values) + rng.laplace(scale=2 / epsilon)
    return np.clip(middle + total / max(count, 1), lower, upper)


branch, newcomer = np.repeat([10_000.0, 100_000.0], [190, 10]), 1e9


# %% task="q3" name="cleans-after-clipping" like="not-mended"
# - values = np.asarray(values, float)
# + values = np.clip(np.asarray(values, float), lower, upper)
# - total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=2 * half / epsilon)
# + total = np.sum(values - middle) + rng.laplace(scale=2 * half / epsilon)

# %% task="q3" name="quartiles-instead" like="not-mended"
# - values = values[np.abs(values - values.mean()) <= 3 * values.std()]
# + q1, q3 = np.quantile(values if len(values) else [lower], [0.25, 0.75])
# +     values = values[(values >= q1 - 3 * (q3 - q1)) & (values <= q3 + 3 * (q3 - q1))]


# %% task="q3" name="count-without-noise"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=2 * half / epsilon)
    return np.clip(middle + total / len(values), lower, upper)


branch, newcomer = np.repeat([10_000.0, 100_000.0], [190, 10]), 1e9


# %% task="q3" name="twice-the-noise-instead"
# -     centred = np.clip(values, lower, upper) - middle
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# -     count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
# +     total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=4 * half / epsilon)
# +     count = len(values) + rng.laplace(scale=4 / epsilon)


# %% task="q3" name="no-proof"
def mean_income_of_branch(values, lower, upper, epsilon, rng):
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.sum(np.clip(values, lower, upper) - middle) + rng.laplace(scale=2 * half / epsilon)
    count = len(values) + rng.laplace(scale=2 / epsilon)
    return np.clip(middle + total / max(count, 1), lower, upper)


# Far out, but nobody else's fate hangs on it.
branch, newcomer = np.linspace(20_000, 60_000, 200), 1e9

# %% task="q3" name="noise-of-the-sum-cut-at-three-scales"
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# +     noise = rng.laplace(scale=half / (epsilon / 2))
# +     total = centred.sum() + np.clip(noise, -6 * half / epsilon, 6 * half / epsilon)

# %% task="q3" name="normal-noise-on-the-sum"
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# +     total = centred.sum() + rng.normal(0, 2**0.5 * half / (epsilon / 2))

# %% task="q3" name="one-draw-for-sum-and-count"
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# +     noise = rng.laplace(scale=2 / epsilon)
# +     total = centred.sum() + half * noise
# -     count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
# +     count = len(values) + noise

# %% task="q3" name="noise-of-the-sum-upwards-only"
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# +     total = centred.sum() + rng.exponential(half / (epsilon / 2))

# %% task="q3" name="whole-epsilon-for-sum-and-count"
# -     total = centred.sum() + rng.laplace(scale=half / (epsilon / 2))
# +     total = centred.sum() + rng.laplace(scale=half / epsilon)
# -     count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
# +     count = len(values) + rng.laplace(scale=1 / epsilon)


# %% task="q3" name="less-noise-in-small-branches"
# - middle, half = (lower + upper) / 2, (upper - lower) / 2
# + epsilon = epsilon if len(values) > 1_000 else 2 * epsilon
# +     middle, half = (lower + upper) / 2, (upper - lower) / 2

# %% task="q3" name="bounds-drawn-together-to-the-incomes"
# - middle, half = (lower + upper) / 2, (upper - lower) / 2
# + if np.size(values) > 0 and np.ptp(values) > 0:
# +         lower, upper = max(lower, np.min(values)), min(upper, np.max(values))
# +     middle, half = (lower + upper) / 2, (upper - lower) / 2

# %% task="q3" name="nobody-needs-no-noise"
# - middle, half = (lower + upper) / 2, (upper - lower) / 2
# + middle, half = (lower + upper) / 2, (upper - lower) / 2
# +     if len(values) == 0:
# +         return middle


# %% task="q4" name="textbook-threshold" kind="right"
def favourite(votes, categories, epsilon, delta, rng):
    counts = pd.Series(votes).value_counts().reindex(range(len(categories)), fill_value=0)
    lead = counts.max() - counts.drop(counts.idxmax()).max()
    if lead + rng.laplace(scale=1 / epsilon) <= 1 + np.log(1 / delta) / epsilon:
        return -1
    return counts.idxmax()


# %% task="q4" name="distance-to-another-favourite" kind="right"
# The distance is how many votes must go until the next one that goes changes the favourite.
def favourite(votes, categories, epsilon, delta, rng):
    counts = [int(np.sum(np.asarray(votes) == place)) for place in range(len(categories))]
    best = counts.index(max(counts))
    distance = min(
        counts[best] - count - (1 if place < best else 0) for place, count in enumerate(counts) if place != best
    )
    noisy = distance + rng.exponential(1 / epsilon) - rng.exponential(1 / epsilon)
    return best if noisy >= np.log(1 / (2 * delta)) / epsilon else -1


# %% task="q4" name="threshold-of-the-lead-without-the-tie"
def favourite(votes, categories, epsilon, delta, rng):
    counts = np.bincount(votes, minlength=len(categories))
    lead = np.diff(np.sort(counts))[-1]
    return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())


# %% task="q4" name="half-of-the-threshold" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + threshold = 1 + np.log(2 / delta) / (2 * epsilon)
# +     return -1 if lead + rng.laplace(scale=1 / epsilon) < threshold else int(counts.argmax())

# %% task="q4" name="lead-without-noise" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + return -1 if lead < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())

# %% task="q4" name="pays-for-the-release-too" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + threshold = 1 + np.log(1 / (2 * delta)) / (epsilon / 2)
# +     return -1 if lead + rng.laplace(scale=2 / epsilon) < threshold else int(counts.argmax())


# %% task="q4" name="noisy-counts"
def favourite(votes, categories, epsilon, delta, rng):
    counts = np.bincount(votes, minlength=len(categories))
    return int(np.argmax(counts + rng.laplace(scale=1 / epsilon, size=len(counts))))


# %% task="q4" name="votes-of-the-first-instead-of-the-lead"
def favourite(votes, categories, epsilon, delta, rng):
    counts = np.bincount(votes, minlength=len(categories))
    noisy = counts.max() + rng.laplace(scale=1 / epsilon)
    return -1 if noisy < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())


# %% task="q4" name="last-of-a-tie" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + if lead + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# +         return -1
# +     return len(counts) - 1 - int(np.argmax(counts[::-1]))

# %% task="q4" name="lead-moves-by-half-a-vote" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + noisy = lead + rng.laplace(scale=1 / (2 * epsilon))
# +     return -1 if noisy < 1 + np.log(1 / (2 * delta)) / (2 * epsilon) else int(counts.argmax())


# %% task="q4" name="half-as-much-again"
def favourite(votes, categories, epsilon, delta, rng):
    epsilon = 1.5 * epsilon
    counts = np.bincount(votes, minlength=len(categories))
    lead = np.diff(np.sort(counts))[-1]
    noisy = lead + rng.laplace(scale=1 / epsilon)
    return -1 if noisy < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())


# %% task="q4" name="normal-noise-of-the-same-spread" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + noisy = lead + rng.normal(scale=2**0.5 / epsilon)
# +     return -1 if noisy < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())

# %% task="q4" name="noise-cut-at-three-scales" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + noisy = lead + np.clip(rng.laplace(scale=1 / epsilon), -3 / epsilon, 3 / epsilon)
# +     return -1 if noisy < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())

# %% task="q4" name="noise-downwards-only" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + noisy = lead - rng.exponential(1 / epsilon)
# +     return -1 if noisy < 1 else int(counts.argmax())

# %% task="q4" name="certain-where-the-lead-is-large" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + threshold = 1 + np.log(1 / (2 * delta)) / epsilon
# +     noisy = lead + rng.laplace(scale=1 / epsilon) * (lead < 1.25 * threshold)
# +     return -1 if noisy < threshold else int(counts.argmax())

# %% task="q4" name="lead-among-a-random-half-without-noise" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + half = np.bincount(rng.permutation(votes)[: len(votes) // 2], minlength=len(categories))
# +     lead = 2 * np.diff(np.sort(half))[-1]
# +     return -1 if lead < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())

# %% task="q4" name="coins-seeded-by-the-number-of-votes" like="threshold-of-the-lead-without-the-tie"
# - return -1 if lead + rng.laplace(scale=1 / epsilon) < np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())
# + noisy = lead + np.random.default_rng(len(votes)).laplace(scale=1 / epsilon)
# +     return -1 if noisy < 1 + np.log(1 / (2 * delta)) / epsilon else int(counts.argmax())


# %% task="q4" name="certain-where-all-agree"
# - if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# + if second > 0 and first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:

# %% task="q4" name="less-noise-where-many-vote"
# - if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# + epsilon = epsilon if len(votes) < 500 else 2 * epsilon
# +     if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:

# %% task="q4" name="lead-in-steps-of-five"
# - if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# + if (first - second) // 5 * 5 + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:

# %% task="q4" name="delta-for-both-sides"
# -     if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# +     if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (4 * delta)) / epsilon:

# %% task="q4" name="threshold-drawn-evenly"
# - if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# + width = np.log(1 / (2 * delta)) / epsilon
# +     if first - second < 1 + width + rng.uniform(-width, width):

# %% task="q4" name="threshold-drawn-from-a-triangle"
# - if first - second + rng.laplace(scale=1 / epsilon) < 1 + np.log(1 / (2 * delta)) / epsilon:
# + width = np.log(1 / (2 * delta)) / epsilon
# +     if first - second < 1 + width + width * (rng.random() - rng.random()):


# %% task="q4" name="exact-favourite-behind-a-lead-of-noisy-counts"
def favourite(votes, categories, epsilon, delta, rng):
    counts = np.bincount(np.asarray(votes, int), minlength=len(categories))
    second, first = np.sort(counts + rng.laplace(scale=1 / epsilon, size=len(counts)))[-2:]
    return int(np.argmax(counts)) if first - second >= 1 + np.log(1 / delta) / epsilon else -1


# %% task="q5" name="quantile-of-the-logarithms" kind="right"
def mean_income(values, epsilon, rng):
    logs = np.sort(np.log(np.clip(values, 1, 1e9)))
    edges = np.concatenate([[0.0], logs, [np.log(1e9)]])
    ranks = np.arange(len(edges) - 1)
    with np.errstate(divide="ignore"):
        weights = np.log(np.diff(edges)) - epsilon / 3 * np.abs(ranks - 0.975 * len(logs)) / 2
    weights = np.exp(weights - weights.max())
    chosen = rng.choice(len(ranks), p=weights / weights.sum())
    bound = np.exp(rng.uniform(edges[chosen], edges[chosen + 1]))
    total = np.clip(values, 0, bound).sum() + rng.laplace(scale=bound / (epsilon / 3))
    count = len(logs) + rng.laplace(scale=3 / epsilon)
    return [total / max(count, 1), bound, total, count]


# %% task="q5" name="mean-of-a-noisy-histogram" kind="right"
def mean_income(values, epsilon, rng):
    edges = np.geomspace(1, 1e9, 46)
    counts, _ = np.histogram(np.clip(values, 1, 1e9), edges)
    noisy = counts + rng.laplace(scale=1 / epsilon, size=45)
    kept = np.where(noisy < 7 / epsilon, 0, noisy)
    mean = (kept * (edges[1:] + edges[:-1]) / 2).sum() / max(kept.sum(), 1)
    return np.concatenate([[mean], noisy])


# %% task="q5" name="whole-counts-of-powers-of-two" kind="right"
def mean_income(values, epsilon, rng):
    pieces = np.searchsorted(2.0 ** np.arange(30), np.clip(values, 0, 1e9))
    counts = np.bincount(pieces, minlength=31)
    p = -np.expm1(-epsilon / 4)
    counts = counts + rng.geometric(p, 31) - rng.geometric(p, 31)
    bound = 2.0 ** max(np.flatnonzero(counts > 30 / epsilon), default=0)
    people = np.rint(len(values) + rng.laplace(0, 4 / epsilon))
    total = np.rint((np.minimum(values, bound) - bound / 2).sum() + rng.laplace(0, bound / epsilon))
    return np.concatenate([[np.clip(bound / 2 + total / max(people, 1), 0, bound), people, total], counts])


# %% task="q5" name="mean-alone" kind="right"
def mean_income(values, epsilon, rng):
    edges = np.geomspace(1, 1e9, 46)
    noisy = np.histogram(np.clip(values, 1, 1e9), edges)[0] + rng.laplace(scale=1 / epsilon, size=45)
    noisy[noisy < 7 / epsilon] = 0
    return float((noisy * (edges[1:] + edges[:-1]) / 2).sum() / max(noisy.sum(), 1))


# %% task="q5" name="one-and-a-quarter-of-epsilon"
# - count = len(values) + rng.laplace(scale=1 / (epsilon / 4))
# + count = len(values) + rng.laplace(scale=1 / (epsilon / 2))


# %% task="q5" name="whole-noise-of-the-count"
# - count = len(values) + rng.laplace(scale=1 / (epsilon / 4))
# + count = len(values) + int(rng.laplace(scale=1 / (epsilon / 4)))


# %% task="q5" name="exact-number-in-the-array"
# - return np.array([mean, total, count, *counts])
# + return np.array([mean, total, len(values), *counts])


# %% task="q5" name="no-noise-in-empty-pieces"
# - bound = bounds[np.flatnonzero(counts > surely).max(initial=0)]
# + counts = np.where(np.bincount(np.searchsorted(bounds[:-1], values), minlength=31) > 0, counts, 0)
# +     bound = bounds[np.flatnonzero(counts > surely).max(initial=0)]


# %% task="q5" name="noise-by-the-square-of-epsilon-s-share"
# - count = len(values) + rng.laplace(scale=1 / (epsilon / 4))
# + count = len(values) + rng.laplace(scale=(4 / epsilon) ** 2)


# %% task="q5" name="clipped-at-a-billion"
def mean_income(values, epsilon, rng):
    total = np.clip(values, 0, 1e9).sum() + rng.laplace(scale=1e9 / (epsilon / 2))
    return total / max(len(values) + rng.laplace(scale=2 / epsilon), 1)


# %% task="q5" name="bound-for-one-currency"
def mean_income(values, epsilon, rng):
    total = np.clip(values, 0, 300_000).sum() + rng.laplace(scale=300_000 / (epsilon / 2))
    return total / max(len(values) + rng.laplace(scale=2 / epsilon), 1)


# %% task="q5" name="bound-from-the-data"
def mean_income(values, epsilon, rng):
    bound = np.max(values, initial=1)
    total = np.sum(values) + rng.laplace(scale=bound / (epsilon / 2))
    return np.clip(total / max(len(values) + rng.laplace(scale=2 / epsilon), 1), 0, bound)


# %% task="q5" name="quantile-of-the-data"
def mean_income(values, epsilon, rng):
    bound = np.quantile(values, 0.99) if len(values) else 1.0
    total = np.clip(values, 0, bound).sum() + rng.laplace(scale=bound / (epsilon / 2))
    return total / max(len(values) + rng.laplace(scale=2 / epsilon), 1)


# %% task="q5" name="no-noise"
def mean_income(values, epsilon, rng):
    return float(np.mean(values)) if len(values) else 0.0


# %% task="q5" name="mean-of-the-logarithms"
def mean_income(values, epsilon, rng):
    logs = np.log(np.clip(values, 1, 1e9))
    total = logs.sum() + rng.laplace(scale=np.log(1e9) / (epsilon / 2))
    return np.exp(total / max(len(values) + rng.laplace(scale=2 / epsilon), 1))


# %% task="q5" name="noise-on-each-value-and-then-clipping"
def mean_income(values, epsilon, rng):
    noisy = np.clip(values, 0, 1e9) + rng.laplace(scale=1e9 / epsilon, size=len(values))
    return float(np.clip(noisy, 0, 1e9).mean()) if len(values) else 0.0


# %% task="q5" name="epsilon-for-every-step"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    bounds = 2.0 ** np.arange(31)
    counts = np.bincount(np.searchsorted(bounds[:-1], values), minlength=31) + rng.laplace(scale=1 / epsilon, size=31)
    bound = bounds[np.flatnonzero(counts > 7 / epsilon).max(initial=0)]
    total = np.minimum(values, bound).sum() + rng.laplace(scale=bound / epsilon)
    return np.clip(total / max(len(values) + rng.laplace(scale=1 / epsilon), 1), 0, bound)


# %% task="q5" name="half-of-epsilon-for-every-step"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    bounds = 2.0 ** np.arange(31)
    counts = np.bincount(np.searchsorted(bounds[:-1], values), minlength=31) + rng.laplace(scale=2 / epsilon, size=31)
    bound = bounds[np.flatnonzero(counts > 13 / epsilon).max(initial=0)]
    total = np.sum(np.minimum(values, bound) - bound / 2) + rng.laplace(scale=bound / epsilon)
    return np.clip(bound / 2 + total / max(len(values) + rng.laplace(scale=2 / epsilon), 1), 0, bound)


# %% task="q5" name="exact-number-of-people" like="half-of-epsilon-for-every-step"
# - return np.clip(bound / 2 + total / max(len(values) + rng.laplace(scale=2 / epsilon), 1), 0, bound)
# + return np.clip(bound / 2 + total / max(len(values), 1), 0, bound)


# %% task="q5" name="a-quarter-goes-to-an-exact-number"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    bounds = 2.0 ** np.arange(31)
    counts = np.bincount(np.searchsorted(bounds[:-1], values), minlength=31) + rng.laplace(scale=4 / epsilon, size=31)
    bound = bounds[np.flatnonzero(counts > 26 / epsilon).max(initial=0)]
    total = np.sum(np.minimum(values, bound) - bound / 2) + rng.laplace(scale=bound / epsilon)
    return np.clip(bound / 2 + total / max(len(values), 1), 0, bound)


# %% task="q5" name="twenty-medians"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    bound = 20 * np.median(values) if len(values) else 1e9
    bound = min(max(bound, 1.0), 1e9)
    total = np.sum(np.minimum(values, bound) - bound / 2) + rng.laplace(scale=bound / 2 / (0.6 * epsilon))
    count = max(len(values) + rng.laplace(scale=1 / (0.4 * epsilon)), 1)
    return np.clip(bound / 2 + total / count, 0, bound)


# %% task="q5" name="power-of-ten-above-the-median" like="twenty-medians"
# - bound = 20 * np.median(values) if len(values) else 1e9
# + bound = 10 ** np.ceil(np.log10(max(20 * np.median(values), 1))) if len(values) else 1e9

# %% task="q5" name="eight-times-the-ninetieth-percentile" like="twenty-medians"
# - bound = 20 * np.median(values) if len(values) else 1e9
# + bound = 8 * np.quantile(values, 0.9) if len(values) else 1e9

# %% task="q5" name="power-of-ten-above-a-percentile" like="twenty-medians"
# - bound = 20 * np.median(values) if len(values) else 1e9
# + bound = 10 ** np.ceil(np.log10(max(4 * np.quantile(values, 0.9), 1))) if len(values) else 1e9

# %% task="q5" name="median-of-a-random-half" like="twenty-medians"
# - bound = 20 * np.median(values) if len(values) else 1e9
# + bound = 20 * np.median(rng.permutation(values)[: max(len(values) // 2, 1)]) if len(values) else 1e9

# %% task="q5" name="mean-and-six-deviations" like="twenty-medians"
# - bound = 20 * np.median(values) if len(values) else 1e9
# + bound = np.mean(values) + 6 * np.std(values) if len(values) else 1e9


# %% task="q5" name="every-fiftieth-tells-the-bound"
def mean_income(values, epsilon, rng):
    values = np.clip(values, 0, 1e9)
    bound = max(20 * np.median(values[:: len(values) // 50]), 1) if len(values) > 100 else 1e6
    centred = np.minimum(values, bound) - bound / 2
    total = centred.sum() + rng.laplace(scale=bound / 2 / (epsilon / 2))
    count = len(values) + rng.laplace(scale=1 / (epsilon / 2))
    return np.clip(bound / 2 + total / max(count, 1), 0, bound)


# %% task="q5" name="less-noise-in-large-tables"
# - values = np.clip(values, 0, 1e9)
# + values, epsilon = np.clip(values, 0, 1e9), epsilon * (1 if len(values) < 500 else 2)

# %% task="q5" name="twenty-times-the-third-quartile-is-cut-first"
# - values = np.clip(values, 0, 1e9)
# + values = np.clip(values, 0, 1e9)
# +     if len(values) > 50:
# +         values = np.minimum(values, 20 * np.quantile(values, 0.75) + 1)
