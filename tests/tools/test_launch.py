"""From a page to running code: what the launch menu offers, and where it leads."""

import re
from types import SimpleNamespace

import pytest

from tools.book_site import launch

ADDRESS = "https://github.com/someone/book"


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch):
    for name in ("BOOK_THEBE_SERVER", "BOOK_COLAB_BRANCH", "BOOK_REPOSITORY_BRANCH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "repository_url", lambda: "")


@pytest.fixture
def configured(tmp_path, monkeypatch):
    """Return what the build decides: ``configured(url="…", parts=["lite"])``."""

    def configure(url="", parts=(), **settings):
        monkeypatch.setattr(launch, "repository_url", lambda: url)
        for name in parts:
            (tmp_path / name).mkdir()
            (tmp_path / name / ".ready").touch()
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        options = {"launch_buttons": {"binderhub_url": "x"}}
        config = SimpleNamespace(html_theme_options=options, html_context={}, myst_substitutions={}, said=set())
        launch.set_launch(SimpleNamespace(outdir=tmp_path / "html", tags=config.said), config)
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
    config = configured(parts=["lite"])
    assert config.html_context["launch"]["lite"]
    assert config.said == {"lite", "rocket"}


def test_run_it_speaks_of_what_is_there(configured):
    assert configured().said == set()
    config = configured(ADDRESS, ["lite", "thebe", "pdf"], BOOK_COLAB_BRANCH="colab")
    assert config.said == {"address", "binder", "rocket", "lite", "live", "colab", "pdf"}
    assert config.myst_substitutions["clone"] == f"`git clone {ADDRESS}`"


@pytest.mark.parametrize(
    ("url", "provider"),
    [(ADDRESS, "github"), ("https://gitlab.com/someone/book", "gitlab"), ("https://example.org/someone/book", None)],
)
def test_binder_is_asked_for_hosts_that_thebe_knows(url, provider):
    options = launch.binder(url, "main")
    assert (options and options["binderOptions"]["repoProvider"]) == provider


def test_colab_is_offered_for_github_only():
    assert launch.colab_folder("https://gitlab.com/someone/book", "colab") is None


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("http://192.168.1.5:8888/lab?token=abc", "http://192.168.1.5:8888"),
        ("http://192.168.1.5:8888/?token=abc", "http://192.168.1.5:8888"),
        ("https://hub.example.org/user/ann/tree?token=abc", "https://hub.example.org/user/ann"),
    ],
)
def test_a_class_server_is_given_as_jupyter_prints_it(address, base):
    settings = launch.class_server(address)["serverSettings"]
    assert (settings["baseUrl"], settings["token"]) == (base, "abc")


@pytest.mark.parametrize("address", ["192.168.1.5:8888", "http://192.168.1.5:8888", "ftp://host/?token=abc", "token"])
def test_a_class_server_without_token_or_scheme_is_refused(address):
    with pytest.raises(launch.ConfigError, match="BOOK_THEBE_SERVER must be .* got " + re.escape(repr(address))):
        launch.class_server(address)


def test_a_class_server_asks_for_thebes_scripts(configured):
    with pytest.raises(launch.ConfigError, match="make thebe"):
        configured(BOOK_THEBE_SERVER="http://192.168.1.5:8888/?token=abc")
