"""Makes a folder for each student of what a course system hands out: ZIP files and folders, in their ways of naming.

What can't be taken is named, on the terminal and in collected.csv, so that nobody's work gets lost in silence.
"""

import argparse
import contextlib
import io
import math
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO

from .made import Made
from .marks import IDS, SYSTEMS
from .submissions import COLLECTED, LARGEST, NOT_HANDED_IN, TOO_LARGE, is_notebook, without_appended
from .tables import as_csv, read_csv
from .texts import FormatError, folder_name, line

HEADER = ["student", "id", "handed in", "due", "late", "reply", "note"]
FILES, SPACE = 20, 40 << 20  # notebooks of one student, and their bytes, that are taken
# How each system names a student's files; Moodle and Canvas take feedback back under what comes before "file". What
# stands first is the system's, the rest is the student's: so each part ends as early as it can.
NAMES = {
    "moodle": re.compile(
        r"(?P<reply>(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>file|onlinetext)_?)(?P<file>.*)"
    ),
    "blackboard": re.compile(
        r"(?P<title>.+?)_(?P<name>(?P<id>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<kind>\.txt))"
    ),
    "canvas": re.compile(r"(?P<reply>(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_\d+_)(?P<file>.+)"),
}
# What the standard library raises for a ZIP file that isn't one, or is damaged.
BROKEN = (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError, EOFError)
SKIPPED_KINDS = ("onlinetext", ".txt")  # what a system adds to the files
HIDDEN = "is hidden"


@dataclass
class File:
    """One file of a download: its place there, when it was handed in (None: nobody knows), how to open it.

    ``trouble`` says why it can't be had.
    """

    path: PurePosixPath
    when: datetime | None
    open: Callable[[], AbstractContextManager[IO[bytes]]] = io.BytesIO
    trouble: str = ""

    def read(self) -> bytes:
        """Return its bytes, one more than it may have at most, whatever it announces; b"" where it can't be had."""
        if self.trouble:
            return b""
        try:
            with self.open() as source:
                data = source.read(LARGEST + 1)
        except BROKEN as error:
            self.trouble = f"can't be opened ({type(error).__name__})"
            return b""
        if len(data) > LARGEST:
            self.trouble = TOO_LARGE
            return b""
        return data


@dataclass
class HandedIn:
    """What one student has handed in; ``id``, ``late`` and ``reply`` as the course system's names of files tell."""

    student: str
    system: str | None
    id: str
    when: datetime | None
    files: list[File]
    source: PurePosixPath  # a file that says all this, for messages
    late: bool = False
    reply: str = ""


def collect(options: argparse.Namespace) -> None:
    """Write ``student/assignment.ipynb`` for each student, and what was noted into collected.csv."""
    due = _moment(options.due, "--due") if options.due else None
    parts = (text.partition("=") for text in options.extension)
    extensions = {student: _moment(moment, "--extension") for student, _, moment in parts}
    assignment = Path(options.assignment).name
    place = options.to or Path("submissions", assignment)
    files = without_wrapper(list(files_in(options.download)))
    everybody, whose = group(files, assignment, options.system or _system_of(files))
    if options.roster:
        everybody, unnamed = _renamed(everybody, options.roster, options.key)
        whose += unnamed
    for path in whose:
        print(f"not taken, for nobody can tell whose it is: {line(str(path))}", file=sys.stderr)
    if not everybody:
        raise FormatError(f"{options.download} holds nothing that a student has handed in")
    folders = _by(everybody, lambda work: folder_name(work.student))
    if twice := [f"{name} ({_first_files(works)})" for name, works in folders.items() if len(works) > 1]:
        raise FormatError(f"several would have one folder, named by --roster and --key: {'; '.join(twice)}")
    output = Made(place, assignment)
    output.refuse(COLLECTED, edited=True)
    table = place / COLLECTED
    rows = {row["student"]: row for row in read_csv(table, "student")} if table.exists() else {}
    if unknown := ", ".join(sorted(extensions.keys() - folders.keys() - rows.keys())):
        raise FormatError(f"--extension must name students of {options.download}, got {unknown}")
    for work in everybody:
        student = folder_name(work.student)
        note = write(work, output, student, assignment)
        rows[student] = _row(work, student, extensions.get(student, due), note, rows.get(student, {}))
        if note:
            print(f"{line(student)}: {line(note)}", file=sys.stderr)
    output.write(COLLECTED, as_csv(HEADER, [rows[student] for student in sorted(rows)]), edited=True)
    print(f"{len(everybody)} students: {place}")


def _by(everybody, key) -> dict[str, list[HandedIn]]:
    works: dict[str, list[HandedIn]] = {}
    for work in everybody:
        works.setdefault(key(work), []).append(work)
    return works


def _first_files(works) -> str:
    return " and ".join(line(str(work.source)) for work in works)


def _row(work, student, due, note, before):
    """Return a student's line; days late that a person has changed stay while nothing else does."""
    when, until = (moment.isoformat(timespec="minutes") if moment else "" for moment in (work.when, due))
    late = (
        str(max(math.ceil((work.when - due).total_seconds() / 86_400), int(work.late), 0)) if work.when and due else ""
    )
    if before.get("handed in") == when and before.get("due") == until:
        late = before["late"]
    return dict(zip(HEADER, (student, work.id, when, until, late, work.reply, note), strict=True))


def _moment(text, option):
    for form in ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"):
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    raise FormatError(f"{option} must be a day and a time without a zone, as 2027-03-01T23:59, got {text!r}")


def files_in(place: Path) -> Iterator[File]:
    """Yield the files of a folder or ZIP file, and those of ZIP files in it; links aren't taken.

    Of hidden ones only the names are: whoever has handed in nothing else is somebody, too.
    """
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            inside = PurePosixPath(path.relative_to(place).as_posix())
            if path.is_file() and not path.is_symlink():
                yield from _opened(File(inside, datetime.fromtimestamp(path.stat().st_mtime), partial(path.open, "rb")))
    elif place.is_file():
        yield from _unzipped(partial(place.open, "rb"), PurePosixPath(), place)
    else:
        raise FileNotFoundError(f"the download must be a ZIP file or a folder, got {place}")


def _opened(file) -> Iterator[File]:
    """Yield a file, or instead of a ZIP file what is in it."""
    if not _handed_in(file.path):
        yield File(file.path, file.when, trouble=HIDDEN)
    elif file.path.suffix.lower() != ".zip":
        yield file
    elif data := file.read():
        yield from _unzipped(partial(io.BytesIO, data), file.path, file.path, outer=file)
    else:
        yield file


def _unzipped(opened, above, name, outer=None) -> Iterator[File]:
    """Yield what is in a ZIP file, one level deep; nothing is unpacked before it is read."""
    try:
        with opened() as data, zipfile.ZipFile(data) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except BROKEN as error:
        if not outer:
            raise FormatError(f"{name} is no ZIP file that can be opened: {error}") from None
        yield File(outer.path, outer.when, trouble=f"can't be opened ({type(error).__name__})")
        return
    if outer and not entries:
        yield File(outer.path, outer.when, trouble="is empty")
    for entry in entries:
        # Whatever path it claims, it lies below the ZIP file.
        steps = PurePosixPath(entry.filename.replace("\\", "/")).parts
        path = PurePosixPath(*(step for step in steps if step not in ("/", "//", "..")))
        file = File(above / path, outer.when if outer else _when(entry), partial(_entry, opened, entry))
        if outer and _handed_in(path):
            yield file  # a ZIP file in a student's ZIP file is a file
        else:
            yield from _opened(file)


@contextlib.contextmanager
def _entry(opened, entry):
    with opened() as data, zipfile.ZipFile(data) as archive, archive.open(entry) as source:
        yield source


def _when(entry):
    """Return when a file was last changed, None where the ZIP file doesn't say."""
    try:
        return datetime(*entry.date_time)
    except ValueError:  # month 0: who made it wrote no date
        return None


def _handed_in(path):
    return not any(part[:1] == "." or part in NOT_HANDED_IN for part in path.parts) and path.name != COLLECTED


def without_wrapper(files: list[File]) -> list[File]:
    """Return the files without the one folder that may be around them all, and without what is hidden beside it."""
    files = _named(files)
    seen = [file for file in files if file.trouble != HIDDEN]
    tops = {file.path.parts[0] for file in seen}
    if len(tops) == 1 and not _matched(next(iter(tops)))[0]:
        deep = all(len(file.path.parts) > 2 for file in seen)
        if deep or any(len(file.path.parts) > 1 and _matched(file.path.parts[1])[0] for file in seen):
            return _named([replace(file, path=PurePosixPath(*file.path.parts[1:])) for file in files])
    return files


def _named(files):
    """Return those whose file or folder on top isn't hidden: it may be a student's."""
    return [file for file in files if file.path.parts and _handed_in(PurePosixPath(file.path.parts[0]))]


def _matched(name, system=None):
    """Return the system that gives such names to files or folders, and its parts; None and None where none does."""
    for system_name, pattern in NAMES.items():
        if system in (None, system_name) and (match := pattern.fullmatch(name)):
            return system_name, match.groupdict()
    return None, None


def _system_of(files: list[File]) -> str | None:
    """Return the one course system that has named all that a system has named; None where nothing is named so.

    A name in which a student imitates another system is one of this system's, too: all names together tell which.
    """
    tops = {file.path.parts[0] for file in files}
    named = {system: {top for top in tops if pattern.fullmatch(top)} for system, pattern in NAMES.items()}
    all_named = set.union(*named.values())
    fitting = [system for system, names in named.items() if names == all_named]
    if all_named and len(fitting) != 1:
        examples = [f"{system} ({line(min(names))})" for system, names in named.items() if names]
        raise FormatError(
            f"the names of the files are of more than one system, {', '.join(examples)}: name it, --system"
        )
    return fitting[0] if all_named else None


def group(files: list[File], assignment: str, system: str | None) -> tuple[list[HandedIn], list[PurePosixPath]]:
    """Return what each student has handed in, of several attempts the last, and the files that are nobody's."""
    found, whose = {}, []
    title = _title(files) if system == "blackboard" else ""
    for file in files:
        work = _parse(file, assignment, system, title)
        if work is None:
            whose.append(file.path)
            continue
        before = found.setdefault((work.student, work.id), work)
        if work.system == "blackboard" and work.when != before.when:
            found[work.student, work.id] = max(before, work, key=lambda attempt: attempt.when or datetime.min)
        elif before is not work:
            before.files += work.files
            before.when = max(filter(None, [before.when, work.when]), default=None)
            before.reply = before.reply or work.reply
    everybody = [found[key] for key in sorted(found)]
    for same, works in _by([work for work in everybody if work.id], lambda work: work.id).items():
        if len(works) > 1:
            raise FormatError(
                f"two records of {line(same)}: {_first_files(works)}; take out the one that doesn't count"
            )
    return everybody, whose


def _title(files: list[File]) -> str:
    """Return what stands before all names of people in Blackboard's names of files; a person's name may have a _."""
    matches = [_matched(file.path.parts[0], "blackboard")[1] for file in files]
    titles = [parts["title"].split("_") for parts in matches if parts]
    return "_".join(steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*titles, strict=False)))


def _parse(file, assignment, system, title=""):
    """Return what a file tells about its student, with the file; None where it tells nothing."""
    top, *below = file.path.parts
    parts = _matched(top, system)[1] if system else None
    if not parts:
        stem = PurePosixPath(top).stem if len(file.path.parts) == 1 or top.lower().endswith(".zip") else top
        name = re.split(rf"[\s_-]*{re.escape(assignment)}", stem)[0]
        kept = [] if file.trouble == HIDDEN else [file]
        return HandedIn(name, None, "", file.when, kept, file.path) if name else None
    when = file.when
    if "when" in parts:
        when = None  # nobody knows, where a name has a day that there isn't
        with contextlib.suppress(ValueError):
            when = datetime.strptime(parts["when"], "%Y-%m-%d-%H-%M-%S")
    kept = [] if parts.get("kind") in SKIPPED_KINDS or file.trouble == HIDDEN else [file]
    name, reply = parts["name"], parts.get("reply") or ""
    key = parts["id"]
    if title and parts["title"] != title:
        name = key = f"{parts['title'].removeprefix(title + '_')}_{key}"
    if system == "moodle":
        name, key, reply = f"{name}_{key}", f"Participant {key}", f"{top}/" if below else reply
    return HandedIn(name, system, key, when, kept, file.path, late=bool(parts.get("late")), reply=reply if kept else "")


def _renamed(everybody, path, key) -> tuple[list[HandedIn], list[PurePosixPath]]:
    """Return those whom a course system has named, as a column of its own table does, and the files of the others."""
    known = [work for work in everybody if work.system]
    if not known:
        raise FormatError(f"--roster needs files that a course system has named, unlike {everybody[0].student!r}")
    for work in known:
        column = key or SYSTEMS[work.system][0]
        names = {row[IDS[work.system]]: row[column] for row in read_csv(path, IDS[work.system], column)}
        if not names.get(work.id):
            raise FormatError(f"{path} has no {column} for {IDS[work.system]} {work.id!r} ({work.student})")
        work.student = names[work.id]
    return known, [file.path for work in everybody if not work.system for file in work.files]


def write(work: HandedIn, output: Made, student: str, assignment: str) -> str:
    """Write a student's notebooks, under the assignment's name where there is only one; return what to note.

    What was collected before goes; where a person has changed it, it stays, and nothing is written.
    """
    notebooks = [file for file in work.files if is_notebook(file.path.name) and not file.trouble]
    written, space = {}, 0
    for number, file in enumerate(notebooks[:FILES], start=1):
        data = file.read() if space < SPACE else b""
        space += len(data)
        own_name = without_appended(file.path.name)
        alone = len(notebooks) == 1 or own_name == f"{assignment}.ipynb"
        name = assignment if alone else folder_name(PurePosixPath(own_name).stem)
        if f"{name}.ipynb" in written:
            name += f" ({number})"
        if not file.trouble:
            written[f"{name}.ipynb"] = data
    notes = [f"{file.path.name} {file.trouble}" for file in work.files if file.trouble]
    if len(notebooks) > FILES or space > SPACE:
        written = {}
        notes.append(f"more than {FILES} notebooks, or than {SPACE >> 20} MB: none is taken")
    try:
        output.put(student, written)
    except FormatError as error:
        return f"not collected: {error}"
    if not written:
        names = ", ".join(file.path.name for file in work.files[:FILES])
        notes.append(f"no notebook; handed in: {names or 'nothing'}")
    elif len(written) > 1:
        notes.append("several notebooks: " + ", ".join(file.path.name for file in notebooks))
    return "; ".join(notes)
