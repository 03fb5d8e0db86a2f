"""What a reader answers on the page: questions keep their ids, and labs what the page needs of their cells."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.book_site import answering


def question(asked, choice, reason):
    box = nodes.admonition(classes=["quiz"])
    box += [nodes.paragraph(text=asked), nodes.paragraph(text=choice), nodes.container("", nodes.Text(reason))]
    return box


def test_a_question_keeps_its_name_while_its_words_stay():
    asked = [("Why?", "Because.", "Right."), ("Why?", "Because.", "Right. It is."), ("Why not?", "Because.", "Right.")]
    page = nodes.section("", *(question(*words) for words in asked), nodes.admonition(classes=["lab"]))
    answering.name_questions(None, page)
    first, reworded_reason, other = (box["ids"][0] for box in page.children[:3])
    assert first == reworded_reason != other
    assert first.startswith("question-") and not page.children[3]["ids"]


@pytest.mark.parametrize(
    ("lab", "table", "left"),
    [
        (answering.NumberLab, {"kind": "number"}, []),
        (answering.MendLab, {"kind": "lines", "mend": True}, ["input"]),  # the program to mend stays
        (object, None, ["input"]),  # a lab that asks for code
    ],
)
def test_of_the_cell_that_waits_for_an_answer_stays_what_the_page_needs(lab, table, left, monkeypatch):
    monkeypatch.setattr(answering, "find", lambda name: object.__new__(lab))
    monkeypatch.setattr(answering, "shown_number", lambda name: "3.1")
    monkeypatch.setattr(answering, "as_table", lambda lab: table)
    code = nodes.container("", nodes.Text('check("3.which", answer)'), classes=["input"])
    output = nodes.container("", nodes.Text("Lab 3.1 is waiting for your answer."), classes=["cell_output"])
    cell = nodes.container("", code, output, classes=["cell"])
    page = nodes.section("", nodes.admonition(classes=["lab"], ids=["lab-3-which"]), cell)
    labels = SimpleNamespace(labels={})
    env = SimpleNamespace(get_domain=lambda name: labels, docname="book/03-one")
    answering.answer_on_the_page(SimpleNamespace(env=env), page)
    assert [part["classes"][0] for part in page.findall(nodes.container) if part is not cell] == left
    assert labels.labels == {"lab-3-which": ("book/03-one", "lab-3-which", "Lab 3.1")}
