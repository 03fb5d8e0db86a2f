"""Sphinx extension of the book: all that ``_config.yml`` can't say, loaded there by its one name."""

import gc
import hashlib
import logging
from functools import cache
from pathlib import Path

import pybtex.plugin

from . import (
    answering,
    arriving,
    assets,
    beside,
    cells,
    chapter_map,
    execution,
    formulas,
    launch,
    links,
    meta,
    overviews,
    reviews,
    roads,
    scripts,
    search,
    short,
    styles,
)

# What a page may ask for: the directive, its class, and the node that stands for it until all pages are read.
DIRECTIVES = (
    ("chapter-map", chapter_map.ChapterMap, chapter_map.chapter_map),
    ("road", roads.Road, roads.road),
    ("all-of", overviews.AllOf, overviews.all_of),
    ("what-is-tested", overviews.WhatIsTested, None),
    ("changes-to-review", reviews.ChangesToReview, reviews.changes_to_review),
)


def changing_html(change):
    """Return what changes a page's HTML by the function ``change``, before the theme puts its frame around it."""

    def mend(app, pagename, templatename, context, doctree):
        context["body"] = change(context.get("body", ""))

    return mend


def once_built(write):
    """Return what calls the function ``write`` when the whole site is there."""

    def finish(app, exception):
        if not exception and app.builder.name == "html":
            write(app)

    return finish


# What is done, and when: the events in the order of a build, the functions of an event by their priority and then in
# this order.  Other extensions have 500: before 500 the theme has not seen a page yet, after 500 its buttons are there.
EVENTS = (
    ("config-inited", 500, execution.prepare),
    ("config-inited", 500, launch.leave_out_sphinx_thebe),
    ("config-inited", 500, launch.set_launch),
    ("config-inited", 500, meta.set_address),
    ("config-inited", 500, scripts.name_one),
    ("builder-inited", 500, formulas.write_style_sheet),
    ("builder-inited", 500, scripts.write_one),
    ("builder-inited", 500, search.leave_out_sphinx_search),
    ("env-get-outdated", 500, execution.find_stale_pages),
    ("env-before-read-docs", 500, execution.execute_side_by_side),
    # A page is read.
    ("source-read", 500, execution.add_state),
    ("source-read", 500, answering.follow_labs),
    ("doctree-read", 500, execution.refuse_tracebacks),
    ("doctree-read", 500, answering.name_questions),
    ("doctree-read", 500, answering.answer_on_the_page),
    ("doctree-read", 500, cells.name_toggles),
    ("doctree-read", 500, short.mark_seam),
    ("doctree-read", 500, arriving.say_where),
    # All pages are read.
    ("env-updated", 500, chapter_map.write_again),
    ("env-updated", 500, overviews.write_again),
    ("env-updated", 500, roads.write_again),
    ("env-updated", 500, links.write_sources_again),
    ("env-check-consistency", 500, meta.check_redirects),
    # A page is written.
    ("missing-reference", 500, links.show_left_out_as_text),
    ("doctree-resolved", 500, cells.put_code_below),
    ("doctree-resolved", 500, short.mark_sides),
    ("doctree-resolved", 500, chapter_map.draw_map),
    ("doctree-resolved", 500, overviews.write_lists),
    ("doctree-resolved", 500, roads.draw_roads),
    ("doctree-resolved", 500, reviews.write_changes),
    ("doctree-resolved", 500, links.number_references),
    ("doctree-resolved", 500, links.link_sections),
    ("doctree-resolved", 500, links.link_first_uses),
    ("doctree-resolved", 500, cells.name_table_headers),
    ("html-page-context", 400, meta.describe),  # before sphinxext.opengraph reads it
    ("html-page-context", 400, short.add_switch),  # before the theme looks which templates are empty
    ("html-page-context", 500, answering.provide_storage),  # the first script
    ("html-page-context", 500, changing_html(formulas.keep_signs)),
    ("html-page-context", 500, changing_html(cells.leave_plain_code_plain)),
    ("html-page-context", 500, changing_html(cells.let_names_be_read)),
    ("html-page-context", 500, changing_html(links.drop_citation_roles)),
    ("html-page-context", 500, changing_html(links.say_which_words_are_chinese)),
    ("html-page-context", 900, short.add_minutes_to_contents),
    ("html-page-context", 900, launch.add_launch_buttons),
    ("html-page-context", 900, launch.offer_pdf),
    ("html-page-context", 950, styles.use_one_style_sheet),
    ("html-page-context", 950, assets.let_images_wait),
    ("html-page-context", 950, assets.let_numbers_wait),
    ("html-page-context", 950, scripts.leave_out_needless),
    # All pages are written: at last the style sheet, of what all the others use.
    ("build-finished", 900, once_built(search.write_sections)),
    ("build-finished", 900, once_built(links.write_terms)),
    ("build-finished", 900, once_built(launch.add_parts)),
    ("build-finished", 900, once_built(meta.write_files_for_hosts)),
    ("build-finished", 900, once_built(launch.write_downloads)),
    ("build-finished", 900, once_built(scripts.leave_out_look)),
    ("build-finished", 900, once_built(styles.write_style_sheet)),
)


def setup(app):
    """Set up all parts."""
    for name in ("fontTools", "traitlets"):  # they would tell of every table of every font, and of every kernel
        logging.getLogger(name).setLevel(logging.WARNING)
    # Pages are millions of objects, and next to none becomes garbage: Python need not look for it that often.
    gc.set_threshold(200_000, 10, 1000)
    # sphinxcontrib-bibtex asks it for each citation, and each time it looks through all that is installed.
    pybtex.plugin.find_plugin = cache(pybtex.plugin.find_plugin)
    for name, directive, place in DIRECTIVES:
        app.add_directive(name, directive)
        if place:
            app.add_node(place)
    for name, role in beside.ROLES.items():
        app.add_role(name, role)
    app.add_html_math_renderer("built", (formulas.visit_math, None), (formulas.visit_math_block, None))
    app.add_css_file(formulas.SHEET)
    if meta.site_url():
        app.setup_extension("sphinxext.opengraph")  # announces the cards that meta.py draws
    for event, priority, function in EVENTS:
        app.connect(event, function, priority=priority)
    # One page at a time is read and written: styles remember the style sheets of the last one. Once this code changes,
    # Sphinx makes all pages anew; it would keep those whose own text hasn't changed.
    return {"env_version": code_version(), "parallel_read_safe": False, "parallel_write_safe": False}


def code_version(folder: Path = Path(__file__).parent) -> int:
    """Return a number that changes with the files of this folder, which make the pages."""
    sources = [path.name.encode() + path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]
    return int(hashlib.sha256(b"".join(sources)).hexdigest()[:12], 16)
