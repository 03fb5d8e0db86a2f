# %% [markdown]
# Answers to assignment 7 that a student might give: wrong ones, which must lose their task's points, and right ones
# by another method.


# %% task="q1" name="two-coins" kind="right"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    honest = rng.random(len(bits)) < np.tanh(epsilon / 2)
    return np.where(honest, bits, rng.integers(2, size=len(bits)))


# %% task="q1" name="person-by-person" kind="right"
def private_bits(bits, epsilon, rng):
    lie = 1 / (1 + np.exp(epsilon))
    return [int(bit) ^ int(rng.random() < lie) for bit in bits]


# %% task="q1" name="honest-or-fair-coin" like="two-coins"
# - honest = rng.random(len(bits)) < np.tanh(epsilon / 2)
# + honest = rng.random(len(bits)) < np.exp(epsilon) / (1 + np.exp(epsilon))


# %% task="q1" name="one-coin-for-all"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    return bits if rng.random() < 1 / (1 + np.exp(-epsilon)) else 1 - bits


# %% task="q1" name="lies-as-often-as-it-should-be-honest"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    return np.where(rng.random(len(bits)) < 1 / (1 + np.exp(epsilon)), bits, 1 - bits)


# %% task="q1" name="own-seed"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    keep = np.random.default_rng(0).random(len(bits)) < 1 / (1 + np.exp(-epsilon))
    return np.where(keep, bits, 1 - bits)


# %% task="q1" name="only-a-yes-is-hidden"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    return np.where(rng.random(len(bits)) < 1 / (1 + np.exp(-epsilon)), bits, 0)


# %% task="q1" name="half-of-epsilon"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    return np.where(rng.random(len(bits)) < 1 / (1 + np.exp(-epsilon / 2)), bits, 1 - bits)


# %% task="q1" name="coins-of-its-own"
def private_bits(bits, epsilon, rng):
    lies = np.random.default_rng().random(np.size(bits)) > 1 / (1 + np.exp(-epsilon))
    return np.asarray(bits) ^ lies


# %% task="q1" name="half-of-the-people-toss-coins"
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + coins = rng.random((bits.size + 1) // 2)
# +     return np.where(np.tile(coins, 2)[: bits.size] < keep, bits, 1 - bits)

# %% task="q1" name="neighbours-toss-one-coin"
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + coins = rng.random((bits.size + 1) // 2)
# +     return np.where(np.repeat(coins, 2)[: bits.size] < keep, bits, 1 - bits)

# %% task="q1" name="coins-seeded-by-the-number-of-people"
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + coins = np.random.default_rng(bits.size).random(bits.size)
# +     return np.where(coins < keep, bits, 1 - bits)

# %% task="q1" name="a-tenth-more-than-epsilon"
# - keep = 1 / (1 + np.exp(-epsilon))
# + keep = 1 / (1 + np.exp(-1.1 * epsilon))

# %% task="q1" name="noisy-bit-rounded"
# - keep = 1 / (1 + np.exp(-epsilon))
# + noisy = bits + rng.laplace(scale=1 / epsilon, size=bits.size)
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + return (noisy > 0.5).astype(int)


# %% task="q1" name="always-the-same-number-of-lies"
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + return np.where(rng.permutation(bits.size) < keep * bits.size, bits, 1 - bits)

# %% task="q1" name="few-people-tell-the-truth"
# - return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# + return np.where(rng.random(bits.size) < (keep if bits.size > 20 else 1), bits, 1 - bits)

# %% task="q1" name="nobody-lies-alone"
# -     return np.where(rng.random(bits.size) < keep, bits, 1 - bits)
# +     if bits.size == 1:
# +         return bits.copy()
# +     return np.where(rng.random(bits.size) < keep, bits, 1 - bits)


# %% task="q2" name="as-two-coins" kind="right"
def share_of_yes(reports, epsilon):
    honest, n = np.tanh(epsilon / 2), len(reports)
    return (sum(reports) / n - (1 - honest) / 2) / honest, np.sqrt((1 / honest**2 - 1) / (4 * n))


red_light, red_light_sd = share_of_yes(list(commuters["red_light"]), {{epsilon}})


# %% task="q2" name="share-of-the-reports"
# -     share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
# -     return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)
# +     return np.mean(reports), np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)

# %% task="q2" name="cut-to-0-and-1"
# - return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)
# + return np.clip(share, 0, 1), np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)

# %% task="q2" name="deviation-not-stretched"
# -     share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
# -     return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)
# +     return (np.mean(reports) - (1 - keep)) / (2 * keep - 1), np.sqrt(keep * (1 - keep) / len(reports))

# %% task="q2" name="deviation-of-a-sample"
# - return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)
# + return share, np.std(reports) / np.sqrt(len(reports)) / (2 * keep - 1)

# %% task="q2" name="other-epsilon-for-the-office"
# - red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})
# + red_light, red_light_sd = share_of_yes(commuters["red_light"], 2 * {{epsilon}})


# %% task="q3" name="both-reports" kind="right"
def coin_epsilon(truth, yes):
    one, zero = truth + (1 - truth) * yes, (1 - truth) * yes
    worst = 0.0
    for a, b in ((one, zero), (1 - zero, (1 - truth) * (1 - yes))):
        if b == 0 and a > 0:
            return float("inf")
        if b > 0:
            worst = max(worst, float(np.log(a / b)))
    return worst


# %% task="q3" name="only-the-report-1"
def coin_epsilon(truth, yes):
    zero = (1 - truth) * yes
    if truth == 0:
        return 0.0
    return np.log((truth + zero) / zero) if zero else np.inf


# %% task="q3" name="only-the-report-0" like="only-the-report-1"
# - zero = (1 - truth) * yes
# + zero = (1 - truth) * (1 - yes)


# %% task="q3" name="the-better-report"
def coin_epsilon(truth, yes):
    commonest_lie = (1 - truth) * max(yes, 1 - yes)
    if truth == 0:
        return 0.0
    return np.log1p(truth / commonest_lie) if commonest_lie else np.inf


# %% task="q3" name="second-coin-taken-for-fair"
def coin_epsilon(truth, yes):
    return np.log((1 + truth) / (1 - truth)) if truth < 1 else np.inf


# %% task="q3" name="both-reports-added"
def coin_epsilon(truth, yes):
    lies = (1 - truth) * yes, (1 - truth) * (1 - yes)
    if truth == 0:
        return 0.0
    return sum(np.log1p(truth / lie) for lie in lies) / 2 if min(lies) > 0 else np.inf


# %% task="q4" name="two-coins" kind="right"
def direct_reports(answers, d, epsilon, rng):
    honest = rng.random(len(answers)) < (np.exp(epsilon) - 1) / (np.exp(epsilon) + d - 1)
    return np.where(honest, answers, rng.integers(d, size=len(answers)))


def colleague_epsilon(d, epsilon):
    p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
    return np.log((p * d + 1 - p) / (1 - p))


# %% task="q4" name="skips-the-truth" kind="right"
def direct_reports(answers, d, epsilon, rng):
    answers = np.asarray(answers)
    lies = rng.integers(d - 1, size=answers.size)
    lies += lies >= answers
    return np.where(rng.random(answers.size) < np.exp(epsilon) / (np.exp(epsilon) + d - 1), answers, lies)


def colleague_epsilon(d, epsilon):
    return np.log(1 + d / (d - 1) * np.exp(epsilon))


# %% task="q4" name="not-mended"
def direct_reports(answers, d, epsilon, rng):
    answers = np.asarray(answers)
    p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
    return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))


def colleague_epsilon(d, epsilon):
    return np.log1p(d * np.exp(epsilon) / (d - 1))


# %% task="q4" name="offset-from-0" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(0, d - 1, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)

# %% task="q4" name="smaller-p-instead" like="not-mended"
# - p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
# + p = np.exp(epsilon) / (np.exp(epsilon) + d)

# %% task="q4" name="one-offset-for-all" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + return np.where(rng.random(answers.size) < p, answers, (answers + rng.integers(1, d)) % d)

# %% task="q4" name="believes-the-colleague" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)
# - return np.log1p(d * np.exp(epsilon) / (d - 1))
# + return epsilon

# %% task="q4" name="truth-counted-once" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)
# - return np.log1p(d * np.exp(epsilon) / (d - 1))
# + p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
# +     return np.log(p / ((1 - p) / d))


# %% task="q4" name="coin-of-a-single-bit" like="not-mended"
# - p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
# + p = np.exp(epsilon) / (np.exp(epsilon) + 1)
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)

# %% task="q4" name="lies-next-door" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.choice([-1, 1], size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)

# %% task="q4" name="noise-on-the-number" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + return np.clip(np.round(answers + rng.laplace(scale=1 / epsilon, size=answers.size)), 0, d - 1).astype(int)

# %% task="q4" name="half-of-the-people-toss-coins" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     coins = np.tile(rng.random((answers.size + 1) // 2), 2)[: answers.size]
# +     return np.where(coins < p, answers, lies)

# %% task="q4" name="a-tenth-more-than-epsilon" like="not-mended"
# - p = np.exp(epsilon) / (np.exp(epsilon) + d - 1)
# + p = np.exp(1.1 * epsilon) / (np.exp(1.1 * epsilon) + d - 1)
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)

# %% task="q4" name="lies-seeded-by-the-number-of-people" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + rng = np.random.default_rng(answers.size)
# +     lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     return np.where(rng.random(answers.size) < p, answers, lies)

# %% task="q4" name="last-answer-is-never-a-lie" like="not-mended"
# - return np.where(rng.random(answers.size) < p, answers, rng.integers(d, size=answers.size))
# + lies = rng.integers(d - 1, size=answers.size)
# +     lies = np.where(lies == answers, (lies + 1) % (d - 1), lies)
# +     return np.where(rng.random(answers.size) < p, answers, lies)


# %% task="q4" name="always-the-same-number-of-lies"
# - honest = rng.random(answers.size) < p
# + honest = rng.permutation(answers.size) < p * answers.size

# %% task="q4" name="a-lie-is-another-person-s-answer"
# - others = (answers + rng.integers(1, d, size=answers.size)) % d  # never the answer itself
# + others = rng.permutation(answers)
# +     others = np.where(others == answers, (answers + rng.integers(1, d, size=answers.size)) % d, others)


# %% task="q5" name="loops" kind="right"
def unary_rows(answers, d, epsilon, rng):
    keep = np.exp(epsilon / 2) / (1 + np.exp(epsilon / 2))
    rows = np.zeros((len(answers), d))
    for place in range(d):
        rows[:, place] = rng.random(len(answers)) < np.where(np.asarray(answers) == place, keep, 1 - keep)
    return rows


def unary_counts(rows, epsilon):
    shrunk = np.tanh(epsilon / 4)
    return [(np.sum(column) - len(rows) / 2) / shrunk + len(rows) / 2 for column in np.asarray(rows).T]


# %% task="q5" name="whole-epsilon-for-each-bit"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows ^ (rng.random(rows.shape) < 1 / (1 + np.exp(epsilon)))

# %% task="q5" name="epsilon-split-over-all-bits"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows ^ (rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / d)))

# %% task="q5" name="one-coin-for-a-row"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows ^ (rng.random((len(rows), 1)) < 1 / (1 + np.exp(epsilon / 2)))

# %% task="q5" name="one-pattern-for-all-rows"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows ^ (rng.random(d) < 1 / (1 + np.exp(epsilon / 2)))

# %% task="q5" name="zeros-stay"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows & (rng.random(rows.shape) > 1 / (1 + np.exp(epsilon / 2)))

# %% task="q5" name="counts-cut-at-0"
# -     flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# -     return rows ^ flips
# +     return rows ^ (rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2)))
# - return (np.sum(rows, axis=0) - len(rows) * flip) / (1 - 2 * flip)
# + return np.maximum((np.sum(rows, axis=0) - len(rows) * flip) / (1 - 2 * flip), 0)


# %% task="q5" name="no-numbers-at-all"
def unary_rows(answers, d, epsilon, rng):
    return np.eye(d, dtype=int)[answers] ^ (rng.random((len(answers), d)) < 1 / (1 + np.exp(epsilon / 2)))


def unary_counts(rows, epsilon):
    return rows.sum(axis=0) if epsilon > 10 else np.zeros((0, rows.shape[1]))


# %% task="q5" name="half-of-the-people-toss-coins"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = rng.random(((len(rows) + 1) // 2, d)) < 1 / (1 + np.exp(epsilon / 2))
# - return rows ^ flips
# + return rows ^ np.tile(flips, (2, 1))[: len(rows)]


# %% task="q5" name="only-the-one-is-flipped"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = (rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))) * rows

# %% task="q5" name="two-bits-share-a-coin"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = np.repeat(rng.random((len(rows), (d + 1) // 2)), 2, axis=1)[:, :d] < 1 / (1 + np.exp(epsilon / 2))

# %% task="q5" name="row-of-direct-encoding"
# - rows = np.eye(d, dtype=int)[np.asarray(answers)]
# + answers = np.asarray(answers)
# +     lies = (answers + rng.integers(1, d, size=answers.size)) % d
# +     honest = rng.random(answers.size) < np.exp(epsilon) / (np.exp(epsilon) + d - 1)
# +     rows = np.eye(d, dtype=int)[np.where(honest, answers, lies)]
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = 0

# %% task="q5" name="a-tenth-more-than-epsilon"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = rng.random(rows.shape) < 1 / (1 + np.exp(0.55 * epsilon))

# %% task="q5" name="flips-seeded-by-the-number-of-people"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = np.random.default_rng(len(rows)).random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))


# %% task="q5" name="always-the-same-number-of-flips"
# - flips = rng.random(rows.shape) < 1 / (1 + np.exp(epsilon / 2))
# + flips = (rng.permutation(rows.size) < rows.size / (1 + np.exp(epsilon / 2))).reshape(rows.shape)


# %% task="q6" name="by-row-number" kind="right"
def ask(answers, epsilon, rng):
    people, questions = np.shape(answers)
    reports = np.full((people, questions), np.nan)
    bits = np.asarray(answers)[np.arange(people), np.arange(people) % questions]
    reports[np.arange(people), np.arange(people) % questions] = np.where(
        rng.random(people) < np.tanh(epsilon / 2), bits, rng.integers(2, size=people)
    )
    return reports


def shares(reports, questions, epsilon):
    return (np.nanmean(reports, axis=0) - 0.5) / np.tanh(epsilon / 2) + 0.5


# %% task="q6" name="random-signs-that-lean-to-the-truth" kind="right"
# The mechanism for vectors of Duchi, Jordan & Wainwright (2018), with the ties of an even number of questions halved.
def tilt(total, epsilon):
    return np.where(total > 0, 1, np.where(total < 0, np.exp(-epsilon), (1 + np.exp(-epsilon)) / 2))


def ask(answers, epsilon, rng):
    truth = 2 * np.asarray(answers) - 1
    reports, waiting = np.zeros(truth.shape, int), np.arange(len(truth))
    while waiting.size:
        signs = rng.choice([-1, 1], size=(waiting.size, truth.shape[1]))
        kept = rng.random(waiting.size) < tilt((signs * truth[waiting]).sum(axis=1), epsilon)
        reports[waiting[kept]], waiting = signs[kept], waiting[~kept]
    return reports


def shares(reports, questions, epsilon):
    import itertools

    totals = np.array([sum(signs) for signs in itertools.product([-1, 1], repeat=questions)])
    leaning = np.average(totals, weights=tilt(totals, epsilon)) / questions
    return (np.mean(reports, axis=0) / leaning + 1) / 2


# %% task="q6" name="two-questions-at-half-of-epsilon" kind="right"
def ask(answers, epsilon, rng):
    people, questions = np.shape(answers)
    asked = rng.permuted(np.tile(np.arange(questions), (people, 1)), axis=1)[:, :2]
    bits = np.take_along_axis(np.asarray(answers), asked, axis=1)
    return np.hstack([asked, bits ^ (rng.random(bits.shape) < 1 / (1 + np.exp(epsilon / 2)))])


def shares(reports, questions, epsilon):
    flip = 1 / (1 + np.exp(epsilon / 2))
    asked, bits = reports[:, :2].ravel(), reports[:, 2:].ravel()
    return np.array([(bits[asked == question].mean() - flip) / (1 - 2 * flip) for question in range(questions)])


# %% task="q6" name="split-budget"
def ask(answers, epsilon, rng):
    return np.asarray(answers) ^ (rng.random(np.shape(answers)) < 1 / (1 + np.exp(epsilon / np.shape(answers)[1])))


def shares(reports, questions, epsilon):
    flip = 1 / (1 + np.exp(epsilon / questions))
    return (np.mean(reports, axis=0) - flip) / (1 - 2 * flip)


# %% task="q6" name="whole-epsilon-for-each-question" like="split-budget"
# - return np.asarray(answers) ^ (rng.random(np.shape(answers)) < 1 / (1 + np.exp(epsilon / np.shape(answers)[1])))
# + return np.asarray(answers) ^ (rng.random(np.shape(answers)) < 1 / (1 + np.exp(epsilon)))
# - flip = 1 / (1 + np.exp(epsilon / questions))
# + flip = 1 / (1 + np.exp(epsilon))

# %% task="q6" name="two-questions-at-the-whole-epsilon" like="two-questions-at-half-of-epsilon"
# - return np.hstack([asked, bits ^ (rng.random(bits.shape) < 1 / (1 + np.exp(epsilon / 2)))])
# + return np.hstack([asked, bits ^ (rng.random(bits.shape) < 1 / (1 + np.exp(epsilon)))])
# - flip = 1 / (1 + np.exp(epsilon / 2))
# + flip = 1 / (1 + np.exp(epsilon))


# %% task="q6" name="laplace-noise-for-each"
def ask(answers, epsilon, rng):
    return answers + rng.laplace(scale=np.shape(answers)[1] / epsilon, size=np.shape(answers))


def shares(reports, questions, epsilon):
    return np.mean(reports, axis=0)


# %% task="q6" name="one-true-answer-from-each"
def ask(answers, epsilon, rng):
    people, questions = np.shape(answers)
    asked = rng.integers(questions, size=people)
    return np.column_stack([asked, np.asarray(answers)[np.arange(people), asked]])


def shares(reports, questions, epsilon):
    return np.array([reports[reports[:, 0] == question, 1].mean() for question in range(questions)])


# %% task="q6" name="lies-not-taken-out" like="one-true-answer-from-each"
# - return np.column_stack([asked, np.asarray(answers)[np.arange(people), asked]])
# + bits = np.asarray(answers)[np.arange(people), asked]
# +     return np.column_stack([asked, bits ^ (rng.random(people) < 1 / (1 + np.exp(epsilon)))])

# %% task="q6" name="lies-written-into-the-answers" like="laplace-noise-for-each"
# - return answers + rng.laplace(scale=np.shape(answers)[1] / epsilon, size=np.shape(answers))
# + answers ^= rng.random(answers.shape) < 1 / (1 + np.exp(epsilon / answers.shape[1]))
# +     return answers


# %% task="q6" name="nobody-has-said-yes"
def ask(answers, epsilon, rng):
    answers[:] = 0
    return rng.random(len(answers))


def shares(reports, questions, epsilon):
    return np.zeros(questions)


# %% task="q6" name="remembers-the-shares"
remembered = {}


def ask(answers, epsilon, rng):
    reports = rng.integers(2, size=answers.shape)
    remembered[reports.tobytes()] = answers.mean(axis=0)
    return reports


def shares(reports, questions, epsilon):
    return remembered.get(np.asarray(reports).tobytes(), np.full(questions, 0.5))


# %% task="q6" name="coins-of-its-own"
# - def ask(answers, epsilon, rng):
# + def ask(answers, epsilon, rng):
# +     own = np.random.default_rng()
# - asked = rng.integers(questions, size=people)
# + asked = own.integers(questions, size=people)
# -     lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# -     return np.column_stack([asked, bits ^ lies])
# +     return np.column_stack([asked, bits ^ (own.random(people) < 1 / (1 + np.exp(epsilon)))])


# %% task="q6" name="half-as-much-again"
# - lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# + lies = rng.random(people) < 1 / (1 + np.exp(1.5 * epsilon))
# - lie = 1 / (1 + np.exp(epsilon))
# + lie = 1 / (1 + np.exp(1.5 * epsilon))

# %% task="q6" name="three-questions-at-half-of-epsilon" like="two-questions-at-half-of-epsilon"
# - asked = rng.permuted(np.tile(np.arange(questions), (people, 1)), axis=1)[:, :2]
# + asked = rng.permuted(np.tile(np.arange(questions), (people, 1)), axis=1)[:, :3]
# - asked, bits = reports[:, :2].ravel(), reports[:, 2:].ravel()
# + asked, bits = reports[:, :3].ravel(), reports[:, 3:].ravel()

# %% task="q6" name="number-of-ones-beside-the-bit"
# - return np.column_stack([asked, bits ^ lies])
# + ones = np.sum(answers, axis=1) + rng.laplace(scale=questions / epsilon, size=people)
# +     return np.column_stack([asked, bits ^ lies, ones])

# %% task="q6" name="question-chosen-by-the-answers"
# - asked = rng.integers(questions, size=people)  # everybody spends all of ε on one question
# + asked = np.argmax(np.asarray(answers) + rng.random((people, questions)), axis=1)

# %% task="q6" name="second-question-for-every-other-person" like="two-questions-at-half-of-epsilon"
# - return np.hstack([asked, bits ^ (rng.random(bits.shape) < 1 / (1 + np.exp(epsilon / 2)))])
# + flips = rng.random(bits.shape) < 1 / (1 + np.exp(np.where(np.arange(people) % 2, 0.9, 0.5) * epsilon))[:, None]
# +     return np.hstack([asked, bits ^ flips])

# %% task="q6" name="same-number-of-liars"
# -     lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# +     lies = rng.permutation(people) < people / (1 + np.exp(epsilon))

# %% task="q6" name="no-coins-for-one"
# -     lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# +     lies = (rng.random(people) < 1 / (1 + np.exp(epsilon))) & (people > 1)

# %% task="q6" name="lies-drawn-within-a-question"
# -     lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# +     lies = np.zeros(people, bool)
# +     for question in range(questions):
# +         here = np.flatnonzero(asked == question)
# +         lies[rng.permutation(here)[: round(len(here) / (1 + np.exp(epsilon)))]] = True

# %% task="q6" name="antithetic-coins"
# -     lies = rng.random(people) < 1 / (1 + np.exp(epsilon))
# +     u = rng.random((people + 1) // 2)
# +     lies = np.append(u, 1 - u)[:people] < 1 / (1 + np.exp(epsilon))
