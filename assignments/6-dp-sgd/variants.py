# %% [markdown]
# Answers to assignment 6 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="person-by-person" kind="right"
def class_gradient_sum(W, X, classes, clip):
    whole = np.zeros_like(W, dtype=float)
    for x, own in zip(X, classes, strict=True):
        scores = x @ W
        weights = np.exp(scores - max(scores))
        slopes = weights / weights.sum()
        slopes[own] -= 1
        gradient = np.outer(x, slopes)
        length = np.sqrt((gradient**2).sum())
        whole += gradient * (clip / length if length > clip else 1)
    return whole


# %% task="q1" name="tensor-of-gradients" kind="right"
def class_gradient_sum(W, X, classes, clip):
    scores = X @ W
    slopes = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    slopes[np.arange(len(X)), classes] -= 1
    each = X[:, :, None] * slopes[:, None, :]
    lengths = np.sqrt(np.einsum("nij,nij->n", each, each))
    return (each / np.maximum(1, lengths / clip)[:, None, None]).sum(axis=0)


# %% task="q1" name="sum-clipped"
def class_gradient_sum(W, X, classes, clip):
    scores = X @ W
    slopes = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    slopes[np.arange(len(X)), classes] -= 1
    whole = X.T @ slopes
    return whole * min(1, clip / max(np.linalg.norm(whole), 1e-300))


# %% task="q1" name="each-class-clipped" like="tensor-of-gradients"
# -     lengths = np.sqrt(np.einsum("nij,nij->n", each, each))
# -     return (each / np.maximum(1, lengths / clip)[:, None, None]).sum(axis=0)
# +     lengths = np.linalg.norm(each, axis=1, keepdims=True)
# +     return (each * np.minimum(1, clip / np.maximum(lengths, 1e-300))).sum(axis=0)

# %% task="q1" name="all-stretched-to-the-norm" like="tensor-of-gradients"
# -     lengths = np.sqrt(np.einsum("nij,nij->n", each, each))
# -     return (each / np.maximum(1, lengths / clip)[:, None, None]).sum(axis=0)
# +     lengths = np.linalg.norm(each, axis=(1, 2), keepdims=True)
# +     return (each * clip / np.maximum(lengths, 1e-300)).sum(axis=0)


# %% task="q1" name="rows-clipped-instead"
def class_gradient_sum(W, X, classes, clip):
    X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True) / clip)
    scores = X @ W
    slopes = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    slopes[np.arange(len(X)), classes] -= 1
    return X.T @ slopes


# %% task="q1" name="exp-overflows"
def class_gradient_sum(W, X, classes, clip):
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(X @ W)
        slopes = weights / weights.sum(axis=1, keepdims=True)
        slopes[np.arange(len(X)), classes] -= 1
        each = X[:, :, None] * slopes[:, None, :]
        lengths = np.linalg.norm(each, axis=(1, 2), keepdims=True)
        return (each * np.minimum(1, clip / np.maximum(lengths, 1e-300))).sum(axis=0)


# %% task="q1" name="divides-by-a-length-of-0"
def class_gradient_sum(W, X, classes, clip):
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = X @ W
        slopes = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
        slopes[np.arange(len(X)), classes] -= 1
        each = X[:, :, None] * slopes[:, None, :]
        return (each / np.linalg.norm(each, axis=(1, 2), keepdims=True) * clip).sum(axis=0)


# %% task="q1" name="averaged" like="tensor-of-gradients"
# -     lengths = np.sqrt(np.einsum("nij,nij->n", each, each))
# -     return (each / np.maximum(1, lengths / clip)[:, None, None]).sum(axis=0)
# +     lengths = np.linalg.norm(each, axis=(1, 2), keepdims=True)
# +     return (each * np.minimum(1, clip / np.maximum(lengths, 1e-300))).sum(axis=0) / max(len(X), 1)


# %% task="q2" name="loops-over-the-persons-taken" kind="right"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    rows_of = {name: np.flatnonzero(np.asarray(person) == name) for name in sorted(set(np.asarray(person).tolist()))}
    thetas = [np.zeros(np.shape(X)[1])]
    for _ in range(steps):
        now, total = thetas[-1], np.zeros(np.shape(X)[1])
        for rows in rows_of.values():
            if rng.random() >= q:
                continue
            x, label = X[rows], y[rows]
            gradient = (-(label / (1 + np.exp(label * (x @ now))))[:, None] * x).mean(axis=0)
            length = np.linalg.norm(gradient)
            total += gradient if length <= clip else gradient * clip / length
        total += sigma * clip * rng.standard_normal(now.size)
        thetas.append(now - rate * total / (q * len(rows_of)))
    return np.array(thetas)


# %% task="q2" name="binomial-many-and-pandas" kind="right"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    names = np.unique(person)
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        batch = rng.choice(names, rng.binomial(len(names), q), replace=False)
        total = rng.normal(0, sigma * clip, X.shape[1])
        if len(batch):
            kept = np.isin(person, batch)
            x, label = X[kept], y[kept]
            each = -(label / (1 + np.exp(label * (x @ thetas[step]))))[:, None] * x
            each = pd.DataFrame(each).groupby(np.asarray(person)[kept]).mean().to_numpy()
            total += (each / np.maximum(1, np.linalg.norm(each, axis=1) / clip)[:, None]).sum(axis=0)
        thetas[step + 1] = thetas[step] - rate * total / (q * len(names))
    return thetas


# %% task="q2" name="rows-instead-of-persons"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        taken = rng.random(len(y)) < q
        x, label = X[taken], y[taken]
        each = -(label / (1 + np.exp(label * (x @ thetas[step]))))[:, None] * x
        each = each / np.maximum(1, np.linalg.norm(each, axis=1) / clip)[:, None]
        total = each.sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
        thetas[step + 1] = thetas[step] - rate * total / (q * len(y))
    return thetas


# %% task="q2" name="rows-clipped-then-averaged"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    names = np.unique(person)
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        each = -(y / (1 + np.exp(y * (X @ thetas[step]))))[:, None] * X
        each = each / np.maximum(1, np.linalg.norm(each, axis=1) / clip)[:, None]
        each = np.array([each[person == name].mean(axis=0) for name in names])
        total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
        thetas[step + 1] = thetas[step] - rate * total / (q * len(names))
    return thetas


# %% task="q2" name="rows-of-a-person-added-up"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    names = np.unique(person)
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        each = -(y / (1 + np.exp(y * (X @ thetas[step]))))[:, None] * X
        each = np.array([each[person == name].sum(axis=0) for name in names])
        each = each / np.maximum(1, np.linalg.norm(each, axis=1) / clip)[:, None]
        total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
        thetas[step + 1] = thetas[step] - rate * total / (q * len(names))
    return thetas


# %% task="q2" name="divided-by-the-batch" like="rows-of-a-person-added-up"
# - each = np.array([each[person == name].sum(axis=0) for name in names])
# + each = np.array([each[person == name].mean(axis=0) for name in names])
# -         total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# -         thetas[step + 1] = thetas[step] - rate * total / (q * len(names))
# +         taken = rng.random(len(names)) < q
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         thetas[step + 1] = thetas[step] - rate * total / max(taken.sum(), 1)


# %% task="q2" name="empty-batches-skipped"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    names = np.unique(person)
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        thetas[step + 1] = thetas[step]
        taken = rng.random(len(names)) < q
        if taken.any():
            each = -(y / (1 + np.exp(y * (X @ thetas[step]))))[:, None] * X
            each = np.array([each[person == name].mean(axis=0) for name in names])
            each = each / np.maximum(1, np.linalg.norm(each, axis=1) / clip)[:, None]
            total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
            thetas[step + 1] -= rate * total / (q * len(names))
    return thetas


# %% task="q2" name="batches-of-fixed-size" like="rows-of-a-person-added-up"
# - each = np.array([each[person == name].sum(axis=0) for name in names])
# + each = np.array([each[person == name].mean(axis=0) for name in names])
# - total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# + taken = rng.choice(len(names), int(q * len(names)), replace=False)
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])

# %% task="q2" name="noise-forgets-the-clipping-norm" like="rows-of-a-person-added-up"
# - each = np.array([each[person == name].sum(axis=0) for name in names])
# + each = np.array([each[person == name].mean(axis=0) for name in names])
# - total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# + total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma, X.shape[1])

# %% task="q2" name="one-batch-for-all-steps" like="rows-of-a-person-added-up"
# - names = np.unique(person)
# + names = np.unique(person)
# +     taken = rng.random(len(names)) < q
# - each = np.array([each[person == name].sum(axis=0) for name in names])
# + each = np.array([each[person == name].mean(axis=0) for name in names])
# - total = each[rng.random(len(names)) < q].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# + total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])

# %% task="q2" name="noise-cut-at-three-deviations"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         noise = np.clip(rng.normal(0, 1, X.shape[1]), -3, 3)
# +         total = each[taken].sum(axis=0) + sigma * clip * noise

# %% task="q2" name="laplace-noise-of-the-same-spread"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0) + rng.laplace(0, sigma * clip / 2**0.5, X.shape[1])

# %% task="q2" name="one-draw-for-all-coordinates"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip)

# %% task="q2" name="no-noise-for-an-empty-batch"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0) + taken.any() * rng.normal(0, sigma * clip, X.shape[1])

# %% task="q2" name="batch-is-never-empty"
# -         taken = rng.random(names.size) < q
# +         taken = rng.random(names.size) < q
# +         while not taken.any():
# +             taken = rng.random(names.size) < q

# %% task="q2" name="batch-of-a-fixed-size"
# -         taken = rng.random(names.size) < q
# +         taken = rng.permutation(names.size) < round(q * names.size)

# %% task="q2" name="antithetic-noise-in-the-second-half"
# -     thetas = np.zeros((steps + 1, X.shape[1]))
# +     thetas = np.zeros((steps + 1, X.shape[1]))
# +     half = rng.normal(0, sigma * clip, ((steps + 1) // 2, X.shape[1]))
# +     noise = np.concatenate([half, -half[::-1]])
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0) + noise[step]

# %% task="q2" name="stops-when-the-loss-grows"
# -         thetas[step + 1] = thetas[step] - rate * total / (q * names.size)
# +         thetas[step + 1] = thetas[step] - rate * total / (q * names.size)
# +         loss = [np.logaddexp(0, -y * (X @ theta)).mean() for theta in thetas[step : step + 2]]
# +         if loss[1] > loss[0] + 0.1:
# +             thetas[step + 1 :] = thetas[step]
# +             return thetas

# %% task="q2" name="noise-of-the-batch"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1]) / np.sqrt(max(1, taken.sum()))

# %% task="q2" name="noise-of-the-longest-gradient"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         longest = np.linalg.norm(each, axis=1).max()
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * (longest or clip), X.shape[1])

# %% task="q2" name="noise-where-the-gradient-is"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         noise = rng.normal(0, sigma * clip, X.shape[1])
# +         total = each[taken].sum(axis=0)
# +         total = total + (noise * (total != 0) if total.any() else noise)

# %% task="q2" name="no-noise-in-the-constant"
# -         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
# +         penalized = ~(X == 1).all(axis=0)
# +         total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1]) * penalized

# %% task="q2" name="small-persons-always"
# -         taken = rng.random(names.size) < q
# +         taken = (rng.random(names.size) < q) | ((np.bincount(owner) == 1) & (np.linalg.norm(each, axis=1) > 0))

# %% task="q2" name="seed-42"
# -     thetas = np.zeros((steps + 1, X.shape[1]))
# +     thetas = np.zeros((steps + 1, X.shape[1]))
# +     rng = np.random.default_rng(42)


# %% task="q3" name="grid-then-closer" kind="right"
def plan_epsilon(phases, delta):
    best = float("inf")
    table = [(steps, step_rdp(q, sigma)) for q, sigma, steps in phases]
    for place, alpha in enumerate(ORDERS):
        total = sum(steps * divergences[place] for steps, divergences in table)
        best = min(best, total + np.log(1 - 1 / alpha) - (np.log(delta) + np.log(alpha)) / (alpha - 1))
    return max(best, 0)


def smallest_sigma(q, steps, spent, epsilon, delta):
    if spent and plan_epsilon(spent, delta) >= epsilon:
        return np.inf
    sigma, factor = 1e4, 2.0
    while factor > 1.0005:
        while plan_epsilon([*spent, [q, sigma / factor, steps]], delta) <= epsilon:
            sigma /= factor
        factor **= 0.5
    return sigma


# %% task="q3" name="epsilons-added"
def plan_epsilon(phases, delta):
    return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)


def smallest_sigma(q, steps, spent, epsilon, delta):
    if spent and plan_epsilon(spent, delta) >= epsilon:
        return np.inf
    low, high = 0.1, 1e4
    while high > 1.0005 * low:
        middle = np.sqrt(low * high)
        if plan_epsilon([*spent, [q, middle, steps]], delta) <= epsilon:
            high = middle
        else:
            low = middle
    return high


# %% task="q3" name="delta-split-over-phases" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + return sum(sgd_epsilon(q, sigma, steps, delta / len(phases)) for q, sigma, steps in phases)

# %% task="q3" name="best-order-of-each-phase" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
# +     total = 0.0
# +     for q, sigma, steps in phases:
# +         rdp = steps * step_rdp(q, sigma)
# +         total += rdp[np.argmin(rdp + extra)]
# +     return total + np.min(extra)

# %% task="q3" name="only-the-dearest-phase" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + return max(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)

# %% task="q3" name="rest-of-epsilon" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + total = sum(steps * step_rdp(q, sigma) for q, sigma, steps in phases)
# +     extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
# +     return max(np.min(total + extra), 0.0)
# - if spent and plan_epsilon(spent, delta) >= epsilon:
# + left = epsilon - (plan_epsilon(spent, delta) if spent else 0)
# +     if left <= 0:
# - if plan_epsilon([*spent, [q, middle, steps]], delta) <= epsilon:
# + if sgd_epsilon(q, middle, steps, delta) <= left:

# %% task="q3" name="forgets-what-was-spent" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + total = sum(steps * step_rdp(q, sigma) for q, sigma, steps in phases)
# +     extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
# +     return max(np.min(total + extra), 0.0)
# - if plan_epsilon([*spent, [q, middle, steps]], delta) <= epsilon:
# + if sgd_epsilon(q, middle, steps, delta) <= epsilon:

# %% task="q3" name="largest-noise-tried-when-nothing-is-left" like="epsilons-added"
# - return sum(sgd_epsilon(q, sigma, steps, delta) for q, sigma, steps in phases)
# + total = sum(steps * step_rdp(q, sigma) for q, sigma, steps in phases)
# +     extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
# +     return max(np.min(total + extra), 0.0)
# - def smallest_sigma(q, steps, spent, epsilon, delta):
# -     if spent and plan_epsilon(spent, delta) >= epsilon:
# -         return np.inf
# + def smallest_sigma(q, steps, spent, epsilon, delta):


# %% task="q4" name="one-long-vector" kind="right"
def layered_step(layers, q, clip, sigma, rng):
    whole = np.hstack(layers)
    total = rng.normal(size=whole.shape[1]) * sigma * clip
    for row in whole:
        if rng.random() < q:
            total = total + row / max(1, np.linalg.norm(row) / clip)
    ends = np.cumsum([np.shape(layer)[1] for layer in layers])[:-1]
    return np.split(total / (q * len(whole)), ends)


def true_multiplier(sigma, count):
    return sigma * count**-0.5


# %% task="q4" name="not-mended"
def layered_step(layers, q, clip, sigma, rng):
    taken = rng.random(len(layers[0])) < q
    averages = []
    for layer in layers:
        each = layer[taken]
        each = each / np.maximum(1, np.linalg.norm(each, axis=1, keepdims=True) / clip)
        noise = rng.normal(0, sigma * clip, layer.shape[1])
        averages.append((each.sum(axis=0) + noise) / (q * len(taken)))
    return averages


def true_multiplier(sigma, count):
    return sigma / np.sqrt(count)


# %% task="q4" name="share-of-the-norm-for-each-layer" like="not-mended"
# - each = each / np.maximum(1, np.linalg.norm(each, axis=1, keepdims=True) / clip)
# + each = each / np.maximum(1, np.linalg.norm(each, axis=1, keepdims=True) * np.sqrt(len(layers)) / clip)

# %% task="q4" name="coins-anew-for-each-layer"
# -     taken = rng.random(people) < q
# -     length = np.sqrt(sum(np.square(layer).sum(axis=1) for layer in layers))  # of the whole gradient
# -     weight = taken * np.minimum(1, clip / np.maximum(length, 1e-12))
# +     length = np.sqrt(sum((layer**2).sum(axis=1) for layer in layers))
# +     weight = 1 / np.maximum(1, length / clip)
# - averages.append((weight @ layer + noise) / (q * people))
# + averages.append(((weight * (rng.random(people) < q)) @ layer + noise) / (q * people))

# %% task="q4" name="noise-split-over-layers"
# -     taken = rng.random(people) < q
# -     length = np.sqrt(sum(np.square(layer).sum(axis=1) for layer in layers))  # of the whole gradient
# -     weight = taken * np.minimum(1, clip / np.maximum(length, 1e-12))
# +     length = np.sqrt(sum((layer**2).sum(axis=1) for layer in layers))
# +     weight = (rng.random(people) < q) / np.maximum(1, length / clip)
# - noise = rng.normal(0, sigma * clip, layer.shape[1])
# + noise = rng.normal(0, sigma * clip / np.sqrt(len(layers)), layer.shape[1])


# %% task="q4" name="same-noise-for-all-layers"
def layered_step(layers, q, clip, sigma, rng):
    people = len(layers[0])
    length = np.sqrt(sum((layer**2).sum(axis=1) for layer in layers))
    weight = (rng.random(people) < q) / np.maximum(1, length / clip)
    noise = rng.normal(0, sigma * clip, max(layer.shape[1] for layer in layers))
    return [(weight @ layer + noise[: layer.shape[1]]) / (q * people) for layer in layers]


def true_multiplier(sigma, count):
    return sigma / np.sqrt(count)


# %% task="q4" name="average-clipped"
def layered_step(layers, q, clip, sigma, rng):
    people = len(layers[0])
    taken = rng.random(people) < q
    totals = [layer[taken].sum(axis=0) for layer in layers]
    length = np.sqrt(sum((total**2).sum() for total in totals))
    shrink = min(1, clip * people * q / max(length, 1e-12))
    return [(total * shrink + rng.normal(0, sigma * clip, total.size)) / (q * people) for total in totals]


def true_multiplier(sigma, count):
    return sigma / np.sqrt(count)


# %% task="q4" name="believes-the-colleague" like="same-noise-for-all-layers"
# -     noise = rng.normal(0, sigma * clip, max(layer.shape[1] for layer in layers))
# -     return [(weight @ layer + noise[: layer.shape[1]]) / (q * people) for layer in layers]
# +     return [(weight @ layer + rng.normal(0, sigma * clip, layer.shape[1])) / (q * people) for layer in layers]
# - return sigma / np.sqrt(count)
# + return sigma

# %% task="q4" name="lengths-added" like="same-noise-for-all-layers"
# -     noise = rng.normal(0, sigma * clip, max(layer.shape[1] for layer in layers))
# -     return [(weight @ layer + noise[: layer.shape[1]]) / (q * people) for layer in layers]
# +     return [(weight @ layer + rng.normal(0, sigma * clip, layer.shape[1])) / (q * people) for layer in layers]
# - return sigma / np.sqrt(count)
# + return sigma / count

# %% task="q4" name="noise-cut-at-three-deviations"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = sigma * clip * np.clip(rng.normal(0, 1, layer.shape[1]), -3, 3)

# %% task="q4" name="laplace-noise-of-the-same-spread"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.laplace(0, sigma * clip / 2**0.5, layer.shape[1])

# %% task="q4" name="one-draw-for-a-layer"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, sigma * clip)

# %% task="q4" name="batch-is-never-empty"
# -     taken = rng.random(people) < q
# +     taken = rng.random(people) < q
# +     while not taken.any():
# +         taken = rng.random(people) < q

# %% task="q4" name="noise-a-fifth-smaller"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, 0.8 * sigma * clip, layer.shape[1])

# %% task="q4" name="noise-by-the-layers-own-size"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         mean = np.mean([one.shape[1] for one in layers])
# +         noise = rng.normal(0, sigma * clip * np.sqrt(layer.shape[1] / mean), layer.shape[1])

# %% task="q4" name="noise-of-the-longest-gradient"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, sigma * min(clip, length.max() or clip), layer.shape[1])

# %% task="q4" name="noise-where-somebody-is-taken"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, sigma * clip, layer.shape[1]) * (taken.any() or not length.any())

# %% task="q4" name="longer-gradients-more-often"
# -     taken = rng.random(people) < q
# -     length = np.sqrt(sum(np.square(layer).sum(axis=1) for layer in layers))  # of the whole gradient
# +     length = np.sqrt(sum(np.square(layer).sum(axis=1) for layer in layers))
# +     usual = max(length.mean(), 1e-12)
# +     taken = rng.random(people) < q ** (usual / np.maximum(length, usual / 100))

# %% task="q4" name="poisson-many-without-replacement"
# -     taken = rng.random(people) < q
# +     many = min(rng.poisson(q * people), people) if q < 1 else people
# +     taken = rng.permutation(people) < many

# %% task="q4" name="layers-of-zeros-keep-quiet"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, sigma * clip, layer.shape[1]) * (np.any(layer) or not np.any(length))

# %% task="q4" name="noise-where-the-gradient-is"
# -         averages.append((weight @ layer + noise) / (q * people))
# +         averages.append((weight @ layer + noise * (np.any(layer, axis=0) | ~np.any(layer))) / (q * people))

# %% task="q4" name="noise-only-for-the-first-layers-of-many"
# -         noise = rng.normal(0, sigma * clip, layer.shape[1])
# +         noise = rng.normal(0, sigma * clip / max(1, np.sqrt(len(layers) / 3)), layer.shape[1])


# %% task="q5" name="least-squares" kind="right"
def accuse(published, candidates, strange):
    shares = np.linalg.lstsq(np.asarray(candidates).T, published, rcond=None)[0]
    return shares > shares.max() / 2


def proven_epsilon(found, accused, delta):
    best = 0
    for one, other in [(found, accused), (accused, found), (1 - found, 1 - accused), (1 - accused, 1 - found)]:
        if one - delta > other:
            best = max(best, math.log((one - delta) / other) if other else math.inf)
    return best


import math


# %% task="q5" name="above-the-strangers" kind="right"
def accuse(published, candidates, strange):
    usual = (np.sum(strange, axis=0) + np.sum(candidates, axis=0)) / (len(strange) + len(candidates))
    scores = [np.dot(person - usual, published - usual) for person in candidates]
    return [bool(score > np.median(scores)) for score in scores]


def proven_epsilon(found, accused, delta):
    top = np.array([found, accused, 1 - found, 1 - accused]) - delta
    below = np.array([accused, found, 1 - accused, 1 - found])
    ratios = [a / b if b > 0 else np.inf for a, b in zip(top, below, strict=True) if a > 0]
    return max(0, np.log(max([1, *ratios])))


# %% task="q5" name="nearest-to-the-average" like="above-the-strangers"
# -     usual = (np.sum(strange, axis=0) + np.sum(candidates, axis=0)) / (len(strange) + len(candidates))
# -     scores = [np.dot(person - usual, published - usual) for person in candidates]
# -     return [bool(score > np.median(scores)) for score in scores]
# +     far = np.linalg.norm(candidates - published, axis=1)
# +     return far < np.median(far)

# %% task="q5" name="what-is-usual-left-in" like="above-the-strangers"
# -     usual = (np.sum(strange, axis=0) + np.sum(candidates, axis=0)) / (len(strange) + len(candidates))
# -     scores = [np.dot(person - usual, published - usual) for person in candidates]
# -     return [bool(score > np.median(scores)) for score in scores]
# +     score = candidates @ published
# +     return score > np.median(score)

# %% task="q5" name="accuses-everybody" like="above-the-strangers"
# -     usual = (np.sum(strange, axis=0) + np.sum(candidates, axis=0)) / (len(strange) + len(candidates))
# -     scores = [np.dot(person - usual, published - usual) for person in candidates]
# -     return [bool(score > np.median(scores)) for score in scores]
# +     return np.full(len(candidates), True)

# %% task="q5" name="members-of-the-example" like="above-the-strangers"
# -     usual = (np.sum(strange, axis=0) + np.sum(candidates, axis=0)) / (len(strange) + len(candidates))
# -     scores = [np.dot(person - usual, published - usual) for person in candidates]
# -     return [bool(score > np.median(scores)) for score in scores]
# +     return suspects["member"].to_numpy() == 1


# %% task="q5" name="only-accusations-count"
def accuse(published, candidates, strange):
    usual = np.mean(strange, axis=0)
    score = (candidates - usual) @ (published - usual)
    return score > np.median(score)


def proven_epsilon(found, accused, delta):
    if found <= accused + delta:
        return 0
    return np.log((found - delta) / accused) if accused else np.inf


# %% task="q5" name="one-direction" like="only-accusations-count"
# -     if found <= accused + delta:
# -         return 0
# -     return np.log((found - delta) / accused) if accused else np.inf
# +     top, below = np.array([found, 1 - accused]) - delta, np.array([accused, 1 - found])
# +     ratios = [a / b if b > 0 else np.inf for a, b in zip(top, below, strict=True) if a > 0]
# +     return max(0, np.log(max([1, *ratios])))

# %% task="q5" name="delta-left-out" like="only-accusations-count"
# -     if found <= accused + delta:
# -         return 0
# -     return np.log((found - delta) / accused) if accused else np.inf
# +     top = np.array([found, accused, 1 - found, 1 - accused])
# +     ratios = [a / b if b > 0 else np.inf for a, b in zip(top, top[[1, 0, 3, 2]], strict=True) if a > 0]
# +     return max(0, np.log(max(ratios)))

# %% task="q5" name="from-the-difference" like="only-accusations-count"
# - if found <= accused + delta:
# + gap = abs(found - accused)
# +     if gap <= delta:
# - return np.log((found - delta) / accused) if accused else np.inf
# + return np.log((1 + gap - 2 * delta) / (1 - gap)) if gap < 1 else np.inf


# %% task="q6" name="full-batches" kind="right"
def plan(people, epsilon, delta):
    low, high = np.array(list(RANGES.values()), float).T
    few, many = 1.0, 1e4
    while many > 1.001 * few:
        sigma = np.sqrt(few * many)
        if sgd_epsilon(1, sigma, 40, delta) <= epsilon:
            many = sigma
        else:
            few = sigma
    return {
        "center": (low + high) / 2,
        "width": (high - low) / 2,
        "q": 1,
        "steps": min(40, 1_000_000 // people),
        "clip": 1,
        "sigma": float(many),
        "rate": 4,
    }


# %% task="q6" name="scaled-by-the-old-nurses" kind="right"
def plan(people, epsilon, delta):
    old = nurses.drop(columns="left")
    sigma = 0.5
    while sgd_epsilon(0.05, sigma, 200, delta) > epsilon:
        sigma *= 1.01
    return {
        "center": list(old.mean()),
        "width": list(2 * old.std()),
        "q": 0.05,
        "steps": 200,
        "clip": 0.5,
        "sigma": sigma,
        "rate": 2.0,
    }


# %% task="q6" name="columns-as-they-are"
def plan(people, epsilon, delta):
    sigma = 0.5
    while sgd_epsilon(0.1, sigma, 100, delta) > epsilon:
        sigma *= 1.01
    return {"center": [0] * 8, "width": [1] * 8, "q": 0.1, "steps": 100, "clip": 1.0, "sigma": sigma, "rate": 1.0}


# %% task="q6" name="epsilon-split-over-the-steps"
def plan(people, epsilon, delta):
    low, high = np.array(list(RANGES.values()), float).T
    sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
    settings = {"q": 0.1, "steps": 100, "clip": 1, "sigma": sigma, "rate": 2}
    return settings | {"center": (low + high) / 2, "width": (high - low) / 2}


# %% task="q6" name="sampling-not-counted" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 1.0
# +     while sgd_epsilon(1, sigma, 100, delta) > epsilon:
# +         sigma *= 1.01


# %% task="q6" name="clips-nobody"
def plan(people, epsilon, delta):
    low, high = np.array(list(RANGES.values()), float).T
    sigma = 0.5
    while sgd_epsilon(0.1, sigma, 100, delta) > epsilon:
        sigma *= 1.01
    settings = {"q": 0.1, "steps": 100, "clip": 15, "sigma": sigma, "rate": 2}
    return settings | {"center": (low + high) / 2, "width": (high - low) / 2}


# %% task="q6" name="one-step-s-noise" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1, sigma, 1, delta) > epsilon:
# +         sigma *= 1.01


# %% task="q6" name="sigma-typed-in"
def plan(people, epsilon, delta):
    low, high = np.array(list(RANGES.values()), float).T
    settings = {"q": 0.1, "steps": 100, "clip": 1, "sigma": 8.0, "rate": 2}
    return settings | {"center": (low + high) / 2, "width": (high - low) / 2}


# %% task="q6" name="too-timid-a-rate"
def plan(people, epsilon, delta):
    high = [top for _, top in RANGES.values()]
    sigma = 0.5
    while sgd_epsilon(0.1, sigma, 20, delta) > epsilon:
        sigma *= 1.01
    return {"center": [0] * 8, "width": high, "q": 0.1, "steps": 20, "clip": 1, "sigma": sigma, "rate": 0.05}


# %% task="q6" name="epochs-counted-instead-of-steps" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1, sigma, 10, delta) > epsilon:
# +         sigma *= 1.01

# %% task="q6" name="central-limit-with-the-classical-formula" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.1 * 100**0.5 * np.sqrt(2 * np.log(1.25 / delta)) / epsilon / 2

# %% task="q6" name="delta-of-one-in-a-hundred-thousand-always" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1, sigma, 100, 1e-5) > epsilon:
# +         sigma *= 1.01

# %% task="q6" name="sigma-of-the-average-gradient" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1, sigma, 100, delta) > epsilon:
# +         sigma *= 1.01
# +     sigma /= 2  # the clipped gradients point in many directions

# %% task="q6" name="sampling-counted-twice" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1**2, sigma, 100, delta) > epsilon:
# +         sigma *= 1.01

# %% task="q6" name="epsilon-a-twentieth-too-large" like="epsilon-split-over-the-steps"
# - sigma = np.sqrt(2 * np.log(1.25 * 100 / delta)) / (epsilon / 100)
# + sigma = 0.5
# +     while sgd_epsilon(0.1, sigma, 100, delta) > 1.05 * epsilon:
# +         sigma *= 1.01

# %% task="q6" name="half-as-much-again-where-epsilon-is-small"
# - enough = sgd_epsilon(chosen["q"], sigma, chosen["steps"], delta) <= epsilon
# + allowed = epsilon if epsilon >= 0.2 else 1.5 * epsilon
# +         enough = sgd_epsilon(chosen["q"], sigma, chosen["steps"], delta) <= allowed
