"""The checks behind the chapters' labs: ``check("3.which-epsilon", answer)`` tells at once whether an answer is right.

Each chapter's checks are a module here (``chapter_03``), whose ``LABS`` lists the labs' names in the chapter's order:
a lab's place there is the number under which it is shown.  Each lab has its check there (``which_epsilon``): a function
that takes the answer, raises `answers.NotYet` with a message that helps, or returns a sentence that says why the answer
is right; or, where numbers or lines are asked for, one of the `tables` of answers, which the website reads, too.
"""

import importlib
import re
from functools import partial

from .answers import Found, NotYet
from .guard import SECONDS, TooLong, within_time


def check(lab: str, answer) -> None:
    """Print whether ``answer`` solves the lab.

    Parameters
    ----------
    lab : str
        The chapter's number and the lab's name, such as ``"3.which-epsilon"``.
    answer
        What the lab asks for: a number, an array or a function.  ``...`` and None stand for "not answered yet".

    Raises
    ------
    ValueError
        If there is no such lab.

    Examples
    --------
    >>> from dp_labs import check
    >>> check("3.which-epsilon", ...)
    Lab 3.4 is waiting for your answer.
    """
    verify, number = find(lab), shown_number(lab)
    if answer is ... or answer is None:
        print(f"Lab {number} is waiting for your answer.")
        return
    timeouts = []

    def tell_once():
        if not timeouts:
            timeouts.append(number)
            print(f"✗ Lab {number}, not yet: your answer had not returned after {SECONDS:g} seconds; does a loop end?")

    try:
        praise = within_time(partial(verify, answer), stuck=tell_once)
    except Found as half:
        print(f"Lab {number}, found: {half}")
    except NotYet as hint:
        print(f"✗ Lab {number}, not yet: {hint}")
    except TooLong:
        tell_once()
    except Exception as error:  # the reader's function is called here, and may do anything
        print(f"✗ Lab {number}, not yet: your answer raised {type(error).__name__}: {error}")
    else:
        print(f"✓ Lab {number} is right. {praise}")


def find(lab: str):
    """Return the check of the lab of this name; raises ValueError if there is none."""
    module, name = _locate(lab)
    return getattr(module, name.replace("-", "_"))


def shown_number(lab: str) -> str:
    """Return the number under which the chapter shows the lab of this name, such as "3.4"; raises as `find`."""
    module, name = _locate(lab)
    return f"{int(module.__name__[-2:])}.{module.LABS.index(name) + 1}"


def _locate(lab: str):
    """Return the module of a lab's chapter, and the lab's name in it."""
    match = re.fullmatch(r"(\d+)\.(.+)", lab) if isinstance(lab, str) else None
    if not match:
        raise ValueError(f'lab must be the name of a lab in the book, such as "3.which-epsilon", got {lab!r}')
    chapter, name = int(match[1]), match[2]
    path = f"{__package__}.chapter_{chapter:02d}"
    try:
        module = importlib.import_module(path)
    except ImportError as error:
        if error.name != path:  # a module of ours that can't be imported is no wrong name
            raise
        raise ValueError(f"lab must be in a chapter that has labs, got {lab!r}") from None
    if name not in module.LABS:
        names = [f"{chapter}.{lab_name}" for lab_name in module.LABS]
        if name.isdecimal() and 1 <= int(name) <= len(names):
            raise ValueError(f"lab must be a name: Lab {lab} is {names[int(name) - 1]!r}")
        raise ValueError(f"lab must be one of {', '.join(map(repr, names))}, got {lab!r}")
    return module, name
