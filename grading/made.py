"""Keeps a lecturer's files: a command replaces what it has made itself, for the same assignment and term, nothing else.

A folder's ``.grading.json`` tells what was made there: for whom, and with which content.
"""

import hashlib
import json
import os
import re
from pathlib import Path

from .texts import FormatError

LEDGER = ".grading.json"
UNFINISHED = re.compile(r"\..+\.new")  # what an interruption may leave


class Made:
    """The files that were made below a folder, seen by a command that works for one assignment and term.

    Parameters
    ----------
    root : path
        The folder; it needn't be there yet.
    whose : str
        For whom the command works, as `source.Assignment.whose` says it.
    """

    def __init__(self, root: Path, whose: str):
        self._root, self._whose = Path(root), whose

    def _known(self) -> dict:
        """Return what is told of the files; read each time, for another command may be at work here."""
        ledger = self._root / LEDGER
        try:
            return json.loads(ledger.read_text(encoding="utf-8")) if ledger.is_file() else {}
        except ValueError as error:
            raise FormatError(f"{ledger} can't be read ({error}): move it and what was made here away") from None

    def refuse(self, name: str, *, edited: bool = False):
        """Raise a FormatError if writing a file would replace what wasn't made for the same assignment and term.

        ``edited``: a person may have changed it since.
        """
        path = self._root / name
        if not path.exists():
            return
        about = self._known().get(name)
        if about is None:
            why = "wasn't made by this command"
        elif about["for"] != self._whose:
            why = f"was made for {about['for']}, not for {self._whose}"
        elif not edited and _digest(path.read_bytes()) not in about["sha256"]:
            why = "was changed since it was made"
        else:
            return
        raise FormatError(f"{path} {why}: move it away, or name another place (--to)")

    def write(self, name: str, content: bytes, *, edited: bool = False):
        """Write a file, whole or not at all; refuse as `refuse` does."""
        self.refuse(name, edited=edited)
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = [_digest(path.read_bytes())] if path.exists() else []
        # Known before it is there: an interruption in between leaves a file that is known as well.
        known = self._known() | {name: {"for": self._whose, "sha256": [*before, _digest(content)]}}
        replace(self._root / LEDGER, json.dumps(known, indent=1).encode())
        replace(path, content)

    def put(self, folder: str, files: dict[str, bytes]):
        """Make these the files below a folder, by their paths in it; refuse where others lie there than were made."""
        place = self._root / folder
        before = [path for path in sorted(place.rglob("*")) if path.is_file() and not UNFINISHED.fullmatch(path.name)]
        for path in before:
            self.refuse(path.relative_to(self._root).as_posix())
        place.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            self.write(f"{folder}/{name}", content)
        for path in before:
            if path.relative_to(place).as_posix() not in files:
                path.unlink()


def _digest(content):
    return hashlib.sha256(content).hexdigest()


def replace(path: Path, content: bytes, mode: int = 0o666):
    """Write a file whole or, where something interrupts, not at all; a FormatError where it can't be written."""
    new = path.with_name(f".{_digest(path.name.encode())[:9]}-{os.getpid()}.new")  # no other command's
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException as error:
        new.unlink(missing_ok=True)
        if isinstance(error, OSError):  # its own words name a file that nobody has asked for
            raise FormatError(f"{path.resolve().parent} can't be written to: {error.strerror}") from None
        raise
