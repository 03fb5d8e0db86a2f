"""The reviews for programs: the file has what the page has, and its scorer counts."""

import json
import subprocess
import sys
import zipfile

import pytest

from reviews.review import load
from tools import make_reviews

ITEMS = load()


@pytest.fixture
def folder(tmp_path):
    make_reviews.main(tmp_path)
    with zipfile.ZipFile(tmp_path / make_reviews.ZIP) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "reviews"


def score(folder, answers):
    """Return what the scorer prints."""
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    (folder / "answers.jsonl").write_text(lines, encoding="utf-8")
    call = [sys.executable, folder / "score.py", folder / "answers.jsonl"]
    return subprocess.run(call, capture_output=True, encoding="utf-8", check=True).stdout.strip()


def test_the_file_has_every_change(folder):
    lines = [json.loads(line) for line in (folder / "reviews.jsonl").read_text("utf-8").splitlines()]
    assert [line["name"] for line in lines] == [item.name for item in ITEMS]
    for line, item in zip(lines, ITEMS, strict=True):
        assert [*map(tuple, line["change"])] == item.diff() and line["right_lines"] == item.right_lines()


def test_the_scorer_counts_verdicts_and_lines(folder):
    best = [{"name": i.name, "verdict": i.review.verdict, "line": i.right_lines()[0]} for i in ITEMS]
    assert score(folder, best) == "30 verdicts right, 30 of them with the line, of 30"
    assert score(folder, best[:3]) == "3 verdicts right, 3 of them with the line, of 30"
    guess = [{"name": i.name, "verdict": "breaks"} for i in ITEMS]
    assert score(folder, guess) == "16 verdicts right, 0 of them with the line, of 30"
    assert "gets 16 of 30" in (folder / "README.md").read_text("utf-8")
