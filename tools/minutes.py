"""How long a chapter takes, computed from its cells: `make minutes` writes it into all chapters, and executes none.

`make notebooks` writes it, too.  The map and the lecturers' table read what is written, and the roads count as it does:
a number of minutes is typed nowhere.  The short edition of a chapter ends at its *seam*, the paragraph that begins "If
you stop here, ".
"""

import itertools
import re
import sys
from pathlib import Path

import nbformat

BOOK = Path(__file__).resolve().parents[1] / "book"
FOLDED = {"hide-input", "hide-cell"}  # tags of cells whose code is folded away
SLIDER = 3  # minutes for a slider or game with its questions
LAB_MINUTES = {"★": 10, "★★": 15, "★★★": 20}
BEFORE = "Before you start"
SEAM = "If you stop here, "
DISPLAYED = r"\$\$.*?\$\$"
INLINE = r"(?<!\\)\$(?:[^$\\]|\\.)+\$"  # "\$50,000" is money
STATED = re.compile(
    r"Reading takes about (?P<whole>\d+) minutes,(?: the short edition (?P<short>\d+) of them,)?"
    r"(?: going deeper another (?P<deeper>\d+),)? the labs another (?P<labs>\d+)"
)


def minutes(cells) -> float:
    """Return how long a second-year student needs for these cells.

    A minute for 80 words, for six visible lines of code and for a displayed formula, a tenth for a formula in a line,
    three for a slider or game with its questions, two for each question to choose in and for the bug, four for each
    "Your turn".  With these weights it is what the readers of all 24 chapters felt in November 2026, off by 11% in root
    mean square, and by less than 1% in the mean.
    """
    text = prose(cells)
    displayed, inline = len(re.findall(DISPLAYED, text, re.S)), len(re.findall(INLINE, without_displayed(text)))
    moves = sum(cell.cell_type == "code" and bool(re.search(r"dp\.(explore|play)\(", cell.source)) for cell in cells)
    own = 2 * text.count(":class: quiz") + 2 * text.count("## Find the bug") + 4 * text.count("Your turn")
    return words(cells) / 80 + visible_lines(cells) / 6 + displayed + inline / 10 + SLIDER * moves + own


def words(cells) -> int:
    """Return the number of words, without formulas, the marks of boxes, and what we write ourselves."""
    text = re.sub(INLINE, "", STATED.sub("", without_displayed(prose(cells))))
    return len(re.sub(r"^(?:[:`]{3,}|% )[^\n]*$", "", text, flags=re.M).split())


def visible_lines(cells) -> int:
    """Return the number of lines of code that a chapter shows."""
    return sum(len([line for line in cell.source.splitlines() if line.strip()]) for cell in cells if is_visible(cell))


def is_visible(cell) -> bool:
    """Tell whether this is a cell of code that the site shows."""
    return cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", []))


def prose(cells) -> str:
    """Return the text of the cells."""
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def without_displayed(text: str) -> str:
    """Return the text without displayed formulas."""
    return re.sub(DISPLAYED, "", text, flags=re.S)


def sections(cells) -> dict[str, list]:
    """Return the cells of each section by its heading; those before the first one have the heading ""."""
    parted, heading = {"": []}, ""
    for cell in cells:
        pieces = re.split(r"^(?=(?:\(\S+\)=\n)?## )", cell.source, flags=re.M) if cell.cell_type == "markdown" else [""]
        for piece in filter(str.strip, pieces):
            if found := re.match(r"(?:\(\S+\)=\n)?## (.+)", piece):
                heading = found[1]
            parted.setdefault(heading, []).append(text_cell(piece))
        if cell.cell_type == "code":
            parted[heading].append(cell)
    return parted


def text_cell(text: str) -> nbformat.NotebookNode:
    """Return a cell of text; nbformat's own function would hold each of thousands against the format's schema."""
    return nbformat.from_dict({"cell_type": "markdown", "metadata": {}, "source": text})


def whole(cells) -> list:
    """Return the cells that every reader goes through: up to the labs."""
    path = itertools.takewhile(lambda section: section[0] != "Labs", sections(cells).items())
    return [cell for _, part in path for cell in part]


def short(cells) -> list:
    """Return the cells of the short edition: up to the seam, without "Before you start"."""
    kept = []
    for heading, part in sections(cells).items():
        for cell in part if heading != BEFORE else []:
            above, seam, below = cell.source.partition(SEAM) if cell.cell_type == "markdown" else ("", "", "")
            if seam:
                return [*kept, text_cell(above + seam + below.partition("\n\n")[0])]
            kept.append(cell)
    raise ValueError(f"the chapter has no paragraph that begins {SEAM!r}")


def deeper(cells) -> list:
    """Return the cells of the sections for those who go deeper, without their labs."""
    part = [cell for heading, part in sections(cells).items() if heading.startswith("Going deeper") for cell in part]
    tasks = [i for i, cell in enumerate(part) if cell.source.startswith(":::::{admonition} Lab ")]
    # A lab is its task, the answer's cell, hint and solution, the solution's code.
    return [cell for i, cell in enumerate(part) if not any(task <= i < task + 4 for task in tasks)]


def labs(cells) -> int:
    """Return the minutes of the labs, by their stars."""
    return sum(LAB_MINUTES[stars] for stars in re.findall(r"\} Lab \d+\.\d+ · (★+) ·", prose(cells)))


def sentence(cells) -> str:
    """Return what "Before you start" says of the time."""
    all_of_it, of_them = minutes(whole(cells)), minutes(short(cells))
    further = f" going deeper another {minutes(deeper(cells)):.0f}," if deeper(cells) else ""
    return (
        f"Reading takes about {all_of_it:.0f} minutes, the short edition {of_them:.0f} of them,{further}"
        f" the labs another {labs(cells)}"
    )


def stated(text: str) -> dict[str, int]:
    """Return the minutes that a chapter's text states, by name; none where a draft doesn't say yet."""
    found = STATED.search(" ".join(text.split()))
    return {name: int(number) for name, number in found.groupdict().items() if number} if found else {}


def write_minutes(notebook: nbformat.NotebookNode) -> None:
    """Write into "Before you start" how long the chapter takes, where it says so."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and STATED.search(cell.source):
            cell.source = STATED.sub(sentence(notebook.cells), cell.source)


def main() -> int:
    """Write the minutes of all chapters, and execute none."""
    for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        write_minutes(notebook)
        nbformat.write(notebook, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
