"""Ten drawn changes as texts for a notebook: what a student sees, and what only the lecturer does."""

import textwrap
from dataclasses import replace

import numpy as np

from reviews.versions import Version, draw_ten

# What isn't said and doesn't matter, so that a gap alone tells no verdict.
HARMLESS = (
    "How the page rounds and colours what is returned is in another file, which isn't in the change.",
    "Who asked for it isn't said.",
    "The text that will stand beside the numbers isn't written yet.",
    "Which program shows the result isn't known.",
)


def texts(rng: np.random.Generator) -> dict[str, str]:
    """Return what the names in double braces of the assignment's source stand for.

    ``change_1`` to ``change_10`` are shown to students, and ``lines`` has the lines of the new code of each; ``right``
    has verdict and accepted lines, ``solution`` an answer with reasons, ``model`` the reason of one that can't be said.
    """
    versions = with_harmless_gaps(draw_ten(rng), rng)
    shown = {f"change_{number}": change(number, version) for number, version in enumerate(versions, 1)}
    right = {number: (version.review.verdict, accepted(version)) for number, version in enumerate(versions, 1)}
    undecided = next(number for number, (verdict, _) in right.items() if verdict == "can't be said")
    return shown | {
        "lines": repr({number: new_lines(version) for number, version in enumerate(versions, 1)}),
        "right": "{\n" + "".join(f"    {number}: {answer!r},\n" for number, answer in right.items()) + "}",
        "solution": solution(versions),
        "model": f"Change {undecided}: {versions[undecided - 1].review.reason}",
    }


def with_harmless_gaps(versions: list[Version], rng: np.random.Generator) -> list[Version]:
    """Let three of those of which something can be said miss something that doesn't matter."""
    decided = [place for place, version in enumerate(versions) if version.review.verdict != "can't be said"]
    gaps = dict(zip(rng.permutation(decided)[:3].tolist(), rng.permutation(HARMLESS).tolist(), strict=False))
    return [
        replace(version, review=replace(version.review, public=f"{version.review.public} {gaps[place]}"))
        if place in gaps
        else version
        for place, version in enumerate(versions)
    ]


def change(number: int, version: Version) -> str:
    """Return a change in Markdown, its lines numbered from 1."""
    review = version.review
    lines = [f"{sign}{place:>3}  {line}".rstrip() for place, (sign, line) in enumerate(version.diff(), 1)]
    return "\n".join(
        [
            f"### Change {number}: {version.title}",
            "",
            f"“{review.change}”",
            "",
            f"- **Promise:** {review.promise}",
            f"- **Whose:** {review.unit}",
            f"- **Public:** {review.public}",
            "",
            "```diff",
            *lines,
            "```",
        ]
    )


def new_lines(version: Version) -> list[int]:
    """Return the numbers, from 1, of the lines that are in the new code."""
    return [place for place, (sign, _) in enumerate(version.diff(), 1) if sign != "-"]


def accepted(version: Version) -> list[int]:
    """Return the lines that are right, numbered from 1; the first is the one that the answer names."""
    return [version.line() + 1, *(place + 1 for place in version.right_lines() if place != version.line())]


def solution(versions: list[Version]) -> str:
    """Return the cell with all answers, and above each why it is so."""
    rows = []
    for number, version in enumerate(versions, 1):
        review = version.review
        why = f"{review.reason} Mending: {review.mending}" if review.mending else review.reason
        rows += textwrap.wrap(
            f"{why} ({review.kind}, chapter {review.chapter})", 110, initial_indent="    # ", subsequent_indent="    # "
        )
        rows.append(f'    "change {number}": ({review.verdict!r}, {accepted(version)[0]}),')
    return "\n".join(["reviews = {", *rows, "}"])
