"""Standard mistakes by kind of answer: each turns a right answer into a wrong one, and has a sentence of its own.

A `Form` tells how a lab's answer is called and where its noise is; the mistakes know nothing else of the lab.
"""

import copy
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dp_labs import judges


@dataclass(frozen=True)
class Form:
    """How to take a lab's result apart: ``exact(args, result, quiet)`` and the noise's scale, then put it together."""

    exact: Callable
    scale: Callable
    value: Callable = lambda result: np.asarray(result, dtype=float)
    put: Callable = lambda result, value: float(value) if np.ndim(value) == 0 else value
    epsilon: int = -1  # the argument that is ε, from the end, before rng
    quiet: Callable = lambda given: 1e9  # that argument, so that there is no noise
    batch: Callable | None = None  # the arguments for these people and q = 1, and what the answer is multiplied by


def noise_becomes(change):
    """Return a mistake of the noise: ``change(noise, scale, again, args, rng)`` returns the wrong one."""

    def mistake(answer, form):
        def wrong(*given):
            *args, rng = given

            def parts():
                before, still = copy.deepcopy(rng), list(args)
                result, still[form.epsilon] = answer(*args, rng), form.quiet(args[form.epsilon])
                if result is None:
                    return None, 0, 0
                exact = np.asarray(form.exact(args, result, lambda: answer(*still, before)), dtype=float)
                return result, exact, form.value(result) - exact

            result, exact, noise = parts()
            if result is None:
                return None
            changed = change(noise, form.scale(args, result), lambda: parts()[2], exact, rng)
            return form.put(result, exact + changed)

        return wrong

    return mistake


def with_rng(source):
    """Return a mistake of the generator: ``source(args, rng)`` is drawn from instead."""
    return lambda answer, form: lambda *given: answer(*given[:-1], source(given[:-1], given[-1]))


def epsilon_times(factor):
    def mistake(answer, form):
        def wrong(*given):
            *args, rng = given
            args[form.epsilon] = args[form.epsilon] * factor
            return answer(*args, rng)

        return wrong

    return mistake


def of_cells(change):
    """Return a mistake that makes the noise of a list of cells out of the right one."""
    return noise_becomes(lambda noise, *others: change(noise.ravel()).reshape(noise.shape))


no_noise = of_cells(lambda noise: 0 * noise)
shared_noise = of_cells(lambda noise: np.full_like(noise, noise[0]))
opposite_noise = of_cells(lambda noise: np.repeat(noise[::2], 2)[: noise.size] * np.resize([1, -1], noise.size))


def smaller(factor):
    return noise_becomes(lambda noise, scale, again, exact, rng: noise / factor)


def clip_noise(scales):
    return noise_becomes(lambda noise, scale, again, exact, rng: np.clip(noise, -scales * scale, scales * scale))


def redraw_far(scales):
    def change(noise, scale, again, exact, rng):
        while np.abs(noise).max() > scales * scale:
            noise = np.where(np.abs(noise) > scales * scale, again(), noise)
        return noise

    return noise_becomes(change)


def redraw_negative(lowest=0.0):
    def change(noise, scale, again, exact, rng):
        while np.min(exact + noise) < lowest:
            noise = again()
        return noise

    return noise_becomes(change)


def normal():
    size = np.sqrt(np.pi / 2)
    return noise_becomes(lambda noise, scale, again, exact, rng: rng.normal(0, scale * size, np.shape(noise)))


def laplace():
    return noise_becomes(lambda noise, scale, again, exact, rng: rng.laplace(0, scale / np.sqrt(2), np.shape(noise)))


def noise_of_data(factor, big):
    """Noise that is so much larger, or smaller, where the exact answer is ``big``."""
    return noise_becomes(lambda noise, scale, again, exact, rng: noise * np.where(exact > big, factor, 1.0))


def shared_rounds():
    """Each second call uses the noise of the call before."""

    def mistake(answer, form):
        kept = {}

        def change(noise, scale, again, exact, rng):
            whose = id(rng), noise.shape
            if whose in kept:
                return kept.pop(whose)[0] * scale
            kept[whose] = noise / scale, rng  # kept, too, so that no other generator gets its id
            return noise

        return noise_becomes(change)(answer, form)

    return mistake


def shared_somewhere():
    """Two cells get what two others have, in each call others."""

    def change(noise, scale, again, exact, rng):
        flat = noise.ravel()
        return np.append(flat[:-2], rng.permutation(flat[:-2])[:2]).reshape(noise.shape)

    return noise_becomes(change)


def signed_geometric():
    """Whole numbers with a sign of their own, so that 0 has twice its chance."""

    def change(noise, scale, again, exact, rng):
        return rng.choice([-1, 1], noise.shape) * np.floor(rng.exponential(scale, noise.shape))

    return noise_becomes(change)


def no_negative_counts():
    return noise_becomes(lambda noise, scale, again, exact, rng: np.maximum(exact + noise, 0) - exact)


def own_seed():
    return with_rng(lambda args, rng: np.random.default_rng(0))


def own_entropy():
    return with_rng(lambda args, rng: np.random.default_rng())


def in_steps(scales):
    """Noise in steps of so many scales, to answers that lie between them."""

    def change(noise, scale, again, exact, rng):
        return np.round(noise / scale / scales) * scale * scales

    return noise_becomes(change)


def exact_below(lowest):
    """The exact answer where a noisy one would be lower."""
    return noise_becomes(lambda noise, scale, again, exact, rng: noise * (exact + noise >= lowest))


def few_seeds():
    return with_rng(lambda args, rng: np.random.default_rng(rng.integers(1_000)))


def seed_of_data():
    return with_rng(lambda args, rng: np.random.default_rng(zlib.crc32(repr(args).encode())))


def releases(none, small, same=(), other=("the same rng gave",), factors=(1.25, 2)):
    """Return the mistakes of any release with an ε, with the sentences for no noise, too little, and its generator."""
    cells = {f"epsilon times {factor}": (epsilon_times(factor), small) for factor in factors}
    return cells | {
        "no noise": (epsilon_times(100), none),  # more, and e^ε is too large for a float
        "own seed": (own_seed(), [*same, *other]),
        "own entropy": (own_entropy(), other),
        "seed of the data": (seed_of_data(), [*same, *other]),
    }


NO, SIZE = [judges.EXACT], ["is needed"]
TOO_SMALL = [*SIZE, judges.STEPS]  # of whole numbers a part is in steps
ADDITIVE = {
    "no noise": (no_noise, NO),
    "a fifth too small": (smaller(1.25), TOO_SMALL),
    "epsilon times 1.25": (epsilon_times(1.25), SIZE),
    "clipped at 3": (clip_noise(3), ["has an end"]),
    "clipped at 4": (clip_noise(4), ["has an end"]),
    "clipped at 5": (clip_noise(5), ["has an end"]),
    "clipped at 6": (clip_noise(6), ["has an end"]),
    "redrawn beyond 4": (redraw_far(4), ["has an end"]),
    "normal": (normal(), ["thin tails"]),
    "one side": (of_cells(np.abs), ["both sides alike"]),
    "shared by rounds": (shared_rounds(), [judges.AGAIN, judges.ROUNDS, "the same rng gave"]),
    "own seed": (own_seed(), [judges.SAME, "the same rng gave"]),
    "own entropy": (own_entropy(), ["the same rng gave"]),
    "seed of the data": (seed_of_data(), [judges.SAME, "the same rng gave"]),
    "few seeds": (few_seeds(), [judges.AGAIN]),
    "in steps": (in_steps(0.3), [judges.STEPS]),
}
# Where a release takes a millisecond, and the judge has fewer of them.
ROUGHLY = ADDITIVE | {
    "a fifth too small": (smaller(1.4), TOO_SMALL),
    "epsilon times 1.25": (epsilon_times(1.4), SIZE),
}
del ROUGHLY["clipped at 5"], ROUGHLY["clipped at 6"]
CELLS = {
    "shared by cells": (shared_noise, [judges.SHARED]),
    "opposite in cells": (opposite_noise, [judges.SHARED]),
    "in pairs": (of_cells(lambda noise: np.resize(noise[:2], noise.size)), [judges.SHARED]),
    "shared somewhere": (shared_somewhere(), [judges.SHARED]),
    "ordered": (of_cells(np.sort), [judges.SHARED, judges.TOTAL, "your answers lie around"]),
    "exact total": (of_cells(lambda noise: noise - noise.mean()), [judges.TOTAL]),
    "smaller in the first": (
        of_cells(lambda noise: noise * np.linspace(0.5, 1.5, noise.size)),
        ["is needed, in every cell", judges.DATA],
    ),
    "none in large cells": (noise_of_data(0, 10), [judges.SOME]),
    "smaller in nonempty cells": (noise_of_data(0.7, 0), [judges.DATA, *SIZE]),
    "negative counts are 0": (no_negative_counts(), [judges.NEVER]),
    "a random sign": (signed_geometric(), [judges.ZERO]),
    "larger in large cells": (noise_of_data(1.5, 1), [judges.DATA]),
    "larger in nonempty cells": (noise_of_data(1.3, 0), [judges.DATA]),
}
NORMAL = {
    "no noise": (no_noise, NO),
    "a fifth too small": (smaller(1.25), SIZE),
    "Laplace": (laplace(), ["isn't normal"]),
    "clipped at 2": (clip_noise(2), ["isn't normal", "is needed"]),
    "clipped at 3": (clip_noise(3), ["isn't normal", "is needed"]),
    "shared by cells": (shared_noise, [judges.SHARED]),
    "shared by rounds": (shared_rounds(), [judges.AGAIN, judges.ROUNDS, "the same rng gave"]),
    "own seed": (own_seed(), [judges.ALWAYS, judges.SAME]),
}


# A bound or price that is read off the data: ``wrap(read)`` says how a lab answers with it.

READ = {
    "the maximum": lambda v: v.max(initial=0),
    "20 medians": lambda v: 20 * np.median(v) if len(v) else 0,
    "8 quantiles of 90%": lambda v: 8 * np.quantile(v, 0.9) if len(v) else 0,
    "a quantile of 95%": lambda v: np.quantile(v, 0.95) if len(v) else 0,
    "the next power of 10": lambda v: 10 ** np.ceil(np.log10(max(v.max(initial=1), 1))),
    "mean and 6 deviations": lambda v: v.mean() + 6 * v.std() if len(v) else 0,
}


# Coins: ``chosen(n, q, rng)`` are the people of the batch.


def batch(chosen):
    """Return a mistake of a step: a batch chosen otherwise, given to the right answer as if it were everybody."""

    def mistake(answer, form):
        def wrong(*given):
            *args, rng = given
            n, q, others, factor = form.batch(args)
            return np.asarray(answer(*others(chosen(n, q, rng) if q < 1 else np.arange(n)), rng)) * factor

        return wrong

    return mistake


def nonempty(instead):
    def chosen(n, q, rng):
        taken = np.flatnonzero(rng.random(n) < q)
        while not len(taken):
            taken = rng.integers(n, size=1) if instead else np.flatnonzero(rng.random(n) < q)
        return taken

    return batch(chosen)


def pairs(n, q, rng):
    return np.flatnonzero(np.repeat(rng.random((n + 1) // 2) < q, 2)[:n])


COINS = {
    "always the same": (batch(lambda n, q, rng: np.arange(0, n, 3)), [judges.ALWAYS]),
    "redrawn while empty": (nonempty(False), [judges.EMPTY]),
    "one person if empty": (nonempty(True), [judges.EMPTY]),
    "Poisson size": (batch(lambda n, q, rng: rng.permutation(n)[: rng.poisson(q * n)]), ["your batches hold"]),
    "fixed size": (batch(lambda n, q, rng: rng.permutation(n)[: max(1, round(q * n))]), [judges.FIXED]),
    "with replacement": (batch(lambda n, q, rng: rng.integers(n, size=rng.binomial(n, q))), ["twice"]),
    "one coin for two": (batch(pairs), [judges.TOGETHER, "your batches hold"]),
    "chance times 1.25": (batch(lambda n, q, rng: np.flatnonzero(rng.random(n) < 1.25 * q)), ["people are taken with"]),
    "chance less a fifth": (
        batch(lambda n, q, rng: np.flatnonzero(rng.random(n) < 0.8 * q)),
        ["people are taken with"],
    ),
}


# A test that passes: told with other ε and δ than the release that follows, which is right.


def test_with(epsilon=1.0, delta=1.0):
    def mistake(answer, form):
        def wrong(values, lower, upper, bound, eps, dlt, rng):
            if answer(values, lower, upper, bound, epsilon * eps, min(delta * dlt, 0.49), rng) is None:
                return None
            return np.median(np.clip(values, lower, upper)) + rng.laplace(0, 2 * bound / eps)

        return wrong

    return mistake


CLOSER, AT_ZERO = ["a step closer to trouble"], ["at distance 0"]
TEST = {
    "test with 1.25 ε, δ^1.25": (lambda a, f: _sharper(a, 1.25), [*CLOSER]),
    "test with 2 ε": (test_with(epsilon=2.0), CLOSER),
    "test without noise": (test_with(epsilon=1e6), [*CLOSER, *AT_ZERO]),
    "twice the δ": (test_with(delta=2.0), AT_ZERO),
}


def _sharper(answer, factor):
    """The noise of the test is so much too small, and its threshold is the right one."""

    def wrong(values, lower, upper, bound, eps, dlt, rng):
        # ln(1 / 2δ') / (c ε) = ln(1 / 2δ) / ε for 2δ' = (2δ)^c
        if answer(values, lower, upper, bound, factor * eps, (2 * dlt) ** factor / 2, rng) is None:
            return None
        return np.median(np.clip(values, lower, upper)) + rng.laplace(0, 2 * bound / eps)

    return wrong
