"""How much is tried: a sample by default, all of it under DP_TEST_ALL=1 (`make test-all`, weekly)."""

import os

import pytest

THOROUGH = os.environ.get("DP_TEST_ALL") == "1"
weekly = pytest.mark.skipif(not THOROUGH, reason="takes long: DP_TEST_ALL=1 tries it")


def sample(items, every):
    """Return all items, or where a sample is tried each one of so many, always the same."""
    return items if THOROUGH else items[every // 2 :: every]
