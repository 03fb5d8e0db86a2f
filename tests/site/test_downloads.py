"""What a visitor takes along from the built site: the ZIP file, the wheel, a chapter alone."""

import json
import os
import re
import subprocess
import sys
import venv
import zipfile

import nbformat
import pytest
from nbclient import NotebookClient
from site_pages import CHAPTERS, ROOT, SITE

from tools import make_downloads
from tools.book_site.meta import site_url

DOWNLOADS = SITE / "downloads"
WHEEL = make_downloads.wheel_name()
SMALL = "11-designing-algorithms"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("visitor")
    with zipfile.ZipFile(DOWNLOADS / make_downloads.ZIP) as archive:
        archive.extractall(folder)
    return folder / "sliding-epsilon"


def test_the_page_that_says_so_links_to_both():
    page = (SITE / "book" / "running.html").read_text(encoding="utf-8")
    for name in (make_downloads.ZIP, WHEEL):
        assert f'href="../downloads/{name}"' in page
        assert (DOWNLOADS / name).is_file()


def test_run_it_speaks_of_the_rocket_only_where_it_is():
    page = (SITE / "book" / "running.html").read_text(encoding="utf-8")
    rocket = 'class="dropdown dropdown-launch-buttons"' in (SITE / f"{CHAPTERS[2]}.html").read_text(encoding="utf-8")
    assert ("This copy of the site has no rocket" in page) != rocket
    assert ("git clone https://" in re.sub("<[^>]*>", "", page)) == ("repository's issue tracker" in page)


def test_the_zip_file_holds_the_chapters_and_what_they_need(unpacked):
    assert {f"book/{path.stem}" for path in unpacked.glob("[0-9]*.ipynb")} == set(CHAPTERS)
    for name in ("LICENSE", "LICENSE-TEXT"):  # CC BY 4.0 asks for it, wherever the text goes
        assert (unpacked / name).read_bytes() == (ROOT / name).read_bytes()
    pins = (unpacked / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert pins[-1] == f"./{WHEEL}" and (unpacked / WHEEL).is_file()
    assert pins[:-1] == (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()[:-1]


def test_the_wheel_carries_both_licences():
    with zipfile.ZipFile(DOWNLOADS / WHEEL) as wheel:
        licences = {name.rsplit("/", 1)[1] for name in wheel.namelist() if "/licenses/" in name}
    assert licences == {"LICENSE", "LICENSE-TEXT"}


def test_a_chapter_downloaded_alone_begins_with_the_cell_that_installs(unpacked):
    for name in CHAPTERS:
        downloaded = json.loads((SITE / "_sources" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        committed = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        assert "".join(downloaded[0]["source"]) == make_downloads.first_cell(site_url())
        assert downloaded[1:] == committed


def test_a_chapter_from_the_zip_file_installs_the_package_and_runs(unpacked, tmp_path, monkeypatch):
    """In an environment that has all but the package: one that sees this one's packages, though not this tree."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False)
    (site_packages,) = home.glob("[Ll]ib/**/site-packages")
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    (site_packages / "all-but-the-package.pth").write_text(f"{ours}\n")
    python = next(path for path in (home / "bin" / "python", home / "Scripts" / "python.exe") if path.exists())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DP_", "PYTEST_"))}
    monkeypatch.chdir(unpacked)
    code = "import dp_helpers"
    assert subprocess.run([python, "-c", code], env=environment, capture_output=True, check=False).returncode == 1
    notebook = nbformat.read(unpacked / f"{SMALL}.ipynb", as_version=4)
    notebook.cells = [notebook.cells[0], *[cell for cell in notebook.cells[1:] if cell.cell_type == "code"][:2]]
    kernels = tmp_path / "kernels" / "kernels" / "visitor"
    kernels.mkdir(parents=True)
    spec = {"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "visitor"}
    (kernels / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "kernels"))
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    notebook.cells.append(nbformat.v4.new_code_cell("print(dp.__file__)"))
    NotebookClient(notebook, kernel_name="visitor", resources={"metadata": {"path": str(unpacked)}}).execute()
    assert str(home) in notebook.cells[-1].outputs[-1]["text"]
