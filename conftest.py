"""What holds for the tests of every room: the same examples on each run, no deadline, and one thread a process."""

import gc
import os

# Tests run side by side: threads of BLAS would slow small matrices down many times on a busy machine. It reads this as
# NumPy is imported, which no plugin of pytest does before.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings
from thorough import THOROUGH

# The examples are the same on each run: the second fifty of a hundred, which take as long as the first, go weekly.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=100 if THOROUGH else 50)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Twelve thousand tests stay until the end, and needn't be looked through for rubbish again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
