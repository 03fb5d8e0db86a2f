"""Refuse a release of another version than the files name, with drafts, or with changes that have no version.

``python -m tools.check_release v0.2.0``
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file names; the changes' is the newest one with a number."""
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\d\S*)", changes, re.M)
    citation = re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "pyproject.toml": project["version"],
        "CITATION.cff": citation[1].strip("\"'") if citation else "none",
        "CHANGELOG.md": newest[1] if newest else "none",
    }


def drafts(root: Path = ROOT) -> list[str]:
    """Return the pages that ``_toc.yml`` marks as drafts: ``- file: book/25-name  # draft``."""
    return re.findall(r"file: (\S+) +# draft$", (root / "_toc.yml").read_text(encoding="utf-8"), re.M)


def unreleased(root: Path = ROOT) -> int:
    """Return how many lines of the changes stand under "Unreleased"."""
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    return sum(bool(line.strip()) for line in section[1].splitlines()) if section else 0


def main(tag: str, root: Path = ROOT) -> None:
    """End with an error that names each file whose version isn't the tag's, each draft, or the changes' lines."""
    wrong = [f"{name}: {version}" for name, version in versions(root).items() if f"v{version}" != tag]
    if wrong:
        raise SystemExit(f"the tag is {tag}, but not the version in " + ", ".join(wrong))
    if drafts(root):
        raise SystemExit("a release has no drafts, but _toc.yml marks " + ", ".join(drafts(root)))
    if lines := unreleased(root):
        raise SystemExit(f"CHANGELOG.md has {lines} lines under Unreleased: put them under a version")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("say which tag: python -m tools.check_release v0.2.0")
    main(sys.argv[1])
