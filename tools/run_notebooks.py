"""Format chapters, execute them top to bottom and write their outputs: ``python -m tools.run_notebooks book/*.ipynb``.

This is the only way outputs, and labs' numbers, get into a committed notebook (`make notebooks`): fresh kernel, the
embedded census, the notebook's own folder as the working directory, and nothing kept that differs from run to run.  The
build executes its pages by :func:`play`, too.
"""

import base64
import io
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from PIL import Image

from dp_labs import shown_number
from tools.minutes import FOLDED, write_minutes

# Over plain sockets each kernel would warn of eavesdroppers, and MyST-NB passes no configuration on.
KernelManager.transport_encryption.default_value = "auto"
COLOURS = 48  # of a static picture: a third of the bytes, and no difference that an eye finds
LAB = r"\{admonition\} Lab\b[ \d.]*( · .+\n:class: lab\n:name: lab-(\d+)-([\w-]+))"
SEEN_WIDTH, FOLDED_WIDTH = 60, 88  # columns: a phone shows 60, and what is folded may scroll
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "name": "python"}  # with it `jupyter nbconvert --to script` writes Python


def play(notebook: nbformat.NotebookNode, folder: Path, timeout: int) -> float:
    """Execute the notebook in place, in this folder; return the seconds it took."""
    started = time.perf_counter()
    # Times in the cells' metadata would make it another notebook than the one that the build's cache is asked for.
    resources = {"metadata": {"path": str(folder)}}
    # In how many pieces a print arrives depends on the moment: they are joined.
    client = NotebookClient(notebook, timeout=timeout, resources=resources, record_timing=False, coalesce_streams=True)
    client.execute()
    lighten_pictures(notebook)
    return time.perf_counter() - started


def number_labs(notebook: nbformat.NotebookNode) -> None:
    """Write into the title of each lab the number under which it is shown, counted from its name's place."""

    def numbered(title):
        return f"{{admonition}} Lab {shown_number(f'{title[2]}.{title[3]}')}{title[1]}"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(LAB, numbered, cell.source)


def format_code(notebook: nbformat.NotebookNode) -> None:
    """Format the code cells: those that a chapter shows narrower than those that it folds away."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename=a.ipynb", "-"]
    for width, folded in ((SEEN_WIDTH, False), (FOLDED_WIDTH, True)):
        cells = [cell for cell in code if bool(FOLDED & set(cell.metadata.get("tags", []))) == folded]
        sources = [nbformat.v4.new_code_cell(cell.source) for cell in cells]
        text = nbformat.writes(nbformat.v4.new_notebook(cells=sources))
        ran = subprocess.run(
            [*ruff, f"--line-length={width}"], input=text, capture_output=True, encoding="utf-8", check=False
        )
        if ran.returncode:
            raise ValueError(ran.stderr.strip())
        for cell, formatted in zip(cells, nbformat.reads(ran.stdout, as_version=4).cells, strict=True):
            cell.source = formatted.source


def strip(notebook: nbformat.NotebookNode) -> None:
    """Remove what depends on the machine or the moment of the run."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            fold(cell)


def fold(cell: nbformat.NotebookNode) -> None:
    """Fold in JupyterLab what the cell's tags fold on the site: code of drawings, solutions whole."""
    tags = cell.metadata.get("tags", [])
    hidden = {"source_hidden": True} if FOLDED & set(tags) else {}
    hidden |= {"outputs_hidden": True} if {"hide-cell", "answers-predict"} & set(tags) else {}
    cell.metadata.pop("jupyter", None)
    if hidden:
        cell.metadata["jupyter"] = hidden


def lighten_pictures(notebook: nbformat.NotebookNode) -> None:
    """Give the pictures that the cells have drawn a palette."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                png = lighter(base64.b64decode(output.data["image/png"]))
                output.data["image/png"] = base64.b64encode(png).decode()


def lighter(png: bytes) -> bytes:
    """Return the picture with a palette, unless it has one or the page shines through it."""
    file = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        if picture.mode == "P" or (picture.mode == "RGBA" and picture.getextrema()[3][0] < 255):
            return png
        # Pillow's usual method spends the palette where many pixels are, and a thin orange line turned brown.
        palette = {"method": Image.Quantize.MAXCOVERAGE, "kmeans": 1, "dither": Image.Dither.NONE}
        picture.convert("RGB").quantize(COLOURS, **palette).save(file, "PNG", optimize=True)
    return file.getvalue()


def write_outputs(path: Path) -> str:
    """Execute one chapter and write it; return an error message, or "" if it ran."""
    notebook = nbformat.read(path, as_version=4)
    try:
        if re.match(r"\d", path.name):  # the errata show wider lines than a chapter
            format_code(notebook)
        number_labs(notebook)
        write_minutes(notebook)
        seconds = play(notebook, path.parent, timeout=300)
    except (CellExecutionError, ValueError) as error:
        return f"{path}: {error}"
    strip(notebook)
    nbformat.write(notebook, path)
    print(f"{path}: {seconds:.0f} s", flush=True)
    return ""


def main() -> int:
    """Run the chapters named on the command line, two at a time."""
    os.environ["FIGURE_VENUE"] = "notebook"
    os.environ.pop("DP_CENSUS", None)
    with ThreadPoolExecutor(2) as pool:
        errors = [*filter(None, pool.map(write_outputs, map(Path, sys.argv[1:])))]
    print(*errors, sep="\n\n", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
