"""What a visitor takes along: the ZIP file, the wheel, questions, and chapters that run where they are opened."""

import shutil
from pathlib import Path

from tools import make_downloads, make_questions

from .address import ROOT, site_url


def write_downloads(app):
    """Write them into the site; a part of the tree, without the package's own files, has nothing to offer."""
    if not all((ROOT / name).exists() for name in make_downloads.WHEEL_SOURCES):
        return
    folder = Path(app.outdir, make_downloads.FOLDER)
    make_downloads.main(folder, site_url())
    make_questions.main(folder)
    # The theme's arrow leads to the page's source: a chapter downloaded there begins with the cell that installs.
    for chapter in (folder / "chapters").glob("*.ipynb"):
        shown = Path(app.outdir, "_sources", "book", chapter.name)
        if shown.is_file():
            shutil.copy(chapter, shown)
    shutil.rmtree(folder / "chapters")
