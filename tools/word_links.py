"""List the words that explain themselves, each with its sentence: ``python -m tools.word_links``, after ``make book``.

``tests/site/word_links.csv`` has a line for each that a person has read: is this the sense that the glossary explains?
A word in another sense belongs into ``EVERYDAY`` of ``book_site/links.py``.
"""

import csv
import io
import re
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html" / "book"
READ = ROOT / "tests" / "site" / "word_links.csv"
FIELDS = ("page", "term", "sentence")
BLOCK = ["p", "li", "td", "th", "dd", "figcaption"]


def word_links(site: Path = SITE) -> list[tuple[str, str, str]]:
    """Return of each word that leads to the glossary: its page, the term, and its sentence, the word in brackets."""
    found = []
    for file in sorted(site.glob("[0-9][0-9]-*.html")):
        # Code and drawings go, and a formula's glyphs: it stands beside them, for those who hear it.
        html = re.sub(r"<(mjx-math|svg|pre)\b.*?</\1>", "", file.read_text(encoding="utf-8"), flags=re.S)
        page = BeautifulSoup(html, "html.parser")
        for link in page.select('a.term, a[href^="glossary.html#term-"]:has(.std-term)'):
            word = link.get_text()
            link.string = f"[{word}]"
            term = link["href"].partition("#term-")[2]
            found.append((file.stem, term, sentence(link.find_parent(BLOCK).get_text(), link.string)))
            link.string = word
    return found


def sentence(text: str, words: str) -> str:
    """Return the sentence of the text that has these words."""
    sentences = re.split(r"(?<=[.?!:])\s+(?=[^a-z])", " ".join(text.split()))
    return next(one for one in sentences if words in one)


def as_csv(rows) -> str:
    """Return the lines of the file."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([FIELDS, *rows])
    return file.getvalue()


if __name__ == "__main__":
    READ.write_text(as_csv(word_links()), encoding="utf-8")
    print(f"{READ.relative_to(ROOT)}: read its new lines (git diff)")
