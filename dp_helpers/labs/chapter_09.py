"""The labs of chapter 9, The exponential mechanism."""

import math

import numpy as np

from .answers import NotYet, close, function, margin, number


def lab_1(answer) -> str:
    """Check the exponential mechanism's probability of the first of three options."""
    given, scores = number(answer), np.array([12.0, 10.0, 7.0])
    halves = np.exp((scores - 12) / 2)
    full = np.exp(scores - 12)
    if close(given, 1 / full.sum()):
        raise NotYet("that leaves out the 2. Under replace-one, one count may fall as another rises.")
    if close(given, np.exp(6.0)) or close(given, 1):
        raise NotYet("that is a weight. Divide it by the sum of all three weights.")
    if close(given, 12 / 29):
        raise NotYet("that is the option's share of the votes. A weight is e^(ε s / (2Δ)).")
    if not close(given, 1 / halves.sum()):
        raise NotYet("the weights are e^(ε s / (2Δ)) with a sensitivity of 1 vote; divide the first by their sum.")
    return "Weights of 1, e^-1 and e^-2.5: the first wins in 69% of the runs."


def lab_2(answer) -> str:
    """Check the sensitivity of a sum of distances between hours."""
    given = number(answer)
    if close(given, 1):
        raise NotYet("a member counts as one person, but scores are in hours. By how many can one member move them?")
    if close(given, 3):
        raise NotYet("that is the most for the hour in the middle. The sensitivity is the most for any hour.")
    if close(given, 7):
        raise NotYet("that is the number of candidates. How far apart are the first and the last?")
    if close(given, 12):
        raise NotYet("nobody is moved across the whole day and back: one member joins or leaves.")
    if close(given, 22) or close(given, 16):
        raise NotYet("that is a time of day. The score is a sum of distances between two of them.")
    if not close(given, 6):
        raise NotYet("a member joins; look for the candidate whose score falls most.")
    return "A member who names 22 o'clock costs 16 o'clock 6 hours."


def lab_3(answer) -> str:
    """Check the bound of the utility theorem for a quantile."""
    given, logs = number(answer), math.log(101 * 100)
    if close(given, 2 / 0.5 * logs):
        raise NotYet("a sensitivity of 1 is safe, but these scores have a smaller one.")
    if close(given, 2 * 0.5 / 0.5 * logs):
        raise NotYet("half a person is the sensitivity for a median; what is it for q = 0.9?")
    if close(given, 2 * 0.1 / 0.5 * logs):
        raise NotYet("the sensitivity is the larger one of q and 1 - q: it depends on which side a person joins.")
    if close(given, 0.9 / 0.5 * logs) or close(given, 2 * 0.9 / 0.5 * math.log(101)):
        raise NotYet("that is half of it. These scores aren't monotonic; and without t the theorem promises nothing.")
    if close(given, 2 * 0.9 / 0.5 * math.log10(101 * 100)):
        raise NotYet("the logarithms are natural ones, not to base 10.")
    if not close(given, 2 * 0.9 / 0.5 * logs):
        raise NotYet("it is 2Δ/ε times (ln m + t), and e^-t is the 1% in which it may fail.")
    return "About 33 people, however large the table is."


def flip_chances(p: np.ndarray) -> np.ndarray:
    """Return how often permute-and-flip chooses each candidate, given the chances of heads."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    free = 1 - np.outer((nodes + 1) / 2, p)
    return np.array([p[i] * (np.delete(free, i, axis=1).prod(axis=1) @ weights) / 2 for i in range(len(p))])


def lab_4(answer) -> str:
    """Check permute-and-flip against its closed form."""
    choose, rng, draws = function(answer), np.random.default_rng(4), 20_000
    for scores, sensitivity, epsilon in [
        ([-2.0, 0.0, -1.0], 1.0, 1.0),
        ([0.0, 0.0, -3.0, -3.0], 3.0, 1.0),
        ([2_997_000.0, 2_999_000.0, 3_000_000.0], 1000.0, 1.0),
    ]:
        with np.errstate(all="ignore"):
            drawn = [choose(list(scores), sensitivity, epsilon, rng) for _ in range(draws)]
        places = range(len(scores))
        if any(isinstance(place, (bool, np.bool_)) or place not in places for place in drawn):
            wrong = next(x for x in drawn if isinstance(x, (bool, np.bool_)) or x not in places)
            if max(scores) > 1000:
                raise NotYet(f"for scores of this size you return {wrong!r}: does a weight overflow?")
            raise NotYet(f"return the position of the chosen candidate, from 0 to {len(scores) - 1}, not {wrong!r}.")
        shares = np.bincount(np.array(drawn, dtype=int), minlength=len(scores)) / draws
        exponents = epsilon * (np.array(scores) - max(scores)) / sensitivity
        heads, off = np.exp(exponents / 2), margin(draws)

        def fits(law, shares=shares, off=off):
            return np.abs(shares - law).max() <= off

        if fits(flip_chances(heads)):
            continue
        if fits(heads / heads.sum()):
            raise NotYet("these are the chances of the exponential mechanism, without the random order and the coins.")
        if fits(flip_chances(np.exp(exponents))):
            raise NotYet("the 2 is missing: these scores need not be monotonic.")
        if fits(flip_chances(np.exp(epsilon * (np.array(scores) - max(scores)) / 2))):
            raise NotYet("divide by the sensitivity, too.")
        if fits(heads * np.append(1, np.cumprod(1 - heads)[:-1])):
            raise NotYet("you go through the candidates in the order of the list; make it a random one.")
        got = ", ".join(f"{share:.2f}" for share in shares)
        want = ", ".join(f"{share:.2f}" for share in flip_chances(heads))
        raise NotYet(f"for the scores {scores} you choose in shares of {got}; they should be {want}.")
    return "The chances agree with the closed form, for scores of any size."


def lab_5(answer) -> str:
    """Check a mended poll: public candidates, the unit of the scores, large counts."""
    poll, rng, names, draws = function(answer), np.random.default_rng(5), ["A", "B", "C"], 12_000

    def share(answers, name, draws=draws):
        with np.errstate(all="ignore"):
            drawn = [poll(list(answers), list(names), 1.0, rng) for _ in range(draws)]
        for chosen in drawn:
            if chosen not in names:
                raise NotYet(f"return one of the candidates, not {chosen!r}.")
        return sum(chosen == name for chosen in drawn) / draws

    try:
        certain = share(["B"] * 20_000 + ["A"] * 10_000, "B", draws=20)
    except ValueError:
        raise NotYet("with 20,000 equal answers it fails: a weight overflows. Subtract the largest score.") from None
    try:
        nobody = [share([], name) for name in names]
    except ValueError:
        raise NotYet("if nobody answers it fails. The candidates are those of the list, not of the data.") from None
    off = margin(draws)
    if max(abs(p - 1 / 3) for p in nobody) > off:
        raise NotYet("if nobody answers, all candidates are equally good.")
    # The exponential mechanism with the 2 reaches 0.69, Laplace noise of scale 2 about 0.68.
    if certain < 1 or share(["B"] * 3, "B") < 0.62 - off:
        raise NotYet("the leader of 3 to 0 wins too rarely. What is one person worth in the unit of your scores?")
    # Between two candidates A wins in half of the runs if nobody answers, so at least in e^-1 / 2 if one says B.
    names = ["A", "B"]
    if share(["B"], "A") < math.exp(-1) / 2 - off:
        raise NotYet("with two candidates and a single vote, the other one wins too rarely for ε = 1.")
    return "Anybody on the list may win, a person weighs 1, and nothing overflows."


def lab_6(answer) -> str:
    """Check the closed form of the race with exponential noise."""
    chances, rng = function(answer), np.random.default_rng(6)
    cases = [([2.0, 0.0], 2.0), ([0.0, -1.0, -3.0], 1.0), ([5.0, 5.0, 5.0, 1.0], 2.0)]
    cases += [(list(rng.normal(0, 2, size=n)), 1.5) for n in (8, 50)]
    for scores, scale in cases:
        given = np.asarray(chances(list(scores), scale), dtype=float)
        if given.shape != (len(scores),):
            raise NotYet(f"return one probability for each of the {len(scores)} candidates.")
        heads = np.exp((np.array(scores) - max(scores)) / scale)
        right = flip_chances(heads)
        if np.abs(given - right).max() <= 2e-3:
            continue
        if np.abs(given - heads / heads.sum()).max() <= 2e-3:
            raise NotYet("these are the chances of the exponential mechanism, which is the race with Gumbel noise.")
        if np.abs(given * heads - right).max() <= 2e-3:
            raise NotYet("candidate i's own coin must show heads as well: a factor p_i is missing.")
        if not math.isclose(given.sum(), 1, abs_tol=0.02):
            raise NotYet(f"for {len(scores)} candidates your chances sum to {given.sum():.3f}.")
        raise NotYet(f"for {len(scores)} candidates one of your chances is off by {np.abs(given - right).max():.3f}.")
    return "They sum to 1, and agree with the race for up to 50 candidates."
