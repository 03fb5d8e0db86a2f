"""``play``: a figure that the page computes itself, with a still picture where nothing computes."""

from dp_helpers.page import notebook, website
from dp_helpers.page.explore import Exploration, current_venue, drawn_at, sentence_of


def play(name, figure, *, alt, caption, **data) -> Exploration:
    """Show a figure that the website's script ``play-<name>.js`` draws and lets the reader play with.

    Everywhere else, and on a page without scripts, the still picture of ``figure`` stands.

    Parameters
    ----------
    name : str
        Which script of ``book/_static``.
    figure : callable
        Takes no argument and returns the still picture, a matplotlib Figure.
    alt, caption : str
        The still picture's alternative text, and the caption of both.
    **data
        What the script needs of the chapter's data, as JSON.

    Returns
    -------
    Exploration
        Shown by Jupyter when it ends a cell.

    Raises
    ------
    TypeError
        If an argument is of the wrong type or ``figure`` does not return a Figure.
    ValueError
        If a text is empty.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> import dp_helpers as dp
    >>> dp.play("two-worlds", plt.figure, alt="Two peaks.", caption="With you and without you.")
    Two peaks. With you and without you.
    """
    name, alt, caption = sentence_of("name", name), sentence_of("alt", alt), sentence_of("caption", caption)
    if not callable(figure):
        raise TypeError(f"figure must be a function that returns a matplotlib Figure, got {figure!r}")
    shown = Exploration(f"{alt} {caption}")
    if current_venue() == "site":
        shown.data["text/html"] = website.playground(name, lambda values: drawn_at(figure, values), alt, caption, data)
        return shown
    with drawn_at(figure, {}) as still:
        shown.data["image/png"] = notebook.picture(still, caption)
    shown.metadata["image/png"] = {"alt": alt}
    return shown
