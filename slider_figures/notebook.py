"""The notebook venue of `slider_figures.explore`: the start frame as a picture that says its caption itself."""

import base64
import io
import textwrap

from matplotlib.figure import Figure


def picture(drawn: Figure, caption: str) -> str:
    """Return the figure as a PNG in base64, its caption under it: no other text is shown beside an image output."""
    lines = textwrap.fill(caption, int(13 * drawn.get_figwidth()))
    drawn.text(0.5, -0.03, lines, ha="center", va="top", fontsize=9, parse_math=False)
    return png(drawn, bbox_inches="tight")


def png(figure: Figure, **options) -> str:
    """Return the figure as a PNG in base64, which says nothing of the matplotlib that drew it."""
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None}, **options)
    return base64.b64encode(file.getvalue()).decode()
