"""The short edition: a chapter's switch, the fold at its seam, and the minutes in the list of pages.

``short.js`` works them, and ``doors.css`` hides what the short edition leaves out: what stands below the paragraph of
class ``seam``, "Before you start", and above the seam code that is folded anyway.  Without scripts the whole chapter is
there.
"""

import re

from docutils import nodes

from tools import minutes

from .links import number_of

SWITCH = """<div class="edition pst-js-only noprint" role="group" aria-label="How much of this chapter">
<button type="button" data-edition="short" aria-pressed="false">Short: {short} minutes</button>
<button type="button" data-edition="whole" aria-pressed="true">Whole: {whole} minutes</button>
</div>"""
FOLD = """<p class="rest pst-js-only noprint">
<button type="button" aria-expanded="false">The rest of the chapter: {rest} minutes</button>
</p>"""


def mark_seam(app, doctree):
    """Mark where the short edition ends, and put the switch and the fold into the page."""
    if not number_of(app.env.docname):
        return
    stated = app.env.metadata[app.env.docname]["minutes"] = stated_minutes(doctree)
    seam = next((one for one in doctree.findall(nodes.paragraph) if one.astext().startswith(minutes.SEAM)), None)
    if seam is None or "short" not in stated:  # a draft may not have it yet
        return
    seam["classes"].append("seam")
    fold = nodes.raw("", FOLD.format(rest=stated["whole"] - stated["short"]), format="html")
    seam.parent.insert(seam.parent.index(seam) + 1, fold)
    promise = next(doctree.findall(nodes.title)).next_node(nodes.paragraph, descend=False, siblings=True)
    promise.parent.insert(promise.parent.index(promise) + 1, nodes.raw("", SWITCH.format(**stated), format="html"))


def mark_sides(app, doctree, docname):
    """Mark what stands below the seam, and the cells above it, so that the style sheet needn't look for them."""
    seam = next((one for one in doctree.findall(nodes.paragraph) if "seam" in one["classes"]), None)
    if seam is None:
        return
    # The fold, which comes right after the seam, is the one thing below it that the short edition shows.
    _fold, *below = seam.findall(nodes.Element, include_self=False, descend=False, siblings=True)
    part = seam.parent
    while isinstance(part, nodes.section):
        below += part.findall(nodes.section, include_self=False, descend=False, siblings=True)
        part = part.parent
    for one in below:
        one["classes"].append("below-seam")
    for one in doctree.findall(nodes.Element):
        if one is seam:
            break
        if "cell" in one["classes"]:
            one["classes"].append("above-seam")


def add_switch(app, pagename, templatename, context, doctree):
    """Put the switch into the bar above a chapter, too."""
    stated = stated_minutes(doctree) if doctree and number_of(pagename) else {}
    context["edition_switch"] = SWITCH.format(**stated) if "short" in stated else ""


def stated_minutes(doctree) -> dict[str, int]:
    """Return the minutes that a chapter's page states."""
    before = [part for part in doctree.findall(nodes.section) if part[0].astext() == minutes.BEFORE]
    return minutes.stated(before[0].astext()) if before else {}


def shown(stated: dict[str, int]) -> str:
    """Return "22 min · whole 70"."""
    return f"{stated['short']} min · whole {stated['whole']}" if "short" in stated else ""


def add_minutes_to_contents(app, pagename, templatename, context, doctree):
    """Say in the list of pages how long each chapter is."""
    listed = context["generate_toctree_html"]
    here = number_of(pagename)
    pages = {number_of(page): page for page in app.env.found_docs if number_of(page)}

    def with_minutes(link):
        number = here if link["href"] == "#" else number_of(link["href"])
        if number not in pages:
            return link[0]
        said = shown(app.env.metadata[pages[number]]["minutes"])
        return f'{link["open"]}{link["title"]} <span class="minutes">{said}</span></a>'

    def list_pages(*args, **kwargs):
        found = r'(?P<open><a class="(?:current )?reference internal" href="(?P<href>[^"]*)">)(?P<title>.*?)</a>'
        return re.sub(found, with_minutes, str(listed(*args, **kwargs)), flags=re.S)

    context["generate_toctree_html"] = list_pages
