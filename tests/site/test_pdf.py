"""The book on paper: the PDF of a few pages, weekly of all, and a page printed by the browser."""

import os
import re
import subprocess
import sys
from unicodedata import normalize

import pytest
import yaml
from pypdf import PdfReader
from site_pages import CHAPTERS, ROOT, SITE
from thorough import weekly

from dp_labs.chapter_03 import LABS

CHAPTER = "book/03-differential-privacy"
LAST = ["book/notation", "book/bibliography"]


def make_pdf(pdf, *options):
    """Run the command; return the PDF."""
    if os.environ.get("DP_SKIP_BROWSER") == "1":
        pytest.skip("DP_SKIP_BROWSER=1 leaves the tests in a browser out")
    command = [sys.executable, "-m", "tools.pdf.make_pdf", pdf, *options]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return PdfReader(pdf)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Return the PDF of the front page, a chapter with figures and labs, and back matter."""
    parts = {"Part II: Differential privacy": [CHAPTER], "Back matter": LAST}
    contents = [{"caption": title, "chapters": [{"file": name} for name in names]} for title, names in parts.items()]
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "_toc.yml").write_text(yaml.safe_dump({"root": "book/index", "parts": contents}), encoding="utf-8")
    return make_pdf(folder / "book.pdf", "--toc", folder / "_toc.yml")


@weekly  # minutes for all pages; each kind of block and control has its test in tests/tools/test_one_page.py
def test_the_whole_book_is_printed(tmp_path):
    book = make_pdf(tmp_path / "book.pdf")
    chapters = [title for title in outline(book) if re.match(r"\d+\. ", title)]
    assert len(chapters) == len(CHAPTERS)
    assert len(book.pages) > 400
    assert not left_over(" ".join(map(text, book.pages)))


@pytest.fixture(scope="module")
def texts(book):
    """Return the text of each sheet."""
    return [text(page) for page in book.pages]


def outline(book):
    """Return {title: page} of the outline's entries, the first of each title, counted from 0."""
    found = {}

    def walk(entries):
        for entry in entries:
            if isinstance(entry, list):
                walk(entry)
            else:
                found.setdefault(entry.title, book.get_destination_page_number(entry))

    walk(book.outline)
    return found


def text(page):
    return " ".join(normalize("NFKC", page.extract_text()).split())  # "ff" in two letters


def left_over(words):
    """Return what no printed page says: sources of formulas, and what is meant for a screen."""
    unset = ("Drawn at .", r"\varepsilon", r"\frac", r"\(", "$$", "need JavaScript")
    return [one for one in unset if one in words]


def test_outline_and_contents_lead_to_the_pages_they_name(book, texts):
    pages = outline(book)
    chapter, answers = pages["3. Differential privacy"], pages["Answers and solutions"]
    assert 0 < pages["Contents"] < pages["Part II: Differential privacy"] == chapter < pages["Notation"]
    assert pages["Bibliography"] < pages["Hints"] < answers
    sheets, targets = range(pages["Contents"], pages["3. Differential privacy"]), book.named_destinations
    links = [link.get_object() for sheet in sheets for link in book.pages[sheet].get("/Annots", [])]
    led = [book.get_destination_page_number(targets[link["/Dest"]]) for link in links if "/Dest" in link]
    assert {chapter, pages["Notation"], pages["Bibliography"], answers} <= set(led)
    contents = " ".join(texts[sheet] for sheet in sheets)
    assert f"3. Differential privacy {chapter + 1} " in contents
    assert f"Answers and solutions {answers + 1}" in contents
    assert book.metadata.title == "Sliding Epsilon"
    assert len(book.pages) > 30


def test_answers_are_at_the_end_only(book, texts):
    pages = outline(book)
    before = " ".join(texts[: pages["Hints"]])
    answers = " ".join(texts[pages["Answers and solutions"] :])
    assert (
        'check("3.which-epsilon", epsilon_of)' in before and 'check("3.which-epsilon", largest_log_ratio)' not in before
    )
    assert 'check("3.error-you-can-live-with", np.log(20)' not in before
    assert 'check("3.error-you-can-live-with", np.log(20)' in answers
    assert "✓ Lab 3." not in before and answers.count("✓ Lab 3.") == len(LABS)
    assert re.search(r"Solution · page \d+", before)
    assert re.search(r"Question 4 · page \d+", answers)


def test_mathematics_is_set_and_figures_say_at_which_values_they_are_drawn(texts):
    chapter = " ".join(texts)
    assert "Drawn at ε, privacy = 1; belief before the answer = 0.5." in chapter
    assert not left_over(chapter)


def test_links_of_the_web_keep_their_address_and_no_file_of_this_machine_is_named(book):
    links = [link.get_object() for page in book.pages for link in page.get("/Annots", [])]
    addresses = [link["/A"]["/URI"] for link in links if "/A" in link and "/URI" in link["/A"]]
    assert any(address.startswith("https://doi.org/") for address in addresses)
    assert all(address.startswith(("https://", "http://")) for address in addresses)


def test_a_page_printed_from_the_browser_is_the_chapter_alone(offline_context, tmp_path):
    page = offline_context(width=658, color_scheme="dark").new_page()  # as wide as the text on A4
    page.goto((SITE / "book" / "03-differential-privacy.html").as_uri(), wait_until="load")
    page.evaluate("addEventListener('beforeprint', () => (window.printed = document.documentElement.dataset.theme))")
    page.pdf(path=tmp_path / "page.pdf")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 658
    assert page.evaluate("window.printed") == "light"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    sheets = [text(sheet) for sheet in PdfReader(tmp_path / "page.pdf").pages]
    assert sheets[0].startswith("3. Differential privacy")
    whole = " ".join(sheets)
    assert whole.count("How do you measure what an answer gives away?") == 1  # no list of sections
    answer = "Some advantage always remains"
    for unseen in ("Check Question", answer, "Solution", "Show code", "✓ Lab 3.1", "need JavaScript", "Previous"):
        assert unseen not in whole
    assert "privacy = 1" in whole and 'check("3.which-epsilon", epsilon_of)' in whole


def test_pictures_are_printed_although_nobody_scrolled_to_them(offline_context, tmp_path):
    page = offline_context().new_page()
    page.goto((SITE / "book" / "13-randomized-response.html").as_uri(), wait_until="load")
    page.pdf(path=tmp_path / "page.pdf")
    pictures = page.locator("article img").count()
    assert pictures >= 2
    assert sum(len(sheet.images) for sheet in PdfReader(tmp_path / "page.pdf").pages) >= pictures


def test_safari_has_all_pictures_before_it_prints(offline_context):
    page = offline_context().new_page()
    page.add_init_script("Object.defineProperty(navigator, 'vendor', { value: 'Apple Computer, Inc.' })")
    page.goto((SITE / "book" / "13-randomized-response.html").as_uri(), wait_until="load")
    assert page.locator("article img").count() >= 2
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth)")
