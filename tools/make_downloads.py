"""What a visitor takes along from the site: the book as a ZIP file, the package's wheel, and chapters opened alone.

A chapter that leaves the site begins with one more cell, the same wherever it is opened: it fetches the book's data
and installs the package where they are missing.
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
WHEEL_SOURCES = ("dp_helpers", "dp_labs", "pyproject.toml", "README.md", "LICENSE")
ZIP = "sliding-epsilon.zip"
FOLDER = "downloads"  # of the site
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same files make the same ZIP file
FETCH = """\
# Opened alone, this chapter fetches the book's data, and the package where it is missing.
import importlib.util, pathlib, urllib.request, zipfile
if not pathlib.Path("data").exists():
    zipfile.ZipFile(urllib.request.urlretrieve("{address}")[0]).extractall()
    %cd -q sliding-epsilon
if not importlib.util.find_spec("dp_labs"):
    %pip install -q {wheel}"""
BESIDE = """\
# The book's package, where it is missing. Opened alone, this chapter lacks the book's data, too: take the ZIP file
# from the page "Run it", and open the chapter that is in it.
import importlib.util
if not importlib.util.find_spec("dp_labs"):
    %pip install -q {wheel}"""


def wheel_name() -> str:
    """Return the name of the package's wheel, as its version makes it."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return f"dp_helpers-{version}-py3-none-any.whl"


def first_cell(site: str) -> str:
    """Return the cell that a chapter begins with away from the repository; ``site`` is the site's address, or ""."""
    address = f"{site}{FOLDER}/{ZIP}"
    return (FETCH if site else BESIDE).format(address=address, wheel=wheel_name())


def write_notebooks(folder: Path, first: str, change: Callable = lambda notebook: None) -> None:
    """Write a copy of each chapter into ``folder``: ``first`` is its new first cell, ``change`` edits the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in sorted(BOOK.glob("*.ipynb")):
        notebook = nbformat.read(chapter, as_version=4)
        change(notebook)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(first, id="install"))
        nbformat.write(notebook, folder / chapter.name)


def build_wheel(folder: Path) -> None:
    """Build the wheel of both packages from a copy: building leaves files behind."""
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
    """Write the ZIP file: chapters, their data, the wheel, and what to install."""
    files = {file.name: file.read_bytes() for file in sorted(chapters.glob("*.ipynb"))}
    files |= {f"data/{file.name}": file.read_bytes() for file in sorted((BOOK / "data").iterdir())}
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
