"""The labs of chapter 17, Auditing."""

import math
from collections import Counter
from functools import partial

import numpy as np

from dp_helpers.audit import audit, lower_limit, round_down, upper_limit
from dp_helpers.queries import clip

from .answers import NotYet, array, barred, expect, finite, function, number, pair
from .noise import fresh
from .tables import NumberLab

LABS = (
    "how-many-runs",
    "unjust-accusation",
    "audit-of-words",
    "pair-that-tells",
)

_PER_LOG = math.log1p(math.exp(-8))
_RUNS = math.ceil(math.log(2 / 0.01) / _PER_LOG)
how_many_runs = NumberLab(
    right=_RUNS,
    praise="Some 16,000 on each table, and this is the best case: not one error.",
    mistakes={
        **dict.fromkeys([math.log(x) / _PER_LOG for x in (20, 40, 100)], "the risk is 1%; each limit gets half of it."),
        **dict.fromkeys([2 * _RUNS, 4 * _RUNS], "count the runs on one table only, those that measure."),
        math.exp(8): "an event that never came up in e^8 runs may still have a probability above e^-8.",
        math.log(2 / 0.01) / math.log1p(math.exp(-3)): "that proves the vendor's 3; your proof is of 8.",
        math.log(2 / 0.01) / math.log1p(math.exp(-5)): "8 is what you prove, not by how much it exceeds the claim.",
        math.log10(2 / 0.01) / _PER_LOG: "take the natural logarithm.",
    },
    otherwise="n hits in n runs give L = 0.005^(1/n), and L / (1 - L) must reach e^8 with as few runs as possible.",
)


def unjust_accusation(answer) -> str:
    """Check the bound from counts at a delta above 0."""
    proven_at = function(answer)
    for case in [
        (4000, 620, 100_000, 0.01, 0.05),
        (6000, 400, 10_000, 0.01, 0.05),
        (9990, 4000, 10_000, 0.05, 0.01),
        (900, 100, 1000, 0.001, 0.2),
        (700, 690, 1000, 0.01, 0.0),
        (20, 500, 1000, 0.05, 0.0),
    ]:
        given, right = number(proven_at(*case)), _bound(*case)
        hits, others, runs, risk, delta = case
        where = f"{hits:,} against {others:,} of {runs:,} runs, at risk {risk:g} and δ = {delta:g},"
        if math.isnan(given):
            raise NotYet(f"{where} gave nan: a log of something that isn't positive proves nothing, that is 0.")
        why = f"{round_down(right, 3):.3f} is proven."
        if given < 0:
            why = "such counts prove nothing, and an ε is never below 0."
        same = partial(math.isclose, rel_tol=1e-3, abs_tol=1e-4)
        expect(given, right, _slips(*case), why, same, where=f"{where} gave {given:.3f}:")
    return "At δ = 0.05 the accused goes free: events this rare are what δ allows."


def _slips(hits, others, runs, risk, delta):
    """Return wrong bounds that somebody may come to, each with the reason."""
    lower, upper = lower_limit(hits, runs, risk / 2), upper_limit(others, runs, risk / 2)
    plain, event, opposite = _bound(hits, others, runs, risk, 0.0), (lower - delta) / upper, (1 - upper) / (1 - lower)

    def log(*ratios):
        return math.log(max(1.0, *ratios))

    yield plain, "that is the bound for δ = 0."
    yield plain - delta, "δ isn't taken off ε, but off the larger of the two rates."
    yield _bound(hits, others, runs, 2 * risk, delta), "each of the two limits may fail with half the risk."
    yield log(event), "the opposite event proves more."
    yield log(event, opposite), "the opposite event has to forgive δ as well."
    yield log((lower - delta) / max(upper - delta, 1e-12)), "δ is taken off the larger rate only."
    yield log(lower / (upper + delta)), "δ is taken off the larger rate, not added to the smaller one."
    yield log((hits / runs - delta) * runs / max(others, 1)), "these are shares; put limits on the rates."
    yield max(1.0, event, (1 - upper - delta) / (1 - lower)), "that is e^ε; take the log."


_RARE = [0.2 / 200] * 200
# The chances of words on data and on the neighbour; the bounds between which an audit with 6,000 trials has to end.
_WORDS = [
    ("three words", ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3]), 0.9, math.log(5)),
    ("three words, the telling one on the neighbour", ([0.1, 0.6, 0.3], [0.5, 0.3, 0.2]), 0.9, math.log(5)),
    ("a word that only the neighbour brings out", ([0.55, 0.45, 0.0], [0.4, 0.3, 0.3]), 3.0, math.inf),
    ("a telling word among hundreds of rare ones", ([0.7, 0.1, *_RARE], [0.1, 0.7, *_RARE]), 0.7, math.log(7)),
    ("honest words", ([0.6, 0.3, 0.1], [0.5, 0.35, 0.15]), 0.0, math.log(1.5)),
    ("the same words on both tables", ([0.6, 0.4, 0.0], [0.6, 0.4, 0.0]), 0.0, 0.0),
]


@barred("audit", why="dp.audit does all of this; write it yourself.")
def audit_of_words(answer) -> str:
    """Check an audit of words, at a risk of 1e-9 mostly."""
    audit_words, risk, coins = function(answer), 1e-9, set()
    for leak_risk in (risk, 1e-4):
        _judge_a_leak(audit_words, leak_risk)
    _judge_the_halves(audit_words, risk)
    for seed, (name, shares, least, most) in enumerate(_WORDS):
        speaker, rng = _Speaker(*shares), np.random.default_rng(seed)
        given = finite(audit_words(speaker, "data", "neighbour", 6000, risk, rng))
        if coins & set(speaker.coins):
            raise NotYet("another generator gave the same runs: hand on rng, and no generator of your own.")
        coins |= set(speaker.coins)
        if given > most + 1e-12:
            raise NotYet(f"{name}: the true ε is {most:.2f}, and your audit claims to prove {given:.2f}.")
        if given < least:
            raise NotYet(f"{name}: you prove {given:.2f}, where {least} can be: {TRY_ALL}")
    fresh(lambda rng: audit_words(_Speaker(*_WORDS[0][1]), "data", "neighbour", 2000, risk, rng), runs=3)
    return "It finds the telling word on either table, and leaves honest words alone."


TRY_ALL = "try each whole word in both orders, and choose by what it would prove, not by a ratio of counts."


class _Speaker:
    """A mechanism that says no, nobody, yes or another word; it notices a generator that begins again at every call."""

    def __init__(self, data, neighbour):
        self.ends = {"data": np.cumsum(data), "neighbour": np.cumsum(neighbour)}
        self.coins = Counter()

    def __call__(self, table, rng):
        coin = rng.random()
        self.coins[coin, table] += 1
        if self.coins[coin, table] > 1:
            raise NotYet("every run draws the same number: hand on rng, and don't start a new one for each run.")
        word = min(int(np.searchsorted(self.ends[table], coin)), len(self.ends[table]) - 1)
        return ["no", "nobody", "yes"][word] if word < 3 else f"word {word}"


def _judge_a_leak(audit_words, risk):
    """Audit words that never err: no luck in this one."""
    runs = 1000
    given = number(audit_words(lambda table, rng: str(table), [1], [], 2 * runs, risk, np.random.default_rng(1)))
    right = _bound(runs, 0, runs, risk, 0.0)
    mistakes = [
        (math.inf, "a word that came up on one table only proves no infinite ε; put limits on the rates."),
        (_bound(2 * runs, 0, 2 * runs, risk, 0.0), "count on the second half only, not on all runs."),
        (_bound(runs, 0, runs, 2 * risk, 0.0), "each of the two limits may fail with half the risk."),
        (_bound(runs, 0, runs, 0.01, 0.0), "you count with a risk of 1%; take the risk that is given."),
        *((_bound(n, 0, n, risk, 0.0), "trials are runs on each table, both halves.") for n in (runs // 2, 4 * runs)),
    ]
    proves = f"it proves {round_down(right, 3)}, not {given:.3f}."
    why = f"a leak without errors, 1,000 counting runs on each table: {proves}"
    expect(given, right, mistakes, why, partial(math.isclose, rel_tol=1e-3))


def _judge_the_halves(audit_words, risk):
    """Audit a mechanism whose second half contradicts its first: nothing of that may be proven."""
    half = 600
    for choice, later in [
        ("word", {"data": "z", "neighbour": "y"}),
        ("order of the two tables", {"data": "xyyyyyyy", "neighbour": "xxxxxxxy"}),
    ]:
        calls = Counter()

        def turning(table, rng, later=later, calls=calls):
            calls[table] += 1
            if calls[table] <= half:  # x tells most, and is likelier on the data
                return ("x" * 14 + "yz" if table == "data" else "x" + "y" * 8 + "z" * 7)[calls[table] % 16]
            return later[table][calls[table] % len(later[table])]

        given = finite(audit_words(turning, "data", "neighbour", 2 * half, risk, np.random.default_rng(3)))
        if (calls["data"], calls["neighbour"]) != (2 * half, 2 * half):
            raise NotYet(f"{2 * half} trials on each table; you ran {calls['data']} and {calls['neighbour']}.")
        if given > 0:
            raise NotYet(f"you choose the {choice} on the runs that count: choose on the first half only.")


def pair_that_tells(answer) -> str:
    """Check that two neighbours bring out a mean whose noise depends on the number of rows."""
    tables = pair(answer, "(data, neighbour)")
    data, neighbour = (array(table, (np.size(table),), "a list of numbers for each table") for table in tables)
    if not (data.size and neighbour.size):
        raise NotYet("the mean of no rows doesn't exist; keep at least one.")
    data_rows, neighbour_rows = Counter(data.tolist()), Counter(neighbour.tolist())
    apart = (data_rows - neighbour_rows).total() + (neighbour_rows - data_rows).total()
    if apart == 2 and data.size == neighbour.size:
        raise NotYet("these differ in a changed row. Under add/remove, one table has a row more.")
    if apart != 1:
        raise NotYet(f"these tables are {apart} steps apart, and neighbours are 1 step apart.")

    def noisy_mean(values, rng):
        return values.mean() + rng.laplace(scale=100 / values.size)

    tables = clip(data, 0, 100), clip(neighbour, 0, 100)
    found = audit(noisy_mean, *tables, trials=20_000, rng=np.random.default_rng(3)).epsilon_lower_bound
    if found <= 1:
        proven = f"on these, 20,000 trials prove {round_down(found, 2)}."
        raise NotYet(f"{proven} Let the two scales differ more, and the mean, too.")
    return f"Proven {round_down(found, 1)}, where 1 was claimed: the number of rows is no secret if the noise tells it."


def _bound(hits, others, runs, risk, delta) -> float:
    """Return what the counts of one event prove."""
    lower, upper = lower_limit(hits, runs, risk / 2), upper_limit(others, runs, risk / 2)
    return math.log(max(1.0, (lower - delta) / upper, (1 - upper - delta) / (1 - lower)))
