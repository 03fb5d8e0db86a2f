"""Answers to the labs of chapter 5: right ones, and wrong ones with a part of what they are told."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from labs.answers import inverse, patched

import dp_helpers as dp


def mean_with(noise, n=len):
    """Answer mean-with-a-public-n by the clipped mean plus what ``noise`` draws at this scale."""

    def answer(values, lower, upper, epsilon, rng):
        return np.clip(values, lower, upper).mean() + noise((upper - lower) / n(values) / epsilon, rng)

    return answer


def mean_by_loop(values, lower, upper, epsilon, rng):
    total = sum(min(max(value, lower), upper) for value in values)
    return (total + rng.laplace(0, (upper - lower) / epsilon)) / len(values)


def fitted_mean(values, lower, upper, epsilon, rng):
    clipped = np.clip(values, lower, upper)
    return clipped.mean() + rng.laplace(0, np.ptp(clipped) / len(values) / epsilon)


def mean_with_private_n(values, lower, upper, epsilon, rng):
    return dp.private_mean(values, lower=lower, upper=upper, epsilon=epsilon, rng=rng)


def draw(scale, rng):
    return rng.laplace(0, scale)


def mean_unless_all_are_alike(values, lower, upper, epsilon, rng):
    return mean_with(draw)(values, lower, upper, epsilon, rng) if np.ptp(values) else values[0]


def mean_within_the_bounds(values, lower, upper, epsilon, rng):
    while not lower <= (given := mean_with(draw)(values, lower, upper, epsilon, rng)) <= upper:
        pass
    return given


def minutes_per_visit(visits, epsilon, rng):
    return visits["minutes"].clip(0, 600).sum() + rng.laplace(0, 600 / epsilon)


def minutes_with(noise):
    """Answer one-person-many-visits by the people's clipped totals plus what ``noise`` draws at this scale."""

    def answer(visits, epsilon, rng):
        totals = np.bincount(visits["person"], weights=visits["minutes"])
        return np.minimum(totals, 600).sum() + noise(600 / epsilon, rng)

    return answer


def keep_rows_until_600(visits, epsilon, rng):
    before = visits.groupby("person")["minutes"].cumsum() - visits["minutes"]
    kept = np.minimum(visits["minutes"], np.maximum(600 - before, 0))
    return float(kept.sum()) + rng.laplace(0, 600 / epsilon)


def minutes_in_a_dictionary(visits, epsilon, rng):
    totals = {}
    for person, minutes in zip(visits["person"], visits["minutes"], strict=True):
        totals[person] = min(totals.get(person, 0) + minutes, 600)
    return max(0, round(sum(totals.values()) + rng.laplace(0, 600 / epsilon)))


def minutes_of_a_bincount(visits, epsilon, rng):
    totals = np.bincount(visits["person"], weights=visits["minutes"])
    return np.minimum(totals, 600).sum() + rng.exponential(600 / epsilon) * rng.choice([-1, 1])


def exact_for_many(visits, epsilon, rng):
    return minutes_with(draw)(visits, epsilon if visits["person"].nunique() < 30 else 1e9, rng)


def geometric_minutes(visits, epsilon, rng):
    total = int(visits.groupby("person")["minutes"].sum().clip(0, 600).sum())
    return dp.geometric_mechanism(total, sensitivity=600, epsilon=epsilon, rng=rng)


def as_busy_as_they_are(visits, epsilon, rng):
    totals = visits.groupby("person")["minutes"].sum().clip(0, 600)
    return totals.sum() + rng.laplace(0, totals.max() / epsilon)


def bought(choose, share=0.2, rest=0.8):
    """Return an answer to lab buy-a-bound that chooses a bound with ``share`` of epsilon, and sums with ``rest``."""

    def answer(values, candidates, epsilon, rng):
        bound = choose(values, candidates, share * epsilon, rng)
        noise = rng.standard_exponential() - rng.standard_exponential()
        return bound, np.clip(values, 0, bound).sum() + bound / (rest * epsilon) * noise

    return answer


def highest_full_piece(values, candidates, epsilon, rng):
    pieces = np.searchsorted(candidates, values)
    counts = np.bincount(pieces, minlength=len(candidates) + 1) + rng.laplace(0, 1 / epsilon, len(candidates) + 1)
    full = np.flatnonzero(counts[:-1] > np.log(50 * len(counts)) / epsilon)
    return candidates[full[-1] if full.size else 0]


def first_with_few_above(values, candidates, epsilon, rng):
    noisy = 8 / epsilon + rng.laplace(0, 2 / epsilon)
    for candidate in candidates:  # above threshold, from below
        if -(values > candidate).sum() + rng.laplace(0, 4 / epsilon) > -noisy:
            return int(candidate)
    return int(candidates[-1])


def by_exponential_mechanism(values, candidates, epsilon, rng):
    above = np.array([(values > candidate).sum() for candidate in candidates])
    score = -above / 2 - 2 * np.arange(len(candidates))  # a doubling of the noise for four people
    return rng.choice(candidates, p=np.exp(epsilon * score) / np.exp(epsilon * score).sum())


def by_gumbel(values, candidates, epsilon, rng):
    score = -np.array([(values > candidate).sum() for candidate in candidates]) - 4 * np.arange(len(candidates))
    return candidates[np.argmax(epsilon * score / 2 + rng.gumbel(size=len(candidates)))]


def without_noise_on_the_threshold(values, candidates, epsilon, rng):
    for candidate in candidates:
        if (values > candidate).sum() + rng.laplace(0, 2 / epsilon) < 4 / epsilon:
            return candidate
    return candidates[-1]


def with_a_quiet_threshold(values, candidates, epsilon, rng):
    for candidate in candidates:
        if (values > candidate).sum() + rng.laplace(0, 0.4 / epsilon) < 8 / epsilon:
            return candidate
    return candidates[-1]


def summed_with(total):
    """Return an answer to lab buy-a-bound that buys its bound as it should, and sums as it shouldn't."""

    def answer(values, candidates, epsilon, rng):
        bound = highest_full_piece(values, candidates, 0.2 * epsilon, rng)
        return bound, total(values, bound, bound / (0.8 * epsilon), rng)

    return answer


def counted_with(noise, epsilon=None):
    """Choose the highest piece that is full by counts with this noise, or for another ε than what is given."""

    def choose(values, candidates, share, rng):
        share = epsilon or share
        pieces = np.bincount(np.searchsorted(candidates, values), minlength=len(candidates) + 1)
        full = np.flatnonzero(pieces[:-1] + noise(share, rng, len(pieces) - 1) > np.log(500) / share)
        return candidates[max(full, default=0)]

    return choose


def by_a_look_at_each(values, candidates, epsilon, rng):
    """Return the bound at which the noisy sum stops to grow; each look spends all that the search may spend."""
    before, chosen = -np.inf, candidates[0]
    for bound in candidates:
        total = np.minimum(values, bound).sum() + draw(bound / epsilon, rng)
        if total <= before:
            break
        before, chosen = total, bound
    return chosen


def noise_of_the_largest(values, bound, scale, rng):
    return np.minimum(values, bound).sum() + draw(scale * min(1, values.max() / bound), rng)


def clipped_plus(noise):
    return summed_with(lambda values, bound, scale, rng: np.minimum(values, bound).sum() + noise(scale, rng))


RIGHT = {
    "cold-place": [
        (45, 75, 0.15),
        pd.Series([45, 75, 3 / 20]),
    ],
    "attack-a-maximum": [
        lambda answer, others: answer > others + 500_000 or answer < others - 200_000,
        lambda answer, others: bool(abs(answer - others) > 100_000),
        lambda answer, others: bool(np.abs(np.subtract(answer, others)) > 200_000),
        lambda answer, others: answer > others + 500_000,
    ],
    "mean-with-a-public-n": [
        mean_with(draw),
        mean_by_loop,
        lambda *given: round(mean_by_loop(*given), 2),
        lambda *given: round(mean_by_loop(*given)),
        lambda v, lower, upper, epsilon, rng: np.clip(mean_by_loop(v, lower, upper, epsilon, rng), lower, upper),
        mean_with(inverse),
        lambda *given: Fraction(mean_with(draw)(*given)),
        lambda *given: np.float32(mean_with(draw)(*given)),
    ],
    "one-person-many-visits": [
        minutes_with(draw),
        keep_rows_until_600,
        minutes_in_a_dictionary,
        geometric_minutes,
        lambda *given: Decimal(round(minutes_with(inverse)(*given), -1)),
        minutes_of_a_bincount,
    ],
    "buy-a-bound": [
        bought(highest_full_piece),
        bought(first_with_few_above),
        bought(by_exponential_mechanism),
        bought(by_gumbel),
        clipped_plus(draw),
        lambda *given: [round(part) for part in bought(highest_full_piece)(*given)],
    ],
}

WRONG = {
    "attack-a-maximum": [
        (lambda answer, others: bool(answer > others), "less than a 1-DP release"),
        (lambda answer, others: answer > others + 1_000_000, "but not in 80%"),
        (lambda answer, others: True, "less than a 1-DP release might"),
        (lambda answer, others: abs(answer - others) > 10_000, "far off on either side"),
        (lambda answer, others: answer - others, "True or False"),
    ],
    "mean-with-a-public-n": [
        (
            lambda v, low, up, e, rng: round(np.clip(v, low, up).mean(), 2) + draw((up - low) / len(v) / e, rng),
            "at the end",
        ),
        (mean_with(lambda scale, rng: draw(2 * scale, rng)), "n is public"),
        (mean_with(lambda scale, rng: draw(1 / scale, rng)), "in size"),
        (mean_with(lambda scale, rng: draw(scale**2, rng)), "in size"),
        (mean_with(draw, n=lambda values: 1), "what does one value move the mean by"),
        (fitted_mean, "the bounds are public"),
        (patched(mean_by_loop, "(upper - lower)", "upper"), "moves by the width"),
        (mean_with_private_n, "your noise is"),
        (patched(mean_by_loop, "max(value, lower)", "value"), "the mean of the clipped values"),
        (mean_unless_all_are_alike, "at the edge, yours is exact"),
        (mean_within_the_bounds, "noise that is redrawn"),
    ],
    "one-person-many-visits": [
        (lambda visits, epsilon, rng: 0.0, "by -"),
        (lambda visits, *given: minutes_with(draw)(visits.groupby("person").head(10), *given), "fifty visits"),
        (minutes_with(lambda scale, rng: draw(2 * scale, rng)), "and isn't replaced"),
        (minutes_with(lambda scale, rng: draw(scale / 3, rng)), "covers one visit"),
        (as_busy_as_they_are, "That covers the busiest person"),
        (exact_for_many, "your answer is exact"),
        (minutes_with(lambda scale, rng: rng.laplace(0, scale, 2).mean()), "is needed, in every call"),
        (minutes_with(lambda scale, rng: int(draw(scale, rng))), "int() cuts both its sides"),
        (minutes_per_visit, "off by 1,150"),
        (patched(minutes_per_visit, "clip(0, 600)", "clip(0, 5)"), "should count in full"),
        (minutes_with(lambda scale, rng: rng.normal(0, 1.45 * scale)), "thin tails"),
        (minutes_with(lambda scale, rng: np.clip(rng.laplace(0, scale), -600, 600)), "needed, in every call"),
    ],
    "buy-a-bound": [
        (clipped_plus(lambda scale, rng: int(draw(scale, rng))), "int() cuts both its sides"),
        (clipped_plus(lambda scale, rng: np.rint(draw(scale, rng))), "comes in steps"),
        (bought(counted_with(lambda e, rng, n: 0)), "a few rich people more change your bound"),
        (bought(counted_with(lambda e, rng, n: draw(1 / e, rng))), "each count needs noise of its own"),
        (bought(counted_with(lambda e, rng, n: rng.laplace(0, 1, n))), "at ε = 2 a few rich people"),
        (bought(counted_with(lambda e, rng, n: rng.laplace(0, e, n))), "at ε = 2 a few rich people"),
        (bought(counted_with(lambda e, rng, n: rng.laplace(0, 1, n), epsilon=1)), "at ε = 2 a few rich people"),
        # choose gets 0.2 ε: these buy the bound with 0.2 / ε, and with 0.2
        (bought(lambda v, c, e, rng: highest_full_piece(v, c, 0.04 / e, rng)), "at ε = 0.2 a few rich people"),
        (bought(lambda v, c, e, rng: highest_full_piece(v, c, 0.2, rng)), "at ε = 0.2 a few rich people"),
        (bought(lambda v, c, e, rng: first_with_few_above(v, c, 0.2, rng)), "at ε = 0.2 a few people who come"),
        # And these with 0.2 √ε, and with (0.2 ε)².
        (bought(lambda v, c, e, rng: highest_full_piece(v, c, np.sqrt(0.2 * e), rng)), "at ε = 0.2 a few rich people"),
        (bought(lambda v, c, e, rng: highest_full_piece(v, c, e**2, rng)), "at ε = 10 a few rich people"),
        (bought(by_a_look_at_each), "a few rich people more change your bound"),
        (clipped_plus(lambda scale, rng: draw(4 * scale, rng)), "buys the bound"),
        (clipped_plus(lambda scale, rng: draw(1.6 * scale, rng)), "at most the bound"),
        (bought(lambda v, c, e, rng: by_gumbel(v, c, 4 * e, rng)), "a few rich people more change your bound"),
        (lambda values, candidates, epsilon, rng: values.sum(), "give a pair"),
        (lambda values, candidates, epsilon, rng: (candidates[3], np.nan), "finite"),
        (bought(lambda values, candidates, epsilon, rng: values.max()), "isn't one of the candidates"),
        (bought(highest_full_piece, share=1.0), "a few rich people more change your bound"),
        (bought(highest_full_piece, rest=1.0), "all of ε were left"),
        (bought(highest_full_piece, share=0.8, rest=0.2), "that part buys the bound"),
        (bought(lambda values, candidates, epsilon, rng: candidates[5]), "another candidate costs much less"),
        (bought(lambda v, c, e, rng: highest_full_piece(v, c, e, np.random)), "from nothing else"),
        (summed_with(noise_of_the_largest), "1 is needed, in every call"),
        (summed_with(lambda values, bound, scale, rng: values.sum() + draw(scale, rng)), "those of the clipped"),
        (summed_with(lambda v, b, scale, rng: np.minimum(v, b).sum() + draw(scale, rng) * (len(v) < 500)), "exact"),
        (bought(without_noise_on_the_threshold), "a few rich people more change your bound"),
        (bought(with_a_quiet_threshold), "a few rich people more change your bound"),
        (summed_with(lambda v, b, scale, rng: v[v <= b].sum() + draw(scale, rng)), "those of the clipped"),
    ],
}
