"""Makes a folder for each student of what a course system hands out: ZIP files and folders, in their ways of naming.

What can't be taken is named, on the terminal and in collected.csv, so that nobody's work gets lost in silence.
"""

import argparse
import io
import math
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from .marks import IDS, SYSTEMS
from .source import FormatError
from .submissions import COLLECTED, LARGEST, NOT_HANDED_IN
from .tables import read_csv, write_csv
from .texts import folder_name, line

HEADER = ["student", "id", "handed in", "late", "reply", "note"]
# How each system names a student's files; Moodle and Canvas take feedback back under what comes before "file".
NAMES = {
    "moodle": re.compile(
        r"(?P<reply>(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>file|onlinetext)_?)(?P<file>.*)"
    ),
    "blackboard": re.compile(
        r".+_(?P<name>(?P<id>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<kind>\.txt))"
    ),
    "canvas": re.compile(r"(?P<reply>(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_\d+_)(?P<file>.+)"),
}
SKIPPED_KINDS = ("onlinetext", ".txt")  # what a system adds to the files


@dataclass
class File:
    """One file of a download: its place there, when it was handed in, its bytes, or why these can't be had."""

    path: PurePosixPath
    when: datetime
    data: bytes = b""
    trouble: str = ""


@dataclass
class HandedIn:
    """What one student has handed in; ``id``, ``late`` and ``reply`` as the course system's names of files tell."""

    student: str
    system: str | None
    id: str
    when: datetime
    files: list[File]
    late: bool = False
    reply: str = ""


def add_commands(commands) -> None:
    """Add ``collect`` to the command line."""
    command = commands.add_parser("collect", help="make a folder for each student of a course system's download")
    command.add_argument("assignment", help="its folder's name: 7-local")
    command.add_argument("download", type=Path, help="a ZIP file or a folder, of Moodle, Canvas, Blackboard or others")
    command.add_argument("--to", type=Path, default=Path("submissions"), help="otherwise submissions/")
    command.add_argument("--due", help="when it was due, as 2027-03-01T23:59, to count the days late")
    command.add_argument("--roster", type=Path, help="the system's table of students (CSV), to name folders by --key")
    command.add_argument(
        "--key", help="the roster's column that folders are named by; otherwise the system's usual one"
    )
    command.set_defaults(run=collect)


def collect(options: argparse.Namespace) -> None:
    """Write ``student/assignment.ipynb`` for each student, and what was noted into collected.csv."""
    due = _moment(options.due)
    assignment = Path(options.assignment).name
    everybody, whose = group(without_wrapper(list(files_in(options.download))), assignment)
    if not everybody:
        raise FormatError(f"{options.download} holds nothing that a student has handed in")
    if options.roster:
        _rename(everybody, options.roster, options.key)
    folders = Counter(folder_name(one.student) for one in everybody)
    if twice := ", ".join(name for name, count in folders.items() if count > 1):
        raise FormatError(f"several students would have the folder {twice}: name folders by --roster and --key")
    options.to.mkdir(parents=True, exist_ok=True)
    table = options.to / COLLECTED
    rows = {row["student"]: row for row in read_csv(table, "student")} if table.exists() else {}
    for one in everybody:
        student = folder_name(one.student)
        note = write(one, options.to / student, assignment)
        late = "" if due is None else str(max(math.ceil((one.when - due).total_seconds() / 86_400), int(one.late), 0))
        when = one.when.isoformat(sep=" ", timespec="minutes")
        about = {"student": student, "id": one.id, "handed in": when, "late": late, "reply": one.reply, "note": note}
        rows[student] = about
        if note:
            print(f"{line(student)}: {line(note)}", file=sys.stderr)
    for path in whose:
        print(f"not taken, for nobody can tell whose it is: {line(str(path))}", file=sys.stderr)
    write_csv(table, HEADER, [rows[student] for student in sorted(rows)])
    print(f"{len(everybody)} students: {options.to}")


def _moment(text):
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    except ValueError:
        raise FormatError(f"--due must be a moment, as 2027-03-01T23:59, got {text!r}") from None


def files_in(place: Path) -> Iterator[File]:
    """Yield the files of a folder or ZIP file, and those of ZIP files in it; links and hidden files aren't taken."""
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            inside = PurePosixPath(path.relative_to(place).as_posix())
            if path.is_file() and not path.is_symlink() and _handed_in(inside):
                when = datetime.fromtimestamp(path.stat().st_mtime)
                with path.open("rb") as source:
                    yield from _opened(_read(inside, when, source))
    elif place.is_file():
        yield from _unzipped(place, PurePosixPath(), deeper=True)
    else:
        raise FileNotFoundError(f"the download must be a ZIP file or a folder, got {place}")


def _opened(file) -> Iterator[File]:
    """Yield a file, or instead of a ZIP file what is in it."""
    if file.path.suffix.lower() == ".zip" and not file.trouble:
        yield from _unzipped(io.BytesIO(file.data), file.path, deeper=False, outer=file)
    else:
        yield file


def _unzipped(place, above, *, deeper, outer=None) -> Iterator[File]:
    try:
        with zipfile.ZipFile(place) as archive:
            for entry in archive.infolist():
                path = PurePosixPath(entry.filename.replace("\\", "/"))
                if not entry.is_dir() and _handed_in(path):
                    when = outer.when if outer else datetime(*entry.date_time)
                    with archive.open(entry) as source:
                        file = _read(above / path, when, source)
                    yield from _opened(file) if deeper else [file]
    except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
        if not outer:
            raise FormatError(f"{place} is no ZIP file that can be opened: {error}") from None
        yield File(outer.path, outer.when, trouble=f"can't be opened ({type(error).__name__})")


def _read(path, when, source):
    """Return a file with its bytes, where it is of a kind that is needed: so many at most, whatever it announces."""
    data = source.read(LARGEST + 1) if path.suffix.lower() in (".ipynb", ".zip") else b""
    return File(path, when, data, f"is larger than {LARGEST >> 20} MB" if len(data) > LARGEST else "")


def _handed_in(path):
    return not any(part[:1] == "." or part in NOT_HANDED_IN for part in path.parts) and path.name != COLLECTED


def without_wrapper(files: list[File]) -> list[File]:
    """Return the files without the one folder that may be around them all."""
    tops = {file.path.parts[0] for file in files}
    if len(tops) == 1 and not _matched(next(iter(tops)))[0]:
        deep = all(len(file.path.parts) > 2 for file in files)
        if deep or any(len(file.path.parts) > 1 and _matched(file.path.parts[1])[0] for file in files):
            return [File(PurePosixPath(*file.path.parts[1:]), file.when, file.data, file.trouble) for file in files]
    return files


def _matched(name):
    """Return the system that gives such names to files or folders, and its parts; None and None where none does."""
    for system, pattern in NAMES.items():
        if match := pattern.fullmatch(name):
            return system, match.groupdict()
    return None, None


def group(files: list[File], assignment: str) -> tuple[list[HandedIn], list[PurePosixPath]]:
    """Return what each student has handed in, of several attempts the last, and the files that are nobody's."""
    found, whose = {}, []
    for file in files:
        one = _one(file, assignment)
        if one is None:
            whose.append(file.path)
            continue
        before = found.setdefault((one.student, one.id), one)
        if one.system == "blackboard" and one.when != before.when:
            found[one.student, one.id] = max(before, one, key=lambda attempt: attempt.when)
        elif before is not one:
            before.files += one.files
            before.when = max(before.when, one.when)
            before.reply = before.reply or one.reply
    return [found[key] for key in sorted(found)], whose


def _one(file, assignment):
    """Return what a file tells about its student, with the file; None where it tells nothing."""
    top, *below = file.path.parts
    system, parts = _matched(top)
    if not system:
        stem = PurePosixPath(top).stem if len(file.path.parts) == 1 or top.lower().endswith(".zip") else top
        name = re.split(rf"[\s_-]*{re.escape(assignment)}", stem)[0]
        return HandedIn(name, None, "", file.when, [file]) if name else None
    when = datetime.strptime(parts["when"], "%Y-%m-%d-%H-%M-%S") if "when" in parts else file.when
    kept = [] if parts.get("kind") in SKIPPED_KINDS else [file]
    name, reply = parts["name"], parts.get("reply") or ""
    if system == "moodle":
        return HandedIn(
            f"{name}_{parts['id']}", system, f"Participant {parts['id']}", when, kept,
            reply=(f"{top}/" if below else reply) if kept else "",
        )  # fmt: skip
    return HandedIn(name, system, parts["id"], when, kept, late=bool(parts.get("late")), reply=reply)


def _rename(everybody, path, key):
    """Name students as a column of the course system's own table does."""
    for one in everybody:
        if one.system is None:
            raise FormatError(
                f"--roster needs files that Moodle, Canvas or Blackboard has named, unlike {one.student!r}"
            )
        column = key or SYSTEMS[one.system][0]
        names = {row[IDS[one.system]]: row[column] for row in read_csv(path, IDS[one.system], column)}
        if not names.get(one.id):
            raise FormatError(f"{path} has no {column} for {IDS[one.system]} {one.id!r} ({one.student})")
        one.student = names[one.id]


def write(one: HandedIn, folder: Path, assignment: str) -> str:
    """Write a student's notebooks, under the assignment's name where there is only one; return what to note."""
    folder.mkdir(exist_ok=True)
    for earlier in folder.glob("*.ipynb"):
        earlier.unlink()
    notebooks = [file for file in one.files if file.path.suffix.lower() == ".ipynb" and not file.trouble]
    for number, file in enumerate(notebooks, start=1):
        alone = len(notebooks) == 1 or file.path.name == f"{assignment}.ipynb"
        path = folder / (f"{assignment}.ipynb" if alone else folder_name(file.path.name))
        if path.exists():
            path = path.with_stem(f"{path.stem} ({number})")
        path.write_bytes(file.data)
    notes = [f"{file.path.name} {file.trouble}" for file in one.files if file.trouble]
    if not notebooks:
        notes.append("no notebook; handed in: " + (", ".join(file.path.name for file in one.files) or "nothing"))
    elif len(notebooks) > 1:
        notes.append("several notebooks: " + ", ".join(file.path.name for file in notebooks))
    return "; ".join(notes)
