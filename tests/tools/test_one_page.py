"""The book's pages in one document for paper: links, answers, sliders; on a small site made here."""

import sys

import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot

from slider_figures import explore, play
from tools.pdf.one_page import drop_what_is_not_said, one_page

CONFIG = {"title": "A Book", "author": "Somebody", "copyright": "2026"}
TOC = """root: book/index
parts:
  - caption: "Part I: Start"
    chapters:
      - file: book/01-one
      - file: book/02-two
"""
DROPDOWN = """<details class="sd-dropdown"><summary><span>{label}</span></summary>
    <div class="sd-summary-content"><p>{text}</p></div></details>"""
LAB = f"""<section id="labs"><h2>Labs</h2>
    <div class="admonition lab"><p class="admonition-title">Lab 1.1</p></div>
    {DROPDOWN.format(label="Hint", text="Think.")} {DROPDOWN.format(label="Solution", text="It is so.")}
    <div class="cell tag_hide-cell"><details><summary>Show</summary><pre>check(1)</pre></details></div></section>"""
QUIZ = f"""<section id="quiz"><h2>Self-check</h2><div class="admonition quiz">
    <p class="admonition-title">Question 1</p><p>How much?</p><ol><li>= 0.6 ± 0.001</li></ol>
    {DROPDOWN.format(label="The answer", text="Six tenths.")}</div></section>"""
SLIDER = """<figure class="sf-explore" id="fig"><div class="sf-explore-controls" hidden><div class="sf-explore-row">
    <label for="s">ε</label><input id="s"><output for="s">0.5</output></div></div><p class="sf-explore-note">No.</p>
    <svg><clipPath id="c"></clipPath><path clip-path="url(#c)"/></svg><figcaption>Two bells.</figcaption></figure>
    <div class="cell tag_hide-input"><details><summary>Show</summary><pre>plot()</pre></details><p>output</p></div>"""


@pytest.fixture
def printed(tmp_path):
    """Make the site, with more text on the first chapter's page, and return the document for paper."""

    def make(more="", **options):
        (tmp_path / "book").mkdir()
        (tmp_path / "_toc.yml").write_text(TOC)
        for name, text in {
            "index": "<section id='start'><h1>A Book</h1></section>",
            "01-one": f"<section id='one'><h1>1. One<a class='headerlink' href='#one'>#</a></h1>{more}</section>",
            "02-two": "<section id='two'><h1>2. Two</h1><section id='own'><h2>Why?</h2></section></section>",
        }.items():
            page = f"<html><head></head><body><nav>menu</nav><article class='bd-article'>{text}</article></body></html>"
            (tmp_path / "book" / f"{name}.html").write_text(page, encoding="utf-8")
        document = one_page(tmp_path, tmp_path / "_toc.yml", CONFIG, "p { margin: 0 }", **options)
        return BeautifulSoup(document, "html.parser")

    return make


def test_contents_list_parts_chapters_and_sections_in_order(printed):
    lines = [line.get_text() for line in printed().select(".book-contents li")]
    assert lines == ["A Book", "Part I: Start", "1. One", "2. Two", "Why?", "Answers and solutions"]


def test_parts_stand_above_chapters_and_the_menu_is_gone(printed):
    document = printed()
    headings = [(heading.name, heading.get_text()) for heading in document.select(".sheets > *, .sheets section > *")]
    assert [heading for heading in headings if heading[0].startswith("h")] == [
        ("h1", "A Book"),
        ("h1", "Part I: Start"),
        ("h2", "1. One"),
        ("h2", "2. Two"),
        ("h3", "Why?"),
        ("h1", "Answers and solutions"),
    ]
    assert "menu" not in document.get_text()


def test_links_between_pages_lead_within_the_document(printed):
    document = printed('<a href="02-two.html#own">a</a><a href="02-two.html">b</a><a href="https://x.org/y">c</a>')
    assert [link["href"] for link in document.select("article a")] == ["#02-two--own", "#02-two", "https://x.org/y"]
    assert document.find(id="02-two--own").h3 and document.find(id="02-two")


def test_a_link_to_a_figure_as_it_stands_leads_to_the_figure(printed):
    document = printed('<a href="02-two.html#own?epsilon=1&amp;prior=0.1">a</a>')
    assert [link["href"] for link in document.select("article a")] == ["#02-two--own"]


def test_a_link_to_another_file_becomes_text(printed):
    document = printed('<p>See <a href="../_sources/one.ipynb">the notebook</a>.</p>')
    assert "See the notebook." in document.get_text()
    assert not document.select('a[href*="ipynb"]')


def test_a_link_that_leads_nowhere_is_refused(printed):
    with pytest.raises(ValueError, match="02-two--gone"):
        printed('<a href="02-two.html#gone">a</a>')


def test_a_page_that_is_not_built_is_named(printed, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "TOC", TOC + "      - file: book/03-three\n")
    with pytest.raises(FileNotFoundError, match="03-three"):
        printed()


def test_hints_and_solutions_move_to_the_end_and_know_their_place(printed):
    document = printed(LAB)
    chapter, hints, answers = (document.find(id=name) for name in ("01-one", "hints", "answers"))
    for moved in ("Think.", "It is so.", "check(1)"):
        assert moved not in chapter.get_text()
    assert "Think." in hints.get_text() and "It is so." not in hints.get_text()
    assert "It is so." in answers.get_text() and "check(1)" in answers.get_text()
    assert not document.select("details, summary")
    for entry in document.select(".answer"):
        back = entry.select_one(".answer-title a")
        there = document.find(id=back["href"].removeprefix("#"))
        assert "Lab 1.1" in back.get_text() and there.a["href"] == f"#{entry['id']}"
        assert back.select_one(".page-number")["data-of"] == there["id"]


def test_code_folded_away_by_itself_is_an_answer_of_its_own(printed):
    cell = '<div class="cell tag_hide-cell"><details><summary>Show</summary><pre>sealed()</pre></details></div>'
    document = printed(f'<section id="audit"><h2>Three services</h2>{cell}</section>')
    assert "sealed()" not in document.find(id="01-one").get_text()
    (entry,) = document.select("#answers .answer")
    assert "Three services" in entry.get_text() and "sealed()" in entry.get_text()


def test_the_number_that_a_question_asks_for_is_not_beside_it(printed):
    document = printed(QUIZ)
    asked = document.find(id="01-one").get_text()
    assert "0.6" not in asked and "Your number:" in asked and "How much?" in asked
    answer = document.find(id="answers").get_text()
    assert "0.6 ± 0.001" in answer and "Six tenths." in answer and "Self-check · Question 1" in answer


def test_a_figure_under_sliders_says_at_which_values_it_is_drawn(printed):
    document = printed(SLIDER)
    figure = document.select_one(".sf-explore")
    assert figure.figcaption.get_text() == "Two bells. Drawn at ε\u00a0=\u00a00.5."
    assert not figure.select("input, .sf-explore-note")
    assert figure.path["clip-path"] == f"url(#{figure.find(id=True)['id']})"
    assert "plot()" not in document.get_text() and "output" in document.get_text()


def test_every_control_says_where_it_stands(printed, monkeypatch):
    monkeypatch.setenv("FIGURE_VENUE", "site")

    def drawn(epsilon, method, seed):
        return pyplot.figure()

    options = {"labels": {"epsilon": "ε", "method": "mechanism"}, "initial": {"epsilon": 1, "method": "Gaussian"}}
    sliders = {"epsilon": [0.5, 1, 2], "method": ["Laplace", "Gaussian"], "draws": 2}
    figure = explore(drawn, alt="Nothing at {epsilon:g}.", caption="Empty.", **options, **sliders).data["text/html"]
    still = play("coins", pyplot.figure, alt="Nothing.", caption="Coins.").data["text/html"]
    said = [caption.get_text() for caption in printed(figure + still)("figcaption")]
    assert said == ["Empty. Drawn at ε\u00a0=\u00a01; mechanism\u00a0=\u00a0Gaussian.", "Coins."]


CHAPTER = f"""<p>The promise.</p><div class="edition noprint"><button>Short</button></div>
    <section id="idea"><h2>The idea</h2><p><a href="#later">Later</a>, <a href="02-two.html?short#own">why</a>.</p>
    </section>
    <section id="before-you-start"><h2>Before you start</h2><p>Needs.</p></section>
    <section id="now"><h2>Now</h2><p>Above.</p><p class="seam">If you stop here, good.</p><p class="rest noprint"></p>
    <p>Below.</p><section id="within"><h3>Within</h3></section></section>
    <section id="later"><h2>Later</h2><p>Much.</p></section>{LAB}"""


def test_the_short_edition_ends_at_the_seam_and_links_to_nothing_that_it_lacks(printed):
    document = printed(CHAPTER, short=True)
    text = " ".join(document.main.get_text().split())
    assert "The promise." in text and "Above.If you stop here, good." in text and "short edition" in text
    assert not [word for word in ("Needs.", "Below.", "Much.", "Within", "Lab 1.1", "Think.") if word in text]
    links = {link.get_text(): link.get("href") for link in document.select("section a")}
    assert links["Later"] is None and links["why"] == "#02-two--own"


SOURCES = """<p>Said <a href="#id1">there</a>.</p><div class="citation-list"><div class="citation" id="id1">One.</div>
    <div class="citation" id="id2">Two.</div></div>
    <section id="now"><p class="seam">If you stop here, good.</p><p>Also <a href="#id2">elsewhere</a>.</p></section>"""


@pytest.mark.parametrize(("short", "listed"), [(True, ["One."]), (False, ["One.", "Two."])])
def test_the_short_edition_lists_the_sources_that_it_cites(short, listed, printed):
    assert printed(SOURCES, short=short).select_one(".citation-list").get_text().split() == listed


def test_the_short_edition_explains_the_terms_that_it_uses():
    words = "<dt>noise</dt><dt>Rauschen</dt><dd>A random number.</dd><dt>tree</dt><dd>Boxes.</dd>"
    document = BeautifulSoup(f"<dl class='glossary'>{words}</dl>", "html.parser")
    drop_what_is_not_said(document, ["a count with noise"])
    assert document.get_text() == "noiseRauschenA random number."


def test_the_short_edition_begins_with_the_first_chapter_and_its_part(printed):
    document = printed(CHAPTER, short=True)
    assert not document.find(id="index") and document.find(id="01-one").find("h1", class_="part")
    assert document.select_one(".book-contents li").get_text() == "Part I: Start"


def test_the_whole_book_has_what_is_below_the_seam(printed):
    text = " ".join(printed(CHAPTER).main.get_text().split())
    assert "Below." in text and "Much." in text and "Needs." in text and "short edition" not in text
