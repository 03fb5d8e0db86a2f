"""Make JupyterLite, which runs the chapters in the reader's browser, in ``_build/lite``, as `make book` does first.

It needs no network: JupyterLab's files come from the environment, and the package's wheel is built from this tree.
What the reader's browser loads from elsewhere, Python itself and the packages that this book builds on, is said in
``book/running.md``.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.make_downloads import build_wheel, write_notebooks

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "_build" / "lite"
INSTALL = "# The book's package, from this site, and what it builds on, from the network\n%pip install -q dp_helpers"


def main() -> None:
    """Build everything beside the target, then put it in place."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_notebooks(folder / "files", INSTALL)
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
