"""``play``: a figure that the page computes itself, with a still picture where nothing computes."""

from slider_figures import checks, notebook, website
from slider_figures.explore import Exploration, current_venue, drawn_at


def play(name, figure, *, alt, caption, **data) -> Exploration:
    """Show a figure that the website's script ``play-<name>.js`` draws and lets the reader play with.

    Everywhere else, and on a page without scripts, the still picture of ``figure`` stands.

    Parameters
    ----------
    name : str
        Which script; it lies beside ``play.js``.
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
    >>> from slider_figures import play
    >>> play("dice", plt.figure, alt="Two dice.", caption="Throw them.")
    Two dice. Throw them.
    """
    name, alt, caption = (
        checks.sentence(which, text) for which, text in (("name", name), ("alt", alt), ("caption", caption))
    )
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
