"""Right noise and coins pass; each mistake is refused with a sentence of its own."""

import zlib
from functools import partial

import numpy as np
import pytest

from dp_helpers import judging
from grading import randomness as r

COUNTS = np.resize([0, 1, 2, 12, 40], 20)


def check(release, normal=False):
    """Check ``release(exact, scale, rng)`` on counts, at two scales."""
    cases = [r.Case(partial(release, COUNTS, scale), COUNTS, scale, "Here", runs=500) for scale in (2, 10)]
    r.additive(cases, normal=normal)


def noisy(change=lambda noise, rng: noise, law="laplace"):
    """Return a release whose noise, in units of its scale, is ``change(noise, rng)``."""

    def release(exact, scale, rng):
        return exact + scale * change(getattr(rng, law)(size=len(exact)), rng)

    return release


def drawn_from(source):
    """Return Laplace noise that is drawn from ``source(exact, scale, rng)`` instead of the generator."""
    return lambda exact, scale, rng: exact + source(exact, scale, rng).laplace(scale=scale, size=len(exact))


def of_the_data(factor, above):
    """Return Laplace noise that is so much larger where the exact answer is above a number."""
    return lambda exact, scale, rng: exact + rng.laplace(scale=scale * np.where(exact > above, factor, 1))


def geometric(exact, scale, rng):
    return exact + np.subtract(*np.floor(rng.exponential(scale, (2, len(exact)))))


def cut(how):
    return lambda *given: how(noisy()(*given))


@pytest.mark.parametrize(
    ("release", "normal"),
    [(noisy(), False), (geometric, False), (cut(np.round), False), (cut(np.trunc), False), (noisy(law="normal"), True)],
)
def test_right_noise_passes(release, normal):
    check(release, normal)


@pytest.mark.parametrize("exact", [COUNTS, np.zeros(8), np.minimum(COUNTS, 1)], ids=["counts", "nobody", "few"])
@pytest.mark.parametrize("change", [partial(np.maximum, 0), np.abs])
def test_who_publishes_nothing_below_0_is_told_so_and_not_of_another_mistake(exact, change):
    """It costs no privacy: what is true of noise with one side isn't true of these."""
    case = r.Case(lambda rng: change(exact + rng.laplace(scale=2, size=exact.size)), exact, 2, "Here", runs=500)
    with pytest.raises(AssertionError) as caught:
        r.additive([case])
    assert str(caught.value) == r.NEVER


def test_noise_with_one_side_is_told_so_where_it_shows():
    case = r.Case(lambda rng: COUNTS + np.abs(rng.laplace(scale=2, size=COUNTS.size)), COUNTS, 2, "Here", runs=500)
    with pytest.raises(AssertionError) as caught:
        r.additive([case])
    assert str(caught.value) == judging.SIDE


def redrawn_far(noise, rng):
    while np.abs(noise).max() > 4:
        noise = np.where(np.abs(noise) > 4, rng.laplace(size=len(noise)), noise)
    return noise


class EverySecond:
    """Noise that is used twice, in two calls."""

    def __init__(self):
        self.kept = []

    def __call__(self, noise, rng):
        if self.kept:
            return self.kept.pop()
        self.kept.append(noise)
        return noise


def two_of_others(noise, rng):
    return np.append(noise[:-2], rng.permutation(noise[:-2])[:2])


def random_sign(exact, scale, rng):
    return exact + rng.choice([-1, 1], len(exact)) * np.floor(rng.exponential(scale, len(exact)))


def never_0(exact, scale, rng):
    return exact + rng.choice([-1, 1], len(exact)) * np.ceil(rng.exponential(scale, len(exact)))


WRONG = {
    "none": (noisy(lambda noise, rng: 0 * noise), [judging.EXACT]),
    "a fifth too small": (noisy(lambda noise, rng: noise / 1.25), ["is needed"]),
    "too small in one cell": (noisy(lambda noise, rng: noise * np.resize([0.6] + [1] * 19, 20)), ["in every cell"]),
    "twice too large": (noisy(lambda noise, rng: 2 * noise), ["in size; 2 would be enough."]),
    "small or large, by a coin": (noisy(lambda noise, rng: noise * rng.choice([0.5, 1.6], 20)), [judging.TELLING]),
    **{
        f"clipped at {end}": (noisy(lambda noise, rng, end=end: noise.clip(-end, end)), ["has an end"])
        for end in (3, 4, 5, 6)
    },
    "redrawn beyond 4": (noisy(redrawn_far), ["has an end"]),
    "normal": (noisy(lambda noise, rng: noise * np.sqrt(np.pi / 2), "normal"), [judging.THIN]),
    "to one side": (noisy(lambda noise, rng: abs(noise)), [judging.SIDE]),
    "more to one side": (
        noisy(lambda noise, rng: abs(noise) * rng.choice([-1, 1, 1, 1], 20)),
        [judging.SIDE, "lie around"],
    ),
    "in steps": (noisy(lambda noise, rng: np.round(noise / 0.3) * 0.3), [judging.STEPS]),
    "twice used": (noisy(EverySecond()), [r.AGAIN, r.ROUNDS, judging.OTHER_SOURCE]),
    "its own seed": (drawn_from(lambda *_: np.random.default_rng(0)), [judging.SAME]),
    "its own entropy": (drawn_from(lambda *_: np.random.default_rng()), [judging.OTHER_SOURCE]),
    "a seed of the data": (
        drawn_from(lambda exact, *_: np.random.default_rng(zlib.crc32(exact.tobytes()))),
        [judging.SAME],
    ),
    "one of few seeds": (drawn_from(lambda _, __, rng: np.random.default_rng(rng.integers(1_000))), [r.AGAIN]),
    "one for all cells": (noisy(lambda noise, rng: np.full(20, noise[0])), [judging.SHARED]),
    "opposite in two cells": (
        noisy(lambda noise, rng: np.repeat(noise[:10], 2) * np.resize([1, -1], 20)),
        [judging.SHARED],
    ),
    "one for ten cells": (noisy(lambda noise, rng: np.resize(noise[:2], 20)), [judging.SHARED]),
    "in two cells that of others": (noisy(two_of_others), [judging.SHARED]),
    "in order": (noisy(lambda noise, rng: np.sort(noise)), [judging.SHARED, judging.TOTAL, "your answers lie around"]),
    "none in the total": (noisy(lambda noise, rng: noise - noise.mean()), [judging.TOTAL]),
    "none in large cells": (of_the_data(0, 10), [judging.SOME]),
    "smaller where somebody is": (of_the_data(0.7, 0), [judging.DATA, "is needed"]),
    "larger where somebody is": (of_the_data(1.3, 0), [judging.DATA]),
    "larger where many are": (of_the_data(1.5, 1), [judging.DATA]),
    "never below 0": (lambda *given: np.maximum(noisy()(*given), 0), [r.NEVER]),
    "a random sign": (random_sign, [r.ZERO]),
    "never 0": (never_0, [r.ZERO]),
    "around another answer": (lambda exact, *more: noisy()(1.5 * exact, *more), ["and 40 is right"]),
    "no number": (lambda exact, *_: np.full(len(exact), np.nan), [""]),
}
NORMAL = {
    "none": (noisy(lambda noise, rng: 0 * noise, "normal"), [judging.EXACT]),
    "a fifth too small": (noisy(lambda noise, rng: noise / 1.25, "normal"), ["is needed"]),
    "too small in one cell": (
        noisy(lambda noise, rng: noise * np.resize([0.7] + [1] * 19, 20), "normal"),
        ["in every cell"],
    ),
    "Laplace": (noisy(lambda noise, rng: noise / np.sqrt(2)), [judging.NORMAL]),
    "clipped at 2": (noisy(lambda noise, rng: noise.clip(-2, 2), "normal"), [judging.NORMAL, "is needed"]),
    "clipped at 3": (noisy(lambda noise, rng: noise.clip(-3, 3), "normal"), [judging.NORMAL, "is needed"]),
    "one for all cells": (noisy(lambda noise, rng: np.full(20, noise[0]), "normal"), [judging.SHARED]),
    "twice used": (noisy(EverySecond(), "normal"), [r.AGAIN, r.ROUNDS, judging.OTHER_SOURCE]),
}


@pytest.mark.parametrize(
    ("release", "sentences", "normal"),
    [
        *(pytest.param(*case, False, id=name) for name, case in WRONG.items()),
        *(pytest.param(*case, True, id=f"normal, {name}") for name, case in NORMAL.items()),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of nan, which nobody may take for noise
def test_wrong_noise_is_told_what_is_wrong(release, sentences, normal):
    with pytest.raises(AssertionError) as told:
        check(release, normal)
    assert any(sentence in str(told.value) for sentence in sentences)


def test_what_a_check_has_drawn_is_not_drawn_again():
    def once(rng):
        calls.append(1)
        return rng.laplace()

    calls, drawn = [], np.random.default_rng(1).laplace(size=2_000)
    r.additive([r.Case(once, 0, 1.0, "Here", drawn=drawn)])
    assert len(calls) < 50


@pytest.mark.parametrize(("law", "end"), [("laplace", 6), ("normal", 3)])
def test_noise_that_was_cut_is_told_from_noise_that_is_large(law, end):
    # Of 12,000 right draws 30 are expected beyond each end, so that none is there with probability 1e-13.
    rng, normal = np.random.default_rng(6), law == "normal"
    draws = getattr(rng, law)(size=12_000)
    assert not r._has_ends(draws, normal)
    assert not r._has_ends(1.4 * draws, normal)
    assert r._has_ends(np.clip(draws, -end, end), normal)


@pytest.mark.parametrize("sign", [-1, 1])
def test_neighbouring_cells_and_calls_are_added_and_subtracted(sign):
    def without_noise(noise):
        return [sentence for sentence, sums in r._sums([noise]) if not sums.any()]

    noise = np.random.default_rng(11).laplace(size=(40, 6))
    noise[1::2] = sign * noise[::2]
    assert without_noise(noise) == without_noise(noise[1:-1]) == [r.ROUNDS]
    assert without_noise(noise.T)[0] == judging.SHARED


def test_calls_that_come_from_few_seeds_are_told_from_rounded_ones():
    rng = np.random.default_rng(13)
    seeds, noise = rng.integers(0, 50, 400), rng.laplace(scale=9, size=(50, 10))
    for repeated in (noise[seeds, :1], np.round(noise)[seeds], np.float32(noise)[seeds]):
        with pytest.raises(AssertionError, match="short list"):
            r._refuse_repeated_calls(repeated)
    for right in (rng.laplace(size=(400, 1)), np.round(noise[seeds, :1], 5), np.float32(noise)[seeds, :1]):
        r._refuse_repeated_calls(right)


@pytest.mark.parametrize("unit", [1, 10])
def test_one_rounded_number_of_few_seeds_is_told_from_one_of_fresh_noise(unit):
    rng = np.random.default_rng(12)
    fresh = 300 + rng.laplace(scale=60, size=3_000)
    seeded = rng.choice(300 + rng.laplace(scale=60, size=300 // unit), 3_000)
    assert r._comes_in_few(unit * np.round(seeded / unit), 60)
    for right in (fresh, np.maximum(fresh, 250), np.clip(fresh, 290, 310)):
        assert not r._comes_in_few(unit * np.round(right / unit), 60)
    assert not r._comes_in_few(np.trunc((fresh - 300) / 10), 6)  # 0 comes up twice as often as 1


@pytest.mark.parametrize("cut_off", [np.round, np.trunc])
def test_whole_numbers_are_spread_to_what_they_were(cut_off):
    rng = np.random.default_rng(9)
    noise = cut_off(rng.laplace(scale=3, size=(20_000, 1)))
    spread = (noise + r._spread(noise, np.zeros(1), rng)).ravel()
    # On average the size of Laplace noise is 3 ± 0.02; nearer than 1/2 to 0 it is in 15%, ± 0.3%.
    assert np.abs(spread).mean() == pytest.approx(3, abs=0.12)
    assert np.mean(np.abs(spread) < 0.5) == pytest.approx(-np.expm1(-1 / 6), abs=0.015)
    assert len(np.unique(spread)) == 20_000


# Coins


def never_empty(n, q, rng):
    while not len(taken := np.flatnonzero(rng.random(n) < q)):
        pass
    return taken


def somebody_if_empty(n, q, rng):
    taken = np.flatnonzero(rng.random(n) < q)
    return taken if len(taken) else rng.integers(n, size=1)


class EachTwice:
    """Coins that serve for two batches."""

    kept = None

    def __call__(self, n, q, rng):
        """Return those taken; every second time the same again."""
        before, self.kept = self.kept, None
        if before is None:
            before = self.kept = np.flatnonzero(rng.random(n) < q)
        return before


COINS = {  # who is taken of n people, and what is said of it
    "a coin for each": (lambda n, q, rng: np.flatnonzero(rng.random(n) < q), None),
    "always the same": (lambda n, q, rng: np.arange(0, n, 3), judging.ALWAYS),
    "redrawn while empty": (never_empty, judging.EMPTY),
    "one person if empty": (somebody_if_empty, judging.EMPTY),
    "Poisson size": (
        lambda n, q, rng: rng.permutation(n)[: rng.poisson(q * n)],
        "with coins it would be 2.4 and 1.4.",
    ),
    "fixed size": (lambda n, q, rng: rng.permutation(n)[: round(q * n)], judging.FIXED),
    "with replacement": (lambda n, q, rng: rng.integers(n, size=rng.binomial(n, q)), judging.TWICE),
    "one coin for two": (lambda n, q, rng: np.flatnonzero(np.repeat(rng.random(n // 2) < q, 2)), "your batches hold"),
    "each batch twice": (EachTwice(), judging.TOGETHER),
    "chance times 1.25": (lambda n, q, rng: np.flatnonzero(rng.random(n) < 1.25 * q), "people are taken with"),
    "chance less a fifth": (lambda n, q, rng: np.flatnonzero(rng.random(n) < 0.8 * q), "people are taken with"),
}


@pytest.mark.parametrize("name", COINS)
def test_each_mistake_with_coins_has_its_sentence(name):
    chosen, sentence = COINS[name]
    rng = np.random.default_rng(8)
    taken = np.array([np.bincount(chosen(12, 0.2, rng), minlength=12) for _ in range(3_000)])
    if sentence is None:
        r.coins(taken, 0.2)
    else:
        with pytest.raises(AssertionError) as told:
            r.coins(taken, 0.2)
        assert sentence in str(told.value)


def test_batches_of_many_people_are_never_empty():
    r.coins(np.random.default_rng(16).binomial(1, 0.4, (3_000, 40)), 0.4)


@pytest.mark.parametrize(
    ("scale", "refused"),
    [
        (lambda epsilon: 4 / epsilon, False),
        (lambda epsilon: 1 / epsilon, False),
        (lambda epsilon: (4 / epsilon) ** 2, True),
        (lambda epsilon: 0.5 / epsilon, True),
    ],
)
def test_noise_that_shrinks_faster_than_epsilon_grows_is_refused_where_epsilon_is_large(scale, refused):
    rng = np.random.default_rng(64)

    def draw(world, epsilon, runs):
        return rng.laplace([5 + world, 2], [scale(epsilon), 1 / epsilon], (runs, 2))

    if refused:
        with pytest.raises(AssertionError, match="how does the scale go with ε"):
            r.enough_where_epsilon_is_large(draw)
    else:
        r.enough_where_epsilon_is_large(draw)
