"""Read the embedded census, another file of its form or a file of UCI; every mistake in a file is located."""

import csv
import importlib
import io
import itertools
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from dp_helpers.data.codebook import (
    CENSUS_COLUMNS,
    CENSUS_DOMAINS,
    IDENTIFYING_COLUMNS,
    MAY_BE_MISSING,
    UCI_COLUMNS,
)
from dp_helpers.data.identifiers import attach_identifiers

EMBEDDED = Path(__file__).with_name("census.csv.gz")

# UCI's columns as files with a header spell them, in small letters and without the marks between words.
_UCI_NAMES = {re.sub("[^a-z]", "", name.lower()): name for name in UCI_COLUMNS} | {
    "finalweight": "fnlwgt",
    "educationalnum": "Education-Num",
    "gender": "Sex",
    "nativecountry": "Country",
    "income": "Target",
    "class": "Target",
    "salary": "Target",
    "label": "Target",
}
_MISSING = ("", "?", "NA", "NaN", "nan")
_ANOTHER_BOOKS_FILE = (
    "a date with slashes, as in the file adult_with_pii.csv of another book, which is no census: its ages are of "
    "invented birthdays, so that managers are 14 and married; load_census() without a path has the same columns, "
    "and ages that belong to the other answers"
)


def load_census(path: str | os.PathLike | None = None) -> pd.DataFrame:
    """Load the embedded census, or read a census from a file.

    The embedded census has 32,561 people.  None of them is real: their answers are made from published counts of the
    UCI Adult data set (CC BY 4.0), so that counts and pairs of answers agree with it, and Name, DOB, SSN and Zip are
    invented.  See ``README.md`` beside the file.

    Parameters
    ----------
    path : str or path, optional
        A file as UCI publishes it (``adult.data``, ``adult.test``, or both in one), or as others hand it on: with a
        header of UCI's names in any order and spelling (``education.num``, ``gender``, ``income``), with or without
        ``fnlwgt``.  Its people get invented identifying columns, always the same.  Or a CSV file with the columns of
        the embedded census in any order.  A missing answer is an empty field, ``?``, ``NA`` or ``NaN``.  The file may
        be compressed (gzip, bzip2, xz, or a ZIP file that holds it alone), and ``~`` is the home folder.  Without a
        path the environment variable ``DP_CENSUS`` says which file to read; where it isn't set, that is the embedded
        census.

    Returns
    -------
    DataFrame
        One row a person, index 0, 1, 2, …, a fresh copy at each call.  Columns Name, DOB, SSN, Zip, Workclass,
        Education, Education-Num, Marital Status, Occupation, Relationship, Race, Sex, Hours per week, Country, Target,
        Age, Capital Gain and Capital Loss, whatever the file.  DOB is a pandas date, Zip and the five numbers (years,
        hours, dollars) are int64, all others are text: ``str`` in pandas 3, ``object`` in pandas 2.  A missing answer
        is NaN; only Workclass, Occupation and Country have any.  Every answer is in ``CENSUS_DOMAINS``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is empty, not text, cut off, or holds something else than a census; the message names file, line
        and column.

    References
    ----------
    B. Becker and R. Kohavi (1996). Adult. UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> census = dp.load_census()
    >>> census.shape
    (32561, 18)
    >>> int((census["Age"] > 50).sum())
    6460
    """
    if path is not None:
        path, origin = Path(path).expanduser(), "path"
    elif os.environ.get("DP_CENSUS"):
        path, origin = Path(os.environ["DP_CENSUS"]).expanduser(), "the environment variable DP_CENSUS"
    else:
        # This one holds no mistakes, so pandas alone may read it, several times as fast.
        return pd.read_csv(EMBEDDED, keep_default_na=False, na_values=[""], parse_dates=["DOB"])
    if not path.is_file():
        raise FileNotFoundError(f"{origin} must name a file; there is none at {path}")
    return _parse(path, _text(path))


def _parse(path: Path, text: str) -> pd.DataFrame:
    """Return the census that ``text`` holds; ``path`` is for the messages."""
    columns, lines, fields = _table(path, _records(path, text))
    is_census = "Name" in columns
    if not is_census:
        fields["Target"] = [label.removesuffix(".") for label in fields["Target"]]  # adult.test has "<=50K."
    elif re.fullmatch(r"\d+/\d+/\d{4}", fields["DOB"][0]):
        raise ValueError(f"{path}, line {lines[0]}, column 'DOB': {_ANOTHER_BOOKS_FILE}")
    data = pd.DataFrame({column: _values(path, column, lines, fields[column]) for column in columns})
    return data[list(CENSUS_COLUMNS)] if is_census else attach_identifiers(data)


# ------------------------------------------------------------------------------------------- from bytes to fields


def _text(path: Path) -> str:
    content = _unpacked(path, path.read_bytes())
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text (byte 0x{content[error.start]:02x})") from None


def _unpacked(path: Path, content: bytes) -> bytes:
    """Undo whatever compressed the file, which its first bytes tell."""
    if content.startswith(b"\x1f\x8b"):
        return _gunzipped(path, content)
    if content.startswith(b"PK"):
        return _unzipped(path, content)
    module = {b"BZh": "bz2", b"\xfd7z": "lzma"}.get(content[:3])
    if not module:
        return content
    try:
        return importlib.import_module(module).decompress(content)  # not every Python in a browser has them
    except Exception as error:  # each module has errors of its own
        raise ValueError(f"{path}, line unknown: the compressed data is damaged or cut off ({error})") from None


def _unzipped(path: Path, content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(names) == 1:
                return archive.read(names[0])
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path}, line unknown: the compressed data is damaged ({error})") from None
    found = f"{len(names)} files ({_shortened(', '.join(names))})"
    raise ValueError(f"{path}, line unknown: a ZIP file of {found}; unpack it, and give the path of one of them")


def _gunzipped(path: Path, content: bytes) -> bytes:
    """Undo gzip; a file that is cut off or damaged is refused with the line up to which it could be read."""
    text = b""
    while content:
        stream = zlib.decompressobj(wbits=31)
        try:
            text += stream.decompress(content)
        except zlib.error as error:
            raise ValueError(f"{path}, line unknown: the compressed data is damaged ({error})") from None
        if not stream.eof:
            line = text.count(b"\n") + 1
            raise ValueError(f"{path}, line {line}: the compressed file is cut off here")
        content = stream.unused_data
    return text


def _records(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line that holds a record, and its fields.

    Blank lines hold none, nor does the first line of ``adult.test``, which starts with a bar, wherever it stands.
    """
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True, strict=True)
    try:
        for fields in reader:
            if fields and not fields[0].startswith("|"):
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: not a CSV file ({error})") from None


def _table(path: Path, records: Iterator[tuple[int, list[str]]]) -> tuple[tuple[str, ...], list[int], dict[str, list]]:
    """Return the columns of the file, the number of each person's line, and the fields of each column."""
    line, first = next(records, (1, []))
    columns = _columns(path, line, first)
    if columns is UCI_COLUMNS:  # without a header: the first line is a person
        records = itertools.chain([(line, first)], records)
    # One flat list: tens of thousands of short ones would keep the garbage collector busy.
    lines, flat = [], []
    for line, fields in records:
        if len(fields) != len(columns):
            raise ValueError(f"{path}, line {line}, {_wrong_length(columns, fields)}")
        lines.append(line)
        flat += fields
    if not lines:
        raise ValueError(f"{path}, line {line + 1}: no record follows the header")
    return columns, lines, {column: flat[i :: len(columns)] for i, column in enumerate(columns)}


def _columns(path: Path, line: int, first: list[str]) -> tuple[str, ...]:
    """Return the columns of a file by its first record: its header, or those of UCI, which has none."""
    if not first:
        raise ValueError(f"{path}, line {line}: the file is empty")
    names = [_UCI_NAMES.get(re.sub("[^a-z]", "", name.lower()), name) for name in first]
    known: tuple[str, ...]
    needed: tuple[str, ...]
    if set(first) & set(IDENTIFYING_COLUMNS):
        names, known, needed = first, CENSUS_COLUMNS, CENSUS_COLUMNS
    elif len(set(names) & set(UCI_COLUMNS)) > 7:  # half of them: no record of answers has as many
        known, needed = UCI_COLUMNS, tuple(column for column in UCI_COLUMNS if column != "fnlwgt")
    elif len(first) == len(UCI_COLUMNS) or first[0].isdecimal():
        return UCI_COLUMNS
    else:
        raise ValueError(
            f"{path}, line {line}: must be a header with the columns of the census (Name, DOB, …) or of adult.data "
            f"(age, workclass, …), or a record of {len(UCI_COLUMNS)} fields as in adult.data, separated by commas, "
            f"got {_shortened(','.join(first))}"
        )
    for name, column in zip(first, names, strict=True):
        if column not in known:
            index = "; is it an index that to_csv wrote? Save with index=False" if name in ("", "Unnamed: 0") else ""
            raise ValueError(f"{path}, line {line}: column {name!r} is none of {', '.join(known)}{index}")
    for column in known:
        if names.count(column) > 1 or (column in needed and column not in names):
            raise ValueError(f"{path}, line {line}: column {column!r} is {'twice' if column in names else 'not'} there")
    return tuple(names)


def _wrong_length(columns: tuple[str, ...], fields: list[str]) -> str:
    count = f"({len(fields)} fields for {len(columns)} columns)"
    if len(fields) < len(columns):
        return f"column {columns[len(fields)]!r}: missing, the line ends early {count}"
    return f"column {columns[-1]!r}: something follows this last column {count}"


# ------------------------------------------------------------------------------------------- from fields to values


def _values(path: Path, column: str, lines: list[int], fields: list[str]) -> pd.Series:
    """Return the values of one column; each different field is parsed once."""
    parse, allowed, dtype = _form(column)
    values = {}
    for field in dict.fromkeys(fields):
        try:
            values[field] = parse(field)
        except ValueError:
            line = lines[fields.index(field)]
            got = _shortened(field)
            raise ValueError(f"{path}, line {line}, column {column!r}: must be {allowed}, got {got}") from None
    parsed = [values[field] for field in fields]
    if dtype == "date":
        return pd.to_datetime(pd.Series(parsed), format="%Y-%m-%d")
    # Naming the dtype matters where all answers are missing.
    return pd.Series(parsed, dtype=pd.Series(["text"]).dtype if dtype == "text" else dtype)


def _form(column: str) -> tuple[Callable[[str], object], str, str]:
    """Return how a field of this column is parsed, what is allowed in it, in words, and what it becomes."""
    domain = CENSUS_DOMAINS.get(column)
    if column == "Zip":
        domain = range(100_000)
    elif column == "fnlwgt":
        domain = range(2**31)
    if isinstance(domain, range):
        return _number_parser(domain), f"a whole number from {domain[0]} to {domain[-1]}", "int64"
    if domain:
        return _answer_parser(domain, may_be_missing=column in MAY_BE_MISSING), f"one of {', '.join(domain)}", "text"
    return _IDENTIFIERS[column]


def _number_parser(domain: range) -> Callable[[str], int]:
    def parse(field: str) -> int:
        # int() alone would take " 1_000 ", too.
        if not (field.isascii() and field.isdecimal()) or int(field) not in domain:
            raise ValueError
        return int(field)

    return parse


def _answer_parser(domain: list[str], *, may_be_missing: bool) -> Callable[[str], object]:
    def parse(field: str) -> object:
        if may_be_missing and field in _MISSING:
            return np.nan
        if field not in domain:
            raise ValueError
        return field

    return parse


def _parse_name(field: str) -> str:
    if not field.strip():
        raise ValueError
    return field


def _parse_ssn(field: str) -> str:
    if not re.fullmatch("[0-9]{3}-[0-9]{2}-[0-9]{4}", field):
        raise ValueError
    return field


def _parse_date(field: str) -> str:
    day = date.fromisoformat(field)
    if day.isoformat() != field or not 1900 <= day.year < 2100:  # fromisoformat takes 19680513, too
        raise ValueError
    return field


_IDENTIFIERS = {
    "Name": (_parse_name, "a name", "text"),
    "DOB": (_parse_date, "a date of 1900 to 2099 such as 1968-05-13", "date"),
    "SSN": (_parse_ssn, "a number such as 987-00-6543", "text"),
}


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
