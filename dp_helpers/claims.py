"""A claim of differential privacy: what is missing in it, and what it comes to for one reader's data and time.

The calculator of chapter 24 and of the page "Judge a claim" computes the same (`book/_static/judging.js`); a test holds
the two together.  Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context

from dp_helpers import validation as check
from dp_helpers.accounting import group_privacy
from dp_helpers.data import load_deployments
from dp_helpers.renyi import zcdp_to_dp

# What may be said in each gap, and how the claim's sentence says it.
_UNITS = {
    "event": "one event (a report, a row)",
    "person-day": "one person on one day",
    "person": "one person (with all rows)",
    "household": "one household (with all rows)",
    "per-record": "one record (the larger it is, the less is promised)",
}
_CHANGES = {"add/remove": "added or removed", "replace-one": "replaced"}
_PUBLICATIONS = {"all": "all publications from these data", "named": "the publications that are named"}
_PER_DAY = {"once": 0, "hour": 24, "day": 1, "week": 1 / 7, "month": 12 / 365, "quarter": 4 / 365, "year": 1 / 365}
_TRUST = {
    "central": "the office that collects",
    "local": "only your device",
    "shuffled": "a shuffler that doesn't talk to the office",
    "masked": "the others whose reports are in the masked sums",
    "enclave": "a machine whose program can be inspected",
}
_EXCEPTIONS = {"none": "without exceptions", "named": "apart from the exceptions that are named"}
_FEARS = ("claim", "presence", "content")

_REFUSED = (
    "No single ε describes this claim: for a large record it promises less, and how much less is set by a function of"
    " the record's size. Ask for the ε of a record like yours."
)
_TWICE = "because data that say something else are one row out and one in"
_NOTES = {
    "shuffled": "If the shuffler talks to the office, only the larger ε of your device is left.",
    "masked": "It holds only if enough of the others are honest and answer.",
    "enclave": "It holds only while the machine runs the program that was inspected.",
}


@dataclass(frozen=True)
class JudgedClaim:
    """What `judge_claim` returns.

    Attributes
    ----------
    missing : tuple of str
        What the claim leaves open, in the order of the seven gaps; empty if nothing is.
    claimed, release, total : tuple of float, or None
        (epsilon, delta) as claimed, for the reader's data in one publication, and in the whole time; None where it
        can't be said.  A delta of 1 promises nothing.
    releases : int or None
        Publications in the reader's time.
    sentence : str
        The claim in one sentence, with a question in brackets for what is missing.
    verdict : str
        What it comes to, in sentences.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.judge_claim(epsilon=4).missing[:3]
    ('whose data', 'how they change', 'which publications')
    """

    missing: tuple[str, ...]
    claimed: tuple[float, float] | None
    release: tuple[float, float] | None
    total: tuple[float, float] | None
    releases: int | None
    sentence: str
    verdict: str


def judge_claim(
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    unit: str | None = None,
    neighbours: str | None = None,
    publications: str | None = None,
    period: str | None = None,
    times: int = 1,
    model: str | None = None,
    exceptions: str | None = None,
    events: int = 1,
    days: float = 365,
    fear: str = "claim",
    at_delta: float = 1e-10,
) -> JudgedClaim:
    """Return what a claim of differential privacy leaves open, and what it comes to for one reader.

    A claim for one unit holds for ``k`` units of the reader's in one publication by `group_privacy`, or with k^2 rho.
    If somebody fears what the data *say* and the claim is about adding and removing, k doubles: one row goes out,
    another comes in.  Then publications add up, and the smaller of two bounds counts: the sum of all epsilon, or
    rho = epsilon^2 / 2 of each, added and turned into an epsilon once, by `zcdp_to_dp`, at ``at_delta``.  (An (epsilon,
    delta) mechanism is one that fails with probability delta and is pure else, so this holds with a delta, too.)
    Under local privacy each report is a publication of its own.

    Parameters
    ----------
    epsilon, delta, rho : float, optional
        The price of one publication: epsilon above 0, with delta in [0, 1) or without, or rho above 0.  A delta that
        isn't given counts as 0 and is named as missing.
    unit : str, optional
        Whose data: "event", "person-day", "person", "household", or "per-record" (a promise that weakens with a
        record's size, which is refused).  As all others, None if it isn't said.
    neighbours : str, optional
        "add/remove" or "replace-one".
    publications : str, optional
        What the price covers: "all" from these data, or "named" ones, besides which there are others.
    period : str, optional
        "once", "hour", "day", "week", "month", "quarter" or "year".
    times : int
        Publications in each period, or in all for "once"; at least 1.
    model : str, optional
        "central", "local", "shuffled", "masked" or "enclave".
    exceptions : str, optional
        "none" or "named".
    events : int
        The reader's events in each publication, at least 1; counts for the unit "event" only.
    days : float
        The reader's time, above 0; it begins with a period.
    fear : str
        "presence" (that somebody took part), "content" (what the data say), or "claim", the one that it is about.
    at_delta : float
        Above 0 and below 1: the delta at which a rho is turned into an epsilon.

    Returns
    -------
    JudgedClaim

    References
    ----------
    Dwork, Kohli & Mulligan (2019), Differential privacy in practice: expose your epsilons, JPC.
    Bun & Steinke (2016), Concentrated differential privacy, TCC, Proposition 1.4 (epsilon^2 / 2).
    Kairouz, Oh & Viswanath (2015), The composition theorem for differential privacy, ICML (delta as failure).

    Examples
    --------
    >>> import dp_helpers as dp
    >>> views = dp.judge_claim(rho=0.015, unit="person", neighbours="add/remove", period="day", days=365)
    >>> round(views.total[0], 1), views.missing
    (27.0, ('which publications', 'whom to trust', 'which exceptions'))
    """
    claim = _checked(epsilon, delta, rho, unit, neighbours, publications, period, times, model, exceptions)
    events = check.integer("events", events, minimum=1)
    days = check.positive("days", days)
    fear = check.choice("fear", fear, _FEARS)
    at_delta = check.probability("at_delta", at_delta, zero=False, one=False)
    missing = _missing(claim)
    sentence = _sentence(claim)
    priced = (claim["rho"] or claim["epsilon"]) is not None
    claimed = _composed(claim, 1, 1, at_delta) if priced and unit != "per-record" else None
    ending = f" Missing: {', '.join(missing)}." if missing else " All seven gaps are filled."
    stopped = _stopped(claim, fear, priced)
    if stopped:
        return JudgedClaim(missing, claimed, None, None, None, sentence, stopped + ending)
    releases = _releases(claim["period"], claim["times"], days)
    twice = fear == "content" and neighbours != "replace-one"
    in_one = {"event": events, "person-day": _days_in_one(claim, days)}.get(claim["unit"], 1)
    reports = in_one if model == "local" else 1
    size = (2 if twice else 1) * (1 if model == "local" else in_one)
    release = _composed(claim, size, reports, at_delta)
    total = _composed(claim, size, reports * releases, at_delta)
    verdict = _verdict(claim, fear, twice, total, releases) + ending
    return JudgedClaim(missing, claimed, release, total, releases, sentence, verdict)


def claim_cards() -> list[dict]:
    """Return the published claims of `load_deployments` as `judge_claim` and the calculator take them.

    Two are left out, which aren't one claim about one unit: a bundle of page views, and a range of rho.

    Returns
    -------
    list of dict
        ``name`` and ``label``, then those arguments of `judge_claim` that the table states.  Where it states a rho
        beside an epsilon, the rho, from which the epsilon was computed.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> cards = {card["name"]: card for card in dp.claim_cards()}
    >>> cards["apple-emoji"]["epsilon"], cards["apple-emoji"]["period"]
    (4.0, 'day')
    """
    rows = load_deployments().drop(index=["wikimedia-history", "google-keyboard"])
    return [_card(name, row[(row != "not found") & row.notna()]) for name, row in rows.iterrows()]


_EVENTS = ("one report", "one hire", "1,024 tokens in a row", "one trip", "one record")
_KINDS = dict.fromkeys(_EVENTS, "event") | {"one housing unit": "household", "one establishment": "per-record"}


def _card(name, row) -> dict:
    label = f"{row['who']}: {row['what']}" + " (as registered)" * (row["status"] == "as registered")
    card = {"name": name, "label": label}
    if "unit" in row:
        card["unit"] = _KINDS.get(row["unit"], "person")
    prices = ["rho"] if "rho" in row else ["epsilon", "delta"]
    card |= {field: row[field] for field in (*prices, "neighbours", "model", "period") if field in row}
    return card | {"period": "day", "times": 4} if card.get("period") == "6 hours" else card


def _checked(epsilon, delta, rho, unit, neighbours, publications, period, times, model, exceptions) -> dict:
    if rho is not None and epsilon is not None:
        raise ValueError(f"rho must not be given beside epsilon: a claim has one price, got {rho!r} and {epsilon!r}")
    if delta is not None and epsilon is None:
        raise ValueError(f"delta must not be given without epsilon, got {delta!r}")
    if rho is not None:
        rho = check.positive("rho", rho)
    if epsilon is not None:
        epsilon = check.positive("epsilon", epsilon)
    if delta is not None:
        delta = check.probability("delta", delta, one=False)
    said = {"unit": unit, "neighbours": neighbours, "publications": publications, "period": period}
    said |= {"model": model, "exceptions": exceptions}
    allowed: list[dict] = [_UNITS, _CHANGES, _PUBLICATIONS, _PER_DAY, _TRUST, _EXCEPTIONS]
    for (name, value), options in zip(said.items(), allowed, strict=True):
        if value is not None:
            said[name] = check.choice(name, value, options)
    times = check.integer("times", times, minimum=1)
    return {"epsilon": epsilon, "delta": delta, "rho": rho, "times": times, **said}


def _missing(claim) -> tuple[str, ...]:
    no_price = claim["epsilon"] is None and claim["rho"] is None
    no_delta = claim["epsilon"] is not None and claim["delta"] is None
    open_gaps = {
        "whose data": not claim["unit"],
        "how they change": not claim["neighbours"],
        "which publications": not claim["publications"],
        "how often": not claim["period"],
        "ε or ρ": no_price,
        "δ (read as 0)": no_delta,
        "whom to trust": not claim["model"],
        "which exceptions": not claim["exceptions"],
    }
    return tuple(words for words, is_open in open_gaps.items() if is_open)


def _stopped(claim, fear, priced) -> str:
    """Return why nothing can be computed, or an empty text."""
    if claim["unit"] == "per-record":
        return _REFUSED
    if not priced:
        return "This can't be judged: no ε, and no ρ."
    if not claim["unit"] or not claim["period"]:
        return "This can't be judged: ask for what is missing."
    if fear == "presence" and claim["neighbours"] == "replace-one":
        return (
            "This can't be judged: a claim about replaced data compares tables of equally many rows, so it doesn't say"
            " how many took part, nor whether you are one of them if nobody would stand in your place."
        )
    return ""


def _releases(period, times, days) -> int:
    if period == "once":
        return times
    return max(1, math.ceil(days * times * _PER_DAY[period] - 1e-9))


def _days_in_one(claim, days) -> int:
    """How many of the reader's days are in one publication: it is about the days since the last one."""
    if claim["period"] == "once":
        return math.ceil(days)
    if claim["period"] in ("hour", "day"):
        return 1
    return min(math.ceil(days), max(1, math.ceil(1 / (_PER_DAY[claim["period"]] * claim["times"]) - 1e-9)))


def _composed(claim, size, count, at_delta) -> tuple[float, float]:
    """The smaller of two bounds on ``count`` publications, each about ``size`` units of the reader's."""
    if claim["rho"]:
        return zcdp_to_dp(count * size**2 * claim["rho"], delta=at_delta), at_delta
    epsilon, delta = group_privacy(claim["epsilon"], claim["delta"] or 0.0, size=size)
    summed = count * epsilon, min(1.0, count * delta)
    failed = -math.expm1(count * math.log1p(-delta)) if delta < 1 else 1.0
    converted = zcdp_to_dp(count * epsilon**2 / 2, delta=at_delta), min(1.0, failed + at_delta)
    return converted if converted[0] < summed[0] else summed


def _verdict(claim, fear, twice, total, releases) -> str:
    epsilon, delta = total
    after = "one publication" if releases == 1 else f"{releases:,} publications"
    if delta >= 1:
        return f"After {after} this bound promises nothing: δ has come to 1."
    slack = f", but for δ = {_power(delta)}" if delta else ""
    about = {"presence": " that you took part", "content": " about what your data say"}
    own = {"add/remove": "presence", "replace-one": "content"}.get(claim["neighbours"], "")
    said = [
        f"After {after}: ε = {_at_most(epsilon)} at most{slack}{_way(claim, delta, releases, twice)}.",
        f"A suspicion of 1 in 100{about.get(own if fear == 'claim' else fear, '')} may rise to"
        f" {_chance(epsilon)} in 100, for somebody who knows all the rest.",
    ]
    if (claim["delta"] or 0) >= _LARGE_DELTA:
        said.append(f"A δ of {_power(claim['delta'])} lets {_share(claim['delta'])} be published as it is.")
    if not claim["neighbours"]:
        said.append(_NOT_SAID[fear].format(times="four times the ρ" if claim["rho"] else "twice as much"))
    if claim["model"] in _NOTES:
        said.append(_NOTES[claim["model"]])
    if claim["publications"] == "named":
        said.append("What else is published about the same data comes on top.")
    if claim["exceptions"] == "named":
        said.append("What is excepted has no limit.")
    return " ".join(said)


# Far above any δ that a census or a company states: a program that publishes one row in 10,000 as it is keeps this one.
_LARGE_DELTA = 1e-4

_NOT_SAID = {
    "claim": "What your data say may cost {times}: it depends on how they change.",
    "presence": "If data are replaced, it doesn't cover whether you took part.",
    "content": "If data are replaced, it isn't doubled.",
}


def _way(claim, delta, releases, twice) -> str:
    ways = []
    if twice:
        ways.append(f"{'ρ four times' if claim['rho'] else 'doubled'}, {_TWICE}")
    if claim["rho"]:
        ways.append("each ρ added, then turned into ε once" if releases > 1 else "ρ turned into ε")
    elif delta and not claim["delta"]:
        ways.append("by ρ = ε²/2 each, added, then turned into ε once; at δ = 0 it is more")
    return f" ({'; '.join(ways)})" if ways else ""


def _sentence(claim) -> str:
    def said(options, name, question):
        return options.get(claim[name]) or f"[{question}]"

    if claim["rho"]:
        price = f"cost at most ρ = {_exact(claim['rho'])}"
    elif claim["epsilon"]:
        slack = f", but for δ = {_power(claim['delta'])}" if claim["delta"] else ""
        open_slack = ", but for [which δ?]" if claim["delta"] is None else ""
        factor = f"e^{_exact(claim['epsilon'])}"
        whom = "about this unit, for somebody who knows all the rest,"
        price = f"change the odds of any suspicion {whom} by a factor of at most {factor}{slack}{open_slack}"
    else:
        price = "cost at most [which ε, or which ρ?]"
    changed = said(_CHANGES, "neighbours", "added, removed or replaced?")
    return (
        f"If the data of {said(_UNITS, 'unit', 'whom?')} are {changed},"
        f" then {said(_PUBLICATIONS, 'publications', 'which publications?')}, {_often(claim)}, {price}, if you trust"
        f" {said(_TRUST, 'model', 'whom?')}, {said(_EXCEPTIONS, 'exceptions', 'apart from which exceptions?')}."
    )


def _often(claim) -> str:
    period, times = claim["period"], claim["times"]
    if not period:
        return "[how often?]"
    count = "once" if times == 1 else f"{times:,} times"
    if period == "once":
        return count if times == 1 else f"{count} in all"
    return f"{count} {'an' if period == 'hour' else 'a'} {period}"


# ---------------------------------------------------------------- numbers as they are said


def _figure(value) -> str:
    """Three digits, and whole numbers whole."""
    if value >= 100 or value == math.floor(value):
        return f"{math.floor(value + 0.5):,}"
    if value < 0.001:
        return _power(value)
    return format(Context(prec=3, rounding=ROUND_HALF_UP).create_decimal_from_float(value), "f")


def _at_most(value) -> str:
    """Three digits, rounded up: a bound isn't made smaller by how it is said. Whole numbers stay whole."""
    if value < 0.001:
        return _power(value)
    if value == math.floor(value):
        return f"{value:,.0f}"
    digits = 0 if value >= 100 else 2 - math.floor(math.log10(value))
    least = value * (1 - 1e-9)  # 0.1, as a float, is a little more than 0.1
    return f"{math.ceil(least * 10**digits) / 10**digits:,.{digits}f}"


def _share(delta) -> str:
    """Which share of the rows a program may publish that keeps such a δ."""
    return f"one row in {math.floor(1 / delta * (1 + 1e-9)):,}" if delta <= 0.5 else "most rows"


def _exact(value) -> str:
    """As it is claimed."""
    return _power(value) if value < 0.001 else f"{float(f'{value:.6g}'):g}"


def _power(value) -> str:
    """Two digits and a power of ten: 1.5·10⁻⁷."""
    if value >= 0.001:
        return f"{value:.2g}"
    digits, power = f"{value:.1e}".split("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digits == "1.0" else f"{digits.removesuffix('.0')}·10{raised}"


def _chance(epsilon, before=0.01) -> str:
    """What a chance of 1 in 100 may become, in 100: rounded up, but never to certainty."""
    rest = 100 / (1 + before / (1 - before) * math.exp(min(epsilon, 700)))
    if rest < 0.001:
        return "more than 99.999"
    if rest < 1:
        digits = -math.floor(math.log10(rest))
        return f"{100 - math.floor(rest * 10**digits) / 10**digits:.{digits}f}"
    return f"{math.ceil(10 * (100 - rest)) / 10:.1f}" if rest > 90 else str(math.ceil(100 - rest))
