"""Reference numbers from tests/vectors.json, which names the independent source of each.

A test beside the function asks for its numbers by ``reference("...")``, with the id written out.  Numbers that no
function of the package gives stand in `WITHOUT_FUNCTION`, each under its reason.  test_reference.py holds the two
together: every number is in exactly one of the two places.
"""

import json
from pathlib import Path

import pytest

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))

# Reason: beginnings of ids, as `reference` takes them.
WITHOUT_FUNCTION = {
    "the classical method refuses epsilon of 1 and more": ["gauss.classic.sigma.e1"],
    "delta of pure noise, or its largest loss: the book works them out on the page": ["laplace.delta", "fcombined"],
    "noise that the package doesn't have": ["dgauss", "studentt", "cauchy", "knorm"],
    "too rare an event to be drawn; test_selection.py draws gap 0": [
        "rnm.lap.nonmono.loss.g10",
        "rnm.lap.nonmono.loss.g40",
    ],
    "what a wrong threshold costs; dp_helpers.broken has it, and its audit measures it": ["ptr.book"],
    "the smooth sensitivity is offered for the median only": ["smooth.mean"],
    "where a wrong formula of advanced composition crosses the sum": ["adv.cross8L"],
    "amplification by sampling alone": ["subsample"],
    "the best of several runs: two outcomes, by hand": ["best"],
    "what to do with noisy answers is the reader's, in a chapter": ["clamp", "avgattack", "ldp.posterior"],
    "local protocols that the package doesn't have": ["hr", "rappor", "cms", "hm"],
    "chapter 24 works them out on the page: test_24_judging_a_claim.py": ["census.share"],
    "a condition on the values, not a number: l_diversity offers the other two kinds": ["ldiv.recursive"],
}


def found(prefix):
    """Return the vectors whose id starts with ``prefix``, whole parts of it."""
    return [vector for vector in VECTORS if f"{vector['id']}.".startswith(f"{prefix}.")]


def reference(prefix):
    """Return pytest parameters (inputs, value, tolerance), one for each reference whose id starts with ``prefix``.

    ``prefix`` is whole parts of the id: "adv.cross" finds "adv.cross.e0.1", not "adv.cross8L.d1e-4".  ``inputs`` is a
    dict, ``value`` a number or a list, ``tolerance`` absolute: ``pytest.approx(value, rel=0, abs=tolerance)``.
    """
    vectors = found(prefix)
    if not vectors:
        raise LookupError(f"vectors.json has no id that starts with {prefix!r}")
    return [pytest.param(v["inputs"], v["value"], v["tolerance"], id=v["id"]) for v in vectors]
