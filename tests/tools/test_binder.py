"""Binder: how repo2docker reads this tree. It builds no image here."""

import shutil
import sys
import warnings
from pathlib import Path

import pytest

from tools import check_python

if sys.platform == "win32":
    pytest.skip("repo2docker is no program for Windows", allow_module_level=True)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of a library that repo2docker imports
    from repo2docker.app import Repo2Docker

ROOT = Path(__file__).resolve().parents[2]
READ = ("requirements.txt", "runtime.txt", "pyproject.toml", "Makefile", "README.md", "_config.yml")


@pytest.fixture
def buildpack(tmp_path, monkeypatch):
    """Return what repo2docker chooses for the files at the root of a clean checkout."""
    for name in READ:
        shutil.copy(ROOT / name, tmp_path)
    for folder in ("binder", ".binder"):
        assert not (ROOT / folder).exists(), f"{folder}/ would hide requirements.txt from Binder"
    monkeypatch.chdir(tmp_path)
    app = Repo2Docker()
    app.initialize()
    chosen = next(pack for pack in (kind(app.base_image) for kind in app.buildpacks) if pack.detect())
    chosen.platform = "linux/amd64"
    return chosen


def test_python_comes_from_runtime_txt_and_is_one_that_the_book_runs_on(buildpack):
    assert type(buildpack).__name__ == "PythonBuildPack"
    # Without runtime.txt it would be repo2docker's newest, which the pins may not know.
    assert buildpack.python_version in [f"3.{minor}" for _, minor in check_python.supported()]


def test_the_pins_and_the_package_are_installed_from_the_tree(buildpack):
    script = "\n".join(script for _, script in buildpack.get_assemble_scripts())
    assert '-r "requirements.txt"' in script
    # `-e .` needs the tree: nothing may be installed before it is copied into the image.
    assert not [script for _, script in buildpack.get_preassemble_scripts() if "requirements.txt" in script]
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8").rstrip().endswith("\n-e .")
    dockerfile = buildpack.render()
    assert dockerfile.index("COPY --chown=1000:1000 src/ ${REPO_DIR}") < dockerfile.index('-r "requirements.txt"')
