"""Pages are executed side by side, and again only when something changed that their outputs depend on.

MyST-NB finds a page's outputs in a cache by the sources of its cells.  What the cells use besides is the page's state
(`state.py`), which is written into the page's metadata while it is read, so that the cache looks for it, too.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from docutils import nodes
from myst_nb.core.read import create_nb_reader, is_myst_markdown_notebook
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from sphinx.util import logging

from tools.run_notebooks import play

from .state import PageStates, labs_file

KEPT = 300  # executed pages, of all states together; the oldest go first
# Seconds of the long pages (by how their names begin), where they aren't known from another time: these begin first.
GUESS = {"05": 15, "07": 12, "10": 13, "12": 20, "14": 19, "17": 17, "er": 12, "in": 11}


def prepare(app, config):
    """Tell the kernels where they run; keep all states in one cache, and know today's."""
    os.environ["FIGURE_VENUE"] = "site"  # the kernels that execute the notebooks inherit it
    if census := os.environ.get("DP_CENSUS"):
        os.environ["DP_CENSUS"] = str(Path(census).resolve())  # they run in the chapters' folder
    config.nb_execution_cache_path = str(Path(app.outdir).parent / ".executed")
    app.dp_state_of = PageStates()


def find_stale_pages(app, env, added, changed, removed):
    """Have those pages read again whose state is not that of the time they were read."""
    before = getattr(env, "dp_states", {})
    texts = {docname: Path(env.doc2path(docname)).read_text("utf-8") for docname in env.found_docs}
    env.dp_states = {docname: app.dp_state_of(docname, text) for docname, text in texts.items()}
    return [docname for docname in before.keys() & env.dp_states.keys() if before[docname] != env.dp_states[docname]]


def add_state(app, docname, content):
    """Write the state into the metadata of a page that is executed, by which the cache looks for it."""
    if labs := labs_file(docname):  # the page may carry their words, too
        app.env.note_dependency(str(labs))
    content[0] = with_state(content[0], app.dp_state_of(docname, content[0]), Path(app.env.doc2path(docname)))


def with_state(text: str, state: str, path: Path) -> str:
    """Return the page's text with the state as part of its kernel's description."""
    if path.suffix == ".ipynb":
        return re.sub(r'("kernelspec": \{)(\s*)', rf'\1\2"state": "{state}",\2', text, count=1)
    if is_myst_markdown_notebook(text):
        return re.sub(r"^kernelspec:\n( +)", rf"kernelspec:\n\1state: {state}\n\1", text, count=1, flags=re.M)
    return text


def execute_side_by_side(app, env, docnames):
    """Execute the pages that are not in the cache, one on each core, before MyST-NB reads them one by one.

    A page that fails stays out of the cache: MyST-NB executes it again, and reports the error.
    """
    if app.config.nb_execution_mode == "off":
        return
    from jupyter_cache import get_cache  # loaded here: with its database it takes longer to load than all the rest
    from jupyter_cache.base import CacheBundleIn

    cache = get_cache(app.config.nb_execution_cache_path)
    cache.change_cache_limit(KEPT)
    known = {record.uri: record.data.get("execution_seconds", 0) for record in cache.list_cache_records()}
    waiting = []
    for docname in docnames:
        path = Path(env.doc2path(docname))
        notebook = read_page(app, docname, path)
        if notebook is not None and not is_cached(cache, notebook):
            waiting.append((known.get(str(path)) or GUESS.get(path.name[:2], 10), path, notebook))
    if not waiting:
        return
    waiting.sort(key=lambda page: page[0], reverse=True)
    print(f"executing {len(waiting)} of {len(env.found_docs)} pages, {os.cpu_count()} at a time", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        timeout = app.config.nb_execution_timeout
        running = {pool.submit(execute, path, notebook, timeout): (path, notebook) for _, path, notebook in waiting}
        for done, future in enumerate(as_completed(running), 1):
            path, notebook = running[future]
            if seconds := future.result():
                print(f"  {path.stem}: {seconds:.0f} s, {len(running) - done} left", flush=True)
                bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": seconds})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def refuse_tracebacks(app, doctree):
    """Warn of a page with a traceback in what a cell printed: its answer came, and beside it something failed."""
    for output in doctree.findall(nodes.literal_block):
        if {"stream", "stderr"} & set(output["classes"]) and "Traceback (most recent call last)" in output.astext():
            logging.getLogger(__name__).warning("a cell printed a traceback", location=output)


def read_page(app, docname: str, path: Path):
    """Return the notebook that a page is, with its state, or None for a page that isn't executed."""
    text = path.read_text("utf-8")
    text = with_state(text, app.dp_state_of(docname, text), path)
    reader = create_nb_reader(str(path), app.env.myst_config, app.env.mystnb_config, text)
    notebook = reader and reader.read(text)
    return notebook if notebook and any(cell.cell_type == "code" for cell in notebook.cells) else None


def is_cached(cache, notebook) -> bool:
    """Tell whether the outputs of this notebook are in the cache."""
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def execute(path: Path, notebook, timeout: int) -> float | None:
    """Execute the notebook in place; return the seconds it took, or None if it failed."""
    try:
        return play(notebook, path.parent, timeout)
    except CellExecutionError as error:
        print(f"  {path.stem} fails: {error.ename}: {error.evalue}", flush=True)
        return None
    except CellTimeoutError:
        print(f"  {path.stem} fails: a cell takes longer than {timeout} s", flush=True)
        return None
