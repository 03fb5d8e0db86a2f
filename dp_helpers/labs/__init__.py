"""The checks behind the chapters' labs: ``dp.check("3.1", answer)`` tells at once whether an answer is right.

Each chapter's checks are a module here (``chapter_03``) with a function for each lab (``lab_1``) that takes the
answer, raises `answers.NotYet` with a message that helps, or returns a sentence that says why the answer is right.
"""

import importlib
import re

from .answers import NotYet


def check(lab: str, answer) -> None:
    """Print whether ``answer`` solves the lab.

    Parameters
    ----------
    lab : str
        The lab's number as the chapter prints it, such as ``"3.1"``.
    answer
        What the lab asks for: a number, an array or a function.  ``...`` and None stand for "not answered yet".

    Raises
    ------
    ValueError
        If there is no such lab.

    Examples
    --------
    >>> check("3.1", ...)
    Lab 3.1 is waiting for your answer.
    """
    verify = _find(lab)
    if answer is ... or answer is None:
        print(f"Lab {lab} is waiting for your answer.")
        return
    try:
        praise = verify(answer)
    except NotYet as hint:
        print(f"✗ Lab {lab}, not yet: {hint}")
    except Exception as error:  # the reader's function is called here, and may do anything
        print(f"✗ Lab {lab}, not yet: your answer raised {type(error).__name__}: {error}")
    else:
        print(f"✓ Lab {lab} is right. {praise}")


def _find(lab):
    match = re.fullmatch(r"(\d+)\.(\d+)", lab) if isinstance(lab, str) else None
    try:
        module = importlib.import_module(f".chapter_{int(match[1]):02d}", __package__) if match else None
        return getattr(module, f"lab_{int(match[2])}")
    except (ImportError, AttributeError, TypeError):
        raise ValueError(f'lab must be the number of a lab in the book, such as "3.1", got {lab!r}') from None
