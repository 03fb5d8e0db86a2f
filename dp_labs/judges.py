"""Judges by kind of answer, on one engine that refutes claims by events which other runs have found.

A claim says how often an event may happen in one world if its chance in the other is q: e^ε q for pure ε-DP,
Φ(Φ⁻¹(q) + μ) for normal noise.  A quarter of the runs finds the event, a set of pieces of the line; the others measure
it with Clopper and Pearson's exact limits.  A right answer is refused with probability 2e-8 for each sample at most.

Kinds of answers: noise that is `additive`, a `release` of any making on pairs of neighbours, a test that passes or not
(`threshold`, `passes_at_most`), and `coins` that choose a batch.  Only the engine refuses noise; sizes, medians and
codes' lengths find the words.  All of them raise `judging.NotYet`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise
from time import process_time

import numpy as np
from scipy import special

from dp_helpers.audit import lower_limit, upper_limit

from .judging import NotYet, follows, fresh

ALARM = 1e-8  # the chance that one limit is wrong
NOTHING = -1e300  # stands for None and nan
_TAIL = 0.5 ** np.arange(4, 12.5, 0.5)
_CUTS = np.concatenate([[0.0], _TAIL[::-1], np.linspace(0.075, 0.925, 35), 1 - _TAIL, [1.0]])

EXACT = "your answer is exact; no ε covers that."
EDGE = "where the exact answer lies at the edge, yours is exact; no ε covers that."
AGAIN = "some calls give the very same noise as others: it was kept, or comes from a short list, of seeds perhaps."
SAME = "every call gives the same noise; each one needs fresh noise from rng."
SOME = "some cells get no noise: every cell needs it, the empty ones too."
SHARED = "every number needs noise of its own: the same draw in two of them cancels in a difference."
ROUNDS = "one call's noise tells the next one's: draw it afresh."
TOTAL = "some sums of your numbers are exact, or nearly: that is a second look at the data."
DATA = "your noise depends on the data: its size betrays what the table holds."
REDRAWN = "where the exact answer lies at the edge, yours lie to one side of it: noise that is redrawn tells the edge."
NEVER = "none of your counts is ever negative; leave those as they come, as the task says."
AROUND = "{} your answers lie around {:,.6g}, and {:,.6g} is right: what do you add the noise to?"
ZERO = "your noise is 0 much more often, or less often, than 1: by a random sign, or int(), 0 gets twice its chance."
STEPS = "your noise comes in steps, and the exact answer lies between them, so that its rest shows: round at the end."
SIDE = "your noise doesn't go to both sides alike, so some answers belong to one of two neighbouring tables alone."
THIN = "your noise has thin tails, like normal noise; far out, no factor e^ε connects the two worlds."
END = "your noise has an end, {:.1f} times the scale away: an answer beyond it gives one of two neighbours away."
TELLING = "the noise is large enough on average, but some answers are more telling than ε allows: look at its shape."
NORMAL = "the noise isn't normal: the promise counts on Gaussian noise, the same in every call."

TWICE = "somebody is in a batch twice, and then counts twice: draw without replacement, by coins."
ALWAYS = "every call takes the same people: draw them from rng, anew in each."
FIXED = "you always take the same number of people; a coin for each person makes it vary."
EMPTY = "with coins a batch is empty now and then, and yours never is: the accountant counts on it."
CHANCE = "people are taken with probability {:.2f} where q is {:g}."
COUNTS = "your batches hold {:.1f} people on average, with a standard deviation of {:.1f}; with coins it would be {}."
TOGETHER = "each person needs a coin of their own: some are taken together, or instead of each other, too often."


# Claims.


def pure(epsilon: float) -> Callable:
    """Return the claim of pure ε-DP."""
    return lambda q: np.exp(epsilon) * q


def gaussian(mu: float) -> Callable:
    """Return the claim of normal noise that is moved by ``mu`` standard deviations."""
    return lambda q: special.ndtr(special.ndtri(np.clip(q, 0, 1)) + mu)


# The engine.


def excess(often: np.ndarray, rarely: np.ndarray, claim: Callable) -> float:
    """Return by what factor, as a logarithm, an event happens more often than the claim allows; above 0 refutes it.

    ``often`` and ``rarely`` are independent draws from the two worlds.
    """
    often, rarely = np.round(often, 9), np.round(rarely, 9)  # whole numbers in units of the scale stay alike
    one, other = len(often) // 4, len(rarely) // 4
    edges, chosen, _ = _event(often[:one], rarely[:other], claim)
    return _measured(edges, chosen, often[one:], rarely[other:], claim)


def event_excess(often: np.ndarray, rarely: np.ndarray, claim: Callable) -> float:
    """Return the `excess` of an event chosen before, given in which runs of the two worlds it happened."""
    p = lower_limit(int(np.sum(often)), len(often), ALARM)
    q = upper_limit(int(np.sum(rarely)), len(rarely), ALARM)
    return float(np.log(max(p, 1e-300) / claim(q)))


def _measured(edges, chosen, often, rarely, claim) -> float:
    a, b = (chosen[np.searchsorted(edges, part, side="right")] for part in (often, rarely))
    return event_excess(a, b, claim)


def _event(often, rarely, claim):
    """Return edges, which pieces between them make the best event, and its excess in three times the runs.

    Half of the runs put the pieces in order, by how much likelier they are in the one world; the other half tells how
    many of the first, of those at the left end, or of those at the right end, make the event.
    """
    parts = often[::2], rarely[::2], often[1::2], rarely[1::2]
    edges = np.unique(np.concatenate([often, rarely]))
    if len(edges) > 60:
        edges = np.unique(np.concatenate([np.quantile(part, _CUTS) for part in (often, rarely)]))
    one, other, p, q = (np.bincount(np.searchsorted(edges, v, side="right"), minlength=len(edges) + 1) for v in parts)
    pieces = np.arange(len(edges) + 1)
    orders = np.array([np.argsort(-(one + 0.5) / (other + 0.5), kind="stable"), pieces, pieces[::-1]])
    p, q = (6 * np.cumsum(count[orders], axis=1) for count in (p, q))
    low = special.betaincinv(np.maximum(p, 1e-9), 6 * len(parts[2]) - p + 1, ALARM)
    high = 1 - special.betaincinv(np.maximum(6 * len(parts[3]) - q, 1e-9), q + 1, ALARM)
    scores = np.log(np.maximum(low, 1e-300) / claim(high))
    order, size = np.unravel_index(np.argmax(scores), scores.shape)
    return edges, np.isin(pieces, orders[order, : size + 1]), float(scores[order, size])


def may_be(event: np.ndarray, chance: float) -> bool:
    """Tell whether an event of this chance may have happened in so many of independent runs (else 2e-8)."""
    hits, runs = int(np.sum(event)), np.size(event)
    return lower_limit(hits, runs, ALARM) <= chance <= upper_limit(hits, runs, ALARM)


def outputs(draw: Callable, table, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return what ``draw(table, rng)`` gives in so many calls, one a row: a number, None, or several numbers."""
    rows = [draw(table, rng) for _ in range(runs)]
    width = max(np.size(row) for row in rows)
    numbers = np.array([[NOTHING] * width if row is None else np.ravel(row) for row in rows], dtype=float)
    return np.nan_to_num(numbers, nan=NOTHING)


# Kind 1: an exact answer plus noise.


@dataclass(frozen=True)
class Case:
    """One table for `additive`: ``draw(rng)`` releases once, around ``exact``, with noise of this ``scale``.

    ``where`` begins the sentence about a wrong size.  An ``edge`` is a table whose exact answer lies at the edge of
    what is possible, or next to it.  Cases of equal ``alike`` are tables whose noise has to be the same; ``around`` is
    said if the answers lie elsewhere.  What a lab has ``drawn`` already is not drawn again.  Where a call takes long,
    there are only as many as end in so many ``seconds``.
    """

    draw: Callable
    exact: np.ndarray | float
    scale: float
    where: str = ""
    runs: int = 5_000
    edge: bool = False
    alike: str = ""
    around: str = ""
    drawn: Sequence = ()
    seconds: float = np.inf


@dataclass(frozen=True)
class Size:
    """The words about a size: its unit, what is said of wrong ones, and how it is measured.

    ``reasons`` maps a wrong size, as a share of the right one, to what it comes from.  Noise ``at_most`` times as large
    as needed is accepted.
    """

    unit: str = ""
    reasons: Mapping[float, str] = field(default_factory=dict)
    at_most: float = 1.1
    normal: bool = False

    def of(self, noise: np.ndarray) -> float:
        """Return the mean size, of normal noise the standard deviation."""
        return float(np.sqrt(np.mean(noise**2)) if self.normal else np.abs(noise).mean())

    def said(self, case: Case, size: float, needed: str) -> str:
        """Return the sentence about noise of this size, in scales."""
        found, right = (f"{float(f'{length:.3g}'):,g}" for length in (size * case.scale, case.scale))
        return f"{case.where} your noise is {found}{self.unit} in size; {right} {needed}.{self.reason(size)}"

    def reason(self, size: float) -> str:
        """Return what noise of this size, in scales, comes from."""
        nearest = min(self.reasons, key=lambda wrong: abs(size / wrong - 1), default=np.inf)
        return f" {self.reasons[nearest]}" if abs(size / nearest - 1) < 0.08 else ""


def additive(cases: Sequence[Case], seed: int, size: Size = Size()) -> None:
    """Judge exact answers plus independent noise of one law, of the given scale at least.

    The scale is that of Laplace noise, or the standard deviation of normal noise (``Size(normal=True)``).  All noise is
    put in units of it, so that cells, tables and ε are judged together: each number moved by 1 to 4 scales, sums and
    differences of two cells, totals, and neighbouring rounds.
    """
    rng = np.random.default_rng(seed)
    units = [(case, look(case, case.runs, rng)) for case in cases if not case.edge]
    for v, w in _alike(units):
        if max(excess(np.abs(v), np.abs(w), pure(0)), excess(np.abs(w), np.abs(v), pure(0))) > 0:
            raise NotYet(DATA)
    for case, noise in units:
        found = size.of(noise)
        if found > size.at_most + 6 / np.sqrt(noise.size):
            raise NotYet(size.said(case, found, "would be enough"))
    claims = {x: gaussian(x) for x in (0.5, 2.0)} if size.normal else {x: pure(x) for x in (1.0, 2.0, 4.0)}
    for some in [*([part] for part in units if len(units) > 1), units]:
        cells = np.concatenate([noise.ravel() for _, noise in some])
        # Of 1,500 right draws `_bell` is -0.07, give or take 0.013: above 0.01 with probability below 1e-9.
        bell = not size.normal and size.at_most <= 1.1 and cells.size >= 1_500 and _bell(cells) > 0.01
        if any(_moved(cells, x, claim) > 0 for x, claim in claims.items()) or _ends(cells, size.normal) or bell:
            raise NotYet(_why(units, size))
    cheap = [case for case, _ in units if cells.size >= 10_000 and not len(case.drawn)]
    if cheap and not size.normal and np.abs(cells).max() < 7.6:  # of right answers one in a hundred or fewer
        units.append((cheap[0], look(cheap[0], 36_000 // np.size(cheap[0].exact), rng)))
        if _ends(np.concatenate([noise.ravel() for _, noise in units]), normal=False):
            raise NotYet(_why(units, size))
    if size.normal and not all(follows(noise.ravel() / size.of(noise), special.ndtr) for _, noise in units):
        raise NotYet(NORMAL)
    if size.normal and size.of(cells) < 1 - 4.5 / np.sqrt(cells.size):  # of the right size so small in 1e-10
        raise NotYet(_why(units, size))
    for sentence, part in _sums([noise for _, noise in units]):
        if any(_moved(part, x, claim) > 0 for x, claim in claims.items()):
            raise NotYet(sentence)
    for case, noise in units:
        least = min(size.of(cell) for cell in noise.T)
        power = 1 + size.normal  # the squares of normal noise are summed, the sizes of Laplace noise
        if least**power < special.gammaincinv(len(noise) / power, ALARM / 100) / len(noise) * power:
            raise NotYet(size.said(case, least, "is needed, in every cell"))
    for case in cases:
        if case.edge:
            _centred(look(case, min(case.runs, 400), rng))


def look(case: Case, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return what so many calls add to the exact answers, in scales; refuse what is seen at once."""
    fresh(case.draw)
    calls, started = [*case.drawn], process_time()
    while len(case.drawn) == 0 and len(calls) < runs and process_time() - started < case.seconds:
        # Five at once: to ask for the time may take as long as a quick answer.
        calls += [np.ravel(case.draw(rng)) for _ in range(min(5, runs - len(calls)))]
    published, exact = np.array(calls, dtype=float).reshape(len(calls), -1), np.ravel(case.exact)
    noise = (published - exact) / case.scale
    not_in_steps(published, exact)
    # What was drawn already may come in several units, and at an edge much may be cut off.
    _fresh_noise(noise, EDGE if case.edge else EXACT, None if case.edge or len(case.drawn) else published)
    if case.edge:
        if exact.all() and np.mean(noise == 0) > 0.2:  # where it would be below the edge, perhaps
            raise NotYet(EDGE)
        return noise
    if (noise.min() >= -1e-9 or noise.max() <= 1e-9) and np.abs(np.median(noise)) < 2:
        raise NotYet(SIDE)
    if exact.size > 1 and (exact == 0).any() and published.min() >= 0:
        raise NotYet(NEVER)
    middle = np.median(noise, axis=0)
    far = np.abs(middle).argmax()
    if abs(middle[far]) > max(0.5, 6 * np.abs(noise[:, far]).mean() / np.sqrt(len(noise))):
        raise NotYet(case.around or AROUND.format(case.where, np.median(published[:, far]), exact[far]))
    if (published == np.round(published)).all():
        if exact.size == 1 and _comes_in_few(published, case.scale):
            raise NotYet(AGAIN)
        if (some := (exact > 1) & (exact == np.round(exact))).any():
            _one_sign_for_zero((published - exact)[:, some].ravel(), case.scale)
        noise = noise + _spread(published, exact, rng) / case.scale
    return noise


def _comes_in_few(published, scale) -> bool:
    """Tell whether whole numbers come more often than those before them allow, as those of a few seeds do."""
    values, times = np.unique(published[::3], return_counts=True)
    gaps = np.diff(values)
    unit = min(gaps, default=scale)
    rises = times[1:] > times[:-1] * (gaps < 1.5 * unit)
    often = values[2:-1][rises[1:-1] & (values[2:-1] > unit)]  # what was cut off, at 0 or elsewhere, may come often
    here, there = (np.isin(published[k::3] + moved, often) for k, moved in ((1, 0), (2, unit)))
    return event_excess(here, there, pure(unit / scale)) > 0


def _one_sign_for_zero(steps, scale) -> None:
    """Refuse whole numbers of which 0 has a chance that its neighbours on both sides don't allow."""
    next_to_it = np.abs(steps[steps != 0]).min()
    if not {next_to_it, -next_to_it} <= {*steps}:
        return  # rounded to tens, say, and the exact answers lie between
    zero, one, allowed = steps == 0, np.abs(steps) == next_to_it, np.exp(next_to_it / min(scale, np.abs(steps).mean()))
    if max(event_excess(zero, one, lambda q: allowed * q / 2), event_excess(one, zero, lambda q: 2 * allowed * q)) > 0:
        raise NotYet(ZERO)


def _spread(published, exact, rng) -> np.ndarray:
    """Return what spreads whole numbers evenly, so that they may be moved by any part of the scale."""
    empty = np.abs(published[:, exact == 0])
    if (empty == 0).sum() <= (empty == 1).sum():
        return rng.uniform(-0.5, 0.5, published.shape)
    sides = np.where(published == 0, rng.choice([-1, 1], published.shape), np.sign(published))
    return sides * rng.random(published.shape)  # they were cut off towards 0, as int() does


def _fresh_noise(noise, exact, published) -> None:
    """Refuse what is seen at once: none, the same in all calls, in some of them, in some cells, in two, in no total."""
    spread, tiny = np.ptp(noise, axis=0), 1e-6
    if np.abs(noise).max() < 1e-3:
        raise NotYet(exact)
    if (spread < tiny).any():
        raise NotYet(SAME if (spread < tiny).all() else SOME)
    related = np.atleast_2d(np.corrcoef(noise.T))
    if np.abs(related - np.eye(len(related))).max() > 0.95:
        raise NotYet(SHARED)
    if published is not None:
        _unrepeated(published)
    if np.linalg.eigvalsh(related)[0] < 0.05:  # some sum or difference hardly varies
        raise NotYet(TOTAL)
    # The same draw in two cells, wherever: more often than in rows that are made up of different calls.
    half = len(noise) // 2
    mixed = np.array([np.roll(cell, k) for k, cell in enumerate(noise[half:].T)]).T
    if event_excess(_tied(noise[:half]), _tied(mixed), pure(0)) > 0:
        raise NotYet(SHARED)


def not_in_steps(published, exact) -> None:
    """Refuse noise in steps to answers that lie between: what is left on division by a step is the exact answer's."""
    steps = np.unique(np.round(published - exact, 6))
    apart = np.round(np.diff(steps).min(initial=np.inf), 6)
    if 1e-5 < apart < np.inf and _whole(steps / apart) and not _whole(published / apart):
        raise NotYet(STEPS)


def not_rounded_before(draw: Callable, exact) -> None:
    """Refuse ``draw(epsilon, rng)`` if it rounds the exact answer first: noise hides no step from one grid to the next.

    At an enormous ε there is next to no noise, and an answer is the exact one, unless all answers lie on its grid.
    """
    rng = np.random.default_rng(9)
    bare = np.ravel(draw(1e9, rng)).astype(float)
    if np.allclose(bare, np.ravel(exact), rtol=1e-9, atol=1e-4):
        return
    usual = np.array([np.ravel(draw(1.0, rng)) for _ in range(20)], dtype=float)
    steps = [step for step in np.outer(10.0 ** np.arange(4, -5, -1), [5, 2.5, 2, 1]).ravel() if _whole(bare / step)]
    if steps and not any(_whole(usual / step) for step in steps):
        raise NotYet(STEPS)


def _whole(numbers) -> bool:
    return np.allclose(numbers, np.rint(numbers), 0, 1e-3)


def _unrepeated(published) -> None:
    """Refuse calls that give the very same as others, unless they were rounded: many cells are never all alike."""
    times = np.unique(published, axis=0, return_counts=True)[1]
    rounded = (np.abs(published - np.round(published, 6)) < 1e-9).all() or (published == np.float32(published)).all()
    if (published.shape[1] >= 10 or not rounded) and (times > 1).sum() > 2 + 0.005 * len(published):
        raise NotYet(AGAIN)


def _tied(rows: np.ndarray) -> np.ndarray:
    """Tell in which rows two numbers are the same, and not 0."""
    rows = np.sort(rows, axis=1)
    return np.logical_or.reduce((np.diff(rows) < 1e-9) & (np.abs(rows[:, 1:]) > 1e-9), axis=1)


def _centred(noise) -> None:
    """Refuse noise around an edge that lies to one side in more than half of the runs, or is smaller than elsewhere."""
    if upper_limit(int((np.abs(noise) > 1).sum()), noise.size, ALARM) < np.exp(-1) / 2:  # half may be cut off
        raise NotYet(DATA)
    # Where answers are cut off, at 1 perhaps, those at the limit count for what they were before.
    for share in (noise <= max(noise.min(), 0) + 1e-9, noise >= min(noise.max(), 0) - 1e-9):
        if upper_limit(int(share.sum()), share.size, ALARM) < 0.5:
            raise NotYet(REDRAWN)


def _moved(v, x, claim) -> float:
    """Return the excess of noise moved by x over the noise: to each side, and far out on both sides at once."""
    both = excess(np.abs(v) + x, np.abs(v), lambda q: 2 * claim(q / 2))
    return max(excess(v + x, v, claim), excess(v, v + x, claim), both)


def _ends(cells, normal) -> bool:
    """Tell whether large noise comes up too rarely, by all of the runs: this event needn't be found.

    Normal noise is beyond 3 deviations in 0.27% of the draws.  Other noise beyond 1 is beyond any end if it is moved by
    the rest of the way.
    """
    far = np.abs(cells) - 1e-9  # what was cut at a limit is not beyond it
    if normal:
        return upper_limit(int((far > 3).sum()), far.size, ALARM) < 2 * special.ndtr(-3)
    return any(event_excess(far > 1, far > end, pure(end - 1)) > 0 for end in (5, 6, 7, 7.5))


def _alike(units):
    """Return pairs of noises that have to be of one law: of cells of 0, of 1 and of more, and of cases alike."""
    whole = [(np.minimum(np.ravel(case.exact), 2), noise) for case, noise in units if np.size(case.exact) > 1]
    cells = [[noise[:, exact == few].ravel() for exact, noise in whole if (exact == few).any()] for few in (0, 1, 2)]
    alike = [(noise.ravel(), case.alike) for case, noise in units if case.alike]
    cases = [(a, b) for (a, x), (b, y) in combinations(alike, 2) if x == y]
    return [*combinations([np.concatenate(some) for some in cells if some], 2), *cases]


def _sums(noises):
    """Yield sums and differences of cells, the totals, and differences of rounds: one cell moves them as itself."""
    tables = [noise for noise in noises if noise.shape[1] > 1]
    for sign in (-1, 1):
        if tables:
            pairs = [noise[:, : noise.shape[1] // 2 * 2 : 2] + sign * noise[:, 1::2] for noise in tables]
            yield SHARED, np.concatenate([pair.ravel() for pair in pairs])
        for first in (0, 1):
            both = [(noise[first : len(noise) - 1 : 2], noise[first + 1 :: 2]) for noise in noises]
            yield ROUNDS, np.concatenate([(a + sign * b).ravel() for a, b in both])
    if tables:
        yield TOTAL, np.concatenate([noise.sum(axis=1) for noise in tables])


def _why(units, size) -> str:
    """Say what is wrong with noise that is refuted; this only finds the words."""
    cells = np.concatenate([noise.ravel() for _, noise in units])
    mean, sizes = np.abs(cells).mean(), np.abs(cells)
    if abs(np.mean(cells > 1e-9) - np.mean(cells < -1e-9)) > 6 / np.sqrt(len(cells)):
        return SIDE
    small = [(case, found) for case, noise in units if (found := size.of(noise)) < 0.93]
    too_small = size.said(*small[0], "is needed, in every call") if small else ""
    if small and size.reason(small[0][1]):
        return too_small
    if not size.normal:
        if _bell(cells) > 0 and np.mean(sizes > 0.98 * sizes.max()) < 0.005:
            return THIN
        if sizes.max() / mean < np.log(len(cells)) - 3:  # of Laplace noise hardly ever (2e-9)
            return END.format(sizes.max())
    return too_small or (NORMAL if size.normal else TELLING)


def _bell(cells) -> float:
    """Return by how much a code for normal noise is shorter than one for Laplace noise, of which it is 0.07 longer."""
    return float(np.log(2 * np.e * np.abs(cells).mean()) - np.log(2 * np.pi * np.e * cells.var()) / 2)


# Kind 2: any release, on pairs of neighbours.


@dataclass(frozen=True)
class Pair:
    """Two tables and what their distance allows; ``sentence`` is said if more is proven, with the factor as {}."""

    here: object
    there: object
    claim: Callable
    sentence: str
    runs: int = 4_000


def release(draw: Callable, pairs: Sequence[Pair], seed: int) -> None:
    """Judge the outputs of ``draw(table, rng)``, a number or None, on pairs of tables, both ways.

    Where the runs that find an event don't look as if the others would prove an excess, these are saved.
    """
    rng = np.random.default_rng(seed)
    for pair in pairs:
        fresh(partial(draw, pair.here), 40)
        tables, runs = (pair.here, pair.there), pair.runs // 4
        finding = [outputs(draw, table, runs, rng).ravel() for table in tables]
        edges, chosen, hoped, often = _worse_event(finding, pair.claim)
        if hoped > -0.1:
            sides = [outputs(draw, table, pair.runs - runs, rng).ravel() for table in tables]
            proven = _measured(edges, chosen, sides[often], sides[1 - often], pair.claim)
            if proven > 0:
                raise NotYet(pair.sentence.format(np.exp(proven)))


def two_way_excess(here: np.ndarray, there: np.ndarray, claim: Callable) -> float:
    """Return the `excess` in that of the two directions which looks worse in a quarter of the runs, by the others.

    ``here`` and ``there`` have a number for each run; nan stands for None.
    """
    sides = [np.nan_to_num(np.ravel(side).astype(float), nan=NOTHING) for side in (here, there)]
    cut = len(sides[0]) // 4
    edges, chosen, _, often = _worse_event([side[:cut] for side in sides], claim)
    return _measured(edges, chosen, sides[often][cut:], sides[1 - often][cut:], claim)


def _worse_event(sides, claim):
    """Return what `_event` does in the direction that looks worse, and which of the sides has it too often."""
    return max(((*_event(sides[k], sides[1 - k], claim), k) for k in (0, 1)), key=lambda event: event[2])


def learned_excess(draw: Callable, claim: Callable) -> float:
    """Return the `excess` of outputs with many numbers, each of which tells a little.

    ``draw(world, runs)`` returns a row of numbers for each run in world 0 or 1. 3,000 runs in each teach how to add up
    what the numbers tell, and which sums make the event. Others measure it, 72,000 if need be, but no more once it
    doesn't look as if these would prove an excess: a right answer may take long for each.
    """
    learning = [draw(world, 3_000) for world in (0, 1)]
    score = _learn_score(*learning)
    sides = [score(part) for part in learning]
    edges, chosen, _, often = _worse_event(sides, claim)
    hits = [np.zeros(0, bool), np.zeros(0, bool)]
    for runs in (2_000, 6_000, *[8_000] * 8):
        for world in (0, 1):
            happened = chosen[np.searchsorted(edges, score(draw(world, runs)), side="right")]
            hits[world] = np.append(hits[world], happened)
        found = event_excess(hits[often], hits[1 - often], claim)
        all_alike = [np.tile(part, 72_000 // len(part)) for part in hits]  # what is proven if it goes on like this
        if found > 0 or event_excess(all_alike[often], all_alike[1 - often], claim) <= 0:
            break
    return found


def _learn_score(here, there):
    """Return a function that says of rows how much more they look like the second world's than like the first's.

    What the columns say that tell the worlds apart adds up, as if they were independent.
    """
    spread = np.sqrt((here.var(axis=0) + there.var(axis=0)) / len(here))
    told = []
    for column in np.flatnonzero(np.abs(there.mean(axis=0) - here.mean(axis=0)) > 6 * spread):
        edges = np.unique(np.quantile(np.append(here[:, column], there[:, column]), np.linspace(0, 1, 31)[1:-1]))
        counts = [
            np.bincount(np.searchsorted(edges, part[:, column], side="right"), minlength=edges.size + 1)
            for part in (here, there)
        ]
        told.append((column, edges, np.log((counts[1] + 0.5) / (counts[0] + 0.5))))

    def score(rows):
        gains = [gain[np.searchsorted(edges, rows[:, column], side="right")] for column, edges, gain in told]
        return np.sum(gains, axis=0) if gains else np.zeros(len(rows))

    return score


def steepest(rows: Callable, people: int) -> int:
    """Return the number j at which the outputs ``rows(j)`` and ``rows(j + 1)`` of some 40 runs differ most.

    Of more than sixty, first the steepest of forty stretches is found, and then the step in it.
    """
    steps = range(people + 1)
    while True:
        stride = -(-len(steps) // 40) if len(steps) > 61 else 1
        places = [*steps[:-1:stride], steps[-1]]
        distances = [_distance(a, b) for a, b in pairwise([rows(j) for j in places])]
        best = int(np.argmax(distances))
        if stride == 1:
            return places[best]
        steps = range(places[best], places[best + 1] + 1)


def _distance(a, b) -> float:
    """Return the largest distance of two empirical distribution functions, of all columns."""
    a, b = (part.reshape(len(part), -1) for part in (a, b))
    below = [(part[:, None, :] <= np.concatenate([a, b])).mean(axis=0) for part in (a, b)]
    return float(np.abs(below[0] - below[1]).max())


# Kind 3: a test that passes or not.


def threshold(passing: Callable, at: Callable, loss: float, sentence: str, seed: int, share: float, runs: int) -> None:
    """Judge ``passing(table, rng)`` for tables ``at`` distances 0, 1, 2 ...: ``loss`` is allowed for a step.

    Looks where it passes in more than this ``share`` of the runs, and two steps closer: a stricter threshold hides no
    noise.
    """
    rng = np.random.default_rng(seed)
    top = next((k for k in range(1, 25) if (outputs(passing, at(k), 200, rng) > 0).mean() > share), 24)
    low = max(top - 2, 0)
    release(passing, [Pair(at(top), at(low), pure(loss * (top - low)), sentence, runs)], seed + 1)


def passes_at_most(passing: Callable, table, chance: float, sentence: str, seed: int, runs: int = 2_000) -> None:
    """Refuse a test that passes a table more often than with this chance."""
    hits = int((outputs(passing, table, runs, np.random.default_rng(seed)) > 0).sum())
    if lower_limit(hits, runs, ALARM) > chance:
        raise NotYet(sentence)


# Kind 4: coins.


def coins(taken: np.ndarray, q: float) -> None:
    """Judge how often people, in the columns, were taken in each run: everybody once, by a coin of their own.

    Each event that is looked at has a known chance: its limits hold it but in 2e-8.
    """
    if (taken > 1.5).any():
        raise NotYet(TWICE)
    if np.ptp(taken, axis=0).max() < 0.5:
        raise NotYet(ALWAYS)
    taken = taken > 0.5
    n, counts = taken.shape[1], taken.sum(axis=1)
    if np.ptp(counts) == 0:
        raise NotYet(FIXED)
    if counts.all() and taken.mean() < 1.2 * q and not may_be(counts == 0, (1 - q) ** n):
        raise NotYet(EMPTY)
    if not may_be(taken, q):
        raise NotYet(CHANCE.format(taken.mean(), q))
    chances = np.minimum(special.bdtr(np.arange(n + 1), n, q), 1)
    if not all(may_be(counts <= k, chance) for k, chance in enumerate(chances)):
        right = f"{n * q:.1f} and {np.sqrt(n * q * (1 - q)):.1f}"
        raise NotYet(COUNTS.format(counts.mean(), counts.std(), right))
    both = [taken[:, i] & taken[:, j] for i, j in combinations(range(n), 2)]
    rounds = (taken[1:] & taken[:-1])[::2]  # those of every second run are independent
    if not all(may_be(event, q * q) for event in [*both, rounds]) or not all(may_be(one, q) for one in taken.T):
        raise NotYet(TOGETHER)
