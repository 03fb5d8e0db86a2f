"""The chapters' self-check questions for a course system: ``python -m tools.make_questions FOLDER``.

Moodle's own XML has a category for each chapter; the ZIP file in QTI 1.2, which Canvas, Blackboard, Ilias and others
import, has a quiz for each.  Choices carry their reasons as feedback; formulas are between ``\\(`` and ``\\)``, as
MathJax reads them there.
"""

import re
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import nbformat
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools.make_downloads import BOOK, LONG_AGO

MOODLE, QTI = "questions-moodle.xml", "questions-qti.zip"
BOX = re.compile(r"^(:{4,})\{admonition\} Question (\d+)\n:class: quiz\n(.*?)^\1$", re.S | re.M)
SOURCE = re.compile(r"\s*\{cite:p\}`[^`]*`")  # a list of sources is not at hand there
ROLE = re.compile(r"\{[\w:]+\}`")
ANSWERS = re.compile(r"^(:{3,})\{dropdown\}[^\n]*\n(.*?)^\1$", re.S | re.M)
QTI_SPACE = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE_SPACE = "http://www.imsglobal.org/xsd/imscp_v1p1"
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


def main(folder: Path) -> None:
    """Write both files into the folder."""
    chapters = {title_of(path): questions_of(path) for path in sorted(BOOK.glob("[0-9][0-9]-*.ipynb"))}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MOODLE).write_bytes(xml(moodle(chapters)))
    quizzes = {f"chapter-{int(title[:2]):02}.xml": xml(qti(title, asked)) for title, asked in chapters.items()}
    with zipfile.ZipFile(folder / QTI, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"imsmanifest.xml": xml(manifest(list(quizzes))), **quizzes}.items():
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)


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
    return Question(name, html(text), [inline(choice) for choice in choices], [inline(one) for one in reasons], margin)


def html(text: str) -> str:
    """Return the Markdown as HTML."""
    return MARKDOWN.render(text).strip()


def inline(text: str) -> str:
    """Return one paragraph of Markdown as HTML without the paragraph's tags."""
    return MARKDOWN.renderInline(" ".join(text.split()))


def element(parent, tag: str, text: str | None = None, **attributes: str):
    """Add an element, and return it."""
    made = ElementTree.SubElement(parent, tag, attributes)
    made.text = text
    return made


def xml(root) -> bytes:
    """Return the file's bytes, indented."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


# Moodle


def moodle(chapters: dict[str, list[Question]]):
    """Return Moodle's questions, in a category for each chapter."""
    quiz = ElementTree.Element("quiz")
    for title, asked in chapters.items():
        category = element(element(quiz, "question", type="category"), "category")
        element(category, "text", f"$course$/top/Sliding Epsilon/{title}")
        for one in asked:
            add_to_moodle(quiz, one)
    return quiz


def add_to_moodle(quiz, one: Question) -> None:
    """Add a question; several right choices share the points, and each wrong one takes a share away."""
    kind = "multichoice" if one.margin is None else "numerical"
    made = element(quiz, "question", type=kind)
    element(element(made, "name"), "text", f"Question {one.name}")
    element(element(made, "questiontext", format="html"), "text", one.text)
    element(made, "defaultgrade", "1")
    share = 100 / sum(one.right)
    if one.margin is None:
        element(made, "single", str(sum(one.right) == 1).lower())
        element(made, "shuffleanswers", "true")
        element(made, "answernumbering", "abc")
    for choice, reason, right in zip(one.choices, one.reasons, one.right, strict=True):
        lost = 0 if sum(one.right) == 1 else -share
        answer = element(made, "answer", fraction=f"{share if right else lost:.7g}", format="html")
        element(answer, "text", choice.strip())
        element(element(answer, "feedback", format="html"), "text", reason)
        if one.margin is not None:
            element(answer, "tolerance", str(one.margin))


# QTI 1.2


def qti(title: str, asked: list[Question]):
    """Return a chapter's quiz."""
    root = ElementTree.Element("questestinterop", xmlns=QTI_SPACE)
    assessment = element(root, "assessment", ident=f"chapter-{title[:2]}", title=f"Sliding Epsilon {title}")
    section = element(assessment, "section", ident="root_section")
    for one in asked:
        add_to_qti(section, one)
    return root


def material(parent, text: str) -> None:
    """Add words to read."""
    element(element(parent, "material"), "mattext", text, texttype="text/html")


def add_to_qti(section, one: Question) -> None:
    """Add a question: what is asked, what is right, and what each answer is told."""
    ident = f"q{one.name.replace('.', '-')}"
    item = element(section, "item", ident=ident, title=f"Question {one.name}")
    data = element(element(item, "itemmetadata"), "qtimetadata")
    several = sum(one.right) > 1
    kind = "multiple_answers" if several else "multiple_choice" if one.margin is None else "numerical"
    for label, entry in (("question_type", f"{kind}_question"), ("points_possible", "1")):
        field = element(data, "qtimetadatafield")
        element(field, "fieldlabel", label)
        element(field, "fieldentry", entry)
    shown = element(item, "presentation")
    material(shown, one.text)
    judged = element(item, "resprocessing")
    element(element(judged, "outcomes"), "decvar", varname="SCORE", vartype="Decimal", minvalue="0", maxvalue="100")
    if one.margin is None:
        add_choices(shown, judged, one, several)
    else:
        add_number(shown, judged, one)
    for i, reason in enumerate(one.reasons):
        material(element(element(item, "itemfeedback", ident=f"told-{i}"), "flow_mat"), reason)


def add_choices(shown, judged, one: Question, several: bool) -> None:
    """Add the choices, what each of them is told, and which of them together are right."""
    asked = element(shown, "response_lid", ident="answer", rcardinality="Multiple" if several else "Single")
    choices = element(asked, "render_choice")
    for i, choice in enumerate(one.choices):
        material(element(choices, "response_label", ident=f"choice-{i}"), choice)
        told = element(judged, "respcondition", **{"continue": "Yes"})
        element(element(told, "conditionvar"), "varequal", f"choice-{i}", respident="answer")
        element(told, "displayfeedback", feedbacktype="Response", linkrefid=f"told-{i}")
    scored = element(judged, "respcondition", **{"continue": "No"})
    every = element(element(scored, "conditionvar"), "and")
    for i, right in enumerate(one.right):
        chosen = every if right else element(every, "not")
        element(chosen, "varequal", f"choice-{i}", respident="answer")
    element(scored, "setvar", "100", action="Set", varname="SCORE")


def add_number(shown, judged, one: Question) -> None:
    """Add a field for a number, and the range of the right ones."""
    asked = element(shown, "response_str", ident="answer", rcardinality="Single")
    element(element(asked, "render_fib", fibtype="Decimal"), "response_label", ident="number")
    scored = element(judged, "respcondition", **{"continue": "No"})
    both = element(element(scored, "conditionvar"), "and")
    number = float(one.choices[0])
    element(both, "vargte", f"{number - one.margin:.10g}", respident="answer")
    element(both, "varlte", f"{number + one.margin:.10g}", respident="answer")
    element(scored, "setvar", "100", action="Set", varname="SCORE")
    element(scored, "displayfeedback", feedbacktype="Response", linkrefid="told-0")


def manifest(names: list[str]):
    """Return the list of the ZIP file's quizzes."""
    root = ElementTree.Element("manifest", xmlns=PACKAGE_SPACE, identifier="sliding-epsilon")
    data = element(root, "metadata")
    element(data, "schema", "IMS Content")
    element(data, "schemaversion", "1.1.3")
    element(root, "organizations")
    resources = element(root, "resources")
    for name in names:
        resource = element(resources, "resource", identifier=Path(name).stem, type="imsqti_xmlv1p2", href=name)
        element(resource, "file", href=name)
    return root


if __name__ == "__main__":
    main(Path(sys.argv[1]))
