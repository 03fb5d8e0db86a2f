"""Cells and notebooks with the metadata that the grader and Jupyter read."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from .source import Cell


def text_cell(text: str, purpose: str | None = None, *, editable: bool = False):
    """Return a Markdown cell; ``purpose`` is what the grader knows it by, as in "q1-answer"."""
    return _with_purpose(new_markdown_cell(text), purpose, editable)


def code_cell(text: str, purpose: str | None = None, *, editable: bool = False):
    """Return a code cell; ``purpose`` as in `text_cell`."""
    return _with_purpose(new_code_cell(text), purpose, editable)


def setup_cell(cell: Cell):
    """Return a setup cell of the source, with the import of the checks before it."""
    return code_cell(f"from checks import check\n\n{cell.text}")


def check_cell(task: str):
    """Return the cell that runs a task's visible checks."""
    return code_cell(f'check("{task}", globals())', f"{task}-check")


def _with_purpose(cell, purpose, editable):
    """Mark a cell, and keep Jupyter from deleting it, or from editing what isn't the student's."""
    cell.metadata |= {"deletable": False, "editable": editable}
    if purpose:
        cell.metadata["assignment"] = purpose
    return cell


def notebook(cells: list):
    """Return the notebook of these cells, the same bytes on each run."""
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # nbformat's own are random
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    nbformat.validate(made)
    return made
