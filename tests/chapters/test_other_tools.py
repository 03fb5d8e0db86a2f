"""Chapters in other hands: as a script, in Jupytext's text forms, and run a second time in the same kernel."""

import copy
from functools import cache
from pathlib import Path

import nbformat
import pytest
from chapters.chapter_notebook import BOOK, read
from nbclient import NotebookClient
from site_pages import CHAPTERS
from thorough import weekly

NAMES = [Path(name).name for name in CHAPTERS]


@cache
def exporter():
    from nbconvert import ScriptExporter  # here, and Jupytext below: each process of the tests imports this file

    return ScriptExporter()


@pytest.mark.parametrize("name", NAMES)
def test_nbconvert_makes_a_python_script_of_it(name):
    script, about = exporter().from_notebook_node(read(name))
    assert about["output_extension"] == ".py"
    compile(script, name, "exec")


@pytest.mark.parametrize("form", ["py:percent", "md:myst"])
@pytest.mark.parametrize("name", NAMES)
def test_jupytext_keeps_cells_and_what_folds_them(name, form):
    import jupytext

    before = read(name)
    after = jupytext.reads(jupytext.writes(copy.deepcopy(before), form), form)

    def kept(notebook):
        return [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in notebook.cells]

    assert kept(after) == kept(before)


@weekly
@pytest.mark.parametrize("name", NAMES)
def test_run_all_a_second_time_prints_the_same(name):
    """In one kernel, as a learner does: the set-up makes the generator anew, and nothing else is left over."""
    code = [cell for cell in read(name).cells if cell.cell_type == "code"]
    twice = [*copy.deepcopy(code), *copy.deepcopy(code)]
    for number, cell in enumerate(twice):
        cell.id = f"cell-{number}"
    notebook = nbformat.v4.new_notebook(cells=twice)
    NotebookClient(notebook, timeout=300, coalesce_streams=True, resources={"metadata": {"path": str(BOOK)}}).execute()
    first, second = notebook.cells[: len(code)], notebook.cells[len(code) :]
    for before, after in zip(first, second, strict=True):
        printed = [[output.get("text") for output in cell.outputs] for cell in (before, after)]
        assert printed[0] == printed[1], before.source
