"""The live venue of `slider_figures.explore`: ipywidgets sliders, and a kernel that draws the figure anew."""

import html
import math

import numpy as np

from slider_figures.notebook import png


def widgets_view(sliders, draws: int, draw, say, caption: str):
    """Return the slider widgets by keyword, the box that holds them and the figure, and the first PNG in base64.

    With several draws each move of a slider gives the figure the next ``seed``, and so does a button under them.
    """
    import ipywidgets  # only here: the other venues have no use for it

    layout = ipywidgets.Layout(width="min(100%, 40rem)")
    controls, convert = {}, {}
    for slider in sliders:
        make, options, convert[slider.name] = _control(slider)
        controls[slider.name] = getattr(ipywidgets, make)(
            **options, description=slider.label, style={"description_width": "initial"}, layout=layout
        )
    view = ipywidgets.HTML()
    seed = {"seed": 0} if draws > 1 else {}

    def drawn_now() -> str:
        values = {name: convert[name](control.value) for name, control in controls.items()} | seed
        alt = say(values)
        with draw(values) as figure:
            image = png(figure)
        view.value = _figure(image, alt, caption)
        return image

    def redraw(_change):
        # What an observer raises ends in a log that nobody sees, so it is said where the figure would be.
        try:
            drawn_now()
        except Exception as error:
            view.value = f'<p role="alert">{html.escape(str(error))}</p>'

    def draw_again(_change):
        seed["seed"] = (seed["seed"] + 1) % draws
        redraw(_change)

    first = drawn_now()
    for control in controls.values():
        control.observe(draw_again if seed else redraw, "value")
    parts = [*controls.values(), view]
    if seed:
        parts.insert(-1, ipywidgets.Button(description="Draw again"))
        parts[-2].on_click(draw_again)
    return controls, ipywidgets.VBox(parts), first


def _control(slider):
    """Return the widget's name, its options, and the function from its value to the figure's."""
    values, start = slider.values, slider.values[slider.start]
    if len(values) == 2:
        options = list(zip(slider.texts, values, strict=True))
        return "ToggleButtons", {"options": options, "value": start}, lambda value: value
    if isinstance(start, str):
        return "SelectionSlider", {"options": values, "value": start}, str
    low, high = values[0], values[-1]
    whole = isinstance(start, int)
    if geometric(values):
        exponents = np.log10(values)
        options = {"min": exponents[0], "max": exponents[-1], "step": _step(exponents, slider.start), "value": start}
        # The figure is drawn at the number that is read beside the slider.
        shown = round if whole else lambda value: float(f"{value:.4g}")
        return (
            "FloatLogSlider",
            options | {"readout_format": ",.0f" if whole else ".4"},
            lambda value: min(max(shown(value), low), high),
        )
    options = {"min": low, "max": high, "value": start}
    if whole:
        return "IntSlider", options | {"readout_format": ",d"}, int
    options |= {"step": _step(values, slider.start), "readout_format": ".4"}
    return "FloatSlider", options, lambda value: float(f"{value:.12g}")


def geometric(values) -> bool:
    """Say whether the middle of the list is nearer to the geometric than to the arithmetic mean of its ends."""
    low, high = values[0], values[-1]
    if low <= 0 or len(values) < 3:
        return False
    middle = math.log(np.median(values))
    return abs(middle - math.log(low * high) / 2) < abs(middle - math.log((low + high) / 2))


def _step(points, start: int) -> float:
    """Return about a tenth of the smallest distance, such that whole steps lead from the first point to the start.

    Browsers move a slider that stands between two steps onto one of them.
    """
    fine = float(np.diff(points).min()) / 10
    way = float(points[start] - points[0])
    return way / round(way / fine) if way else fine


def _figure(image: str, alt: str, caption: str) -> str:
    return (
        '<figure style="margin:0;max-width:40rem">'
        f'<img src="data:image/png;base64,{image}" alt="{html.escape(alt)}" style="width:100%;height:auto">'
        f'<figcaption style="line-height:1.4">{html.escape(caption)}</figcaption></figure>'
    )
