"""A release has one version, in its tag and in all files that name one."""

import re
import shutil

import pytest

from tools import check_release


def test_the_files_name_one_version():
    assert len(set(check_release.versions().values())) == 1


def test_a_tag_of_another_version_is_refused_with_the_files_that_differ():
    with pytest.raises(SystemExit, match=r"is v99\.0, but not the version in pyproject\.toml: .+CITATION\.cff: "):
        check_release.main("v99.0")


@pytest.fixture
def release(tmp_path):
    """Return the folder of a release and its tag: this book's files, its newest changes under their version."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "_toc.yml"):
        shutil.copy(check_release.ROOT / name, tmp_path)
    changes = (tmp_path / "CHANGELOG.md").read_text()
    (tmp_path / "CHANGELOG.md").write_text(re.sub(r"^## Unreleased\n.*?(?=^## )", "", changes, flags=re.M | re.S))
    return tmp_path, f"v{check_release.versions()['pyproject.toml']}"


def test_a_release_passes_and_one_with_changes_without_a_version_is_refused(release):
    folder, tag = release
    assert check_release.main(tag, folder) is None
    for wrong in (f"{tag}.1", tag.removeprefix("v"), f"{tag}rc1"):
        with pytest.raises(SystemExit, match="but not the version in"):
            check_release.main(wrong, folder)
    changes = (folder / "CHANGELOG.md").read_text()
    (folder / "CHANGELOG.md").write_text(
        changes.replace("\n## ", "\n## Unreleased\n\n- A chapter.\n- A lab.\n\n## ", 1)
    )
    with pytest.raises(SystemExit, match="2 lines under Unreleased: put them under a version"):
        check_release.main(tag, folder)


def test_a_draft_is_refused(release):
    tmp_path, tag = release
    with (tmp_path / "_toc.yml").open("a", encoding="utf-8") as contents:
        contents.write("      - file: book/77-new  # draft\n")
    with pytest.raises(SystemExit, match=r"no drafts, but _toc\.yml marks book/77-new$"):
        check_release.main(tag, tmp_path)


def test_a_file_without_a_version_is_named(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n")
    (tmp_path / "CITATION.cff").write_text("title: a book\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\nversion = "1.0"\n')
    assert check_release.versions(tmp_path) == {"pyproject.toml": "1.0", "CITATION.cff": "none", "CHANGELOG.md": "none"}
