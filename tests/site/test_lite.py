"""JupyterLite in the built site: everything but Python itself and its packages, which come from the network."""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
LITE = SITE / "lite"
PACKAGES = {"dp_helpers", "dp_labs", "slider_figures"}
CHAPTERS = sorted(file.name for file in (ROOT / "book").glob("*.ipynb"))


@pytest.fixture(scope="module", autouse=True)
def _made():
    assert (LITE / "lab" / "index.html").is_file(), "JupyterLite is not in the site: make book"


@pytest.fixture(scope="module")
def wheel():
    index = json.loads((LITE / "pypi" / "all.json").read_text())
    (release,) = [files[0] for name, one in index.items() if name == "dp-helpers" for files in one["releases"].values()]
    return release, LITE / "pypi" / Path(release["url"].split("?")[0]).name


def test_holds_the_chapters_and_what_they_read():
    listed = {entry["name"] for entry in json.loads((LITE / "api" / "contents" / "all.json").read_text())["content"]}
    assert listed == set(CHAPTERS)


def test_chapters_begin_by_installing_the_package_and_are_otherwise_the_same():
    for name in CHAPTERS:
        first, *cells = json.loads((LITE / "files" / name).read_text(encoding="utf-8"))["cells"]
        assert "%pip install -q dp_helpers" in "".join(first["source"])
        committed = json.loads((ROOT / "book" / name).read_text(encoding="utf-8"))["cells"]
        assert ["".join(cell["source"]) for cell in cells] == ["".join(cell["source"]) for cell in committed]


def test_the_wheel_is_this_tree_and_its_index_says_so(wheel):
    release, file = wheel
    assert hashlib.sha256(file.read_bytes()).hexdigest() == release["digests"]["sha256"]
    with zipfile.ZipFile(file) as archive:
        held = {name for name in archive.namelist() if name.split("/")[0] in PACKAGES}
        for name in held:
            assert archive.read(name) == (ROOT / name).read_bytes(), f"{name} is stale: make book"
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*")]
    sources = {path for path in files if path.is_file() and not {"__pycache__", "tests"} & {*path.parts}}
    assert held == {str(path.relative_to(ROOT)) for path in sources}


def test_the_wheel_installs_and_imports(wheel, tmp_path):
    command = "-m pip install -q --disable-pip-version-check --no-deps --no-index --target".split()
    subprocess.run([sys.executable, *command, tmp_path, wheel[1]], check=True)
    code = "import dp_helpers as dp; print(dp.__file__, len(dp.load_census()))"
    shown = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.split() == [str(tmp_path / "dp_helpers" / "__init__.py"), "32561"]


def test_every_chapter_links_to_its_notebook():
    for name in CHAPTERS:
        page = (SITE / "book" / name).with_suffix(".html").read_text(encoding="utf-8")
        assert f'href="../lite/lab/index.html?path={name}"' in page


def test_a_chapter_opens_with_its_boxes_and_only_python_is_asked_of_another_host(serve, offline_context):
    lab = offline_context().new_page()
    lab.set_default_timeout(120_000)
    # Where the menu leads to; without Python's host, which is blocked here, the menu says so instead.
    lab.goto(f"{serve(SITE)}/lite/lab/index.html?path=03-differential-privacy.ipynb")
    notebook = lab.locator(".jp-NotebookPanel:visible")
    notebook.get_by_text("%pip install -q dp_helpers").first.wait_for()
    notebook.locator("aside", has_text="The question").first.wait_for()
    # The page's workers outlive it: only when their context is closed has the last of them asked.
    lab.context.close()
    others = {problem.split("/")[2] for problem in offline_context.problems if problem.startswith("other host")}
    assert others <= {"cdn.jsdelivr.net"}
    # Without Python from there, the kernel can't start, and says so in the console.
    offline_context.problems.clear()


def test_a_page_opened_from_its_file_does_not_offer_what_needs_a_server(offline_context):
    page = offline_context().new_page()
    page.goto((SITE / "book" / "03-differential-privacy.html").as_uri())
    assert not page.locator('a[href*="lite/lab"]').count()
    assert not page.locator(".dropdown-launch-buttons:not(:has(li))").count()
