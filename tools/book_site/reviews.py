"""The changes to review, made of ``reviews/items``: each with its answer in a fold, which ``review.js`` keeps shut.

Without scripts a page shows change, promise and fold; with them a reader marks a line and says a verdict first.
"""

import csv
import json
import re
from html import escape

import pandas as pd
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from reviews.review import load
from reviews.runs import TABLE

from .links import number_of, numbered_title
from .meta import ROOT

SAID = {
    "keeps": "It keeps its promise.",
    "breaks": "It breaks its promise.",
    "can't be said": "That can't be said from this.",
}
SIGNS = {"+": ("added", "+"), "-": ("removed", "−"), " ": ("same", "")}


class changes_to_review(nodes.General, nodes.Element):
    """Where changes go; its attribute ``first`` says which."""


class ChangesToReview(SphinxDirective):
    """The "first" ten changes, or the "other" ones."""

    required_arguments = 1

    def run(self):
        """Return the changes' place; the page is read again when one of them changes."""
        for file in sorted((ROOT / "reviews").rglob("*.*")):
            if file.suffix in (".py", ".csv"):
                self.env.note_dependency(str(file))
        return [changes_to_review(first=self.arguments[0] == "first")]


def write_changes(app, doctree, docname):
    """Replace each place by its changes."""
    for place in list(doctree.findall(changes_to_review)):
        chapters = {}
        for page in filter(number_of, app.env.found_docs):
            address = app.builder.get_relative_uri(docname, page)
            chapters[number_of(page)] = f'<a href="{address}">{escape(numbered_title(app.env, page))}</a>'
        html = [box(number, item, chapters) for number, item in numbered() if item.review.first == place["first"]]
        place.replace_self(nodes.raw("", "\n".join(html), format="html"))


def numbered():
    """Return all items with the numbers that the page gives them."""
    return enumerate(load(), 1)


def box(number, item, chapters) -> str:
    """Return a change with all that a reader may know, and its answer."""
    review = item.review
    right = {"verdict": review.verdict, "line": item.line(), "lines": item.right_lines(), "kind": review.kind}
    facts = {"Promise": review.promise, "Whose": review.unit, "Public": review.public}
    told = "".join(f"<dt>{name}</dt><dd>{prose(text)}</dd>" for name, text in facts.items())
    return (
        f'<section class="review" id="review-{item.name}" data-right="{escape(json.dumps(right))}">'
        f'<h3>{number}. {escape(item.title)}<a class="headerlink" href="#review-{item.name}"'
        f' title="Link to this change">#</a></h3>'
        f"<p>“{prose(review.change)}”</p><dl>{told}</dl>"
        f"{change(item.diff())}{answer(item, chapters)}</section>"
    )


def change(lines) -> str:
    """Return lines with their signs."""
    rows = []
    for sign, line in lines:
        name, shown = SIGNS[sign]
        rows.append(f'<div class="line {name}"><span class="sign">{shown}</span><code>{escape(line)}</code></div>')
    return f'<div class="review-change">{"".join(rows)}</div>'


def answer(item, chapters) -> str:
    """Return the fold with verdict, reason, mending, evidence and source."""
    review = item.review
    lines = "".join(f"<code>{escape(line)}</code>" for line in review.lines[:1])
    named = "The line to look at" if review.verdict == "keeps" else "The line"
    mended = ""
    if review.mending:
        mended = f"<p><strong>The smallest mending.</strong> {prose(review.mending)}</p>"
        mended += change([(" ", line) for line in item.code("mended") if line.strip()])
    return (
        '<details class="review-answer"><summary>The answer</summary>'
        f"<p><strong>{SAID[review.verdict]}</strong> {prose(review.reason)}</p><p>{named}: {lines}</p>{mended}"
        f"{''.join(evidence(item, row) for row in runs()[item.name])}"
        f'<p class="review-source">Kind: {review.kind}, taught in {chapters[review.chapter]}. Where it comes from:'
        f" {prose(review.source)}.</p></details>"
    )


def runs() -> dict[str, list[dict]]:
    """Return the stored runs of each change."""
    found = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["name"], []).append(row)
    return found


def evidence(item, row) -> str:
    """Return what two tables show, in words and as two bars."""
    review, proven = item.review, float(row["proven"])
    worlds = (review.data, review.neighbour)
    completed = ""
    if row["case"] in ("keeps", "breaks"):
        condition, more = review.completions[row["case"]]
        worlds = (more.get("data", review.data), more.get("neighbour", review.neighbour))
        completed = f"<strong>If {prose(condition)}:</strong> "
    one, two = map(in_words, worlds)
    if row["case"] == "computed":
        counted = f"Computed, not run, at δ = {in_powers(review.delta)}."
    else:
        hits, others, trials = (int(float(row[name])) for name in ("hits", "hits_neighbour", "trials"))
        counted = (
            f"That {escape(review.event)} happened in {hits:,} of {trials:,} runs, and in {others:,} of {trials:,}."
        )
    words = f"One table: {one}. Its neighbour: {two}. {counted}"
    return (
        f'<figure class="review-run"><figcaption>{completed}{words}</figcaption>'
        f"{bars(review.epsilon, proven, computed=row['case'] == 'computed')}</figure>"
    )


def bars(claimed: float, proven: float, *, computed: bool) -> str:
    """Return two bars, whose numbers are text: what is claimed, and what is proven to be there."""
    longest = max(claimed, proven)
    found = "it is" if computed else "proven"
    rows = [("claimed", claimed, f"ε = {claimed:g}"), (found, proven, f"ε ≥ {proven:.2f}")]
    return "".join(
        f'<div class="review-bar {"over" if value > claimed else ""}"><span>{name} {text}</span>'
        f'<i style="width:{100 * value / longest:.0f}%"></i></div>'
        for name, value, text in rows
    )


def in_words(table) -> str:
    """Return a small table in words: equal values that stand side by side are counted."""
    if isinstance(table, str):
        return escape(table)
    if isinstance(table, pd.DataFrame):
        return in_words([" ".join(map(shown, row)) for row in table.itertuples(index=False)])
    if isinstance(table, dict):
        return "in each column " + in_words(next(iter(table.values())))
    if not isinstance(table, list):
        return shown(table)
    groups = []
    for value in table:
        if groups and groups[-1][0] == value:
            groups[-1][1] += 1
        else:
            groups.append([value, 1])
    said = [shown(value) + (f" ({times} times)" if times > 1 else "") for value, times in groups]
    return escape(", ".join(said)) or "no row"


def shown(value) -> str:
    """Return a value as people write it."""
    return value if isinstance(value, str) else f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def in_powers(delta: float) -> str:
    """Return a power of ten with its exponent raised."""
    exponent = f"{delta:.0e}".partition("e")[2]
    return "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def prose(text: str) -> str:
    """Return a sentence with its code set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
