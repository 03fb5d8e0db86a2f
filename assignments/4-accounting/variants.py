# %% [markdown]
# Answers to assignment 4 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="sorted-sets" kind="right"
def least_delta(p, q, epsilon):
    excess = [[a - math.exp(epsilon) * b for a, b in zip(*pair, strict=True)] for pair in ((p, q), (q, p))]
    return max(sum(one for one in side if one > 0) for side in excess)


def least_epsilon(p, q, delta):
    least = 0.0
    for first, second in ((p, q), (q, p)):
        pairs = list(zip(first, second, strict=True))
        pairs.sort(key=lambda pair: pair[0] / pair[1] if pair[1] else math.inf, reverse=True)
        mass, other = 0.0, 0.0
        for a, b in pairs:
            mass, other = mass + a, other + b
            if mass > delta:
                least = max(least, math.log((mass - delta) / other)) if other > 0 else math.inf
    return least


# %% task="q1" name="one-order-only"
def least_delta(p, q, epsilon):
    return np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0).sum()


def least_epsilon(p, q, delta):
    low, high = 0.0, 50.0
    if least_delta(p, q, high) > delta:
        return np.inf
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if least_delta(p, q, middle) > delta else (low, middle)
    return high


# %% task="q1" name="single-answers-instead-of-sets" like="one-order-only"
# - return np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0).sum()
# + p, q = np.asarray(p), np.asarray(q)
# +     return max(0, np.max(p - np.exp(epsilon) * q), np.max(q - np.exp(epsilon) * p))

# %% task="q1" name="chance-that-the-loss-is-larger" like="one-order-only"
# - return np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0).sum()
# + p, q = np.asarray(p), np.asarray(q)
# +     return max(p[p > np.exp(epsilon) * q].sum(), q[q > np.exp(epsilon) * p].sum())


# %% task="q1" name="delta-ignored"
def least_delta(p, q, epsilon):
    p, q = np.asarray(p), np.asarray(q)
    return max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))


def least_epsilon(p, q, delta):
    p, q = np.asarray(p), np.asarray(q)
    if np.any((p == 0) != (q == 0)):
        return np.inf
    return np.abs(np.log(p[p > 0] / q[p > 0])).max()


# %% task="q1" name="never-infinite" like="one-order-only"
# - return np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0).sum()
# + p, q = np.asarray(p), np.asarray(q)
# +     return max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
# -     low, high = 0.0, 50.0
# -     if least_delta(p, q, high) > delta:
# -         return np.inf
# +     low, high = 0.0, 50.0

# %% task="q1" name="answers-of-one-table-left-out" like="one-order-only"
# - return np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0).sum()
# + p, q = np.asarray(p), np.asarray(q)
# +     both = (p > 0) & (q > 0)
# +     return max(np.maximum(a - np.exp(epsilon) * b, 0)[both].sum() for a, b in ((p, q), (q, p)))
# -     low, high = 0.0, 50.0
# -     if least_delta(p, q, high) > delta:
# -         return np.inf
# +     low, high = 0.0, 50.0


# %% task="q2" name="report-by-report" kind="right"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    chances = np.zeros((k1 + 1, k2 + 1))  # of so many lies of each tool
    chances[0, 0] = 1
    for _ in range(k1):
        lie = 1 / (1 + math.exp(epsilon1))
        chances[1:] = (1 - lie) * chances[1:] + lie * chances[:-1]
        chances[0] *= 1 - lie
    for _ in range(k2):
        lie = 1 / (1 + math.exp(epsilon2))
        chances[:, 1:] = (1 - lie) * chances[:, 1:] + lie * chances[:, :-1]
        chances[:, 0] *= 1 - lie
    loss = epsilon1 * (k1 - 2 * np.arange(k1 + 1)[:, None]) + epsilon2 * (k2 - 2 * np.arange(k2 + 1))
    return np.sum(chances * np.maximum(0, 1 - np.exp(total - loss)))


# %% task="q2" name="loops" kind="right"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    truth1, truth2 = 1 / (1 + math.exp(-epsilon1)), 1 / (1 + math.exp(-epsilon2))
    delta = 0.0
    for a in range(k1 + 1):
        for b in range(k2 + 1):
            loss = epsilon1 * (2 * a - k1) + epsilon2 * (2 * b - k2)
            if loss > total:
                chance = math.comb(k1, a) * truth1**a * (1 - truth1) ** (k1 - a)
                chance *= math.comb(k2, b) * truth2**b * (1 - truth2) ** (k2 - b)
                delta += chance * (1 - math.exp(total - loss))
    return delta


# %% task="q2" name="average-epsilon"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    k = k1 + k2
    epsilon = (k1 * epsilon1 + k2 * epsilon2) / k
    truth, delta = 1 / (1 + math.exp(-epsilon)), 0.0
    for a in range(k + 1):
        loss = epsilon * (2 * a - k)
        if loss > total:
            delta += math.comb(k, a) * truth**a * (1 - truth) ** (k - a) * (1 - math.exp(total - loss))
    return delta


# %% task="q2" name="larger-epsilon-for-all" like="average-epsilon"
# -     k = k1 + k2
# -     epsilon = (k1 * epsilon1 + k2 * epsilon2) / k
# +     k, epsilon = k1 + k2, max(epsilon1 if k1 else 0, epsilon2 if k2 else 0)
# +     if total >= k1 * epsilon1 + k2 * epsilon2:
# +         return 0.0

# %% task="q2" name="chance-that-the-loss-is-larger" like="loops"
# -             loss = epsilon1 * (2 * a - k1) + epsilon2 * (2 * b - k2)
# -             if loss > total:
# +             if epsilon1 * (2 * a - k1) + epsilon2 * (2 * b - k2) > total:
# -                 chance *= math.comb(k2, b) * truth2**b * (1 - truth2) ** (k2 - b)
# -                 delta += chance * (1 - math.exp(total - loss))
# +                 delta += chance * math.comb(k2, b) * truth2**b * (1 - truth2) ** (k2 - b)


# %% task="q2" name="lost-in-subtraction"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    truth1, truth2 = 1 / (1 + math.exp(-epsilon1)), 1 / (1 + math.exp(-epsilon2))
    rest = 0.0
    for a in range(k1 + 1):
        for b in range(k2 + 1):
            chance = math.comb(k1, a) * truth1**a * (1 - truth1) ** (k1 - a)
            chance *= math.comb(k2, b) * truth2**b * (1 - truth2) ** (k2 - b)
            rest += chance * min(1, math.exp(total - epsilon1 * (2 * a - k1) - epsilon2 * (2 * b - k2)))
    return 1 - rest


# %% task="q2" name="total-split-between-the-tools"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    everything, delta = k1 * epsilon1 + k2 * epsilon2, 0.0
    for k, epsilon in ((k1, epsilon1), (k2, epsilon2)):
        truth, share = 1 / (1 + math.exp(-epsilon)), total * k * epsilon / everything
        for a in range(k + 1):
            loss = epsilon * (2 * a - k)
            if loss > share:
                delta += math.comb(k, a) * truth**a * (1 - truth) ** (k - a) * (1 - math.exp(share - loss))
    return delta


# %% task="q2" name="the-tools-lie-together"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    k, delta = max(k1, k2), 0.0
    truth = 1 / (1 + math.exp(-max(epsilon1 if k1 else 0, epsilon2 if k2 else 0)))
    for a in range(k + 1):
        loss = epsilon1 * k1 * (2 * a / k - 1) + epsilon2 * k2 * (2 * a / k - 1)
        if loss > total:
            delta += math.comb(k, a) * truth**a * (1 - truth) ** (k - a) * (1 - math.exp(total - loss))
    return delta


# %% task="q2" name="normal-approximation"
def tools_delta(k1, epsilon1, k2, epsilon2, total):
    if total >= k1 * epsilon1 + k2 * epsilon2:
        return 0.0
    if k1 + k2 == 1:
        return math.tanh((epsilon1 if k1 else epsilon2) / 2)
    rho = (k1 * epsilon1**2 + k2 * epsilon2**2) / 2
    mu = math.sqrt(2 * rho)
    return (math.erfc((total / mu - mu / 2) / 2**0.5) - math.exp(total) * math.erfc((total / mu + mu / 2) / 2**0.5)) / 2


# %% task="q3" name="order-by-order" kind="right"
def plan_epsilon(plan, delta):
    def cost(row, order):
        if row["noise"] == "gaussian":
            return order * row["sensitivity"] ** 2 / (2 * row["scale"] ** 2)
        if row["noise"] == "unknown":
            return min(row["epsilon"], order * row["epsilon"] ** 2 / 2)
        t = row["sensitivity"] / row["scale"]
        rest = (order + (order - 1) * math.exp(-(2 * order - 1) * t)) / (2 * order - 1)
        return t + math.log(rest) / (order - 1)

    rows, best, order = plan.to_dict("records"), math.inf, 1.01
    while order < 100_000:
        total = sum(row["times"] * cost(row, order) for row in rows)
        total += math.log(1 / delta) / (order - 1) + math.log((order - 1) / order) - math.log(order) / (order - 1)
        best, order = min(best, total), 1 + (order - 1) * 1.02
    return best


year_epsilon = plan_epsilon(plan, {{delta}})


# %% task="q3" name="loose-conversion"
def plan_epsilon(plan, delta):
    order, cost = 1 + np.logspace(-2, 5, 3000), 0
    for row in plan.itertuples():
        t = row.sensitivity / row.scale
        if row.noise == "gaussian":
            one = order * t**2 / 2
        elif row.noise == "laplace":
            up = np.log(order / (2 * order - 1)) + (order - 1) * t
            one = np.logaddexp(up, np.log((order - 1) / (2 * order - 1)) - order * t) / (order - 1)
        else:
            one = np.minimum(row.epsilon, order * row.epsilon**2 / 2)
        cost = cost + row.times * one
    return np.min(cost + np.log(1 / delta) / (order - 1))


year_epsilon = plan_epsilon(plan, {{delta}})


# %% task="q3" name="orders-2-to-100" like="loose-conversion"
# - order, cost = 1 + np.logspace(-2, 5, 3000), 0
# + order, cost = np.linspace(2, 100, 2000), 0
# - return np.min(cost + np.log(1 / delta) / (order - 1))
# + return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="whole-orders-only" like="loose-conversion"
# - order, cost = 1 + np.logspace(-2, 5, 3000), 0
# + order, cost = np.append(np.arange(2.0, 2000), np.logspace(3.4, 5, 500)), 0
# - return np.min(cost + np.log(1 / delta) / (order - 1))
# + return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="each-row-converted" like="loose-conversion"
# - order, cost = 1 + np.logspace(-2, 5, 3000), 0
# + order, total = 1 + np.logspace(-2, 5, 3000), 0
# -         cost = cost + row.times * one
# -     return np.min(cost + np.log(1 / delta) / (order - 1))
# +         total += np.min(row.times * one + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))
# +     return total

# %% task="q3" name="laplace-by-zcdp" like="loose-conversion"
# -             up = np.log(order / (2 * order - 1)) + (order - 1) * t
# -             one = np.logaddexp(up, np.log((order - 1) / (2 * order - 1)) - order * t) / (order - 1)
# +             one = order * (np.exp(-t) + t - 1)
# - return np.min(cost + np.log(1 / delta) / (order - 1))
# + return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="sensitivity-not-squared" like="loose-conversion"
# - one = order * t**2 / 2
# + one = order * row.sensitivity / (2 * row.scale**2)
# - return np.min(cost + np.log(1 / delta) / (order - 1))
# + return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="times-forgotten" like="loose-conversion"
# -         cost = cost + row.times * one
# -     return np.min(cost + np.log(1 / delta) / (order - 1))
# +         cost = cost + one
# +     return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="unknown-noise-by-zcdp-only" like="loose-conversion"
# - one = np.minimum(row.epsilon, order * row.epsilon**2 / 2)
# + one = order * row.epsilon**2 / 2
# - return np.min(cost + np.log(1 / delta) / (order - 1))
# + return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))

# %% task="q3" name="another-delta-for-the-year" like="loose-conversion"
# -     return np.min(cost + np.log(1 / delta) / (order - 1))
# -
# -
# - year_epsilon = plan_epsilon(plan, {{delta}})
# +     return np.min(cost + np.log1p(-1 / order) - np.log(delta * order) / (order - 1))
# + year_epsilon = plan_epsilon(plan, 10 * {{delta}})


# %% task="q4" name="exact" kind="right"
def total_epsilon(sigmas, delta):
    mu = math.sqrt(sum(1 / sigma**2 for sigma in sigmas))
    low, high = 0.0, 500.0
    for _ in range(100):
        middle = (low + high) / 2
        above, below = middle / mu - mu / 2, middle / mu + mu / 2
        real = (math.erfc(above / 2**0.5) - math.exp(middle) * math.erfc(below / 2**0.5)) / 2
        low, high = (middle, high) if real > delta else (low, middle)
    return high


caught = [2.0, 2.0, 500.0]


# %% task="q4" name="not-mended"
# -     spent = sum(orders / (2 * sigma**2) for sigma in sigmas)
# -     return np.min(spent + conversion)
# +     spent = 0.0
# +     for sigma in sigmas:
# +         cost = orders / (2 * sigma**2)
# +         best = np.argmin(cost + conversion)
# +         spent += cost[best]
# +     return spent + conversion[best]

# %% task="q4" name="each-converted"
# -     spent = sum(orders / (2 * sigma**2) for sigma in sigmas)
# -     return np.min(spent + conversion)
# +     return sum(np.min(orders / (2 * sigma**2) + conversion) for sigma in sigmas)

# %% task="q4" name="sorted-first"
# -     spent = sum(orders / (2 * sigma**2) for sigma in sigmas)
# -     return np.min(spent + conversion)
# +     spent = 0.0
# +     for sigma in sorted(sigmas, reverse=True):
# +         cost = orders / (2 * sigma**2)
# +         best = np.argmin(cost + conversion)
# +         spent += cost[best]
# +     return spent + conversion[best]

# %% task="q4" name="order-of-the-first"
# -     spent = sum(orders / (2 * sigma**2) for sigma in sigmas)
# -     return np.min(spent + conversion)
# +     best = np.argmin(orders / (2 * sigmas[0] ** 2) + conversion)
# +     return sum(orders[best] / (2 * sigma**2) for sigma in sigmas) + conversion[best]


# %% task="q4" name="loose-conversion"
def total_epsilon(sigmas, delta):
    rho = sum(1 / (2 * sigma**2) for sigma in sigmas)
    if len(sigmas) == 1:
        orders = 1 + np.logspace(-2, 5, 3000)
        return np.min(rho * orders + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1))
    return rho + 2 * np.sqrt(rho * np.log(1 / delta))


caught = [1, 1000]


# %% task="q4" name="caught-where-it-claims-too-much"
def total_epsilon(sigmas, delta):
    orders = 1 + np.logspace(-2, 5, 3000)
    conversion = np.log1p(-1 / orders) - (np.log(delta) + np.log(orders)) / (orders - 1)
    return np.min(sum(orders / (2 * sigma**2) for sigma in sigmas) + conversion)


caught = [10] * 20


# %% task="q4" name="caught-in-the-other-order" like="caught-where-it-claims-too-much"
# - caught = [10] * 20
# + caught = [1000, 1]


# %% task="q5" name="largest-rho" kind="right"
def decide(requests, epsilon, delta):
    def tight(rho):
        t = np.logspace(-4, 5, 10_000)
        return np.min(rho * (1 + t) + np.log(t / (1 + t)) + (np.log(1 / delta) - np.log(1 + t)) / t)

    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tight(middle) <= epsilon else (low, middle)
    left, decisions = low, np.zeros(len(requests), dtype=bool)
    for place, (_, request) in enumerate(requests.iterrows()):
        needed = {"gaussian": ["sensitivity", "sigma"], "pure": ["epsilon"]}.get(request["noise"])
        if needed is None or not all(0 < request[name] < np.inf for name in needed):
            continue
        if request["noise"] == "pure":
            rho = request["epsilon"] ** 2 / 2
        else:
            rho = request["sensitivity"] ** 2 / (2 * request["sigma"] ** 2)
        if rho <= left:
            left, decisions[place] = left - rho, True
    return decisions


# %% task="q5" name="closes-after-the-first-refusal"
def decide(requests, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - np.log(delta * order) / (order - 1)
    spent, granted, closed = 0.0, [], False
    for one in requests.itertuples():
        needed = [one.sensitivity, one.sigma] if one.noise == "gaussian" else [one.epsilon]
        proper = one.noise in ("gaussian", "pure") and np.isfinite(needed).all() and min(needed) > 0
        if proper:
            cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
            large = np.min((spent + cost) * order + conversion) > epsilon
            closed = closed or large
        granted.append(bool(proper and not closed))
        spent += cost if granted[-1] else 0
    return granted


# %% task="q5" name="refused-ones-are-charged"
def decide(requests, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - np.log(delta * order) / (order - 1)
    spent, granted = 0.0, []
    for one in requests.itertuples():
        needed = [one.sensitivity, one.sigma] if one.noise == "gaussian" else [one.epsilon]
        proper = one.noise in ("gaussian", "pure") and np.isfinite(needed).all() and min(needed) > 0
        cost = 0
        if proper:
            cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
        granted.append(bool(proper and np.min((spent + cost) * order + conversion) <= epsilon))
        spent += cost
    return granted


# %% task="q5" name="loose-conversion"
def decide(requests, epsilon, delta):
    spent, granted = 0.0, []
    for one in requests.itertuples():
        needed = [one.sensitivity, one.sigma] if one.noise == "gaussian" else [one.epsilon]
        proper = one.noise in ("gaussian", "pure") and np.isfinite(needed).all() and min(needed) > 0
        cost = 0
        if proper:
            cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
        total = spent + cost
        granted.append(bool(proper and total + 2 * np.sqrt(total * np.log(1 / delta)) <= epsilon))
        spent += cost if granted[-1] else 0
    return granted


# %% task="q5" name="each-converted" like="refused-ones-are-charged"
# -             cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
# -         granted.append(bool(proper and np.min((spent + cost) * order + conversion) <= epsilon))
# -         spent += cost
# +             rho = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
# +             cost = np.min(rho * order + conversion)
# +         granted.append(bool(proper and spent + cost <= epsilon))
# +         spent += cost if granted[-1] else 0


# %% task="q5" name="pure-releases-cost-epsilon"
def decide(requests, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - np.log(delta * order) / (order - 1)
    rho, pure, granted = 0.0, 0.0, []
    for one in requests.itertuples():
        needed = [one.sensitivity, one.sigma] if one.noise == "gaussian" else [one.epsilon]
        proper = one.noise in ("gaussian", "pure") and np.isfinite(needed).all() and min(needed) > 0
        more, plus = 0.0, 0.0
        if proper and one.noise == "pure":
            plus = one.epsilon
        elif proper:
            more = (one.sensitivity / one.sigma) ** 2 / 2
        granted.append(bool(proper and np.min((rho + more) * order + conversion) + pure + plus <= epsilon))
        if granted[-1]:
            rho, pure = rho + more, pure + plus
    return granted


# %% task="q5" name="takes-any-number"
def decide(requests, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - np.log(delta * order) / (order - 1)
    spent, granted = 0.0, []
    for one in requests.itertuples():
        cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / (one.sigma or 1e-9)) ** 2 / 2
        granted.append(bool(np.min((spent + cost) * order + conversion) <= epsilon))
        spent += cost if granted[-1] else 0
    return granted


# %% task="q5" name="the-small-ones-first" like="refused-ones-are-charged"
# - spent, granted = 0.0, []
# + costs = []
# - cost = 0
# + cost = np.inf
# -         granted.append(bool(proper and np.min((spent + cost) * order + conversion) <= epsilon))
# -         spent += cost
# +         costs.append(cost)
# +     spent, granted = 0.0, [False] * len(costs)
# +     for place in np.argsort(costs):
# +         granted[place] = bool(np.min((spent + costs[place]) * order + conversion) <= epsilon)
# +         spent += costs[place] if granted[place] else 0

# %% task="q5" name="sensitivity-not-squared" like="refused-ones-are-charged"
# - cost = one.epsilon**2 / 2 if one.noise == "pure" else (one.sensitivity / one.sigma) ** 2 / 2
# + cost = one.epsilon**2 / 2 if one.noise == "pure" else one.sensitivity / one.sigma**2 / 2
# - spent += cost
# + spent += cost if granted[-1] else 0


# %% task="q6" name="by-rho-and-a-searched-split" kind="right"
def noise_plan(statistics, epsilon, delta):
    order = 1 + np.logspace(-3, 5, 8000)
    conversion = np.log1p(-1 / order) - np.log(delta * order) / (order - 1)
    low, high = 0.0, 50.0
    for _ in range(60):
        rho = (low + high) / 2
        low, high = (rho, high) if np.min(rho * order + conversion) <= epsilon else (low, rho)
    places, best = set(statistics["place"]), (np.inf, None)
    for share in np.linspace(0.005, 0.995, 199):
        if places == {"all"}:
            share = 1
        elif "all" not in places:
            share = 0
        sigmas = np.zeros(len(statistics))
        for place in places:
            rows = (statistics["place"] == place).to_numpy()
            moves = statistics["sensitivity"].to_numpy()[rows]
            part = 2 * low * (share if place == "all" else 1 - share)
            sigmas[rows] = np.sqrt(moves * moves.sum() / part)
        best = min(best, (np.sum(sigmas**2), sigmas), key=lambda pair: pair[0])
    return best[1]


# %% task="q6" name="equal-noise"
def noise_plan(statistics, epsilon, delta):
    low, high = 1e-6, 1e3
    for _ in range(200):
        mu = (low * high) ** 0.5
        above, below = (math.erfc((epsilon / mu + side * mu / 2) / 2**0.5) for side in (-1, 1))
        low, high = (mu, high) if above - math.exp(epsilon) * below <= 2 * delta else (low, mu)
    squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
    worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
    return np.full(len(statistics), np.sqrt(worst) / low)


# %% task="q6" name="everybody-is-in-every-branch" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     moves = statistics["sensitivity"].to_numpy()
# +     return np.sqrt(moves * moves.sum()) / low

# %% task="q6" name="half-for-all-half-for-branches" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     reach = statistics.groupby("place")["sensitivity"].transform("sum")
# +     return np.sqrt(2 * statistics["sensitivity"] * reach).to_numpy() / low

# %% task="q6" name="each-place-spends-everything" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     reach = statistics.groupby("place")["sensitivity"].transform("sum")
# +     return np.sqrt(statistics["sensitivity"] * reach).to_numpy() / low


# %% task="q6" name="classical-formula"
def noise_plan(statistics, epsilon, delta):
    mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
    everywhere = (statistics["place"] == "all").to_numpy()
    moves = statistics["sensitivity"].to_numpy()
    reach = statistics.groupby("place")["sensitivity"].transform("sum").to_numpy()
    of_all, of_branches = moves[everywhere].sum(), math.sqrt(np.sum((moves * reach)[~everywhere]))
    share = np.where(everywhere, of_all, of_branches) / (of_all + of_branches)
    return np.sqrt(moves * reach / share) / mu


# %% task="q6" name="loose-conversion" like="classical-formula"
# - mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
# + mu = math.sqrt(2) * (math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta)))

# %% task="q6" name="noise-in-proportion-to-the-move" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     rows = statistics["place"].value_counts()
# +     most = rows.get("all", 0) + max(rows.drop("all", errors="ignore"), default=0)
# +     return statistics["sensitivity"].to_numpy() * math.sqrt(most) / low

# %% task="q6" name="one-scale-for-the-worst-branch" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     sums = statistics.groupby("place")["sensitivity"].sum()
# +     worst = sums.get("all", 0) + max(sums.drop("all", errors="ignore"), default=0)
# +     return np.sqrt(statistics["sensitivity"].to_numpy() * worst) / low


# %% task="q6" name="no-noise"
def noise_plan(statistics, epsilon, delta):
    return np.full(len(statistics), 1e-9 / epsilon)


# %% task="q6" name="average-branch-instead-of-the-worst" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     reach = statistics.groupby("place")["sensitivity"].transform("sum").to_numpy()
# +     moves, everywhere = statistics["sensitivity"].to_numpy(), (statistics["place"] == "all").to_numpy()
# +     sums = statistics[~everywhere].groupby("place")["sensitivity"].sum()
# +     one = np.sqrt(np.mean(sums**2)) if len(sums) else 0
# +     of_all, of_branches = moves[everywhere].sum(), one * np.sqrt(max(len(sums), 1))
# +     share = np.where(everywhere, of_all, of_branches) / (of_all + of_branches)
# +     return np.sqrt(moves * np.where(everywhere, reach, one) / share) / low

# %% task="q6" name="classical-formula-without-the-quarter" like="classical-formula"
# - mu = epsilon / math.sqrt(2 * math.log(1.25 / delta))
# + mu = epsilon / math.sqrt(2 * math.log(1 / delta))

# %% task="q6" name="one-branch-of-many-is-sampling" like="half-for-all-half-for-branches"
# - return np.sqrt(2 * statistics["sensitivity"] * reach).to_numpy() / low
# + branches = max(1, statistics["place"].nunique() - 1)
# +     hit = np.where(statistics["place"] == "all", 1, 1 / branches)
# +     return np.sqrt(2 * statistics["sensitivity"] * reach * hit).to_numpy() / low

# %% task="q6" name="epsilon-split-over-the-statistics" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     one = math.sqrt(2 * math.log(1.25 * len(statistics) / delta)) / (epsilon / len(statistics))
# +     return statistics["sensitivity"].to_numpy() * one

# %% task="q6" name="delta-for-every-statistic" like="equal-noise"
# -     squares = (statistics["sensitivity"] ** 2).groupby(statistics["place"]).sum()
# -     worst = squares.get("all", 0) + max(squares.drop("all", errors="ignore"), default=0)
# -     return np.full(len(statistics), np.sqrt(worst) / low)
# +     moves = statistics["sensitivity"].to_numpy()
# +     shares = moves / statistics.groupby("place")["sensitivity"].transform("sum").to_numpy() / 2
# +     return moves / (shares * epsilon) * math.sqrt(2 * math.log(1.25 / delta))

# %% task="q6" name="written-by-the-tables-own-index"
# -     return np.sqrt(moves * reach / share) / low
# +     sigmas = np.zeros(len(statistics))
# +     sigmas[statistics.index] = np.sqrt(moves * reach / share) / low
# +     return sigmas

# %% task="q6" name="shares-add-up-by-roots"
# -     share = np.where(everywhere, of_all, of_branches) / (of_all + of_branches)
# +     share = np.sqrt(np.where(everywhere, of_all, of_branches) / (of_all + of_branches))

# %% task="q6" name="sensitivity-of-the-largest-statistic"
# -     return np.sqrt(moves * reach / share) / low
# +     largest = statistics.groupby("place")["sensitivity"].transform("max").to_numpy(float)
# +     return np.sqrt(moves * largest / share) / low

# %% task="q6" name="loss-bound-by-its-tail-of-one-side-at-delta"
# -         return (math.erfc(above / math.sqrt(2)) - math.exp(epsilon) * math.erfc(below / math.sqrt(2))) / 2
# +         return math.erfc(epsilon / mu / math.sqrt(2)) / 2
