"""Sphinx extension of the book: all that ``_config.yml`` can't say, loaded there by its one name.

The parts are set up in this order, and where two of them listen to one event, the numbers are their priorities:

- ``config-inited``: execution (venue and cache), launch (what the menu offers), meta (addresses)
- ``builder-inited``: formulas (MathJax's style sheet), search (no index of Sphinx's)
- ``env-get-outdated``, ``env-before-read-docs``, ``source-read``: execution
- ``doctree-read``: questions (their ids), labs (their tables), toggles (their names)
- ``env-updated``, ``env-check-consistency``: chapter_map (its page is read again), pictures
  (their palettes), meta (redirects)
- ``doctree-resolved``: chapter_map (drawn), references (chapters' numbers), terms (links), access (tables), launch
  (900: what sphinx-thebe added goes)
- ``html-page-context``: meta (400, before sphinxext.opengraph reads it), questions (storage, the first script),
  formulas (the signs behind them), highlighting, toggles, access (500), launch (900: buttons), then
  launch and assets (950: scripts once, one style sheet, images wait)
- ``build-finished``: search, terms, launch, meta, downloads and assets (500: the sections, the terms, what was made by
  other commands, files for hosts and for visitors, the theme's script), assets (900: one style sheet from all that is
  written)
"""

from . import (
    access,
    assets,
    chapter_map,
    downloads,
    execution,
    formulas,
    highlighting,
    labs,
    launch,
    meta,
    pictures,
    questions,
    references,
    search,
    terms,
    toggles,
)

PARTS = (
    *(execution, questions, labs, toggles, chapter_map, references, formulas, highlighting, search, terms),
    *(launch, meta, access, pictures, assets, downloads),
)


def setup(app):
    """Set up all parts."""
    for part in PARTS:
        part.setup(app)
    # One page at a time is read and written: assets remember the style sheets of the last one.
    return {"parallel_read_safe": False, "parallel_write_safe": False}
