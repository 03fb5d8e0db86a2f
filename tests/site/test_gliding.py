"""Sliders glide: they stop between the listed values, too, wherever the figure's quantity is there."""

import re

from site_pages import CHAPTERS, SITE

GLIDE = 42  # of about 83; the others count, choose, show stored runs, or jump
STEP_IN_EPSILON = {
    "fig-distances": "the distance that decides jumps",
    "fig-holes": "which floats an answer can be",
    "fig-sent-and-found": "each stop has its own reports",
    "fig-who-is-found": "stored runs",
}


def sliders():
    """Return of each slider of the chapters its figure's id, its label, and whether it glides."""
    found = []
    for name in CHAPTERS:
        page = (SITE / f"{name}.html").read_text("utf-8")
        for figure in re.findall(r'<figure class="sf-explore" .*?</figure>', page, re.S):
            uid = re.search(r' id="(fig-[^"]*)"', figure)[1]
            for label, row in re.findall(r'<label for="[^"]*">([^<]*)</label>(<input type="range"[^>]*>)', figure):
                found.append((uid, label, 'step="any"' in row))
    return found


def test_most_sliders_glide_and_all_for_epsilon_but_those_with_a_reason():
    found = sliders()
    assert sum(glides for *_, glides in found) >= GLIDE
    stepping = {uid for uid, label, glides in found if re.match(r"(ε|epsilon)\b", label) and not glides}
    assert stepping == STEP_IN_EPSILON.keys()
