# %% [markdown]
# Answers to assignment 9 that a student might give: wrong ones, which must lose points, and right ones by another
# method.


# %% task="q1" name="halves-and-hoeffding" kind="right"
def proven_epsilon(first, second):
    half = len(first) // 2
    explore, judge = (first[:half], second[:half]), (first[half:], second[half:])

    def shares(pair, t, above):
        return [np.mean((np.asarray(side) > t) == above) for side in pair]

    def gain(a, b, swap):
        return np.log((b + 0.02) / (a + 0.02)) if swap else np.log((a + 0.02) / (b + 0.02))

    candidates = np.quantile(np.concatenate(explore), np.linspace(0, 1, 101))
    best = max(
        ((t, above, swap) for t in candidates for above in (True, False) for swap in (False, True)),
        key=lambda event: gain(*shares(explore, *event[:2]), event[2]),
    )
    likely, rare = shares(judge, *best[:2])[:: -1 if best[2] else 1]
    slack = np.sqrt(np.log(2 / 0.01) / (2 * (len(first) - half)))
    return max(0.0, float(np.log(max(likely - slack, 1e-12) / (rare + slack))))


# %% task="q1" name="hoeffding-for-each-of-101-thresholds" kind="right"
def proven_epsilon(first, second):
    n, best = min(len(first), len(second)), 0.0
    slack = np.sqrt(np.log(4 * 101 / 0.01) / (2 * n))
    for t in np.linspace(min(np.min(first), np.min(second)), max(np.max(first), np.max(second)), 103)[1:-1]:
        a, b = np.mean(first > t), np.mean(second > t)
        for likely, rare in ((a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)):
            if likely > slack:
                best = max(best, np.log((likely - slack) / (rare + slack)))
    return best


# %% task="q1" name="shares-taken-for-probabilities"
def proven_epsilon(first, second):
    best = 0.0
    for t in np.quantile(np.concatenate([first, second]), np.linspace(0, 0.99, 50)):
        a, b = np.mean(first > t), np.mean(second > t)
        for likely, rare in ((a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)):
            if likely > 0 and rare > 0:
                best = max(best, np.log(likely / rare))
    return best


# %% task="q1" name="shares-of-one-threshold"
def proven_epsilon(first, second):
    t = (np.median(first) + np.median(second)) / 2
    a, b = np.clip([np.mean(first > t), np.mean(second > t)], 1e-3, 1 - 1e-3)
    return max(abs(np.log(a / b)), abs(np.log((1 - a) / (1 - b))))


# %% task="q1" name="one-order-only"
def proven_epsilon(first, second):
    t = np.sort(np.concatenate([first, second]))
    slack = np.sqrt(np.log(400) / (2 * len(first)))
    a, b = (1 - np.searchsorted(np.sort(side), t, side="right") / len(side) for side in (first, second))
    return np.log(np.maximum((a - slack) / (b + slack), 1)).max()


# %% task="q1" name="above-only" like="one-order-only"
# - return np.log(np.maximum((a - slack) / (b + slack), 1)).max()
# + ratios = np.maximum((a - slack) / (b + slack), (b - slack) / (a + slack))
# +     return np.log(np.maximum(ratios, 1)).max()


# %% task="q1" name="normal-approximation-of-rare-events"
def proven_epsilon(first, second):
    n, best = len(first), 0.0
    for t in np.quantile(np.concatenate([first, second]), [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98]):
        a, b = np.mean(first > t), np.mean(second > t)
        for likely, rare in ((a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)):
            low = likely - 2.6 * np.sqrt(likely * (1 - likely) / n)
            high = max(rare + 2.6 * np.sqrt(rare * (1 - rare) / n), 1e-9)
            if low > 0:
                best = max(best, np.log(low / high))
    return best


# %% task="q1" name="proves-nothing"
def proven_epsilon(first, second):
    return 0.0


# %% task="q1" name="margin-on-the-wrong-side"
def proven_epsilon(first, second):
    best, slack = 0.0, np.sqrt(np.log(400) / (2 * len(first)))
    for t in np.quantile(np.concatenate([first, second]), np.linspace(0, 0.99, 50)):
        a, b = np.mean(first > t), np.mean(second > t)
        for likely, rare in ((a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)):
            best = max(best, np.log((likely + slack) / max(rare - slack, 0.001)))
    return best


# %% task="q2" name="others" kind="right"
pair_sum = ([5.0, 7.0], [5.0, -300.0, 7.0], 50)
pair_mean = (np.array([100.0]), np.array([0.0, 100.0]), 100 + 250 / {{claim}})
pair_above = ((1, 2, 2, 2, 2, 2, 2), (1, 2, 2, 2, 2, 2, 2, 10**9), 6)


# %% task="q2" name="a-row-of-a-hundred"
# - pair_sum = ([], [-1e4], 0.0)
# + pair_sum = ([100.0, 50.0], [50.0], 150.0)

# %% task="q2" name="two-steps-apart"
# - pair_sum = ([], [-1e4], 0.0)
# + pair_sum = ([0.0], [-150.0, -150.0], 0.0)

# %% task="q2" name="an-event-nobody-sees"
# - pair_mean = ([100.0], [100.0, 0.0], 100 + 300 / {{claim}})
# + pair_mean = ([100.0], [100.0, 0.0], 5_000.0 / {{claim}})

# %% task="q2" name="tables-exchanged"
# - pair_mean = ([100.0], [100.0, 0.0], 100 + 300 / {{claim}})
# + pair_mean = ([100.0, 0.0], [100.0], 100 + 300 / {{claim}})

# %% task="q2" name="two-rows-and-three"
# - pair_mean = ([100.0], [100.0, 0.0], 100 + 300 / {{claim}})
# + pair_mean = ([100.0, 100.0], [100.0, 100.0, 0.0], 100.0)

# %% task="q2" name="one-more-above-the-mean"
# - pair_above = ([10.0] * 50 + [20.0] * 49, [10.0] * 50 + [20.0] * 49 + [1e6], 49.0)
# + pair_above = ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0], 2.0)


# %% task="q3" name="sums-in-a-dictionary" kind="right"
def total_delta(p, q, times, epsilon, step):
    import collections

    total = {0: 1.0}
    for _ in range(times):
        following = collections.defaultdict(float)
        for cell, chance in total.items():
            for with_person, without in zip(p, q, strict=True):
                up = int(np.ceil(np.log(with_person / without) / step))
                following[cell + up] += chance * with_person
        total = following
    return sum(chance * max(0, 1 - np.exp(epsilon - cell * step)) for cell, chance in total.items())


caught = ([0.4985, 0.5015], [0.5, 0.5], 900, 0.05)


# %% task="q3" name="not-mended"
def total_delta(p, q, times, epsilon, step):
    losses = np.log(np.asarray(p) / np.asarray(q))
    cells = np.round(losses / step).astype(int)
    low = cells.min()
    histogram = np.bincount(cells - low, weights=p)
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, histogram)
    loss = (times * low + np.arange(total.size)) * step
    return np.sum(total * np.maximum(1 - np.exp(epsilon - loss), 0))


caught = ([0.502, 0.498], [0.5, 0.5], 1000, 0.0)


# %% task="q3" name="rounded-down" like="not-mended"
# - cells = np.round(losses / step).astype(int)
# + cells = np.floor(losses / step).astype(int)

# %% task="q3" name="a-finer-grid" like="not-mended"
# - def total_delta(p, q, times, epsilon, step):
# + def total_delta(p, q, times, epsilon, step):
# +     step = step / 3

# %% task="q3" name="away-from-zero" like="not-mended"
# - cells = np.round(losses / step).astype(int)
# + cells = (np.sign(losses) * np.ceil(np.abs(losses) / step)).astype(int)

# %% task="q3" name="a-step-for-all" like="not-mended"
# - loss = (times * low + np.arange(total.size)) * step
# + loss = (times * low + np.arange(total.size) + 1) * step

# %% task="q3" name="infinitely-careful" like="not-mended"
# - cells = np.round(losses / step).astype(int)
# + cells = np.ceil(losses / step + 3).astype(int)

# %% task="q3" name="no-proof" like="not-mended"
# - cells = np.round(losses / step).astype(int)
# + cells = np.ceil(losses / step).astype(int)
# - caught = ([0.502, 0.498], [0.5, 0.5], 1000, 0.0)
# + caught = ([0.75, 0.25], [0.25, 0.75], 10, 1.0)

# %% task="q3" name="rounded-up-there" like="not-mended"
# - cells = np.round(losses / step).astype(int)
# + cells = np.ceil(losses / step).astype(int)
# - caught = ([0.502, 0.498], [0.5, 0.5], 1000, 0.0)
# + caught = ([0.504, 0.496], [0.5, 0.5], 1000, 0.0)


# %% task="q4" name="answer-by-answer" kind="right"
def least_misses(p, q, false_alarms):
    left, misses = false_alarms, 1.0
    ratios = {place: np.inf if q[place] == 0 else p[place] / q[place] for place in range(len(p))}
    for place in sorted(ratios, key=ratios.get, reverse=True):
        share = 1.0 if q[place] <= left else left / q[place]
        misses -= share * p[place]
        left -= share * q[place]
    return max(misses, 0.0)


def curve_delta(points, epsilon):
    delta = 0.0
    for alarms, misses in points:
        for one, other in ((alarms, misses), (misses, alarms)):
            delta = max(delta, 1 - one - np.exp(epsilon) * other)
    return delta


# %% task="q4" name="no-coins"
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))
# - return 1 - max(free, np.interp(false_alarms, alarms, found))
# + return 1 - max(free, found[alarms <= false_alarms + 1e-12].max())

# %% task="q4" name="most-likely-answers-first"
# -     order = np.argsort(-np.divide(p, q, out=np.full(p.size, np.inf), where=q > 0), kind="stable")
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     order = np.argsort(-p, kind="stable")
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))

# %% task="q4" name="differences-instead-of-ratios"
# -     order = np.argsort(-np.divide(p, q, out=np.full(p.size, np.inf), where=q > 0), kind="stable")
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     order = np.argsort(q - p, kind="stable")
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))

# %% task="q4" name="tables-exchanged"
# - p, q = np.asarray(p, float), np.asarray(q, float)
# + q, p = np.asarray(p, float), np.asarray(q, float)
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))

# %% task="q4" name="what-is-free-forgotten"
# -     order = np.argsort(-np.divide(p, q, out=np.full(p.size, np.inf), where=q > 0), kind="stable")
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     order = np.argsort(-np.divide(p, q, out=np.zeros(p.size), where=q > 0), kind="stable")
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))

# %% task="q4" name="one-order-only"
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))
# - return max(np.max(1 - misses - grown * alarms), np.max(1 - alarms - grown * misses), 0.0)
# + return max(np.max(1 - misses - grown * alarms), 0.0)

# %% task="q4" name="epsilon-forgotten"
# -     alarms = np.append(0, np.cumsum(q[order]))
# -     found = np.append(0, np.cumsum(p[order]))
# +     alarms, found = np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order]))
# - grown = np.exp(epsilon)
# + grown = 1 + epsilon


# %% task="q5" name="rounded-up-finely" kind="right"
def total_epsilon(releases, delta):
    answers, largest = sum(times for *_, times in releases), 0.0
    for exchanged in (False, True):
        pairs = [(np.array(q), np.array(p)) if exchanged else (np.array(p), np.array(q)) for p, q, _ in releases]
        reach = sum(times * np.abs(np.log(p / q)).max() for (p, q), (*_, times) in zip(pairs, releases, strict=True))
        step = reach / 2**19
        size, spectrum, low = 2**21, 1.0, 0
        for (p, q), (*_, times) in zip(pairs, releases, strict=True):
            cells = np.ceil(np.log(p / q) / step).astype(int)
            spectrum = spectrum * np.fft.rfft(np.bincount(cells - cells.min(), weights=p, minlength=size)) ** times
            low += times * cells.min()
        chances = np.maximum(np.fft.irfft(spectrum, size), 0)
        loss = (low + np.arange(size)) * step
        least, most = 0.0, reach + answers * step
        while most - least > 1e-6:
            middle = (least + most) / 2
            enough = np.sum(chances * -np.expm1(np.minimum(middle - loss, 0))) <= delta * (1 - 1e-6)
            least, most = (least, middle) if enough else (middle, most)
        largest = max(largest, most)
    return largest


# %% task="q5" name="losses-added-up"
def total_epsilon(releases, delta):
    return sum(times * np.abs(np.log(np.divide(p, q))).max() for p, q, times in releases)


# %% task="q5" name="advanced-composition"
def total_epsilon(releases, delta):
    every = [(np.abs(np.log(np.divide(p, q))).max(), times) for p, q, times in releases]
    squares = sum(times * one**2 for one, times in every)
    drift = sum(times * one * np.tanh(one / 2) for one, times in every)
    return min(sum(times * one for one, times in every), drift + np.sqrt(2 * squares * np.log(1 / delta)))


# %% task="q5" name="renyi-divergences"
def total_epsilon(releases, delta):
    order = 1 + np.logspace(-2, 4, 4000)[:, None]
    best = []
    for exchanged in (False, True):
        cost = 0.0
        for p, q, times in releases:
            p, q = (np.log(q), np.log(p)) if exchanged else (np.log(p), np.log(q))
            cost = cost + times * np.logaddexp.reduce(order * p + (1 - order) * q, axis=1) / (order[:, 0] - 1)
        a = order[:, 0]
        best.append(np.min(cost + np.log1p(-1 / a) - (np.log(delta) + np.log(a)) / (a - 1)))
    return max(best)


# %% task="q5" name="one-order-only"
# - step = max(min(1e-3, 0.5 / answers), reach / 2**20)
# + step = max(min(1e-3, 0.5 / answers), reach / 2**20) / 8
# - return max(one_order(releases), one_order([(q, p, times) for p, q, times in releases]))
# + return one_order([(q, p, times) for p, q, times in releases])


# %% task="q5" name="normal-approximation"
def total_epsilon(releases, delta):
    mean = square = 0.0
    for p, q, times in releases:
        loss = np.log(np.divide(p, q))
        mean += times * np.dot(p, loss)
        square += times * (np.dot(p, loss**2) - np.dot(p, loss) ** 2)
    losses = mean + np.sqrt(square) * np.linspace(-9, 9, 20_001)
    chances = np.exp(-(np.linspace(-9, 9, 20_001) ** 2) / 2)
    chances /= chances.sum()
    least, most = 0.0, mean + 9 * np.sqrt(square) + 1
    while most - least > 1e-6:
        middle = (least + most) / 2
        enough = np.sum(chances * np.maximum(1 - np.exp(np.minimum(middle - losses, 0)), 0)) <= delta
        least, most = (least, middle) if enough else (middle, most)
    return most


# %% task="q5" name="delta-for-every-release"
def total_epsilon(releases, delta):
    total = 0.0
    for p, q, times in releases:
        p, q = np.asarray(p, float), np.asarray(q, float)
        share, least, most = delta / sum(k for *_, k in releases), 0.0, 3.0
        while most - least > 1e-9:
            middle = (least + most) / 2
            enough = max(np.maximum(a - np.exp(middle) * b, 0).sum() for a, b in ((p, q), (q, p))) <= share
            least, most = (least, middle) if enough else (middle, most)
        total += times * most
    return total
