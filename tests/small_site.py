"""A small site for tests of what depends on the build's settings: two pages, not executed."""

import os
import shutil
import subprocess
from pathlib import Path

import yaml

from tools.__main__ import build_command

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["book/03-differential-privacy", "book/02-k-anonymity"]
SETTINGS = ("BOOK_", "GITHUB_", "DP_CENSUS")


def build(folder: Path, *, parts=None, change=lambda folder: None, **settings: str) -> Path:
    """Build the pages in ``folder`` with ``settings`` as environment variables, and return where they are.

    ``parts`` is the folder that takes the place of ``_build``: what `make book` and `make thebe` left there.  Before,
    ``change`` may change the sources in the folder.
    """
    for file in (*(f"{page}.ipynb" for page in PAGES), "book/references.bib", "requirements.txt", "conf.py"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    for name in ("tools", "reviews", "dp_labs", "slider_figures", "book/_static", "book/_templates"):
        shutil.copytree(ROOT / name, folder / name)
    if parts:
        shutil.copytree(parts, folder / "_build")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["execute"]["execute_notebooks"] = "off"
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    root, *others = PAGES
    contents = {"format": "jb-book", "root": root, "chapters": [{"file": page} for page in others]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    change(folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    built = subprocess.run(
        [*build_command("html"), "-q"],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(folder)} | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        raise RuntimeError(built.stdout + built.stderr)
    return folder / "_build" / "html"
