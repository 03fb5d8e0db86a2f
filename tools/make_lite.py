"""Make JupyterLite, which runs the chapters in the reader's browser, in ``_build/lite`` (`make lite`).

It needs no network: JupyterLab's files come from the environment, and the package's wheel is built from this tree.
What the reader's browser loads from elsewhere, Python itself and the packages that this book builds on, is said in
``book/running.md``.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "_build" / "lite"
INSTALL = "# The book's package, from this site, and what it builds on, from the network\n%pip install -q dp_helpers"
WHEEL_SOURCES = ("dp_helpers", "pyproject.toml", "README.md", "LICENSE")


def write_notebooks(folder: Path, install: str, change=lambda notebook: None) -> None:
    """Write a copy of each chapter into ``folder``: ``install`` is its new first cell, ``change`` edits the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = nbformat.read(chapter, as_version=4)
        change(notebook)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(install, id="install"))
        nbformat.write(notebook, folder / chapter.name)


def build_wheel(folder: Path) -> None:
    """Build the wheel of ``dp_helpers`` from a copy: building leaves files behind."""
    with tempfile.TemporaryDirectory() as copy:
        for name in WHEEL_SOURCES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, Path(copy, name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy)
        command = "-m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --no-index -w".split()
        subprocess.run([sys.executable, *command, folder, copy], check=True)


def main() -> None:
    """Build everything beside the target, then put it in place."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_notebooks(folder / "files", INSTALL)
        shutil.copytree(ROOT / "book" / "data", folder / "files" / "data")
        build_wheel(folder / "pypi")
        command = "-m jupyterlite_core build --contents files --output-dir site --apps lab".split()
        smaller = ["--no-sourcemaps", "--no-unused-shared-packages"]
        built = subprocess.run([sys.executable, *command, *smaller], cwd=folder, capture_output=True, text=True)
        if built.returncode:
            raise SystemExit(built.stdout + built.stderr)
        shutil.rmtree(TARGET, ignore_errors=True)
        shutil.copytree(folder / "site", TARGET)
    (TARGET / ".ready").touch()


if __name__ == "__main__":
    main()
