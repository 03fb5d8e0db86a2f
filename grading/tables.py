"""Reads the tables that spreadsheets and course systems write, and writes those that they read."""

import csv
import io
import re
from pathlib import Path

from .texts import FormatError, guarded, unguarded

SEPARATORS = (",", ";", "\t")
LONGEST = 30_000  # characters of a cell; Excel holds 32,767
csv.field_size_limit(1 << 26)  # a cell may hold what somebody pasted, a picture for example


def read_csv(path: Path, *needed: str, encoding: str | None = None) -> list[dict[str, str]]:
    """Return the rows of a table whose first line names the columns, without what guards a text against a formula.

    Read are commas, semicolons and tabs, and UTF-8, UTF-16 and, as Excel's plain CSV in Western Europe, Windows-1252.

    Parameters
    ----------
    path : path
        The table.
    needed : str
        Columns that must be there.
    encoding : str, optional
        The code page, where it is another one: "cp1250".

    Raises
    ------
    FormatError
        If a column is missing, or the text can't be read.
    """
    lines = re.sub(r"\Asep=.\r?\n", "", _text(path, encoding))  # how Excel is told the separator
    readers = [csv.DictReader(io.StringIO(lines), restval="", restkey="", delimiter=mark) for mark in SEPARATORS]
    reader = max(readers, key=lambda reader: len(reader.fieldnames or []))
    columns = [name.strip() for name in reader.fieldnames or []]
    if missing := [name for name in needed if name not in columns]:
        raise FormatError(f"{path} must have the columns {', '.join(needed)}; {', '.join(missing)} is missing")
    rows = [{name.strip(): unguarded(value).strip() for name, value in row.items() if name} for row in reader]
    return [row for row in rows if any(row.values())]  # spreadsheets keep empty ones


def _text(path, encoding):
    data = path.read_bytes()
    marked = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    guesses = [encoding] if encoding else ["utf-16"] if marked else ["utf-8-sig", "cp1252"]
    for guess in guesses:
        try:
            return data.decode(guess)
        except UnicodeDecodeError:
            continue
        except LookupError:
            raise FormatError(f"--encoding must be one that Python knows, as cp1250, got {encoding!r}") from None
    raise FormatError(f"{path} is no text in {' or '.join(guesses)}: --encoding names another code page, as cp1250")


def as_csv(header: list[str], rows: list[dict], separator: str = ",") -> bytes:
    """Return a table that a spreadsheet shows as it is: a text that would be a formula gets a ' before it.

    Where the separator is a semicolon, numbers have a decimal comma, as the spreadsheet then expects.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator)
    for row in (dict(zip(header, header, strict=True)), *rows):
        writer.writerow([_cell(row.get(name), separator) for name in header])
    return file.getvalue().encode("utf-8-sig")


def _cell(value, separator):
    if isinstance(value, str):
        return guarded(value)[:LONGEST]
    return str(value).replace(".", ",") if separator == ";" and isinstance(value, float) else value
