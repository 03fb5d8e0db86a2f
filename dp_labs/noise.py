"""Does what an answer draws keep its promise?  Each probe finds one mistake, and says so in one sentence.

A check calls an answer some thousand times.  `additive` judges an exact answer plus noise, `edge` and
`not_rounded_before` look at two places where noise is often lost, `release` audits anything that is published about two
neighbours, and `batches` and `reports` judge coins.  All of them raise `answers.NotYet`.

What is seen in draws may be chance: a probe refuses a right answer with probability 1e-6 or less.  Labs aren't graded,
so the probes look for what people do by mistake, and not for what somebody could hide from them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import process_time

import numpy as np
from scipy import special

from dp_helpers import judging
from dp_helpers.audit import audit, lower_limit, upper_limit

from .answers import NotYet

FAR = 5.5  # standard deviations: a normal number is farther off with probability 4e-8
RISK = 1e-7  # of a limit for a probability, or of an audit
NONE_OF = 16  # of so many expected draws none comes up with probability e^-16, 1e-7
PATIENCE = 1.0  # seconds of work after which a slow answer is called no more

NEVER = "none of your counts is ever negative; leave those as they come, as the task says."
CUT = "your noise is 0 twice as often as it may be: int() cuts both its sides to 0. Round after you add it."
SILENT = "some calls add no noise at all: each of them needs it, whatever else was drawn."

EDGE = "where the exact answer lies at the edge, yours is exact; no ε covers that."
REDRAWN = "where the exact answer lies at the edge, yours lie to one side of it: noise that is redrawn tells the edge."

COUNTS = "your batches hold {:.1f} people, give or take {:.1f}; with coins it would be {:.1f} and {:.1f}."
ALIKE = "take all coins from rng: two different ones gave the same reports."


def tell(table: Iterable[tuple[object, str]]) -> None:
    """Refuse an answer with the first sentence of a table (looks wrong, sentence) whose fault is there."""
    for wrong, sentence in table:
        if wrong:
            raise NotYet(sentence)


def fresh(draw: Callable[[np.random.Generator], object], runs: int = 11) -> None:
    """Refuse an answer that draws from anything else than its generator: the same one has to give the same.

    ``draw`` uses the answer so often that in all ``runs`` another source doesn't repeat itself by chance.
    """
    if not judging.repeats_itself(draw, runs):
        raise NotYet(judging.OTHER_SOURCE)


def outputs(draw: Callable, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return what so many calls give, one a row; fewer where a call takes long."""
    rows: list[np.ndarray] = []
    started = process_time()
    while len(rows) < runs and process_time() - started < PATIENCE:
        rows += [np.ravel(draw(rng)) for _ in range(min(20, runs - len(rows)))]
    return np.array(rows, dtype=float)


# An exact answer plus noise.


@dataclass(frozen=True)
class Case(judging.Case):
    """One table; ``around`` is said if the answers lie around another number than the exact one."""

    around: str = ""


@dataclass(frozen=True)
class Size:
    """How large the noise has to be, in scales, and the words about it.

    ``reasons`` maps a wrong size to what it comes from.  Noise ``at_most`` times as large as needed is accepted.
    """

    unit: str = ""
    reasons: Mapping[float, str] = field(default_factory=dict)
    at_most: float = 1.1
    normal: bool = False

    def of(self, noise: np.ndarray) -> float:
        """Return the mean size, of normal noise the standard deviation."""
        return float(np.sqrt(np.mean(noise**2)) if self.normal else np.abs(noise).mean())

    def sentence(self, case: Case, size: float, unsure: float, needed: str) -> str:
        """Return the sentence about noise of this size, of which luck may change the share ``unsure``."""
        found, right = (f"{float(f'{length:.3g}'):,g}" for length in (size * case.scale, case.scale))
        return f"{case.where} your noise is {found}{self.unit} in size; {right} {needed}.{self.reason(size, unsure)}"

    def reason(self, size: float, unsure: float) -> str:
        """Return what noise of this size comes from."""
        nearest = min(self.reasons, key=lambda wrong: abs(size / wrong - 1), default=np.inf)
        return f" {self.reasons[nearest]}" if abs(size / nearest - 1) < max(0.06, unsure / 2) else ""


def additive(cases: Sequence[Case], seed: int, size: Size = Size()) -> None:
    """Refuse what isn't an exact answer plus independent noise of one law, of the given scale at least."""
    rng = np.random.default_rng(seed)
    independent([(case, added(case, rng)) for case in cases], size, rng)


def independent(drawn: Sequence[tuple[Case, np.ndarray]], size: Size, rng: np.random.Generator) -> None:
    """Refuse noise (runs × cells, in scales) of a wrong size or law, or that cells share."""
    tell(row for _, noise in drawn if noise.shape[1] > 1 for row in _sharing_rows(noise))
    tell(row for case, noise in drawn for row in _size_rows(case, noise, size, reason=True))
    tell(_shape_rows(np.concatenate([noise.ravel() / size.of(noise) for _, noise in drawn]), size, rng))
    tell(row for case, noise in drawn for row in _size_rows(case, noise, size))


def added(case: Case, rng: np.random.Generator) -> np.ndarray:
    """Return what many calls add to the exact answers, in scales; refuse what shows at once."""
    fresh(case.draw)
    published, exact = outputs(case.draw, case.runs, rng), np.ravel(case.exact)
    noise = published - exact
    still, middle = np.ptp(noise, axis=0) < 1e-6 * case.scale, np.median(noise, axis=0)
    far, off = np.abs(middle).argmax(), np.abs(middle).max()
    unsure = FAR * np.abs(noise[:, far]).mean() / math.sqrt(len(noise))
    tell(
        [
            (judging.comes_in_steps(published, exact), judging.STEPS),
            (np.abs(noise).max() < 1e-3 * case.scale, judging.EXACT),
            (still.all(), judging.SAME),
            (still.any(), judging.SOME),
            (_silent(published, noise).mean() > 0.05, SILENT),
            ((noise.min() > -1e-9 or noise.max() < 1e-9) and off < 2 * case.scale, judging.SIDE),
            (exact.size > 1 and (exact == 0).any() and published.min() >= 0, NEVER),
            (
                off > max(0.5 * case.scale, unsure),
                case.around or judging.AROUND.format(case.where, np.median(published[:, far]), exact[far]),
            ),
            (_cut_before(case, published, exact), CUT),
        ]
    )
    return (_unrounded(published, exact, rng) - exact) / case.scale


def _silent(published, noise) -> np.ndarray:
    """Tell which calls gave several numbers their exact answers; whole numbers may have been rounded to these."""
    if noise.shape[1] == 1 or _unit(published):
        return np.zeros(len(noise), dtype=bool)
    return (noise == 0).all(axis=1)


def _cut_before(case, published, exact) -> bool:
    """Tell whether whole noise is 0 twice as often as its scale allows beside the numbers next to 0.

    Where the exact answer is 0, the sum may have been cut, which costs nothing.
    """
    unit = _unit(published)
    if not unit:
        return False
    steps = np.abs((published - exact)[:, (exact != 0) & (exact % unit == 0)]) / unit
    ends = max(1, round(case.scale / unit / 2))
    near = steps[steps <= ends]
    beside = 2 * np.exp(-np.arange(1, ends + 1) * unit / case.scale).sum()  # in units of what 0 may have
    return near.size > 0 and above(near == 0, 1 / (1 + beside)) and not above(near == 0, 2 / (2 + beside))


def _unit(published) -> int:
    """Return the largest of 100, 10 and 1 of which all published numbers are multiples, or 0."""
    return next((unit for unit in (100, 10, 1) if (published % unit == 0).all()), 0)


def _unrounded(published, exact, rng) -> np.ndarray:
    """Return whole numbers as they may have been before they were rounded in the end, which is allowed."""
    unit = _unit(published)
    empty = published[:, exact == 0]
    zeros, ones = (empty == 0).sum(), (empty == unit).sum()
    if zeros > 2 * ones:  # the rest was cut off, as int() does: 0 stands for both sides of it
        sides = np.where(published == 0, rng.choice([-1, 1], published.shape), np.sign(published))
        return published + unit * sides * rng.random(published.shape)
    return published + unit * rng.uniform(-0.5, 0.5, published.shape)


def _size_rows(case, noise, size, reason=False):
    """Find noise of a wrong size, at first with its ``reason`` only; a mean of n draws is off by 1/√n, more or less."""
    found, of_cells = size.of(noise), [size.of(cell) for cell in noise.T]
    unsure = FAR / math.sqrt(noise.size * (1 + size.normal))
    unsure_cell = FAR / math.sqrt(len(noise) * (1 + size.normal))
    too_small = found < 1 - unsure and (not reason or size.reason(found, unsure))
    yield found > size.at_most + 1.1 * unsure, size.sentence(case, found, unsure, "would be enough")
    yield too_small, size.sentence(case, found, unsure, "is needed, in every call")
    quietest = size.sentence(case, min(of_cells), unsure_cell, "is needed, in every cell")
    yield not reason and min(of_cells) < 1 - unsure_cell, quietest


def _sharing_rows(noise):
    """Find draws that two cells share, by their signs, and totals that hardly vary."""
    signs = np.corrcoef(np.sign(noise), rowvar=False)
    pairs = signs[np.triu_indices(len(signs), 1)]
    limit = math.sqrt(2 * math.log(2 * pairs.size / RISK) / len(noise))  # Hoeffding, for all pairs at once
    yield np.abs(pairs).max() > limit, judging.SHARED
    # The variance of 140 totals is below 0.4 of its expectation with probability 1e-9.
    yield noise.sum(axis=1).var() < 0.4 * noise.var(axis=0).sum(), judging.TOTAL


def _shape_rows(cells, size, rng):
    """Find another law than Laplace's, or than the normal one, in noise of size 1."""
    largest = np.abs(cells).max()
    if size.normal:
        yield 2 * special.ndtr(-largest) > NONE_OF / cells.size or not follows(cells, special.ndtr), judging.NORMAL
        return
    # Of Laplace noise this ratio is 0.71, of normal noise 0.80; of 1,500 draws it is off by 0.01.
    yield cells.size >= 1_500 and np.abs(cells).mean() / cells.std() > 0.76, judging.THIN
    yield math.exp(-largest) > NONE_OF / cells.size, judging.END.format(largest)
    yield excess(cells, 1.0, rng) > 0, judging.TELLING


def excess(noise: np.ndarray, by: float, rng: np.random.Generator) -> float:
    """Return by how much an audit's ε exceeds ``by`` where Laplace noise of scale 1 is moved so far."""
    draws = iter(rng.permutation(noise).tolist())
    found = audit(lambda moved, _: moved + next(draws), by, 0.0, trials=noise.size // 2, confidence=1 - RISK, rng=rng)
    return found.epsilon_lower_bound - by


def edge(at_edge: Callable, elsewhere: Callable) -> None:
    """Refuse noise that is lost at the edge of what is possible, such as next to a count of 0.

    Both functions return what an answer adds, in scales.  Answers may be cut off at the edge, or lose their sign: where
    noise with the same generator is negative elsewhere, they are always the same, or of the same size.
    """
    noise = [[draw(np.random.default_rng(seed)) for draw in (at_edge, elsewhere)] for seed in range(200)]
    edge_noise, other_noise = np.array(noise, dtype=float).T
    if min(np.ptp(edge_noise), np.ptp(other_noise)) < 1e-3:
        raise NotYet(EDGE)
    down, up, alike = other_noise < -0.1, other_noise > 0.1, np.abs(np.abs(edge_noise) - np.abs(other_noise)) < 0.1
    tell(
        [
            (alike[up].all() and alike[down].mean() < 0.5 and np.ptp(edge_noise[down]) > 0.1, REDRAWN),
            # Of a hundred sizes or so each, so that the ratio of right ones is off by 0.14.
            (np.abs(edge_noise[up]).mean() < 0.3 * np.abs(other_noise[up]).mean(), judging.DATA),
        ]
    )


def not_rounded_before(draw: Callable, exact) -> None:
    """Refuse ``draw(epsilon, rng)`` if it rounds the exact answer first: noise hides no step from one grid to the next.

    At an enormous ε there is next to no noise, and an answer is the exact one, unless all answers lie on its grid.
    """
    rng = np.random.default_rng(9)
    bare = np.ravel(draw(1e9, rng)).astype(float)
    if np.allclose(bare, np.ravel(exact), rtol=1e-9, atol=1e-4):
        return
    usual = np.array([np.ravel(draw(1.0, rng)) for _ in range(20)], dtype=float)
    steps = [step for step in 10.0 ** np.arange(4, -5, -1) if judging.whole(bare / step)]
    if steps and not any(judging.whole(usual / step) for step in steps):
        raise NotYet(judging.STEPS)


# Whatever is published, of two neighbours.


@dataclass(frozen=True)
class Pair:
    """Two tables, and the ε that their distance allows; ``sentence`` is said if more is proven, with e^excess as {}."""

    table: object
    other_table: object
    epsilon: float
    sentence: str
    runs: int = 4_000


def release(draw: Callable, pairs: Sequence[Pair], seed: int) -> None:
    """Refuse outputs of ``draw(table, rng)`` that tell two tables apart better than allowed, by chapter 17's audit."""
    rng = np.random.default_rng(seed)
    for pair in pairs:
        fresh(partial(draw, pair.table), 40)
        found = audit(
            draw, pair.table, pair.other_table, trials=pair.runs, confidence=1 - RISK, rng=rng
        ).epsilon_lower_bound
        if found > pair.epsilon:
            raise NotYet(pair.sentence.format(math.exp(min(found - pair.epsilon, 99))))


# Coins.


def batches(taken: np.ndarray, q: float) -> None:
    """Refuse batches in which somebody is not by a coin of their own; ``taken`` says how often, runs × people."""
    taken = np.rint(taken)
    people, counts = taken.shape[1], taken.sum(axis=1)
    right = math.sqrt(people * q * (1 - q))
    tell(
        [
            ((taken > 1.5).any(), judging.TWICE),
            ((taken == taken[0]).all(), judging.ALWAYS),
            (np.ptp(counts) == 0, judging.FIXED),
            (counts.all() and taken.mean() < 1.2 * q and not may_be(counts == 0, (1 - q) ** people), judging.EMPTY),
            (not may_be(taken > 0.5, q), judging.CHANCE.format(taken.mean(), q)),
            (
                _vary_otherwise(taken, q * (1 - q) * people),
                COUNTS.format(counts.mean(), counts.std(), people * q, right),
            ),
            (not all(may_be(person > 0.5, q) for person in taken.T) or _hang_together(taken), judging.TOGETHER),
        ]
    )


def reports(survey: Callable, kinds: np.ndarray, who: str, surveys: int = 2_000) -> None:
    """Refuse reports of zeros and ones, ``survey(rng)``, whose coins aren't each ``who``'s own: a "person" or a "bit".

    ``kinds`` is the truth behind each; those of one kind have the same chance of a one.
    """
    fresh(survey)
    sent = outputs(survey, surveys, np.random.default_rng(1))
    both = ", the first coin and the second" if who == "person" else ""
    shares = sent.mean(axis=0)
    usual = np.array([shares[kinds == kind].mean() for kind in kinds])
    unsure = FAR * np.sqrt(usual * (1 - usual) / len(sent)) + 1e-12
    apart = np.where(kinds == kinds[0], 1, -1)
    tell(
        [
            ((sent == sent[0]).all(), ALIKE),
            (_hang_together(sent), f"the reports hang together: every {who} needs coins of its own{both}."),
            (
                (np.abs(shares - usual) > unsure).any(),
                f"some {who} says the same too often, whatever rng is: is one of the coins fixed?",
            ),
            (
                any(_vary_otherwise(sent * signs, (shares * (1 - shares)).sum()) for signs in (1, apart)),
                f"the number of ones varies unlike that of independent coins: every {who} needs its own.",
            ),
        ]
    )


def _hang_together(bits) -> bool:
    """Tell whether two columns are correlated; of n fresh rows a correlation is off by 1/√n, in 1,000 pairs by 7.5."""
    varied = bits[:, bits.std(axis=0) > 0]
    if varied.shape[1] < 2:
        return False
    return np.abs(np.corrcoef(varied, rowvar=False) - np.eye(varied.shape[1])).max() > 7.5 / math.sqrt(len(bits))


def _vary_otherwise(bits, variance) -> bool:
    """Tell whether the rows' sums don't have this variance, to which a sample of n comes within √(2/n)."""
    return abs(bits.sum(axis=1).var() - variance) > FAR * math.sqrt(2 / len(bits)) * variance


# What draws may show.


def may_be(event: np.ndarray, chance: float) -> bool:
    """Tell whether an event of this chance may have happened so often in independent runs."""
    return not below(event, chance) and not above(event, chance)


def below(event: np.ndarray, chance: float) -> bool:
    """Tell whether an event happened too rarely in independent runs for one of this chance, or a larger one."""
    return upper_limit(int(np.sum(event)), np.size(event), RISK) < chance


def above(event: np.ndarray, chance: float) -> bool:
    """Tell whether an event happened too often in independent runs for one of this chance, or a smaller one."""
    return lower_limit(int(np.sum(event)), np.size(event), RISK) > chance


def follows(draws: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Tell whether ``draws`` may come from the distribution with this ``cdf``."""
    return judging.distance(draws, cdf) <= judging.margin(len(draws))


def laplace_steps(steps: int) -> np.ndarray:
    """Return Laplace noise of scale 1 in so many equally likely steps."""
    middle = (np.arange(steps) + 0.5) / steps
    return np.where(middle < 0.5, np.log(2 * middle), -np.log(2 * (1 - middle)))
