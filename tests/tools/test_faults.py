"""The list of faults to plant is one that can be planted: each text is there, each test too."""

import pytest
from faults import plant

FAULTS = plant.read_faults()


def test_there_are_forty_over_all_rooms():
    assert len(FAULTS) >= 40
    assert len({fault["name"] for fault in FAULTS}) == len(FAULTS)
    rooms = {fault["file"].split("/")[0] for fault in FAULTS}
    assert {"dp_helpers", "book", "assignments", "tools"} <= rooms


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["name"])
def test_a_fault_can_be_planted_and_its_tests_exist(fault):
    text = (plant.ROOT / fault["file"]).read_text(encoding="utf-8")
    assert plant.planted(text, fault) != text
    assert all((plant.ROOT / name).exists() for name in fault["tests"] if "/" in name)


def test_a_stale_fault_says_so():
    with pytest.raises(ValueError, match=r"no noise: a\.py no longer holds 'scale'"):
        plant.planted("nothing", {"name": "no noise", "file": "a.py", "old": "scale", "new": "0"})
