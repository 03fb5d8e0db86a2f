"""Sliders glide: they stop between the listed values, too, wherever the figure's quantity is there."""

import re
from collections import Counter

from site_pages import CHAPTERS, SITE

NAMES = "names, of which none lies between two"
RUNS = "stored runs, of which none was made between two"
STEP = {
    "fig-fits: what you know": NAMES,
    "fig-fits: colleague": NAMES,
    "fig-reading: answers given": "each number of questions has a solution of its own",
    "fig-reading: largest error": "how many are read right has no formula",
    "fig-crowds: years in an interval of ages": "each width has intervals of its own",
    "fig-coarse-or-noise: ρ of the noise": RUNS,
    "fig-coarse-or-noise: a place of": NAMES,
    "fig-two-heaps: pages": "few pages have averages in few places only",
    "fig-drowning: columns": NAMES,
    "fig-distances: people in the table": "each table has people of its own",
    "fig-total-cost: Gaussian releases": "the optimal total has an edge at each k",
    "fig-bars: rows of the census": "each table has people of its own",
    "fig-eight-arrows: clipping norm": "the sum turns at an edge where an arrow is clipped",
    "fig-clipping: moment of training": NAMES,
    "fig-compare: answers": "each number of answers has surveys of its own",
    "fig-floats: floats to each power of two": "a count, and as many ticks",
    "fig-holes: count": "floats, of which each place has its own",
    "fig-holes: ε, privacy": "floats, of which each scale has its own",
    "fig-what-runs-can-see: runs": RUNS,
    "fig-attacked: the attacked model": NAMES,
    "fig-pages-published: L0, pages that a person keeps": "each limit draws pages of its own",
    "fig-who-is-found: ε of the noise (add/remove)": RUNS,
}
"""The sliders that go from stop to stop, and why."""


def sliders():
    """Return of each slider whose numbers the pages carry whether it glides, by its figure's id and its label."""
    found = {}
    for name in CHAPTERS:
        page = (SITE / f"{name}.html").read_text("utf-8")
        for figure in re.findall(r'<figure class="sf-explore" .*?</figure>', page, re.S):
            uid = re.search(r' id="(fig-[^"]*)"', figure)[1]
            for label, row in re.findall(r'<label for="[^"]*">([^<]*)</label>(<input type="range"[^>]*>)', figure):
                found[f"{uid}: {label}"] = 'step="any"' in row
    return found


def test_a_slider_steps_only_for_a_reason():
    """Games have no stops (test_play.py), and in plans it is counts that step (test_planner.py)."""
    glides = sliders()
    assert {name for name, glide in glides.items() if not glide} == STEP.keys()
    assert Counter(glides.values())[True] >= 49
