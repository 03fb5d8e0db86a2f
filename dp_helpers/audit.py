"""Auditing: measure from outside how much a mechanism tells two neighbouring data sets apart.

An audit plays a guessing game.  The mechanism runs many times on a data set and on a neighbour; the first half of
the runs chooses the event (a threshold, a set of outputs) that separates the two worlds best, and the other, fresh
half measures how often it happens in each.  An (epsilon, delta) guarantee caps how far those two rates can lie
apart, so rates further apart prove a larger epsilon.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dp_helpers import validation as check
from dp_helpers.validation import Rng

_WORLDS = ("data", "neighbour")


@dataclass(frozen=True)
class AuditResult:
    """What an audit found; made by `audit`.

    Attributes
    ----------
    epsilon_lower_bound : float
        The mechanism's epsilon, at this delta, is at least this much, unless the ``confidence`` failed.  0 means that
        nothing was found, which is no proof of privacy.
    event : str
        The event that separates the two worlds, in words: ``"output >= 3.2"``, ``"output == 'B'"``.
    delta, confidence : float
        As given to `audit`.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> def leak(people, rng):
    ...     return len(people)
    >>> result = dp.audit(leak, ["Ada", "Bob"], ["Ada"], trials=2000, rng=np.random.default_rng(1))
    >>> result.event, dp.round_down(result.epsilon_lower_bound, 2)
    ('output >= 2', 5.23)
    >>> result.table()[["world", "hits", "trials"]]
           world  hits  trials
    0       data  1000    1000
    1  neighbour     0    1000
    """

    epsilon_lower_bound: float
    event: str
    delta: float
    confidence: float
    _counts: tuple[int, int] = field(repr=False)
    _runs: int = field(repr=False)

    def table(self) -> pd.DataFrame:
        """Return the counts behind the bound, one row for each world.

        Returns
        -------
        pandas.DataFrame
            Columns ``event``, ``world`` ("data" or "neighbour"), ``hits`` (how often the event happened), ``trials``
            (the measuring runs of that world), and ``lower`` and ``upper``, the Clopper-Pearson interval of the
            event's rate at the audit's confidence.  The bound is ``ln((lower - delta) / upper)``, with ``lower``
            from the world where the event is likelier and ``upper`` from the other.
        """
        tail = (1 - self.confidence) / 2
        return pd.DataFrame(
            {
                "event": self.event,
                "world": _WORLDS,
                "hits": self._counts,
                "trials": self._runs,
                "lower": [lower_limit(hits, self._runs, tail) for hits in self._counts],
                "upper": [upper_limit(hits, self._runs, tail) for hits in self._counts],
            }
        )


def audit(
    mechanism: Callable,
    data: Any,
    neighbour: Any,
    *,
    trials: int,
    confidence: float = 0.99,
    delta: float = 0.0,
    rng: Rng = None,
) -> AuditResult:
    """Return a lower bound on the epsilon of ``mechanism``, found by telling ``data`` and ``neighbour`` apart.

    For an (epsilon, delta)-differentially private mechanism and every event S,
    P[M(data) in S] <= e^epsilon P[M(neighbour) in S] + delta, and the same with the two exchanged.  Whatever the
    mechanism claims, epsilon is therefore at least ln((P - delta) / Q) for the two rates P and Q of any event.  The
    audit puts a lower Clopper-Pearson limit for P and an upper one for Q, each at level (1 - confidence) / 2, so that
    both hold together with probability at least ``confidence``.

    The event is chosen on the first half of the runs and measured on the second.  Choices are: thresholds and
    intervals of a number; sets of symbols (strings, booleans, None, whole small outputs); for arrays, Series,
    DataFrames, dicts and nested lists the same for each entry, for the order of the labels, and for a weighted sum of
    the entries (Fisher's linear discriminant).  An event outside this list is not found: make the mechanism return
    what you suspect.

    Parameters
    ----------
    mechanism : callable
        Called as ``mechanism(data, rng)``; its errors propagate.  It must return numbers, symbols or collections of
        these, of any mixture.
    data, neighbour
        Two data sets that the guarantee calls neighbours, of any type; nothing checks that they are.
    trials : int
        Runs of the mechanism on each of the two data sets, at least 100: ``trials // 2`` choose, the rest measure.
        They cap the bound: a perfect leak measured by 10,000 runs shows 7.54 at confidence 0.99.
    confidence : float
        Probability, above 0 and below 1, with which the bound holds.
    delta : float
        The delta of the guarantee that is audited, in [0, 1).

    Returns
    -------
    AuditResult
        With ``epsilon_lower_bound``, ``event`` and ``table()``.

    Raises
    ------
    TypeError
        If ``mechanism`` returns something that cannot be compared with other outputs.

    Notes
    -----
    A lower bound never proves privacy: another pair of neighbours, or another event, may do better.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26.  Ding, Wang, Wang, Zhang & Kifer (2018), Detecting violations of
    differential privacy, CCS.  Jagielski, Ullman & Oprea (2020), Auditing differentially private machine learning,
    NeurIPS.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> def noisy_count(people, rng):
    ...     return len(people) + rng.laplace(scale=1.0)  # epsilon = 1, add/remove-one
    >>> result = dp.audit(noisy_count, ["Ada", "Bob"], ["Ada"], trials=20_000, rng=np.random.default_rng(1))
    >>> 0.8 < result.epsilon_lower_bound <= 1.0
    True
    >>> leak = dp.audit(lambda people, rng: len(people), ["Ada", "Bob"], ["Ada"], trials=20_000)
    >>> leak.event, dp.round_down(leak.epsilon_lower_bound, 2)
    ('output >= 2', 7.54)
    """
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable as mechanism(data, rng), got {mechanism!r}")
    trials = check.integer("trials", trials, minimum=100)
    confidence = check.probability("confidence", confidence, zero=False, one=False)
    delta = check.probability("delta", delta, one=False)
    rng = check.generator(rng)
    choosing = trials // 2
    measuring = trials - choosing

    chosen_on = [[_take_apart(mechanism(world, rng)) for _ in range(choosing)] for world in (data, neighbour)]
    event = _choose_event(*chosen_on, confidence=confidence, delta=delta)
    hits = [
        sum(event.holds(_take_apart(mechanism(world, rng))) for _ in range(measuring)) for world in (data, neighbour)
    ]

    # The event was likelier in one world when it was chosen; fresh limits for that world from below, the other from
    # above.  The same two limits, seen from the other side, also bound the opposite event.
    likely = 0 if event.likelier_in_data else 1
    lower = lower_limit(hits[likely], measuring, (1 - confidence) / 2)
    upper = upper_limit(hits[1 - likely], measuring, (1 - confidence) / 2)
    bound, opposite_bound = (float(ratio) for ratio in _log_ratios(lower, upper, delta))
    if opposite_bound > bound:
        hits = [measuring - count for count in hits]
    text = event.opposite if opposite_bound > bound else event.text
    return AuditResult(max(bound, opposite_bound, 0.0), text, delta, confidence, (hits[0], hits[1]), measuring)


def one_run_epsilon(*, right: int, guesses: int, confidence: float = 0.99) -> float:
    """Return a lower bound on the epsilon of an algorithm that ran once, with many canaries in its data.

    Each canary, a made-up record, was put into the data or left out by the toss of a fair coin.  After the run somebody
    guesses for some of them, in or out, as many as they like and the others not.  If the algorithm is
    epsilon-differentially private (add/remove-one, delta 0), a right guess has at most the odds e^epsilon to 1 whatever
    the other guesses were, so that the number of right ones is at most a binomial one in distribution.  The bound is
    the largest epsilon for which so many right ones have at most the probability 1 - ``confidence``.

    With a delta the probability grows by at most 2 m delta, where m canaries had a coin: so the same bound refutes
    (epsilon, delta) with probability ``confidence`` - 2 m delta.

    Parameters
    ----------
    right : int
        How many guesses were right, from 0 to ``guesses``.
    guesses : int
        How many were made, at least 1.
    confidence : float
        Probability, above 0 and below 1, with which the bound holds.

    Returns
    -------
    float
        At least 0.  0 means that nothing was found, which is no proof of privacy.

    References
    ----------
    Steinke, Nasr & Jagielski (2023), Privacy auditing with one (1) training run, NeurIPS.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.round_down(dp.one_run_epsilon(right=700, guesses=1000, confidence=0.95), 3)
    0.732
    """
    guesses = check.integer("guesses", guesses, minimum=1)
    right = check.integer("right", right, minimum=0)
    if right > guesses:
        raise ValueError(f"right must be at most guesses, {guesses}, got {right!r}")
    confidence = check.probability("confidence", confidence, zero=False, one=False)
    # 1 less the lower limit of the rate, without rounding where that is near 1.
    wrong = max(lower_limit(guesses - right + 1, guesses, confidence), 1e-300) if right else 1.0
    return math.log((1 - wrong) / wrong) if wrong < 0.5 else 0.0


def round_down(bound: float, digits: int) -> float:
    """Return a lower bound as it may be printed: rounded down, because rounded up it says more than was proven.

    Parameters
    ----------
    bound : float
        What was proven, such as ``epsilon_lower_bound`` of an `AuditResult`.
    digits : int
        Decimal places to keep, from 0 to 15.

    Returns
    -------
    float
        The largest number with so many decimal places that isn't above ``bound``.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.round_down(3.967, 1), round(3.967, 1)
    (3.9, 4.0)
    """
    bound = check.finite("bound", bound)
    parts = 10 ** check.integer("digits", digits, minimum=0, maximum=15)
    below = math.floor(Fraction(bound) * parts)
    # The float that is printed as 0.3 lies a hair below three tenths, and is 0.3 all the same.
    rounded_up = float(Fraction(below + 1, parts))
    return rounded_up if rounded_up == bound else float(Fraction(below, parts))


# An output is taken apart into a record: a dict from the path of each entry to its value, a number or a symbol.
# A plain number or symbol has one entry, at the empty path.


class _Symbol:
    """A value that no mechanism returns itself."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


_ABSENT = _Symbol("absent")  # this output has no such entry
_NAN = _Symbol("nan")  # nan differs from itself, which a symbol must not
_LABELS = _Symbol("labels")  # end of a path: the labels of a collection, in their order
_WHOLE = (_Symbol("whole"),)  # path of the collection as one symbol
_PLAIN = {int, float, bool, str, type(None)}
_ROWS = (list, tuple, np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)


def _take_apart(output) -> dict:
    record: dict = {}
    _collect(output, (), record)
    if () not in record:
        record[_WHOLE] = tuple(record.values())
    return record


def _collect(value, path, record) -> None:
    if type(value) in _PLAIN:  # most entries by far
        record[path] = value if value == value else _NAN
    elif isinstance(value, pd.DataFrame):
        rows, columns = _labels(value.index), _labels(value.columns)
        record[*path, _LABELS] = (rows, columns)
        for position, column in enumerate(columns):
            for row, entry in zip(rows, value.iloc[:, position].tolist(), strict=True):
                _collect(entry, (*path, (row, column)), record)
    elif isinstance(value, (pd.Series, Mapping)):
        labels = _labels(value.index) if isinstance(value, pd.Series) else tuple(value)
        entries = value.tolist() if isinstance(value, pd.Series) else value.values()
        record[*path, _LABELS] = labels
        for label, entry in zip(labels, entries, strict=True):
            _collect(entry, (*path, label), record)
    elif isinstance(value, _ROWS) and getattr(value, "ndim", None) != 0:
        for position, entry in enumerate(value if isinstance(value, (list, tuple)) else value.tolist()):
            _collect(entry, (*path, position), record)
    else:
        record[path] = _entry(value)


def _labels(index: pd.Index) -> tuple:
    return tuple(index.tolist()) if index.is_unique else tuple(range(index.size))


def _entry(value) -> Hashable:
    """Return a number as int or float, and anything else as a symbol."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    if isinstance(value, set):
        value = frozenset(value)
    if type(value) in _PLAIN:
        return value if value == value else _NAN
    # An object that equals only itself would make every output look new, and every mechanism private.
    if type(value).__hash__ in (None, object.__hash__):
        raise TypeError(
            "mechanism must return numbers, symbols (hashable values) or collections of these, "
            f"got {type(value).__name__}; return the part of it that is published"
        )
    return value


def _is_number(value) -> bool:
    return type(value) is float or type(value) is int  # a bool is a symbol


def _name(path: tuple) -> str:
    if path == _WHOLE:
        return "output"
    if path and path[-1] is _LABELS:
        return f"labels of {_name(path[:-1])}"
    return "output" + "".join(f"[{', '.join(map(repr, p)) if isinstance(p, tuple) else repr(p)}]" for p in path)


# Choosing the event.


class _Reading(NamedTuple):
    """Something read off a record: one entry, or a weighted sum of entries."""

    name: str
    value: Callable[[dict], Hashable]


class _Event(NamedTuple):
    text: str
    opposite: str
    holds: Callable[[dict], bool]
    likelier_in_data: bool
    score: float


_MOST_SYMBOLS = 64  # the commonest ones; rarer symbols carry no event
_MOST_SUMMANDS = 200
_GRID = 64  # ends of two-sided intervals


def _choose_event(data_records, neighbour_records, *, confidence, delta) -> _Event:
    """Return the event with the best bound on the second half of the records; the first half teaches what to try."""
    half = len(data_records) // 2
    records = (data_records, neighbour_records)
    learning, judging = [r[:half] for r in records], [r[half:] for r in records]

    paths = dict.fromkeys(path for world in records for record in world for path in record)
    entries = [_Reading(_name(path), partial(_entry_at, path)) for path in paths]
    learned = [_columns(entry, learning) for entry in entries]

    def score(hits, tries=1):
        return _estimated_bound(hits, len(judging[0]), (1 - confidence) / tries, delta)

    events = []
    for entry, columns in zip(entries, learned, strict=True):
        judged = _columns(entry, judging)
        events += _interval_event(entry, judged, score) + _set_event(entry, columns, judged, score)
    if len(entries) > 1:
        summands = [k for k, path in enumerate(paths) if path != _WHOLE]
        total = _weighted_sum([entries[k] for k in summands], [learned[k] for k in summands])
        events += _interval_event(total, _columns(total, judging), score)
    return max(events, key=lambda event: (event.score, event.likelier_in_data))


def _entry_at(path, record):
    return record.get(path, _ABSENT)


def _columns(reading, records) -> list[list]:
    return [[reading.value(record) for record in world] for world in records]


def _interval_event(reading, judged, score) -> list[_Event]:
    """Return the best of "reading >= a", "reading <= b" and "a <= reading <= b", or nothing without numbers."""
    numbers = [np.sort([value for value in world if _is_number(value)]).astype(float) for world in judged]
    points = np.unique(np.concatenate(numbers))
    if points.size == 0:
        return []

    def count(low, high):
        return [np.searchsorted(n, points[high], "right") - np.searchsorted(n, points[low], "left") for n in numbers]

    # One-sided thresholds at every value seen, two-sided intervals between values of a coarser grid.  The best of
    # so many intervals looks better than it is, so each is held to a stricter level (Bonferroni).
    every, last = np.arange(points.size), points.size - 1
    grid = np.unique(np.linspace(0, last, _GRID).astype(int))
    first, second = np.triu_indices(grid.size)
    low = np.concatenate([every, np.zeros_like(every), grid[first]])
    high = np.concatenate([np.full_like(every, last), every, grid[second]])
    hits = count(low, high)
    one_sided, two_sided = slice(2 * points.size), slice(2 * points.size, None)
    one_sided_hits, two_sided_hits = ([h[part] for h in hits] for part in (one_sided, two_sided))
    scores = np.concatenate([score(one_sided_hits), score(two_sided_hits, tries=first.size)])
    best = int(np.argmax(scores))

    a = -math.inf if low[best] == 0 else float(points[low[best]])
    b = math.inf if high[best] == last else float(points[high[best]])
    text, opposite = _interval_text(reading.name, a, b, only_numbers=sum(map(len, numbers)) == sum(map(len, judged)))

    def holds(record):
        value = reading.value(record)
        return _is_number(value) and a <= value <= b

    return [_Event(text, opposite, holds, bool(hits[0][best] > hits[1][best]), float(scores[best]))]


def _interval_text(name, a, b, *, only_numbers) -> tuple[str, str]:
    if a == -math.inf and b == math.inf:
        return f"{name} is a number", f"{name} is not a number"
    if a == b:
        return f"{name} == {a:.6g}", f"{name} != {a:.6g}"
    if -math.inf < a and b < math.inf:
        text = f"{a:.6g} <= {name} <= {b:.6g}"
        return text, f"not ({text})"
    text, opposite = (
        (f"{name} >= {a:.6g}", f"{name} < {a:.6g}") if b == math.inf else (f"{name} <= {b:.6g}", f"{name} > {b:.6g}")
    )
    return text, opposite if only_numbers else f"not ({text})"


def _set_event(reading, learned, judged, score) -> list[_Event]:
    """Return the best set of symbols, or nothing without symbols; numbers with few values are symbols, too."""
    numbers_are_symbols = len({v for world in learned for v in world if _is_number(v)}) <= _MOST_SYMBOLS
    counts = [Counter(v for v in world if numbers_are_symbols or not _is_number(v)) for world in learned]
    ratios = _symbol_ratios(*counts)
    if not ratios:
        return []
    # By Neyman and Pearson the best sets take symbols in the order of their likelihood ratio, from either end.
    falling = sorted(ratios, key=lambda symbol: ratios[symbol], reverse=True)
    sets = [order[:size] for size in range(1, len(falling) + 1) for order in (falling, falling[::-1])]
    seen = [Counter(world) for world in judged]
    hits = [np.array([np.cumsum([w[s] for s in order]) for order in (falling, falling[::-1])]).T.ravel() for w in seen]
    scores = score(hits)
    best = int(np.argmax(scores))
    members = frozenset(sets[best])
    text, opposite = _set_text(reading.name, members)

    def holds(record):
        return reading.value(record) in members

    return [_Event(text, opposite, holds, bool(hits[0][best] > hits[1][best]), float(scores[best]))]


def _set_text(name, members) -> tuple[str, str]:
    shown = sorted(map(repr, members))
    if len(shown) == 1:
        return f"{name} == {shown[0]}", f"{name} != {shown[0]}"
    values = ", ".join(shown[:8]) + (f", ... ({len(shown)} values)" if len(shown) > 8 else "")
    return f"{name} in {{{values}}}", f"{name} not in {{{values}}}"


def _symbol_ratios(data_counts: Counter, neighbour_counts: Counter) -> dict:
    """Return the log-likelihood ratio of each of the commonest symbols; half a count keeps it finite."""
    common = [symbol for symbol, _ in (data_counts + neighbour_counts).most_common(_MOST_SYMBOLS)]
    return {s: math.log((data_counts[s] + 0.5) / (neighbour_counts[s] + 0.5)) for s in common}


def _weighted_sum(entries, learned) -> _Reading:
    """Return Fisher's linear discriminant of the entries: the weighted sum that separates the two worlds best.

    It finds what no entry shows alone: two bits that flip together, or noise that was used twice and cancels in a
    difference.
    """
    scales = [_Scale(*columns) for columns in learned]
    scaled = [
        np.array([[scale(v) for v in columns[world]] for scale, columns in zip(scales, learned, strict=True)])
        for world in (0, 1)
    ]
    spreads = np.hstack(scaled).std(axis=1, keepdims=True)
    spreads[spreads == 0] = 1.0
    data, neighbour = (values / spreads for values in scaled)
    shift = data.mean(axis=1) - neighbour.mean(axis=1)
    tried = np.argsort(-np.abs(shift), kind="stable")[:_MOST_SUMMANDS]
    within = np.atleast_2d(np.cov(data[tried]) + np.cov(neighbour[tried]))
    # The ridge keeps a direction without any noise solvable, with a very large weight.
    weights = np.linalg.solve(within + 1e-6 * np.eye(tried.size), shift[tried])
    # Small weights are mostly chance.
    kept = [k for k in np.argsort(-np.abs(weights), kind="stable") if abs(weights[k]) >= 0.1 * np.abs(weights).max()]
    summands = [(float(weights[k] / spreads[tried[k], 0]), scales[tried[k]], entries[tried[k]]) for k in kept]

    def value(record):
        return sum(weight * scale(entry.value(record)) for weight, scale, entry in summands)

    names = ", ".join(entry.name for _, _, entry in summands[:3])
    more = f" and {len(summands) - 3} more" if len(summands) > 3 else ""
    return _Reading(f"weighted sum of {names}{more}", value)


class _Scale:
    """Turns an entry into a number: a number into standard deviations, a symbol into its log-likelihood ratio."""

    def __init__(self, data_values, neighbour_values):
        pooled = [v for v in data_values + neighbour_values if _is_number(v) and math.isfinite(v)] or [0.0]
        self.centre, self.spread = float(np.mean(pooled)), float(np.std(pooled)) or 1.0
        self.ratios = _symbol_ratios(
            *(Counter(v for v in w if not _is_number(v)) for w in (data_values, neighbour_values))
        )

    def __call__(self, value) -> float:
        if _is_number(value):
            return min(max((value - self.centre) / self.spread, -1e6), 1e6)
        return self.ratios.get(value, 0.0)


# From counts to epsilon.


def _estimated_bound(hits, runs, alpha, delta) -> np.ndarray:
    """Return about the bound that fresh runs would give for each event, by Wilson's interval (1927) for speed."""
    z = -NormalDist().inv_cdf(alpha / 2)
    high, low = np.maximum(*hits), np.minimum(*hits)

    def limit(count, sign):
        middle = count + z * z / 2
        return (middle + sign * z * np.sqrt(count * (runs - count) / runs + z * z / 4)) / (runs + z * z)

    return np.maximum(*_log_ratios(limit(high, -1), limit(low, +1), delta))


def _log_ratios(lower, upper, delta):
    """Return ln((P - delta) / Q) for an event and for its opposite, P at least ``lower`` and Q at most ``upper``."""
    least = 1e-300  # a rate below delta proves nothing: a large negative number
    return (
        np.log(np.maximum(lower - delta, least) / np.maximum(upper, least)),
        np.log(np.maximum(1 - upper - delta, least) / np.maximum(1 - lower, least)),
    )


def upper_limit(hits: int, runs: int, tail: float) -> float:
    """Return Clopper and Pearson's upper limit: the rate at which ``hits`` or fewer have probability ``tail``."""
    return 1 - lower_limit(runs - hits, runs, tail)


def lower_limit(hits: int, runs: int, tail: float) -> float:
    """Return Clopper and Pearson's lower limit: the rate at which ``hits`` or more have probability ``tail``."""
    from scipy import special  # loaded here, because it takes longer to load than this whole package

    return float(special.betaincinv(hits, runs - hits + 1, tail)) if hits else 0.0
