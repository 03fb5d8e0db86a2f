"""``explore``: a figure under sliders that works with or without a kernel; its arguments, checked."""

import inspect
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text

from slider_figures import checks, live, notebook, website
from slider_figures.svg import RAISED
from slider_figures.words import Spoken, Words, evaluate, parsed, readable

VENUES = ("site", "notebook", "live")
MOST_FRAMES = 1_200
LABELS: dict[str, str] = {}
"""What stands beside the sliders of these names in all figures, where `explore` isn't told otherwise."""


def explore(
    figure, *, alt, caption, words=None, texts=(), initial=None, labels=None, draws=1, **values
) -> "Exploration":
    """Show ``figure`` under one slider for each keyword of ``values``.

    The same call works wherever the notebook is.  In a live kernel the figure is drawn anew as a slider moves, at any
    number between the first and the last of its list.  On the website, where no kernel is, the figure at all
    combinations of the listed values travels inside the page, which mixes neighbours where a slider of numbers stands
    between them; where picture or words can't be mixed, the slider goes from stop to stop.  In the notebook as it is
    stored, the start frame stands.
    The environment variable ``FIGURE_VENUE`` ("site", "notebook" or "live") says where that is; tools that build pages
    or store notebooks set it, and without it the venue is "live".

    Parameters
    ----------
    figure : callable
        Takes the keywords of ``values``, and ``seed`` with ``draws``, and returns a matplotlib Figure.  Its name is the
        figure's in links to it, which break where it is renamed.  It must return
        the same figure for the same values, so draw randomness from a generator seeded inside it.  It should fix the
        limits of its axes and draw the same artists at all values: so what moves is the data, and the website's
        sliders move continuously.  Marks with the gid "sample" stay, faintly, when the reader draws again.  In texts
        of the figure prefer "ε" to mathematics between dollar signs: the site sets them in the page's own font.
    alt : str or callable
        Alternative text: a sentence about what is seen at these values.  A format string over the keywords, such as
        ``"At width {width:g} the curves overlap."``, in whose fields may stand expressions, ``{2 * width:.1f}``; or a
        function of the figure's keywords that returns it, which the page asks at the stops only.
    words : mapping, optional
        Names for what the sentences compute: an expression over the keywords and the words before it, such as
        ``{"growth": "exp(width)"}``, or a function of some of the keywords, of which the page gets a table.
        Expressions have numbers, texts, ``+ - * / ** %``, comparisons, ``a if b else c`` and what is in
        ``slider_figures.words.FUNCTIONS``.
    texts : sequence of str, optional
        Format strings, as in ``alt``, of texts in the figure: the page computes those, wherever a slider stands.
    caption : str
        What the figure shows at any values; plain text, under the figure.
    initial : mapping, optional
        Start values by keyword, each one of its list.  Default: the middle of each list.
    labels : mapping, optional
        What the reader sees beside a slider, by keyword.  Default: its name in ``slider_figures.LABELS``, where it is
        there, or with spaces for underscores.
    draws : int
        How often the figure can be drawn again with fresh noise: ``figure`` gets the keyword ``seed``, from 0 to
        ``draws`` - 1, and the reader a button.  A slider that is moved draws again, too.  For the same ``seed`` noise
        should scale with the sliders, so that the figure moves evenly while one is held.  1 means that nothing in it
        is random.
    **values : list or array
        The values of each slider, at least two: all strings, or all finite numbers in increasing order.  Two values
        become a choice between two.

    Returns
    -------
    Exploration
        Shown by Jupyter when it ends a cell.  Its ``controls`` are the sliders by keyword (live kernel only).

    Raises
    ------
    TypeError
        If an argument is of the wrong type, ``figure`` does not take the keywords, or does not return a Figure.
    ValueError
        If a list has fewer than two values, repeats one or is out of order, a start value is not listed, ``alt`` or
        ``caption`` is empty, ``alt`` names no slider or an unknown one, ``draws`` is below 1, lists and draws make
        more than 1,200 combinations, or ``FIGURE_VENUE`` is unknown.
    RuntimeError
        If ``figure`` or ``alt`` fails; the message says at which values, and its cause is the error.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> from slider_figures import explore
    >>> def bar(height):
    ...     fig, ax = plt.subplots()
    ...     ax.bar(["bar"], [height])
    ...     ax.set(ylim=(0, 2))
    ...     return fig
    >>> explore(bar, height=[0.5, 1, 2], alt="The bar is {height:g} high.", caption="One bar.")
    The bar is 1 high. One bar. Slider: height from 0.5 to 2 (3 values).
    """
    venue = current_venue()
    draws = checks.whole("draws", draws, minimum=1)
    sliders = _sliders(values, initial, labels, draws)
    start = {slider.name: slider.values[slider.start] for slider in sliders} | ({"seed": 0} if draws > 1 else {})
    _check_figure(figure, start)
    words = _checked_words(words, {slider.name: slider.values for slider in sliders}, draws)
    say, caption = _Alt(alt, start, words), checks.sentence("caption", caption)
    trees = [parsed("texts", checks.sentence("each of texts", text), words.known, template=True) for text in texts]
    spoken = Spoken(words, say.tree, list(texts), trees)
    draw = partial(drawn_at, figure)
    shown = Exploration(f"{say(start)} {caption} Slider{'s'[: len(sliders) > 1]}: {', '.join(map(str, sliders))}.")
    if venue == "site":
        shown.data["text/html"] = website.page(
            getattr(figure, "__name__", type(figure).__name__), sliders, draws, draw, say, caption, spoken
        )
        return shown
    if venue == "live":
        # The picture is for where the notebook is read without its kernel.
        shown.controls, shown.view, picture = live.widgets_view(sliders, draws, draw, say, caption)
        shown.data |= {**shown.view._repr_mimebundle_(), "text/plain": repr(shown), "image/png": picture}
    else:
        with draw(start) as drawn:
            shown.data["image/png"] = notebook.picture(drawn, caption)
    shown.metadata["image/png"] = {"alt": say(start)}
    return shown


class Exploration:
    """A figure under sliders, as returned by `explore`; Jupyter shows it through its MIME bundle.

    Attributes
    ----------
    data, metadata : dict
        The MIME bundle.
    controls : dict
        The slider widgets by keyword in a live kernel, otherwise empty.
    view : ipywidgets.VBox or None
        The sliders and the figure under them in a live kernel.
    """

    def __init__(self, text: str):
        self.data: dict[str, str] = {"text/plain": text}
        self.metadata: dict[str, dict] = {}
        self.controls: dict = {}
        self.view: Any = None

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata

    def __repr__(self):
        return self.data["text/plain"]


@dataclass(frozen=True)
class Slider:
    """A keyword of the figure function, its name for the reader, its values, and the position of the start value."""

    name: str
    label: str
    values: tuple
    start: int

    @property
    def texts(self) -> list[str]:
        """The values as the reader sees them: four significant digits, more where two would look the same."""
        for digits in range(4, 18):
            texts = [_text(value, digits) for value in self.values]
            if len(set(texts)) == len(texts):
                break
        return texts

    def __str__(self):
        return f"{self.label} from {self.texts[0]} to {self.texts[-1]} ({len(self.values)} values)"


def _text(value, digits: int) -> str:
    """Return ``value`` for the reader: 0.25, 10,000, 1.5×10⁻⁵."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < 1e9:
        return f"{value:,}".replace("-", "−")
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        decimals = digits if value == 0 else max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
    factor, power = f"{value:.{digits - 1}e}".split("e")
    factor = factor.rstrip("0").rstrip(".").replace("-", "−") + "×"
    return f"{'' if factor == '1×' else factor}10{str(int(power)).translate(RAISED)}"


@contextmanager
def drawn_at(figure, values: dict):
    """Yield the Figure at ``values``; afterwards pyplot's figures and the rcParams are as they were."""
    before = plt.get_fignums()
    current = plt.gcf().number if before else None
    result = None
    with mpl.rc_context():
        try:
            result = figure(**values)
            if isinstance(result, Figure):
                _make_readable(result)
                yield result
        except Exception as error:
            raise RuntimeError(f"figure failed at {_at(values)}: {type(error).__name__}: {error}") from error
        finally:
            for number in set(plt.get_fignums()) - set(before):
                plt.close(number)
            if current is not None and plt.fignum_exists(current):
                plt.figure(current)
    if not isinstance(result, Figure):
        given = "None" if result is None else type(result).__name__
        raise TypeError(
            f"figure must return a matplotlib Figure, got {given} at {_at(values)}; end it with `return fig`"
        )


def _make_readable(figure) -> None:
    """Write the numbers in the figure's titles and names as the sentences about it do; formulas stay."""
    artists = [*figure.texts, *(child for axes in figure.axes for child in axes.get_children())]
    for text in (artist for artist in artists if isinstance(artist, Text) and "$" not in artist.get_text()):
        text.set_text(readable(text.get_text()))


def _at(values: dict) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


# Checks of the arguments, all of them before anything is drawn.


def current_venue() -> str:
    """Return where the figure will be seen, as the environment says."""
    return checks.one_of("FIGURE_VENUE", os.environ.get("FIGURE_VENUE") or "live", VENUES)


def _sliders(values: dict, initial, labels, draws: int) -> list[Slider]:
    """Return the sliders, each list, start value and label checked, and the number of their combinations."""
    if not values:
        raise ValueError(
            "explore needs at least one slider, a keyword with a list of values, such as height=[0.5, 1, 2]"
        )
    initial, labels = _by_keyword("initial", initial, values), _by_keyword("labels", labels, values)
    sliders = []
    for name, listed in values.items():
        kept = _slider_values(name, listed)
        start = _position(f"initial[{name!r}]", initial[name], kept) if name in initial else len(kept) // 2
        label = checks.sentence(f"labels[{name!r}]", labels.get(name) or LABELS.get(name, name.replace("_", " ")))
        sliders.append(Slider(name, label, kept, start))
    frames = draws * math.prod(len(slider.values) for slider in sliders)
    if frames > MOST_FRAMES:
        sizes = " by ".join(f"{len(slider.values)} of {slider.name}" for slider in sliders)
        sizes += f" by {draws} draws" if draws > 1 else ""
        raise ValueError(
            f"the sliders must make at most {MOST_FRAMES} frames, got {frames} ({sizes}): list fewer values"
        )
    return sliders


def _by_keyword(name: str, given, values: dict) -> Mapping:
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a dict by slider, got {given!r}")
    for keyword in given:
        checks.one_of(f"a name in {name}", keyword, values)
    return given


def _slider_values(name: str, listed) -> tuple:
    if isinstance(listed, str) or not isinstance(listed, (Sequence, np.ndarray, pd.Series, pd.Index)):
        raise TypeError(f"{name} must be a list or array of the slider's values, got {listed!r}")
    kept = [value.item() if isinstance(value, np.generic) else value for value in listed]
    if len(kept) < 2:
        raise ValueError(f"{name} must hold at least two values for its slider to move between, got {kept!r}")
    if all(isinstance(value, str) for value in kept):
        if not all(value.strip() for value in kept):
            raise ValueError(f"{name} must not hold an empty string, got {kept!r}")
    elif any(isinstance(value, str) for value in kept):
        raise TypeError(f"{name} must hold numbers only or strings only, got {kept!r}")
    else:
        numbers = [checks.number(f"each value of {name}", value) for value in kept]
        kept = [int(value) for value in kept] if all(isinstance(value, Integral) for value in kept) else numbers
    repeated = [value for value in kept if kept.count(value) > 1]
    if repeated:
        raise ValueError(f"{name} must not hold a value twice, got {repeated[0]!r} {len(repeated)} times")
    if not isinstance(kept[0], str) and kept != sorted(kept):
        raise ValueError(f"{name} must be in increasing order, got {kept!r}")
    return tuple(kept)


def _position(name: str, value, kept: tuple) -> int:
    for position, listed in enumerate(kept):
        both_numbers = not isinstance(value, str) and not isinstance(listed, str)
        # 0.3 finds its neighbour in np.linspace, 0.30000000000000004.
        if value == listed or (both_numbers and math.isclose(checks.number(name, value), listed)):
            return position
    raise ValueError(f"{name} must be one of {', '.join(map(repr, kept))}, got {value!r}")


def _check_figure(figure, start: dict) -> None:
    if not callable(figure):
        raise TypeError(f"figure must be a function that returns a matplotlib Figure, got {figure!r}")
    try:
        inspect.signature(figure).bind(**start)
    except TypeError as error:
        raise TypeError(f"figure must take the sliders as keywords ({', '.join(start)}): {error}") from None


def _checked_words(words, values: dict, draws: int) -> Words:
    """Return the words, each an expression or a function of the sliders, and the seed where there are draws."""
    if words is not None and not isinstance(words, Mapping):
        raise TypeError(f"words must be a dict by name, got {words!r}")
    return Words(words or {}, values | ({"seed": tuple(range(draws))} if draws > 1 else {}))


class _Alt:
    """The sentence about what is seen at some values; ``tree`` is what the page computes it from, where it can."""

    def __init__(self, alt, start: dict, words: Words):
        names = [name for name in start if name != "seed"]
        self.tree = None
        if isinstance(alt, str):
            template = checks.sentence("alt", alt)
            self.tree = parsed("alt", template, words.known, template=True)
            if all(part[0] == "text" for part in self.tree[1:]):
                raise ValueError(
                    f"alt must say what is seen at these values and name a slider ({{{names[0]}}}), got {alt!r}"
                )
            self.make = lambda **values: evaluate(self.tree, words.at(values))
        elif callable(alt):
            self.make = alt
        else:
            raise TypeError(f"alt must be a format string or a function that returns a sentence, got {alt!r}")

    def __call__(self, values: dict) -> str:
        try:
            sentence = self.make(**values)
        except Exception as error:
            raise RuntimeError(f"alt failed at {_at(values)}: {type(error).__name__}: {error}") from error
        return readable(checks.sentence(f"alt at {_at(values)}", sentence))
