"""The map of the chapters, and what the reader's browser remembers: chapters read, questions and labs."""

import json
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
CHAPTERS = {int(path.name[:2]): path for path in sorted((ROOT / "book").glob("[0-9][0-9]-*.ipynb"))}
REFUSED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {configurable: true, get() { throw new DOMException("no", "SecurityError"); }})"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"
RUBBISH = "if (location.protocol === 'http:') localStorage.setItem('sliding-epsilon-answered', '{not json')"


@pytest.fixture
def reader(offline_context, serve):
    """Open the site for one reader: what a page remembers, the next one knows."""

    def start(script="", address=None, **options):
        page = offline_context(**options).new_page() if script else offline_context.page(**options)
        if script:
            page.add_init_script(script)

        def read(name):
            page.goto(f"{address or serve(SITE)}/book/{name}.html", wait_until="domcontentloaded")
            if options.get("java_script_enabled", True):
                page.wait_for_selector("body[data-filled]", state="attached")
            return page

        return read

    return start


@cache
def before_you_start(path):
    prose = "\n\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    section = re.search(r"^## Before you start$(.*?)(?=^## |\Z)", prose, re.S | re.M)[1]
    return sorted({int(number) for number in re.findall(r"\{ref\}`chapter-(\d+)`", section)})


def answer_rightly(page, question):
    """Try the choices of this question one after the other, as its number tells, until one is right."""
    form = page.locator(".admonition.quiz form").nth(question)
    for choice in form.locator("input[type=radio]").all():
        choice.check()
        form.locator("button").click()
        if "right" in form.locator(".quiz-verdict").get_attribute("class"):
            return
    raise AssertionError("no single right answer")


# What the map's rows say, what lies at the end of each, and where its question, its lines and the row itself are.
ROWS = """() => [...document.querySelectorAll(".chapter-map > li")].map((row) => {
  const box = (one) => { const { x, width, height } = one.getBoundingClientRect(); return { x, width, height }; };
  const [link, asks, svg] = ["a", ".asks", "svg"].map((part) => row.querySelector(part));
  row.scrollIntoView({ block: "center", behavior: "instant" });
  const { right, top, height } = row.getBoundingClientRect();
  return {
    number: row.value, href: link.getAttribute("href"), text: link.innerText, question: asks.innerText,
    needs: row.querySelector(".builds-on").innerText, row: box(row), asks: box(asks),
    lines: svg.checkVisibility() && box(svg), end: document.elementFromPoint(right - 9, top + height / 2).tagName,
  };
})"""


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_the_map_says_what_each_chapter_says_it_needs(reader, width, theme):
    page = reader(width=width, color_scheme=theme)("index")
    rows = page.evaluate(ROWS)
    assert [row["number"] for row in rows] == list(CHAPTERS)
    for row, (number, path) in zip(rows, CHAPTERS.items(), strict=True):
        assert row["href"] == f"{path.stem}.html"
        assert re.match(rf"{number} \w", row["text"].replace("\n", " "))
        assert len(row["question"]) > 20, f"chapter {number} has no question on the map"
        assert [int(n) for n in re.findall(r"\d+", row["needs"])] == before_you_start(path)
        # The whole row is the link, and its text keeps clear of the lines; a phone has no room for those.
        assert row["end"] == "A"
        asks, lines = row["asks"], row["lines"]
        assert bool(lines) == (width > 600)
        if width > 600:
            assert lines["height"] == pytest.approx(row["row"]["height"], abs=2)
            assert asks["x"] >= lines["x"] + lines["width"]
        else:
            assert asks["width"] > 0.75 * width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# Which row's link has the focus, which rows are lit, and how many lines.
LIT = """() => [
  document.activeElement.getAttribute("href"),
  [...document.querySelectorAll(".chapter-map > li.lit")].map((row) => row.value),
  document.querySelectorAll(".chapter-map :is(line, path).lit").length,
]"""


def test_the_focus_lights_what_leads_to_a_chapter(reader):
    page = reader()("index")
    lit = page.locator(".chapter-map > li.lit")
    assert lit.count() == 0
    page.locator(".chapter-map a").first.focus()
    for number, path in CHAPTERS.items():
        leads, queue = set(), [number]
        while queue:
            leads.add(queue[0])
            queue += before_you_start(CHAPTERS[queue.pop(0)])
        href, rows, lines = page.evaluate(LIT)
        assert href == f"{path.stem}.html"
        assert set(rows) == leads and lines >= len(leads) - 1
        page.keyboard.press("Tab")
    assert lit.count() == 0


def test_every_door_and_row_opens_a_page(reader):
    page = reader()("index")
    links = page.locator(".doors a, .chapter-map a").evaluate_all("links => links.map(link => [link.href, link.text])")
    assert len(links) == 4 + 5 + len(CHAPTERS)  # how long have you got, doors, map
    for href, text in links:
        assert (SITE / "book" / href.rsplit("/", 1)[1].split("#")[0]).is_file(), href
        assert text.strip()


def test_answers_come_back_and_can_be_forgotten(reader):
    read = reader()
    page = read("03-differential-privacy")
    done, questions = page.locator(".quiz-done"), page.locator(".admonition.quiz").count()
    count = f"of this page's {questions} questions"
    status = page.locator(".quiz-count").first  # the labs' is the second
    assert f"answered 0 {count}" in status.inner_text() and status.get_attribute("role") == "status"
    assert not done.first.is_visible()
    answer_rightly(page, 0)
    assert f"answered 1 {count}" in status.inner_text() and "Only this browser" in status.inner_text()
    assert done.first.is_visible() and not done.nth(1).is_visible()

    page = read("index")
    row = page.locator(".chapter-map > li[value='3']")
    assert row.locator(".answered").inner_text() == f"1 of {questions} answered"
    assert not page.locator(".chapter-map > li[value='4'] .answered").is_visible()
    said = page.locator(".map-progress [role=status]").first
    forget = page.get_by_role("button", name="Forget my progress")
    assert "read 0 of" in said.inner_text() and "answered 1 of " in said.inner_text()

    page = read("03-differential-privacy")
    assert f"answered 1 {count}" in status.inner_text() and done.first.is_visible()

    page = read("index")
    page.once("dialog", lambda dialog: dialog.dismiss())
    forget.click()
    assert forget.is_visible() and row.locator(".answered").is_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    forget.click()
    assert not forget.is_visible() and not row.locator(".answered").is_visible()
    assert "Only this browser remembers" in said.inner_text()
    assert set(page.evaluate("Object.keys(localStorage)")) <= {"mode", "theme"}
    assert f"answered 0 {count}" in read("03-differential-privacy").locator(".quiz-count").first.inner_text()


HEADS = """() => { const last = document.querySelector(".quiz-count");
  return [...document.querySelectorAll("article section > h2")]
    .filter((head) => head.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING)
    .map((head) => head.parentElement.id); }"""


def test_who_has_seen_each_section_has_read_the_chapter_and_who_jumps_over_them_has_not(reader):
    read = reader()
    page = read("03-differential-privacy")
    first, *others = page.evaluate(HEADS)
    last = others[-1]
    for section in (last, *others[:3]):
        page.locator(f"#{section} > h2").scroll_into_view_if_needed()
        page.wait_for_function("id => progress.count(['seen-3-' + id])", arg=section)
    assert page.evaluate("progress.count(['read-3'])") == 0
    page = read("03-differential-privacy")  # what was seen before counts
    for section in (first, *others[3:-1]):
        page.locator(f"#{section} > h2").scroll_into_view_if_needed()
        page.wait_for_function("id => progress.count(['seen-3-' + id])", arg=section)
    page.wait_for_function("progress.count(['read-3'])")
    page.evaluate("progress.add('lab-3-suspicion')")
    assert "done 1 of" in page.locator(".quiz-count").last.inner_text()
    page = read("index")
    assert re.fullmatch(r"read, 1 of \d labs", page.locator(".chapter-map > li[value='3'] .answered").inner_text())
    assert re.search(r"read 1 of \d+ chapters.* done 1 of \d+ labs", page.locator(".map-progress").inner_text())


def test_a_whole_chapter_is_marked(reader):
    read = reader()
    row = read("index").locator(".chapter-map > li[value='3']")
    row.evaluate("row => [row.dataset.questions, row.dataset.labs].join(' ').split(' ').forEach(progress.add)")
    assert "whole" not in (row.get_attribute("class") or "")
    row.evaluate("progress.add('read-3')")
    assert "whole" in row.get_attribute("class")
    page = read("03-differential-privacy")
    assert all(done.is_visible() for done in page.locator(".quiz-done").all())
    # What is remembered of a question that is no longer in the book counts nowhere.
    read("index").evaluate("progress.add('question-gone')")
    text = row.locator(".answered").inner_text()
    assert re.fullmatch(r"read, (\d+) of \1 answered, (\d+) of \2 labs", text)


@pytest.mark.parametrize("script", [REFUSED, FULL], ids=["refused", "full"])
def test_works_where_the_browser_keeps_nothing(reader, script):
    read = reader(script)
    page = read("03-differential-privacy")
    answer_rightly(page, 0)
    assert "answered 1 of" in page.locator(".quiz-count").first.inner_text()
    assert "forgets it when you leave" in page.locator(".quiz-count").first.inner_text()
    page = read("index")
    assert page.locator(".chapter-map > li").count() == len(CHAPTERS)
    assert "keeps no memory" in page.locator(".map-progress").inner_text()
    assert not page.get_by_role("button", name="Forget my progress").is_visible()


def test_what_another_program_left_there_does_no_harm(reader):
    page = reader(RUBBISH)("03-differential-privacy")
    answer_rightly(page, 0)
    assert "answered 1 of" in page.locator(".quiz-count").first.inner_text()


def front_button(page):
    link = page.locator(".front-buttons a").first
    return link.inner_text(), link.get_attribute("href").rpartition("/")[2].partition("#")[0]


def test_who_comes_back_goes_on_where_the_last_mark_was_made(reader):
    page = reader()("index")
    names = {number: f"{path.stem}.html" for number, path in CHAPTERS.items()}
    assert front_button(page) == ("Start with chapter 1", names[1])
    question = page.locator(".chapter-map > li[value='4']").get_attribute("data-questions").split()[0]
    for mark, chapter in {"seen-3-a-head": 3, question: 4, "lab-5-cold-place": 5, "read-5": 6}.items():
        page.evaluate("mark => progress.add(mark)", mark)
        assert front_button(page) == (f"Go on with chapter {chapter}", names[chapter]), mark
    page.evaluate("last => progress.add(`read-${last}`)", max(CHAPTERS))
    assert front_button(page) == ("Go on with chapter 1", names[1])  # the first that isn't read
    for chapter in CHAPTERS:
        page.evaluate("chapter => progress.add(`read-${chapter}`)", chapter)
    assert front_button(page) == ("Read again from chapter 1", names[1])


ONE_FORM = """progress.restore('{"answered": [], "typed": {"q": {"values": ["0.2"], "checked": false}}}')"""


def test_whatever_is_kept_of_a_reader_can_be_saved_and_forgotten(reader):
    read = reader()
    page = read("index")
    forget = page.get_by_role("button", name="Forget my progress")
    for mark in ("seen-3-a-head", "lab-3-gone-found", "a form", "an id of another edition"):
        assert not forget.is_visible(), mark
        if mark == "a form":
            page.evaluate(ONE_FORM)
        else:
            page.evaluate("mark => progress.add(mark)", mark)
        read("index")
        assert forget.is_visible() and page.get_by_role("button", name="Save my progress").is_visible(), mark
        page.once("dialog", lambda dialog: dialog.accept())
        forget.click()
        assert not forget.is_visible() and page.evaluate("progress.kept()") == [], mark


STRANGE = ["7", "null", "[1, 2]", '{"1": 2}', '[{"read-3": true}, null]', '"read-3"']


def test_strange_things_in_the_memory_leave_the_map_its_words(reader):
    page = reader()("index")
    for kept in STRANGE:
        for key in ("answered", "typed"):
            page.evaluate("([key, kept]) => localStorage.setItem('sliding-epsilon-' + key, kept)", [key, kept])
        page.reload(wait_until="domcontentloaded")
        assert "Only this browser remembers it." in page.locator(".map-progress").inner_text(), kept
        assert front_button(page)[0] in ("Start with chapter 1", "Go on with chapter 4"), kept


NOT_OURS = [
    *("{not json", "7", "null", "[]", "{}", '{"answered": []}', '{"typed": {}}'),
    *(f'{{"answered": {marks}, "typed": {{}}}}' for marks in ["[1]", "7", "null", "{}", '"read-3"', "[null]"]),
    *(f'{{"answered": [], "typed": {forms}}}' for forms in ["[1]", "7", "null", '"q"', '{"q": 1}', '{"q": {}}']),
    *(
        f'{{"answered": [], "typed": {{"q": {{"values": {values}}}}}}}'
        for values in ["1", "[1]", "[null]", "{}", '"0.2"']
    ),
]


def test_answers_go_to_a_file_and_come_back_in_another_browser(reader, tmp_path):
    read = reader()
    answer_rightly(read("03-differential-privacy"), 0)
    page = read("index")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my progress").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.suffix == ".json"

    read = reader()
    page = read("index")
    assert not page.get_by_role("button", name="Save my progress").is_visible()
    page.evaluate("progress.add('read-1')")
    page.evaluate(ONE_FORM)
    before = page.evaluate("JSON.stringify(localStorage)")
    for number, content in enumerate(NOT_OURS):
        (tmp_path / f"{number}.json").write_text(content, encoding="utf-8")
        page.locator(".map-progress input").set_input_files(tmp_path / f"{number}.json")
        page.get_by_text("holds no progress of this book").wait_for()
        assert page.evaluate("JSON.stringify(localStorage)") == before, content
        page.evaluate("document.querySelectorAll('.map-progress [role=status]')[1].textContent = ''")
    page.locator(".map-progress input").set_input_files(file)
    page.get_by_text("The file is read.", exact=True).wait_for()
    said = page.locator(".map-progress [role=status]").first.inner_text()
    assert "read 1 of" in said and "answered 1 of" in said  # what was there stays
    assert "q" in page.evaluate("progress.kept()")
    page = read("03-differential-privacy")
    assert page.locator(".quiz-done").first.is_visible()
    assert page.locator(".quiz-verdict.right").count() == 1  # with what was chosen


def test_a_file_of_another_edition_is_read_and_what_is_strange_in_it_counted(reader, tmp_path):
    page = reader()("index")
    file = tmp_path / "older.json"
    form = {"values": ["0.2"], "checked": True}
    file.write_text(json.dumps({"answered": ["read-3", "read-99", "lab-3-gone"], "typed": {"question-gone": form}}))
    page.locator(".map-progress input").set_input_files(file)
    page.get_by_text("This edition of the book doesn't have 3 of its 4 marks; they are kept.").wait_for()
    assert "read 1 of" in page.locator(".map-progress").inner_text()
    assert set(page.evaluate("progress.kept()")) == {"read-3", "read-99", "lab-3-gone", "question-gone"}


def test_the_map_stands_without_scripts_and_from_its_file(reader):
    page = reader(address=SITE.as_uri(), java_script_enabled=False)("index")
    assert page.locator(".chapter-map a").count() == len(CHAPTERS)
    assert page.locator(".chapter-map svg :is(line, path)").count() >= len(CHAPTERS) - 1
    assert page.locator(".map-progress").count() == 0
