"""The package stands alone: it imports nothing of the book that it was made for, and has none of its words."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOMS = {"dp_helpers", "dp_labs", "grading", "tools", "tests"}  # of the repository that it lies in
NEEDED = {"matplotlib", "numpy", "pandas", "PIL", "ipywidgets"}


def test_it_imports_public_libraries_and_nothing_else():
    trees = [ast.parse(file.read_text("utf-8")) for file in PACKAGE.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"slider_figures"} == NEEDED


def test_it_knows_nothing_of_what_it_is_used_for():
    files = [file for kind in ("*.py", "static/*", "README.md") for file in PACKAGE.glob(kind)]
    assert len(files) > 12
    words = re.compile(r"\bdp[-_.]|privacy|epsilon|sensitivity", re.I)
    assert not [(file.name, found[0]) for file in files if (found := words.search(file.read_text("utf-8")))]


def test_it_draws_where_neither_the_book_nor_widgets_are():
    gone = [*ROOMS, "IPython", "ipywidgets", "matplotlib_inline"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({gone}))\n"
        "from matplotlib import pyplot as plt; from slider_figures import explore\n"
        "print(explore(lambda n: plt.figure(), n=[1, 2], alt='{n}', caption='c'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"FIGURE_VENUE": "site", "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.stdout == "2 c Slider: n from 1 to 2 (2 values).\n", run.stderr
