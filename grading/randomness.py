"""Checks of what an answer draws: noise around an exact answer, and the coins that choose a batch.

Only `evidence` refuses noise; sizes, medians and codes' lengths find the words. What is wrong is an AssertionError.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from dp_helpers import judging

from .evidence import ALARM, event_excess, excess, gaussian, laplace_loss, may_be, pure, upper_limit

AGAIN = "some calls give the very same noise as others: it was kept, or comes from a short list, of seeds perhaps."
ROUNDS = "one call's noise tells the next one's: draw it afresh."
NEVER = "none of your counts is ever negative: publish them as they come, or empty cells are too large on average."
SIZE = "{} your noise is {:,g} in size; {:,g} {}."
ZERO = "your noise is 0 much more often, or less often, than 1: by a random sign, or int(), 0 gets twice its chance."

LARGE = "at ε = {:g} one person moves a number of yours by {:,.0f} scales of its noise: how does the scale go with ε?"

COUNTS = "your batches hold {:.1f} people on average, with a standard deviation of {:.1f}; with coins it would be {}."


@dataclass(frozen=True)
class Case(judging.Case):
    """One table; the answers that a check has ``drawn`` already aren't drawn again."""

    drawn: Sequence = ()


def additive(cases: Sequence[Case], *, normal: bool = False) -> None:
    """Check exact answers plus independent noise of one law, of the given scale at least.

    The scale is that of Laplace noise, or the standard deviation of ``normal`` noise. All noise is put in units of it,
    so that cells, tables and ε are judged together: each number moved by 1 to 4 scales, sums and differences of two
    cells, totals, and neighbouring rounds.
    """
    rng = np.random.default_rng(0)
    noises = [_noise_of(case, rng) for case in cases]
    _refuse_noise_of_the_data(cases, noises)
    for case, noise in zip(cases, noises, strict=True):
        if _size(noise, normal) > 1.1 + 6 / np.sqrt(noise.size):
            raise AssertionError(_about_size(case, _size(noise, normal), "would be enough"))
    claims = {x: gaussian(x) for x in (0.5, 2.0)} if normal else {x: pure(x) for x in (1.0, 2.0, 4.0)}
    parts = [noise.ravel() for noise in noises]
    everything = np.concatenate(parts)
    for cells in [*parts, everything] if len(parts) > 1 else parts:
        if any(_moved(cells, x, claim) > 0 for x, claim in claims.items()) or _has_ends(cells, normal):
            raise AssertionError(_why(cases, noises, normal))
        # Of 1,500 right draws `_bell` is -0.07, give or take 0.013: above 0.01 with probability below 1e-9.
        if not normal and cells.size >= 1_500 and _bell(cells) > 0.01:
            raise AssertionError(_why(cases, noises, normal))
    if normal and not all(_bells(noise / _size(noise, normal)) for noise in noises):
        raise AssertionError(judging.NORMAL)
    if normal and _size(everything, normal) < 1 - 4.5 / np.sqrt(everything.size):  # of the right size in 1e-10
        raise AssertionError(_why(cases, noises, normal))
    for sentence, sums in _sums(noises):
        if any(_moved(sums, x, claim) > 0 for x, claim in claims.items()):
            raise AssertionError(sentence)
    for case, noise in zip(cases, noises, strict=True):
        _refuse_a_quiet_cell(case, noise, normal)


def enough_where_epsilon_is_large(draw: Callable) -> None:
    """Refuse numbers whose Laplace noise is too small at ε = 64, as a scale of 1/ε² is: counting sees nothing there.

    ``draw(world, epsilon, runs)`` returns a row of numbers for each run, in one of two neighbouring worlds, 0 and 1.
    """
    epsilon, runs = 64.0, 4_000
    worlds = [np.nan_to_num(np.reshape(draw(world, epsilon, runs), (runs, -1))) for world in (0, 1)]
    loss = laplace_loss(*worlds)
    assert loss <= 1.2 * epsilon, LARGE.format(epsilon, loss)


def coins(taken: np.ndarray, q: float) -> None:
    """Check how often people, in the columns, were taken in each run: everybody once, by a coin of their own.

    Each event that is looked at has a known chance: its limits hold it but in 2e-8.
    """
    assert (taken <= 1.5).all(), judging.TWICE
    assert np.ptp(taken, axis=0).max() >= 0.5, judging.ALWAYS
    taken = taken > 0.5
    n, counts = taken.shape[1], taken.sum(axis=1)
    assert np.ptp(counts) > 0, judging.FIXED
    never_empty = counts.all() and taken.mean() < 1.2 * q
    assert not never_empty or may_be(counts == 0, (1 - q) ** n), judging.EMPTY
    assert may_be(taken, q), judging.CHANCE.format(taken.mean(), q)
    chances = np.minimum(special.bdtr(np.arange(n + 1), n, q), 1)
    right = f"{n * q:.1f} and {np.sqrt(n * q * (1 - q)):.1f}"
    fits = all(may_be(counts <= k, chance) for k, chance in enumerate(chances))
    assert fits, COUNTS.format(counts.mean(), counts.std(), right)
    both = [taken[:, i] & taken[:, j] for i, j in combinations(range(n), 2)]
    rounds = (taken[1:] & taken[:-1])[::2]  # those of every second run are independent
    assert all(may_be(event, q * q) for event in [*both, rounds]), judging.TOGETHER
    assert all(may_be(person, q) for person in taken.T), judging.TOGETHER


# What is seen at once


def _noise_of(case, rng) -> np.ndarray:
    """Return what the calls add to the exact answers, in scales, a row for each call; refuse what is seen at once."""
    assert judging.repeats_itself(case.draw), judging.OTHER_SOURCE
    calls = case.drawn if len(case.drawn) else [np.ravel(case.draw(rng)) for _ in range(case.runs)]
    published, exact = np.array(calls, dtype=float).reshape(len(calls), -1), np.ravel(case.exact)
    noise = (published - exact) / case.scale
    assert not judging.comes_in_steps(published, exact), judging.STEPS
    _refuse_kept_noise(noise)
    # Answers that a check has drawn may be multiplied since, so that nobody sees whether they were rounded.
    if not len(case.drawn):
        _refuse_repeated_calls(published)
    empty = published[:, exact == 0]
    assert exact.size == 1 or not empty.size or empty.min() < 0 or np.mean(empty == 0) < 0.25, NEVER  # cut at 0
    # Where a count is 0, an answer that lost its sign looks as if its noise had, which the other cells show.
    sided = exact.any() and _one_sided(noise[:, exact != 0])
    assert exact.size == 1 or exact.all() or published.min() < 0 or sided, NEVER
    assert not _one_sided(noise), judging.SIDE
    middle = np.median(noise, axis=0)
    far = np.abs(middle).argmax()
    if abs(middle[far]) > max(0.5, 6 * np.abs(noise[:, far]).mean() / np.sqrt(len(noise))):
        raise AssertionError(judging.AROUND.format(case.where, np.median(published[:, far]), exact[far]))
    if (published == np.round(published)).all():
        assert exact.size > 1 or not _comes_in_few(published, case.scale), AGAIN
        whole = (exact > 1) & (exact == np.round(exact))
        if whole.any():
            _refuse_two_signs_of_zero((published - exact)[:, whole].ravel(), case.scale)
        noise = noise + _spread(published, exact, rng) / case.scale
    return noise


def _one_sided(noise) -> bool:
    return (noise.min() >= -1e-9 or noise.max() <= 1e-9) and np.abs(np.median(noise)) < 2


def _refuse_kept_noise(noise) -> None:
    """Refuse no noise, the same in all calls or in some cells, the same in two cells, and none in a total."""
    assert np.abs(noise).max() >= 1e-3, judging.EXACT
    still = np.ptp(noise, axis=0) < 1e-6
    assert not still.all(), judging.SAME
    assert not still.any(), judging.SOME
    related = np.atleast_2d(np.corrcoef(noise.T))
    assert np.abs(related - np.eye(len(related))).max() <= 0.95, judging.SHARED
    assert np.linalg.eigvalsh(related)[0] >= 0.05, judging.TOTAL  # else some sum or difference hardly varies
    # The same draw in two cells, wherever: more often than in rows that are made up of different calls.
    half = len(noise) // 2
    mixed = np.array([np.roll(cell, k) for k, cell in enumerate(noise[half:].T)]).T
    assert event_excess(_tied(noise[:half]), _tied(mixed), pure(0)) <= 0, judging.SHARED


def _tied(rows) -> np.ndarray:
    """Tell in which rows two numbers are the same, and not 0."""
    rows = np.sort(rows, axis=1)
    return np.logical_or.reduce((np.diff(rows) < 1e-9) & (np.abs(rows[:, 1:]) > 1e-9), axis=1)


def _refuse_repeated_calls(published) -> None:
    """Refuse calls that give the very same as others, unless they were rounded: many cells are never all alike."""
    times = np.unique(published, axis=0, return_counts=True)[1]
    rounded = (np.abs(published - np.round(published, 6)) < 1e-9).all() or (published == np.float32(published)).all()
    if (published.shape[1] >= 10 or not rounded) and (times > 1).sum() > 2 + 0.005 * len(published):
        raise AssertionError(AGAIN)


def _comes_in_few(published, scale) -> bool:
    """Tell whether whole numbers come more often than those before them allow, as those of a few seeds do."""
    values, times = np.unique(published[::3], return_counts=True)
    gaps = np.diff(values)
    unit = min(gaps, default=scale)
    rises = times[1:] > times[:-1] * (gaps < 1.5 * unit)
    often = values[2:-1][rises[1:-1] & (values[2:-1] > unit)]  # what was cut off, at 0 or elsewhere, may come often
    hits, shifted_hits = (np.isin(published[k::3] + moved, often) for k, moved in ((1, 0), (2, unit)))
    return event_excess(hits, shifted_hits, pure(unit / scale)) > 0


def _refuse_two_signs_of_zero(steps, scale) -> None:
    """Refuse whole numbers of which 0 has a chance that its neighbours on both sides don't allow."""
    next_to_it = np.abs(steps[steps != 0]).min()
    if not {next_to_it, -next_to_it} <= {*steps}:
        return  # rounded to tens, say, and the exact answers lie between
    at_zero, at_step = steps == 0, np.abs(steps) == next_to_it
    allowed = np.exp(next_to_it / min(scale, np.abs(steps).mean()))
    assert event_excess(at_zero, at_step, lambda q: allowed * q / 2) <= 0, ZERO
    assert event_excess(at_step, at_zero, lambda q: 2 * allowed * q) <= 0, ZERO


def _spread(published, exact, rng) -> np.ndarray:
    """Return what spreads whole numbers evenly, so that they may be moved by any part of the scale."""
    empty = np.abs(published[:, exact == 0])
    if (empty == 0).sum() <= (empty == 1).sum():
        return rng.uniform(-0.5, 0.5, published.shape)
    sides = np.where(published == 0, rng.choice([-1, 1], published.shape), np.sign(published))
    return sides * rng.random(published.shape)  # they were cut off towards 0, as int() does


# What many draws prove


def _refuse_noise_of_the_data(cases, noises) -> None:
    """Refuse noise whose size differs between cells of 0, of 1 and of more."""
    tables = [(np.minimum(np.ravel(case.exact), 2), noise) for case, noise in zip(cases, noises, strict=True)]
    tables = [(exact, noise) for exact, noise in tables if exact.size > 1]
    cells = [
        [noise[:, exact == count].ravel() for exact, noise in tables if (exact == count).any()] for count in (0, 1, 2)
    ]
    for v, w in combinations([np.abs(np.concatenate(parts)) for parts in cells if parts], 2):
        assert max(excess(v, w, pure(0)), excess(w, v, pure(0))) <= 0, judging.DATA


def _moved(v, x, claim) -> float:
    """Return the excess of noise moved by x over the noise: to each side, and far out on both sides at once."""
    both = excess(np.abs(v) + x, np.abs(v), lambda q: 2 * claim(q / 2))
    return max(excess(v + x, v, claim), excess(v, v + x, claim), both)


def _has_ends(cells, normal) -> bool:
    """Tell whether large noise comes up too rarely, by all of the runs: this event needn't be found.

    Normal noise is beyond 3 deviations in 0.27% of the draws. Other noise beyond 1 is beyond any end if it is moved by
    the rest of the way.
    """
    far = np.abs(cells) - 1e-9  # what was cut at a limit is not beyond it
    if normal:
        return upper_limit(int((far > 3).sum()), far.size, ALARM) < 2 * special.ndtr(-3)
    return any(event_excess(far > 1, far > end, pure(end - 1)) > 0 for end in (5, 6, 7, 7.5))


def _bells(noise) -> bool:
    """Tell whether noise in standard deviations may be normal (else 1e-9)."""
    return judging.distance(noise.ravel(), special.ndtr) <= judging.margin(noise.size)


def _sums(noises):
    """Yield sums and differences of cells, the totals, and differences of rounds: one cell moves them as itself."""
    tables = [noise for noise in noises if noise.shape[1] > 1]
    for sign in (-1, 1):
        if tables:
            pairs = [noise[:, : noise.shape[1] // 2 * 2 : 2] + sign * noise[:, 1::2] for noise in tables]
            yield judging.SHARED, np.concatenate([pair.ravel() for pair in pairs])
        for first in (0, 1):
            both = [(noise[first : len(noise) - 1 : 2], noise[first + 1 :: 2]) for noise in noises]
            yield ROUNDS, np.concatenate([(a + sign * b).ravel() for a, b in both])
    if tables:
        yield judging.TOTAL, np.concatenate([noise.sum(axis=1) for noise in tables])


def _refuse_a_quiet_cell(case, noise, normal) -> None:
    """Refuse noise that is too small in one of the cells."""
    least = min(_size(cell, normal) for cell in noise.T)
    power = 1 + normal  # the squares of normal noise are summed, the sizes of Laplace noise
    if least**power < special.gammaincinv(len(noise) / power, ALARM / 100) / len(noise) * power:
        raise AssertionError(_about_size(case, least, "is needed, in every cell"))


# The words


def _size(noise, normal) -> float:
    """Return the mean size, of normal noise the standard deviation."""
    return float(np.sqrt(np.mean(noise**2)) if normal else np.abs(noise).mean())


def _about_size(case, size, needed) -> str:
    """Return the sentence about noise of this size, in scales."""
    return SIZE.format(case.where, *(float(f"{length:.3g}") for length in (size * case.scale, case.scale)), needed)


def _why(cases, noises, normal) -> str:
    """Say what is wrong with noise that is refuted; this only finds the words."""
    cells = np.concatenate([noise.ravel() for noise in noises])
    mean, sizes = np.abs(cells).mean(), np.abs(cells)
    if abs(np.mean(cells > 1e-9) - np.mean(cells < -1e-9)) > 6 / np.sqrt(len(cells)):
        return judging.SIDE
    if not normal:
        if _bell(cells) > 0 and np.mean(sizes > 0.98 * sizes.max()) < 0.005:
            return judging.THIN
        if sizes.max() / mean < np.log(len(cells)) - 3:  # of Laplace noise hardly ever (2e-9)
            return judging.END.format(sizes.max())
    for case, noise in zip(cases, noises, strict=True):
        if _size(noise, normal) < 0.93:
            return _about_size(case, _size(noise, normal), "is needed, in every call")
    return judging.NORMAL if normal else judging.TELLING


def _bell(cells) -> float:
    """Return by how much a code for normal noise is shorter than one for Laplace noise, of which it is 0.07 longer."""
    return float(np.log(2 * np.e * np.abs(cells).mean()) - np.log(2 * np.pi * np.e * cells.var()) / 2)
