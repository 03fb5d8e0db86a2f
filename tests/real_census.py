"""Where the real census file is, for the tests that need it; it is never part of the repository."""

import os
from pathlib import Path

import pytest


def real_census() -> Path:
    """Return the path of UCI's adult.data, which DP_CENSUS_REAL names, or skip the test."""
    named = os.environ.get("DP_CENSUS_REAL")
    if not named:
        pytest.skip("needs UCI's adult.data: set DP_CENSUS_REAL to its path, or run make test-all, which fetches it")
    assert Path(named).is_file(), f"DP_CENSUS_REAL names no file: {named}"
    return Path(named)
