"""How much is tried: a sample by default, all of it under DP_TEST_ALL=1 (`make test-all`, weekly)."""

import os
import zlib

import pytest

THOROUGH = os.environ.get("DP_TEST_ALL") == "1"
weekly = pytest.mark.skipif(not THOROUGH, reason="takes long: DP_TEST_ALL=1 tries it")


def sample(items, every, name=str):
    """Return all items, or where a sample is tried one of so many, always the same.

    Each item's ``name`` decides by its hash: whoever adds or removes an item changes at most one other's turn.
    """
    items = list(items)
    if THOROUGH:
        return items
    chosen = sorted(range(len(items)), key=lambda i: zlib.crc32(name(items[i]).encode()))[: -(-len(items) // every)]
    return [items[i] for i in sorted(chosen)]
