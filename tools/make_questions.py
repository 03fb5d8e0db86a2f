"""The chapters' self-check questions for a course system: ``python -m tools.make_questions FOLDER``.

Moodle's own XML has a category for each chapter; the ZIP file in QTI 1.2, which Canvas, Blackboard, Ilias and others
import, has a quiz for each.  The changes to review are one more, which asks for verdicts.  Choices carry their reasons
as feedback; formulas are between ``\\(`` and ``\\)``, as MathJax reads them there.  The formats stand in
``tools/questions/``.
"""

import re
import sys
import zipfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from reviews.review import load
from tools.make_downloads import BOOK, LONG_AGO
from tools.make_reviews import FOR_ALL

VERDICTS = {
    "keeps": "The new code keeps its promise.",
    "breaks": "The new code breaks its promise.",
    "can't be said": "It can't be said from this.",
}
REVIEWS = "Review a change"
MOODLE, QTI = "questions-moodle.xml", "questions-qti.zip"
BOX = re.compile(r"^(:{4,})\{admonition\} Question (\d+)\n:class: quiz\n(.*?)^\1$", re.S | re.M)
SOURCE = re.compile(r"\s*\{cite:p\}`[^`]*`")  # a list of sources is not at hand there
ROLE = re.compile(r"\{[\w:]+\}`")
ANSWERS = re.compile(r"^(:{3,})\{dropdown\}[^\n]*\n(.*?)^\1$", re.S | re.M)
FORMATS = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("questions")), autoescape=True, undefined=StrictUndefined
)
MARKDOWN = MarkdownIt().use(dollarmath_plugin, renderer=lambda formula, _: f"\\({formula}\\)")


@dataclass(frozen=True)
class Question:
    """A question of a chapter, in HTML; ``margin`` is None where choices are given, and else that of a number."""

    name: str
    text: str
    choices: list[str]
    reasons: list[str]
    margin: float | None

    @property
    def right(self) -> list[bool]:
        """Say of each choice whether it is right."""
        return [reason.startswith("Right") for reason in self.reasons]

    @property
    def several(self) -> bool:
        """Say whether several choices are right, all of which have to be chosen."""
        return sum(self.right) > 1

    @property
    def number(self) -> float:
        """Return the number that is right."""
        return float(self.choices[0])


def main(folder: Path) -> None:
    """Write both files into the folder."""
    chapters = {title_of(path): questions_of(path) for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))}
    chapters[REVIEWS] = [review_question(number, item) for number, item in enumerate(load(), 1)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MOODLE).write_text(filled("moodle.xml", chapters=chapters), encoding="utf-8")
    quizzes = {quiz_name(title): filled("qti.xml", title=title, asked=asked) for title, asked in chapters.items()}
    with zipfile.ZipFile(folder / QTI, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"imsmanifest.xml": filled("imsmanifest.xml", names=[*quizzes]), **quizzes}.items():
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)


def filled(form: str, **values) -> str:
    """Return the file of this format with these values in it."""
    return FORMATS.get_template(form).render(values)


def prose_of(path: Path) -> str:
    """Return what the chapter says between its code."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def title_of(path: Path) -> str:
    """Return the chapter's number and title."""
    return f"{path.name[:2]} {re.search(r'^# (.+)$', prose_of(path), re.M)[1]}"


def questions_of(path: Path) -> list[Question]:
    """Return the chapter's self-check questions."""
    return [question(f"{int(path.name[:2])}.{number}", body) for _, number, body in BOX.findall(prose_of(path))]


def question(name: str, body: str) -> Question:
    """Return the question that a box holds."""
    body = SOURCE.sub("", body)
    if role := ROLE.search(body):
        raise ValueError(f"question {name} has {role[0]}, which leads nowhere in a course system")
    answers = ANSWERS.search(body)
    text, *choices = re.split(r"^\d+\. ", body[: answers.start()], flags=re.M)
    reasons = re.split(r"^\d+\. ", answers[2], flags=re.M)[1:]
    if len(choices) != len(reasons):
        raise ValueError(f"question {name} has {len(choices)} choices and {len(reasons)} reasons")
    margin = None
    if choices[0].startswith("="):
        number, margin = choices[0].removeprefix("=").split("±")
        choices, margin = [number], float(margin)
    choices, reasons = ([inline(item).strip() for item in part] for part in (choices, reasons))
    return Question(name, html(text), choices, reasons, margin)


def quiz_name(title: str) -> str:
    """Return the name of a quiz's file."""
    return "reviews.xml" if title == REVIEWS else f"chapter-{title[:2]}.xml"


def review_question(number: int, item) -> Question:
    """Return a change to review as a question for its verdict."""
    review = item.review
    facts = {"Promise": review.promise, "Whose": review.unit, "Public": review.public, "For all": FOR_ALL}
    told = "".join(f"<p>{name}: {plain(text)}</p>" for name, text in facts.items())
    code = "\n".join(f"{sign} {line}" for sign, line in item.diff())
    text = f"<p>“{plain(review.change)}”</p>{told}<pre>{escape(code)}</pre>"
    why = plain(review.reason)
    reasons = [f"{'Right.' if verdict == review.verdict else 'No.'} {why}" for verdict in VERDICTS]
    return Question(f"review.{number}", text, [*VERDICTS.values()], reasons, None)


def plain(text: str) -> str:
    """Return a sentence of the reviews as HTML without marks of code."""
    return escape(text.replace("`", ""), quote=False)


def html(text: str) -> str:
    """Return the Markdown as HTML."""
    return MARKDOWN.render(text).strip()


def inline(text: str) -> str:
    """Return one paragraph of Markdown as HTML without the paragraph's tags."""
    return MARKDOWN.renderInline(" ".join(text.split()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
