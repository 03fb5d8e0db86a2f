"""What a visitor takes along from the site: the book as a ZIP file, the package's wheel, and chapters opened alone.

A chapter that leaves the site begins with one more cell, the same wherever it is opened: it installs the package, in
which the data are, where it is missing.  It unpacks nothing, so that it can't overwrite what a reader has written.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
WHEEL_SOURCES = ("dp_helpers", "dp_labs", "slider_figures", "pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT")
ZIP = "sliding-epsilon.zip"
FOLDER = "downloads"  # of the site
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files make the same ZIP file
FIRST = """\
# The book's package, where it is missing: from the file beside this chapter{or_from_the_site}.
# Nothing else is fetched, and no file of yours is touched.
import importlib.util, pathlib
package = "{wheel}"
if not importlib.util.find_spec("dp_labs"):
{choose}    %pip install -q {{package}}"""
CHOOSE = """\
    if not pathlib.Path(package).exists():
        package = "{folder}" + package
"""


def wheel_name() -> str:
    """Return the name of the package's wheel, as its version makes it."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return f"dp_helpers-{version}-py3-none-any.whl"


def first_cell(site: str) -> str:
    """Return the cell that a chapter begins with away from the repository; ``site`` is the site's address, or ""."""
    choose = CHOOSE.format(folder=f"{site}{FOLDER}/") if site else ""
    source = ", or from the book's site" if site else ""
    return FIRST.format(or_from_the_site=source, wheel=wheel_name(), choose=choose)


def write_notebooks(folder: Path, first: str, change: Callable = lambda notebook: None) -> None:
    """Write a copy of each chapter into ``folder``: ``first`` is its new first cell, ``change`` edits the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in sorted(BOOK.glob("*.ipynb")):
        notebook = nbformat.read(chapter, as_version=4)
        change(notebook)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(first, id="install"))
        nbformat.write(notebook, folder / chapter.name)


def build_wheel(folder: Path) -> None:
    """Build the wheel of the packages from a copy: building leaves files behind."""
    with tempfile.TemporaryDirectory() as copy:
        for name in WHEEL_SOURCES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, Path(copy, name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy)
        command = "-m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --no-index -w".split()
        subprocess.run([sys.executable, *command, folder, copy], check=True)


def requirements() -> str:
    """Return what the ZIP file's chapters need: the pins, and the wheel in place of the repository's package."""
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return re.sub(r"^-e \.$", f"./{wheel_name()}", pins, flags=re.M)


def write_zip(target: Path, chapters: Path, wheel: Path) -> None:
    """Write the ZIP file: chapters, the wheel with their data, and what to install."""
    files = {file.name: file.read_bytes() for file in sorted(chapters.glob("*.ipynb"))}
    files |= {wheel.name: wheel.read_bytes(), "requirements.txt": requirements().encode()}
    files |= {name: (ROOT / name).read_bytes() for name in ("LICENSE", "LICENSE-TEXT")}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"sliding-epsilon/{name}", LONG_AGO), content, zipfile.ZIP_DEFLATED)


def main(folder: Path, site: str) -> None:
    """Write wheel and ZIP file into ``folder``, and the chapters that are downloaded alone into ``folder``/chapters."""
    shutil.rmtree(folder, ignore_errors=True)
    write_notebooks(folder / "chapters", first_cell(site))
    build_wheel(folder)
    write_zip(folder / ZIP, folder / "chapters", folder / wheel_name())
