"""What the tests of a chapter need from its notebook."""

import ast
from functools import cache
from pathlib import Path

import nbformat

BOOK = Path(__file__).resolve().parents[2] / "book"


@cache
def read(name: str) -> nbformat.NotebookNode:
    """Return the committed notebook ``book/<name>.ipynb``."""
    return nbformat.read(BOOK / f"{name}.ipynb", as_version=4)


def page_functions(name: str) -> dict:
    """Return the functions and classes that the chapter defines, in a namespace with the chapter's imports.

    Nothing else of the notebook runs.  Of two definitions of a name the first stands: the page's own version
    comes before a lab's.
    """
    namespace = {}
    exec(_definitions(name), namespace)
    return namespace


@cache
def _definitions(name):
    """Return the compiled code of a chapter's imports, functions and classes."""
    kept, seen = [], set()
    for cell in read(name).cells:
        if cell.cell_type != "code":
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in seen:
                seen.add(node.name)
                kept.append(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                kept.append(node)
    return compile(ast.Module(kept, []), name, "exec")
