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


# %% task="q1" name="honest-or-fair-coin"
def private_bits(bits, epsilon, rng):
    bits = np.asarray(bits)
    honest = rng.random(len(bits)) < np.exp(epsilon) / (1 + np.exp(epsilon))
    return np.where(honest, bits, rng.integers(2, size=len(bits)))


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


# %% task="q2" name="as-two-coins" kind="right"
def share_of_yes(reports, epsilon):
    honest, n = np.tanh(epsilon / 2), len(reports)
    return (sum(reports) / n - (1 - honest) / 2) / honest, np.sqrt((1 / honest**2 - 1) / (4 * n))


red_light, red_light_sd = share_of_yes(list(commuters["red_light"]), {{epsilon}})


# %% task="q2" name="share-of-the-reports"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    return np.mean(reports), np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)


red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})


# %% task="q2" name="cut-to-0-and-1"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
    return np.clip(share, 0, 1), np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)


red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})


# %% task="q2" name="deviation-not-stretched"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    return (np.mean(reports) - (1 - keep)) / (2 * keep - 1), np.sqrt(keep * (1 - keep) / len(reports))


red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})


# %% task="q2" name="deviation-of-a-sample"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
    return share, np.std(reports) / np.sqrt(len(reports)) / (2 * keep - 1)


red_light, red_light_sd = share_of_yes(commuters["red_light"], {{epsilon}})


# %% task="q2" name="other-epsilon-for-the-office"
def share_of_yes(reports, epsilon):
    keep = 1 / (1 + np.exp(-epsilon))
    share = (np.mean(reports) - (1 - keep)) / (2 * keep - 1)
    return share, np.sqrt(keep * (1 - keep) / len(reports)) / (2 * keep - 1)


red_light, red_light_sd = share_of_yes(commuters["red_light"], 2 * {{epsilon}})
