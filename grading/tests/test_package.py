"""The grader stands alone: what it imports is in its requirements, and its README knows its modules."""

import ast
import re
import sys
from pathlib import Path

import grading
from grading.gradescope import needed

PACKAGE = Path(grading.__file__).parent
MODULES = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
BESIDE_THE_WORKER = {"inputtransformer2", "tokenutil", *MODULES}  # what the sandbox puts there


def imported(path):
    """Return the top-level names of what a module imports from elsewhere."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def test_it_imports_what_its_requirements_name_and_the_package():
    found = set().union(*(imported(PACKAGE / f"{name}.py") for name in MODULES)) - BESIDE_THE_WORKER
    named = {{"ipython": "IPython"}.get(name, name) for name in needed()}
    assert found == {*named, "dp_helpers"}


def test_its_map_has_each_module_once():
    rows = re.findall(r"^\| .+ \| (.+) \|$", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.M)
    named = re.findall(r"`([a-z_]+)`", " ".join(rows))
    assert sorted(named) == sorted(MODULES)
