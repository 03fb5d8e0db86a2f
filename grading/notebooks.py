"""Cells and notebooks with the metadata that the grader and Jupyter read."""

import json

from .source import Cell


def text_cell(text: str, purpose: str | None = None, *, editable: bool = False) -> dict:
    """Return a Markdown cell; ``purpose`` is what the grader knows it by, as in "q1-answer"."""
    return {"cell_type": "markdown", "metadata": _metadata(purpose, editable), "source": text}


def code_cell(text: str, purpose: str | None = None, *, editable: bool = False) -> dict:
    """Return a code cell; ``purpose`` as in `text_cell`."""
    cell = {"cell_type": "code", "execution_count": None, "metadata": _metadata(purpose, editable)}
    return cell | {"outputs": [], "source": text}


def setup_cell(cell: Cell) -> dict:
    """Return a setup cell of the source, with the import of the checks before it."""
    return code_cell(f"from checks import check\n\n{cell.text}")


def check_cell(task: str) -> dict:
    """Return the cell that runs a task's visible checks."""
    return code_cell(f'check("{task}", globals())', f"{task}-check")


def _metadata(purpose, editable):
    """Return what marks a cell, and keeps Jupyter from deleting it, or from editing what isn't the student's."""
    return {"deletable": False, "editable": editable} | ({"assignment": purpose} if purpose else {})


def notebook(cells: list[dict]) -> str:
    """Return the text of the notebook of these cells, the same on each run."""
    cells = [
        {"id": f"cell-{number}"} | cell | {"source": cell["source"].splitlines(keepends=True)}
        for number, cell in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
