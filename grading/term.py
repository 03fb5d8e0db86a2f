"""A term's file: its secret seed, and the parameters that differ from the assignments' own."""

import argparse
import re
import secrets
import tomllib
from pathlib import Path

from .made import replace
from .texts import FormatError

PUBLIC_SEED = "00c0ffee00c0ffee"  # of the term.toml in the repository, for trying; everybody knows it
TEXT = """# This term's seed: it makes the data and the graders' secret random numbers. Keep this file to yourself, and
# grade with the same file that you hand out with. A table named after an assignment overrides its parameters.
seed = "{seed}"
"""


def term(options: argparse.Namespace) -> None:
    """Write a term's file with a seed that nobody can guess; a file that is there stays."""
    to = options.to or Path("my-term.toml")
    if to.exists():
        raise FormatError(f"{to} is there already: whoever was given its numbers needs its seed")
    # Nobody else on this computer may read it.
    replace(to, TEXT.format(seed=secrets.token_hex(16)).encode(), mode=0o600)
    print(f"a secret seed: {to}")


def read(path: Path, known: set[str]) -> tuple[str, bool, dict[str, dict]]:
    """Return seed, whether students have data of their own, and parameters by assignment, of which these are known."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise FormatError(f"{path} can't be read: {error}") from None
    seed, personal = sections.pop("seed", None), sections.pop("personal", False)
    if not isinstance(seed, str) or not re.fullmatch("[0-9a-f]{16,}", seed):
        digits = "at least 16 random digits, 0 to 9 and a to f"
        raise FormatError(f"{path}: seed must be a text of {digits}, got {seed!r}; `python -m grading term` writes one")
    if type(personal) is not bool:
        raise FormatError(f"{path}: personal must be true or false, got {personal!r}")
    if unknown := ", ".join(sorted(sections.keys() - known)):
        raise FormatError(f"{path}: beside seed and personal, sections are {', '.join(sorted(known))}; got {unknown}")
    return seed, personal, sections
