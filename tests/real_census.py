"""Where the real census file is, for the tests that need it; it is never part of the repository."""

import os
from pathlib import Path

import pytest

BESIDE_THE_REPOSITORY = Path(__file__).parents[1] / "../shared/data/adult.data"


def real_census() -> Path:
    """Return the path of UCI's adult.data, or skip the test."""
    if named := os.environ.get("DP_CENSUS_REAL"):
        assert Path(named).is_file(), f"DP_CENSUS_REAL names no file: {named}"
        return Path(named)
    if not BESIDE_THE_REPOSITORY.is_file():
        pytest.skip("needs UCI's adult.data: set DP_CENSUS_REAL to its path")
    return BESIDE_THE_REPOSITORY
