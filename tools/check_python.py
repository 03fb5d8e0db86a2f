"""Say at once when a Python is too old for the book: any Python 3.6 or later can run this."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def supported():
    """Return the versions that the book is tested on, as pyproject.toml says: the one place where they stand."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return [(3, int(minor)) for minor in re.findall(r"Python :: 3\.(\d+)", text)]


def verdict(version, versions):
    """Return an error message for a version that is too old, a warning for one that is too new, or ""."""
    *others, newest = [f"{major}.{minor}" for major, minor in versions]
    current = f"{version[0]}.{version[1]}"
    if version < versions[0]:
        known = f"{', '.join(others)} or {newest}"
        return f"This book needs Python {known}; this is {current}. Try: make PYTHON=python{newest} book"
    return f"The book is tested up to Python {newest}; this is {current}." if version > versions[-1] else ""


if __name__ == "__main__":
    complaint = verdict(sys.version_info[:2], supported())
    if complaint:
        print(complaint, file=sys.stderr)
    sys.exit("needs" in complaint)
