"""How pages are executed, what is remembered of it, and how chapters are run."""

import base64
import copy
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from PIL import Image

from dp_labs.chapter_03 import LABS as LABS_OF_3
from tools import run_notebooks
from tools.book_site import execution

ROOT = Path(__file__).resolve().parents[2]


def test_a_page_is_read_again_for_the_words_of_its_labs():
    seen = []
    env = SimpleNamespace(note_dependency=seen.append, doc2path=lambda docname: f"{docname}.ipynb")
    for page in ("book/03-differential-privacy", "book/errata"):
        execution.add_state(SimpleNamespace(env=env, dp_state_of=lambda docname, text: ""), page, [""])
    assert [Path(file).name for file in seen] == ["chapter_03.py"]


def test_the_state_is_in_what_the_cache_looks_for(tmp_path):
    import jupyter_cache.base  # here, as in `execution`: each process of the tests imports this file

    cache = jupyter_cache.get_cache(str(tmp_path / "cache"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("6 * 7")])
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    text = nbformat.writes(notebook)
    of_today, of_tomorrow = (
        nbformat.reads(execution.with_state(text, state, Path("a.ipynb")), as_version=4)
        for state in ("today", "tomorrow")
    )
    bundle = jupyter_cache.base.CacheBundleIn(of_today, "a.ipynb", data={"execution_seconds": 1.0})
    cache.cache_notebook_bundle(bundle, check_validity=False)
    assert execution.is_cached(cache, of_today) and not execution.is_cached(cache, of_tomorrow)


def test_the_state_of_a_markdown_page_is_in_its_front_matter():
    text = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\nkernelspec:\n"
    assert execution.with_state(text, "one", Path("a.md")) == text.replace("  name", "  state: one\n  name")
    assert execution.with_state("# Plain\n", "one", Path("a.md")) == "# Plain\n"


def test_pages_whose_state_changed_are_read_again(tmp_path):
    for page in ("03-one", "census"):
        (tmp_path / page).write_text("text")
    env = SimpleNamespace(
        found_docs={"book/03-one", "book/census"},
        dp_states={"book/03-one": "old", "book/gone": "x"},
        doc2path=lambda docname: tmp_path / docname.removeprefix("book/"),
    )
    app = SimpleNamespace(dp_state_of=lambda docname, text: "new")
    assert execution.find_stale_pages(app, env, set(), set(), set()) == ["book/03-one"]
    assert env.dp_states == {"book/03-one": "new", "book/census": "new"}


def test_a_notebook_folds_what_the_site_folds():
    cells = {tag: nbformat.v4.new_code_cell("1", metadata={"tags": [tag]}) for tag in ("hide-input", "hide-cell", "x")}
    run_notebooks.strip(nbformat.v4.new_notebook(cells=[*cells.values()]))
    folded = {tag: dict(cell.metadata.get("jupyter", {})) for tag, cell in cells.items()}
    hidden = {"source_hidden": True}
    assert folded == {"hide-input": hidden, "hide-cell": hidden | {"outputs_hidden": True}, "x": {}}


def test_what_a_chapter_shows_is_formatted_narrower_than_what_it_folds():
    call = "found = dp.laplace_mechanism(count, sensitivity=1, epsilon=0.5, rng=rng)"  # 72 columns
    seen, folded = (nbformat.v4.new_code_cell(call, metadata={"tags": tags}) for tags in ([], ["hide-input"]))
    run_notebooks.format_code(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("x  = 1"), seen, folded]))
    assert max(map(len, seen.source.splitlines())) <= 60 < len(folded.source) and folded.source == call


def test_code_that_is_none_is_refused_before_anything_runs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("found = (")])
    with pytest.raises(ValueError, match="Failed to parse"):
        run_notebooks.format_code(notebook)


def test_a_thin_line_keeps_its_colour_beside_a_map_of_many_shades():
    picture = Image.linear_gradient("L").convert("RGB").resize((400, 400))
    picture.paste((213, 94, 0), (0, 200, 400, 202))
    file = io.BytesIO()
    picture.save(file, "PNG")
    with Image.open(io.BytesIO(run_notebooks.lighter(file.getvalue()))) as light:
        seen = light.convert("RGB").getpixel((9, 200))
    assert max(abs(a - b) for a, b in zip(seen, (213, 94, 0), strict=True)) < 30


def test_what_a_page_draws_is_light_before_it_is_kept(tmp_path):
    draws = "from IPython.display import Image\nfrom base64 import b64decode\n"
    cell = nbformat.v4.new_code_cell(f"{draws}Image(b64decode({png('RGB')!r}))")
    run_notebooks.play(nbformat.v4.new_notebook(cells=[cell]), tmp_path, timeout=60)
    with Image.open(io.BytesIO(base64.b64decode(cell.outputs[0].data["image/png"]))) as picture:
        assert picture.mode == "P"
    through = base64.b64decode(png("RGBA"))
    assert run_notebooks.lighter(through) == through


def png(mode):
    file = io.BytesIO()
    Image.new(mode, (8, 8)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def test_notebooks_run_without_a_word_of_warning_and_on_the_embedded_census(tmp_path):
    path = tmp_path / "one.ipynb"
    cell = nbformat.v4.new_code_cell("import os\nos.environ['FIGURE_VENUE'], 'DP_CENSUS' in os.environ")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    command = [sys.executable, "-m", "tools.run_notebooks", path]
    environment = os.environ | {"FIGURE_VENUE": "site", "DP_CENSUS": "/data/adult.data"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == ""
    (written,) = nbformat.read(path, as_version=4).cells
    assert written.outputs[0].data == {"text/plain": "('notebook', False)"}


def test_titles_of_labs_get_the_numbers_of_their_places():
    box = ":::{{admonition}} Lab{number} · ★ · Code · A title, 1.2\n:class: lab\n:name: lab-3-{name}\nLab 9.9\n:::\n"
    fourth, first = ((LABS_OF_3[place - 1], f"3.{place}") for place in (4, 1))
    for number in ("", " 7.1", " 3.4"):
        source = "".join(box.format(number=number, name=name) for name, _ in (fourth, first))
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
        run_notebooks.number_labs(notebook)
        expected = "".join(box.format(number=f" {shown}", name=name) for name, shown in (fourth, first))
        assert notebook.cells[0].source == expected


def test_a_lab_that_is_not_listed_leaves_the_notebook_as_it_is_and_says_which_are(tmp_path):
    path, source = tmp_path / "one.ipynb", "{admonition} Lab · ★ · Code · New\n:class: lab\n:name: lab-3-new"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)]), path)
    before = path.read_bytes()
    said = run_notebooks.write_outputs(path)
    assert "one.ipynb" in said and "'3.which-epsilon'" in said and "got '3.new'" in said
    assert path.read_bytes() == before


def test_a_page_that_fails_says_why(tmp_path, capsys):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    assert execution.execute(tmp_path / "one.ipynb", notebook, 60) is None
    assert "one fails: ZeroDivisionError: division by zero" in capsys.readouterr().out


def test_what_is_executed_says_how_long_each_page_took_and_how_many_are_left(tmp_path, capsys, monkeypatch):
    def read_page(app, docname, path):
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(f"'{docname}'")])

    monkeypatch.setattr(execution, "read_page", read_page)
    monkeypatch.setattr(execution, "execute", lambda path, notebook, timeout: 3.4)
    config = {"mode": "cache", "cache_path": str(tmp_path / "cache"), "timeout": 60}
    app = SimpleNamespace(config=SimpleNamespace(**{f"nb_execution_{name}": value for name, value in config.items()}))
    env = SimpleNamespace(doc2path=lambda docname: tmp_path / f"{docname}.ipynb", found_docs=["one", "two", "three"])
    execution.execute_side_by_side(app, env, ["one", "two"])
    first, *pages = capsys.readouterr().out.splitlines()
    assert first.startswith("executing 2 of 3 pages")
    assert sorted(line.split(",")[0] for line in pages) == ["  one: 3 s", "  two: 3 s"]
    assert [line.split(", ")[1] for line in pages] == ["1 left", "0 left"]
    execution.execute_side_by_side(app, env, ["one", "two"])  # what is known isn't executed again
    assert not capsys.readouterr().out


def test_what_was_executed_is_found_in_the_cache(tmp_path):
    import jupyter_cache.base

    cache = jupyter_cache.get_cache(tmp_path / "cache")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("6 * 7", metadata={"tags": ["hide-input"]})])
    as_read = copy.deepcopy(notebook)
    assert not execution.is_cached(cache, as_read)
    assert execution.execute(tmp_path / "one.ipynb", notebook, 60) > 0
    bundle = jupyter_cache.base.CacheBundleIn(notebook, str(tmp_path / "one.ipynb"))
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    assert execution.is_cached(cache, as_read)


FAILED = "12 people\nTraceback (most recent call last):\n  File ...\nOSError: Timed out"


@pytest.mark.parametrize(
    ("text", "classes", "warns"),
    [
        (FAILED, ["output", "stderr"], True),
        (FAILED, ["output", "stream"], True),
        (FAILED, ["output", "traceback"], False),  # an error that a page shows on purpose
        ("12 people", ["output", "stream"], False),
        (FAILED, [], False),  # prose
    ],
)
def test_a_build_warns_of_a_traceback_that_a_cell_printed(text, classes, warns, monkeypatch):
    said = []
    logger = SimpleNamespace(warning=lambda message, location: said.append(message))
    monkeypatch.setattr(execution.logging, "getLogger", lambda name: logger)
    page = nodes.section("", nodes.paragraph("", "So:"), nodes.literal_block(text, text, classes=classes))
    execution.refuse_tracebacks(None, page)
    assert said == (["a cell printed a traceback"] if warns else [])


@pytest.mark.parametrize("page", sorted(ROOT.glob("book/*.ipynb")), ids=lambda page: page.stem)
def test_no_stored_output_has_a_traceback_that_a_cell_printed(page):
    cells = nbformat.read(page, as_version=4).cells
    printed = [output.text for cell in cells for output in cell.get("outputs", []) if output.output_type == "stream"]
    assert not [text for text in printed if "Traceback (most recent call last)" in text]
