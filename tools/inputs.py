"""Has anything changed since the site was built?  Sphinx takes twenty seconds to find that nothing has."""

import hashlib
import os
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = ("BOOK_", "GITHUB_", "DP_CENSUS")  # beginnings of the variables that the build reads


def fingerprint(root: Path = ROOT) -> str:
    """Return a text that differs once a file has changed, come or gone, or what is installed, or a variable.

    A file is known by its name, its size and the time at which it was written; hidden ones, as editors leave them,
    don't count. Of ``_build`` those count that say that JupyterLite, Thebe and the PDF were made for the site.
    """
    files = [*_files(root), *(root / "_build").glob("*/.ready"), Path(sysconfig.get_path("purelib"))]
    lines = [f"{file} {(stat := file.stat()).st_size} {stat.st_mtime_ns}" for file in sorted(files)]
    lines += sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(NAMED))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _files(root: Path):
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith((".", "_build", "__pycache__"))]
        yield from (Path(folder, name) for name in names if not name.startswith("."))
