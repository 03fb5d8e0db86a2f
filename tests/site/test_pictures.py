"""The pictures that notebooks store are those that the build draws: GitHub, Colab, JupyterLab show the stored ones."""

import base64
import io

import nbformat
import numpy as np
import pytest
from PIL import Image
from site_pages import CHAPTERS, ROOT

# MyST-NB leaves the notebooks that it showed here.
EXECUTED = ROOT / "_build" / "jupyter_execute"
NEAR = 2  # of 255 grey levels, on average over a look from afar: 64 by 64 points


def figures(file):
    """Return the still figures of an executed notebook, by name."""
    cells = nbformat.read(file, as_version=4).cells
    return {
        cell.metadata["mystnb"]["figure"]["name"]: output.data["image/png"]
        for cell in cells
        if "figure" in cell.metadata.get("mystnb", {})
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    }


def looked_at(png):
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        return np.asarray(picture.convert("L").resize((64, 64)), float)


@pytest.mark.parametrize("name", CHAPTERS)
def test_stored_pictures_are_what_the_build_draws(name):
    stored, drawn = figures(ROOT / f"{name}.ipynb"), figures(EXECUTED / f"{name}.ipynb")
    assert stored.keys() == drawn.keys()
    for figure, png in stored.items():
        assert np.abs(looked_at(png) - looked_at(drawn[figure])).mean() < NEAR, f"{figure} is stale: make notebooks"
