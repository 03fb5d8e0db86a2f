"""The labs of chapter 10, The sparse vector technique."""

import itertools
import math

import numpy as np
import pandas as pd

from dp_helpers.judging import laplace_cdf

from .answers import NotYet, array, barred, function, number, pair, replaced
from .noise import Case, Size, above, additive, below, fresh, may_be, outputs, tell
from .tables import LinesLab, MendLab, NumberLab

LABS = (
    "what-does-one-way-cost",
    "fifth-version",
    "any-sensitivity",
    "positions-and-values",
    "bound-for-any-column",
)

what_does_one_way_cost = NumberLab(
    right=0.6,
    praise="0.4 for the threshold and 0.2 for the answer that passes: three quarters of ε, not half.",
    mistakes={
        0.4: "that pays for one of the two moves, or for half of ε. Which two noises have to move, and how far?",
        0.2: "that pays for the last answer. The threshold has to move, too.",
        0.8: "0.8 is safe, but the last answer's noise has to move by 1 only, not by 2.",
        1.2: "that is the price with both scales halved; here neither is.",
        0.75: "that is the share of ε = 0.8 that it costs.",
    },
    otherwise="the threshold moves by 1 at scale 2/0.8, one answer's noise by 1 at scale 4/0.8: add the two.",
)


def fifth_version(answer) -> str:
    """Check two neighbouring streams on which a search with both scales 2 costs more than it claims."""
    streams = pair(answer, "(here, there), of two lists of numbers")
    here, there = (array(stream, (np.size(streams[0]),), "two lists of the same length") for stream in streams)
    if not 0 < len(here) <= 10_000:
        raise NotYet("the two streams have a length from 1 to 10,000.")
    if np.abs(here - there).max() > 1 + 1e-9:
        raise NotYet("an answer has sensitivity 1: at no place may the two differ by more than 1.")
    chances = [_stops_at_end(stream) for stream in (here, there)]
    if min(chances) < 1e-9:
        raise NotYet("a stop at the last answer is all but impossible: bring the answers nearer to the threshold.")
    loss = math.log(chances[0] / chances[1])
    if loss > 1.2:
        return f"A stop at the end is e^{loss:.2f} times as likely: at most e^1.5 by step 4, and more than e^1."
    reasons = [
        (loss < -1.2, "hand them in the other way round."),
        (len(here) < 4, "with so few earlier answers the noisy threshold needn't be high."),
        ((there <= here)[:-1].all(), "the noisy threshold has to move up: let earlier answers rise on there."),
        (there[-1] >= here[-1], "if the last answer doesn't fall on there, its noise moves by 1 at most."),
    ]
    why = next((why for so, why in reasons if so), "all earlier answers should push the same way, near the threshold.")
    raise NotYet(f"the loss is {loss:.2f}, and it should be above 1.2: {why}")


def _stops_at_end(answers) -> float:
    """Return the probability that a search with both scales 2 stops at the last of the answers, for threshold 0."""
    t = np.linspace(-80, 80, 16_001)
    chance = np.exp(-np.abs(t) / 2) / 4
    for answer in answers[:-1]:
        chance = chance * laplace_cdf(t - answer, 2)
    return float(np.trapezoid(chance * laplace_cdf(answers[-1] - t, 2), t))


@barred("above_threshold", why="write the loop yourself: dp.above_threshold is what this lab builds.")
def any_sensitivity(answer) -> str:
    """Check AboveThreshold for any sensitivity, on streams of any length."""
    search, rng = function(answer), np.random.default_rng(3)

    def places(answers, sensitivity=1.0, epsilon=1.0, rng=rng, threshold=0.0):
        found = search(_moved(answers, threshold), threshold, sensitivity, epsilon, rng)
        if found is None:
            return []
        if isinstance(found, (bool, np.bool_)) or not isinstance(found, (int, np.integer)):
            raise NotYet(f"return a position, counted from 0, or None, not {found!r}.")
        return [int(found)]

    def finder(sensitivity, epsilon, threshold=0.0):
        def find(answers, rng):
            return places([sensitivity * answer for answer in answers], sensitivity, epsilon, rng, threshold)

        return find

    _judge_stops(places)
    fresh(lambda rng: search([-10.0] * 60, 0.0, 1.0, 1.0, rng))
    tell(_noise_rows(finder(1, 0.1), 0.1, rng))
    for sensitivity, epsilon, threshold in [(5, 1.0, 640.0), (0.01, 0.5, -32.0)]:
        where = f"at sensitivity {sensitivity} and ε = {epsilon:g}: "
        tell(_noise_rows(finder(sensitivity, epsilon, threshold), epsilon, rng, where))
    return "Both scales grow with the sensitivity, and the stream may be endless."


def _some_passes(distance, threshold, answers, count=1) -> float:
    """Return the chance that one of so many answers passes, all so far below, by Laplace noise of these two scales."""
    t = np.linspace(-200, 200, 40_001)
    density = np.exp(-np.abs(t) / threshold) / (2 * threshold)
    return 1 - float(np.trapezoid(density * laplace_cdf(t + distance, answers) ** count, t))


_SPLITS = [(2, 4), (1 + 2 ** (2 / 3), 2 + 2 ** (1 / 3))]  # scales at ε = 1: the definition's, and the best ones


def _noise_rows(find, epsilon, rng, where=""):
    """Find what is wrong with a search's noise, by how often answers of sensitivity 1 pass the threshold 0."""

    def passed(distance, count, runs):
        return outputs(lambda rng: bool(find([-distance / epsilon] * count, rng)), runs, rng) > 0

    none = min(1 - _some_passes(0, *scales, 10) for scales in _SPLITS)
    silent, once = ~passed(0, 10, 2_000), passed(0, 1, 3_000)
    yield (
        once.all() or not once.any(),
        f"{where}every run of your search ends at the same place: draw noise from rng, in each run.",
    )
    yield not may_be(once, 0.5), f"{where}an answer at the threshold should pass about every second time."
    alone = "you stop as if the threshold had no noise, or one for each answer: draw it once."
    yield below(silent, none), where + alone
    # With one noise for all of them every second run is silent, with the two scales exchanged every fifth.
    yield above(silent, 0.4), f"{where}equal answers all pass or all fail: each of them needs noise of its own."
    together = "equal answers pass or fail together too often: theirs is the larger scale, not the threshold's."
    yield above(silent, 0.12), where + together
    yield from _size_rows(find, epsilon, rng, where)
    rarely = below(passed(20, 1, 30_000), min(_some_passes(20, *scales) for scales in _SPLITS))
    yield rarely, f"{where}you don't stop as with Laplace noise: without a δ it has to be that, with its long tails."


def _size_rows(find, epsilon, rng, where="", distance=10, splits=_SPLITS):
    """Find too little noise, and several times too much, by how often one answer passes that is so far below."""
    passed = outputs(lambda rng: bool(find([-distance / epsilon], rng)), 8_000, rng) > 0
    right = [_some_passes(distance, *scales) for scales in splits]
    share = f"an answer {distance / epsilon:.3g} sensitivities too low passes in {passed.mean():.1%} of the runs"
    yield below(passed, min(right)), f"{where}there is too little noise: {share}, and it should in {min(right):.1%}."
    often = "scales are proportional to sensitivity."
    yield above(passed, 2.5 * max(right)), f"{where}your noise is several times what is needed: {often}"


def _judge_stops(places) -> None:
    """Check where a search stops when there is no doubt, and that it asks for no answer after that."""
    stream = iter([-1e9, -1e9, 1e9, *[-1e9] * 9])
    found, n_answers = places(stream), 12 - len([*stream])
    if found != [2]:
        raise NotYet(f"of -1e9, -1e9, 1e9 the answer at position 2 passes, and you return {[*found, None][0]}.")
    if n_answers != 3:
        raise NotYet(f"position 2 passes for sure, and you asked for {n_answers} answers. Ask for no more than 3.")
    if places([]) or any(places([-1e9] * 5) for _ in range(20)):
        raise NotYet("if no answer passes, return None.")
    for threshold in (1e12, -1e12):
        if places([-1e9, -1e9, 1e9, -1e9], 5.0, threshold=threshold) != [2]:
            raise NotYet(f"at a threshold of {threshold:g} you stop elsewhere than at the first answer above it.")


def _moved(answers, threshold):
    """Return answers to this threshold that lie about it as those given about 0; a stream stays one."""
    moved = (answer + threshold for answer in answers)
    return [*moved] if isinstance(answers, list) else moved


@barred(
    "numeric_sparse", why="dp.numeric_sparse is a finished program; mend this one, and see what each mistake costs."
)
def _check_positions_and_values(answer) -> str:
    """Check mended positions and values: stop, failure, fresh noise, and the price of a pass."""
    large, rng = function(answer), np.random.default_rng(4)

    def pairs_of(answers, limit, epsilon=1.0, rng=rng, threshold=0.0):
        found = large(_moved(answers, threshold), threshold, limit, epsilon, rng)
        try:
            if isinstance(found, pd.DataFrame):
                found = found.to_numpy().tolist()
            pairs = list(found.items() if hasattr(found, "items") else found)
            return [int(index) for index, _ in pairs], np.array([number(value) for _, value in pairs])
        except (TypeError, ValueError):
            raise NotYet(f"return a list of pairs (position, value), empty for none, not {found!r}.") from None

    def finder(limit, epsilon):
        return lambda answers, rng: pairs_of(answers, limit, epsilon, rng)[0]

    _judge_places(pairs_of)
    share = 1 - _share_of_values(pairs_of)  # of epsilon, that the search may spend
    tell(_noise_rows(finder(1, 0.5), share * 0.5, rng))
    # A threshold for all passes, or one for each; in units of the search's ε, at the limit of 3.
    splits = [(6, 12), (2, 12), (1 + 6 ** (2 / 3), 6 + 6 ** (1 / 3))]
    where = "each pass has its price: with a limit of 3 and ε = 2, "
    tell(_size_rows(finder(3, 2.0), share * 2.0, rng, where, distance=30, splits=splits))
    tell(_noise_rows(finder(1, 16.0), share * 16.0, rng, "at ε = 16, "))
    _judge_next_threshold(finder, rng)
    fresh(lambda rng: large([1e6] * 2, 0.0, 2, 1.0, rng))
    return "It stops in time, fails openly, draws fresh noise, and pays for every pass."


positions_and_values = MendLab(
    mended=_check_positions_and_values,
    lines=LinesLab(
        lines=12,
        hints={
            7: "one line publishes a noise that was used before.",
            8: "one line lets a position too many pass.",
            2: "the noise of the search pays for a single pass.",
            5: "the noise of the answers pays for a single pass.",
            11: "one line makes a failure look like a success.",
        },
        harmless={
            6: "line 6 compares two noisy numbers, as the search does.",
            9: "line 9 ends the search, as it should; when, is another line's matter.",
            **dict.fromkeys([1, 3, 4, 12], "lines 1, 3, 4 and 12 only keep the books."),
        },
        praise="those are the lines: two noises too small, one used twice, a stop too late, a guess. Now mend them.",
    ),
)


def _judge_places(pairs_of) -> None:
    if pairs_of([-1e9] * 4, 2)[0]:
        raise NotYet("no answer passes, and you return something that looks like a success. Return an empty list.")
    positions, _ = pairs_of([1e9, -1e9, 1e9, 1e9, 1e9], 3)
    if positions != [0, 2, 3]:
        raise NotYet(f"of 1e9, -1e9, 1e9, 1e9, 1e9 the first three that pass are at 0, 2, 3; you return {positions}.")
    for threshold in (1e12, -1e12):
        if pairs_of([1e9, -1e9, 1e9, 1e9, 1e9], 3, threshold=threshold)[0] != [0, 2, 3]:
            raise NotYet(
                f"at a threshold of {threshold:g} not those answers pass that are above it; look at each level."
            )


def _judge_next_threshold(finder, rng) -> None:
    """Refuse too little noise of the threshold after a pass: then one of ten equal answers all but always passes.

    One threshold for both passes has scale 2 where answers have 8, and two answers at it pass together more often; one
    drawn anew has scale 4.
    """
    both = outputs(lambda rng: len(finder(2, 1.0)([0.0, 0.0], rng)) == 2, 40_000, rng) > 0
    scale = 4 if below(both, 1 - _some_passes(0, 2, 8, 2)) else 2
    for epsilon in (0.2, 16.0):
        find = finder(2, epsilon)
        silent = outputs(lambda rng, find=find: len(find([1e9] + [0.0] * 10, rng)) == 1, 8_000, rng) > 0
        if below(silent, 1 - _some_passes(0, scale, 8, 10)):
            where = f"at ε = {epsilon:g} and a limit of 2, once an answer has passed"
            raise NotYet(f"{where}, the next is compared with a threshold of too little noise.")


def _share_of_values(pairs_of) -> float:
    """Return which share of epsilon the published values cost, after checking their noise."""
    sizes = []

    def case(limit, epsilon, runs):
        def draw(rng):
            values = pairs_of([1e6] * limit, limit, epsilon, rng)[1]
            sizes.append(np.abs(values - 1e6).mean() * epsilon / limit)
            return values

        return Case(draw, [1e6] * limit, 2 * limit / epsilon, f"in values at limit {limit} and ε = {epsilon:g}", runs)

    reasons = dict.fromkeys([0.1, 0.2, 1 / 3, 0.5, 2 / 3], "Half of ε is for the values, each with a noise of its own.")
    additive([case(3, 2.0, 1_400), case(10, 0.5, 300)], 101, Size(reasons=reasons, at_most=99))
    near = np.concatenate([pairs_of([0.0], 1, 2.0)[1] for _ in range(1_000)])
    if not may_be(near[near != 0] > 0, 0.5):
        raise NotYet("an answer at the threshold gets values that lean to one side: draw fresh noise for the value.")
    return 1 / max(float(np.mean(sizes)), 2.0)


def bound_for_any_column(answer) -> str:
    """Check a private search for a clipping bound: private, useful on small and large columns, None beyond."""
    find, rng = function(answer), np.random.default_rng(5)

    def bound(values, epsilon=1.0):
        found = find(np.array(values, dtype=float), epsilon, rng)
        return None if found is None else number(found)

    ages = [*np.linspace(0, 90, 60)]
    bound(ages)  # a reader's mistake in the code is told first
    try:
        bound([])
    except Exception as error:
        raise NotYet(f"{error!r} comes of a table without people, a neighbour of tables of one.") from None
    stops = {position: _searched(find, ages, rng, position) for position in (3, 0, None)}
    _searched(find, ages, rng, 3, epsilon=2.0)
    rich = [([1.0] * (400 - n_rich) + [1e6] * n_rich, 1e6) for n_rich in [*range(11), *range(20, 400, 10)]]
    tables = [(np.linspace(0, 90, 30_000), 17.0), (ages, 1e8), ([], 40.0), ([0.25, 0.5], 0.75), *rich]
    for (values, newcomer), (position, (right, settings, _)) in itertools.product(tables, stops.items()):
        both = [_searched(find, table, rng, position) for table in (values, [*values, newcomer])]
        for found, given, _ in both:
            if found != right:
                why = f"with a stop at the same position, your bound is {found} for one table and {right} for another"
                raise NotYet(f"{why}: it may not be read from the data, and a quantile is data, too.")
            if given != settings:
                raise NotYet("candidates, threshold, ε or sensitivity differ between two tables: fix them beforehand.")
        _judge_changes(settings, both[0][2], both[1][2], newcomer)
    _judge_use(bound)
    return "It finds bounds from 1 to a billion, admits failure, and sees the data through one private search."


def _searched(find, values, rng, position, epsilon=0.5) -> tuple[float | None, list, list]:
    """Return the bound where a search stops at this position, and what its searches were given.

    That is the number of candidates, threshold, epsilon, sensitivity and monotonic; and the answers by themselves.
    """
    settings, seen = [], []

    def stops(answers, *, threshold, epsilon, sensitivity=1.0, monotonic=False, rng=None, our_rng=rng):
        if rng is not our_rng:
            raise NotYet("hand rng on to dp.above_threshold: every search needs fresh noise.")
        seen.append(np.array([*itertools.islice(answers, 10_000)], dtype=float))
        settings.append((len(seen[-1]), threshold, epsilon, sensitivity, monotonic))
        return position if position is not None and position < len(seen[-1]) else None

    with replaced(find, "above_threshold", stops):
        found = find(np.array(values, dtype=float), epsilon, rng)
    found = None if found is None else number(found)
    if not settings:
        raise NotYet("your bound doesn't come from dp.above_threshold: let its search see the data, and nothing else.")
    spent = sum(cost for _, _, cost, *_ in settings)
    if spent > epsilon * (1 + 1e-9):
        raise NotYet(f"your search spends ε = {spent:g}, and it may spend {epsilon:g}.")
    return found, settings, seen


def _judge_changes(settings, before, after, newcomer) -> None:
    """Check that one person changes the answers by what the searches were told."""
    for (*_, sensitivity, monotonic), old, new in zip(settings, before, after, strict=True):
        changes = new - old
        most = np.abs(changes).max(initial=0)
        if most > sensitivity * (1 + 1e-9):
            raise NotYet(
                f"one person of {newcomer:,g} moves an answer by {most:,g}; the search is told {sensitivity:g}."
            )
        if monotonic and changes.min(initial=0) < 0 < changes.max(initial=0):
            raise NotYet("one person moves some answers up and others down: they are not monotonic.")


def _judge_use(bound) -> None:
    """Check four columns: where a right answer fails in a tenth of the runs, 23 failures of 60 are below 1e-7."""
    n, runs, most = 30_000, 60, 22
    for name, values in {
        "ages from 0 to 90": np.linspace(0, 90, n),
        "shares from 0 to 1": np.linspace(0, 1, n),
        "200 people with 99,999 and many zeros": np.where(np.arange(n) < 200, 99_999.0, 0.0),
        "incomes up to 800 million": np.linspace(0, 8e8, n),
    }.items():
        bounds = np.array([bound(values) for _ in range(runs)], dtype=float)  # None becomes NaN
        for failed, why in [
            (np.isnan(bounds), "you often return None."),
            ((values > bounds[:, None]).sum(axis=1) > 100, "your bound often leaves more than 100 people above it."),
            (bounds > 4 * max(1, values.max()), "your bound is often far too high: does an answer of 0 pass reliably?"),
        ]:
            if failed.sum() > most:
                raise NotYet(f"for {name} {why}")
    if sum(bound(np.full(n, 1e12)) is not None for _ in range(runs)) > most:
        raise NotYet("if everybody is above a billion, return None: no bound is right.")
