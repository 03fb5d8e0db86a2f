"""Wherever the Tab key goes, it is seen where it is: on every control, in both themes."""

import looks
import pytest
from site_pages import CHAPTERS
from thorough import sample

# The control in focus, and whether a line of two pixels or more goes around it (the map draws it around the row).
FOCUSED = """() => {
  const one = document.activeElement;
  const seen = [getComputedStyle(one), getComputedStyle(one, "::after")]
    .some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  return one === document.body ? null : [seen, one.outerHTML.slice(0, 120)];
}"""


@pytest.mark.parametrize(
    ("name", "theme"),
    sample([("book/index", "dark"), ("book/index", "light"), (CHAPTERS[2], "light"), (CHAPTERS[2], "dark")], every=2),
)
def test_every_control_shows_that_it_has_the_focus(name, theme, visit):
    page = visit(name, theme=theme)
    page.evaluate(looks.UNFOLD)
    controls = []
    page.evaluate("document.activeElement.blur()")
    for _ in range(400):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None or (controls and focused == controls[0]):
            break
        controls.append(focused)
    assert len(controls) > 20
    assert not [control for seen, control in controls if not seen]
