"""From a page to running code: what the launch menu offers, and where it leads."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_site import build

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "https://github.com/someone/book"
CHAPTER = "book/03-differential-privacy.html"


def load(name, monkeypatch):
    """Import ``tools/name.py``, which is no package."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def launch(monkeypatch):
    for name in ("BOOK_THEBE_SERVER", "BOOK_COLAB_BRANCH", "BOOK_REPOSITORY_BRANCH"):
        monkeypatch.delenv(name, raising=False)
    module = load("site_launch", monkeypatch)
    monkeypatch.setattr(module, "repository_url", lambda: "")
    return module


@pytest.fixture
def configured(launch, tmp_path, monkeypatch):
    """Return what the build decides: ``configured(url="…", parts=["lite"])``."""

    def configure(url="", parts=(), **settings):
        monkeypatch.setattr(launch, "repository_url", lambda: url)
        for name in parts:
            (tmp_path / name).mkdir()
            (tmp_path / name / ".ready").touch()
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        config = SimpleNamespace(html_theme_options={"launch_buttons": {"binderhub_url": "x"}}, html_context={})
        launch.set_launch(SimpleNamespace(outdir=tmp_path / "html"), config)
        return config

    return configure


def test_without_an_address_nothing_points_elsewhere(configured):
    config = configured(parts=["thebe"], BOOK_COLAB_BRANCH="colab")
    assert config.html_theme_options["launch_buttons"] == {}
    assert not config.html_theme_options["use_repository_button"]
    assert config.html_context["launch"] == {"lite": False, "pdf": False, "live": None, "colab": None}


def test_with_an_address_the_menu_points_there(configured):
    config = configured(ADDRESS, ["thebe"], BOOK_REPOSITORY_BRANCH="spring", BOOK_COLAB_BRANCH="colab")
    assert config.html_theme_options["repository_url"] == ADDRESS
    assert config.html_theme_options["repository_branch"] == "spring"
    assert config.html_theme_options["launch_buttons"] == {"binderhub_url": "x"}
    launch = config.html_context["launch"]
    assert launch["live"]["binderOptions"]["repo"] == "someone/book"
    assert launch["live"]["binderOptions"]["ref"] == "spring"
    assert launch["colab"] == "https://colab.research.google.com/github/someone/book/blob/colab"


def test_what_was_not_made_is_not_offered(configured):
    launch = configured(ADDRESS).html_context["launch"]
    assert launch == {"lite": False, "pdf": False, "live": None, "colab": None}


def test_lite_needs_no_address(configured):
    assert configured(parts=["lite"]).html_context["launch"]["lite"]


@pytest.mark.parametrize(
    ("url", "provider"),
    [(ADDRESS, "github"), ("https://gitlab.com/someone/book", "gitlab"), ("https://example.org/someone/book", None)],
)
def test_binder_is_asked_for_hosts_that_thebe_knows(launch, url, provider):
    options = launch.binder(url, "main")
    assert (options and options["binderOptions"]["repoProvider"]) == provider


def test_colab_is_offered_for_github_only(launch):
    assert launch.colab_folder("https://gitlab.com/someone/book", "colab") is None


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("http://192.168.1.5:8888/lab?token=abc", "http://192.168.1.5:8888"),
        ("http://192.168.1.5:8888/?token=abc", "http://192.168.1.5:8888"),
        ("https://hub.example.org/user/ann/tree?token=abc", "https://hub.example.org/user/ann"),
    ],
)
def test_a_class_server_is_given_as_jupyter_prints_it(launch, address, base):
    settings = launch.class_server(address)["serverSettings"]
    assert (settings["baseUrl"], settings["token"]) == (base, "abc")


@pytest.mark.parametrize("address", ["192.168.1.5:8888", "http://192.168.1.5:8888", "ftp://host/?token=abc", "token"])
def test_a_class_server_without_token_or_scheme_is_refused(launch, address):
    with pytest.raises(launch.ConfigError, match="BOOK_THEBE_SERVER must be .* got " + re.escape(repr(address))):
        launch.class_server(address)


def test_a_class_server_asks_for_thebes_scripts(launch, configured):
    with pytest.raises(launch.ConfigError, match="make thebe"):
        configured(BOOK_THEBE_SERVER="http://192.168.1.5:8888/?token=abc")


def test_thebes_scripts_are_those_that_were_tested(monkeypatch, tmp_path):
    fetch_thebe = load("fetch_thebe", monkeypatch)
    (tmp_path / "thebe.tgz").write_bytes(b"something else")
    with pytest.raises(ValueError, match="must have the checksum"):
        fetch_thebe.unpack(tmp_path / "thebe.tgz", tmp_path / "thebe")
    assert not (tmp_path / "thebe").exists()


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The pages as a repository's workflow builds them, with stand-ins for what make targets fetch and make."""
    parts = tmp_path_factory.mktemp("parts")
    for name, file in (("lite", "lab/index.html"), ("thebe", "index.js"), ("pdf", "sliding-epsilon.pdf")):
        (parts / name / file).parent.mkdir(parents=True)
        (parts / name / file).write_text(name)
        (parts / name / ".ready").touch()
    folder = tmp_path_factory.mktemp("published")
    return build(folder, parts=parts, BOOK_REPOSITORY_URL=ADDRESS, BOOK_COLAB_BRANCH="colab")


def test_the_published_menu_leads_to_running_code(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    menu = re.search(r'<div class="dropdown dropdown-launch-buttons">.*?</ul>', page, re.S)[0]
    links = re.findall(r'href="([^"]+)"', menu)
    assert links == [
        "https://mybinder.org/v2/gh/someone/book/main?urlpath=lab/tree/book/03-differential-privacy.ipynb",
        "../lite/lab/index.html?path=03-differential-privacy.ipynb",
        "https://colab.research.google.com/github/someone/book/blob/colab/03-differential-privacy.ipynb",
    ]
    assert (published / "lite" / "lab" / "index.html").read_text() == "lite"
    for icon in re.findall(r'src="\.\./([^"]+)"', menu):
        assert (published / icon).is_file()


def test_the_published_page_offers_the_whole_book(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    menu = re.search(r'<div class="dropdown dropdown-download-buttons">.*?</ul>', page, re.S)[0]
    assert re.findall(r'href="([^"]+)"', menu)[-1] == "../pdf/sliding-epsilon.pdf"
    assert (published / "pdf" / "sliding-epsilon.pdf").read_text() == "pdf"


def test_the_published_page_starts_live_code_from_its_own_scripts(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    setting = json.loads(re.search(r'<script type="application/json" id="live-code">(.*?)</script>', page)[1])
    assert setting["folder"] == "book" and setting["thebe"]["binderOptions"]["repo"] == "someone/book"
    assert ((published / CHAPTER).parent / setting["scripts"] / "index.js").read_text() == "thebe"
    assert "unpkg" not in page and "THEBE_JS_URL" not in page
    scripts = re.findall(r'<script[^>]* src="([^"?]+)', page)
    assert len(scripts) == len(set(scripts))
    assert [script for script in scripts if script.endswith("live.js")]


def test_copies_for_colab_install_the_package_and_hold_no_directive(monkeypatch, tmp_path):
    command = [sys.executable, ROOT / "tools" / "make_colab.py", ADDRESS, tmp_path / "colab"]
    subprocess.run(command, check=True)
    chapters = sorted(file.name for file in (ROOT / "book").glob("*.ipynb"))
    assert sorted(file.name for file in (tmp_path / "colab").glob("*.ipynb")) == chapters
    for name in chapters:
        original = json.loads((ROOT / "book" / name).read_text(encoding="utf-8"))["cells"]
        first, *cells = json.loads((tmp_path / "colab" / name).read_text(encoding="utf-8"))["cells"]
        assert f"git clone -q --depth 1 {ADDRESS} " in "".join(first["source"])
        assert len(cells) == len(original)
        for cell, before in zip(cells, original, strict=True):
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                assert source == "".join(before["source"])
            else:
                assert not re.search(r"^ *(:{3,}|`{3,}\{)|\{[\w:-]+\}`|^:\w+:", source, re.M), source
                assert source.count("<details>") == source.count("</details>")


def test_a_box_for_colab_is_a_title_a_fold_and_words(monkeypatch):
    make_colab = load("make_colab", monkeypatch)
    box = """::::{admonition} Predict
:class: quiz

See {ref}`chapter-3` and {ref}`this box <def-dp>` {cite:p}`dwork2006calibrating`.

:::{dropdown} The answer
1. Right.
:::
::::"""
    assert [line for line in make_colab.plain(box).splitlines() if line] == [
        "**Predict**",
        "See chapter 3 and this box [dwork2006calibrating].",
        "<details>",
        "<summary>The answer</summary>",
        "1. Right.",
        "</details>",
    ]
