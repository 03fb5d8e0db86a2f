"""The back matter that isn't a notebook: the census, the glossary, and the page for lecturers."""

import re
from pathlib import Path

import pandas as pd
import pytest
from chapters.chapter_notebook import BOOK, read

ROOT = BOOK.parent
CHAPTERS = sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb"))


def text(name):
    return (BOOK / f"{name}.md").read_text(encoding="utf-8")


def run(name, monkeypatch):
    """Run the cells of a Markdown page where the site's build runs them, and return what they leave."""
    monkeypatch.chdir(BOOK)
    source = "\n".join(
        re.findall(r"^```\{code-cell\} ipython3\n(?::tags:[^\n]*\n)?(.*?)^```$", text(name), re.S | re.M)
    )
    namespace = {}
    exec(compile(source, name, "exec"), namespace)
    return namespace


def test_back_matter_is_in_order():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8").split("Back matter")[1]
    expected = "running census notation glossary errata lecturers contributing api bibliography".split()
    assert re.findall(r"file: book/(\S+)", toc) == expected


# The census


def test_the_published_table_is_that_of_the_census(monkeypatch):
    page = run("census", monkeypatch)
    ours = page["ours"].loc[page["real"].index, page["real"].columns]
    assert (ours == page["real"]).all(axis=None) and page["real"].to_numpy().sum() == 32561


def test_pairs_are_no_farther_than_the_page_says(monkeypatch):
    monkeypatch.chdir(BOOK)
    pairs = pd.read_csv(ROOT / "tests" / "census_reference_tvd.csv")
    assert (pairs["tvd"] < 0.001).mean() > 0.5  # "most pairs agree as well, or nearly"
    largest = pairs.sort_values("tvd").tail(10)
    banded = {"Age", "Hours per week", "Capital Gain", "Capital Loss"}
    assert all(banded & set(pair) for pair in largest[["a", "b"]].to_numpy().tolist())
    assert (pairs["tvd"] <= 1.25 * pairs["bootstrap"]).all()


def test_the_page_says_what_the_datasheet_says():
    datasheet = (ROOT / "dp_helpers" / "data" / "README.md").read_text(encoding="utf-8")
    page = text("census")
    for fact in ["32,561", "76 tables", "10.24432/C5XW20", "CC BY 4.0", "31 December 2024", "DP_CENSUS"]:
        assert fact in datasheet and fact in page
    assert "Of the tables, 31\nare exact" in page and "31 of the tables are exact" in datasheet


# The glossary


def terms():
    body = text("glossary").split("```{glossary}\n")[1].split("```")[0]
    return re.findall(r"^(\S.*)\n((?:  .+\n)+)", body, re.M)


def test_terms_are_many_and_alphabetical():
    names = [re.sub(r"[^a-z]", "", name.casefold().replace("é", "e")) for name, _ in terms()]
    assert len(names) >= 45
    assert names == sorted(set(names))


@pytest.mark.parametrize("term", terms(), ids=lambda term: term[0])
def test_a_term_is_short_and_says_where_it_is_taught(term):
    _, meaning = term
    assert re.search(r"→\s+\{ref\}`(chapter-\d+|census)`\n$", meaning)
    sentences = re.split(r"(?<=[.?]) (?!→)", " ".join(meaning.split()))
    assert 1 <= len(sentences) <= 3


# For lecturers


def test_every_chapter_says_how_long_it_takes(monkeypatch):
    table = run("lecturers", monkeypatch)["chapters"]
    assert [f"{int(title.split()[0]):02}" for title, *_ in table] == [name[:2] for name in CHAPTERS]
    for _, reading, deeper, labs, *counts in table:
        assert 20 <= reading <= 120 and 0 <= deeper <= 90 and 20 <= labs <= 180
        assert 3 <= sum(counts) <= 6


def test_assignments_are_those_that_exist():
    table = re.findall(r"^\| (\d)\. (.+?) \| (.+) \|$", text("lecturers"), re.M)
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "assignments").glob("[0-9]-*/source.py"))]
    assert [row[:2] for row in table] == [re.search(r"# Assignment (\d): (.+)", source).groups() for source in sources]
    for (*_, chapters), source in zip(table, sources, strict=True):
        needs = re.search(r"You need(.+?)hours?", source, re.S)[1]
        assert set(re.findall(r"chapter-(\d+)", chapters)) <= set(re.findall(r"\d+", needs))


def test_a_syllabus_teaches_what_an_assignment_needs_before_it_is_given():
    table = re.findall(r"^\| (\d)\. .+? \| (.+) \|$", text("lecturers"), re.M)
    needs = {number: set(re.findall(r"chapter-(\d+)", chapters)) for number, chapters in table}
    for plan in re.split(r"^\*\*(?:Four|Eight|Fourteen) weeks\*\*", text("lecturers"), flags=re.M)[1:]:
        rows = [row.split("|") for row in re.findall(r"^\|.*\|$", plan.split("\n## ")[0], re.M)]
        chapters, given = ([title.strip() for title in rows[0]].index(name) for name in ("chapters", "assignment"))
        taught = set()
        for row in rows[2:]:
            taught |= set(re.findall(r"chapter-(\d+)", row[chapters]))
            for number in re.findall(r"\d", row[given]):
                assert needs[number] <= taught, f"assignment {number}"


def test_labs_in_a_syllabus_exist():
    named = set(re.findall(r"\b(\d+\.\d)\b(?=[,\s|])", "\n".join(re.findall(r"^\| .*\|$", text("lecturers"), re.M))))
    prose = "\n".join(cell.source for name in CHAPTERS for cell in read(name).cells)
    existing = set(re.findall(r"\} Lab (\d+\.\d) · ★", prose))
    assert named and named <= existing


def test_syllabi_name_chapters_in_weeks_that_exist():
    four, eight, fourteen = re.split(r"^\*\*(?:Four|Eight|Fourteen) weeks\*\*", text("lecturers"), flags=re.M)[1:]
    assert re.findall(r"^\| (\d)", four, re.M) == list("1234")
    assert re.findall(r"^\| (\d)", eight, re.M) == list("12345678")
    rows = re.findall(r"^\| ([\d, to]+) \| (.*?) \|", fourteen, re.M)
    weeks, chapters = [], []
    for label, cell in rows:
        ends = [int(number) for number in re.findall(r"\d+", label)]
        weeks += range(ends[0], ends[-1] + 1)
        chapters += re.findall(r"chapter-(\d+)", cell)
    assert weeks == list(range(1, 15))
    assert sorted(map(int, chapters)) == [*range(1, 18)]


def test_the_citation_is_that_of_the_repository():
    citation = Path(ROOT / "CITATION.cff").read_text(encoding="utf-8")
    page = text("lecturers")
    for field in ["title", "version"]:
        value = re.search(rf'^{field}: "?([^"\n]+)"?$', citation, re.M)[1]
        assert value in page
    assert re.search(r"^date-released: (\d{4})", citation, re.M)[1] in page
    assert re.search(r'name: "([^"]+)"', citation)[1] in page
