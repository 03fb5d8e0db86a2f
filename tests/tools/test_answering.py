"""What a reader answers on the page: questions keep their ids."""

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
