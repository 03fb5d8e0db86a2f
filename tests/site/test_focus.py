"""Wherever the Tab key goes, it is seen where it is: on every control, in both themes."""

import looks
import pytest
from site_pages import CHAPTERS
from thorough import THOROUGH

# The control in focus, and whether a line of two pixels or more goes around it (the map draws it around the row).
FOCUSED = """() => {
  const one = document.activeElement;
  const seen = [getComputedStyle(one), getComputedStyle(one, "::after")]
    .some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  return one === document.body ? null : [seen, one.outerHTML.slice(0, 120)];
}"""

# Words beside the control in focus that its ring lies on, as their small letters are.
UNDER_THE_RING = """() => {
  const one = document.activeElement;
  const { outlineOffset, outlineWidth, outlineStyle } = getComputedStyle(one);
  const [room, line] = [parseFloat(outlineOffset), outlineStyle === "none" ? 0 : parseFloat(outlineWidth)];
  const rings = [...one.getClientRects()].map(({ left, right, top, bottom }) =>
    [left - room - line, right + room + line, top - room - line, bottom + room + line]);
  const within = one.closest("p, li, dd, td, label, figure, .admonition, .cell") ?? one;
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const around = text.parentElement;
    if (one.contains(text) || !text.data.trim() || !around.checkVisibility() || around.closest("pre")) continue;
    const letters = document.createRange();
    letters.setStart(text, text.data.search(/\\S/));
    letters.setEnd(text, text.data.trimEnd().length);
    for (const { left, right, top, bottom, height } of letters.getClientRects())
      if (rings.some(([l, r, t, b]) => left < r - 1 && right > l + 1 && top + height / 3 < b && bottom - 5 > t))
        found.push(text.data.trim());
  }
  return line ? found : [];
}"""


OTHERS = [("book/index", "light"), (CHAPTERS[2], "dark")]  # in the weekly run: the same rules draw their lines


@pytest.mark.parametrize(("name", "theme"), [("book/index", "dark"), (CHAPTERS[2], "light"), *(OTHERS * THOROUGH)])
def test_every_control_shows_that_it_has_the_focus(name, theme, visit):
    page = visit(name, theme=theme)
    page.evaluate(looks.UNFOLD)
    controls = []
    page.evaluate("document.activeElement.blur()")
    for _ in range(400):
        page.keyboard.press("Tab")
        focused, covered = page.evaluate(f"[({FOCUSED})(), ({UNDER_THE_RING})()]")
        if focused is None or (controls and focused == controls[0]):
            break
        controls.append(focused)
        assert not covered, focused
    assert len(controls) > 20
    assert not [control for seen, control in controls if not seen]
