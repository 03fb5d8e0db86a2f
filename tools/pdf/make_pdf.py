"""Print the built site as one PDF: ``make pdf``.

Chromium sets the pages twice: after the first time it is known what stands on which page, and page numbers are filled
in for the second. Nothing is executed again, and nothing is fetched from elsewhere.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import matplotlib as mpl
import yaml
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader

from tools.measure import chromium
from tools.pdf.one_page import one_page

ROOT = Path(__file__).resolve().parents[2]
# Fonts that every reader's machine may lack, but the environment has them: (family, weight, style, file).
FONTS = [
    ("Book", 400, "normal", "STIXGeneral"),
    ("Book", 400, "italic", "STIXGeneralItalic"),
    ("Book", 700, "normal", "STIXGeneralBol"),
    ("Book", 700, "italic", "STIXGeneralBolIta"),
    ("Book Sans", 400, "normal", "DejaVuSans"),
    ("Book Sans", 400, "italic", "DejaVuSans-Oblique"),
    ("Book Sans", 700, "normal", "DejaVuSans-Bold"),
    ("Book Mono", 400, "normal", "DejaVuSansMono"),
    ("Book Mono", 400, "italic", "DejaVuSansMono-Oblique"),
    ("Book Mono", 700, "normal", "DejaVuSansMono-Bold"),
]
# A table or formula that is wider than the text shrinks.
FIT = """() => document.querySelectorAll("table, mjx-container[display]").forEach(element => {
    const room = element.parentElement.clientWidth, needed = element.scrollWidth;
    if (needed > room) element.style.zoom = room / needed;
})"""
NUMBER = """pages => document.querySelectorAll(".page-number").forEach(place => {
    place.textContent = pages[place.dataset.of];
})"""


def main() -> None:
    """Read the command line and print the book."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pdf", type=Path, help="the file to write")
    parser.add_argument("--toc", type=Path, default=ROOT / "_toc.yml", help="the contents of the book")
    parser.add_argument("--paper", default="A4", choices=["A4", "Letter"], help="the size of the paper")
    parser.add_argument("--short", action="store_true", help="print the short edition")
    given = parser.parse_args()
    pages = make_pdf(given.pdf, site=ROOT / "_build" / "html", toc=given.toc, paper=given.paper, short=given.short)
    print(f"{given.pdf} has {pages} pages and {given.pdf.stat().st_size / 1e6:.1f} MB.")


def make_pdf(pdf: Path, *, site: Path, toc: Path, paper: str = "A4", short: bool = False) -> int:
    """Print the pages of ``site`` that ``toc`` lists to the file ``pdf``, and return how many sheets it has."""
    program = chromium.find()
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    style = "\n".join([*map(font_face, FONTS), Path(__file__).with_name("pdf.css").read_text(encoding="utf-8")])
    document = one_page(site, toc, config, f"{style}\n@page {{ size: {paper}; }}", short=short)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "book.html"
        file.write_text(document, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = open_document(browser, file)
        draft = Path(folder) / "draft.pdf"
        print_to(draft, page)
        page.evaluate(NUMBER, page_numbers(draft))
        print_to(draft, page)
        browser.close()
        pdf.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(draft, pdf)
    return len(PdfReader(pdf).pages)


def font_face(font: tuple) -> str:
    """Return the style rule that loads a font, which comes with matplotlib."""
    family, weight, style, name = font
    file = (Path(mpl.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf").as_uri()
    descriptors = f"font-family: '{family}'; font-weight: {weight}; font-style: {style}; src: url('{file}')"
    return f"@font-face {{ {descriptors} }}"


def open_document(browser, file: Path) -> Page:
    """Return the page with its fonts loaded and wide tables made to fit; only files are read."""
    page = browser.new_page(viewport={"width": 660, "height": 1000}, color_scheme="light")
    page.set_default_timeout(600_000)  # milliseconds: so many pages in one
    page.emulate_media(media="print")
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page.goto(file.as_uri(), wait_until="load")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.evaluate(FIT)
    return page


def print_to(pdf: Path, page: Page) -> None:
    """Print the page, with an outline and with tags for screen readers."""
    page.pdf(path=pdf, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)


def page_numbers(pdf: Path) -> dict[str, int]:
    """Return the page number of everything that a link leads to, by its identifier."""
    reader = PdfReader(pdf)
    targets = reader.named_destinations
    return {name.removeprefix("/"): reader.get_destination_page_number(to) + 1 for name, to in targets.items()}


if __name__ == "__main__":
    main()
