"""The engine of labs' and assignments' judges, on outputs whose claims are known to hold or not."""

import itertools
from functools import partial

import numpy as np
import pytest
from labs import mistakes as m

from dp_labs import judges
from dp_labs.judging import NotYet


@pytest.mark.parametrize(("factor", "refuted"), [(1.0, False), (1.5, True)])
def test_three_people_move_a_count_by_three(factor, refuted):
    # ε = 1. A limit fails with probability 1e-8; at 1.5 the event's 55 expected hits would have to be twice as many.
    rng = np.random.default_rng(5)
    counts = [place + rng.laplace(scale=1 / factor, size=15_000) for place in (0, 3)]
    assert all((judges.two_way_excess(*both, judges.pure(3)) > 0) == refuted for both in (counts, counts[::-1]))

    def draw(world, runs):
        return world * 0.5 + rng.laplace(scale=1 / factor, size=(runs, 4))

    assert (judges.learned_excess(draw, judges.pure(2)) > 0) == refuted


def test_no_event_refutes_nothing():
    assert judges.event_excess(np.zeros(100, bool), np.zeros(100, bool), judges.pure(0)) < 0
    assert judges.two_way_excess(np.zeros(300), np.zeros(300), judges.pure(0)) < 0
    assert judges.learned_excess(lambda world, runs: np.zeros((runs, 2)), judges.pure(0)) < 0


def test_what_the_middle_tells_and_what_both_ends_tell_is_found():
    # Within 1.5 lie 87% of the one and 38% of the other, beyond 2.5 1% and 40%; no half line has so large a ratio.
    middle, ends = np.random.default_rng(10).normal(scale=[[1], [3]], size=(2, 8_000))
    assert judges.excess(middle, ends, judges.pure(0.5)) > 0
    assert judges.excess(ends, middle, judges.pure(2.5)) > 0
    assert judges.excess(middle, ends, judges.pure(0.9)) < 0


def test_nothing_instead_of_a_number_is_an_output_like_others():
    rows = iter([None, [1.0, 2.0], [np.nan, 3.0]])
    found = judges.outputs(lambda table, rng: next(rows), None, 3, None)
    np.testing.assert_array_equal(found, [[judges.NOTHING] * 2, [1, 2], [judges.NOTHING, 3]])
    silent = np.repeat([np.nan, 1.0], [250, 250])
    assert judges.two_way_excess(np.tile(silent, 8), np.ones(4_000), judges.pure(1)) > 0


@pytest.mark.parametrize("step", [0, 17, 38])
def test_the_steepest_step_of_few_and_of_many_people(step):
    assert judges.steepest(lambda j: np.full(40, j > step), 39) == step
    assert judges.steepest(lambda j: np.full((40, 2), j > 10 * step), 399) == 10 * step


@pytest.mark.parametrize(("law", "end"), [("laplace", 6), ("normal", 3)])
def test_noise_that_was_cut_is_told_from_noise_that_is_large(law, end):
    # Of 12,000 right draws 30 are expected beyond each end, so that none is there with probability 1e-13.
    rng, normal = np.random.default_rng(6), law == "normal"
    draws = getattr(rng, law)(size=12_000)
    assert not judges._ends(draws, normal)
    assert not judges._ends(1.4 * draws, normal)
    assert judges._ends(np.clip(draws, -end, end), normal)


COUNTS = np.resize([0, 1, 2, 12, 40], 20)
FORM = m.Form(lambda args, result, quiet: args[0], lambda args, result: 1 / args[1])


def noisy(law):
    """Return a release of counts; ``law(rng, shape)`` is its noise at ε = 1."""
    return lambda exact, epsilon, rng: exact + law(rng, np.shape(exact)) / epsilon


LAPLACE, NORMAL = noisy(lambda rng, shape: rng.laplace(size=shape)), noisy(lambda rng, shape: rng.normal(size=shape))


def geometric(exact, epsilon, rng):
    return exact + np.subtract(*np.floor(rng.exponential(1 / epsilon, (2, len(exact)))))


def never_0(exact, epsilon, rng):
    return exact + rng.choice([-1, 1], exact.shape) * np.ceil(rng.exponential(1 / epsilon, exact.shape))


def larger_where_one_is(exact, epsilon, rng):
    return exact + rng.laplace(size=exact.shape) * np.where(exact == 1, 1.6, 1) / epsilon


def judge(release, **size):
    """Judge a release of counts at two ε, and of an empty cell, which is at the edge."""
    draws = [(exact, epsilon) for exact in (COUNTS, np.zeros(1)) for epsilon in (0.5, 0.1)]
    cases = [
        judges.Case(partial(release, exact, epsilon), exact, 1 / epsilon, runs=500, edge=exact.size == 1)
        for exact, epsilon in draws
    ]
    judges.additive(cases, 7, judges.Size(**size))


def above_zero(*given):
    return np.maximum(LAPLACE(*given), 0)


def at_the_edge(release):
    """Return Laplace noise, and this release of a single empty cell."""
    return lambda exact, *more: (release if exact.size == 1 else LAPLACE)(exact, *more)


@pytest.mark.parametrize(
    ("release", "size"),
    [
        *((release, {}) for release in (LAPLACE, geometric, at_the_edge(above_zero))),
        *((lambda *given, cut=cut: cut(LAPLACE(*given)), {}) for cut in (np.round, np.trunc)),
        (noisy(lambda rng, shape: 1.5 * rng.laplace(size=shape)), {"at_most": 1.6}),
        (NORMAL, {"normal": True}),
        (noisy(lambda rng, shape: rng.normal(scale=1.3, size=shape)), {"normal": True, "at_most": 1.5}),
    ],
)
def test_right_noise(release, size):
    judge(release, **size)


def mistaken(release, cells, **size):
    return [(mistake(release, FORM), sentences, size) for mistake, sentences in cells.values()]


def times(factors):
    """Return Laplace noise of so many scales, in each of twenty cells."""
    return noisy(lambda rng, shape: rng.laplace(size=shape) * np.resize(factors, shape))


@pytest.mark.parametrize(
    ("release", "sentences", "size"),
    [
        *mistaken(LAPLACE, m.ADDITIVE | m.CELLS),
        *mistaken(NORMAL, m.NORMAL, normal=True),
        (times([0.6] + [1] * 19), ["is needed, in every cell"], {}),
        (
            noisy(lambda rng, shape: rng.normal(size=shape) * np.resize([0.7] + [1] * 19, shape)),
            ["is needed, in every cell"],
            {"normal": True},
        ),
        (noisy(lambda rng, shape: rng.laplace(size=shape).clip(-7.3, 7.3)), [judges.END.format(7.3)], {}),
        (noisy(lambda rng, shape: rng.exponential(size=shape) * rng.choice([-1, 1, 1], shape)), [judges.SIDE], {}),
        (larger_where_one_is, [judges.DATA], {}),
        (times(2), ["in size; 2 would be enough. Why?"], {"reasons": {2: "Why?"}}),
        (noisy(lambda rng, shape: rng.laplace(size=shape) * rng.choice([0.5, 1.6], shape)), [judges.TELLING], {}),
        (lambda exact, *more: LAPLACE(1.5 * exact, *more), ["your answers lie around", "and 40 is right"], {}),
        (never_0, [judges.ZERO], {}),
        (at_the_edge(lambda exact, *more: exact), [judges.EDGE], {}),
        (at_the_edge(lambda *given: abs(LAPLACE(*given))), [judges.REDRAWN], {}),
        (at_the_edge(times(0.3)), [judges.DATA], {}),
    ],
)
def test_mistakes_of_noise_are_told_their_sentences(release, sentences, size):
    with pytest.raises(NotYet) as told:
        judge(release, **size)
    assert any(sentence in str(told.value) for sentence in sentences)


def test_a_size_is_told_the_nearest_reason():
    size = judges.Size(" people", {0.52: "More.", 0.5: "Half.", 2: "Twice."})
    assert [size.reason(found) for found in (0.505, 0.54, 1.9, 1)] == [" Half.", " More.", " Twice.", ""]
    case = judges.Case(len, 0, 7.0, "here")
    assert size.said(case, 0.5, "is needed") == "here your noise is 3.5 people in size; 7 is needed. Half."


@pytest.mark.parametrize(("names", "alike"), [("aa", False), ("ab", True)])
def test_cases_of_one_name_have_noise_of_one_size(names, alike):
    cases = [
        judges.Case(lambda rng, scale=scale: 5 + rng.laplace(scale=scale), 5, 1.0, alike=name)
        for name, scale in zip(names, (1, 1.5), strict=True)
    ]
    if alike:
        judges.additive(cases, 12, judges.Size(at_most=2))
    else:
        with pytest.raises(NotYet, match=judges.DATA[:20]):
            judges.additive(cases, 12, judges.Size(at_most=2))


@pytest.mark.parametrize("sign", [-1, 1])
def test_neighbouring_cells_and_calls_are_added_and_subtracted(sign):
    def without_noise(noise):
        return [sentence for sentence, sums in judges._sums([noise]) if not sums.any()]

    noise = np.random.default_rng(11).laplace(size=(40, 6))
    noise[1::2] = sign * noise[::2]
    assert without_noise(noise) == without_noise(noise[1:-1]) == [judges.ROUNDS]
    assert without_noise(noise.T)[0] == judges.SHARED


def test_calls_that_come_from_few_seeds_are_told_from_rounded_ones():
    rng = np.random.default_rng(13)
    seeds, noise = rng.integers(0, 50, 400), rng.laplace(scale=9, size=(50, 10))
    for repeated in (noise[seeds, :1], np.round(noise)[seeds], np.float32(noise)[seeds]):
        with pytest.raises(NotYet, match="short list"):
            judges._unrepeated(repeated)
    for right in (rng.laplace(size=(400, 1)), np.round(noise[seeds, :1], 5), np.float32(noise)[seeds, :1]):
        judges._unrepeated(right)


@pytest.mark.parametrize("unit", [1, 10])
def test_one_rounded_number_of_few_seeds_is_told_from_one_of_fresh_noise(unit):
    rng = np.random.default_rng(12)
    fresh = 300 + rng.laplace(scale=60, size=3_000)
    seeded = rng.choice(300 + rng.laplace(scale=60, size=300 // unit), 3_000)
    assert judges._comes_in_few(unit * np.round(seeded / unit), 60)
    for right in (fresh, np.maximum(fresh, 250), np.clip(fresh, 290, 310)):
        assert not judges._comes_in_few(unit * np.round(right / unit), 60)
    assert not judges._comes_in_few(np.trunc((fresh - 300) / 10), 6)  # 0 comes up twice as often as 1


@pytest.mark.parametrize(("scale", "step"), [(1, 0.1), (3, 1), (1e4, 0.01)])
def test_steps_between_which_the_exact_answer_lies(scale, step):
    noise = np.random.default_rng(14).laplace(scale=scale, size=2_000)
    stepped = np.round(noise / step) * step
    with pytest.raises(NotYet, match="in steps"):
        judges.not_in_steps(7.2345 + stepped, 7.2345)
    for published, exact in [(7.2345 + noise, 7.2345), (7 + stepped, 7), (np.round(7.2345 + noise, 1), 7.2345)]:
        judges.not_in_steps(published, exact)


def test_what_is_exact_below_an_edge_is_told_from_what_is_noisy():
    rng = np.random.default_rng(15)
    judges.look(judges.Case(lambda rng: 5 + rng.laplace(), 5, 1.0, edge=True), 60, rng)
    with pytest.raises(NotYet, match="yours is exact"):
        judges.look(judges.Case(lambda rng: 5 + max(rng.laplace(), 0), 5, 1.0, edge=True), 60, rng)


def test_where_a_call_takes_long_there_are_fewer(monkeypatch):
    monkeypatch.setattr(judges, "process_time", itertools.count().__next__)  # a second for each five calls
    case = judges.Case(lambda rng: rng.laplace(), 0, 1.0, seconds=10)
    assert len(judges.look(case, 30, np.random.default_rng(1))) == 30
    assert len(judges.look(case, 100, np.random.default_rng(1))) == 45


def batch(people, n, q, rng):
    """Return how often each of n people is taken from a list of people."""
    return np.bincount(people[rng.random(len(people)) < q], minlength=n)


def test_batches_of_many_people_are_never_empty():
    judges.coins(np.random.default_rng(16).binomial(1, 0.4, (3_000, 40)), 0.4)


ALL_IN_ONE = m.Form(None, None, batch=lambda args: (args[1], args[2], lambda taken: (taken, args[1], 1.0), 1))


@pytest.mark.parametrize("name", ["a coin for each", *m.COINS])
def test_coins(name):
    mistake, sentences = m.COINS.get(name, (lambda answer, form: answer, []))
    take, rng = mistake(batch, ALL_IN_ONE), np.random.default_rng(8)
    taken = np.array([take(np.arange(12), 12, 0.2, rng) for _ in range(3_000)])
    try:
        judges.coins(taken, 0.2)
    except NotYet as told:
        assert any(sentence in str(told) for sentence in sentences)
        assert name != "Poisson size" or str(told).endswith("with coins it would be 2.4 and 1.4.")
    else:
        assert not sentences


@pytest.mark.parametrize("cut", [np.round, np.trunc])
def test_whole_numbers_are_spread_to_what_they_were(cut):
    rng = np.random.default_rng(9)
    noise = cut(rng.laplace(scale=3, size=(20_000, 1)))
    spread = (noise + judges._spread(noise, np.zeros(1), rng)).ravel()
    # On average the size of Laplace noise is 3 ± 0.02; nearer than 1/2 to 0 it is in 15%, ± 0.3%.
    assert np.abs(spread).mean() == pytest.approx(3, abs=0.12)
    assert np.mean(np.abs(spread) < 0.5) == pytest.approx(-np.expm1(-1 / 6), abs=0.015)
    assert len(np.unique(spread)) == 20_000


@pytest.mark.parametrize(("scale", "refuted"), [(1.0, False), (0.6, True)])
def test_a_threshold_is_judged_where_it_passes(scale, refuted):
    # Five steps away it passes every other time, and each step may change that by a factor of e.
    def passing(distance, rng):
        return float(distance + rng.laplace(scale=scale) > 5)

    def judge_it():
        judges.threshold(passing, lambda k: k, 1.0, "{:.1f} times", 3, share=0.4, runs=20_000)

    if refuted:
        with pytest.raises(NotYet, match=r"^[1-9]\.\d times$"):
            judge_it()
    else:
        judge_it()
    with pytest.raises(NotYet, match="too often"):
        judges.passes_at_most(passing, 5, 0.4, "too often", 4)
    judges.passes_at_most(passing, 5, 0.5, "too often", 4)
