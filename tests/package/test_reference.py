"""Every reference number is tested, or listed with the reason why not."""

import ast
from collections import Counter
from pathlib import Path

from reference import VECTORS, WITHOUT_FUNCTION, found

TESTS = Path(__file__).parents[1]


def asked_for():
    """Return the beginnings of ids for which a test calls `reference`, read from the source."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", None) == "reference"
                and path.name != "test_reference.py"
            ):
                yield from (part.value for part in node.args if isinstance(part, ast.Constant))


def test_every_number_is_tested_or_listed_and_none_is_both():
    tested = {vector["id"] for prefix in set(asked_for()) for vector in found(prefix)}
    listed = Counter(vector["id"] for prefixes in WITHOUT_FUNCTION.values() for p in prefixes for vector in found(p))
    everything = {vector["id"] for vector in VECTORS}
    forgotten = sorted(everything - tested - listed.keys())
    assert not forgotten, f"test them, or list them in tests/reference.py with the reason: {forgotten}"
    twice = sorted(tested & listed.keys()) + [name for name, times in listed.items() if times > 1]
    assert not twice, f"these are tested: take them off the list in tests/reference.py: {twice}"
    assert len(tested) + len(listed) == len(everything) == len(VECTORS) == 383
