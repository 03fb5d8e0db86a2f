"""Reference numbers from tests/vectors.json, which names the independent source of each."""

import json
from pathlib import Path

import pytest

_VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))


def reference(prefix):
    """Return pytest parameters (inputs, value, tolerance), one for each reference whose id starts with ``prefix``.

    ``prefix`` is whole parts of the id: "adv.cross" finds "adv.cross.e0.1", not "adv.cross8L.d1e-4".  ``inputs`` is a
    dict, ``value`` a number or a list, ``tolerance`` absolute: ``pytest.approx(value, rel=0, abs=tolerance)``.
    """
    found = [vector for vector in _VECTORS if f"{vector['id']}.".startswith(f"{prefix}.")]
    if not found:
        raise LookupError(f"vectors.json has no id that starts with {prefix!r}")
    return [pytest.param(v["inputs"], v["value"], v["tolerance"], id=v["id"]) for v in found]
