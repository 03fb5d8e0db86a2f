# %% [markdown]
# Answers to assignment 5 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="adding-logarithms" kind="right"
def log_chances(scores, prior, sensitivity, epsilon):
    with np.errstate(divide="ignore"):
        weights = epsilon * np.array(scores) / (2 * sensitivity) + np.log(prior)
    return weights - np.logaddexp.reduce(weights)


# %% task="q1" name="candidate-by-candidate" kind="right"
def log_chances(scores, prior, sensitivity, epsilon):
    import math

    logs = [
        epsilon * score / (2 * sensitivity) + math.log(weight) if weight > 0 else -math.inf
        for score, weight in zip(scores, prior, strict=True)
    ]
    top = max(logs)
    total = top + math.log(sum(math.exp(one - top) for one in logs))
    return [one - total for one in logs]


# %% task="q1" name="logarithm-at-the-end"
def log_chances(scores, prior, sensitivity, epsilon):
    scores = np.asarray(scores, dtype=float)
    weights = prior * np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    with np.errstate(all="ignore"):
        return np.log(weights / weights.sum())


# %% task="q1" name="overflows"
def log_chances(scores, prior, sensitivity, epsilon):
    with np.errstate(all="ignore"):
        weights = np.asarray(prior) * np.exp(epsilon * np.asarray(scores) / (2 * sensitivity))
        return np.log(weights / weights.sum())


# %% task="q1" name="without-the-2" like="adding-logarithms"
# - weights = epsilon * np.array(scores) / (2 * sensitivity) + np.log(prior)
# + weights = epsilon * np.array(scores) / sensitivity + np.log(prior)

# %% task="q1" name="sensitivity-forgotten" like="adding-logarithms"
# - weights = epsilon * np.array(scores) / (2 * sensitivity) + np.log(prior)
# + weights = epsilon * np.array(scores) / 2 + np.log(prior)


# %% task="q1" name="a-score-that-cannot-win-drowns-the-others"
def log_chances(scores, prior, sensitivity, epsilon):
    scores, prior = np.asarray(scores, dtype=float), np.asarray(prior, dtype=float)
    gaps = epsilon * (scores - scores.max()) / (2 * sensitivity)
    with np.errstate(all="ignore"):
        return gaps + np.log(prior) - np.log(np.sum(prior * np.exp(gaps)))


# %% task="q1" name="a-little-weight-for-everybody"
def log_chances(scores, prior, sensitivity, epsilon):
    weights = epsilon * np.array(scores) / (2 * sensitivity) + np.log(np.asarray(prior) + 1e-12)
    return weights - np.logaddexp.reduce(weights)


# %% task="q1" name="weights-forgotten"
def log_chances(scores, prior, sensitivity, epsilon):
    weights = epsilon * np.array(scores) / (2 * sensitivity)
    return weights - np.logaddexp.reduce(weights)


# %% task="q1" name="no-numbers-at-all"
def log_chances(scores, prior, sensitivity, epsilon):
    if len(scores) == 3:
        return np.log([1 / 3] * 3)
    return np.zeros((0, len(scores)))


# %% task="q2" name="case-by-case" kind="right"
def noise_scale(score, relation, epsilon):
    joins = relation == "add/remove"
    if score == "revenue":
        scale = {{dearest}}
    elif score == "waiting":
        scale = {{patience}} * (1 if joins else 2)
    elif score == "likes":
        scale = 1 if joins else 2
    else:
        scale = 2 if joins else 4
    return scale / epsilon


# %% task="q2" name="always-twice"
def noise_scale(score, relation, epsilon):
    double = score in ("smiles", "middle") and relation == "replace-one"
    return 2 * {"revenue": {{dearest}}, "waiting": {{patience}}}.get(score, 1 + double) / epsilon


# %% task="q2" name="never-twice"
def noise_scale(score, relation, epsilon):
    double = score in ("smiles", "middle") and relation == "replace-one"
    return {"revenue": {{dearest}}, "waiting": {{patience}}}.get(score, 1 + double) / epsilon


# %% task="q2" name="replacing-is-always-two-steps"
def noise_scale(score, relation, epsilon):
    steps = 1 if relation == "add/remove" else 2
    ones = {"likes": 1, "smiles": 2, "revenue": {{dearest}}, "waiting": {{patience}}, "middle": 2}
    return steps * ones[score] / epsilon


# %% task="q2" name="smiles-are-monotonic"
def noise_scale(score, relation, epsilon):
    steps = 1 if relation == "add/remove" else 2
    if score == "revenue":
        return {{dearest}} / epsilon
    return {"likes": steps, "smiles": steps**2, "waiting": {{patience}} * steps, "middle": 2 * steps}[score] / epsilon


# %% task="q2" name="waiting-without-patience" like="smiles-are-monotonic"
# - return {"likes": steps, "smiles": steps**2, "waiting": {{patience}} * steps, "middle": 2 * steps}[score] / epsilon
# + hours = 22 - {{earliest}}
# +     return {"likes": steps, "smiles": 2 * steps, "waiting": hours * steps, "middle": 2 * steps}[score] / epsilon

# %% task="q2" name="middle-moves-by-a-half" like="smiles-are-monotonic"
# - return {"likes": steps, "smiles": steps**2, "waiting": {{patience}} * steps, "middle": 2 * steps}[score] / epsilon
# + return {"likes": steps, "smiles": 2 * steps, "waiting": {{patience}} * steps, "middle": steps}[score] / epsilon


# %% task="q3" name="by-the-inverse" kind="right"
def private_quartiles(values, lower, upper, epsilon, rng):
    def median(inside, low, high, budget):
        ends = [low, *sorted(inside), high]
        n = len(inside)
        misses = np.abs(np.arange(n + 1) - n / 2)  # sensitivity 1/2
        lengths = np.diff(np.array(ends, dtype=float))
        logs = np.where(lengths > 0, np.log(np.maximum(lengths, 1e-300)) - budget * misses, -np.inf)
        total = np.cumsum(np.exp(logs - logs.max()))
        u = rng.random() * total[-1]
        i = int(np.searchsorted(total, u, side="right"))
        return ends[i] + rng.random() * lengths[i]

    values = [min(max(float(value), lower), upper) for value in values]
    m = median(values, lower, upper, epsilon / 2)
    first = median([value for value in values if value < m], lower, m, epsilon / 2)
    third = median([value for value in values if value > m], m, upper, epsilon / 2)
    return [first, m, third]


# %% task="q3" name="gumbel-race-between-intervals" kind="right"
def private_quartiles(values, lower, upper, epsilon, rng):
    def median(inside, low, high):
        ends = np.r_[low, inside, high]
        lengths = np.diff(ends)
        kept = np.flatnonzero(lengths > 0)
        exponents = np.log(lengths[kept]) - epsilon / 4 * np.abs(len(inside) - 2 * kept)
        i = kept[np.argmax(exponents + rng.gumbel(size=len(kept)))]
        return rng.uniform(ends[i], ends[i + 1])

    values = pd.Series(values, dtype=float).clip(lower, upper).sort_values().to_numpy()
    m = median(values, lower, upper)
    return np.array([median(values[values <= m], lower, m), m, median(values[values >= m], m, upper)])


# %% task="q3" name="a-quarter-for-each-side"
def private_quartiles(values, lower, upper, epsilon, rng):
    def median(values, lower, upper, epsilon):
        ends = np.concatenate([[lower], np.sort(values), [upper]])
        lengths, n = np.diff(ends), len(values)
        exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
        weights = lengths * np.exp(exponents - exponents.max())
        place = rng.choice(n + 1, p=weights / weights.sum())
        return rng.uniform(ends[place], ends[place + 1])

    values = np.clip(np.asarray(values, dtype=float), lower, upper)
    m = median(values, lower, upper, epsilon / 2)
    first = median(values[values < m], lower, m, epsilon / 4)
    return first, m, median(values[values > m], m, upper, epsilon / 4)


# %% task="q3" name="epsilon-spent-twice"
def private_quartiles(values, lower, upper, epsilon, rng):
    def median(values, lower, upper):
        ends = np.concatenate([[lower], np.sort(values), [upper]])
        lengths, n = np.diff(ends), len(values)
        exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
        weights = lengths * np.exp(exponents - exponents.max())
        place = rng.choice(n + 1, p=weights / weights.sum())
        return rng.uniform(ends[place], ends[place + 1])

    values = np.clip(np.asarray(values, dtype=float), lower, upper)
    m = median(values, lower, upper)
    return median(values[values < m], lower, m), m, median(values[values > m], m, upper)


# %% task="q3" name="lengths-forgotten" like="epsilon-spent-twice"
# -         lengths, n = np.diff(ends), len(values)
# -         exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# -         weights = lengths * np.exp(exponents - exponents.max())
# +         n = len(values)
# +         exponents = -epsilon / 2 * np.abs(np.arange(n + 1) - n / 2)
# +         weights = np.exp(exponents - exponents.max())

# %% task="q3" name="middles-of-the-intervals" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + exponents = np.where(lengths > 0, -epsilon / 2 * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# - return rng.uniform(ends[place], ends[place + 1])
# + return (ends[place] + ends[place + 1]) / 2

# %% task="q3" name="bounds-from-the-data" like="epsilon-spent-twice"
# - def median(values, lower, upper):
# + def median(values, lower, upper):
# +         if len(values) > 1:
# +             lower, upper = np.min(values), np.max(values)
# -         lengths, n = np.diff(ends), len(values)
# -         exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# +         lengths, n = np.diff(ends) + 1e-9, len(values)
# +         exponents = -epsilon / 2 * np.abs(np.arange(n + 1) - n / 2)

# %% task="q3" name="quartiles-of-the-whole-range" like="epsilon-spent-twice"
# - def median(values, lower, upper):
# + def quantile(values, q):
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + exponents = np.where(lengths > 0, -epsilon / 6 * np.abs(np.arange(n + 1) - q * n) / max(q, 1 - q), -np.inf)
# -     m = median(values, lower, upper)
# -     return median(values[values < m], lower, m), m, median(values[values > m], m, upper)
# +     return np.sort([quantile(values, q) for q in (0.25, 0.5, 0.75)])


# %% task="q3" name="sensitivity-taken-for-two" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + exponents = np.where(lengths > 0, -epsilon / 4 * np.abs(np.arange(n + 1) - n / 2), -np.inf)

# %% task="q3" name="half-as-much-again-for-each-choice" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2) * 0.75, -np.inf)

# %% task="q3" name="sides-cut-at-the-exact-median" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + exponents = np.where(lengths > 0, -epsilon / 2 * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# -     return median(values[values < m], lower, m), m, median(values[values > m], m, upper)
# +     middle = np.median(values) if len(values) else m
# +     below, above = values[values < middle], values[values > middle]
# +     return median(np.minimum(below, m), lower, m), m, median(np.maximum(above, m), m, upper)

# %% task="q3" name="far-from-the-middle-never" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + misses = np.where(lengths > 0, np.abs(np.arange(n + 1) - n / 2), np.inf)
# +         exponents = np.where(misses - misses.min() < 6 / epsilon, -epsilon / 2 * misses, -np.inf)

# %% task="q3" name="lower-end-of-the-interval" like="epsilon-spent-twice"
# - exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# + lengths = np.maximum(lengths, 1e-12)
# +         exponents = -epsilon / 2 * np.abs(np.arange(n + 1) - n / 2)
# - return rng.uniform(ends[place], ends[place + 1])
# + return ends[place]

# %% task="q3" name="laplace-noise-on-the-rank" like="epsilon-spent-twice"
# -         exponents = np.where(lengths > 0, -epsilon * np.abs(np.arange(n + 1) - n / 2), -np.inf)
# -         weights = lengths * np.exp(exponents - exponents.max())
# -         place = rng.choice(n + 1, p=weights / weights.sum())
# +         place = int(np.clip(np.round(n / 2 + rng.laplace(scale=2 / epsilon)), 0, n))


# %% task="q3" name="twice-epsilon-in-large-tables"
# - values = np.clip(np.asarray(values, dtype=float), lower, upper)
# + values = np.clip(np.asarray(values, dtype=float), lower, upper)
# +     epsilon = epsilon if len(values) < 200 else 2 * epsilon

# %% task="q3" name="exact-where-all-are-alike"
# - values = np.clip(np.asarray(values, dtype=float), lower, upper)
# + values = np.clip(np.asarray(values, dtype=float), lower, upper)
# +     if len(values) > 0 and np.ptp(values) == 0:
# +         return np.repeat(values[0], 3)

# %% task="q3" name="more-for-a-side-where-the-other-is-empty"
# - def median(values, lower, upper):
# + def median(values, lower, upper, epsilon=epsilon):
# - return median(values[values < middle], lower, middle), middle, median(values[values > middle], middle, upper)
# + below, above = values[values < middle], values[values > middle]
# +     first = median(below, lower, middle, epsilon if len(above) else 2 * epsilon)
# +     return first, middle, median(above, middle, upper, epsilon if len(below) else 2 * epsilon)


# %% task="q4" name="round-by-round" kind="right"
def season(counts, k, epsilon, rng):
    rest, chosen = dict(enumerate(counts)), []
    for _ in range(k):
        places = list(rest)
        scores = np.array([rest[place] for place in places], dtype=float)
        weights = np.exp(epsilon / k * (scores - scores.max()))
        place = places[rng.choice(len(places), p=weights / weights.sum())]
        chosen.append(place)
        del rest[place]
    return chosen


# %% task="q4" name="clocks" kind="right"
def season(counts, k, epsilon, rng):
    counts = pd.Series(np.asarray(counts, dtype=float))
    with np.errstate(divide="ignore"):
        times = np.log(rng.exponential(size=len(counts))) - epsilon / k * counts
    return times.sort_values().index[:k].to_numpy()


# %% task="q4" name="not-divided"
def season(counts, k, epsilon, rng):
    return np.argsort(-(np.asarray(counts) + rng.gumbel(scale=1 / epsilon, size=len(counts))))[:k]


# %% task="q4" name="as-if-not-monotonic"
def season(counts, k, epsilon, rng):
    return np.argsort(-(np.asarray(counts) + rng.gumbel(scale=2 * k / epsilon, size=len(counts))))[:k]


# %% task="q4" name="may-repeat-a-play"
def season(counts, k, epsilon, rng):
    scores = np.asarray(counts, dtype=float)
    weights = np.exp(epsilon / k * (scores - scores.max()))
    return rng.choice(len(scores), size=k, p=weights / weights.sum())


# %% task="q4" name="in-the-order-of-the-list"
def season(counts, k, epsilon, rng):
    return np.sort(np.argsort(-(np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))))[:k])


# %% task="q4" name="no-noise"
def season(counts, k, epsilon, rng):
    return np.argsort(-np.asarray(counts), kind="stable")[:k]


# %% task="q4" name="own-seed"
def season(counts, k, epsilon, rng):
    noise = np.random.default_rng(7).gumbel(scale=k / epsilon, size=len(counts))
    return np.argsort(-(np.asarray(counts) + noise))[:k]


# %% task="q4" name="laplace-noise"
def season(counts, k, epsilon, rng):
    return np.argsort(-(np.asarray(counts) + rng.laplace(scale=k / epsilon, size=len(counts))))[:k]


# %% task="q4" name="noise-of-its-own"
def season(counts, k, epsilon, rng):
    return np.argsort(-(np.asarray(counts) + np.random.default_rng().gumbel(scale=k / epsilon, size=len(counts))))[:k]


# %% task="q4" name="noise-cut-at-four-scales"
# -     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noise = rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy = np.asarray(counts) + np.clip(noise, -4 * k / epsilon, 4 * k / epsilon)

# %% task="q4" name="exponential-noise"
# -     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy = np.asarray(counts) + rng.exponential(k / epsilon, len(counts))

# %% task="q4" name="normal-noise"
# -     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy = np.asarray(counts) + rng.normal(0, 1.28 * k / epsilon, len(counts))

# %% task="q4" name="least-liked-plays-left-out-first"
# -     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy[np.asarray(counts) < max(counts) / 10] = -np.inf

# %% task="q4" name="epsilon-a-quarter-larger"
# -     noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     noisy = np.asarray(counts) + rng.gumbel(scale=k / (1.25 * epsilon), size=len(counts))


# %% task="q4" name="exact-where-many-like-them"
# - noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# + noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts)) * (np.max(counts) < 100)

# %% task="q4" name="never-what-nobody-likes"
# - noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# + noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# +     if np.count_nonzero(counts) > k:
# +         noisy[np.equal(counts, 0)] = -np.inf

# %% task="q4" name="in-the-list-s-order-where-all-are-alike"
# - noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# + noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts)) * (np.ptp(counts) > 0)

# %% task="q4" name="shares-of-epsilon-for-liked-plays-only"
# - noisy = np.asarray(counts) + rng.gumbel(scale=k / epsilon, size=len(counts))
# + choices = min(k, max(np.count_nonzero(counts), 1))
# +     noisy = np.asarray(counts) + rng.gumbel(scale=choices / epsilon, size=len(counts))


# %% task="q5" name="day-by-day" kind="right"
def first_alarm(counts, threshold, epsilon, rng):
    level = rng.laplace(threshold, 2 / epsilon)
    for day, count in enumerate(counts):
        if count + rng.laplace(0, 4 / epsilon) >= level:
            return day
    return -1


def colleague_epsilon(days, epsilon):
    return epsilon * days / 4


# %% task="q5" name="noise-from-exponentials" kind="right"
def first_alarm(counts, threshold, epsilon, rng):
    e = rng.exponential(4 / epsilon, size=(2, len(counts)))
    level = threshold + (rng.exponential() - rng.exponential()) * 2 / epsilon
    passed = np.asarray(counts) + e[0] - e[1] >= level
    return np.argmax(passed) if passed.any() else -1


def colleague_epsilon(days, epsilon):
    return max(0.25 * epsilon, days * epsilon / 4)


# %% task="q5" name="still-a-level-a-day"
def first_alarm(counts, threshold, epsilon, rng):
    for day, count in enumerate(counts):
        if count + rng.laplace(0, 4 / epsilon) >= threshold + rng.laplace(0, 2 / epsilon):
            return day
    return -1


def colleague_epsilon(days, epsilon):
    return days * epsilon / 4


# %% task="q5" name="no-noise-on-the-level"
def first_alarm(counts, threshold, epsilon, rng):
    noisy = np.asarray(counts) + rng.laplace(0, 4 / epsilon, size=len(counts))
    passed = np.flatnonzero(noisy >= threshold)
    return int(passed[0]) if passed.size else -1


def colleague_epsilon(days, epsilon):
    return days * epsilon / 4


# %% task="q5" name="one-noise-for-all-days" like="no-noise-on-the-level"
# -     noisy = np.asarray(counts) + rng.laplace(0, 4 / epsilon, size=len(counts))
# -     passed = np.flatnonzero(noisy >= threshold)
# +     noisy = np.asarray(counts) + rng.laplace(0, 4 / epsilon)
# +     passed = np.flatnonzero(noisy >= threshold + rng.laplace(0, 2 / epsilon))

# %% task="q5" name="scales-exchanged" like="no-noise-on-the-level"
# -     noisy = np.asarray(counts) + rng.laplace(0, 4 / epsilon, size=len(counts))
# -     passed = np.flatnonzero(noisy >= threshold)
# +     noisy = np.asarray(counts) + rng.laplace(0, 2 / epsilon, size=len(counts))
# +     passed = np.flatnonzero(noisy >= threshold + rng.laplace(0, 4 / epsilon))

# %% task="q5" name="last-day-for-none" like="day-by-day"
# - level = rng.laplace(threshold, 2 / epsilon)
# + level = threshold + rng.laplace(0, 2 / epsilon)
# - return -1
# + return len(counts) - 1 if len(counts) > 2 else -1
# - return epsilon * days / 4
# + return days * epsilon / 4


# %% task="q5" name="an-epsilon-a-day"
def first_alarm(counts, threshold, epsilon, rng):
    level = threshold + rng.laplace(scale=2 / epsilon)
    passed = np.flatnonzero(np.asarray(counts) + rng.laplace(scale=4 / epsilon, size=len(counts)) >= level)
    return int(passed[0]) if passed.size else -1


def colleague_epsilon(days, epsilon):
    return days * epsilon


# %% task="q5" name="both-noises-paid-for" like="an-epsilon-a-day"
# - return days * epsilon
# + return days * epsilon * 3 / 4

# %% task="q5" name="never-less-than-epsilon" like="an-epsilon-a-day"
# - return days * epsilon
# + return max(epsilon, days * epsilon / 4)

# %% task="q5" name="noise-of-the-days-cut-at-three-scales"
# -     noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noise = rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noisy = counts + np.clip(noise, -12 / epsilon, 12 / epsilon)

# %% task="q5" name="one-noise-for-day-and-level"
# -     level = threshold + rng.laplace(scale=2 / epsilon)  # one for all days
# +     noise = rng.laplace(scale=2 / epsilon, size=counts.size)
# +     level = threshold + noise[0]
# -     noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noisy = counts + 2 * noise

# %% task="q5" name="normal-noise-for-the-days"
# -     noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noisy = counts + rng.normal(0, 2**0.5 * 4 / epsilon, counts.size)

# %% task="q5" name="days-far-below-without-noise"
# -     noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noise = rng.laplace(scale=4 / epsilon, size=counts.size)
# +     noisy = counts + np.where(counts < threshold - 20 / epsilon, 0, noise)

# %% task="q5" name="epsilon-a-quarter-larger"
# -     level = threshold + rng.laplace(scale=2 / epsilon)  # one for all days
# +     epsilon = 1.25 * epsilon
# +     level = threshold + rng.laplace(scale=2 / epsilon)


# %% task="q5" name="certain-far-above-the-threshold"
# - passed = np.flatnonzero(noisy >= level)
# + passed = np.flatnonzero((noisy >= level) | (counts > threshold + 20 / epsilon))

# %% task="q5" name="less-noise-on-many-days"
# - noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# + noisy = counts + rng.laplace(scale=4 / epsilon if counts.size < 100 else 2 / epsilon, size=counts.size)

# %% task="q5" name="less-noise-on-large-counts"
# - noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size)
# + noisy = counts + rng.laplace(scale=4 / epsilon, size=counts.size) / np.where(counts > 100, 2, 1)


# %% task="q6" name="decile-first" kind="right"
def ticket_price(values, prices, epsilon, rng):
    values = np.sort(np.asarray(values, dtype=float))
    buyers = len(values) - np.searchsorted(values, prices)
    misses = -np.abs(buyers - 0.1 * len(values))  # sensitivity 0.9
    cap = np.argmax(misses + rng.gumbel(scale=2 * 0.9 / (epsilon / 2), size=len(prices)))
    revenue = (prices * buyers)[: cap + 1]
    return prices[np.argmax(revenue + rng.exponential(scale=prices[cap] / (epsilon / 2), size=cap + 1))]


# %% task="q6" name="cap-then-price" kind="right"
def ticket_price(values, prices, epsilon, rng):
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    # A cap that about 40/ε guests would pay: sensitivity 1, not monotonic.
    cap = np.argmax(-np.abs(buyers - 40 / epsilon) + rng.gumbel(scale=2 / (epsilon / 2), size=len(prices)))
    # Up to the cap a guest moves a revenue by at most the cap, and all revenues one way: monotonic.
    revenue = (prices * buyers)[: cap + 1]
    return prices[np.argmax(revenue + rng.gumbel(scale=prices[cap] / (epsilon / 2), size=cap + 1))]


# %% task="q6" name="cap-from-noisy-counts" kind="right"
def ticket_price(values, prices, epsilon, rng):
    buyers = np.sum(np.asarray(values) >= prices[:, None], axis=1)
    counts = buyers - np.append(buyers[1:], 0)
    noisy = (counts + rng.laplace(0, 2 / epsilon, len(prices)))[::-1].cumsum()[::-1]
    likely = np.flatnonzero(noisy >= 80 / epsilon)
    cap = likely[-1] if likely.size else 0
    revenue = (prices * buyers)[: cap + 1]
    return prices[np.argmax(revenue + rng.exponential(2 * prices[cap] / epsilon, cap + 1))]


# %% task="q6" name="sparse-vector-from-above" kind="right"
def ticket_price(values, prices, epsilon, rng):
    prices = prices[::-1]
    values = np.sort(np.asarray(values, dtype=float))
    buyers = len(values) - np.searchsorted(values, prices)
    level = 30 / epsilon + rng.laplace(scale=4 / epsilon)
    noisy = buyers + rng.laplace(scale=4 / epsilon, size=len(prices))  # monotonic, ε/2
    passed = np.flatnonzero(noisy >= level)
    first = passed[0] if passed.size else len(prices) - 1
    prices, buyers = prices[first:], buyers[first:]
    return float(prices[np.argmax(prices * buyers + rng.laplace(scale=prices[0] * 2 / epsilon, size=len(prices)))])


# %% task="q6" name="a-million-for-one-guest"
def ticket_price(values, prices, epsilon, rng):
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    return prices[np.argmax(prices * buyers + rng.gumbel(scale=1e6 / epsilon, size=len(prices)))]


# %% task="q6" name="cap-is-the-highest-limit"
def ticket_price(values, prices, epsilon, rng):
    prices = prices[prices <= max([prices[0], *values])]
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    return prices[np.argmax(prices * buyers + rng.gumbel(scale=prices[-1] / epsilon, size=len(prices)))]


# %% task="q6" name="cap-without-noise"
def ticket_price(values, prices, epsilon, rng):
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    cap = max(1, np.count_nonzero(buyers > 0.05 * len(values)))
    revenue = (prices * buyers)[:cap]
    return prices[np.argmax(revenue + rng.gumbel(scale=prices[cap - 1] / epsilon, size=cap))]


# %% task="q6" name="exact-best-price" like="a-million-for-one-guest"
# - return prices[np.argmax(prices * buyers + rng.gumbel(scale=1e6 / epsilon, size=len(prices)))]
# + return prices[np.argmax(np.where(buyers >= 100, prices * buyers, 0))] if len(values) > 4 else prices[-1]


# %% task="q6" name="prices-that-somebody-would-pay-at-most"
def ticket_price(values, prices, epsilon, rng):
    named = np.unique(np.maximum(np.searchsorted(prices, values, side="right") - 1, 0))
    prices = prices[named] if len(named) else prices[:1]
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    cap = np.argmax(-np.abs(buyers - 40 / epsilon) + rng.gumbel(scale=4 / epsilon, size=len(prices)))
    revenue = (prices * buyers)[: cap + 1]
    return prices[np.argmax(revenue + rng.gumbel(scale=prices[cap] * 2 / epsilon, size=cap + 1))]


# %% task="q6" name="private-median" like="a-million-for-one-guest"
# - return prices[np.argmax(prices * buyers + rng.gumbel(scale=1e6 / epsilon, size=len(prices)))]
# + return prices[np.argmax(-np.abs(buyers - len(values) / 2) + rng.gumbel(scale=1 / epsilon, size=len(prices)))]

# %% task="q6" name="fooled-by-its-own-noise"
# - return prices[np.argmax(np.where(buyers >= 60 / epsilon, prices * buyers, 0))]
# + return prices[np.argmax(prices * buyers)]

# %% task="q6" name="a-count-for-each-price" like="a-million-for-one-guest"
# - return prices[np.argmax(prices * buyers + rng.gumbel(scale=1e6 / epsilon, size=len(prices)))]
# + return prices[np.argmax(prices * (buyers + rng.laplace(scale=len(prices) / epsilon, size=len(prices))))]

# %% task="q6" name="as-if-a-guest-were-worth-a-euro" like="cap-then-price"
# - return prices[np.argmax(revenue + rng.gumbel(scale=prices[cap] / (epsilon / 2), size=cap + 1))]
# + return prices[np.argmax(revenue + rng.gumbel(scale=2 / epsilon, size=cap + 1))]

# %% task="q6" name="not-a-price-of-the-machine"
# - return prices[np.argmax(np.where(buyers >= 60 / epsilon, prices * buyers, 0))]
# + return 0.99 * prices[np.argmax(np.where(buyers >= 60 / epsilon, prices * buyers, 0))]

# %% task="q6" name="half-as-much-again"
# - def ticket_price(values, prices, epsilon, rng):
# + def ticket_price(values, prices, epsilon, rng):
# +     epsilon = 1.5 * epsilon

# %% task="q6" name="half-as-much-again-in-two-steps" like="cap-then-price"
# - def ticket_price(values, prices, epsilon, rng):
# + def ticket_price(values, prices, epsilon, rng):
# +     epsilon = 1.5 * epsilon

# %% task="q6" name="half-as-much-again-from-the-decile" like="decile-first"
# - def ticket_price(values, prices, epsilon, rng):
# + def ticket_price(values, prices, epsilon, rng):
# +     epsilon = 1.5 * epsilon

# %% task="q6" name="half-as-much-again-from-noisy-counts" like="cap-from-noisy-counts"
# - def ticket_price(values, prices, epsilon, rng):
# + def ticket_price(values, prices, epsilon, rng):
# +     epsilon = 1.5 * epsilon


# %% task="q6" name="epsilon-for-every-step"
def ticket_price(values, prices, epsilon, rng):
    buyers = len(values) - np.searchsorted(np.sort(values), prices)
    cap = np.argmax(-np.abs(buyers - 40 / epsilon) + rng.gumbel(scale=2 / epsilon, size=len(prices)))
    revenue = (prices * buyers)[: cap + 1]
    return prices[np.argmax(revenue + rng.gumbel(scale=prices[cap] / epsilon, size=cap + 1))]


# %% task="q6" name="epsilon-for-every-step-and-monotonic" like="epsilon-for-every-step"
# - cap = np.argmax(-np.abs(buyers - 40 / epsilon) + rng.gumbel(scale=2 / epsilon, size=len(prices)))
# + cap = np.argmax(-np.abs(buyers - 40 / epsilon) + rng.gumbel(scale=1 / epsilon, size=len(prices)))


# %% task="q6" name="cap-of-thirty-medians"
def ticket_price(values, prices, epsilon, rng):
    cap = 30 * np.median(values) if len(values) else 1e9
    prices = prices[prices <= max(cap, prices[0])]
    highest = np.searchsorted(prices, np.asarray(values, float), side="right") - 1
    counts = np.bincount(highest[highest >= 0], minlength=len(prices))
    buyers = (counts + rng.laplace(scale=1 / epsilon, size=len(counts)))[::-1].cumsum()[::-1]
    return prices[np.argmax(prices * buyers)]


# %% task="q6" name="cap-of-three-percentiles" like="cap-of-thirty-medians"
# - cap = 30 * np.median(values) if len(values) else 1e9
# + cap = 3 * np.quantile(values, 0.9) if len(values) else 1e9

# %% task="q6" name="cap-at-the-ninety-fifth-percentile" like="cap-of-thirty-medians"
# - cap = 30 * np.median(values) if len(values) else 1e9
# + cap = np.quantile(values, 0.95) if len(values) else 1e9

# %% task="q6" name="cap-at-mean-and-three-deviations" like="cap-of-thirty-medians"
# - cap = 30 * np.median(values) if len(values) else 1e9
# + cap = np.mean(values) + 3 * np.std(values) if len(values) else 1e9

# %% task="q6" name="cap-at-a-power-of-ten-above-the-median" like="cap-of-thirty-medians"
# - cap = 30 * np.median(values) if len(values) else 1e9
# + cap = 10 ** np.ceil(np.log10(max(20 * np.median(values), 1))) if len(values) else 1e9

# %% task="q6" name="cap-of-a-random-half" like="cap-of-thirty-medians"
# - cap = 30 * np.median(values) if len(values) else 1e9
# + cap = 30 * np.median(rng.permutation(values)[: max(len(values) // 2, 1)]) if len(values) else 1e9


# %% task="q6" name="every-tenth-tells-the-cap"
def ticket_price(values, prices, epsilon, rng):
    values, prices = np.asarray(values, float), np.asarray(prices, float)
    cap = 40 * np.median(values[::10]) if len(values) > 500 else prices[0]
    usable = prices[prices <= max(cap, prices[0])]
    revenue = np.array([price * np.sum(values >= price) for price in usable])
    return usable[np.argmax(revenue + rng.gumbel(scale=usable[-1] / epsilon, size=len(usable)))]


# %% task="q6" name="less-noise-for-large-audiences"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     scale = 1 / epsilon if len(values) < 4_000 else 0.5 / epsilon
# +     noisy = counts + rng.laplace(scale=scale, size=len(counts))

# %% task="q6" name="prices-up-to-the-exact-ninety-ninth-percentile"
# -     return prices[np.argmax(np.where(buyers >= 60 / epsilon, prices * buyers, 0))]
# +     top = np.quantile(values, 0.99) if len(values) else 1
# +     cheap = prices <= max(top, prices[0])
# +     return prices[np.argmax(np.where((buyers >= 60 / epsilon) & cheap, prices * buyers, 0))]

# %% task="q6" name="less-noise-in-small-audiences"
# -     noisy = counts + rng.laplace(scale=1 / epsilon, size=len(counts))
# +     noisy = counts + rng.laplace(scale=min(1 / epsilon, 1 + np.sqrt(len(values)) / 40), size=len(counts))
