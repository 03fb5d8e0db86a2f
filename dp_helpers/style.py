"""The one style of the book's figures, and its colours."""

from pathlib import Path

TRUE = "#2A7FBF"
"""Colour of what is true: the data and exact answers, in every figure of the book."""
PRIVATE = "#D55E00"
"""Colour of what is private: the noisy answers that are released, in every figure of the book."""
NEUTRAL = "#757575"
"""Colour of what is neither: bounds, reference lines, the world in between."""


def use_style() -> None:
    """Draw every figure from here on in the style of the book.

    Sets matplotlib's ``rcParams`` from the style file of this package: 4.8 by 3 inches at 150 dots per inch, the
    bundled font DejaVu Sans, and colours that stay apart for colour-blind readers and readable on white and on dark
    pages.  The first two colours of a figure are `TRUE` and `PRIVATE`.  Axes have few ticks, at least three, at round
    numbers (matplotlib would also take 2.5 and its multiples), and lines across where a height is read off.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> import dp_helpers as dp
    >>> dp.use_style()
    >>> mpl.rcParams["axes.prop_cycle"].by_key()["color"][:2] == [dp.TRUE, dp.PRIVATE]
    True
    """
    from matplotlib import scale, style, ticker  # only here: whoever wants a mechanism needs no matplotlib

    class RoundTicks(scale.LinearScale):
        name = "linear"  # in place of matplotlib's own, which no setting can give other ticks

        def __init__(self, *unused):
            """Leave the axis unused, which matplotlib hands over before version 3.11."""

        def set_default_locators_and_formatters(self, axis):
            super().set_default_locators_and_formatters(axis)
            axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 5, 10], min_n_ticks=3))

    style.use(Path(__file__).with_name("sliding_epsilon.mplstyle"))
    scale.register_scale(RoundTicks)
