"""The Pythons that the book runs on are said in many places: all say what pyproject.toml says."""

import re
from pathlib import Path

import pytest
import yaml

from tools import check_python

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = check_python.supported()
NAMES = [f"3.{minor}" for _, minor in VERSIONS]
IN_WORDS = f"{', '.join(NAMES[:-1])} or {NAMES[-1]}"


def test_versions_are_in_a_row_and_begin_where_the_package_does():
    assert [(3, minor) for minor in range(VERSIONS[0][1], VERSIONS[-1][1] + 1)] == VERSIONS
    assert f'requires-python = ">={NAMES[0]}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "book/running.md"])
def test_readers_are_told_so(name):
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    assert f"Python {IN_WORDS}" in text


def test_the_workflow_tests_each():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["others"]["strategy"]["matrix"]
    (built,) = [
        step["with"]["python-version"] for step in jobs["build"]["steps"] if "setup-python" in step.get("uses", "")
    ]
    assert sorted([*matrix["python"], built], key=lambda name: int(name.split(".")[1])) == NAMES
    assert {one["system"] for one in matrix["include"]} == {"windows-latest", "macos-latest"}


def test_binder_has_the_one_that_the_site_is_built_with():
    asked = (ROOT / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
    assert asked in NAMES
    assert not (ROOT / "binder").exists() and not (ROOT / ".binder").exists()  # they would hide requirements.txt
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8").rstrip().endswith("\n-e .")
    assert f'python-version: "{asked}"' in (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (VERSIONS[0], ""),
        (VERSIONS[-1], ""),
        ((3, VERSIONS[0][1] - 1), f"needs Python {IN_WORDS}"),
        ((2, 7), "needs"),
        ((3, VERSIONS[-1][1] + 1), "tested up to"),
    ],
)
def test_a_python_that_is_too_old_is_refused_and_one_that_is_too_new_is_tried(version, said):
    found = check_python.verdict(version, VERSIONS)
    assert said in found and bool(said) == bool(found)


def test_pins_of_both_files_are_one_resolution():
    pins = {}
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if found := re.match(r"([\w.-]+)==(\S+)( ;.*)?$", line):
                assert (found[1], found[3]) not in pins, f"{found[1]} is pinned twice"
                pins[found[1], found[3]] = found[2]
    assert len(pins) > 150
    asked = [
        re.match(r"[\w-]+", line)[0].lower()
        for name in ("requirements.in", "requirements-dev.in")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert not set(asked) - {name for name, _ in pins}
