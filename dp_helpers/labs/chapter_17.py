"""The labs of chapter 17, Auditing."""

import math
from collections import Counter

import numpy as np

from ..audit import _lower_limit, _upper_limit, audit
from ..queries import clip
from .answers import NotYet, close, function, number


def lab_1(answer) -> str:
    """Check the smallest number of measuring runs that can prove epsilon 8 at a risk of 1%."""
    given, per_log = number(answer), math.log1p(math.exp(-8))
    right = math.ceil(math.log(2 / 0.01) / per_log)
    if close(given, math.log(1 / 0.01) / per_log):
        raise NotYet("the risk of 1% is for both limits together; each gets half of it.")
    if close(given, math.log(2 / 0.05) / per_log):
        raise NotYet("that is for a risk of 5%.")
    if close(given, 2 * right):
        raise NotYet("count the measuring runs on one of the two tables.")
    if close(given, 4 * right):
        raise NotYet("count the measuring runs on one table only, without those that choose the event.")
    if close(given, math.exp(8)):
        raise NotYet("an event that never came up in e^8 runs may still have a probability above e^-8.")
    if given != right and abs(given - right) <= 2:
        raise NotYet(f"very near. Try {given:,.0f} in the formula, and its two neighbours.")
    if given != right:
        least = 0.005 ** (1 / given) if given > 0 else 0.0
        shown = f"{math.log(least / (1 - least)):.2f}" if 0 < least < 1 else "nothing"
        raise NotYet(f"{given:,.0f} runs without an error prove {shown}; it is to be 8, with as few as possible.")
    return "Some 16,000 on each table, and this is the best case: not one error."


def lab_2(answer) -> str:
    """Check the bound from counts at a delta above 0."""
    proven_at = function(answer)
    cases = [
        (4000, 620, 100_000, 0.01, 0.05),
        (6000, 400, 10_000, 0.01, 0.05),
        (9990, 4000, 10_000, 0.05, 0.01),
        (900, 100, 1000, 0.001, 0.2),
        (700, 690, 1000, 0.01, 0.0),
        (500, 20, 1000, 0.05, 0.0),
    ]
    for case in cases:
        given, right = number(proven_at(*case)), _bound(*case)
        hits, others, runs, risk, delta = case
        where = f"{hits:,} against {others:,} of {runs:,} runs, at risk {risk:g} and δ = {delta:g},"
        if math.isnan(given):
            raise NotYet(f"{where} gave nan: a log of something that isn't positive proves nothing, that is 0.")
        if given < 0:
            raise NotYet(f"{where} gave {given:.3f}. Such counts prove nothing, and an ε is never below 0.")
        if math.isclose(given, right, rel_tol=1e-4, abs_tol=1e-6):
            continue
        if math.isclose(given, _bound(hits, others, runs, risk, 0.0), rel_tol=1e-4):
            raise NotYet(f"{where} gave {given:.3f}, the bound for δ = 0.")
        if math.isclose(given, _bound(hits, others, runs, 2 * risk, delta), rel_tol=1e-4):
            raise NotYet("each of the two limits may fail with half the risk.")
        if math.isclose(given, _bound(hits, others, runs, risk, delta, opposite=False), rel_tol=1e-4, abs_tol=1e-6):
            raise NotYet(f"{where} prove more by the opposite event.")
        raise NotYet(f"{where} prove {right:.3f}; yours is {given:.3f}.")
    return "At δ = 0.05 the accused goes free: events this rare are what δ allows."


def lab_3(answer) -> str:
    """Check an audit of words, at a risk of 1e-9."""
    audit_words, risk = function(answer), 1e-9

    def leak(table, rng):
        return "with" if table else "without"

    # No luck in this one: the word never errs.
    runs, given = 1000, number(audit_words(leak, [1], [], 2000, risk, np.random.default_rng(1)))
    right = _bound(runs, 0, runs, risk, 0.0)
    if math.isclose(given, _bound(2 * runs, 0, 2 * runs, risk, 0.0), rel_tol=1e-6):
        raise NotYet("you count on all runs, also on those that chose the word; count on the second half only.")
    if math.isclose(given, _bound(runs, 0, runs, 2 * risk, 0.0), rel_tol=1e-6):
        raise NotYet("each of the two limits may fail with half the risk.")
    if given == math.inf:
        raise NotYet("a word that came up on one table only proves no infinite ε; put limits on the rates.")
    if not math.isclose(given, right, rel_tol=1e-6):
        raise NotYet(
            f"a leak without errors, 1,000 counting runs on each table: it proves {right:.3f}, not {given:.3f}."
        )

    for name, shares, least, most in [
        ("three words", ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3]), 1.1, math.log(5)),
        ("three words, the telling one on the neighbour", ([0.1, 0.6, 0.3], [0.5, 0.3, 0.2]), 1.1, math.log(5)),
        ("honest words", ([0.6, 0.3, 0.1], [0.5, 0.35, 0.15]), 0.0, math.log(1.5)),
        ("the same words on both tables", ([0.6, 0.4, 0.0], [0.6, 0.4, 0.0]), 0.0, 0.0),
    ]:
        tables = dict(zip(("data", "neighbour"), (np.cumsum(s) for s in shares), strict=True))

        def speak(table, rng, tables=tables):
            return "abc"[int(np.searchsorted(tables[table], rng.random()))]

        given = number(audit_words(speak, "data", "neighbour", 20_000, risk, np.random.default_rng(2)))
        if math.isnan(given):
            raise NotYet(f"{name}: your audit returned nan.")
        if given > most + 1e-12:
            raise NotYet(f"{name}: the true ε is {most:.2f}, and your audit claims to prove {given:.2f}.")
        if given < least:
            raise NotYet(
                f"{name}: the true ε is {most:.2f}; 20,000 trials prove 1.1 or more, and yours proves {given:.2f}."
            )
    return "It finds the telling word on either table, and leaves honest words alone."


def lab_4(answer) -> str:
    """Check that two neighbours bring out a mean whose noise depends on the number of rows."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise NotYet("give a pair: (data, neighbour).")
    try:
        data, neighbour = (np.asarray(table, dtype=float) for table in answer)
    except (TypeError, ValueError):
        raise NotYet("each table is a list of numbers.") from None
    if data.ndim != 1 or neighbour.ndim != 1:
        raise NotYet("each table is a list of numbers, such as [20, 35].")
    if not (data.size and neighbour.size):
        raise NotYet("the mean of no rows doesn't exist; keep at least one.")
    if not (np.isfinite(data).all() and np.isfinite(neighbour).all()):
        raise NotYet("the values must be finite numbers.")
    one, other = Counter(data.tolist()), Counter(neighbour.tolist())
    apart = (one - other).total() + (other - one).total()
    if apart == 2 and data.size == neighbour.size:
        raise NotYet("these differ in a changed row. Under add/remove, one table has a row more.")
    if apart != 1:
        raise NotYet(f"these tables are {apart} steps apart, and neighbours are 1 step apart.")

    def noisy_mean(values, rng):
        return values.mean() + rng.laplace(scale=100 / values.size)

    tables = clip(data, 0, 100), clip(neighbour, 0, 100)
    found = audit(noisy_mean, *tables, trials=20_000, rng=np.random.default_rng(3)).epsilon_lower_bound
    if found <= 1:
        raise NotYet(f"on these, 20,000 trials prove {found:.2f}. Let the two scales differ more, and the mean, too.")
    return f"Proven {found:.1f}, where 1 was claimed: the number of rows is no secret if the noise tells it."


def _bound(hits, others, runs, risk, delta, *, opposite=True) -> float:
    """Return what the counts of one event prove."""
    lower, upper = _lower_limit(hits, runs, risk / 2), _upper_limit(others, runs, risk / 2)
    ratios = [(lower - delta) / upper] + [(1 - upper - delta) / (1 - lower)] * opposite
    return math.log(max(1.0, *ratios))
