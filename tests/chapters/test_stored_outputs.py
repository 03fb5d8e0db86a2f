"""What is stored in a notebook is what its cells print, in the run of which the site was built.

`make book` executes a page again whenever something changed that its outputs depend on, so nothing is run twice; a page
that it hasn't executed as it stands is executed here. `make check CHAPTER=05` and the weekly run have nbval execute
the notebooks, as a reader's Jupyter does.
"""

from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache

from tools.book_site import execution

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("book/*.ipynb"))
TIMEOUT = 600  # seconds


@pytest.fixture(scope="module")
def executed():
    """Return a page with the outputs of a run under today's state: ``executed(path)``."""
    cache = get_cache(str(ROOT / "_build" / ".executed"))
    package = execution.package_state()

    def executed_page(path):
        state = execution.page_state(package, f"book/{path.stem}")
        notebook = nbformat.reads(execution.with_state(path.read_text("utf-8"), state, path), as_version=4)
        if execution.is_cached(cache, notebook):
            return cache.get_cache_bundle(cache.match_cache_notebook(notebook).pk).nb
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DP_VENUE", "notebook")
            assert execution.execute(path, notebook, TIMEOUT), f"{path.name} doesn't run"
        return notebook

    return executed_page


def differing(stored, executed):
    """Return the cells whose outputs differ, with both outputs."""
    ours, theirs = ([cell for cell in one.cells if cell.cell_type == "code"] for one in (stored, executed))
    outputs = [(one.source, printed(one), printed(other)) for one, other in zip(ours, theirs, strict=True)]
    return [cell for cell in outputs if cell[1] != cell[2]]


def printed(cell):
    """Return what a reader of the cell reads, in order; pictures are drawn otherwise by another FreeType."""
    found = [("", "")]
    for output in cell.outputs:
        if output.output_type == "stream":
            # In how many pieces it arrived depends on the moment.
            before = found.pop()[1] if found[-1][0] == output.name else ""
            found.append((output.name, before + output.text))
        elif output.output_type == "error":
            found.append((output.ename, output.evalue))
        else:
            found += [(kind, text) for kind, text in sorted(output.data.items()) if not is_picture(kind, text)]
    return found


def is_picture(kind, text):
    """Tell whether this form of an output is drawn; a slider's figure has one for the site alone, beside its words."""
    return kind == "image/png" or (kind == "text/html" and text.startswith('<figure class="dp-explore'))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_each_cell_prints_what_is_stored(path, executed):
    stored = nbformat.read(path, as_version=4)
    assert [cell.id for cell in stored.cells if cell.cell_type == "code" and cell.execution_count is None] == []
    assert differing(stored, executed(path)) == []


def code(*outputs):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[*map(nbformat.from_dict, outputs)])])


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def result(**data):
    return {"output_type": "display_data", "metadata": {}, "data": {k.replace("_", "/"): v for k, v in data.items()}}


SLIDER = '<figure class="dp-explore" id="explore-1">'


@pytest.mark.parametrize(
    ("stored", "executed"),
    [
        ([stream("one\n"), stream("two\n")], [stream("one\ntwo\n")]),
        ([result(text_plain="a curve", image_png="iVBO")], [result(text_plain="a curve", image_png="iVBP")]),
        ([result(text_plain="a curve")], [result(text_plain="a curve", text_html=SLIDER)]),
    ],
)
def test_the_same_words_are_the_same(stored, executed):
    assert differing(code(*stored), code(*executed)) == []


@pytest.mark.parametrize(
    ("stored", "executed"),
    [
        ([stream("one\n")], [stream("one \n")]),
        ([stream("one\n")], []),
        ([stream("one\n")], [stream("one\n", "stderr")]),
        ([stream("one\n"), result(text_plain="2")], [result(text_plain="2"), stream("one\n")]),
        ([result(text_plain="a curve")], [result(text_plain="two curves", text_html=SLIDER)]),
        ([result(text_plain="a", text_html="<table>1")], [result(text_plain="a", text_html="<table>2")]),
        ([result(text_plain="2")], [{"output_type": "error", "ename": "KeyError", "evalue": "2", "traceback": []}]),
    ],
)
def test_other_words_are_found(stored, executed):
    assert len(differing(code(*stored), code(*executed))) == 1
