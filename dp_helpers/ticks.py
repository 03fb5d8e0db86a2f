"""The ticks of the book's figures: three or four, at round numbers, written as the text writes them."""

from matplotlib import scale, ticker

from slider_figures.svg import RAISED


class Linear(scale.LinearScale):
    """Ticks at 1, 2 or 5 times a power of ten, in place of matplotlib's own, which no setting can give other ticks."""

    name = "linear"

    def __init__(self, *unused):
        """Leave the axis unused, which matplotlib hands over before version 3.11."""

    def set_default_locators_and_formatters(self, axis):
        """Give the axis three to five round ticks."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 5, 10], min_n_ticks=3))
        axis.set_major_formatter(Numbers())


class Logarithmic(scale.LogScale):
    """Ticks at few powers of ten, and none between them."""

    name = "log"

    def __init__(self, *given, **options):
        """Pass on what matplotlib gives: before version 3.11 the axis, too."""
        super().__init__(*given, **options)

    def set_default_locators_and_formatters(self, axis):
        """Give the axis at most five powers of ten."""
        super().set_default_locators_and_formatters(axis)
        axis.set_major_locator(ticker.LogLocator(numticks=5))
        axis.set_major_formatter(Powers())
        axis.set_minor_locator(ticker.NullLocator())


class Numbers(ticker.Formatter):
    """Numbers without more digits than they need: 0, 0.5, −1, 10,000."""

    def __call__(self, x, pos=None):
        """Return the number as a text."""
        return f"{round(x, 12) + 0.0:,.10g}".replace("-", "−")


class Powers(Numbers):
    """The same where all ticks are short numbers; else 10⁻⁶, 10⁻³, 1."""

    short = True

    def set_locs(self, locs):
        """Look whether all ticks that are seen are short numbers."""
        super().set_locs(locs)
        low, high = self.axis.get_view_interval()
        self.short = all(1e-3 <= place < 2e5 for place in locs if low <= place <= high)

    def __call__(self, x, pos=None):
        """Return the number, or the power, as a text."""
        if self.short or x in (0, 1):
            return super().__call__(x, pos)
        factor, power = f"{x:.0e}".split("e")
        return f"{'' if factor == '1' else factor + '×'}10{str(int(power)).translate(RAISED)}"
