"""The mistakes that `make faults` plants can still be planted: what they change is there."""

import pytest

from tests.faults.plant import ROOT, planted, read_faults


@pytest.mark.parametrize("fault", read_faults(), ids=lambda fault: fault["name"])
def test_a_planted_fault_is_not_stale(fault):
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert planted(text, fault) != text
    modules = [name.split("::")[0] for name in fault["tests"] if name.startswith("tests/") or "/tests/" in name]
    assert all((ROOT / module).exists() for module in modules)
