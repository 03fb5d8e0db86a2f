"""Sphinx extension of the book: all that ``_config.yml`` can't say, loaded there by its one name.

The parts are set up in this order, and where two of them listen to one event, the numbers are their priorities:

- ``config-inited``: execution (venue and cache), launch (what the menu offers), meta (addresses)
- ``builder-inited``: formulas (MathJax's style sheet), search (no index of Sphinx's)
- ``env-get-outdated``, ``env-before-read-docs``: execution; ``source-read``: execution, labs (what a page depends on)
- ``doctree-read``: questions (their ids), labs (their tables, and labels for references), toggles (their names)
- ``env-updated``, ``env-check-consistency``: chapter_map, lists and references (their pages are written again),
  pictures (their palettes), meta (redirects)
- ``doctree-resolved``: chapter_map and lists (written), references (numbers, sections), terms (links), toggles
  (code below), access (tables)
- ``html-page-context``: meta (400, before sphinxext.opengraph reads it), questions (storage, the first script), then
  ``MENDED`` below, launch (900: buttons), assets (950: one style sheet, images and numbers wait)
- ``build-finished``: ``WRITTEN`` below (900, after the theme has coloured the code)
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
    lists,
    meta,
    pictures,
    questions,
    references,
    search,
    terms,
    toggles,
    trust,
)

PARTS = (
    *(execution, questions, labs, toggles, chapter_map, lists, trust, references, formulas, search, terms),
    *(launch, meta, access, pictures, assets),
)
# What changes a page's HTML, before the theme puts its frame around it.
MENDED = (
    *(formulas.keep_signs, highlighting.leave_plain_code_plain, toggles.let_names_be_read),
    *(access.drop_citation_roles, access.say_which_words_are_chinese),
)
# What is written once all pages are: at last the style sheet, of what all the others use.
WRITTEN = (
    *(search.write_sections, terms.write_terms, launch.add_parts, meta.write_files_for_hosts),
    *(downloads.write_downloads, assets.write_theme_script, assets.write_style_sheet),
)


def setup(app):
    """Set up all parts."""
    for part in PARTS:
        part.setup(app)
    app.connect("html-page-context", mend)
    app.connect("build-finished", write, priority=900)
    # One page at a time is read and written: assets remember the style sheets of the last one.
    return {"parallel_read_safe": False, "parallel_write_safe": False}


def mend(app, pagename, templatename, context, doctree):
    """Change the page's HTML."""
    for change in MENDED:
        context["body"] = change(context.get("body", ""))


def write(app, exception):
    """Write what is made of all pages."""
    if not exception and app.builder.name == "html":
        for part in WRITTEN:
            part(app)
