"""The checks behind the chapters' labs: ``check("3.1", answer)`` tells at once whether an answer is right.

Each chapter's checks are a module here (``chapter_03``) with a check for each lab (``lab_1``): a function that takes
the answer, raises `judging.NotYet` with a message that helps, or returns a sentence that says why the answer is
right; or, where numbers or lines are asked for, one of `judging`'s tables of answers, which the website reads, too.
"""

import importlib
import re
from functools import partial

from .guard import SECONDS, TooLong, within_time
from .judging import NotYet


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
    >>> from dp_labs import check
    >>> check("3.1", ...)
    Lab 3.1 is waiting for your answer.
    """
    verify = find(lab)
    if answer is ... or answer is None:
        print(f"Lab {lab} is waiting for your answer.")
        return
    told = []

    def tell_once():
        if not told:
            told.append(lab)
            print(f"✗ Lab {lab}, not yet: your answer had not returned after {SECONDS:g} seconds; does a loop end?")

    try:
        praise = within_time(partial(verify, answer), stuck=tell_once)
    except NotYet as hint:
        print(f"✗ Lab {lab}, not yet: {hint}")
    except TooLong:
        tell_once()
    except Exception as error:  # the reader's function is called here, and may do anything
        print(f"✗ Lab {lab}, not yet: your answer raised {type(error).__name__}: {error}")
    else:
        print(f"✓ Lab {lab} is right. {praise}")


def find(lab: str):
    """Return the check of the lab with this number; raises ValueError if there is none."""
    match = re.fullmatch(r"(\d+)\.(\d+)", lab) if isinstance(lab, str) else None
    name = f"{__package__}.chapter_{int(match[1]):02d}" if match else None
    try:
        return getattr(importlib.import_module(name), f"lab_{int(match[2])}")
    except (ImportError, AttributeError, TypeError) as error:
        # A module of ours that can't be imported is no wrong number.
        if isinstance(error, ImportError) and error.name != name:
            raise
        raise ValueError(f'lab must be the number of a lab in the book, such as "3.1", got {lab!r}') from None
