"""The labs' engine, on answers that are right, and on the mistakes that each of its probes is for."""

import itertools
from functools import partial

import numpy as np
import pytest

from dp_helpers import judging
from dp_labs import noise
from dp_labs.answers import NotYet

COUNTS = np.resize([0, 1, 2, 12, 40], 20)


def noisy(law):
    """Return a release of counts; ``law(rng, shape)`` is its noise at ε = 1."""
    return lambda exact, epsilon, rng: exact + law(rng, np.shape(exact)) / epsilon


def changed(change):
    """Return Laplace noise of which ``change`` makes other noise."""
    return noisy(lambda rng, shape: change(rng.laplace(size=shape)))


def normally(change):
    return noisy(lambda rng, shape: change(rng.normal(size=shape)))


LAPLACE, NORMAL = changed(lambda z: z), normally(lambda z: z)


def geometric(exact, epsilon, rng):
    return exact + np.subtract(*np.floor(rng.exponential(1 / epsilon, (2, len(exact)))))


def whole(cut):
    """Return counts to which whole numbers are added: noise that was ``cut`` before."""
    return lambda exact, epsilon, rng: exact + cut(rng.laplace(scale=1 / epsilon, size=exact.shape))


def now_and_then(exact, epsilon, rng):
    return LAPLACE(exact, epsilon, rng) if rng.random() > 0.2 else exact


def without_noise_in_0(exact, epsilon, rng):
    return exact + rng.laplace(size=exact.shape) / epsilon * (exact > 0)


def judge(release, **size):
    """Judge a release of counts at two ε."""
    cases = [noise.Case(partial(release, COUNTS, e), COUNTS, 1 / e, f"at ε = {e:g}", runs=400) for e in (0.5, 0.1)]
    noise.additive(cases, 7, noise.Size(**size))


@pytest.mark.parametrize(
    ("release", "size"),
    [
        *((release, {}) for release in (LAPLACE, geometric)),
        *((lambda *given, cut=cut: cut(LAPLACE(*given)), {}) for cut in (np.round, np.trunc, np.floor)),
        *((whole(cut), {}) for cut in (np.rint, np.floor, np.ceil)),
        (changed(lambda z: 1.5 * z), {"at_most": 1.6}),
        (NORMAL, {"normal": True}),
        (lambda *given: np.round(NORMAL(*given)), {"normal": True}),
        (normally(lambda z: 1.3 * z), {"normal": True, "at_most": 1.5}),
    ],
)
def test_right_noise_passes(release, size):
    judge(release, **size)


SOMETIMES = noisy(lambda rng, shape: 1.4 * rng.laplace(size=shape) * (rng.random(shape) > 0.3))


@pytest.mark.parametrize(
    ("release", "sentence", "size"),
    [
        (changed(lambda z: 0 * z), judging.EXACT, {}),
        (lambda exact, epsilon, rng: exact + 1.0, judging.SAME, {}),
        (without_noise_in_0, judging.SOME, {}),
        (lambda *given: np.maximum(LAPLACE(*given), 0), noise.NEVER, {}),
        (whole(np.trunc), noise.CUT, {}),
        (now_and_then, noise.SILENT, {}),
        (changed(np.abs), judging.SIDE, {}),
        (lambda exact, *more: LAPLACE(1.5 * exact, *more), "your answers lie around", {}),
        (lambda exact, epsilon, rng: LAPLACE(exact, epsilon, np.random.default_rng()), "the same rng gave", {}),
        (changed(lambda z: z / 1.25), "is needed, in every call", {}),
        (changed(lambda z: 2 * z), "would be enough. Why?", {"reasons": {2: "Why?"}}),
        (changed(lambda z: z * np.resize([0.4] + [1] * 19, 20)), "is needed, in every cell", {}),
        (changed(lambda z: np.full_like(z, z[0])), judging.SHARED, {}),
        (changed(lambda z: np.repeat(z[::2], 2) * np.resize([1, -1], 20)), judging.SHARED, {}),
        (changed(lambda z: z - z.mean()), judging.TOTAL, {}),
        (changed(lambda z: np.append(z[:-1], -z[:-1].sum())), judging.TOTAL, {}),
        (normally(lambda z: 1.3 * z), judging.THIN, {}),
        *((changed(lambda z, end=end: z.clip(-end, end)), judging.END[:21], {}) for end in (4, 5, 6)),
        (SOMETIMES, judging.TELLING, {}),
        (changed(lambda z: z / np.sqrt(2)), judging.NORMAL, {"normal": True}),
        (normally(lambda z: z.clip(-2, 2)), judging.NORMAL, {"normal": True}),
        (normally(lambda z: z / 1.25), "is needed, in every call", {"normal": True}),
    ],
)
def test_mistakes_of_noise_are_told_their_sentences(release, sentence, size):
    with pytest.raises(NotYet) as told:
        judge(release, **size)
    assert sentence in str(told.value)


def test_right_noise_is_rarely_refused():
    # Each probe refuses right noise once in a million; of 60 tries with other draws none is.
    for seed in range(60):
        rng = np.random.default_rng(seed)
        for law, normal in ((rng.laplace, False), (rng.normal, True)):
            draws = law(size=(150, 20))
            case = noise.Case(None, np.zeros(20), 1.0)
            noise.independent([(case, draws)], noise.Size(normal=normal), rng)


def test_a_size_is_told_the_nearest_reason():
    size = noise.Size(" people", {0.52: "More.", 0.5: "Half.", 2: "Twice."})
    assert [size.reason(found, 0.01) for found in (0.505, 0.54, 1.9, 1)] == [" Half.", " More.", " Twice.", ""]
    case = noise.Case(len, 0, 7.0, "here")
    assert size.sentence(case, 0.5, 0.01, "is needed") == "here your noise is 3.5 people in size; 7 is needed. Half."


def test_a_size_of_few_draws_may_be_farther_from_its_reason():
    size = noise.Size(reasons={4: "That part buys the bound."})
    assert [bool(size.reason(found, 0.17)) for found in (4.25, 3.7, 4.5, 1)] == [True, True, False, False]


@pytest.mark.parametrize("unit", [1, 10])
@pytest.mark.parametrize("cut", [np.round, np.trunc])
def test_whole_numbers_are_spread_to_what_they_were(cut, unit):
    rng = np.random.default_rng(9)
    found = unit * cut(rng.laplace(scale=3, size=(20_000, 1)))
    spread = noise._unrounded(found, np.zeros(1), rng).ravel() / unit
    # On average the size of Laplace noise is 3 ± 0.02; nearer than 1/2 to 0 it is in 15%, ± 0.3%.
    assert np.abs(spread).mean() == pytest.approx(3, abs=0.12)
    assert np.mean(np.abs(spread) < 0.5) == pytest.approx(-np.expm1(-1 / 6), abs=0.015)
    assert len(np.unique(spread)) == 20_000


def test_where_a_call_takes_long_there_are_fewer(monkeypatch):
    monkeypatch.setattr(noise, "process_time", itertools.count().__next__)  # a second for each twenty calls
    monkeypatch.setattr(noise, "PATIENCE", 4.5)
    assert len(noise.outputs(lambda rng: 1.0, 30, None)) == 30
    assert len(noise.outputs(lambda rng: 1.0, 100, None)) == 80


@pytest.mark.parametrize(("scale", "step"), [(1, 0.1), (3, 1), (1e4, 0.01)])
def test_steps_between_which_the_exact_answer_lies(scale, step):
    laplace = np.random.default_rng(14).laplace(scale=scale, size=2_000)
    stepped = np.round(laplace / step) * step
    assert judging.comes_in_steps(7.2345 + stepped, 7.2345)
    for published, exact in [(7.2345 + laplace, 7.2345), (7 + stepped, 7), (np.round(7.2345 + laplace, 1), 7.2345)]:
        assert not judging.comes_in_steps(published, exact)


def redrawn(rng):
    while (given := rng.laplace()) < 0:
        pass
    return given


def elsewhere(rng):
    return rng.laplace()


def test_what_is_lost_at_the_edge_is_told():
    for right in (elsewhere, lambda rng: max(rng.laplace(), 0.0), lambda rng: abs(rng.laplace())):
        noise.edge(right, elsewhere)
    cases = [(lambda rng: 0.0, noise.EDGE), (redrawn, noise.REDRAWN), (lambda rng: 0.2 * rng.laplace(), judging.DATA)]
    for wrong, sentence in cases:
        with pytest.raises(NotYet, match=sentence[-20:]):
            noise.edge(wrong, elsewhere)


def test_rounding_before_the_noise_is_told_from_rounding_after_it():
    exact = np.array([7.2345, 12.2])
    for digits in (0, 1):
        noise.not_rounded_before(lambda e, rng, d=digits: np.round(exact + rng.laplace(size=2) / e, d), exact)
        with pytest.raises(NotYet, match="in steps"):
            noise.not_rounded_before(lambda e, rng, d=digits: np.round(exact, d) + rng.laplace(size=2) / e, exact)
    noise.not_rounded_before(lambda e, rng: exact + rng.laplace(size=2) / e, exact)


@pytest.mark.parametrize(("factor", "refuted"), [(1.0, False), (1.5, True)])
def test_three_people_move_a_count_by_three(factor, refuted):
    pairs = [noise.Pair(*tables, 3.0, "{:.1f} times", 20_000) for tables in ((0, 3), (3, 0))]
    if refuted:
        with pytest.raises(NotYet, match=r"^\d\.\d times$"):
            noise.release(lambda place, rng: place + rng.laplace(scale=1 / factor), pairs, 5)
    else:
        noise.release(lambda place, rng: place + rng.laplace(scale=1 / factor), pairs, 5)


def by_pairs(n, q, rng):
    return np.flatnonzero(np.repeat(rng.random((n + 1) // 2) < q, 2)[:n])


def somebody_twice(n, q, rng):
    chosen = np.flatnonzero(rng.random(n) < q)
    return np.append(chosen, chosen[:1])


def never_empty(n, q, rng):
    while not len(taken := np.flatnonzero(rng.random(n) < q)):
        pass
    return taken


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (lambda n, q, rng: np.flatnonzero(rng.random(n) < q), ""),
        (lambda n, q, rng: rng.permutation(n)[: rng.binomial(n, q)], ""),
        (lambda n, q, rng: np.arange(0, n, 3), judging.ALWAYS),
        (never_empty, judging.EMPTY),
        (lambda n, q, rng: rng.permutation(n)[: rng.poisson(q * n)], "with coins it would be 2.4 and 1.4."),
        (lambda n, q, rng: rng.permutation(n)[:2], judging.FIXED),
        (lambda n, q, rng: rng.integers(n, size=rng.binomial(n, q)), judging.TWICE),
        (somebody_twice, judging.TWICE),
        (by_pairs, "your batches hold"),
        (lambda n, q, rng: np.flatnonzero(rng.random(n) < 1.25 * q), "people are taken with"),
        (lambda n, q, rng: np.flatnonzero(rng.random(n) < np.resize([0.5 * q, 1.5 * q], n)), judging.TOGETHER),
    ],
)
def test_each_mistake_in_a_batch_has_its_sentence(chosen, sentence):
    rng = np.random.default_rng(8)
    taken = np.array([np.bincount(chosen(12, 0.2, rng), minlength=12) for _ in range(6_000)])
    if not sentence:
        noise.batches(taken, 0.2)
        return
    with pytest.raises(NotYet) as told:
        noise.batches(taken, 0.2)
    assert sentence in str(told.value)


KINDS = np.arange(20) < 10
CHANCES = np.where(KINDS, 0.75, 0.25)


@pytest.mark.parametrize(
    ("survey", "sentence"),
    [
        (lambda rng: rng.random(20) < CHANCES, ""),
        (lambda rng: KINDS, noise.ALIKE),
        (lambda rng: np.repeat(rng.random(10), 2) < CHANCES, "hang together"),
        (lambda rng: rng.random(20) < np.append(CHANCES[:-1], 0.0), "one of the coins fixed"),
        (lambda rng: rng.permutation(20) < 20 * CHANCES, "unlike that of independent coins"),
        (lambda rng: np.random.default_rng().random(20) < CHANCES, "the same rng gave another"),
    ],
)
def test_each_mistake_in_reports_has_its_sentence(survey, sentence):
    if not sentence:
        noise.reports(survey, KINDS, "person")
        return
    with pytest.raises(NotYet, match=sentence):
        noise.reports(survey, KINDS, "person")


def test_an_event_may_have_its_chance_and_no_chance_far_from_it():
    event = np.arange(10_000) < 3_000
    assert noise.may_be(event, 0.3) and noise.may_be(event, 0.31)
    assert noise.below(event, 0.33) and not noise.below(event, 0.31)
    assert noise.above(event, 0.27) and not noise.above(event, 0.29)
