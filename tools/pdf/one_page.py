"""Put the pages of the built site into one document for paper; ``make_pdf.py`` prints it.

What moves on the site stands still here: a figure under sliders says at which values it is drawn, and code that the
site folds away is left out. What a reader unfolds there (hints, answers, solutions) is moved to two parts at the end,
with the page number in both directions. Links between pages become links within the document.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise, takewhile
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup, Tag

HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
NOT_FOR_PAPER = "script, style, button, .headerlink, .toctree-wrapper, .noprint, .tag_hide-input > details"
IN_SHORT = re.compile(r"/(\d\d-[\w-]+|keep|notation|glossary|bibliography)$")  # pages of the short edition
POINTERS = ("id", "for", "aria-labelledby", "aria-describedby")  # attributes that name elements of their page


@dataclass
class Answer:
    """What is folded away on the site: its identifier, its label, its question, and the elements it consists of."""

    id: str
    label: str
    question: str
    elements: list[Tag]


@dataclass
class Page:
    """A page of the site on its way to paper."""

    name: str
    part: str
    article: Tag
    hints: list[Answer] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def slug(self) -> str:
        """The page's identifier, and the prefix of those within the page."""
        return Path(self.name).name

    @property
    def title(self) -> str:
        """The page's heading, with the chapter's number."""
        return text_of(self.article.find(HEADINGS))


def one_page(site: Path, toc: Path, config: dict, style: str, *, short: bool = False) -> str:
    """Return the pages of ``site``, in the order of the contents file ``toc``, as one HTML document.

    ``config`` is the book's (its title, author and copyright), ``style`` a style sheet to add to the site's own.  The
    short edition has of each chapter what is above its seam, and of the other pages those that one keeps beside it.
    Raises FileNotFoundError if a page isn't built, ValueError if a link within the book leads nowhere.
    """
    listed = [(name, part) for name, part in listed_pages(toc) if not short or IN_SHORT.search(name)]
    pages = [Page(name, part, read_page(site, name).select_one("article")) for name, part in listed]
    for page in pages:
        if short:
            end_at_seam(page)
        link_within(page, pages, site)
        leave_the_screen(page)
        take_answers_out(page)
    document = parse('<!doctype html><html lang="en" data-theme="light"><head></head><body><main></main></body></html>')
    document.head.extend(head(site, pages[0], config, style))
    document.main["class"] = ["bd-article", *(["short"] if short else [])]
    document.main.extend([title_page(site, config, short=short), contents(pages)])
    for before, page in pairwise([None, *pages]):
        document.main.append(chapter(page, starts_part=page.part != (before.part if before else "")))
    if short:
        drop_what_is_not_cited(document)
        drop_what_is_not_said(document, [text_of(page.article).lower() for page in pages if page.slug[0].isdigit()])
        unlink_what_is_left_out(document)
    if any(page.hints for page in pages):
        document.main.append(answers_part("hints", "Hints", {page.title: page.hints for page in pages}))
    document.main.append(answers_part("answers", "Answers and solutions", {page.title: page.answers for page in pages}))
    check_links(document)
    return str(document)


def listed_pages(toc: Path) -> list[tuple[str, str]]:
    """Return the name of every page with the caption of its part ("" for the front page)."""
    listed = yaml.safe_load(toc.read_text(encoding="utf-8"))
    pages = [(listed["root"], "")]
    for part in listed["parts"]:
        for chapter in part["chapters"]:
            pages += [(page["file"], part["caption"]) for page in (chapter, *chapter.get("sections", []))]
    return pages


def read_page(site: Path, name: str) -> BeautifulSoup:
    """Return a page of the site."""
    file = site / f"{name}.html"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is not there; build the site first: make book")
    return parse(file.read_text(encoding="utf-8"))


# From a page of the site to a page of the book.


def end_at_seam(page: Page) -> None:
    """Leave of a chapter what its short edition shows."""
    if (seam := page.article.select_one(".seam")) is None:
        return
    for around in [seam, *seam.find_parents("section")]:
        for behind in [*around.find_next_siblings()]:
            behind.decompose()
    for element in page.article.select("#before-you-start"):
        element.decompose()


def unlink_what_is_left_out(document: BeautifulSoup) -> None:
    """Make plain text of the links to places that the short edition doesn't have."""
    there = {element["id"] for element in document.select("[id]")}
    for link in document.select('a[href^="#"]'):
        if link["href"].removeprefix("#") not in there:
            del link["href"]


def drop_what_is_not_cited(document: BeautifulSoup) -> None:
    """Leave of the bibliography the sources that the short edition cites."""
    cited = {link["href"].removeprefix("#") for link in document.select('a[href^="#"]')}
    for source in document.select("div.citation[id]"):
        if source["id"] not in cited:
            source.decompose()


def drop_what_is_not_said(document: BeautifulSoup, texts: list[str]) -> None:
    """Leave of the glossary the terms that occur in the texts of the chapters."""
    for meaning in document.select("dl.glossary > dd"):
        terms = [*takewhile(lambda element: element.name == "dt", meaning.find_previous_siblings())]
        if not any(text_of(term).lower() in text for term in terms for text in texts):
            for element in [meaning, *terms]:
                element.decompose()


def link_within(page: Page, pages: list[Page], site: Path) -> None:
    """Give the page's identifiers its prefix, and make every link to a page of the book one within the document.

    A link to another file of the site, which a reader of the PDF doesn't have, becomes plain text.
    """
    slugs = {address(site, other_page.name): other_page.slug for other_page in pages}
    page_url = address(site, page.name)
    for element in page.article(True):
        for name in POINTERS:
            if name in element.attrs:
                element[name] = " ".join(
                    f"{page.slug}--{target}" for target in " ".join(element.get_attribute_list(name)).split()
                )
        if "clip-path" in element.attrs:
            element["clip-path"] = element["clip-path"].replace("url(#", f"url(#{page.slug}--")
        if "src" in element.attrs:
            element["src"] = urljoin(page_url, element["src"])
        if "href" in element.attrs:
            target, anchor = urldefrag(urljoin(page_url, element["href"]))
            # On paper, a link to a figure at some values leads to the figure, one to a short edition to the chapter.
            target, anchor = target.partition("?")[0], anchor.partition("?")[0]
            if target in slugs:
                element["href"] = f"#{slugs[target]}--{anchor}" if anchor else f"#{slugs[target]}"
            elif target.startswith("file:"):
                del element["href"]


def address(site: Path, name: str) -> str:
    """Return the address of a page's file."""
    return (site / f"{name}.html").resolve().as_uri()


def leave_the_screen(page: Page) -> None:
    """Remove what works on a screen only, and say at which values a figure under sliders is drawn.

    The headings of chapters go a level down, as the parts of the book stand above them.
    """
    for element in page.article.select(NOT_FOR_PAPER):
        element.decompose()
    for image in page.article("img"):
        image.attrs.pop("loading", None)  # a printer doesn't scroll
    for figure in page.article.select(".sf-explore"):
        rows = figure.select(".sf-explore-row")
        values = "; ".join("\u00a0=\u00a0".join(map(text_of, setting(row))) for row in rows)
        if values:  # a live figure has none: on paper it stands still
            figure.figcaption.append(f" Drawn at {values}.")
        for element in figure.select(".sf-explore-controls, .sf-explore-note, .sf-explore-said"):
            element.decompose()
    if page.part:
        for heading in page.article(HEADINGS[:-1]):
            heading.name = f"h{int(heading.name[1]) + 1}"


def setting(row: Tag) -> tuple[Tag, Tag]:
    """Return what a slider is called and the value at which it stands; one of two stops is a choice between two."""
    chosen = row.select_one("[checked]")
    return (row.span, chosen.parent) if chosen else (row.label, row.output)


def take_answers_out(page: Page) -> None:
    """Take hints and answers out of the page's text, and leave a reference where they stood."""
    for folded in page.article.select("details.sd-dropdown, .tag_hide-cell"):
        before = folded.find_previous_sibling()
        if folded.name == "details":
            label = text_of(folded.summary)
            elements = [*number_asked(folded), folded.select_one(".sd-summary-content")]
        elif page.answers and before is not None and before.get("id") == f"{page.answers[-1].id}-from":
            page.answers[-1].elements.append(unfolded(folded.extract()))  # the code of the solution before it
            continue
        else:
            label, elements = "Code", [unfolded(folded)]
        kind, found = ("hint", page.hints) if "hint" in label.lower() else ("answer", page.answers)
        name = f"{page.slug}--{kind}-{len(found) + 1}"
        found.append(Answer(name, label, question_of(folded), elements))
        folded.insert_before(
            piece(
                f'<p class="see" id="{name}-from"><a href="#{name}">{escape(label)} · page {page_number(name)}</a></p>'
            )
        )
        folded.extract()


def question_of(folded: Tag) -> str:
    """Return what is answered: the title of the question's box, of the lab, or of the section."""
    section = folded.find_parent("section")
    heading = text_of(section.find(HEADINGS))
    if box := folded.find_parent(class_="admonition"):
        return f"{heading} · {text_of(box.select_one('.admonition-title'))}"
    lab = folded.find_previous(class_="lab")
    in_lab = lab is not None and lab.find_parent("section") is section
    return text_of(lab.select_one(".admonition-title")) if in_lab else heading


def number_asked(folded: Tag) -> list[Tag]:
    """Take the number that a question asks for ("= 0.6 ± 0.001") out of its text, and leave a blank in its place."""
    choices = folded.find_previous_sibling("ol")
    number = text_of(choices) if choices else ""
    if not number.startswith("="):
        return []
    choices.replace_with(piece('<p>Your number: <span class="blank"></span></p>'))
    return [piece(f"<p><strong>{escape(number.removeprefix('=').strip())}</strong></p>")]


def unfolded(cell: Tag) -> Tag:
    """Return the cell with its code and outputs in the open."""
    for inner in cell("details"):
        inner.summary.decompose()
        inner.unwrap()
    return cell


# The document around the pages.


def head(site: Path, front: Page, config: dict, style: str) -> list[Tag]:
    """Return what the document's head holds: the site's own styles, and the style of the paper."""
    front_url, kept = address(site, front.name), [piece('<meta charset="utf-8">')]
    for sheet in read_page(site, front.name).select('link[rel~="stylesheet"]'):
        sheet["href"] = urljoin(front_url, sheet["href"])
        kept.append(sheet.extract())
    return [*kept, piece(f"<title>{escape(config['title'])}</title>"), piece(f"<style>{style}</style>")]


def title_page(site: Path, config: dict, *, short: bool) -> Tag:
    """Return the title page, with what a reader of paper must know."""
    edition = (
        "This is the short edition: of each chapter the first part, which can be read by itself. " if short else ""
    )
    logo = (site / "_static" / "logo.svg").resolve().as_uri()
    return piece(
        f"""<header class="title-page"><img src="{logo}" alt="">
        <p class="title">{escape(config["title"])}</p>
        <p class="author">{escape(config["author"])}, {escape(config["copyright"])}</p>
        <p class="about">{edition}On paper the sliders stand still: each figure says at which values it is drawn. Hints,
        answers and solutions are at the end of the book. Code that only draws a figure is left out; the chapter’s
        notebook has it.</p>
        <p class="about">Text and figures: CC BY 4.0. Code: MIT licence.</p></header>"""
    )


def contents(pages: list[Page]) -> Tag:
    """Return the table of contents: parts, chapters, and the sections that are not the same in every chapter."""
    times = Counter(text_of(heading) for page in pages for heading in page.article("h3"))
    lines = []
    for before, page in pairwise([None, *pages]):
        if page.part != (before.part if before else ""):
            lines.append(f'<li class="part">{escape(page.part)}</li>')
        lines.append(contents_line("chapter", page.slug, page.title))
        for heading in page.article("h3"):
            if times[text_of(heading)] < 3:
                lines.append(contents_line("section", heading.find_parent("section")["id"], text_of(heading)))
    if any(page.hints for page in pages):
        lines.append(contents_line("part", "hints", "Hints"))
    lines.append(contents_line("part", "answers", "Answers and solutions"))
    return piece(f'<nav class="book-contents"><h1>Contents</h1><ol>{"".join(lines)}</ol></nav>')


def contents_line(kind: str, target: str, title: str) -> str:
    """Return a line of the table of contents."""
    return f'<li class="{kind}"><a href="#{target}"><span>{escape(title)}</span>{page_number(target)}</a></li>'


def chapter(page: Page, *, starts_part: bool) -> Tag:
    """Return the page's text as a chapter; the first one of a part carries the part's heading."""
    text = sheets(page.slug, page.title)
    if starts_part:
        text.append(piece(f'<h1 class="part">{escape(page.part)}</h1>'))
    text.append(page.article)
    return text


def answers_part(name: str, title: str, answers: dict[str, list[Answer]]) -> Tag:
    """Return the part of the book that holds ``answers``, listed by the titles of their chapters."""
    part = sheets(name, title)
    part.append(piece(f'<h1 class="part">{title}</h1>'))
    for chapter_title, found in answers.items():
        if found:
            part.append(piece(f"<h2>{escape(chapter_title)}</h2>"))
        for answer in found:
            entry = piece(f'<div class="answer" id="{answer.id}"></div>')
            question = (
                f'<a href="#{answer.id}-from">{escape(answer.question)} · page {page_number(f"{answer.id}-from")}</a>'
            )
            entry.append(piece(f'<p class="answer-title">{question}<span>{escape(answer.label)}</span></p>'))
            entry.extend(answer.elements)
            part.append(entry)
    return part


def sheets(name: str, title: str) -> Tag:
    """Return an empty section that begins a new sheet of paper and has ``title`` over each of its sheets."""
    shown = title.replace("\\", "").replace('"', "”")
    return piece(
        f"""<section class="sheets" id="{name}" style="page: on-{name}">
        <style>@page on-{name} {{ @top-right {{ content: "{escape(shown)}" }} }}</style></section>"""
    )


def page_number(target: str) -> str:
    """Return the place for the number of the page on which ``target`` is; printing fills it in."""
    return f'<span class="page-number" data-of="{target}"></span>'


def check_links(document: BeautifulSoup) -> None:
    """Raise ValueError if a link within the document leads nowhere, or to more than one place."""
    places = Counter(element["id"] for element in document.select("[id]"))
    targets = {link["href"].removeprefix("#") for link in document.select('a[href^="#"]')}
    if wrong := sorted(target for target in targets if places[target] != 1):
        raise ValueError(
            f"a link must lead to one place of the book; these lead nowhere or to several: {', '.join(wrong)}"
        )


def parse(text: str) -> BeautifulSoup:
    """Return the parsed HTML."""
    return BeautifulSoup(text, "html.parser")


def piece(text: str) -> Tag:
    """Return the one element that ``text`` holds."""
    return parse(text).find(True)


def text_of(element: Tag) -> str:
    """Return the element's text on one line."""
    return " ".join(element.get_text().split())
