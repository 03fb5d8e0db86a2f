"""Each chapter runs where it was downloaded to: alone in an empty folder, with what the wheel requires and no more."""

import copy
import re

import nbformat
import pytest
from chapters.chapter_notebook import read
from nbclient import NotebookClient
from site_pages import CHAPTERS
from thorough import weekly

# A cell that needs one of these imports it itself, and may fail where it is missing.
OPTIONAL = ("sklearn", "opendp", "dp_accounting")
WITHOUT = nbformat.v4.new_code_cell(f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL}))")
NEEDS = re.compile(rf"^\s*(import|from) ({'|'.join(OPTIONAL)})\b", re.M)
RIGHT = re.compile(r"✓ Lab [\d.]+ is right")


def printed(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


@weekly
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_and_its_labs_run_alone(name, tmp_path):
    code = [cell for cell in read(name.removeprefix("book/")).cells if cell.cell_type == "code"]
    notebook = nbformat.v4.new_notebook(cells=[WITHOUT, *copy.deepcopy(code)])
    client = NotebookClient(notebook, timeout=300, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    for before, after in zip(code, notebook.cells[1:], strict=True):
        said = [f"{output.ename}: {output.evalue}" for output in after.outputs if output.output_type == "error"]
        assert not said or NEEDS.search(after.source), f"{said[0]} in\n{after.source}"
        assert said or RIGHT.findall(printed(after)) == RIGHT.findall(printed(before))
