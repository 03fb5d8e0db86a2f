"""Write the chapters for Google Colab (`make colab`): it opens a notebook alone, and doesn't know MyST.

    python -m tools.make_colab _build/colab https://github.com/someone/book

Each copy begins with the cell of every chapter that is opened alone. Boxes become plain Markdown: a title in bold, an
answer in a fold, a reference as the name of what it points at.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from tools.book_site.meta import site_url
from tools.make_downloads import first_cell, write_notebooks

FENCE = re.compile(r"(?P<fence>:{3,}|`{3,})\{(?P<kind>[\w:-]+)\} ?(?P<title>.*)")
OPTION = re.compile(r":[\w-]+:( .*)?")
NAMES = {"prf:definition": "Definition", "prf:theorem": "Theorem", "prf:proof": "Proof"}


def plain(text: str) -> str:
    """Return MyST Markdown as Markdown that any reader of notebooks shows."""
    lines, ends, after_title = [], [], False
    for line in text.splitlines():
        opened = FENCE.fullmatch(line.strip())
        if opened:
            title = " ".join(filter(None, (NAMES.get(opened["kind"]), opened["title"])))
            folded = opened["kind"] == "dropdown"
            lines += ["<details>", f"<summary>{title}</summary>", ""] if folded else [f"**{title}**", ""]
            ends.append((opened["fence"], "</details>" if folded else ""))
            after_title = True
        elif ends and line.strip() == ends[-1][0]:
            lines += ["", ends.pop()[1]]
        elif not (after_title and OPTION.fullmatch(line.strip())):
            lines.append(line)
            after_title = False
    return roles_as_text("\n".join(lines))


def roles_as_text(text: str) -> str:
    """Replace references: a given title stands, a label reads as words, a source as its key in brackets,
    a function as its name, words beside a figure as words.
    """
    text = re.sub(r"\{cite:[pt]\}`([^`]+)`", r"[\1]", text)
    text = re.sub(r"\{[\w:]*ref\}`([^`<]+?)\s*<[^>`]+>`", r"\1", text)
    text = re.sub(r"\{(?:slide|true|private)\}`([^`<]+?)(?:\s*<[^>`]+>)?`", r"\1", text)
    text = re.sub(r"\{[\w:]*ref\}`([^`]+)`", lambda found: found[1].replace("-", " "), text)
    text = re.sub(r"\{py:\w+\}`~?([^`]+)`", r"`\1`", text)
    return re.sub(r"^\(([\w-]+)\)=\n", "", text, flags=re.M)


def change(notebook) -> None:
    """Make the prose of a chapter plain."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)


def main(folder: str, repository: str = "") -> None:
    """Write the copies into ``folder``."""
    if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", repository):
        raise SystemExit(f"make colab REPOSITORY=… must name https://github.com/OWNER/NAME, got {repository!r}")
    shutil.rmtree(folder, ignore_errors=True)
    os.environ["BOOK_REPOSITORY_URL"] = repository
    write_notebooks(Path(folder), first_cell(site_url()), change)


if __name__ == "__main__":
    main(*sys.argv[1:])
