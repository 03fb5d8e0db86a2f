"""What the claims of all chapters are tried with."""

import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True, scope="module")
def plain_style():
    """Begin with matplotlib's own style, whatever tests of other modules have drawn in this process."""
    with mpl.rc_context():
        mpl.rcdefaults()
        yield
