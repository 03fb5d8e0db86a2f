"""Figures under sliders that move wherever they are seen: in a kernel, and on a page without a server.

README.md beside this file has an example, and what is promised.
"""

from pathlib import Path

from slider_figures.explore import LABELS, Exploration, explore
from slider_figures.play import play

__all__ = ["LABELS", "STATIC", "Exploration", "explore", "play"]

STATIC = Path(__file__).with_name("static")
"""The folder of what a page loads: ``explore.css``, ``explore.js``, and ``play.js``, where figures compute."""
