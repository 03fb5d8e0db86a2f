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
    pages.  The first two colours of a figure are `TRUE` and `PRIVATE`.  Axes have few ticks, at round numbers, written
    as the text writes them: 0.5, 10,000, 10⁻⁶.  Nothing stands behind the data: where a height is read off, ask for
    lines by ``axes.grid(axis="y")``.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> import dp_helpers as dp
    >>> dp.use_style()
    >>> mpl.rcParams["axes.prop_cycle"].by_key()["color"][:2] == [dp.TRUE, dp.PRIVATE]
    True
    """
    from matplotlib import scale, style  # only here: whoever wants a mechanism needs no matplotlib

    from dp_helpers import ticks

    style.use(Path(__file__).with_name("sliding_epsilon.mplstyle"))
    for kind in (ticks.Linear, ticks.Logarithmic):
        scale.register_scale(kind)
