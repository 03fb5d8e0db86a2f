"""A Jupyter server of one's own: chapters open and run in JupyterLab, and run in the site's pages (live code)."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import psutil
import pytest
from playwright.sync_api import expect
from small_site import build
from thorough import weekly

from tools import fetch_thebe

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "03-differential-privacy"
TOKEN = "for-the-test-only"
OPTIONS = {
    "ServerApp.port_retries": 0,
    "ServerApp.open_browser": False,
    "ServerApp.allow_root": True,
    "ServerApp.allow_origin": "*",
    "IdentityProvider.token": TOKEN,
    "LabApp.expose_app_in_browser": True,
    "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    "LabApp.news_url": "None",
    "LabApp.extension_manager": "readonly",
}
PATIENCE = 300_000  # milliseconds: a busy machine may take minutes to start a kernel
LIVE = """
from matplotlib import pyplot as plt
import dp_helpers as dp
open("../book/references.bib").close()
def bar(epsilon):
    figure, axes = plt.subplots()
    axes.bar(["scale"], [1 / epsilon])
    return figure
dp.explore(bar, epsilon=[0.5, 1, 2], alt="At ε = {epsilon:g} the bar is 1/ε high.", caption="Less ε, more noise.")
"""
# Cells off screen are there, too.
SETTINGS = '{"windowingMode": "none"}'


def end_at_the_first_slider(path):
    """Leave out what no test looks at: the kernel would execute it beside them."""
    notebook = nbformat.read(path, as_version=4)
    last = next(i for i, cell in enumerate(notebook.cells) if "dp.explore(" in cell.source)
    del notebook.cells[last + 1 :]
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start a Jupyter server over a copy of the chapters; yield its address and its process."""
    folder = tmp_path_factory.mktemp("jupyter")
    shutil.copytree(ROOT / "book", folder / "work" / "book")
    end_at_the_first_slider(folder / "work" / "book" / f"{CHAPTER}.ipynb")
    settings = folder / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")
    own = {name: str(folder / name.lower()) for name in names} | {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings")}
    left_out = ("PYTEST_VERSION", "PYTEST_CURRENT_TEST", "FIGURE_VENUE")  # a reader's kernel has none of them
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | own
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"--{name}={value}" for name, value in {**OPTIONS, "ServerApp.port": port}.items()]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={folder / 'work'}", *options]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        log = []
        for line in process.stderr:
            log.append(line)
            if "is running at" in line:
                break
        else:
            pytest.fail("".join(log))
        threading.Thread(target=process.stderr.read, daemon=True).start()  # else the pipe would fill up
        yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        process.kill()  # asked to end, it may wait for one of its own threads for ever; its kernels see that it is gone
        process.wait()
        process.stderr.close()


def kernels(server):
    return [child for child in server.children(recursive=True) if "ipykernel_launcher" in " ".join(child.cmdline())]


def test_a_chapter_opens_in_jupyterlab_and_its_slider_is_live(server, offline_context):
    address, process = server
    page = offline_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/lab/tree/book/{CHAPTER}.ipynb?token={TOKEN}&reset")
    notebook = page.locator(".jp-NotebookPanel:visible")
    # Directives are boxes, not source: a definition, a question with its answer folded, mathematics.
    notebook.locator("aside", has_text="Differential privacy").first.wait_for()
    words = notebook.locator(".jp-MarkdownCell")
    expect(words.filter(has_not_text=re.compile(r"\S"))).to_have_count(0, timeout=PATIENCE)  # one comes after the other
    shown = "\n".join(words.all_inner_texts())
    assert "How do you measure what an answer gives away?" in shown
    assert ":::" not in shown and "```" not in shown and "{prf:" not in shown
    assert not notebook.locator("details[open]", has_text="Right.").count()
    page.wait_for_function("window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'")
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    assert not notebook.locator("[data-mime-type='application/vnd.jupyter.stderr']").count()
    handle = notebook.get_by_role("slider").first
    picture = notebook.locator(".jupyter-widgets img").first
    source, alt = picture.get_attribute("src"), picture.get_attribute("alt")
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(picture).not_to_have_attribute("src", source, timeout=PATIENCE)
    assert picture.get_attribute("alt") != alt
    (kernel,) = kernels(process)
    assert kernel.memory_info().rss < 1e9
    print(f"kernel: {kernel.memory_info().rss / 1e6:.0f} MB")
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    # In its console JupyterLab reports references to other pages, and extensions made for JupyterLite.
    offline_context.problems[:] = [problem for problem in offline_context.problems if "console" not in problem]


@pytest.fixture(scope="module")
def class_site(server, tmp_path_factory):
    """The site of a class: built for the server, with the scripts that `make thebe` fetched, or npm gives now."""
    parts = tmp_path_factory.mktemp("parts")
    if (fetch_thebe.TARGET / ".ready").exists():
        shutil.copytree(fetch_thebe.TARGET, parts / "thebe")
    elif missing := fetch_thebe.main(parts / "thebe"):
        pytest.skip(missing)
    return build(tmp_path_factory.mktemp("class"), parts=parts, BOOK_THEBE_SERVER=f"{server[0]}/lab?token={TOKEN}")


@weekly  # npm fetches Thebe and a site is built for it: over a minute; JupyterLab and Lite run on each change
def test_cells_run_on_the_page_and_its_slider_is_live(server, class_site, serve, offline_context):
    page = offline_context().new_page()
    page.set_default_timeout(PATIENCE)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{serve(class_site)}/book/{CHAPTER}.html")
    assert not [url for url in asked if "/thebe/" in url or url.startswith(server[0])]
    page.get_by_role("button", name="Run this page").click()
    page.locator(".dropdown-launch-buttons").get_by_role("button", name="Live code").click()
    page.get_by_role("status").get_by_text("Live.").wait_for()
    cells, run = page.locator(".thebe-cell:visible .CodeMirror"), page.get_by_role("button", name="run", exact=True)
    cells.first.evaluate("editor => editor.CodeMirror.setValue('print(6 * len(census.columns))')")
    run.first.click()  # of the first cell that is in sight: the set-up has run
    page.locator(".cell_output", has_text="108").first.wait_for()
    # The kernel is in the chapter's folder, and is the live venue: `explore` makes widgets.
    # (The next cell's output is a Predict's answer, and covered.)
    cells.nth(2).evaluate("(editor, code) => editor.CodeMirror.setValue(code)", LIVE)
    run.nth(2).click()
    picture = page.locator(".jupyter-widgets img").first
    picture.wait_for()
    source, alt = picture.get_attribute("src"), picture.get_attribute("alt")
    page.locator(".jupyter-widgets").get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(picture).not_to_have_attribute("src", source, timeout=PATIENCE)
    assert picture.get_attribute("alt") != alt
