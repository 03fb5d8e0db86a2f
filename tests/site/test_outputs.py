"""What the notebooks store, which GitHub, Colab and JupyterLab show, is what the build has just printed and drawn.

The build executes every page, in today's state, so nothing is executed a second time here.  nbval does that: on one
chapter in `make check CHAPTER=NN`, on all of them on each system, and weekly.
"""

import base64
import copy
import io
from functools import cache
from itertools import combinations

import nbformat
import numpy as np
import pytest
from jupyter_cache import get_cache
from PIL import Image
from site_pages import ROOT

from tools.book_site.execution import with_state
from tools.book_site.state import PageStates

PAGES = sorted(path.stem for path in (ROOT / "book").glob("*.ipynb"))
NEAR = 2  # of 255 grey levels, on average over a look from afar: 64 by 64 points
MOVING = '<figure class="sf-explore'

states = cache(PageStates)


@cache
def stored_and_built(page):
    """Return the code cells of a page as they are stored, and as the build has executed them."""
    path, executed = ROOT / "book" / f"{page}.ipynb", get_cache(ROOT / "_build" / ".executed")
    text = path.read_text(encoding="utf-8")
    stored = nbformat.reads(with_state(text, states()(f"book/{page}", text), path), as_version=4)
    try:
        built = executed.get_cache_bundle(executed.match_cache_notebook(stored).pk).nb
    except KeyError:
        raise AssertionError(f"{page} is not built as it is today: make book") from None
    return [[cell for cell in notebook.cells if cell.cell_type == "code"] for notebook in (stored, built)]


def printed(cell):
    """Return what a cell printed: all but pictures, and a moving figure's frames, which the site alone has."""
    outputs = [output.get("data") or {output.name: output.text} for output in cell.outputs]
    return [
        {kind: text for kind, text in output.items() if kind != "image/png" and not text.startswith(MOVING)}
        for output in outputs
    ]


def pictures(cell):
    return [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]


def stale(stored, built):
    """Return the first lines of the cells that don't print what is stored."""
    cells = zip(stored, built, strict=True)
    return [old.source.partition("\n")[0] for old, new in cells if printed(old) != printed(new)]


def look_alike(one, other):
    return np.abs(seen_from_afar(one) - seen_from_afar(other)).mean() < NEAR


@cache
def seen_from_afar(png):
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        return np.asarray(picture.convert("L").resize((64, 64)), float)


@pytest.mark.parametrize("page", PAGES)
def test_what_is_stored_is_what_the_build_prints(page):
    assert not stale(*stored_and_built(page)), "make notebooks"


@pytest.mark.parametrize("page", PAGES)
def test_stored_pictures_are_what_the_build_draws(page):
    for old, new in zip(*stored_and_built(page), strict=True):
        if not any(MOVING in output.get("data", {}).get("text/html", "") for output in new.outputs):
            assert len(pictures(old)) == len(pictures(new))
            assert all(map(look_alike, pictures(old), pictures(new))), f"make notebooks\n{old.source}"


@pytest.mark.parametrize("page", PAGES)
def test_a_changed_output_is_noticed_in_each_cell(page):
    stored, built = stored_and_built(page)
    changed = copy.deepcopy(built)
    for cell in changed:
        for output in cell.outputs[-1:]:
            if "data" in output:
                output.data["text/plain"] += " "
            else:
                output.text += " "
    assert stale(stored, changed) == [cell.source.partition("\n")[0] for cell in stored if cell.outputs]


def test_no_two_pictures_of_the_book_look_alike():
    drawn = [png for page in PAGES for cell in stored_and_built(page)[0] for png in pictures(cell)]
    assert len(drawn) > 100
    assert not any(look_alike(one, other) for one, other in combinations(drawn, 2))
