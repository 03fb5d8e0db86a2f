import math

import numpy as np
import pytest

from dp_helpers.numerics import bisect, splitmix64


def test_bisection_ends_on_neighbouring_floats_around_the_change():
    below, above = bisect(lambda x: x * x < 2, 0.0, 2.0)
    assert below * below < 2 <= above * above
    assert above == math.nextafter(below, math.inf)


def test_bisection_stops_at_its_precision():
    asked = []

    def too_low(x):
        asked.append(x)
        return x < 0.3

    below, above = bisect(too_low, 0.0, 1.0, precision=1e-3)
    assert below < 0.3 <= above
    assert above - below <= 1e-3 * above
    assert len(asked) < 15


@pytest.mark.parametrize("always", [True, False])
def test_bisection_keeps_the_end_that_is_never_passed(always):
    assert bisect(lambda x: always, 1.0, 3.0)[1 if always else 0] == (3.0 if always else 1.0)


def test_the_generators_first_numbers():
    """From the seed 1234567, as its authors' program prints them."""
    stream = splitmix64(np.array([1234567], dtype=np.uint64), np.arange(3, dtype=np.uint64))
    assert stream.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
