"""Makes texts that a student may have written safe: for files and terminals, for spreadsheets, for names of folders."""

import re
import sys
import unicodedata

# A spreadsheet computes a text that begins so; and one that it has cut at what it takes for the end of a cell.
FORMULA = re.compile(r"(^|[;,\t\r\n])(\s*)(?=[=+\-@＝＋－＠])")
BULLET = re.compile(r"^(\s*)[-+] ", re.MULTILINE)
NO_NAME = re.compile(r'[/\\:*?"<>|]')
WRITE_HERE = "*Write your answer here.*"


class FormatError(ValueError):
    """Something that a command can't work with; says which file, what it holds and what is allowed."""


def clean(text: str, longest: int | None = None) -> str:
    """Return a text without what a terminal would obey, or what no file can hold; line breaks and tabs stay."""
    text = text[:longest].encode("utf-8", "replace").decode()
    return "".join("�" if _commands(char) else char for char in text)


def _commands(char):
    """Tell whether a character is one that controls: escapes, and those that turn the direction of writing."""
    return unicodedata.category(char) in ("Cc", "Cf") and char not in "\n\t\u200c\u200d\u00ad"


def line(text: str, longest: int | None = None) -> str:
    """Return a text for one line of a terminal."""
    return " ".join(clean(text, longest).split())


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, whatever separates its columns: ' stands before it.

    Lists keep their looks: a dash at the beginning of a line becomes a bullet.
    """
    return FORMULA.sub(r"\1\2'", BULLET.sub(r"\1• ", clean(text)))


def unguarded(text: str) -> str:
    """Return a text of one cell without what guards it."""
    return text[1:] if text[:1] == "'" and FORMULA.match(text[1:]) else text


def folder_name(text: str) -> str:
    """Return a text as the name of a folder: no path, nothing hidden, on no system."""
    short = NO_NAME.sub("_", line(text)).encode()[:200].decode(errors="ignore")  # a name holds 255 bytes
    return short.strip(" .") or "_"


def progress(label: str, done: int, total: int) -> None:
    """Show on the terminal how far something is, in one line."""
    print(f"\r{label}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)
