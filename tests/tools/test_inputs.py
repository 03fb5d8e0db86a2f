"""Whatever the build may read, a change of it is seen, and nothing else is."""

import os

import pytest

from tools import __main__ as commands
from tools.book_site import code_version, setup
from tools.inputs import fingerprint


@pytest.fixture
def project(tmp_path):
    for name in ("book/index.md", "tools/a.py", "_config.yml", "_build/html/index.html", ".git/HEAD"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("1")
    return tmp_path


def rewrite(file):
    before = file.stat()
    file.write_text("2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


CHANGES = {
    "written": lambda project: rewrite(project / "book/index.md"),
    "longer": lambda project: (project / "tools/a.py").write_text("12"),
    "new": lambda project: (project / "tools/b.py").touch(),
    "gone": lambda project: (project / "_config.yml").unlink(),
    "renamed": lambda project: (project / "tools/a.py").rename(project / "tools/b.py"),
    "lite": lambda project: (project / "_build/lite").mkdir() or (project / "_build/lite/.ready").touch(),
}
NO_CHANGES = {
    "built": lambda project: (project / "_build/html/index.html").write_text("12"),
    "committed": lambda project: (project / ".git/HEAD").write_text("12"),
    "locked by an editor": lambda project: (project / "book/.#index.md").symlink_to("nobody@nowhere"),
    "compiled": lambda project: (project / "tools/__pycache__").mkdir(),
}


@pytest.mark.parametrize("name", CHANGES | NO_CHANGES)
def test_a_change_of_what_is_read_is_seen(name, project):
    before = fingerprint(project)
    (CHANGES | NO_CHANGES)[name](project)
    assert (fingerprint(project) != before) == (name in CHANGES)


@pytest.mark.parametrize("variable", ["BOOK_SITE_URL", "DP_CENSUS"])
def test_a_variable_that_the_build_reads_is_seen(variable, project, monkeypatch):
    before = fingerprint(project)
    monkeypatch.setenv(variable, "https://example.org")
    assert fingerprint(project) != before


def test_the_book_is_built_once_and_again_after_a_change_or_a_failure(project, monkeypatch):
    runs, statuses = [], [1, 0, 0]
    monkeypatch.setattr(commands, "BUILD", project / "_build")
    monkeypatch.setattr(commands, "fingerprint", lambda: fingerprint(project))
    monkeypatch.setattr(commands, "run", lambda *command: runs.append(command) or statuses.pop(0))
    assert commands.main(["book"]) == 1  # which takes the pages away
    CHANGES["new"](project)
    (project / "_build/html").mkdir()
    (project / "_build/html/index.html").touch()
    assert commands.main(["book"]) == 0 == commands.main(["book"])
    assert len(runs) == 2
    rewrite(project / "book/index.md")
    assert commands.main(["book"]) == 0 and len(runs) == 3


@pytest.mark.parametrize(
    "change", [rewrite, lambda file: file.rename(file.with_name("b.py")), lambda file: file.unlink()]
)
def test_pages_are_made_anew_once_what_makes_them_changes(change, project):
    before = code_version(project / "tools")
    (project / "tools/__pycache__").mkdir()
    assert code_version(project / "tools") == before
    change(project / "tools/a.py")
    assert code_version(project / "tools") != before


def test_sphinx_is_told_of_what_makes_the_pages():
    class App:
        def __getattr__(self, name):
            return lambda *args, **kwargs: None

    assert setup(App())["env_version"] == code_version()
