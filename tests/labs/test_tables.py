"""Every row of every lab's table is told to whoever gives it: none is right, none hides behind another."""

import importlib
from pathlib import Path

import pytest

import dp_labs
from dp_labs.answers import NotYet
from dp_labs.tables import LinesLab, MendLab, NumberLab, NumbersLab


def rows(lab):
    """Yield an answer for each row of the table, and the sentence of that row."""
    if isinstance(lab, NumberLab):
        yield from lab.mistakes.items()
    if isinstance(lab, NumbersLab):
        for numbers, sentence in lab.mistakes:
            yield [right if given is None else given for given, right in zip(numbers, lab.right, strict=True)], sentence
    lines = lab.lines if isinstance(lab, MendLab) else lab
    if isinstance(lines, LinesLab):
        for line, sentence in lines.harmless.items():
            yield {line}, sentence
        for line, sentence in lines.hints.items():
            yield set(lines.hints) - {line}, sentence


def tables():
    for path in sorted(Path(dp_labs.__file__).parent.glob("chapter_*.py")):
        module = importlib.import_module(f"dp_labs.{path.stem}")
        for name in module.LABS:
            lab = getattr(module, name.replace("-", "_"))
            for answer, sentence in rows(lab):
                yield pytest.param(lab, answer, sentence, id=f"{path.stem[-2:]}.{name} {answer}")


@pytest.mark.parametrize(("lab", "answer", "sentence"), [*tables()])
def test_every_row_is_told_to_whoever_gives_it(lab, answer, sentence):
    with pytest.raises(NotYet) as told:
        lab(answer)
    assert sentence in str(told.value)


@pytest.mark.parametrize("name", ["9.mend-the-poll", "10.positions-and-values", "12.step-that-isnt-covered"])
def test_right_lines_are_half_of_a_mended_program_and_no_mistake(name, capsys):
    dp_labs.check(name, set(dp_labs.find(name).lines.hints))
    said = capsys.readouterr().out
    assert said.startswith(f"Lab {dp_labs.shown_number(name)}, found: those are the lines") and "Now mend" in said
