"""What the guide promises of the repository: a chapter that is copied into place alone makes these tests red."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from chapters.chapter_notebook import BOOK

ROOT = BOOK.parent
WORKFLOWS = ROOT / ".github" / "workflows"
CONTENTS = (ROOT / "_toc.yml").read_text(encoding="utf-8")
PACKAGES = {"dp_helpers", "dp_labs", "slider_figures"}
CHAPTERS = re.findall(r"file: book/(\d\d-\S+)", CONTENTS)


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


every_chapter = pytest.mark.parametrize("chapter", CHAPTERS)


def test_every_chapter_is_in_the_contents_in_the_order_of_the_numbers():
    assert sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb")) == CHAPTERS


def test_the_guides_set_up_is_one_that_lint_lets_pass():
    (setup,) = re.findall(r"```python\n(import .*?)```", text("CONTRIBUTING.md"), re.S)
    ruff = [sys.executable, "-m", "ruff", "check", "--select=I", "--stdin-filename=book/a.py", "-"]
    ran = subprocess.run(ruff, input=setup, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert not ran.returncode and len([line for line in setup.splitlines() if line]) <= 6, ran.stdout


@every_chapter
def test_a_chapter_has_a_test_module_of_its_own(chapter):
    modules = [*(ROOT / "tests" / "chapters").glob(f"test_{chapter[:2]}_*.py")]
    assert len(modules) == 1, f"what it claims is tested in one tests/chapters/test_{chapter[:2]}_name.py"
    assert f'"{chapter}"' in modules[0].read_text(encoding="utf-8")


@every_chapter
def test_a_chapter_has_its_question_on_the_map(chapter):
    block = re.search(r"\{chapter-map\}\n(.*?)^[`:]{3}", text("book/index.md"), re.S | re.M)[1]
    questions = dict(re.findall(r"^(\d+)\. (.+)$", block, re.M))
    assert len(questions.get(str(int(chapter[:2])), "")) > 20, "the map in book/index.md has no question of it"


def test_the_version_is_one():
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    assert re.search(r"^## (\S+)", text("CHANGELOG.md").split("## Unreleased")[-1], re.M)[1] == version


def imported_by(package):
    """Return the names that a package's files import, its tests left out, also inside functions."""
    files = [file for file in (ROOT / package).rglob("*.py") if "tests" not in file.parts]
    found = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    names = {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in found if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.split(".")[0] for name in names} - {package}


def test_the_package_declares_what_it_imports():
    declared = tomllib.loads(text("pyproject.toml"))["project"]["dependencies"]
    names = {re.match(r"[a-z]+", wanted)[0].replace("pillow", "PIL") for wanted in declared}
    assert set().union(*map(imported_by, PACKAGES)) - sys.stdlib_module_names - PACKAGES == names


def test_packages_import_each_other_as_the_guide_says():
    rows = re.findall(r"^\| `(\w+)` \|[^|]+\|([^|]*)\|$", text("CONTRIBUTING.md"), re.M)
    plan = {package: set(re.findall(r"`(\w+)`", allowed)) for package, allowed in rows}
    assert {"slider_figures", "dp_helpers", "dp_labs", "grading", "tools"} <= plan.keys()
    assert {package: imported_by(package) & plan.keys() for package in plan} == plan


def test_the_package_is_light_until_something_is_drawn():
    slow = ["matplotlib", "PIL", "ipywidgets", "scipy"]
    program = f"import dp_helpers, sys; print([name for name in {slow} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT).stdout == "[]\n"


def test_every_file_that_the_guide_names_is_there():
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.*-]*|[\w-]+\.(?:md|txt|in|yml|toml))`", text("CONTRIBUTING.md")))
    placeholders = {name for name in named if "NN" in name or "N-name" in name}
    assert len(named) > 30
    built = {name for name in named if name.startswith("_build/")}
    assert not [name for name in named - placeholders - built if not [*ROOT.glob(name.rstrip("/"))]]


def test_every_command_that_the_texts_name_is_a_target():
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))
    pages = ["README.md", "CONTRIBUTING.md", "assignments/README.md", *(f"book/{p.name}" for p in BOOK.glob("*.md"))]
    for page in pages:
        commands = set(re.findall(r"`make ([a-z-]+)[` ]|^make ([a-z-]+)", text(page), re.M))
        assert not {one or other for one, other in commands} - targets, page


def test_every_command_of_the_workflows_is_a_target_and_the_answers_to_reviews_are_looked_at_weekly():
    targets = dict(re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)*)", text("Makefile"), re.M))
    commands = {path.name: re.findall(r"make ([a-z-]+)", path.read_text("utf-8")) for path in WORKFLOWS.glob("*.yml")}
    for name, named in commands.items():
        assert not {*named} - targets.keys(), name
    assert "reviews-check" in commands["weekly.yml"] and "-m reviews.check\n" in targets["reviews-check"]
    assert not re.search(r"^\t(-|.*\|\|)", targets["reviews-check"], re.M), "what is found must turn it red"


@pytest.mark.parametrize("folder", sorted((ROOT / "assignments").glob("[0-9]-*")), ids=lambda folder: folder.name)
def test_each_assignment_has_its_row_for_lecturers(folder):
    assert re.search(rf"^\| {folder.name[0]}\. ", text("book/lecturers.md"), re.M)
    assert {path.name for path in Path(folder).iterdir()} >= {"source.py", "variants.py"}
