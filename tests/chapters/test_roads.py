"""The roads through the book: where they lead is there, and their minutes add up to what their titles promise."""

import re

import pytest
from chapters.chapter_notebook import BOOK

from tools import minutes
from tools.book_site import roads

ROADS = {"ten-minutes": (8, 12), "office": (100, 130), "engineer": (300, 420)}


def stops(name):
    """Return the stops of a road, as the site reads them."""
    (content,) = re.findall(r"^```\{road\} [a-z]+\n(.*?)^```$", (BOOK / f"{name}.md").read_text("utf-8"), re.S | re.M)
    return roads.read_stops(content)


@pytest.mark.parametrize(("name", "limits"), ROADS.items(), ids=ROADS)
def test_a_road_takes_as_long_as_it_says(name, limits):
    total = sum(roads.minutes_of(leads) for leads, _ in stops(name))
    assert limits[0] <= total <= limits[1], total


@pytest.mark.parametrize("name", [*ROADS, "course"])
def test_a_road_says_what_to_do_and_what_one_can_do_then(name):
    assert all(len(text.split()) >= 3 and text[-1] in ".?" for _, text in stops(name))
    assert "\n## You now can\n" in (BOOK / f"{name}.md").read_text("utf-8")


def test_a_section_counts_as_in_the_chapter():
    path = roads.chapter_file(5)
    parts = minutes.sections(roads.chapter_cells(5))
    on_the_way = [heading for heading in parts if heading and heading not in ("Labs", "Further reading")]
    on_the_way = [heading for heading in on_the_way if not heading.startswith("Going deeper")]
    counted = sum(roads.part_minutes(chapter="5", section=heading) for heading in on_the_way)
    stated = minutes.stated(path.read_text("utf-8"))
    assert abs(counted + minutes.minutes(parts[""]) - stated["whole"]) <= 1
    assert roads.minutes_of("short 5") == stated["short"] and roads.minutes_of("labs 5") == stated["labs"]


@pytest.mark.parametrize(
    "part", ["5: What isn't there?", "long 5", "page nowhere", "chapter 5", "short 99", "lab 5-attack-a-maximum extra"]
)
def test_a_road_to_nowhere_is_refused(part):
    with pytest.raises((ValueError, FileNotFoundError)):
        roads.minutes_of(part)


def test_a_lab_that_is_gone_is_refused():
    with pytest.raises(ValueError, match="lab-5-gone"):
        roads.minutes_of("lab 5-gone")


def test_the_course_teaches_what_the_lecturers_plan_teaches():
    """Week by week: the plan of fourteen weeks stands on both pages."""
    plan = (BOOK / "lecturers.md").read_text("utf-8").split("**Fourteen weeks**")[1]
    rows = [re.findall(r"chapter-(\d+)", row) for row in re.findall(r"^\| \d+ \| ([^|]+) \|", plan, re.M)]
    given = re.findall(r"^\| \d+ \| [^|]+ \| ([\d ]*)\|", plan, re.M)
    ours = stops("course")
    assert [re.findall(r"whole (\d+)", leads) for leads, _ in ours] == rows
    assert ["".join(re.findall(r"Assignment (\d+)", text)) for _, text in ours] == [one.strip() for one in given]
